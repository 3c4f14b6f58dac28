"""From which jobs reservations keep which nodes, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from ..workload.machine import FAILURE, FOR_EVER, Machine, Reservation
from ..workload.node_requests import Requests
from ..workload.workload import Workload
from .outcome import Lives

FLEX = "FLEX"


class Closed(NamedTuple):
    """When nodes are closed: node, begin, end, (k,) int64 each, s of the log, half open; `FOR_EVER` for no end."""

    node: Ints
    begin: Ints
    end: Ints


class Views(NamedTuple):
    """How jobs see the nodes of a machine, numbered: 0 for those in no reservation, then by reservations.

    Attributes
    ----------
    of_job
        (n,) int64, the view of each job.
    closed
        Of each view, when reservations close nodes to it.
    windows
        Of each view, when its reservation lasts, pairs of seconds; none for view 0, and with FLEX, which lets jobs use
        other nodes and other times as well.
    """

    of_job: Ints
    closed: tuple[Closed, ...]
    windows: tuple[tuple[tuple[int, int], ...], ...]


def views_of(machine: Machine, requests: Requests, epoch: int) -> Views:
    """Return how jobs see a machine of which some have reservations.

    A job in a reservation has its nodes while it lasts, and no others; where it repeats, it ends before the next time.
    When it has been there for the last time, a job that still waits for it is like all others. Of several that a job
    names the first counts that the machine has.

    Parameters
    ----------
    machine
        Its reservations are those that some job names, see `Workload.open_machine`.
    requests
        What n jobs ask for.
    epoch
        Unix time of second 0.

    Examples
    --------
    The second job is in a reservation of one of two nodes, which lasts from second 10 to 20.

    >>> from paretosched import NodeKind
    >>> machine = Machine((NodeKind("n[1-2]", 4, 100),), reservations=(Reservation("course", "n1", 10, 20),))
    >>> views = views_of(machine, Requests(tasks=[1, 1], reservation=["", "course"]), 0)
    >>> views.of_job.tolist(), views.windows
    ([0, 1], ((), ((10, 20),)))
    >>> [[*zip(*(column.tolist() for column in each), strict=True)] for each in views.closed]
    [[(0, 10, 20)], [(0, 0, 10), (1, 0, 20)]]
    """
    there = [each for each in machine.reservations if each.end > epoch]
    number = {name: k for k, name in enumerate(sorted({each.name for each in there}), 1)}
    words = [[number.get(name.strip(), 0) for name in word.split(",")] for word in requests.reservation.words]
    view = np.array([next(filter(None, named), 0) for named in words], dtype=np.int64)[requests.reservation.code]
    times = [(number[each.name], *_time_of(each, epoch)) for each in there]
    places = [machine.places(each.hosts).tolist() for each in there]
    bound = {number[each.name] for each in there} - {number[each.name] for each in there if FLEX in each.flags}
    closed, windows = [], []
    for k in range(len(number) + 1):
        rows = [(node, begin, end) for (other, begin, end), nodes in zip(times, places, strict=True) if other != k
                for node in nodes]  # fmt: skip
        own = sorted((begin, end, nodes) for (other, begin, end), nodes in zip(times, places, strict=True)
                     if other == k and k in bound)  # fmt: skip
        rows += _outside(own, len(machine.names))
        columns = np.array(sorted(rows), dtype=np.int64).reshape(-1, 3).T
        closed.append(Closed(*(column.copy() for column in columns)))
        windows.append(tuple((begin, end) for begin, end, _ in own))
    return Views(view, tuple(closed), tuple(windows))


def ended_with_reservation(workload: Workload, lives: Lives) -> Mask:
    """Return which lives of jobs, (k,) bool, ended for good when their reservation did."""
    machine, requests = workload.open_machine, workload.requests
    assert machine is not None  # noqa: S101  # a placement is of such a workload
    assert requests is not None  # noqa: S101
    views = views_of(machine, requests, workload.epoch)
    ends = [[end for _, end in windows] for windows in views.windows]
    mine = [ends[view] for view in views.of_job[lives.job].tolist()]
    return ~lives.requeued & np.array([end in own for end, own in zip(lives.end.tolist(), mine, strict=True)], np.bool_)


def _time_of(reservation: Reservation, epoch: int) -> tuple[int, int]:
    """Return when a reservation begins and ends, seconds after a Unix time, from 0 on."""
    return max(reservation.begin - epoch, 0), FOR_EVER if reservation.end == FOR_EVER else reservation.end - epoch


def _outside(own: list[tuple[int, int, list[int]]], nodes: int) -> Iterator[tuple[int, int, int]]:
    """Yield when `nodes` are not in a reservation, before it ends for the last time: node, begin, end.

    `own` are the times in which it lasts, ascending: begin, end, its nodes.
    """
    last = max((end for _, end, _ in own), default=0)
    for node in range(nodes if own else 0):
        since = 0
        for begin, end, there in own:
            if node in there:
                if begin > since:
                    yield node, since, begin
                since = max(since, end)
        if since < last:
            yield node, since, last


def ended_with_node(workload: Workload, lives: Lives) -> Mask:
    """Return which lives of jobs, (k,) bool, ended when a node of theirs failed."""
    machine = workload.machine
    assert machine is not None  # noqa: S101  # a placement is of such a workload
    node, begin, _ = machine.down_by_node(workload.epoch, FAILURE)
    held, count = lives.placement, len(machine.names)
    ended = np.zeros(lives.end.size, dtype=np.bool_)
    ended[held.job[np.isin(lives.end[held.job] * count + held.node, begin * count + node)]] = True
    return ended
