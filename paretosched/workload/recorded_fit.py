"""What of the recorded waits the machine explains: for how long each job would have fit while it waited.

A job fits while at least its width of processors is free by the recorded starts and ends, and as many GPUs as it asks
for, of as many as were ever in use at one time. Processors that are down are not free. The measure knows neither nodes,
partitions, memory nor limits; so where much of the waiting passed while jobs would have fit, these are what jobs waited
for, and a simulation of one pool of equal processors says nothing about this machine.

How much is much: six logs of the 1990s, Theta (2022) and MetaCentrum (2013) were simulated as one pool. Under EASY jobs
would have fit for up to 21 % of their waiting, under conservative backfilling for up to 36 %; without any backfilling,
where the first job keeps all others from starting, for up to 86 %. Recorded were 24 to 71 % in the old logs, 27 % on
Theta, and 99.97 % at MetaCentrum, whose log has two clusters. So 90 % is no one pool.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Ints, Mask
from ..core.errors import number_of
from ..core.tables import Column, table
from ..kernels.fitting import find_fitting
from .group_lists import column_numbers, names_of
from .log_lines import RUN
from .overruns import share_text
from .requests import requests_of
from .swf_header import entry
from .workload import Workload

MUCH = 90.0  # per cent of the waiting, see above
MOST_ROWS = 12  # of one kind
MOST_STEPS = 1 << 31  # of the kernel: some seconds
UNKNOWN = -1
COLUMNS = (
    Column("kind", "waits"),
    Column("name", "of"),
    Column("jobs", "jobs", ",d"),
    Column("wait_mean_s", "mean s", ",.0f"),
    Column("wait_median_s", "median s", ",.0f"),
    Column("wait_p95_s", "95 of 100 up to s", ",.0f"),
    Column("share_percent", "% of all waiting", ".1f"),
    Column("fit_percent", "% of it the job would have fit", ".1f"),
)
WITH_GPUS = Column("fit_with_gpus_percent", "its GPUs, too", ".1f")  # only where jobs ask for GPUs
USUAL = "eight logs simulated as one pool: up to 21 % under EASY, up to 86 % without backfilling"
HELD = "limits, partitions, memory, GPUs, reservations, holds"


class Waiting(NamedTuple):
    """The recorded waits of jobs, and for how long each would have fit.

    Attributes
    ----------
    rows
        (m,) the jobs.
    wait
        (m,) s, at least 0.
    fitting
        (m,) s in which as many processors were free as the job asks for.
    fitting_gpus
        (m,) s in which as many GPUs were free, too; the same for a job that asks for none.
    full
        How many per cent of the machine were in use or down, from the first submission to the last one; None if all
        jobs were submitted at once.
    """

    rows: Ints
    wait: Ints
    fitting: Ints
    fitting_gpus: Ints
    full: float | None

    def percent(self, fitting: Ints, which: Mask | slice = slice(None)) -> float | None:
        """Return how many per cent of the waiting of some jobs these seconds are; None if none of them waited."""
        total = int(self.wait[which].sum())
        return 100 * int(fitting[which].sum()) / total if total else None


def recorded_changes(workload: Workload, rows: Ints) -> tuple[Ints, Ints]:
    """Return when the record of some jobs changes what is in use or down, and by how many processors.

    Parameters
    ----------
    workload
        The log.
    rows
        (m,) jobs that have a recorded wait.

    Returns
    -------
    seconds, processors
        (2 m + 2 d,) both, in no order; of the starts of all jobs, their ends, and the same of d times of down.
    """
    w = workload
    began = (w.eligible + w.wait)[rows]
    run = w.run[rows]
    if w.records is not None:
        run = np.maximum(run, w.records.column(RUN)[rows].astype(np.int64))  # before it was cut at the request
    down = (np.zeros(0, dtype=np.int64),) * 3 if w.down is None else (w.down.begin, w.down.end, w.down.processors)
    width = w.width[rows]
    return np.concatenate([began, began + run, down[0], down[1]]), np.concatenate([width, -width, down[2], -down[2]])


def waiting_of(workload: Workload) -> Waiting | None:
    """Return the recorded waits of a log, and for how long each job would have fit; None if none is recorded.

    Of a log for which this would take minutes, every second job, or every fourth and so on, is looked at.

    Examples
    --------
    The second job waits 200 s, half of them beside the first one.

    >>> w = Workload(submit=[0, 0], run=[100, 9], estimate=[100, 9], width=[3, 2], capacity=4, wait=[0, 200])
    >>> waiting_of(w).fitting.tolist()
    [0, 100]
    """
    rows = np.flatnonzero(workload.wait != UNKNOWN)
    if not rows.size:
        return None
    use = _use(workload, rows)
    came, width, gpus = workload.eligible[rows], workload.width[rows], requests_of(workload, "gpus")[rows]
    began = came + workload.wait[rows]
    first, last = (np.searchsorted(use.second, times, "right") - 1 for times in (came, began))
    jobs = np.stack([came, began, width, gpus, first, last])
    while jobs.shape[1] > 1 and _steps(jobs, use) > MOST_STEPS:
        jobs, rows = jobs[:, ::2], rows[::2]
    asking, of_processors = jobs[3] > 0, jobs.copy()
    of_processors[3] = 0
    fitting = _fitting(of_processors, use)
    with_gpus = fitting.copy()
    with_gpus[asking] = _fitting(jobs[:, asking], use)
    return Waiting(rows, workload.wait[rows], fitting, with_gpus, _full(workload, use))


class _Use(NamedTuple):
    """What was free by the record: from when on, ascending, (k,) s, and how many processors and GPUs, (k,) each."""

    second: Ints
    free: Ints
    free_gpus: Ints


def _use(workload: Workload, rows: Ints) -> _Use:
    """Return what was free by the record of some jobs; the first second is before all of them."""
    seconds, processors = recorded_changes(workload, rows)
    gpus = requests_of(workload, "gpus")[rows]
    of_gpus = np.zeros_like(processors)
    of_gpus[: 2 * rows.size] = np.concatenate([gpus, -gpus])
    order = np.argsort(seconds, kind="stable")
    second = seconds[order]
    is_last = np.append(second[1:] != second[:-1], True)  # of the changes of one second
    in_use, gpus_in_use = (np.append(0, np.cumsum(of[order])[is_last]) for of in (processors, of_gpus))
    second = np.append(min(int(workload.eligible.min()), int(second[0])) - 1, second[is_last])
    there = max(int(gpus_in_use.max()), int(gpus.max()))
    return _Use(second, _capacity_then(workload) - in_use, there - gpus_in_use)


def _capacity_then(workload: Workload) -> int:
    """Return how many processors there were when waits were recorded: that of the log, if a larger one is asked for."""
    of_log = entry(workload.header, "MaxProcs") or entry(workload.header, "MaxNodes")
    return min(workload.capacity, (of_log and of_log.number) or workload.capacity)


def _steps(jobs: Ints, use: _Use) -> int:
    """Return at most how many steps the kernel takes for some jobs, see `_fitting`."""
    _, _, width, gpus, first, last = jobs
    shape = np.unique(width * (gpus.max() + 1) + gpus, return_inverse=True)[1]
    return int(np.minimum(np.bincount(shape, last - first), use.second.size).sum())


def _fitting(jobs: Ints, use: _Use) -> Ints:
    """Return for how many seconds of its wait each job would have fit, (m,).

    The jobs are (6, m): from when until when each waits, s, its processors and GPUs, and the places of the last changes
    until both times.
    """
    order = np.lexsort((jobs[0], jobs[3], jobs[2]))
    came, began, width, gpus, first, last = jobs[:, order]
    found, fitting = np.zeros((2, order.size), dtype=np.int64)
    before = np.empty_like(use.second)
    find_fitting(use.second, use.free, use.free_gpus, came, began, width, gpus, first, last, before, found)
    fitting[order] = found
    return fitting


def _full(workload: Workload, use: _Use) -> float | None:
    """Return how many per cent of the machine were in use or down between the first and the last submission."""
    begin, end = int(workload.submit[0]), int(workload.submit[-1])
    lasted = np.diff(np.clip(np.append(use.second, end), begin, end))
    capacity = _capacity_then(workload)
    free = np.maximum(use.free, 0)  # of a machine whose size is said too small it is less
    return 100 * float((capacity - free) @ lasted) / (capacity * (end - begin)) if end > begin else None


# --- in words ---------------------------------------------------------------------------------------------------------


def waits_table(workload: Workload) -> dict[str, Any] | None:
    """Return the recorded waits of all jobs, and by partition, queue and group, as plain values; None without any.

    Returns
    -------
    dict
        "full_percent", see `Waiting`; and "rows", a list of dict: kind ("all", "partition", "QOS" or "queue", "group"),
        name, jobs, wait_mean_s, wait_median_s, wait_p95_s, share_percent (of all the waiting), and fit_percent and
        fit_with_gpus_percent, the share of their waiting in which the jobs would have fit; the last one is None if no
        job of the log asks for GPUs. A kind with one value only is left out; of one with more than 12 those with most
        waiting are there, and the others in one row.
    """
    waiting = waiting_of(workload)
    if waiting is None:
        return None
    total = max(1, int(waiting.wait.sum()))
    asks = bool(requests_of(workload, "gpus").any())

    def row(kind: str, name: str, which: Mask | slice = slice(None)) -> dict[str, Any]:
        wait = waiting.wait[which]
        median, p95 = np.quantile(wait, [0.5, 0.95], method="inverted_cdf").tolist()
        return {
            "kind": kind,
            "name": name,
            "jobs": int(wait.size),
            "wait_mean_s": float(wait.mean()),
            "wait_median_s": median,
            "wait_p95_s": p95,
            "share_percent": 100 * int(wait.sum()) / total,
            "fit_percent": waiting.percent(waiting.fitting, which),
            "fit_with_gpus_percent": waiting.percent(waiting.fitting_gpus, which) if asks else None,
        }

    rows = [row("all", "all jobs")]
    for kind, names, number in _kinds(workload, waiting.rows):
        waited = np.bincount(number, waiting.wait.astype(np.float64), len(names))
        most_first = np.argsort(-waited, kind="stable")
        shown = most_first if most_first.size <= MOST_ROWS else most_first[: MOST_ROWS - 1]
        rows += [row(kind, names[k], number == k) for k in shown.tolist()]
        if shown.size < most_first.size:
            rows.append(row(kind, number_of(most_first.size - shown.size, "other"), ~np.isin(number, shown)))
    return {"full_percent": waiting.full, "rows": rows}


def _kinds(workload: Workload, rows: Ints) -> Iterator[tuple[str, list[str], Ints]]:
    """Yield what tells some jobs apart: its name, the names of its values, and the number of each job, (m,)."""
    groups, group = np.unique(workload.group[rows], return_inverse=True)
    kinds = [("group", [workload.groups[g] for g in groups.tolist()], group)]
    if workload.records is not None:
        of_slurm = workload.names is not None and workload.names.source == "slurm"
        for column, kind in (("queue", "QOS" if of_slurm else "queue"), ("partition", "partition")):
            values, number = np.unique(column_numbers(workload, column)[rows], return_inverse=True)
            names = names_of(workload, column)
            titles = [names.get(value, "unknown" if value < 0 else str(value)) for value in values.tolist()]
            kinds.insert(0, (kind, titles, number))
    seen: list[Ints] = []
    for kind, titles, number in kinds:
        first = np.unique(number, return_index=True)[1]
        alike = first[number]  # the same numbers for the same parts, whatever they are called
        if len(titles) > 1 and not any(np.array_equal(alike, other) for other in seen):
            seen.append(alike)
            yield kind, titles, number


def waits_text(about: Mapping[str, Any], on_nodes: bool = False) -> str:
    """Return what `waits_table` returns as a table for a terminal, with a sentence on what jobs waited for.

    Of a log `on_nodes` it is not known whether they would have fit there.
    """
    of_all = about["rows"][0]
    has_gpus = of_all["fit_with_gpus_percent"] is not None
    text = table(about["rows"], [*COLUMNS, WITH_GPUS] if has_gpus else COLUMNS)
    share, with_gpus, full = of_all["fit_percent"], of_all["fit_with_gpus_percent"], about["full_percent"]
    if share is None:
        return text
    head = f"{share_text(share)} of the waiting passed while the job would have fit on free processors"
    if on_nodes:
        sentences = [f"{head}, as one pool; on its nodes it may not have: simulate says what jobs waited for"]
    elif share < MUCH:
        sentences = [f"{head} ({USUAL})"]
    else:
        machine = "the machine" if full is None else f"a machine that is {full:.0f} % full"
        sentences = [f"{head}: {machine} is not what jobs wait for ({HELD})"]
    if with_gpus is not None and share - with_gpus >= 1:
        sentences.append(f"{share_text(with_gpus)} passed while the GPUs that it asked for were free, too")
    return "\n".join([f"{text}\n", *sentences])


def other_machine(workload: Workload) -> str:
    """Return that what is simulated is another machine than that of the log, and why; "" if nothing says so.

    It says so if the log has several partitions, or if much of the waiting passed while jobs would have fit, see the
    module; never of a log with nodes, which are what is simulated.

    Examples
    --------
    >>> other_machine(Workload(submit=[0], run=[9], estimate=[9], width=[2], capacity=3, wait=[60]))[:84]
    'SIMULATED: ONE POOL OF 3 EQUAL PROCESSORS. On the machine of this log 100.0 % of the'
    """
    if workload.machine is not None:
        return ""
    partitions = 0
    if workload.records is not None:
        partitions = int(np.count_nonzero(np.unique(column_numbers(workload, "partition")) >= 0))
    waiting = waiting_of(workload)
    share = None if waiting is None else waiting.percent(waiting.fitting)
    is_much = share is not None and share >= MUCH
    if partitions < 2 and not is_much:
        return ""
    facts, end = [], "expect none of the gains below on it"
    if is_much:
        assert waiting is not None and share is not None  # noqa: S101, PT018  # there is a share
        with_gpus = waiting.percent(waiting.fitting_gpus)
        facts = [f"{share_text(share)} of the waiting passed while jobs would have fit on free processors"]
        if with_gpus is not None and share - with_gpus >= 1:
            facts[0] += f" ({share_text(with_gpus)} while their GPUs were free, too)"
    if partitions > 1:
        facts.insert(0, f"The machine of this log has {partitions} partitions")
        end += "" if is_much else ", unless all partitions have the same nodes"
    else:
        facts[0] = f"On the machine of this log {facts[0]}, so something else held them ({HELD})"
    pool = number_of(workload.capacity, "equal processor").upper()
    return f"SIMULATED: ONE POOL OF {pool}. {', and '.join(facts)}: {end}."
