"""Random machines on which jobs stop while others have their CPUs."""

from dataclasses import replace

import numpy as np

from paretosched import Workload
from paretosched.workload.preemption import Preemption
from support.limit_zoo import limited_case
from support.machine_zoo import random_case


def suspending_case(seed: int, n: int = 16) -> Workload:
    """Return a few jobs of partitions of three tiers; on every third machine with limits, on every fourth with chains.

    In some cases jobs of one partition are requeued, or stay. Limits of minutes to come are left out: what is left of
    a job that was stopped is not known there.
    """
    rng = np.random.default_rng([seed, 103])
    base = limited_case(seed, with_dependencies=seed % 4 == 0, n=n) if seed % 3 == 0 else random_case(seed, n)
    machine, requests = base.machine, base.requests
    assert machine is not None
    assert requests is not None
    limits = [
        replace(each, values={k: v for k, v in each.values.items() if k != "GrpTRESRunMins"}) for each in machine.limits
    ]
    other = ("suspend", "suspend", "requeue", "off")[int(rng.integers(4))]
    rules = Preemption("partition_prio", "suspend", modes={("low", "mid")[int(rng.integers(2))]: other, "high": "off"})
    usual = next((part for part in machine.partitions if part.default), machine.partitions[0])
    tiers = {"low": 1, "mid": 5, "high": 9}
    parts = tuple(
        replace(usual, name=name, tier=tier, longest=None, default=name == "low") for name, tier in tiers.items()
    )
    words = ("low", "low", "low", "mid", "mid", "high", "high", "mid,low", "high,low")
    asked = [words[i] for i in rng.integers(len(words), size=n)]
    return base.with_(
        machine=replace(machine, partitions=parts, preemption=rules, down=(), limits=tuple(limits)),
        requests=replace(requests, partition=asked),
        run=base.run * rng.integers(1, 6, size=n),
        estimate=np.full(n, 300),
        user=rng.integers(1, 4, size=n),
        job=np.arange(1, n + 1),
    )
