"""What is proved to be the most that any schedule within the owner's box gains in random wishes; a part of `run.py`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from measuring import random_wishes

import paretosched as ps
from paretosched.fronts.quality_indicators import REACH
from paretosched.wishes.best_possible import best_possible, most_gain
from paretosched.wishes.wish import Limit, Wish, goal

FILE = "bound.csv"
COLUMN = "at most %"


def measure(log: str, workload: ps.Workload) -> dict[str, Any]:
    """Return what the wishes of a log gain over EASY at most, in their mean, with the limits of the box."""
    easy = np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    names = [f"AWRT{i + 1}" for i in range(len(workload.groups))]
    limits = [Limit(name, high=REACH * x) for name, x in zip(names, easy[2:].tolist(), strict=True)]
    gains = []
    for weights in random_wishes(workload).tolist():
        wish = Wish(weights=list(zip(names, weights, strict=True)), limits=limits)
        most = most_gain(best_possible(wish, workload), wish, float(goal(wish, easy[None])[0]))
        assert most is not None  # noqa: S101  # EASY is within the box
        gains.append(most)
    print(f"  {log}: at most {np.mean(gains):.3f} %", flush=True)
    return {"log": log, "jobs": len(workload), "wishes": len(gains), COLUMN: round(float(np.mean(gains)), 3)}


def at_most(results: Path) -> dict[str, float]:
    """Return the most that any schedule can gain in the wishes of each log, per cent; of logs that were measured."""
    return {row["log"]: float(row[COLUMN]) for row in common.rows(results / FILE)}


def summary(table: Sequence[Mapping[str, str]], algorithms: Sequence[str], results: Path) -> list[str]:
    """Return the part of the summary that sets the gains of random wishes against what is proved possible."""
    most = at_most(results)
    if not most:
        return ["## Wishes, and what is possible", "", *common.not_run("bound")]
    many = max(int(row["evaluations"]) for row in table)
    lines = ["## Wishes, and what is possible", "", f"| log | {' | '.join(algorithms)} | proved possible at most |"]
    lines += ["| --- |" + " ---: |" * (len(algorithms) + 1)]
    for log in [log for log in settings.LOGS if log in most and any(row["log"] == log for row in table)]:
        mine = [row for row in table if row["log"] == log and int(row["evaluations"]) == many]
        gains = [[float(row["wish gain %"]) for row in mine if row["algorithm"] == name] for name in algorithms]
        cells = [*(f"{np.mean(of_one):.2f}" for of_one in gains), common.at_most(most[log], 2)]
        lines.append(f"| {log} | {' | '.join(cells)} |")
    about = (
        f"Per cent below EASY in the mean of {settings.WISHES} random wishes: the best schedule after {many:,} "
        f"simulations, mean over seeds, and what no schedule with all AWRT_i up to {REACH} times EASY's can exceed, "
        "also one that knows the future (`best_possible`, see [results/bounds](../bounds/summary.md))."
    )
    return [*lines, "", about, ""]
