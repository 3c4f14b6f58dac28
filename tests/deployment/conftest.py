"""A Slurm whose programs are scripts, for the tests of what the daemon says to it."""

from pathlib import Path

import pytest

from support.fake_slurm import FakeSlurm


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeSlurm:
    (tmp_path / "slurm").mkdir()
    slurm = FakeSlurm(tmp_path / "slurm")
    monkeypatch.setenv("PATH", slurm.path)
    return slurm
