"""The least and the greatest room of blocks of a profile's entries, so that searches skip most of a long profile.

The profile stays as in `profile.py`: entries of which each is moved by one place when one before it is added or
dropped. Bounds of a block are those of the BLOCK places that it covers. An entry that moves into a block widens its
bounds, and none that moves out narrows them; so they are loose, but true. From time to time all are computed again.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .profile import FIRST, LAST, ONE, add_to_entries, close_entry, open_entry, segment
from .running import Profile
from .waiting_tree import FAR

BITS = 5
BLOCK = 1 << BITS  # entries
LOWEST, HIGHEST = 0, BLOCK - 1  # of the places of a block
SHIFTS = 32  # entries that are added or dropped between two computations of all bounds
ZERO, STEP, SHIFT, PLACES = np.uint64(0), np.uint64(BLOCK), np.uint64(BITS), np.uint64(BLOCK - 1)  # of unsigned indices


class Blocks(NamedTuple):
    """The bounds of all blocks.

    Attributes
    ----------
    least, most
        (blocks,) int64, processors: no room in a block is below the one or above the other.
    shifts
        (1,) int64, how often entries were moved since all bounds were computed.
    """

    least: Ints
    most: Ints
    shifts: Ints


def no_blocks(size: Int) -> Blocks:
    """Return work space for the blocks of a profile of at most `size` segments."""
    count = (size >> BITS) + 1
    return Blocks(np.empty(count, np.int64), np.empty(count, np.int64), np.zeros(1, np.int64))


@njit(cache=True, nogil=True, _nrt=False)
def find_bounds(blocks: Blocks, profile: Profile) -> None:
    """Compute the bounds of all blocks of `profile`, which is not changed; `blocks` is modified in place."""
    blocks.shifts[0] = 0
    for b in range(profile.span[FIRST] >> BITS, ((profile.span[LAST] - 1) >> BITS) + 1):
        _bound(blocks, profile, b)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _bound(blocks: Blocks, profile: Profile, b: Int) -> None:
    """Compute the bounds of block b of `profile`, which is not changed; `blocks` is modified in place."""
    least = FAR
    most = -FAR
    low = np.uint64(max(b << BITS, profile.span[FIRST]))
    for k in range(low, np.uint64(min((b + 1) << BITS, profile.span[LAST]))):
        least = min(least, profile.room[k])
        most = max(most, profile.room[k])
    blocks.least[b] = least
    blocks.most[b] = most


@njit(cache=True, nogil=True, _nrt=False)
def add_to_blocks(blocks: Blocks, profile: Profile, begin: Int, end: Int, width: Int) -> None:
    """Free or take processors as `profile.add` does, and keep the bounds true.

    Parameters
    ----------
    blocks, profile
        Modified in place.
    begin, end, width
        As for `profile.add`: s, s, and processors, above 0 to free and below 0 to take them.
    """
    when = profile.when
    room = profile.room
    span = profile.span
    i = segment(when, span, begin)
    if when[i] < begin:
        i = _insert(blocks, profile, i + 1, begin)
    k = segment(when, span, end)
    if when[k] < end:
        offset = i - span[FIRST]
        k = _insert(blocks, profile, k + 1, end)
        i = span[FIRST] + offset
    add_to_entries(room, i, k, width)
    low = i >> BITS
    high = (k - 1) >> BITS
    _bound(blocks, profile, low)
    if high > low:
        _bound(blocks, profile, high)
    for b in range(low + 1, high):
        blocks.least[b] += width
        blocks.most[b] += width
    if room[k] == room[k - 1]:
        offset = i - span[FIRST]
        _drop(blocks, profile, k)
        i = span[FIRST] + offset
    if i > span[FIRST] and room[i] == room[i - 1]:
        _drop(blocks, profile, i)
    if blocks.shifts[0] >= SHIFTS:
        find_bounds(blocks, profile)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _insert(blocks: Blocks, profile: Profile, i: Int, t: Int) -> Int:
    """Divide the segment before entry i at second t and return the new entry; `blocks`, `profile` modified in place."""
    room = profile.room
    span = profile.span
    free = room[i - 1]
    new = open_entry(profile.when, room, span, i)
    profile.when[new] = t
    room[new] = free
    if new == i:  # the entries behind it have moved up
        if (span[LAST] - 1) & HIGHEST == LOWEST:
            blocks.least[(span[LAST] - 1) >> BITS] = FAR
            blocks.most[(span[LAST] - 1) >> BITS] = -FAR
        _widen(blocks, room, new + 1, span[LAST] - 1, LOWEST)
    else:
        if span[FIRST] & HIGHEST == HIGHEST:
            blocks.least[span[FIRST] >> BITS] = FAR
            blocks.most[span[FIRST] >> BITS] = -FAR
        _widen(blocks, room, span[FIRST], new - 1, HIGHEST)
    _include(blocks, new >> BITS, free)
    blocks.shifts[0] += 1
    return new


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _drop(blocks: Blocks, profile: Profile, i: Int) -> None:
    """Drop entry i, whose room is that of the entry before it; `blocks` and `profile` are modified in place."""
    first = profile.span[FIRST]
    close_entry(profile.when, profile.room, profile.span, i)
    if profile.span[FIRST] > first:  # the entries before it have moved up
        _widen(blocks, profile.room, first + 1, i, LOWEST)
    else:
        _widen(blocks, profile.room, i, profile.span[LAST] - 1, HIGHEST)
    blocks.shifts[0] += 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _widen(blocks: Blocks, room: Ints, low: Int, high: Int, place: Int) -> None:
    """Note that all entries low..high have moved by one place, into other blocks where they are at `place` of these.

    `blocks` is modified in place; `room`, (m,) int64, processors, is not.
    """
    for k in range(low + ((place - low) & HIGHEST), high + 1, BLOCK):
        _include(blocks, k >> BITS, room[k])


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _include(blocks: Blocks, b: Int, free: Int) -> None:
    """Widen the bounds of block b to a room of `free` processors; `blocks` is modified in place."""
    blocks.least[b] = min(blocks.least[b], free)
    blocks.most[b] = max(blocks.most[b], free)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def wide_from(blocks: Blocks, profile: Profile, i: Int, width: Int) -> Int:
    """Return the first entry from entry i on with at least `width` processors; the end of the profile if none has.

    `blocks` and `profile` are not changed.
    """
    room = profile.room
    last = np.uint64(profile.span[LAST])
    k = np.uint64(i)
    stop = min(last, (k | PLACES) + ONE)
    while True:
        while k < stop and room[k] < width:
            k += ONE
        if k < stop or k == last:
            return np.int64(k)
        while k < last and blocks.most[k >> SHIFT] < width:
            k += STEP
        k = min(k, last)
        stop = min(last, k + STEP)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def wide_until(blocks: Blocks, profile: Profile, i: Int, width: Int, end: Int) -> Int:
    """Return the first entry from i on with less than `width` processors, or one that begins at `end`, s, or later.

    If there is neither, the end of the profile is returned. An entry that begins at `end` or later need not be the
    first one. `blocks` and `profile` are not changed.
    """
    when = profile.when
    room = profile.room
    last = np.uint64(profile.span[LAST])
    k = np.uint64(i)
    stop = min(last, (k | PLACES) + ONE)
    while True:
        while k < stop and room[k] >= width:
            k += ONE
        if k < stop or k == last or when[k] >= end:
            return np.int64(k)
        while k < last and when[k] < end and blocks.least[k >> SHIFT] >= width:
            k += STEP
        k = min(k, last)
        stop = min(last, k + STEP)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def wide_since(blocks: Blocks, profile: Profile, i: Int, width: Int) -> Int:
    """Return the first entry from which on all entries before entry i have at least `width` processors.

    `blocks` and `profile` are not changed.
    """
    room = profile.room
    first = np.uint64(profile.span[FIRST])
    k = np.uint64(i)
    while True:
        while k > first and (k & PLACES) > ZERO and room[k - ONE] >= width:
            k -= ONE
        if k == first or room[k - ONE] < width:
            return np.int64(k)
        while k > first and blocks.least[(k - ONE) >> SHIFT] >= width:
            k -= min(STEP, k - first)
        if k == first:
            return np.int64(k)
        if room[k - ONE] >= width:
            k -= ONE


@njit(cache=True, nogil=True, _nrt=False)
def most_in_blocks(blocks: Blocks, profile: Profile, begin: Int, end: Int) -> Int:
    """Return a bound of the processors that are free at once in the seconds [begin, end), which no room there exceeds.

    `blocks` and `profile` are not changed; `begin`, before `end`, is not before the profile.
    """
    most = 0
    low = segment(profile.when, profile.span, begin) >> BITS
    high = segment(profile.when, profile.span, end - 1) >> BITS
    for b in range(low, high + 1):
        most = max(most, blocks.most[b])
    return most


@njit(cache=True, nogil=True, _nrt=False)
def earliest_in_blocks(
    blocks: Blocks, profile: Profile, after: Int, before: Int, present: Int, width: Int, length: Int
) -> Int:
    """Return the earliest start as `profile.earliest` does, by the bounds of the blocks.

    Parameters
    ----------
    blocks, profile
        Not changed.
    after, before, present, width, length
        As for `profile.earliest`: s, s, s, processors, s.
    """
    when = profile.when
    last = profile.span[LAST]
    i = segment(when, profile.span, after)
    while True:
        i = wide_from(blocks, profile, i, width)
        if i == last:
            return before
        start = max(when[i], after)
        if start >= before:
            return before
        end = min(start + length, present)
        i = wide_until(blocks, profile, i + 1, width, end)
        if i == last or when[i] >= end:
            return start
