"""What the page tells when the browser asks for it: cards in sentences, what if, and what a scheduler does.

It takes the server up to seconds, so it is not part of the answer to an action. The browser asks as soon as the place
for it is to be seen: it puts a question, see `browser_requests.Question`, into the store beside that place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dash import dcc, html

from ..comparison.consequences import Consequence, easy_share_text, either_or
from ..comparison.over_time import job_at, nodes_below, over_time, raster, runs_between, wait_reasons, worst_week
from ..comparison.partition_use import resources_in_use, use_by_partition
from ..comparison.what_if_table import NOW, ONE_WORKLOAD, answer_lines, gain_sentences
from ..core.arrays import Ints
from ..core.errors import InputError
from ..core.tables import enumeration
from ..deployment.slurm_words import slurm_words
from ..deployment.steps import GROUPS_FILE, option_of_groups, steps
from ..fronts.row_schedules import row_policy, without_policy
from ..policies.explanation import explain
from ..policies.policy import Policy
from ..simulation.schedule import Schedule
from ..simulation.service import DAY, bins
from ..simulation.simulator import REACT, RECORDED
from ..wishes.answers import answer
from ..wishes.exchange_rates import BASIS
from ..wishes.wish import wish_text
from ..workload.group_lists import names_of
from ..workload.group_rules import comes_from_consumption
from ..workload.time_split import WEEK, weeks_of
from ..workload.workload import Workload
from .answering import again, answer_soon, effort
from .desk import Desk
from .other_jobs import answer_to, limits_by_tenths, on_unseen_jobs, simulations_of, unseen_weeks
from .state import policy_file, schedule_name
from .state_view import View
from .time_charts import months, partitions, week
from .trainings import DONE
from .waits_view import (
    columns_of,
    grouped_parts,
    job_parts,
    last_trained,
    picked_parts,
    sentences,
    table_parts,
    told_table,
)
from .widgets import GRAPH, as_one, capital

BROKEN = 90  # letters; a longer line of a text goes on in the next one
OTHER_FRONT = "the page shows other schedules now; reload it"
PICTURE = (160, 480)  # rows and columns of a week: any number of jobs is drawn as fast
SEEN_ALL = (
    "It was chosen by all jobs of this log, so nothing here shows how its scheduler does on jobs to come. "
    "“3 · Scheduler” trains one on the first part of the time, and tests it on the rest."
)
COUNTED = "every job counting once, and large ones more in AWRT, the mean time until jobs are done"
MOST_BESIDE = 4  # schedules of the shortlist whose waits stand beside each other
MOST_ASKED, MOST_TRAINED = 3, 2  # schedulers that are simulated again for one question, and how many of them trained


def question(desk: Desk, kind: str, rows: Sequence[int] = (), number: int = 0, trained: Sequence[int] = ()) -> str:
    """Return a question as JSON. It names the owner's scheduler, too, so that it is asked again for another one."""
    today = "" if desk.today is None else desk.today[0]
    asked = {"kind": kind, "front": desk.digest, "rows": list(rows), "number": number, "today": today, "span": [0, 0]}
    if trained:
        asked["trained"] = list(trained)
    if (
        kind in ("table", "card", "answer", "what-if", "reacting") and desk.state.wish is not None
    ):  # whose limits the answer is about
        asked["wish"] = wish_text(desk.state.wish)
    return json.dumps(asked, sort_keys=True)


def questions(desk: Desk, view: View) -> dict[str, str]:
    """Return the questions of the places that are always on the page, by the keys of these places."""
    row, asked = view.row, {"table": question(desk, "table", [view.row], last_number(desk))}
    if row_policy(desk.front, row) is not None:
        asked["explain-row"] = question(desk, "explain", [row])
    if desk.today is not None:
        asked |= {kind: question(desk, kind, [row]) for kind in ("card", "time", "week", "answer")}
        asked |= {
            f"grouped-{number}": question(desk, "grouped", [row], number) for number in range(len(desk.groupings))
        }
        rows = [pick.row for pick in desk.state.picks if pick.row is not None][:MOST_ASKED] or [row]
        trained = [t.number for t in desk.known_trainings if t.status == DONE][:MOST_TRAINED]
        rows = rows[: MOST_ASKED - len(trained)]
        for number in range(len(desk.questions())):
            asked[f"what-if-{number}"] = question(desk, "what-if", rows, number, trained)
            asked[f"reacting-{number}"] = question(desk, "reacting", rows, number, trained)
    return asked


def last_number(desk: Desk) -> int:
    """Return what the table of waits is asked for again after: the number of the training in it; -1 without jobs."""
    trained = last_trained(desk)
    return -1 if desk.waiting else 0 if trained is None else trained.number


def reply(desk: Desk, asked: Mapping[str, Any]) -> list[Any]:
    """Return the reply to a question, or that the page shows other schedules now."""
    rows, number = asked["rows"], asked["number"]
    if asked["front"] != desk.digest or any(not 0 <= row < len(desk.front) for row in rows):
        return [html.P(OTHER_FRONT)]
    if asked["kind"] in ("what-if", "reacting"):
        return answer_list(desk, asked)
    if asked["kind"] == "trained":
        policies = [t.policy for t in desk.known_trainings if t.number == number and t.status == DONE]
        if not policies or policies[0] is None:
            return []
        return explanation(desk, policies[0], f"trained-{number}-policy.json")
    if asked["kind"] == "tested":
        return test_list(desk, number)
    if not rows:
        return []
    if asked["kind"] == "answer":
        return cost_parts(desk, rows[0])
    if asked["kind"] == "grouped":
        return _soon(desk, asked, len(columns_of(desk, rows[0])), lambda: grouped_parts(desk, rows[0], number))
    if asked["kind"] == "table":
        return [as_one(table_parts(desk, rows[0], asked.get("span", (0, 0))[1] > 0))]
    if asked["kind"] == "jobs":
        return job_parts(desk, rows[0], number, asked.get("column", ""))
    if asked["kind"] == "card":
        return consequence_list(desk, rows[0])
    if asked["kind"] == "picked":
        return [as_one(picked_parts(desk, rows))]
    if asked["kind"] == "between":
        return between_parts(desk, rows)
    if asked["kind"] in ("time", "week", "job"):
        return over_time_parts(desk, asked)
    policy = row_policy(desk.front, rows[0])
    if policy is None:
        return []
    return [html.P(SEEN_ALL, className="quiet"), *explanation(desk, policy, policy_file(desk.front, rows[0]))]


def answer_parts(desk: Desk, row: int) -> list[Any]:
    """Return the tables of `paretosched front --wish`: what a schedule costs whom, and what slack brings."""
    with desk.lock:
        wish, front, workload = desk.state.wish, desk.front, desk.workload
    if wish is None or workload is None:
        return []
    try:
        parts = text_parts(answer(wish, front, workload, row).text())
    except InputError as error:
        return [html.P(f"{error}.")]
    return [table_in(part.children) or part if isinstance(part, html.Pre) else part for part in parts]


def consequence_list(desk: Desk, row: int) -> list[Any]:
    """Return what the schedule of a row would change for whom: at most four sentences, most important first."""
    lines = sentences(desk, row)
    if not lines or desk.today is None:
        return []
    last = limits_by_tenths(desk, row) or share_of_easy(desk, row)
    return [
        html.P(f"From {desk.today[0]} to this schedule, {COUNTED}:", className="quiet"),
        _changes(lines),
        html.P(last, className="tenths") if last else None,
    ]


def between_parts(desk: Desk, rows: Sequence[int]) -> list[Any]:
    """Return in two sentences how two schedules of the shortlist differ for whom."""
    letters = {pick.row: pick.letter for pick in desk.state.picks}
    known = [(letters[row], desk.measure(row)) for row in rows[:2] if row in letters]
    pair = [(letter, measured) for letter, measured in known if measured is not None]
    if len(pair) < 2:
        return []
    return [html.P(sentence) for sentence in either_or(pair[0], pair[1], desk.people)]


def cost_parts(desk: Desk, row: int) -> list[Any]:
    """Return what the wish costs whom, and what the next hour for a group costs near the schedule of a row."""
    parts = [*answer_parts(desk, row), *_prices(desk.prices(row))]
    return parts or [html.P("Near this schedule nothing has a clear price.")]


def share_of_easy(desk: Desk, row: int) -> str:
    """Return in a sentence how much of what a schedule gains on the owner's scheduler EASY has alone.

    "" if the owner's scheduler is EASY, or is not known.
    """
    here = desk.measure(row)
    with desk.lock:
        known, mine = desk.comparison, desk.mine
        if here is None or known is None or mine == 0 or row >= len(desk.front):
            return ""
        means = [float(each.mean[0]) for each in (known.waits[mine], known.waits[0], here)]
        awrt = [*known.beside_front[[mine, 0], 1].tolist(), float(desk.front.values[row, 1])]
        return easy_share_text(desk.known_names[mine], means, awrt)


def _prices(sentences: Sequence[str]) -> list[Any]:
    """Return what the next hour costs."""
    if not sentences:
        return []
    items = html.Ul([html.Li(sentence) for sentence in sentences], className="prices")
    return [html.P(f"{BASIS}:", className="quiet"), items]


def _measures(lines: Sequence[Consequence]) -> list[Any]:
    """Return where AWRT and mean waits say different things, as a list; nothing if they do not."""
    return [_changes(lines, "measures")] if lines else []


def _changes(lines: Sequence[Consequence], kind: str = "changes") -> Any:
    return html.Ul([html.Li(line.sentence, className=line.verdict) for line in lines], className=kind)


def test_list(desk: Desk, number: int) -> list[Any]:
    """Return what a trained policy changes for whom on the jobs that it has not seen, as a list of sentences."""
    try:
        name, lines, others = on_unseen_jobs(desk, number)
    except InputError as error:
        return [html.P(f"It cannot be tried on the jobs that it has not seen: {error}.")]
    if not lines:
        return []
    words = f"Every job counts once, beside {name}; both from an empty machine on:"
    weeks = unseen_weeks(desk, number)
    return [
        html.P(html.B(weeks), className="weeks-kept") if weeks else None,
        html.Details(
            [
                html.Summary("What it would change for whom, on jobs that it has not seen"),
                html.P(words, className="quiet"),
                *_measures(others),
                _changes(lines),
            ],
            className="for-whom",
        ),
    ]


def answer_list(desk: Desk, asked: Mapping[str, Any]) -> list[Any]:
    """Return what a question does to the owner's scheduler, to those of rows, and to trained ones.

    At most four sentences, who gains and who pays under each of them, and the table of waits with intervals; or how far
    the answer is.
    """
    trained = asked.get("trained", [])[:MOST_ASKED]
    rows, users = asked["rows"][: MOST_ASKED - len(trained)], REACT if asked["kind"] == "reacting" else RECORDED
    whole = bool(asked.get("is_whole"))
    total = simulations_of(desk, rows, trained, users, whole)
    return _soon(desk, asked, total, lambda: _answer(desk, asked["number"], rows, trained, users, whole))


def _soon(desk: Desk, asked: Mapping[str, Any], total: int, make: Callable[[], list[Any]]) -> list[Any]:
    """Return what is made for a question, or how far that is, see `answer_soon`."""
    names = ("kind", "front", "rows", "number", "today", "trained", "wish", "is_whole")
    key = json.dumps([asked.get(name) for name in names])
    return answer_soon(desk.answers, key, total, make, bool(asked.get("is_stopped")))


def _answer(desk: Desk, number: int, rows: Sequence[int], trained: Sequence[int], users: str, whole: bool) -> list[Any]:
    """Return the answer of `answer_list`."""
    try:
        answer = answer_to(desk, number, rows, trained, users, whole)
    except InputError as error:
        return [html.P(f"This cannot be tried: {error}.")]
    if answer is None:
        return []
    told, limits = answer
    pairs = [
        (case, sentence.removeprefix(case.label).replace(f" with {case.policy}: ", ": ", 1))
        for case, sentence in zip(told.cases[1:], gain_sentences(told), strict=True)
        if case.label != NOW
    ]
    who = list(dict.fromkeys(case.policy for case, _ in pairs))
    more = f"; beside yours they are those on the shortlist and trained ones, {MOST_ASKED} at most" if who[1:] else ""
    parts = [html.P(html.B(f"Left out are {text}")) for texts in told.dropped.values() for text in texts]
    parts += [html.P(f"Simulated again: {enumeration(who)}{more}.", className="quiet")]
    parts += [
        html.P([html.B(capital(case.policy)), sentence, " ", limits.get(case.policy, "")]) for case, sentence in pairs
    ]
    parts += [
        html.P(f"{capital(schedule_name(desk.front, row))} {without_policy(desk.front, row)}.")
        for row in rows
        if row_policy(desk.front, row) is None
    ]
    parts += _part_words(desk, told.workload)
    cases = [case for case, _ in pairs]
    heads = [f"now: {told.cases[0].policy}", *(f"then: {case.policy}" for case in cases)]
    note = (
        f"Means of {len(told.seeds)} draws of the users in the log; a change lies where it says in 95 of 100 cases."
        if len(told.seeds) > 1
        else ONE_WORKLOAD
    )
    return [
        *parts,
        as_one([told_table(answer_lines(heads, cases), heads, desk.people), html.P(note, className="quiet")]),
    ]


def _part_words(desk: Desk, part: Workload) -> list[Any]:
    """Return that a question was asked of a part of the log, and how it is asked of all; nothing if it was."""
    log = desk.workload
    if log is None or len(part) == len(log):
        return []
    weeks = round((part.submit[-1] - part.submit[0]) / WEEK)
    what = f"Simulated are the jobs of the last {weeks} of {weeks_of(log)} weeks, {len(part):,} of {len(log):,}. "
    words = f"Ask it of all weeks, which takes {effort(log) / effort(part):.0f} times as long"
    return [html.P([what, again(words, is_whole=True)], className="quiet")]


def over_time_parts(desk: Desk, asked: Mapping[str, Any]) -> list[Any]:
    """Return the months of the owner's schedule and of another one, a week of both, or why a job in it waited."""
    row = asked["rows"][0]
    pair = desk.pair_over_time(row)
    if pair is None or desk.today is None:
        return []
    names = (desk.today[0], schedule_name(desk.front, row))
    w = pair[0].workload
    first, last = int(w.eligible.min()), int(max(schedule.finish.max() for schedule in pair))
    if asked["kind"] == "time":
        edges = bins(first, last)
        curves = {name: over_time(schedule, edges) for name, schedule in zip(names, pair, strict=True)}
        resources = None if w.machine is None else resources_in_use(pair, edges)
        chart = html.Div(_graph(months(edges, curves, first, resources)), id="months", **{"data-first": str(first)})
        return [chart, *_partition_parts(pair, names, edges, first)]
    begin, end = asked.get("span", (0, 0))
    is_worst = begin >= end
    if is_worst:
        begin, end = worst_week(pair[0])
    begin = min(max(begin, first), last - 1)
    end = min(max(end, begin + 1), last)
    try:
        runs = [runs_between(schedule, begin, end) for schedule in pair]
    except InputError as error:
        return [html.P(f"{error}.")]
    if asked["kind"] == "job":
        which = min(max(asked["number"], 0), 1)
        job = job_at(runs[which], *asked.get("at", (0, 0)))
        return [] if job is None else [html.P(sentence) for sentence in wait_reasons(pair[which], job)]
    days = f"day {(begin - first) / DAY:.1f} to day {(end - first) / DAY:.1f}"
    what = "the week in which jobs wait longest under your scheduler" if is_worst else "what was chosen above"
    weeks: list[Any] = []
    for number, name in enumerate(names):
        picture = raster(runs[number], w.group, (begin, end), w.capacity, PICTURE)
        graph = _graph(week(picture, (begin, end), first, w.capacity, w.groups, nodes_below(pair[number])))
        where = {"data-week": str(number), "data-span": json.dumps([begin, end])}
        weeks.append(html.Div([html.H3(name), html.Div(graph, **where)]))
    over = "nodes" if any(map(nodes_below, pair)) else "processors"
    words = f"Jobs over {over}, {days}: {what}. Click a job to see why it waited."
    return [html.P(words), html.Div(weeks, className="weeks")]


def _partition_parts(pair: Sequence[Schedule], names: Sequence[str], edges: Ints, first: int) -> list[Any]:
    """Return what two schedules use of each partition over time; nothing on a machine without several of them."""
    uses = use_by_partition(pair, edges)
    words = "By partition: what its jobs use of its nodes, which others may use, too."
    return [html.P(words), _graph(partitions(edges, names, uses, first))] if uses else []


def _graph(figure: Mapping[str, Any]) -> Any:
    config = {**GRAPH, "modeBarButtons": [["resetScale2d"]], "doubleClick": "reset"}
    return dcc.Graph(figure=figure, config=config, style={"height": f"{figure['layout']['height']}px"})


def explanation(desk: Desk, policy: Policy, file: str) -> list[Any]:
    """Return how to run a scheduler, and what it does, in words; `file` is the name under which it is saved."""
    what = [html.H3("What it does"), html.Div(text_parts(explain(policy).text()), className="explained")]
    groups = option_of_groups(policy, desk.workload)
    parts: list[Any] = [html.H3("Run it")]
    try:
        what_to_do = steps(policy, file, groups)
    except InputError as error:
        return [*parts, html.P(f"No resource manager can run it as an order of its queue: {error}."), *what]
    if groups.endswith(GROUPS_FILE) and desk.workload is not None and comes_from_consumption(desk.workload):
        link = html.A(GROUPS_FILE, href=GROUPS_FILE, download=GROUPS_FILE, className="button")
        words = (
            "says who is in which group. Its users are numbers, as in the log: put the names of your accounts in their "
            "place."
            if not names_of(desk.workload, "user")
            else "says who is in which group."
        )
        parts.append(html.P([link, f" {words} Users who are not in it are newcomers."]))
    items = [html.Li([step.words, html.Br(), html.Code(step.command)]) for step in what_to_do]
    lines = html.Pre(slurm_lines(desk, policy, file, groups), tabIndex=0)
    return [*parts, html.Ol(items, className="steps"), html.H3("Or in the words of slurm.conf"), lines, *what]


def slurm_lines(desk: Desk, policy: Policy, file: str, groups: str) -> str:
    """Return what to put into slurm.conf for a policy, where no job asks for more time than those of the log."""
    longest = {} if desk.workload is None else {"longest": int(desk.workload.estimate.max())}
    return "\n".join(slurm_words(policy, file, groups, **longest))


def table_in(text: str) -> Any:
    """Return a table for a terminal, see `core.tables.table`, as one that fits into the side of the page; else None.

    Its second line has a dash below each letter of the widest line of a column.
    """
    head, rule, *lines = [*text.splitlines(), "", ""]
    spans = [match.span() for match in re.finditer("-+", rule)]
    if not spans or rule.strip("- "):
        return None
    rows = [[line[a:b] for a, b in spans] for line in (head, *filter(None, lines))]
    is_left = [all(row[k][:1] != " " for row in rows if row[k].strip()) for k in range(len(spans))]
    sides = ["left" if left else "" for left in is_left]
    cells = [[html.Td(cell.strip(), className=side) for cell, side in zip(row, sides, strict=True)] for row in rows[1:]]
    heads = [html.Th(cell.strip(), scope="col", className=side) for cell, side in zip(rows[0], sides, strict=True)]
    table = html.Table([html.Thead(html.Tr(heads)), html.Tbody([html.Tr(row) for row in cells])], className="told-text")
    return html.Div(table, className="scroll", tabIndex=0)


def text_parts(text: str) -> list[Any]:
    """Return a text for a terminal as paragraphs and tables: lines that were broken for its width are joined again."""
    parts: list[Any] = []
    paragraph: list[str] = []
    rows: list[str] = []

    def end() -> None:
        if paragraph:
            parts.append(html.P(" ".join(paragraph)))
        if rows:
            parts.append(html.Pre("\n".join(rows), tabIndex=0))
        paragraph.clear()
        rows.clear()

    for line in text.splitlines():
        words = line.strip()
        is_row = "  " in words or (bool(words) and not words.strip("- "))
        was_broken = bool(paragraph) and len(paragraph[-1]) > BROKEN
        if not words or bool(rows) != is_row or not (is_row or was_broken):
            end()
        (rows if is_row else paragraph).extend([line if is_row else words] if words else [])
    end()
    return parts
