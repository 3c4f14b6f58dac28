"""The policies whose queue stays in the order of arrival: FCFS, List and EASY."""

import numpy as np
from numba import njit

from ..core.arrays import Int, Ints, Order
from .events import after_copies, next_event
from .inputs import Jobs
from .running import Running, bits_for, complete, expect, launch, pop, push, reserve, running_jobs
from .waiting_tree import FAR, WIDTH, lift, lower, next_startable, open_smallest, slots_for

NEAR = 128  # measured: 64 to 256 make no difference, a heap alone costs a third more


@njit(cache=True, nogil=True)
def fcfs(jobs: Jobs, capacity: Int, start: Ints) -> None:
    """Fill `start` with the start times of first come, first served.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    start
        (n,) int64, s, filled in place.
    """
    near = np.empty(NEAR, np.int64)
    heap = np.empty(min(jobs.submit.size, capacity) + 1, np.int64)
    in_turn(jobs.submit, jobs.run, jobs.width, None, capacity, start, near, heap)


@njit(cache=True, nogil=True, _nrt=False)
def in_turn(
    submit: Ints, run: Ints, width: Ints, order: Order | None, capacity: Int, start: Ints, near: Ints, heap: Ints
) -> None:
    """Start the jobs in an order; no job starts before the jobs before it.

    Parameters
    ----------
    submit, run
        (n,) int64, s.
    width
        (n,) int64, processors.
    order
        (n,) int32, rows; None for the order of arrival.
    capacity
        Processors.
    start
        (n,) int64, s, filled in place.
    near, heap
        (NEAR,) and (min(n, capacity) + 1,) int64, work space, modified in place.
    """
    # No job overtakes another, so that no queue is needed: each job starts as soon as the jobs before it have started
    # and enough processors are free. The end of a job is handled only when another job needs its processors.
    # Running jobs are packed (finish, width). `near` has those that end next, sorted, latest first: most new jobs
    # belong close to its end. The other running jobs, none of which ends earlier, are in a heap.
    bits = bits_for(capacity)
    mask = (1 << bits) - 1
    nearby = 0
    far = 0
    free = capacity
    t = 0
    for k in range(submit.size):
        j = k if order is None else np.int64(order[k])  # numba decides this when it compiles
        t = max(t, submit[j])
        processors = width[j]
        while free < processors:
            if nearby == 0:
                nearby = min(far, NEAR // 2)
                for i in range(nearby - 1, -1, -1):
                    near[i] = heap[0]
                    pop(heap, far)
                    far -= 1
            nearby -= 1
            t = max(t, near[nearby] >> bits)
            free += near[nearby] & mask
        start[j] = t
        free -= processors
        key = ((t + run[j]) << bits) | processors
        if nearby == NEAR:
            nearby = NEAR // 2
            for i in range(nearby):
                push(heap, far, near[i])
                far += 1
                near[i] = near[i + nearby]
        if far > 0 and key >= heap[0]:
            push(heap, far, key)
            far += 1
        else:
            expect(near, nearby, key)
            nearby += 1


@njit(cache=True, nogil=True)
def backfill_fcfs(jobs: Jobs, capacity: Int, reserving: bool, start: Ints) -> None:
    """Fill `start` with the start times of EASY or of List.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    reserving
        True: EASY. False: List, where any job that fits may start.
    start
        (n,) int64, s, filled in place.
    """
    size = slots_for(jobs.submit.size)
    # Only the part that the longest queue needs is touched, so that memory grows with the queue, not the workload.
    least = np.empty((2 * size, 2), np.int64)
    row_of = np.empty(size, np.int64)
    copies = np.empty(size, np.int64)
    _backfill_fcfs(jobs, capacity, reserving, running_jobs(start, capacity, reserving), least, row_of, copies)


@njit(cache=True, nogil=True, _nrt=False)
def _backfill_fcfs(
    jobs: Jobs, capacity: Int, reserving: bool, now: Running, least: Ints, row_of: Ints, copies: Ints
) -> None:
    """Do the work of `backfill_fcfs` without allocating memory.

    Parameters
    ----------
    jobs, capacity, reserving
        As for `backfill_fcfs`.
    now
        `Running`, modified in place: `start` is filled.
    least
        (2 * size, 2) int64, the tree of the smallest over the slots, modified in place.
    row_of, copies
        (size,) int64, the row of the first job in a slot, and the number of identical jobs in it, modified in place.
    """
    estimate = jobs.estimate
    width = jobs.width
    size = row_of.size
    n = jobs.submit.size
    running: Int = 0
    waiting: Int = 0  # slots in use
    slots: Int = 0  # slots used since the queue was last empty: their order is the order of arrival
    front: Int = 0  # no job waits in the slots before it
    level: Int = -1
    top: Int = size
    free: Int = capacity
    arrivals: Int = 0
    head: Int = -1  # the row for which shadow and extra hold
    shadow: Int = 0
    extra: Int = 0
    while arrivals < n or waiting > 0:
        t = next_event(jobs, arrivals, now, running)
        running, more = complete(jobs, now, running, t)
        if more > 0:
            head = -1
            free += more
        newcomers = slots
        while arrivals < n and jobs.submit[arrivals] == t:
            j = arrivals
            arrivals = after_copies(jobs, j)
            count = arrivals - j
            if waiting == 0 and width[j] * count <= free:
                for i in range(j, arrivals):
                    launch(jobs, now, running, i, t)
                    running += 1
                free -= width[j] * count
                continue
            if slots == 0 or (slots >> level) > 0:
                level += 1
                open_smallest(least, size, level)
                top = size >> level
            row_of[slots] = j
            copies[slots] = count
            lower(least, slots + size, top, width[j], estimate[j])
            slots += 1
            waiting += 1

        blocked = False
        limit: Int = FAR
        after = front  # a job that could not start earlier in this pass cannot start now: fewer processors are free
        while waiting > 0:
            if least[top, WIDTH] > free:
                break
            if not reserving:
                slot = next_startable(least, after, top, size, free, free, limit)
                if slot < 0:
                    break
                j = row_of[slot]
            elif not blocked:
                while copies[front] == 0:
                    front += 1
                slot = front
                j = row_of[slot]
                if width[j] > free:
                    blocked = True
                    if j != head:
                        head = j
                        shadow, extra = reserve(now.ends, running, now.width_bits, free, width[j])
                        limit = shadow - t
                    else:
                        # No job has ended and the head is the same: a job that could not start at the last event
                        # cannot start now, so that only new jobs must be tried.
                        limit = shadow - t
                        if newcomers + 1 == slots:
                            k = row_of[newcomers]
                            if width[k] > free or (width[k] > extra and estimate[k] > limit):
                                break
                    continue
            else:
                slot = next_startable(least, after, top, size, free, extra, limit)
                if slot < 0:
                    break
                j = row_of[slot]
                if estimate[j] > limit:
                    extra -= width[j]
            launch(jobs, now, running, j, t)
            free -= width[j]
            running += 1
            row_of[slot] = j + 1
            copies[slot] -= 1
            after = slot
            if copies[slot] == 0:
                waiting -= 1
                lift(least, slot + size, top)
        if waiting == 0:
            slots = 0
            front = 0
            level = -1
