"""Which limit of QOS, users and accounts holds a job, as Slurm looks at them; as plainly as it can be said.

The order of the rules, what each of them counts, and which of them override others are those of Slurm's "Resource
Limits" and of what slurmctld 22.05 was seen to do. Limits of usage in the past (GrpTRESMins, GrpWall), of billing and
energy are not looked at.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from support.naive_machine import Amount, Busy, Job, Machine, Partition, gpus_of, limit_in

ROOT = "root"
CALC_PERIOD = 300  # s, PriorityCalcPeriod: how often Slurm looks at how long jobs have run
KIB = 1024  # in a MB of nodes
MINUTE = 60

# the names of limits in the order in which Slurm looks at them: first what needs no resources, of QOS and associations,
# then the rest, of QOS and associations
COUNTS = ("GrpJobs", "MaxJobsPA", "MaxJobsPU", "MaxJobs", "MaxWall")
OF_QOS = (*COUNTS, "GrpTRES", "GrpTRESRunMins", "MaxTRESMins", "MaxTRES", "MaxTRESPN", "MinTRES", "MaxTRESPA",
          "MaxTRESPU")  # fmt: skip
OF_GROUP = ("GrpJobs", "GrpTRES", "GrpTRESRunMins")  # of all jobs of an account or user, and of the accounts below
OF_USER = ("MaxJobs", "MaxWall", "MaxTRESMins", "MaxTRES", "MaxTRESPN")  # of the association alone
SUBMITTED = ("GrpSubmit", "MaxSubmitPA", "MaxSubmitPU")  # jobs that are there, at submission
OVERRIDES = {"MaxJobs": ("MaxJobsPA", "MaxJobsPU"), "MaxSubmit": ("MaxSubmitPA", "MaxSubmitPU")}  # those of a QOS

REASONS = {  # what squeue prints; by resource where a limit has some
    ("QOS", "GrpJobs"): "QOSGrpJobsLimit",
    ("QOS", "MaxJobsPA"): "MaxJobsPerAccount",
    ("QOS", "MaxJobsPU"): "QOSMaxJobsPerUserLimit",
    ("QOS", "MaxWall"): "QOSMaxWallDurationPerJobLimit",
    ("QOS", "GrpSubmit"): "QOSGrpSubmitJobsLimit",
    ("QOS", "MaxSubmitPA"): "MaxSubmitJobsPerAccount",
    ("QOS", "MaxSubmitPU"): "QOSMaxSubmitJobPerUserLimit",
    ("Assoc", "GrpJobs"): "AssocGrpJobsLimit",
    ("Assoc", "MaxJobs"): "AssocMaxJobsLimit",
    ("Assoc", "MaxWall"): "AssocMaxWallDurationPerJobLimit",
    ("Assoc", "GrpSubmit"): "AssocGrpSubmitJobsLimit",
    ("Assoc", "MaxSubmit"): "AssocMaxSubmitJobLimit",
}
RESOURCES = ("cpu", "mem", "node", "gres", "license")
OF_RESOURCE = {  # in the order of RESOURCES
    ("QOS", "GrpTRES"): "QOSGrpCpuLimit QOSGrpMemLimit QOSGrpNodeLimit QOSGrpGRES QOSGrpLicense",
    ("QOS", "GrpTRESRunMins"): "QOSGrpCPURunMinutesLimit QOSGrpMemoryRunMinutes QOSGrpNodeRunMinutes "
    "QOSGrpGRESRunMinutes QOSGrpLicenseRunMinutes",
    ("QOS", "MaxTRESMins"): "QOSMaxCPUMinutesPerJobLimit QOSMaxMemoryMinutesPerJob QOSMaxNodeMinutesPerJob "
    "QOSMaxGRESMinutesPerJob QOSMaxLicenseMinutesPerJob",
    ("QOS", "MaxTRES"): "QOSMaxCpuPerJobLimit QOSMaxMemoryPerJob QOSMaxNodePerJobLimit QOSMaxGRESPerJob "
    "QOSMaxLicensePerJob",
    ("QOS", "MaxTRESPN"): "QOSMaxCpuPerNode QOSMaxMemoryPerNode QOSMaxUnknownPerNode QOSMaxGRESPerNode "
    "QOSMaxUnknownPerNode",
    ("QOS", "MinTRES"): "QOSMinCpuNotSatisfied QOSMinMemory QOSMinNode QOSMinGRES QOSMinLicense",
    ("QOS", "MaxTRESPA"): "MaxCpuPerAccount MaxMemoryPerAccount MaxNodePerAccount MaxGRESPerAccount "
    "MaxLicensePerAccount",
    ("QOS", "MaxTRESPU"): "QOSMaxCpuPerUserLimit QOSMaxMemoryPerUser QOSMaxNodePerUserLimit QOSMaxGRESPerUser "
    "QOSMaxLicensePerUser",
    ("Assoc", "GrpTRES"): "AssocGrpCpuLimit AssocGrpMemLimit AssocGrpNodeLimit AssocGrpGRES AssocGrpLicense",
    ("Assoc", "GrpTRESRunMins"): "AssocGrpCPURunMinutesLimit AssocGrpMemRunMinutes AssocGrpNodeRunMinutes "
    "AssocGrpGRESRunMinutes AssocGrpLicenseRunMinutes",
    ("Assoc", "MaxTRESMins"): "AssocMaxCPUMinutesPerJobLimit AssocMaxMemMinutesPerJob AssocMaxNodeMinutesPerJob "
    "AssocMaxGRESMinutesPerJob AssocMaxLicenseMinutesPerJob",
    ("Assoc", "MaxTRES"): "AssocMaxCpuPerJobLimit AssocMaxMemPerJob AssocMaxNodePerJobLimit AssocMaxGRESPerJob "
    "AssocMaxLicensePerJob",
    ("Assoc", "MaxTRESPN"): "AssocMaxCpuPerNode AssocMaxMemPerNode AssocMaxUnknownPerNode AssocMaxGRESPerNode "
    "AssocMaxUnknownPerNode",
}  # fmt: skip
TASK_LIMIT = "JobArrayTaskLimit"

Counts = Callable[[Job, str], bool]  # a job, and the name of its partition
Value = int | Mapping[str, int]  # a limit; of resources by name


class Rule(NamedTuple):
    """A limit that counts for a job: of a QOS or of an association, and which jobs it counts.

    `resource` is "" for limits of jobs, and of time.
    """

    of: str
    name: str
    resource: str
    most: int
    counts: Counts


# --- whether a job is held


def held_by(
    machine: Machine,
    job: Job,
    partition: Partition,
    running: Sequence[Busy],
    t: int,
    held: Mapping[str, Amount] | None = None,
) -> str:
    """Return why a job may not start in a partition beside running jobs, as Slurm names it; "" if it may.

    `held` is what it would get; None if it has no place, or none was looked for: then what it asks for counts.
    """
    if reason := held_by_counts(machine, job, partition, running):
        return reason
    for rule in rules_of(machine, job, partition):
        if rule.name not in COUNTS and is_broken(rule, machine, job, partition, running, t, held):
            return reason_of(rule)
    return ""


def held_by_counts(machine: Machine, job: Job, partition: Partition, running: Sequence[Busy]) -> str:
    """Return why a job may not start whatever it would get: by the number of running jobs, or by its limit of time."""
    if job.array is not None:
        number, _, most = job.array
        tasks = [run for run in running if run.job.array is not None and run.job.array[0] == number]
        if 0 < most <= len(tasks):
            return TASK_LIMIT
    for rule in rules_of(machine, job, partition):
        if rule.name == "MaxWall":
            broken = job.limit is not None and job.limit > rule.most
        else:
            broken = rule.name in COUNTS and len(runs_in(rule, running)) >= rule.most
        if broken:
            return reason_of(rule)
    return ""


def is_broken(
    rule: Rule,
    machine: Machine,
    job: Job,
    partition: Partition,
    running: Sequence[Busy],
    t: int,
    held: Mapping[str, Amount] | None,
) -> bool:
    """Return whether a job would break a limit of resources if it started in second t."""
    wanted = amount_asked(job, partition, rule.resource) if held is None else amount_held(job, held, rule.resource)
    others = runs_in(rule, running)
    if rule.name == "MinTRES":
        return wanted < rule.most
    if rule.name == "MaxTRES":
        return wanted > rule.most
    if rule.name == "MaxTRESPN":
        return wanted // (least_nodes(job, partition) if held is None else len(held)) > rule.most
    if rule.name == "MaxTRESMins":
        return wanted * limit_in(partition, job) // MINUTE > rule.most
    if rule.name == "GrpTRESRunMins":
        used = sum(amount_held(run.job, run.held, rule.resource) * seconds_left(machine, run, t) for run in others)
        return used // MINUTE + wanted * limit_in(partition, job) // MINUTE > rule.most
    if rule.resource == "node":  # one that several jobs are on counts once
        theirs = {name for run in others for name in run.held}
        mine = least_nodes(job, partition) if held is None else len(set(held) - theirs)
        return len(theirs) + mine > rule.most
    return sum(amount_held(run.job, run.held, rule.resource) for run in others) + wanted > rule.most


def seconds_left(machine: Machine, run: Busy, t: int) -> int:
    """Return how much of the limit of a running job is left as Slurm knows it: it looks only now and then."""
    looked = t - (t - machine.run_minutes_first) % CALC_PERIOD
    limit = limit_in(machine.partitions[run.partition], run.job)
    return max(0, limit - max(0, looked - run.begin))


def runs_in(rule: Rule, running: Sequence[Busy]) -> list[Busy]:
    """Return the running jobs that a limit counts."""
    return [run for run in running if rule.counts(run.job, run.partition)]


def reason_of(rule: Rule) -> str:
    """Return what Slurm calls a limit that holds a job."""
    if not rule.resource:
        return REASONS[rule.of, rule.name]
    words = OF_RESOURCE[rule.of, rule.name].split()
    return words[RESOURCES.index(rule.resource.partition("/")[0])]


# --- how much a job asks for, and has


def amount_held(job: Job, held: Mapping[str, Amount], resource: str) -> int:
    """Return how much of a resource a job has: CPUs, kilobytes, nodes, GPUs or licences."""
    kind, _, name = resource.partition("/")
    if kind == "license":
        return job.ask.licences.get(name, 0)
    if kind == "gres":
        return sum(gpus_of(amount, name.partition(":")[2]) for amount in held.values())
    if kind == "node":
        return len(held)
    return sum(amount.cpus if kind == "cpu" else amount.memory * KIB for amount in held.values())


def amount_asked(job: Job, partition: Partition, resource: str) -> int:
    """Return how much of a resource a job asks for at least; 0 of memory if that is all of its nodes."""
    ask, nodes = job.ask, least_nodes(job, partition)
    cpus = max(ask.tasks * ask.cpus, nodes)
    kind, _, name = resource.partition("/")
    if kind == "license":
        return ask.licences.get(name, 0)
    if kind == "gres":
        wants = name.partition(":")[2] in ("", ask.gpu_type)
        return (ask.gpus + ask.gpus_per_node * nodes + ask.gpus_per_task * ask.tasks) * wants
    if kind == "node":
        return nodes
    if kind == "cpu":
        return cpus
    per_node, per_cpu = ask.memory, ask.memory_per_cpu
    if per_node is None and per_cpu is None:
        per_node, per_cpu = partition.memory_per_node, partition.memory_per_cpu
    return ((per_node or 0) * nodes + (per_cpu or 0) * cpus) * KIB


def least_nodes(job: Job, partition: Partition) -> int:
    """Return the least number of nodes of a job in a partition."""
    return max(job.ask.least, partition.least_nodes)


# --- which limits count for a job


def rules_of(machine: Machine, job: Job, partition: Partition) -> list[Rule]:
    """Return the limits that count for a job in a partition, in the order in which Slurm looks at them.

    Of a limit and resource that several QOS set the first one counts, and then that of no association does.
    """
    if not machine.limits:
        return []
    rules = [*rules_of_qos(machine, job, partition, OF_QOS)]
    given = {(rule.name, rule.resource) for rule in rules}
    rules += rules_of_associations(machine, job, partition, given, OF_GROUP, OF_USER)
    return sorted(rules, key=lambda rule: rule.name not in COUNTS)


def rules_of_qos(machine: Machine, job: Job, partition: Partition, names: Sequence[str]) -> Iterator[Rule]:
    """Yield the limits of the QOS of a job and of its partition."""
    given: set[tuple[str, str]] = set()
    for qos in qos_of(machine, job, partition):
        values = values_of(machine, qos, "", "", "")
        mine = [rule for name in names for rule in rules_in(values, "QOS", name, counting(machine, qos, name, job))]
        mine = [rule for rule in mine if (rule.name, rule.resource) not in given]
        given |= {(rule.name, rule.resource) for rule in mine}
        yield from mine


def qos_of(machine: Machine, job: Job, partition: Partition) -> list[str]:
    """Return the QOS that count for a job: the partition's before its own, but for the flag OverPartQOS."""
    names = [partition.own_qos, job.qos]
    if "OverPartQOS" in machine.flags.get(job.qos, ()):
        names.reverse()
    return list(dict.fromkeys(name for name in names if name))


def counting(machine: Machine, qos: str, name: str, job: Job) -> Counts:
    """Return which jobs a limit of a QOS counts: those that have it or are in a partition that has it.

    Of limits per user (PU) and account (PA) those of the same one.
    """

    def counts(other: Job, partition: str) -> bool:
        is_in = qos in (other.qos, machine.partitions[partition].own_qos)
        same_user = other.user == job.user or not name.endswith("PU")
        return is_in and same_user and (other.account == job.account or not name.endswith("PA"))

    return counts


def rules_of_associations(
    machine: Machine,
    job: Job,
    partition: Partition,
    given: set[tuple[str, str]],
    of_group: Sequence[str],
    of_user: Sequence[str],
) -> Iterator[Rule]:
    """Yield the limits of the user in the account, and of the accounts above, but for those that QOS have `given`."""
    if not job.account:
        return
    names = {name for name, _ in given}
    own = association_of(machine, job, partition.name)
    accounts = accounts_above(machine, job.account)
    values = [values_of(machine, "", *own), *(values_of(machine, "", name, "", "") for name in accounts)]

    def of_own(other: Job, name: str) -> bool:
        return association_of(machine, other, name) == own

    mine = [rule for name in of_group for rule in rules_in(values[0], "Assoc", name, of_own)]
    for name in of_user:
        if not names & set(OVERRIDES.get(name, ())):
            inherited: dict[str, Rule] = {}  # from the nearest one that sets it
            for level in values:
                for rule in rules_in(level, "Assoc", name, of_own):
                    inherited.setdefault(rule.resource, rule)
            mine += inherited.values()
    for account, level in zip(accounts, values[1:], strict=True):
        in_it = below(machine, account)
        mine += [rule for name in of_group for rule in rules_in(level, "Assoc", name, in_it)]
    yield from (rule for rule in mine if (rule.name, rule.resource) not in given)


def below(machine: Machine, account: str) -> Counts:
    """Return what says of a job whether it is one of an account, or of one below."""
    return lambda other, _: account in accounts_above(machine, other.account)


def accounts_above(machine: Machine, account: str) -> list[str]:
    """Return an account and those above, up to the root; none for ""."""
    path = [account] if account else []
    while path and path[-1] != ROOT:
        path.append(machine.parents.get(path[-1], ROOT))
    return path


def association_of(machine: Machine, job: Job, partition: str) -> tuple[str, str, str]:
    """Return the account, user and partition of a job's association: that for the partition if there is one."""
    own = job.account, job.user, partition
    there = any((one.account, one.user, one.partition) == own for one in machine.limits)
    return own if there else (job.account, job.user, "")


def values_of(machine: Machine, qos: str, account: str, user: str, partition: str) -> Mapping[str, Value]:
    """Return the limits of a QOS or of an association by name; none if it has none."""
    key = qos, account, user, partition
    return next((one.values for one in machine.limits if (one.qos, one.account, one.user, one.partition) == key), {})


def rules_in(values: Mapping[str, Value], of: str, name: str, counts: Counts) -> list[Rule]:
    """Return the limits of one name among those of a QOS or of an association: one, or one for each resource."""
    value = values.get(name)
    if value is None:
        return []
    if isinstance(value, int):
        return [Rule(of, name, "", value, counts)]
    return [Rule(of, name, resource, most, counts) for resource, most in in_order(value)]


def in_order(amounts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the amounts of resources in Slurm's order, without resources that are not looked at."""
    known = [pair for pair in amounts.items() if pair[0].partition("/")[0] in RESOURCES]
    return sorted(known, key=lambda pair: RESOURCES.index(pair[0].partition("/")[0]))


# --- whether a job is refused


def refused_by(
    machine: Machine, job: Job, partition: Partition, there: Sequence[tuple[Job, str]], count: int = 1
) -> str:
    """Return why a job, or an array of `count` tasks, is refused at submission; "" if it is not.

    `there` are the jobs that wait or run, with their partitions. If one of its QOS has the flag DenyOnLimit, no job is
    taken that would be held alone.
    """
    rules = [*rules_of_qos(machine, job, partition, SUBMITTED)]
    given = {(rule.name, rule.resource) for rule in rules}
    rules += rules_of_associations(machine, job, partition, given, ("GrpSubmit",), ("MaxSubmit",))
    for rule in rules:
        if sum(rule.counts(*other) for other in there) + count > rule.most:
            return reason_of(rule)
    if any("DenyOnLimit" in machine.flags.get(qos, ()) for qos in qos_of(machine, job, partition)):
        return held_by(machine, job._replace(array=None), partition, [], 0)
    return ""


def has_limits(machine: Machine, names: Sequence[str]) -> bool:
    """Return whether anything has limits of some names."""
    return any(name in limits.values for limits in machine.limits for name in names)
