"""The small parts of the page: buttons, fields and links, as Dash components.

A button or field has in `data-do` the action that the browser sends when the owner uses it, see `actions`. A field
puts its value into the action under `data-key`. So one callback serves the whole page.
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
    """Return links to tables as CSV."""
    links = [html.A(words, href=f"{name}.csv", download=f"{name}.csv") for words, name in tables.items()]
    return [part for link in links for part in (link, " · ")][:-1]


def heading(words: str, small: str, key: str) -> Any:
    """Return the title of a chart, and the links that save it."""
    return html.Div([html.H2([words, html.Small(small)]), exports(key)], className="head")


def exports(key: str) -> Any:
    """Return links to a figure as PNG and SVG."""
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
    """Return a list from which the owner chooses the objective of an axis."""
    return html.Select(
        [html.Option(name, value=name) for name in names],
        id=key,
        className="axis",
        **screen_label(f"objective {where}"),
    )


def button(words: str, do: Mapping[str, Any], *, className: str = "button", **more: Any) -> Any:
    """Return a button that sends one action to the server."""
    return html.Button(words, className=className, **{"data-do": json.dumps(do)}, **more)


def check_box(key: str, words: str, meaning: str) -> Any:
    """Return a check box for the look of the charts."""
    box = html.Span(className="field", id=key, **field({"do": "look"}, key, meaning, kind="check"))
    return html.Label([box, words], className="check", title=meaning)


def number_field(do: Mapping[str, Any], key: str, label: str, value: str, factor: float) -> Any:
    """Return a field for a number; `factor` leads from the number in the field to natural units."""
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
    """Return the attributes of a field; the browser adds the input to it."""
    return {
        "data-field": kind,
        "data-do": json.dumps(do),
        "data-key": key,
        "data-label": label,
        "data-value": value,
        "data-factor": repr(factor),
        "data-hint": hint,
    }


def screen_label(words: str) -> dict[str, str]:
    """Return the attribute that names an element for a screen reader."""
    return {"aria-label": words}


def meaning_of(o: Objective) -> str:
    """Return in a few words what an objective is, and its unit."""
    return {"UTIL": "utilisation, %", "AWRT": "all jobs, h"}.get(o.name, f"{brief(o)}, {unit_of(o)}")


def gain_in_words(o: Objective, gain: float, short: bool = False) -> Any:
    """Return how much better or worse a value is.

    `gain`, in per cent, is (reference - X) / reference: above 0 is better, but for UTIL below 0 is better.
    """
    number = round(-gain if o.maximise else gain, 1) + 0.0
    kind, sign = ("same", "=") if number == 0 else ("better", "▲") if number > 0 else ("worse", "▼")
    size = f"{abs(number):,.{0 if abs(number) >= 1000 else 1}f} %"
    words = "same" if number == 0 else size if short else f"{size} {kind}"
    return html.Span(f"{sign} {words}", className=kind, title=kind)
