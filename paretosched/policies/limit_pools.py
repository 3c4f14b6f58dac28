"""What limits of QOS and associations allow, as pools that running jobs share; see `paretosched.kernels.node_plan`.

Which limits hold a job back is as Slurm has it (resource_limits of its documentation, and seen on 22.05):

- Those of the QOS of its partition come first, then those of its own QOS; with OverPartQOS of its own the other way
  round. Of one limit and resource only the first counts that is set.
- Then those of its association: what an account and those above it have in all (Grp...), unless a QOS sets the same;
  and what its user may have in its account (Max...): that of the nearest account above where the user has none.
- All running jobs count wherever they are below a limit, also those that another one holds back.

Limits of a single job (MaxWall, MaxTRES, and others that are smaller than a job) hold nothing back here: jobs that they
keep out for ever are dropped when a log is read, or ran.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ..kernels.node_plan import ALL_GPUS, AT_ALL, CPUS, FIXED, FOR_TURN, GPUS, MEMORY, OF_NODES, ONCE
from ..workload.machine import Machine

ROOT, NORMAL = "root", "normal"
KIB = 1024  # of a MiB
# limits that jobs share, by their names: who shares them, whether they are of resources, and whether of remaining time
OF_QOS = {
    "GrpJobs": ("all", False, False),
    "GrpTRES": ("all", True, False),
    "GrpTRESRunMins": ("all", True, True),
    "MaxJobsPU": ("user", False, False),
    "MaxTRESPU": ("user", True, False),
    "MaxTRESRunMinsPU": ("user", True, True),
    "MaxJobsPA": ("account", False, False),
    "MaxTRESPA": ("account", True, False),
    "MaxTRESRunMinsPA": ("account", True, True),
}
OF_ACCOUNT = {name: OF_QOS[name] for name in ("GrpJobs", "GrpTRES", "GrpTRESRunMins")}
OF_MEMBER = {"MaxJobs": ("user", False, False), "MaxTRESRunMins": ("user", True, True)}
SHARED = (*OF_QOS, *OF_MEMBER)
SAME = {"MaxJobs": ("MaxJobsPU", "MaxJobsPA"), "MaxTRESRunMins": ("MaxTRESRunMinsPU", "MaxTRESRunMinsPA")}  # of a QOS
MINUTE = 60
JOBS = "jobs"  # the resource of limits on their number


class Client(NamedTuple):
    """Whose job it is: the names of account, user and QOS in small letters, "" for none."""

    account: str
    user: str
    qos: str


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


class Pools:
    """The pools of a machine, as they are found: those of arrays first, then licences, then those of limits.

    Attributes
    ----------
    totals
        How much each has; of CPUs, nodes, GPUs and jobs numbers, of memory MiB, of timed ones times seconds.
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
        self.is_timed = False
        self._numbers: dict[tuple[str, ...], int] = {}
        self._once: dict[int, int] = {}  # the kind of pools of nodes of which each counts once
        self._of_qos = {row.qos.lower(): row for row in machine.limits if row.qos}
        self._of_association = {
            (row.account.lower(), row.user.lower(), row.partition.lower()): row for row in machine.limits if not row.qos
        }
        self._above = {account.lower(): above.lower() for account, above in machine.accounts}
        self.shares = cache(self._shares)

    def _shares(self, client: Client, k: int) -> tuple[Share, ...]:
        """Return what a job of a client takes of pools in partition k."""
        of_job, of_partition = client.qos or NORMAL, self.machine.partitions[k].own_qos.lower()
        order = [of_partition, of_job] if of_partition and of_partition != of_job else [of_job]
        if of_job in self._of_qos and "OverPartQOS" in self._of_qos[of_job].flags:
            order.reverse()
        found: list[Share] = []
        known: set[tuple[str, str]] = set()  # limits of a QOS that count
        for name in order:
            if name in self._of_qos:
                owners = {"all": (), "user": (client.user,), "account": (client.account,)}
                found += self._of(self._of_qos[name].values, OF_QOS, ("qos", name), owners, known)
        own = self._association(client, k)
        for level in (own, *((account, "", "") for account in self._path(client.account))):
            if level in self._of_association:
                values = self._of_association[level].values
                found += self._of(values, OF_ACCOUNT, ("group", *level), {"all": ()}, set(known))
        found += self._of(self._member(client, own), OF_MEMBER, ("member", *own), {"user": ()}, set(known))
        return tuple(sorted(found, key=lambda share: share.resource != JOBS))

    def _path(self, account: str) -> Iterator[str]:
        """Yield an account and those above it, up to the root."""
        met: set[str] = set()
        while account and account not in met:
            yield account
            met.add(account)
            account = self._above.get(account, ROOT if account != ROOT else "")

    def _association(self, client: Client, k: int) -> tuple[str, str, str]:
        """Return the account, user and partition of a job's association: that for partition k if there is one."""
        own = client.account, client.user, self.machine.partitions[k].name.lower()
        return own if own in self._of_association else (client.account, client.user, "")

    def _member(self, client: Client, own: tuple[str, str, str]) -> Mapping[str, Any]:
        """Return the limits of a user in an account, each from the nearest row that sets it; `own` is its row."""
        values: dict[str, Any] = {}
        for key in (own, *((account, "", "") for account in self._path(client.account))):
            row = self._of_association.get(key)
            for name, value in (row.values if row is not None else {}).items():
                nearer = values.get(name, {})
                values[name] = {**value, **nearer} if isinstance(value, Mapping) else values.get(name, value)
        return values

    def _of(
        self,
        values: Mapping[str, Any],
        rules: Mapping[str, tuple[str, bool, bool]],
        whose: tuple[str, ...],
        owners: Mapping[str, tuple[str, ...]],
        known: set[tuple[str, str]],
    ) -> Iterator[Share]:
        """Yield what jobs take of the pools of limits with some `values`; those that count are added to `known`."""
        for name, (sharers, _, timed) in rules.items():
            value = values.get(name)
            if value is None:
                continue
            for resource, most in value.items() if isinstance(value, Mapping) else [(JOBS, value)]:
                if resource != JOBS and self._kind(resource) is None:
                    continue
                key = (*whose, *owners[sharers], name, resource)
                number = self._numbers.setdefault(key, len(self.totals))
                if number == len(self.totals):
                    scale = KIB if resource == "mem" else 1
                    self.totals.append(most // scale * (MINUTE if timed else 1))
                    if resource == "node" and not timed:
                        self._once[number] = ONCE - 1 - len(self._once)
                checked = known.isdisjoint((other, resource) for other in SAME.get(name, (name,)))
                known.add((name, resource))
                self.is_timed |= timed
                yield Share(number, resource, checked, timed)

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
            kind = self._once.get(share.pool, self._kind(share.resource) or 0)
            checked = share.checked * (FOR_TURN if share.resource == JOBS else AT_ALL)
            rows.append((share.pool, *amounts, kind, checked, int(share.timed)))
        return rows

    @property
    def of_nodes(self) -> int:
        """Return how many pools are of nodes of which each counts once."""
        return len(self._once)
