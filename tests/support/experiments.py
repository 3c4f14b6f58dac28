"""Helpers that run the scripts of an experiment and read the numbers of its paper."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def paper(experiment: str) -> list[dict[str, str]]:
    """Return the rows of an experiment's paper.csv."""
    with (ROOT / "experiments" / experiment / "paper.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def script(experiment: str, name: str, *arguments: object) -> str:
    """Run a script as a user does, and return its output; it must succeed."""
    command = [sys.executable, str(ROOT / "experiments" / experiment / name), *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def without(columns: tuple[str, ...], text: bytes) -> list[dict[str, str]]:
    """Return the rows of a CSV file without columns that differ from run to run, such as times."""
    rows = csv.DictReader(text.decode().splitlines())
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]
