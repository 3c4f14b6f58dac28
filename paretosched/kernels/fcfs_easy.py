"""The rules whose queue stays in the order of arrival: FCFS, List and EASY."""

import numpy as np
from numba import njit

from .running import bits_for, complete, expect, launch, pop, push, reserve
from .waiting_tree import FAR, WIDTH, lift, lower, next_startable, open_smallest, slots_for

NEAR = 128  # measured: 64 to 256 make no difference, a heap alone costs a third more


@njit(cache=True, nogil=True)
def fcfs(jobs, capacity, start):
    """Fill `start`, (n,) int64, with the start times of first come, first served; `jobs` as in `Jobs`."""
    near = np.empty(NEAR, np.int64)
    heap = np.empty(min(jobs.submit.size, capacity) + 1, np.int64)
    in_turn(jobs.submit, jobs.run, jobs.width, None, capacity, start, near, heap)


@njit(cache=True, nogil=True, _nrt=False)
def in_turn(submit, run, width, order, capacity, start, near, heap):
    """Start the jobs in an order, (n,) int32 or None for that of arrival, nobody before the ones before it."""
    # Nobody overtakes, so there is no queue to keep: each job starts as soon as the ones before it have
    # started and enough has ended. Jobs that have ended are only counted when somebody needs their processors.
    # Running jobs are packed (finish, width). Those that end next are kept sorted, latest first, in `near`, where
    # most new ones belong close to the end; the others, none of which ends earlier, wait in a heap.
    bits = bits_for(np.int64(capacity))
    mask = (np.int64(1) << bits) - 1
    nearby = 0
    far = 0
    free = np.int64(capacity)
    t = np.int64(0)
    for k in range(submit.size):
        j = k if order is None else np.int64(order[k])  # decided when it is compiled
        t = max(t, submit[j])
        needed = width[j]
        while free < needed:
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
        free -= needed
        key = ((t + run[j]) << bits) | needed
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
def backfilled(jobs, capacity, reserving, start):
    """Fill `start`, (n,) int64, with the start times of EASY (`reserving`) or of List (not); `jobs` as in `Jobs`."""
    n = jobs.submit.size
    size = slots_for(n)
    # Only what the longest queue needs is ever touched, so that memory follows the queue and not the workload.
    least = np.empty((2 * size, 2), np.int64)
    row_of = np.empty(size, np.int64)
    copies = np.empty(size, np.int64)
    slots_running = min(n, capacity) + 1
    heap = np.empty(slots_running, np.int64)
    ends = np.empty(slots_running if reserving else 1, np.int64)
    _backfilled(jobs, capacity, reserving, start, least, row_of, copies, heap, ends)


@njit(cache=True, nogil=True, _nrt=False)
def _backfilled(jobs, capacity, reserving, start, least, row_of, copies, heap, ends):
    submit = jobs.submit
    estimate = jobs.estimate
    width = jobs.width
    size = row_of.size
    n = submit.size
    row_bits = bits_for(np.int64(n))
    width_bits = bits_for(np.int64(capacity))
    running = 0
    waiting = 0  # slots in use
    used = np.int64(0)  # slots ever used since the queue was last empty: their order is the order of arrival
    front = np.int64(0)  # nobody waits in the slots before
    level = np.int64(-1)
    top = size
    free = np.int64(capacity)
    arrived = 0
    head = np.int64(-1)  # the row for which shadow and extra hold
    shadow = np.int64(0)
    extra = np.int64(0)
    while arrived < n or waiting > 0:
        t = submit[arrived] if arrived < n else FAR
        if running > 0 and (heap[0] >> row_bits) <= t:
            t = heap[0] >> row_bits
            head = np.int64(-1)
            running, freed = complete(jobs, start, heap, ends, running, t, row_bits, width_bits)
            free += freed
        newcomers = used
        while arrived < n and submit[arrived] == t:
            j = np.int64(arrived)
            arrived += 1
            while (
                arrived < n and submit[arrived] == t and width[arrived] == width[j] and estimate[arrived] == estimate[j]
            ):
                arrived += 1
            count = arrived - j
            if waiting == 0 and width[j] * count <= free:
                for i in range(j, arrived):
                    launch(jobs, start, heap, ends, running, i, t, row_bits, width_bits)
                    running += 1
                free -= width[j] * count
                continue
            if used == 0 or (used >> level) > 0:
                level += 1
                open_smallest(least, size, level)
                top = size >> level
            row_of[used] = j
            copies[used] = count
            lower(least, used + size, top, width[j], estimate[j])
            used += 1
            waiting += 1

        blocked = False
        limit = FAR
        after = front  # who could not start before in this pass cannot now: less is free
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
                        shadow, extra = reserve(ends, running, width_bits, free, width[j])
                        limit = shadow - t
                    else:
                        # Nothing has ended and the head is the same: whoever could not start at the last event
                        # cannot now, so that only the newcomers are to be asked.
                        limit = shadow - t
                        if newcomers + 1 == used:
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
            launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits)
            free -= width[j]
            running += 1
            row_of[slot] = j + 1
            copies[slot] -= 1
            after = slot
            if copies[slot] == 0:
                waiting -= 1
                lift(least, slot + size, top)
        if waiting == 0:
            used = np.int64(0)
            front = np.int64(0)
            level = np.int64(-1)
