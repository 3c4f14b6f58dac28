"""The schedule of an order of all jobs, which knows their true run times: what is possible offline."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.computing import compute
from ..core.errors import InputError
from ..kernels.decoding import earliest_fit, strict
from ..kernels.inputs import Jobs
from ..kernels.node_plan import NodePlan
from ..workload.workload import Workload
from .node_plans import check_all_ran, node_plan, placement_of
from .outcome import Outcome, down_of, in_rows, jobs_of
from .plain import Plain

DECODINGS = ("strict", "earliest")


def check_decoding(workload: Workload, decoding: str) -> None:
    """Refuse a decoding that is for equal processors on a machine of nodes; raises InputError."""
    if decoding == "earliest" and workload.machine is not None:
        raise InputError(
            f'{workload.name}: decoding must not be "earliest" on a machine of nodes, but is; take "strict" for orders '
            'and sequences, "online" for weightings, or --one-pool (Workload.one_pool) for a pool of equal processors'
        )


def outcome_of_order(workload: Workload, order: NDArray[np.int32], decoding: str) -> Outcome:
    """Return the outcome of an order, (n,) int32 and C-contiguous, which must be a permutation of the rows.

    `decoding` is one of DECODINGS, see `paretosched.decode`.

    Raises
    ------
    InputError
        The machine has nodes, and the decoding is not "strict"; or jobs never fit while their nodes are up.
    """
    check_decoding(workload, decoding)
    arrivals = workload.in_arrival_order
    w = arrivals.jobs
    rows = arrivals.to_places(order).view()
    rows.flags.writeable = False  # for writeable arrays kernels would be compiled again
    if w.machine is not None:
        outcome = compute(lambda: _strict_on_nodes(w, rows))
        return outcome if arrivals.rows is None else in_rows(outcome, arrivals.rows)
    start = np.empty(len(w), dtype=np.int64)
    if decoding == "strict":
        strict(jobs_of(w), w.capacity, down_of(w), rows, start)
    else:
        earliest_fit(jobs_of(w), w.capacity, down_of(w), rows, start)
    return Outcome(arrivals.by_row(start))


def _strict_on_nodes(w: Workload, rows: NDArray[np.int32]) -> Outcome:
    """Return the outcome of an order, (n,) int32, on nodes: FCFS of jobs that come in this order, all of one tier.

    For FCFS to have all of them in this order, none comes before those in front of it.
    """
    from ..kernels.engine import simulate  # on demand: kernels take long to import
    from ..kernels.priority import ranking_of

    place = np.argsort(rows)
    come = np.maximum.accumulate(w.eligible[rows])
    jobs = Jobs(come, *(column[rows] for column in (w.run, w.run, w.width, w.group)))
    for column in jobs:
        column.flags.writeable = False
    plan = node_plan(w)
    holders, shapes = plan.holders[rows], plan.shapes.copy()
    holders["tier"], holders["request"] = 0, jobs.estimate
    shapes["job"] = place[shapes["job"]]
    start = np.empty(len(w), np.int64)
    ranking = ranking_of(*Plain("fcfs").queue(w))
    there = plan._replace(holders=holders, shapes=shapes)
    machine = simulate(jobs, w.capacity, down_of(w), w.calendar, ranking, True, False, None, start, there)
    assert isinstance(machine, NodePlan)  # noqa: S101  # as `there` is
    check_all_ran(w, machine, start[place])
    return in_rows(Outcome(start, placement=placement_of(machine, start)), rows.astype(np.int64))
