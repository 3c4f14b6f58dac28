"""Backfilling and Greedy on predicted run times: learnt from the jobs that have ended, put right when too short.

The rules are those of the other kernels, but what they take for a job's estimate changes as time goes on. The queue is
put in order anew at every event, as `replanned` does it, so that nothing has to be kept in step with the predictions.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .conservative import plan_all
from .inputs import Jobs
from .running import bits_for, expect, forget, launch, pop, push, reserve
from .waiting_heap import arrange, count_fitting, sink, still_waiting
from .waiting_tree import FAR

RECENT, INTERPOLATED, PRINTED = range(3)  # how to predict
NO_BACKFILL, EASY, CONSERVATIVE = range(3)
# By how much a prediction that proves too short grows the first, second, ... time, s; the last one again and again.
STEPS = np.array([60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000], dtype=np.int64)


class Histories(NamedTuple):
    """Where what is learnt about a job's user is kept.

    Attributes
    ----------
    user
        (n,) int64, number of the job's user, 0..u-1; -1 where unknown.
    place
        (n,) int64, number of the job's pair of user and request, 0..k-1, ascending by user, then by request.
    begin
        (u + 1,) int64, the first pair of each user, and k.
    size
        (k,) int64, the request of each pair, s.
    """

    user: NDArray[np.int64]
    place: NDArray[np.int64]
    begin: NDArray[np.int64]
    size: NDArray[np.int64]


@njit(cache=True, nogil=True)
def predicted(jobs, capacity, calendar, weights, backfill, histories, how, start, first, corrections):
    """Fill `start` with the start times of a rule that is told predictions instead of the jobs' estimates.

    A job is predicted when it is submitted, after all jobs that end in that second have been learnt from, in the order
    of their rows. No prediction exceeds the job's estimate; without a history it is the estimate. If a job runs on at
    its expected end, the prediction grows by the next of STEPS, to the estimate at most; that is an event like an end
    or an arrival.

    Parameters
    ----------
    jobs
        `Jobs`; `estimate` is what the user has requested.
    capacity, calendar, weights
        As for `greedy`; no genes for the order of arrival.
    backfill
        NO_BACKFILL, EASY or CONSERVATIVE, the latter planned anew at every event.
    histories
        `Histories`.
    how
        RECENT, INTERPOLATED or PRINTED.
    start
        (n,) int64, filled.
    first, corrections
        (n,) int64, filled with the prediction at submission, s, and how often it grew.
    """
    n = jobs.submit.size
    current = Jobs(jobs.submit, jobs.run, jobs.estimate.copy(), jobs.width, jobs.group)
    most_running = min(n, capacity) + 1
    corrections[:] = 0
    _predicted(
        current,
        jobs.estimate,
        capacity,
        calendar,
        weights,
        backfill,
        histories,
        how,
        start,
        first,
        corrections,
        np.zeros((histories.begin.size, 2), np.int64),
        np.zeros(histories.size.size, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.empty((3, most_running), np.int64),
        np.empty((2, 2 * n + 16), np.int64),
        np.empty(2, np.int64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def _predicted(
    jobs, requested, capacity, calendar, weights, backfill, histories, how, start, first, corrections,
    recent, took, waiting, queue, keys, heaps, profile, span,
):  # fmt: skip
    submit = jobs.submit
    run = jobs.run
    length = jobs.estimate  # the predictions as they are now
    width = jobs.width
    heap = heaps[0]  # (end, row) of who runs
    ends = heaps[1]  # (expected end, width), latest first
    late = heaps[2]  # (expected end, row) of who will run on beyond it; nobody looks at it before
    weighted = weights.genes.size > 0
    n = submit.size
    row_bits = bits_for(np.int64(n))
    row_mask = (np.int64(1) << row_bits) - 1
    width_bits = bits_for(np.int64(capacity))
    running = 0
    overdue = 0
    count = 0
    free = np.int64(capacity)
    arrived = 0
    era = 0
    while arrived < n or count > 0 or overdue > 0:
        t = submit[arrived] if arrived < n else FAR
        if running > 0:
            t = min(t, heap[0] >> row_bits)
        if overdue > 0:
            t = min(t, late[0] >> row_bits)
        while running > 0 and (heap[0] >> row_bits) == t:
            j = heap[0] & row_mask
            pop(heap, running)
            forget(ends, running, ((start[j] + length[j]) << width_bits) | width[j])
            running -= 1
            free += width[j]
            _learn(histories, recent, took, j, run[j])
        while overdue > 0 and (late[0] >> row_bits) == t:
            j = late[0] & row_mask
            pop(late, overdue)
            overdue -= 1
            forget(ends, running, (t << width_bits) | width[j])
            length[j] = min(requested[j], length[j] + STEPS[min(corrections[j], STEPS.size - 1)])
            corrections[j] += 1
            expect(ends, running - 1, ((start[j] + length[j]) << width_bits) | width[j])
            if length[j] < run[j]:
                push(late, overdue, ((start[j] + length[j]) << row_bits) | j)
                overdue += 1
        while era + 1 < calendar.begin.size and calendar.begin[era + 1] <= t:
            era += 1
        while arrived < n and submit[arrived] == t:
            length[arrived] = _predict(histories, recent, took, how, arrived, requested[arrived])
            first[arrived] = length[arrived]
            waiting[count] = arrived
            start[arrived] = -1
            count += 1
            arrived += 1
        fitting = count_fitting(waiting, count, width, free)
        if fitting == 0:
            continue

        arrange(jobs, weights, calendar.kind[era], t, waiting, count, queue, keys)
        if backfill == CONSERVATIVE:
            running, free = plan_all(
                jobs, start, heap, ends, running, free, t, queue, keys, count, fitting, weighted, profile[0],
                profile[1], span, row_bits, width_bits,
            )  # fmt: skip
        else:
            blocked = False
            shadow = np.int64(0)
            extra = np.int64(0)
            left = count
            position = 0
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
                if width[j] > free:
                    if blocked:
                        continue
                    if backfill == NO_BACKFILL:
                        break
                    blocked = True
                    shadow, extra = reserve(ends, running, width_bits, free, width[j])
                    continue
                fitting -= 1
                if blocked and t + length[j] > shadow:
                    if width[j] > extra:
                        continue
                    extra -= width[j]
                launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits)
                running += 1
                free -= width[j]
                fitting = count_fitting(queue[position:], left, width, free)
        for i in range(count):
            j = waiting[i]
            if start[j] == t and length[j] < run[j]:
                push(late, overdue, ((t + length[j]) << row_bits) | j)
                overdue += 1
        count = still_waiting(waiting, count, start)


@njit(cache=True, nogil=True, _nrt=False)
def _learn(histories, recent, took, j, run):
    """Keep the run time of a job that has ended."""
    user = histories.user[j]
    if user >= 0:
        recent[user, 1] = recent[user, 0]
        recent[user, 0] = run
        took[histories.place[j]] = run


@njit(cache=True, nogil=True, _nrt=False)
def _predict(histories, recent, took, how, j, requested):
    """Predict a run time, 1 s to `requested`, from what has been learnt; `requested` if that is not enough."""
    user = histories.user[j]
    if user < 0:
        return requested
    if how == RECENT:
        if recent[user, 1] == 0:
            return requested
        return min(requested, (recent[user, 0] + recent[user, 1]) // 2)

    # The paper's list R: lines between neighbouring sizes that have been seen.
    size = histories.size
    own = histories.place[j]
    if how == INTERPOLATED and took[own] > 0:
        return min(requested, took[own])
    low = histories.begin[user]
    high = histories.begin[user + 1]
    above = _seen(took, own + 1, high, 1)
    a = own if took[own] > 0 else _seen(took, own - 1, low - 1, -1)
    b = above
    if a < 0 and b >= 0:  # smaller than all that have been seen
        a = b
        b = _seen(took, a + 1, high, 1)
    elif b < 0 and a >= 0:  # the largest, or beyond
        b = _seen(took, a - 1, low - 1, -1)
    if a < 0 or b < 0:
        return requested
    rise = float(took[b] - took[a]) / float(size[b] - size[a])
    guess = abs(rise) * float(requested) if how == PRINTED else float(took[a]) + rise * float(requested - size[a])
    if guess >= float(requested):
        return requested
    return max(np.int64(1), np.int64(np.ceil(guess)))


@njit(cache=True, nogil=True, _nrt=False)
def _seen(took, first, end, step):
    """Find the first size that has been seen, from `first` towards `end`, which is not looked at; -1 if none."""
    for place in range(first, end, step):
        if took[place] > 0:
            return place
    return -1
