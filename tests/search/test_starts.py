"""What runs begin with: sequences with the front of weightings that are explored first."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from paretosched.core.errors import InputError
from paretosched.search.exploration import Progress, explore
from paretosched.search.runs import read_about
from support.exploring import random_workload
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

    def interrupt(progress: Progress) -> None:
        if progress.beginning and progress.evaluations >= 30:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(W, tmp_path / "run", evaluations=40, progress=interrupt, **words)
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
    ):
        with pytest.raises(InputError, match=message):
            explore(W, tmp_path / "run", **{"encoding": "sequence", "population": 6, "evaluations": 20, **words})
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("algorithm", ["nsga2", "random"])
def test_other_algorithms_begin_sequences_with_the_order_of_submission(tmp_path: Path, algorithm: str) -> None:
    explore(W, tmp_path / "run", encoding="sequence", algorithm=algorithm, population=6, evaluations=12)
    assert read_about(tmp_path / "run")["parameters"]["starts"] == ["submit"]
    assert not (tmp_path / "run" / "weightings").exists()
