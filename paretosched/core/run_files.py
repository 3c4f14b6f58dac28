"""The description of a run: its file run.json, or the copy in the store of its evaluations if that file is lost."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from .errors import InputError
from .files import is_file, read_text, unreadable
from .limits import limits_in_force

RUN_FILE = "run.json"
STORE_FILE = "run.sqlite"
FRONT_FILE = "front.parquet"
WEIGHTINGS = "weightings"  # what sequences begin with by default, and the run of it in that of the sequences
_COLUMNS = (
    "number integer primary key, generation integer not null, genome blob not null, objectives blob not null, "
    "seconds real not null"
)
EVALUATION = f"create table evaluation ({_COLUMNS}, checksum integer not null)"
ABOUT = "create table about (number integer primary key, content text not null, checksum integer not null)"
# without spaces around brackets and commas; two are of runs of version 0.1, before and after they get checksums
SCHEMAS = frozenset(
    re.sub(r"\s*([(),])\s*", r"\1", sql)
    for sql in (
        EVALUATION,
        f"create table evaluation ({_COLUMNS})",
        f"create table evaluation ({_COLUMNS}, checksum integer)",
        ABOUT,
    )
)


def is_run(directory: str | os.PathLike[str]) -> bool:
    """Return whether a directory has a file of a run: its description or its store."""
    return any(is_file(Path(directory) / name) for name in (RUN_FILE, STORE_FILE))


def runs_below(directory: str | os.PathLike[str]) -> list[Path]:
    """Return the run directories in a directory, sorted by name."""
    return sorted({file.parent for name in (RUN_FILE, STORE_FILE) for file in Path(directory).glob(f"*/{name}")})


def read_description(directory: str | os.PathLike[str]) -> Any:
    """Return what `run.json` of a run says, as JSON values; if that file is gone or damaged, what the store has of it.

    Raises
    ------
    InputError
        There is no such file that can be read, and no copy of it.
    """
    path = Path(directory) / RUN_FILE
    try:
        return json.loads(read_text(path, "json"))
    except FileNotFoundError:
        trouble = "no such file"
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, RecursionError) as error:
        trouble = f"not JSON: {error}"
    store = Path(directory) / STORE_FILE
    text = stored_description(store)
    if text is not None:
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    if is_file(store):
        trouble += (
            f"; {STORE_FILE} beside it has no copy, since a run of an earlier version has none: put {RUN_FILE} back "
            "from a copy of your own, or begin a run in another directory"
        )
    raise InputError(f"{path}: {trouble}")


def stored_description(store: Path) -> str | None:
    """Return the copy of `run.json` in the store of a run; None if there is none, or it is damaged."""
    if not is_file(store):
        return None
    try:
        with reading(store) as connection:
            row = connection.execute("select content, checksum from about").fetchone()
    except sqlite3.Error:  # a store of an earlier version, or a damaged one
        return None
    text = row[0] if row else None
    return text if isinstance(text, str) and zlib.crc32(text.encode()) == row[1] else None


@contextmanager
def reading(store: Path) -> Iterator[sqlite3.Connection]:
    """Open a store for reading; it may be written meanwhile, or lie where this process may not write.

    Raises
    ------
    sqlite3.Error
        It cannot be read.
    """
    connection = sqlite3.connect(store)
    try:
        try:
            check_schema(connection)
        except sqlite3.OperationalError:
            # a journal cannot be made in a folder that is read-only; it is not needed if none is left there
            journal = store.with_name(f"{store.name}-wal")
            if os.access(store.parent, os.W_OK) or (journal.exists() and journal.stat().st_size):
                raise
            connection.close()
            connection = sqlite3.connect(f"{store.absolute().as_uri()}?immutable=1", uri=True)
            check_schema(connection)
        with closing(connection):
            yield connection
    finally:
        connection.close()


def check_schema(connection: sqlite3.Connection) -> None:
    """Check that a store has no tables, views or triggers but those of a run, and limit the size of its values.

    A store may come from others. A view or a column that is calculated could give rows without end.

    Raises
    ------
    sqlite3.Error
        It has something else, or is no store.
    """
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits_in_force().json, 1_000_000_000))
    for name, sql in connection.execute("select name, sql from sqlite_master"):
        if re.sub(r"\s*([(),])\s*", r"\1", " ".join(str(sql).lower().split())) not in SCHEMAS:
            raise sqlite3.DatabaseError(f"it has {name!r:.60}, which no run has in this form")
