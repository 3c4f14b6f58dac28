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
        first = settings.LONG_FIRST if earlier is None else ()
        runs = courses.runs_of(log, workload, work, sorted({*missing, *first}), settings.LONG_BUDGETS)
        whole = earlier or front_of([run for (_, seed), run in runs.items() if seed in first], workload)
        asked = {key: run for key, run in runs.items() if key[1] in missing}
        rows += courses.measures(log, workload, asked, settings.LONG_BUDGETS, whole)
        if earlier is None:  # not before its rows are known, or those of another front would count after a stop
            file.parent.mkdir(exist_ok=True)
            save_front(whole, file)
    return sorted(rows, key=lambda row: (int(row["seed"]), settings.ALGORITHMS.index(row["algorithm"])))


def front_of(first: Sequence[Path], workload: ps.Workload) -> ps.Front:
    """Return the front by which the runs of a log are measured, from the runs of the first seeds.

    It has their schedules that are best for each objective, and some that are spread over the front of them within
    `REACH` times EASY's response times.
    """
    whole = ps.merge(first)
    easy = np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    box = box_of_times(whole, easy, REACH)
    inside = (whole.values[:, 2:] < box.nadir).all(axis=1)
    best = [row for _, row in extremes(whole)]
    rows = np.union1d(spread(whole, settings.LONG_REFERENCE, inside), best)
    chosen = {name: getattr(whole, name)[rows] for name in ("values", "genomes", "origin", "evaluation")}
    return replace(whole, **chosen)
