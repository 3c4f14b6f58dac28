"""Guarded: groups come first while limits relative to EASY are kept; the scheduler watches itself.

The waiting jobs have an order, and the first one that does not fit has a reservation, as under EASY. In the order, the
job with the largest

    log2(estimate * width) + wait / ageing - step * class

comes first: a job that is twice as large counts as if it had waited for `ageing` longer, and a class as `step`
doublings, four by default.
Large requests first is what lowers the AWRT, in which jobs count by their area; the age bounds what that costs others.

While the guard is content, the first group of `first` has class 1, the second class 2, and the groups that are not
named share the class after the last. At a review the scheduler simulates EASY on all jobs that have been submitted, and
compares its AWRT with its own, overall and group by group. It uses what it can know then: run times of jobs that have
ended; of others, their request times what jobs of their group have used of theirs; waits up to the review. Where
processors are down at times, they are so for this EASY, too.

- If the AWRT is not at least 2 % below `overall` times EASY's, all groups have class 1: all room is used up.
- A group whose AWRT is more than `each` times EASY's has class 0, before all others; while there is room overall,
  already from 5 % below that on.

Ageing, step and margins were chosen on the second to fifth tenth of five logs, see `results/online/guarded.csv`.
`train_guarded` chooses limits, ageing and step for a log. No limit is promised: it is what the policy steers by.
`results/online` has how often limits were kept on logs that had no part in choosing the constants, and what was gained,
beside all other policies.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..core.arguments import in_bounds, number
from ..core.errors import InputError, did_you_mean, first_few, in_quotes
from ..core.notebook import fields_html, fields_repr
from ..core.watching import unknown_starts
from ..workload.group_rules import GroupRule
from ..workload.workload import Workload
from .learning import nodes_of, outcome_at_end, predictor_of, reacting_of
from .outcome import Outcome, arriving, down_of, jobs_of
from .plain import Plain
from .policy_tokens import PolicyReader, written_name, written_number, written_time
from .priority import checked_group_names
from .value_ranges import LONGEST_TIME

if TYPE_CHECKING:
    from ..kernels.guarded import Guard

FACTORS = (0.5, 100.0)  # bounds of the multiples of EASY's AWRT
SHORTEST_REVIEW = 60  # s
STEPS = (0.0, 1000.0)  # bounds of the doublings that a class is worth
MARGINS = (0.02, 0.05)  # of `Guard`; chosen with the defaults of step and ageing by `results/online/guarded.csv`
BOUNDS = {"overall": FACTORS, "each": FACTORS, "step": STEPS}
HEAD = "guarded"


@dataclass(frozen=True, eq=False)
class Guarded:
    """A policy under which groups come first while it does not do worse than EASY.

    Parameters
    ----------
    first
        The names of the groups that come first, in this order; at least one.
    overall
        How many times EASY's the AWRT should be at most, in [0.5, 100].
    each
        Likewise of each group.
    review
        Time between reviews, s, at least a minute.
    ageing
        In this time, s, a waiting job gains as much as twice the area.
    step
        So many doublings of the area a class is worth, in [0, 1000].
    name
        What the policy is called in tables and figures. Default: its kind and the groups.
    provenance
        Where the policy comes from: any JSON object, which is saved with it.
    grouping
        The rule that puts jobs into the groups that the policy names; None for the groups of each workload.

    Raises
    ------
    InputError
        A value breaks a rule; the message names it.

    Examples
    --------
    >>> Guarded(("1", "2")).name
    'Guarded 1, 2'
    """

    rule: ClassVar = HEAD
    asks: ClassVar = True
    replays: ClassVar = False
    knows_run_times: ClassVar = False
    reservations: ClassVar = 1
    no_order: ClassVar = ""

    first: tuple[str, ...]
    overall: float = 1.0
    each: float = 1.25
    review: int = 6 * 3600
    ageing: int = 12 * 3600
    step: float = 4.0
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    grouping: GroupRule | None = None

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", checked_group_names("first", self.first))
        if not self.first:
            raise InputError("guarded: there must be a group that comes first, but there is none")
        for key, (low, high) in BOUNDS.items():
            value = number(key, getattr(self, key))
            if not low <= value <= high:
                raise InputError(f"{key} must be in {low:g}..{high:g}, but is {value:g}")
            object.__setattr__(self, key, value)
        for key, least in (("review", SHORTEST_REVIEW), ("ageing", 1)):
            object.__setattr__(self, key, in_bounds(key, getattr(self, key), LONGEST_TIME, lowest=least))
        object.__setattr__(self, "name", self.name or f"Guarded {', '.join(self.first)}")

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the groups that the rule makes; without one (), since a group that is missing is one without jobs."""
        return () if self.grouping is None else self.grouping.groups

    @property
    def named_groups(self) -> tuple[str, ...]:
        """Return the groups that the policy names; for it, others are alike."""
        return self.first

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:
        """Return the outcome of a workload, with run times predicted by a method, or as requested.

        Raises
        ------
        InputError
            The workload has none of the groups that come first.

        Examples
        --------
        >>> w = Workload([0, 1, 2], [5] * 3, [5] * 3, [1] * 3, capacity=1, group=[0, 0, 1], groups=("1", "2"))
        >>> Guarded(("2",)).outcome(w).start.tolist()
        [0, 10, 5]
        """
        if not set(self.first) & set(workload.groups):
            raise InputError(
                f"{self.name}: {workload.name} has the groups {first_few(workload.groups, limit=8)}, but none of those "
                f"that come first: {first_few(self.first, limit=8)}{did_you_mean(self.first[0], workload.groups)}"
            )
        w, jobs, guard, start = workload, jobs_of(workload), self.guard(workload.groups), unknown_starts(len(workload))
        if not w.needs_engine and method is None:
            from ..kernels.guarded import guard_order  # on demand: kernels take long to import

            guard_order(jobs, w.capacity, guard, start)
            return Outcome(start)
        from ..kernels import engine
        from ..kernels.priority import ranking_of

        predictor, easy = predictor_of(w, method), ranking_of(*Plain("easy").queue(w))
        users = reacting_of(w)
        machine = engine.guard(
            jobs, w.capacity, down_of(w), w.calendar, easy, guard, predictor, start, nodes_of(w), users
        )
        return outcome_at_end(w, start, predictor, machine, users)

    def guard(self, groups: Sequence[str]) -> Guard:
        """Return what the kernels know of the policy, for jobs in these groups."""
        from ..kernels.guarded import Guard

        last = len(self.first) + 1
        classes = [self.first.index(g) + 1 if g in self.first else last for g in groups]
        settings = (self.overall, self.each, self.review, self.ageing, self.step)
        return Guard(np.array(classes, dtype=np.int64), *settings, *MARGINS)


def is_guarded(text: str) -> bool:
    """Return whether words are those of a guarded order."""
    return re.match(rf"[\s;]*{HEAD}\b(?!-)", text, re.IGNORECASE) is not None


def read_guarded(text: str) -> Guarded:
    """Return the guarded order that words stand for, such as "guarded: 1, 2; each: 1.25".

    A text has clauses with ";" or line breaks between them:

    =================  =================================================================================
    guarded: G, H      the groups that come first, in this order
    overall: X         how many times EASY's the AWRT should be at most; by default 1
    each: X            likewise of each group; by default 1.25
    review: T          time between reviews; by default 6h
    ageing: T          in this time a waiting job gains as much as twice the area; by default 12h
    step: X            so many doublings of the area it is worth to be a class before another; by default 4
    =================  =================================================================================

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.

    Examples
    --------
    >>> read_guarded("guarded: vip, physics; each: 1.1").each
    1.1
    """
    reader = PolicyReader(text, "policy")
    heads = (HEAD, "overall", "each", "review", "ageing", "step")
    values: dict[str, Any] = {}
    while reader.now.kind != "end":
        if reader.take(";"):
            continue
        reader.part = "policy"
        token = reader.now
        head = reader.one_of("a part of a guarded order", heads)
        if head in values:
            reader.refuse_token(token, "must come once, but comes again")
        reader.part = head
        reader.need(":")
        if head == HEAD:
            values[head] = reader.names()
        elif head in BOUNDS:
            token, values[head] = reader.measure()
            low, high = BOUNDS[head]
            if not low <= values[head] <= high or not token.text[-1].isdigit():
                reader.refuse_token(token, f"must be a number from {low:g} to {high:g} without a unit")
        else:
            values[head] = reader.seconds(SHORTEST_REVIEW if head == "review" else 1, LONGEST_TIME)
        if reader.now.kind != "end" and not reader.comes(";"):
            reader.refuse('there must be ";" or the end')
    if HEAD not in values:
        reader.refuse(f"there must be the groups that come first, such as {in_quotes(f'{HEAD}: 1, 2')}")
    return Guarded(values.pop(HEAD), **values)


def guarded_text(policy: Guarded) -> str:
    """Return a guarded order in words, which `read_guarded` reads as the same but for its name and provenance.

    Examples
    --------
    >>> guarded_text(Guarded(("1", "2")))
    'guarded: 1, 2; overall: 1; each: 1.25; review: 6h; ageing: 12h; step: 4'
    """
    factors = f"overall: {written_number(policy.overall)}; each: {written_number(policy.each)}"
    times = f"review: {written_time(policy.review)}; ageing: {written_time(policy.ageing)}"
    step = f"step: {written_number(policy.step)}"
    return f"{HEAD}: {', '.join(map(written_name, policy.first))}; {factors}; {times}; {step}"
