"""When processors of a machine were down: what of its capacity no job may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Ints
from ..core.errors import InputError, number_of
from ..core.notebook import html_table

LATEST = 2**53  # s, so that they survive JSON
MOST = 2**31 - 1  # processors
COLUMNS = ("begin", "end", "processors")


@dataclass(frozen=True, eq=False, repr=False)
class DownTimes:
    """Times in which some processors are down, by second and without overlap; before, between and after, all are up.

    All schedulers know them beforehand, as reservations: no job is started that could still run, by its request, on a
    processor that is down.

    Parameters
    ----------
    begin, end
        (k,) whole seconds of the log, half open, ascending: 0 <= begin[i] < end[i] <= begin[i + 1].
    processors
        (k,) processors that are down in each of them, at least 1.

    Raises
    ------
    InputError
        An array has the wrong length or type, or breaks its rule.

    Examples
    --------
    >>> DownTimes([10, 30], [20, 40], [2, 8])
    <DownTimes: 2 times in seconds 10..40, at most 8 processors>
    """

    begin: Ints
    end: Ints
    processors: Ints

    def __post_init__(self) -> None:
        for key in COLUMNS:
            object.__setattr__(self, key, _column(key, getattr(self, key)))
        sizes = [getattr(self, key).size for key in COLUMNS]
        if len(set(sizes)) > 1:
            raise InputError(f"down times must have as many begins as ends and processors, but have {sizes}")
        before = np.append(0, self.end[:-1])
        rules = [
            ("begin at second 0 or after the end of the one before", self.begin < before),
            (f"end after their begin and before second {LATEST}", (self.end <= self.begin) | (self.end >= LATEST)),
            (f"be of 1..{MOST} processors", (self.processors < 1) | (self.processors > MOST)),
        ]
        for rule, mask in rules:
            if mask.any():
                i = int(np.argmax(mask))
                raise InputError(
                    f"down times must {rule}, but number {i + 1} is {self.begin[i]}..{self.end[i]} s with "
                    f"{self.processors[i]} processors"
                )

    def __len__(self) -> int:
        return int(self.begin.size)

    def __repr__(self) -> str:
        if not len(self):
            return "<DownTimes: none>"
        span = f"{self.begin[0]}..{self.end[-1]}"
        most = number_of(self.most, "processor")
        return f"<DownTimes: {number_of(len(self), 'time')} in seconds {span}, at most {most}>"

    def _repr_html_(self) -> str:
        rows = zip(*(getattr(self, key)[:10].tolist() for key in COLUMNS), strict=True)
        return html_table(repr(self).strip("<>"), COLUMNS, [*rows])

    def __reduce__(self) -> tuple[Any, ...]:
        return DownTimes, (self.begin, self.end, self.processors)  # arrays become read-only again, as kernels need them

    @property
    def most(self) -> int:
        """Return the largest number of processors that are down at one time."""
        return int(self.processors.max(initial=0))

    @property
    def last_end(self) -> int:
        """Return the second from which on all processors are up for good."""
        return int(self.end[-1]) if len(self) else 0

    def processor_seconds(self, since: int, until: int) -> int:
        """Return how many processor seconds are down from one second to another one.

        Examples
        --------
        >>> DownTimes([10, 30], [20, 40], [2, 8]).processor_seconds(15, 31)
        18
        """
        length = np.clip(self.end, since, until) - np.clip(self.begin, since, until)
        return sum(s * p for s, p in zip(length.tolist(), self.processors.tolist(), strict=True))

    def columns(self) -> dict[str, list[int]]:
        """Return the three columns as plain lists, for JSON."""
        return {key: getattr(self, key).tolist() for key in COLUMNS}


def down_times_of(columns: Mapping[str, Any]) -> DownTimes:
    """Return the down times whose plain columns are as `DownTimes.columns` returns them."""
    if not isinstance(columns, Mapping) or set(columns) != set(COLUMNS):
        raise InputError(f"down times must have the columns {', '.join(COLUMNS)}, but have others")
    return DownTimes(**columns)


def down_together(begin: ArrayLike, end: ArrayLike, processors: ArrayLike) -> DownTimes:
    """Return the down times of intervals, (k,) each, that may overlap: their processors add up.

    Examples
    --------
    >>> d = down_together([0, 5, 20], [10, 20, 30], [1, 2, 2])
    >>> d.begin.tolist(), d.end.tolist(), d.processors.tolist()
    ([0, 5, 10], [5, 10, 30], [1, 3, 2])
    """
    first, last, width = (_column(key, each) for key, each in zip(COLUMNS, (begin, end, processors), strict=True))
    when, place = np.unique(np.concatenate([first, last]), return_inverse=True)
    change = np.zeros(when.size, dtype=np.int64)
    np.add.at(change, place, np.concatenate([width, -width]))
    down = np.cumsum(change)
    kept = np.append(True, down[1:] != down[:-1]) if when.size else np.zeros(0, dtype=np.bool_)
    when, down = when[kept], down[kept]
    some = np.flatnonzero(down > 0)
    return DownTimes(when[some], when[some + 1], down[some])


def _column(key: str, value: ArrayLike) -> Ints:
    """Return a column, (k,) int64, read-only; raise InputError if it is none."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise InputError(f"{key} of down times must be a list of whole numbers, but is ragged") from None
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (array.dtype.kind == "u" and array.max() >= LATEST):
        raise InputError(
            f"{key} of down times must be a list of whole numbers, but has type {array.dtype} and shape {array.shape}"
        )
    copy = np.array(array, dtype=np.int64, order="C")
    copy.flags.writeable = False
    return copy
