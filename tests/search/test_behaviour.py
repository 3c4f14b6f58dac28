"""What a policy does, as the surrogate compares it: the order of a sample of waiting jobs."""

import numpy as np
import pytest

from paretosched.encodings.trained_order import (
    BY_SITUATION,
    ENTITLED,
    HEAD,
    LONGEST,
    OWN_BACKFILLING,
    POLICY,
    RESERVATIONS,
    keys_of,
)
from paretosched.encodings.weighting import Weighting, decode
from paretosched.search.algorithms.formula_moves import FormulaMoves
from paretosched.search.algorithms.weighting_points import genomes_of, points_of
from paretosched.search.behaviour import JOBS, Probes, of_trained_orders, of_weightings, places_in, probes_of
from paretosched.workload.workload import Workload
from support import naive
from support.exploring import random_workload

W = random_workload(jobs=200, groups=3, capacity=12)  # on two days of a week


def random_genomes(count: int, groups: int, seed: int = 0) -> np.ndarray:
    lower, upper = Weighting().lower_upper(groups)
    return lower + (upper - lower) * np.random.default_rng(seed).random((count, upper.size)) ** 4


def test_places_are_those_in_the_order_of_the_policy() -> None:
    """By the keys of the oracle of the simulators, job by job."""
    assert sum(sample.group.size > 5 for sample in probes_of(W, np.random.default_rng(1))) > 1
    genomes, probes = random_genomes(40, 3), probes_of(W, np.random.default_rng(1))
    places = of_weightings(W, 0)(genomes)
    assert places.shape == (40, JOBS)
    for s, sample in enumerate(probes):
        count = sample.group.size
        for genome in genomes:
            policy = decode(genome, W.groups, "easy")
            row = policy.genes[s].tolist()
            keys = [
                naive.key(policy.criteria[s], row[g], row[3 + g], row[6], row[7], int(t), int(p), int(m))
                for g, t, p, m in zip(*(column.tolist() for column in sample), strict=True)
            ]
            order = sorted(range(count), key=lambda j: -keys[j])  # stable: equal keys stay as they are
            criterion = ("f1", "f2", "f3", "f4").index(policy.criteria[s])
            found = places_in(sample, policy.genes[s][None], np.array([criterion]))[0]
            assert (found * count).round().astype(int)[order].tolist() == list(range(count))


def test_equal_keys_are_in_the_order_of_arrival() -> None:
    w = Workload([0, 0, 50, 90], [100] * 4, [100] * 4, [2, 1, 2, 2], 2, group=[0, 0, 0, 0], groups=("1",))
    for sample in probes_of(w, np.random.default_rng(0)):
        assert (np.diff(sample.wait) <= 0).all()
    probes = Probes(np.zeros(3, int), np.array([9.0, 9, 3]), np.array([5.0, 8, 2]), np.array([1.0, 2, 1]))
    nothing = np.array([[1.0, 0.5, 0, 0]])  # every key is 0.5
    assert places_in(probes, nothing, np.array([1])).tolist() == [[0, 1 / 3, 2 / 3]]


def test_jobs_are_drawn_where_they_wait_as_many_of_each_group() -> None:
    probes = probes_of(W, np.random.default_rng(2))
    assert np.bincount(np.concatenate([sample.group for sample in probes])).tolist() == [60, 60, 60]
    rare = W.with_(group=np.where(np.arange(len(W)) == 7, 1, 0))  # two groups with jobs; one of them has a single job
    probes = probes_of(rare, np.random.default_rng(2))
    assert np.bincount(np.concatenate([sample.group for sample in probes])).tolist() == [90, 90]
    for sample in probes:
        lone = sample.group == 1
        assert set(sample.width[lone]) <= {float(W.width[7])}


def test_a_situation_without_jobs_takes_no_part() -> None:
    by_day = Workload([36_000, 36_100, 36_200], [60] * 3, [90] * 3, [2] * 3, 2, group=[0, 1, 0], groups=("1", "2"))
    probes = probes_of(by_day, np.random.default_rng(0))
    empty = [s for s, sample in enumerate(probes) if not sample.group.size]
    assert len(empty) == 2
    genomes = random_genomes(2, 2)
    changed = genomes.copy()
    for s in empty:
        changed[:, 6 * s : 6 * s + 6] = 1.0
        changed[:, 18 + s] = 1.5
    behaviour = of_weightings(by_day, 0)
    assert behaviour(genomes).tobytes() == behaviour(changed).tobytes()
    assert behaviour(genomes).shape == (2, JOBS)


def test_the_same_order_is_the_same_behaviour() -> None:
    """A common factor of K, a and b is another genome; and a genome and its point do the same."""
    genomes = genomes_of(points_of(random_genomes(30, 3)))
    other = genomes.copy()
    other[:, :-3].reshape(30, 3, 8)[:, :, 3:] *= 0.5
    behaviour = of_weightings(W, 0)
    assert behaviour(genomes).tobytes() == behaviour(other).tobytes()
    assert len(np.unique(behaviour(genomes), axis=0)) > 20


def test_the_sample_depends_on_the_seed() -> None:
    genomes = random_genomes(5, 3)
    assert of_weightings(W, 4)(genomes).tobytes() == of_weightings(W, 4)(genomes).tobytes()
    assert of_weightings(W, 4)(genomes).tobytes() != of_weightings(W, 5)(genomes).tobytes()


@pytest.mark.parametrize("groups", [1, 2, 5])
def test_few_jobs_are_enough(groups: int) -> None:
    w = Workload([0], [10], [10], [1], 1, group=[groups - 1], groups=tuple(str(i) for i in range(groups)))
    places = of_weightings(w, 0)(random_genomes(3, groups))
    assert places.shape == (3, JOBS)
    assert ((places >= 0) & (places < 1)).all()


def random_orders(count: int, seed: int = 0) -> np.ndarray:
    """Genomes of trained orders for three groups, as a search draws and varies them."""
    generator = np.random.default_rng(seed)
    moves = FormulaMoves(3)
    genomes = moves.random(count, generator)
    for genome in genomes:
        for _ in range(4):
            moves.vary(genome, None, generator)
    return genomes


def test_trained_orders_have_the_places_of_their_keys_in_both_queues() -> None:
    genomes = random_orders(60)
    assert {0.0, 1.0} <= {*genomes[:, BY_SITUATION]} & {*genomes[:, OWN_BACKFILLING]}
    found = of_trained_orders(W, 3)(genomes)
    assert found.shape == (60, 2 * JOBS + 4)
    for genome, row in zip(genomes, found, strict=True):
        blocks = np.split(genome[len(HEAD) :], 4)
        waiting, tried = [], []
        for situation, sample in enumerate(probes_of(W, np.random.default_rng([3, JOBS]))):
            order = blocks[situation if genome[BY_SITUATION] else 0]
            for places, block in ((waiting, order), (tried, blocks[3] if genome[OWN_BACKFILLING] else order)):
                keys = keys_of(block[None], *sample)[0].tolist()
                ranked = sorted(range(len(keys)), key=lambda j, keys=keys: -keys[j])
                places += [ranked.index(j) / len(keys) for j in range(len(keys))]
        numbers = genome[[POLICY, RESERVATIONS, ENTITLED, LONGEST]]
        assert row.tolist() == pytest.approx([*waiting, *(0.5 * place for place in tried), *(3 * numbers)], abs=1e-12)


def test_an_order_of_backfilling_that_is_not_used_does_not_matter() -> None:
    genomes = random_orders(20)
    genomes[:, [BY_SITUATION, OWN_BACKFILLING]] = 0.0
    other = genomes.copy()
    first = len(HEAD) + 15
    other[:, first:] = random_orders(20, seed=1)[:, first:]
    behaviour = of_trained_orders(W, 0)
    assert behaviour(genomes).tobytes() == behaviour(other).tobytes()
    other[:, BY_SITUATION] = 1.0
    assert behaviour(genomes).tobytes() != behaviour(other).tobytes()
