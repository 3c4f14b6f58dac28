"""How a decision came about, in words: the list on the page, its notes, the file, and the report."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from paretosched.app.decision import decision
from paretosched.app.desk import Desk
from paretosched.app.history_view import MOST_SHOWN, decided_lines, history_list, told_steps
from paretosched.app.page_file import MOST_TOLD, read
from paretosched.app.tab_compare import compare_pieces
from paretosched.core.errors import InputError
from support.page import FRONT

EVALUATION = FRONT.evaluation.tolist()


def words_of(desk: Desk) -> list[str]:
    return [words for _, words in told_steps(desk.history, FRONT)]


def busy_desk(desk: Desk) -> Desk:
    """Return a desk on which two owners have decided something."""
    for action in (
        {"do": "say", "text": "AWRT1, AWRT2 <= 20h", "who": "Eva"},
        {"do": "pick", "row": 3, "who": "Eva"},
        {"do": "choose", "row": 9, "who": "Jan"},
        {"do": "note", "name": "A", "text": "calm", "who": "Jan"},
        {"do": "knees"},
        {"do": "compare", "name": "FCFS"},
        {"do": "drop", "name": "A"},
        {"do": "say", "text": ""},
    ):
        desk.act(action)
    return desk


def test_every_step_is_told_in_words(desk: Desk) -> None:
    words = words_of(busy_desk(desk))
    assert words[:5] == [
        "the page was opened",
        "the wish: AWRT1, AWRT2 <= 20h",
        f"A on the shortlist: evaluation {EVALUATION[3]}",
        f"a look at evaluation {EVALUATION[9]}",
        "why A: calm",
    ]
    assert words[5].startswith("a look at evaluation ")
    assert words[5].endswith(", the knee")
    assert words[6:] == ["compared with FCFS", "A off the shortlist", "no wish"]
    assert [step.who for step in desk.history.steps[1:5]] == ["Eva", "Eva", "Jan", "Jan"]
    assert all(abs(step.at - datetime.now().astimezone().timestamp()) < 60 for step in desk.history.steps[1:])


def test_one_goes_back_to_any_step_and_says_why(desk: Desk) -> None:
    busy_desk(desk)
    desk.act({"do": "back", "number": 4})
    assert [pick.note for pick in desk.state.picks] == ["calm"]
    assert len(desk.history.steps) == 9  # those behind it are there still
    desk.act({"do": "why", "number": 1, "text": "the <board> asks"})
    assert desk.history.steps[1].why == "the <board> asks"
    for action in ({"do": "back", "number": 77}, {"do": "why", "number": 77, "text": ""}, {"do": "why", "number": 1}):
        with pytest.raises(InputError):
            desk.act(action)
    again = Desk(FRONT, desk.folder)  # it is all kept on disk
    assert words_of(again) == words_of(desk)[:5]
    assert [(s.who, s.why, s.at) for s in again.history.steps] == [(s.who, s.why, s.at) for s in desk.history.steps[:5]]
    again.act({"do": "back", "number": 2})
    assert again.state.picks[0].note == ""


def test_the_list_shows_the_newest_first_and_the_present_one(desk: Desk) -> None:
    assert history_list(desk) == []
    busy_desk(desk)
    desk.act({"do": "back", "number": 4})
    (steps,) = history_list(desk)
    buttons = [item.children[0] for item in steps.children]
    assert [json.loads(getattr(b, "data-do"))["number"] for b in buttons] == list(range(8, -1, -1))
    assert [b.children for b in buttons if b.className == "link on"] == ["Why A: calm"]
    assert [item.className for item in steps.children] == ["undone"] * 4 + [""] * 5
    assert compare_pieces(desk)["steps-so-far"] is not None
    for _ in range(20):
        desk.act({"do": "choose", "row": 1})
        desk.act({"do": "choose", "row": 2})
    assert len(history_list(desk)[0].children) == MOST_SHOWN


def test_the_report_says_how_it_came_to_this(desk: Desk) -> None:
    assert "How it came to this" not in decision(desk)
    busy_desk(desk)
    desk.act({"do": "back", "number": 4})
    desk.act({"do": "why", "number": 1, "text": "the <board> asks"})
    lines = decided_lines(desk.history, FRONT)
    assert [line.partition(" (")[0] for line in lines] == [
        "The wish: AWRT1, AWRT2 <= 20h", f"A on the shortlist: evaluation {EVALUATION[3]}", "Why A: calm",
    ]  # fmt: skip
    assert lines[0].endswith("): the <board> asks")
    assert "(Eva, " in lines[0]
    text = decision(desk)
    assert "the &lt;board&gt; asks" in text
    assert text.index("How to run it") < text.index("How it came to this")


def test_a_file_brings_its_steps_along(desk: Desk, tmp_path: Path) -> None:
    busy_desk(desk)
    desk.act({"do": "back", "number": 4})
    (tmp_path / "other").mkdir()
    other = Desk(FRONT, tmp_path / "other")
    other.act({"do": "say", "text": "AWRT3"})
    other.act({"do": "open", "text": json.dumps(desk.to_json())})
    assert other.state.picks == desk.state.picks
    assert words_of(other)[1] == "the wish: AWRT3"
    assert words_of(other)[-3:] == words_of(desk)[2:5]
    other.act({"do": "back", "number": 1})
    assert (other.state.wish is not None, other.state.picks) == (True, ())


@pytest.mark.parametrize(
    "history", [[{"at": 1e300, "who": "x" * 99, "why": "y" * 999}], [{"page": 3}, {"at": -4.0}], [{"page": {}}, {}], []]
)
def test_odd_steps_in_a_file_are_cut_or_left_out(desk: Desk, history: list[Any]) -> None:
    read_back, _ = read(json.dumps(desk.to_json() | {"history": history}), FRONT, "file")
    (step,) = read_back.steps
    assert step.at == 0.0
    assert len(step.who) <= 40
    assert len(step.why) <= 500
    for wrong in (3, [3], [{"at": "now"}], {"a": 1}):
        with pytest.raises(InputError, match="history"):
            read(json.dumps(desk.to_json() | {"history": wrong}), FRONT, "file")


def test_a_file_has_the_last_steps_only(desk: Desk) -> None:
    for row in range(MOST_TOLD + 9):
        desk.act({"do": "choose", "row": row})
    there, _ = read(json.dumps(desk.to_json()), FRONT, "file")
    assert len(there.steps) == MOST_TOLD
    assert there.steps[0].state.chosen == 9
    assert there.present == desk.history.present
