"""The small parts of the page: buttons, fields and links, as elements.

A button or field has in `data-do` the action that the browser sends when the owner uses it, see `actions`. A field
puts its value into the action under `data-key`. In `data-value` it has the server's value: what differs from it in the
browser is not sent yet, and stays there whatever the server answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from ..simulation.objective import Objective
from . import tags
from .charts import brief, unit_of
from .tags import Element

if TYPE_CHECKING:
    from .desk import Desk


def csv_links(tables: Mapping[str, str]) -> list[Any]:
    """Return links to tables as CSV."""
    links = [tags.a(words, href=f"{name}.csv", download=f"{name}.csv") for words, name in tables.items()]
    return [part for link in links for part in (link, " · ")][:-1]


def heading(words: str, small: str, key: str) -> Element:
    """Return the title of a chart, and the links that save it."""
    return tags.div([tags.h2([words, tags.small(small)]), exports(key, words)], className="head")


def exports(key: str, chart: str) -> Element:
    """Return buttons that save a chart as PNG and SVG."""
    buttons = [
        tags.button(
            kind.upper(),
            className="link",
            title=f"save as {kind.upper()}",
            **{"data-export": f"{key} {kind}"},
            **screen_label(f"{kind.upper()}: save “{chart}”"),
        )
        for kind in ("png", "svg")
    ]
    return tags.span(buttons, className="export")


def selection(names: Sequence[str], key: str, chosen: str, where: str) -> Element:
    """Return a list from which the owner chooses the objective of an axis."""
    options = [tags.option(name, value=name, selected=name == chosen) for name in names]
    return tags.select(options, id=key, className="axis", **screen_label(f"objective {where}"))


def button(words: str, do: Mapping[str, Any], *, className: str = "button", **more: Any) -> Element:
    """Return a button that sends one action to the server."""
    return tags.button(words, className=className, **{"data-do": json.dumps(do)}, **more)


def check_box(key: str, words: str, meaning: str, *, checked: bool) -> Element:
    """Return a check box for the look of the charts."""
    do = json.dumps({"do": "look"})
    box = tags.input_(
        type="checkbox", id=key, checked=checked, **{"data-field": "check", "data-do": do, "data-key": key}
    )
    return tags.label([box, words], className="check", title=meaning)


def number_field(do: Mapping[str, Any], key: str, label: str, value: str, factor: float, **more: str) -> Element:
    """Return a field for a number; `factor` leads from the number in the field to natural units."""
    described = _described("number", do, key, label, value) | {"data-factor": repr(factor)} | more
    return tags.input_(type="text", inputmode="decimal", value=value, **described)


def text_field(do: Mapping[str, Any], key: str, label: str, value: str, hint: str) -> Element:
    """Return a field for a line of text."""
    return tags.input_(type="text", value=value, placeholder=hint, **_described("text", do, key, label, value))


def words_field(do: Mapping[str, Any], key: str, label: str, value: str, hint: str) -> Element:
    """Return a field for a few lines of text."""
    return tags.textarea(value, rows="2", placeholder=hint, **_described("words", do, key, label, value))


def _described(kind: str, do: Mapping[str, Any], key: str, label: str, value: str) -> dict[str, str]:
    """Return the attributes that all fields have."""
    data = {"data-field": kind, "data-do": json.dumps(do), "data-key": key, "data-value": value}
    return data | {"autocomplete": "off", "spellcheck": "false"} | screen_label(label)


def card_host(desk: Desk, row: int, where: str = "wish") -> Element:
    """Return the place where the browser puts what a schedule would change for whom, which the server measures."""
    today = "" if desk.today is None else desk.today[0]
    place = f"card/{desk.digest}/{row}?{urlencode({'today': today})}"
    return tags.div(
        id=f"card-{where}-{row}" if where != "wish" else "card",
        className="consequences",
        **{"data-own": "", "data-card": place, "aria-live": "polite"},
    )


def explained(place: str, name: str) -> Element:
    """Return a part to be opened with what a scheduler does and how to run it; the browser fetches it from `place`."""
    host = tags.div(className="explained", **{"data-own": "", "data-card": place})
    return tags.details([tags.summary("What this scheduler does, and how to run it"), host], id=f"explain-{name}")


def screen_label(words: str) -> dict[str, str]:
    """Return the attribute that names an element for a screen reader."""
    return {"aria-label": words}


def meaning_of(o: Objective) -> str:
    """Return in a few words what an objective is, and its unit."""
    return {"UTIL": "utilisation, %", "AWRT": "all jobs, h"}.get(o.name, f"{brief(o)}, {unit_of(o)}")


def gain_in_words(o: Objective, gain: float, short: bool = False) -> Element:
    """Return how much better or worse a value is.

    `gain`, in per cent, is (reference - X) / reference: above 0 is better, but for UTIL below 0 is better.
    """
    number = round(-gain if o.maximise else gain, 1) + 0.0
    kind, sign = ("same", "=") if number == 0 else ("better", "▲") if number > 0 else ("worse", "▼")
    size = f"{abs(number):,.{0 if abs(number) >= 1000 else 1}f} %"
    words = "same" if number == 0 else size if short else f"{size} {kind}"
    return tags.span(f"{sign} {words}", className=kind, title=kind)
