"""The algorithms: seeded, repeatable, in bounds, and searching."""

import numpy as np
import pytest

from paretosched.core.errors import InputError
from paretosched.search.algorithms.named_algorithms import search
from paretosched.search.algorithms.spaces import PARENT, Reals, Recipes
from support.searching import (
    FEW,
    LOWER,
    MANY,
    UPPER,
    WEIGHTS,
    Descent,
    every_algorithm,
    every_genetic,
    generations,
    start,
    toy_costs,
)

SPACES = {"box": WEIGHTS, "few starts": FEW, "many starts": MANY}
every_space = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)


# All algorithms


@pytest.mark.slow
@every_space
@every_algorithm
def test_the_same_seed_asks_for_the_same_genomes_bit_for_bit(algorithm: str, space: Reals | Recipes) -> None:
    np.random.seed(1)  # noqa: NPY002  # what others do to the global generator must not matter
    before = np.random.get_state()[1].tobytes()  # noqa: NPY002
    one = generations(algorithm, 5, 8, space=space)
    assert np.random.get_state()[1].tobytes() == before  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    two = generations(algorithm, 5, 8, space=space)
    other = generations(algorithm, 6, 8, space=space)
    assert [g.tobytes() for g in one] == [g.tobytes() for g in two]
    assert all((a[-1] != b[-1]).any() for a, b in zip(one[1:], other[1:], strict=True))


@pytest.mark.slow
@every_space
@every_algorithm
def test_a_search_is_repeated_from_its_stored_costs_and_goes_on_the_same(
    algorithm: str, space: Reals | Recipes
) -> None:
    """How a killed run is continued; 14 generations are beyond the horizon of 10, too."""
    cost_of = toy_costs if isinstance(space, Reals) else Descent()
    asking = start(algorithm, space)
    batches, all_costs = [next(asking)], []
    for _ in range(13):
        all_costs.append(cost_of(batches[-1]))
        batches.append(asking.send(all_costs[-1].copy()))
        batches[-1].flags.writeable = False
    again = start(algorithm, space)
    other = start(algorithm, WEIGHTS, seed=1)  # another search at the same time must not matter
    batches_again = [next(again)]
    costs = toy_costs(next(other))
    for of_one_generation in all_costs:
        batches_again.append(again.send(of_one_generation))
        costs = toy_costs(other.send(costs))
    assert [g.tobytes() for g in batches_again] == [g.tobytes() for g in batches]


@every_algorithm
def test_what_is_done_to_the_genomes_does_not_matter(algorithm: str) -> None:
    batches = generations(algorithm, 1, 4, space=FEW)
    cost_of, asking = Descent(), start(algorithm, FEW, seed=1)
    genomes = next(asking)
    for expected in batches[1:]:
        costs = cost_of(genomes)
        genomes[:] = 0
        genomes = asking.send(costs)
        assert genomes.tobytes() == expected.tobytes()


@every_algorithm
def test_genomes_stay_in_the_box_and_are_new(algorithm: str) -> None:
    genomes = np.concatenate(generations(algorithm, 1, 20))
    assert genomes.shape == (240, LOWER.size)
    assert genomes.dtype == np.float64
    assert ((genomes >= LOWER) & (genomes <= UPPER)).all()
    assert len(np.unique(genomes, axis=0)) == len(genomes)


def simple_costs(genomes: np.ndarray) -> np.ndarray:
    """Two costs, the front of which has all genes but the first at 0 (ZDT1)."""
    distance = 1 + 9 * genomes[:, 1:].mean(axis=1)
    return np.column_stack([genomes[:, 0], distance * (1 - np.sqrt(genomes[:, 0] / distance))])


@every_genetic
def test_learning_gets_nearer_to_the_front_than_random_search(algorithm: str) -> None:
    def distance(algorithm: str) -> float:
        asking = search(algorithm, Reals(np.zeros(8), np.ones(8)), 24, 3, 40 if algorithm == "rvea" else None)
        genomes = next(asking)
        for _ in range(39):
            genomes = asking.send(simple_costs(genomes))
        return float(np.median(genomes[:, 1:].mean(axis=1)))

    assert distance("random") > 0.4
    assert distance(algorithm) < 0.1


@every_genetic
def test_learning_on_recipes_finds_better_ones_than_random_search(algorithm: str) -> None:
    def best(algorithm: str) -> float:
        space = Recipes(3, 20, 1, 20)
        cost_of, asking = Descent(), start(algorithm, space, seed=3)
        costs = [cost_of(next(asking))]
        for _ in range(40):
            costs.append(cost_of(asking.send(costs[-1])))
        return float(np.concatenate(costs).min(axis=0).sum())

    assert best(algorithm) < 0.5 * best("random")


@every_space
@every_genetic
def test_units_of_costs_do_not_matter(algorithm: str, space: Reals | Recipes) -> None:
    """Powers of two, so that not a bit changes."""
    units = np.array([2.0**-20, 1.0, 2.0**30])
    asking = start(algorithm, space)
    cost_of = toy_costs if isinstance(space, Reals) else Descent()
    genomes = next(asking)
    for expected in generations(algorithm, 0, 15, space=space)[1:]:
        genomes = asking.send(cost_of(genomes) * units)
        assert genomes.tobytes() == expected.tobytes()


# The box


def test_nsga2_improves_and_random_does_not() -> None:
    def progress(algorithm: str) -> float:
        batches = generations(algorithm, 2, 60)
        return float(toy_costs(batches[-1]).mean() / toy_costs(batches[0]).mean())

    assert progress("nsga2") < 0.5
    assert progress("random") > 0.8


@every_algorithm
def test_the_first_population_is_uniform(algorithm: str) -> None:
    population = 1000 if algorithm == "agemoea2" else 2000
    genomes = next(start(algorithm, WEIGHTS, population)) / UPPER
    assert np.abs(genomes.mean(axis=0) - 0.5).max() < 0.04
    assert np.abs(genomes.std(axis=0) - 12**-0.5).max() < 0.02


# Who becomes a parent


def parents_of_the_third(algorithm: str, first_is_better: bool) -> set[float]:
    asking = start(algorithm, Recipes(12, 20, 10, 100), 12)
    line = np.linspace(0, 1, 12)
    good = np.column_stack([line, 1 - line])
    next(asking)
    asking.send(good + (0 if first_is_better else 5))
    third = asking.send(good + (5 if first_is_better else 0))
    return set(third[:, PARENT])


@every_genetic
def test_only_nsga_forgets_good_parents(algorithm: str) -> None:
    assert parents_of_the_third(algorithm, first_is_better=False) <= set(range(12, 24))
    expected = range(12, 24) if algorithm == "nsga" else range(12)
    assert parents_of_the_third(algorithm, first_is_better=True) <= set(expected)


def test_nsga_reproduces_in_proportion_to_shared_fitness() -> None:
    costs = np.array([[0, 1], [0, 1], [0, 1], [1, 0]])  # three share a niche, one is alone
    asking = search("nsga", Recipes(4, 20, 10, 100), 4, 0)
    next(asking)
    counts = np.zeros(4)
    for seed in range(60):
        asking = search("nsga", Recipes(4, 20, 10, 100), 4, seed)
        next(asking)
        counts += np.bincount(asking.send(costs)[:, PARENT].astype(int), minlength=4)
    assert counts[3] == 120  # half of all, each time
    assert counts[:3].min() > 20


# Parameters


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "pcd"}, 'algorithm must be one of nsga, nsga2, unsga3, .*, rvea, random, archive, but is "pcd"'),
        ({"population": 3}, "population must be in 4..10000 for nsga2, but is 3"),
        ({"algorithm": "agemoea2", "population": 1001}, "population must be in 4..1000 for agemoea2, but is 1001"),
        ({"seed": -1}, "seed must be at least 0, but is -1"),
        ({"algorithm": "rvea"}, "generations must be given for rvea, .* at least 1, but are None"),
        ({"algorithm": "rvea", "generations": 0}, "generations must be given for rvea, .* at least 1, but are 0"),
        ({"generations": 5}, "generations are the horizon of rvea, nsga2 has none, but they are 5"),
        ({"space": FEW._replace(starts=0)}, "start orders must be 1..10000, but are 0"),
        ({"space": FEW._replace(frequency=0.5)}, r"frequency must be in \[1, 100\], but is 0.5"),
        ({"space": FEW._replace(jump=101)}, r"jump must be in \[1, 100\], but is 101"),
        ({"space": FEW._replace(jump=float("nan"))}, r"jump must be in \[1, 100\], but is nan"),
        ({"space": FEW._replace(recombination=1.1)}, "recombination must be a probability, but is 1.1"),
    ],
)
def test_parameters_out_of_range_are_named(change: dict[str, object], message: str) -> None:
    arguments = {"algorithm": "nsga2", "space": WEIGHTS, "population": 4, "seed": 0} | change
    with pytest.raises(InputError, match=message):
        search(**arguments)  # type: ignore[arg-type]
