"""Users who react: they submit jobs when others of theirs have ended, so that a better schedule gets more work.

A log says when jobs were submitted under the schedule of its time. Under another schedule users would have got their
results at other times, and would have submitted what came next at other times, too (Zakay and Feitelson, MASCOTS 2014).
What depends on what is taken from the log, user by user:

- A *batch* is jobs that a user submits without waiting for one another: each less than an hour (`SESSION`, the limit of
  sessions in Zakay and Feitelson, JSSPP 2012) after the one before, and while some job of the batch has not ended.
- Before it is the batch that ended last of those of this user that had ended when it began. All its jobs must end.
- If it began within an hour after that end, the user had been waiting: the time between, the *think time*, stays.
- Otherwise there was a break. It begins when the log says, in the same hour of the same day, as people have hours of
  work; but not before the other batch has ended, because it may need its results.
- In a batch the times between the submissions stay. So do those until jobs are eligible.

These are decisions: the papers cut sessions by submissions and measure think times from ends, and let a batch depend on
those before it; that a batch after a break keeps its hour stands for their daily cycle. Where preceding job and think
time (fields 17 and 18 of SWF) agree with the recorded times of any job, they count instead: each job waits for the one
that it names, or for none. Jobs of unknown users wait for none, and a job whose wait is unknown began when it was
eligible, as in the recorded schedule. Nobody gives up, and nobody comes who is not in the log.

Under the recorded schedule all jobs are submitted when they were, to the second.
"""

from __future__ import annotations

import heapq

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError
from ..kernels.inputs import STARTS, Reactions, no_submissions
from .log_lines import PRECEDING, RUN, SUBMIT, THINK, WAIT
from .resampling import SESSION
from .workload import Workload

NOBODY = -1
ROUNDING = 2  # s by which fields 17 and 18 may differ from submission, wait and run time, which are rounded one by one


def reactions_of(workload: Workload) -> Reactions:
    """Return what the jobs of a workload wait for, by its recorded schedule.

    Raises
    ------
    InputError
        No job has a recorded wait, or no user is known.

    Examples
    --------
    The user submits two jobs without waiting for the first one, and a third one 15 s after both have ended.

    >>> w = Workload([0, 10, 85], [20, 30, 9], [20, 30, 9], [1] * 3, capacity=1, user=[7] * 3, wait=[50, 0, 0])
    >>> r = reactions_of(w)
    >>> r.batch.tolist(), r.offset.tolist(), r.leader.tolist(), r.follower.tolist(), r.pause.tolist()
    ([0, 0, 1], [0, 10, 0], [0], [1], [15])
    """
    w = workload
    if (w.wait < 0).all():
        raise InputError(
            f"{w.name}: users who react need recorded waits, which say what users had been waiting for, but no job has "
            "one (was it generated, scaled or resampled?); take a log as it was recorded"
        )
    named = _named_jobs(w)
    if named is None and (w.user < 0).all():
        raise InputError(
            f"{w.name}: users who react must be known, but no job has a known user; import the accounting with its "
            "users (--anonymise hides their names)"
        )
    end = recorded_end(w)
    if named is None:
        batch, after = _batches(w, end)
    else:
        batch, after = np.arange(len(w)), named
    first = np.searchsorted(batch, np.arange(after.size), sorter=(order := np.argsort(batch, kind="stable")))
    begin = w.submit[order[first]]
    last = np.zeros(after.size, dtype=np.int64)
    np.maximum.at(last, batch, end)
    pause = np.where(after == NOBODY, 0, begin - last[after])
    waited = (after != NOBODY) & ((pause <= SESSION) | (named is not None))
    later = w.eligible - w.submit
    place = np.empty(len(w), dtype=np.int64)
    place[np.argsort(-later, kind="stable")] = np.arange(len(w))  # of jobs that arrive together the first submitted
    follower = np.flatnonzero(after != NOBODY)
    return Reactions(
        batch,
        w.submit - begin[batch] + later,
        place,
        np.where(waited, 0, begin),
        (after != NOBODY).astype(np.int64),
        after[follower],
        follower,
        np.where(waited, pause, 0)[follower],
        np.zeros(follower.size, dtype=np.int64),
        no_submissions(),
    )


def recorded_end(workload: Workload) -> Ints:
    """Return when the jobs end in the recorded schedule, (n,) s; a job whose wait is unknown starts when eligible."""
    return workload.eligible + np.maximum(workload.wait, 0) + workload.run


def arrivals_after(reactions: Reactions, start: Ints, end: Ints) -> Ints:
    """Return when jobs arrive that wait for others, (n,) s, if all jobs start at `start` and end at `end`, (n,) s."""
    r, begin = reactions, reactions.earliest.copy()
    last, later = np.zeros(begin.size, dtype=np.int64), np.zeros(begin.size, dtype=np.int64)
    first, sooner = (np.full(begin.size, np.iinfo(np.int64).max // 2) for _ in range(2))
    np.maximum.at(last, r.batch, end)
    np.minimum.at(first, r.batch, start)
    seconds = np.where(r.kind == STARTS, first[r.leader] + np.maximum(r.pause, 1), last[r.leader] + r.pause)
    np.maximum.at(later, r.follower, seconds)
    np.minimum.at(sooner, r.follower, seconds)
    waits = r.needs > 0
    is_any = waits & (r.needs < np.bincount(r.follower, minlength=begin.size))
    begin = np.maximum(begin, np.where(is_any, sooner, np.where(waits, later, 0)))
    arrival: Ints = begin[r.batch] + r.offset
    return arrival


def words_on_reactions(workload: Workload) -> str:
    """Return in words how many jobs of a workload depend on others; errors are those of `reactions_of`."""
    r = reactions_of(workload)
    has_leader = r.needs > 0
    follows = (has_leader & (r.earliest == 0))[r.batch]
    after_break = (has_leader & (r.earliest > 0))[r.batch]
    share, others = (100 * float(jobs.mean()) for jobs in (follows, after_break))
    return (
        f"users react: {share:.1f} % of the jobs come a think time after the end of others of their user, and "
        f"{others:.1f} % when the log says, but not before the end of others; the rest when the log says"
    )


def _named_jobs(workload: Workload) -> Ints | None:
    """Return the row of the job that each job waits for by fields 17 and 18, -1 for none; None without such fields.

    They count where the job was submitted so long after the end of an earlier one; in some logs they are only filled.
    """
    if workload.records is None:
        return None
    preceding, think, submit, wait, run = (
        workload.records.column(field) for field in (PRECEDING, THINK, SUBMIT, WAIT, RUN)
    )
    rows = np.flatnonzero((preceding > 0) & (think >= 0))
    row_of = {number: row for row, number in enumerate(workload.job.tolist())}
    named = np.full(len(workload), NOBODY)
    named[rows] = [row_of.get(int(number), NOBODY) for number in preceding[rows].tolist()]
    rows = rows[(named[rows] >= 0) & (named[rows] < rows)]
    before = named[rows]
    end = submit[before] + wait[before] + run[before]
    agree = (wait[before] >= 0) & (np.abs(submit[rows] - end - think[rows]) <= ROUNDING)
    agree &= workload.submit[rows] >= recorded_end(workload)[before]
    result = np.full(len(workload), NOBODY)
    result[rows[agree]] = before[agree]
    return result if agree.any() else None


def _batches(workload: Workload, end: Ints) -> tuple[Ints, Ints]:
    """Return the batch of each job, (n,), and the batch that each one waits for, (B,), -1 for none.

    `end`, (n,) s, is when jobs end in the recorded schedule.
    """
    batch = np.empty(len(workload), dtype=np.int64)
    after: list[int] = []
    last, now, latest, until = -2, NOBODY, 0, 0
    for row in np.argsort(workload.user, kind="stable").tolist():
        user, submit = int(workload.user[row]), int(workload.submit[row])
        if user != last or user < 0:
            last, now = user, NOBODY
            before: list[tuple[int, int]] = []  # ends and numbers of the other batches of the user, a heap,
            ended = (0, NOBODY)  # and those of the last that ended
        if now == NOBODY or submit - latest >= SESSION or submit >= until:
            if now != NOBODY:
                heapq.heappush(before, (until, now))
            while before and before[0][0] <= submit:
                ended = max(ended, heapq.heappop(before))
            now, until = len(after), 0
            after.append(ended[1])
        batch[row], latest, until = now, submit, max(until, int(end[row]))
    return batch, np.array(after, dtype=np.int64)
