"""Greedy (papers 000 and 002): the waiting jobs are ordered by a key.

In each of the three situations (weekend, day, night) one of four criteria gives the key of a job of group i that has
waited t seconds, has requested p seconds and m processors:

====  =================================
f1    w_i * (K_i + a * t / p + b * p / m)
f2    w_i * (K_i + a * t + b * p * m)
f3    w_i * (K_i + a * t / (p * m))
f4    w_i * (K_i + a * t + b * p / m)
====  =================================

The largest key comes first, ties by when jobs became eligible and then by place in the trace. Bounds: w, a, b in
[0, 1], K in [0, 5] (paper 000, IV-C). `w` and `K` belong to a group and a situation, `a` and `b` to a situation: 36
genes for five groups. `f3` has no use for `b` (the papers' "f2 does not require w_i" is a misprint).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import list_argument
from ..core.arrays import Floats
from ..core.errors import InputError, first_few, number_of, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.situations import SITUATIONS
from ..core.watching import unknown_starts
from ..kernels.formulas import Program, postfix
from ..kernels.inputs import Weights
from ..kernels.waiting_tree import FAR
from ..workload.group_rules import GroupRule, check_grouping
from ..workload.workload import Workload
from .learning import outcome_on_engine
from .outcome import Outcome, Queue, arriving, jobs_of, simple_queue

if TYPE_CHECKING:
    from ..workload.from_paths import GroupsLike

CRITERIA = ("f1", "f2", "f3", "f4")
BACKFILLS = ("none", "easy", "conservative")
WITH_BACKFILL = {"none": "", "easy": " with EASY", "conservative": " with CONS"}  # endings of names
HIGHEST = {"w": 1.0, "K": 5.0, "a": 1.0, "b": 1.0}
_RESERVATIONS = {"none": 0, "easy": 1, "conservative": FAR}
_POSTFIX = {  # the criteria as printed, with columns for w and K of each job
    "f1": "#{w} #{K} {a} wait estimate / * + {b} estimate width / * + *",
    "f2": "#{w} #{K} {a} wait * + {b} area * + *",
    "f3": "#{w} #{K} {a} wait area / * + *",
    "f4": "#{w} #{K} {a} wait * + {b} estimate width / * + *",
}


@dataclass(frozen=True, eq=False)
class Greedy:
    """A policy that orders the waiting jobs by keys; the function `greedy` makes it from genes in other shapes, too.

    Parameters
    ----------
    criteria
        The criterion, "f1".."f4", of weekend, day and night.
    genes
        (3, 2 G + 2); the row of a situation is w_1..w_G, K_1..K_G, a, b.
    groups
        The names of the user groups that the genes are for.
    backfill
        "none" (paper 000), "easy" (paper 002) or "conservative".
    name
        What the policy is called in tables and figures. Default: the criteria, with the backfilling.
    provenance
        Where the policy comes from: any JSON object, which is saved with it.
    grouping
        The rule that puts the jobs of workloads with other groups into these groups; None without a rule.

    Raises
    ------
    InputError
        A word is unknown, the rule is for other groups, or genes have the wrong shape or are out of bounds.

    Examples
    --------
    >>> p = greedy(["f2"] * 3, [[1, 0, 0, 0, 1, 0]] * 3, groups=("staff", "guests"), backfill="easy")
    >>> p.name, p.genes.shape
    ('Greedy f2 with EASY', (3, 6))
    """

    rule: ClassVar = "greedy"
    asks: ClassVar = True
    replays: ClassVar = False
    knows_run_times: ClassVar = False
    no_order: ClassVar = ""

    criteria: tuple[str, ...]
    genes: Floats
    groups: tuple[str, ...]
    backfill: str = "none"
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    grouping: GroupRule | None = None

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("backfill", self.backfill, BACKFILLS)
        genes = number_table("genes", self.genes).copy(order="C")
        genes.flags.writeable = False
        object.__setattr__(self, "genes", genes)
        object.__setattr__(self, "criteria", tuple(self.criteria))
        object.__setattr__(self, "groups", tuple(str(g) for g in self.groups))
        self._check()
        criteria = self.criteria[0] if len(set(self.criteria)) == 1 else "/".join(self.criteria)
        object.__setattr__(self, "name", self.name or f"Greedy {criteria}{WITH_BACKFILL[self.backfill]}")

    def _check(self) -> None:
        """Refuse criteria, groups or genes that break a rule."""
        if len(self.criteria) != len(SITUATIONS):
            raise InputError(f"criteria must be one for each of {', '.join(SITUATIONS)}, but are {list(self.criteria)}")
        for criterion in self.criteria:
            one_of("criterion", criterion, CRITERIA)
        count = len(self.groups)
        if len(set(self.groups)) != count:
            raise InputError(f"groups must have different names, but are {list(self.groups)}")
        check_grouping(self.groups, self.grouping)
        if count == 0 or self.genes.shape != (3, 2 * count + 2):
            raise InputError(
                f"genes must have shape (3, 2 x groups + 2), but have shape {self.genes.shape} for "
                f"{number_of(count, 'group')}"
            )
        high = np.broadcast_to(upper_bounds(count), self.genes.shape)
        faults = np.argwhere(~((self.genes >= 0) & (self.genes <= high)))
        if faults.size:
            names = gene_names(count)
            offenders = (f"{SITUATIONS[s]} {names[g]} is {self.genes[s, g]:g}" for s, g in faults)
            raise InputError(
                f"genes must be w, a, b in [0, 1] and K in [0, 5], but {first_few(offenders, len(faults))}"
            )

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:
        """Return the outcome of a workload that has the policy's groups; run times may be predicted by a method."""
        if workload.needs_engine or method is not None or self.backfill == "conservative":
            return outcome_on_engine(workload, self.queue(workload), False, method)
        from ..kernels.greedy_queue import greedy as start_by_keys  # on demand: kernels take long to import

        start = unknown_starts(len(workload))
        inputs = jobs_of(workload), workload.capacity, workload.calendar, weights(workload, self)
        start_by_keys(*inputs, self.backfill == "easy", start)
        return Outcome(start)

    @property
    def reservations(self) -> int:
        """How many waiting jobs have a reservation."""
        return _RESERVATIONS[self.backfill]

    def queue(self, workload: Workload) -> Queue:
        """Return how the waiting jobs are ordered and backfilled."""
        return simple_queue(workload, key_program(workload, self), self.reservations)


def greedy(
    criteria: Sequence[str],
    genes: ArrayLike,
    *,
    groups: GroupsLike = tuple("12345"),
    backfill: str = "none",
    name: str = "",
    provenance: Mapping[str, Any] | None = None,
    grouping: GroupRule | None = None,
) -> Greedy:
    """Return a Greedy policy; `genes` is (3, 2 G + 2) or flat, see `Greedy`.

    The groups are their names; or a workload, a front or a policy that has them; or the path of a log or of a run.

    Raises
    ------
    InputError
        As for `Greedy` and `as_groups`.
    """
    from ..workload.from_paths import as_groups  # on demand: what reads logs takes long to import

    table = number_table("genes", genes)
    names = as_groups(groups)
    shape = (3, 2 * len(names) + 2)
    if table.ndim == 1 and table.size == shape[0] * shape[1]:
        table = table.reshape(shape)
    return Greedy(tuple(list_argument("criteria", criteria)), table, names, backfill, name, provenance or {}, grouping)


def gene_names(groups: int) -> list[str]:
    """Return the names of the genes of one situation, in their order.

    Examples
    --------
    >>> gene_names(2)
    ['w1', 'w2', 'K1', 'K2', 'a', 'b']
    """
    return [f"{letter}{i + 1}" for letter in "wK" for i in range(groups)] + ["a", "b"]


def upper_bounds(groups: int) -> Floats:
    """Return the largest value of each gene of one situation, (2 G + 2,); the smallest is 0 everywhere."""
    return np.array([HIGHEST[name[0]] for name in gene_names(groups)])


def weights(workload: Workload, policy: Greedy) -> Weights:
    """Return what orders the waiting jobs of a policy, as kernels take it."""
    criteria = np.array([CRITERIA.index(c) + 1 for c in policy.criteria], dtype=np.int64)
    return Weights(criteria, policy.genes, horizon(workload))


def key_program(workload: Workload, policy: Greedy) -> Program:
    """Return the keys of a policy for the jobs of a workload as byte code."""
    count = len(policy.groups)
    texts = []
    columns = np.empty((2 * len(SITUATIONS), len(workload)))
    for s, (criterion, genes) in enumerate(zip(policy.criteria, policy.genes, strict=True)):
        w, K, a, b = 2 * s, 2 * s + 1, float(genes[-2]), float(genes[-1])
        columns[w] = genes[:count][workload.group]
        columns[K] = genes[count : 2 * count][workload.group]
        texts.append(_POSTFIX[criterion].format(w=w, K=K, a=a, b=b))
    return postfix(texts, columns)


def horizon(workload: Workload) -> float:
    """Return a bound, s, on all times that enter a key.

    It is twice the latest possible end, because an expected end may lie beyond that.

    Examples
    --------
    >>> horizon(Workload(submit=[0, 7], run=[5, 1], estimate=[9, 9], width=[1, 1], capacity=1))
    26.0
    """
    return 2.0 * float(workload.latest_end)


def number_table(name: str, value: ArrayLike) -> Floats:
    """Return an argument that must be a table of numbers as float64.

    Raises
    ------
    InputError
        It is none.
    """
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a table of numbers, but are not") from None
