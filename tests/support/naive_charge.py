"""What jobs ask of a machine of nodes and what weighs them, job by job; and the objectives by their definitions."""

import math
from collections.abc import Sequence
from fractions import Fraction

from paretosched import Schedule, Workload
from support.naive_machine import ALL_MEMORY, Ask, Machine, Node, Partition, partitions_of
from support.naive_values import naive_of


def asked_in(machine: Machine, partition: Partition, ask: Ask) -> tuple[int, int, int]:
    """Return the CPUs, memory and GPUs that a job asks for in a partition."""
    nodes = [node for node in machine.nodes if node.name in partition.nodes]
    count = max(min(ask.least, ask.tasks), len(set(ask.named)), 1)
    if ask.tasks_per_node:
        count = max(count, math.ceil(ask.tasks / ask.tasks_per_node))
    cpus = max(ask.tasks * ask.cpus, count)
    gpus = max(ask.gpus, ask.gpus_per_node * count, ask.gpus_per_task * ask.tasks)
    needed = max(count, math.ceil(cpus / max(node.cpus for node in nodes)))
    memory, by_cpu = ask.memory, ask.memory_per_cpu
    if memory is None and by_cpu is None:
        by_cpu = partition.memory_per_cpu
        memory = None if by_cpu else partition.memory_per_node or ALL_MEMORY
    if by_cpu is not None:
        megabytes = by_cpu * cpus
    elif memory == ALL_MEMORY:
        megabytes = min(node.memory for node in nodes) * needed
    else:
        megabytes = (memory or 0) * count
    if ask.exclusive or partition.exclusive or machine.choice == "linear" or machine.gives == "node":
        cpus = max(cpus, needed * min(node.cpus for node in nodes))
        megabytes = max(megabytes, needed * min(node.memory for node in nodes))
        gpus = max(gpus, needed * min(gpus_on(node) for node in nodes))
    return cpus, megabytes, gpus


def gpus_on(node: Node) -> int:
    """Return the GPUs of a node."""
    return sum(node.gpus.values())


def shares_of(workload: Workload) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return the shares of all CPUs, memory and GPUs that each job asks for."""
    machine, jobs = naive_of(workload)
    there = (
        sum(node.cpus for node in machine.nodes),
        sum(node.memory for node in machine.nodes) if machine.shares_memory else 0,
        sum(gpus_on(node) for node in machine.nodes),
    )
    rows = []
    for job in jobs:
        amounts = [asked_in(machine, partition, job.ask) for partition in partitions_of(machine, job)]
        least = [min(column) for column in zip(*amounts, strict=True)]
        rows.append(tuple(Fraction(a, b) if b else Fraction(0) for a, b in zip(least, there, strict=True)))
    return rows  # type: ignore[return-value]


def naive_objectives(schedule: Schedule, counted: Sequence[bool] | None = None) -> dict[str, float]:
    """Return UTIL, AWRT and those of the groups, and the use of memory and GPUs, of the jobs that count."""
    w = schedule.workload
    assert w.machine is not None
    shares = shares_of(w)
    columns = (w.eligible, w.run, w.group, schedule.start)
    rows = list(zip(*(column.tolist() for column in columns), shares, strict=True))
    rows = [row for row, counts in zip(rows, counted or [True] * len(w), strict=True) if counts]
    span = max(start + run for _, run, _, start, _ in rows) - min(start for *_, start, _ in rows)
    used = [100 * sum(run * share[k] for _, run, _, _, share in rows) / span for k in range(3)]
    result = {"UTIL": float(used[0])}
    for name, group in (("AWRT", None), *((f"AWRT{g + 1}", g) for g in range(len(w.groups)))):
        mine = [(run * max(share), start + run - at) for at, run, g, start, share in rows if group in (None, g)]
        weight = sum(weight for weight, _ in mine)
        result[name] = float(sum(weight * time for weight, time in mine) / weight) if mine else math.nan
    if w.machine.shares_memory:
        result["UTIL_memory"] = float(used[1])
    if w.machine.gpu_types:
        result["UTIL_gpus"] = float(used[2])
    return result
