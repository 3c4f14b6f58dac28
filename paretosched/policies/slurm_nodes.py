"""How many nodes and CPUs a Slurm machine and its partitions have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ..core.errors import InputError, in_quotes
from .slurm_conf import Setting, SlurmConf, whole
from .whole_nodes import MOST_NODES

FUTURE = "future"
DEEPEST = 8  # sets of nodes within sets
MOST_LISTED = 10 * MOST_NODES  # names of nodes in all partitions and sets
MOST_BRACKETS = 8  # in a name
PART = re.compile(r"[^,\[]*(?:\[[^\]]*\][^,\[]*)*")
GPUS = re.compile(r"(\d{1,9})(k?)")
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
    if part.count("[") > MOST_BRACKETS:
        raise InputError(f"{where}: {in_quotes(part)} must have at most {MOST_BRACKETS} brackets, but has more")
    for piece in part[begin + 1 : end].split(","):
        match = RANGE.fullmatch(piece.strip())
        if match is None:
            raise InputError(f"{where}: {in_quotes(part)} must have numbers such as 1-64 in brackets, but has not")
        first = match.group(1)
        last = int(match.group(2) or first)
        if last < int(first):
            raise InputError(f"{where}: {in_quotes(part)} must have the smaller number first, but has not")
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
    listed = 0
    for row in conf.down:
        state = row["state"].value.lower() if "state" in row else "down"
        names = row["downnodes"]
        for name in node_names(names.value, names.where):
            listed += 1
            if listed > MOST_NODES:
                raise InputError(
                    f"{names.where}: DownNodes lines must list at most {MOST_NODES:,} nodes, but list more"
                )
            if name in states:
                states[name] = state
    return states


def amounts_of_nodes(conf: SlurmConf, resource: str) -> dict[str, int]:
    """Return how much of a resource each node of a slurm.conf has, by its name; nodes of the future are none.

    Parameters
    ----------
    conf
        The file.
    resource
        "cpu", "mem" (MiB), "node" or "gres/gpu".

    Raises
    ------
    InputError
        A list of nodes or a number breaks a rule.
    """
    amounts: dict[str, int] = {}
    listed = 0
    for row in conf.nodes:
        names, amount = row["nodename"], _AMOUNTS[resource](row)
        for name in node_names(names.value, names.where):
            amounts[name] = amount
            listed += 1
            if listed > MOST_NODES:
                raise InputError(f"{names.where}: there must be at most {MOST_NODES:,} nodes, but there are more")
    return {name: amounts[name] for name, state in states_of_nodes(conf).items() if state != FUTURE}


def nodes_of_partitions(conf: SlurmConf, cpus: Mapping[str, int]) -> list[frozenset[str]]:
    """Return the names of the nodes of each partition of a slurm.conf; names that are no node's are left out.

    Parameters
    ----------
    conf, cpus
        The file, and the CPUs of each node.

    Raises
    ------
    InputError
        A list of nodes breaks a rule, or there are too many.
    """
    sets = {row["nodeset"].value: row for row in conf.sets}
    known: dict[str, frozenset[str]] = {}
    everything = frozenset(cpus)  # one for all partitions that have it
    listed = 0

    def too_many(where: str) -> InputError:
        return InputError(f"{where}: partitions and sets must list at most {MOST_LISTED:,} nodes, but list more")

    def members(row: Mapping[str, Setting], depth: int) -> frozenset[str]:
        nonlocal listed
        setting = row.get("nodes")
        if setting is None:
            return frozenset()
        if depth > DEEPEST:
            raise InputError(f"{setting.where}: sets of nodes must be at most {DEEPEST} deep; do they go round?")
        names: set[str] = set()
        inner: set[str] = set()
        for name in node_names(setting.value, setting.where):
            listed += 1
            if listed > MOST_LISTED:
                raise too_many(setting.where)
            (inner if name in sets else names).add(name)
        for name in sorted(inner - known.keys()):
            known[name] = members(sets[name], depth + 1)
        of_sets = [known[name] for name in inner]
        if any(name.upper() == "ALL" for name in names) or everything in of_sets:
            return everything
        if len(of_sets) == 1 and not names:
            return of_sets[0]
        listed += sum(map(len, of_sets))
        if listed > MOST_LISTED:
            raise too_many(setting.where)
        return frozenset(name for name in names if name in cpus).union(*of_sets)

    return [members(row, 0) for row in conf.partitions]


def _cpus(row: Mapping[str, Setting]) -> int:
    """Return the number of CPUs of each node of a NodeName line."""

    def number(key: str) -> int:
        return whole(key, row[key], 10**6) if key in row else 1

    for key in ("cpus", "procs"):
        if key in row:
            return number(key)
    sockets = number("sockets") if "sockets" in row else number("boards") * number("socketsperboard")
    return sockets * number("corespersocket") * number("threadspercore")


def _memory(row: Mapping[str, Setting]) -> int:
    """Return the MiB of each node of a NodeName line."""
    return whole("realmemory", row["realmemory"], 2**40) if "realmemory" in row else 1


def _gpus(row: Mapping[str, Setting]) -> int:
    """Return the GPUs of each node of a NodeName line: of Gres=gpu:a100:4(S:0),gpu:2,lustre:9 these are 6."""
    setting = row.get("gres")
    total = 0
    for part in re.sub(r"\([^)]*\)", "", setting.value if setting else "").split(","):
        name, *words = part.strip().lower().split(":")
        if name == "gpu":
            last = words[-1] if words else ""
            match = GPUS.fullmatch(last)
            total += 1 if match is None else int(match[1]) * (1024 if match[2] else 1)
    return total


_AMOUNTS: Mapping[str, Callable[[Mapping[str, Setting]], int]] = {
    "cpu": _cpus,
    "mem": _memory,
    "node": lambda _: 1,
    "gres/gpu": _gpus,
}
