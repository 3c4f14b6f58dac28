"""Help for an owner on a front: which rows are left, a compromise, the cost of a step, and how far a schedule has come.

The functions look at the rows of a front and simulate nothing. `among` is always (p,) bool, the rows that are left.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, one_of
from ..fronts.dominance import deciding
from ..fronts.front import Front
from ..simulation.objective import Objective, scale_of
from .nearness import nearest_rows
from .wish import AUGMENTATION, Limit, Wish, goal, violation

IMPROVE, IMPROVE_TO, KEEP, WORSEN_TO, FREE = CLASSES = ("improve", "improve to", "keep", "may worsen to", "free")
DIGITS = 6  # of levels that are computed, not typed


class Way(NamedTuple):
    """How far a schedule is on the way from a first schedule to the best one on a front.

    Attributes
    ----------
    of
        "goal", or "limits" if the first schedule is not within them.
    share
        0 at the first schedule, 1 at the best on the front; above 1 beyond it, below 0 on the other side.
    row
        The best row of the front.
    """

    of: str
    share: float
    row: int


def remaining(wish: Wish | None, front: Front) -> Mask:
    """Return which rows of a front are within the limits of a wish, (p,) bool; without a wish, all."""
    if wish is None:
        return np.ones(len(front), dtype=np.bool_)
    return np.asarray(violation(wish, front.values) == 0)


def reachable(front: Front, among: Mask) -> Floats:
    """Return the best value of each objective in the rows left, (m,) natural units; NaN where there is none."""
    best = np.full(len(front.objectives), np.nan)
    if among.any():
        for j, objective in enumerate(front.objectives):
            column = front.values[among, j]
            best[j] = column.max() if objective.maximise else column.min()
    return best


def compromise(front: Front, among: Mask) -> int | None:
    """Return the row whose largest shortfall is smallest; None if no row is left.

    Compromise programming (Zeleny 1973): a shortfall is the distance from the best value left in a deciding objective,
    as a share of that value, as in `wish`. With shares of the range, a few absurd schedules would decide: beside a
    schedule in which a group waits for a year, a week would not count.
    """
    rows = np.flatnonzero(among)
    if rows.size == 0:
        return None
    best = reachable(front, among)
    scale = np.array([scale_of(o, value) for o, value in zip(front.objectives, best, strict=True)])
    shortfall = np.abs(front.values[rows] / scale - best / scale)[:, deciding(front.values, front.objectives)]
    return int(rows[np.argmin(shortfall.max(axis=1) + AUGMENTATION * shortfall.sum(axis=1))])


def tradeoffs(front: Front, row: int, among: Mask, share: float = 0.01) -> tuple[Ints, Floats]:
    """Return what one step of improvement in each objective costs the others.

    A step goes from `row` to one of the rows left that are better in the objective by at least `share` of its value:
    to that whose largest relative loss in another deciding objective is smallest.

    Returns
    -------
    rows, gains
        (m,) int64, the row that each step goes to, -1 if there is none; (m, m) per cent, the change of every objective
        by each step, positive is better; NaN without a step, and where undefined.
    """
    objectives = front.objectives
    rows = np.flatnonzero(among)
    sign = np.array([1.0 if o.maximise else -1.0 for o in objectives])
    here = front.values[row]
    scale = np.array([scale_of(o, value) for o, value in zip(objectives, here, strict=True)])
    gain = sign * (front.values[rows] / scale - here / scale)
    loss = np.maximum(-gain[:, deciding(front.values, objectives)], 0)
    total_loss = loss.max(axis=1, initial=0) + AUGMENTATION * loss.sum(axis=1)  # improvements do not count
    steps = np.full(len(objectives), -1, dtype=np.int64)
    gains = np.full((len(objectives), len(objectives)), np.nan)
    for i in range(len(objectives)):
        better = np.flatnonzero(gain[:, i] >= share)
        if better.size:
            k = better[np.argmin(total_loss[better])]
            steps[i], gains[i] = rows[k], 100 * gain[k]
    return steps, gains


def wish_of_classes(classes: Mapping[str, tuple[str, float | None]], front: Front, row: int) -> Wish:
    """Return the wish that a classification of the objectives at a row of a front means.

    NIMBUS (Miettinen and Mäkelä, *Synchronous approach in interactive multiobjective optimization*, 2006): the schedule
    must not get worse in objectives to improve or to keep, nor worse than the level in those that may worsen. Of the
    schedules that are left, the wish is to come nearest to the best values on the front, or to the levels, in the
    objectives to improve. Distances are those of `wish`, shares of the level and not of the range.

    Parameters
    ----------
    classes
        By name of the objective, one of CLASSES and, for "improve to" and "may worsen to", a level in natural units.
        Other objectives are free.
    front, row
        The schedule from which the owner wants to go on.

    Raises
    ------
    InputError
        No objective is to improve, none may get worse, or a level is on the wrong side of the row's value.
    """
    near, limits = [], []
    best = reachable(front, np.ones(len(front), dtype=np.bool_))
    can_worsen = False
    for j, objective in enumerate(front.objectives):
        kind, level = classes.get(objective.name, (FREE, None))
        one_of(f"class of {objective.name}", kind, CLASSES)
        here = float(front.values[row, j])
        can_worsen |= kind in (WORSEN_TO, FREE) and objective.decides
        if kind == FREE:
            continue
        if kind in (IMPROVE_TO, WORSEN_TO):
            if level is None or not math.isfinite(level):
                raise InputError(f'{objective.name}: "{kind}" must have a level, but has none')
            is_above = objective.maximise == (kind == IMPROVE_TO)
            if not (level > here if is_above else level < here):
                side = "better" if kind == IMPROVE_TO else "worse"
                words = f"{side} than {_for_people(objective, here)}, but has {_for_people(objective, level)}"
                raise InputError(f'{objective.name}: "{kind}" must have a level {words}')
        if kind in (IMPROVE, IMPROVE_TO):
            near.append((objective.name, float(f"{best[j]:.{DIGITS}g}") if level is None else level))
        bound = level if kind == WORSEN_TO and level is not None else _outwards(here, objective.maximise)
        limits.append(Limit(objective.name, low=bound) if objective.maximise else Limit(objective.name, high=bound))
    if not near:
        raise InputError(f'classes: an objective must be "{IMPROVE}" or "{IMPROVE_TO}", but none is')
    if not can_worsen:
        raise InputError(
            f'classes: an objective other than AWRT must be "{FREE}" or "{WORSEN_TO}", or nothing can improve'
        )
    return Wish(near=near, limits=limits, measures=front.measured.names)


def way(wish: Wish, start: Floats, end: Floats, front: Front) -> Way | None:
    """Return how far a schedule is on the way from a first schedule to the best one on a front.

    Parameters
    ----------
    wish
        The measure of the way: its goal, or, if the start is not within its limits, how far they are exceeded.
    start, end
        (m,) objective values of the first schedule and of the other one, natural units.
    front
        Schedules of the same workload.

    Returns
    -------
    Way, or None if the front has nothing better than the start.
    """
    row = int(nearest_rows(wish, front.values)[0])
    points = np.array([start, end, front.values[row]])
    outside = violation(wish, points)
    measure, (first, other, best) = ("limits", outside) if outside[0] > 0 else ("goal", goal(wish, points))
    if not best < first:
        return None
    return Way(measure, float((first - other) / (first - best)), row)


def _outwards(value: float, maximise: bool) -> float:
    """Return a value as a limit with few digits, rounded so that the value itself is within it."""
    step = 10.0 ** (math.floor(math.log10(value)) + 1 - DIGITS) if value > 0 else 1.0
    steps = math.floor(value / step) if maximise else math.ceil(value / step)
    level, further = (float(f"{number * step:.{DIGITS + 2}g}") for number in (steps, steps + (-1 if maximise else 1)))
    is_within = value >= level if maximise else value <= level  # a quotient may be rounded to a whole number
    return level if is_within else further


def _for_people(objective: Objective, value: float) -> str:
    """Return a value for people: hours or per cent."""
    return f"{value / 3600:.6g} h" if objective.unit == "s" else f"{value:g} {objective.unit}".rstrip()
