"""What a daemon keeps in its folder: which jobs it has touched, what it did and when, and numbers for monitoring.

deploy.json    since when, and the site factor of each job in the queue that it may have touched (null: not known yet)
deploy.jsonl   a line for each pass, for `review`; the first line of each file has all jobs, others what has changed
deploy.prom    text for Prometheus (node_exporter's textfile collector)
deploy.books   of a guarded order: see `guard_books`
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from msgspec import Struct

from ..core.errors import InputError, in_quotes
from ..core.files import exists, read_json, remove_leftovers, replacing
from ..core.locks import take_lock
from ..core.trust import open_trusted, who_can_change
from ..core.typed_json import as_type

FORMAT = "paretosched deployment 1"
STATE, LOG, METRICS, BOOKS = "deploy.json", "deploy.jsonl", "deploy.prom", "deploy.books"
UNFINISHED = re.compile(r"\.deploy\.((json|prom|books)\.)?[0-9a-f]{12}(\.part)?", re.ASCII)  # what is being written
OWN = "must be a file of the deployment alone"
PIECE = 2**16  # bytes
LOG_BYTES = 2**25  # of a file of the log
LATEST = 2**37  # Unix time
OLD_LOGS = 8  # older files that are kept: deploy.jsonl.1 is the latest of them


class UnwritableError(InputError):
    """The folder cannot be written now, as when its disk is full; trying again later may help."""


class StateFile(Struct, forbid_unknown_fields=True):
    """The file of the state."""

    format: str
    since: int | None
    factors: dict[str, int | None]


class State(NamedTuple):
    """What outlives the daemon.

    Attributes
    ----------
    since
        Unix time from which formulas count `submit`: of the first job that was ever in order; None before.
    factors
        The site factor of each job that the daemon may have changed, by number; None while it is not known whether a
        change has come through.
    """

    since: int | None
    factors: Mapping[int, int | None]


def open_folder(folder: Path) -> None:
    """Make the folder of a deployment, or check that it is one.

    Raises
    ------
    InputError
        It cannot be made, has other files, or others can write in it, one of its files, or a folder above it.
    """
    try:
        if not exists(folder):
            above = open_trusted(folder.parent, os.O_PATH | os.O_DIRECTORY)
            try:
                with suppress(FileExistsError):  # made just now
                    os.mkdir(folder.name, 0o750, dir_fd=above)
            finally:
                os.close(above)
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a deployment: {error.strerror}") from None
    handle = _open_own(folder)
    try:
        for name in sorted(os.listdir(handle)):  # noqa: PTH208  # of a handle
            if not (name.startswith((STATE, LOG, METRICS, BOOKS)) or UNFINISHED.fullmatch(name)):
                raise InputError(f"{folder}: the folder of a deployment must have no other files, but has {name}")
            about = os.stat(name, dir_fd=handle, follow_symlinks=False)
            who = who_can_change(about, folder / name)
            if who and not stat.S_ISLNK(about.st_mode):  # nothing is read or written through links
                raise InputError(
                    f"{folder / name}: {who} can write this file; remove it, or chmod go-w {folder / name}"
                )
    finally:
        os.close(handle)


@contextmanager
def locked_folder(folder: Path) -> Iterator[Path]:
    """Hold the lock of a deployment's folder, which is made if it is not there, and yield its path by its handle.

    What is read and written by this path is that of the folder that is locked, whatever is put in its place.

    Raises
    ------
    InputError
        Another process holds it, the folder is none, or others can write in it.
    """
    open_folder(folder)
    try:
        handle = take_lock(folder)
    except OSError as error:  # `--off` has just removed it
        raise InputError(f"{folder}: cannot be locked: {error.strerror}") from None
    if handle is None:
        raise InputError(f"{folder}: another daemon uses this folder; end it first, or name another folder with -o")
    held = Path(f"/proc/self/fd/{handle}")
    umask = os.umask(0)
    os.umask(umask | stat.S_IWGRP | stat.S_IWOTH)  # of all files that are made
    try:
        check_handle(folder, held)
        remove_unfinished(held)
        yield held
    except InputError as error:
        raise type(error)(str(error).replace(str(held), str(folder))) from None
    finally:
        os.umask(umask)
        os.close(handle)


def check_handle(folder: Path, held: Path) -> None:
    """Check that a path by a handle is still that of a deployment's folder, in which nobody else can write.

    Raises
    ------
    UnwritableError
        It is not.
    """
    try:
        handle = _open_own(folder)
    except InputError as error:
        raise UnwritableError(str(error)) from None
    try:
        is_same = os.path.samestat(os.fstat(handle), held.stat())
    finally:
        os.close(handle)
    if not is_same:
        raise UnwritableError(f"{folder}: another folder is in its place now; move that away, or start again")


def _open_own(folder: Path) -> int:
    """Return a handle of the folder of a deployment; raise InputError if others can write in it or in one above it."""
    try:
        handle = open_trusted(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a deployment: {error.strerror}") from None
    about, fault = os.fstat(handle), ""
    if about.st_uid != os.geteuid():
        fault = (
            "belongs to another account, which could put links there; run this as that account, or name another folder"
        )
    elif about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        fault = f"others can write in this folder; chmod go-w {folder}"
    if fault:
        os.close(handle)
        raise InputError(f"{folder}: {fault}")
    return handle


def remove_unfinished(folder: Path) -> None:
    """Remove the files that a daemon was writing when it was killed; the folder must be locked.

    Raises
    ------
    InputError
        One cannot be removed.
    """
    for path in folder.iterdir():
        if UNFINISHED.fullmatch(path.name):
            _remove(path)


def _remove(path: Path) -> None:
    """Remove a file if it is there; raise InputError if it cannot be removed."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be removed: {error.strerror}; remove it") from None


def read_state(folder: Path) -> State:
    """Return what an earlier daemon has left in a folder; nothing if there was none.

    Raises
    ------
    InputError
        The file is damaged.
    """
    path = folder / STATE
    if not exists(path):
        return State(None, {})
    if path.is_symlink():
        raise InputError(f"{path}: {OWN}, but is a link; remove it")
    value = read_json(path, "state of a deployment")
    try:
        file = as_type(value, StateFile)
        if file.format != FORMAT:
            raise InputError(f'"format" must be "{FORMAT}"')
        if file.since is not None and not 0 <= file.since < LATEST:
            raise InputError(f'"since" must be a Unix time, but is {file.since}')
        wrong = [job for job in file.factors if not re.fullmatch(r"\d{1,15}", job, re.ASCII)]
        if wrong:
            raise InputError(f'"factors" must be by the numbers of jobs, but there is also {in_quotes(wrong[0])}')
        return State(file.since, {int(job): factor for job, factor in file.factors.items()})
    except ValueError as error:  # an InputError is one, too
        raise InputError(f"{path}: {error}; move it away to begin again") from None


def write_state(folder: Path, state: State) -> None:
    """Write what outlives the daemon.

    Raises
    ------
    UnwritableError
        The folder cannot be written.
    """
    factors = {str(job): factor for job, factor in state.factors.items()}
    text = json.dumps({"format": FORMAT, "since": state.since, "factors": factors})
    try:
        with replacing(folder / STATE) as temporary:
            temporary.write_text(text + "\n", encoding="utf-8")
    except InputError as error:
        raise UnwritableError(str(error)) from None


def write_line(folder: Path, record: Mapping[str, Any], factors: Mapping[int, int]) -> None:
    """Append a line to the log; if it begins a file, `factors`, those of all jobs, come before as a line of their own.

    A last line that was cut off, because a daemon was killed while it wrote, is dropped.

    Raises
    ------
    InputError, OSError
        The folder cannot be written, or the log is a link.
    """
    path = folder / LOG
    if os.path.lexists(path) and path.lstat().st_size > LOG_BYTES:
        for number in range(OLD_LOGS, 0, -1):
            source = path if number == 1 else path.with_name(f"{LOG}.{number - 1}")
            if source.exists():
                source.replace(path.with_name(f"{LOG}.{number}"))
    begin = {"time": record["time"], "all": {str(job): factor for job, factor in factors.items()}}
    with own_file(path, writes=True) as file:
        lines = [record] if drop_half_line(file) else [begin, record]
        file.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode())


def own_file(path: Path, writes: bool = False) -> BinaryIO:
    """Return a file of the folder that is open for reading, and for writing if asked; then it is made if need be.

    Raises
    ------
    InputError
        It is a link, has a second name, or is no regular file: what is written there may belong to others.
    OSError
        It cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT if writes else os.O_RDONLY
    try:
        file = os.fdopen(os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o640), "r+b" if writes else "rb")
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise InputError(f"{path}: {OWN}, but is a link; remove it") from None
    about = os.fstat(file.fileno())
    if not stat.S_ISREG(about.st_mode) or about.st_nlink != 1:
        file.close()
        raise InputError(f"{path}: {OWN}, but is none, or has a second name; remove it")
    return file


def drop_half_line(file: BinaryIO) -> int:
    """Drop a last line without its end, and return the size that is left, bytes; the next bytes are written there."""
    size = file.seek(0, os.SEEK_END)
    kept = size
    while kept:  # from the end, piece by piece
        begin = max(0, kept - PIECE)
        file.seek(begin)
        place = file.read(kept - begin).rfind(b"\n")
        kept = begin + place + 1 if place >= 0 else begin
        if place >= 0:
            break
    if kept < size:
        file.truncate(kept)
    return file.seek(kept)


def add_text(path: Path, text: str) -> None:
    """Add lines to a file, after a last line without its end is dropped.

    Raises
    ------
    InputError, OSError
        As for `own_file`; or the disk is full.
    """
    with own_file(path, writes=True) as file:
        drop_half_line(file)
        file.write(text.encode())


def write_metrics(folder: Path, numbers: Mapping[str, tuple[str, float, str]]) -> None:
    """Write numbers for monitoring, as a whole file.

    Parameters
    ----------
    folder
        Where to.
    numbers
        By name: kind ("counter" or "gauge"), value, and what it is.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    lines = []
    for name, (kind, value, text) in numbers.items():
        full = f"paretosched_deploy_{name}"
        lines += [f"# HELP {full} {text}", f"# TYPE {full} {kind}", f"{full} {value:.17g}"]
    path = folder / METRICS
    remove_leftovers(folder, f".{METRICS}.")  # of a daemon that was killed; the one that writes has the folder's lock
    temporary = folder / f".{METRICS}.{os.urandom(6).hex()}.part"
    try:
        with own_file(temporary, writes=True) as file:  # also where others can write: it says that nothing goes on
            file.write(("\n".join(lines) + "\n").encode())
            os.fchmod(file.fileno(), 0o644)  # the collector is another user
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise InputError(f"{path}: cannot write here: {error.strerror}") from None


def remove_state(folder: Path) -> None:
    """Remove what a daemon keeps but its log; and the folder, if nothing else is in it.

    Raises
    ------
    InputError
        A file cannot be removed.
    """
    for name in (STATE, METRICS, BOOKS):
        _remove(folder / name)
    with suppress(OSError):  # the log is there
        folder.resolve().rmdir()  # it may be given by a handle
