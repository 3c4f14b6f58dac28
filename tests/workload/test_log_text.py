"""Small files that unpack to huge ones, and files without end, are refused in little memory and in one line."""

import codecs
import gzip
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import paretosched as ps
from support.log_bombs import BOMBS, JOB, Bomb
from support.measured import Refuse, forks


@pytest.fixture(scope="module")
def refuse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Refuse]:
    with forks(tmp_path_factory.mktemp("forks")) as refuse:
        yield refuse


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.name)
def test_a_bomb_is_refused_in_one_line_and_little_memory(bomb: Bomb, refuse: Refuse, tmp_path: Path) -> None:
    path = tmp_path / "w.swf.gz"
    bomb.make(path)
    line, memory = refuse("info", str(path))
    assert line.startswith(f"paretosched info: {path}{bomb.message}")
    assert memory < 400_000_000
    assert path.is_symlink() or path.stat().st_size < 6_000_000


@pytest.mark.slow
def test_the_limit_of_jobs_holds_in_little_memory(refuse: Refuse, tmp_path: Path) -> None:
    path = tmp_path / "w.swf"
    path.write_bytes(JOB * 400_000)
    line, memory = refuse("info", str(path), "--limit", "jobs=300000")
    assert "the number of jobs in a log must be at most 300,000 jobs, but is more; --limit jobs=N" in line
    assert memory < 300_000_000


@pytest.mark.slow
def test_a_pipe_without_end_and_a_silent_pipe_are_refused(refuse: Refuse, tmp_path: Path) -> None:
    with subprocess.Popen(["yes", ""], stdout=subprocess.PIPE) as endless:
        line, memory = refuse("info", "/dev/stdin", "--limit", "log=100000000", stdin=f"/proc/{endless.pid}/fd/1")
        endless.kill()
    assert line.startswith("paretosched info: /dev/stdin: the size of a log, unpacked, must be at most 100,000,000 by")
    assert memory < 300_000_000
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = os.open(pipe, os.O_RDWR)
    try:
        line, _ = refuse("info", str(pipe), "--limit", "wait=1")
    finally:
        os.close(writer)
    assert line == f"paretosched info: {pipe}: cannot read: nothing was sent for 1 s; --limit wait=N waits longer"


@pytest.mark.parametrize("name", ["w.swf", "w.swf.gz"])
def test_the_mark_that_windows_writes_is_no_column(tmp_path: Path, name: str) -> None:
    w = ps.lublin(jobs=60, processors=64, seed=4)
    ps.write_swf(w, tmp_path / "plain.swf")
    lines = [line for line in (tmp_path / "plain.swf").read_bytes().splitlines(keepends=True) if line[:1] != b";"]
    for head in (b"; MaxProcs: 64\r\n", b""):
        data = codecs.BOM_UTF8 + head + b"".join(lines)
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        assert ps.read_swf(tmp_path / name, capacity=64).submit.tolist() == w.submit.tolist()
