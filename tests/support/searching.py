"""Searches for toy costs, on weights and on recipes."""

from collections.abc import Iterable

import numpy as np
import pytest

from paretosched.encodings.weighting import Weighting
from paretosched.search.algorithms.named_algorithms import OF_ANY_GENOMES, search
from paretosched.search.algorithms.spaces import Reals, Recipes

LOWER, UPPER = Weighting().lower_upper(2)
WEIGHTS = Reals(LOWER, UPPER)
FEW, MANY = Recipes(3, 20, 1, 100, 0.3), Recipes(31, 5, 100, 100)
GENETIC = [name for name in OF_ANY_GENOMES if name != "random"]


def each_of(algorithms: Iterable[str]) -> pytest.MarkDecorator:
    """Return the mark that makes a test of each algorithm; AGE-MOEA is compiled for five seconds in each process."""
    return pytest.mark.parametrize(
        "algorithm", [pytest.param(name, marks=pytest.mark.slow) if name == "agemoea2" else name for name in algorithms]
    )


every_algorithm = each_of(OF_ANY_GENOMES)
every_genetic = each_of(GENETIC)


def start(algorithm: str, space: Reals | Recipes, population: int = 12, seed: int = 0):
    return search(algorithm, space, population, seed, 10 if algorithm == "rvea" else None)


def toy_costs(genomes: np.ndarray) -> np.ndarray:
    """Three costs in conflict; the front has all genes but the first three at 0."""
    rest = (genomes[:, 3:] / UPPER[3:]).sum(axis=1)
    first = genomes[:, :3] / UPPER[:3]
    return np.column_stack([(1 - first[:, i]) + first.sum(axis=1) + rest for i in range(3)])


class Descent:
    """Costs of recipes that children inherit, a bit off: a landscape that can be searched."""

    def __init__(self) -> None:
        self.places: list[np.ndarray] = []

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        for number, parent, mate, key, frequency, _ in rows:
            assert number == len(self.places)
            noise = np.random.default_rng(int(key)).normal(size=4)
            place = noise if parent < 0 else self.places[int(parent)] + 0.01 * frequency * noise
            self.places.append(place if mate < 0 else (place + self.places[int(mate)]) / 2)
        here = np.array(self.places[-len(rows) :])
        return np.column_stack([((here - target) ** 2).sum(axis=1) for target in (-1.0, 0.0, 1.0)])


def generations(
    algorithm: str, seed: int, count: int, population: int = 12, space: Reals | Recipes = WEIGHTS
) -> list[np.ndarray]:
    cost_of = toy_costs if isinstance(space, Reals) else Descent()
    asking = start(algorithm, space, population, seed)
    genomes = [next(asking)]
    while len(genomes) < count:
        genomes.append(asking.send(cost_of(genomes[-1])))
    return genomes
