"""A machine whose limits a command of sacctmgr changes, such as "modify qos normal set MaxJobsPerUser=8"."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..core.errors import InputError, did_you_mean, in_quotes
from ..workload.limits import NAMES, NOT_SIMULATED, RESOURCES, SUBMITTED, Limits, limits_of, with_limits
from ..workload.machine import Machine
from ..workload.node_requests import NORMAL
from .slurm_sacctmgr import SacctmgrRows, is_command

FORM = '"modify qos normal set MaxJobsPerUser=8", or of an account or user'


def with_set_limits(machine: Machine, command: str, names: Iterable[str] = ()) -> Machine:
    """Return a machine with the limits that a command of sacctmgr sets; -1 takes one away.

    Parameters
    ----------
    machine
        The machine.
    command
        What stands behind sacctmgr.
    names
        More QOS that there are, beside those that the machine names.

    Raises
    ------
    InputError
        The command sets no limits that count here, or those of a QOS, account or user that is not known.

    Examples
    --------
    >>> from paretosched import NodeKind
    >>> limits = Limits("normal", "", "", "", {"MaxJobsPU": 16, "MaxTRESPU": {"cpu": 64}}),
    >>> machine = Machine((NodeKind("n[1-2]", 4, 100),), limits=limits)
    >>> other = with_set_limits(machine, "modify qos normal set MaxJobsPerUser=-1 MaxTRESPerUser=gres/gpu=4")
    >>> [(each.of, dict(each.values["MaxTRESPU"]), len(each.values)) for each in other.limits]
    [('QOS normal', {'cpu': 64, 'gres/gpu': 4}, 1)]
    """
    text = " ".join(command.split())
    if not is_command(text) or "modify" not in text.lower().split()[:3]:
        raise InputError(f"must be a command of sacctmgr such as {FORM}, but is {in_quotes(text)}")
    rows = SacctmgrRows()
    for account, above in machine.accounts:
        rows.command(f"add account {shlex.quote(account)} parent={shlex.quote(above)}", "")
    members = {*machine.homes, *((each.user, each.account) for each in machine.limits if each.user)}
    for user, account in sorted(members):
        rows.command(f"add user {shlex.quote(user)} account={shlex.quote(account)}", "")
    rows.command(text, "the command")
    changed = [row for row in rows.rows() if any(name in row for name in NAMES)]
    if not changed:
        raise InputError(
            f"must set a limit of a QOS, or of an account or user that the log has (import --assoc), such as {FORM}, "
            f"but is {in_quotes(text)}"
        )
    known = {NORMAL, *names, *(name for name, _ in machine.qos), *(each.qos for each in machine.limits)}
    known |= {part.own_qos for part in machine.partitions}
    for row in changed:
        name = row.get("name", "")
        if name and name.lower() not in {word.lower() for word in known}:
            raise InputError(f"QOS {in_quotes(name)} is not in the log{did_you_mean(name, sorted(known - {''}))}")
        idle = [word for word in (*NOT_SIMULATED, *SUBMITTED) if word in row]
        if idle:
            raise InputError(f"{idle[0]} holds no job here, so that nothing would change")
    return with_rows(machine, changed)


def with_rows(machine: Machine, rows: Iterable[Mapping[str, str]]) -> Machine:
    """Return a machine with the limits that rows set, as sacctmgr writes them; all others stay.

    Examples
    --------
    >>> from paretosched import NodeKind
    >>> limits = Limits("normal", "", "", "", {"MaxTRESPU": {"cpu": 64, "gres/gpu": 4}}),
    >>> machine = Machine((NodeKind("n[1-2]", 4, 100),), limits=limits)
    >>> other = with_rows(machine, [{"name": "normal", "MaxJobsPU": "8", "MaxTRESPU": "gres/gpu=-1"}])
    >>> other.limits[0].plain
    {'MaxJobsPU': 8, 'MaxTRESPU': {'cpu': 64}}
    """
    limits = {tuple(word.lower() for word in each.whose): each for each in machine.limits}
    for row in rows:
        name, account, user, partition = (row.get(key, "") for key in ("name", "account", "user", "partition"))
        key = tuple(word.lower() for word in (name, account, user, partition))
        before = limits.get(key, Limits(name, account, user, partition, {}))
        limits[key] = replace(before, values=_together(before, row))
    return replace(machine, limits=tuple(each for each in limits.values() if each.values or each.flags))


def _together(before: Limits, row: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the values of limits with those that a row sets, as text."""
    amounts = {
        name: ",".join(f"{word}={n}{'K' if word == 'mem' else ''}" for word, n in value.items())
        for name, value in before.values.items()
        if isinstance(value, Mapping)
    }
    said = {name: row[name] for name in NAMES if name in row}
    merged = with_limits({name: amounts[name] for name in said if name in amounts and name in RESOURCES}, said)
    return {name: value for name, value in before.values.items() if name not in said} | dict(
        limits_of({"where": "the command", **merged})
    )
