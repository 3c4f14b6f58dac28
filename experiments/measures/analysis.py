"""Say what searching and training for waits and slowdowns bring: results/measures/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common

from paretosched.core.tables import markdown

Row = Mapping[str, str]
HOUR = 3600


def main() -> None:
    """Write the summary."""
    options = common.analysis_parser("measures", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    policies, searches, trainings = (
        common.rows(options.results / f"{part}.csv") for part in ("opposed", "searches", "training")
    )
    remark = common.quick_remark(provenance, "on made-up workloads")
    lines = ["# Waits and slowdowns as objectives", "", *opening(policies, searches, trainings)]
    lines += [f"{remark}{common.versions_text(provenance)}.", ""]
    common.save_summary(
        options.results, lines + of_policies(policies) + of_searches(searches) + of_trainings(trainings)
    )


def opening(policies: Sequence[Row], searches: Sequence[Row], trainings: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary."""
    log, slower, less = opposed_most(policies)
    logs = list(dict.fromkeys(row["log"] for row in searches))
    above = {name: [more_often(searches, log, name) for log in logs] for name in ("random", "nsga2")}
    seeds = len({row["seed"] for row in searches})
    random, nsga2 = (
        " to ".join(map(str, sorted({min(counts, default=0), max(counts, default=0)}))) for counts in above.values()
    )
    said = (
        f" On {len(logs)} logs the default search finds more than random draws with {random} of {seeds} seeds, and "
        f"more than NSGA-II with {nsga2}."
    ) * bool(logs)
    learnt, rest = ([gain(*pair, key) for pair in pairs_of(trainings)] for key in ("objective", "rest_objective"))
    return common.opening(
        "Does it matter by which measure an owner asks, and do search and training work for other measures than AWRT?",
        f"SJF with EASY on {log} divides EASY's mean slowdown by {less:.1f}, and multiplies AWRT by {slower:.1f}."
        f"{said}",
        f"Trained on the first seven tenths of {len(rest)} logs with one seed, and told on the rest.",
        "Against the best order that has a name, chosen on the same jobs, training gained "
        f"{min(learnt):+.1f} to {max(learnt):+.1f} % of the mean slowdown of the jobs learnt from, and "
        f"{min(rest):+.1f} to {max(rest):+.1f} % of that of the rest, less than nothing on {sum(x < 0 for x in rest)} "
        "logs.",
        "Say the measure that counts and limit the others; for a mean slowdown, take the best order that has a name.",
    )


def more_often(rows: Sequence[Row], log: str, name: str) -> int:
    """Return with how many seeds the default search finds more than another one on a log."""
    other = {row["seed"]: float(row["hypervolume"]) for row in of_search(rows, log, name)}
    return sum(float(row["hypervolume"]) > other[row["seed"]] for row in of_search(rows, log, "archive"))


def gain(untrained: Row, trained: Row, key: str) -> float:
    """Return how much less a trained order has of what a key says, in per cent of the untrained one."""
    return 100 * (1 - float(trained[key]) / float(untrained[key]))


def opposed_most(rows: Sequence[Row]) -> tuple[str, float, float]:
    """Return the log on which SJF makes AWRT longest, by how many times, and how many times its slowdown is less."""
    best = ("", 0.0, 0.0)
    for row in rows:
        if row["policy"].startswith("sjf"):
            easy = next(other for other in rows if (other["log"], other["policy"]) == (row["log"], "easy"))
            slower = float(row["AWRT"]) / float(easy["AWRT"])
            less = float(easy["mean slowdown"]) / float(row["mean slowdown"])
            best = max(best, (row["log"], slower, less), key=lambda each: each[1])
    return best


def of_search(rows: Sequence[Row], log: str, name: str) -> list[Row]:
    """Return the rows of a search on a log."""
    return [row for row in rows if (row["log"], row["search"]) == (log, name)]


def pairs_of(rows: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return the best order with a name and the trained one of each log."""
    by_log = {(row["log"], row["of"]): row for row in rows}
    return [(by_log[log, "untrained"], by_log[log, "trained"]) for log in dict.fromkeys(row["log"] for row in rows)]


def of_policies(rows: Sequence[Row]) -> list[str]:
    """Return the section of policies by several measures."""
    lines = [
        [
            *(row["log"], row["policy"]),
            *(f"{float(row[key]) / HOUR:.2f}" for key in ("AWRT", "mean wait", "p95 wait")),
            f"{float(row['mean slowdown']):.1f}",
        ]
        for row in rows
    ]
    heads = ["log", "policy", "AWRT, h", "mean wait, h", "p95 wait, h", "mean slowdown"]
    return ["## Measures are opposed", "", "Whole logs, not scaled.", "", *markdown(heads, lines, left=2), ""]


def of_searches(rows: Sequence[Row]) -> list[str]:
    """Return the section of searches; none without any."""
    if not rows:
        return []
    lines = []
    for log, name in dict.fromkeys((row["log"], row["search"]) for row in rows):
        found = [float(row["hypervolume"]) for row in of_search(rows, log, name)]
        sizes = [int(row["size"]) for row in of_search(rows, log, name)]
        lines.append(
            [log, name, f"{np.mean(found):.4f}", f"{min(found):.4f}", f"{max(found):.4f}", f"{np.mean(sizes):.0f}"]
        )
    return [
        "## Searching",
        "",
        f"UTIL, mean slowdown and p95 wait, {int(rows[0]['evaluations']):,} schedules: the hypervolume in the box of a "
        "log, from the best that all these searches found to 1.5 times EASY's; random draws are drawn as the default "
        "search draws its first ones.",
        "",
        *markdown(["log", "search", "mean", "least", "most", "front"], lines, left=2),
        "",
    ]


def of_trainings(rows: Sequence[Row]) -> list[str]:
    """Return the section of trainings."""
    lines = [
        [row["log"], row["of"], row["system"], f"{float(row['objective']):.1f}", f"{float(row['rest_objective']):.1f}"]
        for row in rows
    ]
    heads = ["log", "of", "policy", "learnt from", "rest"]
    return [
        "## Training for the mean slowdown",
        "",
        "The best of the orders that have a name on the first part of a log, and what training makes of them there.",
        "",
        *markdown(heads, lines, left=3),
        "",
    ]


if __name__ == "__main__":
    main()
