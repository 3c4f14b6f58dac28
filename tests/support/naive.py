"""What every simulator must do, written so simply that a reader can check it.

Pure Python, whole numbers, no profile that is kept from one second to the next, nothing incremental. The conventions:
whole seconds; all events of one second together, first completions, then arrivals in the order of the log, then one
scheduling pass; a job arrives in the second from which on it is eligible; the scheduler sees only estimates; a
processor that becomes free in a second can be used in the same second.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from paretosched import Policy, Workload


class Job(NamedTuple):
    """A job; `row` is its row in the workload. Jobs queue by `arrival`, and those of one second by row."""

    row: int
    arrival: int
    run: int
    estimate: int
    width: int
    group: int


class Started(NamedTuple):
    """A job that has run since `start`."""

    job: Job
    start: int

    @property
    def finish(self) -> int:
        return self.start + self.job.run

    @property
    def expected_end(self) -> int:
        return self.start + self.job.estimate


Order = Callable[[int, list[Job]], list[Job]]
Pass = Callable[[int, list[Job], list[Started], int], list[Job]]


def naive(workload: Workload, policy: Policy) -> list[int]:
    """Return the start times of all jobs, in seconds of the log."""
    jobs = jobs_of(workload)
    if policy.rule == "recorded":
        return [max(s, s + w) for s, w in zip(workload.eligible.tolist(), workload.wait.tolist(), strict=True)]
    if policy.rule == "conservative":
        return conservative(jobs, workload.capacity)
    if policy.rule == "greedy":
        choose = {"none": heads, "easy": easy, "conservative": replan}[policy.backfill]
        return run(jobs, workload.capacity, greedy_order(workload, policy), choose)
    choose = {"fcfs": heads, "list": every_fitting, "easy": easy, "conservative-replan": replan}[policy.rule]
    return run(jobs, workload.capacity, lambda t, waiting: waiting, choose)


def jobs_of(workload: Workload) -> list[Job]:
    """Return the jobs of a workload, in the order of their arrival."""
    columns = (workload.eligible, workload.run, workload.estimate, workload.width, workload.group)
    jobs = [Job(row, *values) for row, values in enumerate(zip(*(c.tolist() for c in columns), strict=True))]
    return sorted(jobs, key=lambda job: (job.arrival, job.row))


def run(jobs: list[Job], capacity: int, order: Order, choose: Pass) -> list[int]:
    """Return the start times of a rule that orders the waiting jobs at each event and chooses some to start now."""
    start: dict[int, int] = {}
    waiting: list[Job] = []
    running: list[Started] = []
    t = -1
    while len(start) < len(jobs):
        t = min([j.arrival for j in jobs if j.arrival > t] + [s.finish for s in running])
        running = [s for s in running if s.finish > t]
        waiting += [j for j in jobs if j.arrival == t]
        for job in choose(t, order(t, list(waiting)), running, capacity):
            start[job.row] = t
            running.append(Started(job, t))
            waiting.remove(job)
    return in_rows(start)


def in_rows(values: dict[int, int]) -> list[int]:
    """Return values by row in the order of the rows."""
    return [values[row] for row in sorted(values)]


def heads(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return the first jobs of the queue, up to the first job that does not fit (FCFS, and Greedy of paper 000)."""
    free = capacity - sum(s.job.width for s in running)
    now = []
    for job in queue:
        if job.width > free:
            break
        now.append(job)
        free -= job.width
    return now


def every_fitting(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return every job that fits, in the order of the queue (List)."""
    free = capacity - sum(s.job.width for s in running)
    now = []
    for job in queue:
        if job.width <= free:
            now.append(job)
            free -= job.width
    return now


def easy(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return the first jobs that fit, and later jobs that do not delay the first job that does not fit (EASY)."""
    now = heads(t, queue, running, capacity)
    rest = [job for job in queue if job not in now]
    if not rest:
        return now
    running_then = running + [Started(job, t) for job in now]
    free = capacity - sum(s.job.width for s in running_then)
    head, *rest = rest
    shadow, extra = reservation(head, free, running_then)
    for job in rest:
        in_time = t + job.estimate <= shadow
        if job.width <= free and (in_time or job.width <= extra):
            now.append(job)
            free -= job.width
            if not in_time:
                extra -= job.width
    return now


def reservation(head: Job, free: int, runs: list[Started]) -> tuple[int, int]:
    """Return when the head can start if all estimates are true, and how many processors are free beside it then."""
    for end in sorted({s.expected_end for s in runs}):
        free += sum(s.job.width for s in runs if s.expected_end == end)
        if free >= head.width:
            return end, free - head.width
    raise AssertionError("the head is wider than the machine")


def replan(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return the jobs whose slot begins now, if each job in the order of the queue has its earliest slot."""
    profile = Profile(t, capacity, running)
    return [job for job in queue if profile.insert(job) == t]


def conservative(jobs: list[Job], capacity: int, punctual: bool = True) -> list[int]:
    """Return the start times of conservative backfilling, in which reservations are kept.

    When jobs end, each waiting job in the order of arrival exchanges its reservation for the earliest possible one
    (compression). A job that arrives gets the earliest slot. A job starts when its reservation begins.

    With `punctual`, this compression is also done when all jobs that end now end as expected. It can change something:
    within one compression, a job is not tried again after a later job has moved out of its way.
    """
    start: dict[int, int] = {}
    starts: dict[int, int] = {}
    waiting: list[Job] = []
    running: list[Started] = []
    t = -1
    while len(start) < len(jobs):
        t = min([j.arrival for j in jobs if j.arrival > t] + [s.finish for s in running] + list(starts.values()))
        completions = [s for s in running if s.finish == t]
        running = [s for s in running if s.finish > t]
        profile = Profile(t, capacity, running + [Started(job, starts[job.row]) for job in waiting])
        if any(punctual or s.expected_end > t for s in completions):
            for job in waiting:
                profile.remove(job, starts[job.row])
                starts[job.row] = profile.insert(job)
        for job in jobs:
            if job.arrival == t:
                waiting.append(job)
                starts[job.row] = profile.insert(job)
        for job in [job for job in waiting if starts[job.row] == t]:
            start[job.row] = starts.pop(job.row)
            running.append(Started(job, t))
            waiting.remove(job)
    return in_rows(start)


class Profile:
    """The number of free processors from `now` on, if all estimates are true: its change at each time."""

    def __init__(self, now: int, capacity: int, runs: Iterable[Started]) -> None:
        self.now = now
        self.change: defaultdict[int, int] = defaultdict(int, {now: capacity})
        for s in runs:
            self.change[max(s.start, now)] -= s.job.width
            self.change[s.expected_end] += s.job.width

    def insert(self, job: Job) -> int:
        """Reserve the earliest slot for a job, and return when it begins."""
        begin = self.earliest(job.width, job.estimate)
        self.change[begin] -= job.width
        self.change[begin + job.estimate] += job.width
        return begin

    def remove(self, job: Job, begin: int) -> None:
        """Free the slot of a job that begins at `begin`."""
        self.change[begin] += job.width
        self.change[begin + job.estimate] -= job.width

    def earliest(self, width: int, duration: int) -> int:
        """Return the first second from which `width` processors are free for `duration` seconds."""
        begin = None
        free = 0
        for when in sorted(self.change):
            if begin is not None and when >= begin + duration:
                return begin
            free += self.change[when]
            if free < width:
                begin = None
            elif begin is None:
                begin = when
        assert begin is not None, "the job is wider than the machine"
        return begin


def greedy_order(workload: Workload, policy: Policy) -> Order:
    """Return the order of Greedy: largest key of the present situation first, ties in the order of arrival."""
    genes = policy.genes.tolist()
    count = len(policy.groups)

    def order(t: int, waiting: list[Job]) -> list[Job]:
        now = situation(workload, t)
        row = genes[now]
        return sorted(
            waiting,
            key=lambda job: (
                -key(
                    policy.criteria[now],
                    row[job.group],
                    row[count + job.group],
                    row[2 * count],
                    row[2 * count + 1],
                    t - job.arrival,
                    job.estimate,
                    job.width,
                ),
                job.arrival,
                job.row,
            ),
        )

    return order


def key(
    criterion: str, w: float, K: float, a: float, b: float, wait_seconds: int, request: int, processors: int
) -> float:
    """Return the key of a job by a sorting criterion of the papers, computed in this order and in double precision."""
    wait, est, width = float(wait_seconds), float(request), float(processors)
    area = float(request * processors)
    return {
        "f1": w * (K + a * (wait / est) + b * (est / width)),
        "f2": w * (K + a * wait + b * area),
        "f3": w * (K + a * (wait / area)),
        "f4": w * (K + a * wait + b * (est / width)),
    }[criterion]


def situation(workload: Workload, t: int) -> int:
    """Return the last situation that has begun: 0 on weekends, 1 by day, 2 by night."""
    now = -1
    for begin, kind in zip(workload.calendar.begin.tolist(), workload.calendar.kind.tolist(), strict=True):
        if begin <= t:
            now = int(kind)
    return now


def strict(workload: Workload, order: Iterable[int]) -> list[int]:
    """Return the start times of an order in which no job starts before the job before it."""
    jobs = {job.row: job for job in jobs_of(workload)}
    starts: list[Started] = []
    for row in order:
        sooner = max(jobs[row].arrival, starts[-1].start if starts else 0)
        instants = sorted({sooner} | {s.finish for s in starts if s.finish > sooner})
        fitting = (t for t in instants if busy_at(t, starts) + jobs[row].width <= workload.capacity)
        starts.append(Started(jobs[row], next(fitting)))
    return by_row(starts)


def earliest(workload: Workload, order: Iterable[int]) -> list[int]:
    """Return the start times of an order: each job in turn starts at the earliest time at which its whole run fits."""
    jobs = {job.row: job for job in jobs_of(workload)}
    starts: list[Started] = []
    for row in order:
        job = jobs[row]
        # The earliest time is the arrival or the end of another job: one second earlier, the job did not fit.
        for t in sorted({job.arrival} | {s.finish for s in starts if s.finish > job.arrival}):
            # The number of busy processors is highest at t or at a later start.
            instants = [t, *(s.start for s in starts if t < s.start < t + job.run)]
            if all(busy_at(i, starts) + job.width <= workload.capacity for i in instants):
                starts.append(Started(job, t))
                break
    return by_row(starts)


def busy_at(t: int, starts: list[Started]) -> int:
    """Return the number of processors in use in second t."""
    return sum(s.job.width for s in starts if s.start <= t < s.finish)


def by_row(starts: list[Started]) -> list[int]:
    """Return the start times in the order of the workload."""
    return [s.start for s in sorted(starts, key=lambda s: s.job.row)]
