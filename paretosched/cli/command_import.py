"""`paretosched import`: the accounting of a real machine becomes a log."""

from __future__ import annotations

import argparse
import datetime as dt
import os
from typing import TYPE_CHECKING

from ..core.errors import InputError, number_of
from ..core.limits import limits_in_force
from ..workload.public_catalogue import READINGS
from .console import PROGRAM, remark, show, show_first, write_first
from .file_kinds import Kind
from .options import Name, chosen_options, new_command, takes_limits, whole
from .parser import Parser
from .waiting import reading_progress

if TYPE_CHECKING:
    from ..workload.accounting.importing import ImportSummary
    from ..workload.machine import Machine

EXAMPLE = """\
  paretosched import slurm --command
      prints the sacct commands, month by month; an administrator keeps them in sacct.sh, and runs them:
      sh sacct.sh > sacct.txt, or sh sacct.sh | paretosched import slurm - --limit wait=600 -o log.swf.gz
  paretosched import slurm sacct.txt
      what would be dropped or assumed; nothing is written
  paretosched import slurm sacct.txt -o log.swf.gz --partition batch --zone Europe/Berlin
  paretosched import slurm xdmod.log -o log.swf.gz --zone America/New_York
  paretosched import slurm part.txt -o log.swf.gz --columns jobidraw,submit,-,start,end,ncpus,user,account
  paretosched import slurm sacct.txt -o log.swf.gz --nodes nodes.txt --events events.txt
  paretosched import slurm sacct.txt -o public.swf.gz --anonymise site.key
  paretosched import pbs /var/spool/pbs/server_priv/accounting -o log.swf.gz --groups group
  paretosched import sge default/common/accounting -o log.swf.gz --groups project
  paretosched import lsf logdir/lsb.acct -o log.swf.gz
  paretosched import batsim workload.json -o log.swf.gz
  paretosched import slurm sacct.txt --machine slurm.conf -o log.parquet
      jobs with what they ask of nodes and partitions
  paretosched import slurm sacct.txt --machine slurm.conf --qos qos.txt --assoc assoc.txt --reservations res.txt
      and with limits, accounts and reservations, as other commands that --command shows print them
  paretosched import csv jobs.csv -o log.swf.gz --columns submit=created,start=began,end=ended,width=cores,user=login

The log has numbers only. LOG.names.json beside it has their names, from when on each job could run, and what was
dropped; keep both together. Other commands use the groups with --groups swf. docs/importing.md says what is done
about requeues, arrays, exclusive nodes, limits and the like."""

OF_THE_LOG = (
    "partition", "width", "groups", "capacity", "zone", "columns", "unit", "reading", "anonymise", "nodes", "events",
    "reservations",
)  # fmt: skip


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "import",
        run,
        "make a log from the accounting of a machine: Slurm, PBS, Grid Engine, LSF, Batsim, or a table (CSV, Parquet)",
        EXAMPLE,
    )
    parser.add_argument(
        "format",
        metavar="FORMAT",
        choices=("slurm", "pbs", "sge", "lsf", "batsim", "csv"),
        help="slurm, pbs (OpenPBS, Torque), sge (Grid Engine), lsf, batsim or csv",
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        type=Name("the accounting file"),
        help="slurm: any text of sacct with job number, submission, run time and width, best that of the command that "
        "--command prints; pbs: an accounting file, or the directory of the daily ones; sge: the file accounting; lsf: "
        "the file lsb.acct; batsim: a workload in JSON; csv: a table in CSV or Parquet. Plain or gzipped; - is the "
        "standard input",
    )
    parser.add_argument("--command", dest="print_command", action="store_true",
                        help="slurm: print the sacct commands of the last twelve months, and those for --nodes, "
                             "--events, --qos, --assoc and --reservations, and end")  # fmt: skip
    parser.add_argument(
        "--nodes",
        metavar="FILE",
        type=Name("the nodes"),
        help="slurm: the output of the sinfo command that --command prints: the size of the machine",
    )
    parser.add_argument(
        "--events",
        rare=True,
        metavar="FILE",
        type=Name("the events"),
        help="slurm: the output of the sacctmgr command that --command prints: when nodes were down or drained, and "
        "when the machine had another size; no simulation uses processors that are down",
    )
    parser.add_argument(
        "--machine",
        metavar="FILE",
        type=Name("the machine"),
        help="the nodes and partitions of the machine: its slurm.conf (a gres.conf beside it is read, too), or a "
        "machine.toml (paretosched machine shows and writes it). FILE.parquet of -o then has jobs, what they ask for, "
        "and the machine; jobs that can never run on it are dropped",
    )
    _add_site(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Name(writes=Kind.LOG),
        help="SWF file to write, gzipped if it ends in .gz, with FILE.names.json beside it; with --machine a file that "
        "ends in .parquet (default: count only)",
    )
    group = parser.add_argument_group("what the log has")
    group.add_argument(
        "--partition", rare=True, metavar="P", help="only jobs of this partition, or queue where there are none"
    )
    group.add_argument(
        "--width",
        choices=("cpus", "nodes", "gpus", "billing"),
        help="what the widths of jobs and the size of the machine count: cpus (default), nodes, gpus or billing units; "
        "if jobs have parts of GPUs, the largest of 1/10, 1/100 and 1/1000 GPU of which all jobs have a whole number",
    )
    group.add_argument(
        "--groups",
        metavar="BY",
        help="the user groups, field 13 of the log: account (default; lsf: the project), user, qos or partition; "
        "pbs, sge and lsf: also group, project, queue and department. Other commands use them with --groups swf",
    )
    group.add_argument(
        "--capacity", type=whole, metavar="N", help="size of the machine (default: the largest use at one time)"
    )
    group.add_argument("--zone", metavar="ZONE", help="time zone of the site, such as Europe/Berlin (default UTC); "
                       "slurm: local times are read in it")  # fmt: skip
    group.add_argument(
        "--columns",
        metavar="NAMES",
        help="slurm, for a text without header: sacct's names of its columns in order, - for one that is not read, "
        "such as jobidraw,submit,-,start,end,ncpus. csv, as WHAT=NAME,...: which column is what. Needed are submit (or "
        "interval, the seconds since the job before), width (or nodes, gpus, as --width says), and run, or end with "
        "start (or wait, the seconds from submit to start). Useful are eligible, limit, user, account, queue, qos, "
        "partition, job, and state, by which jobs that still wait or run are left out; and for formulas memory (MiB, "
        "or 4G), nodes, gpus (or gpu_milli, thousandths of each), per_node, exclusive, constraint and nice. With "
        "--machine width may be tasks (and cpus_per_task, tasks_per_node), memory memory_per_node or memory_per_cpu, "
        "gpus gpus_per_node; or options is all that stood behind sbatch, such as -N2-4 -n8 --mem=4G. Times are "
        "numbers since 1970 or ISO 8601, durations numbers or [D-]HH:MM:SS",
    )
    group.add_argument(
        "--unit",
        rare=True,
        metavar="UNIT",
        help="csv: what numbers of times and durations count: s (default), ms, us or min; of one of them with its "
        "name, such as limit=min, or ms,limit=min",
    )
    group.add_argument(
        "--as",
        rare=True,
        dest="reading",
        metavar="LOG",
        help=f"csv: read it as this public log, in place of --columns: {', '.join(READINGS)}; paretosched fetch shows "
        "where they are",
    )
    group.add_argument(
        "--anonymise",
        metavar="KEY",
        type=Name("the key"),
        help="replace all names by such as user-3fa9c1d2e4b5, made with the secret key in the file KEY (HMAC-SHA-256), "
        "and number users, groups, queues and partitions by it; jobs are numbered again, and dates move back by whole "
        "weeks (one to eight times 52, as the key says). KEY is made with mode 600 if it does not exist: keep it, and "
        "two exports agree. Then all names are searched in what was written, and it is refused if one is left",
    )
    takes_limits(parser)


def _add_site(parser: Parser) -> None:
    """Add the options of limits, accounts and reservations."""
    for name, what, words in (
        ("qos", "the QOS", "the limits of the QOS of --machine: what sacctmgr show qos -P prints"),
        ("assoc", "the associations", "the accounts of --machine, and limits of accounts and users: what sacctmgr show "
         "assoc -P tree prints; or, as for --qos, a dump or commands of sacctmgr"),
        ("reservations", "the reservations", "the reservations of --machine: what scontrol show reservation prints; "
         "those that repeat are repeated over the time of the log"),
    ):  # fmt: skip
        parser.add_argument(f"--{name}", metavar="FILE", type=Name(what), help=words)


def run(options: argparse.Namespace) -> None:
    """Write a log that is made from an accounting file, and show what was dropped or assumed."""
    if options.print_command:
        _print_command(options)
        return
    if options.file is None:
        raise InputError("FILE is missing: the accounting file, or - for the standard input")
    from ..workload.accounting.accounting_files import import_log

    words = chosen_options(options, OF_THE_LOG)
    machine, site = _machine_of_site(options)
    words |= {} if machine is None else {"machine": machine}
    with reading_progress() as (watch, advance):
        summary = import_log(
            options.format, options.file, options.output, **words, watch=watch, advance=advance, dash="--"
        )
    for text in summary.doubts:
        show_first(text, beside_json=options.json)
    write_first()
    for text in (*site, *summary.remarks):
        remark(text)
    _show(options, summary)


def _machine_of_site(options: argparse.Namespace) -> tuple[Machine | None, list[str]]:
    """Return the machine of --machine with the limits of --qos and --assoc, and what is to be said of these."""
    if options.machine is None:
        for name in ("qos", "assoc"):
            if getattr(options, name) is not None:
                raise InputError(
                    f"--{name}: limits belong to a machine of nodes, and need --machine, such as a slurm.conf"
                )
        return None, []
    from ..core.parquet_files import is_parquet
    from ..policies.site_limits import enforcement_remarks, with_site_limits
    from ..workload.machine_files import TOML, read_machine

    machine = read_machine(options.machine)
    if options.qos is options.assoc is None:
        return machine, []
    machine, remarks = with_site_limits(machine, options.qos, options.assoc)
    if not options.machine.lower().endswith(TOML) and not is_parquet(options.machine):
        remarks += enforcement_remarks(options.machine, machine)
    return machine, remarks


def _print_command(options: argparse.Namespace) -> None:
    """Show the commands whose output is read, and who must run them."""
    from ..policies.slurm_commands import ASSOC_COMMAND, SITE_QOS_COMMAND
    from ..workload.accounting.slurm import sacct_command
    from ..workload.accounting.slurm_machine import EVENTS, SINFO
    from ..workload.accounting.slurm_reservations import RESERVATIONS

    if options.format != "slurm":
        raise InputError("--command is for slurm; the accounting of PBS, Grid Engine and LSF is in files")
    show(
        "# Run by root, SlurmUser or a user with AdminLevel=Operator: others may see their own jobs only (PrivateData)."
    )
    show(
        "# One line a month, so that slurmdbd is not asked for too much at once; jobs that are in two months are taken"
    )
    show("# once. Take the months that you need, and remove the others. The output: paretosched import slurm FILE")
    show("# They end today: print them again for jobs that come later.")
    show("# When nodes were down, and the size of the machine: --nodes nodes.txt --events events.txt, from")
    show(f"#   {SINFO} > nodes.txt")
    show(f"#   {EVENTS} > events.txt")
    show("# With --machine slurm.conf also limits, accounts and reservations: --qos qos.txt --assoc assoc.txt")
    show("# --reservations res.txt, from")
    show(f"#   {SITE_QOS_COMMAND}")
    show(f"#   {ASSOC_COMMAND}")
    show(f"#   {RESERVATIONS} > res.txt")
    show(sacct_command(_months(dt.datetime.now(tz=dt.UTC).date())))


def _months(today: dt.date) -> list[tuple[str, str]]:
    """Return the first days of the last twelve months, each with that of the month after."""
    firsts = [dt.date(today.year - (today.month <= back), (today.month - back - 1) % 12 + 1, 1) for back in range(12)]
    ends = [today + dt.timedelta(days=1), *firsts]
    return [(first.isoformat(), end.isoformat()) for first, end in reversed([*zip(firsts, ends, strict=False)])]


def _show(options: argparse.Namespace, summary: ImportSummary) -> None:
    """Show what was imported, and what was dropped or assumed."""
    from ..core.tables import Column, table, to_json
    from ..workload.log_names import work_met
    from ..workload.machine_use import in_units
    from ..workload.user_groups import MOST_GROUPS

    rows = [count._asdict() for count in summary.counts]
    if options.json:
        show(to_json({"file": options.output, **summary._asdict(), "counts": rows}))
        return
    met = work_met(summary.counts, summary.work)
    for row in rows:
        row["work_percent"] = None if row["work"] is None else 100 * row["work"] / met
    columns = [
        Column("action", "action"),
        Column("jobs", "jobs", ",d"),
        Column("work_percent", "work %", ".2f"),
        Column("reason", "reason"),
        Column("first", "first"),
    ]
    show(table(rows, columns) if rows else "nothing was dropped, changed or assumed")
    load = "" if summary.load is None else f", offered load {summary.load:.3f}"
    machine = in_units(summary.capacity, summary.unit)
    about = f"{number_of(summary.jobs, 'job')} of {number_of(summary.users, 'user')} on {machine}{load}"
    if summary.down is not None:
        about += f"; {summary.down / 3600:,.1f} {summary.unit[:-1]} hours were down"
    show()
    show(f"{options.output}: {about}" if options.output else f"{about}; nothing was written (-o FILE writes the log)")
    if options.output:
        groups = "" if summary.groups > MOST_GROUPS else " --groups swf"  # else a CSV file must join some of them
        show(f"next: {PROGRAM} info {options.output}{groups}{_limits_to_read(options, summary.jobs)}")


def _limits_to_read(options: argparse.Namespace, jobs: int) -> str:
    """Return the options with which a large log and its names can be read again."""
    from ..core.files import NAMES_ENDING

    limits = dict(options.limit)
    if jobs > limits_in_force().jobs:
        limits["jobs"] = jobs
    names = f"{options.output}{NAMES_ENDING}"
    size = 0 if options.machine else os.path.getsize(names)  # noqa: PTH202  # a path of the user stays as it is
    if size > limits_in_force().json:
        limits["json"] = size
    return "".join(f" --limit {name}={most}" for name, most in limits.items() if name in ("jobs", "json", "log"))
