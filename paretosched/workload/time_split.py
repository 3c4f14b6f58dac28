"""Cut a workload in time, to train a policy on one part and to test it on the other."""

from __future__ import annotations

import numpy as np

from ..core.arguments import number
from ..core.errors import InputError
from .workload import Workload, source_after


def split(workload: Workload, until: float) -> tuple[Workload, Workload]:
    """Return the two parts of a workload before and after a time.

    Both parts keep clock, machine and groups: a user stays in the group that follows from all jobs. Each part begins
    on an empty machine; jobs of the first part that still run or wait at the cut are not in the second part.

    Parameters
    ----------
    workload
        Any workload.
    until
        The time of the cut, from 0, the first submission, to 1, the last one. Jobs submitted later are the second
        part.

    Returns
    -------
    first, rest : Workload
        Named "... to 70 %" and "... from 70 %".

    Raises
    ------
    InputError
        `until` is not between 0 and 1, or there is no job after it.

    Examples
    --------
    >>> w = Workload(submit=[0, 70, 71, 100], run=[1] * 4, estimate=[1] * 4, width=[1] * 4, capacity=1, name="w")
    >>> [(part.name, part.submit.tolist()) for part in split(w, 0.7)]
    [('w to 70 %', [0, 70]), ('w from 70 %', [71, 100])]
    """
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
