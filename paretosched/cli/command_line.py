"""The command line: one file for each command, with a few lines over functions that a notebook can call, too.

Exit status: 0 done; 2 the input breaks a rule, or an extra is not installed,
with one line that says which; 3 the trained policy is written, but is
worse than EASY or outside its limits, or a policy did not keep its promise; 75 Slurm does not answer; 130 interrupted
(files are complete). Tables go to standard output; progress and remarks go to standard error. It is no error if the
reader of the tables stops early, as `head` does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from ..core.errors import InputError
from ..core.extras import missing_extra
from ..core.limits import reading_limits
from ..core.locks import check_system
from ..core.version import __version__
from .console import PROGRAM, flush, forget_first, tell, write_first, write_remarks
from .parser import Parser
from .waiting import compilation_remark

COMMANDS = (
    "info",
    "import",
    "machine",
    "generate",
    "scale",
    "resample",
    "fetch",
    "simulate",
    "explore",
    "train",
    "explain",
    "front",
    "compare",
    "whatif",
    "deploy",
    "review",
    "app",
    "assign",
    "completion",
)  # in the order of the help; each is in the file command_<name>.py
DESCRIPTION = """\
Which schedules are possible on my machine for my users? Which of them do I want? Which online scheduler comes
nearest to them? All that is needed is a workload log in the Standard Workload Format (SWF, plain or gzipped)."""
EXAMPLE = """\
first steps, on a workload that is generated:
  paretosched generate lublin --jobs 10000 --processors 128 --seed 71 -o w.swf.gz
  paretosched info w.swf.gz
  paretosched simulate w.swf.gz --policy easy
  paretosched explore w.swf.gz -o run --evaluations 5000
  paretosched front run
  paretosched train w.swf.gz --objective "10*AWRT1 + 4*AWRT2" --generations 20 -o policy.json
  paretosched explain policy.json -o policy.html
  paretosched compare w.swf.gz --front run --policy fcfs --policy policy.json -o report.html

Times are in seconds, as in the log. UTIL, in per cent, is the used share of the machine from the first start to the
last completion, as in the papers; explore and the fronts that it writes count it from the first submission. AWRT is the
average response time, weighted by processor seconds; AWRT1..5 are those of the user groups."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    program, shows_all = PROGRAM, True
    words = sys.argv[1:] if arguments is None else [*arguments]
    try:
        try:
            options = all_commands(words[0] if words else "").parse_args(words)
            from .outputs import check_outputs  # only for a command that runs, not for help

            check_system()
            program = f"{PROGRAM} {options.command}"
            shows_all = options.remarks or getattr(options, "json", False)
            if arguments is None and getattr(options, "is_light", False):  # not in a process that does other things
                os.environ["NUMBA_DISABLE_JIT"] = "1"  # before any kernel is imported
                os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is, whose threads take 0.03 s
            limits = reading_limits(**dict(getattr(options, "limit", ())))  # not all commands read files
            with limits, compilation_remark():
                check_outputs(options.parser.commands[options.command], options)
                status: int | None = options.run(options)
            write_first()
        finally:
            forget_first()
            try:
                flush()
            finally:
                write_remarks(shows_all)
    except InputError as error:
        tell(f"{program}: {error}")
        return 2
    except ModuleNotFoundError as error:
        tell(f"{program}: {missing_extra(error)}")
        return 2
    except KeyboardInterrupt:
        tell(f"{program}: interrupted")
        return 130
    return status or 0


def all_commands(first: str = "") -> Parser:
    """Return the parser of the command line, with every command; or with one, if its first word is known.

    `completion` makes its script from all of them. The version is said without any.
    """
    alone = first in COMMANDS and first != "completion"
    names = (first,) if alone else () if first == "--version" else COMMANDS
    parser = Parser(prog=PROGRAM, description=DESCRIPTION, epilog=EXAMPLE)
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    parser.set_defaults(parser=parser)  # `completion` makes its script from it
    commands = parser.add_commands()
    for name in names:
        import_module(f".command_{name}", __package__).add_to(commands)
    return parser
