"""Say which limit helps whom in a week of a cluster, and who pays: results/limits/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

from paretosched.comparison.consequences import duration
from paretosched.core.tables import enumeration, markdown

Row = Mapping[str, str]
Table = Mapping[tuple[str, str], Row]
HOUR = 3600
SAME = 60  # s of a mean wait that are told as no change
PARTS = (settings.TOP_USERS, settings.MOST_JOBS, settings.FEW_AT_ONCE, settings.REST)  # of all users
GROUPS = (settings.TOP_USERS, settings.OTHERS, *PARTS[1:])
KEYS = {"mean": "mean waits", "awrt": "AWRT"}  # by what limits are compared
PAIR = (settings.OTHERS, settings.TOP_USERS)  # whose mean waits decide whether a limit dominates another
WHO = {
    settings.TOP_USERS: "the top three users",
    settings.OTHERS: "all others",
    settings.MOST_JOBS: "the user with most jobs",
    settings.FEW_AT_ONCE: "users with few jobs at once",
    settings.REST: "the rest",
}


def main() -> None:
    """Write the summary."""
    options, provenance, rows = common.read_results("limits", __doc__, ("users", "easy", "slurm", "search"))
    tables = {settings.EASY: table_of(rows["easy"]), settings.SLURM: table_of(rows["slurm"])}
    remark = common.quick_remark(provenance, "on a made-up log")
    found = rows["search"]
    lines = ["# Which limit helps whom", "", *opening(tables, found)]
    lines += [f"{remark}{common.versions_text(provenance)}.", "", *of_users(rows["users"])]
    for policy, table in tables.items():
        lines += of_policy(policy, table) if table else common.not_run(policy)
    searched = of_search(found, tables[settings.EASY]) if found else common.not_run("a search over limits")
    common.save_summary(options.results, [*lines, *of_dominance(tables), *searched, *of_setting()])


def table_of(rows: Sequence[Row]) -> Table:
    """Return rows by limit and group of users."""
    return {(row["limit"], row["group"]): row for row in rows}


def limits_of(table: Table) -> list[str]:
    """Return the limits of a table, none first."""
    return [*dict.fromkeys(limit for limit, _ in table)]


def mean(table: Table, limit: str, group: str) -> float:
    """Return the mean wait of a group with a limit, s."""
    return float(table[limit, group]["mean"])


def change(table: Table, limit: str, group: str) -> float:
    """Return by how much longer the mean wait of a group is with a limit than with none, s."""
    return mean(table, limit, group) - mean(table, settings.NONE, group)


# --- the five sentences -----------------------------------------------------------------------------------------------


def opening(tables: Mapping[str, Table], found: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary."""
    easy = tables[settings.EASY]
    return common.opening(
        f"{settings.NAME}: whom do limits for each user help, and who pays?",
        f"{in_waits(easy)}{in_search(found, easy)}",
        "One week, submissions only, one seed, one simulation of each limit: no interval. Every schedule passed a "
        f"check of every node at every second{', but those of the search, which is small' if found else ''}.",
        "Users came as they had come, whatever they then waited; with limits real ones submit less, or join jobs."
        f"{'' if tables[settings.SLURM] else ' Its slurm.conf was not simulated.'}",
        advice(easy),
    )


def in_waits(table: Table) -> str:
    """Return the mean waits without a limit, with one of jobs, and with one of CPUs."""
    shown = (settings.NONE, settings.MANY, settings.HALF)
    parts = [f"{limit}: {', '.join(duration(mean(table, limit, group)) for group in PAIR)}" for limit in shown]
    names = enumeration([WHO[group] for group in PAIR])
    return f"Mean waits under EASY of {names}: {'; '.join(parts)}."


def in_search(found: Sequence[Row], table: Table) -> str:
    """Return how many sets of limits that the search found are better than none and many jobs; "" if it was not run."""
    if not found:
        return ""
    parts = []
    for measure, key in {"mean wait": "mean", "AWRT": "awrt"}.items():
        parts.append(f"in {KEYS[key]} {len(better_of(found, table, [measure])) or 'none'}")
    return (
        f" Of {found[0]['tried']} sets of limits searched, better for both than none and {settings.MANY}: "
        f"{'; '.join(parts)}."
    )


def sign(seconds: float) -> int:
    """Return whether a change of a wait is shorter, -1, none, 0, or longer, 1."""
    return 0 if abs(seconds) < SAME else (1 if seconds > 0 else -1)


def advice(table: Table) -> str:
    """Return what to do."""
    others = [sign(change(table, limit, settings.OTHERS)) for limit in (settings.HALF, settings.MANY)]
    found = {words: dominating(table, key=key) for key, words in KEYS.items()}
    parts = [f"in {words} {enumeration(names) if names else 'no limit here'}" for words, names in found.items()]
    said = f"Better than none and than {settings.MANY} for all others and the top three: {', '.join(parts)}."
    rule = "Limit CPUs rather than running jobs, which hit users with many small ones; " if others == [-1, 1] else ""
    return f"{rule}{'simulate' if rule else 'Simulate'} it on your own log first. {said}"


# --- tables -----------------------------------------------------------------------------------------------------------


def of_users(rows: Sequence[Row]) -> list[str]:
    """Return the section on who has most."""
    lines = [[*row.values()] for row in rows]
    heads = ["user", "jobs", "CPUs", "run time, h", "with GPUs", "at once", "consumption, %", "CPU time, %"]
    return [
        "## Whose jobs these are",
        "",
        "The top three users and the one of all others with most jobs: jobs, the mean of their CPUs and run times, and "
        "how many would run at once if none waited. *Consumption* is what AWRT weighs, run time times the largest "
        "share of CPUs, memory or GPUs of the machine that a job asks for; with GPUs few jobs are much of it.",
        "",
        *markdown(heads, lines, left=1),
        "",
    ]


def of_policy(policy: str, table: Table) -> list[str]:
    """Return the section of a policy: whom each limit helps, then all waits."""
    changes = [
        [limit, *(cell_of(table, limit, group) for group in GROUPS), *(table[limit, settings.ALL][key] for key in USED)]
        for limit in limits_of(table)
    ]
    heads = ["limit for each user", *GROUPS, *USED.values()]
    return [
        f"## {policy}",
        "",
        *sentences(table),
        "",
        f"Mean wait, h, with its change against no limit; UTIL, from the first start to the last end; the CPUs in use "
        "from the first submission to the last one; the day on which the last job ends; and of all hours of waiting "
        "those in which the limit held the job (`paretosched.simulation.waiting_reasons`). *Few at once* have those "
        f"who would never have more than {settings.FEW} jobs at once if none waited.",
        "",
        *markdown(heads, changes, left=1),
        "",
        *markdown(["limit", "who", "jobs", *TIMES.values()], [times_of(row) for row in table.values()], left=2),
        "",
    ]


USED = {"util": "UTIL, %", "week": "in use in the week, %", "days": "last end, day", "held": "held by it, %"}
TIMES = {"mean": "mean wait, h", "median": "half within, h", "p95": "95 of 100 within, h", "worst": "longest, h",
         "awrt": "AWRT, h"}  # fmt: skip


def times_of(row: Row) -> list[str]:
    """Return the cells of a row of waits."""
    hours = [f"{float(row[key]) / HOUR:,.1f}" for key in TIMES]
    return [row["limit"], row["group"], f"{int(row['jobs']):,}", *hours]


def cell_of(table: Table, limit: str, group: str) -> str:
    """Return a mean wait and its change, h."""
    if (limit, group) not in table:
        return "-"
    hours = f"{mean(table, limit, group) / HOUR:,.1f}"
    return hours if limit == settings.NONE else f"{hours} ({change(table, limit, group) / HOUR:+,.1f})"


def sentences(table: Table) -> list[str]:
    """Return a line for each limit: who gains, and who pays."""
    lines = []
    for limit in limits_of(table):
        if limit == settings.NONE:
            continue
        told: dict[int, list[str]] = {-1: [], 0: [], 1: []}
        for group in PARTS:
            if (limit, group) not in table:
                continue
            seconds = change(table, limit, group)
            told[sign(seconds)].append(f"{WHO[group]} ({seconds / HOUR:+,.1f} h)")
        shorter, longer = (enumeration(told[way]) if told[way] else "nobody" for way in (-1, 1))
        lines.append(f"- {limit}: shorter waits for {shorter}; longer ones for {longer}.")
    return lines


# --- dominance --------------------------------------------------------------------------------------------------------


def dominating(table: Table, pair: tuple[str, str] = PAIR, key: str = "mean") -> list[str]:
    """Return the limits that dominate both no limit and 64 jobs in a column of two groups."""
    against = [limit for limit in (settings.NONE, settings.MANY) if (limit, settings.ALL) in table]
    return [limit for limit in limits_of(table) if all(dominates(table, limit, other, pair, key) for other in against)]


def dominates(table: Table, limit: str, other: str, pair: tuple[str, str], key: str) -> bool:
    """Return whether no time of two groups is longer with a limit than with another, and one is shorter."""
    gaps = [float(table[limit, group][key]) - float(table[other, group][key]) for group in pair]
    return max(gaps) <= 0 and min(gaps) < 0


def of_dominance(tables: Mapping[str, Table]) -> list[str]:
    """Return the section on limits that are better than none and than 64 running jobs for both groups."""
    lines = [f"## Better than no limit and than {settings.MANY}", ""]
    for policy, table in tables.items():
        for pair in (PAIR, (settings.FEW_AT_ONCE, settings.TOP_USERS)) if table else ():
            for key, words in KEYS.items():
                found = dominating(table, pair, key)
                who = " and ".join(WHO[group] for group in pair)
                lines.append(f"- {policy}, {words} of {who}: {enumeration(found) if found else 'none of them'}.")
    return [
        *lines,
        "",
        "A limit dominates if neither time is longer and one is shorter. AWRT weighs jobs by their consumption, a mean "
        "wait counts each alike. Here all users have the same limit of one kind.",
        "",
    ]


def better_of(found: Sequence[Row], table: Table, measures: Sequence[str]) -> list[Row]:
    """Return the sets of limits that a search found which dominate both none and many jobs in some measures."""
    keys = {"mean wait": "mean", "AWRT": "awrt"}
    groups = dict(zip(settings.SEARCH_GROUPS, (settings.TOP_USERS, settings.OTHERS), strict=True))

    def is_better(row: Row, other: str) -> bool:
        gaps = [
            float(row[f"{measure} of {group}"]) - float(table[other, name][keys[measure]])
            for measure in measures
            for group, name in groups.items()
        ]
        return max(gaps) <= 0 and min(gaps) < 0

    against = [limit for limit in (settings.NONE, settings.MANY) if (limit, settings.ALL) in table]
    return [row for row in found if all(is_better(row, other) for other in against)]


def of_search(found: Sequence[Row], table: Table) -> list[str]:
    """Return the section on the search: what it found, and what of it is better than none and many jobs."""
    kinds = {"mean waits": ["mean wait"], "AWRT": ["AWRT"], "all four": ["mean wait", "AWRT"]}
    better = {words: better_of(found, table, measures) for words, measures in kinds.items()}
    lines = [
        [
            row["limits"],
            *(f"{float(row[name]) / HOUR:,.1f}" for name in settings.SEARCHED),
            ", ".join(words for words, rows in better.items() if row in rows) or "-",
        ]
        for row in found
    ]
    heads = ["limits of each user", *(f"{name}, h" for name in settings.SEARCHED), "better in"]
    return [
        "## A search over limits, under EASY",
        "",
        f"`explore --encoding limits` tried {found[0]['tried']} sets of limits of running jobs, CPUs and GPUs, with "
        "these four times as objectives; *top* are the three users. None of the others that it tried dominates one of "
        f"these {len(found)}. *Better in* says in which times a set is no worse than no limit and than "
        f"{settings.MANY} for both groups, and better in one: "
        + "; ".join(f"{words} {len(rows)}" for words, rows in better.items())
        + ".",
        "",
        *markdown(heads, lines, left=1),
        "",
    ]


def of_setting() -> list[str]:
    """Return the section on how a limit is set, and simulated on another log."""
    return [
        "## How a limit is set",
        "",
        "`sacctmgr modify qos general-compute set MaxJobsPerUser=16`, or `MaxTRESPerUser=cpu=1992`, for the QOS of the "
        "partition, which counts before that of a job; jobs that it holds back block nobody. On your own log "
        "`paretosched import` reads limits as Slurm prints them with `--qos` and `--assoc`, and "
        "`paretosched simulate --without limits` leaves them out again.",
        "",
    ]


if __name__ == "__main__":
    main()
