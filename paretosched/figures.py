"""Fronts and comparisons as figures: values in, plotly figures out; no files, no web, nothing that a table would miss.

What is drawn of a front follows paper 002, section 4.3: UTIL against AWRT (figures 6, 9, 14), AWRT against AWRT_1
(7, 10, 12, 15) and AWRT_i against AWRT_j (8, 11, 13, 16), of one front (`scatter`) or of several sets of schedules
(`clouds`); and, which the paper has not, all objectives at once, and what runs had found after how many evaluations.
What is drawn of policies follows paper 000: its figures 1 to 3 are `bars`, 4 and 5 are a `scatter`; and, which it has
not, how busy they keep the machine. `overtaking` is of one policy: who overtakes whom; `decisions` of a rule base.
Times are hours on the axes and seconds under the mouse. Names come from logs and users: they are cut and escaped before
plotly, which reads its labels as HTML, sees them.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .choice import written
from .compare import NEAREST, NEAREST_ONLINE, joint_gains
from .errors import InputError
from .explain import EQUAL, KINDS, LARGE, SMALL, WHEN, Explanation, about, duration, ranked, waiting
from .explain_rules import RulesExplanation, percent
from .front import online
from .objectives import Objective
from .rules import STRATEGIES, feature_ranges, intervals
from .workload import SITUATIONS

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from .compare import Comparison
    from .front import Front
    from .indicators import Course

Floats = NDArray[np.float64]

WEBGL_FROM = 1_000  # points; below that SVG, which prints and zooms better
STRANDS = 9  # lines of the parallel coordinates that make one mark
CUT_FROM, CUT_TO = 6.0, 3.0  # bars longer than so many times what is usual, and how much of them is drawn
USUAL = 10.0  # per cent; never less
FAR = 2.0  # times EASY's response time
THICK = 19  # pixels from one bar to the next
LONGEST_CATEGORY = 26  # letters beside bars
LABEL = 0.22  # room for the number beside a bar, of the longest
REPRESENTATIVES = 3_000  # lines of the parallel coordinates that still answer a brush in a second
NEARBY = 4_000  # points beside what is in focus
MOST_PAIRS = 3
WEIGHED = 20_000  # schedules that decide where names are written
HOUR = 3600.0
ROOM = (460.0, 330.0)  # pixels of a plot, for placing names
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif'

# Okabe and Ito's colours, safe for colour-blind readers; the symbol tells marks apart without any colour.
MARKS = (
    ("#D55E00", "diamond"),
    ("#CC79A7", "square"),
    ("#009E73", "triangle-up"),
    ("#56B4E9", "cross"),
    ("#E69F00", "star"),
    ("#0072B2", "x"),
    ("#7A7A7A", "hexagram"),
)
# Sets of schedules and courses of runs, ordered so that neighbours differ in lightness too.
SETS = (
    ("#0072B2", "circle"),
    ("#E69F00", "diamond"),
    ("#009E73", "square"),
    ("#D55E00", "triangle-up"),
    ("#56B4E9", "cross"),
    ("#CC79A7", "star"),
)
GREYS = ("#9aa5b1", "#6c7885")  # what is no policy
KNOWING = ("#c49a3f", "#4f7fc4")  # schedules that know the future, and online ones; on white and on black
DASHES = ("solid", "dot", "dash")
# Waits up to these ends, and longer ones, are darker and darker; the palest is what goes first at once.
WAITS = ("#f0f2f4", "#e0edf8", "#cbe2f4", "#acd1ed", "#86bce3", "#2a78b5", "#0a4f8a", "#00224e")
WAIT_ENDS = {60: "1 min", 600: "10 min", 3600: "1 h", 86_400: "1 d", 864_000: "10 d", 8_640_000: "100 d"}
# Strategies of a rule base: the hue is the sorting, the darker the fewer may overtake; Greedy is grey.
STRATEGY_COLOURS = (
    *("#fbd9a5", "#f0a030", "#a35c00"),  # by width
    *("#c3e8c9", "#5cb874", "#1d6b36"),  # by estimate
    *("#cbe2f4", "#5a9fd4", "#0a4f8a"),  # by wait
    *("#ecd0e6", "#c56fb4", "#7a2a6d"),  # by priority
    "#5f6b76",
)
MOST_ROWS, MOST_COLUMNS = 64, 12  # of situations; those of more are too many for words
PANEL, BETWEEN_PANELS, PANEL_WIDE = 210, 112, 270  # pixels
MOST_NUMBERED = 8  # groups; the cells of more are too small for numbers
MOST_TICKS = 16
# The colours of cividis from navy to ochre; its last, pale yellow, would be lost on white.
SCALE = ("#00224e", "#213b6e", "#4c556c", "#6c6e72", "#8e8978", "#b0a473", "#d4c163")
INK = {"light": "#1f2933", "dark": "#e4e7eb"}
QUIET = {"light": "#52606d", "dark": "#9aa5b1"}
GRID = {"light": "#e4e7eb", "dark": "#323b45"}
PAPER = {"light": "#ffffff", "dark": "#1b2127"}


class Axis(NamedTuple):
    """One objective as it is drawn.

    Attributes
    ----------
    objective
        The objective.
    values
        (p,) as drawn: per cent or hours.
    log
        Whether the axis is logarithmic.
    """

    objective: Objective
    values: Floats
    log: bool

    @property
    def title(self) -> str:
        """Name, meaning and unit."""
        o = self.objective
        return f"{o.name} · {text(o.label.removeprefix('AWRT of '))} ({unit(o)})"

    def place(self, drawn: Floats) -> Floats:
        """Put drawn values on the scale of the axis: their logarithm, if it is logarithmic."""
        placed: Floats = np.log10(drawn) if self.log else drawn
        return placed


def scatter(
    front: Front,
    x: str,
    y: str,
    marks: Mapping[str, Floats],
    *,
    log: bool = False,
    colour: str | None = None,
    focus: Sequence[str] = (),
) -> Figure:
    """Draw two objectives of every schedule on a front against each other.

    With a focus, figures 4 and 5 of paper 000.

    Parameters
    ----------
    front
        The schedules, at least one.
    x, y
        Names of objectives.
    marks
        Other schedules by name, such as those of online schedulers: their objective vectors, (m,) each. One that
        lies so far off that it would press the front into a corner is named at the edge it lies beyond.
    log
        Whether the axes of response times are logarithmic.
    colour
        The objective that colours the points; by default the first one that is not drawn already.
    focus
        Names of marks that are looked at: the axes show what is better than these and half as much of what is worse,
        wherever the rest of the front is. Then at most NEARBY of its schedules are drawn, and the border; and the
        colour, unless it was chosen, tells online ones from those that know the future.

    Raises
    ------
    InputError
        An objective is not one of the front's or is undefined because its group has no jobs.
    """
    from plotly import graph_objects as go

    across, up = axis(front, x, log), axis(front, y, log)
    third = axis(front, colour, False) if colour else None if focus else _third(front, x, y)
    ranges = _ranges(across, up, _spots(front, across, up, marks), focus)
    rows = _seen(across, up, *ranges) if focus else np.arange(len(front.values))
    webgl = len(rows) > WEBGL_FROM and not focus  # of which a browser has little: for whole fronts
    parts = {f"{_count(len(rows))} on the front": rows}
    if focus and not third:
        made_online = online(front)[rows]
        parts = {
            "schedules that know the future": rows[~made_online],
            "schedules of online policies": rows[made_online],
        }
    customdata = _under_the_mouse(front, x, y)
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
                "opacity": _opacity(len(rows)),
                "line": {"width": 0},
                **({"color": third.values[part].astype(np.float32), "coloraxis": "coloraxis"} if third else {}),
                **({"color": hue} if len(parts) > 1 else {}),
            },
            hovertemplate=_hover(across, up)
            + "<br>schedule %{customdata[2]}, evaluation %{customdata[3]}<extra></extra>",
        )
        for (name, part), hue in zip(parts.items(), KNOWING, strict=False)
    ]
    empty = plane(front, x, y, marks, log=log, webgl=webgl, focus=focus)
    figure = go.Figure([*cloud, *empty.data], empty.layout)
    figure.update_layout(
        title={
            "text": f"{x} and {y}",
            "subtitle": {"text": f"{_compass(across, up)} &nbsp; {_schedules(front, len(rows))}"},
        },
        coloraxis=_colour_bar(third, rows),
        **(_legend_below(0.19) if len(parts) > 1 else {}),
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
    """Draw what `scatter` does, without the schedules of the front: axes that fit them, and named marks.

    Parameters
    ----------
    front, x, y, marks, log, focus
        As for `scatter`.
    webgl
        Whether marks are drawn by WebGL, as the schedules above which they are to be seen.
    room
        Width and height of the plot for which names are placed, pixels; larger ones only have more room.
    """
    from plotly import graph_objects as go

    across, up = axis(front, x, log), axis(front, y, log)
    spots = _spots(front, across, up, marks)
    x_range, y_range = _ranges(across, up, spots, focus)
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
                hovertemplate=f"<b>{text(name)}</b><br>{_hover(across, up)}<extra></extra>",
            )
        )
    figure.update_layout(annotations=_labels(across, up, x_range, y_range, spots, room))
    figure.update_xaxes(title_text=across.title, **_scale(across, x_range))
    figure.update_yaxes(title_text=up.title, **_scale(up, y_range))
    return figure


def _spots(front: Front, across: Axis, up: Axis, marks: Mapping[str, Floats]) -> dict[str, tuple[float, float]]:
    """Give the places of marks, in drawn units."""
    columns = [(a.objective, _column(front, a.objective.name)) for a in (across, up)]
    return {
        name: (_drawn(columns[0][0], vector[columns[0][1]]), _drawn(columns[1][0], vector[columns[1][1]]))
        for name, vector in marks.items()
    }


def _ranges(
    across: Axis, up: Axis, spots: Mapping[str, tuple[float, float]], focus: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Choose what both axes show."""
    sides = [[spot[side] for spot in spots.values()] for side in (0, 1)]
    if not focus:
        return _range(across, sides[0]), _range(up, sides[1])
    looked_at = [[spots[name][side] for name in focus] for side in (0, 1)]
    return _near(across, looked_at[0], sides[0]), _near(up, looked_at[1], sides[1])


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
        What the columns are.
    x, y
        Names of objectives.
    log
        Whether the axes of response times are logarithmic.
    title
        Above the figure; by default the two objectives.

    Raises
    ------
    InputError
        An objective is unknown or undefined because its group has no jobs, or there is nothing to draw.
    """
    from plotly import graph_objects as go

    every = np.concatenate(list(sets.values()) or [np.zeros((0, len(objectives)))])
    if len(every) == 0:
        raise InputError("sets must have at least one schedule to be drawn, but have none")
    columns = [_column_of(objectives, name) for name in (x, y)]
    across, up = (_axis(objectives[c], every[:, c], log, "the workload") for c in columns)
    draw = go.Scattergl if len(every) > WEBGL_FROM else go.Scatter
    figure = go.Figure(layout={"template": template()})
    order = sorted(enumerate(sets.items()), key=lambda entry: -len(entry[1][1]))
    for number, (name, values) in order:
        hue, symbol = SETS[number % len(SETS)]
        count = len(values)
        places = [_drawn(a.objective, values[:, c]) for a, c in zip((across, up), columns, strict=True)]
        figure.add_trace(
            draw(
                x=places[0].astype(np.float32),
                y=places[1].astype(np.float32),
                customdata=np.rint(values[:, columns]).astype(np.int32),
                mode="markers",
                name=f"{text(name)} ({_count(count)})",
                legendrank=number,
                marker={
                    "color": hue,
                    "symbol": symbol,
                    "size": 7 if count <= 200 else 5 if count <= 2_000 else 4,
                    "opacity": 1.0 if count <= 200 else 0.6,
                    "line": {"width": 0.5 if count <= 200 else 0},
                },
                hovertemplate=f"<b>{text(name)}</b><br>{_hover(across, up)}<extra></extra>",
            )
        )
    figure.update_layout(
        title={"text": title or f"{x} and {y}", "subtitle": {"text": _compass(across, up)}},
        **_legend_below(0.19),
    )
    figure.update_xaxes(title_text=across.title, **_scale(across, _range(across, [])))
    figure.update_yaxes(title_text=up.title, **_scale(up, _range(up, [])))
    return figure


def courses(runs: Mapping[str, Course], *, title: str = "What runs found, and when") -> Figure:
    """Draw the hypervolume that runs had reached, and the size of their fronts, over their evaluations.

    Parameters
    ----------
    runs
        Their courses by name, measured in one box, see `indicators.course`.
    title
        Above the figure.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.62, 0.38], vertical_spacing=0.06)
    figure.update_layout(template=template())
    for number, (name, run) in enumerate(runs.items()):
        hue, symbol = SETS[number % len(SETS)]
        dash = DASHES[number // len(SETS) % len(DASHES)]
        for row, (what, measured, spec) in enumerate(
            (("hypervolume", run.hypervolume, ".4f"), ("front", run.size, ",d")), 1
        ):
            figure.add_trace(
                go.Scatter(
                    x=run.evaluations,
                    y=measured,
                    mode="lines+markers",
                    name=text(name),
                    legendgroup=str(number),
                    showlegend=row == 1,
                    line={"color": hue, "width": 2, "dash": dash},
                    marker={"color": hue, "symbol": symbol, "size": 6},
                    hovertemplate=f"<b>{text(name)}</b><br>%{{x:,d}} evaluations: {what} %{{y:{spec}}}<extra></extra>",
                ),
                row=row,
                col=1,
            )
    low, high = (f(int(end(run.evaluations)) for run in runs.values()) for f, end in ((min, np.min), (max, np.max)))
    limits = [float(np.log10(low)) - 0.05, float(np.log10(max(high, low + 1))) + 0.05]
    figure.update_xaxes(**_log_axis(limits, 7))
    figure.update_xaxes(title_text="evaluations", row=2)
    figure.update_yaxes(title_text="hypervolume", rangemode="tozero", row=1)
    sizes = np.concatenate([run.size for run in runs.values()])
    limits = [-0.02, float(np.log10(max(sizes.max(), 10))) + 0.1]
    figure.update_yaxes(title_text="points of the front", **_log_axis(limits, 4), row=2)
    figure.update_layout(
        title={"text": title, "subtitle": {"text": "share of the box that is dominated; better: up ↑"}},
        height=640,
        **_legend_below(0.13),
    )
    return figure


def parallel(front: Front, marks: Mapping[str, Floats]) -> Figure:
    """Draw all objectives at once, one line a schedule, better upwards on every axis.

    Of a large front `representatives` are drawn. Dragging along an axis keeps the lines that pass there. Response
    times are on logarithmic axes.

    Parameters
    ----------
    front
        The schedules, at least one.
    marks
        Other schedules by name: their objective vectors, (m,) each, drawn as strong lines.
    """
    from plotly import graph_objects as go

    axes = [axis(front, o.name, not o.maximise) for o in defined(front)]
    columns = [_column(front, a.objective.name) for a in axes]
    places = np.column_stack([a.place(a.values) for a in axes])
    shown = representatives(places, REPRESENTATIVES)
    tint = np.linspace(0.0, 0.6, len(shown))
    leading = axes[2 if len(axes) > 2 else -1]
    tint[np.argsort(leading.values[shown], kind="stable")] = tint.copy()
    drawn = {
        name: np.array([a.place(np.array(_drawn(a.objective, vector[c]))) for a, c in zip(axes, columns, strict=True)])
        for name, vector in marks.items()
    }
    # An outlier must not press all schedules into a corner: beyond the ends of the axes lines are cut.
    ends = np.array([extent(column, np.array([d[c] for d in drawn.values()])) for c, column in enumerate(places.T)])
    lines, tints = [places[shown]], [tint]
    for number, own in enumerate(drawn.values()):
        # The lines of this chart are one pixel wide; a few of them, a hair apart, are a thick one.
        hair = np.linspace(-0.003, 0.003, STRANDS)[:, None] * np.ptp(ends, axis=1)
        lines.append(np.clip(own + hair, ends[:, 0], ends[:, 1]))
        tints.append(np.full(STRANDS, 0.65 + 0.3 * (number % len(MARKS) + 0.5) / len(MARKS)))
    every = np.concatenate(lines)
    chart = go.Parcoords(
        dimensions=[_dimension(a, every[:, c], *ends[c]) for c, a in enumerate(axes)],
        line={"color": np.concatenate(tints).astype(np.float32), "cmin": 0, "cmax": 1, "colorscale": _tints()},
        labelside="top",
    )
    names = "   ".join(
        f'<span style="color:{mark_style(number)[0]}">━━</span> {text(name)}' for number, name in enumerate(marks)
    )
    count = len(front.values)
    beyond = [name for name, own in drawn.items() if (own < ends[:, 0]).any() or (own > ends[:, 1]).any()]
    cut = f"beyond the end of an axis: {', '.join(map(text, beyond))}" if beyond else ""
    figure = go.Figure(chart, {"template": template()})
    figure.update_layout(
        title={
            "text": f"All objectives: {_count(len(shown))} of {_count(count)} schedules shown",
            "subtitle": {
                "text": f"better: up on every axis ↑ &nbsp; colour: {leading.objective.name} &nbsp; {cut}<br>{names}"
            },
        },
        height=520,
        margin={"l": 70, "r": 70, "t": 145, "b": 30},
    )
    return figure


def pairs(front: Front, marks: Mapping[str, Floats]) -> Figure:
    """Draw the response times of every two groups against each other, small and on logarithmic axes.

    Parameters
    ----------
    front
        The schedules, of at least two groups with jobs; of many, `representatives` are drawn.
    marks
        Other schedules by name: their objective vectors, (m,) each.
    """
    from plotly import graph_objects as go

    axes = [axis(front, o.name, True) for o in defined(front) if o.name not in ("UTIL", "AWRT")]
    if len(axes) < 2:
        raise InputError(f"pairs of groups need two groups with jobs, but {front.workload} has {len(axes)}")
    places = np.column_stack([a.place(a.values) for a in axes])
    shown = representatives(places, REPRESENTATIVES)
    matrix = {"diagonal_visible": False, "showupperhalf": False}
    figure = go.Figure(layout={"template": template()})
    figure.add_trace(
        go.Splom(
            dimensions=[{"label": a.objective.name, "values": a.values[shown].astype(np.float32)} for a in axes],
            marker={"size": 3, "opacity": _opacity(len(shown)), "line": {"width": 0}},
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
                    {"label": a.objective.name, "values": [vector[_column(front, a.objective.name)] / HOUR]}
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
            "text": f"Group against group: {_count(len(shown))} of {_count(len(front.values))} schedules shown",
            "subtitle": {
                "text": "better: left and down ↙ &nbsp; response times in hours; a mark far off the front is left out"
            },
        },
        height=760,
        showlegend=True,
        dragmode="select",
        hovermode="closest",
    )
    for number, a in enumerate(axes, 1):
        drawn = [vector[_column(front, a.objective.name)] / HOUR for vector in marks.values()]
        scale = _scale(a, _range(a, drawn), 4)
        figure.update_layout({f"xaxis{number}": scale, f"yaxis{number}": scale})
    return figure


def bars(
    series: Mapping[str, Mapping[str, float]],
    *,
    title: str,
    subtitle: str = "",
    limits: Mapping[str, Mapping[str, float]] | None = None,
    published: Mapping[str, Mapping[str, float]] | None = None,
    source: str = "published",
    first: int = 0,
) -> Figure:
    """Draw improvements over EASY by category, a bar for each policy: figures 1 to 3 of paper 000, for anything.

    Figure 1 has the improvement of each AWRT_i (the categories), figures 2 and 3 that of the objective on each
    workload. Bars lie, so that names and numbers have room. A bar many times as long as what is usual is cut, so that
    the others can be seen; its number is not.

    Parameters
    ----------
    series
        Name of a policy to category to per cent; what is missing or NaN is left out. Categories are drawn in the order
        in which they come up.
    title, subtitle
        Words.
    limits
        The same, for what is no policy, such as the best on a front: in grey, below the policies.
    published
        The same, for values of the policies from elsewhere, such as a paper's: a diamond at the policy's bar, or at the
        place where it would be.
    source
        Where those come from.
    first
        Number of the first policy's colour, see `mark_style`: 1 where EASY, whose bars have no length, is left out.

    Raises
    ------
    InputError
        There is nothing to draw.
    """
    from plotly import graph_objects as go

    policies, greys, theirs = (
        {name: {c: float(x) for c, x in row.items() if np.isfinite(x)} for name, row in (rows or {}).items()}
        for rows in (series, limits, published)
    )
    policies |= {name: {} for name in theirs if name not in policies}
    hues = [mark_style(first + i)[0] for i in range(len(policies))] + [GREYS[i % len(GREYS)] for i in range(len(greys))]
    ours = policies | greys
    categories = list(dict.fromkeys(c for rows in (ours, theirs) for row in rows.values() for c in row))
    if not categories:
        raise InputError("bars must have at least one value to be drawn, but have none")
    band = len(ours) + 0.8  # of a category, in bars
    middle = {c: k * band for k, c in enumerate(categories)}
    place = {(name, c): middle[c] + i - (len(ours) - 1) / 2 for i, name in enumerate(ours) for c in categories}
    cut = _cut([max(map(abs, row.values())) for row in ours.values() if row])
    drawn = np.clip([x for rows in (ours, theirs) for row in rows.values() for x in row.values()], -cut, cut)
    low, high = min(0.0, float(drawn.min())), max(0.0, float(drawn.max()))
    span = (high - low) or 1.0
    figure = go.Figure(layout={"template": template()})
    for hue, (name, row) in zip(hues, ours.items(), strict=True):
        hidden = {
            c: max(row[c], p, key=abs)
            for c, p in theirs.get(name, {}).items()
            if c in row and _hides(p, row[c], span, cut)
        }
        figure.add_trace(
            go.Bar(
                x=[float(np.clip(x, -cut, cut)) for x in row.values()],
                y=[place[name, c] for c in row],
                customdata=[[text(c), x] for c, x in row.items()],
                text=["" if c in hidden else _bar_label(x, abs(x) > cut) for c, x in row.items()],
                textposition=["inside" if abs(x) > cut else "outside" for x in row.values()],
                insidetextanchor="end",
                textangle=0,
                constraintext="none",
                cliponaxis=False,
                orientation="h",
                width=0.86,
                name=text(name),
                marker={"color": hue, "line": {"width": 0}},
                showlegend=bool(row),
                hovertemplate=f"<b>{text(name)}</b><br>%{{customdata[0]}}: %{{customdata[1]:+.2f}} %<extra></extra>",
            )
        )
        for c, beyond in hidden.items():
            side = 1 if row[c] > 0 else -1
            figure.add_annotation(
                text=_bar_label(row[c], False),
                x=beyond,
                y=place[name, c],
                xanchor="left" if side > 0 else "right",
                xshift=8 * side,
                showarrow=False,
            )
    beside = [(name, c, x) for name, row in theirs.items() for c, x in row.items()]
    if beside:
        figure.add_trace(
            go.Scatter(
                x=[float(np.clip(x, -cut, cut)) for _, _, x in beside],
                y=[place[name, c] for name, c, _ in beside],
                customdata=[[text(name), text(c), x] for name, c, x in beside],
                mode="markers",
                marker={
                    "symbol": "diamond",
                    "size": 10,
                    "color": PAPER["light"],
                    "line": {"width": 2, "color": SCALE[0]},
                },
                name=text(source),
                hovertemplate=f"<b>{text(source)}: %{{customdata[0]}}</b><br>%{{customdata[1]}}: "
                "%{customdata[2]:+.2f} %<extra></extra>",
            )
        )
    room = LABEL * span
    body = THICK * max(band * len(categories), 4)
    words = [part for part in (subtitle, "better: right →") if part]
    figure.update_layout(
        title={"text": title, "subtitle": {"text": " &nbsp; ".join(words)}},
        barmode="overlay",
        height=190 + body,
        **_legend_below(62 / body),
    )
    figure.update_xaxes(
        title_text="improvement over EASY (%)",
        range=[low - (room if low < 0 else 0), high + room],
        zeroline=True,
        zerolinewidth=1.5,
        zerolinecolor=SCALE[3],
    )
    figure.update_yaxes(
        tickvals=list(middle.values()),
        ticktext=[text(c, LONGEST_CATEGORY) for c in categories],
        automargin=True,  # names of logs and groups are longer than the usual margin
        range=[middle[categories[-1]] + band / 2, -band / 2],
        showgrid=False,
        ticks="",
    )
    return figure


def _cut(longest: Sequence[float]) -> float:
    """Say where bars are cut, given the longest of each policy: nowhere, unless one is far longer than is usual."""
    usual = max([USUAL, *sorted(longest)[: (len(longest) + 1) // 2][-1:]])
    return CUT_TO * usual if max(longest, default=0.0) > CUT_FROM * usual else np.inf


def use_over_time(
    edges: NDArray[np.int64], busy: Mapping[str, Floats], *, title: str = "Utilisation over time"
) -> Figure:
    """Draw how busy a machine is, a small chart a policy, with the first one behind each of the others.

    Parameters
    ----------
    edges
        (k + 1,) seconds between which was measured, all bins but the last one of the same length.
    busy
        By policy (k,) per cent of the machine, see `measures.use`.
    title
        Above the figure.
    """
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    size, words = _clock(int(edges[-1] - edges[0]))
    when = (edges - edges[0]) / size
    # a gap of so many pixels between charts of the same height, whatever their number
    figure = make_subplots(rows=len(busy), cols=1, shared_xaxes=True, vertical_spacing=34 / (34 + 96) / len(busy))
    figure.update_layout(template=template())
    reference, top = next(iter(busy)), max(100.0, *(float(share.max()) for share in busy.values()))
    for row, (name, share) in enumerate(busy.items(), 1):
        hue, _ = mark_style(row - 1)
        drawn = [(name, share, hue, 2.0)]
        if row > 1:
            drawn.insert(0, (reference, busy[reference], SCALE[3], 1.0))
        for what, values, colour, width in drawn:
            figure.add_trace(
                go.Scatter(
                    x=when,
                    y=np.append(values, values[-1:]),  # the last step ends where its bin does
                    mode="lines",
                    line={"color": colour, "width": width, "shape": "hv"},
                    name=text(what),
                    hovertemplate=f"<b>{text(what)}</b><br>from %{{x:.4~g}} {words}: %{{y:.1f}} %<extra></extra>",
                ),
                row=row,
                col=1,
            )
        behind = f'<span style="color:{SCALE[3]}"> &nbsp; {text(reference)} behind</span>' if row > 1 else ""
        figure.add_annotation(
            text=f'<b style="color:{hue}">━</b> {text(name)}{behind}', x=0, xref="x domain", xanchor="left", y=1.0,
            yref="y domain", yanchor="bottom", showarrow=False, row=row, col=1,
        )  # fmt: skip
    figure.update_yaxes(range=[0, 1.04 * top], tickvals=[0, 50, 100], ticktext=["0 %", "50 %", "100 %"])
    figure.update_xaxes(showgrid=False, range=[0, float(when[-1])], ticks="")
    figure.update_xaxes(title_text=f"{words} since the first submission", ticks="outside", row=len(busy))
    each = f"processors in use of all, mean of every {_length(int(edges[1] - edges[0]))}"
    figure.update_layout(
        title={"text": title, "subtitle": {"text": each}}, height=180 + 130 * len(busy), margin={"t": 112}
    )
    return figure


def compared(
    comparisons: Sequence[Comparison],
    fronts: Sequence[Front | None],
    chosen: Sequence[tuple[str, str]] | None = None,
) -> dict[str, Figure]:
    """Draw everything that a report of comparisons shows, by name, for whatever was compared.

    These are, with what they are in paper 000: "improvements" of the response times (figure 1); "objective", its gains
    over EASY on each workload (figures 2 and 3); "positions" against the front (figures 4 and 5), in the response times
    that the wish uses, or in those of the first two groups; and "utilisation" over time. Of one workload there are all
    `figures` of its front, too. Of several, names but "objective" begin with `prefix`.

    Parameters
    ----------
    comparisons
        What is shown.
    fronts
        For each the front it was made with, with a schedule at least, or None.
    chosen
        Pairs of objectives to draw in full, see `figures`; of one workload.
    """
    several = len(comparisons) > 1
    drawn = {}
    gains = joint_gains(comparisons)
    if gains:
        drawn["objective"] = _objective_gains(gains, comparisons)
    for number, (comparison, front) in enumerate(zip(comparisons, fronts, strict=True)):
        before = prefix(comparisons, number) if several else ""
        own = _improvements(comparison)
        if front is not None:
            own |= _positions(comparison, front)
            if own.keys() >= {"improvements", "positions"}:  # they stand side by side
                own["positions"].layout.height = min(max(own["improvements"].layout.height, 480), 640)
        if comparison.edges is not None:
            shares = dict(zip(comparison.policies, comparison.busy, strict=True))
            name = text(comparison.workload_name)
            own["utilisation"] = use_over_time(comparison.edges, shares, title=f"Utilisation over time, {name}")
        if front is not None and not several:
            own |= figures(front, comparison.marks, chosen)
        drawn |= {f"{before}{name}": figure for name, figure in own.items()}
    return drawn


def prefix(comparisons: Sequence[Comparison], number: int) -> str:
    """Begin the name of a figure of one of several comparisons: its number and what a file may be called like."""
    name = re.sub("[^a-z0-9]+", "-", comparisons[number].workload_name.lower())[:40].strip("-")
    return f"{number + 1}-{name or 'workload'}-"


def _improvements(comparison: Comparison) -> dict[str, Figure]:
    gains = {
        policy: {
            _named(o): float(x)
            for o, x in zip(comparison.objectives, comparison.improvement[q], strict=True)
            if o.unit == "s" and np.isfinite(x)
        }
        for q, policy in enumerate(comparison.policies[1:], 1)
    }
    if not any(gains.values()):  # EASY was compared with nothing
        return {}
    name = text(comparison.workload_name)
    return {"improvements": bars(gains, title="Response times against EASY", subtitle=name, first=1)}


def _objective_gains(gains: Mapping[str, Mapping[str, float]], comparisons: Sequence[Comparison]) -> Figure:
    policies = dict.fromkeys(name for comparison in comparisons for name in comparison.policies[1:])
    words = next(written(comparison.wish) for comparison in comparisons if comparison.wish is not None)
    return bars(
        {name: gains.get(name, {}) for name in policies},
        title="Objective against EASY",
        subtitle=text(words),
        limits={name: row for name, row in gains.items() if name not in policies},
        first=1,
    )


def _positions(comparison: Comparison, front: Front) -> dict[str, Figure]:
    known = [o.name for o in defined(front) if o.unit == "s"]
    wished = [name for name in (comparison.wish.names if comparison.wish else ()) if name in known]
    chosen = [*wished, *(name for name in known if name != "AWRT" and name not in wished)][:2]
    if len(chosen) < 2:
        return {}
    columns = [_column(front, name) for name in chosen]
    # one that is far off, as FCFS may be, is named at the edge
    easy = comparison.values[0, columns]
    focus = [
        name
        for name, values in zip(comparison.policies, comparison.values, strict=True)
        if (values[columns] <= FAR * easy).all()
    ]
    marks = comparison.marks
    if comparison.nearest is not None:
        marks[NEAREST] = comparison.nearest
        made_online = comparison.nearest_online
        if made_online is not None and not np.array_equal(made_online, comparison.nearest, equal_nan=True):
            marks[NEAREST_ONLINE] = made_online
    figure = scatter(front, chosen[0], chosen[1], marks, focus=focus)
    figure.layout.title.text = f"Positions in {chosen[0]} and {chosen[1]}"
    return {"positions": figure}


def figures(
    front: Front, marks: Mapping[str, Floats], chosen: Sequence[tuple[str, str]] | None = None
) -> dict[str, Figure]:
    """Draw every figure of a report, by name.

    Parameters
    ----------
    front
        The schedules, at least one.
    marks
        Other schedules by name: their objective vectors, (m,) each.
    chosen
        Pairs of objectives to draw in full besides UTIL with AWRT and AWRT with the first group; by default the
        first two groups with jobs. At most MOST_PAIRS, since browsers limit what one page may draw by WebGL.
    """
    if chosen is not None and len(chosen) > MOST_PAIRS:
        raise InputError(f"pairs of objectives must be at most {MOST_PAIRS}, but are {len(chosen)}")
    groups = [o.name for o in defined(front) if o.name not in ("UTIL", "AWRT")]
    pairs_in_full = [tuple(groups[:2])] if chosen is None and len(groups) > 1 else list(chosen or ())
    drawn = {"util-awrt": scatter(front, "UTIL", "AWRT", marks)}
    if len(groups) > 1:
        pairs_in_full = [("AWRT", groups[0]), *pairs_in_full]
    for x, y in pairs_in_full:
        drawn[f"{x}-{y}".lower()] = scatter(front, x, y, marks, log=True)
    drawn["parallel"] = parallel(front, marks)
    if len(groups) > 2:
        drawn["pairs"] = pairs(front, marks)
    return drawn


class Panel(NamedTuple):
    """A square of waits between jobs that differ in one thing.

    Attributes
    ----------
    what
        In what: "group" or "size".
    names
        Of the jobs.
    keys
        Of new ones.
    waits
        (k, k) seconds: in row i those after which others come before a new job i.
    """

    what: str
    names: Sequence[str]
    keys: Floats
    waits: NDArray[np.int64]


def overtaking(explanation: Explanation) -> Figure:
    """Draw who overtakes whom in each situation: how long a job must have waited to go before one that is new.

    A column of panels a situation. Two rows are between groups, with small and with large jobs, and left out if there
    is but one group; the last is between jobs of different sizes in one group.

    Parameters
    ----------
    explanation
        Of Greedy.

    Raises
    ------
    InputError
        The policy is another one, whose queue has no keys.
    """
    from plotly.subplots import make_subplots

    policy = explanation.policy
    if policy.rule != "greedy":
        raise InputError(f"policy {policy.name} cannot be drawn, because it has no weights; only Greedy has")
    rows = {
        f"{KINDS[kind].name.capitalize()} jobs ({about(KINDS[kind])}), group against group": [
            Panel("group", policy.groups, explanation.keys[s, kind], explanation.among_groups(s, kind))
            for s in range(len(SITUATIONS))
        ]
        for kind in (SMALL, LARGE)
        if len(policy.groups) > 1
    }
    small, large = KINDS[SMALL], KINDS[LARGE]
    words = (
        f"narrow {small.width}, wide {large.width} processors; short {duration(small.estimate)}, "
        f"long {duration(large.estimate)}; small: narrow and short; large: wide and long"
    )
    rows[f"Jobs of one group, size against size ({words})"] = [
        Panel(
            "size",
            [kind.name for kind in KINDS],
            explanation.keys[s, :, explanation.heaviest(s)],
            explanation.among_kinds(s),
        )
        for s in range(len(SITUATIONS))
    ]
    between = BETWEEN_PANELS + (35 if _slanted(policy.groups) else 0)
    plots = len(rows) * PANEL + (len(rows) - 1) * between
    figure = make_subplots(
        rows=len(rows), cols=len(SITUATIONS), horizontal_spacing=0.05, vertical_spacing=between / plots
    )
    for r, (title, panels) in enumerate(rows.items(), 1):
        for c, panel in enumerate(panels, 1):
            _draw_panel(figure, r, c, panel)
            lines = [(text(f"new jobs: {ranked(panel.keys, panel.names)}", 50), 12, 1)]
            if c == 1:
                lines.append((title, 14, 23))
            if r == 1:
                situation = SITUATIONS[c - 1]
                lines.append((f"<b>{situation}</b> ({WHEN[situation]}): {policy.criteria[c - 1]}", 13, 54))
            across, down = figure.get_subplot(r, c)
            for line, size, above in lines:
                figure.add_annotation(
                    {
                        "text": line,
                        "font": {"size": size},
                        "showarrow": False,
                        "yshift": above,
                        "bgcolor": "rgba(0,0,0,0)",
                    }
                    | {"x": across.domain[0], "xref": "paper", "xanchor": "left"}
                    | {"y": down.domain[1], "yref": "paper", "yanchor": "bottom"}
                )
    reading = "how long a job (column) must have waited to go before one that is new (row)"
    signs = "0 at once &nbsp; = in the order of submission &nbsp; never: not within a hundred years"
    figure.update_layout(
        template=template(),
        title={
            "text": f"{text(policy.name)}: who overtakes whom, and when",
            "subtitle": {"text": f"{reading} &nbsp;|&nbsp; {signs}"},
        },
        height=plots + 170 + 60,
        margin={"l": 110, "r": 20, "t": 170, "b": 60},
        coloraxis=_wait_colours(),
    )
    return figure


def _draw_panel(figure: Figure, row: int, column: int, panel: Panel) -> None:
    from plotly import graph_objects as go

    names = [text(name, 14) for name in panel.names]
    count = len(names)
    shades = np.where(panel.waits == 0, 0, 1 + np.searchsorted([*WAIT_ENDS], panel.waits))
    shades[panel.waits < 0] = len(WAITS) - 1
    chart = go.Heatmap(
        z=shades,
        text=[[waiting(panel.waits, i, j) for j in range(count)] for i in range(count)],
        customdata=[[_passing(panel, names, i, j) for j in range(count)] for i in range(count)],
        coloraxis="coloraxis",
        xgap=1.5,
        ygap=1.5,
        texttemplate="%{text}" if count <= MOST_NUMBERED else None,
        textfont={"size": 13 if count <= 5 else 10},
        hovertemplate="%{customdata}<extra></extra>",
    )
    figure.add_trace(chart, row=row, col=column)
    ticks = _ticks(count)
    plain = {"tickvals": ticks, "ticktext": [names[tick] for tick in ticks], "ticks": "", "title_standoff": 4}
    bare = {"showgrid": False, "showline": False}
    ends = [-0.5, count - 0.5]
    place = {"row": row, "col": column}
    across = {"title_text": f"waiting job, by {panel.what}", "tickangle": -35 if _slanted(panel.names) else 0}
    figure.update_xaxes(**plain, **bare, **across, **place, range=ends)
    down = {"title_text": f"new job, by {panel.what}"} if column == 1 else {"showticklabels": False}
    figure.update_yaxes(**plain, **bare, **down, **place, range=ends[::-1])


def _ticks(count: int) -> list[int]:
    return list(range(0, count, -(-count // MOST_TICKS)))


def _slanted(names: Sequence[str]) -> bool:
    """Tell whether names do not fit beside each other below a panel."""
    longest = min(max(map(len, names)), 14)
    return 6 * longest * len(_ticks(len(names))) > PANEL_WIDE


def _passing(panel: Panel, names: Sequence[str], new: int, other: int) -> str:
    """Say in words what a cell means."""
    wait = int(panel.waits[new, other])
    short = waiting(panel.waits, new, other)
    if short == EQUAL:
        return f"{names[other]} and {names[new]}: in the order of submission"
    when = "never" if wait < 0 else f"after {short} ({wait:,d} s)" if wait else "at once"
    return f"{names[other]} goes before a new {names[new]}: {when}"


def _wait_colours() -> dict[str, Any]:
    count = len(WAITS)
    ticks = {0.0: "at once"} | {k + 1.5: words for k, words in enumerate(WAIT_ENDS.values())} | {count - 0.6: "never"}
    return {
        "cmin": -0.5,
        "cmax": count - 0.5,
        "colorscale": [((k + end) / count, colour) for k, colour in enumerate(WAITS) for end in (0, 1)],
        "colorbar": {"tickvals": [*ticks], "ticktext": [*ticks.values()], "xpad": 20},
    }


def decisions(explanation: RulesExplanation) -> Figure:
    """Draw which strategy a rule base chooses where.

    Of an iterative base all situations: a column for each combination of intervals of SD and Um, a row for each one of
    the shares of the groups in the queue. Of a symbiotic base its slices, see `explain_rules`. The hue is the sorting,
    the shade the algorithm.

    Parameters
    ----------
    explanation
        Of a rule base.
    """
    figure = _situations(explanation) if explanation.base.kind == "iterative" else _slices(explanation)
    figure.update_layout(template=template(), coloraxis=_strategy_colours())
    return figure


def _situations(e: RulesExplanation) -> Figure:
    from plotly import graph_objects as go

    base, names = e.base, e.features
    named = intervals(base)
    across = math.prod(len(inner) + 1 for inner in base.bounds[:2])
    z = base.choice.reshape(across, -1).T.astype(np.int64)
    down = len(z)
    came = np.ones(z.shape, dtype=np.int64) if e.decisions is None else e.decisions.reshape(across, -1).T
    said = "" if e.decisions is None else "; pale: never came up"
    heads = [f"SD {named[column * down][0]}<br>Um {named[column * down][1]}" for column in range(across)]
    whole = [f"0..{high:g}" for high in feature_ranges(len(base.groups))[1].tolist()]
    sides = [
        ", ".join(
            f"{name[len('PRCWQ') :]}: {part}"
            for name, part, every in zip(names[2:], named[row][2:], whole[2:], strict=True)
            if part != every
        )
        for row in range(down)
    ]
    labelled = down <= MOST_ROWS and across <= MOST_COLUMNS
    chart = go.Heatmap(
        z=z,
        coloraxis="coloraxis",
        xgap=1.5,
        ygap=1.0 if down <= MOST_ROWS else 0,
        text=[[STRATEGIES[s].replace("conservative", "CONS") for s in row] for row in z.tolist()],
        customdata=[
            [
                ", ".join(f"{n} {p}" for n, p in zip(names, named[column * down + row], strict=True))
                + (
                    ""
                    if e.decisions is None
                    else f"<br>{percent(came[row, column] / came.sum())} % of the decisions in training"
                )
                for column in range(across)
            ]
            for row in range(down)
        ],
        hovertemplate="%{customdata}<br><b>%{text}</b><extra></extra>",
        texttemplate="%{text}" if labelled else None,
        textfont={"size": 10},
    )
    veil = go.Heatmap(
        z=np.where(came == 0, 1.0, np.nan),
        colorscale=[[0, "rgba(255,255,255,0.8)"], [1, "rgba(255,255,255,0.8)"]],
        showscale=False,
        hoverinfo="skip",
    )
    figure = go.Figure([chart, veil] if (came == 0).any() else chart)
    bare = {"showgrid": False, "showline": False, "ticks": ""}
    figure.update_xaxes(side="top", **bare)
    if across <= MOST_COLUMNS:
        figure.update_xaxes(tickvals=[*range(across)], ticktext=heads, tickangle=0)
    figure.update_yaxes(autorange="reversed", **bare)
    if down <= MOST_ROWS:
        figure.update_yaxes(tickvals=[*range(down)], ticktext=sides, tickfont={"size": 11})
    shares = "rows: groups' % of the waiting work"
    figure.update_layout(
        title={
            "text": f"{text(e.policy.name)}: which strategy in which situation",
            "subtitle": {"text": f"columns: SD, slowdown so far; Um, % in use &nbsp;|&nbsp; {shares}{said}"},
        },
        height=200 + 24 * min(down, MOST_ROWS),
        margin={"l": 15 + 5.6 * max(map(len, sides)) if down <= MOST_ROWS else 70, "r": 20, "t": 130, "b": 30},
    )
    return figure


def _slices(e: RulesExplanation) -> Figure:
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    names = e.features
    rows, columns = -(-len(e.slices) // 2), min(len(e.slices), 2)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        horizontal_spacing=0.1,
        vertical_spacing=0.2 / rows,
        subplot_titles=[text(s.others, 90) for s in e.slices],
    )
    figure.update_annotations(font={"size": 12}, bgcolor="rgba(0,0,0,0)")
    for number, cut in enumerate(e.slices):
        place = {"row": number // 2 + 1, "col": number % 2 + 1}
        z = np.where(cut.strategies < 0, np.nan, cut.strategies)
        x, y = (names[f] for f in (cut.across, cut.up))
        chart = go.Heatmap(
            z=z,
            x=cut.x,
            y=cut.y,
            coloraxis="coloraxis",
            text=[["" if s < 0 else STRATEGIES[s] for s in row] for row in cut.strategies.tolist()],
            hovertemplate=f"{x} %{{x:.3g}}, {y} %{{y:.3g}}<br><b>%{{text}}</b><extra></extra>",
            hoverongaps=False,
        )
        figure.add_trace(chart, **place)
        figure.update_xaxes(title_text=_feature(e, cut.across), showgrid=False, **place)
        figure.update_yaxes(title_text=_feature(e, cut.up), showgrid=False, **place)
    figure.update_layout(
        title={
            "text": f"{text(e.policy.name)}: which strategy in which situation",
            "subtitle": {
                "text": "two features vary, the others stay as said above each part" if len(names) > 3 else ""
            },
        },
        height=150 + 400 * rows,
        margin={"l": 70, "r": 20, "t": 110, "b": 60},
    )
    return figure


def _feature(e: RulesExplanation, number: int) -> str:
    if number == 0:
        return "SD: slowdown so far"
    if number == 1:
        return "Um: % of the machine in use"
    return f"group {text(e.base.groups[number - 2], 14)}: % of the waiting work"


def _strategy_colours() -> dict[str, Any]:
    """Make the colours of the strategies those of an axis of colours."""
    count = len(STRATEGIES)
    return {
        "cmin": -0.5,
        "cmax": count - 0.5,
        "colorscale": [((k + end) / count, colour) for k, colour in enumerate(STRATEGY_COLOURS) for end in (0, 1)],
        "colorbar": {"tickvals": [*range(count)], "ticktext": [*STRATEGIES], "xpad": 20, "len": 1.0},
    }


def representatives(places: Floats, count: int) -> NDArray[np.int64]:
    """Choose rows that stand for all: the best and worst of every column, then always the one farthest from those.

    Parameters
    ----------
    places
        (p, m), in the scale in which they are drawn; columns are compared in units of their ranges.
    count
        How many rows at most, unless there are more extremes than that.

    Returns
    -------
    (min(p, count),) int64
        Ascending row numbers. The same rows for the same values, whatever the machine.

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
    chosen = list(dict.fromkeys([*unit_places.argmin(axis=0).tolist(), *unit_places.argmax(axis=0).tolist()]))
    nearest = np.full(len(places), np.inf)
    for row in chosen:
        _come_nearer(nearest, unit_places, row)
    while len(chosen) < count:
        chosen.append(int(nearest.argmax()))
        _come_nearer(nearest, unit_places, chosen[-1])
    return np.array(sorted(chosen))


def _come_nearer(nearest: Floats, places: Floats, row: int) -> None:
    away = places - places[row]
    np.minimum(nearest, np.einsum("ij,ij->i", away, away), out=nearest)
    nearest[row] = -1.0  # never again, not even among duplicates


def axis(front: Front, name: str, log: bool) -> Axis:
    """Take one objective of a front for drawing; only response times are ever on a logarithmic axis."""
    column = _column(front, name)
    return _axis(front.objectives[column], front.values[:, column], log, front.workload)


def _axis(objective: Objective, values: Floats, log: bool, workload: str) -> Axis:
    if np.isnan(values).any():
        raise InputError(f"{objective.name} cannot be drawn, because no job of {workload} counts for it")
    return Axis(objective, np.asarray(_drawn(objective, values)), log and objective.unit == "s")


def defined(front: Front) -> tuple[Objective, ...]:
    """List the objectives that every schedule has: those of groups with jobs."""
    return tuple(o for c, o in enumerate(front.objectives) if not np.isnan(front.values[:, c]).any())


def unit(objective: Objective) -> str:
    """Give the unit in which an objective is shown to people.

    Examples
    --------
    >>> unit(Objective("AWRT", "s", False, "average weighted response time"))
    'hours'
    """
    return "hours" if objective.unit == "s" else objective.unit


def mark_style(number: int) -> tuple[str, str]:
    """Give the colour and the symbol of the mark with this number; when all are taken, hollow ones follow.

    Examples
    --------
    >>> mark_style(0), mark_style(7)
    (('#D55E00', 'diamond'), ('#D55E00', 'diamond-open'))
    """
    hue, symbol = MARKS[number % len(MARKS)]
    return hue, symbol if number // len(MARKS) % 2 == 0 else f"{symbol}-open"


def text(name: str, most: int = 40) -> str:
    """Make a name of a log or a user safe for plotly, whose labels are HTML and whose templates know %{...}.

    Examples
    --------
    >>> text("<b>%{x}</b>"), text("a" * 50)
    ('&lt;b&gt;% {x}&lt;/b&gt;', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…')
    """
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    return html.escape(short.replace("%{", "% {"), quote=False)


def template(theme: str = "light") -> dict[str, Any]:
    """Give the look of every figure, "light" or "dark", as a plotly template."""
    ink, quiet, grid, paper = (part[theme] for part in (INK, QUIET, GRID, PAPER))
    scale = SCALE if theme == "light" else (*SCALE[2:], "#fee838")
    line = {"linecolor": grid, "gridcolor": grid, "zeroline": False, "ticks": "outside", "tickcolor": grid}
    words = {"title": {"font": {"size": 13, "color": quiet}, "standoff": 10}, "tickfont": {"size": 12, "color": quiet}}
    outline = {"marker": {"line": {"color": paper}}}
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": ink},
            "title": {
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "pad": {"t": 16},
                "font": {"size": 17},
                "subtitle": {"font": {"size": 13, "color": quiet}},
            },
            "paper_bgcolor": paper,
            "plot_bgcolor": paper,
            "colorway": [SCALE[1] if theme == "light" else "#8fb4e3"],
            "coloraxis": {
                "colorscale": [[i / (len(scale) - 1), c] for i, c in enumerate(scale)],
                "colorbar": {
                    "thickness": 10,
                    "outlinewidth": 0,
                    "title": {"side": "right", "font": {"size": 13, "color": quiet}},
                    "tickfont": {"color": quiet},
                },
            },
            "xaxis": {**line, **words},
            "yaxis": {**line, **words},
            "margin": {"l": 70, "r": 20, "t": 80, "b": 60},
            "showlegend": False,
            "legend": {"x": 1, "xanchor": "right", "y": 1, "yanchor": "top"},
            "hoverlabel": {"font": {"family": FONT, "size": 13}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": quiet, "activecolor": ink},
            "annotationdefaults": {
                "font": {"size": 13, "color": ink},
                "bgcolor": _faint(paper, 0.85),
                "arrowcolor": ink,
                "borderpad": 2,
            },
        },
        "data": {kind: [outline | {"type": kind}] for kind in ("scatter", "scattergl", "splom")},
    }


def _named(objective: Objective) -> str:
    """Name a response time and, unless its name is but a number, its group."""
    group = objective.label.removeprefix("AWRT of group ")
    return objective.name if group.isdigit() or objective.name == "AWRT" else f"{objective.name} {group}"


def _hides(published: float, value: float, span: float, cut: float) -> bool:
    """Tell whether the diamond of a published value would cover the number beside a bar."""
    beyond = (abs(published) - abs(value)) / span
    return published * value > 0 and max(abs(published), abs(value)) <= cut and -0.04 < beyond < LABEL


def _bar_label(value: float, cut: bool) -> str:
    words = f"{round(value, 1) + 0.0:+.1f} %" if round(value, 1) else "0.0 %"
    if not cut:
        return words
    return f"{words} ▸▸" if value > 0 else f"◂◂ {words}"


CLOCK = ((2 * 86400, 86400, "days"), (2 * 3600, 3600, "hours"), (120, 60, "minutes"))


def _clock(span: int) -> tuple[int, str]:
    """Choose the unit of a time axis: seconds in it, and its name."""
    return next(((size, words) for least, size, words in CLOCK if span >= least), (1, "seconds"))


def _length(seconds: int) -> str:
    """Name the length of a bin.

    Examples
    --------
    >>> _length(604800), _length(86400), _length(21600), _length(7)
    ('week', 'day', '6 hours', '7 seconds')
    """
    sizes = ((604800, "week"), (86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))
    size, word = next((size, word) for size, word in sizes if seconds % size == 0)
    count = seconds // size
    return f"{count:,} {word}s" if count > 1 else word


def _faint(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def _column(front: Front, name: str) -> int:
    return _column_of(front.objectives, name)


def _column_of(objectives: Sequence[Objective], name: str) -> int:
    names = [o.name for o in objectives]
    if name not in names:
        raise InputError(f'objective must be one of {", ".join(names)}, but is "{name}"')
    return names.index(name)


def _drawn(objective: Objective, values: Any) -> Any:
    return values / HOUR if objective.unit == "s" else values


def _third(front: Front, x: str, y: str) -> Axis | None:
    # AWRT late: it is a mean of the others and tells the least; last what is the same everywhere, as UTIL often is
    def telling(name: str) -> tuple[bool, bool]:
        column = front.values[:, _column(front, name)]
        return bool(np.ptp(column) <= 1e-3 * np.abs(column).max()), name == "AWRT"

    names = sorted((o.name for o in defined(front) if o.name not in (x, y)), key=telling)
    return axis(front, names[0], False) if names else None


def _legend_below(gap: float) -> dict[str, Any]:
    """Put the legend below the plot, where it hides nothing and has room for as many lines as it needs."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": -gap, "yanchor": "top", "itemsizing": "constant"}
    return {"showlegend": True, "legend": legend}


def _schedules(front: Front, shown: int) -> str:
    count = len(front.values)
    part = "" if shown == count else f"{_count(shown)} of "
    return f"{part}{_count(count)} schedule{'s' if count != 1 else ''} of {text(front.workload)}"


def _count(number: int) -> str:
    return f"{number:,}"


def _size(count: int) -> int:
    return 8 if count <= 200 else 6 if count <= 2_000 else 4 if count <= 10_000 else 3


def _opacity(count: int) -> float:
    return 0.9 if count <= 200 else 0.7 if count <= 2_000 else 0.45


def _colour_bar(third: Axis | None, rows: NDArray[np.int64]) -> dict[str, Any]:
    if third is None:
        return {}
    # a few outliers must not leave all others in one colour
    low, high = np.quantile(third.values[rows] if len(rows) else third.values, (0.02, 0.98))
    title = f"{third.objective.name} ({unit(third.objective)})"
    return {"cmin": float(low), "cmax": float(high), "colorbar": {"title": {"text": title}}}


def _under_the_mouse(front: Front, x: str, y: str) -> NDArray[np.int32]:
    columns = [front.values[:, _column(front, x)], front.values[:, _column(front, y)]]
    return np.column_stack([np.rint(columns).T, np.arange(len(front.values)), front.evaluation]).astype(np.int32)


def _hover(across: Axis, up: Axis) -> str:
    lines = []
    for place, (a, letter) in enumerate(((across, "x"), (up, "y"))):
        seconds = f"{{customdata[{place}]:,.0f}}"
        drawn = f"{a.objective.name} %{{{letter}:,.2f}}"
        lines.append(f"{drawn} h (%{seconds} s)" if a.objective.unit == "s" else f"{drawn} %")
    return "<br>".join(lines)


def _scale(a: Axis, limits: list[float], most: int = 7) -> dict[str, Any]:
    if not a.log:
        return {"type": "linear", "range": limits, "tickformat": ",~g"}
    return _log_axis(limits, most)


def _log_axis(limits: list[float], most: int) -> dict[str, Any]:
    ticks = _log_ticks(limits[0], limits[1], most)
    # the format is for the ticks that plotly finds itself, once a reader has zoomed
    words = [f"{tick:,g}" for tick in ticks]
    how = {"tickmode": "array", "tickvals": ticks, "ticktext": words, "tickformat": ",~g"}
    return {"type": "log", "range": limits, **how}


def extent(places: Floats, marks: Floats) -> tuple[float, float]:
    """Cover the schedules and the marks that lie at most half their extent away from them."""
    low, high = float(places.min()), float(places.max())
    reach = 0.5 * (high - low)
    near = [m for m in marks.tolist() if low - reach <= m <= high + reach]
    return min([low, *near]), max([high, *near])


def _range(a: Axis, marks: Sequence[float]) -> list[float]:
    low, high = extent(a.place(a.values), a.place(np.array(marks, dtype=np.float64)))
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return [low - margin, high + margin]


def _near(a: Axis, focus: Sequence[float], marks: Sequence[float]) -> list[float]:
    """Cover everything that is better than the worst in focus, and half as much of what is worse."""
    sign = -1.0 if a.objective.maximise else 1.0
    places = [sign * a.place(np.array(v, dtype=np.float64)) for v in (focus, marks, a.values)]
    worst, best = float(places[0].max()), min(float(p.min()) for p in places)
    reach = (worst - best) or 0.05 * abs(worst) or 1.0
    low, high = sorted((sign * (best - 0.06 * reach), sign * (worst + 0.5 * reach)))
    return [low, high]


def _seen(across: Axis, up: Axis, x_range: list[float], y_range: list[float]) -> NDArray[np.int64]:
    """Choose rows within the ranges: at most NEARBY of them evenly, and all that are best in the two objectives."""
    x, y = across.place(across.values), up.place(up.values)
    rows = np.flatnonzero((x_range[0] <= x) & (x <= x_range[1]) & (y_range[0] <= y) & (y <= y_range[1]))
    worse = [-v[rows] if a.objective.maximise else v[rows] for a, v in ((across, x), (up, y))]
    order = np.lexsort((worse[1], worse[0]))
    best = order[worse[1][order] <= np.minimum.accumulate(worse[1][order])]
    evenly = np.linspace(0, len(rows) - 1, min(len(rows), NEARBY)).astype(np.int64)
    return rows[np.union1d(evenly, best)]


def _compass(across: Axis, up: Axis) -> str:
    """Say where better is."""
    right, top = across.objective.maximise, up.objective.maximise
    arrow = {(False, False): "↙", (True, False): "↘", (False, True): "↖", (True, True): "↗"}[right, top]
    return f"better: {'right' if right else 'left'} and {'up' if top else 'down'} {arrow}"


_AROUND = [(gap, angle) for gap in (16, 40, 75, 120) for angle in np.arange(0, 2 * np.pi, np.pi / 6)]


def _labels(
    across: Axis,
    up: Axis,
    x_range: list[float],
    y_range: list[float],
    spots: Mapping[str, tuple[float, float]],
    room: tuple[float, float],
) -> list[dict[str, Any]]:
    """Name the marks where their names hide few schedules and no other name."""
    some = slice(None, None, -(-len(across.values) // WEIGHED))
    cloud = _pixels(across.place(across.values[some]), up.place(up.values[some]), x_range, y_range, room)
    places = [(float(across.place(np.array(spot[0]))), float(up.place(np.array(spot[1])))) for spot in spots.values()]
    points = [_pixels(np.array([x]), np.array([y]), x_range, y_range, room)[0] for x, y in places]
    boxes: list[tuple[Floats, Floats]] = []
    labels = []
    for number, (name, spot) in enumerate(spots.items()):
        point = points[number]
        edge = np.clip(point, (6, 6), (room[0] - 6, room[1] - 6))
        beyond = bool((edge != point).any())
        words = text(name)
        if beyond:
            words += f" ({_value(across, spot[0])}, {_value(up, spot[1])})"
        half = np.array([3.6 * len(html.unescape(words)) + 6, 11.0])
        others = [p for k, p in enumerate(points) if k != number]
        around = [(half + gap) * (np.cos(angle), np.sin(angle)) for gap, angle in _AROUND]
        costs = [_cost(edge + o, half, cloud, boxes, others, room) + np.hypot(*(o / 3000)) for o in around]
        offset = around[int(np.argmin(costs))]
        boxes.append((edge + offset, half))
        labels.append(
            {
                "text": words,
                "x": _back(edge[0] / room[0], x_range) if beyond else places[number][0],
                "y": _back(1 - edge[1] / room[1], y_range) if beyond else places[number][1],
                "ax": round(float(offset[0])),
                "ay": round(float(offset[1])),
                "showarrow": True,
                "arrowhead": 2 if beyond else 0,
                "arrowwidth": 1.2,
                "arrowcolor": mark_style(number)[0],
                "bordercolor": mark_style(number)[0],
                "standoff": 0 if beyond else 8,
            }
        )
    return labels


def _value(a: Axis, drawn: float) -> str:
    return f"{drawn:,.1f} h" if a.objective.unit == "s" else f"{drawn:.1f} %"


def _pixels(x: Floats, y: Floats, x_range: list[float], y_range: list[float], room: tuple[float, float]) -> Floats:
    right = (x - x_range[0]) / (x_range[1] - x_range[0]) * room[0]
    down = (y_range[1] - y) / (y_range[1] - y_range[0]) * room[1]
    return np.column_stack([right, down])


def _back(part: float, limits: list[float]) -> float:
    return limits[0] + float(part) * (limits[1] - limits[0])


def _cost(
    centre: Floats,
    half: Floats,
    cloud: Floats,
    boxes: Sequence[tuple[Floats, Floats]],
    marks: Sequence[Floats],
    room: tuple[float, float],
) -> float:
    """Weigh what a label would hide: other names most, then marks, then space beyond the plot, then schedules."""
    over_names = sum(bool((np.abs(centre - c) < half + h + 3).all()) for c, h in boxes)
    over_marks = sum(bool((np.abs(centre - m) < half + 8).all()) for m in marks)
    outside = float(np.maximum(half - centre, 0).sum() + np.maximum(centre + half - room, 0).sum())
    hidden = float((np.abs(cloud - centre) < half).all(axis=1).mean())
    # a few hidden schedules are better than a name far from its mark
    return 100 * over_names + 20 * over_marks + outside + hidden


def _dimension(a: Axis, places: Floats, low: float, high: float) -> dict[str, Any]:
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


def ticks(a: Axis, low: float, high: float) -> list[float]:
    """Give round numbers on an axis between two places of it, as drawn: hours or per cent."""
    return _log_ticks(low, high) if a.log else _linear_ticks(low, high)


def _linear_ticks(low: float, high: float) -> list[float]:
    """Give four to ten round numbers from low to high."""
    size = 10.0 ** np.floor(np.log10(high - low))
    steps = [factor * size for factor in (1, 0.5, 0.2, 0.1)]
    every = [np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step for step in steps]
    return [_round(tick) for tick in next(ticks for ticks in every if len(ticks) >= 4)]


def _log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Give round numbers from 10^low to 10^high, the roundest first chosen, none too near to another.

    Plotly's own either crowd at the upper end of an axis or, over more than a decade, lack labels.
    """
    gap = (high - low) / most
    decades = 10.0 ** np.arange(np.ceil(low), np.floor(high) + 1)
    if len(decades) > 2:
        return [_round(tick) for tick in decades]
    chosen: list[float] = []
    for power in range(int(np.floor(high)), int(np.floor(low)) - 3, -1):
        if len(chosen) >= max(3, most - 2):
            break
        for step in (10.0**power, 5 * 10.0 ** (power - 1), 2 * 10.0 ** (power - 1)):
            first, last = np.ceil(10**low / step), np.floor(10**high / step)
            if last - first > 200:
                continue
            for tick in (np.arange(first, last + 1) * step).tolist():
                if tick > 0 and all(abs(np.log10(tick / other)) >= gap for other in chosen):
                    chosen.append(tick)
    return sorted(_round(tick) for tick in chosen)


def _round(tick: float) -> float:
    return float(f"{tick:.10g}")


def _tints() -> list[list[Any]]:
    """Make a colour scale whose lower part colours schedules and whose upper part has one step a mark."""
    soft = ("#3b5b92", "#5b7396", "#7c8a94", "#9c9c84", "#bcae70")
    scale: list[list[Any]] = [[0.6 * i / (len(soft) - 1), colour] for i, colour in enumerate(soft)]
    for number, (colour, _) in enumerate(MARKS):
        scale += [[0.65 + 0.3 * (number + k) / len(MARKS), colour] for k in (0.05, 0.95)]
    return [*scale, [1.0, MARKS[-1][0]]]
