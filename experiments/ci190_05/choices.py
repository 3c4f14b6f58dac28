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
from rank_tests import chance, holm

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import markdown
from paretosched.search.plans import Row

SHARE = 1 / 3  # of the jobs
EVALUATIONS, SEEDS = 2_000, 10
FULL_EVALUATIONS, FULL_SEEDS = 6_000, 3
REACH = 1.5  # times first come, first served: without backfilling no sequence is near EASY
MEASURES = {"hypervolume": True, "igd_plus": False, "epsilon": False, "size": True}  # and whether more is better
KEYS = ("evaluations", *MEASURES)
CHANCE = 0.05  # of a difference that is none

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
    """Return the measures of every run, in the box that reaches from the best of all to `REACH` times FCFS."""
    fronts = [ps.load_front(place / row.name) for row in rows]
    submitted = np.asarray(ps.objectives(ps.simulate(w, "fcfs")))
    quality = ps.indicators(ps.merge(fronts), fronts, submitted, REACH)
    about = {"jobs": len(w), "inside": quality["box"]["inside"]}
    return [
        about | {"variant": row.title, "seed": row.settings["seed"]} | {key: values[key] for key in KEYS}
        for row, values in zip(rows, quality["inputs"], strict=True)
    ]


# --- the section of the summary ---------------------------------------------------------------------------------------


def section(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section about the choices of section 4.3."""
    most = min(int(row["jobs"]) for row in rows)
    part = [row for row in rows if int(row["jobs"]) == most]
    whole = [row for row in rows if int(row["jobs"]) != most]
    lines, verdicts = [], []
    for question in QUESTIONS:
        cells, verdict = comparison(part, question)
        verdicts.append(verdict)
        lines.append([question.paper, f"{question.preferred} / {question.other}", *cells, verdict])
    measured = [f"{name} {'+' if more else '-'}" for name, more in MEASURES.items()]
    heads = ["paper", "this / that", *measured, "p, Holm", "verdict"]
    text = [
        "## The choices of section 4.3, each against its opposite",
        "",
        f"The first {SHARE:.0%} of CTC, {most:,} jobs, {int(part[0]['evaluations']):,} evaluations, "
        f"{len({row['seed'] for row in part})} seeds; strict sequences, moves and jumps in proportion to the jobs. "
        f"Hypervolume, IGD+ and epsilon are measured up to {REACH:g} times the response times of first come, first "
        "served, UTIL aside, against the front of all runs together. Cells: in how many seeds this is better than "
        "that by each measure (+: more is better), with the medians of both. p: Wilcoxon's signed ranks of "
        f"hypervolume over seeds, two-sided, corrected for {len(QUESTIONS)} comparisons.",
        "",
        *markdown(heads, lines, left=2),
        "",
        f"{verdicts.count('holds')} of {len(verdicts)} hold; {verdicts.count('the opposite holds')} times the opposite "
        f"holds, {verdicts.count('no difference')} times these seeds show no difference.",
        "",
    ]
    if whole:
        names = [name for name in FULL if any(row["variant"] == name for row in whole)]
        of_whole = {name: [float(row["hypervolume"]) for row in whole if row["variant"] == name] for name in names}
        text += [
            f"At full size, {int(whole[0]['jobs']):,} jobs, {int(whole[0]['evaluations']):,} evaluations, hypervolume "
            "in a box of its own: "
            + "; ".join(f"{name} {min(v):.4f} to {max(v):.4f} ({len(v)} seeds)" for name, v in of_whole.items())
            + ".",
            "",
        ]
    return text


def comparison(rows: Sequence[Mapping[str, str]], question: Question) -> tuple[list[str], str]:
    """Return the cells of a question, and its verdict by hypervolume."""
    pairs = {name: by_seed(rows, question, name) for name in MEASURES}
    cells = []
    for name, more in MEASURES.items():
        this, that = pairs[name]
        wins = int(((this > that) if more else (this < that)).sum())
        digits = 0 if name == "size" else 3
        cells.append(f"{wins} of {len(this)} ({np.median(this):.{digits}f} / {np.median(that):.{digits}f})")
    chances = holm([chance(*by_seed(rows, other, "hypervolume")) for other in QUESTIONS])
    mine = chances[QUESTIONS.index(question)]
    this, that = pairs["hypervolume"]
    verdict = "no difference"
    if mine < CHANCE:
        verdict = "holds" if np.median(this - that) > 0 else "the opposite holds"
    return [*cells, f"{mine:.2g}"], verdict


def by_seed(rows: Sequence[Mapping[str, str]], question: Question, key: str) -> tuple[Floats, Floats]:
    """Return a measure of both variants of a question, seed by seed."""
    by_variant = [
        {row["seed"]: float(row[key]) for row in rows if row["variant"] == name}
        for name in (question.preferred, question.other)
    ]
    seeds = sorted(by_variant[0].keys() & by_variant[1].keys())
    this, that = (np.array([values[seed] for seed in seeds]) for values in by_variant)
    return this, that
