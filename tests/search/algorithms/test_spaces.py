"""Recipes: the first generation, and what descends from it."""

import numpy as np
import pytest

from paretosched.search.algorithms.spaces import FREQUENCY, JUMP, KEY, MATE, NUMBER, PARENT, Recipes
from support.searching import FEW, MANY, every_algorithm, generations, start


@every_algorithm
def test_recipes_begin_with_the_start_orders_and_children_of_them_in_turn(algorithm: str) -> None:
    rows = next(start(algorithm, FEW, 8))
    assert rows[:, NUMBER].tolist() == list(range(8))
    assert rows[:, PARENT].tolist() == [-1, -1, -1, 0, 1, 2, 0, 1]
    assert (rows[:, MATE] == -1).all()
    assert rows[:3, KEY].tolist() == [0, 1, 2]
    assert len(set(rows[3:, KEY])) == 5
    assert (rows[:, [FREQUENCY, JUMP]] == [20, 1]).all()


@every_algorithm
def test_all_start_orders_are_asked_for_though_the_population_is_smaller(algorithm: str) -> None:
    first, second = generations(algorithm, 0, 2, population=12, space=MANY)
    assert first[:, KEY].tolist() == list(range(31))
    assert (first[:, PARENT] == -1).all()
    assert len(second) == 12


@every_algorithm
def test_recipes_are_numbered_in_turn_and_descend_from_earlier_ones(algorithm: str) -> None:
    for space in (FEW, MANY):
        batches = generations(algorithm, 3, 12, space=space)
        rows = np.concatenate(batches)
        assert rows[:, NUMBER].tolist() == list(range(len(rows)))
        begin = len(batches[0])
        for generation in batches[1:]:
            for column in (PARENT, MATE):
                assert (generation[:, column] < begin).all()
            assert (generation[:, PARENT] >= 0).all()
            begin += len(generation)
        keys = rows[len(batches[0]) :, KEY]
        assert ((keys >= 0) & (keys < 2**53) & (keys == np.floor(keys))).all()
        assert len(set(keys)) == len(keys)


@pytest.mark.slow
@every_algorithm
def test_a_child_has_a_mate_with_the_probability_of_recombination(algorithm: str) -> None:
    for probability in (0.0, 0.3, 1.0):
        space = Recipes(1, 20, 10, 100, probability)
        rows = np.concatenate(generations(algorithm, 0, 21, population=40, space=space)[1:])
        assert abs((rows[:, MATE] >= 0).mean() - probability) < 0.06 * (0 < probability < 1) + 1e-9


@every_algorithm
def test_strategies_are_the_parents_times_or_divided_by_a_factor(algorithm: str) -> None:
    space = Recipes(2, 20, 1.2, 25)
    batches = generations(algorithm, 0, 12, space=space)
    rows = np.concatenate(batches)
    steps = set()
    for row in rows[len(batches[0]) :]:
        before = rows[int(row[PARENT]), FREQUENCY:]
        up, down = np.clip(before * 1.3, 1, 25), np.clip(before / 1.3, 1, 25)
        assert ((row[FREQUENCY:] == up) | (row[FREQUENCY:] == down)).all()
        steps.add(tuple(row[FREQUENCY:] > before))
    assert len(steps) == 4  # the two step independently
    assert rows[:, FREQUENCY].max() == 25
    assert rows[:, JUMP].min() == 1


def test_random_recipes_are_one_variation_of_a_start_order() -> None:
    rows = np.concatenate(generations("random", 0, 40, space=FEW)[1:])
    parents, counts = np.unique(rows[:, PARENT], return_counts=True)
    assert parents.tolist() == [0, 1, 2]
    assert counts.min() > 120  # of 468
    assert set(rows[:, MATE]) == {-1, 0, 1, 2}
