"""Figures of fronts and of explorations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, number_of
from ..fronts.front import online
from ..simulation.objective import Objective, is_of_group
from .axes import (
    Axis,
    axis,
    axis_of_values,
    axis_range,
    axis_ranges,
    axis_scale,
    cloud_opacity,
    colour_bar,
    column_in,
    extent,
    hover_text,
    log_axis,
    mark_places,
    name_labels,
    rows_seen,
    third_axis,
    ticks,
    to_drawn,
    unit,
    with_thousands,
)
from .outer_lines import OUTER, Outer, outer_line
from .style import HOUR, MARKS, SETS, column_of, legend_below, mark_style, template, text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from ..fronts.front import Front
    from ..fronts.quality_indicators import Course

WEBGL_FROM = 1_000  # points; fewer are SVG, which prints and zooms better
STRANDS = 9  # lines of the parallel coordinates that together are one mark
REPRESENTATIVES = 3_000  # lines of the parallel coordinates; with so many, a selection still takes under a second
ROOM = (460.0, 330.0)  # width and height of a plot in pixels, to place names
OFFLINE_ONLINE = ("#c49a3f", "#4f7fc4")  # schedules that know the future, and online ones; on white and on black
DASHES = ("solid", "dot", "dash")


def scatter(
    front: Front,
    x: str,
    y: str,
    marks: Mapping[str, Floats],
    *,
    log: bool = False,
    focus: Sequence[str] = (),
    outer: Outer | None = None,
    room: tuple[float, float] = ROOM,
) -> Figure:
    """Draw two objectives of every schedule on a front against each other.

    With a focus these are figures 4 and 5 of paper 000.

    Parameters
    ----------
    front
        The schedules, at least one.
    x, y
        Names of objectives.
    marks
        Other schedules by name, such as those of online schedulers: their objective vectors, (m,) each. If a mark is
        so far off that the front would be pressed into a corner, only its name is drawn, at the nearest edge.
    log
        Whether the axes of response times are logarithmic.
    focus
        Names of the marks in focus: the axes show everything better than these, and half as much of what is worse,
        wherever the rest of the front is. Then only NEARBY of its schedules and those at its border are drawn. The
        colour then shows which schedules are online and which know the future, else the first objective on no axis.
    outer
        Lines that no schedule is below, as `outer_front` returns them; that of the two objectives is drawn behind all.
    room
        Width and height in pixels of the plot, for which names are placed.

    Raises
    ------
    InputError
        An objective is unknown, or undefined because its group has no jobs.
    """
    from plotly import graph_objects as go

    across, up = axis(front, x, log), axis(front, y, log)
    third = None if focus else third_axis(front, x, y)
    ranges = axis_ranges(across, up, mark_places(front, across, up, marks), focus)
    rows = rows_seen(across, up, *ranges) if focus else np.arange(len(front.values))
    webgl = len(rows) > WEBGL_FROM and not focus  # browsers allow few WebGL figures: only for whole fronts
    parts = {f"{with_thousands(len(rows))} on the front": rows}
    if focus and not third:
        is_online = online(front)[rows]
        parts = {
            "schedules that know the future": rows[~is_online],
            "schedules of online policies": rows[is_online],
        }
    customdata = _hover_data(front, x, y)
    cloud = [
        (go.Scattergl if webgl else go.Scatter)(
            x=across.values[part].astype(np.float32),
            y=up.values[part].astype(np.float32),
            customdata=customdata[part],
            mode="markers",
            name=name,
            showlegend=len(parts) > 1,
            marker={
                "size": _size(len(rows)),
                "opacity": cloud_opacity(len(rows)),
                "line": {"width": 0},
                **({"color": third.values[part].astype(np.float32), "coloraxis": "coloraxis"} if third else {}),
                **({"color": hue} if len(parts) > 1 else {}),
            },
            hovertemplate=hover_text(across, up)
            + "<br>schedule %{customdata[2]}, evaluation %{customdata[3]}<extra></extra>",
        )
        for (name, part), hue in zip(parts.items(), OFFLINE_ONLINE, strict=False)
    ]
    empty = plane(front, x, y, marks, log=log, webgl=webgl, focus=focus, room=room)
    line = outer_line(outer or {}, across, up, *ranges)
    behind = [(go.Scattergl if webgl else go.Scatter)(line, showlegend=True)] if line else []
    figure = go.Figure([*behind, *cloud, *empty.data], empty.layout)
    figure.update_layout(
        title={
            "text": f"{x} and {y}",
            "subtitle": {
                "text": f"{_compass(across, up)} &nbsp; {_schedules(front, len(rows))}",
            },
        },
        coloraxis=colour_bar(third, rows),
        **(legend_below(0.19) if behind or len(parts) > 1 else {}),
    )
    return figure


def plane(
    front: Front,
    x: str,
    y: str,
    marks: Mapping[str, Floats],
    *,
    log: bool = False,
    webgl: bool = False,
    focus: Sequence[str] = (),
    room: tuple[float, float] = ROOM,
) -> Figure:
    """Draw the axes and the named marks of `scatter`, without the schedules of the front.

    Parameters
    ----------
    front, x, y, marks, log, focus
        As for `scatter`.
    webgl
        Whether marks are drawn by WebGL; they must be if the schedules are, so that the marks are above them.
    room
        Width and height in pixels of the plot, for which names are placed.
    """
    from plotly import graph_objects as go

    across, up = axis(front, x, log), axis(front, y, log)
    spots = mark_places(front, across, up, marks)
    x_range, y_range = axis_ranges(across, up, spots, focus)
    figure = go.Figure(layout={"template": template()})
    for number, (name, spot) in enumerate(spots.items()):
        hue, symbol = mark_style(number)
        figure.add_trace(
            (go.Scattergl if webgl else go.Scatter)(
                x=[spot[0]],
                y=[spot[1]],
                customdata=[[round(spot[0] * HOUR), round(spot[1] * HOUR)]],
                mode="markers",
                name=text(name),
                showlegend=False,
                marker={"color": hue, "symbol": symbol, "size": 13, "line": {"width": 1.5}},
                hovertemplate=f"<b>{text(name)}</b><br>{hover_text(across, up)}<extra></extra>",
            )
        )
    figure.update_layout(annotations=name_labels(across, up, x_range, y_range, spots, room))
    figure.update_xaxes(title_text=across.title, **axis_scale(across, x_range))
    figure.update_yaxes(title_text=up.title, **axis_scale(up, y_range))
    return figure


def clouds(
    sets: Mapping[str, Floats], objectives: Sequence[Objective], x: str, y: str, *, log: bool = False, title: str = ""
) -> Figure:
    """Draw two objectives of several sets of schedules against each other, each set in a colour of its own.

    Parameters
    ----------
    sets
        Objective vectors by the name of the set, (k, m) in natural units; at least one of them has a row. Larger
        sets are drawn below smaller ones.
    objectives
        The objectives of the columns.
    x, y
        Names of objectives.
    log
        Whether the axes of response times are logarithmic.
    title
        Text above the figure; by default the two objectives.

    Raises
    ------
    InputError
        An objective is unknown or undefined because its group has no jobs, or there is nothing to draw.
    """
    from plotly import graph_objects as go

    points = np.concatenate(list(sets.values()) or [np.zeros((0, len(objectives)))])
    if len(points) == 0:
        raise InputError("sets must have at least one schedule to be drawn, but have none")
    columns = [column_of(objectives, name) for name in (x, y)]
    across, up = (axis_of_values(objectives[c], points[:, c], log, "the workload") for c in columns)
    draw = go.Scattergl if len(points) > WEBGL_FROM else go.Scatter
    figure = go.Figure(layout={"template": template()})
    order = sorted(enumerate(sets.items()), key=lambda entry: -len(entry[1][1]))
    for number, (name, values) in order:
        hue, symbol = SETS[number % len(SETS)]
        count = len(values)
        places = [to_drawn(a.objective, values[:, c]) for a, c in zip((across, up), columns, strict=True)]
        figure.add_trace(
            draw(
                x=places[0].astype(np.float32),
                y=places[1].astype(np.float32),
                customdata=np.rint(values[:, columns]).astype(np.int32),
                mode="markers",
                name=f"{text(name)} ({with_thousands(count)})",
                legendrank=number,
                marker={
                    "color": hue,
                    "symbol": symbol,
                    "size": 7 if count <= 200 else 5 if count <= 2_000 else 4,
                    "opacity": 1.0 if count <= 200 else 0.6,
                    "line": {"width": 0.5 if count <= 200 else 0},
                },
                hovertemplate=f"<b>{text(name)}</b><br>{hover_text(across, up)}<extra></extra>",
            )
        )
    figure.update_layout(
        title={"text": title or f"{x} and {y}", "subtitle": {"text": _compass(across, up)}},
        **legend_below(0.19),
    )
    figure.update_xaxes(title_text=across.title, **axis_scale(across, axis_range(across, [])))
    figure.update_yaxes(title_text=up.title, **axis_scale(up, axis_range(up, [])))
    return figure


def courses(runs: Mapping[str, Course], *, title: str = "What runs found, and when") -> Figure:
    """Draw the hypervolume of runs and the size of their fronts over their evaluations.

    Parameters
    ----------
    runs
        Courses of the runs by name, measured in the same box, see `quality_indicators.course`.
    title
        Text above the figure.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.62, 0.38], vertical_spacing=0.06)
    figure.update_layout(template=template())
    for number, (name, run) in enumerate(runs.items()):
        hue, symbol = SETS[number % len(SETS)]
        dash = DASHES[number // len(SETS) % len(DASHES)]
        for row, (curve, values, spec) in enumerate(
            (("hypervolume", run.hypervolume, ".4f"), ("front", run.size, ",d")), 1
        ):
            figure.add_trace(
                go.Scatter(
                    x=run.evaluations,
                    y=values,
                    mode="lines+markers",
                    name=text(name),
                    legendgroup=str(number),
                    showlegend=row == 1,
                    line={"color": hue, "width": 2, "dash": dash},
                    marker={"color": hue, "symbol": symbol, "size": 6},
                    hovertemplate=f"<b>{text(name)}</b><br>%{{x:,d}} evaluations: {curve} %{{y:{spec}}}<extra></extra>",
                ),
                row=row,
                col=1,
            )
    low, high = (f(int(end(run.evaluations)) for run in runs.values()) for f, end in ((min, np.min), (max, np.max)))
    limits = [float(np.log10(low)) - 0.05, float(np.log10(max(high, low + 1))) + 0.05]
    figure.update_xaxes(**log_axis(limits, 7))
    figure.update_xaxes(title_text="evaluations", row=2)
    figure.update_yaxes(title_text="hypervolume", rangemode="tozero", row=1)
    sizes = np.concatenate([run.size for run in runs.values()])
    limits = [-0.02, float(np.log10(max(sizes.max(), 10))) + 0.1]
    figure.update_yaxes(title_text="points of the front", **log_axis(limits, 4), row=2)
    figure.update_layout(
        title={"text": title, "subtitle": {"text": "share of the box that is dominated; better: up ↑"}},
        height=640,
        **legend_below(0.13),
    )
    return figure


def parallel(front: Front, marks: Mapping[str, Floats]) -> Figure:
    """Draw all objectives at once, one line a schedule; up is better on every axis.

    Of a large front only `representatives` are drawn. A reader who drags along an axis keeps the lines that pass there.
    Axes of response times are logarithmic.

    Parameters
    ----------
    front
        The schedules, at least one.
    marks
        Other schedules by name: their objective vectors, (m,) each, drawn as strong lines.
    """
    from plotly import graph_objects as go

    axes = [axis(front, o.name, not o.maximise) for o in front.defined_objectives]
    columns = [column_in(front, a.objective.name) for a in axes]
    places = np.column_stack([a.place(a.values) for a in axes])
    rows = representatives(places, REPRESENTATIVES)
    tint = np.linspace(0.0, 0.6, len(rows))
    leading = axes[2 if len(axes) > 2 else -1]
    tint[np.argsort(leading.values[rows], kind="stable")] = tint.copy()
    axis_lines = {
        name: np.array(
            [a.place(np.array(to_drawn(a.objective, vector[c]))) for a, c in zip(axes, columns, strict=True)]
        )
        for name, vector in marks.items()
    }
    # An outlier must not press all schedules into a corner, so lines are cut at the ends of the axes.
    ends = np.array(
        [extent(column, np.array([d[c] for d in axis_lines.values()])) for c, column in enumerate(places.T)]
    )
    lines, tints = [places[rows]], [tint]
    for number, mark in enumerate(axis_lines.values()):
        # The lines of this chart are one pixel wide; a few lines, very near to each other, look like a thick one.
        hair = np.linspace(-0.003, 0.003, STRANDS)[:, None] * np.ptp(ends, axis=1)
        lines.append(np.clip(mark + hair, ends[:, 0], ends[:, 1]))
        tints.append(np.full(STRANDS, 0.65 + 0.3 * (number % len(MARKS) + 0.5) / len(MARKS)))
    all_lines = np.concatenate(lines)
    chart = go.Parcoords(
        dimensions=[_dimension(a, all_lines[:, c], *ends[c]) for c, a in enumerate(axes)],
        line={"color": np.concatenate(tints).astype(np.float32), "cmin": 0, "cmax": 1, "colorscale": _tints()},
        labelside="top",
    )
    names = "   ".join(
        f'<span style="color:{mark_style(number)[0]}">━━</span> {text(name)}' for number, name in enumerate(marks)
    )
    count = len(front.values)
    beyond = [name for name, mark in axis_lines.items() if (mark < ends[:, 0]).any() or (mark > ends[:, 1]).any()]
    cut = f"beyond the end of an axis: {', '.join(map(text, beyond))}" if beyond else ""
    figure = go.Figure(chart, {"template": template()})
    figure.update_layout(
        title={
            "text": f"All objectives: {len(rows):,} of {number_of(count, 'schedule')} shown",
            "subtitle": {
                "text": f"better: up on every axis ↑ &nbsp; colour: {leading.objective.name} &nbsp; {cut}<br>{names}"
            },
        },
        height=520,
        margin={"l": 70, "r": 70, "t": 145, "b": 30},
    )
    return figure


def pairs(front: Front, marks: Mapping[str, Floats], outer: Outer | None = None) -> Figure:
    """Draw the response times of every two groups against each other, in small plots with logarithmic axes.

    Parameters
    ----------
    front
        The schedules, of at least two groups with jobs; of many schedules only `representatives` are drawn.
    marks
        Other schedules by name: their objective vectors, (m,) each.
    outer
        As for `scatter`.
    """
    from plotly import graph_objects as go

    axes = [axis(front, o.name, True) for o in front.defined_objectives if is_of_group(o.name)]
    if len(axes) < 2:
        raise InputError(f"pairs of groups need two groups with jobs, but {front.workload} has {len(axes)}")
    places = np.column_stack([a.place(a.values) for a in axes])
    rows = representatives(places, REPRESENTATIVES)
    matrix = {"diagonal_visible": False, "showupperhalf": False}
    figure = go.Figure(layout={"template": template()})
    figure.add_trace(
        go.Splom(
            dimensions=[{"label": a.objective.name, "values": a.values[rows].astype(np.float32)} for a in axes],
            marker={"size": 3, "opacity": cloud_opacity(len(rows)), "line": {"width": 0}},
            hovertemplate="%{xaxis.title.text} %{x:.4g} h<br>%{yaxis.title.text} %{y:.4g} h<extra></extra>",
            showlegend=False,
            **matrix,
        )
    )
    for number, (name, vector) in enumerate(marks.items()):
        hue, symbol = mark_style(number)
        figure.add_trace(
            go.Splom(
                dimensions=[
                    {"label": a.objective.name, "values": [vector[column_in(front, a.objective.name)] / HOUR]}
                    for a in axes
                ],
                name=text(name),
                marker={"size": 10, "color": hue, "symbol": symbol, "line": {"width": 1}},
                hovertemplate=f"<b>{text(name)}</b><br>%{{x:.4g}} h, %{{y:.4g}} h<extra></extra>",
                **matrix,
            )
        )
    figure.update_layout(
        title={
            "text": f"Group against group: {len(rows):,} of {number_of(len(front.values), 'schedule')} shown",
            "subtitle": {
                "text": "better: left and down ↙ &nbsp; response times in hours; a mark far off the front is left out"
                + (f"; dotted: {OUTER}" if outer else "")
            },
        },
        height=760,
        showlegend=True,
        dragmode="select",
        hovermode="closest",
    )
    ranges = []
    for number, a in enumerate(axes, 1):
        times = [vector[column_in(front, a.objective.name)] / HOUR for vector in marks.values()]
        ranges.append(axis_range(a, times))
        scale = axis_scale(a, ranges[-1], 4)
        figure.update_layout({f"xaxis{number}": scale, f"yaxis{number}": scale})
    for i, j in combinations(range(len(axes)), 2):
        line = outer_line(outer or {}, axes[i], axes[j], ranges[i], ranges[j])
        if line:
            figure.add_trace(go.Scatter(line, xaxis=f"x{i + 1}", yaxis=f"y{j + 1}", showlegend=False))
    return figure


def representatives(places: Floats, count: int) -> NDArray[np.int64]:
    """Return rows that represent all: the best and worst of every column, then always the row farthest from these.

    Parameters
    ----------
    places
        (p, m), in the scale in which they are drawn; distances are in units of the range of each column.
    count
        Most rows; there are more only if there are more best and worst ones.

    Returns
    -------
    (min(p, count),) int64
        Ascending row numbers. The same values always have the same rows, on every machine.

    Examples
    --------
    Both ends, then the middle of the largest gap.

    >>> representatives(np.array([[0.0], [1.0], [2.0], [6.0], [10.0]]), 3).tolist()
    [0, 3, 4]
    """
    if len(places) <= count:
        return np.arange(len(places))
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    unit_places = (places - low) / np.where(span > 0, span, 1.0)
    rows = list(dict.fromkeys([*unit_places.argmin(axis=0).tolist(), *unit_places.argmax(axis=0).tolist()]))
    nearest = np.full(len(places), np.inf)
    for row in rows:
        _lower_distances(nearest, unit_places, row)
    while len(rows) < count:
        rows.append(int(nearest.argmax()))
        _lower_distances(nearest, unit_places, rows[-1])
    return np.array(sorted(rows))


def _lower_distances(nearest: Floats, places: Floats, row: int) -> None:
    """Lower squared distances to the nearest chosen row, (p,), in place, for one more chosen row."""
    away = places - places[row]
    np.minimum(nearest, np.einsum("ij,ij->i", away, away), out=nearest)
    nearest[row] = -1.0  # never chosen again, even if only duplicates are left


def _schedules(front: Front, points: int) -> str:
    """Return how many schedules of a front a figure has, in words."""
    count = len(front.values)
    part = "" if points == count else f"{with_thousands(points)} of "
    return f"{part}{number_of(count, 'schedule')} of {text(front.workload)}"


def _size(count: int) -> int:
    return 8 if count <= 200 else 6 if count <= 2_000 else 4 if count <= 10_000 else 3


def _hover_data(front: Front, x: str, y: str) -> NDArray[Any]:
    """Return the numbers for the text beside the mouse, (p, 4): both values, row and evaluation."""
    columns = [front.values[:, column_in(front, x)], front.values[:, column_in(front, y)]]
    numbers = np.column_stack([np.rint(columns).T, np.arange(len(front.values)), front.evaluation])
    return numbers.astype(np.int32) if numbers.max(initial=0.0) < 2**31 else numbers


def _compass(across: Axis, up: Axis) -> str:
    """Return in words and with an arrow where schedules are better."""
    right, top = across.objective.maximise, up.objective.maximise
    arrow = {(False, False): "↙", (True, False): "↘", (False, True): "↖", (True, True): "↗"}[right, top]
    return f"better: {'right' if right else 'left'} and {'up' if top else 'down'} {arrow}"


def _dimension(a: Axis, places: Floats, low: float, high: float) -> dict[str, Any]:
    """Return one axis of the parallel coordinates for plotly."""
    if low == high:
        low, high = low - 0.5, high + 0.5
    places_of_ticks = ticks(a, low, high)
    return {
        "label": f"{a.objective.name}<br>{unit(a.objective)}",
        "values": places.astype(np.float32),
        "range": [low, high] if a.objective.maximise else [high, low],
        "tickvals": [float(a.place(np.array(tick))) for tick in places_of_ticks],
        "ticktext": [f"{tick:,g}" for tick in places_of_ticks],
    }


def _tints() -> list[list[Any]]:
    """Return a colour scale: its lower part is for schedules, its upper part has one step a mark."""
    soft = ("#3b5b92", "#5b7396", "#7c8a94", "#9c9c84", "#bcae70")
    scale: list[list[Any]] = [[0.6 * i / (len(soft) - 1), colour] for i, colour in enumerate(soft)]
    for number, (colour, _) in enumerate(MARKS):
        scale += [[0.65 + 0.3 * (number + k) / len(MARKS), colour] for k in (0.05, 0.95)]
    return [*scale, [1.0, MARKS[-1][0]]]
