"""How much of a machine was in use, and for how long, from what ran on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints

USUAL = 0.99  # share of the time, for which so much is
RARE = 0.95  # or less of the largest use, is worth a remark
WINDOWS = 16  # of time, looked at one after the other, so that memory is that of some of the jobs


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


def remark_of_largest(capacity: int, unit: str, levels: Ints, lasted: Ints) -> str:
    """Return that the size of a machine was taken from its use, and how rare such a use was, if it was rare.

    Examples
    --------
    >>> remark_of_largest(6, "cpus", np.array([2, 4, 6]), np.array([500, 499, 1]))
    'machine of 6 cpus: the largest use at one time, and 99 % of the time at most 4; --capacity N for another size'
    """
    usual = int(levels[np.searchsorted(np.cumsum(lasted), USUAL * lasted.sum())])
    rare = f", and {100 * USUAL:g} % of the time at most {usual:,}" if usual < RARE * capacity else ""
    return f"machine of {capacity:,} {unit}: the largest use at one time{rare}; --capacity N for another size"


def remarks_on_size(capacity: int, unit: str, levels: Ints, lasted: Ints, too_wide: float) -> list[str]:
    """Return where a size that was given does not go with the jobs: they were wider, or used more at one time.

    Parameters
    ----------
    capacity, unit
        The size of the machine, and what it counts.
    levels, lasted
        As of `use_over_time`, of the jobs that are not wider.
    too_wide
        The share of the work in jobs that are.

    Examples
    --------
    >>> remarks_on_size(5, "cpus", np.array([2, 4, 6]), np.array([500, 499, 1]), 0.0)
    ['machine of 5 cpus: what was recorded used more for 0.10 % of the time, up to 6; is this its size?']
    """
    remarks = []
    if too_wide:
        share = f"{100 * too_wide:.2f} % of all work"
        remarks = [f"jobs wider than {capacity:,} {unit} are dropped, with {share}; --capacity N if it is larger"]
    more = levels > capacity
    if more.any():
        share = f"{100 * float(lasted[more].sum() / lasted.sum()):.2f} % of the time"
        used = f"what was recorded used more for {share}, up to {int(levels[-1]):,}"
        remarks.append(f"machine of {capacity:,} {unit}: {used}; is this its size?")
    return remarks
