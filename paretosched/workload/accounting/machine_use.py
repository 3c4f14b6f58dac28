"""How much of a machine was in use at one time at most, from what ran on it."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Ints


def largest_use(start: Ints, run: Ints, width: Ints) -> int:
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
    starts, begun = start[order], np.cumsum(width[order])
    end = start + run
    order = np.argsort(end, kind="stable")
    ends, over = end[order], np.concatenate([[0], np.cumsum(width[order])])
    last = np.flatnonzero(np.append(starts[1:] != starts[:-1], True))  # of those that start in the same second
    in_use = begun[last] - over[np.searchsorted(ends, starts[last], side="right")]
    return int(in_use.max())
