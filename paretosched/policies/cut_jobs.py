"""For how long jobs run at least where passes of Slurm may end them for good before they have run."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Ints, Mask
from ..kernels.slurm_pace import BY_QOS, CANCELLED, EXEMPT, GRACE, MODE, OVER, REQUEUED
from ..workload.workload import Workload
from .node_plans import ways_of
from .reserved_nodes import views_of


def least_runs(workload: Workload) -> Ints:
    """Return for how long each job runs at least in a schedule, (n,) s: less than its run time if it may be cancelled.

    One that makes way for others and does not wait again has run until it may be asked to, and for its grace. One that
    waits for its reservation may be ended in the second after its start, and so may one that does not wait again where
    nodes fail.

    Examples
    --------
    Jobs of the low partition make way in their second second at the earliest.

    >>> from paretosched import Machine, NodeKind, Partition, Requests
    >>> from paretosched.workload.preemption import Preemption
    >>> parts = Partition("low", default=True), Partition("high", tier=9)
    >>> machine = Machine((NodeKind("n1", 4, 100),), parts, preemption=Preemption("partition_prio", "cancel"))
    >>> asked = Requests(tasks=[1, 1], partition=["low", "high"])
    >>> least_runs(Workload([0, 0], [9, 9], [9, 9], [1, 1], capacity=4, machine=machine, requests=asked)).tolist()
    [2, 9]
    """
    w, machine, requests = workload, workload.open_machine, workload.requests
    if machine is None or requests is None:
        return w.run
    least = w.run.copy()
    kind, _, ways, (qos, requeues) = ways_of(machine, requests)
    if machine.nodes_fail:
        least = np.where(requeues == 0, np.minimum(least, 1), least)
    if machine.preemption is not None:
        of_qos, ends = ways[qos], np.full(len(w), np.iinfo(np.int64).max)
        if kind == BY_QOS:
            others = np.unique(qos)
            over = ways[others][:, OVER:].max(axis=0)[qos]
            ends = np.where(
                (over > 0) & _goes(of_qos[:, MODE], requeues), _after(of_qos[:, EXEMPT], of_qos[:, GRACE]), ends
            )
        else:
            tiers, inside = np.array([part.tier for part in machine.partitions]), machine.members.astype(np.int64)
            highest = np.where(inside @ inside.T > 0, tiers, tiers.min()).max(axis=1)  # of those that share a node
            for code, word in enumerate(requests.partition.words):
                mine = requests.partition.code == code
                for k in machine.partitions_of(word):
                    goes = mine & _goes(np.full(len(w), ways[k, MODE]), requeues)
                    goes &= tiers[k] < highest[k]
                    ends = np.where(goes, np.minimum(ends, _after(of_qos[:, EXEMPT], ways[k, GRACE])), ends)
        least = np.minimum(least, ends)
    if machine.reservations:
        views = views_of(machine, requests, w.epoch)
        waits = np.array([bool(windows) for windows in views.windows])[views.of_job]
        least = np.where(waits, np.minimum(least, 1), least)
    return least


def _goes(mode: Ints, requeues: Ints) -> Mask:
    """Return whether jobs that make way do so for good, (n,) bool, by their modes and whether they would wait again."""
    goes: Mask = (mode == CANCELLED) | ((mode == REQUEUED) & (requeues == 0))
    return goes


def _after(exempt: Ints, grace: Ints) -> Ints:
    """Return how long after its start a job makes way at the earliest, s: each of these, and at least a second."""
    return np.maximum(exempt, 1) + np.maximum(grace, 1)
