"""Cut a workload in time, to train a policy on one part and to test it on the other."""

from __future__ import annotations

import numpy as np

from ..core.arguments import number
from ..core.errors import InputError
from .workload import Workload, source_after


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
