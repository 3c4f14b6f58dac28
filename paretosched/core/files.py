"""Writing so that a reader sees the whole file or none of it, and reading that never waits for ever."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import Any

from .errors import InputError, first_few

MOST_TEXT = 100_000_000  # bytes; a rule base of 100,000 situations has half of that


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; on success it takes the name, on failure it is gone.

    Parameters
    ----------
    path
        The file to be written. Its directory must exist.

    Raises
    ------
    InputError
        The directory does not exist or cannot be written, `path` is not the name of a regular file, or the disk is
        full.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with replacing(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise InputError(f"{target}: the output must be a file, but this is a directory")
        if target.exists() and not target.is_file():
            raise InputError(f"{target}: the output must be a regular file, but this is a device, pipe or socket")
    except OSError as error:
        raise InputError(f"{target}: cannot write here: {error.strerror}") from None
    # not from `tempfile`: its files are only their owner's, and an interruption may come before it tells their names
    temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(6)}.part")
    try:
        temporary.touch(exist_ok=False)
        yield temporary
        with temporary.open("rb") as handle_to_sync:
            os.fsync(handle_to_sync.fileno())
        temporary.replace(target)
    except BaseException as error:
        with suppress(OSError):  # what is not there, and in no folder
            temporary.unlink()
        if isinstance(error, OSError) and error.errno is not None:  # a full disk, a quota, a share that went away
            raise InputError(f"{target}: cannot write here: {error.strerror}") from None
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Find out now whether `replacing` will be able to write, so that no long work is lost.

    Raises
    ------
    InputError
        As for `replacing`.
    """
    with suppress(_NothingWritten), replacing(path):
        raise _NothingWritten


def opened(path: str | os.PathLike[str]) -> BufferedReader:
    """Open a file for reading; a pipe is welcome, but nobody waits for one that has no writer.

    Raises
    ------
    OSError
        As for `open`.
    """
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK))  # noqa: SIM115
    os.set_blocking(file.fileno(), True)
    return file


def file_record(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return where a file is and what is in it: the path, the path as it was given, and its SHA-256.

    Returns
    -------
    dict
        "path", "given" and "sha256", all text; the last one is None for a pipe, which cannot be read again.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    seal = None
    try:
        if os.path.isfile(path):  # noqa: PTH113  # Path.is_file() raises for long names
            with opened(path) as file:
                seal = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    return {"path": os.path.abspath(os.fsdecode(path)), "given": os.fsdecode(path), "sha256": seal}  # noqa: PTH100  # links stay


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a small text file in UTF-8, without its byte order mark.

    Raises
    ------
    OSError, UnicodeDecodeError
        It cannot be read, or is not UTF-8.
    InputError
        It is larger than any such file of ours, such as a device without end.
    """
    with opened(path) as file:
        data = file.read(MOST_TEXT + 1)
    if len(data) > MOST_TEXT:
        raise InputError(f"{path}: must be a text of at most {MOST_TEXT:,} bytes, but is longer")
    return data.decode("utf-8-sig")


def read_json(path: str | os.PathLike[str], what: str, constant: Callable[[str], float] | None = None) -> Any:
    """Read a small JSON file of a person's, such as a policy; `what` it is.

    Parameters
    ----------
    path, what
        The file, and what to call it in errors.
    constant
        Function of "NaN", "Infinity" and "-Infinity"; None for the numbers of these names.

    Raises
    ------
    InputError
        It cannot be read, or is not JSON.
    """
    try:
        text = read_text(path)
    except InputError:  # which is a ValueError
        raise
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: a {what} file must be JSON text, but this is binary") from None
    except ValueError:  # of `open`, for a NUL
        raise InputError(f"{path}: must be the name of a file, but has a NUL in it") from None
    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:  # ValueError: bad JSON, or an integer of thousands of digits
        raise InputError(f"{path}: not JSON: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object whose keys are there once: of two values a reader would take one, and a person mean the other."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {shown(key)} is there twice in one object")
        found[key] = value
    return found


def part(value: dict[str, Any], key: str, kind: type, default: Any = None) -> Any:
    """Give one part of a JSON object, which must be of a type: str, float, int, list or dict.

    Raises
    ------
    InputError
        It is missing, and there is no default; or it is of another type.

    Examples
    --------
    >>> part({"a": 1}, "a", float)
    1.0
    """
    if key not in value and default is not None:
        return default
    if key not in value:
        raise InputError(f"{shown(key)} is missing")
    found = value[key]
    if kind is float and isinstance(found, int) and not isinstance(found, bool):
        found = float(min(max(found, -(2**53)), 2**53))  # far out of bounds either way, and no overflow
    if not isinstance(found, kind):
        words = {str: "text", float: "a number", list: "a list", dict: "an object"}
        raise InputError(f"{shown(key)} must be {words[kind]}, but is {shown(found)}")
    return found


def nothing_else(value: dict[str, Any], known: Sequence[str]) -> None:
    """Refuse a JSON object with keys other than the known ones; raises InputError."""
    unknown = [shown(key) for key in value if key not in known]
    if unknown:
        raise InputError(f"the keys here are {', '.join(known)}, but there is also {first_few(unknown)}")


def shown(value: Any) -> str:
    """Show a JSON value in a message, shortly."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _NothingWritten(Exception):  # noqa: N818  # not an error: it makes `replacing` clean up
    pass
