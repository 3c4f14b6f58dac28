"""Comparisons as tables for a terminal: response times in hours, gains over EASY, waits, classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.tables import Column, plain, table
from ..policies.outcome import SearchTotals
from ..simulation.objective import Objective, in_hours
from ..simulation.schedule import SLOWDOWN_BOUND
from ..simulation.service import CLASS_BOUND, OfClass
from ..wishes.wish import Wish
from .views import SLOWDOWN, whose

WAY = "of the way: from EASY to the schedule of the front that comes nearest to the objective, within limits if any is"
POSSIBLE = "of the possible: from EASY to what is proved that no schedule within the limits can beat"
EVERY_JOB = (
    "wait: until the first start, of every job alike, large or small; slowdown: response time / "
    f"max(run, {SLOWDOWN_BOUND} s), at least 1"
)
INTERVALS = (
    "intervals: block bootstrap over {weeks} weeks of submissions, blocks of {block}; what these weeks say about other "
    "weeks of the same users; called 90 %, they hold the truth less often, least AWRT of rules that let jobs starve"
)
OF_CLASSES = (
    f"class: by run time, as in SCOJO-PECT; size: narrow up to 10 % of the machine, wide above 50 %; slowdown of "
    f"classes: bounded by {CLASS_BOUND} s, and rounded up as in paper 004; wait: until the first start; wait in all: "
    "with the time in which a job is preempted"
)
OF_EACH = "best of each: the best value in each column on the front; different schedules have them, and none has all"
FROM_SUBMISSION = "UTIL_from_submission"
WAITS = {"mean": "mean", "median": "median", "p95": "95 %", "worst": "worst"}


def policy_table(
    rows: Sequence[Mapping[str, Any]], objectives: Sequence[Objective], against_front: bool, today: str | None = None
) -> str:
    """Return the objectives of `Comparison.rows` as a table, with gains over EASY and, with a front, its counts.

    `today` is the name of what runs the machine today, over which gains are shown, too.
    """
    lines: list[dict[str, Any]] = []
    for row in rows:
        hours = {o.name: row[o.name] / 3600 for o in objectives if o.unit == "s" and row[o.name] is not None}
        lines.append({**row, **hours})
        over = {"today": f"  vs {today}"} if today is not None and row["policy"] != today else {}
        over |= {"easy": "  vs EASY"} if row is not rows[0] else {}  # the first row is EASY itself
        for key, what in over.items():
            gains = {o.name: row[f"{o.name}_vs_{key}"] for o in objectives}
            words = {name: "-" if gain is None else with_sign(gain) for name, gain in gains.items()}
            lines.append({"policy": what, "dominated_by": "", "dominates": "", **words})
    columns = [Column("policy", "policy"), *map(in_hours, objectives)]
    if against_front:
        columns += [Column("dominated_by", "dominated by", ",d"), Column("dominates", "dominates", ",d")]
    return table(lines, columns)


def told_table(rows: Sequence[Mapping[str, Any]], told: Sequence[Objective]) -> str:
    """Return what is told beside the objectives of `Comparison.rows` as a table."""
    return table(rows, [Column("policy", "policy"), *map(in_hours, told)])


def wish_table(rows: Sequence[Mapping[str, Any]], wish: Wish, against_front: bool) -> str:
    """Return the columns about the wish of `Comparison.rows` as a table."""
    columns = [Column("policy", "policy")]
    if wish.aims:
        columns.append(Column("objective", "objective", ",.1f" if wish.weights else ".4f"))
    if wish.weights:
        columns.append(Column("gain", "vs EASY", ".1f"))
    if wish.aims and against_front:
        columns.append(Column("share_of_way", "of the way %", ",.1f"))
    if any(row["share_of_possible"] is not None for row in rows):
        columns.append(Column("share_of_possible", "of the possible %", ",.1f"))
    if wish.limits:
        columns.append(Column("above", "limits exceeded by %", ",.2f"))
    lines = []
    for row in rows:
        gain = row["objective_vs_easy"]
        above = None if row["exceeded"] is None else 100 * row["exceeded"]
        lines.append({**row, "gain": None if gain is None else with_sign(gain), "above": above})
    return table(lines, columns)


def wait_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how long jobs wait under each policy as a table: for all jobs and for each group of each grouping."""
    lines: list[dict[str, Any]] = []
    for place in range(len(rows[0]["waits"])):
        for row in rows:
            waits = row["waits"][place]
            hours = {key: plain(np.nan if x is None else x / 3600) for key, x in waits.items() if key[-2:] == "_s"}
            first = row is rows[0]
            lines.append(waits | hours | {"policy": row["policy"], "of": whose(waits) if first else ""})
    columns = [Column("of", "wait of"), Column("policy", "policy"), Column("jobs", "jobs", ",d")]
    columns += [Column(f"wait_{key}_s", f"{words} h", ",.2f") for key, words in WAITS.items()]
    columns += [
        Column(f"{SLOWDOWN}_mean", f"slowdown ({SLOWDOWN_BOUND} s) mean", ",.2f"),
        Column(f"{SLOWDOWN}_median", "median", ",.2f"),
    ]
    return table(lines, columns)


def class_table(classes: Sequence[Sequence[OfClass]], policies: Sequence[str]) -> str:
    """Return `service.by_class` of each policy as a table, times in hours."""
    lines: list[dict[str, Any]] = []
    for rows in zip(*classes, strict=True):
        if rows[0].jobs:
            for place, (row, policy) in enumerate(zip(rows, policies, strict=True)):
                names = {"kind": row.kind, "size": row.size} if place == 0 else {"kind": "", "size": ""}
                hours = {"response": row.response_s / 3600, "wait": row.wait_s / 3600}
                hours["in_all"] = row.wait_in_all_s / 3600
                lines.append(row._asdict() | names | hours | {"policy": policy})
    columns = [
        Column("kind", "class"),
        Column("size", "size"),
        Column("policy", "policy"),
        Column("jobs", "jobs", ",d"),
        Column("slowdown", f"slowdown ({CLASS_BOUND} s)", ",.2f"),
        Column("slowdown_rounded_up", "rounded up", ",.2f"),
        Column("response", "response h", ",.2f"),
        Column("wait", "wait h", ",.2f"),
        Column("in_all", "wait in all h", ",.2f"),
        Column("utilisation_percent", "UTIL %", ",.2f"),
    ]
    return table(lines, [column for column in columns if column.key != "policy" or len(policies) > 1])


def searched_text(search: SearchTotals) -> str:
    """Return in words what group optimisation did.

    Examples
    --------
    >>> searched_text(SearchTotals((24, 31), (400, 700), (2000, 1_600_000), (0, 70_000)))
    '24 groups of 400 medium and 31 of 700 long jobs; 1,602,000 nodes of search trees visited, 70,000 pruned'
    """
    (medium, long), (jobs, long_jobs) = search.groups, search.jobs
    return (
        f"{medium:,} groups of {jobs:,} medium and {long:,} of {long_jobs:,} long jobs; "
        f"{sum(search.visited):,} nodes of search trees visited, {sum(search.pruned):,} pruned"
    )


def with_sign(gain: float) -> str:
    """Return a number of per cent with its sign, as text.

    Examples
    --------
    >>> with_sign(4.56), with_sign(-0.01)
    ('+4.6 %', '0.0 %')
    """
    number = round(gain, 1) + 0.0  # no minus before a zero
    return f"{number:{'+' if number else ''}.1f} %"


def from_submission_text(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a note on the policies of which UTIL is another one from the first submission on; none if there is none.

    Examples
    --------
    >>> from_submission_text([{"policy": "late", "UTIL": 90.0, "UTIL_from_submission": 45.0}])
    ['UTIL is from the first start on, as in the papers, and rewards idling; from the first submission: late 45.00 %']
    """
    words = [
        f"{row['policy']} {row[FROM_SUBMISSION]:.2f} %"
        for row in rows
        if row[FROM_SUBMISSION] is not None and f"{row[FROM_SUBMISSION]:.2f}" != f"{row['UTIL']:.2f}"
    ]
    if not words:
        return []
    note = "UTIL is from the first start on, as in the papers, and rewards idling; from the first submission: "
    return [note + ", ".join(words)]


def in_words(name: str) -> str:
    """Return the name of a measure as people say it, where a group has only a number.

    Examples
    --------
    >>> in_words("mean wait of 5"), in_words("mean wait of gpu")
    ('mean wait of group 5', 'mean wait of gpu')
    """
    return re.sub(r" of (\d+)$", r" of group \1", name)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that all differ: a repeated name gets a number."""
    different: list[str] = []
    for name in names:
        free = (f"{name} ({k})" if k > 1 else name for k in range(1, len(names) + 1))
        different.append(next(candidate for candidate in free if candidate not in different))
    return tuple(different)
