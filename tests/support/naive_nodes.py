"""What a policy on whole nodes must do, line by line: the passes of Slurm's schedulers; see `support.naive`."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import NamedTuple

from paretosched import Workload
from support import naive
from support.naive import Job, in_rows
from support.naive_fair_share import Factors
from support.naive_priority import Moment, Rule, Usage


class Terms(NamedTuple):
    """The processors of each node, and how often and how far passes look."""

    cpus: Sequence[int]
    every: int = 1
    window: int = 10**9
    step: int = 1
    tested: int = 10**9
    first: int = 10**9


class Busy(NamedTuple):
    """A job that runs, and how many processors of which nodes it has."""

    job: Job
    start: int
    held: dict[int, int]


class Place(NamedTuple):
    """A reservation: nodes that no other job may use in some seconds, `end` not included."""

    begin: int
    end: int
    nodes: set[int]


def start_times(workload: Workload, rule: Rule, terms: Terms) -> list[int]:
    """Return the start times of all jobs."""
    jobs = naive.jobs_of(workload)
    sort = sorting(workload, rule)
    start: dict[int, int] = {}
    waiting: list[Job] = []
    running: list[Busy] = []
    t = -1
    while len(start) < len(jobs):
        coming = [job.arrival for job in jobs if job.arrival > t] + [busy.start + busy.job.run for busy in running]
        ticks = [(t // terms.every + 1) * terms.every] if waiting else []
        event = min(coming, default=None)
        t = min(coming + ticks)
        ended = [busy for busy in running if busy.start + busy.job.run <= t]
        running = [busy for busy in running if busy not in ended]
        waiting += [job for job in jobs if job.arrival == t]
        queue = sort(t, waiting, [busy.job for busy in ended])
        begun = main_pass(t, queue, running, terms) if t == event else []
        if t % terms.every == 0 and rule.backfill.reservations != 0:
            queue = [job for job in queue if job not in [busy.job for busy in begun]]
            begun += backfill_pass(t, queue, running, rule.backfill.reservations, terms)
        for busy in begun:
            start[busy.job.row] = t
            waiting.remove(busy.job)
        sort(t, [], [], [busy.job for busy in begun])
    return in_rows(start)


def sorting(workload: Workload, rule: Rule) -> Callable[..., list[Job]]:
    """Return a function that sorts waiting jobs, told of the jobs that have ended and begun, in the order of time."""
    usage = Usage(rule.half_life) if rule.shares_of is None else Factors(rule.shares_of, rule.half_life)

    def sort(t: int, waiting: list[Job], ended: Sequence[Job] = (), begun: Sequence[Job] = ()) -> list[Job]:
        for jobs, sign in ((ended, -1), (begun, 1)):
            for job in sorted(jobs) if rule.accounts is not None else ():
                usage.change(rule.accounts[job.row], t, sign * job.width)
        situation = naive.situation(workload, t)

        def place(job: Job) -> tuple[float, int, int]:
            consumption = usage.at(rule.accounts[job.row], t) if rule.accounts is not None else 0.0
            share = rule.shares[job.row] if rule.shares is not None else 1.0
            return -rule.key(job, Moment(t, situation, consumption, share)), job.arrival, job.row

        return sorted(waiting, key=place)

    return sort


def main_pass(t: int, queue: list[Job], running: list[Busy], terms: Terms) -> list[Busy]:
    """Start the first jobs of the queue while they fit; `running` gets them, too."""
    begun = []
    for job in queue[: terms.first]:
        free = free_at(t, running, terms)
        if sum(free) < job.width:
            break
        begun.append(Busy(job, t, nodes_for(free, job.width)))
        running.append(begun[-1])
    return begun


def backfill_pass(t: int, queue: list[Job], running: list[Busy], most: int | None, terms: Terms) -> list[Busy]:
    """Start jobs beside reservations, of which there are at most `most`, None for any; `running` gets them, too."""
    begun = []
    places: list[Place] = []
    for job in queue[: terms.tested]:
        moments = [t]
        if most is None or len(places) < most:
            later = [busy.start + busy.job.estimate for busy in running] + [place.end for place in places]
            moments += sorted(second for second in later if t < second <= t + terms.window)
        for second in moments:
            taken = [place for place in places if place.begin < second + job.estimate and place.end > second]
            free = [
                0 if any(node in place.nodes for place in taken) else count
                for node, count in enumerate(free_at(second, running, terms))
            ]
            if sum(free) < job.width:
                continue
            held = nodes_for(free, job.width)
            if second == t:
                begun.append(Busy(job, t, held))
                running.append(begun[-1])
            else:
                begin = second // terms.step * terms.step
                end = -(-(second + job.estimate) // terms.step) * terms.step
                places.append(Place(begin, end, set(held)))
            break
    return begun


def free_at(t: int, running: list[Busy], terms: Terms) -> list[int]:
    """Return the free processors of each node in a second, if running jobs end as they are expected to."""
    free = list(terms.cpus)
    for busy in running:
        for node, count in busy.held.items():
            if busy.start + busy.job.estimate > t:
                free[node] -= count
    return free


def nodes_for(free: Sequence[int], width: int) -> dict[int, int]:
    """Return how many processors of which nodes a job gets: as Slurm's select/cons_tres, the best fit of neighbours.

    They are of a row of neighbours, all with free processors: of the row that has the fewest and enough. If none has,
    it is the whole row that has most, and the rest is of other rows in the same way. In the row that has enough it is
    the node with the fewest that has enough, else the nodes from the first one on. Of equals the first one.
    """
    rows = [list(row) for has, row in groupby(range(len(free)), key=lambda node: free[node] > 0) if has]
    held: dict[int, int] = {}
    while (left := width - sum(held.values())) > 0:
        enough = [row for row in rows if sum(free[node] for node in row) >= left]
        if enough:
            row = min(enough, key=lambda row: (sum(free[node] for node in row), row[0]))
            single = [node for node in row if free[node] >= left]
            row = [min(single, key=lambda node: (free[node], node))] if single else row
        else:
            row = min(rows, key=lambda row: (-sum(free[node] for node in row), row[0]))
            rows.remove(row)
        for node in row:
            if left > 0:
                held[node] = min(left, free[node])
                left -= held[node]
    return held
