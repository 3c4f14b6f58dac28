"""The shelves of free processors against the flat profile, and what is noted of them."""

import numpy as np
import pytest

from paretosched.kernels import profile_shelves as vacancy
from paretosched.policies.decoded_orders import outcome_of_order
from support.zoo import random_jobs


@pytest.mark.slow
def test_equals_the_flat_profile_on_thousands_of_jobs() -> None:
    """The oracle is too slow for many shelves; the profile of conservative backfilling is not."""
    from paretosched.kernels import profile
    from paretosched.kernels.waiting_tree import FAR

    for w in (random_jobs(1, 20_000, 128, gap=40, run=900), random_jobs(2, 8_000, 128, gap=5, run=900)):
        n = len(w)
        order = np.random.default_rng(3).permutation(n).astype(np.int32)
        when, room, span = np.empty(2 * n + 16, np.int64), np.empty(2 * n + 16, np.int64), np.empty(2, np.int64)
        profile.clear(when, room, span, w.submit[0], w.capacity)
        expected = np.empty(n, np.int64)
        for j in order:
            length = w.run[j]
            t = profile.earliest(when, room, span, w.submit[j], FAR, FAR, w.width[j], length)
            profile.add(when, room, span, t, t + length, -w.width[j])
            expected[j] = t
        np.testing.assert_array_equal(outcome_of_order(w, order, "earliest").start, expected)


@pytest.mark.slow
def test_the_range_of_each_shelf_is_known() -> None:
    w = random_jobs(1, 3_000, 128, gap=40, run=900)
    v = vacancy.vacancy(len(w))
    vacancy.clear(v, w.submit[0], w.capacity)
    free = {}
    for j in np.random.default_rng(0).permutation(len(w)):
        t = int(vacancy.earliest(v, w.submit[j], w.width[j], w.run[j]))
        vacancy.take(v, t, t + w.run[j], w.width[j])
        free[j] = t

    shelves = v.shelves[: v.in_use[0]]
    assert len(shelves) > 10
    points = []
    for shelf in shelves:
        inside = [(int(p["when"]), int(p["room"] + shelf["shift"])) for p in v.points[shelf["place"], : shelf["size"]]]
        assert shelf["since"] == inside[0][0]
        assert shelf["least"] == min(room for _, room in inside)
        assert shelf["most"] == max(room for _, room in inside)
        points += inside
    when = np.array([t for t, _ in points])
    assert (np.diff(when) > 0).all()
    rows = np.array(list(free))
    start = np.array(list(free.values()))
    change = np.zeros(when.size, np.int64)
    np.add.at(change, np.searchsorted(when, start), -w.width[rows])
    np.add.at(change, np.searchsorted(when, start + w.run[rows]), w.width[rows])
    assert [room for _, room in points] == (w.capacity + np.cumsum(change)).tolist()
