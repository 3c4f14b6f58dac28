"""Orders as byte code and as Python functions, and the start times that kernels make of them."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.core.arrays import Floats, Ints
from paretosched.core.situations import Calendar
from paretosched.kernels.account_keys import NEVER, Keys
from paretosched.kernels.fair_share import Tree, no_tree, tree_of
from paretosched.kernels.formulas import Program, postfix
from paretosched.kernels.inputs import Backfilling, Jobs
from paretosched.kernels.parted_queue import in_order_of_parts
from paretosched.kernels.waiting_tree import FAR
from paretosched.policies.fair_share import ALGORITHMS
from paretosched.policies.outcome import jobs_of
from support.naive import Job
from support.naive_fair_share import SharesOf, part_of_shares
from support.naive_priority import Backfill, Key, Moment, Rule


class Order(NamedTuple):
    """A key as a Python function, and the byte code that computes the same bits: a text for each situation."""

    key: Key
    words: tuple[str, str, str]


def same_always(words: str, key: Key) -> Order:
    return Order(key, (words, words, words))


def _by_situation(job: Job, now: Moment) -> float:
    return (float(job.width), -float(job.estimate), float(now.t - job.arrival) / float(job.width))[now.situation]


ORDERS = {
    "fcfs": same_always("0", lambda job, now: 0.0),
    "sjf": same_always("estimate -x", lambda job, now: -float(job.estimate)),
    "widest": same_always("width", lambda job, now: float(job.width)),
    "saf": same_always("area -x", lambda job, now: -float(job.estimate * job.width)),
    "lxf": same_always("wait estimate /", lambda job, now: float(now.t - job.arrival) / float(job.estimate)),
    "turning": same_always(
        "wait estimate - abs", lambda job, now: abs(float(now.t - job.arrival) - float(job.estimate))
    ),
    "situations": Order(_by_situation, ("width", "estimate -x", "wait width /")),
    "fair share": same_always("usage", lambda job, now: now.usage),
    "fair share and age": same_always(
        "wait 50 min 50 / usage +", lambda job, now: min(float(now.t - job.arrival), 50.0) / 50.0 + now.usage
    ),
    "least used": same_always("usage -x", lambda job, now: -now.usage),
    "least used of its share": same_always(
        "wait usage share / -", lambda job, now: float(now.t - job.arrival) - now.usage / now.share
    ),
}
# What keys depend on but for the wait, where the job that waits longer never has the smaller key.
DEPENDS = {
    "fcfs": (),
    "sjf": ("estimate",),
    "widest": ("width",),
    "saf": ("estimate", "width"),
    "lxf": ("estimate",),
    "situations": ("estimate", "width"),
    "fair share": ("account",),
    "fair share and age": ("account",),
    "least used": ("account",),
    "least used of its share": ("account",),
}
RESERVATIONS = (0, 1, 2, 3, 8, None)
ANY = tuple(sorted(ORDERS))
STATIC = ("fcfs", "sjf", "widest", "saf")


_NO_COLUMNS = np.empty((0, 0))


class Rank(NamedTuple):
    """A policy with an order and a backfilling, from which the oracle's rule and the kernel's arguments are made."""

    order: str
    candidates: str | None = None
    backfill: Backfill = Backfill()
    accounts: Sequence[int] = ()
    shares: Sequence[float] = ()
    half_life: float = 100.0
    shares_of: SharesOf | None = None

    def rule(self) -> Rule:
        """Return what the oracle takes."""
        key = ORDERS[self.order].key
        candidates = None if self.candidates is None else ORDERS[self.candidates].key
        return Rule(
            key, self.backfill, candidates, self.accounts or None, self.shares or None, self.half_life, self.shares_of
        )

    def queue(self, workload: Workload) -> tuple[object, ...]:
        """Return what kernels take: orders, backfilling, accounts, shares and half-life."""
        order = postfix(ORDERS[self.order].words, _NO_COLUMNS)
        candidates = order if self.candidates is None else postfix(ORDERS[self.candidates].words, _NO_COLUMNS)
        backfilling = backfilling_of(self.backfill, len(workload.groups), self.candidates is None)
        shares = np.array(self.shares or [1.0] * len(workload))
        return (
            order,
            candidates,
            backfilling,
            np.array(self.accounts, dtype=np.int64),
            shares,
            self.half_life,
            tree(self.shares_of),
        )

    def parts(self, workload: Workload) -> Ints:
        """Return the parts of the queue: as few as the order allows."""
        entitled = self.backfill.entitled
        known = {"estimate": workload.estimate.tolist(), "width": workload.width.tolist(), "account": self.accounts}
        known |= {"entitled": [entitled is None or g in entitled for g in workload.group.tolist()]}
        known |= {"row": range(len(workload))}
        alike = zip(*(known[name] for name in ("entitled", *DEPENDS.get(self.order, ("row",)))), strict=True)
        number: dict[tuple[object, ...], int] = {}
        return np.array([number.setdefault(row, len(number)) for row in alike], dtype=np.int64)


def tree(of: SharesOf | None) -> Tree:
    """Return associations as kernels take them."""
    if of is None:
        return no_tree()
    return tree_of(
        ALGORITHMS[of.algorithm],
        of.damping,
        of.period,
        of.first,
        np.array(of.above),
        np.array([part_of_shares(of, node) for node in range(len(of.above))]),
        np.array(of.users),
        np.array([shares is None for shares in of.shares]),
    )


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


def in_parts(
    jobs: Jobs,
    capacity: int,
    calendar: Calendar,
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
    start: Ints,
    parts: Ints | None = None,
) -> None:
    """Fill `start` by the kernel of parts; without parts, each job is one of its own."""
    count = int(accounts.max(initial=-1)) + 1
    usage = postfix(["usage"] * 3, _NO_COLUMNS)
    keys = [Keys(program, usage, np.zeros(count), np.full(count, NEVER)) for program in (order, candidates)]
    own = np.arange(jobs.submit.size) if parts is None else parts
    order_of_parts = (
        keys[0],
        keys[0] if order is candidates else keys[1],
        backfilling,
        accounts,
        shares,
        half_life,
        tree,
    )
    in_order_of_parts(jobs, capacity, calendar, *order_of_parts, own.astype(np.int32), start)


def starts(workload: Workload, rank: Rank, kernel: Callable[..., None] = in_parts) -> list[int]:
    """Return the start times of a kernel."""
    start = np.full(len(workload), -7, dtype=np.int64)
    kernel(jobs_of(workload), workload.capacity, workload.calendar, *rank.queue(workload), start)
    return start.tolist()  # type: ignore[no-any-return]


@st.composite
def ranks(draw: st.DrawFn, w: Workload, orders: Sequence[str] = ANY, slacks: Sequence[int] = (0, 0, 1, 5, 20)) -> Rank:
    """Return an order, an order of candidates and a backfilling for a workload."""
    groups = st.integers(0, len(w.groups) - 1)
    backfill = Backfill(
        draw(st.sampled_from(RESERVATIONS)),
        draw(st.none() | st.frozensets(groups)),
        draw(st.dictionaries(groups, st.integers(1, 20))),
        draw(st.frozensets(groups)),
        draw(st.sampled_from(slacks)),
    )
    accounts = draw(st.lists(st.integers(0, 2), min_size=len(w), max_size=len(w)))
    shares = [0.5 + account for account in accounts]
    names = st.sampled_from(orders)
    return Rank(draw(names), draw(st.none() | names), backfill, accounts, shares, draw(st.sampled_from((1.0, 100.0))))


def rank_of(seed: int, w: Workload, reservations: int | None, orders: Sequence[str] = ANY, slack: bool = True) -> Rank:
    """Return a random order and backfilling for a workload, with times that suit it."""
    rng = np.random.default_rng(seed)
    groups = range(len(w.groups))
    middle = int(np.median(w.estimate))
    backfill = Backfill(
        reservations,
        frozenset(g for g in groups if rng.random() < 0.6) if seed % 2 else None,
        {g: int(middle * 2 * rng.random()) + 1 for g in groups if rng.random() < 0.5},
        frozenset(g for g in groups if rng.random() < 0.4),
        middle * (seed % 3) if slack else 0,
    )
    order, candidates = rng.choice(orders, 2).tolist()
    accounts = rng.integers(0, 4, len(w)).tolist()
    return Rank(order, candidates if seed % 5 else None, backfill, accounts, [1.0] * len(w), 50.0 * middle)
