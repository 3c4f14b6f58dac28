"""What genomes are: reals in a box, or recipes of job sequences.

A sequence of 133,000 jobs is too long to be sent around. What evolves is how it was made: a recipe is one row

    number, parent, mate, key, frequency, jump

of float64, all but the last two whole. `number` is its place among all recipes a search asks for, 0, 1, 2, ...;
`parent` is the number of the recipe whose sequence is varied, or -1 for a start order, and then `key` says which;
`mate` is the number of the second parent of a recombination, or -1; `key` is the seed of the variation; `frequency` and
`jump` are how many elementary moves it makes and how far they go on average, strategy parameters that evolve
themselves (paper 002, section 3.2, "Coding as Permutation"). No two recipes are equal. A search asks for the parents
before it asks for their children, so that the sequences of the children can be made from those of the parents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...core.errors import InputError
from ...encodings.recipes import KEYS

NUMBER, PARENT, MATE, KEY, FREQUENCY, JUMP = range(6)
NO_PARENT = -1.0
FACTOR = 1.3  # paper 002's gamma


class Reals(NamedTuple):
    """Vectors of reals between bounds.

    Attributes
    ----------
    lower, upper
        (d,) each.
    first
        (k, d), the beginning of the first generation, at most a population; the rest is random.
    """

    lower: Floats
    upper: Floats
    first: Floats | None = None


class Recipes(NamedTuple):
    """Job sequences, each described by how it is made.

    Attributes
    ----------
    starts
        The number of start orders.
    frequency, jump
        Those of the first generation, in [1, most].
    most
        The largest frequency and jump: the number of jobs.
    recombination
        Probability that a child has a mate.
    """

    starts: int
    frequency: float
    jump: float
    most: int
    recombination: float = 0.0


def check(recipes: Recipes, most_starts: int) -> None:
    """Refuse recipes of which a parameter is out of range; raises InputError."""
    if not 1 <= recipes.starts <= most_starts:
        raise InputError(f"start orders must be 1..{most_starts}, but are {recipes.starts}")
    for name, value in (("frequency", recipes.frequency), ("jump", recipes.jump)):
        if not 1 <= value <= recipes.most:
            raise InputError(f"{name} must be in [1, {recipes.most}], but is {value:g}")
    if not 0 <= recipes.recombination <= 1:
        raise InputError(f"recombination must be a probability, but is {recipes.recombination:g}")


def first_generation(space: Reals | Recipes, population: int, generator: np.random.Generator) -> Floats:
    """Return the first generation, (k, d); recipes have no numbers yet.

    A generation of reals has `first` and then uniform random points. One of recipes has all start orders, and their
    children in turn if the population is larger, with the initial strategy parameters.

    Examples
    --------
    >>> space = Recipes(starts=2, frequency=8, jump=3, most=100)
    >>> rows = first_generation(space, 5, np.random.default_rng(0))
    >>> rows[:, PARENT].astype(int).tolist(), rows[:2, KEY].tolist(), rows[4, FREQUENCY:].tolist()
    ([-1, -1, 0, 1, 0], [0.0, 1.0], [8.0, 3.0])
    """
    if isinstance(space, Reals):
        points = space.lower + (space.upper - space.lower) * generator.random((population, space.lower.size))
        if space.first is not None:
            points = np.concatenate([space.first[:population], points])[:population]
        _, first_of_equals = np.unique(points, axis=0, return_index=True)
        return points[np.sort(first_of_equals)]
    rows = np.full((max(space.starts, population), 6), NO_PARENT)
    rows[: space.starts, KEY] = np.arange(space.starts)
    rest = len(rows) - space.starts
    rows[space.starts :, PARENT] = np.arange(rest) % space.starts
    rows[space.starts :, KEY] = generator.integers(KEYS, size=rest)
    rows[:, FREQUENCY] = space.frequency
    rows[:, JUMP] = space.jump
    return rows


def children(space: Recipes, parents: Floats, mates: Floats, generator: np.random.Generator) -> Floats:
    """Return one child of every parent, (k, 6), without numbers yet.

    A child has its mate with the probability of recombination. Its strategy parameters are its parent's, each
    multiplied or divided by 1.3 with equal probability and kept in [1, most].

    Examples
    --------
    >>> space = Recipes(starts=1, frequency=10, jump=1, most=12)
    >>> parents = np.array([[7.0, -1, -1, 0, 10, 1]] * 2)
    >>> rows = children(space, parents, parents, np.random.default_rng(2))
    >>> rows[:, [PARENT, MATE, FREQUENCY, JUMP]].round(2).tolist()
    [[7.0, -1.0, 7.69, 1.0], [7.0, -1.0, 12.0, 1.3]]
    """
    count = len(parents)
    rows = np.full((count, 6), NO_PARENT)
    rows[:, PARENT] = parents[:, NUMBER]
    rows[:, MATE] = np.where(generator.random(count) < space.recombination, mates[:, NUMBER], NO_PARENT)
    rows[:, KEY] = generator.integers(KEYS, size=count)
    parents_strategy = parents[:, FREQUENCY:]
    strategy = np.where(generator.random((count, 2)) < 0.5, parents_strategy * FACTOR, parents_strategy / FACTOR)
    rows[:, FREQUENCY:] = np.clip(strategy, 1, space.most)
    return rows


def with_numbers(rows: Floats, count: int) -> Floats:
    """Return a copy of recipes, numbered from `count` on.

    Examples
    --------
    >>> with_numbers(np.full((2, 6), NO_PARENT), 40)[:, NUMBER].tolist()
    [40.0, 41.0]
    """
    rows = rows.copy()
    rows[:, NUMBER] = np.arange(count, count + len(rows))
    return rows
