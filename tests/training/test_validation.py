"""A margin that is chosen by jobs that were not learnt from, in two runs that continue."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.policies.policy import Policy
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.training.greedy_training import train
from paretosched.training.margins import MARGINS
from paretosched.training.stages import run_folder
from paretosched.training.task import Task, data_of, has_goal
from paretosched.training.training import Progress, Training
from paretosched.training.validation import SAMPLES, Candidate, choose_margin, validation_tasks
from paretosched.workload.resampling import resample
from paretosched.workload.time_split import months, split
from paretosched.workload.user_groups import by_consumption
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
    training = train(slow, TEXT, margin="auto", **SHORT)
    first, last = split(slow, 2 / 3)
    study = train(first, TEXT, **SHORT).policy
    resampled = [violation_of(study, resample(last, 4000 + i)) for i in range(1, SAMPLES + 1)]
    kinds = [[violation_of(study, last)], resampled]  # it is too short for months
    assert training.margins[0]["exceeded"] == pytest.approx(sum(sum(kind) / len(kind) for kind in kinds) / 2)
    assert training.margins[0]["kept"] == min(kind.count(0) / len(kind) for kind in kinds)


def test_months_of_the_last_third_are_looked_at() -> None:
    months_long = W.with_(submit=W.submit * 15)
    data = data_of(months_long, TEXT, None, None, 0, "auto", 0)
    checks = validation_tasks(data)[1]
    last = split(months_long, 2 / 3)[1]
    assert [len(check.workloads) for check in checks] == [1, 3, SAMPLES]
    # a month in which a group of the goal has no job says nothing of it
    with_both = [month for month in months(last) if {0, 1} <= set(month.group.tolist())]
    assert [has_goal(data.wish, month) for month in months(last)] == [True, True, True, False]
    assert [w.submit.tolist() for w in checks[1].workloads] == [month.submit.tolist() for month in with_both]
    assert checks[2].workloads[0].submit.tolist() == resample(last, 1).submit.tolist()


def test_users_are_in_the_groups_that_are_known_where_the_last_third_begins() -> None:
    """User 1 has done nearly all where the last third begins, user 2 in the end; user 3 comes later."""
    submit = np.array([0, 1, 2, 3, 7, 8, 9])
    user, run = np.array([1, 2, 1, 2, 2, 3, 1]), np.array([90, 1, 9, 1, 900, 1, 1])
    words = {"user": user, "source": ({"function": "lublin"},)}
    w = by_consumption(Workload(submit, run, run, np.ones(7, dtype=np.int64), 1, **words), [0.5])
    assert w.group.tolist() == [1, 0, 1, 0, 0, 1, 1]
    study, checks = validation_tasks(data_of(w, "AWRT1, AWRT2 <= EASY", None, None, 0, "auto", 0))
    assert [task.workloads[0].group.tolist() for task in (study, checks[0])] == [[0, 1, 0, 1], [1, 1, 0]]
    assert [task.workloads[0].group.tolist() for task in _without_new(w)] == [[1, 0, 1, 0], [0, 1]]


def _without_new(w: Workload) -> list[Task]:
    """The study and the check where user 1, all of the first group as known, has no job in the last third."""
    part = w.take(np.arange(6), source=w.source)
    study, checks = validation_tasks(data_of(part, "AWRT1, AWRT2 <= EASY", None, None, 0, "auto", 0))
    return [study, checks[0]]


def test_a_group_without_jobs_in_the_last_third_has_no_part_there() -> None:
    """Of the goal, or of a limit; on the rest of the limits EASY itself keeps what it is compared with."""
    last = split(W, 2 / 3)[1]
    for missing, wish in ((1, TEXT), (2, "AWRT1, AWRT3 <= EASY, AWRT2 <= EASY")):
        others = np.flatnonzero((W.group != missing) | (W.submit < last.submit[0]))
        study, checks = validation_tasks(data_of(W.take(others), wish, None, None, 0, "auto", 0))
        assert missing in study.workloads[0].group
        assert missing not in checks[0].workloads[0].group
        assert checks[0].violations(checks[0].easy_values[None])[0, 0] == 0
        # twice as long response times of the group that is limited and there: group 3, or group 2 where 3 is missing
        limited = checks[0].easy_values.copy()
        limited[4 if missing == 1 else 3] *= 2
        assert checks[0].violations(limited[None])[0, 0] > 0


@pytest.mark.parametrize(("days", "parts"), [(27, 0), (41, 0), (43, 2), (70, 2), (71, 3), (280, 10)])
def test_months_are_equal_parts_of_nearly_four_weeks(days: int, parts: int) -> None:
    submit = np.linspace(0, days * 86400, 400).astype(np.int64)
    ones = np.ones(400, dtype=np.int64)
    w = Workload(submit, ones, ones, ones, 1)
    found = months(w)
    assert len(found) == parts
    assert [job for month in found for job in month.job] == (list(w.job) if parts else [])
    for month in found:
        assert month.submit[-1] - month.submit[0] < 1.5 * 28 * 86400


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
