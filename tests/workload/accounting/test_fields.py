import pytest

import paretosched as ps
from paretosched.workload.accounting.fields import numbers, times


def fault(index: int, fact: str) -> ps.InputError:
    return ps.InputError(f"row {index}: {fact}")


def test_numbers_are_whole_and_of_at_most_fifteen_digits() -> None:
    assert numbers(fault, ["1", "007", "9" * 15], "n", {}) == [1, 7, 10**15 - 1]
    assert numbers(fault, ["1", "none", ""], "n", {"none": -5, "": 0}) == [1, -5, 0]
    for word in ("-1", "1.5", "1_0", "\u0663", "9" * 16, "", "1e3"):
        with pytest.raises(ps.InputError, match=r"row 1: n is .*, but must be a whole number"):
            numbers(fault, ["1", word], "n", {})


def test_times_are_unix_seconds_or_have_a_zone() -> None:
    cells = [
        "1795345200",
        "Unknown",
        "None",
        "",
        "0",
        "1795345200.75",
        "2026-11-22T12:00:00+01:00",
        "2026-11-22T11:00:00Z",
    ]
    seconds = [1795345200, -1, -1, -1, 0, 1795345200, 1795345200, 1795345200]
    assert times(fault, cells, "t", "advice").first.tolist() == seconds
    assert times(fault, cells, "t", "advice", zero=False).first.tolist() == [
        -1 if each == 0 else each for each in seconds
    ]
    assert times(fault, ["0", "5"], "t", "advice").first.tolist() == [0, 5]
    assert times(fault, ["0", "5"], "t", "advice", zero=False).first.tolist() == [-1, 5]
    for word, fact in (
        (
            "2026-11-22T12:00:00",
            "a local time without its zone; advice",
        ),
        (
            "2026-11-22",
            "a local time without its zone; advice",
        ),
        ("noon", "but must be seconds since 1970; advice"),
        ("-5", "but must be seconds since 1970; advice"),
        ("999999999999999", "but must be a time from 1970 to the year 9000"),
        ("0001-01-01T00:00:00+00:00", "but must be a time from 1970 to the year 9000"),
        ("9999-12-31T23:59:59-23:59", "but must be a time from 1970 to the year 9000"),
    ):
        with pytest.raises(ps.InputError, match="row 1: t is "):
            times(fault, ["1", word], "t", "advice")
        with pytest.raises(ps.InputError) as caught:
            times(fault, [word], "t", "advice")
        assert fact in str(caught.value)


def test_local_times_are_read_in_the_zone_of_the_site_cell_by_cell() -> None:
    cells = ["2024-03-04T08:00:00", "2024-07-04 08:00:00", "1709535600", "Unknown", "2024-03-04T08:00:00Z"]
    in_berlin = times(fault, cells, "t", "advice", "Europe/Berlin")
    assert in_berlin.first.tolist() == [1709535600, 1720072800, 1709535600, -1, 1709539200]
    assert in_berlin.second.tolist() == in_berlin.first.tolist()
    assert not in_berlin.missing.any()
    with_fractions = times(fault, [*cells, "2024-03-04T08:00:00.25"], "t", "advice", "Europe/Berlin")
    assert with_fractions.first.tolist() == [*in_berlin.first.tolist(), 1709535600]
    for word in ("2024-13-04T08:00:00", "2024-03-04T25:00:00", "2024x03-04T08:00:00", "2024-03-04T08:00:0\u0663"):
        with pytest.raises(ps.InputError, match=r"row 1: t is .*, but must be seconds since 1970; advice"):
            times(fault, [cells[0], word], "t", "advice", "Europe/Berlin")
    for word, fact in (("2100-06-01T00:00:00", "in 1970..2099"), ("1970-01-01T00:30:00", "from 1970 on")):
        with pytest.raises(ps.InputError, match=f"row 1: t is .*{fact}"):
            times(fault, [cells[0], word], "t", "advice", "Europe/Berlin")


def test_hours_that_come_twice_or_never_are_told() -> None:
    cells = ["2024-10-27T01:59:59", "2024-10-27T02:30:00", "2024-10-27T03:00:00", "2024-03-31T02:30:00"]
    readings = times(fault, cells, "t", "advice", "Europe/Berlin")
    assert (readings.second - readings.first).tolist() == [0, 3600, 0, 0]
    assert readings.missing.tolist() == [False, False, False, True]
    assert readings.first.tolist() == [1729987199, 1729989000, 1729994400, 1711848600]
