"""The shortest waiting job of each width, by blocks of slots: the first job that is narrow and short enough at once.

The tree of the smallest (`waiting_tree.py`) knows the narrowest and the shortest job below a node. These can be two
jobs, of which none could start: what is left in a deep queue is either narrow and too long, or short and too wide, and
a search with that tree alone visits all of it. Here a node over a block of slots, or over several of them, has a row
with the shortest estimate of each width. So it is exact: below a node that a search enters there is a job that could
start, and where there is none the root says so. Only inside a block the tree of the smallest leads on.

Widths that were not seen when the rows were set up, and those beyond the first 1,024, share the column of the next
narrower one. If not all widths of a column fit, it has a list of its jobs, which is short: one of a thousand.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Order
from .compiling import njit
from .waiting_sizes import NO_JOB, length_of
from .waiting_tree import ESTIMATE, FAR, WIDTH

BITS = 7
BLOCK = 1 << BITS  # slots; with it, 1,024 columns take 64 bytes a slot
MOST = 1024  # columns
SPREAD = 0x9E3779B1  # odd, so that its multiples come to every slot of a tree, and soon to all parts of it


class Widths(NamedTuple):
    """The rows.

    Attributes
    ----------
    shortest
        (2 * blocks, columns) int32, s: the shortest estimate of each column below a node of the tree of the smallest
        that is over one block or more; nodes have the same numbers in both.
    edges, widest
        (columns,) int64, processors: where each column begins, ascending, and the widest job it has had.
    columns
        (1,) int64, the columns in use; 0 if the rows are not set up.
    head, tail, behind
        (columns,), (columns,) and (size,) int64, lists of the jobs of each column: its first and its last slot, and the
        slot behind each; -1 for none. Jobs that no longer wait are dropped when a search meets them.
    """

    shortest: Order
    edges: Ints
    widest: Ints
    columns: Ints
    head: Ints
    tail: Ints
    behind: Ints


def no_widths(size: Int, capacity: Int) -> Widths:
    """Return work space for a tree of the smallest with `size` leaves, on a machine of `capacity` processors."""
    columns = min(MOST, capacity)
    # Only the part that the longest queue needs is touched.
    return Widths(
        np.empty((2 * max(1, size >> BITS), columns), np.int32),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.zeros(1, np.int64),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
        np.empty(size, np.int64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def column_of(widths: Widths, width: Int) -> Int:
    """Return the column of a width, or how many columns of `widths` begin at most there, less 1."""
    low = 0
    high = widths.columns[0]
    while high - low > 1:
        middle = (low + high) >> 1
        if widths.edges[middle] <= width:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, _nrt=False)
def set_up_widths(widths: Widths, least: Ints, level: Int, size: Int) -> None:
    """Set up the rows for the jobs that wait.

    Parameters
    ----------
    widths
        `Widths`, modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest.
    level, size
        The level of the tree of the smallest, BITS or more, and the leaves of a whole tree.
    """
    shortest = widths.shortest
    _choose_columns(widths, least, level, size)
    count = widths.columns[0]
    widths.widest[:count] = 0
    widths.head[:count] = -1
    blocks = 1 << (level - BITS)
    first = size >> BITS  # the node of the first block
    for node in range(first, first + blocks):
        shortest[node, :count] = NO_JOB
    for leaf in range(size, size + (1 << level)):
        if least[leaf, WIDTH] < FAR:
            enter_widths(widths, leaf, first, size, least[leaf, WIDTH], least[leaf, ESTIMATE])
    while blocks > 1:
        first >>= 1
        blocks >>= 1
        for node in range(first, first + blocks):
            for k in range(count):
                shortest[node, k] = min(shortest[2 * node, k], shortest[2 * node + 1, k])


@njit(cache=True, nogil=True, _nrt=False)
def _choose_columns(widths: Widths, least: Ints, level: Int, size: Int) -> None:
    """Give each width of the jobs that wait a column; those of some of the jobs, if there are too many.

    Parameters
    ----------
    widths
        `Widths`, modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest.
    level, size
        As for `set_up_widths`.
    """
    edges, columns = widths.edges, widths.columns
    edges[0] = 1
    columns[0] = 1
    for i in range(1 << level):
        width = least[size + ((i * SPREAD) & ((1 << level) - 1)), WIDTH]
        k = column_of(widths, width)
        if width == FAR or edges[k] == width:
            continue
        if columns[0] == edges.size:
            break
        for other in range(columns[0], k + 1, -1):
            edges[other] = edges[other - 1]
        edges[k + 1] = width
        columns[0] += 1


@njit(cache=True, nogil=True, _nrt=False)
def enter_widths(widths: Widths, leaf: Int, top: Int, size: Int, width: Int, estimate: Int) -> None:
    """Add a job behind all others.

    Parameters
    ----------
    widths
        `Widths`, set up, modified in place.
    leaf, top, size
        Nodes: the leaf of the job, and the highest one whose row is changed; and the leaves of a whole tree.
    width, estimate
        Width and estimate of the job: processors and s.
    """
    k = column_of(widths, width)
    if widths.head[k] < 0:
        widths.head[k] = leaf - size
    else:
        widths.behind[widths.tail[k]] = leaf - size
    widths.tail[k] = leaf - size
    widths.behind[leaf - size] = -1
    widths.widest[k] = max(widths.widest[k], width)
    length = length_of(estimate)
    node = leaf >> BITS
    while node >= top and length < widths.shortest[node, k]:
        widths.shortest[node, k] = length
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def leave_widths(widths: Widths, least: Ints, leaf: Int, top: Int, width: Int, estimate: Int) -> None:
    """Remove a job from the rows.

    Parameters
    ----------
    widths
        `Widths`, set up, modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest, which has lost the job.
    leaf, top
        Nodes: the leaf of the job, and the root in use.
    width, estimate
        Width and estimate of the job: processors and s.
    """
    shortest = widths.shortest
    k = column_of(widths, width)
    node = leaf >> BITS
    if length_of(estimate) > shortest[node, k]:
        return
    low = widths.edges[k]
    high = widths.edges[k + 1] if k + 1 < widths.columns[0] else FAR
    shortest_left: Int = NO_JOB
    for other in range(node << BITS, (node + 1) << BITS):
        if low <= least[other, WIDTH] < high:
            shortest_left = min(shortest_left, length_of(least[other, ESTIMATE]))
    shortest[node, k] = shortest_left
    node >>= 1
    while node >= top:
        length = min(shortest[2 * node, k], shortest[2 * node + 1, k])
        if length == shortest[node, k]:
            break
        shortest[node, k] = length
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def first_by_widths(widths: Widths, least: Ints, top: Int, size: Int, free: Int, extra: Int, limit: Int) -> Int:
    """Return the lowest slot whose job could start; -1 if there is none.

    Such a job needs at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.

    Parameters
    ----------
    widths
        `Widths`, set up; its lists are modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest.
    top, size
        The root in use, and the leaves of the whole tree.
    free, extra, limit
        Processors, processors and s, see above.
    """
    last = column_of(widths, free)
    if widths.widest[last] <= free or widths.shortest[top, last] > limit:  # all of it fit, or none is short enough
        return _first_in_columns(widths, least, top, size, last + 1, free, extra, limit)
    slot = _first_in_columns(widths, least, top, size, last, free, extra, limit)
    return _first_in_list(widths, least, size, last, slot, free, limit)


@njit(cache=True, nogil=True, _nrt=False)
def _first_in_columns(
    widths: Widths, least: Ints, top: Int, size: Int, count: Int, free: Int, extra: Int, limit: Int
) -> Int:
    """Return the lowest slot of a job of the first `count` columns that could start, or of one within `extra`.

    No job of these columns is short enough but needs more than `free`.

    Parameters
    ----------
    widths
        `Widths`, set up.
    least
        (2 * size, 2) int64, the tree of the smallest.
    top, size, count
        The root in use, the leaves of the whole tree, and columns.
    free, extra, limit
        As for `first_by_widths`.
    """
    blocks = 2 * size >> BITS  # the nodes below have rows
    node = top
    while True:
        width = least[node, WIDTH]
        if width <= free and (
            width <= extra
            or (
                least[node, ESTIMATE] <= limit
                and (node >= blocks or any_short_enough(widths.shortest, node, count, limit))
            )
        ):
            if node >= size:
                return node - size
            node *= 2
            continue
        while node != top and (node & 1) == 1:  # go up while this is the right child of its parent
            node >>= 1
        if node == top:
            return -1
        node += 1  # its right neighbour


@njit(cache=True, nogil=True, _nrt=False)
def _first_in_list(widths: Widths, least: Ints, size: Int, k: Int, best: Int, free: Int, limit: Int) -> Int:
    """Return the first slot of column k whose job fits and is short enough; `best` if that is lower, or there is none.

    Parameters
    ----------
    widths
        `Widths`, set up; its lists are modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest.
    size, k, best
        The leaves of the whole tree, the column, and another slot; -1 for none.
    free, limit
        As for `first_by_widths`.
    """
    before: Int = -1
    slot = widths.head[k]
    while slot >= 0 and (best < 0 or slot < best):
        width = least[size + slot, WIDTH]
        if width <= free and least[size + slot, ESTIMATE] <= limit:
            return slot
        after = widths.behind[slot]
        if width < FAR:
            before = slot
        elif before < 0:
            widths.head[k] = after
        else:
            widths.behind[before] = after
        if after < 0:
            widths.tail[k] = before
        slot = after
    return best


@njit(cache=True, nogil=True, _nrt=False)
def any_short_enough(shortest: Order, node: Int, count: Int, length: Int) -> bool:
    """Return whether one of the first `count` columns of a node has at most `length` s.

    `shortest`, (nodes, columns) int32, is not changed.
    """
    least = np.int32(NO_JOB)
    for k in range(np.uint64(count)):
        least = min(least, shortest[node, k])
    return bool(least <= length)
