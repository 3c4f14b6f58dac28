"""Fitness sharing and fitness-proportional reproduction, the selection of NSGA."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...core.arrays import Floats

NICHES = 10  # Deb's q in sigma_share = 0.5 / q^(1/p)
NEXT_FRONT = 0.99  # of the least shared fitness of the front before


def shared_fitness(costs: ArrayLike) -> Floats:
    """Return the fitness of every candidate in NSGA, (k,), larger is better.

    Srinivas and Deb, Evolutionary Computation 2(3), 1994, as paper 002, section 3.1 outlines it. The candidates of the
    first non-dominated front have a dummy fitness of k, those of each further front 0.99 of the least fitness of the
    front before. The fitness is divided by the niche count, the sum over the front, itself included, of the sharing
    function 1 - (distance / sigma_share)^2, or 0 from sigma_share on.

    Srinivas and Deb measure distances between the genomes. Recipes have no meaningful distances, and paper 002 speaks
    of diversity in the space of objectives: here distances are Euclidean distances of costs, each cost divided by its
    range among all candidates. Deb's rule sigma_share = 0.5 / q^(1/p) for q = 10 niches then has p, the number of
    costs.

    Parameters
    ----------
    costs
        (k, p), all to be minimised.

    Examples
    --------
    With one cost, sigma_share is 0.05. Two equal candidates share the first place; the last one begins at 0.99
    of 3 / 2.

    >>> shared_fitness([[0], [0], [7]]).round(6).tolist()
    [1.5, 1.5, 1.485]
    """
    import moocore

    matrix = np.asarray(costs, dtype=np.float64)
    ranges = np.ptp(matrix, axis=0)
    places = matrix / np.where(ranges > 0, ranges, 1.0)
    sigma = 0.5 / NICHES ** (1 / matrix.shape[1])
    ranks = moocore.pareto_rank(matrix)
    fitness = np.empty(len(matrix))
    dummy = float(len(matrix))
    for rank in range(ranks.max() + 1):
        front = np.flatnonzero(ranks == rank)
        members = places[front]
        for i, place in zip(front, members, strict=True):
            squares = ((members - place) ** 2).sum(axis=1) / sigma**2
            fitness[i] = dummy / np.maximum(1 - squares, 0).sum()
        dummy = NEXT_FRONT * fitness[front].min()
    return fitness


def proportional(fitness: Floats, count: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return `count` candidates drawn in proportion to their fitness, (count,) rows in random order.

    Stochastic universal sampling (Baker 1987), which the handbook recommends that paper 002 cites for
    fitness-proportional selection: one spin of a wheel with `count` equidistant pointers, so that each candidate is
    drawn as often as the proportion says, up to rounding.

    Examples
    --------
    >>> sorted(proportional(np.array([2.0, 0.0, 1.0, 1.0]), 4, np.random.default_rng(0)).tolist())
    [0, 0, 2, 3]
    """
    edges = np.cumsum(fitness)
    pointers = (np.arange(count) + generator.random()) * (edges[-1] / count)
    candidates = np.searchsorted(edges, pointers, side="right")
    return generator.permutation(np.minimum(candidates, np.flatnonzero(fitness)[-1]))
