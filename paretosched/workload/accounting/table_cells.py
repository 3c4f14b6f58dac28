"""Numbers, times, sizes and states in the cells of tables, which everybody writes in a way of their own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from ...core.arrays import Floats, Ints, Mask
from ...core.errors import in_quotes
from ..calendar import LATEST
from ..local_time import Readings
from ..slurm_conf import KIB, KILOBYTES
from .fields import Fault, seconds, times
from .lives import COMPLETED, UNKNOWN
from .states import STATES, slurm_state

MISSING = frozenset(("", "nan", "nat", "none", "null", "n/a", "na", "<na>", "unknown", "-", "\\n"))  # in small letters
NUMBER = re.compile(r"[+-]?(?:\d{1,16}(?:\.\d{0,16})?|\.\d{1,16})(?:[eE][+-]?\d{1,2})?", re.ASCII)
COMMA = re.compile(r"([+-]?\d{1,15}),(\d{1,15})", re.ASCII)
THOUSANDS = 3  # digits after a comma that may stand for thousands
LONGEST = 15  # digits of numbers that are gone through together
OF_SECOND = re.compile(r":\d{1,2}(\.\d{1,15})", re.ASCII)
DAYS = re.compile(r"(\d{1,6}) days?,? ", re.ASCII)  # as pandas writes durations
SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?) ?([KMGTP]?)(iB|B|)", re.ASCII | re.IGNORECASE)
ADVICE = (
    "write seconds since 1970, or ISO 8601 with the zone, such as 2026-11-22T12:00:00+01:00; or name the zone of the "
    "site, such as --zone Europe/Berlin"
)
NO_LIMIT = ("unlimited", "infinite", "partition_limit", "invalid", "4294967295", "4294967294", "2147483647")
WHOLE = {"yes": 1, "true": 1, "1": 1, "exclusive": 1, "no": 0, "false": 0, "0": 0, "shared": 0, "ok": 0, "user": -1}
MOST_KILOBYTES = 2**53


def is_missing(cell: str) -> bool:
    """Return whether a cell says that there is no value."""
    return cell.lower() in MISSING


def decimals(fault: Fault, cells: Sequence[str], what: str, rule: str = "a number") -> Floats:
    """Return cells that must be numbers, (n,); NaN where there is none.

    Raises
    ------
    InputError
        A cell is something else, or has a comma that may stand for thousands or for decimals.
    """
    values = _plain(cells)
    if values is None:
        values = np.array([_decimal(fault, index, cell, what, rule) for index, cell in enumerate(cells)])
    return values


def _plain(cells: Sequence[str]) -> Floats | None:
    """Return cells, all at once, if each is digits and perhaps a point; None if not."""
    if max(map(len, cells), default=0) > LONGEST or "" in cells:
        return None
    text = "".join(cells).replace(".", "")
    if not (text.isdecimal() and text.isascii()):
        return None
    try:
        return np.array([*map(float, cells)])
    except ValueError:
        return None  # such as 1.2.3: it is named when cells are read one by one


def _decimal(fault: Fault, index: int, cell: str, what: str, rule: str) -> float:
    """Return a number, NaN if there is none."""
    if NUMBER.fullmatch(cell):
        return float(cell)
    if is_missing(cell):
        return np.nan
    comma = COMMA.fullmatch(cell)
    if comma is None:
        raise fault(index, f"{what} is {in_quotes(cell)}, but must be {rule}")
    if len(comma[2]) == THOUSANDS and comma[1].lstrip("+-") != "0":
        raise fault(index, f"{what} is {in_quotes(cell)}: its comma may stand for thousands or decimals; write a point")
    return float(f"{comma[1]}.{comma[2]}")


def whole_numbers(fault: Fault, cells: Sequence[str], what: str, missing: int, most: int = 2**53) -> Ints:
    """Return cells that must be whole numbers, also such as 2.0, (n,); `missing` where there is none.

    Raises
    ------
    InputError
        A cell is something else, or more than `most`.
    """
    values = decimals(fault, cells, what, "a whole number")
    known = ~np.isnan(values)
    bad = known & (values != np.rint(values))
    if bad.any():
        index = int(bad.argmax())
        raise fault(index, f"{what} is {in_quotes(cells[index])}, but must be a whole number")
    if (known & (np.abs(values) > most)).any():
        index = int((known & (np.abs(values) > most)).argmax())
        raise fault(index, f"{what} is {in_quotes(cells[index])}, but must be at most {most:,}")
    return np.where(known, values, missing).astype(np.int64)


def counts(fault: Fault, cells: Sequence[str], what: str, missing: int, most: int = 2**53) -> Ints:
    """Return cells that must be whole numbers from 0 on, (n,); -1 is none, as in the Standard Workload Format."""
    values = whole_numbers(fault, cells, what, missing, most)
    _refuse_negative(fault, cells, what, values < UNKNOWN)
    return np.where(values == UNKNOWN, missing, values)


def parts_of(fault: Fault, cells: Sequence[str], what: str) -> Floats:
    """Return cells that must be numbers from 0 on, also fractions, (n,); NaN where there is none, and for -1."""
    values = decimals(fault, cells, what)
    values[values == UNKNOWN] = np.nan
    _refuse_negative(fault, cells, what, values < 0)
    return values


def clocks(fault: Fault, cells: Sequence[str], what: str, unit: Fraction, zone: str | None) -> Readings:
    """Return times, as numbers of a unit since 1970 or as text, (n,) s; -1 where unknown.

    Raises
    ------
    InputError
        A cell is something else, such as a local time without a zone.
    """
    values = _plain(cells)
    is_number = np.ones(len(cells), dtype=np.bool_)
    if values is None:
        is_number[:] = [NUMBER.fullmatch(cell) is not None for cell in cells]
        values = decimals(fault, [cells[row] for row in np.flatnonzero(is_number).tolist()], what)
    rows = np.flatnonzero(is_number).tolist()
    unknown = values == UNKNOWN
    since = np.where(unknown, UNKNOWN, np.floor(values * unit.numerator / unit.denominator))
    bad = ~unknown & ((since < 0) | (since >= LATEST))
    if bad.any():
        cell = in_quotes(cells[rows[int(bad.argmax())]])
        more = "; --unit ms or us if it counts these" if since[bad.argmax()] > 0 else ""
        raise fault(rows[int(bad.argmax())], f"{what} is {cell}, but must be a time from 1970 to the year 9000{more}")
    texts = np.flatnonzero(~is_number).tolist()
    if not texts:
        whole = since.astype(np.int64)
        return Readings(whole, whole, np.zeros(whole.size, dtype=np.bool_))
    words = ["" if is_missing(cells[row]) else cells[row] for row in texts]
    read = times(lambda index, fact: fault(texts[index], fact), words, what, ADVICE, zone)
    first, second = (np.empty(len(cells), dtype=np.int64) for _ in range(2))
    missing = np.zeros(len(cells), dtype=np.bool_)
    first[rows], second[rows] = since, since
    first[texts], second[texts], missing[texts] = read
    return Readings(first, second, missing)


def durations(fault: Fault, cells: Sequence[str], what: str, unit: Fraction, missing: int = 0) -> Ints:
    """Return durations, as numbers of a unit or as [D-]HH:MM:SS, (n,) s, rounded up; `missing` where there is none.

    Only a negative one of -1 is none, as in the Standard Workload Format.

    Raises
    ------
    InputError
        A cell is something else.
    """
    values = _plain(cells)
    if values is None:
        values = np.array([_duration(fault, index, cell, what, unit) for index, cell in enumerate(cells)])
    unknown = np.isnan(values) | (values == UNKNOWN)
    lasting = np.ceil(np.round(values * unit.numerator / unit.denominator, 6))  # 1.1 min is not 67 s
    if (~unknown & (np.abs(lasting) >= LATEST)).any():
        index = int((~unknown & (np.abs(lasting) >= LATEST)).argmax())
        raise fault(index, f"{what} is {in_quotes(cells[index])}, which is longer than seven thousand years")
    return np.where(unknown, missing, lasting).astype(np.int64)


def _duration(fault: Fault, index: int, cell: str, what: str, unit: Fraction) -> float:
    """Return a duration in its unit, NaN if there is none."""
    lasting = seconds(DAYS.sub(r"\1-", cell)) if ":" in cell else None
    if lasting is not None:
        return lasting * unit.denominator / unit.numerator
    return _decimal(fault, index, cell, what, "a number or [D-]HH:MM:SS")


def fractions(cells: Sequence[str], unit: Fraction) -> Mask:
    """Return which times or durations are no whole seconds, (n,), also as text.

    Examples
    --------
    >>> fractions(["2", "2.5", "0:01.5", "2026-11-22T12:00:00.250Z", ""], Fraction(1)).tolist()
    [False, True, True, True, False]
    """
    if unit.denominator == 1 and not {".", ","} & {*"".join(cells)}:
        return np.zeros(len(cells), dtype=np.bool_)
    values = _plain(cells)
    if values is None:
        values = np.array([_number_or_rest(cell, unit) for cell in cells])
    lasting = np.round(values * unit.numerator / unit.denominator, 6)
    has_rest: Mask = lasting != np.floor(lasting)
    return has_rest


def _number_or_rest(cell: str, unit: Fraction) -> float:
    """Return a number, or what a text has behind the seconds, in its unit; 0 for what is none."""
    text = cell.replace(",", ".", 1)
    if NUMBER.fullmatch(text):
        return float(text)
    rest = OF_SECOND.search(text)
    return float(rest[1]) * unit.denominator / unit.numerator if rest else 0.0


def limits(fault: Fault, cells: Sequence[str], what: str, unit: Fraction) -> Ints:
    """Return requested times, (n,) s; 0 where there is none, also for words and numbers of Slurm that mean none."""
    return durations(fault, ["" if cell.lower().removesuffix(".0") in NO_LIMIT else cell for cell in cells], what, unit)


def kilobytes(fault: Fault, cells: Sequence[str], what: str) -> Ints:
    """Return sizes of memory such as 4G, 4000M, 512 MiB or 4096, which is MiB, (n,) kilobytes; -1 where unknown.

    Raises
    ------
    InputError
        A cell is something else.
    """
    of_text = {cell: _kilobytes(cell) for cell in set(cells)}
    values = [of_text[cell] for cell in cells]
    if None in values:
        cell = in_quotes(cells[values.index(None)])
        raise fault(values.index(None), f"{what} is {cell}, but must be MiB, or a size such as 4G or 4000M")
    return np.array(values, dtype=np.int64)


def _kilobytes(cell: str) -> int | None:
    """Return a size in kilobytes, rounded up, -1 if there is none, None if it is no size that any machine has."""
    if is_missing(cell) or cell == "-1":
        return UNKNOWN
    match = SIZE.fullmatch(cell)
    if match is None:
        return None
    number, unit, byte = match.groups()
    bytes_alone = bool(byte) and not unit
    size = math.ceil(float(number) * (1 / KIB if bytes_alone else KILOBYTES[unit.upper()]))
    return size if size <= MOST_KILOBYTES else None


def states(cells: Sequence[str], others: Mapping[str, str]) -> Ints:
    """Return how jobs ended, (n,): COMPLETED, FAILED, CANCELLED, OPEN if they had not, ODD for other words.

    Parameters
    ----------
    cells
        The words; "CANCELLED by 1000" is "cancelled".
    others
        Words with another meaning, and the usual word for each.
    """
    of_text = {cell: _state(others.get(cell, cell)) for cell in set(cells)}
    return np.array([of_text[cell] for cell in cells], dtype=np.int64)


def _state(text: str) -> int:
    """Return how a job ended, by a word; no word is a completed job."""
    if is_missing(text):
        return COMPLETED
    word = text.lower().partition(" ")[0]
    return STATES.get(word.rstrip("+").replace("-", "_"), slurm_state(word))


def exclusive(fault: Fault, cells: Sequence[str], what: str) -> Ints:
    """Return whether jobs want whole nodes, (n,): 1 if so, 0 if not or unknown, -1 if only against other users.

    Raises
    ------
    InputError
        A cell is another word.
    """
    of_text = {cell: 0 if is_missing(cell) else WHOLE.get(cell.lower()) for cell in set(cells)}
    values = [of_text[cell] for cell in cells]
    if None in values:
        index = values.index(None)
        raise fault(index, f"{what} is {in_quotes(cells[index])}, but must be yes, no or user")
    return np.array(values, dtype=np.int64)


def _refuse_negative(fault: Fault, cells: Sequence[str], what: str, bad: Mask) -> None:
    """Refuse numbers that a mask marks."""
    if bad.any():
        index = int(bad.argmax())
        raise fault(index, f"{what} is {in_quotes(cells[index])}, but must be at least 0")
