"""The charts over time: the months of two schedules, and a week of each as jobs over processors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..comparison.over_time import OverTime
from ..core.arrays import Ints
from ..plots.style import SETS, template, text
from ..simulation.service import DAY
from .charts import CHOSEN

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

TODAY = "#0072B2"
ROWS = {"waiting": "jobs waiting", "use": "% in use", "wait": "wait, h"}
MONTHS_HEIGHT, WEEK_HEIGHT = 360, 300  # pixels
GROUND = "rgba(0,0,0,0)"


def months(edges: Ints, curves: Mapping[str, OverTime], first: int) -> Figure:
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
    from plotly.subplots import make_subplots

    figure = make_subplots(rows=len(ROWS), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    days = (edges - first) / DAY
    for (name, curve), hue, width in zip(curves.items(), (TODAY, CHOSEN), (1.5, 1.8), strict=True):
        for row, key in enumerate(ROWS, 1):
            values = getattr(curve, key)
            line = go.Scatter(
                x=days, y=np.append(values, values[-1:]), name=text(name), mode="lines", showlegend=row == 1,
                legendgroup=name, line={"color": hue, "width": width, "shape": "hv"}, connectgaps=False,
                hovertemplate=f"<b>{text(name)}</b> day %{{x:.1f}}: %{{y:,.4~g}} {ROWS[key]}<extra></extra>",
            )  # fmt: skip
            figure.add_trace(line, row=row, col=1)
    for row, words in enumerate(ROWS.values(), 1):
        figure.update_yaxes(title_text=words, fixedrange=True, rangemode="tozero", row=row, col=1)
    figure.update_xaxes(range=[float(days[0]), float(days[-1])])
    figure.update_xaxes(title_text="days since the first job", row=len(ROWS), col=1)
    figure.update_layout(
        template=template(), height=MONTHS_HEIGHT, margin={"l": 62, "r": 14, "t": 26, "b": 40}, dragmode="zoom",
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
    )  # fmt: skip
    return figure


def week(
    picture: NDArray[np.uint8], window: tuple[int, int], first: int, capacity: int, groups: Sequence[str]
) -> Figure:
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
    figure = go.Figure(
        go.Heatmap(
            z=picture, zmin=-0.5, zmax=len(hues) - 0.5, colorscale=scale, showscale=False,
            x0=(window[0] - first) / DAY + day / 2, dx=day, y0=high / 2, dy=high,
            hovertemplate="day %{x:.2f}, processor %{y:.0f}: click to see the job<extra></extra>",
        )
    )  # fmt: skip
    for name, hue in zip(groups, hues[1:], strict=True):  # the names of the colours
        look = {"size": 10, "symbol": "square", "color": hue}
        figure.add_scatter(x=[None], y=[None], mode="markers", marker=look, name=f"group {text(name)}")
    figure.update_layout(
        template=template(), height=WEEK_HEIGHT, margin={"l": 62, "r": 14, "t": 24, "b": 36}, dragmode=False,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
    )  # fmt: skip
    figure.update_xaxes(title_text="days since the first job", fixedrange=True, showgrid=False)
    figure.update_yaxes(title_text="processor", range=[0, capacity], fixedrange=True, showgrid=False)
    return figure
