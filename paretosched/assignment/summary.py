"""What an assignment reaches, beside the simple methods and the bound that none can beat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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
    """Return an assignment, and after it those of "fcfs" and "lpt" for the same jobs and nodes, but each once."""
    others = [method for method in REFERENCES if method != assignment.method]
    return [assignment, *(assign(assignment.bag, assignment.nodes, method) for method in others)]


def summary(assignments: Sequence[Assignment], seed: int) -> dict[str, Any]:
    """Return what the first of several assignments reaches, as plain values; of the others their makespans.

    Parameters
    ----------
    assignments
        Of the same jobs and nodes, see `beside_references`.
    seed
        Of the first one.
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
    bred = f", {about['iterations']:,} iterations" if about["method"] in GENETIC else ""
    rows = [
        {"method": one.method, "makespan": one.makespan, "used": np.unique(one.node[one.bag.known]).size}
        | {"above": 100 * (one.makespan / bound - 1) if bound > 0 else None}
        for one in assignments
    ]
    return (
        f"{about['method']}: {about['assigned']:,} jobs on {about['nodes']:,} nodes{bred}\n"
        f"{table(rows, COLUMNS)}\n"
        f"bound: no assignment is done before {bound:,.6g}, what divisible jobs ({about['divisible']:,.6g}) or the "
        "largest one on the fastest node would take"
    )
