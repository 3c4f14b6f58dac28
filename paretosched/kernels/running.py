"""The running jobs: when the next one really ends, and what the scheduler expects.

Two small structures over caller-owned arrays, both of packed 64-bit keys so that one comparison decides:

- a binary heap of (finish, row): the next completion;
- an array of (expected end, width), latest first: what EASY reads its reservation from. Jobs with the same
  expected end and width are interchangeable, so that removing any of them is removing the right one.

`Workload` guarantees that the packed keys fit.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
def bits_for(largest):
    """Give the number of bits that hold 0..largest."""
    bits = np.int64(0)
    while (largest >> bits) > 0:
        bits += 1
    return bits


@njit(cache=True, nogil=True, _nrt=False)
def push(heap, size, key):
    """Put `key` into a heap of `size` keys; the heap then has size + 1."""
    i = size
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent] <= key:
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = key


@njit(cache=True, nogil=True, _nrt=False)
def pop(heap, size):
    """Take the smallest key off a heap of `size` keys; the heap then has size - 1."""
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
def expect(ends, size, key):
    """Put `key` into `size` keys sorted latest first."""
    i = size
    while i > 0 and ends[i - 1] < key:
        ends[i] = ends[i - 1]
        i -= 1
    ends[i] = key


@njit(cache=True, nogil=True, _nrt=False)
def forget(ends, size, key):
    """Take `key` off `size` keys sorted latest first; it must be there."""
    low = 0
    high = size - 1
    while low < high:
        middle = (low + high) >> 1
        if ends[middle] > key:
            low = middle + 1
        else:
            high = middle
    for i in range(low, size - 1):
        ends[i] = ends[i + 1]


@njit(cache=True, nogil=True, _nrt=False)
def reserve(ends, size, bits, free, width):
    """Find EASY's reservation for a head that does not fit now.

    Returns
    -------
    shadow, extra
        The expected end at which `width` processors are free, all jobs of one expected end released together,
        and how many more than `width` are free then.
    """
    mask = (np.int64(1) << bits) - 1
    i = size
    shadow = np.int64(0)
    while free < width:
        i -= 1
        shadow = ends[i] >> bits
        free += ends[i] & mask
    while i > 0 and (ends[i - 1] >> bits) == shadow:
        i -= 1
        free += ends[i] & mask
    return shadow, free - width


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits):
    """Start job j at t, as the one after `running` others. Without `ends` (size 1) nobody asks for expected ends."""
    start[j] = t
    push(heap, running, ((t + jobs.run[j]) << row_bits) | j)
    if ends.size > 1:
        expect(ends, running, ((t + jobs.estimate[j]) << width_bits) | jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def complete(jobs, start, heap, ends, running, t, row_bits, width_bits):
    """Take off the jobs that end at t.

    Returns
    -------
    running, freed
        Jobs that still run, and processors that became free.
    """
    mask = (np.int64(1) << row_bits) - 1
    freed = np.int64(0)
    while running > 0 and (heap[0] >> row_bits) == t:
        j = heap[0] & mask
        pop(heap, running)
        if ends.size > 1:
            forget(ends, running, ((start[j] + jobs.estimate[j]) << width_bits) | jobs.width[j])
        running -= 1
        freed += jobs.width[j]
    return running, freed
