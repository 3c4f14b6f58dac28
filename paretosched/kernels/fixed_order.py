"""Orders whose keys do not change while a job waits, with any backfilling: nothing is sorted during the simulation.

As long as no job ends, nothing of what held in the last pass becomes better for a job that waited then: the expected
ends of running jobs, and so the places of reservations, are all later than now. So only new jobs need to be tried,
unless one of them comes before a job that has a reservation, or gets one itself.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ..core.arrays import Floats, Int, Ints, Order
from ..core.situations import Calendar
from .events import era_at, next_event
from .formulas import Program, evaluate
from .inputs import Backfilling, Jobs, Sorted
from .profile import add, earliest
from .ranked_jobs import (
    LEAST,
    Candidates,
    Ranks,
    Stairs,
    add_rank,
    climb,
    could_start,
    drop_candidate,
    drop_rank,
    enter_candidate,
    fits,
    kind_of,
    level_stairs,
    may_start,
    narrow,
    narrowest,
    next_candidate,
    next_rank,
    no_candidates,
    no_ranks,
    reserve_alone,
)
from .running import Profile, Running, end_next, launch, lay_out, no_profile, running_jobs
from .waiting_orders import BITS
from .waiting_tree import FAR

RUNNING, FREE, WAITING, NAMED, PLANNED, HEAD, LAST, HOLDERS, COMPLETE, LIMITED, NEXT, ACTIVE = range(
    12
)  # of `Line.state`
SLOT, RANK = 0, 1  # of `Line.heads`
HEADS, RESERVATIONS, CANDIDATES, ALONE, ENDED = range(5)  # stages of a pass


class Line(NamedTuple):
    """The waiting jobs, and what the last pass found.

    Attributes
    ----------
    queue, tried
        `Sorted`: the orders of the queue and of candidates.
    orders
        (2, 3) int64, which of them hold in each situation.
    waiting, entitled
        `Ranks` of the waiting jobs, and of those that are entitled to reservations, in the orders of the queue.
    candidates
        `Candidates`.
    stairs
        The processors that are free beside all running jobs and reservations.
    profile
        `Profile`; only with two reservations or more.
    heads
        (kinds, 2) int64, work space of a pass: the next SLOT of each kind, and its RANK.
    state
        (12,) int64. RUNNING and WAITING jobs, FREE processors, and waiting jobs of the NAMED groups. Of the last pass:
        whether it PLANNED what comes after it, the ranks of the HEAD, which did not fit, and of the LAST job with a
        reservation, the number of HOLDERS of reservations, whether they are COMPLETE (otherwise no waiting job could
        start beside those that there are), and whether candidates were LIMITED. Within a pass: the NEXT rank that may
        get a reservation, and the number of ACTIVE kinds in `heads`.
    """

    queue: Sorted
    tried: Sorted
    orders: Ints
    waiting: Ranks
    entitled: Ranks
    candidates: Candidates
    stairs: Stairs
    profile: Profile
    heads: Ints
    state: Ints


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
    accounts, half_life
        (n,) or (0,) int64, and s: not used, because no key depends on usage.
    shares
        (n,) float64, the share of each job's account.
    start
        (n,) int64, s, filled in place.
    """
    queue, queue_of = sorted_orders(order, jobs, shares)
    tried, tried_of = (queue, queue_of) if backfilling.same else sorted_orders(candidates, jobs, shares)
    orders = np.array([queue_of, tried_of], dtype=np.int64)
    in_fixed_order(jobs, capacity, calendar, queue, tried, orders, backfilling, start)


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
    codes = [program.code[program.begin[s] : program.begin[s + 1]].tobytes() for s in range(3)]
    first_with = [codes.index(code) for code in codes]
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


@njit(cache=True, nogil=True)
def in_fixed_order(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    queue: Sorted,
    tried: Sorted,
    orders: Ints,
    backfilling: Backfilling,
    start: Ints,
) -> None:
    """Fill `start` with the start times of fixed orders with a backfilling without slack.

    Parameters
    ----------
    jobs, capacity, calendar
        `Jobs`, processors, and `Calendar`.
    queue, tried
        `Sorted`, different orders of the queue, and of candidates.
    orders
        (2, 3) int64, which of them hold in each situation.
    backfilling
        `Backfilling`.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    several = backfilling.reservations > 1
    choosy = not backfilling.entitled.all()
    candidates = no_candidates(jobs, backfilling, tried)
    most = min(n, capacity) + 2
    line = Line(
        queue,
        tried,
        orders,
        no_ranks(queue.row.shape[0], n),
        no_ranks(queue.row.shape[0], n if choosy else 1),
        candidates,
        Stairs(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(2, np.int64)),
        no_profile(2 * n + 16 if several else 1),
        np.empty((candidates.leaves.size, 2), np.int64),
        np.zeros(12, np.int64),
    )
    line.state[FREE] = capacity
    _in_fixed_order(
        jobs, calendar, backfilling, choosy, running_jobs(start, capacity, backfilling.reservations > 0), line
    )


@njit(cache=True, nogil=True, _nrt=False)
def _in_fixed_order(
    jobs: Jobs, calendar: Calendar, backfilling: Backfilling, choosy: bool, now: Running, line: Line
) -> None:
    """Do the work of `in_fixed_order` without allocating memory.

    Parameters
    ----------
    jobs, calendar, backfilling
        As for `in_fixed_order`.
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
        while state[RUNNING] > 0 and (now.heap[0] >> now.row_bits) == t:
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
        planned = state[PLANNED] == 1
        for j in range(first, arrived):
            if planned:
                if jobs.width[j] < line.stairs.state[LEAST]:
                    climb(line.profile, jobs.width[j], line.stairs)
                planned = not upsets(jobs, backfilling, line, o, j, t)
        stage: Int = HEADS
        if planned:
            stage = alone(jobs, backfilling, line, first, arrived, t)
        if stage != ALONE:
            for j in range(first, arrived):
                enter(jobs, backfilling, choosy, line, j)
        if stage == HEADS:
            forget_plan(line)
        elif stage == CANDIDATES:
            gather(jobs, line, c, t)
        job: Int = first
        while stage < ENDED:
            if stage == HEADS:
                job = next_head(jobs, line, o)
                if job < 0:
                    stage = open_reservations(backfilling, now, line, t)
                    continue
            elif stage == RESERVATIONS:
                job = next_reserved(jobs, backfilling, now, line, line.entitled if choosy else line.waiting, o, c, t)
                if job < 0:
                    stage = ENDED
                    if state[COMPLETE] == 1:
                        gather(jobs, line, c, t)
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
                narrow(jobs, line.candidates, line.stairs, line.profile, backfilling.reservations > 1, job, t)
            if stage == ALONE or state[WAITING] == 0:
                stage = ENDED


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def upsets(jobs: Jobs, backfilling: Backfilling, line: Line, o: Int, j: Int, t: Int) -> bool:
    """Return whether job j, which arrives in second t, may change more than whether it starts itself.

    It does if it is the first job of order o of the queue and fits, or if it may get a reservation; or if the
    reservations are not complete, and it might start beside those that there are. `jobs`, `backfilling` and `line` are
    only read.
    """
    state = line.state
    rank = line.queue.place[o, j]
    if rank < state[HEAD] and jobs.width[j] <= state[FREE]:
        return True
    if backfilling.reservations == 0:
        return False
    if backfilling.entitled[jobs.group[j]] and (
        rank < state[LAST] or (state[COMPLETE] == 1 and state[HOLDERS] < backfilling.reservations)
    ):
        return True
    return state[COMPLETE] == 0 and fits(jobs, line.stairs, j, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def enter(jobs: Jobs, backfilling: Backfilling, choosy: bool, line: Line, j: Int) -> None:
    """Add job j to the waiting jobs; `line` is modified in place.

    `jobs` and `backfilling` are only read; `choosy`: not all groups are entitled to reservations.
    """
    group = jobs.group[j]
    line.state[WAITING] += 1
    line.state[NAMED] += backfilling.named[group]
    for o in range(line.queue.place.shape[0]):
        add_rank(line.waiting, o, line.queue.place[o, j])
        if choosy and backfilling.entitled[group]:
            add_rank(line.entitled, o, line.queue.place[o, j])
    if backfilling.reservations > 0:
        enter_candidate(line.candidates, jobs, j)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def leave(jobs: Jobs, backfilling: Backfilling, choosy: bool, line: Line, j: Int) -> None:
    """Remove job j from the waiting jobs; `line` is modified in place.

    `jobs` and `backfilling` are only read; `choosy`: not all groups are entitled to reservations.
    """
    group = jobs.group[j]
    line.state[WAITING] -= 1
    line.state[NAMED] -= backfilling.named[group]
    for o in range(line.queue.place.shape[0]):
        drop_rank(line.waiting, o, line.queue.place[o, j])
        if choosy and backfilling.entitled[group]:
            drop_rank(line.entitled, o, line.queue.place[o, j])
    if backfilling.reservations > 0:
        drop_candidate(line.candidates, jobs, j)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def alone(jobs: Jobs, backfilling: Backfilling, line: Line, first: Int, arrived: Int, t: Int) -> Int:
    """Return the stage of a pass in which only the new jobs, first..arrived - 1, can start.

    It is ALONE if there is one new job and it starts; CANDIDATES if several jobs must be tried; ENDED if no job can
    start, so that the new jobs wait.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    line
        `Line`; whether candidates were LIMITED is set in place.
    first, arrived, t
        Rows, and the second.
    """
    state = line.state
    if backfilling.reservations == 0 or state[COMPLETE] == 0:
        return ENDED
    named = state[NAMED]
    for j in range(first, arrived):
        named += backfilling.named[jobs.group[j]]
    limited = named > 0
    if arrived - first > 1 or (state[LIMITED] == 1 and not limited):
        return CANDIDATES
    state[LIMITED] = limited
    too_long = limited and jobs.estimate[first] > backfilling.longest[jobs.group[first]]
    return ENDED if too_long or not fits(jobs, line.stairs, first, t) else ALONE


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def forget_plan(line: Line) -> None:
    """Forget what the last pass found; the state of `line` is modified in place."""
    state = line.state
    state[HEAD] = 0
    state[PLANNED] = 1
    state[LAST] = -1
    state[HOLDERS] = 0
    state[COMPLETE] = 0
    state[LIMITED] = 0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_head(jobs: Jobs, line: Line, o: Int) -> Int:
    """Return the first job of order o if it fits; otherwise -1.

    `jobs` is only read; in `line`, the rank of the HEAD is set in place.
    """
    state = line.state
    rank = next_rank(line.waiting, o, state[HEAD])
    state[HEAD] = rank if rank >= 0 else FAR
    if rank < 0:
        return np.int64(-1)
    j = np.int64(line.queue.row[o, rank])
    return j if jobs.width[j] <= state[FREE] else np.int64(-1)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def open_reservations(backfilling: Backfilling, now: Running, line: Line, t: Int) -> Int:
    """Set up the processors that are free beside the running jobs in second t; return the stage of the pass.

    `backfilling` and `now` are only read; the stairs, the profile and the state of `line` are modified in place.
    """
    state = line.state
    level_stairs(line.stairs, state[FREE])
    if backfilling.reservations == 0 or narrowest(line.candidates) > state[FREE]:
        return ENDED
    state[NEXT] = state[HEAD]
    if backfilling.reservations > 1:
        lay_out(now, state[RUNNING], state[FREE], t, line.profile)
    return RESERVATIONS


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_reserved(
    jobs: Jobs, backfilling: Backfilling, now: Running, line: Line, ranks: Ranks, o: Int, c: Int, t: Int
) -> Int:
    """Give reservations along order o until a job can start, and return it; -1 if none starts before they matter.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    now, line
        Modified in place.
    ranks
        The jobs that are entitled to reservations.
    o, c, t
        The orders of the queue and of candidates, and the second.
    """
    state = line.state
    stairs = line.stairs
    profile = line.profile
    while state[HOLDERS] < backfilling.reservations:
        if backfilling.reservations > 1 and not could_start(line.candidates, jobs, c, stairs, t):
            return np.int64(-1)
        rank = next_rank(ranks, o, state[NEXT])
        if rank < 0:
            break
        state[NEXT] = rank + 1
        j = np.int64(line.queue.row[o, rank])
        width = jobs.width[j]
        if fits(jobs, stairs, j, t):
            return j
        if backfilling.reservations > 1:
            begin = earliest(profile.when, profile.room, profile.span, t, FAR, FAR, width, jobs.estimate[j])
            add(profile.when, profile.room, profile.span, begin, begin + jobs.estimate[j], -width)
            climb(profile, narrowest(line.candidates), stairs)
        else:
            reserve_alone(now, state[RUNNING], state[FREE], width, stairs)
        state[HOLDERS] += 1
        state[LAST] = rank
    state[COMPLETE] = 1
    return np.int64(-1)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def gather(jobs: Jobs, line: Line, c: Int, t: Int) -> None:
    """Set up the first job of each kind, in order c, that could start in second t beside all reservations.

    `jobs` is only read; the heads and the state of `line` are modified in place.
    """
    candidates = line.candidates
    heads = line.heads
    state = line.state
    limited = state[NAMED] > 0
    state[LIMITED] = limited
    active: Int = 0
    for half in range(1 if limited else 2):  # the second half has the jobs with too long estimates
        bits = candidates.present[half]
        while bits > 0:
            k = kind_of(candidates, half, bits)
            bits &= bits - 1
            if may_start(candidates, c, k, line.stairs, t):
                slot = next_candidate(candidates, jobs, c, k, candidates.bench[k] << BITS, line.stairs, t)
                if slot >= 0:
                    heads[active, SLOT] = slot
                    heads[active, RANK] = line.tried.place[c, candidates.row[c, slot]]
                    active += 1
    state[ACTIVE] = active


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_backfilled(jobs: Jobs, line: Line, c: Int, t: Int) -> Int:
    """Return the next job in order c that can start beside all reservations in second t; -1 if there is none.

    `jobs` is only read; the kinds that `gather` has set up in `line` are modified in place.
    """
    candidates = line.candidates
    heads = line.heads
    state = line.state
    while state[ACTIVE] > 0:
        best = 0
        for i in range(1, state[ACTIVE]):
            if heads[i, RANK] < heads[best, RANK]:
                best = i
        slot = heads[best, SLOT]
        j = np.int64(candidates.row[c, slot])
        startable = fits(jobs, line.stairs, j, t)
        slot = next_candidate(candidates, jobs, c, candidates.kind[j], slot + 1, line.stairs, t)
        if slot < 0:
            state[ACTIVE] -= 1
            heads[best, SLOT] = heads[state[ACTIVE], SLOT]
            heads[best, RANK] = heads[state[ACTIVE], RANK]
        else:
            heads[best, SLOT] = slot
            heads[best, RANK] = line.tried.place[c, candidates.row[c, slot]]
        if startable:
            return j
    return np.int64(-1)
