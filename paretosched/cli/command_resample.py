"""`paretosched resample`: a workload of the same users, put together again."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..core.errors import InputError, number_of
from .console import PROGRAM, Changes, remark
from .inputs import read_workload, remark_repairs, show_written
from .options import new_command, number, takes_log_to_write, takes_trace, whole
from .parser import Parser

if TYPE_CHECKING:
    from ..workload.workload import Workload

SHORT = 4 * 7 * 86400  # s
FAR = 0.05  # of the load that is asked for


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "resample",
        run,
        "put the users of a log together again, with their hours and weeks: another year that could have been",
        "  paretosched resample w.swf.gz --seed 3 -o another-year.swf.gz\n"
        "  paretosched resample w.swf.gz --load 1.1 -o growth.swf.gz\n"
        "  paretosched resample w.swf.gz --double 2 -o twice-group-2.swf.gz\n"
        "  (what if there is 10 % more to do, or group 2 has twice as many users?)\n"
        "  (after Zakay and Feitelson 2013: each user's jobs stay together and move by whole weeks of local time)",
    )
    takes_trace(parser)
    parser.add_argument(
        "--seed", type=whole, default=0, help="seed; chance decides which users come, and in which weeks (default 0)"
    )
    parser.add_argument(
        "--load",
        type=number,
        metavar="X",
        help="X times the load of the log, 0.1 to 10: users are left out, or come again (default: as chance has it)",
    )
    parser.add_argument(
        "--double",
        action="append",
        default=[],
        metavar="GROUP",
        help="user group whose users are there twice; may be repeated",
    )
    takes_log_to_write(parser)


def run(options: argparse.Namespace) -> None:
    """Write a workload that is put together again from the users of a log."""
    from ..workload.log_parquet import write_workload
    from ..workload.plausibility import offered_load
    from ..workload.resampling import resample

    workload = read_workload(options)
    load = offered_load(workload)
    if load is None:
        raise InputError(
            f"{options.trace}: all jobs are submitted in one second, so that there are no weeks to put together again; "
            "take a longer log"
        )
    resampled = resample(workload, options.seed, options.load, options.double)
    write_workload(resampled, options.output)
    remark_repairs(options, options.trace, workload)
    if workload.down is not None:
        remark(f"{options.output}: {resampled.repairs[-1].reason}")
    if workload.submit[-1] - workload.submit[0] < SHORT:
        remark(
            f"{options.trace}: lasts less than four weeks, so that there is little to put together again",
            Changes.FIGURES,
        )
    remark(f"{options.trace}: {number_of(len(workload), 'job')}, offered load {load:.3f}", Changes.NOTHING)
    if options.load is not None:
        _remark_load(options, options.load * load, offered_load(resampled))
    _remark_copies(options, workload, resampled)
    show_written(options, resampled)


def _remark_load(options: argparse.Namespace, target: float, reached: float | None) -> None:
    """Write a remark if the load of what was written is not near what was asked for."""
    if reached is None or abs(reached - target) > FAR * target:
        reached_text = "is not known" if reached is None else f"is {reached:.4g}"
        remark(
            f"{options.output}: offered load {reached_text}, but --load {options.load:g} asks for {target:.4g}; users "
            "are left out or come again with all their jobs, and each group keeps one; another --seed may come nearer",
            Changes.FIGURES,
        )


def _remark_copies(options: argparse.Namespace, workload: Workload, resampled: Workload) -> None:
    """Write a remark on the new numbers of users, with what they mean for the groups that were asked for."""
    from ..workload.group_rules import grouping_of

    new_numbers = f"users that came again have new numbers in {options.output}"
    grouping = grouping_of(workload).get("function")
    if grouping == "by_consumption":
        remark(f"{new_numbers}; groups by consumption are made again from it ({PROGRAM} info)", Changes.NOTHING)
    elif grouping == "by_csv" and resampled.user.max() > workload.user.max():
        remark(
            f"{new_numbers}, which the list {options.groups} does not name; read with this list, their jobs are in the "
            'group "other", unless a line fits any user'
        )
    elif grouping != "by_csv":
        remark(new_numbers, Changes.NOTHING)
