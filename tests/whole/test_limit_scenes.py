"""Recorded scenes about limits, dependencies, reservations and preemption have what a simulation of them needs."""

from __future__ import annotations

import re
from typing import Any

import pytest

from support.recorded_scenes import hosts_in, jobs_in, machine_in, recorded_starts, rhythm_in, scenes
from support.scene_laboratory import SCENES, devices_of, play, settings_of, to_text

RECORDED = {scene["scene"]: scene for scene in scenes(SCENES)}
MOST_BYTES = 700_000


def table(text: str) -> list[dict[str, str]]:
    """Return the rows of what sacctmgr printed with -P."""
    header, *rows = text.splitlines()
    return [dict(zip(header.split("|"), row.split("|"), strict=True)) for row in rows]


def option(job: dict[str, Any], name: str) -> str:
    """Return the value of an option of sbatch, --name=value; "" without."""
    found = re.search(rf"--{name}=(\S+)", job["options"])
    return found[1] if found else ""


def test_there_are_scenes_enough_and_they_are_small() -> None:
    assert len(RECORDED) >= 24
    assert sum(path.stat().st_size for path in SCENES.glob("*.json")) < MOST_BYTES
    readme = (SCENES / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w, ]+) \|", readme, re.MULTILINE)
    assert set(RECORDED) == {name for row in rows for name in row.split(", ")} - {"scene"}


@pytest.mark.parametrize("name", RECORDED)
def test_a_scene_can_be_read_and_asked_again(name: str) -> None:
    scene = RECORDED[name]
    nodes = {line.split()[0] for line in scene["nodes"]}
    taken = [job for job in scene["jobs"] if job["number"]]
    assert {node.name for node in machine_in(scene).nodes} == nodes
    assert len(jobs_in(scene)) >= len(taken) >= 8  # an array has one job for each task
    assert rhythm_in(scene)
    assert {host for start in recorded_starts(scene) for host in start.nodes} <= nodes
    assert "PartitionName" in settings_of(scene) or scene["partitions"] == ["main: all nodes"]
    assert devices_of(scene).count("gpu") == sum("gpu" in line for line in scene["nodes"])
    assert to_text(scene) == (SCENES / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RECORDED)
def test_what_jobs_name_is_in_the_texts(name: str) -> None:
    """The QOS, accounts, users, reservations and jobs that the options have."""
    scene = RECORDED[name]
    printed = " ".join(command["printed"] for command in scene["commands"])
    reservations = set(re.findall(r"ReservationName=(\S+)", scene["texts"]["reservations"] + printed))
    names = [job["name"] for job in scene["jobs"]]
    assert len(set(names)) == len(names)
    for job in scene["jobs"]:
        assert not job["number"] or {option(job, "reservation")} <= reservations | {""}
        assert set(re.findall(r"\{(\w+)\}", job["options"])) <= set(names[: names.index(job["name"])])
    if scene["accounts"]:
        qos = {row["Name"] for row in table(scene["texts"]["qos"])}
        users = {row["User"] for row in table(scene["texts"]["assoc"])}
        assert {option(job, "qos") for job in scene["jobs"]} <= qos | {""}
        assert {option(job, "uid") for job in scene["jobs"]} <= users


@pytest.mark.parametrize("name", RECORDED)
def test_what_happened_holds_together(name: str) -> None:
    """Lives are in order, none is longer than the scene, and victims had started."""
    scene = RECORDED[name]
    lives = {job["name"]: job["lives"] for job in scene["jobs"]}
    for job in scene["jobs"]:
        assert job["number"] or job["refused"]
        assert all(second <= scene["until"] and reason for second, reason, *_ in job.get("waited_for", ()))
        for life in lives[job["name"]]:
            assert life["by"] in {"main", "backfill"}
            assert life["start"] <= life.get("end", scene["until"]) <= scene["until"] + 60
            assert bool(life.get("state")) == ("end" in life)
            held = [hosts_in(part["nodes"]) for part in life.get("detail", ())]
            assert not held or len(hosts_in(life["nodes"])) == sum(map(len, held))
    for second, victim, _, other in scene["preempted"]:
        starts = [life["start"] for life in lives[victim.partition("_")[0]]]
        assert min(starts) <= second
        assert other.partition("_")[0] in {*lives, ""}


@pytest.mark.slow
@pytest.mark.long
def test_a_scene_is_played_on_a_real_slurm() -> None:
    """A limit holds a job, a reservation is printed, and a dependency is kept."""
    lines = {"A": "-t10", "B": "-t10", "C": "-t10 --dependency=afterok:{A}"}
    jobs = [
        {"name": name, "asked_second": 0, "run": 60, "options": f"--uid=games -n1 --mem=10 {line}"}
        for name, line in lines.items()
    ]
    scene = RECORDED["two_limits"] | {
        "accounts": ["modify qos normal set MaxJobsPerUser=1", "add account acc", "add user games,root account=acc"],
        "before": ["scontrol create reservation ReservationName=r StartTime=now+9hours Duration=9 Nodes=n1 Users=root"],
        "commands": [{"second": 20, "command": "squeue -h -t PD -n C -o '%j %r'"}],
        "until": 300,
        "jobs": jobs,
    }
    record = play(scene)
    a, b, c = record["jobs"]
    starts = [job["lives"][0]["start"] for job in (a, b, c)]
    assert starts == sorted(starts)
    assert [job["lives"][0]["state"] for job in (a, b)] == ["COMPLETED", "COMPLETED"]
    assert "QOSMaxJobsPerUserLimit" in {reason for _, reason, *_ in b["waited_for"]}
    assert record["commands"][0]["printed"] == "C Dependency"
    assert "ReservationName=r " in record["texts"]["reservations"]
    assert table(record["texts"]["qos"])[0]["MaxJobsPU"] == "1"
