"""Which jobs can never run on a machine, however empty it is, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from .features import Constraint, read_constraint
from .host_lists import node_names
from .machine import UNTYPED, Machine
from .node_requests import PLACED_BY, UNSAID, Requests, licences_in

UNKNOWN_PARTITION = "names no partition that the machine has"
LIMIT = "asks for a longer time than its partitions allow"
HOSTS = "names nodes that its partitions do not have, or that are down for good"
FEATURES = "no node of its partitions has the features that it asks for"
MEMORY = "no node of its partitions has as much memory"
GPUS = "no node of its partitions has so many GPUs of this type"
DISK = "no node of its partitions has as much local disk"
TOGETHER = "its partitions do not have so many nodes, CPUs or GPUs that would do"
LICENCES = "asks for more licences than there are"
REASONS = (UNKNOWN_PARTITION, LIMIT, LICENCES, HOSTS, FEATURES, MEMORY, GPUS, DISK, TOGETHER)


def unfit_jobs(machine: Machine, requests: Requests, limit: Ints | None = None) -> Ints:
    """Return why jobs can never run, (n,) int64: a place of REASONS, -1 of a job that fits the empty machine.

    Parameters
    ----------
    machine
        The machine; nodes that are down for good are none.
    requests
        What jobs ask for.
    limit
        (n,) their time limits, s, if one beyond that of a partition counts; None if it does not, as for jobs that have
        run.

    Raises
    ------
    InputError
        A constraint or a list of hosts is none.

    Examples
    --------
    >>> from .machine import NodeKind
    >>> m = Machine((NodeKind("n[1-2]", 4, 8000),))
    >>> unfit_jobs(m, Requests(tasks=[8, 9, 1], memory_per_node=[-1, -1, 9000])).tolist() == [
    ...     -1, REASONS.index(TOGETHER), REASONS.index(MEMORY)]
    True
    """
    counted = np.zeros(len(requests), dtype=np.int64) if limit is None else limit
    shapes, of_job = requests.distinct(PLACED_BY, limit=counted)
    checker = _Checker(machine)
    reasons = np.array([checker.reason(_Shape(**shape)) for shape in shapes], dtype=np.int64)
    return reasons[of_job]


class _Shape(NamedTuple):
    """What one job asks for, see `Requests`; `limit` is 0 if it does not count."""

    tasks: int
    nodes_least: int
    nodes_most: int
    cpus_per_task: int
    tasks_per_node: int
    memory_per_node: int
    memory_per_cpu: int
    gpus: int
    gpus_per_node: int
    gpus_per_task: int
    disk_per_node: int
    exclusive: int
    tasks_per_core: int
    gpu_type: str
    constraint: str
    partition: str
    hosts: str
    excluded: str
    licences: str
    limit: int


class _Nodes(NamedTuple):
    """Nodes, those that are all alike as one row.

    Attributes
    ----------
    place, size
        (rows,) the first node of each row, and how many it stands for.
    """

    place: Ints
    size: Ints

    def largest(self, amounts: Ints, which: Mask, most: int) -> int:
        """Return what the nodes of some rows have together, at most so many nodes, those that have most."""
        order = np.argsort(-amounts[which], kind="stable")
        count, amount = self.size[which][order], amounts[which][order]
        before = np.cumsum(count) - count
        return int(amount @ np.clip(most - before, 0, count))


class _Checker:
    """A machine, and what is worked out once for many jobs."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.licences = dict(machine.licences)
        self.gpus: dict[str, Ints] = {}  # of each node, by type
        self.each = _Nodes(np.arange(len(machine.names)), np.ones(len(machine.names), dtype=np.int64))
        within = np.packbits(machine.members, axis=0).T  # a bit for each partition, or all would be sorted
        same = np.column_stack([machine.kind, machine.up, within])
        self.alike = _Nodes(*np.unique(same, axis=0, return_index=True, return_counts=True)[1:])

    def reason(self, job: _Shape) -> int:
        """Return why a job can never run, -1 if it can: in the partition that is nearest to it."""
        machine = self.machine
        named = machine.partitions_of(job.partition)
        if not named:
            return REASONS.index(UNKNOWN_PARTITION)
        lasting = [k for k in named if job.limit <= (machine.partitions[k].longest or job.limit)]
        if not lasting:
            return REASONS.index(LIMIT)
        if any(number > self.licences.get(name, 0) for name, number in licences_in(job.licences).items()):
            return REASONS.index(LICENCES)
        reasons = [self._reason_in(job, number) for number in lasting]
        return -1 if -1 in reasons else max(reasons)

    def _reason_in(self, job: _Shape, number: int) -> int:
        """Return why a job can never run in a partition, -1 if it can."""
        machine, part = self.machine, self.machine.partitions[number]
        nodes = self.each if job.hosts or job.excluded else self.alike
        place = nodes.place
        fits = machine.members[number, place] & machine.up[place]
        for name in node_names(job.excluded, "excluded"):
            if name in machine.place_of:
                fits[machine.place_of[name]] = False
        wanted = [machine.place_of.get(name, UNSAID) for name in node_names(job.hosts, "hosts")]
        if UNSAID in wanted or not fits[wanted].all():
            return REASONS.index(HOSTS)
        constraint = read_constraint(job.constraint)
        fits &= np.array([constraint.suits(words) for words in machine.features])[machine.kind[place]]
        if not fits.any():
            return REASONS.index(FEATURES)
        cpus_per_task, per_cpu = job.cpus_per_task, job.memory_per_cpu
        if per_cpu == UNSAID and job.memory_per_node == UNSAID:
            per_cpu = part.memory_per_cpu or UNSAID
        most = part.most_memory_per_cpu
        if most is not None and per_cpu > most:  # more CPUs in place of more memory for each
            cpus_per_task, per_cpu = -(-cpus_per_task * per_cpu // most), most
        per_node = job.memory_per_node
        if per_node == UNSAID and per_cpu == UNSAID:
            per_node = part.memory_per_node or 0
        memory, cpus = machine.memory[place], machine.cpus[place]
        fits &= memory >= max(per_node, per_cpu * cpus_per_task, 1)
        if not fits.any() or (part.most_memory_per_node or per_node) < per_node:
            return REASONS.index(MEMORY)
        if job.gpu_type not in self.gpus:
            self.gpus[job.gpu_type] = self._gpus_of(job.gpu_type)
        gpus = self.gpus[job.gpu_type][place]
        fits &= gpus >= max(job.gpus_per_node, job.gpus_per_task, min(job.gpus, 1))
        if not fits.any():
            return REASONS.index(GPUS)
        fits &= machine.disk[place] >= job.disk_per_node
        if not fits.any():
            return REASONS.index(DISK)
        threads = machine.threads[place] if job.tasks_per_core else 1
        of_task = -(-cpus_per_task // threads) * threads  # whole cores, if no two tasks are on one
        tasks = cpus // of_task
        if per_cpu > 0:
            tasks = np.minimum(tasks, memory // (per_cpu * of_task))
        if job.gpus_per_task:
            tasks = np.minimum(tasks, gpus // job.gpus_per_task)
        if job.tasks_per_node:
            tasks = np.minimum(tasks, job.tasks_per_node)
        if most is not None and per_node > 0:
            tasks = np.where(cpus * most >= per_node, tasks, 0)
        fits &= tasks > 0
        most_nodes = min(job.nodes_most or job.tasks, part.nodes_most or job.tasks, max(job.tasks, job.nodes_least))
        needed = [(tasks, job.tasks), *([(gpus, job.gpus)] if job.gpus else [])]
        enough = self._fits_together(job, constraint, nodes, fits, needed, most_nodes)
        return -1 if enough else REASONS.index(TOGETHER)

    def _gpus_of(self, kind: str) -> Ints:
        """Return the GPUs of a type of each node, (nodes,)."""
        machine = self.machine
        if not kind or machine.gpu_types == (UNTYPED,):  # nobody has said of which type they are
            of_types = list(range(len(machine.gpu_types)))
        else:
            of_types = [number for number, word in enumerate(machine.gpu_types) if word == kind]
        gpus: Ints = machine.gpus[:, of_types].sum(axis=1)
        return gpus

    def _having(self, way: frozenset[str], nodes: _Nodes) -> Mask:
        """Return which nodes have all features of a set."""
        return np.array([way <= words for words in self.machine.features])[self.machine.kind[nodes.place]]

    def _fits_together(
        self,
        job: _Shape,
        constraint: Constraint,
        nodes: _Nodes,
        fits: Mask,
        needed: Sequence[tuple[Ints, int]],
        most: int,
    ) -> bool:
        """Return whether some of the nodes that fit are enough, at most so many, the wanted ones among them.

        `needed` has what each node offers, (rows,), and how much of it the job needs.
        """
        if any(nodes.size[fits & self._having(way, nodes)].sum() < count for way, count in constraint.counts):
            return False
        wanted = [self.machine.place_of[name] for name in node_names(job.hosts, "hosts")]  # then each node is a row
        free = most - len(wanted)
        for way in constraint.ways if constraint.alike else [frozenset[str]()]:
            these = fits & self._having(way, nodes)
            others = these.copy()
            others[wanted] = False
            is_enough = these[wanted].all() and free >= 0 and job.nodes_least <= min(most, nodes.size[these].sum())
            if is_enough and all(
                int(amounts[wanted].sum()) + nodes.largest(amounts, others, free) >= amount
                for amounts, amount in needed
            ):
                return True
        return False
