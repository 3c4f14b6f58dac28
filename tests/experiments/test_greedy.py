"""The experiment of paper 000: its numbers add up, and its path from nothing to a summary can be walked."""

import doctest
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from paretosched.core.tables import load_rows
from support.experiments import ROOT, modules, paper, script, without

SCRIPTS = ("later_jobs", "raised", "scalings", "untrained", "way", "settings")  # there are more experiments


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    yield from modules(monkeypatch, "greedy", SCRIPTS)


def test_limits_kept_are_those_of_the_tables(scripts: dict[str, Any]) -> None:
    results, keeps = ROOT / "results" / "greedy", scripts["later_jobs"].keeps_limits
    rows = [row for row in load_rows(results / "rest-limits.csv") if row["part"] == "rest" and row["best"] == "True"]
    rows += load_rows(results / "untrained.csv")
    assert len(rows) > 100
    assert all(keeps(row) == (float(row["exceeded"]) == 0) for row in rows)


def test_every_part_is_in_the_results(scripts: dict[str, Any]) -> None:
    """The documented command writes these tables, and no others."""
    results = ROOT / "results" / "greedy"
    parts = {training.part for training in scripts["settings"].TRAININGS}
    parts |= {"positions", "positions-raised", "raised", "weeks", "scalings", "untrained", "within", "within-raised"}
    parts |= {"trade-off", "known", "strategies"}
    assert {path.stem for path in results.glob("*.csv")} == parts
    note = json.loads((results / "provenance.json").read_text("utf-8"))
    assert set(note["parts"]) == parts - {"trade-off", "known"}


def test_the_bound_is_the_one_that_is_proved_for_the_log(scripts: dict[str, Any]) -> None:
    """`compare` and results/bounds prove the same."""
    results = ROOT / "results"
    proved = {
        row["log"]: float(row["programme"])
        for row in load_rows(results / "bounds" / "logs.csv")
        if (row["as"], row["wish"]) == ("1024", "10 and 4")
    }
    bounds = scripts["way"].bounds_of(load_rows(results / "greedy" / "positions.csv"))
    assert bounds == pytest.approx({log: proved[log] for log in bounds}, abs=1e-3)
    assert set(bounds) == {"CTC", "KTH", "LANL", "SDSC00", "SDSC96"}


def test_examples_hold(scripts: dict[str, Any]) -> None:
    assert all(doctest.testmod(scripts[name]).failed == 0 for name in ("later_jobs", "scalings", "way"))


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("greedy")
    assert all(row["source"].startswith("000, ") for row in rows)
    assert len({(row["item"], row["quantity"]) for row in rows}) == len(rows)


def test_table_3_gives_the_improvement_of_section_5() -> None:
    values = {(row["item"], row["quantity"]): row["value"] for row in paper("greedy")}
    easy, greedy = (10 * float(values[item, "AWRT1"]) + 4 * float(values[item, "AWRT2"]) for item in ("EASY", "GREEDY"))
    assert 100 * (1 - greedy / easy) == pytest.approx(9.498, abs=5e-4)  # "by more than 9 %"


def test_the_policies_are_those_of_the_tables(scripts: dict[str, Any]) -> None:
    """A training that is made again replaces its policies, too."""
    results, checked = ROOT / "results" / "greedy", 0
    for training in scripts["settings"].TRAININGS:
        table = results / f"{training.part}.csv"
        rows = scripts["later_jobs"].best_of(load_rows(table), training.name)
        for row in rows if len(training.logs) == 1 else []:
            policy = json.loads((results / "policies" / f"{training.file}-{row['seed']}.json").read_text("utf-8"))
            objective = policy["provenance"]["objective"]
            assert objective == pytest.approx(float(row["objective"]), rel=1e-9), (training.name, row["seed"])
            checked += 1
    assert checked > 100


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    places = ("--work", work, "--results", results)
    script("greedy", "run.py", "--quick", *places)
    script("greedy", "analysis.py", "--quick", "--no-figures", *places)
    summary = (results / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on made-up workloads" in summary
    assert "not run" not in summary
    for heading in (
        "Table III",
        "four criteria",
        "With EASY",
        "Figures 2 and 3",
        "positions",
        "Out of sample",
    ):
        assert heading in summary
    note = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert set(note["workloads"]) == {"CTC", "KTH", "LANL", "SDSC00"}
    again = (results / "none.csv").read_bytes()
    script("greedy", "run.py", "--quick", "--part", "none", *places)
    times = ("kernel_seconds", "wall_seconds")
    assert without(times, again) == without(times, (results / "none.csv").read_bytes())
