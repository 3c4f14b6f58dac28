"""An outer approximation of the front: lines that no schedule of a workload is below, in every two response times.

`best_possible` bounds every weighted sum of two response times. What all these bounds together leave, over all weights,
is what the rows of its programme leave in the plane of the two, whatever the other groups are made to wait: with the
work W_i of a group, the smallest area f of `squashed_area`, a = AWRT_i and b = AWRT_j,

    W_i a >= f({i}),    W_j b >= f({j}),    W_i a + W_j b >= f({i, j}).

So the line comes down from above at the smallest a, turns to the smallest b in a straight line, and goes to the right
from there. With AWRT and AWRT_i it has one corner, the ideal point: f of all groups is at least f({i}) and f of the
others together, so that the first may be reached with the second. Nothing is said about what can be reached: between
the line and the front there may be schedules that nobody has found, or none.

**Rounding.** Measured values may differ from true ones by a share that `Areas.slack` bounds; bounds are smaller by
that. Corners are computed with fractions and rounded down in both coordinates, so the line between two of them is below
the true one.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np

from ..core.arrays import Floats
from ..workload.workload import Workload
from .best_possible import areas_of

MOST_GROUPS = 12  # with jobs; beyond it, every line has one corner


def outer_front(workload: Workload) -> dict[tuple[str, str], Floats]:
    """Return the corners of the line that no schedule of a workload is below, for every two response times.

    Parameters
    ----------
    workload
        The jobs and the machine.

    Returns
    -------
    dict
        By the names of two objectives, in their order, the corners of the line, (k, 2) s, with one or two rows,
        ascending in the first objective. No schedule is left of the first corner, below the last one, or below the
        straight line between them.

    Examples
    --------
    Each of two jobs needs the whole machine for 10 s: one of them responds after 20 s at least.

    >>> words = {"run": [10, 10], "estimate": [10, 10], "width": [4, 4], "capacity": 4}
    >>> w = Workload(submit=[0, 0], **words, group=[0, 1], groups=["1", "2"])
    >>> lines = outer_front(w)
    >>> lines["AWRT1", "AWRT2"].round(6).tolist(), lines["AWRT", "AWRT2"].round(6).tolist()
    ([[10.0, 20.0], [20.0, 10.0]], [[15.0, 10.0]])
    """
    areas = areas_of(workload)
    count = len(areas.groups)
    part = 1 - 2 * areas.slack
    all_groups = tuple(range(count))
    least = [areas.row((i,)).least * part for i in all_groups]
    names = [f"AWRT{g + 1}" for g in areas.groups]
    mean = areas.row(all_groups).least * part / sum(areas.work)
    lines = {
        ("AWRT", name): _rounded_down([(mean, own / work)])
        for name, own, work in zip(names, least, areas.work, strict=True)
    }
    for i, j in combinations(all_groups, 2):
        (a, b), (work_a, work_b) = (least[i], least[j]), (areas.work[i], areas.work[j])
        both = areas.row((i, j)).least * part if count <= MOST_GROUPS else Fraction(0)
        corners = [(a / work_a, (both - a) / work_b), ((both - b) / work_a, b / work_b)]
        lines[names[i], names[j]] = _rounded_down(corners if both > a + b else [(a / work_a, b / work_b)])
    return lines


def _rounded_down(corners: list[tuple[Fraction, Fraction]]) -> Floats:
    """Return corners as numbers that are not above them, (k, 2)."""
    return np.array([[math.nextafter(float(x), 0.0) for x in corner] for corner in corners])
