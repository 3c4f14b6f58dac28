"""Which front belongs to which workload."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import InputError, first_few
from ..fronts.front import Front
from ..workload.workload import Workload


def assign(workloads: Sequence[Workload], fronts: Sequence[Front]) -> list[Front | None]:
    """Return for each workload the front that belongs to it: the one with its digest.

    Raises
    ------
    InputError
        A front belongs to none of the workloads, or two of them to one.
    """
    by_digest: dict[str, Front] = {}
    for front in fronts:
        if front.digest not in [workload.digest for workload in workloads]:
            raise foreign(front, workloads)
        if front.digest in by_digest:
            raise InputError(
                f"front must be one for each workload, but there are two of {front.workload}; "
                "they can be merged: paretosched front RUN1 RUN2 -o FRONT"
            )
        by_digest[front.digest] = front
    return [by_digest.get(workload.digest) for workload in workloads]


def foreign(front: Front, workloads: Sequence[Workload]) -> InputError:
    """Return the error for a front that belongs to none of the workloads."""
    rule = "the same workload" if len(workloads) == 1 else "one of the workloads"
    workload_names = first_few((f"{w.name} ({w.digest[:12]})" for w in workloads), len(workloads))
    return InputError(
        f"front must be of {rule}: jobs, capacity and groups, "
        f"but it is of {front.workload} ({front.digest[:12]}), not of {workload_names}; "
        "give the log with the capacity, groups and overrun of the front's run, or this run itself instead of the log"
    )
