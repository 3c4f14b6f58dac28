"""Search the front of schedules with several algorithms at equal effort; the results go to results/search.

A run that exists is not simulated again, so that logs and seeds can be added by later calls.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import save_rows
from paretosched.fronts.dominance import nondominated_rows
from paretosched.fronts.quality_indicators import hypervolume
from paretosched.search.runs import read_values
from paretosched.search.settings import settle
from paretosched.simulation.objective import objective_table

Key = tuple[str, int]
"""An algorithm and a seed."""


def main() -> None:
    """Search on all logs, or on those of the options, and measure what is there."""
    parser = common.run_parser("search", __doc__, "a made-up log and few simulations")
    parser.add_argument("--log", action="append", choices=settings.LOGS, help="may be given again; default: all")
    parser.add_argument("--seeds", type=int, help="how many, from 0; default: all of settings.py")
    common.add_work(parser, "search")
    options = parser.parse_args()
    if options.quick:
        for key, value in settings.QUICK.items():
            setattr(settings, key, value)
    seeds = range(settings.SEEDS if options.seeds is None else options.seeds)
    options.results.mkdir(parents=True, exist_ok=True)
    for log in options.log or settings.LOGS:
        workload = part_of(log, options.quick)
        values = {
            (algorithm, seed): search(workload, options.work / log / f"{algorithm}-{seed}", algorithm, seed)
            for seed in seeds
            for algorithm in settings.ALGORITHMS
        }
        others = [row for row in common.rows(options.results / "courses.csv") if row["log"] != log]
        save_rows([*others, *measures(log, workload, values)], options.results / "courses.csv")
    note: dict[str, Any] = {"quick": options.quick, "population": settings.POPULATION, "reaches": settings.REACHES}
    note |= {"reach": settings.REACH, "wishes": settings.WISHES, "shares": settings.LOGS}
    common.save_provenance(options.results, note, ("moocore", "pymoo"))


def part_of(log: str, quick: bool) -> ps.Workload:
    """Return the first part of a log, as it was recorded."""
    return common.stand_in(log, settings.QUICK_SIZE) if quick else ps.split(common.log_of(log), settings.LOGS[log])[0]


def search(workload: ps.Workload, run: Path, algorithm: str, seed: int) -> Floats:
    """Return the objective values of all evaluations of a run, (n, m), which is made or continued."""
    run.parent.mkdir(parents=True, exist_ok=True)
    total = max(settings.BUDGETS)
    ps.explore(workload, run, evaluations=total, population=settings.POPULATION, seed=seed, algorithm=algorithm)
    values, _ = read_values(run)
    print(f"  {run.parent.name} {run.name}: {len(values):,}", flush=True)
    return values


def measures(log: str, workload: ps.Workload, runs: dict[Key, Floats]) -> Iterator[dict[str, Any]]:
    """Yield a row for every run and budget: what of the owner's box it has found, and what it took by itself."""
    easy = np.asarray(ps.objectives(ps.simulate(workload, "easy")))[2:]
    best = np.min([values[:, 2:].min(axis=0) for values in runs.values()], axis=0)
    reference = front_in_box(np.concatenate(list(runs.values())), workload, best, easy)
    wishes = np.random.default_rng(0).dirichlet(np.ones(easy.size), size=settings.WISHES)
    for (algorithm, seed), values in runs.items():
        own = own_milliseconds(workload, algorithm, seed, values)
        for budget in settings.BUDGETS:
            first = values[:budget]
            row = {"log": log, "jobs": len(workload), "algorithm": algorithm, "seed": seed, "evaluations": len(first)}
            for reach in settings.REACHES:
                row[f"hypervolume {reach}"] = round(hypervolume((first[:, 2:] - best) / (reach * easy - best), 1.0), 5)
            places = front_in_box(first, workload, best, easy)
            row["igd_plus"] = round(igd_plus(places, reference), 5)
            row["epsilon"] = round(epsilon(places, reference), 5)
            row["wish gain %"] = round(100 * wish_gain(first[:, 2:], easy, wishes), 3)
            row["own ms"] = round(own, 3)
            yield row


def front_in_box(values: Floats, workload: ps.Workload, best: Floats, easy: Floats) -> Floats:
    """Return the front of some evaluations, (k, m), within the owner's box, (r, G): 0 is the best found, 1 its end."""
    inside = values[(values[:, 2:] < settings.REACH * easy).all(axis=1)]
    kept = inside[nondominated_rows(inside, objective_table(workload.groups))] if len(inside) else inside
    places: Floats = (kept[:, 2:] - best) / (settings.REACH * easy - best)
    return places


def igd_plus(places: Floats, reference: Floats) -> float:
    """Return the mean distance from the reference front to the nearest place of a front that is not better, IGD+."""
    return float(np.mean([np.linalg.norm(np.maximum(places - r, 0), axis=1).min(initial=np.inf) for r in reference]))


def epsilon(places: Floats, reference: Floats) -> float:
    """Return by how much a front must be moved so that it is nowhere worse than the reference, the additive epsilon."""
    return float(max((places - r).max(axis=1).min(initial=np.inf) for r in reference))


def wish_gain(times: Floats, easy: Floats, wishes: Floats) -> float:
    """Return the mean over wishes of what the best schedule within the box gains over EASY, as a share."""
    inside = np.concatenate([times[(times <= settings.REACH * easy).all(axis=1)], easy[None]])
    return float(np.mean(1 - (wishes @ inside.T).min(axis=1) / (wishes @ easy)))


def own_milliseconds(workload: ps.Workload, algorithm: str, seed: int, values: Floats) -> float:
    """Return the processor time of the algorithm alone, milliseconds an evaluation: it is sent the costs once more."""
    about = settle(workload, {}, seed=seed, population=settings.POPULATION, algorithm=algorithm)
    costs = np.column_stack([-values[:, 0], values[:, 2:]])
    asking, done = about.start_search(None), 0
    began = time.process_time()
    batch = next(asking)
    while done + len(batch) < len(values):
        batch, done = asking.send(costs[done : done + len(batch)].copy()), done + len(batch)
    return 1000 * (time.process_time() - began) / len(values)


if __name__ == "__main__":
    main()
