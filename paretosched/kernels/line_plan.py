"""Orders that are lines in the wait, with many reservations: the queue stays sorted, see `line_row.py`.

Reservations are planned as in `fixed_order_pass.py`: only as far as they decide about a job that could start.
"""

import numpy as np

from ..core.arrays import Int, Ints
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .formulas import first_alike
from .inputs import Backfilling, Jobs, ints
from .line_row import (
    COUNT,
    FREE,
    GAP,
    HANDLED,
    HOLDERS,
    NAMED,
    NARROWEST,
    RUNNING,
    SINCE,
    Row,
    before,
    begin_job,
    close_up,
    join,
    put_in_order,
    turn,
)
from .lines import Lines
from .profile import FIRST, add, add_at
from .ranked_jobs import Stairs, climb, level_stairs, reserve_alone, room_until
from .rule_plan import (
    HORIZON,
    clear_plan,
    extend_horizon,
    least_before,
    no_plan,
    place_before_horizon,
    put_off,
)
from .running import Running, complete, launch, lay_out, running_jobs
from .waiting_tree import FAR


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
    jobs, capacity, calendar, order, candidates, backfilling
        As for `in_order_of_lines`.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    kind_of = np.array(first_alike(order.program), dtype=np.int64)
    most = int(min(n, capacity)) + 2
    line = Row(
        np.zeros(n, dtype=np.int32),
        ints(n),
        ints(n),
        ints(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n),
        np.zeros(n, dtype=np.bool_),
        np.zeros(2 * n, dtype=np.int32),
        Stairs(ints(most), ints(most), ints(2)),
        no_plan(jobs, n),
        ints(12),
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
            state[SINCE] = 0
            turn(line, order, s)
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
            join(jobs, backfilling, line, order, s, j)
        if not any_fits(line):
            continue
        put_in_order(line, order, s, t)
        handle(jobs, backfilling, everyone, candidates, now, line, s, t)
        close_up(line)


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
        least = min(least, line.width[line.seat[i]])
        if least <= free:
            return True
    line.state[NARROWEST] = least
    return False


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def fits(line: Row, i: Int, t: Int) -> bool:
    """Return whether the job at place i of `line` could start in second t beside all jobs and reservations."""
    slot = line.seat[i]
    width = line.width[slot]
    return width <= line.stairs.room[0] and width <= room_until(line.stairs, t + line.estimate[slot])


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
            slot = line.seat[i]
            group = jobs.group[line.job[slot]]
            if reserving:
                if backfilling.entitled[group]:
                    return i
            elif not line.holds[i] and not (limited and line.estimate[slot] > backfilling.longest[group]):
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
    while head < count and line.width[line.seat[head]] <= state[FREE]:
        begin_job(jobs, backfilling, now, line, head, t)
        head += 1
    if head == count:
        return
    level_stairs(stairs, state[FREE])
    state[HANDLED] = head
    state[HOLDERS] = 0
    j = line.job[line.seat[head]]
    if backfilling.entitled[jobs.group[j]]:
        reserve_alone(now, state[RUNNING], state[FREE], jobs.width[j], stairs)
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
    extend_horizon(jobs, plan, np.int64(FAR), t)
    climb(profile, state[NARROWEST], stairs)
    while state[HANDLED] < count and state[HOLDERS] < backfilling.reservations:
        if hold(jobs, backfilling, line, t) < t + line.estimate[line.seat[place]] or line.holds[place]:
            climb(profile, state[NARROWEST], stairs)
            place = next_fitting(jobs, backfilling, line, place, state[COUNT], False, limited, t)
            if place < 0:
                return
    climb(profile, state[NARROWEST], stairs)
    backfill(jobs, backfilling, candidates, now, line, place, limited, s, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def occupy(jobs: Jobs, line: Row, place: Int, t: Int) -> None:
    """Take the processors of the job at a place, which starts in second t, out of the plan.

    `jobs` is only read; `line` is modified in place.
    """
    profile = line.plan.profile
    slot = line.seat[place]
    width = jobs.width[line.job[slot]]
    add_at(profile.when, profile.room, profile.span, profile.span[FIRST], t, t + line.estimate[slot], -width)
    climb(profile, line.state[NARROWEST], line.stairs)


@njit(cache=True, nogil=True, _nrt=False)
def keeps_room(jobs: Jobs, backfilling: Backfilling, line: Row, place: Int, t: Int) -> bool:
    """Give reservations to the jobs before a place; return whether the job there can start in second t beside them all.

    `jobs` and `backfilling` are only read; `line` is modified in place. Reservations end when one takes its room.
    """
    state = line.state
    plan = line.plan
    width = line.width[line.seat[place]]
    end = t + line.estimate[line.seat[place]]
    if end > plan.state[HORIZON]:
        extend_horizon(jobs, plan, end, t)
    slack = least_before(plan.profile, end) - width
    while slack >= 0 and state[HANDLED] < place:
        if state[HOLDERS] == backfilling.reservations:
            return False
        i = state[HANDLED]
        if hold(jobs, backfilling, line, t) < end:
            slack -= line.width[line.seat[i]]
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
    slot = line.seat[i]
    j = line.job[slot]
    if line.width[slot] == FAR or not backfilling.entitled[jobs.group[j]]:
        return FAR
    begin, at = place_before_horizon(jobs, plan, j, t)
    if begin < plan.state[HORIZON]:
        profile = plan.profile
        end = begin + line.estimate[slot]
        add_at(profile.when, profile.room, profile.span, at, begin, end, -line.width[slot])
    else:
        put_off(plan, j)
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
                if before(candidates, s, t, line.job[line.seat[i]], line.job[line.seat[best]]):
                    best = i
                i = next_fitting(jobs, backfilling, line, i + 1, state[COUNT], False, limited, t)
        begin_job(jobs, backfilling, now, line, best, t)
        occupy(jobs, line, best, t)
        place = next_fitting(jobs, backfilling, line, place, state[COUNT], False, limited, t)
