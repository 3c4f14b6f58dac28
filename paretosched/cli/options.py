"""What the options of several commands have in common: their types, and those that read a log or use workers."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from ..core.errors import quoted
from .parser import Parser

Group = argparse._ArgumentGroup
BACKFILLS = ("none", "easy", "conservative")


def whole(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:  # no number, or one of thousands of digits
        raise argparse.ArgumentTypeError(f"must be a whole number, but is {quoted(text)}") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, but is {quoted(text)}") from None


class Name:
    """The type of an argument that is the name of a file, and what a shell suggests for it.

    Parameters
    ----------
    place
        "file" or "directory"; "" if it is no file at all.
    words
        Function that lists the words that may stand there instead; they are known to the library, which is loaded
        only when a shell asks for its completion.
    free
        It may also be any other text, such as a wish in words.
    """

    def __init__(self, place: str = "file", words: Callable[[], Sequence[str]] = tuple, free: bool = False) -> None:
        self.place = place
        self.words = words
        self.free = free

    def __call__(self, text: str) -> str:
        """Return the name, if it can be the name of a file."""
        if not self.free and (not text or "\0" in text):
            raise argparse.ArgumentTypeError(f"must be the name of a file, but is {quoted(text)}")
        return text


def _policies() -> Sequence[str]:
    from ..policies.policy import NAMED, OPTIMISED

    return (*NAMED, OPTIMISED)


FILE = Name()
DIRECTORY = Name("directory")
POLICY = Name(words=_policies)
GROUPS = Name(words=lambda: ("consumption", "swf", "queue"))
WISH = Name(free=True)


def new_command(
    commands: argparse._SubParsersAction[Parser],
    name: str,
    run: Callable[[argparse.Namespace], None],
    text: str,
    example: str,
    json: bool = True,
) -> Parser:
    """Add a command: its name, its handler, what it does in a line, examples, and whether it can write JSON."""
    parser = commands.add_parser(name, help=text, description=text, epilog=f"example:\n{example}")
    parser.set_defaults(run=run)
    if json:
        parser.add_argument("--json", action="store_true", help="write JSON instead of tables")
    return parser


def takes_trace(parser: Parser, several: bool = False, needed: bool = True) -> None:
    """Take a log, or several, and how it is read."""
    what = "workload log in SWF, plain or gzipped, or a run directory, whose log is opened again"
    if several:
        many = f"{what}; one or more" if needed else f"{what}; one or more, by default those of the fronts"
        parser.add_argument("traces", nargs="+" if needed else "*", metavar="TRACE", type=FILE, help=many)
    else:
        parser.add_argument("trace", metavar="TRACE", type=FILE, help=what)
    takes_reading(parser)


def takes_reading(parser: Parser) -> None:
    """Take what a log does not say itself: the size of the machine, and who belongs to which group."""
    group = parser.add_argument_group("how the log is read", "What a log does not say, or what you want otherwise.")
    group.add_argument(
        "--capacity", type=whole, metavar="N", help="processors of the machine (default: the log's MaxProcs)"
    )
    group.add_argument(
        "--groups",
        metavar="HOW",
        type=GROUPS,
        help="user groups: consumption (default: five, by the user's share of all processor seconds: above 8 %%, "
        "2 %%, 1 %%, 0.1 %%, the rest), other percentages such as 10,1, swf (field 13 of the log), queue (field "
        "15), or a CSV file with the columns user,group",
    )


def takes_log_to_write(parser: Parser) -> None:
    """Take the name of a log that is written."""
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", type=FILE, help="SWF file to write, gzipped if it ends in .gz"
    )


def takes_backfill(group: Group, help_: str) -> None:
    """Take a kind of backfilling."""
    group.add_argument("--backfill", choices=BACKFILLS, help=help_)


def takes_workers(parser: Parser) -> None:
    """Take where simulations run."""
    group = parser.add_argument_group(
        "workers", "Where the simulations run. The result is the same for any number of workers."
    )
    group.add_argument(
        "--workers",
        type=whole,
        default=0,
        metavar="N",
        help="worker processes (default 0: threads of this one, one a core)",
    )
    group.add_argument("--scheduler", metavar="ADDRESS", help="use a running Dask cluster: tcp://host:8786")


def given(options: argparse.Namespace, names: Sequence[str]) -> dict[str, Any]:
    """Return the options of these names that were given on the command line."""
    return {name: value for name in names if (value := getattr(options, name)) not in (None, [])}


def reading_words(options: argparse.Namespace) -> list[str]:
    """Return the words that read a log in the same way on another command line."""
    return [
        word for name, value in given(options, ("capacity", "groups")).items() for word in (f"--{name}", str(value))
    ]
