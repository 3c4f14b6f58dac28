"""Figures of policies with weights: which job overtakes which."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.situations import SITUATIONS
from ..policies.explanation import Explanation
from ..policies.explanation_words import ARRIVAL, KINDS, WHEN, duration
from ..policies.greedy_explanation import EQUAL, LARGE, SMALL, GreedyExplanation, about, ranking, waiting
from .style import template, text

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# The longer a wait, the darker its colour, in steps up to these ends; the palest means: at once.
WAITS = ("#f0f2f4", "#e0edf8", "#cbe2f4", "#acd1ed", "#86bce3", "#2a78b5", "#0a4f8a", "#00224e")
WAIT_ENDS = {60: "1 min", 600: "10 min", 3600: "1 h", 86_400: "1 d", 864_000: "10 d", 8_640_000: "100 d"}
PANEL, BETWEEN_PANELS, PANEL_WIDE = 210, 112, 270  # pixels
MOST_NUMBERED = 8  # groups; with more, cells are too small for numbers
MOST_TICKS = 16


class Panel(NamedTuple):
    """A square of waits between jobs that differ only in their group, or only in their size.

    Attributes
    ----------
    what
        "group" or "size".
    names
        Names of the k groups or sizes.
    keys
        (k,) keys of new jobs.
    waits
        (k, k) seconds: row i has the waits after which other jobs go before a new job i.
    """

    what: str
    names: Sequence[str]
    keys: Floats
    waits: NDArray[np.int64]


def overtaking(explanation: Explanation) -> Figure:
    """Draw which job overtakes which in each situation: how long a job must have waited to go before a new one.

    Each situation is a column of panels. Two rows are between groups, with small and with large jobs; they are left out
    if there is only one group. The last row is between jobs of different sizes in one group.

    Parameters
    ----------
    explanation
        An explanation of Greedy.

    Raises
    ------
    InputError
        The policy is not Greedy, so its queue has no keys.
    """
    from plotly.subplots import make_subplots

    if not isinstance(explanation, GreedyExplanation):
        name = explanation.policy.name
        raise InputError(
            f"policy {name} cannot be drawn, because it has no weights and no rules; only Greedy and rule bases have"
        )
    policy = explanation.policy
    rows = {
        f"{KINDS[kind].name.capitalize()} jobs ({about(KINDS[kind])}), group against group": [
            Panel("group", policy.groups, explanation.keys[s, kind], explanation.among_groups(s, kind))
            for s in range(len(SITUATIONS))
        ]
        for kind in (SMALL, LARGE)
        if len(policy.groups) > 1
    }
    small, large = KINDS[SMALL], KINDS[LARGE]
    words = (
        f"narrow {small.width}, wide {large.width} processors; short {duration(small.estimate)}, "
        f"long {duration(large.estimate)}; small: narrow and short; large: wide and long"
    )
    rows[f"Jobs of one group, size against size ({words})"] = [
        Panel(
            "size",
            [kind.name for kind in KINDS],
            explanation.keys[s, :, explanation.heaviest(s)],
            explanation.among_kinds(s),
        )
        for s in range(len(SITUATIONS))
    ]
    between = BETWEEN_PANELS + (35 if _must_slant(policy.groups) else 0)
    plots = len(rows) * PANEL + (len(rows) - 1) * between
    figure = make_subplots(
        rows=len(rows), cols=len(SITUATIONS), horizontal_spacing=0.05, vertical_spacing=between / plots
    )
    for r, (title, panels) in enumerate(rows.items(), 1):
        for c, panel in enumerate(panels, 1):
            _draw_panel(figure, r, c, panel)
            lines = [(text(f"new jobs: {ranking(panel.keys, panel.names)}", 50), 12, 1)]
            if c == 1:
                lines.append((title, 14, 23))
            if r == 1:
                situation = SITUATIONS[c - 1]
                lines.append((f"<b>{situation}</b> ({WHEN[situation]}): {policy.criteria[c - 1]}", 13, 54))
            across, down = figure.get_subplot(r, c)
            for line, size, above in lines:
                figure.add_annotation(
                    {
                        "text": line,
                        "font": {"size": size},
                        "showarrow": False,
                        "yshift": above,
                        "bgcolor": "rgba(0,0,0,0)",
                    }
                    | {"x": across.domain[0], "xref": "paper", "xanchor": "left"}
                    | {"y": down.domain[1], "yref": "paper", "yanchor": "bottom"}
                )
    reading = "how long a job (column) must have waited to go before one that is new (row)"
    signs = f"0 at once &nbsp; = in {ARRIVAL} &nbsp; never: not within a hundred years"
    figure.update_layout(
        template=template(),
        title={
            "text": f"{text(policy.name)}: who overtakes whom, and when",
            "subtitle": {"text": f"{reading}<br>{signs}"},
        },
        height=plots + 170 + 60,
        margin={"l": 110, "r": 20, "t": 170, "b": 60},
        coloraxis=_wait_colours(),
    )
    return figure


def _draw_panel(figure: Figure, row: int, column: int, panel: Panel) -> None:
    from plotly import graph_objects as go

    names = [text(name, 14) for name in panel.names]
    count = len(names)
    shades = np.where(panel.waits == 0, 0, 1 + np.searchsorted([*WAIT_ENDS], panel.waits))
    shades[panel.waits < 0] = len(WAITS) - 1
    chart = go.Heatmap(
        z=shades,
        text=[[waiting(panel.waits, i, j) for j in range(count)] for i in range(count)],
        customdata=[[_passing(panel, names, i, j) for j in range(count)] for i in range(count)],
        coloraxis="coloraxis",
        xgap=1.5,
        ygap=1.5,
        texttemplate="%{text}" if count <= MOST_NUMBERED else None,
        textfont={"size": 13 if count <= 5 else 10},
        hovertemplate="%{customdata}<extra></extra>",
    )
    figure.add_trace(chart, row=row, col=column)
    ticks = _ticks(count)
    plain = {"tickvals": ticks, "ticktext": [names[tick] for tick in ticks], "ticks": "", "title_standoff": 4}
    bare = {"showgrid": False, "showline": False}
    ends = [-0.5, count - 0.5]
    place = {"row": row, "col": column}
    across = {"title_text": f"waiting job, by {panel.what}", "tickangle": -35 if _must_slant(panel.names) else 0}
    figure.update_xaxes(**plain, **bare, **across, **place, range=ends)
    down = {"title_text": f"new job, by {panel.what}"} if column == 1 else {"showticklabels": False}
    figure.update_yaxes(**plain, **bare, **down, **place, range=ends[::-1])


def _ticks(count: int) -> list[int]:
    return list(range(0, count, -(-count // MOST_TICKS)))


def _must_slant(names: Sequence[str]) -> bool:
    """Return whether names are too long to fit beside each other below a panel."""
    longest = min(max(map(len, names)), 14)
    return 6 * longest * len(_ticks(len(names))) > PANEL_WIDE


def _passing(panel: Panel, names: Sequence[str], new: int, other: int) -> str:
    """Return in words what a cell means."""
    wait = int(panel.waits[new, other])
    short = waiting(panel.waits, new, other)
    if short == EQUAL:
        return f"{names[other]} and {names[new]}: in {ARRIVAL}"
    when = "never" if wait < 0 else f"after {short} ({wait:,d} s)" if wait else "at once"
    return f"{names[other]} goes before a new {names[new]}: {when}"


def _wait_colours() -> dict[str, Any]:
    count = len(WAITS)
    ticks = {0.0: "at once"} | {k + 1.5: words for k, words in enumerate(WAIT_ENDS.values())} | {count - 0.6: "never"}
    return {
        "cmin": -0.5,
        "cmax": count - 0.5,
        "colorscale": [((k + end) / count, colour) for k, colour in enumerate(WAITS) for end in (0, 1)],
        "colorbar": {"tickvals": [*ticks], "ticktext": [*ticks.values()], "xpad": 20},
    }
