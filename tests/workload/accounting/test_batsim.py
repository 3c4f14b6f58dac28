"""Workloads of the simulator Batsim."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import paretosched as ps
from support.accounting import Result, column, import_into
from support.commands import command, succeed

PROFILES: dict[str, Any] = {
    "ten": {"type": "delay", "delay": 10},
    "short": {"type": "DelayProfile", "delay": 2.5, "ret": 1},
    "twice": {"type": "composed", "nb": 2, "seq": ["ten", "short"]},
    "thrice": {"type": "SequentialCompositionProfile", "repeat": 3, "seq": ["twice", "ten"]},
    "told": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0, "expected_execution_time": 7},
    "mixed": {"type": "composed", "seq": ["told", "ten"]},
    "computed": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 0},
    "half": {"type": "composed", "seq": ["ten", "computed"], "runtime": 90},
    "message": {"type": "msg_par_hg", "cpu": 1e9, "com": 1e6, "real_time": 12},
}


def job(id_: int | str, profile: str, subtime: float = 0, **more: Any) -> dict[str, Any]:
    """Return a job of two resources."""
    return {"id": id_, "subtime": subtime, "res": 2, "profile": profile, **more}


def import_jobs(tmp_path: Path, *jobs: dict[str, Any], **more: Any) -> Result:
    """Import a workload of these jobs, for eight resources."""
    (tmp_path / "w.json").write_text(json.dumps({"nb_res": 8, "jobs": jobs, "profiles": PROFILES} | more))
    return import_into(tmp_path, "batsim", tmp_path / "w.json")


def test_delays_and_sequences_have_run_times(tmp_path: Path) -> None:
    names = ("ten", "short", "twice", "thrice", "told", "mixed", "half", "message")
    log = import_jobs(tmp_path, *(job(1 + k, name) for k, name in enumerate(names)))
    assert column(log, "run") == {1: 10, 2: 3, 3: 25, 4: 105, 5: 7, 6: 17, 7: 90, 8: 12}
    assert column(log, "status") == {1: 1, 2: 0, **dict.fromkeys(range(3, 9), 1)}
    assert log.counts["a profile whose run time Batsim computes"] == ("assumed", 4)


def test_times_begin_with_0_and_have_no_date(tmp_path: Path) -> None:
    """A job at second 0 is one; the machine is nb_res, and there are no waits."""
    log = import_jobs(
        tmp_path, job("w0!1", "ten", 0, walltime=20.5), job("w0!2", "ten", 5.75, walltime=-1), job("x", "ten", 3)
    )
    assert column(log, "submit") == {1: 0, 2: 5, 3: 3}
    assert column(log, "estimate") == {1: 21, 2: 21, 3: 21}  # the longest one where there is none
    assert {*column(log, "wait").values()} == {-1}
    assert log.about["capacity"] == 8
    assert log.counts["fractions of a second"] == ("changed", 2)
    assert log.counts["no dates"] == ("assumed", 3)
    assert "the site's clock taken to be UTC" not in log.counts
    workload = ps.read_swf(tmp_path / "log.swf")
    assert (workload.epoch, workload.capacity) == (ps.Workload.epoch, 8)


def test_users_queues_and_dependencies_are_kept_where_jobs_have_them(tmp_path: Path) -> None:
    jobs = (job(1, "ten", user_id=7, queue="long"), job(2, "ten", user="anna", account="lab", dependencies=[1]))
    log = import_jobs(tmp_path, *jobs)
    assert (log.names.users, log.names.queues) == ({1: "7", 2: "anna"}, {1: "long"})
    assert log.names.groups == {1: "lab"}
    assert log.counts["depends on other jobs"] == ("assumed", 1)
    by_queue = import_into(tmp_path, "batsim", tmp_path / "w.json", "--groups", "queue")
    assert by_queue.names.groups == {1: "long"}


def test_a_gzipped_workload_on_a_machine_of_another_size(tmp_path: Path) -> None:
    wide = {**job(2, "ten"), "res": 4}
    text = json.dumps({"jobs": [job(1, "ten"), wide], "profiles": PROFILES})
    (tmp_path / "w.json.gz").write_bytes(gzip.compress(text.encode()))
    log = import_into(tmp_path, "batsim", tmp_path / "w.json.gz", "--capacity", 3)
    assert column(log, "width") == {1: 2}
    assert log.counts["wider than the machine of 3 cpus"] == ("dropped", 1)
    without = command("import", "batsim", tmp_path / "w.json.gz")
    assert "no job has a start, so that --capacity must name the size of the machine" in without.err


def test_what_is_imported_can_be_simulated(tmp_path: Path) -> None:
    import_jobs(tmp_path, *(job(k, "ten", k) for k in range(1, 9)))
    assert "EASY on log: 8 jobs, 8 processors" in succeed("simulate", tmp_path / "log.swf", "--policy", "easy").out


def deep(count: int) -> dict[str, Any]:
    """Return profiles that are sequences within each other."""
    parts = {str(k): {"type": "composed", "seq": [str(k + 1)] * 9, "repeat": 9} for k in range(count)}
    return {**parts, str(count): {"type": "delay", "delay": 1}}


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        ({"jobs": []}, '"profiles" is missing'),
        ({"jobs": [{"id": 1}], "profiles": {}}, 'jobs[0]: "subtime" is missing'),
        ({"jobs": [job(1, "ten", res="2")], "profiles": PROFILES}, 'jobs[0]: "res" must be a whole number, but is "2"'),
        ({"jobs": [job(1, "no")], "profiles": PROFILES}, 'jobs[0]: profiles has no "no"'),
        (
            {"jobs": [job(1, "ten"), job(2, "computed")], "profiles": PROFILES},
            'jobs[1]: its profile "computed" of type "parallel_homogeneous" has no run time of its own: Batsim',
        ),
        ({"jobs": [job(1, "a")], "profiles": {"a": {"type": "composed", "seq": ["a"]}}}, '"a" is part of itself, or'),
        ({"jobs": [job(1, "a")], "profiles": {"a": {"type": "composed", "seq": ["b"]}}}, '"b" is part of a sequence'),
        ({"jobs": [job(1, "0")], "profiles": deep(99)}, "must be a number from 0 to 10^15"),
        ({"jobs": [job(1, "0")], "profiles": deep(5000)}, "is part of itself, or more than 100 sequences deep"),
        ({"jobs": [job(1, "ten", -5)], "profiles": PROFILES}, "jobs[0]: subtime and res must be at least 0"),
        ({"jobs": [job(1, "a")], "profiles": {"a": {"type": "delay", "delay": "9"}}}, 'delay must be a number from 0'),
        ({"jobs": [job(1, "ten")], "profiles": PROFILES, "nb_res": 0}, '"nb_res" must be in 1..'),
        ({"jobs": [job(1, "ten", float("inf"))], "profiles": PROFILES}, "jobs[0]: subtime and res must be"),
        ({"jobs": [job(1, "ten", walltime=1e300)], "profiles": PROFILES}, "jobs[0]: walltime must be a number"),
        ([], "the value must be an object, but is a list"),
    ],
)  # fmt: skip
def test_what_is_no_workload_of_batsim_is_refused(tmp_path: Path, content: Any, fact: str) -> None:
    (tmp_path / "w.json").write_text(json.dumps(content))
    outcome = command("import", "batsim", tmp_path / "w.json")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert fact in outcome.err


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("[" * 100_000, "not JSON: it is nested too deeply"),
        ('{"jobs": [', "not JSON: "),
        ('"' * 21_000_000, "the size of a JSON file must be at most 20,000,000 bytes, but is more"),
        ("\xff", "JSON must be text in UTF-8, but this is not"),
    ],
)
def test_hostile_files_are_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "w.json").write_bytes(text.encode("latin-1"))
    outcome = command("import", "batsim", tmp_path / "w.json")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert fact in outcome.err
