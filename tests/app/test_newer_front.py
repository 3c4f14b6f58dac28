"""The front on disk is looked at, also when the disk does not answer."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from paretosched.app.newer_front import watcher
from paretosched.core.errors import InputError
from paretosched.fronts.front import Front


def test_a_disk_that_does_not_answer_is_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_path: Path) -> None:
        raise OSError(errno.EIO, "Input/output error")

    def read() -> Front:
        raise InputError("no front")

    (tmp_path / "front.parquet").touch()
    look = watcher(tmp_path / "front.parquet", read)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refuse)
        assert look() is None
    assert look() is None
