"""`paretosched scale`: a workload for a machine of another size."""

from __future__ import annotations

import argparse

from ..core.errors import number_of
from .console import Changes, remark
from .inputs import read_workload, remark_repairs, show_written
from .options import new_command, number, takes_log_to_write, takes_trace, whole
from .parser import Parser


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "scale",
        run,
        "scale a workload to another machine size (Ernemann, Song, Yahyapour 2003)",
        "  paretosched scale CTC-SP2-1996-3.1-cln.swf.gz --processors 1024 --factor 2.45 -o ctc1024.swf.gz\n"
        "  (published factors for 1024 processors: CTC 2.45, KTH 10.71, LANL 1, SDSC00 8.21, SDSC95 and SDSC96 2.48,\n"
        "  NASA 8)",
    )
    takes_trace(parser)
    parser.add_argument(
        "--processors", type=whole, default=1024, metavar="N", help="processors of the new machine (default 1024)"
    )
    parser.add_argument("--factor", type=number, metavar="F", help="factor of the work (default: new / old processors)")
    parser.add_argument(
        "--seed", type=whole, default=0, help="seed; chance decides which jobs are widened and which copied (default 0)"
    )
    parser.add_argument("--jobs", type=whole, metavar="EXACT", help="write exactly this number of jobs")
    takes_log_to_write(parser)


def run(options: argparse.Namespace) -> None:
    """Write a workload scaled to another machine size."""
    from ..workload.log_parquet import write_workload
    from ..workload.scaling import scale

    workload = read_workload(options)
    result = scale(workload, options.processors, options.factor, options.seed, options.jobs)
    write_workload(result, options.output)
    remark_repairs(options, options.trace, workload)
    for repair in result.repairs[len(workload.repairs) :]:
        remark(
            f"{options.output}: {repair.action} {number_of(repair.jobs, 'job')}: {repair.reason} ({repair.first})",
            Changes.FIGURES,
        )
    show_written(options, result)
