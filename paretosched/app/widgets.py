"""The small parts of the page: buttons, fields and links, as Dash components.

A button or field has in `data-do` the action that the browser sends when the owner uses it, see `actions`. A field
puts its value into the action under `data-key`. In `data-value` it has the server's value: what differs from it in the
browser is not sent yet, and stays there whatever the server answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from dash import dcc, html

from ..report.svg import brief
from ..simulation.objective import Objective, with_group
from .charts import unit_of

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
    return html.Div([html.H2([words, html.Small(small)]), exports(key, words)], className="head")


def exports(key: str, chart: str) -> Any:
    """Return buttons that save a chart as PNG and SVG."""
    buttons = [
        html.Button(
            kind.upper(),
            className="link",
            title=f"save as {kind.upper()}",
            **{"data-export": f"{key} {kind}"},
            **screen_label(f"{kind.upper()}: save “{chart}”"),
        )
        for kind in ("png", "svg")
    ]
    return html.Span(buttons, className="export")


def selection(names: Sequence[str], key: str, where: str) -> Any:
    """Return a list from which the owner chooses the objective of an axis; the browser shows the chosen one."""
    options = [html.Option(name, value=name) for name in names]
    return html.Select(options, id=key, className="axis", **screen_label(f"objective {where}"))


def button(words: str, do: Mapping[str, Any], *, className: str = "button", **more: Any) -> Any:
    """Return a button that sends one action to the server."""
    return html.Button(words, className=className, **{"data-do": json.dumps(do)}, **more)


def switch(key: str, words: str, meaning: str) -> Any:
    """Return a button that switches something in the look of the charts on and off; the browser presses it."""
    return html.Button(words, id=key, className="switch", title=meaning, **{"data-switch": key})


def axis_list(names: Sequence[str]) -> html.Details:
    """Return a list from which the owner chooses the axes and their order; the browser presses those that are shown."""
    rows = []
    for name in names:
        left, right = (
            html.Button(sign, className="link", **{"data-step": step}, **screen_label(f"{name} to the {side}"))
            for sign, step, side in (("←", "-1", "left"), ("→", "1", "right"))
        )
        show = html.Button(name, className="switch", title="show or hide this axis")
        rows.append(html.Div([left, right, show], **{"data-axis-row": name}))
    return html.Details([html.Summary("Axes"), html.Div(rows)], id="axes", className="menu")


def number_field(
    key: str, do: Mapping[str, Any], part: str, label: str, value: str, factor: float, **more: str
) -> html.Label:
    """Return a field for a number.

    Parameters
    ----------
    key
        Id of the field.
    do, part
        The action that the browser sends, and the key in it under which it puts the number.
    label, value
        What a screen reader calls the field, and the text in it.
    factor
        Leads from the number in the field to natural units.
    """
    box = dcc.Input(
        id=f"{key}-input", type="text", value=value, inputMode="decimal", autoComplete="off", spellCheck=False
    )
    return _field(key, "number", do, part, label, box, {"data-factor": repr(factor)} | more)


def text_field(key: str, do: Mapping[str, Any], part: str, label: str, value: str, hint: str) -> html.Label:
    """Return a field for a line of text; `hint` stands in it as long as it is empty.

    It is one that Dash keeps no state of: where Dash builds a list again, it would write that over what is being typed.
    """
    box = html.Textarea(value, id=f"{key}-input", className="line", rows=1, placeholder=hint, spellCheck="false")
    return _field(key, "text", do, part, label, box, {"data-value": value})


def words_field(key: str, do: Mapping[str, Any], part: str, label: str, value: str, hint: str) -> html.Label:
    """Return a field for a few lines of text; `hint` stands in it as long as it is empty."""
    box = dcc.Textarea(id=f"{key}-input", value=value, placeholder=hint, rows=2, spellCheck="false")
    return _field(key, "words", do, part, label, box, {})


def class_field(key: str, name: str, classes: Sequence[str], value: str) -> html.Label:
    """Return a list from which the owner chooses the class of an objective."""
    box = html.Select([html.Option(c, value=c) for c in classes], id=f"{key}-input", className="class")
    return _field(
        key, "class", {"do": "nothing"}, "class", f"class of {name}", box, {"data-value": value, "data-name": name}
    )


def _field(
    key: str, kind: str, do: Mapping[str, Any], part: str, label: str, box: Any, more: Mapping[str, str]
) -> html.Label:
    """Return a field: a label around the box that the owner types into, with what the browser must know of it."""
    value = getattr(box, "value", "")
    data = {"data-field": kind, "data-do": json.dumps(do), "data-key": part, "data-value": value}
    wide = "" if kind in ("number", "class") else " wide"
    return html.Label([html.Span(label, className="unseen"), box], id=key, className=f"field{wide}", **{**data, **more})


def asked_part(key: str, question: str = "") -> list[Any]:
    """Return the place of what the server tells when the browser asks for it, and the store of the question.

    Without a `question`, see `cards`, the answers of the server say which one belongs to this place.
    """
    ask = {"data-ask": question} if question else {}
    host = html.Div(id={"part": "told", "place": key}, className="consequences", **{"data-told": key}, **ask)
    return [dcc.Store(id={"part": "ask", "place": key}), host]


def opened_part(key: str, words: str, question: str = "") -> html.Details:
    """Return a part to be opened; what is in it is asked for then, see `asked_part`."""
    return html.Details([html.Summary(words), *asked_part(key, question)], id=key)


def progress_bar(done: int, total: int, words: str, label: str) -> html.Div:
    """Return how far something is, as a bar with words beside it; `label` is for a screen reader."""
    bar = html.Progress(value=str(done), max=str(max(total, 1)), **screen_label(label))
    title = f"{done:,} of {total:,} schedules simulated"
    return html.Div([bar, html.Span(words, className="quiet", title=title)], className="progress")


def time_text(seconds: float | None) -> str:
    """Return how long something still takes, in minutes.

    Examples
    --------
    >>> [time_text(x) for x in (None, 60, 61, 6000)]
    ['time left not known yet', 'at most a minute left', 'about 2 minutes left', 'about 100 minutes left']
    """
    if seconds is None:
        return "time left not known yet"
    return "at most a minute left" if seconds <= 60 else f"about {math.ceil(seconds / 60)} minutes left"


def screen_label(words: str) -> dict[str, str]:
    """Return the attribute that names an element for a screen reader."""
    return {"aria-label": words}


def meaning_of(o: Objective) -> str:
    """Return in a few words what an objective is, and its unit."""
    words = {"UTIL": "utilisation", "AWRT": "all jobs"}.get(o.name, brief(o))
    return ", ".join(filter(None, (words, unit_of(o))))


def group_name(o: Objective) -> str:
    """Return the name of the group of a response time; "" if that is only its number."""
    return "" if with_group(o) == o.name else brief(o, 24).removeprefix("group ")


def gain_in_words(o: Objective, gain: float, short: bool = False) -> Any:
    """Return how much better or worse a value is.

    `gain`, in per cent, is (reference - X) / reference: above 0 is better, but for UTIL below 0 is better.
    """
    number = round(-gain if o.maximise else gain, 1) + 0.0
    kind, sign = ("same", "=") if number == 0 else ("better", "▲") if number > 0 else ("worse", "▼")
    size = f"{abs(number):,.{0 if abs(number) >= 1000 else 1}f} %"
    words = "same" if number == 0 else size if short else f"{size} {kind}"
    return html.Span(f"{sign} {words}", className=kind, title=kind)


def capital(words: str) -> str:
    """Return words as they stand at the beginning of a line."""
    return words[:1].upper() + words[1:]


def as_one(parts: Sequence[Any]) -> Any:
    """Return parts as one element, with their text in `data-html`, which the browser puts in.

    Dash looks after each of its components at every answer, so a table of hundreds of them made all answers slower.
    """
    return html.Div(**{"data-html": "".join(map(html_text, parts))})


def html_text(part: Any) -> str:
    """Return a component of `dash.html`, a text, or nothing as HTML.

    Examples
    --------
    >>> html_text(html.Td(["a < b", html.Small("c", className="x")], colSpan=2, hidden=True))
    '<td colspan="2" hidden>a &lt; b<small class="x">c</small></td>'
    """
    if part is None:
        return ""
    if isinstance(part, list | tuple):
        return "".join(map(html_text, part))
    if isinstance(part, str | int | float):
        return escape(str(part))
    words = []
    for name, value in part.to_plotly_json()["props"].items():
        if name != "children" and value is not None and value is not False:
            key = "class" if name == "className" else name.lower()
            words.append(f" {key}" if value is True else f' {key}="{escape(str(value))}"')
    tag = type(part).__name__.lower()
    return f"<{tag}{''.join(words)}>{html_text(part.children)}</{tag}>"
