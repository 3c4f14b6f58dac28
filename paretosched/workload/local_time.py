"""Local time of a site and back again, for many seconds at once, with its changes to summer time."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from .calendar import find_zone

DAY = 86400


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
