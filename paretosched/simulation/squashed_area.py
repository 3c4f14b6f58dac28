"""Lower bounds of the response times of several user groups together, in whole numbers.

For a set S of groups, f(S) is a number that sum RC_j (C_j - r_j) over the jobs of S cannot go below, whatever the
schedule. With W_i, the work of group i, this sum is the sum of W_i AWRT_i over S. Steps 1 to 5 of the proof are those
of `lower_bounds`, for one group or for all; they hold for the jobs of any set, because other jobs can only delay them.
A sixth one is for jobs of which only two fit side by side.

6. Step 3 says: for every width c above m / 2, a schedule has by t spent no more time on jobs of width c or more than
   the pieces of the wide jobs, which run one at a time. So it is for every c, if narrow jobs are pieces, too, that
   begin when the job is eligible; for all wide jobs are in the set of a smaller c, and no schedule has spent more time
   on them than their pieces. Take a c from m / 3 to m / 2. At most two jobs of width c or more run at a time: the dual
   feasible function that is 1/2 from c on, and 0 below it. Let one unit flow into a queue for each such piece that
   runs, and two out in a second. As in step 4, at least L_c(t), what is in the queue, is the time that a schedule has
   spent less on these jobs by t than their pieces. Now let c_1 < c_2 < ... be such widths, c_0 = 0, and u(q) the sum of
   c_i - c_(i-1) over all c_i <= q. Split the work of every job of width q into u(q) and v(q) = q - u(q) processors. v
   is never negative and does not fall among the wide jobs, where u is constant. So the pieces have done at least as
   much of the work v by t as any schedule, each narrow job for itself, the wide ones as in step 3; and of the work u at
   least sum (c_i - c_(i-1)) L_(c_i)(t) more. F less this sum bounds W, and takes the place of F in steps 4 and 5. f(S)
   is the larger one of both bounds. All widths of the jobs of S are taken, or `LEVELS` of them if there are more.

**Whole numbers.** All is exact but this: a queue of step 4 that becomes empty within a second counts nothing in that
second. A queue of step 6 is replaced by a line below it, which goes on falling until that second has ended, becomes
negative thereby, and returns to 0 in the second after it. f(S) is rounded down.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from ..kernels.squashed_queue import number_of, squashed_queue
from ..kernels.widest_first import widest_first
from ..workload.workload import Workload

LEVELS = 32
EXACT = 2**62  # sums of products that are estimated below it, in float64, do not overflow


class Flow(NamedTuple):
    """A rate that changes at some instants.

    Attributes
    ----------
    when
        (k,) int64, s, ascending.
    change
        (k,) int64, by how much the rate changes; they sum up to 0.
    group
        (k,) int64, for which group.
    """

    when: Ints
    change: Ints
    group: Ints


class Jobs(NamedTuple):
    """The jobs of a workload, with what does not depend on the set of groups.

    Attributes
    ----------
    capacity, groups
        Processors, and how many groups there are.
    work, alone
        G whole numbers each: the work of every group, and sum RC_j p_j: sum RC_j (C_j - r_j) if no job waits.
    narrow, broad
        The work of jobs of at most half of the machine, and of those of them that need more than a third, if none
        waits.
    wide, wide_group
        (3, k) int64, when the other jobs are eligible, their run times and widths, in the order of arrival; (k,)
        groups.
    """

    capacity: int
    groups: int
    work: tuple[int, ...]
    alone: tuple[int, ...]
    narrow: Flow
    broad: Flow
    wide: Ints
    wide_group: Ints


def jobs_of(workload: Workload) -> Jobs:
    """Return the jobs of a workload, as `least_area` needs them."""
    w = workload.of_equal_processors("a bound").in_arrival_order.jobs
    group = w.group.astype(np.int64)
    is_wide = 2 * w.width > w.capacity
    work = w.run * w.width
    members = [group == g for g in range(len(w.groups))]
    narrow, broad = (
        _flow(w.eligible[rows], w.run[rows], w.width[rows], group[rows])
        for rows in (~is_wide, ~is_wide & (3 * w.width > w.capacity))
    )
    return Jobs(
        w.capacity,
        len(w.groups),
        tuple(int(work[rows].sum()) for rows in members),
        tuple(exact_dot(work[rows], w.run[rows]) for rows in members),
        narrow,
        broad,
        np.array([w.eligible[is_wide], w.run[is_wide], w.width[is_wide]]),
        group[is_wide],
    )


def least_area(jobs: Jobs, groups: Collection[int], two_at_a_time: bool = True) -> int:
    """Return f of a set of groups: sum RC_j (C_j - r_j) of its jobs is at least this, processor seconds times seconds.

    Parameters
    ----------
    jobs
        The jobs.
    groups
        Numbers of groups, from 0.
    two_at_a_time
        Whether step 6 is made; without it, to see what it adds.

    Examples
    --------
    Three jobs of 10 s, each on 2 of 5 processors. If they could share all processors, 10 processor seconds would be
    left after 10 s, for 2 s more. As only two fit, 20 are left, for 5 s more; 20 (10 + 10 + 20) is what is possible.

    >>> w = Workload(submit=[0] * 3, run=[10] * 3, estimate=[10] * 3, width=[2] * 3, capacity=5)
    >>> least_area(jobs_of(w), [0], two_at_a_time=False), least_area(jobs_of(w), [0])
    (660, 750)
    """
    chosen = np.zeros(jobs.groups, dtype=np.bool_)
    chosen[list(groups)] = True
    alone = sum(jobs.alone[g] for g in np.flatnonzero(chosen).tolist())
    eligible, run, width = jobs.wide[:, chosen[jobs.wide_group]]
    pieces = np.empty((4, 2 * width.size), dtype=np.int64)
    begin, length, width, delay = pieces[:, : widest_first(eligible, run, width, pieces)]
    wide = _flow(begin, length, width)
    twice_in_turn = 2 * alone + 2 * exact_dot(length * width, delay)
    twice = max(2 * alone, twice_in_turn + _twice_what_waits(jobs, chosen, wide))
    if two_at_a_time:
        broad = _part(jobs.broad, chosen[jobs.broad.group])
        held, flows, below = 0, [wide], 0
        for level in _some_of(np.unique(broad.change[broad.change > 0])):
            area, change = held_back(_counts(_part(broad, np.abs(broad.change) >= level), wide))
            held += (level - below) * area
            flows.append(change._replace(change=(level - below) * change.change))
            below = level
        if held > 0:
            twice = max(twice, twice_in_turn + held + _twice_what_waits(jobs, chosen, _joint(flows)))
    return twice // 2


def _twice_what_waits(jobs: Jobs, chosen: Mask, others: Flow) -> int:
    """Return twice the integral of the queue of step 4; narrow jobs of the groups and `others` flow into it."""
    narrow = jobs.narrow
    return number_of(
        squashed_queue(narrow.when, narrow.change, narrow.group, chosen, others.when, others.change, jobs.capacity)
    )


def held_back(inflow: Flow) -> tuple[int, Flow]:
    """Return a line that is never above a queue of which two flow out in a second: twice its integral, and its changes.

    Parameters
    ----------
    inflow
        What flows in.

    Returns
    -------
    area : int
        Twice the integral. The line is straight between whole seconds.
    change : Flow
        What flows in, with this, is what flows out.

    Examples
    --------
    In 5 s 15 flow in and 10 out, and the other 5 in 2.5 s; the line is 5, 3, 1, -1, 0.

    >>> area, change = held_back(Flow(np.array([0, 5]), np.array([3, -3]), np.array([0, 0])))
    >>> area, change.when.tolist(), change.change.tolist()
    (36, [0, 5, 5, 8, 8, 9], [-1, 2, 1, -1, -2, 1])
    """
    rate = np.cumsum(inflow.change) - 2
    growth = rate[:-1] * np.diff(inflow.when)
    level = np.concatenate([[0], np.cumsum(growth)])
    level -= np.minimum.accumulate(level)
    end = inflow.when[-1:] + level[-1:] // 2 + 1
    before, after, when = level, np.append(level[1:], 0), np.append(inflow.when, end)
    is_busy = before + after > 0
    before, after, rate = before[is_busy], after[is_busy], rate[is_busy]
    begin, seconds = when[:-1][is_busy], np.diff(when)[is_busy]
    empties = after == 0
    whole, rest = np.divmod(before[empties], -rate[empties])
    seconds[empties] = whole + (rest > 0)
    after[empties] = rate[empties] * (rest > 0) + rest
    area = exact_dot(before, seconds) + exact_dot(after, seconds) + int(after[empties].sum())
    back = after[empties][rest > 0]
    again = (begin + seconds)[empties][rest > 0]
    line = _flow(np.concatenate([begin, again]), np.append(seconds, np.ones_like(back)), np.append(-rate, back))
    return area, line


def _counts(broad: Flow, wide: Flow) -> Flow:
    """Return how many of these pieces run at a time."""
    joint = _joint([broad, wide])
    return joint._replace(change=np.sign(joint.change))


def _some_of(widths: Ints) -> list[int]:
    """Return sorted widths, or `LEVELS` of them if there are more, the first and the last among them."""
    if widths.size > LEVELS:
        widths = widths[np.linspace(0, widths.size - 1, LEVELS).astype(np.int64)]
    return [int(width) for width in widths]


def _part(flow: Flow, rows: Mask) -> Flow:
    """Return some of the changes of a flow."""
    return Flow(*(column[rows] for column in flow))


def _flow(begin: Ints, length: Ints, rate: Ints, group: Ints | None = None) -> Flow:
    """Return the flow of pieces that begin at some second, last for some seconds, and have some rate; groups or 0."""
    group = np.zeros_like(begin) if group is None else group
    return _in_order([begin, begin + length], [rate, -rate], [group, group])


def _joint(flows: Sequence[Flow]) -> Flow:
    """Return several flows as one."""
    when, change, group = zip(*flows, strict=True)
    return _in_order(when, change, group)


def _in_order(when: Sequence[Ints], change: Sequence[Ints], group: Sequence[Ints]) -> Flow:
    """Return a flow of changes in any order."""
    instants = np.concatenate(when)
    order = np.argsort(instants, kind="stable")
    return Flow(instants[order], np.concatenate(change)[order], np.concatenate(group)[order])


def exact_dot(a: Ints, b: Ints) -> int:
    """Return the sum of products of whole numbers, exactly.

    Examples
    --------
    >>> exact_dot(np.array([2**40, 1]), np.array([2**40, 1])) == 2**80 + 1
    True
    """
    if float(np.abs(a).astype(np.float64) @ np.abs(b).astype(np.float64)) < EXACT:
        return int(a @ b)
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))
