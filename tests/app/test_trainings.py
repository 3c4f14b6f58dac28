"""Trainings in the background."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.app.trainings import DONE, QUEUED, RUNNING, STOPPED, Trainings, size
from paretosched.core.errors import InputError
from paretosched.search import runs
from paretosched.wishes import wish_files
from paretosched.wishes.wish import Wish
from support.commands import environment


@pytest.mark.slow
def test_trainings_wait_stop_continue_and_are_the_command(
    house: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    trainings = Trainings(tmp_path, [str(house / "w.swf.gz")])
    first = trainings.ask(Wish(weights=[("AWRT1", 1.0)]), 25)
    second = trainings.ask(Wish(near=[("AWRT2", 5e4)]), 5)
    third = trainings.ask(Wish(near=[("AWRT2", 6e4)]), 5)
    assert {t.number: t.status for t in trainings.read_all()} == {first: RUNNING, second: QUEUED, third: QUEUED}
    trainings.cancel(third)
    wait(trainings, lambda by_number: by_number[first].done > 500)
    trainings.cancel(first)
    wait(trainings, lambda by_number: by_number[second].status == DONE)
    by_number = {t.number: t for t in trainings.read_all()}
    assert (by_number[first].status, by_number[third].status) == (STOPPED, STOPPED)
    assert 500 < by_number[first].done < size(25)
    trainings.close()
    again = Trainings(tmp_path, [str(house / "w.swf.gz")])  # as after a restart
    again.resume(first)
    wait(again, lambda by_number: by_number[first].status == DONE)
    again.close()
    trained = {t.number: t for t in again.read_all()}[first]
    assert (trained.done, trained.total) == (size(25), size(25))
    workload = ps.read_swf(house / "w.swf.gz")
    assert ps.objectives(ps.simulate(workload, trained.policy))[2] == trained.course[-1][2]
    direct = ps.train(workload, Wish(weights=[("AWRT1", 1.0)]), generations=25).policy
    assert np.array_equal(direct.genes, trained.policy.genes)


def wait(trainings: Trainings, until: Any) -> None:
    """Wait until `until`, called with the trainings by number, is true."""
    for _ in range(1200):
        trainings.advance()
        if until({t.number: t for t in trainings.read_all()}):
            return
        time.sleep(0.1)
    raise AssertionError(trainings.read_all())


def test_a_training_that_was_damaged_is_listed_as_such(tmp_path: Path) -> None:
    (tmp_path / "training-1.json").write_text("{}")
    (tmp_path / "training-x.json").write_text("{}")
    (tmp_path / "training-2.json").mkdir()
    assert [t.message[:14] for t in Trainings(tmp_path).read_all()] == ["cannot be read"] * 2


def test_a_training_that_outlives_its_page_runs_on_and_is_left_alone(tmp_path: Path) -> None:
    trainings = Trainings(tmp_path)
    wish = Wish(weights=[("AWRT1", 1.0)])
    wish_files.save_wish(wish, tmp_path / "training-1.wish.json")
    request = {"format": "paretosched page training 1", "wish": wish_files.to_json(wish), "generations": 5}
    (tmp_path / "training-1.json").write_text(json.dumps(request))
    assert [t.status for t in trainings.read_all()] == [STOPPED]
    with runs.open_run(tmp_path / "training-1", {"of": "another process"}):
        assert [t.status for t in trainings.read_all()] == [RUNNING]
        for touch in (trainings.cancel, trainings.resume):
            with pytest.raises(InputError, match="page that was killed"):
                touch(1)
    assert [t.status for t in trainings.read_all()] == [STOPPED]
