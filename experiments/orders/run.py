"""Train orders ingredient by ingredient, and over scaling draws; the results go to results/orders; it continues."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import save_rows
from paretosched.encodings.trained_order import TrainedOrders
from paretosched.policies.policy_json import from_json, to_json
from paretosched.search.evaluation import Compute, versions
from paretosched.simulation.objective import objective_table
from paretosched.training.priority_training import search_orders, soft_costs
from paretosched.training.task import Data, Task, by_weight, data_of, important_groups, tasks
from paretosched.training.training import carry_out
from paretosched.wishes.best_possible import best_possible, most_gain
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation

INGREDIENTS, DRAWS = PARTS = ("ingredients", "draws")


def main() -> None:
    """Run everything, or the parts of the options."""
    parser = common.run_parser("orders", __doc__, "made-up logs, one seed, few simulations", PARTS)
    parser.add_argument("--seeds", type=int, default=settings.SEEDS, help="how many, from 0 (default: %(default)s)")
    common.add_workers(parser)
    common.add_work(parser, "orders", "trainings")
    options = parser.parse_args()
    if options.quick:
        for key, value in settings.QUICK.items():
            setattr(settings, key, value)
        settings.LEARNERS = settings.QUICK_LEARNERS
    options.results.mkdir(parents=True, exist_ok=True)
    parts = options.part or PARTS
    for part in parts:
        of_part: list[dict[str, Any]] = []
        for rows in {INGREDIENTS: rows_of_ingredients, DRAWS: rows_of_draws}[part](options):
            of_part += rows
            save_rows(of_part, options.results / f"{part}.csv")
    note: dict[str, Any] = {"quick": options.quick, "objective": settings.OBJECTIVE, "limits": settings.LIMITS}
    note |= {"evaluations": settings.EVALUATIONS, "ingredients": settings.INGREDIENTS, "learners": settings.LEARNERS}
    note |= {"learnt": settings.LEARNT, "others": settings.OTHERS}
    note["workloads"] = {log: {"jobs": len(of_log(log, options.quick))} for log in settings.LOGS}
    note["parts"] = sorted({*common.earlier_parts(options.results), *parts})
    common.save_provenance(options.results, note, ("cma", "scipy"))


@cache
def of_log(log: str, quick: bool) -> ps.Workload:
    """Return a log as the papers scale it, or a small made-up workload."""
    return common.workload(log, settings.QUICK_SIZE, quick)


@cache
def draw(seed: int, quick: bool) -> ps.Workload:
    """Return the log of the draws, scaled with a seed."""
    if quick:
        return common.stand_in(settings.LOG, settings.QUICK_SIZE | {"seed": settings.QUICK_SIZE["seed"] + seed})
    return common.scaling_of(settings.LOG, seed).with_(name=f"{settings.LOG} draw {seed}")


# --- ingredient by ingredient -----------------------------------------------------------------------------------------


def rows_of_ingredients(options: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    """Yield what is reached with each ingredient, seed by seed and log by log: a part of the whole is of use."""
    for seed in range(options.seeds):
        for log in settings.LOGS:
            rows = []
            for name, varied in settings.INGREDIENTS.items():
                train = partial(train_with, log, varied, seed, options)
                policy = trained_policy(f"{log}/{name}/{seed}", (of_log(log, options.quick),), train, options)
                label = {"log": log, "ingredients": name, "seed": seed}
                rows.append(label | what_it_reaches(of_log(log, options.quick), policy))
            yield rows


def train_with(log: str, varied: tuple[str, ...], seed: int, options: argparse.Namespace) -> ps.Policy:
    """Train an order with some ingredients of the class, as `train_priority` does it with all of them."""
    data = data_of(of_log(log, options.quick), settings.WISH, None, None, 0, 0, seed)
    task, encoding, important = search_task(data)
    groups = task.workloads[0].groups
    words = {"class": "priority", "varied": list(varied), "evaluations": settings.EVALUATIONS} | data.settings()
    name = f"{log}/{'-'.join(varied) or 'one order'}/{seed}"
    (options.work / name).parent.mkdir(parents=True, exist_ok=True)
    record = carry_out(
        "train priority",
        task,
        words,
        lambda: search_orders(encoding, groups, important, settings.EVALUATIONS, seed, varied),
        encoding,
        evaluations=settings.EVALUATIONS,
        software=versions() | {"cma": version("cma")},
        compute=Compute(options.workers, progress=common.show_training(name, 20)),
        run_directory=options.work / name,
        costs=lambda values: soft_costs(task, values),
    )
    whole = np.flatnonzero(encoding.online(record.genomes))
    best = whole[int(task.fitness(record.values[whole]).argmin())]
    return encoding.policy_of(record.genomes[best], groups)


def search_task(data: Data) -> tuple[Task, TrainedOrders, int]:
    """Return what a training minimises, the orders to search, and the number of groups that the wish wants first."""
    task, _ = tasks(data)
    groups = task.workloads[0].groups
    return task, TrainedOrders(by_weight(data.wish, groups), ("easy",)), len(important_groups(data.wish, groups))


# --- scaling draws ----------------------------------------------------------------------------------------------------


def rows_of_draws(options: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    """Yield what untrained and trained policies reach on every draw."""
    every = [draw(seed, options.quick) for seed in (*settings.LEARNT, *settings.OTHERS)]
    for named in settings.UNTRAINED:
        yield [
            {"policy": named, "seed": "", "draw": number, **what_it_reaches(w, named)} for number, w in enumerate(every)
        ]
    for seed in range(options.seeds):
        for name, (learnt, function, words) in settings.LEARNERS.items():
            train = partial(train_on_draws, name, every[:learnt], function, words, seed, options)
            policy = trained_policy(f"draws/{name}/{seed}", every[:learnt], train, options)
            yield [{"policy": name, "seed": seed, "draw": i, **what_it_reaches(w, policy)} for i, w in enumerate(every)]


def train_on_draws(
    name: str,
    workloads: list[ps.Workload],
    function: str,
    words: dict[str, Any],
    seed: int,
    options: argparse.Namespace,
) -> ps.Policy:
    """Train a policy on some draws, or take the best of random ones."""
    if function == settings.RANDOM:
        task, _, _ = search_task(data_of(workloads, settings.WISH, None, None, 0, 0, seed))
        return common.best_random_order(task, seed=seed, **words)[0]
    place = options.work / "draws" / name.replace(", ", "-") / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    training = getattr(ps, function)(
        workloads,
        settings.WISH,
        seed=seed,
        workers=options.workers,
        run_directory=place,
        progress=common.show_training(f"{name} {seed}", 20),
        **words,
    )
    policy: ps.Policy = training.policy
    return policy


# --- trainings and what they reach ------------------------------------------------------------------------------------


def trained_policy(
    name: str,
    learnt: tuple[ps.Workload, ...] | list[ps.Workload],
    train: Callable[[], ps.Policy],
    options: argparse.Namespace,
) -> ps.Policy:
    """Return a trained policy, from the results if they have it: with the digests of the jobs it learnt from."""
    earlier = common.load_policies(options.results)
    digests = [w.digest for w in learnt]
    if name in earlier and earlier[name]["jobs"] == digests:
        return from_json(earlier[name]["policy"], name)
    policy = train()
    earlier[name] = {"jobs": digests, "policy": to_json(policy)}
    common.save_policies(options.results, earlier)
    return policy


def what_it_reaches(w: ps.Workload, policy: str | ps.Policy) -> dict[str, Any]:
    """Return the gains of a policy over EASY, its violation of the limits, and what is proved to be possible."""
    easy, wish, possible = about(w)
    schedule = ps.simulate(w, policy)
    values = np.asarray(ps.objectives(schedule))
    reference = np.asarray(ps.objectives(easy))
    of_easy, value = goal(wish, np.array([reference, values])).tolist()
    row: dict[str, Any] = {"objective": value, "objective_vs_easy": 100 * (1 - value / of_easy)}
    row |= {"exceeded": float(violation(wish, values[None])[0]), "possible_vs_easy": possible}
    names = [o.name for o in objective_table(w.groups)]
    for name, before, after in zip(names, reference.tolist(), values.tolist(), strict=True):
        if name != "UTIL":
            row[f"{name}_vs_easy"] = gain(before, after)
    waits, of_easy_waits = ps.waits(schedule).p95, ps.waits(easy).p95
    for place, group in enumerate(("all", *(str(i + 1) for i in range(len(w.groups))))):
        row |= {f"wait_p95_{group}": float(waits[place]), f"wait_p95_{group}_easy": float(of_easy_waits[place])}
    return row


def gain(before: float, after: float) -> float:
    """Return a gain in per cent."""
    return 100 * (1 - after / before)


@cache
def about(w: ps.Workload) -> tuple[ps.Schedule, Any, float | None]:
    """Return EASY's schedule, the wish with numbers for limits, and the most that any schedule can gain, per cent."""
    easy = ps.simulate(w, settings.EASY)
    wish = resolved_on(ps.as_wish(settings.WISH, w.groups), w)
    of_easy: Floats = goal(wish, np.asarray(ps.objectives(easy))[None])
    return easy, wish, most_gain(best_possible(wish, w), wish, float(of_easy[0]))


if __name__ == "__main__":
    main()
