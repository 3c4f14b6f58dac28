"""Set the results beside paper 004: results/groupopt/summary.md and its figures."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import settings

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.core.tables import load_rows, markdown
from paretosched.plots.comparisons import bars

Row = Mapping[str, str]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAPER = "paper 004"
ABOUT = "Figures 21 and 35 are of SDSC Blue, which is not at hand."
OWN = ", own jobs only"
MEASURES = {
    "slowdown of medium jobs": ("medium", "slowdown_rounded_up"),
    "slowdown of long jobs": ("long", "slowdown_rounded_up"),
    "response": ("all", "response_s"),
    "wait": ("all", "wait_s"),
}
KINDS = ("short", "medium", "long", "all")
# What is compared with what: gains of the first over the second.
PAIRS = {
    "Opt-TSL over TSL": ("Opt-TSL", "TSL"),
    "dynamic backfilling": ("Opt-TSL", "Opt-TSL, not dynamic"),
    "second level": ("Opt-TSL", "Opt-TSL, first level"),
    f"Opt-TSL over TSL{OWN}": (f"Opt-TSL{OWN}", f"TSL{OWN}"),
    "Opt-TSL over the bottom line": ("Opt-TSL", "bottom line"),
}


class Chart(NamedTuple):
    """A figure of the paper: systems side by side, by class and size on one workload or by workload."""

    number: int
    title: str
    systems: tuple[str, ...]
    measure: str
    workload: str | None = None


SLOWDOWN, RESPONSE, WAIT = "slowdown_rounded_up", "response_s", "wait_s"
LEVELS, STARTS = ("Opt-TSL, first level", "Opt-TSL"), ("Opt-TSL, not dynamic", "Opt-TSL")
BOTH, ALONE = ("TSL", "Opt-TSL"), (f"TSL{OWN}", f"Opt-TSL{OWN}")
BOTTOM, BOTTOM_ALONE = ("bottom line", "Opt-TSL"), (f"bottom line{OWN}", f"Opt-TSL{OWN}")
BY_CLASS = {16: "seed 31", 17: "seed 71", 18: "seed 73", 19: "seed 35", 20: "seed 7", 22: "LANL"}
BY_CLASS_ALONE = {30: "seed 31", 31: "seed 35", 32: "seed 71", 33: "seed 73", 34: "seed 7", 36: "LANL"}
WORST = "worst"
CHARTS = (
    *(Chart(number, f"bounded slowdown, {log}", BOTH, SLOWDOWN, log) for number, log in BY_CLASS.items()),
    Chart(23, "response", BOTH, RESPONSE),
    Chart(24, "wait", BOTH, WAIT),
    Chart(25, "wait, dynamic backfilling", STARTS, WAIT),
    Chart(26, "utilisation", BOTH, "utilisation_percent"),
    Chart(27, "bounded slowdown, second level, seed 31", LEVELS, SLOWDOWN, "seed 31"),
    Chart(28, "response, second level", LEVELS, RESPONSE),
    Chart(29, "wait, second level", LEVELS, WAIT),
    *(Chart(number, f"bounded slowdown{OWN}, {log}", ALONE, SLOWDOWN, log) for number, log in BY_CLASS_ALONE.items()),
    Chart(37, f"bounded slowdown{OWN}, the worst seed", ALONE, SLOWDOWN, WORST),
    Chart(38, f"response{OWN}", ALONE, RESPONSE),
    Chart(39, f"wait{OWN}", ALONE, WAIT),
    Chart(40, "bounded slowdown, the bottom line, seed 31", BOTTOM, SLOWDOWN, "seed 31"),
    Chart(41, f"bounded slowdown, the bottom line{OWN}, seed 31", BOTTOM_ALONE, SLOWDOWN, "seed 31"),
)
# what the axis of a measure says, and what it is divided by
UNITS = {
    SLOWDOWN: ("bounded slowdown (600 s, rounded up)", 1),
    RESPONSE: ("mean response (hours)", 3600),
    WAIT: ("mean wait (hours)", 3600),
    "utilisation_percent": ("utilisation (%)", 1),
}
PLACES = {
    "long": ("long", "all"),
    "medium": ("medium", "all"),
    "short": ("short", "all"),
    "wide": ("all", "wide"),
    "of medium width": ("all", "medium"),
    "narrow": ("all", "narrow"),
}


class Gain(NamedTuple):
    """What the paper claims, and what the workloads of the spread show, per cent less than the other."""

    measure: str
    pair: str
    claimed: float
    found: list[float]

    @property
    def verdict(self) -> str:
        """Say what becomes of the claim: its size, its sign in three of four workloads, or neither."""
        better = sum(gain > 0 for gain in self.found)
        if median(self.found) > 0 and better >= 0.75 * len(self.found):
            return "holds" if median(self.found) >= self.claimed else "smaller"
        if median(self.found) < 0 and better <= 0.25 * len(self.found):
            return "the contrary"
        return "not seen"


def main() -> None:
    """Write the summary and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "groupopt", help="where the results are")
    parser.add_argument("--no-figures", action="store_true", help="for machines without Chrome or Chromium")
    options = parser.parse_args()
    provenance = json.loads((options.results / "provenance.json").read_text(encoding="utf-8"))
    paper = load_rows(HERE / "paper.csv")
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
    with replacing(options.results / "summary.md") as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    if not options.no_figures:
        drawn = {"claims": claims_figure(gains), "objectives": objectives_figure(found["objectives"])}
        drawn["figure15"] = sizes_figure(found["sizes"])
        drawn |= {f"figure{c.number}": f for c in CHARTS if (f := chart_figure(c, paper, found["systems"])) is not None}
        captions = dict.fromkeys(drawn, "")
        ps.report.export_figures(drawn, options.results / "figures", ("png",))
        title = "Paper 004: time sharing with group optimisation"
        ps.report.write_gallery(options.results / "figures" / "index.html", title, captions, ABOUT)


def heading(provenance: Mapping[str, Any], found: Sequence[Row]) -> list[str]:
    """Say what was run."""
    versions = ", ".join(f"{name} {version}" for name, version in provenance["versions"].items())
    quick = "**A quick run on small workloads: a test of the path, not a result.** " if provenance["quick"] else ""
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
        f"{versions}.",
        "",
    ]


def of(found: Sequence[Row], system: str, kind: str, measure: str, part: str, size: str = "all") -> dict[str, float]:
    """Pick a measure of a system on every workload of a part."""
    return {
        row["workload"]: float(row[measure] or "nan")
        for row in found
        if (row["part"], row["system"], row["kind"], row["size"]) == (part, system, kind, size)
    }


def compared(found: Sequence[Row], measure: str, pair: str, part: str) -> list[float]:
    """Give the gains of a pair, per cent, a workload each."""
    kind, column = MEASURES[measure]
    one, other = (of(found, system, kind, column, part) for system in PAIRS[pair])
    gains = [100 * (1 - one[name] / other[name]) for name in one if other[name] > 0]
    return [gain for gain in gains if math.isfinite(gain)]


def claims(paper: Sequence[Row], found: Sequence[Row]) -> list[Gain]:
    """Set every claim beside the gains."""
    return [
        Gain(row["workload"], row["quantity"], float(row["value"]), gains)
        for row in paper
        if row["item"] == "claim" and (gains := compared(found, row["workload"], row["quantity"], "spread"))
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
        "As charts, with figures 15, 23 to 26, 28, 29 and 37 to 39: [figures](figures/index.html). The bars of the "
        "paper's carry few legible numbers. "
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


def chart_figure(chart: Chart, paper: Sequence[Row], found: Sequence[Row]) -> Any:
    """Draw a figure of the paper from our numbers; None if its workload was not run."""
    from plotly import graph_objects as go

    from paretosched.plots.style import template

    unit, scale = UNITS[chart.measure]
    figure = go.Figure()
    labels: list[str] = []
    for system, colour in zip(chart.systems, ("#9aa7b4", "#0072b2"), strict=True):
        values: dict[str, float] = {}
        if chart.workload is None:
            for part in ("paper", "LANL"):
                values |= of(found, system, "all", chart.measure, part)
        else:
            part = "LANL" if chart.workload == "LANL" else "paper"
            for label, (kind, size) in PLACES.items():
                each = of(found, system, kind, chart.measure, part, size)
                values[label] = max(each.values()) if chart.workload == WORST else each.get(chart.workload, math.nan)
        values = {label: x / scale for label, x in values.items() if x == x}
        labels = list(values)
        figure.add_bar(
            y=labels, x=list(values.values()), name=system, orientation="h", marker={"color": colour},
            text=[f"{x:.1f}" for x in values.values()], textposition="outside", cliponaxis=False,
        )  # fmt: skip
    if not labels:
        return None
    item = f"Figure {chart.number}"
    given = {row["workload"]: row["value"] for row in paper if (row["item"], row["quantity"]) == (item, chart.measure)}
    theirs = {label: float(given[label]) / scale for label in labels if label in given}
    if theirs:
        figure.add_scatter(
            x=list(theirs.values()), y=list(theirs), mode="markers", name=PAPER,
            marker={"symbol": "diamond", "size": 11, "color": "#d55e00"},
        )  # fmt: skip
    figure.update_layout(
        template=template(),
        title={"text": f"Figure {chart.number}: {chart.title}", "xref": "container", "x": 0.02, "xanchor": "left"},
        height=170 + 52 * len(labels),
        width=900,
        barmode="group",
        bargap=0.3,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        margin={"l": 120, "t": 110, "b": 60, "r": 60},
    )
    figure.update_xaxes(title=unit, rangemode="tozero")
    figure.update_yaxes(autorange="reversed", title="")
    return figure


def sizes_figure(found: Sequence[Row]) -> Any:
    """Draw Figure 15: slowdown against the largest groups of long jobs, a line for each of medium ones."""
    from plotly import graph_objects as go
    from plotly.subplots import make_subplots

    from paretosched.plots.style import template

    figure = make_subplots(cols=2, subplot_titles=("medium jobs", "long jobs"))
    colours = ("#9ecae1", "#4a9bd1", "#0072b2", "#08306b")
    for medium, colour in zip(
        dict.fromkeys(row["medium"] for row in found if row["slowdown_long"]), colours, strict=False
    ):
        own = [row for row in found if row["medium"] == medium and row["slowdown_long"]]
        for column, key in enumerate(("slowdown_medium", "slowdown_long"), 1):
            figure.add_trace(
                go.Scatter(
                    x=[int(row["long"]) for row in own], y=[float(row[key]) for row in own], name=f"medium: {medium}",
                    mode="lines+markers", line={"color": colour}, showlegend=column == 1,
                ),
                row=1, col=column,
            )  # fmt: skip
    figure.update_layout(
        template=template(),
        title={"text": "Figure 15: the largest groups", "xref": "container", "x": 0.02, "xanchor": "left"},
        height=460,
        width=1000,
        showlegend=True,
        legend={"x": 1.02, "y": 1, "xanchor": "left"},
        margin={"t": 110, "b": 70},
    )
    figure.update_xaxes(title="long jobs in a group, at most")
    figure.update_yaxes(title="bounded slowdown", col=1)
    return figure


def claims_figure(gains: Sequence[Gain]) -> Any:
    """Draw the gain on every workload of the spread, with the paper's claim."""
    from plotly import graph_objects as go

    from paretosched.plots.style import template

    labels = [f"{gain.pair}:<br>{gain.measure}" for gain in gains]
    figure = go.Figure()
    figure.add_scatter(
        x=[x for gain in gains for x in gain.found],
        y=[label for label, gain in zip(labels, gains, strict=True) for _ in gain.found],
        mode="markers",
        name="a workload",
        marker={"size": 7, "opacity": 0.5, "color": "#0072b2"},
    )
    figure.add_scatter(
        x=[median(gain.found) for gain in gains], y=labels, mode="markers", name="median",
        marker={"symbol": "line-ns-open", "size": 22, "color": "#0072b2", "line": {"width": 3}},
    )  # fmt: skip
    figure.add_scatter(
        x=[gain.claimed for gain in gains], y=labels, mode="markers", name=PAPER,
        marker={"symbol": "diamond", "size": 11, "color": "#d55e00"},
    )  # fmt: skip
    figure.update_layout(
        template=template(),
        title={
            "text": "What group optimisation gains, and what the paper says",
            "subtitle": {"text": "each dot is a generated workload; better: right →"},
            "xref": "container",
            "x": 0.02,
            "xanchor": "left",
        },
        height=90 + 52 * len(gains),
        width=1000,
        showlegend=True,
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": -0.09, "yanchor": "top"},
        margin={"l": 230, "t": 90, "b": 90},
    )
    figure.update_xaxes(title="less than the other (%)", zeroline=True, zerolinecolor="#888", zerolinewidth=1)
    figure.update_yaxes(autorange="reversed", title="")
    return figure


def objectives_figure(found: Sequence[Row]) -> Any:
    """Draw the objectives of SCOJO-PECT, FCFS and Greedy against EASY: medians over the five seeds."""
    names = [key for key in found[0] if key == "UTIL" or (key.startswith("AWRT") and not key.endswith("_vs_easy"))]
    policies = [p for p in dict.fromkeys(row["policy"] for row in found) if p not in ("EASY", "ideal point")]
    series = {
        policy: {
            name: median(
                float(row[f"{name}_vs_easy"] or "nan") * (-1 if name == "UTIL" else 1)
                for row in found
                if (row["part"], row["policy"]) == ("paper", policy)
            )
            for name in names
        }
        for policy in policies
    }
    return bars(
        series,
        title="Time sharing in the seven objectives, against EASY",
        subtitle="medians of five generated workloads",
        first=1,
    )


if __name__ == "__main__":
    main()
