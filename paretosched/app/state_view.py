"""What a state means on its front: the numbers that all parts of the page show, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.tables import plain
from ..fronts.front import Front
from ..wishes import nearness
from ..wishes.navigation import reachable, remaining, tradeoffs
from ..wishes.relative_limits import known_part
from ..wishes.wish import Limit, spelled_out, with_limits
from .charts import dash_of, look_of
from .state import State, current, is_brushed, schedule_name, wish_words

NEAREST = 5
STEP = 0.01


class View(NamedTuple):
    """What a state means on its front.

    Attributes
    ----------
    row
        The current schedule: the one that the owner looks at.
    among
        (p,) bool, the schedules that remain.
    left
        How many schedules remain.
    best
        (m,) natural units, the best value still reachable in each objective.
    nearest
        The rows of the schedules nearest to the wish.
    rows, gains
        (m,) and (m, m), the steps from `row`, see `navigation.tradeoffs`.
    """

    row: int
    among: NDArray[np.bool_]
    left: int
    best: Floats
    nearest: tuple[int, ...]
    rows: NDArray[np.int64]
    gains: Floats


def view_of(state: State, front: Front) -> View:
    """Return what a state means on a front."""
    wish = state.numbers
    among = remaining(wish, front)
    row = current(state, front)
    nearest: tuple[int, ...] = ()
    if wish is not None and wish.aims:
        nearest = tuple(nearness.nearest_rows(wish, front.values)[:NEAREST].tolist())
    rows, gains = tradeoffs(front, row, among, STEP)
    return View(row, among, int(among.sum()), reachable(front, among), nearest, rows, gains)


def fixed_limits(state: State, front: Front) -> Sequence[Limit]:
    """Return the limits that no brush changes, with numbers for each objective: relative ones, "others" and "all"."""
    if state.wish is None:
        return ()
    limits = [limit for limit in state.wish.limits if not is_brushed(limit)]
    if not limits:
        return ()
    known = known_part(with_limits(state.wish, limits), state.policy_values)
    names = [o.name for o in front.defined_objectives]
    return () if known is None else spelled_out(known, names).limits


def limits_of(state: State, front: Front) -> dict[str, Limit]:
    """Return all limits of a wish with numbers, by objective; of several for one, the tightest ends count."""
    wish = state.numbers
    if wish is None or not wish.limits:
        return {}
    names = [o.name for o in front.defined_objectives]
    return {limit.objective: limit for limit in spelled_out(wish, names).limits}


def scene(
    state: State, view: View, front: Front, marks: Mapping[str, Floats], courses: Sequence[tuple[str, Floats]]
) -> dict[str, Any]:
    """Return what the browser draws over its clouds of schedules, as plain values."""
    brushed = [] if state.wish is None else [limit for limit in state.wish.limits if is_brushed(limit)]
    limits, fixed = (
        {x.objective: [x.low, None if np.isinf(x.high) else x.high] for x in some}
        for some in (brushed, fixed_limits(state, front))
    )
    return {
        "wish": "" if state.wish is None else wish_words(state.wish, front),
        "limits": limits,
        "fixed": fixed,
        "near": {} if state.wish is None else dict(state.wish.near),
        "row": view.row,
        "name": schedule_name(front, view.row),
        "left": view.left,
        "picks": [
            {
                "letter": pick.letter,
                "look": look_of(pick.letter),
                "dash": dash_of(pick.letter),
                "values": plain(np.array(pick.values)),
            }
            for pick in state.picks
        ],
        "suggested": list(state.suggested[1]),
        "marks": [{"name": name, "values": plain(values)} for name, values in marks.items()],
        "courses": [{"name": name, "values": plain(values)} for name, values in courses],
        "across": state.across,
        "up": state.up,
        "log": state.log,
        "fit": state.fit,
    }
