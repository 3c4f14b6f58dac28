"""A waiting queue that is sorted anew at every event, for policies that must read all of it in any case."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .criteria import key_of
from .inputs import Jobs, Weights


class Waiting(NamedTuple):
    """The waiting jobs; the caller counts them.

    Attributes
    ----------
    rows
        (n,) int64, in the order of arrival.
    queue, keys
        (n,) int64 rows and (n,) float64, work space of one pass: the jobs in the order of the pass; with genes a heap
        by the keys, with the largest key, then the lowest row, on top.
    """

    rows: Ints
    queue: Ints
    keys: Floats


@njit(cache=True, nogil=True)
def no_jobs(n: Int) -> Waiting:
    """Return work space for n waiting jobs."""
    return Waiting(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.float64))


@njit(cache=True, nogil=True, _nrt=False)
def arrange(jobs: Jobs, weights: Weights, situation: Int, t: Int, waiting: Waiting, count: Int) -> None:
    """Put the waiting jobs in the order of a pass: the order of arrival or, with genes, a heap by their keys.

    Parameters
    ----------
    jobs, weights
        `Jobs` and `Weights`.
    situation, t
        The scheduling situation, 0..2, and the second of the pass.
    waiting, count
        `Waiting`, of which `queue` and `keys` are filled in place, and how many jobs wait.
    """
    queue = waiting.queue
    keys = waiting.keys
    genes = weights.genes
    groups = (genes.shape[1] - 2) // 2
    for i in range(count):
        j = waiting.rows[i]
        queue[i] = j
        keys[i] = 0.0
        if genes.size > 0:
            g = jobs.group[j]
            keys[i] = key_of(
                weights.criteria[situation],
                genes[situation, g],
                genes[situation, groups + g],
                genes[situation, 2 * groups],
                genes[situation, 2 * groups + 1],
                float(t - jobs.submit[j]),
                float(jobs.estimate[j]),
                float(jobs.width[j]),
                float(jobs.estimate[j] * jobs.width[j]),
            )
    if genes.size > 0:
        for i in range(count // 2 - 1, -1, -1):
            sink(queue, keys, i, count)


@njit(cache=True, nogil=True, _nrt=False)
def sink(queue: Ints, keys: Floats, i: Int, size: Int) -> None:
    """Sink the job at i to its place in a heap with the largest key, then the lowest row, on top.

    Parameters
    ----------
    queue, keys
        (size or more,) int64 rows and (size or more,) float64, modified in place.
    i, size
        A place whose children are heaps, and the number of jobs.
    """
    while 2 * i + 1 < size:
        child = 2 * i + 1
        other = child + 1
        if other < size and (keys[other] > keys[child] or (keys[other] == keys[child] and queue[other] < queue[child])):
            child = other
        if keys[i] > keys[child] or (keys[i] == keys[child] and queue[i] < queue[child]):
            return
        queue[i], queue[child] = queue[child], queue[i]
        keys[i], keys[child] = keys[child], keys[i]
        i = child


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def take_first(waiting: Waiting, position: Int, left: Int, has_weights: bool) -> Int:
    """Remove the first of `left` jobs from the queue, and return its row.

    Parameters
    ----------
    waiting
        `Waiting`; with keys, `queue` and `keys` are modified in place.
    position, left
        The number of jobs removed before, and of those that are left.
    has_weights
        Whether the queue is a heap by keys.
    """
    j: Int = waiting.queue[0] if has_weights else waiting.queue[position]
    if has_weights:
        waiting.queue[0] = waiting.queue[left - 1]
        waiting.keys[0] = waiting.keys[left - 1]
        sink(waiting.queue, waiting.keys, 0, left - 1)
    return j


@njit(cache=True, nogil=True, _nrt=False)
def count_fitting(rows: Ints, count: Int, width: Ints, free: Int) -> Int:
    """Return how many jobs of a list fit on the processors that are free.

    Parameters
    ----------
    rows, count
        (count or more,) int64, of which the first `count` are counted; not changed.
    width
        (n,) int64, processors by row; not changed.
    free
        Processors.
    """
    fitting = 0
    for i in range(count):
        fitting += width[rows[i]] <= free
    return fitting


@njit(cache=True, nogil=True, _nrt=False)
def still_waiting(rows: Ints, count: Int, start: Ints) -> Int:
    """Drop the rows of jobs that have started, with a start time of 0 or more; return how many are left.

    Parameters
    ----------
    rows, count
        (n,) int64, of which the first `count` wait; modified in place.
    start
        (n,) int64, s, -1 for jobs that wait.
    """
    size = 0
    for i in range(count):
        if start[rows[i]] < 0:
            rows[size] = rows[i]
            size += 1
    return size
