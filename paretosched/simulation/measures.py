"""Measures of a schedule: see `paretosched.workload.measures` for what each of them is."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..policies.outcome import Pauses
from ..workload.calendar import LATEST
from ..workload.local_time import offsets, to_local, to_unix
from ..workload.measures import (
    IDLE,
    LARGEST,
    LONGEST,
    MEAN,
    MEDIAN,
    RESPONSE,
    SHARE,
    SLOWDOWN,
    STRETCH,
    USES,
    WAIT,
    WEIGHTED,
    Measure,
    Tariff,
    counted_jobs,
)
from ..workload.workload import Workload

HOUR = 3600.0
DAY = 86_400
KWH = 3.6e6  # Ws


def measured_values(
    workload: Workload, start: Ints, finish: Ints, mask: Mask, since: Ints, pauses: Pauses | None = None
) -> Floats:
    """Return the measures of a workload, (k,), in the order of `workload.measured.names`; NaN where no job counts.

    Parameters
    ----------
    workload
        The jobs.
    start, finish
        (n,) s, when they start and end.
    mask
        (n,) bool, the jobs that count; (0,) for all of them.
    since
        (n,) s, the use of a resource is from the first of them on.
    pauses
        When jobs were stopped, so that they used nothing; None if none was.
    """
    values = np.empty(len(workload.measured.names))
    known: dict[tuple[str, float], Floats] = {}
    chosen: dict[tuple[str, float, str], tuple[Floats, list[Floats]]] = {}  # several measures are of the same jobs
    for i, (measure, fits) in enumerate(counted_jobs(workload)):
        counted = fits if not mask.size else mask if not fits.size else fits & mask
        if measure.quantity in USES:
            share = workload.resource_shares[USES[measure.quantity]]
            values[i] = share_used(workload, start, finish, counted, share, since)
        elif measure.quantity == IDLE:
            values[i] = _idle_hours(workload, start, finish, counted, pauses)
        elif measure.tariff is not None:
            values[i] = _cost(workload, start, finish, counted, measure, pauses)
        else:
            key = measure.quantity, measure.bound
            if key not in known:
                known[key] = _quantity_of(measure, workload, start, finish)
            which = (*key, measure.of)
            if which not in chosen:
                chosen[which] = known[key][counted] if counted.size else known[key], []
            values[i] = _statistic(measure, *chosen[which], workload, counted)
    return values


def mean_terms(workload: Workload, start: Ints, finish: Ints) -> tuple[Floats, Floats]:
    """Return for each measure that is a mean of jobs what each job adds to it, and its weight, (k, n) each.

    A mean is the sum of the first over that of the second. Other measures have zeros.
    """
    terms = np.zeros((2, len(workload.measured.names), len(workload)))
    for i, (measure, counted) in enumerate(counted_jobs(workload)):
        if measure.statistic not in (MEAN, WEIGHTED, SHARE):
            continue
        quantity = _quantity_of(measure, workload, start, finish)
        if measure.statistic == SHARE:
            quantity = np.where(quantity > measure.over, 100.0, 0.0)
        weight = consumption_of(workload) if measure.statistic == WEIGHTED else np.ones(len(workload))
        weight = weight * counted if counted.size else weight
        terms[:, i] = quantity * weight, weight
    return terms[0], terms[1]


def consumption_of(workload: Workload) -> Floats:
    """Return what weighs each job in AWRT, (n,) processor seconds: its run time times its width or charge."""
    if workload.asked_shares is None:
        return (workload.run * workload.width).astype(np.float64)
    consumption: Floats = workload.run * workload.charge
    return consumption


def share_used(workload: Workload, start: Ints, finish: Ints, mask: Mask, share: Floats, since: Ints) -> float:
    """Return the used share of a resource, per cent, of which jobs ask for shares, (n,); NaN if no job counts.

    They run from `start` to `finish`, (n,) s, on a machine of nodes, where only the last life of a job counts: that of
    one that is cancelled, too; but no longer than their run times, without the time in which they are stopped. The time
    that counts begins with the first of `since`, (n,) s; `mask` is (n,) bool, or (0,) for all jobs.
    """
    run = np.minimum(finish - start, workload.run)
    if mask.size:
        run, finish, share, since = run[mask], finish[mask], share[mask], since[mask]
    if not run.size:
        return math.nan
    return 100.0 * float(run.astype(np.float64) @ share) / float(int(finish.max()) - int(since.min()))


def _statistic(measure: Measure, of_jobs: Floats, ascending: list[Floats], workload: Workload, counted: Mask) -> float:
    """Return a statistic of a quantity of the jobs that count, (k,).

    `ascending` has the same, sorted, or is empty, and gets it when a median is asked for. `counted` is (n,) bool, or
    (0,) for all.
    """
    if not of_jobs.size:
        return math.nan
    if measure.statistic == MEAN:
        return float(of_jobs.mean())
    if measure.statistic == MEDIAN:
        if not ascending:
            ascending.append(np.sort(of_jobs))
        return median_of(ascending[0])
    if measure.percentile is not None:
        rank = rank_of(measure.percentile, of_jobs.size)
        return float((ascending[0] if ascending else np.partition(of_jobs, rank - 1))[rank - 1])
    if measure.statistic == LONGEST:
        return float(of_jobs.max())
    if measure.statistic == SHARE:
        return 100.0 * np.count_nonzero(of_jobs > measure.over) / of_jobs.size
    if measure.statistic == WEIGHTED:
        weight = consumption_of(workload)
        weight = weight[counted] if counted.size else weight
        return float(of_jobs @ weight / weight.sum())
    if measure.statistic == LARGEST:
        group = workload.group[counted] if counted.size else workload.group
        return float(_means(group, of_jobs).max() / of_jobs.mean()) if of_jobs.mean() > 0 else 1.0
    user = workload.user[counted] if counted.size else workload.user
    means = _means(user - user.min(), of_jobs)
    square = float((means**2).sum())
    return float(means.sum() ** 2) / (means.size * square) if square else 1.0  # nobody waits: all have the same


def median_of(ascending: Floats | Ints) -> float:
    """Return the median of values in ascending order, (k,)."""
    return float(ascending[(ascending.size - 1) // 2] + ascending[ascending.size // 2]) / 2


def rank_of(percentile: str | int, count: int) -> int:
    """Return the rank, from 1, of a percentile of so many values: at least so many per cent of them are not larger.

    It is exact: 0.95 times a count may round to the next rank.
    """
    return math.ceil(Fraction(percentile) * count / 100)


def _means(member: Ints, quantity: Floats) -> Floats:
    """Return the mean of a quantity, (n,), of the jobs of each member that has some; members are (n,), from 0."""
    jobs = np.bincount(member)
    means: Floats = np.bincount(member, quantity)[jobs > 0] / jobs[jobs > 0]
    return means


def bounded_slowdowns(response: Ints, run: Ints, bound: float) -> Floats:
    """Return max(1, response / max(run, bound)) of each job, (n,), from (n,) s."""
    slowdown: Floats = np.maximum(1.0, response / np.maximum(run, bound))
    return slowdown


def _quantity_of(measure: Measure, workload: Workload, start: Ints, finish: Ints) -> Floats:
    """Return the quantity of a measure of each job, (n,), from when they start and end, (n,) s."""
    response = finish - workload.eligible
    if measure.quantity == WAIT:
        return (start - workload.eligible).astype(np.float64)
    if measure.quantity == RESPONSE:
        return response.astype(np.float64)
    if measure.quantity == SLOWDOWN:
        return bounded_slowdowns(response, workload.run, measure.bound)
    return response / workload.estimate if measure.quantity == STRETCH else _unfair_wait(workload, start)


def _unfair_wait(workload: Workload, start: Ints) -> Floats:
    """Return how long each job waited after the first start of a job that was submitted later, (n,) s."""
    first_from = np.minimum.accumulate(start[::-1])[::-1]  # first start of this job and all behind it
    behind = np.searchsorted(workload.submit, workload.submit, side="right")  # of the same second, none is later
    first_later = np.append(first_from, np.iinfo(np.int64).max)[behind]
    overtaken = np.maximum(first_later, workload.eligible)
    unfair: Floats = np.maximum(start - overtaken, 0).astype(np.float64)
    return unfair


def _idle_hours(workload: Workload, start: Ints, finish: Ints, counted: Mask, pauses: Pauses | None) -> float:
    """Return the processor hours in which processors were idle although a job that counts waited.

    A processor is in use from the start of its job to its end, but for its pauses, and none that is down is idle.
    """
    waits = np.ones(len(workload), dtype=np.bool_) if not counted.size else counted
    if not waits.any():
        return math.nan
    used = _in_use(workload)[0]
    begin, end, down = _down(workload)
    changes = [
        (workload.eligible[waits], 1, 0),
        (start[waits], -1, 0),
        (start, 0, -used),
        (finish, 0, used),
        (begin, 0, -down[0]),
        (end, 0, down[0]),
    ]
    if pauses is not None:
        changes += [(pauses.begin, 0, used[pauses.job]), (pauses.end, 0, -used[pauses.job])]
    times = np.concatenate([each for each, _, _ in changes])
    waiting, free = (
        np.concatenate([np.broadcast_to(np.asarray(change[k], dtype=np.float64), change[0].size) for change in changes])
        for k in (1, 2)
    )
    order = np.argsort(times, kind="stable")
    idle = np.clip(workload.capacity + np.cumsum(free[order])[:-1], 0, None)
    is_waited = np.cumsum(waiting[order])[:-1] > 0
    return float((idle * is_waited) @ np.diff(times[order])) / HOUR


def _in_use(workload: Workload) -> Floats:
    """Return the processors and the GPUs that each job has in use, (2, n)."""
    asked = workload.asked_amounts
    if asked is None:
        return np.array([workload.width, np.zeros(len(workload))])
    return np.array([asked.cpus, asked.gpus])


_DOWN: WeakKeyDictionary[Workload, tuple[Ints, Ints, Floats]] = WeakKeyDictionary()  # a search asks thousands of times


def _down(workload: Workload) -> tuple[Ints, Ints, Floats]:
    """Return when processors and GPUs are down: begin and end, (k,) s, and how many of each there, (2, k)."""
    known = _DOWN.get(workload)
    if known is None:
        known = _DOWN[workload] = _down_times(workload)
    return known


def _down_times(workload: Workload) -> tuple[Ints, Ints, Floats]:
    """Return what `_down` does, from the down times of the workload or of the nodes of its machine."""
    machine = workload.machine
    if machine is None:
        if workload.down is None:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty((2, 0))
        processors = workload.down.processors
        return workload.down.begin, workload.down.end, np.array([processors, np.zeros(processors.size)])
    rows: list[tuple[int, int, int]] = []
    for node, begin, end in zip(*(column.tolist() for column in machine.down_by_node(workload.epoch)), strict=True):
        after = max(begin, rows[-1][2]) if rows and rows[-1][0] == node else begin  # two times may overlap
        if after < end:
            rows.append((node, after, end))
    place, first, last = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return first, last, np.array([machine.cpus[place], machine.gpus[place].sum(axis=1)], dtype=np.float64)


def _cost(
    workload: Workload, start: Ints, finish: Ints, counted: Mask, measure: Measure, pauses: Pauses | None
) -> float:
    """Return the energy that jobs take, kWh, or its price; of all jobs with that of processors and GPUs that idle.

    What is down takes nothing; what runs a job when it is down counts once; and what a job has in its pauses idles.
    """
    if counted.size and not counted.any():
        return math.nan
    tariff = measure.tariff
    assert tariff is not None  # noqa: S101  # the measure is one of energy
    first, last = int(workload.submit[0]), int(finish.max())
    days = 1 << max(0, (last // DAY).bit_length())
    times, sums = _price_until(workload.epoch, workload.zone, days, tariff)

    def until(second: Ints) -> Floats:
        cost: Floats = np.interp(second, times, sums)
        return cost

    watts, idle_watts = np.array([tariff.busy, tariff.gpu]), np.array([tariff.idle, tariff.idle_gpu])
    running = _in_use(workload) * (until(finish) - until(start))
    if pauses is not None:
        paused = _in_use(workload)[:, pauses.job] * (until(pauses.end) - until(pauses.begin))
        for of_jobs, lost in zip(running, paused, strict=True):
            np.subtract.at(of_jobs, pauses.job, lost)
    if measure.of:
        return float(watts @ (running[:, counted] if counted.size else running).sum(axis=1)) / KWH
    there = np.array([workload.capacity, 0 if workload.machine is None else workload.machine.gpus.sum()])
    begin, end, down = _down(workload)
    lasting = until(np.clip(end, first, last)) - until(np.clip(begin, first, last))
    up = there * float(until(np.array(last)) - until(np.array(first))) - down @ lasting
    busy = running.sum(axis=1)
    return float(watts @ busy + idle_watts @ np.maximum(up - busy, 0.0)) / KWH


@lru_cache(maxsize=64)
def _price_until(epoch: int, zone: str, days: int, tariff: Tariff) -> tuple[Floats, Floats]:
    """Return seconds of the log, ascending, and what a watt costs from second 0 until each, price times seconds.

    `days` is how many days of the log there are at most; between two of these seconds the price is the same.
    """
    last = min(epoch + days * DAY, LATEST)
    known = offsets(zone, epoch, last)
    midnights = np.arange(to_local(known, np.array([epoch]))[0] // DAY, last // DAY + 2)
    local = (midnights[:, None] * DAY + np.array([round(hour * HOUR) for hour in tariff.hours])).ravel()
    begin = np.maximum(to_unix(known, local) - epoch, 0)
    prices = np.tile(np.array(tariff.prices), midnights.size)
    sums = np.concatenate([[0.0], np.cumsum(prices[:-1] * np.diff(begin))])
    return begin.astype(np.float64), sums
