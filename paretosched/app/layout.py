"""The frame of the page as Dash components: its head, the charts, and its three tabs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dash import dcc, html

from ..fronts.front import Front
from ..plots.style import defined_objectives
from .charts import mark_styles, unit_of, value_text
from .desk import Desk
from .state_view import View
from .tab_compare import compare_tab
from .tab_train import train_tab
from .tab_wish import wish_tab
from .widgets import GRAPH, button, check_box, exports, heading, screen_label, selection


def page(desk: Desk, contents: Mapping[str, Any]) -> Any:
    """Return the page with its first contents, see `server`."""
    front = desk.front
    names = [o.name for o in defined_objectives(front)]
    facts = f"{_schedules(len(front))}, none better than another in everything, out of {front.evaluations:,} simulated"
    return html.Div(
        id="page",
        children=[
            dcc.Store(id="said"),
            dcc.Store(id="scene", data=contents["scene"]),
            html.Header(
                [
                    html.Div([html.B("paretosched"), html.Span(front.workload, className="name")], className="brand"),
                    html.P(facts, className="facts"),
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
                    html.Button(
                        "◐",
                        id="theme",
                        className="button",
                        title="Light, dark, or as the system",
                        **screen_label("Light, dark, or as the system"),
                    ),
                ]
            ),
            html.Main(
                [
                    html.Section(_charts(names, contents), className="see", **screen_label("What is possible")),
                    html.Section(
                        [
                            html.Nav(
                                [
                                    html.Button(words, className="choice", **{"data-tab": key})
                                    for key, words in (
                                        ("wish", "1 · Wish"),
                                        ("compare", "2 · Compare"),
                                        ("train", "3 · Scheduler"),
                                    )
                                ]
                            ),
                            html.P(id="message", role="alert"),  # above all three tabs
                            html.Div(contents["ask"], id="ask"),
                        ],
                        className="side",
                        **screen_label("What you want"),
                    ),
                ]
            ),
        ],
        **{"data-tab": "wish", "data-mode": "ranges", "data-view": "overview"},
    )


def tab_panels(desk: Desk, view: View) -> list[Any]:
    """Return the three tabs; the browser shows one of them. The first has the number of the server's answer."""
    return [
        html.Div(wish_tab(desk, view), className="panel wish", **{"data-revision": str(desk.revision)}),
        html.Div(compare_tab(desk), className="panel compare"),
        html.Div(train_tab(desk), className="panel train"),
    ]


def _charts(names: Sequence[str], contents: Mapping[str, Any]) -> list[Any]:
    """Return the left side of the page: what is possible, in words and charts."""
    return [
        html.P(contents["scene"]["words"], id="words"),
        html.Div(
            [
                html.Div(
                    [
                        html.Button("Overview", className="choice", **{"data-view": "overview"}),
                        html.Button("All pairs", className="choice", **{"data-view": "pairs"}),
                    ],
                    className="tabs",
                ),
                check_box("fit", "fit axes", "axes cover what remains only"),
                check_box("log", "log axes", "logarithmic axes for response times"),
                html.Div(id="legend"),
            ],
            className="bar",
        ),
        html.Div(
            [
                heading(
                    "All objectives at once",
                    "drag along an axis to keep what passes there · better is up ↑",
                    "parallel",
                ),
                html.Div(id="parallel", className="drawing"),
            ],
            className="card overview grow",
        ),
        html.Div(
            [
                html.Div(
                    [
                        html.Div(
                            [
                                html.H2(
                                    [
                                        selection(names, "across", "to the right"),
                                        " and ",
                                        selection(names, "up", "upwards"),
                                    ]
                                ),
                                exports("free"),
                            ],
                            className="head",
                        ),
                        html.Div(
                            dcc.Graph(id="free", figure=contents["free"], config=GRAPH, style={"height": "100%"}),
                            className="cloud",
                        ),
                    ],
                    className="card",
                ),
                html.Div(
                    [
                        heading("UTIL and AWRT", "drag to keep what is inside", "util"),
                        html.Div(
                            dcc.Graph(id="util", figure=contents["util"], config=GRAPH, style={"height": "100%"}),
                            className="cloud",
                        ),
                    ],
                    className="card",
                ),
            ],
            className="two overview grow",
        ),
        html.Div(
            [
                heading(
                    "Every two objectives",
                    "click one to see it large · response times on logarithmic axes, hours",
                    "pairs",
                ),
                html.Div(id="pairs", className="drawing"),
            ],
            className="card pairs grow",
        ),
    ]


def _schedules(number: int) -> str:
    return f"{number:,} schedule{'' if number == 1 else 's'}"


def legend(front: Front, marks: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the marks with their colours, symbols and values in words, for the browser."""
    return [
        {"name": name, "colour": hue, "symbol": symbol, "title": _values_in_words(front, marks[name])}
        for name, (hue, symbol) in mark_styles(marks).items()
    ]


def _values_in_words(front: Front, values: Any) -> str:
    return "\n".join(
        f"{o.name} {value_text(o, float(v))} {unit_of(o)}"
        for o, v in zip(front.objectives, values, strict=True)
        if o in defined_objectives(front)
    )
