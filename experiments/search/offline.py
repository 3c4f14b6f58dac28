"""What finds most of the owner's box offline, that is, when the future is known; a part of `run.py`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from measuring import front_and_box, with_spread

import paretosched as ps
from paretosched.fronts.quality_indicators import REACH, course
from paretosched.search.runs import read_values

Row = dict[str, str]
FILE = "offline.csv"
COLUMN = f"hypervolume {REACH}"
DEFAULT, BEFORE, MEMBERS = "pulls, archive", "swaps from the order of submission, NSGA-II", "members"
BEGUN = (DEFAULT, "pulls, NSGA-II", MEMBERS)  # with the front of weightings, whose cost is theirs, too


def measures(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Search in every way and with every seed, and yield a row for every one and every budget."""
    total = max(settings.OFFLINE_BUDGETS)
    runs: dict[tuple[str, int], Path] = {}
    for seed in seeds:
        place = work / log / f"offline-{seed}"
        place.mkdir(parents=True, exist_ok=True)
        for way, words in _ways(place / "archive" / "weightings").items():
            runs[way, seed] = run = place / str(words.pop("name"))
            ps.explore(workload, run, seed=seed, population=settings.POPULATION, **({"evaluations": total} | words))
            print(f"  {log}, {way}, seed {seed}", flush=True)
    first = [run / "weightings" for (way, _), run in runs.items() if way == DEFAULT]
    whole, box = front_and_box(workload, [*runs.values(), *first])
    for (way, seed), run in runs.items():
        values, seconds = read_values(run)
        before, spent = values[:0], 0.0
        if way in BEGUN:
            before, of_weightings = read_values(runs[DEFAULT, seed] / "weightings")
            spent = float(of_weightings.sum())
        budgets = sorted({min(budget, len(values)) for budget in settings.OFFLINE_BUDGETS})
        at = [len(before) + budget for budget in budgets]
        found = course(np.concatenate([before, values]), whole.objectives, at, box, whole).hypervolume
        for budget, hypervolume in zip(budgets, found.tolist(), strict=True):
            row = {"log": log, "jobs": len(workload), "way": way, "seed": seed, "evaluations": budget}
            row |= {"weightings before": len(before), "CPU s": round(spent + float(seconds[:budget].sum()), 2)}
            yield row | {COLUMN: round(hypervolume, 5)}


def _ways(weightings: Path) -> dict[str, dict[str, Any]]:
    """Return how the schedules are searched, by name; the default comes first, as the others begin with its front."""
    start, sequence = [str(weightings)], {"encoding": "sequence"}
    strict = {"decoding": "strict", "moves": "swap", "start": ["submit"]}
    return {
        DEFAULT: {"name": "archive", **sequence},
        "pulls, NSGA-II": {"name": "nsga2", **sequence, "algorithm": "nsga2", "start": start},
        MEMBERS: {"name": "members", **sequence, "algorithm": "all", "start": start, "evaluations": None},
        "weightings by earliest fit, archive": {"name": "earliest", "decoding": "earliest"},
        BEFORE: {"name": "submit", **sequence, "algorithm": "nsga2", **strict},
    }


def summary(results: Path) -> list[str]:
    """Return the part of the summary about offline searches."""
    if not (results / FILE).exists():
        return ["## Offline", "", *common.not_run("offline")]
    table = common.rows(results / FILE)
    logs, ways = ([*dict.fromkeys(row[key] for row in table)] for key in ("log", "way"))
    budgets = sorted({int(row["evaluations"]) for row in table if row["way"] == DEFAULT})
    seeds = sorted({int(row["seed"]) for row in table})

    def values(log: str, way: str, column: str, budget: int) -> np.ndarray[Any, Any]:
        found = []
        of_way = [row for row in table if (row["log"], row["way"]) == (log, way)]
        for seed in sorted({int(row["seed"]) for row in of_way}):
            rows = [row for row in of_way if row["seed"] == str(seed)]
            rows = [row for row in rows if int(row["evaluations"]) <= budget]  # there are less members than that
            found.append(float(max(rows, key=lambda row: int(row["evaluations"]))[column]))
        return np.array(found)

    lines = ["## Offline", "", "| log | search | " + " | ".join(f"{b:,}" for b in budgets) + " | CPU s |"]
    lines += ["| --- | --- |" + " ---: |" * (len(budgets) + 1)]
    for log in logs:
        for way in ways:
            cells = [with_spread(values(log, way, COLUMN, budget)) for budget in budgets]
            seconds = values(log, way, "CPU s", budgets[-1]).mean()
            lines.append(f"| {log} | {way} | {' | '.join(cells)} | {seconds:.0f} |")
    most = budgets[-1]
    others = [way for way in ways if way != DEFAULT]
    behind = [
        max(values(log, way, COLUMN, most).mean() for way in others) - values(log, DEFAULT, COLUMN, most).mean()
        for log in logs
    ]
    gains = [values(log, DEFAULT, COLUMN, most).mean() - values(log, MEMBERS, COLUMN, most).mean() for log in logs]
    about = (
        "Schedules that know the future: hypervolume to "
        f"{REACH} times EASY after so many schedules, seeds {', '.join(map(str, seeds))}, in a box from the best of "
        "these runs alone, so that the numbers are not those of the tables above. *Pulls* are sequences by earliest "
        f"fit that begin with the front of {int(table[0]['weightings before']):,} weightings, which come on top; "
        "*members* are all of that front by earliest fit, and no more. CPU seconds are those of all "
        "simulations, weightings included, of a "
        f"busy machine. `{DEFAULT}`, the default of `--encoding sequence`, has the largest hypervolume after "
        f"{most:,} on {sum(x < 0 for x in behind)} of {len(logs)} logs, and on no log less than the largest by more "
        f"than {max(0.0, *behind):.3f}; beyond the members it gains {min(gains):+.3f} to {max(gains):+.3f}."
    )
    return [*lines, "", about, ""]
