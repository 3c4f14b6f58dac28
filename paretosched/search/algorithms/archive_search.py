"""A search of weightings for the owner's part of the space: an archive, rays, and moves that know what genes mean.

Genetic algorithms that select by rank have little to go by in seven objectives: most schedules are not dominated by
any other. Here all of these are kept, and parents are chosen where an owner looks: in the box from the best response
time that was found for each group to `REACH` times that of the first genome, first come, first served. A parent is the
member of the archive that comes farthest along a random ray into the box.

Points of the search are those of `weighting_points`. Moves change the order wherever the point is, and most of them
are made in all situations alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...core.errors import InputError
from ...fronts.quality_indicators import REACH
from .spaces import Moves, Reals, Search, Space
from .weighting_points import WeightingMoves, groups_of

MATE = 0.5  # probability of a mate
RAYS = 1.5  # parameter of the Dirichlet distribution of rays; 1 is uniform, larger ones go through the middle
WISHED, NEAR = 0.5, 2.0  # share of parents that are chosen by a goal, and their mean rank by it
EXCESS = (-1.0, 2.0)  # decades of the weight of exceeded limits beside the goal
OUTSIDE = 0.5  # of the best found, as the unit of a coordinate in which even that is beyond the box


class Aim(NamedTuple):
    """Where a search looks: a box, and the goal of a wish.

    Attributes
    ----------
    rows
        (c, q) weights of the q costs in each coordinate of the box.
    edge
        (c,) where the box ends; it begins at the best found.
    outer
        (c,) where the box would end without the limits of a wish: half of the rays go into this box, because ancestors
        of what is within narrow limits often are not. None without a wish.
    goal
        Function of costs, (k, q), to the goal, (k,), of which 1 is much and less is better, and how far limits are
        exceeded, (k,); None without a goal.
    """

    rows: Floats
    edge: Floats
    outer: Floats | None = None
    goal: Callable[[Floats], tuple[Floats, Floats]] | None = None


def archive_search(space: Space, population: int, seed: int, aim: Aim | None = None) -> Search:
    """Return a search of reals, ready to yield its first generation; see the head of this module.

    Parameters
    ----------
    space
        The `Reals` of weightings, or of other genomes with `Moves` of their own; its first genomes, if there are any,
        come second, after first come, first served.
    population
        Genomes a generation, but for the first one.
    seed
        The seed of all random choices.
    aim
        The box and the goal; None for the box of the groups up to `REACH` times the first genome's response times.

    Raises
    ------
    InputError
        The space is none of reals.
    """
    if not isinstance(space, Reals):
        raise InputError('algorithm "archive" searches no sequences; give encoding "weighting" or "priority"')
    return _search(space, population, np.random.default_rng(seed), aim)


def _search(space: Reals, population: int, generator: np.random.Generator, aim: Aim | None) -> Search:
    """Yield generations of genomes."""
    moves = space.moves or WeightingMoves(groups_of(space.lower.size))
    points, genomes = moves.first(generator)
    if space.first is not None:
        points = np.concatenate([points[:1], moves.points(space.first), points[1:]])
        genomes = np.concatenate([genomes[:1], space.first, genomes[1:]])
    costs = yield genomes
    if aim is None:
        aim = Aim(np.eye(costs.shape[1])[1:], REACH * costs[0, 1:])
    kept, kept_costs = points[:0], costs[:0]
    while True:
        kept, kept_costs = _with(kept, kept_costs, points, costs)
        parent = _parents(kept_costs, aim, generator)
        points = np.array([_child(kept, parent, moves, generator) for _ in range(population)])
        costs = yield moves.genomes(points)


def _parents(costs: Floats, aim: Aim, generator: np.random.Generator) -> Callable[[], int]:
    """Return the function that chooses a row of the archive with these costs, (k, q)."""
    coordinates = costs @ aim.rows.T
    best = coordinates.min(axis=0)

    def places_to(edge: Floats) -> Floats:
        span = np.where(edge > best, edge - best, OUTSIDE * np.abs(best) + 1e-9)
        return np.asfortranarray((coordinates - best) / span)

    places = places_to(aim.edge)
    if aim.outer is None:
        return lambda: _along_a_ray(places, generator)
    both = places, places_to(aim.outer)
    if aim.goal is None:
        return lambda: _along_a_ray(both[generator.integers(2)], generator)
    goals, excess = aim.goal(costs)

    def parent() -> int:
        if generator.random() >= WISHED:
            return _along_a_ray(both[generator.integers(2)], generator)
        weighed = goals + 10.0 ** generator.uniform(*EXCESS) * excess
        rank = min(int(generator.exponential(NEAR)), len(weighed) - 1)
        return int(np.argpartition(weighed, rank)[rank])

    return parent


def _with(kept: Floats, kept_costs: Floats, points: Floats, costs: Floats) -> tuple[Floats, Floats]:
    """Return an archive and its costs with some more points, without all that is dominated; of equals, the first."""
    kept_costs = np.asfortranarray(kept_costs)  # so that numpy runs along the columns, which are long
    stay = np.ones(len(kept), dtype=bool)
    added: list[int] = []
    for i, cost in enumerate(costs):
        if (kept_costs <= cost).all(axis=1).any() or (costs[added] <= cost).all(axis=1).any():
            continue
        stay &= ~(cost <= kept_costs).all(axis=1)
        added = [*(j for j in added if not (cost <= costs[j]).all()), i]
    return np.concatenate([kept[stay], points[added]]), np.concatenate([kept_costs[stay], costs[added]])


def _child(kept: Floats, parent: Callable[[], int], moves: Moves, generator: np.random.Generator) -> Floats:
    """Return a new point, (...), from one or two members of the archive."""
    child: Floats = kept[parent()].copy()
    if generator.random() < MATE:
        moves.cross(child, kept[parent()], generator)
    moves.mutate(child, generator)
    return child


def _along_a_ray(places: Floats, generator: np.random.Generator) -> int:
    """Return the row that comes farthest along a random ray, from the far corner of the box to where nobody waits.

    It has the smallest augmented Chebyshev distance from the near corner, 0 in all coordinates.
    """
    ray = generator.dirichlet(np.full(places.shape[1], RAYS))
    return int(np.argmin((places / np.maximum(ray, 1e-9)).max(axis=1) + 1e-3 * places.sum(axis=1)))
