"""Drawings without a library: every line is where its values are."""

import re

import numpy as np
import pytest

from paretosched.report.svg import BOTTOM, HEIGHT, MOST_FAINT, TOP, Drawn, axes, parallel
from support.fronts import a_front


@pytest.mark.parametrize("points", [3, MOST_FAINT, 3 * MOST_FAINT + 1])
def test_lines_are_where_their_values_are(points: int) -> None:
    front = a_front(points)
    described = axes(front, {})
    best = np.array([x.max() if o.maximise else x.min() for o, x in zip(front.objectives, front.values.T, strict=True)])
    text = parallel(described, [Drawn("<best>", best.tolist(), "look-0")], front.values, "all")
    assert text.count('class="faint"') <= MOST_FAINT
    assert "<best>" not in text
    assert len(text) < 100_000
    drawn = re.search(r'class="strong look-0" points="([^"]*)"', text)
    assert drawn is not None
    heights = [float(pair.split(",")[1]) for pair in drawn[1].split()]
    assert len(heights) == len(described)
    for height, axis in zip(heights, described, strict=True):
        value = best[axis["column"]] * axis["factor"]
        share = (axis["high"] - (np.log10(value) if axis["log"] else value)) / (axis["high"] - axis["low"])
        assert height == pytest.approx(TOP + share * (HEIGHT - TOP - BOTTOM), abs=0.1)
        assert height < HEIGHT / 2  # better is up


def test_a_schedule_without_a_value_is_not_drawn() -> None:
    front = a_front(5)
    gone = np.full(len(front.objectives), np.nan).tolist()
    assert 'class="strong' not in parallel(axes(front, {}), [Drawn("x", gone, "look-0")], front.values, "all")
