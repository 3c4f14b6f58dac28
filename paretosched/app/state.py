"""What the owner of the page wants, looks at and has on the shortlist: a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..fronts.front import Front
from ..plots.style import defined_objectives
from ..wishes.navigation import compromise, remaining
from ..wishes.nearness import fitness
from ..wishes.wish import Wish


class Pick(NamedTuple):
    """A schedule on the shortlist: its row, and the owner's note why it is there."""

    row: int
    note: str = ""


@dataclass(frozen=True)
class State:
    """What the owner wants, looks at and has on the shortlist.

    Parameters
    ----------
    wish
        The owner's wish; None as long as there is none.
    chosen
        The row that the owner chose to look at; None for the one nearest to the wish.
    suggested
        What the page suggested, "compromise" or "knee", and the rows.
    picks
        The shortlist.
    classes
        The last classification, (objective, class, level in natural units or None).
    across, up, log
        The two objectives of the free chart, and whether its axes are logarithmic.
    fit
        Whether the axes cover only the schedules that remain.
    """

    wish: Wish | None = None
    chosen: int | None = None
    suggested: tuple[str, tuple[int, ...]] = ("", ())
    picks: tuple[Pick, ...] = ()
    classes: tuple[tuple[str, str, float | None], ...] = ()
    across: str = ""
    up: str = ""
    log: bool = True
    fit: bool = False


def beginning(front: Front) -> State:
    """Return the state of a page that is opened for the first time; the free chart shows the first two groups."""
    names = [o.name for o in defined_objectives(front)]
    groups = [name for name in names if name not in ("UTIL", "AWRT")]
    across, up = groups[:2] if len(groups) > 1 else ("UTIL", "AWRT")
    return State(across=across, up=up)


def current(state: State, front: Front) -> int:
    """Return the current row: the chosen one, else the nearest to the wish; without a wish the compromise."""
    if state.chosen is not None:
        return state.chosen
    if state.wish is None:
        row = compromise(front, remaining(None, front))
        assert row is not None  # noqa: S101  # a page has at least one schedule
        return row
    if not (state.wish.weights or state.wish.near):  # a region: its middle, not its first row
        row = compromise(front, remaining(state.wish, front))
        if row is not None:
            return row
    return int(fitness(state.wish, front.values).argmin())
