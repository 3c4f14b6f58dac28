"""How much of each partition its jobs use over time: CPUs, memory and GPUs of its nodes.

Partitions may share nodes: what a job holds counts for the partition that it runs in, or, where a schedule does not say
it, for the first one that it names. So a partition whose nodes are full of the jobs of others is not said to be busy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.tables import Column, table
from ..simulation.schedule import Schedule
from ..simulation.service import use

CPUS = "CPUs"
OF_PARTITIONS = (
    "in use: of what the nodes of a partition have, by jobs that run in it, from the first submission to the last one"
)
MOST_PARTITIONS = 8  # that are shown: those with most work
ByPartition = dict[str, dict[str, Floats]]


def partition_of_jobs(schedule: Schedule) -> Ints:
    """Return the partition of each job, (n,): that in which it runs, or the first that it names.

    The machine must have nodes.
    """
    w = schedule.workload
    assert w.machine is not None  # noqa: S101  # see above
    assert w.requests is not None  # noqa: S101
    if schedule.placement is not None:
        return schedule.placement.partition
    first = np.array([next(iter(w.machine.partitions_of(word)), -1) for word in w.requests.partition.words])
    of_jobs: Ints = first[w.requests.partition.code]
    return of_jobs


def busiest_partitions(schedules: Sequence[Schedule]) -> list[int]:
    """Return the partitions that jobs run in under some schedule, those with most work first, MOST_PARTITIONS at most.

    Nothing on a machine without nodes, and where they all run in one partition that has all of them.
    """
    w = schedules[0].workload
    if w.machine is None:
        return []
    work = w.run * w.charge
    sums = np.zeros(len(w.machine.partitions))
    for schedule in schedules:
        partition = partition_of_jobs(schedule)
        np.add.at(sums, partition[partition >= 0], work[partition >= 0])
    busiest = [number for number in np.argsort(-sums, kind="stable").tolist() if sums[number] > 0]
    is_whole = len(busiest) == 1 and bool(w.machine.members[busiest[0]].all())
    return [] if is_whole else busiest[:MOST_PARTITIONS]


def use_by_partition(schedules: Sequence[Schedule], edges: Ints) -> ByPartition:
    """Return how much of the busiest partitions their jobs use between successive times.

    Parameters
    ----------
    schedules
        q schedules of one workload.
    edges
        (k + 1,) seconds of the trace, ascending.

    Returns
    -------
    dict
        By the name of a partition, and by "CPUs", "memory" and "GPUs" as far as its nodes give them out, (q, k) per
        cent of what its nodes have.

    Examples
    --------
    One of four CPUs is in use for half of the time in the partition `a`, and all of `b`.

    >>> from paretosched.workload.machine import Machine, NodeKind, Partition
    >>> from paretosched.workload.node_requests import Requests
    >>> from paretosched.workload.workload import Workload
    >>> m = Machine((NodeKind("n[1-2]", 4, 8000),), (Partition("a", "n1"), Partition("b", "n2")), shares_memory=False)
    >>> r = Requests(tasks=[1, 4], partition=["a", "b"], memory_per_node=[1, 1])
    >>> w = Workload([0, 0], [5, 10], [5, 10], [1, 4], 8, machine=m, requests=r)
    >>> told = use_by_partition([Schedule(w, [0, 0])], np.array([0, 10]))
    >>> {name: shares["CPUs"].tolist() for name, shares in told.items()}
    {'b': [[100.0]], 'a': [[12.5]]}
    """
    w = schedules[0].workload
    told: ByPartition = {}
    if w.machine is None or w.asked_amounts is None:
        return told
    asked, resources = w.asked_amounts, w.resource_shares
    columns = {CPUS: (asked.cpus, w.machine.cpus)}
    columns |= {"memory": (asked.memory, w.machine.memory)} if "memory" in resources else {}
    columns |= {"GPUs": (asked.gpus, w.machine.gpus.sum(axis=1))} if "GPUs" in resources else {}
    length, of_jobs = np.diff(edges).astype(np.float64), [partition_of_jobs(schedule) for schedule in schedules]
    for number in busiest_partitions(schedules):
        name, members = w.machine.partitions[number].name, w.machine.members[number]
        told[name] = {
            what: np.array(
                [
                    100 * use(schedule, edges, np.where(partition == number, amounts, 0.0)) / (length * there)
                    for schedule, partition in zip(schedules, of_jobs, strict=True)
                ]
            )
            for what, (amounts, of_nodes) in columns.items()
            if (there := float(of_nodes[members].sum()))
        }
    return told


def resources_in_use(schedules: Sequence[Schedule], edges: Ints) -> dict[str, Floats]:
    """Return how much memory and how many GPUs of a machine of nodes are in use between `edges`, (q, k) per cent."""
    return {
        name: 100 * np.array([use(schedule, edges, shares) for schedule in schedules]) / np.diff(edges)
        for name, shares in schedules[0].workload.resource_shares.items()
    }


def partition_table(policies: Sequence[str], mean: ByPartition) -> str:
    """Return the use of partitions in one stretch of time, (q, 1) each, as a table, a row for each and each policy."""
    rows = [
        {"partition": "" if q else name, "policy": policy} | {what: shares[q, 0] for what, shares in uses.items()}
        for name, uses in mean.items()
        for q, policy in enumerate(policies)
    ]
    resources = dict.fromkeys(what for uses in mean.values() for what in uses)
    columns = [Column("partition", "partition"), Column("policy", "policy")]
    return table(rows, [*columns, *(Column(what, f"{what} in use %", ".1f") for what in resources)])
