"""How policies do on one log: its tenths with intervals, and its last part."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median

import common
import possible
import settings
from standings import ROLLING, Row, best_of, kept_of, ranks_of, standings_of

from paretosched.core.tables import markdown

TOP = 12  # rows of a table


def of_log(
    log: str, rows: Sequence[Row], pools: Sequence[Row], on_last: Sequence[Row], bounds: Sequence[Row]
) -> list[str]:
    """Return the section about a log: the policies of the best ranks, with intervals; `on_last`: of the last part."""
    return [f"## {log}", "", *table_of_tenths(log, rows, pools, on_last, bounds)]


def table_of_tenths(
    log: str, rows: Sequence[Row], pools: Sequence[Row], on_last: Sequence[Row], bounds: Sequence[Row]
) -> list[str]:
    """Return the table of the policies with the best ranks on the tenths of a log, and what is possible at most."""
    rolling = [row for row in rows if row["split"] in ROLLING]
    lines = []
    for policy, rank in best_ranks(rolling):
        mine = [row for row in rolling if row["policy"] == policy]
        last = [row for row in on_last if row["policy"] == policy]
        ends = [row for row in pools if row["log"] == log and row["policy"] == policy and row["low"]]
        ends = [row for row in ends if int(row["splits"]) == len({row["split"] for row in mine})]  # of the same tenths
        seeds = [[row for row in mine if row["seed"] == seed] for seed in dict.fromkeys(row["seed"] for row in mine)]
        lines.append(
            [
                policy,
                f"{rank:.1f}",
                f"{median(float(row['objective_vs_easy']) for row in mine):+.1f} %",
                interval(ends, "low", "high"),
                " / ".join(f"{mean(float(row['AWRT_vs_easy']) for row in of_seed):+.1f}" for of_seed in seeds),
                interval(ends, "AWRT_low", "AWRT_high"),
                " / ".join(f"{mean(map(common.worst_group, of_seed)):+.1f}" for of_seed in seeds),
                kept_of(mine),
                f"{mean(float(row['objective_vs_easy']) for row in last):+.1f} %" if last else "not tried",
                kept_of(last) if last else "-",
            ]
        )
    if bounds:
        of_tenths, of_last_part = possible.cells(bounds, rolling, log)
        lines.append([possible.LABEL, "", of_tenths, *[""] * 5, of_last_part, ""])
    heads = ["policy", "rank", "median gain", "interval", "AWRT, %", "interval", "worst group, %", "limits kept"]
    return [*markdown([*heads, "last 30 %", "limits kept there"], lines, left=1), ""]


def best_ranks(rows: Sequence[Row]) -> list[tuple[str, float]]:
    """Return the policies with the best mean ranks in some rows, and these ranks."""
    ranks = {policy: mean(places) for policy, places in ranks_of(rows).items()}
    return sorted(ranks.items(), key=lambda item: item[1])[:TOP]


def of_scaled_log(
    log: str, tenths: Sequence[Row], pools: Sequence[Row], on_last: Sequence[Row], bounds: Sequence[Row], answer: str
) -> list[str]:
    """Return the section about a log on whose tenths policies without training alone were tried.

    Parameters
    ----------
    log
        Its name.
    tenths, pools
        The rows of its tenths, and those of the intervals.
    on_last
        The rows of all policies on its last part.
    bounds
        The rows of what is proved possible.
    answer
        The policy that the summary recommends.
    """
    lines = [f"## {log}", ""]
    if tenths:
        trained = [row for row in on_last if row["seed"]]
        cost = (
            f": the {len(trained)} trainings on its first {100 * settings.LAST.until:.0f} % took "
            f"{sum(float(row['kernel_seconds']) for row in trained):,.0f} CPU s, and each tenth would need as many of "
            "its own"
        )
        lines += [
            f"On the tenths of {log} policies without training were tried alone{cost if trained else ''}. So these "
            "tenths count in no other table, and ranks are among untrained policies. They are the weeks of "
            f"{settings.SCALED[log]}, with copies of its jobs, and so no other log.",
            "",
            *table_of_tenths(log, tenths, pools, on_last, bounds),
            *in_words(tenths, answer),
        ]
    return [*lines, *(table_of_last(log, on_last, bounds) if on_last else [])]


def table_of_last(log: str, rows: Sequence[Row], bounds: Sequence[Row]) -> list[str]:
    """Return the table of the policies with the best ranks on the last part of a log."""
    lines = []
    for policy, rank in best_ranks(rows):
        mine = [row for row in rows if row["policy"] == policy]
        means = [mean(float(row[key]) for row in mine) for key in ("objective_vs_easy", "AWRT_vs_easy")]
        values = (*means, mean(map(common.worst_group, mine)))
        lines.append([policy, f"{rank:.1f}", *(f"{value:+.1f} %" for value in values), kept_of(mine)])
    if bounds:
        lines.append([possible.LABEL, "", possible.cells(bounds, [], log)[1], "", "", ""])
    return [
        f"All policies on the last {100 * (1 - settings.LAST.until):.0f} %, trained ones in the mean of their seeds:",
        "",
        *markdown(["policy", "rank", "gain", "AWRT", "worst group", "limits kept"], lines, left=1),
        "",
    ]


def in_words(tenths: Sequence[Row], answer: str) -> list[str]:
    """Return how the recommended policy does on some tenths, and which one gains most of those that keep the limits."""
    standings = standings_of(tenths)
    found = [("", standing) for standing in standings if standing.policy == answer]
    best = best_of(standings)
    if best and best.policy != answer:
        found.append((f"Most of those that keep the limits in {100 * settings.KEPT:.0f} % gains ", best))
    sentences = []
    for begin, standing in found:
        mine = [row for row in tenths if row["policy"] == standing.policy]
        sentences.append(
            f"{begin}`{standing.policy}`: {standing.gain:+.1f} % in the mean of the tenths, limits kept in "
            f"{kept_of(mine)}; the group that loses most gains {standing.group:+.1f} % in the mean and "
            f"{standing.lowest:+.1f} % at worst."
        )
    return [" ".join(sentences), ""] if sentences else []


def interval(rows: Sequence[Row], *keys: str) -> str:
    """Return the ends of intervals in words, of several seeds their means."""
    return " to ".join(f"{mean(float(row[key]) for row in rows):+.1f}" for key in keys) if rows else "-"
