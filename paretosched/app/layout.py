"""The frame of the page: its head, the charts, and its three tabs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import InputError
from ..deployment.steps import steps
from ..fronts.front import Front
from ..plots.style import defined_objectives
from ..policies.explanation import explain
from ..policies.policy import Policy
from . import tags
from .charts import mark_styles, unit_of, value_text
from .desk import Desk
from .state_view import View
from .tab_compare import compare_tab
from .tab_train import train_tab
from .tab_wish import wish_tab
from .tags import Element, Raw, to_html
from .widgets import button, check_box, exports, heading, screen_label, selection

TABS = {"wish": "1 · Wish", "compare": "2 · Compare", "train": "3 · Scheduler"}


def document(desk: Desk, contents: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """Return the whole page as HTML, with its first contents, see `server`.

    Parameters
    ----------
    desk
        The owner's work.
    contents
        What the server answers to an action.
    files
        The addresses of "style", "script" and "plotly".
    """
    front = desk.front
    inline = json.dumps(contents).replace("<", "\\u003c")  # without "<" nothing in it can end the element
    first = tags.script(Raw(inline), type="application/json", id="first")
    head = [
        tags.meta(charset="utf-8"),
        tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
        tags.meta(name="color-scheme", content="light dark"),
        tags.title(f"{front.workload} · paretosched"),
        tags.link(rel="icon", href="data:,"),
        tags.link(rel="stylesheet", href=files["style"]),
        tags.link(rel="preload", href=f"front/{desk.digest}.bin", **{"as": "fetch", "crossorigin": "anonymous"}),
        tags.script(src=files["script"], defer=True),
    ]
    page = tags.div(
        [_header(desk), tags.main([_charts(desk, contents), _side(contents)])],
        id="page",
        **{"data-tab": "wish", "data-mode": "ranges", "data-view": "overview", "data-plotly": files["plotly"]},
    )
    whole = tags.html_page([tags.head(head), tags.body([page, first])], lang="en")
    return f"<!DOCTYPE html>\n{to_html(whole)}"


def _header(desk: Desk) -> Element:
    """Return the head of the page: what it shows, undo, files, and the theme."""
    front = desk.front
    return tags.header(
        [
            tags.h1([tags.b("paretosched"), " ", tags.span(front.workload, className="name")], className="brand"),
            tags.p(facts(front), className="facts", id="facts"),
            tags.label(["My scheduler: ", tags.select([], id="mine")], className="check", id="mine-label", hidden=True),
            button("↶ Undo", {"do": "undo"}, id="undo", title="Undo (Ctrl+Z)"),
            button("↷ Redo", {"do": "redo"}, id="redo", title="Redo (Ctrl+Shift+Z)"),
            tags.a(
                "Save a copy",
                href="page.json",
                download="paretosched-page.json",
                className="button",
                title="Everything on this page as one file, for a colleague",
            ),
            tags.button("Open…", id="open", className="button", title="Open such a file"),
            tags.button("◐ auto", id="theme", className="button", title="Light, dark, or as the system"),
        ]
    )


def facts(front: Front) -> str:
    """Return how many schedules there are, in words."""
    return f"{_schedules(len(front))}, none better than another in everything, out of {front.evaluations:,} simulated"


def _side(contents: Mapping[str, Any]) -> Element:
    """Return the side of the page where the owner says what is wanted: three tabs, and messages above them."""
    tabs = [tags.button(words, className="choice", **{"data-tab": key}) for key, words in TABS.items()]
    return tags.section(
        [
            tags.nav(tabs, **screen_label("What to do")),
            tags.p(id="message", role="alert"),  # above all three tabs
            tags.div(id="offer", role="status"),
            tags.div(id="unsent", role="status"),
            tags.div(Raw(contents["panels"]), id="ask"),
        ],
        className="side",
        **screen_label("What you want"),
    )


def tab_panels(desk: Desk, view: View) -> list[Element]:
    """Return the three tabs; the browser shows one of them. The first has the number of the server's answer."""
    return [
        tags.div(wish_tab(desk, view), className="panel wish", **{"data-revision": str(desk.revision)}),
        tags.div(compare_tab(desk, view), className="panel compare"),
        tags.div(train_tab(desk), className="panel train"),
    ]


def consequence_list(desk: Desk, row: int) -> list[Element]:
    """Return what the schedule of a row would change for whom, as a list of sentences."""
    lines = desk.consequences(row)
    if not lines or desk.today is None:
        return []
    name = desk.today[0]
    words = f"What it would change against {name}, every job counting once; “today” is {name}:"
    items = [tags.li(line.sentence, className=line.verdict, **{"data-group": line.group}) for line in lines]
    prices = [tags.li(sentence) for sentence in desk.prices(row)]
    note = "What the next hour costs, from a plane fitted to the schedules nearby (in brackets 90 of 100 refits):"
    return [
        tags.p(words, className="quiet"),
        tags.ul(items, className="changes"),
        *([tags.p(note, className="quiet"), tags.ul(prices, className="prices")] if prices else []),
    ]


def answer_list(desk: Desk, number: int, rows: Sequence[int]) -> list[Element]:
    """Return what a question does to the owner's scheduler and to the schedulers of rows, as lists of sentences."""
    try:
        told = desk.answer(number, rows)
    except InputError as error:
        return [tags.p(f"This cannot be tried: {error}.")]
    if told is None:
        return []
    parts = [tags.p(" ".join(told.today))]
    for row in rows:
        if row not in told.lines:
            parts.append(tags.p(f"Schedule {row} knows the future: no scheduler makes it with other jobs."))
            continue
        parts.append(tags.p([tags.b(f"The scheduler of schedule {row}"), " there, against today's:"]))
        items = [tags.li(line.sentence, className=line.verdict) for line in told.lines[row]]
        parts.append(tags.ul(items, className="changes"))
    return parts


def explanation(policy: Policy, file: str) -> list[Element]:
    """Return what a scheduler does, in words, and how to run it; `file` is the name under which it is saved."""
    text = explain(policy).text()
    parts = [tags.h3("What it does"), tags.pre(text, tabindex="0"), tags.h3("Run it")]
    try:
        told = steps(policy, file)
    except InputError as error:
        return [*parts, tags.p(f"No resource manager can run it as an order of its queue: {error}.")]
    items = [tags.li([step.words, tags.br(), tags.code(step.command)]) for step in told]
    return [*parts, tags.ol(items, className="steps")]


def _charts(desk: Desk, contents: Mapping[str, Any]) -> Element:
    """Return the left side of the page: what is possible, in words and charts."""
    state = desk.state
    names = [o.name for o in defined_objectives(desk.front)]
    views = [
        tags.button("Overview", className="choice", **{"data-view": "overview"}),
        tags.button("All pairs", className="choice", **{"data-view": "pairs"}),
    ]
    across, up = (
        selection(names, key, chosen, where)
        for key, chosen, where in (("across", state.across, "to the right"), ("up", state.up, "upwards"))
    )
    bar = [
        tags.div(views, className="tabs"),
        check_box("fit", "fit axes", "axes cover what remains only", checked=state.fit),
        check_box("log", "log axes", "logarithmic axes for response times", checked=state.log),
        tags.div(id="legend"),
    ]
    two = [
        tags.div(
            [
                tags.div([tags.h2([across, " and ", up]), exports("free", "two objectives")], className="head"),
                tags.div(tags.div(id="free", className="graph"), className="cloud"),
            ],
            className="card",
        ),
        tags.div(
            [
                heading("UTIL and AWRT", "drag to keep what is inside", "util"),
                tags.div(tags.div(id="util", className="graph"), className="cloud"),
            ],
            className="card",
        ),
    ]
    parallel = [
        heading("All objectives at once", "drag along an axis to keep what passes there · better is up ↑", "parallel"),
        tags.div(tags.div(id="parallel", className="drawing"), className="wide"),
    ]
    pairs = [
        heading(
            "Every two objectives", "click one to see it large · response times on logarithmic axes, hours", "pairs"
        ),
        tags.div(tags.div(id="pairs", className="drawing"), className="wide"),
    ]
    return tags.section(
        [
            tags.p(contents["scene"]["words"], id="words"),
            tags.div(bar, className="bar"),
            tags.div(parallel, className="card overview grow"),
            tags.div(two, className="two overview grow"),
            tags.div(pairs, className="card pairs grow"),
        ],
        className="see",
        **screen_label("What is possible"),
    )


def _schedules(number: int) -> str:
    return f"{number:,} schedule{'' if number == 1 else 's'}"


def legend(front: Front, marks: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the marks with their colours, symbols and values in words, for the browser."""
    return [
        {"name": name, "colour": hue, "symbol": symbol, "title": _values_in_words(front, marks[name])}
        for name, (hue, symbol) in mark_styles(marks).items()
    ]


def _values_in_words(front: Front, values: Sequence[float]) -> str:
    return "\n".join(
        f"{o.name} {value_text(o, float(v))} {unit_of(o)}"
        for o, v in zip(front.objectives, values, strict=True)
        if o in defined_objectives(front)
    )
