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
        The directory cannot be opened, or is gone.
    InputError
        The system, or the file system of the directory, has no locks.
    """
    check_system()
    until = time.monotonic() + patience
    while True:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            is_held = not _lock(handle, directory)
            # whoever had the lock may have removed the directory, and somebody have made it again
            is_other = not os.path.samestat(os.fstat(handle), Path(directory).stat())
        except BaseException:
            os.close(handle)
            raise
        if not (is_held or is_other):
            return handle
        os.close(handle)
        if is_held and time.monotonic() >= until:
            return None
        time.sleep(0.01)


def lock_file(handle: int) -> bool | None:
    """Return whether an open file is locked now: not if another one holds it, and None where there are no locks."""
    try:
        check_system()
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (OSError, InputError):
        return None
    return True


def _lock(handle: int, directory: str | os.PathLike[str]) -> bool:
    """Lock an open directory, and return whether that is done; raise InputError if its file system has no locks."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in WITHOUT_LOCKS:
            raise InputError(
                f"{Path(directory)}: the file system here cannot lock files (flock: {error.strerror}), so that runs "
                "would not be safe; name a directory on a local disk"
            ) from None
        return False
    return True
