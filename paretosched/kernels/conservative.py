"""Conservative backfilling: everybody has a reservation. Persistent ones, or all planned anew at every event."""

import numpy as np
from numba import njit

from .profile import FIRST, LAST, add, clear, earliest, forget_past
from .running import bits_for, complete, launch, pop, push
from .waiting_heap import arrange, count_fitting, sink, still_waiting
from .waiting_tree import FAR, lift, lower, next_startable, open_smallest, slots_for


@njit(cache=True, nogil=True)
def conservative(jobs, capacity, start):
    """Fill `start` with the start times of conservative backfilling with persistent reservations.

    A job gets the earliest reservation that delays nobody when it arrives. When jobs end, what they leave unused is
    freed, and every waiting job, in the order of arrival, moves to the earliest place it now can have, which
    is never later than the one it had. `jobs` as in `Jobs`; `start` is (n,) int64.
    """
    n = jobs.submit.size
    size = slots_for(n)
    # Only what the longest queue needs is ever touched, so that memory follows the queue and not the workload.
    least = np.empty((2 * size, 2), np.int64)
    row_of = np.empty(size, np.int64)
    place = np.empty(size, np.int64)
    heap = np.empty(min(n, capacity) + 1, np.int64)
    plans = np.empty(2 * n + 64, np.int64)
    when = np.empty(2 * n + 16, np.int64)
    room = np.empty(2 * n + 16, np.int64)
    moved = np.empty((2, n + 1, 3), np.int64)
    span = np.empty(2, np.int64)
    _conservative(jobs, capacity, start, least, row_of, place, heap, plans, when, room, moved, span)


@njit(cache=True, nogil=True, _nrt=False)
def _conservative(jobs, capacity, start, least, row_of, place, heap, plans, when, room, moved, span):
    submit = jobs.submit
    run = jobs.run
    estimate = jobs.estimate
    width = jobs.width
    size = row_of.size
    n = submit.size
    bits = bits_for(np.int64(n))
    mask = (np.int64(1) << bits) - 1
    running = 0
    planned = 0  # size of the heap of (reservation, slot); a slot may stand in it several times, the lowest holds
    waiting = 0
    used = np.int64(0)  # slots ever used since the queue was last empty: their order is the order of arrival
    level = np.int64(-1)
    top = size
    arrived = 0
    moves = 0  # of the last round of moves: (slot, begin, end of what it left), slots ascending
    page = 0
    clear(when, room, span, submit[0], np.int64(capacity))
    while arrived < n or waiting > 0:
        t = submit[arrived] if arrived < n else FAR
        if running > 0:
            t = min(t, heap[0] >> bits)
        if planned > 0:
            t = min(t, plans[0] >> bits)
        forget_past(when, span, t)

        # What has ended leaves [t, expected end) free.
        ended = False
        freed = np.int64(-1)  # end of the hull of what became free and has not been offered to everybody
        while running > 0 and (heap[0] >> bits) == t:
            j = heap[0] & mask
            pop(heap, running)
            running -= 1
            ended = True
            expected = start[j] + estimate[j]
            if expected > t:
                add(when, room, span, t, expected, width[j])
                freed = max(freed, expected)
        if ended and waiting > 0 and (freed >= 0 or moves > 0):
            # Nobody had an earlier place when last asked. A place that has become free since then must hold, or
            # touch, something that was freed since: what ended now, what jobs before it have left in this
            # round, or what jobs behind it left in the last round. Only starts near that are tried.
            from_ = t if freed >= 0 else FAR
            until = freed
            behind = 0
            # suffix hulls of what was left in the last round
            old = page
            for i in range(moves - 2, -1, -1):
                moved[old, i, 1] = min(moved[old, i, 1], moved[old, i + 1, 1])
                moved[old, i, 2] = max(moved[old, i, 2], moved[old, i + 1, 2])
            page = 1 - page
            fresh = 0
            reach = until
            if moves > 0:
                reach = max(reach, moved[old, 0, 2])
            widest = _widest(when, room, span, reach)
            slot = next_startable(least, np.int64(0), top, size, widest, widest, FAR)
            while slot >= 0:
                while behind < moves and moved[old, behind, 0] <= slot:
                    behind += 1
                low = from_
                high = until
                if behind < moves:
                    low = min(low, moved[old, behind, 1])
                    high = max(high, moved[old, behind, 2])
                j = row_of[slot]
                own = place[slot]
                length = estimate[j]
                after = max(t, low - length + 1)
                before = min(own, high)
                if after < before:
                    better = earliest(when, room, span, after, before, own, width[j], length)
                    if better < before:
                        add(when, room, span, own, own + length, width[j])
                        add(when, room, span, better, better + length, -width[j])
                        place[slot] = better
                        if planned == plans.size:
                            planned = _tidy(plans, place, row_of, used, bits)
                        push(plans, planned, (better << bits) | slot)
                        planned += 1
                        left = max(own, better + length)
                        moved[page, fresh, 0] = slot
                        moved[page, fresh, 1] = left
                        moved[page, fresh, 2] = own + length
                        fresh += 1
                        from_ = min(from_, left)
                        until = max(until, own + length)
                        reach = max(reach, until)
                        widest = _widest(when, room, span, reach)
                slot = next_startable(least, slot + 1, top, size, widest, widest, FAR)
            moves = fresh

        # Who comes now gets the earliest place that delays nobody; a copy none before the one it is a copy of.
        sooner = t
        while arrived < n and submit[arrived] == t:
            j = np.int64(arrived)
            arrived += 1
            if j > 0 and (submit[j - 1] != t or width[j - 1] != width[j] or estimate[j - 1] != estimate[j]):
                sooner = t
            begin = earliest(when, room, span, sooner, FAR, FAR, width[j], estimate[j])
            sooner = begin
            add(when, room, span, begin, begin + estimate[j], -width[j])
            if begin == t:
                start[j] = t
                push(heap, running, ((t + run[j]) << bits) | j)
                running += 1
                continue
            if used == 0 or (used >> level) > 0:
                level += 1
                open_smallest(least, size, level)
                top = size >> level
            row_of[used] = j
            place[used] = begin
            lower(least, used + size, top, width[j], estimate[j])
            if planned == plans.size:
                planned = _tidy(plans, place, row_of, used, bits)
            push(plans, planned, (begin << bits) | used)
            planned += 1
            used += 1
            waiting += 1

        while planned > 0 and (plans[0] >> bits) <= t:
            slot = plans[0] & mask
            due = plans[0] >> bits
            pop(plans, planned)
            planned -= 1
            j = row_of[slot]
            if j < 0 or place[slot] != due:
                continue  # it has moved since, or has started
            start[j] = t
            push(heap, running, ((t + run[j]) << bits) | j)
            running += 1
            row_of[slot] = -1
            waiting -= 1
            lift(least, slot + size, top)
        if waiting == 0:
            used = np.int64(0)
            level = np.int64(-1)
            planned = 0
            moves = 0


@njit(cache=True, nogil=True, _nrt=False)
def _widest(when, room, span, reach):
    # The most processors free at any second before `reach`.
    most = np.int64(0)
    i = span[FIRST]
    last = span[LAST]
    while i < last and when[i] < reach:
        most = max(most, room[i])
        i += 1
    return most


@njit(cache=True, nogil=True, _nrt=False)
def _tidy(plans, place, row_of, used, bits):
    # Drop the entries of jobs that have moved or started since.
    planned = 0
    for slot in range(used):
        if row_of[slot] >= 0:
            push(plans, planned, (place[slot] << bits) | slot)
            planned += 1
    return planned


@njit(cache=True, nogil=True)
def replanned(jobs, capacity, calendar, weights, start):
    """Fill `start` with the start times of conservative backfilling that plans everybody anew at every event.

    In the order of arrival (no genes) or of Greedy's keys, every waiting job gets the earliest place that
    delays nobody before it; whoever's place is now starts, the others' are forgotten. Parameters as for `greedy`.
    """
    n = jobs.submit.size
    waiting = np.empty(n, np.int64)
    queue = np.empty(n, np.int64)
    keys = np.empty(n, np.float64)
    heap = np.empty(min(n, capacity) + 1, np.int64)
    ends = np.empty(min(n, capacity) + 1, np.int64)
    when = np.empty(2 * n + 16, np.int64)
    room = np.empty(2 * n + 16, np.int64)
    span = np.empty(2, np.int64)
    _replanned(jobs, capacity, calendar, weights, start, waiting, queue, keys, heap, ends, when, room, span)


@njit(cache=True, nogil=True, _nrt=False)
def _replanned(jobs, capacity, calendar, weights, start, waiting, queue, keys, heap, ends, when, room, span):
    submit = jobs.submit
    width = jobs.width
    n = submit.size
    row_bits = bits_for(np.int64(n))
    width_bits = bits_for(np.int64(capacity))
    running = 0
    count = 0
    free = np.int64(capacity)
    arrived = 0
    era = 0
    while arrived < n or count > 0:
        t = submit[arrived] if arrived < n else FAR
        if running > 0 and (heap[0] >> row_bits) <= t:
            t = heap[0] >> row_bits
            running, freed = complete(jobs, start, heap, ends, running, t, row_bits, width_bits)
            free += freed
        while era + 1 < calendar.begin.size and calendar.begin[era + 1] <= t:
            era += 1
        while arrived < n and submit[arrived] == t:
            waiting[count] = arrived
            start[arrived] = -1
            count += 1
            arrived += 1
        fitting = count_fitting(waiting, count, width, free)
        if fitting == 0:
            continue
        arrange(jobs, weights, calendar.kind[era], t, waiting, count, queue, keys)
        running, free = plan_all(
            jobs, start, heap, ends, running, free, t, queue, keys, count, fitting, weights.genes.size > 0, when, room,
            span, row_bits, width_bits,
        )  # fmt: skip
        count = still_waiting(waiting, count, start)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def plan_all(
    jobs, start, heap, ends, running, free, t, queue, keys, left, fitting, weighted, when, room, span, row_bits,
    width_bits,
):  # fmt: skip
    """Give the `left` jobs of a queue, of which `fitting` fit, in turn the earliest place; start those due at t.

    Returns
    -------
    running, free
        Jobs that run, and processors that are free.
    """
    estimate = jobs.estimate
    width = jobs.width
    width_mask = (np.int64(1) << width_bits) - 1
    # The profile of the running jobs as they are expected to end.
    last = 1
    when[0] = t
    room[0] = free
    for i in range(running - 1, -1, -1):
        end = ends[i] >> width_bits
        if end > when[last - 1]:
            when[last] = end
            room[last] = room[last - 1]
            last += 1
        room[last - 1] += ends[i] & width_mask
    span[FIRST] = 0
    span[LAST] = last
    position = 0
    # Only who fits now can start now; once all of those are placed, the plans of the others do not matter.
    while fitting > 0:
        if weighted:
            j = queue[0]
            left -= 1
            queue[0] = queue[left]
            keys[0] = keys[left]
            sink(queue, keys, 0, left)
        else:
            j = queue[position]
            position += 1
            left -= 1
        if width[j] <= free:
            fitting -= 1
        place = earliest(when, room, span, t, FAR, FAR, width[j], estimate[j])
        add(when, room, span, place, place + estimate[j], -width[j])
        if place == t:
            launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits)
            free -= width[j]
            running += 1
            fitting = count_fitting(queue[position:], left, width, free)
    return running, free
