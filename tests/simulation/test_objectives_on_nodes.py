"""Objectives on machines of nodes: weights by charge, and the use of every resource, against plain sums."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import paretosched as ps
from paretosched import Machine, Schedule, Workload, objectives
from paretosched.comparison.intervals import week_sums
from paretosched.simulation.objective import consumption_of, objectives_of, shares
from paretosched.wishes.best_possible import best_possible
from paretosched.wishes.outer_front import outer_front
from paretosched.wishes.wish import Wish
from support.machine_zoo import MACHINE_ZOO, case, of, random_case
from support.naive_charge import naive_objectives
from support.placing import ideal_schedule

ZOO = MACHINE_ZOO | {f"random {seed}": random_case(seed) for seed in range(20)}


def grouped(name: str) -> Workload:
    """Return a workload of the zoo with two groups, and one without jobs."""
    w = ZOO[name]
    return w.with_(group=np.arange(len(w)) % 2, groups=("a", "b", "none"))


@pytest.mark.parametrize("name", ZOO)
def test_objectives_are_those_of_plain_sums(name: str) -> None:
    schedule = ideal_schedule(grouped(name))
    expected = naive_objectives(schedule)
    assert dict(schedule.objectives) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert list(schedule.objectives) == list(expected)
    np.testing.assert_array_equal(objectives_of(schedule.workload, schedule.start), schedule.objectives.array)
    assert 0 < max(schedule.objectives[key] for key in expected if key.startswith("UTIL")) <= 100 + 1e-9
    counted = np.arange(len(schedule.workload)) % 3 > 0
    some = naive_objectives(schedule, counted.tolist())
    assert dict(objectives(schedule, counted)) == pytest.approx(some, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ZOO)
def test_no_schedule_beats_the_bounds(name: str) -> None:
    w = grouped(name)
    limits = ps.bounds(w)
    wish = Wish(weights=[("AWRT1", 1), ("AWRT2", 2)])
    goal = best_possible(wish, w).goal
    lines = outer_front(w)
    for reservations in (0, 1, 10**9):
        values = np.asarray(ideal_schedule(w, reservations).objectives)
        defined = ~np.isnan(values)
        for row in (limits.alone, limits.together):
            assert (values[defined][1:] >= row[defined][1:] * (1 - 1e-12)).all()
            assert values[0] <= row[0] * (1 + 1e-12)
        assert values[2] + 2 * values[3] >= goal
        assert values[0] <= limits.prompt_utilisation * (1 + 1e-12)
        assert (values[2:4] >= lines["AWRT1", "AWRT2"][0]).all()
    assert goal > 0.99 * (limits.alone[2] + 2 * limits.alone[3])


def test_by_hand() -> None:
    """A job with half of the memory weighs as much as one with half of the CPUs, and no more than it with both."""
    w = case(
        Machine((of("n[1-2]", 4, 8000), of("g1", 8, 16000, gpus={"v": 2}))),
        "0 10 -n1 --mem=8000",  # a quarter of the memory: 4 CPUs
        "0 20 -n4 --mem=1",  # 4 CPUs
        "0 30 -n1 --gres=gpu:1",  # half of the GPUs: 8 CPUs
    )
    s = Schedule(w, [0, 10, 0])
    assert s.objectives["AWRT"] == (40 * 10 + 80 * 30 + 240 * 30) / 360
    assert s.objectives["UTIL"] == 100 * (10 + 80 + 30) / (16 * 30)
    assert s.objectives["UTIL_gpus"] == 50
    assert s.objectives["UTIL_memory"] == pytest.approx(100 * (80_000 + 20 + 30) / (32_000 * 30), rel=1e-12)
    assert consumption_of(w).tolist() == [40, 80, 240]
    assert shares(w.with_(group=[0, 0, 1], groups=("a", "b"))).tolist() == [120 / 360, 240 / 360]
    assert week_sums(s).work.tolist() == [[360]]


def test_values_are_a_mapping_with_what_is_told_and_an_array_without() -> None:
    s = ideal_schedule(ZOO["types of GPUs"])
    values = s.objectives
    assert list(values) == ["UTIL", "AWRT", "AWRT1", "UTIL_memory", "UTIL_gpus"]
    assert len(values) == 5
    assert np.asarray(values).shape == (3,)
    assert np.array([values, values]).shape == (2, 3)
    assert pd.Series(values)["UTIL_gpus"] == values["UTIL_gpus"]
    assert values.frame().loc["UTIL_memory", "label"] == "utilisation of memory"
    assert "UTIL_gpus" in repr(values)
    assert "utilisation of GPUs" in values._repr_html_()
    again = pickle.loads(pickle.dumps(values))
    assert again == values
    from_submission = objectives(s, util_from="submission")
    assert from_submission["UTIL_gpus"] <= values["UTIL_gpus"]
    assert from_submission.frame().loc["UTIL_gpus", "label"] == "utilisation of GPUs, from the first submission"
    assert list(ideal_schedule(ZOO["memory is not given out"]).objectives) == ["UTIL", "AWRT", "AWRT1"]


def test_without_nodes_nothing_is_told() -> None:
    s = ps.simulate(Workload([0, 1], [9, 5], [9, 5], [1, 2], 2), "easy")
    assert list(s.objectives) == ["UTIL", "AWRT", "AWRT1"]
