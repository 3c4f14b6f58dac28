"""The tests of two sets of results are those of scipy."""

from __future__ import annotations

import numpy as np
from scipy.stats import wilcoxon

from experiments.rank_tests import chance


def test_the_chance_is_that_of_scipy_with_and_without_equals() -> None:
    random = np.random.default_rng(7)
    tried = []
    for n in (2, 5, 8, 14, 20):
        for values in (2, 5, 10**6):
            this, that = random.integers(0, values, (2, n)) / 7
            this[0], that[0] = 1.0, 2.0  # one pair is different
            tried.append(chance(this, that))
            assert np.isclose(tried[-1], wilcoxon(this, that).pvalue, rtol=1e-12, atol=0)
    assert min(tried) < 0.2 < max(tried)


def test_sets_that_are_equal_differ_by_chance() -> None:
    assert chance(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 1
