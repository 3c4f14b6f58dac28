"""The experiment of ingredients and draws: its path can be walked, and it continues."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paretosched.core.tables import load_rows
from support.experiments import ROOT, script


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    call = ("orders", "run.py", "--quick", "--work", work, "--results", results)
    script(*call)
    script("orders", "analysis.py", "--no-figures", "--results", results)
    summary = (results / "summary.md").read_text(encoding="utf-8")
    for words in ("A quick run on made-up workloads", "## Ingredient by ingredient", "## Scaling draws", "Goals: "):
        assert words in summary
    of_ingredients, of_draws = (load_rows(results / f"{part}.csv") for part in ("ingredients", "draws"))
    assert len(of_ingredients) == 8
    assert {row["draw"] for row in of_draws} == {"0", "1", "2"}
    for row in (*of_ingredients, *of_draws):
        assert float(row["exceeded"]) > 0 or float(row["objective_vs_easy"]) <= float(row["possible_vs_easy"])
    easy = [row for row in of_draws if row["policy"] == "easy"]
    assert {(row["objective_vs_easy"], row["exceeded"]) for row in easy} == {("0.0", "0.0")}
    trained = [row for row in of_draws if row["seed"]]
    assert len({row["objective"] for row in trained if row["draw"] == "2"}) > 1
    tables = {path.name: path.read_bytes() for path in results.glob("*.csv")}
    shutil.rmtree(work)
    assert script(*call) == ""  # nothing is trained again
    assert {path.name: path.read_bytes() for path in results.glob("*.csv")} == tables


@pytest.fixture
def analysis(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    names = ("common", "settings", "run", "analysis")
    for place in (ROOT / "experiments", ROOT / "experiments" / "orders"):
        monkeypatch.syspath_prepend(str(place))
    for name in names:  # there are more experiments
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("analysis")
    for name in names:
        sys.modules.pop(name, None)


def test_what_is_said_of_parts_of_logs_is_in_the_tables_of_online(analysis: Any) -> None:
    """Counted again, from the response times: tenths within the limits, and AWRT on the last part of CTC."""
    policy = "priority:1,2; backfill: easy:8 for 1,2"
    later, reference = analysis.on_later_jobs(), {}
    for row in later["tenths"]:
        if row["policy"] == "easy":
            reference[row["log"], row["split"]] = row
    mine = [row for row in later["tenths"] if row["policy"] == policy]
    within = 0
    for row in mine:
        easy = reference[row["log"], row["split"]]
        ratios = [float(row[f"AWRT{i}"] or 1) / float(easy[f"AWRT{i}"] or 1) for i in ("", 1, 2, 3, 4, 5)]
        within += ratios[0] <= 1 and max(ratios) <= 1.25
    assert analysis.kept_in(mine) == f"{within} of {len(reference)}"
    (line, _) = analysis.on_parts(policy, later)
    (last,) = [row for row in later["last"] if row["policy"] == policy]
    assert f"AWRT is {-float(last['AWRT_vs_easy']):.1f} % longer" in line
