"""How good any schedule of a workload could be for a wish at most: a proof, with the goal and all limits of the wish.

The ideal point bounds every response time for itself, as if all could be reached at once. Here they are bounded
together. x_i, the response times of all jobs of group i weighted with their work, is W_i AWRT_i, and for every set S of
groups the sum of x_i over S is at least f(S), see `squashed_area`. AWRT is the sum of all x_i over all work. So goals
and limits are rows of a linear programme (`linear_programme` proves its result), and the smallest goal it allows is a
lower bound for every schedule within the limits, whoever makes it and whatever he knows.

**Sets.** With up to `ALL_SETS` groups that have jobs, every set of them has a row. With more groups only each group and
all together have one first. Then the groups are sorted by what the programme pays for a second of their jobs, with the
multipliers of the limits, the dearest first; the first group, the first two and so on get rows; and again, until there
is nothing new, at most `ROUNDS` times.

**Points.** The largest shortfall of a point is at least every mean of the shortfalls. The multipliers of a first
programme are the weights of this mean; then the goal is a weighted sum, too.

**Utilisation** is not related to response times here: it is at most that of the ideal point, `Bounds.together`; from
the first submission on, it is at most `Bounds.prompt_utilisation`, since no schedule begins earlier.

**A machine of nodes.** What jobs cost each other there is not known: f(S) is as if no job waited.

**Rounding.** Measured objectives differ from true ones by less than `SLACK` (n + 65) roundings of 2^-53 for n jobs and
64 groups, see `lower_bounds`, and a goal from its true value by no more. Limits are looser and goals smaller by that
much, and the last step, to a floating-point number, rounds down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple

from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.notebook import shown_by_fields
from ..core.tables import enumeration
from ..simulation.lower_bounds import SLACK, bounds
from ..simulation.measures import consumption_of
from ..simulation.objective import FROM_START, FROM_SUBMISSION
from ..simulation.squashed_area import jobs_of, least_area
from ..workload.measures import is_measure
from ..workload.workload import Workload
from .linear_programme import Row, Solution, contradicting, mean_of_largest, solve
from .wish import AUGMENTATION, Limit, Wish, spelled_out, wish_text

ALL_SETS = 6
ROUNDS = 10
ROUNDING = 1e-8  # percentage points of a gain that are only there because its bound was rounded downwards
DISTANCE = ("objective_at_least", "at_most_vs_easy", "impossible", "distance")  # keys of `distance_row`


@shown_by_fields
class Best(NamedTuple):
    """What is proved about all schedules of a workload and a wish; made by `best_possible`.

    Attributes
    ----------
    goal
        The goal of every schedule within the limits is at least this; NaN if the wish is only limits, if no schedule is
        within them, or if it has measures, of which nothing is proved.
    impossible
        Limits that no schedule keeps together, in words; none if that is not proved of any.
    """

    goal: float
    impossible: tuple[str, ...] = ()


class Areas:
    """f of sets of groups, as it is asked for. Only groups with jobs count, and they are numbered from 0 again.

    Attributes
    ----------
    groups
        The old numbers of these groups.
    work
        The work of each of them, processor seconds.
    highest
        The highest utilisation, per cent, by where it begins to count.
    slack
        The share by which measured values may differ from true ones.
    """

    _alone: Sequence[Fraction] = ()

    def __init__(self, workload: Workload) -> None:
        of_groups: Sequence[int | Fraction]
        if workload.machine is None:
            self._jobs = jobs_of(workload)
            of_groups = self._jobs.work
        else:  # how jobs get in each other's way on nodes is not known: f is as if none waits
            work = consumption_of(workload)
            of_groups, self._alone = _sums(workload, work), _sums(workload, work * workload.run)
        self.groups = [g for g, work in enumerate(of_groups) if work]
        self.work = [of_groups[g] for g in self.groups]
        limits = bounds(workload)
        self.highest = {FROM_START: float(limits.together[0]), FROM_SUBMISSION: limits.prompt_utilisation}
        self.slack = Fraction(SLACK * (len(workload) + 65), 2**53)
        self._rows: dict[tuple[int, ...], Row] = {}

    def row(self, members: tuple[int, ...]) -> Row:
        """Return what f says about a set of groups, in ascending order."""
        if members not in self._rows:
            groups = [self.groups[i] for i in members]
            f = sum(self._alone[g] for g in groups) if self._alone else least_area(self._jobs, groups)
            self._rows[members] = Row(members, Fraction(f))
        return self._rows[members]

    def first_rows(self) -> list[Row]:
        """Return the rows of every group, and of all sets if there are few groups, or else of all groups together."""
        count = len(self.groups)
        sizes = range(1, count + 1) if count <= ALL_SETS else [1, count]
        return [self.row(members) for size in sizes for members in combinations(range(count), size)]


def _sums(workload: Workload, amounts: Floats) -> list[Fraction]:
    """Return the sum of (n,) amounts of the jobs of each group."""
    groups = range(len(workload.groups))
    return [Fraction(math.fsum(amounts[workload.group == g])) for g in groups]


areas_of = lru_cache(maxsize=1)(Areas)  # one wish after the other is asked about the same workload


def best_possible(wish: Wish, workload: Workload, util_from: str = FROM_START) -> Best:
    """Return what no schedule of a workload can beat in a wish.

    Parameters
    ----------
    wish
        The wish, with numbers in place of relative limits (see `relative_limits.resolve`).
    workload
        The jobs and the machine.
    util_from
        Where UTIL begins to count, as of `objectives`.

    Raises
    ------
    InputError
        A limit is still relative, or the wish uses an objective that the workload does not have.

    Examples
    --------
    Each of two jobs needs the whole machine for 10 s: one of them responds after 20 s at least.

    >>> words = {"run": [10, 10], "estimate": [10, 10], "width": [4, 4], "capacity": 4}
    >>> w = Workload(submit=[0, 0], **words, group=[0, 1], groups=["1", "2"])
    >>> round(best_possible(Wish(weights=[("AWRT1", 1), ("AWRT2", 1)]), w).goal, 6)
    30.0
    >>> best_possible(Wish(weights=[("AWRT2", 1)], limits=[Limit("AWRT1", high=12)]), w).goal > 17.9
    True
    >>> best_possible(Wish(limits=[Limit("AWRT1", high=12), Limit("AWRT2", high=12)]), w).impossible
    ('AWRT1 <= 12 s', 'AWRT2 <= 12 s')
    """
    if wish.references:
        raise InputError(
            f"the wish {wish_text(wish)} has limits relative to policies: they need numbers (see `resolve`)"
        )
    areas = areas_of(workload)
    places: dict[str, tuple[int, ...]] = {f"AWRT{g + 1}": (i,) for i, g in enumerate(areas.groups)}
    limits = [limit for limit in spelled_out(wish, list(places)).limits if not is_measure(limit.objective)]
    places["AWRT"] = tuple(range(len(areas.groups)))
    if any(map(is_measure, wish.aims)):  # how they hang together with UTIL and AWRTs is not known
        return Best(math.nan)
    for name in (*wish.aims, *(limit.objective for limit in limits)):
        if name != "UTIL" and name not in places:
            raise InputError(f"the wish {wish_text(wish)} uses {name}, but {workload.name} has no such group with jobs")
    highest = areas.highest[util_from]
    for limit in limits:
        if limit.objective == "UTIL" and Fraction(limit.low) > Fraction(highest) * (1 + areas.slack):
            return Best(math.nan, (_in_words(limit._replace(high=math.inf)),))
        highest = min(highest, limit.high) if limit.objective == "UTIL" else highest
    count = len(areas.groups)
    rows = areas.first_rows()
    of_limits = [row for limit in limits if limit.objective != "UTIL" for row in _rows(limit, places, areas)]
    for _ in range(ROUNDS):
        every = [*rows, *of_limits]
        goal = _goal(wish, places, areas, highest, every)
        costs = goal.costs if wish.aims else _of_limits(of_limits, count)
        solution = solve(costs, every)
        if solution is None:
            impossible = contradicting(count, every)
            if impossible:
                return Best(math.nan, impossible)
            every = rows  # a contradiction that is too small to be proved; without limits the bound is true, too
            solution = solve(costs, every)
        new = [] if solution is None or count <= ALL_SETS else _chain(costs, every, solution, areas)
        rows += new
        if not new:
            break
    if solution is None or not wish.aims:
        return Best(math.nan)
    return Best(_rounded_down(solution.least, goal.constant, areas.slack))


class Goal(NamedTuple):
    """A goal as a weighted sum.

    Attributes
    ----------
    costs
        Of a unit of each x.
    constant
        The rest: what the utilisation and, of a point, its values add.
    """

    costs: list[Fraction]
    constant: Fraction


def _goal(wish: Wish, places: Mapping[str, tuple[int, ...]], areas: Areas, highest: float, rows: Sequence[Row]) -> Goal:
    """Return the goal of a wish; of a point, a mean of its shortfalls and the small part of all of them."""
    costs = [Fraction(0)] * len(areas.groups)
    constant = Fraction(0)
    utilisation = Fraction(highest) * (1 + areas.slack)
    for name, weight in wish.weights:
        if name == "UTIL":
            constant += Fraction(weight) * utilisation
            continue
        for i in places[name]:
            costs[i] += _quotient(Fraction(weight), _work(places[name], areas))
    if not wish.near:
        return Goal(costs, constant)
    for (name, value), mean in zip(wish.near, _means(wish, places, areas, highest, rows), strict=True):
        share = mean + Fraction(AUGMENTATION)
        if name == "UTIL":
            constant += share * (1 - utilisation / Fraction(value))
            continue
        constant -= share
        for i in places[name]:
            costs[i] += _quotient(share, _work(places[name], areas) * Fraction(value))
    return Goal(costs, constant)


def _means(
    wish: Wish, places: Mapping[str, tuple[int, ...]], areas: Areas, highest: float, rows: Sequence[Row]
) -> list[Fraction]:
    """Return the weights of the shortfalls of a point in their mean, which add up to 1."""
    parts = []
    for name, value in wish.near:
        coefficients = [0.0] * len(areas.groups)
        for i in places.get(name, ()):
            coefficients[i] = 1 / (_work(places[name], areas) * value)
        parts.append((coefficients, 1 - highest / value if name == "UTIL" else -1.0))
    weights = [Fraction(x) for x in mean_of_largest(parts, len(areas.groups), rows, AUGMENTATION).tolist()]
    return [x / sum(weights) for x in weights]


def _rows(limit: Limit, places: Mapping[str, tuple[int, ...]], areas: Areas) -> list[Row]:
    """Return the rows of a limit of a response time."""
    members = places[limit.objective]
    work = _work(members, areas)
    rows = []
    if limit.low > 0:
        words = _in_words(limit._replace(high=math.inf))
        rows.append(Row(members, Fraction(limit.low) * (1 - areas.slack) * work, 1, words))
    if limit.high < math.inf:
        words = _in_words(limit._replace(low=0.0))
        rows.append(Row(members, -Fraction(limit.high) * (1 + areas.slack) * work, -1, words))
    return rows


def _of_limits(rows: Sequence[Row], count: int) -> list[Fraction]:
    """Return costs for a wish without a goal: of what is limited from above, because there a contradiction may be."""
    costs = [Fraction(0)] * count
    for row in rows:
        if row.sign < 0 and row.least:
            for i in row.members:
                costs[i] += _quotient(Fraction(1), -row.least)
    return costs


def _chain(costs: Sequence[Fraction], rows: Sequence[Row], solution: Solution, areas: Areas) -> list[Row]:
    """Return new rows: of the group that costs most with its limits, of the two that do, and so on."""
    pays = list(costs)
    for row, multiplier in zip(rows, solution.multipliers, strict=True):
        if row.name:
            for i in row.members:
                pays[i] -= row.sign * multiplier
    order = sorted(range(len(pays)), key=lambda i: -pays[i])
    sets = [tuple(sorted(order[:size])) for size in range(1, len(order) + 1)]
    known = {row.members for row in rows if not row.name}
    return [areas.row(members) for members in sets if members not in known]


def _work(members: Sequence[int], areas: Areas) -> int | Fraction:
    """Return the work of some groups, processor seconds."""
    return sum(areas.work[i] for i in members)


def _quotient(a: Fraction, b: Fraction | int) -> Fraction:
    """Return a quotient rounded down to a floating-point number, whose denominator is a power of 2."""
    return Fraction(math.nextafter(float(a / b), 0.0))


def _rounded_down(least: Fraction, constant: Fraction, slack: Fraction) -> float:
    """Return a number that no measured goal is below."""
    return math.nextafter(float(least + constant - 2 * slack * (abs(least) + abs(constant))), -math.inf)


def _in_words(limit: Limit) -> str:
    """Return an end of a limit in words, rounded to the side on which what is proved stays true."""
    highest = limit.high < math.inf
    value, round_it, sign = (limit.high, math.floor, "<=") if highest else (limit.low, math.ceil, ">=")
    unit, seconds = ("%", 1) if limit.objective == "UTIL" else ("h", 3600) if value >= 3600 else ("s", 1)
    return f"{limit.objective} {sign} {round_it(100 * value / seconds) / 100:,.10g} {unit}"


# --- in words -------------------------------------------------------------------------------------------------------


def most_gain(best: Best, wish: Wish, easy: float) -> float | None:
    """Return the largest gain over EASY, per cent, that is not excluded; None where gains are undefined.

    Parameters
    ----------
    best
        What is proved.
    wish
        The wish.
    easy
        The goal of EASY.
    """
    if not wish.weights or easy <= 0 or math.isnan(best.goal):
        return None
    return 100 * (easy - best.goal) / easy


def upwards(gain: float, digits: int = 1) -> float:
    """Return a gain that no schedule exceeds, rounded to so many digits so that this stays true.

    Examples
    --------
    >>> upwards(25.036), upwards(25.0), upwards(-0.04), upwards(27.6811, 2)
    (25.1, 25.0, 0.0, 27.69)

    What a bound was lowered by for its own rounding is no gain.

    >>> upwards(25.0 + 1e-9), upwards(1e-9)
    (25.0, 0.0)
    """
    scale = 10.0**digits
    return math.ceil(scale * (gain - ROUNDING)) / scale + 0.0


def distance_text(best: Best, wish: Wish, easy: float, reached: float | None = None, known: float | None = None) -> str:
    """Return in one sentence how far a schedule is from the best possible one; "" where nothing can be said.

    Parameters
    ----------
    best
        What is proved.
    wish
        The wish.
    easy, reached, known
        Goals: of EASY; of the schedule, None if it is not within the limits; of the best known schedule within the
        limits, None if there is none.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10)], limits=[Limit("AWRT2", high=9000)])
    >>> distance_text(Best(75.81), wish, 100.0, 83.8, 79.9)
    '16.2 of at most 24.2 % (proved); best known schedule within your limits 20.1 %'
    >>> distance_text(Best(75.81), wish, 100.0)
    'at most 24.2 % is possible within your limits (proved)'
    >>> distance_text(Best(math.nan, ("AWRT1 <= 1 h", "AWRT2 <= 2 h")), wish, 100.0)
    'no schedule can keep AWRT1 <= 1 h and AWRT2 <= 2 h (proved)'
    >>> distance_text(Best(-0.021), Wish(near=[("AWRT1", 9000)]), 0.5, 0.3)
    '30.0 % short of your point; no schedule comes nearer than 2.1 % better than your point (proved)'
    """
    if best.impossible:
        return f"no schedule can keep {enumeration(best.impossible)} (proved)"
    if math.isnan(best.goal):
        return ""
    limits = " within your limits" if wish.limits else ""
    most = most_gain(best, wish, easy)
    if most is None:
        if not wish.near:  # a sum with UTIL in it, which has no unit
            return ""
        nearest = f"no schedule{limits} comes nearer than {_nearness(math.floor(best.goal * 1000) / 1000)}"
        first = "" if reached is None else f"{_nearness(reached)}; "
        last = "" if known is None else f"; best known schedule{limits} {_nearness(known)}"
        return f"{first}{nearest} (proved){last}"
    gain = {goal: f"{100 * (easy - goal) / easy + 0.0:,.1f}" for goal in (reached, known) if goal is not None}
    at_most = f"at most {upwards(most):,.1f} %"
    first = f"{at_most} is possible{limits}" if reached is None else f"{gain[reached]} of {at_most}"
    last = "" if known is None else f"; best known schedule{limits} {gain[known]} %"
    return f"{first} (proved){last}"


def distance_row(
    best: Best, wish: Wish, easy: float, reached: float | None = None, known: float | None = None
) -> dict[str, Any]:
    """Return what is proved, as plain values; arguments as of `distance_text`.

    The keys are "objective_at_least", a bound of the goal, "at_most_vs_easy", per cent, "impossible", the limits that
    no schedule keeps together, and "distance", the sentence; None where something is undefined.
    """
    bound = None if math.isnan(best.goal) else best.goal
    sentence = distance_text(best, wish, easy, reached, known) or None
    return dict(zip(DISTANCE, (bound, most_gain(best, wish, easy), list(best.impossible), sentence), strict=True))


def _nearness(share: float) -> str:
    """Return how far a schedule is from a point, for people: the largest shortfall, as a share."""
    percent = round(100 * share, 1)
    if percent == 0:
        return "at your point"
    return f"{abs(percent):,.1f} % {'short of' if percent > 0 else 'better than'} your point"
