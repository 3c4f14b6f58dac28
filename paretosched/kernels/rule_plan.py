"""The plan of a pass of conservative backfilling in a fixed order: only the part that the pass needs."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Order
from .compiling import njit
from .inputs import Jobs
from .profile import FIRST, LAST, add_at, earliest_at, segment
from .running import Profile, no_profile
from .waiting_orders import Places, next_fitting, next_waiting, row_at
from .waiting_tree import FAR, WIDTH

WIDE, LONG, BEGIN = 0, 1, 2  # rows of `Plan.needs`
HANDLED, HORIZON, WIDEST, PUT_OFF, STARTING = range(5)  # of `Plan.state`


class Plan(NamedTuple):
    """The plan of a pass with CONS.

    Attributes
    ----------
    profile
        The running jobs, and the jobs that have a place.
    later, until
        (n,) int32 and (n,) int64, the jobs that are put off, because there is no place for them before the horizon, in
        their order: rows, and s, never ascending, before which there is no place for them.
    starting
        (n,) int32, rows, the jobs that start in this pass.
    needs
        (3, 64) int64, WIDE, LONG and BEGIN of the last planned job of each size: processors, s, s. See `not_before`.
    range_of, misfits
        (n,) int32 and (ranges,) int64: the range of the width of each job, and for each range an estimate, s, from
        which on no job in it has a place before the horizon; FAR if none is known.
    later_needs, later_misfits
        As `needs` and `misfits`, work space of `settle`.
    state
        (5,) int64. HANDLED: every job up to this place has a place in the plan or is put off. HORIZON, s: no candidate
        so far would end after it. WIDEST: the most processors that were free at once before the horizon when it was
        set. PUT_OFF, STARTING: the number of jobs that are put off, and of those that start.
    """

    profile: Profile
    later: Order
    until: Ints
    starting: Order
    needs: Ints
    range_of: Order
    misfits: Ints
    later_needs: Ints
    later_misfits: Ints
    state: Ints


def no_plan(jobs: Jobs, most: Int) -> Plan:
    """Return work space for a plan of at most `most` jobs: all of `jobs`; or 1 if there will be no plan."""
    range_of = np.empty(most, np.int32)
    note_ranges(jobs.width, range_of)
    ranges = int(range_of.max()) + 1
    return Plan(
        no_profile(2 * most + 16),
        np.empty(most, np.int32),
        np.empty(most, np.int64),
        np.empty(most, np.int32),
        np.zeros((3, 64), np.int64),
        range_of,
        np.empty(ranges, np.int64),
        np.zeros((3, 64), np.int64),
        np.empty(ranges, np.int64),
        np.zeros(5, np.int64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def note_ranges(width: Ints, range_of: Order) -> None:
    """Fill `range_of`, (most,) int32, with the ranges of the first of `width`, (n,) int64, processors."""
    for j in range(range_of.size):
        range_of[j] = range_of_width(width[j])


@njit(cache=True, nogil=True, _nrt=False)
def range_of_width(width: Int) -> Int:
    """Return the range of a width, in processors: one for each width below 64, then 32 up to twice the width."""
    bits = 0
    while (width >> bits) >= 64:
        bits += 1
    return 32 * bits + (width >> bits)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def clear_plan(plan: Plan, place: Int, t: Int) -> None:
    """Clear a plan in second t, in place: no job from `place` on has a place; the caller sets up its profile."""
    plan.state[HANDLED] = place - 1
    plan.state[HORIZON] = t
    plan.state[WIDEST] = 0
    plan.state[PUT_OFF] = 0
    plan.needs[BEGIN] = 0
    plan.misfits[:] = FAR


@njit(cache=True, nogil=True, _nrt=False)
def extend_horizon(jobs: Jobs, plan: Plan, horizon: Int, t: Int) -> None:
    """Extend the horizon of a plan, in place, in second t: jobs that are put off get the places that begin before it.

    `jobs` is only read; `horizon`, in s, is later than the present one.
    """
    if plan.state[PUT_OFF] > 0:
        settle(jobs, plan, horizon, t)
    plan.state[HORIZON] = horizon
    plan.state[WIDEST] = most_before(plan.profile, horizon)
    plan.misfits[:] = FAR


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def plan_starts(queue: Places, jobs: Jobs, plan: Plan, o: Int, place: Int, candidate: Int, t: Int) -> None:
    """Find the jobs that delay no job before them in the order if they start in second t, as CONS does.

    All jobs before a candidate get a place first, and this may be the candidate's. If a job has no place before the
    candidate's end, which is the horizon or earlier, its planning can be put off, as long as no place of another job
    begins before the horizon and ends after it.

    Parameters
    ----------
    queue, jobs
        `Places` and `Jobs`.
    plan
        Modified in place: its STARTING jobs are to be started by the caller.
    o, place, candidate
        The order; the places in it of the first waiting job without a plan, and of the first job that could start
        under the present plan; -1 if there is none.
    t
        The second of this pass.
    """
    when = plan.profile.when
    room = plan.profile.room
    span = plan.profile.span
    state = plan.state
    state[STARTING] = 0
    while candidate >= 0:
        j = row_at(queue, o, candidate)
        end = t + jobs.estimate[j]
        needed = jobs.width[j]
        if end > state[HORIZON]:
            extend_horizon(jobs, plan, end, t)
        slack = least_before(plan.profile, end) - needed
        while slack >= 0 and place < candidate:
            k = row_at(queue, o, place)
            state[HANDLED] = place
            place = next_waiting(queue, o, place + 1)
            begin, at = place_before_horizon(jobs, plan, k, t)
            if begin >= state[HORIZON]:
                put_off(plan, k)
                continue
            add_at(when, room, span, at, begin, begin + jobs.estimate[k], -jobs.width[k])
            if begin < end:
                slack -= jobs.width[k]
                if slack < 0:
                    slack = least_before(plan.profile, end) - needed
        if slack >= 0:
            add_at(when, room, span, span[FIRST], t, end, -needed)
            plan.starting[state[STARTING]] = j
            state[STARTING] += 1
            state[HANDLED] = candidate
            place = next_waiting(queue, o, candidate + 1)
            if place < 0:
                break
        candidate = next_candidate(queue, jobs, o, candidate + 1, plan.profile, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def place_before_horizon(jobs: Jobs, plan: Plan, j: Int, t: Int) -> tuple[Int, Int]:
    """Return the earliest begin of job j from second t on, and its segment of the profile.

    The begin is the horizon or later if there is no place before it. `plan` is modified in place: if the job would run
    beyond the horizon, the jobs that were put off and begin before its end get their places first; and the job's need
    is remembered.
    """
    when = plan.profile.when
    room = plan.profile.room
    span = plan.profile.span
    horizon = plan.state[HORIZON]
    width = jobs.width[j]
    estimate = jobs.estimate[j]
    begin: Int = horizon
    at = span[FIRST]
    fitting = width <= plan.state[WIDEST] and estimate < plan.misfits[plan.range_of[j]]
    if fitting:
        begin = max(t, not_before(plan.needs, width, estimate))
    if begin < horizon:
        if begin > t:
            at = segment(when, span, begin)
        after = begin
        begin, at = earliest_at(when, room, span, at, after, horizon, FAR, width, estimate)
        while begin < horizon and begin + estimate > horizon and may_begin_before(plan, begin + estimate):
            settle(jobs, plan, begin + estimate, t)
            at = segment(when, span, begin)
            after = begin
            begin, at = earliest_at(when, room, span, at, after, horizon, FAR, width, estimate)
        remember(plan.needs, width, estimate, begin)
    if fitting and begin >= horizon:
        note_misfit(plan.misfits, width, estimate)
    return begin, at


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def note_misfit(misfits: Ints, width: Int, estimate: Int) -> None:
    """Note that a job, and so any that is at least as wide and long, has no place before a second.

    Parameters
    ----------
    misfits
        (ranges,) int64, as in `Plan`: s; modified in place.
    width, estimate
        Of the job: processors, and s.
    """
    k = range_of_width(width - 1) + 1
    while k < misfits.size and misfits[k] > estimate:
        misfits[k] = estimate
        k += 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def most_before(profile: Profile, end: Int) -> Int:
    """Return the most processors that are free at once in `profile` before second `end`."""
    most = 0
    i = profile.span[FIRST]
    while i < profile.span[LAST] and profile.when[i] < end:
        most = max(most, profile.room[i])
        i += 1
    return most


@njit(cache=True, nogil=True, _nrt=False)
def least_before(profile: Profile, end: Int) -> Int:
    """Return how many processors are free in `profile` during the whole time until second `end`."""
    least: Int = profile.room[profile.span[FIRST]]
    i = profile.span[FIRST] + 1
    while i < profile.span[LAST] and profile.when[i] < end:
        least = min(least, profile.room[i])
        i += 1
    return least


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def put_off(plan: Plan, j: Int) -> None:
    """Put job j off, which has no place before the horizon and comes after all jobs of `plan`, modified in place."""
    count = plan.state[PUT_OFF]
    plan.later[count] = j
    plan.until[count] = plan.state[HORIZON]
    plan.state[PUT_OFF] = count + 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def may_begin_before(plan: Plan, end: Int) -> bool:
    """Return whether one of the jobs of `plan` that are put off may begin before second `end`; `plan` is only read."""
    count = plan.state[PUT_OFF]
    return bool(count > 0 and plan.until[count - 1] < end)


# Nearly all jobs that are put off begin after the jobs that cross the horizon: on CTC twice as dense 98 % of them.
@njit(cache=True, nogil=True, _nrt=False)
def settle(jobs: Jobs, plan: Plan, goal: Int, t: Int) -> None:
    """Give places to the jobs that are put off, as far as these places begin before a second.

    In their order, each gets its earliest place. If a place ends after `goal`, jobs before it in the order may come to
    begin before this end: these are settled until then first, and then the place is looked for again.

    Parameters
    ----------
    jobs
        `Jobs`.
    plan
        Modified in place.
    goal
        s, after t and the horizon. No job that is still put off has a place before.
    t
        The second of this pass.
    """
    when = plan.profile.when
    room = plan.profile.room
    span = plan.profile.span
    later = plan.later
    until = plan.until
    count = plan.state[PUT_OFF]
    end = goal  # of the jobs up to `stop`, those that begin before `end` get their places
    stop = count
    i = begin_of_unsettled(plan, stop, end)
    first = i  # of which the entry has changed
    widest = start_round(plan, end)
    while i < count:
        if i == stop:
            end = goal
            stop = count
            i = begin_of_unsettled(plan, stop, end)
            widest = start_round(plan, end)
            continue
        j = np.int64(later[i])
        begin = end
        if j >= 0 and jobs.width[j] <= widest and jobs.estimate[j] < plan.later_misfits[plan.range_of[j]]:
            width = jobs.width[j]
            estimate = jobs.estimate[j]
            after = max(t, until[i], not_before(plan.later_needs, width, estimate))
            at = span[FIRST]
            if after < end:
                begin, at = earliest_at(when, room, span, segment(when, span, after), after, end, FAR, width, estimate)
            if begin < end:
                before = i - 1
                while before >= 0 and later[before] < 0:
                    before -= 1
                if begin + estimate > end and before >= 0 and until[before] < begin + estimate:
                    end = begin + estimate
                    stop = i
                    i = begin_of_unsettled(plan, stop, end)
                    first = min(first, i)
                    widest = start_round(plan, end)
                    continue
                add_at(when, room, span, at, begin, begin + estimate, -width)
                later[i] = -1
            else:
                note_misfit(plan.later_misfits, width, estimate)
            remember(plan.later_needs, width, estimate, begin)
        until[i] = end
        i += 1
    left = first
    for k in range(first, count):
        if later[k] >= 0:
            later[left] = later[k]
            until[left] = until[k]
            left += 1
    plan.state[PUT_OFF] = left


@njit(cache=True, nogil=True, _nrt=False)
def start_round(plan: Plan, end: Int) -> Int:
    """Forget what is known of the jobs that are put off; return the most processors that are free before `end`, s.

    `plan` is modified in place.
    """
    plan.later_needs[BEGIN] = 0
    plan.later_misfits[:] = FAR
    return most_before(plan.profile, end)


@njit(cache=True, nogil=True, _nrt=False)
def begin_of_unsettled(plan: Plan, stop: Int, end: Int) -> Int:
    """Return the first of the entries up to `stop` that may begin before second `end`; `plan` is only read."""
    low: Int = 0
    high: Int = stop
    while low < high:
        middle = (low + high) >> 1
        if plan.until[middle] >= end:
            low = middle + 1
        else:
            high = middle
    return low


# A job that is at least as wide and long as a job that was planned before begins no earlier. The last job of each size
# is remembered; widths with the same number of bits are one size, and `needs` has a column for each size.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def not_before(needs: Ints, width: Int, estimate: Int) -> Int:
    """Return a second before which a job cannot begin.

    Parameters
    ----------
    needs
        (3, 64) int64, as in `Plan`: processors, s, s by size; not changed.
    width, estimate
        Of the job: processors, and s.

    Returns
    -------
    int
        s; 0 if no such second is known.
    """
    begin = 0
    size = 0
    while width >> size > 0:
        if needs[BEGIN, size] > begin and needs[WIDE, size] <= width and needs[LONG, size] <= estimate:
            begin = needs[BEGIN, size]
        size += 1
    return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def remember(needs: Ints, width: Int, estimate: Int, begin: Int) -> None:
    """Remember that a job could not begin before a second.

    Parameters
    ----------
    needs
        (3, 64) int64, as in `Plan`: processors, s, s by size; the column of the job's size is set in place.
    width, estimate
        Of the job: processors, 1 or more, and s.
    begin
        s.
    """
    size = 0
    while width >> (size + 1) > 0:
        size += 1
    needs[WIDE, size] = width
    needs[LONG, size] = estimate
    needs[BEGIN, size] = begin


@njit(cache=True, nogil=True, _nrt=False)
def next_candidate(queue: Places, jobs: Jobs, o: Int, place: Int, profile: Profile, t: Int) -> Int:
    """Return the first place of order o, from `place` on, whose job could run from second t on; -1 if there is none.

    Parameters
    ----------
    queue, jobs
        `Places` and `Jobs`.
    o, place
        The order, and the first place that is tried.
    profile
        The processors that are free from second t on.
    t
        The second of this pass.
    """
    when = profile.when
    room = profile.room
    span = profile.span
    first = span[FIRST]
    free = room[first]
    # A job that could run must end before each drop of the free processors, or be narrow enough to fit after it. The
    # tree can check one drop. The first drop that leaves too few processors for any job excludes most jobs; without
    # such a drop, the deepest one does.
    extra = free
    limit = FAR
    for i in range(first + 1, span[LAST]):
        if room[i] < extra:
            extra = room[i]
            limit = when[i] - t
            if extra < queue.least[o, 1, WIDTH]:
                break
    while True:
        place = next_fitting(queue, jobs, o, place, free, extra, limit)
        if place < 0:
            return place
        j = queue.row[o, place]
        if least_before(profile, t + jobs.estimate[j]) >= jobs.width[j]:
            return place
        place += 1
