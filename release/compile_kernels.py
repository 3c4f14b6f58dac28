"""Compile the simulators that most commands use, so that the first user does not wait for it."""

import tempfile
from pathlib import Path

import paretosched as ps

POLICIES = ("fcfs", "list", "easy", "conservative", "conservative-replan", "scojo", "lxf; backfill: easy")


def main() -> None:
    """Use each of them once, on a few jobs."""
    workload = ps.lublin(jobs=200, processors=64, seed=1)
    for policy in POLICIES:
        ps.objectives(ps.simulate(workload, policy))
    with tempfile.TemporaryDirectory() as folder:
        front = ps.explore(workload, Path(folder) / "run", evaluations=40, population=20)
        ps.indicators(front)
        ps.train(workload, "10*AWRT1 + 4*AWRT2", generations=1)


if __name__ == "__main__":
    main()
