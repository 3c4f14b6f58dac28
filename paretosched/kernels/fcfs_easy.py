"""The policies whose queue stays in the order of arrival: FCFS, List and EASY."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Order
from .compiling import njit
from .events import after_copies, next_event
from .inputs import Jobs
from .running import NEAR, Running, bits_for, complete, launch, put, refill, reserve, running_jobs
from .waiting_tree import ESTIMATE, FAR, WIDTH, lift, lower, next_startable, open_smallest, slots_for
from .waiting_widths import Widths, enter_widths, first_by_widths, leave_widths, no_widths, set_up_widths

SLOW = 256  # nodes that a search may visit before the rows of `Widths` are set up
UNKNOWN = -2


class Slots(NamedTuple):
    """The waiting jobs in the order of arrival, in slots: work space of `backfill_until`.

    Attributes
    ----------
    least
        (2 * size, 2) int64, the tree of the smallest over the slots.
    row_of, copies
        (size,) int64, the row of the first job in a slot, and the number of identical jobs in it.
    widths
        `Widths`; set up as soon as a search in the tree of the smallest was slow.
    """

    least: Ints
    row_of: Ints
    copies: Ints
    widths: Widths


def no_slots(jobs: Int, capacity: Int, reserving: bool) -> Slots:
    """Return work space for `jobs` jobs on `capacity` processors; `reserving` as for `backfill_fcfs`."""
    size = slots_for(jobs)
    # Only the part that the longest queue needs is touched, so that memory grows with the queue, not the workload.
    return Slots(
        np.empty((2 * size, 2), np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        no_widths(size if reserving else 1, capacity),
    )


def fcfs(jobs: Jobs, capacity: Int, start: Ints) -> None:
    """Fill `start` with the start times of first come, first served.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    start
        (n,) int64, s, filled in place.
    """
    near = np.empty(NEAR, np.int64)
    far = np.empty(min(jobs.submit.size, capacity) + 1, np.int64)
    in_turn(jobs.submit, jobs.run, jobs.width, None, capacity, start, near, far)


@njit(cache=True, nogil=True, _nrt=False)
def in_turn(
    submit: Ints, run: Ints, width: Ints, order: Order | None, capacity: Int, start: Ints, near: Ints, far: Ints
) -> None:
    """Start the jobs in an order; no job starts before the jobs before it.

    Parameters
    ----------
    submit, run
        (n,) int64, s.
    width
        (n,) int64, processors.
    order
        (n,) int32, rows; None for the order of arrival.
    capacity
        Processors.
    start
        (n,) int64, s, filled in place.
    near, far
        (NEAR,) and (min(n, capacity) + 1,) int64, work space, modified in place.
    """
    # No job overtakes another, so that no queue is needed: each job starts as soon as the jobs before it have started
    # and enough processors are free. Ends are handled late, when the next job comes. Running jobs are packed (finish,
    # width).
    bits = bits_for(capacity)
    mask = (1 << bits) - 1
    nearby: Int = 0
    others: Int = 0  # keys in `far`
    free = capacity
    t = 0
    for k in range(submit.size):
        j = k if order is None else np.int64(order[k])  # numba decides this when it compiles
        t = max(t, submit[j])
        processors = width[j]
        # Jobs that have ended are not left in `near` until their processors are needed: it would fill where nobody
        # waits, and each new job would have to pass them.
        while nearby > 0 and near[nearby - 1] >> bits <= t:
            nearby -= 1
            free += near[nearby] & mask
        while free < processors:
            if nearby == 0:
                nearby = refill(near, far, others)
                others -= nearby
            nearby -= 1
            t = max(t, near[nearby] >> bits)
            free += near[nearby] & mask
        start[j] = t
        free -= processors
        key = ((t + run[j]) << bits) | processors
        together = nearby + others + 1
        nearby = put(near, nearby, far, others, key)
        others = together - nearby


def backfill_fcfs(jobs: Jobs, capacity: Int, reserving: bool, start: Ints) -> None:
    """Fill `start` with the start times of EASY or of List.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    reserving
        True: EASY. False: List, where any job that fits may start.
    start
        (n,) int64, s, filled in place.
    """
    now = running_jobs(start, capacity, reserving)
    backfill_until(jobs, capacity, reserving, FAR, now, no_slots(jobs.submit.size, capacity, reserving))


@njit(cache=True, nogil=True, _nrt=False)
def backfill_until(jobs: Jobs, capacity: Int, reserving: bool, until: Int, now: Running, queue: Slots) -> None:
    """Do the work of `backfill_fcfs` without allocating memory, up to a second.

    Parameters
    ----------
    jobs, capacity, reserving
        As for `backfill_fcfs`.
    until
        The second before whose events the simulation ends.
    now
        `Running`, modified in place: `start` is filled.
    queue
        `Slots`, modified in place.
    """
    estimate, width = jobs.estimate, jobs.width
    least, row_of, copies, widths = queue
    widths.columns[0] = now.nearby[0] = 0
    size, n = row_of.size, jobs.submit.size
    running: Int = 0
    waiting: Int = 0  # slots in use
    slots: Int = np.int64(0)  # slots used since the queue was last empty: their order is the order of arrival
    front: Int = np.int64(0)  # no job waits in the slots before it
    level: Int = -1
    top: Int = size
    free: Int = capacity
    arrivals: Int = 0
    head: Int = -1  # the row for which shadow and extra hold
    shadow: Int = 0
    extra: Int = np.int64(0)
    while arrivals < n or waiting > 0:
        t = next_event(jobs, arrivals, now, running)
        if t >= until:
            break
        running, more = complete(jobs, now, running, t)
        if more > 0:
            head = -1
            free += more
        newcomers = slots
        while arrivals < n and jobs.submit[arrivals] == t:
            j = arrivals
            arrivals = after_copies(jobs, j)
            count = arrivals - j
            if waiting == 0 and width[j] * count <= free:
                for i in range(j, arrivals):
                    launch(jobs, now, running, i, t)
                    running += 1
                free -= width[j] * count
                continue
            if slots == 0 or (slots >> level) > 0:
                level += 1
                open_smallest(least, size, level)
                top = size >> level
            row_of[slots] = j
            copies[slots] = count
            lower(least, slots + size, top, width[j], estimate[j])
            if widths.columns[0] > 0:
                if slots == (1 << level) >> 1:  # the first slot of a new level
                    set_up_widths(widths, least, level, size)
                else:
                    enter_widths(widths, slots + size, top, size, width[j], estimate[j])
            slots += 1
            waiting += 1

        blocked = False
        limit: Int = np.int64(FAR)
        after = front  # a job that could not start earlier in this pass cannot start now: fewer processors are free
        while waiting > 0:
            if least[top, WIDTH] > free:
                break
            if not reserving:
                slot = next_startable(least, after, top, size, free, free, limit)
                if slot < 0:
                    break
                j = row_of[slot]
            elif not blocked:
                while copies[front] == 0:
                    front += 1
                slot = front
                j = row_of[slot]
                if width[j] > free:
                    blocked = True
                    is_new = j != head
                    if is_new:
                        head = j
                        shadow, extra = reserve(now.ends, running, now.width_bits, free, width[j])
                    limit = shadow - t
                    # No job has ended and the head is the same: what could not start at the last event cannot now.
                    if not is_new and newcomers + 1 == slots:
                        k = row_of[newcomers]
                        if width[k] > free or (width[k] > extra and estimate[k] > limit):
                            break
                    continue
            else:
                slot = np.int64(UNKNOWN)
                if widths.columns[0] == 0:
                    slot = _next_beside_head(least, after, top, size, free, extra, limit)
                    if slot == UNKNOWN:
                        set_up_widths(widths, least, level, size)
                if slot == UNKNOWN:  # no job before `after` can start: it could not, when more was free
                    slot = first_by_widths(widths, least, top, size, free, extra, limit)
                if slot < 0:
                    break
                j = row_of[slot]
                if estimate[j] > limit:
                    extra -= width[j]
            launch(jobs, now, running, j, t)
            free -= width[j]
            running += 1
            row_of[slot] = j + 1
            copies[slot] -= 1
            after = slot
            if copies[slot] == 0:
                waiting -= 1
                lift(least, slot + size, top)
                if widths.columns[0] > 0:
                    leave_widths(widths, least, slot + size, top, width[j], estimate[j])
        if waiting == 0:
            widths.columns[0] = 0
            slots = front = np.int64(0)
            level = -1


# `Widths` is not passed: for so many arrays, the call would take as long as most searches.
@njit(cache=True, nogil=True, _nrt=False)
def _next_beside_head(least: Ints, slot: Int, top: Int, size: Int, free: Int, extra: Int, limit: Int) -> Int:
    """Return the lowest slot, from `slot` on, whose job could start beside the head; -1 if there is none.

    Such a job needs at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.
    If the search is slow, it is given up, and UNKNOWN is returned.

    Parameters
    ----------
    least
        (2 * size, 2) int64, the tree of the smallest.
    slot
        The first slot that is tried.
    top, size
        The root in use, and the leaves of a whole tree.
    free, extra, limit
        Processors, processors and s, see above.
    """
    node = slot + size
    visited = 0
    while visited < SLOW:
        width = least[node, WIDTH]
        if width <= free and (width <= extra or least[node, ESTIMATE] <= limit):
            if node >= size:
                return node - size
            node *= 2
            continue
        while node != top and (node & 1) == 1:  # go up while this is the right child of its parent
            node >>= 1
        if node == top:
            return -1
        node += 1  # its right neighbour
        visited += 1
    return UNKNOWN
