"""Run the settings and write the results to results/pgga; continues where it was stopped."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.assignment.bag_and_nodes import Bag, Nodes
from paretosched.assignment.estimator import History, learn
from paretosched.assignment.methods import Genetic, at_least, divisible
from paretosched.assignment.synthetic import CLUSTER_UNIT, LOOPS, cluster_bag, cluster_nodes, paper_bag, paper_nodes
from paretosched.core.files import replacing

Rows = list[dict[str, Any]]


def main() -> None:
    """Run everything, or the parts of the options."""
    parser = common.run_parser("pgga", __doc__, "small numbers: a test of the path", [*PARTS])
    common.add_work(parser, "pgga", "finished pieces")
    options = common.options_of(parser)
    if options.quick:
        for key, value in settings.QUICK.items():
            setattr(settings, key, value)
    parts = {part: partial(rows_of, part, options.work) for part in PARTS}
    common.run_parts(options, parts, about(), ("pymoo",))


def rows_of(part: str, work: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a part, piece by piece; those of pieces that are in `work` from there."""
    for name, piece in PARTS[part]():
        path = work / f"{part}-{name}.json"
        if not path.exists():
            results = piece()
            with replacing(path) as temporary:
                temporary.write_text(json.dumps(results), encoding="utf-8")
            print(f"  {part} {name}: {len(results)} rows", flush=True)
        yield from json.loads(path.read_text(encoding="utf-8"))


def about() -> dict[str, Any]:
    """Return what the results depend on."""
    note: dict[str, Any] = {"seeds": settings.SEEDS}
    note |= {"genetic": {name: asdict(genetic) for name, genetic in settings.GENETIC.items()}}
    names = ("ITERATIONS", "CONVERGENCE", "LOOK_EVERY", "CLUSTER_SEEDS", "UNSEEN", "ALSO", "CHROMOSOMES")
    note |= {"settings": {key: getattr(settings, key) for key in names}}
    return note | {"cores": os.cpu_count()}


def instance(jobs: int, nodes: int, seed: int, distinct: int | None = None) -> tuple[Bag, Nodes]:
    """Return random jobs and nodes of section 4.1; jobs depend only on their number and the seed, nodes likewise."""
    return (
        paper_bag(jobs, np.random.default_rng([seed, 1, jobs]), distinct),
        paper_nodes(nodes, np.random.default_rng([seed, 2, nodes])),
    )


def search(bag: Bag, nodes: Nodes, name: str, iterations: int, seed: int) -> tuple[ps.assignment.Assignment, float]:
    """Return an assignment with one of the genetic settings, and CPU seconds."""
    begin = time.process_time()
    assignment = ps.assignment.assign(
        bag, nodes, name.partition("-")[0], iterations=iterations, seed=seed, genetic=settings.GENETIC[name]
    )
    return assignment, time.process_time() - begin


# --- the parts: each returns pieces by name, whose results are stored -------------------------------------------------


def surfaces() -> list[tuple[str, Callable[[], Rows]]]:
    """Return the pieces of figures 3 to 6: every method on every combination, ten seeds; one piece a seed."""

    def piece(seed: int) -> Rows:
        rows: Rows = []
        for jobs in settings.JOBS:
            for nodes in settings.NODES:
                bag, machine = instance(jobs, nodes, seed)
                row: dict[str, Any] = {"jobs": jobs, "nodes": nodes, "seed": seed}
                row |= {"divisible": round(divisible(bag, machine), 1), "bound": round(at_least(bag, machine), 1)}
                row |= {m: round(ps.assignment.assign(bag, machine, m, seed=seed).makespan, 1) for m in settings.SIMPLE}
                for name in settings.GENETIC:
                    keys = (name, f"{name} iterations")
                    row |= dict.fromkeys(keys, "")
                    if name in ("tga", "pgga") or seed in settings.ALSO:
                        assignment, _ = search(bag, machine, name, settings.ITERATIONS, seed)
                        row |= zip(keys, (round(assignment.makespan, 1), assignment.iterations), strict=True)
                rows.append(row)
        return rows

    return [(f"seed-{seed}", lambda seed=seed: piece(seed)) for seed in settings.SEEDS]


def convergence() -> list[tuple[str, Callable[[], Rows]]]:
    """Return the pieces of figure 10: the least makespan after every iteration."""
    setting = settings.CONVERGENCE

    def piece(seed: int) -> Rows:
        bag, machine = instance(setting["jobs"], setting["nodes"], seed, setting["distinct"])
        rows: Rows = []
        for name in settings.GENETIC:
            course = search(bag, machine, name, setting["iterations"], seed)[0].course
            for i in range(0, setting["iterations"] + 1, settings.LOOK_EVERY):
                least = course[min(i, course.size - 1)]  # PGGA may have stopped earlier
                rows.append({"seed": seed, "method": name, "iteration": i, "makespan": round(float(least), 1)})
        for m in ("fcfs", "lpt"):
            least = ps.assignment.assign(bag, machine, m).makespan
            rows.append({"seed": seed, "method": m, "iteration": 0, "makespan": round(least, 1)})
        rows.append({"seed": seed, "method": "bound", "iteration": 0, "makespan": round(at_least(bag, machine), 1)})
        return rows

    return [(f"{seed}", lambda seed=seed: piece(seed)) for seed in settings.SEEDS]


def times() -> list[tuple[str, Callable[[], Rows]]]:
    """Return the pieces of Table 1: CPU milliseconds of both algorithms in turn, and of LPT."""

    def piece(jobs: int, nodes: int) -> Rows:
        rows: Rows = []
        for seed in settings.SEEDS:
            bag, machine = instance(jobs, nodes, seed)
            for name in ("tga", "pgga"):  # so that imports and compilation are not timed
                search(bag, machine, name, 1, seed)
            row: dict[str, Any] = {"jobs": jobs, "nodes": nodes, "seed": seed}
            begin = time.process_time()
            ps.assignment.assign(bag, machine, "lpt")
            row |= {"lpt ms": round(1000 * (time.process_time() - begin), 2), "tga ms": 0.0, "pgga ms": 0.0}
            for name in ("tga", "pgga") if seed % 2 else ("pgga", "tga"):
                assignment, seconds = search(bag, machine, name, settings.ITERATIONS, seed)
                row[f"{name} ms"] = round(1000 * seconds, 2)
                if name == "pgga":
                    row["pgga iterations"] = assignment.iterations
            rows.append(row)
        return rows

    return [(f"{m}-{n}", lambda m=m, n=n: piece(m, n)) for m, n in settings.TIMED]


def growth() -> list[tuple[str, Callable[[], Rows]]]:
    """Return pieces: CPU milliseconds of a generation of 50, and of its compiled call, as jobs and nodes grow."""
    from paretosched.assignment.methods import _measure

    def piece(jobs: int, nodes: int) -> Rows:
        bag, machine = instance(jobs, nodes, 0)
        search(bag, machine, "tga", 1, 0)
        genes = np.random.default_rng(0).integers(nodes, size=(50, jobs), dtype=np.int32)
        whole, call = [], []
        for seed in range(3):
            whole.append(search(bag, machine, "tga", settings.GROWTH_ITERATIONS, seed)[1] / settings.GROWTH_ITERATIONS)
            begin = time.process_time()
            for _ in range(settings.GROWTH_ITERATIONS):
                _measure(genes, bag.workload, machine)
            call.append((time.process_time() - begin) / settings.GROWTH_ITERATIONS)
        row = {"jobs": jobs, "nodes": nodes, "generation ms": round(1000 * statistics.median(whole), 3)}
        return [row | {"makespans ms": round(1000 * statistics.median(call), 3)}]

    sizes = dict.fromkeys((*settings.GROWTH_JOBS, *settings.GROWTH_NODES))
    return [(f"{m}-{n}", lambda m=m, n=n: piece(m, n)) for m, n in sizes]


def sensitivity() -> list[tuple[str, Callable[[], Rows]]]:
    """Return the pieces about what PGGA's truncation is worth at other settings; one piece a seed."""
    tried = [(keep, size, 1.0) for keep in settings.KEEPS for size in settings.POPULATIONS]
    tried += [(k, settings.POPULATIONS[0], mutation) for k in settings.KEEPS for mutation in settings.MUTATIONS]

    def piece(seed: int) -> Rows:
        rows: Rows = []
        for jobs, nodes in settings.SENSITIVE:
            bag, machine = instance(jobs, nodes, seed)
            bound = at_least(bag, machine)
            for keep, population, mutation in dict.fromkeys(tried):
                genetic = Genetic(population=population, mutation=mutation / jobs, keep=keep, tolerance=0.0)
                iterations = settings.CHROMOSOMES // population
                found = ps.assignment.assign(bag, machine, "pgga", iterations=iterations, seed=seed, genetic=genetic)
                row: dict[str, Any] = {"jobs": jobs, "nodes": nodes, "seed": seed, "keep": keep}
                row |= {"population": population, "mutation": mutation}
                rows.append(row | {"above_bound": round(found.makespan / bound, 6)})
        return rows

    return [(f"seed-{seed}", lambda seed=seed: piece(seed)) for seed in settings.SEEDS]


def cluster() -> list[tuple[str, Callable[[], Rows]]]:
    """Return the pieces of Table 2, simulated: jobs are assigned by printed estimates, and run as long as they are."""
    past = History()
    for units in (1.0, 5.0):
        past = learn(past, "loop", units * LOOPS, units * CLUSTER_UNIT)

    def piece(jobs: int, nodes: int) -> Rows:
        rows: Rows = []
        for seed in settings.CLUSTER_SEEDS:
            bag = cluster_bag(jobs, np.random.default_rng([seed, 3, jobs]))
            machine = cluster_nodes(nodes, np.random.default_rng([seed, 4, nodes]))
            without_workload = Bag(bag.name, np.full(jobs, np.nan), bag.size)
            with_estimates, unknown, _ = ps.assignment.queues(past, without_workload, "printed")
            row: dict[str, Any] = {"jobs": jobs, "nodes": nodes, "seed": seed, "unknown": len(unknown)}
            row |= {"estimator error": float(np.abs(with_estimates.workload / bag.workload - 1).max())}
            row |= {"bound": round(at_least(bag, machine), 1)}
            for m in settings.SIMPLE:
                assignment = ps.assignment.assign(with_estimates, machine, m, seed=seed)
                row[m] = round(real(bag, assignment), 1)
            for name in settings.GENETIC:
                assignment = search(with_estimates, machine, name, settings.ITERATIONS, seed)[0]
                row[name] = round(real(bag, assignment), 1)
            rows.append(row)
        return rows

    return [(f"{m}-{n}", lambda m=m, n=n: piece(m, n)) for m, n in settings.CLUSTER]


def real(bag: Bag, assignment: ps.assignment.Assignment) -> float:
    """Return the makespan, ms, of an assignment with the real workloads."""
    return ps.assignment.Assignment(bag, assignment.nodes, assignment.node, assignment.method).makespan


def estimator() -> list[tuple[str, Callable[[], Rows]]]:
    """Return pieces: mean relative error for new sizes after so many records, within the recorded sizes and beyond."""

    def piece() -> Rows:
        rows: Rows = []
        for program, workload in settings.PROGRAMS.items():
            for records in settings.RECORDS:
                errors: dict[tuple[str, str], list[float]] = {}
                for seed in settings.SEEDS:
                    generator = np.random.default_rng([seed, 5])
                    past = History()
                    for size in generator.uniform(1, 100, records).tolist():
                        past = learn(past, program, size, workload(size))
                    sizes = [size for size, _ in past.records[program]]
                    for size in generator.uniform(1, 100, settings.UNSEEN).tolist():
                        where = "within" if sizes[0] <= size <= sizes[-1] else "beyond"
                        for line in ("printed", "interpolated"):
                            guess = ps.assignment.estimate(past, program, size, line)
                            errors.setdefault((line, where), []).append(abs(guess / workload(size) - 1))
                row: dict[str, Any] = {"program": program, "records": records}
                for line in ("printed", "interpolated"):
                    for where in ("within", "beyond"):
                        values = errors.get((line, where))
                        row[f"{line} {where} %"] = round(100 * statistics.fmean(values), 2) if values else ""
                rows.append(row)
        return rows

    return [("all", piece)]


PARTS: dict[str, Callable[[], list[tuple[str, Callable[[], Rows]]]]] = {
    "estimator": estimator,
    "cluster": cluster,
    "convergence": convergence,
    "times": times,
    "growth": growth,
    "sensitivity": sensitivity,
    "surfaces": surfaces,
}

if __name__ == "__main__":
    main()
