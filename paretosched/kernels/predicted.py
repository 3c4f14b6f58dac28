"""Backfilling and Greedy on predicted run times: learnt from the jobs that have ended, put right when too short.

The rules are those of the other kernels, but what they take for a job's estimate changes as time goes on. The queue is
put in order anew at every event, as `replanned` does it, so that nothing has to be kept in step with the predictions.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ..core.arrays import Int, Ints
from ..core.situations import Calendar
from .conservative import plan_all
from .events import era_at, next_event
from .inputs import Jobs, Weights
from .running import (
    Profile,
    Running,
    end_next,
    expect,
    forget,
    launch,
    no_profile,
    pop,
    push,
    reserve,
    running_jobs,
)
from .waiting_heap import Waiting, arrange, count_fitting, no_jobs, still_waiting, take_first

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

    user: Ints
    place: Ints
    begin: Ints
    size: Ints


class Predictor(NamedTuple):
    """What predicts, and what it has learnt and done.

    Attributes
    ----------
    histories, how
        `Histories`; RECENT, INTERPOLATED or PRINTED.
    requested
        (n,) int64, the estimates of the users, s.
    recent
        (u, 2) int64, the run times of the last job of a user that has ended, and of the one before it, s; 0 for none.
    took
        (k,) int64, the run time of the last job of a pair that has ended, s; 0 for none.
    first, corrections
        (n,) int64, the prediction at submission, s, and how often it grew.
    late
        (most + 1,) int64, a heap of expected end << row_bits | row of the running jobs that will run on beyond it; not
        read before that.
    """

    histories: Histories
    how: Int
    requested: Ints
    recent: Ints
    took: Ints
    first: Ints
    corrections: Ints
    late: Ints


@njit(cache=True, nogil=True)
def predicted(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    weights: Weights,
    backfill: Int,
    histories: Histories,
    how: Int,
    start: Ints,
    first: Ints,
    corrections: Ints,
) -> None:
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
        (n,) int64, s, filled in place.
    first, corrections
        (n,) int64, filled in place with the prediction at submission, s, and how often it grew.
    """
    n = jobs.submit.size
    current = Jobs(jobs.submit, jobs.run, jobs.estimate.copy(), jobs.width, jobs.group)
    now = running_jobs(start, capacity, True)
    corrections[:] = 0
    predictor = Predictor(
        histories,
        how,
        jobs.estimate,
        np.zeros((histories.begin.size, 2), np.int64),
        np.zeros(histories.size.size, np.int64),
        first,
        corrections,
        np.empty(now.heap.size, np.int64),
    )
    _predicted(current, capacity, calendar, weights, backfill, predictor, now, no_jobs(n), no_profile(2 * n + 16))


@njit(cache=True, nogil=True, _nrt=False)
def _predicted(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    weights: Weights,
    backfill: Int,
    predictor: Predictor,
    now: Running,
    waiting: Waiting,
    profile: Profile,
) -> None:
    """Do as `predicted` does.

    Parameters
    ----------
    jobs
        `Jobs`, whose `estimate` holds the predictions as they are now, modified in place.
    capacity, calendar, weights, backfill
        As for `predicted`.
    predictor
        Modified in place.
    now
        `Running`, modified in place: `start` is filled.
    waiting, profile
        `Waiting` and `Profile`, modified in place.
    """
    length = jobs.estimate
    late = predictor.late
    weighted = weights.genes.size > 0
    n = jobs.submit.size
    running: Int = 0
    overdue: Int = 0  # entries of `late`
    count: Int = 0
    free: Int = capacity
    arrived: Int = 0
    era: Int = 0
    while arrived < n or count > 0 or overdue > 0:
        t = next_event(jobs, arrived, now, running)
        if overdue > 0:
            t = min(t, late[0] >> now.row_bits)
        while running > 0 and (now.heap[0] >> now.row_bits) == t:
            j = end_next(jobs, now, running)
            running -= 1
            free += jobs.width[j]
            _learn(predictor, j, jobs.run[j])
        overdue = correct(jobs, now, running, predictor, overdue, t)
        era = era_at(calendar, era, t)
        while arrived < n and jobs.submit[arrived] == t:
            length[arrived] = _predict(predictor, arrived)
            predictor.first[arrived] = length[arrived]
            waiting.rows[count] = arrived
            now.start[arrived] = -1
            count += 1
            arrived += 1
        fitting = count_fitting(waiting.rows, count, jobs.width, free)
        if fitting == 0:
            continue

        arrange(jobs, weights, calendar.kind[era], t, waiting, count)
        if backfill == CONSERVATIVE:
            running, free = plan_all(jobs, now, running, free, t, waiting, count, fitting, weighted, profile)
        else:
            reserving = backfill == EASY
            running, free = start_in_order(jobs, now, running, free, t, waiting, count, fitting, weighted, reserving)
        for i in range(count):
            j = waiting.rows[i]
            if now.start[j] == t and length[j] < jobs.run[j]:
                push(late, overdue, ((t + length[j]) << now.row_bits) | j)
                overdue += 1
        count = still_waiting(waiting.rows, count, now.start)


@njit(cache=True, nogil=True, _nrt=False)
def correct(jobs: Jobs, now: Running, running: Int, predictor: Predictor, overdue: Int, t: Int) -> Int:
    """Let the predictions grow that are over in second t; return how many jobs will run on beyond theirs.

    Parameters
    ----------
    jobs, now, predictor
        Modified in place.
    running, overdue
        Jobs that run, and those of them that will run on beyond their prediction.
    t
        The second of this event; jobs that end in it have been taken off.
    """
    length = jobs.estimate
    late = predictor.late
    corrections = predictor.corrections
    while overdue > 0 and (late[0] >> now.row_bits) == t:
        j = late[0] & ((1 << now.row_bits) - 1)
        pop(late, overdue)
        overdue -= 1
        forget(now.ends, running, (t << now.width_bits) | jobs.width[j])
        length[j] = min(predictor.requested[j], length[j] + STEPS[min(corrections[j], STEPS.size - 1)])
        corrections[j] += 1
        expect(now.ends, running - 1, ((now.start[j] + length[j]) << now.width_bits) | jobs.width[j])
        if length[j] < jobs.run[j]:
            push(late, overdue, ((now.start[j] + length[j]) << now.row_bits) | j)
            overdue += 1
    return overdue


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def start_in_order(
    jobs: Jobs,
    now: Running,
    running: Int,
    free: Int,
    t: Int,
    waiting: Waiting,
    left: Int,
    fitting: Int,
    weighted: bool,
    reserving: bool,
) -> tuple[Int, Int]:
    """Start jobs of a queue in turn; the first that does not fit stops the pass, or is given EASY's reservation.

    Parameters and what is returned as for `plan_all`; `reserving` says whether there are reservations.
    """
    blocked = False
    shadow: Int = 0
    extra: Int = 0
    position: Int = 0
    while fitting > 0:
        j = take_first(waiting, position, left, weighted)
        left -= 1
        if not weighted:
            position += 1
        width = jobs.width[j]
        if width > free:
            if blocked:
                continue
            if not reserving:
                break
            blocked = True
            shadow, extra = reserve(now.ends, running, now.width_bits, free, width)
            continue
        fitting -= 1
        if blocked and t + jobs.estimate[j] > shadow:
            if width > extra:
                continue
            extra -= width
        launch(jobs, now, running, j, t)
        running += 1
        free -= width
        fitting = count_fitting(waiting.queue[position:], left, jobs.width, free)
    return running, free


@njit(cache=True, nogil=True, _nrt=False)
def _learn(predictor: Predictor, j: Int, run: Int) -> None:
    """Keep the run time, s, of job j, which has ended; `predictor` is modified in place."""
    histories = predictor.histories
    recent = predictor.recent
    user = histories.user[j]
    if user >= 0:
        recent[user, 1] = recent[user, 0]
        recent[user, 0] = run
        predictor.took[histories.place[j]] = run


@njit(cache=True, nogil=True, _nrt=False)
def _predict(predictor: Predictor, j: Int) -> Int:
    """Return a run time of job j, 1 s to what is requested, from what has been learnt.

    If that is not enough, it is what is requested.
    """
    histories = predictor.histories
    recent = predictor.recent
    took = predictor.took
    how = predictor.how
    requested: Int = predictor.requested[j]
    user = histories.user[j]
    if user < 0:
        return requested
    if how == RECENT:
        if recent[user, 1] == 0:
            return requested
        mean: Int = (recent[user, 0] + recent[user, 1]) // 2
        return min(requested, mean)

    # The paper's list R: lines between neighbouring sizes that have been seen.
    size = histories.size
    own = histories.place[j]
    if how == INTERPOLATED and took[own] > 0:
        same: Int = took[own]
        return min(requested, same)
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
    return max(1, int(np.ceil(guess)))


@njit(cache=True, nogil=True, _nrt=False)
def _seen(took: Ints, first: Int, end: Int, step: Int) -> Int:
    """Return the first pair of which a job has ended, from `first` towards `end`, which is not asked; -1 if none.

    `took` as in `Predictor`; `step` is 1 or -1.
    """
    for place in range(first, end, step):
        if took[place] > 0:
            return place
    return -1
