"""`paretosched generate`: a random workload from a model."""

from __future__ import annotations

import argparse

from .inputs import show_written
from .options import new_command, takes_log_to_write, whole
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "generate",
        run,
        "generate a workload from a statistical model",
        "  paretosched generate lublin --jobs 10000 --processors 128 --seed 71 -o w.swf.gz",
    )
    parser.add_argument("model", metavar="MODEL", choices=["lublin"], help="lublin: Lublin and Feitelson 2003")
    parser.add_argument("--jobs", type=whole, default=10_000, metavar="N", help="jobs (default 10000)")
    parser.add_argument(
        "--processors", type=whole, default=128, metavar="N", help="processors of the machine (default 128)"
    )
    parser.add_argument("--seed", type=whole, default=71, help="seed (default 71); same seed, same workload")
    parser.add_argument(
        "--variant",
        rare=True,
        default="typeless",
        choices=["typeless", "two-type"],
        help="typeless: one kind of jobs (default); two-type: batch and interactive jobs",
    )
    parser.add_argument(
        "--no-carry",
        rare=True,
        action="store_true",
        help="drop the rest of an interval at each arrival, as some implementations of the model do",
    )
    parser.add_argument(
        "--estimates",
        default="rounded",
        choices=["rounded", "factor", "exact"],
        help="requested times. rounded: the round values that users type (default); factor: a random multiple of the "
        "run time; exact: the run time",
    )
    takes_log_to_write(parser)


def run(options: argparse.Namespace) -> None:
    """Write a workload of the Lublin-Feitelson model."""
    from ..workload.lublin_feitelson import lublin
    from ..workload.swf import write_swf

    workload = lublin(
        jobs=options.jobs,
        processors=options.processors,
        seed=options.seed,
        variant=options.variant,
        carry=not options.no_carry,
        estimates=options.estimates,
    )
    write_swf(workload, options.output)
    show_written(options, workload)
