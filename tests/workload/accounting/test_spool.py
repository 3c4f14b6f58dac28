from contextlib import closing
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
    with closing(Spool(tmp_path, "here")) as place:
        place.add(lives[:4])
        place.add(lives[4:])
        assert [*tmp_path.iterdir()] == []  # the file has no name
        assert [column.tolist() for column in place.columns("user", "job")] == [[*range(0, -10, -1)], [*range(10)]]
        assert place.rows(np.array([7, 2])).tolist() == lives[[7, 2]].tolist()
        lives["job"] = 2**40
        place.add(lives[:1])
        user, job = place.columns("user", "job")
        assert (user.dtype, job.dtype, int(job[-1])) == (np.int32, np.int64, 2**40)


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ps.InputError, match="missing: cannot write here"):
        Spool(tmp_path / "missing", "here")
