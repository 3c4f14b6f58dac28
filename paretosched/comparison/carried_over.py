"""Simulate a policy from a date on, beginning with what the machine did then: running and waiting jobs are as recorded.

A simulation that began on an empty machine would promise too much, and one from the beginning of the log would have
another queue at the date than the machine had. So the jobs that ran at the date fill their processors, until the
seconds in which they ended or were expected to, and the jobs that waited come in the seconds in which they came. Until
the date, one more job fills all other processors, so that none of them starts. All three are simulated and not counted.

Only what a policy remembers of the time before is lost: "conservative" keeps the reservations that it gave, and none
are recorded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from ..policies.outcome import Outcome, arrivals, of_jobs
from ..policies.policy import Policy, decided_by
from ..policies.priority import Priority
from ..simulation.simulator import REACT, RECORDED, with_dependencies, with_reactions
from ..workload.down_times import DownTimes
from ..workload.workload import Workload


class Begin(NamedTuple):
    """What is simulated and what is counted from a date on.

    Attributes
    ----------
    since
        The second of the log from which submitted jobs count.
    running, waiting
        Rows of jobs that were submitted before it, and ran or waited then.
    after
        Rows of the jobs that were submitted from then on.
    """

    since: int
    running: Ints
    waiting: Ints
    after: Ints


def begin_at(workload: Workload, since: int) -> Begin:
    """Return the jobs that ran, waited and came after a second of the log, by what is recorded.

    A job of which no wait is recorded, and that was submitted before, is left out.

    Examples
    --------
    The first job runs at second 10, the second one waits until 14.

    >>> w = Workload(submit=[0, 5, 12], run=[14, 5, 5], estimate=[14, 5, 5], width=[1] * 3, capacity=1, wait=[0, 9, 7])
    >>> [rows.tolist() for rows in begin_at(w, 10)[1:]]
    [[0], [1], [2]]
    """
    w = workload
    before = w.submit < since
    start = w.eligible + w.wait
    left = before & (w.wait >= 0) & (start + w.run > since)
    rows = (left & (start < since), left & (start >= since), ~before)
    return Begin(since, *(np.flatnonzero(mask) for mask in rows))


def missing_processors(workload: Workload, begin: Begin) -> int:
    """Return on how many processors more than there are the jobs ran at the date."""
    return max(0, int(workload.width[begin.running].sum()) - workload.capacity)


def outcome_since(workload: Workload, policy: Policy, begin: Begin, users: str = RECORDED) -> Outcome:
    """Return the outcome of a policy for the jobs that were submitted since the date, in seconds of the log.

    It says when they became eligible, too: where they depend on others, or `users` react, when the others let them.

    A policy that looks at what users have consumed is simulated from the beginning of the log instead, because what
    ran before the date matters for it; on a machine of nodes every policy is, because no job fills what others leave of
    each node. Else the jobs that ran at the date count as submitted together just before it, in seconds that are known
    no longer: who waited for their end waits for it here.

    Raises
    ------
    InputError
        As for `simulate`.

    Examples
    --------
    >>> from ..policies.plain import Plain
    >>> w = Workload(submit=[0, 5, 12], run=[14, 5, 5], estimate=[14, 5, 5], width=[1] * 3, capacity=1, wait=[0, 9, 7])
    >>> outcome_since(w, Plain("fcfs"), begin_at(w, 10)).start.tolist()
    [19]

    User 7 had waited for the end of the first job, at 14, and came 3 s later.

    >>> w = Workload([0, 5, 17], [14, 9, 5], [14, 9, 5], [1] * 3, capacity=1, wait=[0, 9, 9], user=[7, 8, 7])
    >>> outcome = outcome_since(w, Plain("fcfs"), begin_at(w, 10), "react")
    >>> outcome.arrival.tolist(), outcome.start.tolist()
    ([17], [23])
    """
    jobs = decided_by(policy, workload)
    offset, rows = 0, begin.after
    if not (remembers_usage(policy) or workload.machine is not None):
        jobs, offset = _jobs_to_simulate(jobs, begin)
        rows = np.arange(len(jobs) - begin.after.size, len(jobs))
    jobs = with_reactions(policy, jobs) if users == REACT else with_dependencies(policy, jobs)
    outcome = policy.outcome(jobs)
    arrival = jobs.eligible if jobs.reactions is None else arrivals(jobs, outcome)
    # only on machines of nodes jobs have lives, whose seconds are those of the log
    return of_jobs(outcome._replace(start=outcome.start + offset, arrival=arrival + offset), rows)


def remembers_usage(policy: Policy) -> bool:
    """Return whether a policy looks at what users, accounts or groups have consumed."""
    return isinstance(policy, Priority) and bool({"usage", "fairshare"} & set(policy.variables))


def _jobs_to_simulate(workload: Workload, begin: Begin) -> tuple[Workload, int]:
    """Return the jobs to simulate, those that count last, and the second of the log in which they begin."""
    w, (since, running, waiting, after) = workload, begin
    first = int(w.submit[waiting].min()) if waiting.size else since
    offset = max(first - 1, -w.epoch) if running.size + waiting.size else first
    filler = waiting[:1] if w.width[running].sum() < w.capacity else waiting[:0]
    rows = np.concatenate([running, filler, waiting, after])
    fixed, is_filler = _mask(rows.size, 0, running.size + filler.size), _mask(rows.size, running.size, filler.size)
    start = (w.eligible + w.wait)[rows]  # of the running jobs; what it is of others does not matter
    free = w.capacity - int(w.width[running].sum())

    def until(end: Ints, of_others: Ints) -> Ints:
        """Return lengths of jobs: until their end for those that run, or until the date for the one that fills."""
        return np.where(is_filler, since - offset, np.where(fixed, end - offset, of_others))

    run, estimate = w.run[rows], w.estimate[rows]
    return (
        w.take(
            rows,
            submit=np.where(fixed, 0, w.submit[rows] - offset),
            eligible=np.where(fixed, 0, w.eligible[rows] - offset),
            run=until(start + run, run),
            estimate=until(start + estimate, estimate),
            width=np.where(is_filler, free, w.width[rows]),
            user=np.where(is_filler, -1, w.user[rows]),
            wait=np.where(fixed, 0, w.wait[rows]),
            epoch=w.epoch + offset,
            down=_down_beside(w, running, since, offset),
        ),
        offset,
    )


def _down_beside(workload: Workload, running: Ints, since: int, offset: int) -> DownTimes | None:
    """Return when processors are down from the date on, in seconds from `offset` on; None if all are always up.

    What is recorded of nodes and of jobs need not agree: jobs that ran at the date keep their processors.
    """
    if workload.down is None:
        return None
    down = workload.down
    end = (workload.eligible + workload.wait + workload.estimate)[running]
    seconds = np.unique(np.concatenate([down.begin, down.end, end, [since]]))
    begin, until = seconds[seconds >= since][:-1], seconds[seconds >= since][1:]
    place = np.searchsorted(down.begin, begin, side="right") - 1
    processors = np.where((place >= 0) & (begin < down.end[place]), down.processors[place], 0)
    busy = (workload.width[running] * (end > begin[:, None])).sum(axis=1)
    processors = np.minimum(processors, workload.capacity - busy)
    some = processors > 0
    return DownTimes(begin[some] - offset, until[some] - offset, processors[some])


def _mask(size: int, first: int, count: int) -> Mask:
    """Return a mask that is true for some places in succession."""
    place = np.arange(size)
    return (place >= first) & (place < first + count)
