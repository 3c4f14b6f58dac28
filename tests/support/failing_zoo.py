"""Random machines of which nodes fail, are drained and come back, as nobody knows beforehand."""

from dataclasses import replace

import numpy as np

from paretosched import Outage, Workload
from paretosched.workload.host_lists import node_names
from support.machine_zoo import EPOCH, random_case
from support.naive_machine import Busy, Down, Job, Machine
from support.naive_rhythms import Rhythm, by_arrival, slurm_lives
from support.naive_values import naive_of
from support.preemption_zoo import preempting_case
from support.reserved_zoo import reserved_case
from support.short_lives import Life, in_last_lives

HOSTS = ("n1", "n[1-3]", "n2,b1", "g[1-2]", "b1", "n[1-3],b1,g[1-2]")
LATE = 2**50  # s: the end of an outage that has none
KINDS = ("drain", "failure", "failure", "known")


def failing_case(seed: int, n: int = 16) -> Workload:
    """Return a few jobs on a machine with up to four outages; on some, jobs make way for others, or nodes are reserved.

    Of those that come as a surprise some do not end. One that ends a job comes when others have begun.
    """
    rng = np.random.default_rng([seed, 101])
    base = (preempting_case, reserved_case, random_case)[seed % 3](seed // 3, n)
    assert base.machine is not None
    assert base.requests is not None
    down = []
    for _ in range(int(rng.integers(1, 5))):
        kind = KINDS[int(rng.integers(len(KINDS)))]
        begin = int(rng.integers(0, 400))
        end = begin + int(rng.choice([1, 30, 200, 600]))
        words = {} if kind != "known" and rng.random() < 0.15 else {"end": EPOCH + end}
        down.append(Outage(HOSTS[rng.integers(len(HOSTS))], EPOCH + begin, kind=kind, **words))
    said = np.where(rng.random(n) < 0.2, int(rng.integers(2)), base.requests.requeue)
    return base.with_(machine=replace(base.machine, down=tuple(down)), requests=replace(base.requests, requeue=said))


def last_lives_of(workload: Workload) -> tuple[dict[int, Busy], list[Life]]:
    """Return what `short_lives.last_lives` does where nodes fail, are drained and come back, or do not."""
    value, epoch = workload.machine, workload.epoch
    assert value is not None
    known = tuple(each for each in value.down if each.kind == "known")
    machine, jobs = naive_of(workload.with_(machine=replace(value, down=known)))
    rows = [
        (each.kind, max(each.begin - epoch, 0), each.end - epoch, frozenset(node_names(each.hosts, "hosts")))
        for each in value.down
        if each.kind != "known" and each.end > epoch
    ]
    changes: dict[int, Machine] = {}
    failures: dict[int, frozenset[str]] = {}
    for second in {moment for _, begin, end, _ in rows for moment in (begin, end) if moment < LATE}:
        there = tuple(Down(second, LATE, nodes) for _, begin, end, nodes in rows if begin <= second < end)
        changes[second] = machine._replace(down=(*machine.down, *there))
    for kind, begin, _, nodes in rows:
        if kind == "failure":
            failures[begin] = failures.get(begin, frozenset()) | nodes
    rhythm = Rhythm(epoch=epoch)
    left: list[Job] = []
    last, cut = in_last_lives(slurm_lives(machine, jobs, rhythm, by_arrival, changes, failures, left))
    waiting = {job.row for job in left}
    return {row: run for row, run in last.items() if row not in waiting}, cut
