"""Colours, fonts, marks and the template of all figures."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from ..core.errors import one_of
from ..simulation.objective import Objective

HOUR = 3600.0
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", Arial, sans-serif'

# Okabe and Ito's colours, safe for colour-blind readers; marks also differ in their symbols.
MARKS = (
    ("#D55E00", "diamond"),
    ("#CC79A7", "square"),
    ("#009E73", "triangle-up"),
    ("#56B4E9", "cross"),
    ("#E69F00", "star"),
    ("#0072B2", "x"),
    ("#7A7A7A", "hexagram"),
)
# For sets of schedules and courses of runs, in an order in which neighbours also differ in lightness.
SETS = (
    ("#0072B2", "circle"),
    ("#E69F00", "diamond"),
    ("#009E73", "square"),
    ("#D55E00", "triangle-up"),
    ("#56B4E9", "cross"),
    ("#CC79A7", "star"),
)
# The colours of cividis from navy to ochre; its last, pale yellow, would be lost on white.
SCALE = ("#00224e", "#213b6e", "#4c556c", "#6c6e72", "#8e8978", "#b0a473", "#d4c163")
INK = {"light": "#1f2933", "dark": "#e4e7eb"}
QUIET = {"light": "#52606d", "dark": "#9aa5b1"}
GRID = {"light": "#e4e7eb", "dark": "#323b45"}
PAPER = {"light": "#ffffff", "dark": "#1b2127"}


def mark_style(number: int) -> tuple[str, str]:
    """Return the colour and the symbol of the mark with this number; after the last symbol follow hollow ones.

    Examples
    --------
    >>> mark_style(0), mark_style(7)
    (('#D55E00', 'diamond'), ('#D55E00', 'diamond-open'))
    """
    hue, symbol = MARKS[number % len(MARKS)]
    return hue, symbol if number // len(MARKS) % 2 == 0 else f"{symbol}-open"


def text(name: str, most: int = 40) -> str:
    """Return a name of a log or a user, safe for plotly: its labels are HTML, and its templates use %{...}.

    Examples
    --------
    >>> text("<b>%{x}</b>"), text("a" * 50)
    ('&lt;b&gt;% {x}&lt;/b&gt;', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…')
    """
    short = name if len(name) <= most else f"{name[: most - 1]}…"
    return html.escape(short.replace("%{", "% {"), quote=False)


def template(theme: str = "light") -> dict[str, Any]:
    """Return the look of every figure, "light" or "dark", as a plotly template."""
    ink, quiet, grid, paper = (part[theme] for part in (INK, QUIET, GRID, PAPER))
    scale = SCALE if theme == "light" else (*SCALE[2:], "#fee838")
    line = {"linecolor": grid, "gridcolor": grid, "zeroline": False, "ticks": "outside", "tickcolor": grid}
    words = {"title": {"font": {"size": 13, "color": quiet}, "standoff": 10}, "tickfont": {"size": 12, "color": quiet}}
    outline = {"marker": {"line": {"color": paper}}}
    return {
        "layout": {
            "font": {"family": FONT, "size": 13, "color": ink},
            "title": {
                "x": 0,
                "xref": "paper",
                "xanchor": "left",
                "y": 1,
                "yref": "container",
                "yanchor": "top",
                "pad": {"t": 16},
                "font": {"size": 17},
                "subtitle": {"font": {"size": 13, "color": quiet}},
            },
            "paper_bgcolor": paper,
            "plot_bgcolor": paper,
            "colorway": [SCALE[1] if theme == "light" else "#8fb4e3"],
            "coloraxis": {
                "colorscale": [[i / (len(scale) - 1), c] for i, c in enumerate(scale)],
                "colorbar": {
                    "thickness": 10,
                    "outlinewidth": 0,
                    "title": {"side": "right", "font": {"size": 13, "color": quiet}},
                    "tickfont": {"color": quiet},
                },
            },
            "xaxis": {**line, **words},
            "yaxis": {**line, **words},
            "margin": {"l": 70, "r": 20, "t": 80, "b": 60},
            "showlegend": False,
            "legend": {"x": 1, "xanchor": "right", "y": 1, "yanchor": "top"},
            "hoverlabel": {"font": {"family": FONT, "size": 13}},
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": quiet, "activecolor": ink},
            "annotationdefaults": {
                "font": {"size": 13, "color": ink},
                "bgcolor": _faint(paper, 0.85),
                "arrowcolor": ink,
                "borderpad": 2,
            },
        },
        "data": {kind: [outline | {"type": kind}] for kind in ("scatter", "scattergl", "splom")},
    }


def _faint(colour: str, opacity: float) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity})"


def column_of(objectives: Sequence[Objective], name: str) -> int:
    """Return the place of an objective in a list of objectives; raise InputError if it is not there."""
    names = [o.name for o in objectives]
    one_of("objective", name, names)
    return names.index(name)


def legend_below(gap: float) -> dict[str, Any]:
    """Return the layout of a legend below the plot, where it hides nothing and has room for all lines."""
    legend = {"orientation": "h", "x": 0, "xanchor": "left", "y": -gap, "yanchor": "top", "itemsizing": "constant"}
    return {"showlegend": True, "legend": legend}
