"""The group of each waiting job by what Slurm tells: names of users, accounts, QOS and partitions, and what it asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..core.arrays import Mask
from ..core.errors import InputError, first_few, in_quotes
from ..core.files import read_lines
from ..core.token_reader import Token
from ..policies.guarded import Guarded
from ..policies.policy import Policy, group_names
from ..workload.group_lists import COLUMNS, GroupLine, listed_lines
from ..workload.group_rules import ConsumptionGroups, ListedGroups, WordedGroups
from .slurm_queue import QueuedJob

BY_FIELD = ("account", "user", "qos", "partition")
UNKNOWN = -1  # in a log, where a job has none
LONGEST_SHOWN = 60  # letters of a name in a remark
HINT = "say with --groups where a job's group stands: account, user, qos, partition, or a CSV file such as user,group"


class Grouping(NamedTuple):
    """How the jobs of Slurm get the groups of a policy.

    Attributes
    ----------
    groups
        Names of the groups.
    group_of
        Function that returns the group of a job, an index into `groups`.
    words
        The rule in words.
    reads
        What of a job it depends on: of "user", "account", "qos" and "partition".
    field
        One of BY_FIELD, if the name there is the group.
    """

    groups: tuple[str, ...]
    group_of: Callable[[QueuedJob], int]
    words: str
    reads: frozenset[str]
    field: str | None = None

    def name(self, job: QueuedJob) -> str:
        """Return the name of a job's group, also if the policy does not name it; a guarded order looks at each."""
        group = self.groups[self.group_of(job)]
        own = job.partitions[0] if self.field == "partition" else getattr(job, self.field) if self.field else ""
        return own if own and group == self.groups[-1] else group

    def number_groups(self, jobs: Sequence[QueuedJob]) -> tuple[list[str], Grouping]:
        """Return the names of the groups that some jobs have, and the rule that puts them there by number."""
        names = sorted({self.name(job) for job in jobs})
        place = {name: number for number, name in enumerate(names)}
        numbers = tuple(str(number) for number in range(len(names)))
        return names, Grouping(numbers, lambda job: place[self.name(job)], self.words, self.reads)


def grouping_of(policy: Policy, how: str | None) -> Grouping:
    """Return how the jobs of Slurm get the groups of a policy.

    Parameters
    ----------
    policy
        The policy.
    how
        One of BY_FIELD: the name there is the group, or it is a newcomer. The path of a CSV file: the first line that
        fits a job has its group. None for the rule in the policy.

    Raises
    ------
    InputError
        The policy's own rule needs what Slurm does not know, or the file breaks a rule.
    """
    rule = policy.grouping
    named = group_names(policy)
    groups = named or ("1",)
    if not policy.groups:  # groups that the policy does not name are alike for it
        groups = (*groups, _new_name(groups))
    default = groups.index(rule.default) if rule is not None else len(groups) - 1
    each = isinstance(policy, Guarded)
    if how in BY_FIELD:
        place = {name: number for number, name in enumerate(groups)}
        words = f"the job's {how} is its group" + ("" if each else f"; others are in {groups[default]}")
        field = how if each and rule is None else None
        return Grouping(groups, lambda job: _by_field(job, str(how), place, default), words, frozenset({how}), field)
    if how is not None:
        columns, numbered = listed_lines(read_lines(how, "a list of groups"), how)
        if each and rule is None:  # it names those that come first, and there may be others
            more = dict.fromkeys(line.group for _, line in numbered if line.group not in groups)
            groups = (*groups[:-1], *more, groups[-1])
            default = len(groups) - 1
        for number, line in numbered:
            if line.group not in groups:
                raise InputError(f"{how}:{number}: group is {line.group}, but the policy has {', '.join(groups)}")
        lines = [line for _, line in numbered]
        return _by_lines(groups, lines, default, f"{how} ({', '.join(columns)})")
    if len(groups) == 1 or not named:
        return Grouping(groups, lambda _: default, "the policy treats all groups alike", frozenset())
    if isinstance(rule, ConsumptionGroups):
        raise InputError(f"policy {policy.name} groups users by what they consumed, which Slurm does not tell; {HINT}")
    if isinstance(rule, WordedGroups):
        worded = rule
        return Grouping(groups, lambda job: int(worded.indices(_OfQueue(job))[0]), rule.words(), frozenset(BY_FIELD))
    if not isinstance(rule, ListedGroups):
        raise InputError(f"policy {policy.name} has the groups {', '.join(groups)} and no rule for them; {HINT}")
    if has_numbers(rule):
        raise InputError(f"policy {policy.name} groups jobs by numbers in its log, which Slurm does not know; {HINT}")
    return _by_lines(groups, rule.lines, default, rule.words())


class _OfQueue:
    """A job of Slurm's queue, as conditions in words see it."""

    def __init__(self, job: QueuedJob) -> None:
        self.job = job
        asked = {"limit": job.limit, "nodes": job.nodes, "gpus": job.gpus, "memory": job.memory}
        asked |= {"width": job.widths["cpus"], "cores": job.widths["cpus"]}
        self.numbers = {word: partial(np.array, [number]) for word, number in asked.items()}

    def __len__(self) -> int:
        return 1

    def with_name(self, word: str, token: Token) -> tuple[Mask | None, Collection[str]]:
        """Return whether the job has a name, (1,)."""
        job = self.job
        named = {"user": (job.user,), "account": (job.account,), "partition": job.partitions}
        names = named.get(word, (job.qos,))
        return np.array([token.text.lower() in map(str.lower, names)]), names


def no_job_fits(policy: Policy, how: str | None, jobs: Sequence[QueuedJob]) -> str:
    """Return a remark if no waiting job has a group of the policy in the field that says its group; "" otherwise."""
    named = group_names(policy)
    if how not in BY_FIELD or not named or not jobs:
        return ""
    met = {name for job in jobs for name in (job.partitions if how == "partition" else (getattr(job, how),))}
    if met & set(named):
        return ""
    return (
        f"no waiting job is of a group of the policy ({first_few(named, limit=8)}): their {how} is "
        f"{first_few(map(_short_name, sorted(met)), limit=8)}; is --groups {how} right?"
    )


def _short_name(name: str) -> str:
    """Return a name; what would fill a line is cut: without slurmdbd an account is any text that a user likes."""
    return name if name.isprintable() and len(name) <= LONGEST_SHOWN else in_quotes(name, LONGEST_SHOWN)


def has_numbers(rule: ListedGroups) -> bool:
    """Return whether a list names users and the like by their numbers in a log, which Slurm does not know."""
    return any(isinstance(cell, int) and cell != UNKNOWN for line in rule.lines for cell in line[1:])


def _new_name(groups: Sequence[str]) -> str:
    """Return a name that no group has."""
    name = "other"
    while name in groups:
        name += "_"
    return name


def _by_field(job: QueuedJob, field: str, place: dict[str, int], default: int) -> int:
    """Return the group of a job by a field; of several partitions the first one that is a group."""
    if field == "partition":
        return next((place[name] for name in job.partitions if name in place), default)
    return place.get(getattr(job, field), default)


def _by_lines(groups: tuple[str, ...], lines: Sequence[GroupLine], default: int, words: str) -> Grouping:
    """Return the grouping of a list: the first line that fits."""
    tables: dict[tuple[str, ...], dict[tuple[str, ...], int]] = {}
    for number, line in enumerate(lines):
        columns = tuple(column for column in COLUMNS if getattr(line, column) is not None)
        cells = (getattr(line, column) for column in columns)
        key = tuple("" if cell == UNKNOWN else str(cell).lower() for cell in cells)
        tables.setdefault(columns, {}).setdefault(key, number)
    group_of_line = [groups.index(line.group) for line in lines]

    def group_of(job: QueuedJob) -> int:
        names = {"user": (job.user,), "account": (job.account,), "queue": (job.qos,), "partition": job.partitions}
        first = len(lines)
        for columns, table in tables.items():
            keys: list[tuple[str, ...]] = [()]
            for column in columns:
                keys = [(*key, name.lower()) for key in keys for name in names[column]]
            first = min([first, *(table[key] for key in keys if key in table)])
        return group_of_line[first] if first < len(lines) else default

    reads = {"qos" if column == "queue" else column for columns in tables for column in columns}
    return Grouping(groups, group_of, words, frozenset(reads))
