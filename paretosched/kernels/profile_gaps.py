"""Where a job may fit into a profile: the longest gaps so far, in the order of time, by ranges of widths.

A gap of a range is a time in which at least the narrowest width of the range is free all the time. Of each range the
table has the gaps that are longer than all gaps before them. A job that fits somewhere fits into a gap of its range; so
no job begins before the first gap that is long enough. When processors are taken, the table need not change: it stays
a lower bound.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .profile import FIRST, LAST, segment
from .profile_blocks import Blocks, wide_since, wide_until
from .running import Profile
from .waiting_sizes import RANGES, range_of, width_ranges
from .waiting_tree import FAR

MOST = 64  # gaps of a range; if there are more, two of them are counted as one that is as early and as long as both


class Gaps(NamedTuple):
    """The table.

    Attributes
    ----------
    edges
        (16,) int64, the narrowest width of each range, processors.
    begin, length
        (16, 64) int64, s, ascending: the gaps of each range.
    gap_counts
        (16,) int64, how many gaps a range has.
    open_since
        (16,) int64, work space.
    """

    edges: Ints
    begin: Ints
    length: Ints
    gap_counts: Ints
    open_since: Ints


def no_gaps(capacity: Int) -> Gaps:
    """Return work space for the gaps of a machine of `capacity` processors."""
    return Gaps(
        width_ranges(capacity),
        np.empty((RANGES, MOST), np.int64),
        np.empty((RANGES, MOST), np.int64),
        np.zeros(RANGES, np.int64),
        np.empty(RANGES, np.int64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def find_gaps(gaps: Gaps, profile: Profile) -> None:
    """Find the gaps of a profile; `gaps` is modified in place, `profile` is not."""
    gaps.gap_counts[:] = 0
    wide = 0  # how many ranges have an open gap
    for i in range(profile.span[FIRST], profile.span[LAST]):
        now = range_of(gaps.edges, profile.room[i]) + 1
        since = profile.when[i]
        while wide < now:
            gaps.open_since[wide] = since
            wide += 1
        while wide > now:
            wide -= 1
            begin = gaps.open_since[wide]
            count = gaps.gap_counts[wide]
            if count == 0 or since - begin > gaps.length[wide, count - 1]:
                _append(gaps, wide, begin, since - begin)
    for k in range(wide):
        _append(gaps, k, gaps.open_since[k], FAR)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _append(gaps: Gaps, k: Int, begin: Int, length: Int) -> None:
    """Add a gap of range k, `begin` and `length` s, later and longer than its others; `gaps` is modified in place."""
    count = gaps.gap_counts[k]
    if count == MOST:
        gaps.length[k, count - 1] = length
    else:
        gaps.begin[k, count] = begin
        gaps.length[k, count] = length
        gaps.gap_counts[k] = count + 1


@njit(cache=True, nogil=True, _nrt=False)
def widen_gaps(gaps: Gaps, blocks: Blocks, profile: Profile, since: Int, until: Int) -> None:
    """Note that processors have become free.

    Parameters
    ----------
    gaps
        Modified in place.
    blocks, profile
        The profile in which they are free, with bounds; not changed.
    since, until
        Seconds since..until - 1, in which they have become free.
    """
    when = profile.when
    room = profile.room
    last = profile.span[LAST]
    i = segment(when, profile.span, since)
    most: Int = room[i]
    end = i + 1
    while end < last and when[end] < until:
        most = max(most, room[end])
        end += 1
    for k in range(range_of(gaps.edges, most), -1, -1):
        i = wide_since(blocks, profile, i, gaps.edges[k])
        end = wide_until(blocks, profile, end, gaps.edges[k], FAR)
        _insert(gaps, k, when[i], FAR if end == last else when[end] - when[i])


@njit(cache=True, nogil=True, _nrt=False)
def _insert(gaps: Gaps, k: Int, begin: Int, length: Int) -> None:
    """Add a gap of range k, `begin` and `length` s, if no gap before it is as long; `gaps` is modified in place."""
    count = gaps.gap_counts[k]
    place = 0
    while place < count and gaps.begin[k, place] <= begin:
        place += 1
    if place > 0 and gaps.length[k, place - 1] >= length:
        return
    shorter = place  # gaps behind it that are not longer are dropped
    while shorter < count and gaps.length[k, shorter] <= length:
        shorter += 1
    if shorter == place:
        if count == MOST:  # the gap before it becomes as long, or the gap behind it as early
            if place > 0:
                gaps.length[k, place - 1] = length
            else:
                gaps.begin[k, place] = begin
            return
        for x in range(count, place, -1):
            gaps.begin[k, x] = gaps.begin[k, x - 1]
            gaps.length[k, x] = gaps.length[k, x - 1]
        gaps.gap_counts[k] = count + 1
    elif shorter > place + 1:
        fewer = shorter - place - 1
        for x in range(shorter, count):
            gaps.begin[k, x - fewer] = gaps.begin[k, x]
            gaps.length[k, x - fewer] = gaps.length[k, x]
        gaps.gap_counts[k] = count - fewer
    gaps.begin[k, place] = begin
    gaps.length[k, place] = length


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def first_gap(gaps: Gaps, width: Int, length: Int) -> Int:
    """Return a second before which no job of `width` processors and `length` seconds begins, by the table `gaps`."""
    k = range_of(gaps.edges, width)
    i = 0
    while gaps.length[k, i] < length:
        i += 1
    return gaps.begin[k, i]
