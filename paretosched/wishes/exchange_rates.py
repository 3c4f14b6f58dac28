"""What an hour less for one group costs another one: a rate fitted to the neighbourhood of a schedule on a front.

The nearest row of a sparse front is a bad guide: it differs in everything at once. Here a plane is fitted to the
nearest rows, and the rate is that of the plane: how much f_j grows on it when f_i shrinks by one unit and all other
objectives stay. This is the marginal rate of substitution of the field (Miettinen, *Nonlinear Multiobjective
Optimization*, 1999, section 2.8).

The plane is that of total least squares in relative coordinates, log f / f_row: its normal n is the direction in which
the neighbours vary least. On it sum n_k log f_k stays, so that

    - d f_j / d f_i = (n_i / f_i) / (n_j / f_j)

**Uncertainty.** The fit is repeated with neighbours drawn again (bootstrap), and an interval has nine of ten of these
rates. Where it is not above 0 throughout, the neighbourhood shows no exchange between the two, and there is no rate.
AWRT is a mean of the others and takes no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Mask
from ..core.tables import enumeration
from ..fronts.dominance import deciding
from ..fronts.front import Front
from ..simulation.objective import Objective, is_of_group
from ..simulation.service import HOUR

NEIGHBOURS = 12  # for each objective
DRAWS = 200
SEED = 0  # of the draws, so that the same front always has the same intervals
INTERVAL = (5.0, 95.0)  # per cent of the draws
BASIS = (
    "What the next hour costs, from a plane fitted to the schedules nearby "
    f"(in brackets {INTERVAL[1] - INTERVAL[0]:g} of 100 refits)"
)


class Rates(NamedTuple):
    """Exchange rates at a schedule, in natural units of j for one natural unit of i.

    Attributes
    ----------
    rate, low, high
        (m, m), what an improvement of objective i by one unit costs j if the others stay, and its interval; NaN where
        the neighbourhood shows no exchange.
    neighbours
        How many rows the plane was fitted to; 0 if there are too few.
    """

    rate: Floats
    low: Floats
    high: Floats
    neighbours: int


def exchange_rates(front: Front, row: int, among: Mask) -> Rates:
    """Return what an improvement of each objective costs each other one near a schedule.

    Parameters
    ----------
    front
        The schedules; values above 0.
    row
        The schedule.
    among
        (p,) bool, the rows that may be neighbours.
    """
    m = len(front.objectives)
    rate, low, high = (np.full((m, m), np.nan) for _ in range(3))
    decide = deciding(front.values, front.objectives) & (front.values > 0).all(axis=0)  # of 0 there is no share
    columns = np.flatnonzero(decide)
    wanted = NEIGHBOURS * len(columns)
    rows = np.flatnonzero(among)
    if len(columns) < 2 or rows.size < wanted:
        return Rates(rate, low, high, 0)
    here = front.values[row, columns]
    points = np.log(front.values[np.ix_(rows, columns)] / here)
    far = np.abs(points).max(axis=1)
    points = points[np.argsort(far, kind="stable")[:wanted]]
    sign = np.array([-1.0 if front.objectives[c].maximise else 1.0 for c in columns])
    rng = np.random.default_rng(SEED)
    drawn = rng.integers(wanted, size=(DRAWS, wanted))
    slopes = np.stack([_slopes(points[index], here, sign) for index in drawn])
    ends = np.percentile(slopes, INTERVAL, axis=0)
    shown = (ends[0] > 0) & ~np.eye(len(columns), dtype=np.bool_)
    place = np.ix_(columns, columns)
    rate[place] = np.where(shown, _slopes(points, here, sign), np.nan)
    low[place], high[place] = (np.where(shown, end, np.nan) for end in ends)
    return Rates(rate, low, high, wanted)


def _slopes(points: Floats, here: Floats, sign: Floats) -> Floats:
    """Return the (k, k) rates of the plane through points in relative coordinates, (n, k); `here` is (k,) natural."""
    _, _, directions = np.linalg.svd(points - points.mean(axis=0), full_matrices=False)
    normal = sign * directions[-1] / here
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes: Floats = normal[:, None] / normal[None, :]
    return np.nan_to_num(slopes, nan=-1.0, posinf=np.finfo(np.float64).max, neginf=-1.0)


def rate_sentences(
    rates: Rates, objectives: Sequence[Objective], values: Floats, bound: Floats | None = None
) -> list[str]:
    """Return what the next hour for each group costs the others, in sentences; only rates that the fit shows.

    Parameters
    ----------
    rates
        Exchange rates at a schedule.
    objectives
        The objectives, (m,).
    values
        (m,) natural units, of the schedule.
    bound
        (m,) natural units, what no schedule can beat; None if it is not known.
    """
    sentences: list[str] = []
    without: list[str] = []
    if rates.neighbours == 0:
        return []
    for i, o in enumerate(objectives):
        if not is_of_group(o.name) or np.isnan(values[i]):
            continue
        costs = [
            f"{_who(other)} {rates.rate[i, j]:.2g} h ({rates.low[i, j]:.2g} to {rates.high[i, j]:.2g})"
            for j, other in enumerate(objectives)
            if other.unit == "s" and not np.isnan(rates.rate[i, j])
        ]
        if not costs:
            without.append(_who(o))
            continue
        who = _who(o)
        here = f" {who[0].upper()}{who[1:]} is at {values[i] / HOUR:.3g} h"
        known = "" if bound is None else f"; no schedule at all gets it below {bound[i] / HOUR:.3g} h (proved)"
        sentences.append(f"One hour less for {who} costs {' or '.join(costs)}, if the others stay.{here}{known}.")
    if without:
        sentences.append(f"The schedules nearby show no clear price of an hour less for {enumeration(without)}.")
    return sentences


def _who(o: Objective) -> str:
    return o.label.removeprefix("AWRT of ")
