"""The nearest point along a ray, found in a tree, is the one that a look at all of them finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.kernels.achievement import LEAF, LEAST, OUTSIDE, append_row, farthest_along, nearest, units_of


def naive(points: np.ndarray, corner: np.ndarray, slopes: np.ndarray, shares: np.ndarray) -> int:
    """The first row with the smallest achievement function, column by column in plain Python."""
    best, best_row = float("inf"), -1
    for row, point in enumerate(points.tolist()):
        away = [c - b for c, b in zip(point, corner.tolist(), strict=True)]
        total = 0.0
        for a, t in zip(away, shares.tolist(), strict=True):
            total += a * t
        value = max(a * s for a, s in zip(away, slopes.tolist(), strict=True)) + total
        if value < best:
            best, best_row = value, row
    return best_row


def check(points: np.ndarray, generator: np.random.Generator, every: int) -> None:
    size = -(-len(points) // LEAF) * LEAF
    held, order = np.full((size, points.shape[1]), np.nan), np.full(size, -1)
    corners = np.full((2 * size // LEAF, points.shape[1]), np.nan)
    for count, point in enumerate(points, 1):
        held[count - 1] = point
        append_row(held, order, corners, count)
        if count % LEAF == 0:  # they have been moved
            assert sorted(order[:count].tolist()) == list(range(count))
            assert held[:count].tolist() == points[order[:count]].tolist()
        if count % every == 0 or count == len(points):
            corner = points[:count].min(axis=0)
            slopes = 1 / np.maximum(generator.dirichlet(np.ones(points.shape[1])), 1e-9)
            shares = generator.choice([0.0, 1e-3, 0.3], size=points.shape[1])
            found = nearest(held, order, corners, count, corner, slopes, shares)
            assert found == naive(points[:count], corner, slopes, shares)
            edge, ray = points[:count].max(axis=0), generator.dirichlet(np.ones(points.shape[1]))
            ray[generator.random(ray.size) < 0.2] = 0.0
            units = [1.0 / (e - b if e > b else OUTSIDE * abs(b) + 1e-9) for e, b in zip(edge, corner, strict=True)]
            slopes = np.array([unit / max(r, LEAST) for unit, r in zip(units, ray.tolist(), strict=True)])
            found = farthest_along(held, order, corners, count, corner, edge, ray, 1e-3)
            assert found == naive(points[:count], corner, slopes, 1e-3 * np.array(units))


@given(st.integers(0, 2**32), st.integers(1, 300), st.integers(1, 6), st.sampled_from(["any", "few values", "shell"]))
def test_the_tree_finds_what_a_look_at_all_points_finds(seed: int, count: int, columns: int, kind: str) -> None:
    generator = np.random.default_rng(seed)
    points = generator.random((count, columns)) * 10 ** generator.uniform(-2, 6, columns)
    if kind == "few values":  # many equal points, and equal achievement functions
        points = np.floor(points * 4 / points.max(axis=0).clip(1e-9))
    elif kind == "shell":
        points /= np.linalg.norm(points, axis=1)[:, None]
    check(points, generator, 7)


@given(st.lists(st.tuples(*[st.floats(-1e9, 1e9)] * 2), min_size=1, max_size=8))
def test_a_unit_is_the_side_of_the_box_or_a_share_of_the_best_if_that_is_outside(
    columns: list[tuple[float, float]],
) -> None:
    edge, best = np.array(columns).T.copy()
    units = [1.0 / (e - b if e > b else OUTSIDE * abs(b) + 1e-9) for e, b in columns]
    assert units_of(edge, best).tolist() == units


@pytest.mark.slow
def test_it_is_so_in_a_large_set_too() -> None:
    generator = np.random.default_rng(1)
    points = generator.random((5000, 5))
    check(points / np.linalg.norm(points, axis=1)[:, None], generator, 101)
