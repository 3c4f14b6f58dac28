"""Where the workload of a front is: the owner names the log, or the run says where it came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..core.errors import InputError
from ..fronts.front import Front
from ..workload.reopening import reopened
from ..workload.workload import Workload


def finder(
    path: str | os.PathLike[str], front: Front, named: Workload | None = None, words: Sequence[str] = ()
) -> Callable[[], tuple[Workload, Sequence[str]]]:
    """Return the function that finds the workload of a run or front, and what `paretosched train` reads it from.

    Parameters
    ----------
    path, front
        Run directory or front file, and what it holds.
    named, words
        The workload, if the owner named it, and the log and options with which he did; it must be the one. Without
        it the run is asked, and `paretosched train` is given the run.

    Raises
    ------
    InputError
        The log that was named is another workload.
    """
    if named is not None:
        if named.digest != front.digest:
            raise InputError(
                f"{words[0]}: is not the workload of the front: jobs, capacity and groups, but {path} is of "
                f"{front.workload} ({front.digest[:12]}), not of {named.name} ({named.digest[:12]})"
            )
        return lambda: (named, words)

    def find() -> tuple[Workload, Sequence[str]]:
        try:
            workload, run = reopened(path, front.digest)
        except InputError as error:
            raise InputError(
                f"The log of {front.workload} was not found; name it to see EASY and others, and to train: "
                f"paretosched app {Path(path).name} --trace TRACE ({error})"
            ) from None
        return workload, [str(run)]

    return find
