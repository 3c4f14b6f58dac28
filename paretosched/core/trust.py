"""Files and folders that nobody but root and the own account can change, as sshd wants them (StrictModes).

A file is trusted if it, each folder above it, and each link on the way belong to root or to the account of this
process, and no other account can write them. A folder with the sticky bit, such as /tmp, may be open to others above a
file: they can add names there, but not replace those of root and of this account.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import InputError

MOST_LINKS = 40  # as the system itself
ACCESS_LIST = "system.posix_acl_access"  # with one, the bits of the group say what some account or group can do

_only_trusted = False


@contextmanager
def only_trusted() -> Iterator[None]:
    """Have all readers of `paretosched.core.files` refuse files that are not trusted, until the block ends."""
    global _only_trusted  # as the limits, it holds for all readers
    before, _only_trusted = _only_trusted, True
    try:
        yield
    finally:
        _only_trusted = before


def open_as_allowed(path: str | os.PathLike[str], flags: int) -> int:
    """Return a handle as `os.open`; within `only_trusted` as `open_trusted`."""
    return open_trusted(path, flags) if _only_trusted else os.open(path, flags)


def check_trusted(path: str | os.PathLike[str]) -> None:
    """Check that a file is trusted; raise InputError or OSError as `open_trusted`."""
    os.close(open_trusted(path, os.O_RDONLY | os.O_NONBLOCK))


def open_trusted(path: str | os.PathLike[str], flags: int) -> int:
    """Return a handle of a trusted file or folder.

    Each step goes through the handle of the folder before it, so that nothing can be put in its place meanwhile.

    Parameters
    ----------
    path, flags
        As for `os.open`; nothing is made.

    Raises
    ------
    InputError
        Another account can change it, or what the path means.
    OSError
        It cannot be opened.
    """
    given = os.fspath(path)
    left = [*reversed((Path.cwd() / path).parts[1:])]
    here, place = os.open("/", os.O_PATH | os.O_DIRECTORY), Path("/")
    links = 0
    try:
        _check(os.fstat(here), place, given, is_above=bool(left))
        while left:
            name = left.pop()
            step = os.open(name, os.O_PATH | os.O_NOFOLLOW, dir_fd=here)
            try:
                about = os.fstat(step)
                if stat.S_ISLNK(about.st_mode):
                    if about.st_uid not in (0, os.geteuid()):
                        raise InputError(f"{given}: {place / name} is a link of account {about.st_uid}; remove it")
                    links += 1
                    if links > MOST_LINKS:
                        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), given)
                    target = Path(os.readlink("", dir_fd=step))
                    left += reversed(target.parts[target.is_absolute() :])
                    if target.is_absolute():
                        root = os.open("/", os.O_PATH | os.O_DIRECTORY)
                        os.close(here)
                        here, place = root, Path("/")
                    continue
                place = place.parent if name == ".." else place / name
                _check(about, place, given, is_above=bool(left))
                if left or name == "..":
                    here, step = step, here
                    continue
                handle = os.open(name, flags | os.O_NOFOLLOW, dir_fd=here)
                if os.path.samestat(os.fstat(handle), about):
                    return handle
                os.close(handle)
                raise InputError(f"{given}: it was replaced while it was opened; try again")
            finally:
                os.close(step)
        return os.open(".", flags, dir_fd=here)
    finally:
        os.close(here)


def who_can_change(about: os.stat_result, place: Path) -> str:
    """Return who but root and this account can change a file or folder by its owner and mode; "" if nobody can.

    Parameters
    ----------
    about, place
        What the system says of it, and where it is.
    """
    if about.st_uid not in (0, os.geteuid()):
        return f"account {about.st_uid}"
    by_group = about.st_mode & stat.S_IWGRP and not _is_own_group(about, place)
    return "others" if about.st_mode & stat.S_IWOTH or by_group else ""


def _check(about: os.stat_result, place: Path, given: str, is_above: bool) -> None:
    """Raise InputError if another account can change a file or folder; `is_above` if the path goes on below it."""
    who = who_can_change(about, place)
    is_own = about.st_uid in (0, os.geteuid())
    if not who or (is_own and is_above and about.st_mode & stat.S_ISVTX):
        return
    what = "this file" if not stat.S_ISDIR(about.st_mode) else f"in {place}, above it" if is_above else "in this folder"
    hint = f"chmod go-w {place}" if is_own else "run this as that account, or name another file or folder"
    raise InputError(f"{given}: {who} can write {what}; {hint}")


def _is_own_group(about: os.stat_result, place: Path) -> bool:
    """Return whether a group is the account's own, with nobody else in it, as many systems make one for each user."""
    import grp
    import pwd

    if os.geteuid() == 0:  # whoever is in its group is not root
        return False
    with suppress(KeyError, OSError):
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(about.st_gid)
        is_alone = (
            group.gr_gid == user.pw_gid and group.gr_name == user.pw_name and not {*group.gr_mem} - {user.pw_name}
        )
        return is_alone and ACCESS_LIST not in os.listxattr(place, follow_symlinks=False)
    return False
