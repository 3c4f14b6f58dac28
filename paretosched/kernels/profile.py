"""The availability profile: the number of free processors over time, as far as jobs are planned.

Two arrays over the same index: `when[i]`, ascending, and `room[i]`, the processors free in [when[i], when[i + 1]);
the last entry has no end. The part in use is first..last - 1, stored in `span`. It can grow on both sides, so that
a change moves only the shorter side. All three arrays are int64, of s, of processors, and of indices: (m,), (m,)
and (2,), where m is at least two for every job and some more.
"""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit

FIRST, LAST = 0, 1
ONE = np.uint64(1)


@njit(cache=True, nogil=True, _nrt=False)
def clear(when: Ints, room: Ints, span: Ints, t: Int, free: Int) -> None:
    """Set up the profile of a machine on which the same number of processors is free from one second on.

    Parameters
    ----------
    when, room
        (m,) int64, s and processors; one entry in the middle is set in place.
    span
        (2,) int64, indices, set in place: the profile has this one entry.
    t, free
        s, and the processors that are free from then on.
    """
    middle = when.size // 2
    span[FIRST] = middle
    span[LAST] = middle + 1
    when[middle] = t
    room[middle] = free


@njit(cache=True, nogil=True, _nrt=False)
def forget_past(when: Ints, span: Ints, t: Int) -> None:
    """Drop the segments that end at second t or before.

    Parameters
    ----------
    when
        (m,) int64, s, not changed.
    span
        (2,) int64, indices; the first one is modified in place.
    t
        s.
    """
    first = span[FIRST]
    last = span[LAST]
    while first + 1 < last and when[first + 1] <= t:
        first += 1
    span[FIRST] = first


@njit(cache=True, nogil=True, _nrt=False)
def segment(when: Ints, span: Ints, t: Int) -> Int:
    """Return the index of the segment that holds second t.

    Parameters
    ----------
    when, span
        (m,) int64, s, and (2,) int64, indices; not changed.
    t
        s, not before the profile.

    Returns
    -------
    int
        The last i of the part in use with when[i] <= t.
    """
    low = span[FIRST]
    high = span[LAST] - 1
    while low < high:
        middle = (low + high + 1) >> 1
        if when[middle] <= t:
            low = middle
        else:
            high = middle - 1
    return low


# Unsigned indices cannot count from the end of an array, so that these loops take several entries at a time.
@njit(cache=True, nogil=True, _nrt=False)
def move_up(values: Ints, low: Int, high: Int) -> None:
    """Move entries low..high - 1 of `values`, (m,) int64, by one place to the end, in place."""
    for k in range(np.uint64(high - low)):
        values[np.uint64(high) - k] = values[np.uint64(high) - k - ONE]


@njit(cache=True, nogil=True, _nrt=False)
def move_down(values: Ints, low: Int, high: Int) -> None:
    """Move entries low..high - 1 of `values`, (m,) int64, by one place to the beginning, in place."""
    for k in range(np.uint64(low), np.uint64(high)):
        values[k - ONE] = values[k]


@njit(cache=True, nogil=True, _nrt=False)
def add_to_entries(values: Ints, low: Int, high: Int, number: Int) -> None:
    """Add a number to entries low..high - 1 of `values`, (m,) int64, in place."""
    for k in range(np.uint64(low), np.uint64(high)):
        values[k] += number


@njit(cache=True, nogil=True, _nrt=False)
def open_entry(when: Ints, room: Ints, span: Ints, i: Int) -> Int:
    """Make room for a new entry before an entry; the caller sets its time and its processors.

    Parameters
    ----------
    when, room
        (m,) int64, s and processors; the entries of the shorter side are moved by one place, in place.
    span
        (2,) int64, indices, modified in place: the profile has one entry more.
    i
        The index of the entry, or of the end of the part in use.

    Returns
    -------
    int
        The index of the new entry, i or i - 1; -1 if the arrays are full.
    """
    first = span[FIRST]
    last = span[LAST]
    if first == 0 and last == when.size:
        return np.int64(-1)  # never happens: the arrays have two entries for every job and some more
    if last == when.size or (first > 0 and i - first < last - i):
        move_down(when, first, i)
        move_down(room, first, i)
        span[FIRST] = first - 1
        return i - 1
    move_up(when, i, last)
    move_up(room, i, last)
    span[LAST] = last + 1
    return i


@njit(cache=True, nogil=True, _nrt=False)
def close_entry(when: Ints, room: Ints, span: Ints, i: Int) -> None:
    """Drop an entry; its seconds then belong to the segment before it.

    Parameters
    ----------
    when, room
        (m,) int64, s and processors; the entries of the shorter side are moved by one place, in place.
    span
        (2,) int64, indices, modified in place: the profile has one entry less.
    i
        The index of the entry, which is not the first one.
    """
    first = span[FIRST]
    last = span[LAST]
    if i - first < last - i:
        move_up(when, first, i)
        move_up(room, first, i)
        span[FIRST] = first + 1
    else:
        move_down(when, i + 1, last)
        move_down(room, i + 1, last)
        span[LAST] = last - 1


@njit(cache=True, nogil=True, _nrt=False)
def add(when: Ints, room: Ints, span: Ints, begin: Int, end: Int, width: Int) -> None:
    """Free or take processors in the seconds [begin, end).

    Parameters
    ----------
    when, room
        (m,) int64, s and processors, modified in place.
    span
        (2,) int64, indices, modified in place: entries are added at begin and at end where there is none, and dropped
        where the processors then are those of the segment before.
    begin, end
        s, begin < end; begin is not before the profile.
    width
        Processors; above 0 they become free, below 0 they are taken.
    """
    add_at(when, room, span, segment(when, span, begin), begin, end, width)


@njit(cache=True, nogil=True, _nrt=False)
def add_at(when: Ints, room: Ints, span: Ints, i: Int, begin: Int, end: Int, width: Int) -> None:
    """Free or take processors as `add` does, where the segment of the first second is known.

    Parameters
    ----------
    when, room
        (m,) int64, s and processors, modified in place.
    span
        (2,) int64, indices, modified in place.
    i
        The index of the segment that holds second `begin`.
    begin, end, width
        As for `add`: s, s, and processors, above 0 to free and below 0 to take them.
    """
    if when[i] < begin:
        free = room[i]
        i = open_entry(when, room, span, i + 1)
        when[i] = begin
        room[i] = free
    k = i
    last = span[LAST]
    while k + 1 < last and when[k + 1] < end:
        k += 1
    if k + 1 == last or when[k + 1] > end:
        free = room[k]
        offset = i - span[FIRST]
        k = open_entry(when, room, span, k + 1) - 1
        when[k + 1] = end
        room[k + 1] = free
        i = span[FIRST] + offset
    add_to_entries(room, i, k + 1, width)
    if room[k + 1] == room[k]:
        offset = i - span[FIRST]
        close_entry(when, room, span, k + 1)
        i = span[FIRST] + offset
    if i > span[FIRST] and room[i] == room[i - 1]:
        close_entry(when, room, span, i)


@njit(cache=True, nogil=True, _nrt=False)
def earliest(when: Ints, room: Ints, span: Ints, after: Int, before: Int, present: Int, width: Int, length: Int) -> Int:
    """Return the earliest start in [after, before) of a job that is now planned to start at `present`.

    Parameters
    ----------
    when, room
        (m,) int64, s and processors, not changed.
    span
        (2,) int64, indices, not changed.
    after, before
        s; the start must be in [after, before), and `after` is not before the profile.
    present
        s, at least `before`. The job's own plan [present, present + length) counts as free. With present = before
        = FAR this is the earliest start of a job that has no plan.
    width, length
        Processors, and s.

    Returns
    -------
    int
        s; `before` if there is no earlier start.
    """
    start, _ = earliest_at(when, room, span, segment(when, span, after), after, before, present, width, length)
    return start


@njit(cache=True, nogil=True, _nrt=False)
def earliest_at(
    when: Ints, room: Ints, span: Ints, i: Int, after: Int, before: Int, present: Int, width: Int, length: Int
) -> tuple[Int, Int]:
    """Return the earliest start as `earliest` does, where the segment of the first second is known.

    Parameters
    ----------
    when, room
        (m,) int64, s and processors, not changed.
    span
        (2,) int64, indices, not changed.
    i
        The index of the segment that holds second `after`.
    after, before, present, width, length
        As for `earliest`: s, s, s, processors, s.

    Returns
    -------
    start, i
        s, `before` if there is no earlier start; and the segment that holds the start, if there is one.
    """
    last = span[LAST]
    while True:
        while i < last and room[i] < width:
            i += 1
        if i == last:
            return before, i
        start = max(when[i], after)
        if start >= before:
            return before, i
        end = min(start + length, present)
        k = i + 1
        while k < last and when[k] < end and room[k] >= width:
            k += 1
        if k == last or when[k] >= end:
            return start, i
        i = k + 1


@njit(cache=True, nogil=True, _nrt=False)
def most_between(when: Ints, room: Ints, span: Ints, begin: Int, end: Int) -> Int:
    """Return the most processors that are free at once in the seconds [begin, end).

    Parameters
    ----------
    when, room
        (m,) int64, s and processors, not changed.
    span
        (2,) int64, indices, not changed.
    begin, end
        s, begin < end; begin is not before the profile.
    """
    i = segment(when, span, begin)
    most: Int = room[i]
    while i + 1 < span[LAST] and when[i + 1] < end:
        i += 1
        most = max(most, room[i])
    return most
