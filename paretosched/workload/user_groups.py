"""User groups: by resource consumption, as in the papers, or as the owner of the machine wants them.

Each group has an objective AWRT_i. Paper 002, table 1 (and paper 000, table II) sorts users by their share of the
total resource consumption. An owner may prefer the groups of the log, its queues, or a list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from ..core.arguments import as_path, list_argument, numbers
from ..core.arrays import Ints, distinct
from ..core.errors import InputError, did_you_mean, in_quotes, one_of, printable
from ..core.files import file_record, read_lines, sha256_of
from .group_lists import GroupLine, check_names, column_numbers, first_lines, listed_lines, names_of, word_or_number
from .group_rules import (
    LATELY,
    ConsumptionGroups,
    GroupRule,
    ListedGroups,
    WordedGroups,
    comes_from_consumption,
    grouping_of,
)
from .group_words import groups_in_words, is_in_words, names_on_nodes
from .workload import Repair, Workload, source_after

PAPER_THRESHOLDS = (0.08, 0.02, 0.01, 0.001)
MOST_GROUPS = 64
IMPORTED = ("project", "department", "group")  # words of import and deploy
SPOKEN_OF = re.compile(r"UTIL|AWRT[0-9]*|EASY|today", re.ASCII | re.IGNORECASE)  # in wishes
NAMED_BY_JOBS = {  # with the field of a log
    "partition": "partition",
    "account": "account",
    "qos": "queue",
    "user": "user",
}
OTHER = "other"  # the group of those who are in no list
UNKNOWN_USERS = "user unknown and 1 % of the work or more: put into the last group"
UNLISTED_USERS = 'user not in the list of groups: put into the group "other"'
UNLISTED_JOBS = 'job not in the list of groups: put into the group "other"'


def by_consumption(workload: Workload, thresholds: Sequence[float] = PAPER_THRESHOLDS) -> Workload:
    """Return a workload grouped by users' shares of the consumption; see `from_paths.by_consumption`."""
    limits = numbers("thresholds", list_argument("thresholds", thresholds))
    if limits.ndim != 1 or not (np.all((limits > 0) & (limits < 1)) and np.all(np.diff(limits) < 0)):
        raise InputError(f"thresholds must be descending shares between 0 and 1, but are {limits.tolist()}")
    _check_number(limits.size + 1, "thresholds make")
    no_user = workload.user < 0
    user = np.where(no_user, -1, workload.user)
    number, place = distinct(user)
    work = np.bincount(place, (workload.run * workload.width).astype(np.float64))
    share = work / work.sum()
    group_of = (share[:, None] <= limits).sum(axis=1)
    repairs = _without(workload.repairs, UNKNOWN_USERS)
    if number[0] == -1 and share[0] >= 0.01:
        group_of[0] = limits.size
        repairs = (*repairs, Repair("assumed", UNKNOWN_USERS, int(no_user.sum())))
    names = tuple(str(i + 1) for i in range(limits.size + 1))
    source = source_after(workload, "by_consumption", thresholds=limits.tolist())
    return workload.with_(group=group_of[place].astype(np.int64), groups=names, repairs=repairs, source=source)


def by_earlier_consumption(before: Workload, after: Workload) -> tuple[Workload, Workload]:
    """Return two parts of a log with the groups that are known where it was cut, if its groups are by consumption.

    Users are grouped by what they consumed in the first part. Those who appear only later are in the last group, which
    is the default of trained policies, too (`rule_of`). Groups that were made otherwise stay.

    Parameters
    ----------
    before, after
        The parts before and after the cut, with the groups of the whole log.

    Examples
    --------
    User 7 consumes most in the end, but has done nothing when the log is cut; user 8 had done all of it.

    >>> from .time_split import split
    >>> words = {"run": [5, 95], "estimate": [5, 95], "width": [1, 1], "capacity": 1, "user": [8, 7]}
    >>> whole = by_consumption(Workload(submit=[0, 9], **words, source=({"function": "lublin"},)), [0.5])
    >>> [part.group.tolist() for part in (whole, *by_earlier_consumption(*split(whole, 0.5)))]
    [[1, 0], [0], [1]]
    """
    if not comes_from_consumption(before):
        return before, after
    thresholds: Any = grouping_of(before).get("thresholds", PAPER_THRESHOLDS)
    before = by_consumption(before, thresholds)
    users, first = np.unique(before.user, return_index=True)
    place = np.searchsorted(users, after.user).clip(max=len(users) - 1)
    known = users[place] == after.user
    group = np.where(known, before.group[first][place], len(before.groups) - 1)
    return before, after.with_(group=group, groups=before.groups)


def by_swf_group(workload: Workload) -> Workload:
    """Return a workload grouped by the groups of its log; see `from_paths.by_swf_group`."""
    source = source_after(workload, "by_swf_group")
    number, names = column_numbers(workload, "account"), names_of(workload, "account")
    return _by_number(workload, number, names, "the log's groups are").with_(source=source)


def by_queue(workload: Workload) -> Workload:
    """Return a workload grouped by the queues of its log; see `from_paths.by_queue`."""
    names = names_of(workload, "queue")
    source = source_after(workload, "by_queue")
    return _by_number(workload, column_numbers(workload, "queue"), names, "the log's queues are").with_(source=source)


def by_request(workload: Workload, column: str) -> Workload:
    """Return a workload grouped by "user", or by what jobs name: "partition", the first one, "account" or "qos".

    On a machine of nodes it is what jobs ask for, else the field of the log: QOS are its queues.

    Raises
    ------
    InputError
        The column is another one; the log does not have it; or there are more than 64 groups.
    """
    one_of("column", column, [*NAMED_BY_JOBS])
    source = source_after(workload, "by_request", column=column)
    on_nodes = names_on_nodes(workload, column)
    if on_nodes is None:
        field = NAMED_BY_JOBS[column]
        numbers, names = column_numbers(workload, field), names_of(workload, field)
    else:
        code, named = on_nodes
        known = sorted({each[0] for each in named} - {""})
        numbers = np.array([known.index(each[0]) if each[0] else -1 for each in named])[code]
        names = dict(enumerate(known))
    return _by_number(workload, numbers, names, f"by {column} there are").with_(source=source)


def by_csv(workload: Workload, path: str | os.PathLike[str]) -> Workload:
    """Return a workload with jobs grouped by a CSV file of users, accounts, queues or partitions.

    The first line may name the columns, see `group_lists`; without it they are `user,group`. The first line that fits
    a job has its group, and `*` fits any. The order of groups is that of their first lines in the file. Jobs that no
    line fits form the group "other", which comes last and is reported. -1 means jobs of an unknown user or account.

    Raises
    ------
    InputError
        The file cannot be read; a line breaks a rule, or an earlier one puts all its jobs into another group; the log
        does not have what a column names; there are more than 64 groups.
    """
    columns, numbered = listed_lines(read_lines(path, "a list of groups"), str(path))
    check_names(numbered, workload, str(path))
    lines = [line for _, line in numbered]
    names = list(dict.fromkeys(line.group for line in lines))
    place = first_lines(lines, workload)
    left = place == len(lines)
    reason = UNLISTED_USERS if set(columns) == {"user", "group"} else UNLISTED_JOBS
    repairs = _without(_without(workload.repairs, UNLISTED_USERS), UNLISTED_JOBS)
    if left.any():
        if OTHER not in names:
            names.append(OTHER)
        repairs = (*repairs, Repair("assumed", reason, int(left.sum())))
    _check_number(len(names), f"{path}: there are")
    of_line = [names.index(line.group) for line in lines] + [names.index(OTHER) if OTHER in names else 0]
    group = np.array(of_line, dtype=np.int64)[place]
    source = source_after(workload, "by_csv", **file_record(path))
    return workload.with_(group=group, groups=tuple(names), repairs=repairs, source=source)


def by_words(workload: Workload, words: str, called: str = "groups") -> Workload:
    """Return a workload with jobs grouped by what they ask for and whose they are, see `group_words`."""
    names, group = groups_in_words(words, workload, called)
    _check_number(len(names), f"{called}: there are")
    return workload.with_(group=group, groups=names, source=source_after(workload, "by_words", words=words))


def rule_of(workload: Workload) -> GroupRule | None:
    """Return the rule that puts jobs of other users into the groups of a workload, from how its groups were made.

    Newcomers, whom a list does not name, are in the group "other" or else in the last one. Of groups by consumption the
    rule takes the consumption of the last days before each job, because the whole log is not known on the machine.

    Returns
    -------
    GroupRule, or None if it is not known how the groups were made, or the file with them was changed or is gone.
    """
    step = grouping_of(workload)
    default = OTHER if OTHER in workload.groups else workload.groups[-1]
    try:
        if step.get("function") == "by_consumption":
            thresholds: Any = step.get("thresholds", PAPER_THRESHOLDS)
            return ConsumptionGroups(workload.groups, tuple(thresholds), LATELY, default)
        if step.get("function") == "by_words":
            return WordedGroups(workload.groups, str(step["words"]), workload.groups[-1])
        if step.get("function") == "by_csv":
            path = str(step["path"])
            if sha256_of(path) != step.get("sha256"):
                return None
            lines = [line for _, line in listed_lines(read_lines(path, "a list of groups"), path)[1]]
        else:
            by_name = {"by_swf_group": "account", "by_queue": "queue"}
            by_name |= {"by_request": NAMED_BY_JOBS.get(str(step.get("column")), "")}
            column = by_name[str(step.get("function"))]
            numbers, first = np.unique(column_numbers(workload, column), return_index=True)
            groups = [workload.groups[g] for g in workload.group[first]]
            words = {} if workload.names is None else names_of(workload, column)  # numbers differ between two imports
            lines = [
                GroupLine(group, **{column: word_or_number(words.get(n, ""), n)})
                for n, group in zip(numbers.tolist(), groups, strict=True)
            ]
        return ListedGroups(workload.groups, tuple(lines), default)
    except (InputError, KeyError):
        return None


def with_groups(workload: Workload, how: str | os.PathLike[str], called: str = "groups") -> Workload:
    """Return a workload with the groups that a word, percentages or a file describe.

    Parameters
    ----------
    workload
        Any workload.
    how
        "consumption", "swf", "queue", "partition", "account", "qos" or "user"; descending percentages of the
        consumption, such as "8,2,1,0.1"; groups in words, such as "large: width >= 32; rest", see `group_words`; or
        the path of a CSV file, see `by_csv`.
    called
        The name of `how` in messages.

    Raises
    ------
    InputError
        The percentages do not descend, or as for `by_csv`, `by_swf_group`, `by_queue` and `groups_in_words`.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[90, 10], estimate=[90, 10], width=[1, 1], capacity=1, user=[7, 8])
    >>> with_groups(w, "50").group.tolist()
    [0, 1]
    """
    groupings: dict[str, Callable[[Workload], Workload]]
    groupings = {"consumption": by_consumption, "swf": by_swf_group, "queue": by_queue}
    groupings |= {column: partial(by_request, column=column) for column in NAMED_BY_JOBS}
    words = os.fsdecode(as_path(how))
    if words in groupings:
        return groupings[words](workload)
    if is_in_words(words) and not os.path.lexists(words):
        return _with_own_names(by_words(workload, words, called), called)
    try:
        per_cent = [float(part) for part in words.split(",")]
    except ValueError:
        hint = "; swf has the groups of the import" if words in IMPORTED else did_you_mean(words, groupings)
        if not words.strip() or set(words) & set(":;"):
            hint = "; in words a group has a name and a condition, as in large: width >= 32; rest"
        if hint and not os.path.lexists(words):
            raise InputError(
                f"{called} must be {', '.join(groupings)}, percentages, groups in words or the path of a CSV file, "
                f"but is {in_quotes(words)}{hint}"
            ) from None
        return _with_own_names(by_csv(workload, how), called)
    if not all(high > low for high, low in pairwise([100.0, *per_cent, 0.0])):
        raise InputError(f"{called}: percentages must descend between 100 and 0, but are {words}")
    return by_consumption(workload, [share / 100 for share in per_cent])


def _with_own_names(workload: Workload, called: str) -> Workload:
    """Return a workload; refuse groups that are called as what wishes speak of, since a wish would mean that."""
    wrong = [name for name in workload.groups if SPOKEN_OF.fullmatch(name)]
    if wrong:
        raise InputError(
            f"{called}: a group must not be called as what wishes speak of, UTIL, AWRT, AWRT1, ..., EASY or today, but "
            f"one is {in_quotes(wrong[0])}; give it another name"
        )
    return workload


def count_users(workload: Workload) -> Ints:
    """Return how many users have jobs in each group, (G,) int64; unknown users are not counted.

    Examples
    --------
    >>> w = Workload(submit=[0] * 4, run=[1] * 4, estimate=[1] * 4, width=[1] * 4, capacity=1, user=[5, 6, 5, -1],
    ...              group=[0, 0, 0, 1], groups=("staff", "guests"))
    >>> count_users(w).tolist()
    [2, 0]
    """
    known = workload.user >= 0
    users, place = distinct(workload.user[known])
    pairs = np.unique(workload.group[known] * len(users) + place)
    return np.bincount(pairs // max(len(users), 1), minlength=len(workload.groups))


def group_table(workload: Workload) -> list[dict[str, Any]]:
    """Return a table of the groups: name, number of users and jobs, share of the work in percent.

    Work is weighed as in AWRT: on a machine of nodes by the charge of each job.

    Examples
    --------
    >>> group_table(Workload(submit=[0, 0], run=[3, 1], estimate=[3, 1], width=[1, 1], capacity=1, user=[5, 6],
    ...                      group=[0, 1], groups=("staff", "guests")))[0]
    {'group': 'staff', 'users': 1, 'jobs': 1, 'work_percent': 75.0}
    """
    work = workload.run * workload.charge
    share = 100 * np.bincount(workload.group, work, len(workload.groups)) / work.sum()
    jobs = np.bincount(workload.group, minlength=len(workload.groups))
    users = count_users(workload)
    return [
        {"group": name, "users": int(users[i]), "jobs": int(jobs[i]), "work_percent": float(share[i])}
        for i, name in enumerate(workload.groups)
    ]


def _by_number(workload: Workload, number: Ints, names: Mapping[int, str], what: str) -> Workload:
    """Return a workload with jobs grouped by a number of each job, (n,)."""
    numbers, place = np.unique(number, return_inverse=True)
    _check_number(numbers.size, what)
    if numbers[0] == -1:  # -1, "unknown", is the smallest number, but its group must come last
        numbers, place = np.roll(numbers, -1), (place - 1) % numbers.size
    titles: list[str] = []
    for value in numbers.tolist():
        title = printable(names.get(value, "unknown" if value < 0 else str(value)))
        titles.append(title if title not in titles else f"{title} ({value})")
    return workload.with_(group=place.astype(np.int64), groups=tuple(titles))


def _check_number(count: int, what: str) -> None:
    """Raise InputError if there are more than 64 groups."""
    if count > MOST_GROUPS:
        raise InputError(
            f"{what} {count} groups, but at most {MOST_GROUPS} can have objectives of their own; "
            "join some of them in a CSV file user,group, or take consumption: users by their share of the work"
        )


def _without(repairs: tuple[Repair, ...], reason: str) -> tuple[Repair, ...]:
    """Return the repairs without those that an earlier grouping reported for this reason."""
    return tuple(repair for repair in repairs if repair.reason != reason)


def is_by_consumption(workload: Workload) -> bool:
    """Return whether the groups are those of `by_consumption` with the papers' thresholds."""
    if workload.groups != tuple("12345"):
        return False
    group: Ints = by_consumption(workload).group
    return bool(np.array_equal(group, workload.group))
