"""The tree of the smallest: which waiting jobs could start now, without a look at all of them.

A binary tree has, for every subtree, the smallest width and the smallest estimate in it. A leaf is one slot; in Greedy,
it is a bench of slots. The tree uses only its lowest 2^level leaves, under the root `top = size >> level`, so that
short queues have short ways.
"""

from ..core.arrays import Int, Ints
from .compiling import njit

WIDTH, ESTIMATE = 0, 1
FAR = 2**62


@njit(cache=True, nogil=True, _nrt=False)
def slots_for(jobs: Int) -> Int:
    """Return the smallest power of two that is at least `jobs`: the number of leaves of a tree for so many jobs."""
    size = 1
    while size < jobs:
        size *= 2
    return size


@njit(cache=True, nogil=True, _nrt=False)
def open_smallest(least: Ints, size: Int, level: Int) -> None:
    """Set up, without jobs, the nodes that leaves 0..2^level - 1 need and leaves 0..2^(level - 1) - 1 do not.

    Parameters
    ----------
    least
        (2 * size, 2) int64, the tree, modified in place.
    size, level
        Leaves of the whole tree, a power of two; and the level from now on.
    """
    first = (1 << level) >> 1
    last = 1 << level
    base = size
    while last > first:
        for node in range(base + first, base + last):
            least[node, WIDTH] = FAR
            least[node, ESTIMATE] = FAR
        base >>= 1
        first >>= 1
        last >>= 1
    if level > 0:  # the new root is the parent of the old root
        top = size >> level
        least[top, WIDTH] = least[2 * top, WIDTH]
        least[top, ESTIMATE] = least[2 * top, ESTIMATE]


@njit(cache=True, nogil=True, _nrt=False)
def lower(least: Ints, leaf: Int, top: Int, width: Int, estimate: Int) -> None:
    """Add a job to a leaf.

    Parameters
    ----------
    least
        (2 * size, 2) int64, the tree, modified in place.
    leaf, top
        Nodes: the leaf of the job, and the root in use.
    width, estimate
        Width and estimate of the job: processors and s.
    """
    node = leaf
    while node >= top and (width < least[node, WIDTH] or estimate < least[node, ESTIMATE]):
        least[node, WIDTH] = min(width, least[node, WIDTH])
        least[node, ESTIMATE] = min(estimate, least[node, ESTIMATE])
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def lift(least: Ints, leaf: Int, top: Int, width: Int = FAR, estimate: Int = FAR) -> None:
    """Remove a job from a leaf.

    Parameters
    ----------
    least
        (2 * size, 2) int64, the tree, modified in place.
    leaf, top
        Nodes: the leaf of the job, and the root in use.
    width, estimate
        The smallest width and estimate of the jobs that are left in the leaf; FAR if no job is left.
    """
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
def next_startable(least: Ints, slot: Int, top: Int, size: Int, free: Int, extra: Int, limit: Int) -> Int:
    """Return the lowest slot, from `slot` on, whose job could start; -1 if there is none.

    Such a job needs at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.

    Parameters
    ----------
    least
        (2 * size, 2) int64, the tree.
    slot
        The first slot that is tried.
    top, size
        The root in use, and the leaves of the whole tree.
    free, extra, limit
        Processors, processors and s, see above.
    """
    if slot >= size // top:
        return -1
    node = slot + size
    while True:
        width = least[node, WIDTH]
        if width <= free and (width <= extra or least[node, ESTIMATE] <= limit):
            if node >= size:
                return node - size
            node *= 2
            continue
        while node != top and (node & 1) == 1:  # go up while this is the right child of its parent
            node >>= 1
        if node == top:
            return -1
        node += 1  # its right neighbour
