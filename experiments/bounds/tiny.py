"""Tiny workloads whose best schedules are known, because all that could be the best are tried."""

from __future__ import annotations

from itertools import permutations

import numpy as np

import paretosched as ps
from paretosched.core.arrays import Floats, Ints
from paretosched.kernels.compiling import njit


def tiny_workload(generator: np.random.Generator, jobs: tuple[int, int], processors: tuple[int, int]) -> ps.Workload:
    """Return a few random jobs of two or three groups on a few processors, all groups with jobs.

    Parameters
    ----------
    generator
        Where randomness comes from.
    jobs, processors
        The smallest and the largest number of them.
    """
    n, capacity = (int(generator.integers(low, high + 1)) for low, high in (jobs, processors))
    groups = int(generator.integers(2, 4))
    run = generator.integers(1, 6, n)
    return ps.Workload(
        submit=np.cumsum(generator.integers(0, 3, n)),
        run=run,
        estimate=run,
        width=generator.integers(1, capacity + 1, n),
        capacity=capacity,
        group=generator.permutation(np.arange(n) % groups),
        groups=tuple(str(i + 1) for i in range(groups)),
    )


def sums_of_all(workload: ps.Workload) -> Ints:
    """Return sum RC_j (C_j - r_j) of every group, (n!, G), for all orders of the jobs, each where it fits first.

    Among these schedules is one with the smallest weighted sum of completions, whatever the weights are: sort the jobs
    of any schedule by their starts, and put them where they fit first in this order; none starts later than before. So
    it is within every limit from above, too, that the other one keeps.
    """
    w = workload
    orders = np.array(list(permutations(range(len(w)))), dtype=np.int64)
    sums = np.zeros((len(orders), len(w.groups)), dtype=np.int64)
    _place(orders, w.submit, w.run, w.width, w.group.astype(np.int64), w.capacity, sums)
    return sums


def values_of(sums: Ints, workload: ps.Workload) -> Floats:
    """Return objective values, (k, G + 2), of sums of every group, (k, G); the utilisation is not measured, and 0."""
    w = workload
    work = np.bincount(w.group, (w.run * w.width).astype(np.float64), len(w.groups))
    return np.column_stack([np.zeros(len(sums)), sums.sum(axis=1) / work.sum(), sums / work])


@njit(cache=True, nogil=True)
def _place(orders: Ints, submit: Ints, run: Ints, width: Ints, group: Ints, capacity: int, sums: Ints) -> None:
    """Add up what every order gives, into `sums`; all arguments as in `sums_of_all`."""
    horizon = submit[-1] + run.sum()
    free = np.empty(horizon, np.int64)
    for k in range(len(orders)):
        free[:] = capacity
        for j in orders[k]:
            t = submit[j]
            s = t
            while s < t + run[j]:
                if free[s] < width[j]:
                    t = s + 1
                s += 1
            free[t : t + run[j]] -= width[j]
            sums[k, group[j]] += run[j] * width[j] * (t + run[j] - submit[j])
