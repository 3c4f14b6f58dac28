"""Runs of all algorithms, and how much of the owner's box each has found after some evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import moocore
import numpy as np
import settings
from measuring import box_of_times, own_milliseconds, random_wishes

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.fronts.dominance import costs
from paretosched.fronts.quality_indicators import REACH, course, to_box
from paretosched.search.runs import read_values
from paretosched.search.settings import settle
from paretosched.simulation.objective import objective_table

Key = tuple[str, int]
"""An algorithm and a seed."""


def search(workload: ps.Workload, run: Path, algorithm: str, seed: int, total: int) -> Path:
    """Return the directory of a run of so many evaluations, which is made or continued."""
    run.parent.mkdir(parents=True, exist_ok=True)
    ps.explore(workload, run, evaluations=total, population=settings.POPULATION, seed=seed, algorithm=algorithm)
    print(f"  {run.parent.name} {run.name}: {total:,}", flush=True)
    return run


def runs_of(
    log: str, workload: ps.Workload, work: Path, seeds: Iterable[int], budgets: Sequence[int]
) -> dict[Key, Path]:
    """Return the directories of the runs of all algorithms with some seeds, which are made or continued."""
    return {
        (algorithm, seed): search(workload, work / log / f"{algorithm}-{seed}", algorithm, seed, max(budgets))
        for seed in seeds
        for algorithm in settings.ALGORITHMS
    }


def measures(
    log: str, workload: ps.Workload, runs: Mapping[Key, Path], budgets: Sequence[int], whole: ps.Front
) -> Iterator[dict[str, Any]]:
    """Yield a row for every run and budget: what of the owner's box it has found, and what it took by itself.

    The box begins at the best of a front, to which IGD+ and epsilon are distances, too. What is better than the begin
    of the box, of which a run may know that the front does not, counts as the begin.
    """
    table, easy = objective_table(workload.groups), np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    boxes = {reach: box_of_times(whole, easy, reach) for reach in settings.REACHES}
    box = boxes[REACH]
    reference = to_box(whole.values, table, box)
    reference = reference[(reference < box.edge).all(axis=1)]
    wishes = random_wishes(workload)
    for (algorithm, seed), run in runs.items():
        values, _ = read_values(run)
        clipped = values.copy()
        clipped[:, 2:] = np.maximum(values[:, 2:], box.ideal)
        about = settle(workload, {}, seed=seed, population=settings.POPULATION, algorithm=algorithm)
        own = own_milliseconds(about.start_search(None), costs(values, table))
        by_reach = {reach: course(clipped, table, budgets, boxes[reach], whole) for reach in settings.REACHES}
        for k, budget in enumerate(budgets):
            row = {"log": log, "jobs": len(workload), "algorithm": algorithm, "seed": seed, "evaluations": budget}
            row |= {f"hypervolume {reach}": round(by_reach[reach].hypervolume[k], 5) for reach in settings.REACHES}
            distances = by_reach[REACH].igd_plus
            assert distances is not None  # noqa: S101  # there is a reference
            row["igd_plus"] = round(float(distances[k]), 5)
            places = to_box(clipped[:budget], table, box)
            row["epsilon"] = round(float(moocore.epsilon_additive(places, ref=reference)), 5)
            row["wish gain %"] = round(100 * wish_gain(values[:budget, 2:], easy[2:], wishes), 3)
            row["own ms"] = round(own, 3)
            yield row


def wish_gain(times: Floats, easy: Floats, wishes: Floats) -> float:
    """Return the mean over wishes of what the best schedule within the box gains over EASY, as a share."""
    inside = np.concatenate([times[(times <= REACH * easy).all(axis=1)], easy[None]])
    return float(np.mean(1 - (wishes @ inside.T).min(axis=1) / (wishes @ easy)))
