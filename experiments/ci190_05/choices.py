"""What section 4.3 of paper 002 says about its choices, each tried against its opposite: ten seeds, pair by pair.

Recombination or none, NSGA or NSGA-II, the direction of moves, "and" or "or" in the filter of the jobs to move, start
solutions or none, copies of the original order, more diverse start solutions, start solutions that do not survive.
All at equal evaluations, on a third of CTC, with moves and jumps in proportion; recombination at full size, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rank_tests import chance, effect, holm

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import markdown
from paretosched.fronts.quality_indicators import box_of, hypervolume, to_box
from paretosched.search.plans import Row
from paretosched.search.runs import read_about, read_values

SHARE = 1 / 3  # of the jobs
EVALUATIONS, SEEDS = 2_000, 10
FULL_EVALUATIONS, FULL_SEEDS = 6_000, 3
REACH = 1.5  # times first come, first served: in EASY's box are one or two sequences of a search of Table 4
MEASURES = {"hypervolume": True, "igd_plus": False, "epsilon": False, "size": True}  # and whether more is better
OWNERS = {"owner_hypervolume": True}  # in the owner's box, which reaches to so many times EASY
SIGN = {True: 1, False: -1}
KEYS = ("evaluations", *MEASURES)
IN_WORDS = {"igd_plus": "IGD+"}
CHANCE = 0.05  # of a difference that is none
HOLDS, OPPOSITE, NO_DIFFERENCE = "holds", "the opposite holds", "no difference"
NOT_MEASURABLE = "not measurable in this box"  # every run of both has the same value
DECIDING = ("hypervolume", "size")  # the second is the paper's own measure, NoS

# The moves of the paper's rows; the rest is said in each variant.
BASE = {"algorithm": "nsga2", "moves": "swap", "recombination": "none", "start": ("permutations",)}
LATER = BASE | {"moves": "later", "movable": "all"}
VARIANTS: dict[str, dict[str, Any]] = {
    "swap": BASE,
    "swap, OX": BASE | {"recombination": "ox"},
    "swap, PMX": BASE | {"recombination": "pmx"},
    "swap, cycle": BASE | {"recombination": "cycle"},
    "swap, OX, NSGA": BASE | {"recombination": "ox", "algorithm": "nsga"},
    "later": LATER,
    "later, or": LATER | {"movable": "either"},
    "later, and": LATER | {"movable": "both"},
    "later, or, by groups": LATER | {"movable": "either", "moves": "group"},
    "later, random starts": LATER | {"start": ("random",)},
    "later, copies": LATER | {"start": ("submit",), "copies": True},
    "later, weak orders": LATER | {"start": ("weak",)},
    "later, starts forgotten": LATER | {"forget": True},
}
FULL = ("swap", "swap, OX")


class Question(NamedTuple):
    """A statement of the paper, and the two variants of which it prefers the first one."""

    paper: str
    preferred: str
    other: str


QUESTIONS = (
    Question("all results which were created using recombination were of low quality", "swap", "swap, OX"),
    Question("the same, partially mapped crossover", "swap", "swap, PMX"),
    Question("the same, cycle crossover", "swap", "swap, cycle"),
    Question("the advantage of elitism and crowding distance against sharing", "swap, OX", "swap, OX, NSGA"),
    Question("jobs can only be moved towards the end", "later", "swap"),
    Question('only big jobs are moved, by the "or" condition', "later, or", "later"),
    Question('the same, by the "and" condition', "later, and", "later"),
    Question('"or" or "and"? Both were applied', "later, or", "later, and"),
    Question("jobs of a randomly chosen group stay", "later, or, by groups", "later, or"),
    Question("the usage of good starting solutions was helpful", "later", "later, random starts"),
    Question("copies of the original sequence as the only start solutions", "later, copies", "later"),
    Question(
        "more start solutions: all weak orders of the groups instead of the permutations", "later, weak orders", "later"
    ),
    Question("start solutions can not survive the first generation", "later, starts forgotten", "later"),
)


def rows_of(w: ps.Workload, names: Sequence[str], evaluations: int, seeds: int) -> list[Row]:
    """Return the runs of some variants on a workload, moves and jumps in proportion to its jobs."""
    share = len(w) / 133_149  # the jobs of the paper's workload, to which its numbers of moves belong
    common = {"encoding": "sequence", "decoding": "strict", "population": 60, "evaluations": evaluations}
    common |= {"frequency": max(1, round(5_000 * share))}
    return [
        Row(
            f"{name.replace(', ', '-').replace(' ', '-')}-{len(w)}-{seed}",
            name,
            common
            | {"jump": max(1, round((4_000 if "swap" in name else 1_500) * share)), "seed": seed}
            | VARIANTS[name],
        )
        for name in names
        for seed in range(seeds)
    ]


def part_of(w: ps.Workload) -> ps.Workload:
    """Return the first third of the jobs."""
    return w.take(np.arange(round(SHARE * len(w))), name=f"{w.name}, a third")


def measures(w: ps.Workload, rows: Sequence[Row], place: Path) -> list[dict[str, Any]]:
    """Return the measures of every run, in the box that reaches from the best of all to `REACH` times FCFS.

    "starts_hypervolume" is that of the orders alone with which the run begins; "owner_inside" and "owner_hypervolume"
    are of the owner's box, which reaches to so many times EASY.
    """
    fronts = [ps.load_front(place / row.name) for row in rows]
    merged = ps.merge(fronts)
    submitted = np.asarray(ps.objectives(ps.simulate(w, "fcfs")))
    quality, box = ps.indicators(merged, fronts, submitted, REACH), box_of(merged, submitted, REACH)
    about = {"jobs": len(w), "inside": quality["box"]["inside"]}
    owners = in_owners_box(w, merged, fronts)
    lines = []
    for row, values, owner in zip(rows, quality["inputs"], owners, strict=True):
        run = place / row.name
        starts = read_about(run)["parameters"].get("starts", ())
        alone = hypervolume(to_box(read_values(run)[0][: len(starts)], merged.objectives, box), box.edge)
        seed = {"variant": row.title, "seed": row.settings["seed"]}
        lines.append(about | seed | {key: values[key] for key in KEYS} | {"starts_hypervolume": alone} | owner)
    return lines


def in_owners_box(w: ps.Workload, merged: ps.Front, fronts: Sequence[ps.Front]) -> list[dict[str, Any]]:
    """Return how many schedules of each front are in the owner's box, and the hypervolume there."""
    easy = np.asarray(ps.objectives(ps.simulate(w, "easy")))
    box = box_of(merged, easy, REACH)
    places = [to_box(front.values, merged.objectives, box) for front in fronts]
    return [
        {
            "owner_inside": int((place < box.edge).all(axis=1).sum()),
            "owner_hypervolume": hypervolume(place, box.edge),
        }
        for place in places
    ]


# --- the section of the summary ---------------------------------------------------------------------------------------


def section(rows: Sequence[Mapping[str, str]], of_searches: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section about the choices of section 4.3; `of_searches` are Table 4's rows of searched sequences."""
    most = min(int(row["jobs"]) for row in rows)
    part = [row for row in rows if int(row["jobs"]) == most]
    whole = [row for row in rows if int(row["jobs"]) != most]
    verdicts = {key: judgements(part, key) for key in MEASURES}
    chances = {key: [p for p, _ in judged] for key, judged in verdicts.items()}
    lines, tested = [], []
    for place, question in enumerate(QUESTIONS):
        names = f"{question.preferred} / {question.other}"
        judged = [verdicts[key][place][1] for key in DECIDING]
        lines.append([question.paper, names, *comparison(part, question), *judged])
        effects = {
            key: effect(*(SIGN[more] * x for x in by_seed(part, question, key))) for key, more in MEASURES.items()
        }
        tested.append([names, *(f"{effects[key]:.2f}, {chances[key][place]:.2g}" for key in MEASURES)])
    words = [verdict_counts(key, [verdict for _, verdict in verdicts[key]]) for key in DECIDING]
    words += [without_move(part), opposites(part, [verdict for _, verdict in verdicts["size"]], "size")]
    measured = [f"{IN_WORDS.get(name, name)} {'+' if more else '-'}" for name, more in MEASURES.items()]
    judged_by = [f"verdict by {key}" for key in DECIDING]
    return [
        "## The choices of section 4.3, each against its opposite",
        "",
        f"The first {SHARE:.0%} of CTC, {most:,} jobs, {int(part[0]['evaluations']):,} evaluations, "
        f"{len({row['seed'] for row in part})} seeds; strict sequences, moves and jumps in proportion to the jobs. "
        f"Hypervolume, IGD+ and epsilon are measured up to {REACH:g} times the response times of first come, first "
        f"served{not_of_easy(of_searches)}, UTIL aside, against the front of all runs together; size is the number of "
        "schedules that are not dominated, the paper's own measure (NoS), which says how many, not how good. Cells: in "
        "how many seeds this is better than that by each measure (+: more is better), with the medians of both.",
        "",
        *markdown(["paper", "this / that", *measured, *judged_by], lines, left=2),
        "",
        *markdown(["this / that: effect, p", *measured], tested, left=1),
        "",
        "Effect: how often a run of this is better than one of that, .5 is equal (Vargha and Delaney). p: Wilcoxon's "
        f"signed ranks over seeds, two-sided, Holm's correction for {len(QUESTIONS)} comparisons by a measure.",
        "",
        " ".join(filter(None, words)),
        "",
        *of_owners_box(part, "variant", judged_there(part)),
        *(at_full_size(whole) if whole else []),
    ]


def judged_there(rows: Sequence[Mapping[str, str]]) -> str:
    """Return how many statements hold by the hypervolume in the owner's box; "" if that was not measured."""
    if not all(row.get("owner_hypervolume") for row in rows):
        return ""
    return verdict_counts("hypervolume there", [verdict for _, verdict in judgements(rows, *OWNERS)])


def of_owners_box(rows: Sequence[Mapping[str, str]], key: str, verdict: str = "") -> list[str]:
    """Return what is in the owner's box of each variant or algorithm, by the name of the column; [] if not measured."""
    if not all(row.get("owner_inside") for row in rows):
        return []
    lines = []
    for name in dict.fromkeys(row[key] for row in rows):
        inside, volumes = (
            [float(row[column]) for row in rows if row[key] == name] for column in ("owner_inside", "owner_hypervolume")
        )
        lines.append([name, span(inside, 0), f"{np.mean(volumes):.4f} ± {np.std(volumes, ddof=1):.4f}"])
    alike = len({row["owner_hypervolume"] for row in rows}) == 1
    return [
        f"In the owner's box, which reaches to {REACH:g} times EASY's response times, sequences have little to offer, "
        "as they do not backfill" + (": all are alike, and it tells none apart." if alike else f". {verdict}".rstrip()),
        "",
        *markdown([key, "schedules in it", "hypervolume"], lines, left=1),
        "",
    ]


def not_of_easy(of_searches: Sequence[Mapping[str, str]]) -> str:
    """Return why the box is not that of EASY, the owner's, in words."""
    counts = sorted({int(row["inside"]) for row in of_searches})
    if not counts:
        return ""
    return (
        " (and not of EASY, as elsewhere: sequences do not backfill, and in that box are "
        f"{' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} schedules of each search of Table 4)"
    )


def in_short(rows: Sequence[Mapping[str, str]]) -> str:
    """Return how many statements cannot be measured, in words for the summary's opening."""
    part = [row for row in rows if row["jobs"] == rows[0]["jobs"]]
    unknown = [verdict for _, verdict in judgements(part, DECIDING[0])].count(NOT_MEASURABLE)
    return f"{unknown} of the paper's {len(QUESTIONS)} choices cannot be judged by what is found"


def verdict_counts(key: str, verdicts: Sequence[str]) -> str:
    """Return how many statements hold by a measure, and how many do not.

    Examples
    --------
    >>> verdict_counts("size", [HOLDS, OPPOSITE, NO_DIFFERENCE, NOT_MEASURABLE])
    'By size 1 of 4 hold; the opposite holds for 1, 1 show no difference with these seeds, 1 cannot be measured.'
    """
    numbers = {verdict: verdicts.count(verdict) for verdict in (HOLDS, OPPOSITE, NO_DIFFERENCE, NOT_MEASURABLE)}
    return (
        f"By {key} {numbers[HOLDS]} of {len(verdicts)} hold; the opposite holds for {numbers[OPPOSITE]}, "
        f"{numbers[NO_DIFFERENCE]} show no difference with these seeds, {numbers[NOT_MEASURABLE]} cannot be measured."
    )


def without_move(rows: Sequence[Mapping[str, str]]) -> str:
    """Return which variants never have more hypervolume than their start orders."""
    still = [
        name
        for name in VARIANTS
        if all(row["hypervolume"] == row["starts_hypervolume"] for row in rows if row["variant"] == name)
    ]
    if not still:
        return ""
    return (
        f"{len(still)} of {len(VARIANTS)} variants have the hypervolume of the orders they begin with, in every seed "
        f"({'; '.join(still)}): nothing that these searches found adds to it in this box."
    )


def opposites(rows: Sequence[Mapping[str, str]], verdicts: Sequence[str], key: str) -> str:
    """Return the statements of which the opposite holds by a measure, with seeds and medians."""
    found = []
    for question in (q for q, verdict in zip(QUESTIONS, verdicts, strict=True) if verdict == OPPOSITE):
        this, that = by_seed(rows, question, key)
        wins = int((that > this).sum() if MEASURES[key] else (that < this).sum())
        medians = f"{np.median(that):,.0f} against {np.median(this):,.0f}"
        found.append(f"*{question.other}* beats *{question.preferred}* in {wins} of {len(this)} seeds ({medians})")
    return f"Against the paper, by {key}: {'; '.join(found)}." if found else ""


def at_full_size(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the lines about the variants that were tried with all jobs: both boxes, and the size."""
    parts = []
    for name in (name for name in FULL if any(row["variant"] == name for row in rows)):
        mine = [row for row in rows if row["variant"] == name]
        inside, size = (span([float(row[key]) for row in mine], 0) for key in ("owner_inside", "size"))
        owners, of_fcfs = (span([float(row[key]) for row in mine], 4) for key in ("owner_hypervolume", "hypervolume"))
        parts.append(f"*{name}* {owners} ({inside} of its schedules in it), {of_fcfs} and {size} ({len(mine)} seeds)")
    equal = len({(row["owner_hypervolume"], row["hypervolume"]) for row in rows}) == 1
    return [
        f"At full size, {int(rows[0]['jobs']):,} jobs, {int(rows[0]['evaluations']):,} evaluations, hypervolume in the "
        f"owner's box, in the one that reaches to {REACH:g} times FCFS, and size: "
        + "; ".join(parts)
        + (". Neither box tells these runs apart." if equal else "."),
        "",
    ]


def span(values: Sequence[float], digits: int) -> str:
    """Return the least and the largest value; one number if they are the same.

    Examples
    --------
    >>> span([2, 1.5], 1), span([1000, 1000], 0)
    ('1.5 to 2.0', '1,000')
    """
    ends = (f"{value:,.{digits}f}" for value in (min(values), max(values)))
    return " to ".join(dict.fromkeys(ends))


def judgements(rows: Sequence[Mapping[str, str]], key: str) -> list[tuple[float, str]]:
    """Return the corrected probability and the verdict of every question by a measure."""
    pairs = [by_seed(rows, question, key) for question in QUESTIONS]
    sign = SIGN[(MEASURES | OWNERS)[key]]
    found = []
    for (this, that), p in zip(pairs, holm([chance(*pair) for pair in pairs]), strict=True):
        verdict = NO_DIFFERENCE
        if np.ptp([this, that]) == 0:
            verdict = NOT_MEASURABLE
        elif p < CHANCE:
            verdict = HOLDS if np.median(sign * (this - that)) > 0 else OPPOSITE
        found.append((p, verdict))
    return found


def comparison(rows: Sequence[Mapping[str, str]], question: Question) -> list[str]:
    """Return the cells of a question: in how many seeds this is better than that, by each measure."""
    cells = []
    for name, more in MEASURES.items():
        this, that = by_seed(rows, question, name)
        wins = int(((this > that) if more else (this < that)).sum())
        digits = 0 if name == "size" else 3
        cells.append(f"{wins} of {len(this)} ({np.median(this):.{digits}f} / {np.median(that):.{digits}f})")
    return cells


def by_seed(rows: Sequence[Mapping[str, str]], question: Question, key: str) -> tuple[Floats, Floats]:
    """Return a measure of both variants of a question, seed by seed."""
    by_variant = [
        {row["seed"]: float(row[key]) for row in rows if row["variant"] == name}
        for name in (question.preferred, question.other)
    ]
    seeds = sorted(by_variant[0].keys() & by_variant[1].keys())
    this, that = (np.array([values[seed] for seed in seeds]) for values in by_variant)
    return this, that
