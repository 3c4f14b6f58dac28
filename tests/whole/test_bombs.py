"""Small files that would fill the memory are refused in one line and little memory, by every reader."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.bombs import BOMBS, MEASURED, Bomb


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_bomb_is_refused_in_one_line_and_little_memory(bomb: Bomb, tmp_path: Path) -> None:
    arguments = bomb.make(tmp_path)
    process = subprocess.run(
        [sys.executable, "-c", MEASURED, *arguments], capture_output=True, text=True, check=False, timeout=60
    )
    assert process.stdout.split()[0] == "2", process.stdout + process.stderr
    assert len(process.stderr.splitlines()) == 1, process.stderr
    assert bomb.message in process.stderr
    assert int(process.stdout.split()[1]) * (1024 if sys.platform == "linux" else 1) < bomb.memory << 10
