"""Values as people see them: one line in a terminal, a table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Any, TypeVar

import numpy as np

from .tables import amount

T = TypeVar("T")
LONGEST = 120  # letters of a value in a repr, and of a cell


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table in HTML; text is escaped, numbers are aligned to the right, undefined values are "-".

    Examples
    --------
    >>> html_table("a < b", ["name", "s"], [["EASY", 59681.4], ["FCFS", None]]).count("<tr>")
    3
    """
    head = "".join(f"<th>{html.escape(word)}</th>" for word in heads)
    lines = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in rows)
    return f"<p><b>{html.escape(title)}</b></p><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def fields_html(value: Any) -> str:
    """Return the fields of a dataclass or NamedTuple as a table in HTML; for `_repr_html_`."""
    return html_table(type(value).__name__, ("field", "value"), _fields(value).items())


def fields_repr(value: Any) -> str:
    """Return one line with those fields of a dataclass or NamedTuple that differ from the defaults; for `__repr__`."""
    defaults = _defaults(value)
    parts = [
        f"{key}={_short(part)}"
        for key, part in _fields(value).items()
        if key not in defaults or type(part) is not type(defaults[key]) or not _equal(part, defaults[key])
    ]
    line = f"{type(value).__name__}({', '.join(parts)})"
    return line if len(line) <= 2 * LONGEST else f"{line[: 2 * LONGEST - 4]}...)"


def shown_by_fields(kind: type[T]) -> type[T]:
    """Let a NamedTuple be shown by its fields, in a terminal and in a notebook; a decorator."""
    setattr(kind, "__repr__", fields_repr)  # noqa: B010  # mypy lets nobody write to a class
    setattr(kind, "_repr_html_", fields_html)  # noqa: B010
    return kind


def _fields(value: Any) -> dict[str, Any]:
    """Return the values of the fields of a dataclass or NamedTuple by name."""
    names = value._fields if hasattr(value, "_fields") else [field.name for field in fields_of(value)]
    return {name: getattr(value, name) for name in names}


def _defaults(value: Any) -> Mapping[str, Any]:
    """Return the default values of the fields that have one."""
    if hasattr(value, "_field_defaults"):
        of_tuple: Mapping[str, Any] = value._field_defaults
        return of_tuple
    defaults = {}
    for field in fields_of(value):
        if field.default is not MISSING:
            defaults[field.name] = field.default
        elif field.default_factory is not MISSING:
            defaults[field.name] = field.default_factory()
    return defaults


def _equal(value: Any, other: Any) -> bool:
    """Return whether two values are equal; arrays are compared as a whole."""
    return np.array_equal(value, other) if isinstance(value, np.ndarray) else bool(value == other)


def _short(value: Any) -> str:
    """Return a value on one line: an array as its ends or its shape, a long value as its beginning."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, threshold=6, edgeitems=2, precision=6).replace("\n", "")
        text = text if value.ndim == 1 and len(text) < LONGEST else f"<{value.dtype} array of shape {value.shape}>"
    elif isinstance(value, Mapping) and len(value) > 2:
        text = f"<{len(value)} entries>"
    else:
        text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _html_cell(value: Any) -> str:
    """Return a value as a table cell in HTML."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return "<td>-</td>"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td style="text-align:right">{f"{value:,}" if isinstance(value, int) else amount(value)}</td>'
    return f"<td>{html.escape(value if isinstance(value, str) else _short(value))}</td>"
