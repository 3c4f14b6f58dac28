"""Set the results beside paper 003: results/pgga/summary.md, and figures 3 to 6 and 10."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import settings

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.core.tables import load_rows, markdown
from paretosched.plots.style import FONT, GRID, INK, SETS

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NAMES = {"random": "Random", "fcfs": "FCFS", "list": "List", "lpt": "LPT", "tga": "TGA", "pgga": "PGGA"}
NAMES |= {"pgga-fcfs": "PGGA, FCFS in its first generation"}
NEAR = 0.1  # relative difference that agrees
EQUAL = 1 + 1e-9  # makespans that differ by less are the same sum in another order
OBJECTIVES = ("UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")
Rows = list[dict[str, str]]


def main() -> None:
    """Write the summary and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "pgga", help="where the results are")
    parser.add_argument("--no-figures", action="store_true", help="for machines without Chrome or Chromium")
    options = parser.parse_args()
    provenance = json.loads((options.results / "provenance.json").read_text(encoding="utf-8"))
    for key, value in provenance["settings"].items():  # a quick run has others
        setattr(settings, key, value)
    parts = ("surfaces", "convergence", "times", "growth", "cluster", "estimator", "estimates")
    found = {part: load_rows(options.results / f"{part}.csv") for part in parts}
    paper = {(row["source"], row["item"], row["quantity"]): row["value"] for row in load_rows(HERE / "paper.csv")}
    lines = ["# Paper 003: PGGA", "", *heading(provenance), *claims(found, paper)]
    lines += surfaces(found["surfaces"])
    lines += convergence(found["convergence"])
    lines += table1(found["times"], paper)
    lines += growth(found["growth"])
    lines += table2(found["cluster"], paper)
    lines += estimator(found["estimator"])
    lines += estimates(found["estimates"])
    lines += errata(HERE / "paper.csv")
    with replacing(options.results / "summary.md") as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    if not options.no_figures:
        drawn = draw(found["surfaces"], found["convergence"])
        ps.report.export_figures(drawn, options.results / "figures", ("png",))


def column(found: Iterable[Mapping[str, str]], key: str) -> np.ndarray:
    """Give a column as numbers, NaN where nothing stands."""
    return np.array([float(row[key] or "nan") for row in found])


def known(values: np.ndarray) -> np.ndarray:
    """Drop NaN."""
    return values[~np.isnan(values)]


def spread(values: np.ndarray, spec: str = ",.0f") -> str:
    """Write mean and standard deviation of what is known.

    >>> spread(np.array([1.0, 3.0]), ".1f")
    '2.0 ± 1.4'
    """
    numbers = known(values)
    return f"{numbers.mean():{spec}} ± {numbers.std(ddof=1) if numbers.size > 1 else 0:{spec}}"


def holds(holding: bool, partly: bool = False) -> str:
    """Word a verdict."""
    return "holds" if holding else "holds in part" if partly else "does not hold"


# --- the summary --------------------------------------------------------------------------------------------------


def heading(provenance: Mapping[str, Any]) -> list[str]:
    """Say what was run."""
    versions = ", ".join(f"{name} {version}" for name, version in provenance["versions"].items())
    quick = "**A quick run with small numbers: a test of the path, not a result.** " if provenance["quick"] else ""
    genetic = provenance["genetic"]["pgga"]
    return [
        f"{quick}Seeds {provenance['seeds'][0]} to {provenance['seeds'][-1]}; ± is one standard deviation over seeds. "
        f"{versions}, {provenance['cores']} shared cores, one used.",
        "",
        f"TGA and PGGA, where the paper says nothing: population {genetic['population']}, tournaments of "
        f"{genetic['tournament']}, one-point crossover with probability {genetic['crossover']}, mutation 1 / jobs a "
        f"gene, elite {genetic['elite']}, first generation random; PGGA throws away what is beyond the median of a "
        f"generation and stops within {100 * genetic['tolerance']:g} % of the bound, the longer of T* and the largest "
        "job on the fastest node. The third one, *PGGA, FCFS in its first generation*, is what would make the claim "
        '"always better than FCFS" true by construction; figures 3 to 6 have it for '
        f"{len(provenance['settings']['ALSO'])} seeds.",
        "",
    ]


def claims(found: Mapping[str, Rows], paper: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Check what the paper claims."""
    every = found["surfaces"]
    span = {name: column(every, name) for name in ("random", "fcfs", "list", "lpt", "tga", "pgga", "pgga-fcfs")}
    count = len(every)

    def worse(one: str, other: str) -> tuple[int, str]:
        tried = ~np.isnan(span[one])
        bad = int((span[one] > span[other] * EQUAL).sum())
        means = mean_surfaces([row for row, there in zip(every, tried, strict=True) if there], (one, other))
        cells = int((means[one] > means[other] * EQUAL).sum())
        return (
            bad,
            f"worse in {bad:,} of {tried.sum():,} tests; on average in {cells} of {means[one].size} combinations",
        )

    lines = []

    def claim(text: str, ours: str, verdict: str) -> None:
        lines.append([text, ours, verdict])

    for one, other, text in (
        ("pgga", "fcfs", "PGGA is never worse than FCFS (figure 4)"),
        ("pgga", "tga", "PGGA is never worse than TGA (figure 5)"),
        ("pgga-fcfs", "fcfs", "the same against FCFS, with FCFS in its first generation"),
        ("pgga-fcfs", "tga", "the same against TGA, with FCFS in its first generation"),
    ):
        bad, ours = worse(one, other)
        claim(text, ours, holds(bad == 0))
    bad, ours = worse("tga", "fcfs")
    claim("TGA is sometimes worse than FCFS (figure 6)", ours, holds(bad > 0))
    others = np.min([span[name] for name in ("fcfs", "tga", "pgga")], axis=0)
    least = np.max([span[name] for name in ("fcfs", "tga", "pgga")], axis=0)
    worst = int((span["random"] < least).sum())
    claim("random is the worst of the four", f"another one is worse in {worst:,} of {count:,} tests", holds(worst == 0))
    when = {name: converged(found["convergence"], name) for name in ("tga", "pgga")}
    ratio = statistics.fmean(when["pgga"]) / statistics.fmean(when["tga"])
    theirs = {
        name: float(paper["003, section 4.1.2", "convergence", f"{name.upper()} converges after"]) for name in when
    }
    claim(
        f"PGGA converges after half the iterations ({theirs['pgga']:.0f} against {theirs['tga']:.0f} or more; figure "
        "10)",
        f"{spread(np.array(when['pgga']))} against {spread(np.array(when['tga']))} of "
        f"{settings_iterations(found['convergence'])}, {ratio:.2f} times as many",
        holds(ratio <= 0.5, ratio < 0.9),
    )
    times = found["times"]
    shares = [
        column(cell, "pgga ms").sum() / column(cell, "tga ms").sum() for cell in by(times, ("jobs", "nodes")).values()
    ]
    claim(
        "PGGA takes no more time than TGA (table 1)",
        f"{min(shares):.2f} to {max(shares):.2f} times as much CPU time",
        holds(max(shares) <= 1.0, statistics.fmean(shares) <= 1.05),
    )
    below = int((span["lpt"] > others * EQUAL).sum())
    gap = 100 * (span["lpt"] / column(every, "bound") - 1)
    gaps = {name: 100 * (span[name] / column(every, "bound") - 1) for name in ("fcfs", "pgga")}
    claim(
        "(not in the paper) LPT is never worse than FCFS, TGA and PGGA",
        f"worse than the best of them in {below:,} of {count:,} tests; above the bound on average {gap.mean():.1f} %, "
        f"at most {gap.max():.1f} %, where FCFS is {gaps['fcfs'].mean():.0f} % above it and PGGA "
        f"{gaps['pgga'].mean():.0f} %",
        holds(below == 0, below < 0.05 * count),
    )
    return ["## The claims", "", *markdown(["claim", "ours", "verdict"], lines, left=3), "", *reading(span), ""]


def reading(span: Mapping[str, np.ndarray]) -> list[str]:
    """Say in words what the claims come to."""
    return [
        "200 generations of 50 are 10,000 looks at a space of nodes^jobs assignments, from random ones; a search that "
        "moves one gene in a chromosome at a time does not come near what one pass over the sorted jobs gives. The "
        "paper's claims against FCFS hold for it only where there are few jobs, or if FCFS is one of the chromosomes "
        f"it begins with. Over all tests PGGA takes {np.nanmean(span['pgga'] / span['lpt']):.2f} times as long as LPT, "
        f"and {np.nanmean(span['pgga-fcfs'] / span['lpt']):.2f} times if it begins with FCFS. Whoever has such jobs to "
        "assign should take LPT."
    ]


def by(found: Rows, keys: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    """Group rows, in the order in which they stand."""
    groups: dict[tuple[str, ...], Rows] = {}
    for row in found:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def mean_surfaces(every: Rows, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Give mean makespans over seeds, (jobs, nodes)."""
    jobs = sorted({int(row["jobs"]) for row in every})
    nodes = sorted({int(row["nodes"]) for row in every})
    cells = by(every, ("jobs", "nodes"))
    return {
        name: np.array([[np.nanmean(column(cells[str(m), str(n)], name)) for n in nodes] for m in jobs])
        for name in names
    }


def settings_iterations(found: Rows) -> int:
    """Give how long the convergence tests ran."""
    return max(int(row["iteration"]) for row in found)


def converged(found: Rows, name: str) -> list[int]:
    """Give, for every seed, the first iteration looked at whose makespan is near that at the end."""
    when = []
    for runs in by([row for row in found if row["method"] == name], ("seed",)).values():
        last = float(runs[-1]["makespan"])
        near = [int(row["iteration"]) for row in runs if float(row["makespan"]) <= last * (1 + settings.CONVERGED)]
        when.append(min(near))
    return when


def share_better(every: Rows, one: str, other: str) -> float:
    """Give the share of tests of both in which one is better."""
    first, second = column(every, one), column(every, other)
    both = ~np.isnan(first) & ~np.isnan(second)
    return float((first < second / EQUAL)[both].mean())


def surfaces(every: Rows) -> list[str]:
    """Condense figures 3 to 6."""
    jobs = sorted({int(row["jobs"]) for row in every})
    nodes = sorted({int(row["nodes"]) for row in every})
    shown_jobs = [m for m in (100, 300, 600, 900, 1200) if m in jobs] or jobs
    shown_nodes = [n for n in (50, 200, 500) if n in nodes] or nodes
    cells = by(every, ("jobs", "nodes"))
    names = ("random", "fcfs", "tga", "pgga", "pgga-fcfs", "list", "lpt")
    lines = []
    for m in shown_jobs:
        for n in shown_nodes:
            cell = cells[str(m), str(n)]
            bound = column(cell, "bound")
            arrived = sum(int(row["pgga iterations"]) < settings.ITERATIONS for row in cell)
            lines.append(
                [f"{m:,}", f"{n}", f"{bound.mean():,.0f}"]
                + [spread(column(cell, name) / bound, ".2f") for name in names]
                + [f"{arrived} of {len(cell)}"]
            )
    heads = ["jobs", "nodes", "bound", *(NAMES[name] for name in names), "PGGA arrived"]
    wins = [
        [
            NAMES[one],
            *("" if one == other else f"{100 * share_better(every, one, other):.0f} %" for other in names),
        ]
        for one in names
    ]
    ratios = [
        [NAMES[name], f"{r.mean():.3f}", f"{np.median(r):.3f}", f"{r.min():.3f}", f"{r.max():.3f}"]
        for name in names
        for r in [known(column(every, name) / column(every, "bound"))]
    ]
    return [
        "## Figures 3 to 6: makespans",
        "",
        f"All {len(jobs) * len(nodes)} combinations, makespan / bound; the surfaces are in `surfaces.csv` and in the "
        "figures.",
        "",
        *markdown(["method", "mean", "median", "least", "largest"], ratios, left=1),
        "",
        "How often the method of the row is better than that of the column:",
        "",
        *markdown(["", *(NAMES[name] for name in names)], wins, left=1),
        "",
        "Some combinations, makespan / bound, mean and spread over seeds:",
        "",
        *markdown(heads, lines, left=2),
        "",
        "Bound: the longer of T* and the largest job on the fastest node, time units, mean. PGGA arrived: within its "
        "tolerance of the bound, so that it stopped.",
        "",
    ]


def convergence(found: Rows) -> list[str]:
    """Condense figure 10."""
    last = settings_iterations(found)
    shown = [i for i in (0, 50, 100, 150, 200, 300, 400, 500) if i <= last]
    lines = []
    for name in settings.GENETIC:
        at = by([row for row in found if row["method"] == name], ("iteration",))
        present = [i for i in shown if (str(i),) in at]
        lines.append(
            [
                NAMES[name],
                *(spread(column(at[str(i),], "makespan")) for i in present),
                spread(np.array(converged(found, name))),
            ]
        )
    others = {name: column([r for r in found if r["method"] == name], "makespan") for name in ("fcfs", "lpt", "bound")}
    given = settings.CONVERGENCE
    return [
        "## Figure 10: convergence",
        "",
        f"{given['jobs']:,} jobs of {given['distinct']} different workloads on {given['nodes']} nodes; the least "
        "makespan after so many iterations. FCFS: "
        f"{spread(others['fcfs'])}; LPT: {spread(others['lpt'])}; bound: {spread(others['bound'])}.",
        "",
        *markdown(["", *(f"{i}" for i in present), "converged after"], lines, left=1),
        "",
        f"Converged: first within {100 * settings.CONVERGED:g} % of the makespan after {last} iterations, looked at "
        f"every {settings.LOOK_EVERY}. The paper's tests of 50, 100, ... iterations are one run here, looked at on the "
        "way: a shorter search with the same seed is the beginning of a longer one.",
        "",
    ]


def table1(found: Rows, paper: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Set Table 1 beside ours."""
    lines = []
    for (jobs, nodes), cell in by(found, ("jobs", "nodes")).items():
        theirs = [paper.get(("003, Table 1", f"{jobs}/{nodes}", name), "nan") for name in ("TGA", "PGGA")]
        ours = {name: column(cell, f"{name} ms") for name in ("tga", "pgga", "lpt")}
        ratio = float(theirs[1]) / float(theirs[0])
        share = ours["pgga"].sum() / ours["tga"].sum()
        lines.append(
            [
                f"{int(jobs):,}/{nodes}",
                f"{float(theirs[0]):,.0f}",
                spread(ours["tga"]),
                f"{float(theirs[1]):,.0f}",
                spread(ours["pgga"]),
                f"{ratio:.3f}",
                f"{share:.3f}",
                f"{float(theirs[0]) / ours['tga'].mean():,.0f}",
                spread(ours["lpt"], ".1f"),
            ]
        )
    heads = ["jobs/nodes", "TGA paper", "TGA ours", "PGGA paper", "PGGA ours", "PGGA / TGA paper", "ours"]
    return [
        "## Table 1: time, ms",
        "",
        *markdown([*heads, "times faster than the paper", "LPT ours"], lines, left=1),
        "",
        f"{settings.ITERATIONS} iterations. The paper: a 2.0 GHz Pentium of about 2005, wall time. Ours: CPU time of a "
        "core that others used, too, TGA and PGGA in turn; both do the same work a generation, so that they differ "
        "only where PGGA stops early. Of the time most is pymoo's keeping of books: see the next table.",
        "",
    ]


def growth(found: Rows) -> list[str]:
    """Show the cost of a generation."""
    lines = [
        [
            f"{int(r['jobs']):,}",
            f"{int(r['nodes']):,}",
            r["generation ms"],
            r["makespans ms"],
            f"{1000000.0 * float(r['makespans ms']) / 50 / int(r['jobs']):.2f}",
        ]
        for r in found
    ]
    return [
        "## The cost of a generation of 50 chromosomes",
        "",
        *markdown(["jobs", "nodes", "CPU ms a generation", "of that all makespans, ms", "ns a gene"], lines, left=0),
        "",
        "All makespans of a generation are one compiled call, linear in jobs plus nodes.",
        "",
    ]


def table2(found: Rows, paper: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Set Table 2 beside ours."""
    names = {"random": "Random", "fcfs": "FCFS", "tga": "TGA", "pgga": "PGGA"}
    lines = []
    agreeing = dict.fromkeys(names, 0)
    orders = 0
    for (jobs, nodes), cell in by(found, ("jobs", "nodes")).items():
        line = [f"{jobs}/{nodes}"]
        means = {}
        for name, title in names.items():
            theirs = float(paper["003, Table 2", f"{jobs}/{nodes}", title])
            ours = column(cell, name)
            means[name] = ours.mean()
            difference = ours.mean() / theirs - 1
            agreeing[name] += abs(difference) <= NEAR
            line.append(f"{theirs:,.0f} / {spread(ours)} ({100 * difference:+.0f} %)")
        orders += min(means, key=lambda name: means[name]) == "pgga"
        lines.append([*line, *(spread(column(cell, name)) for name in ("pgga-fcfs", "lpt", "bound"))])
    every = {name: column(found, name) for name in (*names, "lpt", "pgga-fcfs")}
    count = len(found)
    agree = ", ".join(f"{names[name]} {number}" for name, number in agreeing.items())
    worse = {one: int((every["pgga"] > every[one] * EQUAL).sum()) for one in ("random", "fcfs", "tga", "lpt")}
    verdict = holds(orders == len(lines), orders > 0)
    error = column(found, "estimator error").max()
    return [
        "## Table 2: the cluster, simulated; makespan, ms: paper / ours",
        "",
        *markdown(["jobs/nodes", *names.values(), "PGGA with FCFS, ours", "LPT, ours", "bound, ours"], lines, left=1),
        "",
        f"Not a cluster: workloads of 1 to 5 units, 250 ms a unit at 2.6 GHz, uniform, on nodes of 2.6, 2.0 and 1.6 "
        f"GHz, equally likely; {len(settings.CLUSTER_SEEDS)} seeds. Workloads were estimated as printed from runs of 1 "
        f"and of 5 units; they are proportional to the size, so that the printed line is exact (largest relative error "
        f"{error:.0e}). Within {100 * NEAR:.0f} % of the paper, of {len(lines)} tests: {agree}. PGGA has the least "
        f"mean of the paper's four in {orders} of {len(lines)} tests: {verdict}. Test by test it is worse than random "
        f"in {worse['random']}, FCFS in {worse['fcfs']}, TGA in {worse['tga']} and LPT in {worse['lpt']} of {count}.",
        "",
    ]


def estimator(found: Rows) -> list[str]:
    """Show the estimator's error."""
    keys = ("printed within %", "printed beyond %", "interpolated within %", "interpolated beyond %")
    lines = [[row["program"], row["records"], *(row[key] for key in keys)] for row in found]
    return [
        "## The workload estimator (Figure 1): mean relative error for sizes it has not seen, %",
        "",
        *markdown(
            ["workload of size d in 1..100", "records", *(key.removesuffix(" %") for key in keys)], lines, left=1
        ),
        "",
        f"{settings.UNSEEN} sizes a seed. Within: between sizes that were seen; beyond: outside of them. Printed: "
        "slope times size, right only for a workload proportional to the size; more records do not help it. "
        "Interpolated: the line through both records.",
        "",
    ]


def estimates(found: Rows) -> list[str]:
    """Show what run-time estimates are worth."""
    lines = []
    reference: Mapping[str, str] = {}
    for row in found:
        if row["estimates"] == "requested":
            reference = row
            cells = [f"{float(row['UTIL']):.2f}", *(f"{float(row[o]):,.0f}" for o in OBJECTIVES[1:] if o in row)]
            cells += [f"{float(row['mean wait s']):,.0f}", f"{float(row['mean bounded slowdown']):,.1f}"]
        else:
            cells = [f"{float(row['UTIL']) - float(reference['UTIL']):+.2f}"]
            keys = [*(o for o in OBJECTIVES[1:] if o in row), "mean wait s", "mean bounded slowdown"]
            cells += [change(row[key], reference[key]) for key in keys]
        share = [row["accuracy %"], row["too short %"], f"{float(row['corrections a job']):.2f}"]
        lines.append([row["log"], row["policy"], row["estimates"], *cells, *share])
    heads = ["log", "policy", "estimates", *OBJECTIVES, "wait", "slowdown", "accuracy", "too short", "corrections"]
    return [
        "## What run-time estimates are worth",
        "",
        *verdicts(found),
        "",
        *markdown(heads, lines, left=3),
        "",
        "Rows *requested*: UTIL in %, AWRT of all and of the five user groups in s, mean wait in s, mean bounded "
        "slowdown (10 s). Other rows: points of UTIL, and per cent against *requested*; negative is better. Accuracy: "
        "mean of the shorter of prediction and run time over the longer, %. Too short: predictions below the run time, "
        "%. Corrections: a job. Unscaled logs. recent: mean of the user's last two jobs that have ended (Tsafrir, "
        "Etsion, Feitelson 2007); predicted: Figure 1 of paper 003, corrected line, a user's run times by requested "
        "time; printed: as printed; exact: the true run times. A prediction that proves too short grows by Tsafrir's "
        "steps, to the request at most. Nobody is killed, and every job runs as long as in the log.",
        "",
    ]


def change(ours: str, theirs: str) -> str:
    """Write a relative change; nothing for a group without jobs."""
    if "nan" in (ours, theirs):
        return "-"
    return f"{100 * (float(ours) / float(theirs) - 1):+.1f} %"


def verdicts(found: Rows) -> list[str]:
    """Count in how many pairs of log and rule a source is better than the requests."""
    pairs = by(found, ("log", "policy"))
    lines = []
    keys = ("AWRT", "AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5", "mean wait s", "mean bounded slowdown")
    for source in settings.SOURCES[1:]:
        cells = []
        for key in keys:
            ratios = [
                float(got[source][key]) / float(got["requested"][key])
                for pair in pairs.values()
                for got in [{row["estimates"]: row for row in pair}]
                if got["requested"].get(key, "nan") != "nan"
            ]
            better = sum(ratio < 1 for ratio in ratios)
            cells.append(f"{better} of {len(ratios)}, {statistics.geometric_mean(ratios):.2f}" if ratios else "-")
        lines.append([source, *cells])
    return [
        "In how many of the pairs of log and rule below a source is better than the requests, and the geometric mean "
        "of the ratios to them (below 1 is better):",
        "",
        *markdown(["estimates", *(key.removesuffix(" s").removeprefix("mean ") for key in keys)], lines, left=1),
        "",
        "Perfect estimates would be worth a lot. Predictions, though mostly more accurate than requests, are not: on "
        "three of the five logs more than four in ten are too short, a reservation that rests on them is put off "
        "again and again, and the wide, long jobs that wait for one pay. AWRT weights jobs by their processor seconds "
        "and shows that; the plain mean of the bounded slowdown, which Tsafrir, Etsion and Feitelson improve, falls "
        "with EASY on four of the five logs, and so does ours (they also backfill the shortest first).",
    ]


def errata(path: Path) -> list[str]:
    """List what is odd in the paper's numbers."""
    noted = [row for row in load_rows(path) if row["errata"]]
    cells = [[row["source"], row["item"], row["quantity"], row["value"], row["errata"]] for row in noted]
    return [
        "## Notes on the paper's numbers",
        "",
        *markdown(["source", "item", "quantity", "value", "note"], cells, left=5),
    ]


# --- the figures --------------------------------------------------------------------------------------------------


def draw(every: Rows, found: Rows) -> dict[str, Any]:
    """Draw figure 3 as four surfaces, 4 to 6 as the ratio of two, and 10."""
    drawn = {"figure03": four_surfaces(every)}
    for number, one, other in ((4, "pgga", "fcfs"), (5, "pgga", "tga"), (6, "tga", "fcfs")):
        drawn[f"figure{number:02}"] = ratio(every, one, other, f"Figure {number}")
    drawn["figure04-fcfs"] = ratio(every, "pgga-fcfs", "fcfs", "Figure 4, FCFS in PGGA's first generation")
    drawn["lpt"] = ratio(every, "pgga", "lpt", "PGGA against LPT")
    drawn["figure10"] = courses(found)
    return drawn


def axes(every: Rows) -> tuple[list[int], list[int]]:
    """Give the numbers of jobs and nodes."""
    return sorted({int(row["jobs"]) for row in every}), sorted({int(row["nodes"]) for row in every})


def layout(title: str, **more: Any) -> dict[str, Any]:
    """Give what all figures share."""
    common = {"font": {"family": FONT, "size": 15, "color": INK["light"]}, "paper_bgcolor": "white"}
    place = {"text": title, "x": 0.02, "xanchor": "left", "font": {"size": 19}}
    return common | {"plot_bgcolor": "white", "title": place, "width": 1000, "height": 640} | more


def four_surfaces(every: Rows) -> Any:
    """Draw the makespans of the paper's four methods."""
    from plotly import graph_objects as go

    jobs, nodes = axes(every)
    means = mean_surfaces(every, ("random", "tga", "pgga", "fcfs"))
    figure = go.Figure()
    colours = ("#CC79A7", "#E69F00", "#0072B2", "#009E73")
    for (name, mean), colour in zip(means.items(), colours, strict=True):
        figure.add_surface(
            x=nodes, y=jobs, z=mean / 1e6, name=NAMES[name], showlegend=True, showscale=False, opacity=0.85,
            colorscale=[[0, colour], [1, colour]],
        )  # fmt: skip
    scene = {
        "xaxis": {"title": {"text": "nodes"}},
        "yaxis": {"title": {"text": "jobs"}},
        "zaxis": {"title": {"text": "million time units"}, "type": "log", "dtick": 1},
        "camera": {"eye": {"x": -1.9, "y": -1.6, "z": 0.8}, "center": {"x": 0.05, "y": 0.05, "z": -0.15}},
        "aspectratio": {"x": 1.1, "y": 1.1, "z": 1.1},
    }
    title = "Figure 3: mean makespans of the four methods"
    legend = {"x": 0.98, "y": 0.98, "xanchor": "right", "itemsizing": "constant"}
    figure.update_layout(layout(title, scene=scene, legend=legend, margin={"l": 0, "r": 0, "t": 60, "b": 10}))
    return figure


def ratio(every: Rows, one: str, other: str, title: str) -> Any:
    """Draw the ratio of two methods' mean makespans; blue where the first is better."""
    from plotly import graph_objects as go

    jobs, nodes = axes(every)
    means = mean_surfaces(every, (one, other))
    value = means[one] / means[other]
    far = max(abs(np.log2(value)).max(), 0.05)
    ticks = [t for t in (0.25, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 4) if abs(np.log2(t)) <= far]
    figure = go.Figure()
    figure.add_heatmap(
        x=nodes, y=jobs, z=np.log2(value), zmin=-far, zmax=far,
        colorscale=[[0, "#0072B2"], [0.5, "#f7f7f7"], [1, "#D55E00"]],
        text=[[f"{cell:.2f}" for cell in line] for line in value], texttemplate="%{text}", textfont={"size": 11},
        colorbar={"title": {"text": "ratio"}, "tickvals": np.log2(ticks).tolist(), "ticktext": [str(t) for t in ticks]},
    )  # fmt: skip
    first = NAMES[one].split(",")[0]
    text = f"{title}: makespan of {first} / {NAMES[other]}<br><sup>blue: {first} is better</sup>"
    figure.update_layout(
        layout(
            text,
            xaxis={"title": {"text": "nodes"}, "type": "category"},
            yaxis={"title": {"text": "jobs"}, "type": "category"},
            height=820,
        )
    )
    return figure


def courses(found: Rows) -> Any:
    """Draw the least makespan on the way, mean and spread."""
    from plotly import graph_objects as go

    figure = go.Figure()
    for name, (colour, _) in zip(settings.GENETIC, SETS, strict=False):
        at = by([row for row in found if row["method"] == name], ("iteration",))
        when = [int(key) for (key,) in at]
        values = [column(cell, "makespan") / 1e6 for cell in at.values()]
        mean = np.array([v.mean() for v in values])
        wide = np.array([v.std(ddof=1) if v.size > 1 else 0 for v in values])
        figure.add_scatter(
            x=[*when, *when[::-1]], y=[*(mean + wide), *(mean - wide)[::-1]], fill="toself", fillcolor=colour,
            opacity=0.18, line={"width": 0}, hoverinfo="skip", showlegend=False, mode="lines",
        )  # fmt: skip
        figure.add_scatter(x=when, y=mean, mode="lines", name=NAMES[name], line={"color": colour, "width": 2.5})
    last = settings_iterations(found)
    for name, dash in (("fcfs", "dash"), ("lpt", "dot")):
        level = float((column([r for r in found if r["method"] == name], "makespan") / 1e6).mean())
        line = {"color": INK["light"], "width": 1.5, "dash": dash}
        figure.add_scatter(x=[0, last], y=[level, level], mode="lines", name=NAMES[name], line=line)
    grid = {"gridcolor": GRID["light"], "zeroline": False}
    given = settings.CONVERGENCE
    figure.update_layout(
        layout(
            f"Figure 10: {given['jobs']:,} jobs on {given['nodes']} nodes; mean, spread",
            xaxis=grid | {"title": {"text": "iterations"}},
            yaxis=grid | {"title": {"text": "least makespan (million time units)"}, "rangemode": "tozero"},
            legend={"x": 0.98, "y": 0.98, "xanchor": "right", "bgcolor": "rgba(255,255,255,0.8)"},
        )
    )
    return figure


if __name__ == "__main__":
    main()
