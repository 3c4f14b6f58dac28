"""The file `accounting` of Grid Engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.accounting import RECORDED, column, import_into
from support.commands import command

SAMPLE = RECORDED / "sge-accounting"


def test_lines_of_two_versions_with_colons_in_names(tmp_path: Path) -> None:
    log = import_into(tmp_path, "sge", SAMPLE)
    assert column(log, "width") == {2: 32, 3: 1, 43: 1, 44: 2, 45: 2}
    assert column(log, "submit") == {2: 0, 3: 1, 43: 5, 44: 5, 45: 5}
    assert column(log, "wait") == {2: 6, 3: 6, 43: 10, 44: 20, 45: 20}
    assert column(log, "run") == {2: 3600, 3: 100, 43: 1, 44: 100, 45: 100}
    assert column(log, "estimate") == {2: 14400, 3: 3600, 43: 1, 44: 14400, 45: 14400}
    assert column(log, "status") == {2: 1, 3: 0, 43: 1, 44: 1, 45: 0}
    assert log.names.users == {1: "anna", 2: "bert"}
    assert log.names.queues == {1: "all.q", 2: "old.q"}


def test_parallel_parts_and_jobs_that_never_started_are_counted(tmp_path: Path) -> None:
    log = import_into(tmp_path, "sge", SAMPLE)
    assert log.counts["a parallel part of a job, which has a line of its own"] == ("dropped", 1)
    assert log.counts["never ran"] == ("dropped", 1)


@pytest.mark.parametrize(
    ("groups", "names"),
    [("project", {"physics"}), ("department", {"lab", "defaultdepartment"}), ("group", {"users", "guests"})],
)
def test_groups(tmp_path: Path, groups: str, names: set[str]) -> None:
    assert {*import_into(tmp_path, "sge", SAMPLE, "--groups", groups).names.groups.values()} == names


def test_times_in_milliseconds_are_those_of_univa(tmp_path: Path) -> None:
    text = SAMPLE.read_text()
    for second in {part for line in text.splitlines() for part in line.split(":") if part.startswith("13956")}:
        text = text.replace(f":{second}", f":{second}000")
    (tmp_path / "accounting").write_text(text)
    assert import_into(tmp_path, "sge", tmp_path / "accounting").jobs == import_into(tmp_path, "sge", SAMPLE).jobs


@pytest.mark.parametrize("text", ["a:b:c\n", ":" * 44 + "\n", ":" * 60 + "\n", "1:" * 5000 + "\n"])
def test_what_is_not_that_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    outcome = command("import", "sge", tmp_path / "x")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert ":1: a line must have the 45 fields of sge_accounting(5) between colons, but this one has" in outcome.err
