"""Random machines on which jobs make way for others."""

from dataclasses import replace
from typing import Any

import numpy as np

from paretosched import Workload
from paretosched.workload.preemption import Preemption
from support.limit_zoo import limited_case
from support.machine_zoo import random_case

QOS = ("low", "normal", "urgent")


def preempting_case(seed: int, n: int = 16) -> Workload:
    """Return a few jobs of three QOS that run for a while on a machine on which some make way for others.

    Every second one has limits and accounts, and every fourth one jobs that wait for the end of others; then jobs that
    make way are requeued, since those that wait for a cancelled one come or not as they say.
    """
    rng = np.random.default_rng([seed, 83])
    base = limited_case(seed, with_dependencies=seed % 4 == 0, n=n) if seed % 2 == 0 else random_case(seed, n)
    machine, requests = base.machine, base.requests
    assert machine is not None
    assert requests is not None
    kind = ("partition_prio", "qos")[int(rng.integers(2))]
    mode = ("requeue", "requeue", "requeue", "cancel")[int(rng.integers(4))]
    named = [part.name for part in machine.partitions] if kind == "partition_prio" else [*QOS]
    rules = Preemption(
        kind,
        mode if seed % 4 else "requeue",
        modes=some(named, lambda: ("off", "cancel", "requeue")[int(rng.integers(3))], 0.2 if seed % 4 else 0, rng),
        grace=some(named, lambda: int(rng.integers(0, 90)), 0.4, rng),
        exempt=int(rng.integers(0, 50)) if rng.random() < 0.3 else 0,
        exempts=some(["low"], lambda: int(rng.integers(0, 50)), 0.3, rng),
        over=(("normal", ("low",)), ("urgent", ("low", "normal"))) if kind == "qos" else (),
        ranks=(("low", int(rng.integers(0, 3))), ("normal", 1)) if rng.random() < 0.5 else (),
        youngest=bool(rng.random() < 0.3),
        requeues=bool(rng.random() < 0.8 or seed % 4 == 0),
    )
    parts = tuple(replace(part, tier=5 if part.name == "some" else 1, longest=None) for part in machine.partitions)
    said = np.where(rng.random(n) < 0.1, int(rng.integers(2)), -1)
    asked = replace(
        requests,
        qos=[QOS[i] for i in rng.integers(3, size=n)],
        partition=[text or ("some,all" if rng.random() < 0.4 else "all") for text in requests.partition.list()],
        requeue=said if seed % 4 else None,
    )
    return base.with_(
        machine=replace(machine, partitions=parts, preemption=rules, down=()),
        requests=asked,
        run=base.run * rng.integers(1, 6, size=n),
        estimate=np.full(n, 300),
        user=rng.integers(1, 4, size=n),
        job=np.arange(1, n + 1),
    )


def some(names: list[str], value: Any, share: float, rng: np.random.Generator) -> tuple[tuple[str, Any], ...]:
    """Return pairs of some of the names and a value each."""
    return tuple((name, value()) for name in names if rng.random() < share)
