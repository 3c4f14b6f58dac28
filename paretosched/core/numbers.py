"""Numbers that a caller gives: whole ones, and others."""

from __future__ import annotations

import operator
from typing import Any

from .errors import InputError


def whole_number(name: str, value: Any) -> int:
    """Return a whole number of any type, such as numpy's, as an int.

    Raises
    ------
    InputError
        It is not a whole number; `name` is what the message calls it.

    Examples
    --------
    >>> whole_number("seed", True), whole_number("seed", 7)
    (1, 7)
    """
    try:
        return operator.index(value)
    except TypeError:
        raise InputError(f"{name} must be a whole number, but is {value!r:.40}") from None


def number(name: str, value: Any) -> float:
    """Return a number, or a text that is one, as a float.

    Raises
    ------
    InputError
        It is neither; `name` is what the message calls it.

    Examples
    --------
    >>> number("jump", "1.5")
    1.5
    """
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a number, but is {value!r:.40}") from None
