"""Tables for people and for programs: aligned plain text, Markdown, JSON, CSV."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .errors import printable
from .files import replacing

MOST_WIDE = 110  # letters of a line for a terminal; tables may be wider
CALCULATED = r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"  # the last four are = + - @ in full width
FORMULA = re.compile(f"'*{CALCULATED}")  # so begins what a spreadsheet would calculate, or such a text behind quotes
MARKED = re.compile(f"'+{CALCULATED}")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class Column(NamedTuple):
    """One column of a text table.

    Attributes
    ----------
    key
        The key of its values in the rows.
    header
        The text above the column.
    spec
        Format of its numbers, as in `format(value, ",.0f")`. A column with a format is aligned to the right, a
        column without one to the left. Text is written unchanged in both.
    """

    key: str
    header: str
    spec: str = ""


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> str:
    """Return rows as text, aligned under their headers, with "-" for undefined values.

    Lines are never wrapped or shortened, so that another program can read them. Characters that could steer a
    terminal are replaced.

    Parameters
    ----------
    rows
        One mapping a line; a missing value, None and NaN are undefined.
    columns
        The columns, in this order.

    Examples
    --------
    >>> rows = [{"policy": "EASY", "AWRT": 59681.4}, {"policy": "FCFS", "AWRT": None}]
    >>> print(table(rows, [Column("policy", "policy"), Column("AWRT", "AWRT s", ",.0f")]))
    policy  AWRT s
    ------  ------
    EASY    59,681
    FCFS         -
    """
    cells = [[_cell(plain(row.get(column.key)), column.spec) for column in columns] for row in rows]
    headers = [_cell(column.header, "") for column in columns]
    left = [not column.spec for column in columns]
    widths = [max(_width(line[c]) for line in [headers, *cells]) for c in range(len(columns))]
    lines = [headers, ["-" * width for width in widths], *cells]
    return "\n".join("  ".join(_pad(*cell) for cell in zip(line, widths, left, strict=True)).rstrip() for line in lines)


def indented_lines(text: str, first: str = "", others: str = "") -> list[str]:
    """Return a paragraph as indented lines for a terminal.

    Examples
    --------
    >>> indented_lines("short", "  ")
    ['  short']
    """
    return textwrap.wrap(text, MOST_WIDE, initial_indent=first, subsequent_indent=others, break_long_words=False)


def amount(value: float) -> str:
    """Return a number as text with six digits, or with all digits before the point up to 15.

    Examples
    --------
    >>> [amount(value) for value in (0.0123456789, 742673.7, 1482406.2, 1.5e30)]
    ['0.0123457', '742,674', '1,482,406', '1.5e+30']
    """
    return f"{value:,.0f}" if 1e6 <= abs(value) < 1e15 else f"{value:,.6g}"


def enumeration(parts: Sequence[str]) -> str:
    """Return texts as an enumeration.

    Examples
    --------
    >>> enumeration(["a", "b", "c"])
    'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def to_json(value: Any) -> str:
    """Return rows, or any nesting of mappings, sequences, numpy values and plain values, as JSON text.

    NaN and infinity become null, because JSON has no words for them. A value of another type is written as text.

    Examples
    --------
    >>> to_json([{"jobs": np.int64(3), "AWRT": float("nan")}]).split()
    ['[', '{', '"jobs":', '3,', '"AWRT":', 'null', '}', ']']
    """
    return json.dumps(plain(value), indent=2, allow_nan=False)


def plain(value: Any) -> Any:
    """Return a value as dicts, lists, text, numbers, truth values and None; NaN and infinity become None.

    Examples
    --------
    >>> plain({"front": np.array([1.5, np.nan])})
    {'front': [1.5, None]}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _cell(value: Any, spec: str) -> str:
    """Return a value as the text of a table cell."""
    if value is None:
        return "-"
    return printable(value if isinstance(value, str) else format(value, spec))


def _width(text: str) -> int:
    """Return how many letters wide a terminal prints a text; a wide East Asian letter counts as two."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _pad(text: str, width: int, left: bool) -> str:
    """Return a text that spaces fill to a width, aligned to the left or to the right."""
    space = " " * (width - _width(text))
    return text + space if left else space + text


def markdown(heads: Sequence[str], lines: Iterable[Sequence[str]], left: int) -> list[str]:
    """Return the lines of a table in Markdown; the first `left` columns are aligned to the left, others to the right.

    >>> markdown(["row", "n"], [["a", "1"]], left=1)
    ['| row | n |', '| --- | ---: |', '| a | 1 |']
    """
    rule = ["---" if column < left else "---:" for column in range(len(heads))]
    return [f"| {' | '.join(cells)} |" for cells in (heads, rule, *lines)]


def csv_cell(value: Any) -> Any:
    """Return a value for a cell of a CSV file; a quote stands before a text that a spreadsheet would calculate.

    Names of users and groups come from logs and lists of others. Numbers stay as they are. `from_csv_cell` is the
    inverse, also for a text that begins with quotes.

    Examples
    --------
    >>> [csv_cell(value) for value in ("=1+1", "'=1+1", "it's", "-1.5", -1.5)]
    ["'=1+1", "''=1+1", "it's", '-1.5', -1.5]
    """
    is_formula = isinstance(value, str) and FORMULA.match(value) and not NUMBER.fullmatch(value)
    return f"'{value}" if is_formula else value


def from_csv_cell(text: str) -> str:
    """Return the text that a cell of `csv_cell` was made from.

    Examples
    --------
    >>> [from_csv_cell(text) for text in ("'=1+1", "''=1+1", "it's", "-1.5")]
    ['=1+1', "'=1+1", "it's", '-1.5']
    """
    return text[1:] if MARKED.match(text) else text


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; the columns are the keys of all rows, in the order of their first appearance.

    Examples
    --------
    >>> print(csv_text([{"schedule": "A", "AWRT": 1.5, "note": "=1+1"}]))
    schedule,AWRT,note
    A,1.5,'=1+1
    <BLANKLINE>
    """
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return "".join(map(_csv_line, [keys, *([row.get(key, "") for key in keys] for row in rows)]))


def _csv_line(values: Sequence[Any]) -> str:
    """Return values as a line of CSV."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(map(csv_cell, values))  # so it quotes a cell with either of both
    return text.getvalue().removesuffix("\r\n") + "\n"


def save_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write rows as a CSV file, see `csv_text`."""
    with replacing(path) as temporary:
        temporary.write_text(csv_text(rows), encoding="utf-8", newline="")


def load_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file that `save_rows` wrote; all values are text."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {from_csv_cell(key): cell and from_csv_cell(cell) for key, cell in row.items()}
            for row in csv.DictReader(file)
        ]
