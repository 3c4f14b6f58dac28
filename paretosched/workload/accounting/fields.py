"""Numbers, times and durations in the fields of accounting files."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

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
CLOCK = "0000-00-00T00:00:00"  # a zero stands for any digit
DURATIONS = ("00:00:00", "0-00:00:00", "00-00:00:00", "000-00:00:00")
OF_DIGITS = np.array([8_640_000, 864_000, 86_400, 36_000, 3600, 600, 60, 10, 1])  # s

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
        clocks, others, texts = _of_length(cells, len(CLOCK))
        local = _clocks(texts)
        if local is not None:
            at[clocks], is_local[clocks] = local, True
            rest = others.tolist()
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


def durations(cells: Sequence[str], words: Mapping[str, int], read: Callable[[str], int | None]) -> Ints | int:
    """Return durations, (n,) s; the index of the first cell that is none, if there is one.

    Parameters
    ----------
    cells
        The cells, n.
    words
        Cells that stand for numbers of their own, in small letters.
    read
        Function that reads a cell that is no HH:MM:SS or D-HH:MM:SS, which are read at once.
    """
    values = np.zeros(len(cells), dtype=np.int64)
    rest = np.arange(len(cells))
    lengths = np.fromiter(map(len, cells), dtype=np.int64, count=len(cells))
    for shape in DURATIONS:
        rows = np.flatnonzero(lengths == len(shape))
        texts = cells if rows.size == len(cells) else [cells[row] for row in rows.tolist()]
        letters = _letters(texts, shape) if rows.size else None
        if letters is not None:
            digits = letters[:, [place for place, letter in enumerate(shape) if letter == "0"]] - ord("0")
            values[rows] = digits.astype(np.int64) @ OF_DIGITS[-digits.shape[1] :]
            rest = np.setdiff1d(rest, rows, assume_unique=True)
    known: dict[str, int | None] = {}
    for index in rest.tolist():
        cell = cells[index]
        if cell not in known:
            known[cell] = words[cell.lower()] if cell.lower() in words else read(cell)
        value = known[cell]
        if value is None:
            return index
        values[index] = value
    return values


def _of_length(cells: Sequence[str], length: int) -> tuple[Ints, Ints, Sequence[str]]:
    """Return the places of cells of a length and of the others, and the cells of the length."""
    if {*map(len, cells)} == {length}:
        return np.arange(len(cells)), np.zeros(0, dtype=np.int64), cells
    fits = np.fromiter(map(len, cells), dtype=np.int64, count=len(cells)) == length
    places = np.flatnonzero(fits)
    return places, np.flatnonzero(~fits), [cells[place] for place in places.tolist()]


def _letters(texts: Sequence[str], shape: str) -> NDArray[np.uint8] | None:
    """Return the letters of texts, (n, length) as bytes, if all have a shape, in which 0 is any digit; else None."""
    try:
        letters = np.frombuffer("".join(texts).encode("ascii"), dtype=np.uint8).reshape(-1, len(shape)).copy()
    except UnicodeEncodeError:
        return None
    if "T" in shape:
        day_ends = letters[:, shape.index("T")]  # there may be a blank
        day_ends[day_ends == ord(" ")] = ord("T")
    found = np.where((letters >= ord("0")) & (letters <= ord("9")), ord("0"), letters)
    return letters if (found == np.frombuffer(shape.encode(), dtype=np.uint8)).all() else None


def _clocks(texts: Sequence[str]) -> Ints | None:
    """Return clocks such as 2024-03-04T08:00:00 or 2024-03-04 08:00:00, all at once, as a clock in UTC; None if not."""
    letters = _letters(texts, CLOCK)
    try:
        return None if letters is None else letters.view("S19")[:, 0].astype("datetime64[s]").astype(np.int64)
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
