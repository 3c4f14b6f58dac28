"""The genetic algorithms of paper 003, on pymoo: a gene is a node, its position the job (Figure 2).

The typical one (TGA) and the predictable and grouped one (PGGA) differ in their selection. Both are generational: a
tournament chooses parents, one point divides two of them into two children, genes mutate to any node, and the best of
the old generation take the places of the worst children. PGGA throws chromosomes away before it selects parents: those
whose fitness, 1 / makespan, is far from 1 / T*, where T* is the time that divisible loads would take (formula 7).

The paper says no more than that; every number here is ours (`Breeding`), and so is what is far: a makespan above
(1 + delta) T*, with the delta that the quantile `keep` of the present generation has. T* itself thus cancels out of the
selection, and of the prediction remains that the search knows when it has arrived.
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
    """How chromosomes make the next generation; `assignment.Genetic` has checked it.

    Attributes
    ----------
    tournament
        Candidates of which the best becomes a parent.
    crossover
        Probability that two parents are crossed; else their copies are the children.
    mutation
        Probability of a gene to become a node drawn uniformly.
    elite
        How many of the best live on.
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
    """Yield generations of chromosomes, (p, m), and be sent their makespans, (p,), after each; for ever.

    Parameters
    ----------
    first
        (p, m), the first generation.
    nodes
        How many there are, n; genes are 0..n-1.
    breeding
        How it goes on.
    generator
        Of the random numbers.
    """
    algorithm = _Generational(
        elite=breeding.elite, pop_size=len(first), mating=_Mating(breeding, nodes), survival=None, output=None
    )
    problem = Problem(n_var=first.shape[1], n_obj=1, xl=0, xu=nodes - 1, vtype=int)
    algorithm.setup(problem, seed=0, termination=NoTermination())
    algorithm.random_state = generator
    algorithm.children = first
    asked = Population.new("X", first)
    while True:
        makespans = yield algorithm.children
        asked.set("F", makespans[:, None])
        algorithm.told = makespans
        algorithm.advance(infills=asked)
        asked = algorithm.infill()


class _Generational(GeneticAlgorithm):  # type: ignore[misc]
    """Children replace their parents, but for the elite.

    The genes and makespans of a generation are kept as arrays beside pymoo's objects, one a chromosome, from which it
    takes longer to collect them than to breed.
    """

    children: Genes  # (p, m), asked for
    told: Floats  # (p,), their makespans
    genes: Genes  # (p, m), of the population
    makespan: Floats

    def __init__(self, elite: int, **common: Any) -> None:
        super().__init__(**common)
        self.elite = elite

    def infill(self) -> Population:
        return self._infill()  # and no numbers of generations in every object

    def _initialize_advance(self, infills: Population, **_: Any) -> None:
        self.pop, self.genes, self.makespan = infills, self.children, self.told

    def _advance(self, infills: Population, **_: Any) -> None:
        best = np.argsort(self.makespan, kind="stable")[: self.elite]
        worst = np.argsort(-self.told, kind="stable")[: self.elite]
        infills[worst] = self.pop[best]
        genes, makespan = self.children.copy(), self.told.copy()
        genes[worst], makespan[worst] = self.genes[best], self.makespan[best]
        self.pop, self.genes, self.makespan = infills, genes, makespan

    def _set_optimum(self) -> None:
        """Find none: whoever asks keeps it."""


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
        how = self.breeding
        chosen = parents(algorithm.makespan, (count + 1) // 2, how.tournament, how.keep, random_state)
        children = crossed(algorithm.genes, chosen, how.crossover, random_state)[:count]
        mutate(children, how.mutation, self.nodes, random_state)
        algorithm.children = children
        return Population.new("X", children)


def parents(
    makespan: Floats, pairs: int, tournament: int, keep: float, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Choose pairs of parents, (2, pairs): each the best of some drawn from the best share `keep` of a generation.

    Examples
    --------
    Of makespans 1 to 4, a share of a quarter is the best one alone.

    >>> parents(np.array([4.0, 2.0, 1.0, 3.0]), 2, 2, 0.25, np.random.default_rng(0)).tolist()
    [[2, 2], [2, 2]]
    """
    pool = np.flatnonzero(makespan <= np.quantile(makespan, keep, method="inverted_cdf"))
    drawn = pool[generator.integers(pool.size, size=(2, pairs, tournament))]
    won = makespan[drawn].argmin(axis=2)
    return np.take_along_axis(drawn, won[:, :, None], axis=2)[:, :, 0]


def crossed(genes: Genes, chosen: NDArray[np.int64], probability: float, generator: np.random.Generator) -> Genes:
    """Make two children of every pair, (2 pairs, m): cut both at one point and swap the tails, or copy them."""
    jobs = genes.shape[1]
    pairs = chosen.shape[1]
    cut = generator.integers(1, max(jobs, 2), size=pairs)
    cut[generator.random(pairs) >= probability] = jobs
    tail = np.arange(jobs) >= cut[:, None]
    one, other = genes[chosen]
    return np.concatenate([np.where(tail, other, one), np.where(tail, one, other)])


def mutate(genes: Genes, probability: float, nodes: int, generator: np.random.Generator) -> None:
    """Let genes, each with a probability, become any node; in place."""
    # How many of all genes mutate, then which: the same as asking each of them, and much cheaper.
    count = generator.binomial(genes.size, probability)
    which = generator.choice(genes.size, size=count, replace=False, shuffle=False)
    genes.reshape(-1)[which] = generator.integers(nodes, size=count, dtype=np.int32)
