"""What a state means on its front."""

import json
from dataclasses import replace

import numpy as np
import pytest

from paretosched.app.state_view import fixed_limits, scene, view_of
from paretosched.wishes.nearness import nearest
from support.page import FRONT, START, did


def test_a_view_counts_ranks_and_reaches() -> None:
    state = did({"do": "say", "text": "near AWRT1 = 60000s, AWRT2 <= 100000s"})
    view = view_of(state, FRONT)
    inside = FRONT.values[:, 3] <= 100_000
    assert view.left == inside.sum()
    assert view.best[4] == FRONT.values[inside, 4].min()
    assert view.best[0] == FRONT.values[inside, 0].max()
    assert view.nearest == tuple(nearest(state.wish, FRONT)[:5].tolist())
    assert view.row == view.nearest[0]
    contents = scene(state, view, FRONT, {"EASY": FRONT.values[0]}, [])
    assert contents["limits"] == {"AWRT2": [0.0, 100_000.0]}
    assert contents["fixed"] == {}
    json.dumps(contents, allow_nan=False)


def test_limits_that_no_brush_changes_have_numbers_for_each_objective() -> None:
    """Once the page counted and coloured by the limits that can be brushed only."""
    easy = tuple(float(x) for x in np.median(FRONT.values, axis=0))
    state = replace(START, references=(("easy", easy),))
    state = did({"do": "say", "text": "AWRT1, others <= 1.05*EASY, AWRT3 <= EASY, AWRT4 <= 20"}, state=state)
    fixed = {x.objective: (x.low, x.high) for x in fixed_limits(state, FRONT)}
    highs = [1.05 * easy[3], easy[4], 1.05 * easy[5], 1.05 * easy[6]]
    assert fixed == {f"AWRT{k}": (0.0, pytest.approx(high)) for k, high in zip((2, 3, 4, 5), highs, strict=True)}
    inside = (FRONT.values[:, 3:] <= highs).all(axis=1) & (FRONT.values[:, 5] <= 72_000)
    view = view_of(state, FRONT)
    assert view.left == inside.sum()
    sent = scene(state, view, FRONT, {}, [])
    assert set(sent["limits"]) == {"AWRT4"}
    assert set(sent["fixed"]) == set(fixed)
    unknown = replace(state, references=())  # the workload is not simulated yet
    assert fixed_limits(unknown, FRONT) == ()
