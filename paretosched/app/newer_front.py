"""The front on the page and the one on disk: a run that goes on, or a front that is merged again, has more schedules.

A row number means a schedule only together with the front that it is a row of. So every answer of the page and every
action of the browser names its front by a digest.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files import is_file
from ..core.run_files import STORE_FILE
from ..fronts.front import Front

PAUSE = 20  # times as long as reading took: so long nothing is read again


def digest_of(front: Front) -> str:
    """Return a digest of what the rows of a front are: 16 hexadecimal digits."""
    names = "\n".join([front.digest, *(origin.name for origin in front.origins)])
    parts = (names.encode(), front.values.tobytes(), front.origin.tobytes(), front.evaluation.tobytes())
    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()[:16]


def stamp(path: str | os.PathLike[str]) -> tuple[Any, ...]:
    """Return what is different when the file of a front, or the store of a run, was written again."""
    place = Path(path)
    files = [place] if is_file(place) else [place / STORE_FILE, place / f"{STORE_FILE}-wal"]
    marks = []
    for file in files:
        try:
            status = file.stat()
            marks.append((status.st_mtime_ns, status.st_size, status.st_ino))
        except OSError:  # it is being replaced at this moment, or a store has no such file
            marks.append((0, 0, 0))
    return tuple(marks)


def watcher(path: str | os.PathLike[str], read: Callable[[], Front]) -> Callable[[], Front | None]:
    """Return a function that returns the front on disk when it has changed; None as long as it has not.

    Parameters
    ----------
    path
        Run directory or front file.
    read
        Returns the front that is there now; raises InputError if it cannot be read, such as one half written. Then it
        is read again when the file changes once more.
    """
    last, not_before = stamp(path), 0.0

    def look() -> Front | None:
        nonlocal last, not_before
        now = stamp(path)
        if now == last or time.monotonic() < not_before:
            return None
        last, begin = now, time.monotonic()
        try:
            return read()
        except InputError:
            return None
        finally:
            not_before = time.monotonic() + PAUSE * (time.monotonic() - begin)

    return look
