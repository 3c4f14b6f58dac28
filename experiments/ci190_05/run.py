"""Run the settings and write what came out to results/ci190_05; continues where it was stopped."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import settings

import paretosched as ps
from paretosched.core.files import replacing
from paretosched.core.tables import save_rows
from paretosched.fronts.dominance import costs, nondominated
from paretosched.fronts.front import front_of
from paretosched.fronts.quality_indicators import (
    HYPERVOLUME_METHOD,
    Box,
    box_of,
    dominated,
    hypervolume,
    hypervolume_error,
    scaled,
)
from paretosched.fronts.remake import row_policy, schedules
from paretosched.search.exploration import Progress
from paretosched.search.plans import PLANS, SUMMARIES, Row, explore_plan, shortened
from paretosched.search.runs import evaluated, read_about
from paretosched.simulation.objective import objective_table

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PARTS = ("paper002", "better", "algorithms", "moves", "workloads")


def main() -> None:
    """Run everything, or the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the built-in workload and few evaluations")
    parser.add_argument("--part", action="append", choices=PARTS, help="may be given again; default: all, in order")
    parser.add_argument("--workers", type=int, default=0, help="processes that simulate (default 0: threads)")
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where the run directories are kept")
    parser.add_argument("--results", type=Path, default=ROOT / "results" / "ci190_05", help="where the results go")
    options = parser.parse_args()
    parts = options.part or PARTS
    options.work.mkdir(parents=True, exist_ok=True)
    options.results.mkdir(parents=True, exist_ok=True)
    ctc = scaled_workload(settings.CTC, options.quick)
    place = options.work / "CTC"
    if "paper002" in parts:
        rows = [*PLANS["paper002"], settings.RANDOM]
        explore(ctc, place, rows, options)
        save_rows(table4(place, ctc), options.results / "table4.csv")
        save_rows(courses(place, PLANS["paper002"], options.quick), options.results / "courses.csv")
    if "better" in parts:
        explore(ctc, place, PLANS["better"], options)
        save_rows(steps(place), options.results / "better.csv")
        save_rows(courses(place, PLANS["better"], options.quick), options.results / "better-courses.csv")
        save_rows(backfilling(place), options.results / "backfilling.csv")
    if "algorithms" in parts:
        rows = seeds_of("algorithms", options.quick)
        explore(ctc, place, rows, options)
        save_rows(algorithms(place, rows), options.results / "algorithms.csv")
    if "moves" in parts:
        rows = seeds_of("moves", options.quick)
        explore(ctc, place, rows, options)
        save_rows(moves(place, rows), options.results / "moves.csv")
    if "workloads" in parts:
        save_rows(
            [other(log, place if log == settings.CTC else options.work / log[0], options) for log in logs()],
            options.results / "workloads.csv",
        )
    note = {"quick": options.quick, "processors": settings.PROCESSORS, "scaling_seed": settings.SCALING_SEED}
    note |= {"traces": {name: file for name, file, _ in logs()}, "factors": {name: f for name, _, f in logs()}}
    note |= {"digest": ctc.digest, "jobs": len(ctc), "hypervolume_method": HYPERVOLUME_METHOD}
    note |= {"workers": options.workers, "cores": os.cpu_count(), "parts": sorted({*before(options.results), *parts})}
    note["versions"] = {"python": platform.python_version()} | {
        name: version(name) for name in ("paretosched", "numpy", "numba", "pymoo", "moocore")
    }
    with replacing(options.results / "provenance.json") as temporary:
        temporary.write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")


def logs() -> tuple[tuple[str, str, float], ...]:
    """List name, file and factor of every log, CTC first."""
    return (settings.CTC, *settings.OTHERS)


def scaled_workload(log: tuple[str, str, float], quick: bool) -> ps.Workload:
    """Read a log from PARETOSCHED_TRACES or ../shared/traces and scale it; if `quick`, make up a small one."""
    name, file, factor = log
    if quick:
        size = settings.QUICK
        seed = size["seed"] + logs().index(log)
        return ps.lublin(jobs=size["jobs"], processors=size["processors"], seed=seed)
    folder = Path(os.environ.get("PARETOSCHED_TRACES") or ROOT / ".." / "shared" / "traces")
    made = ps.read_swf(folder / file, name=name)
    return ps.scale(made, settings.PROCESSORS, factor, settings.SCALING_SEED)


def seeds_of(plan: str, quick: bool) -> list[Row]:
    """Give the rows of a plan; if `quick`, those of the first seed."""
    return [row for row in PLANS[plan] if not quick or row.settings["seed"] < 2]


def explore(workload: ps.Workload, place: Path, rows: Iterable[Row], options: argparse.Namespace) -> None:
    """Explore rows into the run directories of a workload, and say how far it is."""
    if options.quick:
        rows = [shortened(row, settings.QUICK["evaluations"], settings.QUICK["population"]) for row in rows]

    def show(row: Row, progress: Progress) -> None:
        if progress.generation % 20 == 0:
            done = f"{progress.evaluations:,} of {progress.total:,}, front {progress.front:,}"
            print(f"  {place.name}, {row.name}: {done}", flush=True)

    explore_plan(workload, place, tuple(rows), workers=options.workers, progress=show)


def table4(place: Path, workload: ps.Workload) -> list[dict[str, Any]]:
    """Measure every row of Table 4, its summary rows, and what each contributed to the final front."""
    names = [row.name for row in PLANS["paper002"]]
    fronts = {name: ps.load_front(place / name) for name in names}
    final = ps.merge(list(fronts.values()))
    given = dict(zip(names, ps.contributions(list(fronts.values())), strict=True))
    merged = {summary.name: ps.merge([fronts[name] for name in summary.rows]) for summary in SUMMARIES}
    titles = {row.name: row.title for row in (*PLANS["paper002"], *SUMMARIES, settings.RANDOM)}
    shown = fronts | merged | {settings.RANDOM.name: ps.load_front(place / settings.RANDOM.name)}
    measured = ps.indicators(final, list(shown.values()))
    rows = []
    for (name, front), found in zip(shown.items(), measured["inputs"], strict=True):
        share = given.get(name, {})
        part = next((summary.rows for summary in SUMMARIES if summary.name == name), (name,))
        rows.append(
            {
                "row": name,
                "title": titles[name],
                "evaluations": front.evaluations,
                "front": len(front),
                "front_without_starts": searched(place, part, final.groups),
                "in_final": found["in_front"],
                "only": share.get("only", ""),
                "best_in": " ".join(share.get("best_in", [])),
                "gain": share.get("gain", ""),
                "hypervolume": found["hypervolume"],
                "igd_plus": found["igd_plus"],
                "epsilon": found["epsilon"],
                **spans([evaluated(place / run)[0] for run in part], "evaluated_", final.groups),
                **spans([front.values], "", final.groups),
                **(since_submission(front, workload) if name in settings.SINCE_SUBMISSION else {}),
                **seconds(place, part),
            }
        )
    return [row | {"hypervolume_error": measured["hypervolume_error"]} for row in rows]


def searched(place: Path, names: Sequence[str], groups: tuple[str, ...]) -> int:
    """Count the non-dominated schedules of runs without the start solutions they began with."""
    starts = {name: len(read_about(place / name)["parameters"].get("starts", ())) for name in names}
    found = np.concatenate([evaluated(place / name)[0][first:] for name, first in starts.items()])
    return int(nondominated(found, objective_table(groups)).sum())


def since_submission(front: ps.Front, workload: ps.Workload) -> dict[str, float]:
    """Give lowest and highest UTIL of a front if its span begins with the first submission, not with the first start.

    The same for every online scheduler, which starts the first job when it comes; a sequence may let the machine wait.
    """
    found = front.values[:, 0].copy()
    rows = [row for row in np.argsort(front.evaluation).tolist() if row_policy(front, row) is None]
    for row, made in zip(rows, schedules(front, rows, workload), strict=True):
        last = made.finish.max()
        found[row] *= (last - made.start.min()) / (last - workload.submit.min())
    return {"submitted_UTIL_low": float(found.min()), "submitted_UTIL_high": float(found.max())}


def spans(values: Sequence[np.ndarray], prefix: str, groups: tuple[str, ...]) -> dict[str, float]:
    """Give lowest and highest value of every objective."""
    every = np.concatenate(values)
    ends = {}
    for o, column in zip(objective_table(groups), every.T, strict=True):
        ends |= {f"{prefix}{o.name}_low": float(column.min()), f"{prefix}{o.name}_high": float(column.max())}
    return ends


def seconds(place: Path, names: Sequence[str]) -> dict[str, float]:
    """Give wall and kernel seconds of runs, all their sessions together."""
    abouts = [read_about(place / name) for name in names]
    wall = sum(session["wall_seconds"] for about in abouts for session in about["sessions"])
    return {"wall_seconds": round(wall, 1), "kernel_seconds": round(sum(a["kernel_seconds"] for a in abouts), 1)}


def interesting(weighting: ps.Front, merged: ps.Front) -> Box:
    """Make the box of what an owner would look at: nothing worse than the worst on the front of the weighting.

    A sequence may let everybody wait for a year, so that in the box of everything all that is of use is in one corner.
    """
    nadir = box_of(weighting).nadir
    points = costs(merged.values, merged.objectives)
    return Box(box_of(merged).objectives, points[(points <= nadir).all(axis=1)].min(axis=0), nadir)


def courses(place: Path, rows: Sequence[Row], quick: bool) -> list[dict[str, Any]]:
    """Measure what every run had found after how many evaluations and seconds of simulation, in one box."""
    merged = ps.merge([ps.load_front(place / row.name) for row in rows])
    box = interesting(ps.load_front(place / "weighting"), merged)
    found = []
    for row in rows:
        values, spent = evaluated(place / row.name)
        first = min(20, len(values))
        clock = np.cumsum(spent)
        shared = [*settings.AT_EVALUATIONS, *(np.searchsorted(clock, s, "right") for s in settings.AT_SECONDS)]
        points = settings.QUICK["points"] if quick else settings.COURSE_POINTS
        at = np.geomspace(first, len(values), points).astype(np.int64)
        at = np.union1d(at, [k for k in shared if first <= k <= len(values)])
        course = ps.course(values, merged.objectives, at.tolist(), box, merged)
        found += [
            {
                "row": row.name,
                "evaluations": int(k),
                "kernel_seconds": round(float(clock[k - 1]), 3),
                "size": int(course.size[i]),
                "hypervolume": float(course.hypervolume[i]),
                "igd_plus": float(course.igd_plus[i]),
            }
            for i, k in enumerate(course.evaluations)
        ]
    return found


def steps(place: Path) -> list[dict[str, Any]]:
    """Add row after row of the plan "better" to the paper's final front, and measure what each step gains."""
    paper = ps.merge([ps.load_front(place / row.name) for row in PLANS["paper002"]])
    weighting = ps.load_front(place / "weighting")
    new = [row for row in PLANS["better"] if row.name != "weighting"]
    fronts = {row.name: ps.load_front(place / row.name) for row in new}
    offline = {
        row.name
        for row in (*PLANS["paper002"], *new)
        if row.settings["encoding"] == "sequence" or row.settings.get("decoding") == "earliest"
    }
    sequences = [ps.load_front(place / row.name) for row in PLANS["paper002"] if row.name in offline]
    box = interesting(weighting, ps.merge([paper, *fronts.values()]))
    found = []
    paper_and_more = paper
    for name, title in [("final", "The paper's plan"), *((row.name, row.title) for row in new)]:
        if name in fronts:
            paper_and_more = ps.merge([paper_and_more, fronts[name]])
        if name in offline:
            sequences.append(fronts[name])
        found.append(
            {
                "row": name,
                "title": title,
                "evaluations": fronts[name].evaluations if name in fronts else paper.evaluations,
                **seconds(place, [name] if name in fronts else [row.name for row in PLANS["paper002"]]),
                "front": len(paper_and_more),
                "hypervolume": hypervolume(scaled(paper_and_more.values, paper.objectives, box)),
                "paper_points": len(paper),
                "paper_points_dominated": int(dominated(paper, paper_and_more).sum()),
                "alone_dominates": int(dominated(paper, fronts[name]).sum()) if name in fronts else 0,
                "weighting_points": len(weighting),
                "weighting_points_dominated_offline": int(dominated(weighting, ps.merge(sequences)).sum()),
            }
        )
    whole = scaled(paper_and_more.values, paper.objectives, box)
    return [row | {"hypervolume_error": hypervolume_error(whole)} for row in found]


def backfilling(place: Path) -> list[dict[str, Any]]:
    """Set the first half of the evaluations with EASY against twice as many without backfilling."""
    none, easy = ps.load_front(place / "weighting-none"), ps.load_front(place / "weighting")
    half = none.evaluations // 2
    values = evaluated(place / "weighting")[0][:half]
    first = front_of(values, np.zeros((half, easy.genomes.shape[1])), easy.origins[0], easy.groups, "", easy.digest)
    return [
        {
            "none_evaluations": none.evaluations,
            "none_points": len(none),
            "none_dominated": int(dominated(none, first).sum()),
            "easy_evaluations": half,
            "easy_points": len(first),
            "easy_dominated": int(dominated(first, none).sum()),
        }
    ]


def algorithms(place: Path, compared: Sequence[Row]) -> list[dict[str, Any]]:
    """Measure algorithms at equal evaluations, the runs of one encoding in one box."""
    found = []
    for encoding in ("weighting", "sequence"):
        rows = [row for row in compared if row.settings["encoding"] == encoding]
        fronts = [ps.load_front(place / row.name) for row in rows]
        merged = ps.merge(fronts)
        for row, measured in zip(rows, ps.indicators(merged, fronts)["inputs"], strict=True):
            keys = ("evaluations", "size", "hypervolume", "igd_plus", "epsilon")
            about = {key: row.settings[key] for key in ("encoding", "algorithm", "seed")}
            found.append({"row": row.name, **about, **{key: measured[key] for key in keys}})
    return found


def moves(place: Path, compared: Sequence[Row]) -> list[dict[str, Any]]:
    """Measure moves at equal evaluations, in one box with the front they begin with."""
    rows = [row for row in compared if row.settings["encoding"] == "sequence"]
    begin = ps.load_front(place / "weighting")
    fronts = [ps.load_front(place / row.name) for row in rows]
    with_begin = [ps.merge([begin, front]) for front in fronts]
    first, *measured = ps.indicators(ps.merge([begin, *fronts]), [begin, *fronts, *with_begin])["inputs"]
    found = []
    for row, own, gained in zip(rows, measured[: len(rows)], measured[len(rows) :], strict=True):
        about = {key: row.settings[key] for key in ("moves", "frequency", "seed")}
        kept = {key: own[key] for key in ("evaluations", "size", "in_front", "hypervolume")}
        seconds = {"kernel_seconds": read_about(place / row.name)["kernel_seconds"]}
        both = {"begin": first["hypervolume"], "gain": gained["hypervolume"] - first["hypervolume"]}
        found.append({"row": row.name, **about, **kept, **seconds, **both})
    return found


def other(log: tuple[str, str, float], place: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Explore another workload in short, and tell who waits in it at all."""
    workload = scaled_workload(log, options.quick)
    rows = [row for row in PLANS["paper002"] if row.name in settings.OTHER_ROWS]
    if log != settings.CTC:
        rows = [shortened(row, settings.OTHER_EVALUATIONS) for row in rows]
        explore(workload, place, rows, options)
    fronts = [ps.load_front(place / row.name) for row in rows]
    merged = ps.merge(fronts)
    waits: dict[str, Any] = {}
    for policy in settings.POLICIES:
        schedule = ps.simulate(workload, policy)
        wait = schedule.start - workload.submit
        waits[f"{policy}_waiting_percent"] = 100 * float((wait > 0).mean())
        waits[f"{policy}_mean_wait"] = float(wait.mean())
        waits[f"{policy}_AWRT"] = float(ps.objectives(schedule)[1])
    consumption = (workload.run * workload.width).astype(np.float64)
    waits["AWRT_without_waiting"] = float(np.average(workload.run, weights=consumption))
    return {
        "workload": log[0],
        "jobs": len(workload),
        "capacity": workload.capacity,
        "digest": workload.digest,
        "evaluations": merged.evaluations,
        **{f"front_{row.name}": len(front) for row, front in zip(rows, fronts, strict=True)},
        "front": len(merged),
        **spans([merged.values], "", merged.groups),
        **spans([fronts[-1].values], "weighting_", merged.groups),
        **waits,
    }


def before(results: Path) -> list[str]:
    """List the parts that earlier calls have run."""
    path = results / "provenance.json"
    return json.loads(path.read_text(encoding="utf-8"))["parts"] if path.exists() else []


if __name__ == "__main__":
    main()
