"""Summarise what the searches found at equal effort: results/search/summary.md."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import friedmanchisquare, rankdata

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import bound
import common
import draw
import lag
import measuring
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
BASE, RANDOM = "nsga2", "random"
CHANCE = 0.05  # of a difference that is none


def main() -> None:
    """Write the summary."""
    options = common.analysis_parser("search", __doc__).parse_args()
    table = common.rows(options.results / settings.FILE)
    provenance = common.load_provenance(options.results)
    logs = [log for log in settings.LOGS if of(table, log=log)]
    seeds = sorted({int(row["seed"]) for row in table})
    lines = ["# Which search finds most of what an owner would take?", ""]
    drawn = draw.same_draw(options.results), draw.behind(options.results)
    lines += opening(table, logs, seeds, bound.at_most(options.results), *drawn)
    lines += [
        common.quick_remark(provenance, "on made-up jobs")
        + "Weightings, Greedy with EASY, of the first part of each log as it was recorded: "
        + ", ".join(f"{log} {int(of(table, log=log)[0]['jobs']):,} jobs" for log in logs)
        + f". Population {provenance['population']}, seeds {', '.join(map(str, seeds))}. The owner's box reaches from "
        f"the best AWRT_i that any of the runs found to {REACH} times EASY's in every group; hypervolume is "
        "the share of it that is dominated. "
        "`random`, `nsga2` and `agemoea2` draw, or begin with, weightings from a wider distribution than `archive`, "
        "which ties the situations: how much of its lead that makes is below, under Draws. "
        f"{common.cut_remark(provenance, logs)}{common.versions_text(provenance)}.{provenance.get('remark', '')}",
        "",
        *by_log(table, logs, f"Hypervolume to {REACH} times EASY"),
        *all_measures(table, logs),
        *bound.summary(table, settings.ALGORITHMS, options.results),
        *ranks(table, logs),
        *tests(table, logs),
        *draws(table, logs),
        *long(options.results),
        *draw.summary(options.results),
        *lag.summary(options.results),
        *surrogate.summary(options.results),
        *offline.summary(options.results),
    ]
    common.save_summary(options.results, lines)


def of(table: Sequence[Row], **where: object) -> list[Row]:
    """Return the rows that have these values."""
    cells = [(key, str(value)) for key, value in where.items()]
    return [row for row in table if all(row[key] == cell for key, cell in cells)]


def budgets_of(table: Sequence[Row]) -> list[int]:
    """Return the numbers of evaluations that were measured, the smallest first."""
    return sorted({int(row["evaluations"]) for row in table})


def mean_of(rows: Sequence[Row], column: str) -> float:
    """Return the mean of a column."""
    return float(np.mean([float(row[column]) for row in rows]))


def opening(
    table: Sequence[Row], logs: Sequence[str], seeds: Sequence[int], most: Mapping[str, float], same: str, draws: str
) -> list[str]:
    """Return the five sentences at the top.

    `most` is what can be gained in the wishes of each log; `same` and `draws` what is said of tied random draws.
    """
    few, many = min(budgets_of(table)), max(budgets_of(table))
    others = [log for log in logs if log not in settings.CHOSEN_ON] or list(logs)
    winners = [best_on(table, log, seed, many) for log in others for seed in seeds]
    shared = [log for log in others if not any(best_on(table, log, seed, many) for seed in seeds)]
    gains = {name: mean_of(of(table, algorithm=name, evaluations=many), "wish gain %") for name in settings.ALGORITHMS}
    mean_most = float(np.mean([most.get(log, np.nan) for log in logs]))
    proved = f" of at most {common.at_most(mean_most)} % (proved)" if most.keys() >= set(logs) else " %"
    return common.opening(
        "Which search finds most of the schedules that an owner would take, with equally many simulations?",
        f"{same and same + '. '}Its best schedule for a wish is {gains['archive']:.1f}{proved} better than EASY's; "
        f"NSGA-II, from another draw, has {gains[BASE]:.1f} %, and that draw alone {gains[RANDOM]:.1f} %.",
        f"Against these, with their other draw, on the {len(others)} logs on which no constant of the default search "
        f"was chosen, with {len(seeds)} seeds each, it found most in {winners.count('archive')} of {len(winners)} "
        f"cases, and as much as another in "
        f"{winners.count('')}"
        + (f" ({', '.join(shared)}, where all find the same)" if shared else "")
        + "; how it begins was settled with these tables of all logs in view.",
        f"{early_words(table, logs, few, many)}{f'; {draws}' if draws else ''}.",
        "Leave `--algorithm` alone if every group must stay near EASY: the default, `archive`, does not look for "
        "schedules in which a group waits much longer.",
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


def early_words(table: Sequence[Row], logs: Sequence[str], few: int, many: int) -> str:
    """Return in words on which logs, and with which seeds, few simulations of "archive" are worth many of NSGA-II."""
    kept = {
        log: by_seed(table, log, "archive", DECIDES, few) >= by_seed(table, log, BASE, DECIDES, many) for log in logs
    }
    weakest = [f"{log} with {np.sum(of_log)} of {len(of_log)}" for log, of_log in kept.items() if not of_log.all()]
    count = logs_won_early(table, logs, few, many)
    return (
        f"After {few:,} simulations it has NSGA-II's hypervolume of {many:,} on {count} of {len(logs)} logs in the mean"
        + (f", but on {', '.join(weakest)} seeds only" if weakest else "")
    )


def ahead_of_archive(table: Sequence[Row], logs: Sequence[str], evaluations: int) -> list[tuple[str, str, str]]:
    """Return which algorithm is better than "archive" by which measure on which log."""
    return [
        (name, column, log)
        for log in logs
        for column, larger in MEASURES.items()
        for name in settings.ALGORITHMS
        if name != "archive" and better(table, log, name, column, larger, evaluations)
    ]


def ahead_words(table: Sequence[Row], logs: Sequence[str], evaluations: int) -> str:
    """Return which algorithm is better than "archive" by which measure on which log, with both means, in words."""
    words = []
    for name, column, log in ahead_of_archive(table, logs, evaluations):
        means = (mean_of(of(table, log=log, algorithm=a, evaluations=evaluations), column) for a in (name, "archive"))
        words.append(f"{name} by {column} on {log} ({' against '.join(f'{mean:.4f}' for mean in means)})")
    return "; ".join(words) or "no other one on any log"


def mean_ranks(
    table: Sequence[Row], logs: Sequence[str], column: str, evaluations: int
) -> tuple[dict[str, float], float]:
    """Return the mean rank of each algorithm over pairs of log and seed, 1 is best, and Friedman's probability."""
    names, sign = settings.ALGORITHMS, -1 if MEASURES[column] else 1
    values = np.vstack(
        [np.column_stack([sign * by_seed(table, log, name, column, evaluations) for name in names]) for log in logs]
    )
    means = rankdata(values, axis=1).mean(axis=0)
    p = float(friedmanchisquare(*values.T).pvalue) if len(values) > 2 else float("nan")
    return dict(zip(names, means.tolist(), strict=True)), p


def random_beside_base(table: Sequence[Row], logs: Sequence[str], evaluations: int) -> tuple[list[str], list[str]]:
    """Return by which measures random draws have a better mean rank than the earlier default, and by which a worse."""
    ranks_by = {column: mean_ranks(table, logs, column, evaluations)[0] for column in MEASURES}
    return (
        [column for column, means in ranks_by.items() if means[RANDOM] < means[BASE]],
        [column for column, means in ranks_by.items() if means[RANDOM] > means[BASE]],
    )


def by_seed(table: Sequence[Row], log: str, name: str, column: str, evaluations: int) -> Floats:
    """Return the values of an algorithm on a log, in the order of the seeds, (seeds,)."""
    return measuring.by_seed(table, column, log=log, algorithm=name, evaluations=evaluations)


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
    few = min(budgets_of(table))
    beside = (
        "Better than `archive`, in the mean over seeds: "
        + "; ".join(f"after {b:,} simulations {ahead_words(table, logs, b)}" for b in budgets_of(table))
        + f". {early_words(table, logs, few, many)}."
    )
    return [*lines, "", about, "", beside, ""]


def ranks(table: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the mean ranks over pairs of log and seed, and Friedman's test, for every measure."""
    many = max(budgets_of(table))
    names = list(settings.ALGORITHMS)
    lines = ["## Ranks", "", "| measure | " + " | ".join(names) + " | Friedman p |"]
    lines += ["| --- |" + " ---: |" * (len(names) + 1)]
    for column in MEASURES:
        means, p = mean_ranks(table, logs, column, many)
        lines.append(f"| {column} | " + " | ".join(f"{means[name]:.2f}" for name in names) + f" | {p:.1g} |")
    about = (
        f"Mean ranks over {len(logs)} logs and all seeds at {many:,} simulations, 1 is best. Friedman takes each "
        "pair of log and seed for a case of its own, which seeds of one log are not: read p as a size, not as a chance."
    )
    return [*lines, "", about, ""]


def tests(table: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the tests of "archive" against each other algorithm, log by log, for every measure."""
    others = [name for name in settings.ALGORITHMS if name != "archive"]
    seeds = len({row["seed"] for row in table})
    of_seeds = f"{seeds} seed{'s' * (seeds != 1)}"
    pairs = len(logs) * len(others)
    enough = math.floor(2 + math.log2(pairs / CHANCE))
    lines = ["## Tests", "", "| measure | `archive` against | " + " | ".join(logs) + " |"]
    lines += ["| --- | --- |" + " ---: |" * len(logs)]
    for column in MEASURES:
        cells = cells_of(table, logs, "archive", others, column)
        rows: dict[str, list[str]] = {}  # algorithms with the same cells share a row
        for name in others:
            rows.setdefault(" | ".join(cells[log, name] for log in logs), []).append(name)
        lines += [f"| {column} | {', '.join(names)} | {row} |" for row, names in rows.items()]
    about = (
        f"After {max(budgets_of(table)):,} simulations: how often a run of `archive` is better than one of the other "
        "(equal counts half), and the probability of such differences by chance: Wilcoxon's signed ranks of "
        f"{of_seeds}, Holm's correction for all {pairs} pairs of log and algorithm by a measure. Of {of_seeds} it is "
        f"{min(1.0, 2.0 ** (1 - seeds) * pairs):.2g} at least, if all differences are of one sign everywhere; from "
        f"{enough} seeds on a test on one log can show a difference."
    )
    return [*lines, "", about, ""]


def cells_of(
    table: Sequence[Row], logs: Sequence[str], this: str, others: Sequence[str], column: str
) -> dict[tuple[str, str], str]:
    """Return how often one algorithm is better than each other on each log, and by which chance, as cells."""
    many, sign = max(budgets_of(table)), 1 if MEASURES[column] else -1

    def good(log: str, name: str) -> Floats:
        return sign * by_seed(table, log, name, column, many)

    pairs = [(log, name) for log in logs for name in others]
    chances = rank_tests.holm([rank_tests.chance(good(log, this), good(log, name)) for log, name in pairs])
    return {
        (log, name): f"{rank_tests.effect(good(log, this), good(log, name)):.2f}, {p:.2g}"
        for (log, name), p in zip(pairs, chances, strict=True)
    }


def draws(table: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the section that sets random draws against the earlier default, by all measures."""
    *_, many = budgets = budgets_of(table)
    lines = [f"## Random draws against NSGA-II, {many:,} simulations", "", "| log | " + " | ".join(MEASURES) + " |"]
    lines += ["| --- |" + " ---: |" * len(MEASURES)]
    cells = {column: cells_of(table, logs, RANDOM, [BASE], column) for column in MEASURES}
    for log in logs:
        of_log = []
        for column, larger in MEASURES.items():
            one, other = (by_seed(table, log, name, column, many) for name in (RANDOM, BASE))
            wins = int(((one > other) if larger else (one < other)).sum())
            of_log.append(f"{wins} of {len(one)}, {cells[column][log, BASE]}")
        lines.append(f"| {log} | " + " | ".join(of_log) + " |")
    words = []
    for budget in budgets:
        better_by, worse_by = (", ".join(names) or "none" for names in random_beside_base(table, logs, budget))
        words.append(f"after {budget:,} better by {better_by}, and worse by {worse_by}")
    about = (
        "In how many seeds random draws are better, then as above, with Holm's correction for the logs. By mean ranks "
        f"over logs and seeds random draws are {'; '.join(words)}."
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
    pairs = [(log, seed) for log in logs for seed in seeds if of(table, log=log, seed=seed)]  # logs grow one by one
    first = [best_on(table, log, seed, many) for log, seed in pairs]
    early = logs_won_early(table, logs, before, many)
    gains = [
        np.mean([mean_of(of(table, log=log, algorithm=name, evaluations=many), "wish gain %") for log in logs])
        for name in settings.ALGORITHMS
    ]
    about = (
        f"As above, with seeds {', '.join(map(str, seeds))}, in a box from the best that seeds "
        f"{', '.join(map(str, settings.LONG_FIRST))} found; what is better counts as that, and IGD+ and epsilon are "
        f"distances from at most {settings.LONG_REFERENCE:,} schedules of these seeds. "
        f"After {many:,} `archive` has the largest hypervolume in {first.count('archive')} of {len(first)} pairs of "
        f"log and seed and shares it in {first.count('')}; better than it by any measure: "
        f"{ahead_words(table, logs, many)}. With {before:,} it has at least as much as NSGA-II with "
        f"{many:,} on {early} of {len(logs)} logs. The best schedule for a random wish is "
        + ", ".join(f"{gain:.1f} ({name})" for gain, name in zip(gains, settings.ALGORITHMS, strict=True))
        + " % below EASY, in the mean over logs."
    )
    return [*by_log(table, logs, "Longer searches")[:-2], about, ""]


if __name__ == "__main__":
    main()
