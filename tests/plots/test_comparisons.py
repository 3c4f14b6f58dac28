"""The figures of a comparison: bars, use over time, and which figures there are."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.comparison.comparison import NEAREST, compare
from paretosched.core.errors import InputError
from paretosched.plots.comparisons import all_figures, bars, figures, partitions_over_time, use_over_time
from paretosched.plots.fronts import pairs, scatter
from paretosched.plots.style import MARKS
from paretosched.wishes.wish import Wish
from support.fronts import a_comparison, a_front

FEW = a_front(40)


def test_a_group_without_jobs_is_left_out_of_all_figures_and_refused_when_asked_for():
    front = a_front(30, empty=2)
    by_name = figures(front, a_comparison(front).marks)
    assert [d.label.split("<")[0] for d in by_name["parallel"].data[0].dimensions] == [
        "UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT4", "AWRT5",
    ]  # fmt: skip
    assert [d.label for d in by_name["pairs"].data[0].dimensions] == ["AWRT1", "AWRT2", "AWRT4", "AWRT5"]
    with pytest.raises(InputError, match="AWRT3 cannot be drawn, because no job"):
        scatter(front, "AWRT3", "AWRT1", {})


@pytest.mark.parametrize("points", [1, 2])
def test_tiny_fronts_can_be_drawn(points):
    front = a_front(points)
    by_name = figures(front, a_comparison(front).marks)
    assert list(by_name) == ["util-awrt", "awrt-awrt1", "awrt1-awrt2", "parallel", "pairs"]
    assert all(np.isfinite(by_name["util-awrt"].layout.yaxis.range))


def test_a_front_can_be_drawn_without_marks():
    assert list(figures(FEW)) == list(figures(FEW, {}))
    assert "EASY" not in {trace.name for trace in figures(FEW)["util-awrt"].data}


def test_one_group_alone_has_no_pairs():
    front = a_front(20, groups=("all",))
    assert list(figures(front, a_comparison(front).marks)) == ["util-awrt", "parallel"]
    with pytest.raises(InputError, match="two groups"):
        pairs(front, {})


def test_more_pairs_than_a_page_can_draw_are_refused():
    with pytest.raises(InputError, match="at most 3, but are 4"):
        figures(FEW, {}, [("AWRT1", "AWRT2")] * 4)


PAPER = {"ours": {"CTC": 10.9, "KTH": -40.0}, "theirs": {"CTC": 3.0}}


def drawn_bars(figure):
    return [trace for trace in figure.data if trace.type == "bar" and len(trace.x)]


def test_bars_are_drawn_with_their_numbers_in_the_order_they_came_in():
    figure = bars(PAPER, title="Figure 2", first=1)
    ours, theirs = drawn_bars(figure)
    assert (ours.name, list(ours.x), list(ours.text)) == ("ours", [10.9, -40.0], ["+10.9 %", "-40.0 %"])
    assert (theirs.name, list(theirs.x)) == ("theirs", [3.0])
    assert [ours.marker.color, theirs.marker.color] == [MARKS[1][0], MARKS[2][0]]  # 0 is EASY's
    assert list(figure.layout.yaxis.ticktext) == ["CTC", "KTH"]
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # from above
    assert figure.layout.xaxis.title.text == "improvement over EASY (%)"
    # no bar covers another one
    places = sorted(y for trace in (ours, theirs) for y in trace.y)
    assert all(b - a >= 0.86 for a, b in pairwise(places))


def test_names_beside_bars_have_room():
    figure = bars({"ours": {"CTC-SP2-1996-3.1-cln": 1.0, "x" * 50: 2.0}}, title="")
    assert figure.layout.yaxis.automargin
    assert list(figure.layout.yaxis.ticktext) == ["CTC-SP2-1996-3.1-cln", "x" * 25 + "…"]


def test_published_values_stand_on_the_bar_of_their_policy_or_where_it_would_be():
    figure = bars(
        PAPER, title="Figure 2", published={"ours": {"CTC": 9.5}, "neither": {"KTH": -12.0}}, source="paper 000"
    )
    our_bar, published_bar = figure.data[0], figure.data[-1]
    assert published_bar.name == "paper 000"
    assert list(published_bar.x) == [9.5, -12.0]
    assert published_bar.y[0] == our_bar.y[0]
    assert published_bar.y[1] not in {y for trace in drawn_bars(figure) for y in trace.y}
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == ["ours", "theirs", "paper 000"]


def test_the_number_of_a_bar_stands_beyond_a_published_one_that_would_cover_it():
    figure = bars(
        {"ours": {"a": 10.0, "b": -10.0, "c": 10.0}}, title="", published={"ours": {"a": 10.5, "b": -9.8, "c": 3}}
    )
    (ours,) = drawn_bars(figure)
    assert list(ours.text) == ["", "", "+10.0 %"]
    right_label, left_label = figure.layout.annotations
    assert (right_label.text, right_label.x, right_label.xanchor, right_label.y) == ("+10.0 %", 10.5, "left", ours.y[0])
    assert (left_label.text, left_label.x, left_label.xanchor, left_label.y) == ("-10.0 %", -10.0, "right", ours.y[1])


def test_limits_are_grey_and_below_the_policies():
    figure = bars(PAPER, title="", limits={"best on the front": {"CTC": 20.6}})
    limit = drawn_bars(figure)[-1]
    assert limit.name == "best on the front"
    assert limit.marker.color not in {colour for colour, _ in MARKS}
    assert limit.y[0] > max(trace.y[0] for trace in drawn_bars(figure)[:-1])


def test_a_bar_that_would_dwarf_the_others_is_cut_but_keeps_its_number():
    figure = bars({"good": {"a": 12.0}, "awful": {"a": -2828.3}}, title="")
    good, awful = drawn_bars(figure)
    assert list(good.x) == [12.0]
    assert -100 < awful.x[0] < -12
    assert awful.text[0] == "◂◂ -2,828.3 %"
    assert awful.textposition[0] == "inside"
    assert awful.customdata[0][1] == -2828.3
    assert drawn_bars(bars({"awful": {"a": -2828.3}}, title=""))[0].x[0] == -2828.3  # nothing to be dwarfed


def test_differences_that_round_to_nothing_are_no_long_bars():
    figure = bars({"ours": {"CTC": -0.007, "KTH": 0.0}}, title="")
    low, high = figure.layout.xaxis.range
    assert low <= -0.5 < 0.5 <= high
    assert list(figure.data[0].text) == ["0.0 %", "0.0 %"]


def test_numbers_beside_bars_have_thousands():
    (bar,) = drawn_bars(bars({"ours": {"CTC": -1991.64}}, title=""))
    assert list(bar.text) == ["-1,991.6 %"]


def test_undefined_values_have_no_bar_and_none_at_all_cannot_be_drawn():
    figure = bars({"a": {"x": np.nan, "y": 1.0}, "b": {}}, title="")
    assert list(drawn_bars(figure)[0].x) == [1.0]
    with pytest.raises(InputError, match="bars must have at least one value"):
        bars({"a": {"x": np.nan}}, title="")


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.dictionaries(
        st.text(max_size=4),
        st.dictionaries(st.sampled_from("xyz"), st.floats(-1e6, 1e6), min_size=1),
        min_size=1,
        max_size=9,
    )
)
def test_every_bar_is_within_the_axes_and_none_covers_another(series):
    figure = bars(series, title="")
    low, high = figure.layout.xaxis.range
    assert low <= 0 <= high
    places = []
    for trace in drawn_bars(figure):
        assert all(low <= x <= high for x in trace.x)
        assert all(figure.layout.yaxis.range[1] < y < figure.layout.yaxis.range[0] for y in trace.y)
        places += list(trace.y)
    places.sort()
    assert all(b - a > 0.86 for a, b in pairwise(places))


def test_use_over_time_has_a_chart_a_policy_with_the_first_behind_the_others():
    edges = np.array([100, 100 + 86400 * 7, 100 + 86400 * 14, 100 + 86400 * 16])
    figure = use_over_time(edges, {"EASY": np.array([50.0, 60, 5]), "<b>": np.array([40.0, 70, 9])})
    assert [trace.name for trace in figure.data] == ["EASY", "EASY", "&lt;b&gt;"]
    assert all(trace.line.shape == "hv" for trace in figure.data)
    assert list(figure.data[0].x) == [0, 7, 14, 16]
    assert list(figure.data[2].y) == [40, 70, 9, 9]
    assert figure.data[2].yaxis == "y2"
    assert figure.layout.xaxis2.title.text == "days since the first submission"
    assert "every week" in figure.layout.title.subtitle.text
    seconds = use_over_time(np.array([0, 1, 2]), {"EASY": np.array([130.0, 0.0])})
    assert seconds.layout.xaxis.title.text == "seconds since the first submission"
    assert seconds.layout.yaxis.range[1] > 130  # a recorded schedule that overbooks


def a_workload(name="w"):
    from support.zoo import jobs

    rows = [(k, 5 + k % 7, 9 + k % 7, 1 + k % 4, k % 3) for k in range(40)]
    return jobs(4, *rows, name=name)


@pytest.mark.slow
def test_what_is_compared_is_drawn_by_name_with_or_without_a_front_and_a_wish():
    w = a_workload()
    wish = Wish(weights=[("AWRT2", 10), ("AWRT3", 4)])
    front = a_front(60, groups=w.groups)
    front = type(front)(
        front.values * 1e-3, front.genomes, front.origin, front.evaluation, front.origins, front.groups, w.name,
        w.digest, front.ancestors,
    )  # fmt: skip
    alone = compare(w, ["fcfs"])
    assert list(all_figures([alone], [None])) == ["improvements", "utilisation"]
    assert list(all_figures([compare(w, [])], [None])) == ["utilisation"]
    comparison = compare(w, ["fcfs"], None, wish)
    assert list(all_figures([comparison], [None])) == ["objective", "improvements", "utilisation"]
    both = compare(w, ["fcfs", "list"], front, wish)
    by_name = all_figures([both], [front])
    assert list(by_name)[:4] == ["objective", "improvements", "positions", "utilisation"]
    assert set(list(by_name)[4:]) == set(figures(front, both.marks))
    assert by_name["positions"].layout.xaxis.title.text.startswith("AWRT2")  # what is wished for
    assert by_name["positions"].layout.yaxis.title.text.startswith("AWRT3")
    assert any(trace.name == NEAREST for trace in by_name["positions"].data)
    colours = {trace.name: trace.marker.color for trace in by_name["positions"].data if trace.name in both.policies}
    for name in ("objective", "improvements"):  # a policy has one colour everywhere
        assert {
            t.name: t.marker.color for t in drawn_bars(by_name[name]) if t.name in colours
        }.items() <= colours.items()
    gains = {trace.name: trace for trace in drawn_bars(by_name["improvements"])}
    assert gains["FCFS"].x[0] == both.rows()[1]["AWRT_vs_easy"]
    assert list(all_figures([compare(w, [], front)], [front]))[:2] == ["positions", "utilisation"]


@pytest.mark.slow
def test_figures_of_several_workloads_begin_with_their_names():
    several = [
        compare(a_workload(name), ["fcfs"], None, Wish(weights=[("AWRT1", 1)])) for name in ("CTC/../x", "", "b")
    ]
    by_name = all_figures(several, [None] * 3)
    assert list(by_name) == [
        "objective", "1-ctc-x-improvements", "1-ctc-x-utilisation", "2-workload-improvements",
        "2-workload-utilisation", "3-b-improvements", "3-b-utilisation",
    ]  # fmt: skip
    assert list(by_name["objective"].layout.yaxis.ticktext) == ["CTC/../x", "", "b"]


def test_names_of_positions_are_placed_for_the_height_that_is_drawn():
    front = a_front(60)
    rows = {f"policy with a long name {k}": k for k in range(7)}
    marks = {name: front.values[row] for name, row in rows.items()}
    low, high = (scatter(front, "AWRT1", "AWRT2", marks, room=(460.0, height)) for height in (330.0, 437.0))
    assert [a.ay for a in low.layout.annotations] != [a.ay for a in high.layout.annotations]
    for figure, height in ((low, 330.0), (high, 437.0)):
        bottom, top = figure.layout.yaxis.range
        left, right = figure.layout.xaxis.range
        centres = [
            ((a.x - left) / (right - left) * 460 + a.ax, (top - a.y) / (top - bottom) * height + a.ay)
            for a in figure.layout.annotations
        ]
        assert all(
            abs(x - v) >= 7.2 * 25 or abs(y - w) >= 22 for k, (x, y) in enumerate(centres) for v, w in centres[:k]
        )


def test_partitions_over_time_have_a_chart_a_resource_and_a_line_a_policy():
    shares = np.array([[50.0, 60, 5], [40.0, 70, 9]])
    by_partition = {"<b>": {"CPUs": shares, "GPUs": shares + 1}, "main": {"CPUs": shares + 2}}
    figure = partitions_over_time(np.array([0, 3600, 7200, 9000]), ("EASY", "FCFS"), by_partition, "title")
    assert [trace.name for trace in figure.data] == ["EASY", "FCFS"] * 3
    assert [trace.y[0] for trace in figure.data] == [50, 40, 51, 41, 52, 42]
    assert [a.text for a in figure.layout.annotations] == [
        "<b>&lt;b&gt;</b>, CPUs",
        "<b>&lt;b&gt;</b>, GPUs",
        "<b>main</b>, CPUs",
    ]
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False, False]
    assert figure.layout.showlegend
