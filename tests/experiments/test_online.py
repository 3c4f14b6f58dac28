"""The experiment of online policies: its path can be walked, it continues, and rows of other logs stay."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from paretosched.core.tables import load_rows
from support.experiments import ROOT, script


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    run = ("online", "run.py", "--quick", "--work", work, "--results", results)
    script(*run)
    script("online", "analysis.py", "--no-figures", "--results", results)
    summary = (results / "summary.md").read_text(encoding="utf-8")
    for words in (
        "A quick run on made-up workloads",
        "The best policy that keeps the limits",
        "## CTC",
        "was wanted",
        "better estimates",
    ):
        assert words in summary
    assert "not run" not in summary
    of_trained, of_others = (load_rows(results / f"{part}.csv") for part in ("trained", "untrained"))
    assert {row["split"] for row in of_trained} == {row["split"] for row in of_others} == {"60 %", "70 %", "last 30 %"}
    easy = [row for row in of_others if row["policy"] == "easy"]
    assert {(row["objective_vs_easy"] or "0.0", row["exceeded"] or "0.0") for row in easy} == {("0.0", "0.0")}
    assert len({row["jobs"] for row in easy}) > 1
    of_estimates = load_rows(results / "estimates.csv")
    assert {row["estimates"] for row in of_estimates} == {"requested", "recent", "predicted", "exact"}
    assert len({row["AWRT"] for row in of_estimates}) > 2  # they make a difference
    tables = {path.name: path.read_bytes() for path in results.glob("*.csv")}
    assert script(*run) == ""  # nothing is trained again
    shutil.rmtree(work)
    assert script(*run) == ""  # nor where only the results are left
    assert {path.name: path.read_bytes() for path in results.glob("*.csv")} == tables
    script(*run, "--log", "SDSC96", "--part", "untrained")
    rows = load_rows(results / "untrained.csv")
    assert [row for row in rows if row["log"] == "CTC"] == of_others
    assert {row["log"] for row in rows} == {"CTC", "SDSC96"}
    note = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert (set(note["workloads"]), note["parts"]) == ({"CTC", "SDSC96"}, ["estimates", "trained", "untrained"])


def test_the_readme_names_the_scripts_there_are() -> None:
    folder = ROOT / "experiments" / "online"
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert all(f"experiments/online/{name}" in text for name in ("run.py", "analysis.py"))
    assert all((folder / name).exists() for name in ("run.py", "analysis.py", "settings.py"))
