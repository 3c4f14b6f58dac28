"""What a surrogate gains: hypervolume at equal numbers of simulations, with it and without; a part of `run.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from measuring import front_and_box, own_milliseconds, with_spread

import paretosched as ps
from paretosched.fronts.dominance import costs
from paretosched.fronts.quality_indicators import REACH, course
from paretosched.search.runs import read_values
from paretosched.search.settings import settle

Row = dict[str, str]
FILE = "surrogate.csv"
COLUMN = f"hypervolume {REACH}"
WITH = {"no": False, "yes": True}


def measures(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Search with every seed, with and without a surrogate, and yield a row for every run and every budget."""
    total = max(settings.BUDGETS)
    words: dict[str, Any] = {"population": settings.POPULATION, "algorithm": "archive"}
    runs: dict[tuple[str, int], Path] = {}
    for seed in seeds:
        for word, surrogate in WITH.items():
            run = runs[word, seed] = work / log / f"surrogate-{word}-{seed}"
            run.parent.mkdir(parents=True, exist_ok=True)
            ps.explore(workload, run, evaluations=total, seed=seed, surrogate=surrogate, **words)
            print(f"  {log} surrogate {word}, seed {seed}: {total:,}", flush=True)
    whole, box = front_and_box(workload, runs.values())
    for (word, seed), run in runs.items():
        values, seconds = read_values(run)
        found = course(values, whole.objectives, settings.BUDGETS, box, whole).hypervolume
        search = settle(workload, {}, seed=seed, surrogate=WITH[word], **words).start_search(None)
        own = own_milliseconds(search, costs(values, whole.objectives))
        for budget, hypervolume in zip(settings.BUDGETS, found.tolist(), strict=True):
            row = {"log": log, "jobs": len(workload), "surrogate": word, "seed": seed, "evaluations": budget}
            row |= {COLUMN: round(hypervolume, 5), "own ms": round(own, 3)}
            yield row | {"simulation ms": round(1000 * float(seconds.mean()), 3)}


def summary(results: Path) -> list[str]:
    """Return the part of the summary about the surrogate; nothing where it was not measured."""
    if not (results / FILE).exists():
        return []
    table = common.rows(results / FILE)
    logs, budgets = ([*dict.fromkeys(row[key] for row in table)] for key in ("log", "evaluations"))
    counts = sorted({len({row["seed"] for row in table if row["log"] == log}) for log in logs})
    seeds = " or ".join(map(str, counts))

    def values(log: str, word: str, budget: str, column: str = COLUMN) -> np.ndarray[Any, Any]:
        rows = [r for r in table if (r["log"], r["surrogate"], r["evaluations"]) == (log, word, budget)]
        return np.array([float(r[column]) for r in sorted(rows, key=lambda r: int(r["seed"]))])

    head = "| log | surrogate | " + " | ".join(f"{int(b):,}" for b in budgets) + " | own ms | ms a simulation |"
    lines = ["## Surrogate", "", head, "| --- | --- |" + " ---: |" * (len(budgets) + 2)]
    for log in logs:
        for word in WITH:
            cells = [values(log, word, budget) for budget in budgets]
            words = [with_spread(c) for c in cells]
            own, each = (values(log, word, budgets[-1], column).mean() for column in ("own ms", "simulation ms"))
            lines.append(f"| {log} | {word} | " + " | ".join(words) + f" | {own:.2f} | {each:.1f} |")
    gains = []
    for budget in budgets:
        gained = np.concatenate([values(log, "yes", budget) - values(log, "no", budget) for log in logs])
        gains.append(f"{gained.mean():+.3f} after {int(budget):,} (from {gained.min():+.3f} to {gained.max():+.3f})")
    chosen_on = [log for log in logs if log in settings.SURROGATE_CHOSEN_ON]
    about = (
        f"Hypervolume to {REACH} times EASY after so many simulations by `archive`, without `--surrogate` and with it, "
        "in a box from the best of these runs alone, so that the numbers are not those of the tables above; mean and "
        f"standard deviation of {seeds} seed{'s' * (counts[-1] != 1)} a log. Its constants were chosen on "
        f"{' and '.join(chosen_on) or 'other logs'}. Gained, in the mean of logs and seeds: {'; '.join(gains)}. *own*: "
        "processor time of the search alone, an evaluation; both times were taken while the machine was busy."
    )
    return [*lines, "", about, ""]
