"""The running jobs: their true ends, and the ends that the scheduler expects.

Two small structures in arrays of the caller, both with packed 64-bit keys, so that one comparison decides:

- (finish, row), for the next completion: the keys that come next in a short sorted array, the others in a binary heap;
- an array of (expected end, width), latest first, for EASY's reservation. Jobs with the same expected end and width
  are interchangeable, so that any of them may be removed.

Arrays are sorted latest first, so that most changes move few keys: those behind them, four at a time.

`Workload` guarantees that the packed keys fit.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .inputs import Jobs
from .profile import FIRST, LAST

NEAR = 256  # sorted keys; with 128 FCFS takes 14 % longer on CTC
ZERO, ONE, TWO, THREE, FOUR = (np.uint64(i) for i in range(5))  # of unsigned indices


class Running(NamedTuple):
    """The jobs that have started. The caller counts how many of them still run.

    Attributes
    ----------
    start
        (n,) int64, start times of all jobs, s.
    near
        (NEAR,) int64, finish << row_bits | row of the jobs that end next, the latest first.
    nearby
        (1,) int64, how many jobs `near` has: none only if no job runs.
    far
        (most + 1,) int64, for at most `most` running jobs: the keys of the others, a binary heap.
    ends
        (most + 1,) int64, expected end << width_bits | width, the latest first; (1,) if the policy needs no
        expected ends.
    row_bits, width_bits
        Bits that hold a row, and the processors of the machine.
    """

    start: Ints
    near: Ints
    nearby: Ints
    far: Ints
    ends: Ints
    row_bits: Int
    width_bits: Int


class Profile(NamedTuple):
    """The number of free processors over time, see `profile.py`.

    Attributes
    ----------
    when, room
        (m,) int64, s and processors.
    span
        (2,) int64, the part of these arrays that is in use.
    """

    when: Ints
    room: Ints
    span: Ints


def no_profile(size: Int) -> Profile:
    """Return work space for a profile of at most `size` segments."""
    return Profile(np.empty(size, np.int64), np.empty(size, np.int64), np.empty(2, np.int64))


def running_jobs(start: Ints, capacity: Int, expecting: bool) -> Running:
    """Return work space for the running jobs of a machine.

    Parameters
    ----------
    start
        (n,) int64, the start times that the simulation fills.
    capacity
        Processors.
    expecting
        Whether the policy needs expected ends.
    """
    most = min(start.size, capacity) + 1
    return Running(
        start,
        np.empty(NEAR, np.int64),
        np.zeros(1, np.int64),
        np.empty(most, np.int64),
        np.empty(most if expecting else 1, np.int64),
        start.size.bit_length(),
        int(capacity).bit_length(),
    )


@njit(cache=True, nogil=True, inline="always")
def bits_for(largest: Int) -> Int:
    """Return the number of bits that hold 0..largest."""
    bits = 0
    while (largest >> bits) > 0:
        bits += 1
    return bits


@njit(cache=True, nogil=True, _nrt=False)
def push(heap: Ints, size: Int, key: Int) -> None:
    """Insert `key` into a heap of `size` keys; the heap then has size + 1.

    Parameters
    ----------
    heap
        (more than size,) int64, modified in place.
    size, key
        Keys in the heap, and the new one.
    """
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= key:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = key


@njit(cache=True, nogil=True, _nrt=False)
def pop(heap: Ints, size: Int) -> None:
    """Remove the smallest key, heap[0], from a heap of `size` keys; the heap then has size - 1.

    Parameters
    ----------
    heap
        (size or more,) int64, modified in place.
    size
        Keys in the heap, 1 or more.
    """
    # The hole sinks to a leaf along the smaller children, then the last key rises into it: fewer comparisons
    # than sinking the last key itself, which nearly always ends at a leaf.
    size -= 1
    last = heap[size]
    i = 0
    child = 1
    while child + 1 < size:
        child += heap[child + 1] < heap[child]
        heap[i] = heap[child]
        i = child
        child = 2 * i + 1
    if child < size:
        heap[i] = heap[child]
        i = child
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= last:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = last


@njit(cache=True, nogil=True, _nrt=False)
def take_out(heap: Ints, size: Int, key: Int) -> Int:
    """Remove `key` from a heap of `size` keys, if it is there; return how many are left.

    Parameters
    ----------
    heap
        (size or more,) int64, modified in place; its keys are 0 or more.
    size, key
        Keys in the heap, and the one to remove.
    """
    for place in range(size):
        if heap[place] == key:
            i: Int = place
            while i > 0:
                parent = (i - 1) >> 1
                heap[i] = heap[parent]
                i = parent
            heap[0] = key  # as good as the smallest one: it goes
            pop(heap, size)
            return size - 1
    return size


@njit(cache=True, nogil=True, _nrt=False)
def expect(ends: Ints, size: Int, key: Int) -> None:
    """Insert `key` into `size` keys sorted latest first.

    Parameters
    ----------
    ends
        (more than size,) int64, modified in place.
    size, key
        Keys in the array, and the new one.
    """
    i = np.uint64(size)
    while i >= FOUR and ends[i - FOUR] < key:
        ends[i] = ends[i - ONE]
        ends[i - ONE] = ends[i - TWO]
        ends[i - TWO] = ends[i - THREE]
        ends[i - THREE] = ends[i - FOUR]
        i -= FOUR
    if i < THREE:
        while i > ZERO and ends[i - ONE] < key:
            ends[i] = ends[i - ONE]
            i -= ONE
        ends[i] = key
        return
    # Between the last three keys: branches that nobody can predict would take longer than all moves.
    first, second, third = ends[i - ONE], ends[i - TWO], ends[i - THREE]
    ends[i] = min(first, key)
    ends[i - ONE] = min(second, max(first, key))
    ends[i - TWO] = min(third, max(second, key))
    ends[i - THREE] = max(third, key)


@njit(cache=True, nogil=True, _nrt=False)
def forget(ends: Ints, size: Int, key: Int) -> None:
    """Remove `key` from `size` keys sorted latest first; it must be there.

    Parameters
    ----------
    ends
        (size or more,) int64, modified in place.
    size, key
        Keys in the array, and the key to remove.
    """
    i = np.uint64(size)
    behind = key  # what stands behind place i - 1 and has to move there
    while i >= FOUR and ends[i - FOUR] < key:
        last = ends[i - FOUR]
        ends[i - FOUR] = ends[i - THREE]
        ends[i - THREE] = ends[i - TWO]
        ends[i - TWO] = ends[i - ONE]
        ends[i - ONE] = behind
        behind = last
        i -= FOUR
    if i < FOUR:
        while ends[i - ONE] != key:
            ends[i - ONE], behind = behind, ends[i - ONE]
            i -= ONE
        ends[i - ONE] = behind
        return
    first, second, third, fourth = ends[i - ONE], ends[i - TWO], ends[i - THREE], ends[i - FOUR]
    ends[i - ONE] = behind if first <= key else first
    ends[i - TWO] = first if second <= key else second
    ends[i - THREE] = second if third <= key else third
    ends[i - FOUR] = third if fourth <= key else fourth


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def put(near: Ints, nearby: Int, far: Ints, others: Int, key: Int) -> Int:
    """Insert `key` into keys of which the smallest are sorted and the others in a heap.

    Parameters
    ----------
    near, far
        (NEAR,) int64, the smallest keys, latest first, and a heap, modified in place.
    nearby, others, key
        Keys in `near` and in `far`, and the new one.

    Returns
    -------
    nearby
        Keys that are then in `near`.
    """
    if others > 0 and key >= far[0]:
        push(far, others, key)
        return nearby
    if nearby == NEAR:
        nearby = NEAR // 2
        for i in range(nearby):
            push(far, others + i, near[i])
            near[i] = near[i + nearby]
        if key >= far[0]:
            push(far, others + nearby, key)
            return nearby
    expect(near, nearby, key)
    return nearby + 1


@njit(cache=True, nogil=True, _nrt=False)
def refill(near: Ints, far: Ints, others: Int) -> Int:
    """Move the smallest of the `others` keys of heap `far` to `near`, which is empty; return how many there are then.

    Both (NEAR,) and (more,) int64 are modified in place.
    """
    nearby = min(others, NEAR // 2)
    for i in range(nearby - 1, -1, -1):
        near[i] = far[0]
        pop(far, others)
        others -= 1
    return nearby


@njit(cache=True, nogil=True, _nrt=False)
def reserve(ends: Ints, size: Int, bits: Int, free: Int, width: Int) -> tuple[Int, Int]:
    """Return EASY's reservation for a head that does not fit now.

    Parameters
    ----------
    ends
        (size or more,) int64, expected end << bits | width of the running jobs, the latest first.
    size, bits
        Running jobs, and bits of a width.
    free, width
        Processors that are free, and those that the head needs.

    Returns
    -------
    shadow, extra
        The expected end at which `width` processors are free, s, after all jobs with this expected end; and how many
        more than `width` are free then.
    """
    mask = (1 << bits) - 1
    i = size
    shadow = 0
    while free < width:
        i -= 1
        shadow = ends[i] >> bits
        free += ends[i] & mask
    while i > 0 and (ends[i - 1] >> bits) == shadow:
        i -= 1
        free += ends[i] & mask
    return shadow, free - width


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def launch(jobs: Jobs, now: Running, running: Int, j: Int, t: Int) -> None:
    """Start job j at second t, when `running` other jobs run; `now` is modified in place."""
    now.start[j] = t
    nearby = now.nearby[0]
    now.nearby[0] = put(now.near, nearby, now.far, running - nearby, ((t + jobs.run[j]) << now.row_bits) | j)
    if now.ends.size > 1:
        expect(now.ends, running, ((t + jobs.estimate[j]) << now.width_bits) | jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False)
def end_sooner(now: Running, running: Int, j: Int, end: Int, sooner: Int) -> None:
    """Let job j, one of the `running` jobs of `now`, end in second `sooner` and not in second `end`, in place."""
    near, key = now.near, (end << now.row_bits) | j
    nearby: Int = now.nearby[0]
    others: Int = running - nearby
    place: Int = nearby - 1
    while place >= 0 and near[place] < key:
        place -= 1
    if place >= 0 and near[place] == key:
        for i in range(place, nearby - 1):
            near[i] = near[i + 1]
        nearby -= 1
        if nearby == 0:
            nearby = refill(near, now.far, others)
            others -= nearby
    else:
        others = take_out(now.far, others, key)
    now.nearby[0] = put(near, nearby, now.far, others, (sooner << now.row_bits) | j)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_end(now: Running) -> Int:
    """Return the second in which the next of the running jobs of `now` ends; there must be one."""
    return now.near[now.nearby[0] - 1] >> now.row_bits


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def end_next(jobs: Jobs, now: Running, running: Int) -> Int:
    """Remove the job that ends next from `running` jobs and return its row; `now` is modified in place."""
    nearby = now.nearby[0] - 1
    j: Int = now.near[nearby] & ((1 << now.row_bits) - 1)
    if nearby == 0:
        nearby = refill(now.near, now.far, running - 1)
    now.nearby[0] = nearby
    if now.ends.size > 1:
        forget(now.ends, running, ((now.start[j] + jobs.estimate[j]) << now.width_bits) | jobs.width[j])
    return j


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def complete(jobs: Jobs, now: Running, running: Int, t: Int) -> tuple[Int, Int]:
    """Remove the jobs that end in second t, the second of this event; `now` is modified in place.

    Returns
    -------
    running, processors
        Jobs that still run, and processors that became free.
    """
    processors = 0
    while running > 0 and next_end(now) == t:
        processors += jobs.width[end_next(jobs, now, running)]
        running -= 1
    return running, processors


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lay_out(now: Running, running: Int, free: Int, t: Int, profile: Profile) -> None:
    """Set up the profile of the running jobs with their expected ends.

    Parameters
    ----------
    now, running
        `Running`, and how many jobs run.
    free, t
        Processors that are free in second t.
    profile
        Filled in place.
    """
    when = profile.when
    room = profile.room
    width_mask = (1 << now.width_bits) - 1
    first = when.size // 2  # in the middle, so that a change moves only the shorter side
    last = first + 1
    when[first] = t
    room[first] = free
    for i in range(running - 1, -1, -1):
        end = now.ends[i] >> now.width_bits
        if end > when[last - 1]:
            when[last] = end
            room[last] = room[last - 1]
            last += 1
        room[last - 1] += now.ends[i] & width_mask
    profile.span[FIRST] = first
    profile.span[LAST] = last
