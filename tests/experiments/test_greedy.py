"""The experiment of paper 000: its numbers add up, and its path from nothing to a summary can be walked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.experiments import paper, script, without


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("greedy")
    assert all(row["source"].startswith("000, ") for row in rows)
    assert len({(row["item"], row["quantity"]) for row in rows}) == len(rows)


def test_table_3_gives_the_improvement_of_section_5() -> None:
    values = {(row["item"], row["quantity"]): row["value"] for row in paper("greedy")}
    easy, greedy = (10 * float(values[item, "AWRT1"]) + 4 * float(values[item, "AWRT2"]) for item in ("EASY", "GREEDY"))
    assert 100 * (1 - greedy / easy) == pytest.approx(9.498, abs=5e-4)  # "by more than 9 %"


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
        "CMA-ES",
        "Out of sample",
    ):
        assert heading in summary
    note = json.loads((results / "provenance.json").read_text(encoding="utf-8"))
    assert set(note["workloads"]) == {"CTC", "KTH", "LANL", "SDSC00", "SDSC96", "NASA"}
    again = (results / "none.csv").read_bytes()
    script("greedy", "run.py", "--quick", "--part", "none", *places)
    times = ("kernel_seconds", "wall_seconds")
    assert without(times, again) == without(times, (results / "none.csv").read_bytes())
