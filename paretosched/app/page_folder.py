"""The folder beside a run or front that keeps the owner's work: for one page and one account, whole files only."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from ..core.errors import InputError
from ..core.files import read_json, write_json
from ..core.locks import take_lock
from ..core.typed_json import as_type

T = TypeVar("T")

ENDING = ".app"
PAGE_FILE = "page.json"
ELSEWHERE = "copy the run or front to a folder of your own"


@contextmanager
def open_folder(front: str | os.PathLike[str]) -> Iterator[Path]:
    """Open the folder of a run or front, RUN.app or FRONT.app beside it, for one page; other accounts cannot read it.

    Raises
    ------
    InputError
        The folder cannot be created, is a link, is of another account, or another page has it open.
    """
    place = Path(front).resolve()
    folder = place.with_name(place.name + ENDING)
    with ExitStack() as stack:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            handle = take_lock(folder)
            if handle is None:
                raise InputError(f"{folder}: the page of this front is open already, in another process")
            stack.callback(os.close, handle)
            _make_own(folder, handle)
        except OSError as error:
            raise InputError(
                f"{folder}: the page keeps your work in this folder, but cannot make it yours alone: {error.strerror}; "
                f"{ELSEWHERE}"
            ) from None
        yield folder


def _make_own(folder: Path, handle: int) -> None:
    """Check that an open folder is no link and of this account, and let no other account read it.

    The handle cannot come to mean another folder, as the path can, so it is what changes the mode.
    """
    status = os.fstat(handle)
    if not os.path.samestat(status, folder.lstat()):
        raise InputError(f"{folder}: the page keeps your work in a folder of this name, but it is a link; {ELSEWHERE}")
    if status.st_uid != os.geteuid():
        raise InputError(
            f"{folder}: the page keeps your work in this folder, but it is of another account, with the number "
            f"{status.st_uid}; {ELSEWHERE}"
        )
    os.fchmod(handle, 0o700)  # it may be of an earlier version


def save(folder: Path, page: dict[str, Any]) -> None:
    """Write the state of the page as a whole file."""
    write_json(folder / PAGE_FILE, page, private=True)


def read_typed(path: Path, what: str, kind: type[T]) -> T | None:
    """Return the content of a file of the page as a type, see `as_type`; None if there is no such file yet.

    Raises
    ------
    InputError
        The file, a `what`, cannot be read, or has something else in it.
    """
    if not path.exists():
        return None
    content = read_json(path, what)
    try:
        return as_type(content, kind)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def load(folder: Path) -> Any:
    """Return the saved state of the page as JSON values; None if there is none yet.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    place = folder / PAGE_FILE
    return read_json(place, "page") if place.exists() else None
