"""How many nodes and CPUs a Slurm machine and its partitions have."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from ..core.errors import InputError, first_few
from .host_lists import MOST_NODES, node_names
from .slurm_conf import Setting, SlurmConf, whole

FUTURE = "future"
DEEPEST = 8  # sets of nodes within sets
MOST_LISTED = 1_000_000  # names of nodes in all different lists
MOST_PLACES = 64_000_000  # nodes of the machine times different lists
GPUS = re.compile(r"(\d{1,9})(k?)")


class ConfNodes(NamedTuple):
    """The nodes of a slurm.conf, those of the future, too.

    Attributes
    ----------
    places
        The place of each node, by its name.
    lines
        (nodes,) int64, which of the NodeName lines each node is of, from 0 on; the last one counts.
    states
        The State of each node in small letters, "unknown" without one.
    """

    places: Mapping[str, int]
    lines: Ints
    states: tuple[str, ...]

    @property
    def there(self) -> Mask:
        """Return which nodes are not of the future, (nodes,) bool."""
        return np.array([state != FUTURE for state in self.states], dtype=bool)

    def names_of(self, which: Mask) -> str:
        """Return the first names of some nodes in words; `which` says of each whether it is one of them."""
        return first_few(name for name, place in self.places.items() if which[place])


def machine_of(conf: SlurmConf) -> ConfNodes:
    """Return the nodes of a slurm.conf.

    Raises
    ------
    InputError
        A list of nodes breaks a rule, or there are too many.
    """
    places: dict[str, int] = {}
    lines: list[int] = []
    listed = 0
    for line, row in enumerate(conf.nodes):
        names = row["nodename"]
        for name in node_names(names.value, names.where):
            listed += 1
            if listed > MOST_NODES:
                raise InputError(f"{names.where}: there must be at most {MOST_NODES:,} nodes, but there are more")
            place = places.setdefault(name, len(places))
            if place == len(lines):
                lines.append(line)
            lines[place] = line
    of_lines = [row["state"].value.lower() if "state" in row else "unknown" for row in conf.nodes]
    states = [of_lines[line] for line in lines]
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
            if name in places:
                states[places[name]] = state
    return ConfNodes(places, np.array(lines, dtype=np.int64), tuple(states))


def amounts_of_nodes(conf: SlurmConf, machine: ConfNodes, resource: str) -> Ints:
    """Return how much of a resource each node has, (nodes,) int64; nodes of the future have nothing.

    Parameters
    ----------
    conf, machine
        The file and its nodes.
    resource
        "cpu", "mem" (MiB), "node" or "gres/gpu".

    Raises
    ------
    InputError
        A number breaks a rule.
    """
    of_lines = np.array([_AMOUNTS[resource](row) for row in conf.nodes], dtype=np.int64)
    amounts: Ints = np.where(machine.there, of_lines[machine.lines], 0) if len(machine.lines) else machine.lines
    return amounts


class NodeLists:
    """The nodes that partitions and sets of nodes list; equal lists are gone through once.

    Parameters
    ----------
    conf, machine
        The file and its nodes.
    """

    def __init__(self, conf: SlurmConf, machine: ConfNodes) -> None:
        self._machine = machine
        self._there = machine.there
        self._sets = {row["nodeset"].value: row for row in conf.sets}
        features = [row.get("feature", row.get("features", Setting("", ""))).value.lower() for row in conf.nodes]
        self._features = [frozenset(re.split("[,:]", text)) for text in features]
        self._known: dict[tuple[str, str], tuple[Mask, tuple[str, ...]]] = {}
        self._listed = 0

    def nodes_of(self, row: Mapping[str, Setting]) -> Mask:
        """Return which nodes a partition or a set of nodes has, (nodes,) bool; those of the future are left out."""
        return self._members(row, 0)[0]

    def missing(self, row: Mapping[str, Setting]) -> tuple[str, ...]:
        """Return the first names in a list that are no node's and no set's, four at most."""
        return self._members(row, 0)[1]

    def _members(self, row: Mapping[str, Setting], depth: int) -> tuple[Mask, tuple[str, ...]]:
        """Return the nodes of a list, or with a feature, and the first names that are none."""
        listed, feature = row.get("nodes", Setting("", "")), row.get("feature", Setting("", ""))
        if depth > DEEPEST:
            raise InputError(f"{listed.where}: sets of nodes must be at most {DEEPEST} deep; do they go round?")
        key = listed.value, feature.value.lower()
        if key not in self._known:
            self._known[key] = self._looked_up(listed, key[1], depth)
        return self._known[key]

    def _looked_up(self, setting: Setting, feature: str, depth: int) -> tuple[Mask, tuple[str, ...]]:
        """Return the nodes of a list that was not looked up before, and the first names that are none."""
        if (len(self._known) + 1) * len(self._there) > MOST_PLACES:
            raise InputError(
                f"{setting.where}: at most {MOST_PLACES // len(self._there):,} different lists of nodes are read of "
                f"a machine of {len(self._there):,} nodes, but there are more"
            )
        found = np.zeros(len(self._there), dtype=bool)
        places: list[int] = []
        missing: list[str] = []
        inner: dict[str, None] = {}
        for name in node_names(setting.value, setting.where):
            self._listed += 1
            if self._listed > MOST_LISTED:
                raise InputError(
                    f"{setting.where}: partitions and sets must list at most {MOST_LISTED:,} nodes, but list more"
                )
            place = self._machine.places.get(name, -1)
            if name in self._sets:
                inner[name] = None
            elif place >= 0:
                places.append(place)
            elif name.upper() == "ALL":
                found[:] = True
            elif len(missing) < 4:
                missing.append(name)
        found[places] = True
        if feature:
            of_lines = np.array([feature in words for words in self._features], dtype=bool)
            found |= of_lines[self._machine.lines]
        for name in inner:
            found |= self._members(self._sets[name], depth + 1)[0]
        found &= self._there
        found.flags.writeable = False
        return found, tuple(missing)


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
