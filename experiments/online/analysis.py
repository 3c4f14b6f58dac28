"""Say how policies do on jobs that they have not learnt from: results/online/summary.md and a figure of the gains."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import mean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import ages
import better_estimates
import common
import constants
import draws
import nudges
import possible
import run
import scalings
import settings
import sureness
import unseen
import wanted
from by_log import of_log, of_scaled_log
from elsewhere import chosen_elsewhere, left_out_logs, total_of, without_the_chosen_on
from standings import (
    ROLLING,
    Row,
    Standing,
    best_of,
    gains_by_log,
    kept_of,
    place,
    safest_of,
    standings_of,
    tenths_of,
    twins_of_easy,
)

from paretosched.core.tables import markdown
from paretosched.plots.comparisons import bars
from paretosched.policies.guarded import Guarded

SHOWN = 7  # policies of the figure, EASY being its axis: there are seven colours
TRIED = (run.UNTRAINED, run.TRAINED)  # on jobs that were not learnt from


def main() -> None:
    """Write the summary and the figure."""
    options = common.analysis_parser("online", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    rows = {
        part: with_objective(common.rows(options.results / f"{part}.csv")) for part in run.PARTS if part != run.BOUNDS
    }
    bounds = common.rows(options.results / f"{run.BOUNDS}.csv")
    pools = [row for part in TRIED for row in common.rows(options.results / f"{part}-pooled.csv")]
    everything, tried = fairly(rows[run.UNTRAINED], rows[run.TRAINED])
    standings = sorted(standings_of(everything), key=lambda standing: standing.rank)
    lines = ["# What should I run? Policies on jobs that they have not learnt from", ""]
    elsewhere = rows[run.NUDGES], rows[run.SCALINGS], rows[run.AGES], rows[run.UNSEEN]
    lines += [*opening(provenance, everything, standings, *elsewhere), *heading(provenance, seeds_of(everything))]
    for part in run.PARTS:
        lines += [] if (bounds if part == run.BOUNDS else rows[part]) else common.not_run(part)
    lines += [*tried, *answer(everything, standings, bounds)]
    safest = safest_of(standings)
    lines += [*(gains_in_words(everything, safest, bounds) if safest else []), *table_of_all(standings)]
    best, plain = (most_of([s for s in standings if is_any or not s.is_trained]) for is_any in (True, False))
    lines += sureness.section(everything, standings, best, plain)
    lines += [*seed_by_seed(everything), *left_out_logs(everything), *without_the_chosen_on(everything, standings)]
    if len(everything) < len(rows[run.UNTRAINED]):
        of_all = sorted(standings_of(rows[run.UNTRAINED]), key=lambda standing: standing.rank)
        lines += table_of_all(of_all, "Untrained policies alone, on all tenths")
    of_tenths = common.rows(options.results / f"{run.TENTHS}-pooled.csv")
    for log in dict.fromkeys(row["log"] for row in (*everything, *rows[run.TENTHS])):
        last = [row for part in TRIED for row in rows[part] if place(row) == (log, settings.LAST.name)]
        if log in settings.SCALED:
            tenths = [row for row in rows[run.TENTHS] if row["log"] == log]
            lines += of_scaled_log(log, tenths, of_tenths, last, bounds, best.policy)
        else:
            lines += of_log(log, [row for row in everything if row["log"] == log], pools, last, bounds)
    lines += on_the_last_part(rows[run.TRAINED])
    lines += [*scalings.section(rows[run.SCALINGS], best.policy), *scalings.larger_section(rows[run.SCALINGS])]
    lines += [*ages.section(rows[run.AGES], best.policy), *nudges.section(rows[run.NUDGES])]
    lines += [*draws.section(rows[run.DRAWS]), *unseen.section(rows[run.UNSEEN])]
    lines += wanted.section(rows[run.TRAINED], standings, bounds, rows[run.HINDSIGHT], rows[run.DRAWS])
    lines += [*better_estimates.section(rows[run.ESTIMATES]), *choice_of_constants(rows[run.GUARDED])]
    lines += left_out(options.results)
    common.save_summary(options.results, lines)
    if not options.no_figures:
        same = (settings.EASY, *twins_of_easy(everything))
        series = {
            standing.policy: gains_by_log(everything, standing.policy)
            for standing in [standing for standing in standings if standing.policy not in same][:SHOWN]
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


# --- the summary ------------------------------------------------------------------------------------------------------


def opening(
    provenance: Mapping[str, Any],
    rows: Sequence[Row],
    standings: Sequence[Standing],
    moved: Sequence[Row],
    scaled: Sequence[Row],
    aged: Sequence[Row],
    of_unseen: Sequence[Row],
) -> list[str]:
    """Return the five sentences of the summary.

    Parameters
    ----------
    provenance, rows, standings
        Of the results: what was run, the rows of all policies, and how these stand.
    moved, scaled, aged, of_unseen
        The rows of nudges, of scalings, of trainings some time later, and of later logs.
    """
    best, twins = most_of(standings), twins_of_easy(rows)
    plain = most_of([standing for standing in standings if not standing.is_trained])
    is_easy = best.policy in (settings.EASY, *twins)
    share = f"{100 * settings.KEPT:.0f} % of the parts"
    found = (
        f"none gains anything and keeps the limits in {share}, except EASY itself"
        if is_easy
        else f"`{best.policy}`{in_short(best)} gains most of those that keep the limits in {share}: {best.gain:.1f} % "
        f"in the mean over logs, kept in {kept_of(tenths_of(rows, best.policy))}"
    )
    trained = chosen_elsewhere(rows, safest_of)
    found += f"; trained ones, chosen on other logs, gain {total_of(trained)}" if trained else ""
    sure = [f"Made and picked with these {parts_of_logs(rows)} in view"]
    if best.policy != plain.policy:
        sure.append(sureness.in_words(sureness.difference(rows, best.policy, plain.policy), plain.policy))
    sure += [words for words in (unseen.in_short(of_unseen), nudges.in_short(moved, best.policy)) if words]
    return common.opening(
        f"Which scheduler reaches the least {provenance['objective']}, response times of two user groups, on jobs that "
        f"it has not learnt from, within {provenance['limits']} (AWRT is the mean response time, weighted by processor "
        "seconds)?",
        f"Of {len(standings) - len(twins) - 1} policies {found}.",
        f"{'; '.join(sure)}.",
        f"{most_broken(rows, standings)}."
        if is_easy
        else f"{broken_by(rows, best, scaled)}; {price_of(best, standings)}.",
        f"Train `{best.policy}` on your own log{command_of(best.policy)}, and `review` it: "
        f"{ages.in_short(aged, best.policy)}."
        if best.is_trained
        else f"Run `{best.policy}`{'' if is_easy else f', or `{settings.EASY}` if the limits must hold'}, and try it "
        f"on a part of your log that it has not seen{first_groups_lose(best.policy)}.",
    )


def most_broken(rows: Sequence[Row], standings: Sequence[Standing]) -> str:
    """Return in words how often the policy that gains most keeps the limits, and what it costs."""
    greedy = max(standings, key=lambda standing: standing.gain)
    return (
        f"What gains most, `{greedy.policy}` ({greedy.gain:.1f} %), keeps the limits in "
        f"{kept_of(tenths_of(rows, greedy.policy))}, AWRT {worse_awrt(greedy)}, its worst group "
        f"{-greedy.group:.0f} % worse in the mean"
    )


def price_of(standing: Standing, standings: Iterable[Standing]) -> str:
    """Return in words what a policy costs: slowdowns, the longest waits, and what a group loses."""
    (easy,) = (one for one in standings if one.policy == settings.EASY)
    return (
        f"slowdown is {standing.slowdown:.0f} (EASY's {easy.slowdown:.0f}), the longest 95 % wait {standing.p95:.1f} "
        f"times EASY's; the worst group loses {-standing.group:.0f} %, {-standing.lowest:.0f} % at most"
    )


def command_of(name: str) -> str:
    """Return the options of a training in brackets; "" if it is none of a class of `train`."""
    classes = {settings.GUARDED: "guarded", "train_priority": "priority"}
    for learner in settings.LEARNERS:
        if learner.name == name and learner.function in classes:
            words = [f"--{key.replace('_', '-')} {value}" for key, value in learner.settings.items()]
            aim = f'--objective "{settings.WISHES[learner.wish]}"'
            return f" (`paretosched train LOG --class {' '.join([classes[learner.function], aim, *words])} -o POLICY`)"
    return ""


def first_groups_lose(policy: str) -> str:
    """Return the end of a sentence: what a group of the objective loses most by a policy, from results/greedy."""
    rows = [row for row in common.rows(common.ROOT / "results/greedy/untrained.csv") if row["policy"] == policy]
    values = [(float(row[f"{name}_vs_easy"]), row["log"]) for row in rows for name in ("AWRT1", "AWRT2")]
    if not values or min(values)[0] >= -100:  # a loss that is no more than twice EASY's AWRT is no warning
        return ""
    loss, log = min(values)
    where = "[results/greedy](../greedy/summary.md)"
    return f": on a scaling of {log} a group that comes first loses {-loss:,.0f} % ({where})"


def most_of(standings: Sequence[Standing]) -> Standing:
    """Return which policy gains most of those that keep the limits often enough; EASY always does."""
    best = best_of(standings)
    if best is None:
        raise LookupError("no policy keeps the limits, not even EASY")
    return best


def of_model(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of made-up logs."""
    return [row for row in rows if row["log"] == settings.OF_MODEL]


def parts_of_logs(rows: Sequence[Row]) -> str:
    """Return on how many parts of how many logs policies were tried, in words."""
    tenths: dict[str, set[str]] = {}
    for row in rows:
        if row["split"] in ROLLING:
            tenths.setdefault(row["log"], set()).add(row["split"])
    return f"{sum(map(len, tenths.values()))} parts of {len(tenths)} logs"


def worse_awrt(standing: Standing) -> str:
    """Return in words how AWRT is in the mean, against EASY's."""
    return f"{abs(standing.overall):.0f} % {'better' if standing.overall > 0 else 'worse'}"


def in_short(standing: Standing) -> str:
    """Return in words what a guarded order does; nothing of other policies."""
    is_guarded = standing.policy.startswith(Guarded.rule)
    return " (large requests first, two groups while it beats EASY)" if is_guarded else ""


def gains_in_words(rows: Sequence[Row], standing: Standing, bounds: Sequence[Row]) -> list[str]:
    """Return lines with the mean gain of a policy on each log, and what is possible at most."""
    most = possible.by_log(bounds, rows)
    gains = gains_by_log(rows, standing.policy).items()
    of_logs = ", ".join(f"{log} {possible.in_words(gain, most.get(log))}" for log, gain in gains)
    proof = (
        "Proved possible at most: what no schedule within the limits exceeds on the same parts, also one that knows "
        "the future (`best_possible`, see [results/bounds](../bounds/summary.md))."
    )
    return [f"`{standing.policy}`, mean gain by log: {of_logs}.{f' {proof}' if bounds else ''}", ""]


def broken_by(rows: Sequence[Row], standing: Standing, scaled: Sequence[Row]) -> str:
    """Return in words on which logs a policy breaks the limits, how often and by how much; and on larger machines."""
    mine = tenths_of(rows, standing.policy)
    broken = []
    for log, here in common.rows_by(mine, itemgetter("log")).items():
        excess = [100 * float(row["exceeded"]) for row in here if float(row["exceeded"])]
        if excess:
            most = f"{max(excess):.{1 if max(excess) >= 1 else 2}f} %"
            by = f"by {'up to ' if len(excess) > 1 else ''}{most}"
            broken.append(f"on {log} in {len(excess)} of {len(here)} ({by})")
    broken += [words for words in [scalings.larger_in_short(scaled, standing.policy)] if words]
    return f"It breaks limits {', '.join(broken) or 'nowhere'}"


def heading(provenance: Mapping[str, Any], seeds: str) -> list[str]:
    """Return the lines about logs, splits and measures; `seeds` says how many there are."""
    quick = common.quick_remark(provenance, "on made-up workloads")
    logs = "; ".join(f"{log}: {w['jobs']:,} jobs" for log, w in provenance["workloads"].items())
    return [
        f"{quick}Objective {provenance['objective']}, smaller is better; limits {provenance['limits']}, of EASY on "
        f"the same jobs. {logs}. Policies that are trained learn from half of a log; all are tried on the tenth of the "
        f"time after it, five times, and on the last 30 %; {', '.join(settings.SCALED)}, scaled with one seed, on the "
        "last 30 % only, but for policies without training, whose tenths of it stand apart from all others, in its own "
        "section; other scalings have a section, too. Each part begins on an empty machine. The groups "
        "are by what users consumed in the part to learn from; those who are new after it are in the last group. A "
        "part of a log is left out if a group of the objective has no jobs before the cut or after it; if fewer than "
        "four tenths are left, the one before the first is tried, too, after two fifths of the log. "
        f"{common.cut_remark(provenance, (log for log in provenance['workloads'] if log in settings.LOGS))}"
        f"There are {seeds}. {common.versions_text(provenance)}.",
        "",
        "Gains are (EASY - X) / EASY in per cent, positive is better. Intervals are 90 %, by a block bootstrap over "
        "the weeks of all tenths together: of the gain, and of that of AWRT, over all these weeks, and not of the "
        "median and the mean of the tenths beside them, which may lie outside; of trained policies the ends are means "
        "over seeds, which leaves out how seeds differ, and so they are too narrow. A limit is broken by so many per "
        "cent of it, added up over limits. Ranks are among all policies, those outside the limits behind the others; "
        "one seed outside puts the policy there.",
        "",
    ]


def answer(rows: Sequence[Row], standings: Sequence[Standing], bounds: Sequence[Row]) -> list[str]:
    """Return which policies have the largest mean gain of those that keep the limits, and what is possible at most."""
    best = most_of(standings)
    plain = most_of([standing for standing in standings if not standing.is_trained])
    share = f"{100 * settings.KEPT:.0f} %"
    twins = "".join(f" (`{policy}` is the same)" for policy in twins_of_easy(rows) if plain.policy == settings.EASY)
    most = possible.over_logs(possible.by_log(bounds, rows), rows)
    lines = [
        f"**The best policy that keeps the limits in {share} of the splits: {best.policy}**, "
        f"{possible.in_words(best.gain, most)}, in the mean over logs, {best.worst:+.1f} % on the worst log. Of those "
        f"that need no training: {plain.policy}{twins}, {plain.gain:+.1f} %. Picked on these parts of the logs. "
        f"{most_broken(rows, standings)}."
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
            f"{standing.lowest:+.1f} %",
            f"{standing.p95:.2f}",
            f"{standing.slowdown:.1f}",
        ]
        for standing in standings
    ]
    heads = ["policy", "mean rank", "gain", "worst log", "limits kept", "AWRT", "worst group", "at worst"]
    heads += ["95 % wait", "slowdown"]
    return [
        f"## {title}",
        "",
        *markdown(heads, lines, left=1),
        "",
        "Worst group: the gain of the group that loses most, mean over splits, and the lowest of any split. 95 % wait: "
        "of the group that loses most, as a multiple of EASY's, median over splits; waits of less than an "
        "hour count as one. Slowdown: bounded by 10 s, mean of all jobs alike.",
        "",
    ]


def seed_by_seed(rows: Sequence[Row]) -> list[str]:
    """Return the section about the spread over seeds, of side effects too; nothing if there is one seed only."""
    rolling = [row for row in rows if row["split"] in ROLLING and row["part"] == run.TRAINED]
    lines = []
    for policy in dict.fromkeys(row["policy"] for row in rolling):
        by_seed: dict[str, list[Row]] = {}
        for row in rolling:
            if row["policy"] == policy:
                by_seed.setdefault(row["seed"], []).append(row)
        seeds = list(by_seed.values())
        if len(seeds) > 1:
            gains = [mean(gains_by_log(mine, policy).values()) for mine in seeds]
            overall = [mean(float(row["AWRT_vs_easy"]) for row in mine) for mine in seeds]
            group, lowest = ([choose(map(common.worst_group, mine)) for mine in seeds] for choose in (mean, min))
            shown = (" / ".join(f"{value:+.1f}" for value in values) for values in (gains, overall, group, lowest))
            lines.append([policy, *shown, " / ".join(map(kept_of, seeds))])
    if not lines:
        return []
    heads = ["policy", "gain, %", "AWRT, %", "worst group, %", "at worst, %", "limits kept"]
    return [
        "## Seed by seed",
        "",
        *markdown(heads, lines, left=1),
        "",
        "One value a seed, in their order, each over all tenths: the gain is the mean over logs, AWRT and the group "
        "that loses most are means over tenths; at worst is the lowest of them.",
        "",
    ]


def on_the_last_part(rows: Sequence[Row]) -> list[str]:
    """Return the section about trained policies on the last part of each log, as far as they were tried there."""
    last = [row for row in rows if row["split"] == settings.LAST.name]
    lines = [
        [
            row["log"],
            row["policy"],
            row["seed"],
            f"{float(row['train_vs_easy']):+.1f} %",
            f"{float(row['objective_vs_easy']):+.1f} %",
            f"{float(row['AWRT_vs_easy']):+.1f} %",
            f"{common.worst_group(row):+.1f} %",
            "yes" if float(row["exceeded"]) == 0 else "no",
        ]
        for row in sorted(last, key=lambda row: (row["log"], row["policy"], row["seed"]))
    ]
    heads = ["log", "policy", "seed", "learnt", "gain", "AWRT", "worst group", "limits kept"]
    if not lines:
        return []
    return [
        "## Trained policies on the last 30 %",
        "",
        *markdown(heads, lines, left=3),
        "",
        f"All {len(lines)} trainings on the first 70 % that there are. Where a policy is missing, it was not trained. "
        f"{settings.CHOICE}",
        "",
    ]


def choice_of_constants(rows: Sequence[Row]) -> list[str]:
    """Return the section about the constants of guarded orders: how they were chosen, and what they reach elsewhere."""
    if not rows:
        return []
    early = [row for row in rows if row["log"] != settings.OF_MODEL]
    keys = ("ageing_h", "step", "margin", "margin_each")
    lines = []
    for setting in dict.fromkeys(tuple(float(row[key]) for key in keys) for row in early):
        mine = [row for row in early if tuple(float(row[key]) for key in keys) == setting]
        is_chosen = setting == (constants.CHOSEN[0] / constants.HOUR, *constants.CHOSEN[1:])
        mark = "**" if is_chosen else ""
        gain = mean(float(row["objective_vs_easy"]) for row in mine)
        wait = median(float(row["longest_wait"]) for row in mine)
        cells = [*(f"{value:g}" for value in setting), kept_of(mine), f"{gain:+.1f} %", f"{wait:.2f}"]
        lines.append([f"{mark}{cell}{mark}" for cell in cells])
    heads = ["ageing, h", "step", "margin", "margin of groups", "limits kept", "gain", "longest wait"]
    kinds = dict.fromkeys(row["policy"] for row in of_model(rows))
    reached = [in_made_up_logs([row for row in of_model(rows) if row["policy"] == policy]) for policy in kinds]
    return [
        "## How the constants of guarded orders were chosen",
        "",
        f"On {len({(row['log'], row['split']) for row in early})} early tenths of logs, which no other table here "
        "tests on: of those that keep all limits, one whose longest wait is less than twice EASY's in the median, with "
        "the largest gain. That a guard with such an order is tried at all was decided with the later parts in view.",
        "",
        *markdown(heads, lines, left=0),
        "",
        f"On {settings.MADE_UP_SEEDS} made-up logs, which had no part in the choice of constants, but were seen before "
        "the last kinds of training were made (second half of "
        f"{settings.MADE_UP['jobs']:,} jobs of the Lublin-Feitelson model on {settings.MADE_UP['processors']} "
        f"processors, in groups by consumption in the whole log; each as it is, and with arrivals denser by "
        f"{100 * (1 - settings.DENSER[1]):.0f} %); trained guarded orders learn from the first half, with one seed:",
        "",
        *markdown(["policy", "limits kept", "exceeded by", "gain", "lowest", "highest"], reached, left=1),
        "",
    ]


def in_made_up_logs(rows: Sequence[Row]) -> list[str]:
    """Return the cells of a policy: how often it keeps the limits, by how much it exceeds them at most, and gains."""
    gains = [float(row["objective_vs_easy"]) for row in rows]
    worst = max(float(row["exceeded"]) for row in rows)
    shown = (f"{value:+.1f} %" for value in (mean(gains), min(gains), max(gains)))
    return [rows[0]["policy"], kept_of(rows), f"{100 * worst:.1f} %", *shown]


def left_out(results: Path) -> list[str]:
    """Return the splits that do not count, because a group of the objective has no jobs in them."""
    rows = [row for part in TRIED for row in common.rows(results / f"{part}.csv")]
    places = dict.fromkeys(f"{row['log']} {row['split']}" for row in rows if not row["objective_vs_easy"])
    return [f"Left out, as group 1 or 2 has no jobs there: {', '.join(places)}.", ""] if places else []


if __name__ == "__main__":
    main()
