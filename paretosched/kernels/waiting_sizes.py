"""The shortest waiting job of each range of widths: a tree that leads to jobs that are narrow and short at once.

The tree of the smallest (`waiting_tree.py`) knows the narrowest and the shortest job below a node. These can be two
jobs, of which none could start: if small jobs are long and short jobs are wide, a search with it visits all of them.
Here each node has the shortest estimate for each of 16 ranges of widths, so that only widths within a range are mixed
up. It takes as much memory as eight trees of the smallest; so it is for deep queues.
"""

from ..core.arrays import Int, Ints, Order
from .compiling import njit

RANGES = 16  # their 4-byte estimates fill a line of the cache
LONGEST = 2**31 - 2  # s; longer estimates count as this
NO_JOB = 2**31 - 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def length_of(estimate: Int) -> Int:
    """Return an estimate, s, as it stands in the tree."""
    return min(estimate, LONGEST)


@njit(cache=True, nogil=True, _nrt=False)
def shorten(shortest: Order, leaf: Int, top: Int, size: Int, length: Int) -> None:
    """Add a job to a leaf.

    Parameters
    ----------
    shortest
        (nodes, 16) int32, the tree, modified in place: s.
    leaf, top
        Nodes: the leaf of the job, and the root in use.
    size, length
        The range of the job's width, and its estimate, s, see `length_of`.
    """
    node = leaf
    while node >= top and length < shortest[node, size]:
        shortest[node, size] = length
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def lengthen(shortest: Order, leaf: Int, top: Int, size: Int, length: Int = NO_JOB) -> None:
    """Remove a job from a leaf.

    Parameters
    ----------
    shortest
        (nodes, 16) int32, the tree, modified in place: s.
    leaf, top
        Nodes: the leaf of the job, and the root in use.
    size, length
        The range of the job's width, and the smallest estimate of the jobs in this range that are left in the leaf.
    """
    shortest[leaf, size] = length
    node = leaf >> 1
    while node >= top:
        least = min(shortest[2 * node, size], shortest[2 * node + 1, size])
        if least == shortest[node, size]:
            break
        shortest[node, size] = least
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def any_short(shortest: Order, edges: Ints, node: Int, widest: Int, length: Int) -> bool:
    """Return whether some job below a node may be narrow and short enough; no such job is missed.

    Parameters
    ----------
    shortest, edges
        (nodes, 16) int32, the tree, s; and (16,) int64, the ranges, processors.
    node
        A node.
    widest, length
        The largest width and estimate: processors and s.
    """
    short = False
    for i in range(RANGES):
        short |= edges[i] <= widest and shortest[node, i] <= length
    return short
