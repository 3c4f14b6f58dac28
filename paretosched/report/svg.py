"""Drawings for reports as SVG text, without a library: a page with them is small, and prints."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats

WIDTH, HEIGHT, TOP, SIDE, BOTTOM = 1120, 330, 46, 70, 14  # pixels
MOST_FAINT = 250  # schedules that are drawn as faint lines; more would be no clearer


class Drawn(NamedTuple):
    """A line across the axes: its name, its values in natural units, (m,), and the class that gives it its look."""

    name: str
    values: Sequence[float]
    look: str


def parallel(axes: Sequence[Mapping[str, Any]], lines: Sequence[Drawn], schedules: Floats, title: str) -> str:
    """Return parallel coordinates as SVG: an axis for each objective, better upwards, and a line for each schedule.

    Parameters
    ----------
    axes
        As `app.charts.axes` describes them, with "title", "label", "unit", "column", "factor", "log", "low", "high" and
        "ticks".
    lines
        Schedules with names, drawn strongly.
    schedules
        (p, m) values of all schedules; at most MOST_FAINT of them, evenly chosen, are drawn as faint lines.
    title
        What it shows, for a screen reader.
    """
    room = (WIDTH - 2 * SIDE) / max(len(axes) - 1, 1)
    across = [SIDE + j * room for j in range(len(axes))]

    def height(axis: Mapping[str, Any], place: float) -> float:
        share = (axis["high"] - place) / (axis["high"] - axis["low"])
        return round(float(TOP + min(max(share, -0.02), 1.02) * (HEIGHT - TOP - BOTTOM)), 1)

    def points(values: Sequence[float]) -> str:
        drawn = [float(values[axis["column"]]) * axis["factor"] for axis in axes]
        places = (np.log10(v) if axis["log"] else v for axis, v in zip(axes, drawn, strict=True))
        return " ".join(f"{x:.0f},{height(a, p)}" for x, a, p in zip(across, axes, places, strict=True))

    step = max(1, -(-len(schedules) // MOST_FAINT))
    parts = [f'<polyline class="faint" points="{points(values)}"/>' for values in schedules[::step].tolist()]
    parts += [
        f'<polyline class="strong {line.look}" points="{points(line.values)}"><title>{html.escape(line.name)}</title>'
        "</polyline>"
        for line in lines
        if not np.isnan([line.values[axis["column"]] for axis in axes]).any()
    ]
    for x, axis in zip(across, axes, strict=True):
        label = ", ".join(filter(None, (axis["label"], axis["unit"])))
        parts.append(f'<line class="rule" x1="{x:.0f}" x2="{x:.0f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text class="name" x="{x:.0f}" y="14">{html.escape(axis["title"])}</text>')
        parts.append(f'<text class="unit" x="{x:.0f}" y="30">{html.escape(label)}</text>')
        parts += [
            f'<text class="tick" x="{x - 6:.0f}" y="{height(axis, place) + 4}">{words}</text>'
            for place, words in axis["ticks"]
        ]
    named = "".join(f'<span class="key {line.look}">{html.escape(line.name)}</span> ' for line in lines)
    return (
        f'<figure class="drawing"><svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(title)}">'
        f'{"".join(parts)}</svg><figcaption class="note">{named}</figcaption></figure>'
    )
