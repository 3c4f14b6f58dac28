"""`paretosched machine`: the nodes and partitions of a machine, shown, checked and written."""

from __future__ import annotations

import argparse

from .console import PROGRAM, show
from .file_kinds import Kind
from .options import Name, new_command, takes_limits
from .parser import Parser

EXAMPLE = """\
  paretosched machine /etc/slurm/slurm.conf
      the kinds of nodes, the partitions, which nodes they share, and what was assumed
  paretosched machine slurm.conf -o machine.toml
      a text to read and to edit: nodes that are to be bought, a partition less
  (scontrol show config; scontrol show partition; scontrol show node) > site.txt; paretosched machine site.txt
  paretosched machine log.parquet
      the machine in a log that import --machine made, and what its jobs ask for

Kinds of nodes are drawn with bars as long as their shares of all CPUs. A gres.conf beside slurm.conf says the types of
GPUs. docs/reference/machine.md has the fields of machine.toml."""


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "machine",
        run,
        "show, check and write a machine: kinds of nodes, partitions, what they share, what was assumed",
        EXAMPLE,
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        type=Name("the machine"),
        help="slurm.conf, or what scontrol show config, show partition and show node print; a machine.toml; or a log "
        "with nodes (.parquet)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Name(writes=Kind.MACHINE),
        help="machine.toml to write, for import --machine",
    )
    takes_limits(parser)


def run(options: argparse.Namespace) -> None:
    """Show a machine, and write it."""
    from ..core.parquet_files import is_parquet
    from ..core.tables import to_json
    from ..workload.log_parquet import load_log
    from ..workload.machine_description import describe_machine, describe_requests, machine_drawing, requests_table
    from ..workload.machine_files import read_machine, save_machine

    workload = load_log(options.file, overrun="cut") if is_parquet(options.file) else None
    machine = read_machine(options.file) if workload is None else workload.machine
    assert machine is not None  # noqa: S101  # such logs have one
    if options.output is not None:
        save_machine(machine, options.output)
    about = describe_machine(machine)
    requests = [] if workload is None else describe_requests(workload)
    if options.json:
        show(to_json({"file": options.output, **about, "requests": requests}))
        return
    show(machine_drawing(about))
    if requests:
        show()
        show(requests_table(requests))
    if options.output is not None:
        show()
        show(f"{options.output}: next: {PROGRAM} import FORMAT FILE --machine {options.output} -o log.parquet")
