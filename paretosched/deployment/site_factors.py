"""Site factors that put Slurm's waiting jobs in an order, with as few changes as possible.

Slurm adds a job's site factor to its priority. Factors fall along the order, from one job to the next by at least
`Scale.least`, so that neither a usual --nice nor the site's own weights turn two jobs round. A job that has no factor
yet, as one that was submitted a moment ago, has 0 and comes behind.

Of the jobs that have factors, as many as possible keep them: a longest run of them that falls along the order far
enough for the jobs between. The others get factors in the gaps.

Beside a site's own factors not only the order counts, but also by how much factors differ. So those of a bounded share
are spread evenly over the scale, and are all spread again when one has come far from its even place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

HIGHEST = 2_000_000_000  # Slurm's priorities have 32 bits, and the site's own factors are added
NICE = 10_000  # steps are larger than this: --nice without a number is 100
WIDER = 16  # how many times wider than they must be the steps are at first, so that jobs fit between
FAR = 4  # where factors are spread evenly, one may lie this part of the scale from its even place: a quarter


class Scale(NamedTuple):
    """Which site factors jobs may have.

    Attributes
    ----------
    highest
        The highest factor.
    least
        The smallest step from a job to the next.
    is_even
        Whether factors are spread evenly over the scale.
    """

    highest: int
    least: int
    is_even: bool = False

    @property
    def places(self) -> int:
        """Return how many jobs can be put in order; those behind keep the site's own order."""
        return self.highest // self.least


def lexicographic(weights: int) -> Scale:
    """Return the scale with which the policy decides, and the site's own factors only order jobs of equal rank.

    Parameters
    ----------
    weights
        The largest sum of the site's own factors: the sum of its PriorityWeight*.

    Examples
    --------
    >>> lexicographic(0).places, lexicographic(190_000).places
    (199980, 9999)
    """
    return Scale(HIGHEST, weights + NICE + 1)


def bounded_share(weights: int, share: float) -> Scale:
    """Return the scale with which at most a share, in per cent, of the largest priority comes from the policy.

    The first job has nearly all of it, the last nearly nothing.

    Parameters
    ----------
    weights
        The largest sum of the site's own factors.
    share
        Per cent, more than 0 and less than 100.

    Examples
    --------
    >>> bounded_share(100_000, 50)
    Scale(highest=100000, least=1, is_even=True)
    """
    return Scale(max(1, min(HIGHEST, round(weights * share / (100 - share)))), 1, True)


def changed_factors(order: Sequence[int], factors: Mapping[int, int], scale: Scale) -> dict[int, int]:
    """Return the new site factors of the jobs that need one, the first job first.

    Parameters
    ----------
    order
        Numbers of the jobs in the order in which they should start.
    factors
        The factors that they have; 0 for jobs without one.
    scale
        Which factors they may have.

    Examples
    --------
    Job 9 is new and comes between 1 and 2.

    >>> changed_factors([1, 9, 2], {1: 300, 2: 100}, Scale(1000, 50))
    {9: 200}

    Those of a bounded share are spread.

    >>> changed_factors([1, 9, 2], {}, bounded_share(1000, 50))
    {1: 750, 9: 500, 2: 250}
    """
    ranked = list(order[: scale.places])
    values = _values(ranked, factors, _keepers(ranked, factors, scale), scale)
    if scale.is_even:
        even = _values(ranked, {}, [], scale)
        if any(FAR * abs(value - place) > scale.highest for value, place in zip(values, even, strict=True)):
            values = even
    changes = {job: value for job, value in zip(ranked, values, strict=True) if factors.get(job, 0) != value}
    return changes | {job: 0 for job in order[scale.places :] if factors.get(job, 0) != 0}


def _values(ranked: Sequence[int], factors: Mapping[int, int], keepers: Sequence[int], scale: Scale) -> list[int]:
    """Return the factors of the jobs, the first job first, where those at some places keep theirs."""
    n = len(ranked)
    widest = scale.highest if scale.is_even else WIDER * scale.least
    step = max(scale.least, min(widest, scale.highest // (n + 1)))
    values = [0] * n
    for before, after in pairwise([-1, *keepers, n]):
        top = scale.highest + scale.least if before < 0 else factors[ranked[before]]
        bottom = 0 if after == n else factors[ranked[after]]
        values[before + 1 : after] = _between(top, bottom, after - before - 1, step, before < 0, after == n)
        if after < n:
            values[after] = bottom
    return values


def _keepers(ranked: Sequence[int], factors: Mapping[int, int], scale: Scale) -> list[int]:
    """Return the places of jobs that keep their factors, ascending: as many as possible.

    With `least` added for each place, factors that leave room for the jobs between do not rise along the order.
    """
    n = len(ranked)
    ends: list[int] = []  # of the best run of each length, the last value, negated: ascending
    last_places: list[int] = []
    previous = [-1] * n
    for place, job in enumerate(ranked):
        factor = factors.get(job, 0)
        if not scale.least * (n - place) <= factor <= scale.highest - scale.least * place:
            continue
        value = -(factor + scale.least * place)
        length = bisect_right(ends, value)
        previous[place] = last_places[length - 1] if length else -1
        if length == len(ends):
            ends.append(value)
            last_places.append(place)
        else:
            ends[length], last_places[length] = value, place
    kept = []
    place = last_places[-1] if last_places else -1
    while place >= 0:
        kept.append(place)
        place = previous[place]
    return kept[::-1]


def _between(top: int, bottom: int, count: int, step: int, is_first: bool, is_last: bool) -> list[int]:
    """Return falling factors for some jobs below `top` and above `bottom`.

    If there is room, they are one `step` apart: above `bottom` if the jobs are the first of the order, otherwise below
    `top` if they are the last. Between two jobs, or without room, they are spread evenly.
    """
    if top - bottom >= step * (count + 1) and (is_first or is_last):
        start = bottom + step * count if is_first else top - step
        return [start - step * place for place in range(count)]
    return [bottom + (top - bottom) * (count - place) // (count + 1) for place in range(count)]
