"""A waiting queue that is sorted again at every event, for policies that must read all of it in any case."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .formulas import BLOCK, Program, evaluate_block
from .inputs import Jobs

SCANS = 8  # so many jobs are looked for among all, before it is worth to make a heap


class Waiting(NamedTuple):
    """The waiting jobs; the caller counts them.

    Attributes
    ----------
    rows
        (n,) int64, in the order of arrival.
    queue, keys
        (n,) int64 rows and (n,) float64, work space of one pass: the jobs in the order of the pass; by keys a heap,
        with the largest key, then the lowest row, on top, or in any order, see `bring_first`.
    """

    rows: Ints
    queue: Ints
    keys: Floats


def no_jobs(n: Int) -> Waiting:
    """Return work space for n waiting jobs."""
    return Waiting(np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.float64))


# Inlined, because for few jobs passing so many arrays takes longer than the work.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def evaluate_all(
    program: Program,
    situation: Int,
    jobs: Jobs,
    t: Int,
    usages: Floats,
    shares: Floats,
    stacks: Floats,
    queue: Ints,
    keys: Floats,
    count: Int,
) -> None:
    """Fill in the keys of the first `count` rows of a queue in second t.

    Parameters
    ----------
    program, situation, jobs, t, shares, stacks
        As for `evaluate_block`.
    usages
        (n,) float64, the usage of the account of each job of the queue in second t.
    queue, keys
        (n,) int64 rows, and (n,) float64, filled in place.
    count
        How many jobs are in the queue.
    """
    for begin in range(0, count, BLOCK):
        end = min(begin + BLOCK, count)
        rows = queue[begin:end]
        evaluate_block(program, situation, jobs, rows, t, usages[begin:end], shares, stacks, keys[begin:end])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def make_heap(queue: Ints, keys: Floats, count: Int) -> None:
    """Make a heap of the first `count` rows of a queue by their keys.

    Parameters
    ----------
    queue, keys, count
        (count or more,) int64 rows and (count or more,) float64, modified in place, and the number of jobs.
    """
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
def bring_first(waiting: Waiting, left: Int, taken: Int) -> None:
    """Let the job with the largest key, then the lowest row, be the first one of the queue, whatever the others are.

    Most passes ask for few jobs, so the first SCANS times all are looked at, before a heap is made.

    Parameters
    ----------
    waiting
        `Waiting`, of which `queue` and `keys` are modified in place.
    left, taken
        How many jobs are in the queue, and how many were taken before by `drop_first`.
    """
    queue, keys = waiting.queue, waiting.keys
    if taken == SCANS:
        make_heap(queue, keys, left)
    if taken >= SCANS:
        return
    first: Int = np.int64(0)
    for i in range(1, left):
        if keys[i] > keys[first] or (keys[i] == keys[first] and queue[i] < queue[first]):
            first = i
    queue[0], queue[first] = queue[first], queue[0]
    keys[0], keys[first] = keys[first], keys[0]


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def drop_first(waiting: Waiting, left: Int, taken: Int) -> None:
    """Take the first of `left` jobs out of the queue of `waiting`, in place; `taken` as for `bring_first`."""
    waiting.queue[0] = waiting.queue[left - 1]
    waiting.keys[0] = waiting.keys[left - 1]
    if taken >= SCANS:
        sink(waiting.queue, waiting.keys, 0, left - 1)


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
