"""Locks of directories, and systems that have none."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
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
