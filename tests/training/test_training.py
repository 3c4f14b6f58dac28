"""The result of a training, common to all classes of policies."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.comparison.comparison import compare
from paretosched.core.errors import InputError
from paretosched.core.tables import amount
from paretosched.policies.plain import Plain
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.training.task import Task, data_of, tasks
from paretosched.training.training import Progress, System, Training, gain_intervals
from paretosched.wishes.best_possible import best_possible, distance_row
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.wishes.wish_files import as_wish
from paretosched.workload.time_split import split
from paretosched.workload.workload import Workload
from support.exploring import random_workload
from support.trainings import of_weeks

W = random_workload()
SHORT: dict[str, Any] = {"criterion": "f2", "generations": 1, "seed": 1}


@pytest.mark.parametrize("until", [None, 0.6])
def test_a_training_says_how_far_its_policy_is_from_what_none_can_beat(until: float | None) -> None:
    words = "10*AWRT1 + 4*AWRT2, AWRT <= 1.5*EASY"
    training = train(W, words, criterion="f1", generations=1, until=until)
    parts = [W] if until is None else list(split(W, until))
    assert [row["workload"] for row in training.distances] == [part.name for part in parts]
    best_system = training.systems[training.best]
    for part, row, values in zip(parts, training.distances, (best_system.values, best_system.rest), strict=False):
        wish = resolved_on(as_wish(words, W), part)
        best = best_possible(wish, part)
        easy = float(goal(wish, np.asarray(objectives(simulate(part, "easy")))[None])[0])
        within = violation(wish, values)[0] == 0
        reached = float(goal(wish, values)[0]) if within else None
        assert row == {"workload": part.name} | distance_row(best, wish, easy, reached)
        assert row["distance"].endswith("(proved)")
        assert f"{part.name}: {row['distance']}" in training.text().splitlines()


def test_where_it_is_recorded_gains_are_over_what_runs_today_too() -> None:
    recorded = W.with_(wait=simulate(W, "conservative").wait + 60)
    training = train(recorded, "AWRT1", criterion="f1", generations=1, until=0.6)
    row = next(row for row in training.rows() if row["best"])
    for part, cells in zip(split(recorded, 0.6), (*row["workloads"], *row["rest"]), strict=True):
        today = simulate(part, "recorded").objectives["AWRT1"]
        assert cells["AWRT1_vs_today"] == pytest.approx(100 * (today - cells["AWRT1"]) / today)
        assert cells["vs_today"] == pytest.approx(cells["AWRT1_vs_today"])
        assert f"{part.name}: recorded" in training.text()
    assert training.text().count("  vs recorded") == 2
    without = train(W, "AWRT1", criterion="f1", generations=1, until=0.6)
    assert "recorded" not in without.text()
    assert "AWRT1_vs_today" not in without.rows()[0]["workloads"][0]


def test_progress_looks_at_each_evaluation_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    looked: list[int] = []
    places = Task.places
    monkeypatch.setattr(Task, "places", lambda task, values: [looked.append(len(values)), places(task, values)][1])
    reports: list[Progress] = []
    words = SHORT | {"generations": 4, "run_directory": tmp_path / "run"}
    training = train(W, "10*AWRT1 + 4*AWRT2", progress=reports.append, **words)
    new = np.diff([0, *(report.evaluations for report in reports)])
    assert looked[: len(reports)] == [new[0], *(1 + new[1:])]  # with the best one so far
    best_so_far = [report.objective for report in reports]
    assert best_so_far == sorted(best_so_far, reverse=True)
    assert best_so_far[-1] == training.systems[training.best].objective
    train(W, "10*AWRT1 + 4*AWRT2", progress=reports.append, **words)
    assert (reports[-1].objective, reports[-1].exceeded) == (best_so_far[-1], 0)


def a_training(reached: float, easy: float, rest: float = 1.0, rest_of_easy: float = 1.0) -> Training:
    """Return a training whose policy reaches some objectives, beside EASY, on the data and on the rest."""
    values = np.array([[50.0, 1, 1]])

    def system(name: str, objective: float, of_rest: float) -> System:
        return System(Plain(name), values, objective, 0.0, values, of_rest, 0.0, objective, 0.0)

    of_easy, best = system("easy", easy, rest_of_easy), system("fcfs", reached, rest)
    return Training(
        as_wish("AWRT", W), "sum", ("w",), ("r",), objective_table(("1",)), of_easy, (best,), 0, 1, 0.0, 0.0
    )


def test_what_is_worse_than_easy_by_rounding_only_is_not_worse() -> None:
    assert a_training(36000 * (1 + 1e-12), 36000).shortfalls() == []
    assert a_training(-36000 * (1 - 1e-12), -36000).shortfalls() == []
    assert a_training(0.0, 0.0).shortfalls() == []
    assert a_training(36000.0108, 36000).shortfalls() == ["worse than EASY on the training data, by 3e-05 %"]
    assert a_training(1.0, 1.0, 3.5, 3.0).shortfalls() == ["worse than EASY on the rest, by 16.6667 %"]
    assert a_training(-35000, -36000).shortfalls() == ["worse than EASY on the training data"]  # no share of it


def test_what_is_better_in_the_mean_of_resampled_workloads_may_be_worse_than_easy_on_the_log_itself() -> None:
    training = train(of_weeks(1), "AWRT", resample=2, **SHORT)
    best, easy = training.systems[training.best], training.easy
    assert best.objective < easy.objective
    assert best.values[0, 1] > easy.values[0, 1]
    share = 100 * (best.values[0, 1] / easy.values[0, 1] - 1)
    assert training.shortfalls() == [f"worse than EASY on the log itself, by {amount(share)} %"]
    alone = train(of_weeks(1), "AWRT", **SHORT).systems[0]
    assert (alone.log_objective, alone.log_exceeded) == (alone.objective, alone.exceeded)


def test_the_gain_has_an_interval_on_the_jobs_learnt_from_and_on_the_rest_as_in_a_comparison() -> None:
    log = of_weeks()
    log = log.with_(submit=2 * log.submit, groups=("vip", "2", "3"))
    training = train(log, "10*vip + 4*AWRT2", until=0.5, **SHORT)
    for part, row in zip(split(log, 0.5), training.gains, strict=True):
        compared = compare(part, [training.policy], wish=training.wish, intervals=True)
        assert row["workload"] == part.name
        assert row["interval"] == compared.rows()[1]["intervals"]["objective_vs_easy"]
        low, high = row["interval"]
        words = f"{part.name}: 90 % interval of the gain {low:+.1f} to {high:+.1f} %, by a block bootstrap over its "
        assert f"{words}{row['weeks']} weeks, rough as they are few" in training.text().splitlines()
    assert "AWRT1 is group vip, AWRT2 is group 2, AWRT3 is group 3" in training.text().splitlines()
    short = train(W, "10*AWRT1 + 4*AWRT2", **SHORT)
    assert [row["interval"] for row in short.gains] == [None]
    assert "interval" not in short.text()
    assert short.text().splitlines()[-1].startswith("all of this is of the jobs learnt from; --train-until")
    assert "of the jobs that were learnt from" not in training.text()


def without_late_jobs(workload: Workload, group: int, until: float = 0.5) -> Workload:
    """Return a workload whose later jobs of a group are in the next one."""
    late = workload.submit > workload.submit[0] + until * (workload.submit[-1] - workload.submit[0])
    return workload.with_(group=np.where(late & (workload.group == group), group + 1, workload.group))


@pytest.mark.parametrize("over", ["sum", "ratio"])
def test_a_group_of_the_wish_without_jobs_in_the_rest_is_left_out_there(over: str) -> None:
    log, other = without_late_jobs(W, 0), random_workload(seed=5).with_(name="other")
    words = "10*AWRT1 + 4*AWRT2, AWRT1 <= 9h, AWRT1 <= 2*EASY, others <= 1.5*EASY"
    training = train([log, other], words, until=0.5, over=over, **SHORT)
    assert training.groups_left_out() == [("random from 50 %", ["1"])]
    rests = [split(each, 0.5)[1] for each in (log, other)]
    wishes = [as_wish("4*AWRT2, AWRT3 <= 1.5*EASY", log), as_wish(words, log)]
    of_easy = [np.asarray(objectives(simulate(rest, "easy")))[None] for rest in rests]
    for system in (training.easy, *training.systems):
        reached = [np.asarray(objectives(simulate(rest, system.policy)))[None] for rest in rests]
        goals = [float(goal(wish, values)[0]) for wish, values in zip(wishes, reached, strict=True)]
        units = [2 * goal(w, v)[0] for w, v in zip(wishes, of_easy, strict=True)] if over == "ratio" else [1, 1]
        assert system.rest_objective == pytest.approx(sum(g / u for g, u in zip(goals, units, strict=True)))
        excess = [violation(resolved_on(w, r), v)[0] for w, r, v in zip(wishes, rests, reached, strict=True)]
        assert system.rest_exceeded == pytest.approx(sum(excess))
    row = training.rows()[1]["rest"][0]
    assert np.isnan(row["AWRT1"])
    assert row["objective"] == 4 * row["AWRT2"]
    assert "random from 50 %" in training.text()
    assert [each["workload"] for each in training.distances] == [*training.workloads, *training.rest]


@pytest.mark.parametrize("words", ["AWRT1", "AWRT1, AWRT <= 1.5*EASY", "near AWRT1=1h", "AWRT1 <= 9h", "AWRT1 <= EASY"])
def test_a_rest_without_any_job_of_the_goal_has_no_objective(words: str) -> None:
    training = train(without_late_jobs(W, 0), words, until=0.5, **SHORT)
    best, easy = training.systems[training.best], training.easy
    assert np.isnan([best.rest_objective, easy.rest_objective]).all()
    assert best.rest is not None
    assert np.isfinite(best.rest[0, 1])
    assert easy.rest_exceeded == 0
    assert not [line for line in training.shortfalls() if line.startswith("worse than EASY on the rest")]
    assert training.groups_left_out() == [("random from 50 %", ["1"])]
    assert "random from 50 %" in training.text()


def test_what_is_left_of_a_sum_may_be_no_unit_of_a_ratio() -> None:
    training = train(without_late_jobs(W, 0), "10*AWRT1 - 1*UTIL", until=0.5, over="ratio", **SHORT)
    assert np.isnan(training.easy.rest_objective)


def test_a_group_of_the_wish_has_jobs_among_those_learnt_from() -> None:
    with pytest.raises(InputError, match="random to 50 %: the wish AWRT1 uses AWRT1, which is undefined"):
        train(W.with_(group=np.where(W.submit < W.submit[-1] / 2, 1, W.group)), "AWRT1", until=0.5, **SHORT)


def test_the_gain_on_a_log_with_a_time_in_milliseconds_has_no_interval() -> None:
    """Its millions of weeks would take gigabytes, and the policy would be lost at the end of its training."""
    w = Workload([0, 5, 17 * 10**11], [9] * 3, [9] * 3, [1] * 3, 2)
    task, _ = tasks(data_of(w, "AWRT", None, None, 0, 0.0, 0))
    assert gain_intervals(task, None, Plain("fcfs")) == [{"workload": w.name, "weeks": 2810847, "interval": None}]
