"""Scenes that a real Slurm played: what was asked and what it did, as the naive machine and jobs; how far both agree.

A scene is a JSON file with lines of slurm.conf and options of sbatch. `outside` says which scenes are about rules that
the machine of nodes does not have; this is read from what the scene asks for, not from what Slurm did.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from paretosched import Requests
from paretosched.workload.host_lists import node_names
from paretosched.workload.machine_slurm import read_slurm_machine
from paretosched.workload.sbatch_options import read_options
from support.naive_machine import Busy, Job, Machine
from support.naive_rhythms import Rhythm, slurm
from support.naive_values import ask_of, naive_machine

SLURM = Path(os.environ.get("PARETOSCHED_SLURM") or os.devnull)  # which is no folder
SLURM_MISSING = "NO SCENES: set PARETOSCHED_SLURM to the folder whose `recorded` has scenes that a real Slurm played"
SECONDS = 60  # so far a start may be from the recorded one: the recorded clock was up to 30 s late
# What the slurmctld that played them had beside what a scene says; it ran from 15 s before second 0, and its backfill
# passes came at multiples of bf_interval since then, 10 s late.
OVER_TIME_LIMIT, KILL_WAIT = "60", "3600"
EPOCH, BF_FIRST = 15, -5


def hosts_in(hosts: str) -> list[str]:
    """Return the names in a list of hosts."""
    return list(node_names(hosts, "a scene"))


class Started(NamedTuple):
    """A start that was recorded or simulated: the job's name, when, and where."""

    name: str
    second: int
    nodes: tuple[str, ...]
    cpus: tuple[int, ...] = ()


def scenes(folder: Path) -> list[dict[str, Any]]:
    """Return all recorded scenes of a folder, in the order of their names."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


def outside(scene: Mapping[str, Any]) -> str:
    """Return the first rule that a scene asks for and the machine of nodes does not have; "" if it has them all."""
    options = [job["options"] for job in scene["jobs"]]
    asked = {
        "limits of users, accounts and QOS": bool(scene["accounts"]),
        "reservations": any("reservation" in line for line in [*scene["before"], *commands(scene), *options]),
        "preemption": "PreemptType" in scene["conf"],
        "dependencies": any("--dependency" in line for line in options),
        "arrays": any("--array" in line for line in options),
        "jobs that are held, released or begin later": any("release" in line for line in commands(scene)),
        "changes of nodes and partitions by hand": any("scontrol update" in line for line in commands(scene)),
        "cancelled jobs": any("scancel" in line for line in commands(scene)),
    }
    return next((rule for rule, there in asked.items() if there), "")


def commands(scene: Mapping[str, Any]) -> list[str]:
    """Return the commands that were given during a scene."""
    return [command["command"] for command in scene["commands"]]


def machine_in(scene: Mapping[str, Any]) -> Machine:
    """Return the machine of a scene; the leaves of its switches are not part of it."""
    conf = {"SelectType": "select/cons_tres", "SelectTypeParameters": "CR_Core_Memory"} | scene["conf"]
    lines = [f"{key}={value}" for key, value in conf.items()]
    lines += [f"NodeName={line}" for line in scene["nodes"]]
    everywhere = f"main Nodes={','.join(line.split()[0] for line in scene['nodes'])}"
    of_scene = [line for line in scene["partitions"] if line != "main: all nodes"] or [everywhere]
    lines += [f"PartitionName={line}" for line in of_scene]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "slurm.conf"
        path.write_text("\n".join(lines) + "\n")
        return naive_machine(read_slurm_machine(path), 0)


def job_of(row: int, arrival: int, run: int, options: str, priority: int = 1) -> Job:
    """Return a job of what sbatch was told; options that are not of its request are known here."""
    asked = read_options(options)
    ask = ask_of(Requests(**{key: [value] for key, value in ({"tasks": 1} | dict(asked.values)).items()}), 0)
    user = next((word.partition("=")[2] for word in options.split() if word.startswith("--uid=")), "root")
    parts = tuple(name for name in str(asked.values.get("partition", "")).split(",") if name)
    return Job(row, arrival, run, asked.limit or None, ask, parts, priority, user)


def jobs_in(scene: Mapping[str, Any]) -> list[Job]:
    """Return the jobs of a scene that Slurm took, from when it had them, with run times as recorded if they ended."""
    jobs = []
    for row, job in enumerate(scene["jobs"]):
        if job["number"]:
            runs = [life["end"] - life["start"] for life in job["lives"] if life.get("state") == "COMPLETED"]
            run, arrival = [*runs, job["run"]][0], max(0, job["submit"])
            jobs.append(job_of(row, arrival, run, job["options"], int(job["priority"] or 1)))
    return jobs


def rhythm_in(scene: Mapping[str, Any]) -> Rhythm:
    """Return the rhythm that a scene's SchedulerParameters give."""
    words = scene["SchedulerParameters"]
    unit = {"bf_window": 60}
    names = {"default_queue_depth": "queue_depth"} | {name: name for name in Rhythm._fields if name in words}
    given = {field: int(words[name]) * unit.get(name, 1) for name, field in names.items() if name in words}
    conf = scene["conf"]
    over = int(conf.get("OverTimeLimit", OVER_TIME_LIMIT)) * 60
    wait = int(conf.get("KillWait", KILL_WAIT))
    return Rhythm(**given, epoch=EPOCH, bf_first=BF_FIRST, over_time_limit=over, kill_wait=wait)  # type: ignore[arg-type]


def recorded_starts(scene: Mapping[str, Any]) -> list[Started]:
    """Return the recorded starts, in their order."""
    found = []
    for job in scene["jobs"]:
        for life in job["lives"]:
            cpus: dict[str, int] = {}
            for part in life.get("detail", ()):
                cpus |= dict.fromkeys(hosts_in(part["nodes"]), len(hosts_in(f"cpu[{part['cpus']}]")))
            nodes = tuple(sorted(hosts_in(life["nodes"])))
            found.append(
                Started(job["name"], life["start"], nodes, tuple(cpus[name] for name in nodes) if cpus else ())
            )
    return sorted(found, key=lambda start: start.second)


def simulated_starts(scene: Mapping[str, Any], leaves: tuple[tuple[str, ...], ...] = ()) -> list[Started]:
    """Return the starts of the naive machine in Slurm's rhythm until the scene ends, in their order."""
    runs = slurm(machine_in(scene)._replace(leaves=leaves), jobs_in(scene), rhythm_in(scene))
    return [started_as(scene, run) for run in runs.values() if run.begin < scene["until"]]


def started_as(scene: Mapping[str, Any], run: Busy) -> Started:
    """Return a simulated start."""
    nodes = tuple(sorted(run.held))
    return Started(scene["jobs"][run.job.row]["name"], run.begin, nodes, tuple(run.held[name].cpus for name in nodes))


def differences(recorded: Sequence[Started], simulated: Sequence[Started]) -> list[str]:
    """Return in words where two lists of starts differ: who starts, on which nodes, when, and in which order.

    Two jobs that one of the lists starts within a second of each other have no order.
    """
    ours, theirs = ({start.name: start for start in starts} for starts in (simulated, recorded))
    faults = [f"{name} starts in one of the two only" for name in sorted(set(ours) ^ set(theirs))]
    both = [name for name in theirs if name in ours]
    for name in both:
        if ours[name].nodes != theirs[name].nodes:
            faults.append(f"{name} is on {ours[name].nodes}, and not on {theirs[name].nodes}")
        elif theirs[name].cpus and ours[name].cpus != theirs[name].cpus:
            faults.append(f"{name} has {ours[name].cpus} CPUs of {ours[name].nodes}, and not {theirs[name].cpus}")
        if abs(ours[name].second - theirs[name].second) > SECONDS:
            faults.append(f"{name} starts at {ours[name].second}, and not at {theirs[name].second}")
    for i, name in enumerate(both):
        for other in both[i + 1 :]:
            apart = theirs[other].second - theirs[name].second, ours[other].second - ours[name].second
            if min(abs(apart[0]), abs(apart[1])) > 1 and apart[0] * apart[1] < 0:
                faults.append(f"{name} and {other} start in another order")
    return faults
