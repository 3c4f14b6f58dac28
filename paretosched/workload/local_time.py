"""Local time of a site and back again, for many seconds at once, with its changes to summer time."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from .calendar import find_zone

DAY = 86400
LAST_LOCAL = 4_102_444_800  # 2100-01-01 00:00 UTC: until then a zone's offsets are known for times of a site's clock
UNKNOWN = -1


class Offsets(NamedTuple):
    """How far local time is ahead of UTC, and since when.

    Attributes
    ----------
    begin
        (k,) Unix times from which an offset holds, ascending; the first one is before all times.
    offset
        (k,) seconds that local time is ahead of UTC.
    """

    begin: Ints
    offset: Ints


def offsets(zone: str, first: int, last: int) -> Offsets:
    """Return the offsets of a time zone from one Unix time to another.

    Parameters
    ----------
    zone
        Name in the standard zone database.
    first, last
        Unix times; three days more are looked at on both sides.

    Raises
    ------
    InputError
        The database does not know the zone.

    Examples
    --------
    In Germany summer time began on 26 March 2000 at 01:00 UTC.

    >>> found = offsets("Europe/Berlin", 953000000, 955000000)
    >>> found.begin[1:].tolist() == [954032400], found.offset.tolist()
    (True, [3600, 7200])
    """
    tz = find_zone(zone)

    def ahead(second: int) -> int:
        local = dt.datetime.fromtimestamp(second, tz).utcoffset()
        assert local is not None  # noqa: S101  # it has a zone
        return int(local.total_seconds())

    day = max(first - 3 * DAY, 0)
    begin, offset = [day], [ahead(day)]
    while day < last + 3 * DAY:
        day += DAY
        after = ahead(day)
        if after != offset[-1]:
            before, changed = day - DAY, day
            while changed - before > 1:
                middle = (before + changed) // 2
                before, changed = (before, middle) if ahead(middle) == after else (middle, changed)
            begin.append(changed)
            offset.append(after)
    return Offsets(np.array(begin, dtype=np.int64), np.array(offset, dtype=np.int64))


def to_local(known: Offsets, unix: Ints) -> Ints:
    """Return the local clock at Unix times, (n,): the Unix time at which a clock in UTC shows the same."""
    return unix + known.offset[np.maximum(np.searchsorted(known.begin, unix, side="right") - 1, 0)]


def to_unix(known: Offsets, local: Ints) -> Ints:
    """Return the Unix times, (n,), at which the local clock shows `local`, as of `to_local`.

    Of an hour that comes twice it is the first one; an hour that is left out counts on from the hour before (as fold 0
    of Python's `datetime`, PEP 495).
    """
    later = np.maximum(known.offset[1:], known.offset[:-1])
    place = np.searchsorted(known.begin[1:] + later, local, side="right")
    return local - known.offset[place]


class Readings(NamedTuple):
    """Times as they were read.

    Attributes
    ----------
    first
        (n,) Unix times, s; -1 where unknown. Of an hour of the local clock that comes twice, the first one.
    second
        (n,) the other reading of such an hour; elsewhere the same as `first`.
    missing
        (n,) whether the local clock never shows it, since summer time began: it counts on from the hour before.
    """

    first: Ints
    second: Ints
    missing: Mask


def read_local(zone: str, local: Ints) -> Readings:
    """Return the Unix times at which the clock of a zone shows `local`, (n,) s as of `to_local`, in 1970..2099.

    Raises
    ------
    InputError
        The database does not know the zone.

    Examples
    --------
    On 27 October 2024 the hour from 2 to 3 came twice in Germany.

    >>> [part.tolist() for part in read_local("Europe/Berlin", np.array([1729996200]))]
    [[1729989000], [1729992600], [False]]
    """
    known = _all_offsets(zone)
    first = to_unix(known, local)
    after = np.minimum(np.searchsorted(known.begin, first, side="right"), known.begin.size - 1)  # the next change
    other = local - known.offset[after]
    return Readings(first, np.where(other >= known.begin[after], other, first), to_local(known, first) != local)


@lru_cache(maxsize=4)
def _all_offsets(zone: str) -> Offsets:
    """Return the offsets of a zone for all local times that are read; it takes a sixth of a second."""
    return offsets(zone, 0, LAST_LOCAL)


class Settled(NamedTuple):
    """Times of jobs of which each has one reading.

    Attributes
    ----------
    times
        (n,) Unix times of each column, s; -1 where unknown.
    guessed
        (n,) whether nothing tells which of two readings of a time is right: the first one is taken.
    """

    times: tuple[Ints, ...]
    guessed: Mask


def settle(columns: Sequence[Readings], run: Ints) -> Settled:
    """Return the readings that go together best, where a local hour comes twice.

    The end must be the run time after the start, or later, if the job was suspended; and the times must be in order.
    Of readings that go together equally well, the first ones.

    Parameters
    ----------
    columns
        The times of jobs in the order in which they must follow one another; the last two are start and end.
    run
        (n,) s; -1 where unknown.

    Examples
    --------
    A job that started at half past two and ended at three o'clock: after half an hour, or after one and a half.

    >>> start, end = read_local("Europe/Berlin", np.array([1729996200] * 2)), read_local("Europe/Berlin", np.array([1729998000] * 2))
    >>> (end.first - settle((start, end), np.array([1800, 5400])).times[0]).tolist()
    [1800, 5400]
    """  # noqa: E501
    times = tuple(column.first.copy() for column in columns)
    guessed = np.zeros(run.size, dtype=np.bool_)
    rows = np.flatnonzero(np.logical_or.reduce([column.second != column.first for column in columns]))
    if not rows.size:
        return Settled(times, guessed)
    best, faults, ties = np.zeros((len(columns), rows.size), dtype=np.int64), np.full(rows.size, np.inf), guessed[rows]
    for choice in product((False, True), repeat=len(columns)):
        here = [(column.second if later else column.first)[rows] for column, later in zip(columns, choice, strict=True)]
        is_new = np.logical_and.reduce(
            [(column.second != column.first)[rows] for column, later in zip(columns, choice, strict=True) if later]
            or [np.ones(rows.size, dtype=np.bool_)]
        )
        here_faults = np.where(is_new, _faults(here, run[rows]), np.inf)
        ties = np.where(here_faults < faults, False, ties | (is_new & (here_faults == faults)))
        best = np.where(here_faults < faults, here, best)
        faults = np.minimum(faults, here_faults)
    for column, values in zip(times, best, strict=True):
        column[rows] = values
    guessed[rows] = ties
    return Settled(times, guessed)


def _faults(times: Sequence[Ints], run: Ints) -> Ints:
    """Return how badly the times of jobs, and their run times, go together, (n,): 0 if they do."""
    before, wrong = np.full(run.size, UNKNOWN, dtype=np.int64), np.zeros(run.size, dtype=np.int64)
    for time in times:
        wrong += np.where((time != UNKNOWN) & (time < before), DAY, 0)
        before = np.maximum(before, time)
    *_, start, end = times
    more = np.where((start != UNKNOWN) & (end != UNKNOWN) & (run >= 0), end - start - run, 0)
    return wrong + np.where(more < 0, DAY - more, more)
