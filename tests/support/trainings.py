"""What the tests of all trainings compare."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from paretosched.policies.policy_json import to_json
from paretosched.training.training import Training


def archive(directory: Path) -> list[tuple[int, bytes, bytes]]:
    """Return all evaluations in the store of a run: number, genome, objectives."""
    connection = sqlite3.connect(directory / "run.sqlite")
    rows = connection.execute("select number, genome, objectives from evaluation order by number").fetchall()
    connection.close()
    return rows


def training_json(training: Training) -> str:
    """Return the whole result of a training except for its times, as JSON."""
    return json.dumps([[to_json(s.policy) for s in training.systems], training.rows(), training.best])
