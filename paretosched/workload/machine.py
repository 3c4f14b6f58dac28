"""A machine as its owner knows it: kinds of nodes, partitions that share them, licences, and when nodes are down."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import in_bounds, instance
from ..core.arrays import Ints, Mask, read_only
from ..core.errors import InputError, first_few, in_quotes, number_of, one_of
from ..core.notebook import fields_html, fields_repr, html_table
from .host_lists import MOST_NODES, name_order, node_names
from .limits import ROOT, Limits
from .preemption import Preemption

ALL = "ALL"  # stands for all nodes in a list of hosts
UNTYPED = "gpu"  # the type of GPUs of which nothing else is known
MOST = 2**31 - 1  # CPUs or GPUs of a node, and seconds of a limit
MOST_MEMORY = 2**40  # MiB
LARGEST_NODE = 2**30  # MiB; no node has more, so that it is another unit
FOR_EVER = 2**53  # Unix time of the end of a down time that has none
KNOWN, DRAIN, FAILURE = OUTAGES = ("known", "drain", "failure")  # kinds of down times
CHOICES = ("cons_tres", "linear", "first", "best", "spread")
GIVES = ("core", "cpu", "socket", "node")
TABLES = ("kinds", "partitions", "down")
SITE = ("limits", "reservations", "preemption")  # what a machine can be without
MOST_LISTS = 10_000  # kinds, partitions, down times, reservations
MOST_LIMITS = 200_000  # of QOS and associations
MOST_ACCOUNTS = 100_000
MOST_PLACES = 12_000_000  # partitions times nodes
MOST_PAIRS = 1_000_000  # partitions times kinds
MOST_LISTED = 2_000_000  # nodes in all different lists of partitions; in all lists of down times; of reservations


@dataclass(frozen=True, repr=False)
class NodeKind:
    """Nodes that are all alike.

    Parameters
    ----------
    hosts
        Their names, as a list such as "n[001-087]".
    cores
        Cores of each that jobs can use.
    memory
        MiB of each that jobs can use.
    gpus
        Pairs (or a mapping) of the types of GPUs and how many of them each node has; `UNTYPED` where the type is
        unknown.
    disk
        MiB of local disk; 0 if there is none, or it is not known.
    features
        Words that jobs can ask for.
    weight
        Nodes of a smaller weight are taken first.
    threads
        CPUs of a core: what jobs ask for are CPUs.

    Raises
    ------
    InputError
        A value breaks its rule.

    Examples
    --------
    >>> NodeKind("g[1-2]", cores=32, memory=187000, gpus={"v100": 2}).count
    2
    """

    hosts: str
    cores: int
    memory: int
    gpus: tuple[tuple[str, int], ...] = ()
    disk: int = 0
    features: tuple[str, ...] = ()
    weight: int = 1
    threads: int = 1

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        names = self.names
        where = f"nodes {in_quotes(self.hosts)}"
        if not names:
            raise InputError(f"{where}: there must be one node or more, but there is none")
        gpus = self.gpus.items() if isinstance(self.gpus, Mapping) else self.gpus
        of_type = {
            _word(f"{where}: a type of GPUs", word): in_bounds(f"{where}: {word}", n, MOST, 1) for word, n in gpus
        }
        object.__setattr__(self, "gpus", tuple(sorted(of_type.items())))
        words = tuple(dict.fromkeys(_word(f"{where}: a feature", word) for word in self.features))
        object.__setattr__(self, "features", words)
        bounds = {
            "cores": (1, MOST), "memory": (1, MOST_MEMORY), "disk": (0, MOST_MEMORY), "weight": (0, 2**32 - 1),
            "threads": (1, 1024),
        }  # fmt: skip
        for key, (lowest, highest) in bounds.items():
            object.__setattr__(self, key, in_bounds(f"{where}: {key}", getattr(self, key), highest, lowest))
        if self.memory > LARGEST_NODE:
            raise InputError(
                f"{where}: memory must be MiB of a node, at most {LARGEST_NODE:,}, but is {self.memory:,}; is it bytes "
                'or KiB? A text in machine.toml has a unit, such as "187G"'
            )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the nodes in the order of the list."""
        return tuple(_names(self.hosts, "hosts"))

    @property
    def count(self) -> int:
        """Return how many nodes there are."""
        return len(self.names)

    @property
    def cpus(self) -> int:
        """Return the CPUs of each node, cores times threads."""
        return self.cores * self.threads

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}


@dataclass(frozen=True, repr=False)
class Partition:
    """Nodes that jobs name together, and what is true of jobs there. Partitions may share nodes.

    Parameters
    ----------
    name
        Its name.
    hosts
        Its nodes, as a list such as "n[001-087],b1"; "ALL" for all of the machine.
    tier
        Partitions of a higher tier are served first (PriorityTier).
    longest, usual
        The longest time that a job may ask for, and that of a job that does not say one, s; None without an end, and
        for `usual` if it is `longest`.
    nodes_least, nodes_most
        How many nodes a job has at least and at most; None without a limit.
    memory_per_cpu, memory_per_node
        MiB of jobs that do not say how much; both None: all memory of their nodes.
    most_memory_per_cpu, most_memory_per_node
        MiB that a job may have; for more it gets more CPUs (per_cpu), or is refused (per_node); None without a limit.
    exclusive
        Whether each node runs one job only, whatever it asks for.
    least_loaded
        Whether the nodes with most free CPUs are taken first (LLN).
    up
        Whether jobs start there at all.
    default
        Whether jobs that name no partition go there.
    accounts, not_accounts, qos, not_qos
        Who may use it, and who may not; no names: everybody.
    own_qos
        The QOS whose limits hold in it; "" if it has none.

    Raises
    ------
    InputError
        A value breaks its rule.
    """

    name: str
    hosts: str = ALL
    tier: int = 1
    longest: int | None = None
    usual: int | None = None
    nodes_least: int | None = None
    nodes_most: int | None = None
    memory_per_cpu: int | None = None
    memory_per_node: int | None = None
    most_memory_per_cpu: int | None = None
    most_memory_per_node: int | None = None
    exclusive: bool = False
    least_loaded: bool = False
    up: bool = True
    default: bool = False
    accounts: tuple[str, ...] = ()
    not_accounts: tuple[str, ...] = ()
    qos: tuple[str, ...] = ()
    not_qos: tuple[str, ...] = ()
    own_qos: str = ""

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        where = f"partition {in_quotes(_word('the name of a partition', self.name))}"
        object.__setattr__(self, "tier", in_bounds(f"{where}: tier", self.tier, 65535))
        for key in ("longest", "usual", "nodes_least", "nodes_most"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, in_bounds(f"{where}: {key}", getattr(self, key), MOST, 1))
        for key in ("memory_per_cpu", "memory_per_node", "most_memory_per_cpu", "most_memory_per_node"):
            if getattr(self, key) is not None:
                object.__setattr__(self, key, in_bounds(f"{where}: {key}", getattr(self, key), MOST_MEMORY, 1))
        if None not in (self.memory_per_cpu, self.memory_per_node):
            raise InputError(f"{where}: must have memory_per_cpu or memory_per_node, but has both")
        for key in ("exclusive", "least_loaded", "up", "default"):
            instance(f"{where}: {key}", getattr(self, key), bool)
        for key in ("accounts", "not_accounts", "qos", "not_qos"):
            words = tuple(_word(f"{where}: {key}", word) for word in getattr(self, key))
            object.__setattr__(self, key, words)
        if self.own_qos:
            _word(f"{where}: own_qos", self.own_qos)

    def is_open_to(self, account: str, qos: str) -> bool:
        """Return whether jobs of an account and a QOS may use the partition."""
        rules = ((self.accounts, self.not_accounts, account), (self.qos, self.not_qos, qos))
        return all((not yes or word in yes) and word not in no for yes, no, word in rules)


@dataclass(frozen=True, repr=False)
class Outage:
    """When some nodes are down.

    Parameters
    ----------
    hosts
        The nodes, as a list.
    begin, end
        Unix times, half open; from 0 on if they were down before, until FOR_EVER if they do not come back.
    reason
        Why, in words.
    kind
        "known" if all schedulers know it beforehand, so that no job is there then. In the passes of Slurm two others
        come as a surprise, and so does their end: in a "drain" no job starts there, and those that run go on; with a
        "failure" these end, and wait again if they may be requeued. All other policies know these beforehand, too.

    Raises
    ------
    InputError
        A value breaks its rule.
    """

    hosts: str
    begin: int = 0
    end: int = FOR_EVER
    reason: str = ""
    kind: str = KNOWN

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        where = f"down time of {in_quotes(str(self.hosts))}"
        object.__setattr__(self, "begin", in_bounds(f"{where}: begin", self.begin, FOR_EVER - 1))
        object.__setattr__(self, "end", in_bounds(f"{where}: end", self.end, FOR_EVER, self.begin + 1))
        if not isinstance(self.reason, str) or not self.reason.isprintable():
            raise InputError(f"{where}: reason must be a text that can be printed, but is {self.reason!r:.60}")
        one_of(f"{where}: kind", self.kind, OUTAGES)


@dataclass(frozen=True, repr=False)
class Reservation:
    """Nodes that are kept for some jobs for a time: for those that name it, or for none.

    Parameters
    ----------
    name
        Its name; those that repeat have one name.
    hosts
        The nodes, as a list.
    begin, end
        Unix times, half open.
    users, accounts
        Whose jobs may name it; no names: everybody's. With "-" before a name: not those.
    flags
        Words such as MAINT, as Slurm has them.

    Raises
    ------
    InputError
        A value breaks its rule.

    Examples
    --------
    >>> Reservation("course", "n[1-2]", 1_700_000_000, 1_700_003_600, users=("anna",)).begin
    1700000000
    """

    name: str
    hosts: str
    begin: int
    end: int
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        where = f"reservation {in_quotes(_word('the name of a reservation', self.name))}"
        object.__setattr__(self, "begin", in_bounds(f"{where}: begin", self.begin, FOR_EVER - 1))
        object.__setattr__(self, "end", in_bounds(f"{where}: end", self.end, FOR_EVER, self.begin + 1))
        for key in ("users", "accounts", "flags"):
            words = tuple(_word(f"{where}: {key}", word) for word in getattr(self, key))
            object.__setattr__(self, key, words)


@dataclass(frozen=True, repr=False)
class Machine:
    """A machine of nodes. Its arrays have a row for each node, in Slurm's order: by name, numbers as numbers.

    Parameters
    ----------
    kinds
        The kinds of nodes; no node is of two kinds.
    partitions
        The partitions; without any, one with the name "all" has all nodes.
    licences
        Pairs (or a mapping) of names and numbers of licences, which all nodes share.
    down
        When nodes are down.
    choice
        How nodes are chosen: as Slurm's select/cons_tres and select/linear ("linear" gives whole nodes), or the
        "first" that fit, the "best" fit, or "spread" over the nodes with most free CPUs.
    gives
        What a job gets at least: a "core" with all its threads, a "cpu", a "socket" (here as a core), or a "node".
    shares_memory
        Whether memory is given out to jobs; if not, it only says on which nodes a job fits.
    name
        Its name.
    guessed
        What was assumed when it was read, one line each.
    switches
        Pairs (or a mapping) of names and nodes of the leaf switches of the network, if nodes are chosen by them, as
        with topology/tree: those of one leaf if it has enough. Nodes without a leaf are one more leaf.
    limits
        Of QOS and associations; sorted.
    accounts
        Pairs (or a mapping) of each account and the account above it, ROOT at the top; needed for limits only.
    reservations
        Nodes that are kept for some jobs, or for none.
    homes
        Pairs (or a mapping) of users and the account of those of their jobs that name none; needed for limits only.
    preemption
        Whose jobs make way for others; None if none do.
    qos
        Pairs (or a mapping) of QOS and their priorities, as far as these are known.
    over_time_limit, kill_wait
        s, how long jobs may run beyond their time limit, and until they have ended then; for passes of Slurm.
    kill_invalid
        Whether jobs are cancelled that wait for what cannot happen any more (DependencyParameters); else they wait for
        ever.

    Raises
    ------
    InputError
        A value breaks its rule.

    Examples
    --------
    >>> m = Machine((NodeKind("n[1-2]", 4, 8000), NodeKind("g1", 8, 16000, {"v100": 2})), (Partition("gpu", "g1"),))
    >>> m.names, m.cpus.tolist(), m.members.tolist()
    (('g1', 'n1', 'n2'), [8, 4, 4], [[True, False, False]])
    """

    kinds: tuple[NodeKind, ...]
    partitions: tuple[Partition, ...] = ()
    licences: tuple[tuple[str, int], ...] = ()
    down: tuple[Outage, ...] = ()
    choice: str = "cons_tres"
    gives: str = "core"
    shares_memory: bool = True
    name: str = ""
    guessed: tuple[str, ...] = ()
    switches: tuple[tuple[str, str], ...] = ()
    limits: tuple[Limits, ...] = ()
    accounts: tuple[tuple[str, str], ...] = ()
    reservations: tuple[Reservation, ...] = ()
    homes: tuple[tuple[str, str], ...] = ()
    preemption: Preemption | None = None
    qos: tuple[tuple[str, int], ...] = ()
    over_time_limit: int = 0
    kill_wait: int = 30
    kill_invalid: bool = False

    def __post_init__(self) -> None:
        lists = {"kinds": NodeKind, "partitions": Partition, "down": Outage, "limits": Limits}
        for key, each in (lists | {"reservations": Reservation}).items():
            values = tuple(getattr(self, key))
            for value in values:
                instance(key, value, each)
            most = MOST_LIMITS if key == "limits" else MOST_LISTS
            if len(values) > most:
                raise InputError(f"{key}: a machine must have at most {most:,}, but has {len(values):,}")
            object.__setattr__(self, key, values)
        object.__setattr__(self, "limits", tuple(sorted(self.limits, key=lambda each: each.whose)))
        accounts = self.accounts.items() if isinstance(self.accounts, Mapping) else self.accounts
        pairs = tuple((_word("an account", word), _word(f"account {word}: above", above)) for word, above in accounts)
        object.__setattr__(self, "accounts", pairs)
        homes = self.homes.items() if isinstance(self.homes, Mapping) else self.homes
        if len(tuple(homes)) > MOST_LIMITS:
            raise InputError(f"homes: a machine must have at most {MOST_LIMITS:,}, but has more")
        pairs = tuple((_word("a user", word), _word(f"user {word}: account", home)) for word, home in homes)
        object.__setattr__(self, "homes", pairs)
        qos = self.qos.items() if isinstance(self.qos, Mapping) else self.qos
        priorities = tuple((_word("a QOS", word), in_bounds(f"priority of QOS {word}", n, MOST, 0)) for word, n in qos)
        object.__setattr__(self, "qos", priorities)
        if not self.partitions:
            object.__setattr__(self, "partitions", (Partition("all", default=True),))
        licences = self.licences.items() if isinstance(self.licences, Mapping) else self.licences
        known = {_word("a licence", word): in_bounds(f"licence {word}", n, MOST) for word, n in licences}
        object.__setattr__(self, "licences", tuple(known.items()))
        object.__setattr__(self, "guessed", tuple(str(text) for text in self.guessed))
        switches = self.switches.items() if isinstance(self.switches, Mapping) else self.switches
        object.__setattr__(self, "switches", tuple((_word("a switch", word), str(hosts)) for word, hosts in switches))
        if self.preemption is not None:
            instance("preemption", self.preemption, Preemption)
        for key in ("over_time_limit", "kill_wait"):
            object.__setattr__(self, key, in_bounds(key, getattr(self, key), MOST, 0))
        one_of("choice", self.choice, CHOICES)
        one_of("gives", self.gives, GIVES)
        for key in ("shares_memory", "kill_invalid"):
            instance(key, getattr(self, key), bool)
        if not isinstance(self.name, str) or not self.name.isprintable():
            raise InputError(f"name must be a text that can be printed, but is {self.name!r:.60}")
        self._check_nodes()

    def _check_nodes(self) -> None:
        """Raise InputError if nodes or partitions are there twice, or not there."""
        if not self.kinds:
            raise InputError("a machine must have one kind of nodes or more, but has none")
        count = sum(kind.count for kind in self.kinds)
        if count > MOST_NODES:
            raise InputError(f"a machine must have at most {MOST_NODES:,} nodes, but has {count:,}")
        _check_once("node", (name for kind in self.kinds for name in kind.names))
        _check_once("partition", (part.name for part in self.partitions))
        if (total := sum(kind.count * kind.cpus for kind in self.kinds)) > MOST:
            raise InputError(f"a machine must have at most {MOST:,} CPUs, but has {total:,}")
        defaults = [part.name for part in self.partitions if part.default]
        if len(defaults) > 1:
            raise InputError(f"one partition can be the default, but {first_few(defaults)} are")
        for what, number, most in (("nodes", count, MOST_PLACES), ("kinds", len(self.kinds), MOST_PAIRS)):
            if (product := number * len(self.partitions)) > most:
                raise InputError(f"partitions times {what} of a machine must be at most {most:,}, but are {product:,}")
        for part, members in zip(self.partitions, self.members, strict=True):
            if not members.any():
                raise InputError(f"partition {in_quotes(part.name)}: must have a node, but has none")
        self._check_hosts("a down time", [each.hosts for each in self.down])
        self._check_hosts("a reservation", [each.hosts for each in self.reservations])
        _check_once("list of the limits of one", (each.of for each in self.limits))
        _check_accounts(self.accounts)
        _check_once("switch", (name for name, _ in self.switches))
        leaves = [self.places(hosts, f"switch {in_quotes(name)}") for name, hosts in self.switches]
        _check_once("node of a switch", (self.names[place] for leaf in leaves for place in leaf.tolist()))

    def _check_hosts(self, what: str, lists: Iterable[str]) -> None:
        """Raise InputError if a list has nodes that are not there, or all lists together have very many."""
        sizes: dict[str, int] = {}
        listed = 0
        for hosts in lists:
            if hosts not in sizes:
                sizes[hosts] = len(self.places(hosts, what))
            listed += sizes[hosts]
            if listed > MOST_LISTED:
                raise InputError(f"all lists of {what} must have at most {MOST_LISTED:,} nodes together, but have more")

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __repr__(self) -> str:
        gpus = f", {int(self.gpus.sum()):,} GPUs" if self.gpu_types else ""
        kinds = f"{number_of(len(self.names), 'node')} of {number_of(len(self.kinds), 'kind')}"
        size = f"{kinds}, {number_of(self.capacity, 'CPU')}{gpus}, {number_of(len(self.partitions), 'partition')}"
        return f"<Machine{f' {self.name}' if self.name else ''}: {size}>"

    def _repr_html_(self) -> str:
        rows = [(kind.hosts, kind.count, kind.cpus, kind.memory, dict(kind.gpus)) for kind in self.kinds]
        return html_table(repr(self).strip("<>"), ("hosts", "nodes", "CPUs", "MiB", "GPUs"), rows)

    @property
    def capacity(self) -> int:
        """Return the CPUs of all nodes."""
        return int(self.cpus.sum())

    @property
    def gives_nodes(self) -> bool:
        """Return whether every job gets whole nodes."""
        return self.choice == "linear" or self.gives == "node"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of all nodes in order: by name, numbers as numbers."""
        return tuple(sorted((name for kind in self.kinds for name in kind.names), key=name_order))

    @cached_property
    def place_of(self) -> Mapping[str, int]:
        """Return the place of each node in `names`."""
        return {name: place for place, name in enumerate(self.names)}

    @property
    def default(self) -> Partition:
        """Return the partition of jobs that name none: the one that says so, else the first."""
        return next((part for part in self.partitions if part.default), self.partitions[0])

    def partitions_of(self, text: str) -> list[int]:
        """Return the places of the partitions that a job names, with commas between them; only those that there are.

        Those of a higher tier come first, others in the order in which the job names them.
        """
        numbers = {part.name: number for number, part in enumerate(self.partitions)}
        named = dict.fromkeys(word.strip() for word in (text or self.default.name).split(","))
        return sorted((numbers[name] for name in named if name in numbers), key=lambda k: -self.partitions[k].tier)

    def places(self, hosts: str, where: str = "hosts") -> Ints:
        """Return the places of the nodes of a list, (k,) int64, ascending, each once.

        Raises
        ------
        InputError
            It is no list, or a node is not there.
        """
        if hosts.strip().upper() == ALL:
            return np.arange(len(self.names))
        listed = dict.fromkeys(_names(hosts, where))
        missing = [name for name in listed if name not in self.place_of]
        if missing:
            raise InputError(f"{where}: all nodes must be of the machine, but not there is {first_few(missing)}")
        return np.array(sorted(self.place_of[name] for name in listed), dtype=np.int64)

    @cached_property
    def kind(self) -> Ints:
        """Return the kind of each node, (nodes,) int64."""
        kinds = np.empty(len(self.names), dtype=np.int64)
        for number, kind in enumerate(self.kinds):
            kinds[[self.place_of[name] for name in kind.names]] = number
        return read_only(kinds)

    def _by_node(self, of_kinds: ArrayLike) -> Ints:
        """Return what the nodes of each kind have, by node."""
        return read_only(np.array(of_kinds, dtype=np.int64)[self.kind])

    @cached_property
    def leaf(self) -> Ints:
        """Return the place of each node's switch, (nodes,) int64; of nodes without one the number of switches."""
        leaf = np.full(len(self.names), len(self.switches), dtype=np.int64)
        for number, (_, hosts) in enumerate(self.switches):
            leaf[self.places(hosts)] = number
        return read_only(leaf)

    @cached_property
    def cores(self) -> Ints:
        """Return the cores of each node, (nodes,) int64."""
        return self._by_node([kind.cores for kind in self.kinds])

    @cached_property
    def threads(self) -> Ints:
        """Return the CPUs of each core of a node, (nodes,) int64."""
        return self._by_node([kind.threads for kind in self.kinds])

    @cached_property
    def cpus(self) -> Ints:
        """Return the CPUs of each node, (nodes,) int64."""
        return read_only(self.cores * self.threads)

    @cached_property
    def memory(self) -> Ints:
        """Return the memory of each node, (nodes,) MiB int64."""
        return self._by_node([kind.memory for kind in self.kinds])

    @cached_property
    def disk(self) -> Ints:
        """Return the local disk of each node, (nodes,) MiB int64."""
        return self._by_node([kind.disk for kind in self.kinds])

    @cached_property
    def weight(self) -> Ints:
        """Return the weight of each node, (nodes,) int64; the smaller, the sooner it is taken."""
        return self._by_node([kind.weight for kind in self.kinds])

    @cached_property
    def gpu_types(self) -> tuple[str, ...]:
        """Return the types of GPUs that there are, sorted."""
        return tuple(sorted({word for kind in self.kinds for word, _ in kind.gpus}))

    @cached_property
    def gpus(self) -> Ints:
        """Return the GPUs of each node by type, (nodes, types) int64."""
        of_kinds = np.zeros((len(self.kinds), len(self.gpu_types)), dtype=np.int64)
        for number, kind in enumerate(self.kinds):
            for word, count in kind.gpus:
                of_kinds[number, self.gpu_types.index(word)] = count
        return self._by_node(of_kinds)

    @cached_property
    def features(self) -> tuple[frozenset[str], ...]:
        """Return the features of the nodes of each kind."""
        return tuple(frozenset(kind.features) for kind in self.kinds)

    @cached_property
    def members(self) -> Mask:
        """Return which nodes each partition has, (partitions, nodes) bool."""
        members = np.zeros((len(self.partitions), len(self.names)), dtype=np.bool_)
        first: dict[str, int] = {}  # the first partition of each list
        listed = 0
        for number, part in enumerate(self.partitions):
            same = first.setdefault(part.hosts, number)
            if same < number:
                members[number] = members[same]
                continue
            places = self.places(part.hosts, f"partition {in_quotes(part.name)}")
            listed += len(places)
            if listed > MOST_LISTED:
                raise InputError(f"partitions must list at most {MOST_LISTED:,} nodes, but list more")
            members[number, places] = True
        return read_only(members)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all on which a simulation depends: its name, and what was guessed, are not in it.

        Nor is what is as usual, so that the digest stays when machines can have more.
        """
        own = [(key, each) for key, each in _not_usual(self) if key not in (*TABLES, *SITE, "name", "guessed")]
        rows: list[tuple[str, list[Any]]] = [(key, [_not_usual(each) for each in getattr(self, key)]) for key in TABLES]
        if self.reservations:
            rows.append(("reservations", [_not_usual(each) for each in self.reservations]))
        if self.preemption is not None:
            rows.append(("preemption", [_not_usual(self.preemption)]))
        if self.limits:
            rows.append(("limits", [(each[0].terms, [one.whose for one in each]) for each in alike_limits(self)]))
        return hashlib.sha256(f"paretosched machine 1 {own} {rows}".encode()).hexdigest()

    @property
    def always_down(self) -> Machine:
        """Return the machine of another time: only those nodes are down that never are up, and none are reserved."""
        down = tuple(each for each in self.down if (each.begin, each.end) == (0, FOR_EVER))
        return replace(self, down=down, reservations=())

    def without(self, *words: str) -> Machine:
        """Return the machine without its "limits" (and accounts), its "reservations", or its "preemption".

        Raises
        ------
        InputError
            A word is another one.
        """
        for word in words:
            one_of("what a machine can be without", word, SITE)
        machine = replace(self, limits=(), accounts=(), homes=()) if "limits" in words else self
        machine = replace(machine, preemption=None) if "preemption" in words else machine
        return replace(machine, reservations=()) if "reservations" in words else machine

    @cached_property
    def up(self) -> Mask:
        """Return which nodes are not down for good, (nodes,) bool."""
        up = np.ones(len(self.names), dtype=np.bool_)
        for each in self.always_down.down:
            up[self.places(each.hosts)] = False
        return read_only(up)

    @property
    def nodes_fail(self) -> bool:
        """Return whether some of its down times are failures."""
        return any(each.kind == FAILURE for each in self.down)

    def down_by_node(self, epoch: int, *kinds: str) -> tuple[Ints, Ints, Ints]:
        """Return node, begin and end of down times, (k,) int64 each, in seconds after a Unix time, from 0 on.

        They are those of some `kinds`, or all.
        """
        rows = [
            (place, max(each.begin - epoch, 0), each.end if each.end == FOR_EVER else each.end - epoch)
            for each in self.down
            for place in self.places(each.hosts).tolist()
            if each.end > epoch and each.kind in (kinds or OUTAGES)
        ]
        node, begin, end = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T
        return read_only(node.copy()), read_only(begin.copy()), read_only(end.copy())


def alike_limits(machine: Machine) -> list[list[Limits]]:
    """Return the limits of a machine, those together that are the same for several; a large site has few different."""
    alike: dict[tuple[Any, ...], list[Limits]] = {}
    for limits in machine.limits:
        alike.setdefault(limits.terms, []).append(limits)
    return [*alike.values()]


def _not_usual(value: Any) -> list[tuple[str, Any]]:
    """Return the fields of a value that are not as usual, with their names."""
    return [(f.name, getattr(value, f.name)) for f in fields(value) if getattr(value, f.name) != f.default]


def _names(hosts: str, where: str) -> list[str]:
    """Return the names in a list of hosts."""
    if not isinstance(hosts, str):
        raise InputError(f"{where}: hosts must be a list such as n[1-64] as a text, but is {hosts!r:.60}")
    names = list(node_names(hosts, where))
    wrong = [name for name in names if not name.isprintable() or any(letter.isspace() for letter in name)]
    if wrong:
        raise InputError(f"{where}: a name of a node must be a word, but is {in_quotes(wrong[0])}")
    return names


def _word(what: str, value: Any) -> str:
    """Return a value that must be a word without blanks and commas."""
    if not isinstance(value, str) or not value.isprintable() or not value.split() or set(value) & {" ", ","}:
        raise InputError(f"{what} must be a word without blanks and commas, but is {value!r:.60}")
    return value


def _check_once(what: str, names: Iterable[str]) -> None:
    """Refuse a name that comes twice."""
    met: set[str] = set()
    for name in names:
        if name in met:
            raise InputError(f"a {what} must come once, but {in_quotes(name)} comes twice")
        met.add(name)


def _check_accounts(pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse accounts that come twice, or in no account that there is, or in themselves."""
    if len(pairs) > MOST_ACCOUNTS:
        raise InputError(f"accounts: a machine must have at most {MOST_ACCOUNTS:,}, but has {len(pairs):,}")
    _check_once("account", (word for word, _ in pairs))
    above = dict(pairs)
    if ROOT in above:
        raise InputError(f"account {ROOT} is above all others, but is in {in_quotes(above[ROOT])}")
    done = {ROOT}
    for word in above:
        path: dict[str, None] = {}
        while word not in done:
            if word in path:
                raise InputError(f"account {in_quotes(word)} is in itself")
            if word not in above:
                raise InputError(f"all accounts must be in one that there is, but not there is {in_quotes(word)}")
            path[word] = None
            word = above[word]
        done.update(path)
