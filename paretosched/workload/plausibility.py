"""What the jobs of a log say against the size of its machine, and how much work they offer to it."""

from __future__ import annotations

import numpy as np

from .log_lines import RUN
from .machine_use import MOST_LOAD, doubt_of_load, doubt_of_use, in_units, use_over_time
from .swf import ALL_ZERO, TOO_WIDE, UNNAMED
from .workload import Workload


def doubts(workload: Workload) -> tuple[str, ...]:
    """Return what speaks against the size of the machine, one sentence each, the most important first.

    The log did not name the machine; more was in use at one time, by the recorded waits and run times, or jobs are
    wider; or more work is offered than any machine of this size can do. None of them if nothing does.

    Examples
    --------
    >>> w = Workload(submit=[0, 5], run=[10, 10], estimate=[10, 10], width=[4, 3], capacity=4, wait=[0, 1])
    >>> for sentence in doubts(w):
    ...     print(sentence)
    RECORDED USE ABOVE THE MACHINE: up to 7 of 4 processors, for 25.00 % of the time; --capacity N for another size
    OFFERED LOAD 3.50: 4 processors can do 29 % of the work until the last submission; --capacity N if there were more
    """
    capacity, unit = workload.capacity, "processors"
    reasons = [repair.reason for repair in workload.repairs]
    taken = [reason.removeprefix(UNNAMED) for reason in reasons if reason.startswith(UNNAMED)]
    lines = [f"MACHINE NOT NAMED: {words}; --capacity N names another size" for words in taken]
    known = workload.wait >= 0
    if known.any():
        run = workload.run if workload.records is None else workload.records.column(RUN)  # before it was cut
        start = (workload.eligible + workload.wait)[known]
        levels, lasted = use_over_time(start, np.maximum(run[known], 1).astype(np.int64), workload.width[known])
        lines += doubt_of_use(capacity, unit, levels, lasted, "" if workload.wait.max() > 0 else ALL_ZERO)
    wider = sum(repair.jobs for repair in workload.repairs if repair.reason.startswith(TOO_WIDE))
    if wider:
        lines.append(
            f"JOBS WIDER THAN THE MACHINE of {in_units(capacity, unit)}: {wider:,} dropped; --capacity N if it has more"
        )
    lines += [*doubt_of_load(offered_load(workload), capacity, unit), *doubt_of_resources(workload)]
    if workload.machine is not None:  # its nodes say how large it is
        lines = [line.partition("; --capacity")[0] for line in lines]
    return tuple(lines)


def offered_load(workload: Workload) -> float | None:
    """Return the offered load until the last submission; None if all jobs are submitted at once.

    Examples
    --------
    >>> offered_load(Workload(submit=[0, 10], run=[5, 5], estimate=[5, 5], width=[2, 2], capacity=4))
    0.5
    """
    span = int(workload.submit[-1] - workload.submit[0])
    return workload.work / (workload.capacity * span) if span else None


def offered_loads(workload: Workload) -> dict[str, float]:
    """Return the offered load of memory and GPUs until the last submission, as far as nodes give them out."""
    span = int(workload.submit[-1] - workload.submit[0])
    shares = workload.resource_shares if span else {}
    return {what: float(workload.run.astype(np.float64) @ share) / span for what, share in shares.items()}


def doubt_of_resources(workload: Workload) -> list[str]:
    """Return of which of memory and GPUs far more is asked for than the nodes have; none if that is so of none."""
    return [
        f"OFFERED LOAD of {what} {load:,.2f}: the nodes can do {100 / load:.2g} % of it until the last submission"
        for what, load in offered_loads(workload).items()
        if load > MOST_LOAD
    ]
