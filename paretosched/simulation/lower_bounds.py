"""What no schedule of a workload can beat: lower bounds of response times, upper bounds of utilisation.

A schedule is what passes `Schedule.check`. Job j is eligible at r_j, runs for p_j
seconds on q_j of m processors and completes at C_j; RC_j = p_j q_j. The bounds of AWRT_i come from the jobs of group i
alone (other jobs can only delay them), that of AWRT from all jobs.

**Alone.** C_j >= r_j + p_j, hence AWRT >= sum RC_j p_j / sum RC_j: no job waits.

**Together.** The machine has m processors. Let W(t) be the work that a schedule has done by t, in processor seconds,
and A(t) the same if no job waits.

1. Job j is worked on from C_j - p_j to C_j at rate q_j, so that its part of the integral of t dW(t) is RC_j (C_j -
   p_j / 2); the same holds for A with r_j + p_j instead of C_j. The difference of the two integrals, by parts, is sum
   RC_j (C_j - r_j - p_j) = integral of A(t) - W(t) dt. A job that is preempted is worked on earlier than that, so
   that its part is smaller and the sum larger than the integral: every bound holds for preemptive schedules as well.
2. If W(t) <= D(t) at all t for every schedule, then sum RC_j (C_j - r_j) >= sum RC_j p_j + integral of A(t) - D(t)
   dt. The rest shows a D. One is A itself: by t, job j has run for at most min(t - r_j, p_j).
3. Jobs wider than m / 2 run one at a time. Let a machine run them preemptively, always the widest eligible job
   (`widest_first`), and let B(t) be its work. For every width c this machine has spent at least as much time on jobs of
   width c or more by t as any schedule. Reason: at the last instant u before t at which it did not work on such a job,
   it had completed all of them that were eligible; a schedule has done no more than that by u, and at most t - u
   seconds after u. These times, summed over c = 1, 2, ..., m, are the work. So a schedule has done at most F(t) = B(t)
   + A(t) of the narrow jobs.
4. In t - s seconds at most m (t - s) is done: W(t) <= W(s) + m (t - s) <= F(s) + m (t - s) for all s <= t. The
   smallest of these is what has left a queue by t into which F flows and which is emptied at rate m: D.
5. A - D = (A - F) + (F - D). The integral of A - F is the delay of the pieces of step 3, weighted with their
   work; F - D is what waits in the queue of step 4.

Since every job has the same ratio of weight to work, D neglects only that rigid jobs cannot fill every gap, and that
the scheduler does not know the future.

**Utilisation** is work / (m * span), the span reaching from the first start to the last completion. A schedule may
start when all jobs are eligible, so that submissions do not bound the span: only the longest job, work / m and the
wide jobs of step 3, one after another, do. A scheduler that starts the first job when it is eligible cannot complete
all work before D does (`Bounds.prompt_utilisation`).

**A machine of nodes.** How jobs get in each other's way there is not known: response times are bounded as "alone", with
the charge in place of q_j, in "together", too. The span is at least that of the longest job, and of the resource of
which jobs ask for most, as no schedule gives less than they ask for (`paretosched.workload.charge`).

**Jobs that may be cancelled** (`paretosched.policies.cut_jobs`), because they make way for others in passes of Slurm or
their reservation ends, count until then: C_j >= r_j + l_j, of which l_j is how long they run at least. Others wait less
for them, so that nothing is said of jobs together; the span is at least the longest l_j, and what is used of a
resource is at most all of it.

**Measures.** Waits, responses, slowdowns and stretches, and all their statistics but comparisons of users and groups,
only grow if a job waits longer: they are bounded as "alone". Of a mean wait or response, "together" has more. Take a
schedule, and one machine that does the work q_j p_j of each job at the rate at which the schedule does it, q_j of m. It
ends each job when the schedule does, so that the sum of all ends is no less than the least one of such a machine: that
of always taking the job with the least work left (Schrage 1968). Jobs that do not count are left out, which can only
help. Energy is least if nothing idles longer than it must, and costs no less than at the lowest price. Unfair waits and
idle hours are not negative; Jain's index is at most 1; the largest group has at least the mean of all. Resources are
used in a span that is no shorter than that of UTIL.

**Rounding.** Queues and times are exact, int64: between the whole seconds at which something changes, a queue grows
or shrinks evenly, or becomes empty. The bounds "alone" and those of utilisation are measured by the kernel that
measures schedules; it rounds terms and sums in the same order for all of them, and rounding keeps order, so that they
hold to the last bit. A measured quotient of two sums over n jobs is off by less than 2 n + 8 roundings of 2^-53; the
integrals, float64 sums of at most 4 n non-negative terms, and what is made of them, by less than 4 n + 13. Together
that is less than `SLACK` (n + 1), which is taken off: with a million jobs, 2 parts in 10^9.
"""

from __future__ import annotations

import math
from heapq import heappop, heappush, heapreplace
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..core.notebook import shown_by_fields
from ..kernels.widest_first import widest_first
from ..policies.cut_jobs import least_runs
from ..policies.outcome import Lives, Outcome, Placement
from ..workload.charge import AskedShares
from ..workload.dependencies import dependencies_of
from ..workload.measures import (
    IDLE,
    JAIN,
    LARGEST,
    MEAN,
    RESPONSE,
    UNFAIR,
    USES,
    WAIT,
    counted_jobs,
)
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload
from .measures import share_used
from .objective import objectives_of

SLACK = 16  # roundings of 2^-53 a job, see above


@shown_by_fields
class Bounds(NamedTuple):
    """Values that no schedule of a workload can beat, in the order and units of `objective_table`.

    Attributes
    ----------
    alone
        (G + 2 + k,), response times if no job waits, and the utilisation if a schedule lasts no longer than its longest
        job or than its work keeps all processors busy; NaN where no job counts.
    together
        (G + 2 + k,), never weaker, because jobs share the processors. The ideal point. On a machine of nodes response
        times are as in `alone`.
    prompt_utilisation
        Per cent, for schedules that start a job as soon as one is eligible. All rules except "recorded" make such
        schedules, because they start a job that finds the machine empty. Never above `together[0]`.
    """

    alone: Floats
    together: Floats
    prompt_utilisation: float


def bounds(workload: WorkloadLike) -> Bounds:
    """Return values that no schedule of a workload, or of the log at a path, can beat; the module says why.

    Examples
    --------
    Two jobs of 10 s, each on 3 of 4 processors, can only run in turn: (10 + 20) / 2 s, 60 of 80 processor seconds.

    >>> w = Workload(submit=[0, 0], run=[10, 10], estimate=[10, 10], width=[3, 3], capacity=4)
    >>> b = bounds(w)
    >>> b.alone.tolist(), b.together.round(6).tolist(), b.prompt_utilisation
    ([100.0, 10.0, 10.0], [75.0, 15.0, 15.0], 75.0)
    """
    w = as_workload(workload)
    shortest = least_runs(w)
    alone = objectives_of(w, _cut(w, w.eligible, shortest))
    alone[len(w.groups) + 2 :] = _measures_alone(w, alone[len(w.groups) + 2 :])
    if w.asked_shares is not None:
        return _bounds_on_nodes(w, w.asked_shares, alone, shortest)
    longest = int(w.run.max())
    shortest_span = max(longest, -(-w.work // w.capacity))
    alone[0] = _utilisation(w, shortest_span)
    together = alone.copy()
    in_turn = int(w.run[2 * w.width > w.capacity].sum())
    together[0] = _utilisation(w, max(shortest_span, in_turn))
    arriving = w.in_arrival_order.jobs
    together[1], end = _least_awrt(arriving, np.ones(len(w), dtype=np.bool_), alone[1])
    for g in np.unique(w.group):
        together[2 + g], _ = _least_awrt(arriving, arriving.group == g, alone[2 + g])
    _raise_means(w, together)
    return Bounds(alone, together, _utilisation(w, end - int(arriving.eligible[0])))


def _bounds_on_nodes(workload: Workload, asked: AskedShares, alone: Floats, shortest: Ints) -> Bounds:
    """Return the bounds of a workload on a machine of nodes.

    `alone` has the response times if no job waits, and jobs run for `shortest`, (n,) s, at least.
    """
    w = workload
    if (shortest < w.run).any():
        return _bounds_of_cut(w, asked, alone, shortest)
    seconds = max(math.fsum(w.run * share) for share in asked)  # of the whole machine, of the resource that is scarcest
    span = max(int(w.run.max()), math.ceil(seconds * (1.0 - SLACK * (len(w) + 1) * 2.0**-53)))
    alone[0] = _utilisation(w, span)
    for i, (measure, counted) in enumerate(counted_jobs(w), len(w.groups) + 2):
        if measure.quantity in USES:
            start, end = _in_span(w, span)
            alone[i] = share_used(w, start, end, counted, w.resource_shares[USES[measure.quantity]], start)
    together = alone.copy()
    if dependencies_of(w) is not None:  # then it depends on the schedule when jobs come
        return Bounds(alone, together, float(alone[0]))
    first = int(w.eligible.min())
    prompt = max(span, int((w.eligible + w.run).max()) - first)
    _raise_means(w, together)
    return Bounds(alone, together, _utilisation(w, prompt))


def _bounds_of_cut(workload: Workload, asked: AskedShares, alone: Floats, shortest: Ints) -> Bounds:
    """Return the bounds of a workload on nodes of which some jobs may be cancelled; arguments as before."""
    w = workload

    def most_used(share: Floats, counted: Mask) -> float:
        """Return how much of a resource jobs use at most, per cent, of which they have shares."""
        rows = np.flatnonzero(counted) if counted.size else np.arange(len(w))
        seconds = float(w.run[rows].astype(np.float64) @ share[rows])
        return 100.0 * min(seconds / max(int(shortest[rows].max()), 1), 1.0) if rows.size else math.nan

    alone[0] = most_used(asked.cpus, np.zeros(0, np.bool_))
    for i, (measure, counted) in enumerate(counted_jobs(w), len(w.groups) + 2):
        if measure.quantity in USES:
            alone[i] = most_used(w.resource_shares[USES[measure.quantity]], counted)
    return Bounds(alone, alone.copy(), float(alone[0]))


def _cut(workload: Workload, start: Ints, shortest: Ints) -> Outcome:
    """Return an outcome in which jobs start at `start` and end after `shortest`, (n,) s, cancelled or not."""
    rows = np.flatnonzero(shortest < workload.run)
    if not rows.size:
        return Outcome(start)
    nowhere = np.zeros(rows.size, np.int64)
    place = Placement(nowhere, np.zeros(rows.size + 1, np.int64), *(np.zeros(0, np.int64) for _ in range(4)))
    columns = rows, start[rows], start[rows] + shortest[rows], np.zeros(rows.size, np.bool_)
    return Outcome(start, lives=Lives(*columns, place))


def _measures_alone(workload: Workload, values: Floats) -> Floats:
    """Return the bounds of the measures, (k,), from their values if no job waits; NaN for the use of a resource."""
    bounds = np.full(len(values), np.nan)
    for i, (measure, _) in enumerate(counted_jobs(workload)):
        if measure.statistic == JAIN:
            bounds[i] = 1.0
        elif measure.quantity in (UNFAIR, IDLE):
            bounds[i] = 0.0
        elif measure.statistic == LARGEST:
            bounds[i] = 1.0  # the largest of means is at least the mean of all
        elif measure.tariff is not None:  # its price at once is at most that of its energy at the highest one
            bounds[i] = values[i] * min(measure.tariff.prices) / (max(measure.tariff.prices) or 1.0)
        elif measure.quantity not in USES:
            bounds[i] = values[i]
    return bounds


def _raise_means(workload: Workload, bounds: Floats) -> None:
    """Raise the bounds of mean waits and responses, of (G + 2 + k,), to what sharing the processors costs."""
    for i, (measure, counted) in enumerate(counted_jobs(workload), len(workload.groups) + 2):
        if measure.statistic == MEAN and measure.quantity in (WAIT, RESPONSE):
            rows = np.arange(len(workload)) if not counted.size else np.flatnonzero(counted)
            if rows.size:
                least = least_mean_response(workload, rows) - (measure.quantity == WAIT) * float(
                    workload.run[rows].mean()
                )
                bounds[i] = max(bounds[i], least * (1.0 - SLACK * (rows.size + 1) * 2.0**-53))


def least_mean_response(workload: Workload, rows: Ints) -> float:
    """Return what the mean response of some jobs cannot be below, s, if the processors do the least work left first.

    Examples
    --------
    Jobs of 10 s and 2 s on all processors: the short one first, (2 + 12) / 2 s.

    >>> w = Workload(submit=[0, 0], run=[10, 2], estimate=[10, 2], width=[4, 4], capacity=4)
    >>> least_mean_response(w, np.arange(2))
    7.0
    """
    cpus = workload.width if workload.asked_amounts is None else workload.asked_amounts.cpus
    rows = rows[np.argsort(workload.eligible[rows], kind="stable")]
    # in processor seconds, of which the machine does `capacity` in a second: all are whole numbers
    arrivals = [
        *zip((workload.eligible[rows] * workload.capacity).tolist(), (workload.run * cpus)[rows].tolist(), strict=True)
    ]
    left: list[int] = []
    now = total = 0
    for place, (arrival, work) in enumerate(arrivals):
        now = max(now, arrival) if not left else now
        heappush(left, int(work))
        until = arrivals[place + 1][0] if place + 1 < len(arrivals) else None
        while left and (until is None or now < until):
            step = left[0] if until is None else min(left[0], until - now)
            now += step
            if step == left[0]:
                heappop(left)
                total += now
            else:
                heapreplace(left, left[0] - step)
    return float((total - sum(arrival for arrival, _ in arrivals)) / (workload.capacity * len(rows)))


def _utilisation(workload: Workload, span: int) -> float:
    """Return the utilisation, %, of a schedule of `span` s: all jobs start at 0, but the longest one ends last."""
    return float(objectives_of(workload, Outcome(_in_span(workload, span)[0]))[0])


def _in_span(workload: Workload, span: int) -> tuple[Ints, Ints]:
    """Return when jobs start and end, (n,) s, if all start at 0, but the longest one ends last, after `span` s."""
    start = np.zeros(len(workload), dtype=np.int64)
    longest = workload.run.argmax()
    start[longest] = span - workload.run[longest]
    return start, start + workload.run


def _least_awrt(workload: Workload, mask: Mask, alone: float) -> tuple[float, int]:
    """Return lower bounds of the AWRT and the last completion of arriving jobs; `alone` is the AWRT without waits."""
    wide = mask & (2 * workload.width > workload.capacity)
    narrow = mask & ~wide
    pieces = np.empty((4, 2 * np.count_nonzero(wide)), dtype=np.int64)
    count = widest_first(workload.eligible[wide], workload.run[wide], workload.width[wide], pieces)
    begin, length, width, delay = pieces[:, :count]
    loss = float(((length * width).astype(np.float64) * delay).sum())
    waiting, end = fluid_queue(
        np.concatenate([begin, workload.eligible[narrow]]),
        np.concatenate([length, workload.run[narrow]]),
        np.concatenate([width, workload.width[narrow]]),
        workload.capacity,
    )
    work = float(workload.run[mask] @ workload.width[mask])
    rounding = 1.0 - SLACK * (np.count_nonzero(mask) + 1) * 2.0**-53
    return max(alone, (alone + (loss + waiting) / work) * rounding), end


def fluid_queue(begin: Ints, length: Ints, width: Ints, capacity: int) -> tuple[float, int]:
    """Return the integral and the end of a queue: pieces of work flow in, and all processors take work out.

    Parameters
    ----------
    begin, length, width
        (k,) pieces of work: `width` processor seconds a second flow in for `length` seconds from second `begin` on.
    capacity
        Processor seconds that flow out in a second, if the queue has as many.

    Returns
    -------
    waiting : float
        The integral over time of what is in the queue, processor seconds times seconds.
    end : int
        The first whole second at which everything has flowed in and out.

    Examples
    --------
    In 10 s 60 flow in and 40 out; the other 20 need 5 s more: 20 * 10 / 2 + 20 * 5 / 2.

    >>> fluid_queue(np.array([0, 0]), np.array([10, 10]), np.array([3, 3]), 4)
    (150.0, 15)
    """
    when = np.concatenate([begin, begin + length])
    order = np.argsort(when, kind="stable")
    when = when[order]
    inflow = np.cumsum(np.concatenate([width, -width])[order])[:-1]
    seconds = np.diff(when)
    # The queue has what came in less what could have gone out, except for the times when it was empty.
    level = np.concatenate([[0], np.cumsum((inflow - capacity) * seconds)])
    level -= np.minimum.accumulate(level)
    before, after = level[:-1].astype(np.float64), level[1:].astype(np.float64)
    # The queue changes evenly until the next instant; if it is empty at that instant, it may have been empty sooner.
    seconds_to_drain = np.where(after > 0, seconds, before / np.maximum(capacity - inflow, 1))
    rest = int(level[-1])
    waiting = ((before + after) * seconds_to_drain).sum() / 2 + float(rest) ** 2 / (2 * capacity)
    return float(waiting), int(when[-1]) - (-rest // capacity)
