"""How many nodes and CPUs a Slurm machine and its partitions have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..core.errors import InputError, in_quotes
from .slurm_conf import Setting, SlurmConf, whole
from .whole_nodes import MOST_NODES

FUTURE = "future"
DEEPEST = 8  # sets of nodes within sets
PART = re.compile(r"[^,\[]*(?:\[[^\]]*\][^,\[]*)*")
RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?")


def node_names(text: str, where: str) -> Iterator[str]:
    """Yield the names of nodes in a list such as "login,n[1-3,07]".

    Parameters
    ----------
    text, where
        The list, and its file and line.

    Raises
    ------
    InputError
        The list breaks a rule.

    Examples
    --------
    >>> list(node_names("login,n[1-3,07]-a", "slurm.conf:1"))
    ['login', 'n1-a', 'n2-a', 'n3-a', 'n07-a']
    """
    place, count = 0, 0
    while place < len(text):
        match = PART.match(text, place)
        part = match.group() if match else ""
        place += len(part) + 1
        if not part or "]" in re.sub(r"\[[^\]]*\]", "", part) or (place <= len(text) and text[place - 1] != ","):
            raise InputError(f"{where}: {in_quotes(text)} must be a list of nodes such as n[1-64], but is not")
        for name in _names_of_part(part, where):
            count += 1
            if count > MOST_NODES:  # several brackets
                raise InputError(f"{where}: {in_quotes(text)} must be at most {MOST_NODES:,} nodes, but is more")
            yield name


def _names_of_part(part: str, where: str) -> Iterator[str]:
    """Yield the names that one part of a list stands for, of which each bracket is expanded."""
    begin, end = part.find("["), part.find("]")
    if begin < 0:
        yield part
        return
    for piece in part[begin + 1 : end].split(","):
        match = RANGE.fullmatch(piece.strip())
        if match is None:
            raise InputError(f"{where}: {in_quotes(part)} must have numbers such as 1-64 in brackets, but has not")
        first = match.group(1)
        last = int(match.group(2) or first)
        if last - int(first) >= MOST_NODES:
            raise InputError(f"{where}: {in_quotes(part)} must be at most {MOST_NODES:,} nodes, but is more")
        for number in range(int(first), last + 1):
            for rest in _names_of_part(part[end + 1 :], where):
                yield f"{part[:begin]}{number:0{len(first)}}{rest}"


def states_of_nodes(conf: SlurmConf) -> dict[str, str]:
    """Return the State that a slurm.conf gives to each node, in small letters, by its name; "unknown" without one.

    Raises
    ------
    InputError
        A list of nodes breaks a rule.
    """
    states: dict[str, str] = {}
    for row in conf.nodes:
        state = row["state"].value.lower() if "state" in row else "unknown"
        names = row["nodename"]
        states |= dict.fromkeys(node_names(names.value, names.where), state)
    for row in conf.down:
        state = row["state"].value.lower() if "state" in row else "down"
        names = row["downnodes"]
        states |= {name: state for name in node_names(names.value, names.where) if name in states}
    return states


def cpus_of_nodes(conf: SlurmConf) -> dict[str, int]:
    """Return the number of CPUs of each node of a slurm.conf, by its name; nodes of the future are none.

    Raises
    ------
    InputError
        A list of nodes or a number breaks a rule.
    """
    cpus: dict[str, int] = {}
    for row in conf.nodes:
        names, count = row["nodename"], _cpus(row)
        for name in node_names(names.value, names.where):
            cpus[name] = count
            if len(cpus) > MOST_NODES:
                raise InputError(f"{names.where}: there must be at most {MOST_NODES:,} nodes, but there are more")
    return {name: cpus[name] for name, state in states_of_nodes(conf).items() if state != FUTURE}


def nodes_of(conf: SlurmConf, cpus: Mapping[str, int], row: Mapping[str, Setting], depth: int = 0) -> frozenset[str]:
    """Return the names of the nodes of a partition or set of nodes, a row of a slurm.conf.

    Parameters
    ----------
    conf, cpus
        The file, and the CPUs of each node.
    row
        The values of the line.
    depth
        How many sets of nodes are around this one.

    Raises
    ------
    InputError
        A list of nodes breaks a rule.
    """
    listed = row.get("nodes")
    names: set[str] = set()
    for name in () if listed is None else node_names(listed.value, listed.where):
        inner = [one for one in conf.sets if one["nodeset"].value == name]
        if name.upper() == "ALL":
            names |= cpus.keys()
        elif inner and depth < DEEPEST:
            names |= nodes_of(conf, cpus, inner[-1], depth + 1)
        elif name in cpus:
            names.add(name)
    return frozenset(names)


def _cpus(row: Mapping[str, Setting]) -> int:
    """Return the number of CPUs of each node of a NodeName line."""

    def number(key: str) -> int:
        return whole(key, row[key], 10**6) if key in row else 1

    for key in ("cpus", "procs"):
        if key in row:
            return number(key)
    sockets = number("sockets") if "sockets" in row else number("boards") * number("socketsperboard")
    return sockets * number("corespersocket") * number("threadspercore")
