"""A run on disk: every evaluation, in a form that survives a kill at any moment.

A run directory holds

- `run.sqlite`: one row an evaluation (number, generation, genome, objective values, CPU seconds), SQLite in WAL mode,
  one transaction a generation; genome and values are little-endian float64;
- `run.json`: parameters, software, workload, times; written as a whole by atomic rename;
- `front.parquet`: the published front, written likewise.

The process that writes holds a lock (flock) on the directory. The system takes it back however the process ends.

There is no checkpoint. Evolution is reproducible, so a run is continued by replay: the algorithm starts again from its
seed and is sent the stored values for as long as it asks for the stored genomes, bit for bit. Therefore a run that was
killed and continued equals a run that was not, and nothing on disk is code (as a pickle is).
SQLite in WAL mode needs a local file system.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arguments import as_list, as_path
from ..core.arrays import Floats
from ..core.errors import InputError, first_few
from ..core.files import read_text, replacing, unreadable
from ..fronts.front_files import FRONT_FILE
from ..workload.reopening import RUN_FILE

FORMAT = "paretosched run 1"
STORE_FILE = "run.sqlite"
SCHEMA = """
create table if not exists evaluation (
    number integer primary key, generation integer not null, genome blob not null, objectives blob not null,
    seconds real not null
)
"""


@dataclass(frozen=True, eq=False)
class Archive:
    """Evaluations in their order.

    Attributes
    ----------
    genomes
        (n, d) float64.
    values
        (n, m) float64, natural units; NaN where undefined.
    seconds
        (n,) float64, CPU seconds of each simulation.
    """

    genomes: Floats
    values: Floats
    seconds: Floats

    def __len__(self) -> int:
        return len(self.seconds)

    def part(self, first: int, last: int | None = None) -> Archive:
        """Return the evaluations from number `first` to before `last`."""
        return Archive(self.genomes[first:last], self.values[first:last], self.seconds[first:last])


@dataclass(frozen=True, eq=False)
class Run:
    """A run directory, locked for writing.

    Attributes
    ----------
    directory
        Its path.
    about
        The content of `run.json` when the run was opened.
    connection
        The open store.
    """

    directory: Path
    about: Mapping[str, Any]
    connection: sqlite3.Connection


@contextmanager
def open_run(directory: str | os.PathLike[str], parameters: Mapping[str, Any]) -> Iterator[Run]:
    """Open a run for writing: a new run, or one that is continued.

    Parameters
    ----------
    directory
        A run directory, or a directory that is empty or does not exist; its parent must exist.
    parameters
        What determines the run, plain JSON values. A run that exists must have the same.

    Raises
    ------
    InputError
        The directory is something else or cannot be written, the run has other parameters, another process writes
        it, or a file of it is damaged.
    """
    path = as_path(directory)
    try:
        is_new = not path.exists()
        path.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise InputError(f"{path}: cannot make a run directory here: {error.strerror}") from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{path}: a run is written by one process at a time, but {_holder(path)} has it") from None
        was_empty = not any(path.iterdir())
        try:
            about = _claim(path, parameters)
            connection = _connect(path / STORE_FILE)
        except BaseException:
            if was_empty:
                _remove(path, is_new)
            raise
        with closing(connection):
            run = Run(path, about, connection)
            try:
                yield run
            except BaseException:
                # after any error, a run without evaluations is of no use; a run with a front must have had some
                if _is_empty(run) and not (path / FRONT_FILE).exists():
                    connection.close()
                    _remove(path, is_new)
                raise
    finally:
        os.close(handle)


def _remove(path: Path, directory: bool) -> None:
    """Remove a run without evaluations, and its directory if that was made for it."""
    for file in path.glob(f"{STORE_FILE}*"):
        file.unlink()
    (path / RUN_FILE).unlink(missing_ok=True)
    if directory:
        path.rmdir()


def _claim(path: Path, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of `run.json` if it has these parameters; write one into an empty directory."""
    if (path / RUN_FILE).exists():
        about = read_about(path)
        for key, value in parameters.items():
            stored_value = about.get("parameters", {}).get(key)
            if stored_value != value:
                if key in ("workload", "workloads"):
                    raise InputError(
                        f"{path}: a run is continued with the workload that it began with, {_workload_names(about)}, "
                        f"but its digest is {_digests(stored_value)}, not {_digests(value)}; give the same log with "
                        "the same capacity and groups, or another run directory"
                    )
                if isinstance(stored_value, dict) and isinstance(value, dict):  # show only what differs
                    same = {name for name in value if name in stored_value and stored_value[name] == value[name]}
                    stored_value, value = (
                        {k: v for k, v in part.items() if k not in same} for part in (stored_value, value)
                    )
                raise InputError(
                    f"{path}: a run is continued with its own parameters, but its {key} is "
                    f"{_short(stored_value)}, not {_short(value)}"
                )
        return about
    other_files = sorted(p.name for p in path.iterdir() if not p.name.startswith(f".{RUN_FILE}."))
    if other_files:
        raise InputError(f"{path}: must be a run directory or empty, but has no {RUN_FILE} and holds {other_files[0]}")
    about = {"format": FORMAT, "parameters": dict(parameters)}
    write_about(path, about)
    return about


def _workload_names(about: Mapping[str, Any]) -> str:
    """Return the names of the workloads of a run in words, as far as its `run.json` has them."""
    workload = about.get("workload")
    names = about.get("workloads", [workload.get("name")] if isinstance(workload, dict) else [])
    return ", ".join(str(name) for name in names) if isinstance(names, list) and names else "which has no name"


def _digests(value: Any) -> str:
    """Return the digest of a workload, or of several, short enough for a message."""
    return first_few(str(digest)[:12] for digest in as_list(value))


def _short(value: Any) -> str:
    """Return a value as text of at most 100 characters."""
    text = str(value)
    return text if len(text) <= 100 else text[:97] + "..."


def append(run: Run, generation: int, first: int, archive: Archive) -> None:
    """Store evaluations number `first`, `first` + 1, ... in one transaction."""
    rows = (
        (first + i, generation, genome.astype("<f8").tobytes(), values.astype("<f8").tobytes(), float(seconds))
        for i, (genome, values, seconds) in enumerate(
            zip(archive.genomes, archive.values, archive.seconds, strict=True)
        )
    )
    try:
        with run.connection:
            run.connection.executemany("insert into evaluation values (?, ?, ?, ?, ?)", rows)
    except sqlite3.Error as error:
        raise InputError(f"{run.directory / STORE_FILE}: cannot store evaluations: {error}") from None


def read_archive(run: Run, genes: int, objectives: int) -> Archive:
    """Return all evaluations of a run.

    Parameters
    ----------
    run
        An open run.
    genes, objectives
        Length of a genome and of a vector of objective values.

    Raises
    ------
    InputError
        The store is damaged.
    """
    where = run.directory / STORE_FILE
    try:
        rows = run.connection.execute(
            "select number, genome, objectives, seconds from evaluation order by number"
        ).fetchall()
    except sqlite3.Error as error:
        raise InputError(f"{where}: not a readable store of evaluations: {error}") from None
    for i, (number, genome, values, seconds) in enumerate(rows):
        whole = isinstance(genome, bytes) and isinstance(values, bytes) and isinstance(seconds, float)
        if number != i or not whole or len(genome) != 8 * genes or len(values) != 8 * objectives:
            raise InputError(
                f"{where}: evaluation {i} must be there with {genes} genes and {objectives} objectives, but is not"
            )
    return Archive(
        np.frombuffer(b"".join(row[1] for row in rows), dtype="<f8").reshape(-1, genes).astype(np.float64),
        np.frombuffer(b"".join(row[2] for row in rows), dtype="<f8").reshape(-1, objectives).astype(np.float64),
        np.array([row[3] for row in rows], dtype=np.float64),
    )


def writer(directory: str | os.PathLike[str]) -> str | None:
    """Return the name of the process that writes a run, as far as the run knows it; None if no process does.

    It takes the lock for a moment, so do not call it for a run that is just about to be opened.
    """
    try:
        handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _holder(Path(directory))
    finally:
        os.close(handle)
    return None


def read_values(directory: str | os.PathLike[str]) -> tuple[Floats, Floats]:
    """Return what a run has evaluated, without its genomes; the run may be written meanwhile.

    Returns
    -------
    values, seconds
        (n, m) objective values in the order of evaluation, natural units; (n,) CPU seconds of each.

    Raises
    ------
    InputError
        There is no run, it has no evaluations, or its store is damaged.
    """
    where = Path(directory) / STORE_FILE
    if not where.is_file():
        raise InputError(f"{directory}: a run directory must hold {STORE_FILE}, but there is none")
    try:
        with closing(sqlite3.connect(where)) as connection:
            rows = connection.execute("select objectives, seconds from evaluation order by number").fetchall()
        values = np.frombuffer(b"".join(row[0] for row in rows), dtype="<f8").reshape(len(rows), -1)
        seconds = np.array([row[1] for row in rows], dtype=np.float64)
    except (sqlite3.Error, TypeError, ValueError) as error:
        raise InputError(f"{where}: not a readable store of evaluations: {error}") from None
    return values.astype(np.float64), seconds


def write_about(directory: Path, about: Mapping[str, Any]) -> None:
    """Write `run.json` as a whole."""
    with replacing(directory / RUN_FILE) as temporary:
        temporary.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def read_about(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of `run.json` of a run directory.

    Raises
    ------
    InputError
        It is missing or damaged.
    """
    path = Path(directory) / RUN_FILE
    try:
        about = json.loads(read_text(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f'{path}: must be an object with "format": "{FORMAT}", but is not')
    for key, kind in {"parameters": dict, "versions": dict, "sessions": list}.items():
        if not isinstance(about.get(key, kind()), kind):
            raise InputError(f'{path}: "{key}" must be a JSON {"object" if kind is dict else "array"}, but is not')
    return about


def known_parameters(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the parameters of a run; none if there is no run."""
    if not os.path.isfile(as_path(directory) / RUN_FILE):  # noqa: PTH113  # Path.is_file() raises for long names
        return {}
    parameters: dict[str, Any] = read_about(directory).get("parameters", {})
    return parameters


def wanted_evaluations(directory: str | os.PathLike[str]) -> int | None:
    """Return how many evaluations a run was meant to have; None if there is no run or no such number."""
    if not os.path.isfile(as_path(directory) / RUN_FILE):  # noqa: PTH113  # Path.is_file() raises for long names
        return None
    evaluations = read_about(directory).get("evaluations")
    number = evaluations.get("wanted") if isinstance(evaluations, dict) else None
    return number if isinstance(number, int) else None


def _is_empty(run: Run) -> bool:
    """Return whether a run has no evaluations."""
    try:
        return not run.connection.execute("select exists (select * from evaluation)").fetchone()[0]
    except sqlite3.Error:
        return False  # damaged, which is not empty


def _holder(directory: Path) -> str:
    """Return the name of the process that has a run open, from its `run.json`."""
    try:
        return str(read_about(directory)["process"])
    except (InputError, KeyError):
        return "another process"


def _connect(path: Path) -> sqlite3.Connection:
    """Open the store of a run, and make its table if there is none."""
    connection = None
    try:
        connection = sqlite3.connect(path)
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
        with connection:
            connection.execute(SCHEMA)
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise InputError(f"{path}: not a readable store of evaluations: {error}") from None
    return connection
