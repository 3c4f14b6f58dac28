"""The waiting queue of Greedy: it returns the first job without sorting and without a look at all jobs.

Within one situation the key of a waiting job is a straight line in time, alpha + beta * t, for all four criteria
(the wait is t - submit, everything else is fixed). A kinetic tournament keeps the winner of such lines. It is a binary
tree over slots; each node has the line of its winner and a time of expiry, up to which it stays the winner. Losers are
not followed: it is only known that their side stays below the steepest of its lines. To return the first job costs
nothing as long as the root has not expired; after that, only the expired nodes are played again. A job that comes or
goes replays the games on its way to the root, and stops at the first game that does not change.

Decisions are exactly those of the criterion as it is printed in the papers, evaluated in float64; ties go to the lower
row. Lines are only used where they differ by more than all rounding errors together. Closer games are settled by the
printed formula, and expire at once unless the two keys are the same for ever.

Each of the three situations has a tree of its own over the same slots. Only the tree of the present situation is up to
date. In the other two trees, when a job comes, the way to the root is marked as stale, and is played when the situation
begins; all nodes above a stale node are stale. When a job goes, the nodes that it has won expire. The games that it has
lost stay, with their times of expiry, because a side with one loser fewer is no more dangerous.

A leaf stands for a bench of slots in the order of arrival. Their lines are not stored, but computed when the games of
a bench are played: this costs less than the memory of lines in three trees, and long queues stay in the cache.

Identical jobs that arrive in a row (copies, job arrays) share a slot: they differ only in the row.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int, Ints, Mask
from .compiling import njit
from .inputs import Jobs, Weights
from .keys import TINY, line_at, roundings, settle
from .lines import Lines
from .waiting_tree import FAR, slots_for

# The winner's line, the time up to which it wins, its slot, and a bound of the slopes below (rounded up). Two nodes
# are one cache line.
NODE = np.dtype([("alpha", "f8"), ("beta", "f8"), ("expiry", "f8"), ("slot", "i4"), ("steepest", "f4")])

# All that is read of a waiting job, so that a bench is two cache lines even if its rows are far apart: the terms of its
# key, its row (the first row if copies share the slot; -1 if the slot is empty), and the number of its copies.
SLOT = np.dtype(
    [("submit", "i8"), ("estimate", "i8"), ("row", "i4"), ("copies", "i4"), ("width", "i4"), ("group", "i4")]
)


class Tournament(NamedTuple):
    """The three trees, and the job of each slot.

    Attributes
    ----------
    tree
        (3, 2 * size) NODE: the root of a tree in use is `top`, the leaf of slot i is size + i // BENCH.
    stale
        (3, 2 * size) bool, nodes that must be played before they are used.
    slots
        (size * BENCH,) SLOT, the waiting jobs.
    stack
        (256,) int64, work space.
    """

    tree: NDArray[np.void]
    stale: Mask
    slots: NDArray[np.void]
    stack: Ints


NEVER = 1e300
PAST = -1.0
BENCH = 4  # slots of a leaf; 2 and 8 were slower
EMPTY = -1


def new_tournament(jobs: Int) -> Tournament:
    """Return trees without a bench, for at most `jobs` waiting jobs."""
    size = slots_for((jobs + BENCH - 1) // BENCH)
    # Only the part that the longest queue needs is touched, so that memory grows with the queue, not the workload.
    # With one spare node the pairs of children can begin at a cache line.
    nodes = np.empty(3 * 2 * size + 1, NODE)
    if nodes.ctypes.data % 64 != 0:
        nodes = nodes[1:]
    slots = np.empty(size * BENCH + 1, SLOT)
    if slots.ctypes.data % 64 != 0:
        slots = slots[1:]
    return Tournament(
        nodes[: 3 * 2 * size].reshape((3, 2 * size)),
        np.empty((3, 2 * size), np.bool_),
        slots,
        np.empty(256, np.int64),
    )


@njit(cache=True, nogil=True, inline="always")
def lasts(
    lead: float,
    margin: float,
    winner_beta: float,
    beta: float,
    expiry: float,
    steepest: float,
    now: float,
    horizon: float,
    rounding: float,
) -> float:
    """Return a time up to which the winner of a game that is not close stays ahead of the loser's side, s.

    The loser, of slope `beta`, overtakes where the lines cross. After the loser has expired, another job on its side
    may overtake, but not earlier than the steepest line there that begins at the loser's key.

    Parameters
    ----------
    lead, margin
        By how much the winner's key is larger now, and the largest rounding error of this.
    winner_beta, beta
        Slopes of the winner's and the loser's line, 1/s.
    expiry, steepest
        Of the loser's side: the time up to which the loser comes first there, s, and a bound of the slopes, 1/s.
    now, horizon, rounding
        The present second, `Weights.horizon`, and the relative rounding error.
    """
    gain = beta - winner_beta
    most = steepest - winner_beta
    wider = margin + 2.0 * rounding * steepest * horizon
    # Both times are computed before one is chosen: a division costs less than a branch that is predicted wrong.
    crossing = now + (lead - margin) / max(gain, TINY) * (1.0 - 1e-9)
    passing = now + (lead - wider) / max(most, TINY) * (1.0 - 1e-9)
    crossing = crossing if gain > 0.0 else NEVER
    later = max(expiry, passing)
    later = later if most > 0.0 else NEVER
    return crossing if expiry >= crossing else later


# Inlined, because passing so many arrays costs as much as the game.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def play(game: Tournament, s: Int, node: Int, t: Int, weights: Weights | Lines) -> bool:
    """Play the game of one node of situation s between its children, none of them stale; return whether it changed.

    `game` is modified in place; t is the present second, `weights` are those of Greedy.
    """
    now = float(t)
    left = game.tree[s, 2 * node]
    right = game.tree[s, 2 * node + 1]
    winner = left
    loser = right
    expiry = min(left["expiry"], right["expiry"])
    if left["slot"] < 0:
        winner = right
        loser = left
    elif right["slot"] >= 0:
        lead = (left["alpha"] - right["alpha"]) + (left["beta"] - right["beta"]) * now
        rounding, floor = roundings(weights)
        margin = (
            rounding * (abs(left["alpha"]) + abs(right["alpha"]) + (left["beta"] + right["beta"]) * weights.horizon)
            + floor
        )
        first = lead > 0.0
        ever = False
        close = abs(lead) <= margin
        if close:
            first, ever = settle(game.slots, np.int64(left["slot"]), np.int64(right["slot"]), s, t, weights)
        if not first:
            winner = right
            loser = left
        if expiry > now:  # otherwise a side has expired, and this game must be played again in any case
            until = loser["expiry"]
            if close:
                if not ever:
                    until = now + 0.5
            else:
                until = lasts(
                    abs(lead),
                    margin,
                    winner["beta"],
                    loser["beta"],
                    loser["expiry"],
                    loser["steepest"],
                    now,
                    weights.horizon,
                    rounding,
                )
            expiry = min(winner["expiry"], until)
    steepest = max(left["steepest"], right["steepest"])
    entry = game.tree[s, node]
    changed: bool = (
        entry["slot"] != winner["slot"]
        or entry["expiry"] != expiry
        or entry["alpha"] != winner["alpha"]
        or entry["beta"] != winner["beta"]
        or entry["steepest"] != steepest
    )
    entry["alpha"] = winner["alpha"]
    entry["beta"] = winner["beta"]
    entry["slot"] = winner["slot"]
    entry["expiry"] = expiry
    entry["steepest"] = steepest
    return changed


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def seat(game: Tournament, s: Int, leaf: Int, t: Int, weights: Weights | Lines) -> bool:
    """Play the games of a bench of situation s, one after the other; return whether its node, `leaf`, changed.

    `game` is modified in place; t is the present second, `weights` are those of the order.
    """
    now = float(t)
    size = game.stale.shape[1] >> 1
    first_slot = (leaf - size) * BENCH
    game.stale[s, leaf] = False
    best: Int = EMPTY
    best_alpha = 0.0
    best_beta = 0.0
    expiry = NEVER
    steepest = 0.0
    rounding, floor = roundings(weights)
    for slot in range(first_slot, first_slot + BENCH):
        job = game.slots[slot]
        if job["row"] < 0:
            continue
        alpha, beta = line_at(s, job, weights)
        steep = beta * (1.0 + 1e-6) + 1e-37  # not below beta, rounded to single precision
        if best < 0:
            best = slot
            best_alpha = alpha
            best_beta = beta
            steepest = steep
            continue
        lead = (best_alpha - alpha) + (best_beta - beta) * now
        margin = rounding * (abs(best_alpha) + abs(alpha) + (best_beta + beta) * weights.horizon) + floor
        first = lead > 0.0
        ever = False
        close = abs(lead) <= margin
        if close:
            first, ever = settle(game.slots, best, np.int64(slot), s, t, weights)
        if first:
            until = NEVER if ever else now + 0.5
            if not close:
                until = lasts(lead, margin, best_beta, beta, NEVER, steep, now, weights.horizon, rounding)
            expiry = min(expiry, until)
        else:
            until = expiry if ever else now + 0.5
            if not close:
                until = lasts(-lead, margin, beta, best_beta, expiry, steepest, now, weights.horizon, rounding)
            expiry = until if expiry > now else expiry
            best = slot
            best_alpha = alpha
            best_beta = beta
        steepest = max(steepest, steep)
    entry = game.tree[s, leaf]
    changed: bool = (
        entry["slot"] != best
        or entry["expiry"] != expiry
        or entry["alpha"] != best_alpha
        or entry["beta"] != best_beta
        or entry["steepest"] != np.float32(steepest)
    )
    entry["alpha"] = best_alpha
    entry["beta"] = best_beta
    entry["slot"] = best
    entry["expiry"] = expiry
    entry["steepest"] = steepest
    return changed


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def due(game: Tournament, s: Int, node: Int, t: Int) -> bool:
    """Return whether a node of situation s of `game` must be played before it can be used in second t."""
    stale: bool = game.stale[s, node]
    return stale or bool(game.tree[s, node]["expiry"] <= float(t))


@njit(cache=True, nogil=True, _nrt=False)
def replay(game: Tournament, s: Int, top: Int, t: Int, weights: Weights | Lines) -> None:
    """Play again the nodes at or below `top` that are stale or have expired, children before parents.

    Node `top` itself must be due. `game` is modified in place; s is the situation, t the present second, `weights` are
    those of Greedy.
    """
    size = game.stale.shape[1] >> 1
    node = np.int64(top)
    down = True
    while True:
        while down and node < size:
            game.stale[s, node] = False
            if due(game, s, 2 * node, t):
                node = 2 * node
            elif due(game, s, 2 * node + 1, t):
                node = 2 * node + 1
            else:
                down = False
        if node >= size:
            seat(game, s, node, t, weights)
        else:
            play(game, s, node, t, weights)
        if node == top:
            return
        down = (node & 1) == 0 and due(game, s, node + 1, t)
        node = node + 1 if down else node >> 1


@njit(cache=True, nogil=True, _nrt=False)
def reseat(game: Tournament, s: Int, slot: Int, top: Int, t: Int, weights: Weights | Lines) -> None:
    """Play the games that change in situation s after a job has come to or gone from a slot; mark the two other trees.

    `game`, whose root is `top`, is modified in place; t is the present second, `weights` are those of Greedy.
    """
    leaf = slot // BENCH + (game.stale.shape[1] >> 1)
    if not game.stale[s, leaf]:
        changed = seat(game, s, leaf, t, weights)
        node = leaf >> 1
        while changed and node >= top and not game.stale[s, node]:
            changed = play(game, s, node, t, weights)
            node >>= 1
    for other in range(3):
        if other != s:
            note(game, other, slot, top)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def note(game: Tournament, s: Int, slot: Int, top: Int) -> None:
    """Mark in the tree of situation s that a job has come to or gone from a slot, without playing.

    `game`, whose root is `top`, is modified in place.
    """
    node = slot // BENCH + (game.stale.shape[1] >> 1)
    if game.slots[slot]["row"] >= 0:
        while node >= top and not game.stale[s, node]:
            game.stale[s, node] = True
            node >>= 1
    else:
        while node >= top and not game.stale[s, node] and game.tree[s, node]["slot"] == slot:
            game.tree[s, node]["expiry"] = PAST
            node >>= 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def fill_slot(game: Tournament, slot: Int, jobs: Jobs, j: Int, copies: Int) -> None:
    """Put rows j..j + copies - 1, identical jobs, into a slot, without playing; `game` is modified in place."""
    job = game.slots[slot]
    job["submit"] = jobs.submit[j]
    job["estimate"] = jobs.estimate[j]
    job["row"] = j
    job["copies"] = copies
    job["width"] = jobs.width[j]
    job["group"] = jobs.group[j]


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def smallest_of(game: Tournament, bench: Int) -> tuple[Int, Int]:
    """Return the smallest width, processors, and the smallest estimate, s, on a bench of `game`; FAR without jobs."""
    width: Int = FAR
    estimate: Int = FAR
    for slot in range(bench * BENCH, (bench + 1) * BENCH):
        job = game.slots[slot]
        if job["row"] >= 0:
            width = min(width, np.int64(job["width"]))
            estimate = min(estimate, job["estimate"])
    return width, estimate


@njit(cache=True, nogil=True, inline="always", _nrt=False)
def clear(game: Tournament, node: Int) -> None:
    """Set a node of all three trees of `game`, in place, to a node without jobs."""
    for s in range(3):
        entry = game.tree[s, node]
        entry["alpha"] = 0.0
        entry["beta"] = 0.0
        entry["slot"] = EMPTY
        entry["steepest"] = 0.0
        entry["expiry"] = NEVER
        game.stale[s, node] = False


@njit(cache=True, nogil=True, _nrt=False)
def open_bench(game: Tournament, bench: Int, level: Int) -> Int:
    """Set up the nodes that benches 0..bench need and benches 0..bench - 1 do not; return the level of the trees.

    Parameters
    ----------
    game
        Modified in place.
    bench, level
        The new bench, and the level of the trees up to now; -1 if there is no bench yet.

    Returns
    -------
    level
        The trees have 2^level benches: `level`, or one more if this is too few.
    """
    size = game.stale.shape[1] >> 1
    node = size + bench
    if level < 0 or (bench >> level) > 0:
        level += 1
        top = size >> level
        clear(game, top)
        if level > 0:
            for s in range(3):
                game.stale[s, top] = game.stale[s, 2 * top]  # the new root is the parent of the old root
            clear(game, 2 * top + 1)
    # The nodes that begin with this bench. Their right neighbours begin later, but are read when the parents are
    # played.
    while bench > 0 and (node & 1) == 0:
        clear(game, node)
        clear(game, node + 1)
        node >>= 1
    return level


@njit(cache=True, nogil=True, _nrt=False)
def close_ranks(game: Tournament, past: Int) -> tuple[Int, Int]:
    """Move the jobs of slots 0..used - 1 together, in their order, into new trees; `game` is modified in place.

    Returns
    -------
    past, level
        Slots in use now, and the level of the trees; all their nodes are stale.
    """
    slots = game.slots
    count: Int = np.int64(0)
    for slot in range(past):
        if slots[slot]["row"] >= 0:
            slots[count] = slots[slot]
            count += 1
    for slot in range(count, (count + BENCH - 1) // BENCH * BENCH):
        slots[slot]["row"] = EMPTY
    return count, plant(game, count)


@njit(cache=True, nogil=True, _nrt=False)
def plant(game: Tournament, used: Int) -> Int:
    """Set up new trees over slots 0..used - 1, all of whose nodes are stale; return their level.

    `game` is modified in place.
    """
    size = game.stale.shape[1] >> 1
    benches = (used + BENCH - 1) // BENCH
    level: Int = np.int64(-1)
    for bench in range(benches):
        level = open_bench(game, bench, level)
    top = size >> level
    for s in range(3):
        for bench in range(benches):
            node = bench + size
            while node >= top and not game.stale[s, node]:
                game.stale[s, node] = True
                node >>= 1
    return level
