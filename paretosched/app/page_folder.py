"""The folder beside a run or front that keeps the owner's work: for one page and one account, whole files only."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files import read_json, replacing
from ..core.locks import locked

ENDING = ".app"
PAGE_FILE = "page.json"


@contextmanager
def open_folder(front: str | os.PathLike[str]) -> Iterator[Path]:
    """Open the folder of a run or front, RUN.app or FRONT.app beside it, for one page; other accounts cannot read it.

    Raises
    ------
    InputError
        The folder cannot be created, is of another account, or another page has it open.
    """
    place = Path(front).resolve()
    folder = place.with_name(place.name + ENDING)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        folder.chmod(0o700)  # it may be of an earlier version; only its owner can do this
        handle = locked(folder)
    except OSError as error:
        raise InputError(
            f"{folder}: the page keeps your work in this folder, but cannot make it yours alone: {error.strerror}; "
            "copy the run or front to a folder of your own"
        ) from None
    if handle is None:
        raise InputError(f"{folder}: the page of this front is open already, in another process")
    try:
        yield folder
    finally:
        os.close(handle)


def save(folder: Path, page: dict[str, Any]) -> None:
    """Write the state of the page as a whole file."""
    write_json(folder / PAGE_FILE, page)


def write_json(path: Path, value: Any) -> None:
    """Write JSON values as a whole file that only its owner can read."""
    with replacing(path) as temporary:
        temporary.chmod(0o600)
        temporary.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def load(folder: Path) -> Any:
    """Return the saved state of the page as JSON values; None if there is none yet.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    place = folder / PAGE_FILE
    return read_json(place, "page") if place.exists() else None
