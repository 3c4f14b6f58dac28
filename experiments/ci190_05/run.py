"""Run the settings and write the results to results/ci190_05; continues where it was stopped."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import contributions
import settings

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import save_rows
from paretosched.fronts.dominance import nondominated_rows
from paretosched.fronts.quality_indicators import HYPERVOLUME_METHOD, box_of
from paretosched.fronts.quality_indicators import course as course_of
from paretosched.fronts.row_schedules import row_policy, schedules
from paretosched.search.exploration import Progress
from paretosched.search.plans import PLANS, SUMMARIES, Row, explore_plan, shorten
from paretosched.search.runs import read_about, read_values
from paretosched.simulation.objective import objective_table

PARTS = ("paper002", "seeds", "workloads", "raised")


def main() -> None:
    """Run everything, or the parts of the options."""
    parser = common.run_parser("ci190_05", __doc__, "the built-in workload and few evaluations", PARTS)
    common.add_workers(parser)
    common.add_work(parser, "ci190_05")
    options = common.options_of(parser)
    parts = options.part or PARTS
    ctc = common.workload("CTC", settings.QUICK, options.quick)
    easy = contributions.easy_of(ctc)
    place = options.work / "CTC"
    if "paper002" in parts:
        rows = [*PLANS["paper002"], settings.RANDOM]
        explore(ctc, place, rows, options)
        save_rows(table4(place, ctc), options.results / "table4.csv")
        save_rows(courses(place, PLANS["paper002"], easy, options.quick), options.results / "courses.csv")
    if "seeds" in parts:
        for rows_so_far in of_seeds(ctc, options):
            save_rows(rows_so_far, options.results / "seeds.csv")
    if "workloads" in parts:
        save_rows(
            [other(log, options.work / log, options) for log in common.LOGS],
            options.results / "workloads.csv",
        )
    if "raised" in parts:
        row = other(common.RAISED, options.work / common.RAISED, options)
        save_rows([row], options.results / "raised.csv")
    note = {"quick": options.quick, "processors": common.PROCESSORS, "scaling_seed": common.SCALING_SEED}
    note |= {"traces": {log: common.file_of(log) for log in common.LOGS}}
    note |= {"factors": {log: common.factor_of(log) for log in common.LOGS}}
    note |= {"digest": ctc.digest, "jobs": len(ctc), "hypervolume_method": HYPERVOLUME_METHOD}
    note |= {"workers": options.workers, "cores": os.cpu_count()}
    common.save_provenance(options.results, note, ("pymoo", "moocore"), parts)


def of_seeds(ctc: ps.Workload, options: argparse.Namespace) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of Table 4 with the other seeds, after each of them with those before it."""
    of_all: list[dict[str, Any]] = []
    for seed in settings.QUICK_SEEDS if options.quick else settings.SEEDS:
        place = options.work / f"CTC-{seed}"
        explore(ctc, place, [with_seed(row, seed) for row in (*PLANS["paper002"], settings.RANDOM)], options)
        of_all += [{"seed": seed, **row} for row in table4(place, ctc)]
        yield of_all


def with_seed(row: Row, seed: int) -> Row:
    """Return a row with another seed, if anything in it is drawn."""
    return row._replace(settings={**row.settings, "seed": seed}) if "seed" in row.settings else row


def explore(workload: ps.Workload, place: Path, rows: Iterable[Row], options: argparse.Namespace) -> None:
    """Explore rows into the run directories of a workload, and print the progress."""
    if options.quick:
        rows = [shorten(row, settings.QUICK["evaluations"], settings.QUICK["population"]) for row in rows]

    def show(row: Row, progress: Progress) -> None:
        if progress.generation % 20 == 0:
            amount = f"{progress.evaluations:,} of {progress.total:,}, front {progress.front:,}"
            print(f"  {place.name}, {row.name}: {amount}", flush=True)

    explore_plan(workload, place, tuple(rows), workers=options.workers, progress=show)


def table4(place: Path, workload: ps.Workload) -> list[dict[str, Any]]:
    """Return measures of every row of Table 4 and its summary rows, with the contribution to the final front."""
    names = [row.name for row in PLANS["paper002"]]
    fronts = {name: earlier_front(place, name) for name in names}
    final = ps.merge(list(fronts.values()))
    easy = contributions.easy_of(workload)
    shares = dict(zip(names, ps.contributions(list(fronts.values()), easy=easy), strict=True))
    by_summary = {summary.name: ps.merge([fronts[name] for name in summary.rows]) for summary in SUMMARIES}
    titles = {row.name: row.title for row in (*PLANS["paper002"], *SUMMARIES, settings.RANDOM)}
    by_name = fronts | by_summary | {settings.RANDOM.name: earlier_front(place, settings.RANDOM.name)}
    quality = contributions.measures(final, by_name, workload)
    rows = []
    for name, front in by_name.items():
        share, values = shares.get(name, {}), quality[name]
        part = next((summary.rows for summary in SUMMARIES if summary.name == name), (name,))
        rows.append(
            {
                "row": name,
                "title": titles[name],
                "evaluations": front.evaluations,
                "front": len(front),
                "front_without_starts": nondominated_without_starts(place, part, final.groups),
                "in_final": values["in_front"],
                "only": share.get("only", ""),
                "best_in": " ".join(share.get("best_in", [])),
                "gain": share.get("gain", ""),
                **{key: values[key] for key in ("inside", "hypervolume", "igd_plus", "epsilon", "whole_hypervolume")},
                **spans([read_values(place / run)[0] for run in part], "evaluated_", final.groups),
                **spans([front.values], "", final.groups),
                **(since_submission(front, workload) if name in settings.SINCE_SUBMISSION else {}),
                **seconds(place, part),
            }
        )
    return [row | {"hypervolume_error": quality["final"]["hypervolume_error"]} for row in rows]


def nondominated_without_starts(place: Path, names: Sequence[str], groups: tuple[str, ...]) -> int:
    """Return the number of non-dominated schedules of runs without their start solutions."""
    starts = {name: len(read_about(place / name)["parameters"].get("starts", ())) for name in names}
    values = np.concatenate([read_values(place / name)[0][first:] for name, first in starts.items()])
    return int(nondominated_rows(values, objective_table(groups)).sum())


def since_submission(front: ps.Front, workload: ps.Workload) -> dict[str, float]:
    """Return lowest and highest UTIL of a front, measured from the first submission, not from the first start.

    For an online scheduler both are the same, because it starts the first job at its submission; a sequence may let the
    machine wait.
    """
    utilisation = front.values[:, 0].copy()
    rows = [row for row in np.argsort(front.evaluation).tolist() if row_policy(front, row) is None]
    for row, schedule in zip(rows, schedules(front, rows, workload), strict=True):
        last = schedule.finish.max()
        utilisation[row] *= (last - schedule.start.min()) / (last - workload.submit.min())
    return {"submitted_UTIL_low": float(utilisation.min()), "submitted_UTIL_high": float(utilisation.max())}


def spans(values: Sequence[np.ndarray], prefix: str, groups: tuple[str, ...]) -> dict[str, float]:
    """Return lowest and highest value of every objective."""
    all_values = np.concatenate(values)
    ends = {}
    for o, column in zip(objective_table(groups), all_values.T, strict=True):
        ends |= {f"{prefix}{o.name}_low": float(column.min()), f"{prefix}{o.name}_high": float(column.max())}
    return ends


def seconds(place: Path, names: Sequence[str]) -> dict[str, float]:
    """Return wall and kernel seconds of runs, all sessions together."""
    kernel = sum(read_about(place / name)["kernel_seconds"] for name in names)
    wall = common.wall_seconds(*(place / name for name in names))
    return {"wall_seconds": wall, "kernel_seconds": round(kernel, 1)}


def courses(place: Path, rows: Sequence[Row], easy: Floats, quick: bool) -> list[dict[str, Any]]:
    """Return the quality of every run after numbers of evaluations and seconds of simulation, in the owner's box."""
    whole = ps.merge([earlier_front(place, row.name) for row in rows])
    box = box_of(whole, easy)
    points_of_runs = []
    for row in rows:
        values, seconds = read_values(place / row.name)
        first = min(20, len(values))
        clock = np.cumsum(seconds)
        common_places = [*settings.AT_EVALUATIONS, *(np.searchsorted(clock, s, "right") for s in settings.AT_SECONDS)]
        points = settings.QUICK["points"] if quick else settings.COURSE_POINTS
        at = np.geomspace(first, len(values), points).astype(np.int64)
        at = np.union1d(at, [k for k in common_places if first <= k <= len(values)])
        course = course_of(values, whole.objectives, at.tolist(), box, whole)
        points_of_runs += [
            {
                "row": row.name,
                "evaluations": int(k),
                "kernel_seconds": round(float(clock[k - 1]), 3),
                "size": int(course.size[i]),
                "hypervolume": float(course.hypervolume[i]),
                "igd_plus": float(course.igd_plus[i]),
                "reach": box.reach,
            }
            for i, k in enumerate(course.evaluations)
        ]
    return points_of_runs


def other(log: str, place: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Explore another workload briefly; return its front and the share of its jobs that wait."""
    jobs = common.workload(log, settings.QUICK, options.quick)
    rows = [row for row in PLANS["paper002"] if row.name in settings.OTHER_ROWS]
    if log != "CTC":
        rows = [shorten(row, settings.OTHER_EVALUATIONS) for row in rows]
        explore(jobs, place, rows, options)
    fronts = [earlier_front(place, row.name) for row in rows]
    whole = ps.merge(fronts)
    waits: dict[str, Any] = {}
    for policy in settings.POLICIES:
        schedule = ps.simulate(jobs, policy)
        wait = schedule.start - jobs.submit
        waits[f"{policy}_waiting_percent"] = 100 * float((wait > 0).mean())
        waits[f"{policy}_mean_wait"] = float(wait.mean())
        waits[f"{policy}_AWRT"] = float(ps.objectives(schedule)[1])
    consumption = (jobs.run * jobs.width).astype(np.float64)
    waits["AWRT_without_waiting"] = float(np.average(jobs.run, weights=consumption))
    return {
        "workload": log,
        "jobs": len(jobs),
        "capacity": jobs.capacity,
        "digest": jobs.digest,
        "evaluations": whole.evaluations,
        **{f"front_{row.name}": len(front) for row, front in zip(rows, fronts, strict=True)},
        "front": len(whole),
        **spans([whole.values], "", whole.groups),
        **spans([fronts[-1].values], "weighting_", whole.groups),
        **waits,
    }


def earlier_front(place: Path, name: str) -> ps.Front:
    """Return the front of an exploration; if it was not made, the script ends."""
    if not (place / name).exists():
        common.fail(f"{place / name} was not explored; run the part paper002 first")
    return ps.load_front(place / name)


if __name__ == "__main__":
    main()
