"""`paretosched fetch`: a public log, or a table of all that are known."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .console import PROGRAM, Changes, bar, remark, show
from .file_kinds import Kind
from .options import Name, new_command, takes_limits
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "fetch",
        run,
        "download a public log, of the Parallel Workloads Archive or a later one; or show all that are known",
        "  paretosched fetch\n  paretosched fetch CTC-SP2\n  paretosched fetch CTC-SP2 --cache\n"
        "  paretosched fetch pm100\n"
        "      then paretosched import csv job_table.parquet --as pm100 -o log.swf.gz\n"
        "  (PARETOSCHED_ARCHIVE names a mirror)",
    )
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        type=Name(place="", words=_logs, free=True),
        help="short name of the log, such as CTC-SP2, KTH-SP2, eagle, pm100, theta; without it, a table of all: names, "
        "what is in them, sizes, licences, and where they are",
    )
    parser.add_argument("--list", action="store_true", help="show the table of all logs, as without NAME")
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
    from ..workload.public_catalogue import LOGS

    return tuple(LOGS)


def run(options: argparse.Namespace) -> None:
    """Download a log, or show all."""
    if options.list or options.name is None:
        _show_all(options)
        return
    from ..core.files import sha256_of
    from ..core.tables import to_json
    from ..workload.public_logs import fetch, find_log

    directory = None if options.cache else options.output or "."
    with bar("downloading", None, "bytes") as update:
        path = fetch(options.name, directory, progress=lambda done, total: update(done, total, ""))
    log = find_log(options.name)
    got, expected_sha256 = sha256_of(path), log.sha256
    if expected_sha256 is None:
        remark(
            f"{path}: could not be checked, because the SHA-256 of this log is not known here; the file has {got}",
            Changes.FIGURES,
        )
    show(
        to_json({"file": str(path), "sha256": got, "checked": expected_sha256 is not None})
        if options.json
        else str(path)
    )
    if log.how:
        remark(f"{path}: {log.how}", Changes.NOTHING)
    if log.reading:
        table_file = "FILE" if log.file.endswith(".zip") else path
        remark(f"next: {PROGRAM} import csv {table_file} --as {log.reading} -o log.swf.gz", Changes.NOTHING)


def _show_all(options: argparse.Namespace) -> None:
    """Show what is known of all public logs, those that are not in the Parallel Workloads Archive first."""
    from ..core.tables import Column, table, to_json
    from ..workload.public_catalogue import LOGS
    from ..workload.public_logs import BASE_URL

    rows = [
        {
            "name": name,
            "about": log.about or log.file.removesuffix(".swf.gz"),
            "MB": round(log.bytes / 1e6, 1) if log.bytes else None,
            "licence": log.licence,
            "as": log.reading or None,
            "address": log.url or f"{BASE_URL}/{log.folder}/{log.file}",
            "by_hand": log.by_hand,
            "how": log.how or None,
        }
        for name, log in sorted(LOGS.items(), key=lambda item: not item[1].url)
    ]
    if options.json:
        show(to_json(rows))
        return
    modern = [row for row in rows if row["as"] or row["how"] or row["MB"]]
    columns = [
        Column("name", "name"),
        Column("MB", "MB", ",.1f"),
        Column("licence", "licence"),
        Column("as", "import csv --as"),
        Column("about", "what is in it"),
    ]
    show(table(modern, columns))
    show()
    for row in modern:
        show(f"{row['name']}: {row['address']}{' (by hand)' if row['by_hand'] else ''}")
        if row["how"]:
            show(f"  {row['how']}")
    show()
    names = ", ".join(str(row["name"]) for row in rows if row not in modern)
    show(f"Parallel Workloads Archive, {BASE_URL}, in the Standard Workload Format: {names}")
