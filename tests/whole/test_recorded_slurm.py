"""The stored texts of Slurm are what a real one prints: played again, each scene gives texts of the same shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.accounting import RECORDED
from support.recorded_slurm import SCENES, shape

pytestmark = [pytest.mark.slow, pytest.mark.long]
STORED = {path.name for path in RECORDED.glob("slurm-*.txt")}


@pytest.mark.parametrize("scene", [*SCENES])
def test_a_scene_that_is_played_again_prints_what_is_stored(scene: str) -> None:
    if scene == "states" and not Path("/sys/fs/cgroup/memory/tasks").exists():
        pytest.skip("NO CONTROL GROUPS of version 1: no job runs out of memory here")
    for name, text in SCENES[scene]().items():
        assert name in STORED
        stored = (RECORDED / name).read_text(encoding="utf-8")
        assert shape(name, text) == shape(name, stored), name
