"""What the tests of all trainings compare."""

import json
import sqlite3
from pathlib import Path

import numpy as np

from paretosched.policies.policy_json import to_json
from paretosched.training.training import Training
from paretosched.workload.workload import Workload
from support.exploring import random_workload


def archive(directory: Path) -> list[tuple[int, bytes, bytes]]:
    """Return all evaluations in the store of a run: number, genome, objectives."""
    connection = sqlite3.connect(directory / "run.sqlite")
    rows = connection.execute("select number, genome, objectives from evaluation order by number").fetchall()
    connection.close()
    return rows


def training_json(training: Training) -> str:
    """Return the whole result of a training except for its times, as JSON."""
    return json.dumps([[to_json(s.policy) for s in training.systems], training.rows(), training.best])


def of_weeks(seed: int = 0) -> Workload:
    """A small random workload in slow motion, so that it lasts a month, of ten users."""
    w = random_workload(seed=seed)
    slow = {key: getattr(w, key) * 80 for key in ("submit", "run", "estimate")}
    return w.with_(**slow, user=w.group + 3 * np.random.default_rng(seed).integers(0, 4, len(w)))
