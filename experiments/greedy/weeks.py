"""How certain the gains on later jobs are: intervals by a block bootstrap over the weeks that were not learnt from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import common
import numpy as np
import settings

import paretosched as ps
from paretosched.comparison.intervals import LEAST_WEEKS, intervals, week_sums
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import by_earlier_consumption


def measures(results: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each policy that was trained on the first part of a log its gains on the rest, with intervals."""
    for training in settings.TRAININGS:
        if training.part.startswith("rest-"):
            yield from _of_training(training, results, quick)


def _of_training(training: settings.Training, results: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield the rows of a training, one for each seed whose policy is there."""
    files = [results / "policies" / f"{training.file}-{seed}.json" for seed in training.seeds]
    if not any(file.exists() for file in files):
        return
    whole = common.workload(training.logs[0], settings.QUICK, quick)
    _, later = by_earlier_consumption(*split(whole, settings.TEST_SHARE))
    wish = ps.as_wish(settings.OBJECTIVE, later.groups)
    easy = week_sums(ps.simulate(later, "easy"))
    if len(easy.work) < LEAST_WEEKS:
        return
    for seed, file in zip(training.seeds, files, strict=True):
        if file.exists():
            schedule = ps.simulate(later, ps.load_policy(file))
            found = intervals([easy, week_sums(schedule)], wish)
            ends = {"objective": found.goal_gains[1], "AWRT": found.gains[1, 1]}
            yield {
                "training": training.name,
                "seed": seed,
                "weeks": found.weeks,
                "AWRT": float(ps.objectives(schedule)[1]),
                **{
                    f"{name}_{end}": None if np.isnan(value) else float(value)
                    for name, pair in ends.items()
                    for end, value in zip(("low", "high"), pair, strict=True)
                },
            }
