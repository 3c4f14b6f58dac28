"""The workload estimator of paper 003, Figure 1: the workload of a job by its size, from past runs of its name.

The paper keeps a set H of single records and a list R of slopes of lines between two records. R begins with the first
two sizes of a name. A new size within a line divides this line; a new size beyond all lines is joined to the nearest
size. So the lines of a name always connect neighbouring sizes, and the recorded sizes are enough to know H and R: a
name with one size is in H, a name with two or more sizes is in R. A `History` has just these records.

The paper leaves two cases undefined. A size that occurs again would make a line without a slope; here the new record
replaces the old one. At a size where two lines meet, the line of larger sizes counts. Slopes have no sign (formula 2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import instance, number
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from .bag_and_nodes import Bag

LINES = ("interpolated", "printed")


@dataclass(frozen=True)
class History:
    """Past runs: for each name the sizes, ascending, each with the real workload of its last run.

    Examples
    --------
    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> h.records
    {'sort': ((10, 5.0), (30, 9.0))}
    """

    records: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)

    __repr__ = fields_repr
    _repr_html_ = fields_html


class Slope(NamedTuple):
    """An entry of R: the line between the sizes `low` and `high` of a name rises or falls by `slope` a size unit."""

    low: float
    high: float
    slope: float


def learn(history: History, name: str, size: float, workload: float) -> History:
    """Return a history with the real workload of one more finished job (steps 7, 15, 20 to 22 and 27).

    Raises
    ------
    InputError
        Size or workload is not a number, or is negative.
    """
    instance("history", history, History)
    for key, value in (("size", size), ("workload", workload)):
        if not 0 <= number(key, value) < np.inf:
            raise InputError(f"{key} must be a number from 0 on, but is {value:g} for job {name}")
    workloads = dict(history.records.get(name, ())) | {size: workload}
    return History({**history.records, name: tuple(sorted(workloads.items()))})


def slopes(history: History, name: str) -> tuple[Slope, ...]:
    """Return R for a name (formula 2), sizes ascending; empty if the name is in H or has no record.

    Examples
    --------
    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> slopes(learn(h, "sort", 20, 8.0), "sort")
    (Slope(low=10, high=20, slope=0.3), Slope(low=20, high=30, slope=0.1))
    """
    records = instance("history", history, History).records.get(name, ())
    return tuple(Slope(a, b, abs(v - w) / (b - a)) for (a, w), (b, v) in pairwise(records))


def estimate(history: History, name: str, size: float, line: str = "interpolated") -> float | None:
    """Return an estimate of the workload of a job (steps 2 to 4, 10 to 12); None without enough past runs.

    Parameters
    ----------
    history
        Past runs.
    name, size
        Name and size of the job.
    line
        "printed": the slope times the size, a line through the origin, as in Figure 1. This is right only if the
        workload is proportional to the size. "interpolated": the line through the two records, never below 0; for a
        recorded size its record, even if there is no other.

    Raises
    ------
    InputError
        `line` is neither of these.

    Examples
    --------
    From 10 to 30 the workload rises by 0.2 a unit.

    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> estimate(h, "sort", 20), estimate(h, "sort", 20, "printed"), estimate(h, "sort", 40), estimate(h, "list", 1)
    (7.0, 4.0, 11.0, None)
    """
    one_of("line", line, LINES)
    records = instance("history", history, History).records.get(name, ())
    if line == "interpolated" and size in dict(records):
        return dict(records)[size]
    lines = slopes(history, name)
    if not lines:
        return None
    # the line whose range contains the size, of two the second; for a size beyond all lines the nearest one
    place = min(bisect_left([entry.high for entry in lines], size), len(lines) - 1)
    if place + 1 < len(lines) and size == lines[place].high:
        place += 1
    if line == "printed":
        return lines[place].slope * size
    (a, w), (b, v) = records[place : place + 2]
    near, base = (b, v) if size > b else (a, w)
    return max(0.0, base + (v - w) / (b - a) * (size - near))


def queues(history: History, bag: Bag, line: str = "interpolated") -> tuple[Bag, NDArray[np.int64], NDArray[np.int64]]:
    """Return jobs with estimates for unknown workloads, and the paper's two queues.

    Returns
    -------
    bag
        The jobs; workloads that cannot be estimated are still NaN.
    q1, q2
        Rows of the jobs without a workload, and of the jobs with one (steps 5, 13 and 26), int64.

    Examples
    --------
    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> nan = float("nan")
    >>> bag, q1, q2 = queues(h, Bag(["sort", "list"], [nan, nan], [20, 20]))
    >>> bag.workload.tolist(), q1.tolist(), q2.tolist()
    ([7.0, nan], [1], [0])
    """
    instance("history", history, History)
    workload = instance("bag", bag, Bag).workload.copy()
    for k in np.flatnonzero(~bag.known & ~np.isnan(bag.size)).tolist():
        units = estimate(history, bag.name[k], float(bag.size[k]), line)
        if units is not None:
            workload[k] = units
    with_estimates = Bag(bag.name, workload, bag.size)
    return with_estimates, np.flatnonzero(~with_estimates.known), np.flatnonzero(with_estimates.known)
