"""The nodes of a machine, what runs on them, and which of them a job gets: of the neighbours that fit tightest."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .inputs import Jobs, Nodes, ints
from .running import pop, push
from .waiting_tree import FAR

NONE = -1
RUNNING, FREE, SPARE, PLACES, CHANGED, BEYOND, LINED, OPEN = range(8)  # of `Rack.state`


class Rack(NamedTuple):
    """The m nodes, what runs on them, and work space of a pass with up to p reservations.

    Attributes
    ----------
    free
        (m,) int64, free processors of each node.
    limits
        (most,) int64, expected end << row bits | row of the running jobs, the latest first.
    piece
        (n,) int64, the first piece of each running job.
    node, cpus, after
        (held,) int64: each piece is so many processors of a node, and the next piece of the same job, or NONE.
    line
        (n,) int64, the rows of the last backfill pass.
    found
        (n,) int64, s: the earliest start that a pass has found for each of them; FAR if there is none.
    begin, end
        (p,) int64, s, of each reservation.
    by_begin, by_end
        (p,) int64, the reservations in these orders.
    bounds, reserved
        (p + 1,) and (most,) int64: the nodes of reservation i are those from bounds[i] to bounds[i + 1] - 1.
    since
        (m,) int64, s: when the first reservation of each node begins; FAR without any.
    usable, blocked
        (m,) int64: free processors of each node in some second, and how many reservations need the node then.
    picked, taken
        (m,) int64: nodes for a job, and how many processors of each.
    row_first, row_total, heap
        (m,) int64: the first node and the free processors of each row of neighbours, and a heap of them.
    open
        (m,) int64: the nodes with free processors, ascending, in a backfill pass.
    state
        (8,) int64: RUNNING jobs, FREE processors, the first SPARE piece, PLACES that are reserved; whether anything has
        CHANGED since the last backfill pass, the first second in which a reservation that was BEYOND its window may be
        in it, or FAR, the rows of `line` (LINED), and how many nodes are OPEN.
    """

    free: Ints
    limits: Ints
    piece: Ints
    node: Ints
    cpus: Ints
    after: Ints
    line: Ints
    found: Ints
    begin: Ints
    end: Ints
    by_begin: Ints
    by_end: Ints
    bounds: Ints
    reserved: Ints
    since: Ints
    usable: Ints
    blocked: Ints
    picked: Ints
    taken: Ints
    row_first: Ints
    row_total: Ints
    heap: Ints
    open: Ints
    state: Ints


def empty_rack(jobs: Jobs, capacity: Int, nodes: Nodes, reservations: int) -> Rack:
    """Return `nodes`, with `capacity` processors, on which nothing runs; `jobs` and `reservations` bound work space."""
    n, m = jobs.submit.size, nodes.cpus.size
    most = min(reservations, nodes.tested, n)
    pieces = np.minimum(jobs.width, m)  # at most, of each job
    reserved = int(np.sort(pieces)[n - most :].sum())
    held = min(capacity, int(pieces.sum()))
    of_nodes = ("since", "usable", "blocked", "picked", "taken", "row_first", "row_total", "heap", "open")
    sizes = {"limits": min(n, capacity) + 2, "node": held, "cpus": held, "reserved": reserved}
    sizes |= dict.fromkeys(("piece", "line", "found"), n) | dict.fromkeys(of_nodes, m)
    sizes |= dict.fromkeys(("begin", "end", "by_begin", "by_end"), most)
    rack = Rack(
        free=nodes.cpus.copy(),
        after=np.arange(1, held + 1, dtype=np.int64),  # all pieces are spare
        bounds=np.zeros(most + 1, np.int64),
        state=ints(8),
        **{name: np.empty(size, np.int64) for name, size in sizes.items()},
    )
    rack.state[FREE] = capacity
    rack.state[BEYOND] = FAR
    return rack


@njit(cache=True, nogil=True, _nrt=False)
def pick(rack: Rack, width: Int) -> Int:
    """Fill `picked` and `taken` with the nodes for `width` processors of those that are usable; return how many.

    `rack` is a `Rack`, whose `usable` has enough processors; `picked`, `taken` and its work space are filled in place.
    """
    free = rack.usable
    m = free.size
    rows: Int = 0
    for node in range(m):
        if free[node] > 0:
            if node == 0 or free[node - 1] == 0:
                rack.row_first[rows] = node
                rack.row_total[rows] = 0
                rows += 1
            rack.row_total[rows - 1] += free[node]
    for row in range(rows):
        rack.heap[row] = row
    best = tightest(rack, rows, width)
    picked: Int = 0
    left: Int = width
    if best < 0:
        # The row with most processors is on top of a heap, and of equals the first.
        for row in range(rows):
            push(rack.heap, row, row - rack.row_total[row] * m)
        while best < 0:
            row = rack.heap[0] % m
            if rack.row_total[row] < left:
                pop(rack.heap, rows)
                rows -= 1
                left -= rack.row_total[row]
                picked = take_row(rack, row, rack.row_total[row], picked)
            else:
                best = tightest(rack, rows, left)
    only: Int = NONE
    place: Int = rack.row_first[best]
    while place < m and free[place] > 0:
        if free[place] >= left and (only < 0 or free[place] < free[only]):
            only = place
        place += 1
    if only < 0:
        return take_row(rack, best, left, picked)
    rack.picked[picked] = only
    rack.taken[picked] = left
    return picked + 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def tightest(rack: Rack, rows: Int, width: Int) -> Int:
    """Return the row with the fewest processors, at least `width`, of the first `rows` in the heap; NONE without any.

    Of equals it is the first one. `rack` is a `Rack`, which is only read; an entry of the heap is a row, or a row less
    a multiple of the number of nodes.
    """
    best: Int = NONE
    for i in range(rows):
        row = rack.heap[i] % rack.usable.size
        total = rack.row_total[row]
        if total >= width and (
            best < 0 or total < rack.row_total[best] or (total == rack.row_total[best] and row < best)
        ):
            best = row
    return best


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def take_row(rack: Rack, row: Int, width: Int, picked: Int) -> Int:
    """Pick `width` processors of a row that has as many, from its first node on; return how many nodes are picked then.

    `rack` is a `Rack`, of which `picked` nodes are picked before; `picked` and `taken` are filled in place.
    """
    node = rack.row_first[row]
    while width > 0:
        rack.picked[picked] = node
        rack.taken[picked] = min(width, rack.usable[node])
        width -= rack.taken[picked]
        picked += 1
        node += 1
    return picked
