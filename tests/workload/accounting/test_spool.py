from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.accounting import spool
from paretosched.workload.accounting.lives import LIFE
from paretosched.workload.accounting.spool import Spool


def test_lives_come_back_as_they_were_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "AT_ONCE", 3)
    lives = np.zeros(10, dtype=LIFE)
    lives["job"], lives["user"] = np.arange(10), -np.arange(10)
    place = Spool(tmp_path, "here")
    place.add(lives[:4])
    place.add(lives[4:])
    assert [*tmp_path.iterdir()] == []  # the file has no name
    assert place.column("user").tolist() == [*range(0, -10, -1)]
    assert place.rows(np.array([7, 2])).tolist() == lives[[7, 2]].tolist()
    place.close()


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ps.InputError, match="missing: cannot write here"):
        Spool(tmp_path / "missing", "here")
