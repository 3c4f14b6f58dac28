"""Say whether the bounds hold and how near they are: results/bounds/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import run
import settings

from paretosched.core.tables import markdown

Row = Mapping[str, str]
PROGRAMME = "programme"
IN_WORDS = {  # the wishes without limits, for the opening
    "AWRT": "the response time of all jobs, weighted by their work (AWRT),",
    "all groups": "the sum of those of the five user groups",
    "10 and 4": "10*AWRT1 + 4*AWRT2, of the two groups whose users each use most,",
}


def main() -> None:
    """Write the summary."""
    options, provenance, tables = common.read_results("bounds", __doc__, run.PARTS)
    tiny, logs = tables.values()
    lines = ["# How good could any schedule be?", "", *(opening(tiny, logs) if tiny and logs else [])]
    lines += heading(provenance, logs)
    lines += of_tiny(tiny, provenance) if tiny else common.not_run(run.TINY)
    lines += [*of_logs(logs), *of_ingredients(logs)] if logs else common.not_run(run.OF_LOGS)
    common.save_summary(options.results, lines)


def opening(tiny: Sequence[Row], logs: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary."""
    bounds = {wish: [float(row[PROGRAMME]) for row in logs if row["wish"] == wish] for wish in settings.FREE}
    spans = [
        f"{words} by {common.at_most(min(bounds[wish]), 2)} to {common.at_most(max(bounds[wish]))} %"
        for wish, words in IN_WORDS.items()
    ]
    total = {key: sum(float(row[key]) for row in tiny) for key in tiny[0]}
    hopeless = idle_logs(logs)
    short = 100 * (1 - total["AWRT"] / total["workloads"]), 100 * (1 - total["sum"] / total["workloads"])
    return common.opening(
        "How far below EASY's could response times be under any schedule, also one that knows the future?",
        f"At most, from log to log: {'; '.join(spans)}.",
        f"The bounds are proved, and on {total['workloads']:,.0f} tiny workloads, of which all orders were tried, "
        f"they were beaten {total['sets beaten'] + total['wishes beaten']:,.0f} times.",
        "A bound says what cannot be reached, not what can: on the tiny workloads it is in the mean "
        f"{short[0]:.0f} % below the best AWRT and {short[1]:.0f} % below the best weighted sum of all groups.",
        "Set the gain of a scheduler against the bound of your own log, and stop searching when it is near"
        + (f"; on {', '.join(hopeless)} less than 1 % can be gained by any scheduler." if hopeless else "."),
    )


def heading(provenance: Mapping[str, Any], logs: Sequence[Row]) -> list[str]:
    """Return the lines about what this is."""
    return [
        f"{common.quick_remark(provenance, 'on made-up workloads')}All numbers of logs are per cent below EASY: a "
        "schedule can gain at most so much over EASY, whoever makes it, also one that knows the future. "
        f"{common.cut_remark(provenance, (row['log'] for row in logs))}{common.versions_text(provenance)}.",
        "",
    ]


def of_tiny(rows: Sequence[Row], provenance: Mapping[str, Any]) -> list[str]:
    """Return the section about tiny workloads."""
    total = {key: sum(float(row[key]) for row in rows) for key in rows[0]}
    (fewest, most), (narrow, large) = provenance["jobs"], provenance["processors"]
    count = total["workloads"]
    table = [
        ["AWRT", f"{total['AWRT'] / count:.3f}"],
        ["AWRT, without two at a time", f"{total['AWRT without two at a time'] / count:.3f}"],
        ["a weighted sum of all groups, by the programme", f"{total['sum'] / count:.3f}"],
        ["the same by the ideal point", f"{total['sum by the ideal point'] / count:.3f}"],
        ["the same by the programme, with limits", f"{total['sum with limits'] / total['limited']:.3f}"],
    ]
    return [
        "## Tiny workloads whose best schedules are known",
        "",
        f"{count:,.0f} random workloads of {fewest} to {most} jobs on {narrow} to {large} processors, in two or three "
        f"groups; all orders of their jobs, each where it fits first: {total['schedules']:,.0f} schedules. The "
        f"bounds of {total['sets']:,.0f} sets of groups are beaten {total['sets beaten']:,.0f} times, and met exactly "
        f"by the best schedule {total['sets met']:,.0f} times. Those of {total['wishes']:,.0f} wishes (sums, sums with "
        f"limits, points, and limits alone) are beaten {total['wishes beaten']:,.0f} times. Of "
        f"{total['impossible']:,.0f} lists of tight limits that no schedule keeps, {total['proved impossible']:,.0f} "
        "are proved impossible.",
        "",
        *markdown(["bound / best, mean", ""], table, left=1),
        "",
        "On so few processors, jobs that need more than a third of the machine but not more than half need exactly "
        "half. Two of them fill it, so that *two at a time* adds nothing.",
        "",
    ]


def of_logs(rows: Sequence[Row]) -> list[str]:
    """Return the section with the bound of every wish on every log."""
    lines = []
    for (log, kind), of_log in by_log(rows).items():
        cells = {row["wish"]: f"{percent(row['ideal point'])} / {percent(row[PROGRAMME])}" for row in of_log}
        lines.append([f"{log}, {kind}", *(cells.get(name, "-") for name in settings.FREE | settings.LIMITED)])
    return [
        "## What could be gained over EASY at most",
        "",
        "Per cent, by the ideal point / by the programme. The ideal point knows no limits of other groups. AWRT is all "
        "groups together: there both are nearly the same. "
        + "; ".join(f'"{name}" is {words}' for name, words in (settings.FREE | settings.LIMITED).items())
        + ".",
        "",
        *markdown(["log", *(settings.FREE | settings.LIMITED)], lines, left=1),
        "",
    ]


def of_ingredients(rows: Sequence[Row]) -> list[str]:
    """Return the section about what each ingredient adds."""
    lines = [
        [
            f"{row['log']}, {row['as']}",
            row["wish"],
            *(f"{common.at_most(float(row[name]), 2)}" for name in run.INGREDIENTS),
        ]
        for row in rows
        if row["wish"] in settings.FREE
    ]
    seconds = max(float(row["seconds of all f"]) for row in rows)
    return [
        "## What each ingredient adds",
        "",
        "Per cent below EASY, by the programme with bounds of more and more ingredients. *Squashed area*: all "
        "processors work on what has been released, as if it could be divided at will, and everything is released with "
        "the first job of the groups. *Order of release*: each job when it is submitted. *Job-wise minima*: no job "
        "completes before its release and its run time have passed. *Widths*: a job gets no more processors than its "
        "width. *Wide in turn*: jobs wider than half the machine run one at a time. *Two at a time*: jobs wider than a "
        "third run at most two at a time, a dual feasible function. The last column is what everything else uses.",
        "",
        *in_words(rows),
        *markdown(["log", "wish", *run.INGREDIENTS], lines, left=2),
        "",
        f"All sets of five groups take {seconds:.1f} s CPU at most.",
        "",
    ]


def in_words(rows: Sequence[Row]) -> list[str]:
    """Return how much each ingredient adds, in a sentence, where anything can be gained."""
    idle = idle_logs(rows)
    some = [row for row in rows if row["wish"] in settings.FREE and row["log"] not in idle]
    if not some:
        return []
    words = []
    for before, name in pairwise(run.INGREDIENTS):
        less = [float(row[before]) - float(row[name]) for row in some]
        words.append(f"{name} {mean(less):.2f} and at most {max(less):.2f}")
    first = min(float(row[run.AT_FIRST]) for row in some)
    return [
        f"The squashed area alone leaves {common.at_most(first, 2)} % to be gained (100 would "
        "prove nothing). What each ingredient takes from this, in points, in the mean of "
        f"{len(some)} pairs of log and wish{', without ' * bool(idle)}{', '.join(idle)}: {'; '.join(words)}.",
        "",
    ]


def idle_logs(rows: Sequence[Row]) -> list[str]:
    """Return the logs on which less than 1 % can be gained, whatever the wish."""
    names = dict.fromkeys(row["log"] for row in rows)
    return [name for name in names if all(float(r[PROGRAMME]) < 1 for r in rows if r["log"] == name and r[PROGRAMME])]


def by_log(rows: Sequence[Row]) -> dict[tuple[str, str], list[Row]]:
    """Return rows by log and how it was taken."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["log"], row["as"]), []).append(row)
    return groups


def percent(text: str) -> str:
    """Return a bound in per cent with one digit, or two if it is small, rounded upwards; other texts as they are."""
    try:
        number = float(text)
    except ValueError:
        return text
    digits = 1 if number >= 1 else 2
    return common.at_most(number, digits)


if __name__ == "__main__":
    main()
