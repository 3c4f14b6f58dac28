"""Slots of a deep queue, sorted now and then, so that a search for a job to backfill passes over many at once.

The slots of `kinetic_queue` are in the order of arrival. So a node over some of them has jobs of all sizes: the
narrowest may fit, the shortest may end in time, and the first in the order is another one, which may not start. A
search for the first job that may start looks at much of a deep queue then. Which job comes first depends on no slot.
So when a search has been slow, slots are sorted by width and estimate: below many nodes all jobs may start, or none.

Widths are sorted by their first three binary digits, because jobs of nearly the same width differ more in their
estimates. Jobs that came after the last sorting are sorted alone, and together with the last run of sorted slots if
that is not more than twice as long. So n slots have O(log n) runs, and each job is sorted O(log n) times (as in a
logarithmic method, Bentley and Saxe 1980).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int, Ints
from .compiling import njit
from .kinetic_queue import BENCH, EMPTY, SLOT, Tournament, clear, smallest_of
from .waiting_sizes import length_of
from .waiting_tree import ESTIMATE, WIDTH

SLOW = 256  # nodes that a search may visit before slots are sorted
FEW = 64  # slots that are not worth it
RATIO = 2  # of the lengths of two runs that are sorted together
MOST = 64  # runs, more than there can be with that ratio
DIGITS = 3  # of a width
LENGTH_BITS, PLACE_BITS = 31, 25  # of an estimate, and of a place in a run; a width has 7 bits, see `digits_of`
RUNS, END = 0, 1  # in `Runs.state`


class Runs(NamedTuple):
    """What is known of sorted slots, and work space.

    Attributes
    ----------
    begin
        (MOST,) int64, the first slot of each run.
    state
        (2,) int64: the number of runs, and the first slot behind them.
    keys
        (slots,) int64, work space.
    spare
        (1,) SLOT, work space.
    """

    begin: Ints
    state: Ints
    keys: Ints
    spare: NDArray[np.void]


def no_runs(slots: Int) -> Runs:
    """Return work space for so many slots."""
    # Only the part that the longest run needs is touched.
    return Runs(np.empty(MOST, np.int64), np.zeros(2, np.int64), np.empty(slots, np.int64), np.empty(1, SLOT))


@njit(cache=True, nogil=True, _nrt=False)
def sort_slots(game: Tournament, least: Ints, runs: Runs, past: Int, top: Int) -> tuple[Int, Int]:
    """Sort the slots behind the last run, or more of them, if they are worth it; the games of these become stale.

    Parameters
    ----------
    game
        Modified in place.
    least
        (2 * size, 2) int64, the tree of the smallest over the benches, modified in place.
    runs
        `Runs`, modified in place.
    past, top
        The first slot behind all jobs up to now, and the root of the trees in use.

    Returns
    -------
    begin, end
        The first slot whose job may have moved, and the first slot behind all jobs.
    """
    if past - runs.state[END] < FEW:
        return past, past
    count = runs.state[RUNS]
    begin = runs.state[END]
    while count > 0 and begin - runs.begin[count - 1] <= RATIO * (past - begin):
        count -= 1
        begin = runs.begin[count]
    if past - begin >= 1 << PLACE_BITS:
        return past, past
    end = begin + _sort(game, runs, begin, past)
    runs.begin[count] = begin
    runs.state[RUNS] = count + 1
    runs.state[END] = end
    replant(game, begin, end, past, top)
    _measure(game, least, begin, past, top)
    return begin, end


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def forget_runs(runs: Runs) -> None:
    """Forget which slots are sorted; `runs` is modified in place."""
    runs.state[RUNS] = 0
    runs.state[END] = 0


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def digits_of(width: Int) -> Int:
    """Return a number that grows with the first binary digits of a width; it is below 2^7 for widths below 2^31."""
    shift = 0
    while width >> DIGITS > 0:
        width >>= 1
        shift += 1
    return (shift << (DIGITS - 1)) + width


@njit(cache=True, nogil=True, _nrt=False)
def _sort(game: Tournament, runs: Runs, begin: Int, past: Int) -> Int:
    """Move the jobs of slots `begin` to `past` - 1 together and sort them; return how many there are.

    The slots of `game` and the work space of `runs` are modified in place. The slots behind the jobs are empty then.
    """
    slots, keys, spare = game.slots, runs.keys, runs.spare
    count = 0
    for slot in range(begin, past):
        if slots[slot]["row"] >= 0:
            slots[begin + count] = slots[slot]
            count += 1
    for slot in range(begin + count, past):
        slots[slot]["row"] = EMPTY
    for i in range(count):
        job = slots[begin + i]
        size = (digits_of(np.int64(job["width"])) << LENGTH_BITS) | length_of(job["estimate"])
        keys[i] = (size << PLACE_BITS) | i
    for root in range(count // 2 - 1, -1, -1):
        _sink(keys, root, count)
    for last in range(count - 1, 0, -1):
        keys[0], keys[last] = keys[last], keys[0]
        _sink(keys, 0, last)
    for i in range(count):  # a cycle of the permutation after the other
        if keys[i] < 0:
            continue
        spare[0] = slots[begin + i]
        place = i
        source = keys[i] & ((1 << PLACE_BITS) - 1)
        while source != i:
            slots[begin + place] = slots[begin + source]
            keys[place] = -1
            place = source
            source = keys[place] & ((1 << PLACE_BITS) - 1)
        slots[begin + place] = spare[0]
        keys[place] = -1
    return count


@njit(cache=True, nogil=True, _nrt=False)
def _sink(keys: Ints, root: Int, count: Int) -> None:
    """Let a key sink to its place in a heap with the largest on top.

    Parameters
    ----------
    keys
        (m,) int64, of which the first are the heap, modified in place.
    root, count
        The place of the key, below which all is in order, and the size of the heap.
    """
    key = keys[root]
    place = root
    child = 2 * place + 1
    while child < count:
        if child + 1 < count and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= key:
            break
        keys[place] = keys[child]
        place = child
        child = 2 * place + 1
    keys[place] = key


@njit(cache=True, nogil=True, _nrt=False)
def replant(game: Tournament, begin: Int, end: Int, past: Int, top: Int) -> None:
    """Make the games stale, in all situations, of jobs that have moved from slots begin..past - 1 to begin..end - 1.

    Parameters
    ----------
    game
        Modified in place.
    begin, end, past
        Slots.
    top
        The root of the trees in use.
    """
    size = game.stale.shape[1] >> 1
    first = begin // BENCH + size
    last = (past - 1) // BENCH + size
    empty = (end + BENCH - 1) // BENCH + size  # nodes from it on have no job
    while first >= top:
        for node in range(first, last + 1):
            if node >= empty:
                clear(game, node)
                continue
            for s in range(3):
                game.stale[s, node] = True
        first >>= 1
        last >>= 1
        empty = (empty + 1) >> 1


@njit(cache=True, nogil=True, _nrt=False)
def _measure(game: Tournament, least: Ints, begin: Int, past: Int, top: Int) -> None:
    """Update the tree of the smallest after jobs have moved within slots begin..past - 1.

    Parameters
    ----------
    game
        The jobs of the slots.
    least
        (2 * size, 2) int64, the tree of the smallest over the benches, modified in place.
    begin, past
        Slots.
    top
        The root of the trees in use.
    """
    size = game.stale.shape[1] >> 1
    first = begin // BENCH + size
    last = (past - 1) // BENCH + size
    for bench in range(first, last + 1):
        least[bench, WIDTH], least[bench, ESTIMATE] = smallest_of(game, bench - size)
    while first > top:
        first >>= 1
        last >>= 1
        for node in range(first, last + 1):
            for what in (WIDTH, ESTIMATE):
                least[node, what] = min(least[2 * node, what], least[2 * node + 1, what])
