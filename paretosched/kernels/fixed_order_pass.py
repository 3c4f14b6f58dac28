"""The stages of a pass in an order that is fixed before the simulation: the first jobs, reservations, the other jobs.

Reservations are planned only as far as they decide about a job that could start. Such a job, a candidate, fits beside
the running jobs and beside the reservations that there are. The jobs before it in the order get their places, until one
of them takes its room, or until it is its turn. What begins after the candidate's end need not be known: see
`rule_plan.py`.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .inputs import Backfilling, Jobs, Sorted
from .profile import add, add_at, forget_past
from .ranked_jobs import (
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
    narrowest,
    next_candidate,
    next_rank,
    reserve_alone,
)
from .rule_plan import (
    HORIZON,
    Plan,
    clear_plan,
    extend_horizon,
    least_before,
    place_before_horizon,
    put_off,
)
from .running import Running, lay_out
from .waiting_orders import BITS
from .waiting_tree import FAR

RUNNING, FREE, WAITING, NAMED = range(4)  # of `Line.state`
PLANNED, HEAD, LAST, HOLDERS, LAID, COMPLETE, LIMITED, SINCE, ACTIVE = range(4, 13)  # of `Line.state`, too
SLOT, RANK = 0, 1  # of `Line.heads`
HEADS, RESERVATIONS, CANDIDATES, ALONE, ENDED = range(5)  # stages of a pass


class Line(NamedTuple):
    """The waiting jobs, and what the last pass found.

    Attributes
    ----------
    queue, sought
        `Sorted`: the orders of the queue, and those of `candidates`. With several reservations, the latter begin with
        the former.
    orders
        (2, 3) int64, which of them hold in each situation: of `queue`, and of `sought` for jobs without reservations.
    waiting, entitled
        `Ranks` of the waiting jobs, and of those that are entitled to reservations, in the orders of the queue.
    candidates
        `Candidates`.
    stairs
        The processors that are free beside all running jobs and reservations.
    plan
        `Plan`; only with two reservations or more.
    heads
        (kinds, 2) int64, work space of a pass: the next SLOT of each kind, and its RANK.
    state
        (13,) int64. RUNNING and WAITING jobs, FREE processors, and waiting jobs of the NAMED groups. Of the last pass:
        whether it PLANNED what comes after it; the ranks of the HEAD, which did not fit, and of the LAST job with a
        reservation; the number of HOLDERS of reservations; whether they are LAID out in the plan, and COMPLETE
        (otherwise no waiting job could start beside those that there are); and whether candidates were LIMITED. Within
        a pass: the rank SINCE which jobs can start before all reservations are made, and the number of ACTIVE kinds in
        `heads`.
    """

    queue: Sorted
    sought: Sorted
    orders: Ints
    waiting: Ranks
    entitled: Ranks
    candidates: Candidates
    stairs: Stairs
    plan: Plan
    heads: Ints
    state: Ints


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def upsets(jobs: Jobs, backfilling: Backfilling, line: Line, o: Int, j: Int, t: Int) -> bool:
    """Return whether the pass in second t, in which job j arrives, cannot go on where the last one ended.

    It cannot if the job is the first one of order o of the queue and fits, or if it gets a reservation before others;
    or if there is no plan to go on with, and the job might start. `jobs`, `backfilling` and `line` are only read.
    """
    state = line.state
    rank = line.queue.place[o, j]
    if rank < state[HEAD] and jobs.width[j] <= state[FREE]:
        return True
    if backfilling.reservations == 0:
        return False
    may_hold = backfilling.entitled[jobs.group[j]]
    if may_hold and rank < state[LAST]:
        return True
    if state[LAID] == 1:
        return False
    if state[COMPLETE] == 1:
        return may_hold and state[HOLDERS] < backfilling.reservations
    return fits(jobs, line.stairs, j, t)


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
def next_stage(jobs: Jobs, backfilling: Backfilling, line: Line, first: Int, arrived: Int, t: Int) -> Int:
    """Return the stage with which a pass goes on after the last one, for the new jobs first..arrived - 1.

    It is RESERVATIONS if they may get some, or if these must be completed; CANDIDATES if several jobs must be tried;
    ALONE if there is one new job and it starts; ENDED if no job can start, so that the new jobs wait.

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
    if backfilling.reservations == 0:
        return ENDED
    named = state[NAMED]
    for j in range(first, arrived):
        named += backfilling.named[jobs.group[j]]
        if state[LAID] == 0:
            continue
        if state[COMPLETE] == 0:
            if fits(jobs, line.stairs, j, t):
                return RESERVATIONS
        elif backfilling.entitled[jobs.group[j]] and state[HOLDERS] < backfilling.reservations:
            return RESERVATIONS
    if state[COMPLETE] == 0:
        return ENDED
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
    state[LAID] = 0
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
def open_reservations(
    jobs: Jobs, backfilling: Backfilling, choosy: bool, now: Running, line: Line, o: Int, c: Int, t: Int
) -> Int:
    """Give a reservation to the head in second t if it is entitled to one; return the stage of the pass.

    With several reservations, the plan is only set up if a job could start beside this one.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    choosy
        Whether some group is not entitled to reservations.
    now
        `Running`, not changed.
    line
        The stairs, the plan, the heads and the state are modified in place.
    o, c, t
        The orders of the queue and of candidates, and the second.
    """
    state = line.state
    stairs = line.stairs
    level_stairs(stairs, state[FREE])
    if backfilling.reservations == 0 or narrowest(line.candidates) > state[FREE]:
        return ENDED
    j = np.int64(line.queue.row[o, state[HEAD]])
    if backfilling.entitled[jobs.group[j]]:
        reserve_first(now, line, state[HEAD], jobs.width[j])
    if backfilling.reservations > 1:
        gather(jobs, line, o, state[SINCE], np.int64(2), t)
        if state[ACTIVE] == 0 and (
            all_hold(backfilling, choosy, line) or not could_start(line.candidates, jobs, c, stairs, t)
        ):
            return ENDED
        profile = line.plan.profile
        lay_out(now, state[RUNNING], state[FREE], t, profile)
        clear_plan(line.plan, 0, t)
        state[LAID] = 1
        if state[HOLDERS] == 1:
            begin = stairs.until[0]
            add(profile.when, profile.room, profile.span, begin, begin + jobs.estimate[j], -jobs.width[j])
    return RESERVATIONS


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def reserve_first(now: Running, line: Line, rank: Int, width: Int) -> None:
    """Give the first reservation to the job with a rank, and of a `width`, in processors; `line` is modified in place.

    `now` is only read.
    """
    state = line.state
    reserve_alone(now, state[RUNNING], state[FREE], width, line.stairs)
    state[HOLDERS] = 1
    state[LAST] = rank


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def all_hold(backfilling: Backfilling, choosy: bool, line: Line) -> bool:
    """Return whether all waiting jobs of `line` get reservations by `backfilling`; `choosy`: not all groups may."""
    return not choosy and backfilling.reservations > line.state[WAITING]


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def resume(jobs: Jobs, line: Line, o: Int, t: Int) -> None:
    """Go on with the reservations of the last pass in second t; `line` is modified in place.

    `jobs` is only read; o is the order of the queue.
    """
    state = line.state
    forget_past(line.plan.profile.when, line.plan.profile.span, t)
    state[COMPLETE] = 0
    gather(jobs, line, o, state[SINCE], np.int64(2), t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_reserved(
    jobs: Jobs, backfilling: Backfilling, choosy: bool, now: Running, line: Line, o: Int, c: Int, t: Int
) -> Int:
    """Give reservations along order o until a job can start, and return it; -1 if none starts before they matter.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    choosy
        Whether some group is not entitled to reservations.
    now
        `Running`, not changed.
    line
        Modified in place.
    o, c, t
        The orders of the queue and of candidates, and the second.
    """
    state = line.state
    if backfilling.reservations > 1:
        return next_planned(jobs, backfilling, choosy, line, o, c, t)
    if state[HOLDERS] == 0:  # the head is not entitled
        rank = next_rank(line.entitled, o, np.int64(0))
        if rank >= 0:
            j = np.int64(line.queue.row[o, rank])
            if jobs.width[j] <= state[FREE]:
                return j
            reserve_first(now, line, rank, jobs.width[j])
    state[COMPLETE] = 1
    return np.int64(-1)


@njit(cache=True, nogil=True, _nrt=False)
def next_planned(jobs: Jobs, backfilling: Backfilling, choosy: bool, line: Line, o: Int, c: Int, t: Int) -> Int:
    """Do the work of `next_reserved` for two reservations or more.

    The first candidate of the order starts if it still fits when all jobs before it have their places.

    Parameters
    ----------
    jobs, backfilling, choosy
        As for `next_reserved`.
    line
        Modified in place.
    o, c, t
        As for `next_reserved`.
    """
    state = line.state
    plan = line.plan
    profile = plan.profile
    ranks = line.entitled if choosy else line.waiting
    while state[HOLDERS] < backfilling.reservations:
        head = first_candidate(jobs, backfilling, line, o, t)
        candidate: Int = -1
        last: Int = FAR
        end: Int = t
        slack: Int = 0
        if head >= 0:
            last = line.heads[head, RANK]
            candidate = np.int64(line.queue.row[o, last])
            end = t + jobs.estimate[candidate]
            if end > plan.state[HORIZON]:
                extend_horizon(jobs, plan, end, t)
            slack = least_before(profile, end) - jobs.width[candidate]
        elif all_hold(backfilling, choosy, line) or not could_start(line.candidates, jobs, c, line.stairs, t):
            return np.int64(-1)
        elif plan.state[HORIZON] < FAR:  # jobs without reservations may start: they must know all places
            extend_horizon(jobs, plan, np.int64(FAR), t)
        rank = next_rank(ranks, o, state[LAST] + 1)
        if rank < 0:
            break
        while rank < last and slack >= 0 and state[HOLDERS] < backfilling.reservations:
            begin = hold(jobs, line, o, rank, t)
            if candidate < 0:
                break
            if begin < end:
                slack -= jobs.width[line.queue.row[o, rank]]
                if slack < 0:
                    slack = least_before(profile, end) - jobs.width[candidate]
            rank = next_rank(ranks, o, rank + 1)
        if slack >= 0 and rank == last and state[HOLDERS] < backfilling.reservations:
            line.heads[head, RANK] = -1  # not a candidate any more
            return candidate
        climb(profile, narrowest(line.candidates), line.stairs)
    if all_hold(backfilling, choosy, line) or not could_start(line.candidates, jobs, c, line.stairs, t):
        return np.int64(-1)
    if plan.state[HORIZON] < FAR:
        extend_horizon(jobs, plan, np.int64(FAR), t)
    climb(profile, narrowest(line.candidates), line.stairs)
    state[COMPLETE] = 1
    return np.int64(-1)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def hold(jobs: Jobs, line: Line, o: Int, rank: Int, t: Int) -> Int:
    """Give a reservation to the job with a rank of order o in second t; return its begin, s.

    It is put off, and begins at the horizon or later, if there is no place before. `jobs` is only read; the plan and
    the state of `line` are modified in place.
    """
    state = line.state
    plan = line.plan
    profile = plan.profile
    j = np.int64(line.queue.row[o, rank])
    begin, at = place_before_horizon(jobs, plan, j, t)
    if begin < plan.state[HORIZON]:
        end = begin + jobs.estimate[j]
        add_at(profile.when, profile.room, profile.span, at, begin, end, -jobs.width[j])
    else:
        put_off(plan, j)
    state[HOLDERS] += 1
    state[LAST] = rank
    return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def first_candidate(jobs: Jobs, backfilling: Backfilling, line: Line, o: Int, t: Int) -> Int:
    """Return which of the heads is the first job in order o that may start in second t before others get reservations.

    It is -1 if there is none. `jobs` and `backfilling` are only read; the heads and the state of `line` are modified in
    place.
    """
    state = line.state
    while state[ACTIVE] > 0:
        head = first_head(line)
        j = np.int64(line.candidates.row[o, line.heads[head, SLOT]])
        if (
            line.heads[head, RANK] >= state[SINCE]
            and backfilling.entitled[jobs.group[j]]
            and fits(jobs, line.stairs, j, t)
        ):
            return head
        advance(jobs, line, o, head, t)
    return np.int64(-1)


@njit(cache=True, nogil=True, _nrt=False)
def gather(jobs: Jobs, line: Line, c: Int, since: Int, halves: Int, t: Int) -> None:
    """Set up the first job of each kind, in order c, that could start in second t beside all reservations.

    Parameters
    ----------
    jobs
        `Jobs`.
    line
        The heads and the state are modified in place.
    c, since
        The order, and the first rank that matters; jobs shortly before it may be set up, too.
    halves, t
        How many halves of the kinds matter, and the second.
    """
    candidates = line.candidates
    heads = line.heads
    place = line.sought.place
    active: Int = 0
    for half in range(halves):
        bits = candidates.present[half]
        while bits > 0:
            k = kind_of(candidates, half, bits)
            bits &= bits - 1
            if may_start(candidates, c, k, line.stairs, t):
                low: Int = candidates.bench[k]
                high: Int = candidates.bench[k + 1] - 1 if since > 0 else low
                while low < high:  # the last bench that does not begin after this rank
                    middle = (low + high + 1) >> 1
                    if place[c, candidates.row[c, middle << BITS]] <= since:
                        low = middle
                    else:
                        high = middle - 1
                slot = next_candidate(candidates, jobs, c, k, low << BITS, line.stairs, t)
                if slot >= 0:
                    heads[active, SLOT] = slot
                    heads[active, RANK] = place[c, candidates.row[c, slot]]
                    active += 1
    line.state[ACTIVE] = active


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def open_candidates(jobs: Jobs, line: Line, c: Int, t: Int) -> None:
    """Set up the jobs without reservations, in order c, that could start in second t; `line` is modified in place.

    `jobs` is only read.
    """
    limited = line.state[NAMED] > 0
    line.state[LIMITED] = limited
    halves = np.int64(1 if limited else 2)  # the second half has the jobs with too long estimates
    gather(jobs, line, c, np.int64(0), halves, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def first_head(line: Line) -> Int:
    """Return which of the ACTIVE heads of `line`, at least one, has the lowest rank."""
    best: Int = 0
    for i in range(1, line.state[ACTIVE]):
        if line.heads[i, RANK] < line.heads[best, RANK]:
            best = i
    return best


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def advance(jobs: Jobs, line: Line, c: Int, head: Int, t: Int) -> None:
    """Replace a head by the next job of its kind, in order c, that could start in second t; drop it if there is none.

    `jobs` is only read; the heads and the state of `line` are modified in place.
    """
    candidates = line.candidates
    heads = line.heads
    state = line.state
    kind = np.int64(candidates.kind[candidates.row[c, heads[head, SLOT]]])
    slot: Int = np.int64(-1)
    if may_start(candidates, c, kind, line.stairs, t):
        slot = next_candidate(candidates, jobs, c, kind, heads[head, SLOT] + 1, line.stairs, t)
    if slot < 0:
        state[ACTIVE] -= 1
        heads[head, SLOT] = heads[state[ACTIVE], SLOT]
        heads[head, RANK] = heads[state[ACTIVE], RANK]
    else:
        heads[head, SLOT] = slot
        heads[head, RANK] = line.sought.place[c, candidates.row[c, slot]]


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_backfilled(jobs: Jobs, line: Line, c: Int, t: Int) -> Int:
    """Return the next job in order c that can start beside all reservations in second t; -1 if there is none.

    `jobs` is only read; the heads that `open_candidates` has set up in `line` are modified in place.
    """
    while line.state[ACTIVE] > 0:
        head = first_head(line)
        j = np.int64(line.candidates.row[c, line.heads[head, SLOT]])
        startable = fits(jobs, line.stairs, j, t)
        advance(jobs, line, c, head, t)
        if startable:
            return j
    return np.int64(-1)
