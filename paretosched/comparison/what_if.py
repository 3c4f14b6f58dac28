"""What if there were more work, other nodes, or more users of a group: the workloads of such questions.

More work is more users with the habits of those in the log (`resample`): so it comes at the hours and in the weeks in
which users submit, and in bursts. It lasts as long as the log, but no job of it stands where it stood. So it is not
compared with the log, but with the log put together again at today's load; and because chance has a part in both, there
are several draws. Where a group grows or goes, only its users do: all other jobs are those of the draw at today's load.

Another machine changes no job. Jobs that can never run on it are left out, and counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import number_of
from ..policies.policy import Policy
from ..simulation.schedule import Schedule
from ..simulation.service import waits
from ..workload.dropped_jobs import without_jobs
from ..workload.machine import Machine
from ..workload.more_nodes import with_more_nodes, with_moved_nodes, without_nodes
from ..workload.plausibility import offered_load
from ..workload.resampling import resample_with_rows
from ..workload.unfit_jobs import REASONS, unfit_jobs
from ..workload.workload import Workload
from .consequences import Consequence, consequences, duration, in_service_words, users_of
from .questions import Question, groups_of_users

SEEDS = (1, 2, 3)
MOST_DRAWN = 300_000  # jobs of all draws; a larger log is drawn once, so that an owner need not wait
TOO_FEW = "The users of this log are too few for that: hardly anything changes."
TOO_WIDE, TOO_LONG = "is wider than the machine", "asks for a longer time than is allowed"


def seeds_of(workload: Workload, question: Question) -> tuple[int, ...]:
    """Return the seeds of the draws that answer a question; another machine leaves nothing to chance."""
    return SEEDS if question.is_of_users and len(workload) * len(SEEDS) <= MOST_DRAWN else SEEDS[:1]


def base_workload(workload: Workload, question: Question, seed: int = SEEDS[0]) -> Workload:
    """Return what the workload of a question is compared with: put together likewise, without what the question asks.

    Raises
    ------
    InputError
        As `changed_workload`.
    """
    return drawn_workload(workload, None, seed)[0] if question.is_of_users else workload


def changed_workload(workload: Workload, question: Question, seed: int = SEEDS[0]) -> Workload:
    """Return the workload of a question; the same one each time for a seed.

    Raises
    ------
    InputError
        The question is of users, and the workload does not know them, or lasts for more than a century; or no job can
        run on the machine of the question.
    """
    return (drawn_workload(workload, question, seed) if question.is_of_users else on_other_machine(workload, question))[
        0
    ]


def drawn_workload(workload: Workload, question: Question | None, seed: int) -> tuple[Workload, Ints]:
    """Return the log put together again, for a question of users or at today's load, and the log's row of each job.

    Raises
    ------
    InputError
        The workload does not know its users, or lasts for more than a century.
    """
    if question is not None and question.group:
        return resample_with_rows(workload, seed, load=1.0, group_work={question.group: question.load})
    return resample_with_rows(workload, seed, load=1.0 if question is None else question.load)


def on_other_machine(workload: Workload, question: Question) -> tuple[Workload, Mask]:
    """Return the jobs on the machine of a question, without those that can never run on it, and which are left, (n,).

    Raises
    ------
    InputError
        None is left.

    Examples
    --------
    >>> w = Workload(submit=[0, 5, 9], run=[10, 3, 4], estimate=[20, 3, 4], width=[4, 2, 8], capacity=8)
    >>> smaller, left = on_other_machine(w, Question("4 fewer processors", more=-4))
    >>> smaller.capacity, smaller.job.tolist(), left.tolist()
    (4, [1, 2], [True, True, False])
    """
    machine, requests = workload.machine, workload.requests
    if machine is None or requests is None:
        size = workload.capacity + question.more
        is_long = (workload.estimate > question.longest) & (question.longest > 0)
        reason = np.where(workload.width > size, 0, np.where(is_long, 1, -1))
        left = without_jobs(workload, reason, (TOO_WIDE, TOO_LONG))
        on = number_of(size, "processor")
        return left.with_(capacity=size, name=f"{workload.name} on {on}"), reason < 0
    other = _other_machine(machine, question)
    limit = workload.estimate if question.longest else None
    reason = unfit_jobs(other, requests, limit)
    reason[unfit_jobs(machine, requests, limit) >= 0] = -1  # it has run although it is beyond a limit of today
    left = without_jobs(workload, reason, REASONS)
    name = f"{workload.name} on {number_of(int(other.up.sum()), 'node')}"
    return left.with_(machine=other, capacity=other.capacity, name=name), reason < 0


def _other_machine(machine: Machine, question: Question) -> Machine:
    """Return the machine of nodes of a question."""
    if question.node:
        return with_more_nodes(machine, question.node, question.more)
    if question.away:
        return without_nodes(machine, question.away)
    if question.moved:
        return with_moved_nodes(machine, question.moved, question.leaves, question.partition)
    partitions = tuple(
        replace(part, longest=question.longest) if question.partition in ("", part.name) else part
        for part in machine.partitions
    )
    return replace(machine, partitions=partitions)


def for_other_users(policy: Policy, workload: Workload) -> Policy:
    """Return a policy without its rule for groups if its groups are the workload's: other jobs have other users."""
    if policy.grouping is None or policy.groups != workload.groups:
        return policy
    changes: dict[str, Any] = {"grouping": None}
    return replace(policy, **changes)


class Draw(NamedTuple):
    """One draw of a question: its workloads and what schedulers do with them.

    Attributes
    ----------
    base, changed
        The workload that is compared with, and that of the question.
    today_before, today
        Schedules of the scheduler that the others are compared with, of `base` and of `changed`.
    others
        Schedules of `changed`, by the names of the other schedulers.
    """

    base: Workload
    changed: Workload
    today_before: Schedule
    today: Schedule
    others: Mapping[str, Schedule]


class Answer(NamedTuple):
    """What a question does to schedulers.

    Attributes
    ----------
    today
        Sentences on the workload, and on the scheduler that the others are compared with.
    means
        For each other scheduler, by its name, a sentence on its mean waits in all draws.
    lines
        For each of them, what it changes on the same changed workload, in the first draw.
    values
        For each of them the objective values in all draws, (m,) natural units each.
    """

    today: list[str]
    means: dict[str, str]
    lines: dict[str, list[Consequence]]
    values: Mapping[str, list[Floats]]


def answer(question: Question, name: str, draws: Sequence[Draw]) -> Answer:
    """Return in words what schedulers do with the workloads of a question, of which there is at least one draw.

    `name` is that of the scheduler that the others are compared with.
    """
    first = draws[0]
    measured = [waits(draw.today) for draw in draws]
    there = means_text([float(w.mean[0]) for w in measured])
    before = means_text([float(waits(draw.today_before).mean[0]) for draw in draws])
    base = "put together again at today's load" if question.is_of_users else "today"
    how = f" ({len(draws)} draws of the users in the log)" if len(draws) > 1 else ""
    loads = offered_load(first.base), offered_load(first.changed)
    sentences = [
        *([TOO_FEW] if is_missed(question, first.base, *loads) else []),
        f"With {question.words}{_load_text(*loads)} the mean wait with {name} is {there}; {base} {before}{how}.",
        in_service_words(measured[0], name),
    ]
    users, util = users_of(first.changed), first.today.objectives["UTIL"]
    values: dict[str, list[Floats]] = {
        key: [draw.others[key].objectives.array for draw in draws] for key in first.others
    }
    all_waits = {key: [waits(draw.others[key]) for draw in draws] for key in first.others}
    means = {key: f"its mean wait is {means_text([float(w.mean[0]) for w in some])}" for key, some in all_waits.items()}
    lines = {
        key: consequences(measured[0], some[0], first.changed.groups, users, (util, float(values[key][0][0])))
        for key, some in all_waits.items()
    }
    return Answer(sentences, means, lines, values)


def means_text(seconds: Sequence[float]) -> str:
    """Return the mean of times, and in brackets the smallest and the largest if there are several.

    Examples
    --------
    >>> means_text([7200.0]), means_text([5400.0, 7200.0, 9000.0])
    ('2 h', '2 h (1.5 h to 2.5 h)')
    """
    mean = duration(sum(seconds) / len(seconds))
    return mean if len(seconds) == 1 else f"{mean} ({duration(min(seconds))} to {duration(max(seconds))})"


def _load_text(before: float | None, after: float | None) -> str:
    """Return what the offered load has become, which is drawn from users and never quite what was asked for."""
    return "" if before is None or after is None else f" (offered load {after:.2f} in place of {before:.2f})"


def is_missed(question: Question, base: Workload, before: float | None, after: float | None) -> bool:
    """Return whether not even half of the work came or went that a question asks for: users come or go as a whole.

    `before` and `after` are offered loads; `base` is what has the first one.
    """
    if not question.is_of_users or not before or after is None:
        return False
    share = groups_of_users(base).get(question.group, 0.0) if question.group else 1.0
    return abs(after / before - 1) < 0.5 * abs(question.load - 1) * share
