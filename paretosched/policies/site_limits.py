"""A machine with the limits and accounts of its site, as sacctmgr prints them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..core.errors import InputError, first_few
from ..workload.limits import NOT_SIMULATED, Limits
from ..workload.machine import Machine
from ..workload.preemption import SUSPEND, Preemption
from ..workload.slurm_conf import read_slurm_conf
from .slurm_accounts import QosWays, read_accounts
from .slurm_commands import ASSOC_COMMAND, SITE_QOS_COMMAND

ENFORCED = {"limits", "safe", "all"}  # one of these words of AccountingStorageEnforce


def with_site_limits(
    machine: Machine, qos: str | os.PathLike[str] | None, associations: str | os.PathLike[str] | None
) -> tuple[Machine, list[str]]:
    """Return a machine with limits, accounts and QOS that make others wait, and what is not as it is there, in words.

    Parameters
    ----------
    machine
        The machine.
    qos, associations
        Files with what `sacctmgr show qos` and `sacctmgr show assoc` print, or with dumps or commands of sacctmgr; one
        file may have both. None if there is none.

    Raises
    ------
    InputError
        A file cannot be read, or is none of these.
    """
    limits: dict[tuple[str, ...], Limits] = {}
    accounts: dict[str, str] = {}
    homes: dict[str, str] = {}
    ways: dict[str, QosWays] = {}
    priorities: dict[str, int] = {}
    remarks = []
    for path, command in ((associations, ASSOC_COMMAND), (qos, SITE_QOS_COMMAND)):
        if path is None:
            continue
        found = read_accounts(path, machine.name)
        is_there = found.associations if path == associations else found.qos or any(each.qos for each in found.limits)
        if not is_there:
            what = "association" if path == associations else "QOS"
            raise InputError(f"{path}: there must be a line for each {what}, but is none; write it by: {command}")
        accounts |= {each.account: each.within for each in found.associations if not each.user}
        members = [(each.user, each.account) for each in found.associations]
        members += [(each.user, each.account) for each in found.limits]
        for user, account in members:
            if user:
                homes.setdefault(user, account)
        limits |= {each.whose: each for each in found.limits}
        ways |= found.ways
        priorities |= found.qos or {}
        if found.flat and any(each.account for each in found.limits):
            remarks.append(
                f"{path} does not say in which accounts others are: each limit of an account holds for itself only; "
                f"write it by: {ASSOC_COMMAND}"
            )
    known = {each.qos for each in limits.values() if each.qos}
    own = dict.fromkeys(part.own_qos for part in machine.partitions if part.own_qos and part.own_qos not in known)
    if own and qos is not None:
        remarks.append(f"{qos} has no limits of {first_few(own)}, the QOS of partitions")
    counts = Counter(name for each in limits.values() for name in each.values if name in NOT_SIMULATED)
    if counts:
        words = ", ".join(f"{name} of {counts[name]:,}" for name in NOT_SIMULATED if counts[name])
        remarks.append(f"limits that are kept, but not simulated: {words}")
    values = tuple(limits.values())
    homes = homes if any(each.account for each in values) else {}
    machine = replace(machine, limits=values, accounts=tuple(accounts.items()), homes=tuple(homes.items()))
    machine = replace(machine, qos=tuple(priorities.items()) if any(priorities.values()) else ())
    if machine.preemption is not None:
        machine = replace(machine, preemption=_with_ways(machine.preemption, ways, remarks))
    return machine, remarks


def _with_ways(preemption: Preemption, ways: Mapping[str, QosWays], remarks: list[str]) -> Preemption:
    """Return how jobs make way with what QOS say of it; remarks are appended."""
    suspended = [name for name, way in ways.items() if way.mode == SUSPEND]
    if suspended:
        remarks.append(f"jobs of {first_few(suspended)} are suspended by Slurm; here they do not make way")
    preemption = replace(
        preemption,
        exempts=tuple((name, way.exempt) for name, way in ways.items() if way.exempt is not None),
        ranks=tuple((name, way.rank) for name, way in ways.items() if way.rank),
    )
    if preemption.kind != "qos":
        return preemption
    return replace(
        preemption,
        modes=tuple((name, "off" if way.mode == SUSPEND else way.mode) for name, way in ways.items() if way.mode),
        grace=tuple((name, way.grace) for name, way in ways.items() if way.grace),
        over=tuple((name, way.over) for name, way in ways.items() if way.over),
    )


def enforcement_remarks(path: str | os.PathLike[str], machine: Machine) -> list[str]:
    """Return in words that the slurm.conf of a machine with limits does not enforce them; nothing if it does."""
    if not machine.limits:
        return []
    words = {word.lower() for word in read_slurm_conf(Path(path)).words("AccountingStorageEnforce")}
    if words & ENFORCED:
        return []
    return [
        f"{path} has no AccountingStorageEnforce=limits, so that its Slurm enforces no limits; {len(machine.limits):,} "
        "QOS and associations with limits are taken all the same: simulate --without limits leaves them out"
    ]
