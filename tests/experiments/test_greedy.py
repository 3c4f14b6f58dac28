"""The experiment of paper 000: its numbers add up, and its path from nothing to a summary can be walked."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = ROOT / "experiments" / "greedy"


def paper() -> list[dict[str, str]]:
    with (HERE / "paper.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper()
    assert all(row["source"].startswith("000, ") for row in rows)
    assert len({(row["item"], row["quantity"]) for row in rows}) == len(rows)


def test_table_3_gives_the_improvement_of_section_5() -> None:
    values = {(row["item"], row["quantity"]): row["value"] for row in paper()}
    easy, greedy = (10 * float(values[item, "AWRT1"]) + 4 * float(values[item, "AWRT2"]) for item in ("EASY", "GREEDY"))
    assert 100 * (1 - greedy / easy) == pytest.approx(9.498, abs=5e-4)  # "by more than 9 %"


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    work, results = tmp_path / "work", tmp_path / "results"
    for arguments in (
        ["run.py", "--quick", "--work", work, "--results", results],
        ["analysis.py", "--quick", "--no-figures", "--work", work, "--results", results],
    ):
        subprocess.run([sys.executable, HERE / arguments[0], *arguments[1:]], check=True, env=environment)
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
    subprocess.run(
        [sys.executable, HERE / "run.py", "--quick", "--part", "none", "--work", work, "--results", results],
        check=True,
        env=environment,
    )
    stable = ("kernel_seconds", "wall_seconds")
    old, new = (
        [{k: v for k, v in row.items() if k not in stable} for row in csv.DictReader(text.decode().splitlines())]
        for text in (again, (results / "none.csv").read_bytes())
    )
    assert old == new
