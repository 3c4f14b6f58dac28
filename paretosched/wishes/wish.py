"""What the owner wants: one value for the command line, the page and the library; and how near a schedule comes to it.

A `Wish` is a goal and limits. The goal is a weighted sum of objectives, to be minimised (paper 000, equation (8)), or a
point to come near to. A wish without a goal is a region, in which all schedules are equally good.

In words a wish is, with blanks and upper or lower case as you like::

    wish     = goal {"," limit} | limit {"," limit}
    goal     = sum | "near" point {"," point}
    sum      = ["+" | "-"] term {("+" | "-") term}
    term     = [number ["*"]] objective
    point    = objective "=" quantity
    limit    = objective ("<=" | ">=") quantity | objective "in" quantity ".." quantity
    quantity = number ["s" | "min" | "h" | "d" | "%"]

as in `10*AWRT1 + 4*AWRT2, AWRT5 <= 11h`, in `near AWRT1 = 50000, UTIL = 67`, and in `AWRT1 in 45000..52000, UTIL >=
65 %`. Without a unit a response time is in seconds and the utilisation in per cent. A unit after the second number of
`in` counts for both, if the first has none.

**Sum.** Every term must ask for something better: response times have a plus, and UTIL, of which more is better, a
minus, `10*AWRT1 - 500*UTIL`.

**Point.** The achievement scalarising function of Wierzbicki (1980) with its usual augmentation,

    max d_i + 0.0001 sum d_i,    d_i = (f_i - r_i) / r_i, or (r_i - f_i) / r_i if larger is better

where f_i is objective i and r_i its value at the point: the largest relative shortfall counts, and the sum makes the
other ones count a little. The result is negative for a schedule better than the point. The scale is r_i, not the range
of a front or of bounds, so that a wish means the same with a front, without a front, and on any workload.

**Limits** come before the goal: a schedule within them is better than one outside, and of two outside, the schedule
with less violation is better. The violation is the sum of how far each limit is exceeded, as a share of the limit (or
of 1 s, or 1 %, if that is more).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import checked_when_made, list_argument, number
from ..core.arrays import Floats
from ..core.errors import InputError, in_quotes
from ..core.notebook import fields_html, fields_repr
from ..simulation.objective import objective_table

AUGMENTATION = 1e-4
VIOLATED = 1e30  # beyond any goal: 64 groups, weights of 1e6, response times below 2^62 s
SMALLEST, LARGEST = 1e-6, 1e6  # of weights
FREE = (0.0, math.inf)  # the ends of a range without limits
OBJECTIVE = re.compile(r"UTIL|AWRT|AWRT[1-9][0-9]?")


@checked_when_made
class Limit(NamedTuple):
    """A range that an objective must be in, its ends included.

    Attributes
    ----------
    objective
        Its name.
    low, high
        In natural units; 0 and infinity where there is no limit.
    """

    objective: str
    low: float = FREE[0]
    high: float = FREE[1]

    def __post_init__(self) -> None:
        check_objective(self.objective)
        for end in (self.low, self.high):
            number(f"limits of {self.objective}", end)

    def _repr_html_(self) -> str:
        return fields_html(self)


@dataclass(frozen=True)
class Wish:
    """What the owner wants; see the module.

    Parameters
    ----------
    weights
        (objective, weight) pairs of a sum to be minimised, in [1e-6, 1e6]; that of UTIL negative.
    near
        (objective, value) pairs of a point to come near to, natural units, at least 1e-6.
    limits
        Ranges that objectives must be in.

    Raises
    ------
    InputError
        There are weights and a point, or neither of them nor limits; an objective is unknown or comes twice; or a
        number is out of its range.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10), ("AWRT2", 4)], limits=[Limit("AWRT5", high=40000)])
    >>> wish_text(wish)
    '10*AWRT1 + 4*AWRT2, AWRT5 <= 40000'
    """

    weights: Sequence[tuple[str, float]] = ()
    near: Sequence[tuple[str, float]] = ()
    limits: Sequence[Limit] = ()

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        # plain pairs and floats from any sequences and numbers, so that equal wishes are equal
        for key in ("weights", "near"):
            pairs = _rows(key, getattr(self, key), "pairs of objective and number", 2)
            object.__setattr__(self, key, tuple((str(name), number(f"{key} of {name}", x)) for name, x in pairs))
        rows = _rows("limits", self.limits, "values of the type Limit", 3)
        limits = (Limit(str(n), number(f"limits of {n}", low), number(f"limits of {n}", high)) for n, low, high in rows)
        object.__setattr__(self, "limits", tuple(limits))
        for key in ("weights", "near", "limits"):
            names = [row[0] for row in getattr(self, key)]
            for name in names:
                check_objective(name)
                if names.count(name) > 1:
                    raise InputError(f"wish: {name} must come once in its {key}, but comes again")
        for name, weight in self.weights:
            check_weight(name, weight)
        for name, value in self.near:
            check_near(name, value)
        for limit in self.limits:
            check_limit(*limit)
        if self.weights and self.near:
            raise InputError("wish: must have weights or a point to come near to, not both")
        if not (self.weights or self.near or self.limits):
            raise InputError("wish: must have weights, a point or limits, but has none of them")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the objectives that the wish uses, each once."""
        names = [name for name, _ in (*self.weights, *self.near)] + [limit.objective for limit in self.limits]
        return tuple(dict.fromkeys(names))


def _rows(key: str, rows: object, kind: str, length: int) -> list[list[Any]]:
    """Return the rows of a wish, each a list of `length` values; raise InputError for anything else."""
    table = [
        row if isinstance(row, Sequence) and not isinstance(row, str) else [row] for row in list_argument(key, rows)
    ]
    for row in table:
        if len(row) != length:
            raise InputError(f"wish: its {key} must be {kind}, but have {row[0] if len(row) == 1 else row!r:.60}")
    return [list(row) for row in table]


def check_objective(name: object) -> None:
    """Refuse what cannot be the name of an objective; raises InputError."""
    if not isinstance(name, str) or not OBJECTIVE.fullmatch(name):
        raise InputError(f"wish: an objective must be UTIL, AWRT, AWRT1, ..., but is {in_quotes(str(name))}")


def check_weight(name: str, weight: float) -> None:
    """Refuse a weight that is too small or large, or of the wrong sign; raises InputError."""
    if not SMALLEST <= abs(weight) <= LARGEST:
        raise InputError(f"weights must be in {SMALLEST:g}..{LARGEST:g}, but that of {name} is {weight:g}")
    if (weight < 0) != (name == "UTIL"):
        rule = "needs a minus, because more" if name == "UTIL" else "needs a plus, because less"
        raise InputError(f"the sum is minimised: {name} {rule} of it is better")


def check_near(name: str, value: float) -> None:
    """Refuse a value, in natural units, that is too small or infinite for a point; raises InputError."""
    if not SMALLEST <= value < math.inf:
        raise InputError(f"{name} to come near to must be at least {SMALLEST:g}, but is {value:g}")


def check_limit(name: str, low: float, high: float) -> None:
    """Refuse a range, in natural units, with wrong ends or that excludes nothing; raises InputError."""
    if not 0 <= low <= high or math.isinf(low):
        raise InputError(f"limits of {name} must be a range from 0 on, but are {low:g}..{high:g}")
    if low == 0 and math.isinf(high):
        raise InputError(f"limits of {name} must exclude something, but are {low:g}..{high:g}")


# --- how near a schedule comes --------------------------------------------------------------------------------------


def goal(wish: Wish, values: ArrayLike) -> Floats:
    """Return the value of the goal, (k,), smaller is better, limits aside; 0 for a region.

    Parameters
    ----------
    wish
        The wish.
    values
        (k, m) objective values in natural units, as of `objectives`.

    Returns
    -------
    (k,) float64
        The weighted sum, or the achievement scalarising function.

    Raises
    ------
    InputError
        The wish uses an objective that is missing, or undefined because its group has no jobs.

    Examples
    --------
    >>> goal(Wish(weights=[("AWRT1", 10), ("UTIL", -1)]), [[60, 7, 7], [70, 9, 9]]).tolist()
    [10.0, 20.0]
    >>> goal(Wish(near=[("AWRT1", 8), ("UTIL", 70)]), [[70, 6, 6], [63, 8, 8]]).round(6).tolist()
    [-2.5e-05, 0.10001]
    """
    columns = _columns(wish, values)
    if wish.near:
        shortfall = np.array([(columns[name] / value - 1) * _sign(name) for name, value in wish.near])
        return np.asarray(shortfall.max(axis=0) + AUGMENTATION * shortfall.sum(axis=0))
    total = np.zeros(len(np.asarray(values)))
    for name, weight in wish.weights:
        total = total + weight * columns[name]
    return total


def violation(wish: Wish, values: ArrayLike) -> Floats:
    """Return how far limits are exceeded, (k,): the sum of shares of each limit, 0 within all; arguments as of `goal`.

    Examples
    --------
    >>> violation(Wish(limits=[Limit("AWRT1", 20, 40)]), [[60, 30, 30], [60, 50, 50], [60, 15, 15]]).tolist()
    [0.0, 0.25, 0.25]
    """
    columns = _columns(wish, values)
    total = np.zeros(len(np.asarray(values)))
    for name, low, high in wish.limits:
        column = columns[name]
        total = total + np.maximum(low - column, 0) / max(low, 1.0)
        if high < math.inf:
            total = total + np.maximum(column - high, 0) / max(high, 1.0)
    return total


def penalise(goals: Floats, violations: Floats) -> Floats:
    """Return goals with limits before them, (k,): 1e30 (1 + violation) where a limit is exceeded, else the goal.

    Examples
    --------
    >>> [f"{x:g}" for x in penalise(np.array([5.0, 1.0, 1.0]), np.array([0.0, 0.5, 0.25]))]
    ['5', '1.5e+30', '1.25e+30']
    """
    return np.where(violations > 0, VIOLATED * (1 + violations), goals)


def _columns(wish: Wish, values: ArrayLike) -> dict[str, Floats]:
    """Return the columns that a wish uses, (k,) each, by the name of the objective."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 3:
        raise InputError(f"objective values must have shape (k, groups + 2), but have {matrix.shape}")
    names = [o.name for o in objective_table(tuple(str(i) for i in range(matrix.shape[1] - 2)))]
    columns = {}
    for name in wish.names:
        if name not in names:
            raise InputError(f"the wish {wish_text(wish)} uses {name}, but here are only {', '.join(names)}")
        columns[name] = matrix[:, names.index(name)]
        if np.isnan(columns[name]).any():
            raise InputError(f"the wish {wish_text(wish)} uses {name}, which is undefined: its group has no jobs")
    return columns


def _sign(name: str) -> float:
    """Return -1 for an objective of which more is better, else 1."""
    return -1.0 if name == "UTIL" else 1.0


# --- in words -------------------------------------------------------------------------------------------------------


def wish_text(wish: Wish, *, hours: bool = False) -> str:
    """Return a wish in words; `parse` returns the same wish from them.

    Parameters
    ----------
    wish
        The wish.
    hours
        Whether response times are written in hours, for people; those that need more than six digits stay in seconds.

    Examples
    --------
    >>> wish = Wish(near=[("AWRT1", 5e4), ("UTIL", 66.5)], limits=[Limit("AWRT", 36000, 43200)])
    >>> wish_text(wish)
    'near AWRT1 = 50000, UTIL = 66.5, AWRT in 36000..43200'
    >>> wish_text(wish, hours=True)
    'near AWRT1 = 50000s, UTIL = 66.5, AWRT in 10h..12h'
    """

    def quantity(name: str, value: float) -> str:
        if not hours or name == "UTIL":
            return _exact_text(value)
        short = f"{value / 3600:.6g}"
        return f"{short}h" if times(float(short), 3600.0) == value else f"{_exact_text(value)}s"

    parts = []
    if wish.weights:
        signs = ["- " if weight < 0 else "+ " for _, weight in wish.weights]
        factors = ["" if abs(weight) == 1 else f"{_exact_text(abs(weight))}*" for _, weight in wish.weights]
        terms = (f"{s}{f}{name}" for s, f, (name, _) in zip(signs, factors, wish.weights, strict=True))
        parts.append(" ".join(terms).removeprefix("+ ").replace("- ", "-", 1 if wish.weights[0][1] < 0 else 0))
    parts += [f"{name} = {quantity(name, value)}" for name, value in wish.near]
    for name, low, high in wish.limits:
        if low == 0:
            parts.append(f"{name} <= {quantity(name, high)}")
        elif math.isinf(high):
            parts.append(f"{name} >= {quantity(name, low)}")
        else:
            parts.append(f"{name} in {quantity(name, low)}..{quantity(name, high)}")
    return ("near " if wish.near else "") + ", ".join(parts)


def _exact_text(number: float) -> str:
    """Return a number as its shortest exact text."""
    return repr(float(number)).removesuffix(".0")


def times(value: float, unit: float) -> float:
    """Return a number of units, multiplied as on paper: 14.37 h are 51732 s, not 51731.99999999999."""
    return value if unit == 1 else float(f"{value * unit:.15g}")
