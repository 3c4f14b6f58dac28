"""What the owner of the page wants, looks at and has on the shortlist: a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..fronts.front import Front
from ..wishes.navigation import compromise, remaining
from ..wishes.nearness import nearest_rows
from ..wishes.relative_limits import known_part
from ..wishes.wish import SEVERAL, Limit, Wish

GREEDY, PRIORITY, GUARDED, RULES = KINDS = ("greedy", "priority", "guarded", "rules")  # classes of policies


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
    mine
        The name of the scheduler that everything is compared with; "" for the first one that is known.
    kind, test
        The class of policies that the next training is for, one of KINDS, and whether the last part of the time
        is kept to test on.
    references
        What the policies reach that limits may be relative to: pairs of the name of a policy and (m,) objective values.
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
    mine: str = ""
    kind: str = GREEDY
    test: bool = True
    references: tuple[tuple[str, tuple[float, ...]], ...] = ()

    @property
    def numbers(self) -> Wish | None:
        """The wish with numbers in place of its relative limits, as far as they are known yet; None without a wish."""
        return None if self.wish is None else known_part(self.wish, self.policy_values)

    @property
    def policy_values(self) -> dict[str, Floats]:
        """Objective values by the name of a policy that limits may be relative to, (m,) natural units."""
        return {name: np.array(values) for name, values in self.references}

    @property
    def uncounted_policies(self) -> list[str]:
        """The policies that limits are relative to, and whose values are not known yet."""
        return [] if self.wish is None else [name for name in self.wish.references if name not in self.policy_values]


def is_brushed(limit: Limit) -> bool:
    """Return whether a limit is a range of numbers of one objective, which the owner can change with the mouse."""
    return not limit.of and limit.objective not in SEVERAL


def beginning(front: Front) -> State:
    """Return the state of a page that is opened for the first time; the free chart shows the first two groups."""
    names = [o.name for o in front.defined_objectives]
    groups = [name for name in names if name not in ("UTIL", "AWRT")]
    across, up = groups[:2] if len(groups) > 1 else ("UTIL", "AWRT")
    return State(across=across, up=up)


def current(state: State, front: Front) -> int:
    """Return the current row: the chosen one, else the nearest to the wish; without a wish the compromise."""
    if state.chosen is not None:
        return state.chosen
    wish = state.numbers
    if wish is None:
        row = compromise(front, remaining(None, front))
        assert row is not None  # noqa: S101  # a page has at least one schedule
        return row
    if not wish.aims:  # a region: its middle, not its first row
        row = compromise(front, remaining(wish, front))
        if row is not None:
            return row
    return int(nearest_rows(wish, front.values)[0])
