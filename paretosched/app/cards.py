"""What the page tells when the browser asks for it: cards in sentences, what if, and what a scheduler does.

It takes the server up to seconds, so it is not part of the answer to an action. The browser asks as soon as the place
for it is to be seen: it puts a question, see `browser_requests.Question`, into the store beside that place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dash import html

from ..comparison.consequences import Consequence
from ..core.errors import InputError
from ..deployment.steps import steps
from ..fronts.row_schedules import row_policy
from ..policies.explanation import explain
from ..policies.policy import Policy
from .desk import Desk
from .state_view import View
from .trainings import DONE

OTHER_FRONT = "the page shows other schedules now; reload it"
MOST_ASKED = 3  # schedulers that are simulated anew for one question


def question(desk: Desk, kind: str, rows: Sequence[int] = (), number: int = 0) -> str:
    """Return a question as JSON. It names the owner's scheduler, too, so that it is asked anew for another one."""
    today = "" if desk.today is None else desk.today[0]
    asked = {"kind": kind, "front": desk.digest, "rows": list(rows), "number": number, "today": today}
    return json.dumps(asked, sort_keys=True)


def questions(desk: Desk, view: View) -> dict[str, str]:
    """Return the questions of the places that are always on the page, by the keys of these places."""
    row, asked = view.row, {}
    if row_policy(desk.front, row) is not None:
        asked["explain-row"] = question(desk, "explain", [row])
    if desk.today is not None:
        asked["card"] = question(desk, "card", [row])
        rows = [pick.row for pick in desk.state.picks[:MOST_ASKED]] or [row]
        for number in range(len(desk.questions())):
            asked[f"what-if-{number}"] = question(desk, "what-if", rows, number)
    return asked


def reply(desk: Desk, asked: Mapping[str, Any]) -> list[Any]:
    """Return the reply to a question, or that the page shows other schedules now."""
    rows, number = asked["rows"], asked["number"]
    if asked["front"] != desk.digest or any(not 0 <= row < len(desk.front) for row in rows):
        return [html.P(OTHER_FRONT)]
    if asked["kind"] == "what-if":
        return answer_list(desk, number, rows)
    if asked["kind"] == "trained":
        policies = [t.policy for t in desk.known_trainings if t.number == number and t.status == DONE]
        return explanation(policies[0], f"trained-{number}-policy.json") if policies and policies[0] else []
    if not rows:
        return []
    if asked["kind"] == "card":
        return consequence_list(desk, rows[0])
    policy = row_policy(desk.front, rows[0])
    return [] if policy is None else explanation(policy, f"policy-{rows[0]}.json")


def consequence_list(desk: Desk, row: int) -> list[Any]:
    """Return what the schedule of a row would change for whom, as a list of sentences."""
    lines = desk.consequences(row)
    if not lines or desk.today is None:
        return []
    name = desk.today[0]
    words = f"What it would change against {name}, every job counting once; “today” is {name}:"
    prices = [html.Li(sentence) for sentence in desk.prices(row)]
    note = "What the next hour costs, from a plane fitted to the schedules nearby (in brackets 90 of 100 refits):"
    return [
        html.P(words, className="quiet"),
        _changes(lines),
        *([html.P(note, className="quiet"), html.Ul(prices, className="prices")] if prices else []),
    ]


def _changes(lines: Sequence[Consequence]) -> Any:
    return html.Ul([html.Li(line.sentence, className=line.verdict) for line in lines], className="changes")


def answer_list(desk: Desk, number: int, rows: Sequence[int]) -> list[Any]:
    """Return what a question does to the owner's scheduler and to the schedulers of rows, as lists of sentences."""
    try:
        answer = desk.answer(number, rows)
    except InputError as error:
        return [html.P(f"This cannot be tried: {error}.")]
    if answer is None:
        return []
    parts = [html.P(" ".join(answer.today))]
    for row in rows:
        if row not in answer.lines:
            parts.append(html.P(f"Schedule {row} knows the future: no scheduler makes it with other jobs."))
            continue
        parts.append(html.P([html.B(f"The scheduler of schedule {row}"), " there, against today's:"]))
        parts.append(_changes(answer.lines[row]))
    return parts


def explanation(policy: Policy, file: str) -> list[Any]:
    """Return what a scheduler does, in words, and how to run it; `file` is the name under which it is saved."""
    text = explain(policy).text()
    parts = [html.H3("What it does"), html.Pre(text, tabIndex=0), html.H3("Run it")]
    try:
        what_to_do = steps(policy, file)
    except InputError as error:
        return [*parts, html.P(f"No resource manager can run it as an order of its queue: {error}.")]
    items = [html.Li([step.words, html.Br(), html.Code(step.command)]) for step in what_to_do]
    return [*parts, html.Ol(items, className="steps")]
