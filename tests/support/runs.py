"""Run directories for the tests."""

from __future__ import annotations

from pathlib import Path

from paretosched.fronts.front_files import load_front
from support.trainings import archive


def equal_runs(one: Path, other: Path) -> None:
    assert archive(one) == archive(other)
    first, second = load_front(one), load_front(other)
    assert first.values.tobytes() == second.values.tobytes()
    assert first.genomes.tobytes() == second.genomes.tobytes()
    assert first.evaluation.tobytes() == second.evaluation.tobytes()
