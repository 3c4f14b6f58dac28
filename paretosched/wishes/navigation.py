"""What helps an owner to find his wish on a front: what is left, what stands out, what a step costs, how far one came.

Everything here looks at the rows of a front and simulates nothing. `among` is always (p,) bool, the rows that are
still in question.
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
from .nearness import fitness
from .wish import Limit, Wish, goal, violation

IMPROVE, IMPROVE_TO, KEEP, WORSEN_TO, FREE = CLASSES = ("improve", "improve to", "keep", "may worsen to", "free")
AUGMENTATION = 1e-4  # as of `wish`: nothing is given away beside the largest shortfall
DIGITS = 6  # of levels that are found and not typed


class Way(NamedTuple):
    """How much of the way from one schedule to the best on a front another one goes.

    Attributes
    ----------
    of
        "goal", or "limits" if the first schedule is not within them.
    share
        0 at the first schedule, 1 at the best on the front; more if it is passed, negative if it went back.
    row
        The best row of the front.
    """

    of: str
    share: float
    row: int


def remaining(wish: Wish | None, front: Front) -> Mask:
    """Return which rows of a front are within the limits of a wish, (p,) bool; without one, all."""
    if wish is None:
        return np.ones(len(front), dtype=np.bool_)
    return np.asarray(violation(wish, front.values) == 0)


def reachable(front: Front, among: Mask) -> Floats:
    """Return the best value that is left in each objective, (m,) natural units; NaN where there is none."""
    best = np.full(len(front.objectives), np.nan)
    if among.any():
        for j, objective in enumerate(front.objectives):
            column = front.values[among, j]
            best[j] = column.max() if objective.maximise else column.min()
    return best


def compromise(front: Front, among: Mask) -> int | None:
    """Return the row whose largest shortfall is smallest; None if no row is left.

    Compromise programming (Zeleny 1973): a shortfall is the distance from the best that is left in a deciding
    objective, as a share of that best, as everywhere in `wish`. As a share of the range a few absurd schedules would
    decide: beside one in which a group waits for a year, a week counts for nothing.
    """
    rows = np.flatnonzero(among)
    if rows.size == 0:
        return None
    best = reachable(front, among)
    short = np.abs(front.values[rows] / best - 1)[:, deciding(front.values, front.objectives)]
    return int(rows[np.argmin(short.max(axis=1) + AUGMENTATION * short.sum(axis=1))])


def tradeoffs(front: Front, row: int, among: Mask, share: float = 0.01) -> tuple[Ints, Floats]:
    """Return what one step of improvement in each objective costs the others.

    A step from `row` goes to that row among those left which is better in the objective by at least `share` of its
    value, and whose largest relative loss in another deciding objective is smallest.

    Returns
    -------
    rows, gains
        (m,) int64, the row that each step goes to, -1 if there is none; (m, m) per cent, what that changes in every
        objective, positive is better; NaN without a step, and where undefined.
    """
    names = front.objectives
    rows = np.flatnonzero(among)
    sign = np.array([1.0 if o.maximise else -1.0 for o in names])
    gain = sign * (front.values[rows] / front.values[row] - 1)
    loss = np.maximum(-gain[:, deciding(front.values, names)], 0)
    lost = loss.max(axis=1, initial=0) + AUGMENTATION * loss.sum(axis=1)  # what improves has no part in it
    steps = np.full(len(names), -1, dtype=np.int64)
    gains = np.full((len(names), len(names)), np.nan)
    for i in range(len(names)):
        better = np.flatnonzero(gain[:, i] >= share)
        if better.size:
            k = better[np.argmin(lost[better])]
            steps[i], gains[i] = rows[k], 100 * gain[k]
    return steps, gains


def classified(classes: Mapping[str, tuple[str, float | None]], front: Front, row: int) -> Wish:
    """Return the wish that a classification of the objectives at a row of a front means.

    NIMBUS (Miettinen and Mäkelä, *Synchronous approach in interactive multiobjective optimization*, 2006): the
    schedule must not get worse in what is to improve or to be kept, nor worse than allowed in what may worsen; among
    those that are left, the one is wanted that comes nearest to the best value on the front, or to the level asked
    for, in what is to improve. Distances are those of `wish`, shares of the level and not of the range.

    Parameters
    ----------
    classes
        By name of the objective, one of CLASSES and, for "improve to" and "may worsen to", a level in natural units.
        What is not named is free.
    front, row
        Where the owner stands.

    Raises
    ------
    InputError
        Nothing is to improve, nothing may get worse, or a level lies on the wrong side of the row.
    """
    near, limits = [], []
    best = reachable(front, np.ones(len(front), dtype=np.bool_))
    yielding = False
    for j, objective in enumerate(front.objectives):
        kind, level = classes.get(objective.name, (FREE, None))
        one_of(f"class of {objective.name}", kind, CLASSES)
        here = float(front.values[row, j])
        yielding |= kind in (WORSEN_TO, FREE) and objective.name != "AWRT"
        if kind == FREE:
            continue
        if kind in (IMPROVE_TO, WORSEN_TO):
            if level is None or not math.isfinite(level):
                raise InputError(f"{objective.name}: {kind} which level?")
            if (level > here) != (objective.maximise == (kind == IMPROVE_TO)):
                side = "better" if kind == IMPROVE_TO else "worse"
                raise InputError(f"{objective.name}: {kind} needs a level {side} than the {here:g} of here")
        if kind in (IMPROVE, IMPROVE_TO):
            near.append((objective.name, float(f"{best[j]:.{DIGITS}g}") if level is None else level))
        bound = level if kind == WORSEN_TO and level is not None else _outwards(here, objective.maximise)
        limits.append(Limit(objective.name, low=bound) if objective.maximise else Limit(objective.name, high=bound))
    if not near:
        raise InputError("classes: something must be to improve")
    if not yielding:
        raise InputError("classes: something must be free or may worsen, else nothing can improve")
    return Wish(near=near, limits=limits)


def way(wish: Wish, start: Floats, reached: Floats, front: Front) -> Way | None:
    """Return how much of the way from a schedule to the best on a front another schedule goes.

    Parameters
    ----------
    wish
        By what it is measured: its goal, or, if the start is not within its limits, how far they are exceeded.
    start, reached
        (m,) objective values of the two schedules, natural units.
    front
        Schedules of the same workload.

    Returns
    -------
    Way, or None if the front has nothing better than the start.
    """
    row = int(np.argmin(fitness(wish, front.values)))
    points = np.array([start, reached, front.values[row]])
    outside = violation(wish, points)
    of, measured = ("limits", outside) if outside[0] > 0 else ("goal", goal(wish, points))
    if not measured[2] < measured[0]:
        return None
    return Way(of, float((measured[0] - measured[1]) / (measured[0] - measured[2])), row)


def _outwards(value: float, maximise: bool) -> float:
    """Return a level, rounded so that a person can read it and the value itself stays within it."""
    step = 10.0 ** (math.floor(math.log10(value)) + 1 - DIGITS) if value > 0 else 1.0
    rounded = (math.floor if maximise else math.ceil)(value / step) * step
    return float(f"{rounded:.{DIGITS + 2}g}")
