"""`paretosched app`: the interactive page."""

from __future__ import annotations

import argparse

from ..core.errors import InputError
from .console import ended_in_order, flush, show, write_remarks
from .inputs import load_kernels_sooner, read_workload, remark_unsaid
from .options import FRONT, POLICY, TRACE, new_command, reading_words, takes_reading, whole
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "app",
        run,
        "open the interactive page: see which schedules are possible, enter a wish, compare, and train the scheduler",
        "  paretosched app run\n"
        "  paretosched app front.parquet --trace ctc1024.swf.gz --policy rules.json\n"
        "  (your work is kept beside RUN or FRONT, in the folder RUN.app; the same command opens it again)",
    )
    parser.add_argument("front", metavar="RUN|FRONT", type=FRONT, help="run directory or front file")
    parser.add_argument(
        "--trace",
        metavar="TRACE",
        type=TRACE,
        help="the log that was explored; the page needs it to show known schedules and to train (default: the log "
        "that the run has recorded, if it is still there)",
    )
    parser.add_argument(
        "--policy",
        action="append",
        default=[],
        metavar="P",
        type=POLICY,
        help="another policy to mark on the charts, as for simulate; may be repeated (FCFS, EASY and conservative "
        "backfilling, CONS, are always there, and the recorded schedule if the log has one)",
    )
    takes_reading(parser)
    group = parser.add_argument_group(
        "the address of the page",
        "By default only this machine can open the page, and only with the token at the end of the address that this "
        "command prints: other accounts cannot.",
    )
    group.add_argument(
        "--host",
        rare=True,
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen at (default 127.0.0.1, for this machine only)",
    )
    group.add_argument("--port", type=whole, default=8050, metavar="N", help="port (default 8050; 0: any free port)")
    group.add_argument(
        "--tls-proxy",
        rare=True,
        metavar="URL",
        help="https://HOST[:PORT] of a proxy that adds TLS and passes requests on to the page with their host; the "
        "page is then printed under this address",
    )


def run(options: argparse.Namespace) -> None:
    """Open the page."""
    load_kernels_sooner()
    from ..app.locate_workload import finder
    from ..app.server import open_page
    from ..core.tables import to_json
    from ..fronts.front_files import load_front
    from ..policies.policy import as_policy

    reading = reading_words(options)
    if reading and options.trace is None:
        raise InputError(f"{reading[0]}: sets how --trace is read, so it needs --trace")
    if not 0 <= options.port <= 65535:
        raise InputError(f"--port: must be in 0..65535, but is {options.port}")
    front = load_front(options.front)
    policies = [as_policy(policy) for policy in options.policy]
    workload = None if options.trace is None else read_workload(options)
    find = finder(options.front, front, workload, [] if workload is None else [options.trace, *reading])
    address = {"host": options.host, "port": options.port, "tls_proxy": options.tls_proxy}
    page = open_page(options.front, front, find, policies, **address)
    remark_unsaid(policies)
    with ended_in_order(), page as (url, folder, serve):
        about = {"url": url, "folder": folder}
        show(to_json(about) if options.json else f"{url}\nyour work is kept in {folder}; Ctrl-C ends the page")
        flush()
        write_remarks(options.remarks or options.json)  # the page is there until it is ended
        serve()
