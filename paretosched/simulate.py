"""A workload and a policy make a schedule; the only caller of the simulation kernels.

Event semantics (one convention for all rules): whole seconds; all events of one second are taken together,
first completions, then arrivals in trace order, then one scheduling pass. A job runs for its true run time, which
never exceeds its estimate; schedulers see only the estimate. Intervals are half open: a job may start in the second
in which another one ends.
"""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .kernels.arrival import backfilled, fcfs
from .kernels.conservative import conservative, replanned
from .kernels.greedy import greedy
from .kernels.values import Jobs, Weights
from .policy import CRITERIA, Policy, as_policy, fits
from .schedule import Schedule
from .workload import Workload


def simulate(workload: Workload, policy: str | os.PathLike[str] | Policy) -> Schedule:
    """Run a workload under a policy.

    Parameters
    ----------
    workload
        The jobs and the machine.
    policy
        A `Policy`, the name of a rule ("fcfs", "list", "easy", "conservative", "conservative-replan",
        "recorded"), or the path of a policy file.

    Examples
    --------
    Job 2 is wide and waits for job 1; EASY lets job 3 pass it, FCFS does not.

    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> simulate(w, "fcfs").start.tolist(), simulate(w, "easy").start.tolist()
    ([0, 10, 15], [0, 10, 2])
    """
    p = fits(as_policy(policy), workload)
    return Schedule(workload, start_times(workload, p), p.name)


def start_times(workload: Workload, policy: Policy) -> NDArray[np.int64]:
    """Start times, (n,) int64 seconds, of a policy that fits the workload."""
    w = workload
    if policy.rule == "recorded":
        return _recorded(w)
    start = np.empty(len(w), dtype=np.int64)
    jobs = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
    if policy.rule == "fcfs":
        fcfs(jobs, w.capacity, start)
    elif policy.rule in ("list", "easy"):
        backfilled(jobs, w.capacity, policy.rule == "easy", start)
    elif policy.rule == "conservative":
        conservative(jobs, w.capacity, start)
    else:
        criteria = np.array([CRITERIA.index(c) + 1 for c in policy.criteria], dtype=np.int64)
        # Bounds all times that enter a key; twice, because an expected end may lie beyond the latest real one.
        horizon = 2.0 * float(w.submit[-1] + w.run.sum())
        weights = Weights(criteria, policy.genes, horizon)
        if policy.rule == "conservative-replan" or policy.backfill == "conservative":
            replanned(jobs, w.capacity, w.calendar, weights, start)
        else:
            greedy(jobs, w.capacity, w.calendar, weights, policy.backfill == "easy", start)
    return start


def _recorded(workload: Workload) -> NDArray[np.int64]:
    """Start times of the log itself; where a single wait is unknown, the submission."""
    if (workload.wait < 0).all():
        raise InputError(
            f"{workload.name}: no job has a recorded wait, so there is no recorded schedule "
            "(was it generated or scaled?)"
        )
    return workload.submit + np.maximum(workload.wait, 0)
