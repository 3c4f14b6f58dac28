"""Try policies on jobs that they have not learnt from, and write the results to results/online; it continues."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from common import number
from tried import (
    about,
    larger,
    learners,
    learning_and_test,
    policies,
    scaling_of,
    seeds,
    splits,
    workload,
)

import paretosched as ps
from paretosched.comparison.intervals import WeekSums, join_sums, week_sums
from paretosched.core.files import replacing
from paretosched.core.tables import save_rows
from paretosched.encodings.trained_order import POLICY, WINDOW, TrainedOrders
from paretosched.policies.policy_json import from_json, to_json
from paretosched.simulation.objective import objective_table
from paretosched.training.task import by_weight, data_of, tasks
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation

UNTRAINED, TRAINED, ESTIMATES, SCALINGS = PARTS = ("untrained", "trained", "estimates", "scalings")
SUMS = ("weighted", "easy_weighted", "work")  # by week of submission and group


def main() -> None:
    """Run everything, or the parts and logs of the options."""
    parser = common.run_parser("online", __doc__, "a made-up log, a few policies, one seed", PARTS)
    logs = (*settings.LOGS, *settings.SCALED)
    parser.add_argument("--log", action="append", choices=logs, help="may be given again; default: all")
    names = [learner.name for learner in learners(quick=False)]
    parser.add_argument("--seeds", type=int, help="how many of a training, from 0; default: those of settings.py")
    parser.add_argument(
        "--learner",
        action="append",
        choices=names,
        help="whose trainings are made; may be given again; default: all; those of the results are always taken along",
    )
    common.add_workers(parser)
    common.add_work(parser, "online", "trainings and measurements")
    options = common.options_of(parser)
    logs = options.log or (settings.QUICK_LOGS if options.quick else logs)
    parts = options.part or PARTS
    for part in parts:
        of_part: list[dict[str, Any]] = []
        if part == ESTIMATES:
            recorded = [log for log in logs if log not in settings.SCALED]
            for log in recorded:
                of_part += rows_of_estimates(log, options)
                save_part(part, "", of_part, recorded, options.results)
        elif part == SCALINGS:
            drawn = [log for log in logs if options.quick or log in settings.SCALED]
            drawn += [name for name, log in larger(options.quick).items() if log in logs]
            for log, scaling in product(drawn, (common.SCALING_SEED, *common.OTHER_SCALINGS)):
                of_part += rows_of_scaling(log, scaling, options)
                save_part(part, "", of_part, drawn, options.results)
        else:
            for seed, split in product(seeds(options) if part == TRAINED else (None,), settings.SPLITS):
                for log in logs:  # one seed and one split of all logs first, so that a part of the whole is of use
                    if split in splits(log, options.quick):
                        of_part += rows_of(part, log, split, seed, options)
                        save(part, of_part, logs, options.results)
    note: dict[str, Any] = {"quick": options.quick, "objective": settings.OBJECTIVE, "limits": settings.LIMITS}
    note |= {
        "splits": {log: splits(log, options.quick) for log in logs},
        "policies": policies(options.quick),
        "workers": options.workers,
        "learners": [learner._asdict() for learner in learners(options.quick)],
    }
    earlier = common.earlier_parts(options.results)
    of_others = common.load_provenance(options.results) if earlier else {"workloads": {}, "splits": {}}
    note["workloads"] = of_others["workloads"] | {log: about(log, options.quick) for log in logs}
    note["splits"] = of_others["splits"] | note["splits"]
    common.save_provenance(options.results, note, ("cma",), parts)


def save(part: str, of_part: list[dict[str, Any]], logs: Sequence[str], results: Path) -> None:
    """Write the rows of a part so far, and what they are over all rolling splits."""
    save_part(part, "", [without_sums(row) for row in of_part], logs, results)
    save_part(part, "-pooled", pool(of_part), logs, results)


def save_part(part: str, end: str, rows: list[dict[str, Any]], logs: Sequence[str], results: Path) -> None:
    """Write a table of a part, behind the rows of other logs."""
    path = results / f"{part}{end}.csv"
    save_rows([*rows_of_others(path, logs), *rows], path)


def rows_of_others(path: Path, logs: Iterable[str]) -> list[dict[str, str]]:
    """Return the rows that earlier calls have written about other logs."""
    return [row for row in common.rows(path) if row["log"] not in logs]


def without_sums(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without the sums of its weeks, which are not for a table."""
    return {key: value for key, value in row.items() if key not in SUMS}


# --- what is tried on each part ---------------------------------------------------------------------------------------


def rows_of(
    part: str, log: str, split: settings.Split, seed: int | None, options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield what every policy of a part reaches on the test part of a split of a log."""
    learning_part, test = learning_and_test(workload(log, options.quick), split)
    where: dict[str, Any] = {"part": part, "log": log, "split": split.name}
    if seed is None:
        for words in policies(options.quick):
            label = where | {"policy": words, "seed": "", "wish": ""}
            yield label | reached_by(test, words, options)
    else:
        for learner in learners(options.quick):
            found = earlier_or_new(Task(learner, seed, learning_part, split, log), options)
            if found is None:
                continue
            policy, about_training = found
            label = where | {"policy": learner.name, "seed": seed, "wish": learner.wish}
            yield label | reached_by(test, policy, options) | about_training


def rows_of_estimates(log: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield what policies reach on a whole log with each kind of estimates, against EASY with the requested ones."""
    whole = workload(log, options.quick)
    for words in settings.QUICK_ESTIMATED if options.quick else settings.ESTIMATED:
        for estimates in settings.ESTIMATES:
            label = {"part": ESTIMATES, "log": log, "policy": words, "estimates": estimates}
            yield without_sums(label | reached_by(whole, words, options, estimates))


def rows_of_scaling(log: str, scaling: int, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield what policies reach on the last part of a scaling of a log: untrained ones, and those of its first scaling.

    The latter are trainings of the results: none is made here. Of a log of `settings.LARGER` it is guarded orders
    alone, trained on the log as it was recorded.
    """
    last = settings.LAST
    of_small = larger(options.quick)
    learnt_on = of_small.get(log, log)
    _, test = learning_and_test(scaling_of(log, scaling, options.quick), last)
    where: dict[str, Any] = {"part": SCALINGS, "log": log, "scaling": scaling}
    for words in (settings.EASY, settings.GUARDED_ORDER) if log in of_small else policies(options.quick):
        yield where | {"policy": words, "seed": ""} | without_sums(reached_by(test, words, options))
    learning_part, _ = learning_and_test(workload(learnt_on, options.quick), last)
    tried = [one for one in learners(options.quick) if log not in of_small or one.function == settings.GUARDED]
    for seed, learner in product(seeds(options), tried):
        found = earlier_training(Task(learner, seed, learning_part, last, learnt_on), options.results)
        if found is not None:
            label = where | {"policy": learner.name, "seed": seed}
            yield label | without_sums(reached_by(test, found[0], options))


# --- trainings --------------------------------------------------------------------------------------------------------


class Task(NamedTuple):
    """A training: the learner, its seed, the jobs to learn from, and of which split of which log they are."""

    learner: settings.Learner
    seed: int
    jobs: ps.Workload
    split: settings.Split
    log: str

    @property
    def name(self) -> str:
        """The name in the results."""
        return f"{self.learner.name}/{self.log}/{self.split.name}/{self.seed}"

    @property
    def identity(self) -> dict[str, Any]:
        """What the policy depends on."""
        return {"jobs": self.jobs.digest, "learner": self.learner._asdict()}


def earlier_training(task: Task, results: Path) -> tuple[ps.Policy, dict[str, Any]] | None:
    """Return the policy of a training and what it says of itself if the results have it, None if not.

    The results keep every policy with the digest of the jobs it learnt from, so that the rows can be computed again
    without the hours of the trainings, on any machine.
    """
    earlier = common.load_policies(results)
    if task.name in earlier and {key: earlier[task.name][key] for key in task.identity} == task.identity:
        return from_json(earlier[task.name]["policy"], task.name), earlier[task.name]["about"]
    return None


def earlier_or_new(task: Task, options: argparse.Namespace) -> tuple[ps.Policy, dict[str, Any]] | None:
    """Return the policy of a training and what it says of itself, from the results if they have it.

    None: they do not have it, and the options leave it out.
    """
    found = earlier_training(task, options.results)
    if found is not None:
        return found
    if options.learner and task.learner.name not in options.learner:
        return None
    policy, about_training = training_of(task, options)
    earlier = common.load_policies(options.results)
    value = task.identity | {"policy": to_json(policy), "about": about_training}
    common.save_policies(options.results, earlier | {task.name: value})
    return policy, about_training


def training_of(task: Task, options: argparse.Namespace) -> tuple[ps.Policy, dict[str, Any]]:
    """Return the policy of a training, which is continued if it has begun, and what it says of itself."""
    learner, seed = task.learner, task.seed
    name = f"{learner.name.replace(', ', '-')}/{task.log}/{task.split.name.replace(' ', '')}"
    place = options.work / name / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    wish = settings.WISHES[learner.wish]
    if learner.function == settings.RANDOM:
        policy, about_training = random_order(task.jobs, wish, seed=seed, **learner.settings)
    else:
        training = getattr(ps, learner.function)(
            task.jobs,
            wish,
            seed=seed,
            workers=options.workers,
            run_directory=place,
            progress=common.show_training(f"{name} {seed}", 20),
            **learner.settings,
        )
        policy, best = training.policy, training.rows()[training.best + 1]
        about_training = {
            "train_vs_easy": best["workloads"][0]["vs_easy"],
            "train_exceeded": training.systems[training.best].exceeded,
            "margin": training.margin,
            "evaluations": training.evaluations,
            "kernel_seconds": round(training.seconds, 1),
        }
    return policy, about_training


def random_order(learning: ps.Workload, wish: str, *, evaluations: int, seed: int) -> tuple[ps.Policy, dict[str, Any]]:
    """Return the best of random policies of the class of trained orders, and what it reaches where it was chosen."""
    task, _ = tasks(data_of(learning, wish, None, None, 0, 0, seed))
    begin = time.process_time()
    groups = task.workloads[0].groups
    encoding = TrainedOrders(by_weight(task.wish, groups))
    lower, upper = encoding.lower_upper(len(groups))
    genomes = np.random.default_rng(seed).uniform(lower, upper, (evaluations, lower.size))
    genomes[:, [WINDOW, POLICY]] = 0.0
    tried = np.array([task.values_of(encoding.policy_of(genome, groups)) for genome in genomes])
    best = int(task.fitness(tried).argmin())
    (goal_value,), (exceeded,) = task.measure(tried[best][None])
    about_training = {
        "train_vs_easy": float(100 * (1 - goal_value / task.easy[0][0])),
        "train_exceeded": float(exceeded),
        "margin": 0.0,
        "evaluations": evaluations,
        "kernel_seconds": round(time.process_time() - begin, 1),
    }
    return encoding.policy_of(genomes[best], groups), about_training


# --- what it reaches --------------------------------------------------------------------------------------------------


def reached_by(
    test: ps.Workload, policy: str | ps.Policy, options: argparse.Namespace, estimates: str = "requested"
) -> dict[str, Any]:
    """Return what a policy reaches on a workload; from a file if it was simulated before."""
    value = ps.as_policy(policy)
    identity = f"{test.digest} {json.dumps(as_json(value), sort_keys=True)} {estimates}"
    place = options.work / "measured" / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.json"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        write(place, measure(test, value, estimates))
    values: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return values


def as_json(policy: ps.Policy) -> dict[str, Any]:
    """Return a policy as JSON without its provenance, which does not matter here."""
    return {key: value for key, value in to_json(policy).items() if key != "provenance"}


def write(path: Path, value: dict[str, Any]) -> None:
    """Write JSON, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(value), encoding="utf-8")


def measure(test: ps.Workload, policy: ps.Policy, estimates: str) -> dict[str, Any]:
    """Return objectives, gains over EASY, violation of the limits, waits and slowdowns, and the sums of the weeks."""
    easy, schedule = ps.simulate(test, settings.EASY), ps.simulate(test, policy, estimates)
    reference, values = (np.asarray(ps.objectives(each)) for each in (easy, schedule))
    names = [o.name for o in objective_table(test.groups)]
    row: dict[str, Any] = {"jobs": len(test), "weeks": int((test.submit[-1] - test.submit[0]) // (7 * 86400)) + 1}
    row |= {"objective": None, "objective_vs_easy": None, "exceeded": None}
    limits = resolved_on(ps.as_wish(settings.WISHES["limits"], test.groups), test)
    if not np.isnan([values[names.index(name)] for name in limits.aims]).any():
        of_easy, value = goal(limits, np.array([reference, values])).tolist()
        row |= {"objective": value, "objective_vs_easy": 100 * (1 - value / of_easy)}
        row["exceeded"] = float(violation(limits, values[None])[0])
    for name, before, after in zip(names, reference.tolist(), values.tolist(), strict=True):
        row |= {name: number(after), f"{name}_vs_easy": number(100 * (before - after) / before if before else np.nan)}
    waits, of_easy_waits = ps.waits(schedule), ps.waits(easy)
    for place, group in enumerate(("all", *(str(i + 1) for i in range(len(test.groups))))):
        row[f"wait_p95_{group}"] = number(waits.p95[place])
        row[f"wait_p95_{group}_easy"] = number(of_easy_waits.p95[place])
        row[f"slowdown_{group}"] = number(waits.slowdown_mean[place])
    sums, of_easy_sums = week_sums(schedule), week_sums(easy)
    values_of_sums = (sums.weighted, of_easy_sums.weighted, sums.work)
    return row | dict(zip(SUMS, (array.tolist() for array in values_of_sums), strict=True))


def pool(per_split: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the gains over all rolling splits of a log as one, with intervals, by policy and seed.

    Splits in which a group of the objective has no jobs do not count.
    """
    rolling = [split.name for split in (*settings.ROLLING, settings.SPARE)]
    rows = []
    of_rolling = [row for row in per_split if row["split"] in rolling and row["objective_vs_easy"] is not None]
    for log, policy, seed in dict.fromkeys((row["log"], row["policy"], row["seed"]) for row in of_rolling):
        mine = [row for row in of_rolling if (row["log"], row["policy"], row["seed"]) == (log, policy, seed)]
        sums = [
            join_sums([WeekSums(np.array(row[key]), np.array(row["work"])) for row in mine])
            for key in ("easy_weighted", "weighted")
        ]
        row = {"log": log, "policy": policy, "seed": seed, "weeks": len(sums[0].work), "splits": len(mine)}
        groups = tuple(str(i + 1) for i in range(sums[0].work.shape[1]))
        ends = common.ends_of_gains(sums, ps.as_wish(settings.OBJECTIVE, groups))
        rows.append(row | {name.removeprefix("objective_"): end for name, end in ends.items()})
    return rows


if __name__ == "__main__":
    main()
