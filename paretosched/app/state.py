"""What the owner of the page wants, looks at and has on the shortlist: a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..fronts.dominance import costs
from ..fronts.front import Front
from ..simulation.objective import is_of_group
from ..wishes.navigation import compromise, remaining
from ..wishes.nearness import nearest_rows
from ..wishes.relative_limits import known_part
from ..wishes.wish import SEVERAL, Limit, Wish, wish_text
from ..wishes.wish_grammar import names_in_words
from ..workload.measures import is_measure

GREEDY, PRIORITY, GUARDED, RULES = KINDS = ("greedy", "priority", "guarded", "rules")  # classes of policies


class Pick(NamedTuple):
    """A schedule on the shortlist. It stays there when better ones are found, and it is no longer on the front.

    Attributes
    ----------
    letter
        Its name on the page; it stays.
    run, evaluation
        The name of the run that it comes from, and its number there, from 0.
    values
        (m,) objective values, natural units.
    row
        Its row of the front that the page shows; None if it is not there.
    note
        The owner's note why it is there.
    """

    letter: str
    run: str
    evaluation: int
    values: tuple[float, ...]
    row: int | None
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
    groups = [name for name in names if is_of_group(name)]
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


def schedule_name(front: Front, row: int) -> str:
    """Return what a schedule is called: by its evaluation, which stays when a run goes on; its row does not."""
    run = f" of {front.origins[front.origin[row]].name}" if len(front.origins) > 1 else ""
    return f"evaluation {front.evaluation[row]}{run}"


def wish_words(wish: Wish, front: Front) -> str:
    """Return a wish as the page writes it: response times in hours, and groups by their names."""
    return wish_text(wish, hours=True, names=names_in_words(front.objectives))


def policy_file(front: Front, row: int) -> str:
    """Return the name under which the policy of a row is saved."""
    return f"policy-{front.evaluation[row]}.json"


def pick_name(pick: Pick, front: Front) -> str:
    """Return what a schedule of the shortlist is called, see `schedule_name`."""
    return f"evaluation {pick.evaluation}" + (f" of {pick.run}" if len(front.origins) > 1 else "")


def pick_at(front: Front, row: int, letter: str, note: str = "") -> Pick:
    """Return the schedule of a row as one of the shortlist."""
    run = front.origins[front.origin[row]].name
    return Pick(letter, run, int(front.evaluation[row]), tuple(front.values[row].tolist()), row, note)


def row_of(front: Front, run: str, evaluation: int, values: Sequence[float] | None) -> int | None:
    """Return the row of a schedule, found by its evaluation; None if it is not on the front.

    A run may be copied under another name, or explored again under the same, so the values tell whether it is the one;
    the name of the run counts only where several have this evaluation and these values, or without values.
    """
    rows = np.flatnonzero(front.evaluation == evaluation)
    own = np.array([front.origins[k].name == run for k in front.origin[rows]], dtype=np.bool_)
    if values is None:
        rows = rows[own]
    else:
        known = np.array(values)
        close = np.isclose(front.values[rows], known, rtol=1e-9, atol=0, equal_nan=True)
        lacks = [is_measure(o.name) for o in front.objectives] & np.isnan(known)  # it is measured since
        same = (close | lacks).all(axis=1)
        rows = rows[same & own] if (same & own).any() else rows[same]
    return int(rows[0]) if len(rows) else None


def better_row(pick: Pick, front: Front) -> int | None:
    """Return the row that is better than a schedule of the shortlist, and differs least from it; None without one."""
    values = np.vstack([np.array(pick.values), front.values])
    own, others = np.split(costs(values, front.objectives), [1])
    rows = np.flatnonzero((others <= own).all(axis=1) & (others < own).any(axis=1))
    if not len(rows):
        return None
    return int(rows[np.argmin(((own - others[rows]) / np.abs(own)).sum(axis=1))])


def on_front(state: State, before: Front, front: Front) -> State:
    """Return a state of one front on another one of the same workload: the same schedules are meant."""

    def now(row: int) -> int | None:
        pick = pick_at(before, row, "")
        return row_of(front, pick.run, pick.evaluation, pick.values)

    picks = tuple(pick._replace(row=row_of(front, pick.run, pick.evaluation, pick.values)) for pick in state.picks)
    chosen = None if state.chosen is None else now(state.chosen)
    suggested = tuple(row for row in map(now, state.suggested[1]) if row is not None)
    return replace(
        state, picks=picks, chosen=chosen, suggested=(state.suggested[0], suggested) if suggested else ("", ())
    )


def with_measures_of(state: State, before: Front, front: Front) -> State:
    """Return a state of one front on the same one with more measures behind those it had."""
    wish = None if state.wish is None else replace(state.wish, measures=front.measured.names)
    lacking = (np.nan,) * (len(front.objectives) - len(before.objectives))
    picks = tuple(
        pick_at(front, pick.row, pick.letter, pick.note)
        if pick.row is not None
        else pick._replace(values=(*pick.values, *lacking))
        for pick in state.picks
    )
    return replace(state, wish=wish, picks=picks)


def gone_words(state: State, chosen_is_gone: bool) -> str:
    """Return which schedules of the owner are not on the front, in a sentence; "" if all are."""
    letters = [pick.letter for pick in state.picks if pick.row is None]
    words = [f"of the shortlist {', '.join(letters)}"] if letters else []
    words += ["the schedule that you looked at"] if chosen_is_gone else []
    kept = "; the shortlist keeps what it has, and says which is better now" if letters else ""
    return f"Not on this front: {' and '.join(words)}{kept}." if words else ""


def lost_words(losses: int) -> str:
    """Return how many schedules of a shortlist in a file are lost, in a sentence; "" if none is."""
    return f"Not on this front, and without values in the file: {losses} of the shortlist." if losses else ""
