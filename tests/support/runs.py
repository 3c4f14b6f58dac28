"""Comparing run directories."""

from pathlib import Path

from paretosched.fronts.front_files import load_front
from support.trainings import archive


def equal_runs(run: Path, other: Path) -> None:
    """Check that two runs have the same evaluations and the same front, bit for bit."""
    assert archive(run) == archive(other)
    front, other_front = load_front(run), load_front(other)
    assert front.values.tobytes() == other_front.values.tobytes()
    assert front.genomes.tobytes() == other_front.genomes.tobytes()
    assert front.evaluation.tobytes() == other_front.evaluation.tobytes()
