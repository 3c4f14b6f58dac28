"""Orders of jobs, and their start times."""

from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings

from paretosched import Workload, decode
from support.zoo import jobs

thoroughly = settings(deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])


def starts(workload: Workload, order: Any, decoding: str) -> list[int]:
    start: list[int] = decode(workload, order, decoding).check().start.tolist()
    return start


def orders(n: int) -> dict[str, np.ndarray]:
    """Orders near to and far from that of submission."""
    rng = np.random.default_rng(n)
    order = np.arange(n)
    for i in range(0, n - 1, 3):
        order[[i, i + 1]] = order[[i + 1, i]]
    return {
        "submission": np.arange(n),
        "neighbours swapped": order,
        "backwards": np.arange(n)[::-1],
        "every third first": np.argsort(np.arange(n) % 3 > 0, kind="stable"),
        "random": rng.permutation(n),
    }


ORDERS = tuple(orders(1))

# 4 processors; the first job leaves one free until 10, the second needs all, the third and fourth one each.
GAP = jobs(4, (0, 10, 10, 3), (1, 5, 5, 4), (2, 8, 8, 1), (3, 9, 9, 1))
