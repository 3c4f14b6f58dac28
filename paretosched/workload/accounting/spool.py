"""Job lives on disk, until all are read and can be put in order: so that memory does not grow with their columns."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints
from ...core.errors import InputError
from ...core.limits import Limits, check_limit, limits_in_force
from .lives import LIFE

SMALL = np.iinfo(np.int32)
AT_ONCE = 1 << 16  # rows that are read at a time


class Spool:
    """A temporary file of lives; it has no name, so that nothing is left of it however the process ends.

    Parameters
    ----------
    folder
        Where it is; None for the folder of temporary files.
    place
        The name of what is read, for messages.
    """

    def __init__(self, folder: Path | None, place: str) -> None:
        self.place = place
        self.size = 0
        self.ranges: dict[str, tuple[int, int]] = {}
        try:
            self.file = tempfile.TemporaryFile(dir=folder, prefix=".paretosched-")  # noqa: SIM115  # closed by `close`
        except OSError as error:
            raise InputError(f"{folder or tempfile.gettempdir()}: cannot write here: {error.strerror}") from None

    def add(self, lives: NDArray[Any]) -> None:
        """Add lives, (k,) of type LIFE."""
        self.size += lives.size
        for name in LIFE.names or () if lives.size else ():
            low, high = self.ranges.get(name, (0, 0))
            self.ranges[name] = (min(low, int(lives[name].min())), max(high, int(lives[name].max())))
        limits, usual = limits_in_force(), Limits()
        is_own = limits.lives != usual.lives or limits.jobs == usual.jobs  # a changed limit of jobs counts here, too
        check_limit(self.place, "lives" if is_own else "jobs", self.size)
        try:
            self.file.write(lives.tobytes())
        except OSError as error:
            raise InputError(f"temporary file for {self.place}: cannot write: {error.strerror}") from None

    def columns(self, *names: str) -> list[NDArray[Any]]:
        """Return some columns, (n,) each: int32 where all numbers fit, else int64."""
        self.file.flush()
        columns = [np.empty(self.size, dtype=np.int32 if self._is_small(name) else np.int64) for name in names]
        for first in range(0, self.size, AT_ONCE):
            count = min(AT_ONCE, self.size - first)
            rows = np.frombuffer(os.pread(self.file.fileno(), count * LIFE.itemsize, first * LIFE.itemsize), dtype=LIFE)
            for column, name in zip(columns, names, strict=True):
                column[first : first + count] = rows[name]
        return columns

    def rows(self, places: Ints) -> NDArray[Any]:
        """Return some lives, (k,) of type LIFE."""
        whole = np.memmap(self.file, dtype=LIFE, mode="r", shape=(self.size,))  # unmapped when it is freed
        return np.array(whole[places])

    def _is_small(self, name: str) -> bool:
        """Return whether the numbers of a column fit 32 bits."""
        low, high = self.ranges.get(name, (0, 0))
        return SMALL.min <= low and high <= SMALL.max

    def close(self) -> None:
        """Free the disk."""
        self.file.close()


def as_small(numbers: Ints) -> NDArray[Any]:
    """Return whole numbers from 0 on, (n,), as int32 where all fit."""
    return numbers.astype(np.int32) if int(numbers.max(initial=0)) <= SMALL.max else numbers
