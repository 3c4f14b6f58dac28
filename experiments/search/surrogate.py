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
from measuring import by_seed, front_and_box, own_milliseconds, with_spread

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.fronts.dominance import costs
from paretosched.fronts.quality_indicators import REACH, course
from paretosched.search.runs import read_values
from paretosched.search.settings import settle

Row = dict[str, str]
FILE, OF_PRIORITY = "surrogate.csv", "surrogate-priority.csv"
COLUMN = f"hypervolume {REACH}"
WITH = {"no": False, "yes": True}


def measures(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Search weightings with every seed, with and without a surrogate; yield a row for every run and every budget."""
    return _measures(log, workload, work, seeds, {"encoding": "weighting"}, settings.BUDGETS)


def measures_of_priority(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Do the same for trained orders, the encoding `priority`."""
    return _measures(log, workload, work / "priority", seeds, {"encoding": "priority"}, settings.PRIORITY_BUDGETS)


def _measures(
    log: str, workload: ps.Workload, work: Path, seeds: Sequence[int], about: dict[str, Any], budgets: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Yield a row for every run and every budget, of the parameters `about`."""
    total = max(budgets)
    words = about | {"population": settings.POPULATION, "algorithm": "archive"}
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
        found = course(values, whole.objectives, budgets, box, whole).hypervolume
        search = settle(workload, {}, seed=seed, surrogate=WITH[word], **words).start_search(None)
        own = own_milliseconds(search, costs(values, whole.objectives))
        for budget, hypervolume in zip(budgets, found.tolist(), strict=True):
            row = {"log": log, "jobs": len(workload), "surrogate": word, "seed": seed, "evaluations": budget}
            row |= {COLUMN: round(hypervolume, 5), "own ms": round(own, 3)}
            yield row | {"simulation ms": round(1000 * float(seconds.mean()), 3)}


def summary(results: Path) -> list[str]:
    """Return the part of the summary about the surrogate; nothing where it was not measured."""
    chosen_on = " and ".join(settings.SURROGATE_CHOSEN_ON)
    of_weightings = f"Its constants were chosen on {chosen_on}, with seeds 0 to 2."
    of_priority = "Formulas, as those of `train --class priority`; no constant of theirs was chosen on any log."
    return [
        *_section("Surrogate", common.rows(results / FILE), of_weightings, is_chosen=True),
        *_section("Surrogate of trained orders", common.rows(results / OF_PRIORITY), of_priority, is_chosen=False),
    ]


def _section(title: str, table: Sequence[Row], about_it: str, *, is_chosen: bool) -> list[str]:
    """Return a section of the summary, or nothing; `is_chosen`: constants were chosen on some of its logs."""
    if not table:
        return []
    logs, budgets = ([*dict.fromkeys(row[key] for row in table)] for key in ("log", "evaluations"))
    counts = sorted({len({row["seed"] for row in table if row["log"] == log}) for log in logs})
    seeds = " or ".join(map(str, counts))

    def values(log: str, word: str, budget: str, column: str = COLUMN) -> Floats:
        return by_seed(table, column, log=log, surrogate=word, evaluations=budget)

    head = "| log | surrogate | " + " | ".join(f"{int(b):,}" for b in budgets) + " | own ms | ms a simulation |"
    lines = [f"## {title}", "", head, "| --- | --- |" + " ---: |" * (len(budgets) + 2)]
    for log in logs:
        for word in WITH:
            cells = [values(log, word, budget) for budget in budgets]
            words = [with_spread(c) for c in cells]
            own, each = (values(log, word, budgets[-1], column).mean() for column in ("own ms", "simulation ms"))
            lines.append(f"| {log} | {word} | " + " | ".join(words) + f" | {own:.2f} | {each:.1f} |")
    others = [log for log in logs if log not in settings.SURROGATE_CHOSEN_ON]
    gains, elsewhere = [], []
    for budget in budgets:
        gained = {log: values(log, "yes", budget) - values(log, "no", budget) for log in logs}
        every = np.concatenate([*gained.values()])
        gains.append(f"{every.mean():+.3f} after {int(budget):,} (from {every.min():+.3f} to {every.max():+.3f})")
        elsewhere += [f"{np.mean([gained[log] for log in others]):+.3f}"] if others else []
    of_others = f"; on {' and '.join(others)} alone {', '.join(elsewhere)}" if is_chosen and others else ""
    about = (
        f"Hypervolume to {REACH} times EASY after so many simulations by `archive`, without `--surrogate` and with it, "
        "in a box from the best of these runs alone, so that the numbers are not those of the tables above; mean and "
        f"standard deviation of {seeds} seed{'s' * (counts[-1] != 1)} a log. {about_it} Gained, in the mean of logs "
        f"and seeds: {'; '.join(gains)}{of_others}. *own*: "
        "processor time of the search alone, an evaluation; both times were taken while the machine was busy."
    )
    return [*lines, "", about, ""]
