"""The algorithms: seeded, in bounds, and searching."""

from __future__ import annotations

import numpy as np
import pytest

from paretosched.encodings.weighting import lower_upper
from paretosched.errors import InputError
from paretosched.evolve import ALGORITHMS, search

LOWER, UPPER = lower_upper(2)


def toy_costs(genomes: np.ndarray) -> np.ndarray:
    """Three costs in conflict; the front has all genes but the first three at 0."""
    rest = (genomes[:, 3:] / UPPER[3:]).sum(axis=1)
    first = genomes[:, :3] / UPPER[:3]
    return np.column_stack([(1 - first[:, i]) + first.sum(axis=1) + rest for i in range(3)])


def generations(algorithm: str, seed: int, count: int, population: int = 12) -> list[np.ndarray]:
    asking = search(algorithm, LOWER, UPPER, population, seed)
    asked = [next(asking)]
    while len(asked) < count:
        asked.append(asking.send(toy_costs(asked[-1])))
    return asked


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_same_seed_asks_for_the_same_genomes_bit_for_bit(algorithm: str) -> None:
    np.random.seed(1)  # noqa: NPY002  # what others do to the global generator must not matter
    one = generations(algorithm, 5, 8)
    np.random.seed(2)  # noqa: NPY002
    two = generations(algorithm, 5, 8)
    other = generations(algorithm, 6, 8)
    assert [g.tobytes() for g in one] == [g.tobytes() for g in two]
    assert all((a != b).any() for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_genomes_stay_in_the_box_and_are_new(algorithm: str) -> None:
    asked = np.concatenate(generations(algorithm, 1, 20))
    assert ((asked >= LOWER) & (asked <= UPPER)).all()
    assert len(np.unique(asked, axis=0)) == len(asked) == 240


def test_nsga2_improves_and_random_does_not() -> None:
    def progress(algorithm: str) -> float:
        asked = generations(algorithm, 2, 60)
        return float(toy_costs(asked[-1]).mean() / toy_costs(asked[0]).mean())

    assert progress("nsga2") < 0.5
    assert progress("random") > 0.8


def test_the_first_population_is_uniform() -> None:
    genomes = next(search("nsga2", LOWER, UPPER, 2000, 0)) / UPPER
    assert np.abs(genomes.mean(axis=0) - 0.5).max() < 0.04
    assert np.abs(genomes.std(axis=0) - 12**-0.5).max() < 0.02


def test_a_child_without_crossover_and_mutation_is_not_evaluated_again() -> None:
    """pymoo's operators may hand parents through; those must not come back as new genomes (TOOLING C, trap 1)."""
    seen: set[bytes] = set()
    population: list[bytes] = []
    for genomes in generations("nsga2", 3, 30):
        rows = [row.tobytes() for row in genomes]
        assert not set(rows) & set(population)
        population = rows
        seen.update(rows)
    assert len(seen) == 360


def test_the_search_ends_when_nothing_new_can_be_made() -> None:
    point = np.full(3, 0.5)
    asking = search("nsga2", point, point, 4, 0)
    genomes = next(asking)
    assert genomes.tolist() == [[0.5, 0.5, 0.5]]
    with pytest.raises(StopIteration):
        asking.send(np.zeros((1, 2)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "pcd"}, 'algorithm must be one of nsga2, random, but is "pcd"'),
        ({"population": 3}, "population must be in 4..10000, but is 3"),
        ({"seed": -1}, "seed must be at least 0, but is -1"),
    ],
)
def test_parameters_out_of_range_are_named(change: dict[str, object], message: str) -> None:
    given = {"algorithm": "nsga2", "lower": LOWER, "upper": UPPER, "population": 4, "seed": 0} | change
    with pytest.raises(InputError, match=message):
        search(**given)  # type: ignore[arg-type]
