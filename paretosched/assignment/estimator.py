"""The workload estimator of paper 003, Figure 1: what a job of a size will take, from what others of its name took.

The paper keeps a set H of single records and a list R of slopes of lines between two records. R begins with the first
two sizes of a name; a new size within a line divides it, one beyond all lines is joined to the nearest size. The lines
of a name are therefore always those between neighbouring sizes, and H and R can be read off the sizes that have been
seen: one size alone stands in H, two or more stand in R. A `History` is just that.

What the paper leaves undefined: a size that is seen again would make a line without a slope; its record is replaced.
At a size where two lines meet, the one of larger sizes counts. Slopes have no sign (formula 2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from .bag_and_nodes import Bag

LINES = ("interpolated", "printed")


@dataclass(frozen=True)
class History:
    """What jobs have taken: for each name the sizes seen, ascending, with the real workload of the last run of each.

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
    """Add the real workload of a job that has finished (steps 7, 15, 20 to 22 and 27).

    Raises
    ------
    InputError
        Size or workload is no number, or below 0.
    """
    for key, value in (("size", size), ("workload", workload)):
        if not 0 <= value < np.inf:
            raise InputError(f"{key} must be a number from 0 on, but is {value:g} for job {name}")
    taken = dict(history.records.get(name, ())) | {size: workload}
    return History({**history.records, name: tuple(sorted(taken.items()))})


def slopes(history: History, name: str) -> tuple[Slope, ...]:
    """List R for a name (formula 2), sizes ascending; empty while all there is stands in H.

    Examples
    --------
    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> slopes(learn(h, "sort", 20, 8.0), "sort")
    (Slope(low=10, high=20, slope=0.3), Slope(low=20, high=30, slope=0.1))
    """
    seen = history.records.get(name, ())
    return tuple(Slope(a, b, abs(v - w) / (b - a)) for (a, w), (b, v) in pairwise(seen))


def estimate(history: History, name: str, size: float, line: str = "interpolated") -> float | None:
    """Estimate the workload of a job (steps 2 to 4, 10 to 12); None if the history does not suffice.

    Parameters
    ----------
    history
        What has been learnt.
    name, size
        The job.
    line
        "printed": the slope times the size, a line through the origin, as in Figure 1. That is right only if the
        workload is proportional to the size. "interpolated": the line through the two records; a size that has been
        seen gives its record, be it the only one; never below 0.

    Raises
    ------
    InputError
        There is no such line.

    Examples
    --------
    From 10 to 30 the workload rises by 0.2 a unit.

    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> estimate(h, "sort", 20), estimate(h, "sort", 20, "printed"), estimate(h, "sort", 40), estimate(h, "list", 1)
    (7.0, 4.0, 11.0, None)
    """
    one_of("line", line, LINES)
    seen = history.records.get(name, ())
    if line == "interpolated" and size in dict(seen):
        return dict(seen)[size]
    lines = slopes(history, name)
    if not lines:
        return None
    # the line within whose range the size is, of two the second; beyond all of them, the nearest one
    place = min(bisect_left([found.high for found in lines], size), len(lines) - 1)
    if place + 1 < len(lines) and size == lines[place].high:
        place += 1
    if line == "printed":
        return lines[place].slope * size
    (a, w), (b, v) = seen[place : place + 2]
    near, base = (b, v) if size > b else (a, w)
    return max(0.0, base + (v - w) / (b - a) * (size - near))


def queues(history: History, bag: Bag, line: str = "interpolated") -> tuple[Bag, NDArray[np.int64], NDArray[np.int64]]:
    """Estimate the workloads that are not known.

    Returns
    -------
    bag
        The jobs with their workloads, NaN where there is still none.
    q1, q2
        Rows of the jobs without a workload, and of those with one (steps 5, 13 and 26).

    Examples
    --------
    >>> h = learn(learn(History(), "sort", 10, 5.0), "sort", 30, 9.0)
    >>> nan = float("nan")
    >>> bag, q1, q2 = queues(h, Bag(["sort", "list"], [nan, nan], [20, 20]))
    >>> bag.workload.tolist(), q1.tolist(), q2.tolist()
    ([7.0, nan], [1], [0])
    """
    workload = bag.workload.copy()
    for k in np.flatnonzero(~bag.known & ~np.isnan(bag.size)).tolist():
        found = estimate(history, bag.name[k], float(bag.size[k]), line)
        if found is not None:
            workload[k] = found
    made = Bag(bag.name, workload, bag.size)
    return made, np.flatnonzero(~made.known), np.flatnonzero(made.known)
