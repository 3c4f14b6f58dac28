"""What of a slurm.conf has no counterpart in a simulation, and what it would change."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ..core.arrays import Ints
from ..core.errors import first_few, in_quotes, printable
from ..workload.slurm_conf import SlurmConf
from ..workload.slurm_nodes import FUTURE, ConfNodes, NodeLists
from .slurm_keys import near_word
from .whole_nodes import LOOKS, LOOKS_ON_NODES, MOST_JOBS, PASS_LIMITS, WholeNodes

OVER_TIME = (
    "minutes that Slurm lets jobs run beyond their limit, and plans with; here a job ends at its request, or with "
    "--overrun raise has asked for as long as it ran"
)
# what a setting would change, if it is not one of some values
SETTINGS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "PreemptType": (("", "none", "preempt/none"), "no job is preempted here"),
    "AccountingStorageEnforce": (
        ("", "none", "0"),
        "limits of associations and QOS hold no job back here, so that some start earlier",
    ),
    "Licenses": (("",), "jobs do not wait for licences here"),
    "PriorityWeightAssoc": (("", "0"), "all associations have the same priority here"),
    "PrioritySiteFactorPlugin": (("", "(null)"), "site factors are 0 here"),
    "OverTimeLimit": (("", "0"), OVER_TIME),
    "CompleteWait": (("", "0"), "jobs start here also while others are completing"),
    "TopologyPlugin": (
        ("", "topology/none", "topology/default", "topology/flat"),
        "nodes are chosen without regard to switches here",
    ),
    "SuspendProgram": (("", "(null)"), "no node is switched off here, so that no job waits until one is up"),
    "JobSubmitPlugins": (("",), "jobs are taken as the log has them, after these plugins"),
}
MULTIFACTOR_ONLY = ("PriorityWeightAssoc", "PrioritySiteFactorPlugin")
FLAGS = {
    "accrue_always": "ages count from when a job could run, not from its submission",
    "incr_only": "priorities may fall here, as usage grows",
    "max_tres": "billing is not simulated: usage is processors times time",
    "max_tres_gres": "billing is not simulated: usage is processors times time",
}
RESERVED = "processors that a node keeps for the system are counted here as others"
# ends of words of SelectTypeParameters, and what they would change
SELECTS = {
    "memory": "jobs wait for processors only here, not for memory",
    "lln": "nodes are filled here, the least loaded ones come last",
    "pack_nodes": "tasks are not packed on nodes here",
    "socket": "Slurm gives entire sockets to a job, here it gets the processors that it has in the log",
}
# keys of PartitionName lines whose values may be these, and what others would change
PARTITION: Mapping[str, tuple[tuple[str, ...], str]] = {
    "oversubscribe": (("no", "exclusive"), "no processor runs two jobs at a time here"),
    "qos": (("n/a",), "limits of the QOS of partitions hold no job back here"),
    "tresbillingweights": ((), "usage is processors times time here, whatever is billed"),
    "maxcpuspernode": (("unlimited",), "any job may use any processor here"),
    "preemptmode": (("off",), "no job is preempted here"),
    "state": (("up",), "jobs of this partition start here as those of others do"),
    "overtimelimit": (("0", "none"), OVER_TIME),
    "gracetime": (("0",), "no job is preempted here"),
    "exclusiveuser": (("no",), "jobs of several users may share a node here"),
    "lln": (("no",), SELECTS["lln"]),
    "reqresv": (("no",), "no job needs a reservation here"),
}
# keys of NodeName lines, their default values, and what others would change
NODE = {
    "corespeccount": ("0", RESERVED),
    "cpuspeclist": ("", RESERVED),
    "weight": ("1", "Slurm takes the nodes of the smallest weight first, here the first ones of the file"),
}
KNOWN_ON_NODES = (
    "Licenses",
    "oversubscribe",
    "state",
    "lln",
    "TopologyPlugin",
    "preemptmode",
    "gracetime",
)  # what a machine of nodes has
LIMITS = "limits of QOS and associations hold back jobs of logs that have them: import --machine --qos --assoc"
PREEMPTS = "jobs of logs that have its rules make way for others: import --machine, and --qos for those of QOS"
OVER_TIMES = "jobs of logs that have it run beyond their limit, which passes know: import --machine"
ON_NODES = {
    "AccountingStorageEnforce": LIMITS,
    "qos": LIMITS,
    "PreemptType": PREEMPTS,
    "OverTimeLimit": OVER_TIMES,
}  # what settings mean there instead
ENTIRE = "Slurm gives entire nodes to a job, here it gets the processors that it has in the log, and others the rest"
UP = ("unknown", "idle", "allocated", "mixed", "completing", "planned")
BY_PROCESSOR = ("select/cons_tres", "select/cons_res")
EVERY_LOOK = LOOKS | LOOKS_ON_NODES
WORDS = ("assoc_limit_stop",)  # of these, without a value
# what `LOOKS` would change, if they are not simulated
DEPTHS = {
    "bf_interval": "Slurm backfills once in {} s, here it is done at every submission and end of a job",
    "bf_resolution": "Slurm plans in steps of {} s, here it is done to the second",
    "bf_max_job_test": "Slurm backfills among the first {} jobs only, here among all",
    "bf_window": "Slurm plans {} min ahead, here there is no end",
    "default_queue_depth": "Slurm's quick passes look at the first {} jobs, here at all that could start",
}
IMMEDIATE = ("batch_sched_delay", "sched_min_interval")  # 0 is as it is simulated
NO_CHANGE = (
    *("bf_job_part_count_reserve", "bf_continue", "bf_hetjob_prio", "bf_yield_interval", "bf_yield_sleep"),
    *("enable_hetjob_steps", "enable_user_top", "max_script_size", "nohold_on_prolog_fail", "salloc_wait_nodes"),
    *("sbatch_wait_nodes", "requeue_setup_env_fail", "kill_invalid_depend", "preempt_youngest_first"),
    *("preempt_reorder_count", "preempt_strict_order", "max_switch_wait"),
)
OPTIONS = {
    "bf_max_job_user": "Slurm starts at most {} jobs of a user in one backfilling",
    "bf_max_job_part": "Slurm starts at most {} jobs of a partition in one backfilling",
    "bf_max_job_assoc": "Slurm starts at most {} jobs of an association in one backfilling",
    "bf_max_job_start": "Slurm starts at most {} jobs in one backfilling",
    "bf_max_job_array_resv": "Slurm reserves for {} tasks of an array, here for each one",
    "bf_max_time": "Slurm stops a backfilling after {} s",
    "bf_min_age_reserve": "Slurm gives no reservation to jobs that have waited less than {} s",
    "bf_min_prio_reserve": "Slurm gives no reservation to jobs of a priority below {}",
    "batch_sched_delay": "Slurm may start a job {} s later",
    "sched_interval": "Slurm looks at the queue every {} s and at events, here at events only",
    "sched_min_interval": "Slurm leaves {} us between two quick passes",
    "defer": "Slurm starts no job at its submission, but in the next pass",
}


def setting_remarks(conf: SlurmConf, kind: str, on_nodes: bool = False) -> list[str]:
    """Return remarks on settings without a counterpart, also on a machine of nodes; `kind` is the PriorityType."""
    multifactor = kind == "priority/multifactor"
    remarks = []
    for key, (harmless, effect) in SETTINGS.items():
        value = conf.text(key)
        counts = (multifactor or key not in MULTIFACTOR_ONLY) and not (on_nodes and key in KNOWN_ON_NODES)
        if value.lower() not in harmless and counts:
            remarks.append(f"{key}={value}: {ON_NODES.get(key, effect) if on_nodes else effect}")
    flags = [word.lower() for word in conf.words("PriorityFlags")] if multifactor else []
    remarks += [f"{flag.upper()}: {FLAGS[flag]}" for flag in flags if flag in FLAGS]
    seen: dict[str, list[str]] = {}
    for row in conf.partitions:
        for key, (harmless, effect) in PARTITION.items():
            if on_nodes and key in KNOWN_ON_NODES:
                continue
            if key in row and row[key].value.split(":")[0].lower() not in harmless:
                words = ON_NODES.get(key, effect) if on_nodes else effect
                seen.setdefault(f"{key.upper()} of {{}}: {words}", []).append(row["partitionname"].value)
        for key in ("oversubscribe", "shared"):
            if not on_nodes and key in row and row[key].value.lower() == "exclusive":
                seen.setdefault(f"{key.upper()}=EXCLUSIVE of {{}}: {ENTIRE}", []).append(row["partitionname"].value)
    return remarks + [text.format(", ".join(names)) for text, names in seen.items()]


def scheduler_parameters(conf: SlurmConf) -> dict[str, str]:
    """Return the values of the options of SchedulerParameters, by their names in small letters, the first one each."""
    given: dict[str, str] = {}
    for word in conf.words("SchedulerParameters"):
        name, _, value = word.partition("=")
        given.setdefault(name.strip().lower(), value.strip())
    return given


def looks(conf: SlurmConf) -> dict[str, int]:
    """Return how often and how far Slurm looks, by the names of `EVERY_LOOK` and in Slurm's units.

    A value out of bounds does not count, but the default one, as in Slurm.
    """
    values = {}
    for name, value in _given_looks(conf).items():
        field, unit, highest = EVERY_LOOK[name]
        least = 0 if field in PASS_LIMITS else 1
        values[name] = value if least <= value <= highest else getattr(WholeNodes, field) // unit
    return values


def _given_looks(conf: SlurmConf) -> dict[str, int]:
    """Return the values that are written there, by the names of `EVERY_LOOK`; else the default ones."""
    given = scheduler_parameters(conf)
    values = {name: getattr(WholeNodes, field) // unit for name, (field, unit, _) in EVERY_LOOK.items()}
    return values | {name: 1 if name in WORDS else as_number(given[name]) for name in values if name in given}


def as_number(text: str) -> int:
    """Return the number that Slurm reads of an option of SchedulerParameters: its first digits, 0 without any.

    Examples
    --------
    >>> [as_number(text) for text in ("30", "30s", "long", "-1", "")]
    [30, 30, 0, -1, 0]
    """
    match = re.match(r"\s*([-+]?[0-9]{1,12})", text)
    return int(match[1]) if match else 0


def bound_remarks(conf: SlurmConf) -> list[str]:
    """Return a remark on each value of `EVERY_LOOK` that is out of bounds, so that another one counts."""
    remarks = []
    counted, given = looks(conf), scheduler_parameters(conf)
    for name, value in _given_looks(conf).items():
        highest, usual = EVERY_LOOK[name][2], counted[name]
        if value == usual:
            continue
        if highest == MOST_JOBS:
            words = f"not simulated: Slurm's default {usual} counts"
        elif value < 1:
            words = f"below Slurm's bound 1: its default {usual} counts"
        else:
            words = f"above Slurm's bound {highest}: its default {usual} counts"
        remarks.append(f"{name}={printable(given[name])} is {words}")
    return remarks


def machine_remarks(conf: SlurmConf, machine: ConfNodes, lists: NodeLists, cpus: Ints) -> list[str]:
    """Return remarks on nodes that are counted or left out, and on jobs that get entire nodes.

    Parameters
    ----------
    conf, machine, lists
        The file, its nodes, and the lists of them.
    cpus
        The processors of each node.
    """
    remarks = []
    select = conf.text("SelectType").lower()
    if (cpus > 1).any() and select not in BY_PROCESSOR:
        given = f"SelectType={select}" if select else "no SelectType, which is select/linear before Slurm 23.11"
        remarks.append(f"{given}: {ENTIRE}")
    for word in conf.words("SelectTypeParameters"):
        remarks += [f"{word}: {effect}" for end, effect in SELECTS.items() if word.lower().endswith(end)]
    for key, (usual, effect) in NODE.items():
        if any(key in row and row[key].value != usual for row in conf.nodes):
            remarks.append(f"{key.upper()} of nodes: {effect}")
    states = np.array(machine.states)
    for state in dict.fromkeys(machine.states):
        of = f"State={state.upper()} of {machine.names_of(states == state)}"
        if state == FUTURE:
            remarks.append(f"{of}: no nodes yet, so that they are left out")
        elif re.split(r"[+*~#$@^!%-]", state)[0] not in UP:
            remarks.append(f"{of}: counted as up here")
    for what, key, rows in (("partition", "partitionname", conf.partitions), ("node set", "nodeset", conf.sets)):
        owners: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            if missing := lists.missing(row):
                owners.setdefault(missing, []).append(row[key].value)
        for missing, names in owners.items():
            where = f"{what}{'s' * (len(names) > 1)} {first_few(names)}"
            remarks.append(f"Nodes of {where}: no NodeName line has {first_few(missing)}; they are left out")
    return remarks


def scheduler_remarks(conf: SlurmConf, on_nodes: bool = False) -> list[str]:
    """Return a remark on each option of SchedulerParameters without a counterpart, also on a machine of nodes."""
    remarks = []
    for name, value in scheduler_parameters(conf).items():
        if (name in IMMEDIATE and value == "0") or (on_nodes and name in LOOKS_ON_NODES):
            continue
        if name in OPTIONS:
            shown = value if re.fullmatch("[0-9]{1,19}", value) else in_quotes(value)
            remarks.append(f"{name}{f'={value}' if value else ''}: {OPTIONS[name].format(shown)}")
        elif name not in NO_CHANGE and name not in LOOKS:
            near = near_word(name, (*LOOKS, *OPTIONS, *NO_CHANGE))
            remarks.append(f"{name}{f'={value}' if value else ''} of SchedulerParameters is not in the policy{near}")
    return remarks


def depth_remarks(conf: SlurmConf) -> list[str]:
    """Return a remark on how often and how far Slurm looks, if that is not simulated."""
    values = looks(conf)
    return ["; ".join(f"{effect.format(values[name])} ({name})" for name, effect in DEPTHS.items())]
