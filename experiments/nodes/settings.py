"""The logs, the steps from one pool to the whole machine, and the kinds of jobs, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

import paretosched as ps
from paretosched.core.arrays import Mask

MEDIUM = {"UB CCR, three days": "ubccr-medium/first5000.csv.gz", "UB CCR, a week": "ubccr-medium/week.csv.gz"}
MEDIUM_CONF = "ubccr-medium/slurm.conf"
MICRO, MICRO_CONF = "ubccr-micro/jobs500.csv.gz", "ubccr-micro/slurm.conf"
MICRO_SHARES = "ubccr-micro/sacctmgr.script"
MICRO_RUNS, MICRO_RUN = (1, 2), "micro/micro500_run{}.csv.gz"  # of a real slurmctld, below PARETOSCHED_SLURM
MICRO_CPUS, MICRO_BIG = 120, 48_000  # CPUs of the machine; MiB, more than all nodes but one have

# What each step of `ingredients` counts beside those before it; without it, it is as usual for all jobs.
UNSAID = {"exclusive": 0, "memory_per_node": -1, "memory_per_cpu": -1, "gpus_per_node": 0, "constraint": ""}
STEPS: Mapping[str, tuple[str, ...]] = {
    "one pool": (),
    "nodes": (),
    "whole nodes": ("exclusive",),
    "memory": ("memory_per_node", "memory_per_cpu"),
    "GPUs": ("gpus_per_node",),
    "features": ("constraint",),
}
POLICIES = ("fcfs", "easy", "sjf; backfill: easy", "saf; backfill: easy")


class Kind(NamedTuple):
    """A kind of jobs: its name, and which jobs of a workload are of it; a job is of the first that it fits."""

    name: str
    has: Callable[[ps.Workload], Mask]


BIG = 187_000  # MiB a node; most nodes have no more
KINDS = (
    Kind("GPUs", lambda w: w.requests.gpus_per_node > 0),
    Kind("more than 187 GB", lambda w: w.requests.memory_per_node > BIG),
    Kind("one core", lambda w: (w.requests.tasks == 1) & (w.requests.exclusive == 0)),
    Kind("others", lambda w: np.ones(len(w), dtype=np.bool_)),
)
KINDS_ELSEWHERE = (
    KINDS[0],
    Kind("more memory than cores", lambda w: w.charge > 1.001 * w.width),  # as shares of the machine
    Kind("several nodes", lambda w: w.requests.nodes_least > 1),
    KINDS[-1],
)
GROUPS = ("gpu", "big", "one", "others")  # the kinds as groups of a front
EVALUATIONS, POPULATION = 1000, 100
QUICK_EVALUATIONS, QUICK_POPULATION = 40, 20
WORSE = 1.05  # times its AWRT under EASY a group may have where nobody is to lose
QUICK_JOBS = 60


def quick() -> tuple[ps.Workload, ...]:
    """Return a made-up log on a made-up machine in place of each log of UB CCR."""
    rng = np.random.default_rng(57)
    n = QUICK_JOBS
    gpus, big = rng.random(n) < 0.2, rng.random(n) < 0.2
    small, big_node = ps.NodeKind("n[1-3]", 8, 100_000, features=("old",)), ps.NodeKind("b1", 8, 400_000)
    machine = ps.Machine((small, big_node, ps.NodeKind("g1", 8, 100_000, {"gpu": 2})))
    asked = ps.Requests(
        tasks=rng.integers(1, 9, n),
        memory_per_node=np.where(big & ~gpus, 200_000, 9_000),
        gpus_per_node=gpus * 1,
        constraint=np.where(~gpus & ~big & (rng.random(n) < 0.3), "old", "").tolist(),
        exclusive=(rng.random(n) < 0.1) * 1,
    )
    submit, run = np.sort(rng.integers(0, 3000, n)), rng.integers(60, 900, n)
    made = ps.Workload(
        submit, run, 2 * run, asked.tasks, capacity=machine.capacity, machine=machine, requests=asked,
        user=rng.integers(1, 5, n), name="made up",
    )  # fmt: skip
    return tuple(made for _ in MEDIUM)
