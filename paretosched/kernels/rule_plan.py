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
    later, starting
        (n,) int32, rows: of the jobs that are put off, because there is no place for them before the horizon; and of
        the jobs that start in this pass.
    needs
        (3, 64) int64, WIDE, LONG and BEGIN of the last planned job of each size: processors, s, s. See `not_before`.
    range_of, misfits
        (n,) int32 and (ranges,) int64: the range of the width of each job, and for each range an estimate, s, from
        which on no job in it has a place before the horizon; FAR if none is known.
    state
        (5,) int64. HANDLED: every job up to this place has a place in the plan or is put off. HORIZON, s: no candidate
        so far would end after it. WIDEST: the most processors that were free at once before the horizon when it was
        set. PUT_OFF, STARTING: the number of jobs that are put off, and of those that start.
    """

    profile: Profile
    later: Order
    starting: Order
    needs: Ints
    range_of: Order
    misfits: Ints
    state: Ints


@njit(cache=True, nogil=True)
def no_plan(jobs: Jobs, most: Int) -> Plan:
    """Return work space for a plan of at most `most` jobs: all of `jobs`; or 1 if there will be no plan."""
    widest = 0
    range_of = np.empty(most, np.int32)
    for j in range(most):
        range_of[j] = range_of_width(jobs.width[j])
        widest = max(widest, range_of[j])
    return Plan(
        no_profile(2 * most + 16),
        np.empty(most, np.int32),
        np.empty(most, np.int32),
        np.zeros((3, 64), np.int64),
        range_of,
        np.empty(widest + 1, np.int64),
        np.zeros(5, np.int64),
    )


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
    """Extend the horizon of a plan, in place, in second t: jobs that are put off get their places.

    `jobs` is only read; `horizon`, in s, is later than the present one.
    """
    put_down(jobs, plan, max(plan.state[HORIZON], t))
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
                plan.later[state[PUT_OFF]] = k
                state[PUT_OFF] += 1
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
    beyond the horizon, the jobs that were put off get their places first; and the job's need is remembered.
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
        if begin < horizon and begin + estimate > horizon and plan.state[PUT_OFF] > 0:
            put_down(jobs, plan, horizon)
            at = segment(when, span, begin)
            after = begin
            begin, at = earliest_at(when, room, span, at, after, horizon, FAR, width, estimate)
        remember(plan.needs, width, estimate, begin)
    if fitting and begin >= horizon:  # neither has a job that is at least as wide and long
        k = range_of_width(width - 1) + 1
        while k < plan.misfits.size and plan.misfits[k] > estimate:
            plan.misfits[k] = estimate
            k += 1
    return begin, at


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


@njit(cache=True, nogil=True, _nrt=False)
def put_down(jobs: Jobs, plan: Plan, horizon: Int) -> None:
    """Plan in turn the jobs that are put off, for which there is no place before `horizon`.

    `plan` is modified in place.
    """
    when = plan.profile.when
    room = plan.profile.room
    span = plan.profile.span
    for i in range(plan.state[PUT_OFF]):
        j = plan.later[i]
        width = jobs.width[j]
        estimate = jobs.estimate[j]
        after = max(horizon, not_before(plan.needs, width, estimate))
        begin, at = earliest_at(when, room, span, segment(when, span, after), after, FAR, FAR, width, estimate)
        add_at(when, room, span, at, begin, begin + estimate, -width)
        remember(plan.needs, width, estimate, begin)
    plan.state[PUT_OFF] = 0


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
