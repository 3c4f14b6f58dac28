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
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Mask
from ..policies.policy import Policy
from ..search.resuming import Record
from ..workload.time_split import split
from ..workload.user_groups import by_earlier_consumption
from .margins import MARGINS
from .stages import Stages, run_folder
from .task import SUM, Data, Task, tasks, with_samples
from .training import Progress

STUDY_UNTIL = 2 / 3
KEPT = 0.9
RUNS = VALIDATION_RUN, _ = ("validation", "training")


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


class Learnt(NamedTuple):
    """A training that was carried out.

    Attributes
    ----------
    task, test
        What it was for, and what to test on.
    record
        What was tried.
    margins
        The margins that were considered; none if it was given.
    """

    task: Task
    test: Task | None
    record: Record
    margins: tuple[Candidate, ...]


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
            violations[best] = check.violations(check.values_of(policy_of(genomes[best]))[None])[:, 0]
        reached = violations[best]
        rows.append(Candidate(margin, float(np.mean(reached == 0)), float(reached.mean())))
    return rows


def learn(
    data: Data,
    run: Callable[[Task, Path | None, Callable[[Progress], object] | None], Record],
    policy_of: Callable[[Floats], Policy],
    *,
    counts: Callable[[Floats], Mask] | None = None,
    evaluations: int,
    place: Path | None,
    progress: Callable[[Progress], object] | None,
) -> Learnt:
    """Carry out a training; with the margin "auto" first a study that chooses one.

    Parameters
    ----------
    data
        What to learn from.
    run
        Carries out a training for a task in a run directory, with a function to report to.
    policy_of
        Makes a policy of a genome, (d,).
    counts
        Which genomes, (k, d), were tried on all jobs, (k,) bool; by default all.
    evaluations
        The evaluations of one training.
    place
        The run directory; with a study it holds two runs. None for none.
    progress
        As for `train`.
    """
    if not isinstance(data.margin, str):
        task, test = tasks(data, data.margin)
        return Learnt(task, test, run(task, place, progress), ())
    folders = [None if place is None else place / name for name in RUNS]
    with run_folder(place, RUNS, "a training with a validated margin"):
        stages = Stages(progress, evaluations)
        study, check = validation_tasks(data)
        studied = run(study, folders[0], stages.first)
        whole = slice(None) if counts is None else counts(studied.genomes)
        rows = candidates(study, check, studied.genomes[whole], studied.values[whole], policy_of)
        task, test = tasks(data, choose_margin(rows))
        return Learnt(task, test, run(task, folders[1], stages.second), tuple(rows))


def validation_tasks(data: Data) -> tuple[Task, Task]:
    """Return the tasks on the first two thirds and on the last third of the training part, with its groups."""
    parts = [w if data.until is None else by_earlier_consumption(*split(w, data.until))[0] for w in data.whole]
    halves = list(zip(*(split(part, STUDY_UNTIL) for part in parts), strict=True))
    first, last = (with_samples(half, data.resample, data.seed) for half in halves)
    study = Task(data.wish, data.over, first, parts, data.resample + 1)
    return study, Task(data.wish, SUM, last, parts, data.resample + 1)


def choose_margin(rows: Sequence[Candidate]) -> float:
    """Return the margin that is chosen of candidates with ascending margins, see the module.

    Examples
    --------
    >>> choose_margin([Candidate(0, 1, 0), Candidate(1, 0.8, 0.1), Candidate(2, 0.9, 0.1), Candidate(3, 1, 0)])
    2
    >>> choose_margin([Candidate(0, 0.5, 0.1), Candidate(1, 0.8, 0.2), Candidate(2, 0.8, 0.1)])
    2
    """
    for row, following in zip(rows, (*rows[1:], rows[-1]), strict=True):
        if row.kept >= KEPT and following.kept >= KEPT:
            return row.margin
    return min(rows, key=lambda row: (-row.kept, row.exceeded, row.margin)).margin
