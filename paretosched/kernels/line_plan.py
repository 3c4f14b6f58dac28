"""Orders that are lines in the wait, with several reservations: the queue stays sorted from one pass to the next.

Two neighbours of the queue have a time up to which the first one stays ahead, so that a pass looks only at neighbours
whose time is over. Reservations are planned as in `fixed_order_pass.py`: only as far as they decide about a job that
could start.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ..core.arrays import Floats, Int, Ints, Mask
from ..core.situations import Calendar
from .events import era_at, next_event
from .inputs import Backfilling, Jobs, ints
from .kinetic_queue import NEVER, PAST
from .lines import Lines, is_equal, settle_rows
from .profile import FIRST, add, add_at
from .ranked_jobs import FOREVER, STEPS, Stairs, climb, level_stairs, room_until
from .rule_plan import (
    HORIZON,
    PUT_OFF,
    WIDEST,
    Plan,
    clear_plan,
    least_before,
    most_before,
    no_plan,
    place_before_horizon,
    put_down,
)
from .running import Running, complete, launch, lay_out, reserve, running_jobs
from .waiting_tree import FAR

RUNNING, FREE, NAMED, COUNT, SORTED, SINCE, NARROWEST, HOLDERS, HANDLED, GAP = range(10)  # of `Row.state`
FEW = 32  # new jobs that are inserted one by one
DUE = 0  # of `Row.times`


class Row(NamedTuple):
    """The waiting jobs in a row.

    Attributes
    ----------
    row, width, estimate
        (n,) int64, the jobs: rows, processors and s. A job that starts has the width FAR until the end of the pass.
    until
        (n,) float64, s, up to when a job stays ahead of its right neighbour.
    holds
        (n,) bool, whether a job has a reservation in this pass.
    spare
        (n,) int64, work space.
    times
        (1,) float64, s: when the first of `until` is DUE.
    stairs
        The processors that are free beside all running jobs and reservations.
    plan
        `Plan`.
    state
        (10,) int64. RUNNING jobs, FREE processors, waiting jobs of the NAMED groups; the COUNT of waiting jobs, of which
        the first SORTED ones are in order; the place SINCE which the order or the jobs have changed, 0 after a job has
        ended; a width that no job is below (NARROWEST). Of a pass: the number of HOLDERS of reservations, the
        places that are HANDLED, and the first GAP of a job that has started.
    """

    row: Ints
    width: Ints
    estimate: Ints
    until: Floats
    holds: Mask
    spare: Ints
    times: Floats
    stairs: Stairs
    plan: Plan
    state: Ints


def in_planned_lines(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Lines,
    candidates: Lines,
    backfilling: Backfilling,
    start: Ints,
) -> None:
    """Fill `start` as `in_order_of_lines` does, for two reservations or more, without slack.

    Parameters
    ----------
    jobs, capacity, calendar, order, candidates, backfilling, start
        As for `in_order_of_lines`.
    """
    n = jobs.submit.size
    program = order.program
    codes = [program.code[program.begin[s] : program.begin[s + 1]].tobytes() for s in range(3)]
    kind_of = np.array([codes.index(code) for code in codes], dtype=np.int64)
    most = min(n, capacity) + 2
    line = Row(
        ints(n),
        ints(n),
        ints(n),
        np.zeros(n),
        np.zeros(n, dtype=np.bool_),
        ints(n),
        np.array([NEVER]),
        Stairs(ints(most), ints(most), ints(2)),
        no_plan(n),
        ints(10),
    )
    line.state[FREE] = capacity
    line.state[NARROWEST] = FAR
    line.state[GAP] = FAR
    everyone = bool(backfilling.entitled.all())
    now = running_jobs(start, capacity, True)
    plan_in_line(jobs, calendar, order, candidates, backfilling, everyone, kind_of, now, line)


@njit(cache=True, nogil=True, _nrt=False)
def plan_in_line(
    jobs: Jobs,
    calendar: Calendar,
    order: Lines,
    candidates: Lines,
    backfilling: Backfilling,
    everyone: bool,
    kind_of: Ints,
    now: Running,
    line: Row,
) -> None:
    """Do the work of `in_planned_lines` without allocating memory.

    Parameters
    ----------
    jobs, calendar, order, candidates, backfilling
        As for `in_planned_lines`.
    everyone
        Whether all groups are entitled to reservations.
    kind_of
        (3,) int64, the first situation with the same order.
    now, line
        `Running` and the waiting jobs, modified in place.
    """
    state = line.state
    n = jobs.submit.size
    arrived: Int = 0
    era: Int = 0
    kind: Int = -1
    while arrived < n or state[COUNT] > 0:
        t = next_event(jobs, arrived, now, state[RUNNING])
        state[RUNNING], freed = complete(jobs, now, state[RUNNING], t)
        if freed > 0:
            state[FREE] += freed
            state[SINCE] = 0
        era = era_at(calendar, era, t)
        s = calendar.kind[era]
        if kind_of[s] != kind:
            kind = kind_of[s]
            state[SORTED] = 0
            state[SINCE] = 0
        first = arrived
        wanted: Int = 0
        while arrived < n and jobs.submit[arrived] == t:
            wanted += jobs.width[arrived]
            arrived += 1
        if state[COUNT] == 0 and wanted <= state[FREE]:
            for j in range(first, arrived):
                launch(jobs, now, state[RUNNING], j, t)
                state[RUNNING] += 1
            state[FREE] -= wanted
            continue
        for j in range(first, arrived):
            join(jobs, backfilling, line, j)
        if not any_fits(line):
            continue
        put_in_order(line, order, s, t)
        handle(jobs, backfilling, everyone, candidates, now, line, s, t)
        close_up(line, order, s, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def join(jobs: Jobs, backfilling: Backfilling, line: Row, j: Int) -> None:
    """Put job j at the end of the row; `line` is modified in place. `jobs` and `backfilling` are only read."""
    i = line.state[COUNT]
    line.row[i] = j
    line.width[i] = jobs.width[j]
    line.estimate[i] = jobs.estimate[j]
    line.state[COUNT] = i + 1
    line.state[NARROWEST] = min(line.state[NARROWEST], jobs.width[j])
    if backfilling.named[jobs.group[j]]:
        line.state[NAMED] += 1


@njit(cache=True, nogil=True, _nrt=False)
def any_fits(line: Row) -> bool:
    """Return whether some waiting job is narrow enough for the processors that are free now.

    If not, the smallest width is noted in `line`, in place.
    """
    free = line.state[FREE]
    if line.state[NARROWEST] > free:
        return False
    least: Int = FAR
    for i in range(line.state[COUNT]):
        least = min(least, line.width[i])
        if least <= free:
            return True
    line.state[NARROWEST] = least
    return False


@njit(cache=True, nogil=True, _nrt=False)
def compare(order: Lines, s: Int, t: Int, i: Int, j: Int) -> tuple[bool, float]:
    """Return whether job i comes before job j in second t of situation s, and up to when this holds, in s.

    The stack of the program of `order` is modified in place.
    """
    now = float(t)
    beta_i = order.beta[s, i]
    beta_j = order.beta[s, j]
    alpha_i = order.alpha[s, i] - beta_i * float(order.jobs.submit[i])
    alpha_j = order.alpha[s, j] - beta_j * float(order.jobs.submit[j])
    lead = (alpha_i - alpha_j) + (beta_i - beta_j) * now
    margin = order.rounding * (abs(alpha_i) + abs(alpha_j) + (beta_i + beta_j) * order.horizon) + order.floor
    if abs(lead) <= margin:
        if is_equal(order, i, j):
            return i < j, NEVER
        return settle_rows(i, j, s, t, order), now + 0.5
    first = lead > 0.0
    gain = beta_j - beta_i if first else beta_i - beta_j
    if gain <= 0.0:
        return first, NEVER
    return first, now + (abs(lead) - margin) / gain * (1.0 - 1e-9)


@njit(cache=True, nogil=True, _nrt=False)
def put_in_order(line: Row, order: Lines, s: Int, t: Int) -> None:
    """Sort the row in second t of situation s.

    `line` and the stack of the program of `order` are modified in place.
    """
    state = line.state
    new = state[COUNT] - state[SORTED]
    if new > FEW:
        sort(line.row, line.spare, state[COUNT], order, s, t)
        state[SINCE] = 0
        line.times[DUE] = NEVER
        for i in range(state[COUNT]):
            line.width[i] = order.jobs.width[line.row[i]]
            line.estimate[i] = order.jobs.estimate[line.row[i]]
            if i > 0:
                note_order(line, order, s, t, i - 1)
        state[SORTED] = state[COUNT]
        return
    if line.times[DUE] <= float(t):
        replace_due(line, order, s, t)
    while state[SORTED] < state[COUNT]:
        j = line.row[state[SORTED]]
        low: Int = 0
        high: Int = state[SORTED]
        while low < high:
            middle = (low + high) >> 1
            ahead, _ = compare(order, s, t, line.row[middle], j)
            if ahead:
                low = middle + 1
            else:
                high = middle
        move_up(line, state[SORTED], low)
        state[SORTED] += 1
        if low > 0:
            note_order(line, order, s, t, low - 1)
        if low + 1 < state[SORTED]:
            note_order(line, order, s, t, low)
        state[SINCE] = min(state[SINCE], low)


@njit(cache=True, nogil=True, _nrt=False)
def replace_due(line: Row, order: Lines, s: Int, t: Int) -> None:
    """Bring the sorted part of the row in order again, in second t of situation s.

    `line` and the stack of the program of `order` are modified in place.
    """
    state = line.state
    now = float(t)
    due = NEVER
    for i in range(1, state[SORTED]):
        if line.until[i - 1] <= now:
            j = line.row[i]
            ahead, until = compare(order, s, t, line.row[i - 1], j)
            if ahead:
                line.until[i - 1] = until
            else:
                k: Int = i - 1
                while k > 0:
                    ahead, _ = compare(order, s, t, line.row[k - 1], j)
                    if ahead:
                        break
                    k -= 1
                move_up(line, i, k)
                state[SINCE] = min(state[SINCE], k)
                if k > 0:
                    note_order(line, order, s, t, k - 1)
                    due = min(due, line.until[k - 1])
                note_order(line, order, s, t, k)
                due = min(due, line.until[k])
                line.until[i] = PAST  # the job here has another right neighbour
        due = min(due, line.until[i - 1])
    line.times[DUE] = due


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def note_order(line: Row, order: Lines, s: Int, t: Int, i: Int) -> None:
    """Note until when the job at place i stays ahead of its right neighbour, from second t of situation s on.

    `line` and the stack of the program of `order` are modified in place.
    """
    _, line.until[i] = compare(order, s, t, line.row[i], line.row[i + 1])
    line.times[DUE] = min(line.times[DUE], line.until[i])


@njit(cache=True, nogil=True, _nrt=False)
def move_up(line: Row, i: Int, k: Int) -> None:
    """Move the job at place i to place k, before it; `line` is modified in place."""
    row = line.row[i]
    width = line.width[i]
    estimate = line.estimate[i]
    for x in range(i, k, -1):
        line.row[x] = line.row[x - 1]
        line.width[x] = line.width[x - 1]
        line.estimate[x] = line.estimate[x - 1]
        line.until[x] = line.until[x - 1]
    line.row[k] = row
    line.width[k] = width
    line.estimate[k] = estimate


@njit(cache=True, nogil=True, _nrt=False)
def sort(row: Ints, spare: Ints, count: Int, order: Lines, s: Int, t: Int) -> None:
    """Sort the first `count` of some jobs by their order in second t of situation s.

    Parameters
    ----------
    row, spare
        (count or more,) int64, the jobs and work space, modified in place.
    count, s, t
        How many jobs, situation, second.
    order
        `Lines`; the stack of its program is modified in place.
    """
    length = 1
    while length < count:
        for begin in range(0, count, 2 * length):
            middle = min(begin + length, count)
            end = min(begin + 2 * length, count)
            left = begin
            right = middle
            for i in range(begin, end):
                if left < middle and right < end:
                    ahead, _ = compare(order, s, t, row[left], row[right])
                else:
                    ahead = left < middle
                if ahead:
                    spare[i] = row[left]
                    left += 1
                else:
                    spare[i] = row[right]
                    right += 1
        for i in range(count):
            row[i] = spare[i]
        length *= 2


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def begin_job(jobs: Jobs, backfilling: Backfilling, now: Running, line: Row, i: Int, t: Int) -> None:
    """Start the job at place i in second t.

    `jobs` and `backfilling` are only read; `now` and `line` are modified in place.
    """
    state = line.state
    j = line.row[i]
    launch(jobs, now, state[RUNNING], j, t)
    state[RUNNING] += 1
    state[FREE] -= jobs.width[j]
    if backfilling.named[jobs.group[j]]:
        state[NAMED] -= 1
    state[GAP] = min(state[GAP], i)
    line.width[i] = FAR


@njit(cache=True, nogil=True, _nrt=False)
def close_up(line: Row, order: Lines, s: Int, t: Int) -> None:
    """Close the gaps of the jobs that have started, and forget the reservations of the pass in second t of situation s.

    `line` and the stack of the program of `order` are modified in place.
    """
    state = line.state
    count: Int = min(state[GAP], state[COUNT])
    gap = False
    for i in range(count, state[COUNT]):
        if line.width[i] == FAR:
            gap = True
            continue
        line.row[count] = line.row[i]
        line.width[count] = line.width[i]
        line.estimate[count] = line.estimate[i]
        line.until[count] = line.until[i]
        if gap and count > 0:
            note_order(line, order, s, t, count - 1)
        gap = False
        count += 1
    for i in range(state[HANDLED]):
        line.holds[i] = False
    state[HANDLED] = 0
    state[GAP] = FAR
    state[COUNT] = count
    state[SORTED] = count
    state[SINCE] = count


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def fits(line: Row, i: Int, t: Int) -> bool:
    """Return whether the job at place i could start in second t beside all running jobs and reservations."""
    width = line.width[i]
    return width <= line.stairs.room[0] and width <= room_until(line.stairs, t + line.estimate[i])


@njit(cache=True, nogil=True, _nrt=False)
def next_fitting(
    jobs: Jobs, backfilling: Backfilling, line: Row, i: Int, end: Int, reserving: bool, limited: bool, t: Int
) -> Int:
    """Return the first place, from i on, whose job may start beside all reservations; -1 if there is none.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    line
        Not changed.
    i, end
        The first place that is tried, and the place after the last one.
    reserving
        True: the job may get a reservation. False: it has none.
    limited, t
        Whether the longest estimates for backfilling hold, and the second.
    """
    while i < end:
        if fits(line, i, t):
            group = jobs.group[line.row[i]]
            if reserving:
                if backfilling.entitled[group]:
                    return i
            elif not line.holds[i] and not (limited and line.estimate[i] > backfilling.longest[group]):
                return i
        i += 1
    return np.int64(-1)


@njit(cache=True, nogil=True, _nrt=False)
def handle(
    jobs: Jobs,
    backfilling: Backfilling,
    everyone: bool,
    candidates: Lines,
    now: Running,
    line: Row,
    s: Int,
    t: Int,
) -> None:
    """Start the jobs of a row that is in order in second t of situation s.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    everyone
        Whether all groups are entitled to reservations.
    candidates
        `Lines`, their order.
    now, line
        Modified in place.
    s, t
        Situation and second.
    """
    state = line.state
    stairs = line.stairs
    plan = line.plan
    profile = plan.profile
    count = state[COUNT]
    head: Int = 0
    while head < count and line.width[head] <= state[FREE]:
        begin_job(jobs, backfilling, now, line, head, t)
        head += 1
    if head == count:
        return
    level_stairs(stairs, state[FREE])
    state[HANDLED] = head
    state[HOLDERS] = 0
    j = line.row[head]
    if backfilling.entitled[jobs.group[j]]:
        shadow, extra = reserve(now.ends, state[RUNNING], now.width_bits, state[FREE], jobs.width[j])
        stairs.until[0] = shadow
        stairs.room[0] = state[FREE]
        stairs.until[1] = FOREVER
        stairs.room[1] = min(extra, state[FREE])
        stairs.state[STEPS] = 2
        line.holds[head] = True
        state[HOLDERS] = 1
        state[HANDLED] = head + 1
    all_hold = everyone and backfilling.reservations >= count - head
    since = max(state[SINCE], head)
    place = next_fitting(jobs, backfilling, line, since if all_hold else head, count, all_hold, False, t)
    if place < 0:
        return
    lay_out(now, state[RUNNING], state[FREE], t, profile)
    clear_plan(plan, 0, t)
    if state[HOLDERS] == 1:
        begin = stairs.until[0]
        add(profile.when, profile.room, profile.span, begin, begin + jobs.estimate[j], -jobs.width[j])

    first = place  # the first job that could start beside the reservations
    place = max(first, since)
    while state[HOLDERS] < backfilling.reservations:
        end = count
        if everyone:
            end = min(end, state[HANDLED] + backfilling.reservations - state[HOLDERS])
        place = next_fitting(jobs, backfilling, line, place, end, True, False, t)
        if place < 0:
            break
        if keeps_room(jobs, backfilling, line, place, t):
            begin_job(jobs, backfilling, now, line, place, t)
            state[HANDLED] = place + 1
            occupy(jobs, line, place, t)
        else:
            climb(profile, state[NARROWEST], stairs)
        place += 1
    if all_hold:
        return
    limited = state[NAMED] > 0
    place = next_fitting(jobs, backfilling, line, first, count, False, limited, t)
    if place < 0:
        return
    put_down(jobs, plan, max(plan.state[HORIZON], t))
    plan.state[HORIZON] = FAR
    plan.state[WIDEST] = FAR
    climb(profile, state[NARROWEST], stairs)
    while state[HANDLED] < count and state[HOLDERS] < backfilling.reservations:
        if hold(jobs, backfilling, line, t) < t + line.estimate[place] or line.holds[place]:
            climb(profile, state[NARROWEST], stairs)
            place = next_fitting(jobs, backfilling, line, place, state[COUNT], False, limited, t)
            if place < 0:
                return
    climb(profile, state[NARROWEST], stairs)
    backfill(jobs, backfilling, candidates, now, line, place, limited, s, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def occupy(jobs: Jobs, line: Row, place: Int, t: Int) -> None:
    """Take the processors of the job at a place, which starts in second t, out of the plan; `line` is modified in place.

    `jobs` is only read.
    """
    profile = line.plan.profile
    width = jobs.width[line.row[place]]
    add_at(profile.when, profile.room, profile.span, profile.span[FIRST], t, t + line.estimate[place], -width)
    climb(profile, line.state[NARROWEST], line.stairs)


@njit(cache=True, nogil=True, _nrt=False)
def keeps_room(jobs: Jobs, backfilling: Backfilling, line: Row, place: Int, t: Int) -> bool:
    """Give reservations to the jobs before a place; return whether the job there can start in second t beside them all.

    `jobs` and `backfilling` are only read; `line` is modified in place. Reservations end when one takes its room.
    """
    state = line.state
    plan = line.plan
    width = line.width[place]
    end = t + line.estimate[place]
    if end > plan.state[HORIZON]:
        put_down(jobs, plan, max(plan.state[HORIZON], t))
        plan.state[HORIZON] = end
        plan.state[WIDEST] = most_before(plan.profile, end)
    slack = least_before(plan.profile, end) - width
    while slack >= 0 and state[HANDLED] < place:
        if state[HOLDERS] == backfilling.reservations:
            return False
        i = state[HANDLED]
        if hold(jobs, backfilling, line, t) < end:
            slack -= line.width[i]
            if slack < 0:
                slack = least_before(plan.profile, end) - width
    return slack >= 0 and state[HOLDERS] < backfilling.reservations


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def hold(jobs: Jobs, backfilling: Backfilling, line: Row, t: Int) -> Int:
    """Give a reservation in second t to the first job that is not HANDLED, if it is entitled; return its begin, s.

    Without a reservation it begins at FAR. It is put off, and begins at the horizon or later, if there is no place
    before. `jobs` and `backfilling` are only read; `line` is modified in place.
    """
    state = line.state
    plan = line.plan
    i = state[HANDLED]
    state[HANDLED] = i + 1
    j = line.row[i]
    if line.width[i] == FAR or not backfilling.entitled[jobs.group[j]]:
        return FAR
    begin, at = place_before_horizon(jobs, plan, j, t)
    if begin < plan.state[HORIZON]:
        profile = plan.profile
        end = begin + line.estimate[i]
        add_at(profile.when, profile.room, profile.span, at, begin, end, -line.width[i])
    else:
        plan.later[plan.state[PUT_OFF]] = j
        plan.state[PUT_OFF] += 1
    line.holds[i] = True
    state[HOLDERS] += 1
    return begin


@njit(cache=True, nogil=True, _nrt=False)
def backfill(
    jobs: Jobs,
    backfilling: Backfilling,
    candidates: Lines,
    now: Running,
    line: Row,
    place: Int,
    limited: bool,
    s: Int,
    t: Int,
) -> None:
    """Start the jobs without reservations that can start beside these in second t, in the order of candidates.

    Parameters
    ----------
    jobs, backfilling, candidates
        `Jobs`, `Backfilling` and `Lines`.
    now, line
        Modified in place.
    place
        The first place that is tried.
    limited
        Whether the longest estimates for backfilling hold.
    s, t
        Situation and second.
    """
    state = line.state
    place = next_fitting(jobs, backfilling, line, place, state[COUNT], False, limited, t)
    while place >= 0:
        best: Int = place
        if not backfilling.same:
            i = next_fitting(jobs, backfilling, line, place + 1, state[COUNT], False, limited, t)
            while i >= 0:
                ahead, _ = compare(candidates, s, t, line.row[i], line.row[best])
                if ahead:
                    best = i
                i = next_fitting(jobs, backfilling, line, i + 1, state[COUNT], False, limited, t)
        begin_job(jobs, backfilling, now, line, best, t)
        occupy(jobs, line, best, t)
        place = next_fitting(jobs, backfilling, line, place, state[COUNT], False, limited, t)
