"""The log, the limits and the groups of users, as data; and a small log for a quick run."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import paretosched as ps

LOG, CONF, SHARES = "ubccr-medium/week.csv.gz", "ubccr-medium/slurm.conf", "ubccr-medium/sacctmgr.script"
NAME = "UB CCR, a week"
NONE, MANY = "none", "64 jobs"  # with which others are compared
HALF = "1/2 of the CPUs"
TOP = 3  # users with the largest consumption, as AWRT weighs it

# Each limit is one of the QOS of a partition, which counts before that of a job: its name, what `sacctmgr modify qos`
# sets, and its value; of CPUs it is a share of those of the machine.
LIMITS: Mapping[str, tuple[str, float]] = {
    NONE: ("", 0),
    MANY: ("MaxJobsPU", 64),
    "32 jobs": ("MaxJobsPU", 32),
    "16 jobs": ("MaxJobsPU", 16),
    "8 jobs": ("MaxJobsPU", 8),
    "3/4 of the CPUs": ("MaxTRESPU", 3 / 4),
    HALF: ("MaxTRESPU", 1 / 2),
    "1/4 of the CPUs": ("MaxTRESPU", 1 / 4),
    "1/8 of the CPUs": ("MaxTRESPU", 1 / 8),
}
EASY, SLURM = "EASY", "its slurm.conf"
OF_SLURM = (NONE, MANY, "32 jobs", "16 jobs", "8 jobs")
FEW = 8  # jobs at once; who never has more if none waits is held back by no limit of jobs
ALL, TOP_USERS, OTHERS = "all jobs", "top three users", "all others"
MOST_JOBS, FEW_AT_ONCE, REST = (
    "of these the user with most jobs",
    "of these users with few at once",
    "of these the rest",
)
SEARCH_GROUPS = ("top", "others")  # of users, in the search over limits
SEARCHED = tuple(f"{measure} of {group}" for group in SEARCH_GROUPS for measure in ("mean wait", "AWRT"))
SEARCH = {"population": 20, "evaluations": 100, "seed": 60}
QUICK_SEARCH = {"population": 8, "evaluations": 24, "seed": 60}
QUICK_JOBS, QUICK_SEED = 200, 60


def quick() -> ps.Workload:
    """Return a made-up log of a machine with nodes, on which some users have far more jobs than others."""
    rng = np.random.default_rng(QUICK_SEED)
    machine = ps.Machine(
        (ps.NodeKind("n[1-12]", 8, 64_000),), partitions=(ps.Partition("general", "n[1-12]", own_qos="normal"),)
    )
    user = rng.choice([1, 2, 3, 4, 5, 6], QUICK_JOBS, p=[0.35, 0.15, 0.1, 0.3, 0.05, 0.05])
    run = np.where(user == 4, 60, rng.integers(600, 3000, QUICK_JOBS))
    tasks = np.where(user == 4, 1, rng.integers(1, 9, QUICK_JOBS))
    asked = ps.Requests(tasks=tasks, memory_per_cpu=[1000] * QUICK_JOBS, qos=["normal"] * QUICK_JOBS)
    submit = np.sort(rng.integers(0, 9000, QUICK_JOBS))
    return ps.Workload(
        submit, run, 2 * run, asked.tasks, capacity=machine.capacity, machine=machine, requests=asked, user=user,
        name="made up",
    )  # fmt: skip
