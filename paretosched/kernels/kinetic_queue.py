"""The waiting queue of Greedy: which job is first now, without sorting and without looking at all of them.

Within one situation the key of a waiting job is a straight line in time, alpha + beta * t, for all four criteria
(the wait is t - submit, everything else is fixed). A kinetic tournament keeps the winner of such lines: a binary
tree over slots, each node with the line of its winner and a time of expiry up to which it stays the winner. Losers
are not followed: their side is only known to stay below the steepest of its lines, until that could matter. Asking
for the first job costs nothing while the root has not expired; otherwise only the expired nodes are played again. A
job that comes or goes replays the games on its way to the root, and stops where nothing changes.

Decisions are exactly those of the criterion as it is printed, evaluated in float64, ties to the lower row. Lines are
only used where they differ by more than all rounding together can; closer games are settled by the printed
formula, and expire at once unless the two keys are the same for ever.

Each of the three situations has a tree of its own over the same slots. Only the tree of the present situation is kept
up to date. In the others, when a job comes, the way to the root is marked as stale, and played when the situation
comes; whatever is above a stale node is stale. When a job goes, the nodes it had won expire; the games it had lost
stand, and so do the times up to which they do, because a side with one loser fewer is no more dangerous.

A leaf stands for a bench of slots in the order of arrival. Their lines are not kept, but reckoned whenever the games
of a bench are played: that costs less than the memory of lines in three trees, and deep queues stay in the cache.

Identical jobs that arrive in a row (copies, job arrays) share a slot: nothing distinguishes them but the row.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..core.arrays import Int, Ints, Mask
from .inputs import Jobs, Weights
from .waiting_tree import slots_for

# The winner's line; until when it wins; where it is; and a bound of the slopes below (rounded up). Two nodes are one
# cache line.
NODE = np.dtype([("alpha", "f8"), ("beta", "f8"), ("expiry", "f8"), ("slot", "i4"), ("steepest", "f4")])

# What is asked of a waiting job, so that a bench is two cache lines however far apart its jobs came: what enters its
# key, its row (the first, if copies share the slot; -1 if the slot is empty), and how many it stands for.
SLOT = np.dtype(
    [("submit", "i8"), ("estimate", "i8"), ("row", "i4"), ("copies", "i4"), ("width", "i4"), ("group", "i4")]
)


class Tournament(NamedTuple):
    """The three trees, and which job sits where.

    Attributes
    ----------
    tree
        (3, 2 * size) NODE: the root of a tree in use is `top`, the leaf of slot i is size + i // BENCH.
    stale
        (3, 2 * size) bool, nodes to be played before they are believed.
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
BENCH = 4  # slots a leaf stands for; 2 and 8 were slower
EMPTY = -1

# All rounding errors of a line and of a printed formula together are below a few units in the last place of the
# largest magnitude that enters them; this is generous.
MARGIN = 64 * 2.0**-53
TINY = 1e-290  # below it, products lose digits


@njit(cache=True, nogil=True)
def new_tournament(jobs: Int) -> Tournament:
    """Return trees without a bench, for at most so many waiting jobs."""
    size = slots_for((jobs + BENCH - 1) // BENCH)
    # Only what the longest queue needs is ever touched, so that memory follows the queue and not the workload.
    # One spare node lets the pairs of children begin at a cache line.
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
def key_of(
    criterion: Int, w: float, K: float, a: float, b: float, wait: float, estimate: float, width: float, area: float
) -> float:
    """Return a criterion, 1..4, evaluated as printed, left to right (papers 000 and 002, f1 to f4).

    Genes w, K, a, b; `wait` and `estimate` in s, `width` in processors, `area` is estimate * width.
    """
    if criterion == 1:
        return w * (K + a * (wait / estimate) + b * (estimate / width))
    if criterion == 2:
        return w * (K + a * wait + b * area)
    if criterion == 3:
        return w * (K + a * (wait / area))
    return w * (K + a * wait + b * (estimate / width))


@njit(cache=True, nogil=True, inline="always")
def line_of(
    criterion: Int, w: float, K: float, a: float, b: float, submit: float, estimate: float, width: float, area: float
) -> tuple[float, float]:
    """Return alpha and beta of the criterion as alpha + beta * t; parameters as for `key_of`."""
    if criterion == 1:
        beta = w * a / estimate
        constant = w * (K + b * (estimate / width))
    elif criterion == 2:
        beta = w * a
        constant = w * (K + b * area)
    elif criterion == 3:
        beta = w * a / area
        constant = w * K
    else:
        beta = w * a
        constant = w * (K + b * (estimate / width))
    return constant - beta * submit, beta


@njit(cache=True, nogil=True, _nrt=False)
def settle(slots: NDArray[np.void], i: Int, j: Int, s: Int, t: Int, weights: Weights) -> tuple[bool, bool]:
    """Compare the jobs of two slots by the printed formula.

    Parameters
    ----------
    slots, i, j
        (size * BENCH,) SLOT, and two slots that hold jobs.
    s, t
        Situation, 0..2, and second.
    weights
        `Weights`.

    Returns
    -------
    first : bool
        The job of slot i comes before that of slot j at time t in situation s.
    ever : bool
        Their keys are the same function of time in float64, or both constant: the decision is final.
    """
    job_i = slots[i]
    job_j = slots[j]
    criterion = weights.criteria[s]
    genes = weights.genes[s]
    groups = (genes.size - 2) // 2
    gi = job_i["group"]
    gj = job_j["group"]
    a = genes[2 * groups]
    b = genes[2 * groups + 1]
    wi = genes[gi]
    wj = genes[gj]
    since_i = float(t - job_i["submit"])
    since_j = float(t - job_j["submit"])
    ei = float(job_i["estimate"])
    ej = float(job_j["estimate"])
    mi = float(job_i["width"])
    mj = float(job_j["width"])
    area_i = float(job_i["estimate"] * np.int64(job_i["width"]))
    area_j = float(job_j["estimate"] * np.int64(job_j["width"]))
    key_i = key_of(criterion, wi, genes[groups + gi], a, b, since_i, ei, mi, area_i)
    key_j = key_of(criterion, wj, genes[groups + gj], a, b, since_j, ej, mj, area_j)
    first = key_i > key_j or (key_i == key_j and job_i["row"] < job_j["row"])
    if a == 0.0 or (wi == 0.0 and wj == 0.0):
        return first, True
    if wi != wj or genes[groups + gi] != genes[groups + gj] or since_i != since_j:
        return first, False
    if criterion == 1:
        return first, ei == ej and b * (ei / mi) == b * (ej / mj)
    if criterion == 2:
        return first, b * area_i == b * area_j
    if criterion == 3:
        return first, area_i == area_j
    return first, b * (ei / mi) == b * (ej / mj)


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
) -> float:
    """Return a time up to which the winner of a game that is not close stays ahead of the loser's side, s.

    The loser, of slope `beta`, overtakes where the lines cross. Another job on its side may come first after it
    expires, but none can before the steepest line there, started at the loser's key, would.

    Parameters
    ----------
    lead, margin
        By how much the winner's key is larger now, and what rounding can hide of it.
    winner_beta, beta
        Slopes of the winner's and the loser's line, 1/s.
    expiry, steepest
        Of the loser's side: up to when the loser comes first there, s, and a bound of the slopes, 1/s.
    now, horizon
        The present second, and `Weights.horizon`.
    """
    gain = beta - winner_beta
    most = steepest - winner_beta
    wider = margin + 2.0 * MARGIN * steepest * horizon
    # Both times are reckoned and one chosen: which cannot be foreseen, and a division costs less than a wrong guess.
    crossing = now + (lead - margin) / max(gain, TINY) * (1.0 - 1e-9)
    passing = now + (lead - wider) / max(most, TINY) * (1.0 - 1e-9)
    crossing = crossing if gain > 0.0 else NEVER
    later = max(expiry, passing)
    later = later if most > 0.0 else NEVER
    return crossing if expiry >= crossing else later


# Inlined, because handing over so many arrays costs as much as the game.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def play(game: Tournament, s: Int, node: Int, t: Int, weights: Weights) -> bool:
    """Play the game of one node of situation s between its children, none of them stale; return whether it changed.

    `game` is modified in place; t is the present second.
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
        margin = (
            MARGIN * (abs(left["alpha"]) + abs(right["alpha"]) + (left["beta"] + right["beta"]) * weights.horizon)
            + TINY
        )
        first = lead > 0.0
        ever = False
        close = abs(lead) <= margin
        if close:
            first, ever = settle(game.slots, np.int64(left["slot"]), np.int64(right["slot"]), s, t, weights)
        if not first:
            winner = right
            loser = left
        if expiry > now:  # otherwise a side has expired, and this game is to be played again in any case
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
                )
            expiry = min(winner["expiry"], until)
    steepest = max(left["steepest"], right["steepest"])
    own = game.tree[s, node]
    changed: bool = (
        own["slot"] != winner["slot"]
        or own["expiry"] != expiry
        or own["alpha"] != winner["alpha"]
        or own["beta"] != winner["beta"]
        or own["steepest"] != steepest
    )
    own["alpha"] = winner["alpha"]
    own["beta"] = winner["beta"]
    own["slot"] = winner["slot"]
    own["expiry"] = expiry
    own["steepest"] = steepest
    return changed


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def line_at(s: Int, job: np.void, weights: Weights) -> tuple[float, float]:
    """Return alpha and beta of the line of a job, a SLOT, in situation s."""
    genes = weights.genes
    groups = (genes.shape[1] - 2) // 2
    g = job["group"]
    return line_of(
        weights.criteria[s],
        genes[s, g],
        genes[s, groups + g],
        genes[s, 2 * groups],
        genes[s, 2 * groups + 1],
        float(job["submit"]),
        float(job["estimate"]),
        float(job["width"]),
        float(job["estimate"] * np.int64(job["width"])),
    )


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def seat(game: Tournament, s: Int, leaf: Int, t: Int, weights: Weights) -> bool:
    """Play the games of a bench of situation s, one after the other; return whether its node changed.

    `game` is modified in place; t is the present second.
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
        margin = MARGIN * (abs(best_alpha) + abs(alpha) + (best_beta + beta) * weights.horizon) + TINY
        first = lead > 0.0
        ever = False
        close = abs(lead) <= margin
        if close:
            first, ever = settle(game.slots, best, np.int64(slot), s, t, weights)
        if first:
            until = NEVER if ever else now + 0.5
            if not close:
                until = lasts(lead, margin, best_beta, beta, NEVER, steep, now, weights.horizon)
            expiry = min(expiry, until)
        else:
            until = expiry if ever else now + 0.5
            if not close:
                until = lasts(-lead, margin, beta, best_beta, expiry, steepest, now, weights.horizon)
            expiry = until if expiry > now else expiry
            best = slot
            best_alpha = alpha
            best_beta = beta
        steepest = max(steepest, steep)
    own = game.tree[s, leaf]
    changed: bool = (
        own["slot"] != best
        or own["expiry"] != expiry
        or own["alpha"] != best_alpha
        or own["beta"] != best_beta
        or own["steepest"] != np.float32(steepest)
    )
    own["alpha"] = best_alpha
    own["beta"] = best_beta
    own["slot"] = best
    own["expiry"] = expiry
    own["steepest"] = steepest
    return changed


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def due(game: Tournament, s: Int, node: Int, t: Int) -> bool:
    """Return whether a node of situation s is to be played before it is believed in second t."""
    stale: bool = game.stale[s, node]
    return stale or bool(game.tree[s, node]["expiry"] <= float(t))


@njit(cache=True, nogil=True, _nrt=False)
def replay(game: Tournament, s: Int, top: Int, t: Int, weights: Weights) -> None:
    """Play again what is stale or has expired at or below node `top`, which is, children before parents.

    `game` is modified in place; s is the situation, t the present second.
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
def reseat(game: Tournament, s: Int, slot: Int, top: Int, t: Int, weights: Weights) -> None:
    """Play what follows from a coming to or a going from a slot in situation s; note it in the two other trees.

    `game`, whose root is `top`, is modified in place; t is the present second.
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
    """Note that a job has come to or gone from a slot in the tree of situation s, without playing.

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
    """Put job j and the copies of it that follow, `copies` in all, into a slot, without playing; `game` is modified."""
    job = game.slots[slot]
    job["submit"] = jobs.submit[j]
    job["estimate"] = jobs.estimate[j]
    job["row"] = j
    job["copies"] = copies
    job["width"] = jobs.width[j]
    job["group"] = jobs.group[j]


@njit(cache=True, nogil=True, inline="always", _nrt=False)
def clear(game: Tournament, node: Int) -> None:
    """Make a node of all three trees, in place: no job is below it."""
    for s in range(3):
        own = game.tree[s, node]
        own["alpha"] = 0.0
        own["beta"] = 0.0
        own["slot"] = EMPTY
        own["steepest"] = 0.0
        own["expiry"] = NEVER
        game.stale[s, node] = False


@njit(cache=True, nogil=True, _nrt=False)
def open_bench(game: Tournament, bench: Int, level: Int) -> Int:
    """Make the nodes that benches 0..bench need and 0..bench - 1 did not.

    Parameters
    ----------
    game
        Modified in place.
    bench, level
        The new bench, and the level of the trees up to now, -1: there is no bench yet.

    Returns
    -------
    level
        The trees are to have 2^level benches: `level`, or one more if that is too few.
    """
    size = game.stale.shape[1] >> 1
    node = size + bench
    if level < 0 or (bench >> level) > 0:
        level += 1
        top = size >> level
        clear(game, top)
        if level > 0:
            for s in range(3):
                game.stale[s, top] = game.stale[s, 2 * top]  # the new root stands above the old one
            clear(game, 2 * top + 1)
    # The nodes that begin with this bench. The one to the right of each begins later, but is read when their parent is
    # played.
    while bench > 0 and (node & 1) == 0:
        clear(game, node)
        clear(game, node + 1)
        node >>= 1
    return level


@njit(cache=True, nogil=True, _nrt=False)
def close_ranks(game: Tournament, used: Int) -> tuple[Int, Int]:
    """Move the jobs of slots 0..used - 1 together, in their order, into new trees; `game` is modified in place.

    Returns
    -------
    used, level
        Slots in use now, and the level of the trees, all of whose nodes are stale.
    """
    slots = game.slots
    size = game.stale.shape[1] >> 1
    kept: Int = 0
    for slot in range(used):
        if slots[slot]["row"] >= 0:
            slots[kept] = slots[slot]
            kept += 1
    benches = (kept + BENCH - 1) // BENCH
    for slot in range(kept, benches * BENCH):
        slots[slot]["row"] = EMPTY
    level: Int = -1
    for bench in range(benches):
        level = open_bench(game, bench, level)
    top = size >> level
    for s in range(3):
        for bench in range(benches):
            node = bench + size
            while node >= top and not game.stale[s, node]:
                game.stale[s, node] = True
                node >>= 1
    return kept, level
