"""Tables of the three situations of the papers over the seconds of a log.

Papers 000 (III-A) and 002 (2.1): weekends, week days between 8 am and 6 pm, and week days between 6 pm and
8 am, in the local time of the site. Saturday 00:00 to Sunday 24:00 is weekend; Friday 18:00-24:00 and Monday
00:00-08:00 are night.
"""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, in_quotes
from ..core.situations import DAY, NIGHT, WEEKEND, Calendar

LONGEST = 400 * 366  # days in a table
LATEST = 221_845_392_000  # 9000-01-01 00:00 UTC, the end of every table; clocks of the standard library end soon after


def find_zone(zone: str) -> ZoneInfo:
    """Return a time zone of the standard zone database.

    Raises
    ------
    InputError
        The database does not know the name.
    """
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        near = sorted(name for name in available_timezones() if name.rpartition("/")[2].lower() == zone.lower())
        hint = f"; did you mean {near[0]}?" if near else ""
        raise InputError(f"time zone {in_quotes(zone)} is not in the standard zone database{hint}") from None


def day_of(second: int, zone: str) -> str:
    """Return the local day of a Unix time; a log may have times beyond all tables.

    Examples
    --------
    >>> day_of(947264400, "Asia/Tokyo"), day_of(10**12, "UTC")
    ('2000-01-08', '9000 or later')
    """
    if second >= LATEST:
        return "9000 or later"
    return dt.datetime.fromtimestamp(second, find_zone(zone)).date().isoformat()


def calendar(epoch: int, zone: str, horizon: int) -> Calendar:
    """Return the situations from second 0 to `horizon`, with daylight saving.

    Parameters
    ----------
    epoch
        Unix time of second 0.
    zone
        Name in the standard zone database.
    horizon
        Last second that the table must cover; it ends after 400 years, or with the year 9000, in any case.

    Examples
    --------
    A log that starts on Friday 2000-01-07 17:00 UTC: one hour of day, six of night, then the weekend.

    >>> from paretosched.core.situations import SITUATIONS
    >>> c = calendar(947264400, "UTC", 100_000)
    >>> [(int(b), SITUATIONS[k]) for b, k in zip(c.begin, c.kind)][:3]
    [(-32400, 'day'), (3600, 'night'), (25200, 'weekend')]
    """
    tz = find_zone(zone)
    first = dt.datetime.fromtimestamp(epoch, tz).date() - dt.timedelta(days=3)
    days = min(horizon // 86400 + 8, LONGEST, (dt.date(9000, 1, 1) - first).days)
    utc_begin = []
    kinds = []
    for number in range(days):
        day = first + dt.timedelta(days=number)
        if day.weekday() == 5:
            marks: tuple[tuple[int, int], ...] = ((0, WEEKEND),)
        elif day.weekday() == 6:
            marks = ()
        elif day.weekday() == 0:
            marks = ((0, NIGHT), (8, DAY), (18, NIGHT))
        else:
            marks = ((8, DAY), (18, NIGHT))
        for hour, kind in marks:
            local = dt.datetime(day.year, day.month, day.day, hour, tzinfo=tz)
            second = int(local.timestamp())
            if dt.datetime.fromtimestamp(second, tz).date() == day:  # some countries once left out a day
                utc_begin.append(second)
                kinds.append(kind)
    begin = np.array(utc_begin, dtype=np.int64) - epoch
    start = max(int(np.searchsorted(begin, 0, side="right")) - 1, 0)
    return Calendar(_as_kernels_need(begin[start:]), _as_kernels_need(np.array(kinds[start:], dtype=np.int64)))


def hours(epoch: int, zone: str, horizon: int, marks: tuple[int, ...]) -> Calendar:
    """Return from second 0 to `horizon` which of some hours of the day was the last one, with daylight saving.

    Parameters
    ----------
    epoch, zone, horizon
        As for `calendar`.
    marks
        Ascending, 0..23, in the local time of the site.

    Returns
    -------
    Calendar
        `kind` is the place in `marks`; before the first hour of a day the last hour of the day before holds.

    Examples
    --------
    A log that starts at 17:00 UTC.

    >>> c = hours(947264400, "UTC", 100_000, (8, 18))
    >>> list(zip(c.begin.tolist(), c.kind.tolist()))[:3]
    [(-32400, 0), (3600, 1), (54000, 0)]
    """
    if len(marks) == 1:
        return Calendar(_as_kernels_need(np.zeros(1, dtype=np.int64)), _as_kernels_need(np.zeros(1, dtype=np.int64)))
    tz = find_zone(zone)
    first = dt.datetime.fromtimestamp(epoch, tz).date() - dt.timedelta(days=2)
    days = min(horizon // 86400 + 8, LONGEST, (dt.date(9000, 1, 1) - first).days)
    kind_from: dict[int, int] = {}
    for number in range(days):
        day = first + dt.timedelta(days=number)
        for kind, hour in enumerate(marks):
            local = dt.datetime(day.year, day.month, day.day, hour, tzinfo=tz)
            # a change of the clock may bring two hours together: the last one holds
            kind_from[int(local.timestamp()) - epoch] = kind
    begin = np.array(sorted(kind_from), dtype=np.int64)
    kinds = np.array([kind_from[second] for second in sorted(kind_from)], dtype=np.int64)
    start = max(int(np.searchsorted(begin, 0, side="right")) - 1, 0)
    return Calendar(_as_kernels_need(begin[start:]), _as_kernels_need(kinds[start:]))


def _as_kernels_need(array: Ints) -> Ints:
    """Return an array that is contiguous and read-only, as the kernels expect it."""
    contiguous = np.ascontiguousarray(array)
    contiguous.flags.writeable = False
    return contiguous
