"""The choice among the classes of policies: its rule, what it never looks at, and how it is continued."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.errors import InputError
from paretosched.policies.policy_json import from_json, to_json
from paretosched.training import class_choice
from paretosched.training.class_choice import EASY, FOLDS, Fold, choose, classes_text, fold_of, train_best
from paretosched.training.task import Task
from paretosched.training.training import Progress
from paretosched.wishes.wish_files import as_wish
from support.exploring import interrupt_if
from support.trainings import training_json

FREE = "10*AWRT1 + 4*AWRT2"
LIMITED = f"{FREE}, AWRT <= EASY, all <= 1.25*EASY"
WORDS: dict[str, Any] = {"until": 0.7, "seed": 3}
SHORT: dict[str, dict[str, Any]] = {
    "guarded": {"evaluations": 6},
    "priority": {"evaluations": 60},
    "greedy": {"generations": 1, "criterion": "f1"},
}
LOG = ps.by_consumption(ps.lublin(jobs=300, processors=32, seed=2))


@pytest.fixture(autouse=True, scope="module")
def _short() -> Iterator[None]:
    """Small efforts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_choice, "EFFORTS", SHORT)
        yield


class Whole(NamedTuple):
    """A training that nothing disturbed, and what it reported."""

    training: ps.Training
    progress: list[Progress]


@pytest.fixture(scope="module")
def whole(_short: None) -> Whole:
    """A training that nothing disturbed."""
    stages: list[Progress] = []
    return Whole(train_best(LOG, FREE, progress=stages.append, **WORDS), stages)


def folds(*gains: float, exceeded: tuple[float, ...] = ()) -> list[Fold]:
    """Return folds with these gains, the first ones outside the limits."""
    return [Fold(0.5, gain, sum(exceeded[i : i + 1]), 0.0) for i, gain in enumerate(gains)]


def test_limits_come_first_then_gain_and_easy_wins_ties() -> None:
    kept, more, broken = folds(8, 8, 8, 8), folds(9, 9, 9, 9), folds(30, 30, 30, 30, exceeded=(0.01,))
    assert choose({"guarded": kept, "priority": broken, "greedy": more}) == "greedy"
    assert choose({"guarded": kept, "priority": broken}) == "guarded"
    assert choose({"guarded": folds(0, 0, 0, 0), "priority": broken}) == "priority"
    assert choose({"guarded": folds(0, 0, 0, 0), "priority": folds(*[30] * 4, exceeded=(0.01,) * 3)}) == EASY
    assert choose({"priority": folds(*[30] * 4, exceeded=(0.01, 0.01))}) == "priority"
    assert choose({"guarded": folds(90, 0.9, 0.9, 0.9)}) == EASY  # one lucky part decides nothing
    assert choose({"guarded": folds(-90, 1, 1, 1)}) == "guarded"
    assert choose({"guarded": [], "priority": []}) == EASY


def test_limits_that_easy_exceeds_need_only_be_kept_as_well() -> None:
    words = "10*AWRT1, AWRT2 <= 1s"
    test = Task(as_wish(words, LOG.groups), "sum", [LOG], [LOG], is_test=True)
    (easy,) = test.easy[1]
    better = test.easy_values.copy()
    better[3] *= 0.5
    fold = fold_of(0.5, test, better)
    assert fold.is_kept
    assert fold.gain == pytest.approx(100 * (easy - fold.exceeded) / easy)
    assert fold.gain > 40
    worse = test.easy_values.copy()
    worse[2], worse[3] = 1.0, 2 * worse[3]
    assert not fold_of(0.5, test, worse).is_kept
    assert fold_of(0.5, test, worse).gain < 0


def test_the_gain_of_a_fold_is_that_of_the_jobs_after_it(whole: Whole) -> None:
    row = next(row for row in whole.training.classes if row["class"] == "priority")
    learnt, _ = ps.split(LOG, WORDS["until"])
    alone = ps.train_priority(learnt, FREE, until=FOLDS[1], seed=WORDS["seed"], **SHORT["priority"])
    assert row["folds"][1]["gain"] == pytest.approx(alone.rows()[alone.best + 1]["rest_vs_easy"], rel=1e-12)
    assert row["gain"] == pytest.approx(np.median([fold["gain"] for fold in row["folds"]]))


def test_the_chosen_class_is_trained_as_if_asked_for_with_this_effort(whole: Whole) -> None:
    training = whole.training
    assert [row["class"] for row in training.classes if row["chosen"]] == ["priority"]
    alone = ps.train_priority(LOG, FREE, **WORDS, **SHORT["priority"])
    assert training.rows() == alone.rows()
    assert training.evaluations > alone.evaluations
    assert {progress.stage for progress in whole.progress} >= {"choosing a class, 1 of 8: priority", "priority"}
    policy = from_json(to_json(training.policy))
    assert policy.provenance["chosen"] == "priority"
    assert [row["class"] for row in policy.provenance["classes"]] == ["guarded", "priority", "greedy"]
    words = classes_text(training.classes)
    assert "> priority" in words
    assert "guarded was not tried: only for wishes with a group in the sum and a limit" in words


def test_the_rest_decides_nothing(whole: Whole) -> None:
    later = LOG.submit > LOG.submit[0] + WORDS["until"] * (LOG.submit[-1] - LOG.submit[0])
    run = np.where(later, np.maximum(LOG.run // 7, 1), LOG.run)
    other = train_best(LOG.with_(run=run, source=LOG.source), FREE, **WORDS)
    assert other.classes == whole.training.classes
    assert other.rows() != whole.training.rows()


def test_easy_stays_where_no_class_gains_within_the_limits() -> None:
    training = train_best(LOG, LIMITED)
    assert training.policy.name == "EASY"
    assert [row["chosen"] for row in training.classes] == [False] * 3
    assert "EASY stays" in classes_text(training.classes)
    assert training.policy.provenance["chosen"] == EASY
    assert not training.shortfalls()
    assert from_json(to_json(training.policy)).outcome(LOG).start.tolist() == ps.simulate(LOG, EASY).start.tolist()


def test_jobs_that_cannot_be_cut_leave_easy(tmp_path: Path) -> None:
    w = ps.Workload(
        [5] * 9, [5] * 9, [5] * 9, [1] * 9, capacity=2, group=[0, 1, 0, 1, 0, 1, 0, 1, 0], groups=("a", "b")
    )
    training = train_best(w, "10*a", run_directory=tmp_path / "run")
    assert training.policy.name == "EASY"
    assert "cannot be cut" in classes_text(training.classes)


def test_it_is_continued_with_the_same_result(whole: Whole, tmp_path: Path) -> None:
    stop = interrupt_if(lambda progress: progress.stage.startswith("choosing a class, 6"))
    with pytest.raises(KeyboardInterrupt):
        train_best(LOG, FREE, run_directory=tmp_path / "run", progress=stop, **WORDS)
    stages: list[Progress] = []
    again = train_best(LOG, FREE, run_directory=tmp_path / "run", progress=stages.append, **WORDS)
    assert training_json(again) == training_json(whole.training)
    assert again.classes == whole.training.classes
    assert stages[0].replayed == stages[0].evaluations > 0
    with pytest.raises(InputError, match="seed"):
        train_best(LOG, FREE, run_directory=tmp_path / "run", **WORDS | {"seed": 4})


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(InputError, match=r"chooses among the classes of policies or be empty, but holds mine\.txt"):
        train_best(LOG, FREE, run_directory=tmp_path, **WORDS)
