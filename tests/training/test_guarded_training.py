"""Training of guarded orders: reproducible, continued after a death, on windows, and never worse than EASY."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.policies.guarded import Guarded
from paretosched.policies.policy_json import from_json, to_json
from paretosched.training.guarded_training import GENERATION, WINDOWS, draws, train_guarded
from paretosched.training.task import Task, windows_of
from paretosched.training.training import Training
from support.exploring import interrupt_if
from support.trainings import archive, of_weeks, training_json

W = of_weeks()
WISH = "10*AWRT1 + 4*AWRT2, AWRT <= EASY, all <= 1.25*EASY"
SHORT: dict[str, Any] = {"evaluations": 50, "seed": 4}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Training]:
    """A training that nothing disturbed."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    return directory, train_guarded(W, WISH, run_directory=directory, **SHORT)


def ratios(policy: ps.Policy, log: ps.Workload = W) -> list[tuple[float, float, float]]:
    """Return the objective, the AWRT and the worst group's on a log and its windows, in shares of EASY's."""
    rows = []
    for w in (log, *windows_of(log, WINDOWS)):
        x, easy = (ps.simulate(w, p).objectives.array for p in (policy, "easy"))
        goals = [10 * values[2] + 4 * values[3] for values in (x, easy)]
        rows.append((goals[0] / goals[1], x[1] / easy[1], float(np.nanmax(x[2:] / easy[2:]))))
    return rows


@pytest.mark.slow
def test_the_result_keeps_the_limits_on_all_windows_and_reaches_what_it_says(whole: tuple[Path, Training]) -> None:
    training = whole[1]
    assert isinstance(training.policy, Guarded)
    reached = ratios(from_json(to_json(training.policy)))
    assert all(awrt <= 1 and worst <= 1.25 for _, awrt, worst in reached)
    system = training.systems[training.best]
    assert system.objective == pytest.approx(np.mean([goal for goal, _, _ in reached]), rel=1e-12)
    assert (system.exceeded, training.windows, training.resampled) == (0, WINDOWS, 0)
    assert system.objective < training.easy.objective == pytest.approx(1, rel=1e-12)
    assert "over the log and 5 parts of it: the mean objective, and the limits on the worst" in training.text()
    assert training.policy.provenance["class"] == "guarded"


@pytest.mark.slow
def test_it_is_the_best_of_what_was_tried_within_the_limits(whole: tuple[Path, Training]) -> None:
    training = whole[1]
    best = training.systems[training.best].objective
    assert training.guarded is not None
    for policy in ("easy", training.guarded.policy):
        reached = ratios(ps.as_policy(policy))
        if all(awrt <= 1 and worst <= 1.25 for _, awrt, worst in reached):
            assert best <= np.mean([goal for goal, _, _ in reached]) + 1e-12


@pytest.mark.slow
def test_workers_and_interruptions_change_nothing(whole: tuple[Path, Training], tmp_path: Path) -> None:
    directory, training = whole

    stop = interrupt_if(lambda progress: progress.evaluations > 20)
    with pytest.raises(KeyboardInterrupt):
        train_guarded(W, WISH, run_directory=tmp_path / "run", progress=stop, **SHORT)
    assert 20 < len(archive(tmp_path / "run")) < SHORT["evaluations"]
    again = train_guarded(W, WISH, run_directory=tmp_path / "run", workers=1, **(SHORT | {"evaluations": None}))
    assert archive(tmp_path / "run") == archive(directory)
    assert training_json(again) == training_json(training)


@pytest.mark.slow
def test_a_margin_can_be_validated_and_years_resampled() -> None:
    training = train_guarded(W, WISH, margin="auto", resample=2, evaluations=8)
    assert training.margin in [row["margin"] for row in training.margins]
    assert (training.windows, training.resampled) == (WINDOWS, 2)


def test_groups_may_have_any_names() -> None:
    w = replace(W, groups=("vip", *(f"group {name}" for name in W.groups[1:])))
    training = train_guarded(w, "10*vip, AWRT <= EASY, others <= 1.25*EASY", evaluations=6)
    assert isinstance(training.policy, Guarded)
    assert training.policy.first == ("vip",)


@pytest.mark.slow
def test_easy_stays_if_nothing_keeps_the_limits() -> None:
    training = train_guarded(W, "AWRT1, AWRT <= EASY, all <= EASY", evaluations=2)
    assert training.policy.name in ("EASY", "trained guarded order", "Guarded 1")
    strict = train_guarded(W, "AWRT1, AWRT <= EASY, all <= EASY", evaluations=1)
    assert (strict.policy.name, strict.shortfalls()) == ("EASY", [])


def test_draws_are_the_same_for_any_number_and_cover_the_ranges() -> None:
    few, many = (np.concatenate(list(draws(2, count, 7))) for count in (40, 200))
    assert (len(few), len(many)) == (40, 200)
    assert np.array_equal(few, many[:40])
    assert not np.array_equal(many, np.concatenate(list(draws(2, 200, 8))))
    first = many[2 : 2 + GENERATION, 1:]
    assert all(sorted((GENERATION * column).astype(int)) == list(range(GENERATION)) for column in first.T)


@pytest.mark.parametrize("wish", ["10*AWRT1 + 4*AWRT2", "AWRT, AWRT1 <= EASY", "UTIL >= 50"])
def test_wishes_that_no_guard_can_keep_are_refused(wish: str) -> None:
    with pytest.raises(InputError, match=r"a guarded order must have a wish with a group in its sum and a limit"):
        train_guarded(W, wish)


@pytest.mark.parametrize("evaluations", [0, -1, 1.5])
def test_a_number_of_evaluations_that_cannot_be_meant_is_refused(evaluations: float) -> None:
    with pytest.raises(InputError, match="evaluations must be"):
        train_guarded(W, WISH, evaluations=evaluations)  # type: ignore[arg-type]


@pytest.mark.slow
def test_it_learns_on_a_machine_with_processors_down(whole: tuple[Path, Training]) -> None:
    first, last = int(W.submit[0]), int(W.submit[-1])
    down = W.with_(down=ps.DownTimes([first], [(first + last) // 2], [W.capacity // 2]))
    training = train_guarded(down, WISH, **SHORT)
    system = training.systems[training.best]
    assert system.objective == pytest.approx(np.mean([goal for goal, _, _ in ratios(training.policy, down)]), rel=1e-12)
    assert system.objective != whole[1].systems[whole[1].best].objective


@pytest.mark.parametrize(("words", "tasks"), [({}, 1), ({"until": 0.6, "margin": 2}, 2)])
def test_what_is_learnt_from_is_made_once(monkeypatch: pytest.MonkeyPatch, words: dict[str, Any], tasks: int) -> None:
    made: list[Task] = []
    begin = Task.__init__

    def count(task: Task, *arguments: Any, **others: Any) -> None:
        made.append(task)
        begin(task, *arguments, **others)

    monkeypatch.setattr(Task, "__init__", count)
    training = train_guarded(W, WISH, evaluations=3, **words)
    assert len(made) == tasks  # with `until` one more to test on
    assert training.margin == words.get("margin", 0)
