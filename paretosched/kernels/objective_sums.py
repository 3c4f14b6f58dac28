"""Compute all objectives of a schedule in one pass."""

import numpy as np

from ..core.arrays import Floats, Int, Ints, Mask
from .compiling import njit


@njit(cache=True, nogil=True)
def measure(
    begin: Ints,
    finish: Ints,
    submit: Ints,
    run: Ints,
    width: Ints | Floats,
    group: Ints,
    capacity: Int,
    mask: Mask,
    values: Floats,
) -> None:
    """Fill `values` with UTIL, AWRT and AWRT of each group.

    Parameters
    ----------
    begin, finish, submit, run
        (n,) int64, s. UTIL counts from the first of `begin`, starts or submissions. finish is at least start + run, and
        later for jobs that are preempted.
    width
        (n,) int64, processors; or float64, charge.
    group
        (n,) int64, the index of the user group, 0..groups - 1.
    capacity
        Processors.
    mask
        (n,) bool, which jobs count, or (0,) for all.
    values
        (groups + 2,) float64, filled in place: UTIL in percent, then seconds; NaN where no job counts.
    """
    groups = values.size - 2
    weight = np.zeros(groups)
    sums = np.zeros(groups)
    first = np.int64(0x7FFFFFFFFFFFFFFF)
    last = np.int64(-0x7FFFFFFFFFFFFFFF)
    for j in range(finish.size):
        if mask.size and not mask[j]:
            continue
        first = min(first, begin[j])
        last = max(last, finish[j])
        consumption = np.float64(run[j] * width[j])
        weight[group[j]] += consumption
        sums[group[j]] += consumption * np.float64(finish[j] - submit[j])
    values[:] = np.nan
    total = weight.sum()
    if total > 0.0:
        values[0] = 100.0 * total / (np.float64(capacity) * np.float64(last - first))
        values[1] = sums.sum() / total
    for g in range(groups):
        if weight[g] > 0.0:
            values[g + 2] = sums[g] / weight[g]
