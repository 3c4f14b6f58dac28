"""Who waits, in orders of all jobs that are fixed before the simulation: nothing is sorted when somebody comes or goes.

For each order that is kept, a bit says of every place whether the job there waits, and a tree of the smallest
(`waiting_tree.py`) stands over benches of 32 places: small enough to stay in the cache, however long the workload.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .waiting_tree import ESTIMATE, FAR, WIDTH, lift, lower, next_startable

BENCH = 32  # places; a power of two, and bits of an int64 that is never negative
BITS = 5

# The place of the lowest of 32 bits: this number, shifted by each, has its five highest bits all different.
DE_BRUIJN = 0x077CB531
PLACE_OF_BIT = np.empty(BENCH, np.int64)
for _bit in range(BENCH):
    PLACE_OF_BIT[((DE_BRUIJN << _bit) & 0xFFFFFFFF) >> 27] = _bit


class Places(NamedTuple):
    """The queue in several orders.

    Attributes
    ----------
    kept
        (orders,) bool, whether an order is kept up.
    row, place
        (orders, n) int32, the row of the job at each place, and the place of each job.
    bits
        (orders, size) int64, who waits on each bench.
    least
        (orders, 2 * size, 2) int64, trees of the smallest over the benches, of root 1.
    """

    kept: NDArray[np.bool_]
    row: NDArray[np.int32]
    place: NDArray[np.int32]
    bits: NDArray[np.int64]
    least: NDArray[np.int64]


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lowest(bits):
    """Give the place of the lowest bit that is set, one of the lower 32."""
    return PLACE_OF_BIT[(((bits & -bits) * DE_BRUIJN) & 0xFFFFFFFF) >> 27]


@njit(cache=True, nogil=True, _nrt=False)
def enter(queue, jobs, j):
    """Let a job wait in every order."""
    size = queue.bits.shape[1]
    for o in range(queue.kept.size):
        if queue.kept[o]:
            place = np.int64(queue.place[o, j])
            bench = place >> BITS
            queue.bits[o, bench] |= np.int64(1) << (place & (BENCH - 1))
            lower(queue.least[o], bench + size, 1, jobs.width[j], jobs.estimate[j])


@njit(cache=True, nogil=True, _nrt=False)
def leave(queue, jobs, j):
    """Let a job wait no more in any order."""
    size = queue.bits.shape[1]
    for o in range(queue.kept.size):
        if queue.kept[o]:
            place = np.int64(queue.place[o, j])
            bench = place >> BITS
            queue.bits[o, bench] ^= np.int64(1) << (place & (BENCH - 1))
            leaf = bench + size
            if jobs.width[j] > queue.least[o, leaf, WIDTH] and jobs.estimate[j] > queue.least[o, leaf, ESTIMATE]:
                continue
            width = FAR
            estimate = FAR
            bits = queue.bits[o, bench]
            while bits > 0:
                k = queue.row[o, (bench << BITS) + lowest(bits)]
                width = min(width, jobs.width[k])
                estimate = min(estimate, jobs.estimate[k])
                bits &= bits - 1
            lift(queue.least[o], leaf, 1, width, estimate)


@njit(cache=True, nogil=True, _nrt=False)
def next_waiting(queue, o, place):
    """Find the first place of order o, from `place` on, whose job waits; -1 if there is none."""
    size = queue.bits.shape[1]
    bench = place >> BITS
    if bench >= size:
        return np.int64(-1)
    bits = queue.bits[o, bench] >> (place & (BENCH - 1))
    if bits > 0:
        return place + lowest(bits)
    bench = next_startable(queue.least[o], bench + 1, 1, size, FAR - 1, FAR - 1, FAR)
    if bench < 0:
        return bench
    return (bench << BITS) + lowest(queue.bits[o, bench])


@njit(cache=True, nogil=True, _nrt=False)
def next_fitting(queue, jobs, o, place, free, extra, limit):
    """Find the first place of order o, from `place` on, whose job waits and could start; -1 if there is none.

    It must need at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.
    """
    size = queue.bits.shape[1]
    bench = place >> BITS
    if bench >= size:
        return np.int64(-1)
    bits = (queue.bits[o, bench] >> (place & (BENCH - 1))) << (place & (BENCH - 1))
    while True:
        while bits > 0:
            place = (bench << BITS) + lowest(bits)
            j = queue.row[o, place]
            if jobs.width[j] <= free and (jobs.width[j] <= extra or jobs.estimate[j] <= limit):
                return place
            bits &= bits - 1
        bench = next_startable(queue.least[o], bench + 1, 1, size, free, extra, limit)
        if bench < 0:
            return bench
        bits = queue.bits[o, bench]
