"""A search of weightings for the owner's part of the space: an archive, rays, and moves that know what genes mean.

Genetic algorithms that select by rank have little to go by in seven objectives: most schedules are not dominated by
any other. Here all of these are kept, and parents are chosen where an owner looks: in the box from the best response
time that was found for each group to `REACH` times that of the first genome, first come, first served. A parent is the
member of the archive that comes farthest along a random ray into the box.

There are no generations, at whose ends all would wait for the slowest simulation. Genome number k depends on the
results of the genomes 0 .. k - L at most, with a fixed lag L; so it is the same in whatever order results come.

Greedy's key is w_i (K_i + a t + b p m), and alike for the other criteria. A common factor of K, a and b changes no
order, and none of all w_i does. So a point of the search has, for each situation, the logarithms to base 10 of
w_1..w_G, of the head starts K_1 / a .. K_G / a, and of b / a, and last the place of the criterion in f1..f4. Moves
change the order wherever the point is, and most of them are made in all situations alike.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from ...core.arrays import Floats
from ...core.errors import InputError
from ...core.situations import SITUATIONS
from ...fronts.quality_indicators import REACH
from ...policies.greedy_order import CRITERIA, HIGHEST
from .archive_members import Members
from .spaces import Reals, Search, Space

ORDERS, DRAWN = 10, 49  # random weak orders of the groups, and random points at least, to begin with
SHARES = (1 / 30, 9 / 10, 1 / 30, 1 / 30)  # of f1..f4 among random points, which are the same in all situations
RAYS = 1.5  # parameter of the Dirichlet distribution of rays; 1 is uniform, larger ones go through the middle
MATE, COPY, CRITERION = 0.5, 0.1, 0.05  # probabilities of a mate, of copying a situation, of another criterion
EVERYWHERE, ALONE = 0.85, 0.075  # probabilities that a move is made in all situations, and in one
STEP, FAR, FARTHER = 0.6, 0.2, 4.0  # decades a move goes; how often it goes farther, and how many times as far
MORE = 0.7  # moves of a child beyond the first, in the mean
RANGES = ((-1.5, 0.0), (3.5, 5.5), (-4.0, 0.0))  # decades of w, K / a and b / a of random points
LIMITS = ((-3.0, 0.0), (1.0, 7.0), (-6.0, 1.0))  # decades that moves may reach
UNITS = np.array([[-3.0, 1.0], [0.0, 0.0], [-6.0, 0.0], [0.0, 2.0]])  # of K / a and b / a with f1..f4, as decades


def archive_search(space: Space, lag: int, seed: int) -> Search:
    """Return a search of weightings, ready to yield its first genomes; see the head of this module.

    It may be sent the costs of any number of its oldest genomes of which it has not been sent them yet. When it was
    sent t in all, it has yielded t + L, or the first ones if these are more.

    Parameters
    ----------
    space
        The `Reals` of weightings; its first genomes, if there are any, come second, after first come, first served.
    lag
        L, at least 1.
    seed
        The seed of all random choices.

    Raises
    ------
    InputError
        The space is none of weightings.
    """
    if not isinstance(space, Reals):
        raise InputError('algorithm "archive" searches weightings only; give encoding "weighting" or another algorithm')
    return _search(space, lag, np.random.default_rng(seed))


def _search(space: Reals, lag: int, generator: np.random.Generator) -> Search:
    """Yield weightings."""
    groups = (space.lower.size // len(SITUATIONS) - 3) // 2
    given = 0 if space.first is None else len(space.first)
    points = _first_points(groups, max(DRAWN, lag - 1 - given - ORDERS), generator)
    genomes = genomes_of(points)
    genomes[0] = _first_come_first_served(groups)
    if space.first is not None:
        points = np.concatenate([points[:1], points_of(space.first), points[1:]])
        genomes = np.concatenate([genomes[:1], space.first, genomes[1:]])
    costs = yield genomes
    members = Members(points.shape[1:], REACH * costs[0, 1:])
    limits = _decades(LIMITS, groups)
    waiting, asked = deque(points), len(points)
    while True:
        children: list[Floats] = []
        for cost in costs:
            members.add(waiting.popleft(), cost[1:])
            if len(members) + lag > asked + len(children):
                children.append(_child(members, limits, generator))
        waiting.extend(children)
        asked += len(children)
        costs = yield genomes_of(np.array(children)) if children else genomes[:0]


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
    lower, upper = _decades(LIMITS, groups)
    return np.concatenate([np.clip(logarithms[:, :, :-1], lower, upper), places[:, :, None]], axis=2)


def _decades(ranges: tuple[tuple[float, float], ...], groups: int) -> Floats:
    """Return the lower and the upper ends of ranges for the w, the K / a, and b / a, (2, 2 G + 1)."""
    return np.repeat(np.array(ranges).T, (groups, groups, 1), axis=1)


def _first_points(groups: int, drawn: int, generator: np.random.Generator) -> Floats:
    """Return first come, first served, then weak orders of the groups, then random points, (k, 3, 2 G + 2)."""
    lower, upper = _decades(LIMITS, groups)
    plain = np.concatenate([np.zeros(groups), lower[groups:], [CRITERIA.index("f2")]])
    orders = np.tile(plain, (1 + ORDERS, len(SITUATIONS), 1))
    for order in orders[1:]:
        ranks = generator.integers(generator.integers(1, groups + 1), size=groups)
        ahead = ranks > 0  # of others, by as many months as no job waits
        order[:, groups : 2 * groups][:, ahead] = np.log10(ranks[ahead] / groups) + upper[groups]
    lower, upper = _decades(RANGES, groups)
    random = np.empty((drawn, 1, 2 * groups + 2))
    random[:, 0, :-1] = lower + (upper - lower) * generator.random((drawn, 2 * groups + 1))
    random[:, 0, -1] = generator.choice(len(CRITERIA), p=SHARES, size=drawn)
    return np.concatenate([orders, random.repeat(len(SITUATIONS), axis=1)])


def _first_come_first_served(groups: int) -> Floats:
    """Return the genome, (d,), of the order of submission: f2 with a alone."""
    situation = [*[1.0] * groups, *[0.0] * groups, 1.0, 0.0]
    return np.array([*situation * len(SITUATIONS), *[CRITERIA.index("f2") + 0.5] * len(SITUATIONS)])


def _child(members: Members, limits: Floats, generator: np.random.Generator) -> Floats:
    """Return a new point, (3, 2 G + 2), within limits, from one or two members of the archive."""
    ray = np.full(members.width, RAYS)
    child: Floats = members.along(generator.dirichlet(ray)).copy()
    if generator.random() < MATE:
        _cross(child, members.along(generator.dirichlet(ray)), generator)
    rare = generator.random()
    if rare < COPY:
        source, target = generator.choice(len(SITUATIONS), 2, replace=False)
        child[target] = child[source]
    elif rare < COPY + CRITERION:
        child[:, -1] = generator.integers(len(CRITERIA))
    lower, upper = limits
    for _ in range(1 + generator.poisson(MORE)):
        gene = generator.integers(lower.size)
        step = generator.standard_normal() * STEP * (FARTHER if generator.random() < FAR else 1.0)
        where = generator.random()
        spare = 0 if where < EVERYWHERE else 2 if where < EVERYWHERE + ALONE else 1
        spared = generator.permutation(len(SITUATIONS))[:spare]
        moved = _bounce(child[:, gene] + step, lower[gene], upper[gene])
        moved[spared] = child[spared, gene]
        child[:, gene] = moved
    return child


def _bounce(values: Floats, lower: float, upper: float) -> Floats:
    """Return values that are thrown back at both ends of a range, so that a move from an end is a move.

    Examples
    --------
    >>> _bounce(np.array([-3.0, 0.5, 2.25]), -2.0, 2.0).tolist()
    [-1.0, 0.5, 1.75]
    """
    there_and_back = 2 * (upper - lower)
    beyond = np.mod(values - lower, there_and_back)
    reflected: Floats = lower + np.minimum(beyond, there_and_back - beyond)
    return reflected


def _cross(child: Floats, mate: Floats, generator: np.random.Generator) -> None:
    """Give a child one situation of its mate, one group, b / a, or about half of all genes; in place."""
    groups = child.shape[1] // 2 - 1
    kind = generator.integers(4)
    if kind == 0:
        situation = generator.integers(len(SITUATIONS))
        child[situation] = mate[situation]
    elif kind == 1:
        group = generator.integers(groups)
        child[:, [group, groups + group]] = mate[:, [group, groups + group]]
    elif kind == 2:
        child[:, -2] = mate[:, -2]
    else:
        genes = np.flatnonzero(generator.random(2 * groups + 1) < 0.5)
        child[:, genes] = mate[:, genes]
