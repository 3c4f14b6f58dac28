"""Which running jobs make way for another one, as slurmctld 22.05 was seen to choose them."""

from collections.abc import Callable, Mapping

from support.naive_machine import Amount, Busy, Job, Machine, Partition
from support.naive_suspension import SUSPEND

REQUEUE_DELAY = 121  # s: how long a job that made way waits at least, which is cred_expire and one second

Fits = Callable[[list[Busy]], Mapping[str, Amount] | None]  # what a job gets beside some running ones


def victims_of(
    machine: Machine, job: Job, partition: Partition, running: list[Busy], going: set[int], t: int, fits: Fits
) -> list[Busy]:
    """Return the running jobs that are to make way for a job; none if it would not fit even then.

    Those that may go do so one by one, by the priority of their QOS and in the order of their numbers, until the job
    fits beside the rest and beside those that are `going` already. Then the last one is tried first, once. Those that
    are not on its nodes stay.
    """
    rules = machine.preemption
    if rules is None:
        return []
    allowed = [run for run in running if run.job.row not in going and may_preempt(machine, job, partition, run, t)]
    priority = rules.priorities
    allowed.sort(key=lambda run: (priority.get(run.job.qos, 0), -run.begin if rules.youngest else 0, run.job.row))
    stay = [run for run in running if run.job.row not in going]
    gone, held = gone_until(allowed, stay, fits)
    if held is None:
        return []
    if gone:
        again = [gone[-1], *(run for run in allowed if run is not gone[-1])]
        gone, held = gone_until(again, stay, fits)
    return [run for run in gone if held is not None and set(run.held) & set(held)]


def gone_until(allowed: list[Busy], stay: list[Busy], fits: Fits) -> tuple[list[Busy], Mapping[str, Amount] | None]:
    """Return which of some jobs must go, in this order, until another one fits, and what it gets then."""
    gone: list[Busy] = []
    held = fits(stay)
    for run in allowed:
        if held is not None:
            break
        gone.append(run)
        held = fits([other for other in stay if other not in gone])
    return gone, held


def may_preempt(machine: Machine, job: Job, partition: Partition, run: Busy, t: int) -> bool:
    """Return whether a running job has to make way for another one."""
    rules = machine.preemption
    if rules is None or mode_of(machine, run) in ("off", SUSPEND):
        return False
    if t < run.begin + rules.exempts.get(run.job.qos, rules.exempt):
        return False
    if rules.kind == "qos":
        return run.job.qos in rules.of_qos.get(job.qos, ())
    return machine.partitions[run.partition].tier < partition.tier


def mode_of(machine: Machine, run: Busy) -> str:
    """Return what happens to a job that makes way: off for nothing, requeue, cancel or suspend."""
    rules = machine.preemption
    assert rules is not None
    mode = rules.modes.get(run.job.qos if rules.kind == "qos" else run.partition, rules.mode)
    return "cancel" if mode == "requeue" and not run.job.requeue else mode


def grace_of(machine: Machine, run: Busy) -> int:
    """Return how long a job goes on when it is asked to make way, s: GraceTime, and at least until the next second."""
    rules = machine.preemption
    assert rules is not None
    return max(1, rules.grace.get(run.job.qos if rules.kind == "qos" else run.partition, 0))


def life_after(job: Job, t: int) -> Job:
    """Return a job that waits again since second t; nothing holds it any more that it has waited for."""
    return job._replace(arrival=t + REQUEUE_DELAY, submitted=t, after=())
