"""`paretosched compare`: policies beside EASY, a front and the wish."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..core.errors import InputError
from .console import Changes, remark, say, show
from .file_kinds import Kind
from .inputs import (
    load_kernels_sooner,
    read_sites,
    read_wish,
    read_workload,
    remark_history,
    remark_orders,
    remark_repairs,
    remark_unsaid,
    remark_users,
    show_doubts,
    show_other_machine,
    with_order,
)
from .options import (
    FRONT,
    POLICY,
    WISH,
    Name,
    new_command,
    reading_words,
    takes_order,
    takes_shares,
    takes_trace,
    takes_users,
    whole,
)
from .parser import Parser
from .waiting import with_progress

if TYPE_CHECKING:
    from ..comparison.comparison import Comparison
    from ..fronts.front import Front
    from ..policies.policy import Policy
    from ..wishes.wish import Wish
    from ..workload.workload import Workload


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "compare",
        run,
        "compare policies with EASY, with a front and with your wish; tables, and a report in one HTML file",
        "  paretosched compare w.swf.gz --front run --policy fcfs --policy easy --policy policy.json -o report.html\n"
        '  paretosched compare ctc.swf.gz kth.swf.gz --policy policy.json --objective "10*AWRT1 + 4*AWRT2" --json\n'
        "  paretosched compare w.swf.gz --policy policy.json --intervals --rolling 6\n"
        "  (the last one says how certain the gain is, and whether it is there all the time)",
    )
    takes_trace(parser, several=True, needed=False, views=True)
    group = parser.add_argument_group(
        "what is compared",
        "EASY is always the first policy, and all gains are over EASY. A front shows what would be possible.",
    )
    group.add_argument(
        "--policy",
        action="append",
        metavar="P",
        type=POLICY,
        help="policy to compare, as for simulate; may be repeated (default fcfs; EASY is always there)",
    )
    takes_shares(group)
    takes_order(group)
    takes_users(group, ": a table with the gains beside those with the recorded submissions")
    group.add_argument(
        "--today",
        metavar="P",
        type=POLICY,
        help="what runs the machine today, over which gains are shown, too: a slurm.conf, or a policy as for simulate "
        "(default: what the log has recorded, if it has)",
    )
    group.add_argument(
        "--front",
        action="append",
        default=[],
        metavar="FRONT",
        type=FRONT,
        help="run directory or front file; may be repeated, one for each log, in any order",
    )
    group.add_argument(
        "--objective",
        metavar="WISH",
        type=WISH,
        help="the wish, as for train (default: the wish of the first policy file that was trained for one)",
    )
    certain = parser.add_argument_group("how certain it is", "No simulation is repeated for these.")
    certain.add_argument(
        "--intervals",
        action="store_true",
        help="show 90 %% intervals of all response times and gains, by a block bootstrap over the weeks of each log",
    )
    certain.add_argument(
        "--rolling",
        rare=True,
        type=whole,
        metavar="K",
        help="compare also in K parts of each log, one after the other: is a gain there all the time?",
    )
    output = parser.add_argument_group("what is written", "Without these options, only tables.")
    output.add_argument("-o", "--output", metavar="FILE", type=Name(writes=Kind.REPORT), help="HTML report to write")
    output.add_argument(
        "--figures",
        rare=True,
        metavar="DIR",
        type=Name(writes=Kind.FIGURES, place="directory"),
        help="directory to write the figures to, as PNG, SVG and PDF; needs Chrome or Chromium",
    )


def run(options: argparse.Namespace) -> None:
    """Compare policies with EASY, with a front and with the wish, as tables and a report."""
    load_kernels_sooner()
    from ..comparison.comparison import compare, measured_together
    from ..comparison.front_of_workload import assign
    from ..comparison.several_logs import joint_rows, joint_text
    from ..core.tables import to_json
    from ..fronts.front_files import load_front

    options.groups, *views = options.groups or [None]
    logs = _logs(options)
    workloads = [workload for _, workload in logs]
    if options.json:  # else the text of the comparisons begins with it
        show_other_machine(options, workloads)
    policies, today = _policies(options)
    fronts = assign(workloads, [load_front(path) for path in options.front])
    wish, reason = _wish(options, policies, workloads)
    words = {"intervals": options.intervals, "rolling": options.rolling, "users": options.users, "views": views}

    def comparisons_and_fronts() -> list[tuple[Comparison, Front | None]]:
        together = [measured_together(w, front, wish)[1:] for w, front in zip(workloads, fronts, strict=True)]
        return [(compare(w, policies, front, wish, **words, today=_today(today, w)), front) for w, front in together]

    comparisons, fronts = map(list, zip(*with_progress(comparisons_and_fronts), strict=True))
    undefined = _wishes_without_jobs(logs, comparisons)
    if options.objective is not None and len(undefined) == len(logs):
        raise InputError(f"--objective: {undefined[0]}")
    if options.figures is not None:
        from ..plots.comparisons import all_figures
        from ..report.figure_files import export_figures

        export_figures(all_figures(comparisons, fronts), options.figures)
    if options.output is not None:
        from ..report.comparison_report import write_report

        write_report(options.output, fronts, comparisons)
    _remark_logs(options, logs, policies)
    left_out = [f"{trace}: {c.left_out}" for (trace, _), c in zip(logs, comparisons, strict=True) if c.left_out]
    for line in (reason, *undefined, *left_out):
        if line:
            remark(line, Changes.FIGURES)
    for (trace, _), comparison in zip(logs, comparisons, strict=True):
        if comparison.intervals is not None and comparison.intervals.caution:
            remark(f"{trace}: {comparison.intervals.caution}", Changes.FIGURES)
    show(to_json(joint_rows(comparisons)) if options.json else joint_text(comparisons))
    if options.output is not None:
        say(f"report: {options.output} (open it in a browser; it needs no network)")


def _policies(options: argparse.Namespace) -> tuple[list[Policy], Policy | None]:
    """Return the policies to compare, and --today, if it is given."""
    said = options.policy or ["fcfs"]
    today = [] if options.today is None else [options.today]
    sites = read_sites("--policy or --today", [*said, *today], options.shares)
    return with_order(options, sites[: len(said)]), sites[-1] if today else None


def _today(today: Policy | None, workload: Workload) -> Policy | None:
    """Return what runs the machine today: --today, or what is recorded; None if that is not known."""
    from ..policies.policy import as_policy
    from ..wishes.relative_limits import is_recorded, policy_of
    from ..wishes.wish import TODAY

    return as_policy(policy_of(TODAY)) if today is None and is_recorded(workload) else today


def _wishes_without_jobs(logs: Sequence[tuple[str, Workload]], comparisons: Sequence[Comparison]) -> list[str]:
    """Return on which logs the wish uses groups without jobs, in words."""
    from ..wishes.wish import goal

    undefined = []
    for (trace, _), comparison in zip(logs, comparisons, strict=True):
        try:
            if comparison.wish_here is not None:
                goal(comparison.wish_here, comparison.values[:1])
        except InputError as error:
            undefined.append(f"{trace}: {error}")
    return undefined


def _logs(options: argparse.Namespace) -> list[tuple[str, Workload]]:
    """Return the workload of every TRACE, with its name; without TRACE those of the fronts, opened again."""
    from ..fronts.front_files import load_front
    from ..workload.plausibility import doubts
    from ..workload.reopening import reopen

    if options.traces:
        return [(trace, read_workload(options, trace)) for trace in options.traces]
    reading = reading_words(options)
    if reading or not options.front:
        why = f"with {reading[0]}" if reading else "without --front"
        raise InputError(f"TRACE is required {why} (see paretosched compare --help)")
    digests = {load_front(path).digest: path for path in options.front}  # several fronts may have the same workload
    logs = [(path, reopen(path, digest)) for digest, path in digests.items()]
    for path, workload in logs:
        show_doubts(options, path, doubts(workload))
    return logs


def _wish(
    options: argparse.Namespace, policies: Sequence[Policy], workloads: Sequence[Workload]
) -> tuple[Wish | None, str]:
    """Return the wish, --objective or that of a trained policy, and a remark if policies have several wishes."""
    from ..comparison.comparison import trained_for
    from ..wishes.wish import wish_text

    if options.objective is not None:
        return read_wish(options, workloads[0]), ""
    training_wish = trained_for(policies, workloads)
    if not training_wish:
        return None, ""
    wish, *others = training_wish
    asides = "".join(f"; {training_wish[other]} was trained for {wish_text(other, hours=True)}" for other in others)
    return (
        wish,
        f"the objective is {wish_text(wish, hours=True)}, as {training_wish[wish]} was trained for it{asides}"
        if asides
        else "",
    )


def _remark_logs(options: argparse.Namespace, logs: Sequence[tuple[str, Workload]], policies: Sequence[Policy]) -> None:
    """Write remarks about logs that were cleaned, and about recorded schedules that are not feasible."""
    from ..simulation.simulator import simulate

    remark_unsaid(policies)
    for log, workload in logs:
        remark_repairs(options, log, workload)
        remark_orders(policies, log, workload)
        remark_users(options, log, workload)
        if any(policy.replays for policy in policies):
            remark_history(simulate(workload, "recorded"))
