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
    options = common.analysis_parser("limits", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    users = common.rows(options.results / "users.csv")
    tables = {
        settings.EASY: table_of(common.rows(options.results / "easy.csv")),
        settings.SLURM: table_of(common.rows(options.results / "slurm.csv")),
    }
    remark = common.quick_remark(provenance, "on a made-up log")
    lines = ["# Which limit helps whom", "", *opening(tables)]
    lines += [f"{remark}{common.versions_text(provenance)}.", "", *of_users(users)]
    for policy, table in tables.items():
        lines += of_policy(policy, table) if table else common.not_run(policy)
    common.save_summary(options.results, [*lines, *of_dominance(tables), *of_setting()])


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


def opening(tables: Mapping[str, Table]) -> list[str]:
    """Return the five sentences of the summary."""
    easy = tables[settings.EASY]
    best = min(limits_of(easy), key=lambda limit: mean(easy, limit, settings.FEW_AT_ONCE))
    return common.opening(
        f"{settings.NAME}: whom do limits for each user help, and who pays?",
        in_waits(easy, best),
        "One week, submissions only, one seed, one simulation of each limit: no interval. Every schedule passed a "
        "check of every node at every second.",
        "Users came as they had come, whatever they then waited; with limits real ones submit less, or join jobs.",
        advice(tables),
    )


def in_waits(table: Table, best: str) -> str:
    """Return what the limit that is best for users with few jobs at once does to the waits of all."""
    few = [duration(mean(table, limit, settings.FEW_AT_ONCE)) for limit in (best, settings.NONE)]
    if best == settings.NONE:
        return f"No limit helps {WHO[settings.FEW_AT_ONCE]}, whose jobs wait {few[1]} in the mean under EASY."
    parts = [
        f"{WHO[group]} {duration(mean(table, best, group))}, not {duration(mean(table, settings.NONE, group))}"
        for group in PAIR
    ]
    return (
        f"Under EASY {best} for each user is best for {WHO[settings.FEW_AT_ONCE]}: their jobs wait {few[0]} in the "
        f"mean, not {few[1]}; {'; '.join(parts)}."
    )


def sign(seconds: float) -> int:
    """Return whether a change of a wait is shorter, -1, none, 0, or longer, 1."""
    return 0 if abs(seconds) < SAME else (1 if seconds > 0 else -1)


def advice(tables: Mapping[str, Table]) -> str:
    """Return what to do."""
    found = [limit for table in tables.values() for limit in dominating(table)]
    if found:
        return f"Of the limits here try {enumeration([*dict.fromkeys(found)])}, on your own log, before you set it."
    return (
        "Simulate a limit on your own log before you set it: none of these is better than no limit for the top users "
        "and all others."
    )


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
        "from the first submission to the last one; and the day on which the last job ends. *Few at once* have those "
        f"who would never have more than {settings.FEW} jobs at once if none waited.",
        "",
        *markdown(heads, changes, left=1),
        "",
        *markdown(["limit", "who", "jobs", *TIMES.values()], [times_of(row) for row in table.values()], left=2),
        "",
    ]


USED = {"util": "UTIL, %", "week": "in use in the week, %", "days": "last end, day"}
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


def dominating(table: Table, pair: tuple[str, str] = PAIR) -> list[str]:
    """Return the limits that dominate both no limit and 64 jobs in the mean waits of two groups."""
    against = [limit for limit in (settings.NONE, "64 jobs") if (limit, settings.ALL) in table]
    return [limit for limit in limits_of(table) if all(dominates(table, limit, other, pair) for other in against)]


def dominates(table: Table, limit: str, other: str, pair: tuple[str, str]) -> bool:
    """Return whether no mean wait of two groups is longer with a limit than with another, and one is shorter."""
    gaps = [mean(table, limit, group) - mean(table, other, group) for group in pair]
    return max(gaps) <= 0 and min(gaps) < 0


def of_dominance(tables: Mapping[str, Table]) -> list[str]:
    """Return the section on limits that are better than none and than 64 running jobs for both groups."""
    lines = ["## Better than no limit and than 64 jobs", ""]
    for policy, table in tables.items():
        for pair in (PAIR, (settings.FEW_AT_ONCE, settings.TOP_USERS)):
            if table:
                found = dominating(table, pair)
                who = " and ".join(WHO[group] for group in pair)
                lines.append(f"- {policy}, mean waits of {who}: {enumeration(found) if found else 'none of them'}.")
    return [
        *lines,
        "",
        "A limit dominates if neither mean wait is longer and one is shorter. Here all users have the same limit; a "
        "search over one for each user and QOS may find more.",
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
