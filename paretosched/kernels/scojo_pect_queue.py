"""The waiting jobs of SCOJO-PECT by class: which of them could start now, without a look at all of them.

The jobs of a class have slots in the order of submission, from the time on when none waited. 32 slots are a bench,
with a bit for each slot whose job waits. Over the benches a tree has, for each of 16 ranges of widths, the shortest job
below a node (`waiting_sizes.py`). A search has a limit for each range, so that it passes by jobs that are narrow but
long, or short but wide. The tree uses its lowest 2^level leaves, so that short queues have short ways.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Mask, Order
from .compiling import njit
from .inputs import Jobs, ints
from .profile import FIRST, LAST
from .running import pop, push
from .waiting_orders import BENCH, BITS, lowest
from .waiting_sizes import LONGEST, NO_JOB, RANGES, any_short, length_of, lengthen, shorten
from .waiting_tree import FAR, slots_for

NONE_FITS = -1  # a limit
ROW_BITS = 32  # of a key of `Queue.long_first`


class Queue(NamedTuple):
    """The waiting jobs of S = 3 classes.

    Attributes
    ----------
    waiting, slots, level, front
        (S,) int64, how many jobs wait; slots in use; the level of the tree; and a slot before which no job waits.
    width, work
        (S,) int64, sums over the waiting jobs: processors, and processor seconds as the scheduler believes.
    row, slot
        (S, n) int32, the row of the job in each slot; and (n,) int32, the slot of each job.
    bits
        (S, size) int64, a bit for each slot of a bench: whether its job waits.
    shortest
        (S, 2 * size, 16) int32, s, trees over the benches, of root size >> level.
    edges, range
        (16,) int64, the narrowest width of each range, processors; (n,) int64, the range of each job.
    limits, endless
        (16,) int32, s: how long a job of a range may be that is searched; and limits for any job.
    long_first, keys
        (n,) int64, a heap of the short jobs, the longest on top, with jobs that have started; and (1,) int64, its size.
    """

    waiting: Ints
    slots: Ints
    level: Ints
    front: Ints
    width: Ints
    work: Ints
    row: Order
    slot: Order
    bits: Ints
    shortest: Order
    edges: Ints
    range: Ints
    limits: Order
    endless: Order
    long_first: Ints
    keys: Ints


def queue_for(jobs: Jobs) -> Queue:
    """Return the queue of `jobs`, of which none has arrived."""
    n = jobs.submit.size
    size = int(slots_for((n + BENCH - 1) // BENCH))
    # Quantiles, so that a width of many jobs begins a range: then the limit of the range is exact for them.
    places = np.arange(RANGES) * n // RANGES
    edges = np.unique(np.partition(jobs.width, places)[places])
    ranges = np.searchsorted(edges, jobs.width, side="right") - 1
    edges = np.append(edges, np.full(RANGES - edges.size, FAR))
    return Queue(
        waiting=ints(3),
        slots=ints(3),
        level=ints(3),
        front=ints(3),
        width=ints(3),
        work=ints(3),
        row=np.empty((3, n), np.int32),
        slot=np.empty(n, np.int32),
        bits=ints(3, size),
        shortest=np.full((3, 2 * size, RANGES), NO_JOB, np.int32),
        edges=edges,
        range=ranges,
        limits=np.full(RANGES, LONGEST, np.int32),
        endless=np.full(RANGES, LONGEST, np.int32),
        long_first=ints(n),
        keys=ints(1),
    )


@njit(cache=True, nogil=True, _nrt=False)
def enter(queue: Queue, jobs: Jobs, belief: Ints, x: Int, j: Int) -> None:
    """Add job j of class x.

    Parameters
    ----------
    queue
        Modified in place.
    jobs, belief
        The jobs; (n,) int64, s, how long they run as the scheduler believes.
    x, j
        Class and row; no later job of the class has arrived.
    """
    size = queue.bits.shape[1]
    if queue.waiting[x] == 0:  # then no node has a job
        queue.slots[x] = 0
        queue.level[x] = 0
        queue.front[x] = 0
        if x == 0:
            queue.keys[0] = 0
    slot = queue.slots[x]
    bench = slot >> BITS
    if bench >> queue.level[x] > 0:
        queue.level[x] += 1
        top = size >> queue.level[x]
        for k in range(RANGES):
            queue.shortest[x, top, k] = queue.shortest[x, 2 * top, k]
    queue.row[x, slot] = j
    queue.slot[j] = slot
    queue.slots[x] = slot + 1
    queue.waiting[x] += 1
    queue.width[x] += jobs.width[j]
    queue.work[x] += jobs.width[j] * belief[j]
    queue.bits[x, bench] |= 1 << (slot & (BENCH - 1))
    shorten(queue.shortest[x], bench + size, size >> queue.level[x], queue.range[j], length_of(belief[j]))
    if x == 0:
        push(queue.long_first, queue.keys[0], -((belief[j] << ROW_BITS) | j))
        queue.keys[0] += 1


@njit(cache=True, nogil=True, _nrt=False)
def leave(queue: Queue, jobs: Jobs, belief: Ints, x: Int, j: Int) -> None:
    """Remove job j of class x.

    Parameters
    ----------
    queue
        Modified in place.
    jobs, belief
        The jobs; (n,) int64, s, how long they run as the scheduler believes.
    x, j
        Class and row.
    """
    queue.waiting[x] -= 1
    queue.width[x] -= jobs.width[j]
    queue.work[x] -= jobs.width[j] * belief[j]
    size = queue.bits.shape[1]
    slot = np.int64(queue.slot[j])
    bench = slot >> BITS
    leaf = bench + size
    queue.bits[x, bench] ^= 1 << (slot & (BENCH - 1))
    if length_of(belief[j]) > queue.shortest[x, leaf, queue.range[j]]:
        return
    least: Int = NO_JOB
    bits = queue.bits[x, bench]
    while bits > 0:
        k = queue.row[x, (bench << BITS) + lowest(bits)]
        if queue.range[k] == queue.range[j]:
            least = min(least, length_of(belief[k]))
        bits &= bits - 1
    lengthen(queue.shortest[x], leaf, size >> queue.level[x], queue.range[j], least)


@njit(cache=True, nogil=True, _nrt=False)
def longest_short(queue: Queue, started: Mask) -> Int:
    """Return how long the longest waiting job of the short class runs, s; 0 if none waits.

    Parameters
    ----------
    queue
        Its heap is modified in place.
    started
        (n,) bool, whether a job has started.
    """
    while queue.keys[0] > 0:
        key = -queue.long_first[0]
        if not started[key & ((1 << ROW_BITS) - 1)]:
            return key >> ROW_BITS
        pop(queue.long_first, queue.keys[0])
        queue.keys[0] -= 1
    return 0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def any_narrow(queue: Queue, x: Int, idle: Int) -> bool:
    """Return whether a waiting job of class x of `queue` may be as narrow as `idle`; no such job is missed."""
    root = queue.bits.shape[1] >> queue.level[x]
    return any_short(queue.shortest[x], queue.edges, root, idle, LONGEST)


@njit(cache=True, nogil=True, _nrt=False)
def set_limits(
    queue: Queue,
    when: Ints,
    room: Ints,
    span: Ints,
    has_profile: bool | np.bool_,
    idle: Int,
    t: Int,
    slice_end: Int,
) -> None:
    """Set how long a job of each range of widths may be that starts now; no job that may start is longer.

    Parameters
    ----------
    queue
        Its `limits` are modified in place.
    when, room, span
        (m,), (m,) and (2,) int64, the profile from second t on, see `profile`.
    has_profile
        Whether jobs must fit the profile.
    idle
        Processors that are idle.
    t, slice_end
        s: now; and when jobs leave their processors at the latest, FAR if they need not.
    """
    i = span[FIRST]
    last = span[LAST] if has_profile else i
    for k in range(RANGES - 1, -1, -1):
        width = queue.edges[k]
        limit: Int = NONE_FITS
        if width <= idle:
            while i < last and room[i] >= width:
                i += 1
            limit = LONGEST if i == last or when[i] >= slice_end else length_of(when[i] - t)
        queue.limits[k] = limit


@njit(cache=True, nogil=True, _nrt=False)
def next_within(queue: Queue, belief: Ints, x: Int, slot: Int, limits: Order) -> Int:
    """Return the first slot, from `slot` on, whose job waits and is within its limit; -1 if there is none.

    Parameters
    ----------
    queue
        Not modified.
    belief
        (n,) int64, s, how long jobs run as the scheduler believes.
    x, slot
        The class, and the first slot that is tried.
    limits
        (16,) int32, s, for each range of widths.
    """
    if slot >= queue.slots[x]:
        return -1
    size = queue.bits.shape[1]
    top = size >> queue.level[x]
    bench = slot >> BITS
    least = queue.shortest[x]
    bits = (queue.bits[x, bench] >> (slot & (BENCH - 1))) << (slot & (BENCH - 1))
    while True:
        while bits > 0:
            place = (bench << BITS) + lowest(bits)
            j = queue.row[x, place]
            if length_of(belief[j]) <= limits[queue.range[j]]:
                return place
            bits &= bits - 1
        node = bench + size
        inside = False
        while not inside or node < size:
            if inside:
                node *= 2
            else:
                while node != top and (node & 1) == 1:  # go up while this is the right child of its parent
                    node >>= 1
                if node == top:
                    return -1
                node += 1  # its right neighbour
            inside = False
            for k in range(RANGES):
                inside |= least[node, k] <= limits[k]
        bench = node - size
        bits = queue.bits[x, bench]
