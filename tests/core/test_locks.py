"""Locks of directories, and systems that have none."""

import errno
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from paretosched.core import locks
from paretosched.core.errors import InputError
from support.commands import environment


def test_one_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    first = locks.take_lock(tmp_path)
    assert first is not None
    assert locks.take_lock(tmp_path, patience=0.0) is None
    os.close(first)
    second = locks.take_lock(tmp_path, patience=0.0)
    assert second is not None
    os.close(second)


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.ENOLCK, errno.ENOSYS])
def test_a_file_system_without_locks_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("paretosched.core.locks.fcntl.flock", refuse)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(InputError, match=r"the file system here cannot lock files .* name a directory on a local disk"):
        locks.take_lock(tmp_path)
    assert len(list(Path("/proc/self/fd").iterdir())) == before


@pytest.mark.slow
def test_a_system_without_locks_is_one_line(tmp_path: Path) -> None:
    begin = "import sys; sys.modules['fcntl'] = None; from paretosched.cli.command_line import main; "
    for words in (["info", "w.swf"], ["explore", "w.swf", "-o", str(tmp_path / "run")]):
        process = subprocess.run(
            [sys.executable, "-c", f"{begin}sys.exit(main({words}))"],
            env=environment(), capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (process.returncode, process.stdout) == (2, "")
        assert len(process.stderr.splitlines()) == 1
        assert "use Linux or macOS, or, on Windows, the Windows Subsystem for Linux" in process.stderr


def test_the_lock_is_that_of_the_directory_that_is_there(tmp_path: Path) -> None:
    """A process that ends without a result removes the directory of its run; another one may have made it again."""
    directory = tmp_path / "run"
    directory.mkdir()
    first = locks.take_lock(directory)
    assert first is not None
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(locks.take_lock, directory, patience=30.0)
        time.sleep(0.1)
        directory.rmdir()
        directory.mkdir()
        os.close(first)
        second = waiting.result()
    assert second is not None
    assert os.path.samestat(os.fstat(second), directory.stat())
    assert locks.take_lock(directory, patience=0.0) is None
    os.close(second)
