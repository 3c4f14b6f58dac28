"""Two schedules of the same jobs: how many pairs of jobs start in the same order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints


class Pairs(NamedTuple):
    """Pairs of jobs that could have started in either order.

    Attributes
    ----------
    together
        How many pairs there are in which one job came while the other one waited, in one schedule or the other.
    turned
        How many of them start in the other order; jobs that start in the same second are in none.
    """

    together: int
    turned: int


def compared_pairs(eligible: Ints, start: Ints, other_start: Ints) -> Pairs:
    """Return how many pairs of jobs could have started in either order, and how many do in the other one.

    Parameters
    ----------
    eligible
        (n,) s, when each job could run.
    start, other_start
        (n,) s, its start in each schedule.

    Examples
    --------
    The second and the third job are exchanged; the first one never waits with another one.

    >>> compared_pairs(np.array([0, 5, 5]), np.array([0, 9, 12]), np.array([0, 12, 9]))
    Pairs(together=1, turned=1)
    """
    order = np.argsort(eligible, kind="stable")
    came, one, two = eligible[order], start[order], other_start[order]
    ends = np.searchsorted(came, np.maximum(one, two), side="left")  # the jobs that come while a job waits
    together = turned = 0
    for place, end in enumerate(ends.tolist()):
        after = slice(place + 1, end)
        together += max(0, end - place - 1)
        first, other = np.sign(one[after] - one[place]), np.sign(two[after] - two[place])
        turned += int(np.count_nonzero(first * other < 0))
    return Pairs(together, turned)
