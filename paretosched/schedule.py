"""A schedule and the proof, independent of the simulators, that a machine could have run it."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import InputError, first_few
from .files import written
from .workload import Workload
from .workload.model import whole

COLUMNS = ("job", "submit", "start", "finish", "processors", "user", "group")


@dataclass(frozen=True, eq=False)
class Schedule:
    """Start and finish of every job, half-open intervals [start, finish).

    Parameters
    ----------
    workload
        The jobs; row j of `start` is job j of the workload.
    start
        (n,) whole seconds of the trace.
    name
        The policy that made it.

    Raises
    ------
    InputError
        `start` has the wrong length or type.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[3, 2], capacity=4)
    >>> s = Schedule(w, [0, 10])
    >>> s.finish.tolist(), s.check() is s
    ([10, 15], True)
    """

    workload: Workload
    start: NDArray[np.int64]
    name: str = "schedule"

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", whole("start", self.start, len(self.workload)))

    @property
    def finish(self) -> NDArray[np.int64]:
        """(n,) int64 seconds of the trace: start + run."""
        return self.start + self.workload.run

    def check(self) -> Schedule:
        """Prove that every job runs once, none before its submission, and never more than the machine has.

        Returns
        -------
        Schedule
            This schedule, so that checks can stand in a chain.

        Raises
        ------
        InputError
            It is not feasible; the message names the first offenders or the first overfull second.
        """
        w = self.workload
        early = np.flatnonzero(self.start < w.submit)
        if early.size:
            shown = first_few(f"job {w.job[j]} starts at {self.start[j]}, submitted {w.submit[j]}" for j in early)
            raise InputError(f"{self.name}: no job may start before its submission, but {early.size} do: {shown}")
        if (self.finish < self.start).any():
            raise InputError(f"{self.name}: no job may end after second 2^63 - 1")
        when, used = busy(self)
        over = np.flatnonzero(used > w.capacity)
        if over.size:
            i = int(over[0])
            raise InputError(
                f"{self.name}: the machine has {w.capacity} processors, but {used[i]} are in use from "
                f"second {when[i]} on, and more than it has in {over.size} intervals"
            )
        return self


def busy(schedule: Schedule) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the processors in use.

    Returns
    -------
    when : (k,) int64
        Seconds at which the number changes, ascending; finishes of an instant free before its starts take.
    used : (k,) int64
        Processors in use from `when[i]` until `when[i + 1]`.
    """
    w = schedule.workload
    when, place = np.unique(np.concatenate([schedule.start, schedule.finish]), return_inverse=True)
    change = np.zeros(when.size, dtype=np.int64)
    np.add.at(change, place, np.concatenate([w.width, -w.width]))
    return when, np.cumsum(change)


def save_schedule(schedule: Schedule, path: str | os.PathLike[str]) -> None:
    """Write a schedule as CSV: job,submit,start,finish,processors,user,group; one line a job, seconds of the trace.

    `job` is the trace's own job number and `group` the name of the user group.
    """
    w = schedule.workload
    names = np.array(w.groups, dtype=object)
    columns = (w.job, w.submit, schedule.start, schedule.finish, w.width, w.user, names[w.group])
    with written(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(zip(*(column.tolist() for column in columns), strict=True))
