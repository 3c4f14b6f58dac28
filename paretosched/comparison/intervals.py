"""How certain a comparison is: intervals by a block bootstrap over the weeks of a log; no simulation is repeated.

An AWRT is a sum over jobs, divided by another one: processor seconds times response time, and processor seconds. Both
are summed by the week in which jobs were submitted. Then weeks are drawn with replacement, several in succession at a
time, because a full machine stays full for a while: circular blocks of moving begin (Kuensch 1989; Politis and Romano
1992), as long as the cube root of the number of weeks. All policies get the same draws, so that a difference of two
policies has an interval of its own, which is much shorter than those of both.

What the weeks of this log say about other weeks like these is in the intervals. That users behave differently under
another policy, or that next year has other users, is not; see `resample` for the latter.

Measures that are means of jobs, such as a mean wait, have intervals likewise. The utilisation belongs to a whole
schedule, not to jobs, and has no interval; nor have percentiles and what else is no mean, and a goal that uses such.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.tables import Column, plain, table
from ..simulation.measures import consumption_of, mean_terms
from ..simulation.objective import Objective, objective_names
from ..simulation.schedule import Schedule
from ..wishes import wish as choice
from ..wishes.wish import Wish
from ..workload.measures import MEAN, SHARE, WEIGHTED, is_measure, measure_of
from ..workload.time_split import WEEK, check_weeks

MEANS = (MEAN, WEIGHTED, SHARE)
PERCENT = 90  # of the intervals
PAIRED_PERCENT = 95  # of those of pairs
DRAWS = 2000
SEED = 0
LEAST_WEEKS = 4
FEW_WEEKS = 8  # below, intervals are rough
UNKNOWN = 0.05  # share of the draws without jobs of a group from which it has no interval


class WeekSums(NamedTuple):
    """What the jobs that were submitted in each week add to the response times.

    Attributes
    ----------
    weighted
        (w, G + k), the sums of processor seconds times response time of each group; then those of each measure.
    work
        (w, G + k), the sums of processor seconds, and of the weights of each measure; 0 for a measure that is no mean.
    measures
        k.
    """

    weighted: Floats
    work: Floats
    measures: int = 0


class Intervals(NamedTuple):
    """Intervals in which values lie with 90 %, (..., 2): low and high; NaN where there is none.

    Attributes
    ----------
    weeks, block
        Number of weeks, and of weeks in a block.
    values, gains
        (q, m, 2), of the objectives of each policy, natural units, and of their gains over the first policy, per cent.
    goals, goal_gains
        (q, 2), of the goal of a wish, and of its gain over the first policy, per cent.
    """

    weeks: int
    block: int
    values: Floats
    gains: Floats
    goals: Floats
    goal_gains: Floats

    @property
    def caution(self) -> str:
        """Return a sentence on how rough intervals from few weeks are; empty from eight weeks on."""
        if self.weeks >= FEW_WEEKS:
            return ""
        return (
            f"intervals from {self.weeks} weeks are rough, and often too short; take a log of {FEW_WEEKS} weeks or more"
        )

    def cells(self, objectives: Sequence[Objective], q: int) -> dict[str, Any]:
        """Return the intervals of a policy as plain values: [low, high] by the keys of `Comparison.rows`."""
        names = [o.name for o in objectives]
        cells = dict(zip(names, self.values[q], strict=True))
        cells |= {f"{name}_vs_easy": gain for name, gain in zip(names, self.gains[q], strict=True)}
        cells |= {"objective": self.goals[q], "objective_vs_easy": self.goal_gains[q]}
        return {key: None if np.isnan(ends).any() else plain(ends) for key, ends in cells.items()}


def week_sums(schedule: Schedule) -> WeekSums:
    """Return the sums of a schedule by weeks of submission, from the first submission on.

    Raises
    ------
    InputError
        There are more than `MOST_WEEKS`.

    Examples
    --------
    A job of 4 x 10 processor seconds that takes 10 s, and in the second week one of 2 x 5 that takes 15 s.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 7 * 86400], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> sums = week_sums(Schedule(w, [0, 7 * 86400 + 10]))
    >>> sums.weighted.tolist(), sums.work.tolist()
    ([[400.0], [150.0]], [[40.0], [10.0]])
    """
    w = schedule.workload
    check_weeks("intervals", w)
    week = (w.submit - w.submit[0]) // WEEK
    shape = (int(week[-1]) + 1, len(w.groups))
    place = week * shape[1] + w.group
    work = consumption_of(w)
    columns = [np.bincount(place, x, shape[0] * shape[1]) for x in (work * (schedule.finish - w.eligible), work)]
    sums = [column.astype(np.float64).reshape(shape) for column in columns]
    measures = [
        np.array([np.bincount(week, x, shape[0]) for x in rows]).reshape(-1, shape[0]).T
        for rows in mean_terms(w, schedule.start, schedule.finish)
    ]
    weighted, done = (np.hstack(pair) for pair in zip(sums, measures, strict=True))
    return WeekSums(weighted, done, len(w.measured.names))


def join_sums(parts: Sequence[WeekSums]) -> WeekSums:
    """Return the sums of several schedules with the same groups, one after the other."""
    weighted, work = (np.concatenate([getattr(part, key) for part in parts]) for key in ("weighted", "work"))
    return WeekSums(weighted, work, parts[0].measures)


def block_length(weeks: int) -> int:
    """Return how many weeks in succession are drawn together."""
    return max(1, round(math.cbrt(weeks)))


def drawn_weeks(weeks: int) -> Ints:
    """Return how often each week is in each draw, (draws, weeks); as many in all as there are weeks."""
    block = block_length(weeks)
    rng = np.random.default_rng(SEED)
    first = rng.integers(weeks, size=(DRAWS, math.ceil(weeks / block)))
    drawn = ((first[:, :, None] + np.arange(block)) % weeks).reshape(DRAWS, -1)[:, :weeks]
    counts = np.zeros((DRAWS, weeks), dtype=np.int64)
    np.add.at(counts, (np.arange(DRAWS)[:, None], drawn), 1)
    return counts


def response_times(sums: WeekSums, counts: Ints) -> Floats:
    """Return UTIL, which is NaN, AWRT, that of each group and the measures in every draw, (draws, G + 2 + k).

    NaN without jobs, and for a measure that is no mean.
    """
    weighted, work = counts @ sums.weighted, counts @ sums.work
    with np.errstate(invalid="ignore"):
        groups = weighted / work
        weighted, work = (each[:, : each.shape[1] - sums.measures] for each in (weighted, work))
        total = weighted.sum(axis=1, keepdims=True) / work.sum(axis=1, keepdims=True)
    return np.hstack([np.full_like(total, np.nan), total, groups])


def intervals(parts: Sequence[WeekSums], wish: Wish | None = None) -> Intervals:
    """Return the intervals of policies on the same jobs, the first one being the reference.

    Parameters
    ----------
    parts
        The sums of each policy's schedule, q of them.
    wish
        What the owner wants; its limits do not matter here.

    Raises
    ------
    InputError
        There are less than four weeks.
    """
    weeks = len(parts[0].work)
    if weeks < LEAST_WEEKS:
        raise InputError(f"intervals need jobs of {LEAST_WEEKS} weeks or more, but these were submitted in {weeks}")
    counts = drawn_weeks(weeks)
    values = np.array([response_times(part, counts) for part in parts])
    goals = np.array([_goals(wish, rows) for rows in values])
    gained = gains_over_first(goals) if wish is not None and wish.weights else np.full_like(goals, np.nan)
    of_goals = (ends_of(rows[..., None])[:, 0] for rows in (goals, gained))
    return Intervals(weeks, block_length(weeks), ends_of(values), ends_of(gains_over_first(values)), *of_goals)


def drawn_goals(parts: Sequence[WeekSums], wish: Wish) -> Floats:
    """Return the goal of a wish for each policy in every draw, (q, draws); NaN where it is undefined."""
    counts = drawn_weeks(len(parts[0].work))
    return np.array([_goals(wish, response_times(part, counts)) for part in parts])


def ends_of(values: Floats) -> Floats:
    """Return the interval over the draws, (q, k, 2), of (q, draws, k); NaN if one draw of twenty has no value."""
    tail = (1 - PERCENT / 100) / 2
    missing = np.isnan(values).mean(axis=1) >= UNKNOWN
    ends: Floats = np.nanquantile(np.where(missing[:, None], 0.0, values), [tail, 1 - tail], axis=1)
    return np.where(missing[..., None], np.nan, np.moveaxis(ends, 0, -1))


def paired_interval(differences: ArrayLike) -> tuple[float, float]:
    """Return the interval in which the mean of differences of independent pairs lies with 95 %, by Student's t.

    Parameters
    ----------
    differences
        (draws,), one of each pair; NaN ones do not count. Of fewer than two there is no interval: (NaN, NaN).

    Examples
    --------
    The mean is 2, its standard error 1 / sqrt(3), and t with two degrees of freedom 4.303.

    >>> [round(end, 2) for end in paired_interval([1, 2, 3])]
    [-0.48, 4.48]
    """
    values = np.asarray(differences, dtype=np.float64)
    values = values[~np.isnan(values)]
    if values.size < 2:
        return math.nan, math.nan
    reach = _student(values.size - 1) * float(values.std(ddof=1)) / math.sqrt(values.size)
    return float(values.mean()) - reach, float(values.mean()) + reach


def _student(degrees: int) -> float:
    """Return t with P(-t < T < t) = `PAIRED_PERCENT` per cent, where T is Student's with these degrees of freedom.

    By halving the interval of the angle atan(t / sqrt(degrees)), in which the probability is a finite sum of powers of
    its cosine: formulas 26.7.3 and 26.7.4 of Abramowitz and Stegun's Handbook of Mathematical Functions (1964).
    """
    odd = degrees % 2
    terms = (degrees - odd) // 2
    below = 2 * np.arange(1, terms) + odd
    factors = np.concatenate(([1.0], np.cumprod((below - 1) / below)))[:terms]
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        inside = math.sin(middle) * float(factors @ math.cos(middle) ** (2 * np.arange(terms) + odd))
        if odd:
            inside = 2 / math.pi * (middle + inside)
        low, high = (middle, high) if inside < PAIRED_PERCENT / 100 else (low, middle)
    return math.tan(middle) * math.sqrt(degrees)


def gains_over_first(values: Floats) -> Floats:
    """Return (X0 - X) / X0 in per cent, draw by draw, where X0 is the first policy."""
    with np.errstate(invalid="ignore", divide="ignore"):
        gains: Floats = 100 * (values[:1] - values) / values[:1]
    return gains


def _goals(wish: Wish | None, values: Floats) -> Floats:
    """Return the goal of a wish in every draw, (draws,), of (draws, m); NaN without one, or where it is undefined."""
    goals = np.full(len(values), np.nan)
    if wish is not None and wish.aims:
        names = objective_names(values.shape[1], wish.measures)
        known = ~np.isnan(values[:, [names.index(name) for name in wish.aims]]).any(axis=1)
        goals[known] = choice.goal(Wish(wish.weights, wish.near, measures=wish.measures), values[known])
    return goals


def has_interval(name: str) -> bool:
    """Return whether an objective with this name is a mean of jobs, so that it has an interval."""
    if name in choice.SEVERAL or not is_measure(name):
        return name != "UTIL"
    return measure_of(name).statistic in MEANS


def interval_text(ends: Sequence[float] | None, spec: str, scale: float = 1.0) -> str:
    """Return an interval as text.

    Examples
    --------
    >>> interval_text([3600, 7200], ".1f", 3600), interval_text([-1.25, 3], "+.1f"), interval_text(None, "g")
    ('1.0 to 2.0', '-1.2 to +3.0', '-')
    """
    return "-" if ends is None else " to ".join(format(end / scale, spec) for end in ends)


def interval_table(rows: Sequence[Mapping[str, Any]], objectives: Sequence[Objective]) -> str:
    """Return intervals as a table, from rows with "policy" and "intervals": hours, and gains in per cent."""
    timed = [o for o in objectives if o.unit == "s"]
    lines = []
    for row in rows:
        cells = row["intervals"]
        spec = ",.0f" if (cells["objective"] or [0])[0] >= 100 else ".4g"  # a sum of seconds, or a shortfall
        values = {o.name: interval_text(cells[o.name], ",.2f", 3600) for o in timed}
        lines.append({"policy": row["policy"], "objective": interval_text(cells["objective"], spec)} | values)
        if row is not rows[0]:
            gains = {key: interval_text(cells[f"{key}_vs_easy"], "+.1f") for key in ("objective", *values)}
            lines.append({"policy": "  vs EASY %"} | gains)
    columns = [Column("policy", f"{PERCENT} % intervals")]
    if any(row["intervals"]["objective"] is not None for row in rows):
        columns.append(Column("objective", "objective"))
    return table(lines, [*columns, *(Column(o.name, f"{o.name} h") for o in timed)])
