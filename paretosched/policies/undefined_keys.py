"""Where formulas are not defined: 0 / 0, logarithms and roots of negative numbers, and results that are no numbers.

Formulas have a value for every job all the same, see `formula`. So a mistake in a formula would pass unseen: the jobs
are in the order of their submission.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Mask
from ..core.errors import InputError
from ..workload.workload import Workload
from .formula import Term, written_term
from .line_orders import values_at_rest
from .value_ranges import range_of

LOGARITHMS = ("log", "log2", "log10")
FAULTS = {
    **dict.fromkeys(LOGARITHMS, "the logarithm of a negative number, which counts as -inf"),
    "sqrt": "the root of a negative number, which counts as 0",
    "/": "0 / 0, which counts as 0",
}
OTHER_FAULT = "no number, and such jobs come last"
MOMENTS = {0.0: "at submission", 1.0: "after 1 s"}  # waits, s, at which formulas are evaluated
LATER = (60.0, 3600.0, 86_400.0, 30 * 86_400.0)  # waits, s, at which a formula may be defined that is not at first
USED = 1.0  # processor seconds, which are taken for the usage of all accounts


class Undefined(NamedTuple):
    """The jobs for which a formula is not defined when they are submitted, or a second later.

    Attributes
    ----------
    jobs
        How many these are.
    when
        Which of both, in words.
    term
        The part of the formula that is not defined for most of them.
    """

    jobs: int
    when: str
    term: Term

    @property
    def fault(self) -> str:
        """Return what the part of the formula is, and what counts instead."""
        return f"{written_term(self.term)} is {fault_of(self.term)}"


def fault_of(term: Term) -> str:
    """Return what a part of a formula is where it is not defined, and what counts instead."""
    is_ratio = term.word == "/" and all(range_of(part).is_unbounded for part in term.parts)
    return FAULTS.get(term.word, OTHER_FAULT) + (", or inf / inf, and such jobs come last" if is_ratio else "")


@lru_cache(maxsize=1024)
def doubtful_terms(term: Term) -> tuple[Term, ...]:
    """Return the parts of a term, and perhaps the term itself, that may not be defined for some job.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> text = "wait / estimate + log(width) + sqrt(estimate - wait)"
    >>> [written_term(part) for part in doubtful_terms(parse_formula(text, "largest").term)]
    ['sqrt(estimate - wait)']
    """
    inner = tuple(part for each in term.parts for part in doubtful_terms(each))
    return tuple(dict.fromkeys([*inner, term] if _is_doubtful(term) else inner))


def _is_doubtful(term: Term) -> bool:
    """Return whether an operation may not be defined, whatever its parts are."""
    if term.word not in ("+", "-", "*", "/", "^", "sqrt", *LOGARITHMS):
        return False
    ranges = [range_of(part) for part in term.parts]
    if term.word in ("sqrt", *LOGARITHMS):
        return ranges[0].low < 0
    has_zero = [row.low <= 0 <= row.high for row in ranges]
    if term.word == "^":
        return ranges[0].low < 0 or any(row.is_unbounded for row in ranges)
    if term.word == "*":
        return (ranges[0].is_unbounded and has_zero[1]) or (ranges[1].is_unbounded and has_zero[0])
    return all(row.is_unbounded for row in ranges) or (term.word == "/" and all(has_zero))


def undefined_keys(part: str, term: Term, workload: Workload, shares: Floats) -> Undefined | None:
    """Return for how many jobs a formula is not defined; None if there is no such job.

    Parameters
    ----------
    part
        What the formula is for; it begins the message of an error.
    term
        The formula.
    workload
        The jobs.
    shares
        (n,) float64, the share of each job's account.

    Raises
    ------
    InputError
        There is no job for which it is defined, also not after a longer wait.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> w = Workload(submit=[0, 5], run=[9, 3], estimate=[9, 3], width=[4, 2], capacity=8)
    >>> result = undefined_keys("order", parse_formula("log(estimate - 5 - wait)", "largest").term, w, np.ones(2))
    >>> print(result.jobs, result.when, result.fault, sep="; ")
    1; at submission and after 1 s; log(estimate - 5 - wait) is the logarithm of a negative number, which counts as -inf
    """
    faults = [_faults(term, _evaluation(workload, shares, wait)) for wait in MOMENTS]
    jobs = np.array([_joint(rows, len(workload)) for rows in faults])
    if not jobs.any():
        return None
    when = " and ".join(words for words, mask in zip(MOMENTS.values(), jobs, strict=True) if mask.any())
    both = [row for rows in faults for row in rows]
    counts = {place: int(_joint([row for row in both if row[0] == place], len(workload)).sum()) for place, _ in both}
    result = Undefined(int(jobs.any(axis=0).sum()), when, max(counts, key=lambda place: counts[place]))
    if jobs.all() and all(_joint(_faults(term, _evaluation(workload, shares, w)), len(workload)).all() for w in LATER):
        raise InputError(f"{part}: the formula is defined for no job of {workload.name}: {result.fault}")
    return result


def _faults(term: Term, evaluate: Callable[[Term], Floats]) -> list[tuple[Term, Mask]]:
    """Return the parts of a term that are not defined by themselves, each with the jobs that it matters for, (n,)."""
    rows = [_faults(part, evaluate) for part in term.parts]
    if any(rows) and term.word in ("if", "and", "or"):  # what these do not need may be undefined
        holds = evaluate(term.parts[0]) != 0
        needed = [np.ones_like(holds), ~holds if term.word == "or" else holds, ~holds]
        rows = [[(part, mask & need) for part, mask in each] for each, need in zip(rows, needed, strict=False)]
    result = [row for each in rows for row in each]
    if _is_doubtful(term):
        if term.word in ("sqrt", *LOGARITHMS):
            own = evaluate(term.parts[0]) < 0
        else:
            minus = Term("-x", (term,))
            own = (evaluate(term) == -np.inf) & (evaluate(minus) == -np.inf)  # the keys of what is no number
            if term.word == "/":
                own |= (evaluate(term.parts[0]) == 0) & (evaluate(term.parts[1]) == 0)
        result.append((term, own & ~_joint(result, own.size)))
    return result


def _joint(rows: list[tuple[Term, Mask]], n: int) -> Mask:
    """Return the jobs of all rows, (n,) bool."""
    result: Mask = np.any([np.zeros(n, dtype=bool), *(mask for _, mask in rows)], axis=0)
    return result


def _evaluation(workload: Workload, shares: Floats, wait: float) -> Callable[[Term], Floats]:
    """Return the function of a term that returns its value for each job after a wait, s; a key of no number is -inf."""
    constants = {"wait": Term("number", value=wait), "usage": Term("number", value=USED)}

    def at_moment(term: Term) -> Term:
        return constants.get(term.word, term._replace(parts=tuple(map(at_moment, term.parts))))

    return lambda term: values_at_rest(workload, at_moment(term), shares)
