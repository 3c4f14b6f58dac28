"""Any order with any backfilling and predicted run times, from jobs that have ended; short predictions are corrected.

The policies are those of `in_order_of_parts`, but a job's estimate changes as time goes on. The queue is sorted anew at
every event, so that nothing has to be updated when a prediction changes.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .fair_share import Tree
from .formulas import Program
from .inputs import INTERPOLATED, PRINTED, RECENT, Backfilling, Histories, Jobs
from .priority import Desk, Ranking, empty_desk, ordered_pass
from .running import Running, end_next, expect, forget, next_end, pop, push, running_jobs
from .usage import no_usage, note_usage
from .waiting_heap import still_waiting

# A prediction that is too short grows by these times, s: by the first one, then by the second, ...; the last repeats.
STEPS = np.array([60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000], dtype=np.int64)


class Predictor(NamedTuple):
    """The parameters of the predictions, and their state.

    Attributes
    ----------
    histories, how
        `Histories`; RECENT, INTERPOLATED or PRINTED.
    requests
        (n,) int64, the estimates of the users, s.
    recent
        (u, 2) int64, the run times of the last job of a user that has ended, and of the one before it, s; 0 for none.
    last_run
        (k,) int64, the run time of the last job of a pair that has ended, s; 0 for none.
    first, corrections
        (n,) int64, the prediction at submission, s, and the number of its corrections.
    late
        (most + 1,) int64, a heap of expected end << row_bits | row of the running jobs that will run longer than that;
        an entry is not read before its time.
    """

    histories: Histories
    how: Int
    requests: Ints
    recent: Ints
    last_run: Ints
    first: Ints
    corrections: Ints
    late: Ints


def use_predictions(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
    histories: Histories,
    how: Int,
    start: Ints,
    first: Ints,
    corrections: Ints,
) -> None:
    """Fill `start` with the start times of a policy that gets predictions instead of the jobs' estimates.

    The run time of a job is predicted at its submission, after all jobs that end in that second have been learnt, in
    the order of their rows. No prediction exceeds the job's estimate; without a history it is the estimate. If a job
    still runs at its expected end, the prediction grows by the next of STEPS, to the estimate at most; this is an event
    like an end or an arrival.

    Parameters
    ----------
    jobs
        `Jobs`; `estimate` is the request of the user.
    capacity, calendar, order, candidates, backfilling, accounts, shares, half_life, tree
        As for `in_order_of_parts`; in keys and in `Backfilling.longest`, estimates are predictions.
    histories
        `Histories`.
    how
        RECENT, INTERPOLATED or PRINTED.
    start
        (n,) int64, s, filled in place.
    first, corrections
        (n,) int64, filled in place with the prediction at submission, s, and the number of its corrections.
    """
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
        np.empty(now.far.size, np.int64),
    )
    ranking = Ranking(order, candidates, backfilling, no_usage(accounts, half_life, tree), shares)
    _use_predictions(current, capacity, calendar, ranking, predictor, now, empty_desk(jobs.submit.size, backfilling))


@njit(cache=True, nogil=True, _nrt=False)
def _use_predictions(
    jobs: Jobs, capacity: Int, calendar: Calendar, ranking: Ranking, predictor: Predictor, now: Running, desk: Desk
) -> None:
    """Do the work of `use_predictions` without allocating memory.

    Parameters
    ----------
    jobs
        `Jobs`, whose `estimate` has the present predictions, modified in place.
    capacity, calendar
        As for `use_predictions`.
    ranking, predictor
        Modified in place.
    now
        `Running`, modified in place: `start` is filled.
    desk
        Modified in place.
    """
    length = jobs.estimate
    late = predictor.late
    rows = desk.waiting.rows
    n = jobs.submit.size
    running: Int = 0
    overdue: Int = np.int64(0)  # entries of `late`
    count: Int = np.int64(0)
    free: Int = capacity
    arrivals: Int = np.int64(0)
    era: Int = 0
    while arrivals < n or count > 0 or overdue > 0:
        t = next_event(jobs, arrivals, now, running)
        if overdue > 0:
            t = min(t, late[0] >> now.row_bits)
        while running > 0 and next_end(now) == t:
            j = end_next(jobs, now, running)
            running -= 1
            free += jobs.width[j]
            note_usage(ranking.usage, j, t, -jobs.width[j])
            _learn(predictor, j, jobs.run[j])
        overdue = correct(jobs, now, running, predictor, overdue, t)
        era = era_at(calendar, era, t)
        while arrivals < n and jobs.submit[arrivals] == t:
            length[arrivals] = _predict(predictor, arrivals)
            predictor.first[arrivals] = length[arrivals]
            rows[count] = arrivals
            now.start[arrivals] = -1
            count += 1
            arrivals += 1
        if count == 0:
            continue
        before = running
        running, free = ordered_pass(jobs, now, running, free, t, calendar.kind[era], ranking, desk, count)
        if running == before:
            continue
        for i in range(count):
            j = rows[i]
            if now.start[j] == t and length[j] < jobs.run[j]:
                push(late, overdue, ((t + length[j]) << now.row_bits) | j)
                overdue += 1
        count = still_waiting(rows, count, now.start)


@njit(cache=True, nogil=True, _nrt=False)
def correct(jobs: Jobs, now: Running, running: Int, predictor: Predictor, overdue: Int, t: Int) -> Int:
    """Increase the predictions that end in second t too early; return how many jobs will exceed their predictions.

    Parameters
    ----------
    jobs, now, predictor
        Modified in place.
    running, overdue
        The number of running jobs, and of those that will exceed their predictions.
    t
        The second of this event; jobs that end in it no longer run.
    """
    length = jobs.estimate
    late = predictor.late
    corrections = predictor.corrections
    while overdue > 0 and (late[0] >> now.row_bits) == t:
        j = late[0] & ((1 << now.row_bits) - 1)
        pop(late, overdue)
        overdue -= 1
        forget(now.ends, running, (t << now.width_bits) | jobs.width[j])
        length[j] = min(predictor.requests[j], length[j] + STEPS[min(corrections[j], STEPS.size - 1)])
        corrections[j] += 1
        expect(now.ends, running - 1, ((now.start[j] + length[j]) << now.width_bits) | jobs.width[j])
        if length[j] < jobs.run[j]:
            push(late, overdue, ((now.start[j] + length[j]) << now.row_bits) | j)
            overdue += 1
    return overdue


@njit(cache=True, nogil=True, _nrt=False)
def _learn(predictor: Predictor, j: Int, run: Int) -> None:
    """Learn the run time, s, of job j, which has ended; `predictor` is modified in place."""
    histories = predictor.histories
    recent = predictor.recent
    user = histories.user[j]
    if user >= 0:
        recent[user, 1] = recent[user, 0]
        recent[user, 0] = run
        predictor.last_run[histories.place[j]] = run


@njit(cache=True, nogil=True, _nrt=False)
def _predict(predictor: Predictor, j: Int) -> Int:
    """Return a predicted run time of job j, from 1 s to the request; the request if `predictor` knows too little."""
    histories = predictor.histories
    recent = predictor.recent
    last_run = predictor.last_run
    how = predictor.how
    request: Int = predictor.requests[j]
    user = histories.user[j]
    if user < 0:
        return request
    if how == RECENT:
        if recent[user, 1] == 0:
            return request
        mean: Int = (recent[user, 0] + recent[user, 1]) // 2
        return min(request, mean)

    # The paper's list R: lines between neighbouring requests of which a job has ended.
    size = histories.size
    pair = histories.place[j]
    if how == INTERPOLATED and last_run[pair] > 0:
        same: Int = last_run[pair]
        return min(request, same)
    low = histories.begin[user]
    high = histories.begin[user + 1]
    above = _next_known(last_run, pair + 1, high, 1)
    a = pair if last_run[pair] > 0 else _next_known(last_run, pair - 1, low - 1, -1)
    b = above
    if a < 0 and b >= 0:  # smaller than all requests in the list
        a = b
        b = _next_known(last_run, a + 1, high, 1)
    elif b < 0 and a >= 0:  # the largest request in the list, or above it
        b = _next_known(last_run, a - 1, low - 1, -1)
    if a < 0 or b < 0:
        return request
    rise = float(last_run[b] - last_run[a]) / float(size[b] - size[a])
    guess = abs(rise) * float(request) if how == PRINTED else float(last_run[a]) + rise * float(request - size[a])
    if guess >= float(request):
        return request
    return max(1, int(np.ceil(guess)))


@njit(cache=True, nogil=True, _nrt=False)
def _next_known(last_run: Ints, first: Int, end: Int, step: Int) -> Int:
    """Return the first pair, from `first` to before `end`, of which a job has ended; -1 if there is none.

    Parameters
    ----------
    last_run
        (k,) int64, s, 0 for none, as in `Predictor`; not changed.
    first, end
        Numbers of pairs, -1..k.
    step
        1 for upwards, -1 for downwards.
    """
    for place in range(first, end, step):
        if last_run[place] > 0:
            return place
    return -1
