"""Distances, and systems of linear equations with a positive definite matrix, on one thread.

A library's BLAS takes all cores for some hundred unknowns. Here these simulate, and its threads and theirs wait for
each other: on two busy cores it took ten times as long. Moreover the result would depend on the library and on the
number of threads. Sums are in the order in which they are written, and the innermost loop runs along rows, so that
it is vectorised without changing that.
"""

import math

from ..core.arrays import Floats
from .compiling import njit


@njit(cache=True, nogil=True)
def squared_distances(ones: Floats, others: Floats, squares: Floats) -> None:
    """Fill the squared Euclidean distances of points.

    Parameters
    ----------
    ones
        (k, m) float64, a point in each row.
    others
        (m, n) float64, a point in each column.
    squares
        (k, n) float64, modified in place.
    """
    for i in range(ones.shape[0]):
        row = squares[i]
        row[:] = 0.0
        for q in range(ones.shape[1]):
            value = ones[i, q]
            column = others[q]
            for j in range(row.size):
                away = value - column[j]
                row[j] += away * away


@njit(cache=True, nogil=True)
def factorise(matrix: Floats) -> None:
    """Put the upper Cholesky factor U, with U^T U = A, into the upper triangle of A.

    Parameters
    ----------
    matrix
        (n, n) float64, symmetric and positive definite, modified in place; what is below the diagonal stays.
    """
    n = matrix.shape[0]
    for i in range(n):
        row = matrix[i]
        for p in range(i):
            above = matrix[p]
            share = above[i]
            for j in range(i, n):
                row[j] -= share * above[j]
        unit = math.sqrt(row[i])
        for j in range(i, n):
            row[j] /= unit


@njit(cache=True, nogil=True)
def solve_transposed(factor: Floats, columns: Floats) -> None:
    """Replace the columns of B by the solutions X of U^T X = B.

    Parameters
    ----------
    factor
        (n, n) float64, U in the upper triangle.
    columns
        (n, k) float64, modified in place.
    """
    for i in range(factor.shape[0]):
        row = columns[i]
        for p in range(i):
            share = factor[p, i]
            above = columns[p]
            for j in range(row.size):
                row[j] -= share * above[j]
        unit = factor[i, i]
        for j in range(row.size):
            row[j] /= unit


@njit(cache=True, nogil=True)
def solve_factor(factor: Floats, columns: Floats) -> None:
    """Replace the columns of B by the solutions X of U X = B.

    Parameters
    ----------
    factor
        (n, n) float64, U in the upper triangle.
    columns
        (n, k) float64, modified in place.
    """
    n = factor.shape[0]
    for i in range(n - 1, -1, -1):
        row = columns[i]
        for p in range(i + 1, n):
            share = factor[i, p]
            below = columns[p]
            for j in range(row.size):
                row[j] -= share * below[j]
        unit = factor[i, i]
        for j in range(row.size):
            row[j] /= unit
