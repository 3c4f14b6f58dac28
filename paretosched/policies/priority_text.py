"""Priority in words, such as "sjf; backfill: easy:8 for 1,2; backfill-order: saf".

A text has clauses with ";" or line breaks between them:

==========================  ========================================================================================
order: O                    the order of the waiting jobs: the name of a published order or a formula, whose largest
                            value comes first unless it begins with "smallest"; as the first clause O alone will do
order weekend: O            the order at weekends; then order day and order night must come, too
backfill: B                 easy (the default), easy:K for reservations of the first K jobs that cannot start now,
                            conservative for those of all, or none;
                            "for G, H" after it gives reservations to jobs of these groups only
backfill-order: O           the order in which jobs are backfilled, by default that of the waiting jobs, "same"; of a
                            formula the smallest value comes first unless it begins with "largest"; by situation, too
longest: T of G while H     jobs of the groups G that request more than T are not backfilled while a job of the groups
                            H waits; "and T of G" for further groups may stand before "while"
slack: T                    how much later than first placed a reservation may become
usage: A                    whose usage and share a formula means: user (default), account or group
half-life: T                the half-life of usage, by default 7d
shares: N = x, ...          the shares of users, accounts or groups; others have 1 / their number
fair-share: A               how "fairshare" in a formula is computed: tree (default) or classic, Slurm's two algorithms;
                            "every T" after it says how often (default 5min), "damping D" flattens the classic one
accounts: N = x, ...        the shares of accounts for "fairshare"; "N in M = x" for an account in another one
users: N in M = x, ...      the shares of users in accounts, or "parent" in place of x for those of the account
nodes: N of C, ...          on a machine of N nodes of C processors each, reservations are for whole nodes, and jobs
                            start in passes, as on a Slurm site; on another machine processors are counted
passes: every T             the same on a log with a machine of nodes; how often jobs are backfilled, by default 30s.
                            Behind it may stand "window T", how far ahead reservations are (1d), "step T", of which they
                            are multiples (1min), "tested K", how many jobs backfilling looks at (500), "first K", how
                            many else (100); on such a log also "main T", how often these are looked at while nothing
                            happens (1min), "partition K", "user K" and "started K", how many jobs of a partition and
                            of a user are looked at and how many start in one backfilling (0: all), and "priority K",
                            below which nothing is planned (0)
==========================  ========================================================================================

Times have units: 90s, 15min, 4h, 7d. Names with other letters than those of words, digits and hyphens are in quotes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import InputError
from ..core.situations import SITUATIONS
from ..workload.limits import ROOT
from .fair_share import (
    ALGORITHMS,
    INHERITED,
    LONGEST_PERIOD,
    MOST_SHARES,
    Association,
    FairShare,
)
from .policy_tokens import PolicyReader, written_name, written_time
from .priority import (
    ACCOUNTS,
    RESERVATIONS,
    SAME,
    UNSAID,
    Backfill,
    Longest,
    Priority,
    next_backfill,
    read_backfill,
)
from .published_orders import read_order
from .value_ranges import LONGEST_TIME
from .whole_nodes import MOST_CPUS, MOST_JOBS, MOST_NODES, PASS_JOBS, PASS_LIMITS, PASS_TIMES, NodeKind, WholeNodes

ORDER, BACKFILL_ORDER = "order", "backfill-order"
DIRECTION = {ORDER: "largest", BACKFILL_ORDER: "smallest"}  # what a formula puts first if it does not say it
FIRST = "fcfs"  # a plain rule, and an order


def read_priority(text: str) -> Priority:
    """Return the policy that words stand for.

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.

    Examples
    --------
    >>> read_priority("sjf; backfill: easy:8; backfill-order: saf").name
    'SJF with EASY 8 by SAF'
    >>> read_priority("sjf; backfil: easy")
    Traceback (most recent call last):
    paretosched.core.errors.InputError: policy, character 6, "backfil": a part of a policy must be one of order, \
backfill, backfill-order, longest, slack, usage, half-life, shares, fair-share, accounts, users, nodes, passes; \
did you mean backfill?
    """
    return _Clauses(text, "policy").policy()


def with_backfill(policy: Any, backfill: str | None, order: str | None) -> Priority:
    """Return first come first served, or another order, with another backfilling.

    Parameters
    ----------
    policy
        Any policy.
    backfill
        The backfilling as in a text behind "backfill:"; None to keep it.
    order
        Its order as in a text behind "backfill-order:", or "same" for that of the policy; None to keep it.

    Raises
    ------
    InputError
        The policy has no order of its own to be backfilled, the words break a rule, or there is an order of
        backfilling without backfilling.

    Examples
    --------
    >>> with_backfill(Priority("fcfs"), "easy", "sjf").name
    'FCFS with EASY by SJF'
    """
    if policy.rule not in (FIRST, Priority.rule):
        option = BACKFILL_ORDER if backfill is None else "backfill"
        raise InputError(
            f"{option} must go with an order, such as fcfs or sjf, but policy {policy.name} has its own backfilling"
        )
    priority: Priority = Priority(FIRST) if policy.rule == FIRST else policy
    changes: dict[str, Any] = {}
    if backfill is not None:
        words = read_backfill(backfill)
        changes = {"reservations": words.reservations, "entitled": words.entitled}
        priority = replace(priority, provenance={k: v for k, v in priority.provenance.items() if k != UNSAID})
    if order is not None:
        changes["order"] = order
    return replace(priority, backfill=replace(priority.backfill, **changes), name="")


class _Clauses(PolicyReader):
    """Reads a policy: a method for each clause."""

    def __init__(self, text: str, part: str) -> None:
        super().__init__(text, part)
        self.orders: dict[str, dict[str, str]] = {ORDER: {}, BACKFILL_ORDER: {}}  # by situation; "" for all
        self.backfilling: dict[str, Any] = {}
        self.settings: dict[str, Any] = {}
        self.associations: list[Association] = []
        self.fair_sharing: dict[str, Any] = {}
        self.kinds: list[NodeKind] = []
        self.passing: dict[str, int] = {}
        self.clauses: dict[str, Callable[[], None]] = {
            ORDER: lambda: self.order(ORDER),
            "backfill": self.backfill,
            BACKFILL_ORDER: lambda: self.order(BACKFILL_ORDER),
            "longest": self.longest,
            "slack": self.slack,
            "usage": self.usage,
            "half-life": self.half_life,
            "shares": self.shares,
            "fair-share": self.fair_share,
            "accounts": self.accounts,
            "users": self.users,
            "nodes": self.nodes,
            "passes": self.passes,
        }

    def policy(self) -> Priority:
        """Return the policy: clauses, the first of which may be an order without its head."""
        while self.take(";"):
            pass
        if not self.has_head():
            self.part = ORDER
            self.one_order(ORDER, "")
        heads: set[str] = set()
        while self.now.kind != "end":
            if self.take(";"):
                continue
            self.part = "policy"
            token = self.now
            head = self.one_of("a part of a policy", self.clauses)
            if head in heads and head not in self.orders:
                self.refuse_token(token, "must come once, but comes again")
            heads.add(head)
            self.part = head
            self.clauses[head]()
        self.part = "policy"
        order, backfill_order = self.order_words(ORDER), self.order_words(BACKFILL_ORDER)
        if not order:
            self.refuse('there must be an order, such as "order: sjf"')
        if "reservations" not in self.backfilling:  # as machines run; strictly in the order much of one stays idle
            self.backfilling["reservations"] = RESERVATIONS["easy"]
            self.settings["provenance"] = {UNSAID: True}
        fair_share = FairShare(**self.fair_sharing, associations=tuple(self.associations))
        backfill = Backfill(**self.backfilling, order=backfill_order)
        nodes = WholeNodes(tuple(self.kinds), **self.passing) if self.kinds or self.passing else None
        return Priority(order, backfill, **self.settings, fair_share=fair_share, nodes=nodes)

    def has_head(self) -> bool:
        """Return whether the word that comes now is the head of a clause, and not the name of an order."""
        begin = self.place
        is_head = self.now.kind == "word" and self.long_name().text.lower() in self.clauses
        is_head = is_head and self.comes(":", *SITUATIONS)
        self.place = begin
        return is_head

    def order(self, head: str) -> None:
        """Read an order, for one situation or for all."""
        token = self.now
        situation = self.take(*SITUATIONS)
        orders = self.orders[head]
        if situation in orders or (orders and (not situation or "" in orders)):
            self.refuse_token(token, f"{head} must come once, or once for each of {', '.join(SITUATIONS)}")
        self.part = f"{head} {situation}".strip()
        self.need(":")
        self.one_order(head, situation)

    def one_order(self, head: str, situation: str) -> None:
        """Read what an order is by."""
        if head == BACKFILL_ORDER and self.take(SAME):
            self.orders[head][situation] = SAME
        else:
            self.orders[head][situation] = read_order(self, DIRECTION[head]).words(DIRECTION[head])
        self.end("an operator, ")

    def order_words(self, head: str) -> tuple[str, ...]:
        """Return the order that the clauses with a head say: none, one, or one for each situation."""
        orders = self.orders[head]
        missing = [situation for situation in SITUATIONS if situation not in orders]
        if "" not in orders and orders and missing:
            self.refuse(f"there must be {head} {missing[0]}, too, as there is {head} {next(iter(orders))}")
        return tuple(orders[situation] for situation in ("", *SITUATIONS) if situation in orders)

    def backfill(self) -> None:
        """Read how many reservations there are, and for which groups."""
        self.need(":")
        words = next_backfill(self)
        self.backfilling |= {"reservations": words.reservations, "entitled": words.entitled}
        self.end()

    def longest(self) -> None:
        """Read the longest requests of groups, and while which groups wait they hold."""
        self.need(":")
        rows = []
        while True:
            seconds = self.seconds(0, LONGEST_TIME, "of")
            self.need("of")
            rows.append(Longest(seconds, self.names()))
            if not self.take("and"):
                break
        self.need("while")
        self.backfilling |= {"longest": tuple(rows), "named": self.names()}
        self.end()

    def slack(self) -> None:
        """Read a slack."""
        self.need(":")
        self.backfilling["slack"] = self.seconds(0, LONGEST_TIME)
        self.end()

    def usage(self) -> None:
        """Read whose usage it is."""
        self.need(":")
        self.settings["usage"] = self.one_of("usage", ACCOUNTS)
        self.end()

    def half_life(self) -> None:
        """Read a half-life."""
        self.need(":")
        self.settings["half_life"] = self.seconds(1, LONGEST_TIME)
        self.end()

    def shares(self) -> None:
        """Read the shares of users, accounts or groups."""
        self.need(":")
        shares: dict[str, float] = {}
        while True:
            token = self.long_name()
            if token.text in shares:
                self.refuse_token(token, "must have one share, but has another one")
            self.need("=")
            given, shares[token.text] = self.measure()
            if not given.text[-1].isdigit():
                self.refuse_token(given, "a share is a number without a unit of time")
            if not self.take(","):
                break
        self.settings["shares"] = shares
        self.end()

    def fair_share(self) -> None:
        """Read the algorithm of fair share, its period and its damping."""
        self.need(":")
        self.fair_sharing["algorithm"] = self.one_of("fair-share", ALGORITHMS)
        if self.take("every"):
            self.fair_sharing["period"] = self.seconds(1, LONGEST_PERIOD, "damping")
        if self.take("damping"):
            self.fair_sharing["damping"] = self.whole_number(1, MOST_SHARES)
        self.end()

    def accounts(self) -> None:
        """Read the shares of accounts, and in which other accounts they are."""
        self.need(":")
        while True:
            name = self.long_name().text
            within = self.long_name().text if self.take("in") else ROOT
            self.need("=")
            self.associations.append(Association(name, "", within, self.association_shares()))
            if not self.take(","):
                break
        self.end()

    def users(self) -> None:
        """Read the shares of users in accounts."""
        self.need(":")
        while True:
            name = self.long_name().text
            self.need("in")
            account = self.long_name().text
            self.need("=")
            self.associations.append(Association(account, name, ROOT, self.association_shares()))
            if not self.take(","):
                break
        self.end()

    def nodes(self) -> None:
        """Read how many nodes there are, and how many processors they have."""
        self.need(":")
        while True:
            count = self.whole_number(1, MOST_NODES)
            self.need("of")
            self.kinds.append(NodeKind(count, self.whole_number(1, MOST_CPUS)))
            if not self.take(","):
                break
        self.end()

    def passes(self) -> None:
        """Read how often and how far passes look."""
        self.need(":")
        words = (*PASS_TIMES, *PASS_JOBS, *PASS_LIMITS)
        while True:
            token = self.now
            word = self.one_of("passes", words)
            if word in self.passing:
                self.refuse_token(token, "must come once, but comes again")
            if word in PASS_TIMES:
                self.passing[word] = self.seconds(1, LONGEST_TIME, *words)
            else:
                self.passing[word] = self.whole_number(int(word in PASS_JOBS), MOST_JOBS)
            if not self.comes(*words):
                break
        self.end()

    def association_shares(self) -> int | None:
        """Return the shares that come now; None for those of the account."""
        return None if self.take(INHERITED) else self.whole_number(0, MOST_SHARES)

    def end(self, others: str = "") -> None:
        """Refuse words behind a clause that do not belong to it."""
        if self.now.kind != "end" and not self.comes(";"):
            self.refuse(f'there must be {others}";" or the end')


def priority_text(policy: Priority) -> str:
    """Return a policy in words, which `as_policy` reads as the same policy but for its name and provenance.

    Examples
    --------
    >>> priority_text(Priority("smallest estimate", Backfill(8, entitled=("1", "2"), order="saf", slack=900)))
    'order: smallest estimate; backfill: easy:8 for 1,2; backfill-order: saf; slack: 15min'
    """
    b = policy.backfill
    clauses = _order_clauses("order", policy.order)
    words = {reservations: word for word, reservations in RESERVATIONS.items()}
    backfill = words.get(b.reservations, f"easy:{b.reservations}")
    clauses.append(f"backfill: {backfill}{_names_after(' for ', b.entitled)}")
    clauses += _order_clauses("backfill-order", b.order)
    if b.longest:
        rows = " and ".join(f"{written_time(row.seconds)} of {_names_after('', row.groups)}" for row in b.longest)
        clauses.append(f"longest: {rows}{_names_after(' while ', b.named)}")
    if b.slack:
        clauses.append(f"slack: {written_time(b.slack)}")
    if policy.usage != Priority.usage:
        clauses.append(f"usage: {policy.usage}")
    if policy.half_life != Priority.half_life:
        clauses.append(f"half-life: {written_time(policy.half_life)}")
    if policy.shares:
        rows = ", ".join(f"{written_name(name)} = {share!r}" for name, share in policy.shares.items())
        clauses.append(f"shares: {rows}")
    clauses += _fair_share_clauses(policy.fair_share)
    clauses += [] if policy.nodes is None else _node_clauses(policy.nodes)
    return "; ".join(clauses)


def _fair_share_clauses(fair_share: FairShare) -> list[str]:
    """Return the clauses of fair share: the algorithm, accounts and users; none if all is as by default."""
    if fair_share == FairShare():
        return []
    words = f"fair-share: {fair_share.algorithm}"
    if fair_share.period != FairShare.period:
        words += f" every {written_time(fair_share.period)}"
    if fair_share.damping != FairShare.damping:
        words += f" damping {fair_share.damping}"
    accounts, users = [], []
    for row in fair_share.associations:
        account = written_name(row.account)
        shares = INHERITED if row.shares is None else row.shares
        if row.user:
            users.append(f"{written_name(row.user)} in {account} = {shares}")
        else:
            accounts.append(f"{account}{'' if row.within == ROOT else f' in {written_name(row.within)}'} = {shares}")
    lists = {"accounts": accounts, "users": users}
    return [words, *(f"{head}: {', '.join(rows)}" for head, rows in lists.items() if rows)]


def _node_clauses(nodes: WholeNodes) -> list[str]:
    """Return the clauses of nodes and passes; of the passes none if they are as by default."""
    kinds = ", ".join(f"{kind.nodes} of {kind.cpus}" for kind in nodes.kinds)
    passes = (*PASS_TIMES, *PASS_JOBS, *PASS_LIMITS)
    given = [name for name in passes if getattr(nodes, name) != getattr(WholeNodes, name)]
    if not nodes.kinds and not given:
        given = ["every"]
    written = [
        f"{name} {written_time(getattr(nodes, name)) if name in PASS_TIMES else getattr(nodes, name)}" for name in given
    ]
    return [*([f"nodes: {kinds}"] if kinds else []), *([f"passes: {' '.join(written)}"] if written else [])]


def _order_clauses(word: str, order: str | Sequence[str]) -> list[str]:
    """Return the clauses of an order: one, or one for each situation."""
    if len(order) == 1:
        return [f"{word}: {order[0]}"]
    return [f"{word} {situation}: {text}" for situation, text in zip(SITUATIONS, order, strict=False)]


def _names_after(word: str, groups: Sequence[str]) -> str:
    """Return a word and the names of groups; "" without any."""
    return f"{word}{','.join(map(written_name, groups))}" if groups else ""
