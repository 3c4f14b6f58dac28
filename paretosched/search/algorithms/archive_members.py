"""What a search has seen so far, to choose parents from."""

from __future__ import annotations

import numpy as np

from ...core.arrays import Floats
from ...kernels.achievement import LEAF, appended, nearest

SHARE = 1e-3  # of the sum of all coordinates in the distance, so that of two points in a line the better one is nearer


class Members:
    """Points of a search with their response times; any number, because a look at them does not see them all.

    A point that another one dominates is never nearest to anything, unless it is as near as the other one and was
    seen before. So none has to be taken out.

    Parameters
    ----------
    point
        The shape of a point.
    edge
        (q,) the far corner of the owner's box.

    Attributes
    ----------
    width
        q, how many response times a point has.
    """

    def __init__(self, point: tuple[int, ...], edge: Floats) -> None:
        self.width = edge.size
        self._edge = edge
        self._count = 0
        self._best = np.full(edge.size, np.inf)
        self._points = np.empty((LEAF, *point))
        self._times = np.empty((LEAF, edge.size))
        self._order = np.empty(LEAF, dtype=np.int64)
        self._corners = np.empty((2, edge.size))

    def __len__(self) -> int:
        return self._count

    def add(self, point: Floats, times: Floats) -> None:
        """Take in a point and its response times, (q,)."""
        if self._count == len(self._points):
            self._points, self._times, self._order, self._corners = (
                np.concatenate([held, np.empty_like(held)])
                for held in (self._points, self._times, self._order, self._corners)
            )
        self._points[self._count] = point
        self._times[self._count] = times
        self._count += 1
        np.minimum(self._best, times, out=self._best)
        appended(self._times, self._order, self._corners, self._count)

    def along(self, ray: Floats) -> Floats:
        """Return the point that comes farthest along a ray, from the far corner of the box to where nobody waits.

        It has the smallest augmented Chebyshev distance from the near corner, where all groups have the best response
        times that were seen, with the box as the unit.

        Parameters
        ----------
        ray
            (q,) at least 0, its direction.
        """
        units = 1 / np.maximum(self._edge - self._best, 1e-9)
        slopes = units / np.maximum(ray, 1e-9)
        row = nearest(self._times, self._order, self._corners, self._count, self._best, slopes, SHARE * units)
        point: Floats = self._points[row]
        return point
