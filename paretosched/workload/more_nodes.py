"""A machine with more or fewer nodes, or with nodes in other partitions: what an owner buys or changes, or breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, did_you_mean, first_few, in_quotes, number_of, one_of
from .host_lists import host_list
from .machine import ALL, Machine, Outage


def with_more_nodes(machine: Machine, like: str, count: int) -> Machine:
    """Return a machine with more nodes of the same kind as one of its nodes, in the same partitions and at its switch.

    They have the next free numbers behind the name of that node, and are never down.

    Examples
    --------
    >>> from .machine import NodeKind, Partition
    >>> m = Machine((NodeKind("n[1-2]", 4, 8000), NodeKind("g1", 4, 8000)), (Partition("a"), Partition("b", "n2,g1")))
    >>> more = with_more_nodes(m, "n2", 2)
    >>> more.names, more.members.sum(axis=1).tolist()
    (('g1', 'n1', 'n2', 'n3', 'n4'), [5, 4])
    """
    place = machine.place_of[like]
    names = list(islice(_free_names(machine, like), count))

    def larger(hosts: str) -> str:
        places = machine.places(hosts)
        if hosts == ALL or place not in places:
            return hosts
        return host_list([*_at(machine, places), *names])

    kinds = list(machine.kinds)
    kind = kinds[machine.kind[place]]
    kinds[machine.kind[place]] = replace(kind, hosts=host_list([*kind.names, *names]))
    return replace(
        machine,
        kinds=tuple(kinds),
        partitions=tuple(replace(part, hosts=larger(part.hosts)) for part in machine.partitions),
        switches=tuple((name, larger(hosts)) for name, hosts in machine.switches),
    )


def without_nodes(machine: Machine, hosts: str) -> Machine:
    """Return a machine of which some nodes, a list such as "n[1-8]", are down throughout.

    They stay in its lists, so that no job that names them goes to others.

    Raises
    ------
    InputError
        It is no list, or a node is not there.

    Examples
    --------
    >>> from .machine import NodeKind
    >>> m = without_nodes(Machine((NodeKind("n[1-4]", 4, 8000),)), "n[2-3]")
    >>> m.capacity, m.up.tolist()
    (16, [True, False, False, True])
    """
    machine.places(hosts)
    return replace(machine, down=(*machine.down, Outage(hosts)))


def with_moved_nodes(machine: Machine, hosts: str, leaves: str, joins: str) -> Machine:
    """Return a machine of which some nodes, a list such as "n[1-8]", leave a partition and join another one.

    Parameters
    ----------
    machine, hosts
        The machine, and the nodes.
    leaves, joins
        The names of the partitions; `leaves` is "" if the nodes stay in all that they are in.

    Raises
    ------
    InputError
        It is no list, a node or a partition is not there, a node is not in the partition that it leaves, all nodes are
        in the one that they join already, or no node would be left in a partition.

    Examples
    --------
    >>> from .machine import NodeKind, Partition
    >>> m = Machine((NodeKind("n[1-4]", 4, 8000),), (Partition("a", "n[1-3]"), Partition("b", "n4")))
    >>> moved, both = (with_moved_nodes(m, "n[2-3]", leaves, "b") for leaves in ("a", ""))
    >>> [part.hosts for part in moved.partitions], [part.hosts for part in both.partitions]
    (['n1', 'n[2-4]'], ['n[1-3]', 'n[2-4]'])
    """
    places = machine.places(hosts)
    names = [part.name for part in machine.partitions]
    for name in filter(None, (leaves, joins)):
        one_of("the partition", name, names)
    members = machine.members.copy()
    if members[names.index(joins), places].all() and leaves in ("", joins):
        raise InputError(f"all of these nodes are in partition {joins} already")
    if leaves:
        others = places[~members[names.index(leaves), places]]
        if others.size:
            strange = first_few(_at(machine, others))
            raise InputError(f"all nodes must be in partition {leaves}, but not there is {strange}")
        members[names.index(leaves), places] = False
        if not members[names.index(leaves)].any():
            raise InputError(f'no node would be left in partition {leaves}; let one stay, or say "also in {joins}"')
    members[names.index(joins), places] = True
    parts = tuple(
        part if name not in (leaves, joins) else replace(part, hosts=host_list(_at(machine, np.flatnonzero(mine))))
        for name, part, mine in zip(names, machine.partitions, members, strict=True)
    )
    return replace(machine, partitions=parts)


def _at(machine: Machine, places: Ints) -> list[str]:
    """Return the names of the nodes at some places."""
    return [machine.names[place] for place in places.tolist()]


def nodes_like(machine: Machine, word: str) -> Ints:
    """Return the places of the nodes that a word means, (k,) int64 ascending: those of one kind that can be used.

    Parameters
    ----------
    machine
        The machine; nodes in no partition, or down for good, are none.
    word
        The name of a node, for all nodes of its kind; of a partition, for its commonest kind; "gpu" or "cpu", for
        the commonest kind with GPUs, or without. A name is understood before the last two.

    Raises
    ------
    InputError
        The word means no node.

    Examples
    --------
    >>> from .machine import NodeKind, Partition
    >>> kinds = (NodeKind("n[1-4]", 4, 8000), NodeKind("b[1-2]", 8, 64000), NodeKind("g1", 8, 16000, {"v100": 2}))
    >>> m = Machine(kinds, (Partition("main"), Partition("big", "b[1-2],g1")))
    >>> [[m.names[k] for k in nodes_like(m, word)] for word in ("b1", "big", "cpu", "gpu")]
    [['b1', 'b2'], ['b1', 'b2'], ['n1', 'n2', 'n3', 'n4'], ['g1']]
    """
    usable = machine.up & machine.members.any(axis=0)
    names = [part.name for part in machine.partitions]
    if word in machine.place_of:
        meant = usable & (machine.kind == machine.kind[machine.place_of[word]])
    elif word in names:
        meant = usable & machine.members[names.index(word)]
    elif word in ("gpu", "cpu"):
        meant = usable & ((machine.gpus.sum(axis=1) > 0) == (word == "gpu"))
    else:
        known = first_few(names)
        hint = did_you_mean(word, [*names, *machine.names, "gpu", "cpu"])
        raise InputError(
            f'must be the name of a node or of a partition ({known}), "cpu" or "gpu", but is {in_quotes(word)}{hint}'
        )
    if not meant.any():
        raise InputError(f"the machine has no node in use that {in_quotes(word)} means")
    commonest = np.bincount(machine.kind[meant]).argmax()
    return np.flatnonzero(meant & (machine.kind == commonest))


def last_nodes(machine: Machine, word: str, count: int) -> str:
    """Return the last nodes of those that a word means, as a list; see `nodes_like`.

    Raises
    ------
    InputError
        The word means no node, or not so many.
    """
    places = nodes_like(machine, word)
    if count > places.size:
        there = number_of(places.size, "node")
        raise InputError(f"at most as many nodes as there are can go, but {in_quotes(word)} means {there}")
    return host_list(_at(machine, places[places.size - count :]))


def _free_names(machine: Machine, like: str) -> Iterator[str]:
    """Return names that no node has: those of a node with the next numbers."""
    match = re.fullmatch(r"(.*?)(\d*)", like, re.DOTALL)
    assert match is not None  # noqa: S101  # it fits any text
    number = int(match[2] or 1)
    while True:
        number += 1
        name = f"{match[1]}{number:0{len(match[2])}d}"
        if name not in machine.place_of:
            yield name
