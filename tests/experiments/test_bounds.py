"""The experiment of bounds: its path can be walked, and its results hold what the summary says."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.tables import load_rows
from support.experiments import ROOT, modules, script

INGREDIENTS = ("squashed area", "order of release", "job-wise minima", "widths", "wide in turn", "two at a time")


@pytest.fixture
def bounds(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from modules(monkeypatch, "bounds", ("settings", "tiny", "run"))


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    run = ("bounds", "run.py", "--quick", "--results", tmp_path)
    script(*run)
    script("bounds", "analysis.py", "--results", tmp_path)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    for words in ("A quick run on made-up workloads", "are beaten 0 times, and met", "## What each ingredient adds"):
        assert words in summary
    assert "not run" not in summary
    rows = load_rows(tmp_path / "logs.csv")
    for row in rows:
        assert float(row["programme"]) <= float(row["ideal point"])
    falls_in(rows)
    assert sum(bool(row["widths"]) for row in rows) == 3
    before = {path.name: path.read_bytes() for path in tmp_path.glob("tiny.csv")}
    script(*run, "--part", "tiny")
    assert {path.name: path.read_bytes() for path in tmp_path.glob("tiny.csv")} == before


def test_no_schedule_of_a_tiny_workload_beats_any_ingredient(bounds: dict[str, ModuleType]) -> None:
    run, tiny = bounds["run"], bounds["tiny"]
    generator = np.random.default_rng(5)
    for _ in range(60):
        w = tiny.tiny_workload(generator, (4, 5), (2, 4))
        sums = tiny.sums_of_all(w)
        for ingredient in run.INGREDIENTS:
            for row in run.area_rows(w, ingredient):
                assert row.least <= sums[:, row.members].sum(axis=1).min()


def test_ingredients_of_an_area_by_hand(bounds: dict[str, ModuleType]) -> None:
    """On two processors a job of one, 10 s, at 0, and one of two, 10 s, at 5; the queue counts twice.

    In the first second 10 flow in, of which 8 are left at its end, and 4 s later none; of 20 then 18 are left, for 9 s
    more: 8 x 5 + 18 x 10, less 30. Released together 28 are left, for 14 s more: 28 x 15, less 30 and twice 20 x 5 s.
    The run times are worth 10 x 10 + 20 x 10, which is more than half of it and half of 190. By the widths one a second
    stays for 5 s, which are there for 5 s more and flow out in 2.5 s, of which the last half one does not count.
    """
    w = ps.Workload(submit=[0, 5], run=[10, 10], estimate=[10, 10], width=[1, 2], capacity=2)
    run = bounds["run"]
    assert [run.squashed_area(w, [0], name) for name in run.SQUASHED] == [190 // 2, 190 // 2, 300, 300 + 87 // 2]


def test_each_ingredient_of_the_stored_results_proves_no_less_than_the_one_before() -> None:
    rows = load_rows(ROOT / "results" / "bounds" / "logs.csv")
    falls_in(rows)
    assert all(float(row["order of release"]) > float(row["job-wise minima"]) for row in rows if row["widths"])


def falls_in(rows: list[dict[str, str]]) -> None:
    """Check that each ingredient leaves no more than the one before it."""
    for row in rows:
        shares = [float(row[name]) for name in INGREDIENTS if row[name]]
        assert shares == sorted(shares, reverse=True)
        assert len(shares) in (0, len(INGREDIENTS))


def test_the_stored_results_have_no_bound_that_is_beaten() -> None:
    rows = load_rows(ROOT / "results" / "bounds" / "tiny.csv")
    assert sum(float(row["workloads"]) for row in rows) >= 10_000
    assert {float(row[key]) for row in rows for key in ("sets beaten", "wishes beaten")} == {0.0}
