"""What the draw is worth: random weightings and NSGA-II from tied ones, beside the archive search; a part of `run.py`.

Tied weightings have one criterion and the same genes in all three situations, on a logarithmic scale. Weak orders are
orders of the groups, some of equal rank: of these the archive search begins with some beside its tied draws.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from measuring import by_seed, front_and_box, with_spread

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.encodings.orders import queue_policy, weak_orders
from paretosched.fronts.quality_indicators import REACH, course
from paretosched.search.runs import read_values

FILE = "draws.csv"
COLUMN = f"hypervolume {REACH}"
ARCHIVE, DRAWN = "archive", ("random", "nsga2")  # algorithms; the first one always draws tied weightings
UNTIED, TIED, BEGUN = "uniform", "tied", "tied and weak orders"
NEAR = 0.01  # of the box, less than which the search is hardly ahead
WEAK = 40  # weak orders of the groups to begin with


def measures(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Search with every algorithm, draw and seed, and yield a row for every one and every budget."""
    total = max(settings.BUDGETS)
    runs: dict[tuple[str, str, int], Path] = {}
    for seed in seeds:
        of_others = [(name, draw) for name in DRAWN for draw in (UNTIED, TIED)]
        for algorithm, draw in [(ARCHIVE, TIED), *of_others, (ARCHIVE, BEGUN)]:
            words: dict[str, Any] = {}  # as in the part `searches`
            if draw == BEGUN:
                words = {"start": begun_with(workload, work / log / f"weak-{seed}", seed)}
            elif draw == TIED and algorithm != ARCHIVE:
                words = {"draw": draw}
            of_draw = {BEGUN: "-weak", TIED: "-tied"}[draw] if words else ""
            run = runs[algorithm, draw, seed] = work / log / f"{algorithm}{of_draw}-{seed}"
            run.parent.mkdir(parents=True, exist_ok=True)
            words |= {"seed": seed, "algorithm": algorithm, "population": settings.POPULATION}
            ps.explore(workload, run, evaluations=total, **words)
            print(f"  {log} {algorithm}, {draw}, seed {seed}: {total:,}", flush=True)
    whole, box = front_and_box(workload, runs.values())
    for (algorithm, draw, seed), run in runs.items():
        values, _ = read_values(run)
        found = course(values[:total], whole.objectives, settings.BUDGETS, box, whole).hypervolume
        for budget, hypervolume in zip(settings.BUDGETS, found.tolist(), strict=True):
            row = {"log": log, "jobs": len(workload), "algorithm": algorithm, "draw": draw, "seed": seed}
            yield row | {"evaluations": budget, COLUMN: round(hypervolume, 5)}


def begun_with(workload: ps.Workload, folder: Path, seed: int) -> list[str]:
    """Return the paths of random weak orders of the groups as policies, which are written to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    orders = weak_orders(len(workload.groups))
    rows = np.random.default_rng(seed).choice(len(orders), size=min(WEAK, len(orders)), replace=False)
    paths = [folder / f"{row}.json" for row in rows.tolist()]
    for path, row in zip(paths, rows.tolist(), strict=True):
        ps.save_policy(queue_policy(orders[row], workload.groups, "easy"), path)
    return [str(path) for path in paths]


def same_draw(results: Path) -> str:
    """Return in words how far the archive search gets, and random weightings that are drawn as it draws; "" if not run.

    This is the baseline: against weightings from another distribution the search would be given what is the draw's.
    """
    table = common.rows(results / FILE)
    if not table:
        return ""
    many = max(int(row["evaluations"]) for row in table)
    logs = [*dict.fromkeys(row["log"] for row in table)]
    archive, tied = (
        np.array(
            [by_seed(table, COLUMN, log=log, algorithm=a, draw=TIED, evaluations=many).mean() for log in logs],
        )
        for a in (ARCHIVE, "random")
    )
    more = archive - tied
    near = [log for log, gain in zip(logs, more.tolist(), strict=True) if gain < NEAR]
    words = f" and nearly tie on {len(near)} of {len(logs)} logs ({', '.join(near)})" if near else ""
    return (
        f"After {many:,} simulations the default search dominates {archive.mean():.3f} of the owner's box; weightings "
        f"drawn at random as it draws them have {tied.mean():.3f}{words}"
    )


def behind(results: Path) -> str:
    """Return in words what random draws reach of the archive search if they are tied as its own; "" if not run."""
    table = common.rows(results / FILE)
    if not table:
        return ""
    budgets = [int(row["evaluations"]) for row in table]
    few, many = min(budgets), max(budgets)
    logs = [*dict.fromkeys(row["log"] for row in table)]

    def mean(log: str, algorithm: str, drawn: str, evaluations: int) -> float:
        found = by_seed(table, COLUMN, log=log, algorithm=algorithm, draw=drawn, evaluations=evaluations)
        return float(found.mean())

    shares = []
    for log in logs:
        ways = (ARCHIVE, TIED), ("random", TIED), ("random", UNTIED)
        archive, tied, untied = (mean(log, *way, many) for way in ways)
        if archive > untied:
            shares.append(100 * (tied - untied) / (archive - untied))
    early = sum(mean(log, "random", TIED, few) > mean(log, ARCHIVE, TIED, few) for log in logs)
    ahead = f"after {few:,} tied random ones are ahead of it on {early} of {len(logs)} logs"
    if not shares:  # it has no lead
        return ahead
    made = f"makes {min(shares):.0f} to {max(shares):.0f} % of its lead over untied random weightings"
    return f"after {many:,} the draw alone {made}, and {ahead}"


def summary(results: Path) -> list[str]:
    """Return the part of the summary about draws."""
    if not (results / FILE).exists():
        return ["## Draws", "", *common.not_run("draw")]
    table = common.rows(results / FILE)
    logs, budgets = ([*dict.fromkeys(row[key] for row in table)] for key in ("log", "evaluations"))
    ways = [*dict.fromkeys((row["algorithm"], row["draw"]) for row in table)]

    def values(log: str, way: tuple[str, str], budget: str) -> Floats:
        algorithm, drawn = way
        return by_seed(table, COLUMN, log=log, algorithm=algorithm, draw=drawn, evaluations=budget)

    lines = ["## Draws", "", "| log | algorithm | draw | " + " | ".join(f"{int(b):,}" for b in budgets) + " |"]
    lines += ["| --- | --- | --- |" + " ---: |" * len(budgets)]
    for log in logs:
        for way in ways:
            cells = [with_spread(values(log, way, budget)) for budget in budgets]
            lines.append(f"| {log} | {' | '.join(way)} | " + " | ".join(cells) + " |")
    gained = []
    for name in DRAWN:
        of_budgets = []
        for budget in budgets:
            more = [values(log, (name, TIED), budget) - values(log, (name, UNTIED), budget) for log in logs]
            of_budgets.append(f"{np.mean(more):+.3f} after {int(budget):,}")
        gained.append(f"`{name}` {', '.join(of_budgets)}")
    last = budgets[-1]
    most = {log: max(values(log, way, last).mean() for way in ways if way[0] != ARCHIVE) for log in logs}
    ahead = [values(log, (ARCHIVE, TIED), last).mean() - most[log] for log in logs]
    by_orders = []
    for budget in budgets:
        more = [values(log, (ARCHIVE, BEGUN), budget) - values(log, (ARCHIVE, TIED), budget) for log in logs]
        ends = [float(of_log.mean()) for of_log in more]
        by_orders.append(f"{np.mean(ends):+.3f} after {int(budget):,} ({min(ends):+.3f} to {max(ends):+.3f} by log)")
    about = (
        f"Hypervolume to {REACH} times EASY after so many simulations, in a box from the best of these runs alone, so "
        "that the numbers are not those of the tables above; mean and standard deviation of "
        f"{len({row['seed'] for row in table})} seeds. *Tied* (`--draw tied`): one criterion and the same genes "
        "in all three situations, on a logarithmic scale. Gained by it, in the mean of logs and seeds: "
        f"{'; '.join(gained)}. `{ARCHIVE}`, which always begins so, has {min(ahead):+.3f} to {max(ahead):+.3f} more, "
        f"by log, than the best of the others after {int(last):,}. With {WEAK} random weak orders of the groups "
        f"(several may share a rank) among its first {settings.POPULATION} it has {', '.join(by_orders)}."
    )
    return [*lines, "", about, ""]
