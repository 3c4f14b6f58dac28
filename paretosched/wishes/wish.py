"""What the owner wants: one value for the command line, the page and the library; and how near a schedule comes to it.

A `Wish` is a goal and limits. The goal is a weighted sum of objectives, to be minimised (paper 000, equation (8)), or a
point to come near to. A wish without a goal is a region, in which all schedules are equally good.

In words a wish is, with blanks and upper or lower case as you like::

    wish      = goal {"," limit} | limit {"," limit}
    goal      = sum | "near" point {"," point}
    sum       = ["+" | "-"] term {("+" | "-") term}
    term      = [number ["*"]] objective
    point     = objective "=" quantity
    limit     = limited ("<=" | ">=") (quantity | relative) | limited "in" quantity ".." quantity
    limited   = objective | "others" | "all"
    objective = "UTIL" | "AWRT" | "AWRT1" | ... | the name of a user group | measure
    quantity  = number ["s" | "min" | "h" | "d" | "%"]
    relative  = [number ["*"]] (policy | "today")

as in `10*AWRT1 + 4*AWRT2, AWRT5 <= 11h`, in `near AWRT1 = 50000, UTIL = 67`, in `AWRT1 in 45000..52000, UTIL >=
65 %`, and in `10*vip + 4*physics, others <= 1.02*EASY, AWRT <= EASY`. Without a unit a response time is in seconds and
the utilisation in per cent. A unit after the second number of `in` counts for both, if the first has none. A response
time from 1 to 59 without a unit is refused, because hours may be meant. `<` and `≤` mean `<=`, `>` and `≥` mean `>=`.

**Groups.** The name of a group stands for its AWRT, also one with hyphens, dots or digits in it, as accounts have:
`10*theo-chem`. The longest name that fits counts: `a-b` is the group a-b if there is one; else, as `a - b` always, it
is a minus b, and only UTIL can have a minus. A name that is a number or a word of this grammar, or has blanks or quotes
in it, is written in quotes. `all` stands for all groups, `others` for those that are not in the goal; each of them has
the limit.

**Measures** are such as `p95 wait of gpu`, `mean slowdown` or `share wait > 24h of students`, see the module
`paretosched.workload.measures`; a limit `of others` stands for one of each group that is not in the goal.

**Relative limits** are multiples of what a policy reaches, such as EASY or the recorded schedule, *on the same jobs*.
So they hold for any part of a log. "today" is what runs the machine today: the recorded
schedule, unless another scheduler is named for it. `relative_limits` puts numbers in their places. A
relative limit for a group without jobs excludes nothing, and neither do `others` and `all` for such a group.

**Sum.** Every term must ask for something better: response times have a plus, and UTIL, of which more is better, a
minus, `10*AWRT1 - 500*UTIL`; so have Jain's index and UTIL_gpus.

**Point.** The achievement scalarising function of Wierzbicki (1980) with its usual augmentation,

    max d_i + 0.0001 sum d_i,    d_i = (f_i - r_i) / r_i, or (r_i - f_i) / r_i if larger is better

where f_i is objective i and r_i its value at the point: the largest relative shortfall counts, and the sum makes the
other ones count a little. The result is negative for a schedule better than the point. The scale is r_i, not the range
of a front or of bounds, so that a wish means the same with a front, without a front, and on any workload.

**Limits** come before the goal: a schedule within them is better than one outside, and of two outside, the schedule
with less violation is better, or the one with the better goal if that is equal. The violation is the sum of how far
each limit is exceeded, as a share of the limit (or of 1 s, or 1 %, if that is more).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import checked_when_made, list_argument, number
from ..core.arrays import Floats
from ..core.errors import InputError, in_quotes, one_of
from ..core.notebook import fields_html, fields_repr
from ..policies.policy import OPTIMISED, POLICY_NAMES, as_policy
from ..simulation.objective import is_of_group, objective_names
from ..workload.measures import has_measure, is_maximised, is_measure, measure_of, unit_of

AUGMENTATION = 1e-4
VIOLATED = 1e30  # beyond any goal: 64 groups, weights of 1e6, response times below 2^62 s
SMALLEST, LARGEST = 1e-6, 1e6  # of weights
MOST = 1e300  # of levels and limits; beyond it, exact sums of them are no floats
FREE = (0.0, math.inf)  # the ends of a range without limits
OBJECTIVE = re.compile(r"UTIL|AWRT|AWRT[1-9][0-9]?")
OTHERS, ALL = SEVERAL = ("others", "all")  # the groups that are not in the goal, and all groups
TODAY = "today"  # what runs the machine: what is recorded, unless something else is named
REFERENCES = (*POLICY_NAMES, OPTIMISED, TODAY)  # what limits may be relative to
HOURS_MEANT = 60  # a response time below it, without a unit, was probably meant in hours


@checked_when_made
class Limit(NamedTuple):
    """A range that an objective must be in, its ends included.

    Attributes
    ----------
    objective
        Its name; or "others" or "all" for the AWRT of each of several groups.
    low, high
        In natural units; 0 and infinity where there is no limit.
    of
        The name of a policy: then low and high are multiples of what it reaches on the same jobs. "" for numbers.
    """

    objective: str
    low: float = FREE[0]
    high: float = FREE[1]
    of: str = ""

    def __post_init__(self) -> None:
        check_limited(self.objective)
        for end in (self.low, self.high):
            number(f"limits of {self.objective}", end)
        if self.of:
            one_of(f"the policy in limits of {self.objective}", self.of, REFERENCES)

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
    measures
        The measures in the last columns of the values that the wish is about, as in `Workload.measured`; two wishes
        are equal whatever they are.

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
    measures: tuple[str, ...] = field(default=(), compare=False, repr=False)

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        # plain pairs and floats from any sequences and numbers, so that equal wishes are equal
        for key in ("weights", "near"):
            pairs = _rows(key, getattr(self, key), "pairs of objective and number", 2)
            object.__setattr__(self, key, tuple((str(name), number(f"{key} of {name}", x)) for name, x in pairs))
        rows = _rows("limits", self.limits, "values of the type Limit", 3, 4)
        limits = (
            Limit(str(n), number(f"limits of {n}", low), number(f"limits of {n}", high), *of)
            for n, low, high, *of in rows
        )
        object.__setattr__(self, "limits", tuple(sorted(limits, key=lambda limit: limit.of)))  # numbers first
        for key in ("weights", "near"):
            names = [row[0] for row in getattr(self, key)]
            for name in names:
                check_objective(name)
                _check_once(name, names, key)
        names = [f"{limit.objective} relative to {limit.of}" if limit.of else limit.objective for limit in self.limits]
        for name in names:
            _check_once(name, names, "limits")
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
        """Return the names of the objectives that the wish uses, each once; without those of "others" and "all"."""
        limited = [limit.objective for limit in self.limits if limit.objective not in SEVERAL]
        return tuple(dict.fromkeys([*self.aims, *limited]))

    @property
    def aims(self) -> tuple[str, ...]:
        """Return the names of the objectives in the goal."""
        return tuple(name for name, _ in (*self.weights, *self.near))

    @property
    def references(self) -> tuple[str, ...]:
        """Return the names of the policies that limits are relative to, each once."""
        return tuple(dict.fromkeys(limit.of for limit in self.limits if limit.of))


def _rows(key: str, rows: object, kind: str, *lengths: int) -> list[list[Any]]:
    """Return the rows of a wish, each a list of as many values; raise InputError for anything else."""
    table = [
        row if isinstance(row, Sequence) and not isinstance(row, str) else [row] for row in list_argument(key, rows)
    ]
    for row in table:
        if len(row) not in lengths:
            raise InputError(f"wish: its {key} must be {kind}, but have {row[0] if len(row) == 1 else row!r:.60}")
    return [list(row) for row in table]


def check_objective(name: object) -> None:
    """Refuse what cannot be the name of an objective; raises InputError."""
    if not isinstance(name, str) or not (
        OBJECTIVE.fullmatch(name) or (has_measure(name) and measure_of(name).name == name)
    ):
        known = "UTIL, AWRT, AWRT1, ..., or a measure such as mean wait"
        raise InputError(f"wish: an objective must be {known}, but is {in_quotes(str(name))}")


def check_limited(name: object) -> None:
    """Refuse what cannot be limited: neither the name of an objective nor a word for groups; raises InputError."""
    if name not in SEVERAL:
        check_objective(name)


def _check_once(name: str, names: Sequence[str], key: str) -> None:
    """Raise InputError if a name comes again."""
    if names.count(name) > 1:
        raise InputError(f"wish: {name} must come once in its {key}, but comes again")


def check_weight(name: str, weight: float) -> None:
    """Refuse a weight that is too small or large, or of the wrong sign; raises InputError."""
    if not SMALLEST <= abs(weight) <= LARGEST:
        raise InputError(f"weights must be in {SMALLEST:g}..{LARGEST:g}, but that of {name} is {weight:g}")
    if (weight < 0) != is_maximised(name):
        rule = "needs a minus, because more" if is_maximised(name) else "needs a plus, because less"
        raise InputError(f"the sum is minimised: {name} {rule} of it is better")


def check_near(name: str, value: float) -> None:
    """Refuse a value, in natural units, that is too small or large for a point; raises InputError."""
    if not SMALLEST <= value <= MOST:
        raise InputError(
            f"{name} to come near to must be at least {SMALLEST:g}, and {MOST:g} at most, but is {value:g}"
        )


def check_limit(name: str, low: float, high: float, of: str = "") -> None:
    """Refuse a range with wrong ends or that excludes nothing or everything; raises InputError.

    The ends are in natural units, or times what a policy has, whose name is `of`.
    """
    most = LARGEST if of else MOST
    if any(most < end < math.inf for end in (low, high)):
        times_of = f" times {of}" if of else ""
        raise InputError(f"limits of {name} must be {most:g}{times_of} at most, but are {low:g}..{high:g}")
    if high == 0 and (name in SEVERAL or not is_measure(name)):  # nobody need wait, but all need time
        raise InputError(f"limits of {name} must allow something above 0, but are {low:g}..{high:g}")
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
        The wish; its limits may be relative.
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
        shortfall = np.array(
            [(columns[name] / value - 1) * (-1.0 if is_maximised(name) else 1.0) for name, value in wish.near]
        )
        return np.asarray(shortfall.max(axis=0) + AUGMENTATION * shortfall.sum(axis=0))
    total = np.zeros(len(np.asarray(values)))
    for name, weight in wish.weights:
        total = total + weight * columns[name]
    return total


def violation(wish: Wish, values: ArrayLike) -> Floats:
    """Return how far limits are exceeded, (k,): the sum of shares of each limit, 0 within all; arguments as of `goal`.

    Raises
    ------
    InputError
        As for `goal`; or a limit is relative to a policy, and has no number yet.

    Examples
    --------
    >>> violation(Wish(limits=[Limit("AWRT1", 20, 40)]), [[60, 30, 30], [60, 50, 50], [60, 15, 15]]).tolist()
    [0.0, 0.25, 0.25]
    >>> violation(Wish(weights=[("AWRT1", 1)], limits=[Limit("others", high=40)]), [[60, 30, 99, 50]]).tolist()
    [0.25]
    """
    if wish.references:
        raise InputError(
            f"the wish {wish_text(wish)} has limits relative to {', '.join(map(reference_text, wish.references))}: "
            "they need numbers, from what these policies reach on the same jobs (see `resolve`)"
        )
    columns = _columns(wish, values)
    total = np.zeros(len(np.asarray(values)))
    having_jobs = [name for name, column in columns.items() if not np.isnan(column).any()]
    for name, low, high, _ in spelled_out(wish, having_jobs).limits:
        column = columns[name]
        total = total + np.maximum(low - column, 0) / max(low, 1.0)
        if high < math.inf:
            total = total + np.maximum(column - high, 0) / max(high, 1.0)
    return total


def exceeded_limits(wish: Wish, values: Floats) -> list[tuple[Limit, float]]:
    """Return which limits of a wish, without relative ones, values exceed, and by which share; (m,) natural units.

    Examples
    --------
    >>> wish = Wish(limits=[Limit("AWRT1", high=20.0), Limit("AWRT2", high=50.0)])
    >>> [(limit.objective, share) for limit, share in exceeded_limits(wish, np.array([60.0, 30.0, 25.0, 40.0]))]
    [('AWRT1', 0.25)]
    """
    names = [name for name, column in _columns(wish, values[None]).items() if not np.isnan(column).any()]
    limits = spelled_out(wish, names).limits
    shares = [
        (limit, float(violation(Wish(limits=[limit], measures=wish.measures), values[None])[0])) for limit in limits
    ]
    return [(limit, share) for limit, share in shares if share > 0]


def groups_asked(wish: Wish, groups: Sequence[str]) -> list[int]:
    """Return the numbers of the groups that the goal of a wish is about, from 1 on: their AWRT, or a measure of them.

    Examples
    --------
    >>> groups_asked(Wish(weights=[("AWRT2", 10), ("mean wait of physics", 1)]), ("physics", "bio", "rest"))
    [1, 2]
    """
    of = {measure_of(aim).group for aim in wish.aims if is_measure(aim)}
    return [k for k, group in enumerate(groups, 1) if f"AWRT{k}" in wish.aims or group in of]


def others_named(wish: Wish, groups: Sequence[str]) -> Wish:
    """Return a wish with the AWRT of each group that is not in the goal in place of "others", if a measure is.

    Only here the names of groups are known, which a measure in the goal, such as "mean wait of physics", is of.

    Examples
    --------
    >>> wish = Wish(weights=[("mean wait of physics", 1)], limits=[Limit("others", high=9)])
    >>> [limit.objective for limit in others_named(wish, ("physics", "bio", "rest")).limits]
    ['AWRT2', 'AWRT3']
    """
    if not any(limit.objective == OTHERS for limit in wish.limits):
        return wish
    asked = groups_asked(wish, groups)
    others = [f"AWRT{k}" for k in range(1, len(groups) + 1) if k not in asked]
    if not any(is_measure(aim) and measure_of(aim).group in groups for aim in wish.aims):
        return wish
    named = [
        limit._replace(objective=name)
        for limit in wish.limits
        for name in (others if limit.objective == OTHERS else [limit.objective])
    ]
    return with_limits(wish, named)


def spelled_out(wish: Wish, names: Sequence[str]) -> Wish:
    """Return a wish with limits for each group in place of "others" and "all"; relative limits stay.

    Of several limits for an objective, the tightest ends count.

    Parameters
    ----------
    wish
        The wish.
    names
        The objectives that may be limited, of groups that have jobs.

    Raises
    ------
    InputError
        Together the limits of an objective leave nothing.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 1)], limits=[Limit("others", high=9), Limit("AWRT2", high=7)])
    >>> [(name, high) for name, _, high, _ in spelled_out(wish, ["AWRT1", "AWRT2", "AWRT3"]).limits]
    [('AWRT2', 7.0), ('AWRT3', 9.0)]
    """
    if not any(limit.objective in SEVERAL for limit in wish.limits):
        return wish
    limits = []
    for limit in wish.limits:
        several = [name for name in names if is_of_group(name)]
        groups = {ALL: several, OTHERS: [name for name in several if name not in wish.aims]}
        limits += [limit._replace(objective=name) for name in groups.get(limit.objective, [limit.objective])]
    return with_limits(wish, limits)


def with_limits(wish: Wish, limits: Sequence[Limit]) -> Wish:
    """Return a wish with other limits; of several for an objective and policy, the tightest ends count."""
    joined: dict[tuple[str, str], Limit] = {}
    for limit in limits:
        key = limit.objective, limit.of
        other = joined.get(key, limit)
        joined[key] = limit._replace(low=max(limit.low, other.low), high=min(limit.high, other.high))
    if not (joined or wish.aims):
        raise InputError(f"the wish {wish_text(wish)} has limits for groups without jobs only, and no goal")
    return replace(wish, limits=tuple(joined.values()))


def part_with_jobs(wish: Wish, values: Floats) -> Wish | None:
    """Return a wish without groups that have no jobs, whose values, of (m,), are NaN; None if nothing of it is left.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10), ("AWRT2", 4)], limits=[Limit("AWRT2", high=7200), Limit("others", high=9)])
    >>> wish_text(part_with_jobs(wish, np.array([60.0, 3600, 3600, np.nan])))
    '10*AWRT1, others <= 9s'
    >>> part_with_jobs(Wish(near=[("AWRT2", 7200)]), np.array([60.0, 3600, 3600, np.nan])) is None
    True
    """
    missing = {
        name for name, value in zip(objective_names(len(values), wish.measures), values, strict=True) if np.isnan(value)
    }
    weights, near = ([pair for pair in pairs if pair[0] not in missing] for pairs in (wish.weights, wish.near))
    limits = [limit for limit in wish.limits if limit.objective not in missing]
    return Wish(weights, near, limits, wish.measures) if weights or near or limits else None


def goal_with_jobs(wish: Wish, values: Floats) -> Wish:
    """Return a wish without groups that have no jobs, by values, (m,); the same one if nothing of its goal is left.

    Examples
    --------
    >>> wish, values = Wish(weights=[("AWRT1", 10), ("AWRT2", 4)]), np.array([60.0, 3600, 3600, np.nan])
    >>> wish_text(goal_with_jobs(wish, values)), wish_text(goal_with_jobs(Wish(near=[("AWRT2", 7200)]), values))
    ('10*AWRT1', 'near AWRT2 = 7200')
    """
    part = part_with_jobs(wish, values)
    return wish if part is None or (wish.aims and not part.aims) else part


def goal_within(wish: Wish, values: Floats) -> float | None:
    """Return the goal of a schedule, of objective values (m,); None if it exceeds a limit.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10)], limits=[Limit("AWRT1", high=40)])
    >>> goal_within(wish, np.array([60.0, 30, 30])), goal_within(wish, np.array([60.0, 50, 50]))
    (300.0, None)
    """
    return None if violation(wish, values[None])[0] > 0 else float(goal(wish, values[None])[0])


def gain(wish: Wish, easy: float, reached: float) -> float | None:
    """Return by how much a goal is better than EASY's, in per cent of it; None unless it is a sum, positive for EASY.

    Examples
    --------
    >>> gain(Wish(weights=[("AWRT1", 10)]), 50.0, 40.0), gain(Wish(near=[("AWRT1", 10)]), 50.0, 40.0)
    (20.0, None)
    """
    return 100 * (easy - reached) / easy if wish.weights and easy > 0 else None


def is_defined(wish: Wish, values: Floats) -> bool:
    """Return whether the objectives that a wish uses are defined in values, (m,): their groups have jobs.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 1)], limits=[Limit("others", high=9)])
    >>> is_defined(wish, np.array([60.0, 30, 30, np.nan])), is_defined(wish, np.array([60.0, 30, np.nan, 30]))
    (True, False)
    """
    names = objective_names(len(values), wish.measures)
    return not any(np.isnan(value) for name, value in zip(names, values, strict=True) if name in wish.names)


def penalise(goals: Floats, violations: Floats) -> Floats:
    """Return goals with limits before them, (k,): 1e30 (1 + violation) where a limit is exceeded, else the goal.

    Examples
    --------
    >>> [f"{x:g}" for x in penalise(np.array([5.0, 1.0, 1.0]), np.array([0.0, 0.5, 0.25]))]
    ['5', '1.5e+30', '1.25e+30']
    """
    return np.where(violations > 0, VIOLATED * (1 + violations), goals)


def _columns(wish: Wish, values: ArrayLike) -> dict[str, Floats]:
    """Return all columns, (k,) each, by the name of the objective; raise InputError if the wish uses others."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 3 + len(wish.measures):
        beside = 2 + len(wish.measures)
        raise InputError(f"objective values must have shape (k, groups + {beside}), but have {matrix.shape}")
    names = objective_names(matrix.shape[1], wish.measures)
    columns = dict(zip(names, matrix.T, strict=True))
    fixed = {limit.objective for limit in wish.limits if not limit.of}
    for name in wish.names:
        if name not in names:
            raise InputError(f"the wish {wish_text(wish)} uses {name}, but here are only {', '.join(names)}")
        if (name in wish.aims or name in fixed) and np.isnan(columns[name]).any():
            why = "no job counts for it" if is_measure(name) else "its group has no jobs"
            raise InputError(f"the wish {wish_text(wish)} uses {name}, which is undefined: {why}")
    return columns


# --- in words -------------------------------------------------------------------------------------------------------


def wish_text(wish: Wish, *, hours: bool = False, names: Mapping[str, str] | None = None) -> str:
    """Return a wish in words; `parse` returns the same wish from them.

    Parameters
    ----------
    wish
        The wish.
    hours
        Whether response times are written in hours, for people; those that need more than six digits stay in seconds.
    names
        What is written in place of objectives, see `wish_grammar.names_in_words`.

    Examples
    --------
    >>> wish = Wish(near=[("AWRT1", 5e4), ("UTIL", 66.5)], limits=[Limit("AWRT", 36000, 43200)])
    >>> wish_text(wish)
    'near AWRT1 = 50000, UTIL = 66.5, AWRT in 36000..43200'
    >>> wish_text(wish, hours=True)
    'near AWRT1 = 50000s, UTIL = 66.5, AWRT in 10h..12h'
    """

    def quantity(name: str, value: float, of: str = "") -> str:
        if of:
            factor = "" if value == 1 else f"{_exact_text(value)}*"
            return f"{factor}{reference_text(of)}"
        if name not in SEVERAL and unit_of(name) != "s":
            return _exact_text(value)
        if not hours:
            return f"{_exact_text(value)}{'s' if 0 < value < HOURS_MEANT else ''}"
        short = f"{value / 3600:.6g}"
        return f"{short}h" if times(float(short), 3600.0) == value else f"{_exact_text(value)}s"

    written = {} if names is None else names
    parts = []
    if wish.weights:
        signs = ["- " if weight < 0 else "+ " for _, weight in wish.weights]
        factors = ["" if abs(weight) == 1 else f"{_exact_text(abs(weight))}*" for _, weight in wish.weights]
        terms = (
            f"{s}{f}{written.get(name, name)}" for s, f, (name, _) in zip(signs, factors, wish.weights, strict=True)
        )
        parts.append(" ".join(terms).removeprefix("+ ").replace("- ", "-", 1 if wish.weights[0][1] < 0 else 0))
    parts += [f"{written.get(name, name)} = {quantity(name, value)}" for name, value in wish.near]
    for name, low, high, of in wish.limits:
        word = written.get(name, name)
        if low == 0:
            parts.append(f"{word} <= {quantity(name, high, of)}")
        elif math.isinf(high):
            parts.append(f"{word} >= {quantity(name, low, of)}")
        elif of:
            parts += [f"{word} >= {quantity(name, low, of)}", f"{word} <= {quantity(name, high, of)}"]
        else:
            parts.append(f"{word} in {quantity(name, low)}..{quantity(name, high)}")
    return ("near " if wish.near else "") + ", ".join(parts)


def reference_text(policy: str) -> str:
    """Return the name of a policy in a wish, in the capitals that its tables have.

    Examples
    --------
    >>> reference_text("easy"), reference_text("conservative")
    ('EASY', 'conservative')
    """
    if policy == TODAY:
        return TODAY
    name = as_policy(policy).name
    return name if name.lower() == policy else policy


def _exact_text(number: float) -> str:
    """Return a number as its shortest exact text."""
    return repr(float(number)).removesuffix(".0")


def times(value: float, unit: float) -> float:
    """Return a number of units, multiplied as on paper: 14.37 h are 51732 s, not 51731.99999999999."""
    return value if unit == 1 else float(f"{value * unit:.15g}")
