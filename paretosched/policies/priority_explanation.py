"""The words with which orders and their backfilling are explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.errors import number_of
from ..core.situations import SITUATIONS
from ..core.tables import enumeration
from .explanation_words import ARRIVAL, ELIGIBLE, EVENTS, WHEN, grouping_words
from .fair_share import FairShare
from .formula import written_term
from .formula_analysis import KINDS
from .policy_tokens import written_time
from .priority import ALL, UNSAID, UNSAID_WORDS, Priority
from .priority_text import priority_text
from .published_orders import PUBLISHED, JobOrder
from .undefined_keys import doubtful_terms, fault_of
from .whole_nodes import node_words

LONGEST_TEXT = 3000  # letters; a list of many accounts and users says nothing in a sentence
COSTS = {
    "static": "Two waiting jobs never change places, so that nothing is sorted again.",
    "line": "Keys grow with the wait like straight lines, or like a power or logarithm of them: this is proven from "
    "the formula, and only jobs that change places need to be looked at.",
    "parts": "Of two jobs that differ only in when they became eligible, the older one comes first: this is proven "
    f"from the formula, and {EVENTS}, only the first of all jobs that are equal otherwise is compared with others.",
    "general": f"For this formula no shortcut is proven: all waiting jobs are compared again {EVENTS}, so that the "
    "simulation takes longest.",
}

ON_A_POOL = (
    "What follows of slurm.conf is so on a log of one pool of processors; on a log with its nodes (import --machine "
    "slurm.conf) memory, GPUs, partitions and limits count, and simulate says what does not."
)


def priority_words(policy: Priority) -> list[str]:
    """Return sentences: what orders the waiting jobs, what that costs, and how they are backfilled."""
    remarks = slurm_remarks(policy.provenance)
    return [
        *_order_words("", policy.orders),
        ELIGIBLE,
        *_doubt_words(policy),
        *_cost_words(policy),
        *_backfill_words(policy),
        *([f"It has {UNSAID_WORDS}."] if UNSAID in policy.provenance else []),
        *([] if policy.nodes is None else [node_words(policy.nodes, policy.reservations > 0)]),
        *_usage_words(policy),
        *_fair_share_words(policy),
        *grouping_words(policy.grouping),
        *([ON_A_POOL] if remarks else []),
        *(f"Of slurm.conf: {remark}" for remark in remarks),
        _policy_text(policy),
    ]


def _policy_text(policy: Priority) -> str:
    """Return a sentence with the words that are read as this policy, or one on where it is instead."""
    text = priority_text(policy)
    if len(text) <= LONGEST_TEXT:
        return f"The policy in words: {text}"
    return f"In words the policy has {len(text):,} letters; all of it is in its JSON, which explain --json shows."


def _order_words(where: str, orders: Sequence[JobOrder]) -> list[str]:
    """Return sentences on what orders jobs, for each situation if they differ."""
    if len(set(orders)) == 1:
        return [f"{where or 'In the queue '}{_comes_first(orders[0])}, equal ones in {ARRIVAL}."]
    rows = [f"{name} ({WHEN[name]}): {_comes_first(order)}" for name, order in zip(SITUATIONS, orders, strict=True)]
    return [
        f"{where or 'In the queue '}the order depends on the site's clock. {'; '.join(rows)}. Equal jobs come in "
        f"{ARRIVAL}."
    ]


def _comes_first(order: JobOrder) -> str:
    """Return the part of a sentence that says which job an order puts first."""
    name = order.name.split(":")[0]
    term = order.formula.term
    if term.word == "priority":
        if not term.labels:
            return "the jobs of the groups come in the order of the groups of the workload"
        groups = "group" if len(term.labels) == 1 else "groups"
        return f"the jobs of {groups} {', '.join(term.labels)} come first, in this order, and then all others"
    size = "largest" if order.formula.largest else "smallest"
    source = f" ({order.title}, {PUBLISHED[name].source})" if name in PUBLISHED else ""
    return f"the job with the {size} {written_term(term)} comes first{source}"


def _doubt_words(policy: Priority) -> list[str]:
    """Return a sentence for each part of a formula that may not be defined for some job."""
    formulas = dict.fromkeys(row.formula.term for row in (*policy.orders, *policy.candidate_orders) if not row.name)
    parts = dict.fromkeys(part for term in formulas for part in doubtful_terms(term))
    return [
        f"{written_term(part)} may be {fault_of(part)}; simulate says for how many jobs of a workload."
        for part in parts
    ]


def _cost_words(policy: Priority) -> list[str]:
    """Return a sentence on the kind of the orders that is simulated slowest; on nodes there are no shortcuts."""
    if policy.nodes is not None:
        return []
    return [COSTS[max(policy.kinds, key=KINDS.index)]]


def _backfill_words(policy: Priority) -> list[str]:
    """Return sentences on which jobs start before others."""
    b = policy.backfill
    if b.reservations == 0:
        return ["The first job starts as soon as it fits, and no job starts before it (no backfilling)."]
    whose = f" of group{'s' * (len(b.entitled) > 1)} {enumeration(b.entitled)}" if b.entitled else ""
    which = f"waiting job{whose} that cannot start now"
    count = {1: f"the first {which} has a reservation", ALL: f"every {which} has a reservation"}
    which = f"waiting jobs{whose} that cannot start now"
    held = count.get(b.reservations, f"the first {b.reservations} {which} have reservations")
    sentences = [
        f"While the first job does not fit, {held}, as early as the requests of the running jobs and the "
        "reservations of jobs before it allow; other jobs start if they fit now and delay none of these."
    ]
    if policy.tries_others:
        sentences += _order_words("Among these other jobs ", policy.candidate_orders) if b.order else []
    elif b.order:
        sentences.append("Every waiting job has a reservation, so that the order of backfilling changes nothing.")
    for row in b.longest:
        sentences.append(
            f"While a job of group{'s' * (len(b.named) > 1)} {enumeration(b.named)} waits, jobs of "
            f"{enumeration(row.groups)} that request more than {written_time(row.seconds)} are not among them."
        )
    if b.slack:
        sentences.append(
            f"A reservation may become up to {written_time(b.slack)} later than it was first, though not at the moment "
            "at which it is made; this leaves room for more of the other jobs."
        )
    return sentences


def _usage_words(policy: Priority) -> list[str]:
    """Return a sentence on usage, if an order depends on it."""
    if "usage" not in policy.variables:
        return []
    what = {"user": "user", "account": "account (the group number in the log)", "group": "group"}[policy.usage]
    return [
        f"Usage is the processor seconds that the jobs of the {what} have taken up to now; what was taken "
        f"{written_time(policy.half_life)} ago counts half."
    ]


def _fair_share_words(policy: Priority) -> list[str]:
    """Return sentences on fair share, if an order depends on it."""
    if "fairshare" not in policy.variables:
        return []
    f = policy.fair_share
    users = sum(bool(row.user) for row in f.associations)
    accounts = len(f.associations) - users
    many = f"of {number_of(accounts, 'account')} and {number_of(users, 'user')}"
    who = many if f.associations else "that are equal for all users of a log"
    how = {
        "tree": "users are ranked by what they have used of their shares, account by account (Slurm's Fair Tree), and "
        "fairshare is the rank from the end divided by the number of users",
        "classic": "fairshare is 2^(-usage / shares"
        + (f" / {f.damping}" if f.damping != FairShare.damping else "")
        + ") with the usage and shares of the accounts above mixed in (Slurm's classic algorithm)",
    }[f.algorithm]
    return [
        f"With shares {who}, {how}.",
        f"It is computed again every {written_time(f.period)}; what was used {written_time(policy.half_life)} before "
        "counts half.",
    ]


def slurm_remarks(provenance: Mapping[str, Any], on_nodes: bool = False) -> list[str]:
    """Return the remarks on what of a slurm.conf is in the policy that was read from it, and what is not.

    `on_nodes` is whether the log that is simulated has a machine of nodes.
    """
    slurm = provenance.get("slurm")
    remarks = slurm.get("remarks on nodes" if on_nodes else "remarks") if isinstance(slurm, dict) else None
    return [remark for remark in remarks if isinstance(remark, str)] if isinstance(remarks, list) else []
