"""The second tab of the page: the shortlist beside today's schedule and the trained policies."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from ..plots.style import defined_objectives
from ..simulation.objective import improvement
from . import tags
from .charts import LETTERS, PICK_LOOKS, differences, value_text
from .desk import Desk
from .state_view import View
from .widgets import button, card_host, gain_in_words, heading, meaning_of, text_field


def schedules_to_compare(desk: Desk) -> tuple[dict[str, Any], str | None, dict[str, str]]:
    """Return the values of the schedules to compare by name, the name of the reference, and the notes."""
    columns: dict[str, Any] = {}
    if desk.today is not None:
        columns[desk.today[0]] = desk.today[1]
    for number, values in sorted(desk.trained_values.items()):
        columns[f"trained {number}"] = values
    notes = {}
    for letter, pick in zip(LETTERS, desk.state.picks, strict=False):
        columns[letter] = desk.front.values[pick.row]
        notes[letter] = pick.note
    return columns, next(iter(columns), None), notes


def compare_tab(desk: Desk, view: View) -> list[Any]:
    """Return the contents of the tab."""
    columns, reference, _ = schedules_to_compare(desk)
    state = desk.state
    if not columns:
        return [
            tags.p(
                "Put schedules on the shortlist to compare them: choose one in a chart, then “+ Shortlist”.",
                className="empty",
            )
        ]
    objectives = [(j, o) for j, o in enumerate(desk.front.objectives) if o in defined_objectives(desk.front)]
    rows = {letter: pick.row for letter, pick in zip(LETTERS, state.picks, strict=False)}
    head = tags.tr(
        [
            tags.td(),
            *(
                tags.th(
                    [
                        tags.b(name),
                        tags.small(
                            f"no. {rows[name]}" if name in rows else "today" if name == reference else "scheduler"
                        ),
                    ],
                    scope="col",
                )
                for name in columns
            ),
        ]
    )
    lines = []
    for j, o in objectives:
        cells: list[Any] = [tags.th([o.name, tags.small(meaning_of(o))], scope="row")]
        for name, values in columns.items():
            cells.append(
                tags.td(
                    [value_text(o, float(values[j]))]
                    + (
                        []
                        if name == reference or reference is None
                        else [
                            tags.br(),
                            gain_in_words(
                                o, float(improvement(values[j : j + 1], columns[reference][j : j + 1])[0]), short=True
                            ),
                        ]
                    ),
                    **{"data-cell": f"{name} {o.name}"},
                )
            )
        lines.append(tags.tr(cells))
    picks = [
        tags.div(
            [
                tags.b(letter, className=f"letter pick-{number % PICK_LOOKS}"),
                tags.span(
                    text_field(
                        {"do": "note", "row": pick.row},
                        "text",
                        f"why {letter}",
                        pick.note,
                        f"why schedule {pick.row}?",
                    ),
                    className="field wide",
                ),
                button("look", {"do": "choose", "row": pick.row}, className="link"),
                button("remove", {"do": "drop", "row": pick.row}, className="link"),
            ],
            className="pick",
            id=f"pick-{pick.row}",
        )
        for number, (letter, pick) in enumerate(zip(LETTERS, state.picks, strict=False))
    ]
    note = f"Response times in hours, UTIL in per cent; differences to {reference}." + (
        " ▲ better, ▼ worse."
        if desk.comparison
        else " Start the page with --trace to see EASY, FCFS and conservative backfilling here."
    )
    parts = [
        tags.div(tags.table([tags.thead(head), tags.tbody(lines)], id="compared"), className="scroll"),
        tags.p([note, " ", tags.a("CSV", href="shortlist.csv", download="shortlist.csv")], className="quiet"),
        tags.div(picks, id="picks")
        if picks
        else tags.p("The shortlist is empty: choose a schedule in a chart, then “+ Shortlist”.", className="empty"),
    ]
    parts.append(_what_if_card(desk, view))
    if desk.today is not None:
        parts += [
            tags.div(
                [
                    tags.h3([tags.b(letter, className=f"letter pick-{number % PICK_LOOKS}"), f" Schedule {pick.row}"]),
                    card_host(desk, pick.row, "compare"),
                ],
                className="card",
            )
            for number, (letter, pick) in enumerate(zip(LETTERS, state.picks, strict=False))
        ]
    others = {name: values for name, values in columns.items() if name != reference}
    if reference is not None and others:
        figure = differences(desk.front.objectives, (reference, columns[reference]), others)
        graph = tags.div(
            id="differences",
            className="graph",
            style=f"height: {figure.layout.height}px",
            **{"data-figure": figure.to_json(), "data-own": ""},
        )
        parts += [tags.div([heading(f"Difference to {reference}", "", "differences"), graph], className="card")]
    return parts


def _what_if_card(desk: Desk, view: View) -> Any:
    """Return the questions "what if" as parts to be opened; each is answered then, for the first of the shortlist."""
    asked = desk.questions()
    if desk.today is None or not asked:
        return None
    rows = "-".join(str(pick.row) for pick in desk.state.picks[:3]) or str(view.row)
    end = urlencode({"today": desk.today[0]})
    parts = [
        tags.details(
            [
                tags.summary(question.words),
                tags.div(
                    className="consequences",
                    **{"data-own": "", "data-card": f"what-if/{desk.digest}/{number}/{rows}?{end}"},
                ),
            ],
            id=f"what-if-{number}",
        )
        for number, question in enumerate(asked)
    ]
    title = tags.div(tags.h2(["What if …", tags.small("the same schedulers with other jobs")]), className="head")
    return tags.div([title, *parts], className="card", id="what-if")
