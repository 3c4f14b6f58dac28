"""Linear programmes whose result is proved: what the solver finds is only a hint, and what follows from it is exact.

A programme is: minimise sum c_i x_i, with c_i >= 0. A row says that the sum of x_i over some i is at least a number, or
at most one, which is written as: minus the sum is at least minus the number. The first rows say x_i >= l_i > 0, one for
each i.

**Weak duality.** Multiply every row with a y >= 0 and add them up: sum r_i x_i >= sum y b, where b are the right sides,
and r_i is the sum of y over the rows from below that have x_i, less that over the rows from above. If r_i <= c_i for
all i, then sum c_i x_i = sum r_i x_i + sum (c_i - r_i) x_i >= sum y b + sum (c_i - r_i) l_i. This holds wherever y
comes from. HiGHS finds a y with which it is as large as can be, but for rounding. Where r_i > c_i, rows from below that
have x_i count less, until r_i = c_i. All this is done with fractions. Their denominators are powers of 2, so that they
stay short.

**Contradictions.** If c = 0 and the sum is above 0, the rows say 0 > 0: no x keeps them all. For this HiGHS finds y as
the multipliers of another programme: by which share must all rows with a name be loosened, at least?
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats

NEGLIGIBLE = 1e-7  # smaller multipliers of rows with names are noise of the solver


class Row(NamedTuple):
    """One row of a programme.

    Attributes
    ----------
    members
        The numbers of the x in its sum.
    least
        The sum, or minus the sum, is at least this.
    sign
        1, or -1 for minus the sum.
    name
        What the row stands for, if it is one that could contradict others; else "".
    """

    members: tuple[int, ...]
    least: Fraction
    sign: int = 1
    name: str = ""


class Solution(NamedTuple):
    """A proved lower bound of a programme.

    Attributes
    ----------
    least
        sum c_i x_i is at least this.
    multipliers
        Those of the rows, all at least 0.
    """

    least: Fraction
    multipliers: tuple[Fraction, ...]


def solve(costs: Sequence[Fraction], rows: Sequence[Row]) -> Solution | None:
    """Return a lower bound of a programme; None if the solver finds no x that keeps all rows.

    Examples
    --------
    x + y >= 3, and both are at least 1; 2 x + y is 4 for x = 1, y = 2.

    >>> rows = [Row((0,), Fraction(1)), Row((1,), Fraction(1)), Row((0, 1), Fraction(3))]
    >>> solve([Fraction(2), Fraction(1)], rows).least
    Fraction(4, 1)
    """
    hints = multipliers(costs, rows)
    return None if hints is None else bound_from(costs, rows, hints)


def contradicting(count: int, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the names of rows that no x keeps together; none if that is not proved of any.

    Parameters
    ----------
    count
        How many x there are.
    rows
        The rows of a programme.

    Examples
    --------
    >>> rows = [Row((0,), Fraction(1)), Row((1,), Fraction(1)), Row((1,), Fraction(-1, 2), -1, "y <= 1/2")]
    >>> contradicting(2, rows), contradicting(2, rows[:2])
    (('y <= 1/2',), ())
    """
    if not any(row.name for row in rows):
        return ()
    hints = multipliers([Fraction(0)] * count, rows, loosened=True)
    if hints is None:
        return ()
    names = np.array([bool(row.name) for row in rows])
    hints[names & (hints * _sizes(count, rows) < NEGLIGIBLE)] = 0.0
    solution = bound_from([Fraction(0)] * count, rows, hints)
    if solution.least <= 0:
        return ()
    return tuple(row.name for row, y in zip(rows, solution.multipliers, strict=True) if row.name and y > 0)


def bound_from(costs: Sequence[Fraction], rows: Sequence[Row], hints: Floats) -> Solution:
    """Return the lower bound that follows from multipliers, (k,), which may be wrong, or any numbers at all."""
    y = [max(Fraction(0), Fraction(hint)) for hint in hints.tolist()]
    rest = list(costs)
    for row, m in zip(rows, y, strict=True):
        for i in row.members:
            rest[i] -= row.sign * m
    for i in range(len(rest)):
        having = [k for k, row in enumerate(rows) if row.sign > 0 and i in row.members]
        for k in sorted(having, key=lambda k: -y[k]):
            less = min(y[k], max(-rest[i], Fraction(0)))
            y[k] -= less
            for j in rows[k].members:
                rest[j] += less
    y[: len(rest)] = [m + r for m, r in zip(y, rest, strict=False)]  # r_i <= c_i: x_i >= l_i takes the rest
    return Solution(sum((m * row.least for m, row in zip(y, rows, strict=True)), Fraction(0)), tuple(y))


def multipliers(costs: Sequence[Fraction], rows: Sequence[Row], loosened: bool = False) -> Floats | None:
    """Return the multipliers that HiGHS finds, (k,), for a programme or, `loosened`, for contradictions; or None."""
    from scipy.optimize import linprog  # not at the top: it takes a while, and most commands need none

    units = [float(row.least) for row in rows[: len(costs)]]  # of x, so that all numbers are near 1
    sizes = _sizes(len(costs), rows)
    matrix = np.zeros((len(rows), len(costs) + loosened))
    for row, line, size in zip(rows, matrix, sizes.tolist(), strict=True):
        for i in row.members:
            line[i] = row.sign * units[i] / size
        if loosened and row.name:
            line[-1] = 1.0
    right = np.array([float(row.least) for row in rows]) / sizes
    target = np.array([float(c) * unit for c, unit in zip(costs, units, strict=True)] + [1.0] * loosened)
    scale = float(target.max()) or 1.0
    free = [(None, None)] * len(costs) + [(0.0, None)] * loosened
    result: Any = linprog(target / scale, A_ub=-matrix, b_ub=-right, bounds=free, method="highs")
    return None if result.status else np.maximum(-result.ineqlin.marginals, 0.0) * scale / sizes


def mean_of_largest(
    parts: Sequence[tuple[Sequence[float], float]], count: int, rows: Sequence[Row], each: float
) -> Floats:
    """Return weights, (p,), for a mean of some sums that is near the largest of them, where that is smallest.

    Parameters
    ----------
    parts
        p sums: the coefficients of every x, and a constant.
    count
        How many x there are.
    rows
        The rows of a programme; its goal is the largest sum and `each` times all sums.
    each
        How much every sum counts besides.

    Returns
    -------
    (p,) float64
        At least 0, with the sum 1 but for rounding; all the same if the solver fails.
    """
    from scipy.optimize import linprog  # as above

    units = [float(row.least) for row in rows[:count]]
    sizes = _sizes(count, rows)
    matrix = np.zeros((len(rows) + len(parts), count + 1))
    for row, line, size in zip(rows, matrix, sizes.tolist(), strict=False):
        for i in row.members:
            line[i] = row.sign * units[i] / size
    coefficients = np.array([part for part, _ in parts]) * units
    matrix[len(rows) :, :-1] = -coefficients
    matrix[len(rows) :, -1] = 1.0
    right = [*(np.array([float(row.least) for row in rows]) / sizes), *(constant for _, constant in parts)]
    target = [*(each * coefficients.sum(axis=0)), 1.0]
    result: Any = linprog(target, A_ub=-matrix, b_ub=-np.array(right), bounds=(None, None), method="highs")
    weights = np.ones(len(parts)) if result.status else np.maximum(-result.ineqlin.marginals[len(rows) :], 0.0)
    return np.asarray(weights / weights.sum())


def _sizes(count: int, rows: Sequence[Row]) -> Floats:
    """Return the unit of each row, (k,): its right side, or the smallest sum of its members if that is 0."""
    units = [float(row.least) for row in rows[:count]]
    return np.array([abs(float(row.least)) or sum(units[i] for i in row.members) for row in rows])
