"""Say how policies do on jobs that they have not learnt from: results/online/summary.md and a figure of the gains."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import run
import settings

from paretosched.core.tables import markdown
from paretosched.plots.comparisons import bars

Row = Mapping[str, str]

TOP = 12  # rows of a table
SHOWN = 8  # policies of the figure, EASY being its axis: there are seven colours
ROLLING = tuple(split.name for split in settings.ROLLING)
TRIED = (run.UNTRAINED, run.TRAINED)  # on jobs that were not learnt from


class Standing(NamedTuple):
    """A policy on the rolling splits of all logs; of several seeds each split counts by its mean.

    Attributes
    ----------
    policy, is_trained
        Its name, and whether it is trained.
    gain, worst
        Mean gain over EASY in per cent, and that of the worst log.
    within_limits
        Share of all splits, and seeds, in which the limits were kept.
    rank
        Mean rank among all policies over splits, policies outside the limits behind the others.
    overall, group, p95, slowdown
        Mean gain of AWRT; the mean over splits of the gain of the worst group; the largest 95th percentile wait of a
        group as a multiple of EASY's, its median over splits; the mean bounded slowdown of all jobs.
    """

    policy: str
    is_trained: bool
    gain: float
    worst: float
    within_limits: float
    rank: float
    overall: float
    group: float
    p95: float
    slowdown: float


def main() -> None:
    """Write the summary and the figure."""
    options = common.analysis_parser("online", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    rows = {part: with_objective(common.rows(options.results / f"{part}.csv")) for part in run.PARTS}
    pools = [row for part in TRIED for row in common.rows(options.results / f"{part}-pooled.csv")]
    everything, tried = fairly(rows[run.UNTRAINED], rows[run.TRAINED])
    standings = sorted(standings_of(everything), key=lambda standing: standing.rank)
    lines = ["# What should I run? Policies on jobs that they have not learnt from", ""]
    lines += [*opening(provenance, everything, standings, tried), *heading(provenance)]
    for part in run.PARTS:
        lines += [] if rows[part] else common.not_run(part)
    lines += [*tried, *answer(standings), *table_of_all(standings)]
    if len(everything) < len(rows[run.UNTRAINED]):
        of_all = sorted(standings_of(rows[run.UNTRAINED]), key=lambda standing: standing.rank)
        lines += table_of_all(of_all, "Untrained policies alone, on all tenths")
    for log in dict.fromkeys(row["log"] for row in everything):
        lines += of_log(log, [row for row in everything if row["log"] == log], pools)
    lines += goals(rows[run.TRAINED], standings) if rows[run.TRAINED] else []
    lines += [*worth_of_estimates(rows[run.ESTIMATES]), *left_out(options.results)]
    common.save_summary(options.results, lines)
    if not options.no_figures:
        series = {
            standing.policy: gains_by_log(everything, standing.policy)
            for standing in standings[:SHOWN]
            if standing.policy != settings.EASY
        }
        title = "Gain over EASY on jobs that were not learnt from"
        common.save_figures(options.results, {"gains": bars(series, title=title)}, title)


# --- what the rows say ------------------------------------------------------------------------------------------------


def with_objective(rows: Iterable[Row]) -> list[Row]:
    """Return the rows in which the objective is defined: groups 1 and 2 have jobs."""
    return [row for row in rows if row["objective_vs_easy"]]


def fairly(untrained: list[Row], trained: list[Row]) -> tuple[list[Row], list[str]]:
    """Return the rows of the parts of logs on which all policies were tried; and a sentence if there are others.

    Trainings take a day and are made one split of all logs after the other. Until all are there, a policy that was
    trained is set against the others on the same parts only.
    """
    names = {row["policy"] for row in trained}
    places = {place(row) for row in untrained}
    whole = {p for p in places if names <= {row["policy"] for row in trained if place(row) == p}}
    if not trained or whole == places:
        return [*untrained, *trained], []
    words = (
        f"Trainings have been made for {len(whole)} of {len(places)} parts so far, with {seeds_of(trained)}: the "
        "first tables are of these parts, for all policies."
    )
    return [row for row in (*untrained, *trained) if place(row) in whole], [words, ""]


def seeds_of(rows: Iterable[Row]) -> str:
    """Return with how many seeds each training was made, in words: the fewest and the most of any part of a log."""
    seeds: dict[tuple[str, ...], set[str]] = {}
    for row in rows:
        if row["seed"]:
            seeds.setdefault((*place(row), row["policy"]), set()).add(row["seed"])
    if not seeds:
        return "nothing trained"
    few, many = (choose(map(len, seeds.values())) for choose in (min, max))
    return f"{few if few == many else f'{few} to {many}'} seed{'s' * (many != 1)} of each training"


def place(row: Row) -> tuple[str, str]:
    """Return the part of a log on which a policy was tried."""
    return row["log"], row["split"]


def standings_of(rows: Sequence[Row]) -> list[Standing]:
    """Return how every policy stands on the rolling splits."""
    rolling = [row for row in rows if row["split"] in ROLLING]
    ranks = ranks_of(rolling)
    standings = []
    for policy in dict.fromkeys(row["policy"] for row in rolling):
        mine = [row for row in rolling if row["policy"] == policy]
        by_log = gains_by_log(mine, policy)
        standings.append(
            Standing(
                policy,
                mine[0]["part"] == run.TRAINED,
                mean(by_log.values()),
                min(by_log.values()),
                mean(float(row["exceeded"]) == 0 for row in mine),
                mean(ranks[policy]),
                mean(float(row["AWRT_vs_easy"]) for row in mine),
                mean(map(common.worst_group, mine)),
                median(map(common.longest_wait, mine)),
                mean(float(row["slowdown_all"]) for row in mine),
            )
        )
    return standings


def gains_by_log(rows: Sequence[Row], policy: str) -> dict[str, float]:
    """Return the mean gain of a policy on each log, over its rolling splits; of several seeds a split has the mean."""
    by_split: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["policy"] == policy and row["split"] in ROLLING:
            of_split = by_split.setdefault(row["log"], {}).setdefault(row["split"], [])
            of_split.append(float(row["objective_vs_easy"]))
    return {log: mean(map(mean, splits.values())) for log, splits in by_split.items()}


def ranks_of(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return the rank of each policy in every split of every log, 1 is the best; equals share the middle of theirs."""
    ranks: dict[str, list[float]] = {}
    for where in dict.fromkeys(place(row) for row in rows):
        here = [row for row in rows if place(row) == where]
        keys = {}
        for policy in dict.fromkeys(row["policy"] for row in here):
            mine = [row for row in here if row["policy"] == policy]
            excess = mean(float(row["exceeded"]) for row in mine)
            keys[policy] = (excess, -mean(float(row["objective_vs_easy"]) for row in mine))
        all_keys = sorted(keys.values())
        for policy, key in keys.items():
            equal = all_keys.count(key)
            ranks.setdefault(policy, []).append(all_keys.index(key) + (equal + 1) / 2)
    return ranks


# --- the summary ------------------------------------------------------------------------------------------------------


def opening(
    provenance: Mapping[str, Any], rows: Sequence[Row], standings: Sequence[Standing], tried: Sequence[str]
) -> list[str]:
    """Return the five sentences of the summary."""
    steady, best = steady_and_best(standings)
    plain = max((standing for standing in steady if not standing.is_trained), key=lambda standing: standing.gain)
    greedy = max(standings, key=lambda standing: standing.gain)
    parts = len({place(row) for row in rows if row["split"] in ROLLING})
    share = f"{100 * settings.KEPT:.0f} %"
    kind = (
        f"Train an order within limits and at a distance to them on your own log, and review it after some weeks; "
        f"without training run `{plain.policy}`."
        if best.is_trained
        else f"Run `{best.policy}` if the limits must hold{next_best(standings)}."
    )
    return common.opening(
        f"Which scheduler reaches the least {provenance['objective']} on jobs that it has not learnt from, with "
        f"{provenance['limits']}?",
        f"Of {len(standings)} policies `{best.policy}` gains most of the {len(steady)} that keep the limits in {share} "
        f"of the parts of logs: {best.gain:+.1f} % over EASY in the mean over logs.",
        f"It was tried on {parts} parts of logs, with {seeds_of(rows)}"
        + (", which is not all that is planned" if tried else "")
        + "; intervals of the logs with five tenths are below.",
        f"It gains {best.worst:+.1f} % on the worst log; and `{greedy.policy}`, which gains most of all "
        f"({greedy.gain:+.1f} %), keeps the limits in {100 * greedy.within_limits:.0f} % only.",
        kind,
    )


def next_best(standings: Sequence[Standing]) -> str:
    """Return, in words, which trained policy keeps the limits most often of those that gain something."""
    gaining = [standing for standing in standings if standing.is_trained and standing.gain >= settings.LEAST_GAIN]
    if not gaining:
        return ""
    safest = max(gaining, key=lambda standing: (standing.within_limits, standing.gain))
    return (
        f"; if it is enough that they hold in {100 * safest.within_limits:.0f} % of the parts, `{safest.policy}`, "
        f"which gains {safest.gain:+.1f} % in the mean over logs"
    )


def steady_and_best(standings: Sequence[Standing]) -> tuple[list[Standing], Standing]:
    """Return the policies that keep the limits often enough, and the one of them that gains most."""
    steady = [standing for standing in standings if standing.within_limits >= settings.KEPT]
    return steady, max(steady, key=lambda standing: standing.gain)


def heading(provenance: Mapping[str, Any]) -> list[str]:
    """Return the lines about logs, splits and measures."""
    quick = common.quick_remark(provenance, "on made-up workloads")
    logs = "; ".join(f"{log}: {w['jobs']:,} jobs" for log, w in provenance["workloads"].items())
    return [
        f"{quick}Objective {provenance['objective']}, smaller is better; limits {provenance['limits']}, of EASY on "
        f"the same jobs. {logs}. Policies that are trained learn from half of a log; all are tried on the tenth of the "
        f"time after it, five times, and on the last 30 %, {', '.join(settings.SCALED)} on the last 30 % only. Each "
        f"part begins on an empty machine, with the groups of the whole log. {common.versions_text(provenance)}.",
        "",
        "Gains are (EASY - X) / EASY in per cent, positive is better. Intervals are 90 %, by a block bootstrap over "
        "the weeks of all five tenths together: of the gain over all these weeks, and not of the median of the tenths "
        "beside them, which may lie outside. Ranks are among all policies, those outside the limits behind the others.",
        "",
    ]


def answer(standings: Sequence[Standing]) -> list[str]:
    """Return which policies have the largest mean gain of those that keep the limits."""
    steady, best = steady_and_best(standings)
    plain = max((standing for standing in steady if not standing.is_trained), key=lambda standing: standing.gain)
    share = f"{100 * settings.KEPT:.0f} %"
    lines = [
        f"**The best policy that keeps the limits in {share} of the splits: {best.policy}**, {best.gain:+.1f} % in the "
        f"mean over logs, {best.worst:+.1f} % on the worst log. Of those that need no training: {plain.policy}, "
        f"{plain.gain:+.1f} %."
    ]
    return [*lines, ""]


def table_of_all(standings: Sequence[Standing], title: str = "All policies, all logs") -> list[str]:
    """Return a table of policies, by rank."""
    lines = [
        [
            standing.policy,
            f"{standing.rank:.1f}",
            f"{standing.gain:+.1f} %",
            f"{standing.worst:+.1f} %",
            f"{100 * standing.within_limits:.0f} %",
            f"{standing.overall:+.1f} %",
            f"{standing.group:+.1f} %",
            f"{standing.p95:.2f}",
            f"{standing.slowdown:.1f}",
        ]
        for standing in standings
    ]
    heads = ["policy", "mean rank", "gain", "worst log", "limits kept", "AWRT", "worst group", "95 % wait", "slowdown"]
    return [
        f"## {title}",
        "",
        *markdown(heads, lines, left=1),
        "",
        "95 % wait: of the group that loses most, as a multiple of EASY's, median over splits; waits of less than an "
        "hour count as one. Slowdown: bounded by 10 s, mean of all jobs alike.",
        "",
    ]


def of_log(log: str, rows: Sequence[Row], pools: Sequence[Row]) -> list[str]:
    """Return the section about a log: the policies of the best ranks, with intervals."""
    rolling = [row for row in rows if row["split"] in ROLLING]
    ranks = {policy: mean(places) for policy, places in ranks_of(rolling or rows).items()}
    lines = []
    for policy in sorted(ranks, key=lambda policy: ranks[policy])[:TOP]:
        mine = [row for row in rolling if row["policy"] == policy]
        last = [row for row in rows if row["policy"] == policy and row["split"] == settings.LAST.name]
        ends = [row for row in pools if row["log"] == log and row["policy"] == policy and row["low"]]
        ends = [row for row in ends if int(row["splits"]) == len({row["split"] for row in mine})]  # of the same tenths
        interval = (mean(float(row[key]) for row in ends) for key in ("low", "high")) if ends else ()
        lines.append(
            [
                policy,
                f"{ranks[policy]:.1f}",
                f"{median(float(row['objective_vs_easy']) for row in mine):+.1f} %" if mine else "-",
                " to ".join(f"{end:+.1f}" for end in interval) or "-",
                f"{sum(float(row['exceeded']) == 0 for row in mine)} of {len(mine)}",
                f"{mean(float(row['objective_vs_easy']) for row in last):+.1f} %" if last else "-",
                f"{sum(float(row['exceeded']) == 0 for row in last)} of {len(last)}",
            ]
        )
    heads = ["policy", "rank", "median gain", "interval", "limits kept", "last 30 %", "limits kept there"]
    return [f"## {log}", "", *markdown(heads, lines, left=1), ""]


def goals(rows: Sequence[Row], standings: Sequence[Standing]) -> list[str]:
    """Return the section about what was wanted of trained policies."""
    best_other = max(
        (s.gain for s in standings if not s.is_trained and s.within_limits >= settings.KEPT), default=float("nan")
    )
    lines = []
    for standing in (standing for standing in standings if standing.is_trained):
        mine = [row for row in rows if row["policy"] == standing.policy and row["split"] in ROLLING]
        shares = []
        for log in dict.fromkeys(row["log"] for row in mine):
            here = [row for row in mine if row["log"] == log and float(row["train_vs_easy"]) >= settings.LEAST_GAIN]
            if here:
                shares.append(median(float(row["objective_vs_easy"]) / float(row["train_vs_easy"]) for row in here))
        cells = [
            bool(shares) and min(shares) >= settings.GAIN_KEPT,
            standing.within_limits >= settings.KEPT,
            standing.gain > best_other,
            standing.p95 <= settings.LONGEST_WAITS,
        ]
        least_share = f"{min(shares):.2f}" if shares else "-"
        lines.append([standing.policy, least_share, *("yes" if cell else "no" for cell in cells)])
    heads = [
        "policy",
        "gain kept on the worst log",
        "two thirds kept on every log",
        "limits kept in nine of ten",
        "better than every untrained one that keeps limits in nine of ten",
        "95 % waits up to 1.5 times EASY's",
    ]
    on_last = [row for row in rows if (row["log"], row["split"]) == (settings.LAST_LOG, settings.LAST.name)]
    good = [
        row for row in on_last if float(row["objective_vs_easy"]) >= settings.LAST_GAIN and float(row["exceeded"]) == 0
    ]
    return [
        "## What was wanted of trained policies",
        "",
        *markdown(heads, lines, left=1),
        "",
        f"Gain kept: the gain on the jobs that were not learnt from over that on those that were, median over splits "
        f"and seeds, where the latter is {settings.LEAST_GAIN:g} % or more. On the last 30 % of {settings.LAST_LOG} "
        f"{len(good)} of {len(on_last)} trainings gain {settings.LAST_GAIN:g} % or more and keep the limits.",
        "",
    ]


def worth_of_estimates(rows: Sequence[Row]) -> list[str]:
    """Return the section about what other estimates than the requested ones change, policy by policy."""
    if not rows:
        return []
    lines = []
    better_awrt: dict[str, list[bool]] = {}
    for policy in dict.fromkeys(row["policy"] for row in rows):
        requested = {row["log"]: row for row in rows if (row["policy"], row["estimates"]) == (policy, "requested")}
        for estimates in settings.ESTIMATES[1:]:
            mine = [row for row in rows if (row["policy"], row["estimates"]) == (policy, estimates)]
            cells = []
            for key, least in (("AWRT", 1.0), ("slowdown_all", 1.0), ("wait_p95_all", 3600.0)):
                gains = [
                    100 * (1 - at_least(row, key, least) / at_least(requested[row["log"]], key, least)) for row in mine
                ]
                better = sum(gain > 0 for gain in gains)
                if key == "AWRT":
                    better_awrt.setdefault(estimates, []).extend(gain > 0 for gain in gains)
                cells.append(f"{median(gains):+.1f} ({min(gains):+.0f} to {max(gains):+.0f}), {better} of {len(gains)}")
            group = min(
                100 * (1 - value / before)
                for row in mine
                for before, value in zip(
                    common.groups_of(requested[row["log"]], "AWRT{}"), common.groups_of(row, "AWRT{}"), strict=True
                )
            )
            lines.append([policy, estimates, *cells, f"{group:+.0f}"])
    logs = list(dict.fromkeys(row["log"] for row in rows))
    heads = ["policy", "estimates", "AWRT", "slowdown", "95 % wait", "worst group on the worst log"]
    return [
        "## What better estimates are worth under each order of backfilling",
        "",
        f"Whole logs ({', '.join(logs)}), which have not been learnt from: predictions rest on jobs that have ended. "
        "Gain in per cent over the same policy with the requests of the users: median over logs (worst to best log), "
        "and on how many logs it is better; 95 % waits of less than an hour count as one. EASY++ is first come first "
        "served, backfilled shortest first, with `recent`.",
        "",
        "AWRT is better in "
        + ", ".join(f"{sum(cases)} of {len(cases)} cases with `{name}`" for name, cases in better_awrt.items())
        + ".",
        "",
        *markdown(heads, lines, left=2),
        "",
    ]


def at_least(row: Row, key: str, least: float) -> float:
    """Return a value of a row; `least` if it is smaller, so that seconds are not set against minutes."""
    return max(float(row[key]), least)


def left_out(results: Path) -> list[str]:
    """Return the splits that do not count, because a group of the objective has no jobs in them."""
    rows = [row for part in TRIED for row in common.rows(results / f"{part}.csv")]
    places = dict.fromkeys(f"{row['log']} {row['split']}" for row in rows if not row["objective_vs_easy"])
    return [f"Left out, as group 1 or 2 has no jobs there: {', '.join(places)}.", ""] if places else []


if __name__ == "__main__":
    main()
