"""An order of the jobs of a workload makes a schedule, and the other way round.

The events of a second are taken together as in `paretosched.simulation.simulator`, but run times are the true ones,
because an order knows the future.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import instance
from ..core.columns import whole_array
from ..core.errors import InputError, first_few, one_of
from ..policies.decoded_orders import DECODINGS, outcome_of_order
from ..workload.reopening import WorkloadLike, as_workload
from .schedule import Schedule


def decode(workload: WorkloadLike, order: ArrayLike, decoding: str = "strict") -> Schedule:
    """Return the schedule of an order of all jobs, with true run times: what is possible offline.

    Parameters
    ----------
    workload
        The jobs and the machine.
    order
        (n,) whole numbers: every row of the workload once.
    decoding
        "strict": each job in turn starts as soon as it is eligible, its predecessor has started and enough
        processors are free (paper 002, section 2.1). "earliest": each job in turn starts at the earliest time from
        this second on at which it fits for its whole run, without moving the jobs before it (the serial
        schedule generation scheme of resource-constrained project scheduling).

        In both cases the order in which a schedule starts its jobs leads to a schedule in which no job starts later.
        The order in which jobs are eligible, usually that of submission, leads to FCFS if it is decoded strictly.

        On a machine of nodes there is "strict" only; as under FCFS, jobs that limits or licences hold back stop nobody.

    Raises
    ------
    InputError
        `order` is not a permutation of the rows, or there is no such decoding, or not on nodes.

    Examples
    --------
    Two of four processors are free until the wide second job starts. The third job would fit there, but in strict
    decoding it must not start before the second one.

    >>> from paretosched import Workload
    >>> w = Workload(submit=[0, 0, 1], run=[10, 5, 3], estimate=[10, 5, 3], width=[2, 4, 1], capacity=4)
    >>> decode(w, [0, 1, 2]).start.tolist(), decode(w, [0, 1, 2], "earliest").start.tolist()
    ([0, 10, 15], [0, 10, 1])
    >>> decode(w, [0, 2, 1]).start.tolist()
    [0, 10, 1]
    """
    workload = as_workload(workload)
    one_of("decoding", decoding, DECODINGS)
    rows = _permutation(order, len(workload))
    outcome = outcome_of_order(workload, rows, decoding)
    return Schedule(workload, outcome.start, f"{decoding} decoding", placement=outcome.placement)


def start_order(schedule: Schedule) -> NDArray[np.int32]:
    """Return the rows of the jobs, (n,) int32, in the order in which a schedule starts them; ties in trace order.

    Examples
    --------
    >>> from paretosched import Workload
    >>> w = Workload(submit=[0, 0, 1], run=[10, 5, 3], estimate=[10, 5, 3], width=[2, 4, 1], capacity=4)
    >>> start_order(Schedule(w, [0, 10, 2])).tolist()
    [0, 2, 1]
    """
    return np.argsort(instance("schedule", schedule, Schedule).start, kind="stable").astype(np.int32)


def _permutation(order: ArrayLike, n: int) -> NDArray[np.int32]:
    """Return an order as int32; raise InputError if it does not name every row once."""
    rows = whole_array("order", order, n)
    outside = np.flatnonzero((rows < 0) | (rows >= n))
    if outside.size:
        offenders = first_few((f"entry {i} is {rows[i]}" for i in outside), outside.size)
        raise InputError(f"order must name rows 0..{n - 1}, but {outside.size} entries do not: {offenders}")
    times = np.bincount(rows, minlength=n)
    doubles = np.flatnonzero(times > 1)
    if doubles.size:
        offenders = first_few((f"row {j} stands there {times[j]} times" for j in doubles), doubles.size)
        missing = first_few(f"row {j}" for j in np.flatnonzero(times == 0))
        raise InputError(f"order must name every row once, but {offenders}, and {missing} not at all")
    return rows.astype(np.int32)
