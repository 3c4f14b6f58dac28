"""The charts over time: the months of two schedules, and a week of each as jobs over processors.

Their layouts are plain values: plotly's own objects take several times as long to check them as all the rest takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..comparison.over_time import Node, OverTime
from ..comparison.partition_use import CPUS, ByPartition
from ..core.arrays import Floats, Ints
from ..plots.style import SETS, template, text
from ..simulation.service import DAY
from .charts import CHOSEN

TODAY = "#0072B2"
ROWS = {"waiting": "jobs waiting", "use": "% in use", "wait": "wait, h"}
ROW_HEIGHT, EDGE, WEEK_HEIGHT = 98, 66, 300  # pixels
GAP, TITLE = 0.24, 11  # between two rows, of their height; pixels of the words above them
MOST_NAMED, LONGEST_HOST = 12, 14  # nodes beside a week, and letters of each
LONGEST_NAME = 40  # letters of a partition above its row
GROUND = "rgba(0,0,0,0)"


def months(
    edges: Ints, curves: Mapping[str, OverTime], first: int, resources: Mapping[str, Floats] | None = None
) -> dict[str, Any]:
    """Return the chart of queue, use and waits over time of two schedules; a drag across it chooses a time.

    Parameters
    ----------
    edges
        (k + 1,) seconds of the trace.
    curves
        The schedules by name, (k,) values each; the first one is the owner's.
    first
        Second of the trace that is day 0.
    resources
        Of a machine of nodes, by the name of a resource, (2, k) per cent in use.
    """
    rows = [(words, [getattr(curve, key) for curve in curves.values()]) for key, words in ROWS.items()]
    if resources is not None:
        more = [(f"% {name}", list(values)) for name, values in resources.items()]
        rows = [rows[0], (f"% {CPUS}", rows[1][1]), *more, rows[2]]
    return _lines(edges, tuple(curves), rows, first)


def partitions(edges: Ints, names: Sequence[str], by_partition: ByPartition, first: int) -> dict[str, Any]:
    """Return the chart of what two schedules use of each partition, see `partition_use.use_by_partition`."""
    rows = [
        (f"{text(partition, LONGEST_NAME)}: % of its {what}", list(values))
        for partition, uses in by_partition.items()
        for what, values in uses.items()
    ]
    return _lines(edges, names, rows, first)


def _lines(
    edges: Ints, names: Sequence[str], rows: Sequence[tuple[str, Sequence[Floats]]], first: int
) -> dict[str, Any]:
    """Return a chart of rows below each other, by their words; in each a line for each of two schedules."""
    from plotly import graph_objects as go

    days = (edges - first) / DAY
    traces = []
    for number, (name, hue, width) in enumerate(zip(names, (TODAY, CHOSEN), (1.5, 1.8), strict=True)):
        for row, (words, values) in enumerate(rows, 1):
            line = go.Scatter(
                x=days, y=np.append(values[number], values[number][-1:]), name=text(name), mode="lines",
                showlegend=row == 1, legendgroup=name, line={"color": hue, "width": width, "shape": "hv"},
                connectgaps=False, xaxis=_axis("x", row), yaxis=_axis("y", row),
                hovertemplate=f"<b>{text(name)}</b> day %{{x:.1f}}: %{{y:,.4~g}} {words}<extra></extra>",
            )  # fmt: skip
            traces.append(line)
    gap = GAP / len(rows)
    part = (1 + gap) / len(rows)  # of the height, from the top of a row to the top of the next one
    axes: dict[str, Any] = {}
    titles = []
    for row, (words, _) in enumerate(rows, 1):
        top, last = 1 - (row - 1) * part, row == len(rows)
        place = {"xref": "paper", "x": 0, "xanchor": "left"}
        place |= {"yref": f"{_axis('y', row)} domain", "y": 1, "yanchor": "bottom"}
        titles.append({"text": words, "showarrow": False, "font": {"size": TITLE}, "borderpad": 0} | place)
        up = {"fixedrange": True, "rangemode": "tozero", "anchor": _axis("x", row)}
        axes[_axis("yaxis", row)] = up | {"domain": [max(top - part + gap, 0), top]}
        across = {"range": [float(days[0]), float(days[-1])], "anchor": _axis("y", row), "showticklabels": last}
        title = {"title": {"text": "days since the first job"}} if last else {}
        axes[_axis("xaxis", row)] = across | title | ({} if last else {"matches": _axis("x", len(rows))})
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "yref": "container", "y": 1, "yanchor": "top"}
    more = axes | {"dragmode": "zoom", "annotations": titles, "legend": legend}
    return _figure(traces, ROW_HEIGHT * len(rows) + EDGE, {"t": 44, "b": 40}, more)


def week(
    picture: NDArray[np.uint8],
    window: tuple[int, int],
    first: int,
    capacity: int,
    groups: Sequence[str],
    nodes: Sequence[Node] = (),
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
    nodes
        The nodes in the order of their processors; none if that is not known.
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
        hovertemplate=f"day %{{x:.2f}}{'' if nodes else ', processor %{y:.0f}'}: click to see the job<extra></extra>",
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
        "yaxis": still
        | {"title": {"text": "node" if nodes else "processor"}, "range": [0, capacity]}
        | _axis_of_nodes(nodes),
    }
    return _figure([jobs, *names], WEEK_HEIGHT, {"t": 24, "b": 36}, axes | {"dragmode": False})


def _axis_of_nodes(nodes: Sequence[Node]) -> dict[str, Any]:
    """Return the part of an axis of processors that names nodes, as many as have room; nothing without nodes.

    Of nodes with GPUs beside each other one is named in any case: they are few, and jobs wait for them longest.
    """
    if not nodes:
        return {}
    ends = np.cumsum([node.cpus for node in nodes])
    middle = [float(end) - node.cpus / 2 for end, node in zip(ends, nodes, strict=True)]
    has_gpus = np.array([node.gpus > 0 for node in nodes])
    runs = np.split(np.arange(len(nodes)), np.flatnonzero(np.diff(has_gpus)) + 1)
    wanted = [int(run[len(run) // 2]) for run in runs if has_gpus[run[0]] and not has_gpus.all()]
    wanted += range(0, len(nodes), -(-len(nodes) // MOST_NAMED))
    room = float(ends[-1]) / (MOST_NAMED + 1)
    named: list[int] = []
    for k in wanted:
        if all(abs(middle[k] - middle[other]) >= room for other in named):
            named.append(k)
    words = [text(nodes[k].name, LONGEST_HOST) + (" · GPU" if has_gpus[k] else "") for k in sorted(named)]
    return {"tickvals": [middle[k] for k in sorted(named)], "ticktext": words, "automargin": True}


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
