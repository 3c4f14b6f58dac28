"""The genetic algorithms of paper 003, on pymoo: a gene is a node, its position the job (Figure 2).

The typical algorithm (TGA) and the predictable and grouped one (PGGA) differ in their selection. Both are generational:
a tournament chooses parents, a crossover at one point makes two children of two parents, genes mutate to any node, and
the best of the old generation replace the worst children. PGGA removes chromosomes before it selects parents: those
whose fitness, 1 / makespan, is far from 1 / T*, where T* is the time that divisible loads would take (formula 7).

The paper says no more than that. Every number here is ours (`Breeding`), and so is the meaning of far: a makespan above
(1 + delta) T*, with the delta of the quantile `keep` of the present generation. So T* itself cancels out of the
selection; the prediction only tells the search when it has arrived.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.core.infill import InfillCriterion
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.termination import NoTermination

from ...core.arrays import Floats

Genes = NDArray[np.int32]


@dataclass(frozen=True)
class Breeding:
    """How chromosomes make the next generation; `methods.Genetic` has checked the numbers.

    Attributes
    ----------
    tournament
        Candidates of which the best becomes a parent.
    crossover
        Probability that two parents are crossed; else their copies are the children.
    mutation
        Probability that a gene becomes a node drawn uniformly.
    elite
        How many of the best stay.
    keep
        Share of a generation, from the best on, that may become parents; 1 for TGA.
    """

    tournament: int
    crossover: float
    mutation: float
    elite: int
    keep: float


def breed(
    first: Genes, nodes: int, breeding: Breeding, generator: np.random.Generator
) -> Generator[Genes, Floats, None]:
    """Yield generations of chromosomes, (p, m), without end; each time their makespans, (p,), must be sent.

    Parameters
    ----------
    first
        (p, m), the first generation.
    nodes
        The number of nodes, n; genes are 0..n-1.
    breeding
        How a generation makes the next one.
    generator
        The source of random numbers.
    """
    algorithm = _Generational(
        elite=breeding.elite, pop_size=len(first), mating=_Mating(breeding, nodes), survival=None, output=None
    )
    problem = Problem(n_var=first.shape[1], n_obj=1, xl=0, xu=nodes - 1, vtype=int)
    algorithm.setup(problem, seed=0, termination=NoTermination())
    algorithm.random_state = generator
    algorithm.children = first
    population = Population.new("X", first)
    while True:
        makespans = yield algorithm.children
        population.set("F", makespans[:, None])
        algorithm.children_makespan = makespans
        algorithm.advance(infills=population)
        population = algorithm.infill()


class _Generational(GeneticAlgorithm):  # type: ignore[misc]
    """Children replace their parents, but for the elite.

    The genes and makespans of a generation are also kept as arrays: to collect them from pymoo's objects, one a
    chromosome, takes longer than the breeding.
    """

    children: Genes  # (p, m), the generation that was yielded
    children_makespan: Floats  # (p,)
    genes: Genes  # (p, m), of the population
    makespan: Floats  # (p,), of the population

    def __init__(self, elite: int, **common: Any) -> None:
        super().__init__(**common)
        self.elite = elite

    def infill(self) -> Population:
        """Return the next generation, without writing its number into every object."""
        return self._infill()

    def _initialize_advance(self, infills: Population, **_: Any) -> None:
        self.pop, self.genes, self.makespan = infills, self.children, self.children_makespan

    def _advance(self, infills: Population, **_: Any) -> None:
        best = np.argsort(self.makespan, kind="stable")[: self.elite]
        worst = np.argsort(-self.children_makespan, kind="stable")[: self.elite]
        infills[worst] = self.pop[best]
        genes, makespan = self.children.copy(), self.children_makespan.copy()
        genes[worst], makespan[worst] = self.genes[best], self.makespan[best]
        self.pop, self.genes, self.makespan = infills, genes, makespan

    def _set_optimum(self) -> None:
        """Set none: the caller keeps the best chromosome."""


class _Mating(InfillCriterion):  # type: ignore[misc]
    """Selection, crossover and mutation of a whole generation at once."""

    def __init__(self, breeding: Breeding, nodes: int) -> None:
        super().__init__()
        self.breeding = breeding
        self.nodes = nodes

    def do(
        self,
        _problem: Problem,
        _pop: Population,
        count: int,
        algorithm: _Generational,
        random_state: np.random.Generator,
        **_: Any,
    ) -> Population:
        """Return `count` children of the present generation."""
        breeding = self.breeding
        pairs = parents(algorithm.makespan, (count + 1) // 2, breeding.tournament, breeding.keep, random_state)
        children = cross(algorithm.genes, pairs, breeding.crossover, random_state)[:count]
        mutate(children, breeding.mutation, self.nodes, random_state)
        algorithm.children = children
        return Population.new("X", children)


def parents(
    makespan: Floats, pairs: int, tournament: int, keep: float, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return pairs of parents, (2, pairs) rows: each the best of a few from the best share `keep` of a generation.

    Examples
    --------
    Of the makespans 1 to 4, the best quarter is the best one alone.

    >>> parents(np.array([4.0, 2.0, 1.0, 3.0]), 2, 2, 0.25, np.random.default_rng(0)).tolist()
    [[2, 2], [2, 2]]
    """
    pool = np.flatnonzero(makespan <= np.quantile(makespan, keep, method="inverted_cdf"))
    candidates = pool[generator.integers(pool.size, size=(2, pairs, tournament))]
    winners = makespan[candidates].argmin(axis=2)
    return np.take_along_axis(candidates, winners[:, :, None], axis=2)[:, :, 0]


def cross(genes: Genes, couples: NDArray[np.int64], probability: float, generator: np.random.Generator) -> Genes:
    """Return two children of every couple, (2 pairs, m): both cut at one point and the tails swapped, or copies."""
    jobs = genes.shape[1]
    pairs = couples.shape[1]
    cut = generator.integers(1, max(jobs, 2), size=pairs)
    cut[generator.random(pairs) >= probability] = jobs
    tail = np.arange(jobs) >= cut[:, None]
    mother, father = genes[couples]
    return np.concatenate([np.where(tail, father, mother), np.where(tail, mother, father)])


def mutate(genes: Genes, probability: float, nodes: int, generator: np.random.Generator) -> None:
    """Change each gene with a probability to any node; in place."""
    # First how many of all genes mutate, then which: the same as a draw for each gene, and much cheaper.
    count = generator.binomial(genes.size, probability)
    places = generator.choice(genes.size, size=count, replace=False, shuffle=False)
    genes.reshape(-1)[places] = generator.integers(nodes, size=count, dtype=np.int32)
