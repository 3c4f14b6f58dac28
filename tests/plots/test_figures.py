from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.comparison.comparison import IDEAL, NEAREST, compare
from paretosched.core.errors import InputError
from paretosched.fronts.quality_indicators import Course
from paretosched.plots.axes import NEARBY, linear_ticks, log_ticks
from paretosched.plots.comparisons import bars, compared, figures, use_over_time
from paretosched.plots.fronts import (
    REPRESENTATIVES,
    ROOM,
    STRANDS,
    clouds,
    courses,
    pairs,
    parallel,
    representatives,
    scatter,
)
from paretosched.plots.style import MARKS, SETS, text
from paretosched.wishes.wish import Wish
from support.fronts import a_comparison, a_front

MANY = a_front(20_000)
FEW = a_front(40)


def the_marks(front, **kwargs):
    return a_comparison(front, **kwargs).marks


def test_a_scatter_draws_every_schedule_once_in_hours_with_seconds_under_the_mouse():
    cloud = scatter(FEW, "AWRT1", "AWRT2", {}).data[0]
    assert np.allclose(cloud.x, FEW.values[:, 2] / 3600)
    assert np.allclose(cloud.y, FEW.values[:, 3] / 3600)
    assert np.array_equal(cloud.customdata[:, 0], np.rint(FEW.values[:, 2]))
    assert np.array_equal(cloud.customdata[:, 3], FEW.evaluation)
    assert "s)" in cloud.hovertemplate


def test_utilisation_stays_in_per_cent_and_linear():
    drawn = scatter(FEW, "UTIL", "AWRT", {}, log=True)
    assert np.allclose(drawn.data[0].x, FEW.values[:, 0])
    assert (drawn.layout.xaxis.type, drawn.layout.yaxis.type) == ("linear", "log")
    assert drawn.layout.xaxis.title.text.endswith("(%)")


@pytest.mark.parametrize(
    ("x", "y", "words"),
    [("UTIL", "AWRT", "right and down"), ("AWRT", "AWRT1", "left and down"), ("AWRT", "UTIL", "left and up")],
)
def test_the_direction_of_better_is_said(x, y, words):
    assert f"better: {words}" in scatter(FEW, x, y, {}).layout.title.subtitle.text


def test_many_points_are_drawn_by_webgl_and_few_as_svg():
    assert {trace.type for trace in scatter(MANY, "AWRT1", "AWRT2", the_marks(MANY)).data} == {"scattergl"}
    assert {trace.type for trace in scatter(FEW, "AWRT1", "AWRT2", the_marks(FEW)).data} == {"scatter"}


def test_marks_differ_in_colour_and_in_symbol():
    names = ("EASY", "FCFS", "recorded", "a", "b", "c")
    traces = scatter(FEW, "AWRT1", "AWRT2", the_marks(FEW, names=names)).data[1:]
    assert [trace.name for trace in traces] == [*names, IDEAL]
    assert len({trace.marker.color for trace in traces}) == len({trace.marker.symbol for trace in traces}) == len(MARKS)


def test_more_marks_than_colours_differ_all_the_same():
    front = a_front(1_500)  # by WebGL
    names = tuple(f"policy {k}" for k in range(12))
    for one in (FEW, front):
        traces = scatter(one, "AWRT1", "AWRT2", the_marks(one, names=names)).data[1:]
        assert len({(trace.marker.color, trace.marker.symbol) for trace in traces}) == 13


@pytest.mark.parametrize("log", [False, True])
def test_an_outlier_does_not_press_the_front_into_a_corner_but_is_named_at_the_edge(log):
    marks = the_marks(FEW)
    drawn = scatter(FEW, "AWRT1", "AWRT2", marks, log=log)
    cloud, limits = drawn.data[0].x, np.array(drawn.layout.xaxis.range)
    limits = 10**limits if log else limits
    assert limits[0] < cloud.min()
    assert limits[1] > cloud.max()
    assert marks["FCFS"][2] / 3600 > limits[1]
    label = next(note for note in drawn.layout.annotations if note.text.startswith("FCFS"))
    assert f"{marks['FCFS'][2] / 3600:,.1f} h" in label.text
    assert drawn.layout.xaxis.range[0] < label.x < drawn.layout.xaxis.range[1]


@pytest.mark.parametrize(("x", "y"), [("UTIL", "AWRT"), ("AWRT", "AWRT1"), ("AWRT1", "AWRT2")])
def test_labels_of_marks_at_one_place_do_not_overlap(x, y):
    spot = np.median(MANY.values, axis=0)
    drawn = scatter(MANY, x, y, {f"policy {k}": spot * (1 + k / 1000) for k in range(5)}, log=True)
    boxes = [(note.ax, note.ay, 3.6 * len(note.text) + 6) for note in drawn.layout.annotations]
    for k, (ax, ay, half) in enumerate(boxes):
        assert abs(ax) < ROOM[0]
        assert abs(ay) < ROOM[1]
        assert all(abs(ax - bx) > half * 0.9 or abs(ay - by) > 15 for bx, by, _ in boxes[:k])


def test_a_group_without_jobs_is_left_out_of_all_figures_and_refused_when_asked_for():
    front = a_front(30, empty=2)
    drawn = figures(front, a_comparison(front).marks)
    assert [d.label.split("<")[0] for d in drawn["parallel"].data[0].dimensions] == [
        "UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT4", "AWRT5",
    ]  # fmt: skip
    assert [d.label for d in drawn["pairs"].data[0].dimensions] == ["AWRT1", "AWRT2", "AWRT4", "AWRT5"]
    with pytest.raises(InputError, match="AWRT3 cannot be drawn, because no job"):
        scatter(front, "AWRT3", "AWRT1", {})


def test_unknown_objectives_are_refused():
    with pytest.raises(InputError, match=r'objective must be one of UTIL, AWRT, AWRT1, .* but is "AWRT9"'):
        scatter(FEW, "AWRT9", "AWRT1", {})


@pytest.mark.slow
def test_parallel_coordinates_say_how_many_of_how_many_and_turn_better_upwards():
    drawn = parallel(MANY, the_marks(MANY))
    chart = drawn.data[0]
    assert "3,000 of 20,000 schedules shown" in drawn.layout.title.text
    assert len(chart.dimensions[0]["values"]) == REPRESENTATIVES + STRANDS * 4
    low, high = chart.dimensions[0].range
    assert low < high  # utilisation: more is up
    assert all(d.range[0] > d.range[1] for d in chart.dimensions[1:])  # times: less is up
    assert all(min(d.range) <= min(d["values"]) + 1e-6 for d in chart.dimensions)
    assert "beyond the end of an axis: FCFS" in drawn.layout.title.subtitle.text


def test_representatives_are_distinct_sorted_and_hold_every_extreme():
    places = np.log10(MANY.values)
    rows = representatives(places, 500)
    assert len(rows) == len(set(rows.tolist())) == 500
    assert (np.diff(rows) > 0).all()
    assert np.array_equal(places[rows].min(axis=0), places.min(axis=0))
    assert np.array_equal(places[rows].max(axis=0), places.max(axis=0))


def test_representatives_of_duplicates_are_still_distinct_rows():
    assert representatives(np.zeros((10, 2)), 4).size == 4
    assert representatives(np.zeros((3, 2)), 4).tolist() == [0, 1, 2]


def test_representatives_leave_no_gap_that_a_left_out_row_would_have_filled():
    places = np.random.default_rng(0).random((300, 2))
    places = (places - places.min(axis=0)) / np.ptp(places, axis=0)
    rows = representatives(places, 40)

    def apart(a, b):
        return np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2))

    among = apart(places[rows], places[rows]) + 10 * np.eye(40)
    # four extremes are given; of the others none is nearer to the rest than the farthest left-out row
    farthest = apart(places, places[rows]).min(axis=1).max()
    assert np.sort(among.min(axis=1))[8:].min() >= farthest


@pytest.mark.parametrize("points", [1, 2])
def test_tiny_fronts_can_be_drawn(points):
    front = a_front(points)
    drawn = figures(front, a_comparison(front).marks)
    assert list(drawn) == ["util-awrt", "awrt-awrt1", "awrt1-awrt2", "parallel", "pairs"]
    assert all(np.isfinite(drawn["util-awrt"].layout.yaxis.range))


def test_one_group_alone_has_no_pairs():
    front = a_front(20, groups=("all",))
    assert list(figures(front, a_comparison(front).marks)) == ["util-awrt", "parallel"]
    with pytest.raises(InputError, match="two groups"):
        pairs(front, {})


def test_more_pairs_than_a_page_can_draw_are_refused():
    with pytest.raises(InputError, match="at most 3, but are 4"):
        figures(FEW, {}, [("AWRT1", "AWRT2")] * 4)


def test_names_of_logs_reach_plotly_as_text():
    hostile = '<a href="https://example.org">%{x}</a>'
    front = a_front(20, name=hostile, groups=(hostile, "b"))
    for drawn in figures(front, {hostile: front.values[0]}).values():
        assert "<a" not in drawn.to_json().replace("\\u003c", "<")
    assert "%{" not in text("%{x}")


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


def the_sets():
    return {"NSGA": FEW.values[:3], "NSGA-II": FEW.values[3:30], "none": FEW.values[:0]}


def test_clouds_draw_every_set_once_the_smallest_on_top():
    drawn = clouds(the_sets(), FEW.objectives, "UTIL", "AWRT")
    assert [trace.name for trace in drawn.data] == ["NSGA-II (27)", "NSGA (3)", "none (0)"]
    assert sorted(drawn.data, key=lambda trace: trace.legendrank)[0].name == "NSGA (3)"
    nsga = drawn.data[1]
    assert np.allclose(nsga.x, FEW.values[:3, 0])
    assert np.allclose(nsga.y, FEW.values[:3, 1] / 3600)
    assert np.array_equal(nsga.customdata, np.rint(FEW.values[:3, :2]))
    assert len({(trace.marker.color, trace.marker.symbol) for trace in drawn.data}) == 3
    low, high = drawn.layout.xaxis.range
    assert low < FEW.values[:30, 0].min() < FEW.values[:30, 0].max() < high


def test_clouds_keep_their_colours_whatever_their_sizes():
    one, other = (clouds(sets, FEW.objectives, "UTIL", "AWRT") for sets in (
        the_sets(), {"NSGA": FEW.values[:30], "NSGA-II": FEW.values[:2], "none": FEW.values[:1]}))  # fmt: skip
    colours = [{t.name.split(" (")[0]: t.marker.color for t in drawn.data} for drawn in (one, other)]
    assert colours[0] == colours[1] == {name: SETS[k][0] for k, name in enumerate(the_sets())}


@pytest.mark.parametrize(("x", "kinds"), [("UTIL", ("linear", "log")), ("AWRT1", ("log", "log"))])
def test_only_response_times_of_clouds_are_logarithmic(x, kinds):
    drawn = clouds(the_sets(), FEW.objectives, x, "AWRT", log=True, title="Figure 14")
    assert (drawn.layout.xaxis.type, drawn.layout.yaxis.type) == kinds
    assert drawn.layout.title.text == "Figure 14"
    plain = clouds(the_sets(), FEW.objectives, x, "AWRT")
    assert {plain.layout.xaxis.type, plain.layout.yaxis.type} == {"linear"}


def test_large_clouds_are_drawn_by_webgl():
    assert {t.type for t in clouds({"a": MANY.values}, MANY.objectives, "UTIL", "AWRT").data} == {"scattergl"}
    assert {t.type for t in clouds(the_sets(), FEW.objectives, "UTIL", "AWRT").data} == {"scatter"}


def test_clouds_without_a_schedule_or_with_a_strange_objective_are_refused():
    for nothing in ({}, {"a": FEW.values[:0]}):
        with pytest.raises(InputError, match="sets must have at least one schedule"):
            clouds(nothing, FEW.objectives, "UTIL", "AWRT")
    with pytest.raises(InputError, match=r'objective must be one of UTIL, .*, but is "AWRT9"'):
        clouds(the_sets(), FEW.objectives, "UTIL", "AWRT9")
    empty = a_front(40, empty=2)
    with pytest.raises(InputError, match="AWRT3 cannot be drawn"):
        clouds({"a": empty.values}, empty.objectives, "UTIL", "AWRT3")


def a_course(scale):
    at = np.array([20, 200, 2_000])
    return Course(at, at // 10, scale * np.array([0.1, 0.5, 0.9]), None)


def test_courses_draw_hypervolume_above_and_size_below_on_one_axis():
    drawn = courses({"a": a_course(1.0), "<b>": a_course(0.5)}, title="Table 4")
    above, below = drawn.data[:2]
    assert above.y.tolist() == [0.1, 0.5, 0.9]
    assert below.y.tolist() == [2, 20, 200]
    assert above.x.tolist() == below.x.tolist() == [20, 200, 2_000]
    assert (above.showlegend, below.showlegend, above.legendgroup) == (True, False, below.legendgroup)
    assert drawn.layout.xaxis.type == drawn.layout.xaxis2.type == drawn.layout.yaxis2.type == "log"
    assert drawn.layout.xaxis.range == drawn.layout.xaxis2.range
    assert drawn.layout.xaxis.range[0] < np.log10(20) < np.log10(2_000) < drawn.layout.xaxis.range[1]
    assert drawn.data[2].name == "&lt;b&gt;"


def test_courses_of_many_runs_can_be_told_apart():
    drawn = courses({f"run {k}": a_course(1.0) for k in range(15)})
    assert len({(t.line.color, t.line.dash) for t in drawn.data}) == 15


# --- policies -----------------------------------------------------------------------------------------------------

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
    ours, published = figure.data[0], figure.data[-1]
    assert published.name == "paper 000"
    assert list(published.x) == [9.5, -12.0]
    assert published.y[0] == ours.y[0]
    assert published.y[1] not in {y for trace in drawn_bars(figure) for y in trace.y}
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == ["ours", "theirs", "paper 000"]


def test_the_number_of_a_bar_stands_beyond_a_published_one_that_would_cover_it():
    figure = bars(
        {"ours": {"a": 10.0, "b": -10.0, "c": 10.0}}, title="", published={"ours": {"a": 10.5, "b": -9.8, "c": 3}}
    )
    (ours,) = drawn_bars(figure)
    assert list(ours.text) == ["", "", "+10.0 %"]
    right, left = figure.layout.annotations
    assert (right.text, right.x, right.xanchor, right.y) == ("+10.0 %", 10.5, "left", ours.y[0])
    assert (left.text, left.x, left.xanchor, left.y) == ("-10.0 %", -10.0, "right", ours.y[1])


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
    assert awful.text[0] == "◂◂ -2828.3 %"
    assert awful.textposition[0] == "inside"
    assert awful.customdata[0][1] == -2828.3
    assert drawn_bars(bars({"awful": {"a": -2828.3}}, title=""))[0].x[0] == -2828.3  # nothing to be dwarfed


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


def test_a_focus_shows_what_is_better_and_half_as_much_of_what_is_worse():
    values = FEW.values
    easy = np.median(values, axis=0)
    far = easy * 9
    figure = scatter(FEW, "AWRT1", "AWRT2", {"EASY": easy, "FCFS": far}, focus=["EASY"])
    for column, limits in ((2, figure.layout.xaxis.range), (3, figure.layout.yaxis.range)):
        best = values[:, column].min()
        assert limits[0] * 3600 < best
        assert limits[1] * 3600 == pytest.approx(easy[column] + 0.5 * (easy[column] - best))
    inside = sum(len(trace.x) for trace in figure.data[:2])
    assert (
        inside
        == (
            (values[:, 2] <= 3600 * figure.layout.xaxis.range[1])
            & (values[:, 3] <= 3600 * figure.layout.yaxis.range[1])
        ).sum()
    )
    assert 0 < inside < len(values)
    assert f"{inside} of 40 schedules" in figure.layout.title.subtitle.text
    assert any(note.text.startswith("FCFS (") for note in figure.layout.annotations)  # at the edge
    swapped = scatter(FEW, "UTIL", "AWRT1", {"EASY": easy}, focus=["EASY"]).layout.xaxis.range
    assert swapped[0] == pytest.approx(easy[0] - 0.5 * (values[:, 0].max() - easy[0]))
    assert swapped[1] > values[:, 0].max()


@pytest.mark.slow
def test_near_the_focus_a_large_front_is_thinned_but_its_border_is_kept():
    easy = np.median(MANY.values, axis=0)
    figure = scatter(MANY, "AWRT1", "AWRT2", {"EASY": easy}, focus=["EASY"])
    assert {trace.type for trace in figure.data} == {"scatter"}  # browsers have little WebGL
    rows = np.concatenate([trace.customdata[:, 2] for trace in figure.data[:2]])
    assert NEARBY <= len(rows) == len(set(rows.tolist())) < NEARBY + 200
    assert np.allclose(MANY.values[rows, 2] / 3600, np.concatenate([trace.x for trace in figure.data[:2]]))
    pairs_of_all = MANY.values[:, 2:4] / 3600
    inside = (pairs_of_all <= [figure.layout[axis].range[1] for axis in ("xaxis", "yaxis")]).all(axis=1)
    assert inside[rows].all()
    border = [
        row for row in np.flatnonzero(inside) if not (inside & (pairs_of_all < pairs_of_all[row]).all(axis=1)).any()
    ]
    assert set(border) <= set(rows.tolist())


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
    assert list(compared([alone], [None])) == ["improvements", "utilisation"]
    assert list(compared([compare(w, [])], [None])) == ["utilisation"]
    wished = compare(w, ["fcfs"], None, wish)
    assert list(compared([wished], [None])) == ["objective", "improvements", "utilisation"]
    both = compare(w, ["fcfs", "list"], front, wish)
    drawn = compared([both], [front])
    assert list(drawn)[:4] == ["objective", "improvements", "positions", "utilisation"]
    assert set(list(drawn)[4:]) == set(figures(front, both.marks))
    assert drawn["positions"].layout.xaxis.title.text.startswith("AWRT2")  # what is wished for
    assert drawn["positions"].layout.yaxis.title.text.startswith("AWRT3")
    assert any(trace.name == NEAREST for trace in drawn["positions"].data)
    colours = {trace.name: trace.marker.color for trace in drawn["positions"].data if trace.name in both.policies}
    for name in ("objective", "improvements"):  # a policy has one colour everywhere
        assert {t.name: t.marker.color for t in drawn_bars(drawn[name]) if t.name in colours}.items() <= colours.items()
    gains = {trace.name: trace for trace in drawn_bars(drawn["improvements"])}
    assert gains["FCFS"].x[0] == both.rows()[1]["AWRT_vs_easy"]
    assert list(compared([compare(w, [], front)], [front]))[:2] == ["positions", "utilisation"]


@pytest.mark.slow
def test_figures_of_several_workloads_begin_with_their_names():
    several = [
        compare(a_workload(name), ["fcfs"], None, Wish(weights=[("AWRT1", 1)])) for name in ("CTC/../x", "", "b")
    ]
    drawn = compared(several, [None] * 3)
    assert list(drawn) == [
        "objective", "1-ctc-x-improvements", "1-ctc-x-utilisation", "2-workload-improvements",
        "2-workload-utilisation", "3-b-improvements", "3-b-utilisation",
    ]  # fmt: skip
    assert list(drawn["objective"].layout.yaxis.ticktext) == ["CTC/../x", "", "b"]
