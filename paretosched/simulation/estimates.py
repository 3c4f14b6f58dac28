"""What a scheduler knows of run times: what users request, what is predicted from history, or the truth.

Only the scheduler's knowledge changes: every job runs for its true run time, and is never killed. Predictions are
causal: the run time of a job is predicted when it is eligible, from the jobs of its user that have ended by then in
the schedule that is being made. Therefore predictions differ from policy to policy.

============  =======================================================================================================
requested     the user's estimate (SWF field 9); the default everywhere
recent        mean of the run times of the user's last two jobs to end (Tsafrir, Etsion and Feitelson, IEEE TPDS 18(6),
              2007), rounded down
predicted     the workload estimator of paper 003, Figure 1, with the corrected line: a job's name is its user, its size
              the time requested, its workload the run time. A size that has occurred takes what it took last; other
              sizes lie on the line through the neighbouring sizes that have occurred
printed       the same with the slope times the size, as the paper prints it; a size that has occurred is used for
              the line only
exact         the true run time, which is unknown in practice: what the best estimates would be worth
============  =======================================================================================================

A prediction never exceeds the request, and is the request where history does not suffice: fewer than two jobs of the
user have ended ("recent"), or jobs of fewer than two sizes ("predicted", "printed"). When a job runs on at its expected
end, the prediction grows by 1, 5, 15, 30 minutes, 1, 2, 5, 10, 20, 50 and 100 hours, at most to the request (Tsafrir's
rule). Every such correction is an event at which the scheduler looks at its queue again. In the keys of orders, and for
the longest request that is backfilled, `estimate` is then the present prediction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.watching import unknown_starts
from ..kernels.inputs import INTERPOLATED, PRINTED, RECENT, Histories
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
        (n,) int64, the prediction of each job when it was eligible, s.
    corrections
        (n,) int64, how often the prediction proved too short.
    """

    start: Ints
    first: Ints
    corrections: Ints

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


def uses_other_estimates(workload: Workload, policy: Policy, estimates: str) -> bool:
    """Return whether a policy is simulated on other estimates than the requested ones.

    Raises
    ------
    InputError
        There is no such source; or a history is needed, but no user is known; or the policy cannot use such estimates;
        or they may prove too short where processors are down at times.
    """
    one_of("estimates", estimates, SOURCES)
    looks_at_them = policy.asks or (workload.down is not None and not policy.replays)  # no job may run into a down time
    if estimates == "requested" or not looks_at_them:
        return False
    if refusal := policy.refuses(learnt=estimates in LEARNING):
        raise InputError(f'estimates "{estimates}" {refusal}')
    if estimates in LEARNING and workload.down is not None:
        raise InputError(
            f'{workload.name}: estimates "{estimates}" may prove too short, and jobs would then run on processors that '
            'are down; choose "requested" or "exact"'
        )
    if estimates in LEARNING and (workload.user < 0).all():
        raise InputError(f"{workload.name}: no job has a known user, so there is no history to predict from")
    return True


def predict(workload: Workload, policy: Policy, estimates: str) -> Predictions:
    """Return predictions and start times under a policy that does not refuse predictions.

    Parameters
    ----------
    workload, policy
        The jobs and the machine, and the policy.
    estimates
        "recent", "predicted" or "printed".
    """
    from ..kernels.predicted import use_predictions  # on demand: kernels take long to import

    arrivals = workload.in_arrival_order
    w = arrivals.jobs
    queue = policy.queue(w)
    result = Predictions(unknown_starts(len(w)), *(np.empty(len(w), dtype=np.int64) for _ in range(2)))
    method = LEARNING[estimates]
    use_predictions(jobs_of(w), w.capacity, w.calendar, *queue, histories(w), method, *result)
    return Predictions(*map(arrivals.by_row, result))


def histories(workload: Workload) -> Histories:
    """Return numbers for the known users of a workload, and for the pairs of user and request.

    Examples
    --------
    >>> w = Workload(submit=[0] * 4, run=[1] * 4, estimate=[5, 9, 5, 5], width=[1] * 4, capacity=4, user=[7, 3, 7, -1])
    >>> h = histories(w)
    >>> h.user.tolist(), h.place.tolist(), h.begin.tolist(), h.size.tolist()
    ([1, 0, 1, -1], [1, 0, 1, 2], [0, 1, 2], [9, 5, 5])
    """
    users = np.unique(workload.user[workload.user >= 0])
    user = np.where(workload.user >= 0, np.searchsorted(users, workload.user), users.size)
    pairs, place = np.unique(np.stack([user, workload.estimate]), axis=1, return_inverse=True)
    begin = np.searchsorted(pairs[0], np.arange(users.size + 1)).astype(np.int64)
    columns = (np.where(workload.user >= 0, user, -1), place.reshape(-1), begin, pairs[1])
    arrays = [np.ascontiguousarray(column, dtype=np.int64) for column in columns]
    for array in arrays:
        array.flags.writeable = False
    return Histories(*arrays)
