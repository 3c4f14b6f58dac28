"""A machine with more nodes of a kind that it has: what its owner could buy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from .host_lists import host_list
from .machine import ALL, Machine


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
        places = machine.places(hosts).tolist()
        if hosts == ALL or place not in places:
            return hosts
        return host_list([*(machine.names[k] for k in places), *names])

    kinds = list(machine.kinds)
    kind = kinds[machine.kind[place]]
    kinds[machine.kind[place]] = replace(kind, hosts=host_list([*kind.names, *names]))
    return replace(
        machine,
        kinds=tuple(kinds),
        partitions=tuple(replace(part, hosts=larger(part.hosts)) for part in machine.partitions),
        switches=tuple((name, larger(hosts)) for name, hosts in machine.switches),
    )


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
