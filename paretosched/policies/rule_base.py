"""Rule bases (paper 001): which of thirteen strategies orders the queue and starts jobs, chosen again at every pass.

A strategy is a sorting of the waiting queue (fewest processors, shortest estimate, longest wait, or priority of the
user group; ties by the longest wait, then by place in the trace) with FCFS, EASY or conservative backfilling, or a
trained Greedy without backfilling, which sorts for itself (paper 001, section 4). The choice depends on G + 2 features
of the moment, for G groups (section 3.2):

=======  =======================================================================================  ==========
SD       sum of p m (C - r) over the sum of p^2 m, of all jobs that have ended: how many times      1 to 100
         longer than its run a job took from arrival r to end C, weighted by p^2 m
Um       processors in use, of all                                                                  0 to 100 %
PRCWQi   estimate x processors of the waiting jobs of group i, of all waiting jobs                  0 to 100 %
=======  =======================================================================================  ==========

Features are computed after the completions and arrivals of a second and before its scheduling pass. While no job has
ended, SD is 1, as if no job had waited, and it is never above 100 (section 3.2 limits it to [1, 100]). The printed
formula of SD is used, not the weights p m that the text speaks of. Features of an empty queue are never needed.

In an "iterative" base (section 4.1) the range of every feature is cut into intervals, and each combination of
intervals is a situation with its strategy. In a "symbiotic" base (section 4.2) every rule has a normalised Gaussian for
each feature, and recommends or discourages strategies. The degree of membership of a rule is the product of its
Gaussians (equation 5); the strategy with the largest sum of membership x recommendation over all rules (equations 8
and 9) is chosen, the first of equal ones. For that all features are scaled to [0, 1], which the paper leaves open, so
that one step of mutation suits all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import number, whole_number
from ..core.arrays import Floats
from ..core.errors import InputError, first_few, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.watching import unknown_starts
from ..kernels.inputs import Sorted
from ..workload.group_rules import GroupRule, check_grouping
from ..workload.workload import Workload
from .greedy_order import Greedy, number_table, weights
from .learning import nodes_of, outcome_at_end, predictor_of, reacting_of
from .outcome import Outcome, arriving, down_of, jobs_of
from .strategy_choice import SORTINGS, STRATEGIES, Bounds, Chooser, IterativeRules, SymbioticRules


@dataclass(frozen=True, eq=False)
class RuleBase:
    """A policy that chooses one of thirteen strategies at every scheduling pass.

    Parameters
    ----------
    kind
        "iterative" or "symbiotic".
    groups
        Names of the G user groups that the features describe.
    priority
        The same names, the most important first: the order of sorting "priority".
    greedy
        The thirteenth strategy: a Greedy policy for the same groups, without backfilling.
    bounds
        Iterative: for every feature the inner bounds of its intervals, ascending, in the feature's unit. A bound
        belongs to the interval below it.
    choice
        Iterative: (situations,) whole numbers 0..12, places in `strategy_choice.STRATEGIES`. Situations are all
        combinations of intervals, those of the last feature varying fastest.
    means, widths
        Symbiotic: (R, G + 2), centre and standard deviation of every rule's Gaussian for each feature scaled to
        [0, 1]. Widths are at least 0.001.
    recommendations
        Symbiotic: (R, 13) whole numbers, one of LEVELS for every strategy.
    threshold, otherwise
        Symbiotic: where the memberships of all rules add up to less than the threshold, the strategy `otherwise`, a
        place in STRATEGIES, is chosen (section 4.2.2.2). By default there is no threshold.
    name
        What the policy is called in tables and figures. Default: the kind.
    provenance
        Where the policy comes from: any JSON object, which is saved with it.
    grouping
        The rule that puts the jobs of workloads with other groups into these groups; None without a rule.

    Raises
    ------
    InputError
        An argument has the wrong shape, is out of bounds, or does not belong to the kind.

    Examples
    --------
    EASY in the order of arrival while at most three quarters of the machine are busy; else shortest estimate first.

    >>> from paretosched.policies.greedy_order import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> base = RuleBase("iterative", ("all",), ("all",), g, bounds=((), (75,), ()), choice=[7, 3])
    >>> [STRATEGIES[base.chooser.strategy([1, um, 100])] for um in (75, 76)]
    ['easy by wait', 'fcfs by estimate']
    """

    rule: ClassVar = "rules"
    asks: ClassVar = True
    replays: ClassVar = False
    knows_run_times: ClassVar = False
    no_order: ClassVar = "chooses strategies, which no order of jobs can express; deploy greedy or priority"

    kind: str
    groups: tuple[str, ...]
    priority: tuple[str, ...]
    greedy: Greedy
    bounds: Bounds = ()
    choice: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    means: Floats = field(default_factory=lambda: np.empty((0, 0)))
    widths: Floats = field(default_factory=lambda: np.empty((0, 0)))
    recommendations: NDArray[np.int8] = field(default_factory=lambda: np.empty((0, len(STRATEGIES)), dtype=np.int8))
    threshold: float = 0.0
    otherwise: int = 0
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)
    grouping: GroupRule | None = None

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("kind of rule base", self.kind, KINDS)
        for name in ("groups", "priority"):
            object.__setattr__(self, name, tuple(str(g) for g in getattr(self, name)))
        for name in ("means", "widths"):
            object.__setattr__(self, name, _read_only(name, getattr(self, name), np.float64))
        for name in ("choice", "recommendations"):
            object.__setattr__(self, name, _read_only(name, getattr(self, name), np.int8))
        object.__setattr__(self, "bounds", tuple(_bounds(row) for row in self.bounds))
        object.__setattr__(self, "threshold", number("threshold", self.threshold))
        object.__setattr__(self, "otherwise", whole_number("otherwise", self.otherwise))
        self._check_groups()
        if not (0 <= self.threshold < math.inf and 0 <= self.otherwise < len(STRATEGIES)):
            raise InputError(
                f"a threshold must be at least 0, and the strategy below it in 0..{len(STRATEGIES) - 1}, "
                f"but they are {self.threshold:g} and {self.otherwise}"
            )
        self.chooser.check(len(self.groups))
        object.__setattr__(self, "name", self.name or f"{self.kind} rules")

    @cached_property
    def chooser(self) -> Chooser:
        """How the base chooses a strategy: `IterativeRules` or `SymbioticRules`."""
        return _CHOOSERS[self.kind](self)

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:
        """Return the outcome of a workload that has the policy's groups; run times may be predicted by a method."""
        if method is None and not workload.needs_engine:
            return Outcome(ruled_start_times(workload, self)[0])
        return _on_engine(workload, self, method)[0]

    def _check_groups(self) -> None:
        """Refuse groups, priorities or a Greedy policy that do not belong together."""
        if not self.groups or len(set(self.groups)) != len(self.groups):
            raise InputError(f"groups must be one or more different names, but are {list(self.groups)}")
        if sorted(self.priority) != sorted(self.groups):
            raise InputError(
                f"priority must name every group once ({', '.join(self.groups)}), but is {list(self.priority)}"
            )
        check_grouping(self.groups, self.grouping)
        if not isinstance(self.greedy, Greedy) or self.greedy.backfill != "none":
            raise InputError("the greedy strategy must be a Greedy policy without backfilling, but is another one")
        if self.greedy.groups != self.groups:
            raise InputError(
                f"the greedy strategy must be for the groups {', '.join(self.groups)}, "
                f"but is for {', '.join(self.greedy.groups)}"
            )


def ruled_start_times(
    workload: Workload, base: RuleBase, order: Sorted | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the start times of a rule base, and how often it decided what.

    Parameters
    ----------
    workload
        The jobs and the machine.
    base
        The rule base.
    order
        What `sorted_for` returns for its strategies or for more; given where many bases are simulated.

    Returns
    -------
    start : (n,) int64
        Start times, s.
    decisions : (situations,) or (13,) int64
        Iterative: how often each situation came up where a decision was due. Symbiotic: how often each strategy was
        chosen. No decision is due where no waiting job can start, or where all of them can.
    """
    w = workload.in_arrival_order.jobs
    if w.needs_engine:
        outcome, decisions = _on_engine(w, base, None)
        return workload.in_arrival_order.by_row(outcome.start), decisions
    from ..kernels.rule_base import apply_rules  # on demand: kernels take long to import

    start = unknown_starts(len(w))
    chooser = base.chooser
    decisions = np.zeros(chooser.counters, dtype=np.int64)
    if order is None:
        order = sorted_for(w, base.priority, chooser.possible())
    apply_rules(
        jobs_of(w), w.capacity, w.calendar, weights(w, base.greedy), chooser.for_kernel(), order, start, decisions
    )
    return workload.in_arrival_order.by_row(start), decisions


def _on_engine(workload: Workload, base: RuleBase, method: int | None) -> tuple[Outcome, NDArray[np.int64]]:
    """Return the outcome of a rule base for jobs in the order of their arrival, and how often it decided what."""
    from ..kernels.engine import follow_rules
    from ..kernels.priority import ranking_of

    w, start = workload, unknown_starts(len(workload))
    chooser = base.chooser
    decisions = np.zeros(chooser.counters, dtype=np.int64)
    place = np.array([base.priority.index(group) for group in w.groups], dtype=np.int64)
    jobs, predictor, users = jobs_of(w), predictor_of(w, method), reacting_of(w)
    ranking, rules = ranking_of(*base.greedy.queue(w)), chooser.for_kernel()
    machine = follow_rules(
        jobs, w.capacity, down_of(w), w.calendar, ranking, rules, place, predictor, start, decisions, nodes_of(w), users
    )
    return outcome_at_end(w, start, predictor, machine, users), decisions


def sorted_for(workload: Workload, priority: Sequence[str], strategies: NDArray[np.bool_]) -> Sorted:
    """Return the jobs of a workload, by their arrival, in the order of each of SORTINGS that is needed.

    Parameters
    ----------
    workload
        The jobs.
    priority
        The workload's groups, the most important first.
    strategies
        (13,) bool, the strategies that may be chosen.
    """
    workload = workload.in_arrival_order.jobs
    n = len(workload)
    rank = np.array([list(priority).index(group) for group in workload.groups], dtype=np.int64)
    keys: dict[str, NDArray[Any]] = {
        "width": workload.width,
        "estimate": workload.estimate,
        "priority": rank[workload.group],
    }
    row, place = np.zeros((2, len(SORTINGS), n), dtype=np.int32)
    for s, sorting in enumerate(SORTINGS):
        if sorting == "wait":
            row[s] = place[s] = np.arange(n)
        elif strategies[3 * s : 3 * s + 3].any():
            row[s] = _stable_order(keys[sorting])
            place[s, row[s]] = np.arange(n)
    return Sorted(row, place)


def _stable_order(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return the stable order of whole numbers >= 0: sorted by 16 bits at a time, for which numpy has a radix sort."""
    order = np.arange(keys.size)
    for shift in range(0, int(keys.max()).bit_length(), 16):
        order = order[np.argsort(((keys[order] >> shift) & 0xFFFF).astype(np.uint16), kind="stable")]
    return order


def _iterative(base: RuleBase) -> IterativeRules:
    """Return how an iterative base chooses; raise InputError for arguments of the other kind."""
    if base.means.size or base.widths.size or base.recommendations.size or base.threshold:
        raise InputError(
            'an iterative rule base takes no means, widths, recommendations or threshold; only "symbiotic" does'
        )
    return IterativeRules(base.bounds, base.choice)


def _symbiotic(base: RuleBase) -> SymbioticRules:
    """Return how a symbiotic base chooses; raise InputError for arguments of the other kind."""
    if base.bounds or base.choice.size:
        raise InputError('a symbiotic rule base takes no bounds and no choice; only "iterative" does')
    return SymbioticRules(base.means, base.widths, base.recommendations, base.threshold, base.otherwise)


_CHOOSERS: dict[str, Callable[[RuleBase], Chooser]] = {"iterative": _iterative, "symbiotic": _symbiotic}
KINDS = tuple(_CHOOSERS)


def _bounds(row: Sequence[float]) -> tuple[float, ...]:
    """Return the bounds of a feature as floats."""
    try:
        return tuple(float(bound) for bound in row)
    except (TypeError, ValueError):
        raise InputError("bounds must be lists of numbers, but are not") from None


def _read_only(name: str, value: ArrayLike, kind: type) -> NDArray[Any]:
    """Return a read-only copy of a table of numbers, float64 or int8."""
    numbers = number_table(name, value)
    if kind is np.int8:
        faults = numbers[~((numbers == np.floor(numbers)) & (abs(numbers) < 128))]
        if faults.size:
            raise InputError(f"{name} must be small whole numbers, but {first_few(faults.tolist(), faults.size)}")
    array: NDArray[Any] = np.array(numbers, dtype=kind, order="C")
    array.flags.writeable = False
    return array
