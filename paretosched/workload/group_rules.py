"""Rules that put jobs into groups, also jobs of users who were not there when a policy was trained.

A policy carries such a rule, so that it can decide about the jobs of any log of the machine: by a list of users,
accounts, queues or partitions (`ListedGroups`), by what a user has consumed lately (`ConsumptionGroups`), or in words
(`WordedGroups`). Jobs for
which a rule has no group go to its default group.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..core.arguments import list_argument, number, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, number_of, one_of
from ..core.notebook import fields_html, fields_repr
from .group_lists import COLUMNS, NAMED, GroupLine, first_lines, names_of
from .group_words import Described, NoJobs, OfLog, groups_of
from .workload import GROUPINGS, Workload

DAY = 86_400  # s
MOST_DAYS = 36_500
LATELY = 90  # days of consumption that a trained policy looks back, unless its file says something else
MOST_LINES = 1_000_000


@dataclass(frozen=True)
class ListedGroups:
    """Groups by a list: the first line that fits a job has its group.

    Parameters
    ----------
    groups
        Names of the groups.
    lines
        The lines, in their order.
    default
        The group of jobs that no line fits, such as those of newcomers.

    Raises
    ------
    InputError
        There are no lines, or a name is that of no group.
    """

    groups: tuple[str, ...]
    lines: tuple[GroupLine, ...]
    default: str

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(list_argument("groups", self.groups)))
        _check_groups(self.groups, self.default)
        lines = [list_argument("a line of a grouping", line) for line in list_argument("lines", self.lines)]
        if not all(1 <= len(line) <= len(GroupLine._fields) for line in lines):
            raise InputError(f"lines of a grouping must be {', '.join(GroupLine._fields)}, but are {self.lines!r:.60}")
        object.__setattr__(self, "lines", tuple(GroupLine(*line) for line in lines))
        if not 1 <= len(self.lines) <= MOST_LINES:
            raise InputError(f"lines of a grouping must be 1 to {MOST_LINES}, but are {len(self.lines)}")
        for line in self.lines:
            one_of("the group of a line", line.group, self.groups)

    @property
    def newcomers(self) -> str:
        """Return the group of users and accounts that no line names: that of a line for any job, or the default."""
        return next((line.group for line in self.lines if line[1:] == (None,) * len(line[1:])), self.default)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return what the lines look at, such as "user" and "queue"."""
        return tuple(c for c in COLUMNS if any(getattr(line, c) is not None for line in self.lines))

    def applies(self, workload: Workload) -> bool:
        """Return whether a workload has what the lines look at."""
        known = {"user": bool((workload.user >= 0).any())}
        has_numbers = all(known.get(column, workload.records is not None) for column in self.columns)
        named = {
            column for column in self.columns if any(isinstance(getattr(line, column), str) for line in self.lines)
        }
        return has_numbers and all(names_of(workload, column) for column in named - {*NAMED})

    def agrees(self, workload: Workload) -> bool:
        """Return whether the groups of a workload are not of another kind: those of users by their consumption."""
        return not comes_from_consumption(workload)

    def group_indices(self, workload: Workload) -> Ints:
        """Return the group of each job, (n,), indices into `groups`."""
        of_line = [self.groups.index(line.group) for line in self.lines]
        groups = np.array([*of_line, self.groups.index(self.default)], dtype=np.int64)
        group: Ints = groups[first_lines(self.lines, workload)]
        return group

    def words(self) -> str:
        """Return the rule in words."""
        return f"by a list of {number_of(len(self.lines), 'line')} ({', '.join(self.columns) or 'any job'})"


@dataclass(frozen=True)
class ConsumptionGroups:
    """Groups of users by their share of what has been consumed in the last days, known when a job is submitted.

    Counted are processor seconds of jobs that were submitted within these days before the job and would have ended by
    now if they had not waited, so that no rule knows the future.

    Parameters
    ----------
    groups
        Names of the groups, one more than there are thresholds.
    thresholds
        Shares in (0, 1), descending: the first group has more than the first one, and so on; see `by_consumption`.
    days
        How far to look back.
    default
        The group of users who have consumed nothing in these days, and of jobs of unknown users.

    Raises
    ------
    InputError
        The thresholds are not descending shares, or not one less than groups; days are not in 1..36500; or the default
        is the name of no group.
    """

    groups: tuple[str, ...]
    thresholds: tuple[float, ...]
    days: int
    default: str

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(list_argument("groups", self.groups)))
        _check_groups(self.groups, self.default)
        object.__setattr__(self, "thresholds", tuple(number("threshold", share) for share in self.thresholds))
        object.__setattr__(self, "days", whole_number("days of a grouping", self.days))
        shares = (1.0, *self.thresholds, 0.0)
        if len(shares) != len(self.groups) + 1 or not all(a > b for a, b in pairwise(shares)):
            raise InputError(
                f"thresholds of a grouping must be {len(self.groups) - 1} descending shares between 1 and 0, but are "
                f"{list(self.thresholds)}"
            )
        if not 1 <= self.days <= MOST_DAYS:
            raise InputError(f"days of a grouping must be in 1..{MOST_DAYS}, but are {self.days}")

    @property
    def newcomers(self) -> str:
        """Return the group of users who have consumed nothing lately."""
        return self.default

    def applies(self, workload: Workload) -> bool:
        """Return whether a workload has what the rule looks at: users."""
        return bool((workload.user >= 0).any())

    def agrees(self, workload: Workload) -> bool:
        """Return whether the groups of a workload are not of another kind: from a list, or those of the log."""
        return grouping_of(workload).get("function", "by_consumption") == "by_consumption"

    def group_indices(self, workload: Workload) -> Ints:
        """Return the group of each job, (n,), indices into `groups`."""
        w = workload
        share = recent_shares(w.submit, w.eligible - w.submit + w.run, w.run * w.width, w.user, self.days * DAY)
        group = (share[:, None] <= np.array(self.thresholds)).sum(axis=1)
        return np.where((share > 0) & (w.user >= 0), group, self.groups.index(self.default)).astype(np.int64)

    def words(self) -> str:
        """Return the rule in words."""
        return f"by the user's share of the processor seconds of the last {self.days} days"


@dataclass(frozen=True)
class WordedGroups:
    """Groups by what a job asks for and whose it is, in words: the first one that fits.

    Parameters
    ----------
    groups
        Names of the groups, in the order of the text.
    text
        The conditions, such as "large: width >= 32; short: limit <= 1h; rest", see `group_words`.
    default
        The group of jobs that no condition fits.

    Raises
    ------
    InputError
        A group of the text is not among the groups.
    """

    groups: tuple[str, ...]
    text: str
    default: str

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "groups", tuple(list_argument("groups", self.groups)))
        _check_groups(self.groups, self.default)
        if not isinstance(self.text, str) or not self.text.strip():
            raise InputError(f"words of a grouping must be a text, but are {self.text!r:.60}")
        self.indices(NoJobs())  # raises for what is no condition, or of other groups

    @property
    def newcomers(self) -> str:
        """Return the group of a job that no condition fits."""
        return self.default

    def applies(self, workload: Workload) -> bool:
        """Return whether a workload knows what the words are about."""
        try:
            self.group_indices(workload)
        except InputError:
            return False
        return True

    def agrees(self, workload: Workload) -> bool:
        """Return whether the groups of a workload are not of another kind: those of users by their consumption."""
        return not comes_from_consumption(workload)

    def group_indices(self, workload: Workload) -> Ints:
        """Return the group of each job, (n,), indices into `groups`."""
        return self.indices(OfLog(workload))

    def indices(self, jobs: Described) -> Ints:
        """Return the group of each of some jobs, (n,), indices into `groups`; names that no job has fit none."""
        names, group = groups_of(self.text, jobs, "words of a grouping", strict=False)
        for name in names:
            one_of("a group in the words of a grouping", name, self.groups)
        place = np.array([*map(self.groups.index, names), self.groups.index(self.default)], dtype=np.int64)
        found: Ints = place[group]  # -1 is the last one
        return found

    def words(self) -> str:
        """Return the rule in words."""
        return self.text


GroupRule = ListedGroups | ConsumptionGroups | WordedGroups


def check_grouping(groups: tuple[str, ...], rule: GroupRule | None) -> None:
    """Refuse what is no rule, or is one for other groups than those of its policy; raises InputError."""
    if rule is not None and not isinstance(rule, GroupRule):
        raise InputError(
            f"grouping must be a `ListedGroups`, `ConsumptionGroups` or `WordedGroups`, but is {rule!r:.60}"
        )
    if rule is not None and rule.groups != groups:
        raise InputError(
            f"the grouping of a policy must be for its groups {', '.join(groups)}, but is for {', '.join(rule.groups)}"
        )


def grouping_of(workload: Workload) -> Mapping[str, object]:
    """Return the step of a workload's source that made its groups; empty if it is not known."""
    return next((step for step in reversed(workload.source) if step.get("function") in GROUPINGS), {})


def comes_from_consumption(workload: Workload) -> bool:
    """Return whether the groups of a workload are known to be those of users by their consumption."""
    return grouping_of(workload).get("function") == "by_consumption"


def recent_shares(submit: Ints, run: Ints, work: Ints, user: Ints, window: int) -> Floats:
    """Return each user's share of what had been consumed lately when the job was submitted, (n,); 0 if nothing.

    Parameters
    ----------
    submit, run, work
        (n,) s, s from the submission to the end of a job that does not wait, and processor seconds; sorted by
        submission.
    user
        (n,) numbers of users.
    window
        How far to look back, s. A job counts from its submission + run on, until its submission is longer ago.

    Examples
    --------
    User 7 has used 30 of 40 processor seconds when the third job is submitted; after 100 s all is forgotten.

    >>> submit, run, user = np.array([0, 0, 40, 200]), np.array([30, 10, 5, 5]), np.array([7, 8, 7, 7])
    >>> recent_shares(submit, run, run, user, 100).tolist()
    [0.0, 0.0, 0.75, 0.0]
    """
    place = np.unique(user, return_inverse=True)[1]
    counted = run <= window
    end = int(submit[-1]) + 1  # what comes later is never asked for
    begins = np.minimum(submit + run, end)
    ends = np.minimum(submit + window + 1, end)  # at this distance it still counts
    own, total = np.zeros((2, submit.size))
    for when, sign in ((begins, 1.0), (ends, -1.0)):
        own += sign * _sums(place[counted] * (end + 1) + when[counted], work[counted], place * (end + 1), submit)
        total += sign * _sums(when[counted], work[counted], np.zeros_like(submit), submit)
    return np.divide(own, total, out=np.zeros(submit.size), where=total > 0)


def _sums(key: Ints, work: Ints, first: Ints, submit: Ints) -> Floats:
    """Return the sum of the work whose key is in first..first + submit, for each job, (n,)."""
    order = np.argsort(key, kind="stable")
    until = np.concatenate([[0], np.cumsum(work[order])])
    keys = key[order]
    sums: Floats = (
        until[np.searchsorted(keys, first + submit, side="right")] - until[np.searchsorted(keys, first, side="left")]
    ).astype(np.float64)
    return sums


def _check_groups(groups: Sequence[str], default: str) -> None:
    """Raise InputError if there are no groups, or the default is none of them."""
    if not groups or len(set(groups)) != len(groups):
        raise InputError(f"groups of a grouping must be one or more different names, but are {list(groups)}")
    one_of("the default of a grouping", default, groups)
