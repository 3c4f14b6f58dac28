"""What the engine must do, written so that reading suffices: one loop, one pass, nothing kept incrementally.

Seconds are whole. All events of one second are taken together: completions, then corrections of predictions, then
arrivals in the order of the log, then one pass. A scheduler sees of a job what it expects, and the request; a
processor that becomes free in a second can be used in it. Down times are known beforehand.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import NamedTuple

from paretosched import Policy, Workload
from support import naive
from support.naive import Job, Started, busy_at, in_rows, jobs_of


class Backfill(NamedTuple):
    """The backfilling: how many reservations (None: all), for which groups (None: all), and its limits."""

    reservations: int | None = 0
    entitled: frozenset[int] | None = None
    longest: Mapping[int, int] = {}  # the longest estimate, s, that a job of a group may be backfilled with
    named: frozenset[int] = frozenset()  # while a job of these groups waits
    slack: int = 0


NOBODY, ONE, ALL = Backfill(0), Backfill(1), Backfill(None)
EVERYBODY = Backfill(1, entitled=frozenset())  # List: all pass all, beside a reservation that nobody has


class View(NamedTuple):
    """What a scheduler sees in second t; the estimate of a job is what is expected now.

    `waiting` is in the order of arrival; `ended` are the jobs that have ended in this second, `corrected` those that
    run on beyond their expected end, and `requests` what users asked for, by row.
    """

    t: int
    waiting: list[Job]
    running: list[Started]
    ended: list[Started]
    corrected: list[Started]
    requests: Mapping[int, int]
    capacity: int
    down: list[Started]

    def plan(self, now: Iterable[Job] = ()) -> "Plan":
        """Return what is free from now on if these jobs start, too."""
        running = [*self.running, *(Started(job, self.t) for job in now)]
        asked = [s._replace(job=s.job._replace(estimate=self.requests[s.job.row])) for s in running]
        down = [s for s in self.down if s.finish > self.t]
        free = (Free(self.t, self.capacity, runs + down) for runs in (running, asked, []))
        return Plan(self.t, *free, self.requests)


class Free:
    """The number of free processors from `now` on: its change at each time."""

    def __init__(self, now: int, capacity: int, runs: Iterable[Started]) -> None:
        self.change: defaultdict[int, int] = defaultdict(int, {now: capacity})
        for s in runs:
            self.take(s.job.width, max(s.start, now), s.expected_end)

    def take(self, width: int, begin: int, end: int) -> None:
        """Take processors in the seconds from `begin` to before `end`."""
        self.change[begin] -= width
        self.change[end] += width

    def earliest(self, width: int, duration: int, after: int) -> int:
        """Return the first second, `after` or later, from which so many are free for so long."""
        begin, free = None, 0
        for when in sorted({*self.change, after}):
            if begin is not None and when >= begin + duration:
                return begin
            free += self.change.get(when, 0)
            if free < width:
                begin = None
            elif begin is None and when >= after:
                begin = when
        assert begin is not None, "the job is wider than the machine"
        return begin


class Plan(NamedTuple):
    """What is free from second t on as expected, beside reservations; by requests, without them; and what is up.

    No job may run into a down time, however long it runs: where it starts, its whole request must be free by requests,
    and where it is planned, its whole request must be beside the down times.
    """

    t: int
    expected: Free
    sure: Free
    up: Free
    requests: Mapping[int, int]

    def earliest(self, job: Job, after: int) -> int:
        """Return the first second, `after` or later, in which a job can start."""
        request = self.requests[job.row]
        while True:
            begin = self.expected.earliest(job.width, job.estimate, after)
            after = self.up.earliest(job.width, request, begin)
            if begin == after == self.t and self.sure.earliest(job.width, request, self.t) > self.t:
                after = self.t + 1
            if after == begin:
                return begin

    def reserve(self, job: Job, begin: int) -> None:
        """Reserve a place for a job."""
        self.expected.take(job.width, begin, begin + job.estimate)

    def start(self, job: Job, t: int) -> None:
        """Take the processors of a job that starts now."""
        self.reserve(job, t)
        self.sure.take(job.width, t, t + self.requests[job.row])


Scheduler = Callable[[View], list[Job]]


def simulate(
    workload: Workload, choose: Scheduler, how: str | None = None, places: dict[int, int] | None = None
) -> tuple[list[int], list[int], list[int]]:
    """Return start times, predictions at arrival and numbers of corrections.

    `how` says how run times are predicted, None for requests. If there are `places`, by row, the begin of one is an
    event.
    """
    return simulate_jobs(
        jobs_of(workload), workload.capacity, choose, down_jobs(workload), how, workload.user.tolist(), places
    )


def simulate_jobs(
    jobs: list[Job],
    capacity: int,
    choose: Scheduler,
    down: list[Started],
    how: str | None = None,
    users: list[int] | None = None,
    places: dict[int, int] | None = None,
) -> tuple[list[int], list[int], list[int]]:
    """Return what `simulate` does for some jobs; `users` are by row, and matter for predictions."""
    requests = {job.row: job.estimate for job in jobs}
    history: list[Job] = []  # in the order in which it is learnt, with the requests
    start: dict[int, int] = {}
    first: dict[int, int] = {}
    corrections = {job.row: 0 for job in jobs}
    waiting: list[Job] = []
    running: list[Started] = []
    t = -1
    while len(start) < len(jobs) or any(s.expected_end < s.finish for s in running):
        late = [s.expected_end for s in running if s.expected_end < s.finish]
        changes = [second for s in down for second in (s.start, s.finish) if second > t]
        due = [] if places is None else list(places.values())
        t = min([j.arrival for j in jobs if j.arrival > t] + [s.finish for s in running] + late + changes + due)
        ended = sorted((s for s in running if s.finish == t), key=lambda s: (s.job.arrival, s.job.row))
        running = [s for s in running if s.finish > t]
        corrected = [s for s in running if s.expected_end == t]
        running = [with_longer_prediction(s, requests, corrections) if s in corrected else s for s in running]
        over = {s.job.row for s in ended}
        history += [job for job in jobs if job.row in over]
        for job in jobs:
            if job.arrival == t:
                first[job.row] = job.estimate
                if how is not None and users is not None:
                    own = [e for e in history if users[e.row] == users[job.row] >= 0]
                    first[job.row] = min(job.estimate, prediction(how, own, job.estimate))
                waiting.append(job._replace(estimate=first[job.row]))
        for job in choose(View(t, list(waiting), running, ended, corrected, requests, capacity, down)):
            start[job.row] = t
            running.append(Started(job, t))
            waiting.remove(job)
    return in_rows(start), in_rows(first), in_rows(corrections)


def one_pass(
    view: View,
    queue: list[Job],
    backfill: Backfill,
    others: list[Job] | None = None,
    latest: dict[int, int] | None = None,
) -> list[Job]:
    """Return the jobs that start in a pass over a queue, see `paretosched.policies.priority`.

    `others` is the order of backfilling, by default that of the queue. `latest` keeps the latest starts of rows.
    """
    t, plan, latest = view.t, view.plan(), {} if latest is None else latest
    now: list[Job] = []

    def begin_now(job: Job) -> None:
        plan.start(job, t)
        now.append(job)

    # Step 1: the first jobs of the order start while they can.
    for job in queue:
        if plan.earliest(job, t) > t:
            break
        begin_now(job)
    if backfill.reservations == 0:
        return now

    # Step 2: reservations, along the order.
    holders: list[Job] = []
    for job in [job for job in queue if job not in now]:
        if len(holders) == backfill.reservations:
            break
        if backfill.entitled is not None and job.group not in backfill.entitled:
            continue
        begin = plan.earliest(job, t)
        if begin == t:
            begin_now(job)
            continue
        if latest.get(job.row, t) > t:
            begin = plan.earliest(job, latest[job.row])
        plan.reserve(job, begin)
        holders.append(job)
        if backfill.slack > 0:
            latest.setdefault(job.row, begin + backfill.slack)

    # Step 3: the others, in their order, beside all places.
    left = [job for job in (queue if others is None else others) if job not in now]
    named_wait = any(job.group in backfill.named for job in left)
    for job in [job for job in left if job not in holders]:
        if named_wait and job.estimate > backfill.longest.get(job.group, job.estimate):
            continue
        if plan.earliest(job, t) == t:
            begin_now(job)
    return now


def promises(places: dict[int, int]) -> Scheduler:
    """Return the scheduler of conservative backfilling, which keeps the begin of each job's place in `places`."""

    def choose(view: View) -> list[Job]:
        t, waiting = view.t, view.waiting
        plan = view.plan()
        if view.corrected:
            places.clear()
        before = [job for job in waiting if job.row in places]
        for job in before:
            plan.reserve(job, places[job.row])
        if view.ended:
            for job in before:
                plan.expected.take(-job.width, places[job.row], places[job.row] + job.estimate)
                places[job.row] = plan.earliest(job, t)
                plan.reserve(job, places[job.row])
        for job in waiting:
            if job.row not in places:
                places[job.row] = plan.earliest(job, t)
                plan.reserve(job, places[job.row])
        now: list[Job] = []
        while due := [job for job in waiting if job not in now and places[job.row] == t]:
            job = due[0]
            if view.plan(now).sure.earliest(job.width, view.requests[job.row], t) == t:
                now.append(job)
                continue
            plan = view.plan(now)  # which cannot be kept: all places again
            for other in [job for job in waiting if job not in now]:
                places[other.row] = plan.earliest(other, t)
                plan.reserve(other, places[other.row])
        for job in now:
            del places[job.row]
        return now

    return choose


def scheduler_of(workload: Workload, policy: Policy, places: dict[int, int]) -> Scheduler:
    """Return the scheduler of a plain rule or of Greedy; conservative backfilling keeps its `places`."""
    if policy.rule == "conservative":
        return promises(places)
    if policy.rule == "greedy":
        order = naive.greedy_order(workload, policy)
        backfill = {"none": NOBODY, "easy": ONE, "conservative": ALL}[policy.backfill]
        return lambda view: one_pass(view, order(view.t, view.waiting), backfill)
    backfill = {"fcfs": NOBODY, "list": EVERYBODY, "easy": ONE, "conservative-replan": ALL}[policy.rule]
    return lambda view: one_pass(view, view.waiting, backfill)


def outcome(workload: Workload, policy: Policy, how: str | None = None) -> tuple[list[int], list[int], list[int]]:
    """Return what `simulate` does under a plain rule or Greedy."""
    places: dict[int, int] = {}
    return simulate(workload, scheduler_of(workload, policy, places), how, places)


def start_times(workload: Workload, policy: Policy) -> list[int]:
    """Return the start times of all jobs under a plain rule or Greedy."""
    return outcome(workload, policy)[0]


def down_jobs(workload: Workload) -> list[Started]:
    """Return the down times of a workload as jobs that run then; their row is -1."""
    if workload.down is None:
        return []
    columns = (workload.down.begin, workload.down.end, workload.down.processors)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Started(Job(-1, a, b - a, b - a, width, -1), a) for a, b, width in rows]


def in_given_order(workload: Workload, order: Iterable[int], strictly: bool) -> list[int]:
    """Return the start times of an order: each job as early as possible beside those before it in the order.

    Strictly: and not before the job before it.
    """
    jobs = {job.row: job for job in jobs_of(workload)}
    taken = down_jobs(workload)
    starts: dict[int, int] = {}
    last = 0
    for row in order:
        job = jobs[row]
        sooner = max(job.arrival, last if strictly else 0)
        for t in sorted({sooner} | {s.finish for s in taken if s.finish > sooner}):
            instants = [t, *(s.start for s in taken if t < s.start < t + job.run)]
            if all(busy_at(i, taken) + job.width <= workload.capacity for i in instants):
                taken.append(Started(job, t))
                starts[row] = last = t
                break
    return in_rows(starts)


STEPS = [60, 300, 900, 1800, 3600, 7200, 18000, 36000, 72000, 180000, 360000]


def with_longer_prediction(late: Started, requests: Mapping[int, int], corrections: dict[int, int]) -> Started:
    """Return a job that still runs at its expected end, with a longer prediction; count the correction."""
    step = STEPS[min(corrections[late.job.row], len(STEPS) - 1)]
    corrections[late.job.row] += 1
    longer = min(requests[late.job.row], late.job.estimate + step)
    return late._replace(job=late.job._replace(estimate=longer))


def prediction(how: str, completions: list[Job], request: int) -> int:
    """Return the predicted run time of a user's next job from those that have ended, in this order; or its request."""
    if how == "recent":
        return sum(job.run for job in completions[-2:]) // 2 if len(completions) > 1 else request
    took = {job.estimate: job.run for job in completions}
    if how == "predicted" and request in took:
        return took[request]
    if len(took) < 2:
        return request
    sizes = sorted(took)
    ranges = [(a, b) for a, b in pairwise(sizes) if a <= request <= b]
    if request > sizes[-1]:
        ranges = [(sizes[-1], sizes[-2])]
    if request < sizes[0]:
        ranges = [(sizes[0], sizes[1])]
    a, b = ranges[-1]  # if two ranges meet at the size, the range of larger sizes
    slope = (took[b] - took[a]) / (b - a)
    guess = abs(slope) * request if how == "printed" else took[a] + slope * (request - a)
    return request if guess >= request else max(1, math.ceil(guess))
