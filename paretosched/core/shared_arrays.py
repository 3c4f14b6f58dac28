"""A table of arrays in memory that the processes of a pool share: what one has computed, another one need not.

The memory has no name: it is given to processes when they are started, no other account can see it, and the system
takes it back with the last of them. Each place of the table has a lock of its own, which the system takes back when a
process is killed. No process waits for another one: who finds a place locked does without it.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import assert_spawning
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

if sys.platform == "linux":
    import fcntl

LABEL = 64  # bytes before an array: one more than the length of its key, and the key; zeros where there is none


class SharedArrays:
    """Arrays of n int32, each at the place of its number, until one with another key comes there.

    It can be sent to a process that is being started, and only then.

    Parameters
    ----------
    size
        n.
    most_bytes
        Of memory, for as many places as there is room for.

    Attributes
    ----------
    places
        How many there are: 0 where the system has no such memory, as only Linux has it, or not enough.
    """

    def __init__(self, size: int, most_bytes: int) -> None:
        stride = LABEL + 4 * size
        self._attach(stride, _memory(most_bytes // stride * stride))

    def _attach(self, stride: int, handle: int | None) -> None:
        """Use memory that is there."""
        self._stride, self._handle = stride, handle
        self._lock = Lock()  # those of the system are no locks among threads
        self._map: mmap.mmap | None = None
        self.places = 0
        if handle is not None:
            with suppress(OSError):  # this process may have too little
                self._map = mmap.mmap(handle, os.fstat(handle).st_size)
                self.places = len(self._map) // stride

    def __reduce__(self) -> tuple[Any, ...]:
        assert_spawning(self)
        from multiprocessing.reduction import DupFd

        return _table_in, (self._stride, None if self._handle is None else DupFd(self._handle))

    def get(self, number: int, key: bytes) -> NDArray[np.int32] | None:
        """Return a copy of an array, (n,) int32; None if it is not there, or is being written."""
        with self._with_lock(number, is_writing=False) as place:
            if place is not None and place[:LABEL].tobytes() == _label(key):
                return place[LABEL:].view(np.int32).copy()
        return None

    def put(self, number: int, key: bytes, array: NDArray[np.int32]) -> None:
        """Keep a copy of an array, (n,) int32, with a key of 63 bytes at most, unless its place is in use now."""
        with self._with_lock(number, is_writing=True) as place:
            if place is not None:
                place[:LABEL] = 0  # who is killed now leaves nothing that has a key
                place[LABEL:].view(np.int32)[:] = array
                place[:LABEL] = np.frombuffer(_label(key), np.uint8)

    def close(self) -> None:
        """Give the memory back, as far as this process is concerned."""
        with self._lock:
            self.places = 0
            if self._handle is not None:
                os.close(self._handle)
            self._handle = self._map = None

    @contextmanager
    def _with_lock(self, number: int, *, is_writing: bool) -> Iterator[NDArray[np.uint8] | None]:
        """Yield the place of a number, as bytes, locked; None if that cannot be had now."""
        with self._lock:
            if self._handle is None or self._map is None:
                yield None
                return
            begin = number % self.places * self._stride
            try:
                fcntl.lockf(self._handle, (fcntl.LOCK_EX if is_writing else fcntl.LOCK_SH) | fcntl.LOCK_NB, 1, begin)
            except OSError:
                yield None
                return
            try:
                yield np.frombuffer(self._map, np.uint8, self._stride, begin)
            finally:
                fcntl.lockf(self._handle, fcntl.LOCK_UN, 1, begin)


def _memory(size: int) -> int | None:
    """Return a handle of so many bytes of memory without a name; None if there are none."""
    if sys.platform != "linux" or not hasattr(os, "memfd_create") or not size:  # many a Python is built without it
        return None
    try:
        handle = os.memfd_create("paretosched")
    except OSError:
        return None
    try:
        os.ftruncate(handle, size)
    except OSError:  # files of this process may not be as large
        os.close(handle)
        return None
    return handle


def _table_in(stride: int, memory: Any) -> SharedArrays:
    """Return a table in the memory of the process that has started this one."""
    table = SharedArrays.__new__(SharedArrays)
    table._attach(stride, None if memory is None else memory.detach())
    return table


def _label(key: bytes) -> bytes:
    """Return what stands before an array."""
    return bytes([1 + len(key)]) + key.ljust(LABEL - 1, b"\0")
