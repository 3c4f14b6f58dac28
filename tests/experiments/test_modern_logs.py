"""The experiment on modern logs: its path can be walked, and its results are what a workload by hand has."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import paretosched as ps
from support.experiments import modules, script


@pytest.fixture
def modern(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModuleType]]:
    yield from modules(monkeypatch, "modern_logs", ("settings", "run"))


def test_a_quick_run_goes_from_nothing_to_a_summary(tmp_path: Path) -> None:
    script("modern_logs", "run.py", "--quick", "--results", tmp_path)
    script("modern_logs", "analysis.py", "--results", tmp_path)
    summary = (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "A quick run on a made-up workload" in summary
    assert "| made up | 200 |" in summary


def test_waits_are_those_of_the_jobs_whose_wait_is_recorded(modern: dict[str, ModuleType], tmp_path: Path) -> None:
    """Two jobs on one processor: the first waits an hour on record, the second's wait is not known.

    Under EASY the first starts at once, and the second, an hour long as well, after it.
    """
    lines = "1 0 3600 3600 1 -1 -1 1 3600 -1 1 1 1 -1 1 1 -1 -1\n2 0 -1 3600 1 -1 -1 1 3600 -1 1 1 1 -1 1 1 -1 -1\n"
    (tmp_path / "log.swf").write_text(f"; MaxProcs: 1\n{lines}")
    row = modern["run"].row_of("two", ps.read_swf(tmp_path / "log.swf"), "cpus", 3, "why")
    assert (row["wait recorded h"], row["wait EASY h"]) == (1.0, 0.0)
    assert (row["AWRT recorded h"], row["AWRT EASY h"]) == (2.0, 1.0)
    assert (row["jobs"], row["users"], row["capacity"], row["waits recorded %"]) == (2, 1, 1, 50.0)
    assert {word: row[f"work {word} %"] for word in modern["settings"].ASKED} == dict.fromkeys(
        modern["settings"].ASKED, 0.0
    )


def test_without_the_logs_it_says_what_is_missing(
    modern: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PARETOSCHED_MODERN", raising=False)
    with pytest.raises(SystemExit) as end:
        modern["run"].common.modern_file("a.csv")
    assert end.value.code == 2
    assert "PARETOSCHED_MODERN must name the folder with the logs" in capsys.readouterr().err
