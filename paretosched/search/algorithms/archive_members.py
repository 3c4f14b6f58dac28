"""What a search has seen so far, to choose parents from."""

from __future__ import annotations

from copy import deepcopy

import numpy as np

from ...core.arrays import Floats
from ...kernels.achievement import LEAF, append_row, farthest_along

SHARE = 1e-3  # of the sum of all coordinates in the distance, so that of two points in a line the better one is nearer
MOST, NEAREST = 4_000, 64  # points that are kept for a goal; so many of them by each weight when these are too many
WEIGHTS = 10.0 ** np.linspace(-1.0, 2.0, 31)  # of exceeded limits beside the goal


class Members:
    """Points of a search with their coordinates; any number, because a look at them does not see them all.

    A point that another one dominates is never nearest to anything, unless it is as near as the other one and was
    seen before. So none has to be taken out.

    Parameters
    ----------
    point
        The shape of a point.
    width
        c, how many coordinates of the owner's box a point has.
    """

    def __init__(self, point: tuple[int, ...], width: int) -> None:
        self._count = 0
        self._best = np.full(width, np.inf)
        self._points = np.empty((LEAF, *point))
        self._places = np.empty((LEAF, width))
        self._moved = np.empty((LEAF, width))  # the same coordinates, in the order of the tree
        self._order = np.empty(LEAF, dtype=np.int64)
        self._corners = np.empty((2, width))

    def __len__(self) -> int:
        return self._count

    @property
    def points(self) -> Floats:
        """Return all points, (n, ...), in the order in which they were added."""
        points: Floats = self._points[: self._count]
        return points

    @property
    def places(self) -> Floats:
        """Return the coordinates of all points, (n, c)."""
        places: Floats = self._places[: self._count]
        return places

    def copy(self) -> Members:
        """Return the same members, to which others may be added without adding them here."""
        return deepcopy(self)

    def point(self, row: int) -> Floats:
        """Return a point, numbered from 0 as they were added."""
        point: Floats = self._points[row]
        return point

    def add(self, point: Floats, place: Floats) -> None:
        """Take in a point and its coordinates, (c,), less is better."""
        if self._count == len(self._points):
            self._points, self._places, self._moved, self._order, self._corners = (
                np.concatenate([held, np.empty_like(held)])
                for held in (self._points, self._places, self._moved, self._order, self._corners)
            )
        self._points[self._count] = point
        self._places[self._count] = self._moved[self._count] = place
        self._count += 1
        np.minimum(self._best, place, out=self._best)
        append_row(self._moved, self._order, self._corners, self._count)

    def along(self, ray: Floats, edge: Floats) -> Floats:
        """Return the point that comes farthest along a ray, from the far corner of a box to the best of everything.

        It has the smallest augmented Chebyshev distance from the near corner, where all coordinates have the best
        values that were seen, with the box as the unit.

        Parameters
        ----------
        ray
            (c,) at least 0, its direction.
        edge
            (c,) the far corner.
        """
        tree = self._moved, self._order, self._corners, self._count
        return self.point(farthest_along(*tree, self._best, edge, ray, SHARE))


class Best:
    """The points that are near a goal, or exceed its limits little; none that another one of them dominates.

    Parameters
    ----------
    width
        q, how many costs a point has.
    """

    def __init__(self, width: int) -> None:
        self._rows = np.empty(0, dtype=np.int64)
        self._costs = np.empty((0, width))
        self._measures = np.empty((0, 2))  # goal and excess

    def add(self, row: int, cost: Floats, goal: float, excess: float) -> None:
        """Take in a point by its number, with its costs, (q,), its goal, and how far it exceeds limits."""
        if (self._costs <= cost).all(axis=1).any():
            return
        stay = ~(cost <= self._costs).all(axis=1)
        self._rows = np.append(self._rows[stay], row)
        self._costs = np.concatenate([self._costs[stay], cost[None]])
        self._measures = np.concatenate([self._measures[stay], [[goal, excess]]])
        if len(self._rows) > MOST:
            weighed = self._measures[:, :1] + WEIGHTS * self._measures[:, 1:]
            kept = np.unique(np.argsort(weighed, axis=0, kind="stable")[:NEAREST])
            self._rows, self._costs, self._measures = self._rows[kept], self._costs[kept], self._measures[kept]

    def row(self, weight: float, rank: int) -> int:
        """Return the number of the point of a rank, 0 is the best, by its goal and so many times its excess."""
        weighed = self._measures[:, 0] + weight * self._measures[:, 1]
        rank = min(rank, len(weighed) - 1)
        return int(self._rows[np.argpartition(weighed, rank)[rank]])
