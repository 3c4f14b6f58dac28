"""Small made-up files in place of the logs, for a quick run."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import settings

import paretosched as ps

CONF = """ClusterName=made-up
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=120
PriorityType=priority/multifactor
AccountingStorageType=accounting_storage/slurmdbd
PriorityWeightFairshare=1000
PriorityWeightAge=1000
PriorityWeightJobSize=1000
PriorityWeightQOS=100
PriorityWeightTRES=CPU=0,Mem=.03,GRES/gpu=3000
GresTypes=gpu
NodeName=n[1-4] CPUs=32 RealMemory=187000
NodeName=b1 CPUs=32 RealMemory=754000
NodeName=g1 CPUs=32 RealMemory=187000 Gres=gpu:2
PartitionName=general-compute Nodes=n[1-4],b1,g1 Default=YES MaxTime=72:00:00 DefMemPerCPU=2800
PartitionName=debug Nodes=g1 MaxTime=01:00:00 DefMemPerCPU=2800
"""
SHARES = (
    "add cluster Name=made-up Fairshare=1\nadd account Name=account1 Fairshare=100\n"
    "add user Name=user1 DefaultAccount=account1 Fairshare=100 Account=account1\n"
)
TEXTS = {"slurm.conf": CONF, "gres.conf": "", "sacctmgr.script": SHARES}
THETA_BEGIN = 1668693697  # the first submission of Theta's log
COLUMNS = (
    "job", "submit", "run", "limit", "nodes", "tasks", "ntasks_per_node", "memory_per_node", "gpus_per_node",
    "constraint", "exclusive", "partition", "qos", "account", "user",
)  # fmt: skip


def write(path: Path) -> None:
    """Write a made-up file of a name: a log in SWF, a table of jobs, or a file of the site."""
    if path.name in TEXTS:
        path.write_text(TEXTS[path.name], encoding="utf-8")
    elif path.name.endswith(".swf.gz"):
        write_log(path)
    elif "theta" in path.name:
        write_table(path, [theta_job(job) for job in range(1, settings.QUICK_JOBS + 1)])
    else:
        rng = np.random.default_rng(settings.QUICK["seed"])
        write_table(path, [node_job(job, rng) for job in range(1, settings.QUICK_JOBS + 1)])


def write_log(path: Path) -> None:
    """Write a made-up log with users and the waits of EASY."""
    w = ps.lublin(jobs=settings.QUICK["jobs"], processors=settings.QUICK["processors"], seed=settings.QUICK["seed"])
    wait = ps.simulate(w, "easy").wait
    rows = np.column_stack([w.job, w.submit, wait, w.run, w.width, w.width, w.estimate, w.user])
    lines = [
        f"{job} {submit} {wait} {run} {width} -1 -1 {asked} {limit} -1 1 {user} 1 -1 1 1 -1 -1"
        for job, submit, wait, run, width, asked, limit, user in rows.tolist()
    ]
    head = f"; Version: 2.2\n; UnixStartTime: {w.epoch}\n; MaxProcs: {w.capacity}\n"
    path.write_bytes(gzip.compress((head + "\n".join(lines) + "\n").encode(), mtime=0))


def theta_job(job: int) -> Mapping[str, object]:
    """Return a job of a log like Theta's."""
    return {
        "job": job, "user": job % 7, "project": job % 3, "node_num": 256 * (1 + job % 8),
        "submit_time": THETA_BEGIN + 7200 * job, "wait_time": 60, "run_time": 9000 + 60 * job, "wall_time": 21600,
    }  # fmt: skip


def node_job(job: int, rng: np.random.Generator) -> Mapping[str, object]:
    """Return a job of a log like UB CCR's."""
    gpus, big, tasks = rng.random() < 0.2, rng.random() < 0.2, int(rng.choice([1, 8, 32, 64]))
    run = int(rng.integers(600, 9000))
    values = (
        job, 60 * job, run, 2 * run, "" if tasks <= 32 else 2, tasks, "",
        "200000M" if big and not gpus and tasks <= 32 else "20000M", 1 if gpus and tasks <= 32 else "", "", "",
        "general-compute", "normal", "account1", f"user{1 + job % 5}",
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def write_table(path: Path, jobs: Sequence[Mapping[str, object]]) -> None:
    """Write jobs as a table."""
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*jobs[0]])
        writer.writeheader()
        writer.writerows(jobs)
