"""What the owner of the page wants, looks at and has put aside: a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..fronts.front import Front
from ..plots.style import defined
from ..wishes.navigation import compromise, remaining
from ..wishes.nearness import fitness
from ..wishes.wish import Wish


class Pick(NamedTuple):
    """A schedule on the shortlist: its row, and why."""

    row: int
    note: str = ""


@dataclass(frozen=True)
class State:
    """What the owner wants, looks at and has put aside.

    Parameters
    ----------
    wish
        What he wants; None before he says so.
    chosen
        The row he looks at; None for the one nearest to the wish.
    suggested
        Rows that were found for him, and what they are.
    picks
        His shortlist.
    classes
        The classification he last asked for, (objective, class, level in natural units or None).
    across, up, log
        What the free chart shows.
    fit
        Whether the axes cover what remains only, not all schedules.
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
    """Return the state of a page that is opened for the first time: the first two groups on the free chart."""
    names = [o.name for o in defined(front)]
    groups = [name for name in names if name not in ("UTIL", "AWRT")]
    across, up = groups[:2] if len(groups) > 1 else ("UTIL", "AWRT")
    return State(across=across, up=up)


def current(state: State, front: Front) -> int:
    """Return the row that is looked at: the chosen one, else the nearest to the wish, else the compromise."""
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
