"""The table that an owner decides with: how long the jobs of each group wait, under one scheduler beside the others.

Every job counts once, see `service.waits`. The page, the report of the decision and the report of a comparison show the
same lines, in the same words. Less is better in all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.tables import Column, table
from ..simulation.measures import rank_of
from ..simulation.objective import group_of, is_of_group
from ..simulation.schedule import SLOWDOWN_BOUND, Schedule, bounded_slowdown
from ..simulation.service import Waits, waits
from ..simulation.waiting_reasons import TURN
from ..wishes.answers import HERE, Answer
from ..wishes.wish import groups_asked
from ..workload.measures import objective_name
from .consequences import AT_ONCE, BETTER, SAME, WORSE, Consequence, duration, most_important, percent
from .recorded_waits import RecordedWaits
from .views import wait_cells, whose

ON_RECORD, SIMULATED_BESIDE = "what happened, from the log", "simulated"  # below the heads of columns
NOTABLE = 2.0  # per cent; a smaller change gets no arrow
SLOWDOWN = "slowdown_mean"
MEASURES = {  # by the columns of `Waits`: the words of a line, and those of the measure in a wish
    "median": ("half start within", "median wait"),
    "mean": ("mean wait", "mean wait"),
    "p95": ("95 of 100 within", "p95 wait"),
    "worst": ("longest wait", "longest wait"),
    SLOWDOWN: ("slowdown", "mean slowdown"),
}
SLOWDOWN_WORDS = "Slowdown: how many times as long as it runs a job takes from coming to its end, the mean of all jobs."
SIMULATED, COLUMN = ("median", "mean", "p95"), "wait_{}_s"  # of MEASURES, those that `simulate` shows, and in its rows
SHARES = {  # groups of users by what they consume, from the first to the last
    1: "the heaviest users", 2: "heavy users", 3: "users in the middle", 4: "light users", 5: "the lightest users",
}  # fmt: skip


class Cell(NamedTuple):
    """A value of one scheduler in a line.

    Attributes
    ----------
    text
        The value as people say it: "1.5 h", or a slowdown.
    verdict
        "better", "worse" or "same" beside that of the first scheduler; "" for that one itself.
    change
        By how much, as text with an arrow that shows where the number goes: "↓ 12 %"; "" up to 2 %.
    """

    text: str
    verdict: str = ""
    change: str = ""


class Line(NamedTuple):
    """A measure of the jobs of one group, or of all, under several schedulers.

    Attributes
    ----------
    place
        0 for all jobs, else 1 + the index of the group.
    measure
        One of MEASURES.
    cells
        By the name of the scheduler; None where its waits are not known yet.
    """

    place: int
    measure: str
    cells: dict[str, Cell | None]


REASONS = "what jobs wait for", "share of all hours"
Reasons = Sequence[Mapping[str, Any]]  # rows of `WaitingReasons.table`


def wait_lines(waits: Mapping[str, Waits | None]) -> list[Line]:
    """Return the lines of the table: all jobs, then each group with jobs, each with all measures.

    Parameters
    ----------
    waits
        Waits of the same jobs by the name of the scheduler, None where they are not known yet; the first one, which is
        known, is what the others are compared with.

    Examples
    --------
    >>> def of(*columns): return Waits(np.array([40, 40]), *(np.array([x, x], dtype=float) for x in (*columns, 4, 1)))
    >>> lines = wait_lines({"today": of(6600, 0, 35280, 144000), "EASY": of(9000, 0, 35000, 100000)})
    >>> [lines[k].cells["EASY"] for k in (0, 1)]
    [Cell(text='at once', verdict='same', change=''), Cell(text='2.5 h', verdict='worse', change='↑ 36 %')]
    """
    names = list(waits)
    first = waits[names[0]]
    if first is None:
        return []
    lines = []
    for place in np.flatnonzero(first.jobs).tolist():
        for measure in MEASURES:
            before = float(getattr(first, measure)[place])
            cells: dict[str, Cell | None] = {names[0]: Cell(value_words(measure, before))}
            for name in names[1:]:
                there = waits[name]
                cells[name] = None if there is None else beside(measure, before, float(getattr(there, measure)[place]))
            lines.append(Line(place, measure, cells))
    return lines


def reason_lines(waiting: Mapping[str, Reasons | None]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return for what jobs wait: by the names of squeue the share and the time of each scheduler, the most first.

    Parameters
    ----------
    waiting
        Rows of `WaitingReasons.table` by the name of the scheduler; None where they are not known.

    Returns
    -------
    Nothing where jobs wait for nodes and their turn only.

    Examples
    --------
    >>> limit, turn = ({"reason": name, "hours": 30.0, "share": 50.0} for name in ("Licenses", TURN))
    >>> reason_lines({"today": [limit, turn], "EASY": [turn], "trained 1": None})
    [('Resources or Priority', [('50 %', '30 h'), ('50 %', '30 h'), ('–', '')]), \
('Licenses', [('50 %', '30 h'), ('0 %', ''), ('–', '')])]
    >>> reason_lines({"today": [turn]})
    []
    """
    rows = {name: {row["reason"]: row for row in of or ()} for name, of in waiting.items()}
    hours: dict[str, float] = {}
    for of in rows.values():
        for reason, row in of.items():
            hours[reason] = hours.get(reason, 0.0) + row["hours"]
    if not hours.keys() - {TURN}:
        return []

    def cell(name: str, reason: str) -> tuple[str, str]:
        row = rows[name].get(reason)
        if row is None:
            return "–" if waiting[name] is None else "0 %", ""
        return f"{percent(row['share'])} %", duration(3600 * row["hours"])

    return [(reason, [cell(name, reason) for name in rows]) for reason in sorted(hours, key=lambda each: -hours[each])]


def value_words(measure: str, value: float) -> str:
    """Return a value of a measure as people say it.

    Examples
    --------
    >>> value_words("mean", 5400.0), value_words("median", 0.5), value_words(SLOWDOWN, 31.4)
    ('1.5 h', 'at once', '31')
    >>> value_words("mean", 90.0)  # narrower than in a sentence
    '1.5 min'
    """
    if measure == SLOWDOWN:
        return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"
    return "at once" if value < AT_ONCE else re.sub("minutes?", "min", duration(value))


def head_words(name: str, names: Iterable[str]) -> tuple[str, str]:
    """Return the head of a column, and what stands below it in small letters; "" for nothing.

    That is what stands behind a colon; else, where one of the columns is of what happened, which of them are not.

    Examples
    --------
    >>> [head_words(name, ("recorded", "EASY", "A: the fairest")) for name in ("recorded", "EASY", "A: the fairest")]
    [('recorded', 'what happened, from the log'), ('EASY', 'simulated'), ('A', 'the fairest')]
    >>> head_words("EASY", ("EASY", "FCFS"))
    ('EASY', '')
    """
    words, _, small = name.partition(": ")
    if is_recorded(name):
        return words, ON_RECORD
    return words, small or (SIMULATED_BESIDE if any(map(is_recorded, names)) else "")


def is_recorded(name: str) -> bool:
    """Return whether a scheduler of this name is what the log has on record."""
    return name.startswith("recorded")


def beside(measure: str, before: float, after: float) -> Cell:
    """Return the cell of a value beside that of the first scheduler."""
    text = value_words(measure, after)
    are_at_once = measure != SLOWDOWN and max(before, after) < AT_ONCE
    if are_at_once or 100 * abs(after - before) <= NOTABLE * before:
        return Cell(text, SAME)
    verdict, arrow = (WORSE, "↑") if after > before else (BETTER, "↓")
    if before < AT_ONCE:  # no slowdown is
        return Cell(text, verdict, arrow)
    ratio = after / before
    return Cell(text, verdict, f"{arrow} {percent(100 * (ratio - 1))} %" if ratio < 10 else f"{arrow} {ratio:,.0f}×")


def people(groups: Sequence[str]) -> list[str]:
    """Return who is in each group, in words: groups that have only numbers are those of users by what they consume.

    Examples
    --------
    >>> people(("1", "2", "3", "4", "5"))[:2], people(("1", "2", "3"))[1:], people(("students", "2"))
    (['the heaviest users (group 1)', 'heavy users (group 2)'], ['group 2', 'the lightest users (group 3)'], \
['students', '2'])
    """
    if list(groups) != [str(i) for i in range(1, len(groups) + 1)] or len(groups) < 2:
        return list(groups)
    words = dict(SHARES) if len(groups) == len(SHARES) else {1: SHARES[1], len(groups): SHARES[len(SHARES)]}
    return [f"{words[i]} (group {i})" if i in words else f"group {i}" for i in range(1, len(groups) + 1)]


def costs_of(answer: Answer) -> tuple[str, list[Consequence]]:
    """Return against whom the answer to a wish is set, what is recorded or EASY, and what it costs whom."""
    over = next(iter(answer.waits))
    first = answer.easy if answer.today is None else answer.today
    groups = [group_of(o) for o in answer.objectives if is_of_group(o.name)]
    awrt = tuple(values[1 : 2 + len(groups)].tolist() for values in (first, answer.values))
    today, here = answer.waits[over], answer.waits[HERE]
    return over, most_important(today, here, people(groups), (awrt[0], awrt[1]), groups_asked(answer.wish_here, groups))


def measure_name(measure: str, place: int, groups: Sequence[str]) -> str:
    """Return the name of the objective in a line, as wishes have it.

    Examples
    --------
    >>> measure_name("worst", 1, ("students", "staff")), measure_name(SLOWDOWN, 0, ("students",))
    ('longest wait of students', 'mean slowdown')
    """
    words = MEASURES[measure][1]
    return objective_name(f'{words} of "{groups[place - 1]}"' if place else words, tuple(groups))


def waits_of_groups(schedule: Schedule, today: RecordedWaits | None = None) -> list[dict[str, Any]]:
    """Return how long jobs wait as rows: all jobs, then each group with jobs.

    Parameters
    ----------
    schedule
        A schedule.
    today
        How near it comes to the record, of which rows then have `same_order_percent`, pairs of jobs that waited
        together, and `longer_than_recorded_s`, the mean; None where nothing is recorded, or no pair waited together.

    Examples
    --------
    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 1], run=[60, 5], estimate=[60, 5], width=[3, 3], capacity=4)
    >>> waits_of_groups(Schedule(w, [0, 61]))[0]
    {'group': None, 'jobs': 2, 'wait_median_s': 30.0, 'wait_mean_s': 30.0, 'wait_p95_s': 60.0}
    """
    cells, rows = wait_cells(waits(schedule)), []
    for place in (place for place, cell in enumerate(cells) if cell["jobs"]):
        group = schedule.workload.groups[place - 1] if place else None
        row = {"group": group} | {key: cells[place][key] for key in ("jobs", *map(COLUMN.format, SIMULATED))}
        if today is not None:
            near = today.near if group is None else today.groups.get(group)
            pairs = (0, 0) if near is None else near.pairs
            row["same_order_percent"] = 100 * (1 - pairs[1] / pairs[0]) if pairs[0] else None
            row["longer_than_recorded_s"] = None if near is None else near.longer
        rows.append(row)
    return rows


def waits_of_groups_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return `waits_of_groups` as a table for a terminal."""
    lines = []
    for row in rows:
        line = {"who": whose(row), "jobs": row["jobs"]}
        line |= {key: value_words(key, row[COLUMN.format(key)]) for key in SIMULATED}
        if "same_order_percent" in row:
            longer, order = row["longer_than_recorded_s"], row["same_order_percent"]
            line["order"] = "" if order is None else f"{order:.1f} %"
            line["longer"] = "" if longer is None else _than_recorded(longer)
        lines.append(line)
    columns = [Column("who", "waits of"), Column("jobs", "jobs", ",d")]
    columns += [Column(key, MEASURES[key][0]) for key in SIMULATED]
    if "same_order_percent" in rows[0]:
        columns += [Column("order", "same order"), Column("longer", "mean beside record")]
    return table(lines, columns)


def _than_recorded(seconds: float) -> str:
    """Return by how much simulated waits are longer than recorded ones, in words."""
    return (
        f"{duration(abs(seconds))} {'longer' if seconds > 0 else 'shorter'}" if abs(seconds) >= AT_ONCE else "as long"
    )


def jobs_behind(schedule: Schedule, place: int, measure: str, most: int = 10) -> Ints:
    """Return the jobs that a number of the table is of, at most `most` rows of the workload, (k,).

    For a mean and the longest wait these are the jobs that wait longest, the longest first; for the slowdown those with
    the largest one; for "half" and "95 of 100" the jobs from there on, the shortest wait first.
    """
    w = schedule.workload
    rows = np.arange(len(w)) if place == 0 else np.flatnonzero(w.group == place - 1)
    of_jobs: Floats | Ints = bounded_slowdown(schedule, SLOWDOWN_BOUND) if measure == SLOWDOWN else schedule.wait
    ascending = rows[np.argsort(of_jobs[rows], kind="stable")]
    if measure in ("median", "p95"):
        rank = rank_of(50 if measure == "median" else 95, len(rows))
        return ascending[max(rank - 1, 0) :][:most]
    return ascending[::-1][:most]
