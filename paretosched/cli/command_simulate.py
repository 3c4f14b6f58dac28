"""`paretosched simulate`: a workload under one policy, and how good the schedule is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError
from .console import remark, show
from .inputs import check_outputs, read_workload, remark_history, remark_repairs
from .options import FILE, POLICY, new_command, takes_trace, whole
from .parser import Parser

if TYPE_CHECKING:
    from ..policies.policy import Policy
    from ..simulation.schedule import Schedule
    from ..workload.workload import Workload


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "simulate",
        run,
        "run a workload under a policy and print the objectives",
        "  paretosched simulate w.swf.gz --policy easy -o schedule.csv\n"
        "  paretosched simulate w.swf.gz --policy easy --estimates recent\n"
        "  paretosched simulate w.swf.gz --policy scojo-opt --segments segments.csv --save-policy scojo-opt.json\n"
        "  paretosched simulate w.swf.gz --front run --row 17 --save-policy policy.json",
    )
    takes_trace(parser)
    which = parser.add_argument_group("which schedule", "That of a policy, or one of those that were explored.")
    which.add_argument(
        "--policy",
        metavar="P",
        type=POLICY,
        help="fcfs, list, easy (default), conservative, conservative-replan, recorded; scojo, the time sharing of "
        "paper 004, or scojo-opt, with its group optimisation (--save-policy writes all their numbers); or a policy "
        ".json file",
    )
    which.add_argument(
        "--front",
        metavar="FRONT",
        type=FILE,
        help="run directory or front file: make one of its schedules again",
    )
    which.add_argument("--row", type=whole, metavar="N", help="which one (default 0)")
    which.add_argument(
        "--estimates",
        default="requested",
        choices=["requested", "recent", "predicted", "printed", "exact"],
        help="what the policy is told of run times, which stay what they are: requested (default); recent, the mean of "
        "the user's last two jobs that have ended (Tsafrir, Etsion, Feitelson 2007); predicted, from what the user's "
        "jobs took by what they requested (paper 003, corrected line), or printed, as the paper prints it; exact. "
        "Where history does not suffice, the request; one that proves too short grows step by step. Time sharing "
        "takes none of them: its policy says by run_times what it knows",
    )
    written = parser.add_argument_group("what is written", "Without these options, the table of objectives alone.")
    written.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=FILE,
        help="write the schedule: job,submit,start,finish,processors,user,group",
    )
    written.add_argument(
        "--segments",
        metavar="FILE",
        type=FILE,
        help="of a policy that preempts jobs, write when each runs and where: job,from,to,nodes (CSV, or .parquet)",
    )
    written.add_argument("--save-policy", metavar="FILE", type=FILE, help="write the policy as JSON")


def run(options: argparse.Namespace) -> None:
    """Run a workload under a policy and measure the schedule."""
    check_outputs(options, "output", "save_policy", "segments")
    workload = read_workload(options)
    schedule, policy, explored_on = (_of_policy if options.front is None else _of_front)(options, workload)
    text = _json(options, schedule, policy) if options.json else _text(schedule, policy)
    _write(options, schedule, policy)
    remark_repairs(options.trace, workload)
    if explored_on != workload.digest:
        remark(f"{options.front} was explored on another workload; its policy was applied to this one")
    remark_history(schedule)
    show(text)


def _of_policy(options: argparse.Namespace, workload: Workload) -> tuple[Schedule, Policy | None, str]:
    """Return the schedule of --policy, the policy, and the digest of the workload it is for."""
    from ..policies.policy import as_policy, fits
    from ..simulation.simulator import simulate

    if options.row is not None:
        raise InputError("--row: chooses a schedule of a front, so it needs --front")
    policy = fits(as_policy("easy" if options.policy is None else options.policy), workload)
    return simulate(workload, policy, options.estimates), policy, workload.digest


def _of_front(options: argparse.Namespace, workload: Workload) -> tuple[Schedule, Policy | None, str]:
    """Return the schedule of --front and --row, its policy if it has one, and the digest of what was explored."""
    from ..fronts.front_files import load_front
    from ..fronts.remake import row_policy, schedule
    from ..simulation.simulator import simulate

    if options.policy is not None:
        raise InputError("--front: gives the policy of one of its schedules; it does not go with --policy")
    front = load_front(options.front)
    row = options.row or 0
    try:
        policy = row_policy(front, row)
        if policy is None and options.save_policy is not None:
            raise InputError(f"row {row} knows the future: it is a schedule that no policy makes, so none can be saved")
        if options.estimates == "requested":
            return schedule(front, row, workload), policy, front.digest
        if policy is None:
            raise InputError(f"row {row} knows the future: no policy makes it that could be told other --estimates")
        return simulate(workload, policy, options.estimates), policy, front.digest
    except InputError as error:
        raise InputError(f"{options.front}: {error}") from None


def _write(options: argparse.Namespace, schedule: Schedule, policy: Policy | None) -> None:
    """Write the files that were asked for."""
    from ..policies.policy import save_policy
    from ..simulation.schedule import save_schedule, save_segments

    if options.segments is not None:
        save_segments(schedule, options.segments)
    if options.output is not None:
        save_schedule(schedule, options.output)
    if options.save_policy is not None and policy is not None:
        save_policy(policy, options.save_policy)


def _json(options: argparse.Namespace, schedule: Schedule, policy: Policy | None) -> str:
    """Return what was measured as JSON."""
    from ..core.tables import to_json
    from ..policies.time_sharing import TimeSharing
    from ..simulation.objective import objective_table, objectives
    from ..simulation.service import by_class

    workload = schedule.workload
    sharing = policy if isinstance(policy, TimeSharing) else None
    exact = sharing is not None and sharing.run_times == "known"
    names = [o.name for o in objective_table(workload.groups)]
    about: dict[str, Any] = {
        "workload": workload.name,
        "digest": workload.digest,
        "policy": schedule.name,
        "jobs": len(workload),
    }
    about |= {"estimates": "exact" if exact else options.estimates, "capacity": workload.capacity}
    about |= dict(zip(names, objectives(schedule).tolist(), strict=True))
    about["classes"] = [row._asdict() for row in by_class(schedule, sharing)]
    about["searched"] = None if schedule.searched is None else schedule.searched._asdict()
    return to_json(about)


def _text(schedule: Schedule, policy: Policy | None) -> str:
    """Return what was measured as tables."""
    from ..comparison.comparison_tables import class_table, searched_text
    from ..core.tables import Column, table
    from ..policies.time_sharing import TimeSharing
    from ..simulation.objective import objective_table, objectives
    from ..simulation.service import by_class

    workload = schedule.workload
    rows = [
        {"objective": o.name, "value": value, "unit": o.unit, "meaning": o.label}
        | {"hours": value / 3600 if o.unit == "s" else ""}
        for o, value in zip(objective_table(workload.groups), objectives(schedule), strict=True)
    ]
    columns = [
        Column("objective", "objective"),
        Column("value", "value", ",.2f"),
        Column("unit", "unit"),
        Column("hours", "hours", ",.2f"),
        Column("meaning", "meaning"),
    ]
    lines = [
        f"{schedule.name} on {workload.name}: {len(workload):,} jobs, {workload.capacity:,} processors",
        table(rows, columns),
    ]
    if schedule.segments is not None:
        classes = by_class(schedule, policy if isinstance(policy, TimeSharing) else None)
        lines.append(f"\n{class_table([classes], [schedule.name])}")
    if schedule.searched is not None:
        lines.append(f"\n{searched_text(schedule.searched)}")
    return "\n".join(lines)
