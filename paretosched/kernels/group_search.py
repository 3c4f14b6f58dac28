"""The search for an order of a group of waiting jobs (paper 004, sections 6.4 and 6.5).

Orders are scheduled virtually and strictly: each job starts as soon as its predecessor has started and it fits, as if
the slice never ended. The state of the virtual machine is kept after every job of the order that was tried last, so
that the next order is scheduled only from the first job on that differs, and a pruned beginning prunes all orders that
share it. Of equal total slowdowns the order that was found first is kept.

Permutations are named by their Lehmer digits: digit i says which of the jobs not chosen yet comes next, 0 for the one
that the heuristic wants. A discrepancy is a digit other than 0.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FAR = np.int64(0x7FFFFFFFFFFFFFFF)
DISCREPANCY, LDS, DDS = 0, 1, 2


class Planning(NamedTuple):
    """What the search is told; `timesharing.Optimisation` says what it means. Of both classes: medium, then long."""

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
    least: NDArray[np.int64]
    most: NDArray[np.int64]
    machines: NDArray[np.float64]
    work: NDArray[np.float64]
    mean_run: NDArray[np.int64]
    wide: NDArray[np.float64]
    wide_run: NDArray[np.int64]


class Tree(NamedTuple):
    """Work space for groups of up to N jobs on a machine with up to R running ones.

    Attributes
    ----------
    time, free, passed, count
        (N + 1,) the state after the first d jobs of an order: when the last one started, idle processors, how many of
        `ends` have passed, how many jobs of the order run.
    end, width
        (N + 1, N + 1): of these, when they end and their processors.
    ends, widths
        (R + N,): what ran before, by its end.
    placed
        (1,) entries of `ends`.
    total, least
        (N + 1,) the slowdown of the first d jobs, and the least that each job adds.
    digits, order, places
        (N + 1,) Lehmer digits of the order that is tried, its jobs, and work space.
    other, moved
        (N + 1,) places of these jobs in the first order, or an order with shifts; whether a job was shifted.
    best, totals
        (candidates, N + 1), (candidates,) the best orders, and their slowdowns.
    """

    time: NDArray[np.int64]
    free: NDArray[np.int64]
    passed: NDArray[np.int64]
    count: NDArray[np.int64]
    end: NDArray[np.int64]
    width: NDArray[np.int64]
    ends: NDArray[np.int64]
    widths: NDArray[np.int64]
    placed: NDArray[np.int64]
    total: NDArray[np.int64]
    least: NDArray[np.int64]
    digits: NDArray[np.int64]
    order: NDArray[np.int64]
    places: NDArray[np.int64]
    other: NDArray[np.int64]
    best: NDArray[np.int64]
    totals: NDArray[np.int64]
    moved: NDArray[np.bool_]


def tree_for(jobs: int, running: int, candidates: int) -> Tree:
    """Make a `Tree`."""

    def ints(*shape):
        return np.zeros(shape, np.int64)

    n = jobs + 1
    return Tree(
        ints(n), ints(n), ints(n), ints(n), ints(n, n), ints(n, n), ints(running + n), ints(running + n), ints(1),
        ints(n), ints(n), ints(n), ints(n), ints(n), ints(n), ints(candidates, n), ints(candidates),
        np.zeros(n, np.bool_),
    )  # fmt: skip


@njit(cache=True, nogil=True, _nrt=False)
def put(tree, d, width, told):
    """Schedule a job after the first d; its start is time[d + 1]."""
    time = tree.time[d]
    free = tree.free[d]
    passed = tree.passed[d]
    count = tree.count[d]
    for i in range(count):
        tree.end[d + 1, i] = tree.end[d, i]
        tree.width[d + 1, i] = tree.width[d, i]
    while free < width:
        time = tree.ends[passed] if passed < tree.placed[0] else FAR
        for i in range(count):
            time = min(time, tree.end[d + 1, i])
        while passed < tree.placed[0] and tree.ends[passed] <= time:
            free += tree.widths[passed]
            passed += 1
        kept = 0
        for i in range(count):
            if tree.end[d + 1, i] <= time:
                free += tree.width[d + 1, i]
            else:
                tree.end[d + 1, kept] = tree.end[d + 1, i]
                tree.width[d + 1, kept] = tree.width[d + 1, i]
                kept += 1
        count = kept
    tree.end[d + 1, count] = time + told
    tree.width[d + 1, count] = width
    tree.time[d + 1] = time
    tree.free[d + 1] = free - width
    tree.passed[d + 1] = passed
    tree.count[d + 1] = count + 1


@njit(cache=True, nogil=True, _nrt=False)
def settle(tree, d):
    """Begin anew with the state after d jobs: what runs then has been running before."""
    kept = 0
    for i in range(tree.passed[d], tree.placed[0]):
        tree.ends[kept] = tree.ends[i]
        tree.widths[kept] = tree.widths[i]
        kept += 1
    for i in range(tree.count[d]):
        end = tree.end[d, i]
        width = tree.width[d, i]
        k = kept
        while k > 0 and tree.ends[k - 1] > end:
            tree.ends[k] = tree.ends[k - 1]
            tree.widths[k] = tree.widths[k - 1]
            k -= 1
        tree.ends[k] = end
        tree.widths[k] = width
        kept += 1
    tree.placed[0] = kept
    tree.time[0] = tree.time[d]
    tree.free[0] = tree.free[d]
    tree.passed[0] = 0
    tree.count[0] = 0


@njit(cache=True, nogil=True, _nrt=False)
def response(now, share, submit, told, start):
    """Response time, s, of a job whose class has a share of the time (section 7)."""
    return np.float64(now - submit) + np.float64(start + told - now) / share


@njit(cache=True, nogil=True, _nrt=False)
def slowdown(now, share, bound, submit, told, start):
    """Bounded slowdown (section 5.1.5), not rounded."""
    return max(response(now, share, submit, told, start) / np.float64(max(told, bound)), 1.0)


@njit(cache=True, nogil=True, _nrt=False)
def metric(now, share, rules, submit, told, start):
    """Give the slowdown as a whole number, so that sums do not depend on their order: rounded up, or in millionths."""
    slow = slowdown(now, share, rules.bound, submit, told, start)
    return np.int64(math.ceil(slow)) if rules.ceiling else np.int64(math.floor(slow * 1e6))


@njit(cache=True, nogil=True, _nrt=False)
def heuristic(jobs, told, tree, now, share, rules, rows, n, fixed, groups, place):
    """Order jobs by largest slowdown first.

    rows[0, :n] are free to choose from, rows[1, :fixed] keep their order; the result is groups[place, :n + fixed]. The
    choice is made anew each time, by the slowdowns of jobs if they come next; ties by row. rows[0] is used up.
    """
    left = n
    used = 0
    for d in range(n + fixed):
        chosen = np.int64(-1)
        at = np.int64(-1)
        most = 0.0
        for i in range(left + (1 if used < fixed else 0)):
            j = rows[0, i] if i < left else rows[1, used]
            put(tree, d, jobs.width[j], told[j])
            slow = slowdown(now, share, rules.bound, jobs.submit[j], told[j], tree.time[d + 1])
            if chosen < 0 or slow > most or (slow == most and j < chosen):
                chosen = j
                most = slow
                at = i
        if at < left:
            left -= 1
            for i in range(at, left):
                rows[0, i] = rows[0, i + 1]
        else:
            used += 1
        groups[place, d] = chosen
        put(tree, d, jobs.width[chosen], told[chosen])


@njit(cache=True, nogil=True, _nrt=False)
def advance(digits, n, search):
    """Make the Lehmer digits the next ones of the search; False if there are none. All are 0 at first."""
    if search == DISCREPANCY:
        place = n - 1
        while place >= 0 and digits[place] == n - 1 - place:
            digits[place] = 0
            place -= 1
        if place < 0:
            return False
        digits[place] += 1
        return True
    if search == LDS:
        count = 0
        for i in range(n):
            if digits[i] > 0:
                count += 1
        after = 0  # discrepancies to the right of the place
        for place in range(n - 2, -1, -1):
            own = 1 if digits[place] > 0 else 0
            rest = after + own - 1  # to be put to its right if it grows
            if digits[place] < n - 1 - place and 0 <= rest <= n - 2 - place:
                digits[place] += 1
                for i in range(place + 1, n):
                    digits[i] = 1 if n - 1 - rest <= i < n - 1 else 0
                return True
            after += own
        count += 1
        if count > n - 1:
            return False
        for i in range(n):
            digits[i] = 1 if n - 1 - count <= i < n - 1 else 0
        return True
    deepest = -1
    for i in range(n):
        if digits[i] > 0:
            deepest = i
    place = deepest
    while place >= 0 and digits[place] == n - 1 - place:
        digits[place] = 1 if place == deepest else 0
        place -= 1
    if place >= 0:
        digits[place] += 1
        return True
    deepest += 1
    if deepest > n - 2:
        return False
    for i in range(n):
        digits[i] = 1 if i == deepest else 0
    return True


@njit(cache=True, nogil=True, _nrt=False)
def offer(tree, n, order, total, found, candidates):
    """Keep an order if it is among the best; gives how many are kept, and whether it is one of them."""
    if found == candidates and total >= tree.totals[found - 1]:
        return found, False
    for c in range(found):
        equal = tree.totals[c] == total
        for i in range(n):
            if tree.best[c, i] != order[i]:
                equal = False
                break
        if equal:
            return found, False
    place = found if found < candidates else candidates - 1
    while place > 0 and tree.totals[place - 1] > total:
        tree.totals[place] = tree.totals[place - 1]
        for i in range(n):
            tree.best[place, i] = tree.best[place - 1, i]
        place -= 1
    tree.totals[place] = total
    for i in range(n):
        tree.best[place, i] = order[i]
    return min(found + 1, candidates), True


@njit(cache=True, nogil=True, _nrt=False)
def shift(jobs, told, tree, n, ratio):
    """Move jobs of `order` into holes for which they are not much too long (6.5), into `other`.

    Wherever the next job must wait, the first job behind it that fits there now, and runs for at most `ratio` times the
    wait, goes in front of it; each job once. Schedules `other`; True if it is not `order`.
    """
    changed = False
    for i in range(n):
        tree.other[i] = tree.order[i]
        tree.moved[i] = False
    for k in range(n):
        j = tree.other[k]
        put(tree, k, jobs.width[j], told[j])
        hole = tree.time[k + 1] - tree.time[k]
        if hole > 0:
            for q in range(k + 1, n):
                x = tree.other[q]
                if (
                    not tree.moved[q]
                    and jobs.width[x] <= tree.free[k]
                    and np.float64(told[x]) <= ratio * np.float64(hole)
                ):
                    for i in range(q, k, -1):
                        tree.other[i] = tree.other[i - 1]
                        tree.moved[i] = tree.moved[i - 1]
                    tree.other[k] = x
                    tree.moved[k] = True
                    changed = True
                    put(tree, k, jobs.width[x], told[x])
                    break
    return changed


@njit(cache=True, nogil=True, _nrt=False)
def choose(jobs, told, tree, now, share, capacity, rules, n, found):
    """Choose among the best orders (section 6.4.4, with the makespan's sign mended); gives its place."""
    current = np.int64(-1)
    makespan = 0.0
    use = 0.0
    mean = 0.0
    for c in range(found - 1, -1, -1):
        last = np.int64(0)
        work = np.int64(0)
        own_mean = 0.0
        for i in range(n):
            j = tree.best[c, i]
            put(tree, i, jobs.width[j], told[j])
            last = max(last, tree.time[i + 1] + told[j])
            work += told[j] * jobs.width[j]
            own_mean += response(now, share, jobs.submit[j], told[j], tree.time[i + 1])
        own_makespan = np.float64(last - now)
        own_use = np.float64(work) / (np.float64(capacity) * own_makespan)
        own_mean /= np.float64(n)
        if current < 0 or (
            own_makespan < rules.makespan * makespan
            and own_use > rules.utilisation * use
            and own_mean < rules.response * mean
        ):
            current = np.int64(c)
            makespan = own_makespan
            use = own_use
            mean = own_mean
    return current


@njit(cache=True, nogil=True, _nrt=False)
def search(
    jobs, told, tree, now, share, capacity, rules, rows, row, begin, n, way, limit, threshold, ratio, candidates, seen,
    level,
):  # fmt: skip
    """Put rows[row, begin:begin + n] into a better order; adds the nodes visited and pruned to seen[level]."""
    everything = np.int64(0)
    for i in range(n):
        j = rows[row, begin + i]
        put(tree, np.int64(0), jobs.width[j], told[j])
        tree.least[i] = metric(now, share, rules, jobs.submit[j], told[j], tree.time[1])
        everything += tree.least[i]
        tree.digits[i] = 0
    tree.total[0] = 0
    found = np.int64(0)
    tried = 0
    valid = 0  # the states after so many jobs of the order hold
    reach = 0  # and would hold without pruning
    cut = n  # the first jobs, so many and one, are too slow together
    more = True
    while more and tried < limit:
        count = 0
        first = n  # the first place that differs from the last order
        for i in range(n):
            tree.places[i] = i
        for i in range(n):
            digit = tree.digits[i]
            if digit > 0:
                count += 1
            place = tree.places[digit]
            for k in range(digit, n - 1 - i):
                tree.places[k] = tree.places[k + 1]
            j = rows[row, begin + place]
            if tried == 0 or tree.order[i] != j:
                first = min(first, i)
                tree.order[i] = j
                tree.moved[i] = False
            tree.other[i] = place
        if tried == 0:
            first = 0
        valid = min(valid, first)
        reach = min(reach, first)
        if first <= cut:
            cut = n
        tried += 1
        if tried > 1 and count < threshold:
            more = advance(tree.digits, n, way)
            continue
        if cut < n:
            seen[level, 1] += n - reach
            reach = n
            more = advance(tree.digits, n, way)
            continue
        reach = n
        rest = everything
        for i in range(valid):
            rest -= tree.least[tree.other[i]]
        for i in range(valid, n):
            j = tree.order[i]
            put(tree, i, jobs.width[j], told[j])
            tree.total[i + 1] = tree.total[i] + metric(now, share, rules, jobs.submit[j], told[j], tree.time[i + 1])
            rest -= tree.least[tree.other[i]]
            valid = i + 1
            seen[level, 0] += 1
            if rules.pruning and found == candidates and tree.total[i + 1] + rest >= tree.totals[found - 1]:
                seen[level, 1] += n - 1 - i
                cut = i
                break
        if valid == n and cut == n:
            found, kept = offer(tree, n, tree.order, tree.total[n], found, candidates)
            if kept and ratio > 0.0 and shift(jobs, told, tree, n, ratio):
                total = np.int64(0)
                for i in range(n):
                    j = tree.other[i]
                    total += metric(now, share, rules, jobs.submit[j], told[j], tree.time[i + 1])
                seen[level, 0] += n
                found, kept = offer(tree, n, tree.other, total, found, candidates)
                valid = reach = 0  # the states were written over
        more = advance(tree.digits, n, way)
    chosen = choose(jobs, told, tree, now, share, capacity, rules, n, found)
    for i in range(n):
        rows[row, begin + i] = tree.best[chosen, i]


@njit(cache=True, nogil=True, _nrt=False)
def plan(jobs, told, tree, now, share, capacity, rules, kind, groups, place, n, scratch, seen):
    """Order a group, groups[place, :n] in the order of submission (Figure 11); state 0 of the tree is the machine's.

    `scratch` is (2, n or more); `seen` (2, 2) counts the nodes visited and pruned, of the long-wide jobs and of the
    second level.
    """
    none = np.int64(0)  # a literal 0 or 1 as an argument would have the function compiled once more
    one = np.int64(1)
    if rules.bottom_line:
        for i in range(n):
            scratch[0, i] = groups[place, i]
        heuristic(jobs, told, tree, now, share, rules, scratch, n, none, groups, place)
        search(
            jobs, told, tree, now, share, capacity, rules, groups, place, none, n, rules.search,
            rules.permutations, rules.threshold, 0.0, one, seen, one,
        )  # fmt: skip
        return
    wide = none
    least = rules.wide[kind] * capacity
    for i in range(n):
        j = groups[place, i]
        if jobs.width[j] >= least and told[j] >= rules.wide_run[kind]:
            put(tree, none, jobs.width[j], told[j])
            slow = slowdown(now, share, rules.bound, jobs.submit[j], told[j], tree.time[1])
            k = wide
            while k > 0:  # by largest slowdown, then by row
                x = scratch[1, k - 1]
                put(tree, none, jobs.width[x], told[x])
                if slowdown(now, share, rules.bound, jobs.submit[x], told[x], tree.time[1]) >= slow:
                    break
                scratch[1, k] = x
                k -= 1
            scratch[1, k] = j
            wide += 1
    if wide < rules.long_wide_least:
        wide = none
    wide = min(wide, rules.long_wide_most)
    if wide > 0:
        limit = one
        for i in range(2, wide + 1):
            limit *= i
        search(
            jobs, told, tree, now, share, capacity, rules, scratch, one, none, wide,
            np.int64(DISCREPANCY), limit, none, 0.0, rules.candidates, seen, none,
        )  # fmt: skip
    rest = none
    for i in range(n):
        chosen = False
        for k in range(wide):
            if scratch[1, k] == groups[place, i]:
                chosen = True
        if not chosen:
            scratch[0, rest] = groups[place, i]
            rest += 1
    heuristic(jobs, told, tree, now, share, rules, scratch, rest, wide, groups, place)
    if not rules.second_level:
        return
    half = (n + 1) // 2 if n == rules.most[kind] else n
    begin = none
    while begin < n:
        size = min(half, n - begin)
        search(
            jobs, told, tree, now, share, capacity, rules, groups, place, begin, size, rules.search,
            rules.permutations, rules.threshold, rules.force_shift, rules.candidates, seen, one,
        )  # fmt: skip
        for i in range(size):
            j = groups[place, begin + i]
            put(tree, i, jobs.width[j], told[j])
        settle(tree, size)
        begin += size
