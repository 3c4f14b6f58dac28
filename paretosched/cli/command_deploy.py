"""`paretosched deploy`: a policy on a real machine."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.errors import InputError, number_of
from .console import Changes, remark, say, show, tell, write_remarks
from .file_kinds import Kind
from .inputs import remark_unsaid
from .options import Name, new_command, number, takes_limits
from .parser import Parser

if TYPE_CHECKING:
    from ..deployment.daemon import Plan
    from ..deployment.ranking import Orderly
    from ..policies.policy import Policy

PERIOD = 30.0  # s, unless the command line says something else
SHORTEST_PERIOD = 1.0  # s
LONGEST_PERIOD = 86_400.0  # s
NO_SLURM = 75  # EX_TEMPFAIL of sysexits.h: an exit status after which a service is started again, unlike 2
EXAMPLE = """\
  paretosched deploy policy.json --to slurm --groups account --dry-run --period 30
  (for a week: what would it do? nothing is changed, and a job's account is its group)
  paretosched deploy policy.json --to slurm --groups account
  (in the foreground, until Ctrl-C)
  paretosched deploy policy.json --to slurm --groups account --unit
  (a systemd unit that does so)
  paretosched deploy policy.json --to slurm --off
  (undo: all site factors are 0 again)
  paretosched deploy policy.json --to slurm --off -o /var/lib/paretosched
  (undo what the unit did, as the user of the unit; --unit prints the whole command)
  paretosched deploy policy.json --to pbs --groups account
  (text for OpenPBS, with how to undo it)

How it works on Slurm: every period, squeue and sprio are read, the waiting jobs are put in the policy's order, and
"scontrol update SiteFactor" is called for the jobs whose place has changed. Nothing else is ever changed: no held job,
no job in a reservation, no other partition. If the daemon ends, jobs keep their order and new ones come behind.
It needs PriorityType=priority/multifactor and the right of an operator, and nothing more:
  sacctmgr modify user NAME set AdminLevel=Operator
A guarded order compares itself with EASY: the daemon keeps books of the jobs since the deployment began, in FOLDER.
What slurm.conf must say for the backfilling of the policy is printed at the start, with what it says now."""


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "deploy",
        run,
        "run a policy on a real machine: keep Slurm's waiting jobs in its order, or print what OpenPBS needs",
        EXAMPLE,
        json=False,
    )
    parser.set_defaults(is_light=True)  # a few thousand keys are computed sooner than numba is loaded
    parser.add_argument("policy", metavar="POLICY", type=Name("the policy"), help="policy file, .json or .txt")
    parser.add_argument("--to", required=True, choices=("slurm", "pbs"), help="the resource manager")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--dry-run", action="store_true", help="change nothing; write down what would be done")
    what.add_argument("--off", action="store_true", help="undo it: set all site factors to 0, and forget the jobs")
    what.add_argument("--unit", action="store_true", help="print a systemd unit that runs this command line")
    parser.add_argument("--once", rare=True, action="store_true", help="end after one pass, for cron and tests")
    parser.add_argument("--period", type=number, metavar="S", help="seconds from one pass to the next (default 30)")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        type=Name(writes=Kind.DEPLOYMENT, place="directory"),
        help="where the daemon keeps its log (deploy.jsonl), numbers for Prometheus (deploy.prom) and which jobs "
        "it has touched (default: systemd's STATE_DIRECTORY, else POLICY.deploy beside the policy)",
    )
    jobs = parser.add_argument_group("which jobs, and in which groups")
    jobs.add_argument(
        "--partition",
        action="append",
        default=[],
        metavar="NAME",
        help="only jobs that run in this partition; may be repeated (default: all)",
    )
    jobs.add_argument(
        "--groups",
        metavar="HOW",
        type=Name("the list of groups", words=lambda: ("account", "user", "qos", "partition")),
        help="where the group of a job stands: account, user, qos or partition; or a CSV file with the columns "
        "user,group, where account, queue (the QOS) or partition may stand for or beside user, and * for any. A job of "
        "no group is a newcomer (default: the rule in the policy)",
    )
    jobs.add_argument(
        "--width",
        choices=("cpus", "nodes", "gpus", "billing"),
        help="what was the width of jobs when the policy was trained (default cpus)",
    )
    beside = parser.add_argument_group("beside the site's own priorities")
    beside.add_argument(
        "--share",
        type=number,
        metavar="P",
        help="at most P per cent of the largest priority come from the policy, the rest from PriorityWeight* of "
        "slurm.conf (default: the policy decides, and those order only jobs that it leaves alone)",
    )
    takes_limits(parser)


def run(options: argparse.Namespace) -> int | None:
    """Run a policy on a real machine."""
    from ..deployment.ranking import check_orderly
    from ..policies.policy import as_policy

    if options.groups is not None and options.groups not in ("account", "user", "qos", "partition"):
        _check_file("--groups", options.groups)
    policy = as_policy(options.policy)
    if options.to == "pbs":
        _print_pbs(options, policy)
        return None
    orderly = check_orderly(policy)
    options.period = PERIOD if options.period is None else options.period
    options.width = options.width or "cpus"
    if not SHORTEST_PERIOD <= options.period <= LONGEST_PERIOD:
        raise InputError(f"--period: must be in 1..86400 s, but is {options.period:g}")
    if options.share is not None and not 0 < options.share < 100:
        raise InputError(f"--share: must be more than 0 and less than 100 per cent, but is {options.share:g}")
    _check_file("POLICY", options.policy)
    if options.unit:
        _print_unit(options, orderly)
        return None
    return _run_on_slurm(options, orderly)


def _check_file(option: str, path: str) -> None:
    """Refuse what is no file: the daemon reads it again when it changes."""
    from ..core.files import is_file

    if not is_file(path):
        raise InputError(f"{option}: must be a file here, but there is no file {path}")


def _print_pbs(options: argparse.Namespace, policy: Policy) -> None:
    """Print what OpenPBS needs."""
    from ..deployment.pbs import HOOK, pbs_text
    from ..deployment.ranking import check_orderly, left_out

    names = ("dry_run", "off", "unit", "once", "period", "partition", "width", "share", "output")
    for name in names:
        value = getattr(options, name)
        if value is not None and value is not False and value != []:
            word = name.replace("_", "-")
            raise InputError(f"--{word}: goes with --to slurm only; --to pbs prints text, with how to undo it")
    text = pbs_text(policy, options.groups)
    show(text)
    remark_unsaid([policy])
    if options.groups is None and HOOK in text:
        remark(
            "groups are taken to be accounts, and jobs of other accounts to be newcomers; if the policy groups users "
            "by consumption or a list, none of its groups is one: say with --groups where a job's group stands",
            Changes.FIGURES,
        )
    for words in left_out(check_orderly(policy), in_passes=False):
        remark(f"left out of the text for OpenPBS: {words}")


def _print_unit(options: argparse.Namespace, policy: Orderly) -> None:
    """Print a systemd unit with this command line, unless the daemon would refuse it."""
    from ..core.files import is_file
    from ..deployment.daemon import check_groups
    from ..deployment.systemd_unit import hidden_path, unit_text

    check_groups(policy, options.groups, options.width)
    program = Path(sys.argv[0]).resolve()
    words = [str(program)] if program.name == "paretosched" else [sys.executable, "-m", "paretosched"]
    words += ["deploy", str(Path(options.policy).resolve()), "--to", "slurm", "--period", f"{options.period:g}"]
    groups = options.groups
    if groups is not None:
        words += ["--groups", str(Path(groups).resolve()) if is_file(groups) else groups]
    for name in options.partition:
        words += ["--partition", name]
    words += ["--width", options.width]
    if options.share is not None:
        words += ["--share", f"{options.share:g}"]
    if options.output is not None:
        words += ["-o", str(Path(options.output).resolve())]
    show(unit_text(words))
    if path := hidden_path(words):
        remark(
            f"{path}: the unit cannot see it, as PrivateTmp=yes gives it a /tmp of its own; put it elsewhere",
            Changes.FIGURES,
        )


def _folder(options: argparse.Namespace) -> Path:
    """Return the folder of the deployment."""
    if options.output is not None:
        return Path(options.output)
    state = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(state) if state else Path(f"{options.policy}.deploy")


def _run_on_slurm(options: argparse.Namespace, policy: Orderly) -> int | None:
    """Check Slurm's settings, and run the daemon, or undo what it did."""
    from ..deployment.daemon import Plan, read_plan_policy, run_daemon, undo
    from ..deployment.site_clock import site_zone
    from ..deployment.site_factors import bounded_share, lexicographic
    from ..deployment.slurm_calls import SlurmError
    from ..deployment.slurm_queue import check_partitions
    from ..deployment.slurm_settings import check_priority, read_settings, weights_of

    try:
        settings = read_settings()
        check_priority(settings)
        check_partitions(options.partition)
        weights = weights_of(settings)
        if options.share is not None and weights == 0:
            raise InputError("--share: slurm.conf has no PriorityWeight*, so that there is nothing to share with")
        plan = Plan(
            Path(options.policy),
            _folder(options),
            options.period,
            options.groups,
            tuple(options.partition),
            options.width,
            lexicographic(weights) if options.share is None else bounded_share(weights, options.share),
            site_zone(),
            options.dry_run,
        )
        if options.off:
            count = undo(plan, say)
            show(f"{number_of(count, 'job')} {'has' if count == 1 else 'have'} the site factor 0 again")
            return None
        reading = read_plan_policy(plan)
        _show_settings(plan, policy, settings, reading.grouping.words)
        run_daemon(plan, say, options.once)
    except SlurmError as error:
        tell(f"paretosched deploy: {error}")
        return NO_SLURM
    return None


def _show_settings(plan: Plan, policy: Orderly, settings: dict[str, str], groups: str) -> None:
    """Show what is going to be done, and what slurm.conf must say for it."""
    from ..deployment.ranking import left_out
    from ..deployment.slurm_queue import read_queue
    from ..deployment.slurm_settings import RIGHTS, longest_limit, settings_for_books, wanted_settings
    from ..policies.guarded import Guarded
    from ..policies.policy_tokens import written_time

    queue = read_queue()
    waiting = sum(job.pending for job in queue)
    where = ", ".join(plan.partitions) or "all partitions"
    what = "nothing is changed" if plan.is_dry else f"site factors up to {plan.scale.highest:,}"
    show(f"{policy.name} on {settings.get('ClusterName', 'Slurm')}, {where}; groups: {groups}; time zone {plan.zone}")
    show(f"every {plan.period:g} s, {what}; log and numbers in {plan.folder}")
    wanted = wanted_settings(policy, settings, longest_limit(queue), waiting)
    if isinstance(policy, Guarded):
        wanted += settings_for_books(settings, plan.period)
    remark_unsaid([policy])
    for setting in wanted:
        verdict = "ok" if setting.is_right else f"PLEASE CHANGE slurm.conf, which says {setting.now}"
        show(f"  {setting.words}: {verdict}")
    if isinstance(policy, Guarded):
        every = written_time(policy.review)
        show(f"  groups come first; every {every} EASY is simulated on the jobs since the deployment began, to compare")
    for words in left_out(policy, in_passes=True):
        show(f"  Slurm cannot do this of the policy: {words}")
    if waiting > plan.scale.places:
        show(f"  only the first {plan.scale.places:,} jobs fit above the site's own weights; others come behind")
    if not plan.is_dry:
        show(f"  {RIGHTS}")
    sys.stdout.flush()
    write_remarks(shows_all=True)  # what follows goes on for days
