"""How far a trained policy goes, in words."""

from __future__ import annotations

from paretosched.app.tab_train import progress
from paretosched.wishes.wish import Limit, Wish
from support.page import FRONT


def test_the_way_is_told_in_words() -> None:
    easy, wish = FRONT.values.max(axis=0), Wish(weights=[("AWRT1", 1.0)])
    best = FRONT.values[FRONT.values[:, 2].argmin()]
    assert progress(wish, easy, best, FRONT) == "100 % of the way from EASY to the front"
    assert progress(wish, best, easy, FRONT) == "EASY is as good as the front for this wish"
    wish_with_limit = Wish(weights=[("AWRT1", 1.0)], limits=[Limit("AWRT1", high=float(best[2]))])
    assert "exceeds the limits by" in progress(wish_with_limit, easy, easy, FRONT)
    assert progress(wish, None, best, FRONT) == ""
