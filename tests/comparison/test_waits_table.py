"""The table of waits: every number is that of a naive count, and an arrow says where it goes."""

import math
from statistics import mean, median
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.consequences import duration
from paretosched.comparison.waits_table import (
    MEASURES,
    SLOWDOWN,
    Cell,
    jobs_behind,
    measure_name,
    people,
    value_words,
    wait_lines,
)
from paretosched.simulation.objective import objectives
from paretosched.simulation.service import Waits, waits
from paretosched.workload.measures import with_measures
from support.zoo import ZOO


def naive(schedule: ps.Schedule, place: int) -> dict[str, float]:
    """Return the measures of a line, one job after the other."""
    w = schedule.workload
    jobs = [j for j in range(len(w)) if place == 0 or w.group[j] == place - 1]
    wait = sorted(int(schedule.start[j] - w.eligible[j]) for j in jobs)
    slow = [max(1.0, int(schedule.finish[j] - w.eligible[j]) / max(int(w.run[j]), 10)) for j in jobs]
    late = wait[math.ceil(95 * len(jobs) / 100) - 1]
    return {"median": median(wait), "mean": mean(wait), "p95": late, "worst": wait[-1], SLOWDOWN: mean(slow)}


def about(measure: str, value: float) -> set[str]:
    """Return the words of a value, and those of its neighbours: a mean may be rounded otherwise."""
    return {value_words(measure, value * factor) for factor in (1 - 1e-12, 1, 1 + 1e-12)}


@pytest.mark.parametrize("workload", ZOO.values(), ids=ZOO.keys())
def test_every_number_is_that_of_a_naive_count(workload: Any) -> None:
    easy, fcfs = ps.simulate(workload, "easy"), ps.simulate(workload, "fcfs")
    lines = wait_lines({"today": waits(easy), "fcfs": waits(fcfs), "later": None})
    places = [0, *(g + 1 for g in range(len(workload.groups)) if (workload.group == g).any())]
    assert [(line.place, line.measure) for line in lines] == [(p, m) for p in places for m in MEASURES]
    for line in lines:
        assert line.cells["later"] is None
        before, after = (naive(each, line.place)[line.measure] for each in (easy, fcfs))
        first, other = line.cells["today"], line.cells["fcfs"]
        assert first in [Cell(words) for words in about(line.measure, before)]
        assert other is not None
        assert other.text in about(line.measure, after)
        is_same = {first.text, other.text} == {"at once"} or abs(after - before) * 100 <= 2 * before
        assert other.verdict == ("same" if is_same else "better" if after < before else "worse")
        assert other.change[:1] == ("" if is_same else "↓" if after < before else "↑")


@pytest.mark.parametrize("workload", ZOO.values(), ids=ZOO.keys())
def test_a_line_is_the_objective_that_a_wish_can_limit(workload: Any) -> None:
    schedule = ps.simulate(workload, "fcfs")
    for line in wait_lines({"today": waits(schedule)})[:40]:
        name = measure_name(line.measure, line.place, workload.groups)
        there = objectives(ps.simulate(with_measures(workload, [name]), "fcfs"))
        assert float(there.array[-1]) == pytest.approx(naive(schedule, line.place)[line.measure])


def of(value: float) -> Waits:
    return Waits(np.array([9]), *(np.array([value]) for _ in range(6)))


def test_small_changes_have_no_arrow_and_large_ones_are_multiples() -> None:
    def change(before: float, after: float) -> str:
        cell = wait_lines({"today": of(before), "x": of(after)})[1].cells["x"]
        assert cell is not None
        return cell.change

    assert (change(36_000, 36_700), change(36_000, 36_719)) == ("", "")
    assert (change(36_000, 39_600), change(36_000, 18_000)) == ("↑ 10 %", "↓ 50 %")
    assert (change(60, 60_000), change(0, 60_000)) == ("↑ 1,000×", "↑")
    assert wait_lines({"today": None}) == []


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("place", [0, 1])
def test_the_jobs_behind_a_number(measure: str, place: int) -> None:
    schedule = ps.simulate(ps.lublin(300, 32, seed=4), "fcfs")
    w = schedule.workload
    rows = jobs_behind(schedule, place, measure).tolist()
    assert 0 < len(rows) <= 10
    wait = [int(schedule.start[j] - w.eligible[j]) for j in rows]
    known = naive(schedule, place)
    if measure in ("mean", "worst"):
        assert wait[0] == known["worst"]
        assert wait == sorted(wait, reverse=True)
    elif measure == SLOWDOWN:
        slow = [max(1.0, int(schedule.finish[j] - w.eligible[j]) / max(int(w.run[j]), 10)) for j in rows]
        assert slow == sorted(slow, reverse=True)
    else:
        assert wait == sorted(wait)
        assert wait[0] <= known[measure] <= max(wait[-1], wait[0] + 1e9)
        assert wait[0] == known["p95"] or measure == "median"


def test_groups_that_are_numbers_are_those_of_users_by_what_they_consume() -> None:
    assert people(("1", "2", "3", "4", "5"))[4] == "the lightest users (group 5)"
    assert people(("1",)) == ["1"]
    assert people(("7", "8")) == ["7", "8"]
    assert duration(0) == "0 s"
    assert value_words("mean", 0.0) == "at once"
