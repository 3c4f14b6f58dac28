"""The smallest change of limits that leaves some schedules, when a wish leaves none."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..fronts.front import Front
from .navigation import remaining
from .wish import Limit, Wish, spelled_out, violation, with_limits

DIGITS = 3  # of a limit that is loosened; it is rounded outwards


class Relaxation(NamedTuple):
    """Limits that leave some schedules.

    Attributes
    ----------
    changed
        Pairs of the limit of the wish and the one in its place.
    wish
        The wish with these limits.
    left
        How many schedules remain then.
    """

    changed: tuple[tuple[Limit, Limit], ...]
    wish: Wish
    left: int


def smallest_relaxation(wish: Wish, front: Front) -> Relaxation | None:
    """Return the smallest relaxation of a wish that leaves nothing; None if something is left already.

    Of all schedules it takes the one with the least violation, see the module `wish`, and loosens every limit that this
    schedule exceeds just so far that it is within it. No other schedule needs less in sum, as a share of the limits.

    Parameters
    ----------
    wish
        A wish with numbers.
    front
        At least one schedule.
    """
    if remaining(wish, front).any():
        return None
    values = front.values[int(np.argmin(violation(wish, front.values)))]
    columns = {o.name: j for j, o in enumerate(front.objectives)}
    limits, changed = [], []
    having_jobs = [name for name, j in columns.items() if not np.isnan(front.values[:, j]).any()]
    for limit in spelled_out(wish, having_jobs).limits:
        value = float(values[columns[limit.objective]])
        loosened = Limit(
            limit.objective,
            _outwards(value, -1) if value < limit.low else limit.low,
            _outwards(value, 1) if value > limit.high else limit.high,
        )
        limits.append(loosened)
        if loosened != limit:
            changed.append((limit, loosened))
    relaxed = with_limits(wish, limits)
    return Relaxation(tuple(changed), relaxed, int(remaining(relaxed, front).sum()))


def _outwards(value: float, way: int) -> float:
    """Return a value as a limit with few digits, of hours where it is one hour or more, so that it is within the limit.

    `way` is 1 for an upper limit, -1 for a lower one.
    """
    unit = 3600.0 if value >= 3600 else 1.0
    step = 10.0 ** (np.floor(np.log10(value / unit)) + 1 - DIGITS) if value > 0 else 1.0
    steps = way * np.ceil(way * (value / unit / step))
    level, further = (float(f"{number * step * unit:.12g}") for number in (steps, steps + way))
    return level if way * level >= way * value else further  # a quotient may be rounded to a whole number
