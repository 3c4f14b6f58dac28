"""Choose the distance to the limits by jobs that were not learnt from: all of them within the training part.

The policies learn from the first two thirds of the time, once, without a margin. For each candidate the best policy of
this study that keeps this margin there is simulated on the last third, on each of its months alone, and on twenty
workloads that are resampled from it: other months and other users are what it will meet. The margin is the smallest one
whose policy keeps the limits on the last third, on nine of ten months and on nine of ten resampled workloads, and so
does that of the next larger candidate, so that it is not by luck. If there is none, it is the one that keeps them on
most, exceeds them least, and is the smallest.

Groups by consumption are those that are known where the last third begins, and users who are new there are in the last
one, as it will be with the jobs to come; unless a group of the goal then has no jobs before or after.

A study is cheaper than one training for each candidate, and errs on the safe side: its policies with larger margins are
not as good as if they had been trained with these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..core.arguments import as_path, whole_number
from ..core.arrays import Floats, Mask
from ..core.errors import InputError
from ..policies.policy import Policy
from ..search.resuming import Record
from ..search.runs import known_parameters
from ..wishes.wish import Wish
from ..workload.resampling import why_not_resampled
from ..workload.time_split import months, split
from ..workload.user_groups import by_earlier_consumption
from ..workload.workload import Workload
from .margins import KEPT, MARGINS
from .stages import Stages, run_folder
from .task import SUM, Data, Task, has_goal, samples_of, task_on, tasks
from .training import Progress

STUDY_UNTIL = 2 / 3
SAMPLES = 20  # that are resampled from the last third, if it is long enough for it and knows its users
RUNS = VALIDATION_RUN, _ = ("validation", "training")


class Candidate(NamedTuple):
    """A margin, and what its policy does on the jobs that were not learnt from.

    Attributes
    ----------
    margin
        Per cent.
    kept
        Share of the workloads on which the limits are kept: of the last thirds, of their months or of what is resampled
        from them, whichever is least.
    exceeded
        The mean violation of the limits on these, each of the three kinds alike.
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
    checks: Sequence[Task],
    genomes: Floats,
    values: Floats,
    policy_of: Callable[[Floats], Policy],
) -> list[Candidate]:
    """Return how the margins do.

    Parameters
    ----------
    study, checks
        The task on the first two thirds, and those on each kind of workload from the last third.
    genomes, values
        (k, d) and (k, W m), what was tried on the first two thirds.
    policy_of
        Makes a policy of a genome, (d,).
    """
    reached: dict[int, tuple[float, float]] = {}  # by the policies that are needed, by their rows
    rows = []
    for margin in MARGINS:
        best = int(study.fitness(values, margin).argmin())
        if best not in reached:
            policy = policy_of(genomes[best])
            violations = [check.violations(check.values_of(policy)[None])[:, 0] for check in checks]
            kept = min(float(np.mean(of_kind == 0)) for of_kind in violations)
            reached[best] = kept, float(np.mean([of_kind.mean() for of_kind in violations]))
        rows.append(Candidate(margin, *reached[best]))
    return rows


def learn(
    data: Data,
    run: Callable[[Task, Path | None, Callable[[Progress], object] | None], Record],
    policy_of: Callable[[Floats], Policy],
    *,
    counts: Callable[[Floats], Mask] | None = None,
    made: tuple[Task, Task | None] | None = None,
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
    made
        What `tasks` returns for the data, if it was needed before.
    evaluations
        The evaluations of one training.
    place
        The run directory; with a study it holds two runs. None for none.
    progress
        As for `train`.
    """
    task, test = made or tasks(data)
    if not isinstance(data.margin, str):
        task = task.with_margin(data.margin)
        return Learnt(task, test, run(task, place, progress), ())
    folders = [None if place is None else place / name for name in RUNS]
    with run_folder(place, RUNS, "a training with a validated margin"):
        stages = Stages(progress, evaluations)
        study, checks = validation_tasks(data)
        studied = run(study, folders[0], stages.first)
        whole = slice(None) if counts is None else counts(studied.genomes)
        rows = candidates(study, checks, studied.genomes[whole], studied.values[whole], policy_of)
        task = task.with_margin(choose_margin(rows))
        return Learnt(task, test, run(task, folders[1], stages.second), tuple(rows))


def validation_tasks(data: Data) -> tuple[Task, tuple[Task, ...]]:
    """Return the task on the first two thirds of the training part, and those of the validation, with its groups.

    These are on the last thirds, on their months, and on what is resampled from them: kinds that there are none of
    are left out, and months and samples in which a group of the goal has no jobs. A group without jobs in a last third
    has no part there.
    """
    parts = [w if data.until is None else by_earlier_consumption(*split(w, data.until))[0] for w in data.whole]
    first, last = (list(half) for half in zip(*(_halves(part, data.wish) for part in parts), strict=True))
    study = task_on(data, first, parts)
    resampled = [w for part in last if not why_not_resampled(part) for w in samples_of(part, SAMPLES, data.seed)]
    others = ([w for part in last for w in months(part)], resampled)
    kinds = [last, *([w for w in kind if has_goal(data.wish, w)] for kind in others)]
    return study, tuple(Task(data.wish, SUM, kind, parts, is_test=True) for kind in kinds if kind)


def _halves(part: Workload, wish: Wish) -> tuple[Workload, Workload]:
    """Return the first two thirds and the last third of a workload, in the groups that are known between them."""
    known = by_earlier_consumption(*split(part, STUDY_UNTIL))
    return known if all(has_goal(wish, half) for half in known) else split(part, STUDY_UNTIL)


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


def budget(
    task: str, name: str, asked: int | None, run_directory: str | PathLike[str] | None, otherwise: int, most: int
) -> int:
    """Return a number of a training, such as its "evaluations": as asked, else as of the run that is continued.

    Parameters
    ----------
    task
        What the training is called in its run; a run of another one says nothing of it.
    name, asked
        Of the argument, and its value; None if nothing is asked.
    run_directory
        Where the training is stored; None if nowhere.
    otherwise
        The number where nothing is asked, and no run is continued.
    most
        The largest number.

    Raises
    ------
    InputError
        It is not in 1..most.
    """
    number = otherwise if asked is None else asked
    if asked is None and run_directory is not None:
        place = as_path(run_directory)
        known = [known_parameters(run) for run in (place, place / VALIDATION_RUN)]
        numbers = [about.get(name) for about in known if about.get("task") == task]
        number = next((value for value in numbers if isinstance(value, int)), otherwise)
    number = whole_number(name, number)
    if not 1 <= number <= most:
        raise InputError(f"{name} must be in 1..{most}, but are {number}")
    return number
