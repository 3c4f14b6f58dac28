"""One job at a time, the widest first: the earliest schedule of jobs that cannot run side by side."""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .running import bits_for, pop, push


@njit(cache=True, nogil=True)
def widest_first(submit: Ints, run: Ints, width: Ints, pieces: Ints) -> Int:
    """Fill `pieces` with the preemptive schedule that always runs the widest submitted job, and no other job.

    Parameters
    ----------
    submit, run
        (n,) int64, s, sorted by submission.
    width
        (n,) int64, processors.
    pieces
        (4, 2 n) int64, filled in place from the left, in the order of time: the begin of a piece, s, its length, s, its
        width, and its delay, s: how much later it begins than if its job had run without waiting.

    Returns
    -------
    int
        The number of pieces.
    """
    n = submit.size
    return _widest_first(submit, run, width, pieces, np.empty(n, np.int64), run.copy())


@njit(cache=True, nogil=True, _nrt=False)
def _widest_first(submit: Ints, run: Ints, width: Ints, pieces: Ints, heap: Ints, left: Ints) -> Int:
    """Do the work of `widest_first` without allocating memory.

    Parameters
    ----------
    submit, run, width, pieces
        As for `widest_first`.
    heap
        (n,) int64, work space: the waiting jobs, packed (largest width - width, row).
    left
        (n,) int64, s, the run times; modified in place: the time that each job still has to run.

    Returns
    -------
    int
        The number of pieces.
    """
    n = submit.size
    bits = bits_for(np.int64(n))
    mask = (np.int64(1) << bits) - 1
    widest = np.int64(0)
    for j in range(n):
        widest = max(widest, width[j])
    count = 0
    waiting = 0
    arrivals = 0
    t = np.int64(0)
    while arrivals < n or waiting > 0:
        if waiting == 0:
            t = max(t, submit[arrivals])
        while arrivals < n and submit[arrivals] <= t:
            push(heap, waiting, ((widest - width[arrivals]) << bits) | arrivals)
            waiting += 1
            arrivals += 1
        j = heap[0] & mask
        length = left[j]
        if arrivals < n:
            length = min(length, submit[arrivals] - t)
        # Every piece ends with the end of a job or with an arrival, so that there are at most 2 n pieces.
        pieces[0, count] = t
        pieces[1, count] = length
        pieces[2, count] = width[j]
        pieces[3, count] = t - submit[j] - (run[j] - left[j])
        count += 1
        left[j] -= length
        if left[j] == 0:
            pop(heap, waiting)
            waiting -= 1
        t += length
    return count
