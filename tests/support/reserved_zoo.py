"""Random machines with nodes that are reserved for some jobs."""

from dataclasses import replace

import numpy as np

from paretosched import Workload
from paretosched.workload.machine import Reservation
from support.limit_zoo import dependency_of
from support.machine_zoo import EPOCH, random_case
from support.preemption_zoo import preempting_case

HOSTS = ("n1", "n[1-3]", "n2,b1", "g[1-2]", "n[1-3],b1,g[1-2]", "b1")


def reserved_case(seed: int, n: int = 16, with_dependencies: bool = False) -> Workload:
    """Return a few jobs on a machine with up to three reservations, of which some come more than once.

    On every fourth one jobs make way for others as well, and some have limits. Without dependencies none waits for
    others: in Slurm's passes those that a reservation ends are cancelled, and what comes of those that wait for them
    the oracle knows better.
    """
    rng = np.random.default_rng([seed, 97])
    base = preempting_case(seed // 2, n) if seed % 4 == 0 else random_case(seed, n)
    machine, requests = base.machine, base.requests
    assert machine is not None
    assert requests is not None
    kept = []
    for name in ("one", "two", "three")[: int(rng.integers(1, 4))]:
        flags = (("MAINT",), ("FLEX",), ("FLEX",), (), (), (), ())[int(rng.integers(7))]
        begin = int(rng.integers(0, 150))
        for _ in range(int(rng.choice([1, 1, 2, 3]))):
            end = begin + int(rng.integers(10, 200))
            kept.append(Reservation(name, HOSTS[rng.integers(len(HOSTS))], EPOCH + begin, EPOCH + end, flags=flags))
            begin = end + int(rng.integers(0, 90))
    names, shares = ("", "one", "two", "three", "two,one", "none"), (0.5, 0.2, 0.1, 0.1, 0.05, 0.05)
    named = [names[i] for i in rng.choice(6, n, p=shares)]
    return base.with_(
        machine=replace(machine, reservations=tuple(kept)),
        requests=replace(
            requests,
            reservation=named,
            dependency=[dependency_of(row, rng) for row in range(n)] if with_dependencies else None,
        ),
    )
