"""What kind of order a formula is: how much of the queue must be sorted again as time passes.

========  ============================================================================================================
static    the key has neither waits nor usage: two waiting jobs never change places
line      the key is a monotone function, the same for all jobs, of alpha + beta * wait, where beta >= 0 and both are
          known of each job: WFP3, (wait / estimate)^3 * width, is the cube of a line
usage     jobs of one account are in a static order or in one of lines, whatever the usage of the account is: a queue
          for each account, of which the first jobs are compared
general   anything else: all waiting jobs are sorted at each pass
========  ============================================================================================================

The analysis is cautious: a formula whose kind is not proven is general. Lines stand for the printed formula only where
they differ by more than all roundings of both together, see `Line.margin`; what is closer the printed formula decides.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from .formula import Term, terms_in, variables
from .value_ranges import HUGE, range_of

STATIC, LINE, USAGE, GENERAL = KINDS = ("static", "line", "usage", "general")
STEEP, STEEPEST = 1e200, 1e150  # beta of a job whose key is infinite as soon as it waits, and the most of others
ROUNDING = 8 * 2.0**-53  # of one operation, generously
LOG_ROUNDING = 2.0**-38  # relative change of a value that changes its logarithm in spite of rounding


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
    inner
        The term that orders jobs, of one account if the kind is "usage", else of all: if it is larger, so is the key,
        or the two keys are equal. None if the kind is "general".
    line
        A line that orders jobs as `inner` does; None if `inner` has no waits.
    """

    kind: str
    inner: Term | None
    line: Line | None


@lru_cache(maxsize=1024)  # of a policy it is asked in several places, and for each workload
def shape_of(key: Term) -> Shape:
    """Return what is known of the order of a key, of which the largest value comes first.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> [shape_of(parse_formula(text, "largest").key).kind for text in (
    ...     "smallest area", "(wait / estimate)^3 * width", "wait / estimate - usage / share", "min(wait, 1h) + width")]
    ['static', 'line', 'usage', 'general']
    """
    names = variables(key)
    if "usage" not in names:
        return _without_usage(STATIC, LINE, key)
    inner = _inner(key, rising=True)
    return Shape(GENERAL, None, None) if inner is None else _without_usage(USAGE, USAGE, inner)


def _without_usage(static: str, line: str, key: Term) -> Shape:
    """Return the shape of a key without usage, which is of one kind if it is static and of another if it is a line."""
    if "wait" not in variables(key):
        return Shape(static, key, None)
    result = line_of(key)
    return Shape(GENERAL, None, None) if result is None else Shape(line, key, result)


def line_of(key: Term) -> Line | None:
    """Return the line in the wait by which a key without usage orders jobs; None if none is known."""
    course = _course(key)
    if course is None:
        return None
    alpha, beta, size = course.alpha, course.beta, course.size
    if (course.power > 0) != course.rising:
        alpha, beta = _negative(alpha), _negative(beta)
    if range_of(beta).low < 0 or (course.divisor is not None and range_of(beta).high > STEEPEST):
        return None
    if course.divisor is not None:
        beta = Term("if", (course.divisor, beta, _number(STEEP)))
    lowest = min(1.0, abs(course.power))
    # a root of a factor up to 1e290 has the rounding of the exponent 667 times
    margin = ROUNDING * ((8 if course.power == 1 else 128) + terms_in(key)) / lowest
    return Line(alpha, beta, size, max(margin, LOG_ROUNDING / lowest) if course.final else margin)


class _Course(NamedTuple):
    """How the value of a term depends on the wait: it is plus or minus (alpha + beta * wait) ^ power.

    Attributes
    ----------
    alpha, beta, size
        As for `Line`; alpha + beta * wait is not negative if the power is not 1.
    power
        The exponent, not 0.
    rising
        Whether it is plus.
    final
        Whether this is not the value itself, but the value is a rising function of it, the same for all jobs.
    divisor
        None; or a term: where it is 0, the value is infinite if the job waits, else 0.
    """

    alpha: Term
    beta: Term
    size: Term
    power: float = 1.0
    rising: bool = True
    final: bool = False
    divisor: Term | None = None

    @property
    def plain(self) -> bool:
        """Return whether the value is the line itself."""
        return self.power == 1 and self.rising and not self.final and self.divisor is None

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
    if course is None or not _is_tame(course):
        return None
    if course.final and rule is not _logarithm and not range_of(term).tame:
        return None
    return course


def _is_tame(course: _Course) -> bool:
    """Return whether no part of a value becomes infinite, or 0 by rounding."""
    parts = [range_of(part) for part in (course.alpha, course.beta, course.size)]
    return all(part.tame for part in parts) and range_of(_to_power(course.value, course.power)).tame


def _sum(first: Term, second: Term) -> _Course | None:
    """Return a sum of lines. Slopes of different signs might cancel each other, so that the rest is rounding."""
    a, b = _course(first), _course(second)
    if a is None or b is None or not (a.plain and b.plain):
        return None
    slopes = range_of(a.beta), range_of(b.beta)
    if not (min(s.low for s in slopes) >= 0 or max(s.high for s in slopes) <= 0):
        return None
    return _join("+", (), a, b)


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
        return None
    moving, factor = (first, second) if "wait" in variables(first) else (second, first)
    return _scale(_course(moving), factor)


def _quotient(first: Term, second: Term) -> _Course | None:
    if "wait" not in variables(second):
        return _divide(_course(first), second)
    below = _course(second)
    if "wait" in variables(first) or below is None or below.final or below.divisor is not None:
        return None
    if range_of(below.value).low <= 0:
        return None
    return _scale(below._replace(power=-below.power), first)


def _divide(course: _Course | None, divisor: Term) -> _Course | None:
    """Return a course divided by a term without waits."""
    bounds = range_of(divisor)
    if bounds.low > 0 or bounds.high < 0:
        return _scale(course, Term("/", (_number(1.0), divisor)))
    if course is None or not course.plain or course.alpha != _number(0.0) or bounds.low < 0:
        return None
    if range_of(course.beta).low <= 0:
        return None
    not_zero = Term("if", (divisor, divisor, _number(1.0)))
    return course._replace(beta=Term("/", (course.beta, not_zero)), divisor=divisor)


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
    if bounds.low < 0 or (bounds.low == 0 and (course.power < 0 or course.divisor is not None or course.final)):
        return None
    if course.final:
        return course if variables(factor) == {"number"} else None
    if not course.rising and course.power == 1:
        return None
    scale = _to_power(factor, 1 / course.power)
    return course._replace(
        alpha=Term("*", (course.alpha, scale)),
        beta=Term("*", (course.beta, scale)),
        size=Term("*", (course.size, scale)),
    )


def _power(base: Term, exponent: Term) -> _Course | None:
    course = _course(base)
    bounds = range_of(exponent)
    if course is None or variables(exponent) != {"number"} or not bounds.tame:
        return None
    power = _constant(exponent)
    if power == 0 or course.final or not course.rising:
        return None
    lowest = range_of(course.value).low
    if lowest < 0 or (lowest == 0 and power * course.power < 0) or (power < 0 and course.divisor is not None):
        return None
    return course._replace(power=course.power * power)


def _root(part: Term) -> _Course | None:
    return _power(part, _number(0.5))


def _logarithm(part: Term) -> _Course | None:
    course = _course(part)
    if course is None or course.final or not course.rising or range_of(course.value).low < 0:
        return None
    return course._replace(final=True)


def _absolute(part: Term) -> _Course | None:
    course = _course(part)
    is_positive = course is not None and course.rising and not course.final and range_of(course.value).low >= 0
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
    "log2": _logarithm,
    "log10": _logarithm,
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


def _inner(term: Term, rising: bool) -> Term | None:
    """Return the term of which a key with usage is a rising function, the same for all jobs of an account.

    All roundings on the way keep the order: they only make keys equal.
    """
    if "usage" not in variables(term):
        inner = term if rising else _negative(term)
        return inner if range_of(inner).tame else None
    if term.word in ("-x", "sqrt"):
        return _inner(term.parts[0], rising == (term.word == "sqrt"))
    if term.word not in ("+", "-", "*", "/", "min", "max"):
        return None
    left, right = term.parts
    if _is_common(right):
        part, other, is_left = left, right, True
    elif _is_common(left):
        part, other, is_left = right, left, False
    else:
        return None
    if term.word in ("*", "/"):
        bounds, own = range_of(other), range_of(part)
        above_zero = {"*": bounds.low >= 0, "/": bounds.low > 0 if is_left else bounds.low >= 0 and own.low > 0}
        if not (above_zero[term.word] and -HUGE < own.low <= own.high < HUGE):
            return None
    falls = term.word in ("-", "/") and not is_left
    return _inner(part, rising != falls)


def _is_common(term: Term) -> bool:
    """Return whether a term has the same value for all jobs of an account."""
    return variables(term) <= {"number", "usage", "share"}


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


def _constant(term: Term) -> float:
    """Return the value of a number, a number with a sign or a ratio of numbers; 0 for another term."""
    if term.word == "-x":
        return -_constant(term.parts[0])
    if term.word == "/":
        above, below = map(_constant, term.parts)
        return above / below if below != 0 else 0.0
    return term.value if term.word == "number" else 0.0
