"""Figures 3 to 6 and 10 of paper 003, drawn from our numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import settings
from makespans import NAMES, Rows, by, column, last_iteration, mean_surfaces
from plotly import graph_objects as go

from paretosched.plots.style import FONT, GRID, INK, SETS


def draw(makespans: Rows, convergence: Rows) -> dict[str, Any]:
    """Return figure 3 as four surfaces, 4 to 6 as the ratio of two methods, and 10."""
    figures = {"figure03": four_surfaces(makespans)}
    for number, first, second in ((4, "pgga", "fcfs"), (5, "pgga", "tga"), (6, "tga", "fcfs")):
        figures[f"figure{number:02}"] = ratio(makespans, first, second, f"Figure {number}")
    figures["figure04-fcfs"] = ratio(makespans, "pgga-fcfs", "fcfs", "Figure 4, FCFS in PGGA's first generation")
    figures["lpt"] = ratio(makespans, "pgga", "lpt", "PGGA against LPT")
    figures["figure10"] = courses(convergence)
    return figures


def axes(rows: Rows) -> tuple[list[int], list[int]]:
    """Return the numbers of jobs and nodes."""
    return sorted({int(row["jobs"]) for row in rows}), sorted({int(row["nodes"]) for row in rows})


def layout(title: str, **more: Any) -> dict[str, Any]:
    """Return the layout of all figures."""
    common = {"font": {"family": FONT, "size": 15, "color": INK["light"]}, "paper_bgcolor": "white"}
    place = {"text": title, "x": 0.02, "xanchor": "left", "font": {"size": 19}}
    return common | {"plot_bgcolor": "white", "title": place, "width": 1000, "height": 640} | more


def four_surfaces(rows: Rows) -> Any:
    """Draw the makespans of the paper's four methods."""
    jobs, nodes = axes(rows)
    means = mean_surfaces(rows, ("random", "tga", "pgga", "fcfs"))
    figure = go.Figure()
    colours = ("#CC79A7", "#E69F00", "#0072B2", "#009E73")
    for (name, mean), colour in zip(means.items(), colours, strict=True):
        figure.add_surface(
            x=nodes, y=jobs, z=mean / 1e6, name=NAMES[name], showlegend=True, showscale=False, opacity=0.85,
            colorscale=[[0, colour], [1, colour]],
        )  # fmt: skip
    scene = {
        "xaxis": {"title": {"text": "nodes"}},
        "yaxis": {"title": {"text": "jobs"}},
        "zaxis": {"title": {"text": "million time units"}, "type": "log", "dtick": 1},
        "camera": {"eye": {"x": -1.9, "y": -1.6, "z": 0.8}, "center": {"x": 0.05, "y": 0.05, "z": -0.15}},
        "aspectratio": {"x": 1.1, "y": 1.1, "z": 1.1},
    }
    title = "Figure 3: mean makespans of the four methods"
    legend = {"x": 0.98, "y": 0.98, "xanchor": "right", "itemsizing": "constant"}
    figure.update_layout(layout(title, scene=scene, legend=legend, margin={"l": 0, "r": 0, "t": 60, "b": 10}))
    return figure


def ratio(rows: Rows, first: str, second: str, title: str) -> Any:
    """Draw the ratio of two methods' mean makespans; blue where the first is better."""
    jobs, nodes = axes(rows)
    means = mean_surfaces(rows, (first, second))
    value = means[first] / means[second]
    far = max(abs(np.log2(value)).max(), 0.05)
    ticks = [t for t in (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4) if abs(np.log2(t)) <= far]
    figure = go.Figure()
    figure.add_heatmap(
        x=nodes, y=jobs, z=np.log2(value), zmin=-far, zmax=far,
        colorscale=[[0, "#0072B2"], [0.5, "#f7f7f7"], [1, "#D55E00"]],
        text=[[f"{cell:.2f}" for cell in line] for line in value], texttemplate="%{text}", textfont={"size": 11},
        colorbar={"title": {"text": "ratio"}, "tickvals": np.log2(ticks).tolist(), "ticktext": [str(t) for t in ticks]},
    )  # fmt: skip
    name = NAMES[first].split(",")[0]
    text = f"{title}: makespan of {name} / {NAMES[second]}<br><sup>blue: {name} is better</sup>"
    figure.update_layout(
        layout(
            text,
            xaxis={"title": {"text": "nodes"}, "type": "category"},
            yaxis={"title": {"text": "jobs"}, "type": "category"},
            height=820,
        )
    )
    return figure


def courses(rows: Rows) -> Any:
    """Draw the least makespan after every iteration, mean and spread."""
    figure = go.Figure()
    for name, (colour, _) in zip(settings.GENETIC, SETS, strict=False):
        at = by([row for row in rows if row["method"] == name], ("iteration",))
        iterations = [int(key) for (key,) in at]
        values = [column(cell, "makespan") / 1e6 for cell in at.values()]
        mean = np.array([v.mean() for v in values])
        wide = np.array([v.std(ddof=1) if v.size > 1 else 0 for v in values])
        figure.add_scatter(
            x=[*iterations, *iterations[::-1]], y=[*(mean + wide), *(mean - wide)[::-1]], fill="toself",
            fillcolor=colour, opacity=0.18, line={"width": 0}, hoverinfo="skip", showlegend=False, mode="lines",
        )  # fmt: skip
        figure.add_scatter(x=iterations, y=mean, mode="lines", name=NAMES[name], line={"color": colour, "width": 2.5})
    last = last_iteration(rows)
    for name, dash in (("fcfs", "dash"), ("lpt", "dot")):
        level = float((column([r for r in rows if r["method"] == name], "makespan") / 1e6).mean())
        line = {"color": INK["light"], "width": 1.5, "dash": dash}
        figure.add_scatter(x=[0, last], y=[level, level], mode="lines", name=NAMES[name], line=line)
    grid = {"gridcolor": GRID["light"], "zeroline": False}
    setting = settings.CONVERGENCE
    figure.update_layout(
        layout(
            f"Figure 10: {setting['jobs']:,} jobs on {setting['nodes']} nodes; mean, spread",
            xaxis=grid | {"title": {"text": "iterations"}},
            yaxis=grid | {"title": {"text": "least makespan (million time units)"}, "rangemode": "tozero"},
            legend={"x": 0.98, "y": 0.98, "xanchor": "right", "bgcolor": "rgba(255,255,255,0.8)"},
        )
    )
    return figure
