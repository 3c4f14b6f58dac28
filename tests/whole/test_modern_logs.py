"""Logs of 2008 to 2026 as they come: counts are those of a small parser of its own for each.

They are not in the repository; PARETOSCHED_MODERN names the folder that has them, and `README.md` of
`experiments/modern_logs` says where they are from.
"""

import csv
import gzip
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.plausibility import doubts
from paretosched.workload.requests import requests_of
from support.accounting import column, import_into

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


def _rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def _up(text: str) -> int:
    """Return a number, rounded up."""
    return -int(-float(text) // 1)


def test_theta(tmp_path: Path) -> None:
    path = _file("alcf-theta.csv.gz")
    jobs = sorted(
        (int(row["submit_time"]), place, int(row["wait_time"]), _up(row["run_time"]), int(float(row["node_num"])), row)
        for place, row in enumerate(_rows(path))
        if float(row["run_time"]) > 0
    )
    columns = "submit=submit_time,wait=wait_time,run=run_time,limit=wall_time,width=node_num,user=user,state=new_status"
    log = import_into(tmp_path, "csv", path, "--columns", columns, "--zone", "America/Chicago", "--width", "nodes")
    first = jobs[0][0]
    assert [*column(log, "submit").values()] == [submit - first for submit, *_ in jobs]
    assert [*column(log, "wait").values()] == [wait for _, _, wait, *_ in jobs]
    assert [*column(log, "run").values()] == [run for _, _, _, run, *_ in jobs]
    assert [*column(log, "width").values()] == [nodes for *_, nodes, _ in jobs]
    assert [*column(log, "estimate").values()] == [_up(row["wall_time"]) for *_, row in jobs]
    status = {"Pass": 1, "Failed": 0, "Killed": 5}
    assert [*column(log, "status").values()] == [status[row["new_status"]] for *_, row in jobs]
    assert log.about["users"] == len({row["user"] for *_, row in jobs})
    named = import_into(tmp_path, "csv", path, "--as", "theta")
    assert column(named, "wait") == dict(zip(named.jobs, column(log, "wait").values(), strict=True))


def test_openb(tmp_path: Path) -> None:
    path = _file("openb-pods.csv.gz")
    jobs = sorted(
        (int(row["creation_time"]), place, int(row["scheduled_time"]), int(row["deletion_time"]), row)
        for place, row in enumerate(_rows(path))
        if row["scheduled_time"] and int(row["num_gpu"]) and int(row["deletion_time"]) > int(row["scheduled_time"])
    )
    log = import_into(tmp_path, "csv", path, "--as", "openb")
    width = [int(row["num_gpu"]) * int(row["gpu_milli"]) for *_, row in jobs]
    unit = next(unit for unit in (1000, 100, 10, 1) if not any(milli % unit for milli in width))
    assert log.about["unit"] == ("gpus" if unit == 1000 else f"units of 1/{1000 // unit} GPU")
    assert [*column(log, "width").values()] == [milli // unit for milli in width]
    assert [*column(log, "submit").values()] == [submit - jobs[0][0] for submit, *_ in jobs]
    assert [*column(log, "wait").values()] == [start - submit for submit, _, start, *_ in jobs]
    assert [*column(log, "run").values()] == [end - start for _, _, start, end, _ in jobs]
    assert sum(count for action, count in log.counts.values() if action == "dropped") == len(_rows(path)) - len(jobs)


@pytest.mark.parametrize(
    ("name", "processors"),
    [("ubccr-medium/week.csv.gz", 7968), ("ubccr-medium/first5000.csv.gz", 7968), ("ubccr-micro/jobs500.csv.gz", 120)],
)
def test_submissions_of_a_university(tmp_path: Path, name: str, processors: int) -> None:
    path = _file(name)
    jobs = sorted(
        (int(row["submit"]), place, int(row["run"]), int(row["tasks"]), row)
        for place, row in enumerate(_rows(path))
        if int(row["run"]) > 0 and int(row["tasks"]) <= processors
    )
    columns = (
        "submit=submit,run=run,limit=limit,width=tasks,nodes=nodes,per_node=ntasks_per_node,constraint=constraint,"
        "exclusive=exclusive,partition=partition,qos=qos,account=account,user=user,job=job"
    )
    log = import_into(tmp_path, "csv", path, "--columns", columns, "--capacity", processors, "--groups", "qos")
    assert [*log.jobs] == [int(row["job"]) for *_, row in jobs]
    assert [*column(log, "submit").values()] == [submit - jobs[0][0] for submit, *_ in jobs]
    assert [*column(log, "run").values()] == [run for _, _, run, *_ in jobs]
    assert [*column(log, "width").values()] == [tasks for *_, tasks, _ in jobs]
    assert [*column(log, "estimate").values()] == [int(row["limit"]) for *_, row in jobs]
    assert {*column(log, "wait").values()} == {-1}
    assert {*log.names.groups.values()} == {row["qos"] for *_, row in jobs}
    nodes = {int(row["job"]): int(row["nodes"]) for *_, row in jobs if row["nodes"] not in ("", "1")}
    asked = log.names.asked
    if nodes:
        assert dict(zip(asked["nodes"].job.tolist(), asked["nodes"].value.tolist(), strict=True)) == nodes
    wants = {int(row["job"]): row["constraint"] for *_, row in jobs if row["constraint"]}
    if wants:
        have = zip(asked["constraint"].job.tolist(), asked["constraint"].value.tolist(), strict=True)
        assert {job: log.names.constraints[number] for job, number in have} == wants


def test_metacentrum_of_2013() -> None:
    path = _file("metacentrum-wagap-2013.swf.gz")
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file]
    ran = [row for row in rows if int(row[3]) > 0]
    changes: Counter[int] = Counter()
    for row in ran:
        changes[int(row[1]) + int(row[2])] += int(row[7])
        changes[int(row[1]) + int(row[2]) + int(row[3])] -= int(row[7])
    in_use = np.cumsum([changes[second] for second in sorted(changes)])
    w = ps.read_swf(path, overrun="raise")
    assert (len(rows), len(w), w.capacity) == (17_900, len(ran), int(in_use.max()))
    assert "1,531 processors taken, the largest recorded use at one time" in doubts(w)[0]
    assert ps.describe(w)["first_submit"].startswith("2012-12-31 23:22:27")
    assert w.work == sum(int(row[3]) * int(row[7]) for row in ran)
    row_of = {int(row[0]): row for row in ran}
    assert len(row_of) == len(ran)
    rows_by_job = [row_of[number] for number in w.job.tolist()]
    by_queue = ps.by_queue(w)
    assert [by_queue.groups[group] for group in by_queue.group] == [row[19] for row in rows_by_job]
    assert requests_of(w, "exclusive").tolist() == [int("#excl" in row[20]) for row in rows_by_job]
    # the different hosts of a job are its nodes, unless two of its nodes were the same
    hosts = np.array([len({*row[18].strip("{}").split(",")}) for row in rows_by_job])
    nodes = requests_of(w, "nodes")
    assert (hosts <= nodes).all()
    assert (hosts == nodes).mean() > 0.9
    assert w.names is not None
    for row, number in zip(rows_by_job, requests_of(w, "constraint").tolist(), strict=True):
        first, *properties = row[20].partition("#")[0].split(":")
        if (
            first.isdecimal()
            and properties[:1]
            and properties[0].startswith("ppn=")
            and "=" not in "".join(properties[1:])
        ):
            assert w.names.constraints.get(number, "") == ":".join(dict.fromkeys(properties[1:]))


def test_a_synthetic_log_of_learned_schedulers() -> None:
    path = _file("rlscheduler-lublin-256.swf.gz")
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file if not line.startswith(";")]
    w = ps.read_swf(path)
    assert (len(w), w.capacity, w.work) == (len(rows), 256, sum(int(row[3]) * int(row[4]) for row in rows))
    assert doubts(w) == ()


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
