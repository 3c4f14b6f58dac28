"""Small workloads for what is computed second by second, and all their schedules."""

from collections.abc import Sequence

import numpy as np

from paretosched import Workload


def place_jobs(workload: Workload, order: Sequence[int], first: int = 0) -> list[int]:
    """Start times, no earlier than `first`, if each job in turn takes the earliest seconds that are still free."""
    w = workload
    free = np.full(int(max(w.submit[-1], first) + w.run.sum()), w.capacity)
    start = [0] * len(w)
    for j in order:
        t = max(int(w.submit[j]), first)
        while (free[t : t + w.run[j]] < w.width[j]).any():
            t += 1
        free[t : t + w.run[j]] -= w.width[j]
        start[j] = t
    return start


def in_units(workload: Workload) -> Workload:
    """The same jobs with the largest unit of time in which all times are whole."""
    unit = np.gcd.reduce(np.concatenate([workload.submit, workload.run]))
    run = workload.run // unit
    return workload.with_(submit=workload.submit // unit, run=run, estimate=run)
