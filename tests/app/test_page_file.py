"""States of the page as JSON: on disk, for a colleague, and opened again."""

from __future__ import annotations

import json
from typing import Any

import pytest

import paretosched as ps
from paretosched.app.page_file import from_json, read, to_json
from paretosched.core.errors import InputError
from support.page import FRONT, busy


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
    assert (state.chosen, state.picks, lost_rows) == (1, (), 1)
    assert from_json(to_json(state, shorter), FRONT, "page")[0].chosen == 9


@pytest.mark.parametrize(
    "change",
    [
        {"format": "x"}, {"digest": "00"}, {"wish": 3}, {"wish": {"format": "x"}}, {"shortlist": 3}, {"shortlist": [3]},
        {"shortlist": [{"row": 3, "run": "run-a", "evaluation": 9, "note": 3}]}, {"classes": [["AWRT1"]]},
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
    assert read(json.dumps(to_json(busy(), FRONT)), FRONT, "the file") == (busy(), 0)
