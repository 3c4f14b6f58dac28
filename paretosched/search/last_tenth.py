"""How far a search is: what its last tenth has gained of the owner's box; and a search that stops when that is little.

The measure is the hypervolume in the box of an `Aim`: the share of the space from the best found to the edges that
schedules dominate. The box is the same for both ends of the tenth, with the best of all evaluations. A gain says
nothing about what the search cannot find: other backfilling, other criteria, offline schedules, or a part of the space
that it has left for good.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.arrays import Floats
from ..fronts.quality_indicators import hypervolume
from .algorithms.archive_search import Aim, places_of
from .algorithms.spaces import Search

PART = 0.9  # what comes before the last tenth
FIRST = 10  # generations before the first question; a tenth is one of them
FEW_DIRECTIONS = 20_000  # of the hypervolume: a second at 20,000 evaluations


def gain_of_last_tenth(costs: Floats, aim: Aim) -> float | None:
    """Return by which share the last tenth of all evaluations has enlarged the hypervolume; None if they are below ten.

    Parameters
    ----------
    costs
        (n, q) of all evaluations in their order, as of `dominance.costs`.
    aim
        The box.

    Returns
    -------
    float
        0 if nothing was gained, infinity if nothing was in the box before, NaN if nothing has ever been in it.

    Examples
    --------
    One of ten schedules comes last and is twice as good as the best before in the only group.

    >>> aim = Aim(np.eye(1), np.array([10.0]))
    >>> gain_of_last_tenth(np.array([[6.0]] * 9 + [[2.0]]), aim)
    1.0
    """
    if len(costs) < FIRST:
        return None
    points = costs @ aim.rows.T
    before = _front_in(points[: int(PART * len(costs))], aim.edge)
    after = _front_in(np.concatenate([before, points[int(PART * len(costs)) :]]), aim.edge)
    if not len(after):
        return np.nan
    return _gain(before, after, points.min(axis=0), aim.edge)


def gain_text(gain: float | None) -> str:
    """Return in words how far a search is, by what its last tenth has gained.

    Examples
    --------
    >>> gain_text(0.0123)
    'the last tenth of the work enlarged the hypervolume in the box by 1.23 %'
    """
    if gain is None:
        return "how much the last tenth of the work gained cannot be said of so few schedules"
    if np.isnan(gain):
        return "no schedule is in the box yet, so that the last tenth of the work has gained nothing of it"
    if np.isinf(gain):
        return "before the last tenth of the work nothing was in the box"
    return f"the last tenth of the work enlarged the hypervolume in the box by {100 * gain:.2f} %"


def until(search: Search, aim: Aim, share: float, population: int, done: int = 0, lag: int | None = None) -> Search:
    """Yield the genomes of a search, until a tenth of the work gains less than a share.

    The question is asked after every ninth more evaluations, from ten populations on. It depends on the costs alone, so
    that a run ends at the same evaluation with any number of workers and however often it was continued. With a lag,
    the genomes that were asked for by then are simulated, too.

    Parameters
    ----------
    search
        The search, which is sent the same costs.
    aim
        The box.
    share
        Of the hypervolume; see `gain_of_last_tenth`.
    population
        Genomes in a generation.
    done
        How many evaluations there are already: the search goes on at least as far.
    lag
        That of the search, see `archive_search`; None if it has generations.
    """
    genomes = next(search)
    ends = _ends(population)
    end = next(ends)
    front = rest = np.empty((0, len(aim.edge)))
    best = np.full(len(aim.edge), np.inf)
    count = sent = 0
    while True:
        costs = yield genomes
        answers = []
        while len(costs):
            size = len(costs) if lag is None else end - sent
            piece, costs = costs[:size], costs[size:]
            sent += len(piece)
            rest = np.concatenate([rest, places_of(piece, aim)])
            is_enough = False
            while len(rest) >= end - count and not is_enough:
                part, rest = rest[: end - count], rest[end - count :]
                before, is_first, count, end = front, count == 0, end, next(ends)
                front = _front_in(np.concatenate([front, part]), aim.edge)
                best = np.minimum(best, part.min(axis=0))
                may_stop = not is_first and sent + (lag or 0) >= done
                is_enough = may_stop and _gain(before, front, best, aim.edge) < share
            if is_enough and lag is None:
                return
            try:
                answers.append(search.send(piece))
            except StopIteration:
                return
            if is_enough:
                break
        genomes = np.concatenate(answers)
        if is_enough:
            yield genomes
            return


def _ends(population: int) -> Iterator[int]:
    """Yield the numbers of evaluations between which gains are measured: each is a ninth more than the one before."""
    end = FIRST * population
    yield end - population
    while True:
        yield end
        end = int(np.ceil(end / PART))


def _gain(before: Floats, after: Floats, best: Floats, edge: Floats) -> float:
    """Return by which share some points, (k, c), dominate more of the box than others did."""
    if (best >= edge).any():
        return np.inf  # nothing is in the box yet
    volumes = [hypervolume((points - best) / (edge - best), 1.0, FEW_DIRECTIONS) for points in (before, after)]
    return volumes[1] / volumes[0] - 1 if volumes[0] else np.inf


def _front_in(points: Floats, edge: Floats) -> Floats:
    """Return the points, (k, c), within the box that no other one dominates."""
    import moocore

    inside: Floats = points[(points < edge).all(axis=1)]
    if not len(inside):
        return inside
    return inside[np.asarray(moocore.is_nondominated(inside), dtype=np.bool_)]
