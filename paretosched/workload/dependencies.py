"""Jobs that depend on others: they become eligible when the simulated schedule lets the others end.

What counts is what sbatch was told (`Requests.dependency`), by the numbers of the jobs in the log: after and after+N
(so many minutes after the start), afterany, afterok, afternotok and aftercorr (after the end; a log does not say
whether a job that ran in it would fail in another schedule); between commas all of them, between question marks any. A
job that is named and not in the log has ended before, and singleton is not known: names of jobs are not in a log.

A job comes when the last of the others has ended, but not before it was submitted. If it was eligible in the log only
after that (--begin), it is not eligible before that second here either.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, in_quotes
from ..kernels.inputs import Reactions
from .reacting_users import recorded_end
from .workload import Workload

KINDS = ("after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer")
JOB = re.compile(r"(\d{1,18})(?:_\d{1,9})?(?:\+(\d{1,9}))?", re.ASCII)
MINUTE = 60


class Awaited(NamedTuple):
    """A job that another one waits for: its number, so many seconds after its start, or None for its end."""

    job: int
    after_start: int | None


def awaited_in(text: str) -> tuple[list[Awaited], bool]:
    """Return the jobs that a dependency names, and whether any one of them is enough.

    Raises
    ------
    InputError
        It is written otherwise than sbatch takes it.

    Examples
    --------
    >>> awaited_in("afterok:12:13,after:14+5")
    ([Awaited(job=12, after_start=None), Awaited(job=13, after_start=None), Awaited(job=14, after_start=300)], False)
    """
    found: list[Awaited] = []
    for part in filter(None, map(str.strip, re.split("[,?]", text))):
        kind, *jobs = part.split(":")
        if kind.lower() == "singleton" and not jobs:
            continue
        for job in jobs:
            match = JOB.fullmatch(job.split("(")[0])  # a state may stand behind it
            if kind.lower() not in KINDS or match is None:
                raise InputError(f"a dependency must be TYPE:JOB[:JOB...], but is {in_quotes(text)}")
            minutes = MINUTE * int(match[2] or 0)
            found.append(Awaited(int(match[1]), minutes if kind.lower() == "after" else None))
    return found, "?" in text


def dependencies_of(workload: Workload) -> Reactions | None:
    """Return what the jobs of a workload wait for; None if none depends on another one in the log.

    Examples
    --------
    >>> from paretosched import Machine, NodeKind, Requests
    >>> asked = Requests(tasks=[1, 1], dependency=["", "afterok:7"])
    >>> machine = Machine((NodeKind("n1", 4, 100),))
    >>> w = Workload([0, 1], [9, 9], [9, 9], [1, 1], capacity=4, job=[7, 8], machine=machine, requests=asked)
    >>> dependencies_of(w).leader.tolist(), dependencies_of(w).follower.tolist()
    ([0], [1])
    """
    w = workload
    if w.requests is None or len(w.requests.dependency.words) == 1:
        return None
    awaited = [awaited_in(word) for word in w.requests.dependency.words]
    row_of = {number: row for row, number in enumerate(w.job.tolist())}
    pairs: list[tuple[int, int, int, int]] = []
    needs = np.zeros(len(w), dtype=np.int64)
    for row in np.flatnonzero(w.requests.dependency.code).tolist():
        named, any_is_enough = awaited[w.requests.dependency.code[row]]
        there = [(row_of[one.job], one.after_start) for one in named if row_of.get(one.job, row) != row]
        if any_is_enough and len(there) < len(named):
            continue
        pairs += [(leader, row, after or 0, after is not None) for leader, after in there]
        needs[row] = 1 if any_is_enough and there else len(there)
    if not pairs:
        return None
    leader, follower, pause, at_start = np.array(pairs, dtype=np.int64).T
    _check_ends(w, leader, follower)
    is_known = w.wait[leader] >= 0
    last = np.zeros(len(w), dtype=np.int64)
    np.maximum.at(last, follower, np.where(is_known, recorded_end(w)[leader], np.iinfo(np.int64).max))
    depends = needs > 0
    begins_later = ~depends | (w.eligible > last)
    unknown = depends & (last == np.iinfo(np.int64).max)
    place = np.argsort(np.argsort(w.submit, kind="stable"), kind="stable")
    return Reactions(
        np.arange(len(w)),
        np.zeros(len(w), dtype=np.int64),
        place,
        np.where(begins_later | unknown, w.eligible, w.submit),
        needs,
        *(np.ascontiguousarray(column) for column in (leader, follower, pause, at_start)),
    )


def _check_ends(workload: Workload, leader: Ints, follower: Ints) -> None:
    """Raise InputError if jobs wait for one another in a circle; (p,) rows both."""
    left = np.bincount(follower, minlength=len(workload))
    order = np.argsort(leader, kind="stable")
    first = np.searchsorted(leader[order], np.arange(len(workload) + 1))
    free = np.flatnonzero(left == 0).tolist()
    while free:
        row = free.pop()
        for other in follower[order[first[row] : first[row + 1]]].tolist():
            left[other] -= 1
            if left[other] == 0:
                free.append(other)
    if (left > 0).any():
        rows = np.flatnonzero(left > 0)
        raise InputError(
            f"{workload.name}: dependencies must end somewhere, but {rows.size:,} jobs wait in a circle, job "
            f"{workload.job[rows[0]]} among them; --without dependencies leaves them out"
        )
