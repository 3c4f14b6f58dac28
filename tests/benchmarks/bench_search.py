"""Benchmark of the searches of weightings: how much of the owner's box they dominate for a CPU second. `make bench`.

Hypervolume over AWRT1..5 in the box from the best that any of the searches found to 1.5 times EASY, of a made-up log,
after some CPU seconds: those of the simulations, and of the search itself in the same process. The number of workers
does not matter for it.
"""

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import paretosched as ps
from paretosched.core.tables import Column, table
from paretosched.fronts.dominance import costs
from paretosched.fronts.quality_indicators import REACH, Box, course
from paretosched.search.runs import read_values
from paretosched.simulation.objective import objective_table

ALGORITHMS = ("archive", "nsga2", "agemoea2", "random")
SECONDS = (2.0, 5.0, 10.0)  # of CPU


def run_search(w: ps.Workload, run: Path, algorithm: str, evaluations: int) -> tuple[Any, Any]:
    """Search, and return all objective values and the CPU seconds of the process when each was known."""
    marks = [(0, 0.0)]
    ps.explore(w, run.with_name(f"{run.name}-warm"), evaluations=200, algorithm=algorithm)  # what is compiled
    begin = time.process_time()
    ps.explore(
        w,
        run,
        evaluations=evaluations,
        algorithm=algorithm,
        progress=lambda p: marks.append((p.evaluations, time.process_time() - begin)),
    )
    counts, seconds = np.array(marks).T
    values, _ = read_values(run)
    return values, np.interp(np.arange(1, len(values) + 1), counts, seconds)


def main() -> None:
    """Search with every algorithm, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=5000, help="of the log (default %(default)s)")
    parser.add_argument("--evaluations", type=int, default=4000, help="of each search (default %(default)s)")
    options = parser.parse_args()
    w = ps.lublin(jobs=options.jobs, processors=128, seed=71)
    easy, objectives = np.asarray(ps.objectives(ps.simulate(w, "easy"))), objective_table(w.groups)
    with TemporaryDirectory() as folder:
        found = {a: run_search(w, Path(folder) / a, a, options.evaluations) for a in ALGORITHMS}
        whole = ps.merge([Path(folder) / a for a in ALGORITHMS])
    best = costs(whole.values, whole.objectives)[:, 1:].min(axis=0)
    box = Box(whole.objectives[2:], best, REACH * easy[2:], REACH, ("UTIL: it is no response time",))
    rows = []
    for algorithm, (values, seconds) in found.items():
        row: dict[str, Any] = {"algorithm": algorithm, "ms": 1000 * seconds[-1] / len(values)}
        for budget in SECONDS:
            count = int(np.searchsorted(seconds, budget))
            row[f"{budget:g} s"] = None
            if 0 < count < len(values):
                row[f"{budget:g} s"] = float(course(values, objectives, [count], box, whole).hypervolume[0])
        rows.append(row)
    columns = [Column("algorithm", "hypervolume after"), *(Column(f"{s:g} s", f"{s:g} CPU s", ".3f") for s in SECONDS)]
    print(table(rows, [*columns, Column("ms", "CPU ms an evaluation", ".2f")]))


if __name__ == "__main__":
    main()
