"""`paretosched front`: several runs merged into one front, and how good it is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ..core.errors import InputError
from .console import show
from .inputs import check_outputs
from .options import FILE, new_command, takes_limits
from .parser import Parser

if TYPE_CHECKING:
    from ..fronts.front import Front


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "front",
        run,
        "merge runs into one front; show its best schedules, size and quality indicators",
        "  paretosched front run1 run2 -o front.parquet",
    )
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", type=FILE, help="run directories or front files of one workload"
    )
    parser.add_argument("-o", "--output", metavar="FRONT", type=FILE, help="front file to write (Parquet)")
    takes_limits(parser)


def run(options: argparse.Namespace) -> None:
    """Merge runs and fronts, and show the result."""
    from ..core.tables import to_json
    from ..fronts.front_files import load_front, save_front
    from ..fronts.front_tables import extremes_text, merging, merging_text
    from ..fronts.merging import merge

    check_outputs(options, "output")
    inputs = [load_front(path) for path in options.runs]
    merged = merge(inputs)
    about = merging(merged, inputs, options.runs)
    if options.output is not None:
        save_front(merged, options.output)
    if options.json:
        show(to_json(about | {"log": _log(options.runs, merged)}))
    else:
        show(f"{merging_text(about)}\n{extremes_text(merged)}")


def _log(runs: Sequence[str], merged: Front) -> str | None:
    """Return the path of the log of a front, if a run says it and the file is there, unchanged."""
    from ..workload.reopening import reopen

    for run in runs:
        with suppress(InputError):  # this run has another workload, or does not know its log
            return next((step["path"] for step in reopen(run, merged.digest).source if "path" in step), None)
    return None
