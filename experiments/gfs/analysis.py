"""Compare the results with paper 001: results/gfs/summary.md and figures 4 to 7."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import run
import scalings
import settings
from figures import draw
from possible import of_raised_requests, possible, run_one_way
from reading import (
    BASES,
    GROUPS,
    KINDS,
    TABLE,
    Paper,
    Row,
    best_alone,
    gain,
    logs_of,
    middle,
    of_equal_budget,
    rows_of,
    span,
)
from transfer import elsewhere, ends_of_ways, on_every_log, positions
from weeks import certain, key_of, told_apart

from paretosched.core.tables import markdown
from paretosched.policies.explanation import explain

TABLES = {"iterative": "Table 3", "symbiotic": "Table 4 and figure 4"}
NARROW = ("figure4", "figure5", "figure6", "figure7")  # the others are as wide as a page
NEAR = 5.0  # points, up to which a value agrees with the tables


def main() -> None:
    """Write the summary, the figures and their page."""
    parser = common.analysis_parser("gfs", __doc__)
    parser.add_argument("--quick", action="store_true", help="of a quick run")
    common.add_work(parser, "gfs")
    common.add_fronts(parser, "as for run.py")
    options = parser.parse_args()
    options.workers = 0
    provenance = common.load_provenance(options.results)
    paper = common.paper_values("gfs", ("item", "log", "quantity"))
    tables = {part: common.rows(options.results / f"{part}.csv") for part in run.PARTS}
    lines = ["# Paper 001: rule bases, iterative and symbiotic", ""]
    lines += [*opening(provenance, paper, tables), *heading(provenance)]
    lines += verdicts(paper, tables)
    lines += of_raised_requests(paper, tables) if tables["raised"] else common.not_run("raised")
    lines += possible(paper, tables) if tables["limits"] else common.not_run("limits")
    lines += alone(tables["alone"], tables["symbiotic"]) if tables["alone"] else common.not_run("alone")
    lines += certain(tables["weeks"], trained_rows(tables)) if tables["weeks"] else common.not_run("weeks")
    lines += scalings.section(tables["scalings"], tables["weeks"]) if tables["scalings"] else common.not_run("scalings")
    for kind in KINDS:
        lines += against_paper(kind, paper, tables[kind], tables["alone"]) if tables[kind] else common.not_run(kind)
    lines += against(paper, tables["symbiotic"], tables["iterative"])
    lines += choices(tables["symbiotic"], tables["choices"]) if tables["choices"] else common.not_run("choices")
    ends = None if provenance["quick"] else ends_of_ways()
    lines += positions(tables["positions"], ends) if tables["positions"] else common.not_run("positions")
    applied = tables["applied"]
    lines += on_every_log(applied, tables["alone"], tables["weeks"]) if applied else common.not_run("applied")
    lines += iterative_rules(options.results)
    lines += cost(tables)
    common.save_summary(options.results, lines)
    if not options.no_figures:
        figures_and_captions = draw(paper, tables, options)
        figures = {name: figure for name, (figure, _) in figures_and_captions.items()}
        captions = {name: caption for name, (_, caption) in figures_and_captions.items()}
        wide = [name for name in figures_and_captions if name not in NARROW]
        common.save_figures(options.results, figures, "Paper 001: figures 4 to 7", captions, wide=wide)


# --- the summary --------------------------------------------------------------------------------------------------


def opening(provenance: Mapping[str, Any], paper: Paper, tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the five sentences of the summary; none if the symbiotic rules were not trained."""
    rows, logs = tables["symbiotic"], logs_of(tables["symbiotic"], "symbiotic")
    if not logs:
        return []
    trained = {log: rows_of(rows, "symbiotic", log) for log in logs}
    equal = {log: of_equal_budget(of_log) for log, of_log in trained.items()}
    gains = {log: median(map(gain, of_log)) for log, of_log in equal.items()}
    goals = {log: float(paper["symbiotic", log, "objective"]) for log in logs}
    missed = [f"{log} ({gains[log]:.1f} against {goals[log]:.1f} %)" for log in logs if gains[log] < goals[log]]
    losses = {log: min(gain(row, name) for row in of_log for name in GROUPS) for log, of_log in trained.items()}
    worst = min(losses, key=lambda log: losses[log])
    once, others = run_one_way(tables["cut"]), elsewhere(tables["applied"])
    slower = sum(float(row["AWRT_vs_easy"]) < 0 for row in others)
    return common.opening(
        "Is a scheduler better that chooses one of thirteen strategies at every decision, by trained rules, for the "
        f"least {provenance['objective']}?",
        came_out(tables, gains),
        f"Symbiotic trainings a log: {span([len(of_log) for of_log in equal.values()])}, tested where they "
        f"learnt{of_weeks(tables['weeks'], logs)}{scalings.kept_in_words(tables['scalings'], logs)}. "
        "The paper's gain is "
        + (f"missed on {', '.join(missed)}." if missed else "reached.")
        + (raised_words(tables, goals["LANL"]) if "LANL" in goals else ""),
        f"The groups that are not in the objective pay without a limit: on {worst} one of them loses "
        f"{-losses[worst]:,.0f} % with one of the seeds"
        + (
            f"; and on logs that they were not trained on, AWRT is worse than EASY's in {slower} of {len(others)} "
            "cases."
            if others
            else "."
        )
        + (f" {', '.join(once)} were run only with work cut off." if once else ""),
        "Try the thirteen strategies alone first, and use rules only with limits and after a test on jobs that they "
        "have not learnt from (see [results/online](../online/summary.md)).",
    )


def of_weeks(rows: Sequence[Row], logs: Sequence[str]) -> str:
    """Return on how many logs the weeks tell symbiotic rules from the best strategy alone; empty if not measured."""
    if not rows:
        return ""
    apart = len(told_apart(rows, "symbiotic", logs))
    return f"; by intervals over weeks they beat the best strategy alone on {apart} of {len(logs)} logs"


def raised_words(tables: Mapping[str, Sequence[Row]], goal: float) -> str:
    """Return what is gained on LANL with requests raised, beside the paper's gain; empty if that was not run."""
    ours = [gain(row) for row in rows_of(tables["raised"], "raised", settings.RAISED)]
    if not ours:
        return ""
    one = gain(rows_of(tables["raised"], "raised", settings.RAISED, "alone")[0])
    return (
        f" With LANL's requests raised it is {'reached' if median(ours) >= goal else 'missed'} ({median(ours):.1f} %; "
        f"one strategy: {one:.1f} %)."
    )


def came_out(tables: Mapping[str, Sequence[Row]], gains: Mapping[str, float]) -> str:
    """Return the sentence about what symbiotic rules, evolution alone and iterative rules gain over EASY."""
    rows = tables["symbiotic"]
    alone_gains = {log: gain(rows_of(rows, "symbiotic", log, "alone")[0]) for log in gains}
    beyond = [gains[log] - alone_gains[log] for log in gains]
    evolved = {log: [gain(row) for row in rows_of(rows, "symbiotic", log, "evolution")] for log in gains}
    better = [value > alone_gains[log] for log, values in evolved.items() for value in values]
    iterative = {log: gain(middle(rows_of(tables["iterative"], "iterative", log))) for log in iterative_logs(tables)}
    ahead = [log for log, value in iterative.items() if value > best_alone(tables["alone"], log)[1]["objective"]]
    most = all(alone_gains[log] > gains[log] / 2 for log in gains)
    return (
        f"On the logs that they learn from, symbiotic rules are {min(gains.values()):.1f} to "
        f"{max(gains.values()):.1f} % better than EASY. {'Most of that needs no rules: the' if most else 'The'} best "
        f"of the thirteen strategies, always used, is {min(beyond):.1f} to {max(beyond):.1f} points behind. Without "
        f"our refinement rules beat it in {sum(better)} of {len(better)} trainings"
        + (
            f"; iterative rules do so on {len(ahead)} of {len(iterative)} logs."
            if iterative and tables["alone"]
            else "."
        )
    )


def iterative_logs(tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the logs with iterative rules, in the order of the paper."""
    return logs_of(tables["iterative"], "iterative")


def trained_rows(tables: Mapping[str, Sequence[Row]]) -> dict[tuple[str, ...], Row]:
    """Return the row of the rules of every training, by training, log and seed."""
    return {key_of(row): row for part in settings.PARTS for row in tables[part] if row["system"] == "rules"}


def heading(provenance: Mapping[str, Any]) -> list[str]:
    """Return the lines about the workloads and the measures."""
    quick = common.quick_remark(provenance, "on made-up workloads")
    logs = "; ".join(f"{log}: {w['jobs']:,}" for log, w in provenance["workloads"].items())
    return [
        f"{quick}Objective {provenance['objective']}, smaller is better. Logs scaled to {provenance['processors']:,} "
        f"processors (seed {provenance['scaling_seed']}), jobs: {logs}. SDSC95, the paper's sixth log, is not at hand.",
        "",
        "Improvements are (EASY - X) / EASY in per cent, as in the paper: positive is better for response times and "
        "the objective, and worse for UTIL. Of several seeds the one in the middle is shown, with lowest and highest "
        f"objective where they matter. {common.versions_text(provenance)}.",
        "",
    ]


def verdicts(paper: Paper, tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section about the goals: the paper's improvement, and trained Greedy."""
    lines, better, longer = [], [], []
    trainings = [("symbiotic", "symbiotic", log) for log in logs_of(tables["symbiotic"], "symbiotic")]
    trainings += [("better", "better-greedy", log) for log in logs_of(tables["better"], "better-greedy")]
    for part, training, log in trainings:
        rows = rows_of(tables[part], training, log)
        equal = of_equal_budget(rows)
        of_paper = float(paper["symbiotic", log, "objective"])
        greedy = gain(rows_of(tables[part], training, log, "Greedy")[0])
        best_alone_of_log = gain(rows_of(tables[part], training, log, "alone")[0])
        name = f"{log}{'' if part == 'symbiotic' else ', f3'}"
        if part == "symbiotic":
            better.append(median(map(gain, equal)) > greedy)
        for title, mine in ((name, equal), *((f"{name}, longer", [row]) for row in rows if row not in equal)):
            ours = [gain(row) for row in mine]
            seeds = {row["seed"] for row in mine}
            evolved = rows_of(tables[part], training, log, "evolution")
            evolution = median(gain(row) for row in evolved if row["seed"] in seeds)
            lines.append(
                [
                    title,
                    f"{of_paper:+.2f} %",
                    *(f"{x:+.2f} %" for x in (median(ours), min(ours), max(ours))),
                    reached_by(of_paper, best_alone_of_log, evolution, median(ours)),
                    f"{greedy:+.2f} %",
                    "better" if median(ours) > greedy else "**not better**",
                    f"{best_alone_of_log:+.2f} %",
                    f"{evolution:+.2f} %",
                    str(len(ours)),
                    span([int(row["evaluations"]) for row in mine]),
                ]
            )
        for row in rows:
            if row not in equal:
                more = 100 * (int(row["evaluations"]) / BASES - 1)
                with_it = f"{median(map(gain, rows)):+.2f} % with it" if len(rows) > 1 else ""
                longer.append(
                    f"seed {row['seed']} of {log} had {more:.0f} % more, why is not recorded (median {with_it})"
                )
    if not lines:
        return common.not_run("symbiotic")
    heads = ["log", "paper", "ours: median", "lowest", "highest", "goal reached by", "Greedy alone", "than Greedy"]
    return [
        "## The objective against EASY: symbiotic rules, the paper's, and trained Greedy",
        "",
        *markdown([*heads, "best strategy alone", "evolution alone", "seeds", "rule bases each"], lines, left=1),
        "",
        f"Greedy alone: f2 without backfilling, trained as in paper 000; it is the thirteenth strategy of the rules. "
        f"They are better than it on {sum(better)} of {len(better)} logs, which proves nothing: all thirteen are tried "
        "first, and the best of all that was tried is kept. The paper does not say which criterion it "
        "took; rows with f3 are rules whose thirteenth strategy is Greedy by f3, the best criterion of "
        "[our paper 000](../greedy/summary.md).",
        "",
        "Goal reached by: the first of best strategy alone (nothing is learnt but which one), evolution, and its "
        "refinement that is as good as the paper's rules. Best strategy alone: of the thirteen, which are tried first. "
        "Evolution alone: the best rule base when the paper's symbiotic evolution stood still, without a better one "
        "for ten generations, or was stopped; what is beyond that comes from refining the best base as a whole, which "
        f"is ours. Rule bases: {BASES:,} are the thirteen and 50 generations of 70; the paper does not say how many."
        + (f" In rows of their own, since they are not equal: {'; '.join(longer)}." if longer else ""),
        "",
        "![figure 4](figures/figure4.png)",
        "",
    ]


def reached_by(goal: float, alone: float, evolution: float, refined: float) -> str:
    """Return what reaches a goal first, of gains in per cent: a strategy alone, evolution, or its refinement."""
    words = {"a strategy alone": alone, "evolution": evolution, "refinement": refined}
    return next((name for name, reached in words.items() if reached >= goal), "**nothing**")


def alone(rows: Sequence[Row], symbiotic: Sequence[Row]) -> list[str]:
    """Return the section about each strategy alone, which shows the gain of choosing."""
    logs = logs_of(symbiotic, "symbiotic") or list(settings.LOGS)
    strategies = list(dict.fromkeys(row["system"] for row in rows))
    gains = {(row["log"], row["system"]): gain(row) for row in rows}
    logs = [log for log in logs if (log, strategies[0]) in gains]
    best = {log: max(gains[log, strategy] for strategy in strategies) for log in logs}
    lines = []
    for strategy in strategies:
        cells = [f"{gains[log, strategy]:+.2f} %" for log in logs]
        best_bold = [f"**{c}**" if gains[log, strategy] == best[log] else c for log, c in zip(logs, cells, strict=True)]
        lines.append([strategy, *best_bold])
    rules = [rows_of(symbiotic, "symbiotic", log) for log in logs]
    lines.append(["symbiotic rules", *(f"{gain(middle(row)):+.2f} %" if row else "" for row in rules)])
    return [
        "## Each strategy alone",
        "",
        *markdown(["strategy, always", *logs], lines, left=1),
        "",
        "The objective against EASY, which is easy by wait; bold: the best one of each log. What rules reach beyond "
        "it is won by choosing; the paper does not show these.",
        "",
    ]


def against_paper(kind: str, paper: Paper, rows: Sequence[Row], alone: Sequence[Row]) -> list[str]:
    """Return the section that compares Table 3 or 4 with ours, and ours with the best strategy alone."""
    lines = []
    for log in logs_of(rows, kind):
        strategy, untrained = best_alone(alone, log)
        of_log = rows_of(rows, kind, log)
        ours = middle(of_log)
        for name in TABLE:
            of_paper, value = float(paper[kind, log, name]), gain(ours, name)
            verdict = "agrees" if abs(value - of_paper) <= NEAR else "better" if value > of_paper else "worse"
            verdict = verdict if name != "UTIL" or verdict == "agrees" else "differs"
            title = settings.OBJECTIVE if name == "objective" else name
            seeds = [gain(row, name) for row in of_log]
            spread = f"{min(seeds):+.2f} to {max(seeds):+.2f}" if len(seeds) > 1 else "-"
            cells = [f"{of_paper:+.2f} %", f"{value:+.2f} %", spread, f"{value - of_paper:+.2f}"]
            lines.append([log, title, *cells, verdict, f"{untrained[name]:+.2f} %" if strategy else ""])
    note = (
        "KTH's AWRT1 is printed as 5.32 in the paper, a misprint: only -5.32 gives the objective's -8.83. "
        if kind == "iterative"
        else "Ours is the seed in the middle by the objective; the verdict is its. "
    )
    if len(of_equal_budget(rows)) < len(rows):
        note += "All seeds: the longer trainings of the table of goals, too. "
    return [
        f"## {TABLES[kind]}: {kind} rules against EASY",
        "",
        *markdown(
            ["log", "measure", "paper", "ours", "all seeds", "difference", "verdict", "best strategy alone"],
            lines,
            left=2,
        ),
        "",
        f"{note}Agrees: within {NEAR:g} points. The objective weighs groups 1 and 2 only: the others pay, as there.",
        "",
        *beside_one_strategy(kind, rows, alone),
    ]


def beside_one_strategy(kind: str, rows: Sequence[Row], alone: Sequence[Row]) -> list[str]:
    """Return the lines that set rules beside the best strategy alone in the objective."""
    worse, words, names = [], [], {}
    for log in logs_of(rows, kind):
        names[log], untrained = best_alone(alone, log)
        ours = gain(middle(rows_of(rows, kind, log)))
        words.append(f"{log} {ours:+.1f} % against {untrained['objective']:+.1f} %")
        worse += [log] if ours < untrained["objective"] else []
    if not alone:
        return []
    return [
        "Best strategy alone: of the thirteen, the one with the best objective on that log, always "
        f"({'; '.join(f'{log}: {name}' for log, name in names.items())}); but for the Greedy, the thirteenth, none of "
        f"them is trained, though which is best is known afterwards. In the objective {kind} rules are worse than it "
        f"on {len(worse)} of {len(names)} logs: {'; '.join(words)}.",
        "",
    ]


def against(paper: Paper, symbiotic: Sequence[Row], iterative: Sequence[Row]) -> list[str]:
    """Return the section that compares figure 5 with ours: the gain of symbiotic over iterative rules."""
    lines = []
    for log in settings.LOGS:
        first, second = rows_of(symbiotic, "symbiotic", log), rows_of(iterative, "iterative", log)
        if first and second:
            of_paper = float(paper["figure 5", log, "objective"])
            value = 100 * (1 - float(middle(first)["objective"]) / float(middle(second)["objective"]))
            verdict = "agrees" if (value > 0) == (of_paper > 0) else "differs"
            lines.append([log, f"{of_paper:+.1f} %", f"{value:+.1f} %", f"{value - of_paper:+.1f}", verdict])
    if not lines:
        return common.not_run("figure 5")
    return [
        "## Figure 5: symbiotic against iterative rules",
        "",
        *markdown(["log", "paper", "ours", "difference", "sign"], lines, left=1),
        "",
        "The paper's are computed from its tables. Its text has symbiotic rules better on all logs but SDSC96; by its "
        "tables they are worse on LANL, too.",
        "",
    ]


def choices(rows: Sequence[Row], others: Sequence[Row]) -> list[str]:
    """Return the section about what the paper leaves open, on CTC."""
    words = {
        "evolution-only": "children only (algorithms 3 and 4), one step size for all (equation 16)",
        "parents-compete": "parents compete with their children (section 4.3)",
        "wide-levels": "recommendations move ten times as far",
        "both": "both",
        "symbiotic": "as the first, but refined when evolution stands still",
    }
    lines = [
        [choice, f"{int(row['evaluations']):,}", f"{gain(row):+.2f} %"]
        for training, choice in words.items()
        for row in rows_of([*rows, *others], training, "CTC", "rules" if training == "symbiotic" else "evolution")
        if row["seed"] == "0"
    ]
    return [
        "## What the paper leaves open, on CTC with seed 0",
        "",
        *markdown(["choice", "rule bases", "objective"], lines, left=1),
        "",
        "The paper announces a (mu + lambda) strategy and describes the selection of children alone; which bases, 70 "
        "or 80 a generation, follows from that. The other numbers are the same. All but the "
        "last are evolution alone, without the strategies that are tried first.",
        "",
    ]


def iterative_rules(results: Path) -> list[str]:
    """Return the section about the iterative rules of each log, in words."""
    lines = []
    for log in settings.LOGS:
        path = results / "policies" / f"iterative-{log}-0.json"
        if path.exists():
            explanation = explain(path)
            counts = next(line for line in explanation.words() if line.startswith("Of "))
            lines.append([log, counts.partition(": ")[2].rstrip(".")])
    if not lines:
        return []
    return [
        "## What the iterative rules say",
        "",
        *markdown(["log", "strategies, in how many of the 192 situations"], lines, left=2),
        "",
        "A situation that does not occur, or where nothing is better, keeps FCFS by wait, with which the iteration "
        "begins. `paretosched explain` lists them.",
        "",
    ]


def cost(tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section about the cost of trainings."""
    lines = []
    for part in settings.PARTS:
        for log in settings.LOGS:
            trainings = [row for row in tables[part] if row["log"] == log and row["system"] == "rules"]
            if trainings:
                lines.append([part, log, *common.training_cost(trainings)])
    heads = ["part", "log", "trainings", "simulations", "CPU s in simulations", "ms each", "wall s"]
    return [
        "## What it cost",
        "",
        *markdown(heads, lines, left=2),
        "",
        "Wall time is that of all sessions, on a machine that did other work as well; with the training of the Greedy "
        "not counted.",
        "",
    ]


if __name__ == "__main__":
    main()
