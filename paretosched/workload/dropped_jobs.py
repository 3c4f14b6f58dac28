"""A workload without some of its jobs, which its repairs count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, first_few, number_of
from .workload import Repair, Workload

NEVER = "can never run on the machine: "


def without_jobs(workload: Workload, reason: Ints, reasons: Sequence[str]) -> Workload:
    """Return a workload without the jobs that can never run, which its repairs count.

    Parameters
    ----------
    workload
        The jobs.
    reason
        (n,) int64, why a job can never run: a place of `reasons`; -1 of a job that stays.
    reasons
        The reasons in words.

    Raises
    ------
    InputError
        No job is left.

    Examples
    --------
    >>> w = Workload(submit=[0, 5, 9], run=[10, 3, 4], estimate=[20, 3, 4], width=[4, 2, 8], capacity=8)
    >>> left = without_jobs(w, np.array([-1, -1, 0]), ("is too wide",))
    >>> left.job.tolist(), left.repairs[0].reason
    ([1, 2], 'can never run on the machine: is too wide (41.03 % of the work)')
    """
    if (reason < 0).all():
        return workload
    repairs = []
    work = (workload.run * workload.width).astype(np.float64)
    for number, words in enumerate(reasons):
        rows = np.flatnonzero(reason == number)
        if rows.size:
            share = 100 * work[rows].sum() / work.sum()
            first = first_few((f"job {workload.job[row]}" for row in rows), rows.size)
            repairs.append(Repair("dropped", f"{NEVER}{words} ({share:.2f} % of the work)", rows.size, first))
    if (reason >= 0).all():
        why = ", ".join(f"{each.jobs:,} {each.reason}" for each in repairs)
        raise InputError(f"none of {number_of(len(workload), 'job')} can run on the machine: {why}")
    rows = np.flatnonzero(reason < 0)
    return workload.take(rows, repairs=(*workload.repairs, *repairs), source=workload.source)
