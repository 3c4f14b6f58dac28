"""Logs of 2008 to 2026 as they come: counts are those of a small parser of its own for each.

They are not in the repository; PARETOSCHED_MODERN names the folder that has them, and `README.md` of
`experiments/modern_logs` says where they are from.
"""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from support.accounting import import_into

FOLDER = os.environ.get("PARETOSCHED_MODERN")
pytestmark = pytest.mark.skipif(
    FOLDER is None, reason="NO MODERN LOGS: PARETOSCHED_MODERN does not name the folder that has them"
)


def _file(name: str) -> Path:
    """Return one of the files; a test without it is skipped, and says so."""
    path = Path(FOLDER or "") / name
    if not path.exists():
        pytest.skip(f"NO MODERN LOGS: {path} is not there")
    return path


def _seconds(text: str) -> int:
    """Return d-hh:mm:ss in seconds."""
    days, _, clock = text.rpartition("-")
    hours, minutes, seconds = map(int, clock.split(":"))
    return ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds


def test_a_text_of_sacct_without_header_as_xdmod_asks_for_it(tmp_path: Path) -> None:
    """Local times, durations in words, and pseudonyms of a university."""
    path = _file("xdmod-pozidriv.sacct.gz")
    with gzip.open(path, "rt") as file:
        rows = [line.rstrip("\n").split("|") for line in file]
    ran = {(row[1], row[10], row[12]): row for row in rows if row[14] != "00:00:00" and row[13] != "Unknown"}
    log = import_into(tmp_path, "slurm", path, "--zone", "America/New_York")
    assert len(log.jobs) == len(ran)
    work = sum(_seconds(row[14]) * int(row[18]) for row in ran.values())
    assert sum(job["run"] * job["allocated"] for job in log.jobs.values()) == work
    assert sorted(log.names.users.values()) == sorted({row[8] for row in ran.values()})
    assert sorted(log.names.partitions.values()) == sorted({row[3] for row in ran.values()})
    preempted = sum(row[16].startswith(("CANCELLED", "PREEMPTED")) for row in ran.values())
    assert sum(job["status"] == 5 for job in log.jobs.values()) == preempted
    assert sum(job["status"] == 1 for job in log.jobs.values()) == sum(row[16] == "COMPLETED" for row in ran.values())
