"""Limits are drawn and moved within their bounds, and each can be set and dropped."""

from __future__ import annotations

import numpy as np

from paretosched.encodings.site_limits import SET
from paretosched.search.algorithms.limit_moves import LimitMoves


def test_the_first_point_sets_nothing_and_others_about_half() -> None:
    points, genomes = LimitMoves(4).first(200, np.random.default_rng(1))
    assert points.shape == genomes.shape == (200, 4)
    assert (points[0] == 1).all()
    assert 0.4 < (points[1:] < SET).mean() < 0.6
    assert ((points >= 0) & (points <= 1)).all()


def test_children_stay_in_bounds_and_reach_what_is_set_and_what_is_not() -> None:
    moves, generator = LimitMoves(3), np.random.default_rng(2)
    child, met = np.array([0.1, 0.49, 1.0]), np.zeros((3, 2), dtype=bool)
    for step in range(500):
        before = child.copy()
        moves.vary(child, None if step % 2 else np.array([0.2, 1.0, 0.3]), generator)
        assert ((child >= 0) & (child <= 1)).all()
        assert not ((child >= SET) & (child < 1)).any()
        met |= np.stack([child < SET, child >= SET], axis=1)
        assert step % 2 == 0 or not np.array_equal(before, child) or (before >= SET).any()
    assert met.all()


def test_only_one_limit_can_be_varied_too() -> None:
    child = np.array([1.0])
    for seed in range(20):
        LimitMoves(1).vary(child, None, np.random.default_rng(seed))
    assert 0 <= child[0] <= 1
