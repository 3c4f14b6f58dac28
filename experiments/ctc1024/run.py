"""Run the settings and write what came out to results/ctc1024; continues where it was stopped."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import settings

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.core.tables import save_rows
from paretosched.search.exploration import Progress
from paretosched.search.runs import read_about

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def trace() -> ps.Workload:
    """Read the CTC log from PARETOSCHED_TRACES or ../shared/traces."""
    folder = Path(os.environ.get("PARETOSCHED_TRACES") or ROOT / ".." / "shared" / "traces")
    return ps.read_swf(folder / settings.TRACE, name="CTC")


def baseline(log: ps.Workload, seeds: Sequence[int], processors: int, factor: float) -> list[dict[str, Any]]:
    """Job count and EASY's objectives for each scaling seed."""
    rows = []
    for seed in seeds:
        workload = ps.scale(log, processors, factor, seed)
        values = ps.objectives(ps.simulate(workload, "easy").check())
        names = [o.name for o in ps.objective_table(workload.groups)]
        rows.append(
            {"seed": seed, "jobs": len(workload), "digest": workload.digest, **dict(zip(names, values, strict=True))}
        )
    return rows


def exploration(workload: ps.Workload, name: str, setting: dict[str, Any], work: Path) -> dict[str, Any]:
    """Explore, and report the size of the front and where the time went."""
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
        # of the first session that did all the work; None if it was done in several
        "wall_seconds": sessions[0]["wall_seconds"] if sessions[0]["replayed"] == 0 and len(sessions) == 1 else None,
        "kernel_seconds": about["kernel_seconds"],
        "cores": os.cpu_count(),
        "digest": workload.digest,
        "measured_here": round(time.perf_counter() - begin, 1),
    }


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the built-in workload and few evaluations")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where the run directories are kept")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "ctc1024", help="where the results go")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    if options.quick:
        quick = settings.QUICK
        log = ps.lublin(jobs=quick["jobs"], processors=quick["processors"], seed=quick["seed"])
        processors, factor = 2 * quick["processors"], 2.0
        budget = {"evaluations": quick["evaluations"], "population": quick["population"]}
    else:
        log, processors, factor, budget = trace(), settings.PROCESSORS, settings.FACTOR, {}
    print(f"{log.name}: {len(log):,} jobs", flush=True)
    save_rows(baseline(log, settings.SCALING_SEEDS, processors, factor), options.results / "baseline.csv")
    workload = ps.scale(log, processors, factor, settings.SCALING_SEEDS[0])
    explored = [
        exploration(workload, name, setting | budget, options.work) for name, setting in settings.EXPLORATIONS.items()
    ]
    save_rows(explored, options.results / "explorations.csv")
    comparison = ps.compare(workload, settings.MARKS, ps.load_front(options.work / "easy"))
    others = ("workload", "digest", "waits", "utilisation_over_time")  # no columns of this table
    lines = [{key: value for key, value in row.items() if key not in others} for row in comparison.rows()]
    save_rows(lines, options.results / "comparison.csv")
    provenance = {
        "quick": options.quick,
        "trace": log.name if options.quick else settings.TRACE,
        "jobs_in_log": len(log),
        "processors": processors,
        "factor": factor,
        "scaling_seeds": settings.SCALING_SEEDS,
        "explorations": settings.EXPLORATIONS | ({"budget": budget} if budget else {}),
        "digest": workload.digest,
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("paretosched", "numpy", "numba", "pymoo", "moocore")},
    }
    with replacing(options.results / "provenance.json") as temporary:
        temporary.write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
