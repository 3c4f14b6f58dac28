"""The types of arrays, under one name in all modules; and the different numbers in one."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Order = NDArray[np.int32]  # rows of a workload, or places in an order of them
A = TypeVar("A", bound=NDArray[Any])
Int = int | np.int64  # a whole number in compiled code, where both are the same
DENSE = 8  # numbers are counted in a table if it is at most so many times as long as there are numbers


def read_only(array: A) -> A:
    """Return an array, into which nothing can be written any more."""
    array.flags.writeable = False
    return array


def rows_alike(*columns: Ints) -> list[tuple[list[int], Ints]]:
    """Return the different rows of (n,) columns, ascending, and of each the places at which it is, (k,) int64.

    Examples
    --------
    >>> [(row, places.tolist()) for row, places in rows_alike(np.array([7, 3, 7]), np.array([0, 1, 0]))]
    [([3, 1], [1]), ([7, 0], [0, 2])]
    """
    rows, number = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    ends = np.cumsum(np.bincount(number.reshape(-1), minlength=len(rows)))
    places = np.split(np.argsort(number.reshape(-1), kind="stable"), ends[:-1])
    return [*zip(rows.tolist(), places, strict=True)]


def distinct(numbers: NDArray[Any]) -> tuple[NDArray[Any], Ints]:
    """Return the different ones of (n,) numbers, ascending, and the index of each number among them, (n,) int64.

    Examples
    --------
    >>> [row.tolist() for row in distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    if numbers.dtype == np.int64 and len(numbers):
        low = int(numbers.min())
        if int(numbers.max()) - low <= DENSE * len(numbers):
            counted = np.bincount(numbers - low) > 0
            return np.flatnonzero(counted) + low, (np.cumsum(counted) - 1)[numbers - low]
    values, number = np.unique(numbers, return_inverse=True)
    return values, number
