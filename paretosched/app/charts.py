"""The page's charts: axes for the clouds that the browser draws, and figures for everything else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..comparison.comparison import BEST, IDEAL
from ..core.arrays import Floats
from ..fronts.front import Front
from ..plots.axes import axis, unit
from ..plots.fronts import plane
from ..plots.outer_lines import Outer, outer_line
from ..plots.style import HOUR, mark_style, template, text
from ..report.html_page import PICKS as PICK_COLOURS
from ..report.svg import brief
from ..simulation.objective import Objective, improvement, is_of_group
from ..wishes.wish import Wish

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


IDEALS = ("#E69F00", "star")  # colour and symbol of the ideal point, or of the best of each objective
LETTERS = "ABCDEFGHIJKL"  # names of the schedules on the shortlist
SMALLEST = (306.0, 210.0)  # pixels of a projection on a page of 1280 x 800
SHORT_TITLES = {  # of axes whose full titles are longer than a small chart
    "UTIL": "UTIL · from first submission (%)",
    "AWRT": "AWRT · all jobs (hours)",
}
MARGIN = {"l": 68, "r": 14, "t": 10, "b": 46}
CHOSEN, ASPIRED, ON_THE_WAY = "#d6006c", "#0072B2", "#7b8794"  # no mark has the colour of the chosen schedule
PICK_LOOKS = len(PICK_COLOURS)
PICK_DASHES = 4  # of their lines: with the colours twelve looks


def look_of(letter: str) -> int:
    """Return the number of the colour of a schedule on the shortlist, by its letter."""
    return LETTERS.index(letter) % PICK_LOOKS


def dash_of(letter: str) -> int:
    """Return the number of the dashes of its line; schedules of one colour have others."""
    return LETTERS.index(letter) % PICK_DASHES


class Course(NamedTuple):
    """The best schedules of a training, one after the other: the name of the training, and (k, m) objective values."""

    name: str
    values: Floats


def empty(
    front: Front, x: str, y: str, marks: Mapping[str, Floats], *, log: bool, outer: Outer | None = None
) -> dict[str, Any]:
    """Return a projection of two objectives with axes and named marks only; a figure as plain values.

    Parameters
    ----------
    front, x, y, marks, log
        As for `figures.plane`.
    outer
        Lines that no schedule is below, as `outer_front` returns them.
    """
    figure = plane(front, x, y, marks, log=log, room=SMALLEST)
    figure.update_layout(
        margin=MARGIN,
        dragmode=False,
        uirevision=f"{x} {y} {figure.layout.xaxis.range} {figure.layout.yaxis.range}",
        title=None,
    )
    for update, name in ((figure.update_xaxes, x), (figure.update_yaxes, y)):
        update(title_standoff=4)
        if name in SHORT_TITLES:
            update(title_text=SHORT_TITLES[name])
    for trace, note, (hue, symbol) in zip(
        figure.data, figure.layout.annotations, mark_styles(marks).values(), strict=True
    ):
        trace.marker.update(color=hue, symbol=symbol)
        note.update(arrowcolor=hue, bordercolor=hue)
    ends = [list(limits) for limits in (figure.layout.xaxis.range, figure.layout.yaxis.range)]
    line = outer_line(outer or {}, axis(front, x, log), axis(front, y, log), *ends)
    if line:
        figure.add_scatter(**line, showlegend=False)
    plain_figure: dict[str, Any] = json.loads(figure.to_json())
    return plain_figure


def mark_styles(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return a colour and a symbol for every mark. A mark keeps them when others are added; none has the ideal's star.

    Examples
    --------
    >>> mark_styles(["EASY", "ideal point"])
    {'EASY': ('#D55E00', 'diamond'), 'ideal point': ('#E69F00', 'star')}
    """
    names = list(names)
    others = (style for style in map(mark_style, count()) if style[1] != IDEALS[1])
    return {name: IDEALS if name in (IDEAL, BEST) else next(others) for name in names}


def projection(
    base: Mapping[str, Any],
    front: Front,
    x: str,
    y: str,
    *,
    wish: Wish | None = None,
    chosen: int | None = None,
    picks: Mapping[str, Sequence[float]] | None = None,
    suggested: Sequence[int] = (),
    courses: Sequence[Course] = (),
) -> dict[str, Any]:
    """Return a projection with the owner's wish and choices; the browser draws the schedules beneath it.

    Parameters
    ----------
    base
        The figure of `empty` for these objectives; it is not changed.
    front, x, y
        The front, and the names of the objectives.
    wish
        Its limits become lines, its reference point dotted lines.
    chosen, suggested
        Rows that are marked: by a ring, and by small rings.
    picks
        Objective values by letter, (m,) natural units each: they are marked by the letters.
    courses
        Courses of trainings, drawn as lines.
    """
    columns = [[o.name for o in front.objectives].index(name) for name in (x, y)]
    factors = [_factor(front.objectives[c]) for c in columns]

    def trace(values: Floats, name: str, mode: str, **look: Any) -> dict[str, Any]:
        across, up = ((values[:, c] * f).tolist() for c, f in zip(columns, factors, strict=True))
        return {"type": "scatter", "x": across, "y": up, "name": text(name), "mode": mode, "hoverinfo": "skip", **look}

    traces = list(base["data"])
    for course in courses:
        look = {"line": {"color": ON_THE_WAY, "width": 2}, "marker": {"size": 5, "color": ON_THE_WAY}}
        traces.append(trace(course.values, course.name, "lines+markers", **look))
    ring = {"symbol": "circle-open", "color": CHOSEN, "line": {"width": 3}}
    if suggested:
        traces.append(trace(front.values[list(suggested)], "suggested", "markers", marker=ring | {"size": 12}))
    if chosen is not None:
        here = front.values[[chosen]]
        is_picked = any(np.array_equal(here[0], values, equal_nan=True) for values in (picks or {}).values())
        traces.append(trace(here, "chosen", "markers", marker=ring | {"size": 25 if is_picked else 18}))
    if picks:
        colours = [PICK_COLOURS[look_of(letter)] for letter in picks]
        marker = {"size": 19, "color": colours, "line": {"width": 1.5, "color": "#ffffff"}}
        letters = {"text": list(picks), "textfont": {"size": 12, "color": "#ffffff"}}
        traces.append(trace(np.array(list(picks.values())), "shortlist", "markers+text", marker=marker, **letters))
    return {"data": traces, "layout": {**base["layout"], "shapes": _wish_lines(wish, (x, y), factors)}}


def _wish_lines(wish: Wish | None, names: tuple[str, str], factors: Sequence[float]) -> list[dict[str, Any]]:
    """Return the lines of a wish in a projection: its limits and its point in these two objectives."""
    if wish is None:
        return []
    shapes: list[dict[str, Any]] = []
    line = {"color": ASPIRED, "width": 1.5}
    for limit in wish.limits:
        if limit.objective in names:
            place = names.index(limit.objective)
            ends = [end for end in (limit.low, limit.high) if 0 < end < np.inf]
            shapes += [_line(place, end * factors[place], line) for end in ends]
    for name, value in wish.near:
        if name in names:
            place = names.index(name)
            shapes.append(_line(place, value * factors[place], line | {"dash": "dot", "width": 2}))
    return shapes


def _line(place: int, value: float, line: Mapping[str, Any]) -> dict[str, Any]:
    along, across = ("x", "y") if place == 0 else ("y", "x")
    return {
        "type": "line", f"{along}0": value, f"{along}1": value, f"{across}0": 0, f"{across}1": 1,
        f"{across}ref": f"{across} domain", "line": dict(line),
    }  # fmt: skip


def differences(
    objectives: Sequence[Objective],
    reference: tuple[str, Floats],
    others: Mapping[str, Floats],
    hues: Mapping[str, str],
) -> Figure:
    """Return bars of the difference to a reference in every objective, in per cent; longer to the right is better.

    `hues` are the colours of the others, as everywhere on the page; those that are alike have other patterns.
    """
    from plotly import graph_objects as go

    figure = go.Figure(layout={"template": template()})
    sign = np.array([-1.0 if o.maximise else 1.0 for o in objectives])
    with_value = ~np.isnan(reference[1])
    seen: Counter[str] = Counter()
    for name, values in others.items():
        gains = (sign * improvement(values, reference[1]))[with_value]
        hue, pattern = hues[name], ("", "/", "x", ".")[seen[hues[name]] % 4]
        seen[hue] += 1
        figure.add_trace(
            go.Bar(
                y=[o.name for o, has_value in zip(objectives, with_value, strict=True) if has_value],
                x=gains,
                orientation="h",
                name=text(name),
                marker={"color": hue, "pattern": {"shape": pattern}},
                hovertemplate=f"<b>{text(name)}</b> %{{y}}: %{{x:+.1f}} % better<extra></extra>",
            )
        )
    figure.update_layout(
        margin={"l": 62, "r": 14, "t": 8, "b": 44},
        # high enough to tell every bar from the next one, and for the legend
        height=110 + int(with_value.sum()) * max(20, 8 * len(others) + 8) + 20 * -(-len(others) // 3),
        barmode="group",
        bargap=0.25,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
    )
    figure.update_xaxes(title_text=f"better than {text(reference[0])} by %", zeroline=True, zerolinewidth=1.5)
    figure.update_yaxes(autorange="reversed")
    return figure


def part(front: Front, among: NDArray[np.bool_]) -> Front:
    """Return the front with some of its rows only, at least one; `among` is (p,) bool."""
    rows = {key: getattr(front, key)[among] for key in ("values", "genomes", "origin", "evaluation")}
    return replace(front, **rows)


def in_words(front: Front, ideal: Floats | None = None) -> list[str]:
    """Return what is possible, in sentences for a reader who does not know the names of the objectives.

    Response times reach from submission to completion; "waits" would leave out the run time. No schedule is better
    than `ideal`, (m,) natural units.
    """
    ranges, groups = {}, []
    for objective, column in zip(front.objectives, front.values.T, strict=True):
        if objective in front.defined_objectives:
            low, high = (_short(float(f(column)) * _factor(objective)) for f in (np.min, np.max))
            ranges[objective.name] = low if low == high else f"{low}–{high}"
            if is_of_group(objective.name):
                groups.append(f"{brief(objective, 40)}: {ranges[objective.name]}")
    words = [f"With the schedules shown here the machine is {ranges['UTIL']} % busy."]
    by_group = f" ({', '.join(groups)})" if groups else ""
    mean = "Weighted by what jobs take of the machine, so that large jobs count most (AWRT), a job is done"
    words += [f"{mean} {ranges['AWRT']} hours after its submission{by_group}."]
    if ideal is not None:
        words.append(f"No schedule at all takes less than {_short(float(ideal[1]) / HOUR)} hours.")
    return words


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def value_text(objective: Objective, value: float) -> str:
    """Return a value as text, as the command line writes it: hours or per cent, two decimals.

    Examples
    --------
    >>> value_text(Objective("AWRT", "s", False, "average weighted response time"), 7200)
    '2.00'
    """
    return "–" if np.isnan(value) else f"{value * _factor(objective):,.2f}"


def unit_of(objective: Objective) -> str:
    """Return the short unit of the text of `value_text`."""
    return "h" if unit(objective) == "hours" else unit(objective)


def _factor(objective: Objective) -> float:
    """Return the factor from natural units to hours or per cent."""
    return 1 / HOUR if objective.unit == "s" else 1.0
