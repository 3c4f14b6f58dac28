"""The surrogate of an archive search: its Gaussian process, what it chooses, and a search with it."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from paretosched.encodings.weighting import Weighting
from paretosched.search.algorithms import archive_search as archive_search_module
from paretosched.search.algorithms import surrogate as module
from paretosched.search.algorithms.archive_members import Members
from paretosched.search.algorithms.archive_search import BLOCK, Aim, archive_search
from paretosched.search.algorithms.spaces import Reals
from paretosched.search.algorithms.surrogate import Surrogate, most_gaining, prediction, process_of, volumes
from support.searching import UPPER, WEIGHTS, toy_costs

Costs = Callable[[np.ndarray], np.ndarray]


def genes(genomes: np.ndarray) -> np.ndarray:
    """A behaviour that tells all toy costs."""
    return genomes / UPPER


def costs_of(genomes: np.ndarray) -> np.ndarray:
    return np.column_stack([np.full(len(genomes), -90.0), toy_costs(genomes) + 1])


# --- the process --------------------------------------------------------------------------------------------------


def kernel(one: np.ndarray, other: np.ndarray, length: float) -> float:
    r = math.sqrt(3) * math.dist(one, other) / length
    return (1 + r) * math.exp(-r)


def naive(
    inputs: np.ndarray, outputs: np.ndarray, length: float, noise: float, new: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """The likelihood, and mean and deviation at a new input, by the formulas and with explicit inverses."""
    n = len(inputs)
    K = np.array([[kernel(a, b, length) for b in inputs] for a in inputs]) + noise * np.eye(n)
    k = np.array([kernel(new, a, length) for a in inputs])
    inverse = np.linalg.inv(K)
    away = outputs - outputs.mean(axis=0)
    scale = np.array([column @ inverse @ column / n for column in away.T])
    likelihood = sum(-0.5 * n * math.log(s) - 0.5 * math.log(np.linalg.det(K)) for s in scale)
    mean = outputs.mean(axis=0) + k @ inverse @ away
    return likelihood, mean, np.sqrt(scale * (1 - k @ inverse @ k))


@pytest.mark.parametrize(("n", "m", "c"), [(3, 1, 1), (12, 4, 2), (25, 2, 3)])
def test_the_process_is_that_of_the_formulas(n: int, m: int, c: int) -> None:
    generator = np.random.default_rng(n)
    inputs, new = generator.random((n, m)), generator.random((6, m))
    outputs = np.column_stack([np.sin(3 * inputs.sum(axis=1) + j) * 10**j for j in range(c)])
    unit = math.sqrt(np.mean([math.dist(a, b) ** 2 for a in inputs for b in inputs]))
    choices = itertools.product([unit * length for length in module.LENGTHS], module.NOISES)
    length, noise = max(choices, key=lambda choice: naive(inputs, outputs, *choice, new[0])[0])
    process = process_of(inputs, outputs)
    assert process.length == pytest.approx(length)
    means, deviations = prediction(process, new)
    for mean, deviation, row in zip(means, deviations, new, strict=True):
        _, wanted_mean, wanted_deviation = naive(inputs, outputs, length, noise, row)
        np.testing.assert_allclose(mean, wanted_mean, rtol=1e-7)
        np.testing.assert_allclose(deviation, wanted_deviation, rtol=1e-6)


def test_many_results_are_explained_by_some_of_them() -> None:
    inputs = np.random.default_rng(0).random((module.TRIED + 150, 3))
    outputs = np.column_stack([np.sin(4 * inputs.sum(axis=1)), inputs[:, 0]])
    new = np.random.default_rng(1).random((50, 3))
    mean, deviation = prediction(process_of(inputs, outputs), new)
    wanted = np.column_stack([np.sin(4 * new.sum(axis=1)), new[:, 0]])
    assert np.abs(mean - wanted).max() < 0.15
    assert (np.abs(mean - wanted) < 5 * deviation + 1e-3).all()


def test_what_is_constant_or_the_same_divides_nothing_by_zero() -> None:
    same, constant = np.ones((5, 2)), np.full((5, 1), 7.0)
    for inputs, outputs in ((same, constant), (same, np.arange(5.0)[:, None]), (np.eye(5), constant)):
        mean, deviation = prediction(process_of(inputs, outputs), inputs[:2] + 0.1)
        assert np.isfinite(mean).all()
        assert np.isfinite(deviation).all()
        assert np.allclose(mean.mean(), outputs.mean(), atol=2.1)
    mean, deviation = prediction(process_of(np.eye(1), constant[:1]), np.zeros((1, 1)))
    assert (mean.tolist(), deviation.tolist()) == ([[7.0]], [[0.0]])


# --- the choice ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3, 5])
def test_lengths_along_rays_measure_the_dominated_volume(c: int) -> None:
    generator = np.random.default_rng(c)
    places, rays = generator.random((4, c)) * 0.6, generator.dirichlet(np.ones(c), 60_000)
    share = volumes(places, np.ones(c), np.zeros(c), rays).max(axis=0).mean()
    whole = volumes(np.zeros((1, c)), np.ones(c), np.zeros(c), rays).mean()
    somewhere = generator.random((60_000, c))
    wanted = np.mean([(places <= place).all(axis=1).any() for place in somewhere])
    assert share / whole == pytest.approx(wanted, rel=0.05)


@pytest.mark.parametrize("digits", [1, 15])  # with one there are many equals
def test_each_row_is_the_one_that_adds_most_to_those_before_it(digits: int) -> None:
    generator = np.random.default_rng(digits)
    for k, r, count in ((1, 1, 1), (30, 5, 40), (300, 200, 50), (300, 7, 50)):
        could_be, reached = generator.random((k, r)).round(digits), generator.random(r).round(digits) / 2
        wanted: list[int] = []
        now = reached
        while len(wanted) < count:
            gains = np.maximum(could_be - now, 0.0).sum(axis=1)
            if gains.max() == 0:
                break
            wanted.append(int(gains.argmax()))
            now = np.maximum(now, could_be[wanted[-1]])
        assert most_gaining(reached, could_be, count) == wanted


def members_of(points: np.ndarray, places: np.ndarray) -> Members:
    members = Members(points.shape[1:], places.shape[1])
    for point, place in zip(points, places, strict=True):
        members.add(point, place)
    return members


def line_surrogate(edge: float, wider: float | None = None) -> Surrogate:
    """Of points x in [0, 1], with the coordinates 1 + x^2 and 2 - x, of which candidates are drawn."""
    generator = np.random.default_rng(3)
    edges = np.array([[edge, edge]] + ([] if wider is None else [[wider, wider]]))
    return Surrogate(lambda points: points, edges, lambda _: generator.random(1), np.random.default_rng(4))


def line(points: np.ndarray) -> np.ndarray:
    return np.column_stack([1 + points[:, 0] ** 2, 2 - points[:, 0]])


def test_proposals_fill_a_gap_and_are_not_beside_each_other_or_the_pending() -> None:
    known = np.concatenate([np.linspace(0, 0.3, 40), [0.9, 1.0]])[:, None]
    members = members_of(known, line(known))
    first = line_surrogate(2.5).proposals(members, [], 6)
    x = np.sort(np.concatenate(first))
    assert x.size == 6
    assert (x[:5] > 0.3).all()
    assert (x[1:5] < 0.9).all()
    assert np.diff(x).min() > 0.02
    second = np.concatenate(line_surrogate(2.5).proposals(members, first, 6))
    assert second.size
    assert np.abs(second[:, None] - x).min() > 0.005  # the candidates are the same, and 1 / 600 apart


def test_nothing_is_proposed_where_nothing_is_gained() -> None:
    known = np.linspace(0, 1, 300)[:, None]
    members = members_of(known, line(known))
    assert line_surrogate(0.9).proposals(members, [], 5) == []  # nothing comes into this box
    assert len(line_surrogate(0.9, 2.5).proposals(members_of(known[:50], line(known[:50])), [], 5)) == 5
    nowhere = Surrogate(lambda points: points, np.ones((1, 2)), lambda _: known[7], np.random.default_rng(0))
    assert nowhere.proposals(members, [], 5) == []  # every candidate is known


def test_what_is_known_stays_as_it_is() -> None:
    known = np.linspace(0, 0.3, 40)[:, None]
    members = members_of(known, line(known))
    line_surrogate(2.5).proposals(members, [], 6)
    assert len(members) == 40
    assert members.points.tolist() == known.tolist()
    assert members.places.tolist() == line(known).tolist()


# --- the search ---------------------------------------------------------------------------------------------------


def asked_for(
    lag: int,
    chunks: list[int],
    count: int,
    costs: Costs = costs_of,
    aim: Aim | None = None,
    given: int = 0,
    changed: int = -1,
    behaviour: Costs | None = genes,
    space: Reals = WEIGHTS,
) -> np.ndarray:
    """The first genomes of a search that is sent costs in chunks, in turn; one result may be another one."""
    first = np.tile(UPPER, (given, 1)) * np.linspace(0.2, 0.9, given)[:, None]
    asking = archive_search(space._replace(first=first if given else None), lag, 5, aim, behaviour)
    seen, told = next(asking), 0
    drawn = len(seen)
    for size in itertools.cycle(chunks):
        if len(seen) >= count:
            return seen[:count]
        rows = costs(seen[told : told + size])
        if told <= changed < told + len(rows):
            rows[changed - told, 1:] *= 0.3
        told += len(rows)
        seen = np.concatenate([seen, asking.send(rows)])
        assert len(seen) == max(drawn, told + lag)
    raise AssertionError


@pytest.mark.parametrize(("lag", "given"), [(1, 0), (7, 5), (60, 0), (130, 30)])
def test_it_does_not_matter_how_many_results_are_known_at_a_time(lag: int, given: int) -> None:
    one_by_one = asked_for(lag, [1], 300, given=given)
    assert one_by_one.tobytes() == asked_for(lag, [1000], 300, given=given).tobytes()
    assert one_by_one.tobytes() == asked_for(lag, [3, 1, 25, 8], 300, given=given).tobytes()
    plain = asked_for(lag, [1], 300, given=given, behaviour=None)
    assert (one_by_one != plain).any()


@pytest.mark.parametrize(("lag", "result"), [(20, 75), (90, 149)])
def test_a_genome_depends_on_results_up_to_the_lag_before_it_only(lag: int, result: int) -> None:
    plain, other = asked_for(lag, [1], 320), asked_for(lag, [9, 4], 320, changed=result)
    same = (plain == other).all(axis=1)
    assert same[: result + lag].all()
    assert not same[result + lag :].all()


def test_a_block_is_chosen_by_the_results_before_it() -> None:
    """What is planned when BLOCK results are known is asked for with these and the next ones, and ignores the next."""
    plain, other = asked_for(60, [1], 60 + 2 * BLOCK), asked_for(60, [1], 60 + 2 * BLOCK, changed=BLOCK)
    same = (plain == other).all(axis=1)
    ordinary = asked_for(60, [1], 60 + BLOCK, behaviour=None)
    assert (plain[: 60 + BLOCK - 1] == ordinary[:-1]).all()
    assert (plain[60 + BLOCK - 1] != ordinary[-1]).any()
    planned = planned_at_first(60)
    assert planned > 1
    assert same[: 60 + BLOCK - 1 + planned].all()
    assert not same[60 + BLOCK - 1 + planned :].all()


def planned_at_first(lag: int) -> int:
    """Return how many children the surrogate proposes when BLOCK results are known."""
    counts: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        proposals = Surrogate.proposals

        def counting(*arguments: Any) -> list[np.ndarray]:
            chosen = proposals(*arguments)
            counts.append(len(chosen))
            return chosen

        patch.setattr(Surrogate, "proposals", counting)
        asked_for(lag, [1], lag + BLOCK)
    return counts[0]


def dominated_share(genomes: np.ndarray) -> float:
    """Return the share of a box of the toy costs that genomes dominate."""
    places = toy_costs(genomes)
    somewhere = 6.3 + np.random.default_rng(0).random((4000, 3)) * 1.2
    return float(np.mean([(places <= place).all(axis=1).any() for place in somewhere]))


def test_with_it_a_search_finds_more_with_few_simulations() -> None:
    with_it, without = (dominated_share(asked_for(60, [1000], 250, behaviour=b)) for b in (genes, None))
    assert with_it > 2 * without > 0


def goal(costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return costs[:, 1], np.maximum(costs[:, 2] - 8, 0.0)


def test_with_a_goal_half_of_the_children_go_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, edge = np.eye(4)[1:], np.full(3, 8.0)
    aim = Aim(rows, edge, 2 * edge, goal)
    one_by_one = asked_for(30, [1], 460, aim=aim)
    assert one_by_one.tobytes() == asked_for(30, [17, 4], 460, aim=aim).tobytes()
    assert goal(costs_of(one_by_one))[0].min() < goal(costs_of(one_by_one[:60]))[0].min()
    near: list[Any] = []
    near_goal = archive_search_module._near_goal

    def counting(*arguments: Any) -> np.ndarray:
        near.append(1)
        return near_goal(*arguments)

    monkeypatch.setattr(archive_search_module, "_near_goal", counting)
    asked_for(30, [1], 460, aim=aim)
    parents = (1 + archive_search_module.MATE) * 400
    assert 0.35 * parents < len(near) < 0.65 * parents


@pytest.mark.parametrize(
    "costs",
    [
        lambda genomes: np.column_stack([np.full(len(genomes), -90.0), np.full((len(genomes), 2), 5.0)]),
        lambda genomes: np.column_stack([genomes[:, 0] - 95.0, np.full(len(genomes), 5.0), genomes[:, 1] + 1]),
        lambda genomes: np.column_stack([np.full(len(genomes), -90.0), genomes[:, 1] * 1e9 + 1, genomes[:, 2] + 1e-9]),
    ],
)
def test_costs_that_are_constant_or_far_apart_are_searched(costs: Costs) -> None:
    lower, upper = Weighting().lower_upper(2)
    rows = np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])  # with the utilisation, which is negative
    for aim in (None, Aim(rows, np.array([5.0, 1.5, -94.0]))):
        with np.errstate(all="raise", under="ignore"):
            seen = asked_for(20, [9], 260, costs, aim)
        assert ((seen >= lower) & (seen <= upper)).all()
        assert len(np.unique(seen[60:], axis=0)) == len(seen) - 60


def test_behaviour_that_is_always_the_same_leaves_ordinary_children() -> None:
    same = asked_for(20, [9], 260, behaviour=lambda genomes: np.ones((len(genomes), 3)))
    assert len(np.unique(same[60:], axis=0)) == len(same) - 60
