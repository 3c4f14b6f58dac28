"""Refusing outputs that would destroy an input or another file: for every command, before it begins.

Options declare what they read and write, see `options.Name`. No output may be

- an input, also through links: a file that an option names, a file of a run that it names, or the log of this run;
- another output of the same command;
- in a run directory under a name that the run uses, or in the folder of a page;
- the merged front of a plan, or of other runs beside it, unless the command merges all of them again;
- a file of another kind than the one that is written.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.errors import InputError, first_few
from ..core.files import NAMES_ENDING, check_writable, exists, is_file, is_folder
from ..core.run_files import FRONT_FILE, RUN_FILE, STORE_FILE, is_run, runs_below
from .file_kinds import Kind, kind_of
from .options import TRACE, Name
from .parser import Parser

DIRECTORIES = (Kind.RUN_DIRECTORY, Kind.FIGURES, Kind.LOGS, Kind.DEPLOYMENT)
PICTURES = (".png", ".svg", ".pdf")  # the files in a directory of figures


class Input(NamedTuple):
    """A file or directory that a command may read.

    Attributes
    ----------
    path, what
        Its path, and what messages call it.
    """

    path: str
    what: str


class Output(NamedTuple):
    """A file or directory that a command writes.

    Attributes
    ----------
    option, path
        The option, such as "--output", and its value.
    kind
        What is written there.
    """

    option: str
    path: str
    kind: Kind


def check_outputs(parser: Parser, options: argparse.Namespace) -> None:
    """Refuse outputs that cannot be written, or would destroy an input or another file.

    Parameters
    ----------
    parser, options
        The parser of a command, whose arguments declare what they read and write; and what it parsed.

    Raises
    ------
    InputError
        An output must not be written; the message says why, and what to do.
    """
    outputs = _outputs(parser, options)
    inputs = _without_continued(list(_inputs(parser, options)), outputs) if outputs else []
    run_directories = [output.path for output in outputs if output.kind == Kind.RUN_DIRECTORY]
    for i, output in enumerate(outputs):
        if output.kind not in DIRECTORIES:
            check_writable(output.path)
        others = [Input(other.path, f"what {other.option} writes") for other in outputs[:i]]
        for path, what in (*inputs, *others):
            if _same(path, output.path):
                raise InputError(f"{output.path}: {output.option} would overwrite {what}; give it another name")
        _check_place(output, run_directories)
        _check_front_of_plan(output, inputs)
        if output.kind == Kind.RUN_DIRECTORY:
            _check_run_directory(output, inputs)
        elif output.kind in DIRECTORIES:
            _check_other_directory(output, (*inputs, *others))
        else:
            _check_kind(output)


# --- what a command reads and writes ----------------------------------------------------------------------------------


def _outputs(parser: Parser, options: argparse.Namespace) -> list[Output]:
    """Return the outputs that the command line names, directories last."""
    outputs = [
        Output(action.option_strings[-1], path, action.type.writes)
        for action in parser._actions
        if isinstance(action.type, Name) and action.type.writes is not None
        for path in _values(action, options)
    ]
    outputs += [
        Output(output.option, f"{output.path}{NAMES_ENDING}", Kind.NAMES)
        for output in outputs
        if output.kind == Kind.LOG
    ]
    return sorted(outputs, key=lambda output: output.kind in DIRECTORIES)


def _inputs(parser: Parser, options: argparse.Namespace) -> Iterator[Input]:
    """Yield the inputs that the command line names, with the files of runs and the logs that runs have recorded."""
    from ..workload.recorded_sources import recorded_files

    for action in parser._actions:
        if not isinstance(action.type, Name) or not action.type.reads:
            continue
        for path in _values(action, options):
            if not exists(path):  # words, such as "easy"; or a missing file, an error later
                continue
            yield Input(path, action.type.reads)
            if is_file(path) and action.type.reads == TRACE.reads:  # also where it has none: it would be read as these
                yield Input(f"{path}{NAMES_ENDING}", f"the names of {path}")
            for directory in filter(is_run, (Path(path), *Path(path).glob("*"))):  # a run, or the runs of a plan
                yield from (Input(str(directory / name), f"a file of the run {directory}") for name in _names_of_run())
            yield from (Input(str(file), f"the log that {path} has recorded") for file in recorded_files(path))


def _without_continued(inputs: Sequence[Input], outputs: Sequence[Output]) -> Sequence[Input]:
    """Return the inputs without the run that `explore RUN -o RUN` continues on its own log: nothing of it is lost."""
    traces = [path for path, what in inputs if what == TRACE.reads and is_run(path)]
    runs = [output.path for output in outputs if (output.option, output.kind) == ("--output", Kind.RUN_DIRECTORY)]
    continued = [run for run in runs if any(_same(path, run) for path in traces)]
    if not continued:
        return inputs
    folder = Path(os.path.realpath(continued[0]))
    own = {str(run / name) for run in (folder, *runs_below(folder)) for name in _names_of_run()}
    return [
        Input(path, what)
        for path, what in inputs
        if os.path.realpath(path) not in own and not (what == TRACE.reads and _same(path, continued[0]))
    ]


def _values(action: argparse.Action, options: argparse.Namespace) -> list[str]:
    """Return the values of an argument, none if it is not on the command line."""
    value = getattr(options, action.dest, None)
    return [] if value is None else [value] if isinstance(value, str) else [*value]


def _same(path: str, other: str) -> bool:
    """Return whether two paths are one file, also through links; or will be, if files of their names are written."""
    try:
        return Path(path).samefile(other)
    except OSError:  # one of them does not exist yet
        (folder, name), (other_folder, other_name) = (os.path.split(os.path.realpath(p)) for p in (path, other))
    if folder != other_folder or name.casefold() != other_name.casefold():
        return False
    return name == other_name or _folds_case(folder)


def _folds_case(folder: str) -> bool:
    """Return whether capitals make no difference in the file names of a folder."""
    import tempfile

    try:
        with tempfile.NamedTemporaryFile(prefix=".a", suffix=".part", dir=folder) as file:
            return exists(Path(file.name).with_name(Path(file.name).name.swapcase()))
    except OSError:  # nothing can be written there at all
        return False


# --- the folder of an output ------------------------------------------------------------------------------------------


def _check_place(output: Output, run_directories: Sequence[str]) -> None:
    """Refuse an output that would replace a file of a run or of a page.

    `run_directories` are those that this command writes. So a training of the page may write its policy beside its
    run: that is where the page looks for it.
    """
    folders = [Path(os.path.realpath(run)) for run in run_directories]
    for path in {Path(os.path.abspath(output.path)), Path(os.path.realpath(output.path))}:  # noqa: PTH100  # a link
        folder = Path(os.path.realpath(path.parent))
        if _is_page_folder(folder):
            of_training = [run for run in folders if path.name in (run.name, f"{run.name}.policy.json")]
            if not any(run.parent == folder for run in of_training):
                raise InputError(f"{output.path}: this is a folder of the page; write {output.option} to another one")
        if (folder in folders or is_run(folder)) and path.name.casefold() in _names_of_run():
            raise InputError(
                f"{output.path}: {output.option} would overwrite a file of the run {folder}; give it another name"
            )


def _check_front_of_plan(output: Output, inputs: Sequence[Input]) -> None:
    """Refuse an output that would replace the merged front of runs beside it, unless it merges all of them again.

    The front of a plan is such a front. So is one that a user has merged and wants to bring up to date.
    """
    from ..core.errors import printable

    path = Path(os.path.realpath(output.path))
    runs = {printable(run.name): run for run in runs_below(path.parent)}
    if not runs or path.name.casefold() != FRONT_FILE or not is_file(path):
        return
    from ..fronts.front_files import load_front

    try:
        row_names = {origin.name for origin in load_front(path).origins}
    except InputError:  # it is no front, see `_check_kind`
        return
    paths = {os.path.realpath(path) for path, _ in inputs}
    missing = [name for name in sorted(row_names & runs.keys()) if os.path.realpath(runs[name]) not in paths]
    if row_names <= runs.keys() and missing:
        raise InputError(
            f"{output.path}: {output.option} would overwrite the front of all runs in {path.parent} by one without "
            f"{first_few(missing)}; give it another name"
        )


def _names_of_run() -> frozenset[str]:
    """Return the names that a run may use in its directory."""
    side_files = [f"{STORE_FILE}-{part}" for part in ("wal", "shm", "journal")]
    return frozenset({RUN_FILE, FRONT_FILE, STORE_FILE, *side_files})


def _is_page_folder(folder: Path) -> bool:
    """Return whether a folder keeps the work of a page: RUN.app beside RUN."""
    from ..app.page_folder import ENDING

    return folder.suffix == ENDING and exists(folder.with_suffix(""))


# --- what an output would replace -------------------------------------------------------------------------------------


def _check_kind(output: Output) -> None:
    """Refuse an output that would replace a file of another kind."""
    if not is_file(output.path):
        return
    kind = kind_of(output.path)
    if kind == Kind.UNKNOWN:
        raise InputError(
            f"{output.path}: is not {output.kind} that paretosched wrote; give {output.option} another name, or delete "
            "the file first"
        )
    if kind not in (output.kind, Kind.EMPTY):
        raise InputError(
            f"{output.path}: {output.option} would write {output.kind} over {kind}; give it another name, or delete "
            "the file first"
        )


def _check_run_directory(output: Output, inputs: Sequence[Input]) -> None:
    """Refuse a run directory that contains an input, or files but no run."""
    directory = Path(os.path.realpath(output.path))
    if not is_folder(directory):  # it is new, or `open_run` says why it cannot be
        return
    for path, what in inputs:
        if Path(os.path.realpath(path)).is_relative_to(directory):
            raise InputError(
                f"{output.path}: {output.option} is a directory that contains {what}; give it another name"
            )
    try:
        parts = [] if is_run(directory) else _entries(directory)
        others = [] if any(is_run(part) for part in parts) else [p for p in parts if not p.is_dir() or _entries(p)]
    except OSError:
        return  # `open_run` says what cannot be read
    if others:
        raise InputError(
            f"{output.path}: must be a run directory or empty, but has no {RUN_FILE} and holds {others[0].name}"
        )


def _entries(directory: Path) -> list[Path]:
    """Return what is in a directory, without files that an interrupted command has left there."""
    return sorted(path for path in directory.iterdir() if not (path.name[0] == "." and path.suffix == ".part"))


def _check_other_directory(output: Output, files: Sequence[Input]) -> None:
    """Refuse a directory of figures, logs or a deployment that is one of a run or page, or that would lose a file."""
    directory = Path(os.path.realpath(output.path))
    if is_run(directory) or _is_page_folder(directory):
        raise InputError(f"{output.path}: is a directory of a run or page; give {output.option} another name")
    if output.kind != Kind.FIGURES or not is_folder(directory):
        return
    pictures = [path for path in directory.glob("*") if path.suffix in PICTURES and path.is_file()]
    for path, what in files:
        place = Path(os.path.realpath(path))
        is_picture = place.parent == directory and place.suffix in PICTURES
        if is_picture or any(_same(path, str(picture)) for picture in pictures):
            raise InputError(f"{output.path}: {output.option} could overwrite {what}; give it another name")
    for picture in pictures:
        _check_kind(Output(output.option, str(picture), Kind.FIGURE))
