"""Compare the results with paper 000: results/greedy/summary.md and figures 1 to 5."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import later_jobs
import raised
import run
import scalings
import settings
import untrained
import way
from common import worst_group
from later_jobs import GOAL_GROUP, GROUPS, best_of, by_log, conclusive, keeps_limits, spread, with_ends

from paretosched.core.tables import markdown
from paretosched.plots.comparisons import bars
from paretosched.plots.fronts import scatter
from paretosched.search.plans import PLANS
from paretosched.simulation.objective import objective_table

Row = Mapping[str, str]

TABLE = (*GROUPS, "UTIL")
NEAR = 5.0  # per cent, up to which a value agrees with Table III
MANY = 10  # times as long as under EASY
DEAR = 1.5  # times as long as under EASY: from here on a figure says it beside the gain
GOAL_NONE, GOAL_EASY = 9.5, 15.0
PAPER = "paper 000"
TABLES = (*run.PARTS[:2], "strategies", *run.PARTS[2:], "trade-off", "known")  # the trainings in their order
UNTRAINED = settings.UNTRAINED["easy"]  # groups 1 and 2 first, and the same while limits are kept


def main() -> None:
    """Write the summary and the figures."""
    parser = common.analysis_parser("greedy", __doc__)
    parser.add_argument("--quick", action="store_true", help="of a quick run")
    common.add_work(parser, "greedy")
    common.add_fronts(parser, "as for run.py")
    options = parser.parse_args()
    options.workers = 0
    provenance = common.load_provenance(options.results)
    paper = common.paper_values("greedy")
    tables = {part: common.rows(options.results / f"{part}.csv") for part in TABLES}
    lines = ["# Paper 000: the online scheduler the owner asked for", ""]
    lines += [*opening(provenance, tables), *heading(provenance, [row["log"] for row in tables["raised"]])]
    weeks, alone = tables[run.WEEKS], tables[run.UNTRAINED]
    later = {part: [*tables[part], *tables[f"{part}-raised"]] for part in scalings.KINDS}
    of_kind = {kind: [row for row in alone if row["policy"] in settings.UNTRAINED[kind]] for kind in settings.UNTRAINED}

    sections = {
        "none": lambda: [*table3(paper, tables["none"]), *criteria(tables["none"])],
        "easy": lambda: [*with_easy(tables["easy"]), *best_known(tables["known"]), *trade_off(tables["trade-off"])],
        "positions": lambda: [
            *on_every_log(paper, tables["positions"]),
            *way.positions(both_ways(tables, run.POSITIONS), known_within(tables)),
        ],
        "raised": lambda: raised.section(
            tables["raised"], {"LANL": tables["all"], common.RAISED: tables["all-raised"]}, paper
        ),
        "rest-easy": lambda: later_jobs.free("with EASY backfilling", later["rest-easy"], weeks, of_kind["easy"]),
        "rest-none": lambda: later_jobs.free("without backfilling", later["rest-none"], weeks, of_kind["none"]),
        "rest-limits": lambda: later_jobs.with_limits(later["rest-limits"], weeks, of_kind["easy"]),
        run.SCALINGS: lambda: scalings.section(tables[run.SCALINGS], tables, alone),
    }
    for part, section in sections.items():
        lines += common.kept_words(options.results)[1] if part == "rest-easy" else []
        lines += section() if tables[part] else common.not_run(part)
    lines += cost(tables)
    common.save_summary(options.results, lines)
    if not options.no_figures:
        common.save_figures(options.results, draw(paper, tables, options), "Paper 000: figures 1 to 5")


# --- reading ------------------------------------------------------------------------------------------------------


def both_ways(tables: Mapping[str, Sequence[Row]], part: str) -> list[Row]:
    """Return the rows of a part, LANL's with requests raised after those with runs cut."""
    return sorted(
        [*tables[part], *tables[f"{part}-raised"]], key=lambda row: settings.IN_ORDER.index(row["log"])
    )  # which keeps the order of the policies


def known_within(tables: Mapping[str, Sequence[Row]]) -> list[Row]:
    """Return the rows of what is known within the limits: of searches, of trained orders, and of policies on LANL."""
    searched = [*tables["known"], *both_ways(tables, run.WITHIN)]
    return [*searched, *way.of_orders(tables[run.POSITIONS]), *way.of_policies(tables[run.RAISED])]


def easy_of(rows: Iterable[Row], training: str) -> Row:
    """Return the row of EASY."""
    return next(r for r in rows if r["training"] == training and r["system"] == "EASY")


def middle(rows: Sequence[Row]) -> Row:
    """Return the row of the seed with the median objective."""
    return sorted(rows, key=lambda row: float(row["objective"]))[len(rows) // 2]


# --- the summary --------------------------------------------------------------------------------------------------


def opening(provenance: Mapping[str, Any], tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the five sentences of the summary; none if a part that they need was not run, or if nobody waits."""
    alone, elsewhere, later = tables[run.UNTRAINED], tables[run.SCALINGS], conclusive(tables["rest-easy"])
    if not (alone and elsewhere and later and all(tables[p] for p in ("none", "easy", "positions", "rest-limits"))):
        return []
    gains = {log: median(float(row["vs_easy"]) for row in rows) for log, rows in later.items()}
    least, best = (extreme(gains, key=lambda log: gains[log]) for extreme in (min, max))
    of_orders = [later_jobs.on_the_rest(alone, words) for words in UNTRAINED]
    first, guarded = ([of_order[log] for log in gains] for of_order in of_orders)
    more = [log for log, gain in gains.items() if gain > float(of_orders[0][log]["vs_easy"])]
    slower = sum(median(float(row["AWRT_vs_easy"]) for row in rows) < 0 for rows in later.values())
    plain, within = ([float(row["vs_easy"]) for row in best_of(tables[name], name)] for name in ("none", "easy"))
    alone_on_ctc = [untrained.best_untrained(easy_of(tables["none"], "none"), kind) for kind in ("fcfs", "easy")]
    apart = [max(values) - min(values) for values in (plain, within)]
    few = (
        f", {later_jobs.share_of_group_1(tables['rest-easy'], best):.0f} % of it from {jobs} jobs,"
        if (jobs := later_jobs.few_jobs(alone).get(best))
        else ""
    )
    worse, loser, lost = scalings.most_lost(alone, UNTRAINED[1])
    uncut = "".join(
        f"; requests raised: {median(float(row['vs_easy']) for row in rows):+.1f} %"
        for rows in by_log(tables["rest-easy-raised"]).values()
    )
    return common.opening(
        f"Can an online scheduler be trained for what an owner wants, here the least {provenance['objective']} (mean "
        "response times, weighted by work, of user groups 1 and 2), if asked within limits for the others (AWRT of all "
        f"jobs no longer than EASY's, of groups 3 to 5 by at most {-GOAL_GROUP:g} %)?",
        f"On later jobs of {len(gains)} logs (LANL with runs cut{uncut}) trained orders with EASY backfilling gain "
        f"{gains[least]:+.1f} % ({least}) to {gains[best]:+.1f} % ({best}), but `{UNTRAINED[0]}`, untrained, gains "
        f"{common.low_to_high(first, 'vs_easy', 1)}, less than these only on {' and '.join(more) or 'none'}, and "
        f"`{UNTRAINED[1]}`, untrained too, {common.low_to_high(guarded, 'vs_easy', 1)} within the limits on "
        f"{sum(map(keeps_limits, guarded))} of {len(guarded)}.",
        f"The {gains[best]:+.1f} % of {best}{few} is {scalings.gains_in_words(elsewhere, f'rest-easy-{best}')} on its "
        f"other scalings; on CTC, on which the method was chosen and which it learnt from, {len(plain)} seeds gain "
        f"{median(plain):.1f} % without backfilling{untrained.in_words(alone_on_ctc[0])} and {median(within):.1f} % "
        f"with it{untrained.in_words(alone_on_ctc[1])}, {apart[0]:.2f} and {apart[1]:.2f} points apart.",
        f"Others pay: a group loses up to {-worst_on_the_rest(tables, 'rest-easy'):,.0f} % with backfilling, "
        f"{-worst_on_the_rest(tables, 'rest-limits'):,.0f} % within limits and takes {longest_without(tables):,.0f} "
        f"times as long without; AWRT is worse on {slower} of {len(later)} logs (medians); limits held in "
        f"{later_jobs.kept_in_words(tables['rest-limits'])}; and on other scalings `{UNTRAINED[1]}` is up to "
        f"{worse:.0f} % worse than EASY, group {loser} by {lost:,.0f} %.",
        f"Before you train, try `{UNTRAINED[0]}` and `{UNTRAINED[1]}` on a part of your log, stay with EASY where they "
        "break your limits, and train only if that gains more on jobs that it has not learnt from.",
    )


def worst_on_the_rest(tables: Mapping[str, Sequence[Row]], part: str) -> float:
    """Return what the group that loses most loses on the rest, of all logs, seeds and scalings of a part, per cent."""
    here = [
        worst_group(row) for name in (part, f"{part}-raised") for rows in by_log(tables[name]).values() for row in rows
    ]
    elsewhere = [
        float(row["worst_group_vs_easy"]) for row in tables[run.SCALINGS] if row["training"].startswith(f"{part}-")
    ]
    return min(*here, *elsewhere)


def longest_without(tables: Mapping[str, Sequence[Row]]) -> float:
    """Return how many times as long as under EASY a group takes at most without backfilling, of all tables."""
    rows = [*tables["positions"], *tables["raised"]]
    easy = {row["log"]: row for row in rows if row["policy"] == "EASY"}
    titles = {*raised.TRAINED} - {settings.APPLIED["easy"]}
    times = [
        float(row[name]) / float(easy[row["log"]][name])
        for row in rows
        if row["policy"] in titles
        for name in GROUPS
        if row[name]
    ]
    return max(*times, 1 - worst_on_the_rest(tables, "rest-none") / 100)


def heading(provenance: Mapping[str, Any], both_ways: Sequence[str]) -> list[str]:
    """Return the lines about the workloads, the logs that were run both ways, and the measures."""
    quick = common.quick_remark(provenance, "on made-up workloads")
    logs = "; ".join(f"{log}: {w['jobs']:,}" for log, w in provenance["workloads"].items())
    return [
        f"{quick}Objective {provenance['objective']}, smaller is better. Logs scaled to {provenance['processors']:,} "
        f"processors (seed {provenance['scaling_seed']}), jobs: {logs}. SDSC95, the paper's sixth log, is not at hand; "
        "NASA is not among the paper's. "
        f"{common.cut_remark(provenance, [*provenance['workloads'], *both_ways])}".rstrip(),
        "",
        "Improvements are (EASY - X) / EASY in per cent, as in the paper: positive is better. Of several seeds the "
        "median is given with the lowest and highest; where one policy is shown, it is that of the seed in the "
        f"middle. {common.versions_text(provenance)}.",
        "",
    ]


def table3(paper: Mapping[tuple[str, str], str], rows: Sequence[Row]) -> list[str]:
    """Return the section that compares Table III with ours: the seed in the middle, and the ends of all seeds."""
    seeds = best_of(rows, "none")
    ours = {"EASY": easy_of(rows, "none"), "GREEDY": middle(seeds)}
    lines = []
    for item, row in ours.items():
        for name in TABLE:
            of_paper, value = float(paper[item, name]), float(row[name])
            change = 100 * (value / of_paper - 1)
            verdict = "agrees" if abs(change) <= NEAR else "differs"
            unit = "%" if name == "UTIL" else "s"
            digits = ".2f" if name == "UTIL" else ",.0f"
            ends = "" if item == "EASY" else low_to_high([float(seed[name]) for seed in seeds], digits, unit)
            lines.append([item, name, f"{of_paper:,.2f} {unit}", f"{value:,.2f} {unit}", ends, f"{change:+.1f} %"])
            lines[-1].append(verdict)
    of_groups = {}
    for name in TABLE[:-1]:
        easy, greedy = float(paper["EASY", name]), float(paper["GREEDY", name])
        of_paper, value = 100 * (1 - greedy / easy), float(ours["GREEDY"][f"{name}_vs_easy"])
        of_groups[name[4:]] = of_paper, value
        ends = low_to_high([float(seed[f"{name}_vs_easy"]) for seed in seeds], "+.1f", "%")
        difference = f"{value - of_paper:+.1f} points"
        lines.append(["improvement", name, f"{of_paper:+.1f} %", f"{value:+.1f} %", ends, difference, ""])
    values = {item: 10 * float(paper[item, "AWRT1"]) + 4 * float(paper[item, "AWRT2"]) for item in ours}
    of_paper, value = 100 * (1 - values["GREEDY"] / values["EASY"]), float(ours["GREEDY"]["vs_easy"])
    ends = low_to_high([float(seed["vs_easy"]) for seed in seeds], "+.1f", "%")
    judgement = "better" if value > of_paper else "worse"
    difference = f"{value - of_paper:+.1f} points"
    lines.append(["improvement", "objective", f"{of_paper:+.1f} %", f"{value:+.1f} %", ends, difference, judgement])
    heads = ["scheduler", "objective", "paper", "ours", "ours, all seeds", "difference", "verdict"]
    return [
        "## Table III and figure 1: trained on CTC, without backfilling",
        "",
        *markdown(heads, lines, left=2),
        "",
        f"Agrees: within {NEAR:g} %. Ours: the seed in the middle; beside it the lowest and the highest of "
        f"{len(seeds)}, all on one scaling. The evolution strategy, its 15 + 105 individuals and 100 generations are "
        "the paper's; initial step sizes and learning rates, which it does not give, are the usual ones. "
        f"{payers(of_groups)}",
        "",
        common.chart("figure1"),
        "",
    ]


def low_to_high(values: Sequence[float], spec: str, unit: str) -> str:
    """Return the ends of several values as text.

    >>> low_to_high([1234.5, -2.0], ",.0f", "s")
    '-2 to 1,234 s'
    """
    return f"{min(values):{spec}} to {max(values):{spec}} {unit}"


def payers(gains: Mapping[str, tuple[float, float]]) -> str:
    """Return which groups lose, and which of them more than in the paper; `gains` has the paper's and ours by group."""
    losing = [group for group, (_, ours) in gains.items() if ours < 0]
    more = [group for group in losing if gains[group][1] < gains[group][0]]
    words = f"Groups {', '.join(losing)} pay for the others" if losing else "No group pays"
    return f"{words}; more than in the paper: {', '.join(more) or 'none'}."


def criteria(rows: Sequence[Row]) -> list[str]:
    """Return the section about the four criteria."""
    seeds = sorted({row["seed"] for row in rows})
    best = best_of(rows, "none")
    of_systems = {
        system: [row for row in rows if row["system"] == system]
        for system in dict.fromkeys(row["system"] for row in rows)
        if system in ("f1", "f2", "f3", "f4")
    } | {"best of all, mixed ones included": best}
    lines = []
    for system, mine in of_systems.items():
        gains = [float(row["vs_easy"]) for row in mine]
        sides = [with_ends([float(row["AWRT_vs_easy"]) for row in mine]), with_ends([worst_group(row) for row in mine])]
        lines.append([system, *spread(gains), verdict(median(gains), GOAL_NONE), *sides])
    winners = ", ".join(row["system"] for row in best)
    alone = untrained.best_untrained(easy_of(rows, "none"), "fcfs")
    if alone:
        gain = float(alone["vs_easy"])
        sides = [f"{side:+.1f} %" for side in (float(alone["AWRT_vs_easy"]), worst_group(alone))]
        lines.append([f"{alone['system']}, untrained", f"{gain:+.2f} %", "", "", verdict(gain, GOAL_NONE), *sides])
    heads = ["criterion", "median", "lowest", "highest", f"goal: {GOAL_NONE} %", "AWRT (seeds)", "worst group (seeds)"]
    return [
        f"## The four criteria, seeds {', '.join(seeds)}",
        "",
        *markdown(heads, lines, left=1),
        "",
        f"The paper gained {GOAL_NONE} % and found f2 best. The best ones here, seed by seed (criteria of "
        f"weekend/day/night, where they differ): {winners}.",
        "",
    ]


def with_easy(rows: Sequence[Row]) -> list[str]:
    """Return the section about training within limits, with EASY backfilling under the trained order."""
    lines = []
    alone = untrained.best_untrained(easy_of(rows, "easy"), "easy")
    names = [*dict.fromkeys(row["training"] for row in rows), *([f"{alone['system']}, untrained"] if alone else [])]
    for training in names:
        for row in best_of(rows, training) or [alone | {"seed": ""}]:
            worst = worst_group(row)
            gain, whole = float(row["vs_easy"]), float(row["AWRT_vs_easy"])
            within = "yes" if whole >= 0 and worst >= GOAL_GROUP else "no"
            lines.append(
                [
                    training,
                    row["seed"],
                    f"{gain:+.2f} %",
                    f"{whole:+.2f} %",
                    f"{worst:+.1f} %",
                    within,
                    verdict(gain, GOAL_EASY),
                ]
            )
    gains = [float(row["vs_easy"]) for row in best_of(rows, "easy")]
    return [
        "## With EASY backfilling under the trained order",
        "",
        *markdown(
            [
                "training",
                "seed",
                "objective",
                "AWRT",
                "worst group",
                "AWRT and groups as wanted",
                f"goal: {GOAL_EASY} %",
            ],
            lines,
            left=2,
        ),
        "",
        f"Wanted: AWRT no worse than EASY's, and no group's by more than {-GOAL_GROUP:g} %; the training had these "
        "limits for AWRT and groups 3 to 5 (strict: 10 %; free: none). Median of the objective's improvement: "
        f"{median(gains):.2f} %, "
        f"{min(gains):.2f} to {max(gains):.2f} %.",
        "",
    ]


def best_known(rows: Sequence[Row]) -> list[str]:
    """Return the lines about the best known schedules within these limits, offline ones too."""
    within = sorted((row for row in rows if row["best_within"]), key=lambda row: -float(row["best_within"]))
    if not within:
        return []
    lines = [[r["run"], f"{int(r['evaluations']):,}", f"{float(r['best_within']):+.2f} %"] for r in within[:5]]
    return [
        "What is known to be possible within the same limits: the best of everything that the runs of report CI-190/05 "
        "evaluated on CTC. Runs named earliest, sequence and offline make schedules that know the future.",
        "",
        *markdown(["run", "evaluations", "best objective within the limits"], lines, left=1),
        "",
        *later_runs(rows),
    ]


def later_runs(rows: Sequence[Row]) -> list[str]:
    """Return the lines that say which runs of report CI-190/05 a table of the best known lacks; none if it has all."""
    of_report = {row.name for plan in ("paper002", "better", "algorithms", "moves") for row in PLANS[plan]}
    missing = of_report - {row["run"] for row in rows}
    if not missing:
        return []
    kinds = ", ".join(sorted({re.sub(r"(-\d+)+$", "", name) for name in missing}))
    return [
        f"Of the {len(of_report)} runs on CTC that `experiments/ci190_05/run.py` makes today {len(missing)} came later "
        f"and are not among them ({kinds}): made again, the best may be a larger one, and shares of it smaller ones.",
        "",
    ]


def trade_off(rows: Sequence[Row]) -> list[str]:
    """Return the lines about the front of objective, AWRT, and the group that loses most."""
    by_gain = sorted(rows, key=lambda row: -float(row["objective_vs_easy"]))
    places = np.unique(np.linspace(0, len(by_gain) - 1, min(len(by_gain), 15)).round().astype(int))
    names = ("objective_vs_easy", "AWRT_vs_easy", "worst_group_vs_easy")
    lines = [[f"{float(by_gain[i][name]):+.2f} %" for name in names] for i in places]
    return [
        f"The trade-off: of everything that was tried, {len(rows):,} policies are best in the objective, the overall "
        "AWRT, and the group that loses most (or gains least), all against EASY; some of them:",
        "",
        *markdown(["objective", "AWRT", "worst group"], lines, left=0),
        "",
        common.chart("trade-off"),
        "",
    ]


def on_every_log(paper: Mapping[tuple[str, str], str], rows: Sequence[Row]) -> list[str]:
    """Return the section about policies on every log: figures 2 and 3."""
    lines = []
    easy = {row["log"]: row for row in rows if row["policy"] == "EASY"}
    for policy, figure in FIGURES.items():
        for row in rows:
            if row["policy"] == policy:
                of_paper = paper.get((f"figure {figure}", row["log"]), "")
                gain = float(row["objective_vs_easy"])
                verdict = "better" if gain > 0 else "worse"
                judgement = ("agrees" if verdict == of_paper else "differs") if of_paper else ""
                times = [
                    float(row[name]) / float(easy[row["log"]][name]) for name in ("AWRT", *TABLE[:-1]) if row[name]
                ]
                price = [
                    f"{times[0]:.2f} times",
                    f"{max(times[1:]):.1f} times",
                    *later_jobs.ratios(row, easy[row["log"]]),
                ]
                lines.append([str(figure), policy, row["log"], of_paper, f"{gain:+.1f} %", judgement, *price])
    heads = ["figure", "policy", "log", "paper: than EASY", "ours", "verdict"]
    ratio = [f"{row['log']} {float(row['objective_vs_easy']):+.1f} %" for row in rows if row["policy"] == RATIO]
    return [
        "## Figures 2 and 3: applied to other logs, trained on all logs",
        "",
        *markdown([*heads, "AWRT to EASY's", "worst group to EASY's", *GROUPS], lines, left=4),
        "",
        "The verdict is about the objective alone, as in the paper. These policies were trained without limits and "
        f"without backfilling{slow_groups(rows, easy)}. AWRT1 to AWRT5: of each group, as a multiple of EASY's.",
        "",
        "The paper prints no numbers, and its policy uses f2. Trained on all: on the sum of the objectives over the "
        "five logs, as in the paper; on the mean of their ratios to EASY, the fairer reading, it is "
        f"{', '.join(ratio)}. LANL has its runs cut here, in the training on all logs, too; a section below applies "
        "these policies to it both ways, and has the training on all logs with its requests raised.",
        "",
        "![figure 2](figures/figure2.png)",
        "",
    ]


def slow_groups(rows: Sequence[Row], easy: Mapping[str, Row]) -> str:
    """Return in words how long groups take that take many times as long as under EASY; nothing if there is none."""
    days = [
        float(row[name]) / 86400
        for row in rows
        if row["policy"] in FIGURES
        for name in GROUPS
        if row[name] and float(row[name]) > MANY * float(easy[row["log"]][name])
    ]
    return (
        f": where a group takes more than {MANY} times as long as under EASY, its AWRT is {min(days):.0f} to "
        f"{max(days):.0f} days, and the policy fails as a scheduler, whatever the objective says"
        if days
        else ""
    )


def cost(tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section about the cost of trainings."""
    lines = []
    for part, part_rows in tables.items():
        trainings = {
            (row["training"], row["seed"]): row for row in part_rows if "evaluations" in row and "training" in row
        }
        if trainings:
            lines.append([part, *common.training_cost([*trainings.values()], digits=1)])
    return [
        "## What it cost",
        "",
        *markdown(["part", "trainings", "simulations", "CPU s in simulations", "ms each", "wall s"], lines, left=1),
        "",
        "A training of one system at the paper's budget is 10,515 simulations; there, two weeks on 120 processors. "
        "Wall time is that of all sessions, on a machine that did other work as well.",
        "",
    ]


# --- figures ------------------------------------------------------------------------------------------------------

FIGURES = {settings.APPLIED["none-f2"]: 2, settings.APPLIED["none"]: 2, settings.APPLIED["all-sum"]: 3}
BEST_OF_CTC = settings.APPLIED["none"]
RATIO = settings.APPLIED["all-ratio"]


def draw(
    paper: Mapping[tuple[str, str], str], tables: Mapping[str, Sequence[Row]], options: argparse.Namespace
) -> dict[str, Any]:
    """Return figures 1 to 5 and the trade-off, by name."""
    figures: dict[str, Any] = {}
    if tables["none"]:
        of_paper = {name: 100 * (1 - float(paper["GREEDY", name]) / float(paper["EASY", name])) for name in TABLE[:-1]}
        ours = middle(best_of(tables["none"], "none"))
        series = {BEST_OF_CTC: {name: float(ours[f"{name}_vs_easy"]) for name in TABLE[:-1]}}
        title, below = "Figure 1: response times against EASY", "trained on CTC, without backfilling"
        figures["figure1"] = bars(
            series, title=title, subtitle=below, published={BEST_OF_CTC: of_paper}, source=PAPER, first=1
        )
    if tables["positions"]:
        series = {
            policy: {
                row["log"]: float(row["objective_vs_easy"]) for row in tables["positions"] if row["policy"] == policy
            }
            for policy in settings.APPLIED.values()
        }
        title, subtitle = (
            "Figures 2 and 3: objective against EASY",
            f"{settings.OBJECTIVE}; <b>all: AWRT as a multiple of EASY's</b>",
        )
        figures["figure2"] = with_prices(
            bars(series, title=title, subtitle=subtitle, first=1), series, prices(tables["positions"])
        )
        rows = both_ways(tables, run.POSITIONS)
        for log in dict.fromkeys(row["log"] for row in rows):
            front = run.front(log, options)
            names = [o.name for o in objective_table(front.groups)]
            marks = {
                row["policy"]: np.array([float(row[name] or "nan") for name in names])
                for row in rows
                if row["log"] == log and row["dominated_by"] and row["policy"] != "FCFS"
            }
            figure = scatter(front, "AWRT1", "AWRT2", marks, focus=list(marks))
            figure.layout.title.text = (
                f"Figure {'4' if log == 'CTC' else '5, for ' + log}: policies and the front of {log}"
            )
            file = "LANL-raised" if log == settings.RAISED else log
            figures["figure4" if log == "CTC" else f"positions-{file}"] = figure
    if tables["trade-off"]:
        figures["trade-off"] = trade_off_figure(tables["trade-off"])
    return figures


def prices(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Return how many times as long as under EASY all jobs take under each policy, by log."""
    easy = {row["log"]: float(row["AWRT"]) for row in rows if row["policy"] == "EASY"}
    of_policies = {policy: [row for row in rows if row["policy"] == policy] for policy in settings.APPLIED.values()}
    return {
        policy: {row["log"]: float(row["AWRT"]) / easy[row["log"]] for row in mine}
        for policy, mine in of_policies.items()
    }


def with_prices(
    figure: Any, series: Mapping[str, Mapping[str, float]], price: Mapping[str, Mapping[str, float]]
) -> Any:
    """Return a figure of `bars` in which each number is followed by what it costs all jobs, if that is much."""
    for trace in figure.data:
        times = [price[trace.name][log] for log in series[trace.name]]
        trace.text = [
            f"{text}, <b>all {x:.1f}×</b>" if x >= DEAR else text for text, x in zip(trace.text, times, strict=True)
        ]
    low, high = figure.layout.xaxis.range
    figure.layout.xaxis.range = [low - 0.15 * (high - low), high + 0.15 * (high - low)]
    return figure


def trade_off_figure(rows: Sequence[Row]) -> Any:
    """Draw the objective's gain against the loss of the worst group, coloured by AWRT."""
    from plotly import graph_objects as go

    from paretosched.plots.style import template

    gain, whole, worst = (
        [float(row[name]) for row in rows] for name in ("objective_vs_easy", "AWRT_vs_easy", "worst_group_vs_easy")
    )
    colour = {"color": whole, "colorscale": "Cividis", "showscale": True, "size": 7}
    colour["colorbar"] = {"title": {"text": "AWRT against EASY (%)", "side": "right", "font": {"size": 13}}}
    figure = go.Figure(go.Scatter(x=worst, y=gain, mode="markers", marker=colour))
    figure.update_layout(
        template=template(),
        title={
            "text": "Trained with EASY backfilling: what an objective costs",
            "subtitle": {"text": "better: right and up ↗"},
        },
    )
    figure.update_xaxes(title="the group that loses most, against EASY (%)")
    figure.update_yaxes(title=f"{settings.OBJECTIVE} against EASY (%)")
    return figure


# --- words --------------------------------------------------------------------------------------------------------


def verdict(gain: float, goal: float) -> str:
    """Return in words whether a goal is reached.

    >>> verdict(9.6, 9.5), verdict(9.4, 9.5)
    ('reached', 'not reached')
    """
    return "reached" if gain >= goal else "not reached"


if __name__ == "__main__":
    main()
