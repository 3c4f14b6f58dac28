"""A machine of nodes in numbers and as a drawing, so that its owner recognises it; and what jobs ask of it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..core.arrays import Mask
from ..core.errors import number_of
from ..core.tables import Column, table
from .host_lists import host_list
from .limits import COUNTS, TIMES, WHOSE, Limits
from .machine import FOR_EVER, KNOWN, MOST, Machine
from .workload import Workload

WIDEST_BAR = 24  # letters
MOST_OVERLAPS = 20  # that are shown; JSON has all
MOST_PAIRS = 2_000  # of partitions that are compared
MOST_SHARED = 1_000_000  # nodes that are listed because partitions share them
LONGEST_LIST = 60  # letters of a list of hosts
CHOICES = {
    "cons_tres": "as Slurm's cons_tres",
    "linear": "as Slurm's linear, whole nodes",
    "first": "the first that fit",
    "best": "the best fit",
    "spread": "those with most free CPUs",
}
KINDS = (
    Column("hosts", "hosts"),
    Column("bar", "share of all CPUs"),
    Column("nodes", "nodes", ",d"),
    Column("cpus", "CPUs each", ",d"),
    Column("memory", "MiB each", ",d"),
    Column("gpus", "GPUs each"),
    Column("disk", "disk MiB", ",d"),
    Column("threads", "threads a core", "d"),
    Column("weight", "weight", "d"),
    Column("features", "features"),
    Column("in", "in partition"),
)
OPTIONAL: Mapping[str, Sequence[Any]] = {
    "gpus": ("",),
    "disk": (0,),
    "threads": (1,),
    "weight": (1,),
    "features": ("",),
}
PARTITIONS = (
    Column("name", "partition"),
    Column("nodes", "nodes", ",d"),
    Column("cpus", "CPUs", ",d"),
    Column("gpus", "GPUs", ",d"),
    Column("tier", "tier", "d"),
    Column("longest", "longest"),
    Column("usual", "usual"),
    Column("memory", "memory unsaid"),
    Column("remarks", "remarks"),
)
MOST_LIMITS = 40  # that are shown; JSON has all
RESOURCES = {"cpu": "CPU", "mem": "KiB", "node": "node", "gres/gpu": "GPU"}  # of limits
LIMITED: Mapping[str, tuple[str, str]] = {  # what a limit counts, and for whom
    "GrpJobs": ("running job", "together"),
    "GrpJobsAccrue": ("waiting job that gains age", "together"),
    "GrpSubmit": ("submitted job", "together"),
    "MaxJobs": ("running job", "a user"),
    "MaxJobsAccrue": ("waiting job that gains age", "a user"),
    "MaxJobsAccruePA": ("waiting job that gains age", "an account"),
    "MaxJobsAccruePU": ("waiting job that gains age", "a user"),
    "MaxJobsPA": ("running job", "an account"),
    "MaxJobsPU": ("running job", "a user"),
    "MaxSubmit": ("submitted job", "a user"),
    "MaxSubmitPA": ("submitted job", "an account"),
    "MaxSubmitPU": ("submitted job", "a user"),
    "MinPrioThres": ("", "a priority of at least"),
    "GrpWall": ("run time used together", ""),
    "MaxWall": ("jobs of at most", ""),
    "GrpTRES": ("", "together"),
    "GrpTRESMins": ("minutes", "used together"),
    "GrpTRESRunMins": ("minutes", "still to run together"),
    "MaxTRES": ("", "a job"),
    "MaxTRESMins": ("minutes", "a job"),
    "MaxTRESPA": ("", "an account"),
    "MaxTRESPN": ("", "a node of a job"),
    "MaxTRESPU": ("", "a user"),
    "MaxTRESRunMins": ("minutes", "still to run a user"),
    "MaxTRESRunMinsPA": ("minutes", "still to run an account"),
    "MaxTRESRunMinsPU": ("minutes", "still to run a user"),
    "MinTRES": ("at least", "a job"),
}
REQUESTS = (
    Column("partition", "partition"),
    Column("jobs", "jobs", ",d"),
    Column("work_percent", "work %", ".1f"),
    Column("several_nodes_percent", "several nodes %", ".1f"),
    Column("memory_percent", "memory said %", ".1f"),
    Column("gpu_percent", "GPUs %", ".1f"),
    Column("exclusive_percent", "whole nodes %", ".1f"),
    Column("features_percent", "features %", ".1f"),
)


def describe_machine(machine: Machine) -> dict[str, Any]:
    """Return a description of a machine in plain values, ready for JSON.

    Returns
    -------
    dict
        name, nodes, cpus, memory (MiB), gpus (by type), choice, gives, shares_memory; kinds (hosts, nodes, cpus,
        cores, threads, memory, gpus, disk, features, weight of each, and in which partitions how many are);
        partitions (as in `Partition`, with nodes, cpus and gpus); overlaps (two partitions, how many nodes they share,
        and which, "..." after a million); licences; switches (the nodes of each); down (as in `Outage`);
        limits; accounts (how many); reservations; preemption (as in `Preemption`, or None);
        over_time_limit and kill_wait (s); kill_invalid; guessed.

    Examples
    --------
    >>> from .machine import NodeKind
    >>> about = describe_machine(Machine((NodeKind("n[1-2]", 4, 8000),)))
    >>> about["nodes"], about["cpus"], about["partitions"][0]["name"]
    (2, 8, 'all')
    """
    parts = machine.partitions
    within = np.zeros((len(parts), len(machine.kinds)), dtype=np.int64)
    for row, members in zip(within, machine.members, strict=True):
        row[:] = np.bincount(machine.kind[members], minlength=len(row))
    kinds = []
    for number, kind in enumerate(machine.kinds):
        among = within[:, number].tolist()
        kinds.append(
            {
                "hosts": kind.hosts,
                "nodes": kind.count,
                "cpus": kind.cpus,
                "cores": kind.cores,
                "threads": kind.threads,
                "memory": kind.memory,
                "gpus": dict(kind.gpus),
                "disk": kind.disk,
                "features": list(kind.features),
                "weight": kind.weight,
                "partitions": {part.name: count for part, count in zip(parts, among, strict=True) if count},
            }
        )
    gpus = machine.gpus.sum(axis=1)
    return {
        "name": machine.name,
        "nodes": len(machine.names),
        "cpus": machine.capacity,
        "memory": int(machine.memory.sum()),
        "gpus": dict(zip(machine.gpu_types, machine.gpus.sum(axis=0).tolist(), strict=True)),
        "choice": machine.choice,
        "gives": machine.gives,
        "shares_memory": machine.shares_memory,
        "kinds": kinds,
        "partitions": [
            vars(part)
            | {
                "nodes": int(members.sum()),
                "cpus": int(machine.cpus[members].sum()),
                "gpus": int(gpus[members].sum()),
            }
            for part, members in zip(parts, machine.members, strict=True)
        ],
        "overlaps": _overlaps(machine),
        "licences": dict(machine.licences),
        "switches": dict(machine.switches),
        "down": [vars(each) for each in machine.down],
        "limits": [_limits(each) for each in machine.limits],
        "accounts": len(machine.accounts),
        "reservations": [
            vars(each) | {"node_hours": len(machine.places(each.hosts)) * (each.end - each.begin) / 3600}
            for each in machine.reservations
        ],
        "preemption": None if machine.preemption is None else vars(machine.preemption),
        "over_time_limit": machine.over_time_limit,
        "kill_wait": machine.kill_wait,
        "kill_invalid": machine.kill_invalid,
        "guessed": list(machine.guessed),
    }


def _limits(limits: Limits) -> dict[str, Any]:
    """Return whose limits these are, and the values by their names, without what is empty."""
    whose = {key: getattr(limits, key) for key in (*WHOSE, "flags") if getattr(limits, key)}
    return whose | {"values": limits.plain}


def _overlaps(machine: Machine) -> list[dict[str, Any]]:
    """Return which partitions share nodes, the largest number first; of very many partitions none are compared."""
    parts, members = machine.partitions, machine.members
    pairs = combinations(range(len(parts)), 2)
    near = list(pairs) if len(parts) ** 2 <= 2 * MOST_PAIRS else []
    counts = [int(np.count_nonzero(members[first] & members[second])) for first, second in near]
    listed, overlaps = 0, []
    for count, (first, second) in sorted(zip(counts, near, strict=True), key=lambda each: -each[0]):
        listed += count
        if count:
            hosts = _hosts(machine, members[first] & members[second]) if listed <= MOST_SHARED else "..."
            names = [parts[first].name, parts[second].name]
            overlaps.append({"partitions": names, "nodes": count, "hosts": hosts})
    return overlaps


def _hosts(machine: Machine, which: Mask) -> str:
    """Return the list of some nodes."""
    return host_list([machine.names[place] for place in np.flatnonzero(which).tolist()])


def machine_words(about: Mapping[str, Any]) -> str:
    """Return in a few words how large the machine is that `describe_machine` describes.

    Examples
    --------
    >>> from .machine import NodeKind
    >>> machine_words(describe_machine(Machine((NodeKind("n[1-2]", 4, 8192, {"a100": 1}),))))
    '2 nodes of 1 kind, 8 CPUs, 16 GiB, 2 a100'
    """
    gpus = "".join(f", {count:,} {kind}" for kind, count in about["gpus"].items())
    kinds = number_of(len(about["kinds"]), "kind")
    nodes = f"{number_of(about['nodes'], 'node')} of {kinds}, {number_of(about['cpus'], 'CPU')}"
    return f"{nodes}, {_size(about['memory'])}{gpus}"


def size_in_words(workload: Workload) -> str:
    """Return in a few words how large the machine of a workload is."""
    machine = workload.machine
    return number_of(workload.capacity, "processor") if machine is None else machine_words(describe_machine(machine))


def machine_drawing(about: Mapping[str, Any]) -> str:
    r"""Return what `describe_machine` returns as a drawing and tables for a terminal.

    Examples
    --------
    >>> from .machine import NodeKind
    >>> print("\n".join(machine_drawing(describe_machine(Machine((NodeKind("n[1-2]", 4, 8192),)))).splitlines()[3:6]))
    hosts   share of all CPUs         nodes  CPUs each  MiB each  in partition
    ------  ------------------------  -----  ---------  --------  ------------
    n[1-2]  ########################      2          4     8,192  all
    """
    title = f"{about['name']}: " if about["name"] else ""
    how = f"nodes are chosen {CHOICES[about['choice']]}; a job gets whole {about['gives']}s"
    how += " and its memory" if about["shares_memory"] else "; memory is not given out"
    rows = _kind_rows(about["kinds"])
    shown = [each for each in KINDS if any(row[each.key] not in OPTIONAL.get(each.key, ()) for row in rows)]
    parts = [f"{title}{machine_words(about)}\n{how}", table(rows, shown)]
    parts.append(table([_partition_row(part) for part in about["partitions"]], PARTITIONS))
    shared = [
        f"{' and '.join(each['partitions'])} share {number_of(each['nodes'], 'node')}: {_short(each['hosts'])}"
        for each in about["overlaps"][:MOST_OVERLAPS]
    ]
    shared += [f"... and {len(about['overlaps']) - MOST_OVERLAPS} more pairs"] * (
        len(about["overlaps"]) > MOST_OVERLAPS
    )
    shared = shared or ["no two partitions share a node"] * (len(about["partitions"]) > 1)
    parts += ["\n".join(shared)] if shared else []
    if about["licences"]:
        parts.append("licences: " + ", ".join(f"{name} {count:,}" for name, count in about["licences"].items()))
    if about["switches"]:
        switches = [f"{name} has {_short(hosts)}" for name, hosts in about["switches"].items()]
        more = [f"... and {len(switches) - MOST_OVERLAPS} more"] * (len(switches) > MOST_OVERLAPS)
        parts.append("\n".join(["switches, of which a job gets as few as it can:", *switches[:MOST_OVERLAPS], *more]))
    parts += ["\n".join(f"down: {_down(each)}" for each in about["down"])] if about["down"] else []
    if about["limits"]:
        lines = [limits_words(each) for each in about["limits"][:MOST_LIMITS]]
        lines += [f"... and {len(about['limits']) - MOST_LIMITS:,} more (--json)"] * (
            len(about["limits"]) > MOST_LIMITS
        )
        accounts = f"{number_of(about['accounts'], 'account')}" if about["accounts"] else "no account is known"
        parts.append("\n".join([*lines, accounts]))
    if about["reservations"]:
        parts.append("\n".join(_reservation_lines(about["reservations"])))
    parts += [_preemption_words(about["preemption"])] if about["preemption"] else []
    if about["over_time_limit"]:
        end = "until they end" if about["over_time_limit"] == MOST else f"for {about['over_time_limit'] // 60:,} min"
        parts.append(f"jobs may run beyond their time limit {end}")
    if about["kill_invalid"]:
        parts.append("jobs are cancelled that wait for what cannot happen any more")
    parts += ["\n".join(f"assumed: {words}" for words in about["guessed"])] if about["guessed"] else []
    return "\n\n".join(parts)


def _kind_rows(kinds: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each kind of nodes, with a bar as long as its share of the CPUs of the machine."""
    longest = max(kind["nodes"] * kind["cpus"] for kind in kinds)
    rows = []
    for kind in kinds:
        among = [
            part if count == kind["nodes"] else f"{part} ({count:,})" for part, count in kind["partitions"].items()
        ]
        rows.append(
            {
                **kind,
                "hosts": _short(kind["hosts"]),
                "bar": "#" * max(1, round(WIDEST_BAR * kind["nodes"] * kind["cpus"] / longest)),
                "gpus": ", ".join(f"{count:,} {word}" for word, count in kind["gpus"].items()),
                "features": ", ".join(kind["features"]),
                "in": ", ".join(among[:MOST_OVERLAPS] + ["..."] * (len(among) > MOST_OVERLAPS)) or "no partition",
            }
        )
    return rows


def _partition_row(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a partition as a row of the table."""
    memory = next(
        (
            f"{part[f'memory_per_{unit}']:,} MiB a {words}"
            for unit, words in (("cpu", "CPU"), ("node", "node"))
            if part[f"memory_per_{unit}"] is not None
        ),
        "all of the nodes",
    )
    remarks = ["default"] * part["default"] + ["exclusive"] * part["exclusive"] + ["not up"] * (not part["up"])
    remarks += ["least loaded first"] * part["least_loaded"]
    if part["nodes_most"] is not None:
        remarks.append(f"at most {number_of(part['nodes_most'], 'node')}")
    for unit, words in (("cpu", "CPU"), ("node", "node")):
        if part[f"most_memory_per_{unit}"] is not None:
            remarks.append(f"at most {part[f'most_memory_per_{unit}']:,} MiB a {words}")
    for key, words in (("accounts", "accounts"), ("qos", "QOS")):
        remarks += [f"{words} {', '.join(part[key])}"] * bool(part[key])
        remarks += [f"not {words} {', '.join(part[f'not_{key}'])}"] * bool(part[f"not_{key}"])
    own = {"longest": _lasting(part["longest"]), "usual": _lasting(part["usual"] or part["longest"])}
    return {**part, **own, "memory": memory, "remarks": "; ".join(remarks)}


def describe_requests(workload: Workload) -> list[dict[str, Any]]:
    """Return what the jobs of a workload ask of its machine, a row for each partition or list of partitions."""
    requests = workload.requests
    if requests is None:
        return []
    work = workload.run * workload.charge
    has = {
        "several_nodes_percent": requests.nodes_least > 1,
        "memory_percent": (requests.memory_per_node >= 0) | (requests.memory_per_cpu >= 0),
        "gpu_percent": (requests.gpus > 0) | (requests.gpus_per_node > 0) | (requests.gpus_per_task > 0),
        "exclusive_percent": requests.exclusive > 0,
        "features_percent": requests.constraint.code > 0,
    }
    rows = []
    for code, word in enumerate(requests.partition.words):
        these = requests.partition.code == code
        if these.any():
            row = {"partition": word, "jobs": int(these.sum()), "work_percent": 100 * work[these].sum() / work.sum()}
            rows.append(row | {key: 100 * float(mask[these].mean()) for key, mask in has.items()})
    return sorted(rows, key=lambda row: -row["work_percent"])


def requests_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what `describe_requests` returns as a table."""
    return table([{**row, "partition": row["partition"] or "(default)"} for row in rows], REQUESTS)


def _size(mebibytes: int) -> str:
    """Return a size of memory in words.

    Examples
    --------
    >>> _size(187000), _size(512), _size(3 * 1024**2)
    ('182.6 GiB', '512 MiB', '3 TiB')
    """
    for unit, each in (("TiB", 1024**2), ("GiB", 1024)):
        if mebibytes >= each:
            return f"{mebibytes / each:,.1f}".removesuffix(".0") + f" {unit}"
    return f"{mebibytes:,} MiB"


def _lasting(seconds: int | None) -> str:
    """Return a time limit in words.

    Examples
    --------
    >>> _lasting(259200), _lasting(5400), _lasting(None)
    ('3 d', '1:30 h', 'no end')
    """
    if seconds is None:
        return "no end"
    if seconds % 86400 == 0:
        return f"{seconds // 86400} d"
    return f"{seconds // 3600}:{seconds // 60 % 60:02} h" if seconds % 3600 else f"{seconds // 3600} h"


def _down(outage: Mapping[str, Any]) -> str:
    """Return a down time in words."""
    begin, end = (
        "" if when in (0, FOR_EVER) else dt.datetime.fromtimestamp(when, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
        for when in (outage["begin"], min(outage["end"], 253_402_300_799) if outage["end"] < FOR_EVER else FOR_EVER)
    )
    when = " ".join([*([f"from {begin}"] if begin else []), *([f"until {end}"] if end else [])]) or "for good"
    words = [outage["kind"]] * (outage["kind"] != KNOWN) + [outage["reason"]] * (outage["reason"] != "")
    about = f" ({', '.join(words)})" if words else ""
    return f"{_short(outage['hosts'])} {when}{about}"


def limits_words(limits: Mapping[str, Any]) -> str:
    """Return the limits of a QOS or association in words, from what `describe_machine` returns.

    Examples
    --------
    >>> limits_words({"qos": "normal", "values": {"MaxJobsPU": 8, "MaxTRESPU": {"cpu": 64, "mem": 4194304}}})
    'QOS normal: 8 running jobs a user; 64 CPUs, 4 GiB a user'
    """
    whose = ", ".join(f"{'QOS' if key == 'qos' else key} {limits[key]}" for key in WHOSE if key in limits)
    words = [_limit_words(name, value) for name, value in limits["values"].items()]
    words += [f"flags {', '.join(limits['flags'])}"] if "flags" in limits else []
    return f"{whose}: {'; '.join(words)}"


def _limit_words(name: str, value: Any) -> str:
    """Return one limit in words."""
    what, of = LIMITED[name]
    if name in COUNTS:
        return f"{number_of(value, what)} {of}" if what else f"{of} {value:,}"
    if name in TIMES:
        return f"{what} {_lasting(value)}"
    if what == "minutes":
        each = ", ".join(f"{amount:,} {RESOURCES.get(word, word)} minutes" for word, amount in value.items())
        return f"{each} {of}"
    each = ", ".join(_resource_words(word, amount) for word, amount in value.items())
    return " ".join(filter(None, (what, each, of)))


def _resource_words(word: str, amount: int) -> str:
    """Return an amount of a resource in words; memory is in kilobytes."""
    if word == "mem":
        return f"{amount:,} KiB" if amount % 1024 else _size(amount // 1024)
    return number_of(amount, RESOURCES.get(word, word.removeprefix("gres/gpu:")))


def _reservation_lines(reservations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a line for each name of reservations: how often it comes, where, first when, and what it costs."""
    of_name: dict[str, list[Mapping[str, Any]]] = {}
    for each in reservations:
        of_name.setdefault(each["name"], []).append(each)
    lines = []
    for name, times in of_name.items():
        often = f"{len(times):,} times, first " if len(times) > 1 else ""
        who = [f"{key} {', '.join(times[0][key])}" for key in ("users", "accounts", "flags") if times[0][key]]
        cost = f"{sum(each['node_hours'] for each in times):,.1f} node hours"
        about = "".join(f"; {words}" for words in who)
        lines.append(f"reservation {name}: {often}{_down({**times[0], 'reason': '', 'kind': KNOWN})}; {cost}{about}")
    more = [f"... and {len(lines) - MOST_OVERLAPS:,} more (--json)"] * (len(lines) > MOST_OVERLAPS)
    total = sum(each["node_hours"] for each in reservations)
    return [*lines[:MOST_OVERLAPS], *more, f"all reservations together: {total:,.1f} node hours"]


def _preemption_words(rules: Mapping[str, Any]) -> str:
    """Return whose jobs make way for others, in a line."""
    modes = dict(rules["modes"])
    if rules["kind"] == "qos":
        whose = [f"those of {', '.join(others)} for {name}" for name, others in rules["over"]] or ["those of no QOS"]
    else:
        whose = ["those in partitions of lower tiers"]
    what = {"off": "stay", "cancel": "are cancelled", "requeue": "start again later"}
    what |= {"suspend": "stop while others have their CPUs"}
    how = [f"they {what[rules['mode']]}", *(f"those of {name} {what[mode]}" for name, mode in modes.items())]
    how += [f"after {seconds:,} s in {name}" for name, seconds in rules["grace"]]
    exempt = [f"none in its first {rules['exempt']:,} s"] if rules["exempt"] else []
    exempt += [f"none of {name} in its first {seconds:,} s" for name, seconds in rules["exempts"]]
    order = ["the youngest first"] if rules["youngest"] else []
    return f"jobs make way for others under a slurm.conf: {'; '.join([*whose, *how, *exempt, *order])}"


def _short(hosts: str) -> str:
    """Return a list of hosts that is not too long for a line."""
    return hosts if len(hosts) <= LONGEST_LIST else f"{hosts[:LONGEST_LIST]}..."
