"""A disk that is small, so that it can be filled, and that can be made read-only."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path, size: str = "1m") -> Iterator[Callable[[bool], None]]:
    """Mount a disk in memory, which only root may, and yield a function that makes it writable or read-only."""
    place.mkdir()
    if os.getuid() != 0 or _mount("-t", "tmpfs", "-o", f"size={size}", "none", place).returncode:
        pytest.skip("RUN WITHOUT THE RIGHT TO MOUNT: full and read-only disks were not tried")
    try:
        yield lambda writable: _mount("-o", "remount,rw" if writable else "remount,ro", place).check_returncode()
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def _mount(*words: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["mount", *map(str, words)], check=False, capture_output=True)
