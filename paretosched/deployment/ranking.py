"""The order of Slurm's waiting jobs by a policy: the same keys, from the same code, as in a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError
from ..core.situations import SITUATIONS
from ..kernels.formulas import evaluate
from ..policies.greedy_order import Greedy
from ..policies.outcome import jobs_of
from ..policies.plain import Plain
from ..policies.policy import Policy
from ..policies.priority import ALL, Priority
from ..workload.calendar import calendar
from ..workload.workload import Workload
from .slurm_groups import Grouping
from .slurm_queue import QueuedJob
from .slurm_usage import Used, of_usage, standing_of

Orderly = Plain | Greedy | Priority  # the policies that order the waiting jobs of any machine
KNOWN = {"number", "wait", "estimate", "width", "area", "submit", "eligible", "group", "priority", "usage", "share"}


class Order(NamedTuple):
    """The waiting jobs in the order in which they should start.

    Attributes
    ----------
    ids
        Their numbers, the first job first.
    situation
        "weekend", "day" or "night".
    """

    ids: list[int]
    situation: str


def check_orderly(policy: Policy) -> Orderly:
    """Return a policy if it orders the waiting jobs by what a resource manager knows of them.

    Raises
    ------
    InputError
        It does something else, or needs what a resource manager does not know.
    """
    if policy.no_order or not isinstance(policy, Orderly):
        raise InputError(f"policy {policy.name} {policy.no_order}")
    if isinstance(policy, Priority):
        unknown = sorted(policy.variables - KNOWN)
        if unknown:
            is_factor = unknown[0] == "fairshare"
            why = "which the daemon does not read" if is_factor else "which a log has and Slurm has not"
            hint = "let Slurm weigh its own fair share beside the policy (--share)" if is_factor else "say it by groups"
            raise InputError(f'policy {policy.name} uses "{unknown[0]}", {why}; {hint}')
    return policy


def reservations_of(policy: Orderly) -> int:
    """Return how many waiting jobs have a reservation under a policy; ALL for all of them."""
    return min(policy.reservations, ALL)


def order_of(
    policy: Orderly,
    jobs: Sequence[QueuedJob],
    grouping: Grouping,
    width: str,
    now: int,
    since: int,
    zone: str,
    used: Sequence[Used] = (),
) -> Order:
    """Return the order of waiting jobs.

    Parameters
    ----------
    policy
        The policy.
    jobs
        The jobs.
    grouping
        The groups, and the group of each job.
    width
        What counts as the width of a job, one of WIDTHS.
    now
        Unix time.
    since
        Unix time from which formulas count `submit`; not after any job.
    zone
        Name of the site's time zone, for weekend, day and night.
    used
        What users have used, if the policy depends on it.
    """
    situation = int(calendar(now, zone, 0).kind[0])
    if not jobs:
        return Order([], SITUATIONS[situation])
    by_submission = sorted(jobs, key=lambda job: (job.submit, job.id))
    arrivals = workload_of(by_submission, grouping, width, since).in_arrival_order
    usages, shares = np.zeros((2, len(arrivals.jobs)))  # of workload rows; job 0 marks the beginning
    fair = of_usage(policy)
    if fair is not None:
        usages[1:], shares[1:] = standing_of(fair, by_submission, grouping, used)
        policy = replace(fair, usage="group", shares={})  # accounts and shares are those of Slurm, not of a log
    queue = policy.queue_of_any(arrivals.jobs) if isinstance(policy, Priority) else policy.queue(arrivals.jobs)
    if arrivals.rows is not None:
        usages, shares = usages[arrivals.rows], shares[arrivals.rows]
    inputs, t = jobs_of(arrivals.jobs), now - since
    waiting = range(1, len(arrivals.jobs))
    with np.errstate(all="ignore"):  # formulas have a value for every job
        keys = [evaluate(queue.order, situation, inputs, j, t, usages[j], shares[j]) for j in waiting]
    places = np.argsort(-np.array(keys), kind="stable") + 1
    rows = places if arrivals.rows is None else arrivals.rows[places]
    return Order([by_submission[row - 1].id for row in rows.tolist()], SITUATIONS[situation])


def workload_of(jobs: Sequence[QueuedJob], grouping: Grouping, width: str, since: int) -> Workload:
    """Return waiting jobs, sorted by submission, as a workload; before them a job marks second 0, Unix time `since`."""
    widths = [max(1, job.widths[width]) for job in jobs]
    limits = [job.limit for job in jobs]
    return Workload(
        submit=_after(0, [job.submit - since for job in jobs]),
        eligible=_after(0, [max(job.submit, job.eligible or 0) - since for job in jobs]),
        run=_after(1, limits),
        estimate=_after(1, limits),
        width=_after(1, widths),
        capacity=max(widths),
        group=_after(0, [grouping.group_of(job) for job in jobs]),
        groups=grouping.groups,
        name="the queue",
    )


def _after(first: int, numbers: Sequence[int]) -> Ints:
    """Return numbers behind a first one."""
    return np.array([first, *numbers], dtype=np.int64)
