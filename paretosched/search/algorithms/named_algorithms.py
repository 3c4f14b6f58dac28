"""Algorithms that search genomes by ask and tell.

An algorithm is a generator. It yields a generation of genomes, (k, d), and is sent their costs, (k, q), all to be
minimised; then it yields the next generation. It neither simulates nor stores. With the same seed and costs it asks
for the same genomes, bit for bit, however many generations there will be. Genomes are reals in a
`Reals`, or `Recipes` of job sequences; `chromosomes` has the two algorithms of paper 003, whose one cost is a makespan.

Costs are the deciding objectives only (`dominance.costs`): utilisation with its sign changed, the AWRT_i of the groups
that have jobs, and not AWRT, which as a fixed mean of the AWRT_i never decides who dominates whom but would take part
in the crowding distance. An algorithm learns the number of costs from the first ones it is sent.
"""

from __future__ import annotations

import math

import numpy as np

from ...core.arrays import Floats
from ...core.errors import InputError, one_of
from .archive_search import Aim, archive_search
from .spaces import Search, Space
from .surrogate import Behaviour

OF_ANY_GENOMES = ("nsga", "nsga2", "unsga3", "agemoea2", "rvea", "random")
ALGORITHMS = (*OF_ANY_GENOMES, "archive")
MOST_POPULATION = 10_000  # pymoo compares all pairs of two generations: 2 GB and three seconds
MOST_LAG = 100_000  # so many random schedules are the first ones
MOST_OF_AGEMOEA2 = 1_000  # its time grows with the cube of the population: up to 45 seconds there


def search(
    algorithm: str,
    space: Space,
    population: int,
    seed: int,
    generations: int | None = None,
    *,
    forget: bool = False,
    aim: Aim | None = None,
    lag: int | None = None,
    behaviour: Behaviour | None = None,
) -> Search:
    """Return an algorithm, ready to yield its first generation.

    Parameters
    ----------
    algorithm
        One of ALGORITHMS: "nsga", "nsga2", "unsga3", "agemoea2" and "rvea" as `pymoo_algorithms` describes them;
        "random", which learns nothing, the baseline at equal budget: uniform genomes, or one variation of a random
        start order; or "archive", as `archive_search` describes it.
    space
        The genomes to search.
    population
        Genomes a generation, 4 to 10,000; to 1,000 for "agemoea2". The first generation of recipes has all start
        orders, even if these are more. Genomes of reals that a parent or the generation has already are not asked for
        again, so a generation may be smaller, and the search ends if nothing new can be made.
    seed
        The seed of all random choices, at least 0.
    generations
        For "rvea" only and required there: the horizon, counting the first generation. Until then convergence weighs
        less and less, and spread more and more; beyond it the weights stay. The genomes depend on it as on the seed,
        so a run can only be continued with the same horizon.
    forget
        For "nsga" and "nsga2" and recipes only: start orders have children, but do not survive the first generation
        (paper 002, section 3.2).
    aim
        For "archive" only: where it looks.
    lag
        For "archive" only, see there; by default the population.
    behaviour
        For "archive" only: what genomes do, for its surrogate; None without one.

    Raises
    ------
    InputError
        The algorithm is unknown, or a parameter is out of range.

    Examples
    --------
    >>> from paretosched.search.algorithms.spaces import Reals
    >>> asking = search("random", Reals(np.zeros(2), np.ones(2)), population=4, seed=1)
    >>> first = next(asking)
    >>> second = asking.send(np.zeros((4, 6)))
    >>> first.shape, second.shape, bool((first == second).any())
    ((4, 2), (4, 2), False)
    """
    one_of("algorithm", algorithm, ALGORITHMS)
    most = MOST_OF_AGEMOEA2 if algorithm == "agemoea2" else MOST_POPULATION
    if not 4 <= population <= most:
        raise InputError(f"population must be in 4..{most} for {algorithm}, but is {population}")
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    if algorithm == "rvea":
        if generations is None or generations < 1:
            raise InputError(f"generations must be given for rvea, a whole number of at least 1, but are {generations}")
    elif generations is not None:
        raise InputError(f"generations are the horizon of rvea, {algorithm} has none, but they are {generations}")
    space.check(most)
    if algorithm == "archive":
        return archive_search(space, population if lag is None else lag, seed, aim, behaviour)
    if algorithm == "random":
        return space.at_random(population, np.random.default_rng(seed))
    from .pymoo_algorithms import evolve  # here, because pymoo takes half a second

    return evolve(algorithm, space, population, seed, generations, forget=forget)


def lag_of(algorithm: str, population: int, lag: int | None) -> float | None:
    """Return by how many evaluations the genomes of an algorithm may lag behind the results they depend on.

    Parameters
    ----------
    algorithm
        One of ALGORITHMS, or "all".
    population, lag
        As for `search`.

    Returns
    -------
    float or None
        The lag of "archive"; infinite for "random" and "all", whose genomes depend on no result; None for algorithms
        with generations, which end in a wait for all results.

    Raises
    ------
    InputError
        The lag is out of range, or has no meaning.
    """
    if algorithm == "archive":
        lag = population if lag is None else lag
        if not 1 <= lag <= MOST_LAG:
            raise InputError(f"lag must be in 1..{MOST_LAG} evaluations, but is {lag}")
        return lag
    if lag is not None:
        why = "depends on no results" if algorithm in ("random", "all") else "has generations"
        raise InputError(f'lag must not be given with the algorithm "{algorithm}", which {why}')
    return math.inf if algorithm in ("random", "all") else None


def enumeration(genomes: Floats, population: int) -> Search:
    """Yield the rows of `genomes`, (n, d), in generations of `population`, and nothing else."""
    for first in range(0, len(genomes), population):
        yield genomes[first : first + population].copy()
