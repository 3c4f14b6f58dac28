"""The sections about what is not in the paper: more rows, other algorithms, moves that use known schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import ranks
import settings
from choices import IN_WORDS

from paretosched.core.tables import markdown
from paretosched.fronts.quality_indicators import REACH

Rows = Sequence[Mapping[str, str]]

# Where hypervolumes were measured that are older than the owner's box; their runs are no longer stored.
TO_WORST = "from the best of all runs to the worst of the weighting front"
OF_FRONT = "that of the merged front, up to 1.1 times its worst"
MEASURES = {"hypervolume": 4, "igd_plus": 4, "epsilon": 4}  # and the digits that are shown
SMALL = 1e-3  # of a measure that needs two digits more, and of a hypervolume's span that tells nothing


def box_words(rows: Rows, older: str = TO_WORST) -> str:
    """Return the box in which rows were measured, in words; rows without a reach are older than the owner's box.

    Examples
    --------
    >>> box_words([{"reach": "1.5"}])
    "the owner's, from the best found to 1.5 times EASY's response time in every group"
    >>> box_words([{}])
    'from the best of all runs to the worst of the weighting front'
    """
    reach = rows[0].get("reach")
    owner = (
        f"the owner's, from the best found to {float(reach):g} times EASY's response time in every group"
        if reach
        else ""
    )
    return owner or older


def box_sentence(rows: Rows, older: str) -> str:
    """Return the sentence about the box, and why it is another one than the owner's."""
    if rows[0].get("reach"):
        return f"The box is {box_words(rows)}. "
    return (
        f"The box is another one than the owner's, {older}: these runs were measured before there was the owner's box "
        f"(up to {REACH:g} times EASY), and what they evaluated is no longer stored. "
    )


def seeds_words(title: str, rows: Rows, jobs: int) -> str:
    """Return how many seeds a comparison has, by the number of jobs.

    Examples
    --------
    >>> seeds_words("choices", [{"jobs": "300", "seed": "0"}, {"jobs": "300", "seed": "1"}, {"seed": "0"}], 900)
    'choices with 2 seeds on 300 jobs and 1 on 900'
    """
    seeds: dict[int, set[str]] = {}
    for row in rows:
        seeds.setdefault(int(row.get("jobs", jobs)), set()).add(row["seed"])
    (size, of_size), *more = seeds.items()
    first = f"{title} with {len(of_size)} seed{'s' * (len(of_size) != 1)} on {size:,} jobs"
    return " and ".join([first, *(f"{len(others)} on {larger:,}" for larger, others in more)])


def better(rows: Rows) -> list[str]:
    """Return the section about the gain of each step beyond the paper."""
    lines, last = [], None
    for row in rows:
        volume = float(row["hypervolume"])
        points, dominated_points = int(row["paper_points"]), int(row["paper_points_dominated"])
        offline = int(row["weighting_points_dominated_offline"]) / int(row["weighting_points"])
        lines.append(
            [
                row["title"],
                f"{int(row['evaluations']):,}",
                f"{float(row['kernel_seconds']):,.0f}",
                f"{volume:.4f}",
                "" if last is None else f"{100 * (volume / last - 1):+.2f} %",
                f"{int(row['front']):,}",
                f"{100 * int(row['alone_dominates']) / points:.1f} %",
                f"{100 * dominated_points / points:.1f} %",
                f"{100 * offline:.1f} %",
            ]
        )
        last = volume
    heads = [
        "and then",
        "evaluations",
        "kernel s",
        "hypervolume",
        "gain",
        "points",
        "alone dominates",
        "together dominate",
        "weighting points dominated offline",
    ]
    return [
        "## Better than the paper",
        "",
        *markdown(heads, lines, left=1),
        "",
        f"Row after row is added to the paper's final front, all in one box; hypervolume with a relative error of "
        f"{100 * float(rows[0]['hypervolume_error']):.3f} %. {box_sentence(rows, TO_WORST)}Only the hypervolume and "
        f"its gain depend on it. Dominates: part of the paper's own points (first row) "
        "that a schedule of this row, or of all rows so far, dominates. Offline: the part of the weighting front of "
        "Table 4 that sequences dominate; half of it is the goal.",
        "",
        "![courses](figures/better-courses.png)",
        "",
    ]


def equal(rows: Rows) -> list[str]:
    """Return the section that compares runs at equal numbers of evaluations and at equal CPU times."""
    before = int([row["evaluations"] for row in rows if row["row"] == "weighting"][-1])
    lines = []
    for name in dict.fromkeys(row["row"] for row in rows):
        course = [row for row in rows if row["row"] == name]
        cells = [name]
        for key, limits in (("evaluations", settings.AT_EVALUATIONS), ("kernel_seconds", settings.AT_SECONDS)):
            for limit in limits:
                upto = [row for row in course if float(row[key]) <= limit]
                reaches = float(course[-1][key]) >= 0.99 * limit
                cells.append(f"{float(upto[-1]['hypervolume']):.4f}" if upto and reaches else "")
        lines.append([*cells, f"{float(course[-1]['hypervolume']):.4f}"])
    heads = ["row", *(f"{k:,} evaluations" for k in settings.AT_EVALUATIONS)]
    heads += [*(f"{s:,} CPU s" for s in settings.AT_SECONDS), "in the end"]
    return [
        "## At equal evaluations and in equal time",
        "",
        *markdown(heads, lines, left=1),
        "",
        "Hypervolume of what each run alone had found by then, all in one box. "
        f"{box_sentence(rows, TO_WORST)}Those that begin with the weighting front had its {before:,} evaluations "
        "before. CPU seconds are of simulations alone, with other work on the machine, which makes them longer.",
        "",
    ]


def backfilling(rows: Rows) -> list[str]:
    """Return the lines about the effect of EASY backfilling under the weighted order."""
    row = {key: int(value) for key, value in rows[0].items()}
    return [
        f"With EASY backfilling under the weighted order the first {row['easy_evaluations']:,} evaluations dominate "
        f"{100 * row['none_dominated'] / row['none_points']:.0f} % of the front of {row['none_evaluations']:,} "
        f"evaluations without backfilling; the other way round it is "
        f"{100 * row['easy_dominated'] / row['easy_points']:.0f} %.",
        "",
    ]


def algorithms(rows: Rows) -> list[str]:
    """Return the section that compares algorithms with random search at equal evaluations, by all measures."""
    lines, words = [], []
    for encoding in dict.fromkeys(row["encoding"] for row in rows):
        of_encoding = [row for row in rows if row["encoding"] == encoding]
        names = list(dict.fromkeys(row["algorithm"] for row in of_encoding))
        means: dict[str, dict[str, float]] = {key: {} for key in MEASURES}
        base = np.mean([float(row["hypervolume"]) for row in of_encoding if row["algorithm"] == ranks.RANDOM])
        for name in names:
            mine = [row for row in of_encoding if row["algorithm"] == name]
            cells = []
            for key in MEASURES:
                values = [float(row[key] or "nan") for row in mine]
                means[key][name] = float(np.mean(values))
                cells += [number(means[key][name]), f"{number(min(values))} to {number(max(values))}"]
            gain = f"{100 * (means['hypervolume'][name] / base - 1):+.1f} %" if base else ""
            sizes = [int(row["size"]) for row in mine]
            lines.append(
                [encoding, name, f"{int(mine[0]['evaluations']):,}", str(len(mine)), *cells[:2], gain, *cells[2:],
                 f"{np.mean(sizes):,.0f}"]
            )  # fmt: skip
        words.append(ends_words(encoding, of_encoding, means))
    heads = ["encoding", "algorithm", "evaluations", "seeds", "hypervolume, mean", "least to most", "to random",
             "IGD+, mean", "least to most", "epsilon, mean", "least to most", "points"]  # fmt: skip
    return [
        "## Algorithms at equal evaluations",
        "",
        *markdown(heads, lines, left=2),
        "",
        f"All jobs. {box_sentence(rows, OF_FRONT)}IGD+ and epsilon: distance from the merged front of the encoding, "
        "less is better. " + " ".join(words),
        "",
    ]


def number(value: float) -> str:
    """Return a measure as text, small ones with more digits, and of runs with nothing in the box a dash.

    Examples
    --------
    >>> number(0.73456), number(0.000152), number(float("nan"))
    ('0.7346', '0.000152', '-')
    """
    if np.isnan(value):
        return "-"
    return f"{value:.6f}" if 0 < value < SMALL else f"{value:.4f}"


def ends_words(encoding: str, rows: Rows, means: Mapping[str, Mapping[str, float]]) -> str:
    """Return which algorithm is the best and which the worst by each mean, and whether the box tells them apart."""
    ends = []
    volumes = [float(row["hypervolume"]) for row in rows]
    flat = max(volumes) - min(volumes) < SMALL
    for key, of_key in means.items():
        if not (key == "hypervolume" and flat) and not np.isnan(list(of_key.values())).any():
            least, most = (
                sorted(name for name in of_key if of_key[name] == end(of_key.values())) for end in (min, max)
            )
            best, worst = (most, least) if key == "hypervolume" else (least, most)
            ends.append(f"by {IN_WORDS.get(key, key)} {' and '.join(best)} best and {' and '.join(worst)} worst")
    texts = [f"For {encoding}s the means are {', '.join(ends)}."] if ends else []
    if not max(volumes):
        texts.append(f"No schedule of the {len(rows)} runs for {encoding}s is in the box, which says nothing of them.")
    elif flat:
        span = max(volumes) - min(volumes)
        texts.append(f"Hypervolume tells nothing of {encoding}s: all {len(rows)} runs are within {span:.1g}.")
    first = ranks.best_with_every_seed(rows, encoding, "igd_plus")
    seeds = len({row["seed"] for row in rows})
    if first:
        texts.append(f"By IGD+ {first} is the best with each of the {seeds} seeds.")
    return " ".join(texts)


def moves(rows: Rows, table4_rows: Rows) -> list[str]:
    """Return the section that compares the moves from known schedules."""
    evaluations = [int(row["evaluations"]) for row in table4_rows if row["row"] == "weighting"]
    before = f" ({evaluations[0]:,} evaluations)" if evaluations else ""
    lines = []
    for name, frequency in dict.fromkeys((row["moves"], row["frequency"]) for row in rows):
        runs = [row for row in rows if (row["moves"], row["frequency"]) == (name, frequency)]
        cells = [
            f"{int(frequency):,}",
            str(len(runs)),
            f"{np.mean([float(row['kernel_seconds']) for row in runs]):,.0f}",
        ]
        cells += [f"{np.mean([int(row[key]) for row in runs]):,.0f}" for key in ("size", "in_front")]
        gains = [100 * float(row["gain"]) / (float(row["begin"])) for row in runs]
        lines.append([name, *cells, f"{np.mean(gains):+.2f} %", f"{min(gains):+.2f} to {max(gains):+.2f} %"])
    heads = ["moves", "at first", "seeds", "CPU s", "points", "of the joint front", "hypervolume", "least to most"]
    return [
        "## Moves from known schedules, at equal evaluations",
        "",
        *markdown(heads, lines, left=1),
        "",
        f"Strict sequences, {int(rows[0]['evaluations']):,} evaluations from the start orders of the weighting front; "
        "pull: jobs whose wait is expensive forward; fill: jobs into idle processors, which delays no other job; both: "
        "either, drawn again each time. At first: moves a child in the first generation, afterwards as the search "
        "adapts them. Of the joint front: points not dominated by the weighting front and all these runs together. "
        f"Hypervolume: what the weighting front{before} gains by the run. {box_sentence(rows, OF_FRONT)}".strip(),
        "",
    ]
