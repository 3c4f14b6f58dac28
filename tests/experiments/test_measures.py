"""The experiment on measures: its path can be walked, and what it says of rows is that by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from support.experiments import modules, script


@pytest.fixture
def measures(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from modules(monkeypatch, "measures", ("analysis",))


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    for _ in range(2):  # the second time nothing is searched or trained again
        script("measures", "run.py", "--quick", "--results", tmp_path / "r", "--work", tmp_path / "w")
    script("measures", "analysis.py", "--results", tmp_path / "r")
    summary = (tmp_path / "r" / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on made-up workloads" in summary
    assert summary.count("| archive |") == 3
    assert summary.count("| trained |") == 6


def test_the_log_on_which_measures_are_most_opposed(measures: dict[str, ModuleType]) -> None:
    rows = [
        {"log": log, "policy": policy, "AWRT": awrt, "mean slowdown": slowdown}
        for log, policy, awrt, slowdown in (
            ("A", "easy", "10", "8"), ("A", "sjf; backfill: easy", "12", "4"),
            ("B", "easy", "10", "6"), ("B", "sjf; backfill: easy", "25", "2"),
        )
    ]  # fmt: skip
    assert measures["analysis"].opposed_most(rows) == ("B", 2.5, 3.0)
