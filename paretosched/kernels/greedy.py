"""Greedy (papers 000 and 002) without backfilling or with EASY backfilling under the weighted order."""

import numpy as np
from numba import njit

from .running import bits_for, complete, launch, reserve
from .smallest import FAR, WIDTH, lift, lower, open_smallest, slots_for
from .tournament import BENCH, NOBODY, NODE, Tournament, close_ranks, first_backfill, open_bench, replay, reseat


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
    tree = np.empty((3, 2 * size + 2), NODE)
    if tree.ctypes.data % 64 != 0:
        tree = tree[:, 1:]
    game = Tournament(
        tree,
        np.empty((3, 2 * size), np.bool_),
        np.empty(size * BENCH, np.int64),
        np.empty(size * BENCH, np.int64),
        np.empty(256, np.int64),
        np.empty(256, np.int64),
    )
    least = np.empty((2 * size if backfill else 1, 2), np.int64)
    most_running = min(n, capacity) + 1
    heap = np.empty(most_running, np.int64)
    ends = np.empty(most_running if backfill else 1, np.int64)
    _greedy(jobs, capacity, calendar, weights, backfill, start, game, least, heap, ends)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lift_bench(game, least, leaf, top, jobs):
    """Take a job, gone from a bench, out of the tree of the smallest."""
    least_width = FAR
    least_estimate = FAR
    bench = leaf - (game.stale.shape[1] >> 1)
    for slot in range(bench * BENCH, (bench + 1) * BENCH):
        j = game.row_of[slot]
        if j >= 0:
            least_width = min(least_width, jobs.width[j])
            least_estimate = min(least_estimate, jobs.estimate[j])
    lift(least, leaf, top, least_width, least_estimate)


# Its arrays come as arguments and are never bound anew: numba then counts no references in the loop.
@njit(cache=True, nogil=True, _nrt=False)
def _greedy(jobs, capacity, calendar, weights, backfill, start, game, least, heap, ends):
    submit = jobs.submit
    estimate = jobs.estimate
    width = jobs.width
    group = jobs.group
    row_of = game.row_of
    copies = game.copies
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
                        k = row_of[slot]
                        lower(least, slot // BENCH + size, top, width[k], estimate[k])
            if used % BENCH == 0:
                for slot in range(used, used + BENCH):
                    row_of[slot] = NOBODY
                before = level
                level = open_bench(game, used // BENCH, level)
                top = size >> level
                if backfill and level > before:
                    open_smallest(least, size, level)
            slot = used
            used += 1
            row_of[slot] = j
            copies[slot] = count
            waiting += 1
            fresh += 1
            newest = slot
            leaf = slot // BENCH + size
            reseat(game, s, leaf, top, t, weights, jobs)
            if backfill:
                lower(least, leaf, top, width[j], estimate[j])

        blocked = False
        limit = np.int64(0)
        while waiting > 0:
            if not blocked:
                if game.stale[s, top] or game.tree[s, top]["expiry"] <= float(t):
                    replay(game, s, top, game.stack, t, weights, jobs)
                slot = np.int64(game.tree[s, top]["slot"])
                j = row_of[slot]
                if width[j] > free:
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
                        k = row_of[newest]
                        if fresh == 1 and (width[k] > free or (width[k] > extra and estimate[k] > limit)):
                            break
                    continue
                head = np.int64(-1)  # whoever starts as first in the order asks for no reservation
            else:
                slot = first_backfill(game, s, least, top, t, weights, jobs, free, extra, limit)
                if slot < 0:
                    break
                j = row_of[slot]
                if estimate[j] > limit:
                    extra -= width[j]
            launch(jobs, start, heap, ends, running, j, t, row_bits, width_bits)
            free -= width[j]
            running += 1
            copies[slot] -= 1
            if copies[slot] > 0:
                row_of[slot] = j + 1
                continue
            row_of[slot] = -1
            waiting -= 1
            leaf = slot // BENCH + size
            reseat(game, s, leaf, top, t, weights, jobs)
            if backfill:
                lift_bench(game, least, leaf, top, jobs)
        if waiting == 0:
            used = np.int64(0)
