"""Cut a workload in time, to train a policy on one part and to test it on the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..core.arguments import number
from ..core.errors import InputError
from .workload import Workload, source_after

MONTH = 28 * 86400  # s
LEAST_MONTHS = 2


def split(workload: Workload, until: float) -> tuple[Workload, Workload]:
    """Return the two parts of a workload before and after a time; see `from_paths.split`."""
    if not 0 < number("until", until) < 1:
        raise InputError(f"until must be a share of the time between 0 and 1, but is {until:g}")
    first, last = int(workload.submit[0]), int(workload.submit[-1])
    cut = int(np.searchsorted(workload.submit, first + until * (last - first), side="right"))
    if cut == len(workload):
        raise InputError(f"{workload.name}: all jobs are submitted at once, so that it cannot be cut in time")
    rows = np.arange(len(workload))
    sources = [source_after(workload, "split", until=until, part=part) for part in range(2)]
    return (
        workload.take(rows[:cut], name=f"{workload.name} to {100 * until:g} %", source=sources[0]),
        workload.take(rows[cut:], name=f"{workload.name} from {100 * until:g} %", source=sources[1]),
    )


def months(workload: Workload) -> list[Workload]:
    """Return the parts of a workload by the time of submission, of nearly four weeks each; none if it lasts for one.

    They are of equal length, so that none is a remainder of days; a part without a job is left out.
    """
    first, last = int(workload.submit[0]), int(workload.submit[-1])
    count = round((last - first) / MONTH)
    if count < LEAST_MONTHS:
        return []
    cuts = np.searchsorted(workload.submit, np.linspace(first, last + 1, count + 1))
    return [
        workload.take(np.arange(begin, end), name=f"{workload.name}, month {number}")
        for number, (begin, end) in enumerate(pairwise(cuts.tolist()), 1)
        if end > begin
    ]
