"""What kind of order a formula is: how much of the queue must be sorted again as time passes.

========  ============================================================================================================
static    the key has neither waits nor usage: two waiting jobs never change places
line      the key is a monotone function, the same for all jobs, of alpha + beta * wait, where beta >= 0 and both are
          known of each job: WFP3, (wait / estimate)^3 * width, is the cube of a line; log(wait) - log(estimate) is
          the logarithm of one
parts     of two jobs that differ only in when they could run, the key of the one that waits longer is never smaller:
          all such jobs of an account are a queue of their own, and at each pass the first jobs of queues are compared
general   anything else: the keys of all waiting jobs are compared at each pass
========  ============================================================================================================

The analysis is cautious: a formula whose kind is not proven is general. Lines stand for the printed formula only where
they differ by more than all roundings of both together, see `Line.margin`; what is closer the printed formula decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from .formula import Term, terms_in, variables
from .value_ranges import HUGE, range_of

STATIC, LINE, PARTS, GENERAL = KINDS = ("static", "line", "parts", "general")
STEEP, STEEPEST = 1e200, 1e150  # beta of a job whose key is infinite as soon as it waits, and the most of others
ROUNDING = 8 * 2.0**-53  # of one operation, generously
MOST_LOGARITHM = 668.0  # a bound of the sizes of logarithms of tame values, log(1e290)
FINEST, COARSEST = 1e-200, 1e200  # bounds of numbers that logarithms are multiplied by or that are added
WIDEST = 2.0**-20  # margin; where lines tell fewer jobs apart, sorting costs less


class Line(NamedTuple):
    """A line in the wait that orders jobs as their printed keys do.

    Attributes
    ----------
    alpha, beta
        Terms without waits and usage: job j comes before job k if alpha_j + beta_j * wait_j is larger.
    size
        A term: the sum of the sizes of what alpha is a sum of.
    margin
        Two values that differ by more than margin * (|alpha_j| + |alpha_k| + size_j + size_k + (beta_j + beta_k) * T),
        T an upper bound of all times, are in the order of the printed keys, where equal keys are in the order of rows.
        With closer ones that is not known.
    """

    alpha: Term
    beta: Term
    size: Term
    margin: float


class Shape(NamedTuple):
    """What is known of the order of a formula.

    Attributes
    ----------
    kind
        One of KINDS.
    line
        The line, if the kind is "line"; else None.
    """

    kind: str
    line: Line | None


@lru_cache(maxsize=1024)  # of a policy it is asked in several places, and for each workload
def shape_of(key: Term) -> Shape:
    """Return what is known of the order of a key, of which the largest value comes first.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> [shape_of(parse_formula(text, "largest").key).kind for text in (
    ...     "smallest area", "(wait / estimate)^3 * width", "wait / estimate - usage / share", "abs(wait - estimate)")]
    ['static', 'line', 'parts', 'general']
    """
    names = variables(key)
    if not names & {"usage", "fairshare"}:
        if "wait" not in names:
            return Shape(STATIC, None)
        line = line_of(key)
        if line is not None:
            return Shape(LINE, line)
    return Shape(PARTS if rises_with_age(key) else GENERAL, None)


def line_of(key: Term) -> Line | None:
    """Return the line in the wait by which a key without usage orders jobs; None if none is known."""
    course = _course(key)
    if course is None:
        return None
    alpha, beta, size, power = course.alpha, course.beta, course.size, course.power
    if (power > 0) != course.rising:
        alpha, beta = _negative(alpha), _negative(beta)
    if range_of(beta).low < 0 or (course.divisor is not None and range_of(beta).high > STEEPEST):
        return None
    if course.divisor is not None:
        beta = Term("if", (course.divisor, beta, _number(STEEP)))
    # a root of a factor up to 1e290 has the rounding of the exponent 667 times
    operations = terms_in(key)
    margin = ROUNDING * max(128 + operations, (8 + operations) * course.bulk) / min(1.0, abs(power))
    if margin > WIDEST:
        return None
    if course.shift > 0:
        size = Term("+", (size, _number(_size_of_shift(course.shift, power, margin))))
    return Line(alpha, beta, size, margin) if range_of(size).tame else None


def _size_of_shift(shift: float, power: float, margin: float) -> float:
    """Return the size that stands for a number added to a power, which hides differences of values next to 0.

    Powers x^p and y^p must differ by more than 2 * margin * shift. If p >= 1, they do so where x and y differ by more
    than the root of it, as x^p - y^p >= (x - y)^p. If p < 1, x^p - y^p >= p x^(p - 1) (x - y), and shift x^(1 - p) is
    at most shift^(1 / p) + x.
    """
    logarithm = math.log(2 * shift) / power + (0.0 if power < 1 else math.log(margin) * (1 / power - 1))
    return math.exp(logarithm) if abs(logarithm) < MOST_LOGARITHM else math.inf


class _Course(NamedTuple):
    """How the value of a term depends on the wait: it is plus or minus the power (alpha + beta * wait) ^ power.

    To the power, a number may be added; then it may be the logarithm of this, times a slope, plus a number.

    Attributes
    ----------
    alpha, beta, size
        As for `Line`; alpha + beta * wait is not negative unless the course is plain.
    power
        The exponent, not 0; where it is negative, the power of 0 is infinite.
    rising
        Whether it is plus.
    shift
        The sum of the sizes of the numbers that are added to the power.
    slope
        The factor of the natural logarithm, more than 0; or 0: it is no logarithm.
    bulk
        Of a logarithm: a bound of the sizes of all that is added up, as multiples of the slope; else 0.
    divisor
        None; or a term: where it is 0, the value is infinite if the job waits, else 0.
    """

    alpha: Term
    beta: Term
    size: Term
    power: float = 1.0
    rising: bool = True
    shift: float = 0.0
    slope: float = 0.0
    bulk: float = 0.0
    divisor: Term | None = None

    @property
    def is_power(self) -> bool:
        """Return whether the value is the power itself, or minus the power."""
        return self.shift == 0 and self.slope == 0

    @property
    def plain(self) -> bool:
        """Return whether the value is the line itself."""
        return self.is_power and self.power == 1 and self.rising and self.divisor is None

    @property
    def through_zero(self) -> bool:
        """Return whether the value is a power above 0 of beta * wait."""
        is_rising = self.is_power and self.power > 0 and self.rising and self.divisor is None
        return is_rising and _is_zero(self.alpha) and range_of(self.beta).low >= 0

    @property
    def value(self) -> Term:
        """Return the line as a term."""
        return Term("+", (self.alpha, Term("*", (self.beta, Term("wait")))))


def _course(term: Term) -> _Course | None:
    """Return how the value of a term without usage depends on the wait; None if that is not known."""
    if "wait" not in variables(term):
        return _Course(term, _number(0.0), Term("abs", (term,))) if range_of(term).tame else None
    if term.word == "wait":
        return _Course(_number(0.0), _number(1.0), _number(0.0))
    rule = _RULES.get(term.word)
    course = None if rule is None else rule(*term.parts)
    return course if course is not None and _is_tame(course) else None


def _is_tame(course: _Course) -> bool:
    """Return whether no part of a value becomes 0 by rounding, or infinite unless it is the power of 0."""
    line = course.value if course.power > 0 else _unless_zero(course.value)
    terms = course.alpha, course.beta, course.size, _to_power(line, course.power)
    numbers = course.shift, course.slope, course.slope * course.bulk
    is_usual = all(number == 0 or FINEST < number < COARSEST for number in numbers)
    return is_usual and all(range_of(part).tame for part in terms)


def _sum(first: Term, second: Term) -> _Course | None:
    """Return a sum of lines. Slopes of different signs might cancel each other, so that the rest is rounding."""
    a, b = _course(first), _course(second)
    if a is None or b is None:
        return None
    if not (a.plain and b.plain):
        if "wait" not in variables(second):
            return _add(a, second)
        return _add(b, first) if "wait" not in variables(first) else _add_logarithms(a, b)
    slopes = range_of(a.beta), range_of(b.beta)
    if not (min(s.low for s in slopes) >= 0 or max(s.high for s in slopes) <= 0):
        return None
    return _join("+", (), a, b)


def _add(course: _Course, term: Term) -> _Course | None:
    """Return a course that is not plain plus a term without waits: to add to a logarithm is to multiply inside it."""
    bounds = range_of(term)
    largest = max(abs(bounds.low), abs(bounds.high))
    is_number = variables(term) == {"number"}
    if course.slope == 0:
        return course._replace(shift=course.shift + largest) if is_number and course.power > 0 else None
    bulk = course.bulk + largest / course.slope
    if is_number:
        return course._replace(bulk=bulk)
    if course.shift > 0:
        return None
    exponent = Term("/", (term if course.rising else _negative(term), _number(course.slope)))
    inner = course._replace(rising=True, slope=0.0, bulk=0.0)
    product = _scale(inner, Term("^", (_number(math.e), exponent)))
    return None if product is None else product._replace(rising=course.rising, slope=course.slope, bulk=bulk)


def _add_logarithms(a: _Course, b: _Course) -> _Course | None:
    """Return a sum of two courses with waits: of logarithms, it is that of a product."""
    if a.slope == 0 or b.slope == 0 or not (a.rising and b.rising):
        return None
    ratio = b.slope / a.slope
    factors = a._replace(slope=0.0), b._replace(slope=0.0, power=b.power * ratio)
    product = _multiply(*factors)
    return None if product is None else product._replace(slope=a.slope, bulk=a.bulk + b.bulk * ratio)


def _difference(first: Term, second: Term) -> _Course | None:
    return _sum(first, _negative(second))


def _minus(part: Term) -> _Course | None:
    course = _course(part)
    if course is None:
        return None
    if course.plain:
        return course._replace(alpha=_negative(course.alpha), beta=_negative(course.beta))
    return course._replace(rising=not course.rising)


def _product(first: Term, second: Term) -> _Course | None:
    if first == second:
        return _power(first, _number(2.0))
    if "wait" in variables(first) and "wait" in variables(second):
        a, b = _course(first), _course(second)
        return None if a is None or b is None else _multiply(a, b)
    moving, factor = (first, second) if "wait" in variables(first) else (second, first)
    return _scale(_course(moving), factor)


def _multiply(a: _Course, b: _Course) -> _Course | None:
    """Return the product of powers of multiples of the wait, which is another one."""
    if not (a.through_zero and b.through_zero):
        return None
    power = a.power + b.power
    beta = Term("*", (_to_power(a.beta, a.power / power), _to_power(b.beta, b.power / power)))
    return a._replace(beta=beta, power=power)


def _quotient(first: Term, second: Term) -> _Course | None:
    if "wait" not in variables(second):
        return _divide(_course(first), second)
    below = _course(second)
    if "wait" in variables(first) or below is None or not below.is_power or below.divisor is not None:
        return None
    lowest = range_of(below.value).low
    if lowest < 0 or (lowest == 0 and not below.rising):  # 1 / 0 is infinite, and so it is where the 0 is -0
        return None
    return _scale(below._replace(power=-below.power), first)


def _divide(course: _Course | None, divisor: Term) -> _Course | None:
    """Return a course divided by a term without waits."""
    bounds = range_of(divisor)
    if bounds.low > 0 or bounds.high < 0:
        return _scale(course, Term("/", (_number(1.0), divisor)))
    if course is None or not course.plain or not _is_zero(course.alpha) or bounds.low < 0:
        return None
    if range_of(course.beta).low <= 0:
        return None
    return course._replace(beta=Term("/", (course.beta, _unless_zero(divisor))), divisor=divisor)


def _scale(course: _Course | None, factor: Term) -> _Course | None:
    """Return a course times a term without waits."""
    bounds = range_of(factor)
    if course is None or not bounds.tame:
        return None
    if course.plain:
        size = Term("*", (course.size, Term("abs", (factor,))))
        return _Course(Term("*", (course.alpha, factor)), Term("*", (course.beta, factor)), size)
    if bounds.high < 0:
        return _scale(course._replace(rising=not course.rising), _negative(factor))
    if bounds.low < 0 or not (course.is_power or variables(factor) == {"number"}):
        return None
    if bounds.low == 0 and (course.power < 0 or course.divisor is not None or not course.is_power):
        return None
    if course.slope > 0:
        return course._replace(slope=course.slope * bounds.high)
    if not course.rising and course.power == 1:
        return None
    scale = _to_power(factor, 1 / course.power)
    return course._replace(
        alpha=Term("*", (course.alpha, scale)),
        beta=Term("*", (course.beta, scale)),
        size=Term("*", (course.size, scale)),
        shift=course.shift * bounds.high,
    )


def _power(base: Term, exponent: Term) -> _Course | None:
    course = _course(base)
    bounds = range_of(exponent)
    if course is None or variables(exponent) != {"number"} or not bounds.tame:
        return None
    power = _constant(exponent)
    if power == 0 or not course.is_power or not course.rising:
        return None
    if range_of(course.value).low < 0 or (power < 0 and course.divisor is not None):
        return None
    return course._replace(power=course.power * power)


def _root(part: Term) -> _Course | None:
    return _power(part, _number(0.5))


def _logarithm(part: Term, base: float = math.e) -> _Course | None:
    """Return the logarithm of a course that is not below 0; that of 0 is -inf."""
    course = _course(part)
    if course is None or course.slope > 0 or not course.rising:
        return None
    bounds = range_of(part) if course.shift > 0 else range_of(course.value)
    if bounds.low < 0 or not bounds.tame:
        return None
    return course._replace(slope=1 / math.log(base), bulk=MOST_LOGARITHM)


def _absolute(part: Term) -> _Course | None:
    course = _course(part)
    is_positive = course is not None and course.is_power and course.rising and range_of(course.value).low >= 0
    return course if is_positive else None


def _choice(condition: Term, first: Term, second: Term) -> _Course | None:
    """Return the line that a job has by a condition that does not change."""
    a, b = _course(first), _course(second)
    if "wait" in variables(condition) or a is None or b is None or not (a.plain and b.plain):
        return None
    return _join("if", (condition,), a, b)


_RULES: dict[str, Callable[..., _Course | None]] = {
    "+": _sum,
    "-": _difference,
    "-x": _minus,
    "*": _product,
    "/": _quotient,
    "^": _power,
    "sqrt": _root,
    "log": _logarithm,
    "log2": lambda part: _logarithm(part, 2.0),
    "log10": lambda part: _logarithm(part, 10.0),
    "abs": _absolute,
    "if": _choice,
}


def _join(word: str, first: tuple[Term, ...], a: _Course, b: _Course) -> _Course:
    """Return the line of which all parts are those of two lines, joined by an operation."""
    return _Course(
        Term(word, (*first, a.alpha, b.alpha)),
        Term(word, (*first, a.beta, b.beta)),
        Term(word, (*first, a.size, b.size)),
    )


def is_common(term: Term) -> bool:
    """Return whether a term has the same value for all jobs of an account."""
    return variables(term) <= {"number", "usage", "share", "fairshare"}


def rises_with_age(key: Term) -> bool:
    """Return whether a key is never smaller if all stays the same but the job could run earlier.

    This holds in spite of all roundings: each operation on the way rounds a larger result to a larger number or to the
    same one. Of powers and logarithms that is not known.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> [rises_with_age(parse_formula(text, "largest").key) for text in ("min(wait, 7d) / 7d - usage", "-wait")]
    [True, False]
    """
    return _by_age(key) in (0, 1)


def _by_age(term: Term) -> int | None:
    """Return 1 if a value never falls as a job gets older, -1 if it never rises, 0 if it stays; None if unknown.

    A value that changes is a number for all ages that is not infinite, or the same for all of them.
    """
    if not term.parts:
        return {"wait": 1, "submit": -1, "eligible": -1}.get(term.word, 0)
    ways = [_by_age(part) for part in term.parts]
    if not any(way != 0 for way in ways):
        return 0
    rule = _BY_AGE.get(term.word)
    return None if rule is None or None in ways else rule(term.parts, *ways)


def _joint(*ways: int | None) -> int | None:
    """Return which way a value goes that never falls if none of these falls, and never rises if none of these rises."""
    if None in ways:
        return None
    return 1 if ways.count(-1) == 0 else -1 if ways.count(1) == 0 else None


def _opposite(way: int | None) -> int | None:
    return None if way is None else -way


def _sum_by_age(parts: Sequence[Term], first: int, second: int) -> int | None:
    """Return which way a sum goes."""
    return _joint(first, second) if 0 in (first, second) or all(map(_is_finite, parts)) else None


def _product_by_age(parts: Sequence[Term], first: int, second: int) -> int | None:
    if not all(map(_is_finite, parts)):
        return None
    return _joint(_times_sign(first, parts[1]), _times_sign(second, parts[0]))


def _quotient_by_age(parts: Sequence[Term], above: int, below: int) -> int | None:
    if not all(map(_is_finite, parts)) or range_of(parts[1]).low <= 0:
        return None
    return _joint(above, _opposite(_times_sign(below, parts[0])))


def _size_by_age(parts: Sequence[Term], way: int) -> int | None:
    return _times_sign(way, parts[0]) if _is_finite(parts[0]) else None


def _choice_by_age(parts: Sequence[Term], condition: int, first: int, second: int) -> int | None:
    """Return which way a choice goes; if the condition changes, one value must be above the other one."""
    if condition == 0:
        return _joint(first, second)
    if not all(map(_is_finite, parts)) or range_of(parts[0]).low < 0:
        return None
    chosen, other = map(range_of, parts[1:])
    if chosen.low >= other.high:
        return _joint(condition, first, second)
    return _joint(-condition, first, second) if chosen.high <= other.low else None


def _times_sign(way: int, factor: Term) -> int | None:
    """Return which way a value goes times a factor; None if the factor could be above and below 0."""
    bounds = range_of(factor)
    return 0 if way == 0 else way if bounds.low >= 0 else -way if bounds.high <= 0 else None


def _is_finite(term: Term) -> bool:
    """Return whether a value is known to be a number that is not infinite."""
    bounds = range_of(term)
    return -HUGE < bounds.low <= bounds.high < HUGE


_BY_AGE: dict[str, Callable[..., int | None]] = {
    "+": _sum_by_age,
    "-": lambda parts, first, second: _sum_by_age(parts, first, -second),
    "-x": lambda _, way: -way,
    "*": _product_by_age,
    "/": _quotient_by_age,
    **dict.fromkeys(("sqrt", "floor"), lambda _, way: way),
    "abs": _size_by_age,
    "if": _choice_by_age,
    **dict.fromkeys(("min", "max"), lambda _, first, second: _joint(first, second)),
    **dict.fromkeys((">", ">="), lambda _, first, second: _joint(first, -second)),
    **dict.fromkeys(("<", "<="), lambda _, first, second: _joint(-first, second)),
}


def _negative(term: Term) -> Term:
    """Return the term with the other sign."""
    return term.parts[0] if term.word == "-x" else Term("-x", (term,))


def _number(value: float) -> Term:
    """Return the term of a number of 0 or more."""
    return Term("number", value=value)


def _to_power(term: Term, power: float) -> Term:
    """Return a term to a power that is a number."""
    exponent = _number(abs(power))
    return term if power == 1 else Term("^", (term, exponent if power > 0 else _negative(exponent)))


def _is_zero(term: Term) -> bool:
    """Return whether a term is 0 for all jobs."""
    bounds = range_of(term)
    return bounds.low == bounds.high == 0


def _unless_zero(term: Term) -> Term:
    """Return a term that is not 0: 1 where the given term is 0, which is not negative."""
    return Term("if", (term, term, _number(1.0)))


def _constant(term: Term) -> float:
    """Return the value of a number, a number with a sign or a ratio of numbers; 0 for another term."""
    if term.word == "-x":
        return -_constant(term.parts[0])
    if term.word == "/":
        above, below = map(_constant, term.parts)
        return above / below if below != 0 else 0.0
    return term.value if term.word == "number" else 0.0
