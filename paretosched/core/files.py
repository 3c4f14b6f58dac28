"""Write files as a whole or not at all, and read files without waiting for ever."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import select
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .arguments import as_path
from .errors import InputError, first_few
from .limits import check_limit, limits_in_force
from .locks import lock_file
from .trust import open_as_allowed

LEFTOVER = re.compile(r"\.[0-9a-f]{12}\.part\Z", re.ASCII)  # of a file that was being written
NAMES_ENDING = ".names.json"  # of the file beside a log that has its names


# Functions of Path raise for a name that is too long; what the system refuses is not there.


def exists(path: str | os.PathLike[str]) -> bool:
    """Return whether there is anything of this name."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether there is a regular file of this name."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Return whether there is a folder of this name."""
    return os.path.isdir(path)  # noqa: PTH112


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a temporary path beside `path`; it becomes `path` on success, and is deleted on failure.

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
    target = as_path(path)
    try:
        if target.is_dir():
            raise InputError(f"{target}: the output must be a file, but this is a directory")
        if target.exists() and not target.is_file():
            raise InputError(f"{target}: the output must be a regular file, but this is a device, pipe or socket")
    except OSError as error:
        raise InputError(f"{target}: cannot write here: {error.strerror}") from None
    head = f".{target.name[:40]}."
    remove_leftovers(target.parent, head)
    temporary, handle = target, None
    try:
        while handle is None:  # once, unless another process takes the file for a leftover before it is locked
            # not from `tempfile`: only the owner may read its files, and an interruption may come before a name
            temporary = target.with_name(f"{head}{os.urandom(6).hex()}.part")
            handle = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
            if lock_file(handle) is False or not temporary.exists():
                os.close(handle)
                handle = None
        yield temporary
        with temporary.open("rb") as handle_to_sync:
            os.fsync(handle_to_sync.fileno())
        temporary.replace(target)
    except BaseException as error:
        if temporary != target:
            with suppress(OSError):  # the file, or its folder, may not exist
                temporary.unlink()
        if isinstance(error, OSError) and error.errno is not None:  # a full disk, a quota, a lost network share
            raise InputError(f"{target}: cannot write here: {error.strerror}") from None
        raise
    finally:
        if handle is not None:
            os.close(handle)


def remove_leftovers(folder: Path, head: str = ".") -> None:
    """Remove the temporary files of `replacing` in a folder that killed processes have left: nobody holds their locks.

    `head` is how their names begin.
    """
    with suppress(OSError), os.scandir(folder) as entries:  # what cannot be removed may stay
        for path in [entry.path for entry in entries if entry.name.startswith(head) and LEFTOVER.search(entry.name)]:
            with suppress(OSError):
                handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
                try:
                    if lock_file(handle):
                        os.unlink(path)  # noqa: PTH108  # a link of this name is not opened
                finally:
                    os.close(handle)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check before a long computation that `replacing` can write its result.

    Raises
    ------
    InputError
        As for `replacing`.
    """
    with suppress(_NothingWritten), replacing(path):
        raise _NothingWritten


def unreadable(path: str | os.PathLike[str], error: OSError) -> InputError:
    """Return the error for a file that cannot be read, in the words that every reader uses.

    Examples
    --------
    >>> print(unreadable("log.swf", FileNotFoundError(2, "No such file or directory")))
    log.swf: no such file
    """
    fact = "no such file" if isinstance(error, FileNotFoundError) else f"cannot read: {error.strerror or error}"
    return InputError(f"{path}: {fact}")


def open_for_reading(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Return a file that is open for reading.

    A pipe may be read, too. One without a writer is not waited for; one that sends nothing is waited for until the
    limit `wait`.

    Raises
    ------
    OSError
        As for `open`, and when a pipe is read that sends nothing.
    InputError
        `path` is no path, or another account can change it within `paretosched.core.trust.only_trusted`.
    """
    path = as_path(path)
    return io.BufferedReader(_Patient(path, opener=lambda name, flags: open_as_allowed(name, flags | os.O_NONBLOCK)))


def sha256_of(path: str | os.PathLike[str]) -> str | None:
    """Return the SHA-256 of a file, as text; None for a pipe, which cannot be read twice.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    as_path(path)  # refuses what is no path; the path itself stays as the caller wrote it
    try:
        if not is_file(path):
            return None
        with open_for_reading(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from None


def file_record(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the place and the content of a file: its absolute path, the path as the caller wrote it, its SHA-256.

    Returns
    -------
    dict
        "path", "given" and "sha256", all text; "sha256" is None for a pipe, which cannot be read twice.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    digest = sha256_of(path)
    return {**path_record(path), "sha256": digest}


def path_record(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the place of a file: its absolute "path", and the path as the caller wrote it, "given"."""
    return {"path": os.path.abspath(os.fsdecode(path)), "given": os.fsdecode(path)}  # noqa: PTH100  # links stay


def read_text(path: str | os.PathLike[str], limit: str = "text", errors: str = "strict") -> str:
    """Return the text of a small file in UTF-8, without its byte order mark; `limit` is the name of its limit.

    With "replace" for `errors`, what is not UTF-8 becomes U+FFFD.

    Raises
    ------
    OSError, UnicodeDecodeError
        The file cannot be read, or is not UTF-8.
    InputError
        It is longer than the limit, as a device without end is.
    """
    most: int = getattr(limits_in_force(), limit)
    with open_for_reading(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        fact = f"must be a text of at most {most:,} bytes, but is longer"
        raise InputError(f"{path}: {fact}; --limit {limit}=N sets another limit")
    return data.decode("utf-8-sig", errors)


def read_lines(path: str | os.PathLike[str], what: str) -> Iterator[str]:
    """Yield the lines of a file that people may write, such as a list of groups; `what` is its name in messages.

    The lines come without their ends, one by one, so that a file of any size takes little memory.

    Raises
    ------
    InputError
        The file cannot be read, is not UTF-8, or is beyond the limit `line`, `text` or `rows`.
    """
    longest = limits_in_force().line
    size, rows = 0, 0
    try:
        with open_for_reading(path) as file:
            while data := file.readline(longest + 2):
                check_limit(f"{path}:{rows + 1}", "line", len(data.rstrip(b"\r\n")))
                size += len(data)
                check_limit(path, "text", size)
                for line in data.decode("utf-8" if rows else "utf-8-sig").splitlines():
                    rows += 1
                    check_limit(path, "rows", rows)
                    yield line
    except InputError:  # it is a ValueError, too
        raise
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: {what} must be text in UTF-8, but this is not") from None
    except ValueError as error:  # from `open`, for a NUL in the name
        raise InputError(str(error)) from None


def read_words(path: str | os.PathLike[str], what: str, limit: str = "text", errors: str = "strict") -> str:
    """Return the text of a small file that people may write, such as a policy.

    Parameters
    ----------
    path, what
        The file, and what messages call it: "policy".
    limit, errors
        The name of the limit of its size, "text", "conf" or "json"; and as for `read_text`.

    Raises
    ------
    InputError
        The file cannot be read, or is not text.
    """
    try:
        return read_text(path, limit, errors)
    except InputError:  # it is a ValueError, too
        raise
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: a {what} file must be {'JSON ' * (limit == 'json')}text, but this is binary"
        ) from None
    except ValueError:  # `open` raises it for a NUL
        raise InputError(f"{path}: must be the name of a file, but has a NUL in it") from None


def read_json(path: str | os.PathLike[str], what: str) -> Any:
    """Return the content of a small JSON file that people may write, such as a policy.

    Parameters
    ----------
    path, what
        The file, and what messages call it: "policy".

    Raises
    ------
    InputError
        The file cannot be read, or is not JSON.
    """
    return parse_json(read_words(path, what, "json"), path)


def parse_json(text: str, path: str | os.PathLike[str], constant: Callable[[str], float] | None = None) -> Any:
    """Return the JSON value of a text that was read from a file.

    Parameters
    ----------
    text, path
        The text, and its file for messages.
    constant
        Function that is called with "NaN", "Infinity" or "-Infinity"; None to read them as numbers.

    Raises
    ------
    InputError
        The text is not JSON.
    """
    try:
        return json.loads(text, parse_constant=constant, object_pairs_hook=_object_of)
    except (ValueError, RecursionError) as error:  # ValueError: bad JSON, or an integer of thousands of digits
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{path}: not JSON: {reason}") from None


def write_json(path: str | os.PathLike[str], value: Any, private: bool = False) -> None:
    """Write JSON values as a whole file, which only its owner can read if it is private.

    Raises
    ------
    InputError
        As for `replacing`.
    """
    text = json.dumps(value, indent=2) + "\n"
    with replacing(path) as temporary:
        if private:
            temporary.chmod(0o600)
        temporary.write_text(text, encoding="utf-8")


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise ValueError for a key that is there twice, since its author may mean either value."""
    entries: dict[str, Any] = {}
    for key, value in pairs:
        if key in entries:
            raise ValueError(f"the key {json_text(key)} is there twice in one object")
        entries[key] = value
    return entries


def part(value: dict[str, Any], key: str, kind: type) -> Any:
    """Return one entry of a JSON object, which must have the type `kind`: str, float, int, list or dict.

    Raises
    ------
    InputError
        The entry is missing, or it has another type.

    Examples
    --------
    >>> part({"a": 1}, "a", float)
    1.0
    """
    if key not in value:
        raise InputError(f"{json_text(key)} is missing")
    entry = value[key]
    if kind is float and isinstance(entry, int) and not isinstance(entry, bool):
        entry = float(min(max(entry, -(2**53)), 2**53))  # such numbers are out of all bounds, but must not overflow
    if not isinstance(entry, kind):
        words = {str: "text", float: "a number", list: "a list", dict: "an object"}
        raise InputError(f"{json_text(key)} must be {words[kind]}, but is {json_text(entry)}")
    return entry


def nothing_else(value: dict[str, Any], keys: Sequence[str]) -> None:
    """Raise InputError if a JSON object has keys other than those in `keys`."""
    others = [json_text(key) for key in value if key not in keys]
    if others:
        raise InputError(f"the keys here are {', '.join(keys)}, but there is also {first_few(others)}")


def json_text(value: Any) -> str:
    """Return a JSON value as a short text for a message."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Patient(io.FileIO):
    """A file whose reads end with an error when nothing comes for a time; only pipes and terminals do this.

    It is open without waiting. Then a read returns at once: bytes, their end, or None if some may come.
    """

    read = io.RawIOBase.read  # type: ignore[assignment]  # both call `readinto`
    readall = io.RawIOBase.readall

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes, and return their number."""
        seconds = limits_in_force().wait
        while (count := super().readinto(buffer)) is None:
            if not select.select([self], [], [], seconds)[0]:
                raise TimeoutError(errno.ETIMEDOUT, f"nothing was sent for {seconds:,} s; --limit wait=N waits longer")
        return count


class _NothingWritten(Exception):  # noqa: N818  # not an error
    """Makes `replacing` delete its temporary file."""
