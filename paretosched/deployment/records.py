"""What a daemon keeps in its folder: which jobs it has touched, what it did and when, and numbers for monitoring.

deploy.json    since when, and the site factor of each job in the queue that it may have touched
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
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from msgspec import Struct

from ..core.errors import InputError, in_quotes
from ..core.files import exists, read_json, replacing
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
    factors: dict[str, int]


class State(NamedTuple):
    """What outlives the daemon.

    Attributes
    ----------
    since
        Unix time from which formulas count `submit`: of the first job that was ever in order; None before.
    factors
        The site factor of each job that the daemon may have changed, by number.
    """

    since: int | None
    factors: dict[int, int]


def open_folder(folder: Path) -> None:
    """Make the folder of a deployment, or check that it is one.

    Raises
    ------
    InputError
        It cannot be made, has other files, or others can write in it.
    """
    try:
        folder.mkdir(mode=0o750, parents=False, exist_ok=True)
        about = folder.stat()
        names = {path.name for path in folder.iterdir()}
    except OSError as error:
        raise InputError(f"{folder}: cannot be the folder of a deployment: {error.strerror}") from None
    if about.st_uid != os.geteuid():
        fact = "belongs to another account, which could put links there"
        raise InputError(f"{folder}: {fact}; run this as that account, or name another folder with -o")
    if about.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(f"{folder}: others can write in this folder; chmod go-w {folder}")
    others = sorted(
        name for name in names if not (name.startswith((STATE, LOG, METRICS, BOOKS)) or UNFINISHED.fullmatch(name))
    )
    if others:
        raise InputError(f"{folder}: the folder of a deployment must have no other files, but has {others[0]}")


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
        raise InputError(f"{path}: {error}; move it away to begin anew") from None


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
    with replacing(folder / METRICS) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
        os.chmod(temporary, 0o644)  # noqa: PTH101  # the collector is another user


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
        folder.rmdir()
