"""The stored texts of Slurm are what a real one prints: played again, each scene gives texts of the same shape."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.accounting import RECORDED
from support.recorded_slurm import SCENES, shape

pytestmark = [pytest.mark.slow, pytest.mark.waits]
STORED = {path.name for path in RECORDED.glob("slurm-*.txt")}


def test_scenes_that_are_played_again_print_what_is_stored() -> None:
    """All at once, each on a Slurm of its own: they mostly wait, one for two minutes until a job may start again."""
    has_groups = Path("/sys/fs/cgroup/memory/tasks").exists()
    scenes = {name: play for name, play in SCENES.items() if has_groups or name != "states"}
    with ThreadPoolExecutor(len(scenes)) as pool:
        texts = [pool.submit(play) for play in scenes.values()]
    for name, text in (pair for one in texts for pair in one.result().items()):
        assert name in STORED
        stored = (RECORDED / name).read_text(encoding="utf-8")
        assert shape(name, text) == shape(name, stored), name
    if not has_groups:
        pytest.skip("NO CONTROL GROUPS of version 1: no job runs out of memory here, the other texts are as stored")
