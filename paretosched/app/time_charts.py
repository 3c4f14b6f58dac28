"""The charts over time: the months of two schedules, and a week of each as jobs over processors.

Their layouts are plain values: plotly's own objects take several times as long to check them as all the rest takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison.over_time import OverTime
from ..core.arrays import Ints
from ..plots.style import SETS, template, text
from ..simulation.service import DAY
from .charts import CHOSEN

TODAY = "#0072B2"
ROWS = {"waiting": "jobs waiting", "use": "% in use", "wait": "wait, h"}
MONTHS_HEIGHT, WEEK_HEIGHT = 360, 300  # pixels
GAP = 0.06  # of the height, between two rows
GROUND = "rgba(0,0,0,0)"


def months(edges: Ints, curves: Mapping[str, OverTime], first: int) -> dict[str, Any]:
    """Return the chart of queue, use and waits over time of two schedules; a drag across it chooses a time.

    Parameters
    ----------
    edges
        (k + 1,) seconds of the trace.
    curves
        The schedules by name, (k,) values each; the first one is the owner's.
    first
        Second of the trace that is day 0.
    """
    from plotly import graph_objects as go

    days = (edges - first) / DAY
    traces = []
    for (name, curve), hue, width in zip(curves.items(), (TODAY, CHOSEN), (1.5, 1.8), strict=True):
        for row, key in enumerate(ROWS, 1):
            values = getattr(curve, key)
            line = go.Scatter(
                x=days, y=np.append(values, values[-1:]), name=text(name), mode="lines", showlegend=row == 1,
                legendgroup=name, line={"color": hue, "width": width, "shape": "hv"}, connectgaps=False,
                hovertemplate=f"<b>{text(name)}</b> day %{{x:.1f}}: %{{y:,.4~g}} {ROWS[key]}<extra></extra>",
                xaxis=_axis("x", row), yaxis=_axis("y", row),
            )  # fmt: skip
            traces.append(line)
    part = (1 + GAP) / len(ROWS)  # of the height, from the top of a row to the top of the next one
    axes: dict[str, Any] = {}
    for row, words in enumerate(ROWS.values(), 1):
        top, last = 1 - (row - 1) * part, row == len(ROWS)
        up = {"title": {"text": words}, "fixedrange": True, "rangemode": "tozero", "anchor": _axis("x", row)}
        axes[_axis("yaxis", row)] = up | {"domain": [max(top - part + GAP, 0), top]}
        across = {"range": [float(days[0]), float(days[-1])], "anchor": _axis("y", row), "showticklabels": last}
        title = {"title": {"text": "days since the first job"}} if last else {}
        axes[_axis("xaxis", row)] = across | title | ({} if last else {"matches": _axis("x", len(ROWS))})
    return _figure(traces, MONTHS_HEIGHT, {"t": 26, "b": 40}, axes | {"dragmode": "zoom"})


def week(
    picture: NDArray[np.uint8], window: tuple[int, int], first: int, capacity: int, groups: Sequence[str]
) -> dict[str, Any]:
    """Return the picture of jobs over processors, coloured by group, as `over_time.raster` returns it.

    Parameters
    ----------
    picture
        (rows, columns), 0 where no job runs, else 1 + the group.
    window, first
        Seconds of the trace: from and until, and what is day 0.
    capacity
        Processors of the machine.
    groups
        Names of the groups.
    """
    from plotly import graph_objects as go

    hues = [GROUND, *(SETS[k % len(SETS)][0] for k in range(len(groups)))]
    ends = np.linspace(0, 1, len(hues) + 1).tolist()
    scale = [[end, hue] for k, hue in enumerate(hues) for end in (ends[k], ends[k + 1])]
    rows, columns = picture.shape
    day, high = (window[1] - window[0]) / DAY / columns, capacity / rows
    jobs = go.Heatmap(
        z=picture, zmin=-0.5, zmax=len(hues) - 0.5, colorscale=scale, showscale=False,
        x0=(window[0] - first) / DAY + day / 2, dx=day, y0=high / 2, dy=high,
        hovertemplate="day %{x:.2f}, processor %{y:.0f}: click to see the job<extra></extra>",
    )  # fmt: skip
    names = [
        go.Scatter(
            x=[None], y=[None], mode="markers", name=f"group {text(name)}",
            marker={"size": 10, "symbol": "square", "color": hue},
        )
        for name, hue in zip(groups, hues[1:], strict=True)
    ]  # fmt: skip
    still = {"fixedrange": True, "showgrid": False}
    axes = {
        "xaxis": still | {"title": {"text": "days since the first job"}},
        "yaxis": still | {"title": {"text": "processor"}, "range": [0, capacity]},
    }
    return _figure([jobs, *names], WEEK_HEIGHT, {"t": 24, "b": 36}, axes | {"dragmode": False})


def _axis(name: str, row: int) -> str:
    """Return the name of an axis of a row, as plotly counts: "x", "x2", "x3"."""
    return name if row == 1 else f"{name}{row}"


def _figure(traces: Sequence[Any], height: int, margin: Mapping[str, int], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return a figure of these traces, with arrays packed, that has a legend above it."""
    from plotly import graph_objects as go

    layout = {
        "template": template(),
        "height": height,
        "margin": {"l": 62, "r": 14, **margin},
        "showlegend": True,
        "legend": {"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
    }
    return {"data": go.Figure(traces).to_dict()["data"], "layout": layout | dict(more)}
