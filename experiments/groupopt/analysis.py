"""Set the results beside paper 004: results/groupopt/summary.md and its figures."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from figures import draw
from gains import OWN, Gain, Row, claims, compared, of

from paretosched.core.tables import load_rows, markdown

ABOUT = "Figures 21 and 35 are of SDSC Blue, which is not at hand."
KINDS = ("short", "medium", "long", "all")


def main() -> None:
    """Write the summary and the figures."""
    options = common.analysis_parser("groupopt", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    paper = load_rows(common.paper_file("groupopt"))
    found = {
        name: load_rows(options.results / f"{name}.csv")
        for name in ("workloads", "systems", "groups", "sizes", "open", "objectives", "classes")
    }
    gains = claims(paper, found["systems"])
    lines = [
        "# Paper 004: time sharing with group optimisation",
        "",
        *heading(provenance, found["workloads"]),
        *verdicts(gains, found),
        *workloads(paper, found["workloads"]),
        *groups(paper, found["groups"], "Table 7", ""),
        *groups(paper, found["groups"], "Table 9", OWN),
        *nodes(paper, found["groups"]),
        *times(paper, found["systems"]),
        *classes(found["systems"]),
        *sizes(found["sizes"]),
        *left_open(found["open"]),
        *positions(found["objectives"], found["classes"]),
        *cost(found["groups"]),
    ]
    common.save_summary(options.results, lines)
    if not options.no_figures:
        drawn = draw(gains, paper, found)
        common.save_figures(options.results, drawn, "Paper 004: time sharing with group optimisation", about=ABOUT)


def heading(provenance: Mapping[str, Any], found: Sequence[Row]) -> list[str]:
    """Say what was run."""
    quick = common.quick_remark(provenance, "on small workloads")
    jobs = {w["jobs"] for w in provenance["workloads"].values()}
    spread = sum(row["part"] == "spread" for row in found)
    return [
        f"{quick}Workloads of the Lublin-Feitelson model, typeless, {max(jobs):,} jobs on 128 processors, generated as "
        "the paper's generator does, without carry from one arrival to the next (`--no-carry`); with carry where that "
        "is said. The paper's seeds are labels only: its generator is another program. "
        f"Claims are judged on {spread} more workloads, since five prove little. LANL: the first 10,000 jobs. SDSC "
        "Blue, the paper's other log, is not at hand. Settings that the paper leaves open are those of "
        "`paretosched.policies.time_sharing`; what they change is shown below.",
        "",
        "TSL is SCOJO-PECT, Opt-TSL that with group optimisation; slowdown is bounded by 600 s and rounded up. "
        f"{common.versions_text(provenance)}.",
        "",
    ]


def verdicts(gains: Sequence[Gain], found: Mapping[str, Sequence[Row]]) -> list[str]:
    """Judge the claims."""
    lines = []
    for gain in gains:
        low, *_, high = sorted(gain.found)
        five = compared(found["systems"], gain.measure, gain.pair, "paper")
        better = f"{sum(x > 0 for x in gain.found)} of {len(gain.found)}"
        lines.append(
            [
                gain.pair,
                gain.measure,
                f"{gain.claimed:g} %",
                f"{median(gain.found):+.1f} %",
                f"{low:+.1f} %",
                f"{high:+.1f} %",
                better,
                f"{mean(five):+.1f} %" if five else "",
                gain.verdict,
            ]
        )
    change = [
        b - a
        for a, b in zip(
            of(found["systems"], "TSL", "all", "utilisation_percent", "spread").values(),
            of(found["systems"], "Opt-TSL", "all", "utilisation_percent", "spread").values(),
            strict=True,
        )
    ]
    return [
        "## What the paper claims",
        "",
        *markdown(
            ["what", "less", "paper", "median", "lowest", "highest", "better in", "five seeds", "verdict"],
            lines,
            left=2,
        ),
        "",
        "Holds: better in three of four workloads, and the median is at least the paper's. Smaller: better in as many, "
        "but by less. The contrary: worse in three of four. "
        f"Utilisation changes by {min(change):+.2f} to {max(change):+.2f} points (paper: -1 to -2).",
        "",
        "![claims](figures/claims.png)",
        "",
    ]


def value(paper: Sequence[Row], item: str, workload: str, quantity: str) -> str:
    """Look up what the paper says; empty if nothing."""
    key = (item, workload, quantity)
    return next((row["value"] for row in paper if (row["item"], row["workload"], row["quantity"]) == key), "")


def workloads(paper: Sequence[Row], found: Sequence[Row]) -> list[str]:
    """Set tables 5 and 6 beside ours."""
    names = [f"{what}_{kind}" for what in ("jobs", "work", "size") for kind in ("short", "medium", "long")]
    lines = []
    for row in found:
        if row["part"] != "spread":
            item = "Table 6" if row["workload"] == "LANL" else "Table 5"
            cells = []
            for name in (*names, "interarrival"):
                theirs = value(paper, item, row["workload"], name)
                digits = 0 if name == "interarrival" else 1
                cells.append(f"{float(row[name] or 'nan'):.{digits}f}" + (f" ({theirs})" if theirs else ""))
            lines.append([row["workload"], *cells, f"{float(row['load']):.2f}"])
    heads = [
        f"{what} {kind[0].upper()}" for what in ("jobs %", "work %", "size") for kind in ("short", "medium", "long")
    ]
    return [
        "## Tables 5 and 6: the workloads, the paper's in brackets",
        "",
        *markdown(["workload", *heads, "inter-arrival s", "load"], lines, left=1),
        "",
    ]


def groups(paper: Sequence[Row], found: Sequence[Row], item: str, ending: str) -> list[str]:
    """Set the groups formed beside tables 7 and 9."""
    lines = []
    for row in found:
        if row["system"] == f"Opt-TSL{ending}" and row["part"] in ("paper", "LANL"):
            mine = [int(row["groups_1"]), int(row["groups_2"])]
            theirs = [value(paper, item, row["workload"], f"groups_{k}") for k in (1, 2)]
            jobs = int(row["jobs_1"]) + int(row["jobs_2"])
            share = f"{100 * jobs / settings.JOBS:.1f} %"
            said = value(paper, item, row["workload"], "grouped")
            difference = f"{sum(mine) - sum(map(int, theirs)):+d}" if all(theirs) else ""
            pairs = [f"{m} ({t})" if t else str(m) for m, t in zip(mine, theirs, strict=True)]
            lines.append([row["workload"], *pairs, difference, share + (f" ({said} %)" if said else "")])
    note = "" if not ending else " without non-type backfilling"
    return [
        f"## {item}: groups formed{note}, the paper's in brackets",
        "",
        *markdown(["workload", "medium", "long", "difference of the sum", "jobs grouped"], lines, left=1),
        "",
    ]


def nodes(paper: Sequence[Row], found: Sequence[Row]) -> list[str]:
    """Set the nodes visited and pruned beside Table 8."""
    lines = []
    for row in found:
        if row["system"] == "Opt-TSL" and row["part"] == "paper":
            visited, pruned = int(row["visited_2"]), int(row["pruned_2"])
            total = visited + pruned
            if not total:
                continue
            theirs = [value(paper, "Table 8", row["workload"], key) for key in ("nodes", "pruned")]
            said = f"{int(theirs[0]):,}, {100 * int(theirs[1]) / int(theirs[0]):.0f} %" if all(theirs) else ""
            each = total / max(int(row["groups_1"]) + int(row["groups_2"]), 1)
            lines.append([row["workload"], f"{total:,}", f"{100 * pruned / total:.0f} %", f"{each:,.0f}", said])
    return [
        "## Table 8: nodes of the second level's search trees",
        "",
        *markdown(["workload", "nodes", "pruned", "nodes a group", "paper: nodes, pruned"], lines, left=1),
        "",
        "Nodes: those visited and those that pruning spared. Pruning adds what the remaining jobs cost at least to the "
        "slowdown so far, and cuts against the third best schedule; the paper says neither. With and without it the "
        "schedules are equal (tests).",
        "",
    ]


def times(paper: Sequence[Row], found: Sequence[Row]) -> list[str]:
    """Set responses and waits of Opt-TSL beside figures 24 and 28, also as means of the class means."""
    lines = []
    for item, what in (("Figure 28", "response_s"), ("Figure 24", "wait_s")):
        for part, workload in (("paper", "mean of the seeds"), ("LANL", "LANL")):
            mine = of(found, "Opt-TSL", "all", what, part)
            kinds = [of(found, "Opt-TSL", kind, what, part) for kind in ("short", "medium", "long")]
            if mine:
                theirs = float(value(paper, item, workload, what))
                plain = mean(mine.values())
                by_class = mean(x for kind in kinds for x in kind.values())
                lines.append(
                    [item, workload, f"{theirs:,.0f} s", f"{plain:,.0f} s", f"{by_class:,.0f} s",
                     f"{100 * (plain / theirs - 1):+.0f} %", f"{100 * (by_class / theirs - 1):+.0f} %"]
                )  # fmt: skip
    heads = ["figure", "workload", "paper", "mean of jobs", "mean of the three classes", "difference", "of classes"]
    return [
        "## Figures 24 and 28: waits and response times of Opt-TSL",
        "",
        *markdown(heads, lines, left=2),
        "",
        "The paper's response times less its waits are longer than run times divided by shares can explain as a mean "
        "of jobs; so the mean of the three class means stands here as well.",
        "",
    ]


def classes(found: Sequence[Row]) -> list[str]:
    """Show the slowdown by class and size: figures 16 to 22, 30 to 36, 40 and 41."""
    systems = ["TSL", "Opt-TSL", "Opt-TSL, first level", "bottom line"]
    systems += [f"{name}{OWN}" for name in ("TSL", "Opt-TSL", "bottom line")]
    lines = []
    for part, title in (("paper", "five seeds"), ("LANL", "LANL")):
        for kind in ("short", "medium", "long", "all"):
            for size in ("all", "narrow", "medium", "wide"):
                cells = []
                for system in systems:
                    values = [x for x in of(found, system, kind, "slowdown_rounded_up", part, size).values() if x == x]
                    cells.append(f"{mean(values):.2f}" if values else "")
                if any(cells):
                    lines.append([title, kind, size, *cells])
    return [
        "## Figures 16 to 22, 27, 30 to 36, 40 and 41: bounded slowdown by class and size",
        "",
        *markdown(["workload", "class", "size", *systems], lines, left=3),
        "",
        "As charts, with figures 15, 23 to 26, 28, 29 and 37 to 39: `figures/index.html`, which `analysis.py` writes. "
        "The bars of the paper's carry few legible numbers. "
        f"The bottom line is our approximation of what the paper approximates: {settings.BOTTOM.permutations} "
        "permutations by DDS of all waiting jobs of the class, at every event.",
        "",
    ]


def sizes(found: Sequence[Row]) -> list[str]:
    """Show Figure 15."""
    lines = [
        [row["medium"], row["long"], *(f"{float(row[key]):.2f}" for key in ("slowdown_medium", "slowdown_long"))]
        for row in found
        if row["slowdown_long"]
    ]
    best = min(found, key=lambda row: float(row["slowdown_long"] or "inf"))
    return [
        "## Figure 15: the largest groups of medium and long jobs",
        "",
        *markdown(["medium", "long", "slowdown of medium jobs", "of long jobs"], lines, left=2),
        "",
        f"The paper found 20 medium and 30 long jobs best; on this one workload it is {best['medium']} and "
        f"{best['long']} for the long jobs. A few per cent are less than one workload differs from another.",
        "",
    ]


def left_open(found: Sequence[Row]) -> list[str]:
    """Show what the settings change that the paper leaves open."""
    keys = ("slowdown_medium", "slowdown_long", "response", "wait")
    lines = []
    for row in found:
        values = [f"{float(row[key] or 'nan'):,.{2 if 'slow' in key else 0}f}" for key in keys]
        lines.append([row["changed"], *values, *(f"{float(row[f'gain_{key}'] or 'nan'):+.1f} %" for key in keys)])
    return [
        "## What the paper leaves open",
        "",
        *markdown(["changed", *(k.replace("_", ", ") for k in keys), *(f"gain {k}" for k in keys)], lines, left=1),
        "",
        f"Opt-TSL on seed {settings.SEEDS[0]}, and its gains over TSL with the same slices.",
        "",
    ]


def positions(found: Sequence[Row], by_class: Sequence[Row]) -> list[str]:
    """Show where SCOJO-PECT stands in the seven objectives."""
    names = [key for key in found[0] if key == "UTIL" or (key.startswith("AWRT") and not key.endswith("_vs_easy"))]
    lines = []
    for part, title in (("paper", "five seeds"), ("spread", "spread"), ("LANL", "LANL")):
        for policy in dict.fromkeys(row["policy"] for row in found if row["policy"] != "EASY"):
            cells = []
            for name in names:
                gains = [
                    float(row[f"{name}_vs_easy"])
                    for row in found
                    if (row["part"], row["policy"]) == (part, policy) and row[f"{name}_vs_easy"]
                ]
                cells.append(f"{median(gains):+.1f} %" if gains else "")
            if any(cells):
                lines.append([title, policy, *cells])
    return [
        "## Where time sharing stands in the seven objectives, against EASY",
        "",
        *markdown(["workloads", "policy", *names], lines, left=2),
        "",
        "Medians over the workloads, (EASY - X) / EASY: positive is better for response times, and worse for UTIL. "
        f"Greedy was trained on seed {settings.SEEDS[0]} for {settings.TRAINING['objective']}. These times are "
        "weighted by processor seconds, so that long and wide jobs decide. What jobs alike see:",
        "",
        *markdown(
            ["workloads", "policy", *(f"{what}, {kind}" for what in ("slowdown", "wait h") for kind in KINDS)],
            of_classes(by_class),
            left=2,
        ),
        "",
        "![objectives](figures/objectives.png)",
        "",
    ]


def of_classes(found: Sequence[Row]) -> list[list[str]]:
    """List slowdowns and waits of the classes: means over the workloads of a part."""
    lines = []
    for part, title in (("paper", "five seeds"), ("spread", "spread"), ("LANL", "LANL")):
        for policy in dict.fromkeys(row["system"] for row in found if row["part"] == part):
            slow = [mean(of(found, policy, kind, "slowdown_rounded_up", part).values()) for kind in KINDS]
            wait = [mean(of(found, policy, kind, "wait_s", part).values()) / 3600 for kind in KINDS]
            lines.append([title, policy, *(f"{x:.2f}" for x in (*slow, *wait))])
    return lines


def cost(found: Sequence[Row]) -> list[str]:
    """Tell what the simulations cost."""
    lines = []
    for system in settings.SYSTEMS:
        seconds = [float(row["cpu_seconds"]) for row in found if row["system"] == system]
        lines.append([system, f"{median(seconds):.2f}", f"{max(seconds):.2f}"])
    return [
        "## What it costs",
        "",
        *markdown(["system", "CPU s a workload: median", "most"], lines, left=1),
        "",
        "On a machine that did other work as well.",
        "",
    ]


if __name__ == "__main__":
    main()
