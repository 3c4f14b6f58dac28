"""How much of a machine was in use, for how long, and whether its size can be right, from what ran on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Ints
from ..core.errors import number_of

USUAL = 0.99  # share of the time, for which so much is
RARE = 0.95  # or less of the largest use, is worth a remark
MOST_LOAD = 1.2  # offered to a machine that does what is submitted, before its size is doubted
WINDOWS = 16  # of time, looked at one after the other, so that memory is that of some of the jobs


def in_units(size: int, unit: str) -> str:
    """Return a size with what it counts.

    Examples
    --------
    >>> in_units(2, "cpus"), in_units(1, "units of 1/10 GPU")
    ('2 cpus', '1 unit of 1/10 GPU')
    >>> in_units(1, "processors")
    '1 processor'
    """
    head, of, whole = unit.partition(" of ")
    return number_of(size, f"{head.removesuffix('s')}{of}{whole}")


def use_over_time(start: NDArray[Any], run: NDArray[Any], width: NDArray[Any]) -> tuple[Ints, Ints]:
    """Return how much was in use, ascending, and for how many seconds each, (u,) int64 both.

    From the first start to the last end; a job that ends makes room in the same second.

    Parameters
    ----------
    start, run, width
        (n,) s, s, and processors or what else is counted; every job runs for a second at least.

    Examples
    --------
    >>> use_over_time(np.array([0, 5, 9]), np.array([10, 4, 5]), np.array([2, 3, 4]))
    (array([2, 4, 5, 6]), array([5, 4, 4, 1]))
    """
    if not start.size:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    end = start.astype(np.int64)
    end += run
    first, last = int(start.min()), int(end.max()) + 1
    length = -(-(last - first) // WINDOWS)
    use, since = 0, first
    levels, lasted = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for low in range(first, last, length):
        begins, ends = ((low <= times) & (times < low + length) for times in (start, end))
        times = np.concatenate((start[begins], end[ends]))
        if not times.size:
            continue
        change = np.concatenate((width[begins].astype(np.int64), -width[ends].astype(np.int64)))
        order = np.argsort(times, kind="stable")
        in_use, times = np.append(use, use + np.cumsum(change[order])), np.append(since, times[order])
        use, since = int(in_use[-1]), int(times[-1])
        seen = np.append(levels, in_use[:-1])
        levels, place = np.unique(seen, return_inverse=True)
        lasted = np.bincount(place, np.append(lasted, np.diff(times))).astype(np.int64)
    return levels[lasted > 0], lasted[lasted > 0]


def usual_use(capacity: int, levels: Ints, lasted: Ints) -> str:
    """Return the end of a sentence on a size that was taken from its use: how rare such a use was; "" if it was usual.

    Examples
    --------
    >>> usual_use(6, np.array([2, 4, 6]), np.array([500, 499, 1]))
    ', and 99 % of the time at most 4'
    """
    if not levels.size:
        return ""
    usual = int(levels[np.searchsorted(np.cumsum(lasted), USUAL * lasted.sum())])
    return f", and {100 * USUAL:g} % of the time at most {usual:,}" if usual < RARE * capacity else ""


def remark_of_largest(capacity: int, unit: str, levels: Ints, lasted: Ints) -> str:
    """Return that the size of a machine was taken from its use, and how rare such a use was, if it was rare.

    Examples
    --------
    >>> remark_of_largest(6, "cpus", np.array([2, 4, 6]), np.array([500, 499, 1]))
    'machine of 6 cpus: the largest use at one time, and 99 % of the time at most 4; --capacity N for another size'
    """
    rare = usual_use(capacity, levels, lasted)
    return f"machine of {in_units(capacity, unit)}: the largest use at one time{rare}; --capacity N for another size"


def remark_of_wider(capacity: int, unit: str, share: float) -> list[str]:
    """Return that jobs are wider than a size that was given, with a share of all work, 0 to 1; none if there is none.

    Examples
    --------
    >>> print(*remark_of_wider(5, "cpus", 0.25))
    jobs wider than 5 cpus are dropped, with 25.00 % of all work; --capacity N if it is larger
    """
    words = f"{in_units(capacity, unit)} are dropped, with {100 * share:.2f} % of all work"
    return [f"jobs wider than {words}; --capacity N if it is larger"] if share else []


def doubt_of_use(capacity: int, unit: str, levels: Ints, lasted: Ints, condition: str = "") -> list[str]:
    """Return up to how much more was in use than a machine has, and for how long; none if it never was.

    Parameters
    ----------
    capacity, unit
        The size of the machine, and what it counts.
    levels, lasted
        As of `use_over_time`, of the jobs that are not wider.
    condition
        Under which this is so; "" for none.

    Examples
    --------
    >>> print(*doubt_of_use(5, "cpus", np.array([2, 4, 6]), np.array([500, 499, 1])))
    RECORDED USE ABOVE THE MACHINE: up to 6 of 5 cpus, for 0.10 % of the time; --capacity N for another size
    """
    more = levels > capacity
    if not more.any():
        return []
    share = 100 * float(lasted[more].sum() / lasted.sum())
    often = f"{share:.2f} %" if share >= 0.005 else "less than 0.01 %"
    used = f"up to {int(levels[-1]):,} of {in_units(capacity, unit)}, for {often} of the time{condition}"
    return [f"RECORDED USE ABOVE THE MACHINE: {used}; --capacity N for another size"]


def doubt_of_load(load: float | None, capacity: int, unit: str) -> list[str]:
    """Return that far more work is offered than a machine can do; none if it is not, or `load` is None, undefined.

    Examples
    --------
    >>> print(*doubt_of_load(2.5, 5, "cpus"))
    OFFERED LOAD 2.50: 5 cpus can do 40 % of the work until the last submission; --capacity N if there were more
    """
    if load is None or load <= MOST_LOAD:
        return []
    share = f"{in_units(capacity, unit)} can do {100 / load:.2g} % of the work until the last submission"
    return [f"OFFERED LOAD {load:,.2f}: {share}; --capacity N if there were more"]
