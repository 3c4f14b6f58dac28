"""Which nodes a job gets, and how much of each: as Slurm's select/cons_tres and select/linear, and plainer rules.

What Slurm does was seen on a real one (22.05). `choose` is the way in: it says what each node could give at most, and
hands this to the rule of the machine.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from paretosched.workload.features import Constraint
from support.naive_machine import ALL_MEMORY, Amount, Ask, Machine, Node, Partition, gpus_of


def choose(machine: Machine, partition: Partition, ask: Ask, free: Mapping[str, Amount]) -> dict[str, Amount] | None:
    """Return what a job gets of which nodes if these amounts are free, of others nothing; None if it does not fit."""
    ask, terms = with_defaults(machine, partition, ask)
    nodes = [n for n in machine.nodes if n.name in partition.nodes and n.name in free and n.name not in ask.excluded]
    if not set(ask.named) <= {node.name for node in nodes}:
        return None
    ways = [Constraint((way,)) for way in ask.constraint.ways] if ask.constraint.alike else [ask.constraint]
    for constraint in ways:  # if all nodes must be alike, one way after the other
        able = [node for node in nodes if constraint.suits(node.features) and node.disk >= ask.disk]
        room = {node.name: tasks_on(node, ask, terms, free[node.name]) * ask.cpus for node in able}
        room = {name: cpus for name, cpus in room.items() if cpus > 0}
        if ask.most == 1 or ask.tasks == 1:  # the one node must hold all
            gpus = {name: gpus_of(free[name], ask.gpu_type) for name in room}
            room = {n: cpus for n, cpus in room.items() if cpus >= ask.tasks * ask.cpus and gpus[n] >= ask.gpus}
        if ask.gpus_per_node or ask.gpus_per_task:  # of a job with GPUs no more CPUs count than it wants
            room = {name: min(cpus, ask.tasks * ask.cpus) for name, cpus in room.items()}
        named = with_counts(machine, able, ask, room, free)
        if named is None:
            continue
        for few in sorted({0, *room.values()}):  # without the nodes that have few CPUs, if it does not fit with them
            usable = {name: cpus for name, cpus in room.items() if cpus > few or name in named}
            fill = Fill(machine, ask, named, usable, free, terms.whole, partition.most_nodes)
            taken = rule_of(machine, partition)(fill)
            if taken is not None:
                return holding(machine, ask, terms, taken, free)
    return None


def may_use(machine: Machine, partition: Partition, ask: Ask) -> set[str]:
    """Return the nodes of a partition that are not excluded, and have the features and the disk that a job wants."""
    names = set(partition.nodes) - set(ask.excluded)
    suits = ask.constraint.suits
    return {n.name for n in machine.nodes if n.name in names and suits(n.features) and n.disk >= ask.disk}


def nodes_for(machine: Machine, partition: Partition, ask: Ask) -> set[str]:
    """Return the nodes that Slurm looks at for a job, by what they are when nobody is on them."""
    ask, terms = with_defaults(machine, partition, ask)
    return {
        node.name
        for node in machine.nodes
        if node.name in partition.nodes
        and node.name not in ask.excluded
        and ask.constraint.suits(node.features)
        and node.disk >= ask.disk
        and node.memory >= memory_for(node, ask, terms, 1)
        and node.cpus >= max(ask.cpus, terms.least_cpus)
    }


class Terms(NamedTuple):
    """What a job takes of its nodes beside its tasks: of nodes on which nobody else is all CPUs, or so many at least.

    `cores`: CPUs of one core go together.
    """

    whole: bool
    least_cpus: int
    cores: bool


def with_defaults(machine: Machine, partition: Partition, ask: Ask) -> tuple[Ask, Terms]:
    """Return what a job asks for with all that it did not say; it has no more nodes than tasks.

    Memory beyond MaxMemPerCPU becomes more CPUs: of each task, if it is said by the CPU, or of each node.
    """
    if ask.memory is None and ask.memory_per_cpu is None:
        memory = ALL_MEMORY if partition.memory_per_node is None else partition.memory_per_node
        by_cpu = partition.memory_per_cpu
        ask = ask._replace(memory=None if by_cpu is not None else memory, memory_per_cpu=by_cpu)
    ceiling = partition.most_memory_per_cpu
    least_cpus = 1
    if ceiling and ask.memory_per_cpu and ask.memory_per_cpu > ceiling:
        times = math.ceil(ask.memory_per_cpu / ceiling)
        ask = ask._replace(cpus=ask.cpus * times, memory_per_cpu=math.ceil(ask.memory_per_cpu / times))
    elif ceiling and ask.memory:
        least_cpus = math.ceil(ask.memory / ceiling)
    tasks = max(ask.tasks, len(ask.named))
    least = max(min(ask.least, tasks), partition.least_nodes, len(ask.named))
    if ask.tasks_per_node:
        least = max(least, math.ceil(tasks / ask.tasks_per_node))
    most = None if ask.most is None else max(min(ask.most, tasks), len(ask.named))
    ask = ask._replace(least=least, most=most, tasks=max(tasks, least))
    whole = ask.exclusive or partition.exclusive or machine.choice == "linear" or machine.gives == "node"
    return ask, Terms(whole, least_cpus, machine.gives != "cpu")


def tasks_on(node: Node, ask: Ask, terms: Terms, free: Amount) -> int:
    """Return how many tasks a node could take at most, 0 if it is not usable."""
    if terms.whole and free.cpus < node.cpus:
        return 0
    gpus = gpus_of(free, ask.gpu_type)
    if gpus < ask.gpus_per_node or (ask.gpus and not gpus):
        return 0
    tasks = free.cpus // ask.cpus
    if ask.gpus_per_task:
        tasks = min(tasks, gpus // ask.gpus_per_task)
    while tasks > 0 and not (
        cpus_for(node, ask, terms, tasks) <= free.cpus and memory_for(node, ask, terms, tasks) <= max(free.memory, 0)
    ):
        tasks -= 1
    if ask.tasks_per_node:
        exact = ask.most == ask.least and ask.tasks == ask.least * ask.tasks_per_node
        tasks = min(tasks, ask.tasks_per_node) if tasks >= (ask.tasks_per_node if exact else 1) else 0
    return tasks


def cpus_for(node: Node, ask: Ask, terms: Terms, tasks: int) -> int:
    """Return the CPUs that so many tasks take of a node: whole cores."""
    together = node.threads if terms.cores else 1
    if ask.task_per_core:
        return tasks * math.ceil(ask.cpus / node.threads) * node.threads
    return math.ceil(max(tasks * ask.cpus, terms.least_cpus) / together) * together


def memory_for(node: Node, ask: Ask, terms: Terms, tasks: int) -> int:
    """Return the memory, MB, that so many tasks take of a node."""
    if ask.memory_per_cpu is not None:
        return ask.memory_per_cpu * cpus_for(node, ask, terms, tasks)
    return node.memory if ask.memory == ALL_MEMORY else ask.memory or 0


def holding(
    machine: Machine, ask: Ask, terms: Terms, taken: Mapping[str, tuple[int, int]], free: Mapping[str, Amount]
) -> dict[str, Amount]:
    """Return what a job holds of its nodes: whole cores, memory, and GPUs of the types that come first.

    A job that is alone on its nodes holds all CPUs and GPUs there.
    """
    held = {}
    for node in machine.nodes:
        if node.name not in taken:
            continue
        cpus, gpus = taken[node.name]
        tasks = cpus // ask.cpus
        memory = memory_for(node, ask, terms, tasks) if machine.shares_memory else 0
        kinds: dict[str, int] = {}
        for kind, count in free[node.name].gpus.items():
            if terms.whole:
                kinds[kind] = count
            elif gpus > 0 and ask.gpu_type in ("", kind):
                kinds[kind] = min(count, gpus)
                gpus -= kinds[kind]
        cpus = node.cpus if terms.whole else cpus_for(node, ask, terms, tasks)
        held[node.name] = Amount(cpus, memory, {kind: count for kind, count in kinds.items() if count})
    return held


def with_counts(
    machine: Machine, able: Sequence[Node], ask: Ask, room: Mapping[str, int], free: Mapping[str, Amount]
) -> tuple[str, ...] | None:
    """Return the nodes that a job must have: those that it names, and those for features with counts.

    For each such feature, in turn, as many nodes as it counts are chosen by the rule of rows among those that have it.
    """
    named = ask.named
    if not set(named) <= set(room):
        return None
    for way, number in ask.constraint.counts:
        of_way = [node.name for node in able if way <= node.features]
        count = number - len(set(named) & set(of_way))
        if count > 0:
            few = Ask(tasks=count, cpus=ask.cpus, least=count, most=count)
            others = {name: room[name] for name in of_way if name in room and name not in named}
            more = by_rows(Fill(machine, few, (), others, free))
            if more is None:
                return None
            named += tuple(more)
    return named


class Fill:
    """A job whose nodes are taken one after the other, and what it still lacks."""

    def __init__(
        self,
        machine: Machine,
        ask: Ask,
        named: Sequence[str],
        room: Mapping[str, int],
        free: Mapping[str, Amount],
        whole: bool = False,
        most_nodes: int | None = None,
    ) -> None:
        self.machine, self.ask, self.room, self.free = machine, ask, room, free
        self.named, self.whole, self.most_nodes = tuple(named), whole, most_nodes
        self.order = [node for node in machine.nodes if node.name in room]
        self.weight = {node.name: node.weight for node in machine.nodes}
        self.cpus = ask.tasks * ask.cpus
        self.gpus = ask.gpus
        # Nodes that it may still take: each has a task, and a GPU if there are some in all.
        self.more = min(n for n in (ask.most, most_nodes, ask.tasks, ask.gpus or None) if n is not None)
        self.nodes = max(ask.least, len(named))
        if ask.most is not None:
            self.nodes = max(self.nodes, min(self.more, len(room)))  # the largest number is wanted
        self.spare = self.nodes - ask.least  # so many of them need not be
        self.taken: dict[str, tuple[int, int]] = {}  # CPUs and GPUs
        for node in self.order:
            if node.name in named:
                self.take(node.name)

    @property
    def lacks(self) -> bool:
        """Whether there is something missing that one more node may give."""
        return (self.cpus > 0 or self.nodes > 0 or self.gpus > 0) and self.more > 0

    def not_taken(self, names: Iterable[str]) -> list[str]:
        """Return the nodes that are not taken."""
        return [name for name in names if name not in self.taken]

    def take(self, name: str) -> None:
        """Take a node: as much as it gives, but a task is left for each further node that is wanted."""
        step = self.ask.cpus
        keep = max(self.nodes - 1, 0) * step
        cpus = min(self.room[name], max(step, (self.cpus - keep) // step * step))
        gpus = self.ask.gpus_per_node or self.ask.gpus_per_task * (cpus // step)
        cpus = self.room[name] if self.whole else cpus
        if self.ask.gpus:
            gpus = min(self.gpus, gpus_of(self.free[name], self.ask.gpu_type))
        self.taken[name] = cpus, gpus
        self.cpus, self.gpus, self.nodes, self.more = self.cpus - cpus, self.gpus - gpus, self.nodes - 1, self.more - 1

    def take_from(self, names: Iterable[str]) -> None:
        """Take nodes in this order while something is missing; the last that may be taken must hold the rest."""
        for name in names:
            if self.lacks and not (self.more == 1 and self.room[name] < self.cpus):
                self.take(name)

    def smallest(self, names: Iterable[str]) -> str | None:
        """Return the node with the fewest CPUs that holds the rest, the first of equals, if one more node is enough."""
        enough = [name for name in names if self.room[name] >= self.cpus]
        return min(enough, key=lambda name: self.room[name]) if enough and self.nodes <= 1 and not self.gpus else None

    def result(self) -> dict[str, tuple[int, int]] | None:
        """Return the CPUs and GPUs of each node if nothing is missing; of GPUs in all each node has one or more."""
        if self.cpus > 0 or self.gpus > 0 or len(self.taken) < self.ask.least:
            return None
        rest = self.ask.gpus
        for i, name in enumerate(node.name for node in self.order if node.name in self.taken and rest):
            count = min(gpus_of(self.free[name], self.ask.gpu_type), rest - (len(self.taken) - 1 - i))
            self.taken[name] = self.taken[name][0], count
            rest -= count
        return self.taken


Rule = Callable[[Fill], "dict[str, tuple[int, int]] | None"]


def rule_of(machine: Machine, partition: Partition) -> Rule:
    """Return the rule by which nodes are chosen."""
    if partition.lln:
        return emptiest
    if machine.leaves and machine.choice in ("cons_tres", "linear"):
        return by_leaves
    rules = {"cons_tres": by_rows, "linear": first, "first": first, "best": best, "spread": emptiest}
    return rules[machine.choice]


def first(fill: Fill) -> dict[str, tuple[int, int]] | None:
    """Take nodes of the smallest weight first, of equal weight in the order of names (`first`, and select/linear)."""
    fill.take_from(sorted(fill.not_taken(node.name for node in fill.order), key=lambda name: fill.weight[name]))
    return fill.result()


def best(fill: Fill) -> dict[str, tuple[int, int]] | None:
    """Take the node with the fewest free CPUs that holds the rest; while none does, the one with most."""
    while fill.lacks and (names := fill.not_taken(node.name for node in fill.order)):
        fill.take_from([fill.smallest(names) or max(names, key=lambda name: fill.room[name])])
        if names == fill.not_taken(names):
            break
    return fill.result()


def emptiest(fill: Fill) -> dict[str, tuple[int, int]] | None:
    """Take nodes of the smallest weight first, of equal weight by the share of CPUs that is free (`spread`, LLN)."""
    share = {node.name: fill.free[node.name].cpus / node.cpus for node in fill.order}
    order = sorted(fill.not_taken(node.name for node in fill.order), key=lambda name: (fill.weight[name], -share[name]))
    fill.take_from(order)
    return fill.result()


def rows_of(fill: Fill) -> list[list[str]]:
    """Return the usable nodes in rows: neighbours in the order of all nodes, with equal weight."""
    rows = []
    for (_, usable), row in groupby(fill.machine.nodes, lambda node: (node.weight, node.name in fill.room)):
        if usable:
            rows.append([node.name for node in row])
    return rows


def by_rows(fill: Fill) -> dict[str, tuple[int, int]] | None:
    """Take nodes row by row, as cons_tres does.

    The next row is the one with a node that the job names; else of the smallest weight, whether it suffices or not. Of
    equal weight they are looked at in turn: one that suffices goes before one that does not; one that suffices, if it
    has fewer CPUs than the best so far, and one that does not, if it has more, is the best then, whatever the other is.
    In the row the smallest node that holds the rest is taken; if none does, the nodes from the first one on; after a
    named node those behind it, then those before it, backwards.
    """
    rows = rows_of(fill)
    named = set(fill.named)
    while fill.lacks and rows:
        best_row: list[str] | None = None
        best_key: tuple[int, bool, int, bool] = (0, False, 0, False)
        for row in rows:
            left = fill.not_taken(row)
            if not left:
                continue
            cpus = sum(fill.room[name] for name in left)
            gpus = sum(gpus_of(fill.free[name], fill.ask.gpu_type) for name in left)
            suffices = cpus >= fill.cpus and len(left) >= fill.nodes - fill.spare and gpus >= fill.gpus
            key = (cpus, suffices, fill.weight[row[0]], bool(named & set(row)))
            if best_row is None or _better(key, best_key):
                best_row, best_key = row, key
        if best_row is None:
            break
        left = fill.not_taken(best_row)
        if best_key[3]:
            start = min(best_row.index(name) for name in named & set(best_row))
            left = [*fill.not_taken(best_row[start:]), *reversed(fill.not_taken(best_row[:start]))]
        elif (single := fill.smallest(left)) is not None:
            left = [single]
        elif fill.gpus:
            fill.nodes = max(fill.nodes, _enough_gpus(fill, left))
        fill.take_from(left)
        rows.remove(best_row)
    return fill.result()


def _better(key: tuple[int, bool, int, bool], best_key: tuple[int, bool, int, bool]) -> bool:
    """Return whether a row goes before the best so far."""
    (cpus, suffices, weight, named), (best_cpus, best_suffices, best_weight, best_named) = key, best_key
    if named != best_named:
        return named
    if weight != best_weight:
        return weight < best_weight
    return (suffices and not best_suffices) or (cpus < best_cpus if suffices else cpus > best_cpus)


def _enough_gpus(fill: Fill, names: Sequence[str]) -> int:
    """Return how many of the first nodes have the GPUs that are missing; all of them if they do not suffice."""
    counts = [gpus_of(fill.free[name], fill.ask.gpu_type) for name in names]
    return next((n for n in range(1, len(names)) if sum(counts[:n]) >= fill.gpus), len(names))


def by_leaves(fill: Fill) -> dict[str, tuple[int, int]] | None:
    """Take nodes leaf by leaf of the switches, in the order of names, as with topology/tree.

    The next leaf is the one that suffices with the fewest free CPUs, or, if none does, the one with most; the first of
    equals.
    """
    leaves = [[node.name for node in fill.order if node.name in leaf] for leaf in fill.machine.leaves]
    while fill.lacks and (leaves := [leaf for leaf in map(fill.not_taken, leaves) if leaf]):
        cpus = [sum(fill.room[name] for name in leaf) for leaf in leaves]
        enough = [i for i, leaf in enumerate(leaves) if cpus[i] >= fill.cpus and len(leaf) >= fill.nodes - fill.spare]
        which = min(enough, key=cpus.__getitem__) if enough else cpus.index(max(cpus))
        fill.take_from(leaves.pop(which))
    return fill.result()
