"""A schedule, and the proof that a machine could have run it, which does not depend on the simulators."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import as_path, instance
from ..core.arrays import Floats, Ints, read_only
from ..core.columns import whole_array
from ..core.errors import InputError, first_few, in_quotes, number_of
from ..core.files import read_lines, replacing, unreadable
from ..core.limits import check_limit
from ..core.notebook import html_table
from ..core.parquet_files import open_parquet
from ..core.tables import csv_cell, from_csv_cell
from ..policies.outcome import Lives, Pauses, Placement, SearchTotals, Segments, finish_times
from ..policies.reserved_nodes import ended_with_node, ended_with_reservation
from ..policies.time_sharing import check_nodes
from ..workload.down_times import DownTimes
from ..workload.measures import BOUND
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload
from .measures import bounded_slowdowns
from .objective import ObjectiveValues, objectives
from .placement_check import check_placement, shaped_placement
from .placement_columns import PLACEMENT_COLUMNS, placement_columns, placement_of
from .waiting_reasons import WaitingReasons, may_wait_for_more, waiting_reasons

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("job", "submit", "start", "finish", "processors", "user", "group")
LATER_COLUMNS = (*COLUMNS, "eligible")  # of workloads in which a job was not eligible when it was submitted
REASON = "reason"  # behind the placement where jobs may wait for more than nodes
STOPPED = "stopped"  # the last column where jobs were stopped
_LAST = (), (REASON,), (STOPPED,), (REASON, STOPPED)
HEADINGS = tuple(  # of files of schedules
    (*own, *more) for own in (COLUMNS, LATER_COLUMNS) for more in ((), *((*PLACEMENT_COLUMNS, *last) for last in _LAST))
)
ROWS_SHOWN = 10  # jobs of a schedule in a notebook
SEGMENT_COLUMNS = ("job", "from", "to", "nodes")
BATCH = 1000  # rows of a file that are read at a time
SLOWDOWN_BOUND = BOUND
LATEST = 2**63  # s: no time is
SWITCH = "switch"  # instead of a job number, where the machine changes slices


@dataclass(frozen=True, eq=False)
class Schedule:
    """Start and finish of every job, as half-open intervals [start, finish).

    A job runs from its start on without a break, unless the schedule has segments.

    Parameters
    ----------
    workload
        The jobs; row j of `start` is job j of the workload.
    start
        (n,) whole seconds of the trace.
    name
        Name of the policy that made the schedule.
    segments
        When and where the jobs run, if jobs are preempted. Every job has at least one, and starts with its first.
    searched
        What group optimisation did to make the schedule; None without it.
    placement
        On which nodes the jobs run, and what they hold there, if the machine has nodes; None if it is not known, as in
        a history.
    lives
        On a machine of nodes the lives of jobs that made way for others: those that started again later begin and end
        before `start`, and those that were cancelled end before their run time; None if none did.
    never
        Jobs that are not in the workload, as they never ran: a reason, and the numbers of those of which it is that.
        Slurm would refuse them when they are submitted, or they wait for what did not happen, see `simulate`.
    pauses
        On a machine of nodes when jobs were stopped, in which they keep all that they hold but their CPUs; None if none
        was. They end as much later.

    Raises
    ------
    InputError
        `start` has the wrong length or type, or segments do not fit each other or `start`, or a placement not the jobs
        and the machine.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[3, 2], capacity=4)
    >>> s = Schedule(w, [0, 10])
    >>> s.finish.tolist(), s.check() is s
    ([10, 15], True)

    The first job is stopped at 4 for the second one, and continues at 9 on the same three of four processors.

    >>> parts = segments_of([(0, 0, 4, [(0, 2)]), (0, 9, 15, [(0, 2)]), (1, 4, 9, [(1, 2)])])
    >>> s = Schedule(w, [0, 4], segments=parts)
    >>> s.finish.tolist(), s.check() is s
    ([15, 9], True)

    How long jobs wait, and what follows from it, are arrays and a Mapping, which pandas takes.

    >>> s.wait.tolist(), s.response.tolist(), s.slowdown.tolist(), s.objectives["AWRT"]
    ([0, 4], [15, 9], [1.5, 1.0], 13.5)
    """

    workload: Workload
    start: Ints
    name: str = "schedule"
    segments: Segments | None = None
    searched: SearchTotals | None = None
    placement: Placement | None = None
    lives: Lives | None = None
    never: tuple[tuple[str, tuple[int, ...]], ...] = ()
    pauses: Pauses | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", whole_array("start", self.start, len(self.workload)))
        if self.segments is not None:
            object.__setattr__(self, "segments", _read_only(self.segments, self))
        if self.placement is not None:
            object.__setattr__(self, "placement", shaped_placement(self.workload, self.placement))
        if self.lives is not None and self.placement is None:
            raise InputError("lives of jobs that made way need a placement, but there is none")

    def __repr__(self) -> str:
        first, last = int(self.start.min()), int(self.finish.max())
        return f"<Schedule {self.name} of {self.workload.name}: {number_of(len(self.start), 'job')}, {first}..{last} s>"

    def _repr_html_(self) -> str:
        rows = self.frame().head(ROWS_SHOWN)
        return html_table(repr(self).strip("<>"), tuple(rows.columns), rows.to_numpy().tolist())

    def frame(self) -> pd.DataFrame:
        """Return the schedule as a pandas DataFrame, with the columns of `save_schedule`: one row a job, in seconds."""
        import pandas as pd

        w = self.workload
        columns = (w.job, w.submit, self.start, self.finish, w.width, w.user)
        frame = pd.DataFrame(dict(zip(COLUMNS, columns, strict=False)))
        frame = frame.assign(group=pd.Categorical.from_codes(w.group, list(w.groups)))
        frame = frame.assign(eligible=w.eligible) if w.has_later_jobs else frame
        return frame.assign(**self._place_columns)

    @property
    def _place_columns(self) -> dict[str, list[str]]:
        """Return the columns of the placement, why jobs waited if that is known, and when any were stopped.

        There are none without a placement.
        """
        machine = self.workload.machine
        if machine is None or self.placement is None:
            return {}
        columns = dict(zip(PLACEMENT_COLUMNS, placement_columns(machine, self.placement), strict=True))
        if self.waiting is not None:
            columns[REASON] = self.waiting.longest
        if self.pauses is not None:
            stops = [list[str]() for _ in self.start]
            for job, begin, end in zip(*map(np.ndarray.tolist, self.pauses), strict=True):
                stops[job].append(f"{begin}..{end}")
            columns[STOPPED] = [" ".join(each) for each in stops]
        return columns

    @cached_property
    def waiting(self) -> WaitingReasons | None:
        """For what the jobs waited, see `paretosched.simulation.waiting_reasons`.

        None if that can only have been nodes and their turn, or if it is not known where the jobs run.
        """
        w = self.workload
        if self.placement is None or not may_wait_for_more(w):
            return None
        return waiting_reasons(w, self.start, self.placement, self.lives, self.pauses)

    @cached_property
    def preemption(self) -> dict[str, Any] | None:
        """What was lost as jobs made way for others, or their reservation ended, or a node failed: None if none did.

        `jobs` ended early `times` times, of which `cancelled` for good, those `with_reservation` among them, and
        `with_node` when one of their nodes failed;
        `lost_cpu_hours` for which they had run, and `lost_percent` of what all jobs ran for. Where jobs were stopped:
        how many were, how often, and for how many hours of all of them.
        """
        stopped = (
            {}
            if self.pauses is None
            else {
                "stopped": int(np.unique(self.pauses.job).size),
                "stops": int(self.pauses.job.size),
                "stopped_hours": int((self.pauses.end - self.pauses.begin).sum()) / 3600,
            }
        )
        if self.lives is None or self.placement is None:
            return stopped or None
        lives = self.lives
        each = (lives.end - lives.begin) * lives.placement.in_all(lives.placement.cpus)
        ran_for = np.minimum(self.finish - self.start, self.workload.run)
        lost, ran = int(each.sum()), int(ran_for @ self.placement.in_all(self.placement.cpus))
        in_all = ran + int(each[lives.requeued].sum())  # the run of a cancelled job is its life
        return {
            "jobs": int(np.unique(lives.job).size),
            "times": int(lives.job.size),
            "cancelled": int((~lives.requeued).sum()),
            "with_reservation": int(ended_with_reservation(self.workload, lives).sum()),
            "with_node": int(ended_with_node(self.workload, lives).sum()),
            "lost_cpu_hours": lost / 3600,
            "lost_percent": 100 * lost / max(in_all, 1),
        } | stopped

    def pieces(self, job: int) -> list[tuple[int, int]]:
        """Return from and until when a job ran, in its last life if it had several: it stopped in between."""
        seconds = [int(self.start[job]), int(self.finish[job])]
        if self.pauses is not None:
            first, last = np.searchsorted(self.pauses.job, [job, job + 1])
            own = np.stack([self.pauses.begin[first:last], self.pauses.end[first:last]], axis=1)
            seconds[1:1] = own.ravel().tolist()
        return list(zip(seconds[::2], seconds[1::2], strict=True))

    @cached_property
    def finish(self) -> Ints:
        """(n,) int64 seconds of the trace: start + run; the end of the last segment, or of a cancelled job."""
        return finish_times(self.workload.run, self.start, self.segments, self.lives, self.pauses)

    @cached_property
    def wait(self) -> Ints:
        """(n,) int64 s, from when a job is eligible to its first start."""
        return read_only(self.start - self.workload.eligible)

    @cached_property
    def response(self) -> Ints:
        """(n,) int64 s, from when a job is eligible to its completion."""
        return read_only(self.finish - self.workload.eligible)

    @cached_property
    def slowdown(self) -> Floats:
        """(n,) float64, the slowdown bounded by SLOWDOWN_BOUND, see `bounded_slowdown`."""
        return read_only(bounded_slowdown(self))

    @cached_property
    def objectives(self) -> ObjectiveValues:
        """The objectives of all jobs, by name, see `paretosched.simulation.objective`."""
        return objectives(self)

    def check(self) -> Schedule:
        """Check that every job runs once, none before it is eligible, and never on more processors than are up.

        With segments, also check that every job runs for its run time in all, always on the same processors and on as
        many as it asks for, that no processor has two jobs at once, and that no job runs while the machine switches.

        Returns
        -------
        Schedule
            This schedule, so that checks can stand in a chain.

        Raises
        ------
        InputError
            The schedule is not feasible; the message names the first offenders or the first overfull second.
        """
        w = self.workload
        early = np.flatnonzero(self.start < w.eligible)
        if early.size:
            rule, word = ("it is eligible", "eligible") if w.has_later_jobs else ("its submission", "submitted")
            offenders = first_few(f"job {w.job[j]} starts at {self.start[j]}, {word} {w.eligible[j]}" for j in early)
            raise InputError(f"{self.name}: no job may start before {rule}, but {early.size} do: {offenders}")
        if self.segments is not None:
            _check_segments(self, self.segments)
            return self
        if (self.finish < self.start).any():
            raise InputError(f"{self.name}: no job may end after second 2^63 - 1")
        if w.machine is not None:
            if self.placement is None:
                raise InputError(f"{self.name}: nothing says on which nodes of the machine the jobs run")
            check_placement(self.name, w, self.start, self.finish, self.placement, self.lives, self.pauses)
            return self
        when, busy_processors = busy(self)
        over = np.flatnonzero(busy_processors > w.capacity)
        if over.size:
            i = int(over[0])
            times = f"; in {over.size:,} intervals there are too many" if over.size > 1 else ""
            raise InputError(
                f"{self.name}: the machine has {number_of(w.capacity, 'processor')}, but {busy_processors[i]} are in "
                f"use from second {when[i]} on{times}"
            )
        if w.down is not None:
            _check_down(self, w.down, when, busy_processors)
        return self


def bounded_slowdown(schedule: Schedule, bound: int = SLOWDOWN_BOUND) -> Floats:
    """Return max(1, response / max(run, bound)) of each job, (n,) float64; the bound is in s."""
    return bounded_slowdowns(schedule.response, schedule.workload.run, bound)


def _check_down(schedule: Schedule, down: DownTimes, when: Ints, used: Ints) -> None:
    """Raise InputError if more processors are in use than are up; `when` and `used` are as of `busy`."""
    seconds = np.unique(np.concatenate([when, down.begin, down.end]))
    in_use = np.append(0, used)[np.searchsorted(when, seconds, side="right")]
    place = np.searchsorted(down.begin, seconds, side="right") - 1
    is_down = (place >= 0) & (seconds < down.end[place])
    up = schedule.workload.capacity - np.where(is_down, down.processors[place], 0)
    over = np.flatnonzero(in_use > up)
    if over.size:
        i = int(over[0])
        raise InputError(
            f"{schedule.name}: {up[i]} processors are up from second {seconds[i]} on, the others are down, but "
            f"{in_use[i]} are in use, and more than are up in {over.size} intervals"
        )


def segments_of(
    rows: Sequence[tuple[int, int, int, Sequence[tuple[int, int]]]], switches: Sequence[tuple[int, int]] = ()
) -> Segments:
    """Return segments made of rows (job, from, to, ranges of processors).

    Examples
    --------
    >>> segments_of([(1, 4, 9, [(1, 2)]), (0, 0, 4, [(0, 0), (3, 4)])]).low.tolist()
    [0, 3, 1]
    """
    rows_in_order = sorted(rows, key=lambda row: (row[0], row[1]))
    ranges = [tuple(ends) for *_, nodes in rows_in_order for ends in nodes]
    job, begin, end = np.array([row[:3] for row in rows_in_order], dtype=np.int64).reshape(-1, 3).T
    piece = np.cumsum([0, *(len(nodes) for *_, nodes in rows_in_order)])
    low, high = np.array(ranges, dtype=np.int64).reshape(-1, 2).T
    return Segments(job, begin, end, piece, low, high, np.array(switches, dtype=np.int64).reshape(-1, 2))


def _read_only(segments: Segments, schedule: Schedule) -> Segments:
    """Return read-only copies of segments; raise InputError if they do not fit each other or the starts."""
    check_nodes(schedule.workload)
    n = len(schedule.workload)
    k, r = np.size(segments.job), np.size(segments.low)
    sizes = {"job": k, "begin": k, "end": k, "piece": k + 1, "low": r, "high": r}
    columns = {key: whole_array(f"{key} of segments", getattr(segments, key), size) for key, size in sizes.items()}
    switches = np.array(segments.switches, dtype=np.int64)
    if switches.ndim != 2 or switches.shape[1] != 2:
        raise InputError(f"switches of segments must have shape (s, 2), but have {switches.shape}")
    switches.flags.writeable = False
    copies = Segments(**columns, switches=switches)
    if k and (copies.job.min() < 0 or copies.job.max() >= n):
        raise InputError(f"job of segments must be in 0..{n - 1}, but is in {copies.job.min()}..{copies.job.max()}")
    if (np.diff(copies.job) < 0).any() or (np.diff(copies.begin)[np.diff(copies.job) == 0] < 0).any():
        raise InputError("segments must be sorted by job and time, but are not")
    if copies.piece[0] != 0 or copies.piece[-1] != r or (np.diff(copies.piece) < 1).any():
        raise InputError("piece of segments must divide the ranges of processors among all segments, but does not")
    first = np.searchsorted(copies.job, np.arange(n))
    missing = np.flatnonzero(np.bincount(copies.job, minlength=n) == 0)
    if missing.size:
        offenders = first_few((f"job {schedule.workload.job[j]}" for j in missing), missing.size)
        raise InputError(f"every job must have segments, but there are none of {offenders}")
    late = np.flatnonzero(copies.begin[first] != schedule.start)
    if late.size:
        raise InputError(f"the first segment of a job must begin at its start, but {late.size} do not")
    return copies


def _check_segments(schedule: Schedule, segments: Segments) -> None:
    """Raise InputError if a machine could not have run the segments; see `Schedule.check`."""
    w, s = schedule.workload, segments

    def refuse(rule: str, mask: NDArray[np.bool_], words: str) -> None:
        rows = np.flatnonzero(mask)
        if rows.size:
            offenders = first_few((f"job {w.job[s.job[i]]} from {s.begin[i]} to {s.end[i]}" for i in rows), rows.size)
            raise InputError(f"{schedule.name}: {rule}, but {rows.size} segments {words}: {offenders}")

    again = np.append(False, s.job[1:] == s.job[:-1])
    refuse("a segment must last for a second or more", s.end <= s.begin, "do not")
    refuse("the segments of a job must not overlap", again & (s.begin < np.append(0, s.end[:-1])), "do")
    seconds = np.bincount(s.job, (s.end - s.begin).astype(np.float64), len(w))
    wrong = np.flatnonzero(seconds != w.run)
    if wrong.size:
        offenders = first_few(f"job {w.job[j]} for {seconds[j]:.0f} s of {w.run[j]} s" for j in wrong)
        raise InputError(f"{schedule.name}: every job must run for its run time, but {wrong.size} do not: {offenders}")
    first, last = s.piece[:-1], s.piece[1:]
    of_piece = np.repeat(np.arange(s.job.size), last - first)
    begins = np.zeros(s.low.size, dtype=np.bool_)
    begins[first] = True
    bad = (s.low < 0) | (s.high >= w.capacity) | (s.high < s.low)
    bad |= ~begins & (s.low <= np.append(0, s.high[:-1]))
    bad_segments = np.zeros(s.job.size, dtype=np.bool_)
    bad_segments[of_piece[bad]] = True
    refuse(f"processors are numbered 0..{w.capacity - 1}, and ranges of them ascend", bad_segments, "break that")
    size = np.add.reduceat(s.high - s.low + 1, first)
    refuse("a job must have as many processors as it asks for", size != w.width[s.job], "do not")
    moves = again.copy()
    for i in np.flatnonzero(again).tolist():
        moves[i] = s.nodes(i) != s.nodes(i - 1)
    refuse("a job must continue on the same processors", moves, "do not")
    idle = s.switches
    if (idle[:, 1] < idle[:, 0]).any() or (idle[1:, 0] < idle[:-1, 1]).any():
        raise InputError(f"{schedule.name}: switches must be ascending times, but are not")
    if len(idle):
        # the first switch that ends after the segment begins
        after = np.minimum(np.searchsorted(idle[:, 1], s.begin, side="right"), len(idle) - 1)
        within = (idle[after, 0] < s.end) & (s.begin < idle[after, 1])
        refuse("no job may run while the machine switches", within, "do")
    busy_until = np.full(w.capacity, np.iinfo(np.int64).min)
    double = np.zeros(s.job.size, dtype=np.bool_)
    for i in np.argsort(s.begin, kind="stable").tolist():
        for low, high in s.nodes(i):
            part = busy_until[low : high + 1]
            double[i] |= part.max() > s.begin[i]
            part[:] = s.end[i]
    refuse("no processor may have two jobs at once", double, "are on one that has another")


def busy(schedule: Schedule, amounts: Floats | None = None) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return how much is in use, and from when on.

    Parameters
    ----------
    schedule
        Any schedule.
    amounts
        (n,) what each job has; None for its processors, on a machine of nodes the CPUs that it asks for.

    Returns
    -------
    when : (k,) int64
        Seconds at which the number changes, ascending; in each second jobs finish before others start.
    used : (k,) int64, of the type of `amounts` if they are given
        In use from `when[i]` until `when[i + 1]`.
    """
    w, s = schedule.workload, schedule.segments
    width: NDArray[Any] | None = amounts
    if width is None:
        width = w.width if w.asked_amounts is None else w.asked_amounts.cpus.astype(np.int64)
    begin, end, width = (schedule.start, schedule.finish, width) if s is None else (s.begin, s.end, width[s.job])
    if schedule.lives is not None:
        lost = np.flatnonzero(schedule.lives.requeued)
        begin, end = np.append(begin, schedule.lives.begin[lost]), np.append(end, schedule.lives.end[lost])
        width = np.append(width, width[schedule.lives.job[lost]])
    if schedule.pauses is not None:  # as if they ended and began again
        begin, end = np.append(begin, schedule.pauses.end), np.append(end, schedule.pauses.begin)
        width = np.append(width, width[schedule.pauses.job])
    when, place = np.unique(np.concatenate([begin, end]), return_inverse=True)
    change = np.zeros(when.size, dtype=width.dtype)
    np.add.at(change, place, np.concatenate([width, -width]))
    return when, np.cumsum(change)


def save_schedule(schedule: Schedule, path: str | os.PathLike[str]) -> None:
    """Write a schedule as CSV: job,submit,start,finish,processors,user,group; one line a job, seconds of the trace.

    `job` is the trace's own job number and `group` the name of the user group. If a job was not eligible when it was
    submitted, a column `eligible` says when each was. On a machine of nodes partition,nodes,cores,memory,gpus come
    last, see `paretosched.simulation.placement_columns`; and behind them, where there are limits or jobs depend on
    others, `reason`: for what each waited longest, see `paretosched.simulation.waiting_reasons`. Where jobs were
    stopped `stopped` is the last one, such as "4..9 12..15".
    """
    w = instance("schedule", schedule, Schedule).workload
    names = np.array([csv_cell(name) for name in w.groups], dtype=object)
    columns = (w.job, w.submit, schedule.start, schedule.finish, w.width, w.user, names[w.group], w.eligible)
    heading = LATER_COLUMNS if w.has_later_jobs else COLUMNS
    texts = schedule._place_columns
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*heading, *texts))
        cells = (column.tolist() for column in columns[: len(heading)])
        writer.writerows(zip(*cells, *map(_safe, texts.values()), strict=True))


def _safe(texts: Sequence[str]) -> list[str]:
    """Return texts of which no program makes formulas, see `csv_cell`."""
    return [csv_cell(text) for text in texts]


def load_schedule(workload: WorkloadLike, path: str | os.PathLike[str], name: str = "schedule") -> Schedule:
    """Return the schedule of a workload from a file of `save_schedule`; `check` says whether it is feasible.

    The workload may be the path of a log or of a run directory. Of the file the start times count, and on a machine of
    nodes where the jobs run and when they were stopped, if it says so; of a job that made way and began again it has
    the last life, and `save_segments` writes all. Segments of time sharing are in a file of `save_segments`.

    Raises
    ------
    InputError
        The file cannot be read; its lines are not the jobs of the workload, in their order, each for its run time; a
        list of nodes or what jobs hold there is none; or as for `as_workload`.
    """
    workload = as_workload(workload)
    rows = csv.reader(read_lines(path, "a schedule"))
    try:
        heading = tuple(next(rows, ()))
        own = LATER_COLUMNS if heading[: len(LATER_COLUMNS)] == LATER_COLUMNS else COLUMNS
        placed = *own, *PLACEMENT_COLUMNS
        if heading not in HEADINGS:
            raise InputError(f"{path}: must begin with {','.join(COLUMNS)}, but does not")
        start, finish = np.empty((2, len(workload)), dtype=np.int64)
        texts, stops = [], list[tuple[int, int, int]]()
        for line, row in enumerate(rows, 2):
            if line - 2 == len(workload):
                raise InputError(f"{path}:{line}: must end behind job {workload.job[-1]}, but does not")
            stopped = _stops_in(row[-1], f"{path}:{line}") if heading[-1] == STOPPED and row else []
            stops += [(line - 2, begin, end) for begin, end in stopped]
            times = _times_in(workload, line - 2, row, len(heading), stopped, f"{path}:{line}")
            start[line - 2], finish[line - 2] = times
            texts.append((f"{path}:{line}", [from_csv_cell(text) for text in row[len(own) : len(placed)]]))
    except csv.Error:
        raise InputError(f"{path}: must be a CSV file of a schedule, but is none") from None
    if len(texts) != len(workload):
        jobs = number_of(len(workload), "job")
        raise InputError(f"{path}: must have the {jobs} of {workload.name}, but has {len(texts)}")
    if heading == own:
        return Schedule(workload, start, name)
    if workload.machine is None:
        raise InputError(f"{path}: says on which nodes jobs run, but the machine of {workload.name} has none")
    placement = placement_of(workload.machine, texts)
    columns_of_stops = (read_only(np.array(column, np.int64)) for column in zip(*stops, strict=True))
    pauses = Pauses(*columns_of_stops) if stops else None
    lives = None
    whole = finish_times(workload.run, start, None, None, pauses)
    if (gone := np.flatnonzero(finish < whole)).size:  # they made way for others
        columns = gone, start[gone], finish[gone], np.zeros(gone.size, dtype=np.bool_)
        lives = Lives(*columns, placement.take(gone))
    return Schedule(workload, start, name, placement=placement, lives=lives, pauses=pauses)


def _stops_in(text: str, where: str) -> list[tuple[int, int]]:
    """Return from and until when a job was stopped, ascending, from the last cell of its row in a file."""
    pieces = [re.fullmatch(r"(\d{1,18})\.\.(\d{1,18})", piece) for piece in text.split()]
    stops = [(int(piece[1]), int(piece[2])) for piece in pieces if piece]
    last = -1
    for begin, end in stops:
        last = end if last <= begin < end else LATEST
    if len(stops) < len(pieces) or last == LATEST:
        raise InputError(f"{where}: {STOPPED} must be ascending times, such as 4..9 12..15, but is {in_quotes(text)}")
    return stops


def _times_in(
    workload: Workload, j: int, row: Sequence[str], columns: int, stops: Sequence[tuple[int, int]], where: str
) -> tuple[int, int]:
    """Return start and finish of job j from its row in a file, which was stopped at times."""
    job, run = int(workload.job[j]), int(workload.run[j]) + sum(end - begin for begin, end in stops)
    try:
        number, _, start, finish = map(int, row[:4])
    except ValueError:
        number, start, finish = -1, -1, -1
    ran = finish - start
    machine = workload.machine
    ends_early = machine is not None and (machine.preemption is not None or machine.reservations) and 0 <= ran <= run
    if number != job or len(row) != columns or start < 0 or not (ran == run or ends_early) or finish >= LATEST:
        raise InputError(
            f"{where}: must be job {job}, from its start for {run} s, in {columns} columns, but is "
            f"{in_quotes(','.join(row))}"
        )
    return start, finish


def save_segments(schedule: Schedule, path: str | os.PathLike[str]) -> None:
    """Write the segments of a schedule: job, from, to, nodes; as Parquet if the name ends in .parquet, else as CSV.

    `job` is the trace's own job number, or "switch" for the times in which the machine changes slices; `nodes` are
    ranges such as "0-3 7", or on a machine of nodes their names, of jobs that made way for others and each time, and of
    those that were stopped from each start until they stopped or ended.

    Raises
    ------
    InputError
        The schedule has no segments, because no job is preempted in it; or the file cannot be written.
    """
    s, w = instance("schedule", schedule, Schedule).segments, schedule.workload
    if schedule.lives is not None or schedule.pauses is not None:
        _write_segments(path, _pieces_rows(schedule))
        return
    if s is None:
        raise InputError(f"{path}: {schedule.name} preempts no jobs, so that there are no segments to write")
    ranges = [str(a) if a == b else f"{a}-{b}" for a, b in zip(s.low.tolist(), s.high.tolist(), strict=True)]
    nodes = [" ".join(ranges[a:b]) for a, b in zip(s.piece[:-1].tolist(), s.piece[1:].tolist(), strict=True)]
    rows = [*zip(map(str, w.job[s.job].tolist()), s.begin.tolist(), s.end.tolist(), nodes, strict=True)]
    rows += [(SWITCH, a, b, "") for a, b in s.switches.tolist()]
    _write_segments(path, rows)


def _pieces_rows(schedule: Schedule) -> list[tuple[str, int, int, str]]:
    """Return job, from, to, nodes of the jobs that made way for others or were stopped, for each time they ran."""
    w, placement, lives, pauses = schedule.workload, schedule.placement, schedule.lives, schedule.pauses
    assert w.machine is not None  # noqa: S101  # both are of a machine of nodes
    assert placement is not None  # noqa: S101
    rows: list[tuple[int, int, int, str]] = []
    jobs = np.zeros(0, dtype=np.int64)
    if lives is not None:
        nodes = placement_columns(w.machine, lives.placement)[1]
        gone = np.isin(lives.job, () if pauses is None else pauses.job) & ~lives.requeued  # it is in pieces below
        each = zip(lives.job.tolist(), lives.begin.tolist(), lives.end.tolist(), nodes, gone.tolist(), strict=True)
        rows += [(job, begin, end, text) for job, begin, end, text, in_pieces in each if not in_pieces]
        jobs = lives.job[lives.requeued]
    jobs = np.unique(jobs if pauses is None else np.append(jobs, pauses.job))
    nodes = placement_columns(w.machine, placement.take(jobs))[1]
    for job, text in zip(jobs.tolist(), nodes, strict=True):
        rows += [(job, begin, end, text) for begin, end in schedule.pieces(job) if end > begin]
    return [(str(w.job[j]), begin, end, csv_cell(nodes)) for j, begin, end, nodes in sorted(rows)]


def _write_segments(path: str | os.PathLike[str], rows: list[tuple[str, int, int, str]]) -> None:
    """Write rows of job, from, to, nodes."""
    with replacing(path) as temporary:
        if Path(path).suffix == ".parquet":
            import pyarrow as pa
            from pyarrow import parquet

            columns = {key: list(column) for key, column in zip(SEGMENT_COLUMNS, zip(*rows, strict=True), strict=True)}
            with temporary.open("wb") as file:  # pyarrow opens no name that is not UTF-8
                parquet.write_table(pa.table(columns), file)
            return
        with temporary.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(SEGMENT_COLUMNS)
            writer.writerows(rows)


def load_segments(workload: WorkloadLike, path: str | os.PathLike[str], name: str = "schedule") -> Schedule:
    """Return the schedule of a workload from a file of `save_segments`; `check` says whether it is feasible.

    The workload may be the path of a log or of a run directory.

    Raises
    ------
    InputError
        The file cannot be read, or a line is no segment of a job of the workload; or as for `as_workload`.
    """
    workload = as_workload(workload)
    rows_of = {job: row for row, job in enumerate(workload.job.tolist())}
    if len(rows_of) < len(workload):
        raise InputError(f"{path}: segments name jobs by their numbers, but some jobs of {workload.name} share one")
    segments, switches, ranges = [], [], 0
    for line, (job, begin, end, nodes) in enumerate(_cells(path), 2):
        try:
            if job == SWITCH:
                switches.append((int(begin), int(end)))
                continue
            pieces = nodes.split()
            ranges += len(pieces)
            check_limit(f"{path}:{line}", "rows", ranges)
            segments.append((rows_of[int(job)], int(begin), int(end), [_range(text) for text in pieces]))
        except InputError:  # it is a ValueError, too
            raise
        except (ValueError, KeyError, OverflowError):
            raise InputError(
                f'{path}:{line}: must be job,from,to,nodes of a job of {workload.name}, such as 3,0,60,"0-3 7", but is '
                f"{in_quotes(f'{job},{begin},{end},{nodes}')}"
            ) from None
    try:
        sorted_segments = segments_of(segments, switches)
        first = np.searchsorted(sorted_segments.job, np.arange(len(workload)))
        start = np.append(sorted_segments.begin, 0)[first]
        return Schedule(workload, start, name, sorted_segments)
    except (InputError, OverflowError) as error:
        raise InputError(f"{path}: {error}") from None


def _range(text: str) -> tuple[int, int]:
    """Return the first and the last processor of a range such as "0-3" or "7"; raise ValueError if it is none."""
    match = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", text)
    if match is None:
        raise ValueError
    return int(match[1]), int(match[2] or match[1])


def _cells(path: str | os.PathLike[str]) -> Iterator[Sequence[str]]:
    """Yield the rows of a file of segments as text."""
    if as_path(path).suffix != ".parquet":
        yield from _csv_cells(path)
        return
    import pyarrow as pa

    try:
        yield from _parquet_cells(as_path(path))
    except OSError as error:
        raise unreadable(path, error) from None
    except pa.ArrowException:
        raise InputError(f"{path}: must be a Parquet file of segments, but is none") from None


def _parquet_cells(path: Path) -> Iterator[Sequence[str]]:
    """Yield the rows of a Parquet file of segments as text."""
    with open_parquet(path, dictionaries=("job", "nodes")) as file:
        if tuple(file.schema_arrow.names) != SEGMENT_COLUMNS:
            raise InputError(f"{path}: must have the columns {', '.join(SEGMENT_COLUMNS)}, but has others")
        check_limit(path, "rows", file.metadata.num_rows)
        for batch in file.iter_batches(batch_size=BATCH, use_threads=False):
            for row in zip(*batch.columns, strict=True):  # one by one: the same long text may be in every row
                cells = [str(cell.as_py()) for cell in row]
                check_limit(path, "line", sum(map(len, cells)))
                yield cells


def _csv_cells(path: str | os.PathLike[str]) -> Iterator[Sequence[str]]:
    """Yield the rows of a CSV file of segments below its heading."""
    rows = csv.reader(read_lines(path, "a file of segments"))
    try:
        if tuple(next(rows, ())) != SEGMENT_COLUMNS:
            raise InputError(f"{path}: must begin with {','.join(SEGMENT_COLUMNS)}, but does not")
        for line, row in enumerate(rows, 2):
            if len(row) != len(SEGMENT_COLUMNS):
                raise InputError(f"{path}:{line}: must have {len(SEGMENT_COLUMNS)} columns, but has {len(row)}")
            yield row
    except csv.Error:
        raise InputError(f"{path}: must be a CSV file of segments, but is none") from None
