"""Rule bases (paper 001): one of thirteen strategies chosen at every scheduling pass, from the state of the system.

Every sorting but Greedy's is fixed, so the place of each job in it is known before the simulation (see
`waiting_orders.py`). Greedy
has its tournament, whose games are only played when it is chosen. What no rule can choose is not kept.

A strategy is only asked for when it makes a difference: when somebody who waits fits, but not all of them at once.
"""

import math

import numpy as np
from numba import njit

from .kinetic_queue import BENCH, NOBODY, NODE, SLOT, Tournament, close_ranks, due, note, open_bench, replay
from .profile import FIRST, LAST, add_at, earliest_at, forget_past, segment
from .running import bits_for, forget, launch, pop, reserve
from .waiting_orders import BENCH as PLACES
from .waiting_orders import Places, enter, leave, next_fitting, next_waiting
from .waiting_tree import FAR, WIDTH, slots_for

BY_WIDTH, BY_WAIT = 0, 2  # of the sortings width, estimate, wait, priority
FCFS, EASY, CONSERVATIVE = 0, 1, 2  # a strategy is 3 x sorting + algorithm
GREEDY = 12
WIDE, LONG, BEGIN = 0, 1, 2  # rows of what is remembered of those who were planned

# exp(-i / FINE), linearly interpolated below FAR_RULE: within 1e-5 of the true value, and faster than that. Rules
# further away than that are less than exp(-8) of the largest.
FAR_RULE, FINE = 8, 128
POWERS = np.exp(-np.arange(FAR_RULE * FINE + 2) / FINE)
WRONG_NEAR, WRONG_FAR = 1e-5, 3.4e-4


@njit(cache=True, nogil=True)
def ruled(jobs, capacity, calendar, weights, rules, order, start, decided):
    """Fill `start` with the start times under a rule base, and count its decisions.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    calendar, weights
        `Calendar` and `Weights` of Greedy, the thirteenth strategy.
    rules
        `Rules`.
    order
        `Sorted`, with all sortings that `rules` can choose.
    start
        (n,) int64, filled.
    decided
        int64, added to: (situations,) how often each one came up in an iterative base, (13,) how often each strategy
        was chosen by a symbiotic one.
    """
    n = jobs.submit.size
    features = rules.counts.size
    count = rules.peaks.size
    kept = np.zeros(4, np.bool_)
    kept[BY_WAIT] = True  # always, to tell who fits
    reserving = False
    planning = False
    for s in range(GREEDY):
        if rules.possible[s]:
            kept[s // 3] = True
            # nobody behind the narrowest fits if that does not
            reserving |= s % 3 != FCFS and s // 3 != BY_WIDTH
            planning |= s % 3 == CONSERVATIVE and s // 3 != BY_WIDTH
    size = slots_for((n + PLACES - 1) // PLACES)
    queue = Places(kept, order.row, order.place, np.zeros((4, size), np.int64), np.full((4, 2 * size, 2), FAR))
    benches = slots_for((n + BENCH - 1) // BENCH) if rules.possible[GREEDY] else 1
    nodes = np.empty(3 * 2 * benches + 1, NODE)
    if nodes.ctypes.data % 64 != 0:
        nodes = nodes[1:]
    slots = np.empty(benches * BENCH + 1, SLOT)
    if slots.ctypes.data % 64 != 0:
        slots = slots[1:]
    game = Tournament(
        nodes[: 3 * 2 * benches].reshape((3, 2 * benches)),
        np.empty((3, 2 * benches), np.bool_),
        slots,
        np.empty(256, np.int64),
    )
    slot_of = np.empty(n if rules.possible[GREEDY] else 1, np.int32)
    most_running = min(n, capacity) + 1
    heap = np.empty(most_running, np.int64)
    ends = np.empty(most_running if reserving else 1, np.int64)
    when = np.empty(2 * n + 16 if planning else 1, np.int64)
    room = np.empty(when.size, np.int64)
    later = np.empty(n if planning else 1, np.int32)
    _ruled(
        jobs, capacity, calendar, weights, rules, start, queue, game, slot_of, heap, ends, when, room, later,
        np.zeros((3, 64), np.int64), np.empty(2, np.int64), np.empty(features - 2, np.int64), np.empty(features),
        np.empty(count), np.empty(count), np.empty(13), decided,
    )  # fmt: skip


@njit(cache=True, nogil=True, _nrt=False)
def choose(rules, x, memberships, scaled, votes):
    """Choose a strategy for features `x`, (F,) in their own units; give it and what is counted, see `ruled`.

    The other arrays are work space.

    Iterative: the class. Symbiotic: memberships in logarithms, scaled by the largest, so that not all of them are 0;
    of equal votes the lowest number.
    """
    if rules.iterative:
        place = np.int64(0)
        for f in range(x.size):
            interval = np.int64(0)
            while interval < rules.counts[f] - 1 and x[f] > rules.bounds[f, interval]:
                interval += 1
            place = place * rules.counts[f] + interval
        return np.int64(rules.choice[place]), place
    count = memberships.size
    for r in range(count):
        memberships[r] = rules.peaks[r]
    for f in range(x.size):
        value = (x[0] - 1.0) / 99.0 if f == 0 else x[f] / 100.0
        for r in range(count):
            from_mean = (value - rules.means[f, r]) * rules.sharpness[f, r]
            memberships[r] -= from_mean * from_mean
    largest = memberships[0]
    for r in range(1, count):
        largest = max(largest, memberships[r])
    if rules.threshold > -np.inf:
        total = 0.0
        for r in range(count):
            total += math.exp(memberships[r] - largest)
        if largest + math.log(total) < rules.threshold:
            return np.int64(rules.otherwise), np.int64(rules.otherwise)
    # A rule that is wrong by d changes the difference between two strategies by ten times d.
    far = tell(rules.recommendations, memberships, largest, scaled, votes)
    best, lead = most(votes)
    if lead <= 1e-6 + 10.0 * (WRONG_NEAR * (count - far) + WRONG_FAR * far):
        for r in range(count):
            scaled[r] = math.exp(memberships[r] - largest)
        for s in range(13):
            votes[s] = 0.0
            for r in range(count):
                votes[s] += scaled[r] * rules.recommendations[s, r]
        best, lead = most(votes)
    return best, best


# Any order of additions will do here, so that the compiler may use vectors.
@njit(cache=True, nogil=True, _nrt=False, fastmath=True)
def tell(recommendations, memberships, largest, scaled, votes):
    """Add up nearly the recommendations of rules of known memberships, in logarithms; give how many are far away."""
    far = 0
    for r in range(memberships.size):
        away = largest - memberships[r]
        if away < FAR_RULE:
            at = away * FINE
            i = int(at)
            scaled[r] = POWERS[i] + (at - i) * (POWERS[i + 1] - POWERS[i])
        else:
            scaled[r] = 0.0
            far += 1
    for s in range(13):
        sum_ = 0.0
        for r in range(memberships.size):
            sum_ += scaled[r] * recommendations[s, r]
        votes[s] = sum_
    return far


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def most(votes):
    """Give the first strategy with most votes, and by how many votes it leads."""
    best = np.int64(0)
    lead = np.inf
    for s in range(1, votes.size):
        if votes[s] > votes[best]:
            lead = votes[s] - votes[best]
            best = np.int64(s)
        else:
            lead = min(lead, votes[best] - votes[s])
    return best, lead


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def begin_now(jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top):
    """Start a job that waits: take it off the queue, and off the tournament if there is one, `greedy_top` > 0."""
    launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits)
    area[jobs.group[j]] -= jobs.estimate[j] * jobs.width[j]
    leave(queue, jobs, j)
    if greedy_top > 0:
        slot = np.int64(slot_of[j])
        game.slots[slot]["row"] = NOBODY
        for s in range(3):
            note(game, s, slot, greedy_top)


# Its arrays come as arguments and are never bound anew: numba then counts no references in the loop.
@njit(cache=True, nogil=True, _nrt=False)
def _ruled(
    jobs, capacity, calendar, weights, rules, start, queue, game, slot_of, heap, ends, when, room, later, needs, span,
    area, x, memberships, scaled, votes, decided,
):  # fmt: skip
    submit = jobs.submit
    run = jobs.run
    estimate = jobs.estimate
    width = jobs.width
    group = jobs.group
    groups = area.size
    slots = game.slots
    n = submit.size
    row_bits = bits_for(np.int64(n))
    row_mask = (np.int64(1) << row_bits) - 1
    width_bits = bits_for(np.int64(capacity))
    greedy = rules.possible[GREEDY]
    benches = game.stale.shape[1] >> 1
    used = np.int64(0)  # slots of the tournament ever used since the queue was last empty
    level = np.int64(-1)
    greedy_top = np.int64(0)
    running = 0
    waiting = 0
    wanted = np.int64(0)  # processors that all who wait need together
    free = np.int64(capacity)
    arrived = 0
    era = 0
    last = np.int64(-1)  # the strategy of the last pass, if nothing has ended since
    known = 0  # rows that had arrived then
    # The plan of the last pass with CONS: whether it holds, up to which place everybody has one, and see below.
    planned = False
    handled = np.int64(-1)
    horizon = np.int64(0)
    widest = np.int64(0)
    put_off = 0
    # SD in float64, added up in the order of ends and rows, so that anybody who adds up anew in this order gets the
    # same bits; areas of the queue in int64, which bounds of `Workload` keep from overflowing.
    delayed = 0.0
    worked = 0.0
    for g in range(groups):
        area[g] = 0
    while arrived < n or waiting > 0:
        t = submit[arrived] if arrived < n else FAR
        if running > 0 and (heap[0] >> row_bits) <= t:
            t = heap[0] >> row_bits
            last = np.int64(-1)
            while running > 0 and (heap[0] >> row_bits) == t:
                j = heap[0] & row_mask
                pop(heap, running)
                if ends.size > 1:
                    forget(ends, running, ((start[j] + estimate[j]) << width_bits) | width[j])
                running -= 1
                free += width[j]
                weight = float(run[j]) * float(width[j])
                delayed += weight * float(t - submit[j])
                worked += weight * float(run[j])
        while era + 1 < calendar.begin.size and calendar.begin[era + 1] <= t:
            era += 1
        first = arrived
        while arrived < n and submit[arrived] == t:
            wanted += width[arrived]
            arrived += 1
        if wanted <= free:  # every strategy starts everybody
            while waiting > 0:
                j = next_waiting(queue, BY_WAIT, np.int64(0))  # places in this order are rows
                begin_now(
                    jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top
                )
                running += 1
                waiting -= 1
            for j in range(first, arrived):
                launch(jobs, start, heap, ends, running, np.int64(j), t, row_bits, width_bits)
                running += 1
            free -= wanted
            wanted = np.int64(0)
            used = np.int64(0)
            last = np.int64(-1)
            continue
        for i in range(first, arrived):
            j = np.int64(i)
            waiting += 1
            area[group[j]] += estimate[j] * width[j]
            enter(queue, jobs, j)
            if greedy:
                if used == 0:
                    level = np.int64(-1)
                elif used == BENCH << level and 2 * (waiting - 1) <= used:
                    used, level = close_ranks(game, used)
                    greedy_top = benches >> level
                    for slot in range(used):
                        slot_of[slots[slot]["row"]] = slot
                if used % BENCH == 0:
                    for slot in range(used, used + BENCH):
                        slots[slot]["row"] = NOBODY
                    level = open_bench(game, used // BENCH, level)
                    greedy_top = benches >> level
                job = slots[used]
                job["submit"] = t
                job["estimate"] = estimate[j]
                job["row"] = j
                job["copies"] = 1
                job["width"] = width[j]
                job["group"] = group[j]
                slot_of[j] = used
                for s in range(3):
                    note(game, s, used, greedy_top)
                used += 1
        if queue.least[BY_WAIT, 1, WIDTH] > free:
            continue  # no strategy starts anybody

        x[0] = 1.0
        if worked > 0.0:
            x[0] = min(max(delayed / worked, 1.0), 100.0)
        x[1] = 100.0 * float(capacity - free) / float(capacity)
        whole = np.int64(0)
        for g in range(groups):
            whole += area[g]
        for g in range(groups):
            x[2 + g] = 100.0 * float(area[g]) / float(whole)
        strategy, counted = choose(rules, x, memberships, scaled, votes)
        decided[counted] += 1
        again = strategy == last
        newcomers = known
        last = strategy
        known = arrived

        if strategy == GREEDY:
            s = calendar.kind[era]
            while True:  # not everybody fits, so somebody blocks at last
                if due(game, s, greedy_top, t):
                    replay(game, s, greedy_top, t, weights)
                j = np.int64(slots[game.tree[s, greedy_top]["slot"]]["row"])
                if width[j] > free:
                    break
                begin_now(
                    jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top
                )
                running += 1
                waiting -= 1
                free -= width[j]
                wanted -= width[j]
            continue
        o = strategy // 3
        algorithm = strategy % 3
        # If nothing has ended since a pass with the same strategy, whoever could not start then and comes before all
        # newcomers cannot now: the same jobs are before it, their places are the same, and less time is left.
        sooner = np.int64(0)
        if again:
            sooner = FAR
            for i in range(newcomers, arrived):
                sooner = min(sooner, np.int64(queue.place[o, i]))
        if again and planned and sooner > handled:
            forget_past(when, span, t)
            place = next_waiting(queue, o, handled + 1)
            candidate = next_candidate(queue, jobs, o, sooner, when, room, span, t)
        else:
            planned = False
            place = np.int64(-1)
            # FCFS, and who comes first under the others: not everybody fits, so somebody blocks at last
            while True:
                place = next_waiting(queue, o, place + 1)
                j = np.int64(queue.row[o, place])
                if width[j] > free:
                    break
                begin_now(
                    jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top
                )
                running += 1
                waiting -= 1
                free -= width[j]
                wanted -= width[j]
            if algorithm == FCFS or o == BY_WIDTH or queue.least[o, 1, WIDTH] > free:
                continue
            # The reservation of the head, alike under EASY and CONS.
            shadow, extra = reserve(ends, running, width_bits, free, width[j])
            limit = shadow - t
            candidate = next_fitting(queue, jobs, o, max(sooner, place + 1), free, extra, limit)
            if algorithm == EASY:
                while candidate >= 0:
                    j = np.int64(queue.row[o, candidate])
                    if estimate[j] > limit:
                        extra -= width[j]
                    begin_now(
                        jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of,
                        greedy_top,
                    )  # fmt: skip
                    running += 1
                    waiting -= 1
                    free -= width[j]
                    wanted -= width[j]
                    candidate = next_fitting(queue, jobs, o, candidate + 1, free, extra, limit)
                continue
            if candidate < 0:
                continue
            lay_out(ends, running, width_bits, free, t, when, room, span)
            planned = True
            handled = place - 1
            horizon = np.int64(t)
            put_off = 0
            needs[BEGIN] = 0
        # Everybody before a candidate has a place first, and may take the candidate's. Whoever finds none before the
        # candidate would have ended, at `horizon` or before, can be put off, as long as nobody's place lies across it.
        while candidate >= 0:
            j = np.int64(queue.row[o, candidate])
            end = t + estimate[j]
            needed = width[j]
            slack = least_before(when, room, span, end) - needed
            if end > horizon:
                put_off = put_down(jobs, later, put_off, when, room, span, needs, max(horizon, t))
                horizon = end
                widest = most_before(when, room, span, horizon)
                slack = least_before(when, room, span, end) - needed
            while slack >= 0 and place < candidate:
                j = np.int64(queue.row[o, place])
                handled = place
                place = next_waiting(queue, o, place + 1)
                begin = horizon
                if width[j] <= widest:
                    begin = max(np.int64(t), not_before(needs, width[j], estimate[j]))
                at = span[FIRST]
                if begin < horizon:
                    if begin > t:
                        at = segment(when, span, begin)
                    after = begin
                    begin, at = earliest_at(when, room, span, at, after, horizon, FAR, width[j], estimate[j])
                    if begin < horizon and begin + estimate[j] > horizon and put_off > 0:
                        put_off = put_down(jobs, later, put_off, when, room, span, needs, horizon)
                        at = segment(when, span, begin)
                        after = begin
                        begin, at = earliest_at(when, room, span, at, after, horizon, FAR, width[j], estimate[j])
                    remember(needs, width[j], estimate[j], begin)
                if begin >= horizon:
                    later[put_off] = j
                    put_off += 1
                    continue
                add_at(when, room, span, at, begin, begin + estimate[j], -width[j])
                if begin < end:
                    slack -= width[j]
                    if slack < 0:
                        slack = least_before(when, room, span, end) - needed
            if slack >= 0:
                j = np.int64(queue.row[o, candidate])
                add_at(when, room, span, span[FIRST], t, end, -needed)
                begin_now(
                    jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top
                )
                running += 1
                waiting -= 1
                free -= width[j]
                wanted -= width[j]
                handled = candidate
                place = next_waiting(queue, o, candidate + 1)
                if place < 0:
                    break
            candidate = next_candidate(queue, jobs, o, candidate + 1, when, room, span, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def most_before(when, room, span, horizon):
    """Give the most processors that are free at once before `horizon`."""
    most = np.int64(0)
    i = span[FIRST]
    while i < span[LAST] and when[i] < horizon:
        most = max(most, room[i])
        i += 1
    return most


@njit(cache=True, nogil=True, _nrt=False)
def least_before(when, room, span, end):
    """Give how many processors are free all the time until `end`."""
    least = room[span[FIRST]]
    i = span[FIRST] + 1
    while i < span[LAST] and when[i] < end:
        least = min(least, room[i])
        i += 1
    return least


@njit(cache=True, nogil=True, _nrt=False)
def put_down(jobs, later, count, when, room, span, needs, horizon):
    """Give those who were put off, who find no place before `horizon`, their places in turn; give how many are left."""
    for i in range(count):
        j = np.int64(later[i])
        width = jobs.width[j]
        estimate = jobs.estimate[j]
        after = max(horizon, not_before(needs, width, estimate))
        begin, at = earliest_at(when, room, span, segment(when, span, after), after, FAR, FAR, width, estimate)
        add_at(when, room, span, at, begin, begin + estimate, -width)
        remember(needs, width, estimate, begin)
    return 0


# Whoever needs no less than somebody who was planned before comes no sooner. The last one of each size is remembered,
# where widths of as many bits are of one size; `needs` has a column for each.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def not_before(needs, width, estimate):
    """Give a time before which a job cannot begin, 0 if none is known."""
    begin = np.int64(0)
    size = 0
    while width >> size > 0:
        if needs[BEGIN, size] > begin and needs[WIDE, size] <= width and needs[LONG, size] <= estimate:
            begin = needs[BEGIN, size]
        size += 1
    return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def remember(needs, width, estimate, begin):
    """Remember that a job was not planned to begin any sooner."""
    size = 0
    while width >> (size + 1) > 0:
        size += 1
    needs[WIDE, size] = width
    needs[LONG, size] = estimate
    needs[BEGIN, size] = begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lay_out(ends, running, width_bits, free, t, when, room, span):
    """Make the profile of the running jobs as they are expected to end."""
    width_mask = (np.int64(1) << width_bits) - 1
    first = when.size // 2  # a change then moves the shorter side
    last = first + 1
    when[first] = t
    room[first] = free
    for i in range(running - 1, -1, -1):
        end = ends[i] >> width_bits
        if end > when[last - 1]:
            when[last] = end
            room[last] = room[last - 1]
            last += 1
        room[last - 1] += ends[i] & width_mask
    span[FIRST] = first
    span[LAST] = last


@njit(cache=True, nogil=True, _nrt=False)
def next_candidate(queue, jobs, o, place, when, room, span, t):
    """Find the first job of order o from a place on that could run from t as the profile is; -1 if there is none."""
    first = span[FIRST]
    free = room[first]
    # Whoever could run must be short enough to end before a drop, or narrow enough to fit there: this holds for
    # every drop, and the tree can ask for one. The first that leaves too little for anybody excludes most; else the
    # deepest.
    extra = free
    limit = FAR
    for i in range(first + 1, span[LAST]):
        if room[i] < extra:
            extra = room[i]
            limit = when[i] - t
            if extra < queue.least[o, 1, WIDTH]:
                break
    while True:
        place = next_fitting(queue, jobs, o, place, free, extra, limit)
        if place < 0:
            return place
        j = queue.row[o, place]
        if least_before(when, room, span, t + jobs.estimate[j]) >= jobs.width[j]:
            return place
        place += 1
