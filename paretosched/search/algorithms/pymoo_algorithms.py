"""The genetic algorithms, which are sent their costs generation by generation; imported when one is started.

All make as many children a generation as the population has. They differ in how they select parents:

nsga
    Srinivas and Deb 1994, as paper 002, section 3.1 describes it: `shared_fitness` of the last generation only, which
    forgets its parents (comma selection, mu = lambda), and reproduction in proportion to it.
nsga2
    Deb et al. 2002: the best by front and crowding distance of parents and children; binary tournaments.
unsga3
    Seada and Deb 2016: the fronts as in NSGA-II, but the last front that fits is thinned by the distances from
    `directions`; tournaments between neighbours.
agemoea2
    Panichella 2022: the last front is thinned by distances along the surface that its shape is estimated to have.
rvea
    Cheng et al. 2016: of the candidates nearest to each of the `directions` one remains, chosen by its distance from
    the ideal point and its angle; the angle counts for more the nearer the horizon is. There are as many parents as
    directions with a candidate.

Reals vary as in paper 002, section 3.2: SBX with p_c = 0.9 and eta_c = 20 gives *one* child a crossover, as the paper
says (Deb's gives two; a coin toss decides which is kept); polynomial mutation has probability 1/d a gene and
eta_m = 20. Recipes vary by `Recipes.children`.

The first generation is ours, because some algorithms need the number of costs when they are constructed. It draws from
the same generator of random numbers as pymoo.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import comb
from typing import Any

import numpy as np
from pymoo.algorithms.base.genetic import GeneticAlgorithm
from pymoo.algorithms.moo.age2 import AGEMOEA2, AGEMOEA2Survival
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.rvea import RVEA, APDSurvival, calc_gamma, calc_V
from pymoo.algorithms.moo.unsga3 import UNSGA3
from pymoo.core.crossover import Crossover
from pymoo.core.population import Population
from pymoo.core.problem import Problem
from pymoo.core.selection import Selection
from pymoo.core.survival import Survival
from pymoo.core.termination import NoTermination
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.nom import NoMutation
from pymoo.operators.mutation.pm import PM
from pymoo.termination.max_gen import MaximumGenerationTermination
from pymoo.util.ref_dirs import get_reference_directions

from ...core.arrays import Floats
from .niches import proportional, shared_fitness
from .spaces import NO_PARENT, PARENT, Reals, Recipes, Search, Space

MOST_DIRECTIONS = 1_000  # pymoo keeps the distance of every candidate from every direction
IDEAL = 1e-12  # nearer to the ideal point than this, in units of the front's extent, counts as reached
RANGE = 1e6  # of every cost in the first generation; see `_scale`


def evolve(
    name: str, space: Space, population: int, seed: int, generations: int | None, *, forget: bool = False
) -> Search:
    """Yield the generations of an algorithm; see `named_algorithms.search`, which has checked the arguments."""
    generator = np.random.default_rng(seed)
    genomes = space.with_numbers(space.first_generation(population, generator), 0)
    costs = yield genomes.copy()
    scale = _scale(costs) if name in ("unsga3", "agemoea2", "rvea") else 1.0
    algorithm = _build(name, space, population, costs.shape[1], generations, seed)
    algorithm.random_state = generator  # goes on where the first generation stopped
    infills = Population.new("X", genomes)
    count = len(genomes)
    while True:
        infills.set("F", costs / scale)
        with _quiet():
            algorithm.advance(infills=infills)
            infills = algorithm.infill()
        if infills is None:
            return
        if forget and count == len(genomes):  # the first generation: its children are known, it may go
            algorithm.pop = algorithm.pop[algorithm.pop.get("X")[:, PARENT] != NO_PARENT]
        genomes = space.with_numbers(np.array(infills.get("X"), dtype=np.float64), count)
        infills.set("X", genomes)
        count += len(genomes)
        costs = yield genomes.copy()


def _build(
    name: str, space: Space, population: int, costs: int, generations: int | None, seed: int
) -> GeneticAlgorithm:
    """Return pymoo's algorithm for so many costs."""
    problem, variation = _VARIATION[type(space)](space, costs)
    common: dict[str, Any] = {"pop_size": population, "output": None, **variation}
    termination = NoTermination()
    if name == "nsga":
        algorithm = _Nsga(**common)
    elif name == "nsga2":
        algorithm = NSGA2(**common)
    elif name == "agemoea2":
        algorithm = AGEMOEA2(**common)
        algorithm.survival = _Surface()
    elif name == "unsga3":
        spread = directions(costs, population)
        # fewer parents than directions confuse it
        common |= {"pop_size": max(population, len(spread)), "n_offsprings": population}
        algorithm = UNSGA3(spread, **common)
    else:
        assert generations is not None  # noqa: S101  # `search` has checked it
        spread = directions(costs, population)
        if costs == 1:
            spread = np.repeat(spread, 2, axis=0)  # RVEA needs the angle to the nearest other direction
        algorithm = RVEA(spread, survival=_Angles(spread), **common)
        termination = _Horizon(generations)
    # `NSGA2(termination=...)` is overwritten by its constructor, so `setup` gets it
    algorithm.setup(problem, seed=seed, termination=termination)
    return algorithm


# Operators of our own: pymoo's defaults are shared between all its algorithm objects.
def _vary_reals(space: Reals, costs: int) -> tuple[Problem, dict[str, Any]]:
    """Return pymoo's problem for so many costs, and the operators that vary vectors of reals."""
    dimensions = space.lower.size
    problem = Problem(n_var=dimensions, n_obj=costs, xl=space.lower, xu=space.upper)
    crossover = SBX(eta=20, prob=0.9, n_offsprings=1)
    return problem, {"crossover": crossover, "mutation": PM(eta=20, prob=1.0, prob_var=1.0 / dimensions)}


def _vary_recipes(space: Recipes, costs: int) -> tuple[Problem, dict[str, Any]]:
    """Return pymoo's problem for so many costs, and the operators that vary recipes, of which no two are equal."""
    operators = {"crossover": _Vary(space), "mutation": NoMutation(), "eliminate_duplicates": False}
    return Problem(n_var=6, n_obj=costs), operators


_VARIATION: dict[type, Callable[[Any, int], tuple[Problem, dict[str, Any]]]] = {
    Reals: _vary_reals,
    Recipes: _vary_recipes,
}  # here, so that spaces are known without pymoo


def directions(costs: int, most: int) -> Floats:
    """Return reference directions, spread evenly over the simplex, (r, costs), rows of sum 1.

    They are the points of Das and Dennis 1998, with as many partitions as `most` directions allow. If none of these
    lies within the simplex, the rest forms a second layer of half the size (Deb and Jain 2014, section V), even if this
    is only the middle. There is at least one direction a cost; beyond that, 1,000 are the most.

    Examples
    --------
    >>> directions(2, 4).round(2).tolist()
    [[0.0, 1.0], [0.33, 0.67], [0.67, 0.33], [1.0, 0.0]]
    >>> len(directions(7, 100)), len(directions(6, 100)), len(directions(7, 4))
    (91, 77, 7)
    """
    room = max(min(most, MOST_DIRECTIONS), costs)
    partitions = _partitions(costs, room)
    spread: Floats = get_reference_directions("das-dennis", costs, n_partitions=partitions)
    room -= len(spread)
    if partitions >= costs or room == 0:
        return spread
    inner = get_reference_directions("das-dennis", costs, n_partitions=_partitions(costs, room), scaling=0.5)
    return np.vstack([spread, inner])


def _partitions(costs: int, room: int) -> int:
    """Return the largest number of partitions that gives at most `room` directions."""
    if costs == 1:
        return 1
    partitions = 0
    while comb(partitions + costs, costs - 1) <= room:
        partitions += 1
    return partitions


def _scale(costs: Floats) -> Floats:
    """Return the divisor of each cost, (q,), with which pymoo can compare the costs.

    Until its first adaptation RVEA compares angles between costs of different units as they are. U-NSGA-III ignores
    differences below 1e-3 when it looks for extreme points, in any unit. Here the range of the first generation is a
    million, and 1e-3 a billionth of it. Dominance does not depend on the scale.
    """
    ranges = np.ptp(costs, axis=0)
    return np.where(ranges > 0, ranges, 1.0) / RANGE


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence pymoo's warnings on costs without a range; pymoo itself would silence all warnings for good."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


class _Vary(Crossover):  # type: ignore[misc]
    """Children of recipes."""

    def __init__(self, space: Recipes) -> None:
        super().__init__(n_parents=2, n_offsprings=1, prob=1.0)
        self.space = space

    def _do(self, _problem: Problem, X: Floats, *_: Any, random_state: np.random.Generator, **__: Any) -> Floats:
        parents, mates = X
        return self.space.children(parents, mates, random_state)[None]


class _Proportional(Selection):  # type: ignore[misc]
    """Parents, and mates, each drawn in proportion to their fitness."""

    def _do(
        self,
        _problem: Problem,
        pop: Population,
        n_select: int,
        n_parents: int,
        *_: Any,
        random_state: np.random.Generator,
        **__: Any,
    ) -> Any:
        fitness = pop.get("fitness")
        return np.column_stack([proportional(fitness, n_select, random_state) for _ in range(n_parents)])


class _Sharing(Survival):  # type: ignore[misc]
    """All candidates survive, each with a fitness."""

    def _do(self, _problem: Problem, pop: Population, *_: Any, **__: Any) -> Population:
        pop.set("fitness", shared_fitness(pop.get("F")))
        return pop


class _Nsga(GeneticAlgorithm):  # type: ignore[misc]
    """NSGA: each generation consists of the children of the last one."""

    def __init__(self, **common: Any) -> None:
        super().__init__(selection=_Proportional(), survival=_Sharing(), advance_after_initial_infill=True, **common)

    def _advance(self, infills: Population, **_: Any) -> None:
        self.pop = self.survival.do(self.problem, infills, random_state=self.random_state)

    def _set_optimum(self) -> None:
        """Set none: the archive is kept elsewhere."""


class _Surface(AGEMOEA2Survival):  # type: ignore[misc]
    """AGE-MOEA-II's selection, also where the ideal point is reached: pymoo divides by the distance from it."""

    @staticmethod
    def pairwise_distances(front: Floats, p: float) -> Floats:
        at_ideal = front.max(axis=1, keepdims=True) < IDEAL
        distances: Floats = AGEMOEA2Survival.pairwise_distances(np.where(at_ideal, IDEAL, front), p)
        return distances


class _Horizon(MaximumGenerationTermination):  # type: ignore[misc]
    """The horizon that RVEA needs; the search goes on beyond it."""

    def _update(self, _algorithm: GeneticAlgorithm) -> float:
        return 0.0


class _Angles(APDSurvival):  # type: ignore[misc]
    """RVEA's selection, also where pymoo's yields NaN.

    pymoo's divides by zero if the survivors agree in a cost, and all candidates then fall to one direction. Its cosines
    may exceed 1 by rounding, and a NaN wins every comparison. Beyond the horizon its penalty would grow on.
    """

    def __init__(self, spread: Floats) -> None:
        super().__init__(spread)
        self._aim(calc_V(spread))

    def adapt(self) -> None:
        ranges = self.nadir - self.ideal
        self._aim(calc_V(calc_V(self.ref_dirs) * np.where(ranges > 0, ranges, 1.0)))

    def _aim(self, vectors: Floats) -> None:
        self.V = vectors * (1 - 1e-12)  # no cosine exceeds 1
        self.gamma = calc_gamma(self.V)

    def _do(self, problem: Problem, pop: Population, n_survive: int, algorithm: RVEA, **_: Any) -> Population:
        horizon = algorithm.termination.n_max_gen
        generation = min(algorithm.n_gen - 1, horizon)
        return super()._do(problem, pop, n_survive, n_gen=generation, n_max_gen=horizon)
