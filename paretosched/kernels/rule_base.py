"""Rule bases (paper 001): every scheduling pass chooses one of thirteen strategies from the state of the system.

All sortings except Greedy's are fixed, so that the place of each job in them is known before the simulation (see
`waiting_orders.py`). Greedy has its tournament, whose games are only played when Greedy is chosen. Orders that no rule
can choose are not updated.

A strategy is chosen only when it makes a difference: when some waiting job fits, but not all of them at once.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Order
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .inputs import Jobs, Rules, Sorted, Weights
from .kinetic_queue import (
    BENCH,
    EMPTY,
    Tournament,
    close_ranks,
    due,
    fill_slot,
    new_tournament,
    note,
    open_bench,
    replay,
)
from .profile import forget_past
from .rule_choice import Ballot, choose
from .rule_plan import (
    HANDLED,
    STARTING,
    Plan,
    clear_plan,
    next_candidate,
    no_plan,
    plan_starts,
)
from .running import Running, end_next, launch, lay_out, next_end, reserve, running_jobs
from .waiting_orders import BENCH as PLACES
from .waiting_orders import Places, enter, leave, next_fitting, next_waiting, row_at
from .waiting_tree import FAR, WIDTH, slots_for

BY_WIDTH, BY_WAIT = 0, 2  # of the sortings width, estimate, wait, priority
FCFS, EASY, CONSERVATIVE = 0, 1, 2  # a strategy is 3 x sorting + algorithm
GREEDY = 12
RUNNING, WANTED, FREE, SEATED, USED, LEVEL, TOP = range(7)  # of `Queue.state`
DELAYED, WORKED = 0, 1  # of `Queue.sums`


class Queue(NamedTuple):
    """The waiting jobs in all orders that can be chosen, and the sums for the features.

    Attributes
    ----------
    places
        The fixed orders.
    game, slot_of
        Greedy's order, and (n,) int32, the slot in it of each waiting job. Minimal if no rule can choose Greedy.
    area
        (G,) int64, estimate x width of the waiting jobs of a group, processor seconds.
    state
        (7,) int64: RUNNING jobs; processors WANTED by all waiting jobs together, 0 if no job waits, and FREE
        processors; of the tournament, the jobs SEATED, the slots USED since it was last empty, and LEVEL and TOP of
        its trees, 0 before their first use.
    sums
        (2,) float64: the slowdown SD of the jobs that have ended is DELAYED / WORKED. Both are added up in the order of
        ends and rows, so that another computation in this order gives the same bits.
    """

    places: Places
    game: Tournament
    slot_of: Order
    area: Ints
    state: Ints
    sums: Floats


def apply_rules(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    weights: Weights,
    rules: Rules,
    order: Sorted,
    start: Ints,
    decisions: Ints,
) -> None:
    """Fill `start` with the start times under a rule base, and count its decisions.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    calendar, weights
        `Calendar` and `Weights` of Greedy, the thirteenth strategy.
    rules
        `Rules`.
    order
        `Sorted`, with all sortings that `rules` can choose.
    start
        (n,) int64, s, filled in place.
    decisions
        int64, increased in place: (situations,) how often each situation occurred, for an iterative base; (13,) how
        often each strategy was chosen, for a symbiotic base.
    """
    n = jobs.submit.size
    features = rules.counts.size
    count = rules.peaks.size
    in_use = np.zeros(4, np.bool_)
    in_use[BY_WAIT] = True  # always, to know which jobs fit
    reserving = False
    planning = False
    for s in range(GREEDY):
        if rules.possible[s]:
            in_use[s // 3] = True
            # if the narrowest job does not fit, no job behind it fits
            reserving |= s % 3 != FCFS and s // 3 != BY_WIDTH
            planning |= s % 3 == CONSERVATIVE and s // 3 != BY_WIDTH
    size = slots_for((n + PLACES - 1) // PLACES)
    greedy = rules.possible[GREEDY]
    queue = Queue(
        Places(in_use, order.row, order.place, np.zeros((4, size), np.int64), np.full((4, 2 * size, 2), FAR)),
        new_tournament(n if greedy else 1),
        np.empty(n if greedy else 1, np.int32),
        np.zeros(features - 2, np.int64),
        np.zeros(7, np.int64),
        np.zeros(2),
    )
    queue.state[FREE] = capacity
    plan = no_plan(jobs, n if planning else 1)
    ballot = Ballot(np.empty(features), np.empty(count), np.empty(count), np.empty(13))
    now = running_jobs(start, capacity, reserving)
    _apply_rules(jobs, capacity, calendar, weights, rules, now, queue, plan, ballot, decisions)


# The arrays come as arguments and are never bound again, so that numba counts no references in the loop. Functions that
# are called at every event are inlined, because passing so many arrays costs more than many passes.
@njit(cache=True, nogil=True, _nrt=False)
def _apply_rules(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    weights: Weights,
    rules: Rules,
    now: Running,
    queue: Queue,
    plan: Plan,
    ballot: Ballot,
    decisions: Ints,
) -> None:
    """Do the work of `apply_rules` without allocating memory.

    Parameters
    ----------
    jobs, capacity, calendar, weights, rules
        As for `apply_rules`.
    now
        `Running`, modified in place: `start` is filled.
    queue, plan, ballot
        An empty `Queue`, a `Plan` and a `Ballot`, modified in place.
    decisions
        (C,) or (13,) int64, as for `apply_rules`, increased in place.
    """
    n = jobs.submit.size
    state = queue.state
    places = queue.places
    arrivals: Int = 0
    era: Int = 0
    last: Int = -1  # the strategy of the last pass, if no job has ended since
    last_arrived: Int = 0  # the number of rows that had arrived then
    planned = False  # whether the plan of the last pass with CONS holds
    while arrivals < n or state[WANTED] > 0:
        t = next_event(jobs, arrivals, now, state[RUNNING])
        if end_jobs(jobs, now, queue, t):
            last = -1
        era = era_at(calendar, era, t)
        first = arrivals
        while arrivals < n and jobs.submit[arrivals] == t:
            state[WANTED] += jobs.width[arrivals]
            arrivals += 1
        if state[WANTED] <= state[FREE]:
            start_everything(jobs, now, queue, first, arrivals, t)
            last = -1
            continue
        for j in range(first, arrivals):
            admit(jobs, queue, rules.possible[GREEDY], j)
        if places.least[BY_WAIT, 1, WIDTH] > state[FREE]:
            continue  # no strategy starts any job

        observe(queue, capacity, ballot)
        strategy, entry = choose(rules, ballot)
        decisions[entry] += 1
        again = strategy == last
        newcomers = last_arrived
        last = strategy
        last_arrived = arrivals
        if strategy == GREEDY:
            start_by_keys(jobs, weights, now, queue, calendar.kind[era], t)
            continue
        o = strategy // 3
        # If no job has ended since a pass with the same strategy, a job that could not start then and comes before all
        # new jobs cannot start now: the same jobs are before it, their places are the same, and less time is left.
        sooner: Int = 0
        if again:
            sooner = FAR
            for i in range(newcomers, arrivals):
                if places.place[o, i] < sooner:
                    sooner = np.int64(places.place[o, i])
        if again and planned and sooner > plan.state[HANDLED]:
            forget_past(plan.profile.when, plan.profile.span, t)
            place = next_waiting(places, o, plan.state[HANDLED] + 1)
            candidate = next_candidate(places, jobs, o, sooner, plan.profile, t)
        else:
            planned = False
            place = start_heads(jobs, now, queue, o, t)
            if strategy % 3 == FCFS or o == BY_WIDTH or places.least[o, 1, WIDTH] > state[FREE]:
                continue
            # The reservation of the head is the same under EASY and CONS.
            processors = jobs.width[row_at(places, o, place)]
            shadow, extra = reserve(now.ends, state[RUNNING], now.width_bits, state[FREE], processors)
            candidate = next_fitting(places, jobs, o, max(sooner, place + 1), state[FREE], extra, shadow - t)
            if strategy % 3 == EASY:
                start_beside_head(jobs, now, queue, o, candidate, extra, shadow, t)
                continue
            if candidate < 0:
                continue
            lay_out(now, state[RUNNING], state[FREE], t, plan.profile)
            planned = True
            clear_plan(plan, place, t)
        plan_starts(places, jobs, plan, o, place, candidate, t)
        for i in range(plan.state[STARTING]):
            begin_now(jobs, now, queue, np.int64(plan.starting[i]), t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def end_jobs(jobs: Jobs, now: Running, queue: Queue, t: Int) -> bool:
    """End the jobs that end in second t; return whether there were any. `now` and `queue` are modified in place."""
    state = queue.state
    ended = False
    while state[RUNNING] > 0 and next_end(now) == t:
        j = end_next(jobs, now, state[RUNNING])
        ended = True
        state[RUNNING] -= 1
        state[FREE] += jobs.width[j]
        weight = float(jobs.run[j]) * float(jobs.width[j])
        queue.sums[DELAYED] += weight * float(t - jobs.submit[j])
        queue.sums[WORKED] += weight * float(jobs.run[j])
    return ended


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def start_everything(jobs: Jobs, now: Running, queue: Queue, first: Int, arrivals: Int, t: Int) -> None:
    """Start all waiting jobs and all jobs that arrive, as every strategy does if all of them fit.

    Parameters
    ----------
    jobs
        `Jobs`.
    now, queue
        Modified in place.
    first, arrivals
        Rows first..arrived - 1 arrive in second t, and are not in the queue; all processors that they need are WANTED.
    t
        The second of this event.
    """
    state = queue.state
    for j in range(first, arrivals):
        state[WANTED] -= jobs.width[j]
    while state[WANTED] > 0:
        begin_now(jobs, now, queue, next_waiting(queue.places, BY_WAIT, 0), t)  # places in this order are rows
    for j in range(first, arrivals):
        launch(jobs, now, state[RUNNING], j, t)
        state[RUNNING] += 1
        state[FREE] -= jobs.width[j]
    state[USED] = 0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def admit(jobs: Jobs, queue: Queue, greedy: bool, j: Int) -> None:
    """Put job j of `jobs` into the queue; into the order of Greedy only if `greedy`, which is whether it can be chosen.

    `queue` is modified in place.
    """
    queue.area[jobs.group[j]] += jobs.estimate[j] * jobs.width[j]
    enter(queue.places, jobs, j)
    if greedy:
        join_tournament(jobs, queue, j)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def join_tournament(jobs: Jobs, queue: Queue, j: Int) -> None:
    """Put job j, which comes after all waiting jobs, into the next slot of the tournament; `queue` is modified."""
    game = queue.game
    slots = game.slots
    state = queue.state
    benches = game.stale.shape[1] >> 1
    past = state[USED]
    level = state[LEVEL]
    if past == 0:
        level = -1
    elif past == BENCH << level and 2 * state[SEATED] <= past:
        past, level = close_ranks(game, past)
        for slot in range(past):
            queue.slot_of[slots[slot]["row"]] = slot
    if past % BENCH == 0:
        for slot in range(past, past + BENCH):
            slots[slot]["row"] = EMPTY
        level = open_bench(game, past // BENCH, level)
    top = benches >> level
    fill_slot(game, past, jobs, j, 1)
    queue.slot_of[j] = past
    for s in range(3):
        note(game, s, past, top)
    state[SEATED] += 1
    state[USED] = past + 1
    state[LEVEL] = level
    state[TOP] = top


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def begin_now(jobs: Jobs, now: Running, queue: Queue, j: Int, t: Int) -> None:
    """Start job j of `jobs`, which waits, in second t; `now` and `queue` are modified in place."""
    state = queue.state
    width = jobs.width[j]
    launch(jobs, now, state[RUNNING], j, t)
    queue.area[jobs.group[j]] -= jobs.estimate[j] * width
    leave(queue.places, jobs, j)
    if state[TOP] > 0:
        slot = np.int64(queue.slot_of[j])
        queue.game.slots[slot]["row"] = EMPTY
        for s in range(3):
            note(queue.game, s, slot, state[TOP])
        state[SEATED] -= 1
    state[RUNNING] += 1
    state[WANTED] -= width
    state[FREE] -= width


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def observe(queue: Queue, capacity: Int, ballot: Ballot) -> None:
    """Fill the features of the ballot, in place: slowdown, load in %, and each group's share of the queue's area in %.

    `capacity` is that of the machine, processors. Areas are added in int64, which cannot overflow because of the bounds
    that `Workload` checks.
    """
    x = ballot.features
    sums = queue.sums
    x[0] = 1.0
    if sums[WORKED] > 0.0:
        x[0] = min(max(sums[DELAYED] / sums[WORKED], 1.0), 100.0)
    x[1] = 100.0 * float(capacity - queue.state[FREE]) / float(capacity)
    whole = 0
    for g in range(queue.area.size):
        whole += queue.area[g]
    for g in range(queue.area.size):
        x[2 + g] = 100.0 * float(queue.area[g]) / float(whole)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def start_by_keys(jobs: Jobs, weights: Weights, now: Running, queue: Queue, s: Int, t: Int) -> None:
    """Start jobs in Greedy's order up to the first job that does not fit; there must be such a job.

    Parameters
    ----------
    jobs, weights
        `Jobs` and `Weights`.
    now, queue
        Modified in place.
    s, t
        The scheduling situation, 0..2, and the second of this pass.
    """
    game = queue.game
    top = queue.state[TOP]
    while True:
        if due(game, s, top, t):
            replay(game, s, top, t, weights)
        j = np.int64(game.slots[game.tree[s, top]["slot"]]["row"])
        if jobs.width[j] > queue.state[FREE]:
            break
        begin_now(jobs, now, queue, j, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def start_heads(jobs: Jobs, now: Running, queue: Queue, o: Int, t: Int) -> Int:
    """Start jobs of order o in second t up to the first job that does not fit, and return the place of that job.

    There must be such a job. `now` and `queue` are modified in place.
    """
    place: Int = -1
    while True:
        place = next_waiting(queue.places, o, place + 1)
        j = row_at(queue.places, o, place)
        if jobs.width[j] > queue.state[FREE]:
            break
        begin_now(jobs, now, queue, j, t)
    return place


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def start_beside_head(
    jobs: Jobs, now: Running, queue: Queue, o: Int, candidate: Int, extra: Int, shadow: Int, t: Int
) -> None:
    """Start the jobs that do not delay the head, as EASY does.

    Parameters
    ----------
    jobs
        `Jobs`.
    now, queue
        Modified in place.
    o, candidate
        The order, and the place in it of the first job that may start; -1 if there is none.
    extra, shadow
        The head's reservation, see `reserve`: processors and s.
    t
        The second of this pass.
    """
    limit = shadow - t
    while candidate >= 0:
        j = row_at(queue.places, o, candidate)
        if jobs.estimate[j] > limit:
            extra -= jobs.width[j]
        begin_now(jobs, now, queue, j, t)
        candidate = next_fitting(queue.places, jobs, o, candidate + 1, queue.state[FREE], extra, limit)
