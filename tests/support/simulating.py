"""Start times of the simulators and of their oracle."""

from functools import cache

import numpy as np
from hypothesis import HealthCheck, settings

from paretosched import Policy, Workload, simulate
from support.naive import naive
from support.zoo import ZOO, fixed_policies, random_jobs

thoroughly = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
briefly = settings(thoroughly, max_examples=25)


def starts(workload: Workload, policy: str | Policy) -> list[int]:
    start: list[int] = simulate(workload, policy).check().start.tolist()
    return start


@cache
def of_oracle(name: str, policy: str) -> list[int]:
    return naive(ZOO[name], fixed_policies(ZOO[name].groups)[policy])


def deep(name: str, seed: int) -> Workload:
    """Return the first jobs of a workload of `DEEP`, for oracles that plan all waiting jobs at every event."""
    return DEEP[name](seed).take(np.arange(110))


DEEP = {
    "deep queue, seconds": lambda seed: random_jobs(seed, 300, 64, gap=1, run=60),
    "deep queue, coarse times": lambda seed: random_jobs(seed, 300, 32, gap=1, run=8, grain=3600),
    "saturated, six hours a tick": lambda seed: random_jobs(seed, 250, 128, gap=2, run=12, grain=21600, groups=3),
    "light load": lambda seed: random_jobs(seed, 300, 64, gap=30, run=60),
    "long estimates": lambda seed: random_jobs(seed, 250, 100, gap=4, run=50, slack=100.0, groups=7),
}
