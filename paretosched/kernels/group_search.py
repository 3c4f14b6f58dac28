"""The search for an order of a group of waiting jobs (paper 004, sections 6.4 and 6.5).

The virtual machine keeps its state after every job of the last order, so that the next order is scheduled only from
the first different job on, and a pruned beginning prunes all orders that share it. Of orders with equal total
slowdowns the earlier one stays.

Permutations are written as Lehmer digits: digit i is the number of the next job among those not chosen yet, 0 for the
job that the heuristic prefers. A discrepancy is a digit other than 0.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .virtual_schedule import Moment, Tree, metric, put, response, settle, slowdown

DISCREPANCY, LDS, DDS = 0, 1, 2


class Effort(NamedTuple):
    """The parameters of one search.

    Attributes
    ----------
    way
        DISCREPANCY, LDS or DDS.
    limit
        Greatest number of orders that are tried.
    threshold
        Orders with fewer discrepancies are not tried, except the first.
    ratio
        `shift` moves a job into a hole if it runs for at most `ratio` times the hole; 0: no shifts.
    candidates
        The number of best orders from which one is chosen.
    """

    way: Int
    limit: Int
    threshold: Int
    ratio: float
    candidates: Int


@njit(cache=True, nogil=True, _nrt=False)
def heuristic(moment: Moment, tree: Tree, rows: Ints, n: Int, beside: Int, groups: Ints, place: Int) -> None:
    """Order jobs by largest slowdown first.

    For every place the slowdowns are computed anew, as if each job came next; ties by row.

    Parameters
    ----------
    moment
        The moment of planning.
    tree
        With the machine's state; modified in place.
    rows
        (2, N or more) int64: rows[0, :n] are jobs to choose from, and are overwritten; rows[1, :fixed] are jobs that
        keep their order.
    n, beside
        The numbers of these jobs.
    groups, place
        (classes, N or more) int64: groups[place, :n + fixed] is filled in place.
    """
    jobs = moment.jobs
    belief = moment.belief
    left = n
    place_beside = 0
    for d in range(n + beside):
        slowest = np.int64(-1)
        at: Int = np.int64(-1)
        most = 0.0
        for i in range(left + (1 if place_beside < beside else 0)):
            j = rows[0, i] if i < left else rows[1, place_beside]
            put(tree, d, jobs.width[j], belief[j])
            slow = slowdown(moment, j, tree.time[d + 1])
            if slowest < 0 or slow > most or (slow == most and j < slowest):
                slowest = j
                most = slow
                at = i
        if at < left:
            left -= 1
            for i in range(at, left):
                rows[0, i] = rows[0, i + 1]
        else:
            place_beside += 1
        groups[place, d] = slowest
        put(tree, d, jobs.width[slowest], belief[slowest])


@njit(cache=True, nogil=True, _nrt=False)
def advance(digits: Ints, n: Int, search: Int) -> bool:
    """Change the Lehmer digits to the next permutation of a search.

    Parameters
    ----------
    digits
        (n or more,) int64, modified in place; all are 0 at first.
    n
        The number of digits, at least 1.
    search
        DISCREPANCY, LDS or DDS.

    Returns
    -------
    bool
        Whether there is a next permutation.
    """
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
            here = 1 if digits[place] > 0 else 0
            rest = after + here - 1  # discrepancies to put to its right if it grows
            if digits[place] < n - 1 - place and 0 <= rest <= n - 2 - place:
                digits[place] += 1
                for i in range(place + 1, n):
                    digits[i] = 1 if n - 1 - rest <= i < n - 1 else 0
                return True
            after += here
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
def offer(tree: Tree, n: Int, order: Ints, total: Int, count: Int, candidates: Int) -> tuple[Int, bool]:
    """Keep an order if it is among the best.

    Parameters
    ----------
    tree
        `best` and `totals` are modified in place.
    n
        The number of jobs.
    order
        (n or more,) int64, rows.
    total
        The slowdown of the order.
    count, candidates
        The number of orders among the best, and the greatest number.

    Returns
    -------
    count, better
        The number of orders among the best afterwards, and whether this order is one of them.
    """
    if count == candidates and total >= tree.totals[count - 1]:
        return count, False
    for c in range(count):
        equal = tree.totals[c] == total
        for i in range(n):
            if tree.best[c, i] != order[i]:
                equal = False
                break
        if equal:
            return count, False
    place = count if count < candidates else candidates - 1
    while place > 0 and tree.totals[place - 1] > total:
        tree.totals[place] = tree.totals[place - 1]
        for i in range(n):
            tree.best[place, i] = tree.best[place - 1, i]
        place -= 1
    tree.totals[place] = total
    for i in range(n):
        tree.best[place, i] = order[i]
    return min(count + 1, candidates), True


@njit(cache=True, nogil=True, _nrt=False)
def shift(moment: Moment, tree: Tree, n: Int, ratio: float) -> bool:
    """Move jobs of `order` into holes for which they are not much too long (6.5), into `other`.

    If the next job must wait, the first job behind it that fits there now, and runs for at most `ratio` times the
    wait, goes in front of it; each job once.

    Parameters
    ----------
    moment
        The moment of planning.
    tree
        Modified in place: `other`, `moved`, and the states after 1..n jobs, which are those of `other`.
    n
        The number of jobs.
    ratio
        Above 0.

    Returns
    -------
    bool
        Whether `other` differs from `order`.
    """
    jobs = moment.jobs
    belief = moment.belief
    changed = False
    for i in range(n):
        tree.other[i] = tree.order[i]
        tree.moved[i] = False
    for k in range(n):
        j = tree.other[k]
        put(tree, k, jobs.width[j], belief[j])
        hole = tree.time[k + 1] - tree.time[k]
        if hole > 0:
            for q in range(k + 1, n):
                x = tree.other[q]
                if (
                    not tree.moved[q]
                    and jobs.width[x] <= tree.free[k]
                    and np.float64(belief[x]) <= ratio * np.float64(hole)
                ):
                    for i in range(q, k, -1):
                        tree.other[i] = tree.other[i - 1]
                        tree.moved[i] = tree.moved[i - 1]
                    tree.other[k] = x
                    tree.moved[k] = True
                    changed = True
                    put(tree, k, jobs.width[x], belief[x])
                    break
    return changed


@njit(cache=True, nogil=True, _nrt=False)
def choose(moment: Moment, tree: Tree, n: Int, count: Int) -> Int:
    """Return the place of an order in `best` (section 6.4.4, with a correct sign of the makespan).

    Parameters
    ----------
    moment
        The moment of planning.
    tree
        With `best`; the states after 1..n jobs are overwritten.
    n, count
        The number of jobs, and of orders in `best`, at least 1.

    Returns
    -------
    int
        The place of the order in `best`.
    """
    jobs = moment.jobs
    rules = moment.rules
    current = np.int64(-1)
    makespan = 0.0
    use = 0.0
    mean = 0.0
    for c in range(count - 1, -1, -1):
        last = np.int64(0)
        work = np.int64(0)
        own_mean = 0.0
        for i in range(n):
            j = tree.best[c, i]
            belief = moment.belief[j]
            put(tree, i, jobs.width[j], belief)
            last = max(last, tree.time[i + 1] + belief)
            work += belief * jobs.width[j]
            own_mean += response(moment, j, tree.time[i + 1])
        own_makespan = np.float64(last - moment.now)
        own_use = np.float64(work) / (np.float64(moment.capacity) * own_makespan)
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
def lay_out(tree: Tree, rows: Ints, row: Int, begin: Int, n: Int, anew: bool) -> tuple[Int, Int]:
    """Write the order of the Lehmer digits into `order`.

    Parameters
    ----------
    tree
        With `digits`; modified in place: `order`, `other` (places of its jobs in the first order), `places`, `moved`.
    rows, row, begin, n
        (2, N or more) int64, not changed: rows[row, begin:begin + n] is the first order.
    anew
        True if `order` does not hold the last order of this search.

    Returns
    -------
    first, count
        The first place that differs from the last order, n if there is none, and the number of discrepancies.
    """
    count = 0
    first = n
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
        if anew or tree.order[i] != j:
            first = min(first, i)
            tree.order[i] = j
            tree.moved[i] = False
        tree.other[i] = place
    return first, count


@njit(cache=True, nogil=True, _nrt=False)
def search(
    moment: Moment, tree: Tree, rows: Ints, row: Int, begin: Int, n: Int, effort: Effort, visits: Ints, level: Int
) -> None:
    """Put rows[row, begin:begin + n] into a better order.

    Parameters
    ----------
    moment
        The moment of planning.
    tree
        State 0 is the machine's; everything else is overwritten.
    rows, row, begin, n
        (..., begin + n or more) int64; the order of these jobs is modified in place.
    effort
        The parameters of the search.
    visits, level
        (2, 2) int64; the numbers of nodes visited and pruned are added to visits[level] in place.
    """
    jobs = moment.jobs
    belief = moment.belief
    candidates = effort.candidates
    everything = np.int64(0)
    for i in range(n):
        j = rows[row, begin + i]
        put(tree, np.int64(0), jobs.width[j], belief[j])
        tree.least[i] = metric(moment, j, tree.time[1])
        everything += tree.least[i]
        tree.digits[i] = 0
    tree.total[0] = 0
    size: Int = np.int64(0)  # of `best`
    rounds = 0
    valid: Int = 0  # the states after the first `valid` jobs of the order hold
    reach: Int = 0  # without pruning, those after the first `reach` jobs would hold
    cut: Int = n  # the first cut + 1 jobs are too slow together
    more = True
    while more and rounds < effort.limit:
        first, count = lay_out(tree, rows, row, begin, n, rounds == 0)
        valid = min(valid, first)
        reach = min(reach, first)
        if first <= cut:
            cut = n
        rounds += 1
        if rounds > 1 and count < effort.threshold:
            more = advance(tree.digits, n, effort.way)
            continue
        if cut < n:
            visits[level, 1] += n - reach
            reach = n
            more = advance(tree.digits, n, effort.way)
            continue
        reach = n
        rest = everything
        for i in range(valid):
            rest -= tree.least[tree.other[i]]
        for i in range(valid, n):
            j = tree.order[i]
            put(tree, i, jobs.width[j], belief[j])
            tree.total[i + 1] = tree.total[i] + metric(moment, j, tree.time[i + 1])
            rest -= tree.least[tree.other[i]]
            valid = i + 1
            visits[level, 0] += 1
            if moment.rules.pruning and size == candidates and tree.total[i + 1] + rest >= tree.totals[size - 1]:
                visits[level, 1] += n - 1 - i
                cut = i
                break
        if valid == n and cut == n:
            size, better = offer(tree, n, tree.order, tree.total[n], size, candidates)
            if better and effort.ratio > 0.0 and shift(moment, tree, n, effort.ratio):
                total = np.int64(0)
                for i in range(n):
                    total += metric(moment, tree.other[i], tree.time[i + 1])
                visits[level, 0] += n
                size, _ = offer(tree, n, tree.other, total, size, candidates)
                valid = reach = 0  # the states were overwritten
        more = advance(tree.digits, n, effort.way)
    best = choose(moment, tree, n, size)
    for i in range(n):
        rows[row, begin + i] = tree.best[best, i]


@njit(cache=True, nogil=True, _nrt=False)
def choose_wide(moment: Moment, tree: Tree, kind: Int, rows: Ints, n: Int, wide: Ints) -> Int:
    """Choose the long and wide jobs of a group, sorted by largest slowdown if they come first, then by row.

    Parameters
    ----------
    moment
        The moment of planning.
    tree
        State 0 is the machine's; state 1 is overwritten.
    kind
        The class: 0 medium, 1 long.
    rows, n
        rows[:n] are the jobs, int64, in the order of submission.
    wide
        (n or more,) int64, filled in place.

    Returns
    -------
    int
        The number of these jobs; 0 if there are less than the least number, and never more than the greatest.
    """
    jobs = moment.jobs
    belief = moment.belief
    rules = moment.rules
    first = np.int64(0)  # with a literal 0 or 1 as an argument, numba would compile the function once more
    count = np.int64(0)
    least = rules.wide[kind] * moment.capacity
    for i in range(n):
        j = rows[i]
        if jobs.width[j] >= least and belief[j] >= rules.wide_run[kind]:
            put(tree, first, jobs.width[j], belief[j])
            slow = slowdown(moment, j, tree.time[1])
            k = count
            while k > 0:
                x = wide[k - 1]
                put(tree, first, jobs.width[x], belief[x])
                if slowdown(moment, x, tree.time[1]) >= slow:
                    break
                wide[k] = x
                k -= 1
            wide[k] = j
            count += 1
    if count < rules.long_wide_least:
        return first
    return min(count, np.int64(rules.long_wide_most))


@njit(cache=True, nogil=True, _nrt=False)
def plan(moment: Moment, tree: Tree, kind: Int, groups: Ints, place: Int, n: Int, scratch: Ints, visits: Ints) -> None:
    """Put a group, groups[place, :n] in the order of submission, into a better order (Figure 11).

    Parameters
    ----------
    moment
        The moment of planning.
    tree
        State 0 is the machine's; modified in place.
    kind
        The class: 0 medium, 1 long.
    groups, place, n
        (classes, n or more) int64, modified in place.
    scratch
        (2, n or more) int64, work space.
    visits
        (2, 2) int64, increased in place: the nodes visited and pruned, of the long-wide jobs and of the second level.
    """
    jobs = moment.jobs
    belief = moment.belief
    rules = moment.rules
    none = np.int64(0)  # with a literal 0 or 1 as an argument, numba would compile the function once more
    one = np.int64(1)
    if rules.bottom_line:
        for i in range(n):
            scratch[0, i] = groups[place, i]
        heuristic(moment, tree, scratch, n, none, groups, place)
        effort = Effort(rules.search, rules.permutations, rules.threshold, 0.0, one)
        search(moment, tree, groups, place, none, n, effort, visits, one)
        return
    wide = choose_wide(moment, tree, kind, groups[place], n, scratch[1])
    if wide > 0:
        limit = one
        for i in range(2, wide + 1):
            limit *= i
        effort = Effort(np.int64(DISCREPANCY), limit, none, 0.0, rules.candidates)
        search(moment, tree, scratch, one, none, wide, effort, visits, none)
    rest = none
    for i in range(n):
        has_plan = False
        for k in range(wide):
            if scratch[1, k] == groups[place, i]:
                has_plan = True
        if not has_plan:
            scratch[0, rest] = groups[place, i]
            rest += 1
    heuristic(moment, tree, scratch, rest, wide, groups, place)
    if not rules.second_level:
        return
    half = (n + 1) // 2 if n == rules.most[kind] else n
    effort = Effort(rules.search, rules.permutations, rules.threshold, rules.force_shift, rules.candidates)
    begin = none
    while begin < n:
        size = min(half, n - begin)
        search(moment, tree, groups, place, begin, size, effort, visits, one)
        for i in range(size):
            j = groups[place, begin + i]
            put(tree, i, jobs.width[j], belief[j])
        settle(tree, size)
        begin += size
