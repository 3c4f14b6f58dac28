"""What a front gives an owner: how much sooner than under EASY each group could have its jobs, and at whose expense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import numbers
from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.tables import Column, table
from ..fronts.front_files import FrontLike, as_front
from ..fronts.quality_indicators import REACH, checked_reach
from ..simulation.lower_bounds import bounds
from ..simulation.objective import group_of, is_of_group
from ..simulation.simulator import simulate
from ..workload.measures import as_measured
from ..workload.reopening import WorkloadLike, as_workload
from .best_possible import upwards

KINDS = ("unharmed", "within", "at_most")  # keys of `group_gains`, the rows of its table
DIFFERENT = "different schedules have the columns; none has all of a line"


def group_gains(
    front: FrontLike, workload: WorkloadLike, reach: float = REACH, easy: ArrayLike | None = None
) -> list[dict[str, Any]]:
    """Return for every group how far below EASY's the response times of the front are, or for what a search was for.

    Parameters
    ----------
    front
        A front; or the path of a run directory or a front file.
    workload
        The jobs of the front; or the path of a log or of a run directory.
    reach
        How many times EASY's AWRT_i the owner's box reaches, above 1.
    easy
        (m,), what EASY reaches on these jobs, in natural units; None if it is not known yet, and simulated.

    Returns
    -------
    list of dict
        For every group with jobs, or, where other objectives decide, for each of these of which less is better:
        "objective", "group", "easy", and in per cent below EASY: "unharmed", the best of the schedules in which none
        has more than under EASY; "within", the best in the box; None if there is no such schedule; and "at_most", which
        is proved for all schedules, known or not (`lower_bounds`); None if nothing is.
        "unharmed_row" and "within_row" are the rows of the front that reach them: the same one for all groups if one
        schedule is the best for all, else the first for each.

    Raises
    ------
    InputError
        `reach` is not above 1, EASY has another number of values, or the front is of another workload; or as for
        `as_front` and `as_workload`.
    """
    front, workload = as_front(front), as_workload(workload)
    reach = checked_reach(reach)
    if (front.digest, front.groups) != (workload.digest, workload.groups):
        raise InputError(f"the front of {front.workload} must be of the same jobs, but {workload.name} has others")
    workload = as_measured(workload, front.measured)
    easy = simulate(workload, "easy").objectives.array if easy is None else numbers("values of EASY", easy)
    if easy.shape != (len(front.objectives),):
        raise InputError(f"values of EASY must be {len(front.objectives)} numbers, but have shape {easy.shape}")
    least = bounds(workload).together
    columns = [j for j, o in enumerate(front.objectives) if o.decides and not o.maximise and not np.isnan(easy[j])]
    times = front.values[:, columns]
    factors = {"unharmed": 1.0, "within": reach}
    allowed = {kind: np.flatnonzero((times <= factor * easy[columns]).all(axis=1)) for kind, factor in factors.items()}
    best_rows = {kind: _best_rows(times, rows) for kind, rows in allowed.items()}
    result = []
    for place, j in enumerate(columns):
        objective = front.objectives[j]
        chosen = {kind: rows[place] if rows else None for kind, rows in best_rows.items()}
        best = {kind: np.nan if row is None else times[row, place] for kind, row in chosen.items()}
        gains = {kind: _below(value, easy[j]) for kind, value in (best | {"at_most": least[j]}).items()}
        about = {"objective": objective.name, "group": group_of(objective), "easy": float(easy[j])}
        result.append(about | gains | {f"{kind}_row": row for kind, row in chosen.items()})
    return result


def _best_rows(times: Floats, rows: Ints) -> list[int]:
    """Return which of some rows of response times, (n, groups), is best for each group; [] without rows."""
    if not rows.size:
        return []
    part = times[rows]
    in_all = np.flatnonzero((part == part.min(axis=0)).all(axis=1))
    places = np.full(part.shape[1], in_all[0]) if in_all.size else part.argmin(axis=0)
    best: list[int] = rows[places].tolist()
    return best


def _below(value: float, easy: float) -> float | None:
    """Return how many per cent a response time is below EASY's; None if there is none."""
    return None if np.isnan(value) or easy == 0 else 100.0 * (1.0 - float(value) / easy)


def gains_text(rows: Sequence[Mapping[str, Any]], reach: float = REACH) -> str:
    """Return the gains of `group_gains` as a table for a terminal.

    Examples
    --------
    >>> row = {"objective": "AWRT1", "group": "1", "easy": 60.0, "unharmed": None, "within": 12.34, "at_most": 20.0,
    ...        "unharmed_row": None, "within_row": 3}
    >>> print(gains_text([row, row | {"objective": "AWRT2", "group": "2", "within_row": 5}]))
    AWRT at best, % below EASY     AWRT1  AWRT2
    -----------------------------  -----  -----
    no group above EASY                -      -
    no group above 1.5 x EASY       12.3   12.3
    no schedule has more (proved)   20.0   20.0
    -: no such schedule was found
    no group above 1.5 x EASY: different schedules have the columns; none has all of a line
    """
    if not rows:
        return ""
    is_awrt = all(is_of_group(row["objective"]) for row in rows)
    who = "no group" if is_awrt else "none"
    words = (f"{who} above EASY", f"{who} above {reach:g} x EASY", "no schedule has more (proved)")
    shown = [{**row, "at_most": None if row["at_most"] is None else upwards(row["at_most"])} for row in rows]
    lines = [
        {"what": word, **{row["objective"]: row[kind] for row in shown}}
        for kind, word in zip(KINDS, words, strict=True)
    ]
    columns = [Column(row["objective"], row["objective"], ",.1f") for row in rows]
    notes = ["-: no such schedule was found"] if any(row[kind] is None for row in rows for kind in KINDS[:2]) else []
    notes += ["no schedule has more: -, where nothing is proved"] if any(row["at_most"] is None for row in rows) else []
    several = [
        word for kind, word in zip(KINDS[:2], words, strict=False) if len({row[f"{kind}_row"] for row in rows}) > 1
    ]
    notes += [f"{several[0]}: {DIFFERENT}" if len(several) == 1 else DIFFERENT] if several else []
    title = "AWRT at best, % below EASY" if is_awrt else "at best, % below EASY"
    return "\n".join([table(lines, [Column("what", title), *columns]), *notes])
