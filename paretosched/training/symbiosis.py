"""Symbiotic evolution of fuzzy rules (paper 001, section 4.2 and 4.3; Juang, Lin and Lin 2000), by ask and tell.

An individual is one rule, and worth what the rule bases reach in which it takes part. A population is an array, a row
a rule: the centres of its Gaussians, one for each feature, their widths, and one real number for each strategy, which
is read as the nearest of the levels -5, -1, 0, 1 and 5. Features are shares, in [0, 1]; costs are minimised.

The paper contradicts itself or is silent where `Symbiosis` has a field; its defaults are the paper's numbers, and else:

- It announces a (mu + lambda) strategy, but its algorithms 3 and 4 score and select children only. So are they here:
  what a rule is worth depends on the rules it was put together with. With `plus` parents take part in bases again.
- Its fitness, f_max - mean(f) / N_r, would prefer what is worse. Here the fitness of a rule is the mean cost of the
  rule bases in which it took part.
- Step size 0.1 at first, 50 generations, centres uniform in [0, 1], widths in [0.1, 1], levels uniform.
- Before the first generation each strategy is tried alone, so that rules are never worse than the best one of them.
- A population ends with rules that nearly all recommend the same, after some ten generations on the logs of the paper,
  and from then on drifts. When no better rule base was found in `patience` generations, the best one of all is refined
  as a whole: a few of its rules move or are replaced by random ones, and what is not worse stays. On the logs of the
  paper this finds in a few hundred simulations what evolution does not find in thousands.
- One step size for all, as equation 16 has it, although levels span 10 where features span 1; with `levels_step` that
  of recommendations is so many times as large. On two made-up workloads of 2,000 jobs, one seed each, seven
  combinations of `plus`, `levels_step` and `step` came within 2.3 points of each other, none first on both.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.notebook import fields_html, fields_repr
from ..policies.rule_base import STRATEGIES
from .evolution_strategy import reflect

Search = Generator[Floats, Floats, None]

LEVELS = np.array([-5.0, -1.0, 0.0, 1.0, 5.0])
LEAST_WIDTH = 1e-3  # a Gaussian of no width is none
FIRST_WIDTHS = (0.1, 1.0)
DEFAULT_FACTOR = 1.3  # alpha of the two-point rule of the default values, section 4.3.4
LOG_THRESHOLDS = (-6.0, 2.0)  # decades in which thresholds begin; 50 rules together weigh from 1e-3 to 100 mostly
GENERATIONS = 50
MOST_STEP = 1.0  # the whole range of a feature; where success is chance, steps would grow without end
LLOYD = 50  # rounds of k-means, more than 350 points in 10 clusters need


@dataclass(frozen=True)
class Symbiosis:
    """The parameters of symbiotic evolution; the defaults are those of paper 001, or see the module.

    Parameters
    ----------
    rules
        Of a rule base, N_r.
    participations
        Rule bases in which each rule takes part, N_s.
    parents, children
        mu and lambda.
    plus
        Parents take part in rule bases and are selected again; else children only.
    clusters, best_of_cluster
        k of k-means over the centres, and of how many of its best rules the mean is a cluster's fitness, n.
    recombined
        Parents of a child, rho: half of them similar, half at random.
    step
        Standard deviation of mutation at first, as a share of the range of a feature.
    levels_step
        How many times as large it is for recommendations, whose levels span 10.
    factor, success
        alpha and zeta_0 of Rechenberg's rule.
    patience
        Generations without a better rule base after which the best one is refined as a whole; 0 never.
    refined
        Children of the best rule base in a generation of that.
    defaults
        A second population of default values is evolved: below a threshold of the total membership a strategy of its
        own is chosen. The paper found no use for it.
    default_parents
        mu of that population; there are as many children as rule bases a generation.

    Raises
    ------
    InputError
        A parameter breaks its rule.

    Examples
    --------
    >>> Symbiosis().bases, Symbiosis(plus=True).bases, Symbiosis().evaluations
    (70, 80, 3513)
    """

    rules: int = 50
    participations: int = 10
    parents: int = 50
    children: int = 350
    plus: bool = False
    clusters: int = 10
    best_of_cluster: int = 5
    recombined: int = 12
    step: float = 0.1
    levels_step: float = 1.0
    factor: float = 1.224
    success: float = 1 / 8
    patience: int = 10
    refined: int = 4
    defaults: bool = False
    default_parents: int = 10

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        whole = ("rules", "participations", "parents", "clusters", "best_of_cluster", "refined", "default_parents")
        for name in whole:
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, but is {getattr(self, name)}")
        if self.patience < 0:
            raise InputError(f"patience must be at least 0, but is {self.patience}")
        if self.recombined < 2 or self.recombined % 2 or self.recombined > self.parents:
            raise InputError(
                f"recombined must be even, at least 2 and at most the {self.parents} parents, but is {self.recombined}"
            )
        if self.parents > self.children:
            raise InputError(f"children must be at least the {self.parents} parents, but are {self.children}")
        if self.rules > self.children:
            raise InputError(f"rules must be at most the {self.children} children, but are {self.rules}")
        for pool in {self.children, self.pool}:
            if pool * self.participations % self.rules:
                raise InputError(
                    f"{pool} rules with {self.participations} participations each must fill rule bases of "
                    f"{self.rules}, but {pool * self.participations} is no multiple of it"
                )
        for name in ("step", "levels_step"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"{name} must be positive, but is {getattr(self, name)}")
        if not 1 <= self.factor < math.inf:
            raise InputError(f"factor must be at least 1, but is {self.factor}")
        if not 0 <= self.success <= 1:
            raise InputError(f"success must be in [0, 1], but is {self.success}")
        if self.defaults and self.default_parents > self.first_bases:
            raise InputError(f"default_parents must be at most the rule bases, but are {self.default_parents}")

    @property
    def pool(self) -> int:
        """Rules among whom parents are selected, from the second generation on."""
        return self.children + (self.parents if self.plus else 0)

    @property
    def first_bases(self) -> int:
        """Rule bases that are simulated in the first generation of evolution, which has no parents."""
        return self.children * self.participations // self.rules

    @property
    def bases(self) -> int:
        """Rule bases that are simulated in a generation; with `plus` the first one has fewer."""
        return self.pool * self.participations // self.rules

    @property
    def evaluations(self) -> int:
        """Simulations of each strategy alone, and of 50 generations, the first random one included."""
        return len(STRATEGIES) + self.first_bases + (GENERATIONS - 1) * self.bases


class Rules(NamedTuple):
    """How a row of a population is read; every operator takes it.

    Attributes
    ----------
    features, strategies
        How many there are; a row has 2 x features + strategies numbers.
    """

    features: int
    strategies: int = len(STRATEGIES)

    @property
    def size(self) -> int:
        """Numbers of a rule."""
        return 2 * self.features + self.strategies


def evolve(of: Rules, chosen: Symbiosis, seed: int | list[int]) -> Search:
    """Evolve rules, for ever.

    Yields rule bases, (k, rules x size), each the rows of its rules one after the other (with default values: and then
    the decimal logarithm of the threshold and the number of the strategy below it), and is sent their costs, (k,), of
    which smaller is better. The first ones are those that choose always the same.

    Examples
    --------
    >>> few = Symbiosis(rules=4, participations=2, parents=4, children=8, recombined=4, clusters=2)
    >>> asking = evolve(Rules(2), few, seed=1)
    >>> first = next(asking)
    >>> first.shape, asking.send(first.sum(axis=1)).shape
    ((13, 68), (4, 68))
    """
    r = np.random.default_rng(seed)
    alone = always_the_same(of, chosen)
    costs = yield alone
    best, least = yield from _until_it_stands_still(of, chosen, r)
    if costs.min() < least:
        best, least = alone[costs.argmin()], float(costs.min())
    yield from refine(of, chosen, best, least, r)


def always_the_same(of: Rules, chosen: Symbiosis) -> Floats:
    """Make a rule base for each strategy whose rules recommend nothing else, (strategies, genes).

    Examples
    --------
    >>> always_the_same(Rules(1, 2), Symbiosis(rules=2, children=50)).tolist()
    [[0.5, 1.0, 5.0, -5.0, 0.5, 1.0, 5.0, -5.0], [0.5, 1.0, -5.0, 5.0, 0.5, 1.0, -5.0, 5.0]]
    """
    where = np.repeat([[0.5, FIRST_WIDTHS[1]]], of.features, axis=1)
    levels = np.where(np.eye(of.strategies, dtype=np.bool_), LEVELS[-1], LEVELS[0])
    bases = np.tile(np.column_stack([np.repeat(where, of.strategies, axis=0), levels]), chosen.rules)
    if not chosen.defaults:
        return bases
    return np.column_stack([bases, np.full(of.strategies, LOG_THRESHOLDS[0]), np.arange(of.strategies) + 0.5])


def _until_it_stands_still(
    of: Rules, chosen: Symbiosis, r: np.random.Generator
) -> Generator[Floats, Floats, tuple[Floats, float]]:
    """Evolve rules until no better rule base has been found for some generations; give the best one and its cost."""
    population, rivals = first_rules(of, chosen.children, r), np.full(chosen.children, math.nan)
    parents, defaults = np.empty((0, of.size)), Defaults.first(of, chosen, r)
    step = chosen.step
    best, least, found, generation = np.empty(0), math.inf, 0, 0
    while True:
        pool = np.concatenate([population, parents]) if chosen.plus else population
        bases = compose(similarity(of, pool, pool), chosen.rules, chosen.participations, r)
        genomes = pool[bases].reshape(len(bases), -1)
        if chosen.defaults:
            asked = defaults.children if generation else defaults.children[: len(bases)]
            genomes = np.column_stack([genomes, asked])
        costs = yield genomes
        if costs.min() < least:
            best, least, found = genomes[costs.argmin()], float(costs.min()), generation
        if 0 < chosen.patience <= generation - found:
            return best, least
        fitness = participation_fitness(bases, costs, len(pool))
        if chosen.defaults:
            defaults = defaults.next(costs, chosen, of, r)
        if generation:
            step = next_step(step, float((fitness[: chosen.children] < rivals).mean()), chosen.factor, chosen.success)
        kept = select(
            cluster(pool[:, : of.features], chosen.clusters, r), fitness, chosen.parents, chosen.best_of_cluster
        )
        parents = pool[kept]
        families = choose_families(similarity(of, parents, parents), chosen.children, chosen.recombined, r)
        population = mutate(of, recombine(parents, families, r), step, chosen.levels_step, r)
        rivals = fitness[kept][families[np.arange(chosen.children), r.integers(chosen.recombined, size=len(families))]]
        generation += 1


def refine(of: Rules, chosen: Symbiosis, base: Floats, cost: float, generator: np.random.Generator) -> Search:
    """Refine a rule base of known cost as a whole, for ever: the best of some children takes its place if not worse.

    A child differs in one rule, or with chances of 1/2, 1/4 and so on in more: half of them are random, and of the
    others the centres and widths move by the first step size. A default value stays.

    Examples
    --------
    >>> asking = refine(Rules(1, 2), Symbiosis(rules=2, children=50), np.ones(8), 3.0, np.random.default_rng(0))
    >>> next(asking).shape
    (4, 8)
    """
    end = chosen.rules * of.size
    while True:
        children = np.repeat(base[None], chosen.refined, axis=0)
        for child in children:
            rules = child[:end].reshape(chosen.rules, of.size)
            for i in generator.choice(chosen.rules, min(generator.geometric(0.5), chosen.rules), replace=False):
                if generator.random() < 0.5:
                    rules[i] = first_rules(of, 1, generator)
                else:
                    levels = rules[i, 2 * of.features :].copy()
                    rules[i] = mutate(of, rules[i][None], chosen.step, 1.0, generator)
                    rules[i, 2 * of.features :] = levels
        costs = yield children
        if costs.min() <= cost:
            base, cost = children[costs.argmin()], float(costs.min())


def first_rules(of: Rules, number: int, generator: np.random.Generator) -> Floats:
    """Make rules at random, (number, size): centres in [0, 1], widths in [0.1, 1], any level for each strategy."""
    centres = generator.random((number, of.features))
    widths = generator.uniform(*FIRST_WIDTHS, (number, of.features))
    return np.column_stack([centres, widths, generator.choice(LEVELS, (number, of.strategies))])


def gaussian(x: Floats, centre: Floats, width: Floats) -> Floats:
    """Give a Gaussian whose integral is 1 (equation 2): the wider, the lower.

    Examples
    --------
    >>> gaussian(np.array([0.5, 0.7]), np.array(0.5), np.array(0.2)).round(4).tolist()
    [1.9947, 1.2099]
    """
    return np.asarray(np.exp(-0.5 * ((x - centre) / width) ** 2) / (width * math.sqrt(2 * math.pi)))


def similarity(of: Rules, rules: Floats, others: Floats) -> Floats:
    """Give the cross-correlation of all rules with all others, (k, l), the mean over the features (equation 11).

    Examples
    --------
    Of a Gaussian with itself it is 1 / (2 sigma sqrt(pi)):

    >>> rule = np.array([[0.5, 0.1]])
    >>> round(similarity(Rules(1, 0), rule, rule).item(), 9), round(1 / (0.2 * math.sqrt(math.pi)), 9)
    (2.820947918, 2.820947918)
    """
    total = np.zeros((len(rules), len(others)))
    for f in range(of.features):
        spread = np.sqrt(
            np.add.outer(rules[:, of.features + f] ** 2, others[:, of.features + f] ** 2)
        )  # of the difference of the two
        total += gaussian(np.subtract.outer(rules[:, f], others[:, f]), np.array(0.0), spread)
    return total / of.features


def compose(similar: Floats, rules: int, participations: int, generator: np.random.Generator) -> Ints:
    """Put rule bases together so that each rule takes part equally often (section 4.2.3, figure 3).

    The first rule of a base is random, each further one is the least similar to the one before; of equals the first.
    Only rules that have not taken part often enough are eligible, and those that would else not get there, because they
    are still missing as often as bases are left, must be taken.

    Parameters
    ----------
    similar
        (k, k), see `similarity`.
    rules, participations
        Of a base; of a rule. rules must divide k x participations.
    generator
        Of the first rules.

    Returns
    -------
    (k x participations / rules, rules) int64
        Numbers of different rules.

    Examples
    --------
    >>> similar = np.array([[9, 0, 1, 2], [0, 9, 2, 1], [1, 2, 9, 0], [2, 1, 0, 9.0]])
    >>> compose(similar, 2, 1, np.random.default_rng(0)).tolist()
    [[3, 2], [1, 0]]
    """
    bases = len(similar) * participations // rules
    missing = np.full(len(similar), participations)
    composed = np.empty((bases, rules), dtype=np.int64)
    for b in range(bases):
        eligible = missing > 0
        needed = missing == bases - b
        for i in range(rules):
            open_to = needed if needed.sum() == rules - i else eligible
            if i == 0:
                rule = int(generator.choice(np.flatnonzero(open_to)))
            else:
                rule = int(np.where(open_to, similar[composed[b, i - 1]], math.inf).argmin())
            composed[b, i] = rule
            eligible[rule] = needed[rule] = False
        missing[composed[b]] -= 1
    return composed


def participation_fitness(bases: Ints, costs: Floats, rules: int) -> Floats:
    """Give each rule the mean cost of the bases in which it took part, (rules,) (algorithm 3, equation 12).

    Examples
    --------
    >>> participation_fitness(np.array([[0, 1], [1, 2], [2, 0]]), np.array([1.0, 2, 4]), 3).tolist()
    [2.5, 1.5, 3.0]
    """
    each = np.repeat(costs, bases.shape[1])
    return np.bincount(bases.ravel(), each, rules) / np.bincount(bases.ravel(), minlength=rules)


def cluster(centres: Floats, clusters: int, generator: np.random.Generator) -> Ints:
    """Divide rules by k-means over the centres of their Gaussians, (k, features), into at most so many clusters.

    The paper's variant is an exchange method (Spaeth 1980); here it is Lloyd's, from random rules.

    Returns
    -------
    (k,) int64
        The number of each rule's cluster. Some numbers may not occur.
    """
    from scipy.cluster.vq import kmeans2

    first = centres[generator.choice(len(centres), min(clusters, len(centres)), replace=False)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a cluster is empty
        _, labels = kmeans2(centres, first, iter=LLOYD, minit="matrix")
    return np.asarray(labels, dtype=np.int64)


def select(labels: Ints, fitness: Floats, parents: int, best_of_cluster: int) -> Ints:
    """Select parents by clusters (algorithm 4), so that niches are kept.

    A cluster's fitness is the mean of its n best; a cluster gets the more places the smaller it is, mu / (f_c sum 1 /
    f), rounded, but not more than it has rules. If that is too many in all, the last ones by the fitness of the
    cluster and then their own are left out; if too few, the first ones by the same order are added. Where a cluster's
    fitness is not positive, as with an objective that may be negative, all are moved so that the worst counts twice
    the best.

    Parameters
    ----------
    labels, fitness
        (k,) cluster and fitness of each rule; smaller is better.
    parents
        How many to select, mu.
    best_of_cluster
        n.

    Returns
    -------
    (parents,) int64
        Numbers of rules, in ascending order.

    Examples
    --------
    Two clusters with fitness 1 and 3 share four places 3 : 1.

    >>> select(np.array([0, 0, 0, 0, 1, 1]), np.array([1.0, 1, 1, 9, 3, 3.5]), 4, best_of_cluster=1).tolist()
    [0, 1, 2, 4]
    """
    members = [np.flatnonzero(labels == c) for c in np.unique(labels)]
    members = [rules[np.argsort(fitness[rules], kind="stable")] for rules in members]  # best first
    means = np.array([fitness[rules[:best_of_cluster]].mean() for rules in members])
    least, most = float(means.min()), float(means.max())
    weights = least / means if least > 0 else 1 / (1 + (means - least) / ((most - least) or 1.0))
    places = np.floor(parents * weights / weights.sum() + 0.5).astype(np.int64)
    order = [c for c in np.argsort(means, kind="stable") for _ in members[c]]
    ranked = np.concatenate([members[c] for c in np.argsort(means, kind="stable")])
    within = np.concatenate([np.arange(len(members[c])) for c in np.argsort(means, kind="stable")])
    chosen = within < places[order]
    return np.sort(np.concatenate([ranked[chosen], ranked[~chosen]])[:parents])


def choose_families(similar: Floats, children: int, recombined: int, generator: np.random.Generator) -> Ints:
    """Choose the parents of each child, (children, recombined) int64 (section 4.3.2).

    The first is random, the others of the first half are the most similar to it, and the second half is random among
    the rest.
    """
    half, everyone = recombined // 2, np.arange(len(similar))
    families = np.empty((children, recombined), dtype=np.int64)
    for child in range(children):
        first = int(generator.integers(len(similar)))
        nearest = np.argsort(-similar[first], kind="stable")
        alike = [first, *nearest[nearest != first][: half - 1]]
        others = np.setdiff1d(everyone, alike)
        families[child] = [*alike, *generator.choice(others, half, replace=False)]
    return families


def recombine(parents: Floats, families: Ints, generator: np.random.Generator) -> Floats:
    """Give children each number from a random one of their parents, (children, size) (equation 13).

    Examples
    --------
    >>> parents, families = np.array([[1.0, 2, 3], [10, 20, 30]]), np.array([[0, 1], [0, 1]])
    >>> recombine(parents, families, np.random.default_rng(0)).tolist()
    [[10.0, 20.0, 30.0], [1.0, 2.0, 3.0]]
    """
    children, recombined = families.shape
    which = generator.integers(recombined, size=(children, parents.shape[1]))
    return parents[np.take_along_axis(families, which, axis=1), np.arange(parents.shape[1])]


def mutate(of: Rules, rules: Floats, step: float, levels_step: float, generator: np.random.Generator) -> Floats:
    """Add normal numbers, (k, size) (equation 16), to recommendations some that are `levels_step` times as large.

    Centres are reflected at 0 and 1. A width is the absolute value of what comes out, and at least 0.001; a
    recommendation stays within -5 and 5.
    """
    scale = np.repeat([step, step * levels_step], [2 * of.features, of.strategies])
    moved = rules + scale * generator.standard_normal(rules.shape)
    centres, widths, levels = np.split(np.arange(of.size), [of.features, 2 * of.features])
    moved[:, centres] = reflect(moved[:, centres], np.zeros(of.features), np.ones(of.features))
    moved[:, widths] = np.maximum(np.abs(moved[:, widths]), LEAST_WIDTH)
    moved[:, levels] = np.clip(moved[:, levels], LEVELS[0], LEVELS[-1])
    return moved


def next_step(step: float, share: float, factor: float, success: float) -> float:
    """Adapt the step size to the share of mutations that succeeded (Rechenberg's rule, equation 15); 1 is the largest.

    Examples
    --------
    >>> next_step(0.5, 0.5, 1.25, 1 / 8), next_step(0.5, 0.1, 1.25, 1 / 8), next_step(0.5, 1 / 8, 1.25, 1 / 8)
    (0.625, 0.4, 0.5)
    """
    return min(step * factor, MOST_STEP) if share > success else step / factor if share < success else step


class Defaults(NamedTuple):
    """The population of default values (section 4.3.4), a (10 + 70) strategy with the two-point rule.

    An individual is the decimal logarithm of a threshold, since memberships range over decades, and the number of a
    strategy as a real number in [0, strategies), read as its floor; and it has a step size of its own, as a share of a
    decade and of a strategy.

    Attributes
    ----------
    parents, parent_steps, parent_costs
        (mu, 2), (mu,), (mu,); none at first.
    children, child_steps
        (lambda, 2), (lambda,): what is asked for next.
    """

    parents: Floats
    parent_steps: Floats
    parent_costs: Floats
    children: Floats
    child_steps: Floats

    @classmethod
    def first(cls, of: Rules, chosen: Symbiosis, generator: np.random.Generator) -> Defaults:
        """Make individuals at random, one for each rule base; none if they are not wanted."""
        number = chosen.bases if chosen.defaults else 0
        logs = generator.uniform(*LOG_THRESHOLDS, number)
        children = np.column_stack([logs, generator.uniform(0, of.strategies, number)])
        return cls(np.empty((0, 2)), np.empty(0), np.empty(0), children, np.full(number, chosen.step))

    def next(self, costs: Floats, chosen: Symbiosis, of: Rules, generator: np.random.Generator) -> Defaults:
        """Select the best of parents and children by the costs of their rule bases, (k,), and let them have children.

        The step size of a child is that of its one parent times or by 1.3, by chance.
        """
        known = np.concatenate([self.parent_costs, costs])
        best = np.argsort(known, kind="stable")[: chosen.default_parents]
        parents = np.concatenate([self.parents, self.children[: len(costs)]])[best]
        steps = np.concatenate([self.parent_steps, self.child_steps[: len(costs)]])[best]
        of_whom = generator.integers(len(best), size=chosen.bases)
        adapted = steps[of_whom] * np.where(generator.random(chosen.bases) < 0.5, DEFAULT_FACTOR, 1 / DEFAULT_FACTOR)
        span = np.array([LOG_THRESHOLDS[1] - LOG_THRESHOLDS[0], of.strategies])
        moved = parents[of_whom] + adapted[:, None] * span * generator.standard_normal((chosen.bases, 2))
        moved[:, 0] = np.clip(moved[:, 0], *LOG_THRESHOLDS)
        moved[:, 1] = np.mod(moved[:, 1], of.strategies)
        return Defaults(parents, steps, known[best], moved, adapted)
