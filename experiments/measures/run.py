"""Search and train for waits and slowdowns in place of AWRT; the results go to results/measures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.tables import save_rows
from paretosched.fronts.quality_indicators import indicators
from paretosched.simulation.simulator import simulate
from paretosched.workload.measures import with_objectives

PARTS = ("opposed", "searches", "training")


def main() -> None:
    """Run the parts that are asked for."""
    parser = common.run_parser("measures", __doc__, "made-up workloads", PARTS)
    common.add_work(parser, "measures")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    parts = {
        "opposed": lambda: policies_by_measures(options.quick),
        "searches": lambda: searches(options.work, options.quick),
        "training": lambda: training(options.work, options.quick),
    }
    for name in options.part or PARTS:
        rows: list[dict[str, Any]] = []
        for row in parts[name]():
            rows.append(row)
            save_rows(rows, options.results / f"{name}.csv")
        done = sorted({*common.earlier_parts(options.results), name}, key=PARTS.index)
        common.save_provenance(options.results, {"quick": options.quick, "parts": done})


def workload(log: str, quick: bool) -> ps.Workload:
    """Return a log as it is, not scaled; if `quick`, a small made-up one."""
    if quick:
        return common.stand_in(log if log in common.LOGS else "CTC", settings.QUICK).with_(name=log)
    if log in common.LOGS:
        return common.log_of(log)
    return ps.read_swf(common.modern_file(settings.LUBLIN), name=log)


def policies_by_measures(quick: bool) -> Iterator[dict[str, Any]]:
    """Yield what policies reach in AWRT and in measures."""
    for log in common.LOGS:
        w = workload(log, quick)
        for policy in settings.POLICIES:
            values = ps.objectives(simulate(w, policy), measures=settings.MEASURES)
            yield {"log": log, "policy": policy} | {name: values[name] for name in ("AWRT", *settings.MEASURES)}


def searches(work: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield how much of one box each search finds; the box of a log is that of all its searches together."""
    evaluations, seeds = (
        (settings.QUICK_EVALUATIONS, settings.QUICK_SEEDS) if quick else (settings.EVALUATIONS, settings.SEEDS)
    )
    for log in settings.SEARCHED:
        w = with_objectives(workload(log, quick), settings.OBJECTIVES)
        fronts = {}
        for seed in range(seeds):
            for name, words in settings.SEARCHES.items():
                place = work / f"{log} {name} {seed}".replace(" ", "-").lower()
                place.parent.mkdir(parents=True, exist_ok=True)
                population = 20 if quick else None
                fronts[name, seed] = ps.explore(
                    w, place, evaluations=evaluations, seed=seed, population=population, **words
                )
                print(f"{log}: {name}, seed {seed}", flush=True)
        easy = ps.objectives(simulate(w, "easy"), util_from="submission").array
        told = indicators(ps.merge(list(fronts.values())), list(fronts.values()), easy)
        for (name, seed), row in zip(fronts, told["inputs"], strict=True):
            kept = {key: row[key] for key in ("evaluations", "size", "hypervolume")}
            yield {"log": log, "search": name, "seed": seed, **kept}


def training(work: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield what training for the mean slowdown gains on the first part of a log, and on the rest."""
    for log in common.LOGS:
        w = workload(log, quick)
        place = work / f"training-{log}".lower()
        place.parent.mkdir(parents=True, exist_ok=True)
        evaluations = settings.QUICK_TRAINING if quick else settings.TRAINING
        trained = ps.train_priority(
            w, "mean slowdown", until=settings.UNTIL, evaluations=evaluations, run_directory=place
        )
        easy, *systems = trained.rows()
        best, untrained = systems[trained.best], systems[-1]  # the last one is the best of those that have a name
        print(f"{log}: {best['system']}", flush=True)
        for what, row in (("EASY", easy), ("untrained", untrained), ("trained", best)):
            yield {"log": log, "of": what, "system": row["system"]} | {
                key: row[key] for key in ("objective", "rest_objective")
            }


if __name__ == "__main__":
    main()
