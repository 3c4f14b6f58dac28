"""What a simulation on the engine has beside the jobs and the order of the queue, and the outcome of all of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..core.arrays import Ints, read_only
from ..core.errors import InputError
from ..core.watching import unknown_starts
from ..kernels.asking import NOBODY
from ..kernels.inputs import STARTS, Histories
from ..kernels.node_plan import NodePlan
from ..kernels.places import Machine
from ..kernels.predicted import Predictor, new_predictor
from ..kernels.reacting import Users, users_of
from ..kernels.slurm_pace import Pace
from ..kernels.submissions import TAKEN
from ..kernels.waiting_tree import FAR
from ..workload.overruns import asked_times
from ..workload.workload import Workload
from .node_plans import check_all_ran, lives_of, node_plan, pace_of, pauses_of, placement_of
from .outcome import Outcome, Queue, down_of, in_rows, jobs_of
from .submission_limits import NEVER
from .whole_nodes import WholeNodes


def outcome_on_engine(
    workload: Workload,
    queue: Queue,
    kept: bool,
    method: int | None,
    promising: bool = False,
    passes: WholeNodes | None = None,
    is_by_arrival: bool = False,
    asked: Callable[[Ints, Users | None], int] | None = None,
) -> Outcome:
    """Return the outcome of a queue on a machine of which processors may be down at times.

    Parameters
    ----------
    workload, queue
        The jobs and the machine, and how the waiting jobs are ordered and backfilled.
    kept
        Whether the key of a job never changes while it waits.
    method
        How run times are predicted, see `paretosched.kernels.inputs`; None if they are as requested.
    promising
        Whether jobs, in the order of arrival, keep their places from one event to the next.
    passes
        Of a machine of nodes, how often and how far Slurm looks, if jobs start in its passes.
    is_by_arrival
        Whether these take jobs as they were submitted.
    asked
        Returns the address of the function that is asked for keys, see `paretosched.kernels.asking`, for the array
        that is filled with start times, and users who react.
    """
    from ..kernels.engine import simulate  # on demand: kernels take long to import
    from ..kernels.priority import ranking_of

    w, start, predictor = workload, unknown_starts(len(workload)), predictor_of(workload, method)
    ranking, nodes, users = ranking_of(*queue), nodes_of(w), reacting_of(w)
    reservations = min(int(ranking.backfilling.reservations), len(w))
    pace = None if passes is None or nodes is None else pace_of(w, nodes, passes, reservations, is_by_arrival)
    address = NOBODY if asked is None else asked(start, users)
    jobs = jobs_of(w)
    if pace is not None and method is not None and pace.look[0]["suspends"]:
        raise InputError(
            f"{w.name}: run times cannot be predicted where jobs are suspended (--without preemption leaves it out)"
        )
    if pace is not None and method is None:
        jobs = jobs._replace(estimate=asked_times(w))
    machine = simulate(
        jobs, w.capacity, down_of(w), w.calendar, ranking, kept, promising, predictor, start, nodes, pace, users,
        address,
    )  # fmt: skip
    return outcome_at_end(w, start, predictor, machine, users, pace)


def predictor_of(workload: Workload, method: int | None) -> Predictor | None:
    """Return what predicts run times by a method, before the first job; None without one."""
    if method is None:
        return None
    first, corrections = (np.empty(len(workload), dtype=np.int64) for _ in range(2))
    return new_predictor(jobs_of(workload), histories(workload), method, first, corrections)


def nodes_of(workload: Workload) -> NodePlan | None:
    """Return the nodes of a workload's machine as the engine takes them; None if it has none."""
    return None if workload.machine is None else node_plan(workload)


def reacting_of(workload: Workload) -> Users | None:
    """Return the users of a workload, before the first job, if they react; else None."""
    return None if workload.reactions is None else users_of(workload.reactions)


def outcome_at_end(
    workload: Workload,
    start: Ints,
    predictor: Predictor | None,
    machine: Machine,
    users: Users | None,
    pace: Pace | None = None,
) -> Outcome:
    """Return the outcome with these start times, s, with what was predicted, and where jobs ran on the machine.

    With users all of them are by the rows of these.

    Raises
    ------
    InputError
        A job cannot start any more: nodes are down for good, or other limits of memory are met.
    """
    placement = lives = None
    never = never_ran(start, users)
    if isinstance(machine, NodePlan):
        faults = start if never.size == 0 else np.where(never != TAKEN, 0, start)
        check_all_ran(workload, machine, faults if users is None else faults[users.row])
        placement, lives = placement_of(machine, start), lives_of(machine, pace, start)
    outcome = Outcome(start, placement=placement, lives=lives, never=never, pauses=pauses_of(pace))
    if predictor is not None:
        outcome = outcome._replace(first=predictor.first, corrections=predictor.corrections)
    return outcome if users is None else in_rows(outcome._replace(arrival=users.arrival), users.job)


def never_ran(start: Ints, users: Users | None) -> Ints:
    """Return why jobs never ran, see `Outcome.never`, by the rows of users, from their start times, s, -1 for none."""
    if users is None or not (users.reactions.submissions.of_job.size or (users.reactions.kind > STARTS).any()):
        return np.zeros(0, np.int64)
    refused = users.refused[users.reactions.batch[users.job]]
    waits = (refused == TAKEN) & (users.arrival >= FAR)
    return np.where(start < 0, np.where(waits, NEVER, refused), TAKEN)


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
    return Histories(*(read_only(np.ascontiguousarray(column, dtype=np.int64)) for column in columns))
