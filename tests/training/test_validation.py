"""A margin that is chosen by jobs that were not learnt from, in two runs that continue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paretosched.core.errors import InputError
from paretosched.policies.policy import Policy
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.training.margins import MARGINS
from paretosched.training.stages import run_folder
from paretosched.training.training import Progress, Training
from paretosched.training.validation import Candidate, choose_margin
from paretosched.workload.resampling import resample
from paretosched.workload.time_split import split
from paretosched.workload.workload import Workload
from support.trainings import archive, of_weeks, training_json

W = of_weeks(2)
TEXT = "10*AWRT1 + 4*AWRT2, AWRT3 <= 1.02*EASY"
SHORT: dict[str, Any] = {"generations": 2, "criterion": "f2", "seed": 4}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Training]:
    """A training that nothing disturbed."""
    directory = tmp_path_factory.mktemp("whole") / "run"
    return directory, train(W, TEXT, margin="auto", run_directory=directory, **SHORT)


def violation_of(policy: Policy, workload: Workload) -> float:
    limit = 1.02 * objectives(simulate(workload, "easy"))[4]
    return max(objectives(simulate(workload, policy))[4] - limit, 0) / limit


@pytest.mark.slow
def test_every_candidate_is_the_best_of_the_first_part_on_the_last(whole: tuple[Path, Training]) -> None:
    training = whole[1]
    assert [row["margin"] for row in training.margins] == list(MARGINS)
    first, last = split(W, 2 / 3)
    study = train(first, TEXT, **SHORT).policy  # it learns without a margin
    assert training.margins[0]["exceeded"] == pytest.approx(violation_of(study, last))
    for row in training.margins:
        assert row["kept"] == (row["exceeded"] == 0)
    assert training.margin == choose_margin([Candidate(**row) for row in training.margins])
    assert training.policy.provenance["margin"] == training.margin
    assert training.policy.provenance["margins"] == list(training.margins)


def test_the_policy_is_that_of_a_training_with_this_margin(whole: tuple[Path, Training]) -> None:
    alone = train(W, TEXT, margin=whole[1].margin, **SHORT)
    assert [s.policy.genes.tobytes() for s in alone.systems] == [s.policy.genes.tobytes() for s in whole[1].systems]
    assert "% of the workloads of the validation" in whole[1].text()
    study = train(split(W, 2 / 3)[0], TEXT, run_directory=whole[0].parent / "study", **SHORT)
    assert archive(whole[0] / "validation") == archive(whole[0].parent / "study")
    assert study.evaluations == 225


def test_the_rest_is_never_looked_at() -> None:
    words = {"margin": "auto", "until": 0.7, **SHORT}
    first = split(W, 0.7)[0]
    assert train(W, TEXT, **words).margins == train(first, TEXT, margin="auto", **SHORT).margins


@pytest.mark.slow
def test_samples_of_the_last_third_are_looked_at() -> None:
    slow = W.with_(submit=W.submit * 3)
    training = train(slow, TEXT, margin="auto", resample=3, **SHORT)
    first, last = split(slow, 2 / 3)
    study = train(first, TEXT, resample=3, **SHORT).policy
    jobs = [last, *(resample(last, 4000 + i) for i in (1, 2, 3))]
    violations = [violation_of(study, w) for w in jobs]
    assert training.margins[0]["exceeded"] == pytest.approx(sum(violations) / 4)
    assert training.margins[0]["kept"] == violations.count(0) / 4


@pytest.mark.slow
@pytest.mark.parametrize("evaluations", [120, 345])
def test_it_is_continued_in_both_runs(whole: tuple[Path, Training], tmp_path: Path, evaluations: int) -> None:
    reports: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        reports.append(progress)
        if progress.evaluations == evaluations:
            raise KeyboardInterrupt

    run = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        train(W, TEXT, margin="auto", run_directory=run, progress=interrupt, **SHORT)
    assert {progress.total for progress in reports} == {450}
    again = train(W, TEXT, margin="auto", run_directory=run, **{**SHORT, "generations": None})
    assert training_json(again) == training_json(whole[1])
    for name in ("validation", "training"):
        assert archive(run / name) == archive(whole[0] / name)


@pytest.mark.parametrize(
    ("shares", "margin"),
    [((1, 1, 1), 0), ((0.8, 1, 0.9), 1), ((1, 0.8, 1), 2), ((0, 0, 1), 2), ((0.5, 0.8, 0.8), 1), ((0, 0, 0), 0)],
)
def test_the_smallest_margin_that_is_not_by_luck(shares: tuple[float, ...], margin: float) -> None:
    assert choose_margin([Candidate(i, share, 1 - share) for i, share in enumerate(shares)]) == margin


def test_a_folder_that_holds_something_else_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with (
        pytest.raises(InputError, match="must hold a training with a validated margin or be empty, but holds mine"),
        run_folder(tmp_path, ("validation", "training"), "a training with a validated margin"),
    ):
        raise AssertionError("not to be reached")
    with pytest.raises(InputError, match="must hold a training with a validated margin"):
        train(W, TEXT, margin="auto", run_directory=tmp_path, **SHORT)
    fresh = tmp_path / "fresh"
    with pytest.raises(KeyboardInterrupt), run_folder(fresh, (), "nothing", lambda place: (place / "kept").touch()):
        raise KeyboardInterrupt
    assert [path.name for path in fresh.iterdir()] == ["kept"]
    with pytest.raises(ZeroDivisionError), run_folder(tmp_path / "gone", (), "nothing"):
        1 / 0  # noqa: B018
    assert not (tmp_path / "gone").exists()
