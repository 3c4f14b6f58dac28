"""Compare the results with paper 004: results/groupopt/summary.md and its figures."""

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
from gains import IN_WORDS, OWN, Gain, Row, claims, in_other_waits, measure_of, pair_gains, printed_numbers

from paretosched.core.tables import load_rows, markdown

ABOUT = "Figures 21 and 35 are of SDSC Blue, which is not available."
KINDS = ("short", "medium", "long", "all")
PARTS = {"paper": "five seeds", "spread": "spread"} | {name: name for name in settings.LANL}
WAITS = {"wait_s": "until the first start", "wait_in_all_s": "in all"}


def main() -> None:
    """Write the summary and the figures."""
    names = ("workloads", "systems", "groups", "sizes", "open", "objectives", "classes")
    options, provenance, tables = common.read_results("groupopt", __doc__, names)
    paper = load_rows(common.paper_file("groupopt"))
    gains = claims(paper, tables["systems"])
    lines = [
        "# Paper 004: time sharing with group optimisation",
        "",
        *opening(gains, tables["objectives"]),
        *heading(provenance, tables["workloads"]),
        *verdicts(gains, printed_numbers(paper), tables),
        *workloads(paper, tables["workloads"]),
        *groups(paper, tables["groups"], "Table 7", ""),
        *groups(paper, tables["groups"], "Table 9", OWN),
        *nodes(paper, tables["groups"]),
        *times(paper, tables["systems"]),
        *classes(tables["systems"]),
        *sizes(tables["sizes"]),
        *left_open(tables["open"]),
        *positions(tables["objectives"], tables["classes"]),
        *cost(tables["groups"]),
    ]
    common.save_summary(options.results, lines)
    if not options.no_figures:
        figures = draw(gains, paper, tables)
        common.save_figures(options.results, figures, "Paper 004: time sharing with group optimisation", about=ABOUT)


def opening(gains: Sequence[Gain], objectives: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary; none if no claim can be judged."""
    over = [gain for gain in gains if gain.pair == "Opt-TSL over TSL"]
    if not over:
        return []
    verdicts = [gain.verdict for gain in gains]
    spans = [f"{gain.measure} {median(gain.gains):+.1f} %" for gain in over]
    ranges = [f"{gain.measure} {min(gain.gains):+.0f} to {max(gain.gains):+.0f} %" for gain in over]
    small = all(median(gain.gains) < max(gain.gains) - min(gain.gains) for gain in over)
    return common.opening(
        "Does group optimisation shorten the response times and slowdowns of a time-sharing scheduler as paper 004 "
        "says?",
        f"Of {len(gains)} claims of a gain we see {verdicts.count('holds')} in full and {verdicts.count('smaller')} "
        f"smaller, {verdicts.count('not seen')} not, and {verdicts.count('the contrary')} reversed; the median gains "
        f"over time sharing without it are: {', '.join(spans)}.",
        f"It was tried on {len(over[0].gains)} made-up workloads, and they differ: {', '.join(ranges)}.",
        beside_easy(objectives) or "Time sharing was not compared with EASY.",
        "Try it on your own log before you choose it"
        + (": the gain is smaller than the difference between workloads." if small else "."),
    )


def beside_easy(rows: Sequence[Row]) -> str:
    """Return by how much time sharing is slower than EASY where claims are judged, in words; empty if not compared."""
    judged = [row for row in rows if row["part"] == "spread"]
    gains = [
        {row["workload"]: float(row["AWRT_vs_easy"]) for row in judged if row["policy"] == policy}
        for policy in ("SCOJO-PECT optimised", "SCOJO-PECT")
    ]
    if not all(gains):
        return ""
    easy = (
        "Response times weighted by work (AWRT) are with group optimisation {} % {} than those of EASY, which does not "
        "share time, and {} % {} without it"
    )
    middles = (median(gain.values()) for gain in gains)
    cells = [cell for gain in middles for cell in (f"{abs(gain):.0f}", "shorter" if gain > 0 else "longer")]
    worse = sum(gains[0][workload] < gain for workload, gain in gains[1].items())
    count = len(gains[1])
    return f"{easy.format(*cells)} (medians of {count} workloads), on {worse} of them longer with it than without."


def reversed_words(gains: Sequence[Gain]) -> str:
    """Return a sentence with the claims that are reversed, for a reader who does not know the names of the pairs."""
    pairs: dict[str, list[str]] = {}
    for gain in gains:
        if gain.verdict == "the contrary":
            pairs.setdefault(gain.pair, []).append(gain.measure)
    words = [f"{' and '.join(measures)} {IN_WORDS[pair]}" for pair, measures in pairs.items()]
    return f"Reversed: {'; '.join(words)}. " if words else ""


def heading(provenance: Mapping[str, Any], rows: Sequence[Row]) -> list[str]:
    """Return the lines about the workloads and the settings."""
    quick = common.quick_remark(provenance, "on small workloads")
    jobs = {w["jobs"] for w in provenance["workloads"].values()}
    spread = sum(row["part"] == "spread" for row in rows)
    return [
        f"{quick}Workloads of the Lublin-Feitelson model, typeless, {max(jobs):,} jobs on 128 processors, generated as "
        "the paper's generator does, without carry from one arrival to the next (`--no-carry`); with carry where that "
        "is said. The paper's seeds are labels only: its generator is another program. "
        f"Claims are judged on {spread} more workloads, since five prove little. LANL: the first 10,000 jobs, with "
        "run times cut at their requests, and with requests raised to them: the machine did not cut, and Table 6 shows "
        "that the paper did not. SDSC Blue, the paper's other log, is not at hand. Settings that the paper leaves open "
        "are those of `paretosched.policies.time_sharing`; what they change is shown below.",
        "",
        "TSL is SCOJO-PECT, Opt-TSL that with group optimisation; slowdown is bounded by 600 s and rounded up. Wait "
        "is what the paper calls so (section 1): the time until the first start and that in which a job is preempted; "
        "the time until the first start alone is named. "
        f"{common.versions_text(provenance)}.",
        "",
    ]


def verdicts(gains: Sequence[Gain], numbers: int, tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section with the paper's claims, which have `numbers`, and our verdicts."""
    systems = tables["systems"]
    lines = [[gain.pair, gain.measure, f"{gain.claim:g} %", *cells(gain, systems), gain.verdict] for gain in gains]
    others = [[gain.pair, *cells(gain, systems)] for gain in in_other_waits(gains, systems)]
    heads = ["median", "lowest", "highest", "better in", "five seeds"]
    change = [
        b - a
        for a, b in zip(
            measure_of(systems, "TSL", "all", "utilisation_percent", "spread").values(),
            measure_of(systems, "Opt-TSL", "all", "utilisation_percent", "spread").values(),
            strict=True,
        )
    ]
    return [
        "## What the paper claims",
        "",
        *markdown(["what", "less", "paper", *heads, "verdict"], lines, left=2),
        "",
        "Holds: better in three of four workloads, and the median is at least the paper's. Smaller: better in as many, "
        f"but by less. The contrary: worse in three of four. {reversed_words(gains)}The {len(gains)} claims are "
        f"{numbers} numbers in the paper. Utilisation changes by {min(change):+.2f} to {max(change):+.2f} points "
        "(paper: -1 to -2).",
        "",
        "The same waits until the first start alone, without the time in which a job is preempted; that is not the "
        "paper's definition, so no claim:",
        "",
        *markdown(["wait until the first start", *heads], others, left=1),
        "",
        "![claims](figures/claims.png)",
        "",
    ]


def cells(gain: Gain, rows: Sequence[Row]) -> list[str]:
    """Return the cells of the gains: median, lowest, highest, in how many workloads it is one, and the five seeds."""
    low, *_, high = sorted(gain.gains)
    five = pair_gains(rows, gain.measure, gain.pair, "paper")
    return [
        *(f"{x:+.1f} %" for x in (median(gain.gains), low, high)),
        f"{sum(x > 0 for x in gain.gains)} of {len(gain.gains)}",
        f"{mean(five):+.1f} %" if five else "",
    ]


def value(paper: Sequence[Row], item: str, workload: str, quantity: str) -> str:
    """Return a value of the paper; empty if it has none."""
    key = (item, workload, quantity)
    return next((row["value"] for row in paper if (row["item"], row["workload"], row["quantity"]) == key), "")


def workloads(paper: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    """Return the section that compares tables 5 and 6 with ours."""
    names = [f"{what}_{kind}" for what in ("jobs", "work", "size") for kind in ("short", "medium", "long")]
    lines = []
    for row in rows:
        if row["part"] != "spread":
            lanl = row["workload"] in settings.LANL
            item, log = ("Table 6", "LANL") if lanl else ("Table 5", row["workload"])
            cells = []
            for name in (*names, "interarrival"):
                of_paper = value(paper, item, log, name)
                digits = 0 if name == "interarrival" else 1
                cells.append(f"{float(row[name] or 'nan'):.{digits}f}" + (f" ({of_paper})" if of_paper else ""))
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


def groups(paper: Sequence[Row], rows: Sequence[Row], item: str, ending: str) -> list[str]:
    """Return the section that compares the groups formed with tables 7 and 9."""
    lines = []
    for row in rows:
        if row["system"] == f"Opt-TSL{ending}" and row["part"] in ("paper", *settings.LANL):
            counts = [int(row["groups_1"]), int(row["groups_2"])]
            log = "LANL" if row["part"] in settings.LANL else row["workload"]
            of_paper = [value(paper, item, log, f"groups_{k}") for k in (1, 2)]
            jobs = int(row["jobs_1"]) + int(row["jobs_2"])
            share = f"{100 * jobs / settings.JOBS:.1f} %"
            of_paper_grouped = value(paper, item, log, "grouped")
            difference = f"{sum(counts) - sum(map(int, of_paper)):+d}" if all(of_paper) else ""
            pairs = [f"{m} ({t})" if t else str(m) for m, t in zip(counts, of_paper, strict=True)]
            lines.append(
                [row["workload"], *pairs, difference, share + (f" ({of_paper_grouped} %)" if of_paper_grouped else "")]
            )
    note = "" if not ending else " without non-type backfilling"
    return [
        f"## {item}: groups formed{note}, the paper's in brackets",
        "",
        *markdown(["workload", "medium", "long", "difference of the sum", "jobs grouped"], lines, left=1),
        "",
    ]


def nodes(paper: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    """Return the section that compares the nodes visited and pruned with Table 8."""
    lines = []
    for row in rows:
        if row["system"] == "Opt-TSL" and row["part"] == "paper":
            visits, cuts = int(row["visited_2"]), int(row["pruned_2"])
            total = visits + cuts
            if not total:
                continue
            of_paper = [value(paper, "Table 8", row["workload"], key) for key in ("nodes", "pruned")]
            of_paper_text = (
                f"{int(of_paper[0]):,}, {100 * int(of_paper[1]) / int(of_paper[0]):.0f} %" if all(of_paper) else ""
            )
            per_group = total / max(int(row["groups_1"]) + int(row["groups_2"]), 1)
            lines.append(
                [row["workload"], f"{total:,}", f"{100 * cuts / total:.0f} %", f"{per_group:,.0f}", of_paper_text]
            )
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


def times(paper: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    """Return the section that compares responses and waits of Opt-TSL with figures 24 and 28, also by class."""
    lines = []
    shown = (("Figure 28", "response_s", "response"), *(("Figure 24", key, f"wait {w}") for key, w in WAITS.items()))
    of_parts = {"paper": "mean of the seeds"} | dict.fromkeys(settings.LANL, "LANL")
    for item, measure, words in shown:
        for part, workload in of_parts.items():
            values_of_jobs = measure_of(rows, "Opt-TSL", "all", measure, part)
            kinds = [measure_of(rows, "Opt-TSL", kind, measure, part) for kind in ("short", "medium", "long")]
            if values_of_jobs:
                of_paper = float(value(paper, item, workload, "response_s" if words == "response" else "wait_in_all_s"))
                plain = mean(values_of_jobs.values())
                by_class = mean(x for kind in kinds for x in kind.values())
                name = workload if part == "paper" else part
                lines.append(
                    [item, words, name, f"{of_paper:,.0f} s", f"{plain:,.0f} s", f"{by_class:,.0f} s",
                     f"{100 * (plain / of_paper - 1):+.0f} %", f"{100 * (by_class / of_paper - 1):+.0f} %"]
                )  # fmt: skip
    heads = [
        "figure",
        "time",
        "workload",
        "paper",
        "mean of jobs",
        "mean of the three classes",
        "difference",
        "of classes",
    ]
    return [
        "## Figures 24 and 28: waits and response times of Opt-TSL",
        "",
        *markdown(heads, lines, left=3),
        "",
        "The paper's response times less its waits are longer than run times divided by shares can explain as a mean "
        "of jobs; so the table also has the mean of the three class means.",
        "",
    ]


def classes(rows: Sequence[Row]) -> list[str]:
    """Return the section with the slowdown by class and size: figures 16 to 22, 30 to 36, 40 and 41."""
    systems = ["TSL", "Opt-TSL", "Opt-TSL, first level", "bottom line"]
    systems += [f"{name}{OWN}" for name in ("TSL", "Opt-TSL", "bottom line")]
    lines = []
    for part, title in PARTS.items():
        if part == "spread":
            continue
        for kind in ("short", "medium", "long", "all"):
            for size in ("all", "narrow", "medium", "wide"):
                cells = []
                for system in systems:
                    values = [
                        x for x in measure_of(rows, system, kind, "slowdown_rounded_up", part, size).values() if x == x
                    ]
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


def sizes(rows: Sequence[Row]) -> list[str]:
    """Return the section of Figure 15."""
    lines = [
        [row["medium"], row["long"], *(f"{float(row[key]):.2f}" for key in ("slowdown_medium", "slowdown_long"))]
        for row in rows
        if row["slowdown_long"]
    ]
    best = min(rows, key=lambda row: float(row["slowdown_long"] or "inf"))
    return [
        "## Figure 15: the largest groups of medium and long jobs",
        "",
        *markdown(["medium", "long", "slowdown of medium jobs", "of long jobs"], lines, left=2),
        "",
        f"The paper found 20 medium and 30 long jobs best; on this one workload it is {best['medium']} and "
        f"{best['long']} for the long jobs. A few per cent are less than one workload differs from another.",
        "",
    ]


def left_open(rows: Sequence[Row]) -> list[str]:
    """Return the section about the settings that the paper leaves open."""
    keys = ("slowdown_medium", "slowdown_long", "response", "wait", "first_start")
    words = ("slowdown, medium", "slowdown, long", "response", "wait", "wait until the first start")
    lines = []
    for row in rows:
        values = [f"{float(row[key] or 'nan'):,.{2 if 'slow' in key else 0}f}" for key in keys]
        lines.append([row["changed"], *values, *(f"{float(row[f'gain_{key}'] or 'nan'):+.1f} %" for key in keys)])
    return [
        "## What the paper leaves open",
        "",
        *markdown(["changed", *words, *(f"gain, {word}" for word in words)], lines, left=1),
        "",
        f"Opt-TSL on seed {settings.SEEDS[0]}, and its gains over TSL with the same slices.",
        "",
    ]


def positions(rows: Sequence[Row], by_class: Sequence[Row]) -> list[str]:
    """Return the section that compares SCOJO-PECT with EASY in the seven objectives."""
    names = [key for key in rows[0] if key == "UTIL" or (key.startswith("AWRT") and not key.endswith("_vs_easy"))]
    lines = []
    for part, title in PARTS.items():
        for policy in dict.fromkeys(row["policy"] for row in rows if row["policy"] != "EASY"):
            cells = []
            for name in names:
                gains = [
                    float(row[f"{name}_vs_easy"])
                    for row in rows
                    if (row["part"], row["policy"]) == (part, policy) and row[f"{name}_vs_easy"]
                ]
                cells.append(f"{median(gains):+.1f} %" if gains else "")
            if any(cells):
                lines.append([title, policy, *cells])
    heads = ("slowdown", *(f"wait {words}, h" for words in WAITS.values()))
    return [
        "## Where time sharing stands in the seven objectives, against EASY",
        "",
        *markdown(["workloads", "policy", *names], lines, left=2),
        "",
        "Medians over the workloads, (EASY - X) / EASY: positive is better for response times, and worse for UTIL. "
        f"Greedy was trained on seed {settings.SEEDS[0]} for {settings.TRAINING['objective']}. These times are "
        "weighted by processor seconds, so that long and wide jobs decide. Means in which every job counts the same:",
        "",
        *markdown(
            ["workloads", "policy", *(f"{what}, {kind}" for what in heads for kind in KINDS)],
            of_classes(by_class),
            left=2,
        ),
        "",
        both_waits(by_class),
        "",
        "![objectives](figures/objectives.png)",
        "",
    ]


def of_classes(rows: Sequence[Row]) -> list[list[str]]:
    """Return lines with slowdowns and waits of the classes: means over the workloads of a part."""
    lines = []
    for part, title in PARTS.items():
        for policy in dict.fromkeys(row["system"] for row in rows if row["part"] == part):
            slow = [mean(measure_of(rows, policy, kind, "slowdown_rounded_up", part).values()) for kind in KINDS]
            hours = [mean_hours(rows, policy, kind, key, part) for key in WAITS for kind in KINDS]
            lines.append([title, policy, *(f"{x:.2f}" for x in (*slow, *hours))])
    return lines


def mean_hours(rows: Sequence[Row], policy: str, kind: str, key: str, part: str) -> float:
    """Return the mean of a time over the workloads of a part, h."""
    return mean(measure_of(rows, policy, kind, key, part).values()) / 3600


def both_waits(rows: Sequence[Row]) -> str:
    """Return in words how long jobs wait under SCOJO-PECT and EASY, by both definitions, on each kind of workload."""
    sentences = []
    for part, where in (("paper", "the five seeds"), ("spread", "those on which claims are judged")):
        clauses = []
        for key, words in WAITS.items():
            easy, sharing = (mean_hours(rows, policy, "all", key, part) for policy in ("EASY", "SCOJO-PECT"))
            gain = 100 * (1 - sharing / easy)
            less = "less" if gain > 0 else "more"
            clauses.append(f"{words} {sharing:.2f} h ({abs(gain):.0f} % {less} than under EASY)")
        sentences.append(f"on {where} a job of SCOJO-PECT waits {clauses[0]}, but {clauses[1]}")
    return (
        f"Which wait is meant decides what time sharing is worth: {'; '.join(sentences)}. EASY preempts no job, so "
        "that its two waits are one."
    )


def cost(rows: Sequence[Row]) -> list[str]:
    """Return the section about the cost of the simulations."""
    lines = []
    for system in settings.SYSTEMS:
        seconds = [float(row["cpu_seconds"]) for row in rows if row["system"] == system]
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
