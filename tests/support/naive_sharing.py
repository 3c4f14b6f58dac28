"""What SCOJO-PECT and its group optimisation must do, written so simply that a reader can check it.

Pure Python, sets of processors, whole seconds; nothing is stored that can be computed again; permutations are made one
by one and scheduled from the first job on. The conventions, in addition to those of naive.py:

- At one second: completions, arrivals, then the end or the beginning of a slice, then one scheduling pass.
- A slice ends when its time is over or no job of its class is left. The next slice is of the next class with jobs, in
  the order short, medium, long; after the last class a new interval begins. If the next class is the same class, its
  jobs continue; otherwise all jobs stop, nothing runs for the overhead, and then the slice begins. A machine without
  jobs has no slice, and begins one at once when jobs arrive.
- The time of a slice is the rest of the interval, minus an overhead for each later class with jobs, divided by the
  shares of these classes; a short slice lasts as long as the longest short job needs, within its limit, or its share.
- Jobs of a class never share a processor, so that all of them can run in their slice. A job starts on the idle
  processors with the lowest numbers that no started job of its own class has.
"""

import math
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import NamedTuple
from zoneinfo import ZoneInfo

from paretosched import Workload
from paretosched.policies.time_sharing import Grouping, Optimisation, Shares, TimeSharing

SHORT, MEDIUM, LONG = 0, 1, 2


@dataclass(eq=False)
class Job:
    """A job; `expected` is the run time that the scheduler knows or assumes."""

    row: int
    arrival: int
    run: int
    expected: int
    width: int
    kind: int
    progress: int = 0
    nodes: frozenset[int] = frozenset()
    since: int | None = None  # since when it has run without a break
    has_place: bool = False

    @property
    def place(self) -> tuple[int, int]:
        return self.arrival, self.row

    @property
    def rest(self) -> int:
        return self.expected - self.progress


class Planned(NamedTuple):
    job: Job
    start: int

    @property
    def end(self) -> int:
        return self.start + self.job.rest


@dataclass
class Group:
    order: list[Job]
    finisher: Job | None


@dataclass
class Counts:
    groups: list[int] = field(default_factory=lambda: [0, 0])
    jobs: list[int] = field(default_factory=lambda: [0, 0])


@dataclass
class Sharing:
    """A simulation: run it, then read `segments`, `switches`, `counts`."""

    workload: Workload
    sharing: TimeSharing
    segments: list[tuple[int, int, int, tuple[tuple[int, int], ...]]] = field(default_factory=list)
    switches: list[tuple[int, int]] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    delays: int = 0  # planned jobs that backfilling delayed: must stay 0

    def run(self) -> "Sharing":
        w, s = self.workload, self.sharing
        run_times = w.run if s.run_times == "known" else w.estimate
        self.jobs = []
        for row in range(len(w)):
            seconds = int(run_times[row])
            kind = SHORT if seconds < s.medium_from else MEDIUM if seconds < s.long_from else LONG
            self.jobs.append(Job(row, int(w.eligible[row]), int(w.run[row]), seconds, int(w.width[row]), kind))
        self.future = sorted(self.jobs, key=lambda j: j.place)
        self.waiting: list[Job] = []
        self.started: list[Job] = []  # running or preempted
        self.groups: dict[int, Group] = {}
        self.kind: int | None = None  # of the slice
        self.begin = 0  # of the slice, after the switch
        self.end = 0
        self.interval_end = 0
        while self.future or self.waiting or self.started:
            self.event(self.next_event())
        self.segments.sort()
        return self

    # ---- events

    def running(self) -> list[Job]:
        return [j for j in self.started if j.since is not None]

    def next_event(self) -> int:
        times = [j.arrival for j in self.future[:1]]
        times += [j.since + j.run - j.progress for j in self.running()]
        # Slices of the only class there is follow each other, and nothing happens between them.
        there = {j.kind for j in self.waiting + self.started}
        self.alone = self.kind in (MEDIUM, LONG) and self.end > self.begin and there == {self.kind}
        if self.kind is not None and not self.alone:
            times.append(self.end if self.end > self.begin else self.begin)  # it has no end before it begins
        return min(times)

    def event(self, t: int) -> None:
        for job in self.running():
            if job.since + job.run - job.progress == t:
                self.stop(job, t)
                self.started.remove(job)
        arrivals = [j for j in self.future if j.arrival == t]
        self.waiting += arrivals
        self.future = self.future[len(arrivals) :]
        if self.alone and t > self.end:
            while t > self.end:
                self.new_interval(self.end)
                self.begin, self.end = self.end, self.interval_end
        if self.kind is None:
            self.new_interval(t)
            self.enter(self.next_kind(SHORT), t, t)
        elif t < self.begin:
            return
        elif self.end <= self.begin:  # the switch is over
            self.enter(self.kind, t, t)
        elif t >= self.end or not self.present(self.kind):
            if not (self.waiting or self.started):
                self.kind = None
                return
            following = self.next_kind(self.kind + 1)
            if following is None:
                self.new_interval(t)
                following = self.next_kind(SHORT)
            if following == self.kind:
                self.enter(self.kind, t, t)
            else:
                for job in self.running():
                    self.stop(job, t)
                if self.sharing.overhead:
                    self.switches.append((t, t + self.sharing.overhead))
                self.kind, self.begin, self.end = following, t + self.sharing.overhead, 0
                if t < self.begin:
                    return
                self.enter(self.kind, t, t)
        self.schedule(t, arrivals)

    def stop(self, job: Job, t: int) -> None:
        nodes = sorted(job.nodes)
        ranges: list[list[int]] = []
        for node in nodes:
            if ranges and ranges[-1][1] == node - 1:
                ranges[-1][1] = node
            else:
                ranges.append([node, node])
        self.segments.append((job.row, job.since, t, tuple((a, b) for a, b in ranges)))
        job.progress += t - job.since
        job.since = None

    def present(self, kind: int) -> bool:
        return any(j.kind == kind for j in self.waiting + self.started)

    def next_kind(self, first: int) -> int | None:
        return next((kind for kind in range(first, 3) if self.present(kind)), None)

    def new_interval(self, t: int) -> None:
        self.interval_end = t + self.sharing.interval
        hour = datetime.fromtimestamp(self.workload.epoch + t, ZoneInfo(self.workload.zone)).hour
        rows = [row for row in self.sharing.shares if row.hour <= hour]
        self.shares: Shares = rows[-1] if rows else self.sharing.shares[-1]

    def enter(self, kind: int, t: int, begin: int) -> None:
        """Begin a slice, and set its end."""
        s = self.sharing
        later = [x for x in range(kind + 1, 3) if self.present(x)]
        net = self.interval_end - t - s.overhead * len(later)
        if kind == SHORT:
            need = max(self.expected_rest(j, t) for j in self.waiting + self.started if j.kind == SHORT)
            length = max(min(s.short_slice, need), math.floor(net * self.shares.short))
        elif later:
            share = self.shares[1 + kind]
            length = math.floor(net * (share / (share + self.shares[1 + later[0]])))
        else:
            length = net
        self.kind, self.begin, self.end = kind, t, t + max(length, 1)

    def expected_rest(self, job: Job, t: int) -> int:
        """Return how much longer the scheduler expects a job to run."""
        return job.rest - (t - job.since if job.since is not None else 0)

    # ---- a scheduling pass

    def until(self, job: Job, t: int) -> int:
        """Return when a job that runs or starts now leaves its processors, at the latest at the end of the slice.

        Only jobs of the slice's own class may continue after its end.
        """
        end = t + self.expected_rest(job, t)
        return end if job.kind == self.kind else min(end, self.end)

    def schedule(self, t: int, arrivals: list[Job]) -> None:
        kind = self.kind
        for job in sorted(self.started, key=lambda j: j.place):
            if job.kind == kind and job.since is None:
                job.since = t
        if self.sharing.optimisation is not None and kind != SHORT:
            self.renew_group(t)
        reservations: list[tuple[int, int, int]] = []  # begin, end, width
        same_class = [j for j in self.waiting if j.kind == kind and not j.has_place]
        group = self.groups.get(kind)
        fresh: list[Job] = []
        if group is not None:
            promises = self.promises(t, group)
            for job, start in promises:
                if start == t:
                    self.start(job, t)
                else:
                    reservations.append((start, start + job.rest, job.width))
            fresh = [j for j in arrivals if not j.has_place and j.since is None and j in self.waiting]
            if self.sharing.optimisation.dynamic:
                for job in fresh:
                    if job.kind == kind or self.sharing.backfill:
                        self.backfill(job, t, reservations)
                fresh = []
            for job in same_class:
                if job.since is None and job not in fresh:
                    self.backfill(job, t, reservations)
        else:
            while same_class and same_class[0].width <= self.idle():
                self.start(same_class.pop(0), t)
            if same_class:
                head, *rest = same_class
                start = self.earliest(head, t, reservations)
                reservations.append((start, start + head.rest, head.width))
                for job in rest:
                    self.backfill(job, t, reservations)
        if self.sharing.backfill:
            others = [x for x in (SHORT, MEDIUM, LONG) if x != kind]
            for x in others:
                for job in sorted(self.started, key=lambda j: j.place):
                    if job.kind == x and job.since is None:
                        self.backfill(job, t, reservations)
            for x in others:
                if x in self.groups:
                    for job in list(self.groups[x].order):
                        if job in self.waiting:
                            self.backfill(job, t, reservations)
            for x in others:
                for job in [j for j in self.waiting if j.kind == x and not j.has_place and j not in fresh]:
                    self.backfill(job, t, reservations)
        if group is not None:
            starts = {j.row: start for j, start in promises}
            for job, start in self.promises(t, group):
                self.delays += start > starts[job.row]

    def idle(self) -> int:
        return self.workload.capacity - sum(j.width for j in self.running())

    def start(self, job: Job, t: int) -> None:
        self.waiting.remove(job)
        busy_nodes = {node for j in self.started if j.since is not None or j.kind == job.kind for node in j.nodes}
        free = (node for node in range(self.workload.capacity) if node not in busy_nodes)
        job.nodes = frozenset(node for node, _ in zip(free, range(job.width), strict=False))
        assert len(job.nodes) == job.width
        job.since = t
        self.started.append(job)

    def backfill(self, job: Job, t: int, reservations: list[tuple[int, int, int]]) -> None:
        """Start or resume a job now, if that delays no job that runs or has a reservation."""
        busy = {node for j in self.running() for node in j.nodes}
        if job in self.started:
            if busy & job.nodes:
                return
        else:
            own_nodes = {node for j in self.started if j.kind == job.kind for node in j.nodes}
            if self.workload.capacity - len(busy | own_nodes) < job.width:
                return
        if not self.fits(job.width, t, self.until(job, t), t, reservations):
            return
        if job in self.started:
            job.since = t
        else:
            self.start(job, t)

    def room(self, second: int, t: int, reservations: list[tuple[int, int, int]]) -> int:
        busy = sum(j.width for j in self.running() if self.until(j, t) > second)
        return self.workload.capacity - busy - sum(m for a, b, m in reservations if a <= second < b)

    def fits(self, width: int, a: int, b: int, t: int, reservations: list[tuple[int, int, int]]) -> bool:
        """Return whether `width` processors are free from a to b; fewer become free only where a reservation begins."""
        return all(self.room(x, t, reservations) >= width for x in [a, *(r[0] for r in reservations if a < r[0] < b)])

    def earliest(self, job: Job, t: int, reservations: list[tuple[int, int, int]]) -> int:
        times = {t} | {self.until(j, t) for j in self.running()} | {b for _, b, _ in reservations}
        return next(x for x in sorted(times) if self.fits(job.width, x, x + job.rest, t, reservations))

    # ---- groups

    def promises(self, t: int, group: Group) -> list[Planned]:
        """Plan the jobs of a group that wait in their order, each as early as it fits (plan backfilling)."""
        reservations: list[tuple[int, int, int]] = []
        plans = []
        for job in group.order:
            if job in self.waiting:
                start = self.earliest(job, t, reservations)
                reservations.append((start, start + job.rest, job.width))
                plans.append(Planned(job, start))
        return plans

    def renew_group(self, t: int) -> None:
        settings = self.sharing.optimisation
        kind = self.kind
        group = self.groups.get(kind)
        if group is not None:
            is_over = group.finisher is None or group.finisher not in self.started + self.waiting
            if is_over or not any(job in self.waiting for job in group.order):
                for job in group.order:
                    job.has_place = False
                del self.groups[kind]
        if kind in self.groups:
            return
        waiting = [j for j in self.waiting if j.kind == kind]
        rule: Grouping = settings.medium if kind == MEDIUM else settings.long
        if settings.method == "bottom-line":
            if not waiting:
                return
        else:
            machine = self.workload.capacity
            if len(waiting) < rule.least:
                return
            if not sum(j.width for j in waiting) > rule.machines * machine:
                return
            if not sum(j.width * j.expected for j in waiting) > rule.work * rule.mean_run * machine:
                return
        first = waiting[: rule.most]
        search = Search(self, t, settings, rule)
        order = search.order(first)
        for job in order:
            job.has_place = True
        group = Group(order, None)
        self.groups[kind] = group
        self.counts.groups[kind - 1] += 1
        self.counts.jobs[kind - 1] += len(order)
        if settings.method == "groups":
            group.finisher = self.finisher(t, group, settings, rule)

    def finisher(self, t: int, group: Group, settings: Optimisation, rule: Grouping) -> Job:
        """Return the job with which the group finishes (Figure 8)."""
        runs = [Planned(job, t) for job in self.running()]
        ends = {job.row: self.until(job, t) for job in self.running()}
        plan = self.promises(t, group)
        ends |= {p.job.row: p.end for p in plan}
        most, best, jobs_behind = -math.inf, None, 0
        in_plan = {p.job.row for p in plan}
        for job in (p.job for p in sorted(runs + plan, key=lambda p: (ends[p.job.row], p.job.place))):
            end = ends[job.row]
            jobs_behind += job.row in in_plan
            work = sum(p.job.width * max(min(ends[p.job.row], end) - p.start, 0) for p in runs + plan)
            use = float(work) / float(self.workload.capacity * (end - t))
            if jobs_behind >= rule.least and job.kind == self.kind:
                if best is None or use > most * (1 - settings.delta):
                    most, best = use, job
                elif use > settings.least_use:
                    best = job
        assert best is not None
        return best


class State(NamedTuple):
    """A virtual machine: its time, and the processors that become free later."""

    time: int
    free: int
    releases: tuple[tuple[int, int], ...]

    def put(self, job: Job) -> "State":
        """Return the state after a job is scheduled behind all jobs before it; the job starts at the new time."""
        time, free, releases = self.time, self.free, sorted(self.releases)
        while free < job.width:
            time = max(time, releases[0][0])
            free += sum(m for end, m in releases if end <= time)
            releases = [r for r in releases if r[0] > time]
        return State(time, free - job.width, (*releases, (time + job.expected, job.width)))


class Candidate(NamedTuple):
    total: int
    order: tuple[Job, ...]


class Search:
    """Find an order for a group at time t (Figure 11)."""

    def __init__(self, sharing: Sharing, t: int, optimisation: Optimisation, rule: Grouping) -> None:
        self.t, self.optimisation, self.rule = t, optimisation, rule
        self.capacity = sharing.workload.capacity
        self.share = sharing.shares[1 + sharing.kind]
        releases = tuple((sharing.until(j, t), j.width) for j in sharing.running())
        self.now = State(t, self.capacity - sum(m for _, m in releases), releases)

    def response(self, job: Job, start: int) -> float:
        return float(self.t - job.arrival) + float(start + job.expected - self.t) / self.share

    def slowdown(self, job: Job, start: int) -> float:
        return max(self.response(job, start) / float(max(job.expected, self.optimisation.bound)), 1.0)

    def metric(self, job: Job, start: int) -> int:
        slow = self.slowdown(job, start)
        return math.ceil(slow) if self.optimisation.ceiling else math.floor(slow * 1e6)

    def order(self, jobs: list[Job]) -> list[Job]:
        settings, rule = self.optimisation, self.rule
        if settings.method == "bottom-line":
            order, _ = self.heuristic(jobs, [])
            return self.search(self.now, order, settings.search, settings.permutations, settings.threshold, 0.0, 1)
        wide = [j for j in jobs if j.width >= rule.wide * self.capacity and j.expected >= rule.wide_run]
        first: list[Job] = []
        if len(wide) >= settings.long_wide_least:
            wide.sort(key=lambda j: (-self.slowdown(j, self.now.put(j).time), *j.place))
            wide = wide[: settings.long_wide_most]
            first = self.search(self.now, wide, "discrepancy", math.factorial(len(wide)), 0, 0.0, settings.candidates)
        order, _ = self.heuristic([j for j in jobs if j not in first], first)
        if not settings.second_level:
            return order
        half = (len(order) + 1) // 2 if len(order) == rule.most else len(order)
        state, whole_order = self.now, []
        for part in (order[:half], order[half:]):
            if part:
                best = self.search(
                    state,
                    part,
                    settings.search,
                    settings.permutations,
                    settings.threshold,
                    settings.force_shift,
                    settings.candidates,
                )
                for job in best:
                    state = state.put(job)
                whole_order += best
        return whole_order

    def heuristic(self, jobs: list[Job], first: list[Job]) -> tuple[list[Job], State]:
        """Return an order, largest slowdown first, in which `first` keep their order; and the state after it."""
        state, order = self.now, []
        jobs, first = list(jobs), list(first)
        while jobs or first:
            choices = jobs + first[:1]
            best = min(choices, key=lambda j: (-self.slowdown(j, state.put(j).time), *j.place))
            (jobs if best in jobs else first).remove(best)
            order.append(best)
            state = state.put(best)
        return order, state

    def starts(self, state: State, order: tuple[Job, ...]) -> list[int]:
        times = []
        for job in order:
            state = state.put(job)
            times.append(state.time)
        return times

    def total(self, state: State, order: tuple[Job, ...]) -> int:
        return sum(self.metric(j, s) for j, s in zip(order, self.starts(state, order), strict=True))

    def search(
        self, state: State, jobs: list[Job], way: str, limit: int, threshold: int, shift: float, candidates: int
    ) -> list[Job]:
        best: list[Candidate] = []

        def offer(order: tuple[Job, ...]) -> bool:
            total = self.total(state, order)
            if (len(best) == candidates and total >= best[-1].total) or any(c.order == order for c in best):
                return False
            best.append(Candidate(total, order))
            best.sort(key=lambda c: c.total)  # stable: of equal candidates, the earlier one comes first
            del best[candidates:]
            return True

        for number, digits in enumerate(lehmer(len(jobs), way, limit)):
            if number and sum(d > 0 for d in digits) < threshold:
                continue
            rest = list(jobs)
            order = tuple(rest.pop(d) for d in digits)
            if offer(order) and shift > 0:
                other = self.shift_jobs(state, order, shift)
                if other != order:
                    offer(other)
        return list(self.choose(state, best).order)

    def shift_jobs(self, state: State, order: tuple[Job, ...], shift: float) -> tuple[Job, ...]:
        """Return an order in which jobs of at most `shift` holes move into the hole before a waiting job."""
        rest, movers, new_order = list(order), [], []
        while rest:
            end = state.put(rest[0]).time
            hole = end - state.time
            free = state.free + sum(m for e, m in state.releases if e <= state.time)
            if hole > 0:
                for job in rest[1:]:
                    if job not in movers and job.width <= free and float(job.expected) <= shift * float(hole):
                        rest.remove(job)
                        rest.insert(0, job)
                        movers.append(job)
                        break
            job = rest.pop(0)
            state = state.put(job)
            new_order.append(job)
        return tuple(new_order)

    def choose(self, state: State, best: list[Candidate]) -> Candidate:
        def measures(candidate: Candidate) -> tuple[float, float, float]:
            starts = self.starts(state, candidate.order)
            jobs = list(zip(candidate.order, starts, strict=True))
            makespan = float(max(s + j.expected for j, s in jobs) - self.t)
            use = float(sum(j.expected * j.width for j in candidate.order)) / (float(self.capacity) * makespan)
            response = 0.0
            for j, s in jobs:
                response += self.response(j, s)
            return makespan, use, response / float(len(jobs))

        current = best[-1]
        for other in best[-2::-1]:
            a, b = measures(other), measures(current)
            if (
                a[0] < self.optimisation.makespan * b[0]
                and a[1] > self.optimisation.utilisation * b[1]
                and a[2] < self.optimisation.response * b[2]
            ):
                current = other
        return current


def lehmer(n: int, way: str, limit: int) -> list[tuple[int, ...]]:
    """Return Lehmer digits of the first permutations of n jobs in an order of search; digit i is in 0..n - 1 - i."""
    permutations: list[tuple[int, ...]] = []
    if way == "discrepancy":
        digits = [0] * n
        while len(permutations) < limit:
            permutations.append(tuple(digits))
            place = n - 1
            while place >= 0 and digits[place] == n - 1 - place:
                digits[place] = 0
                place -= 1
            if place < 0:
                break
            digits[place] += 1
        return permutations
    if way == "lds":
        for count in range(n):
            permutations += [d for d in all_digits(n) if sum(x > 0 for x in d) == count]
    else:
        for depth in range(n):
            permutations += [d for d in all_digits(n) if max((i + 1 for i, x in enumerate(d) if x), default=0) == depth]
    return permutations[:limit]


def all_digits(n: int) -> list[tuple[int, ...]]:
    """Return the Lehmer digits of all permutations in lexicographic order."""
    assert n <= 7, "too slow for more than 7 jobs"
    return list(product(*(range(n - i) for i in range(n))))
