"""Turn JSON values into typed values, with messages in the words of the file's author."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec.inspect

from .errors import InputError
from .files import json_text

T = TypeVar("T")

_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_EXPECTED = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")
_MISSING = re.compile(r"Object missing required field `([^`]*)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


def as_type(value: Any, kind: type[T]) -> T:
    """Return a JSON value as a value of a type that msgspec knows, such as a `msgspec.Struct`.

    Raises
    ------
    InputError
        A part is missing, not known or of another type.

    Examples
    --------
    >>> as_type({"a": 1}, dict[str, float])
    {'a': 1.0}
    >>> as_type({"a": 1, "b": "2"}, dict[str, float])
    Traceback (most recent call last):
    ...
    paretosched.core.errors.InputError: "b" must be a number, but is "2"
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(_in_words(str(error), value, kind)) from None
    except UnicodeEncodeError as error:  # half of a pair, as JSON can write it, is no letter
        half = json_text(error.object[error.start])
        raise InputError(f"texts must consist of letters of Unicode, but there is also {half}") from None


def _in_words(message: str, value: Any, kind: Any) -> str:
    """Return a message of msgspec in our words; a message of no known form stays as it is."""
    fact, _, path = message.rpartition(" - at `$") if " - at `$" in message else (message, "", "")
    steps = [*_STEP.finditer(path.rstrip("`"))]
    parts = [*_at(value, "", steps)] or [("", value)]
    if match := _MISSING.fullmatch(fact):
        place = next((place for place, part in parts if match[1] not in part), parts[0][0])
        return f'{_within(place)}"{match[1]}" is missing'
    if match := _UNKNOWN.fullmatch(fact):
        place = next((place for place, part in parts if match[1] in part), parts[0][0])
        keys = ", ".join(_keys(msgspec.inspect.type_info(kind), steps))
        return f"{_within(place)}the keys here are {keys}, but there is also {json_text(match[1])}"
    if fact == "Number out of range":
        place, part = next(((p, x) for p, x in parts if type(x) is int and abs(x) > 2**53), parts[0])
        return f"{_name_of(place)} must be a number of at most 1.8e308, but is {json_text(part)}"
    match = _EXPECTED.fullmatch(fact)
    place, part = next(((p, x) for p, x in parts if match is not None and _kind(x) == match[2]), parts[0])
    if match is None:
        return f"{_name_of(place)}: {fact}"
    kinds = " or ".join(_WORDS.get(word, word) for word in match[1].split(" | "))
    return f"{_name_of(place)} must be {kinds}, but is {json_text(part)}"


def _at(value: Any, place: str, steps: list[re.Match[str]]) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value that a path of msgspec may mean, and their places.

    Such a path does not name the keys of dictionaries, so that it may mean several parts.
    """
    if not steps:
        yield place, value
        return
    key, number = steps[0].groups()
    parts: dict[Any, Any] = {}
    if isinstance(value, dict):
        parts = {f".{name}": part for name, part in value.items() if key == name or number == "..."}
    elif isinstance(value, list | tuple) and (number or "").isdigit():
        parts = {f"[{number}]": part for part in value[int(number) : int(number) + 1]}
    for step, part in parts.items():
        yield from _at(part, place + step, steps[1:])


def _keys(info: Any, steps: list[re.Match[str]]) -> list[str]:
    """Return the keys that a type has at the end of a path; `info` is msgspec's description of the type.

    A step that leads nowhere is ignored: a key in a file may contain letters that look like a step.
    """
    info = getattr(info, "type", info)  # a type that is annotated
    info = next((case for case in getattr(info, "types", ()) if hasattr(case, "fields")), info)  # "none", or an object
    fields = {field.encode_name: field.type for field in getattr(info, "fields", ())}
    if not steps:
        return list(fields)
    key, number = steps[0].groups()
    inner = (
        fields.get(key) if key is not None else getattr(info, "value_type" if number == "..." else "item_type", None)
    )
    return _keys(inner or info, steps[1:])


def _kind(value: Any) -> str:
    """Return msgspec's word for the type of a value."""
    kind = type(value).__name__
    return {"dict": "object", "list": "array", "NoneType": "null"}.get(kind, kind)


def _within(place: str) -> str:
    """Return the beginning of a message about a part of the value at a place."""
    return f"{place.removeprefix('.')}: " if place else ""


def _name_of(place: str) -> str:
    """Return the name of a part for a message: where it is, and its key in quotes.

    Examples
    --------
    >>> _name_of(".situations.day.a"), _name_of(".groups[0]")
    ('situations.day: "a"', 'groups[0]')
    """
    if not place or place.endswith("]"):
        return place.removeprefix(".") or "the value"
    before, _, key = place.rpartition(".")
    return f"{_within(before)}{json_text(key)}"
