"""Locks of directories: one process at a time writes a run, or keeps the work of a page."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path

from .errors import InputError

try:
    import fcntl
except ImportError:  # there is none on Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 0.2  # s; a process that only asks who writes a run has its lock for a moment
WITHOUT_LOCKS = frozenset((errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.ENOLCK, errno.EINVAL))


def check_system() -> None:
    """Check that this system has the locks that runs need.

    Raises
    ------
    InputError
        It has none, as Windows.
    """
    if fcntl is None:
        raise InputError(
            "this system cannot lock files (flock), so that runs would not be safe: use Linux or macOS, or, on "
            "Windows, the Windows Subsystem for Linux"
        )


def take_lock(directory: str | os.PathLike[str], patience: float = PATIENCE) -> int | None:
    """Return a handle that holds the lock of a directory until it is closed; None if another one holds the lock.

    The system takes the lock back however the process ends.

    Parameters
    ----------
    directory
        A directory that exists.
    patience
        Seconds to wait for a lock that is held.

    Raises
    ------
    OSError
        The directory cannot be opened.
    InputError
        The system, or the file system of the directory, has no locks.
    """
    check_system()
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    until = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in WITHOUT_LOCKS and time.monotonic() < until:
                time.sleep(0.01)
                continue
            os.close(handle)
            if error.errno in WITHOUT_LOCKS:
                raise InputError(
                    f"{Path(directory)}: the file system here cannot lock files (flock: {error.strerror}), so that "
                    "runs would not be safe; name a directory on a local disk"
                ) from None
            return None
        except BaseException:
            os.close(handle)
            raise
        return handle
