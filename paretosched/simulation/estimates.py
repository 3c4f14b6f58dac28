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

from dataclasses import replace
from typing import NamedTuple

from ..core.arrays import Ints
from ..core.errors import InputError, one_of
from ..core.notebook import shown_by_fields
from ..kernels.inputs import INTERPOLATED, PRINTED, RECENT
from ..policies.policy import Policy
from ..policies.time_sharing import TimeSharing
from ..workload.machine import FOR_EVER
from ..workload.node_requests import Texts
from ..workload.workload import Workload

SOURCES = ("requested", "recent", "predicted", "printed", "exact")
LEARNING = {"recent": RECENT, "predicted": INTERPOLATED, "printed": PRINTED}


@shown_by_fields
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


def uses_other_estimates(workload: Workload, policy: Policy, estimates: str) -> bool:
    """Return whether a policy is simulated on other estimates than the requested ones.

    Raises
    ------
    InputError
        There is no such source; or a history is needed, but no user is known; or the policy has run times of its own.
    """
    one_of("estimates", estimates, SOURCES)
    looks_at_them = policy.asks or (workload.down is not None and not policy.replays)  # no job may run into a down time
    if estimates == "requested" or not looks_at_them:
        return False
    if isinstance(policy, TimeSharing):
        raise InputError(
            f'estimates "{estimates}" cannot be used by SCOJO-PECT, whose policy says by "run_times" what it knows of '
            'run times: "known" or "estimates", which are the requested ones'
        )
    if estimates in LEARNING and (workload.user < 0).all():
        raise InputError(f"{workload.name}: no job has a known user, so there is no history to predict from")
    return True


def knowing_run_times(workload: Workload) -> Workload:
    """Return a workload whose requests are the run times; jobs stay out of partitions whose limit is below the request.

    Examples
    --------
    >>> w = Workload([0], [5], [9], [1], capacity=1)
    >>> knowing_run_times(w).estimate.tolist()
    [5]
    """
    machine, requests = workload.machine, workload.requests
    if machine is None or requests is None:
        return workload.with_(estimate=workload.run)
    named = []
    for text, limit in zip(requests.partition.list(), workload.estimate.tolist(), strict=True):
        parts = {machine.partitions[k].name: machine.partitions[k].longest for k in machine.partitions_of(text)}
        allowed = min(limit, max((longest or FOR_EVER for longest in parts.values()), default=0))
        named.append(",".join(name for name, longest in parts.items() if (longest or FOR_EVER) >= allowed))
    return workload.with_(estimate=workload.run, requests=replace(requests, partition=Texts.of(named)))


def predict(workload: Workload, policy: Policy, estimates: str) -> Predictions:
    """Return predictions and start times under a policy that uses other estimates.

    Parameters
    ----------
    workload, policy
        The jobs and the machine, and the policy.
    estimates
        "recent", "predicted" or "printed".
    """
    outcome = policy.outcome(workload, LEARNING[estimates])
    return Predictions(outcome.start, outcome.first, outcome.corrections)
