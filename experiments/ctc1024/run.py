"""Run the settings and write the results to results/ctc1024; continues where it was stopped."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.tables import save_rows
from paretosched.search.exploration import Progress
from paretosched.search.runs import read_about


def baseline(log: ps.Workload, seeds: Sequence[int], processors: int, factor: float) -> list[dict[str, Any]]:
    """Return the number of jobs and EASY's objectives for each scaling seed."""
    rows = []
    for seed in seeds:
        workload = ps.scale(log, processors, factor, seed)
        values = ps.objectives(ps.simulate(workload, "easy").check())
        rows.append({"seed": seed, "jobs": len(workload), "digest": workload.digest, **values})
    return rows


def exploration(workload: ps.Workload, name: str, setting: dict[str, Any], work: Path) -> dict[str, Any]:
    """Explore a workload; return the size of the front and the times."""
    begin = time.perf_counter()

    def show(progress: Progress) -> None:
        if progress.generation % 20 == 0:
            print(f"  {name}: {progress.evaluations:,} of {progress.total:,}, front {progress.front:,}", flush=True)

    front = ps.explore(workload, work / name, progress=show, **setting)
    about = read_about(work / name)
    sessions = about["sessions"]
    return {
        "name": name,
        **setting,
        "front": len(front),
        # None if the work was done in several sessions
        "wall_seconds": sessions[0]["wall_seconds"] if sessions[0]["replayed"] == 0 and len(sessions) == 1 else None,
        "kernel_seconds": about["kernel_seconds"],
        "cores": os.cpu_count(),
        "digest": workload.digest,
        "measured_here": round(time.perf_counter() - begin, 1),
    }


def spans(name: str, work: Path) -> list[dict[str, Any]]:
    """Return the least and the largest value of every objective on a front."""
    front = ps.load_front(work / name)
    columns = zip(front.objectives, front.values.T, strict=True)
    return [
        {"name": name, "objective": o.name, "unit": o.unit, "low": float(values.min()), "high": float(values.max())}
        for o, values in columns
    ]


def main() -> None:
    """Run everything."""
    parser = common.run_parser("ctc1024", __doc__, "the built-in workload and few evaluations")
    common.add_work(parser, "ctc1024")
    options = common.options_of(parser)
    if options.quick:
        quick = settings.QUICK
        log = ps.lublin(jobs=quick["jobs"], processors=quick["processors"], seed=quick["seed"])
        processors, factor = 2 * quick["processors"], 2.0
        budget = {"evaluations": quick["evaluations"], "population": quick["population"]}
    else:
        log, processors, factor, budget = common.log_of("CTC"), common.PROCESSORS, common.factor_of("CTC"), {}
    print(f"{log.name}: {len(log):,} jobs", flush=True)
    save_rows(baseline(log, settings.SCALING_SEEDS, processors, factor), options.results / "baseline.csv")
    workload = ps.scale(log, processors, factor, settings.SCALING_SEEDS[0])
    rows = [
        exploration(workload, name, setting | budget, options.work) for name, setting in settings.EXPLORATIONS.items()
    ]
    save_rows(rows, options.results / "explorations.csv")
    save_rows([span for row in rows for span in spans(row["name"], options.work)], options.results / "spans.csv")
    comparison = ps.compare(workload, settings.MARKS, ps.load_front(options.work / "easy"))
    others = ("workload", "digest", "waits", "utilisation_over_time")  # no columns of this table
    lines = [{key: value for key, value in row.items() if key not in others} for row in comparison.rows()]
    save_rows(lines, options.results / "comparison.csv")
    provenance = {
        "quick": options.quick,
        "trace": log.name if options.quick else common.file_of("CTC"),
        "jobs_in_log": len(log),
        "processors": processors,
        "factor": factor,
        "scaling_seeds": settings.SCALING_SEEDS,
        "explorations": settings.EXPLORATIONS | ({"budget": budget} if budget else {}),
        "digest": workload.digest,
    }
    common.save_provenance(options.results, provenance, ("pymoo", "moocore"))


if __name__ == "__main__":
    main()
