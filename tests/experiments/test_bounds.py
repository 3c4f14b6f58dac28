"""The experiment of bounds: its path can be walked, and its results hold what the summary says."""

from __future__ import annotations

from pathlib import Path

from paretosched.core.tables import load_rows
from support.experiments import ROOT, script


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
        shares = [
            float(row[name]) for name in ("released work", "widths", "wide in turn", "two at a time") if row[name]
        ]
        assert shares == sorted(shares, reverse=True)
    assert sum(bool(row["widths"]) for row in rows) == 3
    before = {path.name: path.read_bytes() for path in tmp_path.glob("tiny.csv")}
    script(*run, "--part", "tiny")
    assert {path.name: path.read_bytes() for path in tmp_path.glob("tiny.csv")} == before


def test_the_stored_results_have_no_bound_that_is_beaten() -> None:
    rows = load_rows(ROOT / "results" / "bounds" / "tiny.csv")
    assert sum(float(row["workloads"]) for row in rows) >= 10_000
    assert {float(row[key]) for row in rows for key in ("sets beaten", "wishes beaten")} == {0.0}


def test_the_readme_names_the_scripts_there_are() -> None:
    folder = ROOT / "experiments" / "bounds"
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"experiments/bounds/{name}" in text for name in ("run.py", "analysis.py"))
    assert all((folder / name).exists() for name in ("run.py", "analysis.py", "settings.py", "tiny.py"))
