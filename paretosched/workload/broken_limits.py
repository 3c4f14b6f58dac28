"""Which jobs a limit keeps out for ever, however empty the machine is: limits that one job alone is beyond.

Which limits count for a job, `counting_limits` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..core.arrays import Floats, Ints, Mask, rows_alike
from ..core.errors import first_few
from .counting_limits import Rule, client_of, qos_order, rules_of
from .slurm_conf import KIB
from .workload import Repair, Workload

OF_ALL = ("GrpTRES", "MaxTRES", "MaxTRESPU", "MaxTRESPA")  # what jobs have at one time
OF_NODE = ("MaxTRESPN",)
OF_MINUTES = ("GrpTRESRunMins", "MaxTRESRunMins", "MaxTRESRunMinsPU", "MaxTRESRunMinsPA", "MaxTRESMins")
OF_JOBS = ("GrpJobs", "MaxJobs", "MaxJobsPU", "MaxJobsPA")  # which keep a job out only if they are 0
BROKEN_LIMITS = (*OF_ALL, *OF_NODE, "MinTRES", *OF_MINUTES, "MaxWall", *OF_JOBS)
EXEMPT = "ran although a limit keeps such jobs out: exempt from it"


def broken_limits(workload: Workload) -> Ints:
    """Return which limit each job alone is beyond, (n,) int64: a place of BROKEN_LIMITS, -1 for none.

    Such a job would wait for ever. One that the record shows to have run is exempt from limits of a single job: an
    engine starts it as if its QOS and associations had none of BROKEN_LIMITS that it is beyond by itself; it counts for
    others. One of which no run is recorded is no job of a workload that was read, see `without_unfit`. So a job for
    which this is not -1 needs nothing but to be left out when limits are looked at before its start.

    What a job asks for is `Workload.asked_amounts`, which no schedule is below, and its requested time. A job that
    names several partitions is kept out if it is in each of them.

    Examples
    --------
    >>> from .limits import Limits
    >>> from .machine import Machine, NodeKind
    >>> from .node_requests import Requests
    >>> short = Limits("short", "", "", "", {"MaxWall": 60, "MaxTRESPU": {"cpu": 2}})
    >>> w = Workload(submit=[0, 0, 0], run=[1, 1, 1], estimate=[60, 61, 9], width=[1, 1, 3], capacity=4,
    ...              machine=Machine((NodeKind("n1", 4, 8000),), limits=(short,)),
    ...              requests=Requests(tasks=[1, 1, 3], memory_per_node=[1, 1, 1], qos=["short"] * 3))
    >>> [BROKEN_LIMITS[place] if place >= 0 else "" for place in broken_limits(w)]
    ['', 'MaxWall', 'MaxTRESPU']
    """
    broken = np.full(len(workload), -1, dtype=np.int64)
    machine, requests = workload.machine, workload.requests
    if machine is None or requests is None or not machine.limits:
        return broken
    rules = rules_of(machine)
    client = client_of(machine, {} if workload.names is None else workload.names.users)
    amounts = _amounts(workload)
    who = requests.qos.code, requests.account.code, requests.partition.code, workload.user
    for (qos, account, partition, user), rows in rows_alike(*who):
        whose = client(requests.qos.words[qos], requests.account.words[account], user)
        places = machine.partitions_of(requests.partition.words[partition])
        found = [_first_broken(rules(whose, place), amounts, rows) for place in places]
        if found:
            broken[rows] = np.where((np.array(found) >= 0).all(axis=0), found[0], -1)
    return broken


def is_denied(workload: Workload) -> Mask:
    """Return which jobs are refused if a limit keeps them out, (n,) bool: a QOS has the flag DenyOnLimit."""
    denied = np.zeros(len(workload), dtype=np.bool_)
    machine, requests = workload.machine, workload.requests
    if machine is None or requests is None:
        return denied
    deny = {row.qos.lower() for row in machine.limits if "denyonlimit" in (flag.lower() for flag in row.flags)}
    if deny:
        order = qos_order(machine)
        for (qos, partition), rows in rows_alike(requests.qos.code, requests.partition.code):
            places = machine.partitions_of(requests.partition.words[partition])[:1]
            denied[rows] = any(deny.intersection(order(requests.qos.words[qos], k)) for k in places)
    return denied


def _amounts(workload: Workload) -> dict[str, Floats]:
    """Return what jobs ask for, (n,) each, by resources as sacctmgr names them; "s" is the requested time."""
    asked, machine, requests = workload.asked_amounts, workload.machine, workload.requests
    assert asked is not None and machine is not None and requests is not None  # noqa: S101, PT018
    amounts = {
        "cpu": asked.cpus,
        "mem": KIB * asked.memory,
        "node": asked.nodes,
        "gres/gpu": asked.gpus,
        "s": workload.estimate.astype(np.float64),
    }
    for code, word in enumerate(requests.gpu_type.words):
        if word:
            amounts[f"gres/gpu:{word.lower()}"] = np.where(requests.gpu_type.code == code, asked.gpus, 0.0)
    return amounts


def _first_broken(rules: Sequence[Rule], amounts: Mapping[str, Floats], rows: Ints) -> Ints:
    """Return which rule jobs of some rows are beyond, (k,): a place of BROKEN_LIMITS, the first one; -1 for none."""
    found = np.full(rows.size, len(BROKEN_LIMITS), dtype=np.int64)
    for _, name, resource, value, counts in rules:
        if not counts or name not in BROKEN_LIMITS:
            continue
        place = BROKEN_LIMITS.index(name)
        if (is_broken := _is_broken(name, resource, value, amounts, rows)) is not None:
            found = np.where(is_broken, np.minimum(found, place), found)
    return np.where(found < len(BROKEN_LIMITS), found, -1)


def _is_broken(name: str, resource: str, value: int, amounts: Mapping[str, Floats], rows: Ints) -> Mask | None:
    """Return which jobs of some rows are beyond a rule, (k,) bool; None if the rule is of what no job asks for."""
    if name in OF_JOBS:
        return np.full(rows.size, value == 0)
    if name == "MaxWall":
        return amounts["s"][rows] > value
    if resource not in amounts:
        return None
    amount = amounts[resource][rows]
    if name == "MinTRES":
        return amount < value
    if name in OF_NODE:
        return amount // np.maximum(amounts["node"][rows], 1) > value
    return amount * amounts["s"][rows] > 60.0 * value if name in OF_MINUTES else amount > value


def exempt_jobs(workload: Workload, broken: Ints) -> list[Repair]:
    """Return in words how many jobs are exempt from a limit that they are beyond alone, see `broken_limits`."""
    rows = np.flatnonzero(broken >= 0)
    if not rows.size:
        return []
    counts = np.bincount(broken[rows], minlength=len(BROKEN_LIMITS)).tolist()
    words = ", ".join(f"{name} {count:,}" for name, count in zip(BROKEN_LIMITS, counts, strict=True) if count)
    first = first_few((f"job {workload.job[row]}" for row in rows), rows.size)
    return [Repair("assumed", f"{EXEMPT} ({words})", rows.size, first)]
