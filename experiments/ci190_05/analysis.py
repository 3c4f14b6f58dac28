"""Compare the results with paper 002: results/ci190_05/summary.md and figures 6 to 16."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import contributions
import seeds
import settings

import paretosched as ps
from paretosched.core.tables import markdown
from paretosched.fronts.quality_indicators import REACH, Course
from paretosched.plots.fronts import clouds, courses
from paretosched.report import write_figures
from paretosched.search.plans import SUMMARIES
from paretosched.search.runs import read_values

FEW = 10  # points, fewer than an archive in seven objectives can have
NEAR, SIMILAR = 0.1, 2.0  # relative difference up to which numbers agree; factor up to which they are of one size

# Number of the paper's figure: the sets drawn, the objectives, and whether response times are on logarithmic axes.
FIGURES: dict[int, tuple[str, str, str, bool]] = {
    6: ("searched", "UTIL", "AWRT", False),
    7: ("searched", "AWRT", "AWRT1", False),
    8: ("searched", "AWRT1", "AWRT2", False),
    9: ("starts", "UTIL", "AWRT", False),
    10: ("starts", "AWRT", "AWRT1", True),
    11: ("starts", "AWRT1", "AWRT2", True),
    12: ("weighting", "AWRT", "AWRT1", False),
    13: ("weighting", "AWRT1", "AWRT2", False),
    14: ("final", "UTIL", "AWRT", True),
    15: ("final", "AWRT", "AWRT1", True),
    16: ("final", "AWRT1", "AWRT2", True),
}
PARTS = ("table4", "seeds", "workloads", "raised")
TITLE = "Paper 002, figures 6 to 16: CTC"
WHAT = {
    "searched": "the non-dominated schedules of the NSGA and of the NSGA-II rows, sequences of the whole workload",
    "starts": "all start solutions: the weak orders of the groups, applied to the whole workload and to the queue",
    "weighting": "the front of the real-value coded search",
    "final": "the final solution, by what found it",
}


Rule = Callable[[float, float], bool]
Rows = Sequence[Mapping[str, str]]


def within(distance: float) -> Rule:
    """Return the rule that our value is at most this far from the paper's."""
    return lambda of_paper, value: abs(value - of_paper) <= distance


def at_least(of_paper: float, value: float) -> bool:
    """Return whether our value is at least the paper's."""
    return value >= of_paper


# The claim; item and quantity of the paper's number in paper.csv; our column; the rule by which it holds; a word.
CLAIMS: tuple[tuple[str, str, str, str, Rule, str], ...] = (
    ("starts: lowest UTIL, %", "starts", "UTIL lowest", "UTIL low", within(3), "about"),
    ("starts: highest UTIL, %", "starts", "UTIL highest", "UTIL high", within(1.5), "about"),
    ("starts: highest / lowest AWRT", "starts", "AWRT highest / lowest, at least", "AWRT ratio", at_least, "at least"),
    ("NSGA, random: highest UTIL, %", "nsga-random", "UTIL highest", "evaluated_UTIL_high", within(3), "about"),
    (
        "NSGA, random: highest UTIL from the first submission, %",
        "nsga-random",
        "UTIL highest",
        "submitted_UTIL_high",
        within(3),
        "about",
    ),
    ("all NSGA-II: lowest UTIL, %", "nsga2", "UTIL lowest", "UTIL_low", within(1.5), ""),
    ("all NSGA-II: highest UTIL, %", "nsga2", "UTIL highest", "UTIL_high", within(1.5), ""),
    ("real value coded: lowest UTIL, %", "weighting", "UTIL", "UTIL_low", within(1.5), "about"),
    ("real value coded: highest UTIL, %", "weighting", "UTIL", "UTIL_high", within(1.5), "about"),
    ("real value coded: lowest AWRT1, s", "weighting", "AWRT1 lowest", "AWRT1_low", within(2_500), "about"),
    ("real value coded: points", "weighting", "NoS, about", "front", within(1_300), "about"),
    ("final: points", "final", "NoS, about", "front", within(1_400), "about"),
    ("final: lowest UTIL, %", "final", "UTIL lowest", "UTIL_low", within(3), "about"),
    ("final: highest UTIL, %", "final", "UTIL highest", "UTIL_high", within(1.5), "about"),
)


def main() -> None:
    """Write the summary and the figures."""
    parser = common.analysis_parser("ci190_05", __doc__)
    common.add_work(parser, "ci190_05")
    options = parser.parse_args()
    provenance = common.load_provenance(options.results)
    paper = common.paper_values("ci190_05")
    tables = {name: common.rows(options.results / f"{name}.csv") for name in PARTS}
    others = [*tables["workloads"], *tables["raised"]]
    words, sections = common.kept_words(options.results)
    lines = ["# Paper 002 (report CI-190/05): the Pareto fronts", ""]
    lines += [
        *(opening(paper, tables, provenance["jobs"], words) if tables["table4"] else []),
        *heading(provenance, [row["workload"] for row in others], volume_of_weighting(tables["table4"], words)),
    ]
    if tables["table4"]:
        lines += table4(paper, tables["table4"])
        lines += contributions.section(tables["table4"])
        lines += claims(paper, tables["table4"])
    if tables["seeds"]:
        of_seeds = seeds.by_seed(tables["table4"], tables["seeds"])
        verdicts = {seed: judgements(paper, rows) for seed, rows in of_seeds.items()}
        lines += seeds.section(of_seeds, verdicts, paper)
    lines += sections
    if tables["workloads"]:
        lines += workloads(paper, others)
    lines += errata(common.paper_file("ci190_05"))
    common.save_summary(options.results, lines)
    place = options.work / "CTC"
    if not place.exists():
        print(f"\nno figures: run.py makes the fronts, but there is no {place}")
    elif tables["table4"]:
        figures, captions = draw(place, options.results)
        write_figures(options.results / "figures.html", TITLE, figures, captions)
        if not options.no_figures:
            about = "To zoom in and to read single points, open figures.html in the folder above."
            common.save_figures(options.results, figures, TITLE, captions, about)


# --- the summary --------------------------------------------------------------------------------------------------


def opening(
    paper: Mapping[tuple[str, str], str], tables: Mapping[str, Rows], jobs: int, kept: Mapping[str, str]
) -> list[str]:
    """Return the five sentences of the summary; `jobs` is of the whole log, `kept` the words of earlier parts."""
    rows = {row["row"]: row for row in tables["table4"]}
    final, weighting = rows["final"], rows["weighting"]
    same = [row for row in rows if (row, "NoS") in paper and of_row(paper, rows[row]) == "agrees"]
    of_seeds = [judgements(paper, of_seed) for of_seed in seeds.by_seed(tables["table4"], tables["seeds"]).values()]
    held = [sum(line[-1] == "holds" for line in lines) for lines in zip(*of_seeds, strict=True)]
    times = len(of_seeds)
    share = int(weighting["in_final"]) / int(final["front"])
    cost = float(weighting["kernel_seconds"]) / float(final["kernel_seconds"])
    compared = sum((row, "NoS") in paper for row in rows)
    fails = [
        f"The number of schedules is not within {100 * NEAR:.0f} % of the paper's in {compared - len(same)} of "
        f"{compared} rows of its table",
        *(words for what, words in kept.items() if what == "fails"),
    ]
    return common.opening(
        "Which schedules are possible for the log of CTC, and does the search of paper 002 give the paper's numbers at "
        "the paper's budget?",
        f"Of {int(final['evaluations']):,} schedules {int(final['front']):,} are left for which no other one is at "
        f"least as good in everything (paper: {float(paper['final', 'NoS']):,.0f}), and of {len(held)} claims of the "
        f"paper {held.count(times)} hold"
        + (f" with each of {times} seeds, and {held.count(0)} with none." if times > 1 else "."),
        (
            f"The paper's table was run with {times} seeds"
            if times > 1
            else "Each row of the paper's table is of one seed"
        )
        + (f", each with all {jobs:,} jobs; {kept['sure']}." if kept else "."),
        f"{'; '.join(fails)}.",
        f"{orders_words(rows)}, and explore policies (the weighting), which give {100 * share:.0f} % of the "
        f"{int(final['front']):,} for {100 * cost:.0f} % of the CPU time, and which a machine can run.",
    )


def orders_words(rows: Mapping[str, Mapping[str, str]]) -> str:
    """Return how much of the owner's box the orders of the queue cover, beside the search of weightings."""
    orders, weighting = rows["queue-permutation"], rows["weighting"]
    volumes = [100 * float(row["hypervolume"]) for row in (orders, weighting, rows["final"])]
    seconds = [float(row["kernel_seconds"]) for row in (orders, weighting)]
    return (
        f"{'Begin with' if volumes[0] >= volumes[1] else 'Do not stop at'} the {int(orders['front'])} orders of the "
        f"user groups, which in {seconds[0]:.0f} CPU s reach {volumes[0]:.1f} % of what an owner may ask for (a search "
        f"of policies {volumes[1]:.1f} % in {seconds[1]:.0f} s, all together {volumes[2]:.1f} %)"
    )


def volume_of_weighting(rows: Rows, kept: Mapping[str, str]) -> str:
    """Return the hypervolume of the front of weightings, in words, with that in tables of earlier parts."""
    volumes = [float(row["hypervolume"]) for row in rows if row["row"] == "weighting"]
    return "".join(f"{volume:.3f} in what contributed what{kept.get('volumes', '')}" for volume in volumes)


def heading(provenance: Mapping[str, Any], others: Sequence[str], volumes: str) -> list[str]:
    """Return the lines about the workload, the logs of the other workloads, and the measures.

    Parameters
    ----------
    provenance
        What the results depend on.
    others
        The names of the other workloads.
    volumes
        How much of its box one and the same front has in some tables, in words.
    """
    quick = common.quick_remark(provenance, "on a made-up workload")
    return [
        f"{quick}CTC scaled to {provenance['processors']:,} processors (seed {provenance['scaling_seed']}): "
        f"{provenance['jobs']:,} jobs, digest `{provenance['digest'][:12]}`. {provenance['workers']} worker processes "
        f"on {provenance['cores']} cores; {common.versions_text(provenance)}. "
        f"{common.cut_remark(provenance, ['CTC', *others])}".rstrip(),
        "",
        f"Hypervolume: share of a box that is dominated, by {provenance['hypervolume_method']}; its error is measured "
        "against the exact one on at most 100 points of the same front. Where no other box is named, it is the "
        f"owner's: from the best found (0) to {REACH:g} times EASY's response time in every group (1). The best found "
        "is that of the runs of a table, so that numbers of two tables cannot be set against each other"
        + (f": the front of the weighting has {volumes}." if volumes else "."),
        "",
    ]


def verdict(of_paper: float, value: float) -> str:
    """Return a verdict on our number against the paper's.

    >>> verdict(100, 108), verdict(100, 190), verdict(100, 300), verdict(0, 0)
    ('agrees', 'of one size', 'differs', 'agrees')
    """
    if abs(value - of_paper) <= NEAR * abs(of_paper):
        return "agrees"
    if of_paper > 0 and 1 / SIMILAR <= value / of_paper <= SIMILAR:
        return "of one size"
    return "differs"


def table4(paper: Mapping[tuple[str, str], str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section that compares Table 4 with ours."""
    by_name = {row["row"]: row for row in rows}
    items = [item for item, quantity in paper if quantity == "NoS"]
    counts = {item: tuple(int(float(paper[item, key])) for key in ("NoS", "FC")) for item in items}
    few = " and ".join(f"{front} of {calls:,}" for front, calls in dict.fromkeys(counts.values()) if front < FEW)
    header = ("representation", "algorithm", "mutation", "adaptation", "recombination", "StS")
    lines = []
    for item in items:
        row = by_name[item]
        of_paper = {key: float(paper[item, key]) for key in ("NoS", "FC")}
        front, calls = int(row["front"]), int(row["evaluations"])
        quantities = ("Representation", "Algorithm", "Mutation", "Adaptation", "Recombination", "StS")
        lines.append(
            [
                *(paper[item, quantity] for quantity in quantities),
                f"{of_paper['FC']:,.0f}",
                f"{calls:,}",
                f"{of_paper['NoS']:,.0f}",
                f"{front:,}",
                f"{int(row['front_without_starts']):,}",
                f"{100 * (front / of_paper['NoS'] - 1):+.0f} %",
                verdict(of_paper["NoS"], front),
                f"{float(row['wall_seconds']):,.0f}",
                f"{float(row['kernel_seconds']):,.0f}",
            ]
        )
    heads = [
        *header,
        "FC paper",
        "FC ours",
        "NoS paper",
        "NoS ours",
        "without starts",
        "difference",
        "verdict",
        "wall s",
        "kernel s",
    ]
    return [
        "## Table 4",
        "",
        *markdown(heads, lines, left=5),
        "",
        "FC: function calls, schedules generated; NoS: non-dominated solutions among them, and without the start "
        "schedules; StS: start schedules; MJL, "
        f"MJN: mutation jump length and number. Agrees: within {100 * NEAR:.0f} %; of one size: within a factor of "
        f"{SIMILAR:g}. Seconds: this run, with what else the machine had to do; kernel: CPU time of the simulations.",
        "",
        "The sequence rows differ because ours count what is non-dominated among everything that was evaluated, and in "
        "seven objectives hardly any two sequences dominate each other; which set the paper counted is not said "
        f"(its {few} can hardly be such an archive).",
        "",
    ]


def of_row(paper: Mapping[tuple[str, str], str], row: Mapping[str, str]) -> str:
    """Return the verdict on the size of a row's front."""
    return verdict(float(paper[row["row"], "NoS"]), int(row["front"]))


def judgements(paper: Mapping[tuple[str, str], str], rows: Sequence[Mapping[str, str]]) -> list[list[str]]:
    """Return the claims of section 4.3: the claim, the paper's number, ours, and whether it holds."""
    by_name: dict[str, Mapping[str, Any]] = {row["row"]: row for row in rows}
    starts = [by_name["workload-permutation"], by_name["queue-permutation"]]
    low = {key: min(float(row[f"evaluated_{key}_low"]) for row in starts) for key in ("UTIL", "AWRT")}
    high = {key: max(float(row[f"evaluated_{key}_high"]) for row in starts) for key in ("UTIL", "AWRT")}
    by_name["starts"] = {"UTIL low": low["UTIL"], "UTIL high": high["UTIL"], "AWRT ratio": high["AWRT"] / low["AWRT"]}
    lines = []
    for title, item, quantity, key, holds, word in CLAIMS:
        of_paper, value = float(paper[item, quantity]), float(by_name[item][key])
        judgement = "holds" if holds(of_paper, value) else "does not hold"
        lines.append([title, f"{word} {of_paper:,g}".strip(), f"{value:,.2f}", judgement])
    nsga2 = next(summary.rows for summary in SUMMARIES if summary.name == "nsga2")
    sizes = {row: int(by_name[row]["front"]) for row in ("nsga", *nsga2, "nsga2", "weighting")}
    words = {
        "NSGA-II finds more than NSGA": sizes["nsga2"] > sizes["nsga"],
        "every modification of NSGA-II finds more": sizes["nsga2-swap"] < sizes["nsga2-later"] < sizes["nsga2-group"],
        "the real value coding finds most": sizes["weighting"] > 10 * max(sizes[row] for row in nsga2),
    }
    return [*lines, *([title, "", "", "holds" if holds else "does not hold"] for title, holds in words.items())]


def claims(paper: Mapping[tuple[str, str], str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section about the claims of section 4.3."""
    by_name = {row["row"]: row for row in rows}
    lines = judgements(paper, rows)

    def util_of(row: str, end: str) -> str:
        return f"{float(by_name[row][f'submitted_UTIL_{end}']):.1f}"

    return [
        "## What section 4.3 says",
        "",
        *markdown(["claim", "paper", "ours", "verdict"], lines, left=1),
        "",
        f"{sum(line[-1] == 'holds' for line in lines)} of {len(lines)} claims hold.",
        "",
        "UTIL is measured from the first start to the last completion, as in papers 000 and 001. A sequence may let "
        "the machine wait for most of the trace and then fill it; so ours reach more than the trace offers. From the "
        f"first submission on, the search from random sequences ends at {util_of('nsga-random', 'high')} %, and the "
        f"front with moves by groups has {util_of('nsga2-group', 'low')} to {util_of('nsga2-group', 'high')} %: "
        "that is what the paper reports, so its utilisation seems to begin with the first submission.",
        "",
    ]


def workloads(paper: Mapping[tuple[str, str], str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section about the other workloads; in NASA hardly any job waits."""
    lines = []
    for row in rows:
        least, easy = float(row["AWRT_without_waiting"]), float(row["easy_AWRT"])
        span = float(row["weighting_AWRT_high"]) / float(row["weighting_AWRT_low"]) - 1
        lines.append(
            [
                row["workload"],
                f"{float(paper[row['workload'].split(',')[0], 'jobs after scaling']):,.0f}",
                f"{int(row['jobs']):,}",
                f"{int(row['evaluations']):,}",
                f"{int(row['front']):,}",
                f"{float(row['UTIL_low']):.1f} to {float(row['UTIL_high']):.1f}",
                f"{float(row['fcfs_waiting_percent']):.2f} %",
                f"{float(row['easy_waiting_percent']):.2f} %",
                f"{100 * (easy / least - 1):.2f} %",
                f"{100 * span:.2f} %",
            ]
        )
    heads = [
        "workload",
        "jobs, paper",
        "jobs, ours",
        "evaluations",
        "points",
        "UTIL %",
        "wait with FCFS",
        "wait with EASY",
        "EASY above no waiting",
        "span of the weighting front",
    ]
    words = [
        "Wait: part of the jobs that do not start at once. Above no waiting: AWRT of EASY over that of a machine "
        "without limits, which no schedule can beat. Span: how much the worst AWRT of the weighting "
        "front is above its best.",
        "",
    ]
    nasa = next((row for row in rows if row["workload"] == "NASA"), None)
    if nasa:
        waiting = float(nasa["easy_waiting_percent"])
        room = 100 * (1 - float(nasa["AWRT_without_waiting"]) / float(nasa["easy_AWRT"]))
        others = [float(row["easy_waiting_percent"]) for row in rows if row is not nasa]
        holds = waiting < 1 < min(others, default=100.0)
        words += [
            f'NASA, where the paper says that "nearly no job ever waits" and "a reordering of the jobs is not '
            f'meaningful": with EASY {waiting:.2f} % of the jobs wait, and no order of them could shorten AWRT by more '
            f"than {room:.2f} %: {'this holds' if holds else 'this does not hold'}.",
            "",
        ]
    table = markdown(heads, lines, left=1)
    return ["## The other workloads", "", *table, "", *words]


def errata(path: Path) -> list[str]:
    """Return the section of misprints and contradictions in the paper."""
    notes = dict.fromkeys((row["source"], row["quantity"], row["value"], row["errata"]) for row in common.rows(path))
    lines = [[f"{s}: {q}", value, note] for s, q, value, note in notes if note]
    return ["## ERRATA of the paper", "", *markdown(["where", "paper", "note"], lines, left=3)]


# --- the figures --------------------------------------------------------------------------------------------------


def draw(place: Path, results: Path) -> tuple[dict[str, Any], dict[str, str]]:
    """Return figures 6 to 16 of the paper and the courses of the runs, and captions, by name."""
    fronts = {name: ps.load_front(place / name) for kind in settings.KINDS.values() for name in kind}
    final = ps.merge(list(fronts.values()))
    by_summary = {s.name: ps.merge([fronts[name] for name in s.rows]).values for s in SUMMARIES if s.name != "final"}
    source = np.array([final.origins[origin].name for origin in final.origin])
    sets = {
        "searched": {"NSGA": by_summary["nsga"], "NSGA-II": by_summary["nsga2"]},
        "starts": {
            "Workload": read_values(place / "workload-permutation")[0],
            "Waiting queue": read_values(place / "queue-permutation")[0],
        },
        "weighting": {"Real value coded": fronts["weighting"].values},
        "final": {kind: final.values[np.isin(source, names)] for kind, names in settings.KINDS.items()},
    }
    names = {o.name for o in final.objectives}
    figures, captions = {}, {}
    for number, (which, x, y, log) in FIGURES.items():
        if {x, y} <= names:  # a quick run may have one group only
            key = f"figure{number:02}"
            figures[key] = clouds(sets[which], final.objectives, x, y, log=log, title=f"Figure {number}: {x} and {y}")
            captions[key] = f"As figure {number} of paper 002: {WHAT[which]}."
    runs = read_courses(results / "courses.csv")
    if runs:
        figures["courses"] = courses(runs, title="The rows of Table 4")
        captions["courses"] = (
            "Hypervolume and size of the front of the first evaluations of every run, all in one box, the owner's: "
            f"from the best found to {REACH:g} times EASY's response time in every group."
        )
    return figures, captions


def read_courses(path: Path) -> dict[str, Course]:
    """Return the courses of runs that run.py has measured, by name."""
    rows = common.rows(path)
    return {
        name: Course(
            *(
                np.array([float(row[key]) for row in rows if row["row"] == name]).astype(kind)
                for key, kind in (("evaluations", int), ("size", int), ("hypervolume", float), ("igd_plus", float))
            )
        )
        for name in dict.fromkeys(row["row"] for row in rows)
    }


if __name__ == "__main__":
    main()
