"""Distances, and systems of linear equations with a positive definite matrix, on one thread.

A library's BLAS takes all cores for some hundred unknowns. Here these simulate, and its threads and theirs wait for
each other: on two busy cores it took ten times as long. Moreover the result would depend on the library and on the
number of threads. Sums are in the order in which they are written, and the innermost loop runs along rows, so that
it is vectorised without changing that. Four terms are added at a time, one after the other, so that the sum is
read and written less often.
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
        fours = ones.shape[1] // 4 * 4
        for q in range(0, fours, 4):
            a, b, c, d = ones[i, q], ones[i, q + 1], ones[i, q + 2], ones[i, q + 3]
            of_a, of_b, of_c, of_d = others[q], others[q + 1], others[q + 2], others[q + 3]
            for j in range(row.size):
                by_a, by_b, by_c, by_d = a - of_a[j], b - of_b[j], c - of_c[j], d - of_d[j]
                row[j] = row[j] + by_a * by_a + by_b * by_b + by_c * by_c + by_d * by_d
        for q in range(fours, ones.shape[1]):
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
    for i in range(matrix.shape[0]):
        row = matrix[i][i:]
        _subtract(row, matrix, i, matrix[:, i], i)
        row /= math.sqrt(row[0])


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
        _subtract(row, columns, 0, factor[:, i], i)
        row /= factor[i, i]


@njit(cache=True, nogil=True)
def _subtract(row: Floats, above: Floats, first: int, shares: Floats, count: int) -> None:
    """Subtract from a row shares, (n,), of the first `count` rows above it, (n, k); in place.

    The row is the part, (k - first,), from column `first` on.
    """
    fours = count // 4 * 4
    for p in range(0, fours, 4):
        a, b, c, d = shares[p], shares[p + 1], shares[p + 2], shares[p + 3]
        of_a, of_b, of_c, of_d = above[p][first:], above[p + 1][first:], above[p + 2][first:], above[p + 3][first:]
        for j in range(row.size):
            row[j] = row[j] - a * of_a[j] - b * of_b[j] - c * of_c[j] - d * of_d[j]
    for p in range(fours, count):
        share, of_share = shares[p], above[p][first:]
        for j in range(row.size):
            row[j] -= share * of_share[j]


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
