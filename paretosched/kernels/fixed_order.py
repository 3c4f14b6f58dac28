"""Orders whose keys do not change while a job waits, with any backfilling: nothing is sorted during the simulation.

As long as no job ends, nothing of what held in the last pass becomes better for a job that waited then: the expected
ends of running jobs, and so the places of reservations, are all later than now. So only new jobs need to be tried,
unless one of them comes before a job that has a reservation, or gets one itself.
"""

import numpy as np

from ..core.arrays import Floats, Int, Ints, Order
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .fair_share import Tree
from .fixed_order_pass import (
    ALONE,
    CANDIDATES,
    COMPLETE,
    ENDED,
    FREE,
    HEADS,
    PLANNED,
    RESERVATIONS,
    RUNNING,
    SINCE,
    WAITING,
    Line,
    enter,
    forget_plan,
    leave,
    next_backfilled,
    next_head,
    next_reserved,
    next_stage,
    open_candidates,
    open_reservations,
    resume,
    upsets,
)
from .formulas import Program, evaluate, first_alike
from .inputs import Backfilling, Jobs, Sorted, ints
from .ranked_jobs import LEAST, Stairs, climb, narrow, no_candidates, no_ranks
from .rule_plan import no_plan
from .running import Running, end_next, launch, next_end, running_jobs
from .waiting_tree import FAR


def prioritised_once(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,  # noqa: ARG001  # as `in_order_of_parts`
    shares: Floats,
    half_life: float,  # noqa: ARG001
    tree: Tree,  # noqa: ARG001
    start: Ints,
) -> None:
    """Fill `start` as `in_order_of_parts` does, for keys that depend neither on waits nor on usage, without slack.

    Parameters
    ----------
    jobs, capacity, calendar
        `Jobs`, processors, and `Calendar`.
    order, candidates
        `Program`, the keys of the queue and of the jobs that are backfilled; their stacks are modified in place.
    backfilling
        `Backfilling`, without slack.
    accounts, half_life, tree
        (n,) or (0,) int64, s, and `Tree`: not used, because no key depends on usage.
    shares
        (n,) float64, the share of each job's account.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    everyone = bool(backfilling.entitled.all())
    several = backfilling.reservations > 1
    queue, queue_of = sorted_orders(order, jobs, shares)
    sought, sought_of = queue, queue_of
    if not backfilling.same and not (everyone and backfilling.reservations >= n):  # some wait without reservations
        sought, sought_of = sorted_orders(candidates, jobs, shares)
        if several:
            sought_of = [len(queue.row) + o for o in sought_of]
            sought = Sorted(np.concatenate([queue.row, sought.row]), np.concatenate([queue.place, sought.place]))
    tried = no_candidates(jobs, backfilling, sought)
    most = int(min(n, capacity)) + 2
    line = Line(
        queue,
        sought,
        np.array([queue_of, sought_of], dtype=np.int64),
        no_ranks(len(queue.row), n),
        no_ranks(len(queue.row), 1 if everyone else n),
        tried,
        Stairs(ints(most), ints(most), ints(2)),
        no_plan(jobs, n if several else 1),
        ints(tried.leaves.size, 2),
        ints(13),
    )
    line.state[FREE] = capacity
    now = running_jobs(start, capacity, backfilling.reservations > 0)
    in_fixed_order(jobs, calendar, backfilling, not everyone, now, line)


def sorted_orders(program: Program, jobs: Jobs, shares: Floats) -> tuple[Sorted, list[int]]:
    """Return the different orders of a program for the three situations, and which of them each situation has.

    Parameters
    ----------
    program
        `Program`, whose keys depend neither on waits nor on usage.
    jobs
        `Jobs`.
    shares
        (n,) float64, the share of each job's account.
    """
    first_with = first_alike(program)
    different = sorted(set(first_with))
    n = jobs.submit.size
    row = np.empty((len(different), n), dtype=np.int32)
    place = np.empty_like(row)
    for o, situation in enumerate(different):
        row[o] = np.argsort(-unchanging(program, situation, jobs, shares), kind="stable")
        invert(row[o], place[o])
    return Sorted(row, place), [different.index(s) for s in first_with]


@njit(cache=True, nogil=True)
def unchanging(program: Program, situation: Int, jobs: Jobs, shares: Floats) -> Floats:
    """Return the keys of all jobs in a situation, (n,) float64, if they depend neither on waits nor on usage.

    `program` is a `Program`, whose stack is modified in place; `situation` is 0..2, and `shares`, (n,) float64, has the
    share of each job's account.
    """
    keys = np.empty(jobs.submit.size, np.float64)
    for j in range(keys.size):
        keys[j] = evaluate(program, situation, jobs, j, jobs.submit[j], 0.0, shares[j])
    return keys


@njit(cache=True, nogil=True, _nrt=False)
def invert(row: Order, place: Order) -> None:
    """Fill `place` with the place of each row; both are (n,) int32."""
    for i in range(row.size):
        place[row[i]] = i


@njit(cache=True, nogil=True, _nrt=False)
def in_fixed_order(
    jobs: Jobs, calendar: Calendar, backfilling: Backfilling, choosy: bool, now: Running, line: Line
) -> None:
    """Do the work of `prioritised_once` without allocating memory.

    Parameters
    ----------
    jobs, calendar, backfilling
        As for `prioritised_once`.
    choosy
        Whether some group is not entitled to reservations.
    now
        `Running`, modified in place: `start` is filled.
    line
        Modified in place.
    """
    state = line.state
    n = jobs.submit.size
    arrived: Int = 0
    era: Int = 0
    o: Int = -1
    c: Int = -1
    while arrived < n or state[WAITING] > 0:
        t = next_event(jobs, arrived, now, state[RUNNING])
        while state[RUNNING] > 0 and next_end(now) == t:
            state[FREE] += jobs.width[end_next(jobs, now, state[RUNNING])]
            state[RUNNING] -= 1
            state[PLANNED] = 0
        era = era_at(calendar, era, t)
        situation = calendar.kind[era]
        if line.orders[0, situation] != o or line.orders[1, situation] != c:
            o = line.orders[0, situation]
            c = line.orders[1, situation]
            state[PLANNED] = 0
        first = arrived
        wanted: Int = 0
        while arrived < n and jobs.submit[arrived] == t:
            wanted += jobs.width[arrived]
            arrived += 1
        if state[WAITING] == 0:
            if wanted <= state[FREE]:
                for j in range(first, arrived):
                    launch(jobs, now, state[RUNNING], j, t)
                    state[RUNNING] += 1
                state[FREE] -= wanted
                continue
            state[PLANNED] = 0
        # Since no job has ended, no job before the first new one can start before all reservations are made: the same
        # jobs are before it, their places are the same, and less time is left.
        planned = state[PLANNED] == 1
        state[SINCE] = FAR if planned else 0
        for j in range(first, arrived):
            if state[SINCE] > 0:
                state[SINCE] = min(state[SINCE], line.queue.place[o, j])
            if planned:
                if jobs.width[j] < line.stairs.state[LEAST]:
                    climb(line.plan.profile, jobs.width[j], line.stairs)
                planned = not upsets(jobs, backfilling, line, o, j, t)
        stage: Int = HEADS
        if planned:
            stage = next_stage(jobs, backfilling, line, first, arrived, t)
        if stage != ALONE:
            for j in range(first, arrived):
                enter(jobs, backfilling, choosy, line, j)
        if stage == HEADS:
            forget_plan(line)
        elif stage == RESERVATIONS:
            resume(jobs, line, o, t)
        elif stage == CANDIDATES:
            open_candidates(jobs, line, c, t)
        job: Int = first
        while stage < ENDED:
            if stage == HEADS:
                job = next_head(jobs, line, o)
                if job < 0:
                    stage = open_reservations(jobs, backfilling, choosy, now, line, o, c, t)
                    continue
            elif stage == RESERVATIONS:
                job = next_reserved(jobs, backfilling, choosy, now, line, o, c, t)
                if job < 0:
                    stage = ENDED
                    if state[COMPLETE] == 1:
                        open_candidates(jobs, line, c, t)
                        stage = CANDIDATES
                    continue
            elif stage == CANDIDATES:
                job = next_backfilled(jobs, line, c, t)
                if job < 0:
                    break
            launch(jobs, now, state[RUNNING], job, t)
            state[RUNNING] += 1
            state[FREE] -= jobs.width[job]
            if stage != ALONE:
                leave(jobs, backfilling, choosy, line, job)
            if stage != HEADS:
                narrow(jobs, line.candidates, line.stairs, line.plan.profile, backfilling.reservations > 1, job, t)
            if stage == ALONE or state[WAITING] == 0:
                stage = ENDED
