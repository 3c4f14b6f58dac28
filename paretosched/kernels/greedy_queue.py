"""Greedy (papers 000 and 002) without backfilling, or with EASY backfilling in the weighted order."""

import numpy as np

from ..core.arrays import Int, Ints
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .inputs import Jobs, Weights
from .keys import after_equals, line_at, roundings, settle
from .kinetic_queue import (
    BENCH,
    EMPTY,
    Tournament,
    close_ranks,
    due,
    fill_slot,
    new_tournament,
    open_bench,
    replay,
    reseat,
    smallest_of,
)
from .lines import Lines
from .running import Running, complete, launch, reserve, running_jobs
from .slot_runs import SLOW, Runs, forget_runs, no_runs, sort_slots
from .waiting_tree import WIDTH, lift, lower, open_smallest


def greedy(jobs: Jobs, capacity: Int, calendar: Calendar, weights: Weights, backfill: bool, start: Ints) -> None:
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
        False: a head that does not fit ends the pass. True: the head gets EASY's reservation, and jobs that do not
        delay it start, in the order of the keys.
    start
        (n,) int64, s, filled in place.
    """
    game = new_tournament(jobs.submit.size)
    least = np.empty((game.stale.shape[1] if backfill else 1, 2), np.int64)
    runs = no_runs(game.slots.size if backfill else 1)
    in_order(jobs, capacity, calendar, weights, backfill, running_jobs(start, capacity, backfill), game, least, runs)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def lift_bench(game: Tournament, least: Ints, leaf: Int, top: Int) -> None:
    """Update the tree of the smallest after a job has left a bench.

    Parameters
    ----------
    game
        The jobs that still wait.
    least
        (2 * size, 2) int64, modified in place.
    leaf, top
        Nodes: the bench, and the root in use.
    """
    width, estimate = smallest_of(game, leaf - (game.stale.shape[1] >> 1))
    lift(least, leaf, top, width, estimate)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_slot(
    game: Tournament, least: Ints, runs: Runs, backfill: bool, last: Int, waiting: Int, level: Int
) -> tuple[Int, Int]:
    """Return an empty slot behind all others, and the level of the trees that have room for it.

    Slots are used in the order of arrival, and again only when most are empty: jobs that arrive together stay
    together, and so do the games that change together.

    Parameters
    ----------
    game
        Modified in place.
    least, backfill
        (2 * size, 2) int64, the tree of the smallest over the benches, modified in place if `backfill`.
    runs
        `Runs`, modified in place.
    last, waiting
        Slots used since the queue was last empty, and slots with waiting jobs.
    level
        The level of the trees up to now.
    """
    slots = game.slots
    size = game.stale.shape[1] >> 1
    if last == 0:
        level = -1
        forget_runs(runs)
    elif last == BENCH << level and 2 * waiting <= last:
        last, level = close_ranks(game, last)
        forget_runs(runs)
        if backfill:
            for k in range(level + 1):
                open_smallest(least, size, k)
            for slot in range(last):
                job = slots[slot]
                lower(least, slot // BENCH + size, size >> level, np.int64(job["width"]), job["estimate"])
    if last % BENCH == 0:
        for slot in range(last, last + BENCH):
            slots[slot]["row"] = EMPTY
        before = level
        level = open_bench(game, last // BENCH, level)
        if backfill and level > before:
            open_smallest(least, size, level)
    return last, level


# The arrays come as arguments and are never bound again, so that numba counts no references in the loop.
@njit(cache=True, nogil=True, _nrt=False)
def in_order(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    weights: Weights | Lines,
    backfill: bool,
    now: Running,
    game: Tournament,
    least: Ints,
    runs: Runs,
) -> None:
    """Do the work of `greedy`, for keys of any kind, without allocating memory.

    Parameters
    ----------
    jobs, capacity, calendar, weights, backfill
        As for `greedy`.
    now
        `Running`, modified in place: `start` is filled.
    game, runs
        `Tournament` and `Runs`, modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest over the benches, modified in place; (1, 2) without backfilling.
    """
    estimate = jobs.estimate
    width = jobs.width
    slots = game.slots
    size = game.stale.shape[1] >> 1
    n = jobs.submit.size
    running: Int = 0
    waiting: Int = 0  # slots in use
    past: Int = 0  # slots used since the queue was last empty
    level: Int = np.int64(0)
    top: Int = size
    free: Int = capacity
    arrivals: Int = 0
    era: Int = 0
    head: Int = -1  # the row for which shadow and extra hold
    shadow: Int = 0
    extra: Int = np.int64(0)
    while arrivals < n or waiting > 0:
        t = next_event(jobs, arrivals, now, running)
        running, more = complete(jobs, now, running, t)
        if more > 0:
            head = -1
            free += more
        era = era_at(calendar, era, t)
        s = calendar.kind[era]

        fresh = 0
        newest: Int = 0
        while arrivals < n and jobs.submit[arrivals] == t:
            j: Int = arrivals
            arrivals = after_equals(jobs, j, weights)
            count = arrivals - j
            if waiting == 0 and width[j] * count <= free and (arrivals == n or jobs.submit[arrivals] != t):
                for i in range(j, arrivals):
                    launch(jobs, now, running, i, t)
                    running += 1
                free -= width[j] * count
                continue
            newest, level = next_slot(game, least, runs, backfill, past, waiting, level)
            top = size >> level
            past = newest + 1
            fill_slot(game, newest, jobs, j, count)
            waiting += 1
            fresh += 1
            reseat(game, s, newest, top, t, weights)
            if backfill:
                lower(least, newest // BENCH + size, top, width[j], estimate[j])

        blocked = is_slow = False
        limit: Int = np.int64(0)
        while waiting > 0:
            if not blocked:
                if due(game, s, top, t):
                    replay(game, s, top, t, weights)
                slot: Int = np.int64(game.tree[s, top]["slot"])
                j = np.int64(slots[slot]["row"])
                if slots[slot]["width"] > free:
                    if not backfill or least[top, WIDTH] > free:
                        break
                    blocked = True
                    if j != head:
                        head = j
                        shadow, extra = reserve(now.ends, running, now.width_bits, free, width[j])
                        limit = shadow - t
                    else:
                        # No job has ended and the head is the same: a job that could not start at the last event
                        # cannot start now, so that only new jobs must be tried.
                        limit = shadow - t
                        job = slots[newest]
                        if fresh == 1 and (job["width"] > free or (job["width"] > extra and job["estimate"] > limit)):
                            break
                    continue
                head = -1  # the first job in the order starts: it needs no reservation
            else:
                slot, visited = first_backfill(game, s, least, top, t, weights, free, extra, limit)
                is_slow = is_slow or bool(visited > SLOW)
                if slot < 0:
                    break
                j = np.int64(slots[slot]["row"])
                if estimate[j] > limit:
                    extra -= width[j]
            launch(jobs, now, running, j, t)
            free -= width[j]
            running += 1
            slots[slot]["copies"] -= 1
            if slots[slot]["copies"] > 0:
                slots[slot]["row"] = j + 1
                continue
            slots[slot]["row"] = EMPTY
            waiting -= 1
            reseat(game, s, slot, top, t, weights)
            if backfill:
                lift_bench(game, least, slot // BENCH + size, top)
        if waiting == 0:
            past = 0
        elif is_slow:
            _, past = sort_slots(game, least, runs, past, top)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def ahead(
    game: Tournament,
    s: Int,
    slot: Int,
    alpha: float,
    beta: float,
    best: Int,
    best_alpha: float,
    best_beta: float,
    t: Int,
    weights: Weights | Lines,
) -> bool:
    """Return whether the job in `slot` comes before the job in slot `best` in second t of situation s.

    Their lines are alpha + beta * t and best_alpha + best_beta * t. `game` has the jobs of the slots; `weights` decides
    between lines that are too near to each other. Nothing is modified.
    """
    lead = (alpha - best_alpha) + (beta - best_beta) * float(t)
    largest = abs(alpha) + abs(best_alpha) + (beta + best_beta) * weights.horizon
    rounding, floor = roundings(weights)
    if abs(lead) - floor > rounding * largest:
        return lead > 0.0
    first, _ = settle(game.slots, np.int64(slot), best, s, t, weights)
    return first


@njit(cache=True, nogil=True, _nrt=False)
def first_backfill(
    game: Tournament, s: Int, least: Ints, top: Int, t: Int, weights: Weights | Lines, free: Int, extra: Int, limit: Int
) -> tuple[Int, Int]:
    """Return the slot of the first job that may start beside EASY's reservation, -1 if none, and the nodes visited.

    Such a job needs at most `free` processors, and either at most `extra` or an estimate of at most `limit` seconds.
    Subtrees are skipped if no job in them is small or short enough, or if even their winner comes after the best job
    so far.

    Parameters
    ----------
    game
        Modified in place: games that are due are played.
    s, t
        Situation, 0..2, and second.
    least
        (2 * size, 2) int64, the tree of the smallest over the benches.
    top
        The root of the trees in use.
    weights
        `Weights`.
    free, extra, limit
        Processors, processors, and s, see above.
    """
    size = game.stale.shape[1] >> 1
    stack = game.stack
    best: Int = np.int64(-1)
    best_alpha = 0.0
    best_beta = 0.0
    stack[0] = top
    depth = 1
    visited: Int = 0
    while depth > 0:
        depth -= 1
        node = stack[depth]
        visited += 1
        if least[node, 0] > free or (least[node, 0] > extra and least[node, 1] > limit):
            continue
        if due(game, s, node, t):
            replay(game, s, node, t, weights)
        slot: Int = np.int64(game.tree[s, node]["slot"])
        job = game.slots[slot]
        alpha = game.tree[s, node]["alpha"]
        beta = game.tree[s, node]["beta"]
        if best >= 0 and not ahead(game, s, slot, alpha, beta, best, best_alpha, best_beta, t, weights):
            continue
        if job["width"] <= free and (job["width"] <= extra or job["estimate"] <= limit):
            best = slot
            best_alpha = alpha
            best_beta = beta
        elif node < size:
            left = 2 * node
            if game.tree[s, left]["slot"] == game.tree[s, node]["slot"]:  # the better half is tried first
                stack[depth] = left + 1
                stack[depth + 1] = left
            else:
                stack[depth] = left
                stack[depth + 1] = left + 1
            depth += 2
        else:
            for slot in range((node - size) * BENCH, (node - size + 1) * BENCH):
                other = game.slots[slot]
                if other["row"] < 0 or other["width"] > free or (other["width"] > extra and other["estimate"] > limit):
                    continue
                alpha, beta = line_at(s, other, weights)
                if best < 0 or ahead(game, s, slot, alpha, beta, best, best_alpha, best_beta, t, weights):
                    best = np.int64(slot)
                    best_alpha = alpha
                    best_beta = beta
    return best, visited
