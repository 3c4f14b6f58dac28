"""The experiment of searches: its path can be walked, and its measures are what they are called."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.tables import load_rows, save_rows
from paretosched.fronts.front_files import load_front
from support.experiments import ROOT, modules, script

SCRIPTS = (
    "analysis",
    "bound",
    "courses",
    "draw",
    "lag",
    "long",
    "measuring",
    "offline",
    "rank_tests",
    "run",
    "settings",
    "surrogate",
)  # there are more experiments


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    yield from modules(monkeypatch, "search", SCRIPTS)


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    call = ("search", "run.py", "--quick", "--results", tmp_path / "results", "--work", tmp_path / "work")
    script(*call)
    script("search", "analysis.py", "--results", tmp_path / "results")
    summary = (tmp_path / "results" / "summary.md").read_text(encoding="utf-8")
    for words in (
        "A quick run on made-up jobs",
        "## Hypervolume to 1.5 times EASY",
        "## All measures",
        "(proved) better than EASY's",
        "proved possible at most",
        "## Ranks",
        "## Tests",
        "Wilcoxon's signed ranks of 2 seeds",
        "## Longer searches",
        "better than it by any measure",
        "Better than `archive`, in the mean over seeds: after 120 simulations",
        "## Random draws against NSGA-II, 240 simulations",
        "## Draws",
        "Gained by it, in the mean of logs and seeds: `random` ",
        "## Lag",
        "Lost by a lag of 50 instead of 1",
        "## Surrogate of trained orders",
    ):
        assert words in summary
    rows = load_rows(tmp_path / "results" / "courses.csv")
    assert len(rows) == 4 * 2 * 2
    lags = load_rows(tmp_path / "results" / "lags.csv")
    assert [(row["lag"], row["seed"], row["evaluations"]) for row in lags] == [
        (lag, seed, budget) for seed in "01" for lag in ("1", "50") for budget in ("120", "240")
    ]
    for row in rows:
        assert 0 < float(row["hypervolume 1.2"]) < 1
    before = [{key: value for key, value in row.items() if key != "own ms"} for row in rows]
    script(*call)
    again = load_rows(tmp_path / "results" / "courses.csv")
    assert [{key: value for key, value in row.items() if key != "own ms"} for row in again] == before
    two_seeds = load_rows(tmp_path / "results" / "long.csv")
    shutil.rmtree(tmp_path / "work")
    script(*call, "--part", "long", "--seeds", 3)
    three_seeds = load_rows(tmp_path / "results" / "long.csv")
    assert three_seeds[: len(two_seeds)] == two_seeds  # not searched again, and in the same box
    assert [row["seed"] for row in three_seeds[len(two_seeds) :]] == ["2"] * (len(two_seeds) // 2)


@pytest.mark.usefixtures("fine_hypervolumes")
def test_what_is_better_than_the_begin_of_the_box_counts_as_its_begin(scripts: dict[str, Any], tmp_path: Path) -> None:
    """The box begins at one schedule of a run, so that the run has all of it, and not more."""
    jobs = ps.lublin(jobs=200, processors=32, seed=3)
    runs = scripts["courses"].runs_of("made up", jobs, tmp_path, [0], [120])
    whole = ps.merge(list(runs.values()))
    easy = np.asarray(ps.objectives(ps.simulate(jobs, "easy")))
    within = (whole.values[:, 2:] < 1.1 * easy[2:]).all(axis=1)
    assert within.any()
    middle = np.flatnonzero(within)[:1]
    assert (whole.values[:, 2:].min(axis=0) < whole.values[middle[0], 2:]).all()  # each time is better somewhere
    names = ("values", "genomes", "origin", "evaluation")
    one = replace(whole, **{name: getattr(whole, name)[middle] for name in names})
    rows = list(scripts["courses"].measures("made up", jobs, runs, [120], one))
    random = next(row for row in rows if row["algorithm"] == "random")
    best = max(rows, key=lambda row: row["hypervolume 1.5"])
    assert best["hypervolume 1.5"] == pytest.approx(1, abs=1e-4)
    assert 0 < random["hypervolume 1.5"] <= 1
    assert best["epsilon"] == pytest.approx(0, abs=1e-9)


def test_rows_of_longer_searches_count_only_with_the_front_they_were_measured_by(
    scripts: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = scripts["settings"]
    for name, value in {"ALGORITHMS": ("random",), "LONG_BUDGETS": (110, 120), "LONG_FIRST": range(1)}.items():
        monkeypatch.setattr(settings, name, value)
    jobs, others = (ps.lublin(jobs=number, processors=32, seed=3) for number in (100, 110))
    front = tmp_path / scripts["long"].FOLDER / "KTH.parquet"

    def seeds_and_jobs(w: ps.Workload, *seeds: int) -> list[tuple[int, int, bool]]:
        """The rows of the log, the last of each run, and whether they were in the table."""
        rows = scripts["long"].rows_of("KTH", w, tmp_path / w.digest, seeds, tmp_path)
        save_rows([row | {"own ms": -1} for row in rows], tmp_path / settings.LONG_FILE)
        return [(int(row["seed"]), int(row["jobs"]), row["own ms"] == "-1") for row in rows[1::2]]

    assert seeds_and_jobs(jobs, 0) == [(0, 100, False)]
    before = front.read_bytes()
    assert seeds_and_jobs(jobs, 0, 1) == [(0, 100, True), (1, 100, False)]
    assert seeds_and_jobs(jobs, 1) == [(0, 100, True), (1, 100, True)]
    assert front.read_bytes() == before
    front.unlink()
    assert seeds_and_jobs(jobs, 0) == [(0, 100, False)]
    assert seeds_and_jobs(others, 0) == [(0, 110, False)]
    assert load_front(front).digest == others.digest


def test_seeds_that_a_log_lacks_are_no_pairs_of_log_and_seed(scripts: dict[str, Any], tmp_path: Path) -> None:
    """Three pairs, of which random draws win one."""
    analysis = scripts["analysis"]
    settings = scripts["settings"]
    rows = [
        {"log": log, "algorithm": name, "seed": seed, "evaluations": budget, "own ms": 1}
        | dict.fromkeys(analysis.MEASURES, float(name == ("random" if seed else "archive")))
        for log, seed in (("KTH", 0), ("KTH", 1), ("CTC", 0))
        for name in settings.ALGORITHMS
        for budget in settings.LONG_BUDGETS
    ]
    save_rows(rows, tmp_path / settings.LONG_FILE)
    summary = "\n".join(analysis.long(tmp_path))
    assert "the largest hypervolume in 2 of 3 pairs of log and seed and shares it in 0;" in summary


def test_a_wish_is_met_within_the_box_or_by_easy(scripts: dict[str, Any]) -> None:
    gain = scripts["courses"].wish_gain
    easy, wishes = np.array([100.0, 100.0]), np.array([[1.0, 0.0], [0.5, 0.5]])
    times = np.array([[50.0, 151.0], [80.0, 150.0]])  # the first is out of the box
    assert gain(times, easy, wishes) == pytest.approx((0.2 + 0.0) / 2)
    assert gain(times[:1], easy, wishes) == 0


def test_no_search_is_better_than_what_is_proved_to_be_possible() -> None:
    results = ROOT / "results" / "search"
    most = {row["log"]: float(row["at most %"]) for row in load_rows(results / "bound.csv")}
    rows = [*load_rows(results / "courses.csv"), *load_rows(results / "long.csv")]
    assert {row["log"] for row in rows} == most.keys()
    assert all(float(row["wish gain %"]) <= most[row["log"]] for row in rows)


def test_random_draws_and_few_simulations_are_in_the_opening() -> None:
    lines = (ROOT / "results" / "search" / "summary.md").read_text(encoding="utf-8").splitlines()
    came_out, fails = (next(line for line in lines if name in line) for name in ("What came out", "Where it fails"))
    assert "weightings drawn at random as it draws them have" in came_out
    assert "tied random ones are ahead of it on" in fails
    assert "the draw alone makes" in fails
    assert "After 500 simulations" in fails
