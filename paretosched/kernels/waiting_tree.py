"""Who among the waiting could start now, without asking everybody.

A binary tree keeps, for every subtree, the smallest width and the smallest estimate in it. A leaf stands for one slot;
in Greedy, for a bench of slots. The tree uses its lowest 2^level leaves only, under the root `top = size >> level`, so
that short queues have short ways.
"""

import numpy as np
from numba import njit

WIDTH, ESTIMATE = 0, 1
FAR = np.int64(2**62)


@njit(cache=True, nogil=True, _nrt=False)
def slots_for(jobs):
    """Give the smallest power of two that is at least `jobs`: the leaves of trees that can never be too small."""
    size = np.int64(1)
    while size < jobs:
        size *= 2
    return size


@njit(cache=True, nogil=True, _nrt=False)
def open_smallest(least, size, level):
    """Make the nodes that leaves 0..2^level - 1 need and 0..2^(level - 1) - 1 did not: empty."""
    first = (np.int64(1) << level) >> 1
    last = np.int64(1) << level
    base = np.int64(size)
    while last > first:
        for node in range(base + first, base + last):
            least[node, WIDTH] = FAR
            least[node, ESTIMATE] = FAR
        base >>= 1
        first >>= 1
        last >>= 1
    if level > 0:  # the new root stands above the old one
        top = size >> level
        least[top, WIDTH] = least[2 * top, WIDTH]
        least[top, ESTIMATE] = least[2 * top, ESTIMATE]


@njit(cache=True, nogil=True, _nrt=False)
def lower(least, leaf, top, width, estimate):
    """Put a job into a leaf."""
    node = leaf
    while node >= top and (width < least[node, WIDTH] or estimate < least[node, ESTIMATE]):
        least[node, WIDTH] = min(width, least[node, WIDTH])
        least[node, ESTIMATE] = min(estimate, least[node, ESTIMATE])
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def lift(least, leaf, top, width=FAR, estimate=FAR):
    """Take a job out of a leaf that then has these minima: none, if nobody is left."""
    least[leaf, WIDTH] = width
    least[leaf, ESTIMATE] = estimate
    node = leaf >> 1
    while node >= top:
        width = min(least[2 * node, WIDTH], least[2 * node + 1, WIDTH])
        estimate = min(least[2 * node, ESTIMATE], least[2 * node + 1, ESTIMATE])
        if width == least[node, WIDTH] and estimate == least[node, ESTIMATE]:
            break
        least[node, WIDTH] = width
        least[node, ESTIMATE] = estimate
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def next_startable(least, slot, top, size, free, extra, limit):
    """Find the lowest slot, from `slot` on, whose job could start; -1 if there is none.

    It must need at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.
    """
    if slot >= size // top:
        return np.int64(-1)
    node = slot + size
    while True:
        width = least[node, WIDTH]
        if width <= free and (width <= extra or least[node, ESTIMATE] <= limit):
            if node >= size:
                return node - size
            node *= 2
            continue
        while node != top and (node & 1) == 1:  # up, while this is the right half of what is above
            node >>= 1
        if node == top:
            return np.int64(-1)
        node += 1  # the right half beside it
