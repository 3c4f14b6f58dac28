"""Algorithms of pymoo: what they survive, their directions, their crowding."""

import warnings
from itertools import pairwise

import numpy as np
import pytest

from paretosched.search.algorithms.named_algorithms import search
from paretosched.search.algorithms.pymoo_algorithms import directions
from paretosched.search.algorithms.spaces import KEY, PARENT, Reals, Recipes
from support.searching import (
    FEW,
    LOWER,
    WEIGHTS,
    Descent,
    every_algorithm,
    every_genetic,
    generations,
    start,
    toy_costs,
)

AWKWARD = {
    "all equal": lambda c: np.ones_like(c),
    "a constant cost": lambda c: np.column_stack([np.full(len(c), -66.0), c[:, 1:]]),
    "few values": lambda c: np.round(c),
    "one direction": lambda c: np.outer(c[:, 0], np.ones(c.shape[1])),
    "units apart": lambda c: c * 1e3 ** np.arange(c.shape[1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("kind", AWKWARD)
@every_algorithm
def test_awkward_costs_are_survived(algorithm: str, kind: str, count: int) -> None:
    """The smallest population, fewer than costs; warnings are errors here."""
    mixing = np.random.default_rng(0).normal(size=(LOWER.size, count))
    for space in (WEIGHTS, FEW):
        asking = start(algorithm, space, 4)
        genomes = next(asking)
        for _ in range(12):
            genomes = asking.send(AWKWARD[kind](np.sin(genomes @ mixing[: genomes.shape[1]])))
            assert genomes.shape[0] == 4
            assert np.isfinite(genomes).all()


@every_genetic
def test_a_constant_cost_does_not_end_diversity(algorithm: str) -> None:
    """After its first adaptation, pymoo's RVEA would keep one parent only."""
    cost_of, asking = Descent(), start(algorithm, FEW)
    genomes = next(asking)
    for _ in range(12):
        genomes = asking.send(np.column_stack([cost_of(genomes), np.full(len(genomes), 7.0)]))
        assert len(set(genomes[:, PARENT])) > 2


def test_warnings_of_others_are_not_silenced() -> None:
    """pymoo's U-NSGA-III switches off all warnings of the process."""
    before = list(warnings.filters)
    generations("unsga3", 0, 3)
    assert warnings.filters == before


@every_genetic
def test_a_child_without_crossover_and_mutation_is_not_evaluated_again(algorithm: str) -> None:
    """pymoo's operators may hand parents through; those must not come back as new genomes."""
    for before, after in pairwise(generations(algorithm, 3, 30)):
        assert len(after) == 12
        assert not {row.tobytes() for row in before} & {row.tobytes() for row in after}


@every_genetic
def test_the_search_ends_when_nothing_new_can_be_made(algorithm: str) -> None:
    point = np.full(3, 0.5)
    asking = start(algorithm, Reals(point, point), 4)
    genomes = next(asking)
    assert genomes.tolist() == [[0.5, 0.5, 0.5]]
    with pytest.raises(StopIteration):
        asking.send(np.zeros((1, 2)))


def test_crowding_of_nsga2_by_hand() -> None:
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem
    from pymoo.operators.survival.rank_and_crowding import RankAndCrowding

    def survive(costs: list[list[float]], count: int) -> tuple[list[int], list[float], list[int]]:
        everyone = Population.new("F", np.array(costs, dtype=float), "X", np.arange(len(costs))[:, None])
        survivors = RankAndCrowding().do(
            Problem(n_var=1), everyone, n_survive=count, random_state=np.random.default_rng(0)
        )
        return (
            everyone.get("rank").tolist(),
            everyone.get("crowding").tolist(),
            sorted(survivors.get("X")[:, 0].tolist()),
        )

    # one front; ranges 10 and 10; pymoo's mean over the costs where Deb et al. have the sum
    front = [[0, 10], [2, 6], [6, 3], [10, 0]]
    inner = [((6 - 0) / 10 + (10 - 3) / 10) / 2, ((10 - 2) / 10 + (6 - 0) / 10) / 2]
    rank, crowding, rows = survive(front, 3)
    assert rank == [0, 0, 0, 0]
    assert crowding == pytest.approx([np.inf, *inner, np.inf])
    assert rows == [0, 2, 3]  # the most crowded, (2, 6), goes
    # a second front is measured by itself; of two, both are extremes
    rank, crowding, rows = survive([*front, [3, 11], [11, 3]], 5)
    assert rank == [0, 0, 0, 0, 1, 1]
    assert crowding[4:] == [np.inf, np.inf]
    assert rows[:4] == [0, 1, 2, 3]
    # a cost without a range adds nothing to the crowding and makes no extremes
    _, crowding, _ = survive([[*row, 7] for row in front], 4)
    assert crowding == pytest.approx([np.inf, inner[0] * 2 / 3, inner[1] * 2 / 3, np.inf])


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("population", [4, 7, 12, 60, 100, 300, 10_000])
def test_directions_are_spread_on_the_simplex_and_not_too_many(count: int, population: int) -> None:
    spread = directions(count, population)
    assert spread.sum(axis=1) == pytest.approx(1)
    assert (spread >= 0).all()
    assert len(np.unique(spread.round(9), axis=0)) == len(spread)
    assert len(spread) <= max(min(population, 1000), count)
    extremes = (spread == 1).any(axis=1)
    assert extremes.sum() == count
    if len(spread) > count:
        assert (spread > 0).all(axis=1).any()


def test_the_horizon_decides_what_rvea_asks_for() -> None:
    def ask(horizon: int) -> bytes:
        asking = search("rvea", WEIGHTS, 12, 0, horizon)
        genomes = [next(asking)]
        for _ in range(8):
            genomes.append(asking.send(toy_costs(genomes[-1])))
        return np.concatenate(genomes).tobytes()

    assert ask(10) == ask(10) != ask(100)


def test_start_orders_are_copied_and_do_not_survive_the_first_generation_if_that_is_wanted() -> None:
    copies = Recipes(3, 20, 1, 100, copies=True)
    asking = search("nsga2", copies, 12, 0, forget=True)
    first = next(asking)
    assert first[:, PARENT].tolist() == [-1.0] * 12
    assert first[:, KEY].tolist() == [0.0, 1.0, 2.0] * 4
    # Start orders are better than all that follow, so that they would be parents for ever.
    second = asking.send(np.zeros((12, 3)))
    assert set(second[:, PARENT]) <= set(range(12))  # they have children
    third = asking.send(1 + abs(cost_of_places(second)))
    assert set(third[:, PARENT]) <= set(range(12, 24))
    kept = search("nsga2", copies, 12, 0)
    next(kept)
    assert kept.send(np.zeros((12, 3))).tolist() == second.tolist()
    assert set(kept.send(1 + abs(cost_of_places(second)))[:, PARENT]) <= set(range(12))


def cost_of_places(rows: np.ndarray) -> np.ndarray:
    return np.random.default_rng(len(rows)).normal(size=(len(rows), 3))
