"""Numbers, times and durations in the fields of accounting files."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence

from ...core.errors import InputError, in_quotes
from ..calendar import LATEST
from .lives import UNKNOWN

LONGEST = 15  # digits
DURATION = re.compile(
    r"(?:(?:(?:(\d{1,6})-)?(\d{1,9}):)?(\d{1,9}):)?(\d{1,15})(?:\.(\d{0,15}))?", re.ASCII
)  # [[[days-]hours:]minutes:]seconds[.fraction]
NO_TIMES = ("", "Unknown", "None", "N/A", "0")

Fault = Callable[[int, str], InputError]  # the error about a line of a block, by its index


def numbers(fault: Fault, cells: Sequence[str], what: str, others: dict[str, int]) -> list[int]:
    """Return cells that must be whole numbers, or one of some words with a number of their own.

    Raises
    ------
    InputError
        A cell is something else; the message names its line.
    """
    if _are_numbers(cells):
        return [*map(int, cells)]
    values = []
    for index, cell in enumerate(cells):
        value = int(cell) if _is_number(cell) else others.get(cell)
        if value is None:
            raise fault(index, f"{what} is {in_quotes(cell)}, but must be a whole number")
        values.append(value)
    return values


def times(fault: Fault, cells: Sequence[str], what: str, advice: str) -> list[int]:
    """Return cells that must be Unix times, or times with their zone; -1 where the time is not known.

    Raises
    ------
    InputError
        A cell is something else, such as a local time without its zone; the message names its line and has an advice.
    """
    if _are_numbers(cells):
        values = [*map(int, cells)]
        if min(values, default=1) > 0 and max(values, default=0) < LATEST:
            return values
    return [_time(fault, index, cell, what, advice) for index, cell in enumerate(cells)]


def seconds(text: str) -> int | None:
    """Return a duration, as seconds or as [days-]hours:minutes:seconds, in seconds; None if it is none.

    Fractions of a second are rounded up, as `read_swf` does.

    Examples
    --------
    >>> seconds("90"), seconds("01:30:00"), seconds("2-00:00:01"), seconds("1:5.5"), seconds("long")
    (90, 5400, 172801, 66, None)
    """
    if _is_number(text):
        return int(text)
    match = DURATION.fullmatch(text)
    if match is None:
        return None
    days, hours, minutes, rest, fraction = (int(part) if part else 0 for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + rest + (fraction > 0)


def _are_numbers(cells: Sequence[str]) -> bool:
    """Return whether all cells are whole numbers that fit; quicker than one by one."""
    if max(map(len, cells), default=0) > LONGEST or "" in cells:  # before they are one text
        return False
    text = "".join(cells)
    return text.isdecimal() and text.isascii()


def _is_number(text: str) -> bool:
    """Return whether a text is a whole number that fits."""
    return text.isdecimal() and text.isascii() and len(text) <= LONGEST


def _time(fault: Fault, index: int, cell: str, what: str, advice: str) -> int:
    """Return a Unix time, -1 if it is not known."""
    if cell in NO_TIMES:
        return UNKNOWN
    whole = cell.partition(".")[0]
    if _is_number(whole):
        value = int(whole)
    else:
        try:
            moment = dt.datetime.fromisoformat(cell)
        except ValueError:
            fact = f"{what} is {in_quotes(cell)}, but must be seconds since 1970"
            raise fault(index, f"{fact}; {advice}") from None
        if moment.tzinfo is None:
            raise fault(index, f"{what} is {in_quotes(cell)}, a local time without its zone; {advice}")
        value = int(moment.timestamp()) if moment.year > 1 else -1
    if not 0 < value < LATEST:
        raise fault(index, f"{what} is {in_quotes(cell)}, but must be a time from 1970 to the year 9000")
    return value
