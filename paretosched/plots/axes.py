"""Axes, ticks and labels of figures."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError
from ..simulation.objective import Objective
from .style import HOUR, column_of, mark_style, text

if TYPE_CHECKING:
    from ..fronts.front import Front

NEARBY = 4_000  # most schedules drawn around the marks in focus
WEIGHED = 20_000  # most schedules that decide where names are written


class Axis(NamedTuple):
    """One objective as an axis of a figure.

    Attributes
    ----------
    objective
        The objective.
    values
        (p,) values in the unit of the axis: per cent or hours.
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
        parts = [o.name, text(o.label.removeprefix("AWRT of "))]
        return " · ".join(parts) + (f" ({unit(o)})" if o.unit else "")

    def place(self, values: Floats) -> Floats:
        """Return drawn values on the scale of the axis: their logarithm, if it is logarithmic."""
        with np.errstate(divide="ignore"):  # the best that is possible may be a wait of 0
            places: Floats = np.log10(values) if self.log else values
        return places


def mark_places(front: Front, across: Axis, up: Axis, marks: Mapping[str, Floats]) -> dict[str, tuple[float, float]]:
    """Return the places of marks, in drawn units."""
    columns = [(a.objective, column_in(front, a.objective.name)) for a in (across, up)]
    return {
        name: (
            to_drawn(columns[0][0], vector[columns[0][1]]),
            to_drawn(columns[1][0], vector[columns[1][1]]),
        )
        for name, vector in marks.items()
    }


def axis_ranges(
    across: Axis, up: Axis, spots: Mapping[str, tuple[float, float]], focus: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Return the ranges of both axes, [low, high] each, as plotly has them: logarithms on a logarithmic axis."""
    sides = [[spot[side] for spot in spots.values()] for side in (0, 1)]
    if not focus:
        return axis_range(across, sides[0]), axis_range(up, sides[1])
    in_focus = [[spots[name][side] for name in focus] for side in (0, 1)]
    return _near(across, in_focus[0], sides[0]), _near(up, in_focus[1], sides[1])


def axis(front: Front, name: str, log: bool) -> Axis:
    """Return one objective of a front as an axis; only axes of response times can be logarithmic."""
    column = column_in(front, name)
    return axis_of_values(front.objectives[column], front.values[:, column], log, front.workload)


def axis_of_values(objective: Objective, values: Floats, log: bool, workload: str) -> Axis:
    """Return values in natural units as an axis; raise InputError if they are undefined."""
    if np.isnan(values).any():
        raise InputError(f"{objective.name} cannot be drawn, because no job of {workload} counts for it")
    return Axis(
        objective, np.asarray(to_drawn(objective, values)), log and objective.unit == "s" and bool(np.all(values > 0))
    )


def unit(objective: Objective) -> str:
    """Return the unit in which an objective is shown to people.

    Examples
    --------
    >>> unit(Objective("AWRT", "s", False, "average weighted response time"))
    'hours'
    """
    return "hours" if objective.unit == "s" else objective.unit


def column_in(front: Front, name: str) -> int:
    """Return the column of an objective in a front; raise InputError if the front does not have it."""
    return column_of(front.objectives, name)


def to_drawn(objective: Objective, values: Any) -> Any:
    """Return values in the unit in which they are drawn: seconds become hours."""
    return values / HOUR if objective.unit == "s" else values


def third_axis(front: Front, x: str, y: str) -> Axis | None:
    """Return the objective that colours a figure of two others: the first one with different values, or None."""

    # AWRT comes late, because it is a mean of the others; objectives that hardly vary, as UTIL often, come last
    def order(name: str) -> tuple[bool, bool]:
        column = front.values[:, column_in(front, name)]
        return bool(np.ptp(column) <= 1e-3 * np.abs(column).max()), name == "AWRT"

    names = sorted((o.name for o in front.defined_objectives if o.name not in (x, y)), key=order)
    return axis(front, names[0], False) if names else None


def with_thousands(number: int) -> str:
    """Return a number of schedules with its thousands set apart."""
    return f"{number:,}"


def cloud_opacity(count: int) -> float:
    """Return how opaque the points of a cloud are: the more there are, the less."""
    return 0.9 if count <= 200 else 0.7 if count <= 2_000 else 0.45


def colour_bar(third: Axis | None, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Return the ends and the title of the colours for the third objective."""
    if third is None:
        return {}
    # a few outliers must not leave all others in one colour
    low, high = np.quantile(third.values[rows] if len(rows) else third.values, (0.02, 0.98))
    title = f"{third.objective.name} ({unit(third.objective)})"
    return {"cmin": float(low), "cmax": float(high), "colorbar": {"title": {"text": title}}}


def hover_text(across: Axis, up: Axis) -> str:
    """Return the text beside the mouse, as a template of plotly: drawn values, and seconds."""
    lines = []
    for place, (a, letter) in enumerate(((across, "x"), (up, "y"))):
        seconds = f"{{customdata[{place}]:,.0f}}"
        line = f"{a.objective.name} %{{{letter}:,.2f}}"
        lines.append(f"{line} h (%{seconds} s)" if a.objective.unit == "s" else f"{line} %")
    return "<br>".join(lines)


def axis_scale(a: Axis, limits: list[float], most: int = 7) -> dict[str, Any]:
    """Return the type, the range and the ticks of an axis for plotly."""
    if not a.log:
        return {"type": "linear", "range": limits, "tickformat": ",~g"}
    return log_axis(limits, most)


def log_axis(limits: list[float], most: int) -> dict[str, Any]:
    """Return a logarithmic axis with round ticks, for plotly."""
    ticks = log_ticks(limits[0], limits[1], most)
    words = [f"{tick:,g}" for tick in ticks]
    # the format is for plotly's own ticks, after a reader has zoomed
    layout = {"tickmode": "array", "tickvals": ticks, "ticktext": words, "tickformat": ",~g"}
    return {"type": "log", "range": limits, **layout}


def extent(places: Floats, marks: Floats) -> tuple[float, float]:
    """Return the ends of a range with all schedules, and with the marks at most half a range away from them."""
    low, high = float(places.min()), float(places.max())
    reach = 0.5 * (high - low)
    near = [m for m in marks.tolist() if low - reach <= m <= high + reach]
    return min([low, *near]), max([high, *near])


def axis_range(a: Axis, marks: Sequence[float]) -> list[float]:
    """Return the range of an axis, [low, high], with all schedules and the marks near to them."""
    low, high = extent(a.place(a.values), a.place(np.array(marks, dtype=np.float64)))
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    return [low - margin, high + margin]


def _near(a: Axis, focus: Sequence[float], marks: Sequence[float]) -> list[float]:
    """Return the range of an axis, [low, high]: all better than the worst mark in focus, and half as much worse."""
    sign = -1.0 if a.objective.maximise else 1.0
    places = [sign * a.place(np.array(v, dtype=np.float64)) for v in (focus, marks, a.values)]
    worst, best = float(places[0].max()), min(float(p.min()) for p in places)
    reach = (worst - best) or 0.05 * abs(worst) or 1.0
    low, high = sorted((sign * (best - 0.06 * reach), sign * (worst + 0.5 * reach)))
    return [low, high]


def rows_seen(across: Axis, up: Axis, x_range: list[float], y_range: list[float]) -> NDArray[np.int64]:
    """Return rows within the ranges, int64: NEARBY of them, evenly spread, and all that are best in both objectives."""
    x, y = across.place(across.values), up.place(up.values)
    rows = np.flatnonzero((x_range[0] <= x) & (x <= x_range[1]) & (y_range[0] <= y) & (y <= y_range[1]))
    worse = [-v[rows] if a.objective.maximise else v[rows] for a, v in ((across, x), (up, y))]
    order = np.lexsort((worse[1], worse[0]))
    best = order[worse[1][order] <= np.minimum.accumulate(worse[1][order])]
    evenly = np.linspace(0, len(rows) - 1, min(len(rows), NEARBY)).astype(np.int64)
    return rows[np.union1d(evenly, best)]


_AROUND = [(gap, angle) for gap in (16, 40, 75, 120) for angle in np.arange(0, 2 * np.pi, np.pi / 6)]


def name_labels(
    across: Axis,
    up: Axis,
    x_range: list[float],
    y_range: list[float],
    spots: Mapping[str, tuple[float, float]],
    room: tuple[float, float],
) -> list[dict[str, Any]]:
    """Return the names of marks as annotations of plotly, placed where they hide few schedules and no other name."""
    sample = slice(None, None, -(-len(across.values) // WEIGHED))
    cloud = _pixels(across.place(across.values[sample]), up.place(up.values[sample]), x_range, y_range, room)
    places = [(float(across.place(np.array(spot[0]))), float(up.place(np.array(spot[1])))) for spot in spots.values()]
    points = [_pixels(np.array([x]), np.array([y]), x_range, y_range, room)[0] for x, y in places]
    boxes: list[tuple[Floats, Floats]] = []
    labels: list[dict[str, Any]] = [{} for _ in spots]
    # long names first, because they have the least choice; a name beyond the plot is followed by its values
    inside = [bool((p == np.clip(p, (6, 6), (room[0] - 6, room[1] - 6))).all()) for p in points]
    numbered = sorted(enumerate(spots.items()), key=lambda entry: (inside[entry[0]], -len(entry[1][0])))
    for number, (name, spot) in numbered:
        point = points[number]
        edge = np.clip(point, (6, 6), (room[0] - 6, room[1] - 6))
        beyond = not inside[number]
        words = text(name)
        if beyond:
            words += f" ({_value(across, spot[0])}, {_value(up, spot[1])})"
        half = np.array([3.6 * len(html.unescape(words)) + 6, 11.0])
        others = [p for k, p in enumerate(points) if k != number]
        around = [(half + gap) * (np.cos(angle), np.sin(angle)) for gap, angle in _AROUND]
        inner = np.minimum(half, np.array(room) / 2)  # a name is moved into the plot, unless it then hides its own mark
        moved = [np.clip(edge + o, inner, room - inner) - edge for o in around]
        around += [o for o in moved if (np.abs(o) >= half + 3).any()]
        costs = [_cost(edge + o, half, cloud, boxes, others, room) + np.hypot(*(o / 3000)) for o in around]
        offset = around[int(np.argmin(costs))]
        boxes.append((edge + offset, half))
        labels[number] = {
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
    return labels


def _value(a: Axis, number: float) -> str:
    return f"{number:,.1f} h" if a.objective.unit == "s" else f"{number:.1f} %"


def _pixels(x: Floats, y: Floats, x_range: list[float], y_range: list[float], room: tuple[float, float]) -> Floats:
    """Return the pixels of points, (k, 2), from the upper left corner of the plot."""
    right = (x - x_range[0]) / (x_range[1] - x_range[0]) * room[0]
    down = (y_range[1] - y) / (y_range[1] - y_range[0]) * room[1]
    return np.column_stack([right, down])


def _back(part: float, limits: list[float]) -> float:
    """Return the place on an axis at a part of its length."""
    return limits[0] + float(part) * (limits[1] - limits[0])


def _cost(
    centre: Floats,
    half: Floats,
    cloud: Floats,
    boxes: Sequence[tuple[Floats, Floats]],
    marks: Sequence[Floats],
    room: tuple[float, float],
) -> float:
    """Return the cost of a place for a label by what it hides: most for names, then marks, the edge, and schedules."""
    over_names = sum(bool((np.abs(centre - c) < half + h + 3).all()) for c, h in boxes)
    over_marks = sum(bool((np.abs(centre - m) < half + 8).all()) for m in marks)
    outside = float(np.maximum(half - centre, 0).sum() + np.maximum(centre + half - room, 0).sum())
    share = float((np.abs(cloud - centre) < half).all(axis=1).mean())
    # a few hidden schedules are better than a name far from its mark
    return 100 * over_names + 20 * over_marks + outside + share


def ticks(a: Axis, low: float, high: float) -> list[float]:
    """Return round numbers between two places on an axis, in hours or per cent."""
    return log_ticks(low, high) if a.log else linear_ticks(low, high)


def linear_ticks(low: float, high: float) -> list[float]:
    """Return four to ten round numbers from low to high."""
    size = 10.0 ** np.floor(np.log10(high - low))
    steps = [factor * size for factor in (1, 0.5, 0.2, 0.1)]
    candidates = [np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step for step in steps]
    return [_round(tick) for tick in next(ticks for ticks in candidates if len(ticks) >= 4)]


def log_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Return round numbers from 10^low to 10^high, ascending, none too near to another; rounder ones are preferred.

    The ticks of plotly are crowded at the upper end of an axis or, over more than a decade, without labels.
    """
    gap = (high - low) / most
    decades = 10.0 ** np.arange(np.ceil(low), np.floor(high) + 1)
    if len(decades) > 2:
        return [_round(tick) for tick in decades]
    round_numbers: list[float] = []
    for power in range(int(np.floor(high)), int(np.floor(low)) - 3, -1):
        if len(round_numbers) >= max(3, most - 2):
            break
        for step in (10.0**power, 5 * 10.0 ** (power - 1), 2 * 10.0 ** (power - 1)):
            first, last = np.ceil(10**low / step), np.floor(10**high / step)
            if last - first > 200:
                continue
            for tick in (np.arange(first, last + 1) * step).tolist():
                if tick > 0 and all(abs(np.log10(tick / other)) >= gap for other in round_numbers):
                    round_numbers.append(tick)
    return sorted(_round(tick) for tick in round_numbers)


def _round(tick: float) -> float:
    return float(f"{tick:.10g}")
