"""What a lag costs: hypervolume at equal numbers of simulations, with fixed lags; a part of `run.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from measuring import by_seed, front_and_box, with_spread

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.fronts.quality_indicators import REACH, course
from paretosched.search.runs import read_values

Row = dict[str, str]
FILE = "lags.csv"
COLUMN = f"hypervolume {REACH}"


def measures(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Search with every lag and seed, and yield a row for every one and every budget."""
    total = max(settings.BUDGETS)
    runs: dict[tuple[int, int], Path] = {}
    for seed in seeds:
        for lag in settings.LAGS:
            run = runs[lag, seed] = work / log / f"lag-{lag}-{seed}"
            run.parent.mkdir(parents=True, exist_ok=True)
            ps.explore(workload, run, evaluations=total, seed=seed, algorithm="archive", lag=lag)
            print(f"  {log} lag {lag}, seed {seed}: {total:,}", flush=True)
    whole, box = front_and_box(workload, runs.values())
    for (lag, seed), run in runs.items():
        values, _ = read_values(run)
        found = course(values, whole.objectives, settings.BUDGETS, box, whole).hypervolume
        for budget, hypervolume in zip(settings.BUDGETS, found.tolist(), strict=True):
            row = {"log": log, "jobs": len(workload), "lag": lag, "seed": seed, "evaluations": budget}
            yield row | {COLUMN: round(hypervolume, 5)}


def summary(results: Path) -> list[str]:
    """Return the part of the summary about lags."""
    if not (results / FILE).exists():
        return ["## Lag", "", *common.not_run("lag")]
    table = common.rows(results / FILE)
    logs, lags, budgets = ([*dict.fromkeys(row[key] for row in table)] for key in ("log", "lag", "evaluations"))
    seeds = len({row["seed"] for row in table})

    def values(log: str, lag: str, budget: str) -> Floats:
        return by_seed(table, COLUMN, log=log, lag=lag, evaluations=budget)

    lines = ["## Lag", "", "| log | lag | " + " | ".join(f"{int(b):,}" for b in budgets) + " |"]
    lines += ["| --- | ---: |" + " ---: |" * len(budgets)]
    for log in logs:
        for lag in lags:
            cells = [values(log, lag, budget) for budget in budgets]
            words = [with_spread(c) for c in cells]
            lines.append(f"| {log} | {int(lag):,} | " + " | ".join(words) + " |")
    first, last = lags[0], lags[-1]
    losses = []
    for budget in budgets:
        lost = np.concatenate([values(log, first, budget) - values(log, last, budget) for log in logs])
        losses.append(f"{lost.mean():+.3f} after {int(budget):,} (from {lost.min():+.3f} to {lost.max():+.3f})")
    about = (
        f"Hypervolume to {REACH} times EASY after so many simulations by `archive`, in a box from the best of these "
        "runs alone, so that the numbers are not those of the tables above; mean and standard deviation of "
        f"{seeds} seeds. With lag L, schedule k depends on the results of the schedules 0 .. k - L only, so the first "
        f"L are drawn and not bred. Lost by a lag of {int(last):,} instead of {int(first):,}, in the mean of logs and "
        f"seeds: {'; '.join(losses)}."
    )
    return [*lines, "", about, ""]
