"""Ticks of axes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paretosched.plots.axes import linear_ticks, log_ticks


@given(st.floats(-3, 3), st.floats(0.02, 4))
def test_logarithmic_ticks_are_in_range_apart_and_at_least_three(low, span):
    ticks = log_ticks(low, low + span)
    assert len(ticks) >= 3
    assert all(low - 1e-9 <= np.log10(tick) <= low + span + 1e-9 for tick in ticks)
    assert ticks == sorted(set(ticks))


def test_ticks_are_round_numbers():
    assert log_ticks(np.log10(30), np.log10(220)) == [30, 50, 70, 100, 150, 200]
    assert log_ticks(0, 3) == [1, 10, 100, 1000]
    assert linear_ticks(65.1, 88.2) == [70, 75, 80, 85]
