"""Local time: what Python's own `datetime` says, second for second."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.workload.local_time import offsets, to_local, to_unix

FIRST, LAST = 946684800, 978307200  # the year 2000
ZERO = dt.datetime(1970, 1, 1)  # a clock on the wall
ZONES = ("UTC", "US/Pacific", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata")


def clock(second: int, zone: str) -> int:
    """What a clock on the wall shows, as seconds since 1970 on that clock."""
    wall = dt.datetime.fromtimestamp(second, ZoneInfo(zone)).replace(tzinfo=None)
    return int((wall - ZERO).total_seconds())


def instant(wall: int, zone: str) -> int:
    """When the clock shows this, by Python's rule for hours that come twice or not at all."""
    return int((ZERO + dt.timedelta(seconds=wall)).replace(tzinfo=ZoneInfo(zone)).timestamp())


@pytest.mark.parametrize("zone", ZONES)
def test_clocks_are_those_of_python(zone: str) -> None:
    zone_offsets = offsets(zone, FIRST, LAST)
    r = np.random.default_rng(1)
    changes = zone_offsets.begin[1:, None] + np.arange(-7200, 7201, 450)
    unix = np.sort(np.concatenate([r.integers(FIRST, LAST, 300), changes.ravel()]))
    walls = to_local(zone_offsets, unix)
    assert walls.tolist() == [clock(second, zone) for second in unix.tolist()]
    times = np.concatenate([walls, walls + 1800, walls - 1800])
    assert to_unix(zone_offsets, times).tolist() == [instant(each, zone) for each in times.tolist()]


def test_a_year_has_two_changes_or_none() -> None:
    assert [len(offsets(zone, FIRST, LAST).begin) for zone in ZONES] == [1, 3, 3, 3, 1]


def test_an_unknown_zone_is_refused() -> None:
    with pytest.raises(InputError, match="not in the standard zone database"):
        offsets("Mars/Olympus", FIRST, LAST)
