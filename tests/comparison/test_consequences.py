"""What another scheduler would change for whom: every number in a sentence is one of the measures."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched.comparison.consequences import SAME, consequences, duration, two_measures, users_of
from paretosched.simulation.service import Waits, waits
from support.zoo import ZOO

UNITS = {"s": 1, "minute": 60, "minutes": 60, "h": 3600, "days": 86400}


def seconds(words: str) -> float:
    """Return the seconds of a duration in words."""
    number, unit = words.split()
    return float(number) * UNITS[unit]


def of(mean: float, median: float, late: float, worst: float) -> Waits:
    """Waits of one group that has all jobs."""
    return Waits(np.array([9, 9]), *(np.full(2, float(x)) for x in (mean, median, late, worst, 1, 1)))


@given(st.floats(0, 1e9))
def test_a_duration_is_right_to_two_digits(value: float) -> None:
    words = duration(value)
    assert seconds(words) == pytest.approx(value, rel=0.051, abs=0.051)
    assert "e" not in words.split()[0]


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_a_longer_time_never_reads_shorter(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert seconds(duration(low)) <= seconds(duration(high))


def test_what_stays_is_said_to_stay_and_nothing_else_is() -> None:
    same = consequences(of(60, 0, 600, 700), of(60, 0, 600, 700), ["vip"], [3, 1], (70.0, 70.0), "EASY")
    assert [line.verdict for line in same] == [SAME] * 3
    assert same[0].sentence == (
        "All, 3 users: half still start at once; the mean wait stays 1 minute; 95 of 100 start within 10 minutes, as "
        "with EASY; the longest wait is 12 minutes, as with EASY."
    )
    assert same[1].sentence.startswith("Group vip, 1 user, 9 jobs only: ")
    unknown = consequences(of(60, 0, 600, 700), of(60, 0, 600, 700), ["vip"], [0, 0], (70.0, 70.0), "EASY")
    assert [line.sentence.partition(":")[0] for line in unknown[:2]] == ["All", "Group vip, 9 jobs only"]
    other = consequences(of(7200, 0, 600, 700), of(3600, 30, 600, 900), ["vip"], [3, 1], (70.0, 71.0), "EASY")
    assert [line.verdict for line in other] == ["mixed", "mixed", "better"]  # the mean shrinks, and the longest grows
    only = consequences(of(7200, 0, 600, 700), of(3600, 0, 600, 700), ["vip"], [3, 1], (70.0, 69.0), "EASY")
    assert [line.verdict for line in only] == ["better", "better", "worse"]
    assert "half start within 30 s (EASY at once); the mean wait shrinks from 2 h to 1 h" in other[1].sentence
    assert "the longest wait is 15 minutes (EASY 12 minutes)" in other[1].sentence
    assert other[-1].sentence == "The machine is busier than with EASY: 71.0 % (EASY 70.0 %)."


@pytest.mark.parametrize("workload", ZOO.values(), ids=ZOO.keys())
def test_the_numbers_are_those_of_the_measures(workload: Any) -> None:
    easy, fcfs = (waits(ps.simulate(workload, rule)) for rule in ("easy", "fcfs"))
    lines = consequences(easy, fcfs, workload.groups, users_of(workload), (50.0, 40.0), "EASY")
    with_jobs = [name for name, count in zip(workload.groups, easy.jobs[1:], strict=True) if count]
    assert [line.group for line in lines] == ["", *with_jobs, ""]
    for line in lines[:-1]:
        place = 0 if line.group == "" else 1 + workload.groups.index(line.group)
        longest = re.search(r"the longest wait is (\S+ \w+)", line.sentence)
        assert longest is not None
        assert longest[1] == duration(float(fcfs.worst[place]))
        late = "at once" if fcfs.p95[place] < 1 else f"within {duration(float(fcfs.p95[place]))}"
        assert f"95 of 100 start {late}" in line.sentence
        of_jobs = workload.user[slice(None) if place == 0 else workload.group == place - 1]
        users = len({user for user in of_jobs.tolist() if user >= 0})
        assert line.sentence.partition(": ")[0].count(f", {users:,} user") == (users > 0)


def test_where_two_measures_say_different_things_it_is_said() -> None:
    def sentences_of(before: float, after: float, gain: float) -> list[tuple[str, str]]:
        lines = two_measures(of(before, 0, 600, 700), of(after, 0, 600, 700), ["vip"], [gain])
        return [(line.verdict, line.sentence) for line in lines]

    first = "Group vip: AWRT gets 25 % shorter, but the mean wait of its jobs grows by 30 %"
    assert sentences_of(100, 130, 25)[0][1].startswith(first)
    assert sentences_of(100, 130, 25)[0][0] == sentences_of(130, 100, -25)[0][0] == "mixed"
    ((verdict, words),) = sentences_of(100, 173, -2)
    assert (verdict, words.partition(": AWRT has")[0]) == (
        "worse",
        "Group vip: AWRT gets 2 % longer, and the mean wait of its jobs grows by 73 %",
    )
    for same in ((100, 105, -4.0), (100, 100.5, 25.0), (100, 130, 0.5), (0, 10, 5.0), (100, 150, float("nan"))):
        assert sentences_of(*same) == []
