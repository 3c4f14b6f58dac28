"""Where the workload of a front is: fronts know its name and digest, and runs also the command that made them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ..core.errors import InputError
from ..fronts.front import Front
from ..search import runs as store
from ..workload.workload import Workload

READING = ("--capacity", "--groups")  # options that say how a log is read


def finder(
    path: str | os.PathLike[str], front: Front, given: Sequence[str], read: Callable[[Sequence[str]], Workload]
) -> Callable[[], tuple[Workload, Sequence[str]]]:
    """Make the function that finds the workload of a run or front.

    Parameters
    ----------
    path, front
        Run directory or front file, and what it holds.
    given
        The log and options, if the owner named it: it is read now, and must be the one. Else the commands that made
        the run are tried.
    read
        Reads a workload, given a log and options as on the command line.

    Raises
    ------
    InputError
        The log that was named is another workload, or cannot be read.
    """
    if given:
        workload = read(given)
        if workload.digest != front.digest:
            raise InputError(
                f"{given[0]}: is not the workload of the front: jobs, capacity and groups, but {path} is of "
                f"{front.workload} ({front.digest[:12]}), not of {workload.name} ({workload.digest[:12]})"
            )
        return lambda: (workload, given)

    def find() -> tuple[Workload, Sequence[str]]:
        for words in _told(Path(path)):
            try:
                workload = read(words)
            except InputError:
                continue
            if workload.digest == front.digest:
                return workload, words
        raise InputError(
            f"The log of {front.workload} was not found; name it to see EASY and others, and to train: "
            f"paretosched app {Path(path).name} --trace TRACE"
        )

    return find


def _told(place: Path) -> Iterator[list[str]]:
    """List what the commands say that made a run, or the run a front file lies in or beside."""
    for directory in dict.fromkeys([place, place.parent]):
        try:
            sessions = store.read_about(directory).get("sessions", [])
        except InputError:
            continue
        commands = [s.get("command") for s in sessions if isinstance(s, dict)]
        tried = []
        for command in commands:
            if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
                continue
            options = [x for key in READING for x in _option(command, key)]
            for base in (Path(), directory.parent):
                for word in command[1:]:
                    if word.endswith((".swf", ".swf.gz")) and os.path.isfile(base / word):  # noqa: PTH113
                        words = [str(base / word), *options]
                        if words not in tried:
                            tried.append(words)
        yield from tried


def _option(command: Sequence[str], key: str) -> list[str]:
    """Find an option and its value in a command."""
    for word, value in zip(command, [*command[1:], ""], strict=True):
        if word == key:
            return [key, value]
        if word.startswith(f"{key}="):
            return [key, word.removeprefix(f"{key}=")]
    return []
