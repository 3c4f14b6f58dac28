"""The centre of the page: how long the jobs of each group wait, under the owner's scheduler, EASY and the others.

A column is filled in when its schedule is simulated, so the table is asked for, see `cards`. What is typed beside a
line is a limit of the wish; a press on a number shows the jobs behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from dash import html

from ..comparison.consequences import Consequence, duration, most_important, percent
from ..comparison.over_time import request_words, wait_reasons
from ..comparison.views import View, view
from ..comparison.waits_table import (
    MEASURES,
    NOTABLE,
    REASONS,
    SLOWDOWN,
    SLOWDOWN_WORDS,
    Cell,
    Line,
    Reasons,
    head_words,
    jobs_behind,
    measure_name,
    reason_lines,
    value_words,
    wait_lines,
)
from ..core.errors import number_of
from ..fronts.row_schedules import schedule
from ..simulation.schedule import SLOWDOWN_BOUND, Schedule, bounded_slowdown
from ..simulation.service import Waits
from ..simulation.simulator import simulate
from ..wishes.wish import Limit, groups_asked, reference_text, spelled_out
from ..workload.group_lists import names_of
from ..workload.measures import is_measure, measure_of
from .desk import Desk
from .state import wish_words
from .trainings import DONE, Training
from .widgets import as_one, button, capital, opened_part, progress_bar, screen_label, text_field, time_text

HERE = "this schedule"
FEW = 8  # other groups; of more of them only the mean wait is shown, one line each
BEARABLE = 1.05  # times what they wait now, which the other groups may be asked to bear
HINTS = {"better": "shorter than in the first column", "worse": "longer than in the first column"}


class Made(NamedTuple):
    """A schedule in the table: the key by which the desk keeps it, how it is made, and its place in the comparison."""

    key: Any
    make: Callable[[], Schedule]
    place: int | None = None


class Loss(NamedTuple):
    """A group that the wish asks for and that loses: its index, the words, and the limits that protect it."""

    group: int
    words: str
    limits: tuple[str, ...]


def columns_of(desk: Desk, row: int) -> dict[str, Made]:
    """Return the schedules of the table by the heads of its columns; none before the workload is known.

    They are the owner's scheduler, EASY if that is another one, the schedule of a row, and the last trained one.
    """
    with desk.lock:
        front, workload, trained = desk.front, desk.workload, last_trained(desk)
        if workload is None or desk.comparison is None or not desk.comparison.waits:
            return {}
        rule, mine, key = desk.rule, desk.mine, (desk.digest, row)
        name = desk.known_names[mine]
        found = {name: Made(rule, lambda: simulate(workload, rule), mine)}
    if mine:
        found["EASY"] = Made("easy", lambda: simulate(workload, "easy"), 0)
    found[HERE] = Made(key, lambda: schedule(front, row, workload))
    if trained is not None and trained.policy is not None:
        policy, name = trained.policy, f"trained {trained.number}"
        found[name] = Made(name, lambda: simulate(workload, policy))
    return found


def last_trained(desk: Desk) -> Training | None:
    """Return the last training with a policy that fits the workload; None if there is none."""
    values = desk.trained_values
    fit = [
        t
        for t in desk.known_trainings
        if t.status == DONE and t.policy is not None and not np.isnan(values.get(t.number, np.nan)).all()
    ]
    return max(fit, key=lambda t: t.number, default=None)


def table_of(desk: Desk, row: int, made: bool = True) -> dict[str, Waits | None]:
    """Return the waits in the table by the heads of its columns; none before the workload is known.

    Unless they are to be `made`, those of schedules that are not simulated yet are None.
    """
    measured: dict[str, Waits | None] = {}
    for name, (key, make, place) in columns_of(desk, row).items():
        with desk.lock:
            known = () if desk.comparison is None else desk.comparison.waits
        if place is not None and place < len(known):
            measured[name] = known[place]
        else:
            measured[name] = desk.waits_of(key, make if made else None)
    return measured


def waiting_of(desk: Desk, row: int) -> dict[str, Reasons | None]:
    """Return for what jobs wait in the schedules of `table_of`, as `reason_lines` takes it; None where unknown."""
    columns = columns_of(desk, row)
    with desk.lock:
        known = () if desk.comparison is None else desk.comparison.waiting
        return {
            name: known[place] if place is not None and place < len(known) else desk.waiting_of(key)
            for name, (key, _, place) in columns.items()
        }


def sentences(desk: Desk, row: int) -> list[Consequence]:
    """Return what the schedule of a row would change most for whom, at most four sentences, see `most_important`."""
    here = desk.measure(row)
    with desk.lock:
        if here is None or desk.comparison is None or not desk.comparison.waits or row >= len(desk.front):
            return []
        awrt = slice(1, 2 + len(desk.front.groups))
        values = desk.comparison.beside_front[desk.mine, awrt].tolist(), desk.front.values[row, awrt].tolist()
        wish, before, who, groupings = desk.state.numbers, desk.comparison.waits[desk.mine], desk.people, desk.groupings
        asked = [] if wish is None else groups_asked(wish, desk.front.groups)
        columns = columns_of(desk, row)
    if not columns:
        return []
    both = [desk.schedule_of(each.key, each.make) for each in (next(iter(columns.values())), columns[HERE])]
    beside = {seen.by: seen.sides(0, 1) for seen in (view(how, both) for how in groupings)}
    return most_important(before, here, who, values, asked, beside)


def losses(desk: Desk, row: int) -> list[Loss]:
    """Return the groups that the wish asks for and that lose: longer waits than now, or an AWRT longer than EASY's.

    A measure that has an upper limit in the wish is left out: the owner has said how much they may bear.
    """
    here = table_of(desk, row, made=False).get(HERE)
    with desk.lock:
        wish, known, front = desk.state.numbers, desk.comparison, desk.front
        if wish is None or known is None or here is None or not known.waits or row >= len(front):
            return []
        names = [o.name for o in front.defined_objectives]
        limited = {limit.objective for limit in spelled_out(wish, names).limits if np.isfinite(limit.high)}
        harms = {o.name: loss for o, loss in desk.harms(wish, front.values[row])}
        today, easy, who, reference = known.waits[desk.mine], known.waits[0], desk.people, reference_word(desk)
    found = []
    for group, name in enumerate(front.groups):
        awrt, mean = f"AWRT{group + 1}", measure_name("mean", group + 1, front.groups)
        asked = {aim for aim in wish.aims if aim == awrt or (is_measure(aim) and measure_of(aim).group == name)}
        before, after = float(today.mean[group + 1]), float(here.mean[group + 1])
        change = 100 * (after - before) / before if before else 0.0
        waits_longer = change > NOTABLE and mean not in limited
        if not asked or not (waits_longer or asked & harms.keys()):
            continue
        words = f"{who[group]}, for whom you ask: the mean wait goes from {duration(before)} to {duration(after)}"
        words += f", {percent(change)} % {'longer' if change > 0 else 'shorter'}" if abs(change) > NOTABLE else ""
        words += f"; AWRT is {percent(harms[awrt])} % longer than with EASY" if awrt in harms else ""
        words += f"; with EASY it is {duration(float(easy.mean[group + 1]))}" if mean in harms else ""
        limits: tuple[str, ...] = (f"{mean} <= {reference}",) if waits_longer else ()
        limits += (f"{awrt} <= EASY",) if awrt in harms else ()
        found.append(Loss(group, f"{words}.", limits or (f"{mean} <= {reference}",)))
    return found


def reference_word(desk: Desk) -> str:
    """Return what wishes call the owner's scheduler; EASY if they have no word for it."""
    return reference_text(desk.reference_of(desk.state.mine))


def table_parts(desk: Desk, row: int, made: bool) -> list[Any]:
    """Return the table, and the line of what the wish asks for and does not get; `made` as for `table_of`."""
    measured = table_of(desk, row, made)
    if not measured:
        return [html.P(waiting_words(desk), className="quiet")]
    lines, lost = wait_lines(measured), losses(desk, row)
    with desk.lock:
        wish, who = desk.state.wish, desk.people
        limits = {} if wish is None else {limit.objective: limit for limit in wish.limits if np.isfinite(limit.high)}
        first = next(iter(measured.values()))
        protect = None
        if lost and wish is not None:
            text = ", ".join([wish_words(wish, desk.front), *(words for loss in lost for words in loss.limits)])
            protect = button(
                f"Protect {'it' if len(lost) == 1 else 'them'}", {"do": "say", "text": text}, id="protect",
                title=f"Makes the wish: {text}",
            )  # fmt: skip
    harmed = {loss.group + 1 for loss in lost}
    jobs = {} if first is None else dict(enumerate(first.jobs.tolist()))
    heads = [
        html.Th(head_of(name, measured), scope="col", className="here" if name == HERE else "") for name in measured
    ]
    head = html.Tr([html.Td(className="beside"), html.Td(), *heads, html.Th("at most", scope="col")])
    bodies = []
    for place in dict.fromkeys(line.place for line in lines):
        name = "all jobs" if place == 0 else who[place - 1]
        count = html.Small(number_of(jobs.get(place, 0), "job") + (" · you ask for them" if place in harmed else ""))
        title = html.Tr(html.Th([name, count], scope="rowgroup", colSpan=len(measured) + 2), className="narrow")
        beside = html.Th([name, count], scope="rowgroup", rowSpan=len(MEASURES), className="beside")
        rows = [_row(desk, line, limits) for line in lines if line.place == place]
        rows[0].children.insert(0, beside)
        bodies.append(html.Tbody([title, *rows], className="lost" if place in harmed else ""))
    red = html.P(["▼ ", " ".join(loss.words for loss in lost), " ", protect], className="harm", role="status")
    notes = html.P(" ".join([SLOWDOWN_WORDS, *_learnt_from(desk, measured)]), className="quiet notes")
    table = html.Table(
        [html.Thead(head), *bodies, *_reasons(waiting_of(desk, row))], id="waits", className=f"of-{len(measured)}"
    )
    return [html.Div(table, className="scroll waits-of"), red if lost else None, notes]  # the table stays where it is


def _learnt_from(desk: Desk, heads: Iterable[str]) -> list[str]:
    """Return of which jobs a column is whose scheduler was tested on a part of them; nothing without such a column."""
    trained = last_trained(desk)
    if trained is None or not trained.has_test or f"trained {trained.number}" not in heads:
        return []
    learnt = f"also those of the first {100 * (trained.until or 0):.0f} % of the time, from which it has learnt"
    return [f"Trained {trained.number}: all jobs, {learnt}; “3 · Scheduler” has its test on the others alone."]


def told_table(
    lines: Sequence[Line], heads: Sequence[str], who: Sequence[str], jobs: Sequence[int] | None = None
) -> Any:
    """Return lines as a table for the side of the page: a line of its own for the name of each group.

    With `jobs`, (G + 1,) those of all and of each group, it says how many these are, and the largest group comes first.
    Where all lines have the same measure, each begins with the group.
    """
    bodies = []
    places = list(dict.fromkeys(line.place for line in lines))
    only = MEASURES[lines[0].measure][0] if len({line.measure for line in lines}) == 1 else ""
    for place in places if jobs is None else sorted(places, key=lambda place: -jobs[place]):
        name = ["all jobs" if place == 0 else who[place - 1]]
        count = [] if jobs is None else [html.Small(number_of(jobs[place], "job"))]
        title = html.Tr(html.Th(name + count, scope="rowgroup", colSpan=len(heads) + 1), className="narrow")
        rows = [] if only else [title]
        for line in (each for each in lines if each.place == place):
            cells = [
                html.Td([cell.text, html.Span(cell.change, className=f"change {cell.verdict}")])
                for cell in line.cells.values()
                if cell is not None
            ]
            rows.append(html.Tr([html.Th(name + count if only else MEASURES[line.measure][0], scope="row"), *cells]))
        bodies.append(html.Tbody(rows))
    head = html.Tr([html.Td(only, className="left"), *(html.Th(head_of(name, heads), scope="col") for name in heads)])
    return html.Div(html.Table([html.Thead(head), *bodies], className="told-waits"), className="scroll")


def groupings_of(desk: Desk) -> list[Any]:
    """Return what else jobs can be grouped by, as parts to be opened."""
    with desk.lock:
        return [
            opened_part(f"grouped-{number}", f"By {View(how, (), ()).by}") for number, how in enumerate(desk.groupings)
        ]


def grouped_parts(desk: Desk, row: int, number: int) -> list[Any]:
    """Return the table of waits in other groups; nothing without such ones."""
    columns = columns_of(desk, row)
    with desk.lock:
        how = desk.groupings[number] if number < len(desk.groupings) else ""
    if not columns or not how:
        return []
    seen = view(how, [desk.schedule_of(made.key, made.make) for made in columns.values()])
    lines = wait_lines(dict(zip(columns, seen.waits, strict=True)))
    if len({line.place for line in lines}) > FEW + 1:
        lines = [line for line in lines if line.measure == "mean"]
    return [as_one([told_table(lines, list(columns), seen.groups, seen.waits[0].jobs.tolist())])]


def picked_parts(desk: Desk, rows: Sequence[int]) -> list[Any]:
    """Return how long jobs wait under the owner's schedulers, and in the schedules of rows of the shortlist."""
    with desk.lock:
        letters = {pick.row: pick.letter for pick in desk.state.picks}
    measured = {name: one for name, one in table_of(desk, rows[0]).items() if name != HERE}
    measured |= {letters[row]: desk.measure(row) for row in rows if row in letters}
    return [told_table(wait_lines(measured), list(measured), desk.people)]


def _reasons(waiting: Mapping[str, Reasons | None]) -> list[Any]:
    """Return the lines of what jobs wait for as a last part of the table; nothing where there is nothing to say."""
    lines, (words, small) = reason_lines(waiting), REASONS
    if not lines:
        return []
    name = [words, html.Small(small)]
    rows = [html.Tr(html.Th(name, scope="rowgroup", colSpan=len(waiting) + 2), className="narrow")]
    for reason, cells in lines:
        texts = dict(zip(waiting, cells, strict=True))
        tds = [
            html.Td([share, html.Span(time, className="change")], className="here" if head == HERE else "")
            for head, (share, time) in texts.items()
        ]
        rows.append(html.Tr([html.Th(reason, scope="row"), *tds, html.Td()]))
    rows[1].children.insert(0, html.Th(name, scope="rowgroup", rowSpan=len(lines), className="beside"))
    return [html.Tbody(rows, id="reasons")]


def head_of(name: str, names: Iterable[str]) -> Any:
    """Return the head of a column among others, see `head_words`."""
    words, small = head_words(name, names)
    return [words, html.Small(small)] if small else words


def waiting_words(desk: Desk) -> str:
    """Return why there is no table."""
    if desk.waiting:
        return "The jobs are being read, and your scheduler is simulated; the table follows."
    return desk.trouble or "How long jobs wait is shown when the page knows the jobs: start it with --trace LOG."


def _row(desk: Desk, line: Line, limits: Mapping[str, Limit]) -> Any:
    """Return the row of a line: a cell for each scheduler, and the field for a limit."""
    words = MEASURES[line.measure][0]
    name = measure_name(line.measure, line.place, desk.front.groups)
    limit = limits.get(name)
    number = line.place * len(MEASURES) + list(MEASURES).index(line.measure)
    cells = [_cell(cell, head, number) for head, cell in line.cells.items()]
    text = "" if limit is None else limit_words(limit, line.measure)
    field = text_field(f"cap-{number}", {"do": "cap", "name": name}, "text", f"{name} at most", text, "–")
    return html.Tr([html.Th(words, scope="row"), *cells, html.Td(field)])


def _cell(cell: Cell | None, head: str, number: int) -> Any:
    """Return the cell of a value: a button that shows the jobs behind it, and an arrow if it is notable."""
    here = "here" if head == HERE else ""
    if cell is None:
        return html.Td("…", className=f"{here} unknown")
    show = html.Button(
        cell.text, className="value", tabIndex=-1, title="show the jobs behind it", **{"data-jobs": f"{number} {head}"}
    )
    change = html.Span(cell.change, className=f"change {cell.verdict}", title=HINTS.get(cell.verdict, ""))
    return html.Td([show, change], className=here)


def limit_words(limit: Limit, measure: str) -> str:
    """Return an upper limit as it is typed: 4d, 1.5h, 1.05*EASY.

    Examples
    --------
    >>> [limit_words(Limit("mean wait", 0.0, high, of), "mean") for high, of in ((345600.0, ""), (1.05, "easy"))]
    ['4d', '1.05*EASY']
    """
    if limit.of:
        return f"{limit.high:g}*{reference_text(limit.of)}"
    if measure == SLOWDOWN:
        return f"{limit.high:g}"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if limit.high % size == 0 or (limit.high >= size and round(10 * limit.high / size, 6) % 1 == 0):
            return f"{limit.high / size:.6g}{unit}"
    return f"{limit.high:g}s"


def buttons_of(desk: Desk) -> list[Any]:
    """Return the two buttons above the table: better for a group, and what that costs; or what is measured now."""
    now = desk.measuring
    if now is not None and not now.is_ahead:
        words = f"{now.done:,} of {now.total:,} schedules measured, as your wish needs; {time_text(now.seconds_left)}"
        return [progress_bar(now.done, now.total, words, "measuring"), button("Stop", {"do": "leave"}, id="leave")]
    if desk.comparison is None or not desk.comparison.waits or desk.workload is None:
        return []
    groups, counts = desk.front.groups, np.bincount(desk.workload.group, minlength=len(desk.front.groups))
    reference, who = reference_word(desk), desk.people
    several = np.count_nonzero(counts) > 1
    choices = []
    for group in np.flatnonzero(counts).tolist():
        goal = measure_name("mean", group + 1, groups)
        text = f"{goal}, mean wait of others <= {BEARABLE:g}*{reference}" if several else goal
        choices.append(button(who[group], {"do": "say", "text": text}, title=f"Makes the wish: {text}"))
    words = f"Better for …, nobody worse than {100 * (BEARABLE - 1):.0f} %"
    summary = html.Summary(words, className="button strong")
    menu = html.Details([summary, html.Div(choices)], className="menu", id="better")
    cost = html.Button("What would it cost?", className="button", id="what-cost")
    return [menu, cost]


def job_parts(desk: Desk, row: int, number: int, column: str) -> list[Any]:
    """Return the jobs behind a number of the table: a line of it, and the head of a column."""
    place, which = divmod(number, len(MEASURES))
    made = columns_of(desk, row).get(column)
    if made is None or not 0 <= place <= len(desk.front.groups):
        return []
    there = desk.schedule_of(made.key, made.make)
    w, measure = there.workload, list(MEASURES)[which]
    rows = jobs_behind(there, place, measure)
    users, slow = names_of(w, "user"), bounded_slowdown(there, SLOWDOWN_BOUND)
    heads = ["job", "user", "group", "asks for", "ran", "came", "waited", "slowdown"]
    first = int(w.eligible.min())
    lines = []
    for job in rows.tolist():
        user = int(w.user[job])
        cells: list[Any] = [
            f"{int(w.job[job])}", users.get(user, f"user {user}" if user >= 0 else "–"), w.groups[w.group[job]],
            request_words(w, job), duration(int(w.run[job])),
            f"day {1 + (int(w.eligible[job]) - first) // 86400}", duration(int(there.wait[job])),
            value_words(SLOWDOWN, float(slow[job])),
        ]  # fmt: skip
        cells[0] = html.Button(cells[0], className="link", title="why it waited", **{"aria-expanded": "false"})
        why = html.Td([html.P(sentence) for sentence in wait_reasons(there, job)], colSpan=len(heads))
        lines += [html.Tr([html.Td(cell) for cell in cells], className="job"), html.Tr(why, hidden=True)]
    who = "all" if place == 0 else desk.people[place - 1]
    order = {"median": "from the one in the middle on", "p95": "from the 95th of 100 on", SLOWDOWN: "the slowest first"}
    words = f"{capital(MEASURES[measure][0])} · {who} · {column.rpartition(': ')[2]}: the jobs, "
    words += order.get(measure, "the longest wait first")
    title = html.H3([words, html.Small("press a job to see why it waited")])
    close = html.Button("✕", id="no-jobs", className="button", **screen_label("close the list of jobs"))
    table = html.Table([html.Thead(html.Tr([html.Th(head, scope="col") for head in heads])), html.Tbody(lines)])
    return [html.Div([title, close], className="head"), html.Div(table, className="scroll", tabIndex=0)]
