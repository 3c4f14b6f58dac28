"""Run times that are predicted from jobs that have ended; predictions that prove too short are corrected.

The run time of a job is predicted when it arrives, after all jobs that end in that second have been learnt, in the
order of their rows. No prediction exceeds the job's request; without a history it is the request. If a job still runs
at its expected end, the prediction grows by the next of STEPS, to the request at most; this is an event like an end.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .inputs import INTERPOLATED, PRINTED, RECENT, Histories, Jobs

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


def new_predictor(jobs: Jobs, histories: Histories, how: Int, first: Ints, corrections: Ints) -> Predictor:
    """Return a predictor that knows nothing yet.

    Parameters
    ----------
    jobs
        `Jobs`, with the requests.
    histories, how
        As for `Predictor`.
    first, corrections
        (n,) int64, filled in place by a simulation with the predictions at submission, s, and the numbers of their
        corrections.
    """
    corrections[:] = 0
    return Predictor(
        histories,
        how,
        jobs.estimate,
        np.zeros((histories.begin.size, 2), np.int64),
        np.zeros(histories.size.size, np.int64),
        first,
        corrections,
        np.empty(jobs.submit.size + 1, np.int64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def longer(predictor: Predictor, j: Int, length: Int) -> Int:
    """Return the next prediction of job j, of which one of `length` s has proved too short.

    The correction is counted in `predictor`, in place.
    """
    corrections = predictor.corrections
    step = STEPS[min(corrections[j], STEPS.size - 1)]
    corrections[j] += 1
    return min(predictor.requests[j], length + step)


@njit(cache=True, nogil=True, _nrt=False)
def learn(predictor: Predictor, j: Int, run: Int) -> None:
    """Learn the run time, s, of job j, which has ended; `predictor` is modified in place."""
    histories = predictor.histories
    recent = predictor.recent
    user = histories.user[j]
    if user >= 0:
        recent[user, 1] = recent[user, 0]
        recent[user, 0] = run
        predictor.last_run[histories.place[j]] = run


@njit(cache=True, nogil=True, _nrt=False)
def predict(predictor: Predictor, j: Int) -> Int:
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
