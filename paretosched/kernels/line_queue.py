"""Orders that are lines in the wait, with any backfilling: the queue is not sorted, and few of its jobs are looked at.

With many reservations, most of the queue is looked at in most passes: see `line_plan.py`.

The waiting jobs are in the slots of `kinetic_queue`, in the order of arrival. One tournament has the order of the
queue, and a second one over the same slots the order in which jobs are backfilled, if that is another one. A pass has
the three steps of `priority`: the first jobs start while they fit; then jobs get reservations; then the others start
beside them.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Order
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .greedy_queue import ahead, in_order, lift_bench, next_slot
from .inputs import Backfilling, Jobs, ints
from .keys import line_at
from .kinetic_queue import (
    BENCH,
    EMPTY,
    Tournament,
    due,
    fill_slot,
    new_tournament,
    open_bench,
    plant,
    replay,
    reseat,
)
from .line_plan import in_planned_lines
from .lines import Lines, after_alike
from .profile import FIRST, LAST, add, earliest
from .running import Profile, Running, complete, launch, lay_out, no_profile, running_jobs
from .slot_runs import SLOW, Runs, no_runs, replant, sort_slots
from .waiting_tree import FAR, WIDTH, lower

NONE_YET = -1
NOTHING = -2  # no job can start in this pass any more, and none gets its first place
FEW = 32  # reservations; with more, it costs less to keep the whole queue sorted


class Queue(NamedTuple):
    """The waiting jobs and what is known of them.

    Attributes
    ----------
    game, tried
        `Tournament`: the order of the queue, and that of backfilling; the same one if the orders are.
    least
        (2 * size, 2) int64, the tree of the smallest over the benches.
    claims
        (2 * size,) int32, a tree over the benches: jobs that may get a reservation and have none.
    held
        (slots,) int32, how many of the first copies in a slot have a reservation in this pass.
    holders
        (n,) int64, work space: the slots of the reservations of a pass.
    latest
        (n,) int64, s, the latest start of each job, NONE_YET before its first place; (1,) if there is no slack.
    profile
        `Profile`: running jobs and reservations.
    stairs
        (m, 2) int64: how long, s, and how many processors are free from now on; the longer, the fewer.
    runs
        `Runs`: which slots are sorted.
    """

    game: Tournament
    tried: Tournament
    least: Ints
    claims: Order
    held: Order
    holders: Ints
    latest: Ints
    profile: Profile
    stairs: Ints
    runs: Runs


def in_order_of_lines(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Lines,
    candidates: Lines,
    backfilling: Backfilling,
    start: Ints,
) -> None:
    """Fill `start` with the start times of an order of lines with a backfilling.

    Parameters
    ----------
    jobs, capacity, calendar
        `Jobs`, processors, and `Calendar`.
    order, candidates
        `Lines`, the keys of the queue and of the jobs that are backfilled.
    backfilling
        `Backfilling`.
    start
        (n,) int64, s, filled in place.
    """
    if backfilling.reservations > FEW and backfilling.slack == 0:
        in_planned_lines(jobs, capacity, calendar, order, candidates, backfilling, start)
        return
    n = jobs.submit.size
    game = new_tournament(n)
    nodes = game.stale.shape[1]
    if is_simple(backfilling):
        backfill = backfilling.reservations == 1
        least = ints(nodes if backfill else 1, 2)
        runs = no_runs(game.slots.size if backfill else 1)
        in_order(jobs, capacity, calendar, order, backfill, running_jobs(start, capacity, backfill), game, least, runs)
        return
    other = new_tournament(1 if backfilling.same else n)
    tried = game if backfilling.same else Tournament(other.tree, other.stale, game.slots, other.stack)
    most = min(n, backfilling.reservations)
    queue = Queue(
        game,
        tried,
        ints(nodes, 2),
        np.zeros(nodes, np.int32),
        np.zeros(game.slots.size, np.int32),
        ints(most),
        np.full(n if backfilling.slack > 0 else 1, NONE_YET),
        no_profile(2 * n + 16),
        ints(most + 2, 2),
        no_runs(game.slots.size),
    )
    now = running_jobs(start, capacity, True)
    in_tournaments(jobs, capacity, calendar, order, candidates, backfilling, now, queue)


def is_simple(backfilling: Backfilling) -> bool:
    """Return whether a backfilling is none, or EASY's in the order of the queue."""
    if backfilling.reservations == 0:
        return True
    plain = backfilling.same and backfilling.slack == 0 and not backfilling.named.any()
    return plain and backfilling.reservations == 1 and bool(backfilling.entitled.all())


# The arrays come as arguments and are never bound again, so that numba counts no references in the loop.
@njit(cache=True, nogil=True, _nrt=False)
def in_tournaments(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Lines,
    candidates: Lines,
    backfilling: Backfilling,
    now: Running,
    queue: Queue,
) -> None:
    """Do the work of `in_order_of_lines` without allocating memory.

    Parameters
    ----------
    jobs, capacity, calendar, order, candidates, backfilling
        As for `in_order_of_lines`.
    now
        `Running`, modified in place: `start` is filled.
    queue
        `Queue`, modified in place.
    """
    game = queue.game
    slots = game.slots
    size = game.stale.shape[1] >> 1
    n = jobs.submit.size
    running: Int = 0
    waiting: Int = np.int64(0)  # slots in use
    named: Int = 0  # jobs of the named groups that wait
    fresh: Int = np.int64(0)  # jobs that wait and may get a first place, if there is slack
    used: Int = np.int64(0)  # slots used since the queue was last empty
    level: Int = np.int64(0)
    top: Int = size
    free: Int = capacity
    arrived: Int = np.int64(0)
    era: Int = 0
    while arrived < n or waiting > 0:
        t = next_event(jobs, arrived, now, running)
        running, freed = complete(jobs, now, running, t)
        free += freed
        era = era_at(calendar, era, t)
        s = calendar.kind[era]
        while arrived < n and jobs.submit[arrived] == t:
            j: Int = arrived
            arrived = min(after_alike(j, order), after_alike(j, candidates))  # jobs of a slot are alike for both
            count = arrived - j
            if waiting == 0 and jobs.width[j] * count <= free and (arrived == n or jobs.submit[arrived] != t):
                for i in range(j, arrived):
                    launch(jobs, now, running, i, t)
                    running += 1
                free -= jobs.width[j] * count
                continue
            newest, level = seat_arrival(jobs, queue, backfilling, used, waiting, level, j, count)
            top = size >> level
            used = newest + 1
            waiting += 1
            if backfilling.named[jobs.group[j]]:
                named += count
            if backfilling.slack > 0 and backfilling.entitled[jobs.group[j]]:
                fresh += count
            reseat(game, s, newest, top, t, order)
            if not backfilling.same:
                reseat(queue.tried, s, newest, top, t, candidates)

        step: Int = 1
        held: Int = np.int64(0)
        limited = False
        is_slow = False
        while waiting > 0:
            slot: Int = np.int64(EMPTY)
            if step == 1:
                if due(game, s, top, t):
                    replay(game, s, top, t, order)
                slot = np.int64(game.tree[s, top]["slot"])
                if slots[slot]["width"] > free:
                    step = 2
            if step > 1 and queue.least[top, WIDTH] > free and fresh == 0:  # no job can start or get a first place
                break
            if step == 2:
                if slot >= 0:
                    lay_out(now, running, free, t, queue.profile)
                slot, held, fresh = next_reserved(jobs, queue, s, top, t, order, backfilling, held, fresh)
                if slot == NOTHING:
                    break
                if slot < 0:
                    step = 3
                    limited = bool(named > 0)
            if step == 3:
                climb(queue, t, queue.least[top, WIDTH])
                tries = order if backfilling.same else candidates
                slot, visited = first_where(queue, queue.tried, s, top, t, tries, backfilling, False, limited)
                is_slow = is_slow or bool(visited > SLOW)
                if slot < 0:
                    break
            j = np.int64(slots[slot]["row"])
            launch(jobs, now, running, j, t)
            running += 1
            free -= jobs.width[j]
            if backfilling.named[jobs.group[j]]:
                named -= 1
            if backfilling.slack > 0 and queue.latest[j] == NONE_YET and backfilling.entitled[jobs.group[j]]:
                fresh -= 1
            if step > 1:
                occupy(jobs, queue, j, t)
            if take_from(queue, backfilling, slot, top):
                waiting -= 1
                reseat(game, s, slot, top, t, order)
                if not backfilling.same:
                    reseat(queue.tried, s, slot, top, t, candidates)
        release(queue, held)
        if waiting == 0:
            used = 0
        elif is_slow:
            used = sort_waiting(queue, backfilling, used, top)


@njit(cache=True, nogil=True, _nrt=False)
def sort_waiting(queue: Queue, backfilling: Backfilling, used: Int, top: Int) -> Int:
    """Sort slots, between two passes; return the first slot behind all jobs.

    Parameters
    ----------
    queue
        `Queue`, modified in place.
    backfilling
        `Backfilling`.
    used, top
        The first slot behind all jobs up to now, and the root of the trees in use.
    """
    begin, end = sort_slots(queue.game, queue.least, queue.runs, used, top)
    if begin == used:
        return end
    if not backfilling.same:
        replant(queue.tried, begin, end, used, top)
    count_claims(queue, backfilling, begin, end, used)
    return end


@njit(cache=True, nogil=True, _nrt=False)
def seat_arrival(
    jobs: Jobs, queue: Queue, backfilling: Backfilling, used: Int, waiting: Int, level: Int, j: Int, count: Int
) -> tuple[Int, Int]:
    """Put a job and its copies into an empty slot, without playing.

    Parameters
    ----------
    jobs
        `Jobs`.
    queue
        `Queue`, modified in place.
    backfilling
        `Backfilling`.
    used, waiting
        Slots used since the queue was last empty, and slots with waiting jobs.
    level
        The level of the trees up to now.
    j, count
        The first row, and the number of copies.

    Returns
    -------
    slot, level
        The slot, behind all others, and the level of the trees that have room for it.
    """
    size = queue.game.stale.shape[1] >> 1
    before: Int = -1 if used == 0 else level
    slot, level = next_slot(queue.game, queue.least, queue.runs, True, used, waiting, level)
    if slot < used:  # the jobs have moved together
        count_claims(queue, backfilling, 0, slot, used)
        if not backfilling.same:
            before = plant(queue.tried, slot)
    if not backfilling.same and slot % BENCH == 0:
        open_bench(queue.tried, slot // BENCH, before)
    fill_slot(queue.game, slot, jobs, j, count)
    lower(queue.least, slot // BENCH + size, size >> level, jobs.width[j], jobs.estimate[j])
    if backfilling.entitled[jobs.group[j]]:
        claim(queue, slot, count)
    return slot, level


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def claim(queue: Queue, slot: Int, count: Int) -> None:
    """Add `count`, which may be below 0, to the jobs of a slot that may get a reservation and have none.

    `queue` is modified in place.
    """
    node = slot // BENCH + (queue.game.stale.shape[1] >> 1)
    while node > 0:
        queue.claims[node] += count
        node >>= 1


@njit(cache=True, nogil=True, _nrt=False)
def count_claims(queue: Queue, backfilling: Backfilling, begin: Int, end: Int, used: Int) -> None:
    """Count again, between two passes, how many jobs may get a reservation, after slots have moved.

    Parameters
    ----------
    queue
        `Queue`, modified in place.
    backfilling
        `Backfilling`.
    begin, end, used
        The first slot whose job may have moved, and the first slots behind all jobs, now and before.
    """
    size = queue.game.stale.shape[1] >> 1
    for bench in range(begin // BENCH, (used + BENCH - 1) // BENCH):
        claims: Int = 0
        for slot in range(bench * BENCH, min((bench + 1) * BENCH, end)):
            job = queue.game.slots[slot]
            if job["row"] >= 0 and backfilling.entitled[job["group"]]:
                claims += np.int64(job["copies"])
        claim(queue, bench * BENCH, claims - np.int64(queue.claims[bench + size]))


@njit(cache=True, nogil=True, _nrt=False)
def take_from(queue: Queue, backfilling: Backfilling, slot: Int, top: Int) -> bool:
    """Remove the first job from a slot, without playing; return whether the slot is empty then.

    `queue`, whose root is `top`, is modified in place; `backfilling` says which groups get reservations.
    """
    job = queue.game.slots[slot]
    if backfilling.entitled[job["group"]]:
        claim(queue, slot, -1)
    job["copies"] -= 1
    if job["copies"] > 0:
        job["row"] += 1
        return False
    job["row"] = EMPTY
    lift_bench(queue.game, queue.least, slot // BENCH + (queue.game.stale.shape[1] >> 1), top)
    return True


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def occupy(jobs: Jobs, queue: Queue, j: Int, begin: Int) -> None:
    """Take the processors of job j, planned to begin in second `begin`, out of the profile.

    `jobs` is only read; `queue` is modified in place.
    """
    profile = queue.profile
    add(profile.when, profile.room, profile.span, begin, begin + jobs.estimate[j], -jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False)
def next_reserved(
    jobs: Jobs, queue: Queue, s: Int, top: Int, t: Int, order: Lines, backfilling: Backfilling, held: Int, fresh: Int
) -> tuple[Int, Int, Int]:
    """Make reservations in the order of the queue until a job can start at once, or until there are enough.

    Parameters
    ----------
    jobs
        `Jobs`.
    queue
        `Queue`, modified in place.
    s, top, t
        Situation, 0..2, the root of the trees in use, and the second.
    order, backfilling
        `Lines` and `Backfilling`.
    held, fresh
        Reservations made in this pass; and waiting jobs that may get a first place, if there is slack.

    Returns
    -------
    slot, held, fresh
        The slot of the job that can start, -1 if there are enough reservations, or NOTHING if the rest of the pass
        changes nothing; how many reservations there are; and how many jobs may still get a first place.
    """
    profile = queue.profile
    until: Int = FAR  # from then on, no job has room that is to start now
    while held < backfilling.reservations and queue.claims[1] > 0:
        slot, _ = first_where(queue, queue.game, s, top, t, order, backfilling, True, False)
        job = queue.game.slots[slot]
        j = np.int64(job["row"]) + np.int64(queue.held[slot])
        width = jobs.width[j]
        estimate = jobs.estimate[j]
        bound = backfilling.slack > 0 and queue.latest[j] > t  # it begins now, or not before its latest start
        begin = earliest(profile.when, profile.room, profile.span, t, t + 1 if bound else FAR, FAR, width, estimate)
        if begin == t:
            return slot, held, fresh
        if bound:
            begin = earliest(profile.when, profile.room, profile.span, queue.latest[j], FAR, FAR, width, estimate)
        elif backfilling.slack > 0 and queue.latest[j] == NONE_YET:
            queue.latest[j] = begin + backfilling.slack
            fresh -= 1
        occupy(jobs, queue, j, begin)
        claim(queue, slot, -1)
        queue.held[slot] += 1
        queue.holders[held] = slot
        held += 1
        if fresh == 0 and backfilling.slack > 0 and begin < until:
            until = climb(queue, t, queue.least[top, WIDTH])
            if not could_start(queue, top):
                return np.int64(NOTHING), held, fresh
    return np.int64(-1), held, fresh


@njit(cache=True, nogil=True, _nrt=False)
def release(queue: Queue, held: Int) -> None:
    """Forget the reservations of a pass, of which there are `held`; `queue` is modified in place."""
    for i in range(held):
        queue.held[queue.holders[i]] = 0
        claim(queue, queue.holders[i], 1)


@njit(cache=True, nogil=True, _nrt=False)
def climb(queue: Queue, t: Int, narrowest: Int) -> Int:
    """Write down how many processors are free from second t on, for how long; `queue.stairs` is filled in place.

    Return the second, FAR if there is none, from which on they are less than `narrowest`, and do not matter.
    """
    profile = queue.profile
    first = profile.span[FIRST]
    free = profile.room[first]
    steps = 0
    for i in range(first + 1, profile.span[LAST]):
        if profile.room[i] < free:
            queue.stairs[steps, 0] = profile.when[i] - t
            queue.stairs[steps, 1] = free
            steps += 1
            free = profile.room[i]
            if free < narrowest:
                queue.stairs[steps, 0] = FAR
                queue.stairs[steps, 1] = free
                return np.int64(profile.when[i])
    queue.stairs[steps, 0] = FAR
    queue.stairs[steps, 1] = free
    return np.int64(FAR)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def has_room(queue: Queue, width: Int, estimate: Int) -> bool:
    """Return whether a job could start beside the reservations in `queue`: `width` in processors, `estimate` in s."""
    step = 0
    while estimate > queue.stairs[step, 0]:
        step += 1
    return bool(width <= queue.stairs[step, 1])


@njit(cache=True, nogil=True, _nrt=False)
def could_start(queue: Queue, top: Int) -> bool:
    """Return whether a job could start beside the reservations in `queue`, modified in place; `top` is its root."""
    size = queue.game.stale.shape[1] >> 1
    stack = queue.game.stack
    stack[0] = top
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if not has_room(queue, queue.least[node, 0], queue.least[node, 1]):
            continue
        if node < size:
            stack[depth] = 2 * node
            stack[depth + 1] = 2 * node + 1
            depth += 2
            continue
        for slot in range((node - size) * BENCH, (node - size + 1) * BENCH):
            job = queue.game.slots[slot]
            # a job with a reservation has no room: otherwise it would have started
            if job["row"] >= 0 and has_room(queue, np.int64(job["width"]), job["estimate"]):
                return True
    return False


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def may(queue: Queue, slot: Int, backfilling: Backfilling, reserving: bool, limited: bool) -> bool:
    """Return whether a job in a slot may get a reservation or, if not `reserving`, start beside them.

    `queue` and `backfilling` are only read; `limited`: a job of the named groups waits, so that jobs with longer
    estimates than `Backfilling.longest` may not start.
    """
    job = queue.game.slots[slot]
    if reserving:
        return bool(backfilling.entitled[job["group"]] and job["copies"] > queue.held[slot])
    if queue.held[slot] > 0 or (limited and job["estimate"] > backfilling.longest[job["group"]]):
        return False
    return has_room(queue, np.int64(job["width"]), job["estimate"])


@njit(cache=True, nogil=True, _nrt=False)
def first_where(
    queue: Queue,
    game: Tournament,
    s: Int,
    top: Int,
    t: Int,
    lines: Lines,
    backfilling: Backfilling,
    reserving: bool,
    limited: bool,
) -> tuple[Int, Int]:
    """Return the slot of the first job that may get the next reservation, or start beside them, and the nodes visited.

    The slot is -1 if there is no such job. Subtrees are skipped if no job in them may, or if even their winner comes
    after the best job so far.

    Parameters
    ----------
    queue
        `Queue`.
    game
        Modified in place: games that are due are played.
    s, top, t
        Situation, 0..2, the root of the trees in use, and the second.
    lines, backfilling
        `Lines`, the order, and `Backfilling`.
    reserving
        True: the job may get a reservation. False: it has none, and can start beside them.
    limited
        Whether the longest estimate for backfilling holds.
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
        if not (queue.claims[node] > 0 if reserving else has_room(queue, queue.least[node, 0], queue.least[node, 1])):
            continue
        if due(game, s, node, t):
            replay(game, s, node, t, lines)
        slot: Int = np.int64(game.tree[s, node]["slot"])
        alpha = game.tree[s, node]["alpha"]
        beta = game.tree[s, node]["beta"]
        if best >= 0 and not ahead(game, s, slot, alpha, beta, best, best_alpha, best_beta, t, lines):
            continue
        if may(queue, slot, backfilling, reserving, limited):
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
                if game.slots[slot]["row"] < 0 or not may(queue, slot, backfilling, reserving, limited):
                    continue
                alpha, beta = line_at(s, game.slots[slot], lines)
                if best < 0 or ahead(game, s, slot, alpha, beta, best, best_alpha, best_beta, t, lines):
                    best = np.int64(slot)
                    best_alpha = alpha
                    best_beta = beta
    return best, visited
