"""Running the scripts of an experiment, and reading its paper's numbers, for the tests of them."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def paper(experiment: str) -> list[dict[str, str]]:
    """The rows of an experiment's paper.csv."""
    with (ROOT / "experiments" / experiment / "paper.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def script(experiment: str, name: str, *arguments: object) -> str:
    """Run a script that must succeed, as a user does; what it printed."""
    command = [sys.executable, str(ROOT / "experiments" / experiment / name), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def without(columns: tuple[str, ...], text: bytes) -> list[dict[str, str]]:
    """The rows of a CSV file without the columns that no two runs share, such as times."""
    rows = csv.DictReader(text.decode().splitlines())
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]
