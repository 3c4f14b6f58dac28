"""Read the numbers of job lines from the bytes of a log."""

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Int, Ints, Mask
from .compiling import njit

DONE, FULL, UNUSUAL, TOO_LONG = range(4)
SPACE, TAB, NEWLINE, RETURN, MINUS, POINT, ZERO, NINE, SEMICOLON = b" \t\n\r-.09;"
MOST_DIGITS = 15  # such a number, and the power of ten that it is divided by, are exact in float64
TENS = 10.0 ** np.arange(MOST_DIGITS + 1)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _is_blank(letter: Int) -> bool:
    """Return whether `letter`, a byte, separates the numbers of a line."""
    return letter in (SPACE, TAB)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _ends_line(letter: Int) -> bool:
    """Return whether `letter`, a byte, ends a line."""
    return letter in (NEWLINE, RETURN)


@njit(cache=True, nogil=True, _nrt=False)
def read_lines(
    text: NDArray[np.uint8],
    begin: Int,
    number: Int,
    longest: Int,
    fields: Floats,
    rests: Ints,
    lines: Ints,
    fractions: Mask,
    comments: Ints,
) -> tuple[Int, Int, Int, Int, int]:
    """Read lines until the text ends, an output array is full, or a line needs the exact parser.

    Parameters
    ----------
    text
        (bytes,) uint8; it ends with a line.
    begin, number
        First byte to read, and the number of lines before it.
    longest
        Most bytes of a line.
    fields
        (columns, rows) float64, filled in place: the first numbers of each job line.
    rests
        (rows, 2) int64, filled in place: first byte, and byte after the last one, of what is behind them.
    lines
        (rows,) int64, filled in place: the number of each job line.
    fractions
        (columns,) bool, set where a number was written with a decimal point.
    comments
        (m, 3) int64, filled in place: first byte, byte after the last one, and number of each comment line.

    Returns
    -------
    position, number, rows, remarks, status
        The first byte that was not read, the number of lines before it, the numbers of job lines and comment lines
        that were read, and DONE, FULL, UNUSUAL (the line is no plain list of numbers) or TOO_LONG.
    """
    end = text.size
    p: Int = begin
    rows = 0
    remarks = 0
    while p < end:
        if rows == lines.size or remarks == len(comments):
            return p, number, rows, remarks, FULL
        first = p
        while p < end and _is_blank(text[p]):
            p += 1
        if p < end and text[p] == SEMICOLON:
            comments[remarks, 0] = p
            while p < end and not _ends_line(text[p]):
                p += 1
            comments[remarks, 1] = p
            comments[remarks, 2] = number + 1
            remarks += 1
        elif p < end and not _ends_line(text[p]):
            for column in range(len(fields)):
                while p < end and _is_blank(text[p]):
                    p += 1
                negative = p < end and text[p] == MINUS
                p += negative
                value: Int = np.int64(0)
                begin_of_number = p
                while p < end and ZERO <= text[p] <= NINE:
                    value = 10 * value + (np.int64(text[p]) - ZERO)
                    p += 1
                digits = p - begin_of_number
                places: Int = np.int64(0)
                if digits > 0 and p < end and text[p] == POINT:
                    p += 1
                    begin_of_places = p
                    while p < end and ZERO <= text[p] <= NINE:
                        value = 10 * value + (np.int64(text[p]) - ZERO)
                        p += 1
                    places = p - begin_of_places
                    fractions[column] = True
                    if places == 0:
                        digits = 0
                ended = p == end or _is_blank(text[p]) or _ends_line(text[p])
                if digits == 0 or digits + places > MOST_DIGITS or not ended:
                    return first, number, rows, remarks, UNUSUAL
                number_read = np.float64(value)
                if places > 0:
                    number_read /= TENS[places]
                fields[column, rows] = -number_read if negative else number_read
            while p < end and _is_blank(text[p]):
                p += 1
            rests[rows, 0] = p
            while p < end and not _ends_line(text[p]):
                p += 1
            rests[rows, 1] = p
            lines[rows] = number + 1
            rows += 1
        if p - first > longest:
            return first, number, rows, remarks, TOO_LONG
        number += 1
        if p < end:
            p += 2 if text[p] == RETURN and p + 1 < end and text[p + 1] == NEWLINE else 1
    return p, number, rows, remarks, DONE
