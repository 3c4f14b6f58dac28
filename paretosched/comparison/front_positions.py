"""Where policies stand against a front: dominance, the best of each objective, the schedule nearest to a wish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..fronts.dominance import costs
from ..fronts.front import Front, online
from ..simulation.objective import FROM_START
from ..wishes import nearness
from ..wishes.wish import Wish, is_defined


def against(front: Front, values: Floats, feasible: NDArray[np.bool_], wish: Wish | None) -> dict[str, Any]:
    """Return the fields of a comparison that depend on the front; `values`, (q, m), are those of the policies."""
    of_policies, of_front = np.split(costs(np.vstack([values, front.values]), front.objectives), [len(values)])
    above = np.array([np.count_nonzero(_dominate(of_front, row)) for row in of_policies], dtype=np.int64)
    below = np.array([np.count_nonzero(_dominate(-of_front, -row)) for row in of_policies], dtype=np.int64)
    above[~feasible] = below[~feasible] = -1
    sign = np.array([1.0 if o.maximise else -1.0 for o in front.objectives])
    fields: dict[str, Any] = {"dominated_by": above, "dominates": below, "best": _best(sign, front.values)}
    row = _nearest(wish, front.values)
    if row is not None:
        fields |= {"nearest": front.values[row], "nearest_row": row}
    is_online = online(front)
    if is_online.any() and not is_online.all():
        fields["best_online"] = _best(sign, front.values[is_online])
        row = _nearest(wish, front.values[is_online])
        fields["nearest_online"] = None if row is None else front.values[is_online][row]
    return fields


def beside_front(values: Floats, from_submission: Sequence[float], util_from: str) -> Floats:
    """Return values of policies, (q, m), with UTIL from the same time on as in a front.

    Parameters
    ----------
    values
        (q, m) natural units, with the UTIL of the papers.
    from_submission
        (q,) per cent, UTIL from the first submission.
    util_from
        From when on UTIL counts in the front, see `Front.util_from`.
    """
    return values if util_from == FROM_START else np.column_stack([from_submission, values[:, 1:]])


def _nearest(wish: Wish | None, values: Floats) -> int | None:
    """Return which row of values, (k, m), comes nearest to a wish; None where this is undefined."""
    if wish is None or not len(values) or not is_defined(wish, values[0]):
        return None
    return int(nearness.nearest_rows(wish, values)[0])


def _best(sign: Floats, values: Floats) -> Floats:
    """Return the best value of each objective, (m,), of (k, m); sign is 1 where large is good, else -1."""
    best: Floats = sign * (sign * values).max(axis=0, initial=-np.inf)
    best[~np.isfinite(best)] = np.nan
    return best


def _dominate(costs: Floats, row: Floats) -> NDArray[np.bool_]:
    """Return which of the costs, (k, m), dominate a row, (m,): a (k,) mask."""
    return np.logical_and((costs <= row).all(axis=1), (costs < row).any(axis=1))
