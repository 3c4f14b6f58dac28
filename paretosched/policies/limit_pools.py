"""What limits of QOS and associations allow, as pools that running jobs share; see `paretosched.kernels.node_plan`.

Which of them count for a job, `paretosched.workload.counting_limits` says. All running jobs count wherever they are
below a limit, also those that another one holds back.

Limits of a single job (MaxWall, MaxTRES, and others that are smaller than a job) hold nothing back here: jobs that they
keep out for ever are dropped when a log is read, or ran.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ..kernels.node_plan import ALL_GPUS, AT_ALL, CPUS, FIXED, FOR_TURN, GPUS, MEMORY, OF_NODES, ONCE
from ..workload.counting_limits import Client, Rule, rules_of
from ..workload.machine import Machine

KIB = 1024  # of a MiB
# limits that jobs share, by their names: who shares them, and whether they are of remaining time
OF_QOS = {
    "GrpJobs": ("all", False),
    "GrpTRES": ("all", False),
    "GrpTRESRunMins": ("all", True),
    "MaxJobsPU": ("user", False),
    "MaxTRESPU": ("user", False),
    "MaxTRESRunMinsPU": ("user", True),
    "MaxJobsPA": ("account", False),
    "MaxTRESPA": ("account", False),
    "MaxTRESRunMinsPA": ("account", True),
}
OF_ACCOUNT = {name: OF_QOS[name] for name in ("GrpJobs", "GrpTRES", "GrpTRESRunMins")}
OF_MEMBER = {"MaxJobs": ("user", False), "MaxTRESRunMins": ("user", True)}
SHARED = (*OF_QOS, *OF_MEMBER)
BY_LEVEL = {"qos": OF_QOS, "group": OF_ACCOUNT, "member": OF_MEMBER}
# what squeue says of a job that waits for them: of limits by resource for cpu, mem, node and gres in turn
OF_ARRAY, OF_LICENCE = "JobArrayTaskLimit", "Licenses"
REASONS = {
    ("qos", "GrpJobs"): "QOSGrpJobsLimit",
    ("qos", "MaxJobsPU"): "QOSMaxJobsPerUserLimit",
    ("qos", "MaxJobsPA"): "MaxJobsPerAccount",
    ("qos", "GrpSubmit"): "QOSGrpSubmitJobsLimit",
    ("qos", "MaxSubmitPU"): "QOSMaxSubmitJobPerUserLimit",
    ("qos", "MaxSubmitPA"): "MaxSubmitJobsPerAccount",
    ("qos", "GrpTRES"): "QOSGrpCpuLimit QOSGrpMemLimit QOSGrpNodeLimit QOSGrpGRES",
    ("qos", "MaxTRESPU"): "QOSMaxCpuPerUserLimit QOSMaxMemoryPerUser QOSMaxNodePerUserLimit QOSMaxGRESPerUser",
    ("qos", "MaxTRESPA"): "MaxCpuPerAccount MaxMemoryPerAccount MaxNodePerAccount MaxGRESPerAccount",
    ("qos", "GrpTRESRunMins"): "QOSGrpCPURunMinutesLimit QOSGrpMemoryRunMinutes QOSGrpNodeRunMinutes "
    "QOSGrpGRESRunMinutes",
    ("association", "GrpJobs"): "AssocGrpJobsLimit",
    ("association", "MaxJobs"): "AssocMaxJobsLimit",
    ("association", "GrpSubmit"): "AssocGrpSubmitJobsLimit",
    ("association", "MaxSubmit"): "AssocMaxSubmitJobLimit",
    ("association", "GrpTRES"): "AssocGrpCpuLimit AssocGrpMemLimit AssocGrpNodeLimit AssocGrpGRES",
    ("association", "GrpTRESRunMins"): "AssocGrpCPURunMinutesLimit AssocGrpMemRunMinutes AssocGrpNodeRunMinutes "
    "AssocGrpGRESRunMinutes",
}
RESOURCES = ("cpu", "mem", "node", "gres")
MINUTE = 60
JOBS = "jobs"  # the resource of limits on their number


class Share(NamedTuple):
    """What a job takes of a pool.

    Attributes
    ----------
    pool
        The number of the pool.
    resource
        Of what: JOBS, or a resource as Slurm writes it.
    checked, timed
        Whether the job waits if the pool has too little, and whether its remaining time counts.
    """

    pool: int
    resource: str
    checked: bool
    timed: bool


def reason_of(rule: Rule) -> str:
    """Return why a shared limit holds or refuses a job, as squeue and sbatch say it; the limit where that is not known.

    Examples
    --------
    >>> reason_of(Rule(("qos", "normal"), "MaxTRESPU", "gres/gpu", 4, True))
    'QOSMaxGRESPerUser'
    """
    level = "qos" if rule.whose[0] == "qos" else "association"
    words = REASONS.get((level, rule.name), f"{level} {rule.name}").split(" ")
    if not rule.resource or (level, rule.name) not in REASONS:
        return " ".join(words)
    return words[RESOURCES.index(rule.resource.partition("/")[0])]


class Pools:
    """The pools of a machine, as they are found: those of arrays first, then licences, then those of limits.

    Attributes
    ----------
    totals
        How much each has; of CPUs, nodes, GPUs and jobs numbers, of memory MiB, of timed ones times seconds.
    reasons
        Why a job waits of which a pool has too little, as squeue says it.
    once
        The kind of the pools of nodes of which each counts once, by their numbers.
    is_timed
        Whether one of them is timed.

    Parameters
    ----------
    machine
        The machine.
    arrays
        How many tasks of each array may run at once, of those of which not all may.
    """

    def __init__(self, machine: Machine, arrays: Sequence[int] = ()) -> None:
        self.machine = machine
        self.totals = [*arrays, *(count for _, count in machine.licences)]
        self.reasons = [*(OF_ARRAY for _ in arrays), *(OF_LICENCE for _ in machine.licences)]
        self.once: dict[int, int] = {}
        self.is_timed = False
        self._numbers: dict[tuple[str, ...], int] = {}
        self._rules = rules_of(machine)
        self.shares = cache(self._shares)

    def _shares(self, client: Client, k: int) -> tuple[Share, ...]:
        """Return what a job of a client takes of pools in partition k."""
        shares = filter(None, (self._share(rule, client) for rule in self._rules(client, k)))
        return tuple(sorted(shares, key=lambda share: share.resource != JOBS))

    def _share(self, rule: Rule, client: Client) -> Share | None:
        """Return what a job of a client takes of the pool of a limit; None if it has no pool."""
        sharers, timed = BY_LEVEL[rule.whose[0]].get(rule.name, ("", False))
        resource = rule.resource or JOBS
        if not sharers or self._kind(resource) is None:
            return None
        owners = {"user": (client.user,), "account": (client.account,)} if rule.whose[0] == "qos" else {}
        key = (*rule.whose, *owners.get(sharers, ()), rule.name, resource)
        number = self._numbers.setdefault(key, len(self.totals))
        if number == len(self.totals):
            scale = KIB if resource == "mem" else 1
            self.totals.append(rule.value // scale * (MINUTE if timed else 1))
            self.reasons.append(reason_of(rule))
            if resource == "node" and not timed:
                self.once[number] = ONCE - 1 - len(self.once)
        self.is_timed |= timed
        return Share(number, resource, rule.counts, timed)

    def _kind(self, resource: str) -> int | None:
        """Return which resource of nodes is meant; None if it is none of them."""
        types = {f"gres/gpu:{kind}".lower(): GPUS + place for place, kind in enumerate(self.machine.gpu_types)}
        kinds = {JOBS: FIXED, "cpu": CPUS, "mem": MEMORY, "node": OF_NODES, "gres/gpu": ALL_GPUS} | types
        return kinds.get(resource)

    def entries(
        self, client: Client, k: int, asked: Mapping[str, int], least: Mapping[str, int]
    ) -> list[tuple[int, ...]]:
        """Return what a job takes of pools, as rows of `paretosched.kernels.node_plan.NUMBER` and what follows it.

        Parameters
        ----------
        client, k
            Whose job it is, and its partition.
        asked, least
            What it asks for by resource, and what it gets at least: cpu, mem in MiB, node, gres/gpu.
        """
        rows = []
        for share in self.shares(client, k):
            amounts = [1 if share.resource == JOBS else each.get(share.resource, 0) for each in (asked, least)]
            kind = self.once.get(share.pool, self._kind(share.resource) or 0)
            checked = share.checked * (FOR_TURN if share.resource == JOBS else AT_ALL)
            rows.append((share.pool, *amounts, kind, checked, int(share.timed)))
        return rows

    @property
    def of_nodes(self) -> int:
        """Return how many pools are of nodes of which each counts once."""
        return len(self.once)
