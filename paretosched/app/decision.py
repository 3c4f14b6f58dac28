"""The report of the decision: one file that a colleague reads in three minutes, in the words and colours of the page.

It has the question, who waits how long, what it costs whom, how sure that is, how to run it, and the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from html import escape
from typing import Any

import numpy as np

from ..comparison.waits_table import Reasons
from ..core.errors import InputError, number_of
from ..deployment.slurm_words import limit_lines
from ..deployment.steps import option_of_groups, steps
from ..fronts.row_schedules import row_policy, without_policy
from ..policies.explanation import explain
from ..policies.policy import Policy
from ..report.comparison_report import origin_words
from ..report.html_page import page_of
from ..report.html_pieces import head_cell, objective_cell, table, warning
from ..report.svg import Drawn, parallel
from ..report.who_waits import waits_table
from ..simulation.objective import Objective, improvement, with_group
from ..simulation.service import Waits
from ..wishes.exchange_rates import BASIS
from ..wishes.limit_effects import limit_changes
from ..wishes.relative_limits import known_part
from ..workload.machine_description import describe_machine, machine_drawing, machine_words
from .cards import SEEN_ALL, share_of_easy, slurm_lines
from .charts import LETTERS, look_of, unit_of
from .desk import Desk
from .history_view import decided_lines
from .other_jobs import limits_by_tenths, unseen_weeks
from .state import Pick, pick_at, pick_name, policy_file, wish_words
from .state_view import View, view_of
from .tab_compare import better_words, schedules_to_compare
from .tab_train import CLASSES, progress, test_sentence
from .tab_wish import of_goal
from .trainings import DONE, Training
from .waits_view import HERE, losses, sentences, table_of, waiting_of


def decision(desk: Desk) -> str:
    """Return the report as the text of an HTML file that needs no other file.

    The candidates are the shortlist; without one, the schedule that the owner looks at. All of it is of one front and
    one state: others wait until it is written.
    """
    with desk.lock:
        rows = [pick.row for pick in _picks(desk) if pick.row is not None]
    with suppress(InputError):  # the front was replaced meanwhile
        for row in rows:  # they are kept, and take up to a second each: so that nobody waits for these
            table_of(desk, row)
    weeks = {t.number: unseen_weeks(desk, t.number) for t in desk.known_trainings if t.status == DONE}
    with desk.lock:
        return _report(desk, weeks)


def _picks(desk: Desk) -> Sequence[Pick]:
    """Return the candidates."""
    return desk.state.picks or (pick_at(desk.front, view_of(desk.state, desk.front).row, LETTERS[0]),)


def _report(desk: Desk, weeks: Mapping[int, str]) -> str:
    """Return the report of a desk that is locked; `weeks` say how trainings do in weeks that they have not seen."""
    state, front = desk.state, desk.front
    view = view_of(state, front)
    columns, reference = schedules_to_compare(desk)
    picks = _picks(desk)
    if not state.picks:
        columns[LETTERS[0]] = front.values[view.row]
    done = [t for t in desk.known_trainings if t.status == DONE]
    parts = [
        f'<header><p class="eyebrow">paretosched decision · {date.today().isoformat()}</p>',
        f"<h1>{escape(front.workload)}</h1></header>",
        warning("" if desk.comparison is None else desk.comparison.other_machine),
        "<h2>The question</h2>",
        *_paragraphs(_wish_words(desk, view)),
        *_waits(desk, picks),
        "<h2>What it costs whom</h2>",
        *(part for pick in picks for part in _candidate(desk, pick)),
        "<h2>How sure is it?</h2>",
        *_paragraphs([origin_words(front), SEEN_ALL]),
        *(part for pick in picks for part in _how_sure(desk, pick)),
        *(part for t in done for part in _of_training(desk, t, weeks.get(t.number, ""))),
        "<h2>How to run it</h2>",
        *_how_to_run(desk, picks),
        "<h2>In AWRT, for those who ask</h2>",
        _table(desk, columns, reference, picks),
        _figure(desk, columns, reference),
        *_history(desk),
        *_machine(desk),
    ]
    return page_of(f"{front.workload}: the decision", "\n".join(parts))


def _waits(desk: Desk, picks: Sequence[Pick]) -> list[str]:
    """Return the table of waits, with a column for each candidate; nothing where waits are not known."""
    rows = {f"{p.letter}: {pick_name(p, desk.front)}": p.row for p in picks if p.row is not None}
    waits: dict[str, Waits | None] = {}
    waiting: dict[str, Reasons | None] = {}
    for head, row in rows.items():
        waits |= {head if name == HERE else name: of for name, of in table_of(desk, row, made=False).items()}
        waiting |= {head if name == HERE else name: of for name, of in waiting_of(desk, row).items()}
    order = sorted(waits, key=lambda name: (name in rows) + 2 * name.startswith("trained"))
    if not order or waits[order[0]] is None:
        return []
    text = waits_table(
        {name: waits[name] for name in order}, desk.people, order[0], {name: waiting[name] for name in order}
    )
    return ["<h2>Who waits how long</h2>", text]


def _how_sure(desk: Desk, pick: Pick) -> list[str]:
    """Return how a candidate keeps the limits over time, and whether it was tried on other jobs."""
    if pick.row is None:
        return []
    distance = desk.distance(pick.row)
    far = f"{of_goal(desk.state.wish, distance)}{distance}." if distance else ""
    words = [word for word in (limits_by_tenths(desk, pick.row), far) if word]
    return [f"<p><b>{pick.letter}</b>: {escape(' '.join(words))}</p>"] if words else []


def _without_policy(desk: Desk, row: int | None) -> str:
    """Return what to do with a schedule that no policy makes: the lines that set its limits, if it is made by such."""
    workload = desk.workload
    changes = None if row is None or workload is None else limit_changes(desk.front, row, workload)
    if changes is None:
        is_of = "knows the future" if row is None else without_policy(desk.front, row)
        return f"<p>It {is_of}: no policy makes it.</p>"
    return f"<pre>{escape(chr(10).join(limit_lines(changes))) or 'the limits that are set now'}</pre>"


def _how_to_run(desk: Desk, picks: Sequence[Pick]) -> list[str]:
    """Return the commands that run the scheduler of each candidate, in full for the first, and what it does."""
    parts: list[str] = []
    first = ""
    for pick in picks:
        policy = None if pick.row is None else row_policy(desk.front, pick.row)
        parts.append(f"<h3>{pick.letter} · {escape(pick_name(pick, desk.front))}</h3>")
        if pick.row is None or policy is None:
            parts.append(_without_policy(desk, pick.row))
            continue
        file = policy_file(desk.front, pick.row)
        parts += [f"<p>As {first}, with {file}.</p>"] if first else _steps(desk, policy, file)
        text = escape(explain(policy).text())
        parts.append(f"<details><summary>What its scheduler does</summary><pre>{text}</pre></details>")
        first = first or pick.letter
    return parts


def _steps(desk: Desk, policy: Policy, file: str) -> list[str]:
    """Return the steps to a machine that runs a policy in a file, which the page saves."""
    groups = option_of_groups(policy, desk.workload)
    try:
        todo = steps(policy, file, groups)
    except InputError as error:
        return _paragraphs([f"No resource manager can run it as an order of its queue: {error}."])
    items = "".join(f"<li>{escape(step.words)}<br><code>{escape(step.command)}</code></li>" for step in todo)
    lines = escape(slurm_lines(desk, policy, file, groups))
    return [f'<ol class="steps">{items}</ol>', f"<p>Or in the words of slurm.conf:</p><pre>{lines}</pre>"]


def _history(desk: Desk) -> list[str]:
    """Return how the decision came about, in its steps; nothing before there are any."""
    lines = decided_lines(desk.history, desk.front)
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return ["<h2>How it came to this</h2>", f'<ol class="steps">{items}</ol>'] if lines else []


def _machine(desk: Desk) -> list[str]:
    """Return the machine in words, and its drawing if it has nodes."""
    workload = desk.workload
    if workload is None:
        return []
    jobs = number_of(len(workload), "job")
    if workload.machine is None:
        return ["<h2>The machine</h2>", f"<p>{jobs} on {number_of(workload.capacity, 'processor')}.</p>"]
    about = describe_machine(workload.machine)
    drawing = f"<pre>{escape(machine_drawing(about))}</pre>"
    return ["<h2>The machine</h2>", f"<p>{jobs} on {escape(machine_words(about))}.</p>", drawing]


def _paragraphs(sentences: Sequence[str]) -> list[str]:
    return [f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence]


def _wish_words(desk: Desk, view: View) -> list[str]:
    """Return in sentences what the owner wants, how much of the front that leaves."""
    wish, count = desk.state.wish, len(desk.front)
    remain = (
        f"All limits are kept by {view.left:,} of {number_of(count, 'schedule')}."
        if wish is not None and wish.limits
        else ""
    )
    wanted = "No wish was entered." if wish is None else f"The wish: {wish_words(wish, desk.front)}."
    return [wanted, remain, desk.trouble]


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
    """Return the section of a candidate: the owner's reason, what changes most for whom, and at what price."""
    title = f"<h3>{pick.letter} · {escape(pick_name(pick, desk.front))}</h3>"
    why = f"Why: {pick.note}" if pick.note else ""
    if pick.row is None:
        return [title, *_paragraphs([why, better_words(pick, desk.front)[0]])]
    parts = [title, *_paragraphs([why])]
    parts += [f'<p class="harm">▼ {escape(loss.words)}</p>' for loss in losses(desk, pick.row)]
    lines = sentences(desk, pick.row)
    if not lines:
        return parts
    parts += [_list([*(line.sentence for line in lines), *filter(None, [share_of_easy(desk, pick.row)])])]
    prices = desk.prices(pick.row)
    if prices:
        parts.append(f"<details><summary>{BASIS}</summary>{_list(prices)}</details>")
    return parts


def _of_training(desk: Desk, t: Training, weeks: str) -> list[str]:
    """Return the section of a trained scheduler: what it was trained for, and how it does on jobs it has not seen."""
    values = desk.trained_values.get(t.number)
    if values is None or desk.comparison is None or np.isnan(values).all():
        return []
    wish = known_part(t.wish, desk.state.policy_values)
    told = progress(wish, desk.comparison.beside_front[0], values, desk.front)
    tested = test_sentence(t, desk.front) or "It was not tested on jobs that it has not seen."
    return [
        f"<h3>Trained {t.number}</h3>",
        *_paragraphs([f"{CLASSES[t.kind][0]}, for {wish_words(t.wish, desk.front)}.", desk.trained_distance(t)]),
        *_paragraphs([f"On all jobs of the log: {' '.join(told)}" if told else "", tested, weeks]),
    ]


def _list(sentences: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<ul class="summary">{items}</ul>'


def _figure(desk: Desk, columns: Mapping[str, Any], reference: str | None) -> str:
    """Return the drawing of the candidates and of the owner's scheduler across all objectives."""
    looks = {"EASY": "look-easy"} | {letter: f"look-{look_of(letter)}" for letter in LETTERS if letter in columns}
    lines = [
        Drawn(name, list(values), "look-today" if name == reference else looks.get(name, "look-trained"))
        for name, values in columns.items()
    ]
    return parallel(desk.axes(), lines, desk.front.values, "all objectives of the schedules, better is up")
