"""Compare the results with the papers' numbers: results/ctc1024/summary.md and the figures."""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common

import paretosched as ps
from paretosched.comparison.comparison import BEST
from paretosched.core.tables import load_rows
from paretosched.plots.fronts import scatter
from paretosched.report import export_figures

TOLERANCE = 5.0  # per cent, for the objectives of EASY on the scaled workload
FIGURES = {"AWRT-AWRT1": ("AWRT", "AWRT1"), "AWRT1-AWRT2": ("AWRT1", "AWRT2")}  # paper 002, figures 12 and 13


def main() -> None:
    """Write the summary and the figures."""
    parser = common.analysis_parser("ctc1024", __doc__)
    common.add_work(parser, "ctc1024")
    options = parser.parse_args()
    provenance = common.load_provenance(options.results)
    paper = {row["quantity"]: float(row["value"]) for row in load_rows(common.paper_file("ctc1024"))}
    rows = load_rows(options.results / "baseline.csv")
    runs = {row["name"]: row for row in load_rows(options.results / "explorations.csv")}
    lines = [
        "# CTC at 1024 processors",
        "",
        f"Five scaling seeds ({', '.join(row['seed'] for row in rows)}); difference of the mean to the paper, largest "
        "single deviation in brackets.",
        "",
        "| quantity | paper | ours, mean | difference | verdict |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    lines += [_against(f"EASY {name}", paper, [float(row[name]) for row in rows]) for name in _names(rows[0])]
    jobs = statistics.mean(int(row["jobs"]) for row in rows)
    paper_jobs = paper["jobs after scaling"]
    log = provenance["jobs_in_log"]
    ratio = (1 + provenance["factor"]) / 2
    lines += [
        f"| jobs after scaling | {paper_jobs:,.0f} | {jobs:,.0f} | {100 * (jobs / paper_jobs - 1):+.1f} % | "
        f"the papers scaled 79,302 jobs by {paper_jobs / 79302:.4f}, we {log:,} that ran by {jobs / log:.4f}; "
        f"the model says {ratio:.4f} |",
        "",
        "| front of 20,000 weighted schedules | paper 002 | with EASY | without backfilling |",
        "| --- | ---: | ---: | ---: |",
        f"| non-dominated | {paper['non-dominated of 20000 evaluations']:,.0f} | {int(runs['easy']['front']):,} | "
        f"{int(runs['none']['front']):,} |",
    ]
    fronts = {name: ps.load_front(options.work / name) for name in runs}
    for k, o in enumerate(fronts["easy"].objectives):
        reference = {"UTIL": "about 66", "AWRT1": "from about 50,000"}.get(o.name, "")
        spans = [f"{f.values[:, k].min():,.2f} to {f.values[:, k].max():,.2f}" for f in fronts.values()]
        lines.append(f"| {o.name} {o.unit} | {reference} | {spans[0]} | {spans[1]} |")
    both = [runs["easy"], runs["none"]]
    for name in ("wall_seconds", "kernel_seconds"):
        lines.append(f"| {name.replace('_', ' ')} | | {' | '.join(row[name] for row in both)} |")
    ratios = [_ratio(row) for row in both]
    lines.append(f"| wall / (kernel / cores), at most 1.3 wanted | | {' | '.join(ratios)} |")
    lines += [
        "",
        "Paper 002 does not say which backfilling, population, seed and bounds gave its 12,832 points; we ran a "
        "population of 100 and the bounds of paper 000.",
        "",
        "Figures: AWRT-AWRT1 corresponds to figure 12 of paper 002, AWRT1-AWRT2 to figure 13 (front with EASY "
        "backfilling).",
        "",
        "![figure 13](figures/AWRT1-AWRT2.png)",
    ]
    common.save_summary(options.results, lines)
    if not options.no_figures:
        marks = {
            row["policy"]: np.array([float(row[o.name]) for o in fronts["easy"].objectives])
            for row in load_rows(options.results / "comparison.csv")
            if row["policy"] != BEST
        }
        figures = {name: scatter(fronts["easy"], x, y, marks) for name, (x, y) in FIGURES.items()}
        export_figures(figures, options.results / "figures")


def _names(row: dict[str, str]) -> list[str]:
    """Return the names of the objectives that the papers have."""
    return [name for name in row if name == "UTIL" or (name.startswith("AWRT") and name != "AWRT")]


def _ratio(row: dict[str, str]) -> str:
    """Return the wall time over that of simulations on all cores, as text."""
    if not row["wall_seconds"]:
        return "done in several sessions"
    return f"{float(row['wall_seconds']) / (float(row['kernel_seconds']) / int(row['cores'])):.2f}"


def _against(quantity: str, paper: dict[str, float], values: list[float]) -> str:
    """Return the line of a quantity: the paper's value, our mean, the difference and a verdict."""
    of_paper = paper[quantity]
    mean = statistics.mean(values)
    largest = max((100 * (x / of_paper - 1) for x in values), key=abs)
    verdict = "agrees" if abs(largest) <= TOLERANCE else f"differs by more than {TOLERANCE:g} %"
    change = 100 * (mean / of_paper - 1)
    return f"| {quantity} | {of_paper:,.2f} | {mean:,.2f} | {change:+.2f} % ({largest:+.2f} %) | {verdict} |"


if __name__ == "__main__":
    main()
