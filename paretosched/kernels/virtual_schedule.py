"""The virtual machine on which orders of a group of waiting jobs are tried (paper 004, section 6.4).

An order is scheduled strictly: each job starts as soon as the job before it has started and it fits, as if the slice
never ended. The state of the machine after every job of the order is stored.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Mask
from .compiling import njit
from .inputs import Jobs, ints

FAR = np.int64(0x7FFFFFFFFFFFFFFF)


class Planning(NamedTuple):
    """The parameters of the search; their meaning is in `policies.time_sharing.Optimisation`.

    Arrays are (2,), for the classes medium and long. `mean_run` and `wide_run` are s.
    """

    bottom_line: bool
    search: int
    permutations: int
    threshold: int
    pruning: bool
    second_level: bool
    long_wide_least: int
    long_wide_most: int
    force_shift: float
    candidates: int
    makespan: float
    utilisation: float
    response: float
    bound: int
    ceiling: bool
    delta: float
    least_use: float
    dynamic: bool
    least: Ints
    most: Ints
    machines: Floats
    work: Floats
    mean_run: Ints
    wide: Floats
    wide_run: Ints


class Moment(NamedTuple):
    """The moment of planning a group, and all values that stay the same during it.

    Attributes
    ----------
    jobs
        The jobs.
    belief
        (n,) int64, s: how long each job runs, as the scheduler believes.
    capacity
        Processors.
    now
        The second of the planning.
    share
        The share of the time, above 0, that the class of the group has.
    rules
        The parameters of the search.
    """

    jobs: Jobs
    belief: Ints
    capacity: Int
    now: Int
    share: float
    rules: Planning


class Tree(NamedTuple):
    """Work space for groups of up to N jobs on a machine with up to R running jobs; int64, times in s.

    Attributes
    ----------
    time, free, ends_before, running
        (N + 1,) the state after the first d jobs of an order: when the last one started, idle processors, how many of
        `ends` have passed, how many jobs of the order run.
    end, width
        (N + 1, N + 1): the ends and processors of these running jobs.
    ends, widths
        (R + N,): the ends and processors of the jobs that ran before the order, by end.
    end_count
        (1,) the number of entries in `ends`.
    total, least
        (N + 1,) the slowdown of the first d jobs, and the least that each job adds.
    digits, order, places
        (N + 1,) Lehmer digits of the present order, its jobs, and work space.
    other, moved
        (N + 1,) places of these jobs in the first order, or an order with shifts; bool, whether a job was shifted.
    best, totals
        (candidates, N + 1), (candidates,) the best orders, and their slowdowns.
    """

    time: Ints
    free: Ints
    ends_before: Ints
    running: Ints
    end: Ints
    width: Ints
    ends: Ints
    widths: Ints
    end_count: Ints
    total: Ints
    least: Ints
    digits: Ints
    order: Ints
    places: Ints
    other: Ints
    best: Ints
    totals: Ints
    moved: Mask


def tree_for(jobs: int, running: int, candidates: int) -> Tree:
    """Return work space for groups of up to `jobs` jobs, with up to `running` running jobs and `candidates` orders."""
    n = jobs + 1
    return Tree(
        ints(n), ints(n), ints(n), ints(n), ints(n, n), ints(n, n), ints(running + n), ints(running + n), ints(1),
        ints(n), ints(n), ints(n), ints(n), ints(n), ints(n), ints(candidates, n), ints(candidates),
        np.zeros(n, np.bool_),
    )  # fmt: skip


@njit(cache=True, nogil=True, _nrt=False)
def put(tree: Tree, d: Int, width: Int, belief: Int) -> None:
    """Schedule a job after the first d jobs.

    Parameters
    ----------
    tree
        Modified in place: entry d + 1 of time, free, passed, running, end and width. The start is time[d + 1].
    d
        0..N - 1.
    width, belief
        Processors, and s, how long the job runs, as the scheduler believes.
    """
    time = tree.time[d]
    free = tree.free[d]
    ends_before = tree.ends_before[d]
    count = tree.running[d]
    for i in range(count):
        tree.end[d + 1, i] = tree.end[d, i]
        tree.width[d + 1, i] = tree.width[d, i]
    while free < width:
        time = tree.ends[ends_before] if ends_before < tree.end_count[0] else FAR
        for i in range(count):
            time = min(time, tree.end[d + 1, i])
        while ends_before < tree.end_count[0] and tree.ends[ends_before] <= time:
            free += tree.widths[ends_before]
            ends_before += 1
        running = 0
        for i in range(count):
            if tree.end[d + 1, i] <= time:
                free += tree.width[d + 1, i]
            else:
                tree.end[d + 1, running] = tree.end[d + 1, i]
                tree.width[d + 1, running] = tree.width[d + 1, i]
                running += 1
        count = running
    tree.end[d + 1, count] = time + belief
    tree.width[d + 1, count] = width
    tree.time[d + 1] = time
    tree.free[d + 1] = free - width
    tree.ends_before[d + 1] = ends_before
    tree.running[d + 1] = count + 1


@njit(cache=True, nogil=True, _nrt=False)
def settle(tree: Tree, d: Int) -> None:
    """Make the state after d jobs the first state of `tree`, in place: jobs that run then become earlier jobs."""
    count = 0
    for i in range(tree.ends_before[d], tree.end_count[0]):
        tree.ends[count] = tree.ends[i]
        tree.widths[count] = tree.widths[i]
        count += 1
    for i in range(tree.running[d]):
        end = tree.end[d, i]
        width = tree.width[d, i]
        k = count
        while k > 0 and tree.ends[k - 1] > end:
            tree.ends[k] = tree.ends[k - 1]
            tree.widths[k] = tree.widths[k - 1]
            k -= 1
        tree.ends[k] = end
        tree.widths[k] = width
        count += 1
    tree.end_count[0] = count
    tree.time[0] = tree.time[d]
    tree.free[0] = tree.free[d]
    tree.ends_before[0] = 0
    tree.running[0] = 0


@njit(cache=True, nogil=True, _nrt=False)
def response(moment: Moment, j: Int, start: Int) -> float:
    """Return the response time, s, of job j if it starts at `start`; its class has `moment.share` (section 7)."""
    now = moment.now
    submit = moment.jobs.submit[j]
    return np.float64(now - submit) + np.float64(start + moment.belief[j] - now) / moment.share


@njit(cache=True, nogil=True, _nrt=False)
def slowdown(moment: Moment, j: Int, start: Int) -> float:
    """Return the bounded slowdown (section 5.1.5), not rounded, of job j of `moment` if it starts at `start`, s."""
    return max(response(moment, j, start) / np.float64(max(moment.belief[j], moment.rules.bound)), 1.0)


@njit(cache=True, nogil=True, _nrt=False)
def metric(moment: Moment, j: Int, start: Int) -> Int:
    """Return the slowdown of job j as a whole number, rounded up or in millionths, if it starts at `start`, s.

    The job, and whether to round, stand in `moment`. Sums of whole numbers do not depend on their order.
    """
    slow = slowdown(moment, j, start)
    return np.int64(math.ceil(slow)) if moment.rules.ceiling else np.int64(math.floor(slow * 1e6))
