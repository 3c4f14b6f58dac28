"""Variations of an order of jobs: elementary moves (paper 002, section 3.2) and recombinations.

An order is an int32 permutation of the rows of a workload: there is no machine with 2^31 jobs, and a second, 16-bit
version of every kernel would cost more time to compile than it saves. Random numbers in [0, 1) are arguments, one row
(which job, how far) for an elementary move, so that a kernel depends only on its arguments.

Swaps are made one after the other. Jobs that move to another place move all at once: every place that was drawn gets
a new key, its number plus or minus its jumps, and the jobs are then sorted by their keys. A job that moves alone passes
exactly as many other jobs as it jumps. The time is that of two passes over the order, for any number and length of
jumps. Self-adaptation may increase both up to the number of jobs, 133,000. Moves one after the other would then take
seconds, because each copies all jobs that it passes (some milliseconds for 5,000 jumps of 4,000).
"""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Mask, Order
from .compiling import njit
from .inputs import Jobs

LOOKS = 256  # jobs tried for one gap, and places behind it for which the free processors are known


class Space(NamedTuple):
    """Work space of the kernels for orders of one length; each thread needs one of its own.

    It is used again for every call: new megabytes for each child would cost as much time as the moves themselves,
    because the system clears every page first.

    Attributes
    ----------
    places, key, following
        (n,) int32.
    total, cost
        (n,) float64.
    latest, start, ends, free, first, moved_width, left, dips
        (n,) int64.
    """

    places: Order
    key: Order
    following: Order
    total: Floats
    cost: Floats
    latest: Ints
    start: Ints
    ends: Ints
    free: Ints
    first: Ints
    moved_width: Ints
    left: Ints
    dips: Ints


def space(n: int) -> Space:
    """Return work space for orders of n jobs."""
    dtypes = (*[np.int32] * 3, *[np.float64] * 2, *[np.int64] * 8)
    return Space(*(np.empty(n, dtype) for dtype in dtypes))


@njit(cache=True, nogil=True, _nrt=False)
def jump_length(luck: float, mean: float) -> Int:
    """Return a geometrically distributed length d in 1, 2, ..., P(d > k) = (1 - 1 / mean)^k, from `luck` in [0, 1).

    By inversion, not by numpy's generator, whose method may change with its version: recipes that a run has stored
    must give the same orders in years.
    """
    if mean <= 1.0:
        return np.int64(1)
    return np.int64(1) + np.int64(math.log1p(-luck) / math.log1p(-1.0 / mean))


@njit(cache=True, nogil=True, _nrt=False)
def swap(order: Order, luck: Floats, mean: float) -> None:
    """Swap pairs of jobs of `order`, one pair after the other.

    The distance of a pair is geometric, at most n - 1, and all pairs of places at that distance are equally likely.
    So the ends of the order need no special rule, and a swap is as probable as its inverse, which is the same swap.

    Parameters
    ----------
    order
        (n,) int32, modified in place.
    luck
        (k, 2) float64 in [0, 1): which pair, how far apart.
    mean
        Mean distance; 1 swaps neighbours only.
    """
    n = order.size
    if n < 2:
        return
    for k in range(luck.shape[0]):
        distance = min(jump_length(luck[k, 1], mean), np.int64(n - 1))
        i = np.int64(luck[k, 0] * (n - distance))
        j = i + distance
        order[i], order[j] = order[j], order[i]


@njit(cache=True, nogil=True, _nrt=False)
def later(order: Order, movable: Mask, luck: Floats, mean: float, result: Order, space: Space) -> None:
    """Fill `result` with `order` after random jobs have moved towards the end.

    A job passes the jobs behind it within the sum of its jumps, except jobs that move, too. Jobs that do not move
    keep their order.

    Parameters
    ----------
    order
        (n,) int32.
    movable
        (n,) bool by job: whether it may be drawn; all of these have the same probability.
    luck
        (k, 2) float64 in [0, 1): which job, how far.
    mean
        Mean length of a jump, which is geometric and ends at the last place.
    result
        (n,) int32, filled in place.
    space
        Work space.
    """
    n = order.size
    key = space.key
    places = space.places
    count = 0
    for i in range(n):
        key[i] = i
        places[count] = i
        count += movable[order[i]]  # no branch, because the processor would predict it wrong half of the time
    if count > 0:
        for k in range(luck.shape[0]):
            i = places[np.int64(luck[k, 0] * count)]
            key[i] = min(key[i] + jump_length(luck[k, 1], mean), np.int64(n - 1))
    _put_down(order, key, True, result, places, space.following)


@njit(cache=True, nogil=True, _nrt=False)
def pull(
    order: Order, submit: Ints, wait: Ints | Order, luck: Floats, mean: float, result: Order, space: Space
) -> None:
    """Fill `result` with `order` after jobs whose waiting is expensive have moved towards the front.

    No job moves in front of the first job in the order that starts at the mover's submission or later: all jobs before
    that have started when the mover is submitted.

    Parameters
    ----------
    order
        (n,) int32.
    submit, wait
        (n,) int64, and int64 or int32, s by job; their sums are the start times of the schedule of this order.
    luck
        (k, 2) float64 in [0, 1): which job, how far.
    mean
        Mean length of a jump, which is geometric.
    result
        (n,) int32, filled in place.
    space
        Work space, with `cost` by job, at least 0: a job is drawn with a probability proportional to it. All 0: nothing
        moves.
    """
    n = order.size
    key = space.key
    places = space.places
    total = space.total
    cost = space.cost
    latest = space.latest
    count = 0
    so_far = 0.0
    last = np.int64(0)
    for i in range(n):
        job = order[i]
        key[i] = i
        # with earliest fit, the starts do not ascend along the order, but their running maximum does
        last = max(last, submit[job] + wait[job])
        latest[i] = last
        if cost[job] > 0.0:
            so_far += cost[job]
            places[count] = i
            total[count] = so_far
            count += 1
    if count > 0:
        for k in range(luck.shape[0]):
            # the product is below the whole sum even after rounding: luck is at most 1 - 2^-53
            i = places[_first_above(total, np.int64(0), np.int64(count), luck[k, 0] * so_far)]
            before = submit[order[i]] - 1
            place = max(key[i] - jump_length(luck[k, 1], mean), np.int64(0))
            if latest[place] <= before:
                place = _first_above(latest, place, np.int64(i), before)
            key[i] = place
    _put_down(order, key, False, result, places, space.following)


@njit(cache=True, nogil=True, _nrt=False)
def fill(
    jobs: Jobs, order: Order, bits: Int, capacity: Int, luck: Floats, mean: float, result: Order, space: Space
) -> None:
    """Fill `result` with `order` after jobs have moved to times when processors are idle.

    Between the start of a job and the start of the next job in the order is a gap: processors are idle until enough
    are free, or until the next job is submitted. A gap is drawn with a probability proportional to its idle processor
    seconds since the first submission of a job behind it. The candidates are the jobs within a jump behind the gap that
    could start in it and delay no other job until they end, or until their present start. The candidate with the
    largest gain moves in front of the gap's end: run time times width times seconds by which it starts earlier. So with
    strict decoding a single move lets one job start earlier and no job later. Processors that a mover takes are not
    free for the next ones.

    Parameters
    ----------
    jobs
        The jobs.
    order
        (n,) int32.
    bits
        Number of bits that hold the capacity, as of `bits_for`.
    capacity
        Processors.
    luck
        (k, 2) float64 in [0, 1): which gap, how far.
    mean
        Mean length of a jump, which is geometric. Of a long jump only the last `LOOKS` places are tried that may have
        a job submitted before the gap ends.
    result
        (n,) int32, filled in place.
    space
        Work space, with `start`, s by job, ascending along `order`, and `ends`, the packed (finish, width) of all
        jobs, ascending; neither is changed.
    """
    n = order.size
    key = space.key
    least_behind = space.following
    total = space.total
    start = space.start
    ends = space.ends
    count = _find_gaps(jobs, order, bits, capacity, space)
    for k in range(luck.shape[0] if count > 0 else 0):
        gap = _first_above(total, np.int64(0), np.int64(count), luck[k, 0] * total[count - 1])
        place = np.int64(space.places[gap])
        end = start[order[place]]
        begin = start[order[place - 1]] if place > 0 else jobs.submit[0]
        # the first job that ends when the gap ends, or later
        after = _first_above(ends, space.first[gap], np.int64(n), (end << bits) - 1)
        most_free = space.latest[after - 1] if after > space.first[gap] else space.free[gap]
        if space.moved_width[gap] >= most_free:
            continue
        first_later = _first_above(jobs.submit, np.int64(0), np.int64(n), end - 1)
        last = _first_above(least_behind, place, np.int64(n - 1), first_later - 1)
        last = min(last, place + jump_length(luck[k, 1], mean))
        stop = min(place + LOOKS, np.int64(n))
        dips = _find_dips(place, stop, space)
        best = np.int64(-1)
        most = 0.0
        until = np.int64(0)
        for i in range(last, max(place, last - LOOKS), -1):
            job = order[i]
            if jobs.submit[job] >= end or key[i] != i:
                continue
            width = jobs.width[job]
            t = max(begin, jobs.submit[job])
            processors = width + space.moved_width[gap]
            if processors > space.free[gap]:
                event = _first_above(space.latest, space.first[gap], after, processors - 1)
                if event == after:
                    continue
                t = max(t, ends[event] >> bits)
            blocker = stop
            for d in range(dips):
                if space.left[space.dips[d]] < width:
                    blocker = space.dips[d]
                    break
            # from its present place on, its own processors are enough
            if blocker < i and t + jobs.run[job] > start[order[blocker]]:
                continue
            gain = float(jobs.run[job] * width) * float(start[job] - t)
            if gain > most:
                best = np.int64(i)
                most = gain
                until = t + jobs.run[job]
        if best >= 0:
            key[best] = place
            _occupy(order, gap, np.int64(count), best, until, jobs.width[order[best]], space)
    _put_down(order, key, False, result, space.places, space.following)


@njit(cache=True, nogil=True, _nrt=False)
def _find_dips(place: Int, stop: Int, space: Space) -> Int:
    """Fill `space.dips`, in place, with the places from `place` to before `stop` after which fewer processors are free.

    Returns
    -------
    int
        The number of dips; the last one may have less than one processor free, which ends the search.
    """
    count = 0
    for i in range(place, stop):
        if count == 0 or space.left[i] < space.left[space.dips[count - 1]]:
            space.dips[count] = i
            count += 1
            if space.left[i] <= 0:
                break
    return count


@njit(cache=True, nogil=True, _nrt=False)
def _occupy(order: Order, gap: Int, gaps: Int, place: Int, until: Int, width: Int, space: Space) -> None:
    """Take processors from a gap and from the gaps after it, up to the old place of the mover or its new end.

    Parameters
    ----------
    order
        (n,) int32.
    gap, gaps
        The gap into which a job moves, and the number of gaps.
    place, until, width
        Of the mover: its old place in the order, its new end, s, and its processors.
    space
        With `start`, and `left`, `places` and `moved_width` of `_find_gaps`; `left` and
        `moved_width` are modified in place.
    """
    i = np.int64(space.places[gap])
    while i < place and space.start[order[i]] < until:
        space.left[i] -= width
        i += 1
    while gap < gaps and space.places[gap] <= i:  # this gap begins before the mover ends
        space.moved_width[gap] += width
        gap += 1


@njit(cache=True, nogil=True, _nrt=False)
def _find_gaps(jobs: Jobs, order: Order, bits: Int, capacity: Int, space: Space) -> Int:
    """Find the gaps that a job behind them could use, and return their number.

    These arrays of the space are filled in place. Of each gap: `places` is the place at its end, `total` the idle
    processor seconds of this gap and all before, `free` the processors that are free when it begins, `first` the first
    of the `ends` in it. `latest` has the processors that are free after each of the `ends`, `left` those after the
    start at each place, `following` the earliest submitted job (the lowest row) behind each place. `key` becomes
    0, 1, ..., and `moved_width` 0 in each gap.

    Parameters
    ----------
    jobs, order
        `Jobs`, and (n,) int32, as for `fill`; not changed.
    bits, capacity
        Number of bits that hold the capacity, and processors.
    space
        `Space`, with `start` and `ends` as for `fill`; modified in place as said.
    """
    n = order.size
    start = space.start
    ends = space.ends
    mask = (np.int64(1) << bits) - 1
    least = np.int64(n)
    for i in range(n - 1, -1, -1):
        space.key[i] = i
        space.following[i] = least
        least = min(least, np.int64(order[i]))
    free = np.int64(capacity)
    index = 0
    begin = jobs.submit[0]
    count = 0
    so_far = 0.0
    for i in range(n):
        end = start[order[i]]
        if begin < end and i + 1 < n:
            space.first[count] = index
            space.free[count] = free
            space.moved_width[count] = 0
            idle = np.int64(0)
            t = max(begin, jobs.submit[space.following[i]])
            while (ends[index] >> bits) < end:  # the job at this place has not ended
                finish = ends[index] >> bits
                idle += free * max(finish - t, np.int64(0))
                t = max(t, finish)
                free += ends[index] & mask
                space.latest[index] = free
                index += 1
            idle += free * max(end - t, np.int64(0))
            if idle > 0:
                so_far += idle
                space.total[count] = so_far
                space.places[count] = i
                count += 1
        while (ends[index] >> bits) <= end:
            free += ends[index] & mask
            space.latest[index] = free
            index += 1
        free -= jobs.width[order[i]]
        space.left[i] = free
        begin = end
    return count


@njit(cache=True, nogil=True, _nrt=False)
def _first_above(ascending: Ints | Order | Floats, low: Int, high: Int, value: float | Int) -> Int:
    """Return the first place from `low` to before `high` with an entry above `value`; `high` if there is none.

    Parameters
    ----------
    ascending
        (n,) numbers, ascending from `low` to before `high`; not changed.
    low, high
        Places, 0..n.
    value
        A number in the unit of `ascending`.
    """
    while low < high:
        middle = (low + high) >> 1
        above = ascending[middle] > value
        high = middle if above else high
        low = low if above else middle + 1
    return low


@njit(cache=True, nogil=True, _nrt=False)
def _put_down(order: Order, key: Order, behind: bool, result: Order, first: Order, following: Order) -> None:
    """Fill `result` with the jobs of an order, sorted by their keys.

    Parameters
    ----------
    order
        (n,) int32.
    key
        (n,) int32 by place: the place to which the job goes; the same place if it does not move.
    behind
        Whether a job that moves comes behind the job at its new place, or in front of it. Jobs that move to the same
        place are in the order of their old places.
    result
        (n,) int32, filled in place.
    first, following
        (n,) int32, work space, overwritten: the first job that moves to a place, and the next job after each.
    """
    n = order.size
    for i in range(n):
        first[i] = -1
    for i in range(n - 1, -1, -1):  # descending, so that each list of movers ascends
        if key[i] != i:
            following[i] = first[key[i]]
            first[key[i]] = i
    size = 0
    for i in range(n):
        if behind and key[i] == i:
            result[size] = order[i]
            size += 1
        mover = first[i]
        while mover >= 0:
            result[size] = order[mover]
            size += 1
            mover = following[mover]
        if not behind and key[i] == i:
            result[size] = order[i]
            size += 1


@njit(cache=True, nogil=True, _nrt=False)
def order_crossover(parent: Order, mate: Order, begin: Int, end: Int, result: Order, space: Space) -> None:
    """Fill `result` by order crossover, OX (Davis 1985).

    Places `begin` to before `end` are the parent's. The other places get the remaining jobs in the order of the mate;
    both the places and the mate are read from place `end` on and round the end of the order.

    Parameters
    ----------
    parent, mate
        (n,) int32 permutations.
    begin, end
        0 <= begin <= end <= n.
    result
        (n,) int32, filled in place.
    space
        Work space.
    """
    n = parent.size
    of_parent = space.key
    of_parent[:] = 0
    for i in range(begin, end):
        result[i] = parent[i]
        of_parent[parent[i]] = 1
    place = end
    for k in range(end, end + n):
        job = mate[k if k < n else k - n]
        if not of_parent[job]:
            result[place if place < n else place - n] = job
            place += 1


@njit(cache=True, nogil=True, _nrt=False)
def mapped_crossover(parent: Order, mate: Order, begin: Int, end: Int, result: Order, space: Space) -> None:
    """Fill `result` by partially mapped crossover, PMX (Goldberg and Lingle 1985).

    Places `begin` to before `end` are the parent's, the other places the mate's. If the mate's job is among those of
    the parent, it is replaced by the mate's job at the parent's place of that job, and so on until the job is a new
    one.

    Parameters
    ----------
    parent, mate
        (n,) int32 permutations, not changed.
    begin, end
        0 <= begin <= end <= n.
    result
        (n,) int32, filled in place.
    space
        Work space.
    """
    place = space.places
    place[:] = -1
    for i in range(begin, end):
        result[i] = parent[i]
        place[parent[i]] = i
    for i in range(parent.size):
        if i < begin or i >= end:
            job = mate[i]
            while place[job] >= 0:
                job = mate[place[job]]
            result[i] = job


@njit(cache=True, nogil=True, _nrt=False)
def cycle_crossover(parent: Order, mate: Order, result: Order, space: Space) -> None:
    """Fill `result` by cycle crossover (Oliver, Smith and Holland 1987): every job has a place it has in a parent.

    The places of a cycle have the same jobs in both parents. Cycles are taken from the parent and from the mate in
    turn, in the order of their first places. Places where both have the same job do not count as cycles: in similar
    orders nearly all places are so, and turns would only distinguish odd and even.

    Parameters
    ----------
    parent, mate
        (n,) int32 permutations, not changed.
    result
        (n,) int32, filled in place.
    space
        Work space.
    """
    place = space.places
    for k in range(parent.size):
        place[parent[k]] = k
        result[k] = -1
    of_parent = True
    for begin in range(parent.size):
        if result[begin] >= 0:
            continue
        if parent[begin] == mate[begin]:
            result[begin] = parent[begin]
            continue
        i = np.int64(begin)
        while result[i] < 0:
            result[i] = parent[i] if of_parent else mate[i]
            i = np.int64(place[mate[i]])
        of_parent = not of_parent
