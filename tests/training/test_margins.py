"""Stricter limits."""

import pytest

from paretosched.training.margins import stricter_wish
from paretosched.wishes.wish import Limit, Wish, violation


@pytest.mark.parametrize("margin", [0.0, 1.0, 12.5, 50.0])
def test_what_keeps_the_stricter_limits_keeps_the_limits_with_room(margin: float) -> None:
    wish = Wish(near=[("AWRT1", 8)], limits=[Limit("AWRT", high=40000), Limit("UTIL", low=50), Limit("AWRT2", 10, 20)])
    strict = stricter_wish(wish, margin)
    assert strict.near == wish.near
    share = margin / 100
    assert strict.limits[0] == Limit("AWRT", high=40000 * (1 - share))
    assert strict.limits[1] == Limit("UTIL", low=50 * (1 + share))
    low, high = (10 * (1 + share), 20 * (1 - share)) if share < 1 / 3 else (15, 15)
    assert strict.limits[2] == Limit("AWRT2", low, high)
    assert violation(strict, [[50 * (1 + share), 40000 * (1 - share), 9, (low + high) / 2]]).tolist() == [0]
    assert (stricter_wish(wish, 0) is wish) == (margin == 0 or strict is not wish)
