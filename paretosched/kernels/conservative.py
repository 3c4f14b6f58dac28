"""Conservative backfilling: every job has a reservation from its arrival on, which no other job delays."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .down_profile import put_down
from .events import next_event
from .inputs import Down, Jobs
from .profile import add, clear, earliest, forget_past, most_between
from .rule_plan import most_before
from .running import (
    Profile,
    Running,
    end_next,
    launch,
    next_end,
    no_profile,
    pop,
    push,
    running_jobs,
)
from .waiting_tree import FAR, lift, lower, next_startable, open_smallest, slots_for

RUNNING, WAITING, PLANNED, USED, LEVEL, TOP, MOVES, PAGE = range(8)  # of `Reservations.state`
SLOT, LEFT, UNTIL = range(3)  # columns of a row of `Reservations.move_list`


class Reservations(NamedTuple):
    """The waiting jobs in slots, in the order of arrival, and their reservations.

    Attributes
    ----------
    least
        (2 * size, 2) int64, the tree of the smallest over the slots.
    row_of, place
        (size,) int64, the row of the job in a slot, -1 if there is none, and its reservation, s.
    plans
        (2 n + 64,) int64, a heap of reservation << row_bits | slot. It may have several entries for a slot; only the
        entry with the time in `place` is valid.
    move_list
        (2, n + 1, 3) int64, two rounds of moves, a row a move: SLOT, ascending, and the time that became free, from
        second LEFT to UNTIL.
    state
        (8,) int64: jobs RUNNING and WAITING; number of `plans`, PLANNED; slots USED since the queue was last
        empty; LEVEL and TOP of the tree; number of MOVES in the last round, and their PAGE in `move_list`.
    """

    least: Ints
    row_of: Ints
    place: Ints
    plans: Ints
    move_list: Ints
    state: Ints


def conservative(jobs: Jobs, capacity: Int, down: Down, start: Ints) -> None:
    """Fill `start` with the start times of conservative backfilling with persistent reservations.

    When a job arrives, it gets the earliest reservation that delays no other job. When jobs end, the rest of their
    estimated time becomes free, and every waiting job, in the order of arrival, moves to its earliest possible place,
    which is never later than its place before.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    down
        `Down`: no reservation is on processors that are down.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    size = slots_for(n)
    # Only the part that the longest queue needs is touched, so that memory grows with the queue, not the workload.
    queue = Reservations(
        np.empty((2 * size, 2), np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(2 * n + 64, np.int64),
        np.empty((2, n + 1, 3), np.int64),
        np.zeros(8, np.int64),
    )
    now = running_jobs(start, capacity, False)
    _conservative(jobs, capacity, down, now, queue, no_profile(2 * (n + down.begin.size) + 16))


@njit(cache=True, nogil=True, _nrt=False)
def _conservative(jobs: Jobs, capacity: Int, down: Down, now: Running, queue: Reservations, profile: Profile) -> None:
    """Do the work of `conservative` without allocating memory.

    Parameters
    ----------
    jobs, capacity, down
        As for `conservative`.
    now
        `Running`, modified in place: `start` is filled.
    queue
        `Reservations`, modified in place.
    profile
        Work space, modified in place.
    """
    n = jobs.submit.size
    state = queue.state
    state[LEVEL] = -1
    state[TOP] = queue.row_of.size
    arrivals = 0
    clear(profile.when, profile.room, profile.span, jobs.submit[0], capacity)
    put_down(profile, down, jobs.submit[0])
    while arrivals < n or state[WAITING] > 0:
        t = next_event(jobs, arrivals, now, state[RUNNING])
        if state[PLANNED] > 0:
            t = min(t, queue.plans[0] >> now.row_bits)
        forget_past(profile.when, profile.span, t)

        # A job that has ended leaves [t, expected end) free.
        ended = False
        gap_end = -1  # end of the time that became free in this event
        while state[RUNNING] > 0 and next_end(now) == t:
            j = end_next(jobs, now, state[RUNNING])
            state[RUNNING] -= 1
            ended = True
            promised_end = now.start[j] + jobs.estimate[j]
            if promised_end > t:
                add(profile.when, profile.room, profile.span, t, promised_end, jobs.width[j])
                gap_end = max(gap_end, promised_end)
        if ended and state[WAITING] > 0 and (gap_end >= 0 or state[MOVES] > 0):
            move_up(jobs, now, queue, profile, gap_end, t)

        # A job that arrives now gets the earliest place that delays no other job. A copy of the job before it gets no
        # earlier place than that job.
        sooner = t
        while arrivals < n and jobs.submit[arrivals] == t:
            j = arrivals
            arrivals += 1
            if j > 0 and (
                jobs.submit[j - 1] != t
                or jobs.width[j - 1] != jobs.width[j]
                or jobs.estimate[j - 1] != jobs.estimate[j]
            ):
                sooner = t
            sooner = promise(jobs, now, queue, profile, j, sooner, t)
        start_due(jobs, now, queue, t)
        if state[WAITING] == 0:
            state[USED] = 0
            state[LEVEL] = -1
            state[PLANNED] = 0
            state[MOVES] = 0


# Inlined, as the functions below, because passing so many arrays costs as much as many events.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def move_up(jobs: Jobs, now: Running, queue: Reservations, profile: Profile, gap_end: Int, t: Int) -> None:
    """Move every waiting job, in the order of arrival, to its earliest possible place.

    No job could have an earlier place in the last round. So an earlier place must contain, or touch, time that has
    become free since then: of jobs that ended now, of jobs before it that moved in this round, or of jobs behind it
    that moved in the last round. Only starts near such times are tried.

    Where the job tried before has no place, a job that is as wide, as long and planned as late has none: something
    before that job's own place stands in the way of both. Users submit many equal jobs, so that most searches begin
    at the place of the job before.

    Parameters
    ----------
    jobs, now
        `Jobs` and `Running`.
    queue, profile
        Modified in place.
    gap_end
        Jobs that ended now leave seconds t..freed - 1 free; -1 if no job ended early.
    t
        The second of this event.
    """
    when = profile.when
    room = profile.room
    span = profile.span
    moves_of_page = queue.move_list
    state = queue.state
    size = queue.row_of.size
    top = state[TOP]
    moves = state[MOVES]
    from_ = t if gap_end >= 0 else FAR
    until = gap_end
    behind = 0
    # from each move of the last round on, the range of all times that became free
    old = state[PAGE]
    for i in range(moves - 2, -1, -1):
        moves_of_page[old, i, LEFT] = min(moves_of_page[old, i, LEFT], moves_of_page[old, i + 1, LEFT])
        moves_of_page[old, i, UNTIL] = max(moves_of_page[old, i, UNTIL], moves_of_page[old, i + 1, UNTIL])
    page = 1 - old
    fresh = 0
    reach = until
    if moves > 0:
        reach = max(reach, moves_of_page[old, 0, UNTIL])
    widest = most_before(profile, reach)
    last_width: Int = FAR  # of the job tried before
    last_length: Int = FAR
    last_place: Int = FAR  # before it moved
    earliest_place: Int = 0  # where it is now
    slot = next_startable(queue.least, 0, top, size, widest, widest, FAR)
    while slot >= 0:
        while behind < moves and moves_of_page[old, behind, SLOT] <= slot:
            behind += 1
        low = from_
        high = until
        if behind < moves:
            low = min(low, moves_of_page[old, behind, LEFT])
            high = max(high, moves_of_page[old, behind, UNTIL])
        width = jobs.width[queue.row_of[slot]]
        length = jobs.estimate[queue.row_of[slot]]
        place = queue.place[slot]
        after = max(t, low - length + 1)
        if width >= last_width and length >= last_length and place >= last_place:
            after = max(after, earliest_place)
        last_width = width
        last_length = length
        last_place = place
        earliest_place = place
        before = min(place, high)
        if after < before:
            better = earliest(when, room, span, after, before, place, width, length)
            if better < before:
                left = max(place, better + length)
                add(when, room, span, place, place + length, width)
                add(when, room, span, better, better + length, -width)
                widest = max(widest, most_between(when, room, span, left, place + length))
                reserve_at(queue, now.row_bits, slot, better)
                earliest_place = better
                moves_of_page[page, fresh, SLOT] = slot
                moves_of_page[page, fresh, LEFT] = left
                moves_of_page[page, fresh, UNTIL] = place + length
                fresh += 1
                from_ = min(from_, left)
                until = max(until, place + length)
        slot = next_startable(queue.least, slot + 1, top, size, widest, widest, FAR)
    state[MOVES] = fresh
    state[PAGE] = page


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def promise(jobs: Jobs, now: Running, queue: Reservations, profile: Profile, j: Int, sooner: Int, t: Int) -> Int:
    """Reserve the earliest place from second `sooner` on for job j, which arrives in second t, and return its begin.

    If it begins at t, the job starts; otherwise it waits in the next slot. `now`, `queue` and `profile` are modified in
    place; `jobs` is only read.
    """
    state = queue.state
    size = queue.row_of.size
    width = jobs.width[j]
    estimate = jobs.estimate[j]
    begin: Int = earliest(profile.when, profile.room, profile.span, sooner, FAR, FAR, width, estimate)
    add(profile.when, profile.room, profile.span, begin, begin + estimate, -width)
    if begin == t:
        launch(jobs, now, state[RUNNING], j, t)
        state[RUNNING] += 1
    else:
        slot = state[USED]
        if slot == 0 or (slot >> state[LEVEL]) > 0:
            state[LEVEL] += 1
            open_smallest(queue.least, size, state[LEVEL])
            state[TOP] = size >> state[LEVEL]
        queue.row_of[slot] = j
        lower(queue.least, slot + size, state[TOP], width, estimate)
        reserve_at(queue, now.row_bits, slot, begin)
        state[USED] += 1
        state[WAITING] += 1
    return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def start_due(jobs: Jobs, now: Running, queue: Reservations, t: Int) -> None:
    """Start the waiting jobs whose reservation is second t; `now` and `queue` are modified in place."""
    state = queue.state
    mask = (1 << now.row_bits) - 1
    while state[PLANNED] > 0 and (queue.plans[0] >> now.row_bits) <= t:
        slot = queue.plans[0] & mask
        begin = queue.plans[0] >> now.row_bits
        pop(queue.plans, state[PLANNED])
        state[PLANNED] -= 1
        j = queue.row_of[slot]
        if j < 0 or queue.place[slot] != begin:
            continue  # the job has moved or started since this plan was made
        launch(jobs, now, state[RUNNING], j, t)
        state[RUNNING] += 1
        queue.row_of[slot] = -1
        state[WAITING] -= 1
        lift(queue.least, slot + queue.row_of.size, state[TOP])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def reserve_at(queue: Reservations, bits: Int, slot: Int, begin: Int) -> None:
    """Reserve second `begin` for the job in a slot, a number of `bits` bits; `queue` is modified in place."""
    state = queue.state
    queue.place[slot] = begin
    if state[PLANNED] == queue.plans.size:
        state[PLANNED] = _tidy(queue, bits)
    push(queue.plans, state[PLANNED], (begin << bits) | slot)
    state[PLANNED] += 1


@njit(cache=True, nogil=True, _nrt=False)
def _tidy(queue: Reservations, bits: Int) -> Int:
    """Drop the plans of jobs that have moved or started since; return how many plans are left.

    `queue` is modified in place; `bits` is the number of bits that hold a row.
    """
    plans = 0
    for slot in range(queue.state[USED]):
        if queue.row_of[slot] >= 0:
            push(queue.plans, plans, (queue.place[slot] << bits) | slot)
            plans += 1
    return plans
