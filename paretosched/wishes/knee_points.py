"""The knee points of a front: where a small gain in one objective costs much in another."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Mask
from ..fronts.dominance import costs
from ..fronts.front import Front

MOST = 5  # knees
SAMPLES = 256  # weightings that decide about knees
BLOCK = 16_384  # rows weighed at a time


def knees(front: Front, among: Mask) -> list[int]:
    """Return the rows that an owner would miss most, five at most, the most missed first.

    Branke, Deb, Dierolf and Osswald, *Finding knees in multi-objective optimization* (2004): the expected marginal
    utility. For each of many weightings of the deciding objectives (evenly distributed, always the same ones), the
    best row is credited with the loss of the second best against it. Rows that are best for no weighting are no knees.
    """
    rows = np.flatnonzero(among)
    if rows.size < 2:
        return [int(row) for row in rows]
    unit = _unit(front, among)
    weights = np.random.default_rng(0).dirichlet(np.ones(unit.shape[1]), SAMPLES)
    samples = np.arange(SAMPLES)
    best, second = np.full((2, SAMPLES), np.inf)
    best_row = np.zeros(SAMPLES, dtype=np.int64)
    for first in range(0, len(unit), BLOCK):  # all weightings of a whole front at once would need gigabytes
        loss = weights @ unit[first : first + BLOCK].T
        leader = loss.argmin(axis=1)
        lowest = loss[samples, leader]
        loss[samples, leader] = np.inf
        second = np.minimum(np.maximum(best, lowest), np.minimum(second, loss.min(axis=1)))
        best_row = np.where(lowest < best, leader + first, best_row)
        best = np.minimum(best, lowest)
    credit = np.bincount(best_row, second - best, minlength=len(unit))
    order = np.argsort(-credit, kind="stable")[:MOST]
    return [int(row) for row in rows[order[credit[order] > 0]]]


def _unit(front: Front, among: Mask) -> Floats:
    """Return the deciding objectives of the rows left, (r, q), each from 0, its best, to 1, its worst."""
    points = costs(front.values, front.objectives)[among]
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    unit: Floats = (points - low) / np.where(span > 0, span, 1.0)
    return unit
