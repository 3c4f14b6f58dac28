"""The figures of paper 004, drawn from our numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

from gains import OWN, Gain, Row, measure_of
from plotly import graph_objects as go
from plotly.subplots import make_subplots

from paretosched.plots.comparisons import bars
from paretosched.plots.style import template

PAPER = "paper 004"


class Chart(NamedTuple):
    """A figure of the paper that compares systems, by class and size on one workload, or by workload."""

    number: int
    title: str
    systems: tuple[str, ...]
    measure: str
    workload: str | None = None


SLOWDOWN, RESPONSE, WAIT = "slowdown_rounded_up", "response_s", "wait_in_all_s"
LEVELS, STARTS = ("Opt-TSL, first level", "Opt-TSL"), ("Opt-TSL, not dynamic", "Opt-TSL")
BOTH, ALONE = ("TSL", "Opt-TSL"), (f"TSL{OWN}", f"Opt-TSL{OWN}")
BOTTOM, BOTTOM_ALONE = ("bottom line", "Opt-TSL"), (f"bottom line{OWN}", f"Opt-TSL{OWN}")
BY_CLASS = {16: "seed 31", 17: "seed 71", 18: "seed 73", 19: "seed 35", 20: "seed 7", 22: "LANL"}
BY_CLASS_ALONE = {30: "seed 31", 31: "seed 35", 32: "seed 71", 33: "seed 73", 34: "seed 7", 36: "LANL"}
WORST = "worst"
CHARTS = (
    *(Chart(number, f"bounded slowdown, {log}", BOTH, SLOWDOWN, log) for number, log in BY_CLASS.items()),
    Chart(23, "response", BOTH, RESPONSE),
    Chart(24, "wait", BOTH, WAIT),
    Chart(25, "wait, dynamic backfilling", STARTS, WAIT),
    Chart(26, "utilisation", BOTH, "utilisation_percent"),
    Chart(27, "bounded slowdown, second level, seed 31", LEVELS, SLOWDOWN, "seed 31"),
    Chart(28, "response, second level", LEVELS, RESPONSE),
    Chart(29, "wait, second level", LEVELS, WAIT),
    *(Chart(number, f"bounded slowdown{OWN}, {log}", ALONE, SLOWDOWN, log) for number, log in BY_CLASS_ALONE.items()),
    Chart(37, f"bounded slowdown{OWN}, the worst seed", ALONE, SLOWDOWN, WORST),
    Chart(38, f"response{OWN}", ALONE, RESPONSE),
    Chart(39, f"wait{OWN}", ALONE, WAIT),
    Chart(40, "bounded slowdown, the bottom line, seed 31", BOTTOM, SLOWDOWN, "seed 31"),
    Chart(41, f"bounded slowdown, the bottom line{OWN}, seed 31", BOTTOM_ALONE, SLOWDOWN, "seed 31"),
)
# title of the axis of a measure, and the divisor of its values
UNITS = {
    SLOWDOWN: ("bounded slowdown (600 s, rounded up)", 1),
    RESPONSE: ("mean response (hours)", 3600),
    WAIT: ("mean wait (hours)", 3600),
    "utilisation_percent": ("utilisation (%)", 1),
}
PLACES = {
    "long": ("long", "all"),
    "medium": ("medium", "all"),
    "short": ("short", "all"),
    "wide": ("all", "wide"),
    "of medium width": ("all", "medium"),
    "narrow": ("all", "narrow"),
}


def draw(gains: Sequence[Gain], paper: Sequence[Row], tables: Mapping[str, Sequence[Row]]) -> dict[str, Any]:
    """Return every figure whose workload was run, by name."""
    figures = {"claims": claims_figure(gains), "objectives": objectives_figure(tables["objectives"])}
    figures["figure15"] = sizes_figure(tables["sizes"])
    figures |= {f"figure{c.number}": f for c in CHARTS if (f := chart_figure(c, paper, tables["systems"])) is not None}
    return figures


def chart_figure(chart: Chart, paper: Sequence[Row], rows: Sequence[Row]) -> Any:
    """Draw a figure of the paper from our numbers; None if its workload was not run."""
    unit, scale = UNITS[chart.measure]
    figure = go.Figure()
    labels: list[str] = []
    for system, colour in zip(chart.systems, ("#9aa7b4", "#0072b2"), strict=True):
        values: dict[str, float] = {}
        if chart.workload is None:
            for part in ("paper", "LANL"):
                values |= measure_of(rows, system, "all", chart.measure, part)
        else:
            part = "LANL" if chart.workload == "LANL" else "paper"
            for label, (kind, size) in PLACES.items():
                by_workload = measure_of(rows, system, kind, chart.measure, part, size)
                values[label] = (
                    max(by_workload.values()) if chart.workload == WORST else by_workload.get(chart.workload, math.nan)
                )
        values = {label: x / scale for label, x in values.items() if x == x}
        labels = list(values)
        figure.add_bar(
            y=labels, x=list(values.values()), name=system, orientation="h", marker={"color": colour},
            text=[f"{x:.1f}" for x in values.values()], textposition="outside", cliponaxis=False,
        )  # fmt: skip
    if not labels:
        return None
    item = f"Figure {chart.number}"
    cells = {row["workload"]: row["value"] for row in paper if (row["item"], row["quantity"]) == (item, chart.measure)}
    of_paper = {label: float(cells[label]) / scale for label in labels if label in cells}
    if of_paper:
        figure.add_scatter(
            x=list(of_paper.values()), y=list(of_paper), mode="markers", name=PAPER,
            marker={"symbol": "diamond", "size": 11, "color": "#d55e00"},
        )  # fmt: skip
    figure.update_layout(
        template=template(),
        title={"text": f"Figure {chart.number}: {chart.title}", "xref": "container", "x": 0.02, "xanchor": "left"},
        height=170 + 52 * len(labels),
        width=900,
        barmode="group",
        bargap=0.3,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        margin={"l": 120, "t": 110, "b": 60, "r": 60},
    )
    figure.update_xaxes(title=unit, rangemode="tozero")
    figure.update_yaxes(autorange="reversed", title="")
    return figure


def sizes_figure(rows: Sequence[Row]) -> Any:
    """Draw Figure 15: slowdown against the largest groups of long jobs, a line for each of medium ones."""
    figure = make_subplots(cols=2, subplot_titles=("medium jobs", "long jobs"))
    colours = ("#9ecae1", "#4a9bd1", "#0072b2", "#08306b")
    for medium, colour in zip(
        dict.fromkeys(row["medium"] for row in rows if row["slowdown_long"]), colours, strict=False
    ):
        line = [row for row in rows if row["medium"] == medium and row["slowdown_long"]]
        for column, key in enumerate(("slowdown_medium", "slowdown_long"), 1):
            figure.add_trace(
                go.Scatter(
                    x=[int(row["long"]) for row in line], y=[float(row[key]) for row in line], name=f"medium: {medium}",
                    mode="lines+markers", line={"color": colour}, showlegend=column == 1,
                ),
                row=1, col=column,
            )  # fmt: skip
    figure.update_layout(
        template=template(),
        title={"text": "Figure 15: the largest groups", "xref": "container", "x": 0.02, "xanchor": "left"},
        height=460,
        width=1000,
        showlegend=True,
        legend={"x": 1.02, "y": 1, "xanchor": "left"},
        margin={"t": 110, "b": 70},
    )
    figure.update_xaxes(title="long jobs in a group, at most")
    figure.update_yaxes(title="bounded slowdown", col=1)
    return figure


def claims_figure(gains: Sequence[Gain]) -> Any:
    """Draw the gain on every workload of the spread, with the paper's claim."""
    labels = [f"{gain.pair}:<br>{gain.measure}" for gain in gains]
    figure = go.Figure()
    figure.add_scatter(
        x=[x for gain in gains for x in gain.gains],
        y=[label for label, gain in zip(labels, gains, strict=True) for _ in gain.gains],
        mode="markers",
        name="a workload",
        marker={"size": 7, "opacity": 0.5, "color": "#0072b2"},
    )
    figure.add_scatter(
        x=[median(gain.gains) for gain in gains], y=labels, mode="markers", name="median",
        marker={"symbol": "line-ns-open", "size": 22, "color": "#0072b2", "line": {"width": 3}},
    )  # fmt: skip
    figure.add_scatter(
        x=[gain.claim for gain in gains], y=labels, mode="markers", name=PAPER,
        marker={"symbol": "diamond", "size": 11, "color": "#d55e00"},
    )  # fmt: skip
    figure.update_layout(
        template=template(),
        title={
            "text": "What group optimisation gains, and what the paper says",
            "subtitle": {"text": "each dot is a generated workload; better: right →"},
            "xref": "container",
            "x": 0.02,
            "xanchor": "left",
        },
        height=90 + 52 * len(gains),
        width=1000,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.09, "yanchor": "top"},
        margin={"l": 230, "t": 90, "b": 90},
    )
    figure.update_xaxes(title="less than the other (%)", zeroline=True, zerolinecolor="#888", zerolinewidth=1)
    figure.update_yaxes(autorange="reversed", title="")
    return figure


def objectives_figure(rows: Sequence[Row]) -> Any:
    """Draw the objectives of SCOJO-PECT, FCFS and Greedy against EASY: medians over the workloads of the claims."""
    rows = [row for row in rows if row["part"] == "spread"]
    names = [key for key in rows[0] if key == "UTIL" or (key.startswith("AWRT") and not key.endswith("_vs_easy"))]
    policies = [p for p in dict.fromkeys(row["policy"] for row in rows) if p not in ("EASY", "ideal point")]
    series = {
        policy: {
            name: median(
                float(row[f"{name}_vs_easy"] or "nan") * (-1 if name == "UTIL" else 1)
                for row in rows
                if row["policy"] == policy
            )
            for name in names
        }
        for policy in policies
    }
    return bars(
        series,
        title="Time sharing in the seven objectives, against EASY",
        subtitle=f"medians of {len({row['workload'] for row in rows})} generated workloads",
        first=1,
    )
