"""How much of a machine was in use at one time at most, from what ran on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def largest_use(start: NDArray[Any], run: NDArray[Any], width: NDArray[Any]) -> int:
    """Return the largest sum of widths of jobs that ran at one time; a job that ends makes room in the same second.

    Parameters
    ----------
    start, run, width
        (n,) s, s, and processors or what else is counted.

    Examples
    --------
    >>> largest_use(np.array([0, 5, 9]), np.array([10, 4, 5]), np.array([2, 3, 4]))
    6
    """
    order = np.argsort(start, kind="stable")
    starts, begun = start[order], np.cumsum(width[order], dtype=np.int64)
    last = np.flatnonzero(np.append(starts[1:] != starts[:-1], True))  # of those that start in the same second
    starts, begun = starts[last], begun[last]
    del last
    end = start.astype(np.int64)
    end += run
    order = np.argsort(end, kind="stable")
    end = end[order]
    over = np.cumsum(width[order], dtype=np.int64)
    del order
    ended = np.searchsorted(end, starts, side="right")
    begun[ended > 0] -= over[ended[ended > 0] - 1]
    return int(begun.max())
