"""Which jobs a limit keeps out for ever, however empty the machine is: limits that one job alone is beyond.

The order is Slurm's: what the QOS of the partition limits counts, else what the QOS of the job does (with the flag
OverPartQOS of that QOS the other way round), else what the association does. Of associations, limits of one job are
those of the user in the account, else those of the nearest account above that has them; limits of a group count in all
accounts above.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import first_few
from .limits import ROOT, Limits
from .machine import Machine
from .slurm_conf import KIB
from .workload import Repair, Workload

OF_ALL = ("GrpTRES", "MaxTRES", "MaxTRESPU", "MaxTRESPA")  # what jobs have at one time
OF_NODE = ("MaxTRESPN",)
OF_MINUTES = ("GrpTRESRunMins", "MaxTRESRunMins", "MaxTRESRunMinsPU", "MaxTRESRunMinsPA", "MaxTRESMins")
OF_JOBS = ("GrpJobs", "MaxJobs", "MaxJobsPU", "MaxJobsPA")  # which keep a job out only if they are 0
BROKEN_LIMITS = (*OF_ALL, *OF_NODE, "MinTRES", *OF_MINUTES, "MaxWall", *OF_JOBS)
SAME = {"MaxJobsPU": "MaxJobs", "MaxTRESRunMinsPU": "MaxTRESRunMins"}  # of a QOS, and of an association
EXEMPT = "ran although a limit keeps such jobs out: exempt from it"

Rules = dict[tuple[str, str], int]  # by the name of a limit and the resource, "" for none


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
    >>> from .machine import NodeKind
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
    rules = _RulesOf(machine)
    users = {} if workload.names is None else workload.names.users
    who = np.stack([requests.qos.code, requests.account.code, requests.partition.code, workload.user], axis=1)
    each, group = np.unique(who, axis=0, return_inverse=True)
    order = np.argsort(group.reshape(-1), kind="stable")
    ends = np.cumsum(np.bincount(group.reshape(-1), minlength=len(each)))
    amounts = _amounts(workload)
    for (qos, account, partition, user), rows in zip(each.tolist(), np.split(order, ends[:-1]), strict=True):
        names = requests.qos.words[qos].lower(), requests.account.words[account].lower(), users.get(user, "")
        places = machine.partitions_of(requests.partition.words[partition])
        found = [_first_broken(rules.of(*names, place), amounts, rows) for place in places]
        if found:
            broken[rows] = np.where((np.array(found) >= 0).all(axis=0), found[0], -1)
    return broken


class _RulesOf:
    """What the limits of a machine say of one job, worked out once for all jobs of a user, account, QOS, partition."""

    def __init__(self, machine: Machine) -> None:
        self._parts = machine.partitions
        self._above = dict(machine.accounts)
        self._of: dict[tuple[str, ...], Limits] = {}
        for each in machine.limits:
            self._of[each.qos.lower(), each.account.lower(), each.user, each.partition] = each
        self._accounts: dict[str, Rules] = {}
        self._known: dict[tuple[str, str, str, int], Rules] = {}

    def of(self, qos: str, account: str, user: str, place: int) -> Rules:
        """Return the rules for jobs of a QOS, account and user in the partition of a place."""
        key = qos, account, user, place
        if key not in self._known:
            names = [self._parts[place].own_qos.lower(), qos]
            limits = self._of.get((qos, "", "", ""))
            if limits is not None and "overpartqos" in (flag.lower() for flag in limits.flags):
                names.reverse()
            rules: Rules = {}
            for name in filter(None, names):
                rules = self._rules(name, "", "", "") | rules
            rest = self._association(account, user, self._parts[place].name) if account else {}
            own = {(SAME.get(name, name), resource) for name, resource in rules}
            self._known[key] = rules | {key: value for key, value in rest.items() if key not in own}
        return self._known[key]

    def _rules(self, *whose: str) -> Rules:
        """Return the rules in the limits of a QOS or of one association."""
        limits = self._of.get(whose)
        rules: Rules = {}
        for name, value in () if limits is None else limits.values.items():
            for resource, number in value.items() if isinstance(value, Mapping) else [("", value)]:
                if name in BROKEN_LIMITS:
                    rules[name, resource] = number
        return rules

    def _association(self, account: str, user: str, partition: str) -> Rules:
        """Return the rules of a user in an account, with those of the accounts above."""
        in_partition = ("", account, user, partition)
        own = self._rules(*in_partition) if in_partition in self._of else self._rules("", account, user, "")
        return _below(self._account(account), own if user else {})

    def _account(self, account: str) -> Rules:
        """Return the rules of an account, with those of the accounts above."""
        path = []
        while account not in self._accounts and account != ROOT:
            path.append(account)
            account = self._above.get(account, ROOT)
        rules = self._accounts[account] if account in self._accounts else self._rules("", ROOT, "", "")
        for name in reversed(path):
            rules = self._accounts[name] = _below(rules, self._rules("", name, "", ""))
        return rules


def _below(above: Rules, own: Rules) -> Rules:
    """Return the rules of an account or user in an account: of groups all count, of a job those that are nearest."""
    if not own:
        return above
    smallest = {key: min(value, above.get(key, value)) for key, value in own.items() if key[0].startswith("Grp")}
    return above | own | smallest


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


def _first_broken(rules: Rules, amounts: Mapping[str, Floats], rows: Ints) -> Ints:
    """Return which rule jobs of some rows are beyond, (k,): a place of BROKEN_LIMITS, the first one; -1 for none."""
    found = np.full(rows.size, len(BROKEN_LIMITS), dtype=np.int64)
    for (name, resource), value in rules.items():
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
