"""Arguments of public functions: taken as what they must be, or refused under their names."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from .errors import InputError


def whole_number(name: str, value: Any) -> int:
    """Return an argument that must be a whole number, of Python or numpy, as an int.

    Raises
    ------
    InputError
        The argument is no whole number.

    Examples
    --------
    >>> whole_number("seed", 7)
    7
    >>> whole_number("seed", 7.5)
    Traceback (most recent call last):
    paretosched.core.errors.InputError: seed must be a whole number, but is 7.5
    """
    try:
        return operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, but is {value!r:.40}") from None


def number(name: str, value: Any) -> float:
    """Return an argument that must be a number, or the text of a number, as a float.

    Raises
    ------
    InputError
        The argument is no number.

    Examples
    --------
    >>> number("jump", 1500)
    1500.0
    >>> number("jump", "far")
    Traceback (most recent call last):
    paretosched.core.errors.InputError: jump must be a number, but is 'far'
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, but is {value!r:.40}") from None


def is_whole(value: Any) -> bool:
    """Return whether a JSON value is a whole number; true and false are not.

    Examples
    --------
    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, int) and not isinstance(value, bool)


def as_list(what: Any) -> list[Any]:
    """Return the values of a list or tuple, or a single value, as a list; a text is a single value.

    Examples
    --------
    >>> as_list("easy"), as_list(("easy", "fcfs"))
    (['easy'], ['easy', 'fcfs'])
    """
    return list(what) if isinstance(what, Sequence) and not isinstance(what, str) else [what]
