"""Make schedules from an order of all jobs: strictly in turn, or each job at the earliest time that is left.

Both use the true run times: they show what is possible offline, and are no schedulers.
"""

import numpy as np

from ..core.arrays import Int, Ints, Order
from .compiling import njit
from .fcfs_easy import in_turn
from .inputs import Down, Jobs
from .profile_shelves import Vacancy, clear, earliest, take, vacancy
from .running import NEAR


def strict(jobs: Jobs, capacity: Int, down: Down, order: Order, start: Ints) -> None:
    """Fill `start`: each job starts as soon as possible, but not before the job before it in `order`.

    Paper 002, section 2.1.

    Parameters
    ----------
    jobs
        The jobs.
    capacity
        Processors.
    down
        `Down`: no job runs on processors that are down.
    order
        (n,) int32, a permutation of the rows.
    start
        (n,) int64, s, filled in place.
    """
    if down.begin.size > 0:
        _strict_around_down_times(jobs.submit, jobs.run, jobs.width, order, _free(jobs, capacity, down), start)
        return
    near = np.empty(NEAR, np.int64)
    far = np.empty(min(jobs.submit.size, capacity) + 1, np.int64)
    in_turn(jobs.submit, jobs.run, jobs.width, order, capacity, start, near, far)


def earliest_fit(jobs: Jobs, capacity: Int, down: Down, order: Order, start: Ints) -> None:
    """Fill `start`: each job in turn starts when it first fits, and the jobs before it in `order` do not move.

    The serial schedule generation scheme of resource-constrained project scheduling (Kolisch 1996, European
    Journal of Operational Research 90).

    Parameters
    ----------
    jobs
        The jobs.
    capacity
        Processors.
    down
        `Down`: no job runs on processors that are down.
    order
        (n,) int32, a permutation of the rows.
    start
        (n,) int64, s, filled in place.
    """
    waits = np.full((128, 256, 2), -1, np.int64)
    _earliest_fit(jobs.submit, jobs.run, jobs.width, order, _free(jobs, capacity, down), waits, start)


def _free(jobs: Jobs, capacity: Int, down: Down) -> Vacancy:
    """Return what of the `capacity` processors is not `down`, from the first arrival of `jobs` on."""
    free = vacancy(jobs.submit.size + down.begin.size)
    clear(free, jobs.submit[0], np.int64(capacity))
    _take_down(free, down, jobs.submit[0])
    return free


@njit(cache=True, nogil=True, _nrt=False)
def _take_down(free: Vacancy, down: Down, since: Int) -> None:
    """Take the processors that are `down` out of `free`, a machine without jobs from second `since` on, in place."""
    for i in range(down.begin.size):
        if down.end[i] > since:
            take(free, max(down.begin[i], since), down.end[i], down.width[i])


@njit(cache=True, nogil=True, _nrt=False)
def _strict_around_down_times(submit: Ints, run: Ints, width: Ints, order: Order, free: Vacancy, start: Ints) -> None:
    """Do the work of `strict` where processors are down at times, without allocating memory.

    Parameters
    ----------
    submit, run, width
        (n,) int64: s, s and processors.
    order
        (n,) int32, a permutation of the rows.
    free
        The machine without jobs, modified in place.
    start
        (n,) int64, s, filled in place.
    """
    t: Int = 0
    for k in range(order.size):
        j = order[k]
        t = earliest(free, max(t, submit[j]), width[j], run[j])
        take(free, t, t + run[j], width[j])
        start[j] = t


@njit(cache=True, nogil=True, _nrt=False)
def _earliest_fit(submit: Ints, run: Ints, width: Ints, order: Order, free: Vacancy, waits: Ints, start: Ints) -> None:
    """Do the work of `earliest_fit` without allocating memory.

    Free processors only become fewer. So if a job had to wait from second s to t, then no job that is at least as wide
    and long can ever start in s..t - 1, and the search for a job submitted in these seconds begins at t. This makes
    the search twenty times as fast for long queues, and costs nothing for short ones.

    Parameters
    ----------
    submit, run, width
        (n,) int64: s, s and processors.
    order
        (n,) int32, a permutation of the rows.
    free
        The machine without jobs, modified in place.
    waits
        (128, 256, 2) int64, all -1, modified in place: the last such s and t of each class of width and length.
    start
        (n,) int64, s, filled in place.
    """
    for k in range(order.size):
        j = order[k]
        after = submit[j]
        last = waits[_grade(width[j], False), _grade(run[j], False)]
        if last[0] <= after and after < last[1]:
            after = last[1]
        t = earliest(free, after, width[j], run[j])
        take(free, t, t + run[j], width[j])
        start[j] = t
        if t > submit[j]:
            last = waits[_grade(width[j], True), _grade(run[j], True)]
            last[0] = submit[j]
            last[1] = t


@njit(cache=True, nogil=True, _nrt=False)
def _grade(x: Int, up: bool) -> Int:
    """Return the place of x > 0 among 1..7 and 4..7 times powers of two; between two, the upper one if `up`."""
    bits = np.int64(0)
    while (x >> bits) > 7:
        bits += 1
    lead = x >> bits
    return 4 * bits + lead + (up and (lead << bits) < x)
