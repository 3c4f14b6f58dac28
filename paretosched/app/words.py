"""What the page says about a state: numbers and words, computed once for all its parts."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.comparison import improvement
from ..core.arrays import Floats
from ..core.tables import plain
from ..fronts.front import Front
from ..wishes import nearness
from ..wishes import wish as choice
from ..wishes.navigation import reachable, remaining, tradeoffs, way
from ..wishes.wish import Wish
from .charts import LETTERS
from .choices import State, current

NEAREST = 5
STEP = 0.01


class View(NamedTuple):
    """What a state means on its front.

    Attributes
    ----------
    row
        The schedule that is looked at.
    among
        (p,) bool, the schedules that remain.
    left
        How many.
    best
        (m,) best value still reachable in each objective.
    nearest
        The schedules nearest to the wish.
    rows, gains
        The steps from `row`, see `advice.tradeoffs`.
    """

    row: int
    among: NDArray[np.bool_]
    left: int
    best: Floats
    nearest: tuple[int, ...]
    rows: NDArray[np.int64]
    gains: Floats


def view(state: State, front: Front) -> View:
    """Find out what a state means."""
    among = remaining(state.wish, front)
    row = current(state, front)
    nearest: tuple[int, ...] = ()
    if state.wish is not None and (state.wish.weights or state.wish.near):
        fitness = nearness.fitness(state.wish, front.values)
        count = min(NEAREST, len(front))
        few = np.flatnonzero(fitness <= np.partition(fitness, count - 1)[count - 1])
        nearest = tuple(few[np.argsort(fitness[few], kind="stable")][:count].tolist())
    rows, gains = tradeoffs(front, row, among, STEP)
    return View(row, among, int(among.sum()), reachable(front, among), nearest, rows, gains)


def scene(
    state: State, seen: View, marks: Mapping[str, Floats], courses: Sequence[tuple[str, Floats]]
) -> dict[str, Any]:
    """Tell the browser what to draw over its clouds; plain values."""
    limits = (
        {}
        if state.wish is None
        else {x.objective: [x.low, None if np.isinf(x.high) else x.high] for x in state.wish.limits}
    )
    return {
        "limits": limits,
        "near": {} if state.wish is None else dict(state.wish.near),
        "row": seen.row,
        "left": seen.left,
        "picks": [pick.row for pick in state.picks],
        "letters": LETTERS[: len(state.picks)],
        "suggested": list(state.suggested[1]),
        "marks": [{"name": name, "values": plain(values)} for name, values in marks.items()],
        "courses": [{"name": name, "values": plain(values)} for name, values in courses],
        "across": state.across,
        "up": state.up,
        "log": state.log,
        "fit": state.fit,
    }


def progress(wish: Wish, easy: Floats | None, reached: Floats, front: Front) -> str:
    """Say in words how much of the way from EASY to the front a trained policy goes."""
    if easy is None or np.isnan(nearness.fitness(wish, [reached])).any():
        return ""
    found = way(wish, easy, reached, front)
    exceeded = float(choice.violation(wish, [reached])[0])
    words = "EASY is as good as the front for this wish"
    if found is not None:
        target = "the front" if found.of == "goal" else "the limits"
        words = f"{100 * found.share:.0f} % of the way from EASY to {target}"
        if found.of == "goal" and found.share > 1:
            words += ", better than any schedule on it"
    return words + (f"; exceeds the limits by {100 * exceeded:.2g} %" if exceeded > 0 else "")


def comparison_rows(
    front: Front, columns: Mapping[str, Floats], reference: str | None, notes: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Set schedules side by side: a row a schedule, plain values, natural units and per cent as `compare` has them.

    The keys are "schedule", the names of the objectives, the same with "_vs_reference", and "note".
    """
    rows = []
    for name, values in columns.items():
        row: dict[str, Any] = {
            "schedule": name,
            **dict(zip((o.name for o in front.objectives), plain(values), strict=True)),
        }
        if reference is not None:
            gains = plain(improvement(values, columns[reference]))
            row |= {f"{o.name}_vs_reference": x for o, x in zip(front.objectives, gains, strict=True)}
        rows.append(row | {"note": notes.get(name, "")})
    return rows


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows as CSV, their keys on top; what a spreadsheet would take for a formula is made text.

    Examples
    --------
    >>> print(to_csv([{"schedule": "A", "AWRT": 1.5, "note": "=1+1"}]))
    schedule,AWRT,note
    A,1.5,'=1+1
    <BLANKLINE>
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["schedule"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _cell(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def remaining_rows(front: Front, among: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """List the schedules that remain: row, objectives in natural units, run and evaluation."""
    names = [o.name for o in front.objectives]
    return [
        {"row": int(row), **dict(zip(names, plain(front.values[row]), strict=True))}
        | {"run": front.origins[front.origin[row]].name, "evaluation": int(front.evaluation[row])}
        for row in np.flatnonzero(among)
    ]


def reach_rows(front: Front, seen: View) -> list[dict[str, Any]]:
    """List the objectives: what is best of all schedules, what is still reachable, and the schedule looked at."""
    everything = reachable(front, np.ones(len(front), dtype=np.bool_))
    return [
        {"objective": o.name, "unit": o.unit, "best": best, "still reachable": left, f"schedule {seen.row}": value}
        for o, best, left, value in zip(
            front.objectives, plain(everything), plain(seen.best), plain(front.values[seen.row]), strict=True
        )
    ]


def step_rows(front: Front, seen: View) -> list[dict[str, Any]]:
    """List the steps from the schedule that is looked at: what improves by 1 %, and what else changes, in per cent."""
    return [
        {"better by 1 %": o.name, "to row": None if row < 0 else int(row)}
        | {f"{other.name} gains %": x for other, x in zip(front.objectives, plain(gains), strict=True)}
        for o, row, gains in zip(front.objectives, seen.rows, seen.gains, strict=True)
    ]
