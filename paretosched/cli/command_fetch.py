"""`paretosched fetch`: a public log from the Parallel Workloads Archive."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .console import bar, remark, show
from .file_kinds import Kind
from .options import Name, new_command, takes_limits
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "fetch",
        run,
        "download a public log from the Parallel Workloads Archive",
        "  paretosched fetch CTC-SP2\n  paretosched fetch CTC-SP2 --cache\n  (PARETOSCHED_ARCHIVE names a mirror)",
    )
    parser.add_argument(
        "name",
        metavar="NAME",
        type=Name(place="", words=_logs, free=True),
        help="short name of the log, such as CTC-SP2, KTH-SP2, LANL-CM5, SDSC-SP2, NASA-iPSC",
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Name(writes=Kind.LOGS, place="directory"),
        help="directory to put it into (default: here)",
    )
    place.add_argument(
        "--cache",
        action="store_true",
        help="put it where the experiments and tests look for logs: into the folder named by PARETOSCHED_TRACES, or "
        "without that variable into the user's cache",
    )
    takes_limits(parser)


def _logs() -> Sequence[str]:
    from ..workload.public_logs import LOGS

    return tuple(LOGS)


def run(options: argparse.Namespace) -> None:
    """Download a log."""
    from ..core.files import sha256_of
    from ..core.tables import to_json
    from ..workload.public_logs import fetch, find_log

    directory = None if options.cache else options.output or "."
    with bar("downloading", None, "bytes") as update:
        path = fetch(options.name, directory, progress=lambda done, total: update(done, total, ""))
    got, expected_sha256 = sha256_of(path), find_log(options.name).sha256
    if expected_sha256 is None:
        remark(f"{path}: could not be checked, because the SHA-256 of this log is not known here; the file has {got}")
    show(
        to_json({"file": str(path), "sha256": got, "checked": expected_sha256 is not None})
        if options.json
        else str(path)
    )
