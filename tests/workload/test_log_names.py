"""The names beside a log: written with it, read with it, and refused with any other log."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.description import description_text
from paretosched.workload.log_names import Count, Eligible, Names, StillWaiting, names_path, read_names, write_names
from paretosched.workload.swf import write_log

HEADER = "; MaxProcs: 8\n; UnixStartTime: 835823160\n; TimeZoneString: UTC\n"
JOBS = (
    "1 0 5 10 4 -1 -1 4 20 -1 1 1 2 -1 7 1 -1 -1\n2 9 70 30 2 -1 -1 2 20 -1 1 2 1 -1 8 1 -1 -1\n"
    "3 9 0 30 2 -1 -1 2 20 -1 1 2 -1 -1 8 1 -1 -1\n"
)
LATE = Eligible(np.array([2]), np.array([60]))
COUNTS = (Count("dropped", "cancelled before it started", 3, 0, "line 4 (job 7)"), Count("assumed", "no limit", 1, 64))
NAMES = Names(
    {1: "anna", 2: "bert"}, {1: "physics", 2: "chémie"}, {7: "long", 8: "normal"}, {1: "cpu"}, "slurm", "account", LATE,
    COUNTS,
)  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log with names."""
    path = tmp_path / "w.swf.gz"
    write_log(path, [(HEADER + JOBS).encode()], NAMES)
    return path


def content(log: Path) -> dict[str, Any]:
    """Return the content of the names beside a log."""
    words: dict[str, Any] = json.loads(names_path(log).read_text(encoding="utf-8"))
    return words


def refusal(log: Path) -> str:
    """Return the message with which a log is refused because of its names."""
    with pytest.raises(ps.InputError) as caught:
        ps.read_swf(log)
    return str(caught.value)


def test_names_are_read_as_they_were_written(log: Path) -> None:
    names = read_names(log)
    assert names is not None
    assert vars(replace(names, eligible=LATE)) == vars(NAMES)
    assert [column.tolist() for column in names.eligible] == [[2], [60]]
    assert names.eligible.job.dtype == names.eligible.after.dtype == np.int64
    assert content(log)["log"] == "w.swf.gz"


def test_groups_and_queues_have_their_names(log: Path) -> None:
    w = ps.read_swf(log)
    by_group, by_queue = ps.by_swf_group(w), ps.by_queue(w)
    assert (by_group.groups, by_group.group.tolist()) == (("physics", "chémie", "unknown"), [1, 0, 2])
    assert (by_queue.groups, by_queue.group.tolist()) == (("long", "normal"), [0, 1, 1])
    assert w.names is not None
    assert w.names.users == {1: "anna", 2: "bert"}


def test_what_was_dropped_when_the_log_was_made_comes_before_its_repairs(log: Path) -> None:
    w = ps.read_swf(log)
    assert [(r.action, r.jobs, r.reason, r.first) for r in w.repairs] == [
        ("dropped", 3, "cancelled before it started (0.00 % of the work)", "line 4 (job 7)"),
        ("assumed", 1, f"no limit ({6400 / w.work:.2f} % of the work)", ""),
        ("changed", 2, "run time beyond the request: cut there", "line 5 (job 2), line 6 (job 3)"),
    ]


def test_a_log_that_is_written_again_keeps_its_names(log: Path, tmp_path: Path) -> None:
    w = ps.read_swf(log)
    ps.write_swf(w, tmp_path / "again.swf")
    again = ps.read_swf(tmp_path / "again.swf")
    assert again.names is not None
    assert w.names is not None
    assert again.names.users == w.names.users
    assert ps.by_swf_group(again).groups == ps.by_swf_group(w).groups


def test_a_log_without_names_removes_those_of_the_log_that_it_replaces(log: Path) -> None:
    ps.write_swf(ps.lublin(jobs=5, processors=32, seed=1), log)
    assert not names_path(log).exists()
    assert ps.read_swf(log).names is None


def test_jobs_that_had_not_started_stay_with_the_log_that_was_imported(tmp_path: Path) -> None:
    waiting = (StillWaiting(-1, -3, 2), StillWaiting(1, 40, 1))
    write_log(tmp_path / "w.swf", [(HEADER + JOBS).encode()], replace(NAMES, waiting=waiting))
    w = ps.read_swf(tmp_path / "w.swf")
    assert w.names is not None
    assert w.names.waiting == waiting
    ps.write_swf(w, tmp_path / "other.swf")  # may be of other jobs, or begin at another time
    other = ps.read_swf(tmp_path / "other.swf")
    assert other.names is not None
    assert (other.names.waiting, other.names.users) == ((), w.names.users)


def test_another_file_where_names_would_be_stays(tmp_path: Path) -> None:
    names_path(tmp_path / "w.swf").write_text('{"mine": 1}')
    ps.write_swf(ps.lublin(jobs=5, processors=32, seed=1), tmp_path / "w.swf")
    assert names_path(tmp_path / "w.swf").read_text() == '{"mine": 1}'


def test_names_of_another_log_are_refused(log: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.swf"
    other.write_text(HEADER + JOBS)
    names_path(log).rename(names_path(other))
    message = refusal(other)
    assert message.startswith(f"{names_path(other)}: belongs to another log: its sha256 is ")
    assert message.endswith("import the log again, or delete this file to read the log without names")


def test_a_log_that_cannot_be_written_leaves_no_names(log: Path) -> None:
    before = [file.read_bytes() for file in (log, names_path(log))]

    def text() -> Any:
        yield b"; MaxProcs: 8\n"
        raise ps.InputError("no more")

    with pytest.raises(ps.InputError, match="no more"):
        write_log(log, text(), NAMES)
    assert [file.read_bytes() for file in (log, names_path(log))] == before
    assert sorted(file.name for file in log.parent.iterdir()) == ["w.swf.gz", "w.swf.gz.names.json"]


@pytest.mark.parametrize(
    ("key", "value", "fact"),
    [
        ("format", "paretosched names 2", '"format" must be "paretosched names 1", but is "paretosched names 2"'),
        ("users", {"anna": "1"}, '"users": a key must be a whole number as text, but is "anna"'),
        ("users", {"1": 1}, '"1" must be text, but is 1'),
        ("queues", {"1": "a\nb"}, '"queues": the name of 1 must be a text that can be printed, but is not'),
        ("users", {"1": "a" * 201}, '"users": a name must have at most 200 letters, but that of 1 has 201'),
        ("queues", {"1": "a", "2": "a"}, '"queues": 1 and 2 must have different names, but both are "a"'),
        ("groups", {"2": "AWRT1"}, '"groups": a group must not be called as what wishes speak of, UTIL, AWRT, AWRT1, '),
        ("groups", {"2": "EASY"}, 'or EASY, but 2 is "EASY"; give it another name'),
        ("groups", {"7": "UTIL"}, 'but 7 is "UTIL"'),
        ("eligible", {"job": [1], "after": []}, '"job" and "after" must be equally long, but have 1 and 0 entries'),
        ("eligible", {"job": [1], "after": [0]}, "seconds must be 1 or more, and all numbers below 2^53, but there is"),
        ("eligible", {"job": [2**60], "after": [1]}, "all numbers below 2^53, but there is 1152921504606846976"),
        ("waiting", [{"group": 1, "day": 2, "jobs": 0}], '"waiting": jobs must be 1 or more, and all numbers below'),
        ("waiting", [{"group": 1, "day": -(2**53), "jobs": 7}], 'but there are "7 of day -9007199254740992"'),
        ("dropped", [{"action": "dropped", "reason": "x", "jobs": 1, "work": 10**400}], 'but are "1 and 1000000'),
        ("dropped", [{"action": "dropped", "reason": "x", "jobs": -1}], 'but are "-1 and None"'),
        ("more", 1, 'but there is also "more"'),
    ],
)  # fmt: skip
def test_damaged_names_are_refused_in_one_line(log: Path, key: str, value: Any, fact: str) -> None:
    names_path(log).write_text(json.dumps(content(log) | {key: value}), encoding="utf-8")
    message = refusal(log)
    assert message.startswith(f"{names_path(log)}: ")
    assert fact in message
    assert message.endswith("; mend it, or delete it to read the log without names")


def test_a_large_file_of_names_is_refused(log: Path) -> None:
    with ps.reading_limits(json=100):
        assert "--limit json=N" in refusal(log)


def test_names_that_cannot_be_written_are_an_error_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(ps.InputError, match="cannot write here"):
        write_names(tmp_path / "missing" / "n.json", NAMES, "w.swf", "0" * 64)


# ---- when jobs could run


def test_the_name_of_a_log_may_have_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "\udcff\n.swf"
    write_log(path, [(HEADER + JOBS).encode()], NAMES)
    names = read_names(path)
    assert names is not None
    assert names.users == NAMES.users
    assert content(path)["log"] == "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}.swf"


def test_a_job_that_was_eligible_later_waits_from_then_on(log: Path) -> None:
    w = ps.read_swf(log)
    assert (w.submit.tolist(), w.eligible.tolist(), w.wait.tolist()) == ([0, 9, 9], [0, 69, 9], [5, 10, 0])
    assert ps.simulate(w, "recorded").start.tolist() == [5, 79, 9]


def test_a_job_that_started_before_was_eligible_when_it_started(log: Path) -> None:
    write_log(log, [(HEADER + JOBS.replace("2 9 70", "2 9 7")).encode()], NAMES)
    w = ps.read_swf(log)
    assert (w.eligible.tolist(), w.wait.tolist()) == ([0, 16, 9], [5, 0, 0])
    assert w.repairs[-1][:4] == ("changed", "eligible after its recorded start: taken to be eligible then", 1, "job 2")


def test_a_log_that_is_written_again_knows_when_its_jobs_could_run(log: Path, tmp_path: Path) -> None:
    w = ps.read_swf(log)
    ps.write_swf(w, tmp_path / "again.swf")
    assert "\n2 9 70 20 2 " in (tmp_path / "again.swf").read_text()  # the wait of a log counts from the submission
    assert content(tmp_path / "again.swf")["eligible"] == {"job": [2], "after": [60]}
    assert ps.read_swf(tmp_path / "again.swf").digest == w.digest
    made = ps.lublin(jobs=5, processors=32, seed=1)
    made = made.with_(eligible=made.submit + np.array([0, 7, 0, 0, 9]))
    ps.write_swf(made, tmp_path / "made.swf.gz")
    again = ps.read_swf(tmp_path / "made.swf.gz")
    assert again.eligible.tolist() == made.eligible.tolist()
    ps.write_swf(made.with_(eligible=None), tmp_path / "made.swf.gz")
    assert not names_path(tmp_path / "made.swf.gz").exists()


def test_a_job_that_was_dropped_needs_no_second(log: Path) -> None:
    late = Eligible(np.array([2, 77, 1]), np.array([60, 5, 3]))
    write_log(log, [(HEADER + JOBS).encode()], replace(NAMES, eligible=late))
    assert ps.read_swf(log).eligible.tolist() == [3, 69, 9]


def test_numbers_that_several_jobs_have_say_of_none_when_it_could_run(log: Path) -> None:
    rule = (
        "jobs of which the file beside a log says when they were eligible, or what they ask for, must have numbers of "
        "their own, but several jobs have"
    )
    w = ps.read_swf(log)
    with pytest.raises(ps.InputError, match=f"{rule} number 2; number the jobs again"):
        ps.write_swf(w.with_(job=[2, 2, 3]), log)
    write_log(log, [(HEADER + JOBS.replace("\n3 ", "\n2 ")).encode()], NAMES)
    assert refusal(log) == f"{log}: w: {rule} number 2; number the jobs again"


def test_a_job_comes_once_among_those_that_could_run_later(log: Path) -> None:
    names_path(log).write_text(json.dumps(content(log) | {"eligible": {"job": [2, 2], "after": [1, 5]}}))
    assert '"eligible": a job must come once, but several times comes 2' in refusal(log)


def test_a_description_counts_the_jobs_that_could_run_later(log: Path) -> None:
    about = ps.describe(ps.read_swf(log))
    work = 2 * 20
    assert about["later"] == {
        "jobs": 1,
        "work_percent": 100 * work / ps.read_swf(log).work,
        "seconds": dict.fromkeys(("min", "25 %", "median", "75 %", "95 %", "max"), 60),
    }
    assert "  eligible after their submission: 1 job with 33.3 % of the work, half of them 60 s or more later\n" in (
        description_text(about)
    )
    assert ps.describe(ps.lublin(jobs=5, processors=32, seed=1))["later"] is None
