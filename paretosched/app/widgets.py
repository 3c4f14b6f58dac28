"""The small parts of which the page is made: buttons, fields and links, as Dash components.

A button or field carries in `data-do` what the browser is to say when it is used: an action of `state.after`, into
which a field puts its value under `data-key`. So one callback serves the whole page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from ..simulation.objective import Objective
from .charts import brief, unit_of

GRAPH = {
    "displaylogo": False,
    "modeBarButtons": [["zoom2d", "pan2d", "resetScale2d"]],
    "plotlyServerURL": "",
    "responsive": True,
    "doubleClick": False,
}


def csv_links(tables: Mapping[str, str]) -> list[Any]:
    """Link to tables as CSV."""
    links = [html.A(words, href=f"{name}.csv", download=f"{name}.csv") for words, name in tables.items()]
    return [part for link in links for part in (link, " · ")][:-1]


def heading(words: str, small: str, key: str) -> Any:
    """Put words over a chart, and the links that save it."""
    return html.Div([html.H2([words, html.Small(small)]), exports(key)], className="head")


def exports(key: str) -> Any:
    """Link to a figure as PNG and SVG."""
    return html.Span(
        [
            html.Button(
                kind.upper(), className="link", title=f"save as {kind.upper()}", **{"data-export": f"{key} {kind}"}
            )
            for kind in ("png", "svg")
        ],
        className="export",
    )


def selection(names: Sequence[str], key: str, where: str) -> Any:
    """Let one of the objectives be chosen for an axis."""
    return html.Select(
        [html.Option(name, value=name) for name in names], id=key, className="axis", **labelled(f"objective {where}")
    )


def button(words: str, do: Mapping[str, Any], *, className: str = "button", **more: Any) -> Any:
    """Make a button that says one thing to the server."""
    return html.Button(words, className=className, **{"data-do": json.dumps(do)}, **more)


def check_box(key: str, words: str, meaning: str) -> Any:
    """Make a check box of how charts look."""
    made = html.Span(className="field", id=key, **field({"do": "look"}, key, meaning, kind="check"))
    return html.Label([made, words], className="check", title=meaning)


def number_field(do: Mapping[str, Any], key: str, label: str, value: str, factor: float) -> Any:
    """Make a field for a number; `factor` leads from what is typed to natural units."""
    return html.Span(className="field", **field(do, key, label, value, factor=factor))


def field(
    do: Mapping[str, Any],
    key: str,
    label: str,
    value: str = "",
    *,
    kind: str = "number",
    factor: float = 1.0,
    hint: str = "",
) -> dict[str, str]:
    """Say what a field is for; the browser makes its input."""
    return {
        "data-field": kind,
        "data-do": json.dumps(do),
        "data-key": key,
        "data-label": label,
        "data-value": value,
        "data-factor": repr(factor),
        "data-hint": hint,
    }


def labelled(words: str) -> dict[str, str]:
    """Say what something is to who does not see it."""
    return {"aria-label": words}


def meaning_of(o: Objective) -> str:
    """Say in a few words what an objective is, and its unit."""
    return {"UTIL": "utilisation, %", "AWRT": "all jobs, h"}.get(o.name, f"{brief(o)}, {unit_of(o)}")
