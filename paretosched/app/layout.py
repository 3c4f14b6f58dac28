"""The frame of the page as Dash components: its head, the charts, and its three tabs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dash import dcc, html

from ..comparison.waits_table import NOTABLE
from .actions import EXAMPLE
from .contents import Contents
from .desk import Desk
from .tab_compare import compare_tab
from .tab_train import train_tab
from .tab_wish import wish_fields, wish_tab
from .widgets import asked_part, axis_list, button, exports, heading, screen_label, selection, switch, words_field

TABS = {"wish": "1 · Wish", "compare": "2 · Compare", "train": "3 · Scheduler"}
DOCUMENT = """<!DOCTYPE html>
<html lang="en"><head>{%metas%}<meta name="color-scheme" content="light dark"><title>{%title%}</title>
<link rel="icon" href="data:,">{%css%}</head>
<body>{%app_entry%}<footer>{%config%}{%scripts%}{%renderer%}</footer></body></html>"""


def page(desk: Desk, contents: Contents) -> Any:
    """Return the page with its first contents."""
    parts = [part(desk, contents.pieces) for part in (_question, _side, _charts)]  # in the order of a narrow page
    tabs = html.Main(parts, id="ask")
    return html.Div(
        [
            dcc.Store(id="said"),
            dcc.Store(id="scene", data=contents.scene | {"turn": 0, "message": ""}),
            dcc.Store(id="figures", data=contents.figures),
            dcc.Store(id="held", data=contents.digests),
            html.Button("Skip to what you want", id="skip", className="button strong"),
            _header(desk, contents.pieces),
            html.P(contents.pieces["other-machine"], id="other-machine", role="note"),
            tabs,
        ],
        id="page",
        **{"data-tab": "wish", "data-mode": "ranges", "data-view": "overview"},
    )


def _header(desk: Desk, contents: Mapping[str, Any]) -> Any:
    """Return the head of the page: what it shows, undo, files, and the theme."""
    return html.Header(
        [
            html.H1([html.B("paretosched"), " ", html.Span(desk.front.workload, className="name")], className="brand"),
            html.Div(
                [
                    html.P(
                        contents["facts"],
                        id="facts",
                        title="none of these schedules is better than another in everything",
                    ),
                    _further(contents),
                    html.Details(
                        [html.Summary("The machine"), html.Div(contents["machine"], id="machine")], className="menu"
                    ),
                ],
                className="facts",
            ),
            html.Label(["My scheduler: ", html.Select(id="mine")], className="check", id="mine-label", hidden=True),
            button("↶ Undo", {"do": "undo"}, id="undo", title="Undo (Ctrl+Z)"),
            button("↷ Redo", {"do": "redo"}, id="redo", title="Redo (Ctrl+Shift+Z)"),
            html.A(
                "Save a copy",
                href="page.json",
                download="paretosched-page.json",
                className="button",
                title="Everything on this page as one file, for a colleague",
            ),
            html.Button("Open…", id="open", className="button", title="Open such a file"),
            html.Button("◐ auto", id="theme", className="button", title="Light, dark, or as the system"),
        ]
    )


def _further(contents: Mapping[str, Any]) -> Any:
    """Return the menu that explores the run further."""
    return html.Details(
        [html.Summary("Explore further"), html.Div(contents["further"], id="further")], className="menu"
    )


def _question(desk: Desk, contents: Mapping[str, Any]) -> Any:
    """Return the centre of the page: the question, who waits how long, and the two buttons of an owner."""
    hint = "Your wish in words; hours and per cent"
    wish = wish_fields(desk.state, desk.front)["text"]
    note = f"↓ shorter, ↑ longer than in the first column by more than {NOTABLE:g} % · press a number for its jobs"
    return html.Section(
        [
            html.Div(
                [
                    words_field("text", {"do": "say"}, "text", "What do you want?", wish, f"{hint}: {EXAMPLE}"),
                    html.Button("Send", id="send", className="button strong", title="Send the wish (Enter)"),
                    button("Clear", {"do": "say", "text": ""}, id="clear"),
                ],
                className="text",
            ),
            html.Div(contents["remarks"], id="remarks"),
            html.Div(contents["two-buttons"], id="two-buttons", className="row"),
            html.Div(
                [
                    html.Div(html.H2(["Who waits how long", html.Small(note)]), className="head"),
                    html.Div(asked_part("table"), id="table", **{"aria-live": "polite"}),
                    html.Div(contents["groupings"], id="groupings"),
                    html.Div(asked_part("jobs"), id="behind", hidden=True, **{"aria-live": "polite"}),
                ],
                className="card who",
            ),
        ],
        className="first",
        **screen_label("Who waits how long"),
    )


def _side(desk: Desk, contents: Mapping[str, Any]) -> Any:
    """Return the side of the page where the owner says what is wanted: three tabs, and messages above them."""
    buttons = [html.Button(words, className="choice", **{"data-tab": key}) for key, words in TABS.items()]
    left = html.Div(id="left", title="schedules within all limits of the wish", **{"aria-live": "polite"})
    panels = {"wish": wish_tab(desk, contents), "compare": compare_tab(contents), "train": train_tab(contents)}
    return html.Section(
        [
            html.Div(  # beside the charts it is seen while one brushes them
                [html.Nav(buttons, **screen_label("What to do")), left],
                className="top",
            ),
            html.P(id="message", role="alert"),  # above all three tabs
            html.Div(id="offer", role="status"),
            html.Div([html.Div(panel, className=f"panel {name}") for name, panel in panels.items()], id="panels"),
            html.Div(id="unsent", role="status"),  # below them, so that nothing moves under a hand that types
        ],
        className="side",
        **screen_label("What you want"),
    )


def _charts(desk: Desk, contents: Mapping[str, Any]) -> Any:
    """Return the left side of the page: what is possible, in words and charts."""
    names = [o.name for o in desk.front.defined_objectives]
    views = [
        html.Button("Overview", className="choice", **{"data-view": "overview"}),
        html.Button("All pairs", className="choice", **{"data-view": "pairs"}),
        html.Button("Over time", className="choice", **{"data-view": "time"}),
    ]
    across, up = (selection(names, key, where) for key, where in (("across", "to the right"), ("up", "upwards")))
    bar = [
        html.Div(views, className="tabs"),
        switch("fit", "fit axes", "axes cover what remains only"),
        switch("log", "log axes", "logarithmic axes for response times"),
        axis_list(names),
        html.Div(id="legend", role="group", **screen_label("marks; press one to hide or show it")),
    ]
    two = [
        html.Div(
            [
                html.Div([html.H2([across, " and ", up]), exports("free", "two objectives")], className="head"),
                html.Div(html.Div(id="free", className="graph"), className="cloud"),
            ],
            className="card",
        ),
        html.Div(
            [
                heading("UTIL and AWRT", "drag to keep what is inside", "util"),
                html.Div(html.Div(id="util", className="graph"), className="cloud"),
            ],
            className="card",
        ),
    ]
    parallel = [
        heading(
            "All objectives at once",
            "drag along an axis to keep what passes there · better is up\u00a0↑",
            "parallel",
        ),
        html.Div(html.Div(id="parallel", className="drawing"), className="wide"),
    ]
    pairs = [
        heading(
            "Every two objectives",
            "drag to keep what is inside · click one to see it large · response times on logarithmic axes, hours",
            "pairs",
        ),
        html.Div(html.Div(id="pairs", className="drawing"), className="wide"),
    ]
    return html.Section(
        [
            html.P(contents["words"], id="words"),
            html.Div(bar, className="bar"),
            html.Div(parallel, className="card overview grow"),
            html.Div(two, className="two overview grow"),
            html.Div(pairs, className="card pairs grow"),
            html.Div(_over_time(), className="card time grow"),
        ],
        className="see",
        **screen_label("What is possible"),
    )


def _over_time() -> list[Any]:
    """Return the place of the months of two schedules, of a week of both, and of what is said of a job in it."""
    small = "drag across it to see that time below; a double click shows all"
    head = html.H2(["Your scheduler and the chosen schedule over time", html.Small(small)])
    again = html.Button("Worst week", id="worst-week", title="The week in which jobs wait longest under your scheduler")
    parts = [html.Div(asked_part(key), **{"data-part": key, "aria-live": "polite"}) for key in ("time", "week", "job")]
    return [html.Div([head, again], className="head"), html.Div(parts, className="over-time")]
