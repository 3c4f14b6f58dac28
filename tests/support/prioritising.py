"""Orders as byte code and as Python functions, and the start times that kernels make of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from paretosched import Workload
from paretosched.kernels.formulas import MOST_DEEP, OPERATIONS, Program
from paretosched.kernels.inputs import Backfilling
from paretosched.kernels.priority import prioritised
from paretosched.kernels.waiting_tree import FAR
from paretosched.policies.outcome import jobs_of
from support.naive import Job
from support.naive_priority import Backfill, Key, Moment, Rule


class Order(NamedTuple):
    """A key as a Python function, and the byte code that computes the same bits: a text for each situation."""

    key: Key
    words: tuple[str, str, str]


def same_always(words: str, key: Key) -> Order:
    return Order(key, (words, words, words))


def _by_situation(job: Job, now: Moment) -> float:
    return (float(job.width), -float(job.estimate), float(now.t - job.submit) / float(job.width))[now.situation]


ORDERS = {
    "fcfs": same_always("0", lambda job, now: 0.0),
    "sjf": same_always("estimate -x", lambda job, now: -float(job.estimate)),
    "widest": same_always("width", lambda job, now: float(job.width)),
    "saf": same_always("area -x", lambda job, now: -float(job.estimate * job.width)),
    "lxf": same_always("wait estimate /", lambda job, now: float(now.t - job.submit) / float(job.estimate)),
    "turning": same_always(
        "wait estimate - abs", lambda job, now: abs(float(now.t - job.submit) - float(job.estimate))
    ),
    "situations": Order(_by_situation, ("width", "estimate -x", "wait width /")),
    "least used": same_always("usage -x", lambda job, now: -now.usage),
    "least used of its share": same_always(
        "wait usage share / -", lambda job, now: float(now.t - job.submit) - now.usage / now.share
    ),
}
STATIC = ("fcfs", "sjf", "widest", "saf")


def program(words: Sequence[str]) -> Program:
    """Return the byte code of three texts in postfix notation."""
    lines: list[tuple[int, int]] = []
    begin = [0]
    constants: list[float] = []
    for text in words:
        for word in text.split():
            if word in OPERATIONS:
                lines.append((OPERATIONS.index(word), 0))
            else:
                lines.append((OPERATIONS.index("number"), len(constants)))
                constants.append(float(word))
        begin.append(len(lines))
    return Program(
        np.array(lines, dtype=np.int64),
        np.array(begin, dtype=np.int64),
        np.array(constants, dtype=np.float64),
        np.empty((0, 0)),
        np.empty(MOST_DEEP),
    )


class Rank(NamedTuple):
    """A policy with an order and a backfilling, from which the oracle's rule and the kernel's arguments are made."""

    order: str
    candidates: str | None = None
    backfill: Backfill = Backfill()
    accounts: Sequence[int] = ()
    shares: Sequence[float] = ()
    half_life: float = 100.0

    def rule(self) -> Rule:
        """Return what the oracle takes."""
        key = ORDERS[self.order].key
        candidates = None if self.candidates is None else ORDERS[self.candidates].key
        return Rule(key, self.backfill, candidates, self.accounts or None, self.shares or None, self.half_life)

    def queue(self, workload: Workload) -> tuple[object, ...]:
        """Return what kernels take: orders, backfilling, accounts, shares and half-life."""
        order = program(ORDERS[self.order].words)
        candidates = order if self.candidates is None else program(ORDERS[self.candidates].words)
        backfilling = backfilling_of(self.backfill, len(workload.groups), self.candidates is None)
        shares = np.array(self.shares or [1.0] * len(workload))
        return order, candidates, backfilling, np.array(self.accounts, dtype=np.int64), shares, self.half_life


def backfilling_of(backfill: Backfill, groups: int, same: bool) -> Backfilling:
    """Return a backfilling as kernels take it."""
    return Backfilling(
        FAR if backfill.reservations is None else backfill.reservations,
        np.array([backfill.entitled is None or g in backfill.entitled for g in range(groups)]),
        np.array([backfill.longest.get(g, FAR) for g in range(groups)], dtype=np.int64),
        np.array([g in backfill.named for g in range(groups)]),
        backfill.slack,
        same,
    )


def starts(workload: Workload, rank: Rank, kernel: Callable[..., None] = prioritised) -> list[int]:
    """Return the start times of a kernel."""
    start = np.full(len(workload), -7, dtype=np.int64)
    kernel(jobs_of(workload), workload.capacity, workload.calendar, *rank.queue(workload), start)
    return start.tolist()  # type: ignore[no-any-return]
