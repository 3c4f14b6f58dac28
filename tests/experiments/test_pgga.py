"""The experiment of paper 003: its numbers have sources, and its path from nothing to a summary can be walked."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.experiments import modules, paper, script

SCRIPTS = ("settings", "makespans", "figures", "estimates", "analysis")  # there are more experiments


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    yield from modules(monkeypatch, "pgga", SCRIPTS)


def test_whether_truncation_depends_on_settings_follows_the_table(scripts: dict[str, Any]) -> None:
    rows = [
        {"keep": keep, "population": population, "mutation": "1.0", "above_bound": above}
        for keep, population, above in (
            ("1.0", "50", "1.5"), ("0.5", "50", "1.4"), ("1.0", "100", "1.5"), ("0.5", "100", "1.6"),
        )
    ]  # fmt: skip
    worth = scripts["analysis"].worth_words
    assert worth(rows) == "depending on settings that the paper does not give"
    assert worth(rows[:2]) == "whatever the settings that the paper does not give"


def test_what_cutting_takes_is_said_where_estimates_are_compared(scripts: dict[str, Any]) -> None:
    cells = {"policy": "EASY", "too short %": "0", "mean bounded slowdown": "9", "mean wait s": "5", "accuracy %": "50"}
    cells |= {f"AWRT{group}": "100" for group in ("", *range(1, 6))} | {"UTIL": "50", "corrections a job": "0"}
    sources = ("requested", "recent", "predicted", "printed", "exact")
    rows = [cells | {"log": "LANL", "estimates": source} for source in sources]
    text = "\n".join(scripts["estimates"].section(rows, {"quick": False}))
    assert "| LANL, runs cut | EASY | requested |" in text
    assert "too short on 0 of 1 logs (LANL with runs cut)" in text
    assert "that takes: LANL 24.7 %." in text
    assert "No job is killed" not in text


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("pgga")
    assert all(row["source"].startswith("003, ") for row in rows)
    assert len({(row["source"], row["item"], row["quantity"]) for row in rows}) == len(rows)
    assert all(None not in row for row in rows)


def test_the_tables_are_whole() -> None:
    cells = {
        (row["source"], row["item"], row["quantity"]): float(row["value"])
        for row in paper("pgga")
        if "Table" in row["source"]
    }
    times = {
        item: cells["003, Table 1", item, "PGGA"] - ms
        for (s, item, q), ms in cells.items()
        if (s[-1], q) == ("1", "TGA")
    }
    assert [item for item, more in times.items() if more > 0] == ["1000/400"]  # the errata say so
    assert len(times) == 5
    tests = [item for (source, item, name) in cells if (source, name) == ("003, Table 2", "PGGA")]
    assert len(tests) == 8
    for item in tests:
        by_method = {name: cells["003, Table 2", item, name] for name in ("Random", "FCFS", "TGA", "PGGA")}
        assert max(by_method, key=lambda name: by_method[name]) == "Random"
        assert min(by_method, key=lambda name: by_method[name]) == "PGGA"


@pytest.mark.slow
def test_a_quick_run_walks_the_whole_path(tmp_path: Path) -> None:
    work, results = tmp_path / "work", tmp_path / "results"
    quick = ("pgga", "run.py", "--results", results, "--quick", "--work", work)
    script(*quick)
    first = {path.name: path.read_bytes() for path in results.iterdir()}
    output = script("pgga", "analysis.py", "--results", results, "--no-figures")
    assert "A quick run with small numbers" in output
    assert output.rstrip("\n") == (results / "summary.md").read_text(encoding="utf-8").rstrip("\n")
    for heading in ("claims", "Figures 3 to 6", "Figure 10", "Table 1", "Table 2", "estimator", "estimates are worth"):
        assert heading in output
    # what was done is not done again, and what was lost is
    assert script(*quick) == ""
    assert {path.name: path.read_bytes() for path in results.iterdir() if path.name in first} == first
    (work / "surfaces-seed-0.json").unlink()
    assert "surfaces seed-0" in script(*quick, "--part", "surfaces")
    timeless = [
        [[row[key] for key in row if "CPU" not in key] for row in csv.DictReader(text.decode().splitlines())]
        for text in (first["surfaces.csv"], (results / "surfaces.csv").read_bytes())
    ]
    assert timeless[0] == timeless[1]
