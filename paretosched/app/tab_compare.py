"""The second tab of the page: the shortlist beside the owner's scheduler and the trained policies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from dash import dcc, html

from ..comparison.comparison import OVERBOOKED
from ..comparison.waits_table import is_recorded
from ..fronts.front import Front
from ..report.html_page import PICKS
from ..simulation.objective import Objective, improvement
from ..workload.resampling import why_not_resampled
from .cards import MOST_BESIDE, question
from .charts import differences, look_of, mark_styles, value_text
from .desk import Desk
from .history_view import history_list
from .state import Pick, better_row, pick_name, schedule_name
from .tab_train import test_sentence
from .widgets import GRAPH, asked_part, button, capital, gain_in_words, heading, meaning_of, opened_part, text_field


def schedules_to_compare(desk: Desk) -> tuple[dict[str, Any], str | None]:
    """Return the values of the schedules to compare by name, and the name of the reference."""
    columns: dict[str, Any] = {}
    if desk.today is not None:
        columns[desk.today[0]] = desk.today[1]
        easy, *_ = desk.known_names  # it stands beside always: much of what is gained on a record, EASY has alone
        columns[easy] = desk.easy
    for pick in desk.state.picks:
        columns[pick.letter] = np.array(pick.values)
    for number, values in sorted(desk.trained_values.items(), reverse=True):
        columns[f"trained {number}"] = values
    return columns, next(iter(columns), None)


def compare_tab(contents: Mapping[str, Any]) -> list[Any]:
    """Return the contents of the tab; `contents` are the pieces that an answer may change, see `compare_pieces`."""
    compared, picks, *others = (
        html.Div(contents[name], id=name)
        for name in ("compared", "picks", "either", "what-if", "cards", "difference", "steps-so-far")
    )
    report = html.A(
        "Report of the decision",
        href="decision.html",
        download="decision.html",
        className="button strong",
        id="decision",
        title="The wish, the shortlist with its notes, what each would change for whom, and figures, as one file",
    )
    either, *others, history = others
    name = html.Label(  # it stays in the browser, and goes with what this window sends
        [
            "Your name ",
            html.Textarea(id="who", className="line", rows=1, placeholder="so that others see who did what"),
        ],
        className="your-name",
    )
    title = html.Div(html.H2(["How it came to this", html.Small("press a step to go back to it")]), className="head")
    steps = html.Div([title, name, history], className="card")
    return [compared, picks, either, html.P(report), steps, *others]


def compare_pieces(desk: Desk) -> dict[str, Any]:
    """Return the parts of the tab that an answer may change, by their ids.

    They are the table, the shortlist with its notes, two of it to choose from, the questions "what if", the cards, the
    chart, and the steps so far.
    """
    columns, reference = schedules_to_compare(desk)
    history = {"steps-so-far": history_list(desk)}
    picks = _pick_list(desk)
    if not columns:
        words = "Put schedules on the shortlist to compare them: choose one in a chart, then “+ Shortlist”."
        nothing = dict.fromkeys(("picks", "either", "what-if", "cards", "difference"))
        return {"compared": html.P(words, className="empty")} | nothing | history
    note = f"Response times in hours, UTIL in per cent; differences to {reference}." + (
        " ▲ better, ▼ worse."
        if desk.comparison
        else " Start the page with --trace to see EASY, FCFS and conservative backfilling here."
    )
    if not desk.simulated:
        note += " FCFS and conservative backfilling would take minutes on so many nodes, so they are not here."
    empty = html.P("The shortlist is empty: choose a schedule in a chart, then “+ Shortlist”.", className="empty")
    return {
        "compared": [
            *_pick_waits(desk),
            html.Div(_comparison_table(desk, columns, reference), className="scroll"),
            html.P([note, " ", html.A("CSV", href="shortlist.csv", download="shortlist.csv")], className="quiet"),
            *(
                html.P(
                    f"Trained {t.number} is shown on all jobs. {test_sentence(t, desk.front)}", className="tested-on"
                )
                for t in desk.known_trainings
                if t.number in desk.trained_values and t.has_test
            ),
        ],
        "picks": picks or empty,
        "either": _either_or(desk),
        "what-if": _what_if_card(desk),
        "cards": _pick_cards(desk) if desk.today is not None else None,
        "difference": _difference_chart(desk, columns, reference),
    } | history


def _comparison_table(desk: Desk, columns: Mapping[str, Any], reference: str | None) -> Any:
    """Return the table of the schedules to compare, and their differences to the reference."""
    objectives = [(j, o) for j, o in enumerate(desk.front.objectives) if o in desk.front.defined_objectives]
    names = {pick.letter: pick_name(pick, desk.front) for pick in desk.state.picks}

    def what(name: str) -> str:
        mine = "from the log" if is_recorded(name) else "yours"
        if name.endswith(OVERBOOKED):
            mine = "from the log, at times on more than this machine has"
        return names.get(name, mine if name == reference else "scheduler")

    def cell(name: str, j: int, o: Objective) -> Any:
        value = columns[name][j : j + 1]
        parts: list[Any] = [value_text(o, float(value[0]))]
        if name != reference and reference is not None:
            gain = float(improvement(value, columns[reference][j : j + 1])[0])
            parts += [html.Br(), gain_in_words(o, gain, short=True)]
        return html.Td(parts, **{"data-cell": f"{name} {o.name}"})

    head = html.Tr([html.Td(), *(html.Th([html.B(name), html.Small(what(name))], scope="col") for name in columns)])
    lines = [
        html.Tr([html.Th([o.name, html.Small(meaning_of(o))], scope="row"), *(cell(name, j, o) for name in columns)])
        for j, o in objectives
    ]
    return html.Table([html.Thead(head), html.Tbody(lines)])


def _pick_waits(desk: Desk) -> list[Any]:
    """Return the place of how long jobs wait in the schedules of the shortlist; nothing without them or the jobs."""
    rows = [pick.row for pick in desk.state.picks if pick.row is not None][:MOST_BESIDE]
    return [] if desk.today is None or not rows else asked_part("picked", question(desk, "picked", rows))


def _pick_list(desk: Desk) -> list[Any]:
    """Return the shortlist: for each schedule its letter, the owner's note, and what can be done with it."""
    return [
        html.Div(
            [
                html.B(pick.letter, className=f"letter pick-{look_of(pick.letter)}"),
                text_field(
                    f"note-{pick.letter}",
                    {"do": "note", "name": pick.letter},
                    "text",
                    f"why {pick.letter}",
                    pick.note,
                    f"why {pick_name(pick, desk.front)}?",
                ),
                None if pick.row is None else button("look", {"do": "choose", "row": pick.row}, className="link"),
                button("remove", {"do": "drop", "name": pick.letter}, className="link"),
                *_gone_line(desk, pick),
            ],
            className="pick",
            id=f"pick-{pick.letter}",
        )
        for pick in desk.state.picks
    ]


def better_words(pick: Pick, front: Front) -> tuple[str, int | None]:
    """Return what is said of a schedule of the shortlist that is not on the front, and the row of the better one.

    "" if it is there; None if there is no better one.
    """
    if pick.row is not None:
        return "", None
    row = better_row(pick, front)
    if row is None:
        return "It is not on this front.", None
    return f"There is a better one now: {schedule_name(front, row)}.", row


def _gone_line(desk: Desk, pick: Pick) -> list[Any]:
    """Return the line that says that a schedule is not on the front, and leads to the better one; else nothing."""
    words, row = better_words(pick, desk.front)
    link = [] if row is None else [" ", button("look at it", {"do": "choose", "row": row}, className="link")]
    return [html.P([words, *link], className="gone")] if words else []


def _pick_cards(desk: Desk) -> list[Any]:
    """Return a card for each schedule of the shortlist, in which the browser puts what would change for whom."""
    return [
        html.Div(
            [
                html.H3(
                    [
                        html.B(pick.letter, className=f"letter pick-{look_of(pick.letter)}"),
                        f" {capital(pick_name(pick, desk.front))}",
                    ]
                ),
                *asked_part(f"card-{pick.letter}", question(desk, "card", [pick.row])),
            ],
            className="card",
        )
        for pick in desk.state.picks
        if pick.row is not None
    ]


def _either_or(desk: Desk) -> Any:
    """Return the first two of the shortlist, to keep one of them; nothing with fewer, or without the jobs."""
    two = [pick for pick in desk.state.picks if pick.row is not None][:2]
    if len(two) < 2 or desk.today is None:
        return None
    one, other = (pick.letter for pick in two)
    asked = question(desk, "between", [pick.row for pick in two if pick.row is not None])
    keep = [
        button(f"Keep {kept}", {"do": "drop", "name": gone}, title=f"{gone} leaves the shortlist; undo brings it back")
        for kept, gone in ((one, other), (other, one))
    ]
    title = html.Div(html.H2(f"{one} or {other}?"), className="head")
    return html.Div([title, *asked_part("either-or", asked), html.Div(keep, className="row")], className="card")


def _difference_chart(desk: Desk, columns: Mapping[str, Any], reference: str | None) -> Any:
    """Return the chart of the differences to the reference; None if there is nothing to compare it with."""
    others = {name: values for name, values in columns.items() if name != reference}
    if reference is None or not others:
        return None
    styles = mark_styles(desk.marks)
    hues = {name: styles[name][0] if name in styles else PICKS[look_of(name)] for name in others}
    figure = differences(desk.front.objectives, (reference, columns[reference]), others, hues)
    height = {"height": f"{figure.layout.height}px"}
    graph = html.Div(dcc.Graph(figure=figure, config=GRAPH, style=height), id="differences", className="graph")
    return html.Div([heading(f"Difference to {reference}", "", "differences"), graph], className="card")


def _what_if_card(desk: Desk) -> Any:
    """Return the questions "what if" as parts to be opened; each is answered then, for the first of the shortlist."""
    asked = desk.questions()
    if desk.today is None or not asked:
        return None
    parts = [opened_part(f"what-if-{number}", one.words) for number, one in enumerate(asked)]
    for number, part in enumerate(parts):
        part.children.append(opened_part(f"reacting-{number}", "… and users react to how long they wait"))
    title = html.Div(html.H2(["What if …", html.Small("the same schedulers with other jobs")]), className="head")
    why = "" if desk.workload is None else why_not_resampled(desk.workload)
    note = html.P(f"Not asked here: other loads. This log cannot be put together again: {why}.", className="quiet")
    return html.Div([title, *parts, note if why else None], className="card")
