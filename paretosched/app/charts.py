"""What the page's charts are made of: axes for the clouds that the browser draws, and figures for everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..choice import Wish
from ..compare import improvement
from ..figures import HOUR, SETS, axis, defined, extent, plane, template, text, ticks, unit
from ..front import Front
from ..objectives import Objective

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Floats = NDArray[np.float64]

LETTERS = "ABCDEFGHIJKL"  # of the shortlist
MARGIN = {"l": 62, "r": 14, "t": 10, "b": 46}
CHOSEN, ASPIRED, ALLOWED = "#D55E00", "#0072B2", "rgba(0, 114, 178, 0.07)"


class Course(NamedTuple):
    """The best schedules that a training had found, one after the other: its name, and (k, m) objective values."""

    name: str
    values: Floats


def axes(front: Front, marks: Mapping[str, Floats]) -> list[dict[str, Any]]:
    """Say how each objective is drawn in parallel coordinates, better upwards; plain values.

    The keys are "name", "column" in the front, "label", "unit", "maximise", "factor" from natural units to what is
    drawn, "log", the places of the worst "low" and the best "high" end, and "ticks" of place and text.
    """
    shown = []
    for column, objective in enumerate(front.objectives):
        if objective not in defined(front):
            continue
        a = axis(front, objective.name, not objective.maximise)
        low, high = extent(
            a.place(a.values), a.place(np.array([v[column] for v in marks.values()]) * _factor(objective))
        )
        if low == high:
            low, high = low - 0.5, high + 0.5
        shown.append(
            {
                "name": objective.name,
                "column": column,
                "label": objective.label.removeprefix("AWRT of "),
                "unit": "h" if objective.unit == "s" else objective.unit,
                "maximise": objective.maximise,
                "factor": _factor(objective),
                "log": a.log,
                "low": low if objective.maximise else high,
                "high": high if objective.maximise else low,
                "ticks": [[float(a.place(np.array(tick))), f"{tick:,g}"] for tick in ticks(a, low, high)],
            }
        )
    return shown


def projection(
    front: Front,
    x: str,
    y: str,
    marks: Mapping[str, Floats],
    *,
    log: bool,
    wish: Wish | None = None,
    chosen: int | None = None,
    picks: Sequence[int] = (),
    suggested: Sequence[int] = (),
    courses: Sequence[Course] = (),
) -> Figure:
    """Draw two objectives: axes, marks, and what the owner said and chose; the schedules are drawn beneath it.

    Parameters
    ----------
    front, x, y, marks, log
        As for `figures.plane`.
    wish
        Its limits are a rectangle, its point a cross.
    chosen, picks, suggested
        Rows that are marked: by a ring, by letters, and by small rings.
    courses
        Courses of trainings, drawn as lines.
    """
    from plotly import graph_objects as go

    figure = plane(front, x, y, marks, log=log)
    columns = [[o.name for o in front.objectives].index(name) for name in (x, y)]
    factors = [_factor(front.objectives[c]) for c in columns]

    def drawn(values: Floats) -> tuple[Floats, Floats]:
        return values[:, columns[0]] * factors[0], values[:, columns[1]] * factors[1]

    for number, course in enumerate(courses):
        across, up = drawn(course.values)
        hue = SETS[(number + 2) % len(SETS)][0]
        figure.add_trace(
            go.Scatter(
                x=across, y=up, mode="lines+markers", name=text(course.name), line={"color": hue, "width": 2},
                marker={"size": 5, "color": hue}, hoverinfo="skip",
            )
        )  # fmt: skip
    for rows, name, size, hue in ((suggested, "suggested", 12, CHOSEN), ((chosen,), "chosen", 18, CHOSEN)):
        if rows and rows[0] is not None:
            across, up = drawn(front.values[list(rows)])
            marker = {"size": size, "symbol": "circle-open", "color": hue, "line": {"width": 3}}
            figure.add_trace(go.Scatter(x=across, y=up, mode="markers", name=name, marker=marker, hoverinfo="skip"))
    if picks:
        across, up = drawn(front.values[list(picks)])
        figure.add_trace(
            go.Scatter(
                x=across, y=up, mode="markers+text", name="shortlist", text=list(LETTERS[: len(picks)]),
                textfont={"size": 12, "color": "#ffffff"}, hoverinfo="skip",
                marker={"size": 19, "color": "#1f2933", "line": {"width": 1.5, "color": "#ffffff"}},
            )
        )  # fmt: skip
    figure.update_layout(
        margin=MARGIN, dragmode=False, shapes=_said(wish, (x, y), factors), uirevision=f"{x} {y} {log}", title=None
    )
    figure.update_xaxes(title_standoff=4)
    figure.update_yaxes(title_standoff=4)
    return figure


def _said(wish: Wish | None, names: tuple[str, str], factors: Sequence[float]) -> list[dict[str, Any]]:
    """Draw what a wish says of two objectives."""
    if wish is None:
        return []
    shapes: list[dict[str, Any]] = []
    line = {"color": ASPIRED, "width": 1.5}
    for limit in wish.limits:
        if limit.objective in names:
            place = names.index(limit.objective)
            for end in (limit.low, limit.high):
                if 0 < end < np.inf:
                    shapes.append(_line(place, end * factors[place], line))
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


def differences(objectives: Sequence[Objective], reference: tuple[str, Floats], others: Mapping[str, Floats]) -> Figure:
    """Draw how schedules differ from a reference in every objective, in per cent; longer to the right is better."""
    from plotly import graph_objects as go

    figure = go.Figure(layout={"template": template()})
    sign = np.array([-1.0 if o.maximise else 1.0 for o in objectives])
    kept = ~np.isnan(reference[1])
    for number, (name, values) in enumerate(others.items()):
        gains = (sign * improvement(values, reference[1]))[kept]
        hue = SETS[number % len(SETS)][0]
        figure.add_trace(
            go.Bar(
                y=[o.name for o, keep in zip(objectives, kept, strict=True) if keep],
                x=gains,
                orientation="h",
                name=text(name),
                marker={"color": hue, "pattern": {"shape": ("", "/", "x", ".")[number // len(SETS) % 4]}},
                hovertemplate=f"<b>{text(name)}</b> %{{y}}: %{{x:+.1f}} % better<extra></extra>",
            )
        )
    figure.update_layout(
        margin={"l": 62, "r": 14, "t": 8, "b": 44},
        height=150 + 20 * int(kept.sum()) + 26 * len(others),
        barmode="group",
        bargap=0.25,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
    )
    figure.update_xaxes(title_text=f"better than {text(reference[0])} by %", zeroline=True, zerolinewidth=1.5)
    figure.update_yaxes(autorange="reversed")
    return figure


def in_words(front: Front) -> list[str]:
    """Say what is possible: the ranges of the objectives, for somebody who does not know their names."""
    words = []
    for objective, column in zip(front.objectives, front.values.T, strict=True):
        if np.isnan(column).any():
            continue
        low, high = (float(f(column)) * _factor(objective) for f in (np.min, np.max))
        between = f"{low:,.2f}" if f"{low:,.2f}" == f"{high:,.2f}" else f"{low:,.2f} to {high:,.2f}"
        if objective.name == "UTIL":
            words.append(f"The machine is used by {between} %.")
        elif objective.name == "AWRT":
            words.append(f"On average, a job is back {between} hours after its submission")
        else:
            words.append(f"{objective.label.removeprefix('AWRT of ')}: {between} h")
    return words


def shown(objective: Objective, value: float) -> str:
    """Write a value for people, as the command line does: hours or per cent, two decimals.

    Examples
    --------
    >>> shown(Objective("AWRT", "s", False, "average weighted response time"), 7200)
    '2.00'
    """
    return "–" if np.isnan(value) else f"{value * _factor(objective):,.2f}"


def unit_of(objective: Objective) -> str:
    """Give the short unit of what `shown` writes."""
    return "h" if unit(objective) == "hours" else unit(objective)


def _factor(objective: Objective) -> float:
    return 1 / HOUR if objective.unit == "s" else 1.0
