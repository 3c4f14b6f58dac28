"""What is read from the log of the daemon."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.deployment.daemon_log import ranked_before_start, read_daemon_log
from paretosched.deployment.records import LOG, write_line


def record(time: int, **words: Any) -> dict[str, Any]:
    """Return the record of a pass as the daemon makes it."""
    usual = {"dry_run": False, "policy": "P", "situation": "day", "waiting": 2, "ranked": 2}
    return {"time": time, **usual, "set": {}, "refused": {}, "seconds": 0.1} | words


def test_what_the_daemon_writes_is_read(tmp_path: Path) -> None:
    write_line(tmp_path, record(100, set={"7": 900}), {7: 900, 3: 500, 9: 0})
    write_line(tmp_path, record(130, set={"8": 700, "9": 400}, refused={"9": "no"}, seconds=0.5), {})
    write_line(tmp_path, record(160, set={"9": 400, "8": 0}, policy="Q"), {})
    write_line(tmp_path, record(290), {})
    log = read_daemon_log(tmp_path / LOG, 0)
    assert (log.passes, log.dry_passes, log.first, log.last) == (4, 0, 100, 290)
    assert (log.period, log.gaps, log.longest_gap) == (30, 1, 130)
    assert (log.changes, log.refused, log.seconds, log.most_seconds) == (4, 1, 0.1, 0.5)
    assert log.policies == ("P", "Q")
    assert log.since == {7: 100, 3: 100, 8: 130, 9: 160}
    assert read_daemon_log(tmp_path / LOG, 150).passes == 2
    assert read_daemon_log(tmp_path / LOG, 150).since == log.since  # ranked before the date is ranked, too
    with pytest.raises(InputError, match="no complete pass since the date"):
        read_daemon_log(tmp_path / LOG, 291)


def test_comparisons_with_easy_are_counted(tmp_path: Path) -> None:
    reviewed = {"reviewed": 120, "classes": {"": 2, "1": 1}, "of_easy": {"": 0.9}}
    for time, more in ((100, {}), (130, reviewed), (160, {"review_failed": "why"}), (190, reviewed)):
        write_line(tmp_path, record(time, **more), {})
    log = read_daemon_log(tmp_path / LOG, 0)
    assert (log.reviews, log.failed_reviews) == (2, 1)


def test_older_files_come_first(tmp_path: Path) -> None:
    for name, time in ((f"{LOG}.2", 100), (f"{LOG}.1", 130), (LOG, 160)):
        (tmp_path / name).write_text(json.dumps(record(time, dry_run=time < 150)) + "\n", encoding="utf-8")
    log = read_daemon_log(tmp_path / LOG, 0)
    assert (log.passes, log.dry_passes, log.first, log.last) == (3, 2, 100, 160)


def test_jobs_that_waited_for_two_periods_count(tmp_path: Path) -> None:
    for time in (100, 130, 160):
        write_line(tmp_path, record(time, set={"1": 5, "2": 4} if time == 130 else {}), {})
    log = read_daemon_log(tmp_path / LOG, 0)
    job, eligible, start = (np.array(c) for c in ([1, 2, 3, 4, 5], [95, 60, 70, 150, 400], [155, 125, 150, 170, 900]))
    # 1 was ranked in time, 2 too late, 3 never; 4 waited for less than two periods, and 5 came after the last pass
    assert ranked_before_start(log, job, eligible, start) == (3, 1)


def test_a_line_that_was_cut_off_is_no_error_at_the_end_only(tmp_path: Path) -> None:
    good = json.dumps(record(100))
    (tmp_path / LOG).write_text(f"{good}\n{good[:30]}", encoding="utf-8")
    assert read_daemon_log(tmp_path / LOG, 0).passes == 1
    (tmp_path / LOG).write_text(f"{good}\n{good[:30]}\n{good}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"deploy.jsonl:2: must be a line of the daemon's log \(deploy.jsonl\)"):
        read_daemon_log(tmp_path / LOG, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("; Version: 2.2\n", "deploy.jsonl:1: must be a line of the daemon's log"),
        ('{"time": "noon"}\n', 'deploy.jsonl:1: "time" must be a whole number'),
        ('{"time": 1, "set": {"1": "x"}}\n', "deploy.jsonl:1: .*must be a whole number"),
        ('{"time": 1, "set": {"one": 3}}\n', 'deploy.jsonl:1: jobs must be numbers, but there is also "one"'),
        ('{"time": 1, "dry_run": true}\n{"time": 1' + "0" * 400 + "}\n", "deploy.jsonl:2: .*"),
        ('{"time": -1, "dry_run": true}\n', "deploy.jsonl:1: the time of a pass must be a Unix time, but is none"),
        ("", "no complete pass"),
    ],
)
def test_what_is_no_log_is_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / LOG).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_daemon_log(tmp_path / LOG, 0)
