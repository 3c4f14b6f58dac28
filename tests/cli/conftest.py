"""Fixtures for the tests of the command line: a folder with a workload, two runs on it, and a log with waits."""

from pathlib import Path

import pytest

import paretosched as ps
from support.commands import (
    RECORD,
    succeed,
)


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated workload, two runs on it, and a log with recorded waits."""
    folder = tmp_path_factory.mktemp("house")
    succeed("generate", "lublin", "--jobs", 200, "--processors", 64, "--seed", 3, "-o", folder / "w.swf.gz")
    for name, seed in (("run", 0), ("other", 1)):
        explore = ("explore", folder / "w.swf.gz", "-o", folder / name)
        succeed(*explore, "--evaluations", 36, "--population", 12, "--seed", seed)
    (folder / "record.swf").write_text(RECORD)
    return folder


@pytest.fixture(scope="session")
def workload(house: Path) -> ps.Workload:
    return ps.read_swf(house / "w.swf.gz")
