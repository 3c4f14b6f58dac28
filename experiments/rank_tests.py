"""Tests of two sets of results: signed ranks, Holm's correction, and how often one is larger than the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import wilcoxon

from paretosched.core.arrays import Floats


def chance(this: Floats, that: Floats) -> float:
    """Return the probability of such differences if there were none; 1 where all are equal."""
    return 1.0 if np.array_equal(this, that) else float(wilcoxon(this, that).pvalue)


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
