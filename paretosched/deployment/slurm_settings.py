"""What slurm.conf must say for a policy, and whether it says so."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..core.errors import InputError
from ..policies.priority import ALL, Priority
from ..policies.whole_nodes import LOOKS, WholeNodes
from ..workload.slurm_conf import duration_text
from .ranking import Orderly, reservations_of
from .slurm_calls import SlurmError, call
from .slurm_groups import Grouping
from .slurm_queue import NO_LIMIT, QueuedJob, seconds_of
from .slurm_usage import NAMES

WEIGHTS = ("Age", "Assoc", "FairShare", "JobSize", "Partition", "QOS")
# of SchedulerParameters, Slurm 22.05
DEFAULTS = {"bf_job_part_count_reserve": 0} | {
    name: getattr(WholeNodes, field) // unit for name, (field, unit, _) in LOOKS.items()
}
WHOLE = re.compile(r"\d{1,10}", re.ASCII)
MOST_BYTES = 2**20  # of the configuration
MIN_JOB_AGE = 300  # s, Slurm's default
RIGHTS = (
    "the daemon needs the right of an operator, and nothing more: sacctmgr modify user NAME set AdminLevel=Operator"
)


class Setting(NamedTuple):
    """A line of what slurm.conf should say.

    Attributes
    ----------
    words
        What it should say.
    now
        What it says.
    is_right
        Whether this is right.
    """

    words: str
    now: str
    is_right: bool


def read_settings() -> dict[str, str]:
    """Return what `scontrol show config` says, by name.

    Raises
    ------
    SlurmError
        scontrol does not answer.
    """
    lines = call(["scontrol", "show", "config"], most=MOST_BYTES).text.splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def check_priority(settings: Mapping[str, str]) -> None:
    """Check that Slurm adds site factors to priorities, and that nobody else sets them.

    Raises
    ------
    InputError
        It does not, or a plugin sets them.
    """
    kind = settings.get("PriorityType", "")
    if kind != "priority/multifactor":
        raise InputError(
            f"PriorityType must be priority/multifactor, or Slurm ignores site factors, but is {kind or 'unknown'}"
        )
    plugin = settings.get("PrioritySiteFactorPlugin", "(null)")
    if plugin != "(null)":
        raise InputError(f"PrioritySiteFactorPlugin must not be set, since it sets site factors, too, but is {plugin}")


def check_usage(policy: Priority, grouping: Grouping, width: str) -> None:
    """Check that Slurm has the usage that the formulas of a policy mean.

    Parameters
    ----------
    policy
        The policy; its formulas depend on usage or shares.
    grouping
        How the jobs of Slurm get its groups.
    width
        What counts as the width of a job, one of WIDTHS.

    Raises
    ------
    InputError
        Slurm has it not, or not with this half-life.
    SlurmError
        Slurm does not answer.
    """
    name = f"policy {policy.name} depends on usage"
    settings = read_settings()
    storage = settings.get("AccountingStorageType", "")
    if storage != "accounting_storage/slurmdbd":
        raise InputError(f"{name}, which Slurm has with AccountingStorageType=accounting_storage/slurmdbd only")
    half_life = settings.get("PriorityDecayHalfLife", "")
    if not re.fullmatch(r"[\d:-]+", half_life) or seconds_of(half_life) != policy.half_life:
        raise InputError(
            f"{name} with the half-life {duration_text(policy.half_life)}, but PriorityDecayHalfLife is "
            f"{half_life or 'unknown'}; they must be the same"
        )
    reset = settings.get("PriorityUsageResetPeriod", "NONE")
    if reset != "NONE":
        raise InputError(f"{name} that decays, but PriorityUsageResetPeriod is {reset}; it must be NONE")
    if policy.usage == "group" and not grouping.reads <= NAMES:
        others = ", ".join(sorted(grouping.reads - NAMES))
        raise InputError(f"{name} of groups, but the group of a job depends on {others}, of which Slurm keeps no usage")
    if policy.usage != "group" and policy.shares and "share" in policy.variables:
        raise InputError(f"policy {policy.name} has shares by numbers in its log, which Slurm does not know")
    if width not in ("cpus", "billing"):
        raise InputError(f"{name}, which Slurm keeps in billing units; --width must be cpus or billing, not {width}")
    weighted = "TRESBillingWeights=" in call(["scontrol", "-o", "-a", "show", "partition"]).text
    if width == "cpus" and weighted:
        raise InputError(f"{name} in processor seconds, but partitions have TRESBillingWeights; --width billing goes")


def weights_of(settings: Mapping[str, str]) -> int:
    """Return the largest sum of the site's own factors: the sum of its weights.

    Examples
    --------
    >>> weights_of({"PriorityWeightAge": "1000", "PriorityWeightTRES": "CPU=5,Mem=10"})
    1015
    """
    values = [settings.get(f"PriorityWeight{name}", "0") for name in WEIGHTS]
    values += [part.partition("=")[2] for part in settings.get("PriorityWeightTRES", "").split(",")]
    return sum(int(float(value)) for value in values if re.fullmatch(r"\d{1,15}(\.\d{1,15})?", value, re.ASCII))


def longest_limit(jobs: Iterable[QueuedJob]) -> int:
    """Return the longest time limit of the jobs in the queue and of all partitions, s, of those that have one.

    Raises
    ------
    SlurmError
        sinfo does not answer, or not as expected.
    """
    limits = call(["sinfo", "-a", "-h", "-o", "%l"]).text.split()
    try:
        seconds = [*map(seconds_of, limits), *(job.limit for job in jobs)]
    except ValueError as error:
        raise SlurmError(f"sinfo: {error}") from None
    return max((limit for limit in seconds if limit < NO_LIMIT), default=60 * DEFAULTS["bf_window"])


def wanted_settings(policy: Orderly, settings: Mapping[str, str], longest: int, waiting: int) -> list[Setting]:
    """Return what slurm.conf should say so that Slurm backfills as the policy does.

    Parameters
    ----------
    policy
        The policy.
    settings
        What `scontrol show config` says.
    longest
        The longest time limit, s.
    waiting
        How many jobs wait.
    """
    reservations = reservations_of(policy)
    now = settings.get("SchedulerType", "")
    given = settings.get("SchedulerParameters", "").split(",")
    words = dict(part.partition("=")[::2] for part in reversed(given))  # the first of equal options counts
    if reservations == 0:
        is_off = now == "sched/builtin" or words.get("bf_interval") == "-1"
        result = [Setting("SchedulerParameters=bf_interval=-1 (no backfilling)", now, is_off)]
    else:
        result = [Setting("SchedulerType=sched/backfill", now, now == "sched/backfill")]
        result += [Setting("no SchedulerParameters=bf_interval=-1", "so", words.get("bf_interval") != "-1")]
    numbers = {
        key: int(words[key]) if WHOLE.fullmatch(words.get(key, "")) else value for key, value in DEFAULTS.items()
    }

    def parameter(name: str, value: int, least: bool) -> None:
        is_right = numbers[name] >= value if least else numbers[name] == value
        shown = f"{name}={numbers[name]}" + ("" if name in words else " (default)")
        result.append(Setting(f"SchedulerParameters={name}={value}{' or more' if least else ''}", shown, is_right))

    nodes = policy.nodes if isinstance(policy, Priority) else None
    if reservations:
        parameter("bf_job_part_count_reserve", 0 if reservations == ALL else reservations, False)
    if nodes is not None:
        for name, (field, unit, _) in LOOKS.items():
            if reservations or not name.startswith("bf_"):
                parameter(name, -(-getattr(nodes, field) // unit), False)
        return result
    parameter("default_queue_depth", max(waiting, DEFAULTS["default_queue_depth"]), True)
    if reservations:
        parameter("bf_window", -(-longest // 60), True)
        parameter("bf_max_job_test", max(waiting, DEFAULTS["bf_max_job_test"]), True)
    return result


def min_job_age(settings: Mapping[str, str]) -> int:
    """Return for how long, s, slurmctld remembers a job that has ended; 0 for ever.

    Examples
    --------
    >>> min_job_age({"MinJobAge": "600 sec"}), min_job_age({})
    (600, 300)
    """
    match = re.match(r"\d{1,9}", settings.get("MinJobAge", ""), re.ASCII)
    return MIN_JOB_AGE if match is None else int(match[0])


def settings_for_books(settings: Mapping[str, str], period: float) -> list[Setting]:
    """Return what slurm.conf should say so that a daemon that keeps books sees the end of each job.

    Parameters
    ----------
    settings
        What `scontrol show config` says.
    period
        Seconds from one pass of the daemon to the next.
    """
    least, age = math.ceil(2 * period), min_job_age(settings)
    return [Setting(f"MinJobAge={least} or more", f"{age}", age == 0 or age >= least)]
