from __future__ import annotations

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
    assert times(fault, cells, "t", "advice") == [1795345200, -1, -1, -1, -1, 1795345200, 1795345200, 1795345200]
    for word, fact in (
        ("2026-11-22T12:00:00", "a local time without its zone; advice"),
        ("2026-11-22", "a local time without its zone; advice"),
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
