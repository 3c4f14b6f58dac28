"""The order of Slurm's waiting jobs by a policy: the same keys, from the same code, as in a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.situations import SITUATIONS
from ..kernels.formulas import evaluate
from ..policies.greedy_order import Greedy
from ..policies.guarded import Guarded
from ..policies.outcome import jobs_of
from ..policies.plain import Plain
from ..policies.policy import Policy
from ..policies.priority import ALL, Priority
from ..workload.calendar import calendar
from ..workload.log_names import BESIDE
from ..workload.requests import REQUESTS, records_asking
from ..workload.slurm_conf import KIB
from ..workload.workload import Workload
from .slurm_groups import Grouping
from .slurm_queue import QueuedJob
from .slurm_usage import Used, of_usage, standing_of

Orderly = Plain | Greedy | Priority | Guarded  # the policies that order the waiting jobs of any machine
NEWCOMERS = ""  # a name that no group has
KNOWN = {"number", "wait", "estimate", "width", "area", "submit", "eligible", "group", "priority", "usage", "share"} | {
    *REQUESTS
}
UNREAD = {
    "fairshare": ("which the daemon does not read", "let Slurm weigh its own fair share beside the policy (--share)"),
    "charge": ("which the daemon does not know", "say it by cores, memory and gpus"),
    "qos_priority": ("which the daemon does not read", "let Slurm weigh its QOS beside the policy (--share)"),
}


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
            why, hint = UNREAD.get(unknown[0], ("which a log has and Slurm has not", "say it by groups"))
            raise InputError(f'policy {policy.name} uses "{unknown[0]}", {why}; {hint}')
    return policy


def reservations_of(policy: Orderly) -> int:
    """Return how many waiting jobs have a reservation under a policy; ALL for all of them."""
    return min(policy.reservations, ALL)


def left_out(policy: Orderly, in_passes: bool) -> list[str]:
    """Return what of a policy's backfilling is left out on a real machine, in words.

    Parameters
    ----------
    policy
        The policy.
    in_passes
        Whether the machine reserves nodes in passes as often and as far as it is told, as Slurm does.
    """
    if not isinstance(policy, Priority):
        return []
    b = policy.backfill
    parts = {
        "nodes, and how often and how far passes look": policy.nodes is not None and not in_passes,
        f"reservations for the groups {', '.join(b.entitled)} only": b.entitled,
        "another order of backfilling": b.orders and policy.candidate_orders != policy.orders,
        "a longest request for backfilling": b.longest,
        "slack of reservations": b.slack,
    }
    return [words for words, has in parts.items() if has]


def order_of(
    policy: Orderly,
    jobs: Sequence[QueuedJob],
    grouping: Grouping,
    width: str,
    now: int,
    since: int,
    zone: str,
    used: Sequence[Used] = (),
    classes: Mapping[str, int] | None = None,
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
    classes
        Of a guarded order: the classes of the groups by name after the last review; of NEWCOMERS that of groups without
        jobs then. None before the first one: its groups come first.
    """
    situation = int(calendar(now, zone, 0).kind[0])
    if not jobs:
        return Order([], SITUATIONS[situation])
    by_submission = sorted(jobs, key=lambda job: (job.submit, job.id))
    if isinstance(policy, Guarded):
        names, numbered = grouping.number_groups(jobs)
        arrivals = workload_of(by_submission, numbered, width, since).in_arrival_order
        keys = _guarded_keys(policy, names, arrivals.jobs, classes or {})
    else:
        arrivals = workload_of(by_submission, grouping, width, since).in_arrival_order
        usages, shares = np.zeros((2, len(arrivals.jobs)))  # of workload rows; job 0 marks the beginning
        fair = of_usage(policy)
        if fair is not None:
            usages[1:], shares[1:] = standing_of(fair, by_submission, grouping, used)
            policy = replace(fair, usage="group", shares={})  # accounts and shares are those of Slurm, not of a log
        if arrivals.rows is not None:
            usages, shares = usages[arrivals.rows], shares[arrivals.rows]
        keys = _formula_keys(policy, arrivals.jobs, situation, now - since, usages, shares)
    places = np.argsort(-keys, kind="stable") + 1
    rows = places if arrivals.rows is None else arrivals.rows[places]
    return Order([by_submission[row - 1].id for row in rows.tolist()], SITUATIONS[situation])


def _formula_keys(
    policy: Plain | Greedy | Priority, jobs: Workload, situation: int, t: int, usages: Floats, shares: Floats
) -> Floats:
    """Return the keys of all jobs but the first one, by the formulas of a policy in second t."""
    queue = policy.queue_of_any(jobs) if isinstance(policy, Priority) else policy.queue(jobs)
    inputs = jobs_of(jobs)
    waiting = range(1, len(jobs))
    with np.errstate(all="ignore"):  # formulas have a value for every job
        return np.array([evaluate(queue.order, situation, inputs, j, t, usages[j], shares[j]) for j in waiting])


def _guarded_keys(policy: Guarded, names: Sequence[str], jobs: Workload, classes: Mapping[str, int]) -> Floats:
    """Return the keys of all jobs but the first one under a guarded order; `names` are those of the groups."""
    from ..kernels.guarded_review import waiting_keys

    guard = policy.guard(names)
    first = dict(zip(names, guard.classes.tolist(), strict=True))
    known = [classes.get(name, classes.get(NEWCOMERS, first[name])) for name in names]
    return waiting_keys(jobs_of(jobs), guard, np.array(known, dtype=np.int64))[1:]


def workload_of(jobs: Sequence[QueuedJob], grouping: Grouping, width: str, since: int) -> Workload:
    """Return waiting jobs, sorted by submission, as a workload; before them a job marks second 0, Unix time `since`."""
    widths = [max(1, job.widths[width]) for job in jobs]
    each = [-1, *(KIB * job.memory // wide for job, wide in zip(jobs, widths, strict=True))]
    asked = (_after(usual, [getattr(job, word) for job in jobs]) for word, usual in BESIDE.items())
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
        records=records_asking(np.array(each, dtype=np.int64), *asked),
    )


def _after(first: int, numbers: Sequence[int]) -> Ints:
    """Return numbers behind a first one."""
    return np.array([first, *numbers], dtype=np.int64)
