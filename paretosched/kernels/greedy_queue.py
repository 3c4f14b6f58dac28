"""Greedy (papers 000 and 002) without backfilling or with EASY backfilling under the weighted order."""

import numpy as np
from numba import njit

from .kinetic_queue import (
    BENCH,
    NOBODY,
    NODE,
    SLOT,
    Tournament,
    close_ranks,
    due,
    first_backfill,
    open_bench,
    replay,
    reseat,
)
from .running import bits_for, complete, launch, reserve
from .waiting_tree import FAR, WIDTH, lift, lower, open_smallest, slots_for


@njit(cache=True, nogil=True)
def greedy(jobs, capacity, calendar, weights, backfill, start):
    """Fill `start` with the start times of Greedy.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity
        Processors.
    calendar
        `Calendar`: when which situation begins.
    weights
        `Weights`.
    backfill
        False: a head that does not fit stops the pass. True: EASY's reservation for it, and whoever does not
        delay it starts, in the order of the keys.
    start
        (n,) int64, filled.
    """
    n = jobs.submit.size
    size = slots_for((n + BENCH - 1) // BENCH)
    # Only what the longest queue needs is ever touched, so that memory follows the queue and not the workload.
    # One spare node lets the pairs of children begin at a cache line.
    nodes = np.empty(3 * 2 * size + 1, NODE)
    if nodes.ctypes.data % 64 != 0:
        nodes = nodes[1:]
    slots = np.empty(size * BENCH + 1, SLOT)
    if slots.ctypes.data % 64 != 0:
        slots = slots[1:]
    game = Tournament(
        nodes[: 3 * 2 * size].reshape((3, 2 * size)),
        np.empty((3, 2 * size), np.bool_),
        slots,
        np.empty(256, np.int64),
    )
    least = np.empty((2 * size if backfill else 1, 2), np.int64)
    most_running = min(n, capacity) + 1
    heap = np.empty(most_running, np.int64)
    ends = np.empty(most_running if backfill else 1, np.int64)
    _greedy(jobs, capacity, calendar, weights, backfill, start, game, least, heap, ends)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lift_bench(game, least, leaf, top):
    """Take a job, gone from a bench, out of the tree of the smallest."""
    least_width = FAR
    least_estimate = FAR
    bench = leaf - (game.stale.shape[1] >> 1)
    for slot in range(bench * BENCH, (bench + 1) * BENCH):
        job = game.slots[slot]
        if job["row"] >= 0:
            least_width = min(least_width, np.int64(job["width"]))
            least_estimate = min(least_estimate, job["estimate"])
    lift(least, leaf, top, least_width, least_estimate)


# Its arrays come as arguments and are never bound anew: numba then counts no references in the loop.
@njit(cache=True, nogil=True, _nrt=False)
def _greedy(jobs, capacity, calendar, weights, backfill, start, game, least, heap, ends):
    submit = jobs.submit
    estimate = jobs.estimate
    width = jobs.width
    group = jobs.group
    slots = game.slots
    size = game.stale.shape[1] >> 1
    n = submit.size
    row_bits = bits_for(np.int64(n))
    width_bits = bits_for(np.int64(capacity))
    running = 0
    waiting = 0  # slots in use
    used = np.int64(0)  # slots ever used since the queue was last empty
    level = np.int64(0)
    top = size
    free = np.int64(capacity)
    arrived = 0
    era = 0
    head = np.int64(-1)  # the row for which shadow and extra hold
    shadow = np.int64(0)
    extra = np.int64(0)
    while arrived < n or waiting > 0:
        t = submit[arrived] if arrived < n else FAR
        if running > 0 and (heap[0] >> row_bits) <= t:
            t = heap[0] >> row_bits
            head = np.int64(-1)
            running, freed = complete(jobs, start, heap, ends, running, t, row_bits, width_bits)
            free += freed
        while era + 1 < calendar.begin.size and calendar.begin[era + 1] <= t:
            era += 1
        s = calendar.kind[era]

        fresh = 0
        newest = np.int64(0)
        while arrived < n and submit[arrived] == t:
            j = np.int64(arrived)
            arrived += 1
            while (
                arrived < n
                and submit[arrived] == t
                and width[arrived] == width[j]
                and estimate[arrived] == estimate[j]
                and group[arrived] == group[j]
            ):
                arrived += 1
            count = arrived - j
            if waiting == 0 and width[j] * count <= free and (arrived == n or submit[arrived] != t):
                for i in range(j, arrived):
                    launch(jobs, start, heap, ends, running, i, t, row_bits, width_bits)
                    running += 1
                free -= width[j] * count
                continue
            # Slots are given in the order of arrival and not again before most are empty: who arrives together
            # stays together, and the games that change together lie together.
            if used == 0:
                level = np.int64(-1)
                top = size
            elif used == BENCH << level and 2 * waiting <= used:
                used, level = close_ranks(game, used)
                top = size >> level
                if backfill:
                    for k in range(level + 1):
                        open_smallest(least, size, k)
                    for slot in range(used):
                        job = slots[slot]
                        lower(least, slot // BENCH + size, top, np.int64(job["width"]), job["estimate"])
            if used % BENCH == 0:
                for slot in range(used, used + BENCH):
                    slots[slot]["row"] = NOBODY
                before = level
                level = open_bench(game, used // BENCH, level)
                top = size >> level
                if backfill and level > before:
                    open_smallest(least, size, level)
            slot = used
            used += 1
            job = slots[slot]
            job["submit"] = t
            job["estimate"] = estimate[j]
            job["row"] = j
            job["copies"] = count
            job["width"] = width[j]
            job["group"] = group[j]
            waiting += 1
            fresh += 1
            newest = slot
            leaf = slot // BENCH + size
            reseat(game, s, slot, top, t, weights)
            if backfill:
                lower(least, leaf, top, width[j], estimate[j])

        blocked = False
        limit = np.int64(0)
        while waiting > 0:
            if not blocked:
                if due(game, s, top, t):
                    replay(game, s, top, t, weights)
                slot = np.int64(game.tree[s, top]["slot"])
                j = np.int64(slots[slot]["row"])
                if slots[slot]["width"] > free:
                    if not backfill or least[top, WIDTH] > free:
                        break
                    blocked = True
                    if j != head:
                        head = j
                        shadow, extra = reserve(ends, running, width_bits, free, width[j])
                        limit = shadow - t
                    else:
                        # Nothing has ended and the head is the same: whoever could not start at the last event
                        # cannot now, so that only the newcomers are to be asked.
                        limit = shadow - t
                        job = slots[newest]
                        if fresh == 1 and (job["width"] > free or (job["width"] > extra and job["estimate"] > limit)):
                            break
                    continue
                head = np.int64(-1)  # whoever starts as first in the order asks for no reservation
            else:
                slot = first_backfill(game, s, least, top, t, weights, free, extra, limit)
                if slot < 0:
                    break
                j = np.int64(slots[slot]["row"])
                if estimate[j] > limit:
                    extra -= width[j]
            launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits)
            free -= width[j]
            running += 1
            slots[slot]["copies"] -= 1
            if slots[slot]["copies"] > 0:
                slots[slot]["row"] = j + 1
                continue
            slots[slot]["row"] = NOBODY
            waiting -= 1
            leaf = slot // BENCH + size
            reseat(game, s, slot, top, t, weights)
            if backfill:
                lift_bench(game, least, leaf, top)
        if waiting == 0:
            used = np.int64(0)
