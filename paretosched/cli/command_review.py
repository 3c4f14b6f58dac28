"""`paretosched review`: whether a policy that runs on a machine kept its promise."""

from __future__ import annotations

import argparse
import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import InputError, in_quotes, number_of
from .console import Changes, remark, show
from .file_kinds import Kind
from .inputs import (
    load_kernels_sooner,
    read_sites,
    read_wish,
    read_workload,
    remark_orders,
    remark_repairs,
    remark_unsaid,
    remark_users,
)
from .options import POLICY, WISH, Name, new_command, takes_shares, takes_trace, takes_users
from .parser import Parser
from .waiting import with_progress

if TYPE_CHECKING:
    from ..comparison.promises import Review
    from ..comparison.recorded_waits import RecordedWaits
    from ..deployment.daemon_log import Coverage, DaemonLog
    from ..policies.policy import Policy
    from ..workload.workload import Workload

NOT_KEPT = 3  # exit status, as of `train`


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "review",
        run,
        "review a policy that runs on a machine: did it keep its promise?",
        "  paretosched review log.swf.gz --policy policy.json --since 2026-03-01\n"
        "  paretosched review log.swf.gz --policy policy.json --since 2026-03-01 --log deploy.jsonl\n"
        "      what the daemon did, too; after a dry run: what would have changed\n"
        "  paretosched review log.swf.gz --policy policy.json --since 2026-03-01 --today slurm.conf -o weeks.csv\n"
        "The log is what paretosched import made of the accounting since then; with a month before, the jobs that ran\n"
        "or waited at that time are known. A verdict needs four whole weeks; what comes after the last whole one does\n"
        "not count. Exit status 3: the promise was not kept.",
    )
    takes_trace(parser)
    group = parser.add_argument_group("what is reviewed")
    group.add_argument(
        "--policy", required=True, metavar="P", type=POLICY, help="the policy, as for simulate; mostly a policy file"
    )
    group.add_argument(
        "--since",
        required=True,
        metavar="DATE",
        help="when it began to decide, in the time zone of the log: 2026-03-01 or 2026-03-01T12:30. Jobs that were "
        "submitted before do not count; those that ran or waited then are simulated as recorded",
    )
    group.add_argument(
        "--objective",
        metavar="WISH",
        type=WISH,
        help="the wish, as for train (default: the wish for which the policy was trained)",
    )
    group.add_argument(
        "--log",
        metavar="FILE",
        type=Name("the daemon's log"),
        help="deploy.jsonl of the daemon; older files beside it (.1, .2, ...) are read, too. Of a dry run it is said "
        "what would have changed",
    )
    takes_users(group, "; a table more, with the gains beside those with the recorded submissions")
    today = parser.add_argument_group("the scheduler before", "It is simulated on the same jobs, beside EASY.")
    today.add_argument(
        "--today",
        metavar="P",
        type=POLICY,
        help="the scheduler that was there before: a slurm.conf, or a policy as for simulate",
    )
    takes_shares(today)
    output = parser.add_argument_group("what is written", "Without this option, only tables.")
    output.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Name(writes=Kind.REVIEW),
        help="CSV file to write: what each schedule reaches for each group, over all weeks and week by week",
    )


def run(options: argparse.Namespace) -> int:
    """Review a policy that runs on a machine; return the exit status."""
    load_kernels_sooner()
    from ..comparison.promises import Word, review
    from ..comparison.recorded_waits import of_scheduler_before
    from ..comparison.review_tables import review_text
    from ..core.tables import save_rows, to_json
    from ..deployment.daemon_log import read_daemon_log
    from ..deployment.ranking import check_orderly
    from ..policies.policy import as_policy

    policy = check_orderly(as_policy(options.policy))
    today = _today(options)
    workload = _groups(options, policy)
    since = _second(options.since, workload)
    log = None if options.log is None else read_daemon_log(options.log, workload.epoch + since)
    is_dry = log is not None and _is_dry(options.log, log)
    wish = None if options.objective is None else read_wish(options, workload)
    result = with_progress(lambda: review(workload, policy, since, wish, today, options.users))
    before = None if today is None else of_scheduler_before(workload, today, since, is_dry)
    if options.output is not None:
        save_rows([*result.rows(), *_before_rows(workload, result, before, is_dry)], Path(options.output))
    _remark(options, workload, policy, today, result)
    reached = None if log is None else _ranked_jobs(log, result)
    if options.json:
        facts = result.facts() | {"dry_run": is_dry, "today": None if before is None else before.facts()}
        show(to_json(facts | {"daemon": _daemon_facts(log, reached), "rows": result.rows()}))
    else:
        parts = [review_text(result, is_dry)]
        parts += [] if today is None else [_before_text(today, before, options.since)]
        parts += [] if log is None else [_daemon_text(log, reached)]
        show("\n\n".join(parts))
    return NOT_KEPT if result.verdict.word == Word.BROKEN and not is_dry else 0


def _today(options: argparse.Namespace) -> Policy | None:
    """Return the scheduler before, if it is given."""
    if options.today is None:
        if options.shares is not None:
            raise InputError("--shares: goes with --today of a slurm.conf")
        return None
    (policy,) = read_sites("--today", [options.today], options.shares)
    return policy


def _groups(options: argparse.Namespace, policy: Policy) -> Workload:
    """Return the log in the groups of --groups; without it in those of the policy, if its rule can make them."""
    from ..policies.policy import decided_by

    workload = read_workload(options)
    has_rule = policy.grouping is not None and policy.grouping.applies(workload)
    return decided_by(policy, workload) if options.groups is None and has_rule else workload


def _second(text: str, workload: Workload) -> int:
    """Return the second of the log at which a date begins in its time zone."""
    from ..workload.calendar import day_of, find_zone

    try:
        when = dt.datetime.fromisoformat(text)
        unix = (when if when.tzinfo else when.replace(tzinfo=find_zone(workload.zone))).timestamp()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"--since: must be a date, such as 2026-03-01, but is {in_quotes(text)}") from None
    since = int(unix) - workload.epoch
    if since > int(workload.submit[-1]):
        first, last = (day_of(workload.epoch + int(second), workload.zone) for second in workload.submit[[0, -1]])
        raise InputError(f"--since: {text} is after the last job of {workload.name}, which has jobs of {first}..{last}")
    return max(since, 0)


def _is_dry(path: str, log: DaemonLog) -> bool:
    """Return whether the daemon changed nothing; refuse a log with both kinds of passes."""
    if 0 < log.dry_passes < log.passes:
        raise InputError(
            f"{path}: {log.dry_passes:,} of {log.passes:,} passes since the date were dry runs; name a date with "
            "--since from which on all of them were, or none"
        )
    return log.dry_passes > 0


def _remark(
    options: argparse.Namespace, workload: Workload, policy: Policy, today: Policy | None, result: Review
) -> None:
    """Write remarks on what limits the review."""
    from ..comparison.carried_over import missing_processors, remembers_usage

    remark_repairs(options, options.trace, workload)
    policies = [policy, *([] if today is None else [today])]
    remark_unsaid(policies)
    remark_orders(policies, options.trace, workload)
    remark_users(options, options.trace, workload)
    if workload.machine is not None:
        remark("on its nodes all policies are simulated from the beginning of the log on")
    elif more := missing_processors(workload, result.begin):
        processors = number_of(more, "processor")
        remark(
            f"at {options.since} the jobs ran on {processors} more than the machine has; some begin later",
            Changes.FIGURES,
        )
    if today is not None and remembers_usage(today) and workload.machine is None:
        remark(f"{today.name} looks at consumption: it is simulated from the beginning of the log on")
    if result.begin.since == 0 or int(workload.submit[0]) >= result.begin.since:
        remark(
            "the log has no jobs before this date, so that the simulations begin on an empty machine", Changes.FIGURES
        )
    if options.log is None:
        remark(
            f"that {policy.name} decided since then is taken for granted; --log deploy.jsonl of the daemon says "
            "which jobs it ranked"
        )
    if result.intervals is not None and result.intervals.caution:
        remark(f"{options.trace}: {result.intervals.caution}", Changes.FIGURES)


def _ranked_jobs(log: DaemonLog, result: Review) -> Coverage:
    """Return how many of the jobs the daemon had ranked before they started."""
    from ..comparison.promises import RECORDED
    from ..deployment.daemon_log import ranked_before_start

    w = result.workload
    return ranked_before_start(log, w.job, w.eligible + w.epoch, result.schedules[RECORDED].start + w.epoch)


def _before_text(today: Policy, before: RecordedWaits | None, since: str) -> str:
    """Return how near the scheduler before comes to the recorded waits, in words."""
    if before is None:
        return f"{today.name}: the log has no wait from before {since}, to say how near its simulation comes"
    return before.words()


def _before_rows(
    workload: Workload, result: Review, before: RecordedWaits | None, is_dry: bool
) -> list[dict[str, Any]]:
    """Return how near the scheduler before comes as a row of the CSV file; none if it is not known."""
    from ..comparison.promises import ALL
    from ..workload.calendar import day_of

    if before is None:
        return []
    w = workload
    first, last = (w.epoch + int(x) for x in (w.submit[0], w.submit[-1] if is_dry else result.begin.since))
    facts = {key: value for key, value in before.facts().items() if key != "without_kept"}
    head = {"from": day_of(first, w.zone), "until": day_of(last, w.zone), "group": ALL}
    return [head | facts | {"system": f"before: {before.name}"}]


def _daemon_facts(log: DaemonLog | None, reached: Coverage | None) -> dict[str, Any] | None:
    """Return what the daemon did as plain values."""
    if log is None or reached is None:
        return None
    facts = {key: value for key, value in log._asdict().items() if key != "since"}
    return facts | {"jobs_that_could_be_ranked": reached.jobs, "ranked_before_start": reached.ranked}


def _daemon_text(log: DaemonLog, reached: Coverage | None) -> str:
    """Return what the daemon did in words."""
    lines = [
        f"the daemon: {log.passes:,} passes, one every {log.period:g} s; each took {log.seconds:g} s, the longest "
        f"{log.most_seconds:g} s",
        f"  {log.changes:,} site factors {'would have been ' * (log.dry_passes > 0)}set, {log.refused:,} refused; "
        f"{log.gaps:,} gaps of more than two periods, the longest {log.longest_gap:,} s",
    ]
    if log.reviews or log.failed_reviews:
        lines.append(f"  {log.reviews:,} comparisons with EASY; {log.failed_reviews:,} failed, and were made later")
    if reached is not None and reached.jobs:
        share = 100 * reached.ranked / reached.jobs
        lines.append(
            f"  {reached.ranked:,} of {reached.jobs:,} jobs ({share:.1f} %) that waited two periods or more were "
            "ranked before they started; tasks of an array are ranked as one job"
        )
    return "\n".join(lines)
