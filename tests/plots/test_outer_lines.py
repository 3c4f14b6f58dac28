"""Lines that no schedule is below are drawn where they are, or below, and behind the front."""

import numpy as np
import pytest

from paretosched.plots.axes import axis
from paretosched.plots.fronts import pairs, scatter
from paretosched.plots.outer_lines import OUTER, outer_line
from paretosched.plots.style import HOUR
from support.fronts import random_front

LINE = np.array([[2.0, 30.0], [20.0, 4.0]]) * HOUR
LINES = {("AWRT1", "AWRT2"): LINE, ("AWRT", "AWRT1"): LINE[:1]}


@pytest.mark.parametrize("log", [True, False])
def test_what_is_drawn_is_the_line_or_below_it_up_to_the_ends_of_the_axes(log: bool) -> None:
    front = random_front(1, rows=50, groups=3)
    across, up = (axis(front, name, False)._replace(log=log) for name in ("AWRT1", "AWRT2"))
    ends = ([0.0, 2.0], [0.0, 2.0]) if log else ([0.0, 100.0], [0.0, 100.0])
    trace = outer_line(LINES, across, up, *ends)
    x, y = np.array(trace["x"]), np.array(trace["y"])
    assert (x[0], y[0], x[-1], y[-1]) == (2.0, 100.0, 100.0, 4.0)
    places = [np.log10(a) if log else a for a in (x, y)]  # where it is straight between two places
    for k in range(1, len(x) - 2):
        for share in (0.25, 0.5):
            here = [(1 - share) * a[k] + share * a[k + 1] for a in places]
            here = [10**a for a in here] if log else here
            true = 30.0 - (here[0] - 2.0) * 26.0 / 18.0
            assert here[1] <= true * (1 + 1e-12)
            assert here[1] >= true * 0.98
    swapped = outer_line(LINES, up, across, *ends)
    assert (swapped["x"][1], swapped["y"][1]) == pytest.approx((4.0, 20.0))
    assert outer_line(LINES, axis(front, "UTIL", False), up, *ends) == {}


def test_it_is_the_first_trace_and_named_in_the_legend() -> None:
    front = random_front(1, rows=50, groups=3)
    plain, figure = (scatter(front, "AWRT1", "AWRT2", {}, log=True, outer=outer) for outer in (None, LINES))
    assert [trace.name for trace in figure.data[:1]] == [OUTER]
    assert len(figure.data) == len(plain.data) + 1
    assert (figure.layout.showlegend, figure.data[0].showlegend) == (True, True)
    assert OUTER not in str(plain.to_dict())
    assert OUTER not in str(scatter(front, "UTIL", "AWRT2", {}, outer=LINES).to_dict())


def test_every_small_plot_of_two_groups_has_its_own() -> None:
    front = random_front(1, rows=50, groups=3)
    names = [o.name for o in front.objectives[2:]]
    lines = {(a, b): LINE + i for i, (a, b) in enumerate((a, b) for a in names for b in names if a < b)}
    drawn = [t for t in pairs(front, {}, lines).data if t.name == OUTER]
    cells = [(int(t.xaxis[1:] or 1), int(t.yaxis[1:] or 1)) for t in drawn]
    assert cells == [(i, j) for i in range(1, len(names) + 1) for j in range(i + 1, len(names) + 1)]
    assert OUTER not in str(pairs(front, {}).to_dict())
