"""The command line: one subcommand a stage, each a few lines over functions that a notebook can call just as well.

Exit status: 0 done; 2 the input breaks a rule, said in one line; 130 interrupted (what is on disk is whole).
Tables go to standard output; progress and remarks go to standard error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from . import __version__
from .errors import InputError

if TYPE_CHECKING:
    from .explore import Progress
    from .front import Front
    from .policy import Policy
    from .workload import Workload

PROGRAM = "paretosched"
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
  paretosched compare w.swf.gz --front run --policy fcfs --policy easy -o report.html

Times are seconds as in the trace. UTIL is in per cent of the machine from the first start to the last completion;
AWRT is the average response time weighted by processor seconds, AWRT1..5 that of each user group."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    try:
        options = _parser().parse_args(arguments)
        with _quiet_pipe():
            return int(options.run(options))
    except InputError as error:
        print(f"{PROGRAM}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return 130


# --- what each subcommand does ------------------------------------------------------------------------------------


def info(options: argparse.Namespace) -> int:
    """Show what a workload is and what was dropped or repaired."""
    from .tables import Column, table, to_json
    from .workload import describe

    about = describe(_workload(options, remark=False))
    if options.json:
        print(to_json(about))
        return 0
    load = "-" if about["load"] is None else f"{about['load']:.3f}"
    print(
        f"{about['name']}\n"
        f"  {about['jobs']:,} jobs of {about['users']:,} users on {about['capacity']:,} processors\n"
        f"  submitted {about['first_submit']} to {about['last_submit']}, {about['zone']}: "
        f"{about['span_days']:.1f} days\n"
        f"  offered load {load}; serial jobs {about['serial_percent']:.1f} %; "
        f"recorded waits for {about['recorded_waits_percent']:.1f} %\n"
    )
    quantiles = [{"what": what, **(found or {})} for what, found in about["quantiles"].items()]
    keys = list(about["quantiles"]["run"])
    print(table(quantiles, [Column("what", "quantiles (s, processors)"), *(Column(k, k, ",d") for k in keys)]))
    print()
    groups = [
        Column("group", "group"),
        Column("users", "users", ",d"),
        Column("jobs", "jobs", ",d"),
        Column("work_percent", "work %", ".1f"),
    ]
    print(table(about["groups"], groups))
    print()
    situations = [
        Column("situation", "situation"),
        Column("jobs_percent", "jobs %", ".1f"),
        Column("work_percent", "work %", ".1f"),
    ]
    print(table(about["situations"], situations))
    print()
    if about["repairs"]:
        repairs = [
            Column("action", "action"),
            Column("jobs", "jobs", ",d"),
            Column("reason", "reason"),
            Column("first", "first"),
        ]
        print(table(about["repairs"], repairs))
    else:
        print("nothing was dropped or repaired")
    return 0


def generate(options: argparse.Namespace) -> int:
    """Write a workload of the Lublin-Feitelson model."""
    from .workload import lublin, write_swf

    _check_output(options.output)
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
    return 0


def scale(options: argparse.Namespace) -> int:
    """Write a workload scaled to another machine size."""
    from .workload import scale as scaled
    from .workload import write_swf

    _check_output(options.output)
    made = scaled(
        _workload(options), processors=options.processors, factor=options.factor, seed=options.seed, jobs=options.jobs
    )
    write_swf(made, options.output)
    _tell_workload(options, made)
    return 0


def fetch(options: argparse.Namespace) -> int:
    """Download a log."""
    from .tables import to_json
    from .workload import fetch as fetched

    with _bar("downloading", None) as update:
        path = fetched(options.name, options.output, progress=lambda done, total: update(done, total, ""))
    print(to_json({"file": str(path)}) if options.json else path)
    return 0


def simulate(options: argparse.Namespace) -> int:
    """Run a workload under a policy and measure the schedule."""
    from .objectives import objective_table, objectives
    from .policy import fits, save_policy
    from .schedule import save_schedule
    from .simulate import simulate as simulated
    from .tables import Column, table, to_json

    for path in (options.output, options.save_policy):
        if path:
            _check_output(path)
    workload = _workload(options)
    policy = fits(_policy(options, workload), workload)
    schedule = simulated(workload, policy)
    if policy.rule == "recorded":
        try:
            schedule.check()
        except InputError as error:  # history need not be feasible: nodes were shared, clocks differed
            _remark(str(error))
    values = objectives(schedule)
    if options.output:
        save_schedule(schedule, options.output)
    if options.save_policy:
        save_policy(policy, options.save_policy)
    names = objective_table(workload.groups)
    if options.json:
        measured = {o.name: float(value) for o, value in zip(names, values, strict=True)}
        about = {"workload": workload.name, "digest": workload.digest, "policy": policy.name, "jobs": len(workload)}
        print(to_json({**about, "capacity": workload.capacity, **measured}))
        return 0
    print(f"{policy.name} on {workload.name}: {len(workload):,} jobs, {workload.capacity:,} processors")
    rows = [
        {"objective": o.name, "value": value, "unit": o.unit, "hours": value / 3600 if o.unit == "s" else None}
        | {"meaning": o.label}
        for o, value in zip(names, values, strict=True)
    ]
    print(
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
    return 0


def explore(options: argparse.Namespace) -> int:
    """Explore the schedules of a workload into a run directory."""
    from .explore import explore as explored
    from .tables import to_json

    workload = _workload(options)
    last: list[Progress] = []
    with _bar("exploring", options.evaluations) as update:

        def show(progress: Progress) -> None:
            last[:] = [progress]
            update(progress.evaluations, progress.total, f"front {progress.front:,}")

        try:
            front = explored(
                workload,
                options.output,
                evaluations=options.evaluations,
                population=options.population,
                seed=options.seed,
                backfill=options.backfill,
                algorithm=options.algorithm,
                workers=options.workers,
                scheduler=options.scheduler,
                progress=show,
            )
        except KeyboardInterrupt:
            kept = last[0].evaluations if last else 0
            _remark(f"{kept:,} evaluations are kept in {options.output}; the same command continues them")
            raise
    done = last[0]
    if done.replayed >= done.total:
        _remark(f"{options.output} had {done.total:,} evaluations already; nothing was left to do")
    if options.json:
        summary = {"run": str(options.output), "size": len(front), **done._asdict()}
        summary["best"] = dict(zip((o.name for o in front.objectives), done.best, strict=True))
        print(to_json(summary))
        return 0
    fresh = done.total - done.replayed
    kernel = f", {done.seconds / done.total * 1000:.1f} ms CPU a simulation" if done.total else ""
    print(
        f"{done.total:,} schedules explored ({fresh:,} now, in {done.elapsed:.1f} s{kernel}); "
        f"{len(front):,} of them are not dominated by another one"
    )
    _print_extremes(front)
    print(
        f"\nnext: {PROGRAM} compare {options.trace} --front {options.output} --policy fcfs --policy easy "
        "-o report.html\n"
        f"      {PROGRAM} simulate {options.trace} --front {options.output} --row 0 --save-policy policy.json"
    )
    return 0


def front(options: argparse.Namespace) -> int:
    """Merge runs and fronts, and show what came out."""
    from .front import extremes, indicators, load_front, merge, save_front
    from .tables import Column, plain, table, to_json

    if options.output:
        _check_output(options.output)
    inputs = [load_front(path) for path in options.runs]
    merged = merge(inputs)
    measured = indicators(merged, inputs)
    if options.output:
        save_front(merged, options.output)
    names = [o.name for o in merged.objectives]
    ends = [
        {"objective": o.name, "row": row, "values": dict(zip(names, plain(merged.values[row]), strict=True))}
        for o, row in extremes(merged)
    ]
    for path, row in zip(options.runs, measured["inputs"], strict=True):
        row["path"] = str(path)
    if options.json:
        print(to_json({"workload": merged.workload, "digest": merged.digest, **measured, "extremes": ends}))
        return 0
    print(
        f"{len(merged):,} of {merged.evaluations:,} schedules of {merged.workload} are not dominated; "
        f"{measured['duplicates']:,} more have the same values as one of them\n"
    )
    columns = [
        Column("path", "from"),
        Column("evaluations", "evaluations", ",d"),
        Column("size", "its front", ",d"),
        Column("in_front", "in the merged", ",d"),
        Column("hypervolume", "hypervolume", ".4f"),
        Column("igd_plus", "IGD+", ".4f"),
        Column("epsilon", "epsilon", ".4f"),
    ]
    total = {"path": "merged", **{key: measured[key] for key in ("evaluations", "size", "hypervolume")}}
    print(table([*measured["inputs"], total | {"in_front": measured["size"]}], columns))
    print(
        f"hypervolume: share of the box from the ideal to 1.1 times the nadir, {measured['hypervolume_method']}; "
        "IGD+ and additive epsilon against the merged front; AWRT takes no part, it follows from that of the groups\n"
    )
    _print_extremes(merged)
    return 0


def compare(options: argparse.Namespace) -> int:
    """Set policies against EASY and a front, as a table and a report."""
    from .compare import compare as compared
    from .front import load_front
    from .tables import to_json

    if options.output:
        _check_output(options.output)
    workload = _workload(options)
    explored = load_front(options.front) if options.front else None
    if options.output and explored is None:
        raise InputError("-o/--output: a report shows a front, so it needs --front")
    if options.figures and explored is None:
        raise InputError("--figures: figures show a front, so they need --front")
    comparison = compared(workload, options.policy or ["easy", "fcfs"], explored)
    if explored is not None and options.output:
        from .report import write_report

        write_report(options.output, explored, comparison)
    if explored is not None and options.figures:
        from .figures import figures
        from .report import export_figures

        export_figures(figures(explored, comparison.marks), options.figures)
    print(to_json(comparison.rows()) if options.json else comparison.text())
    if options.output:
        _remark(f"report: {options.output} (open it in a browser; it needs no network)")
    return 0


# --- shared by subcommands ----------------------------------------------------------------------------------------


def _workload(options: argparse.Namespace, remark: bool = True) -> Workload:
    from .workload import read_swf

    workload = _grouped(read_swf(options.trace, capacity=getattr(options, "capacity", None)), options)
    if remark and workload.repairs:
        counts = dict.fromkeys((repair.action for repair in workload.repairs), 0)
        for repair in workload.repairs:
            counts[repair.action] += repair.jobs
        what = ", ".join(f"{action} {count:,}" for action, count in counts.items())
        _remark(f"{options.trace}: {len(workload):,} jobs; {what} ({PROGRAM} info shows which and why)")
    return workload


def _grouped(workload: Workload, options: argparse.Namespace) -> Workload:
    from .workload import by_consumption, by_csv, by_queue, by_swf_group

    groups = getattr(options, "groups", None)
    if groups in (None, "consumption"):
        return workload
    if groups == "swf":
        return by_swf_group(workload)
    if groups == "queue":
        return by_queue(workload)
    try:
        thresholds = [float(part) / 100 for part in groups.split(",")]
    except ValueError:
        return by_csv(workload, groups)
    return by_consumption(workload, thresholds)


def _policy(options: argparse.Namespace, workload: Workload) -> Policy:
    from .front import load_front
    from .front import policy as policy_of
    from .policy import as_policy

    if options.front is None:
        if options.row is not None:
            raise InputError("--row: chooses a schedule of a front, so it needs --front")
        return as_policy(options.policy or "easy")
    if options.policy is not None:
        raise InputError("--front: gives the policy of one of its schedules; it does not go with --policy")
    explored = load_front(options.front)
    if explored.digest != workload.digest:
        _remark(f"{options.front} was explored on another workload; its policy is applied to this one")
    return policy_of(explored, options.row or 0)


def _tell_workload(options: argparse.Namespace, made: Workload) -> None:
    from .tables import to_json

    span = int(made.submit[-1] - made.submit[0])
    load = made.work / (made.capacity * span) if span else None
    if options.json:
        print(
            to_json({"file": str(options.output), "jobs": len(made), "capacity": made.capacity, "load": load}),
        )
    else:
        shown = "" if load is None else f", offered load {load:.3f}"
        print(f"{options.output}: {len(made):,} jobs on {made.capacity:,} processors{shown}")


def _print_extremes(merged: Front) -> None:
    from .front import extremes
    from .tables import Column, table

    ends = extremes(merged)
    rows = [
        {"best": o.name, "row": row}
        | {
            other.name: value / 3600 if other.unit == "s" else value
            for other, value in zip(merged.objectives, merged.values[row], strict=True)
        }
        for o, row in ends
    ]
    columns = [Column("best", "best in"), Column("row", "row", "d")]
    columns += [Column(o.name, f"{o.name} {'h' if o.unit == 's' else o.unit}", ",.2f") for o in merged.objectives]
    print(table(rows, columns))


def _check_output(path: str) -> None:
    """Refuse an output that cannot be written before the work is done, not after."""
    from .files import check_writable

    check_writable(path)


def _remark(text: str) -> None:
    print(f"{PROGRAM}: {' '.join(text.split())}", file=sys.stderr)


@contextmanager
def _bar(what: str, total: int | None) -> Iterator[Callable[[int, int | None, str], None]]:
    """Show a progress bar with the time left where standard error is a terminal, else a line now and then."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines(what)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
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


def _lines(what: str) -> Callable[[int, int | None, str], None]:
    shown = [0]

    def update(done: int, goal: int | None, note: str) -> None:
        if goal and done * 10 // goal > shown[0]:
            shown[0] = done * 10 // goal
            print(f"{PROGRAM}: {what}: {done:,} of {goal:,} {note}".rstrip(), file=sys.stderr, flush=True)

    return update


@contextmanager
def _quiet_pipe() -> Iterator[None]:
    """End without a traceback when whoever reads our output has gone, as `head` does."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# --- the parser ---------------------------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and point to the help."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {' '.join(message.split())} (see {self.prog} --help)\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)

    def command(name: str, run: Callable[[argparse.Namespace], int], text: str, example: str) -> _Parser:
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

    def takes_trace(made: _Parser) -> None:
        made.add_argument("trace", metavar="TRACE", help="workload log in SWF, plain or gzipped")
        made.add_argument(
            "--capacity", type=int, metavar="N", help="processors of the machine (default: the log's MaxProcs)"
        )
        made.add_argument(
            "--groups",
            metavar="HOW",
            help="user groups: consumption (default: five, paper 002, by share of processor seconds), swf (field 13), "
            "queue (field 15), percentages such as 8,2,1,0.1 (shares that divide groups by consumption), or a "
            "CSV file with the columns user,group",
        )

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
    made.add_argument("--jobs", type=int, default=10_000, metavar="N", help="jobs (default 10000)")
    made.add_argument(
        "--processors", type=int, default=128, metavar="N", help="processors of the machine (default 128)"
    )
    made.add_argument("--seed", type=int, default=71, help="seed (default 71); same seed, same workload")
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
        "-o", "--output", required=True, metavar="FILE", help="SWF file to write, gzipped if it ends in .gz"
    )

    made = command(
        "scale",
        scale,
        "scale a workload to another machine size (Ernemann, Song, Yahyapour 2003)",
        "  paretosched scale CTC-SP2-1996-3.1-cln.swf.gz --processors 1024 --factor 2.45 -o ctc1024.swf.gz\n"
        "  (the papers' factors to 1024: CTC 2.45, KTH 10.71, LANL 1, SDSC00 8.21, SDSC95 and SDSC96 2.48, NASA 8)",
    )
    takes_trace(made)
    made.add_argument(
        "--processors", type=int, default=1024, metavar="N", help="processors of the new machine (default 1024)"
    )
    made.add_argument(
        "--factor", type=float, metavar="F", help="how much more work (default: new processors / old ones)"
    )
    made.add_argument(
        "--seed", type=int, default=0, help="seed of the draw which jobs are widened and which copied (default 0)"
    )
    made.add_argument("--jobs", type=int, metavar="EXACT", help="make exactly so many jobs")
    made.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="SWF file to write, gzipped if it ends in .gz"
    )

    made = command(
        "fetch",
        fetch,
        "download a public log from the Parallel Workloads Archive",
        "  paretosched fetch CTC-SP2 -o traces\n  (PARETOSCHED_ARCHIVE names a mirror)",
    )
    made.add_argument(
        "name", metavar="NAME", help="short name of the log, such as CTC-SP2, KTH-SP2, LANL-CM5, SDSC-SP2, NASA-iPSC"
    )
    made.add_argument("-o", "--output", default=".", metavar="DIR", help="directory (default: here)")

    made = command(
        "simulate",
        simulate,
        "run a workload under a policy and print the seven objectives",
        "  paretosched simulate w.swf.gz --policy easy -o schedule.csv\n"
        "  paretosched simulate w.swf.gz --front run --row 17 --save-policy policy.json",
    )
    takes_trace(made)
    made.add_argument(
        "--policy",
        metavar="P",
        help="fcfs, list, easy (default), conservative, conservative-replan, recorded, or a policy .json file",
    )
    made.add_argument(
        "--front", metavar="FRONT", help="run directory or front file: take the policy of one of its schedules"
    )
    made.add_argument("--row", type=int, metavar="N", help="which one (default 0)")
    made.add_argument(
        "-o", "--output", metavar="FILE", help="write the schedule: job,submit,start,finish,processors,user,group"
    )
    made.add_argument("--save-policy", metavar="FILE", help="write the policy as JSON")

    made = command(
        "explore",
        explore,
        "explore the possible schedules: a run directory with every evaluation and the front",
        "  paretosched explore ctc1024.swf.gz -o run --evaluations 20000\n"
        "  (killed or stopped with Ctrl-C, the same command continues it, with the same result)",
    )
    takes_trace(made)
    made.add_argument("-o", "--output", required=True, metavar="RUN", help="run directory, new or to be continued")
    made.add_argument("--evaluations", type=int, default=20_000, metavar="N", help="schedules in all (default 20000)")
    made.add_argument("--population", type=int, default=100, metavar="N", help="schedules a generation (default 100)")
    made.add_argument(
        "--seed", type=int, default=0, help="seed (default 0); same seed, same archive, for any number of workers"
    )
    made.add_argument(
        "--backfill",
        default="easy",
        choices=["none", "easy", "conservative"],
        help="backfilling under the weighted order (default easy, as in paper 002)",
    )
    made.add_argument(
        "--algorithm",
        default="nsga2",
        choices=["nsga2", "random"],
        help="nsga2 (default), or random search as a baseline",
    )
    made.add_argument(
        "--workers",
        type=int,
        default=0,
        metavar="N",
        help="worker processes (default 0: threads of this one, one a core)",
    )
    made.add_argument("--scheduler", metavar="ADDRESS", help="use a running Dask cluster: tcp://host:8786")

    made = command(
        "front",
        front,
        "merge runs into one front; show its extremes, size and indicators",
        "  paretosched front run1 run2 -o front.parquet",
    )
    made.add_argument("runs", nargs="+", metavar="RUN", help="run directories or front files of one workload")
    made.add_argument("-o", "--output", metavar="FRONT", help="front file to write (Parquet)")

    made = command(
        "compare",
        compare,
        "set policies against EASY and a front, as a table and a self-contained report",
        "  paretosched compare w.swf.gz --front run --policy fcfs --policy easy --policy policy.json -o report.html",
    )
    takes_trace(made)
    made.add_argument("--front", metavar="FRONT", help="run directory or front file")
    made.add_argument(
        "--policy",
        action="append",
        metavar="P",
        help="as for simulate; may be repeated (default fcfs; EASY is always there)",
    )
    made.add_argument("-o", "--output", metavar="FILE", help="HTML report to write")
    made.add_argument(
        "--figures", metavar="DIR", help="also write the figures there as PNG and SVG; needs Chrome or Chromium"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
