"""Benchmarks of `deploy --to slurm`: its start, and first passes over many waiting jobs of a real slurmctld.

`make bench` runs it. A first pass changes the site factor of every job, and takes as long as Slurm needs for that.
Without Slurm, or without root, it says so, and times the start alone. Exit status 1: a goal is missed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from support.slurm_cluster import SlurmCluster, refusal, slurm_cluster

POLICY = "order: area; backfill: easy"
STARTS = 15
NODES, CPUS = 2, 4
PASSES = {1_000: 4, 10_000: 2}  # how often with so many jobs
GOALS = {1_000: 0.5, 10_000: 5.0}  # s
START_GOAL = 0.3  # s
# The first program of Slurm that is asked writes down what its parent has used, and the daemon ends.
ASKED = """#!/bin/sh
cut -d" " -f14,15 /proc/$PPID/stat > "$0.used"
exit 1
"""


def deploy(policy: Path, folder: Path, environment: dict[str, str], *words: str) -> tuple[int, float]:
    """Return the exit status of a deployment, and the seconds that it took."""
    line = [sys.executable, "-m", "paretosched", "deploy", policy, "--to", "slurm", "--groups", "account"]
    begin = time.perf_counter()
    done = subprocess.run([*line, "-o", folder, *words], env=environment, capture_output=True, check=False)
    return done.returncode, time.perf_counter() - begin


def verdict(seconds: float, goal: float) -> str:
    """Return whether a goal is met, in a word."""
    return "met" if seconds < goal else "MISSED"


def starts(policy: Path, place: Path) -> str:
    """Time the start until Slurm is asked for the first time; return a line."""
    programs = place / "programs"
    programs.mkdir()
    (programs / "scontrol").write_text(ASKED, encoding="utf-8")
    (programs / "scontrol").chmod(0o755)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    wall, used = [], []
    for _ in range(STARTS):
        wall.append(deploy(policy, place / "start", environment, "--once")[1])
        ticks = (programs / "scontrol.used").read_text(encoding="ascii").split()
        used.append(sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"))
    return (
        f"start, {STARTS} times: {min(used):.2f} to {max(used):.2f} CPU s until Slurm is asked, median "
        f"{median(used):.2f}; with its end {min(wall):.2f} to {max(wall):.2f} s (goal {START_GOAL:g}: "
        f"{verdict(max(used), START_GOAL)})"
    )


def submit(cluster: SlurmCluster, jobs: int) -> None:
    """Submit jobs of random widths and limits behind one that has the whole machine."""
    cluster.submit(run=100_000, width=NODES * CPUS, limit=100_000)
    script = cluster.folder / "job.sh"
    script.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    one = f"sbatch --ntasks=$((RANDOM%8+1)) --time=$((RANDOM%600+1)) --output=/dev/null --chdir=/ {script} >/dev/null"
    both = [
        subprocess.Popen(["bash", "-c", f"for i in $(seq {jobs // 2}); do {one}; done"], env=cluster.environment)
        for _ in range(2)
    ]
    assert [process.wait(600) for process in both] == [0, 0]


def first_passes(policy: Path, place: Path, jobs: int, times: int) -> str:
    """Time first passes over waiting jobs, between which all factors are 0 again; return a line."""
    with slurm_cluster(NODES, CPUS, {"SchedulerParameters": "bf_interval=30"}) as cluster:
        submit(cluster, jobs)
        time.sleep(5)
        passes, walls = [], []
        for number in range(times):
            folder = place / f"{jobs}-{number}"
            status, wall = deploy(policy, folder, cluster.environment, "--once")
            last = json.loads((folder / "deploy.jsonl").read_text(encoding="utf-8").splitlines()[-1])
            assert (status, last["ranked"]) == (0, jobs), (status, last)
            passes.append(last["seconds"])
            walls.append(wall)
            assert deploy(policy, folder, cluster.environment, "--off")[0] == 0
    return (
        f"first pass over {jobs:,} jobs, {times} times: {min(passes):.2f} to {max(passes):.2f} s (goal "
        f"{GOALS[jobs]:g}: {verdict(max(passes), GOALS[jobs])}); with start and end {min(walls):.2f} to "
        f"{max(walls):.2f} s"
    )


def main() -> int:
    """Run them all; return 1 if a goal is missed."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as name:
        policy = Path(name, "policy.txt")
        policy.write_text(POLICY, encoding="utf-8")
        parts: list[Callable[[], str]] = [partial(starts, policy, Path(name))]
        why = refusal()
        if not why:
            parts += [partial(first_passes, policy, Path(name), *row) for row in PASSES.items()]
        for part in parts:
            lines.append(part())
            print(lines[-1], flush=True)
        if why:
            print(f"NO SLURM: {why}; no pass was timed")
    return int(any("MISSED" in line for line in lines))


if __name__ == "__main__":
    sys.exit(main())
