"""`paretosched assign`: independent jobs on nodes of different speeds (paper 003)."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ..core.errors import InputError, first_few, number_of
from .console import Changes, bar, remark, show
from .file_kinds import Kind
from .options import Name, chosen_options, new_command, number, takes_limits, whole
from .parser import Parser

if TYPE_CHECKING:
    from ..assignment.bag_and_nodes import Bag
    from ..assignment.methods import Genetic

OF_GENETIC = ("population", "tournament", "crossover", "mutation", "elite", "keep", "tolerance", "start")
LEFT_OPEN = (
    ("population", whole, "chromosomes in a generation (default 50)"),
    ("tournament", whole, "number of candidates, of which the best becomes a parent (default 2)"),
    ("crossover", number, "probability of one-point crossover (default 0.9)"),
    ("mutation", number, "probability that a gene changes to a random node (default 1 / jobs)"),
    ("elite", whole, "number of best chromosomes that survive unchanged (default 1)"),
    ("keep", number, "pgga: share of a generation, the nearest to the bound, that has children (default 0.5)"),
    ("tolerance", number, "pgga: it stops when the makespan is within this share above the bound (default 0.01)"),
)  # name, type and help of the parameters that paper 003 does not state


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "assign",
        run,
        "assign independent jobs to nodes of different speeds (paper 003), for the least makespan",
        "  paretosched assign jobs.csv nodes.csv -o assignment.csv\n"
        "  paretosched assign jobs.csv nodes.csv --method pgga --iterations 200 --seed 1 -o assignment.csv\n"
        "  jobs.csv:              nodes.csv:             and for jobs with a size only, --history past.csv:\n"
        "    job,workload           node,speed             job,size,workload\n"
        "    render,500             n1,2.6                 render,10,90\n"
        "    sort,20                n2,1.6                 render,40,330\n"
        "  A node of speed 2 does 2 units of workload in a time unit. Other columns that are accepted: job,size;\n"
        "  job,size,workload with empty cells; node,speed,utilisation; for past runs job,size,time,speed or\n"
        "  job,size,time,speed,utilisation",
    )
    parser.add_argument(
        "jobs",
        metavar="JOBS",
        type=Name("the list of jobs"),
        help="CSV file: job,workload; or job,size (without --history, the size is taken as the workload)",
    )
    parser.add_argument(
        "nodes",
        metavar="NODES",
        type=Name("the list of nodes"),
        help="CSV file: node,speed or node,speed,utilisation",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Name(writes=Kind.ASSIGNMENT),
        help="CSV file to write: job,workload,node,start,finish",
    )
    _takes_method(parser)
    _takes_history(parser)
    _takes_genetic(parser)
    takes_limits(parser)


def _takes_method(parser: Parser) -> None:
    group = parser.add_argument_group("the method", "The same seed gives the same assignment.")
    group.add_argument(
        "--method",
        default="lpt",
        choices=["fcfs", "random", "list", "lpt", "tga", "pgga"],
        help="fcfs: each job in turn to the node that is free first; random: to any node; list: to the node that would "
        "finish it first; lpt (default): as list, but the largest job first, which is hard to beat; tga, pgga: the "
        "genetic algorithms of paper 003",
    )
    group.add_argument(
        "--iterations", type=whole, default=200, metavar="N", help="generations of tga and pgga (default 200)"
    )
    group.add_argument("--seed", type=whole, default=0, help="seed (default 0); same seed, same assignment")


def _takes_history(parser: Parser) -> None:
    group = parser.add_argument_group(
        "unknown workloads", "They are estimated from earlier runs of jobs of the same name."
    )
    group.add_argument(
        "--history",
        metavar="FILE",
        type=Name("the past runs"),
        help="CSV file of past runs; workloads are estimated from it by size",
    )
    group.add_argument(
        "--line",
        rare=True,
        default="interpolated",
        choices=["interpolated", "printed"],
        help="how to estimate between two past sizes: interpolated, on the line through both (default), or printed, "
        "slope times size as paper 003 prints it",
    )


def _takes_genetic(parser: Parser) -> None:
    group = parser.add_argument_group("parameters of tga and pgga", "Paper 003 does not state their values.")
    for name, kind, text in LEFT_OPEN:
        group.add_argument(f"--{name}", rare=True, type=kind, metavar="N" if kind is whole else "SHARE", help=text)
    group.add_argument(
        "--start",
        rare=True,
        action="append",
        choices=["fcfs", "random", "list", "lpt"],
        help="put this method's assignment into the first generation; may be repeated",
    )


def run(options: argparse.Namespace) -> None:
    """Assign independent jobs to unequal nodes."""
    from ..assignment.lists import read_jobs, read_nodes, save_assignment
    from ..assignment.methods import assign
    from ..assignment.summary import beside_references, summary, summary_text
    from ..core.tables import to_json

    genetic = _genetic(options)
    bag, nodes = read_jobs(options.jobs), read_nodes(options.nodes)
    bag = _with_estimates(options, bag)
    with bar("assigning", options.iterations) as update:

        def on_progress(count: int, total: int, makespan: float) -> None:
            update(count, total, f"makespan {makespan:,.6g}")

        assignment = assign(
            bag,
            nodes,
            options.method,
            iterations=options.iterations,
            seed=options.seed,
            genetic=genetic,
            progress=on_progress,
        )
    if options.output is not None:
        save_assignment(assignment, options.output)
    _remark_waiting(bag)
    assignments = beside_references(assignment)
    about = summary(assignments, options.seed)
    show(to_json(about) if options.json else summary_text(assignments, about))


def _genetic(options: argparse.Namespace) -> Genetic:
    """Return the parameters of the genetic algorithms, with the values of the command line."""
    from ..assignment.methods import GENETIC, Genetic

    settings = chosen_options(options, OF_GENETIC)
    if settings and options.method not in GENETIC:
        raise InputError(
            f"--{next(iter(settings))}: belongs to {' and '.join(GENETIC)}; it does not go with {options.method}"
        )
    return Genetic(**settings | ({"start": tuple(settings["start"])} if "start" in settings else {}))


def _with_estimates(options: argparse.Namespace, bag: Bag) -> Bag:
    """Return the jobs with estimates for the workloads that are not known."""
    from dataclasses import replace

    import numpy as np

    from ..assignment.estimator import History, queues
    from ..assignment.lists import read_history

    history = read_history(options.history) if options.history is not None else History()
    if options.history is None and np.isnan(bag.workload).all():
        bag = replace(bag, workload=bag.size)
        remark("no workloads and no --history: the size of a job is taken as its workload")
    bag, _, ready = queues(history, bag, options.line)
    if not ready.size:
        raise InputError(
            f"{options.jobs}: no job has a workload, and none could be estimated from its size; --history must have "
            "runs of two sizes of a job"
        )
    return bag


def _remark_waiting(bag: Bag) -> None:
    """Write a remark about the jobs that are left out because their workload is not known."""
    waiting = [name for name, has_workload in zip(bag.name, bag.known, strict=True) if not has_workload]
    if waiting:
        remark(
            f"no workload is known of {len(waiting):,} of {number_of(len(bag), 'job')}, which are left out (queue Q1): "
            f"{first_few(waiting)}",
            Changes.FIGURES,
        )
