"""What a state means on its front."""

from __future__ import annotations

import json

from paretosched.app.state_view import scene, view
from paretosched.wishes.nearness import nearest
from support.page import FRONT, did


def test_a_view_counts_ranks_and_reaches() -> None:
    state = did({"do": "say", "text": "near AWRT1 = 60000, AWRT2 <= 100000"})
    seen = view(state, FRONT)
    inside = FRONT.values[:, 3] <= 100_000
    assert seen.left == inside.sum()
    assert seen.best[4] == FRONT.values[inside, 4].min()
    assert seen.best[0] == FRONT.values[inside, 0].max()
    assert seen.nearest == tuple(nearest(state.wish, FRONT)[:5].tolist())
    assert seen.row == seen.nearest[0]
    drawn = scene(state, seen, {"EASY": FRONT.values[0]}, [])
    assert drawn["limits"] == {"AWRT2": [0.0, 100_000.0]}
    json.dumps(drawn, allow_nan=False)
