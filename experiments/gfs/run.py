"""Train rule bases, and write what came out to results/gfs; continues where it was stopped."""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np
import settings

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.core.tables import load_rows, save_rows
from paretosched.fronts.front import Front
from paretosched.fronts.front_files import FRONT_FILE, load_front
from paretosched.policies.policy import save_policy
from paretosched.policies.rule_base import STRATEGIES, RuleBase
from paretosched.search.plans import PLANS, explore_plan, shortened
from paretosched.search.runs import evaluated, read_about
from paretosched.simulation.objective import objective_table
from paretosched.training.rule_base_training import train_rules
from paretosched.training.symbiosis import Symbiosis
from paretosched.training.training import Progress
from paretosched.wishes.wish import Wish, goal
from paretosched.wishes.wish_grammar import parse

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
APPLIED, POSITIONS, ALONE, LIMITS = "applied", "positions", "alone", "limits"
PARTS = (LIMITS, ALONE, *settings.PARTS, APPLIED, POSITIONS)


def main() -> None:
    """Run everything, or the parts, logs and seeds that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="built-in workloads, few rule bases, one seed")
    parser.add_argument("--part", action="append", choices=PARTS, help="may be given again; default: all, in order")
    parser.add_argument("--log", action="append", choices=[*settings.LOGS], help="likewise, of the trainings")
    parser.add_argument("--seed", action="append", type=int, choices=settings.SEEDS, help="likewise")
    parser.add_argument("--evaluations", type=int, help="fewer rule bases, to be continued later (default: all)")
    parser.add_argument("--workers", type=int, default=0, help="processes that simulate (default 0: threads)")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where the run directories are kept")
    parser.add_argument(
        "--fronts",
        type=Path,
        default=HERE.parent / "ci190_05" / "work",
        help="run directories of report CI-190/05, by log, for the front of CTC; explored if missing",
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "gfs", help="where the results go")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    parts = options.part or PARTS
    for part in parts:
        if part == APPLIED:
            save_rows(applied(options), options.results / f"{APPLIED}.csv")
        elif part == POSITIONS:
            save_rows(positions(options), options.results / f"{POSITIONS}.csv")
        elif part in (ALONE, LIMITS):
            for log in options.log or settings.ORDER:
                measured = alone(log, options) if part == ALONE else limits(log, options)
                keep(measured, options.results / f"{part}.csv")
        for training in settings.TRAININGS:
            for seed in training.seeds[: 1 if options.quick else None]:
                for log in training.logs:
                    wanted = log in (options.log or training.logs) and seed in (options.seed or training.seeds)
                    if training.part == part and wanted:
                        keep(learn(training, log, seed, options), options.results / f"{part}.csv")
                        note(options, part)
        note(options, part)


def learn(training: settings.Training, log: str, seed: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Train once, into its run directory, keep the policy, and list what EASY, the rules and their Greedy reach."""
    place = options.work / training.name / log / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    made = workload(log, options.quick)
    given, kind = dict(training.settings) | {"evaluations": options.evaluations}, training.settings["kind"]
    symbiosis = Symbiosis(**training.symbiosis)
    if options.quick:
        given["evaluations"] = settings.QUICK[kind]
        symbiosis = replace(symbiosis, **settings.QUICK["symbiosis"])

    def show(progress: Progress) -> None:
        gain = 100 * (1 - progress.objective / progress.easy)
        done = f"{progress.evaluations:,} of {progress.total:,}, {gain:.2f} %"
        print(f"  {training.name} {log} {seed}: {done}, {progress.elapsed:.0f} s", flush=True)

    trained = train_rules(
        made,
        wish(made),
        greedy=thirteenth(log, options, training.greedy),
        symbiosis=symbiosis,
        seed=seed,
        workers=options.workers,
        run_directory=place,
        progress=show,
        **given,
    )
    policies = options.results / "policies"
    policies.mkdir(exist_ok=True)
    save_policy(trained.policy, policies / f"{training.name}-{log}-{seed}.json")
    sessions = read_about(place / "rules")["sessions"]
    about = {
        "training": training.name,
        "log": log,
        "seed": seed,
        "evaluations": trained.evaluations,
        "kernel_seconds": round(trained.seconds, 1),
        "wall_seconds": round(sum(session["wall_seconds"] for session in sessions), 1),
    }
    names = ("EASY", "rules", "Greedy")
    rows = [about | {"system": name} | row["workloads"][0] for name, row in zip(names, trained.rows(), strict=True)]
    if kind == "symbiotic":
        costs = goal(wish(made), evaluated(place / "rules")[0])
        for name, first, last in evolution(costs, symbiosis):
            least = float(min(costs[first:last], default=np.nan))
            gained = 100 * (1 - least / rows[0]["objective"])
            rows.append(about | {"system": name, "evaluations": last, "objective": least, "vs_easy": gained})
    return rows


def evolution(costs: np.ndarray, symbiosis: Symbiosis) -> list[tuple[str, int, int]]:
    """Tell from where to where rule bases are each strategy alone, and evolution until it stood still or was stopped.

    Parameters
    ----------
    costs
        (n,) of all rule bases, in their order.
    symbiosis
        Its parameters.
    """
    first = len(STRATEGIES)
    last, least, still = first, float("inf"), 0
    for size in chain([symbiosis.first_bases], repeat(symbiosis.bases)):
        costs_of = costs[last : last + size]
        if len(costs_of) == 0 or 0 < symbiosis.patience <= still:
            break
        last += len(costs_of)
        still = 0 if costs_of.min() < least else still + 1
        least = min(least, float(costs_of.min()))
    return [("alone", 0, first), ("evolution", first, last)]


def limits(log: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure what nobody can gain: if nobody waited, and if the groups of the objective had the machine alone."""
    made = workload(log, options.quick)
    aim = wish(made)
    names = [o.name for o in objective_table(made.groups)]
    easy = ps.objectives(ps.simulate(made, "easy"))
    weighed = {int(name.removeprefix("AWRT")) - 1 for name, _ in aim.weights}
    theirs = made.take(np.flatnonzero(np.isin(made.group, sorted(weighed))))
    found = {"nobody waits": ps.objectives(ps.Schedule(made, made.submit))}
    for rule in ("fcfs", "easy", "conservative", "list"):
        found[f"groups 1 and 2 alone, {rule}"] = ps.objectives(ps.simulate(theirs, rule))
    of_easy = float(goal(aim, easy[None])[0])
    rows = []
    for system, values in found.items():
        objective = float(goal(aim, values[None])[0])
        row = {"training": LIMITS, "log": log, "seed": 0, "jobs": len(made), "system": system, "objective": objective}
        rows.append(row | {"vs_easy": 100 * (1 - objective / of_easy)} | dict(zip(names, values.tolist(), strict=True)))
    return rows


def alone(log: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure each of the thirteen strategies where nothing else is ever chosen."""
    made, last = workload(log, options.quick), thirteenth(log, options)
    aim = wish(made)
    names = [o.name for o in objective_table(made.groups)]
    easy = ps.objectives(ps.simulate(made, "easy"))
    rows = []
    for number, strategy in enumerate(STRATEGIES):
        base = RuleBase("iterative", made.groups, made.groups, last, ((),) * (len(made.groups) + 2), np.array([number]))
        values = ps.objectives(ps.simulate(made, ps.Policy("rules", rules=base)))
        objective, of_easy = goal(aim, np.array([values, easy])).tolist()
        row = {"training": ALONE, "log": log, "seed": 0, "system": strategy, "objective": objective}
        rows.append(row | {"vs_easy": 100 * (1 - objective / of_easy)} | dict(zip(names, values.tolist(), strict=True)))
    return rows


def keep(fresh: list[dict[str, Any]], path: Path) -> None:
    """Put rows into a file in the place of those of the same training, log and seed."""
    key = ("training", "log", "seed")
    mine = [str(fresh[0][name]) for name in key]
    before = [row for row in (load_rows(path) if path.exists() else []) if [row[name] for name in key] != mine]
    order = [LIMITS, ALONE, *(training.name for training in settings.TRAININGS)]
    rows = [*before, *fresh]
    rows.sort(key=lambda row: (order.index(row["training"]), list(settings.LOGS).index(row["log"]), int(row["seed"])))
    save_rows(rows, path)


def thirteenth(log: str, options: argparse.Namespace, criterion: str = "f2") -> ps.Policy:
    """Train the Greedy of a log, or take the one that experiments/greedy has trained."""
    known = ROOT / settings.KNOWN_GREEDY.get((log, criterion), "none")
    if not options.quick and known.is_file():
        return ps.load_policy(known)
    place = options.work / ("greedy" if criterion == "f2" else f"greedy-{criterion}") / log
    place.parent.mkdir(parents=True, exist_ok=True)
    given = settings.GREEDY | {"criterion": criterion}
    if options.quick:
        given |= {"generations": settings.QUICK["generations"]}

    def show(progress: Progress) -> None:
        if progress.evaluations == progress.total or progress.evaluations // 105 % 10 == 0:
            gain = 100 * (1 - progress.objective / progress.easy)
            print(f"  Greedy of {log}: {progress.evaluations:,} of {progress.total:,}, {gain:.2f} %", flush=True)

    made = workload(log, options.quick)
    return ps.train(made, wish(made), run_directory=place, workers=options.workers, progress=show, **given).policy


def trained_policies(results: Path, log: str) -> dict[str, ps.Policy]:
    """Load the rule bases of a log by kind, each of the seed that came out in the middle: not of the luckiest one."""
    chosen = {}
    for kind in ("symbiotic", "iterative"):
        found = [ps.load_policy(path) for path in sorted((results / "policies").glob(f"{kind}-{log}-[0-9].json"))]
        if found:
            ranked = sorted(found, key=lambda policy: policy.provenance["objective"])
            chosen[kind] = ranked[(len(found) - 1) // 2]
    return chosen


def compared(log: str, names: dict[str, ps.Policy], front: Front | None, quick: bool) -> list[dict[str, Any]]:
    """List what policies reach on a log, with names for them."""
    made = workload(log, quick)
    chosen = [replace(policy, name=name) for name, policy in names.items()]
    rows = []
    for row in ps.compare(made, ["fcfs", "conservative", *chosen], front, wish(made)).rows():
        for key in ("waits", "utilisation_over_time"):
            row.pop(key, None)
        rows.append({"log": log, **({"front": len(front)} if front else {}), **row})
    return rows


def applied(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Apply the rule bases trained on CTC to every log: figure 7 of the paper."""
    names = {f"{kind} rules of CTC": policy for kind, policy in trained_policies(options.results, "CTC").items()}
    return [row for log in settings.LOGS for row in compared(log, names, None, options.quick)]


def positions(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Set what was trained on CTC against the front of all schedules that are known there: figure 6 of the paper."""
    names = {f"{kind} rules": policy for kind, policy in trained_policies(options.results, "CTC").items()}
    return compared("CTC", names | {"Greedy f2": thirteenth("CTC", options)}, front(options), options.quick)


def front(options: argparse.Namespace) -> Front:
    """Load the front of report CI-190/05 on CTC; explore one if there is none."""
    if not options.quick and (options.fronts / "CTC" / FRONT_FILE).exists():
        return load_front(options.fronts / "CTC" / FRONT_FILE)
    place = (options.work / "fronts" if options.quick else options.fronts) / "CTC"
    place.parent.mkdir(parents=True, exist_ok=True)
    rows = PLANS["paper002"]
    if options.quick:
        size = settings.QUICK
        rows = [shortened(r, size["evaluations"], size["population"]) for r in rows if r.name == "weighting"]
    return explore_plan(workload("CTC", options.quick), place, tuple(rows), workers=options.workers)


def wish(made: ps.Workload) -> Wish:
    """Give the paper's objective."""
    return parse(settings.OBJECTIVE, objective_table(made.groups))


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


def note(options: argparse.Namespace, part: str) -> None:
    """Write where the results come from."""
    path = options.results / "provenance.json"
    before = json.loads(path.read_text(encoding="utf-8"))["parts"] if path.exists() else []
    about: dict[str, Any] = {"quick": options.quick, "objective": settings.OBJECTIVE}
    about |= {"processors": settings.PROCESSORS, "scaling_seed": settings.SCALING_SEED, "cores": os.cpu_count()}
    about["workloads"] = {
        log: {"file": file, "factor": factor, "jobs": len(made), "digest": made.digest}
        for log, (file, factor) in settings.LOGS.items()
        for made in [workload(log, options.quick)]
    }
    about["greedy"] = settings.GREEDY
    about["trainings"] = [training._asdict() for training in settings.TRAININGS]
    about["parts"] = sorted({*before, part})
    about["versions"] = {"python": platform.python_version()} | {
        name: version(name) for name in ("paretosched", "numpy", "numba", "scipy")
    }
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
