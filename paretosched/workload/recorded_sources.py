"""What a run says of where its workload came from: the steps, and the files that they need.

The file `run.json` of a run has the source of its workload, see `Workload.source`. Files are searched at their
recorded paths and beside the run. Runs of version 0.1 have no source. They have the commands that made them, with the
log and its options.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..core.errors import InputError
from ..core.files import is_file, is_folder
from ..core.parquet_files import is_parquet
from ..core.run_files import is_run, read_description, runs_below


def recorded_files(place: str | os.PathLike[str]) -> list[Path]:
    """Return the files that `reopen` may read for a run directory or front file: logs, and lists of groups."""
    is_front = is_parquet(place)  # a pipe could be read once only
    if not is_front and not is_folder(place):
        return []
    folder = Path(place).parent if is_front else Path(place)
    files: list[Path] = []
    for directory in runs_at(folder):
        with suppress(InputError):  # a run that cannot be read is not reopened either
            about = read_description(directory)
            files += [
                path
                for steps in (_recorded_sources(about, directory) if isinstance(about, dict) else [])
                for step in (steps if isinstance(steps, list) else [])
                if isinstance(step, dict) and "path" in step
                for path in places(step, (directory.parent, directory))
            ]
    return [path for path in dict.fromkeys(files) if is_file(path)]


def _recorded_sources(about: Mapping[str, Any], directory: Path) -> Sequence[Any]:
    """Return the sources that a run has recorded: of its workload, or of the workloads of a training."""
    workload, sources = about.get("workload"), about.get("sources")
    if isinstance(workload, dict) and workload.get("source"):
        return [workload["source"]]
    return sources if isinstance(sources, list) else [*sources_of_commands(about, directory)]


def runs_at(folder: Path) -> list[Path]:
    """Return the run directories at a place: itself, or those in it."""
    return [folder] if is_run(folder) else runs_below(folder)


def places(entry: Mapping[str, Any], near: Sequence[Path]) -> list[Path]:
    """Return where a file of a step may be, the likely places first."""
    path = Path(str(entry.get("given", entry["path"])))
    beside = [folder / name for folder in near for name in (path, path.name)]
    return [*dict.fromkeys([Path(str(entry["path"])), path, *beside])]


def sources_of_commands(about: Mapping[str, Any], directory: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the sources that the commands of a run of version 0.1 may mean: its run.json has no source."""
    sessions = about.get("sessions")
    for session in sessions if isinstance(sessions, list) else []:
        command = session.get("command") if isinstance(session, dict) else None
        if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
            continue
        capacity, groups = _option(command, "--capacity"), _option(command, "--groups") or "consumption"
        if capacity is not None and not (capacity.isdecimal() and len(capacity) < 10):
            continue
        for base in (Path.cwd(), directory.parent):
            for word in command[1:]:
                if word.endswith((".swf", ".swf.gz")):
                    log = {"path": str(base / word), "capacity": None if capacity is None else int(capacity)}
                    csv = str(base / groups) if is_file(base / groups) else groups
                    yield [{"function": "read_swf", **log}, {"function": "grouped", "how": csv}]


def _option(command: Sequence[str], key: str) -> str | None:
    """Return the value of an option in a command; None if the command does not have it."""
    for word, value in zip(command, [*command[1:], ""], strict=True):
        if word == key:
            return value
        if word.startswith(f"{key}="):
            return word.removeprefix(f"{key}=")
    return None
