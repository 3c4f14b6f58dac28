"""The fitness of NSGA, which those who are near to each other share."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.search.algorithms.niches import proportional, shared_fitness

SIGMA_OF_TWO = 0.5 / 10**0.5


def test_sharing_by_hand() -> None:
    # two fronts of two costs with ranges 10 and 100: three candidates, then one
    costs = [[0, 100], [1, 98], [10, 0], [10, 100]]
    square = (1 / 10) ** 2 + (2 / 100) ** 2
    niche = 1 + 1 - square / SIGMA_OF_TWO**2
    first = [4 / niche, 4 / niche, 4.0]
    assert shared_fitness(costs) == pytest.approx([*first, 0.99 * 4 / niche])


def test_candidates_at_sigma_share_and_beyond_share_nothing() -> None:
    step = SIGMA_OF_TWO / 2**0.5
    near, at, beyond = (shared_fitness([[0, 1], [f * step, 1 - f * step], [1, 0]])[0] for f in (0.5, 1 + 1e-12, 1.5))
    assert near == pytest.approx(3 / 1.75)
    assert at == 3
    assert beyond == 3


def test_equal_candidates_share_one_place() -> None:
    assert shared_fitness(np.zeros((5, 3))).tolist() == [1.0] * 5
    assert shared_fitness([[3.0, 4.0]]).tolist() == [1.0]


@settings(max_examples=50)
@given(
    st.integers(1, 4).flatmap(
        lambda q: st.lists(st.lists(st.integers(-5, 5), min_size=q, max_size=q), min_size=1, max_size=30)
    )
)
def test_dominated_candidates_are_less_fit(costs: list[list[int]]) -> None:
    matrix = np.array(costs, dtype=float)
    fitness = shared_fitness(matrix)
    assert (fitness > 0).all()
    dominates = (matrix[:, None] <= matrix).all(axis=2) & (matrix[:, None] < matrix).any(axis=2)
    better, worse = np.nonzero(dominates)
    assert (fitness[better] > fitness[worse]).all()
    # units and zero points do not matter
    assert shared_fitness(matrix * 4 + 8) == pytest.approx(fitness)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=20).filter(any), st.integers(1, 60), st.integers(0, 99))
def test_each_is_drawn_as_often_as_the_proportion_says(weights: list[int], count: int, seed: int) -> None:
    fitness = np.array(weights, dtype=float)
    counts = np.bincount(proportional(fitness, count, np.random.default_rng(seed)), minlength=len(weights))
    expected = count * fitness / fitness.sum()
    assert (np.abs(counts - expected) < 1 + 1e-9).all()
    assert not counts[fitness == 0].any()
