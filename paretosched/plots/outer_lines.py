"""Lines that no schedule is below, drawn behind fronts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.arrays import Floats
from .axes import Axis
from .style import HOUR

OUTER = "no schedule is below (proved)"
COLOUR = "#8a8a8a"  # on white and on black
PLACES = 65  # on the straight line between two corners, which is a curve on logarithmic axes

Outer = Mapping[tuple[str, str], Floats]
"""The corners of lines by the names of two objectives, as `outer_front` returns them."""


def outer_line(outer: Outer, across: Axis, up: Axis, x_range: list[float], y_range: list[float]) -> dict[str, Any]:
    """Return the trace of the line of two objectives, from one end of the axes to the other.

    On logarithmic axes the line is bent away from the origin, and what is drawn are chords: they are below it.

    Parameters
    ----------
    outer
        The lines.
    across, up
        The axes.
    x_range, y_range
        [low, high] each, as plotly has them.

    Returns
    -------
    dict
        What plotly's Scatter needs; nothing if there is no line for these objectives.
    """
    corners = corners_of(outer, across.objective.name, up.objective.name) / HOUR
    if len(corners) == 0:
        return {}
    steps = np.linspace(corners[0], corners[-1], PLACES) if len(corners) > 1 else corners
    first = [corners[0, 0], max(_end(up, y_range), corners[0, 1])]
    last = [max(_end(across, x_range), corners[-1, 0]), corners[-1, 1]]
    places = np.concatenate([[first], steps, [last]])
    return {
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "mode": "lines",
        "line": {"color": COLOUR, "width": 1.5, "dash": "dot"},
        "name": OUTER,
        "hoverinfo": "skip",
    }


def corners_of(outer: Outer, x: str, y: str) -> Floats:
    """Return the corners of the line of two objectives, in any order of these, ascending in x, (k, 2) s.

    Examples
    --------
    >>> corners_of({("AWRT1", "AWRT2"): np.array([[1.0, 9], [3, 4]])}, "AWRT2", "AWRT1").tolist()
    [[4.0, 3.0], [9.0, 1.0]]
    """
    if (x, y) in outer:
        return outer[x, y]
    return outer[y, x][::-1, ::-1] if (y, x) in outer else np.empty((0, 2))


def _end(a: Axis, limits: list[float]) -> float:
    """Return the upper end of an axis in drawn units."""
    return float(10 ** limits[1]) if a.log else float(limits[1])
