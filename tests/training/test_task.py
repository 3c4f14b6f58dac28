"""What is minimised over resampled workloads: the mean, and the limits of the worst tenth; the same for any workers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.arrays import Floats
from paretosched.core.errors import InputError
from paretosched.policies.guarded import Guarded
from paretosched.policies.plain import Plain
from paretosched.search.runs import known_parameters
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.training.rule_base_training import train_rules
from paretosched.training.task import Task, data_of, task_on, tasks, windows_of, with_samples, worst_tenth
from paretosched.wishes.wish import penalise
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.resampling import resample
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import by_consumption, by_earlier_consumption
from paretosched.workload.workload import Workload
from support.exploring import interrupt_if
from support.limit_zoo import limited_case
from support.trainings import archive, of_weeks, training_json

W = of_weeks()
TEXT = "10*AWRT1 + 4*AWRT2, AWRT3 <= 1.02*EASY"
WISH = parse(TEXT, objective_table(W.groups))
SHORT: dict[str, Any] = {"generations": 1, "criterion": "f2", "seed": 4}


def easy(workload: Workload) -> Floats:
    return objectives(simulate(workload, "easy")).array


def by_hand(policies: list[Floats], reference: list[Floats], over: str) -> tuple[float, float]:
    """Objective and violation of one policy, from its values and EASY's on each workload of one log."""
    goals = [10 * v[2] + 4 * v[3] for v in policies]
    of_easy = [10 * v[2] + 4 * v[3] for v in reference]
    ratios = [goal / ref for goal, ref in zip(goals, of_easy, strict=True)]
    limits = [1.02 * ref[4] for ref in reference]
    excesses = [max(v[4] - limit, 0) / limit for v, limit in zip(policies, limits, strict=True)]
    return float(np.mean(goals if over == "sum" else ratios)), max(excesses)


def test_jobs_wait_for_others_as_they_do_when_a_policy_is_simulated() -> None:
    w = limited_case(5, with_limits=False, n=20)
    task = Task(parse("AWRT", objective_table(w.groups)), "sum", [w], [w])
    for policy in (Plain("easy"), Guarded(w.groups[:1], each=1.1)):
        assert task.values_of(policy).tolist() == objectives(simulate(w, policy)).tolist()
    assert (simulate(w, "easy").workload.eligible != w.eligible).any()


def test_windows_have_every_job_once_and_last_as_long() -> None:
    windows = windows_of(W, 5)
    assert np.concatenate([w.submit for w in windows]).tolist() == W.submit.tolist()
    first, last = int(W.submit[0]), int(W.submit[-1])
    for k, window in enumerate(windows):
        assert all(k * (last - first) <= 5 * (window.submit - first))
        assert all(5 * (window.submit - first) <= (k + 1) * (last - first))
    assert windows_of(W, 0) == []
    assert [w.submit.tolist() for w in windows_of(W.take([0]), 5)] == [[first]]


def test_a_window_without_a_group_of_the_goal_is_replaced_by_the_whole() -> None:
    is_early = W.submit - W.submit[0] < (W.submit[-1] - W.submit[0]) / 4
    late = W.with_(group=np.where(is_early, 1, np.where(np.arange(len(W)) % 5 == 0, 0, W.group)))
    task = task_on(data_of(late, "10*AWRT1, AWRT <= EASY", None, None, 1, 0, 3, windows=4), [late], [late])
    assert [w is late for w in task.workloads] == [True, False, False, False, True, False]
    assert (task.samples, len(task.logs), task.over) == (6, 1, "ratio")
    assert np.isfinite(task.fitness(task.easy_values[None])).all()


@pytest.mark.slow
@pytest.mark.parametrize("over", ["sum", "ratio"])
def test_the_mean_counts_and_the_worst_limit(over: str) -> None:
    training = train(W, TEXT, resample=3, over=over, **SHORT)
    jobs = [W, *(resample(W, 4000 + i) for i in (1, 2, 3))]
    for system in (training.easy, *training.systems):
        values = [objectives(simulate(w, system.policy)) for w in jobs]
        expected = by_hand(values, [easy(w) for w in jobs], over)
        assert (system.objective, system.exceeded) == pytest.approx(expected)
        assert system.values.tolist() == [values[0].tolist()]
    assert training.workloads == ("random",)
    assert training.resampled == 3
    assert training.policy.provenance["resample"] == 3
    assert [w["digest"] for w in training.policy.provenance["workloads"]] == [W.digest]
    assert "over the log and 3 workloads resampled from it" in training.text()


def test_a_training_until_a_time_has_the_groups_of_what_it_learns_from(tmp_path: Path) -> None:
    logged = by_consumption(W.with_(source=({"function": "lublin"},)))
    first, rest = by_earlier_consumption(*split(logged, 0.5))
    assert first.group.tolist() != split(logged, 0.5)[0].group.tolist()
    task, test = tasks(data_of(logged, TEXT, None, 0.5, 0, 0.0, 0))
    assert test is not None
    assert [w.group.tolist() for w in (*task.workloads, *test.workloads)] == [first.group.tolist(), rest.group.tolist()]
    training = train(logged, TEXT, until=0.5, run_directory=tmp_path / "run", **SHORT)
    assert training.newcomers == (int((~np.isin(rest.user, first.user)).sum()),)
    assert "groups by consumption: those of the jobs learnt from" in training.text()
    assert training.systems[0].policy.genes.tobytes() == train(first, TEXT, **SHORT).systems[0].policy.genes.tobytes()
    assert training.policy.provenance["grouped_by"] == "consumption until then"
    assert known_parameters(tmp_path / "run")["grouped_by"] == "consumption until then"
    other = train(W, TEXT, until=0.5, **SHORT)  # its groups are of unknown origin
    assert other.newcomers is None
    assert other.policy.provenance["grouped_by"] is None


@pytest.mark.slow
def test_by_default_workloads_count_by_their_ratio_to_easy() -> None:
    settings = {"resample": 2, **SHORT}
    assert training_json(train(W, TEXT, **settings)) == training_json(train(W, TEXT, over="ratio", **settings))
    assert train(W, "-UTIL", **settings).over == train(W, TEXT, **SHORT).over == "sum"


@pytest.mark.slow
def test_only_the_part_that_is_learnt_from_is_resampled() -> None:
    first, rest = split(W, 0.7)
    training = train(W, TEXT, resample=2, until=0.7, **SHORT)
    alone = train(first, TEXT, resample=2, **SHORT)
    assert training.policy.genes.tobytes() == alone.policy.genes.tobytes()
    assert training.rest == ("random from 70 %",)
    best = training.systems[training.best]
    assert best.rest is not None
    assert best.rest.tolist() == [objectives(simulate(rest, best.policy)).tolist()]


def test_several_logs_have_samples_of_their_own() -> None:
    other = of_weeks(9).with_(name="other")
    task, _ = tasks(data_of([W, other], WISH, "ratio", None, 2, 0.0, 1))
    assert [w.digest for w in task.workloads] == [
        w.digest for log in (W, other) for w in (log, resample(log, 1001), resample(log, 1002))
    ]
    assert task.logs == [W, other]
    values = task.values_of(train(W, TEXT, **SHORT).policy)
    expected = [
        by_hand(list(of_log), [easy(w) for w in task.workloads[3 * i : 3 * i + 3]], "ratio")
        for i, of_log in enumerate(values.reshape(2, 3, -1))
    ]
    goal, violation = task.measure(values[None])
    assert goal[0] == pytest.approx(sum(g for g, _ in expected) / 2)
    assert violation[0] == pytest.approx(sum(v for _, v in expected))


def test_the_worst_tenth_of_twenty_are_two() -> None:
    rows = np.random.default_rng(1).random((25, 4))
    assert worst_tenth(rows).tolist() == np.sort(rows, axis=0)[-2:].mean(axis=0).tolist()
    assert worst_tenth(rows[:19]).tolist() == rows[:19].max(axis=0).tolist()


def test_a_margin_is_kept_while_learning_and_not_in_what_is_said() -> None:
    task = Task(WISH, "sum", [W], [W]).with_margin(10.0)
    reference = easy(W)
    values = np.array([reference, reference])
    values[:, 4] = reference[4] * np.array([0.9, 1.0])  # the limit is 1.02, with a margin of 10 % 0.918
    assert task.measure(values)[1].tolist() == [0, 0]
    expected = [0, (1 - 0.9 * 1.02) / (0.9 * 1.02)]
    assert task.measure(values, 10.0)[1] == pytest.approx(expected)
    assert task.fitness(values).tolist() == penalise(*task.measure(values, 10.0)).tolist()
    assert task.fitness(values, 0.0).tolist() == task.measure(values)[0].tolist()
    training = train(W, TEXT, margin=10, **SHORT)
    assert training.margin == training.policy.provenance["margin"] == 10
    assert "learnt with 10 % distance to the limits" in training.text()
    kept = float(training.systems[training.best].values[0, 4]) <= 0.9 * 1.02 * reference[4]
    assert ("; this policy does not keep it" in training.text()) == (not training.keeps_margin) == (not kept)


@pytest.mark.parametrize(("kept", "says"), [(0.95, False), (0.9, False), (0.5, True)])
def test_a_distance_that_did_not_keep_the_limits_in_the_validation_says_so(kept: float, says: bool) -> None:
    training = train(W, TEXT, margin=10, **SHORT)
    text = replace(training, margins=({"margin": 10.0, "kept": kept, "exceeded": 0.1},)).text()
    assert f"which kept them on {100 * kept:.0f} % of the workloads of the validation" in text
    assert ("; no distance kept them on 90 %" in text) == says


def test_where_nothing_keeps_the_margin_what_breaks_no_limit_comes_first() -> None:
    wish = parse("AWRT1, AWRT2 <= 1000s, AWRT3 <= 1000s", objective_table(W.groups))
    task = Task(wish, "sum", [W], [W]).with_margin(10.0)
    values = np.array([easy(W)] * 4)
    values[:, 3:5] = [1050, 500], [1000, 1000], [1040, 500], [1000, 990]  # the margin ends at 900
    assert np.argsort(task.fitness(values)).tolist() == [2, 0, 3, 1]
    assert task.places(values).tolist() == [3, 1, 2, 0]
    values[0, 3:5] = 900, 900
    assert task.places(values).argmin() == 0


def test_of_results_that_exceed_the_limits_equally_the_goal_decides() -> None:
    wish = parse("AWRT1, UTIL >= 99%", objective_table(W.groups))
    task = Task(wish, "sum", [W], [W])
    values = np.array([easy(W)] * 4)
    values[:, 0], values[:, 2] = [60, 60, 60, 61], [500, 400, 400, 600]
    assert len(set(task.fitness(values[:3]))) == 1
    assert task.places(values).tolist() == [2, 1, 1, 0]
    assert task.places(values[:0]).tolist() == []


@pytest.mark.slow
def test_runs_without_these_settings_are_those_of_earlier_versions(tmp_path: Path) -> None:
    train(W, TEXT, run_directory=tmp_path / "old", **SHORT)
    about = json.loads((tmp_path / "old" / "run.json").read_text())
    for key in ("resample", "resampled", "margin"):  # which older runs do not have
        assert about["parameters"].pop(key) is None
    (tmp_path / "old" / "run.json").write_text(json.dumps(about))
    assert training_json(train(W, TEXT, run_directory=tmp_path / "old", **SHORT)) == training_json(
        train(W, TEXT, **SHORT)
    )
    train(W, TEXT, resample=2, margin=1.5, run_directory=tmp_path / "new", **SHORT)
    parameters = known_parameters(tmp_path / "new")
    assert (parameters["resample"], parameters["margin"]) == (2, 1.5)
    assert parameters["resampled"] == [resample(W, 4001).digest, resample(W, 4002).digest]
    with pytest.raises(InputError, match=r"its margin is 1\.5, not given"):
        train(W, TEXT, resample=2, run_directory=tmp_path / "new", **SHORT)
    with pytest.raises(InputError, match="other parts of the log, or resampled ones, are asked for"):
        train(W, TEXT, resample=3, margin=1.5, run_directory=tmp_path / "new", **SHORT)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
def test_an_interrupted_training_is_continued_by_any_workers(tmp_path: Path, workers: int) -> None:
    words: dict[str, Any] = {"resample": 2, **SHORT, "generations": 2}
    stop = interrupt_if(lambda progress: progress.evaluations > 15)
    with pytest.raises(KeyboardInterrupt):
        train(W, TEXT, run_directory=tmp_path / "run", progress=stop, **words)
    assert len(archive(tmp_path / "run")) == 120
    again = train(W, TEXT, run_directory=tmp_path / "run", workers=workers, **words)
    assert training_json(again) == training_json(train(W, TEXT, **words))


@pytest.mark.slow
def test_rule_bases_learn_from_samples_too() -> None:
    training = train_rules(W, TEXT, kind="iterative", evaluations=13, generations=1, resample=2, margin=5, seed=4)
    task, _ = tasks(data_of(W, WISH, "ratio", None, 2, 5.0, 4))
    for system in training.systems:
        values = np.concatenate([simulate(w, system.policy).objectives.array for w in task.workloads])
        assert (system.objective, system.exceeded) == pytest.approx([float(x[0]) for x in task.measure(values[None])])
    assert (training.resampled, training.margin, training.over) == (2, 5.0, "ratio")
    with pytest.raises(InputError, match="margin must be a number for a rule base"):
        train_rules(W, TEXT, margin="auto")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"resample": -1}, "resample must be in 0..1000 workloads, but is -1"),
        ({"resample": 1001}, "resample must be in 0..1000 workloads, but is 1001"),
        ({"resample": 1.5}, "resample must be a whole number, but is 1.5"),
        ({"margin": "much"}, "margin must be a number of per cent or \"auto\", but is 'much'"),
        ({"margin": 51}, "margin must be in 0..50 %, but is 51"),
        ({"margin": float("nan")}, "margin must be in 0..50 %, but is nan"),
        ({"wish": "AWRT1", "margin": 1}, "margin must be a distance to limits, but the wish AWRT1 has none"),
        (
            {"until": 0.3, "resample": 1},
            "random to 30 %: cannot be resampled: it lasts 1.",
        ),
    ],
)
def test_what_cannot_be_is_refused(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        train(W, **({"wish": TEXT} | words), **SHORT)
    assert str(error.value).startswith(message)


def test_a_log_without_users_cannot_be_resampled() -> None:
    with pytest.raises(InputError, match="cannot be resampled: its users are not known"):
        with_samples([W.with_(user=np.full(len(W), -1))], 1, 0)
