"""Priority: the waiting jobs have an order, a published one or a formula, and a backfilling of their own.

One pass at second t, after the completions and arrivals of t:

1. In the order, while the first waiting job fits, it starts. Without reservations the pass ends at the first job that
   does not fit.
2. Reservations: further along the order, each waiting job that is entitled to one gets the earliest place that the
   expected ends of the running jobs and the earlier places allow. If this is now, it starts; else it keeps the place
   in this pass. The step ends when so many jobs hold a place as there are reservations. With a slack, the first place
   that a job ever gets, plus the slack, is its latest start: from then on its place is not before that, and the job
   starts earlier only when it can at once.
3. Backfilling: the waiting jobs without a place, in the same order or one of their own, start if they fit beside all
   places for as long as they request. A job of a group with a longest request is left out if it requests more, while
   jobs of certain other groups wait. Whether any of these waits is looked at once, where this step begins: one that
   starts in this step leaves others out until the next pass, one that started in steps 1 and 2 does not.

Equal keys come in the order in which jobs became eligible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.arguments import in_bounds, instance, list_argument, mapping, number
from ..core.arrays import Floats, Ints, distinct
from ..core.errors import InputError, first_few, in_quotes, number_of, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.situations import SITUATIONS
from ..core.watching import unknown_starts
from ..kernels.fair_share import Tree, no_tree
from ..kernels.inputs import Backfilling
from ..kernels.lines import Lines
from ..kernels.waiting_tree import FAR
from ..workload.group_lists import column_numbers
from ..workload.group_rules import GroupRule
from ..workload.workload import Workload
from .fair_share import FairShare, shareholders
from .formula import Term, labels, variables
from .formula_analysis import LINE, STATIC, shape_of
from .formula_program import program_of, values_of
from .greedy_order import BACKFILLS
from .learning import outcome_on_engine
from .line_orders import formula_lines
from .outcome import Outcome, Queue, arriving, jobs_of
from .policy_tokens import PolicyReader, written_time
from .published_orders import JobOrder, job_order
from .queue_parts import queue_in_parts
from .undefined_keys import doubtful_terms, undefined_keys
from .unknown_groups import check_groups
from .value_ranges import LONGEST_TIME, SHARES
from .whole_nodes import WholeNodes

ALL = 2**31 - 1  # reservations: all waiting jobs have one
ACCOUNTS = ("user", "account", "group")  # whose usage and share it is
HALF_LIFE = 7 * 86400  # s
UNSAID = "backfill_unsaid"  # in the provenance of a policy whose words have no backfilling
UNSAID_WORDS = 'EASY backfilling, as nothing else is said; "backfill: none" is the strict order'
RESERVATIONS = dict(zip(BACKFILLS, (0, 1, ALL), strict=True))
BACKFILL_WORDS = ("none", "easy", "easy:K", "conservative")  # for messages; "easy:K" is no word that is read
FCFS = "fcfs"
SAME = "same"  # the order of backfilling that is that of the waiting jobs


class Longest(NamedTuple):
    """The longest request with which jobs of some groups are backfilled.

    Attributes
    ----------
    seconds
        The longest request.
    groups
        Names of the groups.
    """

    seconds: int
    groups: tuple[str, ...]

    def _repr_html_(self) -> str:
        return fields_html(self)


@dataclass(frozen=True)
class Backfill:
    """Which jobs may start before jobs that come first in the order.

    Parameters
    ----------
    reservations
        How many of the jobs that cannot start now have a reservation: 0 for no backfilling, 1 for EASY, `ALL` for
        conservative backfilling.
    entitled
        Names of the groups whose waiting jobs get reservations; none for all groups.
    order
        The order in which the other jobs are tried: the name of a published order or a formula, of which the smallest
        value comes first unless it says "largest"; one, or one for each of weekend, day and night. None, or "same":
        that of the policy.
    longest
        Requests above which jobs of some groups are not backfilled while jobs of the groups `named` wait.
    named
        Names of groups, see `longest`.
    slack
        How much later, s, than its first place the reservation of a job may become.

    Raises
    ------
    InputError
        A number is out of bounds, an order breaks a rule, a group has two longest requests, `longest` and `named` are
        not given together, or there is a setting for reservations without any.

    Examples
    --------
    >>> Backfill(8, entitled=("1", "2"), order="saf").name
    'EASY 8 for 1, 2 by SAF'
    """

    reservations: int = 0
    entitled: tuple[str, ...] = ()
    order: str | Sequence[str] = ()
    longest: tuple[Longest, ...] = ()
    named: tuple[str, ...] = ()
    slack: int = 0

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        for name, highest in (("reservations", ALL), ("slack", LONGEST_TIME)):
            object.__setattr__(self, name, in_bounds(name, getattr(self, name), highest))
        for name in ("entitled", "named"):
            object.__setattr__(self, name, checked_group_names(name, getattr(self, name)))
        rows = [list_argument("a row of longest", row) for row in list_argument("longest", self.longest)]
        if any(len(row) != len(Longest._fields) for row in rows):
            raise InputError(f"longest must be rows of seconds and groups, but is {self.longest!r:.60}")
        longest = [(in_bounds("longest", s, LONGEST_TIME), checked_group_names("longest", g)) for s, g in rows]
        object.__setattr__(self, "longest", tuple(Longest(seconds, groups) for seconds, groups in longest))
        order = _texts(self.order, "smallest", "backfill-order", SAME)
        object.__setattr__(self, "order", () if order == (SAME,) else order)
        self._check()

    def _check(self) -> None:
        """Refuse settings that do not go together."""
        limited = checked_group_names("longest", [group for row in self.longest for group in row.groups])
        if bool(limited) != bool(self.named):
            raise InputError(
                "longest and while must be given together: jobs of which groups must not be backfilled with "
                "long requests, while jobs of which groups wait"
            )
        settings = {"for": self.entitled, "backfill-order": self.order, "longest": self.longest, "slack": self.slack}
        idle = [name for name, value in settings.items() if value]
        if self.reservations == 0 and idle:
            raise InputError(f'{idle[0]} must come with backfilling, but backfill is "none"; choose easy, for example')

    @property
    def name(self) -> str:
        """Return what the backfilling is called in names of policies; "" without any."""
        if self.reservations == 0:
            return ""
        words = {1: "EASY", ALL: "CONS"}.get(self.reservations, f"EASY {self.reservations}")
        if self.entitled:
            words += f" for {', '.join(self.entitled)}"
        if self.orders:
            words += f" by {' / '.join(dict.fromkeys(SAME if row is None else row.title for row in self.orders))}"
        if self.longest:
            words += ", limited requests"
        return words + (f", slack {written_time(self.slack)}" if self.slack else "")

    @cached_property
    def orders(self) -> tuple[JobOrder | None, ...]:
        """Return the order in which jobs are tried in each situation; None, or () for all, for that of the policy."""
        texts = _by_situation(self.order)
        return tuple(None if text == SAME else job_order(text, "smallest", "backfill-order") for text in texts)

    def arguments(self, groups: Sequence[str], same: bool) -> Backfilling:
        """Return the backfilling as kernels take it.

        Parameters
        ----------
        groups
            The groups of the workload.
        same
            Whether the order of backfilling is that of the policy.
        """
        longest = {group: row.seconds for row in self.longest for group in row.groups}
        return Backfilling(
            FAR if self.reservations == ALL else self.reservations,
            np.array([not self.entitled or group in self.entitled for group in groups]),
            np.array([longest.get(group, FAR) for group in groups], dtype=np.int64),
            np.array([group in self.named for group in groups]),
            self.slack,
            same,
        )


@dataclass(frozen=True, eq=False)
class Priority:
    """A policy that orders the waiting jobs by a published order or a formula, with a backfilling of its own.

    Parameters
    ----------
    order
        The name of a published order or a formula, of which the largest value comes first unless it says "smallest";
        one, or one for each of weekend, day and night.
    backfill
        Which jobs may start before jobs that come first in the order; or words for it, as in a policy in words, such as
        "easy", "easy:8" or "conservative".
    usage
        Whose usage and share formulas mean: "user", "account" (the group number in the log) or "group".
    half_life
        The time, s, in which usage decays to its half.
    shares
        The share of users, accounts or groups, by number or name; that of all others is 1 / their number in the
        workload.
    fair_share
        Who has which shares, and by which algorithm they make the variable "fairshare" of formulas.
    name
        What the policy is called in tables and figures. Default: its order and its backfilling.
    provenance
        Where the policy comes from: any JSON object, which is saved with it.
    grouping
        The rule that puts jobs into the groups that the policy names; None for the groups of each workload.
    nodes
        The nodes for which reservations are, and the passes in which jobs start, on a machine of so many processors;
        None to count processors and to look at every event.

    Raises
    ------
    InputError
        A formula or a number breaks a rule.

    Examples
    --------
    >>> Priority("sjf").name, Priority("fcfs", Backfill(1, order="saf")).name
    ('SJF', 'FCFS with EASY by SAF')
    >>> Priority("wait", backfill="easy").name
    'wait with EASY'
    """

    rule: ClassVar = "priority"
    asks: ClassVar = True
    replays: ClassVar = False
    knows_run_times: ClassVar = False
    no_order: ClassVar = ""

    order: str | Sequence[str]
    backfill: Backfill = field(default_factory=Backfill)
    usage: str = "user"
    half_life: int = HALF_LIFE
    shares: Mapping[str, float] = field(default_factory=dict)
    fair_share: FairShare = field(default_factory=FairShare)
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    grouping: GroupRule | None = None
    nodes: WholeNodes | None = None

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "order", _texts(self.order, "largest", "order"))
        if not self.order:
            raise InputError("order must be the name of an order or a formula, but there is none")
        if isinstance(self.backfill, str):
            object.__setattr__(self, "backfill", read_backfill(self.backfill))
        instance("backfill", self.backfill, Backfill)
        one_of("usage", self.usage, ACCOUNTS)
        object.__setattr__(self, "half_life", in_bounds("half_life", self.half_life, LONGEST_TIME, lowest=1))
        shares = {str(account): number("share", share) for account, share in mapping("shares", self.shares).items()}
        checked_group_names("shares", shares)
        for account, share in shares.items():
            if not SHARES[0] <= share <= SHARES[1]:
                low, high = SHARES
                raise InputError(f"share must be in {low:g}..{high:g}, but that of {in_quotes(account)} is {share:g}")
        object.__setattr__(self, "shares", shares)
        instance("fair_share", self.fair_share, FairShare)
        if "fairshare" in self.variables and self.variables & {"usage", "share"}:
            raise InputError("an order must not have fairshare and usage or share, but has both")
        self._check_nodes()
        ending = f"{self.backfill.name and f' with {self.backfill.name}'}{' on nodes' if self.nodes else ''}"
        object.__setattr__(self, "name", self.name or f"{_titles(self.orders)}{ending}")

    def _check_nodes(self) -> None:
        """Refuse a backfilling that is not known on nodes."""
        if self.nodes is None:
            return
        instance("nodes", self.nodes, WholeNodes)
        b = self.backfill
        settings = {"for": b.entitled, "backfill-order": b.order, "longest": b.longest, "slack": b.slack}
        given = [name for name, value in settings.items() if value]
        if given:
            raise InputError(f"nodes must go with a plain backfilling, such as easy or conservative, not {given[0]}")

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups that the rule makes; without one (), since a group that is missing is one without jobs."""
        return () if self.grouping is None else self.grouping.groups

    @cached_property
    def orders(self) -> tuple[JobOrder, ...]:
        """Return the order of the waiting jobs in each situation, (3,)."""
        return tuple(job_order(text, "largest", "order") for text in _by_situation(self.order))

    @property
    def candidate_orders(self) -> tuple[JobOrder, ...]:
        """Return the order of backfilling in each situation, (3,)."""
        rows = self.backfill.orders or self.orders
        return tuple(of_queue if row is None else row for row, of_queue in zip(rows, self.orders, strict=True))

    @property
    def tries_others(self) -> bool:
        """Return whether there can be jobs without reservations, for which the order of backfilling matters."""
        return self.backfill.reservations != ALL or bool(self.backfill.entitled)

    @property
    def named_groups(self) -> tuple[str, ...]:
        """Return the groups that the policy names; for it, others are alike."""
        b = self.backfill
        names = [name for row in (*self.orders, *self.candidate_orders) for name in labels(row.formula.term, "group")]
        names += [*b.entitled, *(group for row in b.longest for group in row.groups), *b.named]
        return tuple(dict.fromkeys([*names, *(self.shares if self.usage == "group" else ())]))

    @property
    def reservations(self) -> int:
        """How many waiting jobs have a reservation."""
        return self.backfill.reservations

    @property
    def variables(self) -> frozenset[str]:
        """Return the words of all variables in the orders."""
        return frozenset().union(*(variables(row.formula.term) for row in (*self.orders, *self.candidate_orders)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the different kinds of its orders, see `paretosched.policies.formula_analysis`."""
        keys = [row.formula.key for row in (*self.orders, *self.candidate_orders)]
        return tuple(dict.fromkeys(shape_of(key).kind for key in keys))

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:
        """Return the outcome of a workload, with run times predicted by a method, or as requested.

        Raises
        ------
        InputError
            As for `queue`.
        """
        queue = self.queue(workload)
        unchanging = self.kinds == (STATIC,) and len(self.order) == 1
        if workload.needs_engine or method is not None:
            by_arrival = [row.name for row in self.orders] == [FCFS] * len(SITUATIONS)
            return outcome_on_engine(workload, queue, unchanging, method, passes=self.nodes, is_by_arrival=by_arrival)
        start = unknown_starts(len(workload))
        jobs, capacity, calendar = jobs_of(workload), workload.capacity, workload.calendar
        nodes = None if self.nodes is None else self.nodes.of_machine(capacity)
        if nodes is not None:
            from ..kernels.node_passes import in_node_passes  # on demand: kernels take long to import

            in_node_passes(jobs, capacity, calendar, *queue, nodes, unchanging, start)
            return Outcome(start)
        fixed = self.kinds == (STATIC,) and self.backfill.slack == 0
        lines = None if fixed else self._lines(workload, queue.shares)
        if lines is not None:
            from ..kernels.line_queue import in_order_of_lines  # on demand: kernels take long to import

            in_order_of_lines(jobs, capacity, calendar, *lines, queue.backfilling, start)
            return Outcome(start)
        if fixed:
            from ..kernels.fixed_order import prioritised_once

            prioritised_once(jobs, capacity, calendar, *queue, start)
        else:
            from ..kernels.parted_queue import in_order_of_parts

            orders, candidates = ([row.formula.key for row in rows] for rows in (self.orders, self.candidate_orders))
            in_order_of_parts(jobs, capacity, calendar, *queue_in_parts(workload, queue, orders, candidates), start)
        return Outcome(start)

    def _lines(self, workload: Workload, shares: Floats) -> tuple[Lines, Lines] | None:
        """Return the orders of the queue and of backfilling as lines in the wait; None if they are not known to be."""
        if not set(self.kinds) <= {STATIC, LINE}:
            return None
        order = formula_lines(workload, [row.formula.key for row in self.orders], shares)
        if self.candidate_orders == self.orders:
            tried = order
        else:
            tried = formula_lines(workload, [row.formula.key for row in self.candidate_orders], shares)
        return None if order is None or tried is None else (order, tried)

    def queue(self, workload: Workload) -> Queue:
        """Return how the waiting jobs are ordered and backfilled.

        Raises
        ------
        InputError
            A formula needs accounts or queues of a log, and the workload does not come from one; or as for `doubts`.
        """
        self.doubts(workload)
        return self.queue_of_any(workload)

    def queue_of_any(self, workload: Workload) -> Queue:
        """Return what `queue` does, also if a formula is defined for no job: a few waiting jobs are no log.

        Raises
        ------
        InputError
            A formula needs accounts or queues of a log, and the workload does not come from one.
        """
        accounts, shares, tree = self._accounts(workload)
        return Queue(
            program_of([row.formula.key for row in self.orders], workload),
            program_of([row.formula.key for row in self.candidate_orders], workload),
            self.backfill.arguments(workload.groups, self.candidate_orders == self.orders),
            accounts,
            shares,
            float(self.half_life),
            tree,
        )

    def doubts(self, workload: Workload) -> list[str]:
        """Return sentences on formulas of the policy that are not defined for some jobs of a workload.

        Raises
        ------
        InputError
            A formula is defined for no job; or a word in it is probably no group, see
            `paretosched.policies.unknown_groups`.
        """
        sentences = []
        named = self.named_groups
        for part, orders in (("order", self.orders), ("backfill-order", self.backfill.orders)):
            formulas = dict.fromkeys(row.formula.term for row in orders if row is not None and not row.name)
            check_groups(part, list(formulas), named, workload)
            for term in filter(doubtful_terms, formulas):
                undefined = undefined_keys(part, term, workload, self._accounts(workload)[1])
                if undefined is not None:
                    sentences.append(
                        f"{part}: the formula is not defined for {undefined.jobs:,} of "
                        f"{number_of(len(workload), 'job')} {undefined.when}: {undefined.fault}"
                    )
        return sentences

    def unknown_words(self, workload: Workload, estimates: str = "requested") -> list[str]:
        """Return sentences on users, accounts, queues and nodes that a log has not, and on jobs without an association.

        `estimates` says which run times the policy expects, see `paretosched.simulation.estimates`.
        """
        sentences = self._about_nodes(workload, estimates)
        terms = [row.formula.term for row in (*self.orders, *self.candidate_orders)]
        for word in ("user", "account", "queue", "partition"):
            missing = _missing(word, (label for term in terms for label in labels(term, word)), workload)
            if missing:
                sentences.append(f"{workload.name} has no {word} {missing}; the policy goes on without")
        if self.usage != "group" and "share" in self.variables:
            missing = _missing(self.usage, self.shares, workload)
            if missing:
                sentences.append(f"{workload.name} has no {self.usage} {missing}, for which there is a share")
        if "fairshare" in self.variables and self.fair_share.associations:
            unlisted = shareholders(self.fair_share, workload).unlisted
            if unlisted:
                sentences.append(
                    f"{unlisted:,} of {number_of(len(workload), 'job')} by users without shares; they get one share"
                )
        return sentences

    def _about_nodes(self, workload: Workload, estimates: str) -> list[str]:
        """Return why processors are counted and not nodes, or which jobs request more than the window; or nothing."""
        nodes = self.nodes
        if nodes is None:
            return []
        if workload.machine is not None:
            return []
        if not nodes.kinds:
            return [f"{workload.name} has no machine of nodes: processors are counted, and every event is looked at"]
        if nodes.of_machine(workload.capacity) is None:
            return [
                f"the nodes of the policy have {number_of(nodes.cpus, 'processor')}, and the machine of "
                f"{workload.name} has {workload.capacity:,}: processors are counted, not nodes, unless it is "
                f"--capacity {nodes.cpus}"
            ]
        if workload.down is not None:
            return [f"processors of {workload.name} are down at times: processors are counted, not nodes"]
        if not self.reservations or estimates == "exact":
            return []
        if estimates != "requested":
            return ["run times are predicted: processors are counted, not nodes"]
        longer = int((workload.estimate > nodes.window).sum())
        if not longer:
            return []
        return [
            f"{longer:,} of {number_of(len(workload), 'job')} with requests of more than {written_time(nodes.window)}, "
            "how far ahead reservations are: who must wait for their ends has none until then, and others may "
            "come before"
        ]

    def _accounts(self, workload: Workload) -> tuple[Ints, Floats, Tree]:
        """Return the account of each job, (n,) int64, from 0 on, and its share, (n,) float64, and the associations.

        There are no accounts, (0,), if no formula depends on usage, and no associations if none depends on fair shares.
        """
        if "fairshare" in self.variables:
            who = shareholders(self.fair_share, workload)
            return who.node, np.zeros(len(workload)), who.tree
        if not self.variables & {"usage", "share"}:
            return np.empty(0, dtype=np.int64), np.zeros(len(workload)), no_tree()
        if self.usage == "group":
            names, accounts = list(workload.groups), workload.group
        else:
            column = column_numbers(workload, self.usage)
            numbers, accounts = distinct(column)
            names = [str(value) for value in numbers.tolist()]
        shares = np.array([self.shares.get(name, 1 / len(names)) for name in names])
        counted = accounts if "usage" in self.variables else accounts[:0]
        return np.array(counted, dtype=np.int64), shares[accounts], no_tree()


def read_backfill(text: str) -> Backfill:
    """Return the backfilling that words stand for.

    Raises
    ------
    InputError
        There is more than a backfilling, or none; the message says at which character and word.

    Examples
    --------
    >>> read_backfill("easy:8 for vip").name
    'EASY 8 for vip'
    """
    reader = PolicyReader(text, "backfill")
    backfill = next_backfill(reader)
    if reader.now.kind != "end":
        reader.refuse(
            "there must be the end; what else a policy has stands in its words, "
            'such as "sjf; backfill: easy; slack: 3h"'
        )
    return backfill


def next_backfill(reader: PolicyReader) -> Backfill:
    """Return the backfilling that comes now, as it stands behind "backfill:"; the tokens behind it are left."""
    word = reader.one_of("backfill", BACKFILL_WORDS)
    reservations = RESERVATIONS[word]
    if word == "easy" and reader.take(":"):
        reservations = reader.whole_number(1, ALL - 1)
    return Backfill(reservations, reader.names() if reader.take("for") else ())


def _texts(order: str | Sequence[str], direction: str, part: str, same: str = "") -> tuple[str, ...]:
    """Return an order in its shortest words: none, one, or one for each situation; the word `same` is an order, too."""
    texts = list_argument(part, [order] if isinstance(order, str) else order)
    if len(texts) not in (0, 1, len(SITUATIONS)):
        raise InputError(f"{part} must be one, or one for each of {', '.join(SITUATIONS)}, but there are {len(texts)}")
    texts = [instance(part, text, str) for text in texts]
    words = [
        same if same and text.strip().lower() == same else job_order(text, direction, part).words(direction)
        for text in texts
    ]
    return tuple(words[:1] if len(set(words)) == 1 else words)


def _by_situation(texts: Sequence[str]) -> Sequence[str]:
    """Return the words of an order for each situation, from one text or from one for each; none from none."""
    return texts if len(texts) != 1 else [texts[0]] * len(SITUATIONS)


def _missing(word: str, names: Iterable[str], workload: Workload) -> str:
    """Return the first users, accounts, queues or partitions of these names without a job in a log; "" if all have."""
    names = dict.fromkeys(names)
    there = set(np.unique(column_numbers(workload, word)).tolist()) if names else set()
    numbers = [values_of(Term(word, labels=(name,)), workload) for name in names]
    missing = [name for name, own in zip(names, numbers, strict=True) if there.isdisjoint(own)]
    return first_few(missing, len(missing)) if missing else ""


def _titles(orders: Sequence[JobOrder]) -> str:
    """Return what an order is called: its title, or its titles by situation."""
    return " / ".join(dict.fromkeys(row.title for row in orders))


def checked_group_names(what: str, names: Any) -> tuple[str, ...]:
    """Return names of groups that must differ, and can be written in quotes."""
    result = tuple(str(name) for name in list_argument(what, names))
    for name in result:
        if not name or '"' in name or not name.isprintable():
            raise InputError(f"{what}: a group must have a name that can be printed, without quotes, not {name!r:.60}")
    if len(set(result)) != len(result):
        raise InputError(f"{what} must have different groups, but has {', '.join(result)}")
    return result
