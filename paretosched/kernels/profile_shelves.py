"""The free processors of a machine over all of a schedule, in shelves of breakpoints, for long profiles.

As in `profile.py`, a breakpoint has the number of processors that are free from its time on, and the last one has no
end. Here breakpoints are on shelves of at most MOST, and a list of the shelves has the least and the greatest room on
each. A search passes over shelves that are too narrow everywhere or wide enough everywhere. A job that covers whole
shelves is subtracted from them as a `shift`. An insertion moves part of one shelf. Room is only taken, never freed, so
that shelves are split but never joined.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int, Ints
from .compiling import njit

MOST = 128  # breakpoints
POINT = np.dtype([("when", "i8"), ("room", "i8")])
SHELF = np.dtype([("since", "i8"), ("least", "i4"), ("most", "i4"), ("shift", "i4"), ("size", "i4"), ("place", "i8")])


class Vacancy(NamedTuple):
    """The shelves.

    Attributes
    ----------
    points
        (shelves, MOST) POINT, s and processors, ascending on a shelf. The true room is `room` plus the shift of the
        shelf.
    shelves
        (shelves,) SHELF, in the order of time: the begin of each shelf, the least and the greatest true room on it, the
        shift of its rooms, how many breakpoints it has, and its row of `points`.
    in_use
        (1,) int64, how many shelves there are.
    """

    points: NDArray[np.void]
    shelves: NDArray[np.void]
    in_use: Ints


def vacancy(jobs: Int) -> Vacancy:
    """Return shelves for the breakpoints of `jobs` jobs; `clear` must be called before their first use."""
    # A half of a shelf doubles before it is split again. Memory that is not touched costs nothing.
    shelves = 4 * jobs // MOST + 2
    return Vacancy(np.empty((shelves, MOST), POINT), np.empty(shelves, SHELF), np.zeros(1, np.int64))


@njit(cache=True, nogil=True, _nrt=False)
def clear(v: Vacancy, t: Int, free: Int) -> None:
    """Set up in v, modified in place, the profile of a machine with `free` processors from second t on."""
    v.points[0, 0]["when"] = t
    v.points[0, 0]["room"] = free
    v.shelves[0]["since"] = t
    v.shelves[0]["shift"] = 0
    v.shelves[0]["size"] = 1
    v.shelves[0]["place"] = 0
    v.in_use[0] = 1
    _measure(v, np.int64(0))


# Functions that are called for every job are compiled into their callers: passing the arrays costs a fifth otherwise.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def earliest(v: Vacancy, after: Int, width: Int, length: Int) -> Int:
    """Return the earliest start, s, not before `after`, from which `width` processors are free for `length` seconds.

    v is not changed.
    """
    shelves = v.shelves
    k, i = _seek(v, after)
    while True:
        row = shelves[k]["place"]
        least = width - shelves[k]["shift"]
        size = shelves[k]["size"]
        while i < size and v.points[row, i]["room"] < least:
            i += 1
        if i == size:
            k += 1
            while shelves[k]["most"] < width:  # in the end the machine is empty
                k += 1
            i = 0
            continue
        begin = max(v.points[row, i]["when"], after)
        end = begin + length
        i += 1
        while True:
            while i < size and v.points[row, i]["when"] < end and v.points[row, i]["room"] >= least:
                i += 1
            if i < size:
                break
            k += 1
            while k < v.in_use[0] and shelves[k]["since"] < end and shelves[k]["least"] >= width:
                k += 1
            if k == v.in_use[0] or shelves[k]["since"] >= end:
                return begin
            row = shelves[k]["place"]
            least = width - shelves[k]["shift"]
            size = shelves[k]["size"]
            i = 0
        if v.points[row, i]["when"] >= end:
            return begin


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def _seek(v: Vacancy, t: Int) -> tuple[Int, Int]:
    """Return the shelf of v of the breakpoint that holds second t, and its place there; the first is never after t."""
    k: Int = np.int64(0)
    count = v.in_use[0]
    while count > 1:
        half = count >> 1
        if v.shelves[k + half]["since"] <= t:
            k += half
        count -= half
    row = v.shelves[k]["place"]
    i: Int = np.int64(0)
    count = np.int64(v.shelves[k]["size"])
    while count > 1:
        half = count >> 1
        if v.points[row, i + half]["when"] <= t:
            i += half
        count -= half
    return k, i


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def take(v: Vacancy, begin: Int, end: Int, width: Int) -> None:
    """Take `width` processors in the seconds [begin, end), where they are free; v is modified in place."""
    _cut(v, begin)
    _cut(v, end)
    first, i = _seek(v, begin)
    last, j = _seek(v, end)
    for k in range(first, last + 1):
        shelf = v.shelves[k]
        if first < k < last:
            shelf["shift"] -= width
            shelf["least"] -= width
            shelf["most"] -= width
            continue
        for p in range(i if k == first else 0, j if k == last else shelf["size"]):
            v.points[shelf["place"], p]["room"] -= width
        _measure(v, k)


@njit(cache=True, nogil=True, _nrt=False)
def _cut(v: Vacancy, t: Int) -> None:
    """Insert a breakpoint at second t if there is none, on a shelf that is split first if it is full; v is modified."""
    k, i = _seek(v, t)
    row = v.shelves[k]["place"]
    if v.points[row, i]["when"] == t:
        return
    if v.shelves[k]["size"] == MOST:
        _split(v, k)
        k, i = _seek(v, t)
        row = v.shelves[k]["place"]
    for p in range(v.shelves[k]["size"], i + 1, -1):
        v.points[row, p] = v.points[row, p - 1]
    v.points[row, i + 1]["when"] = t
    v.points[row, i + 1]["room"] = v.points[row, i]["room"]
    v.shelves[k]["size"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def _split(v: Vacancy, k: Int) -> None:
    """Move the upper half of shelf k to a new shelf behind it; v is modified in place."""
    new = v.in_use[0]
    for other in range(new, k + 1, -1):
        v.shelves[other] = v.shelves[other - 1]
    v.shelves[k + 1] = v.shelves[k]
    v.in_use[0] += 1
    row = v.shelves[k]["place"]
    for p in range(MOST // 2):
        v.points[new, p] = v.points[row, MOST // 2 + p]
    v.shelves[k]["size"] = MOST // 2
    v.shelves[k + 1]["size"] = MOST // 2
    v.shelves[k + 1]["place"] = new
    v.shelves[k + 1]["since"] = v.points[new, 0]["when"]
    _measure(v, k)
    _measure(v, k + 1)


@njit(cache=True, nogil=True, _nrt=False)
def _measure(v: Vacancy, k: Int) -> None:
    """Note the least and the greatest room on shelf k; v is modified in place."""
    shelf = v.shelves[k]
    row = shelf["place"]
    least = v.points[row, 0]["room"]
    most = least
    for p in range(1, shelf["size"]):
        least = min(least, v.points[row, p]["room"])
        most = max(most, v.points[row, p]["room"])
    shelf["least"] = least + shelf["shift"]
    shelf["most"] = most + shelf["shift"]
