"""Numbers, times and durations in the fields of accounting files."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence

import numpy as np

from ...core.arrays import Ints
from ...core.errors import InputError, in_quotes
from ..calendar import LATEST
from ..local_time import LAST_LOCAL, Readings, read_local
from .lives import UNKNOWN

LONGEST = 15  # digits
DURATION = re.compile(
    r"(?:(?:(?:(\d{1,6})-)?(\d{1,9}):)?(\d{1,9}):)?(\d{1,15})(?:\.(\d{0,15}))?", re.ASCII
)  # [[[days-]hours:]minutes:]seconds[.fraction]
NO_TIMES = frozenset(("", "unknown", "none", "n/a", "nan", "nat", "null"))  # in small letters
CLOCK = np.frombuffer(b"0000-00-00T00:00:00", dtype=np.uint8)  # a zero stands for any digit
BLANK = 10  # where the day ends: T, or a blank

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


def times(
    fault: Fault, cells: Sequence[str], what: str, advice: str, zone: str | None = None, zero: bool = True
) -> Readings:
    """Return cells that must be Unix times, or clocks with their zone, or without in a zone that is given.

    Parameters
    ----------
    fault
        Returns the error about a cell.
    cells
        The cells, n; a word such as "Unknown", or nothing, is a time that is not known.
    what
        The name of the column, for messages.
    advice
        What to do if a cell is no time, for messages.
    zone
        Time zone of clocks that do not say theirs; None to refuse them.
    zero
        Whether "0" is a time, the first second of 1970; else it is not known.

    Raises
    ------
    InputError
        A cell is something else, or is a local time and there is no zone; the message names its line.
    """
    if _are_numbers(cells):
        values = np.array(cells, dtype=np.int64)
        if values.min(initial=1) >= (0 if zero else 1) and values.max(initial=0) < LATEST:
            return Readings(values, values, np.zeros(values.size, dtype=np.bool_))
    at = np.full(len(cells), UNKNOWN, dtype=np.int64)
    is_local = np.zeros(len(cells), dtype=np.bool_)
    rest: Sequence[int] = range(len(cells))
    if zone is not None:
        clocks = [index for index in rest if len(cells[index]) == CLOCK.size]
        local = _clocks([cells[index] for index in clocks])
        if local is not None:
            at[clocks], is_local[clocks] = local, True
            rest = [index for index in rest if len(cells[index]) != CLOCK.size]
    for index in rest:
        at[index], is_local[index] = _time(fault, index, cells[index], what, advice, zone is not None, zero)
    second, missing = at.copy(), np.zeros(at.size, dtype=np.bool_)
    if zone is not None and is_local.any():
        rows = np.flatnonzero(is_local)
        if not (in_range := (at[rows] >= 0) & (at[rows] < LAST_LOCAL)).all():
            index = int(rows[in_range.argmin()])
            raise fault(index, f"{what} is {in_quotes(cells[index])}, but a local time must be in 1970..2099")
        readings = read_local(zone, at[rows])
        at[rows], second[rows], missing[rows] = readings
        if at.min() < UNKNOWN or (at[rows] < 0).any():
            index = int(rows[at[rows].argmin()])
            raise fault(index, f"{what} is {in_quotes(cells[index])}, but must be a time from 1970 on")
    return Readings(at, second, missing)


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


def _clocks(cells: Sequence[str]) -> Ints | None:
    """Return clocks such as 2024-03-04T08:00:00 or 2024-03-04 08:00:00, all at once, as a clock in UTC; None if not."""
    try:
        letters = np.frombuffer("".join(cells).encode("ascii"), dtype=np.uint8).reshape(-1, CLOCK.size).copy()
    except UnicodeEncodeError:
        return None
    letters[letters[:, BLANK] == ord(" "), BLANK] = ord("T")
    shape = np.where((letters >= ord("0")) & (letters <= ord("9")), ord("0"), letters)
    if not (shape == CLOCK).all():
        return None
    try:
        return letters.view("S19")[:, 0].astype("datetime64[s]").astype(np.int64)
    except ValueError:
        return None  # no such day or hour: the cell is found one by one


def _time(fault: Fault, index: int, cell: str, what: str, advice: str, has_zone: bool, zero: bool) -> tuple[int, bool]:
    """Return a time, and whether it is one of the local clock; -1 if it is not known."""
    if cell.lower() in NO_TIMES or (cell == "0" and not zero):
        return UNKNOWN, False
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
            if not has_zone:
                raise fault(index, f"{what} is {in_quotes(cell)}, a local time without its zone; {advice}")
            return int(moment.replace(tzinfo=dt.UTC).timestamp()), True
        value = int(moment.timestamp()) if moment.year > 1 else -1
    if not 0 <= value < LATEST:
        raise fault(index, f"{what} is {in_quotes(cell)}, but must be a time from 1970 to the year 9000")
    return value, False
