"""Search the front of schedules with several algorithms at equal effort; the results go to results/search.

A run that exists is not simulated again, so that logs and seeds can be added by later calls.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import bound
import common
import courses
import draw
import lag
import long
import offline
import settings
import surrogate

import paretosched as ps
from paretosched.core.tables import save_rows
from paretosched.fronts.quality_indicators import REACH


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
        for log in options.log or settings.LOGS:
            workload = part_of(log, options.quick)
            runs = courses.runs_of(log, workload, options.work, seeds_of(options, settings.SEEDS), settings.BUDGETS)
            rows = courses.measures(log, workload, runs, settings.BUDGETS, ps.merge(list(runs.values())))
            save_rows_of(log, rows, options.results / settings.FILE)
    for log in options.log or settings.LOGS if "long" in parts else ():
        seeds = seeds_of(options, settings.SEEDS)
        rows = long.rows_of(log, part_of(log, options.quick), options.work / "long", seeds, options.results)
        save_rows_of(log, rows, options.results / settings.LONG_FILE)
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


def save_rows_of(log: str, rows: Iterable[dict[str, Any]], file: Path) -> None:
    """Write the rows of a log into a table, behind those of the other logs."""
    save_rows([*(row for row in common.rows(file) if row["log"] != log), *rows], file)


if __name__ == "__main__":
    main()
