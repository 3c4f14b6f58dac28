"""What runs begin with: sequences with the front of weightings that are explored first."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from paretosched.core.errors import InputError
from paretosched.fronts.front_files import load_front
from paretosched.search import exploration
from paretosched.search.exploration import Progress, explore
from paretosched.search.runs import read_about
from support.exploring import interrupt_if, random_workload
from support.runs import equal_runs
from support.trainings import archive

W = random_workload()


def test_sequences_begin_with_weightings_that_are_explored_first(tmp_path: Path) -> None:
    words: dict[str, Any] = {"encoding": "sequence", "population": 6, "seed": 4, "wish": "AWRT1, others <= 1.4*EASY"}
    reports: list[Progress] = []
    explore(W, tmp_path / "run", evaluations=40, progress=reports.append, **words)
    first = [report for report in reports if report.beginning]
    assert reports[: len(first)] == first
    assert (first[-1].evaluations, first[-1].total, reports[-1].evaluations, reports[-1].total) == (60, 60, 40, 40)
    weightings = {key: word for key, word in words.items() if key != "encoding"}
    explore(W, tmp_path / "alone", evaluations=60, **weightings)
    equal_runs(tmp_path / "alone", tmp_path / "run" / "weightings")
    parameters = read_about(tmp_path / "run")["parameters"]
    assert parameters["start"] == ["weightings"]
    assert parameters["wish"] == read_about(tmp_path / "alone")["parameters"]["wish"]
    assert (parameters["decoding"], parameters["moves"], len(parameters["starts"])) == ("earliest", "pull", 6)
    explore(W, tmp_path / "named", evaluations=40, **words, start=[str(tmp_path / "alone")])
    assert archive(tmp_path / "named") == archive(tmp_path / "run")
    starts = [objectives for _, _, objectives in archive(tmp_path / "run")[:6]]
    explore(W, tmp_path / "all", start=[str(tmp_path / "alone")], decoding="earliest", algorithm="all")
    assert {*starts} <= {objectives for _, _, objectives in archive(tmp_path / "all")}


def test_weightings_to_begin_with_are_not_explored_twice(tmp_path: Path) -> None:
    words: dict[str, Any] = {"encoding": "sequence", "population": 6, "seed": 4}
    explore(W, tmp_path / "once", evaluations=40, **words)

    stop = interrupt_if(lambda progress: progress.beginning and progress.evaluations >= 30)
    with pytest.raises(KeyboardInterrupt):
        explore(W, tmp_path / "run", evaluations=40, progress=stop, **words)
    assert read_about(tmp_path / "run")["evaluations"]["wanted"] == 40
    kept = len(archive(tmp_path / "run" / "weightings"))
    assert 30 <= kept < 60
    reports: list[Progress] = []
    explore(W, tmp_path / "run", evaluations=20, progress=reports.append, **words)
    assert max(report.replayed for report in reports if report.beginning) == kept
    reports.clear()
    shutil.rmtree(tmp_path / "run" / "weightings")  # it is not needed again
    explore(W, tmp_path / "run", evaluations=40, start=["weightings"], progress=reports.append, **words)
    assert not any(report.beginning for report in reports)
    equal_runs(tmp_path / "once", tmp_path / "run")


def test_wrong_words_are_refused_before_weightings_are_explored(tmp_path: Path) -> None:
    for words, message in (
        ({"moves": "fill"}, 'moves "fill" must be given with the decoding "strict"'),
        ({"evaluations": 3}, "evaluations must be at least the population, 6, but are 3"),
        ({"start": ["weightings", "nobody"]}, 'must be one of .* but is "nobody"'),
        ({"start": 5}, "start must be a list"),
        ({"until": 5.0}, "until must be a share above 0 and below 1"),
        ({"until": 0.1, "algorithm": "rvea", "start": ["weightings"]}, 'must not be given with the algorithm "rvea"'),
    ):
        with pytest.raises(InputError, match=message):
            explore(W, tmp_path / "run", **{"encoding": "sequence", "population": 6, "evaluations": 20, **words})
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("algorithm", ["nsga2", "random"])
def test_other_algorithms_begin_sequences_with_the_order_of_submission(tmp_path: Path, algorithm: str) -> None:
    explore(W, tmp_path / "run", encoding="sequence", algorithm=algorithm, population=6, evaluations=12)
    assert read_about(tmp_path / "run")["parameters"]["starts"] == ["submit"]
    assert not (tmp_path / "run" / "weightings").exists()


def begin_and_interrupt(place: Path, evaluations: int | None = 40, **words: Any) -> None:
    """Explore sequences until half of the weightings are there."""

    stop = interrupt_if(lambda progress: progress.beginning and progress.evaluations >= 30)
    with pytest.raises(KeyboardInterrupt):
        explore(W, place, evaluations=evaluations, progress=stop, encoding="sequence", population=6, **words)


def test_a_run_that_was_interrupted_among_its_weightings_knows_what_it_is(tmp_path: Path) -> None:
    words: dict[str, Any] = {"seed": 4, "wish": "AWRT1, others <= 1.4*EASY", "lag": 7, "movable": "all"}
    begin_and_interrupt(tmp_path / "run", **words)
    assert read_about(tmp_path / "run")["status"] == "interrupted"
    assert read_about(tmp_path / "run")["workload"]["name"] == W.name
    with pytest.raises(InputError, match=r"run: a run is continued with its own parameters, but its seed is 4, not 3"):
        explore(W, tmp_path / "run", seed=3)
    explore(W, tmp_path / "run")
    explore(W, tmp_path / "once", evaluations=40, encoding="sequence", population=6, **words)
    equal_runs(tmp_path / "once", tmp_path / "run")
    for name in ("", "weightings"):
        known, other = (read_about(tmp_path / run / name)["parameters"] for run in ("once", "run"))
        assert known == other
        assert known["lag"] == 7


def test_all_members_of_the_weightings_are_simulated(tmp_path: Path) -> None:
    words: dict[str, Any] = {"algorithm": "all", "start": ["weightings"], "seed": 2}
    begin_and_interrupt(tmp_path / "run", None, **words)
    front = explore(W, tmp_path / "run")
    assert front.evaluations == len(load_front(tmp_path / "run" / "weightings")) > 6


def test_a_run_is_kept_when_its_first_sequences_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words: dict[str, Any] = {"encoding": "sequence", "population": 6, "evaluations": 40}
    advance = exploration.advance

    def fail(search: Any, record: Any, *others: Any) -> Any:
        if record.run.directory.name == "run":
            raise OSError("no space left")
        return advance(search, record, *others)

    with monkeypatch.context() as patch:
        patch.setattr(exploration, "advance", fail)
        with pytest.raises(OSError, match="no space left"):
            explore(W, tmp_path / "run", **words)
    assert (tmp_path / "run" / "run.json").exists()
    explore(W, tmp_path / "run", **words)
    explore(W, tmp_path / "once", **words)
    equal_runs(tmp_path / "once", tmp_path / "run")
