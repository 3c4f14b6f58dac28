"""What of a slurm.conf has no counterpart in a simulation, and what it would change."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..core.errors import in_quotes
from .slurm_conf import SlurmConf
from .whole_nodes import WholeNodes

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
    "JobSubmitPlugins": (("",), "jobs are taken as the log has them, after these plugins"),
}
MULTIFACTOR_ONLY = ("PriorityWeightAssoc", "PrioritySiteFactorPlugin")
FLAGS = {
    "accrue_always": "ages count from when a job could run, not from its submission",
    "incr_only": "priorities may fall here, as usage grows",
    "max_tres": "billing is not simulated: usage is processors times time",
}
# keys of PartitionName lines whose values may be these, and what others would change
PARTITION: Mapping[str, tuple[tuple[str, ...], str]] = {
    "oversubscribe": (("no", "exclusive"), "no processor runs two jobs at a time here"),
    "qos": (("n/a",), "limits of the QOS of partitions hold no job back here"),
    "tresbillingweights": ((), "usage is processors times time here, whatever is billed"),
    "maxcpuspernode": (("unlimited",), "any job may use any processor here"),
    "preemptmode": (("off",), "no job is preempted here"),
    "state": (("up",), "jobs of this partition start here as those of others do"),
    "gracetime": (("0",), "no job is preempted here"),
}
# options of SchedulerParameters: the field of `WholeNodes`, in which unit, and Slurm's upper limit
LOOKS = {
    "bf_interval": ("every", 1, 10_800),
    "bf_window": ("window", 60, 43_200),
    "bf_resolution": ("step", 1, 3_600),
    "bf_max_job_test": ("tested", 1, 1_000_000),
    "default_queue_depth": ("first", 1, 1_000_000),
}
# what they would change, if they are not simulated
DEPTHS = {
    "bf_interval": "Slurm backfills once in {} s, here it is done at every submission and end of a job",
    "bf_resolution": "Slurm plans in steps of {} s, here it is done to the second",
    "bf_max_job_test": "Slurm backfills among the first {} jobs only, here among all",
    "bf_window": "Slurm plans {} min ahead, here there is no end",
    "default_queue_depth": "Slurm's quick passes look at the first {} jobs, here at all that could start",
}
IMMEDIATE = ("batch_sched_delay", "sched_min_interval")  # 0 is as it is simulated
NO_CHANGE = ("bf_job_part_count_reserve", "bf_continue", "bf_hetjob_prio", "bf_yield_interval", "bf_yield_sleep")
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


def setting_remarks(conf: SlurmConf, kind: str) -> list[str]:
    """Return remarks on settings without a counterpart; `kind` is the PriorityType."""
    multifactor = kind == "priority/multifactor"
    remarks = []
    for key, (harmless, effect) in SETTINGS.items():
        value = conf.text(key)
        if value.lower() not in harmless and (multifactor or key not in MULTIFACTOR_ONLY):
            remarks.append(f"{key}={value}: {effect}")
    flags = [word.lower() for word in conf.words("PriorityFlags")] if multifactor else []
    remarks += [f"{flag.upper()}: {FLAGS[flag]}" for flag in flags if flag in FLAGS]
    seen: dict[str, list[str]] = {}
    for row in conf.partitions:
        for key, (harmless, effect) in PARTITION.items():
            if key in row and row[key].value.split(":")[0].lower() not in harmless:
                seen.setdefault(f"{key.upper()} of {{}}: {effect}", []).append(row["partitionname"].value)
    return remarks + [text.format(", ".join(names)) for text, names in seen.items()]


def scheduler_parameters(conf: SlurmConf) -> dict[str, str]:
    """Return the values of the options of SchedulerParameters, by their names in small letters."""
    given: dict[str, str] = {}
    for word in conf.words("SchedulerParameters"):
        name, _, value = word.partition("=")
        given[name.strip().lower()] = value.strip()
    return given


def scheduler_remarks(conf: SlurmConf) -> list[str]:
    """Return a remark on each option of SchedulerParameters that is there and has no counterpart."""
    remarks = []
    for name, value in scheduler_parameters(conf).items():
        if name in IMMEDIATE and value == "0":
            continue
        if name in OPTIONS:
            shown = value if re.fullmatch("[0-9]{1,19}", value) else in_quotes(value)
            remarks.append(f"{name}{f'={value}' if value else ''}: {OPTIONS[name].format(shown)}")
        elif name not in NO_CHANGE and name not in LOOKS:
            remarks.append(f"{name}{f'={value}' if value else ''} of SchedulerParameters is not in the policy")
    return remarks


def depth_remarks(conf: SlurmConf) -> list[str]:
    """Return a remark on how often and how far Slurm looks, if that is not simulated."""
    values = {name: getattr(WholeNodes, field) // unit for name, (field, unit, _) in LOOKS.items()}
    values |= scheduler_parameters(conf)
    return ["; ".join(f"{effect.format(values[name])} ({name})" for name, effect in DEPTHS.items())]
