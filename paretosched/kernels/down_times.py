"""Any order with any backfilling on a machine of which processors are down at times; all is known beforehand.

A profile has the processors that are neither down nor, by their expected ends, taken by running jobs, from now on. It
is kept from one event to the next. A job may start if its width is free in it for all of its estimate: so no job ever
runs on a processor that is down. The queue is sorted anew at every event. A second in which the number of processors
that are down changes is an event, too.

The pass is that of `priority`, but that a job at the head of the order that fits now may have to wait.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from ..core.situations import Calendar
from .compiling import njit
from .down_profile import put_down
from .events import era_at, next_event
from .fair_share import Tree
from .formulas import Program
from .inputs import Backfilling, Down, Jobs, ints
from .priority import Desk, Ranking, any_named, can_start, candidates_of, empty_desk, rank, reserve_in_order
from .profile import FIRST, LAST, add, add_at, clear, forget_past
from .running import Profile, Running, end_next, launch, next_end, no_profile, running_jobs
from .usage import no_usage, note_usage
from .waiting_heap import Waiting, count_fitting, make_heap, still_waiting, take_first

RUNNING, COUNT, ARRIVED, CHANGE = range(4)  # of `Site.state`


class Site(NamedTuple):
    """The machine and its queue, between two passes.

    Attributes
    ----------
    profile
        `Profile`: free processors, without reservations.
    changes
        (c,) int64, s, ascending: when the number of processors that are down changes.
    state
        (4,) int64: RUNNING jobs; COUNT of the waiting jobs; rows that have ARRIVED; the next CHANGE.
    """

    profile: Profile
    changes: Ints
    state: Ints


def empty_site(jobs: Jobs, capacity: Int, down: Down) -> Site:
    """Return a machine of `capacity` processors, some `down` at times, before the first of `jobs` arrives."""
    profile = no_profile(2 * (jobs.submit.size + down.begin.size) + 16)
    site = Site(profile, np.unique(np.concatenate([down.begin, down.end])), ints(4))
    clear_site(site, capacity, down, jobs.submit[0])
    return site


@njit(cache=True, nogil=True, _nrt=False)
def clear_site(site: Site, capacity: Int, down: Down, since: Int) -> None:
    """Make `site`, in place, a machine of `capacity` processors, some `down` at times, idle from second `since` on."""
    state = site.state
    clear(site.profile.when, site.profile.room, site.profile.span, since, capacity)
    put_down(site.profile, down, since)
    state[RUNNING] = state[COUNT] = state[ARRIVED] = state[CHANGE] = 0
    while state[CHANGE] < site.changes.size and site.changes[state[CHANGE]] <= since:
        state[CHANGE] += 1


def order_around_down_times(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
    start: Ints,
) -> None:
    """Fill `start` with the start times of an order with a backfilling, on processors that are not down.

    Parameters
    ----------
    jobs, capacity
        `Jobs` and processors.
    down
        `Down`.
    calendar, order, candidates, backfilling, accounts, shares, half_life, tree
        As for `in_order_of_parts`.
    start
        (n,) int64, s, filled in place.
    """
    ranking = Ranking(order, candidates, backfilling, no_usage(accounts, half_life, tree), shares)
    now = running_jobs(start, capacity, False)
    desk = wide_desk(jobs.submit.size, backfilling, down)
    _order_around_down_times(jobs, calendar, ranking, now, empty_site(jobs, capacity, down), desk)


def wide_desk(n: int, backfilling: Backfilling, down: Down) -> Desk:
    """Return work space for passes over n jobs with a `backfilling`, in whose profile there is room for `down`."""
    return empty_desk(n, backfilling)._replace(profile=no_profile(2 * (n + down.begin.size) + 16))


@njit(cache=True, nogil=True, _nrt=False)
def _order_around_down_times(
    jobs: Jobs, calendar: Calendar, ranking: Ranking, now: Running, site: Site, desk: Desk
) -> None:
    """Do the work of `order_around_down_times` without allocating memory.

    Parameters
    ----------
    jobs, calendar
        `Jobs` and `Calendar`.
    ranking, now, site, desk
        `Ranking`, `Running`, `Site` and `Desk`, modified in place: the start times of `now` are filled.
    """
    state = site.state
    waiting = desk.waiting
    era: Int = 0
    while state[ARRIVED] < jobs.submit.size or state[COUNT] > 0:
        t = next_moment(jobs, now, site)
        while state[RUNNING] > 0 and next_end(now) == t:
            j = end_job(jobs, now, site, t)
            note_usage(ranking.usage, j, t, -jobs.width[j])
        era = era_at(calendar, era, t)
        admit_arrivals(jobs, now, site, waiting, t)
        count: Int = state[COUNT]
        free = site.profile.room[site.profile.span[FIRST]]
        # Only a job that fits can start. A pass in which no job can start matters only if it writes down latest starts.
        if count == 0 or (ranking.backfilling.slack == 0 and count_fitting(waiting.rows, count, jobs.width, free) == 0):
            continue
        for i in range(count):
            waiting.queue[i] = waiting.rows[i]
        situation = calendar.kind[era]
        rank(ranking.order, situation, jobs, t, ranking, desk, count)
        start_around_down_times(jobs, now, site, situation, t, ranking, desk)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_moment(jobs: Jobs, now: Running, site: Site) -> Int:
    """Return the second of the next event of `jobs` and `now`; `site`, modified in place, then begins there."""
    state = site.state
    t = next_event(jobs, state[ARRIVED], now, state[RUNNING])
    if state[CHANGE] < site.changes.size and site.changes[state[CHANGE]] <= t:
        t = site.changes[state[CHANGE]]
        state[CHANGE] += 1
    forget_past(site.profile.when, site.profile.span, t)
    site.profile.when[site.profile.span[FIRST]] = t
    return t


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def end_job(jobs: Jobs, now: Running, site: Site, t: Int) -> Int:
    """End the next of `jobs`, which ends in second t, and return its row; `now` and `site` are modified in place."""
    state = site.state
    profile = site.profile
    j = end_next(jobs, now, state[RUNNING])
    state[RUNNING] -= 1
    expected = now.start[j] + jobs.estimate[j]
    if expected > t:
        add(profile.when, profile.room, profile.span, t, expected, jobs.width[j])
    return j


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def admit_arrivals(jobs: Jobs, now: Running, site: Site, waiting: Waiting, t: Int) -> None:
    """Add those of `jobs` that arrive in second t to `waiting`; `now`, `site` and `waiting` are modified in place."""
    state = site.state
    while state[ARRIVED] < jobs.submit.size and jobs.submit[state[ARRIVED]] == t:
        waiting.rows[state[COUNT]] = state[ARRIVED]
        now.start[state[ARRIVED]] = -1
        state[COUNT] += 1
        state[ARRIVED] += 1


@njit(cache=True, nogil=True, _nrt=False)
def start_around_down_times(
    jobs: Jobs, now: Running, site: Site, situation: Int, t: Int, ranking: Ranking, desk: Desk
) -> None:
    """Start the jobs that an order and its backfilling start in second t; the queue is a heap in this order.

    Parameters
    ----------
    jobs
        `Jobs`.
    now, site
        `Running` and `Site`, modified in place.
    situation, t
        The scheduling situation, 0..2, and the second, with which the profile begins.
    ranking, desk
        `Ranking` and `Desk`, modified in place.
    """
    state = site.state
    waiting = desk.waiting
    backfilling = ranking.backfilling
    count: Int = state[COUNT]
    running: Int = state[RUNNING]
    copy_profile(site.profile, desk.profile)
    when = desk.profile.when
    room = desk.profile.room
    span = desk.profile.span
    free: Int = room[span[FIRST]]
    left: Int = count
    while left > 0 and can_start(jobs, desk.profile, waiting.queue[0], t):
        j = take_first(waiting, 0, left, True)
        left -= 1
        add_at(when, room, span, span[FIRST], t, t + jobs.estimate[j], -jobs.width[j])
        free -= jobs.width[j]
        launch(jobs, now, running, j, t)
        note_usage(ranking.usage, j, t, jobs.width[j])
        running += 1
    if left > 0 and backfilling.reservations > 0:
        running, free, left, aside = reserve_in_order(jobs, now, running, free, t, ranking, desk, left)
        limited = any_named(jobs, backfilling, waiting.rows, count, now.start)
        left = candidates_of(jobs, backfilling, desk, left, aside, free, t, limited)
        if backfilling.same:
            make_heap(waiting.queue, waiting.keys, left)
        elif left > 0:
            rank(ranking.candidates, situation, jobs, t, ranking, desk, left)
        while left > 0:
            j = take_first(waiting, 0, left, True)
            left -= 1
            if can_start(jobs, desk.profile, j, t):
                add_at(when, room, span, span[FIRST], t, t + jobs.estimate[j], -jobs.width[j])
                launch(jobs, now, running, j, t)
                note_usage(ranking.usage, j, t, jobs.width[j])
                running += 1
    if running == state[RUNNING]:
        return
    state[RUNNING] = running
    base = site.profile
    for i in range(count):
        j = waiting.rows[i]
        if now.start[j] == t:
            add_at(base.when, base.room, base.span, base.span[FIRST], t, t + jobs.estimate[j], -jobs.width[j])
    state[COUNT] = still_waiting(waiting.rows, count, now.start)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def copy_profile(source: Profile, target: Profile) -> None:
    """Fill `target`, in place, with what `source`, a profile of the same size, has."""
    for i in range(source.span[FIRST], source.span[LAST]):
        target.when[i] = source.when[i]
        target.room[i] = source.room[i]
    target.span[FIRST] = source.span[FIRST]
    target.span[LAST] = source.span[LAST]
