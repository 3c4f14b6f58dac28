"""Distances and linear systems against numpy."""

import numpy as np
import pytest

from paretosched.kernels.linear_systems import factorise, solve_factor, solve_transposed, squared_distances


@pytest.mark.parametrize(("n", "columns"), [(1, 1), (2, 3), (7, 1), (40, 5), (130, 64)])
def test_a_system_is_solved_as_by_numpy(n: int, columns: int) -> None:
    generator = np.random.default_rng(n)
    root = generator.normal(size=(n, n))
    matrix, right = root @ root.T + np.eye(n), generator.normal(size=(n, columns))
    factor, halfway = matrix.copy(), right.copy()
    factorise(factor)
    np.testing.assert_allclose(np.triu(factor), np.linalg.cholesky(matrix).T, rtol=1e-9, atol=1e-12)
    assert (np.tril(factor, -1) == np.tril(matrix, -1)).all()
    solve_transposed(factor, halfway)
    np.testing.assert_allclose(np.triu(factor).T @ halfway, right, rtol=1e-9, atol=1e-9)
    solve_factor(factor, halfway)
    np.testing.assert_allclose(halfway, np.linalg.solve(matrix, right), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(("k", "n", "m"), [(1, 1, 1), (3, 50, 7), (20, 2, 180), (4, 0, 3), (0, 4, 3), (2, 2, 0)])
def test_distances_are_those_of_all_pairs(k: int, n: int, m: int) -> None:
    generator = np.random.default_rng(k)
    ones, others = generator.normal(size=(k, m)), generator.normal(size=(n, m))
    squares = np.full((k, n), np.nan)
    squared_distances(ones, np.ascontiguousarray(others.T), squares)
    wanted = ((ones[:, None] - others[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squares, wanted, rtol=1e-12)


def test_a_point_has_no_distance_to_itself() -> None:
    ones = np.random.default_rng(0).normal(size=(30, 11))
    squares = np.empty((30, 30))
    squared_distances(ones, np.ascontiguousarray(ones.T), squares)
    assert (squares.diagonal() == 0).all()
    assert (squares == squares.T).all()
