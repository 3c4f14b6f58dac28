"""The fields of the job lines of a log, in as little memory as holds them exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats, read_only
from ..core.errors import InputError

WIDTHS = (np.int8, np.int16, np.int32, np.int64)


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Numbers in rows and columns, like a read-only array of float64.

    Each column has the smallest type that holds its numbers; one number for all rows is stored once. A log of a
    million jobs takes 30 to 50 MB, where an array takes 144 MB. `records[row, column]`, and any other index of
    numpy, returns what an array of float64 returns; `np.asarray(records)` is the whole array.

    Parameters
    ----------
    columns
        Read-only columns, (n,) each, whole numbers or float64, see `pack`.

    Examples
    --------
    >>> records = Records.of([[1, 0.5], [2, 0.25]])
    >>> float(records[1, 0]), records[:, 1].tolist(), records.shape
    (2.0, [0.5, 0.25], (2, 2))
    """

    columns: tuple[NDArray[Any], ...]

    @classmethod
    def of(cls, array: ArrayLike) -> Records:
        """Return the records of an array, (rows, columns)."""
        numbers = np.asarray(array, dtype=np.float64)
        if numbers.ndim != 2:
            raise InputError(f"records must be a table of numbers, but have shape {numbers.shape}")
        return cls(tuple(pack(column) for column in numbers.T))

    @property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of rows and columns."""
        return (self.columns[0].size if self.columns else 0), len(self.columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("records are no array in memory, so an array of them is always a copy")
        table = np.empty(self.shape, dtype=np.float64 if dtype is None else dtype)
        for place, column in enumerate(self.columns):
            table[:, place] = column
        return table

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], int | np.integer):
            return self.columns[key[1]][key[0]].astype(np.float64)
        return np.asarray(self)[key]

    def column(self, place: int) -> Floats:
        """Return a column as a new array, (n,) float64."""
        return self.columns[place].astype(np.float64)

    def take(self, rows: NDArray[Any]) -> Records:
        """Return some rows, (m,) indices or (n,) truth values, as records of their own."""
        return Records(tuple(_rows_of(column, rows) for column in self.columns))

    def with_columns(self, changes: dict[int, ArrayLike]) -> Records:
        """Return records with other numbers in some columns, by the place of the column."""
        n = len(self)
        columns = list(self.columns)
        for place, numbers in changes.items():
            columns[place] = pack(np.broadcast_to(np.asarray(numbers, dtype=np.float64), n))
        return Records(tuple(columns))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_pickle, (len(self), tuple(_for_pickle(column) for column in self.columns)))


def pack(numbers: NDArray[Any], whole: bool | None = None) -> NDArray[Any]:
    """Return numbers, (n,), as a read-only array of the smallest type that holds them exactly.

    Parameters
    ----------
    numbers
        Of any type of numbers, each below 2^53.
    whole
        Whether they are known to have no fractions; None: find it out.

    Examples
    --------
    >>> pack(np.array([3.0, 300.0])).dtype, pack(np.array([0.5])).dtype
    (dtype('int16'), dtype('float64'))
    """
    if numbers.size == 0:
        return np.zeros(0, dtype=np.int8)
    low, high = numbers.min(), numbers.max()
    if not (np.isfinite(low) and np.isfinite(high)):
        return read_only(np.array(numbers, dtype=np.float64))
    if whole is None:
        whole = bool(abs(low) < 2**53 and abs(high) < 2**53 and not np.any(numbers % 1))
    kind = _smallest(int(low), int(high)) if whole else np.dtype(np.float64)
    if low == high:
        return np.broadcast_to(np.array(low, dtype=kind), numbers.shape)
    return read_only(np.array(numbers, dtype=kind))


def join_pieces(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Return packed pieces of a column, one below the other, as one packed column."""
    n = sum(part.size for part in parts)
    kind = np.result_type(*parts)
    if all(_is_one_number(part) and part[0] == parts[0][0] for part in parts):
        return np.broadcast_to(np.array(parts[0][0], dtype=kind), n)
    column = np.empty(n, dtype=kind)
    np.concatenate(parts, out=column)
    return read_only(column)


def _smallest(low: int, high: int) -> np.dtype[Any]:
    """Return the smallest type of whole numbers that holds these two."""
    return next(np.dtype(kind) for kind in WIDTHS if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)


def _is_one_number(column: NDArray[Any]) -> bool:
    """Return whether a column stores one number for all its rows."""
    return column.strides == (0,)


def _rows_of(column: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    """Return some rows of a column, by their indices or by truth values."""
    count = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else rows.size
    return np.broadcast_to(column[0], count) if _is_one_number(column) and count else read_only(column[rows])


def _for_pickle(column: NDArray[Any]) -> NDArray[Any]:
    """Return what a pickle needs of a column."""
    return column[:1] if _is_one_number(column) else column


def _from_pickle(n: int, columns: Iterable[NDArray[Any]]) -> Records:
    """Return the records in a pickle."""
    return Records(
        tuple(np.broadcast_to(column[0], n) if column.size == 1 != n else read_only(column) for column in columns)
    )
