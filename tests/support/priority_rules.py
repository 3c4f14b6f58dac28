"""What the oracle of orders is told of a policy."""

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
    candidates = key_by(policy.candidate_orders) if b.order else None
    assert (policy.nodes, policy.usage == "account", policy.fair_share.associations) == (None, False, ())  # not told
    of_jobs = [max(-1, user) for user in w.user.tolist()]
    users = sorted(set(of_jobs))
    names = [*w.groups] if policy.usage == "group" else [str(user) for user in users]
    accounts = w.group.tolist() if policy.usage == "group" else [users.index(user) for user in of_jobs]
    shares = [policy.shares.get(names[account], 1 / len(names)) for account in accounts]
    shares_of = None
    if "fairshare" in policy.variables:  # of equal users
        accounts = [1 + users.index(user) for user in of_jobs]
        equal = (-1, *[0] * len(users)), (0, *[1] * len(users)), (False, *[True] * len(users))
        fair = policy.fair_share
        first = int(w.submit[0]) // fair.period * fair.period  # factors are computed again at multiples of the period
        shares_of = SharesOf(*equal, fair.algorithm, fair.period, first, float(fair.damping))
    return Rule(key_by(policy.orders), backfill, candidates, accounts, shares, float(policy.half_life), shares_of)
