"""Large logs that were read before: their numbers are kept in the user's cache folder, so that reading is quicker.

What is kept is only the content of the log, before any rule is applied to it. A file of the cache belongs to the
SHA-256 of the log, to the limits of readers and to this form of files, which its name and its content say; it is read
by numpy without pickles, and has a checksum of each of its parts. A file that is damaged, has another name than it
was written under, or that another account could have written or moved, is not used.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import stat
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from platformdirs import user_cache_path

from ..core.errors import InputError
from ..core.files import is_file, replacing, sha256_of, unreadable
from ..core.limits import limits_in_force
from .log_lines import FIELDS, MOST_COLUMNS, Log, Texts
from .records import Records

FORM = "paretosched log 2"  # another name for another form of files, or for another way to read logs
OFF_VARIABLE = "PARETOSCHED_NO_CACHE"
WORTH_KEEPING = 1 << 22  # bytes of a log, gzipped or not; a smaller one is read at once
DAMAGED = (  # what zipfile and numpy raise; RuntimeError: another version of zip, a password
    ValueError, KeyError, TypeError, IndexError, EOFError, RuntimeError, OverflowError, MemoryError,
    zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
MOST_KEPT = 1 << 30  # bytes of all files; the oldest go first


def digest_of(path: str | os.PathLike[str]) -> str | None:
    """Return the SHA-256 of a log that is worth a place in the cache; None for a small one, a pipe, or no cache.

    Raises
    ------
    InputError
        The log cannot be read.
    """
    if os.environ.get(OFF_VARIABLE):
        return None
    try:
        if not is_file(path) or os.path.getsize(path) < WORTH_KEEPING:  # noqa: PTH202  # long names
            return None
    except OSError as error:
        raise unreadable(path, error) from None
    return sha256_of(path)


def known_log(path: str, digest: str) -> Log | None:
    """Return the log with this SHA-256 from the cache, `path` being its name in messages; None if it is not there."""
    file = _file(digest)
    try:
        with file.open("rb") as source:
            if not (_is_own(file.parent.stat()) and _is_own(os.fstat(source.fileno()))):
                return None
            with np.load(source, allow_pickle=False) as parts:
                if str(parts["key"]) != file.stem:  # it was moved here
                    return None
                log = _log(path, {name: parts[name] for name in parts.files})
        file.touch()  # the oldest go first
    except (*DAMAGED, OSError):
        return None  # not there, or damaged: the log is read, and kept again
    return log


def keep_log(log: Log, digest: str) -> None:
    """Keep a log with this SHA-256, if the cache can be written; it is a help only."""
    file = _file(digest)
    with suppress(OSError, InputError):  # a full disk, a home that is read-only
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.parent.chmod(0o700)
        with replacing(file) as temporary:
            temporary.chmod(0o600)
            with temporary.open("wb") as target:
                np.savez(target, key=np.array(file.stem), **_parts(log))  # type: ignore[arg-type]  # names of arrays are no options
        _make_room(file.parent)


def _file(digest: str) -> Path:
    """Return the place of a log in the cache."""
    key = hashlib.sha256(repr((FORM, digest, limits_in_force())).encode()).hexdigest()
    return user_cache_path("paretosched") / "logs" / f"{key}.npz"


def _is_own(about: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this account, which alone may write it."""
    return about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _parts(log: Log) -> dict[str, NDArray[Any]]:
    """Return a log as arrays by name; a column with one number for all jobs has one number."""
    columns = [*log.fields.columns, log.line]
    parts = {f"column{place}": _short(column) for place, column in enumerate(columns)}
    for place, (codes, texts) in enumerate(log.more):
        parts |= {f"codes{place}": _short(codes), f"texts{place}": _bytes(texts)}
    return parts | {
        "jobs": np.array(len(log.fields)),
        "header": _bytes(log.header),
        "header_line": np.array(log.header_line, dtype=np.int64),
    }


def _short(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column, or its first number if it stores one for all jobs."""
    return column[:1] if column.strides == (0,) else column


def _log(path: str, parts: dict[str, NDArray[Any]]) -> Log:
    """Return the log that `_parts` made these arrays of; raise ValueError if they do not belong together."""
    jobs = int(parts["jobs"])
    columns = [_whole(parts[f"column{place}"], jobs) for place in range(len(FIELDS) + 1)]
    header_line = tuple(parts["header_line"].tolist())
    header = _lines(parts["header"]) if header_line else ()
    if len(header) != len(header_line):
        raise ValueError("the comment lines and their numbers do not belong together")
    more = [place for place in range(MOST_COLUMNS - len(FIELDS)) if f"codes{place}" in parts]
    texts = [_lines(parts[f"texts{place}"]) if parts[f"texts{place}"].size else () for place in more]
    codes = [_whole(parts[f"codes{place}"], jobs) for place in more]
    return Log(path, Records(tuple(columns[:-1])), columns[-1], header, header_line, tuple(map(Texts, codes, texts)))


def _bytes(lines: Sequence[str]) -> NDArray[np.uint8]:
    """Return lines as the bytes of a text."""
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _lines(text: NDArray[Any]) -> tuple[str, ...]:
    """Return the lines that `_bytes` made a text of."""
    return tuple(text.tobytes().decode().split("\n"))


def _whole(column: NDArray[Any], jobs: int) -> NDArray[Any]:
    """Return a column with a number for each job, read-only."""
    if column.shape == (1,):
        return np.broadcast_to(column[0], jobs)
    if column.shape != (jobs,):
        raise ValueError("a column needs a number for each job")
    column.flags.writeable = False
    return column


def _make_room(folder: Path) -> None:
    """Remove the files that were not used for the longest time, until the others are within the limit."""
    files: Iterable[tuple[float, int, Path]] = (
        (about.st_mtime, about.st_size, file) for file in folder.glob("*.npz") for about in (file.stat(),)
    )
    size = 0
    for _, bytes_of_file, file in sorted(files, reverse=True):
        size += bytes_of_file
        if size > MOST_KEPT:
            file.unlink(missing_ok=True)
