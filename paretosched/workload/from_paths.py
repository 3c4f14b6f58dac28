"""Change and write a workload that may also be given as the path of a log or of a run directory.

These are the public functions, with all their documentation. `reopening` opens a run again with the functions of the
same names that they call, which take workloads only, so that no two modules import each other.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from ..core.errors import InputError
from . import log_parquet, resampling, scaling, swf, time_split, user_groups
from .reopening import WorkloadLike, as_workload
from .scaling import PAPER_PROCESSORS
from .user_groups import PAPER_THRESHOLDS
from .workload import Workload


@runtime_checkable
class Grouped(Protocol):
    """A value for user groups, such as a workload, a front or a policy."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the names of the groups."""


GroupsLike = Sequence[str] | str | os.PathLike[str] | Grouped


def as_groups(what: GroupsLike) -> tuple[str, ...]:
    """Return the names of user groups: given as they are, or as what has them.

    Parameters
    ----------
    what
        The names; or a workload, a front or a policy; or the path of a log or of a run directory.

    Raises
    ------
    InputError
        It is something else; or as for `as_workload`.

    Examples
    --------
    >>> as_groups(["staff", "guests"])
    ('staff', 'guests')
    """
    if isinstance(what, str | os.PathLike):
        return as_workload(what).groups
    names = what.groups if isinstance(what, Grouped) else what
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise InputError(
            "groups are given as a list of names, as a workload, a front or a policy that has them, or as the path of "
            f"a log or run, not as {what!r:.60}"
        )
    return tuple(names)


def by_consumption(workload: WorkloadLike, thresholds: Sequence[float] = PAPER_THRESHOLDS) -> Workload:
    """Return a workload with users grouped by their share s of the resource consumption (paper 002, table 1).

    With the default thresholds group 1 has s > 8 %, group 2 s > 2 %, group 3 s > 1 %, group 4 s > 0.1 %, group 5
    the rest. The consumption is computed from the run times that are simulated. Jobs of unknown user count as one
    user if they are less than 1 % of the work. Otherwise they all go to the last group, which is reported.

    Parameters
    ----------
    workload
        Any workload; or the path of a log or of a run directory.
    thresholds
        Shares in (0, 1), descending; k of them make k + 1 groups named "1", "2", ...

    Raises
    ------
    InputError
        The thresholds are not descending shares, or make more than 64 groups; or as for `as_workload`.

    Examples
    --------
    User 7 has 90 of 100 processor seconds, user 8 has 8, user 9 has 2. A share equal to a threshold belongs to the
    group below it.

    >>> w = Workload(submit=[0, 0, 0], run=[90, 8, 2], estimate=[90, 8, 2], width=[1] * 3, capacity=1, user=[7, 8, 9])
    >>> by_consumption(w).group.tolist()
    [0, 1, 2]
    """
    return user_groups.by_consumption(as_workload(workload), thresholds)


def by_swf_group(workload: WorkloadLike) -> Workload:
    """Return a workload with jobs grouped by the group number in the log (SWF field 13), ascending, "unknown" last.

    A file with names beside the log names them. The workload may be the path of a log or of a run directory.

    Raises
    ------
    InputError
        The workload does not come from a log, or has more than 64 groups; or as for `as_workload`.
    """
    return user_groups.by_swf_group(as_workload(workload))


def by_queue(workload: WorkloadLike) -> Workload:
    """Return a workload with jobs grouped by queue (SWF field 15), by queue number; the header has their names.

    So has a file with names beside the log. The workload may be the path of a log or of a run directory.

    Raises
    ------
    InputError
        The workload does not come from a log, or has more than 64 queues; or as for `as_workload`.
    """
    return user_groups.by_queue(as_workload(workload))


def by_csv(workload: WorkloadLike, path: str | os.PathLike[str]) -> Workload:
    """Return a workload with jobs grouped by a CSV file of users, accounts, queues or partitions.

    Parameters
    ----------
    workload
        Any workload; or the path of a log or of a run directory.
    path
        The file: lines `user,group`, or with a first line that names other columns, see `group_lists`. The order of
        groups is that of their first lines in it. Jobs that no line fits form the group "other", which comes last and
        is reported. The user number -1 means jobs of unknown user.

    Raises
    ------
    InputError
        The file cannot be read; a line is not a user number and the name of a group, or has a user again with another
        group; there are more than 64 groups; or as for `as_workload`.
    """
    return user_groups.by_csv(as_workload(workload), path)


def scale(
    workload: WorkloadLike,
    processors: int = PAPER_PROCESSORS,
    factor: float | None = None,
    seed: int = 0,
    jobs: int | None = None,
    probability: float = 0.5,
) -> Workload:
    """Return a workload that is scaled to a machine of `processors`; the module `scaling` says how.

    Parameters
    ----------
    workload
        Any workload; or the path of a log or of a run directory.
    processors
        Size of the larger machine.
    factor
        The work is multiplied by it, 1 or more; `scaling.PAPER_FACTORS` has the papers' factors. Default: the ratio of
        the machines.
    seed
        Seed of the random numbers.
    jobs
        The exact number of jobs in the result, `len(workload)` or more. A share of the jobs (`probability`), chosen
        at random, becomes wider; the others are repeated as evenly as possible to reach the number. Default:
        random numbers of copies.
    probability
        Probability that a job becomes wider; 1/2 follows from the numbers of jobs in the papers.

    Returns
    -------
    Workload
        Copies come directly after their original: same second, same user. Jobs are numbered again from 1. The
        log's references to preceding jobs become unknown, and its recorded waits, which belong to another machine.
        Widths are rounded to the nearest whole number and limited to the machine; the limited ones are reported.
        Groups by consumption (with the papers' thresholds) are made again, other groups stay. With a factor of 1
        and a machine of the same size the result is `workload`.

    Raises
    ------
    InputError
        A number is out of range; the result would have more than 20 million jobs; or as for `as_workload`.

    Examples
    --------
    The second job becomes 3 times as wide, the first one is there three times.

    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[10, 3], width=[4, 2], capacity=8)
    >>> scaled = scale(w, 24, seed=0, jobs=4)
    >>> scaled.submit.tolist(), scaled.width.tolist(), scaled.capacity
    ([0, 0, 0, 5], [4, 4, 4, 6], 24)
    """
    return scaling.scale(as_workload(workload), processors, factor, seed, jobs, probability)


def resample(
    workload: WorkloadLike, seed: int = 0, load: float | None = None, double: str | Sequence[str] = ()
) -> Workload:
    """Return a workload of the same users' habits, put together again; see `resampling.resample`.

    Parameters
    ----------
    workload
        A workload that knows its users, of some weeks; or the path of a log or of a run directory.
    seed
        Seed of the random numbers.
    load
        How many times the load of `workload` is wanted, in 0.1..10; by default as it comes, which is near it.
    double
        The name of a group, or several, whose users are there twice.

    Raises
    ------
    InputError
        The workload does not know its users; a number is out of range; a group is unknown or comes twice; there would
        be more than 20 million jobs; or as for `as_workload`.
    """
    return resampling.resample(as_workload(workload), seed, load, double)


def split(workload: WorkloadLike, until: float) -> tuple[Workload, Workload]:
    """Return the two parts of a workload before and after a time.

    Both parts keep clock, machine and groups: a user stays in the group that follows from all jobs. Each part begins
    on an empty machine; jobs of the first part that still run or wait at the cut are not in the second part.

    Parameters
    ----------
    workload
        Any workload; or the path of a log or of a run directory.
    until
        The time of the cut, from 0, the first submission, to 1, the last one. Jobs submitted later are the second
        part.

    Returns
    -------
    first, rest : Workload
        Named "... to 70 %" and "... from 70 %".

    Raises
    ------
    InputError
        `until` is not between 0 and 1, or there is no job after it; or as for `as_workload`.

    Examples
    --------
    >>> w = Workload(submit=[0, 70, 71, 100], run=[1] * 4, estimate=[1] * 4, width=[1] * 4, capacity=1, name="w")
    >>> [(part.name, part.submit.tolist()) for part in split(w, 0.7)]
    [('w to 70 %', [0, 70]), ('w from 70 %', [71, 100])]
    """
    return time_split.split(as_workload(workload), until)


def save_log(workload: WorkloadLike, path: str | os.PathLike[str]) -> None:
    """Write a workload with its machine and requests as one Parquet file; `load_log` reads them from it.

    Equal workloads make equal files. User groups are not in it, as in no log.

    Parameters
    ----------
    workload
        A workload on a machine of nodes; or the path of such a log, or of a run directory.
    path
        The file to be written.

    Raises
    ------
    InputError
        The workload has no machine, or the file cannot be written; or as for `as_workload`.
    """
    log_parquet.save_log(as_workload(workload), path)


def write_swf(workload: WorkloadLike, path: str | os.PathLike[str]) -> None:
    """Write a workload as a log, gzipped if the name ends in .gz; `read_swf` reads the same workload from it.

    Fields that no simulation needs are written as they were read, else -1. The header stays, with correct MaxJobs,
    MaxRecords, MaxProcs, UnixStartTime and TimeZoneString. Equal workloads make equal files.

    What a log cannot say is written beside it, in LOG.names.json: names, and which jobs were not eligible when they
    were submitted. Waits in a log count from the submission.

    Parameters
    ----------
    workload
        Any workload; or the path of a log, which is then cleaned, or of a run directory.
    path
        The file to be written.

    Raises
    ------
    InputError
        The file cannot be written; several jobs have a number that stands for a job that was eligible later; or as
        for `as_workload`.
    """
    swf.write_swf(as_workload(workload), path)
