"""Which limits of a site count for whose jobs, in Slurm's order (resource_limits of its documentation, seen on 22.05).

- Those of the QOS of a partition come first, then those of the job's own QOS, "normal" if it names none; with the flag
  OverPartQOS of its own the other way round. Of one limit and resource only the first counts that is set.
- Then those of its association, unless a QOS sets the same: what an account and those above it have in all (Grp...),
  which all count; and what each user may have in the account (others), of which the nearest counts that is set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from .limits import ROOT
from .machine import Machine
from .node_requests import NORMAL

# limits of a member of an account that a QOS sets by other names
SAME = {
    "MaxJobs": ("MaxJobsPU", "MaxJobsPA"),
    "MaxSubmit": ("MaxSubmitPU", "MaxSubmitPA"),
    "MaxTRESRunMins": ("MaxTRESRunMinsPU", "MaxTRESRunMinsPA"),
}


class Client(NamedTuple):
    """Whose job it is: the names of account, user and QOS in small letters, "" for none."""

    account: str
    user: str
    qos: str


class Rule(NamedTuple):
    """One limit that a job is below.

    Attributes
    ----------
    whose
        ("qos", name); or ("group", account, user, partition) of those who share it, ("member", ...) of one who has it.
    name, resource
        As `Limits.values` has them; "" for a limit without resources.
    value
        How much it allows.
    counts
        Whether it can hold the job back; if another one does in its place, the job is only counted below it.
    """

    whose: tuple[str, ...]
    name: str
    resource: str
    value: int
    counts: bool


Rules = Callable[[Client, int], tuple[Rule, ...]]


def client_of(machine: Machine, users: Mapping[int, str]) -> Callable[[str, str, int], Client]:
    """Return the function of the QOS and account that a job names and of its user's number to whose job it is.

    A job that names no account has that of its user (`Machine.homes`); a user without a name in `users` its number.
    """
    homes = dict(machine.homes)

    def client(qos: str, account: str, user: int) -> Client:
        name = users.get(user, str(user))
        return Client(*(word.lower() for word in (account or homes.get(name, ""), name, qos)))

    return client


def qos_order(machine: Machine) -> Callable[[str, int], list[str]]:
    """Return the function of a job's QOS and the place of a partition to the QOS that count, in small letters."""
    over = {row.qos.lower() for row in machine.limits if "overpartqos" in (flag.lower() for flag in row.flags)}

    def order(qos: str, k: int) -> list[str]:
        of_job, of_partition = qos.lower() or NORMAL, machine.partitions[k].own_qos.lower()
        both = (of_job, of_partition) if of_job in over else (of_partition, of_job)
        return [*dict.fromkeys(filter(None, both))]

    return order


def rules_of(machine: Machine) -> Rules:
    """Return the function of a client and the place of a partition to all limits of a machine for such jobs.

    They are in the order in which Slurm looks at them: of the QOS, of the association, and of the accounts above.

    Examples
    --------
    >>> from .limits import Limits
    >>> from .machine import NodeKind
    >>> limits = (Limits("normal", "", "", "", {"MaxJobsPU": 8}), Limits("", "bio", "", "", {"MaxJobs": 2}))
    >>> m = Machine((NodeKind("n1", 4, 8000),), limits=limits)
    >>> [(rule.name, rule.value, rule.counts) for rule in rules_of(m)(Client("bio", "anna", ""), 0)]
    [('MaxJobsPU', 8, True), ('MaxJobs', 2, False)]
    """
    of_qos = {row.qos.lower(): row for row in machine.limits if row.qos}
    order = qos_order(machine)
    of_association = {
        (row.account.lower(), row.user.lower(), row.partition.lower()): row.values
        for row in machine.limits
        if not row.qos
    }
    above = {account.lower(): over.lower() for account, over in machine.accounts}
    limited: dict[str, Any] = {"": None}  # the first account with limits from one upwards, and what is above that

    def path(account: str) -> Iterator[str]:
        ahead = []
        while account not in limited:
            limited[account] = None
            ahead.append(account)
            account = above.get(account, ROOT if account != ROOT else "")
        for each in reversed(ahead):
            limited[each] = (each, limited[account]) if (each, "", "") in of_association else limited[account]
            account = each
        step = limited[account]
        while step is not None:
            yield step[0]
            step = step[1]

    def rules(client: Client, k: int) -> tuple[Rule, ...]:
        part = machine.partitions[k]
        found: list[Rule] = []
        known: set[tuple[str, str]] = set()  # what a QOS sets
        for name in order(client.qos, k):
            if name in of_qos:
                found += _rules(("qos", name), of_qos[name].values, known)
                known |= {(rule.name, rule.resource) for rule in found}
        if not client.account:
            return tuple(found)
        own = client.account, client.user, part.name.lower()
        own = own if own in of_association else (client.account, client.user, "")
        nearest: dict[tuple[str, str], Rule] = {}
        above_own: list[Rule] = []
        for level in dict.fromkeys((own, *((account, "", "") for account in path(client.account)))):
            values = of_association.get(level, {})
            groups = [rule for rule in _rules(("group", *level), values, known) if rule.name.startswith("Grp")]
            (found if level == own else above_own).extend(groups)
            for rule in _rules(("member", *own), values, known):
                if not rule.name.startswith("Grp"):
                    nearest.setdefault((rule.name, rule.resource), rule)
        return (*found, *nearest.values(), *above_own)

    return rules


def _rules(whose: tuple[str, ...], values: Mapping[str, Any], known: Collection[tuple[str, str]]) -> Iterator[Rule]:
    """Yield the limits with some values; those that are `known` do not count, see `Rule`."""
    for name, value in values.items():
        for resource, number in value.items() if isinstance(value, Mapping) else [("", value)]:
            counts = not any((other, resource) in known for other in SAME.get(name, (name,)))
            yield Rule(whose, name, resource, number, counts)
