"""What if there were more work, other nodes, or more users of a group: the workloads of such questions.

More work is more users with the habits of those in the log (`resample`): so it comes at the hours and in the weeks in
which users submit, and in bursts. It lasts as long as the log, but no job of it stands where it stood. So it is not
compared with the log, but with the log put together again at today's load; and because chance has a part in both, there
are several draws. Where a group grows or goes, only its users do: all other jobs are those of the draw at today's load.

Another machine changes no job. Jobs that can never run on it are left out, and counted.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.arrays import Ints, Mask
from ..core.errors import number_of
from ..policies.policy import Policy
from ..policies.set_limits import with_set_limits
from ..workload.dropped_jobs import without_jobs
from ..workload.machine import Machine
from ..workload.more_nodes import with_more_nodes, with_moved_nodes, without_nodes
from ..workload.resampling import resample_with_rows
from ..workload.unfit_jobs import REASONS, unfit_jobs
from ..workload.workload import Workload
from .questions import Question, groups_of_users

TOO_FEW = "The users of this log are too few for that: hardly anything changes."
TOO_WIDE, TOO_LONG = "is wider than the machine", "asks for a longer time than is allowed"


def changed_workload(workload: Workload, question: Question, seed: int | None) -> Workload:
    """Return the workload of a question, of a draw or, without a seed, of the log itself.

    Raises
    ------
    InputError
        The question is of users, and the workload does not know them, or lasts for more than a century; or no job can
        run on the machine of the question.
    """
    if question.is_of_users:
        return drawn_workload(workload, question, seed or 0)[0]
    return on_other_machine(workload if seed is None else drawn_workload(workload, None, seed)[0], question)[0]


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
    other = _other_machine(machine, question, tuple(requests.qos.words))
    limit = workload.estimate if question.longest or question.command else None
    reason = unfit_jobs(other, requests, limit)
    reason[unfit_jobs(machine, requests, limit) >= 0] = -1  # it has run although it is beyond a limit of today
    left = without_jobs(workload, reason, REASONS)
    name = f"{workload.name} on {number_of(int(other.up.sum()), 'node')}"
    return left.with_(machine=other, capacity=other.capacity, name=name), reason < 0


def _other_machine(machine: Machine, question: Question, names: tuple[str, ...]) -> Machine:
    """Return the machine of nodes of a question; `names` are the QOS of the jobs."""
    if question.command:
        return with_set_limits(machine, question.command, names)
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


def is_missed(question: Question, base: Workload, before: float | None, after: float | None) -> bool:
    """Return whether not even half of the work came or went that a question asks for: users come or go as a whole.

    `before` and `after` are offered loads; `base` is what has the first one.
    """
    if not question.is_of_users or not before or after is None:
        return False
    share = groups_of_users(base).get(question.group, 0.0) if question.group else 1.0
    return abs(after / before - 1) < 0.5 * abs(question.load - 1) * share
