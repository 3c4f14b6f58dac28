"""How certain a comparison is: intervals by a block bootstrap over the weeks of a log; no simulation is repeated.

An AWRT is a sum over jobs, divided by another one: processor seconds times response time, and processor seconds. Both
are summed by the week in which jobs were submitted. Then weeks are drawn with replacement, several in succession at a
time, because a full machine stays full for a while: circular blocks of moving begin (Kuensch 1989; Politis and Romano
1992), as long as the cube root of the number of weeks. All policies get the same draws, so that a difference of two
policies has an interval of its own, which is much shorter than those of both.

What the weeks of this log say about other weeks like these is in the intervals. That users behave differently under
another policy, or that next year has other users, is not; see `resample` for the latter.

They are too short: a log has few blocks, and some queues outlast one. On logs of Lublin and Feitelson's model of 10,000
jobs that of the AWRT of SJF holds the mean of all logs about every second time, as `test_intervals` counts.

Measures that are means of jobs have intervals likewise, and the mean wait of all and of each group has one in any case.
The utilisation belongs to a whole schedule, not to jobs, and has no interval; nor have percentiles and what else is no
mean, and a goal that uses such.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.tables import Column, enumeration, plain, table
from ..simulation.measures import consumption_of, mean_terms
from ..simulation.objective import Objective, group_of, is_of_group, objective_names
from ..simulation.schedule import Schedule
from ..wishes import wish as choice
from ..wishes.wish import Wish
from ..workload.measures import MEAN, SHARE, WEIGHTED, is_measure, measure_of, objective_name
from ..workload.time_split import WEEK, check_weeks
from ..workload.workload import Workload

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
        (q, m, 2), of the objectives of each policy, natural units, and of their gains over the first policy, per cent;
        with waits (q, m + G + 1, 2): behind them of the mean wait of all jobs and of each group.
    goals, goal_gains
        (q, 2), of the goal of a wish, and of its gain over the first policy, per cent.
    today_gains, today_goal_gains
        The same gains over what runs the machine today; None if that is not known.
    """

    weeks: int
    block: int
    values: Floats
    gains: Floats
    goals: Floats
    goal_gains: Floats
    today_gains: Floats | None = None
    today_goal_gains: Floats | None = None

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
        if self.values.shape[1] > len(names):
            names += wait_names(objectives)
        cells = dict(zip(names, self.values[q], strict=True)) | {"objective": self.goals[q]}
        for key, gains, of_goals in (
            ("easy", self.gains, self.goal_gains),
            ("today", self.today_gains, self.today_goal_gains),
        ):
            if gains is not None and of_goals is not None:
                cells |= {f"{name}_vs_{key}": gain for name, gain in zip(names, gains[q], strict=True)}
                cells[f"objective_vs_{key}"] = of_goals[q]
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
    work = consumption_of(w)
    sums = [_by_week(w, x) for x in (work * (schedule.finish - w.eligible), work)]
    shape = sums[0].shape
    measures = [
        np.array([np.bincount(week, x, shape[0]) for x in rows]).reshape(-1, shape[0]).T
        for rows in mean_terms(w, schedule.start, schedule.finish)
    ]
    weighted, done = (np.hstack(pair) for pair in zip(sums, measures, strict=True))
    return WeekSums(weighted, done, len(w.measured.names))


def wait_sums(schedule: Schedule) -> WeekSums:
    """Return the sums of the waits of a schedule by weeks of submission; their means are those of `response_times`."""
    return WeekSums(
        _by_week(schedule.workload, schedule.wait), _by_week(schedule.workload, np.ones(len(schedule.wait)))
    )


def _by_week(w: Workload, of_jobs: Floats | Ints) -> Floats:
    """Return sums over the jobs of each week and group, (w, G)."""
    week = (w.submit - w.submit[0]) // WEEK
    shape = (int(week[-1]) + 1, len(w.groups))
    return np.bincount(week * shape[1] + w.group, of_jobs, shape[0] * shape[1]).astype(np.float64).reshape(shape)


def wait_names(objectives: Sequence[Objective]) -> list[str]:
    """Return the names of the mean waits of all jobs and of each group, as wishes have them, (G + 1,).

    Examples
    --------
    >>> from ..simulation.objective import objective_table
    >>> wait_names(objective_table(("physics", "rest")))
    ['mean wait', 'mean wait of physics', 'mean wait of rest']
    """
    groups = tuple(group_of(o) for o in objectives if is_of_group(o.name))
    return ["mean wait", *(objective_name(f'mean wait of "{group}"', groups) for group in groups)]


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


def intervals(
    parts: Sequence[WeekSums], wish: Wish | None = None, waits: Sequence[WeekSums] = (), today: int | None = None
) -> Intervals:
    """Return the intervals of policies on the same jobs, the first one being the reference.

    Parameters
    ----------
    parts
        The sums of each policy's schedule, q of them.
    wish
        What the owner wants; its limits do not matter here.
    waits
        The sums of the waits, see `wait_sums`, of each policy; by default waits get no intervals.
    today
        Which policy runs the machine today, over which gains get intervals, too.

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
    if waits:
        values = np.concatenate([values, [response_times(part, counts)[:, 1:] for part in waits]], axis=2)

    def gains_and_goals(over: int) -> tuple[Floats, Floats]:
        of_goals = gains_over(goals, over) if wish is not None and wish.weights else np.full_like(goals, np.nan)
        return ends_of(gains_over(values, over)), ends_of(of_goals[..., None])[:, 0]

    gains, goal_gains = gains_and_goals(0)
    over_today = (None, None) if today is None else gains_and_goals(today)
    ends = ends_of(values), gains, ends_of(goals[..., None])[:, 0], goal_gains
    return Intervals(weeks, block_length(weeks), *ends, *over_today)


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


def gains_over(values: Floats, place: int) -> Floats:
    """Return (X0 - X) / X0 in per cent, draw by draw, where X0 is the policy in this place; NaN where X0 is 0."""
    first = np.where(values[place] == 0, np.nan, values[place])
    gains: Floats = 100 * (first - values) / first
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
    """Return intervals as a table, from rows with "policy" and "intervals": hours, and gains in per cent.

    Below stands why an objective, or the goal, has none.
    """
    timed = [o.name for o in objectives if o.unit == "s"]
    timed += ["mean wait"] if "mean wait" in rows[0]["intervals"] and "mean wait" not in timed else []
    lines = []
    for row in rows:
        cells = row["intervals"]
        spec = ",.0f" if (cells["objective"] or [0])[0] >= 100 else ".4g"  # a sum of seconds, or a shortfall
        values = {name: interval_text(cells[name], ",.2f", 3600) for name in timed}
        lines.append({"policy": row["policy"], "objective": interval_text(cells["objective"], spec)} | values)
        for key, over in (("today", "today"), ("easy", "EASY")):
            gains = {name: cells.get(f"{name}_vs_{key}") for name in ("objective", *values)}
            if any(ends is not None and any(ends) for ends in gains.values()):  # of itself it has none
                words = {name: interval_text(ends, "+.1f") for name, ends in gains.items()}
                lines.append({"policy": f"  vs {over} %"} | words)
    columns = [Column("policy", f"{PERCENT} % intervals")]
    if any(row["intervals"]["objective"] is not None for row in rows):
        columns.append(Column("objective", "objective"))
    text = table(lines, [*columns, *(Column(name, f"{name} h") for name in timed)])
    return "\n".join([text, *without_interval(objectives)])


def without_interval(objectives: Sequence[Objective]) -> list[str]:
    """Return in a sentence which objectives have no interval, and why; none if all have one.

    Examples
    --------
    >>> without_interval([Objective("p95 wait of gpu", "p95 wait of gpu", "s", False)])
    ['no interval of p95 wait of gpu, nor of a goal with it: only means of jobs have one']
    """
    names = [o.name for o in objectives if o.name != "UTIL" and not has_interval(o.name)]
    return [f"no interval of {enumeration(names)}, nor of a goal with it: only means of jobs have one"] if names else []
