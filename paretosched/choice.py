"""What the owner wants: one value for the command line, the page and the library; and how near a schedule comes to it.

A `Wish` is a goal and limits. The goal is a weighted sum of objectives, to be minimised (paper 000, equation (8)), or a
point to come near to; a wish without one is a region, and everything within it is as good as anything else.

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

where f_i is objective i and r_i what was asked for: the largest relative shortfall counts, and the sum sees to it that
nothing is given away beside it. It is negative if everything asked for is exceeded. The shares of r_i are the scale,
not the range of a front or of bounds, so that a wish means the same with a front, without one, and on any workload.

**Limits** come before the goal: a schedule within them is better than one that is not, and of two that are not, the
one with less violation is better. The violation is the sum of how far each limit is exceeded, as a share of the limit
(or of 1 s, or 1 %, if that is more).
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError, quoted
from .files import read_json
from .files import written as written_whole
from .front import Front
from .objectives import Objective, objective_table

Floats = NDArray[np.float64]

FORMAT = "paretosched wish 1"
AUGMENTATION = 1e-4
VIOLATED = 1e30  # beyond any goal: 64 groups, weights of 1e6, response times below 2^62 s
SMALLEST, LARGEST = 1e-6, 1e6  # of weights
MOST_LETTERS = 2000
FREE = (0.0, math.inf)  # the ends of a range without limits
UNITS = {"s": ("s", 1.0), "min": ("s", 60.0), "h": ("s", 3600.0), "d": ("s", 86400.0), "%": ("%", 1.0)}
OBJECTIVE = re.compile(r"UTIL|AWRT|AWRT[1-9][0-9]?")


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
        There are weights and a point, or nothing at all; an objective is not known or comes twice; or a number is out
        of its range.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10), ("AWRT2", 4)], limits=[Limit("AWRT5", high=40000)])
    >>> written(wish)
    '10*AWRT1 + 4*AWRT2, AWRT5 <= 40000'
    """

    weights: Sequence[tuple[str, float]] = ()
    near: Sequence[tuple[str, float]] = ()
    limits: Sequence[Limit] = ()

    def __post_init__(self) -> None:
        # plain pairs and floats, whatever was given, so that equal wishes are equal
        object.__setattr__(self, "weights", tuple((str(name), float(weight)) for name, weight in self.weights))
        object.__setattr__(self, "near", tuple((str(name), float(value)) for name, value in self.near))
        object.__setattr__(
            self, "limits", tuple(Limit(str(n), float(low), float(high)) for n, low, high in self.limits)
        )
        for key in ("weights", "near", "limits"):
            names = [row[0] for row in getattr(self, key)]
            for name in names:
                if not OBJECTIVE.fullmatch(name):
                    raise InputError(f"wish: an objective must be UTIL, AWRT, AWRT1, ..., but is {quoted(name)}")
                if names.count(name) > 1:
                    raise InputError(f"wish: {name} must come once in its {key}, but comes again")
        for name, weight in self.weights:
            _check_weight(name, weight)
        for name, value in self.near:
            _check_near(name, value)
        for limit in self.limits:
            _check_limit(*limit)
        if self.weights and self.near:
            raise InputError("wish: must have weights or a point to come near to, not both")
        if not (self.weights or self.near or self.limits):
            raise InputError("wish: must want something, but has neither weights, nor a point, nor limits")

    @property
    def names(self) -> tuple[str, ...]:
        """The objectives it uses, each once."""
        names = [name for name, _ in (*self.weights, *self.near)] + [limit.objective for limit in self.limits]
        return tuple(dict.fromkeys(names))


def _check_weight(name: str, weight: float) -> None:
    if not SMALLEST <= abs(weight) <= LARGEST:
        raise InputError(f"weights must be in {SMALLEST:g}..{LARGEST:g}, but that of {name} is {weight:g}")
    if (weight < 0) != (name == "UTIL"):
        better = "more of it is better: it needs a minus" if name == "UTIL" else "less of it is better: it needs a plus"
        raise InputError(f"the sum is minimised, and of {name} {better}")


def _check_near(name: str, value: float) -> None:
    if not SMALLEST <= value < math.inf:
        raise InputError(f"{name} to come near to must be at least {SMALLEST:g}, but is {value:g}")


def _check_limit(name: str, low: float, high: float) -> None:
    if not 0 <= low <= high or math.isinf(low):
        raise InputError(f"limits of {name} must be a range from 0 on, but are {low:g}..{high:g}")
    if low == 0 and math.isinf(high):
        raise InputError(f"limits of {name} must exclude something, but are {low:g}..{high:g}")


# --- how near a schedule comes --------------------------------------------------------------------------------------


def goal(wish: Wish, values: ArrayLike) -> Floats:
    """Give the value of the goal, smaller is better, limits aside; 0 for a region.

    Parameters
    ----------
    wish
        What is wanted.
    values
        (k, m) objective values in natural units, as of `objectives`.

    Returns
    -------
    (k,) float64
        The weighted sum, or the achievement scalarising function.

    Raises
    ------
    InputError
        The wish uses an objective that is not there, or undefined because its group has no jobs.

    Examples
    --------
    >>> goal(Wish(weights=[("AWRT1", 10), ("UTIL", -1)]), [[60, 7, 7], [70, 9, 9]]).tolist()
    [10.0, 20.0]
    >>> goal(Wish(near=[("AWRT1", 8), ("UTIL", 70)]), [[70, 6, 6], [63, 8, 8]]).round(6).tolist()
    [-2.5e-05, 0.10001]
    """
    columns = _columns(wish, values)
    if wish.near:
        short = np.array([(columns[name] / value - 1) * _sign(name) for name, value in wish.near])
        return np.asarray(short.max(axis=0) + AUGMENTATION * short.sum(axis=0))
    total = np.zeros(len(np.asarray(values)))
    for name, weight in wish.weights:
        total = total + weight * columns[name]
    return total


def violation(wish: Wish, values: ArrayLike) -> Floats:
    """Give how far limits are exceeded, (k,): the sum of shares of each, 0 within all of them; as for `goal`.

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


def penalised(goals: Floats, violations: Floats) -> Floats:
    """Put limits before the goal: 1e30 (1 + violation) where a limit is exceeded, else the goal, (k,).

    Examples
    --------
    >>> [f"{x:g}" for x in penalised(np.array([5.0, 1.0, 1.0]), np.array([0.0, 0.5, 0.25]))]
    ['5', '1.5e+30', '1.25e+30']
    """
    return np.where(violations > 0, VIOLATED * (1 + violations), goals)


def fitness(wish: Wish, values: ArrayLike) -> Floats:
    """Say how near schedules come to a wish, (k,): smaller is better; see the module, and `goal` for the arguments.

    Examples
    --------
    The second is faster for group 1 and exceeds the limit of group 2.

    >>> wish = Wish(weights=[("AWRT1", 1)], limits=[Limit("AWRT2", high=10)])
    >>> [f"{x:g}" for x in fitness(wish, [[60, 8, 7, 9], [60, 8, 4, 15]])]
    ['7', '1.5e+30']
    """
    return penalised(goal(wish, values), violation(wish, values))


def nearest(wish: Wish, front: Front) -> NDArray[np.int64]:
    """Rank the rows of a front, (p,) row numbers, the nearest to a wish first; equal ones as they are."""
    return np.argsort(fitness(wish, front.values), kind="stable")


def _columns(wish: Wish, values: ArrayLike) -> dict[str, Floats]:
    """Take the columns that a wish uses."""
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] < 3:
        raise InputError(f"objective values must have shape (k, groups + 2), but have {matrix.shape}")
    names = [o.name for o in objective_table(tuple(str(i) for i in range(matrix.shape[1] - 2)))]
    columns = {}
    for name in wish.names:
        if name not in names:
            raise InputError(f"the wish {written(wish)} uses {name}, but here are only {', '.join(names)}")
        columns[name] = matrix[:, names.index(name)]
        if np.isnan(columns[name]).any():
            raise InputError(f"the wish {written(wish)} uses {name}, which is undefined: its group has no jobs")
    return columns


def _sign(name: str) -> float:
    return -1.0 if name == "UTIL" else 1.0


# --- in words -------------------------------------------------------------------------------------------------------


def written(wish: Wish, *, hours: bool = False) -> str:
    """Put a wish into words; `parse` understands them and gives the very same wish.

    Parameters
    ----------
    wish
        The wish.
    hours
        Whether response times are written in hours, for people; those that six digits do not give stay in seconds.

    Examples
    --------
    >>> wish = Wish(near=[("AWRT1", 5e4), ("UTIL", 66.5)], limits=[Limit("AWRT", 36000, 43200)])
    >>> written(wish)
    'near AWRT1 = 50000, UTIL = 66.5, AWRT in 36000..43200'
    >>> written(wish, hours=True)
    'near AWRT1 = 50000s, UTIL = 66.5, AWRT in 10h..12h'
    """

    def quantity(name: str, value: float) -> str:
        if not hours or name == "UTIL":
            return _digits(value)
        short = f"{value / 3600:.6g}"
        return f"{short}h" if _times(float(short), 3600.0) == value else f"{_digits(value)}s"

    parts = []
    if wish.weights:
        signs = ["- " if weight < 0 else "+ " for _, weight in wish.weights]
        factors = ["" if abs(weight) == 1 else f"{_digits(abs(weight))}*" for _, weight in wish.weights]
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


def _digits(number: float) -> str:
    return repr(float(number)).removesuffix(".0")


def _times(value: float, unit: float) -> float:
    """Multiply as on paper: 14.37 h are 51732 s, not 51731.99999999999."""
    return value if unit == 1 else float(f"{value * unit:.15g}")


def parse(text: str, objectives: Sequence[Objective]) -> Wish:
    """Understand a wish in words; the module has the grammar.

    Parameters
    ----------
    text
        The words.
    objectives
        What may be wished for, as of `objective_table`.

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.

    Examples
    --------
    >>> parse("10*AWRT1 + 4*AWRT2, AWRT <= 11h", objective_table(("1", "2"))).limits
    (Limit(objective='AWRT', low=0.0, high=39600.0),)
    >>> parse("10*AWRT1 + 4*AWRT9", objective_table(("1", "2")))
    Traceback (most recent call last):
    paretosched.errors.InputError: wish, character 14, "AWRT9": there must be one of UTIL, AWRT, AWRT1, AWRT2
    """
    return _Reader(text, objectives).wish()


class _Token(NamedTuple):
    kind: str  # "number", "word", "sign" or "end"
    text: str
    place: int  # of the first character, from 0


TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z][A-Za-z0-9_]*)|(?P<sign><=|>=|\.\.|[-+*,=%])"
)


def _tokens(text: str) -> Iterator[_Token]:
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            _refuse(_Token("sign", text[place], place), "has no meaning here")
        yield _Token(match.lastgroup, match.group(), place)
        place = match.end()
    yield _Token("end", "", len(text))


def _refuse(token: _Token, rule: str) -> NoReturn:
    what = "the end" if token.kind == "end" else quoted(token.text)
    raise InputError(f"wish, character {token.place + 1}, {what}: {rule}")


class _Reader:
    """Recursive descent: a method for each rule of the grammar."""

    def __init__(self, text: str, objectives: Sequence[Objective]) -> None:
        if len(text) > MOST_LETTERS:
            raise InputError(f"wish: must have at most {MOST_LETTERS} characters, but has {len(text)}")
        self.tokens = list(_tokens(text))
        self.objectives = {o.name: o for o in objectives}
        self.place = 0

    def wish(self) -> Wish:
        weights: dict[str, float] = {}
        near: dict[str, float] = {}
        limits: dict[str, Limit] = {}
        if self.take("near"):
            self.point(near)
        elif self.ahead(1) in ("<=", ">=", "in"):
            self.limit(limits)
        else:
            self.sum(weights)
        while self.take(","):
            if near and self.ahead(1) == "=":
                self.point(near)
            else:
                self.limit(limits)
        if self.now.kind != "end":
            operators = '"+", "-", ' if weights and not limits else ""
            self.refuse(f'there must be {operators}"," or the end')
        return Wish(tuple(weights.items()), tuple(near.items()), tuple(limits.values()))

    def sum(self, weights: dict[str, float]) -> None:
        sign = -1.0 if self.take("-") else 1.0
        if sign > 0:
            self.take("+")
        while True:
            factor = self.now
            weight = sign
            if factor.kind == "number":
                weight *= self.number()
                self.take("*")
            name = self.new_objective(weights)
            with _at(factor if factor.kind == "number" else self.tokens[self.place - 1]):
                _check_weight(name, weight)
            weights[name] = weight
            if self.take("+"):
                sign = 1.0
            elif self.take("-"):
                sign = -1.0
            else:
                return

    def point(self, near: dict[str, float]) -> None:
        name = self.new_objective(near)
        if not self.take("="):
            self.refuse('there must be "="')
        start = self.now
        value, unit = self.quantity(name)
        with _at(start):
            _check_near(name, _times(value, unit))
        near[name] = _times(value, unit)

    def limit(self, limits: dict[str, Limit]) -> None:
        start = self.now
        name = self.objective()
        low, high = FREE
        if self.take("<="):
            high = _times(*self.quantity(name))
        elif self.take(">="):
            low = _times(*self.quantity(name))
        elif self.take("in"):
            given = self.place
            low, unit = self.quantity(name)
            without = self.place == given + 1
            if not self.take(".."):
                self.refuse('there must be ".."')
            high, both = self.quantity(name)
            low, high = _times(low, both if without else unit), _times(high, both)
        else:
            self.refuse('there must be "<=", ">=" or "in"')
        known = limits.get(name, Limit(name))
        with _at(start):
            if (low > 0 and known.low > 0) or (high < math.inf and known.high < math.inf):
                raise InputError("is limited twice")
            merged = Limit(name, max(low, known.low), min(high, known.high))
            _check_limit(*merged)
        limits[name] = merged

    def quantity(self, name: str) -> tuple[float, float]:
        """Give a number and the factor of its unit."""
        value = self.number()
        unit = self.now.text.lower()
        if unit not in UNITS:
            return value, 1.0
        of, factor = UNITS[unit]
        if of != self.objectives[name].unit:
            fitting = [word for word, (kind, _) in UNITS.items() if kind == self.objectives[name].unit]
            self.refuse(f"the unit of {name} must be one of {', '.join(fitting)}")
        self.place += 1
        return value, factor

    def number(self) -> float:
        if self.now.kind != "number":
            self.refuse("there must be a number")
        value = float(self.now.text)
        if math.isinf(value):
            self.refuse("is too large a number")
        self.place += 1
        return value

    def new_objective(self, known: Iterable[str]) -> str:
        token = self.now
        name = self.objective()
        if name in known:
            _refuse(token, f"{name} must come once, but comes again")
        return name

    def objective(self) -> str:
        name = self.now.text.upper()
        if name not in self.objectives:
            self.refuse(f"there must be one of {', '.join(self.objectives)}")
        self.place += 1
        return name

    @property
    def now(self) -> _Token:
        return self.tokens[self.place]

    def ahead(self, count: int) -> str:
        """Look at what follows."""
        return self.tokens[min(self.place + count, len(self.tokens) - 1)].text.lower()

    def take(self, text: str) -> bool:
        """Go on if this sign or word comes now."""
        found = self.now.text.lower() == text
        self.place += found
        return found

    def refuse(self, rule: str) -> NoReturn:
        _refuse(self.now, rule)


@contextmanager
def _at(token: _Token) -> Iterator[None]:
    """Say where a rule was broken."""
    try:
        yield
    except InputError as error:
        _refuse(token, str(error))


# --- in files -------------------------------------------------------------------------------------------------------


def to_json(wish: Wish) -> dict[str, Any]:
    """Turn a wish into plain JSON values.

    Examples
    --------
    >>> to_json(Wish(weights=[("AWRT1", 10)], limits=[Limit("AWRT2", high=5)]))
    {'format': 'paretosched wish 1', 'sum': {'AWRT1': 10.0}, 'limits': {'AWRT2': [0.0, 5.0]}}
    """
    value: dict[str, Any] = {"format": FORMAT}
    if wish.weights:
        value["sum"] = dict(wish.weights)
    if wish.near:
        value["near"] = dict(wish.near)
    if wish.limits:
        value["limits"] = {name: [low, None if math.isinf(high) else high] for name, low, high in wish.limits}
    return value


def from_json(value: Any, where: str = "wish") -> Wish:
    """Turn what `to_json` gave into a wish again.

    Raises
    ------
    InputError
        It is not a wish; the message says why.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{where}: a wish file must be an object with "format": "{FORMAT}"')
    unknown = [quoted(key) for key in value if key not in ("format", "sum", "near", "limits")]
    if unknown:
        raise InputError(f"{where}: the keys here are format, sum, near, limits, but there is also {unknown[0]}")
    try:
        weights, near = (
            [(name, _number(name, number)) for name, number in _object(value, key).items()] for key in ("sum", "near")
        )
        limits = []
        for name, ends in _object(value, "limits").items():
            if not isinstance(ends, list) or len(ends) != 2:
                raise InputError(f"limits of {name} must be a list of two numbers")
            low, high = (free if end is None else _number(name, end) for end, free in zip(ends, FREE, strict=True))
            limits.append(Limit(name, low, high))
        return Wish(tuple(weights), tuple(near), tuple(limits))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _object(value: Mapping[str, Any], key: str) -> dict[str, Any]:
    part = value.get(key, {})
    if not isinstance(part, dict):
        raise InputError(f'"{key}" must be an object')
    return part


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise InputError(f"what is said of {name} must be a number below 1e300, but is {quoted(str(value))}")
    return float(value)


def save_wish(wish: Wish, path: str | os.PathLike[str]) -> None:
    """Write a wish file."""
    with written_whole(path) as temporary:
        temporary.write_text(json.dumps(to_json(wish), indent=2) + "\n", encoding="utf-8")


def load_wish(path: str | os.PathLike[str]) -> Wish:
    """Read a wish file.

    Raises
    ------
    InputError
        The file cannot be read, is not JSON, or is not a wish.
    """
    return from_json(read_json(path, "wish"), str(path))


def as_wish(what: str | os.PathLike[str] | Wish, groups: tuple[str, ...]) -> Wish:
    """Accept a wish, one in words for these user groups, or the path of a wish file, which ends in .json.

    Examples
    --------
    >>> as_wish("AWRT1", ("1",)).weights
    (('AWRT1', 1.0),)
    """
    if isinstance(what, Wish):
        return what
    if Path(what).suffix == ".json":
        return load_wish(what)
    return parse(str(what), objective_table(groups))
