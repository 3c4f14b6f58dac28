"""A desk with a front and known schedules, and a small run, for the tests of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from paretosched.app.desk import Desk
from support.commands import process, succeed
from support.fronts import a_comparison
from support.page import FRONT


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(FRONT, tmp_path)
    desk.comparison = a_comparison(FRONT, ("EASY", "FCFS"))
    return desk


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workload and a run on it."""
    folder = tmp_path_factory.mktemp("house")
    succeed("generate", "lublin", "--jobs", 60, "--processors", 32, "--seed", 3, "-o", folder / "w.swf.gz")
    outcome = process("explore", "w.swf.gz", "-o", "run", "--evaluations", 60, "--population", 20, cwd=folder)
    assert outcome.returncode == 0, outcome
    return folder
