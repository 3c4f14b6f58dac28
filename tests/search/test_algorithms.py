"""The algorithms: seeded, repeatable, in bounds, and searching."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.encodings.weighting import Weighting
from paretosched.search.algorithms.named_algorithms import ALGORITHMS, search
from paretosched.search.algorithms.niches import proportional, shared_fitness
from paretosched.search.algorithms.pymoo_algorithms import directions
from paretosched.search.algorithms.spaces import FREQUENCY, JUMP, KEY, MATE, NUMBER, PARENT, Reals, Recipes

LOWER, UPPER = Weighting().lower_upper(2)
WEIGHTS = Reals(LOWER, UPPER)
FEW, MANY = Recipes(3, 20, 1, 100, 0.3), Recipes(31, 5, 100, 100)
SPACES = {"box": WEIGHTS, "few starts": FEW, "many starts": MANY}
GENETIC = [name for name in ALGORITHMS if name != "random"]

every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
every_genetic = pytest.mark.parametrize("algorithm", GENETIC)
every_space = pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)


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
    asked = [next(asking)]
    while len(asked) < count:
        asked.append(asking.send(cost_of(asked[-1])))
    return asked


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


@every_space
@every_algorithm
def test_a_search_is_repeated_from_its_stored_costs_and_goes_on_the_same(
    algorithm: str, space: Reals | Recipes
) -> None:
    """How a killed run is continued; 14 generations are beyond the horizon of 10, too."""
    cost_of = toy_costs if isinstance(space, Reals) else Descent()
    asking = start(algorithm, space)
    asked, told = [next(asking)], []
    for _ in range(13):
        told.append(cost_of(asked[-1]))
        asked.append(asking.send(told[-1].copy()))
        asked[-1].flags.writeable = False
    again = start(algorithm, space)
    other = start(algorithm, WEIGHTS, seed=1)  # another search at the same time must not matter
    repeated = [next(again)]
    costs = toy_costs(next(other))
    for stored in told:
        repeated.append(again.send(stored))
        costs = toy_costs(other.send(costs))
    assert [g.tobytes() for g in repeated] == [g.tobytes() for g in asked]


@every_algorithm
def test_what_is_done_to_the_genomes_does_not_matter(algorithm: str) -> None:
    untouched = generations(algorithm, 1, 4, space=FEW)
    cost_of, asking = Descent(), start(algorithm, FEW, seed=1)
    genomes = next(asking)
    for expected in untouched[1:]:
        costs = cost_of(genomes)
        genomes[:] = 0
        genomes = asking.send(costs)
        assert genomes.tobytes() == expected.tobytes()


@every_algorithm
def test_genomes_stay_in_the_box_and_are_new(algorithm: str) -> None:
    asked = np.concatenate(generations(algorithm, 1, 20))
    assert asked.shape == (240, LOWER.size)
    assert asked.dtype == np.float64
    assert ((asked >= LOWER) & (asked <= UPPER)).all()
    assert len(np.unique(asked, axis=0)) == len(asked)


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


AWKWARD = {
    "all equal": lambda c: np.ones_like(c),
    "a constant cost": lambda c: np.column_stack([np.full(len(c), -66.0), c[:, 1:]]),
    "few values": lambda c: np.round(c),
    "one direction": lambda c: np.outer(c[:, 0], np.ones(c.shape[1])),
    "units apart": lambda c: c * 1e3 ** np.arange(c.shape[1]),
}


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 7, 8])
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


# The box


def test_nsga2_improves_and_random_does_not() -> None:
    def progress(algorithm: str) -> float:
        asked = generations(algorithm, 2, 60)
        return float(toy_costs(asked[-1]).mean() / toy_costs(asked[0]).mean())

    assert progress("nsga2") < 0.5
    assert progress("random") > 0.8


@every_algorithm
def test_the_first_population_is_uniform(algorithm: str) -> None:
    population = 1000 if algorithm == "agemoea2" else 2000
    genomes = next(start(algorithm, WEIGHTS, population)) / UPPER
    assert np.abs(genomes.mean(axis=0) - 0.5).max() < 0.04
    assert np.abs(genomes.std(axis=0) - 12**-0.5).max() < 0.02


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


# Recipes


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
        asked = generations(algorithm, 3, 12, space=space)
        rows = np.concatenate(asked)
        assert rows[:, NUMBER].tolist() == list(range(len(rows)))
        begin = len(asked[0])
        for generation in asked[1:]:
            for column in (PARENT, MATE):
                assert (generation[:, column] < begin).all()
            assert (generation[:, PARENT] >= 0).all()
            begin += len(generation)
        keys = rows[len(asked[0]) :, KEY]
        assert ((keys >= 0) & (keys < 2**53) & (keys == np.floor(keys))).all()
        assert len(set(keys)) == len(keys)


@pytest.mark.slow
@every_algorithm
def test_a_child_has_a_mate_with_the_probability_of_recombination(algorithm: str) -> None:
    for probability in (0.0, 0.3, 1.0):
        space = Recipes(1, 20, 10, 100, probability)
        rows = np.concatenate(generations(algorithm, 0, 41, population=40, space=space)[1:])
        assert abs((rows[:, MATE] >= 0).mean() - probability) < 0.04 * (0 < probability < 1) + 1e-9


@every_algorithm
def test_strategies_are_the_parents_times_or_divided_by_a_factor(algorithm: str) -> None:
    space = Recipes(2, 20, 1.2, 25)
    asked = generations(algorithm, 0, 12, space=space)
    rows = np.concatenate(asked)
    steps = set()
    for row in rows[len(asked[0]) :]:
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


def test_crowding_of_nsga2_by_hand() -> None:
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem
    from pymoo.operators.survival.rank_and_crowding import RankAndCrowding

    def survive(costs: list[list[float]], count: int) -> tuple[list[int], list[float], list[int]]:
        everyone = Population.new("F", np.array(costs, dtype=float), "X", np.arange(len(costs))[:, None])
        chosen = RankAndCrowding().do(
            Problem(n_var=1), everyone, n_survive=count, random_state=np.random.default_rng(0)
        )
        return everyone.get("rank").tolist(), everyone.get("crowding").tolist(), sorted(chosen.get("X")[:, 0].tolist())

    # one front; ranges 10 and 10; pymoo's mean over the costs where Deb et al. have the sum
    front = [[0, 10], [2, 6], [6, 3], [10, 0]]
    inner = [((6 - 0) / 10 + (10 - 3) / 10) / 2, ((10 - 2) / 10 + (6 - 0) / 10) / 2]
    rank, crowding, chosen = survive(front, 3)
    assert rank == [0, 0, 0, 0]
    assert crowding == pytest.approx([np.inf, *inner, np.inf])
    assert chosen == [0, 2, 3]  # the most crowded, (2, 6), goes
    # a second front is measured by itself; of two, both are extremes
    rank, crowding, chosen = survive([*front, [3, 11], [11, 3]], 5)
    assert rank == [0, 0, 0, 0, 1, 1]
    assert crowding[4:] == [np.inf, np.inf]
    assert chosen[:4] == [0, 1, 2, 3]
    # a cost without a range adds nothing to the crowding and makes no extremes
    _, crowding, _ = survive([[*row, 7] for row in front], 4)
    assert crowding == pytest.approx([np.inf, inner[0] * 2 / 3, inner[1] * 2 / 3, np.inf])


# NSGA's fitness

SIGMA_OF_TWO = 0.5 / 10**0.5


def test_sharing_by_hand() -> None:
    # two fronts of two costs with ranges 10 and 100: three candidates, then one
    costs = [[0, 100], [1, 98], [10, 0], [10, 100]]
    squared = (1 / 10) ** 2 + (2 / 100) ** 2
    niche = 1 + 1 - squared / SIGMA_OF_TWO**2
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
    drawn = np.bincount(proportional(fitness, count, np.random.default_rng(seed)), minlength=len(weights))
    expected = count * fitness / fitness.sum()
    assert (np.abs(drawn - expected) < 1 + 1e-9).all()
    assert not drawn[fitness == 0].any()


# Reference directions


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
    def asked(horizon: int) -> bytes:
        asking = search("rvea", WEIGHTS, 12, 0, horizon)
        genomes = [next(asking)]
        for _ in range(8):
            genomes.append(asking.send(toy_costs(genomes[-1])))
        return np.concatenate(genomes).tobytes()

    assert asked(10) == asked(10) != asked(100)


# Parameters


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "pcd"}, 'algorithm must be one of nsga, nsga2, unsga3, .*, rvea, random, but is "pcd"'),
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
    given = {"algorithm": "nsga2", "space": WEIGHTS, "population": 4, "seed": 0} | change
    with pytest.raises(InputError, match=message):
        search(**given)  # type: ignore[arg-type]
