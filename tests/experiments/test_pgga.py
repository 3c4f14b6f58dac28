"""The experiment of paper 003: its numbers have sources, and its path from nothing to a summary can be walked."""

import csv
from pathlib import Path

import pytest

from support.experiments import paper, script


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
    for heading in ("claims", "Figures 3 to 6", "Figure 10", "Table 1", "Table 2", "estimator"):
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
