"""A policy and limits in the words of Slurm, where it has them; else how the daemon gives a policy to Slurm."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..core.errors import InputError
from ..policies.formula import Term
from ..policies.plain import Plain
from ..policies.policy import Policy
from ..policies.priority import Priority
from ..workload.slurm_conf import duration_text
from .ranking import Orderly, check_orderly, left_out
from .slurm_settings import wanted_settings

AGE = 365 * 86400  # s, the PriorityMaxAge with which the age of no waiting job stops to grow
HIGHEST = 1e9  # the sum of all weights, far below 2^32
DAY = 86400  # s
PARAMETERS = "SchedulerParameters="
PRIORITY, BY_AGE = "PriorityType=priority/multifactor", "PriorityMaxAge=365-0"


OPTIONS = {"MaxJobsPU": "MaxJobsPerUser", "MaxTRESPU": "MaxTRESPerUser"}  # of sacctmgr modify qos, by columns it shows
NO_LIMIT, MAX_TIME = -1, "MaxTime"


class Linear(NamedTuple):
    """A formula that Slurm can add up: so much for each second of waiting and each processor, and for partitions."""

    wait: float
    width: float
    partitions: dict[str, float]


def slurm_words(policy: Policy, file: str, groups: str = "--groups account", longest: int = DAY) -> list[str]:
    """Return lines: what to put into slurm.conf for a policy, and what to run beside it.

    Parameters
    ----------
    policy
        The policy.
    file
        The file that it is in.
    groups
        The option that puts jobs into its groups, see `option_of_groups`; "" for none.
    longest
        The longest time limit of a job, s.
    """
    own = _own_lines(policy)
    try:
        orderly = policy if own and isinstance(policy, Priority) else check_orderly(policy)
    except InputError as error:
        return [f"Slurm cannot be told this: {error}"]
    lines = ["In slurm.conf, a copy of it first:", *(f"  {line}" for line in own or [PRIORITY])]
    lines += [f"  {line}" for line in _backfill_lines(orderly, longest)]
    lines += [f"Slurm cannot do this of the policy: {words}" for words in left_out(orderly, in_passes=True)]
    if own:
        return lines
    deploy = " ".join(filter(None, ["paretosched deploy", shlex.quote(file), "--to slurm", groups]))
    return [
        *lines,
        "The order of the waiting jobs has no words in slurm.conf; a daemon sets it by site factors:",
        f"  {deploy} --dry-run -o shadow   # a week; nothing is changed",
        f"  {deploy}   # --unit prints a service, --off undoes it",
    ]


def limit_lines(changes: Iterable[tuple[str, str, int | None]]) -> list[str]:
    """Return lines that set limits: commands of sacctmgr, and what to put into slurm.conf.

    Parameters
    ----------
    changes
        Each the name of a QOS, "MaxJobsPU" or "MaxTRESPU=RESOURCE", and the value, None for no limit; or that of a
        partition, "MaxTime", and seconds; or "", a word of SchedulerParameters, and its value.

    Examples
    --------
    >>> lines = limit_lines([("normal", "MaxJobsPU", 64), ("normal", "MaxTRESPU=cpu", 400)])
    >>> lines[0]
    'sacctmgr modify qos normal set MaxJobsPerUser=64 MaxTRESPerUser=cpu=400'
    >>> limit_lines([("long", "MaxTime", 86400)])[0]
    'scontrol update PartitionName=long MaxTime=1-00:00:00'
    """
    of_qos: dict[str, dict[str, list[str]]] = {}
    times, parameters = [], []
    for qos, name, value in changes:
        if name == MAX_TIME:
            time = "UNLIMITED" if value is None else duration_text(value)
            times.append(f"scontrol update PartitionName={qos} MaxTime={time}")
            parameters.append(f"PartitionName={qos} ... MaxTime={time}   # in slurm.conf, so that it stays")
            continue
        key, _, resource = name.partition("=")
        number = NO_LIMIT if value is None else value
        if qos:
            of_qos.setdefault(qos, {}).setdefault(OPTIONS[key], []).append(f"{resource}={number}".removeprefix("="))
        elif value is None:
            parameters.append(f"{PARAMETERS}...   # in slurm.conf, without {name}")
        else:
            parameters.append(f"{PARAMETERS}{name}={value}   # in slurm.conf, with those that are there already")
    lines = [
        f"sacctmgr modify qos {shlex.quote(qos)} set " + " ".join(f"{key}={','.join(x)}" for key, x in options.items())
        for qos, options in of_qos.items()
    ]
    enforced = ["AccountingStorageEnforce=limits,qos   # in slurm.conf, else Slurm enforces none"] * bool(lines)
    if times:
        enforced.append("EnforcePartLimits=ANY   # in slurm.conf: ALL refuses jobs that are too long for one they name")
    return [*lines, *times, *parameters, *enforced]


def _own_lines(policy: Policy) -> list[str]:
    """Return the lines with which Slurm itself orders the waiting jobs as a policy does; none if it cannot."""
    if "slurm" in policy.provenance:
        return ["PriorityType, PriorityWeight* and the like: as in the slurm.conf from which it was read"]
    if isinstance(policy, Plain) and not policy.no_order:
        return ["PriorityType=priority/basic"]
    if not isinstance(policy, Priority) or len(set(policy.orders)) > 1:
        return []
    order = policy.orders[0]
    if order.name == "fcfs":
        return ["PriorityType=priority/basic"]
    line = _sum_of(order.formula.key)
    if line is None or min(line.wait, line.width, *line.partitions.values()) < 0:  # no weight of Slurm is negative
        return []
    largest = max(line.partitions.values(), default=0.0)
    total = line.wait * AGE + line.width + largest
    if not 0 < total < float("inf"):
        return []
    weights = {"Age": line.wait * AGE, "Partition": largest}
    lines = [PRIORITY, "AccountingStorageType=accounting_storage/slurmdbd   # else Slurm lets no priority grow"]
    lines += [f"PriorityWeight{name}={round(value * HIGHEST / total)}" for name, value in weights.items() if value]
    lines += [BY_AGE] * bool(line.wait)
    if line.width:
        lines += [f"PriorityWeightTRES=CPU={line.width * HIGHEST / total:.6g}", "PriorityFlags=NO_NORMAL_TRES"]
    lines += [
        f"PartitionName={name} ... PriorityJobFactor={round(value / largest * 65533)}"
        for name, value in line.partitions.items()
    ]
    return lines


def _sum_of(term: Term) -> Linear | None:
    """Return a formula as what Slurm can add up; None if it is something else."""
    if term.word == "wait":
        return Linear(1.0, 0.0, {})
    if term.word == "width":
        return Linear(0.0, 1.0, {})
    if term.word == "partition":
        return Linear(0.0, 0.0, dict(zip(term.labels, term.values or (1.0,) * len(term.labels), strict=True)))
    if term.word == "number":
        return Linear(0.0, 0.0, {})  # the same for all jobs
    if term.word == "+":
        return _sum_of_all([_sum_of(part) for part in term.parts])
    if term.word == "*":
        first, second = term.parts
        factor, rest = (first, second) if first.word == "number" else (second, first)
        whole = _sum_of(rest) if factor.word == "number" else None
        return None if whole is None else _times(whole, factor.value)
    return None


def _sum_of_all(parts: Sequence[Linear | None]) -> Linear | None:
    """Return the sum of parts; None if one of them cannot be added up."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    names = dict.fromkeys(name for part in known for name in part.partitions)
    partitions = {name: sum(part.partitions.get(name, 0.0) for part in known) for name in names}
    return Linear(sum(part.wait for part in known), sum(part.width for part in known), partitions)


def _times(line: Linear, factor: float) -> Linear:
    """Return a sum, multiplied."""
    return Linear(line.wait * factor, line.width * factor, {n: value * factor for n, value in line.partitions.items()})


def _backfill_lines(policy: Orderly, longest: int) -> list[str]:
    """Return the lines of the backfilling, where 500 jobs wait at most, and no limit is above the longest one, s."""
    wanted = [setting.words.partition(" ")[0] for setting in wanted_settings(policy, {}, longest, 0)]
    parameters = [words.removeprefix(PARAMETERS) for words in wanted if words.startswith(PARAMETERS)]
    return [
        *(words for words in wanted if words.startswith("SchedulerType")),
        f"{PARAMETERS}{','.join(parameters)}   # with those that are there already, on one line",
        *["# bf_window: the longest limit, minutes; bf_max_job_test, default_queue_depth: how many jobs wait at most"]
        * any(words.startswith("bf_window") for words in parameters),
    ]
