"""What a guarded order must do, line by line; see `support.oracle`. Reviews simulate EASY from the first job on."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from paretosched import Guarded, Workload
from support import naive, oracle
from support.naive import Job, Started
from support.naive_machine import Busy
from support.naive_machine import Job as OnNodes
from support.naive_rhythms import ideal
from support.naive_values import naive_of
from support.oracle import View

NEVER = 10**12  # s: when jobs come of which it is not known yet


class Terms(NamedTuple):
    """Which groups come first, the limits, the time between reviews, that of ageing, and what a class is worth."""

    classes: list[int]  # by group, 1 for the first
    overall: float
    each: float
    review: int
    ageing: int
    step: float


Easy = Callable[[list[Job]], Mapping[int, int]]  # jobs to their starts under EASY, by row


def terms_of(workload: Workload, policy: Guarded) -> Terms:
    """Return what a policy means for the groups of a workload."""
    last = len(policy.first) + 1
    classes = [policy.first.index(name) + 1 if name in policy.first else last for name in workload.groups]
    return Terms(classes, policy.overall, policy.each, policy.review, policy.ageing, policy.step)


def start_times(workload: Workload, terms: Terms, how: str | None = None) -> list[int]:
    """Return the start times of all jobs; `how` says how run times are predicted, but in the books."""
    start: dict[int, int] = {}
    easy = easy_on(workload.capacity, oracle.down_jobs(workload))
    sort = sorting(naive.jobs_of(workload), terms, start, easy)

    def choose(view: View) -> list[Job]:
        now = oracle.one_pass(view, sort(view.t, view.waiting), oracle.ONE)
        start.update({job.row: view.t for job in now})
        return now

    return oracle.simulate(workload, choose, how)[0]


def easy_on(capacity: int, down: Sequence[Started] = ()) -> Easy:
    """Return EASY on some processors, with down times as jobs that run then."""

    def starts(jobs: list[Job]) -> Mapping[int, int]:
        found = oracle.simulate_jobs(
            jobs, capacity, lambda view: oracle.one_pass(view, view.waiting, oracle.ONE), list(down)
        )
        return dict(zip(sorted(job.row for job in jobs), found[0], strict=True))

    return starts


def runs_on_nodes(workload: Workload, terms: Terms) -> dict[int, Busy]:
    """Return what each job of a workload on a machine of nodes gets, by row."""
    machine, on_nodes = naive_of(workload)
    waits = [bool(job.after) for job in on_nodes]
    jobs = [job._replace(arrival=NEVER) if waits[job.row] else job for job in naive.jobs_of(workload)]
    start: dict[int, int] = {}

    def easy(expected: list[Job]) -> Mapping[int, int]:  # jobs come when they really came
        found = ideal(
            machine, [on_nodes[job.row]._replace(run=job.run, arrival=job.arrival, after=()) for job in expected]
        )
        return {row: run.begin for row, run in found.items()}

    sort = sorting(jobs, terms, start, easy)
    before: tuple[int, set[int]] = 0, set()  # the event before, and who waited then

    def order(t: int, waiting: list[OnNodes], running: list[Busy]) -> list[OnNodes]:
        nonlocal before
        rows = {job.row for job in waiting}
        start.update(dict.fromkeys(before[1] - rows, before[0]))
        before = t, rows
        for job in waiting:
            jobs[job.row] = jobs[job.row]._replace(arrival=job.arrival)
        there = {job.row: job for job in waiting}
        return [there[job.row] for job in sort(t, [jobs[job.row] for job in waiting])]

    return ideal(machine, on_nodes, order)


def sorting(
    jobs: list[Job], terms: Terms, start: Mapping[int, int], easy: Easy
) -> Callable[[int, Sequence[Job]], list[Job]]:
    """Return a function that sorts the waiting jobs in second t, after the reviews until then.

    `start` has the starts of all jobs that have begun.
    """
    first = jobs[0].arrival
    classes = list(terms.classes)
    reviews = 0

    def sort(t: int, waiting: Sequence[Job]) -> list[Job]:
        nonlocal classes, reviews
        due = (t - first) // terms.review
        if due > reviews:
            reviews = due
            classes = classes_at(first + due * terms.review, jobs, start, easy, terms)

        def key(job: Job) -> float:
            age = (job.arrival - first) / terms.ageing
            return math.log2(job.estimate * job.width) - age - terms.step * classes[job.group]

        return sorted(waiting, key=key, reverse=True)  # equal keys keep their order

    return sort


def classes_at(t: int, jobs: list[Job], start: Mapping[int, int], easy: Easy, terms: Terms) -> list[int]:
    """Return the classes of the groups after a review before the events of second t."""
    arrived = [job for job in jobs if job.arrival < t]
    ended = [job for job in arrived if job.row in start and start[job.row] + job.run < t]
    expected = [job._replace(run=expected_run(t, job, ended, start)) for job in arrived]
    beside = easy(expected)
    groups = range(len(terms.classes))
    real_sums, easy_sums = ([0.0] * (len(groups) + 1) for _ in range(2))
    for job in expected:
        for sums, starts in ((real_sums, start), (easy_sums, beside)):
            begin = min(starts.get(job.row, t), t)
            for place in (job.group, -1):
                sums[place] += float(job.run) * job.width * (begin - job.arrival + job.run)
    over = easy_sums[-1] > 0 and real_sums[-1] >= easy_sums[-1] * (terms.overall * (1.0 - 0.02))
    limit = terms.each if over else terms.each * (1.0 - 0.05)
    behind = [easy_sums[g] > 0 and real_sums[g] > easy_sums[g] * limit for g in groups]
    return [0 if behind[g] else 1 if over else terms.classes[g] for g in groups]


def expected_run(t: int, job: Job, ended: list[Job], start: Mapping[int, int]) -> int:
    """Return the run time with which a job counts before second t."""
    if job in ended:
        return job.run
    of_group = [other for other in ended if other.group == job.group]
    used, requested = 0.0, 0.0
    for other in of_group:
        used += other.run * other.width
        requested += other.estimate * other.width
    run = max(1, int((used / requested if of_group else 0.5) * job.estimate))
    return max(run, min(job.estimate, t - start[job.row])) if job.row in start else run
