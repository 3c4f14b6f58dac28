"""The accounting of OpenPBS and Torque."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from support.accounting import RECORDED, column, import_into
from support.commands import command

DAILY = RECORDED / "pbs"
TORQUE = RECORDED / "pbs-torque"


def test_a_directory_of_daily_files_is_one_log(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY)
    assert column(log, "width") == {101: 8, 102: 1, 104: 2, 105: 2, 106: 1}
    assert column(log, "run") == {101: 600, 102: 630, 104: 100, 105: 100, 106: 1000}
    assert column(log, "estimate") == {101: 3600, 102: 7200, 104: 100, 105: 100, 106: 7200}
    assert column(log, "status") == {101: 1, 102: 5, 104: 1, 105: 0, 106: 5}
    assert log.names.groups == {1: "physics lab", 2: "chemistry"}
    assert log.names.queues == log.names.partitions == {1: "workq", 2: "gpu"}
    assert [part.tolist() for part in log.names.eligible] == [[104, 105], [1000, 1000]]


def test_a_job_that_was_rerun_has_two_lives_and_waits_again_from_the_end_of_the_first(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY)
    first, second = log.jobs[102], log.jobs[106]
    assert second["submit"] == first["submit"] + first["wait"] + first["run"]
    assert second["wait"] == 140
    assert log.counts["another life or task of a job, or one without a number"] == ("changed", 2)
    assert log.counts["ran before, but there is no record of it"] == ("assumed", 1)  # 104[2], run_count=3


def test_what_is_no_life_is_counted(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY)
    assert log.counts["an array as a whole"] == ("dropped", 1)
    assert log.counts["a record that ends a life, without times"] == ("dropped", 1)  # aborted before its start
    assert log.counts["whole nodes asked for"] == ("assumed", 1)


def test_processors_nodes_and_gpus(tmp_path: Path) -> None:
    assert column(import_into(tmp_path, "pbs", DAILY, "--width", "nodes"), "width") == {
        101: 2,
        102: 1,
        104: 1,
        105: 1,
        106: 1,
    }
    assert column(import_into(tmp_path, "pbs", DAILY, "--width", "gpus"), "width") == {104: 1, 105: 1}
    assert column(import_into(tmp_path, "pbs", TORQUE), "width") == {11923: 12, 11924: 9, 11925: 16}
    assert column(import_into(tmp_path, "pbs", TORQUE, "--width", "nodes"), "width") == {11923: 2, 11924: 2}
    assert column(import_into(tmp_path, "pbs", TORQUE, "--width", "gpus"), "width") == {11925: 4}


def test_one_queue_and_groups_of_unix(tmp_path: Path) -> None:
    log = import_into(tmp_path, "pbs", DAILY, "--partition", "gpu", "--groups", "group")
    assert [*log.jobs] == [104, 105]
    assert log.names.groups == {1: "guests"}


def test_gzipped_days_are_read_and_other_files_are_not(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(DAILY, tmp_path / "days"))
    whole = import_into(tmp_path, "pbs", folder).jobs
    day = folder / "20261121"
    (folder / "20261121.gz").write_bytes(gzip.compress(day.read_bytes()))
    day.unlink()
    assert import_into(tmp_path, "pbs", folder).jobs == whole


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("hello\n", ':1: a record must be DATE TIME;TYPE;JOB;KEY=VALUE ..., but this one begins "hello"'),
        ("11/22/2026 09:00:00;E;head;start=1\n", ':1: the job is "head", but must begin with a number'),
        ("11/22/2026 09:00:00;E;1.head;start=noon end=2\n", ':1: start is "noon", but must be seconds since 1970'),
        ("11/22/2026 09:00:00;Q;1.head;queue=a\n", ": there is no job that can be simulated"),
    ],
)  # fmt: skip
def test_what_is_not_the_accounting_of_pbs_is_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "x").write_text(text)
    outcome = command("import", "pbs", tmp_path / "x")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err


def test_a_directory_without_daily_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "20261122").touch()
    assert (
        "must have daily files, such as 20261122, but has none with records" in command("import", "pbs", tmp_path).err
    )
