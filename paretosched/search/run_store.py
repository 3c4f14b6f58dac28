"""The store of a run, `run.sqlite`: a row for each evaluation, and a copy of `run.json`.

Every row has a checksum (CRC-32), so that a damage of the disk is found when the row is read. Stores of version 0.1
have neither checksums nor a copy; they get both when they are opened for writing.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.limits import check_limit
from ..core.run_files import ABOUT, EVALUATION, check_schema, reading

COLUMNS = ("number", "generation", "genome", "objectives", "seconds", "checksum")
# number, generation, genome, objectives, seconds
Row = tuple[int, int, bytes, bytes, float]
HEAD = struct.Struct("<qqdq")
ROW_BYTES = 300  # of a row in memory, without its genome and objectives
ADVICE = {
    "locked": "another program has this file open; close it",
    "disk i/o error": "the disk fails, or files may not be so large here; SQLite needs a local file system",
    "full": "make room on the disk; the same command continues the run",
    "readonly": "the file or its folder is read-only",
    "unable to open": "is its folder there, and may you write in it?",
    "is gone": "put the file back from a copy, or begin a run in another directory",
    "malformed": "the file was damaged; put it back from a copy, or begin a run in another directory",
}


def checksum(row: Row) -> int:
    """Return the checksum of an evaluation: CRC-32 of all its values."""
    number, generation, genome, objectives, seconds = row
    return zlib.crc32(HEAD.pack(number, generation, seconds, len(genome)) + genome + objectives)


def connect(path: Path, about: Mapping[str, Any]) -> sqlite3.Connection:
    """Open a store for writing; a new one gets its tables, and one of an earlier version what it lacks.

    Parameters
    ----------
    path
        The file.
    about
        The content of `run.json`, for a store that has no copy.

    Raises
    ------
    InputError
        The file is damaged or something else, or the file system is none for SQLite.
    """
    connection = None
    try:
        connection = sqlite3.connect(path)
        check_schema(connection)
        mode = connection.execute("pragma journal_mode = wal").fetchone()[0]
        if mode != "wal":
            raise InputError(
                f"{path}: SQLite cannot keep a journal (WAL) here, as on network file systems; name a directory on a "
                "local disk"
            )
        connection.execute("pragma synchronous = normal")
        _complete(connection, about)
    except BaseException as error:
        if connection is not None:
            connection.close()
        if isinstance(error, sqlite3.Error):
            raise _unreadable(path, error) from None
        raise
    return connection


def _complete(connection: sqlite3.Connection, about: Mapping[str, Any]) -> None:
    """Make the tables and checksums that are missing in a store."""
    columns = _columns(connection, "evaluation")
    if columns not in ((), COLUMNS[:-1], COLUMNS):
        raise sqlite3.DatabaseError("its table has other columns")
    has_about = bool(_columns(connection, "about"))
    if has_about and not columns:
        raise sqlite3.DatabaseError("its table of evaluations is gone")
    if columns == COLUMNS and has_about:
        return
    with connection:
        connection.execute("begin immediate")
        if not columns:
            connection.execute(EVALUATION)
        elif columns != COLUMNS:
            rows = connection.execute("select * from evaluation").fetchall()
            connection.execute("alter table evaluation add column checksum integer")
            sums = ((checksum(row), row[0]) for row in rows if _is_whole(row))
            connection.executemany("update evaluation set checksum = ? where number = ?", sums)
        if not has_about:
            connection.execute(ABOUT)
            _put_about(connection, about)


def _columns(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Return the names of the columns of a table; none if there is no such table."""
    return tuple(row[1] for row in connection.execute(f"pragma table_info({table})"))


def _put_about(connection: sqlite3.Connection, about: Mapping[str, Any]) -> None:
    """Write the copy of `run.json` within a transaction."""
    text = json.dumps(about)
    connection.execute("insert or replace into about values (0, ?, ?)", (text, zlib.crc32(text.encode())))


def put(
    path: Path, connection: sqlite3.Connection, rows: Iterable[Row], about: Mapping[str, Any] | None = None
) -> None:
    """Store evaluations, and the copy of `run.json` if `about` is given, in one transaction.

    Raises
    ------
    InputError
        They cannot be stored; then none is.
    """
    try:
        with connection:
            with_sums = ((*row, checksum(row)) for row in rows)
            connection.executemany("insert into evaluation values (?, ?, ?, ?, ?, ?)", with_sums)
            if about is not None:
                _put_about(connection, about)
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot store evaluations: {_words(error)}") from None


def get(path: Path, connection: sqlite3.Connection | None = None) -> list[Row]:
    """Return all evaluations of a store, in their order.

    Parameters
    ----------
    path, connection
        The file, and its open connection if there is one.

    Raises
    ------
    InputError
        The store is damaged; the message names the first evaluation that is not as it was stored.
    """
    try:
        if connection is None:
            with reading(path) as connection_to_read:
                return _intact_rows(path, connection_to_read, "run")
        return _intact_rows(path, connection, None)
    except sqlite3.Error as error:
        raise _unreadable(path, error) from None


def fault(path: Path) -> str:
    """Return in words what is wrong with a store that another command wrote, "" if nothing is; it is not changed."""
    try:
        with reading(path) as connection:
            for _ in _rows(path, connection):
                pass
    except InputError as error:
        return str(error)
    except sqlite3.Error as error:
        return str(_unreadable(path, error))
    return ""


def _intact_rows(path: Path, connection: sqlite3.Connection, limit: str | None) -> list[Row]:
    """Return all evaluations after their numbers and checksums were compared; the limit, if any, is for their memory.

    A run that is written here has no limit: it must not end when it has evaluated everything.
    """
    size = 0
    evaluations: list[Row] = []
    for row in _rows(path, connection):
        evaluations.append(row)
        size += ROW_BYTES + len(row[2]) + len(row[3])
        if limit is not None:
            check_limit(path, limit, size)
    return evaluations


def _rows(path: Path, connection: sqlite3.Connection) -> Iterator[Row]:
    """Yield all evaluations, each after its number and checksum were compared."""
    has_checksums = _columns(connection, "evaluation") != COLUMNS[:-1]
    columns = ", ".join(COLUMNS if has_checksums else COLUMNS[:-1])
    rows = connection.execute(f"select {columns} from evaluation order by number")  # noqa: S608  # our names
    for i, row in enumerate(rows):  # the number is the key of the table, so it is an integer
        if row[0] != i or not _is_whole(row):
            raise InputError(
                f"{path}: evaluation {i} must be there with its genes and objectives, but is not; put the file back "
                "from a copy, or begin a run in another directory"
            )
        if has_checksums and checksum(row[:5]) != row[5]:
            raise InputError(
                f"{path}: evaluation {i} is not as it was stored, by its checksum: the file was damaged or changed; "
                "put it back from a copy, or begin a run in another directory"
            )
        yield row[:5]


def _is_whole(row: tuple[Any, ...]) -> bool:
    """Return whether the values of a row have the types that are stored."""
    _, generation, genome, objectives, seconds, *_ = row
    return type(generation) is int and type(genome) is bytes and type(objectives) is bytes and type(seconds) is float


def count(path: Path) -> int | None:
    """Return how many evaluations a store has, 0 if there is none yet; None if it cannot be read.

    A process that was killed while it made the store may have left a file without any table.
    """
    if not path.exists():
        return 0
    try:
        with reading(path) as connection:
            if not connection.execute("select count(*) from sqlite_master").fetchone()[0]:
                return 0
            number: int = connection.execute("select coalesce(max(number) + 1, 0) from evaluation").fetchone()[0]
    except sqlite3.Error:
        return None
    return number


def _unreadable(path: Path, error: sqlite3.Error) -> InputError:
    """Return the error for a store that SQLite cannot read."""
    return InputError(f"{path}: not a readable store of evaluations: {_words(error)}")


def _words(error: sqlite3.Error) -> str:
    """Return an error of SQLite with what to do about it."""
    text = str(error)
    return next((f"{text}; {advice}" for part, advice in ADVICE.items() if part in text.lower()), text)
