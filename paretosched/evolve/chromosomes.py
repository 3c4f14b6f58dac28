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
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.selection import Selection
from pymoo.core.termination import NoTermination

Genes = NDArray[np.int32]
Floats = NDArray[np.float64]


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
        elite=breeding.elite,
        pop_size=len(first),
        selection=_Tournament(breeding.tournament, breeding.keep),
        crossover=_OnePoint(breeding.crossover),
        mutation=_AnyNode(breeding.mutation, nodes),
        eliminate_duplicates=False,
        output=None,
    )
    problem = Problem(n_var=first.shape[1], n_obj=1, xl=0, xu=nodes - 1, vtype=int)
    algorithm.setup(problem, seed=0, termination=NoTermination())
    algorithm.random_state = generator
    asked = Population.new("X", first)
    while True:
        makespans = yield np.ascontiguousarray(asked.get("X"), dtype=np.int32)
        asked.set("F", makespans[:, None])
        algorithm.advance(infills=asked)
        asked = algorithm.infill()


class _Generational(GeneticAlgorithm):  # type: ignore[misc]
    """Children replace their parents, but for the elite."""

    def __init__(self, elite: int, **common: Any) -> None:
        super().__init__(**common)
        self.elite = elite

    def _initialize_advance(self, infills: Population, **_: Any) -> None:
        self.pop = infills
        self.makespan = infills.get("F")[:, 0]

    def _advance(self, infills: Population, **_: Any) -> None:
        makespan = infills.get("F")[:, 0]
        best = np.argsort(self.makespan, kind="stable")[: self.elite]
        worst = np.argsort(-makespan, kind="stable")[: self.elite]
        infills[worst] = self.pop[best]
        makespan[worst] = self.makespan[best]
        self.pop, self.makespan = infills, makespan

    def _set_optimum(self) -> None:
        """Find none: whoever asks keeps it."""


class _Tournament(Selection):  # type: ignore[misc]
    """Parents: each the best of a few, drawn from those that are not thrown away."""

    def __init__(self, size: int, keep: float) -> None:
        super().__init__()
        self.size = size
        self.keep = keep

    def _do(
        self,
        _problem: Problem,
        _pop: Population,
        n_select: int,
        n_parents: int,
        *_: Any,
        algorithm: _Generational,
        random_state: np.random.Generator,
        **__: Any,
    ) -> Any:
        makespan = algorithm.makespan
        pool = np.flatnonzero(makespan <= np.quantile(makespan, self.keep, method="inverted_cdf"))
        drawn = pool[random_state.integers(pool.size, size=(n_select, n_parents, self.size))]
        won = makespan[drawn].argmin(axis=2)
        return np.take_along_axis(drawn, won[:, :, None], axis=2)[:, :, 0]


class _OnePoint(Crossover):  # type: ignore[misc]
    """Two children of two parents, cut at one point."""

    def __init__(self, probability: float) -> None:
        super().__init__(n_parents=2, n_offsprings=2, prob=1.0)  # pymoo draws for each pair on its own
        self.probability = probability

    def _do(self, problem: Problem, X: Genes, *_: Any, random_state: np.random.Generator, **__: Any) -> Genes:
        pairs = X.shape[1]
        cut = random_state.integers(1, max(problem.n_var, 2), size=pairs)
        cut[random_state.random(pairs) >= self.probability] = problem.n_var
        tail = np.arange(problem.n_var) >= cut[:, None]
        return np.where(tail, X[::-1], X)


class _AnyNode(Mutation):  # type: ignore[misc]
    """Some genes become any node."""

    def __init__(self, probability: float, nodes: int) -> None:
        super().__init__(prob=1.0)
        self.probability = probability
        self.nodes = nodes

    def _do(self, _problem: Problem, X: Genes, *_: Any, random_state: np.random.Generator, **__: Any) -> Genes:
        # How many genes of the whole generation mutate, then which: the same as asking each of them, and much cheaper.
        count = random_state.binomial(X.size, self.probability)
        which = random_state.choice(X.size, size=count, replace=False, shuffle=False)
        mutated = X.copy()
        mutated.reshape(-1)[which] = random_state.integers(self.nodes, size=count)
        return mutated
