"""`paretosched app`: the interactive page."""

from __future__ import annotations

import argparse

from ..core.errors import InputError
from .console import ended_in_order, flush, show
from .inputs import read_workload
from .options import FILE, POLICY, new_command, reading_words, takes_reading, whole
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "app",
        run,
        "open the interactive page: see what is possible, say what you want, compare, train the scheduler for it",
        "  paretosched app run\n"
        "  paretosched app front.parquet --trace ctc1024.swf.gz --policy rules.json\n"
        "  (what you do is kept beside RUN or FRONT, in RUN.app; the same command opens it again)",
    )
    parser.add_argument("front", metavar="RUN|FRONT", type=FILE, help="run directory or front file")
    parser.add_argument(
        "--trace",
        metavar="TRACE",
        type=FILE,
        help="the log that was explored, for known schedules and training (default: what the run says, if it is there)",
    )
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="P",
        type=POLICY,
        help="as for simulate: another schedule to mark on the charts; may be repeated (FCFS, EASY and CONS are always "
        "there, and the recorded schedule where there is one)",
    )
    takes_reading(parser)
    served = parser.add_argument_group("where the page is", "By default only this machine can open it.")
    served.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="where to listen (default 127.0.0.1, "
        "this machine only); elsewhere the page asks for the token that is shown",
    )
    served.add_argument("--port", type=whole, default=8050, metavar="N", help="port (default 8050; 0: any free one)")


def run(options: argparse.Namespace) -> None:
    """Open the page."""
    from ..app.locate_workload import finder
    from ..app.server import served
    from ..core.tables import to_json
    from ..fronts.front_files import load_front
    from ..policies.policy import as_policy

    reading = reading_words(options)
    if reading and options.trace is None:
        raise InputError(f"{reading[0]}: says how --trace is read, so it needs --trace")
    if not 0 <= options.port <= 65535:
        raise InputError(f"--port: must be in 0..65535, but is {options.port}")
    front = load_front(options.front)
    policies = [as_policy(policy) for policy in options.policy]
    named = None if options.trace is None else read_workload(options)
    find = finder(options.front, front, named, [] if named is None else [options.trace, *reading])
    page = served(options.front, front, find, policies, host=options.host, port=options.port)
    with ended_in_order(), page as (url, folder, serve):
        about = {"url": url, "folder": folder}
        show(to_json(about) if options.json else f"{url}\nyour work is kept in {folder}; Ctrl-C ends the page")
        flush()
        serve()
