"""Why the jobs of a schedule waited on a machine of nodes: other jobs, a date, limits, or nodes and their turn.

A second of a job's wait counts for the first of these that is so:

- it waits for another job (Dependency), or for the date that it named (BeginTime): it was not eligible yet;
- beside the jobs that run then, what it got in the end would be more than a limit, its array or the licences allow. The
  reason has the name that squeue prints. Which limits count is in `paretosched.workload.counting_limits`;
- its own reservation has not begun: Reservation;
- its nodes are busy or closed, or other jobs come first: Resources or Priority.

A job that made way for others and started again later has lost the time for which it ran: Preempted; or NODE_FAIL,
if a node of it failed. For the first
seconds after it, see REQUEUE_DELAY, it waits for a date.

All is read from the schedule, so that it is known of every policy, in both rhythms, and of schedules from a file. Of
nodes that count once below a limit (`ONCE` of the kernels), those that a job got in the end are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask, rows_alike
from ..core.notebook import shown_by_fields
from ..kernels.node_plan import PERIOD
from ..kernels.preemption import REQUEUE_DELAY
from ..policies.limit_pools import JOBS, MINUTE, Pools, Share
from ..policies.node_plans import arrays_of, node_plan
from ..policies.outcome import Lives, Pauses, Placement
from ..policies.reserved_nodes import ended_with_node, views_of
from ..workload.counting_limits import client_of
from ..workload.machine import Machine
from ..workload.node_requests import Requests, licences_in
from ..workload.workload import Workload

DEPENDENCY, BEGIN_TIME, TURN, LOST = "Dependency", "BeginTime", "Resources or Priority", "Preempted"
RESERVATION, NODE_FAIL = "Reservation", "NODE_FAIL"


@shown_by_fields
class WaitingReasons(NamedTuple):
    """For how long each job waited for what.

    Attributes
    ----------
    names
        The reasons: Dependency, BeginTime, Preempted, NODE_FAIL, those of limits, Reservation, and last "Resources or
        Priority".
    seconds
        (n, reasons) int64, s; the sum of a row is the time from the submission of the job to its start.
    """

    names: tuple[str, ...]
    seconds: Ints

    @property
    def longest(self) -> list[str]:
        """Return for what each job waited longest; "" for a job that did not wait."""
        which = self.seconds.argmax(axis=1).tolist()
        return [
            self.names[i] if row > 0 else "" for i, row in zip(which, self.seconds.max(axis=1).tolist(), strict=True)
        ]

    def table(self) -> list[dict[str, Any]]:
        """Return a row for each reason: jobs that waited for it, their hours, and the share of all hours, per cent."""
        total = int(self.seconds.sum())
        return [
            {
                "reason": name,
                "jobs": int((column > 0).sum()),
                "hours": int(column.sum()) / 3600,
                "share": 100 * int(column.sum()) / max(total, 1),
            }
            for name, column in zip(self.names, self.seconds.T, strict=True)
            if column.any()
        ]


def may_wait_for_more(workload: Workload) -> bool:
    """Return whether jobs of a workload may wait for more than nodes and their turn: it has limits, or later jobs."""
    w = workload
    if w.requests is None or w.machine is None:
        return False
    machine = w.machine
    is_held = machine.limits or machine.licences or machine.preemption is not None or w.requests.array_most.any()
    is_reserved = w.open_machine is not None and w.open_machine.reservations
    return bool(is_held or is_reserved or machine.nodes_fail or w.has_later_jobs)


def waiting_reasons(
    workload: Workload, start: Ints, placement: Placement, lives: Lives | None = None, pauses: Pauses | None = None
) -> WaitingReasons:
    """Return why the jobs of a schedule waited, see the top of this file; `Schedule.waiting` has it.

    Parameters
    ----------
    workload
        Jobs on a machine of nodes.
    start
        (n,) int64, s.
    placement
        Where they run.
    lives
        Of jobs that made way for others; None if none did.
    pauses
        When jobs were stopped, which count below limits then, too; None if none was.

    Examples
    --------
    The second job of a user who may have one at a time waits for 10 s, although a node is free.

    >>> from paretosched import Machine, NodeKind, Requests, Workload, simulate
    >>> from paretosched.workload.limits import Limits
    >>> limits = (Limits("normal", "", "", "", {"MaxJobsPU": 1}),)
    >>> machine = Machine((NodeKind("n[1-2]", 4, 100),), limits=limits)
    >>> w = Workload([0, 0], [10, 10], [10, 10], [1, 1], capacity=8, user=[7, 7], machine=machine,
    ...              requests=Requests(tasks=[1, 1], memory_per_node=[1, 1]))
    >>> [(row["reason"], row["hours"] * 3600) for row in simulate(w, "easy").waiting.table()]
    [('QOSMaxJobsPerUserLimit', 10.0)]
    """
    w, requests = workload, workload.requests
    assert requests is not None  # noqa: S101  # a placement is of such a workload
    later, depends = w.eligible - w.submit, requests.dependency.code > 0
    columns = {DEPENDENCY: np.where(depends, later, 0), BEGIN_TIME: np.where(depends, 0, later)}
    stays = _stays_of(w, start, lives, pauses)
    if lives is not None:
        again, failed = lives.job[lives.requeued], ended_with_node(w, lives)
        for name, why in ((LOST, ~failed), (NODE_FAIL, failed)):
            if name == LOST or why.any():
                lost = np.where(why & lives.requeued, lives.end - lives.begin, 0)
                columns[name] = np.bincount(lives.job, lost, len(w)).astype(np.int64)
        columns[BEGIN_TIME] = columns[BEGIN_TIME] + REQUEUE_DELAY * np.bincount(again, minlength=len(w))
        placement = placement.beside(lives.placement)
    claims = _Claims(w, stays, placement, requests)
    for rows, checks in claims.alike():
        for name, seconds in claims.held_by(rows, checks).items():
            np.add.at(columns.setdefault(name, np.zeros(len(w), np.int64)), stays.job[rows], seconds)
    left = start - w.submit - sum(columns.values())
    early = np.minimum(_before_reservation(w, start), left)
    columns |= {RESERVATION: early} if early.any() else {}
    columns[TURN] = left - early
    return WaitingReasons(tuple(columns), np.stack([*columns.values()], axis=1))


def _before_reservation(w: Workload, start: Ints) -> Ints:
    """Return for how long each job, which starts in (n,) s, waited while its own reservation was not there, (n,) s."""
    assert w.open_machine is not None  # noqa: S101  # a placement is of a machine of nodes
    assert w.requests is not None  # noqa: S101
    views = views_of(w.open_machine, w.requests, w.epoch)
    seconds = np.zeros(len(w), np.int64)
    for k, windows in enumerate(views.windows):
        rows = np.flatnonzero(views.of_job == k)
        since = np.zeros_like(rows)
        for begin, end in windows:
            gone = np.maximum(np.minimum(start[rows], begin) - np.maximum(w.eligible[rows], since), 0)
            seconds[rows] += gone
            since = np.maximum(since, end)
    return seconds


class _Stays(NamedTuple):
    """When jobs wait and run: first those that end as they should, then the lives of those that made way; (n + k,)."""

    job: Ints
    since: Ints
    start: Ints
    finish: Ints


def _stays_of(w: Workload, start: Ints, lives: Lives | None, pauses: Pauses | None) -> _Stays:
    """Return when jobs wait and run, with start times (n,) s; one that was cancelled does so in its life."""
    finish = start + w.run + (0 if pauses is None else pauses.seconds(len(w)))
    if lives is None:
        return _Stays(np.arange(len(w)), w.eligible, start, finish)
    again = np.append(False, lives.job[1:] == lives.job[:-1])  # such a life follows on another one of the job
    since = np.where(again, np.append(0, lives.end[:-1]) + REQUEUE_DELAY, w.eligible[lives.job])
    last = w.eligible.copy()
    np.maximum.at(last, lives.job[lives.requeued], lives.end[lives.requeued] + REQUEUE_DELAY)
    gone = lives.job[~lives.requeued]
    last[gone] = start[gone]
    finish[gone] = start[gone]
    return _Stays(
        *(
            np.concatenate(pair)
            for pair in ((np.arange(len(w)), lives.job), (last, since), (start, lives.begin), (finish, lives.end))
        )
    )


class _Use(NamedTuple):
    """How much of a pool is taken from each of some seconds on: (k,) int64 both, the seconds ascending."""

    second: Ints
    amount: Ints


class _Changes(NamedTuple):
    """By how much what is taken changes, and when: arrays of equal length."""

    seconds: list[Ints]
    amounts: list[Ints]


class _Claims:
    """What the jobs of a schedule have of pools, and when these held them back."""

    def __init__(self, w: Workload, stays: _Stays, placement: Placement, requests: Requests) -> None:
        machine = w.open_machine
        assert machine is not None  # noqa: S101  # a placement is of one
        job, self._since, self._start, self._finish = stays
        self._placement = placement
        self._limit = node_plan(w).holders["limit"][job]
        arrays, array = arrays_of(requests)
        self._pools = Pools(machine, arrays)
        self._got = self._amounts(machine)
        self._uses: dict[int, _Use] = {}
        self._stays: dict[int, tuple[Ints, Ints, Ints]] = {}
        task = np.where(array < len(arrays), array, -1)
        of_job = requests.qos.code, requests.account.code, w.user, requests.licences.code, task
        qos_code, account_code, users, licence_code, tasks = (column[job] for column in of_job)
        columns = qos_code, account_code, users, placement.partition, licence_code, tasks
        client = client_of(machine, w.names.users if w.names is not None else {})
        licences = {name: number for number, (name, _) in enumerate(machine.licences, len(arrays))}
        self._kinds: list[tuple[Ints, list[tuple[Share, int]]]] = []  # rows, and what each takes, how many times
        for (qos, account, user, k, words, own), rows in rows_alike(*columns):
            shares = [(Share(own, JOBS, True, False), 1)] if own >= 0 else []
            if machine.limits:
                whose = client(requests.qos.words[qos], requests.account.words[account], user)
                shares += [(share, 1) for share in self._pools.shares(whose, k)]
            wanted = licences_in(requests.licences.words[words]).items()
            shares += [(Share(licences[name], JOBS, True, False), count) for name, count in wanted if name in licences]
            self._kinds.append((rows, shares))
        self._users_of: dict[int, list[tuple[Ints, Share, int]]] = {}
        for rows, shares in self._kinds:
            for share, count in shares:
                self._users_of.setdefault(share.pool, []).append((rows, share, count))

    def _amounts(self, machine: Machine) -> dict[str, Ints]:
        """Return what each job has in all of each resource of limits, (n,) int64; of memory MiB."""
        placement, in_all, nodes = self._placement, self._placement.in_all, np.diff(self._placement.piece)
        got = {JOBS: np.ones_like(nodes), "node": nodes, "cpu": in_all(placement.cpus)}
        got |= {"mem": in_all(placement.memory), "gres/gpu": in_all(placement.gpus.sum(axis=1))}
        types = enumerate(machine.gpu_types)
        return got | {f"gres/gpu:{kind}".lower(): in_all(placement.gpus[:, place]) for place, kind in types}

    def alike(self) -> Iterator[tuple[Ints, list[tuple[int, int]]]]:
        """Yield rows of jobs that wait for the same, and the pools that can hold them with what they need of each."""
        waits = self._start > self._since
        for all_rows, shares in self._kinds:
            rows, checked = all_rows[waits[all_rows]], [each for each in shares if each[0].checked]
            if not rows.size or not checked:
                continue
            columns = [self._need(rows, share, count) for share, count in checked]
            if any(share.pool in self._pools.once for share, _ in checked):
                columns.append(rows)  # its nodes are its own
            for need, part in rows_alike(*columns):
                pools = (share.pool for share, _ in checked)
                yield rows[part], [*zip(pools, need, strict=False)]

    def _need(self, rows: Ints, share: Share, count: int) -> Ints:
        """Return how much jobs need of a pool to start; of a timed one minutes."""
        amount = count * self._got[share.resource][rows]
        return np.asarray(amount * self._limit[rows] // MINUTE if share.timed else amount)

    def held_by(self, rows: Ints, checks: Sequence[tuple[int, int]]) -> dict[str, Ints]:
        """Return by reason for how long pools held jobs that wait for the same, (rows,) int64 s.

        Of several pools that hold a job at once the first counts.
        """
        since, until = self._since[rows], self._start[rows]
        first, last = int(since.min()), int(until.max())
        uses = [self._use_of(pool) for pool, _ in checks]
        within = (use.second[slice(*np.searchsorted(use.second, [first, last]))] for use in uses)
        seconds = np.unique(np.concatenate([[first], *within]))
        free_yet = np.ones(seconds.size, np.bool_)
        found: dict[str, Ints] = {}
        for use, (pool, need) in zip(uses, checks, strict=True):
            total = self._pools.totals[pool] // (MINUTE if pool in self._timed_pools else 1)
            if need > total:  # it ran although it is larger than the limit
                continue
            taken = _at(use, seconds) - self._own_in_use(pool, int(rows[0]), seconds)
            holds = free_yet & (taken + need > total)
            if not holds.any():
                continue
            free_yet &= ~holds
            before = np.concatenate([[0], np.cumsum(np.where(holds[:-1], np.diff(seconds), 0))])

            def until_second(t: Ints, holds: Mask = holds, before: Ints = before) -> Ints:
                i = np.searchsorted(seconds, t, side="right") - 1
                return np.asarray(before[i] + np.where(holds[i], t - seconds[i], 0))

            name = self._pools.reasons[pool]
            found[name] = found.get(name, 0) + until_second(until) - until_second(since)
        return found

    @cached_property
    def _timed_pools(self) -> set[int]:
        """Return the pools of remaining time."""
        return {pool for pool, users in self._users_of.items() if users[0][1].timed}

    def _use_of(self, pool: int) -> _Use:
        """Return how much of a pool is taken."""
        if pool not in self._uses:
            if pool in self._pools.once:
                self._stays[pool] = self._nodes_in_use(pool)
                self._uses[pool] = _in_use(*self._stays[pool][1:])
            elif pool in self._timed_pools:
                self._uses[pool] = self._minutes_in_use(pool)
            else:
                self._uses[pool] = self._amount_in_use(pool)
        return self._uses[pool]

    def _own_in_use(self, pool: int, row: int, seconds: Ints) -> Ints | int:
        """Return how many of the nodes of a job are taken in some seconds, below a limit of nodes that count once."""
        if pool not in self._pools.once:
            return 0
        node, begin, end = self._stays[pool]
        piece = self._placement.piece
        own = self._placement.node[piece[row] : piece[row + 1]]
        bounds = zip(np.searchsorted(node, own), np.searchsorted(node, own, side="right"), strict=True)
        rows = np.concatenate([np.arange(low, high) for low, high in bounds])
        return _at(_in_use(begin[rows], end[rows]), seconds) if rows.size else 0

    def _amount_in_use(self, pool: int) -> _Use:
        """Return how much of a pool running jobs have."""
        seconds, changes = [], []
        for rows, share, count in self._users_of[pool]:
            amount = count * self._got[share.resource][rows]
            seconds += [self._start[rows], self._finish[rows]]
            changes += [amount, -amount]
        return _use(seconds, changes)

    def _nodes_in_use(self, pool: int) -> tuple[Ints, Ints, Ints]:
        """Return when nodes have jobs of a pool: the node, from when, until when; (k,) int64 each."""
        jobs = np.concatenate([rows for rows, _, _ in self._users_of[pool]])
        rows = np.flatnonzero(np.isin(self._placement.job, jobs))
        node, job = self._placement.node[rows], self._placement.job[rows]
        begin, end = self._start[job], self._finish[job]
        kept: list[tuple[int, int, int]] = []
        for place, first, last in sorted(zip(node.tolist(), begin.tolist(), end.tolist(), strict=True)):
            if kept and kept[-1][0] == place and first <= kept[-1][2]:
                kept[-1] = place, kept[-1][1], max(kept[-1][2], last)
            else:
                kept.append((place, first, last))
        columns = np.array(kept, dtype=np.int64).T
        return columns[0], columns[1], columns[2]

    def _minutes_in_use(self, pool: int) -> _Use:
        """Return how many minutes of a pool of remaining time are taken.

        A job that begins between two looks, which are PERIOD apart, counts with its whole limit until the next one.
        """
        whole, fixed, rate = (_Changes([], []) for _ in range(3))
        ticks = []
        for rows, share, count in self._users_of[pool]:
            begin, end = self._start[rows], self._finish[rows]
            amount = count * self._got[share.resource][rows]
            looked = np.minimum(-(-begin // PERIOD) * PERIOD, end)
            _change(whole, begin, end, amount * (begin + self._limit[rows]))
            _change(fixed, begin, looked, amount * begin)
            _change(rate, looked, end, amount)
            ticks.append((begin.min(), end.max()))
        first, last = min(a for a, _ in ticks), max(b for _, b in ticks)
        every = np.arange(first // PERIOD * PERIOD, last + PERIOD, PERIOD)
        seconds = np.unique(np.concatenate([*whole.seconds, *fixed.seconds, every]))
        parts = [_at(_use(*each), seconds) for each in (whole, fixed, rate)]
        taken = parts[0] - parts[1] - parts[2] * (seconds // PERIOD * PERIOD)
        return _Use(seconds, taken // MINUTE)


def _change(changes: _Changes, begin: Ints, end: Ints, amount: Ints) -> None:
    """Add amounts, each from one second until another one, to seconds and changes, in place."""
    changes.seconds.extend([begin, end])
    changes.amounts.extend([amount, -amount])


def _use(seconds: Sequence[Ints], changes: Sequence[Any]) -> _Use:
    """Return what is taken if some amounts are added in some seconds; arrays of equal length."""
    where, place = np.unique(np.concatenate(seconds), return_inverse=True)
    sums = np.zeros(where.size, np.int64)
    np.add.at(sums, place.reshape(-1), np.concatenate(changes).astype(np.int64))
    return _Use(where, np.cumsum(sums))


def _in_use(begin: Ints, end: Ints) -> _Use:
    """Return how many of some nodes are taken, each from one second until another one."""
    return _use([begin, end], [np.ones_like(begin), -np.ones_like(end)])


def _at(use: _Use, seconds: Ints) -> Ints:
    """Return how much is taken in some seconds."""
    place = np.searchsorted(use.second, seconds, side="right") - 1
    return np.where(place >= 0, use.amount[np.maximum(place, 0)], 0)
