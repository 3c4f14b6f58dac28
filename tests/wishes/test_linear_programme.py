"""Whatever the solver says, what follows from it is a lower bound; with a good hint it is the best one."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from paretosched.wishes import linear_programme
from paretosched.wishes.linear_programme import Row, bound_from, contradicting, mean_of_largest, multipliers, solve


def random_programme(seed: int) -> tuple[list[Fraction], list[Row]]:
    """Return costs and rows of whole numbers on two or three x, some of them from above."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 4))
    rows = [Row((i,), Fraction(int(rng.integers(1, 4)))) for i in range(count)]
    for k in range(int(rng.integers(1, 5))):
        members = tuple(np.flatnonzero(rng.random(count) < 0.6).tolist()) or (0,)
        above = bool(rng.integers(2))
        number = int(rng.integers(3, 12))
        rows.append(Row(members, Fraction(-number - 4 if above else number), -1 if above else 1, f"row {k}"))
    return [Fraction(int(c)) for c in rng.integers(0, 6, count)], rows


def smallest(costs: list[Fraction], rows: list[Row]) -> int | None:
    """Return the smallest cost of whole numbers x that keep all rows, by trying them; None if there are none."""
    found = [
        sum(c * v for c, v in zip(costs, x, strict=True))
        for x in product(range(16), repeat=len(costs))
        if all(row.sign * sum(x[i] for i in row.members) >= row.least for row in rows)
    ]
    return int(min(found)) if found else None


def test_bounds_are_below_every_solution_and_most_meet_the_best() -> None:
    met = refused = 0
    for seed in range(120):
        costs, rows = random_programme(seed)
        best = smallest(costs, rows)
        solution = solve(costs, rows)
        if best is None:  # perhaps numbers that are not whole keep the rows
            assert solution is not None or contradicting(len(costs), rows)
            refused += solution is None
            continue
        assert solution is not None
        assert solution.least <= best
        assert contradicting(len(costs), rows) == ()
        met += best - solution.least < Fraction(1, 10**6)
    assert met > 60
    assert refused > 5


def test_any_hint_gives_a_bound() -> None:
    rng = np.random.default_rng(3)
    for seed in range(60):
        costs, rows = random_programme(seed)
        best = smallest(costs, rows)
        hints = rng.normal(0, 3, len(rows)) * 10.0 ** rng.integers(-3, 3)
        solution = bound_from(costs, rows, hints)
        assert all(y >= 0 for y in solution.multipliers)
        for i, cost in enumerate(costs):
            pays = (row.sign * y for row, y in zip(rows, solution.multipliers, strict=True) if i in row.members)
            assert sum(pays) == cost  # exactly
        if best is not None:
            assert solution.least <= best


def test_a_solver_that_is_wrong_by_much_cannot_make_a_bound_too_high(monkeypatch: pytest.MonkeyPatch) -> None:
    costs, rows = [Fraction(1)] * 2, [Row((0,), Fraction(1)), Row((1,), Fraction(1)), Row((0, 1), Fraction(3))]
    assert solve(costs, rows).least == 3  # type: ignore[union-attr]
    monkeypatch.setattr(linear_programme, "multipliers", lambda *_, **__: np.array([0.0, 7.0, 1.5]))
    assert solve(costs, rows).least <= 3  # type: ignore[union-attr]
    above = [*rows, Row((0,), Fraction(-1), -1, "x <= 1")]
    monkeypatch.setattr(linear_programme, "multipliers", lambda *_, **__: np.array([0.0, 0.0, 1.0, 9.0]))
    assert contradicting(2, above) == ()


def test_contradictions_name_only_the_rows_that_are_needed() -> None:
    rows = [Row((i,), Fraction(1)) for i in range(3)]
    rows.append(Row((0, 1), Fraction(10)))
    first, second = Row((0,), Fraction(-4), -1, "first"), Row((1,), Fraction(-5), -1, "second")
    third, zero = Row((2,), Fraction(-2), -1, "third"), Row((2,), Fraction(0), -1, "zero")
    assert contradicting(3, [*rows, first, second, third]) == ("first", "second")
    assert contradicting(3, [*rows, first, third]) == ()
    assert contradicting(3, [*rows, zero]) == ("zero",)
    assert solve([Fraction(1)] * 3, [*rows, first, second]) is None
    assert multipliers([Fraction(1)] * 3, [*rows, first, second]) is None


def test_a_mean_of_sums_is_their_largest_where_that_is_smallest() -> None:
    rows = [Row((0,), Fraction(1)), Row((1,), Fraction(1)), Row((0, 1), Fraction(6))]
    # the larger one of x and 2 y is smallest at x = 4, y = 2, where both are 4: (2 x + 2 y) / 3 is at least 4
    weights = mean_of_largest([([1.0, 0.0], 0.0), ([0.0, 2.0], 0.0)], 2, rows, 0.0)
    assert weights.tolist() == pytest.approx([2 / 3, 1 / 3])
