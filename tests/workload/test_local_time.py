"""Local time: what Python's own `datetime` says, second for second."""

import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.workload.local_time import offsets, read_local, settle, to_local, to_unix

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


@pytest.mark.parametrize("zone", ZONES)
def test_both_readings_are_those_of_python(zone: str) -> None:
    zone_offsets = offsets(zone, FIRST, LAST)
    walls = np.concatenate([zone_offsets.begin, zone_offsets.begin + 3600])[:, None] + np.arange(-40000, 40001, 450)
    readings = read_local(zone, walls.ravel())
    for wall, *found in zip(walls.ravel().tolist(), *(part.tolist() for part in readings), strict=True):
        moment = (ZERO + dt.timedelta(seconds=wall)).replace(tzinfo=ZoneInfo(zone))
        first, second = (int(moment.replace(fold=fold).timestamp()) for fold in (0, 1))
        assert found == [first, max(first, second), clock(first, zone) != wall]


def wall(*clocks: str) -> np.ndarray:
    """Return times of one day as seconds of a clock on the wall."""
    return np.array([int((dt.datetime.fromisoformat(f"2024-10-27T{each}") - ZERO).total_seconds()) for each in clocks])


def test_the_run_time_settles_the_hour_that_comes_twice() -> None:
    """Each job: submission, start and end on the clock, the run time, and what of it is the second reading."""
    jobs = (
        ("01:00", "02:30", "02:45", 900, None),  # both in the first hour, or both in the second
        ("01:00", "02:30", "02:45", 4500, (0, 0, 1)),
        ("01:00", "01:30", "02:30", 7200, (0, 0, 1)),
        ("01:00", "02:30", "04:00", 9000, (0, 0, 0)),
        ("01:00", "02:30", "04:00", 5400, (0, 1, 0)),
        ("02:50", "02:10", "02:20", 600, (0, 1, 1)),  # it cannot start before its submission
        ("02:20", "02:10", "02:40", 1800, (0, 1, 1)),
        ("02:20", "05:00", "06:00", 3600, None),
        ("01:00", "02:30", "02:45", -1, None),
        ("01:00", "02:45", "02:30", -1, (0, 0, 1)),
    )
    columns = [read_local("Europe/Berlin", wall(*times)) for times in [*zip(*jobs, strict=True)][:3]]
    settled = settle(columns, np.array([job[3] for job in jobs]))
    later = [(time - column.first) // 3600 for time, column in zip(settled.times, columns, strict=True)]
    assert [*zip(*(each.tolist() for each in later), strict=True)] == [job[4] or (0, 0, 0) for job in jobs]
    assert settled.guessed.tolist() == [job[4] is None for job in jobs]
