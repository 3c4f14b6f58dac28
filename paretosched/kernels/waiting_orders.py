"""The waiting jobs, in orders of all jobs that are fixed before the simulation, so that events sort nothing.

Each order that is in use has a bit for every place: whether the job there waits. A tree of the smallest
(`waiting_tree.py`) is built over benches of 32 places: small enough to stay in the cache for any workload.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Mask, Order
from .compiling import njit
from .inputs import Jobs
from .waiting_tree import ESTIMATE, FAR, WIDTH, lift, lower, next_startable

BENCH = 32  # places; a power of two, and bits of an int64 that is never negative
BITS = 5

# The place of the lowest of 32 bits: this number, shifted by 0..31, has 32 different values of its five highest bits.
DE_BRUIJN = 0x077CB531
PLACE_OF_BIT = np.empty(BENCH, np.int64)
for _bit in range(BENCH):
    PLACE_OF_BIT[((DE_BRUIJN << _bit) & 0xFFFFFFFF) >> 27] = _bit


class Places(NamedTuple):
    """The queue in several orders.

    Attributes
    ----------
    in_use
        (orders,) bool, whether an order is in use.
    row, place
        (orders, n) int32, the row of the job at each place, and the place of each job.
    bits
        (orders, size) int64, a bit for each place of a bench: whether its job waits.
    least
        (orders, 2 * size, 2) int64, trees of the smallest over the benches, of root 1.
    """

    in_use: Mask
    row: Order
    place: Order
    bits: Ints
    least: Ints


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lowest(bits: Int) -> Int:
    """Return the place of the lowest one of `bits` that is set, 0..31."""
    place: Int = PLACE_OF_BIT[(((bits & -bits) * DE_BRUIJN) & 0xFFFFFFFF) >> 27]
    return place


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def row_at(queue: Places, o: Int, place: Int) -> Int:
    """Return the row of the job at a place of order o of `queue`."""
    return np.int64(queue.row[o, place])


@njit(cache=True, nogil=True, _nrt=False)
def enter(queue: Places, jobs: Jobs, j: Int) -> None:
    """Add job j of `jobs` to every order; `queue` is modified in place."""
    size = queue.bits.shape[1]
    for o in range(queue.in_use.size):
        if queue.in_use[o]:
            place = np.int64(queue.place[o, j])
            bench = place >> BITS
            queue.bits[o, bench] |= 1 << (place & (BENCH - 1))
            lower(queue.least[o], bench + size, 1, jobs.width[j], jobs.estimate[j])


@njit(cache=True, nogil=True, _nrt=False)
def leave(queue: Places, jobs: Jobs, j: Int) -> None:
    """Remove job j of `jobs` from every order; `queue` is modified in place."""
    size = queue.bits.shape[1]
    for o in range(queue.in_use.size):
        if queue.in_use[o]:
            place = np.int64(queue.place[o, j])
            bench = place >> BITS
            queue.bits[o, bench] ^= 1 << (place & (BENCH - 1))
            leaf = bench + size
            if jobs.width[j] > queue.least[o, leaf, WIDTH] and jobs.estimate[j] > queue.least[o, leaf, ESTIMATE]:
                continue
            width: Int = FAR
            estimate: Int = FAR
            bits = queue.bits[o, bench]
            while bits > 0:
                k = queue.row[o, (bench << BITS) + lowest(bits)]
                width = min(width, jobs.width[k])
                estimate = min(estimate, jobs.estimate[k])
                bits &= bits - 1
            lift(queue.least[o], leaf, 1, width, estimate)


@njit(cache=True, nogil=True, _nrt=False)
def next_waiting(queue: Places, o: Int, place: Int) -> Int:
    """Return the first place of order o of `queue`, from `place` on, whose job waits; -1 if there is none."""
    size = queue.bits.shape[1]
    bench = place >> BITS
    if bench >= size:
        return -1
    bits = queue.bits[o, bench] >> (place & (BENCH - 1))
    if bits > 0:
        return place + lowest(bits)
    bench = next_startable(queue.least[o], bench + 1, 1, size, FAR - 1, FAR - 1, FAR)
    if bench < 0:
        return bench
    return (bench << BITS) + lowest(queue.bits[o, bench])


@njit(cache=True, nogil=True, _nrt=False)
def next_fitting(queue: Places, jobs: Jobs, o: Int, place: Int, free: Int, extra: Int, limit: Int) -> Int:
    """Return the first place of order o, from `place` on, whose job waits and could start; -1 if there is none.

    Such a job needs at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.

    Parameters
    ----------
    queue, jobs
        `Places` and `Jobs`.
    o, place
        The order, and the first place that is tried.
    free, extra, limit
        Processors, processors and s, see above.
    """
    size = queue.bits.shape[1]
    bench = place >> BITS
    if bench >= size:
        return -1
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
