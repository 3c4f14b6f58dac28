"""The command line: one subcommand a stage, each a few lines over functions that a notebook can call just as well.

Exit status: 0 done; 2 the input breaks a rule, said in one line; 130 interrupted (what is on disk is whole).
Tables go to standard output; progress and remarks go to standard error. A reader of the tables that has had enough,
as `head` has, is no error.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import accumulate
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from ..core.errors import InputError, printable, quoted
from ..core.version import __version__

if TYPE_CHECKING:
    from ..fronts.front import Front
    from ..policies.policy import Policy
    from ..search.exploration import Progress
    from ..simulation.schedule import Schedule
    from ..training.training import Progress as Trained
    from ..wishes.wish import Wish
    from ..workload.workload import Workload

PROGRAM = "paretosched"
BUSY = ("importlib", "numba", "llvmlite")  # in the names of files of code that is not to be interrupted
OF_ONE_RUN = (
    "evaluations", "population", "seed", "encoding", "algorithm", "start", "backfill", "decoding", "moves", "movable",
    "recombination", "frequency", "jump",
)  # fmt: skip
OF_GREEDY = {"criterion": "best", "backfill": "easy", "generations": 100, "strategy": "es", "scale": "linear"}
OF_RULES = ("greedy", "generations", "evaluations", "plus", "defaults")
OF_GENETIC = ("population", "tournament", "crossover", "mutation", "elite", "keep", "tolerance", "start")
DESCRIPTION = """\
Which schedules are possible on my machine for my users, which of them do I want, and which online scheduler
gets me there? A workload log in the Standard Workload Format (SWF, plain or gzipped) is all that is needed."""
EXAMPLE = """\
a first walk, on a workload that is built in:
  paretosched generate lublin --jobs 10000 --processors 128 --seed 71 -o w.swf.gz
  paretosched info w.swf.gz
  paretosched simulate w.swf.gz --policy easy
  paretosched explore w.swf.gz -o run --evaluations 5000
  paretosched front run
  paretosched train w.swf.gz --objective "10*AWRT1 + 4*AWRT2" --generations 20 -o policy.json
  paretosched explain policy.json -o policy.html
  paretosched compare w.swf.gz --front run --policy fcfs --policy policy.json -o report.html

Times are seconds as in the trace. UTIL is in per cent of the machine from the first start to the last completion;
AWRT is the average response time weighted by processor seconds, AWRT1..5 that of each user group."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    program = PROGRAM
    try:
        try:
            options = _parser().parse_args(arguments)
            program = f"{PROGRAM} {options.command}"
            options.run(options)
        finally:
            _flush()
    except InputError as error:
        _tell(f"{program}: {error}")
        return 2
    except KeyboardInterrupt:
        _tell(f"{program}: interrupted")
        return 130
    return 0


# --- what each subcommand does ------------------------------------------------------------------------------------


def info(options: argparse.Namespace) -> None:
    """Show what a workload is and what was dropped or repaired."""
    from ..core.tables import Column, table, to_json
    from ..workload.description import describe

    about = describe(_workload(options))
    if options.json:
        _show(to_json(about))
        return
    load = "-" if about["load"] is None else f"{about['load']:.3f}"
    _show(
        f"{about['name']}\n"
        f"  {about['jobs']:,} jobs of {about['users']:,} users on {about['capacity']:,} processors\n"
        f"  submitted {about['first_submit']} to {about['last_submit']}, {about['zone']}: "
        f"{about['span_days']:.1f} days\n"
        f"  offered load {load}; serial jobs {about['serial_percent']:.1f} %; "
        f"recorded waits for {about['recorded_waits_percent']:.1f} %\n"
    )
    what = {
        "run": "run time s",
        "estimate": "requested time s",
        "width": "processors",
        "interarrival": "next job after s",
    }
    quantiles = [{"what": words, **(about["quantiles"][key] or {})} for key, words in what.items()]
    keys = list(about["quantiles"]["run"])
    _show(table(quantiles, [Column("what", "quantiles"), *(Column(k, k, ",d") for k in keys)]))
    _show()
    groups = [
        Column("group", "group"),
        Column("users", "users", ",d"),
        Column("jobs", "jobs", ",d"),
        Column("work_percent", "work %", ".1f"),
    ]
    _show(table(about["groups"], groups))
    _show()
    situations = [
        Column("situation", "situation"),
        Column("jobs_percent", "jobs %", ".1f"),
        Column("work_percent", "work %", ".1f"),
    ]
    _show(table(about["situations"], situations))
    _show()
    if about["repairs"]:
        repairs = [
            Column("action", "action"),
            Column("jobs", "jobs", ",d"),
            Column("reason", "reason"),
            Column("first", "first"),
        ]
        _show(table(about["repairs"], repairs))
    else:
        _show("nothing was dropped or repaired")


def generate(options: argparse.Namespace) -> None:
    """Write a workload of the Lublin-Feitelson model."""
    from ..workload.lublin_feitelson import lublin
    from ..workload.swf import write_swf

    _check_outputs(options, "output")
    made = lublin(
        jobs=options.jobs,
        processors=options.processors,
        seed=options.seed,
        variant=options.variant,
        carry=not options.no_carry,
        estimates=options.estimates,
    )
    write_swf(made, options.output)
    _tell_workload(options, made)


def scale(options: argparse.Namespace) -> None:
    """Write a workload scaled to another machine size."""
    from ..workload.scaling import scale as scaled
    from ..workload.swf import write_swf

    _check_outputs(options, "output")
    workload = _workload(options)
    made = scaled(workload, processors=options.processors, factor=options.factor, seed=options.seed, jobs=options.jobs)
    write_swf(made, options.output)
    _remark_repairs(options, workload)
    for repair in made.repairs[len(workload.repairs) :]:
        _remark(f"{options.output}: {repair.action} {repair.jobs:,} jobs: {repair.reason} ({repair.first})")
    _tell_workload(options, made)


def fetch(options: argparse.Namespace) -> None:
    """Download a log."""
    from ..core.tables import to_json
    from ..workload.public_logs import fetch as fetched

    with _bar("downloading", None, "bytes") as update:
        path = fetched(options.name, options.output, progress=lambda done, total: update(done, total, ""))
    _show(to_json({"file": str(path)}) if options.json else str(path))


def simulate(options: argparse.Namespace) -> None:
    """Run a workload under a policy and measure the schedule."""
    from ..comparison.comparison import class_table, searched_text
    from ..core.tables import Column, table, to_json
    from ..policies.policy import save_policy
    from ..simulation.objective import objective_table, objectives
    from ..simulation.schedule import save_schedule, save_segments
    from ..simulation.service import by_class

    _check_outputs(options, "output", "save_policy", "segments")
    workload = _workload(options)
    schedule, policy, explored_on = _scheduled(options, workload)
    values = objectives(schedule)
    if options.segments is not None:
        save_segments(schedule, options.segments)
    if options.output is not None:
        save_schedule(schedule, options.output)
    if options.save_policy is not None and policy is not None:
        save_policy(policy, options.save_policy)
    _remark_repairs(options, workload)
    if explored_on != workload.digest:
        _remark(f"{options.front} was explored on another workload; its policy was applied to this one")
    _remark_history(schedule)
    names = objective_table(workload.groups)
    classes = by_class(schedule, policy.sharing if policy is not None else None)
    if options.json:
        measured = {o.name: float(value) for o, value in zip(names, values, strict=True)}
        about = {"workload": workload.name, "digest": workload.digest, "policy": schedule.name, "jobs": len(workload)}
        sharing = None if policy is None else policy.sharing
        knows = sharing is not None and sharing.run_times == "known"
        about["estimates"] = "exact" if knows else options.estimates
        searched = None if schedule.searched is None else schedule.searched._asdict()
        more = {"classes": [row._asdict() for row in classes], "searched": searched}
        _show(to_json({**about, "capacity": workload.capacity, **measured, **more}))
        return
    _show(f"{schedule.name} on {workload.name}: {len(workload):,} jobs, {workload.capacity:,} processors")
    rows = [
        {"objective": o.name, "value": value, "unit": o.unit, "meaning": o.label}
        | {"hours": value / 3600 if o.unit == "s" else ""}
        for o, value in zip(names, values, strict=True)
    ]
    _show(
        table(
            rows,
            [
                Column("objective", "objective"),
                Column("value", "value", ",.2f"),
                Column("unit", "unit"),
                Column("hours", "hours", ",.2f"),
                Column("meaning", "meaning"),
            ],
        )
    )
    if schedule.segments is not None:
        _show(f"\n{class_table([classes], [schedule.name])}")
    if schedule.searched is not None:
        _show(f"\n{searched_text(schedule.searched)}")


def explore(options: argparse.Namespace) -> None:
    """Explore the schedules of a workload into a run directory."""
    from ..core.tables import to_json
    from ..fronts.front import extremes
    from ..fronts.remake import row_policy
    from ..search.exploration import explore as explored

    if options.plan is not None:
        explore_plan(options)
        return
    if options.only:
        raise InputError("--only: chooses rows of a plan, so it needs --plan")
    workload = _workload(options)
    last: list[Progress] = []
    with _sure_interrupt(), _bar("exploring", options.evaluations) as update:

        def show(progress: Progress) -> None:
            last[:] = [progress]
            update(progress.evaluations, progress.total, f"front {progress.front:,}")

        try:
            front = explored(
                workload,
                options.output,
                evaluations=options.evaluations,
                population=options.population,
                seed=options.seed or 0,
                encoding=options.encoding or "weighting",
                algorithm=options.algorithm,
                start=options.start,
                backfill=options.backfill,
                decoding=options.decoding,
                moves=options.moves,
                movable=options.movable,
                recombination=options.recombination,
                frequency=options.frequency,
                jump=options.jump,
                workers=options.workers,
                scheduler=options.scheduler,
                progress=show,
            )
        except KeyboardInterrupt:
            _remark_kept(options.output)
            raise
    done = last[0]
    _remark_repairs(options, workload)
    if done.replayed >= done.total:
        _remark(f"{options.output} had {done.total:,} evaluations already; nothing was left to do")
    if options.json:
        summary = {"run": str(options.output), "size": len(front), **done._asdict()}
        summary["best"] = dict(zip((o.name for o in front.objectives), done.best, strict=True))
        _show(to_json(summary))
        return
    fresh = done.evaluations - done.replayed
    kernel = f", {done.seconds / done.evaluations * 1000:.1f} ms CPU a simulation" if done.evaluations else ""
    _show(
        f"{done.evaluations:,} schedules explored ({fresh:,} now, in {done.elapsed:.1f} s{kernel}); "
        f"{len(front):,} of them are not dominated by another one"
    )
    _print_extremes(front)
    on = shlex.join([*_given(options, [options.trace]), "--front", options.output])
    row = {o.name: row for o, row in extremes(front)}["AWRT"]
    saving = "-o schedule.csv" if row_policy(front, row) is None else "--save-policy policy.json"
    _show(
        f"\nnext: {PROGRAM} compare {on} --policy fcfs --policy easy -o report.html\n"
        f"      {PROGRAM} simulate {on} --row {row} {saving}"
    )


def explore_plan(options: argparse.Namespace) -> None:
    """Explore the rows of a plan, each into a run directory of its own, and merge them."""
    from ..core.tables import Column, table, to_json
    from ..fronts.front_files import load_front
    from ..fronts.quality_indicators import contributions
    from ..search.plans import Row, rows_of, runs_in
    from ..search.plans import explore_plan as explored
    from ..search.runs import read_about

    given = [key for key in OF_ONE_RUN if getattr(options, key) not in (None, [])]
    if given:
        raise InputError(f"--{given[0]}: the rows of a plan have their own; it does not go with --plan")
    rows = rows_of(options.plan, options.only)
    workload = _workload(options)
    total = sum(row.settings["evaluations"] for row in rows)
    before = dict(
        zip((row.name for row in rows), accumulate([0, *(row.settings["evaluations"] for row in rows)]), strict=False)
    )
    with _sure_interrupt(), _bar(options.plan, total) as update:

        def show(row: Row, progress: Progress) -> None:
            update(before[row.name] + progress.evaluations, total, f"{row.name}: front {progress.front:,}")

        try:
            merged = explored(
                workload, options.output, rows, workers=options.workers, scheduler=options.scheduler, progress=show
            )
        except KeyboardInterrupt:
            _remark(f"the runs are kept in {options.output}; the same command continues them")
            raise
    _remark_repairs(options, workload)
    places = runs_in(options.output)
    lines = [
        {"row": place.name, "seconds": read_about(place)["kernel_seconds"], **given}
        for place, given in zip(places, contributions([load_front(place) for place in places]), strict=True)
    ]
    for line in lines:
        line["ms"] = 1000 * line["seconds"] / line["evaluations"]
    if options.json:
        _show(to_json({"plan": options.plan, "rows": lines, "size": len(merged), "evaluations": merged.evaluations}))
        return
    columns = [
        Column("row", "row"),
        Column("evaluations", "evaluations", ",d"),
        Column("ms", "CPU ms each", ",.1f"),
        Column("size", "its front", ",d"),
        Column("in_front", "in the merged", ",d"),
        Column("gain", "hypervolume lost without it", ".4f"),
    ]
    _show(table(lines, columns))
    _show(
        "hypervolume lost: share of the box from the ideal (0) to 1.1 times the nadir (1) of this merged front\n"
        "  that no other run dominates; fronts that are merged at another time have another box\n\n"
        f"{len(merged):,} of {merged.evaluations:,} schedules are not dominated: {options.output}/front.parquet\n"
    )
    _print_extremes(merged)


def front(options: argparse.Namespace) -> None:
    """Merge runs and fronts, and show what came out."""
    from ..core.tables import Column, plain, table, to_json
    from ..fronts.front import extremes
    from ..fronts.front_files import load_front, save_front
    from ..fronts.merging import merge
    from ..fronts.quality_indicators import contributions, indicators

    _check_outputs(options, "output")
    inputs = [load_front(path) for path in options.runs]
    merged = merge(inputs)
    measured = indicators(merged, inputs)
    if options.output is not None:
        save_front(merged, options.output)
    names = [o.name for o in merged.objectives]
    ends = [
        {"objective": o.name, "row": row, "values": dict(zip(names, plain(merged.values[row]), strict=True))}
        for o, row in extremes(merged)
    ]
    for path, row, given in zip(options.runs, measured["inputs"], contributions(inputs, gain=False), strict=True):
        row |= {"path": str(path)} | {key: given[key] for key in ("only", "best_in")}
    if options.json:
        about = {"workload": merged.workload, "digest": merged.digest, "log": _log(options.runs, merged)}
        _show(to_json({**about, **measured, "extremes": ends}))
        return
    _show(
        f"{len(merged):,} of {merged.evaluations:,} schedules of {merged.workload} are not dominated; "
        f"{measured['duplicates']:,} with the same values as another one were left out within their runs\n"
    )
    columns = [
        Column("path", "from"),
        Column("evaluations", "evaluations", ",d"),
        Column("size", "its front", ",d"),
        Column("in_front", "in the merged", ",d"),
        Column("only", "from it alone", ",d"),
        Column("hypervolume", "hypervolume", ".4f"),
        Column("igd_plus", "IGD+", ".4f"),
        Column("epsilon", "epsilon", ".4f"),
    ]
    total = {"path": "merged", **{key: measured[key] for key in ("evaluations", "size", "hypervolume")}}
    _show(table([*measured["inputs"], total | {"in_front": measured["size"]}], columns))
    _show(
        "hypervolume: share of the box from the ideal (0) to 1.1 times the nadir (1) that is dominated, by\n"
        f"  {measured['hypervolume_method']}, relative error {measured['hypervolume_error']:.1e};\n"
        "  IGD+, epsilon (additive): distance from the merged front;\n"
        "  AWRT takes no part in any of them, it follows from that of the groups. All are in the box of this merged\n"
        "  front: numbers of another call have another box\n"
    )
    _print_extremes(merged)


def compare(options: argparse.Namespace) -> None:
    """Set policies against EASY, a front and what the owner wants, as tables and a report."""
    from ..comparison.comparison import assign
    from ..comparison.comparison import compare as compared
    from ..comparison.several_logs import joint_rows, joint_text
    from ..core.tables import to_json
    from ..fronts.front_files import load_front
    from ..policies.policy import as_policy
    from ..simulation.simulator import simulate as simulated

    _check_outputs(options, "output")
    given = [load_front(path) for path in options.front]
    each, workloads = _workloads(options, given)
    policies = [as_policy(policy) for policy in options.policy or ["fcfs"]]
    fronts = assign(workloads, given)
    wish, remark = _objective(options, policies, workloads)
    comparisons = [compared(w, policies, front, wish) for w, front in zip(workloads, fronts, strict=True)]
    if options.figures is not None:
        from ..plots.comparisons import compared as drawn
        from ..report.figure_files import export_figures

        export_figures(drawn(comparisons, fronts), options.figures)
    if options.output is not None:
        from ..report.comparison_report import write_report

        write_report(options.output, fronts, comparisons)
    for one, workload in zip(each, workloads, strict=True):
        _remark_repairs(one, workload)
        if any(policy.rule == "recorded" for policy in policies):
            _remark_history(simulated(workload, "recorded"))
    if remark:
        _remark(remark)
    _show(to_json(joint_rows(comparisons)) if options.json else joint_text(comparisons))
    if options.output is not None:
        _remark(f"report: {options.output} (open it in a browser; it needs no network)")


def train(options: argparse.Namespace) -> None:
    """Train the online scheduler for what the owner wants."""
    from ..core.tables import amount, to_json
    from ..policies.policy import as_policy, save_policy
    from ..training.greedy_training import train as trained
    from ..training.rule_base_training import train_rules
    from ..training.symbiosis import Symbiosis
    from ..wishes.wish import written
    from ..wishes.wish_files import as_wish

    _check_outputs(options, "output")
    own = _given_for_training(options)
    each = _each(options)
    workloads = [_workload(one) for one in each]
    try:
        wish = as_wish(options.objective, workloads[0].groups)
    except InputError as error:
        raise InputError(f"--objective: {error}") from None
    with _sure_interrupt(), _bar("training", None) as update:

        def show(progress: Trained) -> None:
            said = [f"{amount(progress.objective)}, EASY {amount(progress.easy)}"] if wish.weights or wish.near else []
            if progress.exceeded:
                said.append(f"limits exceeded by {100 * progress.exceeded:,.2f} %")
            update(progress.evaluations, progress.total, "; ".join(said))

        try:
            shared = {
                "until": options.train_until,
                "seed": options.seed,
                "workers": options.workers,
                "scheduler": options.scheduler,
                "run_directory": options.run_directory,
                "progress": show,
            }
            if options.rule_base is None:
                training = trained(workloads, wish, over=options.over or "sum", **own, **shared)
            else:
                if options.greedy is not None:
                    own["greedy"] = as_policy(options.greedy)
                symbiosis = Symbiosis(**{name: own.pop(name) for name in ("plus", "defaults") if name in own})
                training = train_rules(
                    workloads, wish, kind=options.rule_base, over=options.over, symbiosis=symbiosis, **own, **shared
                )
        except KeyboardInterrupt:
            _remark_kept(options.run_directory)
            raise
    policy = training.policy
    save_policy(policy, options.output)
    for one, workload in zip(each, workloads, strict=True):
        _remark_repairs(one, workload)
    if training.systems[training.best].exceeded:
        _remark("no policy within the limits was found; this one exceeds them least")
    if options.rule_base is not None:
        rules, alone = training.systems
        if (alone.exceeded, alone.objective) < (rules.exceeded, rules.objective):
            _remark("the Greedy among its strategies is better alone than these rules")
    if options.json:
        about = {"policy": str(options.output), "name": policy.name, "wish": written(wish), "over": options.over}
        _show(to_json({**about, "evaluations": training.evaluations, "systems": training.rows()}))
        return
    cost = training.seconds / training.evaluations * 1000
    _show(
        f"{training.evaluations:,} policies tried for {written(wish)} in {training.elapsed:.1f} s "
        f"({cost:.1f} ms CPU each)\n\n{training.text()}"
    )
    on = shlex.join([*_given(options, options.traces), "--policy", options.output])
    explained = shlex.join(["explain", str(options.output)])
    _show(
        f"\n{options.output}: {policy.name}; what it does: {PROGRAM} {explained}\n"
        f"next: {PROGRAM} compare {on} --policy fcfs"
    )


def _given_for_training(options: argparse.Namespace) -> dict[str, Any]:
    """Collect the options that only Greedy, or only rule bases have, and refuse those of the other one."""
    ours, others = (OF_GREEDY, OF_RULES) if options.rule_base is None else (OF_RULES, OF_GREEDY)
    asked = {name: value for name in (*OF_GREEDY, *OF_RULES) if (value := getattr(options, name)) is not None}
    strange = [name for name in asked if name in others and name not in ours]
    if strange:
        why = "needs --rule-base" if options.rule_base is None else "is of Greedy; it does not go with --rule-base"
        raise InputError(f"--{strange[0]}: {why}")
    if options.greedy is not None and options.generations is not None:
        raise InputError("--generations: is of the training of a Greedy; it does not go with --greedy")
    for name in ("plus", "defaults"):
        if getattr(options, name) and options.rule_base != "symbiotic":
            raise InputError(f"--{name}: belongs to --rule-base symbiotic; an iteration has no populations")
    given = {name: value for name, value in asked.items() if name in ours}
    return OF_GREEDY | given if options.rule_base is None else given


def explain(options: argparse.Namespace) -> None:
    """Say who overtakes whom under a policy, and when, or which strategy it chooses where, in words and as a figure."""
    from ..core.tables import to_json
    from ..policies.greedy_explanation import explain as explained
    from ..policies.rule_base_explanation import RulesExplanation

    _check_outputs(options, "output")
    explanation = explained(options.policy)
    if options.output is not None:
        from ..plots.policies import overtaking
        from ..plots.rule_bases import decisions
        from ..report.figure_files import write_figure

        if isinstance(explanation, RulesExplanation):
            title, drawn = f"{explanation.policy.name}: which strategy where", decisions(explanation)
        else:
            title, drawn = f"{explanation.policy.name}: who overtakes whom", overtaking(explanation)
        write_figure(options.output, title, drawn, explanation.prose())
    _show(to_json(explanation.about()) if options.json else explanation.text())


def app(options: argparse.Namespace) -> None:
    """Open the owner's page."""
    from ..app.locate_workload import finder
    from ..app.server import served
    from ..core.tables import to_json
    from ..fronts.front_files import load_front
    from ..policies.policy import as_policy

    given = _given(options, [] if options.trace is None else [options.trace])
    if options.trace is None and given:
        raise InputError(f"{given[0]}: says how --trace is read, so it needs --trace")
    if not 0 <= options.port <= 65535:
        raise InputError(f"--port: must be in 0..65535, but is {options.port}")
    front = load_front(options.front)
    policies = [as_policy(policy) for policy in options.policy]
    find = finder(options.front, front, None if options.trace is None else _workload(options), given)
    with (
        _ended_in_order(),
        served(options.front, front, find, policies, host=options.host, port=options.port) as (url, folder, run),
    ):
        about = {"url": url, "folder": folder}
        _show(to_json(about) if options.json else f"{url}\nyour work is kept in {folder}; Ctrl-C ends the page")
        _flush()
        run()


def assign(options: argparse.Namespace) -> None:
    """Assign independent jobs to unequal nodes."""
    from dataclasses import replace

    import numpy as np

    from ..assignment.estimator import History, queues
    from ..assignment.lists import read_history, read_jobs, read_nodes
    from ..assignment.lists import save_assignment as saved
    from ..assignment.methods import GENETIC, Genetic, at_least, divisible
    from ..assignment.methods import assign as assigned
    from ..core.errors import first_few
    from ..core.tables import Column, table, to_json

    _check_outputs(options, "output")
    given = {key: value for key in OF_GENETIC if (value := getattr(options, key)) not in (None, [])}
    if given and options.method not in GENETIC:
        raise InputError(
            f"--{next(iter(given))}: belongs to {' and '.join(GENETIC)}; it does not go with {options.method}"
        )
    bag, nodes = read_jobs(options.jobs), read_nodes(options.nodes)
    past = read_history(options.history) if options.history is not None else History()
    if options.history is None and np.isnan(bag.workload).all():
        bag = replace(bag, workload=bag.size)
        _remark("no workloads and no --history: the size of a job is taken as its workload")
    bag, waiting, ready = queues(past, bag, options.line)
    genetic = Genetic(**given | ({"start": tuple(given["start"])} if "start" in given else {}))
    if not ready.size:
        raise InputError(
            f"{options.jobs}: no job has a workload, and none could be estimated from its size; --history must have "
            "runs of two sizes of a job"
        )
    with _bar("assigning", options.iterations) as update:

        def show(done: int, total: int, makespan: float) -> None:
            update(done, total, f"makespan {makespan:,.6g}")

        found = assigned(
            bag, nodes, options.method, iterations=options.iterations, seed=options.seed, genetic=genetic, progress=show
        )
    if options.output is not None:
        saved(found, options.output)
    if waiting.size:
        shown = first_few((bag.name[k] for k in waiting[:4]), waiting.size)
        _remark(
            f"no workload is known of {waiting.size:,} of {len(bag):,} jobs, which are left out (queue Q1): {shown}"
        )
    bound = at_least(bag, nodes)
    every = [found, *(assigned(bag, nodes, m) for m in ("fcfs", "lpt") if m != options.method)]
    if options.json:
        about = {"jobs": len(bag), "assigned": len(ready), "nodes": len(nodes), "method": found.method}
        about |= {"makespan": found.makespan, "divisible": divisible(bag, nodes), "bound": bound}
        about |= {"iterations": found.iterations, "seed": options.seed}
        _show(to_json(about | {"others": {other.method: other.makespan for other in every[1:]}}))
        return
    bred = f", {found.iterations:,} iterations" if options.method in GENETIC else ""
    _show(f"{found.method}: {len(ready):,} jobs on {len(nodes):,} nodes{bred}")
    rows = [
        {"method": one.method, "makespan": one.makespan, "used": len({*one.node[ready].tolist()})}
        | {"above": 100 * (one.makespan / bound - 1) if bound > 0 else None}
        for one in every
    ]
    columns = [
        Column("method", "method"),
        Column("makespan", "makespan", ",.6g"),
        Column("above", "above the bound %", ",.1f"),
        Column("used", "nodes used", ",d"),
    ]
    _show(table(rows, columns))
    _show(
        f"bound: no assignment is done before {bound:,.6g}, what divisible jobs ({divisible(bag, nodes):,.6g}) or the "
        "largest one on the fastest node would take"
    )


# --- shared by subcommands ----------------------------------------------------------------------------------------


def _each(options: argparse.Namespace) -> list[argparse.Namespace]:
    """Give the options with one of several TRACEs after the other."""
    return [argparse.Namespace(**{**vars(options), "trace": trace}) for trace in options.traces]


def _workloads(options: argparse.Namespace, fronts: Sequence[Front]) -> tuple[list[argparse.Namespace], list[Workload]]:
    """Read the TRACEs; without any, open those of the fronts again. Return the options of each, too."""
    from ..workload.reopening import reopen

    if options.traces:
        each = _each(options)
        return each, [_workload(one) for one in each]
    asked = _given(options, [])
    if asked or not fronts:
        raise InputError(f"TRACE must be given {f'with {asked[0]}' if asked else 'where no --front says what it is'}")
    known = {front.digest: path for path, front in zip(options.front, fronts, strict=True)}
    each = [argparse.Namespace(**{**vars(options), "trace": path}) for path in known.values()]
    return each, [reopen(path, digest) for digest, path in known.items()]


def _log(runs: Sequence[str], merged: Front) -> str | None:
    """Return where the log of a front is, if a run says so and it is there."""
    from ..workload.reopening import reopen

    for run in runs:
        with suppress(InputError):
            return next((step["path"] for step in reopen(run, merged.digest).source if "path" in step), None)
    return None


def _workload(options: argparse.Namespace) -> Workload:
    """Read TRACE, with the --capacity and --groups that were asked for."""
    from ..workload.reopening import as_workload

    return as_workload(options.trace, capacity=options.capacity, groups=options.groups, called="--groups")


def _given(options: argparse.Namespace, traces: Sequence[str]) -> list[str]:
    """Return logs with the options that say how they are read, as on a command line."""
    asked = {option: getattr(options, option) for option in ("capacity", "groups")}
    return [*traces, *(word for key, x in asked.items() if x is not None for word in (f"--{key}", str(x)))]


def _scheduled(options: argparse.Namespace, workload: Workload) -> tuple[Schedule, Policy | None, str]:
    """Make the schedule that --policy, or --front and --row, name; its policy, and the workload that was explored."""
    from ..fronts.front_files import load_front
    from ..fronts.remake import row_policy, schedule
    from ..policies.policy import as_policy, fits
    from ..simulation.simulator import simulate as simulated

    if options.front is None:
        if options.row is not None:
            raise InputError("--row: chooses a schedule of a front, so it needs --front")
        policy = fits(as_policy("easy" if options.policy is None else options.policy), workload)
        return simulated(workload, policy, options.estimates), policy, workload.digest
    if options.policy is not None:
        raise InputError("--front: gives the policy of one of its schedules; it does not go with --policy")
    explored = load_front(options.front)
    row = options.row or 0
    try:
        made = row_policy(explored, row)
        if made is None and options.save_policy is not None:
            raise InputError(f"row {row} knows the future: it is a schedule that no policy makes, so none can be saved")
        if options.estimates != "requested":
            if made is None:
                raise InputError(f"row {row} knows the future: no policy makes it that could be told other --estimates")
            return simulated(workload, made, options.estimates), made, explored.digest
        return schedule(explored, row, workload), made, explored.digest
    except InputError as error:
        raise InputError(f"{options.front}: {error}") from None


def _objective(
    options: argparse.Namespace, policies: Sequence[Policy], workloads: Sequence[Workload]
) -> tuple[Wish | None, str]:
    """Give what the owner wants: --objective, or what a policy was trained for; and which one, if there are several."""
    from ..comparison.comparison import trained_for
    from ..wishes.wish import written
    from ..wishes.wish_files import as_wish

    if options.objective is not None:
        try:
            return as_wish(options.objective, workloads[0].groups), ""
        except InputError as error:
            raise InputError(f"--objective: {error}") from None
    found = trained_for(policies, workloads)
    if not found:
        return None, ""
    wish, *others = found
    asides = "".join(f"; {found[other]} was trained for {written(other)}" for other in others)
    return wish, f"the objective is {written(wish)}, as {found[wish]} was trained for it{asides}" if asides else ""


def _remark_kept(run: str | None) -> None:
    """Say what an interruption has left."""
    from ..search.runs import read_about
    from ..workload.reopening import RUN_FILE

    places = (
        []
        if run is None
        else [place for part in ("", "greedy", "rules") if (place := Path(run, part, RUN_FILE)).exists()]
    )
    if places:
        kept = sum(read_about(place.parent).get("evaluations", {}).get("done", 0) for place in places)
        _remark(f"{kept:,} evaluations are kept in {run}; the same command continues them")


def _remark_repairs(options: argparse.Namespace, workload: Workload) -> None:
    """Say that a log was cleaned; once what was asked for is done, so that an error is the only line there is."""
    jobs = {
        action: sum(repair.jobs for repair in workload.repairs if repair.action == action)
        for action in ("dropped", "changed")
    }
    assumptions = sum(repair.action == "assumed" for repair in workload.repairs)
    parts = [f"{count:,} {action}" for action, count in jobs.items() if count]
    if assumptions:
        parts.append(f"{assumptions} assumption{'s' if assumptions > 1 else ''} made")
    if parts:
        _remark(f"{options.trace}: {len(workload):,} jobs; {', '.join(parts)} ({PROGRAM} info says which and why)")


def _remark_history(schedule: Schedule) -> None:
    """Say if a recorded schedule could not be: nodes were shared, clocks differed, processors came and went."""
    if schedule.name == "recorded":
        try:
            schedule.check()
        except InputError as error:
            _remark(f"not feasible: {error}")


def _tell_workload(options: argparse.Namespace, made: Workload) -> None:
    from ..core.tables import to_json

    span = int(made.submit[-1] - made.submit[0])
    load = made.work / (made.capacity * span) if span else None
    if options.json:
        _show(to_json({"file": options.output, "jobs": len(made), "capacity": made.capacity, "load": load}))
    else:
        shown = "" if load is None else f", offered load {load:.3f}"
        _show(f"{options.output}: {len(made):,} jobs on {made.capacity:,} processors{shown}")


def _print_extremes(merged: Front) -> None:
    from ..comparison.comparison import in_hours
    from ..core.tables import Column, table
    from ..fronts.front import extremes, online

    made_online = online(merged)
    rows = [
        {"best": o.name, "row": row, "evaluation": int(merged.evaluation[row])}
        | {"run": merged.origins[merged.origin[row]].name, "online": "yes" if made_online[row] else "no"}
        | {
            other.name: value / 3600 if other.unit == "s" else value
            for other, value in zip(merged.objectives, merged.values[row], strict=True)
        }
        for o, row in extremes(merged)
    ]
    columns = [Column("best", "best in"), *map(in_hours, merged.objectives)]
    columns += [Column("row", "row", "d")]
    if len(merged.origins) > 1:
        columns.append(Column("run", "run"))
    columns.append(Column("evaluation", "evaluation", "d"))
    if not made_online.all():
        columns.append(Column("online", "online"))
    _show(table(rows, columns))
    if not made_online.all():
        _show(
            f"online no: such a schedule knows all run times and submissions in advance; {int(made_online.sum()):,} of "
            f"{len(merged):,} here are made by policies that could run the machine"
        )
    if merged.groups != tuple(str(i + 1) for i in range(len(merged.groups))):
        _show(", ".join(f"AWRT{i} is group {name}" for i, name in enumerate(merged.groups, 1)))


def _check_outputs(options: argparse.Namespace, *names: str) -> None:
    """Refuse outputs that cannot be written before the work is done, not after; and that would destroy the log."""
    from ..core.files import check_writable

    traces = options.traces if "traces" in options else [options.trace] if "trace" in options else []
    taken = {os.path.realpath(trace): "the workload log" for trace in traces}
    if options.command == "explain":
        taken[os.path.realpath(options.policy)] = "the policy"
    inputs = {"jobs": "the list of jobs", "nodes": "the list of nodes", "history": "the past runs"}
    for name, what in (inputs | {"greedy": "the Greedy policy"}).items():
        if isinstance(path := getattr(options, name, None), str):
            taken[os.path.realpath(path)] = what
    for name in names:
        path = getattr(options, name)
        if path is not None:
            check_writable(path)
            place, option = os.path.realpath(path), f"--{name.replace('_', '-')}"
            if place in taken:
                raise InputError(f"{path}: {option} would overwrite {taken[place]}; give it another name")
            taken[place] = f"what {option} writes"


def _show(text: str = "") -> None:
    """Write lines to standard output; what could steer a terminal, or what it has no letter for, is replaced."""
    if not sys.stdout:  # closed by whoever started us
        return
    clean = "\n".join(map(printable, text.split("\n")))
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(clean.encode(encoding, "replace").decode(encoding))
    except OSError as error:
        _lost(error)


def _flush() -> None:
    """Write what is left for standard output while its errors can still be told."""
    try:
        if sys.stdout:
            sys.stdout.flush()
    except OSError as error:
        _lost(error)


def _lost(error: OSError) -> None:
    """Go on without standard output; that its disk is full is an error, that its reader has gone is none."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter would complain at its end
    if not isinstance(error, BrokenPipeError):
        raise InputError(f"standard output: cannot write: {error.strerror}") from None


def _tell(text: str) -> None:
    """Write one line to standard error; a run must not end because nobody reads along."""
    if sys.stderr:  # else print() would take standard output
        with suppress(OSError):
            print(printable(" ".join(text.split())), file=sys.stderr, flush=True)


def _remark(text: str) -> None:
    _tell(f"{PROGRAM}: {text}")


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Take the end that a service manager asks for as Ctrl-C, so that what runs is stopped and kept.

    A page in the background of a script ignores Ctrl-C. It goes on doing so, but by a handler: what is ignored would be
    inherited by its trainings, which are cancelled by that signal, and a handler is not.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    interrupt = signal.getsignal(signal.SIGINT)
    if interrupt is signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, interrupt)


@contextmanager
def _sure_interrupt() -> Iterator[None]:
    """Let Ctrl-C come through; where it would be lost or do harm, it is put off.

    It would be lost in a callback of the garbage collector, such as Dask's, and in a finalizer; and it would leave a
    library that is being imported, or a compiler at work, in a state in which a run cannot even be closed.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            code = frame.f_code
            if code.co_name in ("_gc_callback", "__del__") or any(part in code.co_filename for part in BUSY):
                threading.Timer(0.01, os.kill, (os.getpid(), number)).start()
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:  # else somebody wants it otherwise, such as `nohup`
        signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(what: str, total: int | None, unit: str = "") -> Iterator[Callable[[int, int | None, str], None]]:
    """Show a progress bar with the time left where standard error is a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what, unit)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn() if unit == "bytes" else MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(what, total=total, note="")

        def update(done: int, goal: int | None, note: str) -> None:
            bar.update(task, completed=done, total=goal, note=note)

        yield update


def _lines(what: str, unit: str) -> Callable[[int, int | None, str], None]:
    tenths = 0

    def update(done: int, goal: int | None, note: str) -> None:
        nonlocal tenths
        if goal and done * 10 // goal > tenths:
            tenths = done * 10 // goal
            amount = f"{done:,} of {goal:,} {unit}".rstrip()
            _remark(f"{what}: {amount}, {note}" if note else f"{what}: {amount}")

    return update


# --- the parser ---------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and point to the help."""

    def print_help(self, file: object = None) -> None:  # noqa: ARG002  # only ever standard output
        _show(self.format_help().rstrip("\n"))

    def error(self, message: str) -> NoReturn:
        _tell(f"{self.prog}: {message} (see {self.prog} --help)")
        self.exit(2)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:  # no number, or one of thousands of digits
        raise argparse.ArgumentTypeError(f"must be a whole number, but is {quoted(text)}") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, but is {quoted(text)}") from None


def _path(text: str) -> str:
    if not text or "\0" in text:
        raise argparse.ArgumentTypeError(f"must be the name of a file, but is {quoted(text)}")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True, parser_class=_Parser
    )

    def command(name: str, run: Callable[[argparse.Namespace], None], text: str, example: str) -> _Parser:
        made = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=f"example:\n{example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        made.set_defaults(run=run)
        made.add_argument("--json", action="store_true", help="write JSON instead of tables")
        return made

    def takes_trace(made: _Parser, several: bool = False, needed: bool = True) -> None:
        what = "workload log in SWF, plain or gzipped, or a run directory, whose log is opened again"
        if several:
            many = f"{what}; one or more" if needed else f"{what}; one or more, by default those of the fronts"
            made.add_argument("traces", nargs="+" if needed else "*", metavar="TRACE", type=_path, help=many)
        else:
            made.add_argument("trace", metavar="TRACE", type=_path, help=what)
        takes_reading(made)

    def takes_reading(made: _Parser) -> None:
        made.add_argument(
            "--capacity", type=_whole, metavar="N", help="processors of the machine (default: the log's MaxProcs)"
        )
        made.add_argument(
            "--groups",
            metavar="HOW",
            type=_path,
            help="user groups: consumption (default: five, by the user's share of all processor seconds: above 8 %%, "
            "2 %%, 1 %%, 0.1 %%, the rest), other percentages such as 10,1, swf (field 13 of the log), queue (field "
            "15), or a CSV file with the columns user,group",
        )

    def takes_workers(made: _Parser) -> None:
        made.add_argument(
            "--workers",
            type=_whole,
            default=0,
            metavar="N",
            help="worker processes (default 0: threads of this one, one a core)",
        )
        made.add_argument("--scheduler", metavar="ADDRESS", help="use a running Dask cluster: tcp://host:8786")

    made = command(
        "info",
        info,
        "jobs, users, groups, load, span, what was dropped or repaired and why",
        "  paretosched info CTC-SP2-1996-3.1-cln.swf.gz",
    )
    takes_trace(made)

    made = command(
        "generate",
        generate,
        "write a workload of a model",
        "  paretosched generate lublin --jobs 10000 --processors 128 --seed 71 -o w.swf.gz",
    )
    made.add_argument("model", metavar="MODEL", choices=["lublin"], help="lublin: Lublin and Feitelson 2003")
    made.add_argument("--jobs", type=_whole, default=10_000, metavar="N", help="jobs (default 10000)")
    made.add_argument(
        "--processors", type=_whole, default=128, metavar="N", help="processors of the machine (default 128)"
    )
    made.add_argument("--seed", type=_whole, default=71, help="seed (default 71); same seed, same workload")
    made.add_argument(
        "--variant",
        default="typeless",
        choices=["typeless", "two-type"],
        help="one kind of jobs (default), or batch and interactive ones",
    )
    made.add_argument(
        "--no-carry",
        action="store_true",
        help="forget the rest of an interval at each arrival, as some ports of the model do",
    )
    made.add_argument(
        "--estimates",
        default="rounded",
        choices=["rounded", "factor", "exact"],
        help="requested times: the values users type (default), a random multiple of the run time, or the run time",
    )
    made.add_argument(
        "-o", "--output", required=True, metavar="FILE", type=_path, help="SWF file to write, gzipped if it ends in .gz"
    )

    made = command(
        "scale",
        scale,
        "scale a workload to another machine size (Ernemann, Song, Yahyapour 2003)",
        "  paretosched scale CTC-SP2-1996-3.1-cln.swf.gz --processors 1024 --factor 2.45 -o ctc1024.swf.gz\n"
        "  (published factors to 1024: CTC 2.45, KTH 10.71, LANL 1, SDSC00 8.21, SDSC95 and SDSC96 2.48, NASA 8)",
    )
    takes_trace(made)
    made.add_argument(
        "--processors", type=_whole, default=1024, metavar="N", help="processors of the new machine (default 1024)"
    )
    made.add_argument(
        "--factor", type=_number, metavar="F", help="how much more work (default: new processors / old ones)"
    )
    made.add_argument(
        "--seed", type=_whole, default=0, help="seed of the draw which jobs are widened and which copied (default 0)"
    )
    made.add_argument("--jobs", type=_whole, metavar="EXACT", help="make exactly so many jobs")
    made.add_argument(
        "-o", "--output", required=True, metavar="FILE", type=_path, help="SWF file to write, gzipped if it ends in .gz"
    )

    made = command(
        "fetch",
        fetch,
        "download a public log from the Parallel Workloads Archive",
        "  paretosched fetch CTC-SP2\n  (PARETOSCHED_ARCHIVE names a mirror)",
    )
    made.add_argument(
        "name", metavar="NAME", help="short name of the log, such as CTC-SP2, KTH-SP2, LANL-CM5, SDSC-SP2, NASA-iPSC"
    )
    made.add_argument("-o", "--output", default=".", metavar="DIR", type=_path, help="directory (default: here)")

    made = command(
        "simulate",
        simulate,
        "run a workload under a policy and print the objectives",
        "  paretosched simulate w.swf.gz --policy easy -o schedule.csv\n"
        "  paretosched simulate w.swf.gz --policy easy --estimates recent\n"
        "  paretosched simulate w.swf.gz --policy scojo-opt --segments segments.csv --save-policy scojo-opt.json\n"
        "  paretosched simulate w.swf.gz --front run --row 17 --save-policy policy.json",
    )
    takes_trace(made)
    made.add_argument(
        "--policy",
        metavar="P",
        type=_path,
        help="fcfs, list, easy (default), conservative, conservative-replan, recorded; scojo, the time sharing of "
        "paper 004, or scojo-opt, with its group optimisation (--save-policy writes all their numbers); or a policy "
        ".json file",
    )
    made.add_argument(
        "--front",
        metavar="FRONT",
        type=_path,
        help="run directory or front file: make one of its schedules again",
    )
    made.add_argument("--row", type=_whole, metavar="N", help="which one (default 0)")
    made.add_argument(
        "--estimates",
        default="requested",
        choices=["requested", "recent", "predicted", "printed", "exact"],
        help="what the policy is told of run times, which stay what they are: requested (default); recent, the mean of "
        "the user's last two jobs that have ended (Tsafrir, Etsion, Feitelson 2007); predicted, from what the user's "
        "jobs took by what they requested (paper 003, corrected line), or printed, as the paper prints it; exact. "
        "Where history does not suffice, the request; one that proves too short grows step by step. Time sharing "
        "takes none of them: its policy says by run_times what it knows",
    )
    made.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=_path,
        help="write the schedule: job,submit,start,finish,processors,user,group",
    )
    made.add_argument(
        "--segments",
        metavar="FILE",
        type=_path,
        help="of a policy that preempts jobs, write when each runs and where: job,from,to,nodes (CSV, or .parquet)",
    )
    made.add_argument("--save-policy", metavar="FILE", type=_path, help="write the policy as JSON")

    made = command(
        "explore",
        explore,
        "explore the possible schedules: a run directory with every evaluation and the front",
        "  paretosched explore ctc1024.swf.gz -o run --evaluations 20000\n"
        "  paretosched explore ctc1024.swf.gz -o paper --plan paper002\n"
        "  paretosched explore ctc1024.swf.gz -o paper --plan paper002 --only queue-permutation\n"
        "  paretosched explore ctc1024.swf.gz -o starts --encoding orders\n"
        "  paretosched explore ctc1024.swf.gz -o offline --encoding sequence --start run --decoding earliest --moves "
        "pull\n"
        "  (killed or stopped with Ctrl-C, the same command continues it, with the same result)",
    )
    takes_trace(made)
    made.add_argument(
        "-o", "--output", required=True, metavar="RUN", type=_path, help="run directory, new or to be continued"
    )
    made.add_argument(
        "--evaluations",
        type=_whole,
        metavar="N",
        help="schedules in all (default 20000; a run that is continued: as many as it was meant to have)",
    )
    made.add_argument(
        "--population",
        type=_whole,
        metavar="N",
        help="schedules a generation (default 100, or as the run that is continued)",
    )
    made.add_argument(
        "--seed", type=_whole, help="seed (default 0); same seed, same archive, for any number of workers"
    )
    made.add_argument(
        "--plan",
        choices=["paper002", "better", "algorithms", "moves"],
        help="several explorations, each in a directory of its own in RUN, and their merged front. paper002: "
        "the rows of Table 4 of the paper; better: what it did not try; algorithms: NSGA-II beside others; "
        "moves: what moves from known schedules on are worth",
    )
    made.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ROW",
        help="a row of the plan alone, such as queue-permutation; may be repeated; an unknown word lists all",
    )
    made.add_argument(
        "--encoding",
        choices=["weighting", "sequence", "orders"],
        help="what is varied: weighting, the parameters of Greedy (default); sequence, an order of all jobs; orders, "
        "the weak orders of the user groups, which are few and enumerated",
    )
    made.add_argument(
        "--algorithm",
        choices=["nsga2", "nsga", "unsga3", "agemoea2", "rvea", "random", "all"],
        help="nsga2 (default; all for orders), NSGA as in paper 002, U-NSGA-III, AGE-MOEA-II, RVEA, "
        "random search as a baseline; all: what --start names and nothing else",
    )
    made.add_argument(
        "--start",
        action="append",
        default=[],
        metavar="WHAT",
        type=_path,
        help="what to begin with; may be repeated. sequence: submit (default), permutations (of the groups, and "
        "the order of submission), weak (orders of the groups), random, a policy, or a run or front for its policies. "
        "weighting: a run or front. orders: workload, queue (default: both)",
    )
    made.add_argument(
        "--backfill",
        choices=["none", "easy", "conservative"],
        help="backfilling under the weighted order, or that of the groups (default easy)",
    )
    made.add_argument(
        "--decoding",
        choices=["online", "strict", "earliest"],
        help="how a schedule is made. sequence: strict, no job before its predecessor (default), or earliest, each "
        "in turn where it fits first. weighting: online (default), or earliest: the start order of Greedy, decoded so",
    )
    made.add_argument(
        "--moves",
        choices=["adjacent", "swap", "later", "group", "pull", "fill", "both"],
        help="how sequences are mutated: neighbours swapped, distant jobs swapped (default), jobs moved towards "
        "the end, those of all groups but one; pull, jobs of one group whose wait is expensive moved forward; fill, "
        "jobs moved to where processors idle and they fit, with strict decoding; both, pull or fill by chance",
    )
    made.add_argument(
        "--movable",
        choices=["all", "processors", "hour", "either", "both"],
        help="which jobs are moved: all (default), those of 32 processors or more, of more than one hour, either, both",
    )
    made.add_argument(
        "--recombination",
        choices=["none", "ox", "pmx", "cycle"],
        help="of sequences: none (default), or order, partially mapped or cycle crossover for 30 %% of the children",
    )
    made.add_argument(
        "--frequency",
        type=_number,
        metavar="N",
        help="moves of a mutation at first (default 5000; 50 where it begins with a policy, run or front)",
    )
    made.add_argument(
        "--jump",
        type=_number,
        metavar="N",
        help="mean length of a move at first, in places of the order (default 1500)",
    )
    takes_workers(made)

    made = command(
        "train",
        train,
        "train the online scheduler for what you want: a policy file",
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2" -o policy.json\n'
        '  paretosched train ctc1024.swf.gz --objective "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h" --train-until 0.7 '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz kth1024.swf.gz --objective "10*AWRT1 + 4*AWRT2" --over ratio --run both '
        "-o p.json\n"
        '  paretosched train ctc1024.swf.gz --rule-base symbiotic --objective "10*AWRT1 + 4*AWRT2" -o rules.json\n'
        "  paretosched train ctc1024.swf.gz --rule-base iterative --greedy policy.json --objective AWRT -o rules.json\n"
        "  (with --run, killed or stopped with Ctrl-C, the same command continues it, with the same result)",
    )
    takes_trace(made, several=True)
    made.add_argument(
        "--objective",
        required=True,
        metavar="WISH",
        help="what is wanted, in words or as a .json file: a sum to be minimised, 10*AWRT1 + 4*AWRT2 - 500*UTIL; a "
        "point, near AWRT1=50000, AWRT2=17h; each with limits or limits alone, AWRT5 <= 11h, UTIL >= 65, AWRT in "
        "45000..52000. Seconds and per cent where no unit (s, min, h, d, %%) is given. One that begins with a minus is "
        "given as --objective=-UTIL",
    )
    made.add_argument("-o", "--output", required=True, metavar="FILE", type=_path, help="policy file to write, JSON")
    made.add_argument(
        "--criterion",
        choices=["f1", "f2", "f3", "f4", "best"],
        help="by what the queue is ordered; best (default): all four, and what they make together",
    )
    made.add_argument(
        "--backfill",
        choices=["none", "easy", "conservative"],
        help="backfilling under the trained order (default easy; paper 000 has none)",
    )
    made.add_argument(
        "--generations",
        type=_whole,
        metavar="N",
        help="of 105 schedules for each criterion (default 100); with --rule-base, of the Greedy among its strategies",
    )
    made.add_argument(
        "--train-until",
        type=_number,
        metavar="SHARE",
        help="learn from this share of the time, such as 0.7, and report on the rest, too",
    )
    made.add_argument(
        "--over",
        choices=["sum", "ratio"],
        help="with several logs: the sum of their objectives (default), or the mean of the ratios to EASY (default "
        "with --rule-base)",
    )
    made.add_argument("--strategy", choices=["es", "cma"], help="evolution strategy of paper 000 (default), or CMA-ES")
    made.add_argument(
        "--scale",
        choices=["linear", "log"],
        help="vary weights as in paper 000 (default), or on a logarithmic scale, which learns faster",
    )
    rules = made.add_argument_group(
        "rule bases (paper 001)",
        "Instead of one order for all times, one of thirteen strategies is chosen at every decision by\n"
        "the state of the machine: FCFS, EASY or conservative backfilling on four sortings of the queue,\n"
        "and a Greedy without backfilling. --criterion, --backfill, --strategy and --scale do not go with it.",
    )
    rules.add_argument(
        "--rule-base",
        choices=["iterative", "symbiotic"],
        help="iterative: a table of situations, filled one after the other, which can be read; symbiotic: fuzzy rules "
        "that evolve and are then refined, better, and never worse than the best strategy alone",
    )
    rules.add_argument(
        "--evaluations",
        type=_whole,
        metavar="N",
        help="rule bases to simulate (default 2496, as in the paper, or 3513; a run can be continued with more)",
    )
    rules.add_argument(
        "--greedy",
        metavar="POLICY",
        type=_path,
        help="the Greedy among the strategies, a policy file without backfilling (default: f2 is trained first)",
    )
    rules.add_argument(
        "--plus",
        action="store_const",
        const=True,
        help="symbiotic: parents compete with their children, 80 rule bases a generation; the paper announces it, but "
        "its algorithms select children only, 70",
    )
    rules.add_argument(
        "--defaults",
        action="store_const",
        const=True,
        help="symbiotic: default values evolve, too: a strategy that is chosen where all rules together weigh less "
        "than a threshold; the paper found no use for them",
    )
    made.add_argument(
        "--seed", type=_whole, default=0, help="seed (default 0); same seed, same policy, for any number of workers"
    )
    made.add_argument(
        "--run",
        dest="run_directory",
        metavar="RUN",
        type=_path,
        help="directory that keeps every evaluation, new or to be continued (default: none)",
    )
    takes_workers(made)

    made = command(
        "explain",
        explain,
        "say in words, numbers and a figure what a policy does: who overtakes whom and when, or which strategy where",
        "  paretosched explain policy.json\n"
        "  paretosched explain policy.json -o policy.png\n"
        "  paretosched explain rules.json -o rules.html\n"
        "  paretosched explain easy",
    )
    made.add_argument("policy", metavar="POLICY", type=_path, help="a policy .json file, or a rule as for simulate")
    made.add_argument(
        "-o",
        "--output",
        metavar="FIGURE",
        type=_path,
        help="figure to write, of a policy with weights or rules: .html, or .png or .svg, which need Chrome or "
        "Chromium",
    )

    made = command(
        "front",
        front,
        "merge runs into one front; show its extremes, size and indicators",
        "  paretosched front run1 run2 -o front.parquet",
    )
    made.add_argument(
        "runs", nargs="+", metavar="RUN", type=_path, help="run directories or front files of one workload"
    )
    made.add_argument("-o", "--output", metavar="FRONT", type=_path, help="front file to write (Parquet)")

    made = command(
        "compare",
        compare,
        "set policies against EASY, a front and what you want, as tables and a self-contained report",
        "  paretosched compare w.swf.gz --front run --policy fcfs --policy easy --policy policy.json -o report.html\n"
        '  paretosched compare ctc.swf.gz kth.swf.gz --policy policy.json --objective "10*AWRT1 + 4*AWRT2" --json',
    )
    takes_trace(made, several=True, needed=False)
    made.add_argument(
        "--front",
        action="append",
        default=[],
        metavar="FRONT",
        type=_path,
        help="run directory or front file; may be repeated, one for each log (the logs tell which)",
    )
    made.add_argument(
        "--policy",
        action="append",
        metavar="P",
        type=_path,
        help="as for simulate; may be repeated (default fcfs; EASY is always there)",
    )
    made.add_argument(
        "--objective",
        metavar="WISH",
        help="what is wanted, as for train (default: what the first policy file that says so was trained for)",
    )
    made.add_argument("-o", "--output", metavar="FILE", type=_path, help="HTML report to write")
    made.add_argument(
        "--figures",
        metavar="DIR",
        type=_path,
        help="also write the figures there as PNG and SVG; needs Chrome or Chromium",
    )
    made = command(
        "app",
        app,
        "open the interactive page: see what is possible, say what you want, compare, train the scheduler for it",
        "  paretosched app run\n"
        "  paretosched app front.parquet --trace ctc1024.swf.gz --policy rules.json\n"
        "  (what you do is kept beside RUN or FRONT, in RUN.app; the same command opens it again)",
    )
    made.add_argument("front", metavar="RUN|FRONT", type=_path, help="run directory or front file")
    made.add_argument(
        "--trace",
        metavar="TRACE",
        type=_path,
        help="the log that was explored, for known schedules and training (default: what the run says, if it is there)",
    )
    takes_reading(made)
    made.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="P",
        type=_path,
        help="as for simulate: another schedule to mark on the charts; may be repeated (FCFS, EASY and CONS are always "
        "there, and the recorded schedule where there is one)",
    )
    made.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where to listen (default 127.0.0.1, "
        "this machine only); elsewhere the page asks for the token that is shown",
    )
    made.add_argument("--port", type=_whole, default=8050, metavar="N", help="port (default 8050; 0: any free one)")

    made = command(
        "assign",
        assign,
        "assign independent jobs to nodes of different speeds (paper 003), for the least makespan",
        "  paretosched assign jobs.csv nodes.csv -o assignment.csv\n"
        "  paretosched assign jobs.csv nodes.csv --method pgga --iterations 200 --seed 1 -o assignment.csv\n"
        "  jobs.csv:              nodes.csv:             and, of jobs with a size alone, --history past.csv:\n"
        "    job,workload           node,speed             job,size,workload\n"
        "    render,500             n1,2.6                 render,10,90\n"
        "    sort,20                n2,1.6                 render,40,330\n"
        "  A node of speed 2 does 2 units of workload in a time unit. Also: job,size; job,size,workload with empty\n"
        "  cells; node,speed,utilisation; and job,size,time,speed or job,size,time,speed,utilisation for past runs",
    )
    made.add_argument(
        "jobs",
        metavar="JOBS",
        type=_path,
        help="CSV file: job,workload; or job,size, which without --history is the workload",
    )
    made.add_argument("nodes", metavar="NODES", type=_path, help="CSV file: node,speed or node,speed,utilisation")
    made.add_argument(
        "--method",
        default="lpt",
        choices=["fcfs", "random", "list", "lpt", "tga", "pgga"],
        help="fcfs: each job in turn to the node that is free first; random: to any; list: to the node that would "
        "finish it first; lpt (default): the same, largest first, hard to beat; tga, pgga: the genetic algorithms of "
        "paper 003",
    )
    made.add_argument(
        "--iterations", type=_whole, default=200, metavar="N", help="generations of tga and pgga (default 200)"
    )
    made.add_argument("--seed", type=_whole, default=0, help="seed (default 0); same seed, same assignment")
    made.add_argument(
        "--history",
        metavar="FILE",
        type=_path,
        help="CSV file of past runs, from which workloads are estimated by size",
    )
    made.add_argument(
        "--line",
        default="interpolated",
        choices=["interpolated", "printed"],
        help="between two past sizes: the line through both (default), or slope times size as paper 003 prints it",
    )
    made.add_argument("-o", "--output", metavar="FILE", type=_path, help="write job,workload,node,start,finish")
    left_open = made.add_argument_group("what paper 003 leaves open about tga and pgga")
    for option, kind, text in (
        ("population", _whole, "chromosomes of a generation (default 50)"),
        ("tournament", _whole, "candidates of which the best becomes a parent (default 2)"),
        ("crossover", _number, "probability of one-point crossover (default 0.9)"),
        ("mutation", _number, "probability of each gene to become any node (default 1 / jobs)"),
        ("elite", _whole, "how many of the best live on (default 1)"),
        ("keep", _number, "pgga: share of a generation near enough to the bound to have children (default 0.5)"),
        ("tolerance", _number, "pgga: it stops at this share above the bound (default 0.01)"),
    ):
        left_open.add_argument(f"--{option}", type=kind, metavar="N" if kind is _whole else "SHARE", help=text)
    left_open.add_argument(
        "--start",
        action="append",
        choices=["fcfs", "random", "list", "lpt"],
        help="put this method's assignment into the first generation; may be repeated",
    )
    return parser
