"""What administrators ask about a schedule: how long jobs wait, how slow they seem, how busy the machine is.

Here every job counts once, a short job as much as a long one, whereas AWRT weights jobs by their processor seconds.

    wait             = start - eligible, until the first start
    wait in all      = finish - eligible - run, with the time in which the job was preempted
    bounded slowdown = max(1, (finish - eligible) / max(run, bound))

A job is eligible when it is submitted, unless the workload says that it could run only later.

The bound keeps jobs of a few seconds from deciding a mean; 10 s is what the field uses (Feitelson and others, *Theory
and practice in parallel job scheduling*, JSSPP 1997, LNCS 1291). Paper 004 uses 600 s, and rounds up.

Paper 004 also classifies jobs by run time (short, medium and long) and by their share of the machine: narrow up to
10 %, wide above 50 % (its Table 4). Medium jobs begin at 600 s, as in the text and in Table 5, not at the 60 s of
Table 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import instance, whole_number
from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, number_of
from ..core.notebook import shown_by_fields
from ..policies.policy import Policy
from ..policies.time_sharing import CLASSES, SIZES, TimeSharing
from .measures import median_of, rank_of
from .schedule import SLOWDOWN_BOUND, Schedule, bounded_slowdown, busy

CLASS_BOUND = 600  # s, of paper 004
WIDER = (0.1, 0.5)  # shares of the machine
MOST_BINS = 110  # two years of weeks
HOUR, DAY = 3600, 86400
WEEK = 7 * DAY
BINS = (1, 10, 60, 600, HOUR, 6 * HOUR, DAY, WEEK, 4 * WEEK)  # s
YEAR = 52 * WEEK


@shown_by_fields
class Waits(NamedTuple):
    """Waits and slowdowns, (G + 1,) each: of all jobs, then of each group; NaN for a group without jobs.

    Attributes
    ----------
    jobs
        Number of jobs.
    mean, median, p95, worst
        Waits, s; `p95` is the shortest wait that at least 95 % of the jobs do not exceed.
    slowdown_mean, slowdown_median
        Mean and median of the bounded slowdown.
    """

    jobs: Ints
    mean: Floats
    median: Floats
    p95: Floats
    worst: Floats
    slowdown_mean: Floats
    slowdown_median: Floats


def waits(schedule: Schedule, bound: int = SLOWDOWN_BOUND, among: Mask | None = None) -> Waits:
    """Return how long the jobs of all users and of each group wait.

    Parameters
    ----------
    schedule
        Any schedule.
    bound
        Bound of the slowdown, s, at least 1.
    among
        (n,) bool, the jobs that count; by default all.

    Raises
    ------
    InputError
        `schedule` is no schedule, the bound is less than one second, or `among` is not of its jobs.

    Examples
    --------
    Three jobs wait 0, 0 and 13 s. The last one runs for 3 s, which counts as 10 s, and took 16 s.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 1, 4], capacity=4)
    >>> measured = waits(Schedule(w, [0, 1, 15]))
    >>> [float(column[0].round(6)) for column in (measured.median, measured.p95, measured.slowdown_mean)]
    [0.0, 13.0, 1.2]
    """
    _check_bound(bound)
    w = instance("schedule", schedule, Schedule).workload
    which = np.ones(len(w), dtype=np.bool_) if among is None else np.asarray(among)
    if which.dtype != np.bool_ or which.shape != (len(w),):
        raise InputError(f"among must be truth values of {number_of(len(w), 'job')}, but is {among!r:.60}")
    wait, slowdown, group = schedule.wait[which], bounded_slowdown(schedule, bound)[which], w.group[which]
    columns = np.full((len(Waits._fields) - 1, len(w.groups) + 1), np.nan)
    jobs = np.concatenate([[group.size], np.bincount(group, minlength=len(w.groups))]).astype(np.int64)
    for place, count in enumerate(jobs.tolist()):
        if count:
            rows = slice(None) if place == 0 else group == place - 1
            ascending, slow = np.sort(wait[rows]), slowdown[rows]
            columns[:, place] = (
                ascending.mean(),
                median_of(ascending),
                ascending[rank_of(95, count) - 1],
                ascending[-1],
                slow.mean(),
                np.median(slow),
            )
    return Waits(jobs, *columns)


def _check_bound(bound: int) -> None:
    """Refuse a bound of the slowdown below one second."""
    if whole_number("bound", bound) < 1:
        raise InputError(f"bound of the slowdown must be at least 1 s, but is {bound}")


class OfClass(NamedTuple):
    """How jobs of a class and size fare; every job counts once in a mean, and means without jobs are NaN.

    Attributes
    ----------
    kind
        "all", "short", "medium" or "long".
    size
        "all", "narrow", "medium" or "wide".
    jobs
        Number of jobs.
    slowdown, slowdown_rounded_up
        Mean bounded slowdown; and the mean of slowdowns that are rounded up to whole numbers, as in paper 004.
    response_s, wait_s
        Mean response time, and mean time until the first start.
    work_percent
        Share of the processor seconds of all jobs.
    utilisation_percent
        Share of the machine, from the first start to the last completion, that these jobs use.
    wait_in_all_s
        Mean time in which a job is not running: until its first start, and while it is preempted. Paper 004 calls this
        the wait (section 1). Without preemption it is `wait_s`.
    """

    kind: str
    size: str
    jobs: int
    slowdown: float
    slowdown_rounded_up: float
    response_s: float
    wait_s: float
    work_percent: float
    utilisation_percent: float
    wait_in_all_s: float


def by_class(schedule: Schedule, sharing: TimeSharing | None = None, bound: int = CLASS_BOUND) -> list[OfClass]:
    """Return how the jobs of each class and size fare (paper 004, sections 5.1.5 and 9.3).

    Parameters
    ----------
    schedule
        Any schedule.
    sharing
        A policy whose limits of the classes are used; None for those of paper 004. True run times decide.
    bound
        Bound of the slowdown, s, at least 1.

    Returns
    -------
    list of OfClass
        16 rows: all jobs, then short, medium and long jobs; for each of these all sizes, narrow, medium, wide.

    Raises
    ------
    InputError
        The bound is less than one second.

    Examples
    --------
    The second job runs for 1,000 s, waits 500 s, and is wide.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 0], run=[500, 1000], estimate=[500, 1000], width=[2, 3], capacity=4)
    >>> rows = by_class(Schedule(w, [0, 500]))
    >>> [row[:5] for row in rows if row.size == "wide" and row.jobs]
    [('all', 'wide', 1, 1.5, 2.0), ('medium', 'wide', 1, 1.5, 2.0)]
    """
    _check_bound(bound)
    w, limits = schedule.workload, sharing or TimeSharing()
    kind = np.searchsorted([limits.medium_from, limits.long_from], w.run, side="right")
    size = np.searchsorted(np.array(WIDER) * w.capacity, w.width, side="left")
    response = schedule.finish - w.eligible
    slowdown = np.maximum(1.0, response / np.maximum(w.run, bound))
    work = (w.run * w.width).astype(np.float64)
    area = float(w.capacity) * float(schedule.finish.max() - schedule.start.min())
    rows = []
    for k, of_kind in enumerate(("all", *CLASSES)):
        for s, of_size in enumerate(("all", *SIZES)):
            mask = ((kind == k - 1) | (k == 0)) & ((size == s - 1) | (s == 0))
            count = int(np.count_nonzero(mask))
            columns = (slowdown, np.ceil(slowdown), response, schedule.start - w.eligible, response - w.run)
            slow, bounded, responded, first, in_all = (
                float(column[mask].mean()) if count else np.nan for column in columns
            )
            class_work = 100 * float(work[mask].sum())
            rows.append(
                OfClass(
                    of_kind,
                    of_size,
                    count,
                    slow,
                    bounded,
                    responded,
                    first,
                    class_work / float(work.sum()),
                    class_work / area,
                    in_all,
                )
            )
    return rows


def first_sharing(policies: Iterable[Policy | None]) -> TimeSharing | None:
    """Return the first policy that shares time, whose limits of the classes `by_class` uses; None without one.

    Examples
    --------
    >>> from paretosched.policies.policy import as_policy
    >>> first_sharing([None, as_policy("easy"), as_policy("scojo")]).name
    'SCOJO-PECT'
    """
    return next((policy for policy in policies if isinstance(policy, TimeSharing)), None)


def bins(first: int, last: int) -> Ints:
    """Return where the bins of a figure begin that divide the time from `first` to `last` evenly.

    Parameters
    ----------
    first, last
        Seconds of the trace, first < last.

    Returns
    -------
    (k + 1,) int64
        Where the bins begin, and the end of the last one, which may be shorter than the others. Their length is the
        shortest of BINS, or else of whole years, with which there are at most MOST_BINS.

    Examples
    --------
    >>> bins(5, 100).tolist()[:3], bins(5, 120)[-2:].tolist()
    ([5, 6, 7], [115, 120])
    """
    span = last - first
    if span < 1:
        raise InputError(f"the time to be divided must last at least 1 s, but is {first}..{last}")
    fitting = [width for width in BINS if span <= MOST_BINS * width]
    width = fitting[0] if fitting else YEAR * -(-span // (MOST_BINS * YEAR))
    return np.append(np.arange(first, last, width, dtype=np.int64), last)


def use(schedule: Schedule, edges: Ints, amounts: Floats | None = None) -> NDArray[Any]:
    """Return the processor seconds that a schedule uses between successive times, or those of something else.

    Parameters
    ----------
    schedule
        Any schedule.
    edges
        (k + 1,) seconds of the trace, ascending.
    amounts
        (n,) what each job has; None for its processors.

    Returns
    -------
    (k,) int64, of the type of `amounts` if they are given
        Processor seconds from `edges[i]` until `edges[i + 1]`, exactly.

    Examples
    --------
    Three processors are busy from 0 to 10, one of them from 10 to 15.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[3, 1], capacity=4)
    >>> use(Schedule(w, [0, 10]), np.array([0, 4, 12, 20])).tolist()
    [12, 20, 3]
    """
    when, processors = busy(schedule, amounts)
    work = np.concatenate(
        [[0], np.cumsum(processors[:-1] * np.diff(when))]
    )  # before `when`; at most the work of all jobs
    place = np.searchsorted(when, edges, side="right") - 1
    since = np.maximum(place, 0)  # before the first start no processor is used
    total = np.where(place < 0, 0, work[since] + processors[since] * (edges - when[since]))
    return np.diff(total)
