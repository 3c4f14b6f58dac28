"""Which running jobs stop while others run on their cores, as slurmctld 22.05 was seen to do it (SUSPEND,GANG).

A job that lacks cores takes those of jobs in partitions of a lower tier that may be suspended: as if these had none,
but all their memory, GPUs and licences. Idle cores come first; then those of the lowest tier and idle ones, then those
of the next tier, too; of these the lowest numbers. A job stops as long as one of a higher tier has one of its cores,
whether that one runs or is stopped itself, and goes on in the second in which the last of these ends.
"""

from collections.abc import Iterable, Iterator, Mapping

from support.naive_machine import Amount, Busy, Machine, Partition

SUSPEND = "suspend"
NEVER = 10**15  # s: when a job ends that is stopped
Cores = dict[str, frozenset[int]]


def may_stop(machine: Machine, run: Busy, partition: Partition) -> bool:
    """Return whether a running job stops for jobs in a partition."""
    rules = machine.preemption
    if rules is None or rules.kind != "partition_prio" or rules.modes.get(run.partition, rules.mode) != SUSPEND:
        return False
    return machine.partitions[run.partition].tier < partition.tier


def ways(machine: Machine, partition: Partition, running: list[Busy]) -> Iterator[list[Busy]]:
    """Yield what running jobs hold for one in a partition: each core once, then without the CPUs of those that stop."""
    for stay in those_that_stay(machine, partition, running):
        once = {run.job.row: run for run in each_core_once(machine, stay)}
        yield [once.get(run.job.row) or with_cpus(run, {}) for run in running]


def those_that_stay(machine: Machine, partition: Partition, running: list[Busy]) -> Iterator[list[Busy]]:
    """Yield all jobs, then those that go on if those stop that may: of the lowest tier, then of the next one, too."""
    yield running
    stopping = [run for run in running if may_stop(machine, run, partition)]
    for tier in sorted({tier_of(machine, run) for run in stopping}):
        yield [run for run in running if run not in stopping or tier_of(machine, run) > tier]


def each_core_once(machine: Machine, running: list[Busy]) -> list[Busy]:
    """Return what running jobs hold, where a core that several have is one of the highest tier of them."""
    if not any(run.cores for run in running):
        return running
    seen = []
    for run in running:
        above = [other for other in running if tier_of(machine, other) > tier_of(machine, run)]
        own = {name: own - taken_by(above, name) for name, own in run.cores.items()}
        seen.append(with_cpus(run, {name: len(cores) for name, cores in own.items()}))
    return seen


def with_cpus(run: Busy, cpus: Mapping[str, int]) -> Busy:
    """Return a job that holds so many CPUs of its nodes, and all else that it holds."""
    return run._replace(held={name: amount._replace(cpus=cpus.get(name, 0)) for name, amount in run.held.items()})


def tier_of(machine: Machine, run: Busy) -> int:
    """Return the tier of the partition in which a job runs."""
    return machine.partitions[run.partition].tier


def taken_by(running: Iterable[Busy], name: str) -> frozenset[int]:
    """Return the cores of a node that some jobs have."""
    return frozenset[int]().union(*(run.cores.get(name, frozenset()) for run in running))


def cores_for(machine: Machine, partition: Partition, held: Mapping[str, Amount], running: list[Busy]) -> Cores:
    """Return which cores a job gets that starts now: those of the lowest numbers; with GPUs those of the highest.

    They are idle if there are as many; none are counted on a machine on which no job stops.
    """
    rules = machine.preemption
    if rules is None or SUSPEND not in (rules.mode, *rules.modes.values()):
        return {}
    size = {node.name: node.cpus for node in machine.nodes}
    for there in those_that_stay(machine, partition, running):
        free = {name: sorted({*range(size[name])} - taken_by(there, name)) for name in held}
        if all(len(free[name]) >= amount.cpus for name, amount in held.items()):
            break
    return {
        name: frozenset(free[name][-amount.cpus :] if sum(amount.gpus.values()) else free[name][: amount.cpus])
        for name, amount in held.items()
    }


def settle(machine: Machine, runs: dict[int, Busy], t: int) -> None:
    """Stop running jobs in second t of which one of a higher tier has a core, and let the others go on, in place."""
    active = [run for run in runs.values() if run.end > t]
    for run in active:
        above = [o for o in active if may_stop(machine, run, machine.partitions[o.partition])]
        stops = any(own & taken_by(above, name) for name, own in run.cores.items())
        if stops and run.stopped is None:
            runs[run.job.row] = run._replace(end=NEVER, stopped=t, left=run.end - t)
        elif not stops and run.stopped is not None:
            stopped = (*run.stops, (run.stopped, t))
            runs[run.job.row] = run._replace(end=t + run.left, stopped=None, left=0, stops=stopped)


def time_stopped(run: Busy) -> int:
    """Return for how long a job was stopped until it went on last, s."""
    return sum(end - begin for begin, end in run.stops)
