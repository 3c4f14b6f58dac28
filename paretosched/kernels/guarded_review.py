"""The guard on a real machine: what starts and ends there is known, and only reviews and keys are computed.

Both are computed by the functions of `guarded`, by which they are computed in a simulation.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .fcfs_easy import no_slots
from .guarded import Books, Guard, Machine, classify, easy_beside, key_of, review_both
from .inputs import Jobs
from .running import running_jobs


class Reviewed(NamedTuple):
    """What a review says of n jobs in G groups.

    Attributes
    ----------
    classes
        (G,) int64, of the groups.
    easy
        (n,) int64, EASY's start times, s; -1 where there is none before the review.
    settled
        How many of the first rows need not come again: their share is in `sums`.
    since
        EASY's starts before this second stay as they are.
    sums, now
        As of `Books`.
    """

    classes: Ints
    easy: Ints
    settled: Int
    since: Int
    sums: Floats
    now: Floats


def review_at(
    t: Int, jobs: Jobs, capacity: Int, guard: Guard, start: Ints, easy: Ints, since: Int, sums: Floats
) -> Reviewed:
    """Return what a review says, by the same steps as in a simulation.

    Parameters
    ----------
    t
        The second of the review.
    jobs
        `Jobs` that arrived before it and are not settled. Run times count of those that ended before it.
    capacity
        Processors, as many as each job needs.
    guard
        `Guard`.
    start
        (n,) int64, start times on the real machine, s; -1 if not before the review.
    easy, since, sums
        As of `Reviewed`, from the last review; without one (n,) of -1, the first second, and (4, G + 1) of 0.
    """
    n = jobs.submit.size
    beside = easy_beside(n, capacity, True)
    beside.start[:] = easy
    books = Books(jobs.run.copy(), np.array([0, since], dtype=np.int64), sums.copy(), np.zeros_like(sums))
    real = Machine(
        running_jobs(start, capacity, True), np.empty(0), np.empty(0, np.int64), np.empty(0), np.array([0, 0, n, 0])
    )
    review_both(jobs, capacity, t, real, beside, no_slots(n, capacity, True), books)
    classes = guard.classes.copy()
    classify(guard, books.now, classes)
    return Reviewed(classes, beside.start, books.settled[0], books.settled[1], books.sums, books.now)


def waiting_keys(jobs: Jobs, guard: Guard, classes: Ints) -> Floats:
    """Return the keys of all `jobs`, (n,) float64; the job with the largest one comes first, then the lowest row.

    Parameters
    ----------
    jobs, guard
        As for `guard_order`; ages count from the first job.
    classes
        (G,) int64, of the groups.
    """
    return np.array([key_of(jobs, guard, classes, j) for j in range(jobs.submit.size)])
