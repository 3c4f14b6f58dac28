"""Arguments of public functions: taken as what they must be, or refused under their names."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from .errors import InputError

if TYPE_CHECKING:  # the command line checks names of files before anything slow is loaded
    from numpy.typing import ArrayLike

    from .arrays import Floats

T = TypeVar("T")


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


def in_bounds(name: str, value: Any, highest: int, lowest: int = 0) -> int:
    """Return an argument that must be a whole number in certain bounds.

    Raises
    ------
    InputError
        It is not; the message has its name.
    """
    whole = whole_number(name, value)
    if not lowest <= whole <= highest:
        raise InputError(f"{name} must be in {lowest}..{highest}, but is {whole}")
    return whole


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
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{name} must be a number, but is {value!r:.40}") from None


def real_number(name: str, value: Any) -> float:
    """Return an argument that must be a number, and not the text of one, as it is.

    Raises
    ------
    InputError
        The argument is no number.

    Examples
    --------
    >>> real_number("step", "0.1")
    Traceback (most recent call last):
    paretosched.core.errors.InputError: step must be a number, but is '0.1'
    """
    if not isinstance(value, Real):
        raise InputError(f"{name} must be a number, but is {value!r:.40}")
    return value  # type: ignore[return-value]  # a float for type checkers, as an int is; a long int has no float


def numbers(name: str, value: ArrayLike) -> Floats:
    """Return an argument that must be an array of numbers, of any shape, as float64.

    Raises
    ------
    InputError
        The argument is no array of numbers.

    Examples
    --------
    >>> numbers("values", [[1, 2]]).shape
    (1, 2)
    >>> numbers("values", "far")
    Traceback (most recent call last):
    paretosched.core.errors.InputError: values must be an array of numbers, but is 'far'
    """
    import numpy as np

    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers, but is {value!r:.60}") from None


def instance(name: str, value: Any, kind: type[T]) -> T:
    """Return an argument that must be a value of a kind, and of which there is no other form, such as a schedule.

    Raises
    ------
    InputError
        The argument is something else.

    Examples
    --------
    >>> instance("schedule", "easy", dict)
    Traceback (most recent call last):
    paretosched.core.errors.InputError: schedule must be a value of the type dict, but is 'easy'
    """
    if not isinstance(value, kind):
        raise InputError(f"{name} must be a value of the type {kind.__name__}, but is {value!r:.60}")
    return value


def checked_when_made(kind: type[T]) -> type[T]:
    """Let a NamedTuple call its `__post_init__` when it is made, as a dataclass does; a decorator.

    `_replace` and `_make` do not call it, so what uses such a value still checks it.
    """
    make: Callable[..., T] = kind.__new__

    @wraps(make)
    def make_and_check(*values: Any, **by_name: Any) -> T:
        value: Any = make(*values, **by_name)
        value.__post_init__()
        return value  # type: ignore[no-any-return]

    setattr(kind, "__new__", make_and_check)  # noqa: B010  # in its class body a NamedTuple may not have one
    return kind


def list_argument(name: str, value: Any) -> list[Any]:
    """Return an argument that must be a list, a tuple or an array, and no text, as a list.

    Raises
    ------
    InputError
        The argument is something else.

    Examples
    --------
    >>> list_argument("criteria", ("f1", "f2"))
    ['f1', 'f2']
    """
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"{name} must be a list, but is {value!r:.60}")
    return list(value)


def mapping(name: str, value: Any) -> Mapping[Any, Any]:
    """Return an argument that must be a dict or another mapping.

    Raises
    ------
    InputError
        The argument is something else.
    """
    if not isinstance(value, Mapping):
        raise InputError(f"{name} must be a dict, but is {value!r:.60}")
    return value


def callback(name: str, value: Any) -> None:
    """Refuse an argument that must be a function, or None.

    Raises
    ------
    InputError
        The argument is something else.
    """
    if value is not None and not callable(value):
        raise InputError(f"{name} must be a function, but is {value!r:.60}")


def as_path(value: Any) -> Path:
    """Return an argument that must be the path of a file or directory.

    Raises
    ------
    InputError
        The argument is no path.

    Examples
    --------
    >>> as_path(3)
    Traceback (most recent call last):
    paretosched.core.errors.InputError: a path must be a text or a pathlib.Path, but is 3
    """
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"a path must be a text or a pathlib.Path, but is {value!r:.60}")
    return Path(value)


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
