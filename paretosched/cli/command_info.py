"""`paretosched info`: what is in a log, and what was repaired in it."""

from __future__ import annotations

import argparse

from .console import show
from .inputs import open_workload, remark_cut, remark_idle_lines, remark_unfinished, show_doubts
from .options import new_command, takes_trace
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "info",
        run,
        "show what is in a log: jobs, users, groups, load, span; and what was dropped or repaired, and why",
        "  paretosched info CTC-SP2-1996-3.1-cln.swf.gz",
    )
    takes_trace(parser)


def run(options: argparse.Namespace) -> None:
    """Show what is in a workload, and what was dropped or repaired."""
    from ..core.tables import to_json
    from ..workload.description import describe, description_text

    workload = open_workload(options)
    about = describe(workload)
    show_doubts(options, options.trace, about["doubts"])
    remark_idle_lines(options, workload)
    remark_unfinished(options.trace)  # it refuses a run that is damaged, so nothing is shown before
    show(to_json(about) if options.json else description_text(about))
    remark_cut(options, options.trace, workload)
