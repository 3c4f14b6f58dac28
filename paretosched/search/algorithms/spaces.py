"""What genomes are: reals in a box, or recipes of job sequences.

A sequence of 133,000 jobs is too long to be handed around. What evolves is how it was made: a recipe is one row

    number, parent, mate, key, frequency, jump

of float64, all but the last two whole. `number` is its place among all recipes a search asks for, 0, 1, 2, ...;
`parent` the number of the recipe whose sequence is varied, or -1 for a start order, and then `key` says which;
`mate` the number of the second parent of a recombination, or -1; `key` the seed of the variation; `frequency` and
`jump` are how many elementary moves it makes and how far they go on average, strategy parameters that evolve
themselves (paper 002, section 3.2, "Coding as Permutation"). No two recipes are equal, and who they descend from is
asked for before them, so that whoever keeps the sequences of the parents can make those of the children.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...core.errors import InputError
from ...encodings.recipes import KEYS

NUMBER, PARENT, MATE, KEY, FREQUENCY, JUMP = range(6)
NOBODY = -1.0
FACTOR = 1.3  # paper 002's gamma


class Reals(NamedTuple):
    """Vectors of reals between bounds.

    Attributes
    ----------
    lower, upper
        (d,) each.
    first
        (k, d), what the first generation begins with, at most a population; the rest of it is random.
    """

    lower: Floats
    upper: Floats
    first: Floats | None = None


class Recipes(NamedTuple):
    """Job sequences by what they are made from.

    Attributes
    ----------
    starts
        How many start orders there are.
    frequency, jump
        Of the first generation, in [1, most].
    most
        The largest of either; the number of jobs.
    recombination
        Probability that a child has a mate.
    """

    starts: int
    frequency: float
    jump: float
    most: int
    recombination: float = 0.0


def check(recipes: Recipes, most_starts: int) -> None:
    """Raise InputError if a parameter is out of range."""
    if not 1 <= recipes.starts <= most_starts:
        raise InputError(f"start orders must be 1..{most_starts}, but are {recipes.starts}")
    for name, value in (("frequency", recipes.frequency), ("jump", recipes.jump)):
        if not 1 <= value <= recipes.most:
            raise InputError(f"{name} must be in [1, {recipes.most}], but is {value:g}")
    if not 0 <= recipes.recombination <= 1:
        raise InputError(f"recombination must be a probability, but is {recipes.recombination:g}")


def first_generation(space: Reals | Recipes, population: int, generator: np.random.Generator) -> Floats:
    """Make the first generation, (k, d); recipes have no numbers yet.

    Of a box, what it begins with and uniform random points; of recipes, all start orders, and children of them in
    turn if the population is larger, with the initial strategy parameters.

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
    rows = np.full((max(space.starts, population), 6), NOBODY)
    rows[: space.starts, KEY] = np.arange(space.starts)
    rest = len(rows) - space.starts
    rows[space.starts :, PARENT] = np.arange(rest) % space.starts
    rows[space.starts :, KEY] = generator.integers(KEYS, size=rest)
    rows[:, FREQUENCY] = space.frequency
    rows[:, JUMP] = space.jump
    return rows


def children(space: Recipes, parents: Floats, mates: Floats, generator: np.random.Generator) -> Floats:
    """Make one child of every parent, (k, 6), without numbers yet.

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
    rows = np.full((count, 6), NOBODY)
    rows[:, PARENT] = parents[:, NUMBER]
    rows[:, MATE] = np.where(generator.random(count) < space.recombination, mates[:, NUMBER], NOBODY)
    rows[:, KEY] = generator.integers(KEYS, size=count)
    before = parents[:, FREQUENCY:]
    after = np.where(generator.random((count, 2)) < 0.5, before * FACTOR, before / FACTOR)
    rows[:, FREQUENCY:] = np.clip(after, 1, space.most)
    return rows


def numbered(rows: Floats, count: int) -> Floats:
    """Give recipes the numbers from `count` on; returns a copy.

    Examples
    --------
    >>> numbered(np.full((2, 6), NOBODY), 40)[:, NUMBER].tolist()
    [40.0, 41.0]
    """
    rows = rows.copy()
    rows[:, NUMBER] = np.arange(count, count + len(rows))
    return rows
