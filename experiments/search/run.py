"""Search the front of schedules with several algorithms at equal effort; the results go to results/search.

A run that exists is not simulated again, so that logs and seeds can be added by later calls.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import moocore
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import bound
import common
import draw
import lag
import offline
import settings
import surrogate
from measuring import box_of_times, own_milliseconds, random_wishes

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import save_rows
from paretosched.fronts.dominance import costs
from paretosched.fronts.quality_indicators import REACH, course, to_box
from paretosched.search.runs import read_values
from paretosched.search.settings import settle
from paretosched.simulation.objective import objective_table

Key = tuple[str, int]
"""An algorithm and a seed."""


def main() -> None:
    """Search on all logs, or on those of the options, and measure what is there."""
    everything = ("searches", "long", "draw", "lag", "offline", "surrogate", "surrogate-priority", "bound")
    parser = common.run_parser("search", __doc__, "a made-up log and few simulations", everything)
    parser.add_argument("--log", action="append", choices=settings.LOGS, help="may be given again; default: all")
    parser.add_argument("--seeds", type=int, help="how many, from 0; default: those of settings.py")
    common.add_work(parser, "search")
    options = parser.parse_args()
    if options.quick:
        for key, value in settings.QUICK.items():
            setattr(settings, key, value)
    options.results.mkdir(parents=True, exist_ok=True)
    parts = options.part or everything
    in_parts = (
        ("draw", draw.measures, draw.FILE, settings.DRAW_LOGS),
        ("lag", lag.measures, lag.FILE, settings.LAG_LOGS),
        ("offline", offline.measures, offline.FILE, settings.OFFLINE_LOGS),
        ("surrogate", surrogate.measures, surrogate.FILE, settings.SURROGATE_LOGS),
        ("surrogate-priority", surrogate.measures_of_priority, surrogate.OF_PRIORITY, settings.SURROGATE_LOGS),
    )
    for name, measures_of, file, logs in in_parts:
        for log in [log for log in logs if name in parts and log in (options.log or settings.LOGS)]:
            seeds = seeds_of(options, settings.OTHER_SEEDS)
            rows = measures_of(log, part_of(log, options.quick), options.work, seeds)
            save_rows_of(log, rows, options.results / file)
    if "searches" in parts:
        compare(options, settings.FILE, settings.BUDGETS, seeds_of(options, settings.SEEDS), options.work)
    if "long" in parts:
        seeds = seeds_of(options, settings.LONG_SEEDS)
        compare(options, settings.LONG_FILE, settings.LONG_BUDGETS, seeds, options.work / "long")
    for log in options.log or settings.LOGS if "bound" in parts else ():
        save_rows_of(log, [bound.measure(log, part_of(log, options.quick))], options.results / bound.FILE)
    note: dict[str, Any] = {"quick": options.quick, "population": settings.POPULATION, "reaches": settings.REACHES}
    note |= {"reach": REACH, "wishes": settings.WISHES, "shares": settings.LOGS}
    common.save_provenance(options.results, note, ("moocore", "pymoo"))


def part_of(log: str, quick: bool) -> ps.Workload:
    """Return the first part of a log, as it was recorded."""
    return common.stand_in(log, settings.QUICK_SIZE) if quick else ps.split(common.log_of(log), settings.LOGS[log])[0]


def seeds_of(options: argparse.Namespace, default: int) -> range:
    """Return the seeds of the options, or so many."""
    return range(default if options.seeds is None else options.seeds)


def compare(options: argparse.Namespace, file: str, budgets: Sequence[int], seeds: Sequence[int], work: Path) -> None:
    """Search with all algorithms and seeds on the logs of the options; the rows replace those of these logs."""
    for log in options.log or settings.LOGS:
        workload = part_of(log, options.quick)
        runs = {
            (algorithm, seed): search(workload, work / log / f"{algorithm}-{seed}", algorithm, seed, max(budgets))
            for seed in seeds
            for algorithm in settings.ALGORITHMS
        }
        save_rows_of(log, measures(log, workload, runs, budgets), options.results / file)


def save_rows_of(log: str, rows: Iterable[dict[str, Any]], file: Path) -> None:
    """Write the rows of a log into a table, behind those of the other logs."""
    save_rows([*(row for row in common.rows(file) if row["log"] != log), *rows], file)


def search(workload: ps.Workload, run: Path, algorithm: str, seed: int, total: int) -> Path:
    """Return the directory of a run of so many evaluations, which is made or continued."""
    run.parent.mkdir(parents=True, exist_ok=True)
    ps.explore(workload, run, evaluations=total, population=settings.POPULATION, seed=seed, algorithm=algorithm)
    print(f"  {run.parent.name} {run.name}: {total:,}", flush=True)
    return run


def measures(
    log: str, workload: ps.Workload, runs: dict[Key, Path], budgets: Sequence[int]
) -> Iterator[dict[str, Any]]:
    """Yield a row for every run and budget: what of the owner's box it has found, and what it took by itself."""
    table, easy = objective_table(workload.groups), np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    whole = ps.merge(list(runs.values()))
    boxes = {reach: box_of_times(whole, easy, reach) for reach in settings.REACHES}
    box = boxes[REACH]
    reference = to_box(whole.values, table, box)
    reference = reference[(reference < box.edge).all(axis=1)]
    wishes = random_wishes(workload)
    for (algorithm, seed), run in runs.items():
        values, _ = read_values(run)
        about = settle(workload, {}, seed=seed, population=settings.POPULATION, algorithm=algorithm)
        own = own_milliseconds(about.start_search(None), costs(values, table))
        courses = {reach: course(values, table, budgets, boxes[reach], whole) for reach in settings.REACHES}
        for k, budget in enumerate(budgets):
            first = values[:budget]
            row = {"log": log, "jobs": len(workload), "algorithm": algorithm, "seed": seed, "evaluations": budget}
            row |= {f"hypervolume {reach}": round(courses[reach].hypervolume[k], 5) for reach in settings.REACHES}
            distances = courses[REACH].igd_plus
            assert distances is not None  # noqa: S101  # there is a reference
            row["igd_plus"] = round(float(distances[k]), 5)
            row["epsilon"] = round(float(moocore.epsilon_additive(to_box(first, table, box), ref=reference)), 5)
            row["wish gain %"] = round(100 * wish_gain(first[:, 2:], easy[2:], wishes), 3)
            row["own ms"] = round(own, 3)
            yield row


def wish_gain(times: Floats, easy: Floats, wishes: Floats) -> float:
    """Return the mean over wishes of what the best schedule within the box gains over EASY, as a share."""
    inside = np.concatenate([times[(times <= REACH * easy).all(axis=1)], easy[None]])
    return float(np.mean(1 - (wishes @ inside.T).min(axis=1) / (wishes @ easy)))


if __name__ == "__main__":
    main()
