"""Simulate SCOJO-PECT in all its forms, and write what came out to results/groupopt."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.tables import save_rows
from paretosched.policies.policy import save_policy
from paretosched.policies.policy_json import to_json
from paretosched.policies.time_sharing import Optimisation, TimeSharing
from paretosched.simulation.service import by_class

PARTS = ("systems", "sizes", "open", "objectives")


def main() -> None:
    """Run everything, or the parts that were asked for."""
    options = common.run_parser("groupopt", __doc__, "a few small workloads: a test of the path", PARTS).parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    made = {name: (part, w) for part, name, w in workloads(options.quick)}
    first = next(iter(made.values()))[1]
    parts = options.part or PARTS
    if "systems" in parts:
        all_systems(made, options.results)
    if "sizes" in parts:
        save_rows([*sizes(first)], options.results / "sizes.csv")
    if "open" in parts:
        save_rows([*left_open(first)], options.results / "open.csv")
    if "objectives" in parts:
        objectives(made, options)
    note = {"quick": options.quick, "cores": os.cpu_count(), "training": settings.TRAINING}
    note["systems"] = {name: to_json(s) for name, s in settings.SYSTEMS.items()}
    note["workloads"] = {name: {"jobs": len(w), "digest": w.digest} for name, (_, w) in made.items()}
    common.save_provenance(options.results, note, ("cma",))


def all_systems(made: dict[str, tuple[str, ps.Workload]], results: Path) -> None:
    """Simulate every system on every workload."""
    characteristics, systems, groups = [], [], []
    for name, (part, workload) in made.items():
        characteristics.append({"part": part, "workload": name} | characteristic(workload))
        for system, sharing in settings.SYSTEMS.items():
            rows, counts = measured(workload, sharing)
            about = {"part": part, "workload": name, "system": system}
            systems += [about | row for row in rows]
            groups.append(about | counts)
        print(f"  {name}", flush=True)
    save_rows(characteristics, results / "workloads.csv")
    save_rows(systems, results / "systems.csv")
    save_rows(groups, results / "groups.csv")


def workloads(quick: bool) -> Iterator[tuple[str, str, ps.Workload]]:
    """Give part, name and workload: the five seeds, with and without carry, LANL, and those for the spread."""
    size = settings.QUICK
    jobs, processors = (size["jobs"], size["processors"]) if quick else (settings.JOBS, settings.PROCESSORS)
    for part, carry in settings.CARRIES.items():
        for seed in settings.SEEDS[: size["seeds"] if quick else None]:
            name = f"seed {seed}{part}"
            yield f"paper{part}", name, ps.lublin(jobs=jobs, processors=processors, seed=seed, carry=carry)
    if not quick:
        yield "LANL", "LANL", common.recorded("LANL").take(np.arange(settings.LANL_JOBS))
    for seed in settings.SPREAD[: size["spread"] if quick else None]:
        yield "spread", f"spread {seed}", ps.lublin(jobs=jobs, processors=processors, seed=seed, carry=False)


def characteristic(workload: ps.Workload) -> dict[str, float]:
    """Measure what Table 5 shows, and the offered load."""
    w = workload
    rows = {row.kind: row for row in by_class(ps.simulate(w, "fcfs")) if row.size == "all"}
    found: dict[str, float] = {}
    kind = np.searchsorted([settings.PLAIN.medium_from, settings.PLAIN.long_from], w.run, side="right")
    for k, name in enumerate(("short", "medium", "long")):
        found |= {f"jobs_{name}": 100 * rows[name].jobs / len(w), f"work_{name}": rows[name].work_percent}
        found[f"size_{name}"] = float(w.width[kind == k].mean()) if rows[name].jobs else float("nan")
    found["interarrival"] = float(np.diff(w.submit).mean())
    found["load"] = w.work / (w.capacity * float(w.submit[-1] - w.submit[0]))
    return found


def measured(workload: ps.Workload, sharing: TimeSharing) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Simulate; give the rows of all classes and sizes, and what was searched."""
    begin = time.process_time()
    schedule = ps.simulate(workload, sharing)
    seconds = time.process_time() - begin
    schedule.check()
    rows = [row._asdict() for row in by_class(schedule, sharing)]
    counts: dict[str, Any] = {"cpu_seconds": round(seconds, 3)}
    if schedule.searched is not None:
        for key, value in schedule.searched._asdict().items():
            counts |= dict(zip((f"{key}_1", f"{key}_2"), value, strict=True))
    return rows, counts


def sizes(workload: ps.Workload) -> Iterator[dict[str, Any]]:
    """Vary the largest groups of medium and long jobs: Figure 15."""
    own = Optimisation()
    for medium in settings.GROUP_SIZES:
        for long in settings.GROUP_SIZES:
            made = own._replace(medium=own.medium._replace(most=medium), long=own.long._replace(most=long))
            yield {"medium": medium, "long": long} | slowdowns(workload, TimeSharing(optimisation=made))


def left_open(workload: ps.Workload) -> Iterator[dict[str, Any]]:
    """Vary what the paper leaves open, with the optimisation and, where that has a meaning, without."""
    yield {"changed": "nothing"} | slowdowns(workload, settings.OPTIMISED, settings.PLAIN)
    own = {field.name for field in fields(TimeSharing)}
    for name, change in settings.OPEN.items():
        outer = {key: value for key, value in change.items() if key in own}
        inner = Optimisation()._replace(**{key: value for key, value in change.items() if key not in outer})
        plain = TimeSharing(**outer)
        yield {"changed": name} | slowdowns(workload, replace(plain, optimisation=inner), plain)


def slowdowns(workload: ps.Workload, sharing: TimeSharing, plain: TimeSharing | None = None) -> dict[str, Any]:
    """Give mean slowdowns of medium and long jobs, response and wait of all; with gains over `plain`, per cent."""

    def of(chosen: TimeSharing) -> dict[str, float]:
        rows = {row["kind"]: row for row in measured(workload, chosen)[0] if row["size"] == "all"}
        return {
            "slowdown_medium": rows["medium"]["slowdown_rounded_up"],
            "slowdown_long": rows["long"]["slowdown_rounded_up"],
            "response": rows["all"]["response_s"],
            "wait": rows["all"]["wait_s"],
        }

    found = of(sharing)
    if plain is None:
        return found
    return found | {f"gain_{key}": 100 * (1 - found[key] / value) for key, value in of(plain).items()}


def objectives(made: dict[str, tuple[str, ps.Workload]], options: argparse.Namespace) -> None:
    """Set SCOJO-PECT against FCFS, EASY and a Greedy that is trained on the first workload, in the seven objectives.

    Beside them, how jobs of each class fare.
    """
    (_, first), *_ = made.values()
    given = {key: value for key, value in settings.TRAINING.items() if key != "objective"}
    generations = settings.QUICK["generations"] if options.quick else settings.GENERATIONS
    trained = ps.train(
        [first], ps.as_wish(settings.TRAINING["objective"], first.groups), generations=generations, seed=0, **given
    )
    save_policy(trained.policy, options.results / "greedy.json")
    rows, classes = [], []
    for name, (part, workload) in made.items():
        if workload.groups == trained.policy.groups:
            for row in ps.compare(workload, ["fcfs", trained.policy, "scojo", "scojo-opt"]).rows():
                about = {"part": part, "workload": name, "system": row["policy"]}
                classes += [about | of_class for of_class in row["classes"] or () if of_class["size"] == "all"]
                for key in ("waits", "utilisation_over_time", "classes", "searched"):
                    row.pop(key)
                rows.append({"part": part} | row | {"workload": name})
    save_rows(rows, options.results / "objectives.csv")
    save_rows(classes, options.results / "classes.csv")


if __name__ == "__main__":
    main()
