"""What the owner can do on the page, and which actions are refused."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paretosched.app.actions import MOST_PICKS, after
from paretosched.app.charts import LETTERS
from paretosched.app.state import current, pick_at
from paretosched.core.errors import InputError
from paretosched.wishes.knee_points import knees
from paretosched.wishes.navigation import compromise, remaining
from paretosched.wishes.nearness import nearest
from paretosched.wishes.wish import Limit, Wish
from paretosched.wishes.wish_grammar import parse
from support.page import FRONT, START, did


def test_the_wish_is_one_however_it_is_said() -> None:
    of_text = did({"do": "say", "text": "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h"})
    of_sliders = did(
        {"do": "weigh", "name": "AWRT2", "value": 4},
        {"do": "weigh", "name": "AWRT1", "value": 10},
        {"do": "limit", "limits": {"AWRT5": [None, 39600]}},
    )
    assert of_text.wish == of_sliders.wish == parse("10*AWRT1 + 4*AWRT2, AWRT5 <= 39600", FRONT.objectives)
    near = did({"do": "near", "name": "UTIL", "value": 67}, {"do": "near", "name": "AWRT1", "value": 5e4})
    assert near.wish == Wish(near=[("UTIL", 67), ("AWRT1", 5e4)])
    assert did({"do": "weigh", "name": "UTIL", "value": 3}).wish == Wish(weights=[("UTIL", -3)])


def test_weights_and_a_point_exclude_each_other_and_limits_stay() -> None:
    both = did({"do": "say", "text": "AWRT1, AWRT2 <= 25"}, {"do": "near", "name": "AWRT3", "value": 5e4})
    assert both.wish == Wish(near=[("AWRT3", 5e4)], limits=[Limit("AWRT2", high=9e4)])
    back = did({"do": "weigh", "name": "AWRT1", "value": 2}, state=both)
    assert back.wish == Wish(weights=[("AWRT1", 2)], limits=[Limit("AWRT2", high=9e4)])
    bare = did(
        {"do": "weigh", "name": "AWRT1", "value": None}, {"do": "limit", "limits": {"AWRT2": [None, None]}}, state=back
    )
    assert bare.wish is None


def test_what_is_looked_at_is_chosen_or_nearest_or_the_compromise() -> None:
    everything = np.ones(len(FRONT), dtype=bool)
    assert current(START, FRONT) == compromise(FRONT, everything)
    state = did({"do": "say", "text": "near AWRT1 = 60000s"})
    assert current(state, FRONT) == nearest(state.wish, FRONT)[0]
    region = did({"do": "say", "text": "AWRT1 <= 100000s"})
    assert current(region, FRONT) == compromise(FRONT, remaining(region.wish, FRONT))
    assert current(did({"do": "choose", "row": 7}, state=state), FRONT) == 7
    assert did({"do": "choose", "row": 7}, {"do": "say", "text": "AWRT1"}).chosen is None
    assert did({"do": "knees"}).suggested == ("knee", tuple(knees(FRONT, everything)))
    assert did({"do": "compromise"}).chosen == compromise(FRONT, everything)


def test_classes_start_from_what_is_looked_at() -> None:
    classes = {"AWRT1": ["improve", None], "AWRT2": ["keep", None], "AWRT5": ["free", None]}
    state = did({"do": "choose", "row": 7}, {"do": "classify", "classes": classes})
    assert state.classes == (("AWRT1", "improve", None), ("AWRT2", "keep", None))
    row = current(state, FRONT)
    assert FRONT.values[row, 2] <= FRONT.values[7, 2]
    assert FRONT.values[row, 3] <= FRONT.values[7, 3] * (1 + 1e-5)


def test_the_shortlist_keeps_order_and_notes() -> None:
    state = did(
        {"do": "pick", "row": 5}, {"do": "pick", "row": 2}, {"do": "pick", "row": 5},
        {"do": "note", "row": 2, "text": "cheap"}, {"do": "drop", "row": 5},
    )  # fmt: skip
    assert state.picks == (pick_at(FRONT, 2, "B", "cheap"),)  # its letter stays, and the next one takes the free one
    assert [pick.letter for pick in did({"do": "pick", "row": 8}, state=state).picks] == ["B", "A"]
    assert did({"do": "note", "name": "B", "text": "dear"}, {"do": "drop", "name": "B"}, state=state).picks == ()
    alike = replace(FRONT, values=np.repeat(FRONT.values[:1], len(FRONT), axis=0))
    with pytest.raises(InputError, match="stands out"):
        after(START, {"do": "knees"}, alike)
    many = did(*({"do": "pick", "row": row} for row in range(MOST_PICKS)))
    with pytest.raises(InputError, match="at most 12"):
        did({"do": "pick", "row": 100}, state=many)
    assert len(LETTERS) == MOST_PICKS


BAD = [
    None, 3, [], {}, {"do": "explode"}, {"do": ["say"]}, {"do": "say"}, {"do": "say", "text": 3},
    {"do": "say", "text": "AWRT9"}, {"do": "say", "text": "AWRT1" * 1000}, {"do": "limit"},
    {"do": "limit", "limits": {"AWRT1": 3}}, {"do": "limit", "limits": {"AWRT1": [1]}},
    {"do": "limit", "limits": {"AWRT1": [5, 3]}}, {"do": "limit", "limits": {"AWRT9": [1, 2]}},
    {"do": "limit", "limits": {"AWRT1": ["1", 2]}}, {"do": "limit", "limits": {"AWRT1": [math.nan, 2]}},
    {"do": "limit", "limits": {"AWRT1": [1e308, 1e400]}}, {"do": "near", "name": "AWRT1", "value": 0},
    {"do": "near", "name": "__class__", "value": 1}, {"do": "near", "value": 1},
    {"do": "weigh", "name": "AWRT1", "value": -1},
    {"do": "weigh", "name": "AWRT1", "value": True}, {"do": "weigh", "name": "AWRT1", "value": 10**400},
    {"do": "choose", "row": -1}, {"do": "choose", "row": 300}, {"do": "choose", "row": 1.0},
    {"do": "choose", "row": "1"},
    {"do": "pick"}, {"do": "drop"}, {"do": "drop", "name": "Z"}, {"do": "note", "name": 3, "text": "x"},
    {"do": "note", "row": 1, "text": "x" * 501}, {"do": "look", "across": "AWRT9"},
    {"do": "classify", "classes": {"AWRT1": ["improve"]}}, {"do": "classify", "classes": {"AWRT1": ["grow", None]}},
    {"do": "classify", "classes": []}, {"do": "classify", "classes": {}},
]  # fmt: skip


@pytest.mark.parametrize("action", BAD, ids=lambda action: repr(action)[:60])
def test_what_no_page_of_ours_says_is_refused(action: Any) -> None:
    with pytest.raises(InputError):
        after(START, action, FRONT)


def test_a_typed_limit_replaces_the_upper_one_and_leaves_the_lower_one() -> None:
    before = did({"do": "say", "text": "AWRT2, AWRT1 in 10h..40h, AWRT3 <= 60h"})
    there = {x.objective: x for x in did({"do": "cap", "name": "AWRT1", "text": "2 days"}, state=before).wish.limits}
    assert (there["AWRT1"].low, there["AWRT1"].high, there["AWRT3"].high) == (36_000.0, 172_800.0, 216_000.0)
    gone = {x.objective: x for x in did({"do": "cap", "name": "AWRT1", "text": ""}, state=before).wish.limits}
    assert (gone["AWRT1"].low, gone["AWRT1"].high) == (36_000.0, np.inf)
    for name, text in (("AWRT1 <= 3h, AWRT2", "4h"), ("AWRT1", "4h, AWRT2 <= 5h"), ("AWRT9", "4h"), ("AWRT1", "5 %")):
        with pytest.raises(InputError):
            did({"do": "cap", "name": name, "text": text}, state=before)
