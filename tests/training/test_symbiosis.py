"""The operators of symbiotic evolution do what sections 4.2 and 4.3 of paper 001 say, on cases computed by hand."""

import json
import math
from dataclasses import asdict, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from paretosched.core.arrays import Floats, Ints
from paretosched.core.errors import InputError
from paretosched.training import symbiosis
from paretosched.training.symbiosis import (
    LEAST_WIDTH,
    LEVELS,
    Defaults,
    Rules,
    Symbiosis,
    choose_families,
    cluster,
    compose,
    evolve,
    first_rules,
    gaussian,
    mutate,
    next_step,
    participation_fitness,
    recombine,
    select,
    similarity,
)

OF = Rules(7)
SMALL = Symbiosis(rules=4, participations=2, parents=6, children=12, recombined=4, clusters=3, best_of_cluster=2)


def generator(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- Gaussians and their similarity ---------------------------------------------------------------------------------


def test_the_integral_of_a_gaussian_is_one() -> None:
    for width in (0.05, 0.3, 4.0):
        area, _ = quad(
            lambda x, w=width: float(gaussian(np.array(x), np.array(0.4), np.array(w))), -50, 50, points=[0.4]
        )
        assert area == pytest.approx(1, rel=1e-6)
    assert gaussian(np.array(0.4), np.array(0.4), np.array(0.2)) == pytest.approx(1 / (0.2 * math.sqrt(2 * math.pi)))


def test_similarity_of_a_rule_with_itself() -> None:
    """Section I of the specification: 1 / (2 sigma sqrt(pi))."""
    for width in (0.01, 0.1, 1.0, 3.0):
        rule = np.array([[0.3] * 7 + [width] * 7 + [0.0] * 13])
        assert similarity(OF, rule, rule).item() == pytest.approx(1 / (2 * width * math.sqrt(math.pi)), rel=1e-12)


def test_similarity_is_the_integral_of_the_product() -> None:
    rules = first_rules(OF, 4, generator())
    similarities = similarity(OF, rules[:2], rules)
    assert similarities.shape == (2, 4)
    for i, j in np.ndindex(2, 4):
        parts = []
        for f in range(7):
            (m, s), (n, t) = rules[i, [f, 7 + f]], rules[j, [f, 7 + f]]

            def product(z: float, m: Any = m, s: Any = s, n: Any = n, t: Any = t) -> float:
                return float(gaussian(np.array(z), m, s) * gaussian(np.array(z), n, t))

            parts.append(quad(product, -12, 12, points=[m, n], limit=200)[0])
        assert similarities[i, j] == pytest.approx(np.mean(parts), rel=1e-6)


def test_recommendations_do_not_make_rules_similar() -> None:
    one, other = np.array([[0.2] * 14 + [5.0] * 13]), np.array([[0.2] * 14 + [-5.0] * 13])
    assert similarity(OF, one, other) == similarity(OF, one, one)


# --- the composition of rule bases ----------------------------------------------------------------------------------


def test_each_of_350_rules_takes_part_in_10_of_70_bases() -> None:
    options = Symbiosis()
    rules = first_rules(OF, 350, generator())
    bases = compose(similarity(OF, rules, rules), options.rules, options.participations, generator(1))
    assert bases.shape == (options.bases, 50) == (70, 50)
    assert all(len(set(base)) == 50 for base in bases.tolist())
    assert np.bincount(bases.ravel()).tolist() == [10] * 350


@settings(deadline=None)
@given(st.data())
def test_participation_is_exact_whatever_is_similar(data: st.DataObject) -> None:
    rules = data.draw(st.integers(1, 6))
    participations = data.draw(st.integers(1, 5))
    count = data.draw(st.sampled_from([n for n in range(rules, 25) if n * participations % rules == 0]))
    similar = generator(data.draw(st.integers(0, 99))).choice([0.0, 0.5, 1.0], (count, count))
    bases = compose(similar, rules, participations, generator(data.draw(st.integers(0, 99))))
    assert all(len(set(base)) == rules for base in bases.tolist())
    assert np.bincount(bases.ravel(), minlength=count).tolist() == [participations] * count


def test_the_next_rule_is_the_least_similar_to_the_last() -> None:
    """A ring in which each rule is least similar to the next one but one; while all are eligible it goes round."""
    count = 12
    similar = np.ones((count, count))
    for i in range(count):
        similar[i, (i + 2) % count] = 0.0
        similar[i, (i + 1) % count] = 0.5
    first = compose(similar, 4, 3, generator())[0]
    assert [(b - a) % count for a, b in pairwise(first)] == [2, 2, 2]


def test_equally_similar_rules_are_taken_in_their_order() -> None:
    base = compose(np.zeros((8, 8)), 4, 1, generator())[0].tolist()
    assert base[1:] == [rule for rule in range(8) if rule != base[0]][:3]


# --- fitness, clusters, selection -----------------------------------------------------------------------------------


def test_a_rule_is_worth_the_mean_of_its_bases() -> None:
    bases = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    assert participation_fitness(bases, np.array([1.0, 2, 4, 8]), 4).tolist() == [4.5, 1.5, 3.0, 6.0]


@pytest.mark.parametrize("seed", range(20))
def test_clusters_are_those_one_sees(seed: int) -> None:
    """Three heaps of five rules: k-means that begins with a rule of each must find them, and else stands still."""
    heaps = np.repeat([0, 1, 2], 5)
    centres = np.array([0.0, 0.5, 0.9])[heaps, None] + 0.01 * generator(7).random((15, 7))
    first = generator(seed).choice(15, 3, replace=False)
    labels = cluster(centres, 3, generator(seed))
    if len(set(heaps[first].tolist())) == 3:
        assert labels.tolist() == [heaps[first].tolist().index(heap) for heap in heaps]
    means = np.array([centres[labels == c].mean(axis=0) for c in sorted(set(labels.tolist()))])
    nearest = ((centres[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert nearest.tolist() == [sorted(set(labels.tolist())).index(c) for c in labels.tolist()]


def test_some_seeds_begin_with_a_rule_of_each_heap() -> None:
    """Or the test above would show less than it says."""
    firsts = [generator(seed).choice(15, 3, replace=False) // 5 for seed in range(20)]
    assert sum(len(set(first.tolist())) == 3 for first in firsts) == 5


def test_clusters_may_be_fewer_than_wanted() -> None:
    labels = cluster(np.zeros((20, 7)), 10, generator())
    assert set(labels.tolist()) <= set(range(10))
    assert select(labels, np.arange(1.0, 21), 5, 5).tolist() == [0, 1, 2, 3, 4]
    assert len(cluster(np.ones((3, 2)), 10, generator())) == 3


def test_clusters_share_places_by_the_mean_of_their_best() -> None:
    """Three clusters with means 1, 2 and 4 of their two best: 7 places as 4 : 2 : 1."""
    labels = np.repeat([0, 1, 2], 6)
    fitness = np.array([0.5, 1.5, 9, 9.5, 9.75, 9.9, 1, 3, 7, 8, 8, 8, 3.5, 4.5, 5, 5, 5, 5])
    survivors = select(labels, fitness, 7, best_of_cluster=2)
    assert survivors.tolist() == [0, 1, 2, 3, 6, 7, 12]


def test_a_small_cluster_gets_no_more_places_than_it_has_rules() -> None:
    """The cluster of one would get four of five places; what is left goes to the best cluster that has rules."""
    labels = np.array([0, 1, 1, 1, 2, 2, 2])
    fitness = np.array([1.0, 9, 8, 10, 20, 21, 19])
    assert select(labels, fitness, 5, best_of_cluster=1).tolist() == [0, 1, 2, 3, 6]


def test_too_many_places_are_taken_from_the_worst_cluster() -> None:
    """Three equal means share four places, rounded 1 each: one more. Five are 2 each by rounding: one less."""
    labels, fitness = np.repeat([0, 1, 2], 3), np.array([1.0, 5, 6, 1, 4, 7, 1, 3, 8])
    assert select(labels, fitness, 4, best_of_cluster=1).tolist() == [0, 1, 3, 6]
    assert select(labels, fitness, 5, best_of_cluster=1).tolist() == [0, 1, 3, 4, 6]


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_selection_is_of_the_right_size(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 40))
    labels = np.array(data.draw(st.lists(st.integers(0, 9), min_size=count, max_size=count)))
    values = st.floats(-10, 10) | st.sampled_from([0.0, 1e30])
    fitness = np.array(data.draw(st.lists(values, min_size=count, max_size=count)))
    parents = data.draw(st.integers(1, count))
    survivors = select(labels, fitness, parents, 5)
    assert len(set(survivors.tolist())) == parents
    for c in set(labels.tolist()):  # in a cluster no rule is selected that is worse than one that is not
        inside = np.flatnonzero(labels == c)
        out = np.setdiff1d(inside, survivors)
        if out.size and out.size < inside.size:
            assert fitness[np.intersect1d(inside, survivors)].max() <= fitness[out].min()


def test_objectives_that_may_be_negative_are_moved() -> None:
    """Means -4 and -2 count as 2 and 4: two places to one."""
    labels, fitness = np.array([0, 0, 0, 1, 1, 1]), np.array([-4.0, -3, -3, -2, -1, -1])
    assert select(labels, fitness, 3, best_of_cluster=1).tolist() == [0, 1, 3]


# --- recombination and mutation -------------------------------------------------------------------------------------


def test_half_of_the_parents_are_alike_and_half_are_others() -> None:
    parents = first_rules(OF, 50, generator())
    similar = similarity(OF, parents, parents)
    families = choose_families(similar, 350, 12, generator(2))
    assert families.shape == (350, 12)
    for family in families.tolist():
        assert len(set(family)) == 12
        first = family[0]
        others = sorted((i for i in range(50) if i != first), key=lambda i: -similar[first, i])
        assert family[1:6] == others[:5]
    assert len(set(families[:, 0].tolist())) == 50
    assert len(set(families[:, 6:].ravel().tolist())) == 50


def test_each_number_is_that_of_a_random_parent() -> None:
    parents = np.arange(1000.0)[:, None] + 1000 * np.arange(27)  # whose and which number it is
    families = generator(3).permuted(np.tile(np.arange(1000), (400, 1)), axis=1)[:, :12]
    children = recombine(parents, families, generator(4))
    assert (children // 1000 == np.arange(27)).all()
    whose = (children % 1000).astype(int)
    places = np.array(
        [[np.flatnonzero(family == w)[0] for w in row] for family, row in zip(families, whose, strict=True)]
    )
    counts = np.bincount(places.ravel(), minlength=12)
    assert abs(counts - 400 * 27 / 12).max() < 5 * math.sqrt(400 * 27 / 12)


def test_mutation_adds_normal_numbers_of_the_step_size() -> None:
    rules = np.tile(np.array([0.5] * 7 + [50.0] * 7 + [0.0] * 13), (3000, 1))
    changes = mutate(OF, rules, 0.1, 10.0, generator(5)) - rules
    assert changes[:, :14].std() == pytest.approx(0.1, rel=0.02)
    assert changes[:, 14:].std() == pytest.approx(1.0, rel=0.02)
    assert abs(changes[:, :14].mean()) < 0.002
    assert mutate(OF, rules, 0.1, 1.0, generator(5))[:, 14:].std() == pytest.approx(0.1, rel=0.02)


def test_widths_stay_positive_and_recommendations_within_their_levels() -> None:
    rules = np.tile(np.array([0.0] * 7 + [0.002] * 7 + [5.0] * 13), (500, 1))
    mutants = mutate(OF, rules, 1e-3, 1000.0, generator(6))
    assert mutants[:, 7:14].min() == LEAST_WIDTH
    assert mutants[:, 14:].max() == LEVELS[-1]
    assert mutants[:, :7].min() >= 0
    far = mutate(OF, rules, 0.5, 1.0, generator(6))
    assert (far[:, 7:14] > LEAST_WIDTH).mean() > 0.99  # a width beyond 0 comes back as its absolute value


def test_the_rule_of_one_eighth() -> None:
    s = Symbiosis()
    assert next_step(0.1, 44 / 350, s.factor, s.success) == 0.1 * 1.224
    assert next_step(0.1, 43 / 350, s.factor, s.success) == 0.1 / 1.224
    assert next_step(0.1, 1 / 8, s.factor, s.success) == 0.1


def test_the_first_rules_are_all_over() -> None:
    rules = first_rules(OF, 2000, generator(7))
    assert (rules[:, :7].min(), rules[:, :7].max()) == pytest.approx((0, 1), abs=2e-3)
    assert (rules[:, 7:14].min(), rules[:, 7:14].max()) == pytest.approx((0.1, 1), abs=2e-3)
    assert np.unique(rules[:, 14:]).tolist() == LEVELS.tolist()


# --- the whole ------------------------------------------------------------------------------------------------------


def play(options: Symbiosis, cost: Any, generations: int, seed: int = 0) -> list[tuple[Floats, Floats]]:
    course = evolve(OF, options, seed)
    genomes, rounds = course.send(np.ones(len(next(course)))), []  # after each strategy alone
    for _ in range(generations):
        costs = cost(genomes)
        rounds.append((genomes, costs))
        genomes = course.send(costs)
    return rounds


def of_rules(genomes: Floats, options: Symbiosis) -> Floats:
    return genomes[:, : options.rules * OF.size].reshape(len(genomes), options.rules, OF.size)


def test_a_generation_is_70_bases_of_50_rules() -> None:
    ((genomes, _),) = play(Symbiosis(), lambda g: np.ones(len(g)), 1)
    assert genomes.shape == (70, 50 * 27)
    rules, counts = np.unique(of_rules(genomes, Symbiosis()).reshape(-1, 27), axis=0, return_counts=True)
    assert (len(rules), set(counts.tolist())) == (350, {10})


def test_rules_that_are_better_together_are_found() -> None:
    """A base costs the mean distance of its centres from 0.25: rules gather there."""

    options = replace(SMALL, children=42, plus=True, participations=4, clusters=2)

    def cost(genomes: Floats) -> Floats:
        return np.abs(of_rules(genomes, options)[:, :, :7] - 0.25).mean(axis=(1, 2))

    rounds = play(options, cost, 40)
    assert rounds[-1][1].mean() < 0.6 * rounds[0][1].mean()
    assert play(options, cost, 3)[2][0].tobytes() == rounds[2][0].tobytes()
    assert play(options, cost, 1, seed=1)[0][0].tobytes() != rounds[0][0].tobytes()


def test_children_come_from_parents_in_every_number() -> None:
    """Without mutation every number of a child stands in a rule of the generation before, at its place."""
    still = replace(SMALL, step=1e-300, factor=1.0)
    (before, _), (after, _) = play(still, lambda g: 1 + np.arange(len(g)), 2)
    old, new = of_rules(before, still).reshape(-1, 27), of_rules(after, still).reshape(-1, 27)
    for place in range(27):
        assert np.isclose(new[:, place, None], old[None, :, place], rtol=0, atol=1e-200).any(axis=1).all()


def test_step_sizes_follow_success(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[float] = []
    real = symbiosis.mutate

    def spy(of: Rules, rules: Floats, step: float, levels_step: float, r: np.random.Generator) -> Floats:
        steps.append(step)
        return real(of, rules, step, levels_step, r)

    monkeypatch.setattr(symbiosis, "mutate", spy)
    costs = iter([1.0, 0.5, 0.25, 2.0, 4.0])
    play(SMALL, lambda g: np.full(len(g), next(costs)), 5)
    f = SMALL.factor
    assert steps == pytest.approx([0.1, 0.1 * f, 0.1 * f * f, 0.1 * f, 0.1])  # all better, better; worse, worse
    assert next_step(0.9, 1.0, f, 1 / 8) == 1.0


def test_parents_take_part_again_if_asked() -> None:
    plus = replace(SMALL, plus=True)
    assert (plus.pool, plus.bases) == (18, 9)
    (first, _), (second, _), (third, _) = play(plus, lambda g: 1 + np.arange(len(g)), 3)
    assert [len(g) for g in (first, second, third)] == [6, 9, 9]
    old, new = (of_rules(g, plus).reshape(-1, 27) for g in (first, second))
    both = np.unique(new, axis=0)
    assert len(both) == 18
    assert sum(any((rule == r).all() for r in old) for rule in both) == 6


def test_simulations_of_the_paper() -> None:
    assert Symbiosis().evaluations == 13 + 50 * 70


def test_each_strategy_is_tried_alone_first() -> None:
    for options in (SMALL, replace(SMALL, defaults=True, default_parents=2)):
        genomes = next(evolve(OF, options, 3))
        rules = of_rules(genomes, options)
        assert rules.shape == (13, 4, 27)
        for strategy in range(13):
            assert (rules[strategy, :, 14:] == np.where(np.arange(13) == strategy, 5, -5)).all()
        if options.defaults:
            assert genomes[:, -1].astype(int).tolist() == list(range(13))


def asked_after(costs: list[float], options: Symbiosis) -> list[Floats]:
    """What is asked for where every generation costs the same, first the strategies alone."""
    course = evolve(OF, options, 0)
    batches = [next(course)]
    for cost in costs:
        batches.append(course.send(cost + np.arange(len(batches[-1])) / 100))
    return batches


def test_the_best_base_is_refined_when_evolution_stands_still() -> None:
    # of generations 1 (better than each strategy alone), 2 and 5 there is a better one; then none for three
    costs = [9.0, 5, 4, 4, 4, 3, 3, 3, 3, 3.5, 2.5, 3]
    few = replace(SMALL, patience=3, refined=5)
    batches = asked_after(costs, few)
    assert [len(genomes) for genomes in batches] == [13] + 8 * [6] + 4 * [5]
    assert all(len(genomes) == 6 for genomes in asked_after(costs, replace(few, patience=0))[1:])
    best = of_rules(batches[5], few)[0]

    def count_changes(child: Floats, parent: Floats) -> int:
        return int((child != parent).any(axis=1).sum())

    for generation, parent in ((9, best), (10, best), (11, of_rules(batches[10], few)[0])):
        children = of_rules(batches[generation], few)
        differing = [count_changes(child, parent) for child in children]
        assert min(differing) >= 1
        assert sum(differing) < 5 * 4
    assert of_rules(batches[12], few)[0].tobytes() != best.tobytes()
    alone = asked_after([1.0, *costs[1:]], few)  # nothing is better than the first strategy alone
    assert max(count_changes(child, of_rules(alone[0], few)[0]) for child in of_rules(alone[9], few)) < 4


def test_refining_replaces_rules_or_moves_them() -> None:
    base = first_rules(OF, 50, generator(1)).ravel()
    many = replace(Symbiosis(), refined=400)
    children = next(symbiosis.refine(OF, many, base, 1.0, generator(2))).reshape(-1, 50, 27)
    differs = children != base.reshape(50, 27)
    numbers = differs.any(axis=2).sum(axis=1)
    assert 0.4 < (numbers == 1).mean() < 0.6
    assert 0.15 < (numbers == 2).mean() < 0.35
    rows = differs.any(axis=2)
    levels = differs[rows][:, 14:].any(axis=1)
    assert 0.4 < levels.mean() < 0.6
    steps = (children - base.reshape(50, 27))[rows][~levels][:, :7]
    assert 0.05 < np.abs(steps).mean() < 0.1
    assert children[:, :, :7].min() >= 0
    assert children[:, :, :7].max() <= 1


# --- default values -------------------------------------------------------------------------------------------------


def test_default_values_go_with_the_bases() -> None:
    with_defaults = replace(SMALL, defaults=True, default_parents=3)
    rounds = play(with_defaults, lambda g: 1 + np.arange(len(g)), 4)
    for genomes, _ in rounds:
        assert genomes.shape == (6, 4 * 27 + 2)
        assert ((genomes[:, -2] >= -6) & (genomes[:, -2] <= 2)).all()
        assert ((genomes[:, -1] >= 0) & (genomes[:, -1] < 13)).all()


def test_the_best_default_values_live_on() -> None:
    options = replace(SMALL, defaults=True, default_parents=2)
    first = Defaults.first(OF, options, generator())
    assert len(first.children) == 6
    second = first.next(np.array([5.0, 1, 2, 6, 7, 8]), options, OF, generator(1))
    assert second.parents.tolist() == first.children[[1, 2]].tolist()
    ratios = np.unique((second.child_steps / options.step).round(12))
    assert set(ratios.tolist()) <= {1.3, round(1 / 1.3, 12)}
    third = second.next(np.array([9.0, 1.5, 9, 9, 9, 9]), options, OF, generator(2))
    assert third.parent_costs.tolist() == [1.0, 1.5]  # one parent is kept, although it is older: (10 + 70)
    assert third.parents.tolist() == [second.parents[0].tolist(), second.children[1].tolist()]


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "rule"),
    [
        ({"rules": 0}, "rules must be at least 1, but is 0"),
        ({"participations": 0}, "participations must be at least 1"),
        ({"recombined": 5}, "recombined must be even, at least 2 and at most the 6 parents, but is 5"),
        ({"recombined": 8}, "recombined must be even, at least 2 and at most the 6 parents, but is 8"),
        ({"parents": 13}, "children must be at least the 13 parents, but are 12"),
        ({"rules": 13}, "rules must be at most the 12 children"),
        ({"rules": 5}, "12 rules with 2 participations each must fill rule bases of 5, but 24 is no multiple"),
        ({"patience": -1}, "patience must be at least 0"),
        ({"refined": 0}, "refined must be at least 1"),
        ({"step": 0.0}, "step must be positive"),
        ({"levels_step": math.nan}, "levels_step must be positive"),
        ({"factor": 0.9}, "factor must be at least 1"),
        ({"success": 1.1}, r"success must be in \[0, 1\]"),
        ({"defaults": True, "default_parents": 7}, "default_parents must be at most the rule bases, but are 7"),
    ],
)
def test_parameters_keep_their_rules(more: dict[str, Any], rule: str) -> None:
    with pytest.raises(InputError, match=rule):
        replace(SMALL, **more)


def test_labels_are_whole_numbers() -> None:
    labels: Ints = cluster(first_rules(OF, 30, generator())[:, :7], 10, generator())
    assert labels.dtype == np.int64
    assert len(labels) == 30


def test_numbers_of_numpy_are_kept_as_plain_ones() -> None:
    same = replace(SMALL, rules=np.int64(SMALL.rules), step=np.float32(0.5))  # type: ignore[arg-type]
    assert json.dumps(asdict(same)) == json.dumps(asdict(replace(SMALL, step=0.5)))
