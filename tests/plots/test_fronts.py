"""The figures of fronts."""

import numpy as np
import pytest

from paretosched.comparison.comparison import IDEAL
from paretosched.core.errors import InputError
from paretosched.fronts.quality_indicators import Course
from paretosched.plots.axes import NEARBY
from paretosched.plots.fronts import REPRESENTATIVES, ROOM, STRANDS, clouds, courses, parallel, representatives, scatter
from paretosched.plots.style import MARKS, SETS
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
    figure = scatter(FEW, "UTIL", "AWRT", {}, log=True)
    assert np.allclose(figure.data[0].x, FEW.values[:, 0])
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("linear", "log")
    assert figure.layout.xaxis.title.text.endswith("(%)")


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
    figure = scatter(FEW, "AWRT1", "AWRT2", marks, log=log)
    cloud, limits = figure.data[0].x, np.array(figure.layout.xaxis.range)
    limits = 10**limits if log else limits
    assert limits[0] < cloud.min()
    assert limits[1] > cloud.max()
    assert marks["FCFS"][2] / 3600 > limits[1]
    label = next(note for note in figure.layout.annotations if note.text.startswith("FCFS"))
    assert f"{marks['FCFS'][2] / 3600:,.1f} h" in label.text
    assert figure.layout.xaxis.range[0] < label.x < figure.layout.xaxis.range[1]


@pytest.mark.parametrize(("x", "y"), [("UTIL", "AWRT"), ("AWRT", "AWRT1"), ("AWRT1", "AWRT2")])
def test_labels_of_marks_at_one_place_do_not_overlap(x, y):
    spot = np.median(MANY.values, axis=0)
    figure = scatter(MANY, x, y, {f"policy {k}": spot * (1 + k / 1000) for k in range(5)}, log=True)
    boxes = [(note.ax, note.ay, 3.6 * len(note.text) + 6) for note in figure.layout.annotations]
    for k, (ax, ay, half) in enumerate(boxes):
        assert abs(ax) < ROOM[0]
        assert abs(ay) < ROOM[1]
        assert all(abs(ax - bx) > half * 0.9 or abs(ay - by) > 15 for bx, by, _ in boxes[:k])


def test_unknown_objectives_are_refused():
    with pytest.raises(InputError, match=r'objective must be one of UTIL, AWRT, AWRT1, .* but is "AWRT9"'):
        scatter(FEW, "AWRT9", "AWRT1", {})


@pytest.mark.slow
def test_parallel_coordinates_say_how_many_of_how_many_and_turn_better_upwards():
    figure = parallel(MANY, the_marks(MANY))
    chart = figure.data[0]
    assert "3,000 of 20,000 schedules shown" in figure.layout.title.text
    assert len(chart.dimensions[0]["values"]) == REPRESENTATIVES + STRANDS * 4
    low, high = chart.dimensions[0].range
    assert low < high  # utilisation: more is up
    assert all(d.range[0] > d.range[1] for d in chart.dimensions[1:])  # times: less is up
    assert all(min(d.range) <= min(d["values"]) + 1e-6 for d in chart.dimensions)
    assert "beyond the end of an axis: FCFS" in figure.layout.title.subtitle.text


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


def the_sets():
    return {"NSGA": FEW.values[:3], "NSGA-II": FEW.values[3:30], "none": FEW.values[:0]}


def test_clouds_draw_every_set_once_the_smallest_on_top():
    figure = clouds(the_sets(), FEW.objectives, "UTIL", "AWRT")
    assert [trace.name for trace in figure.data] == ["NSGA-II (27)", "NSGA (3)", "none (0)"]
    assert sorted(figure.data, key=lambda trace: trace.legendrank)[0].name == "NSGA (3)"
    nsga = figure.data[1]
    assert np.allclose(nsga.x, FEW.values[:3, 0])
    assert np.allclose(nsga.y, FEW.values[:3, 1] / 3600)
    assert np.array_equal(nsga.customdata, np.rint(FEW.values[:3, :2]))
    assert len({(trace.marker.color, trace.marker.symbol) for trace in figure.data}) == 3
    low, high = figure.layout.xaxis.range
    assert low < FEW.values[:30, 0].min() < FEW.values[:30, 0].max() < high


def test_clouds_keep_their_colours_whatever_their_sizes():
    one, other = (clouds(sets, FEW.objectives, "UTIL", "AWRT") for sets in (
        the_sets(), {"NSGA": FEW.values[:30], "NSGA-II": FEW.values[:2], "none": FEW.values[:1]}))  # fmt: skip
    colours = [{t.name.split(" (")[0]: t.marker.color for t in figure.data} for figure in (one, other)]
    assert colours[0] == colours[1] == {name: SETS[k][0] for k, name in enumerate(the_sets())}


@pytest.mark.parametrize(("x", "kinds"), [("UTIL", ("linear", "log")), ("AWRT1", ("log", "log"))])
def test_only_response_times_of_clouds_are_logarithmic(x, kinds):
    figure = clouds(the_sets(), FEW.objectives, x, "AWRT", log=True, title="Figure 14")
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == kinds
    assert figure.layout.title.text == "Figure 14"
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
    figure = courses({"a": a_course(1.0), "<b>": a_course(0.5)}, title="Table 4")
    above, below = figure.data[:2]
    assert above.y.tolist() == [0.1, 0.5, 0.9]
    assert below.y.tolist() == [2, 20, 200]
    assert above.x.tolist() == below.x.tolist() == [20, 200, 2_000]
    assert (above.showlegend, below.showlegend, above.legendgroup) == (True, False, below.legendgroup)
    assert figure.layout.xaxis.type == figure.layout.xaxis2.type == figure.layout.yaxis2.type == "log"
    assert figure.layout.xaxis.range == figure.layout.xaxis2.range
    assert figure.layout.xaxis.range[0] < np.log10(20) < np.log10(2_000) < figure.layout.xaxis.range[1]
    assert figure.data[2].name == "&lt;b&gt;"


def test_courses_of_many_runs_can_be_told_apart():
    figure = courses({f"run {k}": a_course(1.0) for k in range(15)})
    assert len({(t.line.color, t.line.dash) for t in figure.data}) == 15


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
    x_range = scatter(FEW, "UTIL", "AWRT1", {"EASY": easy}, focus=["EASY"]).layout.xaxis.range
    assert x_range[0] == pytest.approx(easy[0] - 0.5 * (values[:, 0].max() - easy[0]))
    assert x_range[1] > values[:, 0].max()


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
