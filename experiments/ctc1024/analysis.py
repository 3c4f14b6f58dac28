"""Set the results beside the papers' numbers: results/ctc1024/summary.md and the figures."""

from __future__ import annotations

import argparse
import json
import statistics
from pathlib import Path

import numpy as np

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.core.tables import load_rows
from paretosched.plots.fronts import scatter

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOLERANCE = 5.0  # per cent, for what EASY makes of the scaled workload
FIGURES = {"AWRT-AWRT1": ("AWRT", "AWRT1"), "AWRT1-AWRT2": ("AWRT1", "AWRT2")}  # paper 002, figures 12 and 13


def main() -> None:
    """Write the summary and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where the run directories are")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "ctc1024", help="where the results are")
    parser.add_argument("--no-figures", action="store_true", help="for machines without Chrome or Chromium")
    options = parser.parse_args()
    provenance = json.loads((options.results / "provenance.json").read_text(encoding="utf-8"))
    paper = {row["quantity"]: float(row["value"]) for row in load_rows(HERE / "paper.csv")}
    found = load_rows(options.results / "baseline.csv")
    explored = {row["name"]: row for row in load_rows(options.results / "explorations.csv")}
    lines = [
        "# CTC at 1024 processors",
        "",
        f"Five scaling seeds ({', '.join(row['seed'] for row in found)}); difference of the mean to the paper, largest "
        "single deviation in brackets.",
        "",
        "| quantity | paper | ours, mean | difference | verdict |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    lines += [_against(f"EASY {name}", paper, [float(row[name]) for row in found]) for name in _names(found[0])]
    jobs = statistics.mean(int(row["jobs"]) for row in found)
    published = paper["jobs after scaling"]
    log = provenance["jobs_in_log"]
    expected = (1 + provenance["factor"]) / 2
    lines += [
        f"| jobs after scaling | {published:,.0f} | {jobs:,.0f} | {100 * (jobs / published - 1):+.1f} % | "
        f"the papers scaled 79,302 jobs by {published / 79302:.4f}, we {log:,} that ran by {jobs / log:.4f}; "
        f"the model says {expected:.4f} |",
        "",
        "| front of 20,000 weighted schedules | paper 002 | with EASY | without backfilling |",
        "| --- | ---: | ---: | ---: |",
        f"| non-dominated | {paper['non-dominated of 20000 evaluations']:,.0f} | {int(explored['easy']['front']):,} | "
        f"{int(explored['none']['front']):,} |",
    ]
    fronts = {name: ps.load_front(options.work / name) for name in explored}
    for k, o in enumerate(fronts["easy"].objectives):
        reference = {"UTIL": "about 66", "AWRT1": "from about 50,000"}.get(o.name, "")
        spans = [f"{f.values[:, k].min():,.2f} to {f.values[:, k].max():,.2f}" for f in fronts.values()]
        lines.append(f"| {o.name} {o.unit} | {reference} | {spans[0]} | {spans[1]} |")
    both = [explored["easy"], explored["none"]]
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
    ]
    with replacing(options.results / "summary.md") as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    if not options.no_figures:
        marks = {
            row["policy"]: np.array([float(row[o.name]) for o in fronts["easy"].objectives])
            for row in load_rows(options.results / "comparison.csv")
            if row["policy"] != "best on the front"
        }
        drawn = {name: scatter(fronts["easy"], x, y, marks) for name, (x, y) in FIGURES.items()}
        ps.report.export_figures(drawn, options.results / "figures")


def _names(row: dict[str, str]) -> list[str]:
    return [name for name in row if name == "UTIL" or (name.startswith("AWRT") and name != "AWRT")]


def _ratio(row: dict[str, str]) -> str:
    if not row["wall_seconds"]:
        return "done in several sessions"
    return f"{float(row['wall_seconds']) / (float(row['kernel_seconds']) / int(row['cores'])):.2f}"


def _against(quantity: str, paper: dict[str, float], ours: list[float]) -> str:
    published = paper[quantity]
    mean = statistics.mean(ours)
    largest = max((100 * (x / published - 1) for x in ours), key=abs)
    verdict = "agrees" if abs(largest) <= TOLERANCE else f"differs by more than {TOLERANCE:g} %"
    change = 100 * (mean / published - 1)
    return f"| {quantity} | {published:,.2f} | {mean:,.2f} | {change:+.2f} % ({largest:+.2f} %) | {verdict} |"


if __name__ == "__main__":
    main()
