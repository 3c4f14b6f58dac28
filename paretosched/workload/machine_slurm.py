"""The machine that a slurm.conf describes, with a gres.conf beside it; or what scontrol printed of it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arguments import as_path
from ..core.errors import InputError, first_few, in_quotes
from ..core.files import is_file
from .host_lists import host_list, name_order, node_names
from .machine import ALL, MOST_LISTED, UNTYPED, Machine, NodeKind, Outage, Partition
from .preemption import KINDS, MOST, SUSPEND, Preemption
from .slurm_conf import NOT_SET, Setting, SlurmConf, duration, is_yes, read_rows, read_slurm_conf, whole
from .slurm_nodes import ConfNodes, NodeLists, machine_of

Row = Mapping[str, Setting]
GRES_FILE = "gres.conf"
SWITCH_FILE = "topology.conf"
GPUS = re.compile(r"gpu(?::([^:(),=]*[^\d:(),=][^:(),=]*))?(?:[:=](\d{1,9})(k?))?", re.IGNORECASE)
DOWN = {"down", "drain", "drained", "draining", "fail", "failing", "error"}  # words of a node's state
STATE_WORDS = re.compile(r"[a-z_]+")
UNITS = ("core", "cpu", "socket")
MOST_CPUS = 10**6  # of a node
MOST_TIER = 65533
NO_LIMIT = ("unlimited", "infinite", "none", "-1", "0", *NOT_SET)
EVERYBODY = ("", "all", *NOT_SET)
NOT_READ = {
    "exclusiveuser": "ExclusiveUser: nodes are shared by users",
    "maxcpuspernode": "MaxCPUsPerNode: a job may have all CPUs of a node",
    "defmempergpu": "DefMemPerGPU: memory is by CPU or node",
    "tresbillingweights": "TRESBillingWeights: jobs are weighed by the largest share of a resource",
}  # of a partition, where set: what is done instead


def read_slurm_machine(path: str | os.PathLike[str]) -> Machine:
    """Return the machine of a slurm.conf, or of what scontrol show config, show partition and show node printed.

    Types of GPUs that slurm.conf does not name come from a gres.conf beside it, and switches from a topology.conf.

    Raises
    ------
    InputError
        The file cannot be read, or is none; or it has no nodes.
    """
    place = as_path(path)
    conf = read_slurm_conf(place)
    guessed: dict[str, None] = {}
    if not conf.nodes:
        more = "; print scontrol show node and scontrol show partition behind it" if conf.printed else ""
        raise InputError(f"{place}: a machine must have nodes, but no line has NodeName=...{more}")
    nodes = machine_of(conf)
    _note_doubles(conf, nodes, guessed)
    types = _types_of_gpus(place.parent / GRES_FILE)
    kinds, names = _kinds(conf, nodes, types, guessed)
    partitions = [*_partitions(conf, nodes, names, guessed)]
    if not partitions:
        guessed["no partition is said: one with all nodes"] = None
    choice, gives, shares_memory = _choice(conf, guessed)
    switches = _switches(conf, place.parent / SWITCH_FILE, set(names), guessed)
    try:
        return Machine(
            tuple(kinds),
            tuple(partitions),
            tuple(_licences(conf)),
            tuple(_down(conf, nodes, guessed)),
            choice,
            gives,
            shares_memory,
            conf.text("ClusterName"),
            tuple(guessed),
            tuple(switches),
            preemption=_preemption(conf, guessed),
            over_time_limit=_over_time(conf),
            kill_wait=_whole_of(conf, "KillWait", MOST, Machine.kill_wait),
            kill_invalid="kill_invalid_depend" in {word.lower() for word in conf.words("DependencyParameters")},
        )
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def _note_doubles(conf: SlurmConf, nodes: ConfNodes, guessed: dict[str, None]) -> None:
    """Note names with which slurmctld does not start: said twice, or of no node."""
    names = Counter(name for row in conf.nodes for name in node_names(row["nodename"].value, row["nodename"].where))
    partitions = Counter(row["partitionname"].value for row in conf.partitions)
    for what, counts in (("node", names), ("partition", partitions)):
        if twice := [name for name, count in counts.items() if count > 1]:
            guessed[f"{what} in several lines, of which the last one counts: {first_few(twice)}"] = None
    down = (name for row in conf.down for name in node_names(row["downnodes"].value, row["downnodes"].where))
    if unknown := [name for name in down if name not in nodes.places and name.upper() != "ALL"]:
        guessed[f"DownNodes names nodes that are not there: {first_few(unknown)}"] = None


# --- nodes ------------------------------------------------------------------------------------------------------------


def _kinds(
    conf: SlurmConf, nodes: ConfNodes, types: Mapping[str, Mapping[str, int]], guessed: dict[str, None]
) -> tuple[list[NodeKind], list[str]]:
    """Return the kinds of nodes, and the names of all nodes in Slurm's order, without those of the future."""
    there = nodes.there
    names = sorted((name for name, place in nodes.places.items() if there[place]), key=name_order)
    lines = {line: _values(conf.nodes[line], guessed) for line in {*nodes.lines[there].tolist()}}
    of_kind: dict[tuple[Any, ...], list[str]] = {}
    untyped = []
    for name in names:
        values = lines[int(nodes.lines[nodes.places[name]])]
        known = types.get(name, types.get("", {}))
        if dict(values["gpus"]).keys() == {UNTYPED} and known and known.keys() != {UNTYPED}:
            if sum(known.values()) == dict(values["gpus"])[UNTYPED]:
                values = values | {"gpus": tuple(sorted(known.items()))}
        elif not values["gpus"] and name in types:
            untyped.append(name)
        of_kind.setdefault(tuple(values.items()), []).append(name)
    if untyped:
        guessed[f"gres.conf has GPUs of {host_list(untyped)}, for which slurm.conf has no Gres=: none, as Slurm"] = None
    ordered = sorted(of_kind.items(), key=lambda each: min(nodes.places[name] for name in each[1]))
    return [NodeKind(host_list(hosts), **dict(values)) for values, hosts in ordered], names


def _values(row: Row, guessed: dict[str, None]) -> dict[str, Any]:
    """Return what a NodeName line says of each of its nodes, as arguments of a `NodeKind`."""
    cores, threads = _cores(row, guessed)
    spec = sum(1 for _ in _numbers(row["cpuspeclist"])) // threads if "cpuspeclist" in row else 0
    spec = _number(row, "corespeccount", spec)
    memory = _number(row, "realmemory", 1, 2**40)
    if "realmemory" not in row:
        guessed[f"{_in_words(row)} have no RealMemory: 1 MiB each, as Slurm takes it"] = None
    words = next((row[key].value for key in ("feature", "features", "availablefeatures") if key in row), "")
    return {
        "cores": max(cores - spec, 1),
        "memory": max(memory - _number(row, "memspeclimit", 0, 2**40), 1),
        "gpus": tuple(sorted(_gpus(row, guessed).items())),
        "disk": _number(row, "tmpdisk", 0, 2**40),
        "features": tuple(word.strip() for word in words.split(",") if word.strip() and word.lower() not in NOT_SET),
        "weight": _number(row, "weight", 1),
        "threads": threads,
    }


def _cores(row: Row, guessed: dict[str, None]) -> tuple[int, int]:
    """Return the cores of each node of a line, and the CPUs of each core."""
    threads = max(_number(row, "threadspercore", 1, MOST_CPUS), 1)
    sockets = _number(row, "sockets", _number(row, "boards", 1, MOST_CPUS) * _number(row, "socketsperboard", 1))
    cores = max(sockets, 1) * max(_number(row, "corespersocket", 1, MOST_CPUS), 1)
    said = next((_number(row, key, 1, MOST_CPUS) for key in ("cpus", "procs") if key in row), None)
    if said is None or said == cores * threads:
        return cores, threads
    if not {"sockets", "socketsperboard", "corespersocket", "boards"} & row.keys() and said % threads == 0:
        return said // threads, threads
    if said != cores:
        cpus = cores * threads
        guessed[f"{_in_words(row)}: CPUs={said} fits no sockets, cores and threads: {cpus}, as Slurm resets it"] = None
        return cores, threads
    return cores, 1  # a core is one CPU


def _gpus(row: Row, guessed: dict[str, None]) -> dict[str, int]:
    """Return the GPUs of each node of a line by type."""
    gpus: dict[str, int] = {}
    text = re.sub(r"\([^)]*\)|:no_consume", "", row["gres"].value if "gres" in row else "")
    for part in text.split(","):
        match = GPUS.fullmatch(part.strip())
        if match is None and part.strip().lower().startswith("gpu:"):
            where = row["gres"].where
            raise InputError(f"{where}: Gres must be gpu:TYPE:NUMBER or gpu:NUMBER, but is {in_quotes(part.strip())}")
        if match is not None:
            kind, count = match[1] or UNTYPED, int(match[2] or 1) * (1024 if match[3] else 1)
            gpus[kind] = gpus.get(kind, 0) + count
        elif part.strip() and part.strip().lower() not in NOT_SET:
            guessed[f"resources of nodes that are no GPUs are not read, such as {in_quotes(part.strip())}"] = None
    return {kind: count for kind, count in gpus.items() if count}


def _types_of_gpus(path: Path) -> dict[str, dict[str, int]]:
    """Return the types of the GPUs of nodes in a gres.conf, by name, "" for all nodes; none without the file."""
    types: dict[str, dict[str, int]] = {}
    if not is_file(path):
        return types
    for where, row in read_rows(path):
        if "name" not in row or row["name"].value.lower() != "gpu":
            continue
        files = row.get("file", row.get("multiplefiles"))
        listed = 1 if files is None else sum(1 for _ in node_names(files.value, where))
        count = whole("Count", row["count"], MOST_CPUS) if "count" in row else listed
        kind = row["type"].value if "type" in row else UNTYPED
        for name in node_names(row["nodename"].value, where) if "nodename" in row else [""]:
            of_node = types.setdefault(name, {})
            of_node[kind] = of_node.get(kind, 0) + count
    return types


def _down(conf: SlurmConf, nodes: ConfNodes, guessed: dict[str, None]) -> Iterator[Outage]:
    """Yield the nodes that are down by the file, until somebody resumes them."""
    names = [
        name
        for name, place in nodes.places.items()
        if not DOWN.isdisjoint(STATE_WORDS.findall(nodes.states[place])) and nodes.there[place]
    ]
    if names and conf.printed:
        guessed[f"down or drained when it was printed: {first_few(names)}; taken to be up"] = None
    elif names:
        reasons = {row["reason"].value for row in conf.down if "reason" in row}
        yield Outage(host_list(sorted(names, key=name_order)), reason="; ".join(sorted(reasons)))


def _switches(conf: SlurmConf, path: Path, names: set[str], guessed: dict[str, None]) -> list[tuple[str, str]]:
    """Return the leaf switches of a topology.conf and the nodes of each, if nodes are chosen by them."""
    plugin = conf.text("TopologyPlugin").lower().removeprefix("topology/")
    if plugin not in ("tree", "block", "torus", "3d_torus"):
        return []
    if plugin != "tree" or not is_file(path):
        why = f"no {SWITCH_FILE} is beside it" if plugin == "tree" else "only that of topology/tree is"
        guessed[f"the topology of the network is not read, as {why}: nodes are taken by name"] = None
        return []
    rows = [(where, row) for where, row in read_rows(path) if "switchname" in row and "nodes" in row]
    listed = {row["switchname"].value: [*node_names(row["nodes"].value, where)] for where, row in rows}
    if unknown := [name for hosts in listed.values() for name in hosts if name not in names]:
        guessed[f"{SWITCH_FILE} names nodes that are not there: {first_few(unknown)}"] = None
    leaves = {name: [host for host in hosts if host in names] for name, hosts in listed.items()}
    without = sorted(names.difference(*leaves.values()), key=name_order)
    if leaves and without:
        guessed[f"{SWITCH_FILE} has no switch for {first_few(without)}: one more for all of them"] = None
    return [(name, host_list(sorted(hosts, key=name_order))) for name, hosts in leaves.items() if hosts]


# --- partitions -------------------------------------------------------------------------------------------------------


def _partitions(conf: SlurmConf, nodes: ConfNodes, names: list[str], guessed: dict[str, None]) -> Iterator[Partition]:
    """Yield the partitions that have nodes."""
    lists = NodeLists(conf, nodes)
    order = np.array([nodes.places[name] for name in names], dtype=np.int64)
    everywhere = "cr_lln" in conf.text("SelectTypeParameters").lower()
    rows = {row["partitionname"].value: row for row in conf.partitions}  # the last line of a name counts
    defaults = [name for name, row in rows.items() if "default" in row and is_yes("Default", row["default"])]
    known: dict[bytes, str] = {}  # the list of hosts of each set of nodes
    listed = 0
    for name, row in rows.items():
        members = lists.nodes_of(row)[order]
        hosts = known.get(same := np.packbits(members).tobytes())
        if hosts is None:
            listed += (count := int(members.sum()))
            if listed > MOST_LISTED:
                where = row["partitionname"].where
                raise InputError(f"{where}: partitions must have at most {MOST_LISTED:,} nodes, but have more")
            alone = [names[place] for place in np.flatnonzero(members).tolist()]
            hosts = known[same] = ALL if count == len(names) else host_list(alone)
        if missing := lists.missing(row):
            guessed[f"partition {name} names nodes that are not there: {first_few(missing)}"] = None
        if not hosts:
            guessed[f"partition {name} has no nodes: left out"] = None
            continue
        for key, words in NOT_READ.items():
            if key in row and row[key].value.lower() not in (*NO_LIMIT, "no"):
                guessed[f"partition {name} has {words}"] = None
        shared = next((row[key].value.lower() for key in ("oversubscribe", "shared") if key in row), "no")
        if shared.partition(":")[0] in ("force", "yes") and shared != "force:1" and shared != "yes:1":
            guessed[f"partition {name} has OverSubscribe={shared}: cores are not given to several jobs here"] = None
        state = row["state"].value.lower() if "state" in row else "up"
        partition = Partition(
            name,
            hosts,
            tier=min(_number(row, "prioritytier", _number(row, "priority", 1)), MOST_TIER),
            longest=_seconds(row, "maxtime"),
            usual=_seconds(row, "defaulttime"),
            nodes_least=_limit(row, "minnodes"),
            nodes_most=_limit(row, "maxnodes"),
            exclusive=shared == "exclusive",
            least_loaded=everywhere or ("lln" in row and is_yes("LLN", row["lln"])),
            up=state in ("up", "drain"),
            default=name == (defaults or [""])[-1],
            accounts=_who(row, "allowaccounts"),
            not_accounts=() if _who(row, "allowaccounts") else _who(row, "denyaccounts"),
            qos=_who(row, "allowqos"),
            not_qos=() if _who(row, "allowqos") else _who(row, "denyqos"),
            own_qos=(_who(row, "qos") or ("",))[0],
        )
        yield replace(partition, **_memory(row, conf.settings))


def _memory(row: Row, settings: Row) -> dict[str, Any]:
    """Return the memory that jobs have if they say nothing, and at most: of a partition, else of the machine."""
    memory: dict[str, Any] = {}
    for which, word in (("def", ""), ("max", "most_")):
        for place in (row, settings):
            said = {
                f"{word}memory_per_{unit}": amount
                for unit in ("cpu", "node")
                if (amount := _limit(place, f"{which}memper{unit}")) is not None
            }
            if said:
                memory |= dict([next(iter(said.items()))])
                break
            if f"{which}mempercpu" in place or f"{which}mempernode" in place:
                break  # said to be without a limit
    return memory


def _choice(conf: SlurmConf, guessed: dict[str, None]) -> tuple[str, str, bool]:
    """Return how nodes are chosen, what a job gets at least, and whether memory is given out."""
    plugin = conf.text("SelectType").lower().removeprefix("select/")
    words = conf.text("SelectTypeParameters").lower()
    if plugin == "linear":
        return "linear", "node", "memory" in words
    if plugin not in ("cons_tres", "cons_res"):
        what = f"SelectType={plugin} is not known" if plugin else "SelectType is not said"
        guessed[f"{what}: cons_tres taken for it"] = None
    gives = next((unit for unit in UNITS if f"cr_{unit}" in words.replace("cr_core_default", "")), "")
    if not gives:
        gives = "core"
        guessed["SelectTypeParameters do not say what is given out: cores and memory"] = None
        return "cons_tres", gives, True
    if gives == "socket":
        guessed["SelectTypeParameters=CR_Socket: cores are given out, not whole sockets"] = None
    for word in ("cr_pack_nodes", "cr_one_task_per_core"):
        if word in words:
            guessed[f"SelectTypeParameters has {word}: not regarded"] = None
    return "cons_tres", gives, "memory" in words


def _over_time(conf: SlurmConf) -> int:
    """Return how long jobs may run beyond their time limit, s."""
    text = conf.text("OverTimeLimit")
    if text.upper() in ("UNLIMITED", "INFINITE"):
        return MOST
    return 60 * _whole_of(conf, "OverTimeLimit", MOST // 60, 0)


def _whole_of(conf: SlurmConf, key: str, most: int, usual: int) -> int:
    """Return a number of a slurm.conf, at most `most`; the usual one if it is not said."""
    return whole(key, conf.settings[key.lower()], most) if conf.text(key) else usual


def _preemption(conf: SlurmConf, guessed: dict[str, None]) -> Preemption | None:
    """Return whose jobs make way for others, but for what QOS say; None if none do."""
    kind = conf.text("PreemptType").lower().removeprefix("preempt/")
    requeues = conf.text("JobRequeue").strip() != "0"
    if kind in ("", "none", *NOT_SET):
        return None if requeues else Preemption(KINDS[0], "off", requeues=False)  # for jobs of nodes that fail
    if kind not in KINDS:
        guessed[f"PreemptType={kind} is not known: no job makes way for others"] = None
        return None
    rows = {row["partitionname"].value: row for row in conf.partitions}
    modes = {name: preempt_mode(row["preemptmode"].value) for name, row in rows.items() if "preemptmode" in row}
    grace = {name: whole("GraceTime", row["gracetime"], MOST) for name, row in rows.items() if "gracetime" in row}
    mode = preempt_mode(conf.text("PreemptMode") or "off")
    is_by_partition = kind == "partition_prio"
    if mode == SUSPEND and not is_by_partition:
        guessed["PreemptMode=SUSPEND by QOS: jobs are suspended by partitions only here, and do not make way"] = None
        mode = "off"
    words = {word.partition("=")[0].lower() for word in conf.words("SchedulerParameters")}
    return Preemption(
        kind,
        mode,
        modes=tuple(modes.items()) if is_by_partition else (),
        grace=tuple((name, seconds) for name, seconds in grace.items() if seconds and is_by_partition),
        exempt=_seconds(conf.settings, "preemptexempttime") or 0,
        youngest="preempt_youngest_first" in words,
        requeues=requeues,
    )


def preempt_mode(text: str) -> str:
    """Return the word of `Preemption` for a PreemptMode; "off" for one that says nothing of jobs.

    Examples
    --------
    >>> preempt_mode("SUSPEND,GANG"), preempt_mode("Requeue"), preempt_mode("GANG")
    ('suspend', 'requeue', 'off')
    """
    words = {word.strip().lower() for word in text.split(",")}
    return next((word for word in (SUSPEND, "requeue", "cancel") if word in words), "off")


def _licences(conf: SlurmConf) -> Iterator[tuple[str, int]]:
    """Yield the licences that all nodes share."""
    for part in conf.words("Licenses"):
        name, _, count = part.replace("=", ":").partition(":")
        if name.lower() not in NOT_SET:
            yield name, whole("Licenses", Setting(count or "1", conf.settings["licenses"].where), 2**31 - 1)


# --- values of lines --------------------------------------------------------------------------------------------------


def _number(row: Row, key: str, usual: int, highest: int = 2**32 - 1) -> int:
    """Return a whole number of a line."""
    return whole(row[key].key or key, row[key], highest) if key in row else usual


def _limit(row: Row, key: str) -> int | None:
    """Return a whole number of a line that may be without a limit."""
    if key not in row or row[key].value.lower() in NO_LIMIT:
        return None
    return whole(row[key].key or key, row[key], 2**31 - 1)


def _seconds(row: Row, key: str) -> int | None:
    """Return a time of a line, s; None without an end, or if it is not said."""
    if key not in row or row[key].value.lower() in NO_LIMIT:
        return None
    return duration(row[key].key or key, row[key])


def _who(row: Row, key: str) -> tuple[str, ...]:
    """Return the names of a line; none for everybody."""
    words = tuple(word.strip() for word in (row[key].value if key in row else "").split(",") if word.strip())
    return () if not words or words[0].lower() in EVERYBODY else words


def _numbers(setting: Setting) -> Iterator[str]:
    """Yield the numbers of a list such as 0-3,8."""
    return node_names(f"[{setting.value}]", setting.where)


def _in_words(row: Row) -> str:
    """Return the nodes of a line in words."""
    return f"nodes {row['nodename'].value}"
