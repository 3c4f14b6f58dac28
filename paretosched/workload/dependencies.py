"""Jobs that depend on others: they become eligible when the simulated schedule lets the others end.

What counts is what sbatch was told (`Requests.dependency`), by the numbers of the jobs in the log: after and after+N
(so many minutes after the start), afterany, afterok, afternotok and aftercorr (after the end); between commas all of
them, between question marks any. The number of an array stands for all of its tasks, 7_3 for one, and aftercorr for the
task of the same index. With singleton a job waits for the one before it of the same user and name that says singleton
too; a log has a number in place of the name, singleton:NUMBER. A job that is named and not in the log has ended before.

A job comes when the last of the others has ended, but not before it was submitted. If it was eligible in the log only
after that (--begin), it is not eligible before that second here either.

Whether a job ends well is what the log says of it. One that waits for what did not happen (afterok of a job that
failed) never runs in Slurm, see `never_satisfied`; but if the log says that it ran, others let it, and it comes when
they have ended.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Ints, Mask
from ..core.errors import InputError
from ..kernels.inputs import ENDS, ENDS_WELL, KILLS, STARTS, Reactions, no_submissions
from .dependency_words import AFTER_NOT_OK, AFTER_OK, AFTER_TASK, SINGLETON, Awaited, awaited_in, parts_of
from .log_lines import STATUS
from .reacting_users import recorded_end
from .workload import Workload

ENDED_WELL, ENDED_BADLY = 1, (0, 5)  # SWF field 11
NEVER_SATISFIED = "waits for what did not happen to another job (DependencyNeverSatisfied)"


class _Others:
    """Which jobs of a workload its dependencies name."""

    def __init__(self, workload: Workload) -> None:
        assert workload.requests is not None  # noqa: S101  # its callers look
        w, self.requests = workload, workload.requests
        self.awaited = [awaited_in(word) for word in self.requests.dependency.words]
        self.rows = np.flatnonzero(self.requests.dependency.code).tolist()
        self._row_of = {number: row for row, number in enumerate(w.job.tolist())}
        self._tasks: dict[int, dict[int, int]] = {}  # rows by index, by the number of the array
        for row in np.flatnonzero(self.requests.array).tolist():
            tasks = self._tasks.setdefault(int(self.requests.array[row]), {})
            tasks[int(self.requests.array_index[row])] = row
        self._before = self._singletons(w)

    def of(self, row: int) -> tuple[list[tuple[int, Awaited]], bool, bool]:
        """Return the rows that a job waits for, with why, whether one is enough, and whether all it names are there."""
        named, any_is_enough = self.awaited[self.requests.dependency.code[row]]
        found = [(self._rows(one, row), one) for one in named]
        there = [(leader, one) for leaders, one in found for leader in leaders if leader != row]
        before = Awaited(SINGLETON, 0, None, None)
        there += [(leader, before) for leader in self._before.get(row, ())]
        return there, any_is_enough, all(leaders for leaders, _ in found)

    def _rows(self, one: Awaited, row: int) -> list[int]:
        """Return the rows that are meant for the job of a row; none if they are not in the log."""
        tasks = self._tasks.get(one.job)
        if tasks is None:
            return [self._row_of[one.job]] if one.job in self._row_of and one.task is None else []
        index = one.task
        if one.kind == AFTER_TASK and index is None and self.requests.array[row] > 0:
            index = int(self.requests.array_index[row])
        return [*tasks.values()] if index is None else [tasks[index]] if index in tasks else []

    def _singletons(self, w: Workload) -> dict[int, list[int]]:
        """Return the job or tasks before each one that says singleton, of the same name and user."""
        names = [
            next((part.partition(":")[2] for part in parts_of(word) if part.lower().startswith(SINGLETON)), None)
            for word in self.requests.dependency.words
        ]
        before: dict[int, list[int]] = {}
        entries: dict[tuple[int, str], tuple[int, list[int], list[int]]] = {}  # the last one, and those before it
        for row in np.lexsort((w.job, w.submit)).tolist():
            name = names[self.requests.dependency.code[row]]
            if name is None:
                continue
            entry, key = int(self.requests.array[row]) or -1 - row, (int(w.user[row]), name)
            last, members, earlier = entries.get(key, (None, [], []))
            if entry != last:
                members, earlier = [], members
            before[row] = earlier
            entries[key] = entry, [*members, row], earlier
        return before


def dependencies_of(workload: Workload, strictly: bool = False) -> Reactions | None:
    """Return what the jobs of a workload wait for; None if none depends on another one in the log.

    `strictly`: a job that waits for the good end of another one, which did not fail in the log, never comes if the
    simulation ends that one before it has run; else it comes then, so that all jobs of the log run.

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
    others = _Others(w)
    bad = _ended_badly(w)
    cancels = w.machine is not None and w.machine.kill_invalid
    pairs: list[tuple[int, int, int, int]] = []
    needs = np.zeros(len(w), dtype=np.int64)
    for row in others.rows:
        there, any_is_enough, are_all_there = others.of(row)
        if any_is_enough and not are_all_there:
            continue
        well = ENDS if not strictly else KILLS if cancels and not any_is_enough else ENDS_WELL
        for leader, one in there:
            kind = well if one.kind in (AFTER_OK, AFTER_TASK) and not bad[leader] else ENDS
            pairs.append((leader, row, one.after_start or 0, kind if one.after_start is None else STARTS))
        needs[row] = 1 if any_is_enough and there else len(there)
    if not pairs:
        return None
    leader, follower, pause, kinds = np.array(pairs, dtype=np.int64).T
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
        np.ascontiguousarray(leader),
        np.ascontiguousarray(follower),
        np.ascontiguousarray(pause),
        np.ascontiguousarray(kinds),
        no_submissions(),
    )


def named_pairs(workload: Workload) -> list[tuple[int, int]]:
    """Return the rows of each job that another one names to wait for it, and of that one."""
    if workload.requests is None or len(workload.requests.dependency.words) == 1:
        return []
    others = _Others(workload)
    return [(leader, row) for row in others.rows for leader, one in others.of(row)[0] if one.kind != SINGLETON]


def _ended_badly(workload: Workload) -> Mask:
    """Return which jobs did not end well by the log, (n,) bool."""
    if workload.records is None:
        return np.zeros(len(workload), dtype=np.bool_)
    return np.isin(workload.records.column(STATUS), ENDED_BADLY)


def never_satisfied(workload: Workload) -> Mask:
    """Return which jobs can never run, (n,) bool, since others ended otherwise, or can never run themselves.

    That a job ran says that it could: one of which a start is recorded is none of them.

    Examples
    --------
    >>> from paretosched import Machine, NodeKind, Requests
    >>> from .records import Records
    >>> asked = Requests(tasks=[1, 1], dependency=["", "afterok:1"])
    >>> machine = Machine((NodeKind("n1", 4, 100),))
    >>> failed = Records.of([[0] * 18, [1] * 18])
    >>> never_satisfied(Workload([0, 1], [9] * 2, [9] * 2, [1] * 2, 4, machine=machine, requests=asked, records=failed))
    array([False,  True])
    """
    w = workload
    never = np.zeros(len(w), dtype=np.bool_)
    if w.requests is None or w.records is None or len(w.requests.dependency.words) == 1:
        return never
    bad, well = _ended_badly(w), w.records.column(STATUS) == ENDED_WELL
    others = _Others(w)
    waiting = [(row, *others.of(row)) for row in others.rows if w.wait[row] < 0]

    def cannot(leader: int, kind: str) -> bool:
        wrong = bad if kind in (AFTER_OK, AFTER_TASK) else well if kind == AFTER_NOT_OK else never
        return bool(wrong[leader] or never[leader])

    count = -1
    while count < never.sum():
        count = int(never.sum())
        for row, there, any_is_enough, are_all_there in waiting:
            fails = [cannot(leader, one.kind) for leader, one in there]
            never[row] |= bool(fails) and (all(fails) and are_all_there if any_is_enough else any(fails))
    return never


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
