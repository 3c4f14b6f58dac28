"""The smallest relaxation of a wish that leaves nothing, against every row of fronts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.wishes.navigation import remaining
from paretosched.wishes.relaxation import smallest_relaxation
from paretosched.wishes.wish import Limit, Wish, violation
from support.fronts import a_front, made_up

FRONT = a_front(200)
NAMES = [o.name for o in FRONT.objectives]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.floats(0.3, 1.5)), min_size=1, max_size=5, unique_by=lambda pair: pair[0])
)
def test_it_leaves_something_and_asks_for_the_least(asked: list[tuple[int, float]]) -> None:
    middle = np.median(FRONT.values, axis=0)
    limits = [
        Limit(NAMES[j], low=float(middle[j] * f)) if NAMES[j] == "UTIL" else Limit(NAMES[j], high=float(middle[j] * f))
        for j, f in asked
    ]
    wish = Wish(limits=limits)
    relaxed = smallest_relaxation(wish, FRONT)
    if remaining(wish, FRONT).any():
        assert relaxed is None
        return
    assert relaxed.left == remaining(relaxed.wish, FRONT).sum() > 0
    least = violation(wish, FRONT.values).min()
    steps = [
        abs((new.low - old.low) / max(old.low, 1)) + (0 if new.high == old.high else (new.high - old.high) / old.high)
        for old, new in relaxed.changed
    ]
    rounded = sum(0.0101 * max(new.low, new.high if new.high < np.inf else 0) / max(old.low, min(old.high, 1e300))
                  if old.high < np.inf else 0.0101 for old, new in relaxed.changed)  # fmt: skip
    assert sum(steps) == pytest.approx(least, abs=rounded)  # three digits, rounded outwards
    assert sum(steps) >= least - 1e-9
    for old, new in relaxed.changed:
        assert new.low <= old.low
        assert new.high >= old.high


def test_only_what_is_exceeded_is_loosened() -> None:
    best = FRONT.values[:, 2].min()
    wish = Wish(weights=[("AWRT2", 1)], limits=[Limit("AWRT1", high=float(0.9 * best)), Limit("AWRT3", high=1e9)])
    relaxed = smallest_relaxation(wish, FRONT)
    assert [old.objective for old, _ in relaxed.changed] == ["AWRT1"]
    (limit,) = [limit for limit in relaxed.wish.limits if limit.objective == "AWRT1"]
    assert best <= limit.high <= 1.006 * best
    assert relaxed.wish.weights == wish.weights


@given(st.floats(0.01, 400), st.sampled_from([1.0, 3600.0]), st.sampled_from([-math.inf, 0.0, math.inf]))
def test_a_schedule_next_to_a_round_limit_is_left(value: float, unit: float, towards: float) -> None:
    near = float(f"{value:.3g}") * unit
    near = math.nextafter(near, towards) if towards else near
    front = made_up(np.full((1, 3), near), ("1",), "small", "cd" * 32)
    for limit in (Limit("AWRT1", high=near / 2), Limit("UTIL", low=near * 2)):
        relaxed = smallest_relaxation(Wish(limits=[limit]), front)
        assert relaxed is not None
        assert relaxed.left == 1
