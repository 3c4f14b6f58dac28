"""A run on disk: every evaluation, in a form that survives a kill at any moment.

A run directory holds

- `run.sqlite`: one row an evaluation (number, generation, genome, objective values, CPU seconds, checksum), SQLite in
  WAL mode, stored in the order of their numbers as results come; genome and values are little-endian float64. See
  `run_store`;
- `run.json`: parameters, software, workload, times; written as a whole by atomic rename. The store has a copy;
- `front.parquet`: the published front, written likewise.

The process that writes holds a lock (flock) on the directory. The system takes it back however the process ends.

There is no checkpoint. Evolution is reproducible, so a run is continued by replay: the algorithm starts again from its
seed and is sent the stored values for as long as it asks for the stored genomes, bit for bit. Therefore a run that was
killed and continued equals a run that was not, and nothing on disk is code (as a pickle is).
SQLite in WAL mode needs a local file system.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arguments import as_list, as_path
from ..core.arrays import Floats
from ..core.errors import InputError, first_few
from ..core.files import remove_leftovers, write_json
from ..core.locks import take_lock
from ..core.run_files import FRONT_FILE, RUN_FILE, STORE_FILE, is_run, read_description, runs_below
from ..fronts.front import UTIL_FROM_KEY
from ..simulation.objective import FROM_START
from ..wishes.wish import wish_text
from ..wishes.wish_files import from_json
from . import run_store

FORMAT = "paretosched run 1"
RUNNING, INTERRUPTED, FINISHED = "running", "interrupted", "finished"


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
def open_run(
    directory: str | os.PathLike[str], parameters: Mapping[str, Any], evaluations: int | None = None
) -> Iterator[Run]:
    """Open a run for writing: a new run, or one that is continued.

    Parameters
    ----------
    directory
        A run directory, or a directory that is empty or does not exist; its parent must exist.
    parameters
        What determines the run, plain JSON values. A run that exists must have the same.
    evaluations
        How many are asked for. Ctrl-C leaves this number in a new run, as soon as its directory exists.

    Raises
    ------
    InputError
        The directory is something else or cannot be written, the run has other parameters, another process writes
        it, or a file of it is damaged or gone.
    """
    path = as_path(directory)
    about: dict[str, Any] = {"format": FORMAT, "parameters": dict(parameters)}
    if evaluations is not None:
        about |= {"status": RUNNING, "evaluations": {"wanted": evaluations, "done": 0}}
    try:
        with _open(path, about) as run:
            yield run
    except KeyboardInterrupt:
        if evaluations is not None and path.is_dir() and not is_run(path) and not _other_files(path):
            write_about(path, about)
        raise


@contextmanager
def _open(path: Path, about: Mapping[str, Any]) -> Iterator[Run]:
    """Open a run for writing, see `open_run`; `about` is the first description of a new one."""
    try:
        is_new = not path.exists()
        path.mkdir(exist_ok=True)
        handle = take_lock(path)
    except OSError as error:
        raise InputError(f"{path}: cannot make a run directory here: {error.strerror}") from None
    except InputError:
        if is_new:
            path.rmdir()
        raise
    if handle is None:
        raise InputError(f"{path}: a run is written by one process at a time, but {_holder(path)} has it")
    try:
        remove_leftovers(path)  # of a process that was killed; this one alone writes here now
        was_empty = not any(path.iterdir())
        try:
            about = _claim(path, about)
            connection = run_store.connect(path / STORE_FILE, about)
        except BaseException as error:
            if was_empty and not (isinstance(error, KeyboardInterrupt) and "evaluations" in about):
                _remove(path, is_new)
            raise
        with closing(connection):
            run = Run(path, about, connection)
            try:
                yield run
            except BaseException as error:
                # After an error, a run without evaluations is of no use; a run with a front must have had some, and one
                # with runs in it goes on from these. After Ctrl-C it has the number that was asked for, which the same
                # command goes on with.
                is_useful = (path / FRONT_FILE).exists() or runs_below(path) or _is_asked_for(path, error)
                if _is_empty(run) and not is_useful:
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


def _claim(path: Path, about: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the description of the run if it has the parameters of `about`; write `about` into an empty directory."""
    if is_run(path):
        stored_about = _description(path)
        _check_store(path, stored_about)
        differences = parameter_differences(stored_about, about["parameters"])
        if not differences:
            return stored_about
        if run_store.count(path / STORE_FILE) != 0 or (path / FRONT_FILE).exists():
            raise InputError(f"{path}: {differences[0]}")
    else:
        other_files = _other_files(path)
        if other_files:
            raise InputError(
                f"{path}: must be a run directory or empty, but has no {RUN_FILE} and holds {other_files[0]}"
            )
    write_about(path, about)
    return about


def _other_files(path: Path) -> list[str]:
    """Return the names in a directory, sorted, without those of descriptions that were not written to their end."""
    return sorted(p.name for p in path.iterdir() if not p.name.startswith(f".{RUN_FILE}."))


def _check_store(path: Path, about: Mapping[str, Any]) -> None:
    """Refuse a run that has lost its evaluations: it would begin again, and replace its front by a smaller one."""
    store = path / STORE_FILE
    if store.is_symlink():  # whoever continues the run that has it holds another lock
        raise InputError(f"{store}: must be a file of this run, but is a link; copy the file itself")
    if store.exists() and (not store.is_file() or run_store.count(store) != 0):
        return
    evaluations = about.get("evaluations")
    count = evaluations.get("done") if isinstance(evaluations, dict) else None
    has_front = (path / FRONT_FILE).exists()
    if has_front or about.get("status") == FINISHED or (isinstance(count, int) and count > 0):
        state = "empty" if store.exists() else "gone"
        hint = f" ({FRONT_FILE} here can still be read)" if has_front else ""
        raise InputError(
            f"{path}: {STORE_FILE}, which held the evaluations of this run, is {state}; put it back from a copy, or "
            f"begin a run in another directory{hint}"
        )


FIRST_NAMED = ("task", "encoding", "algorithm")  # where these differ, so may all that follows from them


def parameter_differences(about: Mapping[str, Any], parameters: Mapping[str, Any]) -> list[str]:
    """Return in words which parameters of a run are not these, and the rule."""
    differences = []
    stored = about.get("parameters", {})
    keys = sorted(dict.fromkeys(stored) | dict(parameters), key=lambda key: key not in FIRST_NAMED)
    for key in keys:
        value = parameters.get(key)
        stored_value = stored.get(key)
        if key == UTIL_FROM_KEY:  # a run that does not say it
            stored_value, value = stored_value or FROM_START, value or FROM_START
        if stored_value == value:
            continue
        if key in ("workload", "workloads"):
            differences.append(
                f"a run is continued with the workload that it began with, {_workload_names(about)}, "
                f"but its digest is {_digests(stored_value)}, not {_digests(value)}; give the same log with "
                "the same capacity, groups and overrun, or another run directory"
            )
            continue
        if key == "resampled":
            differences.append(
                "a run is continued with the jobs that it began with, but other parts of the log, or resampled ones, "
                "are asked for; give the same until, resample, seed and margin, or another run directory"
            )
            continue
        if key == "wish" and isinstance(stored_value, dict) and isinstance(value, dict):  # of a training
            words = f"{_wish_words(stored_value)}, not {_wish_words(value)}"
            differences.append(f"a run is continued with its own parameters, but its wish is {words}")
            continue
        if isinstance(stored_value, dict) and isinstance(value, dict):  # show only what differs
            same = {name for name in value if name in stored_value and stored_value[name] == value[name]}
            stored_value, value = ({k: v for k, v in part.items() if k not in same} for part in (stored_value, value))
        asked = f"{_short(stored_value)}, not {_short(value)}"
        if stored_value is None:
            asked = f"not given, and {_short(value)} is asked for"
        differences.append(f"a run is continued with its own parameters, but its {key} is {asked}")
    return differences


def _workload_names(about: Mapping[str, Any]) -> str:
    """Return the names of the workloads of a run in words, as far as its `run.json` has them."""
    workload = about.get("workload")
    names = about.get("workloads", [workload.get("name")] if isinstance(workload, dict) else [])
    return ", ".join(str(name) for name in names) if isinstance(names, list) and names else "which has no name"


def _digests(value: Any) -> str:
    """Return the digest of a workload, or of several, short enough for a message."""
    return first_few(str(digest)[:12] for digest in as_list(value))


def _wish_words(value: Any) -> str:
    """Return a wish of a run file in words, if it is one."""
    try:
        return wish_text(from_json(value))
    except InputError:
        return _short(value)


def _short(value: Any) -> str:
    """Return a value as text of at most 100 characters."""
    text = "given" if value is None else str(value)
    return text if len(text) <= 100 else text[:97] + "..."


def append(run: Run, generations: Sequence[int], first: int, archive: Archive) -> None:
    """Store evaluations number `first`, `first` + 1, ..., each of a generation, in one transaction."""
    genomes, values = (np.ascontiguousarray(x, dtype="<f8") for x in (archive.genomes, archive.values))
    rows = (
        (first + i, generation, genomes[i].tobytes(), values[i].tobytes(), seconds)
        for i, (generation, seconds) in enumerate(zip(generations, archive.seconds.tolist(), strict=True))
    )
    run_store.put(run.directory / STORE_FILE, run.connection, rows)


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
    rows = run_store.get(where, run.connection)
    for number, _, genome, values, _ in rows:
        if len(genome) != 8 * genes or len(values) != 8 * objectives:
            raise InputError(
                f"{where}: evaluation {number} must be there with {genes} genes and {objectives} objectives, but is not"
            )
    return Archive(
        np.frombuffer(b"".join(row[2] for row in rows), dtype="<f8").reshape(-1, genes).astype(np.float64),
        np.frombuffer(b"".join(row[3] for row in rows), dtype="<f8").reshape(-1, objectives).astype(np.float64),
        np.array([row[4] for row in rows], dtype=np.float64),
    )


def writer(directory: str | os.PathLike[str]) -> str | None:
    """Return the name of the process that writes a run, as far as the run knows it; None if no process does."""
    try:
        handle = take_lock(directory, patience=0.0)
    except (OSError, InputError):  # without locks, no process writes
        return None
    if handle is None:
        return _holder(Path(directory))
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
    rows = run_store.get(where)
    try:
        values = np.frombuffer(b"".join(row[3] for row in rows), dtype="<f8").reshape(len(rows), -1)
    except ValueError as error:
        raise InputError(f"{where}: not a readable store of evaluations: {error}") from None
    return values.astype(np.float64), np.array([row[4] for row in rows], dtype=np.float64)


def count_evaluations(directory: str | os.PathLike[str]) -> int:
    """Return how many evaluations a run has stored; it may be written meanwhile.

    Raises
    ------
    InputError
        Its store is damaged.
    """
    count = run_store.count(Path(directory) / STORE_FILE)
    if count is None:
        raise InputError(f"{directory}: {STORE_FILE} cannot be read")
    return count


def describe_run(run: Run, about: Mapping[str, Any], with_copy: bool = True) -> None:
    """Write `run.json` as a whole, and its copy in the store unless the store is to stay as it is."""
    write_about(run.directory, about)
    if with_copy:
        run_store.put(run.directory / STORE_FILE, run.connection, (), about)


def write_about(directory: Path, about: Mapping[str, Any]) -> None:
    """Write `run.json` as a whole."""
    write_json(directory / RUN_FILE, about)


def read_about(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the content of `run.json` of a run directory, or the copy in its store, as it holds now.

    A run that was killed cannot say so. Therefore its status is "running" only if a process holds the lock; otherwise
    it is "interrupted", with the evaluations that are stored.

    Raises
    ------
    InputError
        It is missing or damaged, and there is no copy.
    """
    about = _description(directory)
    if about.get("status") == RUNNING and writer(directory) is None:
        about = _description(directory)  # it may have been finished meanwhile
        if about.get("status") == RUNNING:
            count = run_store.count(Path(directory) / STORE_FILE)
            evaluations = about.get("evaluations")
            if isinstance(evaluations, dict) and count is not None:
                about["evaluations"] = evaluations | {"done": count}
            about["status"] = INTERRUPTED
    return about


def _description(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a run says about itself; raise InputError if it is no description of a run."""
    path = Path(directory) / RUN_FILE
    about = read_description(directory)
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise InputError(f'{path}: must be an object with "format": "{FORMAT}", but is not')
    for key, kind in {"parameters": dict, "versions": dict, "sessions": list}.items():
        if not isinstance(about.get(key, kind()), kind):
            raise InputError(f'{path}: "{key}" must be a JSON {"object" if kind is dict else "array"}, but is not')
    return about


def state_text(directory: str | os.PathLike[str]) -> str:
    """Return in words that a run is interrupted or still running, and how much is done; "" for a finished one."""
    about = read_about(directory)
    evaluations = about.get("evaluations")
    if about.get("status") not in (RUNNING, INTERRUPTED) or not isinstance(evaluations, dict):
        return ""
    amount = f"{evaluations.get('done')} of {evaluations.get('wanted')} evaluations"
    if about["status"] == RUNNING:
        return f"still running, at {amount} when last written ({about.get('process')})"
    return f"interrupted after {amount}; the same command continues it"


def known_parameters(directory: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the parameters of a run; none if there is no run."""
    if not is_run(as_path(directory)):
        return {}
    parameters: dict[str, Any] = _description(directory).get("parameters", {})
    return parameters


def wanted_evaluations(directory: str | os.PathLike[str]) -> int | None:
    """Return how many evaluations a run was meant to have; None if there is no run or no such number."""
    return _wanted_number(directory) if is_run(as_path(directory)) else None


def _wanted_number(directory: str | os.PathLike[str]) -> int | None:
    """Return how many evaluations a run was meant to have; None if it does not say so."""
    evaluations = _description(directory).get("evaluations")
    number = evaluations.get("wanted") if isinstance(evaluations, dict) else None
    return number if isinstance(number, int) else None


def keep_wanted(directory: str | os.PathLike[str], evaluations: int) -> None:
    """Keep how many evaluations were asked for, in a run that has not begun; a run that exists is left alone."""
    if not is_run(directory):
        with open_run(directory, {}, evaluations):
            pass  # the first description has the number


def _is_asked_for(path: Path, error: BaseException) -> bool:
    """Return whether it was Ctrl-C that ended a run, which knows how many evaluations were asked for.

    GeneratorExit is a Ctrl-C before the caller of `open_run` had the run.
    """
    return isinstance(error, KeyboardInterrupt | GeneratorExit) and _wanted_number(path) is not None


def _is_empty(run: Run) -> bool:
    """Return whether a run has no evaluations."""
    try:
        return not run.connection.execute("select exists (select * from evaluation)").fetchone()[0]
    except sqlite3.Error:
        return False  # damaged, which is not empty


def _holder(directory: Path) -> str:
    """Return the name of the process that has a run open, from its `run.json`."""
    try:
        return str(_description(directory)["process"])
    except (InputError, KeyError):
        return "another process"
