"""Logs that say how long their jobs waited, on machines of which they say enough: each as jobs on nodes."""

from __future__ import annotations

import gzip
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import paretosched as ps
from paretosched.workload.host_lists import node_names
from paretosched.workload.more_columns import Request, request_of

METACENTRUM, CLUSTERS = "metacentrum-wagap-2013.swf.gz", "metacentrum-wagap-2013.machines"
THETA, PODS, PODS_NODES = "alcf-theta.csv.gz", "openb-pods.csv.gz", "openb-nodes.csv.gz"
POZIDRIV, POZIDRIV_ZONE = "xdmod-pozidriv.sacct.gz", "America/New_York"
NUMBER, SUBMIT, WAIT, RUN, WIDTH, LIMIT, MEMORY, USER = 0, 1, 2, 3, 4, 8, 9, 11  # places in a line of MetaCentrum
HOSTS, ASKED = 18, 20
FIRST_OF_SECOND = 1249  # hosts with lower numbers gave up to 80 processors, the others 12: so they are of two kinds
PARTITION, START, END, CPUS, HELD, NODES = 3, 12, 13, 18, 22, 24  # places in a line of sacct of pozidriv
THETA_CORES = 64  # of each of its nodes
SMALL, LARGE = 128, 1024  # nodes of a job on Theta
OF_GPU = 100  # parts in which OpenB's GPUs are counted
COLUMNS = (
    "job=job,submit=submit,wait=wait,run=run,limit=limit,nodes=nodes,tasks=tasks,tasks_per_node=ppn,"
    "memory_per_node=memory,gpus_per_node=gpus,constraint=constraint,exclusive=exclusive,user=user"
)


class Record(NamedTuple):
    """A log: its jobs, the kind of each, (n,) text, and how many nodes there are of each kind, where jobs ran.

    `kinds` are nodes on which a job ran, by the first part of their names up to a digit or `-`, if `is_place`; else
    sizes of jobs. `fewer` is the machine with those nodes only on which jobs ran, if the log has others.
    """

    name: str
    w: ps.Workload
    kind: np.ndarray[Any, np.dtype[np.str_]]
    hosts: dict[str, int]
    is_place: bool = True
    fewer: ps.Machine | None = None


def records_in(folder: Path) -> Iterator[Record]:
    """Yield the logs in a folder."""
    yield metacentrum(folder)
    yield pozidriv(folder / POZIDRIV)
    yield theta(folder / THETA)
    yield openb(folder)


def workload_of(table: pd.DataFrame, machine: ps.Machine) -> ps.Workload:
    """Return the jobs of a table with the columns of COLUMNS, or some of them, on a machine."""
    columns = ",".join(pair for pair in COLUMNS.split(",") if pair.split("=")[1] in table)
    with TemporaryDirectory() as folder:
        table.to_csv(Path(folder) / "jobs.csv", index=False)
        ps.save_machine(machine, Path(folder) / "machine.toml")
        log = Path(folder) / "log.parquet"
        ps.import_log("csv", Path(folder) / "jobs.csv", log, columns=columns, machine=Path(folder) / "machine.toml")
        return ps.load_log(log)


def kinds_of_jobs(w: ps.Workload, kind: pd.Series[str]) -> np.ndarray[Any, np.dtype[np.str_]]:
    """Return the kind of each job of a workload, by the number of the job."""
    return kind.loc[[str(job) for job in w.job.tolist()]].to_numpy(dtype=np.str_)


# --- MetaCentrum: jobs say what they ask for in a string, and where they ran ------------------------------------------


def metacentrum(folder: Path) -> Record:
    """Return MetaCentrum's two clusters."""
    machine = clusters_in(folder / CLUSTERS)
    names = tuple(kind.hosts.split("[")[0] for kind in machine.kinds)
    table = pd.DataFrame(list(_lines(folder / METACENTRUM, names)))
    seen = table[table["host"] >= 0].groupby("ran")["host"].nunique().to_dict()
    kinds = [replace(kind, hosts=f"{name}[1-{seen[name]}]") for name, kind in zip(names, machine.kinds, strict=True)]
    w = workload_of(table, machine)
    kind = kinds_of_jobs(w, table.set_index("job")["ran"])
    return Record("MetaCentrum", w, kind, seen, fewer=ps.Machine(tuple(kinds)))


def clusters_in(path: Path) -> ps.Machine:
    """Return the machine of a file with number, name, nodes, cores, speed and memory, KiB, of each cluster."""
    kinds = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if cells := line.split():
            name, nodes, cores, _, memory = cells[1:6]
            hosts = f"{name}[1-{nodes}]"
            kinds.append(ps.NodeKind(hosts, int(cores), int(memory) // 1024, features=(f"cl_{name}",)))
    return ps.Machine(tuple(kinds), name="MetaCentrum")


def _lines(path: Path, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            cells = line.split()
            if line.startswith(";") or len(cells) <= ASKED or int(cells[RUN]) < 0:
                continue
            tasks = int(cells[WIDTH])
            asked = request_of(cells[ASKED]) or Request(0, 0, 0, 0, 0, "")
            same = asked.nodes * asked.per_node == tasks
            memory = max(int(cells[MEMORY]), 0) // max(asked.nodes, 1) >> 20  # MiB a node
            cluster = next((f"cl_{name}" for name in names if f"cl_{name}" in cells[ASKED]), "")
            hosts = [int(word) for word in cells[HOSTS].strip("{}").split(",") if word.isdigit()]
            yield {
                "job": cells[NUMBER], "submit": cells[SUBMIT], "wait": cells[WAIT], "run": cells[RUN],
                "limit": cells[LIMIT], "nodes": asked.nodes if same else "", "tasks": tasks,
                "ppn": asked.per_node if same else "", "memory": f"{memory}M",
                "constraint": cluster, "exclusive": "yes" if asked.exclusive else "no", "user": cells[USER],
                "ran": "" if not hosts else names[int(hosts[0] >= FIRST_OF_SECOND)],
                "host": hosts[0] if hosts else -1,
            }  # fmt: skip


# --- pozidriv: accounting of Slurm without a slurm.conf ---------------------------------------------------------------


def pozidriv(path: Path) -> Record:
    """Return a machine of a university whose nodes are those of its accounting: each has what its jobs held at once."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        cells = [line.split("|") for line in lines]
    ran = [row for row in cells if row[START][:1].isdigit() and row[END][:1].isdigit() and row[NODES][:1] != "N"]
    held: dict[str, list[tuple[str, int, float, float]]] = defaultdict(list)
    of_partition: dict[str, set[str]] = defaultdict(set)
    kind = {}
    for row in ran:
        nodes = list(node_names(row[NODES], "nodes"))
        said = re.search(r"mem=([0-9.]+)([MG])", row[HELD])
        memory = float(said[1]) * (1024 if said[2] == "G" else 1) if said else 0.0
        part = int(row[CPUS]) / len(nodes), memory / len(nodes)
        kind[row[0].split("_")[0]] = rack_of(nodes[0])
        for node in nodes:
            held[node] += [(row[START], 1, *part), (row[END], 0, -part[0], -part[1])]
            of_partition[row[PARTITION]].add(node)
    kinds = []
    for node, changes in sorted(held.items()):
        most = np.cumsum([change[2:] for change in sorted(changes)], axis=0).max(axis=0)
        kinds.append(ps.NodeKind(node, int(np.ceil(most[0])), int(np.ceil(most[1]))))
    partitions = tuple(
        ps.Partition(name, ",".join(sorted(nodes)), default=name == "black")
        for name, nodes in sorted(of_partition.items())
    )
    with TemporaryDirectory() as folder:
        conf, log = Path(folder) / "machine.toml", Path(folder) / "log.parquet"
        ps.save_machine(ps.Machine(tuple(kinds), partitions, name="pozidriv"), conf)
        ps.import_log("slurm", path, log, machine=conf, zone=POZIDRIV_ZONE)
        w = ps.load_log(log)
    hosts = pd.Series([rack_of(node) for node in held]).value_counts().to_dict()
    return Record("pozidriv", w, kinds_of_jobs(w, pd.Series(kind)), hosts)


def rack_of(node: str) -> str:
    """Return the row of racks in which a node of pozidriv stands, as in cpn-d11-07."""
    return node.split("-")[1]


# --- Theta and OpenB: nodes that are alike, and GPUs in parts; where jobs ran is not said -----------------------------


def theta(path: Path) -> Record:
    """Return ALCF's Theta, whose jobs have whole nodes."""
    log = pd.read_csv(path)
    nodes = log["node_num"].astype(int)
    table = pd.DataFrame({
        "job": log["job"].astype(str), "submit": log["submit_time"], "wait": log["wait_time"], "run": log["run_time"],
        "limit": log["wall_time"].astype(int), "nodes": nodes, "tasks": nodes * THETA_CORES, "exclusive": "yes",
        "user": log["user"].astype(int),
    })  # fmt: skip
    machine = ps.Machine((ps.NodeKind("n[1-4392]", THETA_CORES, 196_608),), name="Theta")
    w = workload_of(table, machine)
    names = [f"up to {SMALL} nodes", f"up to {LARGE:,} nodes", "more nodes"]
    size = w.requests.nodes_least
    return Record("Theta", w, np.select([size <= SMALL, size <= LARGE], names[:2], names[2]), {}, is_place=False)


def openb(folder: Path) -> Record:
    """Return Alibaba's OpenB, whose jobs ask for parts of a GPU, and for models, and say no limit."""
    nodes, pods = pd.read_csv(folder / PODS_NODES), pd.read_csv(folder / PODS).dropna(subset=["scheduled_time"])
    model = nodes["model"].fillna("")
    alike = nodes.groupby([nodes["cpu_milli"], nodes["memory_mib"], nodes["gpu"], model], sort=True)
    kinds = tuple(
        ps.NodeKind(f"k{i}n[1-{len(rows)}]", cpus // 1000, memory, {"gpu": OF_GPU * gpus} if gpus else {},
                    features=(name,) if name else ())
        for i, ((cpus, memory, gpus, name), rows) in enumerate(alike)
    )  # fmt: skip
    run = (pods["deletion_time"] - pods["scheduled_time"]).astype(int)
    table = pd.DataFrame({
        "job": (pods.index + 1).astype(str), "submit": pods["creation_time"], "run": run, "limit": run,
        "wait": pods["scheduled_time"].astype(int) - pods["creation_time"], "nodes": 1,
        "tasks": np.maximum(-(-pods["cpu_milli"] // 1000), 1), "memory": pods["memory_mib"].astype(str) + "M",
        "gpus": pods["num_gpu"] * pods["gpu_milli"] * OF_GPU // 1000, "constraint": pods["gpu_spec"].fillna(""),
    })  # fmt: skip
    w = workload_of(table, ps.Machine(kinds, name="OpenB"))
    gpus = w.requests.gpus_per_node
    kind = np.select([gpus == 0, gpus < OF_GPU], ["no GPU", "a part of a GPU"], "whole GPUs")
    return Record("OpenB", w, kind, {}, is_place=False)


# --- recorded and simulated waits -------------------------------------------------------------------------------------


def kinds_of_nodes(record: Record, schedule: ps.Schedule) -> np.ndarray[Any, np.dtype[np.str_]]:
    """Return of which kind the first node of each job of a schedule is, (n,) text."""
    assert schedule.placement is not None  # noqa: S101  # on nodes
    assert record.w.machine is not None  # noqa: S101
    names = [rack_of(name) if "-" in name else name.rstrip("0123456789") for name in record.w.machine.names]
    return np.array(names)[schedule.placement.node[schedule.placement.piece[:-1]]]


def rows_of(record: Record) -> Iterator[dict[str, Any]]:
    """Yield a row for the jobs of each kind, and of all: recorded waits, and those of EASY, h."""
    w = record.w
    runs = {"pool": w.one_pool, "nodes": w}
    if record.fewer is not None:
        runs["fewer"] = w.with_(machine=record.fewer, capacity=record.fewer.capacity)
    schedules = {name: ps.simulate(jobs, "easy").check() for name, jobs in runs.items()}
    waits = {"recorded": w.wait} | {name: schedule.wait for name, schedule in schedules.items()}
    there = kinds_of_nodes(record, schedules["nodes"]) == record.kind
    for kind in (*sorted({*record.kind.tolist()} - {""}), "all"):
        of = (record.kind == kind) | (kind == "all")
        row = {"log": record.name, "of": kind, "jobs": int(of.sum()), "hosts": record.hosts.get(kind, "")}
        if kind == "all" and record.hosts:
            row["hosts"] = sum(record.hosts.values())
        for name in ("recorded", "pool", "nodes", "fewer"):
            row[f"wait {name}"] = round(float(waits[name][of].mean()) / 3600, 3) if name in waits else ""
        yield row | {"there too %": round(100 * float(there[of].mean()), 1) if record.is_place else ""}
