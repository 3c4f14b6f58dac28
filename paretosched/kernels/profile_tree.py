"""The free processors of a machine over all of a schedule: a B+ tree, for profiles of any size.

As in `profile.py`, a breakpoint has the number of processors that are free from its time on, and the last one has no
end. Here breakpoints are in leaves of at most LEAF, and inner nodes have the least and the greatest room below each of
their entries. A search skips entries that are too narrow everywhere or wide enough everywhere. A job that covers whole
entries is subtracted from them as a `shift`, which holds for everything below. An insertion moves part of one leaf.
Room is only taken, never freed, so that nodes are split but never joined; a version that joins equal neighbours was
measured and is not faster. With the 133,000 jobs of CTC, the flat arrays of `profile.py` take two thirds of the time in
the order of submission, where all insertions are near the end, and forty times as much in orders far from it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int, Ints
from .compiling import njit

LEAF = 64  # measured with FAN: 32 to 128 and 16 to 64 make no difference
FAN = 32
DEPTH = 16  # more than enough: nodes are at least half full, and there are less than 2^32 breakpoints
ROOT, HEIGHT, LEAVES, NODES = range(4)  # entries of `state`
NODE, PLACE, SUM = range(3)  # columns of a route
POINT = np.dtype([("when", "i8"), ("room", "i8")])
ENTRY = np.dtype([("since", "i8"), ("least", "i4"), ("most", "i4"), ("shift", "i4"), ("child", "i4")])


class Vacancy(NamedTuple):
    """The tree.

    Attributes
    ----------
    leaf
        (leaves, LEAF) POINT, s and processors: the breakpoints of each leaf, ascending. The true room is `room` plus
        the shifts of all entries above the leaf.
    node
        (nodes, FAN) ENTRY, the inner nodes: the begin of each entry, the least and greatest room in it (with its own
        shift, without those of the entries above), the shift to be added to all room below it, and its leaf or node.
    leaf_sizes, node_sizes
        (leaves,) and (nodes,) int64, breakpoints in each leaf and entries of each node.
    state
        (4,) int64: the root, and the numbers of levels of inner nodes, of leaves and of nodes.
    left, right
        (DEPTH, 3) int64, work space: the way to a leaf; node, entry and sum of shifts above it, by level.
    """

    leaf: NDArray[np.void]
    node: NDArray[np.void]
    leaf_sizes: Ints
    node_sizes: Ints
    state: Ints
    left: Ints
    right: Ints


@njit(cache=True, nogil=True)
def vacancy(jobs: Int) -> Vacancy:
    """Return a tree for the breakpoints of `jobs` jobs; `clear` must be called before its first use."""
    # A half of a leaf or node doubles before it is split again. Memory that is not touched costs nothing.
    leaves = 4 * jobs // LEAF + 2
    nodes = 4 * leaves // FAN + DEPTH
    return Vacancy(
        np.empty((leaves, LEAF), POINT),
        np.empty((nodes, FAN), ENTRY),
        np.empty(leaves, np.int64),
        np.empty(nodes, np.int64),
        np.empty(4, np.int64),
        np.empty((DEPTH, 3), np.int64),
        np.empty((DEPTH, 3), np.int64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def clear(v: Vacancy, t: Int, free: Int) -> None:
    """Set up in v, modified in place, the profile of a machine with `free` processors from second t on."""
    v.leaf[0, 0]["when"] = t
    v.leaf[0, 0]["room"] = free
    v.leaf_sizes[0] = 1
    v.node_sizes[0] = 0
    v.state[ROOT] = 0
    v.state[HEIGHT] = 1
    v.state[LEAVES] = 1
    v.state[NODES] = 1
    _enter(v, 0, 0, t, free, free, 0, 0)


# Functions that are called for every job are compiled into their callers: passing the tree costs a fifth otherwise.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def earliest(v: Vacancy, after: Int, width: Int, length: Int) -> Int:
    """Return the earliest start, s, not before `after`, from which `width` processors are free for `length` seconds.

    Of v only the work space `left` is changed.
    """
    route = v.left
    leaf, i, above = _seek(v, after, route)
    while True:
        while i < v.leaf_sizes[leaf] and v.leaf[leaf, i]["room"] + above < width:
            i += 1
        if i == v.leaf_sizes[leaf]:
            leaf, above = _skip_narrow(v, route, width)
            i = 0
            continue
        begin = max(v.leaf[leaf, i]["when"], after)
        end = begin + length
        i += 1
        while True:
            while i < v.leaf_sizes[leaf] and v.leaf[leaf, i]["when"] < end and v.leaf[leaf, i]["room"] + above >= width:
                i += 1
            if i < v.leaf_sizes[leaf]:
                break
            leaf, above = _skip_wide(v, route, width, end)
            if leaf < 0:
                return begin
            i = 0
        if v.leaf[leaf, i]["when"] >= end:
            return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _seek(v: Vacancy, t: Int, route: Ints) -> tuple[Int, Int, Int]:
    """Return the breakpoint that holds second t, and write the way to it into `route`.

    Parameters
    ----------
    v
        The tree, not changed.
    t
        s.
    route
        (DEPTH, 3) int64, filled in place.

    Returns
    -------
    leaf, place, above
        Its leaf, its place there, and the sum of the shifts above, processors.
    """
    node = v.state[ROOT]
    above = np.int64(0)
    for level in range(v.state[HEIGHT] - 1, -1, -1):
        k = _last_entry(v, node, t)
        route[level, NODE] = node
        route[level, PLACE] = k
        route[level, SUM] = above
        above += v.node[node, k]["shift"]
        node = np.int64(v.node[node, k]["child"])
    return node, _last_point(v, node, t), above


@njit(cache=True, nogil=True, _nrt=False)
def _last_entry(v: Vacancy, node: Int, t: Int) -> Int:
    """Return the last entry of an inner node of tree v that does not begin after second t; the first never does."""
    low = np.int64(0)
    count = v.node_sizes[node]
    while count > 1:
        half = count >> 1
        if v.node[node, low + half]["since"] <= t:
            low += half
        count -= half
    return low


@njit(cache=True, nogil=True, _nrt=False)
def _last_point(v: Vacancy, leaf: Int, t: Int) -> Int:
    """Return the place of the last breakpoint of a leaf of tree v that is not after second t; the first never is."""
    low = np.int64(0)
    count = v.leaf_sizes[leaf]
    while count > 1:
        half = count >> 1
        if v.leaf[leaf, low + half]["when"] <= t:
            low += half
        count -= half
    return low


@njit(cache=True, nogil=True, _nrt=False)
def _skip_narrow(v: Vacancy, route: Ints, width: Int) -> tuple[Int, Int]:
    """Return the next leaf with `width` processors somewhere; it exists, because in the end the machine is empty.

    Parameters
    ----------
    v
        The tree, not changed.
    route
        (DEPTH, 3) int64, the way to the present leaf; modified in place to that of the next one.
    width
        Processors.

    Returns
    -------
    leaf, above
        The leaf, and the sum of the shifts above, processors.
    """
    level = np.int64(-1)
    k = np.int64(0)
    node = np.int64(0)
    above = np.int64(0)
    reached = False
    while not reached:
        level += 1
        node = route[level, NODE]
        above = route[level, SUM]
        k = route[level, PLACE] + 1
        while k < v.node_sizes[node] and v.node[node, k]["most"] + above < width:
            k += 1
        reached = k < v.node_sizes[node]
    while True:
        route[level, PLACE] = k
        above += v.node[node, k]["shift"]
        node = np.int64(v.node[node, k]["child"])
        if level == 0:
            return node, above
        level -= 1
        route[level, NODE] = node
        route[level, SUM] = above
        k = np.int64(0)
        while v.node[node, k]["most"] + above < width:
            k += 1


@njit(cache=True, nogil=True, _nrt=False)
def _skip_wide(v: Vacancy, route: Ints, width: Int, end: Int) -> tuple[Int, Int]:
    """Return the next leaf that has less than `width` processors somewhere.

    Parameters
    ----------
    v
        The tree, not changed.
    route
        (DEPTH, 3) int64, the way to the present leaf; modified in place to that of the next one.
    width
        Processors.
    end
        s.

    Returns
    -------
    leaf, above
        The leaf, -1 if there is none that begins before `end`, and the sum of the shifts above, processors.
    """
    level = np.int64(-1)
    k = np.int64(0)
    node = np.int64(0)
    above = np.int64(0)
    reached = False
    while not reached:
        level += 1
        if level == v.state[HEIGHT]:
            return np.int64(-1), above
        node = route[level, NODE]
        above = route[level, SUM]
        k = route[level, PLACE] + 1
        while k < v.node_sizes[node] and v.node[node, k]["least"] + above >= width:
            k += 1
        reached = k < v.node_sizes[node]
    while v.node[node, k]["since"] < end:
        route[level, PLACE] = k
        above += v.node[node, k]["shift"]
        node = np.int64(v.node[node, k]["child"])
        if level == 0:
            return node, above
        level -= 1
        route[level, NODE] = node
        route[level, SUM] = above
        k = np.int64(0)
        while v.node[node, k]["least"] + above >= width:
            k += 1
    return np.int64(-1), above


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def take(v: Vacancy, begin: Int, end: Int, width: Int) -> None:
    """Take `width` processors in the seconds [begin, end), where they are free; v is modified in place."""
    left = v.left
    right = v.right
    last, j = _cut(v, end, right)
    before = v.leaf_sizes[last]
    nodes = v.state[LEAVES] + v.state[NODES]
    first, i = _cut(v, begin, left)
    if v.state[LEAVES] + v.state[NODES] != nodes:
        last, j, _ = _seek(v, end, right)
    elif first == last:
        j += v.leaf_sizes[last] - before

    for k in range(i, j if first == last else v.leaf_sizes[first]):
        v.leaf[first, k]["room"] -= width
    least, most = _range_of_leaf(v, first)
    level = np.int64(0)
    if first != last:
        for k in range(j):
            v.leaf[last, k]["room"] -= width
        least_r, most_r = _range_of_leaf(v, last)
        while True:
            node = left[level, NODE]
            k = left[level, PLACE]
            node_r = right[level, NODE]
            k_r = right[level, PLACE]
            _note(v, node, k, least, most)
            _note(v, node_r, k_r, least_r, most_r)
            level += 1
            if node == node_r:
                _lower(v, node, k + 1, k_r, width)
                least, most = _range_of_node(v, node)
                break
            _lower(v, node, k + 1, v.node_sizes[node], width)
            _lower(v, node_r, np.int64(0), k_r, width)
            least, most = _range_of_node(v, node)
            least_r, most_r = _range_of_node(v, node_r)
    while level < v.state[HEIGHT]:
        node = left[level, NODE]
        _note(v, node, left[level, PLACE], least, most)
        least, most = _range_of_node(v, node)
        level += 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _cut(v: Vacancy, t: Int, route: Ints) -> tuple[Int, Int]:
    """Insert a breakpoint at second t, and return it. Full nodes on the way are split first, so that there is room.

    Parameters
    ----------
    v
        The tree, modified in place.
    t
        s.
    route
        (DEPTH, 3) int64, the way to the leaf; nodes and entries are filled in place, sums are not.

    Returns
    -------
    leaf, place
        The leaf of the breakpoint, and its place there.
    """
    node = v.state[ROOT]
    if v.node_sizes[node] == FAN:
        node = _raise_root(v)
    for level in range(v.state[HEIGHT] - 1, -1, -1):
        k = _last_entry(v, node, t)
        child = np.int64(v.node[node, k]["child"])
        if v.leaf_sizes[child] == LEAF if level == 0 else v.node_sizes[child] == FAN:
            if level == 0:
                _split_leaf(v, node, k)
            else:
                _split_node(v, node, k)
            if v.node[node, k + 1]["since"] <= t:
                k += 1
                child = np.int64(v.node[node, k]["child"])
        route[level, NODE] = node
        route[level, PLACE] = k
        node = child
    i = _last_point(v, node, t)
    if v.leaf[node, i]["when"] < t:
        i += 1
        for k in range(v.leaf_sizes[node], i, -1):
            v.leaf[node, k] = v.leaf[node, k - 1]
        v.leaf[node, i]["when"] = t
        v.leaf[node, i]["room"] = v.leaf[node, i - 1]["room"]
        v.leaf_sizes[node] += 1
    return node, i


@njit(cache=True, nogil=True, _nrt=False)
def _raise_root(v: Vacancy) -> Int:
    """Put a root above the root of v, modified in place, and return it."""
    old = v.state[ROOT]
    new = v.state[NODES]
    v.state[NODES] += 1
    v.state[ROOT] = new
    v.state[HEIGHT] += 1
    v.node_sizes[new] = 0
    least, most = _range_of_node(v, old)
    _enter(v, new, 0, v.node[old, 0]["since"], least, most, 0, old)
    return new


@njit(cache=True, nogil=True, _nrt=False)
def _split_leaf(v: Vacancy, node: Int, k: Int) -> None:
    """Move the upper half of the leaf of a node's entry k to a new leaf; v is modified in place."""
    old = np.int64(v.node[node, k]["child"])
    new = v.state[LEAVES]
    v.state[LEAVES] += 1
    for i in range(LEAF // 2):
        v.leaf[new, i] = v.leaf[old, LEAF // 2 + i]
    v.leaf_sizes[old] = LEAF // 2
    v.leaf_sizes[new] = LEAF // 2
    least, most = _range_of_leaf(v, old)
    _note(v, node, k, least, most)
    least, most = _range_of_leaf(v, new)
    _enter(v, node, k + 1, v.leaf[new, 0]["when"], least, most, v.node[node, k]["shift"], new)


@njit(cache=True, nogil=True, _nrt=False)
def _split_node(v: Vacancy, node: Int, k: Int) -> None:
    """Move the upper half of the inner node of a node's entry k to a new node; v is modified in place."""
    old = np.int64(v.node[node, k]["child"])
    new = v.state[NODES]
    v.state[NODES] += 1
    for i in range(FAN // 2):
        v.node[new, i] = v.node[old, FAN // 2 + i]
    v.node_sizes[old] = FAN // 2
    v.node_sizes[new] = FAN // 2
    least, most = _range_of_node(v, old)
    _note(v, node, k, least, most)
    least, most = _range_of_node(v, new)
    _enter(v, node, k + 1, v.node[new, 0]["since"], least, most, v.node[node, k]["shift"], new)


@njit(cache=True, nogil=True, _nrt=False)
def _enter(v: Vacancy, node: Int, k: Int, since: Int, least: Int, most: Int, shift: Int, child: Int) -> None:
    """Insert an entry before a node's entry k.

    Parameters
    ----------
    v
        The tree, modified in place.
    node, k
        An inner node that is not full, and the place in it.
    since
        s, as in ENTRY.
    least, most
        Processors, the range of the child itself, without `shift`.
    shift, child
        Processors, and a leaf or node, as in ENTRY.
    """
    for i in range(v.node_sizes[node], k, -1):
        v.node[node, i] = v.node[node, i - 1]
    v.node_sizes[node] += 1
    v.node[node, k]["since"] = since
    v.node[node, k]["shift"] = shift
    v.node[node, k]["child"] = child
    _note(v, node, k, least, most)


@njit(cache=True, nogil=True, _nrt=False)
def _note(v: Vacancy, node: Int, k: Int, least: Int, most: Int) -> None:
    """Store the range of the child of a node's entry k: `least` to `most` processors, without the entry's shift.

    Tree v is modified in place.
    """
    shift = v.node[node, k]["shift"]
    v.node[node, k]["least"] = least + shift
    v.node[node, k]["most"] = most + shift


@njit(cache=True, nogil=True, _nrt=False)
def _lower(v: Vacancy, node: Int, first: Int, last: Int, width: Int) -> None:
    """Subtract `width` processors from all room below a node's entries first..last - 1; v is modified in place."""
    for k in range(first, last):
        v.node[node, k]["least"] -= width
        v.node[node, k]["most"] -= width
        v.node[node, k]["shift"] -= width


@njit(cache=True, nogil=True, _nrt=False)
def _range_of_leaf(v: Vacancy, leaf: Int) -> tuple[Int, Int]:
    """Return the least and the greatest room of a leaf of tree v, processors, without the shifts above."""
    least = v.leaf[leaf, 0]["room"]
    most = least
    for i in range(1, v.leaf_sizes[leaf]):
        least = min(least, v.leaf[leaf, i]["room"])
        most = max(most, v.leaf[leaf, i]["room"])
    return least, most


@njit(cache=True, nogil=True, _nrt=False)
def _range_of_node(v: Vacancy, node: Int) -> tuple[Int, Int]:
    """Return the least and the greatest room of an inner node of tree v, processors, without the shifts above."""
    least = np.int64(v.node[node, 0]["least"])
    most = np.int64(v.node[node, 0]["most"])
    for k in range(1, v.node_sizes[node]):
        least = min(least, np.int64(v.node[node, k]["least"]))
        most = max(most, np.int64(v.node[node, k]["most"]))
    return least, most
