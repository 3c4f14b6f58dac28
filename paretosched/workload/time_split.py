"""Cut a workload in time, to train a policy on one part and to test it on the other; count its weeks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..core.arguments import number
from ..core.errors import InputError
from .workload import Workload, source_after

WEEK = 7 * 86400  # s
MONTH = 4 * WEEK
LEAST_MONTHS = 2
MOST_WEEKS = 5200  # a century; one wrong time in a log makes millions of weeks, and gigabytes of what is summed by week


def weeks_of(workload: Workload) -> int:
    """Return in how many weeks the jobs were submitted, from the first one on."""
    return int((workload.submit[-1] - workload.submit[0]) // WEEK) + 1


def check_weeks(what: str, workload: Workload) -> None:
    """Raise InputError if a workload lasts for more weeks than what is worked out by week can have.

    Examples
    --------
    >>> w = Workload(submit=[0, 5, 10**12], run=[1] * 3, estimate=[1] * 3, width=[1] * 3, capacity=1)
    >>> check_weeks("intervals", w)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    paretosched.core.errors.InputError: intervals must be of 5200 weeks at most, but the jobs were submitted in ...
    """
    if weeks_of(workload) > MOST_WEEKS:
        between = np.diff(workload.submit)
        place = int(between.argmax())
        raise InputError(
            f"{what} must be of {MOST_WEEKS} weeks at most, but the jobs were submitted in {weeks_of(workload)}; job "
            f"{workload.job[place + 1]} comes {between[place] // WEEK} weeks after the one before it: are all times in "
            "seconds?"
        )


def split(workload: Workload, until: float) -> tuple[Workload, Workload]:
    """Return the two parts of a workload before and after a time; see `from_paths.split`."""
    until = number("until", until)
    if not 0 < until < 1:
        raise InputError(f"until must be a share of the time between 0 and 1, but is {until:g}")
    first, last = int(workload.submit[0]), int(workload.submit[-1])
    cut = int(np.searchsorted(workload.submit, first + until * (last - first), side="right"))
    if cut == len(workload):
        raise InputError(f"{workload.name}: all jobs are submitted at once, so that it cannot be cut in time")
    rows = np.arange(len(workload))
    sources = [source_after(workload, "split", until=until, part=part) for part in range(2)]
    return (
        workload.take(rows[:cut], name=f"{workload.name} to {100 * until:g} %", source=sources[0]),
        workload.take(rows[cut:], name=f"{workload.name} from {100 * until:g} %", source=sources[1]),
    )


def months(workload: Workload) -> list[Workload]:
    """Return the parts of a workload by the time of submission, of nearly four weeks each; none if it lasts for one.

    There are none either if it lasts for more than `MOST_WEEKS`. They are of equal length, so that none is a remainder
    of days; a part without a job is left out.
    """
    first, last = int(workload.submit[0]), int(workload.submit[-1])
    count = round((last - first) / MONTH)
    if count < LEAST_MONTHS or weeks_of(workload) > MOST_WEEKS:
        return []
    cuts = np.searchsorted(workload.submit, np.linspace(first, last + 1, count + 1))
    return [
        workload.take(np.arange(begin, end), name=f"{workload.name}, month {number}")
        for number, (begin, end) in enumerate(pairwise(cuts.tolist()), 1)
        if end > begin
    ]
