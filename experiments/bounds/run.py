"""Try the bounds on tiny workloads whose best schedules are known, and on logs; the results go to results/bounds."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from functools import partial
from itertools import chain, combinations, product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from tiny import sums_of_all, tiny_workload, values_of

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.kernels.squashed_queue import number_of, squashed_queue
from paretosched.simulation.squashed_area import exact_dot, jobs_of, least_area
from paretosched.wishes.best_possible import best_possible, most_gain
from paretosched.wishes.linear_programme import Row, solve
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import Limit, Wish, goal, violation
from paretosched.wishes.wish_files import as_wish

TINY, OF_LOGS = PARTS = ("tiny", "logs")
LIMITED_KEYS = ("limited", "sum with limits", "impossible", "proved impossible", "wishes beaten")
SQUASHED = ("squashed area", "order of release", "job-wise minima", "widths")
AT_FIRST, IN_ORDER, MINIMA, WIDTHS = SQUASHED
IN_TURN, TWO = ("wide in turn", "two at a time")
INGREDIENTS = (*SQUASHED, IN_TURN, TWO)


def main() -> None:
    """Run everything, or the parts of the options."""
    parser = common.run_parser("bounds", __doc__, "ten tiny workloads and a made-up log", PARTS)
    common.add_workers(parser)
    options = common.options_of(parser)
    if options.quick:
        for key, value in settings.QUICK.items():
            setattr(settings, key, value)
    parts = {
        TINY: lambda: all_tiny(options.workers),
        OF_LOGS: lambda: chain.from_iterable(
            of_log(log, kind, options.quick) for log, kind in product(settings.LOGS, settings.AS)
        ),
    }
    note: dict[str, Any] = {"chunks": settings.CHUNKS, "chunk": settings.CHUNK, "jobs": settings.JOBS}
    note |= {"processors": settings.PROCESSORS, "wishes": settings.FREE | settings.LIMITED}
    common.run_parts(options, parts, note, ("scipy",))


# --- tiny workloads ---------------------------------------------------------------------------------------------------


def all_tiny(workers: int) -> list[dict[str, Any]]:
    """Return a row for every chunk of tiny workloads."""
    work = partial(of_chunk, size=settings.CHUNK)
    if not workers:
        return [work(seed) for seed in range(settings.CHUNKS)]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(work, range(settings.CHUNKS)))


def of_chunk(seed: int, size: int) -> dict[str, Any]:
    """Return how often the bounds are beaten by a schedule of tiny workloads, and how near the best one comes."""
    generator = np.random.default_rng([seed, 17])
    row: dict[str, Any] = {"seed": seed, "workloads": size}
    sums: dict[str, float] = {}
    for i in range(size):
        for key, value in of_tiny(generator, i % settings.LIMITED_EVERY == 0).items():
            sums[key] = sums.get(key, 0.0) + value
    print(f"  chunk {seed}: beaten {sums['sets beaten'] + sums['wishes beaten']:.0f} times", flush=True)
    return row | {key: round(value, 6) for key, value in sums.items()}


def of_tiny(generator: np.random.Generator, limited: bool) -> dict[str, float]:
    """Return what there is to count and to add up about one tiny workload; `limited`: of wishes with limits, too."""
    w = tiny_workload(generator, settings.JOBS, settings.PROCESSORS)
    jobs, sums = jobs_of(w), sums_of_all(w)
    values, ideal = values_of(sums, w), ps.bounds(w).together
    groups = range(len(w.groups))
    sets = [members for size in groups for members in combinations(groups, size + 1)]
    best = [int(sums[:, members].sum(axis=1).min()) for members in sets]
    f = [least_area(jobs, members) for members in sets]
    count: dict[str, float] = {
        "schedules": len(sums),
        "sets": len(sets),
        "sets beaten": sum(bound > least for bound, least in zip(f, best, strict=True)),
        "sets met": sum(bound == least for bound, least in zip(f, best, strict=True)),
        "AWRT": f[-1] / best[-1],
        "AWRT without two at a time": least_area(jobs, groups, two_at_a_time=False) / best[-1],
    }
    names = [f"AWRT{i + 1}" for i in groups]
    weights = [(name, float(x)) for name, x in zip(names, generator.integers(1, 11, len(names)), strict=True)]
    beaten, share = of_wish(Wish(weights=weights), w, values)
    least = goal(Wish(weights=weights), values).min()
    count |= {"sum": share, "sum by the ideal point": float(goal(Wish(weights=weights), ideal[None])[0] / least)}
    more = of_limited(generator, w, values, weights) if limited else dict.fromkeys(LIMITED_KEYS, 0.0)
    return count | more | {"wishes": 4 if limited else 1, "wishes beaten": more["wishes beaten"] + beaten}


def of_limited(
    generator: np.random.Generator, w: ps.Workload, values: Floats, weights: list[tuple[str, float]]
) -> dict[str, float]:
    """Return what there is to count about wishes with limits that can be kept, with a point, and with tight limits."""
    names = [name for name, _ in weights]
    some = values[generator.integers(len(values))]
    limits = [Limit(name, high=float(x * generator.uniform(1, 1.2))) for name, x in zip(names, some[2:], strict=True)]
    beaten, limited = of_wish(Wish(weights=weights, limits=limits[1:]), w, values)
    point = [(name, float(x * generator.uniform(0.5, 1.2))) for name, x in zip(names, some[2:], strict=True)]
    beaten_near, _ = of_wish(Wish(near=point), w, values)
    tight = values[:, 2:].min(axis=0) * generator.uniform(1, 1.3, len(names))
    region = Wish(limits=[Limit(name, high=float(x)) for name, x in zip(names, tight, strict=True)])
    refused = bool(best_possible(region, w).impossible)
    within = bool((violation(region, values) == 0).any())
    all_beaten = beaten + beaten_near + (refused and within)
    return dict(zip(LIMITED_KEYS, (1, limited, not within, refused, all_beaten), strict=True))


def of_wish(wish: Wish, w: ps.Workload, values: Floats) -> tuple[bool, float]:
    """Return whether a schedule beats the bound of a wish that can be kept, and bound / smallest goal."""
    least = goal(wish, values)[violation(wish, values) == 0].min()
    best = best_possible(wish, w)
    return bool(best.impossible) or best.goal > least, best.goal / least


# --- logs -------------------------------------------------------------------------------------------------------------


def of_log(log: str, kind: str, quick: bool) -> list[dict[str, Any]]:
    """Return for every wish what EASY reaches on a log, and how far below it each bound is, per cent."""
    w = common.stand_in(log, settings.QUICK_SIZE) if quick else common.log_of(log)
    if kind == "1024" and not quick:
        w = common.scaled_log(log)
    easy, ideal = np.asarray(ps.objectives(ps.simulate(w, "easy"))), ps.bounds(w).together
    rows_of = {name: area_rows(w, name) for name in INGREDIENTS[:-1]}
    begin = time.process_time()
    rows_of[TWO] = area_rows(w, TWO)
    seconds = time.process_time() - begin
    rows = []
    for name, words in (settings.FREE | settings.LIMITED).items():
        given = as_wish(words, w.groups)
        if any(np.isnan(easy[1 + int(aim.removeprefix("AWRT") or 0)]) for aim in given.aims):
            continue
        wish = resolved_on(given, w, {"easy": easy})
        of_easy = float(goal(wish, easy[None])[0])
        row: dict[str, Any] = {"log": log, "as": kind, "jobs": len(w), "wish": name, "EASY": round(of_easy, 1)}
        row["ideal point"] = round(100 * (1 - float(goal(wish, ideal[None])[0]) / of_easy), 3)
        best = best_possible(wish, w)
        most = most_gain(best, wish, of_easy)
        row["programme"] = "impossible" if most is None else round(most, 3)
        for ingredient in INGREDIENTS if name in settings.FREE else ():
            row[ingredient] = round(100 * (1 - least_sum(wish, w, rows_of[ingredient]) / of_easy), 3)
        rows.append(row | {"seconds of all f": round(seconds, 2)})
        print(f"  {log} {kind}: {row}", flush=True)
    return rows


def area_rows(w: ps.Workload, ingredient: str) -> list[Row]:
    """Return the rows of all sets of groups that have jobs, by bounds with fewer ingredients."""
    jobs = jobs_of(w)
    groups = [g for g, work in enumerate(jobs.work) if work]
    sets = [members for size in range(len(groups)) for members in combinations(range(len(groups)), size + 1)]
    chosen = [[groups[i] for i in members] for members in sets]
    if ingredient in SQUASHED:
        areas = [squashed_area(w, numbers, ingredient) for numbers in chosen]
    else:
        areas = [least_area(jobs, numbers, two_at_a_time=ingredient == TWO) for numbers in chosen]
    return [Row(members, Fraction(f)) for members, f in zip(sets, areas, strict=True)]


def squashed_area(w: ps.Workload, groups: Sequence[int], ingredient: str) -> int:
    """Return f without wide jobs, with the ingredients up to this one of `SQUASHED`.

    All processors work on what has been released, or on no more of it than the `WIDTHS` allow; sum RC_j (C_j - r_j) is
    at least the integral of what is released and not done. `AT_FIRST` all is released with the first job, and what
    the others come later is taken off again. Without the `MINIMA` a job completes with the last of its work, and all
    that is known besides is that the sum is not 0; with them it takes its run time: that adds RC_j p_j / 2, and no
    response is shorter.

    Without the widths, work flows in at once: during the second before it is released, so that it is there in time, and
    the integral loses RC_j / 2.
    """
    jobs = w.in_arrival_order.jobs.take(np.flatnonzero(np.isin(w.in_arrival_order.jobs.group, groups)))
    work, waited = jobs.run * jobs.width, 0
    begin, length, rate = jobs.eligible + 1, jobs.run, jobs.width
    if ingredient != WIDTHS:
        begin, length, rate = jobs.eligible, np.ones_like(work), work
        waited -= int(work.sum())
    if ingredient == AT_FIRST:
        begin = np.full_like(begin, begin.min())
        waited -= 2 * exact_dot(work, jobs.eligible - begin)
    when, change = np.concatenate([begin, begin + length]), np.concatenate([rate, -rate])
    order = np.argsort(when, kind="stable")
    group, none = np.zeros(len(order), np.int64), np.empty(0, np.int64)
    queue = squashed_queue(when[order], change[order], group, np.ones(1, np.bool_), none, none, w.capacity)
    waited += number_of(queue)
    if ingredient in (AT_FIRST, IN_ORDER):
        return max(1, waited // 2)
    alone = exact_dot(work, jobs.run)
    return max(alone, (alone * (2 if ingredient == WIDTHS else 1) + waited) // 2)


def least_sum(wish: Wish, w: ps.Workload, rows: list[Row]) -> float:
    """Return the bound of a wish without limits by these rows, as `best_possible` has it but for rounding."""
    work = np.bincount(w.group, (w.run * w.width).astype(np.float64), len(w.groups))
    weights = dict(wish.weights)
    present = np.flatnonzero(work).tolist()
    costs = [
        Fraction(weights.get(f"AWRT{g + 1}", 0.0) / work[g] + weights.get("AWRT", 0.0) / work.sum()) for g in present
    ]
    solution = solve(costs, rows)
    return math.nan if solution is None else float(solution.least)


if __name__ == "__main__":
    main()
