"""Longer searches: a table that grows seed by seed, in a box that stays as the first seeds have made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import common
import courses
import numpy as np
import settings
from measuring import box_of_times

import paretosched as ps
from paretosched.fronts.front import extremes, spread
from paretosched.fronts.front_files import load_front, save_front
from paretosched.fronts.quality_indicators import REACH

FOLDER = "long"  # of the fronts by which the runs of a log are measured


def rows_of(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int], results: Path) -> list[dict[str, Any]]:
    """Return the rows of a log: those of the table, and those of seeds that it lacks, with which is searched now.

    Rows of the table count only if the front by which they were measured is there, and of the same jobs; else they
    are of a quick run, or were measured otherwise.
    """
    file = results / FOLDER / f"{log}.parquet"
    earlier = load_front(file) if file.exists() else None
    earlier = earlier if earlier is not None and earlier.digest == workload.digest else None
    table = common.rows(results / settings.LONG_FILE) if earlier is not None else []
    rows: list[dict[str, Any]] = [{**row} for row in table if row["log"] == log]
    missing = [seed for seed in seeds if seed not in {int(row["seed"]) for row in rows}]
    if missing:
        whole = front_of_first(log, workload, work) if earlier is None else earlier
        runs = courses.runs_of(log, workload, work, missing, settings.LONG_BUDGETS)
        rows += courses.measures(log, workload, runs, settings.LONG_BUDGETS, whole)
        if earlier is None:  # not before its rows are known, or those of another front would count after a stop
            file.parent.mkdir(exist_ok=True)
            save_front(whole, file)
    return sorted(rows, key=lambda row: (int(row["seed"]), settings.ALGORITHMS.index(row["algorithm"])))


def front_of_first(log: str, workload: ps.Workload, work: Path) -> ps.Front:
    """Return the front by which the runs of a log are measured.

    It has the schedules of the first seeds that are best for each objective, and some that are spread over the front
    of them within `REACH` times EASY's response times.
    """
    first = courses.runs_of(log, workload, work, settings.LONG_FIRST, settings.LONG_BUDGETS)
    whole = ps.merge(list(first.values()))
    easy = np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    box = box_of_times(whole, easy, REACH)
    inside = (whole.values[:, 2:] < box.nadir).all(axis=1)
    best = [row for _, row in extremes(whole)]
    rows = np.union1d(spread(whole, settings.LONG_REFERENCE, inside), best)
    chosen = {name: getattr(whole, name)[rows] for name in ("values", "genomes", "origin", "evaluation")}
    return replace(whole, **chosen)
