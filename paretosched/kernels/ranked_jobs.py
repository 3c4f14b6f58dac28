"""The waiting jobs in orders that are fixed before the simulation: sets of ranks, and candidates by size.

A set of ranks (`Ranks`) has a bit for every rank, a bit for every 32 of these, and so on, so that the next rank is
found in a few steps. `Candidates` finds the next job that could start beside reservations. It keeps jobs of about the
same width apart, each of such kinds in its own tree of the smallest (`waiting_tree.py`): in one tree, short wide jobs
beside long narrow ones would look like short narrow ones.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints, Order
from .compiling import njit
from .inputs import Backfilling, Jobs, Sorted
from .profile import FIRST, LAST, add, forget_past
from .running import Profile, Running, bits_for, reserve
from .waiting_orders import BENCH, BITS, lowest
from .waiting_tree import ESTIMATE, FAR, WIDTH, lift, lower, slots_for

STEPS, LEAST = 0, 1  # of `Stairs.state`
FOREVER = np.int64(0x7FFFFFFFFFFFFFFF)


class Ranks(NamedTuple):
    """Sets of ranks, one for each order.

    Attributes
    ----------
    words
        (orders, w) int64, 32 bits each: first the words with a bit for every rank; then those with a bit for every
        such word, which says whether it has bits; and so on.
    begin
        (levels + 1,) int64, the first word of each level, and w. The last level has one word.
    """

    words: Ints
    begin: Ints


class Stairs(NamedTuple):
    """How many processors are free from now until a second.

    Attributes
    ----------
    until, room
        (m,) int64, ascending s and descending processors: room[i] are free until until[i]; the last until is FOREVER.
    state
        (2,) int64: the number of STEPS; and the LEAST width for which they hold: where fewer processors are free, the
        steps say that none are.
    """

    until: Ints
    room: Ints
    state: Ints


class Candidates(NamedTuple):
    """The waiting jobs by kinds, in several orders: a slot for every job, those of a kind side by side in their order.

    The kind of a job is the number of bits of its width; jobs whose estimates exceed `Backfilling.longest` of their
    groups have kinds of their own, which come after all others.

    Attributes
    ----------
    kind
        (n,) int32.
    present
        (2,) int64, a bit for each kind of which a job waits, from the one of serial jobs on: of the first half of the
        kinds, and of the second one.
    row, slot
        (orders, m) and (orders, n) int32, the row of the job in each slot, and the slot of each job.
    bits
        (orders, m / 32) int64, a bit for each slot of a bench: whether its job waits.
    bench, node, leaves
        (kinds + 1,), (kinds + 1,) and (kinds,) int64: the first bench of each kind, the place in `least` of its tree,
        and the leaves of this tree.
    least
        (orders, nodes, 2) int64, the trees of the smallest over the benches of a kind, each with root 1.
    """

    kind: Order
    present: Ints
    row: Order
    slot: Order
    bits: Ints
    bench: Ints
    node: Ints
    leaves: Ints
    least: Ints


@njit(cache=True, nogil=True)
def no_ranks(orders: Int, n: Int) -> Ranks:
    """Return empty sets of the ranks of n jobs, one for each of `orders` orders."""
    begin = np.zeros(16, np.int64)
    levels = 0
    words = n
    while levels == 0 or words > 1:
        words = (words + BENCH - 1) >> BITS
        begin[levels + 1] = begin[levels] + words
        levels += 1
    return Ranks(np.zeros((orders, begin[levels]), np.int64), begin[: levels + 1])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def add_rank(ranks: Ranks, o: Int, rank: Int) -> None:
    """Add a rank to set o; `ranks` is modified in place."""
    place: Int = np.int64(rank)
    for level in range(ranks.begin.size - 1):
        word = ranks.begin[level] + (place >> BITS)
        before = ranks.words[o, word]
        ranks.words[o, word] = before | (1 << (place & (BENCH - 1)))
        if before != 0:
            return
        place >>= BITS


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def drop_rank(ranks: Ranks, o: Int, rank: Int) -> None:
    """Remove a rank from set o, in which it is; `ranks` is modified in place."""
    place: Int = np.int64(rank)
    for level in range(ranks.begin.size - 1):
        word = ranks.begin[level] + (place >> BITS)
        ranks.words[o, word] ^= 1 << (place & (BENCH - 1))
        if ranks.words[o, word] != 0:
            return
        place >>= BITS


@njit(cache=True, nogil=True, _nrt=False)
def next_rank(ranks: Ranks, o: Int, rank: Int) -> Int:
    """Return the first rank of set o of `ranks` that is `rank` or later; -1 if there is none."""
    begin = ranks.begin
    place: Int = np.int64(rank)
    level = 0
    while True:
        word = begin[level] + (place >> BITS)
        if word >= begin[level + 1]:
            return np.int64(-1)
        bits = ranks.words[o, word] >> (place & (BENCH - 1))
        if bits != 0:
            place += lowest(bits)
            break
        level += 1
        if level + 1 == begin.size:
            return np.int64(-1)
        place = (place >> BITS) + 1
    while level > 0:
        level -= 1
        place = (place << BITS) + lowest(ranks.words[o, begin[level] + place])
    return place


@njit(cache=True, nogil=True)
def no_candidates(jobs: Jobs, backfilling: Backfilling, order: Sorted) -> Candidates:
    """Return a structure of candidates in which no job waits.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    order
        `Sorted`, the orders of candidates.
    """
    n = jobs.submit.size
    orders = order.row.shape[0]
    widths = 0
    kind = np.empty(n, np.int32)
    for j in range(n):
        kind[j] = bits_for(jobs.width[j])
        widths = max(widths, kind[j] + 1)
    for j in range(n):
        if jobs.estimate[j] > backfilling.longest[jobs.group[j]]:
            kind[j] += widths
    kinds = 2 * widths
    count = np.zeros(kinds, np.int64)
    for j in range(n):
        count[kind[j]] += 1
    bench = np.zeros(kinds + 1, np.int64)
    node = np.zeros(kinds + 1, np.int64)
    leaves = np.empty(kinds, np.int64)
    for k in range(kinds):
        benches = (count[k] + BENCH - 1) >> BITS
        leaves[k] = slots_for(benches)
        bench[k + 1] = bench[k] + benches
        node[k + 1] = node[k] + 2 * leaves[k]
    row = np.empty((orders, bench[kinds] * BENCH), np.int32)
    slot = np.empty((orders, n), np.int32)
    for o in range(orders):
        place = bench[:kinds] * BENCH
        for i in range(n):
            j = order.row[o, i]
            at = place[kind[j]]
            row[o, at] = j
            slot[o, j] = at
            place[kind[j]] += 1
    bits = np.zeros((orders, bench[kinds]), np.int64)
    least = np.full((orders, node[kinds], 2), FAR, np.int64)
    return Candidates(kind, np.zeros(2, np.int64), row, slot, bits, bench, node, leaves, least)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def kind_of(candidates: Candidates, half: Int, bits: Int) -> Int:
    """Return the kind of the lowest one of `bits`, which are those of the first `half`, 0, or of 1 in `candidates`."""
    return half * (candidates.leaves.size >> 1) + 1 + lowest(bits)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def note_kind(candidates: Candidates, k: Int) -> None:
    """Note whether jobs of kind k wait; `candidates` are modified in place."""
    widths = candidates.leaves.size >> 1
    half = 0 if k < widths else 1
    bit = 1 << (k - half * widths - 1)
    if candidates.least[0, candidates.node[k] + 1, WIDTH] < FAR:
        candidates.present[half] |= bit
    else:
        candidates.present[half] &= ~bit


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def enter_candidate(candidates: Candidates, jobs: Jobs, j: Int) -> None:
    """Add job j of `jobs` to every order; `candidates` is modified in place."""
    k = candidates.kind[j]
    for o in range(candidates.slot.shape[0]):
        slot = np.int64(candidates.slot[o, j])
        bench = slot >> BITS
        candidates.bits[o, bench] |= 1 << (slot & (BENCH - 1))
        tree = candidates.least[o, candidates.node[k] : candidates.node[k + 1]]
        lower(tree, candidates.leaves[k] + bench - candidates.bench[k], 1, jobs.width[j], jobs.estimate[j])
    note_kind(candidates, k)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def drop_candidate(candidates: Candidates, jobs: Jobs, j: Int) -> None:
    """Remove job j of `jobs` from every order; `candidates` is modified in place."""
    k = candidates.kind[j]
    for o in range(candidates.slot.shape[0]):
        slot = np.int64(candidates.slot[o, j])
        bench = slot >> BITS
        candidates.bits[o, bench] ^= 1 << (slot & (BENCH - 1))
        tree = candidates.least[o, candidates.node[k] : candidates.node[k + 1]]
        leaf = candidates.leaves[k] + bench - candidates.bench[k]
        if jobs.width[j] > tree[leaf, WIDTH] and jobs.estimate[j] > tree[leaf, ESTIMATE]:
            continue
        width: Int = FAR
        estimate: Int = FAR
        bits = candidates.bits[o, bench]
        while bits > 0:
            i = candidates.row[o, (bench << BITS) + lowest(bits)]
            width = min(width, jobs.width[i])
            estimate = min(estimate, jobs.estimate[i])
            bits &= bits - 1
        lift(tree, leaf, 1, width, estimate)
    note_kind(candidates, k)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def narrowest(candidates: Candidates) -> Int:
    """Return the smallest width of the waiting jobs in `candidates`, processors; FAR if no job waits."""
    least: Int = FAR
    for half in range(2):
        bits = candidates.present[half]
        if bits > 0:
            k = kind_of(candidates, half, bits)
            least = min(least, candidates.least[0, candidates.node[k] + 1, WIDTH])
    return least


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def room_until(stairs: Stairs, end: Int) -> Int:
    """Return how many processors are free from now until second `end`, by `stairs`."""
    i = 0
    while end > stairs.until[i]:
        i += 1
    return stairs.room[i]


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def level_stairs(stairs: Stairs, free: Int) -> None:
    """Note that the same number of processors is free for ever; `stairs` is modified in place."""
    stairs.until[0] = FOREVER
    stairs.room[0] = free
    stairs.state[STEPS] = 1
    stairs.state[LEAST] = 1


@njit(cache=True, nogil=True, _nrt=False)
def climb(profile: Profile, least: Int, stairs: Stairs) -> None:
    """Fill `stairs` from a profile that begins now; where fewer than `least` processors are free, none are.

    Parameters
    ----------
    profile
        `Profile`, not changed.
    least
        The smallest width that matters, processors.
    stairs
        Filled in place.
    """
    first = profile.span[FIRST]
    low = profile.room[first]
    steps = 0
    for i in range(first + 1, profile.span[LAST]):
        if profile.room[i] < low:
            stairs.until[steps] = profile.when[i]
            stairs.room[steps] = low
            steps += 1
            low = profile.room[i]
            if low < least:
                low = 0
                break
    stairs.until[steps] = FOREVER
    stairs.room[steps] = low
    stairs.state[STEPS] = steps + 1
    stairs.state[LEAST] = least


@njit(cache=True, nogil=True, _nrt=False)
def could_start(candidates: Candidates, jobs: Jobs, o: Int, stairs: Stairs, t: Int) -> bool:
    """Return whether some waiting job in order o of `candidates` could start in second t, by `stairs`.

    `jobs`, like the others, is only read.
    """
    for half in range(2):
        bits = candidates.present[half]
        while bits > 0:
            k = kind_of(candidates, half, bits)
            bits &= bits - 1
            if (
                may_start(candidates, o, k, stairs, t)
                and next_candidate(candidates, jobs, o, k, candidates.bench[k] << BITS, stairs, t) >= 0
            ):
                return True
    return False


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def may_start(candidates: Candidates, o: Int, k: Int, stairs: Stairs, t: Int) -> bool:
    """Return whether a job of kind k could start in second t, as far as the root of its tree can tell.

    `candidates`, of which o is the order, and `stairs`, the processors that are free, are only read.
    """
    root = candidates.node[k] + 1
    width = candidates.least[o, root, WIDTH]
    return width <= stairs.room[0] and width <= room_until(stairs, t + candidates.least[o, root, ESTIMATE])


@njit(cache=True, nogil=True, _nrt=False)
def next_candidate(candidates: Candidates, jobs: Jobs, o: Int, k: Int, slot: Int, stairs: Stairs, t: Int) -> Int:
    """Return the first slot of a kind, from `slot` on, whose job waits and could start; -1 if there is none.

    Parameters
    ----------
    candidates, jobs
        `Candidates` and `Jobs`.
    o, k, slot
        The order, the kind, and the first slot that is tried.
    stairs, t
        The processors that are free, and the present second.
    """
    tree = candidates.least[o, candidates.node[k] : candidates.node[k + 1]]
    first = candidates.bench[k]
    bench: Int = slot >> BITS
    if bench >= candidates.bench[k + 1]:
        return np.int64(-1)
    bits = (candidates.bits[o, bench] >> (slot & (BENCH - 1))) << (slot & (BENCH - 1))
    while True:
        while bits > 0:
            slot = (bench << BITS) + lowest(bits)
            j = candidates.row[o, slot]
            if jobs.width[j] <= stairs.room[0] and jobs.width[j] <= room_until(stairs, t + jobs.estimate[j]):
                return slot
            bits &= bits - 1
        leaf = _next_leaf(tree, candidates.leaves[k], bench + 1 - first, stairs, t)
        if leaf < 0:
            return np.int64(-1)
        bench = first + leaf
        bits = candidates.bits[o, bench]


@njit(cache=True, nogil=True, _nrt=False)
def _next_leaf(tree: Ints, leaves: Int, leaf: Int, stairs: Stairs, t: Int) -> Int:
    """Return the first leaf, from `leaf` on, in which a job could start as far as the tree can tell; -1 if none.

    Parameters
    ----------
    tree, leaves
        (2 * leaves, 2) int64, a tree of the smallest with root 1, and its leaves; not changed.
    leaf
        The first leaf that is tried.
    stairs, t
        The processors that are free, and the present second.
    """
    if leaf >= leaves:
        return np.int64(-1)
    node: Int = leaf + leaves
    while True:
        width = tree[node, WIDTH]
        if width <= stairs.room[0] and width <= room_until(stairs, t + tree[node, ESTIMATE]):
            if node >= leaves:
                return node - leaves
            node *= 2
            continue
        while (node & 1) == 1 and node != 1:  # go up while this is the right child of its parent
            node >>= 1
        if node == 1:
            return np.int64(-1)
        node += 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def fits(jobs: Jobs, stairs: Stairs, j: Int, t: Int) -> bool:
    """Return whether job j of `jobs` could start in second t beside all running jobs and reservations, by `stairs`."""
    width = jobs.width[j]
    return width <= stairs.room[0] and width <= room_until(stairs, t + jobs.estimate[j])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def reserve_alone(now: Running, running: Int, free: Int, width: Int, stairs: Stairs) -> None:
    """Make the only reservation, for a job that does not fit: `stairs` are modified in place.

    `now` is only read; `running` jobs run, and `free` processors are free; the job needs `width` of them.
    """
    shadow, extra = reserve(now.ends, running, now.width_bits, free, width)
    stairs.until[0] = shadow
    stairs.room[0] = free
    stairs.until[1] = FOREVER
    stairs.room[1] = min(extra, free)
    stairs.state[STEPS] = 2


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def narrow(
    jobs: Jobs, candidates: Candidates, stairs: Stairs, profile: Profile, has_profile: bool, j: Int, t: Int
) -> None:
    """Take the processors of job j, which starts in second t beside the reservations.

    Parameters
    ----------
    jobs, candidates
        `Jobs`; and `Candidates`, in which job j no longer waits.
    stairs, profile
        Modified in place.
    has_profile
        Whether there is a profile; otherwise there is one reservation at most.
    j, t
        Row and second.
    """
    width = jobs.width[j]
    end = t + jobs.estimate[j]
    if has_profile:
        forget_past(profile.when, profile.span, t)
        add(profile.when, profile.room, profile.span, t, end, -width)
        climb(profile, narrowest(candidates), stairs)
        return
    stairs.room[0] -= width
    if stairs.state[STEPS] == 2:
        if end > stairs.until[0]:
            stairs.room[1] -= width
        stairs.room[1] = min(stairs.room[1], stairs.room[0])
