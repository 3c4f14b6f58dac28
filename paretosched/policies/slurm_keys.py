"""The keys of a slurm.conf that are known, and remarks on those that are probably misspelt.

slurmctld does not start with a key that it does not know. Here most keys do not matter, and later versions have others:
a remark is for a key that looks like one that does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from ..core.errors import did_you_mean, in_quotes, nearest_word
from ..workload.slurm_conf import Setting, SlurmConf

ALIKE = 0.85  # of two words, see difflib: one letter of four may be missing


class Keys(NamedTuple):
    """Keys of a kind of lines.

    Attributes
    ----------
    read
        Those that the policy, or a remark, comes from.
    others
        Other keys of Slurm that look like these, or begin like some of `families`.
    families
        How keys begin, in small letters, that would matter if they were known.
    """

    read: tuple[str, ...]
    others: tuple[str, ...] = ()
    families: tuple[str, ...] = ()


SETTINGS = Keys(
    (
        "AccountingStorageEnforce",
        "AccountingStorageType",
        "ClusterName",
        "CompleteWait",
        "FairShareDampeningFactor",
        "JobSubmitPlugins",
        "Licenses",
        "OverTimeLimit",
        "PreemptType",
        "PriorityCalcPeriod",
        "PriorityDecayHalfLife",
        "PriorityFavorSmall",
        "PriorityFlags",
        "PriorityMaxAge",
        "PrioritySiteFactorPlugin",
        "PriorityType",
        "PriorityUsageResetPeriod",
        "PriorityWeightAge",
        "PriorityWeightAssoc",
        "PriorityWeightFairshare",
        "PriorityWeightJobSize",
        "PriorityWeightPartition",
        "PriorityWeightQOS",
        "PriorityWeightTRES",
        "SchedulerParameters",
        "SchedulerType",
        "SelectType",
        "SelectTypeParameters",
        "SuspendProgram",
        "TopologyPlugin",
    ),
    (
        *(f"AccountingStorage{end}" for end in ("BackupHost", "ExternalHost", "Host", "Loc", "Parameters", "Pass")),
        *(f"AccountingStorage{end}" for end in ("Port", "TRES", "User")),
        "PriorityParameters",
        "PrioritySiteFactorParameters",
        "SchedulerAuth",
        "SchedulerPort",
        "SchedulerRootFilter",
        "SchedulerTimeSlice",
        "TopologyParam",
    ),
    ("priority", "sched", "select", "fair"),
)
PARTITIONS = Keys(
    (
        "Default",
        "ExclusiveUser",
        "GraceTime",
        "LLN",
        "MaxCPUsPerNode",
        "Nodes",
        "OverSubscribe",
        "OverTimeLimit",
        "PartitionName",
        "PreemptMode",
        "Priority",
        "PriorityJobFactor",
        "PriorityTier",
        "QOS",
        "ReqResv",
        "Shared",
        "State",
        "TRESBillingWeights",
    ),
    ("SelectTypeParameters",),
    SETTINGS.families,
)
NODES = Keys(
    (
        "Boards",
        "CPUs",
        "CoreSpecCount",
        "CoresPerSocket",
        "CpuSpecList",
        "NodeName",
        "Procs",
        "Sockets",
        "SocketsPerBoard",
        "State",
        "ThreadsPerCore",
        "Weight",
    )
)


def unknown_keys(conf: SlurmConf) -> list[str]:
    """Return a remark on each key that is not known and looks like one that matters."""
    rows: list[tuple[Keys, Mapping[str, Setting]]] = [(SETTINGS, conf.settings)]
    rows += [(PARTITIONS, row) for row in conf.partitions] + [(NODES, row) for row in conf.nodes]
    return list(dict.fromkeys(line for keys, row in rows for line in _remarks_on(keys, row)))


def _remarks_on(keys: Keys, row: Mapping[str, Setting]) -> Iterator[str]:
    """Yield remarks on the keys of a row."""
    known = {key.lower() for key in (*keys.read, *keys.others)}
    for lower, setting in row.items():
        if lower in known:
            continue
        in_family = lower.startswith(keys.families) if keys.families else False
        ending = did_you_mean(lower, keys.read) if in_family else near_word(lower, keys.read)
        if in_family or ending:
            yield f"{in_quotes(setting.key)[1:-1]}: is no setting of Slurm that is known here{ending}"


def near_word(word: str, words: Iterable[str]) -> str:
    """Return the end of a message that names a word of which another one is a misspelling; nothing if there is none.

    Examples
    --------
    >>> near_word("PremptType", ["PreemptType"]), near_word("PreemptMode", ["PreemptType"])
    ('; did you mean PreemptType?', '')
    """
    near = nearest_word(word, words)
    if near is None or SequenceMatcher(None, word.lower(), near.lower()).ratio() < ALIKE:
        return ""
    return f"; did you mean {near}?"
