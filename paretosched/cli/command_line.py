"""The command line: one file a command, each a few lines over functions that a notebook can call just as well.

Exit status: 0 done; 2 the input breaks a rule, said in one line; 130 interrupted (what is on disk is whole).
Tables go to standard output; progress and remarks go to standard error. A reader of the tables that has had enough,
as `head` has, is no error.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.errors import InputError
from ..core.version import __version__
from . import (
    command_app,
    command_assign,
    command_compare,
    command_completion,
    command_explain,
    command_explore,
    command_fetch,
    command_front,
    command_generate,
    command_info,
    command_scale,
    command_simulate,
    command_train,
)
from .console import PROGRAM, flush, tell
from .parser import Parser

COMMANDS = (
    command_info,
    command_generate,
    command_scale,
    command_fetch,
    command_simulate,
    command_explore,
    command_train,
    command_explain,
    command_front,
    command_compare,
    command_app,
    command_assign,
    command_completion,
)  # in the order of the help
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
            options = all_commands().parse_args(arguments)
            program = f"{PROGRAM} {options.command}"
            options.run(options)
        finally:
            flush()
    except InputError as error:
        tell(f"{program}: {error}")
        return 2
    except KeyboardInterrupt:
        tell(f"{program}: interrupted")
        return 130
    return 0


def all_commands() -> Parser:
    """Return the parser of the command line, with every command."""
    parser = Parser(prog=PROGRAM, description=DESCRIPTION, epilog=EXAMPLE)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    parser.set_defaults(parser=parser)  # of which `completion` makes its script
    commands = parser.add_commands()
    for command in COMMANDS:
        command.add_to(commands)
    return parser
