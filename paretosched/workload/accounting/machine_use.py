"""How much of a machine was in use at one time at most, from what ran on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

WINDOWS = 16  # of time, looked at one after the other, so that memory is that of some of the jobs


def largest_use(start: NDArray[Any], run: NDArray[Any], width: NDArray[Any]) -> int:
    """Return the largest sum of widths of jobs that ran at one time; a job that ends makes room in the same second.

    Parameters
    ----------
    start, run, width
        (n,) s, s, and processors or what else is counted; every job runs for a second at least.

    Examples
    --------
    >>> largest_use(np.array([0, 5, 9]), np.array([10, 4, 5]), np.array([2, 3, 4]))
    6
    """
    end = start.astype(np.int64)
    end += run
    first, last = int(start.min()), int(end.max()) + 1
    length = -(-(last - first) // WINDOWS)
    use = most = 0
    for low in range(first, last, length):
        begins, ends = ((low <= times) & (times < low + length) for times in (start, end))
        times = np.concatenate((start[begins], end[ends]))
        if not times.size:
            continue
        change = np.concatenate((width[begins].astype(np.int64), -width[ends].astype(np.int64)))
        order = np.argsort(times, kind="stable")
        in_use, times = use + np.cumsum(change[order]), times[order]
        of_second = np.append(times[1:] != times[:-1], True)  # after all that happens in it
        use, most = int(in_use[-1]), max(most, int(in_use[of_second].max()))
    return most
