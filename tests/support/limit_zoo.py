"""Random machines with limits of QOS, users and accounts, and jobs that depend on others."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from paretosched import Machine, Requests, Workload
from paretosched.workload.limits import Limits
from support.machine_zoo import random_case
from support.naive_arrivals import submission_of
from support.naive_machine import Busy, Job
from support.naive_rhythms import ideal
from support.naive_values import naive_of

ACCOUNTS = (("a", "root"), ("b", "a"), ("c", "a"), ("d", "root"))
QOS = ("normal", "short", "part")
NAMES = ("GrpJobs", "GrpTRES", "GrpTRESRunMins", "MaxJobsPU", "MaxTRESPU", "MaxJobsPA", "MaxTRESPA")
OF_ASSOCIATIONS = ("GrpJobs", "GrpTRES", "GrpTRESRunMins", "MaxJobs")
KIB = 1024


def by_arrival(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs as they arrived, of those of a second the one that was submitted first."""
    return sorted(waiting, key=lambda job: (job.arrival, submission_of(job), job.row))


@cache
def limited_case(
    seed: int, with_limits: bool = True, with_dependencies: bool = True, with_arrays: bool = False, n: int = 12
) -> Workload:
    """Return a random case of the zoo of machines, with limits in which each job could run alone, and dependencies.

    With arrays some jobs that follow each other are tasks of one.
    """
    base, rng = random_case(seed, n), np.random.default_rng([seed, 60])
    requests = base.requests
    assert requests is not None
    assert base.machine is not None
    asked: dict[str, Any] = {"account": ["abcd"[i] for i in rng.integers(4, size=n)], "tasks": requests.tasks}
    asked["qos"] = [QOS[i] for i in rng.integers(2, size=n)]
    job = np.arange(1, n + 1)
    if with_dependencies:
        asked["dependency"] = [dependency_of(row, rng) for row in range(n)]
    user = rng.integers(1, 4, size=n)
    columns = {key: getattr(requests, key) for key in Requests.__dataclass_fields__} | asked
    workload = base.with_(requests=Requests(**columns), user=user, job=job)
    if with_arrays:
        workload = with_random_arrays(workload, rng)
    if not with_limits:
        return workload
    alone = ideal(*naive_of(workload.with_(requests=requests)), by_arrival)
    return workload.with_(machine=with_random_limits(base.machine, most_of(list(alone.values())), rng))


def with_random_arrays(workload: Workload, rng: np.random.Generator) -> Workload:
    """Return a workload in which some jobs are tasks of arrays, which have the number of their first job.

    They ask for what the first one asks for, in one partition. Only the first one may depend on others, so that no task
    waits for its own array; and of an array between question marks one task would be enough, so these become commas.
    """
    n, requests = len(workload), workload.requests
    assert requests is not None
    array, index, most = (np.zeros(n, dtype=np.int64) for _ in range(3))
    words = [word.replace("?", ",") for word in requests.dependency.list()]
    first, before = int(rng.integers(0, 2)), 0
    while first < n:
        tasks = range(first, min(first + int(rng.integers(2, 5)), n))
        for row in tasks:
            array[row], index[row], words[row] = first + 1, row - first, words[row] if row == first else ""
        most[tasks.start : tasks.stop] = int(rng.integers(0, 3))
        if before and rng.random() < 0.3:
            for row in tasks:
                words[row] = f"aftercorr:{before}"
        before = first + 1
        first = tasks.stop + int(rng.integers(0, 3))
    source = np.where(array > 0, array - 1, np.arange(n))
    asked = requests.take(source)
    one = [text.split(",")[0] if array[row] else text for row, text in enumerate(asked.partition.list())]
    columns = {"array": array, "array_index": index, "array_most": most, "dependency": words, "partition": one}
    return workload.with_(requests=replace(asked, **columns), user=workload.user[source], width=workload.width[source])


def dependency_of(row: int, rng: np.random.Generator) -> str:
    """Return on what the job of a row depends, if at all: on earlier ones."""
    if row < 2 or rng.random() < 0.6:
        return ""
    kinds = ["afterany", "afterok", "after", "after"]
    words = []
    for earlier in rng.choice(row, size=min(row, int(rng.integers(1, 3))), replace=False).tolist():
        kind = kinds[int(rng.integers(4))]
        words.append(f"{kind}:{earlier + 1}" + ("+1" if kind == "after" and rng.random() < 0.5 else ""))
    return ("?" if rng.random() < 0.2 else ",").join(words)


def most_of(runs: list[Busy]) -> dict[str, int]:
    """Return the most that one of some jobs has of each resource, and the longest limit, s."""
    amounts = [[*run.held.values()] for run in runs]
    return {
        "cpu": max(sum(amount.cpus for amount in each) for each in amounts),
        "mem": max(sum(amount.memory for amount in each) for each in amounts) * KIB,
        "node": max(len(each) for each in amounts),
        "gres/gpu": max(sum(sum(amount.gpus.values()) for amount in each) for each in amounts),
        "limit": max(run.job.limit or 0 for run in runs),
    }


def with_random_limits(machine: Machine, most: dict[str, int], rng: np.random.Generator) -> Machine:
    """Return a machine with limits that let every job run alone."""

    def value_of(name: str) -> Any:
        if "TRES" not in name:
            return int(rng.integers(1, 4))
        resource = list(most)[int(rng.integers(4))]
        amount = int(most[resource] * (1 + 1.5 * rng.random()))
        if name.endswith("RunMins"):
            resource = "cpu"
            amount = int(most["cpu"] * most["limit"] * (1 + rng.random())) // 60
        return {resource: max(amount, 1)}

    def some(names: tuple[str, ...]) -> dict[str, Any]:
        chosen = rng.choice(len(names), size=int(rng.integers(1, 3)), replace=False).tolist()
        return {names[i]: value_of(names[i]) for i in chosen}

    limits = [Limits(qos, "", "", "", some(NAMES)) for qos in QOS if rng.random() < 0.7]
    if rng.random() < 0.3:
        limits = [replace(row, flags=("OverPartQOS",)) if row.qos == "short" else row for row in limits]
    limits += [Limits("", account, "", "", some(OF_ASSOCIATIONS)) for account in "abd" if rng.random() < 0.4]
    for account, user in (("b", "1"), ("d", "2"), ("c", "3")):
        if rng.random() < 0.4:
            partition = "some" if rng.random() < 0.3 else ""
            limits.append(Limits("", account, user, partition, some(OF_ASSOCIATIONS)))
    parts = machine.partitions
    if rng.random() < 0.5:
        parts = tuple(replace(part, own_qos="part") if part.name == "some" else part for part in parts)
    return replace(machine, partitions=parts, limits=tuple(limits), accounts=ACCOUNTS)
