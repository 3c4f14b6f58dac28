"""Scenes that a real Slurm played: what was asked and what it did, as the naive machine and jobs; how far both agree.

A scene is a JSON file with lines of slurm.conf and options of sbatch. `outside` says which scenes are about rules that
the machine of nodes does not have; this is read from what the scene asks for, not from what Slurm did.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from paretosched.workload.features import read_constraint
from paretosched.workload.host_lists import node_names
from support.naive_machine import Ask, Busy, Job, Machine, Node, Partition, machine_of
from support.naive_rhythms import Rhythm, slurm

SLURM = Path(os.environ.get("PARETOSCHED_SLURM") or os.devnull)  # which is no folder
SLURM_MISSING = "NO SCENES: set PARETOSCHED_SLURM to the folder whose `recorded` has scenes that a real Slurm played"
SECONDS = 60  # so far a start may be from the recorded one: the recorded clock was up to 30 s late
# What the slurmctld that played them had beside what a scene says; it ran from 15 s before second 0, and its backfill
# passes came at multiples of bf_interval since then, 10 s late.
OVER_TIME_LIMIT, KILL_WAIT = "60", "3600"
EPOCH, BF_FIRST = 15, -5


class Started(NamedTuple):
    """A start that was recorded or simulated: the job's name, when, and where."""

    name: str
    second: int
    nodes: tuple[str, ...]
    cpus: tuple[int, ...] = ()


def scenes(folder: Path) -> list[dict[str, Any]]:
    """Return all recorded scenes, in the order of their names."""
    return [json.loads(path.read_text()) for path in sorted((folder / "recorded").glob("*.json"))]


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


def machine_in(scene: Mapping[str, Any], leaves: Sequence[Sequence[str]] = ()) -> Machine:
    """Return the machine of a scene; the leaves of its switches are in a file that is not recorded."""
    conf = scene["conf"]
    nodes = [node_in(line) for line in scene["nodes"]]
    lines = [line for line in scene["partitions"] if line != "main: all nodes"]
    lines = sorted(lines, key=lambda line: "Default=YES" not in line) or [
        f"main Nodes={','.join(n.name for n in nodes)}"
    ]
    partitions = [partition_in(line, conf) for line in lines]
    by_name = (pair.split(":") for pair in conf.get("Licenses", "").split(",") if pair)
    return machine_of(
        nodes,
        partitions,
        choice="linear" if conf.get("SelectType") == "select/linear" else "cons_tres",
        licences={name: int(count) for name, count in by_name},
        shares_memory="Memory" in conf.get("SelectTypeParameters", "CR_Core_Memory"),
        leaves=tuple(tuple(leaf) for leaf in leaves),
    )


def int_or_none(text: str | None) -> int | None:
    """Return a number of a setting, None if there is none."""
    return None if text is None else int(text)


def node_in(line: str) -> Node:
    """Return the node of a line such as "n1 CPUs=8 RealMemory=16000 Gres=gpu:4"."""
    name, *words = line.split()
    values = dict(word.split("=", 1) for word in words)
    gpus: dict[str, int] = {}
    for part in values.get("Gres", "").split(","):
        _, *kind, count = part.split(":") if part else ("", "0")
        if int(count):
            gpus[kind[0] if kind else "gpu"] = int(count)
    return Node(
        name,
        int(values["CPUs"]),
        int(values["RealMemory"]),
        gpus,
        frozenset(values.get("Feature", values.get("Features", "")).split(",")) - {""},
        int(values.get("Weight", 1)),
        int(values.get("ThreadsPerCore", 1)),
    )


def partition_in(line: str, conf: Mapping[str, str]) -> Partition:
    """Return the partition of a line such as "a Nodes=n1,n2 Default=YES MaxTime=30"; the rest is as in slurm.conf."""
    name, *words = line.split()
    values = {**conf, **dict(word.split("=", 1) for word in words)}
    return Partition(
        name,
        tuple(hosts_in(values["Nodes"])),
        tier=int(values.get("PriorityTier", 1)),
        longest=minutes(values.get("MaxTime")),
        default=minutes(values.get("DefaultTime")),
        most_nodes=None if values.get("MaxNodes", "UNLIMITED") == "UNLIMITED" else int(values["MaxNodes"]),
        least_nodes=int(values.get("MinNodes", 1)),
        exclusive=values.get("OverSubscribe", "NO") == "EXCLUSIVE",
        lln=values.get("LLN", "NO") == "YES",
        memory_per_cpu=int_or_none(values.get("DefMemPerCPU")),
        memory_per_node=int_or_none(values.get("DefMemPerNode")),
        most_memory_per_cpu=int_or_none(values.get("MaxMemPerCPU")),
        most_memory_per_node=int_or_none(values.get("MaxMemPerNode")),
    )


def hosts_in(hosts: str) -> list[str]:
    """Return the names in a list of hosts."""
    return list(node_names(hosts, "a scene"))


def minutes(text: str | None) -> int | None:
    """Return seconds of a time such as 30, 1:30, 1:30:00 or 2-0; None for none and for no limit."""
    if text is None or text in ("INFINITE", "UNLIMITED"):
        return None
    days, _, rest = text.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    if days:
        hours, mins, seconds = (*parts, 0, 0)[:3]
    elif len(parts) < 3:
        hours, mins, seconds = 0, *(*parts, 0)[:2]
    else:
        hours, mins, seconds = parts
    return int(days or 0) * 86400 + hours * 3600 + mins * 60 + seconds


def ask_in(options: str) -> tuple[Ask, argparse.Namespace]:
    """Return what options of sbatch ask for, and the other options."""
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    for names in (
        ("-n", "--ntasks"),
        ("-N", "--nodes"),
        ("-c", "--cpus-per-task"),
        ("-t", "--time"),
        ("-p", "--partition"),
        ("-w", "--nodelist"),
        ("-x", "--exclude"),
        ("-C", "--constraint"),
        ("-L", "--licenses"),
    ):
        parser.add_argument(*names)
    for name in ("mem", "mem-per-cpu", "gres", "gpus", "gpus-per-node", "gpus-per-task", "ntasks-per-node"):
        parser.add_argument(f"--{name}")
    for name in ("priority", "uid", "hint", "ntasks-per-core", "nice", "job-name", "begin", "spread-job"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--exclusive", nargs="?", const="")
    a = parser.parse_args(shlex.split(options))
    low, _, high = (a.nodes or "").partition("-")
    per_node = int(a.ntasks_per_node or 0)
    kind, count = gpus_in(a.gres or a.gpus_per_node)
    kind_in_all, in_all = gpus_in(a.gpus)
    kind_of_task, of_task = gpus_in(a.gpus_per_task)
    licences = dict(pair.split(":") for pair in (a.licenses or "").split(",") if pair)
    ask = Ask(
        tasks=int(a.ntasks) if a.ntasks else int(low or 1) * (per_node or 1),
        cpus=int(a.cpus_per_task or 1),
        least=int(low or 1),
        most=int(high or low) if a.nodes else None,
        tasks_per_node=per_node,
        memory=megabytes(a.mem),
        memory_per_cpu=megabytes(a.mem_per_cpu),
        gpus_per_node=count,
        gpus=in_all,
        gpus_per_task=of_task,
        gpu_type=kind or kind_in_all or kind_of_task,
        exclusive=a.exclusive == "",
        same_user=a.exclusive == "user",
        constraint=read_constraint(a.constraint or ""),
        named=tuple(hosts_in(a.nodelist)) if a.nodelist else (),
        excluded=tuple(hosts_in(a.exclude)) if a.exclude else (),
        licences={name: int(amount) for name, amount in licences.items()},
        task_per_core=a.hint == "nomultithread" or a.ntasks_per_core == "1",
    )
    return ask, a


def gpus_in(text: str | None) -> tuple[str, int]:
    """Return the type and the number of GPUs in a text such as gpu:4, gpu:v100:2, v100:2 or 4; of any type if ""."""
    *kind, count = (text or "0").removeprefix("gpu:").split(":")
    return (kind[0] if kind else ""), int(count) if count != "gpu" else 1


def megabytes(text: str | None) -> int | None:
    """Return MB of a text such as 500, 2G or 1T."""
    if text is None:
        return None
    factor = {"M": 1, "G": 1024, "T": 1024**2}.get(text[-1].upper())
    return math.ceil(float(text[:-1]) * factor) if factor else int(text)


def jobs_in(scene: Mapping[str, Any]) -> list[Job]:
    """Return the jobs of a scene that Slurm took, from when it had them, with run times as recorded if they ended."""
    jobs = []
    for row, job in enumerate(scene["jobs"]):
        if not job["number"]:
            continue
        ask, others = ask_in(job["options"])
        partitions = tuple(others.partition.split(",")) if others.partition else ()
        runs = [life["end"] - life["start"] for life in job["lives"] if life.get("state") == "COMPLETED"]
        run, arrival, priority = [*runs, job["run"]][0], max(0, job["submit"]), int(job["priority"] or 1)
        user = others.uid or "root"
        jobs.append(Job(row, arrival, run, minutes(others.time), ask, partitions, priority, user))
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


def simulated_starts(scene: Mapping[str, Any], leaves: Sequence[Sequence[str]] = ()) -> list[Started]:
    """Return the starts of the naive machine in Slurm's rhythm until the scene ends, in their order."""
    runs = slurm(machine_in(scene, leaves), jobs_in(scene), rhythm_in(scene))
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
