"""The workload of a front: the owner names the log, or the run has recorded where it came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..core.errors import InputError
from ..fronts.front import Front
from ..workload.reopening import reopen_with_run
from ..workload.workload import Workload


def finder(
    path: str | os.PathLike[str], front: Front, workload: Workload | None = None, words: Sequence[str] = ()
) -> Callable[[], tuple[Workload, Sequence[str]]]:
    """Return a function that finds the workload of a front, and the words with which `paretosched train` reads it.

    Parameters
    ----------
    path, front
        Run directory or front file, and the front in it.
    workload, words
        The workload that the owner named, and the log and options that name it; it must be the workload of the front.
        By default the run says where its workload is, and `paretosched train` gets the run.

    Raises
    ------
    InputError
        The owner named another workload.
    """
    if workload is not None:
        if workload.digest != front.digest:
            raise InputError(
                f"{words[0]}: is not the workload of the front: jobs, capacity and groups, but {path} is of "
                f"{front.workload} ({front.digest[:12]}), not of {workload.name} ({workload.digest[:12]}); "
                "name the log with the capacity, groups and overrun of the run, or no log where the run knows its own"
            )
        return lambda: (workload, words)

    def find() -> tuple[Workload, Sequence[str]]:
        try:
            workload, run = reopen_with_run(path, front.digest)
        except InputError as error:
            raise InputError(
                f"The log of {front.workload} was not found; name it to see EASY and others, and to train: "
                f"paretosched app {Path(path).name} --trace TRACE ({error})"
            ) from None
        return workload, [str(run)]

    return find
