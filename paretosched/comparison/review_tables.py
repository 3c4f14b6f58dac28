"""A review as text for a terminal: the verdict first, then the gains, the groups and the weeks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.errors import number_of
from ..core.tables import Column, amount, plain, table
from ..wishes.wish import wish_text
from .intervals import PERCENT, interval_text
from .promises import EASY, POLICY, RECORDED, TODAY, Review, Word
from .reaction_gains import NOTE, reaction_table

HEADINGS = {Word.KEPT: "KEPT", Word.BROKEN: "NOT KEPT", Word.UNKNOWN: "CANNOT BE SAID"}
JOBS, SCHEDULE, AWRT = Column("jobs", "jobs", ",d"), Column("system", "schedule"), Column("awrt_s", "AWRT h", ",.2f")
WAITS = (Column("wait_mean_s", "wait h", ",.2f"), Column("wait_p95_s", "95 % h", ",.2f"))
DRY = "DRY RUN: nothing was changed; what was recorded is the scheduler of the machine, and the policy is simulated"


def verdict_text(review: Review) -> str:
    """Return the verdict in one line."""
    return f"{HEADINGS[review.verdict.word]}: {'; '.join(review.verdict.reasons)}"


def review_text(review: Review, dry: bool = False) -> str:
    """Return a review as text; the first line is the verdict, or says that it was a dry run."""
    rows = review.rows()
    whole = rows[: len(review.schedules) * (1 + len(review.workload.groups))]
    parts = [
        f"{DRY if dry else verdict_text(review)}\n{about_jobs(review)}",
        f"objective: {wish_text(review.wish, hours=True)}\n{gain_table(review, whole, dry)}",
        *([change_table(review, whole)] if dry else []),
        group_table(review, whole),
        *([reaction_text(review, dry)] if review.reactions else []),
        week_table(review, rows[len(whole) :]),
        f"pairs of jobs of which one came while the other waited: {review.pairs.together:,}; in "
        f"{_share(review.pairs.turned, review.pairs.together)} the policy starts the other one first",
    ]
    return "\n\n".join(parts)


def reaction_text(review: Review, dry: bool) -> str:
    """Return what users make of each schedule by reacting as a table, and in a sentence how the gain in waits changes.

    It is the gain of what was recorded, which users had reacted to; of a dry run that of the policy.
    """
    rows = review.reaction_rows()
    facts = rows[POLICY if dry else RECORDED]["users_react"]
    before, after = (facts[key] for key in ("wait_vs_easy_recorded", "wait_vs_easy"))
    lines = [reaction_table(rows), NOTE]
    if None not in (before, after):
        what, to = ("the policy", "it") if dry else ("what was recorded", "EASY")
        lines.append(
            f"In the mean wait {what} gains {before:+.1f} % over EASY with the recorded submissions, and {after:+.1f} "
            f"% if users react to {to}. All else here is by the recorded submissions."
        )
    return "\n".join(lines)


def about_jobs(review: Review) -> str:
    """Return which jobs count, in words."""
    began = review.begin
    unknown = f"; not counted: {number_of(review.unknown, 'job')}, as no start is recorded" if review.unknown else ""
    later = f"; not counted: {number_of(review.later, 'job')} after the last whole week" if review.later else ""
    still = f"; still waiting, and not counted: {number_of(review.waiting[0].jobs, 'job')}" if review.waiting else ""
    return (
        f"{number_of(len(review.workload), 'job')} in {number_of(review.weeks, 'week')}; "
        f"{number_of(began.running.size, 'job')} that ran and {began.waiting.size:,} that waited at the beginning are "
        f"simulated as recorded, and do not count{unknown}{later}{still}"
    )


def gain_table(review: Review, rows: Sequence[dict[str, Any]], dry: bool) -> str:
    """Return the objective of each schedule, and its gain over EASY; `rows` are those over all weeks."""
    ends = None if review.intervals is None else plain(review.intervals.goal_gains)
    words = {
        EASY: "EASY, simulated",
        RECORDED: "recorded",
        POLICY: "the policy, simulated",
    }
    facts = review.facts()
    lines: list[dict[str, Any]] = []
    if review.promised is not None:
        lines.append({"what": "promised by the training", "gain": review.promised})
    of_all = rows[:: 1 + len(review.workload.groups)]  # of all groups together
    for place, (schedule, row) in enumerate(zip(review.schedules, of_all, strict=True)):
        known = ends is not None and place != EASY and None not in ends[place]
        interval = interval_text(ends[place], "+.1f") if ends is not None and known else None
        line = {"what": words.get(place, schedule.name), "objective": row["objective"], "interval": interval}
        lines.append(line | {"gain": None if place == EASY else review.gain(place)})
    difference = facts["recorded_over_predicted"]
    interval = facts["recorded_over_predicted_interval"]
    if not dry:
        lines.append(
            {"what": "recorded over simulated policy", "gain": difference}
            | {"interval": None if interval is None else interval_text(interval, "+.1f")}
        )
    columns = [
        Column("what", ""),
        Column("objective", "objective", ",.1f"),
        Column("gain", "vs EASY %", "+.1f"),
        Column("interval", f"{PERCENT} % interval"),
    ]
    text = table(lines, columns)
    if review.wish.limits and facts["limits_exceeded"] is not None:
        text += f"\nlimits exceeded by what was recorded: {amount(100 * facts['limits_exceeded'])} %"
    return text


def rows_by_group(review: Review, rows: Sequence[dict[str, Any]]) -> dict[str, Sequence[dict[str, Any]]]:
    """Return the rows of each schedule over all weeks, for all jobs and for each group; a group may be called "all"."""
    labels = ("all jobs", *(f"group {group}" for group in review.workload.groups))
    return {label: rows[place :: len(labels)] for place, label in enumerate(labels)}


def group_table(review: Review, rows: Sequence[dict[str, Any]]) -> str:
    """Return response times and waits of each group as a table; `rows` are those over all weeks."""
    lines = []
    for label, of_group in rows_by_group(review, rows).items():
        for place, row in enumerate(of_group):
            of_easy = {"of": label, "awrt_vs_easy": None}
            lines.append(with_hours(row) | (of_easy if place == EASY else {"of": "", "jobs": ""}))
    return table(lines, [Column("of", ""), JOBS, SCHEDULE, AWRT, Column("awrt_vs_easy", "vs EASY %", "+.1f"), *WAITS])


def change_table(review: Review, rows: Sequence[dict[str, Any]]) -> str:
    """Return what would have changed for each group under the policy, from the recorded times; `rows` are of all weeks.

    Today's scheduler stands beside them if it is simulated, because a simulation differs from what is recorded, too.
    """
    systems = [schedule.name for schedule in review.schedules]
    lines = []
    for label, of_rows in rows_by_group(review, rows).items():
        of_group = [with_hours(row) for row in of_rows]
        before, after = of_group[RECORDED], of_group[POLICY]
        line: dict[str, Any] = {"of": label, "jobs": before["jobs"]}
        line |= {"awrt": before["awrt_s"], "wait": before["wait_mean_s"]}
        line |= {"awrt_then": after["awrt_s"], "wait_then": after["wait_mean_s"]}
        for place, key in ((POLICY, "change"), (TODAY, "today_change")):
            then = of_group[place]["awrt_s"] if place < len(systems) else None
            if then is not None and before["awrt_s"]:
                line[key] = 100 * (then - before["awrt_s"]) / before["awrt_s"]
        lines.append(line)
    columns = [
        Column("of", "what would have changed"),
        JOBS,
        Column("awrt", "recorded AWRT h", ",.2f"),
        Column("awrt_then", "policy AWRT h", ",.2f"),
        Column("change", "change %", "+.1f"),
        Column("wait", "recorded wait h", ",.2f"),
        Column("wait_then", "policy wait h", ",.2f"),
    ]
    note = "change: from the recorded AWRT; positive is longer"
    if len(systems) > TODAY:
        columns.append(Column("today_change", "today, simulated, change %", "+.1f"))
        note += "; the last column is what the simulation changes by itself, without the policy"
    return f"{table(lines, columns)}\n{note}"


def week_table(review: Review, rows: Sequence[dict[str, Any]]) -> str:
    """Return the gains over EASY, the response times and the waits of all jobs; `rows` are those week by week."""
    lines = []
    of_all = rows[:: 1 + len(review.workload.groups)]
    for week in dict.fromkeys(row["from"] for row in of_all):
        of_week = [row for row in of_all if row["from"] == week]
        for place, row in enumerate(of_week[RECORDED:]):
            lines.append(with_hours(row) | ({"from": "", "jobs": ""} if place else {}))
    gain = Column("objective_vs_easy", "objective vs EASY %", "+.1f")
    return table(lines, [Column("from", "week from"), JOBS, SCHEDULE, gain, AWRT, *WAITS])


def with_hours(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with its times in hours."""
    return row | {key: None if row[key] is None else row[key] / 3600 for key in row if key.endswith("_s")}


def _share(part: int, whole: int) -> str:
    """Return a number with its share of another one, in words."""
    return f"{part:,} ({100 * part / whole:.1f} %)" if whole else f"{part:,}"
