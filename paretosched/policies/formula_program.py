"""Formulas as byte code for the jobs of a workload, as kernels take them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats, Ints, distinct
from ..kernels.formulas import MOST_DEEP, OPERATIONS, Program
from ..workload.group_lists import column_numbers, names_of
from ..workload.requests import REQUESTS, requests_of
from ..workload.workload import Workload
from .formula import CHARGE, LABELLED, NAMED, QOS_PRIORITY, Term

_CODE = {word: code for code, word in enumerate(OPERATIONS)}
_COLUMNS = (*LABELLED, "priority", *REQUESTS, CHARGE, QOS_PRIORITY)
_TIMES = ("submit", "eligible")


def program_of(keys: Sequence[Term], workload: Workload) -> Program:
    """Return the program of a key for each of weekend, day and night.

    Parameters
    ----------
    keys
        Three terms; the job with the largest value comes first.
    workload
        The jobs.

    Raises
    ------
    InputError
        A key needs the account or the queue of jobs, and the workload does not come from a log.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
    >>> program_of([parse_formula("estimate + 1", "largest").key] * 3, w).constants.tolist()
    [1.0]
    """
    code: list[tuple[int, int]] = []
    constants: dict[float, int] = {}
    columns: dict[Term, int] = {}
    begin = [0]
    known = _COLUMNS + (_TIMES if workload.has_later_jobs else ())
    for key in keys:
        _append(key, known, code, constants, columns)
        begin.append(len(code))
    table = np.empty((len(columns), len(workload)))
    for term, row in columns.items():
        table[row] = column_of(term, workload)
    return Program(
        np.array(code, dtype=np.int64).reshape(len(code), 2),
        np.array(begin, dtype=np.int64),
        np.array(list(constants), dtype=np.float64),
        table,
        np.zeros(MOST_DEEP),
    )


def _append(
    term: Term,
    known: Sequence[str],
    code: list[tuple[int, int]],
    constants: dict[float, int],
    columns: dict[Term, int],
) -> None:
    """Append the byte code of a term, and its numbers and columns where they are new; `known`: words of columns."""
    for part in term.parts:
        _append(part, known, code, constants, columns)
    word, argument = term.word, 0
    if word == "fairshare":
        word = "usage"  # the kernel has one or the other, as its tree of associations says
    elif word == "number":
        argument = constants.setdefault(term.value, len(constants))
    elif word in known:
        word, argument = "column", columns.setdefault(term, len(columns))
    elif word == "eligible":
        word = "submit"  # all jobs are eligible when they are submitted
    code.append((_CODE[word], argument))


def column_of(term: Term, workload: Workload) -> Floats:
    """Return the value of a term that is a column, one of _COLUMNS or _TIMES, for each job, (n,) float64.

    Of groups it is 1 for the last one, 2 for the one before it, and so on, and 0 for all others.

    Raises
    ------
    InputError
        The term needs the account, queue or partition of jobs, and the workload does not come from a log.
    """
    if term.word in ("group", "priority"):
        names = term.labels or workload.groups
        places = [names.index(name) if name in names else len(names) for name in workload.groups]
        value: Floats = np.array([float(len(names) - place) for place in places])[workload.group]
        return value
    if term.word in _TIMES:
        seconds: Ints = getattr(workload, term.word) - workload.submit.min()
        return seconds.astype(np.float64)
    if term.word in (CHARGE, QOS_PRIORITY):
        column: Floats = getattr(workload, term.word)
        return column
    if term.word in REQUESTS:
        return requests_of(workload, term.word).astype(np.float64)
    values, job = distinct(column_numbers(workload, term.word))
    by_number = values_of(term, workload)
    each: Floats = np.array([by_number.get(number, 0.0) for number in values.tolist()], dtype=np.float64)
    return each[job]


def values_of(term: Term, workload: Workload) -> dict[int, float]:
    """Return the value of a term of a user, account, queue or partition by its number in the log; none if unknown.

    A label is a number, or the name that the header of the log or the names beside it give to a number.
    """
    numbers: dict[str, list[int]] = {}
    for number, name in names_of(workload, term.word).items() if term.word in NAMED else ():
        numbers.setdefault(name.lower(), []).append(number)
    values: dict[int, float] = {}
    for label, value in zip(term.labels, term.values or [1.0] * len(term.labels), strict=True):
        other = [int(label)] if re.fullmatch("[0-9]{1,15}", label) else []
        values |= dict.fromkeys(numbers.get(label.lower(), other), value)
    return values
