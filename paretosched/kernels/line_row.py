"""Waiting jobs in a row that stays sorted from one pass to the next, for orders that are lines in the wait.

At each pass neighbours are compared again, and few of them change places.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Mask, Order
from .compiling import njit
from .inputs import Backfilling, Jobs
from .lines import Lines, is_equal, settle_rows
from .ranked_jobs import Stairs
from .rule_plan import Plan
from .running import Running, launch
from .waiting_tree import FAR

RUNNING, FREE, NAMED, COUNT, SORTED, SINCE, NARROWEST, USED, SPARE, HOLDERS, HANDLED, GAP = range(12)  # of `Row.state`
FEW = 32  # new jobs that are moved to their places one by one


class Row(NamedTuple):
    """The waiting jobs in a row.

    Attributes
    ----------
    seat
        (n,) int32, the slots of the waiting jobs, in their order.
    job, width, estimate
        (n,) int64, by slot: rows, processors and s. A job that starts has the width FAR until the end of the pass.
    alpha, beta, key, doubt
        (n,) float64, by slot: the line of a job, alpha + beta * t, its value in the second of a pass, and how far this
        may be from the key of the job.
    holds
        (n,) bool, whether the job at a place has a reservation in this pass.
    spare
        (2 n,) int32, slots that are free again; work space in the second half.
    stairs
        The processors that are free beside all running jobs and reservations.
    plan
        `Plan`.
    state
        (12,) int64. RUNNING jobs, FREE processors, waiting jobs of the NAMED groups; the COUNT of waiting jobs, of
        which the first SORTED ones were in order; the place SINCE which the order or the jobs have changed, 0 after a
        job has ended; a width that no job is below (NARROWEST); the slots USED so far, and those in `spare`. Of a pass:
        the number of HOLDERS of reservations, the places that are HANDLED, and the first GAP of a job that has started.
    """

    seat: Order
    job: Ints
    width: Ints
    estimate: Ints
    alpha: Floats
    beta: Floats
    key: Floats
    doubt: Floats
    holds: Mask
    spare: Order
    stairs: Stairs
    plan: Plan
    state: Ints


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def join(jobs: Jobs, backfilling: Backfilling, line: Row, order: Lines, s: Int, j: Int) -> None:
    """Put job j at the end of the row in situation s.

    `line` is modified in place; `jobs`, `backfilling` and `order` are only read.
    """
    state = line.state
    slot: Int = state[USED]
    if state[SPARE] > 0:
        state[SPARE] -= 1
        slot = np.int64(line.spare[state[SPARE]])
    else:
        state[USED] += 1
    line.seat[state[COUNT]] = slot
    line.job[slot] = j
    line.width[slot] = jobs.width[j]
    line.estimate[slot] = jobs.estimate[j]
    take_line(line, order, s, slot)
    state[COUNT] += 1
    state[NARROWEST] = min(state[NARROWEST], jobs.width[j])
    state[NAMED] += backfilling.named[jobs.group[j]]


@njit(cache=True, nogil=True, _nrt=False)
def turn(line: Row, order: Lines, s: Int) -> None:
    """Give all waiting jobs the lines of situation s; `line` is modified in place, `order` is only read."""
    line.state[SORTED] = 0
    for i in range(line.state[COUNT]):
        take_line(line, order, s, np.int64(line.seat[i]))


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def take_line(line: Row, order: Lines, s: Int, slot: Int) -> None:
    """Give the job in a slot its line of situation s; `line` is modified in place, `order` is only read."""
    j = line.job[slot]
    beta = order.beta[s, j]
    alpha = order.alpha[s, j] - beta * float(order.jobs.submit[j])
    line.alpha[slot] = alpha
    line.beta[slot] = beta
    line.doubt[slot] = 2.0 * order.rounding * (abs(alpha) + beta * order.horizon)


@njit(cache=True, nogil=True, _nrt=False)
def put_in_order(line: Row, order: Lines, s: Int, t: Int) -> None:
    """Sort the row in second t of situation s.

    `line` and the stack of the program of `order` are modified in place.
    """
    state = line.state
    seat = line.seat
    key = line.key
    now = float(t)
    for slot in range(state[USED]):
        key[slot] = line.alpha[slot] + line.beta[slot] * now
    if state[COUNT] - state[SORTED] > FEW:
        sort(line, order, s, t)
        state[SINCE] = 0
        state[SORTED] = state[COUNT]
        return
    for i in range(1, state[COUNT]):
        slot = seat[i]
        if precedes(line, order, s, t, seat[i - 1], slot):
            continue
        k: Int = i - 1
        if i < state[SORTED]:
            while k > 0 and not precedes(line, order, s, t, seat[k - 1], slot):
                k -= 1
        else:
            low: Int = 0
            while low < k:
                middle = (low + k) >> 1
                if precedes(line, order, s, t, seat[middle], slot):
                    low = middle + 1
                else:
                    k = middle
        for x in range(i, k, -1):
            seat[x] = seat[x - 1]
        seat[k] = slot
        state[SINCE] = min(state[SINCE], k)
    state[SINCE] = min(state[SINCE], state[SORTED])
    state[SORTED] = state[COUNT]


# Inlined, because passing so many arrays costs more than a look at two keys.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def precedes(line: Row, order: Lines, s: Int, t: Int, a: Int, b: Int) -> bool:
    """Return whether the job in slot a comes before the job in slot b in second t of situation s.

    `line` is only read; the stack of the program of `order` is modified in place.
    """
    lead = line.key[a] - line.key[b]
    if abs(lead) > line.doubt[a] + line.doubt[b] + order.floor:
        return lead > 0.0
    return settle_alike(order, s, t, line.job[a], line.job[b])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def settle_alike(order: Lines, s: Int, t: Int, i: Int, j: Int) -> bool:
    """Return whether job i comes before job j in second t of situation s, where their lines are too close to tell.

    The stack of the program of `order` is modified in place.
    """
    return bool(i < j) if is_equal(order, i, j) else settle_rows(i, j, s, t, order)


@njit(cache=True, nogil=True, _nrt=False)
def before(order: Lines, s: Int, t: Int, i: Int, j: Int) -> bool:
    """Return whether job i comes before job j in second t of situation s.

    The stack of the program of `order` is modified in place.
    """
    beta_i = order.beta[s, i]
    beta_j = order.beta[s, j]
    alpha_i = order.alpha[s, i] - beta_i * float(order.jobs.submit[i])
    alpha_j = order.alpha[s, j] - beta_j * float(order.jobs.submit[j])
    lead = (alpha_i - alpha_j) + (beta_i - beta_j) * float(t)
    margin = order.rounding * (abs(alpha_i) + abs(alpha_j) + (beta_i + beta_j) * order.horizon) + order.floor
    return bool(lead > 0.0) if abs(lead) > margin else settle_alike(order, s, t, i, j)


@njit(cache=True, nogil=True, _nrt=False)
def sort(line: Row, order: Lines, s: Int, t: Int) -> None:
    """Sort all jobs of the row in second t of situation s, by merging.

    `line` and the stack of the program of `order` are modified in place.
    """
    seat = line.seat
    count = line.state[COUNT]
    half = line.spare.size >> 1
    length = 1
    while length < count:
        for begin in range(0, count, 2 * length):
            middle = min(begin + length, count)
            end = min(begin + 2 * length, count)
            left = begin
            right = middle
            for i in range(begin, end):
                if right == end or (left < middle and precedes(line, order, s, t, seat[left], seat[right])):
                    line.spare[half + i] = seat[left]
                    left += 1
                else:
                    line.spare[half + i] = seat[right]
                    right += 1
        for i in range(count):
            seat[i] = line.spare[half + i]
        length *= 2


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def begin_job(jobs: Jobs, backfilling: Backfilling, now: Running, line: Row, i: Int, t: Int) -> None:
    """Start the job at place i in second t.

    `jobs` and `backfilling` are only read; `now` and `line` are modified in place.
    """
    state = line.state
    slot = line.seat[i]
    j = line.job[slot]
    launch(jobs, now, state[RUNNING], j, t)
    state[RUNNING] += 1
    state[FREE] -= jobs.width[j]
    state[NAMED] -= backfilling.named[jobs.group[j]]
    state[GAP] = min(state[GAP], i)
    line.width[slot] = FAR


@njit(cache=True, nogil=True, _nrt=False)
def close_up(line: Row) -> None:
    """Close the gaps of the jobs that have started, and forget the reservations; `line` is modified in place."""
    state = line.state
    count: Int = min(state[GAP], state[COUNT])
    for i in range(count, state[COUNT]):
        slot = line.seat[i]
        if line.width[slot] == FAR:
            line.spare[state[SPARE]] = slot
            state[SPARE] += 1
        else:
            line.seat[count] = slot
            count += 1
    for i in range(state[HANDLED]):
        line.holds[i] = False
    state[HANDLED] = 0
    state[GAP] = FAR
    state[COUNT] = count
    state[SORTED] = count
    state[SINCE] = count
