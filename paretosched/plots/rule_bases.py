"""Figures of rule bases: which strategy they choose in which situation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..policies.rule_base_explanation import IterativeExplanation, RulesExplanation, SymbioticExplanation, percent
from ..policies.strategy_choice import STRATEGIES, feature_ranges, intervals
from .style import template, text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Strategies of a rule base: the hue is the sorting; the darker, the fewer jobs may overtake; Greedy is grey.
STRATEGY_COLOURS = (
    *("#fbd9a5", "#f0a030", "#a35c00"),  # by width
    *("#c3e8c9", "#5cb874", "#1d6b36"),  # by estimate
    *("#cbe2f4", "#5a9fd4", "#0a4f8a"),  # by wait
    *("#ecd0e6", "#c56fb4", "#7a2a6d"),  # by priority
    "#5f6b76",
)
MOST_ROWS, MOST_COLUMNS = 64, 12  # of situations; with more there is no room for words


def decisions(explanation: RulesExplanation) -> Figure:
    """Draw which strategy a rule base chooses in which situation.

    An iterative base has all its situations: a column for each combination of intervals of SD and Um, a row for each
    combination of the shares of the groups in the queue. A symbiotic base has its slices, see `explain_rules`. The hue
    is the sorting, the shade the algorithm.

    Parameters
    ----------
    explanation
        An explanation of a rule base.
    """
    figure = _FIGURES[type(explanation)](explanation)
    figure.update_layout(template=template(), coloraxis=_strategy_colours())
    return figure


def _situations(e: IterativeExplanation) -> Figure:
    """Draw all situations of an iterative rule base."""
    from plotly import graph_objects as go

    base, names = e.base, e.features
    ranges = intervals(base.bounds)
    across = math.prod(len(inner) + 1 for inner in base.bounds[:2])
    z = base.choice.reshape(across, -1).T.astype(np.int64)
    down = len(z)
    came = np.ones(z.shape, dtype=np.int64) if e.decisions is None else e.decisions.reshape(across, -1).T
    pale = "" if e.decisions is None else "; pale: never came up"
    heads = [f"SD {ranges[column * down][0]}<br>Um {ranges[column * down][1]}" for column in range(across)]
    whole = [f"0..{high:g}" for high in feature_ranges(len(base.groups))[1].tolist()]
    sides = [
        ", ".join(
            f"{name[len('PRCWQ') :]}: {part}"
            for name, part, full in zip(names[2:], ranges[row][2:], whole[2:], strict=True)
            if part != full
        )
        for row in range(down)
    ]
    has_labels = down <= MOST_ROWS and across <= MOST_COLUMNS
    chart = go.Heatmap(
        z=z,
        coloraxis="coloraxis",
        xgap=1.5,
        ygap=1.0 if down <= MOST_ROWS else 0,
        text=[[STRATEGIES[s].replace("conservative", "CONS") for s in row] for row in z.tolist()],
        customdata=[
            [
                ", ".join(f"{n} {p}" for n, p in zip(names, ranges[column * down + row], strict=True))
                + (
                    ""
                    if e.decisions is None
                    else f"<br>{percent(came[row, column] / came.sum())} % of the decisions in training"
                )
                for column in range(across)
            ]
            for row in range(down)
        ],
        hovertemplate="%{customdata}<br><b>%{text}</b><extra></extra>",
        texttemplate="%{text}" if has_labels else None,
        textfont={"size": 10},
    )
    veil = go.Heatmap(
        z=np.where(came == 0, 1.0, np.nan),
        colorscale=[[0, "rgba(255,255,255,0.8)"], [1, "rgba(255,255,255,0.8)"]],
        showscale=False,
        hoverinfo="skip",
    )
    figure = go.Figure([chart, veil] if (came == 0).any() else chart)
    bare = {"showgrid": False, "showline": False, "ticks": ""}
    figure.update_xaxes(side="top", **bare)
    if across <= MOST_COLUMNS:
        figure.update_xaxes(tickvals=[*range(across)], ticktext=heads, tickangle=0)
    figure.update_yaxes(autorange="reversed", **bare)
    if down <= MOST_ROWS:
        figure.update_yaxes(tickvals=[*range(down)], ticktext=sides, tickfont={"size": 11})
    shares = "rows: groups' % of the waiting work"
    figure.update_layout(
        title={
            "text": f"{text(e.policy.name)}: which strategy in which situation",
            "subtitle": {"text": f"columns: SD, slowdown so far; Um, % in use &nbsp;|&nbsp; {shares}{pale}"},
        },
        height=200 + 24 * min(down, MOST_ROWS),
        margin={"l": 15 + 5.6 * max(map(len, sides)) if down <= MOST_ROWS else 70, "r": 20, "t": 130, "b": 30},
    )
    return figure


def _slices(e: SymbioticExplanation) -> Figure:
    """Draw the slices of a symbiotic rule base."""
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    names = e.features
    rows, columns = -(-len(e.slices) // 2), min(len(e.slices), 2)
    figure = make_subplots(
        rows=rows,
        cols=columns,
        horizontal_spacing=0.1,
        vertical_spacing=0.2 / rows,
        subplot_titles=[text(s.others, 90) for s in e.slices],
    )
    figure.update_annotations(font={"size": 12}, bgcolor="rgba(0,0,0,0)")
    for number, cut in enumerate(e.slices):
        place = {"row": number // 2 + 1, "col": number % 2 + 1}
        z = np.where(cut.strategies < 0, np.nan, cut.strategies)
        x, y = (names[f] for f in (cut.across, cut.up))
        chart = go.Heatmap(
            z=z,
            x=cut.x,
            y=cut.y,
            coloraxis="coloraxis",
            text=[["" if s < 0 else STRATEGIES[s] for s in row] for row in cut.strategies.tolist()],
            hovertemplate=f"{x} %{{x:.3g}}, {y} %{{y:.3g}}<br><b>%{{text}}</b><extra></extra>",
            hoverongaps=False,
        )
        figure.add_trace(chart, **place)
        figure.update_xaxes(title_text=_feature(e, cut.across), showgrid=False, **place)
        figure.update_yaxes(title_text=_feature(e, cut.up), showgrid=False, **place)
    figure.update_layout(
        title={
            "text": f"{text(e.policy.name)}: which strategy in which situation",
            "subtitle": {
                "text": "two features vary, the others stay as said above each part" if len(names) > 3 else ""
            },
        },
        height=150 + 400 * rows,
        margin={"l": 70, "r": 20, "t": 110, "b": 60},
    )
    return figure


_FIGURES: dict[type[RulesExplanation], Callable[[Any], Figure]] = {
    IterativeExplanation: _situations,
    SymbioticExplanation: _slices,
}


def _feature(e: RulesExplanation, number: int) -> str:
    if number == 0:
        return "SD: slowdown so far"
    if number == 1:
        return "Um: % of the machine in use"
    return f"group {text(e.base.groups[number - 2], 14)}: % of the waiting work"


def _strategy_colours() -> dict[str, Any]:
    """Return a colour axis of plotly with the colours of the strategies."""
    count = len(STRATEGIES)
    return {
        "cmin": -0.5,
        "cmax": count - 0.5,
        "colorscale": [((k + end) / count, colour) for k, colour in enumerate(STRATEGY_COLOURS) for end in (0, 1)],
        "colorbar": {"tickvals": [*range(count)], "ticktext": [*STRATEGIES], "xpad": 20, "len": 1.0},
    }
