"""Compare the results with the papers' numbers: results/ctc1024/summary.md and the figures."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common

import paretosched as ps
from paretosched.comparison.comparison import BEST
from paretosched.core.tables import load_rows
from paretosched.plots.fronts import scatter
from paretosched.report import export_figures

Row = Mapping[str, str]

TABLES = ("baseline", "explorations", "spans", "comparison")
FRONTS = ("easy", "none")
NON_DOMINATED, UTIL = "non-dominated of 20000 evaluations", "UTIL of the real-value coded front"
LEAST_AWRT1 = "lower bound of AWRT1 on that front"
TOLERANCE = 5.0  # per cent, for the objectives of EASY on the scaled workload
FIGURES = {"AWRT-AWRT1": ("AWRT", "AWRT1"), "AWRT1-AWRT2": ("AWRT1", "AWRT2")}  # paper 002, figures 12 and 13


def main() -> None:
    """Write the summary and the figures."""
    parser = common.analysis_parser("ctc1024", __doc__)
    common.add_work(parser, "ctc1024")
    options = parser.parse_args()
    tables = {name: load_rows(options.results / f"{name}.csv") for name in TABLES}
    provenance = common.load_provenance(options.results)
    paper = {row["quantity"]: float(row["value"]) for row in load_rows(common.paper_file("ctc1024"))}
    lines = ["# CTC at 1024 processors", "", *opening(paper, tables)]
    lines += [*easy(paper, tables["baseline"], provenance), *front(paper, tables)]
    common.save_summary(options.results, lines)
    if not options.no_figures and (options.work / "easy").exists():
        export_figures(draw(ps.load_front(options.work / "easy"), tables["comparison"]), options.results / "figures")


def opening(paper: Mapping[str, float], tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the five sentences of the summary."""
    rows = tables["baseline"]
    columns = {name: [float(row[name]) for row in rows] for name in _names(rows[0])}
    means = [abs(100 * (statistics.mean(values) / paper[f"EASY {name}"] - 1)) for name, values in columns.items()]
    single = [abs(100 * (x / paper[f"EASY {name}"] - 1)) for name, values in columns.items() for x in values]
    runs = {row["name"]: row for row in tables["explorations"]}
    jobs = statistics.mean(int(row["jobs"]) for row in rows)
    inside = "" if max(single) <= TOLERANCE else f"; values beyond {TOLERANCE:g} % are marked below"
    return common.opening(
        "Does this suite find again what papers 000 and 002 publish about the log of CTC on a machine of 1,024 "
        "processors?",
        f"EASY, with the mean of {len(rows)} scalings, is within {max(means):.1f} % of each published value; of "
        f"{int(runs['easy']['evaluations']):,} policies {int(runs['easy']['front']):,} are left for which no other one "
        f"is at least as good in everything, in the paper {paper[NON_DOMINATED]:,.0f}.",
        f"A single one of the {len(rows)} scalings of the log is up to {max(single):.1f} % from the paper, and the "
        f"policies are of one seed{inside}.",
        f"It is not the same workload: {jobs:,.0f} jobs after scaling, in the paper "
        f"{paper['jobs after scaling']:,.0f}.",
        "Trust the simulated EASY to some per cent, and compare policies on one and the same scaled log.",
    )


def easy(paper: Mapping[str, float], rows: Sequence[Row], provenance: Mapping[str, Any]) -> list[str]:
    """Return the table of EASY and of the jobs after scaling."""
    jobs = statistics.mean(int(row["jobs"]) for row in rows)
    paper_jobs, log = paper["jobs after scaling"], provenance["jobs_in_log"]
    of_paper, of_model = paper_jobs / paper["jobs before scaling"], (1 + provenance["factor"]) / 2
    return [
        f"{len(rows)} scaling seeds ({', '.join(row['seed'] for row in rows)}); difference of the mean to the paper, "
        "largest single deviation in brackets.",
        "",
        "| quantity | paper | ours, mean | difference | verdict |",
        "| --- | ---: | ---: | ---: | --- |",
        *(_against(f"EASY {name}", paper, [float(row[name]) for row in rows]) for name in _names(rows[0])),
        f"| jobs after scaling | {paper_jobs:,.0f} | {jobs:,.0f} | {100 * (jobs / paper_jobs - 1):+.1f} % | "
        f"the papers scaled {paper['jobs before scaling']:,.0f} jobs by {of_paper:.4f}, we {log:,} that ran by "
        f"{jobs / log:.4f}; the model says {of_model:.4f} |",
        "",
    ]


def front(paper: Mapping[str, float], tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the table of the two fronts, and what is not known about the paper's."""
    both = [{row["name"]: row for row in tables["explorations"]}[name] for name in FRONTS]
    populations = {row["population"] for row in both}
    about = {"UTIL": f"about {paper[UTIL]:.0f}", "AWRT1": f"from about {paper[LEAST_AWRT1]:,.0f}"}
    spans = {(row["name"], row["objective"]): row for row in tables["spans"]}
    sizes = [f"{int(row['front']):,}" for row in both]
    lines = [
        f"| front of {int(both[0]['evaluations']):,} weighted schedules | paper 002 | with EASY | without "
        "backfilling |",
        "| --- | ---: | ---: | ---: |",
        f"| non-dominated | {paper[NON_DOMINATED]:,.0f} | {' | '.join(sizes)} |",
    ]
    for objective in dict.fromkeys(row["objective"] for row in tables["spans"]):
        ends = [spans[name, objective] for name in FRONTS]
        cells = [f"{float(row['low']):,.2f} to {float(row['high']):,.2f}" for row in ends]
        lines.append(f"| {objective} {ends[0]['unit']} | {about.get(objective, '')} | {' | '.join(cells)} |")
    times = ("wall_seconds", "kernel_seconds")
    return [
        *lines,
        *(f"| {name.replace('_', ' ')} | | {' | '.join(row[name] for row in both)} |" for name in times),
        f"| wall / (kernel / cores), at most 1.3 wanted | | {' | '.join(_ratio(row) for row in both)} |",
        "",
        f"Paper 002 does not say which backfilling, population, seed and bounds gave its {paper[NON_DOMINATED]:,.0f} "
        f"points; we ran a population of {' and '.join(populations)} and the bounds of paper 000."
        f"{shared_utilisation([spans[name, 'UTIL'] for name in FRONTS])}",
        "",
        "Figures: AWRT-AWRT1 corresponds to figure 12 of paper 002, AWRT1-AWRT2 to figure 13 (front with EASY "
        "backfilling).",
        "",
        "![figure 13](figures/AWRT1-AWRT2.png)",
    ]


def shared_utilisation(rows: Sequence[Row]) -> str:
    """Return the sentence that UTIL decides nothing, where all schedules of the fronts share it; "" where not."""
    if len({float(row[end]) for row in rows for end in ("low", "high")}) > 1:
        return ""
    return " All these schedules share their UTIL, so that it decides nothing."


def draw(front: ps.Front, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the figures of the front with EASY backfilling, with known policies."""
    marks = {
        row["policy"]: np.array([float(row[o.name]) for o in front.objectives]) for row in rows if row["policy"] != BEST
    }
    return {name: scatter(front, x, y, marks) for name, (x, y) in FIGURES.items()}


def _names(row: Row) -> list[str]:
    """Return the names of the objectives that the papers have."""
    return [name for name in row if name == "UTIL" or (name.startswith("AWRT") and name != "AWRT")]


def _ratio(row: Row) -> str:
    """Return the wall time over that of simulations on all cores, as text."""
    if not row["wall_seconds"]:
        return "done in several sessions"
    return f"{float(row['wall_seconds']) / (float(row['kernel_seconds']) / int(row['cores'])):.2f}"


def _against(quantity: str, paper: Mapping[str, float], values: list[float]) -> str:
    """Return the line of a quantity: the paper's value, our mean, the difference and a verdict."""
    of_paper = paper[quantity]
    mean = statistics.mean(values)
    largest = max((100 * (x / of_paper - 1) for x in values), key=abs)
    verdict = "agrees" if abs(largest) <= TOLERANCE else f"differs by more than {TOLERANCE:g} %"
    change = 100 * (mean / of_paper - 1)
    return f"| {quantity} | {of_paper:,.2f} | {mean:,.2f} | {change:+.2f} % ({largest:+.2f} %) | {verdict} |"


if __name__ == "__main__":
    main()
