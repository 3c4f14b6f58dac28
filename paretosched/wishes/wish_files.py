"""Wishes on disk, and whatever names a wish: words, a file, or the value itself."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import InputError, quoted
from ..core.files import read_json
from ..core.files import written as written_whole
from ..simulation.objective import objective_table
from .wish import FREE, Limit, Wish
from .wish_grammar import parse

FORMAT = "paretosched wish 1"


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


WishLike = str | os.PathLike[str] | Wish


def as_wish(what: WishLike, groups: tuple[str, ...]) -> Wish:
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
