"""The guard: groups come first, in an order with one reservation, as long as limits relative to EASY are kept.

The scheduler runs two machines: the real one, and in its books one under EASY. At a review both are compared. What has
ended on the real machine has a known run time; other jobs count with their request times what jobs of their group have
used of theirs so far, and at least with the time for which they have run. Waits end at the review. All sums are in
float64, by rows in ascending order, and so is the naive simulator's: they have the same bits.

EASY's schedule until a second depends on the run times of the jobs alone that it starts before. So the books need not
be simulated again from the first job on, but from the first start of a job that still runs or waits on the real
machine.
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .events import next_event
from .fcfs_easy import Slots, backfill_until, no_slots
from .inputs import Jobs
from .running import Running, complete, launch, reserve, running_jobs
from .waiting_heap import make_heap, sink

USED = 0.5  # the share of a request that a job uses, while none of its group has ended


class Guard(NamedTuple):
    """What a guard keeps, see `paretosched.policies.guarded`.

    Attributes
    ----------
    classes
        (G,) int64, 1 for the groups that come first, 2 for those that come second and so on.
    overall, each
        How many times EASY's the AWRT may be, overall and of each group.
    review, ageing
        Time between reviews, and that in which a waiting job gains as much as one of twice its area has, s.
    step
        Doublings of the area that a class is worth.
    margin, margin_each
        The groups come first while the AWRT is lower than its limit by such a share of it; and a group comes first of
        all if its AWRT is not lower by such a share.
    """

    classes: Ints
    overall: float
    each: float
    review: Int
    ageing: Int
    step: float
    margin: float
    margin_each: float


class Machine(NamedTuple):
    """The real machine and its waiting jobs.

    Attributes
    ----------
    now
        `Running`.
    keys
        (n,) float64, of the waiting jobs: the one with the largest key comes first, then the lowest row.
    queue, heap_keys
        (n,) int64, rows of the waiting jobs in their order, and (n,) float64, work space to sort them.
    counts
        (4,) int64: jobs that run, jobs that wait, rows that have arrived, processors that are free.
    """

    now: Running
    keys: Floats
    queue: Ints
    heap_keys: Floats
    counts: Ints


class Beside(NamedTuple):
    """EASY in the books, and the work space in which it is simulated on from a second.

    Attributes
    ----------
    start
        (n,) int64, EASY's start times, s; -1 where there is none yet.
    rows
        (n,) int64, the rows of the jobs that are simulated.
    jobs, now
        These jobs, and `Running`.
    """

    start: Ints
    rows: Ints
    jobs: Jobs
    now: Running


_RUNNING, _WAITING, _ARRIVED, _FREE = range(4)


class Books(NamedTuple):
    """What is kept from one review to the next, for G groups.

    Attributes
    ----------
    run
        (n,) int64, s, the run times by which EASY is simulated.
    settled
        (2,) int64: rows before the first are on both machines as they stay; EASY's starts before the second, s, too.
    sums
        (4, G + 1) float64, over the settled rows by group and, in the last column, all: the weighted response times on
        the real machine and under EASY, and the work that has ended and that was requested for it.
    now
        (4, G + 1) float64, likewise over all rows at the last review.
    """

    run: Ints
    settled: Ints
    sums: Floats
    now: Floats


_REAL, _EASY, _USED, _REQUESTED = range(4)


def guard_order(jobs: Jobs, capacity: Int, guard: Guard, start: Ints) -> None:
    """Fill `start` with the start times of a guarded order.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    guard
        `Guard`.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    start.fill(-1)
    real = Machine(
        running_jobs(start, capacity, True),
        np.empty(n),
        np.empty(n, np.int64),
        np.empty(n),
        np.array([0, 0, 0, capacity], dtype=np.int64),
    )
    easy, slots = easy_beside(n, capacity, True), no_slots(n, capacity, True)
    _guard_order(jobs, capacity, guard, real, easy, slots, books_of(jobs, guard), guard.classes.copy())


def easy_beside(n: Int, capacity: Int, expecting: bool) -> Beside:
    """Return EASY without any start, for n jobs on `capacity` processors; `expecting` as for `running_jobs`."""
    return Beside(
        np.full(n, -1, np.int64),
        np.empty(n, np.int64),
        Jobs(*(np.empty(n, np.int64) for _ in Jobs._fields)),
        running_jobs(np.empty(n, np.int64), capacity, expecting),
    )


def books_of(jobs: Jobs, guard: Guard) -> Books:
    """Return the books of all `jobs` before the first review, for the groups of a `guard`."""
    columns = guard.classes.size + 1
    return Books(jobs.run.copy(), np.zeros(2, np.int64), np.zeros((4, columns)), np.zeros((4, columns)))


@njit(cache=True, nogil=True, _nrt=False)
def _guard_order(
    jobs: Jobs, capacity: Int, guard: Guard, real: Machine, easy: Beside, slots: Slots, books: Books, classes: Ints
) -> None:
    """Do the work of `guard_order` without allocating memory.

    Parameters
    ----------
    jobs, capacity, guard
        As for `guard_order`.
    real, easy, slots
        An idle `Machine`, `Beside` without any start and `Slots`, modified in place.
    books
        `Books` without reviews, modified in place.
    classes
        (G,) int64, those of the guard, modified in place.
    """
    n = jobs.submit.size
    begin = jobs.submit[0]
    reviews = 0
    while real.counts[_ARRIVED] < n or real.counts[_WAITING] > 0:
        t = next_event(jobs, real.counts[_ARRIVED], real.now, real.counts[_RUNNING])
        due = (t - begin) // guard.review
        if due > reviews:  # the last one before the event is the only one that matters
            reviews = due
            review_both(jobs, capacity, begin + due * guard.review, real, easy, slots, books)
            if classify(guard, books.now, classes):
                _sort(jobs, guard, classes, real)
        _step(jobs, guard, classes, real, t)


@njit(cache=True, nogil=True, _nrt=False)
def key_of(jobs: Jobs, guard: Guard, classes: Ints, j: Int) -> float:
    """Return the key of job j: the binary logarithm of the area it requests, its age and its class.

    Parameters
    ----------
    jobs, guard
        As for `guard_order`.
    classes
        (G,) int64, of the groups.
    j
        The row.
    """
    area = math.log2(float(jobs.estimate[j] * jobs.width[j]))
    age = (jobs.submit[j] - jobs.submit[0]) / guard.ageing
    return area - age - guard.step * classes[jobs.group[j]]


@njit(cache=True, nogil=True, _nrt=False)
def _sort(jobs: Jobs, guard: Guard, classes: Ints, machine: Machine) -> None:
    """Order the waiting jobs again.

    Parameters
    ----------
    jobs, guard
        As for `guard_order`.
    classes
        (G,) int64, the new classes of the groups.
    machine
        `Machine`, modified in place.
    """
    queue, keys, count = machine.queue, machine.heap_keys, machine.counts[_WAITING]
    for i in range(count):  # the last job of all is to be on top of the heap
        j = queue[i]
        machine.keys[j] = key_of(jobs, guard, classes, j)
        keys[i] = -machine.keys[j]
        queue[i] = -j
    make_heap(queue, keys, count)
    for left in range(count - 1, 0, -1):
        queue[0], queue[left] = queue[left], queue[0]
        keys[0], keys[left] = keys[left], keys[0]
        sink(queue, keys, 0, left)
    for i in range(count):
        queue[i] = -queue[i]


@njit(cache=True, nogil=True, _nrt=False)
def _step(jobs: Jobs, guard: Guard, classes: Ints, machine: Machine, t: Int) -> None:
    """Handle the events of second t: completions, arrivals, and a pass with one reservation.

    Parameters
    ----------
    jobs, guard
        As for `guard_order`.
    classes
        (G,) int64, of the groups.
    machine
        `Machine`, modified in place.
    t
        The second of the next event.
    """
    now, queue, count = machine.now, machine.queue, machine.counts
    running, more = complete(jobs, now, count[_RUNNING], t)
    count[_RUNNING] = running
    count[_FREE] += more
    while count[_ARRIVED] < jobs.submit.size and jobs.submit[count[_ARRIVED]] == t:
        j = count[_ARRIVED]
        machine.keys[j] = key_of(jobs, guard, classes, j)
        _enter(machine, j)
        count[_ARRIVED] += 1
    waiting = count[_WAITING]
    shadow: Int = 0
    extra: Int = -1  # no job has the reservation yet
    left = 0
    for place in range(waiting):
        j = queue[place]
        width = jobs.width[j]
        fits = width <= count[_FREE]
        if extra >= 0:
            in_time = t + jobs.estimate[j] <= shadow
            fits = fits and (in_time or width <= extra)
            if fits and not in_time:
                extra -= width
        elif not fits:
            shadow, extra = reserve(now.ends, count[_RUNNING], now.width_bits, count[_FREE], width)
        if fits:
            launch(jobs, now, count[_RUNNING], j, t)
            count[_RUNNING] += 1
            count[_FREE] -= width
        else:
            queue[left] = j
            left += 1
            if count[_FREE] == 0 and left == place + 1:  # nothing can start, and no job has moved
                left = waiting
                break
    count[_WAITING] = left


@njit(cache=True, nogil=True, _nrt=False)
def _enter(machine: Machine, j: Int) -> None:
    """Put job j, which no waiting job has a higher row than, into the queue of `machine`, in place."""
    queue, keys, waiting = machine.queue, machine.keys, machine.counts[_WAITING]
    low: Int = 0
    high: Int = waiting
    while low < high:
        middle = (low + high) >> 1
        if keys[queue[middle]] >= keys[j]:
            low = middle + 1
        else:
            high = middle
    for place in range(waiting, low, -1):
        queue[place] = queue[place - 1]
    queue[low] = j
    machine.counts[_WAITING] += 1


@njit(cache=True, nogil=True, _nrt=False)
def review_both(jobs: Jobs, capacity: Int, t: Int, real: Machine, easy: Beside, slots: Slots, books: Books) -> None:
    """Compare the real machine with EASY by what is known before second t.

    Parameters
    ----------
    jobs, capacity
        As for `guard_order`.
    t
        The second of the review; no later event has been handled.
    real
        The real machine; not changed.
    easy, slots, books
        `Beside`, `Slots` and `Books`, modified in place: `books.now` has the sums.
    """
    arrived = real.counts[_ARRIVED]
    again = prepare_easy(jobs, t, real.now.start, arrived, easy, books)
    backfill_until(again, capacity, True, t, easy.now, slots)
    compare_both(jobs, t, real.now.start, arrived, again.submit.size, easy, books)


@njit(cache=True, nogil=True, _nrt=False)
def prepare_easy(jobs: Jobs, t: Int, start: Ints, arrived: Int, easy: Beside, books: Books) -> Jobs:
    """Return the jobs with which EASY is to be simulated until second t, from `books.settled` on, none started.

    Parameters
    ----------
    jobs, t
        As for `review_both`.
    start
        (n,) int64, start times on the real machine, s; -1 if not before t.
    arrived
        Rows that have arrived.
    easy, books
        `Beside` and `Books`, modified in place: the run times are those that are known or expected.
    """
    _use(jobs, t, start, books, arrived)
    count = _resume(jobs, books, easy, arrived)
    c = easy.jobs
    return Jobs(c.submit[:count], c.run[:count], c.estimate[:count], c.width[:count], c.group[:count])


@njit(cache=True, nogil=True, _nrt=False)
def compare_both(jobs: Jobs, t: Int, start: Ints, arrived: Int, count: Int, easy: Beside, books: Books) -> None:
    """Take EASY's start times over from its simulation until second t, and compare the real machine with it.

    Parameters
    ----------
    jobs, t, arrived
        As for `prepare_easy`.
    start
        (n,) int64, start times on the real machine, s; -1 if not before t.
    count
        How many jobs were simulated.
    easy, books
        `Beside` and `Books`, modified in place: `books.now` has the sums.
    """
    for i in range(count):
        if easy.start[easy.rows[i]] < 0:
            easy.start[easy.rows[i]] = easy.now.start[i]
    _compare(jobs, t, start, easy.start, books, arrived)


@njit(cache=True, nogil=True, _nrt=False)
def _has_ended(jobs: Jobs, start: Ints, j: Int, t: Int) -> bool:
    """Return whether job j of `jobs` has ended before second t; `start` is (n,) int64, -1 before a job starts."""
    return bool(start[j] >= 0 and start[j] + jobs.run[j] < t)


@njit(cache=True, nogil=True, _nrt=False)
def _use(jobs: Jobs, t: Int, start: Ints, books: Books, arrived: Int) -> None:
    """Set the run times that are known or expected before second t.

    Parameters
    ----------
    jobs, t
        As for `review_both`.
    start
        (n,) int64, start times on the real machine, s; -1 if not before t.
    books
        `Books`, modified in place.
    arrived
        Rows that have arrived.
    """
    used, requested = books.now[_USED], books.now[_REQUESTED]
    for g in range(used.size):
        used[g] = books.sums[_USED, g]
        requested[g] = books.sums[_REQUESTED, g]
    for j in range(books.settled[0], arrived):
        if _has_ended(jobs, start, j, t):
            used[jobs.group[j]] += float(jobs.run[j] * jobs.width[j])
            requested[jobs.group[j]] += float(jobs.estimate[j] * jobs.width[j])
    for j in range(books.settled[0], arrived):
        g = jobs.group[j]
        if _has_ended(jobs, start, j, t):
            books.run[j] = jobs.run[j]
        else:
            share = used[g] / requested[g] if requested[g] > 0.0 else USED
            expected = max(np.int64(1), np.int64(share * jobs.estimate[j]))
            if start[j] >= 0:
                expected = max(expected, min(jobs.estimate[j], t - start[j]))
            books.run[j] = expected


@njit(cache=True, nogil=True, _nrt=False)
def _resume(jobs: Jobs, books: Books, easy: Beside, arrived: Int) -> Int:
    """Gather the jobs that EASY is simulated with from the second on before which its starts are settled.

    The jobs that run then come first, with what is left of their run times and requests, so that they start at once.

    Parameters
    ----------
    jobs
        `Jobs`.
    books
        `Books`.
    easy
        `Beside`, modified in place.
    arrived
        Rows that have arrived.

    Returns
    -------
    int
        How many there are.
    """
    first, since = books.settled[0], books.settled[1]
    start = easy.start
    count: Int = 0
    for j in range(first, arrived):
        if 0 <= start[j] < since < start[j] + books.run[j]:
            _gather(easy, count, jobs, j, since, start[j] - since, books.run[j])
            count += 1
    for j in range(first, arrived):
        if start[j] < 0 or start[j] >= since:
            start[j] = -1
            _gather(easy, count, jobs, j, max(since, jobs.submit[j]), 0, books.run[j])
            count += 1
    return count


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _gather(easy: Beside, i: Int, jobs: Jobs, j: Int, submit: Int, more: Int, run: Int) -> None:
    """Make job j of `jobs` the i-th job that is simulated; `easy` is modified in place.

    Parameters
    ----------
    easy, i
        `Beside`, modified in place, and the place.
    jobs, j
        `Jobs` and the row.
    submit, run
        When it comes, s, and its run time, s.
    more
        What is added to its run time and request, s.
    """
    easy.rows[i] = j
    easy.jobs.submit[i] = submit
    easy.jobs.run[i] = run + more
    easy.jobs.estimate[i] = jobs.estimate[j] + more
    easy.jobs.width[i] = jobs.width[j]
    easy.jobs.group[i] = jobs.group[j]
    easy.now.start[i] = -1


@njit(cache=True, nogil=True, _nrt=False)
def _compare(jobs: Jobs, t: Int, real: Ints, easy: Ints, books: Books, arrived: Int) -> None:
    """Add the weighted response times up, and settle what does not change any more; `books` is modified in place.

    Parameters
    ----------
    jobs, t
        As for `review_both`.
    real, easy
        (n,) int64, start times on both machines, s; -1 if not before t.
    books
        `Books`, modified in place.
    arrived
        Rows that have arrived.
    """
    since = t
    for j in range(books.settled[0], arrived):
        if easy[j] >= 0 and not _has_ended(jobs, real, j, t):
            since = min(since, easy[j])
    books.settled[1] = since
    for g in range(books.sums.shape[1]):
        books.now[_REAL, g] = books.sums[_REAL, g]
        books.now[_EASY, g] = books.sums[_EASY, g]
    settling = True
    for j in range(books.settled[0], arrived):
        g, run = jobs.group[j], books.run[j]
        work = float(run) * jobs.width[j]
        response = work * (_until(real[j], t) - jobs.submit[j] + run)
        easy_response = work * (_until(easy[j], t) - jobs.submit[j] + run)
        _add(books.now, g, response, easy_response)
        settling = settling and 0 <= easy[j] < since and easy[j] + run < since
        if settling:
            _add(books.sums, g, response, easy_response)
            books.sums[_USED, g] += float(run * jobs.width[j])
            books.sums[_REQUESTED, g] += float(jobs.estimate[j] * jobs.width[j])
            books.settled[0] = j + 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _until(start: Int, t: Int) -> Int:
    """Return until when a job waits as far as is known in second t; a `start` of -1 is none."""
    return start if start >= 0 else t


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _add(sums: Floats, g: Int, response: float, easy_response: float) -> None:
    """Add a weighted `response` time, and `easy_response`, to those of group g and of all.

    Parameters
    ----------
    sums
        (4, G + 1) float64, as of `Books`, modified in place.
    g, response, easy_response
        The group, and what is added for the real machine and for EASY.
    """
    sums[_REAL, g] += response
    sums[_EASY, g] += easy_response
    sums[_REAL, -1] += response
    sums[_EASY, -1] += easy_response


@njit(cache=True, nogil=True, _nrt=False)
def classify(guard: Guard, sums: Floats, classes: Ints) -> bool:
    """Set the classes of the groups after a review, in place; return whether one has changed.

    Parameters
    ----------
    guard
        `Guard`.
    sums
        (4, G + 1) float64, `Books.now`.
    classes
        (G,) int64, modified in place.
    """
    real, easy = sums[_REAL], sums[_EASY]
    over = easy[-1] > 0.0 and real[-1] >= easy[-1] * (guard.overall * (1.0 - guard.margin))
    limit = guard.each if over else guard.each * (1.0 - guard.margin_each)
    changed = False
    for g in range(classes.size):
        chosen = np.int64(1) if over else guard.classes[g]
        if easy[g] > 0.0 and real[g] > easy[g] * limit:
            chosen = np.int64(0)
        changed = changed or chosen != classes[g]
        classes[g] = chosen
    return changed
