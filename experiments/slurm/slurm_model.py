"""A plain simulation of how Slurm backfills beside one reservation: by whole nodes, and once in a while.

It is here to tell two causes apart for which Slurm's starts are not those of EASY. With neither of them it is EASY.

- A reservation is for the nodes on which the job will start, as Slurm chooses them: of the row of neighbouring nodes
  with free processors that has the fewest and enough, the node with the fewest that has enough, else the nodes from
  the first one on; if no row has enough, the rows with most, one after the other. No job that would end after the
  start of the reservation may use these nodes.
- Jobs are backfilled in every `interval` only, or in certain seconds. Jobs that come first start as soon as there is
  room, as by the main scheduler, which looks at every submission and every end.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import settings
from slurm_records import Seconds, Start

import paretosched as ps
from paretosched.comparison.order_agreement import compared_pairs
from paretosched.kernels.formulas import evaluate
from paretosched.kernels.usage import no_usage, note_usage, usage_of
from paretosched.policies.outcome import jobs_of
from paretosched.simulation.schedule import Schedule
from paretosched.workload.calendar import calendar

MINUTE = 60
Keys = Callable[[int, Sequence[int], dict[int, int], dict[int, int]], Sequence[float]]


def comparison(
    w: ps.Workload,
    counted: np.ndarray[Any, np.dtype[np.bool_]],
    policy: ps.Policy,
    nodes: int,
    objective: Callable[[Sequence[float]], float],
    start: np.ndarray[Any, np.dtype[np.int64]] | None,
    seconds: Seconds | None,
) -> dict[str, Any]:
    """Return what each of `settings.MODELS` says of the jobs of a window, and how near that is to what Slurm did.

    Parameters
    ----------
    w, counted
        The jobs, and which of them count.
    policy
        In whose order they start, with one reservation.
    nodes
        How many nodes the machine has.
    objective
        Function that makes one number of all.
    start
        When each job started on Slurm; None if that is no longer known. Then pairs are not compared.
    seconds
        When slurmctld backfilled and calculated priorities; None if that is not known.
    """
    row: dict[str, Any] = {}
    for name, model in settings.MODELS.items():
        if model.interval != settings.AS_RECORDED:
            begun = starts(w, nodes if model.by_nodes else 0, model.interval, keys_of(policy, w))
        elif seconds is not None:
            begun = starts_as_recorded(w, nodes, policy, seconds)
        else:
            row |= dict.fromkeys((name, f"{name} pairs", f"{name} turned"))
            continue
        simulated = np.array(begun, dtype=np.int64)
        row[name] = objective(np.asarray(ps.objectives(Schedule(w, simulated, name), counted)))
        pairs = None if start is None else compared_pairs(w.eligible[counted], start[counted], simulated[counted])
        row |= {f"{name} pairs": pairs and pairs.together, f"{name} turned": pairs and pairs.turned}
    return row


def starts_as_recorded(w: ps.Workload, nodes: int, policy: ps.Policy, seconds: Seconds) -> list[int]:
    """Return when each job starts if Slurm's seconds of passes and priorities are known; see `comparison`."""
    ahead, period = 0, 1
    if seconds.calculated is not None and isinstance(policy, ps.Priority):
        period = policy.fair_share.period
        ahead = -(seconds.calculated + 1) % period  # here priorities are new at multiples of it
    later = w.with_(submit=w.submit + ahead, eligible=None)
    passes = [second + ahead for second in seconds.passes]
    return [second - ahead for second in starts(later, nodes, passes, keys_of(policy, later, period))]


def keys_of(policy: ps.Policy, w: ps.Workload, period: int = 1) -> Keys:
    """Return a function for `starts` with the keys of jobs by a policy; for one simulation, whose seconds only rise.

    They are calculated when a job is submitted, and in seconds that are multiples of `period`.
    """
    queue, jobs = policy.queue(w), jobs_of(w)
    is_fair = isinstance(policy, ps.Priority)
    usage = no_usage(queue.accounts, queue.half_life, queue.tree) if is_fair else None
    noted = [set[int](), set[int]()]  # of the jobs that have started, and that have ended

    def keys(t: int, rows: Sequence[int], started: dict[int, int], ended: dict[int, int]) -> list[float]:
        situation = int(calendar(w.epoch + t, w.zone, 0).kind[0])
        if usage is None:
            return [float(evaluate(queue.order, situation, jobs, row, t, 0.0, 0.0)) for row in rows]
        new = [(second, row, int(w.width[row])) for row, second in started.items() if row not in noted[0]]
        new += [(second, row, -int(w.width[row])) for row, second in ended.items() if row not in noted[1]]
        for second, row, width in sorted(new):
            note_usage(usage, row, second, width)
        noted[0].update(started)
        noted[1].update(ended)
        seconds = [max(t // period * period, int(w.eligible[row])) for row in rows]
        factors = [usage_of(usage, row, t) for row in rows]
        return [
            float(evaluate(queue.order, situation, jobs, row, second, used, queue.shares[row]))
            for row, second, used in zip(rows, seconds, factors, strict=True)
        ]

    return keys


class Spans(NamedTuple):
    """When jobs started and ended, s."""

    start: Sequence[int]
    end: Sequence[int]


class Running(NamedTuple):
    """A job that runs: its limit ends at `limit`, and it holds so many processors of each node."""

    limit: int
    row: int
    held: dict[int, int]


def starts(w: ps.Workload, nodes: int, passes: int | Sequence[int], keys: Keys) -> list[int]:
    """Return when each job starts.

    Parameters
    ----------
    w
        The jobs.
    nodes
        How many nodes the machine has, all alike; 0 to count processors, as EASY does.
    passes
        Seconds between two moments in which jobs are backfilled, 0 to do so at every submission and every end; or these
        moments, ascending, after which there is one a minute.
    keys
        Function that returns the keys of waiting jobs in a second, the largest first, from the starts of the jobs that
        have started and the ends of those that have ended.
    """
    machine = nodes or 1
    free = [w.capacity // machine] * machine
    submit, run, limit, width = (getattr(w, name).tolist() for name in ("eligible", "run", "estimate", "width"))
    started: dict[int, int] = {}
    ended: dict[int, int] = {}
    running: list[Running] = []
    moments = set(submit)
    t = 0
    while len(started) < len(submit):
        waits = any(submit[row] <= t for row in range(len(submit)) if row not in started)
        coming = {second for second in moments if second > t} | {started[job.row] + run[job.row] for job in running}
        if passes and waits:
            coming.add(next_pass(passes, t))
        t = min(coming) if started or t else min(moments)
        for job in [job for job in running if started[job.row] + run[job.row] <= t]:
            running.remove(job)
            ended[job.row] = t
            for node, count in job.held.items():
                free[node] += count
        waiting = [row for row in range(len(submit)) if submit[row] <= t and row not in started]
        if not waiting:
            continue
        order = dict(zip(waiting, keys(t, waiting, started, ended), strict=True))
        waiting.sort(key=lambda row: (-order[row], row))
        backfills = not passes or next_pass(passes, t - 1) == t
        for row in begin_jobs(free, running, waiting, t, limit, width, nodes > 0, backfills):
            started[row] = t
    return [started[row] for row in range(len(submit))]


def next_pass(passes: int | Sequence[int], t: int) -> int:
    """Return the first second after t in which jobs are backfilled; `passes` is as for `starts`."""
    if isinstance(passes, int):
        return (t // passes + 1) * passes
    place = bisect_right(passes, t)
    return passes[place] if place < len(passes) else passes[-1] + ((t - passes[-1]) // MINUTE + 1) * MINUTE


def same_nodes(
    w: ps.Workload, cpus: int, nodes: int, starts: Sequence[Start], row_of: Mapping[int, int], spans: Spans
) -> tuple[int, int]:
    """Return how many jobs started in main passes, and how many of them on the nodes that `nodes_for` gives them.

    Parameters
    ----------
    w
        The jobs.
    cpus, nodes
        How many processors each node has, and how many nodes there are.
    starts
        How jobs started on Slurm, in this order.
    row_of
        The row of each number of a job.
    spans
        When each job started and ended on Slurm; an end below 0 has not come.
    """
    alike = count = 0
    for place, one in enumerate(starts):
        row = row_of[one.number]
        free = [cpus] * nodes
        for other in starts[:place]:
            end = spans.end[row_of[other.number]]
            if end < 0 or end > spans.start[row]:
                for node, held in other.held.items():
                    free[node] -= held
        if one.is_main:
            count += 1
            alike += nodes_for(free, int(w.width[row])) == one.held
    return count, alike


def begin_jobs(
    free: list[int],
    running: list[Running],
    waiting: Sequence[int],
    t: int,
    limit: Sequence[int],
    width: Sequence[int],
    by_nodes: bool,
    backfills: bool,
) -> list[int]:
    """Return the jobs that start now; `free` and `running` are changed to what they are then."""
    begun: list[int] = []
    reserved: set[int] | None = None
    shadow = extra = 0  # the second in which the reservation begins, and what it leaves over of all processors
    for row in waiting:
        usable = list(free)
        if reserved is not None and t + limit[row] > shadow:
            if by_nodes:
                usable = [0 if node in reserved else count for node, count in enumerate(free)]
            else:
                usable = [min(free[0], extra)]
        if sum(usable) >= width[row]:
            held = nodes_for(usable, width[row])
            if reserved is not None and t + limit[row] > shadow:
                extra -= width[row]
            for node, count in held.items():
                free[node] -= count
            running.append(Running(t + limit[row], row, held))
            begun.append(row)
        elif reserved is None:
            if not backfills:
                break
            then = list(free)
            for job in sorted(running, key=lambda job: (max(job.limit, t), job.row)):
                if sum(then) >= width[row] and max(job.limit, t) > shadow:
                    break
                shadow = max(job.limit, t)
                for node, count in job.held.items():
                    then[node] += count
            reserved = set(nodes_for(then, width[row]))
            extra = sum(then) - width[row]
    return begun


def nodes_for(free: Sequence[int], width: int) -> dict[int, int]:
    """Return how many processors of which nodes a job gets; there are enough.

    Examples
    --------
    >>> nodes_for([4, 2, 3, 0, 4, 1], 3)  # of the neighbours that have fewest, the node that has
    {4: 3}
    >>> nodes_for([1, 1, 0, 3, 3, 3, 0, 3, 2], 5)  # the neighbours that have just enough
    {7: 3, 8: 2}
    >>> nodes_for([1, 1, 0, 3, 2, 0, 2, 2], 6)  # the neighbours that have most, and then others
    {3: 3, 4: 2, 0: 1}
    """
    rows: list[list[int]] = [[]]
    for node, count in enumerate(free):
        if count:
            rows[-1].append(node)
        elif rows[-1]:
            rows.append([])
    rows = [row for row in rows if row]
    held: dict[int, int] = {}
    left = width
    while left:
        sums = [sum(free[node] for node in row) for row in rows]
        enough = [i for i, total in enumerate(sums) if total >= left]
        best = min(enough, key=lambda i: (sums[i], i)) if enough else max(range(len(rows)), key=lambda i: (sums[i], -i))
        row = rows.pop(best)
        single = [node for node in row if free[node] >= left]
        for node in [min(single, key=lambda node: (free[node], node))] if single else row:
            take = min(left, free[node])
            if take:
                held[node] = take
                left -= take
    return held
