"""Algorithms beside random search at equal evaluations: ten seeds, all measures, ranks, tests and effect sizes.

Weightings and strict sequences of a third of CTC. Measures are those of the owner's box; of sequences, which cannot
backfill, of the box that reaches from the best of all to so many times first come, first served.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import choices
import numpy as np
import rank_tests
from scipy.stats import friedmanchisquare, rankdata

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import markdown
from paretosched.search.plans import Row

WEIGHTING, SEQUENCE = "weighting", "sequence"
ALGORITHMS = {
    WEIGHTING: ("archive", "nsga2", "unsga3", "agemoea2", "rvea", "random"),
    SEQUENCE: ("nsga2", "nsga", "unsga3", "agemoea2", "rvea", "random"),
}
RANDOM = "random"
SOUGHT = {WEIGHTING: "policies", SEQUENCE: "sequences"}
OF = {WEIGHTING: "easy", SEQUENCE: "fcfs"}  # whose response times the box is made of
EVALUATIONS, SEEDS = 2_000, 10
# The measures in the owner's box, and those of runs that it does not tell apart; whether more is better. The first one
# is that of the tests against random search.
MEASURES = choices.MEASURES
MEASURES_OF_WHOLE = {"whole_igd_plus": False, "whole_epsilon": False, "size": True}
IN_WORDS = choices.IN_WORDS | {"whole_igd_plus": "IGD+", "whole_epsilon": "epsilon"}
SETTINGS: dict[str, dict[str, Any]] = {
    WEIGHTING: {"encoding": WEIGHTING, "backfill": "easy", "population": 100},
    SEQUENCE: {
        "encoding": SEQUENCE,
        "decoding": "strict",
        "population": 60,
        "moves": "swap",
        "start": ("permutations",),
    },
}


def rows_of(w: ps.Workload, encoding: str, seeds: int) -> list[Row]:
    """Return the runs of all algorithms of an encoding."""
    return [
        Row(
            f"{encoding}-{algorithm}-{len(w)}-{seed}",
            algorithm,
            SETTINGS[encoding] | {"algorithm": algorithm, "evaluations": EVALUATIONS, "seed": seed},
        )
        for algorithm in ALGORITHMS[encoding]
        for seed in range(seeds)
    ]


def measures(w: ps.Workload, encoding: str, rows: Sequence[Row], place: Path) -> list[dict[str, Any]]:
    """Return the measures of every run, all runs of the encoding in one box; with "whole_", in that of their front."""
    fronts = [ps.load_front(place / row.name) for row in rows]
    merged = ps.merge(fronts)
    reference = np.asarray(ps.objectives(ps.simulate(w, OF[encoding])))
    quality, whole = ps.indicators(merged, fronts, reference, choices.REACH), ps.indicators(merged, fronts)
    nothing = {"owner_inside": None, "owner_hypervolume": None}  # the box is the owner's already
    owners = choices.in_owners_box(w, merged, fronts) if encoding == SEQUENCE else [nothing] * len(rows)
    about = {"jobs": len(w), "encoding": encoding}
    return [
        about
        | {"algorithm": row.title, "seed": row.settings["seed"]}
        | {key: values[key] for key in choices.KEYS}
        | {f"whole_{key}": of_all[key] for key in ("igd_plus", "epsilon")}
        | owner
        for row, values, of_all, owner in zip(rows, quality["inputs"], whole["inputs"], owners, strict=True)
    ]


def section(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section that compares the algorithms."""
    lines = ["## Algorithms with ten seeds, on a third of the jobs", ""]
    for encoding in dict.fromkeys(row["encoding"] for row in rows):
        lines += of_encoding(encoding, [row for row in rows if row["encoding"] == encoding])
    return lines


def of_encoding(encoding: str, rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the table and the sentences about one encoding."""
    names = names_in(rows, encoding)
    apart = told_apart_by(rows)
    deciding, *_ = shown = MEASURES if apart else MEASURES_OF_WHOLE
    by_measure = {key: values_of(rows, names, key) for key in shown}
    ranks = {key: ranks_of(values, shown[key]) for key, values in by_measure.items()}
    good = {key: values if shown[key] else -values for key, values in by_measure.items()}
    chances = {key: chances_of(values, names) for key, values in good.items()}
    table, tested = [], []
    for place, name in enumerate(names):
        cells = []
        for key, values in by_measure.items():
            digits = 0 if key == "size" else 4
            mean, spread = values[:, place].mean(), values[:, place].std(ddof=1)
            cells.append(f"{mean:,.{digits}f} ± {spread:.{digits}f} ({ranks[key][place]:.1f})")
        table.append([name, *cells])
        if name != RANDOM:
            against = [f"{effect(good[key], names, name):.2f}, {chances[key][name]:.2g}" for key in shown]
            tested.append([name, *against])
    friedman = {
        key: friedmanchisquare(*values.T).pvalue if len(values) > 2 and np.ptp(values) else 1.0
        for key, values in by_measure.items()
    }
    best = {key: [names[i] for i in np.flatnonzero(ranks[key] == ranks[key].min())] for key in by_measure}
    beats = {key: better_than_random(values, names) for key, values in good.items()}
    fails = {key: [name for name in names if name not in (RANDOM, *found)] for key, found in beats.items()}
    worse = {key: worse_than_random(rows, encoding, key) for key in shown}
    box = f"the box up to {choices.REACH:g} times the response times of {OF[encoding].upper()}"
    box += ", as for the choices above" if encoding == SEQUENCE else ""
    heads = [f"{IN_WORDS.get(key, key)} {'+' if more else '-'}" for key, more in shown.items()]
    different = [IN_WORDS.get(key, key) for key, p in friedman.items() if p < choices.CHANCE]
    return [
        f"**{encoding}**, {int(rows[0]['jobs']):,} jobs, {int(rows[0]['evaluations']):,} evaluations, "
        f"{len(by_measure[deciding])} seeds; in {box}. "
        + ("" if apart else in_vain(rows))
        + "Best by mean rank: "
        + ", ".join(f"{IN_WORDS.get(key, key)} {' and '.join(found)}" for key, found in best.items())
        + ". Shown to be better than random: "
        + by_measure_words(beats)
        + ". Not shown: "
        + by_measure_words(fails)
        + ". Worse than random with every seed: "
        + by_measure_words(worse)
        + ".",
        "",
        *markdown(["algorithm", *heads], table, left=1),
        "",
        *markdown(["against random: effect, p", *heads], tested, left=1),
        "",
        "Mean ± standard deviation over seeds (mean rank); + more is better, - less. Effect: how often a run of it is "
        "better than one of random, .5 is equal (Vargha and Delaney). p: Wilcoxon's signed ranks against random, "
        f"Holm's correction for {len(tested)} algorithms by a measure. Better than random: p below "
        f"{choices.CHANCE:g} and an effect above .5. Friedman's p over all: "
        + ", ".join(f"{IN_WORDS.get(key, key)} {p:.1g}" for key, p in friedman.items())
        + f"; so the algorithms differ by {' and '.join(different) or 'none of these'}.",
        "",
        *(choices.of_owners_box(rows, "algorithm") if encoding == SEQUENCE else []),
    ]


def told_apart_by(rows: Sequence[Mapping[str, str]]) -> bool:
    """Return whether the box tells any two runs apart.

    Examples
    --------
    >>> told_apart_by([{"hypervolume": "0.5"}, {"hypervolume": "0.5"}]), told_apart_by([{"hypervolume": "0"}] * 2)
    (False, False)
    >>> told_apart_by([{"hypervolume": "0.5"}, {"hypervolume": "0.6"}])
    True
    """
    return len({row["hypervolume"] for row in rows}) > 1


def in_vain(rows: Sequence[Mapping[str, str]]) -> str:
    """Return why an encoding is not measured in a box that tells none of its runs apart."""
    algorithms = len({row["algorithm"] for row in rows})
    volume = float(rows[0]["hypervolume"])
    same = bool(volume) and not any(float(row["igd_plus"]) for row in rows)
    return (
        f"That box tells none of the {algorithms} algorithms apart: all {len(rows)} runs have a hypervolume of "
        f"{volume:.4f} in it"
        + (", and whatever came into it every one of them has (IGD+ 0)" if same else "")
        + ". So the rest is measured in the box of their merged front, up to its worst schedules, and by size. "
    )


def by_measure_words(found: Mapping[str, Sequence[str]]) -> str:
    """Return algorithms by measure, in words.

    Examples
    --------
    >>> by_measure_words({"igd_plus": ["nsga2", "rvea"], "size": []})
    'by IGD+ nsga2, rvea; by size none'
    """
    return "; ".join(f"by {IN_WORDS.get(key, key)} {', '.join(names) or 'none'}" for key, names in found.items())


def better_than_random(good: Floats, names: Sequence[str]) -> list[str]:
    """Return the algorithms that are shown to be better than random search; of `good`, more is better."""
    chances = chances_of(good, names)
    return [name for name, p in chances.items() if p < choices.CHANCE and effect(good, names, name) > 0.5]


def names_in(rows: Sequence[Mapping[str, str]], encoding: str) -> list[str]:
    """Return the algorithms of an encoding that are in its rows."""
    return [name for name in ALGORITHMS[encoding] if any(row["algorithm"] == name for row in rows)]


def shown_better(rows: Sequence[Mapping[str, str]], encoding: str, key: str) -> list[str]:
    """Return the algorithms of an encoding that are shown to be better than random search by a measure."""
    of_this = [row for row in rows if row["encoding"] == encoding]
    names = names_in(of_this, encoding)
    values = values_of(of_this, names, key)
    return better_than_random(values if (MEASURES | MEASURES_OF_WHOLE)[key] else -values, names)


def as_good_as_random(rows: Sequence[Mapping[str, str]], encoding: str) -> list[str]:
    """Return the algorithms of an encoding that are not better than random search by each measure of what was found."""
    of_this = [row for row in rows if row["encoding"] == encoding]
    measured = MEASURES if told_apart_by(of_this) else MEASURES_OF_WHOLE
    beats = [shown_better(rows, encoding, key) for key in measured if key != "size"]
    return [
        name for name in names_in(of_this, encoding) if name != RANDOM and not all(name in found for found in beats)
    ]


def in_short(rows: Sequence[Mapping[str, str]]) -> str:
    """Return how many searches are not shown to be better than drawing at random, for the summary's opening."""
    counts = []
    for encoding in (name for name in ALGORITHMS if any(row["encoding"] == name for row in rows)):
        names = names_in([row for row in rows if row["encoding"] == encoding], encoding)
        counts.append(f"{len(as_good_as_random(rows, encoding))} of {len(names) - 1} searches for {SOUGHT[encoding]}")
    return f"by one measure or more {' and '.join(counts)} are not shown to be better than drawing at random"


def best_with_every_seed(rows: Sequence[Mapping[str, str]], encoding: str, key: str) -> str | None:
    """Return the algorithm of an encoding that no other one reaches with any seed, by a measure of which less is good.

    Examples
    --------
    >>> found = {"nsga2": (0.3, 0.4), "random": (0.2, 0.3), "rvea": (0.3, 0.5)}
    >>> rows = [
    ...     {"encoding": "weighting", "algorithm": name, "seed": str(seed), "igd_plus": str(value)}
    ...     for name, values in found.items()
    ...     for seed, value in enumerate(values)
    ... ]
    >>> best_with_every_seed(rows, "weighting", "igd_plus")
    'random'
    >>> best_with_every_seed([*rows[:-1], rows[-1] | {"igd_plus": "0.1"}], "weighting", "igd_plus")
    """
    of_this = [row for row in rows if row["encoding"] == encoding]
    names = names_in(of_this, encoding)
    values = values_of(of_this, names, key)
    least = {names[place] for place in values.argmin(axis=1)}
    alone = bool(((values == values.min(axis=1, keepdims=True)).sum(axis=1) == 1).all())
    return least.pop() if len(least) == 1 and alone else None


def worse_than_random(rows: Sequence[Mapping[str, str]], encoding: str, key: str) -> list[str]:
    """Return the algorithms of an encoding that are worse than random search by a measure with every seed.

    Examples
    --------
    >>> found = {"nsga2": (0.3, 0.4), "random": (0.2, 0.3), "rvea": (0.1, 0.5)}
    >>> rows = [
    ...     {"encoding": "weighting", "algorithm": name, "seed": str(seed), "igd_plus": str(value)}
    ...     for name, values in found.items()
    ...     for seed, value in enumerate(values)
    ... ]
    >>> worse_than_random(rows, "weighting", "igd_plus")
    ['nsga2']
    """
    of_this = [row for row in rows if row["encoding"] == encoding]
    names = names_in(of_this, encoding)
    values = values_of(of_this, names, key) * (1 if (MEASURES | MEASURES_OF_WHOLE)[key] else -1)
    return [
        name for name, column in zip(names, values.T, strict=True) if (column < values[:, names.index(RANDOM)]).all()
    ]


def chances_of(volumes: Floats, names: Sequence[str]) -> dict[str, float]:
    """Return the corrected probability of each difference to random search if there were none."""
    different = [name for name in names if name != RANDOM]
    return dict(zip(different, rank_tests.holm([chance(volumes, names, name) for name in different]), strict=True))


def values_of(rows: Sequence[Mapping[str, str]], names: Sequence[str], key: str) -> Floats:
    """Return a measure by seed and algorithm, (seeds, algorithms); nothing in the box is as far as can be."""
    worst = "0" if (MEASURES | MEASURES_OF_WHOLE)[key] else "inf"
    by_run = {(row["seed"], row["algorithm"]): float(row[key] or worst) for row in rows}
    seeds = sorted({seed for seed, _ in by_run})
    return np.array([[by_run[seed, name] for name in names] for seed in seeds])


def ranks_of(values: Floats, more: bool) -> Floats:
    """Return the mean ranks over seeds, (algorithms,), 1 is the best.

    Examples
    --------
    >>> ranks_of(np.array([[3.0, 1.0], [2.0, 2.0]]), more=True).tolist()
    [1.25, 1.75]
    """
    ranks: Floats = rankdata(-values if more else values, axis=1).mean(axis=0)
    return ranks


def chance(volumes: Floats, names: Sequence[str], name: str) -> float:
    """Return the probability of such differences to random search if there were none."""
    return rank_tests.chance(volumes[:, names.index(name)], volumes[:, names.index(RANDOM)])


def effect(volumes: Floats, names: Sequence[str], name: str) -> float:
    """Return how often a run of an algorithm has more hypervolume than one of random search; equal counts half."""
    return rank_tests.effect(volumes[:, names.index(name)], volumes[:, names.index(RANDOM)])
