"""The guard on a machine of which processors are down at times; all of these times are known beforehand.

The real machine and EASY's in the books have the same down times. Both have the passes of `down_times`, with keys that
change at reviews only; EASY's are equal, so that its queue is in the order of arrival. What a review says, and from
which second on EASY is simulated anew, is that of `guarded`: a job that EASY has started was placed beside the down
times, so that it starts at once, and runs on, wherever the simulation begins.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .down_times import (
    ARRIVED,
    COUNT,
    RUNNING,
    Site,
    admit_arrivals,
    clear_site,
    empty_site,
    end_job,
    next_moment,
    start_around_down_times,
    wide_desk,
)
from .fair_share import Tree
from .formulas import Program
from .guarded import Beside, Books, Guard, books_of, classify, compare_both, easy_beside, key_of, prepare_easy
from .inputs import Backfilling, Down, Jobs
from .priority import Desk, Ranking
from .profile import FIRST
from .running import Running, next_end, running_jobs
from .usage import no_usage
from .waiting_heap import count_fitting, make_heap


class Place(NamedTuple):
    """A machine and its queue.

    Attributes
    ----------
    now, site
        `Running` and `Site`.
    desk
        `Desk`.
    keys
        (n,) float64, of the waiting jobs: the one with the largest key comes first, then the lowest row.
    """

    now: Running
    site: Site
    desk: Desk
    keys: Floats


def guard_around_down_times(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    guard: Guard,
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
    start: Ints,
) -> None:
    """Fill `start` with the start times of a guarded order, on processors that are not down.

    Parameters
    ----------
    jobs, capacity, down
        As for `order_around_down_times`.
    guard
        `Guard`.
    order, candidates, backfilling, accounts, shares, half_life, tree
        EASY's, as for `order_around_down_times`.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    start.fill(-1)
    ranking = Ranking(order, candidates, backfilling, no_usage(accounts, half_life, tree), shares)
    easy = easy_beside(n, capacity, False)
    real, beside = (
        Place(now, empty_site(jobs, capacity, down), wide_desk(n, backfilling, down), np.zeros(n))
        for now in (running_jobs(start, capacity, False), easy.now)
    )
    books = books_of(jobs, guard)
    _guard_around_down_times(jobs, capacity, down, guard, ranking, real, easy, beside, books, guard.classes.copy())


@njit(cache=True, nogil=True, _nrt=False)
def _guard_around_down_times(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    guard: Guard,
    ranking: Ranking,
    real: Place,
    easy: Beside,
    beside: Place,
    books: Books,
    classes: Ints,
) -> None:
    """Do the work of `guard_around_down_times` without allocating memory.

    Parameters
    ----------
    jobs, capacity, down, guard
        As for `guard_around_down_times`.
    ranking
        `Ranking`, that of EASY.
    real, beside
        Two idle machines with their queues; modified in place.
    easy, books
        `Beside` without any start and `Books` without reviews, modified in place.
    classes
        (G,) int64, those of the guard, modified in place.
    """
    n = jobs.submit.size
    begin = jobs.submit[0]
    state, rows = real.site.state, real.desk.waiting.rows
    reviews = 0
    while state[ARRIVED] < n or state[COUNT] > 0:
        t = next_moment(jobs, real.now, real.site)
        due = (t - begin) // guard.review
        if due > reviews:  # the last one before the event is the only one that matters
            reviews = due
            second = begin + due * guard.review
            again = prepare_easy(jobs, second, real.now.start, state[ARRIVED], easy, books)
            _easy_until(again, capacity, down, books.settled[1], second, ranking, beside)
            compare_both(jobs, second, real.now.start, state[ARRIVED], again.submit.size, easy, books)
            if classify(guard, books.now, classes):
                for i in range(state[COUNT]):
                    real.keys[rows[i]] = key_of(jobs, guard, classes, rows[i])
        arrived = state[ARRIVED]
        _change(jobs, real, t)
        for j in range(arrived, state[ARRIVED]):
            real.keys[j] = key_of(jobs, guard, classes, j)
        _start(jobs, ranking, real, t)


@njit(cache=True, nogil=True, _nrt=False)
def _easy_until(jobs: Jobs, capacity: Int, down: Down, since: Int, until: Int, ranking: Ranking, place: Place) -> None:
    """Simulate EASY from one second on, up to another one.

    Parameters
    ----------
    jobs
        `Jobs` that arrive in second `since` or later.
    capacity, down, ranking
        As for `_guard_around_down_times`.
    since, until
        s; the events of `until` are not handled.
    place
        The machine and its queue, set up in place.
    """
    site, state = place.site, place.site.state
    clear_site(site, capacity, down, since)
    place.now.nearby[0] = 0
    while state[ARRIVED] < jobs.submit.size or state[COUNT] > 0:
        t = next_moment(jobs, place.now, site)
        if t >= until:
            break
        _change(jobs, place, t)
        _start(jobs, ranking, place, t)


@njit(cache=True, nogil=True, _nrt=False)
def _change(jobs: Jobs, place: Place, t: Int) -> None:
    """End those of `jobs` that end in second t, and admit those that arrive; `place` is modified in place."""
    while place.site.state[RUNNING] > 0 and next_end(place.now) == t:
        end_job(jobs, place.now, place.site, t)
    admit_arrivals(jobs, place.now, place.site, place.desk.waiting, t)


@njit(cache=True, nogil=True, _nrt=False)
def _start(jobs: Jobs, ranking: Ranking, place: Place, t: Int) -> None:
    """Start the jobs that start in second t.

    Parameters
    ----------
    jobs, ranking
        `Jobs`, and the `Ranking` of EASY, of which the keys are not used.
    place
        The machine and its queue, modified in place.
    t
        The second, with which the profile begins.
    """
    waiting, count, profile = place.desk.waiting, place.site.state[COUNT], place.site.profile
    if count == 0 or count_fitting(waiting.rows, count, jobs.width, profile.room[profile.span[FIRST]]) == 0:
        return  # only a job that fits can start
    for i in range(count):
        waiting.queue[i] = waiting.rows[i]
        waiting.keys[i] = place.keys[waiting.rows[i]]
    make_heap(waiting.queue, waiting.keys, count)
    start_around_down_times(jobs, place.now, place.site, 0, t, ranking, place.desk)
