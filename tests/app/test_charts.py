"""Figures of the page."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from paretosched.app.charts import differences, empty, in_words, projection
from paretosched.app.state import beginning
from paretosched.report.svg import axes
from paretosched.wishes.wish import Limit, Wish
from support.fronts import a_front
from support.page import FRONT


@pytest.mark.parametrize(
    "front",
    [FRONT, a_front(1), a_front(40, groups=("staff",)), a_front(40, empty=2)],
    ids=["usual", "one", "one group", "a group without jobs"],
)
def test_charts_are_figures_whatever_the_front(front: Any) -> None:
    marks = {"EASY": front.values[0], "<b>": front.values[-1] * 9}
    state = beginning(front)
    base = empty(front, state.across, state.up, marks, log=True)
    wish = Wish(near=[(state.across, 7.0)], limits=[Limit(state.up, 5, 90_000)])
    figure = projection(
        base, front, state.across, state.up, wish=wish, chosen=0, picks={"B": front.values[0]}, suggested=(0,)
    )
    go.Figure(figure)
    assert len(figure["layout"]["shapes"]) == 3
    assert "shapes" not in base["layout"]
    go.Figure(differences(front.objectives, ("EASY", front.values[0]), marks, dict.fromkeys(marks, "#000000")))
    names = [axis["name"] for axis in axes(front, marks)]
    assert names == [o.name for o, v in zip(front.objectives, front.values.T, strict=True) if not np.isnan(v).any()]
    for axis in axes(front, marks):
        assert (axis["low"] < axis["high"]) == axis["maximise"]
    assert "% busy" in " ".join(in_words(front))
    assert in_words(front)[1].startswith(
        "Weighted by what jobs take of the machine, so that large jobs count most (AWRT), a job is done "
    )
    assert in_words(front, front.values.min(axis=0))[-1].startswith("No schedule at all takes less than")


def test_long_names_of_groups_are_cut_and_many_are_told() -> None:
    front = a_front(40, groups=("x" * 500, *map(str, range(2, 21))))
    assert all(len(axis["label"]) <= 18 for axis in axes(front, {}))
    assert max(map(len, " ".join(in_words(front)).split())) < 60


def test_titles_of_axes_are_short_enough_for_a_small_chart() -> None:
    base = empty(FRONT, "UTIL", "AWRT", {}, log=True)
    titles = [base["layout"][key]["title"]["text"] for key in ("xaxis", "yaxis")]
    assert titles == ["UTIL · from first submission (%)", "AWRT · all jobs (hours)"]
