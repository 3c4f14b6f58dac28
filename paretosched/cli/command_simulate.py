"""`paretosched simulate`: a workload under one policy, and how good the schedule is."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError, first_few, in_quotes, number_of
from .console import Changes, remark, show
from .file_kinds import Kind
from .inputs import (
    load_kernels_sooner,
    read_policies,
    read_workload,
    remark_history,
    remark_orders,
    remark_repairs,
    remark_unsaid,
    remark_users,
)
from .options import FRONT, POLICY, Name, new_command, takes_order, takes_shares, takes_trace, takes_users, whole
from .parser import Parser
from .waiting import with_progress

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..comparison.recorded_waits import RecordedWaits
    from ..policies.policy import Policy
    from ..simulation.schedule import Schedule
    from ..workload.workload import Workload


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "simulate",
        run,
        "simulate a workload with a policy, and show how good the schedule is",
        "  paretosched simulate w.swf.gz --policy easy -o schedule.csv\n"
        "  paretosched simulate w.swf.gz --policy easy --estimates recent\n"
        "  paretosched simulate w.swf.gz --policy easy --users react -o schedule.csv\n"
        "  paretosched simulate w.swf.gz --policy fcfs --backfill easy --backfill-order sjf\n"
        "  paretosched simulate w.swf.gz --policy scojo-opt --segments segments.csv --save-policy scojo-opt.json\n"
        "  paretosched simulate w.swf.gz --policy slurm.conf --shares assoc.txt --save-policy today.json\n"
        "  paretosched simulate w.swf.gz --front run --row 17 --save-policy policy.json",
    )
    takes_trace(parser)
    group = parser.add_argument_group("which schedule", "The schedule of a policy, or a schedule of a front.")
    group.add_argument(
        "--policy",
        metavar="P",
        type=POLICY,
        help="fcfs, list, easy (default), conservative, conservative-replan, recorded; scojo, the time sharing of "
        "paper 004, or scojo-opt, the same with group optimisation (--save-policy writes all their numbers); an order, "
        "with EASY backfilling if --backfill says no other: sjf, saf, lxf, wfp3, unicef, learned-f1 to learned-f4, or "
        "priority:1,2 for groups 1 and 2 first; one in words: '(wait/estimate)^3 * width; backfill: easy:8'; "
        "'guarded: 1,2' for groups 1 and 2 first while AWRT is better than EASY's; a policy .json or .txt file; or a "
        "slurm.conf, or what scontrol show config prints: today's scheduler of a Slurm site",
    )
    takes_shares(group)
    takes_order(group)
    group.add_argument(
        "--front",
        rare=True,
        metavar="FRONT",
        type=FRONT,
        help="run directory or front file; one of its schedules is made again",
    )
    group.add_argument(
        "--row", rare=True, type=whole, metavar="N", help="row of that schedule in the front (default 0)"
    )
    group.add_argument(
        "--estimates",
        default="requested",
        choices=["requested", "recent", "predicted", "printed", "exact"],
        help="the run times that the policy expects; real run times do not change. requested: the user's request "
        "(default); recent: the mean of the user's last two finished jobs (Tsafrir, Etsion, Feitelson 2007); "
        "predicted: from the requests and run times of the user's earlier jobs (paper 003, corrected line); printed: "
        "the same as the paper prints it; exact: the run time. Without enough history, the request is used; an "
        "estimate that is too short grows step by step. Not for time sharing: run_times in its policy sets what it "
        "knows",
    )
    takes_users(group, "; the file of the schedule has the submissions")
    group.add_argument(
        "--without",
        action="extend",
        type=_words,
        metavar="WHAT",
        help="of a log with nodes: leave out limits, dependencies, reservations or preemption; several with commas "
        "between them. Only the policy of a slurm.conf preempts jobs",
    )
    output = parser.add_argument_group("what is written", "Without these options, only the table of objectives.")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Name(writes=Kind.SCHEDULE),
        help="CSV file of the schedule to write: job,submit,start,finish,processors,user,group; of a log with nodes "
        "also where each job runs, and why it waited",
    )
    output.add_argument(
        "--segments",
        rare=True,
        metavar="FILE",
        type=Name(writes=Kind.SEGMENTS),
        help="where jobs are preempted: file to write when and where each runs: job,from,to,nodes (CSV, or "
        ".parquet); of a log with nodes those that made way for others or were stopped",
    )
    output.add_argument(
        "--save-policy",
        metavar="FILE",
        type=Name(writes=Kind.POLICY),
        help="JSON file of the policy to write",
    )


def _words(text: str) -> list[str]:
    """Return the words of --without."""
    from ..workload.workload import WITHOUT

    words = [word.strip() for word in text.split(",")]
    for word in words:
        if word not in WITHOUT:
            known = ", ".join(WITHOUT)
            raise argparse.ArgumentTypeError(f"must be of {known}, but has {in_quotes(word)}")
    return words


def run(options: argparse.Namespace) -> None:
    """Simulate a workload with a policy, and show how good the schedule is."""
    load_kernels_sooner()
    workload = _without(read_workload(options), options.without or ())
    schedule, policy, explored_on = (_of_policy if options.front is None else _of_front)(options, workload)
    today = None if policy is None else _against_record(workload, schedule, policy, options.users)
    text = _json(options, schedule, policy, today) if options.json else _text(schedule, policy, today)
    _write(options, schedule, policy)
    remark_repairs(options, options.trace, workload)
    remark_users(options, options.trace, workload)
    if explored_on is not None and explored_on != workload.digest:
        remark(f"{options.front} was explored on another workload; its policy was applied to this one", Changes.FIGURES)
    remark_history(schedule)
    policies = [] if policy is None else [policy]
    remark_unsaid(policies)
    remark_orders(policies, options.trace, workload, options.estimates)
    show(text)


def _without(workload: Workload, without: Sequence[str]) -> Workload:
    """Return the workload without what --without names."""
    if not without:
        return workload
    if workload.machine is None:
        raise InputError(
            f"--without: leaves out what a machine of nodes has, but that of {workload.name} has none; "
            "import --machine makes a log with nodes, and --one-pool takes them away"
        )
    return workload.without(*dict.fromkeys(without))


def _of_policy(options: argparse.Namespace, workload: Workload) -> tuple[Schedule, Policy | None, None]:
    """Return the schedule of --policy, the policy, and None: no front was explored."""
    from ..simulation.simulator import simulate

    if options.row is not None:
        raise InputError("--row: chooses a schedule of a front, so it needs --front")
    (policy,) = read_policies(options, ["easy" if options.policy is None else options.policy], options.shares)
    estimates, users = options.estimates, options.users
    return with_progress(lambda: simulate(workload, policy, estimates, users, refusals=True)), policy, None


def _of_front(options: argparse.Namespace, workload: Workload) -> tuple[Schedule, Policy | None, str]:
    """Return the schedule of --front and --row, its policy if any, and the digest of the workload of the front."""
    from ..fronts.front_files import load_front
    from ..fronts.row_schedules import row_policy, schedule, why_no_policy
    from ..simulation.simulator import simulate

    if options.policy is not None:
        raise InputError("--front: chooses a schedule and its policy; it does not go with --policy")
    if options.shares is not None:
        raise InputError("--front: chooses a schedule and its policy; it does not go with --shares")
    if options.backfill is not None or options.backfill_order is not None:
        raise InputError("--front: chooses a schedule and its policy; it does not go with --backfill")
    front = load_front(options.front)
    row = options.row or 0
    try:
        policy = row_policy(front, row)
        if policy is None and options.save_policy is not None:
            raise InputError(f"{why_no_policy(front, row)}; so none can be saved")
        if options.estimates == "requested" and options.users == "recorded":
            return with_progress(lambda: schedule(front, row, workload)), policy, front.digest
        if policy is None:
            raise InputError(f"{why_no_policy(front, row)}; so it takes no --estimates or --users")
        simulated = with_progress(lambda: simulate(workload, policy, options.estimates, options.users, refusals=True))
        return simulated, policy, front.digest
    except InputError as error:
        raise InputError(f"{options.front}: {error}") from None


def _write(options: argparse.Namespace, schedule: Schedule, policy: Policy | None) -> None:
    """Write the files that the options name."""
    from ..policies.policy import save_policy
    from ..simulation.schedule import save_schedule, save_segments

    if options.segments is not None:
        save_segments(schedule, options.segments)
    if options.output is not None:
        save_schedule(schedule, options.output)
    if options.save_policy is not None and policy is not None:
        save_policy(policy, options.save_policy)


def _against_record(log: Workload, schedule: Schedule, policy: Policy, users: str) -> RecordedWaits | None:
    """Return how near today's scheduler, that of a slurm.conf, comes to the waits of the log; None if it has none."""
    if "slurm" not in policy.provenance:
        return None
    from ..comparison.recorded_waits import recorded_waits, waits_beside

    if users == "recorded":
        return waits_beside(log, schedule)
    return recorded_waits(schedule.workload, schedule.start, schedule.name)


def _json(options: argparse.Namespace, schedule: Schedule, policy: Policy | None, today: RecordedWaits | None) -> str:
    """Return the objectives of the schedule, and what else was measured, as JSON."""
    from ..comparison.waits_table import waits_of_groups
    from ..core.tables import to_json
    from ..simulation.objective import utilisation_from_submission
    from ..simulation.service import by_class, first_sharing

    workload = schedule.workload
    exact = policy is not None and policy.knows_run_times
    about: dict[str, Any] = {
        "workload": workload.name,
        "digest": workload.digest,
        "policy": schedule.name,
        "jobs": len(workload),
    }
    about |= {"estimates": "exact" if exact else options.estimates, "capacity": workload.capacity}
    about |= {} if options.users == "recorded" else {"users": options.users}
    about |= dict(schedule.objectives)
    about["UTIL_from_submission"] = utilisation_from_submission(schedule)
    about["waits"] = waits_of_groups(schedule, today)
    about["classes"] = [row._asdict() for row in by_class(schedule, first_sharing([policy]))]
    about["searched"] = None if schedule.searched is None else schedule.searched._asdict()
    never = [{"reason": reason, "jobs": len(jobs), "numbers": [*jobs]} for reason, jobs in schedule.never]
    about |= {"never_ran": never} if never else {}
    about |= {} if schedule.waiting is None else {"waiting": schedule.waiting.table()}
    about |= {} if schedule.preemption is None else {"preempted": schedule.preemption}
    about |= {} if today is None else {"recorded_waits": today.facts()}
    return to_json(about)


def _text(schedule: Schedule, policy: Policy | None, today: RecordedWaits | None) -> str:
    """Return the objectives of the schedule, and what else was measured, as tables."""
    from ..comparison.comparison_tables import class_table, searched_text
    from ..comparison.waits_table import waits_of_groups, waits_of_groups_text
    from ..core.tables import Column, table
    from ..simulation.objective import utilisation_from_submission
    from ..simulation.service import by_class, first_sharing
    from ..workload.machine_description import size_in_words

    workload = schedule.workload
    rows = [
        {"objective": o.name, "value": value, "unit": o.unit, "meaning": o.label}
        | {"hours": value / 3600 if o.unit == "s" else ""}
        for o, value in schedule.objectives.table
    ]
    early = utilisation_from_submission(schedule)
    if early != rows[0]["value"]:
        name, meaning = "UTIL_from_submission", "utilisation, from the first submission on"
        rows.insert(1, {"objective": name, "value": early, "unit": "%", "meaning": meaning, "hours": ""})
    columns = [
        Column("objective", "objective"),
        Column("value", "value", ",.2f"),
        Column("unit", "unit"),
        Column("hours", "hours", ",.2f"),
        Column("meaning", "meaning"),
    ]
    lines = [
        f"{schedule.name} on {workload.name}: {number_of(len(workload), 'job')}, {size_in_words(workload)}",
        table(rows, columns),
        f"\n{waits_of_groups_text(waits_of_groups(schedule, today))}",
    ]
    if schedule.segments is not None:
        classes = by_class(schedule, first_sharing([policy]))
        lines.append(f"\n{class_table([classes], [schedule.name])}")
    if schedule.searched is not None:
        lines.append(f"\n{searched_text(schedule.searched)}")
    if schedule.waiting is not None:
        waiting = [
            Column("reason", "what jobs waited for"),
            Column("jobs", "jobs", ",d"),
            Column("hours", "hours", ",.2f"),
            Column("share", "% of the hours", ".1f"),
        ]
        lines.append(f"\n{table(schedule.waiting.table(), waiting)}")
    if schedule.never:
        lines.append(f"\n{_never_words(schedule)}")
    if schedule.preemption is not None:
        lines.append(f"\n{_preempted_words(schedule.preemption)}")
    if today is not None:
        lines.append(f"\n{today.words()}")
    return "\n".join(lines)


def _never_words(schedule: Schedule) -> str:
    """Return in words which jobs of the log never run in a schedule, and why."""
    count = sum(len(jobs) for _, jobs in schedule.never)
    jobs_in_all = number_of(len(schedule.workload) + count, "job")
    lines = [
        f"{count:,} of {jobs_in_all} never ran, and are not in what is said above; the Slurm of the log took each of "
        "them, with other waits (--without limits,preemption):"
    ]
    for reason, jobs in schedule.never:
        lines.append(f"  {reason}: {first_few((f'job {job}' for job in jobs), len(jobs))}")
    return "\n".join(lines)


def _preempted_words(about: Mapping[str, Any]) -> str:
    """Return what was lost because jobs made way for others, or ended otherwise, in a sentence or two."""
    stopped = ""
    if "stopped" in about:
        stopped = (
            f"{number_of(about['stopped'], 'job')} stopped while others had their CPUs, "
            f"{number_of(about['stops'], 'time')}: {about['stopped_hours']:,.1f} hours"
        )
    if "jobs" not in about:
        return stopped
    cancelled = f", {about['cancelled']:,} of them for good" if about["cancelled"] else ""
    others = {"their reservation": about["with_reservation"], "a node that failed": about["with_node"]}
    beside = ", ".join(f"{count:,} with {word}" for word, count in others.items() if count)
    why = "ended before they had run" if beside else "made way for others"
    lost = (
        f"{number_of(about['jobs'], 'job')} {why}, {number_of(about['times'], 'time')}{cancelled}"
        f"{f' ({beside})' if beside else ''}: "
        f"{about['lost_cpu_hours']:,.1f} CPU hours lost, {about['lost_percent']:.2f} % of what ran"
    )
    return f"{lost}\n{stopped}" if stopped else lost
