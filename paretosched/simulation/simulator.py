"""A workload and a policy make a schedule.

SCOJO-PECT makes a schedule with segments; all other policies run jobs without a break.

All rules share one convention for events. Times are whole seconds. All events of one second are taken together: first
completions, then arrivals in trace order, then one scheduling pass. A job arrives when it is eligible: when it is
submitted, or in a later second that `Workload.eligible` names. A job runs for its true run time, which never
exceeds its estimate; schedulers see only the estimate, or what `estimates` makes of it. Intervals are half open: a job
may start in the second in which another one ends.
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, one_of
from ..policies.outcome import Outcome, arrivals, in_rows, of_jobs
from ..policies.policy import Policy, PolicyLike, as_policies, as_policy, decided_by
from ..policies.priority import Priority
from ..policies.submission_limits import reasons_of, refusing
from ..policies.time_sharing import TimeSharing
from ..workload.dependencies import dependencies_of
from ..workload.reacting_users import reactions_of
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload
from .estimates import LEARNING, Predictions, knowing_run_times, predict, uses_other_estimates
from .schedule import Schedule

RECORDED, REACT = "recorded", "react"  # when users submit jobs
Several = list[Any] | tuple[PolicyLike, ...]


@overload
def simulate(
    workload: WorkloadLike,
    policy: PolicyLike,
    estimates: str = "requested",
    users: str = RECORDED,
    refusals: bool = False,
) -> Schedule: ...
@overload
def simulate(
    workload: WorkloadLike,
    policy: Several,
    estimates: str = "requested",
    users: str = RECORDED,
    refusals: bool = False,
) -> list[Schedule]: ...
def simulate(
    workload: WorkloadLike,
    policy: PolicyLike | Several,
    estimates: str = "requested",
    users: str = RECORDED,
    refusals: bool = False,
) -> Schedule | list[Schedule]:
    """Return the schedule that a policy makes of a workload; or a list of them, one for each of several policies.

    Parameters
    ----------
    workload
        The jobs and the machine; or the path of a log or of a run directory.
    policy
        A `Policy`, the name of a rule ("fcfs", "list", "easy", "conservative", "conservative-replan",
        "recorded", "scojo", "scojo-opt") or of an order ("sjf", "saf", ...), an order in words
        ("sjf; backfill: easy"), a formula alone ("wait / estimate"), or the path of a policy file. Or a function of the
        waiting jobs and the second, f(jobs, now), that returns a key for each job, the smallest first: `jobs` has the
        arrays `submit`, `wait`, `estimate` (s), `width`, `user`, `group` and `job`, `requests("gpus")`, and of the
        machine `free` and `running`, see `paretosched.policies.own`. Or a `Schedule` that another simulator made. Of a
        list of policies all are simulated, in this order.
    estimates
        What the policy knows of run times: "requested", "recent", "predicted", "printed" or "exact"; see
        `paretosched.simulation.estimates`. FCFS, List and recorded use no estimates. SCOJO-PECT accepts "requested"
        only, because its own file says what it knows.
    users
        "recorded": jobs are submitted when the log says. "react": many of them when others of their user have ended,
        see `paretosched.workload.reacting_users`; the workload of the schedule has the jobs as they were submitted
        then, without recorded waits. Not for SCOJO-PECT.
    refusals
        Whether in Slurm's passes on a machine of nodes jobs are refused at their submission as Slurm does it
        (MaxSubmitJobs, GrpSubmitJobs), and wait for ever for the good end of a job that has none (afterok). They are
        not in the schedule then, but in its `never`. Else all jobs run, as comparisons need it: such a job comes when
        the other one has gone. Not where users react.

    Raises
    ------
    InputError
        There is no such policy or source, or they do not fit each other or the workload; or users are to react, but
        the log does not know them, or has no recorded waits.

    Examples
    --------
    Job 2 is wide and waits for job 1; EASY lets job 3 pass it, FCFS does not.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> simulate(w, "fcfs").start.tolist(), simulate(w, "easy").start.tolist()
    ([0, 10, 15], [0, 10, 2])
    >>> [schedule.name for schedule in simulate(w, ["easy", "wait / estimate"])]
    ['EASY', 'wait / estimate with EASY']

    Jobs 1 and 2 have shown that this user's jobs last 2 s, not 9 s. So the last job may start before the fourth one,
    which waits.

    >>> w = Workload(submit=[0, 2, 4, 5, 6], run=[2, 2, 4, 9, 2], estimate=[9, 9, 4, 9, 9], width=[1, 1, 3, 4, 1],
    ...              capacity=4, user=[7, 7, 8, 8, 7])
    >>> simulate(w, "easy").start.tolist(), simulate(w, "easy", "recent").start.tolist()
    ([0, 2, 4, 8, 17], [0, 2, 4, 8, 6])

    The last job was submitted 3 s after the second one had ended, which FCFS lets wait longer than the log.

    >>> w = Workload([0, 1, 9], [5, 2, 1], [5, 2, 1], [1] * 3, capacity=1, user=[7, 8, 8], wait=[3, 3, 0])
    >>> simulate(w, "fcfs", users="react").workload.submit.tolist()
    [0, 1, 10]
    """
    workload = as_workload(workload)
    one_of("users", users, (RECORDED, REACT))
    if isinstance(policy, list | tuple):
        return [simulate(workload, each, estimates, users, refusals) for each in as_policies(policy)]
    p = as_policy(policy)
    jobs = decided_by(p, workload)
    jobs = with_reactions(p, jobs) if users == REACT else with_dependencies(p, jobs, refusals)
    if not uses_other_estimates(workload, p, estimates):
        name, outcome = p.name, p.outcome(jobs)
    else:
        name = f"{p.name} ({estimates})"
        outcome = p.outcome(knowing_run_times(jobs)) if estimates == "exact" else p.outcome(jobs, LEARNING[estimates])
    if users == REACT:
        return as_submitted(workload, arrivals(jobs, outcome), outcome, name)
    never = never_in(workload, outcome) if outcome.never.any() else ()
    if never:
        rows = np.flatnonzero(outcome.never == 0)
        workload, outcome = workload.take(rows), of_jobs(outcome, rows)
    if jobs.reactions is not None:
        workload = as_eligible(workload, arrivals(jobs, outcome))
    o = outcome
    return Schedule(workload, o.start, name, o.segments, o.searched, o.placement, o.lives, never, o.pauses)


def never_in(workload: Workload, outcome: Outcome) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the reasons for which jobs never ran, each with the numbers of these.

    Raises
    ------
    InputError
        None ran.
    """
    reasons = reasons_of(workload)
    found: dict[str, list[int]] = {}
    for row in np.flatnonzero(outcome.never).tolist():
        found.setdefault(reasons[outcome.never[row]], []).append(int(workload.job[row]))
    if outcome.never.all():
        raise InputError(f"{workload.name}: some job must run, but none does: {', '.join(found)}")
    return tuple((reason, tuple(jobs)) for reason, jobs in found.items())


def with_reactions(policy: Policy, workload: Workload) -> Workload:
    """Return a workload whose users react to what a policy does.

    Raises
    ------
    InputError
        It cannot be simulated how users react to this policy, or the log does not say what they had waited for.
    """
    if why := why_not_reacting(policy, workload):
        raise InputError(f"{policy.name}: users who react are not simulated with this policy, because {why}")
    return workload.with_(reactions=reactions_of(workload))


def with_dependencies(policy: Policy, workload: Workload, refusals: bool = False) -> Workload:
    """Return a workload whose jobs wait for those on which they depend; the same one if none does.

    With `refusals` they may be refused, or wait for ever, in passes of Slurm, see `simulate`.

    Raises
    ------
    InputError
        It cannot be simulated how jobs wait for others under this policy, or jobs wait for one another.
    """
    in_passes = isinstance(policy, Priority) and policy.nodes is not None
    reactions = refusing(workload) if refusals and in_passes else dependencies_of(workload)
    if reactions is None:
        return workload
    if why := why_not_reacting(policy, workload):
        raise InputError(
            f"{policy.name}: dependencies of jobs are not simulated with this policy, because {why}; --without "
            "dependencies leaves them out"
        )
    return workload.with_(reactions=reactions)


def letting_wait(workload: Workload) -> Workload:
    """Return a workload whose jobs wait for those on which they depend, for a search; the same one if none does."""
    reactions = dependencies_of(workload)
    return workload if reactions is None else workload.with_(reactions=reactions)


def why_not_reacting(policy: Policy, workload: Workload) -> str:
    """Return why jobs cannot come when others have ended under a policy; "" if they can."""
    nodes = policy.nodes if isinstance(policy, Priority) else None
    if isinstance(policy, TimeSharing):
        return "it stops jobs and continues them"
    if nodes is not None and workload.machine is None and nodes.of_machine(workload.capacity) is not None:
        return "it starts jobs on whole nodes, of which the log says nothing; import the log with its machine"
    return ""


def as_eligible(workload: Workload, arrival: Ints) -> Workload:
    """Return the same jobs, eligible at other seconds, (n,); those that are have no recorded wait any more."""
    stays = arrival == workload.eligible
    return workload if stays.all() else workload.with_(eligible=arrival, wait=np.where(stays, workload.wait, -1))


def as_submitted(workload: Workload, arrival: Ints, outcome: Outcome, name: str) -> Schedule:
    """Return the schedule of jobs that users submitted so that they were eligible at `arrival`, (n,) s.

    They are in the order in which they were submitted.
    """
    submit = arrival - (workload.eligible - workload.submit)
    if np.array_equal(submit, workload.submit):
        return Schedule(
            workload, outcome.start, name, placement=outcome.placement, lives=outcome.lives, pauses=outcome.pauses
        )
    rows = np.argsort(submit, kind="stable")
    jobs = workload.take(rows, submit=submit[rows], wait=np.full(len(workload), -1))
    outcome = in_rows(outcome, np.argsort(rows))
    return Schedule(jobs, outcome.start, name, placement=outcome.placement, lives=outcome.lives, pauses=outcome.pauses)


def predictions(workload: WorkloadLike, policy: PolicyLike, estimates: str = "predicted") -> Predictions:
    """Return what is predicted while a workload runs under a policy that uses predictions.

    Parameters
    ----------
    workload, policy
        As for `simulate`; the policy must use estimates.
    estimates
        "recent", "predicted" or "printed"; see `paretosched.simulation.estimates`.

    Raises
    ------
    InputError
        As for `simulate`; or the policy or `estimates` needs no predictions.

    Examples
    --------
    The third job is expected to end after the 2 s that the first two took, but lasts 9 s.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 2, 4], run=[2, 2, 9], estimate=[9, 9, 9], width=[1] * 3, capacity=4, user=[7] * 3)
    >>> result = predictions(w, "easy", "recent")
    >>> result.first.tolist(), result.corrections.tolist()
    ([9, 9, 2], [0, 0, 1])
    """
    workload = as_workload(workload)
    p = as_policy(policy)
    if not uses_other_estimates(workload, p, estimates) or estimates not in LEARNING:
        raise InputError(f'nothing is predicted for policy "{p.name}" with estimates "{estimates}"')
    return predict(decided_by(p, workload), p, estimates)
