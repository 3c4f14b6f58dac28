"""Summarise what the searches found at equal effort: results/search/summary.md."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import friedmanchisquare, rankdata

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import lag
import offline
import rank_tests
import settings
import surrogate
from measuring import with_spread

from paretosched.core.arrays import Floats
from paretosched.fronts.quality_indicators import REACH

Row = dict[str, str]
DECIDES = f"hypervolume {REACH}"
MEASURES = {  # columns, and whether the larger value is better
    **{f"hypervolume {reach}": True for reach in settings.REACHES},
    "igd_plus": False,
    "epsilon": False,
    "wish gain %": True,
}
BASE = "nsga2"
CHANCE = 0.05  # of a difference that is none


def main() -> None:
    """Write the summary."""
    options = common.analysis_parser("search", __doc__).parse_args()
    table = common.rows(options.results / settings.FILE)
    provenance = common.load_provenance(options.results)
    logs = [log for log in settings.LOGS if of(table, log=log)]
    seeds = sorted({int(row["seed"]) for row in table})
    lines = ["# Which search finds most of what an owner would take?", ""]
    lines += opening(table, logs, seeds)
    lines += [
        common.quick_remark(provenance, "on made-up jobs")
        + "Weightings, Greedy with EASY, of the first part of each log as it was recorded: "
        + ", ".join(f"{log} {int(of(table, log=log)[0]['jobs']):,} jobs" for log in logs)
        + f". Population {provenance['population']}, seeds {', '.join(map(str, seeds))}. The owner's box reaches from "
        f"the best AWRT_i that any of the runs found to {REACH} times EASY's in every group; hypervolume is "
        "the share of it that is dominated. "
        f"{common.cut_remark(provenance, logs)}{common.versions_text(provenance)}.{provenance.get('remark', '')}",
        "",
        *by_log(table, logs, f"Hypervolume to {REACH} times EASY"),
        *all_measures(table, logs),
        *ranks(table, logs),
        "",
        *tests(table, logs),
        *long(options.results),
        *lag.summary(options.results),
        *surrogate.summary(options.results),
        *offline.summary(options.results),
    ]
    common.save_summary(options.results, lines)


def of(table: Sequence[Row], **where: object) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in table if all(row[key] == str(value) for key, value in where.items())]


def budgets_of(table: Sequence[Row]) -> list[int]:
    """Return the numbers of evaluations that were measured, the smallest first."""
    return sorted({int(row["evaluations"]) for row in table})


def mean_of(rows: Sequence[Row], column: str) -> float:
    """Return the mean of a column."""
    return float(np.mean([float(row[column]) for row in rows]))


def opening(table: Sequence[Row], logs: Sequence[str], seeds: Sequence[int]) -> list[str]:
    """Return the five sentences at the top."""
    few, many = min(budgets_of(table)), max(budgets_of(table))
    others = [log for log in logs if log not in settings.CHOSEN_ON] or list(logs)
    winners = [best_on(table, log, seed, many) for log in others for seed in seeds]
    early, fails = logs_won_early(table, logs, few, many), ahead_of_archive(table, logs, many)
    enough = math.floor(2 + math.log2(len(logs) * (len(settings.ALGORITHMS) - 1) / CHANCE))  # see `tests`
    gains = [mean_of(of(table, algorithm=name, evaluations=many), "wish gain %") for name in ("archive", BASE)]
    return common.opening(
        "Which search finds most of the schedules that an owner would take, with equally many simulations?",
        f"With {few:,} simulations `archive` has found at least as much as NSGA-II, the earlier default, with "
        f"{many:,} on {early} of {len(logs)} logs, in the mean over seeds; after {many:,} the best schedule for a "
        f"random wish is {gains[0]:.1f} instead of {gains[1]:.1f} % below EASY.",
        f"Its constants were chosen on {' and '.join(settings.CHOSEN_ON)}; on the others it has the largest "
        f"hypervolume in {winners.count('archive')} of {len(winners)} pairs of log and seed, and shares it in "
        f"{winners.count('')}; a test on one log can show a difference from {enough} seeds on; here the seeds are "
        f"{', '.join(map(str, seeds))}.",
        f"Better than `archive`: {'; '.join(fails)}." if fails else "No other one is better by any measure on any log.",
        "Leave `--algorithm` alone if every group must stay near EASY: `archive` is the default; it "
        "does not look for schedules in which a group waits much longer.",
    )


def best_on(table: Sequence[Row], log: str, seed: int, evaluations: int) -> str:
    """Return the algorithm with the largest hypervolume; nothing if several have it."""
    found = {row["algorithm"]: float(row[DECIDES]) for row in of(table, log=log, seed=seed, evaluations=evaluations)}
    first = [name for name, value in found.items() if value == max(found.values())]
    return first[0] if len(first) == 1 else ""


def better(table: Sequence[Row], log: str, name: str, column: str, larger: bool, evaluations: int) -> bool:
    """Return whether an algorithm is better than "archive" on a log, in the mean over seeds."""
    one, archive = (
        mean_of(of(table, log=log, algorithm=a, evaluations=evaluations), column) for a in (name, "archive")
    )
    return one > archive if larger else one < archive


def logs_won_early(table: Sequence[Row], logs: Sequence[str], few: int, many: int) -> int:
    """Return on how many logs "archive" has with few evaluations at least what the earlier default has with many."""
    return sum(
        mean_of(of(table, log=log, algorithm="archive", evaluations=few), DECIDES)
        >= mean_of(of(table, log=log, algorithm=BASE, evaluations=many), DECIDES)
        for log in logs
    )


def ahead_of_archive(table: Sequence[Row], logs: Sequence[str], evaluations: int) -> list[str]:
    """Return which algorithm is better than "archive" by which measure on which log."""
    return [
        f"{name} by {column} on {log}"
        for log in logs
        for column, larger in MEASURES.items()
        for name in settings.ALGORITHMS
        if name != "archive" and better(table, log, name, column, larger, evaluations)
    ]


def by_log(table: Sequence[Row], logs: Sequence[str], title: str) -> list[str]:
    """Return the table of hypervolumes: mean and standard deviation over seeds."""
    budgets = budgets_of(table)
    lines = [f"## {title}", ""]
    lines += ["| log | algorithm | " + " | ".join(f"{b:,}" for b in budgets) + " | own ms an evaluation |"]
    lines += ["| --- | --- |" + " ---: |" * (len(budgets) + 1)]
    for log in logs:
        for name in settings.ALGORITHMS:
            rows = [of(table, log=log, algorithm=name, evaluations=b) for b in budgets]
            cells = [with_spread([float(row[DECIDES]) for row in of_budget]) for of_budget in rows]
            lines.append(f"| {log} | {name} | " + " | ".join(cells) + f" | {mean_of(rows[-1], 'own ms'):.2f} |")
    return [*lines, "", "*own*: processor time of the algorithm without the simulations.", ""]


def all_measures(table: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the table of all measures at the largest budget, means over seeds."""
    many = max(budgets_of(table))
    lines = [f"## All measures, {many:,} simulations", "", "| log | algorithm | " + " | ".join(MEASURES) + " |"]
    lines += ["| --- | --- |" + " ---: |" * len(MEASURES)]
    for log in logs:
        for name in settings.ALGORITHMS:
            rows = of(table, log=log, algorithm=name, evaluations=many)
            lines.append(f"| {log} | {name} | " + " | ".join(f"{mean_of(rows, c):.3f}" for c in MEASURES) + " |")
    about = (
        "IGD+ and epsilon are distances from the front of all runs together, smaller is better. *Wish gain*: what the "
        f"best schedule in the box gains over EASY, in the mean of {settings.WISHES} random wishes."
    )
    return [*lines, "", about, ""]


def ranks(table: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the mean ranks over pairs of log and seed, and Friedman's test, for every measure."""
    many = max(budgets_of(table))
    names = list(settings.ALGORITHMS)
    lines = [
        "## Ranks",
        "",
        "| measure | " + " | ".join(names) + " | Friedman p |",
        "| --- |" + " ---: |" * (len(names) + 1),
    ]
    for column, larger in MEASURES.items():
        blocks = []
        for log in logs:
            for seed in sorted({row["seed"] for row in table}):
                found = {
                    row["algorithm"]: float(row[column]) for row in of(table, log=log, seed=seed, evaluations=many)
                }
                blocks.append([-found[name] if larger else found[name] for name in names])
        values = np.array(blocks)
        means = rankdata(values, axis=1).mean(axis=0)
        p = friedmanchisquare(*values.T).pvalue if len(values) > 2 else float("nan")
        lines.append(f"| {column} | " + " | ".join(f"{x:.2f}" for x in means) + f" | {p:.1g} |")
    return [*lines, "", f"Mean ranks over {len(logs)} logs and all seeds at {many:,} simulations, 1 is best."]


def tests(table: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the tests of the hypervolumes of "archive" against those of each other algorithm, log by log."""
    many = max(budgets_of(table))
    others = [name for name in settings.ALGORITHMS if name != "archive"]
    seeds = len({row["seed"] for row in table})
    of_seeds = f"{seeds} seed{'s' * (seeds != 1)}"

    def values(log: str, name: str) -> Floats:
        rows = of(table, log=log, algorithm=name, evaluations=many)
        return np.array([float(row[DECIDES]) for row in sorted(rows, key=lambda row: int(row["seed"]))])

    pairs = [(log, name) for log in logs for name in others]
    chances = rank_tests.holm([rank_tests.chance(values(log, "archive"), values(log, name)) for log, name in pairs])
    cells = {
        pair: f"{rank_tests.effect(values(pair[0], 'archive'), values(*pair)):.2f}, {p:.2g}"
        for pair, p in zip(pairs, chances, strict=True)
    }
    lines = ["## Tests", "", "| `archive` against | " + " | ".join(others) + " |"]
    lines += ["| --- |" + " ---: |" * len(others)]
    lines += [f"| {log} | " + " | ".join(cells[log, name] for name in others) + " |" for log in logs]
    about = (
        f"Hypervolume to {REACH} times EASY after {many:,} simulations: how often a run of `archive` has more than one "
        f"of the other (equal counts half), and the probability of such differences by chance: Wilcoxon's signed ranks "
        f"of {of_seeds}, Holm's correction for all {len(pairs)} pairs. Of {of_seeds} it is "
        f"{min(1.0, 2.0 ** (1 - seeds) * len(pairs)):.2g} at least, if all differences are of one sign everywhere."
    )
    return [*lines, "", about, ""]


def long(results: Path) -> list[str]:
    """Return the part of the summary about searches that are longer."""
    if not (results / settings.LONG_FILE).exists():
        return ["## Longer searches", "", *common.not_run("long")]
    table = common.rows(results / settings.LONG_FILE)
    logs = [log for log in settings.LOGS if of(table, log=log)]
    seeds = sorted({int(row["seed"]) for row in table})
    before, many = budgets_of(table)[-2:]
    first = [best_on(table, log, seed, many) for log in logs for seed in seeds]
    early, ahead = logs_won_early(table, logs, before, many), ahead_of_archive(table, logs, many)
    gains = [mean_of(of(table, algorithm=name, evaluations=many), "wish gain %") for name in settings.ALGORITHMS]
    about = (
        f"As above, for {'seeds' if len(seeds) > 1 else 'seed'} {', '.join(map(str, seeds))}, in a box from the best "
        f"of these runs alone. After {many:,} `archive` has the largest hypervolume in {first.count('archive')} of "
        f"{len(first)} pairs of log and seed and shares it in {first.count('')}; better than it by any measure: "
        f"{'; '.join(ahead) or 'no other one on any log'}. With {before:,} it has at least as much as NSGA-II with "
        f"{many:,} on {early} of {len(logs)} logs. The best schedule for a random wish is "
        + ", ".join(f"{gain:.1f} ({name})" for gain, name in zip(gains, settings.ALGORITHMS, strict=True))
        + " % below EASY, in the mean over logs."
    )
    return [*by_log(table, logs, "Longer searches")[:-2], about, ""]


if __name__ == "__main__":
    main()
