"""The report of the decision: one file for the next meeting, with the wish, the candidates, the reasons and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import InputError, number_of
from ..fronts.row_schedules import row_policy
from ..plots import fronts as front_figures
from ..policies.explanation import explain
from ..report.html_page import page_of
from ..report.html_pieces import figure, head_cell, objective_cell, table, warning
from ..simulation.objective import Objective, improvement, with_group
from ..wishes.relative_limits import known_part
from .cards import share_of_easy
from .charts import LETTERS, differences, unit_of
from .desk import Desk
from .state import Pick, pick_at, pick_name, wish_words
from .state_view import View, view_of
from .tab_compare import better_words, schedules_to_compare
from .tab_train import CLASSES, progress, test_sentence
from .trainings import DONE, Training

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def decision(desk: Desk) -> str:
    """Return the report as the text of an HTML file that needs no other file.

    The candidates are the shortlist; without one, the schedule that the owner looks at. All of it is of one front and
    one state: others wait until it is written.
    """
    with desk.lock:
        rows = [pick.row for pick in _picks(desk) if pick.row is not None]
    with suppress(InputError):  # the front was replaced meanwhile
        for row in rows:  # they are kept, and take up to a second each: so that nobody waits for these
            desk.measure(row)
    with desk.lock:
        return _report(desk)


def _picks(desk: Desk) -> Sequence[Pick]:
    """Return the candidates."""
    return desk.state.picks or (pick_at(desk.front, view_of(desk.state, desk.front).row, LETTERS[0]),)


def _report(desk: Desk) -> str:
    """Return the report of a desk that is locked."""
    state, front = desk.state, desk.front
    view = view_of(state, front)
    columns, reference = schedules_to_compare(desk)
    picks = _picks(desk)
    if not state.picks:
        columns[LETTERS[0]] = front.values[view.row]
    parts = [
        f'<header><p class="eyebrow">paretosched decision · {date.today().isoformat()}</p>',
        f"<h1>{escape(front.workload)}</h1></header>",
        warning("" if desk.comparison is None else desk.comparison.other_machine),
        "<h2>What is wanted</h2>",
        *_paragraphs(_wish_words(desk, view)),
        "<h2>Candidates</h2>",
        _table(desk, columns, reference, picks),
        *(part for pick in picks for part in _candidate(desk, pick)),
        *(part for t in desk.known_trainings if t.status == DONE for part in _of_training(desk, t)),
        "<h2>Figures</h2>",
        *(f"<div>{figure(key, picture)}</div>" for key, picture in _figures(desk, columns, reference).items()),
    ]
    return page_of(f"{front.workload}: the decision", "\n".join(parts))


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    return [f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence]


def _wish_words(desk: Desk, view: View) -> list[str]:
    """Return in sentences what the owner wants, how much of the front that leaves, and how jobs wait today."""
    wish, count = desk.state.wish, len(desk.front)
    remain = (
        f"All limits are kept by {view.left:,} of {number_of(count, 'schedule')}."
        if wish is not None and wish.limits
        else ""
    )
    wanted = "No wish was entered." if wish is None else f"The wish: {wish_words(wish, desk.front)}."
    return [wanted, remain, desk.service_words(), desk.trouble]


def _table(desk: Desk, columns: Mapping[str, Any], reference: str | None, picks: Sequence[Pick]) -> str:
    """Return the table of the candidates beside the schedulers: a row for each, a column for each objective."""
    objectives = [(j, o) for j, o in enumerate(desk.front.objectives) if o in desk.front.defined_objectives]
    numbers = {pick.letter: pick_name(pick, desk.front) for pick in picks}

    def below(values: Any, j: int, o: Objective) -> str:
        if reference is None or values is columns[reference]:
            return ""
        gain = float(improvement(values[j : j + 1], columns[reference][j : j + 1])[0])
        number = round(-gain if o.maximise else gain, 1) + 0.0
        kind = "better" if number > 0 else "worse" if number < 0 else "same"
        return f'<small class="{kind}">{"same" if number == 0 else f"{abs(number):,.1f} % {kind}"}</small>'

    heads = [head_cell("schedule"), *(head_cell(escape(with_group(o)), unit_of(o)) for _, o in objectives)]
    lines = [
        f'<tr><th scope="row">{escape(name)}<small>{numbers.get(name, "")}</small></th>'
        + "".join(objective_cell(o, float(values[j]), below(values, j, o)) for j, o in objectives)
        + "</tr>"
        for name, values in columns.items()
    ]
    note = "Response times, weighted by what jobs take of the machine, in hours; UTIL in per cent"
    note += "." if reference is None else f"; differences to {reference}."
    return f'{table(heads, lines)}<p class="note">{escape(note)}</p>'


def _candidate(desk: Desk, pick: Pick) -> list[str]:
    """Return the section of a candidate: the owner's reason, what would change for whom, at what price, and how."""
    title = f"<h2>{pick.letter} · {escape(pick_name(pick, desk.front))}</h2>"
    why = f"Why: {pick.note}" if pick.note else ""
    if pick.row is None:
        return [title, *_paragraphs([why, better_words(pick, desk.front)[0]])]
    lines = desk.consequences(pick.row)
    policy = row_policy(desk.front, pick.row)
    harm = desk.harm_words(desk.state.numbers, desk.front.values[pick.row])
    parts = [title, *_paragraphs([why, desk.distance(pick.row)])]
    parts += [f'<p class="harm">{escape(harm)}</p>'] if harm else []
    if policy is not None:
        parts += _paragraphs(["It was chosen by all jobs of this log; it is not tested on others."])
    if lines and desk.today is not None:
        words = f"What it would change against {desk.today[0]}, which “today” means; every job counts once:"
        parts += [
            *_paragraphs([words, share_of_easy(desk, pick.row)]),
            _list([line.sentence for line in [*desk.disagreements(pick.row), *lines]]),
        ]
        prices = desk.prices(pick.row)
        if prices:
            note = (
                "What the next hour costs, from a plane fitted to the schedules nearby (in brackets 90 of 100 refits):"
            )
            parts += [*_paragraphs([note]), _list(prices)]
    if policy is None:
        return [*parts, "<p>It knows the future: no scheduler makes it.</p>"]
    text = escape(explain(policy).text())
    return [*parts, f"<details><summary>What its scheduler does</summary><pre>{text}</pre></details>"]


def _of_training(desk: Desk, t: Training) -> list[str]:
    """Return the section of a trained scheduler: what it was trained for, and how it does on jobs it has not seen."""
    values = desk.trained_values.get(t.number)
    if values is None or desk.comparison is None or np.isnan(values).all():
        return []
    wish = known_part(t.wish, desk.state.policy_values)
    told = progress(wish, desk.comparison.beside_front[0], values, desk.front)
    tested = test_sentence(t, desk.front) or "It was not tested on jobs that it has not seen."
    return [
        f"<h2>Trained {t.number}</h2>",
        *_paragraphs([f"{CLASSES[t.kind][0]}, for {wish_words(t.wish, desk.front)}.", desk.trained_distance(t)]),
        *_paragraphs([f"On all jobs of the log: {' '.join(told)}" if told else "", tested]),
    ]


def _list(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<ul class="summary">{items}</ul>'


def _figures(desk: Desk, columns: Mapping[str, Any], reference: str | None) -> dict[str, Figure]:
    """Return the figures of the report by their keys; each has a title."""
    front, state = desk.front, desk.state
    drawn = {
        "parallel": front_figures.parallel(front, columns),
        "free": front_figures.scatter(front, state.across, state.up, columns, log=state.log),
    }
    others = {name: values for name, values in columns.items() if name != reference}
    if reference is not None and others:
        bars = differences(front.objectives, (reference, columns[reference]), others)
        bars.update_layout(title_text=f"Difference to {escape(reference)}", margin_t=70)
        drawn["differences"] = bars
    return drawn
