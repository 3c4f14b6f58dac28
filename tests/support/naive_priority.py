"""Orders of the waiting jobs, whose keys may depend on usage, with the pass of `support.oracle`."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from paretosched import Workload
from support import naive, oracle
from support.naive import Job
from support.naive_fair_share import Factors, SharesOf
from support.oracle import Backfill, Scheduler, View

__all__ = ["Backfill", "Key", "Moment", "Rule", "Usage", "predicted_times", "scheduler_of", "start_times"]

WEEK = 7 * 86400.0


class Moment(NamedTuple):
    """What the key of a job may depend on: the second, the situation, the usage of the job's account, its share."""

    t: int
    situation: int
    usage: float
    share: float


Key = Callable[[Job, Moment], float]


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
    return predicted_times(workload, rule, None)[0]


def predicted_times(workload: Workload, rule: Rule, how: str | None) -> tuple[list[int], list[int], list[int]]:
    """Return start times, predictions and corrections, as `oracle.simulate` does."""
    return oracle.simulate(workload, scheduler_of(workload, rule), how)


def scheduler_of(workload: Workload, rule: Rule) -> Scheduler:
    """Return the scheduler of a rule; each simulation needs a new one."""
    latest: dict[int, int] = {}  # the latest start of a row, if there is slack
    usage = Usage(rule.half_life) if rule.shares_of is None else Factors(rule.shares_of, rule.half_life)

    def in_order(key: Key, t: int, waiting: list[Job]) -> list[Job]:
        now = naive.situation(workload, t)

        def place(job: Job) -> tuple[float, int, int]:
            consumption = usage.at(rule.accounts[job.row], t) if rule.accounts is not None else 0.0
            share = rule.shares[job.row] if rule.shares is not None else 1.0
            return -key(job, Moment(t, now, consumption, share)), job.arrival, job.row

        return sorted(waiting, key=place)

    def choose(view: View) -> list[Job]:
        if rule.accounts is not None:
            for s in view.ended:
                usage.change(rule.accounts[s.job.row], view.t, -s.job.width)
        queue = in_order(rule.key, view.t, view.waiting)
        candidates = queue if rule.candidates is None else in_order(rule.candidates, view.t, view.waiting)
        now = oracle.one_pass(view, queue, rule.backfill, candidates, latest)
        for job in now:
            if rule.accounts is not None:
                usage.change(rule.accounts[job.row], view.t, job.width)
        return now

    return choose


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
