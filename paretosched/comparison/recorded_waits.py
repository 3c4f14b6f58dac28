"""How near a simulated scheduler comes to the recorded waits of a log, and what of the rest the log explains.

A scheduler that decided on a machine, simulated on the same jobs, should start them when the machine did. Of the jobs
that have a recorded wait it is counted how many pairs start in the same order, and by how much the waits differ.

A simulation does not know who held a job, which limits or reservations there were, and mostly not which nodes were
down. Their trace is in the log: seconds in which all waiting jobs would have fit on the processors that were free
together, and yet waited. Jobs that waited so for longer than a scheduler needs to look at its queue are counted, and
the rest is compared once more without them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import number_of
from ..policies.policy import Policy
from ..simulation.schedule import Schedule
from ..simulation.simulator import simulate
from ..workload.log_lines import ALLOCATED, WIDTH
from ..workload.recorded_fit import recorded_changes
from ..workload.workload import Workload
from .order_agreement import Pairs, compared_pairs

LOOK = 60  # s; by default Slurm looks at its whole queue once a minute (sched_interval)
MANY_PAIRS, MUCH_TURNED = 100, 0.4  # pairs, and the share of them in the other order that is as near as chance


class Nearness(NamedTuple):
    """How near simulated starts come to recorded ones.

    Attributes
    ----------
    jobs
        How many jobs have both.
    pairs
        Pairs of them that waited together.
    median, mean
        By how much their waits differ, s.
    longer
        By how much the simulated waits are longer, s; the mean, negative if they are shorter.
    """

    jobs: int
    pairs: Pairs
    median: float
    mean: float
    longer: float


class RecordedWaits(NamedTuple):
    """A simulated scheduler against what was recorded of the same jobs.

    Attributes
    ----------
    name
        The scheduler.
    near
        How near it comes.
    groups
        The same of the jobs of each group, by its name; groups without recorded waits are left out.
    kept
        How many of the jobs waited though all waiting jobs would have fit on the free processors.
    kept_hours
        For how long they did, hours of all of them.
    near_without
        How near it comes to the others; None if there are none, or if no job was kept so.
    resized
        How many jobs ran on other processors than they had requested.
    later
        How many were eligible later than submitted: they depended on another job, were held, or had a date.
    knows_down
        Whether the log says when processors were down.
    moved
        How many were eligible in another second than in the log, since what they depend on ended then; their waits
        count from there.
    """

    name: str
    near: Nearness
    groups: dict[str, Nearness]
    kept: int
    kept_hours: float
    near_without: Nearness | None
    resized: int
    later: int
    knows_down: bool
    moved: int = 0

    def words(self) -> str:
        """Return in one line how near it comes, and in the last one what explains the rest."""
        near = self.near
        head = f"{self.name}, simulated, against the recorded waits of {number_of(near.jobs, 'job')}: {_words(near)}"
        together, turned = near.pairs
        is_chance = together >= MANY_PAIRS and turned > MUCH_TURNED * together
        lines = [
            f"{head}; the simulated ones are {_longer(near.longer)}",
            *(["  half of the pairs would be chance: this is not how the machine decided"] if is_chance else []),
            f"  what explains the rest: {self._rest()}",
        ]
        return "\n".join(lines)

    def _rest(self) -> str:
        """Return what the log says of the rest."""
        parts = [
            f"{number_of(self.kept, 'job')} waited {self.kept_hours:,.1f} h though all waiting jobs would have fit on "
            "the free processors (holds, limits, reservations, or nodes that were down)"
            if self.kept
            else f"no job waited more than {LOOK} s though all waiting jobs would have fit on the free processors"
        ]
        if self.near_without is not None:
            parts[0] += f", without them {_words(self.near_without)}"
        if self.resized:
            parts.append(f"{number_of(self.resized, 'job')} ran on other processors than requested")
        if self.later:
            parts.append(f"{number_of(self.later, 'job')} became eligible after submission, as simulated")
        if self.moved:
            parts.append(
                f"{number_of(self.moved, 'job')} came when those had ended on which they depend, not as recorded"
            )
        parts.append(
            "when processors were down is simulated" if self.knows_down else "the log does not say what was down"
        )
        return "; ".join(parts)

    def facts(self) -> dict[str, Any]:
        """Return everything as plain values."""
        rest = {
            "kept_waiting": self.kept,
            "kept_waiting_hours": self.kept_hours,
            "without_kept": None if self.near_without is None else _facts(self.near_without),
            "other_processors": self.resized,
            "later_eligible": self.later,
            "moved": self.moved,
            "down_times_known": self.knows_down,
        }
        return {"system": self.name} | _facts(self.near) | rest


def recorded_waits(
    workload: Workload, start: Ints, name: str, counted: Ints | None = None, moved: int = 0
) -> RecordedWaits | None:
    """Return how near simulated starts come to the recorded ones; None if no wait is recorded.

    Parameters
    ----------
    workload
        The jobs.
    start
        (n,) s, the simulated starts.
    name
        Name of the scheduler.
    counted
        Rows of the jobs that count; all those with a recorded wait by default.
    moved
        See `RecordedWaits`.

    Examples
    --------
    The second job waited 200 s, although the machine was free from second 100 on.

    >>> w = Workload(submit=[0, 5], run=[100, 9], estimate=[100, 9], width=[4, 4], capacity=4, wait=[0, 295])
    >>> found = recorded_waits(w, np.array([0, 100]), "EASY")
    >>> found.near.mean, found.kept, round(3600 * found.kept_hours)
    (100.0, 1, 200)
    """
    w = workload
    rows = np.arange(len(w)) if counted is None else counted
    rows = rows[w.wait[rows] >= 0]
    if not rows.size:
        return None
    idle = idle_waits(w)[rows]
    kept = idle > LOOK
    other = rows[~kept]
    resized = 0
    if w.records is not None:
        asked, given = (np.asarray(w.records[:, place])[rows] for place in (WIDTH, ALLOCATED))
        resized = int(np.count_nonzero((asked > 0) & (given > 0) & (asked != given)))
    return RecordedWaits(
        name,
        _nearness(w, start, rows),
        {w.groups[k]: _nearness(w, start, rows[w.group[rows] == k]) for k in np.unique(w.group[rows]).tolist()},
        int(kept.sum()),
        float(idle[kept].sum()) / 3600,
        _nearness(w, start, other) if kept.any() and other.size else None,
        resized,
        int(np.count_nonzero(w.eligible[rows] > w.submit[rows])),
        w.down is not None,
        moved,
    )


def waits_beside(log: Workload, schedule: Schedule) -> RecordedWaits | None:
    """Return how near the schedule of a log comes to its recorded waits; None if none are recorded.

    Jobs may be missing in it that never ran. Of those that came in other seconds, because others let them, the waits
    are compared nevertheless.
    """
    rows = _rows_in(log, schedule.workload)
    start = log.eligible.copy()
    start[rows] += schedule.wait
    moved = (schedule.workload.eligible != log.eligible[rows]) & (log.wait[rows] >= 0)
    return recorded_waits(log, start, schedule.name, rows, int(np.count_nonzero(moved)))


def _rows_in(log: Workload, some: Workload) -> Ints:
    """Return the rows of some of the jobs of a log in it; they are in its order."""
    if len(some) == len(log):
        return np.arange(len(log))
    numbers, rows = iter(log.job.tolist()), iter(range(len(log)))
    found = []
    for number in some.job.tolist():
        while next(numbers) != number:
            next(rows)
        found.append(next(rows))
    return np.array(found, dtype=np.int64)


def idle_waits(workload: Workload) -> Ints:
    """Return for how long each job waited though all waiting jobs would have fit on free processors, (n,) s.

    Jobs without a recorded wait are left out, and are given 0.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[9, 9], estimate=[9, 9], width=[2, 2], capacity=3, wait=[0, 30])
    >>> idle_waits(w).tolist()
    [0, 21]
    """
    w = workload
    rows = np.flatnonzero(w.wait >= 0)
    came, width = w.eligible[rows], w.width[rows]
    began = came + w.wait[rows]
    changes, processors = recorded_changes(w, rows)
    second = np.concatenate([came, changes])
    waiting, taken = np.zeros((2, second.size), dtype=np.int64)
    waiting[: rows.size], waiting[rows.size : 2 * rows.size] = width, -width
    taken[rows.size :] = processors
    order = np.argsort(second, kind="stable")
    seconds, queue, busy = second[order], np.cumsum(waiting[order]), np.cumsum(taken[order])
    fits = (queue > 0) & (queue + busy <= w.capacity)
    lasted = np.diff(seconds, append=seconds[-1:]) * fits  # 0 between events of one second
    before = np.concatenate([[0], np.cumsum(lasted)])  # seconds in which all fit before each event
    idle = np.zeros(len(w), dtype=np.int64)
    idle[rows] = before[np.searchsorted(seconds, began)] - before[np.searchsorted(seconds, came)]
    return idle


def of_scheduler_before(workload: Workload, policy: Policy, since: int, dry: bool) -> RecordedWaits | None:
    """Return how near a scheduler comes to the waits of the time in which it decided; None if none are recorded.

    Parameters
    ----------
    workload
        The log.
    policy
        The scheduler that decided until another policy did.
    since
        Second of the log from which the other one decides.
    dry
        Whether the other one only pretended, so that all jobs of the log count; else those that started before.
    """
    rows = np.arange(len(workload)) if dry else np.flatnonzero(workload.submit < since)
    if not rows.size:
        return None
    jobs = workload if dry else workload.take(rows)
    started = jobs.eligible + jobs.wait < since
    counted = None if dry else np.flatnonzero(started)
    # if it lets jobs come at other seconds, because they depend on others, their waits are compared nevertheless
    return recorded_waits(jobs, jobs.eligible + simulate(jobs, policy).wait, policy.name, counted)


def _nearness(workload: Workload, start: Ints, rows: Ints) -> Nearness:
    """Return how near simulated starts of some jobs come to the recorded ones."""
    w = workload
    difference = start[rows] - (w.eligible + w.wait)[rows]
    size = np.abs(difference)
    pairs = compared_pairs(w.eligible[rows], (w.eligible + w.wait)[rows], start[rows])
    return Nearness(rows.size, pairs, float(np.median(size)), float(size.mean()), float(difference.mean()))


def _words(near: Nearness) -> str:
    """Return how many pairs are in order, and by how much waits differ."""
    together, turned = near.pairs
    order = "no two of them waited together"
    if together:
        order = f"{100 * (1 - turned / together):.1f} % of the pairs that waited together start in the same order"
    return f"{order}, and waits differ by {near.median:,.0f} s in the median and {near.mean:,.0f} s in the mean"


def _longer(seconds: float) -> str:
    return f"{abs(seconds):,.0f} s {'shorter' if seconds < 0 else 'longer'} in the mean"


def _facts(near: Nearness) -> dict[str, Any]:
    """Return numbers as plain values."""
    return {
        "jobs": near.jobs,
        "pairs_together": near.pairs.together,
        "pairs_in_other_order": near.pairs.turned,
        "wait_differs_median_s": near.median,
        "wait_differs_mean_s": near.mean,
        "wait_longer_mean_s": near.longer,
    }
