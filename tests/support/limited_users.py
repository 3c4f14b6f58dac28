"""A small log on nodes, of which some users have far more jobs than others, for limits of users in two QOS."""

import numpy as np

import paretosched as ps
from paretosched.workload.limits import Limits

WORDS = "top: user = 1 or user = 2; others"


def limited_users(jobs: int = 120, **limits: int) -> ps.Workload:
    """Return jobs in the QOS of a partition and, in another partition, in their own; `limits` are those of "part"."""
    rng = np.random.default_rng(60)
    machine = ps.Machine(
        (ps.NodeKind("n[1-4]", 8, 64_000), ps.NodeKind("g1", 8, 64_000, {"a100": 4})),
        (ps.Partition("main", "n[1-4]", own_qos="part", default=True), ps.Partition("gpu", "g1")),
        limits=(Limits("part", "", "", "", dict(limits)), Limits("Normal", "", "", "", {"MaxTRESPU": {"mem": 2**40}})),
    )  # fmt: skip
    user = rng.choice([1, 2, 3, 4], jobs, p=[0.5, 0.3, 0.1, 0.1])
    on_gpu = rng.random(jobs) < 0.2
    run = rng.integers(300, 1500, jobs)
    asked = ps.Requests(
        tasks=rng.integers(1, 5, jobs), memory_per_node=[1000] * jobs, gpus_per_node=np.where(on_gpu, 1, 0),
        nodes_least=[1] * jobs, nodes_most=[1] * jobs, partition=["gpu" if each else "" for each in on_gpu],
    )  # fmt: skip
    submit = np.sort(rng.integers(0, 4000, jobs))
    w = ps.Workload(
        submit, run, 2 * run, asked.tasks, capacity=machine.capacity, machine=machine, requests=asked, user=user,
        group=np.where(user <= 2, 0, 1), groups=("top", "others"), name="users", epoch=0,
    )  # fmt: skip
    return w.with_(wait=ps.simulate(w, "easy").wait + 1)


def in_weeks(w: ps.Workload, weeks: int) -> ps.Workload:
    """Return a log of hours over so many weeks, so that it can be put together again: a part of its jobs in each."""
    return w.with_(submit=w.submit + np.arange(len(w)) * weeks // len(w) * 7 * 86_400)
