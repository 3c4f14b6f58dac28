"""A search for the owner's part of the space: an archive, rays, and moves that know what genes mean.

Genetic algorithms that select by rank have little to go by in seven objectives: most schedules are not dominated by
any other. Here all of these are kept, and parents are chosen where an owner looks: in the box from the best response
time that was found for each group to `REACH` times EASY's. A parent is the member of the archive that comes farthest
along a random ray into the box.

There are no generations, at whose ends all would wait for the slowest simulation. Genome number k depends on the
results of the genomes 0 .. k - L at most, with a fixed lag L; so it is the same in whatever order results come.

With a `surrogate`, children are planned in blocks: when a multiple of BLOCK results is known, it chooses those that are
asked for as the next BLOCK results come. It knows nothing of a goal; after this goes another half of the children.

Points of weightings are those of `weighting_points`. Moves change the order wherever the point is, and most of them
are made in all situations alike. Points of job sequences are their recipes, and children are variations of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...fronts.quality_indicators import REACH
from .archive_members import Best, Members
from .spaces import Moves, Reals, RecipeMoves, Recipes, Search, Space
from .surrogate import Behaviour, Surrogate
from .weighting_points import WeightingMoves, groups_of

MATE = 0.5  # probability of a mate
RAYS = 1.5  # parameter of the Dirichlet distribution of rays; 1 is uniform, larger ones go through the middle
WISHED, NEAR = 0.5, 2.0  # share of parents that are chosen by a goal, and their mean rank by it
EXCESS = (-1.0, 2.0)  # decades of the weight of exceeded limits beside the goal
BLOCK = 50  # children that a surrogate chooses at a time


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


def archive_search(
    space: Space, lag: int, seed: int, aim: Aim | None = None, behaviour: Behaviour | None = None
) -> Search:
    """Return a search, ready to yield its first genomes; see the head of this module.

    It may be sent the costs of any number of its oldest genomes of which it has not been sent them yet. When it was
    sent t in all, it has yielded t + L, or the first ones if these are more.

    Parameters
    ----------
    space
        The `Reals` of weightings, or of other genomes with `Moves` of their own; its first genomes, if there are any,
        come second, after first come, first served. Or `Recipes`, with all start orders first.
    lag
        L, at least 1.
    seed
        The seed of all random choices.
    aim
        The box and the goal; None for the box of the groups up to `REACH` times the first genome's response times.
    behaviour
        What genomes of reals do, as the surrogate compares it; None without a surrogate.
    """
    return _search(space, lag, np.random.default_rng(seed), aim, behaviour)


def _begin(space: Space, lag: int, generator: np.random.Generator) -> tuple[Moves, Floats, Floats]:
    """Return how a space is searched, the points to begin with, (k, ...), and their genomes, (k, d)."""
    if isinstance(space, Recipes):
        moves: Moves = RecipeMoves(space)
        return moves, *moves.first(lag, generator)
    assert isinstance(space, Reals)  # noqa: S101  # there are no others
    moves = space.moves or WeightingMoves(groups_of(space.lower.size))
    given = space.first
    points, genomes = moves.first(lag if given is None else lag - len(given), generator)
    if given is None:
        return moves, points, genomes
    points = np.concatenate([points[:1], moves.points(given), points[1:]])
    return moves, points, np.concatenate([genomes[:1], given, genomes[1:]])


def _search(
    space: Space, lag: int, generator: np.random.Generator, aim: Aim | None, behaviour: Behaviour | None
) -> Search:
    """Yield genomes."""
    moves, points, genomes = _begin(space, lag, generator)
    costs = yield genomes
    if aim is None:
        aim = Aim(np.eye(costs.shape[1])[1:], REACH * costs[0, 1:])
    members = Members(points.shape[1:], aim.edge.size)
    best = None if aim.goal is None else Best(costs.shape[1])
    surrogate = None if behaviour is None else _surrogate(behaviour, moves, aim, generator)
    planned: deque[Floats] = deque()
    waiting, asked = deque(points), len(points)
    while True:
        children: list[Floats] = []
        for cost, place in zip(costs, places_of(costs, aim), strict=True):
            if best is not None and aim.goal is not None:
                goal, excess = aim.goal(cost[None])  # one by one, so that it does not matter how many came together
                best.add(len(members), cost, float(goal[0]), float(excess[0]))
            members.add(waiting.popleft(), place)
            if surrogate is not None and len(members) % BLOCK == 0:
                planned = deque(surrogate.proposals(members, [*waiting, *children], BLOCK))
            if len(members) + lag > asked + len(children):
                if not planned:
                    child = _child(lambda: _parent(members, best, aim, generator), moves, generator)
                elif best is not None and generator.random() < WISHED:
                    child = _child(partial(_near_goal, members, best, generator), moves, generator)
                else:
                    child = planned.popleft()
                children.append(space.with_numbers(child[None], asked + len(children))[0])
        waiting.extend(children)
        asked += len(children)
        costs = yield moves.genomes(np.array(children)) if children else genomes[:0]


def _surrogate(behaviour: Behaviour, moves: Moves, aim: Aim, generator: np.random.Generator) -> Surrogate:
    """Return the surrogate of a search."""
    return Surrogate(
        lambda points: behaviour(moves.genomes(points)),
        aim.edge[None] if aim.outer is None else np.stack([aim.edge, aim.outer]),
        lambda members: _child(lambda: _parent(members, None, aim, generator), moves, generator),
        generator,
    )


def places_of(costs: Floats, aim: Aim) -> Floats:
    """Return the coordinates of costs, (k, q), in the box of an aim, (k, c), the same to the bit in any company."""
    return np.array([aim.rows @ cost for cost in costs]).reshape(len(costs), aim.edge.size)


def _parent(members: Members, best: Best | None, aim: Aim, generator: np.random.Generator) -> Floats:
    """Return a point to begin a child with, (...): one far along a ray into the box, or near the goal."""
    if best is not None and generator.random() < WISHED:
        return _near_goal(members, best, generator)
    edge = aim.edge if aim.outer is None else (aim.edge, aim.outer)[generator.integers(2)]
    return members.along(_ray(edge.size, generator), edge)


def _ray(width: int, generator: np.random.Generator) -> Floats:
    """Return a random direction, (c,), of the Dirichlet distribution; as numpy draws it, without its checks."""
    ray: Floats = generator.standard_gamma(RAYS, width)
    ray *= 1.0 / ray.cumsum()[-1]  # one by one, as there
    return ray


def _near_goal(members: Members, best: Best, generator: np.random.Generator) -> Floats:
    """Return a point to begin a child with, (...): one near the goal, with a random weight of the limits."""
    return members.point(best.row(10.0 ** generator.uniform(*EXCESS), int(generator.exponential(NEAR))))


def _child(parent: Callable[[], Floats], moves: Moves, generator: np.random.Generator) -> Floats:
    """Return a new point, (...), from one or two members of the archive."""
    child: Floats = parent().copy()
    mate = parent() if generator.random() < MATE else None
    moves.vary(child, mate, generator)
    return child
