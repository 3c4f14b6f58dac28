"""What several parts of this experiment measure: the owner's box, the time of a search alone, means and spreads."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import settings

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.fronts.dominance import costs
from paretosched.fronts.quality_indicators import REACH, Box


def box_of_times(whole: ps.Front, easy: Floats, reach: float) -> Box:
    """Return the owner's box of the response times of groups alone, from the best of a front."""
    best = costs(whole.values, whole.objectives)[:, 1:].min(axis=0)
    return Box(whole.objectives[2:], best, reach * easy[2:], reach, ("UTIL: it is no response time",))


def front_and_box(workload: ps.Workload, runs: Iterable[Path]) -> tuple[ps.Front, Box]:
    """Return the front of some runs, and their common box, up to `REACH` times EASY."""
    whole = ps.merge(list(runs))
    easy = np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    return whole, box_of_times(whole, easy, REACH)


def random_wishes(workload: ps.Workload) -> Floats:
    """Return the weights of the groups in random wishes, (wishes, G)."""
    return np.random.default_rng(0).dirichlet(np.ones(len(workload.groups)), size=settings.WISHES)


def own_milliseconds(search: Any, known: Floats) -> float:
    """Return the processor time of a search alone, milliseconds an evaluation: it is sent known costs, (n, q), again.

    The first genomes are left out, so that what is compiled and loaded then is.
    """
    first = done = len(next(search))
    batch = search.send(known[:first])
    began = time.process_time()
    while done + len(batch) < len(known):
        batch, done = search.send(known[done : done + len(batch)]), done + len(batch)
    return 1000 * (time.process_time() - began) / (len(known) - first)


def by_seed(table: Iterable[Mapping[str, str]], column: str, **wanted: object) -> Floats:
    """Return a column of the rows that have some values in other columns, in the order of the seeds, (seeds,)."""
    rows = [row for row in table if all(row[key] == str(value) for key, value in wanted.items())]
    return np.array([float(row[column]) for row in sorted(rows, key=lambda row: int(row["seed"]))])


def with_spread(values: Sequence[float] | Floats) -> str:
    """Return the mean of some values, with their standard deviation if there are several."""
    return f"{np.mean(values):.3f}" + (f" ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else "")
