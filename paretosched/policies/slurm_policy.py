"""Today's scheduler of a Slurm site: its slurm.conf as a policy, as far as one can be simulated.

PriorityType=priority/basic is first come first served. priority/multifactor is the sum of weighted factors as a
formula, cut to a whole number: age, fair share, job size, partition, QOS, and the CPUs, memory, nodes and GPUs of
PriorityWeightTRES, less the nice value of the job. Higher values of PriorityTier come first, and of equals the job that
was submitted first. SchedulerType says whether there is backfilling, and
bf_job_part_count_reserve how many jobs have reservations, in Slurm of each partition, here of all; bf_interval,
bf_window, bf_resolution, bf_max_job_test and default_queue_depth say how often and how far it looks. What has no
counterpart is said in remarks, which the provenance of the policy keeps.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from ..core.errors import InputError, first_few, in_quotes, number_of
from ..kernels.slurm_passes import TIER
from ..workload.log_names import BESIDE
from ..workload.slurm_conf import SlurmConf, is_yes, option, read_slurm_conf, whole
from ..workload.slurm_nodes import ConfNodes, NodeLists, amounts_of_nodes, machine_of
from .fair_share import FairShare
from .formula import QOS_PRIORITY
from .policy_tokens import written_name, written_number, written_time
from .priority import ALL, Backfill, Priority
from .slurm_accounts import Accounts, read_accounts
from .slurm_commands import COMMAND, QOS_COMMAND, SHARES_COMMAND
from .slurm_keys import unknown_keys
from .slurm_remarks import (
    EVERY_LOOK,
    as_number,
    bound_remarks,
    depth_remarks,
    looks,
    machine_remarks,
    scheduler_parameters,
    scheduler_remarks,
    setting_remarks,
)
from .value_ranges import LONGEST_TIME
from .whole_nodes import MOST_JOBS, NodeKind, WholeNodes

KINDS = ("priority/basic", "priority/multifactor")
WEIGHTS = tuple(f"PriorityWeight{end}" for end in ("Age", "Fairshare", "JobSize", "Partition", "QOS", "TRES"))
OLD = ("CacheGroups", "CheckpointType", "SchedulerPort", "SchedulerRootFilter")  # keys of which Slurm 23.11 has none
FALLING = MOST_JOBS  # the priority of jobs with priority/basic, or more: it falls by 1 with each job
WEEK, FIVE_MINUTES = 7 * 86400, 300  # s, of Slurm by default
MOST_RESERVED = 100_000  # of Slurm; beyond it the default counts
FLAGS = (
    "accrue_always",
    "calculate_running",
    "depth_oblivious",
    "fair_tree",
    "incr_only",
    "max_tres",
    "max_tres_gres",
    "no_fair_tree",
    "no_normal_all",
    "no_normal_assoc",
    "no_normal_part",
    "no_normal_qos",
    "no_normal_tres",
    "small_relative_to_time",
)
ASK = 'append what "scontrol show partition" and "scontrol show node" print'
NORMAL = "normal"  # the QOS of jobs that have none
# By the name of a resource: the variable of formulas for what a job asks for, and what it is in words.
TRES = {
    "cpu": ("width", "CPUs"),
    "mem": ("memory", "memory"),
    "node": ("nodes", "nodes"),
    "gres/gpu": ("gpus", "GPUs"),
}
WEIGHT = re.compile(  # strtod's
    r"(0x[0-9a-f]{1,8}|[-+]?(?:[0-9]{1,12}\.?[0-9]{0,12}|\.[0-9]{1,12})(?:e[-+]?[0-9]{1,2})?)([kmgtp]?)"
)
UNITS = ("", *"kmgtp")
UNSAID = {"memory": 0} | BESIDE  # by variable
PHASE = "passes begin at multiples of bf_interval here; Slurm's have another phase, and take time"
NICE = "nice values are 0 where a log does not say them: no field of sacct has them"


class Part(NamedTuple):
    """A part of the priority.

    Attributes
    ----------
    what
        What it is, in words; "" if it is the same for all jobs.
    terms
        Words of a formula, which are added.
    """

    what: str
    terms: tuple[str, ...]


class Partition(NamedTuple):
    """A partition.

    Attributes
    ----------
    name, factor, tier, default
        Its name, PriorityJobFactor, PriorityTier, and whether it is the default one.
    nodes
        Which nodes it has, (nodes,) bool.
    """

    name: str
    factor: int
    tier: int
    default: bool
    nodes: Mask


class Site(NamedTuple):
    """What the factors are made of.

    Attributes
    ----------
    conf
        The slurm.conf.
    flags
        The words of PriorityFlags, in small letters.
    partitions
        The partitions, the default one first.
    machine, lists
        The nodes, and the lists of them.
    each
        The CPUs of each node, (nodes,) int64.
    accounts
        The accounts, users and QOS; None if there is no list.
    """

    conf: SlurmConf
    flags: frozenset[str]
    partitions: tuple[Partition, ...]
    machine: ConfNodes
    lists: NodeLists
    each: Ints
    accounts: Accounts | None

    @property
    def nodes(self) -> int:
        """Return how many nodes there are."""
        return int(self.machine.there.sum())

    @property
    def cpus(self) -> int:
        """Return how many CPUs all nodes have together."""
        return int(self.each.sum())


def read_slurm(path: str | os.PathLike[str], shares: str | os.PathLike[str] | None = None) -> Priority:
    """Return the policy of a slurm.conf.

    Parameters
    ----------
    path
        The file; other files that it includes are beside it.
    shares
        The file of accounts, users and shares, see `paretosched.policies.slurm_accounts`; None for equal shares.

    Raises
    ------
    InputError
        A file cannot be read or is none, or the scheduler is one that cannot be simulated.
    """
    conf = read_slurm_conf(path)
    accounts = None if shares is None else read_accounts(shares, conf.text("ClusterName"))
    kind, unsaid = _kind(conf)
    scheduler = option(conf, "SchedulerType", ("sched/backfill", "sched/builtin"), "sched/backfill")
    site = _site(conf, accounts)
    parts, remarks = _multifactor(site) if kind == "priority/multifactor" else ([], [])
    terms = [term for part in parts for term in part.terms]
    if terms:  # no priority is smaller: 0 is that of held jobs
        terms = [f"max(1, {' + '.join(terms)} - nice)"]
    tier = _by_partition(site, [one.tier for one in site.partitions], TIER, ranked=True)
    if tier.terms:
        parts = [Part("PriorityTier", tier.terms), *parts]
        terms = [*tier.terms, *terms]
    backfill, words = _backfill(conf, scheduler)
    nodes = replace(_whole_nodes(site), usual=FALLING if kind == "priority/basic" else WholeNodes.usual)
    named = [part.what for part in parts if part.what] or ["the order of submission"]
    reset = conf.text("PriorityUsageResetPeriod", "NONE").upper()
    if reset != "NONE" and conf.number("PriorityWeightFairshare"):
        remarks.append(f"PriorityUsageResetPeriod={reset}: usage is not reset here, it only decays")
    remarks = [
        f"in the policy {'is' if len(named) == 1 else 'are'} {', '.join(named)}; {words}",
        *unsaid,
        *_flag_remarks(site.flags),
        *unknown_keys(conf),
        *remarks,
        *_account_remarks(site),
    ]
    of_processors = [
        *setting_remarks(conf, kind, False),
        *_reservation_remarks(site, backfill.reservations),
        *_partition_remarks(site),
        *machine_remarks(conf, site.machine, site.lists, site.each),
        *(_look_remarks(nodes, site) if backfill.reservations else []),
    ]
    of_nodes = [
        *setting_remarks(conf, kind, True),
        *([PHASE, *bound_remarks(conf)] if backfill.reservations else []),
        *scheduler_remarks(conf, True),
    ]
    return Priority(
        f"floor({' + '.join(terms)})" if any(part.what for part in parts) else "fcfs",
        backfill,
        half_life=conf.seconds("PriorityDecayHalfLife", WEEK) or LONGEST_TIME,
        fair_share=_fair_share(site) if any("fairshare" in term for term in terms) else FairShare(),
        name=f"Slurm {conf.text('ClusterName')}".strip(),
        provenance={
            "slurm": {
                "file": Path(path).name,
                "shares": None if shares is None else Path(shares).name,
                "remarks": [*remarks, *of_processors],
                "remarks on nodes": [*remarks, *of_nodes],
            }
        },
        nodes=nodes,
    )


def _site(conf: SlurmConf, accounts: Accounts | None) -> Site:
    """Return what the factors are made of."""
    machine = machine_of(conf)
    lists = NodeLists(conf, machine)
    flags = frozenset(word.lower() for word in conf.words("PriorityFlags"))
    partitions: dict[str, Partition] = {}
    for row in conf.partitions:
        factor, tier = (
            whole(key, row[key.lower()], 65533) if key.lower() in row else 1
            for key in ("PriorityJobFactor", "PriorityTier")
        )
        if "priority" in row:  # of an older Slurm; it counts before both
            factor = tier = whole("Priority", row["priority"], 65533)
        default = "default" in row and is_yes("Default", row["default"])
        name = row["partitionname"].value
        partitions[name.lower()] = Partition(name, factor, tier, default, lists.nodes_of(row))
    ordered = sorted(partitions.values(), key=lambda one: not one.default)
    return Site(conf, flags, tuple(ordered), machine, lists, amounts_of_nodes(conf, machine, "cpu"), accounts)


def _kind(conf: SlurmConf) -> tuple[str, list[str]]:
    """Return the PriorityType, and a remark if it is not in the file."""
    if "prioritytype" in conf.settings:
        return option(conf, "PriorityType", KINDS, ""), []
    without = f"no PriorityType: {KINDS[0]} before Slurm 23.11, {KINDS[1]} since"
    if not any(conf.text(key) not in ("", "0") for key in WEIGHTS):
        return KINDS[0], [f"{without}; without weights both are the order of submission"]
    old = next((key for key in OLD if key.lower() in conf.settings), "")
    if conf.text("SelectType").lower() == "select/cons_res":
        old = "SelectType=select/cons_res"
    if old:
        return KINDS[0], [f"{without}, which has no {old}: the weights count nothing"]
    return KINDS[1], [f"{without}, which is taken because there are weights; add the line if it is another one"]


def _multifactor(site: Site) -> tuple[list[Part], list[str]]:
    """Return the parts of the priority that have a weight, and remarks on what of them is left out."""
    conf = site.conf
    parts: list[Part] = []
    remarks: list[str] = []
    age, oldest = conf.number("PriorityWeightAge"), conf.seconds("PriorityMaxAge", WEEK)
    if age and not _has_slurmdbd(conf):
        remarks.append(
            f"PriorityWeightAge={age}: without AccountingStorageType=accounting_storage/slurmdbd Slurm computes "
            "priorities when jobs are submitted, and never again, so that ages count nothing"
        )
    elif age and oldest != 0:
        longest = LONGEST_TIME if oldest is None else oldest
        parts.append(Part(f"age ({age:,})", (f"{age} * min(wait / {longest}, 1)",)))
        remarks.append("PriorityCalcPeriod: ages grow with every second here, and only once in this period in Slurm")
    parts += _fair_share_part(site, remarks)
    size = _size_part(site, remarks)
    parts += size
    if size:
        remarks.append("PriorityWeightJobSize: a job counts as one node where a log does not say for how many it asks")
    remarks.append(NICE)
    partition = conf.number("PriorityWeightPartition")
    if partition and not site.partitions and conf.printed:
        remarks.append(f"PriorityWeightPartition={partition}: without partitions it counts nothing; {ASK}")
    if partition and site.partitions:
        highest = max(one.factor for one in site.partitions)
        scale = partition if site.flags & {"no_normal_part", "no_normal_all"} or not highest else partition / highest
        by_name = _by_partition(site, [one.factor for one in site.partitions], scale)
        parts.append(by_name._replace(what=f"partition ({partition:,})"))
    parts += _qos_part(site, remarks)
    parts += _tres_part(site, remarks)
    return parts, remarks


def _fair_share_part(site: Site, remarks: list[str]) -> list[Part]:
    """Return the part of fair share; remarks are appended."""
    conf = site.conf
    weight = conf.number("PriorityWeightFairshare")
    if not weight:
        return []
    if not _has_slurmdbd(conf):
        remarks.append(
            f"PriorityWeightFairshare={weight}: without AccountingStorageType=accounting_storage/slurmdbd "
            "Slurm knows no shares, so that it counts nothing"
        )
        return []
    if site.accounts is None or not site.accounts.associations:
        remarks.append(f"all users have equal shares; to give them their own: {COMMAND}; then: {SHARES_COMMAND}")
    elif site.accounts.left_out:
        remarks.append(f"left out: {number_of(site.accounts.left_out, 'association')} with a partition")
    remarks.append("usage begins with 0 at the first job of the log, and counts processors, whatever is billed")
    if "depth_oblivious" in site.flags:
        remarks.append("DEPTH_OBLIVIOUS: accounts within accounts count as in the classic algorithm without this flag")
    what = "fair share, " + ("classic" if _is_classic(site) else "Fair Tree")
    return [Part(f"{what} ({weight:,})", (f"{weight} * fairshare",))]


def _has_slurmdbd(conf: SlurmConf) -> bool:
    """Return whether there are accounts; without them Slurm 22.05 never computes priorities again."""
    storage = conf.text("AccountingStorageType", "accounting_storage/none").lower()
    return storage in ("accounting_storage/slurmdbd", "accounting_storage/mysql")


def _is_classic(site: Site) -> bool:
    """Return whether fair share is computed by the classic algorithm."""
    return bool(site.flags & {"no_fair_tree", "depth_oblivious"})


def _fair_share(site: Site) -> FairShare:
    """Return who has which shares."""
    conf = site.conf
    return FairShare(
        "classic" if _is_classic(site) else "tree",
        () if site.accounts is None else site.accounts.associations,
        conf.seconds("PriorityCalcPeriod", FIVE_MINUTES) or FIVE_MINUTES,
        max(1, conf.number("FairShareDampeningFactor", 1)),
    )


def _size_part(site: Site, remarks: list[str]) -> list[Part]:
    """Return the part of job size, nodes and processors, each as a part of the machine; remarks are appended."""
    weight = site.conf.number("PriorityWeightJobSize")
    if not weight:
        return []
    if not site.cpus and site.conf.printed:
        remarks.append(f"PriorityWeightJobSize={weight}: without nodes it counts nothing; {ASK}")
        return []
    if not site.cpus:
        where = site.conf.settings["priorityweightjobsize"].where
        raise InputError(f"{where}: PriorityWeightJobSize needs the CPUs of NodeName lines, but there are none")
    small = site.conf.flag("PriorityFavorSmall")
    if "small_relative_to_time" in site.flags:
        per_node = written_number(site.cpus / site.nodes)
        size = f"max({per_node} * nodes, width) / max(estimate / 60, 1) / {site.cpus}"
        size = f"1 - {size}" if small else size
        words = "job size relative to time"
    else:
        part = written_number(0.5 / site.nodes)
        size = f"{part} * nodes + width / {2 * site.cpus}"
        size = f"1 - ({size})" if small else size
        words = "job size"
    return [Part(f"{words} ({weight:,})", (f"{weight} * max(0, min(1, {size}))",))]


def _qos_part(site: Site, remarks: list[str]) -> list[Part]:
    """Return the part of the QOS; remarks are appended."""
    weight = site.conf.number("PriorityWeightQOS")
    if not weight:
        return []
    qos = None if site.accounts is None else site.accounts.qos
    if qos is None:
        ways = "import --machine --qos puts the priorities of QOS into a log"
        ways += f"; for others: {QOS_COMMAND}; then: "
        if site.flags & {"no_normal_qos", "no_normal_all"}:
            remarks.append(f"PriorityWeightQOS={weight}, not normalised: {ways.partition('; ')[2]}{SHARES_COMMAND}")
            return []
        unknown = f"PriorityWeightQOS={weight} counts nothing where priorities of QOS are not known"
        remarks.append(f"{unknown}: {ways}{SHARES_COMMAND}")
        return [Part(f"QOS ({weight:,})", (f"{weight} * {QOS_PRIORITY}",))]
    highest = max(qos.values()) or 1
    scale = weight if site.flags & {"no_normal_qos", "no_normal_all"} else weight / highest
    usual = qos.get(NORMAL, 0)
    others = {name: (value - usual) * scale for name, value in qos.items() if value != usual}
    return [Part(f"QOS ({weight:,})", _with_constant(usual * scale, _labels("queue", others)))]


def _tres_part(site: Site, remarks: list[str]) -> list[Part]:
    """Return the parts of PriorityWeightTRES that a log can have; remarks are appended."""
    weights = dict[str, float]()
    if "priorityweighttres" not in site.conf.settings:
        return []
    where = site.conf.settings["priorityweighttres"].where
    for word in site.conf.words("PriorityWeightTRES"):
        name, _, number = word.partition("=")
        match = WEIGHT.fullmatch(number.strip().lower())
        if match is None:
            raise InputError(f"{where}: PriorityWeightTRES must be NAME=NUMBER,..., but has {in_quotes(word)}")
        name = name.strip().lower()
        larger = max(0, UNITS.index(match[2]) - (2 if name == "mem" else 0))  # memory is in MiB
        value = int(match[1], 16) if match[1].startswith("0x") else float(match[1])
        weights[name] = value / 1024.0**larger
    others = [name for name in weights if name not in TRES and weights[name]]
    if others:
        remarks.append(f"PriorityWeightTRES: {', '.join(others)} of jobs are not in a log, so that they count nothing")
    parts = []
    for name, (variable, what) in TRES.items():
        weight = weights.get(name, 0.0)
        if not weight:
            continue
        factor = _tres_factor(site, name, weight)
        if factor:
            parts.append(Part(f"{what} ({weight:,g})", (f"{variable} * {factor}",)))
            if name != "cpu":
                remarks.append(f"PriorityWeightTRES: {what} of a job: {UNSAID[variable]} where a log does not say it")
        elif name == "cpu" and site.conf.printed:
            remarks.append(f"PriorityWeightTRES: without partitions and nodes {what} count nothing; {ASK}")
        elif name == "cpu":
            raise InputError(
                f"{where}: PriorityWeightTRES needs the CPUs of NodeName and PartitionName lines; there are none"
            )
        else:
            remarks.append(f"PriorityWeightTRES: no partition has a node with {what}, so that they count nothing")
    return parts


def _tres_factor(site: Site, resource: str, weight: float) -> str:
    """Return by what the amount of a resource is multiplied: the weight, as part of what the partition has; or ""."""
    if site.flags & {"no_normal_tres", "no_normal_all"}:
        return written_number(weight)
    each = site.each if resource == "cpu" else amounts_of_nodes(site.conf, site.machine, resource)
    totals = [int(each[one.nodes].sum()) for one in site.partitions]
    if not any(totals):
        return ""
    terms = _by_partition(site, [1 / total if total else 0.0 for total in totals], weight).terms
    return f"({' + '.join(terms)})" if len(terms) > 1 else terms[0]


def _by_partition(site: Site, values: Sequence[float], scale: float, ranked: bool = False) -> Part:
    """Return a number for each partition, times a scale, as terms: of the default one, and differences to it.

    Parameters
    ----------
    site
        The partitions.
    values
        A value for each of them.
    scale
        By what values are multiplied.
    ranked
        Whether only the order of the values counts; then there is no term if all are equal.
    """
    if ranked:
        places = {value: place for place, value in enumerate(sorted(set(values)))}
        values = [places[value] for value in values]
        if len(places) < 2:
            return Part("", ())
    usual = values[0]
    others = {
        one.name: (value - usual) * scale for one, value in zip(site.partitions, values, strict=True) if value != usual
    }
    return Part("", _with_constant(usual * scale, _labels("partition", others)))


def _with_constant(constant: float, terms: Sequence[str]) -> tuple[str, ...]:
    """Return a constant and terms; it is left out if it is 0 and there are others."""
    return tuple(terms) if constant == 0 and terms else (written_number(float(constant)), *terms)


def _labels(word: str, values: Mapping[str, float]) -> list[str]:
    """Return the term that adds a value for the jobs of each partition or QOS; none without any."""
    texts = {name: f"{'-' if value < 0 else ''}{written_number(float(abs(value)))}" for name, value in values.items()}
    if len(texts) < 2:
        return [f"{text} * {word}({written_name(name)})" for name, text in texts.items()]
    return [f"{word}({', '.join(f'{written_name(name)} = {text}' for name, text in texts.items())})"]


def _backfill(conf: SlurmConf, scheduler: str) -> tuple[Backfill, str]:
    """Return the backfilling, and what it is in words."""
    given = scheduler_parameters(conf)
    if scheduler == "sched/builtin" or given.get("bf_interval") == "-1":
        return Backfill(), "no backfilling"
    count = as_number(given.get("bf_job_part_count_reserve", "0"))
    if not 0 < count <= MOST_RESERVED:
        return Backfill(ALL), "backfilling beside reservations of all waiting jobs"
    first = "a reservation of the first job" if count == 1 else f"reservations of the first {count:,} jobs"
    return Backfill(count), f"backfilling beside {first}"


def _whole_nodes(site: Site) -> WholeNodes:
    """Return the nodes on which jobs can run, none if they are not known, and how often and how far Slurm looks."""
    used = np.zeros(len(site.each), dtype=bool) if site.partitions else site.machine.there.copy()
    for one in site.partitions:
        used |= one.nodes
    each = site.each[used & (site.each > 0)].tolist()
    kinds = tuple(NodeKind(len(list(alike)), count) for count, alike in groupby(each))
    units = {name: (field, unit) for name, (field, unit, _) in EVERY_LOOK.items()}
    return WholeNodes(kinds, **{units[name][0]: value * units[name][1] for name, value in looks(site.conf).items()})


def _account_remarks(site: Site) -> list[str]:
    """Return remarks on what of the list of shares is not simulated, or was not understood."""
    accounts, remarks = site.accounts, list[str]()
    if accounts is None:
        return remarks
    if accounts.limits and not site.conf.text("AccountingStorageEnforce"):  # else a remark says it
        remarks.append(
            f"--shares: limits of {len(accounts.limits):,} of the associations and QOS hold nobody here; import "
            "--machine --qos --assoc takes them into a log"
        )
    if accounts.others:
        remarks.append(f"--shares: {number_of(accounts.others, 'line')} passed over, without a command of sacctmgr")
    if accounts.without_shares:
        listed = number_of(accounts.without_shares, "association")
        remarks.append(f"--shares: no column Share says what {listed} may use; each has one share")
    if accounts.flat:
        remarks.append("--shares: no column ParentName says in which account an account is; all are counted below root")
    return remarks


def _flag_remarks(flags: frozenset[str]) -> list[str]:
    """Return a remark on words of PriorityFlags that are not known; Slurm says nothing of them."""
    unknown = sorted(flags - set(FLAGS))
    return [f"PriorityFlags: {', '.join(unknown).upper()} is not simulated"] if unknown else []


def _reservation_remarks(site: Site, reservations: int) -> list[str]:
    """Return a remark if Slurm counts reservations for each of several partitions."""
    if len(site.partitions) < 2 or reservations in (0, ALL):
        return []
    jobs = "the first job" if reservations == 1 else f"the first {reservations:,} jobs"
    return [
        f"bf_job_part_count_reserve={reservations} reserves for {jobs} of each of {len(site.partitions):,} partitions "
        f"that cannot start now, here for {jobs} of all"
    ]


def _partition_remarks(site: Site) -> list[str]:
    """Return a remark if partitions have different nodes, which are one machine here."""
    if all((one.nodes == site.partitions[0].nodes).all() for one in site.partitions):
        return []
    partitions_of = np.sum([one.nodes for one in site.partitions], axis=0)  # how many have each node
    has_own = [bool((partitions_of[one.nodes] == 1).all()) for one in site.partitions]
    words = ["the partitions have different nodes, but here all jobs share one machine"]
    for own, fact in (
        (True, "nodes of their own: the jobs of each can be imported alone, by --partition"),
        (False, "nodes in common with others: import --machine makes a log of their jobs with the nodes"),
    ):
        names = [one.name for one, alone in zip(site.partitions, has_own, strict=True) if alone == own]
        words += [f"{first_few(names, limit=8)}: {fact}"] if names else []
    return ["; ".join(words)]


def _look_remarks(nodes: WholeNodes, site: Site) -> list[str]:
    """Return remarks on how sched/backfill looks at nodes, and on what else it is told."""
    if not nodes.kinds:
        why = "no partition has a node of a NodeName line:" if site.nodes else "without NodeName lines"
        if site.conf.printed and not site.nodes:
            why = f"scontrol show config has no partitions and nodes; {ASK}. Without them"
        remarks = [f"{why} processors are counted here; Slurm reserves whole nodes", *depth_remarks(site.conf)]
    else:
        machine = f"{number_of(nodes.count, 'node')} and {number_of(nodes.cpus, 'processor')}"
        remarks = [
            f"on a machine of {machine}, reservations are for whole nodes, and jobs are backfilled every "
            f"{written_time(nodes.every)}; on any other machine, on one of which processors are down at times, and "
            "with predicted run times, processors are counted",
            PHASE,
        ]
    return [*remarks, *bound_remarks(site.conf), *scheduler_remarks(site.conf, False)]
