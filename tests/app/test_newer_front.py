"""The front on disk is looked at, also when the disk does not answer."""

import errno
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from paretosched.app.contents import contents
from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.newer_front import watcher
from paretosched.app.state import schedule_name
from paretosched.core.errors import InputError
from paretosched.fronts.front import Front
from support.page import FRONT


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


def test_the_shortlist_and_undo_outlive_a_front_on_which_they_are_not(tmp_path: Path) -> None:
    desk = Desk(FRONT, tmp_path)
    for row, note in ((3, "first"), (7, "dear"), (9, "third")):
        desk.act({"do": "pick", "row": row})
        desk.act({"do": "note", "row": row, "text": note})
    desk.act({"do": "choose", "row": 7})
    values, evaluation = FRONT.values.copy(), FRONT.evaluation.copy()
    values[7] *= np.where([o.maximise for o in FRONT.objectives], 1.001, 0.999)  # better than B in everything
    evaluation[7] = 10_000
    turned = np.arange(len(FRONT))[::-1]  # all rows have other numbers
    newer = replace(
        FRONT, values=values[turned], genomes=FRONT.genomes[turned], origin=FRONT.origin[turned],
        evaluation=evaluation[turned],
    )  # fmt: skip
    desk.offer(newer)
    desk.act({"do": "show"})
    last = len(FRONT) - 1
    assert [(pick.letter, pick.row, pick.note) for pick in desk.state.picks] == [
        ("A", last - 3, "first"), ("B", None, "dear"), ("C", last - 9, "third"),
    ]  # fmt: skip
    assert desk.remark == (
        "Not on this front: of the shortlist B and the schedule that you looked at; the shortlist keeps what it has, "
        "and says which is better now."
    )
    shown = contents(desk)
    assert "There is a better one now: evaluation 10000." in repr(shown.pieces["picks"])
    assert [pick["letter"] for pick in shown.scene["picks"]] == ["A", "B", "C"]
    assert shown.scene["picks"][1]["values"] == FRONT.values[7].tolist()
    text = decision(desk)
    assert f"<h3>B · evaluation {FRONT.evaluation[7]}</h3><p>Why: dear</p>" in text.replace("\n", "")
    assert "There is a better one now: evaluation 10000." in text
    assert Desk(newer, tmp_path).state.picks == desk.state.picks  # it is kept on disk
    desk.act({"do": "note", "name": "B", "text": "still dear"})
    for _ in range(3):
        desk.act({"do": "undo"})
    assert [pick.letter for pick in desk.state.picks] == ["A", "B", "C"]
    assert desk.state.picks[2].note == ""
    desk.act({"do": "undo"})
    assert [pick.letter for pick in desk.state.picks] == ["A", "B"]
    desk.offer(FRONT)
    desk.act({"do": "show"})  # the earlier front again
    assert [pick.row for pick in desk.state.picks] == [3, 7]


def test_a_smaller_front_without_a_better_schedule_is_no_reason_to_forget_one(tmp_path: Path) -> None:
    desk = Desk(FRONT, tmp_path)
    desk.act({"do": "pick", "row": 3})
    few = [0, *range(10, 40)]
    parts = {key: getattr(FRONT, key)[few] for key in ("values", "genomes", "origin", "evaluation")}
    desk.offer(replace(FRONT, **parts))
    desk.act({"do": "show"})
    assert "It is not on this front." in repr(contents(desk).pieces["picks"])
    assert schedule_name(FRONT, 3) in repr(contents(desk).pieces["picks"])
