"""What an administrator asks about a schedule next: how long jobs wait, how slow they seem, how busy the machine is.

Here every job counts once, a short one as much as a long one, whereas AWRT counts jobs by their processor seconds.

    wait             = start - submission
    bounded slowdown = max(1, (finish - submission) / max(run, bound))

The bound keeps jobs of a few seconds from deciding a mean; 10 s is what the field uses (Feitelson and others, *Theory
and practice in parallel job scheduling*, JSSPP 1997, LNCS 1291); paper 004 takes 600 s, and rounds up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import InputError
from .schedule import Schedule, busy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SLOWDOWN_BOUND = 10  # s
MOST_BINS = 110  # two years of weeks
HOUR, DAY = 3600, 86400
WEEK = 7 * DAY
BINS = (1, 10, 60, 600, HOUR, 6 * HOUR, DAY, WEEK, 4 * WEEK)  # s
YEAR = 52 * WEEK


class Waits(NamedTuple):
    """Waits and slowdowns, (G + 1,) each: of all jobs, then of each group; NaN for a group without jobs.

    Attributes
    ----------
    jobs
        How many.
    mean, median, p95, worst
        Seconds; 95 % of the jobs wait no longer than `p95`, the shortest wait of which that can be said.
    slowdown_mean, slowdown_median
        Of the bounded slowdown.
    """

    jobs: Ints
    mean: Floats
    median: Floats
    p95: Floats
    worst: Floats
    slowdown_mean: Floats
    slowdown_median: Floats


def waits(schedule: Schedule, bound: int = SLOWDOWN_BOUND) -> Waits:
    """Measure how long the jobs of all users and of each group wait.

    Parameters
    ----------
    schedule
        Any schedule.
    bound
        Of the slowdown, seconds, at least 1.

    Raises
    ------
    InputError
        The bound is less than one second.

    Examples
    --------
    Three jobs wait 0, 0 and 13 s. The last one runs for 3 s; it would have needed 10 s or less anyway, and took 16 s.

    >>> from paretosched.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 1, 4], capacity=4)
    >>> measured = waits(Schedule(w, [0, 1, 15]))
    >>> [float(column[0].round(6)) for column in (measured.median, measured.p95, measured.slowdown_mean)]
    [0.0, 13.0, 1.2]
    """
    if bound < 1:
        raise InputError(f"bound of the slowdown must be at least 1 s, but is {bound}")
    w = schedule.workload
    wait = schedule.start - w.submit
    slowdown = np.maximum(1.0, (schedule.finish - w.submit) / np.maximum(w.run, bound))
    columns = np.full((len(Waits._fields) - 1, len(w.groups) + 1), np.nan)
    jobs = np.concatenate([[len(w)], np.bincount(w.group, minlength=len(w.groups))]).astype(np.int64)
    for place, count in enumerate(jobs.tolist()):
        if count:
            chosen = slice(None) if place == 0 else w.group == place - 1
            ordered, slow = np.sort(wait[chosen]), slowdown[chosen]
            rank = -(-95 * count // 100)  # whole numbers: 0.95 times a count may round to the next rank
            columns[:, place] = (
                ordered.mean(),
                np.median(ordered),
                ordered[rank - 1],
                ordered[-1],
                slow.mean(),
                np.median(slow),
            )
    return Waits(jobs, *columns)


def bins(first: int, last: int) -> Ints:
    """Divide the time from `first` to `last` evenly, for a figure.

    Parameters
    ----------
    first, last
        Seconds of the trace, first < last.

    Returns
    -------
    (k + 1,) int64
        Where the bins begin, and the end of the last one, which may be shorter than the others. They are as short
        as BINS has them, or some years, without being more than MOST_BINS.

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


def use(schedule: Schedule, edges: Ints) -> Ints:
    """Measure the processor seconds that a schedule uses between times.

    Parameters
    ----------
    schedule
        Any schedule.
    edges
        (k + 1,) seconds of the trace, ascending.

    Returns
    -------
    (k,) int64
        Processor seconds from `edges[i]` until `edges[i + 1]`, exactly.

    Examples
    --------
    Three processors are busy from 0 to 10, one of them from 10 to 15.

    >>> from paretosched.workload import Workload
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[3, 1], capacity=4)
    >>> use(Schedule(w, [0, 10]), np.array([0, 4, 12, 20])).tolist()
    [12, 20, 3]
    """
    when, used = busy(schedule)
    done = np.concatenate([[0], np.cumsum(used[:-1] * np.diff(when))])  # before `when`; at most the work of all jobs
    place = np.searchsorted(when, edges, side="right") - 1
    since = np.maximum(place, 0)  # before the first start nothing is done
    total = np.where(place < 0, 0, done[since] + used[since] * (edges - when[since]))
    return np.diff(total)
