"""Train, and write the results to results/greedy; continues where it was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import moocore
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import raised
import scalings
import settings
import untrained

import paretosched as ps
from paretosched.core.run_files import RUN_FILE
from paretosched.core.tables import save_rows
from paretosched.policies.policy import save_policy
from paretosched.search.plans import PLANS, explore_plan, shorten
from paretosched.search.runs import read_values
from paretosched.simulation.objective import objective_table
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import Wish, goal, violation
from paretosched.wishes.wish_grammar import parse

POSITIONS, RAISED, WEEKS, SCALINGS, WITHIN = "positions", "raised", "weeks", "scalings", "within"
UNTRAINED, POSITIONS_RAISED, WITHIN_RAISED = "untrained", f"{POSITIONS}-raised", f"{WITHIN}-raised"
PARTS = (*settings.PARTS, POSITIONS, POSITIONS_RAISED, RAISED, WEEKS, SCALINGS, UNTRAINED, WITHIN, WITHIN_RAISED)


def main() -> None:
    """Run everything, or the parts of the options."""
    parser = common.run_parser("greedy", __doc__, "built-in workloads, one generation, one seed", PARTS)
    common.add_workers(parser)
    common.add_work(parser, "greedy")
    common.add_fronts(parser, "missing fronts are explored (quick: below --work)")
    options = common.options_of(parser)
    parts = options.part or PARTS
    logs = settings.QUICK_LOGS if options.quick else settings.LOGS
    for part in parts:
        if part == POSITIONS:
            rows = [row for log in logs for row in positions(log, settings.APPLIED, options)]
        elif part == POSITIONS_RAISED:
            rows = positions(settings.RAISED, settings.APPLIED | settings.ALL_RAISED, options)
        elif part == RAISED:
            rows = raised.measures(trained_policies(settings.APPLIED | settings.ALL_RAISED, options), options.quick)
        elif part == WEEKS:
            rows = list(scalings.over_weeks(options.results, options.quick))
        elif part == SCALINGS:
            rows = list(scalings.measures(options.results, options.quick))
        elif part == UNTRAINED:
            rows = list(untrained.measures(logs, options.quick))
        elif part == WITHIN:
            rows = [row for log in logs if log != "CTC" for row in best_of_orders(log, options)]
        elif part == WITHIN_RAISED:
            front(settings.RAISED, options)  # its runs are all that was tried there
            rows = [{"log": settings.RAISED, **row} for row in best_known(options, settings.RAISED)]
        else:
            rows = []
            for training in settings.TRAININGS:
                if training.part == part and (len(training.logs) > 1 or {*training.logs} <= {*logs, settings.RAISED}):
                    for seed in training.seeds[: 1 if options.quick else None]:
                        rows += learn(training, seed, options)
        save_rows(rows, options.results / f"{part}.csv")
    if "easy" in parts:
        save_rows(trade_off(options), options.results / "trade-off.csv")
    if POSITIONS in parts:
        save_rows(best_known(options), options.results / "known.csv")
    note = {"quick": options.quick, "objective": settings.OBJECTIVE, "processors": common.PROCESSORS}
    note |= {"scaling_seed": common.SCALING_SEED, "workers": options.workers, "cores": os.cpu_count()}
    note["workloads"] = common.about_workloads(logs, lambda log: common.workload(log, settings.QUICK, options.quick))
    note["trainings"] = [training._asdict() for training in settings.TRAININGS]
    common.save_provenance(options.results, note, ("cma", "moocore"), parts)


def learn(training: settings.Training, seed: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Train once, write the policy, and return the objectives of every system on every workload."""
    place = options.work / training.name / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    arguments = dict(training.settings)
    if options.quick:
        arguments["generations"] = settings.QUICK["generations"]

    show = common.show_training(f"{training.name} {seed}")
    workloads = [common.workload(log, settings.QUICK, options.quick) for log in training.logs]
    wish = wish_of(training, workloads[0].groups)
    result = ps.train(
        workloads, wish, seed=seed, workers=options.workers, run_directory=place, progress=show, **arguments
    )
    policies = options.results / "policies"
    policies.mkdir(exist_ok=True)
    save_policy(result.policy, policies / f"{training.file}-{seed}.json")
    for system in result.systems if len(result.systems) > 1 else ():
        if len(set(system.policy.criteria)) == 1:
            save_policy(system.policy, policies / f"{training.name}-{system.policy.criteria[0]}-{seed}.json")
    about: dict[str, Any] = {
        "training": training.name,
        "seed": seed,
        "evaluations": result.evaluations,
        "kernel_seconds": round(result.seconds, 1),
        "wall_seconds": common.wall_seconds(place),
    }
    rows = []
    for row in result.rows()[: 1 + len(result.systems)]:  # the guarded order is of the part "untrained"
        for part, key in (("workloads", "exceeded"), ("rest", "rest_exceeded")):
            over_all = {"system": row["system"], "best": row["best"], "exceeded": row.get(key)}
            rows += [about | over_all | {"part": part, **values} for values in row.get(part, ())]
    return rows


def positions(log: str, titles: Mapping[str, str], options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return trained policies compared with EASY and the front on a log: figures 2 to 5 of the paper."""
    jobs = common.workload(log, settings.QUICK, options.quick)
    frontier = front(log, options)
    policies = ["fcfs", *trained_policies(titles, options)]
    rows = []
    for row in ps.compare(jobs, policies, frontier, parse(settings.OBJECTIVE, frontier.objectives)).rows():
        waits = {f"wait_p95_{w['group'] or 'all'}": w["wait_p95_s"] for w in row.pop("waits") or ()}
        for key in ("utilisation_over_time", "classes", "searched"):
            row.pop(key, None)
        rows.append({"log": log, "front": len(frontier), **row, **waits})
    return rows


def trained_policies(titles: Mapping[str, str], options: argparse.Namespace) -> list[ps.Policy]:
    """Return the policies of trainings, of each the seed in the middle; `titles` has their titles by training."""
    return [replace(trained_policy(options.results, name), name=title) for name, title in titles.items()]


def trained_policy(results: Path, name: str) -> ps.Policy:
    """Return the policy of the seed with the median objective, so that the luckiest one does not count."""
    policies = [ps.load_policy(path) for path in sorted((results / "policies").glob(f"{name}-[0-9].json"))]
    if not policies:
        common.fail(f"{results / 'policies'} has no policy of the training {name}; run the parts that train first")
    return sorted(policies, key=lambda policy: policy.provenance["objective"])[len(policies) // 2]


def front(log: str, options: argparse.Namespace) -> ps.Front:
    """Return the merged front of report CI-190/05 for a log: on CTC all rows of Table 4, on others the online ones."""
    place = fronts_of(log, options)
    rows = [row for row in PLANS["paper002"] if log == "CTC" or row.name in settings.OTHER_ROWS]
    if options.quick:
        size = settings.QUICK
        rows = [shorten(r, size["evaluations"], size["population"]) for r in rows if r.name in settings.OTHER_ROWS]
    elif log != "CTC":
        rows = [shorten(row, settings.OTHER_EVALUATIONS) for row in rows]
    explore_plan(common.workload(log, settings.QUICK, options.quick), place, tuple(rows), workers=options.workers)
    return ps.merge([ps.load_front(place / row.name) for row in rows])  # other runs may lie there, too


def fronts_of(log: str, options: argparse.Namespace) -> Path:
    """Return the folder of the runs of report CI-190/05 on a log; its parent is there."""
    place: Path = (options.work / "fronts" if options.quick else options.fronts) / log
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def trade_off(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the front of all evaluations with EASY, in objective, AWRT and the group that loses most."""
    easy = ps.objectives(ps.simulate(common.workload("CTC", settings.QUICK, options.quick), "easy"))
    parts = []
    for training in settings.TRAININGS:
        if training.part == "easy":
            for seed in training.seeds[: 1 if options.quick else None]:
                values, _ = read_values(options.work / training.name / str(seed))
                parts.append(values)
    values = np.concatenate(parts)
    wish = parse(settings.OBJECTIVE, objective_table(common.workload("CTC", settings.QUICK, options.quick).groups))
    ratios = np.column_stack([goal(wish, values) / goal(wish, easy[None]), values[:, 1] / easy[1],
                                (values[:, 2:] / easy[2:]).max(axis=1)])  # fmt: skip
    best = np.unique(ratios[moocore.is_nondominated(ratios, keep_weakly=False)], axis=0)
    return [
        {"objective_vs_easy": 100 * (1 - o), "AWRT_vs_easy": 100 * (1 - a), "worst_group_vs_easy": 100 * (1 - worst)}
        for o, a, worst in best.tolist()
    ]


def wish_of(training: settings.Training, groups: Sequence[str]) -> Wish:
    """Return the wish of a training: the paper's objective, and limits relative to EASY."""
    return ps.as_wish(", ".join(filter(None, [settings.OBJECTIVE, training.limits])), groups)


def best_of_orders(log: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the best of a weak search on a log: orders of the groups, some weightings, and what else is there.

    Its runs lie with those of `front`, which are read, too, where they were made.
    """
    place = fronts_of(log, options)
    plan, size = {row.name: row for row in PLANS["paper002"]}, settings.QUICK
    weightings = plan[settings.WEIGHTINGS]._replace(name=f"{settings.WEIGHTINGS}-short")
    rows = [plan[settings.ORDERS], shorten(weightings, settings.WEAK_EVALUATIONS)]
    rows = [shorten(r, size["evaluations"], size["population"]) if options.quick else r for r in rows]
    explore_plan(common.workload(log, settings.QUICK, options.quick), place, tuple(rows), workers=options.workers)
    return [{"log": log, **row} for row in best_known(options, log)]


def best_known(options: argparse.Namespace, log: str = "CTC") -> list[dict[str, Any]]:
    """Return the best of every run of report CI-190/05 on a log in this objective, and within the limits of "easy"."""
    jobs = common.workload(log, settings.QUICK, options.quick)
    easy = ps.objectives(ps.simulate(jobs, "easy"))
    training = next(training for training in settings.TRAININGS if training.name == "easy")
    wish = resolved_on(wish_of(training, jobs.groups), jobs)
    place = fronts_of(log, options)
    rows = []
    for run in sorted(path.parent for path in place.glob(f"*/{RUN_FILE}")):
        values, _ = read_values(run)
        gains = 100 * (1 - goal(wish, values) / goal(wish, easy[None]))
        within = gains[violation(wish, values) == 0]
        best = {"best": gains.max(), "best_within": within.max() if within.size else ""}
        rows.append({"run": run.name, "evaluations": len(values), **best})
    return rows


if __name__ == "__main__":
    main()
