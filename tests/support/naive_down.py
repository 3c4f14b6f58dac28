"""What every scheduler must do on a machine of which processors are down at times; see `support.naive`.

A down time is like a job that runs from its begin to its end, whatever happens: it is among the running jobs from the
beginning, so that a `Profile` knows it before. Then a job may start now if its earliest slot begins now. Passes are
those of `support.naive`, said so.
"""

from __future__ import annotations

from collections.abc import Iterable

from paretosched import Policy, Workload
from support import naive
from support.naive import Job, Order, Pass, Profile, Started


def down_jobs(workload: Workload) -> list[Started]:
    """Return the down times of a workload as jobs that run then; their row is -1."""
    if workload.down is None:
        return []
    columns = (workload.down.begin, workload.down.end, workload.down.processors)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Started(Job(-1, a, b - a, b - a, width, -1), a) for a, b, width in rows]


def start_times(workload: Workload, policy: Policy) -> list[int]:
    """Return the start times of all jobs under a plain rule or Greedy."""
    jobs, down = naive.jobs_of(workload), down_jobs(workload)
    if policy.rule == "conservative":
        return conservative(jobs, workload.capacity, down)
    if policy.rule == "greedy":
        choose = {"none": heads, "easy": easy, "conservative": naive.replan}[policy.backfill]
        return run(jobs, workload.capacity, down, naive.greedy_order(workload, policy), choose)
    choose = {"fcfs": heads, "list": every_fitting, "easy": easy, "conservative-replan": naive.replan}[policy.rule]
    return run(jobs, workload.capacity, down, in_turn, choose)


def in_turn(t: int, waiting: list[Job]) -> list[Job]:
    """Return the waiting jobs in the order of arrival."""
    return waiting


def changes(down: Iterable[Started]) -> list[int]:
    """Return the seconds in which the size of the machine changes."""
    return [second for s in down for second in (s.start, s.finish)]


def run(jobs: list[Job], capacity: int, down: list[Started], order: Order, choose: Pass) -> list[int]:
    """Return the start times of a rule as `naive.run` does; a change of the machine's size is an event, too."""
    start: dict[int, int] = {}
    waiting: list[Job] = []
    running: list[Started] = []
    t = -1
    while len(start) < len(jobs):
        t = next_event(t, jobs, running, down)
        running = [s for s in running if s.finish > t]
        waiting += [j for j in jobs if j.arrival == t]
        for job in choose(t, order(t, list(waiting)), running + not_over(down, t), capacity):
            start[job.row] = t
            running.append(Started(job, t))
            waiting.remove(job)
    return naive.in_rows(start)


def next_event(t: int, jobs: list[Job], running: list[Started], down: list[Started]) -> int:
    """Return the second after t in which a job arrives or ends, or the size of the machine changes."""
    return min(
        [j.arrival for j in jobs if j.arrival > t]
        + [s.finish for s in running]
        + [second for second in changes(down) if second > t]
    )


def not_over(down: list[Started], t: int) -> list[Started]:
    """Return the down times that end after second t."""
    return [s for s in down if s.finish > t]


def heads(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return the first jobs of the queue, up to the first job that cannot start (FCFS, and Greedy of paper 000)."""
    profile = Profile(t, capacity, running)
    now = []
    for job in queue:
        if profile.insert(job) != t:
            break
        now.append(job)
    return now


def every_fitting(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return every job that can start, in the order of the queue (List)."""
    profile = Profile(t, capacity, running)
    return [job for job in queue if starts(profile, job, t)]


def easy(t: int, queue: list[Job], running: list[Started], capacity: int) -> list[Job]:
    """Return the first jobs that can start, and later jobs that do not delay the first one that cannot (EASY)."""
    now = heads(t, queue, running, capacity)
    profile = Profile(t, capacity, running + [Started(job, t) for job in now])
    rest = [job for job in queue if job not in now]
    if rest:
        profile.insert(rest[0])
    return now + [job for job in rest[1:] if starts(profile, job, t)]


def starts(profile: Profile, job: Job, t: int) -> bool:
    """Return whether a job can start now, and start it then."""
    if profile.earliest(job.width, job.estimate) != t:
        return False
    profile.insert(job)
    return True


def conservative(jobs: list[Job], capacity: int, down: list[Started]) -> list[int]:
    """Return the start times of conservative backfilling, in which reservations are kept, as in `support.naive`."""
    start: dict[int, int] = {}
    places: dict[int, int] = {}
    waiting: list[Job] = []
    running: list[Started] = []
    t = -1
    while len(start) < len(jobs):
        t = min([j.arrival for j in jobs if j.arrival > t] + [s.finish for s in running] + list(places.values()))
        ended = any(s.finish == t for s in running)
        running = [s for s in running if s.finish > t]
        promised = [Started(job, places[job.row]) for job in waiting]
        profile = Profile(t, capacity, running + promised + not_over(down, t))
        if ended:
            for job in waiting:
                profile.remove(job, places[job.row])
                places[job.row] = profile.insert(job)
        for job in jobs:
            if job.arrival == t:
                waiting.append(job)
                places[job.row] = profile.insert(job)
        for job in [job for job in waiting if places[job.row] == t]:
            start[job.row] = places.pop(job.row)
            running.append(Started(job, t))
            waiting.remove(job)
    return naive.in_rows(start)


def in_given_order(workload: Workload, order: Iterable[int], strictly: bool) -> list[int]:
    """Return the start times of an order: each job as early as possible beside those before it in the order.

    Strictly: and not before the job before it.
    """
    jobs = {job.row: job for job in naive.jobs_of(workload)}
    taken = down_jobs(workload)
    starts: dict[int, int] = {}
    last = 0
    for row in order:
        job = jobs[row]
        sooner = max(job.arrival, last if strictly else 0)
        for t in sorted({sooner} | {s.finish for s in taken if s.finish > sooner}):
            instants = [t, *(s.start for s in taken if t < s.start < t + job.run)]
            if all(naive.busy_at(i, taken) + job.width <= workload.capacity for i in instants):
                taken.append(Started(job, t))
                starts[row] = last = t
                break
    return naive.in_rows(starts)
