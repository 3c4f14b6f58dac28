"""Limits of what is read from files, so that a file that is damaged or hostile fills neither memory nor time.

Each reader stops at its limit with one line that names the limit. The command line changes limits with the option
`--limit NAME=N`, Python with `reading_limits`. This file is the only place with their names and values.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .errors import InputError, one_of

LARGEST = 2**53


class Limits(NamedTuple):
    """The most that is read, by name; `WORDS` says of what, and in which unit.

    Examples
    --------
    >>> Limits(jobs=10).jobs, Limits(jobs=10).wait
    (10, 60)
    """

    jobs: int = 5_000_000
    line: int = 100_000
    header: int = 1_000_000
    log: int = 4_000_000_000
    ratio: int = 200
    wait: int = 60
    text: int = 100_000_000
    conf: int = 5_000_000
    json: int = 20_000_000
    rows: int = 2_000_000
    cells: int = 20_000_000
    run: int = 700_000_000
    download: int = 500_000_000
    lives: int = 12_000_000


# What a limit is of, and its unit for messages.
WORDS = {
    "jobs": ("the number of jobs in a log", "jobs"),
    "line": ("the length of a line", "bytes"),
    "header": ("the comment lines of a log together", "bytes"),
    "log": ("the size of a log, unpacked,", "bytes"),
    "ratio": ("the unpacked size of a file", "times its packed size"),
    "wait": ("the silence of a pipe", "seconds"),
    "text": ("the size of a CSV file", "bytes"),
    "conf": ("the size of a slurm.conf with all that it includes", "bytes"),
    "json": ("the size of a JSON file", "bytes"),
    "rows": ("the number of rows, or of ranges of nodes, in a CSV file", "rows"),
    "cells": ("the rows x columns of a Parquet file", "cells"),
    "run": ("the memory for the evaluations of another run", "bytes"),
    "download": ("the size of a downloaded log", "bytes"),
    "lives": ("the number of jobs in what is imported", "jobs"),
}

_in_force = Limits()


def limits_in_force() -> Limits:
    """Return the limits at which readers stop now."""
    return _in_force


@contextmanager
def reading_limits(**changes: int) -> Iterator[Limits]:
    """Yield the limits with some of them changed; they hold until the end of the `with` block.

    They hold for all threads of the process: a page reads files in several.

    Parameters
    ----------
    changes
        Limits by name, see `Limits`.

    Raises
    ------
    InputError
        A limit is not known, or is not a whole number of at least 1.

    Examples
    --------
    >>> with reading_limits(jobs=20_000_000) as limits:
    ...     limits.jobs
    20000000
    >>> limits_in_force().jobs
    5000000
    """
    global _in_force
    for name, value in changes.items():
        one_of("limit", name, limit_names())
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= LARGEST:
            raise InputError(f"limit {name} must be a whole number in 1..2^53, but is {value!r:.40}")
    before = _in_force
    _in_force = before._replace(**changes)
    try:
        yield _in_force
    finally:
        _in_force = before


def limit_names() -> list[str]:
    """Return the names of all limits."""
    return [*WORDS]


def limits_text() -> str:
    """Return all limits with their default values, as one line for a help text.

    Examples
    --------
    >>> limits_text()[:42]
    'jobs: 5,000,000 jobs; line: 100,000 bytes;'
    """
    return "; ".join(f"{name}: {most:,} {WORDS[name][1]}" for name, most in Limits()._asdict().items())


def check_limit(place: object, name: str, amount: float, exact: bool = False) -> None:
    """Check that a reader is within a limit.

    Parameters
    ----------
    place
        The file, or the file and line, for the message.
    name
        The limit.
    amount
        What was counted until now, in the unit of the limit.
    exact
        Whether nothing follows, so that the message can have the number.

    Raises
    ------
    InputError
        The amount is beyond the limit.

    Examples
    --------
    >>> check_limit("w.swf:7", "line", 1e9)
    Traceback (most recent call last):
    ...
    paretosched.core.errors.InputError: w.swf:7: the length of a line must be at most 100,000 bytes, but is more; --limit line=N sets another limit
    """  # noqa: E501
    most = getattr(_in_force, name)
    if amount > most:
        what, unit = WORDS[name]
        fact = f"{amount:,.0f}" if exact else "more"
        raise InputError(
            f"{place}: {what} must be at most {most:,} {unit}, but is {fact}; --limit {name}=N sets another limit"
        )
