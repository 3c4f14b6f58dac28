"""Compare the results with paper 003: results/pgga/summary.md, and figures 3 to 6 and 10."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from figures import draw
from makespans import NAMES, Rows, by, column, last_iteration, mean_surfaces

from paretosched.core.tables import load_rows, markdown

NEAR = 0.1  # relative difference up to which values agree
IN_WORDS = {"lpt": "the longest job first (LPT)"}
EQUAL = 1 + 1e-9  # makespans that differ by less are the same sum in another order


def main() -> None:
    """Write the summary and the figures."""
    parts = ("surfaces", "convergence", "times", "growth", "cluster", "sensitivity", "estimator")
    options, provenance, tables = common.read_results("pgga", __doc__, parts)
    for key, value in provenance["settings"].items():  # a quick run has others
        setattr(settings, key, value)
    paper = common.paper_values("pgga", ("source", "item", "quantity"))
    lines = ["# Paper 003: PGGA", "", *opening(tables), *heading(provenance)]
    lines += sensitivity(tables["sensitivity"]) if tables["sensitivity"] else common.not_run("sensitivity")
    lines += claims(tables, paper)
    lines += surfaces(tables["surfaces"])
    lines += convergence(tables["convergence"])
    lines += table1(tables["times"], paper)
    lines += growth(tables["growth"])
    lines += table2(tables["cluster"], paper)
    lines += estimator(tables["estimator"])
    lines += common.kept_words(options.results)[1]
    lines += errata(common.paper_file("pgga"))
    common.save_summary(options.results, lines)
    if not options.no_figures:
        figures = draw(tables["surfaces"], tables["convergence"])
        common.save_figures(options.results, figures, "Paper 003: figures 3 to 6 and 10")


def without_nan(values: np.ndarray) -> np.ndarray:
    """Return values without NaN."""
    return values[~np.isnan(values)]


def spread(values: np.ndarray, spec: str = ",.0f") -> str:
    """Return mean and standard deviation of all values but NaN, as text.

    >>> spread(np.array([1.0, 3.0]), ".1f")
    '2.0 ± 1.4'
    """
    numbers = without_nan(values)
    return f"{numbers.mean():{spec}} ± {numbers.std(ddof=1) if numbers.size > 1 else 0:{spec}}"


def holds(holding: bool, partly: bool = False) -> str:
    """Return a verdict in words."""
    return "holds" if holding else "holds in part" if partly else "does not hold"


# --- the summary --------------------------------------------------------------------------------------------------


def opening(tables: Mapping[str, Rows]) -> list[str]:
    """Return the five sentences of the summary."""
    rows = tables["surfaces"]
    span = {name: column(rows, name) for name in ("fcfs", "lpt", "tga", "pgga")}
    above = {name: 100 * (values / column(rows, "bound") - 1) for name, values in span.items()}
    worse = {name: int((span["pgga"] > span[name] * EQUAL).sum()) for name in ("fcfs", "tga")}
    better = {name: int((span["pgga"] < span[name] / EQUAL).sum()) for name in ("fcfs", "tga")}
    others = np.min([span[name] for name in ("fcfs", "tga", "pgga")], axis=0)
    lost = int((span["lpt"] > others * EQUAL).sum())
    best = min(span, key=lambda name: above[name].mean())
    name, combinations = IN_WORDS.get(best, NAMES[best]), len(by(rows, ("jobs", "nodes")))
    return common.opening(
        "Is a genetic algorithm, PGGA, the way to put independent jobs on nodes of unequal speed, as paper 003 says?",
        f"{'Yes' if best == 'pgga' else 'No'}: {name} is the best, on average {above[best].mean():.1f} % above a bound "
        f"that nothing can beat, PGGA {above['pgga'].mean():.0f} %, and first come first served "
        f"{above['fcfs'].mean():.0f} %.",
        f"There were {len(rows):,} tests, {len({row['seed'] for row in rows})} seeds of {combinations} combinations of "
        f"jobs and nodes; the longest job first was worse than the best of the others in {lost:,} of them.",
        f"PGGA is worse than first come first served in {worse['fcfs']:,} of {len(rows):,} tests, and worse than a "
        f"plain genetic algorithm in {worse['tga']:,} (better in {better['tga']:,})"
        + (f", {worth_words(tables['sensitivity'])}" if tables["sensitivity"] else "")
        + "; all jobs are there at the start and do not communicate.",
        f"Use {name} for such jobs, and no genetic algorithm unless it begins with a good assignment.",
    )


def heading(provenance: Mapping[str, Any]) -> list[str]:
    """Return the lines about the settings."""
    quick = common.quick_remark(provenance, "with small numbers")
    genetic = provenance["genetic"]["pgga"]
    return [
        f"{quick}Seeds {provenance['seeds'][0]} to {provenance['seeds'][-1]}; ± is one standard deviation over seeds. "
        f"{common.versions_text(provenance)}, {provenance['cores']} shared cores, one used.",
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


class Setting(NamedTuple):
    """A column of the table of other settings: chromosomes of a generation, and how many genes of one mutate."""

    population: int
    mutation: float


def settings_of(rows: Rows) -> tuple[list[float], list[Setting]]:
    """Return the shares that have children, the whole generation first, and the other settings that were tried."""
    keeps = sorted({float(row["keep"]) for row in rows}, reverse=True)
    populations = sorted({int(row["population"]) for row in rows})
    mutations = sorted({float(row["mutation"]) for row in rows})
    shown = [Setting(size, 1.0) for size in populations]
    return keeps, shown + [Setting(populations[0], mutation) for mutation in mutations if mutation != 1]


def shares_shorter(rows: Rows) -> dict[tuple[float, Setting], float]:
    """Return in what share of the tests truncation gives a shorter makespan than TGA, by share kept and setting."""
    cells = by(rows, ("keep", "population", "mutation"))
    keeps, shown = settings_of(rows)

    def values(keep: float, setting: Setting) -> np.ndarray:
        return column(cells[str(keep), str(setting.population), str(setting.mutation)], "above_bound")

    return {
        (keep, setting): float((values(keep, setting) < values(keeps[0], setting)).mean())
        for keep in keeps[1:]
        for setting in shown
    }


def truncation_words(rows: Rows) -> str:
    """Return with how many settings truncation is better than none, in words."""
    shares = shares_shorter(rows).values()
    return (
        f"truncation is better in more than half of the tests with {sum(share > 0.5 for share in shares)} of "
        f"{len(shares)} settings and in all of them with {sum(share == 1 for share in shares)}"
    )


def worth_words(rows: Rows) -> str:
    """Return whether settings decide if truncation helps in most tests, in words."""
    shares = shares_shorter(rows).values()
    helping = sum(share > 0.5 for share in shares)
    depends = "depending on" if 0 < helping < len(shares) else "whatever the"
    return f"{depends} settings that the paper does not give"


def sensitivity(rows: Rows) -> list[str]:
    """Return the section about other shares that have children, other populations and other mutations."""
    cells = by(rows, ("keep", "population", "mutation"))
    keeps, shown = settings_of(rows)
    shares = shares_shorter(rows)
    lines = []
    for keep in keeps:
        texts = []
        for setting in shown:
            mean = column(cells[str(keep), str(setting.population), str(setting.mutation)], "above_bound").mean()
            share = shares.get((keep, setting))
            texts.append(f"{mean:.3f}" + ("" if share is None else f" ({100 * share:.0f} %)"))
        lines.append([f"{keep:g}" + (", which is TGA" if keep == keeps[0] else ""), *texts])
    heads = [f"{size}" + ("" if mutation == 1 else f", {mutation:g} genes") for size, mutation in shown]
    tests = len(by(rows, ("jobs", "nodes", "seed")))
    sizes = ", ".join(f"{jobs} on {nodes}" for jobs, nodes in by(rows, ("jobs", "nodes")))
    return [
        "## What the truncation is worth: other settings",
        "",
        "PGGA has children of the chromosomes whose fitness is near 1 / T* (section 3.2). No makespan is below T*, so "
        "that the nearest ones are the shortest, whatever T* is: T* cancels out of the selection, and PGGA is TGA with "
        "truncation. T* matters only for when a search stops; those of this table stop at the bound itself.",
        "",
        *markdown(["share that has children", *heads], lines, left=1),
        "",
        f"Columns: chromosomes of a generation, and how many genes of one mutate where it is not 1. Makespan / bound, "
        f"mean over {tests} tests (jobs on nodes: {sizes}), each of {settings.CHROMOSOMES:,} chromosomes; in "
        f"brackets in how many of them it is shorter than TGA's. In numbers: {truncation_words(rows)}. So a verdict "
        "on PGGA against TGA is one on these settings, which the paper does not give; the next section "
        "has ours.",
        "",
    ]


def claims(tables: Mapping[str, Rows], paper: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Return the section with the paper's claims and our verdicts."""
    rows = tables["surfaces"]
    span = {name: column(rows, name) for name in ("random", "fcfs", "list", "lpt", "tga", "pgga", "pgga-fcfs")}
    count = len(rows)

    def worse(first: str, second: str) -> tuple[int, str]:
        is_run = ~np.isnan(span[first])
        bad = int((span[first] > span[second] * EQUAL).sum())
        good = int((span[first] < span[second] / EQUAL).sum())
        means = mean_surfaces([row for row, run in zip(rows, is_run, strict=True) if run], (first, second))
        cells = int((means[first] > means[second] * EQUAL).sum())
        return (
            bad,
            f"worse in {bad:,} of {is_run.sum():,} tests, better in {good:,}; on average worse in {cells} of "
            f"{means[first].size} combinations",
        )

    lines = []

    def claim(text: str, result: str, verdict: str) -> None:
        lines.append([text, result, verdict])

    for first, second, text in (
        ("pgga", "fcfs", "PGGA is never worse than FCFS (figure 4)"),
        ("pgga", "tga", "PGGA is never worse than TGA (figure 5)"),
        ("pgga-fcfs", "fcfs", "the same against FCFS, with FCFS in its first generation"),
        ("pgga-fcfs", "tga", "the same against TGA, with FCFS in its first generation"),
    ):
        bad, result = worse(first, second)
        other = tables["sensitivity"] if (first, second) == ("pgga", "tga") else []
        claim(text, result, holds(bad == 0) + (f" with these settings; {truncation_words(other)}" if other else ""))
    bad, result = worse("tga", "fcfs")
    claim("TGA is sometimes worse than FCFS (figure 6)", result, holds(bad > 0))
    others = np.min([span[name] for name in ("fcfs", "tga", "pgga")], axis=0)
    least = np.max([span[name] for name in ("fcfs", "tga", "pgga")], axis=0)
    worst = int((span["random"] < least).sum())
    claim("random is the worst of the four", f"another one is worse in {worst:,} of {count:,} tests", holds(worst == 0))
    iterations = {name: near_the_end(tables["convergence"], name) for name in ("tga", "pgga")}
    ratio = statistics.fmean(iterations["pgga"]) / statistics.fmean(iterations["tga"])
    of_paper = {
        name: float(paper["003, section 4.1.2", "convergence", f"{name.upper()} converges after"])
        for name in iterations
    }
    claim(
        f"PGGA converges after half the iterations ({of_paper['pgga']:.0f} against {of_paper['tga']:.0f} or more; "
        "figure 10)",
        f"{spread(np.array(iterations['pgga']))} against {spread(np.array(iterations['tga']))} of "
        f"{last_iteration(tables['convergence'])}, {ratio:.2f} times as many",
        holds(ratio <= 0.5, ratio < 0.9),
    )
    times = tables["times"]
    shares = [
        column(cell, "pgga ms").sum() / column(cell, "tga ms").sum() for cell in by(times, ("jobs", "nodes")).values()
    ]
    claim(
        "PGGA takes no more time than TGA (table 1)",
        f"{min(shares):.2f} to {max(shares):.2f} times as much CPU time",
        holds(max(shares) <= 1.0, statistics.fmean(shares) <= 1.05),
    )
    below = int((span["lpt"] > others * EQUAL).sum())
    gap = 100 * (span["lpt"] / column(rows, "bound") - 1)
    gaps = {name: 100 * (span[name] / column(rows, "bound") - 1) for name in ("fcfs", "pgga")}
    claim(
        "(not in the paper) LPT is never worse than FCFS, TGA and PGGA",
        f"worse than the best of them in {below:,} of {count:,} tests; above the bound on average {gap.mean():.1f} %, "
        f"at most {gap.max():.1f} %, where FCFS is {gaps['fcfs'].mean():.0f} % above it and PGGA "
        f"{gaps['pgga'].mean():.0f} %",
        holds(below == 0, below < 0.05 * count),
    )
    return ["## The claims", "", *markdown(["claim", "ours", "verdict"], lines, left=3), "", *reading(span), ""]


def reading(span: Mapping[str, np.ndarray]) -> list[str]:
    """Return the conclusion from the claims."""
    return [
        "200 generations of 50 are 10,000 looks at a space of nodes^jobs assignments, from random ones; a search that "
        "moves one gene in a chromosome at a time does not come near what one pass over the sorted jobs gives. The "
        "paper's claims against FCFS hold for it only where there are few jobs, or if FCFS is one of the chromosomes "
        f"it begins with. The makespan of PGGA is {np.nanmean(span['pgga'] / span['lpt']):.2f} times LPT's in the mean "
        f"of all tests, and {np.nanmean(span['pgga-fcfs'] / span['lpt']):.2f} times if it begins with FCFS, in the "
        f"{np.isfinite(span['pgga-fcfs']).sum():,} tests in which that was tried. For such jobs "
        "LPT is the method to use."
    ]


def near_the_end(rows: Rows, name: str) -> list[int]:
    """Return for every seed the first measured iteration whose makespan is near the last one."""
    iterations = []
    for runs in by([row for row in rows if row["method"] == name], ("seed",)).values():
        last = float(runs[-1]["makespan"])
        near = [int(row["iteration"]) for row in runs if float(row["makespan"]) <= last * (1 + settings.CONVERGED)]
        iterations.append(min(near))
    return iterations


def share_better(rows: Rows, first: str, second: str) -> float:
    """Return the share of the tests of both methods in which the first is better."""
    makespans, others = column(rows, first), column(rows, second)
    both = ~np.isnan(makespans) & ~np.isnan(others)
    return float((makespans < others / EQUAL)[both].mean())


def surfaces(rows: Rows) -> list[str]:
    """Return the section of figures 3 to 6."""
    jobs = sorted({int(row["jobs"]) for row in rows})
    nodes = sorted({int(row["nodes"]) for row in rows})
    shown_jobs = [m for m in (100, 300, 600, 900, 1200) if m in jobs] or jobs
    shown_nodes = [n for n in (50, 200, 500) if n in nodes] or nodes
    cells = by(rows, ("jobs", "nodes"))
    names = ("random", "fcfs", "tga", "pgga", "pgga-fcfs", "list", "lpt")
    lines = []
    for m in shown_jobs:
        for n in shown_nodes:
            cell = cells[str(m), str(n)]
            bound = column(cell, "bound")
            early = sum(int(row["pgga iterations"]) < settings.ITERATIONS for row in cell)
            lines.append(
                [f"{m:,}", f"{n}", f"{bound.mean():,.0f}"]
                + [spread(column(cell, name) / bound, ".2f") for name in names]
                + [f"{early} of {len(cell)}"]
            )
    heads = ["jobs", "nodes", "bound", *(NAMES[name] for name in names), "PGGA arrived"]
    wins = [
        [
            NAMES[method],
            *("" if method == other else f"{100 * share_better(rows, method, other):.0f} %" for other in names),
        ]
        for method in names
    ]
    ratios = [
        [NAMES[name], f"{r.mean():.3f}", f"{np.median(r):.3f}", f"{r.min():.3f}", f"{r.max():.3f}"]
        for name in names
        for r in [without_nan(column(rows, name) / column(rows, "bound"))]
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
        "![figure 4](figures/figure04.png)",
        "",
    ]


def convergence(rows: Rows) -> list[str]:
    """Return the section of figure 10."""
    last = last_iteration(rows)
    iterations = [i for i in (0, 50, 100, 150, 200, 300, 400, 500) if i <= last]
    lines = []
    for name in settings.GENETIC:
        at = by([row for row in rows if row["method"] == name], ("iteration",))
        present = [i for i in iterations if (str(i),) in at]
        lines.append(
            [
                NAMES[name],
                *(spread(column(at[str(i),], "makespan")) for i in present),
                spread(np.array(near_the_end(rows, name))),
            ]
        )
    others = {name: column([r for r in rows if r["method"] == name], "makespan") for name in ("fcfs", "lpt", "bound")}
    setting = settings.CONVERGENCE
    return [
        "## Figure 10: convergence",
        "",
        f"{setting['jobs']:,} jobs of {setting['distinct']} different workloads on {setting['nodes']} nodes; the least "
        "makespan after so many iterations. FCFS: "
        f"{spread(others['fcfs'])}; LPT: {spread(others['lpt'])}; bound: {spread(others['bound'])}.",
        "",
        *markdown(["", *(f"{i}" for i in present), "converged after"], lines, left=1),
        "",
        f"Converged: first within {100 * settings.CONVERGED:g} % of the makespan after {last} iterations, looked at "
        f"every {settings.LOOK_EVERY}. The paper's tests of 50, 100, ... iterations are one run here, looked at on the "
        "way: a shorter search with the same seed is the beginning of a longer one.",
        "",
        "![figure 10](figures/figure10.png)",
        "",
    ]


def table1(rows: Rows, paper: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Return the section that compares Table 1 with ours."""
    lines = []
    for (jobs, nodes), cell in by(rows, ("jobs", "nodes")).items():
        of_paper = [paper.get(("003, Table 1", f"{jobs}/{nodes}", name), "nan") for name in ("TGA", "PGGA")]
        ours = {name: column(cell, f"{name} ms") for name in ("tga", "pgga", "lpt")}
        ratio = float(of_paper[1]) / float(of_paper[0])
        share = ours["pgga"].sum() / ours["tga"].sum()
        lines.append(
            [
                f"{int(jobs):,}/{nodes}",
                f"{float(of_paper[0]):,.0f}",
                spread(ours["tga"]),
                f"{float(of_paper[1]):,.0f}",
                spread(ours["pgga"]),
                f"{ratio:.3f}",
                f"{share:.3f}",
                f"{float(of_paper[0]) / ours['tga'].mean():,.0f}",
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


def growth(rows: Rows) -> list[str]:
    """Return the section about the cost of a generation."""
    lines = [
        [
            f"{int(r['jobs']):,}",
            f"{int(r['nodes']):,}",
            r["generation ms"],
            r["makespans ms"],
            f"{1000000.0 * float(r['makespans ms']) / 50 / int(r['jobs']):.2f}",
        ]
        for r in rows
    ]
    return [
        "## The cost of a generation of 50 chromosomes",
        "",
        *markdown(["jobs", "nodes", "CPU ms a generation", "of that all makespans, ms", "ns a gene"], lines, left=0),
        "",
        "All makespans of a generation are one compiled call, linear in jobs plus nodes.",
        "",
    ]


def table2(rows: Rows, paper: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Return the section that compares Table 2 with ours."""
    names = {"random": "Random", "fcfs": "FCFS", "tga": "TGA", "pgga": "PGGA"}
    lines = []
    agreeing = dict.fromkeys(names, 0)
    orders = 0
    for (jobs, nodes), cell in by(rows, ("jobs", "nodes")).items():
        line = [f"{jobs}/{nodes}"]
        means = {}
        for name, title in names.items():
            of_paper = float(paper["003, Table 2", f"{jobs}/{nodes}", title])
            ours = column(cell, name)
            means[name] = ours.mean()
            difference = ours.mean() / of_paper - 1
            agreeing[name] += abs(difference) <= NEAR
            line.append(f"{of_paper:,.0f} / {spread(ours)} ({100 * difference:+.0f} %)")
        orders += min(means, key=lambda name: means[name]) == "pgga"
        lines.append([*line, *(spread(column(cell, name)) for name in ("pgga-fcfs", "lpt", "bound"))])
    makespans = {name: column(rows, name) for name in (*names, "lpt", "pgga-fcfs")}
    count = len(rows)
    agree = ", ".join(f"{names[name]} {number}" for name, number in agreeing.items())
    worse = {
        method: int((makespans["pgga"] > makespans[method] * EQUAL).sum())
        for method in ("random", "fcfs", "tga", "lpt")
    }
    verdict = holds(orders == len(lines), orders > 0)
    error = column(rows, "estimator error").max()
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


def estimator(rows: Rows) -> list[str]:
    """Return the section about the estimator's error."""
    keys = ("printed within %", "printed beyond %", "interpolated within %", "interpolated beyond %")
    lines = [[row["program"], row["records"], *(row[key] for key in keys)] for row in rows]
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


def errata(path: Path) -> list[str]:
    """Return the notes on the paper's numbers."""
    rows = [row for row in load_rows(path) if row["errata"]]
    cells = [[row["source"], row["item"], row["quantity"], row["value"], row["errata"]] for row in rows]
    return [
        "## Notes on the paper's numbers",
        "",
        *markdown(["source", "item", "quantity", "value", "note"], cells, left=5),
    ]


if __name__ == "__main__":
    main()
