"""Helpers that run the scripts of an experiment and read the numbers of its paper."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# A script as Python runs it, but with coarse hypervolumes: fine ones take most of the time of a quick run.
COARSELY = """
import runpy, sys
from paretosched.fronts import quality_indicators
quality_indicators.DIRECTIONS = 100
sys.argv = sys.argv[1:]
sys.path[0] = sys.argv[0].rpartition("/")[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def paper(experiment: str) -> list[dict[str, str]]:
    """Return the rows of an experiment's paper.csv."""
    with (ROOT / "experiments" / experiment / "paper.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def script(experiment: str, name: str, *arguments: object) -> str:
    """Run a script as a user does, but for coarse hypervolumes, and return its output; it must succeed."""
    command = [sys.executable, "-c", COARSELY, str(ROOT / "experiments" / experiment / name), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def without(columns: tuple[str, ...], text: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file without columns that differ from run to run, such as times."""
    rows = csv.DictReader(text.decode().splitlines())
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]
