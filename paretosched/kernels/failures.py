"""Nodes that fail, are drained and come back in the passes of Slurm, as nobody knows beforehand.

What Slurm does was seen on a real one (22.05). The jobs of a node that fails end with it; those that may be requeued
are a new submission then, as those that make way are, see `preemption`. On a node that is drained jobs run on. Neither
takes a job until it is back, and nobody knows when that will be.
"""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .node_plan import NODE, NodePlan, give_back
from .preemption import note_asked
from .running import Running, end_sooner
from .slurm_pace import CANCELLED, ENDS, GOING, REQUEUED, REQUEUES, STAYS, VICTIMS, Pace
from .waiting_tree import FAR

SECOND, WHERE, LISTED, WHAT = range(4)  # columns of `events` of a pace
COMES_BACK, IS_SHUT, FAILS = range(3)  # values of WHAT, in the order in which they count in a second


def hide_outages(plan: NodePlan, pace: Pace) -> None:
    """Let the outages of `pace` be unknown in `plan`, in place, until they begin."""
    rows = pace.events[:, LISTED]
    plan.lists[rows] = plan.lists[rows + 1] = FAR


@njit(cache=True, nogil=True, _nrt=False)
def pass_events(plan: NodePlan, pace: Pace, now: Running, run: Ints, running: Int, t: Int) -> bool:
    """Let nodes fail, be drained and come back that do so until second t; return whether any does.

    Parameters
    ----------
    plan, pace, now
        `NodePlan`, `Pace` and `Running`, modified in place.
    run, running, t
        (n,) int64, s; how many jobs run; and the second.
    """
    look, events = pace.look, pace.events
    first: Int = look[0]["event"]
    while look[0]["event"] < events.shape[0] and events[look[0]["event"], SECOND] <= t:
        event = events[look[0]["event"]]
        node, row, what = event[WHERE], event[LISTED], event[WHAT]
        if what == FAILS:
            end_jobs_on(plan, pace, now, run, running, node, t)
        else:
            plan.lists[row], plan.lists[row + 1] = 0 if what == IS_SHUT else FAR, FAR
            if what == COMES_BACK:
                give_back(plan, node)
        look[0]["event"] += 1
    return bool(look[0]["event"] > first)


@njit(cache=True, nogil=True, _nrt=False)
def end_jobs_on(plan: NodePlan, pace: Pace, now: Running, run: Ints, running: Int, node: Int, t: Int) -> None:
    """Let the jobs on a node end in a second that would run on.

    Parameters
    ----------
    plan, pace, now, run, running
        As for `pass_events`; (n,) int64 `run`. All but `plan` and `run` are modified in place.
    node, t
        The node, and the second.
    """
    keys = pace.away[VICTIMS]
    count: Int = np.int64(0)
    for place in range(running):
        key = now.near[place] if place < now.nearby[0] else now.far[place - now.nearby[0]]
        j = key & ((1 << now.row_bits) - 1)
        if key >> now.row_bits > t and is_there(plan, j, node):
            keys[count] = key
            count += 1
    for place in range(count):
        j, end = keys[place] & ((1 << now.row_bits) - 1), keys[place] >> now.row_bits
        mode = pace.away[GOING, j]
        if mode in (STAYS, ENDS) and end == now.start[j] + run[j]:  # others are known to end sooner
            note_asked(plan, pace, j)
        pace.away[GOING, j] = REQUEUED if pace.user[REQUEUES, j] > 0 else CANCELLED
        end_sooner(now, running, j, end, t)


@njit(cache=True, nogil=True, _nrt=False)
def is_there(plan: NodePlan, j: Int, node: Int) -> bool:
    """Return whether job j, which runs, is on a `node` of `plan`."""
    first = plan.holders[j]["first"]
    there = False
    for row in range(first, first + plan.holders[j]["count"]):
        there |= plan.held[row, NODE] == node
    return bool(there)
