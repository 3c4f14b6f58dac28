"""Choose the distance to the limits by jobs that were not learnt from: all of them within the training part.

The policies learn from the first two thirds of the time, once, without a margin. For each candidate the best policy of
this study that keeps this margin there is simulated on the last third, and on workloads that are resampled from it. The
margin is the smallest one whose policy keeps the limits on nine of ten of these, and so does that of the next larger
candidate, so that it is not by luck. If there is none, it is the one that keeps them on most, exceeds them least, and
is the smallest.

A study is cheaper than one training for each candidate, and errs on the safe side: its policies with larger margins are
not as good as if they had been trained with these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats
from ..policies.policy import Policy
from ..wishes.wish import Wish
from ..workload.time_split import split
from ..workload.workload import Workload
from .margins import MARGINS
from .task import SUM, Task, tasks, with_samples

STUDY_UNTIL = 2 / 3
KEPT = 0.9


class Candidate(NamedTuple):
    """A margin, and what its policy does on the jobs that were not learnt from.

    Attributes
    ----------
    margin
        Per cent.
    kept
        Share of the workloads on which the limits are kept.
    exceeded
        The mean violation of the limits.
    """

    margin: float
    kept: float
    exceeded: float


def candidates(
    study: Task,
    check: Task,
    genomes: Floats,
    values: Floats,
    policy_of: Callable[[Floats], Policy],
    margins: Sequence[float] = MARGINS,
) -> list[Candidate]:
    """Return how the margins do.

    Parameters
    ----------
    study, check
        The tasks on the first two thirds and on the last third.
    genomes, values
        (k, d) and (k, W m), what was tried on the first two thirds.
    policy_of
        Makes a policy of a genome, (d,).
    margins
        Per cent, ascending.
    """
    violations: dict[int, Floats] = {}  # on each workload, of the policies that are needed, by their rows
    rows = []
    for margin in margins:
        best = int(study.fitness(values, margin).argmin())
        if best not in violations:
            violations[best] = check.violations(check.simulated(policy_of(genomes[best]))[None])[:, 0]
        reached = violations[best]
        rows.append(Candidate(margin, float(np.mean(reached == 0)), float(reached.mean())))
    return rows


def validation_tasks(
    whole: Sequence[Workload], wish: Wish, over: str, until: float | None, resample: int, seed: int
) -> tuple[Task, Task]:
    """Return the tasks on the first two thirds and on the last third of the training part, see `train`."""
    parts = whole if until is None else [split(workload, until)[0] for workload in whole]
    study, _ = tasks(parts, wish, over, STUDY_UNTIL, resample, 0.0, seed)
    rest = with_samples([split(part, STUDY_UNTIL)[1] for part in parts], resample, seed)
    return study, Task(wish, SUM, rest, parts, resample + 1)


def chosen(rows: Sequence[Candidate]) -> float:
    """Return the margin that is chosen of candidates with ascending margins, see the module.

    Examples
    --------
    >>> chosen([Candidate(0, 1, 0), Candidate(1, 0.8, 0.1), Candidate(2, 0.9, 0.1), Candidate(3, 1, 0)])
    2
    >>> chosen([Candidate(0, 0.5, 0.1), Candidate(1, 0.8, 0.2), Candidate(2, 0.8, 0.1)])
    2
    """
    for row, following in zip(rows, (*rows[1:], rows[-1]), strict=True):
        if row.kept >= KEPT and following.kept >= KEPT:
            return row.margin
    return min(rows, key=lambda row: (-row.kept, row.exceeded, row.margin)).margin
