"""Options of several commands: their types, and the options that read a log or use workers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ..core.errors import InputError, in_quotes
from ..core.limits import LARGEST, limit_names, limits_text
from ..policies.slurm_commands import COMMAND, QOS_COMMAND
from .file_kinds import Kind
from .parser import Group, Parser

BACKFILLS = ("none", "easy", "conservative")  # those of `policies.greedy_order`, which takes long to import
TLS = ("tls-ca", "tls-cert", "tls-key")


def whole(text: str) -> int:
    """Return a text as a whole number."""
    try:
        return int(text)
    except ValueError:  # no number, or a number of thousands of digits
        raise argparse.ArgumentTypeError(f"must be a whole number, but is {in_quotes(text)}") from None


def number(text: str) -> float:
    """Return a text as a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, but is {in_quotes(text)}") from None


def limit(text: str) -> tuple[str, int]:
    """Return the name and the value of a limit, written as NAME=N."""
    name, equals, value = text.partition("=")
    if not equals or name not in limit_names():
        names = ", ".join(limit_names())
        raise argparse.ArgumentTypeError(f"must be NAME=N, where NAME is one of {names}, but is {in_quotes(text)}")
    most = whole(value)
    if not 1 <= most <= LARGEST:
        raise argparse.ArgumentTypeError(f"{name} must be in 1..2^53, but is {in_quotes(value)}")
    return name, most


class Name:
    """The type of an argument that is the name of a file: what the command does with it, and a shell's suggestions.

    Every such argument declares whether its file is read or written. `outputs.check_outputs` refuses, before any
    command begins, outputs that would destroy an input or another file.

    Parameters
    ----------
    reads
        What messages call the file if it is read: "the policy". "" if it is not read.
    writes
        What is written to it; None if it is not written.
    place
        "file" or "directory"; "" if the argument is no file at all.
    words
        Function that returns the words that are allowed instead of a file. It loads the library, so it is called only
        when a shell asks for its completion.
    free
        Whether any other text is allowed, too, such as a wish in words.
    """

    def __init__(
        self,
        reads: str = "",
        *,
        writes: Kind | None = None,
        place: str = "file",
        words: Callable[[], Sequence[str]] = tuple,
        free: bool = False,
    ) -> None:
        self.reads = reads
        self.writes = writes
        self.place = place
        self.words = words
        self.free = free

    def __call__(self, text: str) -> str:
        """Return the name, if it can be the name of a file."""
        if not self.free and (not text or "\0" in text):
            raise argparse.ArgumentTypeError(f"must be the name of a file, but is {in_quotes(text)}")
        return text


def _policies() -> Sequence[str]:
    from ..policies.policy import OPTIMISED, POLICY_NAMES

    return (*POLICY_NAMES, OPTIMISED)


TRACE = Name("the workload log")
FRONT = Name("the front")
POLICY = Name("the policy", words=_policies)
GROUPS = Name("the list of groups", words=lambda: ("consumption", "swf", "queue", "partition", "account", "qos"))
WISH = Name("the wish", free=True)


def new_command(
    commands: argparse._SubParsersAction[Parser],
    name: str,
    run: Callable[[argparse.Namespace], int | None],
    text: str,
    example: str,
    json: bool = True,
) -> Parser:
    """Add a command, and return its parser.

    Parameters
    ----------
    commands
        The commands to which it is added.
    name, run
        Its name, and the function that does its work and returns the exit status; None for 0.
    text, example
        What it does, in a line; examples.
    json
        Whether it has the option --json.
    """
    parser = commands.add_parser(name, help=text, description=text, epilog=f"example:\n{example}")
    parser.set_defaults(run=run)
    if json:
        parser.add_argument("--json", action="store_true", help="write JSON instead of tables")
    parser.add_argument("--remarks", action="store_true", rare=True, help="show all remarks, not the first three only")
    parser.add_help_all()
    return parser


SEVERAL = "; may be repeated: waits are shown in all groupings, AWRT in the first"


class _Once(argparse.Action):
    """An option that a user could think may be repeated, and may not: the last one would count in silence."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"argument {option}: may be given once only; compare shows waits in several groupings at once")
        setattr(namespace, self.dest, values)


def takes_trace(
    parser: Parser, several: bool = False, needed: bool = True, with_limits: bool = True, views: bool = False
) -> None:
    """Add the argument for a log, or several, and the options of how it is read, see `takes_reading`."""
    text = (
        "workload log in SWF, plain or gzipped, or in Parquet, with nodes, as import --machine writes it; or a run "
        "directory, whose log is opened again"
    )
    if several:
        text += "; one or more" if needed else "; one or more, by default the logs of the fronts"
        parser.add_argument("traces", nargs="+" if needed else "*", metavar="TRACE", type=TRACE, help=text)
    else:
        parser.add_argument("trace", metavar="TRACE", type=TRACE, help=text)
    takes_reading(parser, with_limits, views)


def takes_reading(parser: Parser, with_limits: bool = True, views: bool = False) -> None:
    """Add the options for what a log may not say: the size of the machine, and the group of each user.

    A command that says more with --limit adds this option itself, in place of `with_limits`. With `views` --groups may
    be repeated.
    """
    group = parser.add_argument_group(
        "how the log is read", "For facts that the log does not contain, or that you want to change."
    )
    group.add_argument(
        "--capacity", type=whole, metavar="N", help="processors of the machine (default: MaxProcs in the log)"
    )
    group.add_argument(
        "--groups",
        action="append" if views else _Once,
        metavar="HOW",
        type=GROUPS,
        help=f"user groups{SEVERAL * views}. consumption (default): five groups by the user's share of all processor "
        "seconds, above "
        "8 %%, 2 %%, 1 %%, 0.1 %%, and the rest; 10,1 or the like: the same with these percentages; swf: field 13 of "
        "the log; queue: field 15; partition, account, qos or user: what jobs name, or whose they are; words, such as "
        "'large: width >= 32; short: limit <= 1h; rest', where the first that fits a job counts (width, nodes, gpus, "
        "memory, limit, user, account, queue, partition; of machines of nodes also what jobs ask for); or a CSV file "
        "with the columns user,group, where account, queue or partition may stand for or beside user, and * for any",
    )
    group.add_argument(
        "--overrun",
        rare=True,
        choices=("cut", "raise"),
        help="what becomes of jobs that ran longer than they had requested: cut (default) their run times, as a "
        "machine does that kills them; raise their requests to the run times, if the machine let them run",
    )
    group.add_argument(
        "--one-pool",
        rare=True,
        action="store_true",
        help="of a log with nodes: treat its machine as a pool of equal processors, as that of any other log",
    )
    if with_limits:
        takes_limits(parser)


def takes_limits(parser: Parser) -> None:
    """Add the option for the limits at which readers of files stop."""
    group = parser.add_argument_group(
        "limits", "Files beyond a limit are refused, so that a damaged or hostile file does not fill the memory."
    )
    group.add_argument(
        "--limit",
        rare=True,
        action="append",
        type=limit,
        metavar="NAME=N",
        default=[],
        help="change a limit, which the error of a refused file names; may be given several times. "
        f"The limits are {limits_text()}",
    )


def takes_log_to_write(parser: Parser) -> None:
    """Add the option for the log to write."""
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        type=Name(writes=Kind.LOG),
        help="SWF file to write, gzipped if it ends in .gz",
    )


def takes_backfill(group: Group, help_: str) -> None:
    """Add the option for the kind of backfilling of what is trained or explored."""
    group.add_argument("--backfill", rare=True, choices=BACKFILLS, help=help_)


def takes_order(group: Group) -> None:
    """Add the options for the backfilling of an order."""
    group.add_argument(
        "--backfill",
        metavar="HOW",
        help="which jobs may start before the first ones of an order: none, easy (the first job that cannot "
        "start now has a reservation; the default of orders), easy:K (the first K such jobs have), conservative (all "
        "have); 'easy:8 for 1,2' gives reservations to jobs of the groups 1 and 2 only. With fcfs or a policy that is "
        "an order",
    )
    group.add_argument(
        "--backfill-order",
        rare=True,
        metavar="ORDER",
        help="the order in which such jobs are tried: same, a named order as for --policy, or a formula, whose "
        "smallest value comes first: sjf, 'estimate * width'",
    )


def takes_shares(group: Group) -> None:
    """Add the option of the shares of a Slurm site."""
    group.add_argument(
        "--shares",
        metavar="FILE",
        type=Name("the list of shares"),
        help="for a slurm.conf with fair share: the accounts, users and shares, as this prints them: "
        f"{COMMAND}; with PriorityWeightQOS also: {QOS_COMMAND}; or a dump or script of sacctmgr. Without it, all "
        "users have equal shares",
    )


def takes_users(group: Group, more: str) -> None:
    """Add the option for when users submit jobs; `more` ends its help."""
    group.add_argument(
        "--users",
        choices=["recorded", "react"],
        default="recorded",
        help="when jobs are submitted. recorded: when the log says (default); react: when others of their user have "
        "ended, after the user's think time, so that a better schedule gets more work (after Zakay and Feitelson "
        f"2014); for logs with users and recorded waits, not for time sharing{more}",
    )


def takes_workers(parser: Parser) -> None:
    """Add the options for where simulations run."""
    group = parser.add_argument_group(
        "workers", "Where the simulations run. The result is the same for any number of workers."
    )
    group.add_argument(
        "--workers",
        type=whole,
        default=0,
        metavar="N",
        help="worker processes (default 0: no other process, but one thread for each core)",
    )
    group.add_argument(
        "--scheduler",
        rare=True,
        metavar="ADDRESS",
        help="use a running Dask cluster at this address, such as tls://host:8786. If it goes away, it is tried again "
        "for 60 s; so long, too, is waited for a worker. At tcp://host:8786, everybody who reaches it can run programs "
        "as you",
    )
    for name, what in zip(
        TLS, ("certificate of the authority", "our certificate", "key of our certificate"), strict=True
    ):
        group.add_argument(
            f"--{name}",
            rare=True,
            metavar="FILE",
            type=Name(f"the {what}"),
            help=f"{what}, for a scheduler at tls://, PEM (default: that of Dask's configuration)",
        )


def worker_words(options: argparse.Namespace) -> dict[str, Any]:
    """Return where simulations run, as arguments of a function.

    Raises
    ------
    InputError
        Some of the files for TLS are given, but not all three.
    """
    files = [getattr(options, name.replace("-", "_")) for name in TLS]
    missing = [name for name, file in zip(TLS, files, strict=True) if file is None]
    if 0 < len(missing) < len(TLS):
        raise InputError(f"--{missing[0]}: --tls-ca, --tls-cert and --tls-key belong together, but this one is missing")
    tls = None if missing else tuple(files)
    return {"workers": options.workers, "scheduler": options.scheduler, "tls": tls}


def chosen_options(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Return those of these options that are on the command line, name to value."""
    return {name: value for name in names if (value := getattr(options, name)) not in (None, [])}


def reading_words(options: argparse.Namespace) -> list[str]:
    """Return the words with which another command line reads the log in the same way."""
    return (
        [
            word
            for name, value in chosen_options(options, ("capacity", "groups", "overrun")).items()
            for word in (f"--{name}", str(value))
        ]
        + ["--one-pool"] * options.one_pool
        + [word for name, most in options.limit for word in ("--limit", f"{name}={most}")]
    )
