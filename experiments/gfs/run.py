"""Train rule bases, and write the results to results/gfs; continues where it was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import scalings
import settings
import weeks

import paretosched as ps
from paretosched.core.tables import save_rows
from paretosched.policies.policy import save_policy
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import STRATEGIES
from paretosched.search.plans import PLANS, explore_plan, shorten
from paretosched.search.runs import read_values
from paretosched.simulation.objective import objective_table
from paretosched.training.rule_base_training import train_rules, with_unseen
from paretosched.training.symbiosis import Symbiosis
from paretosched.wishes.wish import Wish, goal
from paretosched.wishes.wish_grammar import parse

APPLIED, POSITIONS, WEEKS, ALONE, LIMITS, CUT = "applied", "positions", "weeks", "alone", "limits", "cut"
SCALINGS = "scalings"
PARTS = (CUT, LIMITS, ALONE, *settings.PARTS, APPLIED, POSITIONS, WEEKS, SCALINGS)
KINDS = ("symbiotic", "iterative")
ALL_LOGS = (*settings.LOGS, settings.RAISED)


def main() -> None:
    """Run everything, or the parts, logs and seeds of the options."""
    parser = common.run_parser("gfs", __doc__, "built-in workloads, few rule bases, one seed", PARTS)
    parser.add_argument("--log", action="append", choices=ALL_LOGS, help="likewise, of the trainings")
    parser.add_argument("--seed", action="append", type=int, choices=settings.SEEDS, help="likewise")
    parser.add_argument("--evaluations", type=int, help="fewer rule bases, to be continued later (default: all)")
    common.add_workers(parser)
    common.add_work(parser, "gfs")
    common.add_fronts(parser, "that of CTC is explored if it is missing")
    options = common.options_of(parser)
    parts = options.part or PARTS
    for part in parts:
        if part == APPLIED:
            save_rows(on_every_log(options), options.results / f"{APPLIED}.csv")
        elif part == POSITIONS:
            save_rows(positions(options), options.results / f"{POSITIONS}.csv")
        elif part == WEEKS:
            save_rows(over_weeks(options), options.results / f"{WEEKS}.csv")
        elif part == SCALINGS:
            known = common.rows(options.results / f"{WEEKS}.csv")
            rows = list(scalings.of_trainings(options.results, known, options.quick))
            save_rows(rows, options.results / f"{SCALINGS}.csv")
        elif part == CUT:
            for log in common.LOGS:  # NASA, too, for the other experiments
                keep([cut_work(log, options)], options.results / f"{CUT}.csv")
        elif part in (ALONE, LIMITS):
            for log in options.log or (*settings.ORDER, settings.RAISED):
                rows = alone(log, options) if part == ALONE else limits(log, options)
                keep(rows, options.results / f"{part}.csv")
        for training in settings.TRAININGS:
            for seed in training.seeds[: 1 if options.quick else None]:
                for log in training.logs:
                    is_selected = log in (options.log or training.logs) and seed in (options.seed or training.seeds)
                    if training.part == part and is_selected:
                        keep(learn(training, log, seed, options), options.results / f"{part}.csv")
                        note(options, part)
        note(options, part)


def learn(training: settings.Training, log: str, seed: int, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Train once, write the policy, and return the objectives of EASY, the rules and their Greedy."""
    place = options.work / training.name / log / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    jobs = common.workload(log, settings.QUICK, options.quick)
    arguments, kind = dict(training.settings), training.settings["kind"]
    if options.evaluations is not None:
        arguments["evaluations"] = options.evaluations
    symbiosis = Symbiosis(**training.symbiosis)
    if options.quick:
        arguments["evaluations"] = settings.QUICK[kind]
        symbiosis = replace(symbiosis, **settings.QUICK["symbiosis"])
    training_result = train_rules(
        jobs,
        wish(jobs),
        greedy=thirteenth(log, options, training.greedy),
        symbiosis=symbiosis,
        seed=seed,
        workers=options.workers,
        run_directory=place,
        progress=common.show_training(f"{training.name} {log} {seed}"),
        **arguments,
    )
    file = weeks.policy_file(options.results, training.name, log, seed)
    file.parent.mkdir(exist_ok=True)
    save_policy(training_result.policy, file)
    about = {
        "training": training.name,
        "log": log,
        "seed": seed,
        "evaluations": training_result.evaluations,
        "kernel_seconds": round(training_result.seconds, 1),
        "wall_seconds": common.wall_seconds(place / "rules"),
    }
    names = ("EASY", "rules", "Greedy")
    rows = [
        about | {"system": name} | row["workloads"][0] for name, row in zip(names, training_result.rows(), strict=True)
    ]
    if kind == "symbiotic":
        costs = goal(wish(jobs), read_values(place / "rules")[0])
        for name, first, last in evolution(costs, symbiosis):
            least = float(min(costs[first:last], default=np.nan))
            gain = 100 * (1 - least / rows[0]["objective"])
            rows.append(about | {"system": name, "evaluations": last, "objective": least, "vs_easy": gain})
    return rows


def evolution(costs: np.ndarray, symbiosis: Symbiosis) -> list[tuple[str, int, int]]:
    """Return the ranges of rule bases, (name, first, last): each strategy alone, and evolution until it ended.

    Evolution ends when it stands still, or when the run is stopped.

    Parameters
    ----------
    costs
        (n,) costs of all rule bases, in their order.
    symbiosis
        The parameters of the evolution.
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


def cut_work(log: str, options: argparse.Namespace) -> dict[str, Any]:
    """Return how many jobs of a log, as recorded, are cut at their requests, and the share of all work that goes."""
    jobs = common.stand_in(log, settings.QUICK) if options.quick else common.log_of(log)
    cut = [repair for repair in jobs.repairs if repair.work_percent is not None]
    row = {"training": CUT, "log": log, "seed": 0, "jobs": len(jobs)}
    return row | {"cut_jobs": sum(r.jobs for r in cut), "work_percent": sum(r.work_percent or 0.0 for r in cut)}


def limits(log: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return limits of any gain: without any wait, and with the groups of the objective alone on the machine."""
    whole = common.workload(log, settings.QUICK, options.quick)
    aim = wish(whole)
    names = [o.name for o in objective_table(whole.groups)]
    easy = ps.objectives(ps.simulate(whole, "easy"))
    group_numbers = {int(name.removeprefix("AWRT")) - 1 for name, _ in aim.weights}
    of_groups = whole.take(np.flatnonzero(np.isin(whole.group, sorted(group_numbers))))
    by_system = {"nobody waits": ps.objectives(ps.Schedule(whole, whole.submit))}
    for rule in ("fcfs", "easy", "conservative", "list"):
        by_system[f"groups 1 and 2 alone, {rule}"] = ps.objectives(ps.simulate(of_groups, rule))
    of_easy = float(goal(aim, easy[None])[0])
    rows = []
    for system, values in by_system.items():
        objective = float(goal(aim, values[None])[0])
        row = {"training": LIMITS, "log": log, "seed": 0, "jobs": len(whole), "system": system, "objective": objective}
        rows.append(row | {"vs_easy": 100 * (1 - objective / of_easy)} | dict(zip(names, values.tolist(), strict=True)))
    return rows


def alone(log: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the objectives of each of the thirteen strategies alone."""
    jobs, last = common.workload(log, settings.QUICK, options.quick), thirteenth(log, options)
    aim = wish(jobs)
    names = [o.name for o in objective_table(jobs.groups)]
    easy = ps.objectives(ps.simulate(jobs, "easy"))
    rows = []
    for number, strategy in enumerate(STRATEGIES):
        base = RuleBase("iterative", jobs.groups, jobs.groups, last, ((),) * (len(jobs.groups) + 2), np.array([number]))
        values = ps.objectives(ps.simulate(jobs, base))
        objective, of_easy = goal(aim, np.array([values, easy])).tolist()
        row = {"training": ALONE, "log": log, "seed": 0, "system": strategy, "objective": objective}
        rows.append(row | {"vs_easy": 100 * (1 - objective / of_easy)} | dict(zip(names, values.tolist(), strict=True)))
    return rows


def keep(fresh: list[dict[str, Any]], path: Path) -> None:
    """Write rows into a file; they replace those of the same training, log and seed."""
    key = ("training", "log", "seed")
    key_of_fresh = [str(fresh[0][name]) for name in key]
    before = [row for row in common.rows(path) if [row[name] for name in key] != key_of_fresh]
    order = [CUT, LIMITS, ALONE, *(training.name for training in settings.TRAININGS)]
    rows = [*before, *fresh]
    logs = [*common.LOGS, settings.RAISED]
    rows.sort(key=lambda row: (order.index(row["training"]), logs.index(row["log"]), int(row["seed"])))
    save_rows(rows, path)


def thirteenth(log: str, options: argparse.Namespace, criterion: str = "f2") -> ps.Policy:
    """Return the Greedy of a log: the one of experiments/greedy, or else a newly trained one."""
    path = common.ROOT / settings.KNOWN_GREEDY.get((log, criterion), "none")
    if not options.quick and path.is_file():
        return ps.load_policy(path)
    place = options.work / ("greedy" if criterion == "f2" else f"greedy-{criterion}") / log
    place.parent.mkdir(parents=True, exist_ok=True)
    arguments = settings.GREEDY | {"criterion": criterion}
    if options.quick:
        arguments |= {"generations": settings.QUICK["generations"]}
    jobs = common.workload(log, settings.QUICK, options.quick)
    show = common.show_training(f"Greedy of {log}", every=10)
    return ps.train(jobs, wish(jobs), run_directory=place, workers=options.workers, progress=show, **arguments).policy


def trained_policies(results: Path, log: str) -> dict[str, ps.Policy]:
    """Return the rule bases of a log by kind, each of the seed with the median objective, not of the luckiest one."""
    by_kind = {}
    for kind in KINDS:
        policies = [ps.load_policy(path) for path in sorted((results / "policies").glob(f"{kind}-{log}-[0-9].json"))]
        if policies:
            by_objective = sorted(policies, key=lambda policy: policy.provenance["objective"])
            by_kind[kind] = by_objective[(len(policies) - 1) // 2]
    return by_kind


def policies_of_ctc(results: Path) -> dict[str, ps.Policy]:
    """Return the rule bases of CTC, as `trained_policies` does; if a kind was not trained, the script ends."""
    names = trained_policies(results, "CTC")
    for kind in KINDS:
        if kind not in names:
            common.fail(f"{results / 'policies'} has no {kind} rule base of CTC; run the part {kind} first")
    return names


def comparison_rows(log: str, names: dict[str, ps.Policy], front: ps.Front | None, quick: bool) -> list[dict[str, Any]]:
    """Return the rows of a comparison of policies on a log, with these names."""
    jobs = common.workload(log, settings.QUICK, quick)
    own_policies = [replace(policy, name=name) for name, policy in names.items()]
    rows = []
    for row in ps.compare(jobs, ["fcfs", "conservative", *own_policies], front, wish(jobs)).rows():
        for key in ("waits", "utilisation_over_time", "classes", "searched"):
            row.pop(key, None)
        rows.append({"log": log, **({"front": len(front)} if front else {}), **row})
    return rows


def on_every_log(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return the rows of the rule bases trained on CTC on every log: figure 7 of the paper."""
    names = rules_of_ctc(options.results)
    return [row for log in ALL_LOGS for row in comparison_rows(log, names, None, options.quick)]


def rules_of_ctc(results: Path) -> dict[str, ps.Policy]:
    """Return the rule bases of CTC by what figure 7 calls them; the iterative one also with EASY where unseen."""
    names = {f"{kind} rules of CTC": policy for kind, policy in policies_of_ctc(results).items()}
    iterative = names["iterative rules of CTC"]
    counts = np.array(iterative.provenance["decisions"])
    names[settings.UNSEEN] = with_unseen(iterative, counts, "easy by wait")
    return names


def over_weeks(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return how certain the gains of the rule bases in the results are, where they learnt and, of CTC, elsewhere."""
    alone = common.rows(options.results / f"{ALONE}.csv")
    return [
        *weeks.of_trainings(options.results, alone, options.quick),
        *weeks.of_transfer(rules_of_ctc(options.results), alone, options.quick),
    ]


def positions(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Return policies trained on CTC, and untrained ones, with the front of Table 4 of report CI-190/05: figure 6."""
    names = {f"{kind} rules": policy for kind, policy in policies_of_ctc(options.results).items()}
    untrained = {name: weeks.always(name, next(iter(names.values()))) for name in settings.BY_PRIORITY}
    names |= {"Greedy f2": thirteenth("CTC", options)} | untrained
    return comparison_rows("CTC", names, front(options), options.quick)


def front(options: argparse.Namespace) -> ps.Front:
    """Return the merged front of Table 4 of report CI-190/05 on CTC; runs that are missing are explored."""
    place = (options.work / "fronts" if options.quick else options.fronts) / "CTC"
    place.parent.mkdir(parents=True, exist_ok=True)
    rows = PLANS["paper002"]
    if options.quick:
        size = settings.QUICK
        rows = [shorten(r, size["evaluations"], size["population"]) for r in rows if r.name == "weighting"]
    explore_plan(common.workload("CTC", settings.QUICK, options.quick), place, tuple(rows), workers=options.workers)
    return ps.merge([ps.load_front(place / row.name) for row in rows])  # other runs may lie there, too


def wish(jobs: ps.Workload) -> Wish:
    """Return the wish for the paper's objective."""
    return parse(settings.OBJECTIVE, objective_table(jobs.groups))


def note(options: argparse.Namespace, part: str) -> None:
    """Write what the results depend on."""
    about: dict[str, Any] = {"quick": options.quick, "objective": settings.OBJECTIVE}
    about |= {"processors": common.PROCESSORS, "scaling_seed": common.SCALING_SEED, "cores": os.cpu_count()}
    about["workloads"] = common.about_workloads(
        ALL_LOGS, lambda log: common.workload(log, settings.QUICK, options.quick)
    )
    about["greedy"] = settings.GREEDY
    about["trainings"] = [training._asdict() for training in settings.TRAININGS]
    common.save_provenance(options.results, about, ("scipy",), [part])


if __name__ == "__main__":
    main()
