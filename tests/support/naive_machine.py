"""A machine of unlike nodes and what is asked of it, as plain Python objects; what is free; whether a schedule can be.

The choice of nodes is in `support.naive_node_choice`, the two rhythms in `support.naive_rhythms`. CPUs are what Slurm
calls so: threads. Memory is in MB, times are whole seconds.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from paretosched.workload.features import Constraint
from paretosched.workload.limits import Limits

ALL_MEMORY = 0  # what `--mem=0` says
NO_LIMIT = 365 * 86400  # s: what a job without any limit is planned for


class Node(NamedTuple):
    """A node: its CPUs, of which `threads` make a core; GPUs by type."""

    name: str
    cpus: int
    memory: int = 0
    gpus: Mapping[str, int] = {}
    features: frozenset[str] = frozenset()
    weight: int = 1
    threads: int = 1
    disk: int = 0  # MB; it is not given out


class Partition(NamedTuple):
    """Nodes under a name, with rules for the jobs on them; a memory of None is that of the machine."""

    name: str
    nodes: tuple[str, ...]
    tier: int = 1
    longest: int | None = None  # s
    default: int | None = None  # s
    most_nodes: int | None = None
    least_nodes: int = 1
    exclusive: bool = False
    lln: bool = False  # the node with most free CPUs first
    memory_per_cpu: int | None = None  # of a job that does not say how much
    memory_per_node: int | None = None
    most_memory_per_cpu: int | None = None  # for more a job gets more CPUs
    most_memory_per_node: int | None = None  # more keeps a job out
    up: bool = True
    own_qos: str = ""  # whose limits count for the jobs in it


class Down(NamedTuple):
    """Nodes that no job may use from `begin` until just before `end`; everybody knows it beforehand."""

    begin: int
    end: int
    nodes: frozenset[str]


class Reservation(NamedTuple):
    """Nodes that only some jobs may use from `begin` until just before `end`: those that name it.

    `cpus`: how many CPUs of each node are reserved, if not all. One that is repeated is there several times. Jobs in
    a `flex` one may also begin before it, have other nodes, and run on after it.
    """

    name: str
    begin: int
    end: int
    nodes: frozenset[str]
    cpus: Mapping[str, int] = {}
    flex: bool = False


class Preemption(NamedTuple):
    """Whose jobs make way for others: those of lower partitions (kind partition_prio), or of certain QOS (kind qos).

    `modes` (off, requeue, cancel or suspend; usually `mode`) and `grace`, s, are those of partitions or of QOS.
    `of_qos` has the QOS that make way for one. For `exempt` seconds no job does, of some QOS for as many as `exempts`
    says. `youngest`: the last that began is the first. Before that, those of a QOS of lower priority go first
    (`priorities`; 0 of one that is not named).
    """

    kind: str
    mode: str = "requeue"
    modes: Mapping[str, str] = {}
    grace: Mapping[str, int] = {}
    of_qos: Mapping[str, frozenset[str]] = {}
    exempt: int = 0
    youngest: bool = False
    priorities: Mapping[str, int] = {}
    exempts: Mapping[str, int] = {}


class Machine(NamedTuple):
    """Nodes in the order of their names, partitions, the first of which is the usual one, and how nodes are chosen.

    `choice` is cons_tres, linear, first, best or spread. A job gets whole cores, whole nodes if `gives` is node, and
    single CPUs if it is cpu. `shares_memory`: jobs take memory. `leaves`: the nodes of each leaf switch, if the choice
    looks at them. `kill_invalid`: a job that waits for what cannot happen any more is cancelled, and those that wait
    for its end come, but for one that `stays`.
    """

    nodes: tuple[Node, ...]
    partitions: Mapping[str, Partition]
    choice: str = "cons_tres"
    gives: str = "core"
    shares_memory: bool = True
    licences: Mapping[str, int] = {}
    down: tuple[Down, ...] = ()
    leaves: tuple[tuple[str, ...], ...] = ()
    limits: tuple[Limits, ...] = ()
    parents: Mapping[str, str] = {}
    flags: Mapping[str, frozenset[str]] = {}
    run_minutes_first: int = 0
    reservations: tuple[Reservation, ...] = ()
    forgives: bool = False  # whether a job is like all others when its reservation is over; else it waits for ever
    preemption: Preemption | None = None
    kill_invalid: bool = False


class Ask(NamedTuple):
    """What sbatch can say about a job's resources.

    `most` is None without `-N`. Memory is a node's or a CPU's, None if nothing is said. `gpus` are in all. An exclusive
    job is alone on its nodes; `same_user`: with jobs of its user.
    """

    tasks: int = 1
    cpus: int = 1  # a task
    least: int = 1  # nodes
    most: int | None = None
    tasks_per_node: int = 0  # at most; 0 for any
    memory: int | None = None
    memory_per_cpu: int | None = None
    gpus_per_node: int = 0
    gpus: int = 0
    gpus_per_task: int = 0
    gpu_type: str = ""
    disk: int = 0  # a node
    exclusive: bool = False
    same_user: bool = False
    constraint: Constraint = Constraint()
    named: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    licences: Mapping[str, int] = {}
    task_per_core: bool = False  # one task a core, whatever threads it has


class After(NamedTuple):
    """What a job waits for: a kind of sbatch's --dependency, and the job that it names, or all tasks of an array.

    `singleton` has all earlier jobs of the same name and user. `seconds` are those of `after`, from the start on.
    """

    kind: str
    rows: tuple[int, ...]
    seconds: int = 0


class Job(NamedTuple):
    """A job; `limit` is None if it has none. Partitions in the order in which they were named; none: the first one.

    A task of an array has its number, its index, and how many may run at once (0 for any). `after` says what must have
    happened before it arrives: all of this, or one if `any_of`. `submitted` is None if that was when it arrived: it
    gives the place among jobs of one priority. `fails`: it does not end well. `requeue`: it waits again, from its
    beginning, if it makes way or its node fails.
    """

    row: int
    arrival: int
    run: int
    limit: int | None
    ask: Ask = Ask()
    partitions: tuple[str, ...] = ()
    priority: int = 1
    user: str = ""
    account: str = ""
    qos: str = ""
    array: tuple[int, int, int] | None = None
    after: tuple[After, ...] = ()
    any_of: bool = False
    submitted: int | None = None
    fails: bool = False
    requeue: bool = True
    reservation: str = ""
    stays: bool = False


class Amount(NamedTuple):
    """What is free on a node, or what a job holds of it."""

    cpus: int
    memory: int
    gpus: Mapping[str, int] = {}


class Busy(NamedTuple):
    """What a job holds of which nodes, from when until just before when; it runs or is planned.

    Where jobs may be suspended, also which cores of them, since when it is stopped, how much of its run time is left
    then, and when it was stopped before.
    """

    job: Job
    begin: int
    end: int
    partition: str
    held: Mapping[str, Amount]
    cores: Mapping[str, frozenset[int]] = {}
    stopped: int | None = None
    left: int = 0
    stops: tuple[tuple[int, int], ...] = ()


def natural(name: str) -> tuple[tuple[int, str | int], ...]:
    """Return what sorts names as Slurm does: numbers in them are numbers."""
    return tuple((1, int(part)) if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name) if part)


def machine_of(nodes: Iterable[Node], partitions: Iterable[Partition] = (), **more: object) -> Machine:
    """Return a machine whose nodes are in order; without partitions, "main" has all nodes."""
    ordered = tuple(sorted(nodes, key=lambda node: natural(node.name)))
    given = tuple(partitions) or (Partition("main", tuple(node.name for node in ordered)),)
    return Machine(ordered, {p.name: p for p in given}, **more)  # type: ignore[arg-type]


def partitions_of(machine: Machine, job: Job) -> list[Partition]:
    """Return the partitions that a job may run in, higher tiers first, equal ones as it names them."""
    names = job.partitions or (next(iter(machine.partitions)),)
    return sorted((machine.partitions[name] for name in names), key=lambda partition: -partition.tier)


def lets_in(partition: Partition, job: Job) -> bool:
    """Return whether the limits of a partition let a job in."""
    asked = (job.limit, partition.longest), (job.ask.least, partition.most_nodes)
    asked += ((job.ask.memory, partition.most_memory_per_node),)
    return partition.up and not any(None not in pair and pair[0] > pair[1] for pair in asked)  # type: ignore[operator]


def limit_in(partition: Partition, job: Job) -> int:
    """Return how long a job may run in a partition."""
    limits = (job.limit, partition.default, partition.longest)
    return next((limit for limit in limits if limit is not None), NO_LIMIT)


def longest_run(machine: Machine, partition: Partition, job: Job, begin: int, over: int = 0) -> int:
    """Return how long a job runs at most in a partition from a second on; `over` is how far beyond its limit.

    In Slurm a reservation ends its jobs with it.
    """
    ends = [window.end - begin for window in windows_of(machine, job) if window.begin <= begin < window.end]
    return min([limit_in(partition, job) + over, *ends])


def windows_of(machine: Machine, job: Job) -> list[Reservation]:
    """Return the reservations that bind a job in them; one that the machine does not have counts as none."""
    return [one for one in machine.reservations if one.name == job.reservation and not one.flex]


def is_absent(machine: Machine, job: Job, t: int) -> bool:
    """Return whether a job is not looked at, because its reservation is not there in second t."""
    mine = windows_of(machine, job)
    if not mine or any(one.begin <= t < one.end for one in mine):
        return False
    return any(one.end > t for one in mine) or not machine.forgives


def seen_by(machine: Machine, job: Job, busy: Iterable[Busy], begin: int, end: int) -> tuple[Machine, list[Busy]]:
    """Return the machine and what is busy, as reservations let a job use them from `begin` until just before `end`.

    A job in a reservation begins while it lasts, on its nodes; where the machine `forgives`, it ends before the next
    time if there is one, and after the last time it is like all others. Others have none that are reserved at some time
    until they end. Of nodes of which some CPUs are reserved each has its part.
    """
    mine = windows_of(machine, job)
    now = [one for one in mine if one.begin <= begin < one.end]
    foreign = [one for one in machine.reservations if one.name != job.reservation]
    others = [one for one in foreign if one.begin < end and one.end > begin]
    closed = {name for one in others for name in one.nodes if name not in one.cpus}
    last = max((one.end for one in mine), default=0) if machine.forgives else end
    for node in machine.nodes if mine else ():
        own = [one for one in mine if node.name in one.nodes]
        moments = {begin, *(one.end for one in own if begin < one.end < end and machine.forgives)}
        if any(t < last and not any(one.begin <= t < one.end for one in own) for t in moments):
            closed.add(node.name)
    part = {name: count for one in now for name, count in one.cpus.items()}
    rest = {name: count for one in others for name, count in one.cpus.items()}
    nodes = [node._replace(cpus=part.get(node.name, node.cpus) - rest.get(node.name, 0)) for node in machine.nodes]
    down = (*machine.down, Down(begin, end, frozenset(closed)))

    def as_seen(run: Busy) -> Busy:
        """Return what others hold, without the CPUs that are not of the job's part."""
        apart = {
            name
            for one in (*now, *others)
            for name in one.cpus
            if (run.job.reservation == one.name) != (job.reservation == one.name)
        }
        return run._replace(held={n: a._replace(cpus=0) if n in apart else a for n, a in run.held.items()})

    return machine._replace(nodes=tuple(nodes), down=down), [as_seen(run) for run in busy]


def free_in(machine: Machine, busy: Sequence[Busy], begin: int, end: int) -> dict[str, Amount]:
    """Return what is free of each node in all seconds from `begin` until just before `end`; of no node that is down."""
    down = {name for d in machine.down for name in d.nodes if d.begin < end and d.end > begin}
    there = [b for b in busy if b.begin < end and b.end > begin]
    free = {}
    for node in machine.nodes:
        if node.name in down:
            continue
        of_node = [b for b in there if node.name in b.held]
        moments = {begin, *(b.begin for b in of_node if b.begin > begin)}  # it is fullest at one of these
        held = [[b.held[node.name] for b in of_node if b.begin <= moment < b.end] for moment in moments]
        free[node.name] = least([less(Amount(node.cpus, node.memory, node.gpus), each) for each in held])
    return free


def free_for(machine: Machine, job: Job, busy: Sequence[Busy], begin: int, end: int) -> dict[str, Amount]:
    """Return what is free for a job: not on nodes with jobs of other users if one of them wants to be alone there."""
    there = [b for b in busy if b.begin < end and b.end > begin and b.job.user != job.user]
    others = {name for b in there for name in b.held if job.ask.same_user or b.job.ask.same_user}
    return {name: amount for name, amount in free_in(machine, busy, begin, end).items() if name not in others}


def less(amount: Amount, holds: Iterable[Amount]) -> Amount:
    """Return an amount without what some jobs hold of it."""
    for held in holds:
        gpus = {kind: count - held.gpus.get(kind, 0) for kind, count in amount.gpus.items()}
        amount = Amount(amount.cpus - held.cpus, amount.memory - held.memory, gpus)
    return amount


def gpus_of(amount: Amount, kind: str) -> int:
    """Return how many GPUs of a type there are; of all types if it is ""."""
    return amount.gpus.get(kind, 0) if kind else sum(amount.gpus.values())


def least(amounts: Sequence[Amount]) -> Amount:
    """Return the least of each resource."""
    kinds = amounts[0].gpus
    return Amount(
        min(a.cpus for a in amounts),
        min(a.memory for a in amounts),
        {kind: min(a.gpus[kind] for a in amounts) for kind in kinds},
    )


def has_licences(machine: Machine, job: Job, busy: Iterable[Busy]) -> bool:
    """Return whether the licences of a job are free beside those of other jobs."""
    used = {name: sum(b.job.ask.licences.get(name, 0) for b in busy) for name in machine.licences}
    return all(used[name] + count <= machine.licences[name] for name, count in job.ask.licences.items())


def company(run: Busy, partition: Partition, machine: Machine) -> str:
    """Return with whom a job shares its nodes: "nobody", the name of its user with a mark, or "" for everybody."""
    if run.job.ask.exclusive or partition.exclusive or machine.choice == "linear" or machine.gives == "node":
        return "nobody"
    return f"user {run.job.user}" if run.job.ask.same_user else ""


def naive_check(machine: Machine, jobs: Iterable[Job], schedule: Mapping[int, Busy]) -> list[str]:
    """Return what is wrong with a schedule, in words; nothing if it can be.

    `schedule` has, for each row of a job that starts, what it holds from its start until its end. Each job is looked at
    alone, then each node at each second in which one of its jobs starts: it cannot be fuller in between.
    """
    nodes = {node.name: node for node in machine.nodes}
    faults = []
    for job in jobs:
        if job.row in schedule:
            faults += [f"job {job.row}: {fault}" for fault in _faults(machine, nodes, job, schedule[job.row])]
    runs = list(schedule.values())
    for node in machine.nodes:
        of_node = [b for b in runs if node.name in b.held and b.end > b.begin]
        for moment in sorted({b.begin for b in of_node}):
            there = [b for b in of_node if b.begin <= moment < b.end]
            left = less(Amount(node.cpus, node.memory, node.gpus), (b.held[node.name] for b in there))
            if left.cpus < 0 or (left.memory < 0 and machine.shares_memory) or any(g < 0 for g in left.gpus.values()):
                faults.append(f"node {node.name} at {moment}: {left} left")
            with_whom = {company(b, machine.partitions[b.partition], machine) for b in there}
            alone = "nobody" in with_whom and len(there) > 1
            if alone or (with_whom - {"", "nobody"} and len({b.job.user for b in there}) > 1):
                faults.append(f"node {node.name} at {moment}: a job is not alone")
    for moment in sorted({b.begin for b in runs}):
        there = [b for b in runs if b.begin <= moment < b.end]
        if not all(has_licences(machine, b.job, [other for other in there if other is not b]) for b in there):
            faults.append(f"licences at {moment}")
    return faults


def _faults(machine: Machine, nodes: Mapping[str, Node], job: Job, run: Busy) -> Iterable[str]:
    """Yield what is wrong with a job by itself."""
    ask, held, partition = job.ask, run.held, machine.partitions[run.partition]
    ends = {limit_in(partition, job), longest_run(machine, partition, job, run.begin)}  # the latter one in Slurm
    if run.begin < job.arrival or run.end not in {run.begin + min(job.run, longest) for longest in ends}:
        yield f"runs from {run.begin} until {run.end}"
    if partition not in partitions_of(machine, job) or not lets_in(partition, job):
        yield f"is in partition {run.partition}"
    if not set(held) <= set(partition.nodes) - set(ask.excluded) or not set(ask.named) <= set(held):
        yield f"is on {sorted(held)}"
    if len(held) < ask.least or (ask.most is not None and len(held) > ask.most):
        yield f"has {len(held)} nodes"
    most = partition.most_nodes
    if most is not None and len(held) > most:
        yield f"has {len(held)} nodes, and the partition allows {most}"
    if any(d.nodes & set(held) and d.begin < run.end and d.end > run.begin for d in machine.down):
        yield "is on a node that is down"
    seen, _ = seen_by(machine, job, [], run.begin, run.begin + limit_in(partition, job))
    if seen.down[-1].nodes & set(held):
        yield "is on a node that is reserved"
    places = 0
    for name, amount in held.items():
        node = nodes[name]
        cores = amount.cpus // node.threads
        if (amount.cpus % node.threads and machine.gives != "cpu") or amount.cpus < 1 or node.disk < ask.disk:
            yield f"has {amount.cpus} CPUs of {name}"
        if not ask.constraint.suits(node.features):
            yield f"is on {name} with the features {sorted(node.features)}"
        here = cores // math.ceil(ask.cpus / node.threads) if ask.task_per_core else amount.cpus // ask.cpus
        if ask.gpus_per_task:
            here = min(here, gpus_of(amount, ask.gpu_type) // ask.gpus_per_task)
        places += min(here, ask.tasks_per_node or here)
        if gpus_of(amount, ask.gpu_type) < ask.gpus_per_node:
            yield f"has the GPUs {amount.gpus} of {name}"
        wanted = node.memory if ask.memory == ALL_MEMORY else ask.memory or 0
        if machine.shares_memory and amount.memory < wanted:
            yield f"has {amount.memory} MB of {name}"
    memory = sum(amount.memory for amount in held.values())
    if machine.shares_memory and memory < (ask.memory_per_cpu or 0) * ask.tasks * ask.cpus:
        yield f"has {memory} MB in all"
    if places < ask.tasks:
        yield f"has room for {places} tasks"
    if sum(gpus_of(amount, ask.gpu_type) for amount in held.values()) < ask.gpus:
        yield "has too few GPUs"
    shared = frozenset.intersection(*(nodes[name].features for name in held))
    if ask.constraint.alike and not any(way <= shared for way in ask.constraint.ways):
        yield "has nodes that are not alike"
    for way, count in ask.constraint.counts:
        if sum(way <= nodes[name].features for name in held) < count:
            yield f"has too few nodes with {sorted(way)}"
