"""The published baseline, and the path from nothing to a summary."""

import csv
import json
from pathlib import Path

import pytest

from support.experiments import ROOT, modules, paper, script, without

RESULTS = ROOT / "results" / "ctc1024"


def stored_rows(name: str) -> list[dict[str, str]]:
    with (RESULTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_number_has_a_source_and_stands_once() -> None:
    rows = paper("ctc1024")
    assert all(row["source"].startswith(("000, ", "002, ")) for row in rows)
    assert len({row["quantity"] for row in rows}) == len(rows)


def test_easy_comes_within_five_per_cent_of_the_published_values() -> None:
    values = {row["quantity"]: float(row["value"]) for row in paper("ctc1024")}
    rows = stored_rows("baseline.csv")
    names = ("UTIL", "AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")
    assert len(rows) == 5
    for name in names:
        ours = [float(row[name]) for row in rows]
        assert max(abs(value / values[f"EASY {name}"] - 1) for value in ours) < 0.05


def test_the_stored_explorations_have_the_papers_budget() -> None:
    assert all(int(row["evaluations"]) == 20_000 for row in stored_rows("explorations.csv"))


def test_utilisation_that_all_schedules_share_is_said_to_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = modules(monkeypatch, "ctc1024", ("analysis",))
    shared = found["analysis"].shared_utilisation
    assert shared([{"low": "67.39", "high": "67.39"}] * 2).endswith("it decides nothing.")
    assert shared([{"low": "67.39", "high": "67.39"}, {"low": "67.39", "high": "67.40"}]) == ""


@pytest.mark.slow
def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    places = ("--work", tmp_path / "work", "--results", tmp_path / "results")
    script("ctc1024", "run.py", "--quick", *places)
    output = script("ctc1024", "analysis.py", "--no-figures", *places)
    summary = (tmp_path / "results" / "summary.md").read_text(encoding="utf-8")
    assert output == summary
    for line in ("| EASY AWRT1 | ", "| jobs after scaling | ", "| non-dominated | ", "| wall / (kernel / cores)"):
        assert line in summary
    note = json.loads((tmp_path / "results" / "provenance.json").read_text(encoding="utf-8"))
    assert note["quick"]
    assert set(note["versions"]) == {"python", "paretosched", "numpy", "numba", "pymoo", "moocore"}
    first = {path.name: path.read_bytes() for path in (tmp_path / "results").glob("*.csv")}
    assert set(first) == {"baseline.csv", "explorations.csv", "spans.csv", "comparison.csv"}
    assert [row["evaluations"] for row in without((), first["explorations.csv"])] == ["200", "200"]
    script("ctc1024", "run.py", "--quick", *places)  # all is there already
    for name, text in first.items():
        again = (tmp_path / "results" / name).read_bytes()
        times = ("measured_here", "wall_seconds")
        assert without(times, again) == without(times, text)
