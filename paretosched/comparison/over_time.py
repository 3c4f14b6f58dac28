"""A schedule over time: how many jobs wait, how busy the machine is, where jobs run, and who overtook whom."""

from __future__ import annotations

from bisect import insort
from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints
from ..core.errors import InputError, number_of
from ..core.tables import enumeration
from ..policies.outcome import Placement, Segments
from ..simulation.schedule import Schedule
from ..simulation.service import DAY, HOUR, WEEK, use
from ..simulation.waiting_reasons import TURN
from ..workload.host_lists import host_list
from ..workload.time_split import MOST_WEEKS
from ..workload.workload import Workload
from .consequences import duration


class OverTime(NamedTuple):
    """A schedule over time, by bins; (k,) each.

    Attributes
    ----------
    waiting
        Mean number of waiting jobs.
    use
        Per cent of the machine in use.
    wait
        Mean wait of the jobs that became eligible in the bin, h; NaN without any.
    """

    waiting: Floats
    use: Floats
    wait: Floats


class Run(NamedTuple):
    """Where and when a job runs: on processors low <= p < high; one job may have several of these at a time."""

    job: int
    begin: int
    end: int
    low: int
    high: int


class Node(NamedTuple):
    """A node: its name, and how many CPUs and GPUs it has."""

    name: str
    cpus: int
    gpus: int


def over_time(schedule: Schedule, edges: Ints) -> OverTime:
    """Return a schedule over time.

    Parameters
    ----------
    schedule
        Any schedule.
    edges
        (k + 1,) seconds of the trace, ascending, see `service.bins`.

    Examples
    --------
    The second job waits from 0 to 10, on average 0.5 of it in the first 20 seconds.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 0], run=[10, 10], estimate=[10, 10], width=[3, 2], capacity=4)
    >>> told = over_time(Schedule(w, [0, 10]), np.array([0, 20]))
    >>> told.waiting.tolist(), told.use.tolist()
    ([0.5], [62.5])
    """
    w = schedule.workload
    length = np.diff(edges).astype(np.float64)
    place = np.searchsorted(edges, w.eligible, side="right") - 1
    among = (place >= 0) & (place < len(length))
    count = np.bincount(place[among], minlength=len(length))
    total = np.bincount(place[among], (schedule.start - w.eligible)[among], minlength=len(length))
    wait = np.divide(total, count * float(HOUR), out=np.full(len(length), np.nan), where=count > 0)
    waiting = np.diff(_waited_until(schedule, edges)) / length
    return OverTime(waiting, 100 * use(schedule, edges) / (length * w.capacity), wait)


def _waited_until(schedule: Schedule, times: Ints) -> Ints:
    """Return how long all jobs together have waited until each of (k,) times, s; exactly."""
    total = np.zeros(len(times), dtype=np.int64)
    for begin, sign in ((np.sort(schedule.workload.eligible), 1), (np.sort(schedule.start), -1)):
        count = np.searchsorted(begin, times)
        before = np.concatenate([[0], np.cumsum(begin)])
        total += sign * (count * times - before[count])
    return total


def worst_week(schedule: Schedule) -> tuple[int, int]:
    """Return the week in which jobs wait longest in sum: its begin and its end, seconds of the trace.

    Weeks begin at whole days since the first job is eligible; in more than a century only at some of them. A shorter
    schedule is one week.
    """
    first, last = int(schedule.workload.eligible.min()), int(schedule.finish.max())
    step = DAY * (1 + (last - first) // (MOST_WEEKS * WEEK))
    begins = np.arange(first, max(last - WEEK, first) + 1, step, dtype=np.int64)
    waited = _waited_until(schedule, begins + WEEK) - _waited_until(schedule, begins)
    begin = int(begins[waited.argmax()])
    return begin, min(begin + WEEK, last)


def runs_between(schedule: Schedule, begin: int, end: int) -> list[Run]:
    """Return where and when jobs run from `begin` until `end`, in the order of their starts.

    Each job gets the lowest processors that are free at its start; those that run already at `begin` come first. The
    log does not say where jobs ran, and no schedule here depends on it. A schedule that preempts jobs knows where each
    stretch of them runs; one on nodes knows the node: its CPUs are numbered in the order of `Machine.names`, and a job
    gets the lowest free ones of each of its nodes.

    Raises
    ------
    InputError
        The schedule uses more processors than the machine has.

    Examples
    --------
    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 0, 0], run=[10, 5, 9], estimate=[10, 5, 9], width=[1, 2, 3], capacity=4)
    >>> runs_between(Schedule(w, [0, 0, 5]), 0, 20)[2:]
    [Run(job=2, begin=5, end=14, low=1, high=4)]
    """
    if schedule.segments is not None:
        return _stretches(schedule.segments, begin, end)
    w = schedule.workload
    takes_time = schedule.finish > schedule.start
    among = np.flatnonzero(takes_time & (schedule.finish > begin) & (schedule.start < end))
    pieces = [(job, *piece) for job in among.tolist() for piece in schedule.pieces(job) if piece[1] > piece[0]]
    among, since, until = np.array(sorted(pieces, key=lambda piece: piece[1]), dtype=np.int64).reshape(-1, 3).T
    placement, pools = schedule.placement, [(0, w.capacity)]
    held = [[(0, width)] for width in w.width[among].tolist()]  # (pool, processors of it)
    if placement is not None and w.machine is not None:
        ends = np.cumsum(w.machine.cpus).tolist()
        pools = list(zip([0, *ends[:-1]], ends, strict=True))
        bounds = zip(placement.piece[among].tolist(), placement.piece[among + 1].tolist(), strict=True)
        nodes, cpus = placement.node.tolist(), placement.cpus.tolist()
        held = [list(zip(nodes[a:b], cpus[a:b], strict=True)) for a, b in bounds]
    free = [[pool] for pool in pools]
    running: list[tuple[int, int, int, int]] = []  # (finish, pool, low, high)
    runs = []
    for job, start, finish, parts in zip(among.tolist(), since.tolist(), until.tolist(), held, strict=True):
        while running and running[0][0] <= start:
            _, pool, low, high = heappop(running)
            insort(free[pool], (low, high))
        for pool, width in parts:
            for low, high in _lowest(free[pool], width):
                runs.append(Run(job, start, finish, low, high))
                heappush(running, (finish, pool, low, high))
    return runs


def nodes_below(schedule: Schedule) -> list[Node]:
    """Return the nodes in the order of the processors of `runs_between`; none if the schedule knows none."""
    machine = schedule.workload.machine
    if machine is None or schedule.placement is None:
        return []
    return list(map(Node, machine.names, machine.cpus.tolist(), machine.gpus.sum(axis=1).tolist()))


def _stretches(segments: Segments, begin: int, end: int) -> list[Run]:
    """Return the stretches of preempted jobs from `begin` until `end`, in the order of their starts."""
    among = np.flatnonzero((segments.end > begin) & (segments.begin < end) & (segments.end > segments.begin))
    among = among[np.argsort(segments.begin[among], kind="stable")]
    return [
        Run(int(segments.job[i]), int(segments.begin[i]), int(segments.end[i]), low, high + 1)
        for i in among.tolist()
        for low, high in segments.nodes(i)
    ]


def _ran_before(schedule: Schedule, jobs: Ints, time: int) -> Ints:
    """Return for how many seconds each of (k,) jobs had run until a time, without the breaks of preempted jobs."""
    segments = schedule.segments
    if segments is None:
        return np.clip(time - schedule.start[jobs], 0, schedule.workload.run[jobs])
    ran = np.zeros(len(schedule.start), dtype=np.int64)
    np.add.at(ran, segments.job, np.maximum(np.minimum(segments.end, time) - segments.begin, 0))
    of_jobs: Ints = ran[jobs]
    return of_jobs


def _lowest(free: list[tuple[int, int]], width: int) -> list[tuple[int, int]]:
    """Take the lowest `width` processors from ascending ranges, which are modified in place; return their ranges."""
    ranges: list[tuple[int, int]] = []
    while width:
        if not free:
            raise InputError(
                "a timeline needs a schedule that keeps the size of the machine, and in this one more is used at "
                "some time; choose another one"
            )
        low, high = free.pop(0)
        if high - low > width:
            free.insert(0, (low + width, high))
            high = low + width
        width -= high - low
        if ranges and ranges[-1][1] == low:
            ranges[-1] = (ranges[-1][0], high)
        else:
            ranges.append((low, high))
    return ranges


def raster(
    runs: list[Run], groups: Ints, window: tuple[int, int], capacity: int, shape: tuple[int, int]
) -> NDArray[np.uint8]:
    """Return a picture of jobs over processors: (rows, columns), 0 where no job runs, else 1 + the group of one there.

    Any number of jobs has the same size in it. Row 0 is the lowest processors.

    Parameters
    ----------
    runs
        As `runs_between` returns them.
    groups
        (n,) the group of each job of the workload.
    window
        Seconds of the trace, from and until.
    capacity
        Processors of the machine.
    shape
        Rows and columns of the picture.

    Examples
    --------
    >>> raster([Run(0, 0, 5, 0, 2), Run(1, 5, 10, 2, 4)], np.array([0, 3]), (0, 10), 4, (2, 2)).tolist()
    [[1, 0], [0, 4]]
    """
    picture = np.zeros(shape, dtype=np.uint8)
    begin, span = window[0], window[1] - window[0]
    for job, start, finish, low, high in runs:
        top, bottom = low * shape[0] // capacity, -(-high * shape[0] // capacity)
        left = max((start - begin) * shape[1] // span, 0)
        right = max(-(-(finish - begin) * shape[1] // span), left + 1)
        picture[top:bottom, left:right] = groups[job] + 1
    return picture


def job_at(runs: list[Run], time: float, processor: float) -> int | None:
    """Return the job that runs on a processor at a time; None if none does."""
    return next((r.job for r in runs if r.begin <= time < r.end and r.low <= processor < r.high), None)


def wait_reasons(schedule: Schedule, job: int) -> list[str]:
    """Return in sentences why a job waited: which jobs that came later started before it, and what held it back.

    Jobs of the same second come in the order of the log.

    Examples
    --------
    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[3600, 5, 3600], estimate=[3600, 9, 4000], width=[3, 4, 1], capacity=4)
    >>> wait_reasons(Schedule(w, [0, 3600, 2]), 1)[1:]
    ['It waited 1 h. 1 job that came later started before it: 1 of group 1.', \
'It had used 1.0 processor hours by then; the largest, job 3 of group 1, has 1 processor for 1 h.', \
'It started when job 1 of group 1 ended, after 1 h with 3 processors.']
    """
    w = schedule.workload
    who = f"job {w.job[job]} of group {w.groups[w.group[job]]}"
    asked = f"{request_words(w, job)} for {duration(int(w.estimate[job]))} at most"
    first = f"{who[0].upper()}{who[1:]} asked for {asked}, and ran {duration(int(w.run[job]))}{_place(schedule, job)}."
    parts = 1 if schedule.segments is None else int((schedule.segments.job == job).sum())
    if parts > 1:
        stood = duration(int(schedule.finish[job] - schedule.start[job] - w.run[job]))
        first += f" It ran in {parts} parts, and stood for {stood} between them."
    wait = int(schedule.start[job] - w.eligible[job])
    if wait == 0:
        return [first, "It started at once."]
    later = (w.eligible > w.eligible[job]) | ((w.eligible == w.eligible[job]) & (np.arange(len(w)) > job))
    overtakers = np.flatnonzero(later & (schedule.start < schedule.start[job]))
    waited = f"It waited {duration(wait)}."
    held = _what_held(schedule, job)
    if not len(overtakers):
        before = "No job that came later started before it: only jobs that were there before it did."
        return [first, f"{waited} {before}", *held]
    count = np.bincount(w.group[overtakers], minlength=len(w.groups))
    of_groups = ", ".join(f"{count[g]:,} of group {w.groups[g]}" for g in np.flatnonzero(count))
    ran = _ran_before(schedule, overtakers, int(schedule.start[job]))
    hours = float((ran * w.width[overtakers]).sum()) / HOUR
    largest = int(overtakers[np.argmax(w.width[overtakers] * w.run[overtakers])])
    many = len(overtakers) > 1
    unit = "processor" if w.machine is None else "CPU"
    where = _on_its_nodes(schedule, job, overtakers)
    return [
        first,
        f"{waited} {number_of(len(overtakers), 'job')} that came later started before it: {of_groups}{where}.",
        f"{'They' if many else 'It'} had used {hours:,.1f} {unit} hours by then; the largest, job {w.job[largest]} of "
        f"group {w.groups[w.group[largest]]}, has {request_words(w, largest)} for "
        f"{duration(int(w.run[largest]))}.",
        *held,
    ]


def _what_held(schedule: Schedule, job: int) -> list[str]:
    """Return in sentences what held a job back: for how long which limit, and whose end let it start; [] if unknown.

    On nodes, that is the last job that left one of those that it got; else one that ended in the second of its start.
    """
    w, start, finish, told = schedule.workload, int(schedule.start[job]), schedule.finish, []
    if schedule.waiting is not None:
        parts = dict(zip(schedule.waiting.names, schedule.waiting.seconds[job].tolist(), strict=True))
        known = [f"{name} for {duration(time)}" for name, time in parts.items() if time > 0]
        told += [f"In the words of squeue it waited for {enumeration(known)}."] * any(
            time > 0 for name, time in parts.items() if name != TURN
        )
    ended = (finish <= start) & (finish > w.eligible[job]) & (schedule.start < finish)
    ended[job] = False
    if schedule.placement is None:
        ended &= finish == start
    else:
        among = np.zeros(len(w), dtype=np.bool_)
        among[_jobs_on_its_nodes(schedule.placement, job)] = True
        ended &= among
    if not ended.any():
        return told
    last = np.flatnonzero(ended & (finish == finish[ended].max()))
    largest = int(last[np.argmax(w.width[last])])
    when = "when" if finish[largest] == start else f"{duration(start - int(finish[largest]))} after"
    where = "" if schedule.placement is None else " on its nodes"
    who = f"job {w.job[largest]} of group {w.groups[w.group[largest]]}"
    ran = duration(int(finish[largest] - schedule.start[largest]))
    more = "" if len(last) == 1 else f"; so did {number_of(len(last) - 1, 'more job')}"
    return [*told, f"It started {when} {who} ended{where}, after {ran} with {request_words(w, largest)}{more}."]


def _jobs_on_its_nodes(placement: Placement, job: int) -> Ints:
    """Return the jobs that ran on a node of a job at some time, that one, too; ascending."""
    nodes = placement.node[placement.piece[job] : placement.piece[job + 1]]
    jobs: Ints = np.unique(placement.job[np.isin(placement.node, nodes)])
    return jobs


def request_words(workload: Workload, job: int) -> str:
    """Return what a job asks for: processors, on a machine of nodes CPUs, nodes, GPUs and memory."""
    asked = workload.asked_amounts
    if asked is None:
        return number_of(int(workload.width[job]), "processor")
    parts = [number_of(int(asked.cpus[job]), "CPU")]
    parts += [number_of(int(asked.gpus[job]), "GPU")] * bool(asked.gpus[job])
    memory = asked.memory_per_node[job] / 1024
    parts += [f"{memory:,.0f} GiB a node" if memory >= 1 else f"{memory * 1024:,.0f} MiB a node"] * bool(memory)
    return f"{enumeration(parts)} on {number_of(int(asked.nodes[job]), 'node')}"


def _place(schedule: Schedule, job: int) -> str:
    """Return on which nodes a job runs, and in which partition; "" if the schedule does not say it."""
    machine, placement = schedule.workload.machine, schedule.placement
    if machine is None or placement is None:
        return ""
    nodes = placement.node[placement.piece[job] : placement.piece[job + 1]].tolist()
    partition = machine.partitions[placement.partition[job]].name
    return f" on {host_list([machine.names[node] for node in nodes])} (partition {partition})"


def _on_its_nodes(schedule: Schedule, job: int, others: Ints) -> str:
    """Return how many of other jobs ran on nodes that a job got later; "" if the schedule does not say it."""
    placement = schedule.placement
    if placement is None:
        return ""
    there = _jobs_on_its_nodes(placement, job)
    return f"; {np.isin(others, there).sum():,} of these on nodes that it got later"
