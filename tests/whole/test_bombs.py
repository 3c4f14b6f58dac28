"""Small files that would fill the memory are refused in one line and little memory, by every reader."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.bombs import BOMBS, Bomb
from support.measured import Refuse, forks


@pytest.fixture(scope="module")
def refuse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refuse]:
    with forks(tmp_path_factory.mktemp("forks")) as refuse:
        yield refuse


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_bomb_is_refused_in_one_line_and_little_memory(bomb: Bomb, refuse: Refuse, tmp_path: Path) -> None:
    line, memory = refuse(*bomb.make(tmp_path))
    assert bomb.message in line
    assert memory < bomb.memory << 10
