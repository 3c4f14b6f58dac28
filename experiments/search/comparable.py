"""The goals of the search in the box in which they were set, as far as it is known; a part of `run.py`.

They are shares of an owner's box of KTH's first part, and come from earlier measurements by other programs. Of that box
the corner, the best response time of each group, was not kept; what NSGA-II and random search had in it was. Here the
corner goes along the line from the best of our NSGA-II and random searches to the best of all searches, to where these
two come nearest to what was said of them. The other searches have no say in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from measuring import box_of_times, with_spread

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.fronts.quality_indicators import REACH, Box, course
from paretosched.search.runs import read_values

Row = dict[str, str]
FILE = "comparable.csv"
SEARCHES: Mapping[str, Mapping[str, Any]] = {
    "nsga2": {"algorithm": "nsga2"},
    "random": {"algorithm": "random"},
    "archive": {"algorithm": "archive"},
    "archive --surrogate": {"algorithm": "archive", "surrogate": True},
}
CORNERS = {"near": "the best of NSGA-II and random", "fitted": "fitted", "far": "the best of all"}
STEPS = 100  # of the corner, from near to far


def measures(log: str, workload: ps.Workload, work: Path, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Search with every seed in all ways, find the corner, and yield a row for every run and every budget."""
    runs: dict[tuple[str, int], Path] = {}
    for seed in seeds:
        for name, words in SEARCHES.items():
            run = runs[name, seed] = work / log / f"comparable-{'-'.join(map(str, words.values()))}-{seed}"
            run.parent.mkdir(parents=True, exist_ok=True)
            ps.explore(
                workload, run, evaluations=max(settings.BUDGETS), population=settings.POPULATION, seed=seed, **words
            )
            print(f"  {log} {name}, seed {seed}: {max(settings.BUDGETS):,}", flush=True)
    values = {key: read_values(run)[0] for key, run in runs.items()}
    easy = np.asarray(ps.objectives(ps.simulate(workload, "easy")))
    far = box_of_times(ps.merge(list(runs.values())), easy, REACH)
    near = box_of_times(ps.merge([run for (name, _), run in runs.items() if name in settings.SAID]), easy, REACH)

    def found(share: float, names: Sequence[str]) -> dict[tuple[str, int], Floats]:
        box = corner_between(near, far, share)
        return {
            key: course(v, ps.load_front(runs[key]).objectives, settings.BUDGETS, box).hypervolume
            for key, v in values.items()
            if key[0] in names
        }

    def off(share: float) -> float:
        shares = found(share, list(settings.SAID))
        means = {name: np.mean([v for (n, _), v in shares.items() if n == name], axis=0) for name in settings.SAID}
        return float(sum(np.square(means[name] - said).sum() for name, said in settings.SAID.items()))

    share = min((step / STEPS for step in range(STEPS + 1)), key=off)
    of_corner = {corner: found(at, list(SEARCHES)) for corner, at in zip(CORNERS, (0.0, share, 1.0), strict=True)}
    for name, seed in runs:
        for k, budget in enumerate(settings.BUDGETS):
            row = {"log": log, "jobs": len(workload), "search": name, "seed": seed, "evaluations": budget}
            yield row | {"share": share, **{c: round(float(v[name, seed][k]), 5) for c, v in of_corner.items()}}


def corner_between(near: Box, far: Box, share: float) -> Box:
    """Return the box whose best is so far on the way from that of one box to that of another."""
    return near._replace(ideal=near.ideal + share * (far.ideal - near.ideal))


def summary(results: Path) -> list[str]:
    """Return the part of the summary about the goals; nothing where it was not measured."""
    if not (results / FILE).exists():
        return []
    table = common.rows(results / FILE)
    names, budgets = ([*dict.fromkeys(row[key] for row in table)] for key in ("search", "evaluations"))
    share, seeds = float(table[0]["share"]), len({row["seed"] for row in table})

    def cells(name: str, corner: str) -> list[list[float]]:
        return [
            [float(row[corner]) for row in table if (row["search"], row["evaluations"]) == (name, budget)]
            for budget in budgets
        ]

    head = "| best corner of the box | search | " + " | ".join(f"{int(b):,}" for b in budgets) + " |"
    lines = ["## The goals of the search", "", head, "| --- | --- |" + " ---: |" * len(budgets)]
    for corner, words in CORNERS.items():
        lines += [
            f"| {words} | {name} | " + " | ".join(with_spread(c) for c in cells(name, corner)) + " |" for name in names
        ]
    for name, said in settings.SAID.items():
        lines.append(f"| as it was | {name} | " + " | ".join(f"{value:.3f}" for value in said) + " |")
    lines.append("| as it was | the goals | " + " | ".join(f"{value:.3f}" for value in settings.GOALS) + " |")
    reached = [
        f"`{name}` {sum(np.mean(c) > goal for c, goal in zip(cells(name, corner), settings.GOALS, strict=True))} of "
        f"{len(budgets)} ({words})"
        for corner, words in CORNERS.items()
        for name in names
        if name not in settings.SAID
    ]
    errors = [
        abs(float(np.mean(c)) - value)
        for name, said in settings.SAID.items()
        for c, value in zip(cells(name, "fitted"), said, strict=True)
    ]
    about = (
        f"Hypervolume to {REACH} times EASY on {table[0]['log']}, mean and standard deviation of {seeds} "
        f"seed{'s' * (seeds != 1)}. The goals come from earlier measurements by other programs, in a box whose best "
        "corner was not kept. *Fitted*: the corner goes from the best of NSGA-II and random search to the best of all "
        f"runs, to where these two are nearest to what they were then: {100 * share:.0f} % of the way, where the "
        f"numbers differ by at most {max(errors):.3f}. Goals reached: {'; '.join(reached)}. So whether they are "
        "reached depends on the corner, which is not known."
    )
    return [*lines, "", about, ""]
