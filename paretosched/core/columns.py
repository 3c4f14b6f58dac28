"""Columns of whole numbers, one for each job: checked, and read-only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Ints, read_only
from .errors import InputError


def as_array(key: str, value: ArrayLike) -> NDArray[Any]:
    """Return a value as an array."""
    try:
        return np.asarray(value)
    except ValueError:
        raise InputError(f"{key} must have one entry a job, but is ragged") from None


def whole_array(key: str, value: ArrayLike, n: int) -> Ints:
    """Return `value`, (n,) int64, read-only; raise InputError with the name `key` if it is none.

    It is a copy, unless the array can no longer be changed.
    """
    array = as_array(key, value)
    if array.dtype == np.int64 and array.shape == (n,) and array.flags.c_contiguous and is_frozen(array):
        return array
    if array.shape != (n,):
        raise InputError(f"{key} must have one entry a job, shape ({n},), but has shape {array.shape}")
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        raise InputError(f"{key} must fit 64-bit signed integers, but its largest entry is {array.max()}")
    if array.dtype.kind not in "iu":
        raise InputError(f"{key} must be whole numbers, but its type is {array.dtype}")
    return read_only(np.array(array, dtype=np.int64, order="C"))


def is_frozen(array: NDArray[Any]) -> bool:
    """Return whether an array is read-only and no view of an array that is not."""
    return not array.flags.writeable and array.base is None
