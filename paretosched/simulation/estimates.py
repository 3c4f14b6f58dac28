"""What a scheduler is told of run times: what users request, what history teaches, or the truth.

Nothing but the scheduler's knowledge changes: every job runs for its true run time, and nobody kills it. Predictions
are causal. A job is predicted when it is submitted, from the jobs of its user that have ended by then in the very
schedule that is being made, so that they differ from policy to policy.

============  =======================================================================================================
requested     the user's estimate (SWF field 9); the default everywhere
recent        mean of the run times of the user's last two jobs to end (Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6),
              2007), rounded down
predicted     the workload estimator of paper 003, Figure 1, with the corrected line: a job's name is its user, its size
              the time requested, its workload the run time. A size that has been seen takes what it took last; others
              lie on the line through the neighbouring sizes that have been seen
printed       the same with the slope times the size, as the paper prints it, and no use of a size that was seen but
              on a line
exact         the true run time, which nobody knows: what the best estimates would be worth
============  =======================================================================================================

A prediction never exceeds the request, and is the request where history does not suffice: fewer than two jobs of the
user have ended ("recent"), or jobs of fewer than two sizes ("predicted", "printed"). When a job runs on at its expected
end, the prediction grows by 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50 and 100 hours, at most to the request (Tsafrir's
rule); that is an event at which the scheduler looks at its queue again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from ..kernels.predicted import INTERPOLATED, PRINTED, RECENT, Histories, predicted
from ..policies.outcome import jobs_of
from ..policies.policy import Policy
from ..workload.workload import Workload

SOURCES = ("requested", "recent", "predicted", "printed", "exact")
LEARNING = {"recent": RECENT, "predicted": INTERPOLATED, "printed": PRINTED}


class Predictions(NamedTuple):
    """What was predicted in a schedule.

    Attributes
    ----------
    start
        (n,) int64, start times, s.
    first
        (n,) int64, the prediction of each job when it was submitted, s.
    corrections
        (n,) int64, how often it proved too short.
    """

    start: Ints
    first: Ints
    corrections: Ints

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


def used(workload: Workload, policy: Policy, estimates: str) -> bool:
    """Return whether a policy is simulated on other estimates than the requested ones.

    Raises
    ------
    InputError
        There is no such source; a history is needed, but no user is known; or the policy cannot use such estimates.
    """
    one_of("estimates", estimates, SOURCES)
    if estimates == "requested" or not policy.asks:
        return False
    if refusal := policy.refuses(learnt=estimates in LEARNING):
        raise InputError(f'estimates "{estimates}" {refusal}')
    if estimates in LEARNING and (workload.user < 0).all():
        raise InputError(f"{workload.name}: no job has a known user, so there is no history to predict from")
    return True


def predict(workload: Workload, policy: Policy, estimates: str) -> Predictions:
    """Simulate a policy on predictions, which it does not refuse, see `used`.

    Parameters
    ----------
    workload, policy
        What is to be run, under which rule.
    estimates
        "recent", "predicted" or "printed".
    """
    w, queue = workload, policy.queue(workload)
    result = Predictions(*(np.empty(len(w), dtype=np.int64) for _ in range(3)))
    how = LEARNING[estimates]
    predicted(jobs_of(w), w.capacity, w.calendar, queue.weights, queue.backfill, histories(w), how, *result)
    return result


def histories(workload: Workload) -> Histories:
    """Give the known users of a workload numbers, and the pairs of user and request.

    Examples
    --------
    >>> w = Workload(submit=[0] * 4, run=[1] * 4, estimate=[5, 9, 5, 5], width=[1] * 4, capacity=4, user=[7, 3, 7, -1])
    >>> h = histories(w)
    >>> h.user.tolist(), h.place.tolist(), h.begin.tolist(), h.size.tolist()
    ([1, 0, 1, -1], [1, 0, 1, 2], [0, 1, 2], [9, 5, 5])
    """
    known = np.unique(workload.user[workload.user >= 0])
    user = np.where(workload.user >= 0, np.searchsorted(known, workload.user), known.size)
    pairs, place = np.unique(np.stack([user, workload.estimate]), axis=1, return_inverse=True)
    begin = np.searchsorted(pairs[0], np.arange(known.size + 1)).astype(np.int64)
    arrays = (np.where(workload.user >= 0, user, -1), place.reshape(-1), begin, pairs[1])
    made = [np.ascontiguousarray(array, dtype=np.int64) for array in arrays]
    for array in made:
        array.flags.writeable = False
    return Histories(*made)
