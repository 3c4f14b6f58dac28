import datetime as dt
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.core.situations import DAY, NIGHT, WEEKEND
from paretosched.workload.calendar import calendar, hours

EASTERN = ZoneInfo("US/Eastern")
MONDAY = dt.datetime(1996, 7, 1, tzinfo=EASTERN)


def situation_at(moment: dt.datetime, since: dt.datetime, zone: str = "US/Eastern") -> int:
    table = calendar(int(since.timestamp()), zone, 40 * 86400)
    second = int(moment.timestamp() - since.timestamp())
    return int(table.kind[np.searchsorted(table.begin, second, side="right") - 1])


@pytest.mark.parametrize(
    ("day", "hour", "kind"),
    [
        (5, 17, DAY),  # Friday
        (5, 18, NIGHT),
        (6, 0, WEEKEND),  # Saturday
        (7, 23, WEEKEND),
        (8, 0, NIGHT),  # Monday
        (8, 7, NIGHT),
        (8, 8, DAY),
        (8, 18, NIGHT),
        (9, 7, NIGHT),
        (9, 8, DAY),
    ],
)
def test_situations_change_on_the_hours_of_the_papers(day: int, hour: int, kind: int) -> None:
    moment = dt.datetime(1996, 7, day, hour, tzinfo=EASTERN)
    assert situation_at(moment, MONDAY) == kind
    before = situation_at(moment - dt.timedelta(seconds=1), MONDAY)
    assert (before != kind) == ((day, hour) in {(5, 18), (6, 0), (8, 0), (8, 8), (8, 18), (9, 8)})


def test_daylight_saving_moves_the_boundaries_in_seconds_and_not_on_the_clock() -> None:
    # US/Eastern left daylight saving on Sunday 1996-10-27: that weekend has 49 hours
    friday = dt.datetime(1996, 10, 25, tzinfo=EASTERN)
    table = calendar(int(friday.timestamp()), "US/Eastern", 7 * 86400)
    hours = np.diff(table.begin) // 3600
    kinds = table.kind[:-1].tolist()
    assert next(int(h) for h, k in zip(hours, kinds, strict=True) if k == WEEKEND) == 49
    assert situation_at(dt.datetime(1996, 10, 28, 8, tzinfo=EASTERN), friday) == DAY
    assert situation_at(dt.datetime(1996, 10, 28, 7, 59, tzinfo=EASTERN), friday) == NIGHT
    # and entered it on Sunday 1997-04-06: 47 hours
    friday = dt.datetime(1997, 4, 4, tzinfo=EASTERN)
    table = calendar(int(friday.timestamp()), "US/Eastern", 7 * 86400)
    hours = np.diff(table.begin) // 3600
    assert next(int(h) for h, k in zip(hours, table.kind[:-1].tolist(), strict=True) if k == WEEKEND) == 47


@given(
    st.datetimes(min_value=dt.datetime(1993, 1, 1), max_value=dt.datetime(2030, 1, 1)),
    st.integers(0, 30 * 86400),
    st.sampled_from(["US/Eastern", "Europe/Stockholm", "UTC", "Asia/Kolkata"]),
)
def test_the_table_agrees_with_the_wall_clock(start: dt.datetime, second: int, zone: str) -> None:
    epoch = int(start.replace(tzinfo=dt.UTC).timestamp())
    table = calendar(epoch, zone, 31 * 86400)
    assert table.begin[0] <= 0
    assert np.all(np.diff(table.begin) > 0)
    local = dt.datetime.fromtimestamp(epoch + second, ZoneInfo(zone))
    expected = WEEKEND if local.weekday() >= 5 else DAY if 8 <= local.hour < 18 else NIGHT
    assert table.kind[np.searchsorted(table.begin, second, side="right") - 1] == expected


def test_an_unknown_zone_is_refused() -> None:
    for zone in ("Mars/Olympus", "", "../etc", "US/Eastern\n"):
        with pytest.raises(InputError, match="standard zone database"):
            calendar(0, zone, 10)
    with pytest.raises(InputError, match=r"database; did you mean Europe/Berlin\?$"):
        calendar(0, "berlin", 10)


def test_a_day_that_a_place_left_out_has_no_situations() -> None:
    # Samoa went from Thursday 2011-12-29 to Saturday 2011-12-31
    periods = calendar(1325030400, "Pacific/Apia", 10 * 86400)
    assert (np.diff(periods.begin) > 0).all()
    saturday = int(dt.datetime(2011, 12, 31, 12, tzinfo=ZoneInfo("Pacific/Apia")).timestamp()) - 1325030400
    assert periods.kind[np.searchsorted(periods.begin, saturday, side="right") - 1] == WEEKEND


@pytest.mark.parametrize(
    ("zone", "marks"), [("UTC", (8, 18)), ("Europe/Berlin", (0, 2, 3)), ("US/Eastern", (1, 5, 23))]
)
def test_hours_of_the_day_are_those_of_the_clock_on_the_wall(zone: str, marks: tuple[int, ...]) -> None:
    epoch = int(dt.datetime(2001, 3, 20, 13, 30, tzinfo=dt.UTC).timestamp())
    for first in (epoch, epoch + 218 * 86400):  # around both changes of the clock
        periods = hours(first, zone, 20 * 86400, marks)
        assert periods.begin[0] <= 0
        assert (np.diff(periods.begin) > 0).all()
        for second in range(0, 20 * 86400, 1800):
            local = dt.datetime.fromtimestamp(first + second, ZoneInfo(zone))
            if local.hour == 2 and local.day > 24:
                continue  # an hour that comes twice, or marks that fall into one that is left out
            expected = max((i for i, hour in enumerate(marks) if hour <= local.hour), default=len(marks) - 1)
            assert periods.kind[np.searchsorted(periods.begin, second, side="right") - 1] == expected, local


def test_one_hour_holds_all_day() -> None:
    assert [array.tolist() for array in hours(0, "UTC", 10**9, (6,))] == [[0], [0]]
