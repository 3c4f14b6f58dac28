"""Objectives worked out by hand, and their relation to each other."""

import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from paretosched import InputError, Machine, Schedule, Workload, bounds, objective_table, objectives, simulate
from paretosched.comparison.intervals import week_sums
from paretosched.policies.outcome import Outcome
from paretosched.simulation.measures import consumption_of
from paretosched.simulation.objective import (
    can_run_at_once,
    objectives_of,
    shares,
    utilisation_from_submission,
)
from paretosched.simulation.service import use
from paretosched.wishes.best_possible import best_possible
from paretosched.wishes.outer_front import outer_front
from paretosched.wishes.wish import Wish
from support.machine_zoo import MACHINE_ZOO, case, of, random_case
from support.naive_charge import naive_objectives
from support.placing import ideal_schedule
from support.zoo import ZOO, jobs, workloads

# Two groups on 4 processors; consumption 10 x 2, 5 x 4, 20 x 1; starts 0, 10, 15.
THREE = jobs(4, (0, 10, 12, 2, 0), (1, 5, 5, 4, 1), (3, 20, 30, 1, 1))
ENDS = Schedule(THREE, [0, 10, 15])


def test_worked_example() -> None:
    util, awrt, first, second = objectives(ENDS).tolist()
    assert util == 100 * 60 / (4 * 35)
    assert awrt == (20 * 10 + 20 * 14 + 20 * 32) / 60
    assert first == 10.0
    assert second == (20 * 14 + 20 * 32) / 40


def test_the_span_begins_with_the_first_start_not_with_second_0() -> None:
    late = jobs(4, (100, 10, 10, 2))
    assert objectives(Schedule(late, [120])).tolist() == [50.0, 30.0, 30.0]


def test_utilisation_counts_from_the_first_submission_where_it_is_asked_for() -> None:
    late = Schedule(jobs(4, (90, 5, 5, 4), (100, 10, 10, 2)), [130, 120])
    assert objectives(late, util_from="submission").tolist() == [100 * 40 / (4 * 45), 37.5, 37.5]
    assert utilisation_from_submission(late) == 100 * 40 / (4 * 45)
    assert objectives(late)["UTIL"] == 100 * 40 / (4 * 15)
    assert objectives(late, [False, True], "submission")["UTIL"] == 100 * 20 / (4 * 30)  # of those that count
    with pytest.raises(InputError, match="util_from must be one of submission, start"):
        objectives(late, util_from="eligible")


@settings(deadline=None, max_examples=30)
@given(w=workloads())
def test_online_policies_have_one_utilisation_if_a_job_can_run_at_once(w: Workload) -> None:
    for policy in ("fcfs", "easy"):
        schedule = simulate(w, policy)
        last = max(int(end) for end in schedule.finish)
        expected = 100.0 * w.work / (w.capacity * float(last - min(w.submit.tolist())))
        assert objectives(schedule, util_from="submission")["UTIL"] == expected
        if can_run_at_once(w):
            assert objectives(schedule)["UTIL"] == expected


def test_only_counted_jobs_count() -> None:
    util, awrt, first, second = objectives(ENDS, counted=[False, True, True]).tolist()
    assert util == 100 * 40 / (4 * 25)
    assert awrt == second == (20 * 14 + 20 * 32) / 40
    assert np.isnan(first)
    assert np.isnan(objectives(ENDS, counted=[False] * 3)).all()
    np.testing.assert_array_equal(objectives(ENDS, counted=[True] * 3), objectives(ENDS))


@pytest.mark.parametrize("mask", [[True, True], [0, 1, 2], [0.0, 1.0, np.nan], [[True, True, True]], True])
def test_counted_must_be_one_bool_a_job(mask: Any) -> None:
    with pytest.raises(InputError, match=r"^counted must be bool with shape \(3,\)"):
        objectives(ENDS, counted=mask)


def test_an_empty_group_is_undefined_not_zero() -> None:
    w = ZOO["empty groups"]
    values = objectives(simulate(w, "easy"))
    assert np.isnan(values).tolist() == [False, False, False, False, True, True]
    assert shares(w)[2:].tolist() == [0.0, 0.0]


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(w=workloads())
def test_awrt_is_a_fixed_mean_of_the_awrt_of_the_groups(w: Workload) -> None:
    weight = shares(w)
    assert weight.sum() == pytest.approx(1)
    for rule in ("fcfs", "list", "easy"):
        values = objectives(simulate(w, rule))
        present = weight > 0
        assert np.isnan(values[2:]).tolist() == (~present).tolist()
        assert values[1] == pytest.approx(float(weight[present] @ values[2:][present]), rel=1e-12)


def test_the_table_names_every_value() -> None:
    for w in (THREE, ZOO["ten groups"]):
        table = objective_table(w.groups)
        assert len(table) == len(objectives(simulate(w, "fcfs")))
        assert [o.name for o in table[:4]] == ["UTIL", "AWRT", "AWRT1", "AWRT2"]
        assert [o.maximise for o in table] == [True] + [False] * (len(w.groups) + 1)
        assert [o.unit for o in table] == ["%"] + ["s"] * (len(w.groups) + 1)


def test_objectives_are_a_frozen_mapping_that_pandas_takes() -> None:
    values = ENDS.objectives
    names = ["UTIL", "AWRT", "AWRT1", "AWRT2"]
    assert isinstance(values, Mapping)
    assert list(values) == list(values.keys()) == names
    assert list(values.values()) == values.tolist() == objectives(ENDS).tolist()
    assert "AWRT2" in values
    assert ("AWRT3" in values, values.get("AWRT3"), values.get("AWRT3", 7), values.get("AWRT1")) == (False, None, 7, 10)
    assert pd.Series(values).to_dict() == dict(values)
    assert pd.Series(values).index.tolist() == names
    both = pd.DataFrame([values, Schedule(THREE, [0, 30, 10]).objectives])
    assert both[names].iloc[0].tolist() == values.tolist()
    assert values == objectives(ENDS)
    assert values != Schedule(THREE, [0, 30, 10]).objectives
    assert pickle.loads(pickle.dumps(values)) == values
    with pytest.raises(TypeError):
        values["AWRT"] = 0.0  # type: ignore[index]
    with pytest.raises(ValueError, match="read-only"):
        values.array[0] = 0.0
    with pytest.raises(InputError, match="did you mean AWRT1"):
        values["AWTR1"]


def test_objectives_are_calculated_with_as_an_array() -> None:
    values = ENDS.objectives
    array = np.array(values)
    assert type(values / 2) is type(1 - values) is np.ndarray
    assert (values / 2).tolist() == (array / 2).tolist()
    assert values @ [0, 1, 1, 0] == array[1] + array[2]
    assert values[1:3].tolist() == array[1:3].tolist()
    assert (values[None].shape, values.shape, values.tobytes()) == ((1, 4), (4,), array.tobytes())
    assert not hasattr(values, "sizes")
    assert np.array([values, values]).tolist() == [array.tolist()] * 2
    assert np.isnan(values).tolist() == [False] * 4
    array[0] = 0.0  # it is a copy
    assert values[0] == 100 * 60 / (4 * 35)


def test_what_is_no_schedule_has_no_objectives() -> None:
    with pytest.raises(InputError, match="schedule must be a value of the type Schedule, but is 'easy'"):
        objectives("easy")  # type: ignore[arg-type]


# --- machines of nodes

ON_NODES = MACHINE_ZOO | {f"random {seed}": random_case(seed) for seed in range(20)}


def in_groups(name: str) -> Workload:
    """Return a workload of the zoo with two groups, and one without jobs."""
    w = ON_NODES[name]
    return w.with_(group=np.arange(len(w)) % 2, groups=("a", "b", "none"))


@pytest.mark.parametrize("name", ON_NODES)
def test_objectives_are_those_of_plain_sums(name: str) -> None:
    schedule = ideal_schedule(in_groups(name))
    expected = naive_objectives(schedule)
    assert dict(schedule.objectives) == pytest.approx(expected, rel=1e-12, nan_ok=True)
    assert list(schedule.objectives) == list(expected)
    np.testing.assert_array_equal(objectives_of(schedule.workload, Outcome(schedule.start)), schedule.objectives.array)
    assert 0 < max(schedule.objectives[key] for key in expected if key.startswith("UTIL")) <= 100 + 1e-9
    counted = np.arange(len(schedule.workload)) % 3 > 0
    some = naive_objectives(schedule, counted.tolist())
    span = int(schedule.finish.max() - schedule.start.min())
    used = use(schedule, np.array([0, schedule.finish.max()])).sum()
    assert used == pytest.approx(schedule.objectives["UTIL"] / 100 * span * schedule.workload.capacity)
    assert dict(objectives(schedule, counted)) == pytest.approx(some, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ON_NODES)
def test_no_schedule_beats_the_bounds(name: str) -> None:
    w = in_groups(name)
    limits = bounds(w)
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


def test_charge_weighs_jobs_on_nodes() -> None:
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
    s = ideal_schedule(ON_NODES["types of GPUs"])
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
    assert list(ideal_schedule(ON_NODES["memory is not given out"]).objectives) == ["UTIL", "AWRT", "AWRT1"]


def test_without_nodes_nothing_is_told() -> None:
    s = simulate(Workload([0, 1], [9, 5], [9, 5], [1, 2], 2), "easy")
    assert list(s.objectives) == ["UTIL", "AWRT", "AWRT1"]
