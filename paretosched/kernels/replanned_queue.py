"""Conservative backfilling in the order of arrival that plans every job anew at every event, as far as it matters."""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .events import next_event
from .inputs import Jobs
from .profile import forget_past
from .rule_plan import HANDLED, STARTING, Plan, clear_plan, next_candidate, no_plan, plan_starts
from .running import Running, complete, launch, lay_out, reserve, running_jobs
from .waiting_orders import BENCH, Places, enter, leave, next_fitting, next_waiting
from .waiting_tree import FAR, WIDTH, slots_for


@njit(cache=True, nogil=True)
def replanned_in_turn(jobs: Jobs, capacity: Int, start: Ints) -> None:
    """Fill `start` with the start times of conservative backfilling that plans every job anew at every event.

    In the order of arrival, every waiting job gets the earliest place that delays no job before it. Jobs whose place is
    the present second start; the places of the other jobs are dropped.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    size = slots_for((n + BENCH - 1) // BENCH)
    rows = np.arange(n).astype(np.int32).reshape(1, n)  # the order of arrival is that of the rows
    queue = Places(np.ones(1, np.bool_), rows, rows, np.zeros((1, size), np.int64), np.full((1, 2 * size, 2), FAR))
    _replanned_in_turn(jobs, capacity, running_jobs(start, capacity, True), queue, no_plan(jobs, n))


@njit(cache=True, nogil=True, _nrt=False)
def _replanned_in_turn(jobs: Jobs, capacity: Int, now: Running, queue: Places, plan: Plan) -> None:
    """Do the work of `replanned_in_turn` without allocating memory.

    Parameters
    ----------
    jobs, capacity
        As for `replanned_in_turn`.
    now
        `Running`, modified in place: `start` is filled.
    queue, plan
        No waiting jobs, and a `Plan`; modified in place.
    """
    width = jobs.width
    n = jobs.submit.size
    running: Int = 0
    free: Int = capacity
    wanted: Int = 0  # processors that all waiting jobs need together
    arrived: Int = 0
    newest: Int = 0  # the rows that had arrived at the last pass
    again = False  # whether no job has ended since the last pass
    planned = False  # whether its plan holds
    while arrived < n or wanted > 0:
        t = next_event(jobs, arrived, now, running)
        running, freed = complete(jobs, now, running, t)
        if freed > 0:
            again = False
            free += freed
        first = arrived
        while arrived < n and jobs.submit[arrived] == t:
            wanted += width[arrived]
            arrived += 1
        if wanted <= free:
            again = False
            j = next_waiting(queue, 0, 0)
            while j >= 0:
                leave(queue, jobs, j)
                launch(jobs, now, running, j, t)
                running += 1
                j = next_waiting(queue, 0, j + 1)
            for j in range(first, arrived):
                launch(jobs, now, running, j, t)
                running += 1
            free -= wanted
            wanted = 0
            continue
        for j in range(first, arrived):
            enter(queue, jobs, j)
        if queue.least[0, 1, WIDTH] > free:
            continue

        # If no job has ended since the last pass, a job that could not start then cannot start now: the same jobs are
        # before it, their places are the same, and less time is left.
        sooner: Int = newest if again else 0
        newest = arrived
        if again and planned:
            forget_past(plan.profile.when, plan.profile.span, t)
            place = next_waiting(queue, 0, plan.state[HANDLED] + 1)
            candidate = next_candidate(queue, jobs, 0, sooner, plan.profile, t)
        else:
            again = True
            planned = False
            place = next_waiting(queue, 0, 0)
            while width[place] <= free:  # not all jobs fit
                leave(queue, jobs, place)
                launch(jobs, now, running, place, t)
                running += 1
                free -= width[place]
                wanted -= width[place]
                place = next_waiting(queue, 0, place + 1)
            if queue.least[0, 1, WIDTH] > free:
                continue
            shadow, extra = reserve(now.ends, running, now.width_bits, free, width[place])
            candidate = next_fitting(queue, jobs, 0, max(sooner, place + 1), free, extra, shadow - t)
            if candidate < 0:
                continue
            lay_out(now, running, free, t, plan.profile)
            planned = True
            clear_plan(plan, place, t)
        plan_starts(queue, jobs, plan, 0, place, candidate, t)
        for i in range(plan.state[STARTING]):
            j = np.int64(plan.starting[i])
            leave(queue, jobs, j)
            launch(jobs, now, running, j, t)
            running += 1
            free -= width[j]
            wanted -= width[j]
