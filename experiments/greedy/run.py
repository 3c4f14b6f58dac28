"""Train, and write what came out to results/greedy; continues where it was stopped."""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import moocore
import numpy as np
import settings

import paretosched as ps
from paretosched.core.files import written
from paretosched.core.tables import save_rows
from paretosched.policies.policy import save_policy
from paretosched.search.plans import PLANS, explore_plan, shortened
from paretosched.search.runs import evaluated, read_about
from paretosched.simulation.objective import objective_table
from paretosched.training.training import Progress
from paretosched.wishes.wish import Limit, Wish, goal, violation
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.reopening import RUN_FILE

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
POSITIONS = "positions"
PARTS = (*settings.PARTS, POSITIONS)


def main() -> None:
    """Run everything, or the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="built-in workloads, one generation, one seed")
    parser.add_argument("--part", action="append", choices=PARTS, help="may be given again; default: all, in order")
    parser.add_argument("--workers", type=int, default=0, help="processes that simulate (default 0: threads)")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where the run directories are kept")
    parser.add_argument(
        "--fronts",
        type=Path,
        default=HERE.parent / "ci190_05" / "work",
        help="run directories of report CI-190/05, by log; what is missing there is explored (quick: below --work)",
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "greedy", help="where the results go")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    parts = options.part or PARTS
    for part in parts:
        if part == POSITIONS:
            rows = positions(options)
        else:
            rows = []
            for training in settings.TRAININGS:
                if training.part == part:
                    for seed in training.seeds[: 1 if options.quick else None]:
                        rows += learn(training, seed, options)
        save_rows(rows, options.results / f"{part}.csv")
    if {"easy", POSITIONS} & set(parts):
        save_rows(trade_off(options), options.results / "trade-off.csv")
    if POSITIONS in parts:
        save_rows(known(options), options.results / "known.csv")
    note = {"quick": options.quick, "objective": settings.OBJECTIVE, "processors": settings.PROCESSORS}
    note |= {"scaling_seed": settings.SCALING_SEED, "workers": options.workers, "cores": os.cpu_count()}
    note["workloads"] = {
        log: {"file": file, "factor": factor, "jobs": len(made), "digest": made.digest}
        for log, (file, factor) in settings.LOGS.items()
        for made in [workload(log, options.quick)]
    }
    note["trainings"] = [training._asdict() for training in settings.TRAININGS]
    note["parts"] = sorted({*before(options.results), *parts})
    note["versions"] = {"python": platform.python_version()} | {
        name: version(name) for name in ("paretosched", "numpy", "numba", "cma", "moocore")
    }
    with written(options.results / "provenance.json") as temporary:
        temporary.write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")


def learn(training: settings.Training, seed: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Train once, into its run directory, keep the policy, and list what every system reached on every workload."""
    place = options.work / training.name / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    given = dict(training.settings)
    if options.quick:
        given["generations"] = settings.QUICK["generations"]

    def show(progress: Progress) -> None:
        gain = 100 * (1 - progress.objective / progress.easy)
        done = f"{progress.evaluations:,} of {progress.total:,}, {gain:.2f} %"
        print(f"  {training.name} {seed}: {done}, {progress.elapsed:.0f} s", flush=True)

    workloads = [workload(log, options.quick) for log in training.logs]
    wish = wanted(training, workloads[0])
    trained = ps.train(workloads, wish, seed=seed, workers=options.workers, run_directory=place, progress=show, **given)
    policies = options.results / "policies"
    policies.mkdir(exist_ok=True)
    save_policy(trained.policy, policies / f"{training.name}-{seed}.json")
    for system in trained.systems if len(trained.systems) > 1 else ():
        if len(set(system.policy.criteria)) == 1:
            save_policy(system.policy, policies / f"{training.name}-{system.policy.criteria[0]}-{seed}.json")
    sessions = read_about(place)["sessions"]
    about = {
        "training": training.name,
        "seed": seed,
        "evaluations": trained.evaluations,
        "kernel_seconds": round(trained.seconds, 1),
        "wall_seconds": round(sum(session["wall_seconds"] for session in sessions), 1),
    }
    rows = []
    for row in trained.rows():
        over_all = {"system": row["system"], "best": row["best"], "exceeded": row["exceeded"]}
        for part in ("workloads", "rest"):
            rows += [about | over_all | {"part": part, **measured} for measured in row.get(part, ())]
    return rows


def positions(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Set the trained policies against EASY and the front on every log: figures 2 to 5 of the paper."""
    policies = {name: trained_policy(options.results, name) for name in settings.APPLIED}
    rows = []
    for log in settings.LOGS:
        made = workload(log, options.quick)
        explored = front(log, options)
        chosen = [replace(policies[name], name=title) for name, title in settings.APPLIED.items()]
        comparison = ps.compare(made, ["fcfs", *chosen], explored, parse(settings.OBJECTIVE, explored.objectives))
        for row in comparison.rows():
            waits = {f"wait_p95_{w['group'] or 'all'}": w["wait_p95_s"] for w in row.pop("waits") or ()}
            row.pop("utilisation_over_time")
            rows.append({"log": log, "front": len(explored), **row, **waits})
    return rows


def trained_policy(results: Path, name: str) -> ps.Policy:
    """Load the policy of the seed that came out in the middle, by what it reached: not of the luckiest one."""
    found = [ps.load_policy(path) for path in sorted((results / "policies").glob(f"{name}-[0-9].json"))]
    return sorted(found, key=lambda policy: policy.provenance["objective"])[len(found) // 2]


def front(log: str, options: argparse.Namespace) -> ps.Front:
    """Merge the front of report CI-190/05 for a log: on CTC all rows of Table 4, on others the online ones."""
    place = (options.work / "fronts" if options.quick else options.fronts) / log
    place.parent.mkdir(parents=True, exist_ok=True)
    rows = [row for row in PLANS["paper002"] if log == "CTC" or row.name in settings.OTHER_ROWS]
    if options.quick:
        size = settings.QUICK
        rows = [shortened(r, size["evaluations"], size["population"]) for r in rows if r.name in settings.OTHER_ROWS]
    elif log != "CTC":
        rows = [shortened(row, settings.OTHER_EVALUATIONS) for row in rows]
    return explore_plan(workload(log, options.quick), place, tuple(rows), workers=options.workers)


def trade_off(options: argparse.Namespace) -> list[dict[str, Any]]:
    """List the best of everything the trainings with EASY tried, in objective, AWRT and the group that lost most."""
    easy = ps.objectives(ps.simulate(workload("CTC", options.quick), "easy"))
    found = []
    for training in settings.TRAININGS:
        if training.part == "easy":
            for seed in training.seeds[: 1 if options.quick else None]:
                values, _ = evaluated(options.work / training.name / str(seed))
                found.append(values)
    values = np.concatenate(found)
    wish = parse(settings.OBJECTIVE, objective_table(workload("CTC", options.quick).groups))
    measured = np.column_stack([goal(wish, values) / goal(wish, easy[None]), values[:, 1] / easy[1],
                                (values[:, 2:] / easy[2:]).max(axis=1)])  # fmt: skip
    best = np.unique(measured[moocore.is_nondominated(measured, keep_weakly=False)], axis=0)
    return [
        {"objective_vs_easy": 100 * (1 - o), "AWRT_vs_easy": 100 * (1 - a), "worst_group_vs_easy": 100 * (1 - worst)}
        for o, a, worst in best.tolist()
    ]


def wanted(training: settings.Training, first: ps.Workload) -> Wish:
    """Make the wish of a training: the paper's objective, and limits as shares of what EASY reaches."""
    objectives = objective_table(first.groups)
    wish = parse(settings.OBJECTIVE, objectives)
    if not training.limits:
        return wish
    easy = dict(zip((o.name for o in objectives), ps.objectives(ps.simulate(first, "easy")).tolist(), strict=True))
    return replace(wish, limits=tuple(Limit(name, high=share * easy[name]) for name, share in training.limits.items()))


@cache
def workload(log: str, quick: bool) -> ps.Workload:
    """Read a log from PARETOSCHED_TRACES or ../shared/traces and scale it; if `quick`, make up a small one."""
    if quick:
        size = settings.QUICK
        seed = size["seed"] + list(settings.LOGS).index(log)
        return ps.lublin(jobs=size["jobs"], processors=size["processors"], seed=seed)
    file, factor = settings.LOGS[log]
    folder = Path(os.environ.get("PARETOSCHED_TRACES") or ROOT / ".." / "shared" / "traces")
    return ps.scale(ps.read_swf(folder / file, name=log), settings.PROCESSORS, factor, settings.SCALING_SEED)


def known(options: argparse.Namespace) -> list[dict[str, Any]]:
    """List what every run of report CI-190/05 on CTC found for this objective, and within the limits of "easy"."""
    made = workload("CTC", options.quick)
    easy = ps.objectives(ps.simulate(made, "easy"))
    training = next(training for training in settings.TRAININGS if training.name == "easy")
    wish = wanted(training, made)
    place = (options.work / "fronts" if options.quick else options.fronts) / "CTC"
    rows = []
    for run in sorted(path.parent for path in place.glob(f"*/{RUN_FILE}")):
        values, _ = evaluated(run)
        gains = 100 * (1 - goal(wish, values) / goal(wish, easy[None]))
        within = gains[violation(wish, values) == 0]
        found = {"best": gains.max(), "best_within": within.max() if within.size else ""}
        rows.append({"run": run.name, "evaluations": len(values), **found})
    return rows


def before(results: Path) -> list[str]:
    """List the parts that earlier calls have run."""
    path = results / "provenance.json"
    return json.loads(path.read_text(encoding="utf-8"))["parts"] if path.exists() else []


if __name__ == "__main__":
    main()
