"""What goes into every simulation of a policy, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np

from ..core.arrays import Floats, Ints, Mask, read_only
from ..core.computing import compute
from ..core.notebook import shown_by_fields
from ..kernels.fair_share import Tree, no_tree
from ..kernels.formulas import Program
from ..kernels.inputs import Backfilling, Down, Jobs
from ..kernels.waiting_tree import FAR
from ..workload.reacting_users import arrivals_after
from ..workload.workload import Workload


@shown_by_fields
class Segments(NamedTuple):
    """When and where preempted jobs run: a row for every stretch of time in which a job runs without a break.

    Attributes
    ----------
    job
        (k,) int64, rows of the workload; sorted, and the stretches of a job by time.
    begin, end
        (k,) int64, seconds of the trace, half open.
    piece
        (k + 1,) int64: the processors of stretch i are those of `low` and `high` from piece[i] to piece[i + 1] - 1.
    low, high
        (r,) int64, ranges of processors, numbered from 0, both ends included; ascending within a stretch.
    switches
        (s, 2) int64, begin and end of the times in which the machine changes slices and no job runs; ascending.
    """

    job: Ints
    begin: Ints
    end: Ints
    piece: Ints
    low: Ints
    high: Ints
    switches: Ints

    def nodes(self, i: int) -> tuple[tuple[int, int], ...]:
        """Return the ranges of processors of stretch i."""
        pieces = slice(int(self.piece[i]), int(self.piece[i + 1]))
        return tuple(zip(self.low[pieces].tolist(), self.high[pieces].tolist(), strict=True))


@shown_by_fields
class Placement(NamedTuple):
    """On which nodes of a machine jobs run, and what they hold there; a row for every node of every job.

    Attributes
    ----------
    partition
        (n,) int64, the place of the partition in which each job runs; -1 of a job that is not started.
    piece
        (n + 1,) int64: job j holds the rows piece[j] to piece[j + 1] - 1.
    node
        (k,) int64, the place of the node in the machine's order, ascending within a job.
    cpus
        (k,) int64, CPUs of it.
    memory
        (k,) int64, MiB of it; 0 on a machine that gives out no memory.
    gpus
        (k, T) int64, GPUs of it, by `Machine.gpu_types`.
    """

    partition: Ints
    piece: Ints
    node: Ints
    cpus: Ints
    memory: Ints
    gpus: Ints

    @property
    def job(self) -> Ints:
        """Return the job of each row, (k,) int64."""
        return np.repeat(np.arange(self.partition.size), np.diff(self.piece))

    def in_all(self, amounts: Ints | Mask) -> Ints:
        """Return the sum over the nodes of each job, (n,) int64, of amounts by row, (k,)."""
        before = np.concatenate([[0], np.cumsum(amounts)])
        sums: Ints = before[self.piece[1:]] - before[self.piece[:-1]]
        return sums

    def beside(self, other: Placement) -> Placement:
        """Return the placement of these jobs, and behind them of those of the other one."""
        piece = np.concatenate([self.piece, self.piece[-1] + other.piece[1:]])
        joined = {key: np.concatenate([getattr(self, key), getattr(other, key)]) for key in self._fields}
        return Placement(**{key: read_only(column) for key, column in (joined | {"piece": piece}).items()})

    def take(self, jobs: Ints) -> Placement:
        """Return the placement of some jobs, in this order."""
        count = np.diff(self.piece)[jobs]
        piece = np.concatenate([[0], np.cumsum(count)])
        rows = np.repeat(self.piece[:-1][jobs] - piece[:-1], count) + np.arange(piece[-1])
        columns = self.partition[jobs], piece, self.node[rows], self.cpus[rows], self.memory[rows], self.gpus[rows]
        return Placement(*map(read_only, columns))


@shown_by_fields
class Lives(NamedTuple):
    """The lives of jobs that made way for others on a machine of nodes, which are lost; a row for each.

    Attributes
    ----------
    job
        (k,) int64, rows of the workload, sorted; those of a job by time.
    begin, end
        (k,) int64, seconds of the trace, half open.
    requeued
        (k,) bool, whether the job started again later; else it was cancelled, and this is its only or last life.
    placement
        Where each of them was, row by row.
    """

    job: Ints
    begin: Ints
    end: Ints
    requeued: Mask
    placement: Placement

    def take(self, rows: Ints) -> Lives:
        """Return some of the lives, in this order."""
        columns = (read_only(column[rows]) for column in self[:4])
        return Lives(*columns, self.placement.take(rows))  # type: ignore[arg-type, call-arg]


@shown_by_fields
class Pauses(NamedTuple):
    """When jobs were stopped on a machine of nodes because others had their CPUs; a row for each time.

    Attributes
    ----------
    job
        (k,) int64, rows of the workload, sorted; those of a job by time.
    begin, end
        (k,) int64, seconds of the trace, half open.
    """

    job: Ints
    begin: Ints
    end: Ints

    def seconds(self, n: int) -> Ints:
        """Return for how long each of n jobs was stopped, (n,) int64 s."""
        seconds = np.zeros(n, dtype=np.int64)
        np.add.at(seconds, self.job, self.end - self.begin)
        return seconds


@shown_by_fields
class SearchTotals(NamedTuple):
    """What group optimisation did to make a schedule (paper 004, tables 7 to 9), for medium and long jobs in turn.

    Attributes
    ----------
    groups
        How many groups were formed.
    jobs
        How many jobs were in them; a job whose group finished before the job started may be in the next one, too.
    visited, pruned
        Nodes of the search trees: jobs scheduled virtually for a permutation, and those that branch and bound spared.
        First for the long-wide jobs, then for the second level.
    """

    groups: tuple[int, int]
    jobs: tuple[int, int]
    visited: tuple[int, int]
    pruned: tuple[int, int]


# Read-only as those of a workload are: for writeable arrays kernels would be compiled again.
_NONE = read_only(np.empty(0, dtype=np.int64))
ALL_UP = Down(_NONE, _NONE, _NONE)


class Outcome(NamedTuple):
    """The result of a policy on a workload.

    Attributes
    ----------
    start
        (n,) int64, start times, s.
    segments
        Where and when the jobs run, if they are preempted; else None.
    searched
        What group optimisation did; None without it.
    first, corrections
        (n,) int64, the predicted run time of each job when it was eligible, s, and how often it proved too short; (0,)
        without predictions.
    placement
        On which nodes the jobs run; None if the machine has none.
    arrival
        (n,) int64, when each job arrived, s, if users react; else (0,).
    lives
        The lives of jobs that made way for others; None if none did.
    never
        (n,) int64, why each job never ran, see `paretosched.policies.submission_limits`, 0 for one that did, if jobs
        may be refused; else (0,).
    pauses
        When jobs were stopped because others had their CPUs; None if none was.
    """

    start: Ints
    segments: Segments | None = None
    searched: SearchTotals | None = None
    first: Ints = _NONE
    corrections: Ints = _NONE
    placement: Placement | None = None
    arrival: Ints = _NONE
    lives: Lives | None = None
    never: Ints = _NONE
    pauses: Pauses | None = None


def finish_times(
    run: Ints, start: Ints, segments: Segments | None, lives: Lives | None, pauses: Pauses | None = None
) -> Ints:
    """Return when jobs end, (n,) int64 s: start + run; the end of the last segment, or of a cancelled job.

    One that was stopped ends as much later.
    """
    finish: Ints = start + (run if segments is None else 0)
    if pauses is not None:
        finish += pauses.seconds(start.size)
    if segments is not None:
        np.maximum.at(finish, segments.job, segments.end)
    if lives is not None:
        gone = ~lives.requeued
        finish[lives.job[gone]] = lives.end[gone]
    return read_only(finish)


def arrivals(workload: Workload, outcome: Outcome) -> Ints:
    """Return when the jobs of a workload that wait for others became eligible under an outcome, (n,) s."""
    if outcome.arrival.size:
        return outcome.arrival
    assert workload.reactions is not None  # noqa: S101  # its callers look
    finish = finish_times(workload.run, outcome.start, outcome.segments, outcome.lives, outcome.pauses)
    return arrivals_after(workload.reactions, outcome.start, finish)


P = TypeVar("P")
A = ParamSpec("A")


def arriving(
    simulated: Callable[Concatenate[P, Workload, A], Outcome],
) -> Callable[Concatenate[P, Workload, A], Outcome]:
    """Return a method that simulates the jobs of any workload, made of one for jobs in the order of their arrival."""

    @wraps(simulated)
    def outcome(policy: P, workload: Workload, /, *args: A.args, **kwargs: A.kwargs) -> Outcome:
        arrivals = workload.in_arrival_order
        result = compute(lambda: simulated(policy, arrivals.jobs, *args, **kwargs))
        return result if arrivals.rows is None else in_rows(result, arrivals.rows)

    return outcome


def in_rows(outcome: Outcome, rows: Ints) -> Outcome:
    """Return the outcome of the jobs in other rows: job i becomes job rows[i], of (n,) int64 `rows`."""
    segments = None if outcome.segments is None else _of_rows(outcome.segments, rows)
    return of_jobs(outcome, np.argsort(rows))._replace(segments=segments)


def of_jobs(outcome: Outcome, jobs: Ints) -> Outcome:
    """Return the outcome of some jobs, (k,) rows, in this order, without segments."""
    place = np.full(outcome.start.size, -1)
    place[jobs] = np.arange(jobs.size)

    def some(column: Ints) -> Ints:
        """Return a column, (n,) or (0,), of these jobs."""
        return column[jobs] if column.size else column

    return Outcome(
        some(outcome.start),
        searched=outcome.searched,
        first=some(outcome.first),
        corrections=some(outcome.corrections),
        placement=None if outcome.placement is None else outcome.placement.take(jobs),
        arrival=some(outcome.arrival),
        lives=None if outcome.lives is None else _lives_in(outcome.lives, place),
        never=some(outcome.never),
        pauses=None if outcome.pauses is None else _pauses_in(outcome.pauses, place),
    )


def _lives_in(lives: Lives, place: Ints) -> Lives | None:
    """Return lives of which job j is `place[j]`, without those of -1; None if none is left."""
    rows = place[lives.job]
    order = np.argsort(rows, kind="stable")
    order = order[rows[order] >= 0]
    return lives._replace(job=rows).take(order) if order.size else None


def _pauses_in(pauses: Pauses, place: Ints) -> Pauses | None:
    """Return pauses of which job j is `place[j]`, without those of -1; None if none is left."""
    rows = place[pauses.job]
    order = np.lexsort((pauses.begin, rows))
    order = order[rows[order] >= 0]
    columns = (read_only(column[order]) for column in (rows, pauses.begin, pauses.end))
    return Pauses(*columns) if order.size else None


def _of_rows(segments: Segments, rows: Ints) -> Segments:
    """Return segments of which job j is `rows[j]`."""
    job = rows[segments.job]
    order = np.argsort(job, kind="stable")  # the stretches of a job are together already, and in the order of time
    count = np.diff(segments.piece)[order]
    piece = np.concatenate([[0], np.cumsum(count)])
    ranges = np.repeat(segments.piece[:-1][order] - piece[:-1], count) + np.arange(piece[-1])
    return Segments(
        job[order],
        segments.begin[order],
        segments.end[order],
        piece,
        segments.low[ranges],
        segments.high[ranges],
        segments.switches,
    )


class Queue(NamedTuple):
    """How the waiting jobs are ordered and backfilled, as kernels such as `prioritised_once` take it.

    Attributes
    ----------
    order, candidates
        The keys of the waiting jobs, and of those that are backfilled.
    backfilling
        Which jobs may start before jobs that come first.
    accounts
        (n,) int64, the account of each job, from 0 on; (0,) if no key depends on usage.
    shares
        (n,) float64, the share of each job's account.
    half_life
        The time, s, in which usage decays to its half.
    tree
        The associations, if keys depend on the fair-share factor; a simulation modifies it.
    """

    order: Program
    candidates: Program
    backfilling: Backfilling
    accounts: Ints
    shares: Floats
    half_life: float
    tree: Tree


def simple_queue(workload: Workload, order: Program, reservations: int, entitled: bool = True) -> Queue:
    """Return an order with a number of reservations, for which all jobs are entitled to them, or none."""
    groups = len(workload.groups)
    backfilling = Backfilling(
        reservations,
        np.full(groups, entitled, np.bool_),
        np.full(groups, FAR, np.int64),
        np.zeros(groups, np.bool_),
        0,
        True,
    )
    return Queue(order, order, backfilling, np.empty(0, np.int64), np.ones(len(workload)), 1.0, no_tree())


def jobs_of(workload: Workload) -> Jobs:
    """Return the jobs of a workload in the order of their arrival, as kernels take them: they arrive when eligible."""
    w = workload
    return Jobs(w.eligible, w.run, w.estimate, w.width, w.group)


def down_of(workload: Workload) -> Down:
    """Return when processors of a workload's machine are down, as kernels take it."""
    d = workload.down
    return ALL_UP if d is None else Down(d.begin, d.end, d.processors)
