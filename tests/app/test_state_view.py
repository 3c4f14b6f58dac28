"""What a state means on its front."""

from __future__ import annotations

import json

from paretosched.app.state_view import scene, view_of
from paretosched.wishes.nearness import nearest
from support.page import FRONT, did


def test_a_view_counts_ranks_and_reaches() -> None:
    state = did({"do": "say", "text": "near AWRT1 = 60000s, AWRT2 <= 100000s"})
    view = view_of(state, FRONT)
    inside = FRONT.values[:, 3] <= 100_000
    assert view.left == inside.sum()
    assert view.best[4] == FRONT.values[inside, 4].min()
    assert view.best[0] == FRONT.values[inside, 0].max()
    assert view.nearest == tuple(nearest(state.wish, FRONT)[:5].tolist())
    assert view.row == view.nearest[0]
    contents = scene(state, view, {"EASY": FRONT.values[0]}, [])
    assert contents["limits"] == {"AWRT2": [0.0, 100_000.0]}
    json.dumps(contents, allow_nan=False)
