"""Evolution strategies: one objective, vectors of reals in a box, by ask and tell.

A strategy is a generator, as in `named_algorithms`, but of one cost: it yields genomes, (k, d), and is sent their
fitness, (k,), of which smaller is better; then it yields the next genomes. With the same seed and fitness it yields the
same genomes, bit for bit. Only the order of fitness values matters to both strategies, so penalties may be of any size.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Generator
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.errors import one_of

Search = Generator[Floats, Floats, None]

STRATEGIES = ("es", "cma")
PARENTS, CHILDREN = 15, 105  # mu and lambda of paper 000, IV-C
FIRST_STEP = 0.1  # of the range of a gene
SMALLEST_STEP = 1e-4  # likewise
FIRST_STEP_OF_CMA = 0.3  # likewise; the optimum is within three steps of most starts


def search(strategy: str, lower: Floats, upper: Floats, seed: int | list[int]) -> Search:
    """Return a search by a strategy: a generator that is not started yet.

    Parameters
    ----------
    strategy
        "es": the (15 + 105) evolution strategy of paper 000, see `evolution_strategy`. "cma": CMA-ES, see
        `covariance_adaptation`.
    lower, upper
        (d,) bounds of the genes, d at least 2.
    seed
        Of all random choices.

    Raises
    ------
    InputError
        An unknown strategy.

    Examples
    --------
    >>> asking = search("es", np.zeros(2), np.ones(2), seed=1)
    >>> first = next(asking)
    >>> second = asking.send(first.sum(axis=1))
    >>> first.shape, second.shape
    ((15, 2), (105, 2))
    """
    one_of("strategy", strategy, STRATEGIES)
    return (evolution_strategy if strategy == "es" else covariance_adaptation)(lower, upper, seed)


def evolution_strategy(lower: Floats, upper: Floats, seed: int | list[int]) -> Search:
    """Run the (mu + lambda) evolution strategy of paper 000, sections II-B and IV-C; it never ends.

    It yields 15 parents first, uniform in the box, then 105 children in every generation. The best 15 of parents and
    children are the next parents; of equals the older ones. Every gene has a step size of its own, which is inherited
    and adapts itself (Beyer and Schwefel 2002): `recombine` and `mutate`. The first step sizes are a tenth of the
    range. The paper leaves them open, and the details of both operators.
    """
    generator = np.random.default_rng(seed)
    span = upper - lower
    genes = lower + span * generator.random((PARENTS, lower.size))
    steps = np.tile(FIRST_STEP * span, (PARENTS, 1))
    fitness = yield genes.copy()
    while True:
        children, child_steps = mutate(*recombine(genes, steps, CHILDREN, generator), lower, upper, generator)
        of_children = yield children.copy()
        best = np.argsort(np.concatenate([fitness, of_children]), kind="stable")[:PARENTS]
        genes, steps = np.concatenate([genes, children])[best], np.concatenate([steps, child_steps])[best]
        fitness = np.concatenate([fitness, of_children])[best]


def recombine(genes: Floats, steps: Floats, children: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    """Return genes and step sizes of children, from those of their parents: two (children, d).

    Genes by discrete recombination of all parents: each gene comes from a random parent. Step sizes by intermediate
    recombination of two different parents: their mean.

    Parameters
    ----------
    genes, steps
        (mu, d) each, of at least two parents.
    children
        How many.
    generator
        Of random choices.

    Examples
    --------
    >>> genes, steps = np.array([[1.0, 2], [10, 20]]), np.array([[0.25, 2], [0.75, 4]])
    >>> recombine(genes, steps, 3, np.random.default_rng(0))[0].tolist()
    [[10.0, 20.0], [10.0, 2.0], [1.0, 2.0]]
    >>> recombine(genes, steps, 3, np.random.default_rng(0))[1].tolist()
    [[0.5, 3.0], [0.5, 3.0], [0.5, 3.0]]
    """
    parents, d = genes.shape
    donor = generator.integers(parents, size=(children, d))  # the parent of each gene
    first = generator.integers(parents, size=children)
    second = (first + 1 + generator.integers(parents - 1, size=children)) % parents
    return genes[donor, np.arange(d)], (steps[first] + steps[second]) / 2


def mutate(
    genes: Floats, steps: Floats, lower: Floats, upper: Floats, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return genes after one step each, and their adapted step sizes: two (k, d).

    A step size is multiplied by exp(tau' N + tau N_i), where N is one normal number a child, N_i one a gene, tau =
    1 / sqrt(2 sqrt(d)) and tau' = 1 / sqrt(2 d), and is at least 1e-4 of the range. A gene moves by its step size
    times a normal number, and is reflected at its bounds.
    """
    k, d = genes.shape
    tau, overall = 1 / math.sqrt(2 * math.sqrt(d)), 1 / math.sqrt(2 * d)
    exponent = overall * generator.standard_normal((k, 1)) + tau * generator.standard_normal((k, d))
    new_steps = np.maximum(steps * np.exp(exponent), SMALLEST_STEP * (upper - lower))
    return reflect(genes + new_steps * generator.standard_normal((k, d)), lower, upper), new_steps


def reflect(genes: Floats, lower: Floats, upper: Floats) -> Floats:
    """Return genes inside the box, (k, d): reflected at a bound, as far inside as they were outside, until they fit.

    Examples
    --------
    >>> reflect(np.array([[-1.0, 7.0], [12.5, 4.0]]), np.zeros(2), np.array([5.0, 5.0])).tolist()
    [[1.0, 3.0], [2.5, 4.0]]
    """
    span = upper - lower
    beyond = np.mod(genes - lower, 2 * span)
    mirror_image = lower + np.minimum(beyond, 2 * span - beyond)
    inside = (genes >= lower) & (genes <= upper)
    return np.where(inside, genes, np.clip(mirror_image, lower, upper))  # a sum may be rounded beyond a bound


def covariance_adaptation(lower: Floats, upper: Floats, seed: int | list[int]) -> Search:
    """Run CMA-ES (Hansen and Ostermeier 2001) of the library `cma`; it never ends.

    Genes are scaled to [0, 1]; the library keeps them there by its transformation at the bounds. The search begins at a
    random place with a step size of 0.3 and the library's default population, 4 + 3 ln d. When one of the library's
    criteria says that no better genome can be expected, it begins again at another random place, with twice the
    population (Auger and Hansen 2005).
    """
    generator = np.random.default_rng(seed)
    population = 4 + int(3 * math.log(lower.size))
    while True:
        strategy = covariance_strategy(generator.random(lower.size), FIRST_STEP_OF_CMA, population, generator)
        while not strategy.stop():
            points = strategy.ask()  # in [0, 1]
            fitness = yield np.clip(lower + (upper - lower) * np.array(points), lower, upper)
            strategy.tell(points, fitness.tolist())
        population *= 2


def covariance_strategy(start: Floats, step: float, population: int, generator: np.random.Generator) -> Any:
    """Return a CMA-ES of the library `cma` for genes in [0, 1]: an object with `ask`, `tell` and `stop`.

    Parameters
    ----------
    start, step
        (d,), where the search begins, and its first step size.
    population
        Genomes in a generation.
    generator
        Of random choices.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Could not import matplotlib")  # make installs none, cma's plots rest
        import cma  # here, because that takes a second

    options = {
        "bounds": [0, 1],
        "popsize": population,
        "randn": lambda *shape: generator.standard_normal(shape),
        "seed": math.nan,  # does not change the random numbers of the process
        "signals_filename": "",  # a file in the current directory must not steer the search
        "verbose": -9,
    }
    return cma.CMAEvolutionStrategy(start, step, options)


def limit_genomes(searching: Search, genomes: int) -> Search:
    """Run a search until it has yielded so many genomes; the last generation may be cut.

    Examples
    --------
    >>> asking = limit_genomes(search("es", np.zeros(2), np.ones(2), seed=1), 20)
    >>> len(next(asking)), len(asking.send(np.zeros(15)))
    (15, 5)
    """
    generation = next(searching)
    while len(generation) < genomes:
        genomes -= len(generation)
        generation = searching.send((yield generation))
    yield generation[:genomes]
