"""Which longest times of partitions (MaxTime) matter to the jobs of a workload, and leave all of them a partition.

A job that asks for more than the MaxTime of a partition goes to the others that it names. So a value matters only to
jobs that name several; that of today is among the values if it holds any of these out. A value is never so short that a
job has no partition left: of those where it may run today, each job keeps one, that of the longest MaxTime, in which no
value is below what it asks for. Jobs that have run though they ask for more than their partitions allow today run with
other values, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..core.arrays import Mask
from ..policies.node_plans import node_plan
from ..workload.machine import FOR_EVER, Machine
from ..workload.node_requests import Texts
from ..workload.unfit_jobs import unfit_jobs
from ..workload.workload import Workload

MOST_TIMES = 12  # values of a partition
MINUTE = 60


def partition_times(workload: Workload, machine: Machine) -> dict[str, list[int]]:
    """Return the values of MaxTime that matter, s, ascending, by the names of partitions for which there are some.

    Examples
    --------
    All may run in the long partition, and two of them in the short one, of which one for an hour.

    >>> from paretosched import NodeKind, Partition, Requests
    >>> machine = Machine((NodeKind("n1", 4, 100),), (Partition("short"), Partition("long")))
    >>> asked = Requests(tasks=[1] * 3, memory_per_node=[1] * 3, partition=["long,short"] * 2 + ["long"])
    >>> w = Workload([0] * 3, [60] * 3, [3600, 7200, 7200], [1] * 3, capacity=4, machine=machine, requests=asked)
    >>> partition_times(w, machine)
    {'short': [3600]}
    """
    asked = -(-workload.estimate // MINUTE) * MINUTE
    longest = np.array([part.longest or FOR_EVER for part in machine.partitions])
    ways = _ways(workload, machine)
    now = ways & (workload.estimate <= longest[:, None])
    alone = (now * asked * (now.sum(axis=0) == 1)).max(axis=1)
    order = np.argsort(np.lexsort((alone, longest)))[:, None]  # of equals that which must allow the longest jobs anyhow
    resort = np.where(now.any(axis=0), np.argmax(np.where(now, order + 1, 0), axis=0), -1)
    values = {}
    for k, part in enumerate(machine.partitions):
        others, own = asked[ways[k] & (resort >= 0) & (resort != k)], asked[resort == k]
        least = own.max(initial=0)
        ends = np.unique([*own[own == least], *others[others > least]])
        inside = ends[:-1]  # with the last one all may run there
        places = np.linspace(0, inside.size - 1, min(inside.size, MOST_TIMES)).round().astype(np.int64)
        if inside.size:
            today = [part.longest] if part.longest is not None and part.longest < ends[-1] else []
            values[part.name] = sorted({*inside[places].astype(np.int64).tolist(), *today})
    return values


def _ways(workload: Workload, machine: Machine) -> Mask:
    """Return in which partitions each job could run, whatever time it asks for, (partitions, n) bool."""
    requests, plan = workload.requests, node_plan(workload)
    assert requests is not None  # noqa: S101  # it has a machine
    first, end = plan.shapes["option"], plan.shapes["option_end"]
    shape = np.repeat(np.arange(first.size), end - first)
    option = np.arange(shape.size) - np.repeat(np.cumsum(end - first) - end, end - first)
    of_shapes = np.zeros((len(machine.partitions), first.size), dtype=np.bool_)
    of_shapes[plan.options["partition"][option], shape] = True
    ways = of_shapes[:, plan.holders["shape"]]
    several = ways.sum(axis=0) > 1
    for part, way in zip(machine.partitions, ways, strict=True):  # the plan knows no partition that is too small
        rows = np.flatnonzero(way & several)
        there = replace(requests.take(rows), partition=Texts.of([part.name] * rows.size))
        way[rows] = unfit_jobs(machine, there) < 0
    return ways
