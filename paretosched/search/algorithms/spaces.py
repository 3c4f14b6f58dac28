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

from collections.abc import Callable, Generator
from typing import NamedTuple, Protocol

import numpy as np

from ...core.arrays import Floats
from ...core.errors import InputError
from ...encodings.recipes import KEYS

Search = Generator[Floats, Floats, None]
"""An algorithm at work: it yields generations of genomes, and each time their costs must be sent."""

Draw = Callable[[int, np.random.Generator], Floats]
"""Function of a number and a source of randomness to so many random genomes, (count, d)."""

NUMBER, PARENT, MATE, KEY, FREQUENCY, JUMP = range(6)
NO_PARENT = -1.0
FACTOR = 1.3  # paper 002's gamma


class Space(Protocol):
    """What an algorithm searches: `Reals` or `Recipes`."""

    def check(self, most_starts: int, /) -> None:
        """Refuse a space of which a parameter is out of range, or that has too many start orders.

        Raises
        ------
        InputError
            A parameter is out of range.
        """

    def first_generation(self, population: int, generator: np.random.Generator, /) -> Floats:
        """Return the first generation of a genetic algorithm, (k, d), without numbers yet."""

    def with_numbers(self, genomes: Floats, count: int, /) -> Floats:
        """Return genomes, (k, d), as they are asked for after `count` others: recipes get their numbers."""

    def at_random(self, population: int, generator: np.random.Generator, /) -> Search:
        """Yield generations of random genomes, (k, d), without end; the costs that it is sent teach it nothing."""


class Moves(Protocol):
    """How an archive search varies genomes: as points, whose coordinates mean something to moves."""

    def first(self, least: int, generator: np.random.Generator, /) -> tuple[Floats, Floats]:
        """Return the points to begin with, (k, ...), at least so many, and their genomes, (k, d)."""

    def genomes(self, points: Floats, /) -> Floats:
        """Return the genomes that points, (k, ...), stand for, (k, d)."""

    def points(self, genomes: Floats, /) -> Floats:
        """Return points, (k, ...), that stand for genomes, (k, d)."""

    def vary(self, child: Floats, mate: Floats | None, generator: np.random.Generator, /) -> None:
        """Make a copy of a parent, a point, its child: give it something of a mate, if any, and move it; in place."""


class Reals(NamedTuple):
    """Vectors of reals between bounds; its methods are those of `Space`.

    Attributes
    ----------
    lower, upper
        (d,) each.
    first
        (k, d), the beginning of the first generation, at most a population; the rest is random.
    draw
        How random vectors are made; None for uniform ones.
    moves
        How an archive search varies them; None for weightings.
    """

    lower: Floats
    upper: Floats
    first: Floats | None = None
    draw: Draw | None = None
    moves: Moves | None = None

    def check(self, _most_starts: int) -> None:
        """Refuse nothing: there are no start orders."""

    def first_generation(self, population: int, generator: np.random.Generator) -> Floats:
        """Return `first` and then random points, (k, d), no two of them equal."""
        points = self._random(population, generator)
        if self.first is not None:
            points = np.concatenate([self.first[:population], points])[:population]
        _, first_of_equals = np.unique(points, axis=0, return_index=True)
        return points[np.sort(first_of_equals)]

    def with_numbers(self, genomes: Floats, _count: int) -> Floats:
        """Return the genomes: they have no numbers."""
        return genomes

    def at_random(self, population: int, generator: np.random.Generator) -> Search:
        """Yield `first` and random points, (population, d), and then random points."""
        if self.first is not None:
            yield self.first_generation(population, generator)
        while True:
            yield self._random(population, generator)

    def _random(self, count: int, generator: np.random.Generator) -> Floats:
        """Return random points, (count, d)."""
        if self.draw is not None:
            return self.draw(count, generator)
        return self.lower + (self.upper - self.lower) * generator.random((count, self.lower.size))


class Recipes(NamedTuple):
    """Job sequences, each described by how it is made; its methods are those of `Space`.

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
    copies
        Whether the first generation has copies of the start orders where there are less than a population, as in paper
        002 (section 4.3, "multiple copies of the original job sequence"); else it has their children.
    """

    starts: int
    frequency: float
    jump: float
    most: int
    recombination: float = 0.0
    copies: bool = False

    def check(self, most_starts: int) -> None:
        """Refuse recipes of which a parameter is out of range; raises InputError."""
        if not 1 <= self.starts <= most_starts:
            raise InputError(f"start orders must be 1..{most_starts}, but are {self.starts}")
        for name, value in (("frequency", self.frequency), ("jump", self.jump)):
            if not 1 <= value <= self.most:
                raise InputError(f"{name} must be in [1, {self.most}], but is {value:g}")
        if not 0 <= self.recombination <= 1:
            raise InputError(f"recombination must be a probability, but is {self.recombination:g}")

    def first_generation(self, population: int, generator: np.random.Generator) -> Floats:
        """Return all start orders, and their children or copies in turn if the population is larger, (k, 6).

        They have the initial strategy parameters.

        Examples
        --------
        >>> space = Recipes(starts=2, frequency=8, jump=3, most=100)
        >>> rows = space.first_generation(5, np.random.default_rng(0))
        >>> rows[:, PARENT].astype(int).tolist(), rows[:2, KEY].tolist(), rows[4, FREQUENCY:].tolist()
        ([-1, -1, 0, 1, 0], [0.0, 1.0], [8.0, 3.0])
        """
        rows = np.full((max(self.starts, population), 6), NO_PARENT)
        rows[: self.starts, KEY] = np.arange(self.starts)
        rest = len(rows) - self.starts
        if self.copies:
            rows[:, KEY] = np.arange(len(rows)) % self.starts
        else:
            rows[self.starts :, PARENT] = np.arange(rest) % self.starts
            rows[self.starts :, KEY] = generator.integers(KEYS, size=rest)
        rows[:, FREQUENCY] = self.frequency
        rows[:, JUMP] = self.jump
        return rows

    def children(self, parents: Floats, mates: Floats, generator: np.random.Generator) -> Floats:
        """Return one child of every parent, (k, 6), without numbers yet.

        A child has its mate with the probability of recombination. Its strategy parameters are its parent's, each
        multiplied or divided by 1.3 with equal probability and kept in [1, most].

        Examples
        --------
        >>> space = Recipes(starts=1, frequency=10, jump=1, most=12)
        >>> parents = np.array([[7.0, -1, -1, 0, 10, 1]] * 2)
        >>> rows = space.children(parents, parents, np.random.default_rng(2))
        >>> rows[:, [PARENT, MATE, FREQUENCY, JUMP]].round(2).tolist()
        [[7.0, -1.0, 7.69, 1.0], [7.0, -1.0, 12.0, 1.3]]
        """
        count = len(parents)
        rows = np.full((count, 6), NO_PARENT)
        rows[:, PARENT] = parents[:, NUMBER]
        rows[:, MATE] = np.where(generator.random(count) < self.recombination, mates[:, NUMBER], NO_PARENT)
        rows[:, KEY] = generator.integers(KEYS, size=count)
        parents_strategy = parents[:, FREQUENCY:]
        strategy = np.where(generator.random((count, 2)) < 0.5, parents_strategy * FACTOR, parents_strategy / FACTOR)
        rows[:, FREQUENCY:] = np.clip(strategy, 1, self.most)
        return rows

    def with_numbers(self, genomes: Floats, count: int) -> Floats:
        """Return a copy of recipes, (k, 6), numbered from `count` on.

        Examples
        --------
        >>> recipes = Recipes(starts=2, frequency=8, jump=3, most=100)
        >>> recipes.with_numbers(np.full((2, 6), NO_PARENT), 40)[:, NUMBER].tolist()
        [40.0, 41.0]
        """
        rows = genomes.copy()
        rows[:, NUMBER] = np.arange(count, count + len(rows))
        return rows

    def at_random(self, population: int, generator: np.random.Generator) -> Search:
        """Yield the first generation, and then generations of children of random start orders."""
        first = self.with_numbers(self.first_generation(population, generator), 0)
        yield first.copy()
        count = len(first)
        while True:
            parents, mates = first[generator.integers(self.starts, size=(2, population))]
            yield self.with_numbers(self.children(parents, mates, generator), count)
            count += population


class RecipeMoves(NamedTuple):
    """How an archive search varies job sequences: a point is a recipe. Its methods are those of `Moves`."""

    space: Recipes

    def first(self, least: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return all start orders, and children of theirs up to `least` recipes, as points and as genomes, (k, 6)."""
        rows = self.space.with_numbers(self.space.first_generation(least, generator), 0)
        return rows, rows.copy()

    def genomes(self, points: Floats) -> Floats:
        """Return the genomes of points: they are the same."""
        return points

    def points(self, genomes: Floats) -> Floats:
        """Return the points of genomes: they are the same."""
        return genomes

    def vary(self, child: Floats, mate: Floats | None, generator: np.random.Generator) -> None:
        """Make a copy of a parent its child, without a number yet; in place."""
        space, other = (self.space._replace(recombination=0.0), child) if mate is None else (self.space, mate)
        child[:] = space.children(child[None], other[None], generator)[0]
