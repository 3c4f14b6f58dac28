"""How long jobs wait in several groupings at once: by account, and by size, beside the groups of the objectives."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.tables import plain
from ..simulation.measures import consumption_of
from ..simulation.schedule import SLOWDOWN_BOUND, Schedule
from ..simulation.service import Waits, waits
from ..workload.user_groups import NAMED_BY_JOBS, with_groups
from ..workload.workload import Workload
from .consequences import Sides

ALL_JOBS = "all jobs"
WIDE = "wide:"  # the first group of those by size
MOST_GROUPS = 40  # of a grouping that is offered
SLOWDOWN = f"bounded_slowdown_{SLOWDOWN_BOUND}s"


class View(NamedTuple):
    """How long jobs wait in other groups than those of the objectives.

    Attributes
    ----------
    how
        How jobs are grouped, as for `user_groups.with_groups`: "account", or words.
    groups
        Names of the groups, (H,).
    waits
        (q,), of all jobs and of each group, under each policy.
    awrt
        (q,), s, (H + 1,) each, AWRT of the same; NaN for a group without jobs.
    """

    how: str
    groups: tuple[str, ...]
    waits: tuple[Waits, ...]
    awrt: tuple[Floats, ...] = ()

    @property
    def by(self) -> str:
        """What jobs are grouped by, in a word."""
        if ":" in self.how:
            return "size" if self.how.startswith(WIDE) else "group"
        return "QOS" if self.how == "qos" else self.how

    def sides(self, first: int, other: int) -> Sides:
        """Return how long jobs wait under two of the policies."""
        rules = [part.partition(": ")[2] for part in self.how.split("; ")] if ":" in self.how else []
        rules += [""] * (len(self.groups) - len(rules))
        names = [f"{name} ({rule})" if rule else name for name, rule in zip(self.groups, rules, strict=True)]
        awrt = self.awrt[first].tolist(), self.awrt[other].tolist()
        return Sides((self.waits[first], self.waits[other]), awrt, names)


def view(how: str | os.PathLike[str], schedules: Sequence[Schedule]) -> View:
    """Return how long the jobs of schedules of one workload wait in other groups, see `user_groups.with_groups`."""
    regrouped = with_groups(schedules[0].workload, how)
    seen = [replace(s, workload=regrouped) for s in schedules]
    return View(os.fsdecode(how), regrouped.groups, tuple(map(waits, seen)), tuple(map(_response_times, seen)))


def _response_times(schedule: Schedule) -> Floats:
    """Return the AWRT of all jobs and of each group, (G + 1,) s."""
    w = schedule.workload
    work = consumption_of(w).astype(np.float64)
    sums = [np.bincount(w.group, x, len(w.groups)) for x in (work * (schedule.finish - w.eligible), work)]
    with np.errstate(invalid="ignore"):
        response: Floats = np.divide(*(np.concatenate([[of.sum()], of]) for of in sums))
    return response


def large_jobs(schedules: Sequence[Schedule]) -> View | None:
    """Return how long large jobs wait, the first group of the view; None where all jobs are about as large."""
    how = _by_size(schedules[0].workload)
    of = view(how, schedules)
    return of if of.waits[0].jobs[1:].all() else None


def _by_size(workload: Workload) -> str:
    """Return how jobs are grouped by size: a tenth of the jobs, the widest ones, and the others."""
    return f"{WIDE} width >= {max(2, int(np.quantile(workload.width, 0.9, method='higher')))}; others"


def other_groupings(workload: Workload) -> list[str]:
    """Return what jobs can be grouped by, beside the groups that they are in, as for `with_groups`.

    They are what jobs name, and their size; each has two groups with jobs, 40 at most, and none is like another one.

    Examples
    --------
    >>> w = Workload(submit=[0, 1, 2], run=[1, 1, 1], estimate=[1, 1, 1], width=[1, 1, 4], capacity=4)
    >>> other_groupings(w)
    ['wide: width >= 4; others']
    """
    found: dict[bytes, str] = {}
    known = _members(workload)
    for how in ("account", "partition", "qos", "queue", _by_size(workload)):
        try:
            members = _members(with_groups(workload, how))
        except InputError:  # jobs do not name it
            continue
        if members != known and 2 <= len(np.unique(np.frombuffer(members, np.int64))) <= MOST_GROUPS:
            found.setdefault(members, how)
    return list(found.values())


def _members(workload: Workload) -> bytes:
    """Return in which group each job is, whatever the groups are called: they are counted as they first come."""
    _, first, place = np.unique(workload.group, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place].astype(np.int64).tobytes()


def wait_cells(of: Waits) -> list[dict[str, Any]]:
    """Return the columns of waits, of all jobs and of each group, by the names that they have in rows."""
    keys = ("wait_mean_s", "wait_median_s", "wait_p95_s", "wait_worst_s", f"{SLOWDOWN}_mean", f"{SLOWDOWN}_median")
    columns = {key: plain(column) for key, column in zip(("jobs", *keys), of, strict=True)}
    return [{key: columns[key][i] for key in columns} for i in range(len(of.jobs))]


def whose(row: Mapping[str, Any]) -> str:
    """Return whose waits are in a row of `Comparison.rows`.

    Examples
    --------
    >>> [whose(row) for row in ({"group": None}, {"group": "1"}, {"group": "physics", "groups": "account"})]
    ['all jobs', 'group 1', 'account physics']
    """
    if row["group"] is None:
        return ALL_JOBS
    how = row.get("groups")
    return f"{how if how in ('queue', *NAMED_BY_JOBS) else 'group'} {row['group']}"
