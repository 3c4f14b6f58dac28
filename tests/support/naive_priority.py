"""What a policy with an order and a backfilling of its own must do, line by line; see `support.naive`.

A pass is a function of the second, the waiting jobs in the order of arrival, the running jobs and the machine, so that
`support.naive.run` and `support.naive.predicted_with` call it as any other. It remembers latest starts and usage.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import NamedTuple

from paretosched import Workload
from support import naive, naive_down
from support.naive import Job, Pass, Profile, Started
from support.naive_fair_share import Factors, SharesOf

WEEK = 7 * 86400.0
WIDE = 2**62  # more processors than any machine has


class Moment(NamedTuple):
    """What the key of a job may depend on: the second, the situation, the usage of the job's account, its share."""

    t: int
    situation: int
    usage: float
    share: float


Key = Callable[[Job, Moment], float]


class Backfill(NamedTuple):
    """The backfilling: how many reservations (None: all), for which groups (None: all), and its limits."""

    reservations: int | None = 0
    entitled: frozenset[int] | None = None
    longest: Mapping[int, int] = {}  # the longest estimate, s, that a job of a group may be backfilled with
    named: frozenset[int] = frozenset()  # while a job of these groups waits
    slack: int = 0


class Rule(NamedTuple):
    """An order, with the largest key first, and a backfilling, whose candidates may have an order of their own."""

    key: Key
    backfill: Backfill
    candidates: Key | None = None
    accounts: Sequence[int] | None = None  # of each row
    shares: Sequence[float] | None = None  # of each row
    half_life: float = WEEK
    shares_of: SharesOf | None = None  # accounts are associations, whose factors are the usage


def start_times(workload: Workload, rule: Rule) -> list[int]:
    """Return the start times of all jobs."""
    jobs, choose = naive.jobs_of(workload), pass_of(workload, rule)
    if workload.down is not None:
        down = naive_down.down_jobs(workload)
        return naive_down.run(jobs, workload.capacity, down, naive_down.in_turn, choose)
    return naive.run(jobs, workload.capacity, lambda t, waiting: waiting, choose)


def predicted_times(workload: Workload, rule: Rule, how: str) -> tuple[list[int], list[int], list[int]]:
    """Return start times, predictions and corrections, as `naive.predicted` does."""
    return naive.predicted_with(workload, how, lambda t, waiting: waiting, pass_of(workload, rule))


def pass_of(workload: Workload, rule: Rule) -> Pass:
    """Return the scheduling pass of a rule; each simulation needs a new one."""
    latest: dict[int, int] = {}  # the latest start of a row, if there is slack
    usage = Usage(rule.half_life) if rule.shares_of is None else Factors(rule.shares_of, rule.half_life)
    heads = naive.heads if workload.down is None else naive_down.heads
    last_running: dict[int, Job] = {}  # the running jobs at the end of the last pass

    def in_order(key: Key, t: int, waiting: list[Job]) -> list[Job]:
        now = naive.situation(workload, t)

        def place(job: Job) -> tuple[float, int, int]:
            consumption = usage.at(rule.accounts[job.row], t) if rule.accounts is not None else 0.0
            share = rule.shares[job.row] if rule.shares is not None else 1.0
            return -key(job, Moment(t, now, consumption, share)), job.arrival, job.row

        return sorted(waiting, key=place)

    def choose(t: int, waiting: list[Job], running: list[Started], capacity: int) -> list[Job]:
        still = {s.job.row for s in running}
        for row in [row for row in last_running if row not in still]:
            job = last_running.pop(row)
            if rule.accounts is not None:
                usage.change(rule.accounts[row], t, -job.width)
        queue = in_order(rule.key, t, waiting)
        candidates = queue if rule.candidates is None else in_order(rule.candidates, t, waiting)
        now = starting_jobs(t, queue, candidates, rule.backfill, latest, running, capacity, heads)
        for job in now:
            last_running[job.row] = job
            if rule.accounts is not None:
                usage.change(rule.accounts[job.row], t, job.width)
        return now

    return choose


def starting_jobs(
    t: int,
    queue: list[Job],
    candidates: list[Job],
    backfill: Backfill,
    latest: dict[int, int],
    running: list[Started],
    capacity: int,
    heads: Pass,
) -> list[Job]:
    """Return the jobs that start in one pass; write down the latest starts of jobs that get their first place."""
    # Step 1: the first jobs of the order start while they fit.
    now = heads(t, queue, running, capacity)
    if backfill.reservations == 0:
        return now

    # Step 2: reservations, along the order.
    profile = Profile(t, capacity, running + [Started(job, t) for job in now])
    holders: list[Job] = []
    for job in [job for job in queue if job not in now]:
        if len(holders) == backfill.reservations:
            break
        if backfill.entitled is not None and job.group not in backfill.entitled:
            continue
        begin = place_of(profile, job, t, latest.get(job.row, t))
        occupy(profile, job, begin)
        if begin == t:
            now.append(job)
            continue
        holders.append(job)
        if backfill.slack > 0:
            latest.setdefault(job.row, begin + backfill.slack)

    # Step 3: the others, in the order of candidates, beside all places.
    others = [job for job in candidates if job not in now]
    named_wait = any(job.group in backfill.named for job in others)
    for job in [job for job in others if job not in holders]:
        if named_wait and job.estimate > backfill.longest.get(job.group, job.estimate):
            continue
        if profile.earliest(job.width, job.estimate) == t:
            occupy(profile, job, t)
            now.append(job)
    return now


def place_of(profile: Profile, job: Job, t: int, latest: int) -> int:
    """Return the present second if the job can start; else its earliest place that is not before its latest start."""
    begin = profile.earliest(job.width, job.estimate)
    if begin == t or latest <= t:
        return begin
    change = copy(profile.change)  # as if the job could not run before its latest start
    profile.change[t] -= WIDE
    profile.change[latest] += WIDE
    begin = profile.earliest(job.width, job.estimate)
    profile.change = change
    return begin


def occupy(profile: Profile, job: Job, begin: int) -> None:
    """Reserve a place."""
    profile.change[begin] -= job.width
    profile.change[begin + job.estimate] += job.width


class Usage:
    """Processor seconds of accounts, which decay with a half-life; they change when a job starts or ends."""

    def __init__(self, half_life: float) -> None:
        self.half_life = half_life
        self.past: dict[int, tuple[float, int, int]] = {}  # processor seconds, processors since then, second

    def at(self, account: int, t: int) -> float:
        """Return the usage in second t."""
        consumption, rate, since = self.past.get(account, (0.0, 0, t))
        decay = math.exp2(-(t - since) / self.half_life)
        return consumption * decay + rate * (self.half_life / math.log(2.0)) * (1.0 - decay)

    def change(self, account: int, t: int, width: int) -> None:
        """Note that a job starts (its width) or ends (minus its width)."""
        _, rate, _ = self.past.get(account, (0.0, 0, t))
        self.past[account] = (self.at(account, t), rate + width, t)
