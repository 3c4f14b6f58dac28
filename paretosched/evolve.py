"""Algorithms that search a box of real genomes, by ask and tell; the only importer of pymoo.

An algorithm is a generator. It yields a generation of genomes, (k, d), and is sent their costs, (k, q), all of them to
be minimised; then it yields the next generation. It neither simulates nor stores, and given the same seed and costs
it asks for the same genomes, bit for bit. A further algorithm is one more such function in ALGORITHMS.

Costs are the deciding objectives only (`front.costs`): utilisation with its sign changed, the AWRT_i of the groups
that have jobs, and not AWRT, which as a fixed mean of the AWRT_i never decides who dominates whom but would take part
in the crowding distance.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

Floats = NDArray[np.float64]
Search = Generator[Floats, Floats, None]

MOST_POPULATION = 10_000  # pymoo compares all pairs of two generations: 2 GB and three seconds


def search(algorithm: str, lower: Floats, upper: Floats, population: int, seed: int) -> Search:
    """Start an algorithm.

    Parameters
    ----------
    algorithm
        One of ALGORITHMS.
    lower, upper
        (d,), the box.
    population
        Genomes a generation, 4 to 10,000.
    seed
        Of all random choices, at least 0.

    Raises
    ------
    InputError
        An unknown algorithm, or a population or seed out of range.

    Examples
    --------
    >>> asking = search("random", np.zeros(2), np.ones(2), population=4, seed=1)
    >>> first = next(asking)
    >>> second = asking.send(np.zeros((4, 6)))
    >>> first.shape, second.shape, bool((first == second).any())
    ((4, 2), (4, 2), False)
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f'algorithm must be one of {", ".join(ALGORITHMS)}, but is "{algorithm}"')
    if not 4 <= population <= MOST_POPULATION:
        raise InputError(f"population must be in 4..{MOST_POPULATION}, but is {population}")
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    return ALGORITHMS[algorithm](lower, upper, population, seed)


def nsga2(lower: Floats, upper: Floats, population: int, seed: int) -> Search:
    """Run NSGA-II (Deb et al. 2002) as paper 002, section 3.2 describes it.

    (mu + lambda) selection with mu = lambda, uniform random first population, binary tournaments by rank and crowding.
    SBX with p_c = 0.9 and eta_c = 20 gives *one* child a crossover, as the paper says (Deb's gives two; which of the
    two is kept is a coin toss); polynomial mutation with probability 1/d a gene and eta_m = 20. Genomes that exist
    already are not asked for again, so that a generation may be smaller than the population; the search ends
    if nothing new can be made.
    """
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.problem import Problem
    from pymoo.core.termination import NoTermination
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.mutation.pm import PM

    algorithm = NSGA2(
        pop_size=population,
        # operators of our own: pymoo's defaults are shared between all its algorithm objects
        crossover=SBX(eta=20, prob=0.9, n_offsprings=1),
        mutation=PM(eta=20, prob=1.0, prob_var=1.0 / lower.size),
        output=None,
    )
    # `NSGA2(termination=...)` is overwritten by its constructor; `setup` is where it counts
    algorithm.setup(Problem(n_var=lower.size, n_obj=1, xl=lower, xu=upper), seed=seed, termination=NoTermination())
    while (asked := algorithm.infill()) is not None:
        costs = yield np.array(asked.get("X"), dtype=np.float64)
        asked.set("F", costs)
        algorithm.advance(infills=asked)


def random(lower: Floats, upper: Floats, population: int, seed: int) -> Search:
    """Ask for uniform random genomes and learn nothing: the baseline at equal budget."""
    generator = np.random.default_rng(seed)
    while True:
        yield lower + (upper - lower) * generator.random((population, lower.size))


ALGORITHMS: dict[str, Callable[[Floats, Floats, int, int], Search]] = {"nsga2": nsga2, "random": random}
