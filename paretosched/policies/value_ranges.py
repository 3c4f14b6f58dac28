"""Between which numbers the value of a term lies, whatever the job and the second are."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from .formula import LABELLED, Term

LATEST = 2.0**61  # s; workloads are refused whose times could be later
MOST_WORK = 2.0**62  # processor seconds
LONGEST_TIME = 10**10  # s, an upper bound of times in policies: 300 years
SHARES = (1e-9, 1e9)  # bounds of shares
HUGE, TINY = 1e290, 1e-290  # what is beyond might become infinite or 0 by rounding
SLIGHTLY = 1e-12  # relative, more than all roundings of an operation


class Range(NamedTuple):
    """Bounds of a value.

    Attributes
    ----------
    low, high
        The value is in low..high; infinite if it could be infinite or no number.
    least
        A lower bound of its size where it is not 0.
    """

    low: float
    high: float
    least: float

    @property
    def is_unbounded(self) -> bool:
        """Whether the value may be infinite or no number."""
        return math.isinf(self.low) or math.isinf(self.high)

    @property
    def tame(self) -> bool:
        """Return whether the value is a number that is neither so large nor so small that digits are lost."""
        return -HUGE < self.low <= self.high < HUGE and self.least > TINY


UNKNOWN = Range(-math.inf, math.inf, 0.0)
TRUTH = Range(0.0, 1.0, 1.0)
_VARIABLES = {
    "wait": Range(0.0, LATEST, 1.0),
    "estimate": Range(1.0, LATEST, 1.0),
    "width": Range(1.0, 2.0**31, 1.0),
    "area": Range(1.0, MOST_WORK, 1.0),
    "submit": Range(0.0, LATEST, 1.0),
    "eligible": Range(0.0, LATEST, 1.0),
    "memory": Range(0.0, 2.0**53, 1.0),
    "nodes": Range(0.0, 2.0**31, 1.0),
    "gpus": Range(0.0, 2.0**31, 1.0),
    "nice": Range(-(2.0**31), 2.0**31, 1.0),
    "charge": Range(0.5, 2.0**31, 0.5),
    "qos_priority": Range(0.0, 1.0, TINY),
    "usage": Range(0.0, MOST_WORK, TINY),
    "share": Range(*SHARES, SHARES[0]),
    "fairshare": Range(0.0, 1.0, 0.0),
    "priority": Range(0.0, 2.0**31, 1.0),
    **dict.fromkeys(LABELLED, TRUTH),
}


@lru_cache(maxsize=1024)  # a part is asked for again by every operation around it
def range_of(term: Term) -> Range:
    """Return bounds of the value of a term.

    Examples
    --------
    >>> f"{range_of(Term('max', (Term('width'), Term('number', value=3.0)))).low:g}"
    '3'
    >>> range_of(Term("log", (Term("wait"),))) == UNKNOWN
    True
    """
    if term.word == "number":
        return Range(term.value, term.value, term.value or 1.0)
    if term.values:
        sizes = [abs(value) for value in term.values if value]
        return Range(min(0.0, *term.values), max(0.0, *term.values), min(sizes, default=1.0))
    if not term.parts:
        return _VARIABLES[term.word]
    if term.word in _TRUTHS:
        return TRUTH
    parts = [range_of(part) for part in term.parts]
    if term.word == "if":
        if term.parts[0] == term.parts[1] and parts[1].low >= 0:  # if(x, x, y): x is not 0 where it is chosen
            parts[1] = parts[1]._replace(low=max(parts[1].low, parts[1].least))
        parts = parts[1:]
    if any(part.is_unbounded for part in parts):
        return UNKNOWN
    low, high, least = _RANGES[term.word](*parts)
    if not (math.isfinite(low) and math.isfinite(high)):
        return UNKNOWN
    return Range(low - SLIGHTLY * abs(low), high + SLIGHTLY * abs(high), least * (1 - SLIGHTLY))


def _corners(operation: Callable[[float, float], float], a: Range, b: Range) -> tuple[float, float]:
    """Return the smallest and the largest result of an operation that is monotone in each of its values."""
    values = [operation(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return min(values), max(values)


def _plus(a: Range, b: Range) -> Range:
    alike = (a.low >= 0 and b.low >= 0) or (a.high <= 0 and b.high <= 0)
    # a difference of two numbers is 0 or at least a unit in the last place of the smaller one
    return Range(a.low + b.low, a.high + b.high, min(a.least, b.least) * (1.0 if alike else 2.0**-54))


def _negative(a: Range) -> Range:
    return Range(-a.high, -a.low, a.least)


def _absolute(a: Range) -> Range:
    low = 0.0 if a.low < 0 < a.high else min(abs(a.low), abs(a.high))
    return Range(low, max(abs(a.low), abs(a.high)), a.least)


def _times(a: Range, b: Range) -> Range:
    return Range(*_corners(lambda x, y: x * y, a, b), a.least * b.least)


def _over(a: Range, b: Range) -> Range:
    if b.low <= 0 <= b.high:
        return UNKNOWN
    largest = max(abs(b.low), abs(b.high))
    return Range(*_corners(lambda x, y: x / y, a, b), a.least / largest)


def _power(a: Range, b: Range) -> Range:
    if a.low < 0 or (a.low == 0 and b.low <= 0):
        return UNKNOWN
    try:
        low, high = _corners(math.pow, a, b)
        least, _ = _corners(math.pow, a._replace(low=max(a.low, min(a.least, a.high) or a.least)), b)
    except OverflowError:
        return UNKNOWN
    return Range(low, high, least)


def _root(a: Range) -> Range:
    return Range(math.sqrt(max(a.low, 0.0)), math.sqrt(max(a.high, 0.0)), math.sqrt(a.least))


def _logarithm(function: Callable[[float], float]) -> Callable[[Range], Range]:
    """Return the range of a logarithm; a number next to 1 has a logarithm of at least 1e-17."""
    return lambda a: Range(function(a.low), function(a.high), 1e-17) if a.low > 0 else UNKNOWN


def _either(a: Range, b: Range) -> Range:
    return Range(min(a.low, b.low), max(a.high, b.high), min(a.least, b.least))


_TRUTHS = ("<", "<=", ">", ">=", "=", "!=", "and", "or", "not")
_RANGES: dict[str, Callable[..., Range]] = {
    "-x": _negative,
    "abs": _absolute,
    "floor": lambda a: Range(math.floor(a.low), math.floor(a.high), 1.0),
    "sqrt": _root,
    "log": _logarithm(math.log),
    "log2": _logarithm(math.log2),
    "log10": _logarithm(math.log10),
    "+": _plus,
    "-": lambda a, b: _plus(a, _negative(b)),
    "*": _times,
    "/": _over,
    "^": _power,
    "min": lambda a, b: Range(min(a.low, b.low), min(a.high, b.high), min(a.least, b.least)),
    "max": lambda a, b: Range(max(a.low, b.low), max(a.high, b.high), min(a.least, b.least)),
    "if": _either,
}
