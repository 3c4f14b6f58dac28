"""How much of a machine of nodes a job asks for: the share of each resource, and the charge that weighs it.

What counts is the request, not where the job runs, so that no schedule can change it; and it is never more than a
schedule must give:

- nodes: as many as the job names or asks for at least, no more than it has tasks, and as its tasks need, at most so
  many on a node;
- CPUs: those of its tasks, and one a node at least; GPUs: in all, a node or a task;
- memory: a CPU or a node; of a job that does not say it, as its partition says;
- where a job is alone on its nodes, or wants all of their memory, each counts with the least that a node of its
  partition has, and there are as many nodes as its CPUs need on the largest of these.

Of several partitions that a job names, the one counts that has least of a resource.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, read_only
from .host_lists import node_names
from .machine import Machine
from .node_requests import EXCLUSIVE, NUMBERS, UNSAID, Requests


class AskedAmounts(NamedTuple):
    """What jobs ask for of a machine of nodes, (n,) float64 each.

    Attributes
    ----------
    cpus, memory, gpus
        In all; memory is MiB.
    nodes
        How many nodes, as far as the request says it.
    memory_per_node
        MiB on each of its nodes.
    """

    cpus: Floats
    memory: Floats
    gpus: Floats
    nodes: Floats
    memory_per_node: Floats


class AskedShares(NamedTuple):
    """The shares of a machine that jobs ask for, (n,) float64 each, of 1 for all of it.

    Attributes
    ----------
    cpus, memory, gpus
        Of the CPUs, memory and GPUs of all nodes; 0 of what the machine does not have or does not give out.
    """

    cpus: Floats
    memory: Floats
    gpus: Floats

    @property
    def largest(self) -> Floats:
        """Return the largest share of each job, (n,)."""
        largest: Floats = np.maximum(np.maximum(self.cpus, self.memory), self.gpus)
        return largest


def shares_asked(machine: Machine, amounts: AskedAmounts) -> AskedShares:
    """Return the shares of the resources of a machine that jobs ask for."""
    there = machine.capacity, int(machine.memory.sum()) if machine.shares_memory else 0, int(machine.gpus.sum())
    return AskedShares(
        *(read_only(row / max(total, 1) * (total > 0)) for row, total in zip(amounts, there, strict=False))
    )


def amounts_asked(machine: Machine, requests: Requests) -> AskedAmounts:
    """Return what jobs ask for of a machine.

    Examples
    --------
    The second job asks for the memory of half of the machine; the third one is alone on a node.

    >>> from .machine import NodeKind
    >>> m = Machine((NodeKind("n[1-2]", 4, 8000),))
    >>> r = Requests(tasks=[2, 1, 1], memory_per_node=[1000, 8000, 10], exclusive=[0, 0, 1])
    >>> amounts = amounts_asked(m, r)
    >>> amounts.cpus.tolist(), amounts.memory.tolist()
    ([2.0, 1.0, 4.0], [1000.0, 8000.0, 8000.0])
    >>> shares_asked(m, amounts).largest.tolist()
    [0.25, 0.5, 0.5]
    """
    amounts = np.zeros((len(AskedAmounts._fields), len(requests)))  # of any size: as whole numbers they could overflow
    amounts[0] = requests.cpus  # of jobs that name no partition of the machine
    named = np.array([len(set(node_names(word, "hosts"))) for word in requests.hosts.words])[requests.hosts.code]
    for code, word in enumerate(requests.partition.words):
        rows = np.flatnonzero(requests.partition.code == code)
        parts = machine.partitions_of(word) if rows.size else []
        columns = {key: getattr(requests, key)[rows].astype(np.float64) for key in NUMBERS}
        columns["named"] = named[rows].astype(np.float64)
        asked = [_amounts(machine, number, columns) for number in parts]
        if asked:
            amounts[:, rows] = np.min(asked, axis=0)
    return AskedAmounts(*(read_only(row.copy()) for row in amounts))


def _amounts(machine: Machine, number: int, asked: Mapping[str, Floats]) -> Floats:
    """Return what jobs ask for in a partition, a row for each field of `AskedAmounts`.

    `asked` has the columns of their requests, and "named", how many nodes they name.
    """
    part, places = machine.partitions[number], np.flatnonzero(machine.members[number])
    there = machine.cpus[places], machine.memory[places], machine.gpus[places].sum(axis=1)
    cpus_of_one, memory_of_one, gpus_of_one = (int(column.min()) for column in there)
    tasks, a_node = asked["tasks"], asked["tasks_per_node"]
    nodes = np.maximum(np.minimum(asked["nodes_least"], tasks), np.maximum(asked["named"], 1))
    nodes = np.where(a_node > 0, np.maximum(nodes, -(-tasks // np.maximum(a_node, 1))), nodes)
    cpus = np.maximum(tasks * asked["cpus_per_task"], nodes)
    gpus = np.maximum(np.maximum(asked["gpus"], asked["gpus_per_node"] * nodes), asked["gpus_per_task"] * tasks)
    at_least = np.maximum(nodes, -(-cpus // int(there[0].max())))  # nodes that its CPUs need
    per_node, per_cpu = asked["memory_per_node"], asked["memory_per_cpu"]
    silent = (per_node == UNSAID) & (per_cpu == UNSAID)
    if part.memory_per_cpu is None:
        per_node = np.where(silent, part.memory_per_node or 0, per_node)
    else:
        per_cpu = np.where(silent, part.memory_per_cpu, per_cpu)
    memory = np.where(per_node == 0, memory_of_one * at_least, np.maximum(per_node, 0) * nodes)
    memory = np.where(per_cpu > 0, per_cpu * cpus, memory)
    alone = asked["exclusive"] == EXCLUSIVE
    if part.exclusive or machine.gives_nodes:
        alone = np.ones_like(alone)
    whole = np.array([cpus_of_one, memory_of_one, gpus_of_one])[:, None] * at_least
    amounts = np.array([cpus, memory, gpus])
    on_one = np.where(per_node == 0, memory_of_one, per_node)
    on_one = np.where(per_cpu > 0, per_cpu * np.ceil(cpus / at_least), on_one)
    return np.vstack([np.where(alone, np.maximum(amounts, whole), amounts), nodes, on_one])
