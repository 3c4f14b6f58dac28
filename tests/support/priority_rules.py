"""What the oracle of orders is told of a policy."""

from __future__ import annotations

from collections.abc import Callable

from paretosched import Priority, Workload
from paretosched.policies.priority import ALL
from paretosched.policies.published_orders import JobOrder
from support import naive_priority
from support.formulas import naive_key
from support.naive import Job
from support.naive_fair_share import SharesOf
from support.naive_priority import Moment, Rule


def rule_of(policy: Priority, w: Workload) -> Rule:
    """Return what the oracle is told of a policy."""

    def key_by(orders: tuple[JobOrder, ...]) -> Callable[[Job, Moment], float]:
        return lambda job, now: naive_key(orders[now.situation].formula.key, w, job.row, now.t, now.usage, now.share)

    def places(groups: tuple[str, ...]) -> frozenset[int]:
        return frozenset(w.groups.index(group) for group in groups if group in w.groups)

    b = policy.backfill
    backfill = naive_priority.Backfill(
        None if b.reservations == ALL else b.reservations,
        places(b.entitled) if b.entitled else None,
        {g: row.seconds for row in b.longest for g in places(row.groups)},
        places(b.named),
        b.slack,
    )
    shares = [policy.shares.get(w.groups[g], 1 / len(w.groups)) for g in w.group.tolist()]
    candidates = key_by(policy.candidate_orders) if b.order else None
    accounts = w.group.tolist() if policy.usage == "group" else None
    shares_of = None
    if "fairshare" in policy.variables:  # of equal users
        users = sorted({max(-1, user) for user in w.user.tolist()})
        accounts = [1 + users.index(max(-1, user)) for user in w.user.tolist()]
        equal = (-1, *[0] * len(users)), (0, *[1] * len(users)), (False, *[True] * len(users))
        period = policy.fair_share.period
        first = int(w.submit[0]) // period * period  # factors are computed anew at multiples of the period
        shares_of = SharesOf(*equal, policy.fair_share.algorithm, period, first)
    return Rule(key_by(policy.orders), backfill, candidates, accounts, shares, float(policy.half_life), shares_of)
