"""Tests of two sets of results: signed ranks, Holm's correction, and how often one is larger than the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import permutation_test, rankdata, wilcoxon

from paretosched.core.arrays import Floats

MOST_TRIED = 13  # pairs, with which `wilcoxon` tries all signs if some are equal or equally different


def chance(this: Floats, that: Floats) -> float:
    """Return the probability of such differences if there were none; 1 where all are equal.

    It is that of `wilcoxon`, which tries all signs of the differences, one after the other, if there are few pairs and
    some are equal or equally different; here they are tried together.
    """
    differences = this - that
    if not differences.any():
        return 1.0
    sizes = np.abs(differences)
    if sizes.size > MOST_TRIED or (sizes.all() and np.unique(sizes).size == sizes.size):
        return float(wilcoxon(this, that).pvalue)
    ranks = np.zeros(sizes.size)
    ranks[sizes > 0] = rankdata(sizes[sizes > 0])
    of_all_signs = permutation_test(
        (ranks * np.sign(differences),),
        lambda signed, axis: np.maximum(signed, 0).sum(axis=axis),
        permutation_type="samples",
        vectorized=True,
    )
    return float(of_all_signs.pvalue)


def holm(chances: Sequence[float]) -> list[float]:
    """Return probabilities corrected for their number, by Holm's method.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(chances)
    corrected = np.empty(len(order))
    corrected[order] = np.maximum.accumulate(np.sort(chances) * (len(order) - np.arange(len(order))))
    return np.minimum(corrected, 1.0).round(12).tolist()


def effect(this: Floats, that: Floats) -> float:
    """Return how often a value of the first set is larger than one of the second; equal counts half.

    Examples
    --------
    >>> effect(np.array([1.0, 2.0]), np.array([0.0, 2.0]))
    0.625
    """
    differences = this[:, None] - that[None, :]
    return float(np.mean(differences > 0) + np.mean(differences == 0) / 2)
