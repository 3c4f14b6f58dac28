"""The point of a growing set with the smallest achievement function, without looking at all of them.

The achievement function of a point c is max_j (c_j - b_j) s_j + sum_j (c_j - b_j) t_j, with s_j, t_j >= 0 (Wierzbicki
1980, augmented): how far it is from the corner b, along a ray with the directions 1 / s_j.

Points move when others are appended, so that those that are looked at together lie side by side; `order` has their
rows, in the order in which they came. They lie in blocks of LEAF 2^k, the largest first, as the ones of a binary
number. A block is a balanced tree: its first half has the smaller values in the column with the widest range, and so on
down to LEAF points. Of every part, `corners` has the smallest value in each column. No point of a part has a
smaller achievement function than its corner, computed in the same way, because every step of the computation rounds
monotonically: so parts are left out exactly. When a block of LEAF rows is full, the last blocks become one of the next
size (logarithmic method, Bentley and Saxe 1980). So n points cost O(n log^3 n) in all to append.
"""

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit

LEAF = 32
DEPTH = 64  # more than a tree is deep
LEAST = 1e-9  # of a direction, so that nothing is divided by 0
OUTSIDE = 0.5  # of the best found, as the unit of a coordinate in which even that is beyond the box


@njit(cache=True, nogil=True)
def units_of(edge: Floats, best: Floats) -> Floats:
    """Return the factors, (q,), that make a box one of sides 1.

    Parameters
    ----------
    edge, best
        (q,) float64 each, its far corner and the best found. A coordinate in which even the best is outside has
        `OUTSIDE` of that as its side.
    """
    units = np.empty(edge.size)
    for j in range(edge.size):
        units[j] = 1.0 / (edge[j] - best[j] if edge[j] > best[j] else OUTSIDE * abs(best[j]) + 1e-9)
    return units


@njit(cache=True, nogil=True, inline="always")
def achievement(points: Floats, place: Int, corner: Floats, slopes: Floats, shares: Floats) -> float:
    """Return the achievement function of one of some points.

    Parameters
    ----------
    points
        (N, q) float64.
    place
        Which one.
    corner, slopes, shares
        (q,) float64 each: b, s and t.
    """
    most = -np.inf
    total = 0.0
    for j in range(corner.size):
        away = points[place, j] - corner[j]
        most = max(most, away * slopes[j])
        total += away * shares[j]
    return most + total


@njit(cache=True, nogil=True)
def append_row(points: Floats, order: Ints, corners: Floats, count: Int) -> None:
    """Take the last one of `count` points into the tree.

    Parameters
    ----------
    points
        (N, q) float64, of which the first `count` are points; they are moved in place.
    order
        (N,) int64, the rows of the points, modified in place; the first `count` - 1 are known.
    corners
        (2 N / LEAF, q) float64, modified in place; the root of a block of m leaves that begins with leaf l is in row
        2 l + 1, and the halves of what is in row 2 l + i in 2 l + 2 i and 2 l + 2 i + 1. N is a multiple of LEAF.
    count
        How many points there are, with the new one.
    """
    order[count - 1] = count - 1
    leaves = count // LEAF
    if leaves * LEAF != count:
        return
    block = leaves & -leaves
    begin = leaves - block
    parts = 1
    while parts <= block:
        size = block * LEAF // parts
        for part in range(parts):
            first = begin * LEAF + part * size
            rows, those = order[first : first + size], points[first : first + size]
            node = 2 * begin + parts + part
            widest = -1.0
            column = 0
            for j in range(points.shape[1]):
                low = those[0, j]
                high = low
                for i in range(1, size):
                    value = those[i, j]
                    low = min(low, value)
                    high = max(high, value)
                corners[node, j] = low
                # relative to the size of the values: columns may have any unit
                spread = (high - low) / max(abs(low), abs(high)) if high > low else 0.0
                if spread > widest:
                    widest = spread
                    column = j
            if parts < block:
                sorted_by = np.argsort(those[:, column], kind="mergesort")
                rows[:] = rows[sorted_by]
                those[:] = those[sorted_by]
        parts *= 2


@njit(cache=True, nogil=True)
def nearest(
    points: Floats, order: Ints, corners: Floats, count: Int, corner: Floats, slopes: Floats, shares: Floats
) -> int:
    """Return the row with the smallest achievement function; of equal ones, the first.

    Parameters
    ----------
    points, order, corners, count
        As for `append_row`; there is a point at least.
    corner, slopes, shares
        (q,) float64 each: b, s and t.
    """
    best = np.inf
    best_row = -1
    nodes = np.empty(DEPTH, np.int64)
    bounds = np.empty(DEPTH)
    leaves = count // LEAF
    begin = 0
    while begin < leaves:
        block = 1
        while 2 * block <= leaves - begin:
            block *= 2
        top = 0
        nodes[0] = 1
        bounds[0] = achievement(corners, 2 * begin + 1, corner, slopes, shares)
        while top >= 0:
            node = nodes[top]
            bound = bounds[top]
            top -= 1
            if bound > best:
                continue
            if node < block:
                left = achievement(corners, 2 * begin + 2 * node, corner, slopes, shares)
                right = achievement(corners, 2 * begin + 2 * node + 1, corner, slopes, shares)
                nearer = 0 if left <= right else 1
                nodes[top + 1] = 2 * node + 1 - nearer
                bounds[top + 1] = max(left, right)
                nodes[top + 2] = 2 * node + nearer
                bounds[top + 2] = min(left, right)
                top += 2
                continue
            first = (begin + node - block) * LEAF
            for i in range(first, first + LEAF):
                value = achievement(points, i, corner, slopes, shares)
                if value < best or (value == best and order[i] < best_row):
                    best = value
                    best_row = order[i]
        begin += block
    for i in range(leaves * LEAF, count):
        value = achievement(points, i, corner, slopes, shares)
        if value < best or (value == best and order[i] < best_row):
            best = value
            best_row = order[i]
    return best_row


@njit(cache=True, nogil=True)
def farthest_along(
    points: Floats, order: Ints, corners: Floats, count: Int, best: Floats, edge: Floats, ray: Floats, share: float
) -> int:
    """Return the row that comes farthest along a ray, from the far corner of a box to its near one; see `nearest`.

    Parameters
    ----------
    points, order, corners, count
        As for `append_row`; there is a point at least.
    best, edge
        (q,) float64 each, the near and the far corner.
    ray
        (q,) float64 at least 0, its direction, in units of the box.
    share
        Of the sum of all coordinates, in these units, in the distance.
    """
    units = units_of(edge, best)
    slopes = units / np.maximum(ray, LEAST)
    return nearest(points, order, corners, count, best, slopes, share * units)
