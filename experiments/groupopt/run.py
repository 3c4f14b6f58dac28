"""Simulate SCOJO-PECT in all its forms, and write the results to results/groupopt."""

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
    options = common.options_of(
        common.run_parser("groupopt", __doc__, "a few small workloads: a test of the path", PARTS)
    )
    by_name = {name: (part, w) for part, name, w in workloads(options.quick)}
    first = next(iter(by_name.values()))[1]
    parts = options.part or PARTS
    if "systems" in parts:
        all_systems(by_name, options.results)
    if "sizes" in parts:
        save_rows([*sizes(first)], options.results / "sizes.csv")
    if "open" in parts:
        save_rows([*left_open(first)], options.results / "open.csv")
    if "objectives" in parts:
        objectives(by_name, options)
    note = {"quick": options.quick, "cores": os.cpu_count(), "training": settings.TRAINING}
    note["systems"] = {name: to_json(s) for name, s in settings.SYSTEMS.items()}
    note["workloads"] = {name: {"jobs": len(w), "digest": w.digest} for name, (_, w) in by_name.items()}
    common.save_provenance(options.results, note, ("cma",), parts)


def all_systems(by_name: dict[str, tuple[str, ps.Workload]], results: Path) -> None:
    """Simulate every system on every workload."""
    characteristics, systems, groups = [], [], []
    for name, (part, workload) in by_name.items():
        characteristics.append({"part": part, "workload": name} | characteristic(workload))
        for system, sharing in settings.SYSTEMS.items():
            rows, counts = run_system(workload, sharing)
            about = {"part": part, "workload": name, "system": system}
            systems += [about | row for row in rows]
            groups.append(about | counts)
        print(f"  {name}", flush=True)
    save_rows(characteristics, results / "workloads.csv")
    save_rows(systems, results / "systems.csv")
    save_rows(groups, results / "groups.csv")


def workloads(quick: bool) -> Iterator[tuple[str, str, ps.Workload]]:
    """Yield part, name and workload: the five seeds, with and without carry, LANL cut and raised, and the spread."""
    size = settings.QUICK
    jobs, processors = (size["jobs"], size["processors"]) if quick else (settings.JOBS, settings.PROCESSORS)
    for part, carry in settings.CARRIES.items():
        for seed in settings.SEEDS[: size["seeds"] if quick else None]:
            name = f"seed {seed}{part}"
            yield f"paper{part}", name, ps.lublin(jobs=jobs, processors=processors, seed=seed, carry=carry)
    if not quick:
        for name in settings.LANL:
            yield name, name, common.log_of(name).take(np.arange(settings.LANL_JOBS))
    for seed in settings.SPREAD[: size["spread"] if quick else None]:
        yield "spread", f"spread {seed}", ps.lublin(jobs=jobs, processors=processors, seed=seed, carry=False)


def characteristic(workload: ps.Workload) -> dict[str, float]:
    """Return the values of Table 5 and the offered load of a workload."""
    w = workload
    rows = {row.kind: row for row in by_class(ps.simulate(w, "fcfs")) if row.size == "all"}
    values: dict[str, float] = {}
    kind = np.searchsorted([settings.PLAIN.medium_from, settings.PLAIN.long_from], w.run, side="right")
    for k, name in enumerate(("short", "medium", "long")):
        values |= {f"jobs_{name}": 100 * rows[name].jobs / len(w), f"work_{name}": rows[name].work_percent}
        values[f"size_{name}"] = float(w.width[kind == k].mean()) if rows[name].jobs else float("nan")
    values["interarrival"] = float(np.diff(w.submit).mean())
    values["load"] = w.work / (w.capacity * float(w.submit[-1] - w.submit[0]))
    return values


def run_system(workload: ps.Workload, sharing: TimeSharing) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Simulate a system; return the rows of all classes and sizes, and the counts of its search."""
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
    """Yield slowdowns with other largest groups of medium and long jobs: Figure 15."""
    defaults = Optimisation()
    for medium in settings.GROUP_SIZES:
        for long in settings.GROUP_SIZES:
            settings_of_row = defaults._replace(
                medium=defaults.medium._replace(most=medium), long=defaults.long._replace(most=long)
            )
            yield {"medium": medium, "long": long} | slowdowns(workload, TimeSharing(optimisation=settings_of_row))


def left_open(workload: ps.Workload) -> Iterator[dict[str, Any]]:
    """Yield slowdowns with other values of what the paper leaves open, with and without optimisation."""
    yield {"changed": "nothing"} | slowdowns(workload, settings.OPTIMISED, settings.PLAIN)
    outer_names = {field.name for field in fields(TimeSharing)}
    for name, change in settings.OPEN.items():
        outer = {key: value for key, value in change.items() if key in outer_names}
        inner = Optimisation()._replace(**{key: value for key, value in change.items() if key not in outer})
        plain = TimeSharing(**outer)
        yield {"changed": name} | slowdowns(workload, replace(plain, optimisation=inner), plain)


def slowdowns(workload: ps.Workload, sharing: TimeSharing, plain: TimeSharing | None = None) -> dict[str, Any]:
    """Return mean slowdowns of medium and long jobs, response and waits of all, and gains over `plain`, per cent."""

    def means(system: TimeSharing) -> dict[str, float]:
        rows = {row["kind"]: row for row in run_system(workload, system)[0] if row["size"] == "all"}
        return {
            "slowdown_medium": rows["medium"]["slowdown_rounded_up"],
            "slowdown_long": rows["long"]["slowdown_rounded_up"],
            "response": rows["all"]["response_s"],
            "wait": rows["all"]["wait_in_all_s"],
            "first_start": rows["all"]["wait_s"],
        }

    values = means(sharing)
    if plain is None:
        return values
    return values | {f"gain_{key}": 100 * (1 - values[key] / value) for key, value in means(plain).items()}


def objectives(by_name: dict[str, tuple[str, ps.Workload]], options: argparse.Namespace) -> None:
    """Write the objectives of SCOJO-PECT, FCFS, EASY and a Greedy that is trained on the first workload.

    Also the slowdowns and waits of each class of jobs.
    """
    (_, first), *_ = by_name.values()
    settings_of_training = {key: value for key, value in settings.TRAINING.items() if key != "objective"}
    generations = settings.QUICK["generations"] if options.quick else settings.GENERATIONS
    result = ps.train(
        [first],
        ps.as_wish(settings.TRAINING["objective"], first.groups),
        generations=generations,
        seed=0,
        **settings_of_training,
    )
    save_policy(result.policy, options.results / "greedy.json")
    rows, classes = [], []
    for name, (part, workload) in by_name.items():
        if workload.groups == result.policy.groups:
            for row in ps.compare(workload, ["fcfs", result.policy, "scojo", "scojo-opt"]).rows():
                about = {"part": part, "workload": name, "system": row["policy"]}
                classes += [about | of_class for of_class in row["classes"] or () if of_class["size"] == "all"]
                for key in ("waits", "utilisation_over_time", "classes", "searched"):
                    row.pop(key)
                rows.append({"part": part} | row | {"workload": name})
    save_rows(rows, options.results / "objectives.csv")
    save_rows(classes, options.results / "classes.csv")


if __name__ == "__main__":
    main()
