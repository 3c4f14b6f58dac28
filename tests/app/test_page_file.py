"""States of the page as JSON: on disk, for a colleague, and opened again."""

import json
from dataclasses import replace
from typing import Any

import pytest

import paretosched as ps
from paretosched.app.page_file import from_json, read, to_json
from paretosched.app.undo import History
from paretosched.core.errors import InputError
from support.page import FRONT, busy, did

VALUES = dict(zip((o.name for o in FRONT.objectives), FRONT.values[3].tolist(), strict=True))


def test_a_state_survives_a_file() -> None:
    value = json.loads(json.dumps(to_json(busy(), FRONT), allow_nan=False))
    assert from_json(value, FRONT, "page") == (busy(), 0)
    assert value["in_words"] == "near AWRT1 = 14h, UTIL = 67, AWRT5 <= 30h"


def test_rows_are_found_again_on_a_longer_front_and_missed_where_they_are_gone() -> None:
    rows = [0, 9, *range(20, 60)]
    shorter = ps.Front(
        FRONT.values[rows], FRONT.genomes[rows], FRONT.origin[rows], FRONT.evaluation[rows], FRONT.origins,
        FRONT.groups, FRONT.workload, FRONT.digest, FRONT.ancestors,
    )  # fmt: skip
    state, lost_rows = from_json(to_json(busy(), FRONT), shorter, "page")
    kept = busy().picks[0]
    assert (state.chosen, state.picks, lost_rows) == (1, (kept._replace(row=None),), 0)
    there = from_json(json.loads(json.dumps(to_json(state, shorter))), FRONT, "page")[0]
    assert (there.chosen, there.picks) == (9, (kept,))
    entry = to_json(busy(), FRONT)["shortlist"][0]
    del entry["values"]  # a file written by hand
    assert from_json(to_json(busy(), FRONT) | {"shortlist": [entry]}, shorter, "page") == (replace(state, picks=()), 1)


def test_a_schedule_is_known_by_its_evaluation_and_values_whatever_its_run_is_called() -> None:
    value = to_json(busy(), FRONT)
    copied = replace(FRONT, origins=tuple(o._replace(name=f"copy of {o.name}") for o in FRONT.origins))
    state, losses = from_json(value, copied, "page")
    assert (state.chosen, [pick.row for pick in state.picks], losses) == (9, [3], 0)
    others = replace(FRONT, values=FRONT.values * 1.01)  # explored again under the same name: other schedules
    state, losses = from_json(value, others, "page")
    assert (state.chosen, [pick.row for pick in state.picks], losses) == (None, [None], 0)
    assert state.picks[0].values == tuple(FRONT.values[3].tolist())


def test_files_of_earlier_versions_have_no_letters() -> None:
    value = to_json(did({"do": "drop", "name": "A"}, {"do": "pick", "row": 5}, {"do": "pick", "row": 6}), FRONT)
    for entry in value["shortlist"]:
        del entry["letter"]
    state = from_json(value, FRONT, "page")[0]
    assert [(pick.letter, pick.row) for pick in state.picks] == [("A", 5), ("B", 6)]
    value["shortlist"][0]["letter"] = "B"
    value["shortlist"].append(value["shortlist"][0])
    state = from_json(value, FRONT, "page")[0]
    assert [(pick.letter, pick.row) for pick in state.picks] == [("B", 5), ("A", 6)]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"}, {"digest": "00"}, {"wish": 3}, {"wish": {"format": "x"}}, {"shortlist": 3}, {"shortlist": [3]},
        {"shortlist": [{"row": 3, "run": "run-a", "evaluation": 9, "note": 3}]}, {"classes": [["AWRT1"]]},
        {"shortlist": [{"run": "run-a", "evaluation": 1, "values": 3}]},
        {"shortlist": [{"run": "run-a", "evaluation": 1, "values": {"AWRT": 5}}]},
        {"shortlist": [{"run": "run-a", "evaluation": 1, "values": {**VALUES, "AWRT1": -1}}]},
        {"shortlist": [{"run": "run-a", "evaluation": 1, "values": {**VALUES, "AWRT1": 1e300}}]},
        {"classes": [["AWRT1", "grow", None]]}, {"chart": 3}, {"chart": {"across": "x"}},
    ],
)  # fmt: skip
def test_a_file_of_something_else_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"^the file: "):
        from_json(to_json(busy(), FRONT) | change, FRONT, "the file")
    with pytest.raises(InputError):
        from_json([1], FRONT, "the file")


@pytest.mark.parametrize("text", [None, 3, "", "{", "[" * 100_000, "[1]", "NaN", '{"format": 1}', "\ud800"])
def test_what_is_opened_is_a_page_or_refused(text: Any) -> None:
    with pytest.raises(InputError, match=r"^the file: "):
        read(text, FRONT, "the file")
    assert read(json.dumps(to_json(busy(), FRONT)), FRONT, "the file") == (History.from_state(busy()), 0)
