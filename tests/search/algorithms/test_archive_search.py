"""The search of weightings that keeps an archive and looks into the owner's box."""

import numpy as np
import pytest

from paretosched import Workload, greedy, lublin, objectives, simulate
from paretosched.encodings.weighting import Weighting, decode, encode
from paretosched.search.algorithms import archive_search as module
from paretosched.search.algorithms.archive_members import Members
from paretosched.search.algorithms.archive_search import Aim, archive_search
from paretosched.search.algorithms.named_algorithms import search
from paretosched.search.algorithms.spaces import FREQUENCY, KEY, MATE, NUMBER, PARENT, Reals, Recipes
from paretosched.search.algorithms.weighting_points import DRAWN, genomes_of, points_of
from support.searching import LOWER, UPPER, WEIGHTS, toy_costs

GROUPS = ("1", "2")


def with_utilisation(genomes: np.ndarray) -> np.ndarray:
    """Toy costs behind a utilisation that all share."""
    return np.column_stack([np.full(len(genomes), -90.0), toy_costs(genomes) + 1])


def batches_of(seed: int, count: int, population: int = 12, space: Reals = WEIGHTS) -> list[np.ndarray]:
    asking = archive_search(space, population, seed)
    batches = [next(asking)]
    for _ in range(count - 1):
        batches.append(asking.send(with_utilisation(batches[-1])))
    return batches


def random_points(seed: int, count: int, groups: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    points = generator.uniform(-4, 8, size=(count, 3, 2 * groups + 2))
    points[:, :, -1] = generator.integers(4, size=(count, 3))
    return points


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_all_genomes_are_within_their_bounds(groups: int) -> None:
    lower, upper = Weighting().lower_upper(groups)
    genomes = genomes_of(random_points(1, 500, groups))
    assert genomes.shape == (500, lower.size)
    assert ((genomes >= lower) & (genomes <= upper)).all()
    for batch in batches_of(3, 6, space=Reals(*Weighting().lower_upper(2))):
        assert ((batch >= LOWER) & (batch <= UPPER)).all()


def test_a_point_is_what_decides_the_order() -> None:
    """A common factor of K, a and b, or of all w, is another genome of the same point."""
    generator = np.random.default_rng(4)
    genes = 10 ** generator.uniform(-3, -1, size=(50, 3, 6))
    criteria = generator.integers(4, size=(50, 3)) + 0.5
    genomes = np.concatenate([genes.reshape(50, -1), criteria], axis=1)
    other = genes.copy()
    other[:, :, 2:] *= 0.3
    others = np.concatenate([other.reshape(50, -1), criteria], axis=1)
    heavier = genes.copy()
    heavier[:, :, :2] *= 7
    heaviers = np.concatenate([heavier.reshape(50, -1), criteria], axis=1)
    canonical = genomes_of(points_of(genomes))
    np.testing.assert_allclose(genomes_of(points_of(others)), canonical, rtol=1e-9)
    np.testing.assert_allclose(genomes_of(points_of(heaviers)), canonical, rtol=1e-9)


def test_a_genome_and_its_point_order_jobs_alike() -> None:
    w = lublin(jobs=150, processors=32, seed=6)
    for genome in genomes_of(random_points(8, 12, 5) / 4):
        again = genomes_of(points_of(genome[None]))[0]
        starts = [simulate(w, decode(one, w.groups, "easy")).start.tolist() for one in (genome, again)]
        assert starts[0] == starts[1]


@pytest.mark.parametrize(
    ("backfill", "rule"), [("none", "fcfs"), ("easy", "easy"), ("conservative", "conservative-replan")]
)
def test_the_first_genome_is_first_come_first_served(backfill: str, rule: str) -> None:
    w = lublin(jobs=300, processors=32, seed=2)
    genome = next(archive_search(Reals(*Weighting().lower_upper(len(w.groups))), 10, 1))[0]
    starts = simulate(w, decode(genome, w.groups, backfill)).start.tolist()
    assert starts == simulate(w, rule).start.tolist()


@pytest.mark.parametrize("width", [1, 5, 9, 40])
def test_a_ray_is_the_one_that_numpy_draws(width: int) -> None:
    ours, of_numpy = np.random.default_rng(width), np.random.default_rng(width)
    for _ in range(300):
        assert (module._ray(width, ours) == of_numpy.dirichlet(np.full(width, module.RAYS))).all()
    assert ours.random() == of_numpy.random()


def test_parents_come_from_all_over_the_box_and_from_nowhere_else() -> None:
    """Members on the surface of a quarter of a circle, and two that wait far longer for one of two groups."""
    angles = np.linspace(0, np.pi / 2, 21)
    places = np.concatenate([1 - np.column_stack([np.sin(angles), np.cos(angles)]), [[0.01, 30], [40, 0.02]]])
    members = Members((1,), 2)
    for number, place in enumerate(places):
        members.add(np.array([number]), place)
    generator = np.random.default_rng(1)
    rows = [int(members.along(generator.dirichlet([module.RAYS] * 2), np.ones(2))[0]) for _ in range(3000)]
    counts = np.bincount(rows, minlength=len(places))
    assert (counts[3:18] > 20).all()
    assert (counts[-2:] == 0).all()


def asked_for(lag: int, chunks: list[int], count: int, changed: int = -1, given: int = 0) -> np.ndarray:
    """The first genomes of a search that is sent costs in chunks, in turn; one result may be another one."""
    genomes = np.tile(UPPER, (given, 1)) * np.linspace(0.2, 0.9, given)[:, None]
    asking = archive_search(WEIGHTS._replace(first=genomes if given else None), lag, 5)
    batches, asked, told, turn = [next(asking)], 0, 0, 0
    while True:
        seen = np.concatenate(batches)
        asked = len(seen)
        assert asked == max(len(batches[0]), told + lag) or told == 0
        if asked >= count:
            return seen[:count]
        size = min(chunks[turn % len(chunks)], asked - told)
        rows = with_utilisation(seen[told : told + size])
        if told <= changed < told + size:
            rows[changed - told, 1:] *= 0.3
        told, turn = told + size, turn + 1
        batches.append(asking.send(rows))


@pytest.mark.parametrize(("lag", "given"), [(1, 0), (7, 5), (60, 0), (61, 0), (130, 30), (400, 0)])
def test_it_does_not_matter_how_many_results_are_known_at_a_time(lag: int, given: int) -> None:
    one_by_one = asked_for(lag, [1], 450, given=given)
    assert one_by_one.tobytes() == asked_for(lag, [1000], 450, given=given).tobytes()
    assert one_by_one.tobytes() == asked_for(lag, [3, 1, 25, 8], 450, given=given).tobytes()


@pytest.mark.parametrize(("lag", "result"), [(1, 80), (20, 75), (90, 0), (90, 149)])
def test_a_genome_depends_on_results_up_to_the_lag_before_it_only(lag: int, result: int) -> None:
    plain, other = asked_for(lag, [1], 420), asked_for(lag, [9, 4], 420, changed=result)
    same = (plain == other).all(axis=1)
    assert same[: result + lag].all()
    assert not same[result + lag :].all()


@pytest.mark.parametrize("lag", [60, 200, 1000])
def test_what_comes_before_the_first_result_is_drawn(lag: int) -> None:
    first = next(archive_search(WEIGHTS, lag, 2))
    assert len(first) == max(lag, 1 + DRAWN)
    assert len(np.unique(first, axis=0)) == len(first)


def test_the_same_seed_asks_for_the_same_genomes_and_another_for_others() -> None:
    first, again, other = batches_of(5, 6), batches_of(5, 6), batches_of(6, 6)
    assert [b.tobytes() for b in first] == [b.tobytes() for b in again]
    assert all((a[-1] != b[-1]).any() for a, b in zip(first, other, strict=True))
    assert [len(batch) for batch in first] == [1 + DRAWN] + 5 * [12]


def test_no_genome_is_asked_for_twice() -> None:
    genomes = np.concatenate(batches_of(2, 40))
    assert len(np.unique(genomes, axis=0)) == len(genomes)


def test_schedules_to_begin_with_are_asked_for_as_they_are_after_the_first() -> None:
    given = np.array([encode(greedy(["f1", "f3", "f4"], [[0.3, 0.1, 2, 0, 0.4, 0]] * 3, groups=GROUPS)), UPPER])
    first = next(archive_search(Reals(LOWER, UPPER, given), 10, 1))
    without = next(archive_search(WEIGHTS, 10, 1))
    assert first[1:3].tolist() == given.tolist()
    assert first[[0, *range(3, len(first))]].tolist() == without.tolist()


def recipes_asked_for(space: Recipes, lag: int, chunks: list[int], count: int) -> np.ndarray:
    """The first recipes of a search that is sent costs in chunks, in turn; the costs depend on the keys alone."""
    asking = archive_search(space, lag, 5, Aim(np.eye(3)[1:], np.full(2, 2.0)))
    seen, told, turn = next(asking), 0, 0
    while len(seen) < count:
        size = min(chunks[turn % len(chunks)], len(seen) - told)
        part = seen[told : told + size]
        costs = np.column_stack([np.full(size, -90.0), 0.5 + np.modf(part[:, [KEY]] * [0.37, 0.71])[0]])
        told, turn = told + size, turn + 1
        seen = np.concatenate([seen, asking.send(costs)])
    return seen[:count]


@pytest.mark.parametrize("recombination", [0.0, 0.3])
@pytest.mark.parametrize("lag", [1, 7, 40])
def test_recipes_of_sequences_have_parents_that_are_known(lag: int, recombination: float) -> None:
    space = Recipes(starts=5, frequency=8, jump=3, most=100, recombination=recombination)
    rows = recipes_asked_for(space, lag, [1], 300)
    assert rows.tobytes() == recipes_asked_for(space, lag, [1000], 300).tobytes()
    assert rows.tobytes() == recipes_asked_for(space, lag, [3, 1, 25, 8], 300).tobytes()
    first = max(5, lag)
    assert rows[:, NUMBER].tolist() == [*range(300)]
    assert rows[:5, [PARENT, KEY]].tolist() == [[-1, k] for k in range(5)]
    assert rows[5:first, PARENT].tolist() == [k % 5 for k in range(first - 5)]
    for column in (PARENT, MATE):
        assert (rows[first:, column] <= rows[first:, NUMBER] - lag).all()
    assert (rows[first:, PARENT] >= 0).all()
    assert (rows[first:, MATE] >= 0).any() == (recombination > 0)
    steps = rows[first:, FREQUENCY] / rows[rows[first:, PARENT].astype(int), FREQUENCY]
    assert (np.isclose(steps, 1.3) | np.isclose(steps, 1 / 1.3) | (rows[first:, FREQUENCY] == 1)).all()
    assert len(np.unique(rows[first:, KEY])) == 300 - first


def test_parents_of_sequences_are_near_the_best_of_the_box() -> None:
    rows = recipes_asked_for(Recipes(starts=5, frequency=8, jump=3, most=100), 10, [1], 400)
    costs = np.modf(rows[:, [KEY]] * [0.37, 0.71])[0]
    parents = rows[rows[:, NUMBER] >= 200, PARENT].astype(int)
    assert costs[parents].sum(axis=1).mean() < 0.6 * costs[:200].sum(axis=1).mean()


@pytest.mark.slow
def test_it_finds_more_of_the_owners_box_than_chance_and_nsga2() -> None:
    """The share of the box that is dominated, by 400 simulations, in each of two workloads."""
    for seed in (3, 4):
        w = lublin(jobs=300, processors=32, seed=seed)
        found = {name: costs_of(w, name, seed) for name in ("archive", "nsga2", "random")}
        best = np.min([costs.min(axis=0) for costs in found.values()], axis=0)
        edge = 1.5 * objectives(simulate(w, "easy"))[2:]
        shares = {name: dominated_share((costs - best) / (edge - best)) for name, costs in found.items()}
        assert shares["archive"] > shares["nsga2"]
        assert shares["archive"] > shares["random"]


def costs_of(w: Workload, algorithm: str, seed: int) -> np.ndarray:
    """Return the response times of the groups, of the first 400 genomes that an algorithm asks for."""
    asking = search(algorithm, Reals(*Weighting().lower_upper(len(w.groups))), 50, seed)
    genomes, table = next(asking), np.empty((0, 1 + len(w.groups)))
    while True:
        values = [objectives(simulate(w, decode(genome, w.groups, "easy"))) for genome in genomes]
        costs = np.array([[-v[0], *v[2:]] for v in values])
        table = np.concatenate([table, costs])
        if len(table) >= 400:
            return table[:400, 1:]
        genomes = asking.send(costs)


def dominated_share(places: np.ndarray) -> float:
    """Return the share of the unit box that points dominate, by 20,000 random places in it."""
    somewhere = np.random.default_rng(0).random((20_000, places.shape[1]))
    inside = places[(places < 1).all(axis=1)]
    return float(np.mean([(inside <= place).all(axis=1).any() for place in somewhere]))
