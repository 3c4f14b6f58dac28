"""The makespan of an assignment, beside the simple methods and the lower bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.errors import number_of
from ..core.tables import Column, table
from .methods import GENETIC, Assignment, assign, at_least, divisible

REFERENCES = ("fcfs", "lpt")
COLUMNS = (
    Column("method", "method"),
    Column("makespan", "makespan", ",.6g"),
    Column("above", "above the bound %", ",.1f"),
    Column("used", "nodes used", ",d"),
)


def beside_references(assignment: Assignment) -> list[Assignment]:
    """Return an assignment, then those of "fcfs" and "lpt" for the same jobs and nodes; each method once."""
    others = [method for method in REFERENCES if method != assignment.method]
    return [assignment, *(assign(assignment.bag, assignment.nodes, method) for method in others)]


def summary(assignments: Sequence[Assignment], seed: int) -> dict[str, Any]:
    """Return the figures of the first of several assignments, as plain values, and the makespans of the others.

    Parameters
    ----------
    assignments
        Assignments of the same jobs and nodes, see `beside_references`.
    seed
        The seed of the first one.
    """
    first, *others = assignments
    return {
        "jobs": len(first.bag),
        "assigned": int(np.count_nonzero(first.bag.known)),
        "nodes": len(first.nodes),
        "method": first.method,
        "makespan": first.makespan,
        "divisible": divisible(first.bag, first.nodes),
        "bound": at_least(first.bag, first.nodes),
        "iterations": first.iterations,
        "seed": seed,
        "others": {other.method: other.makespan for other in others},
    }


def summary_text(assignments: Sequence[Assignment], about: Mapping[str, Any]) -> str:
    """Return assignments as a table for a terminal, one a line; `about` is their `summary`."""
    bound = about["bound"]
    iterations = f", {about['iterations']:,} iterations" if about["method"] in GENETIC else ""
    rows = [
        {"method": row.method, "makespan": row.makespan, "used": np.unique(row.node[row.bag.known]).size}
        | {"above": 100 * (row.makespan / bound - 1) if bound > 0 else None}
        for row in assignments
    ]
    return (
        f"{about['method']}: {number_of(about['assigned'], 'job')} on {number_of(about['nodes'], 'node')}{iterations}\n"
        f"{table(rows, COLUMNS)}\n"
        f"bound: no assignment ends before {bound:,.6g}, the time of divisible jobs ({about['divisible']:,.6g}) or of "
        "the largest job on the fastest node"
    )
