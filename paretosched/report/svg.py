"""Drawings for reports as SVG text, without a library: a page with them is small, and prints."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..comparison.waits_table import people
from ..core.arrays import Floats
from ..fronts.front import Front
from ..plots.axes import axis, extent, ticks, to_drawn
from ..simulation.objective import Objective, is_of_group
from ..workload.measures import is_measure, measure_of

WIDTH, HEIGHT, TOP, SIDE, BOTTOM = 1120, 330, 46, 70, 14  # pixels
MOST_FAINT = 250  # schedules that are drawn as faint lines; more would be no clearer


class Drawn(NamedTuple):
    """A line across the axes: its name, its values in natural units, (m,), and the class that gives it its look."""

    name: str
    values: Sequence[float]
    look: str


def axes(front: Front, marks: Mapping[str, Floats]) -> list[dict[str, Any]]:
    """Return how each objective is drawn in parallel coordinates, better upwards; plain values.

    The keys are "name", "title" and "label" (what it is, and of whom), "column" in the front, "unit", "maximise",
    "factor" from natural units to drawn values, "log", the places of the worst "low" and the best "high" end, and
    "ticks" of place and text.
    """
    descriptions = []
    who = people(front.groups)
    for column, objective in enumerate(front.objectives):
        if objective not in front.defined_objectives:
            continue
        a = axis(front, objective.name, not objective.maximise)
        factor = float(to_drawn(objective, 1.0))
        low, high = extent(a.place(a.values), a.place(np.array([v[column] for v in marks.values()]) * factor))
        if low == high:
            low, high = low - 0.5, high + 0.5
        descriptions.append(
            {
                "name": objective.name,
                **_in_two_lines(objective, who),
                "column": column,
                "unit": "h" if objective.unit == "s" else objective.unit,
                "maximise": objective.maximise,
                "factor": factor,
                "log": a.log,
                "low": low if objective.maximise else high,
                "high": high if objective.maximise else low,
                "ticks": [[float(a.place(np.array(tick))), f"{tick:,g}"] for tick in ticks(a, low, high)],
            }
        )
    return descriptions


def _in_two_lines(objective: Objective, who: Sequence[str]) -> dict[str, str]:
    """Return the "title" of an objective, and in "label" of whom it is: `who` is in each group, in words."""
    if is_of_group(objective.name):
        whose = who[int(objective.name.removeprefix("AWRT")) - 1]
        return {
            "title": objective.name,
            "label": whose.partition(" (group")[0] if " (group" in whose else brief(objective),
        }
    if not is_measure(objective.name):
        return {"title": objective.name, "label": brief(objective)}
    whose = measure_of(objective.name).of
    return {"title": objective.name.removesuffix(f" of {whose}"), "label": whose or "all jobs"}


def brief(objective: Objective, most: int = 18) -> str:
    """Return the group of a response time, shortened to `most` letters: owners may give groups long names.

    The name of a measure says it all: then it is "".
    """
    if is_measure(objective.name):
        return ""
    words = objective.label.removeprefix("AWRT of ")
    return words if len(words) <= most else f"{words[: most - 1]}…"


def parallel(described: Sequence[Mapping[str, Any]], lines: Sequence[Drawn], schedules: Floats, title: str) -> str:
    """Return parallel coordinates as SVG: an axis for each objective, better upwards, and a line for each schedule.

    Parameters
    ----------
    described
        As `axes` describes them, with "title", "label", "unit", "column", "factor", "log", "low", "high" and
        "ticks".
    lines
        Schedules with names, drawn strongly.
    schedules
        (p, m) values of all schedules; at most MOST_FAINT of them, evenly chosen, are drawn as faint lines.
    title
        What it shows, for a screen reader.
    """
    room = (WIDTH - 2 * SIDE) / max(len(described) - 1, 1)
    across = [SIDE + j * room for j in range(len(described))]

    def height(axis: Mapping[str, Any], place: float) -> float:
        share = (axis["high"] - place) / (axis["high"] - axis["low"])
        return round(float(TOP + min(max(share, -0.02), 1.02) * (HEIGHT - TOP - BOTTOM)), 1)

    def points(values: Sequence[float]) -> str:
        drawn = [float(values[axis["column"]]) * axis["factor"] for axis in described]
        places = (np.log10(v) if axis["log"] else v for axis, v in zip(described, drawn, strict=True))
        return " ".join(f"{x:.0f},{height(a, p)}" for x, a, p in zip(across, described, places, strict=True))

    step = max(1, -(-len(schedules) // MOST_FAINT))
    parts = [f'<polyline class="faint" points="{points(values)}"/>' for values in schedules[::step].tolist()]
    parts += [
        f'<polyline class="strong {line.look}" points="{points(line.values)}"><title>{html.escape(line.name)}</title>'
        "</polyline>"
        for line in lines
        if not np.isnan([line.values[axis["column"]] for axis in described]).any()
    ]
    for x, a in zip(across, described, strict=True):
        label = ", ".join(filter(None, (a["label"], a["unit"])))
        parts.append(f'<line class="rule" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text class="name" x="{x:.0f}" y="14">{html.escape(a["title"])}</text>')
        parts.append(f'<text class="unit" x="{x:.0f}" y="30">{html.escape(label)}</text>')
        parts += [
            f'<text class="tick" x="{x - 6:.0f}" y="{height(a, place) + 4}">{words}</text>'
            for place, words in a["ticks"]
        ]
    named = "".join(f'<span class="key {line.look}">{html.escape(line.name)}</span> ' for line in lines)
    return (
        f'<figure class="drawing"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}">'
        f'{"".join(parts)}</svg><figcaption class="note">{named}</figcaption></figure>'
    )
