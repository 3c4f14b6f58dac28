"""Symbiotic evolution of fuzzy rules (paper 001, section 4.2 and 4.3; Juang, Lin and Lin 2000), by ask and tell.

An individual is one rule; its fitness comes from the rule bases in which it takes part. A population is an array with
one row a rule: the centres of its Gaussians, one for each feature, their widths, and one real number for each strategy,
which is read as the nearest of the levels -5, -1, 0, 1 and 5. Features are shares, in [0, 1]; costs are minimised.

`Symbiosis` has a field for everything that the paper leaves open or contradicts. The defaults are the paper's numbers,
where it has any. This is how the open points are decided here:

- The paper announces a (mu + lambda) strategy, but its algorithms 3 and 4 score and select children only. So does this
  module, because the fitness of a rule depends on the other rules of its bases. With `plus` parents take part again.
- The paper's fitness, f_max - mean(f) / N_r, would prefer worse rules. Here the fitness of a rule is the mean cost of
  the rule bases in which it took part.
- Step size 0.1 at first, 50 generations, centres uniform in [0, 1], widths in [0.1, 1], levels uniform.
- Before the first generation each strategy is tried alone, so that a rule base is never worse than the best strategy.
- A population ends with rules that nearly all recommend the same, on the logs of the paper after some ten generations.
  From then on it drifts. When `patience` generations brought no better rule base, the best one of all is refined as a
  whole: a few of its rules move or are replaced by random ones, and a child that is not worse stays. On the logs of
  the paper a few hundred such simulations reach rule bases that thousands of simulations of evolution do not reach.
- There is one step size for all genes, as in equation 16, although levels span 10 and features span 1. The steps of
  recommendations are `levels_step` times as large. On two synthetic workloads of 2,000 jobs, one seed each, seven
  combinations of `plus`, `levels_step` and `step` came within 2.3 points of each other; none was first on both.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.arguments import instance, number, real_number, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.notebook import fields_html, fields_repr
from ..policies.strategy_choice import STRATEGIES
from .evolution_strategy import Search, reflect

LEVELS = np.array([-5.0, -1.0, 0.0, 1.0, 5.0])
LEAST_WIDTH = 1e-3  # a Gaussian needs a width
FIRST_WIDTHS = (0.1, 1.0)
DEFAULT_FACTOR = 1.3  # alpha of the two-point rule of the default values, section 4.3.4
LOG_THRESHOLDS = (-6.0, 2.0)  # decades of the first thresholds; the memberships of 50 rules mostly add up to 1e-3..100
GENERATIONS = 50
MOST_STEP = 1.0  # the whole range of a feature; if success were only chance, steps would grow without end
LLOYD = 50  # rounds of k-means; 350 points in 10 clusters need fewer


@dataclass(frozen=True)
class Symbiosis:
    """The parameters of symbiotic evolution; the defaults are those of paper 001, or explained in the module.

    Parameters
    ----------
    rules
        Of a rule base, N_r.
    participations
        Rule bases in which each rule takes part, N_s.
    parents, children
        mu and lambda.
    plus
        Whether parents take part in rule bases and can be selected again; else only children.
    clusters, best_of_cluster
        k of k-means over the centres; and n: the fitness of a cluster is the mean of its n best rules.
    recombined
        Parents of a child, rho: half of them similar, half at random.
    step
        Standard deviation of mutation at first, as a share of the range of a feature.
    levels_step
        How many times as large the steps of recommendations are, because their levels span 10.
    factor, success
        alpha and zeta_0 of Rechenberg's rule.
    patience
        Generations without a better rule base after which the best one is refined as a whole; 0: never.
    refined
        Children of the best rule base in a generation of this refinement.
    defaults
        Whether a second population of default values is evolved: below a threshold of the total membership a rule base
        chooses its default strategy. In the paper this brought nothing.
    default_parents
        mu of the second population; it has as many children as there are rule bases in a generation.

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
        for name in (*whole, "children", "recombined", "patience"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        for name in ("step", "levels_step", "factor", "success"):
            object.__setattr__(self, name, number(name, real_number(name, getattr(self, name))))
        for name in ("plus", "defaults"):
            instance(name, getattr(self, name), bool)
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
        """Number of rules from which parents are selected, from the second generation on."""
        return self.children + (self.parents if self.plus else 0)

    @property
    def first_bases(self) -> int:
        """Number of rule bases simulated in the first generation of evolution, which has no parents."""
        return self.children * self.participations // self.rules

    @property
    def bases(self) -> int:
        """Number of rule bases simulated in a generation; with `plus` the first one has fewer."""
        return self.pool * self.participations // self.rules

    @property
    def evaluations(self) -> int:
        """Number of simulations: each strategy alone, and 50 generations with the first, random one."""
        return len(STRATEGIES) + self.first_bases + (GENERATIONS - 1) * self.bases


class Rules(NamedTuple):
    """The layout of a row of a population; every operator has it as an argument.

    Attributes
    ----------
    features, strategies
        Their numbers; a row has 2 x features + strategies genes.
    """

    features: int
    strategies: int = len(STRATEGIES)

    @property
    def size(self) -> int:
        """Number of genes of a rule."""
        return 2 * self.features + self.strategies


def evolve(layout: Rules, symbiosis: Symbiosis, seed: int | list[int]) -> Search:
    """Evolve rules; it never ends.

    Yields rule bases, (k, rules x size), each with the rows of its rules one after the other, and is sent their costs,
    (k,), of which smaller is better. With default values, the decimal logarithm of the threshold and the number of the
    default strategy follow the rules. The first rule bases are those that always choose the same strategy.

    Examples
    --------
    >>> few = Symbiosis(rules=4, participations=2, parents=4, children=8, recombined=4, clusters=2)
    >>> asking = evolve(Rules(2), few, seed=1)
    >>> first = next(asking)
    >>> first.shape, asking.send(first.sum(axis=1)).shape
    ((13, 68), (4, 68))
    """
    generator = np.random.default_rng(seed)
    alone = always_the_same(layout, symbiosis)
    costs = yield alone
    best, least = yield from _until_no_progress(layout, symbiosis, generator)
    if costs.min() < least:
        best, least = alone[costs.argmin()], float(costs.min())
    yield from refine(layout, symbiosis, best, least, generator)


def always_the_same(layout: Rules, symbiosis: Symbiosis) -> Floats:
    """Return for each strategy a rule base whose rules recommend only this one, (strategies, genes).

    Examples
    --------
    >>> always_the_same(Rules(1, 2), Symbiosis(rules=2, children=50)).tolist()
    [[0.5, 1.0, 5.0, -5.0, 0.5, 1.0, 5.0, -5.0], [0.5, 1.0, -5.0, 5.0, 0.5, 1.0, -5.0, 5.0]]
    """
    where = np.repeat([[0.5, FIRST_WIDTHS[1]]], layout.features, axis=1)
    levels = np.where(np.eye(layout.strategies, dtype=np.bool_), LEVELS[-1], LEVELS[0])
    bases = np.tile(np.column_stack([np.repeat(where, layout.strategies, axis=0), levels]), symbiosis.rules)
    if not symbiosis.defaults:
        return bases
    return np.column_stack([bases, np.full(layout.strategies, LOG_THRESHOLDS[0]), np.arange(layout.strategies) + 0.5])


def _until_no_progress(
    layout: Rules, symbiosis: Symbiosis, generator: np.random.Generator
) -> Generator[Floats, Floats, tuple[Floats, float]]:
    """Evolve rules until some generations bring no better rule base; return the best one, (genes,), and its cost."""
    population, rivals = first_rules(layout, symbiosis.children, generator), np.full(symbiosis.children, math.nan)
    parents, defaults = np.empty((0, layout.size)), Defaults.first(layout, symbiosis, generator)
    step = symbiosis.step
    best, least, best_generation, generation = np.empty(0), math.inf, 0, 0
    while True:
        pool = np.concatenate([population, parents]) if symbiosis.plus else population
        bases = compose(similarity(layout, pool, pool), symbiosis.rules, symbiosis.participations, generator)
        genomes = pool[bases].reshape(len(bases), -1)
        if symbiosis.defaults:
            default_values = defaults.children if generation else defaults.children[: len(bases)]
            genomes = np.column_stack([genomes, default_values])
        costs = yield genomes
        if costs.min() < least:
            best, least, best_generation = genomes[costs.argmin()], float(costs.min()), generation
        if 0 < symbiosis.patience <= generation - best_generation:
            return best, least
        fitness = participation_fitness(bases, costs, len(pool))
        if symbiosis.defaults:
            defaults = defaults.next(costs, symbiosis, layout, generator)
        if generation:
            step = next_step(
                step, float((fitness[: symbiosis.children] < rivals).mean()), symbiosis.factor, symbiosis.success
            )
        fittest = select(
            cluster(pool[:, : layout.features], symbiosis.clusters, generator),
            fitness,
            symbiosis.parents,
            symbiosis.best_of_cluster,
        )
        parents = pool[fittest]
        families = choose_families(
            similarity(layout, parents, parents), symbiosis.children, symbiosis.recombined, generator
        )
        population = mutate(layout, recombine(parents, families, generator), step, symbiosis.levels_step, generator)
        rivals = fitness[fittest][
            families[np.arange(symbiosis.children), generator.integers(symbiosis.recombined, size=len(families))]
        ]
        generation += 1


def refine(layout: Rules, symbiosis: Symbiosis, base: Floats, cost: float, generator: np.random.Generator) -> Search:
    """Refine a rule base of known cost as a whole: the best of some children replaces it if not worse; never ends.

    A child differs in one rule, in two or more with a chance of 1/2, in three or more with 1/4, and so on. Half of
    these rules are new random ones; the centres and widths of the others move by the first step size. Default values
    do not change.

    Examples
    --------
    >>> asking = refine(Rules(1, 2), Symbiosis(rules=2, children=50), np.ones(8), 3.0, np.random.default_rng(0))
    >>> next(asking).shape
    (4, 8)
    """
    end = symbiosis.rules * layout.size
    while True:
        children = np.repeat(base[None], symbiosis.refined, axis=0)
        for child in children:
            rules = child[:end].reshape(symbiosis.rules, layout.size)
            for i in generator.choice(symbiosis.rules, min(generator.geometric(0.5), symbiosis.rules), replace=False):
                if generator.random() < 0.5:
                    rules[i] = first_rules(layout, 1, generator)
                else:
                    levels = rules[i, 2 * layout.features :].copy()
                    rules[i] = mutate(layout, rules[i][None], symbiosis.step, 1.0, generator)
                    rules[i, 2 * layout.features :] = levels
        costs = yield children
        if costs.min() <= cost:
            base, cost = children[costs.argmin()], float(costs.min())


def first_rules(layout: Rules, number: int, generator: np.random.Generator) -> Floats:
    """Return random rules, (number, size): centres in [0, 1], widths in [0.1, 1], any level for each strategy."""
    centres = generator.random((number, layout.features))
    widths = generator.uniform(*FIRST_WIDTHS, (number, layout.features))
    return np.column_stack([centres, widths, generator.choice(LEVELS, (number, layout.strategies))])


def gaussian(x: Floats, centre: Floats, width: Floats) -> Floats:
    """Return values of a Gaussian whose integral is 1 (equation 2): the wider, the lower.

    Examples
    --------
    >>> gaussian(np.array([0.5, 0.7]), np.array(0.5), np.array(0.2)).round(4).tolist()
    [1.9947, 1.2099]
    """
    return np.asarray(np.exp(-0.5 * ((x - centre) / width) ** 2) / (width * math.sqrt(2 * math.pi)))


def similarity(layout: Rules, rules: Floats, others: Floats) -> Floats:
    """Return the cross-correlation of all rules with all others, (k, l), the mean over the features (equation 11).

    Examples
    --------
    For a Gaussian with itself it is 1 / (2 sigma sqrt(pi)):

    >>> rule = np.array([[0.5, 0.1]])
    >>> round(similarity(Rules(1, 0), rule, rule).item(), 9), round(1 / (0.2 * math.sqrt(math.pi)), 9)
    (2.820947918, 2.820947918)
    """
    total = np.zeros((len(rules), len(others)))
    for f in range(layout.features):
        spread = np.sqrt(
            np.add.outer(rules[:, layout.features + f] ** 2, others[:, layout.features + f] ** 2)
        )  # of the difference of the two
        total += gaussian(np.subtract.outer(rules[:, f], others[:, f]), np.array(0.0), spread)
    return total / layout.features


def compose(similar: Floats, rules: int, participations: int, generator: np.random.Generator) -> Ints:
    """Return rule bases in which each rule takes part equally often (section 4.2.3, figure 3).

    The first rule of a base is random; each further rule is the least similar to the rule before it, of equals the
    first. A rule is eligible until it has taken part often enough. A rule that still has to take part in as many bases
    as are left must be in each of them.

    Parameters
    ----------
    similar
        (k, k), see `similarity`.
    rules, participations
        Number of rules of a base, and of bases of a rule. rules must divide k x participations.
    generator
        Chooses the first rules.

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
    members = np.empty((bases, rules), dtype=np.int64)
    for b in range(bases):
        eligible = missing > 0
        must_take = missing == bases - b
        for i in range(rules):
            open_to = must_take if must_take.sum() == rules - i else eligible
            if i == 0:
                rule = int(generator.choice(np.flatnonzero(open_to)))
            else:
                rule = int(np.where(open_to, similar[members[b, i - 1]], math.inf).argmin())
            members[b, i] = rule
            eligible[rule] = must_take[rule] = False
        missing[members[b]] -= 1
    return members


def participation_fitness(bases: Ints, costs: Floats, rules: int) -> Floats:
    """Return for each rule the mean cost of the bases in which it took part, (rules,) (algorithm 3, equation 12).

    Examples
    --------
    >>> participation_fitness(np.array([[0, 1], [1, 2], [2, 0]]), np.array([1.0, 2, 4]), 3).tolist()
    [2.5, 1.5, 3.0]
    """
    cost_of_place = np.repeat(costs, bases.shape[1])
    return np.bincount(bases.ravel(), cost_of_place, rules) / np.bincount(bases.ravel(), minlength=rules)


def cluster(centres: Floats, clusters: int, generator: np.random.Generator) -> Ints:
    """Return the cluster of each rule, by k-means over the centres of its Gaussians, (k, features).

    The paper's variant is an exchange method (Spaeth 1980); here it is Lloyd's method, from random rules.

    Returns
    -------
    (k,) int64
        The number of each rule's cluster, below `clusters`. Some numbers may not occur.
    """
    from scipy.cluster.vq import kmeans2

    first = centres[generator.choice(len(centres), min(clusters, len(centres)), replace=False)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # warns that a cluster is empty, which is allowed
        _, labels = kmeans2(centres, first, iter=LLOYD, minit="matrix")
    return np.asarray(labels, dtype=np.int64)


def select(labels: Ints, fitness: Floats, parents: int, best_of_cluster: int) -> Ints:
    """Return the rules that become parents, selected by clusters so that niches survive (algorithm 4).

    The fitness f_c of a cluster is the mean of its n best rules. The smaller it is, the more places the cluster gets:
    mu / (f_c sum 1 / f), rounded, but not more than it has rules. If these are too many places in all, the last rules
    are left out, in the order of the cluster's fitness and then their own; if too few, the first rules in the same
    order are added. An objective may be negative: if the fitness of a cluster is not positive, all are shifted so that
    the worst counts twice the best.

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
    by_rank = np.concatenate([members[c] for c in np.argsort(means, kind="stable")])
    within = np.concatenate([np.arange(len(members[c])) for c in np.argsort(means, kind="stable")])
    has_place = within < places[order]
    return np.sort(np.concatenate([by_rank[has_place], by_rank[~has_place]])[:parents])


def choose_families(similar: Floats, children: int, family_size: int, generator: np.random.Generator) -> Ints:
    """Return the parents of each child, (children, recombined) int64 (section 4.3.2).

    The first parent is random. The others of the first half are the most similar to it. The second half is random, from
    the remaining rules.
    """
    half, rules = family_size // 2, np.arange(len(similar))
    families = np.empty((children, family_size), dtype=np.int64)
    for child in range(children):
        first = int(generator.integers(len(similar)))
        nearest = np.argsort(-similar[first], kind="stable")
        alike = [first, *nearest[nearest != first][: half - 1]]
        others = np.setdiff1d(rules, alike)
        families[child] = [*alike, *generator.choice(others, half, replace=False)]
    return families


def recombine(parents: Floats, families: Ints, generator: np.random.Generator) -> Floats:
    """Return children, (children, size), with each gene from a random one of their parents (equation 13).

    Examples
    --------
    >>> parents, families = np.array([[1.0, 2, 3], [10, 20, 30]]), np.array([[0, 1], [0, 1]])
    >>> recombine(parents, families, np.random.default_rng(0)).tolist()
    [[10.0, 20.0, 30.0], [1.0, 2.0, 3.0]]
    """
    children, family_size = families.shape
    donor = generator.integers(family_size, size=(children, parents.shape[1]))
    return parents[np.take_along_axis(families, donor, axis=1), np.arange(parents.shape[1])]


def mutate(layout: Rules, rules: Floats, step: float, levels_step: float, generator: np.random.Generator) -> Floats:
    """Return rules plus normal numbers, (k, size) (equation 16); for recommendations `levels_step` times as large.

    Centres are reflected at 0 and 1. A width is the absolute value of the sum, and at least 0.001. A recommendation
    stays within -5 and 5.
    """
    scale = np.repeat([step, step * levels_step], [2 * layout.features, layout.strategies])
    children = rules + scale * generator.standard_normal(rules.shape)
    centres, widths, levels = np.split(np.arange(layout.size), [layout.features, 2 * layout.features])
    children[:, centres] = reflect(children[:, centres], np.zeros(layout.features), np.ones(layout.features))
    children[:, widths] = np.maximum(np.abs(children[:, widths]), LEAST_WIDTH)
    children[:, levels] = np.clip(children[:, levels], LEVELS[0], LEVELS[-1])
    return children


def next_step(step: float, share: float, factor: float, success: float) -> float:
    """Return the next step size, at most 1, by the share of successful mutations (Rechenberg's rule, equation 15).

    Examples
    --------
    >>> next_step(0.5, 0.5, 1.25, 1 / 8), next_step(0.5, 0.1, 1.25, 1 / 8), next_step(0.5, 1 / 8, 1.25, 1 / 8)
    (0.625, 0.4, 0.5)
    """
    return min(step * factor, MOST_STEP) if share > success else step / factor if share < success else step


class Defaults(NamedTuple):
    """The population of default values (section 4.3.4), a (10 + 70) strategy with the two-point rule.

    An individual has two genes: the decimal logarithm of a threshold, because memberships range over decades; and the
    number of a strategy as a real number in [0, strategies), read as its floor. It has a step size of its own, as a
    share of the range of each gene.

    Attributes
    ----------
    parents, parent_steps, parent_costs
        (mu, 2), (mu,), (mu,); empty at first.
    children, child_steps
        (lambda, 2), (lambda,): the individuals to simulate next.
    """

    parents: Floats
    parent_steps: Floats
    parent_costs: Floats
    children: Floats
    child_steps: Floats

    @classmethod
    def first(cls, layout: Rules, symbiosis: Symbiosis, generator: np.random.Generator) -> Defaults:
        """Return random individuals, one for each rule base; none without default values."""
        number = symbiosis.bases if symbiosis.defaults else 0
        logs = generator.uniform(*LOG_THRESHOLDS, number)
        children = np.column_stack([logs, generator.uniform(0, layout.strategies, number)])
        return cls(np.empty((0, 2)), np.empty(0), np.empty(0), children, np.full(number, symbiosis.step))

    def next(self, costs: Floats, symbiosis: Symbiosis, layout: Rules, generator: np.random.Generator) -> Defaults:
        """Return the next population: the best of parents and children, by costs of rule bases, (k,), with children.

        A child has one parent, and its step size multiplied or divided by 1.3, by chance.
        """
        all_costs = np.concatenate([self.parent_costs, costs])
        best = np.argsort(all_costs, kind="stable")[: symbiosis.default_parents]
        parents = np.concatenate([self.parents, self.children[: len(costs)]])[best]
        steps = np.concatenate([self.parent_steps, self.child_steps[: len(costs)]])[best]
        parent = generator.integers(len(best), size=symbiosis.bases)
        child_steps = steps[parent] * np.where(
            generator.random(symbiosis.bases) < 0.5, DEFAULT_FACTOR, 1 / DEFAULT_FACTOR
        )
        span = np.array([LOG_THRESHOLDS[1] - LOG_THRESHOLDS[0], layout.strategies])
        children = parents[parent] + child_steps[:, None] * span * generator.standard_normal((symbiosis.bases, 2))
        children[:, 0] = np.clip(children[:, 0], *LOG_THRESHOLDS)
        children[:, 1] = np.mod(children[:, 1], layout.strategies)
        return Defaults(parents, steps, all_costs[best], children, child_steps)
