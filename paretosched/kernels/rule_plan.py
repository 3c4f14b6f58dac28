"""The plan of a pass of conservative backfilling that a rule base chose: as little of it as the pass needs."""

from typing import NamedTuple

from numba import njit

from ..core.arrays import Int, Ints, Order
from .inputs import Jobs
from .profile import FIRST, LAST, add_at, earliest_at, segment
from .running import Profile
from .waiting_orders import Places, next_fitting
from .waiting_tree import FAR, WIDTH

WIDE, LONG, BEGIN = 0, 1, 2  # rows of `Plan.needs`
HANDLED, HORIZON, WIDEST, PUT_OFF = range(4)  # of `Plan.state`


class Plan(NamedTuple):
    """The plan of a pass with CONS.

    Attributes
    ----------
    profile
        The running jobs, and those that have a place.
    later
        (n,) int32, rows of the jobs that are put off: they find no place before the horizon.
    needs
        (3, 64) int64, WIDE, LONG and BEGIN of the last job of each size that was planned: processors, s, s. See
        `not_before`.
    state
        (4,) int64: every job up to place HANDLED has a place in the plan, or is put off; no candidate so far would end
        after HORIZON, s; the most processors that are free at once before it when it was set, WIDEST; and how many jobs
        are PUT_OFF.
    """

    profile: Profile
    later: Order
    needs: Ints
    state: Ints


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def clear_plan(plan: Plan, place: Int, t: Int) -> None:
    """Make a plan, in place, in which no job from `place` on has a place; its profile is laid out by the caller."""
    plan.state[HANDLED] = place - 1
    plan.state[HORIZON] = t
    plan.state[WIDEST] = 0
    plan.state[PUT_OFF] = 0
    plan.needs[BEGIN] = 0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def place_before_horizon(jobs: Jobs, plan: Plan, j: Int, t: Int) -> tuple[Int, Int]:
    """Return the earliest begin of job j from second t on, and its segment of the profile.

    The begin is the horizon or later if there is none before. `plan` is modified in place: what was put off has its
    place if the job would run on beyond the horizon, and the job's need is remembered.
    """
    when = plan.profile.when
    room = plan.profile.room
    span = plan.profile.span
    horizon = plan.state[HORIZON]
    width = jobs.width[j]
    estimate = jobs.estimate[j]
    begin: Int = horizon
    if width <= plan.state[WIDEST]:
        begin = max(t, not_before(plan.needs, width, estimate))
    at = span[FIRST]
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
    return begin, at


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def most_before(profile: Profile, end: Int) -> Int:
    """Return the most processors that are free at once before second `end`."""
    most = 0
    i = profile.span[FIRST]
    while i < profile.span[LAST] and profile.when[i] < end:
        most = max(most, profile.room[i])
        i += 1
    return most


@njit(cache=True, nogil=True, _nrt=False)
def least_before(profile: Profile, end: Int) -> Int:
    """Return how many processors are free all the time until second `end`."""
    least: Int = profile.room[profile.span[FIRST]]
    i = profile.span[FIRST] + 1
    while i < profile.span[LAST] and profile.when[i] < end:
        least = min(least, profile.room[i])
        i += 1
    return least


@njit(cache=True, nogil=True, _nrt=False)
def put_down(jobs: Jobs, plan: Plan, horizon: Int) -> None:
    """Give the jobs that are put off, none of which has a place before `horizon`, their places in turn.

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


# A job that needs no less than one that was planned before comes no sooner. The last one of each size is remembered,
# where widths of as many bits are of one size; `needs` has a column for each.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def not_before(needs: Ints, width: Int, estimate: Int) -> Int:
    """Return a second before which a job cannot begin, 0 if none is known; `needs` as in `Plan`."""
    begin = 0
    size = 0
    while width >> size > 0:
        if needs[BEGIN, size] > begin and needs[WIDE, size] <= width and needs[LONG, size] <= estimate:
            begin = needs[BEGIN, size]
        size += 1
    return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def remember(needs: Ints, width: Int, estimate: Int, begin: Int) -> None:
    """Remember that a job was not planned to begin before second `begin`; `needs` as in `Plan`, modified in place."""
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
        The order, and the first place that is asked.
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
    # A job that could run must be short enough to end before a drop, or narrow enough to fit there: this holds for
    # every drop, and the tree can ask for one. The first that leaves too little for any job excludes most; else the
    # deepest.
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
