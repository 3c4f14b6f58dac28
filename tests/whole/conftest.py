"""A folder of sound files for all fuzz tests."""

from pathlib import Path

import pytest

from support.house import furnish


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a workload, a run on it, its front, policies, a wish, groups and lists, all sound."""
    return furnish(tmp_path_factory.mktemp("house"))
