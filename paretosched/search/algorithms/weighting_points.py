"""Weightings as points of which every coordinate matters: what searches draw from, and move about in.

Greedy's key is w_i (K_i + a t + b p m), and alike for the other criteria. A common factor of K, a and b changes no
order, and none of all w_i does. So a point has, for each situation, the logarithms to base 10 of w_1..w_G, of the head
starts K_1 / a .. K_G / a, and of b / a, and last the place of the criterion in f1..f4. Random points are the same in
all situations: with three unrelated ones day and night disagree about whom to favour, and everybody waits.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...core.situations import SITUATIONS
from ...policies.greedy_order import CRITERIA, HIGHEST

SHARES = (1 / 30, 9 / 10, 1 / 30, 1 / 30)  # of f1..f4 among random points
RANGES = ((-1.5, 0.0), (3.5, 5.5), (-4.0, 0.0))  # decades of w, K / a and b / a of random points
LIMITS = ((-3.0, 0.0), (1.0, 7.0), (-6.0, 1.0))  # decades that moves may reach
UNITS = np.array([[-3.0, 1.0], [0.0, 0.0], [-6.0, 0.0], [0.0, 2.0]])  # of K / a and b / a with f1..f4, as decades

DRAWN = 59  # random points at least, to begin with; with weak orders beside them less is found in the mean
COPY, CRITERION = 0.1, 0.05  # probabilities of copying a situation, and of another criterion
EVERYWHERE, ALONE = 0.85, 0.075  # probabilities that a move is made in all situations, and in one
STEP, FAR, FARTHER = 0.6, 0.2, 4.0  # decades a move goes; how often it goes farther, and how many times as far
MORE = 0.7  # moves of a child beyond the first, in the mean


def genomes_of(points: Floats) -> Floats:
    """Return the genomes of `Weighting` that points, (k, 3, 2 G + 2), stand for, (k, d)."""
    groups = points.shape[2] // 2 - 1
    places = points[:, :, -1].astype(int)
    units = UNITS[places]
    w = 10 ** (points[:, :, :groups] - points[:, :, :groups].max(axis=2, keepdims=True))
    head_starts = 10 ** (points[:, :, groups : 2 * groups] + units[:, :, :1])
    b = 10 ** (points[:, :, -2] + units[:, :, 1])
    a = np.minimum(HIGHEST["a"], np.minimum(HIGHEST["K"] / head_starts.max(axis=2), HIGHEST["b"] / b))
    K = np.minimum(head_starts * a[:, :, None], HIGHEST["K"])
    genes = np.concatenate([w, K, a[:, :, None], np.minimum(b * a, HIGHEST["b"])[:, :, None]], axis=2)
    return np.concatenate([genes.reshape(len(points), -1), places + 0.5], axis=1)


def points_of(genomes: Floats) -> Floats:
    """Return the points that stand for the orders of genomes, (k, d), as far as moves reach, (k, 3, 2 G + 2).

    Examples
    --------
    >>> points = np.array([[[0.0, -1, 4, 5, -2, 1]] * 3])
    >>> points_of(genomes_of(points)).round(6).tolist() == points.tolist()
    True
    """
    places = np.minimum(genomes[:, -len(SITUATIONS) :].astype(int), len(CRITERIA) - 1)
    genes = genomes[:, : -len(SITUATIONS)].reshape(len(genomes), len(SITUATIONS), -1)
    groups = genes.shape[2] // 2 - 1
    logarithms = np.log10(np.maximum(genes, 1e-30))
    units = UNITS[places]
    logarithms[:, :, groups : 2 * groups] -= logarithms[:, :, -2:-1] + units[:, :, :1]
    logarithms[:, :, -2] = logarithms[:, :, -1] - logarithms[:, :, -2] - units[:, :, 1]
    lower, upper = decades(LIMITS, groups)
    return np.concatenate([np.clip(logarithms[:, :, :-1], lower, upper), places[:, :, None]], axis=2)


def decades(ranges: tuple[tuple[float, float], ...], groups: int) -> Floats:
    """Return the lower and the upper ends of ranges for the w, the K / a, and b / a, (2, 2 G + 1)."""
    return np.repeat(np.array(ranges).T, (groups, groups, 1), axis=1)


def random_points(count: int, groups: int, generator: np.random.Generator) -> Floats:
    """Return random points, each the same in all situations, (count, 3, 2 G + 2)."""
    lower, upper = decades(RANGES, groups)
    points = np.empty((count, 1, 2 * groups + 2))
    points[:, 0, :-1] = lower + (upper - lower) * generator.random((count, 2 * groups + 1))
    points[:, 0, -1] = generator.choice(len(CRITERIA), p=SHARES, size=count)
    return points.repeat(len(SITUATIONS), axis=1)


def tied_genomes(count: int, generator: np.random.Generator, *, groups: int) -> Floats:
    """Return the genomes of random points, (count, d).

    Examples
    --------
    >>> genomes = tied_genomes(3, np.random.default_rng(0), groups=2)
    >>> genes = genomes[:, :-3].reshape(3, 3, 6)
    >>> genomes.shape, bool((genes == genes[:, :1]).all())
    ((3, 21), True)
    """
    return genomes_of(random_points(count, groups, generator))


def first_come_first_served(groups: int) -> Floats:
    """Return the genome, (d,), of the order of submission: f2 with a alone."""
    situation = [*[1.0] * groups, *[0.0] * groups, 1.0, 0.0]
    return np.array([*situation * len(SITUATIONS), *[CRITERIA.index("f2") + 0.5] * len(SITUATIONS)])


class WeightingMoves(NamedTuple):
    """How an archive search varies weightings for `groups` groups; its methods are those of `Moves`."""

    groups: int

    def first(self, least: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the points to begin with, (k, 3, 2 G + 2), at least so many, and their genomes, (k, d)."""
        submitted = first_come_first_served(self.groups)[None]
        drawn = random_points(max(DRAWN, least - 1), self.groups, generator)
        return np.concatenate([points_of(submitted), drawn]), np.concatenate([submitted, genomes_of(drawn)])

    def genomes(self, points: Floats) -> Floats:
        """Return the genomes of points."""
        return genomes_of(points)

    def points(self, genomes: Floats) -> Floats:
        """Return the points of genomes."""
        return points_of(genomes)

    def vary(self, child: Floats, mate: Floats | None, generator: np.random.Generator) -> None:
        """Make a copy of a parent a child, perhaps with something of a mate; in place."""
        if mate is not None:
            self._cross(child, mate, generator)
        self._mutate(child, generator)

    def _cross(self, child: Floats, mate: Floats, generator: np.random.Generator) -> None:
        """Give a child one situation of its mate, one group, b / a, or about half of all genes; in place."""
        groups = child.shape[1] // 2 - 1
        kind = generator.integers(4)
        if kind == 0:
            situation = generator.integers(len(SITUATIONS))
            child[situation] = mate[situation]
        elif kind == 1:
            group = generator.integers(groups)
            child[:, group::groups][:, :2] = mate[:, group::groups][:, :2]
        elif kind == 2:
            child[:, -2] = mate[:, -2]
        else:
            genes = np.flatnonzero(generator.random(2 * groups + 1) < 0.5)
            child[:, genes] = mate[:, genes]

    def _mutate(self, child: Floats, generator: np.random.Generator) -> None:
        """Copy a situation, change the criterion, and shift genes of a child within limits; in place."""
        rare = generator.random()
        if rare < COPY:
            source, target = generator.choice(len(SITUATIONS), 2, replace=False)
            child[target] = child[source]
        elif rare < COPY + CRITERION:
            child[:, -1] = generator.integers(len(CRITERIA))
        limits = _limits(self.groups)
        for _ in range(1 + generator.poisson(MORE)):
            gene = generator.integers(len(limits))
            step = generator.standard_normal() * STEP * (FARTHER if generator.random() < FAR else 1.0)
            where = generator.random()
            spare = 0 if where < EVERYWHERE else 2 if where < EVERYWHERE + ALONE else 1
            genes = child[:, gene]
            for situation in generator.permutation(len(SITUATIONS)).tolist()[spare:]:
                genes[situation] = bounce(genes.item(situation) + step, *limits[gene])


@cache
def _limits(groups: int) -> list[tuple[float, float]]:
    """Return the lower and the upper end that moves of each of the 2 G + 1 genes may reach."""
    return [(lower, upper) for lower, upper in decades(LIMITS, groups).T.tolist()]


def groups_of(genes: int) -> int:
    """Return for how many groups a weighting with so many genes is."""
    return (genes // len(SITUATIONS) - 3) // 2


def bounce(value: float, lower: float, upper: float) -> float:
    """Return a value that is thrown back at both ends of a range, so that a move from an end is a move.

    Examples
    --------
    >>> [bounce(value, -2.0, 2.0) for value in (-3.0, 0.5, 2.25)]
    [-1.0, 0.5, 1.75]
    """
    there_and_back = 2 * (upper - lower)
    beyond = (value - lower) % there_and_back
    return lower + min(beyond, there_and_back - beyond)
