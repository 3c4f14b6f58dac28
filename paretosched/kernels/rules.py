"""Rule bases (paper 001): one of thirteen strategies chosen at every scheduling pass, from the state of the system.

Every sorting but Greedy's is fixed, so the place of each job in it is known before the simulation (`places.py`). Greedy
has its tournament, whose games are only played when it is chosen. What no rule can choose is not kept.

A strategy is only asked for when it makes a difference: when somebody who waits fits, but not all of them at once.
"""

import math

import numpy as np
from numba import njit

from .places import BENCH as PLACES
from .places import Places, enter, leave, next_fitting, next_waiting
from .profile import FIRST, LAST, add, earliest
from .running import bits_for, forget, launch, pop, reserve
from .smallest import FAR, WIDTH, slots_for
from .tournament import BENCH, NOBODY, NODE, SLOT, Tournament, close_ranks, due, note, open_bench, replay

BY_WIDTH, BY_WAIT = 0, 2  # of the sortings width, estimate, wait, priority
FCFS, EASY, CONSERVATIVE = 0, 1, 2  # a strategy is 3 x sorting + algorithm
GREEDY = 12
NEAR = 7.0  # rules whose membership is less than exp(-7) of the largest are left out at first; most are


@njit(cache=True, nogil=True)
def ruled(jobs, capacity, calendar, weights, rules, order, start):
    """Fill `start` with the start times under a rule base.

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
        np.empty(2, np.int64), np.empty(features - 2, np.int64), np.empty(features), np.empty(count), np.empty(13),
    )  # fmt: skip


@njit(cache=True, nogil=True, _nrt=False)
def choose(rules, x, memberships, votes):
    """Choose a strategy for features `x`, (F,) in their own units; the other two arrays are work space.

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
        return rules.choice[place]
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
    best, lead, left_out = vote(rules.recommendations, memberships, votes, largest, largest - NEAR)
    # Each of those left out can change the difference between two strategies by ten times its membership.
    if left_out > 0 and lead <= 1e-6 + 10.0 * math.exp(-NEAR) * left_out:
        best, lead, left_out = vote(rules.recommendations, memberships, votes, largest, -np.inf)
    return best


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def vote(recommendations, memberships, votes, largest, least):
    """Add up the recommendations of all rules whose membership, in logarithms, is at least `least`.

    Returns
    -------
    best, lead, left_out
        The strategy with most votes, by how many votes more than any other, and how many rules had none.
    """
    for s in range(13):
        votes[s] = 0.0
    left_out = 0
    for r in range(memberships.size):
        if memberships[r] < least:
            left_out += 1
            continue
        membership = math.exp(memberships[r] - largest)
        for s in range(13):
            votes[s] += membership * recommendations[r, s]
    best = np.int64(0)
    lead = np.inf
    for s in range(1, 13):
        if votes[s] > votes[best]:
            lead = votes[s] - votes[best]
            best = np.int64(s)
        else:
            lead = min(lead, votes[best] - votes[s])
    return best, lead, left_out


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
    jobs, capacity, calendar, weights, rules, start, queue, game, slot_of, heap, ends, when, room, later, span, area, x,
    memberships, votes,
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
        strategy = choose(rules, x, memberships, votes)

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
        if algorithm == EASY:
            while True:
                place = next_fitting(queue, jobs, o, place + 1, free, extra, limit)
                if place < 0:
                    break
                j = np.int64(queue.row[o, place])
                if estimate[j] > limit:
                    extra -= width[j]
                begin_now(
                    jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top
                )
                running += 1
                waiting -= 1
                free -= width[j]
                wanted -= width[j]
            continue
        candidate = next_fitting(queue, jobs, o, place + 1, free, extra, limit)
        if candidate < 0:
            continue
        lay_out(ends, running, width_bits, free, t, when, room, span)
        # Everybody before a candidate has a place first, and may take the candidate's. Whoever finds none before the
        # candidate would have ended, at `horizon`, can be put off, as long as nobody is placed across the horizon.
        horizon = t + estimate[queue.row[o, candidate]]
        put_off = 0
        while True:
            alive = True
            while place < candidate:
                j = np.int64(queue.row[o, place])
                place = next_waiting(queue, o, place + 1)
                begin = earliest(when, room, span, t, horizon, FAR, width[j], estimate[j])
                if begin < horizon and begin + estimate[j] > horizon and put_off > 0:
                    put_off = put_down(jobs, later, put_off, when, room, span, horizon)
                    begin = earliest(when, room, span, t, horizon, FAR, width[j], estimate[j])
                if begin == horizon:
                    later[put_off] = j
                    put_off += 1
                    continue
                add(when, room, span, begin, begin + estimate[j], -width[j])
                j = np.int64(queue.row[o, candidate])
                if not fits_now(when, room, span, t, width[j], estimate[j]):
                    alive = False
                    break
            if alive:
                j = np.int64(queue.row[o, candidate])
                add(when, room, span, t, t + estimate[j], -width[j])
                begin_now(
                    jobs, start, heap, ends, running, j, t, row_bits, width_bits, queue, area, game, slot_of, greedy_top
                )
                running += 1
                waiting -= 1
                free -= width[j]
                wanted -= width[j]
                place = next_waiting(queue, o, place + 1)
                if place < 0:
                    break
            candidate = next_candidate(queue, jobs, o, candidate + 1, when, room, span, t)
            while candidate >= 0:
                j = np.int64(queue.row[o, candidate])
                if t + estimate[j] <= horizon:
                    break
                put_off = put_down(jobs, later, put_off, when, room, span, horizon)
                horizon = t + estimate[j]
                if fits_now(when, room, span, t, width[j], estimate[j]):
                    break
                candidate = next_candidate(queue, jobs, o, candidate + 1, when, room, span, t)
            if candidate < 0:
                break


@njit(cache=True, nogil=True, _nrt=False)
def put_down(jobs, later, count, when, room, span, horizon):
    """Give those who were put off, who find no place before `horizon`, their places in turn; give how many are left."""
    for i in range(count):
        j = np.int64(later[i])
        begin = earliest(when, room, span, horizon, FAR, FAR, jobs.width[j], jobs.estimate[j])
        add(when, room, span, begin, begin + jobs.estimate[j], -jobs.width[j])
    return 0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lay_out(ends, running, width_bits, free, t, when, room, span):
    """Make the profile of the running jobs as they are expected to end."""
    width_mask = (np.int64(1) << width_bits) - 1
    last = 1
    when[0] = t
    room[0] = free
    for i in range(running - 1, -1, -1):
        end = ends[i] >> width_bits
        if end > when[last - 1]:
            when[last] = end
            room[last] = room[last - 1]
            last += 1
        room[last - 1] += ends[i] & width_mask
    span[FIRST] = 0
    span[LAST] = last


@njit(cache=True, nogil=True, _nrt=False)
def fits_now(when, room, span, t, width, length):
    """Tell whether a job could run from t, where the profile begins."""
    for i in range(span[FIRST], span[LAST]):
        if when[i] >= t + length:
            return True
        if room[i] < width:
            return False
    return True


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
        if fits_now(when, room, span, t, jobs.width[j], jobs.estimate[j]):
            return place
        place += 1
