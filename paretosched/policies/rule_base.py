"""Rule bases (paper 001): which of thirteen strategies orders the queue and starts jobs, chosen anew at every pass.

A strategy is a sorting of the waiting queue (fewest processors, shortest estimate, longest wait, or priority of the
user group; ties by the longest wait, then by place in the trace) with FCFS, EASY or conservative backfilling, or a
trained Greedy without backfilling, which sorts for itself (paper 001, section 4). The choice depends on G + 2 features
of the moment, for G groups (section 3.2):

=======  =======================================================================================  ==========
SD       sum of p m (C - r) over the sum of p^2 m, of all jobs that have ended: how many times      1 to 100
         longer than its run a job took from submission r to end C, weighted by p^2 m
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, first_few, one_of
from ..core.notebook import fields_html, fields_repr
from ..kernels.inputs import Rules, Sorted
from ..kernels.rule_base import ruled
from ..workload.workload import Workload
from .greedy_order import Greedy, number_table, weights
from .outcome import Outcome, Queue, jobs_of

KINDS = ("iterative", "symbiotic")
SORTINGS = ("width", "estimate", "wait", "priority")
ALGORITHMS = ("fcfs", "easy", "conservative")
STRATEGIES = (*(f"{algorithm} by {sorting}" for sorting in SORTINGS for algorithm in ALGORITHMS), "greedy")
LEVELS = (
    -5,
    -1,
    0,
    1,
    5,
)  # particularly unfavorable, unfavorable, no recommendation, favorable, particularly favorable
LEAST_WIDTH, LARGEST = 1e-3, 1e6  # of a Gaussian; beyond them, products of seven leave the range of float64
MOST_SITUATIONS = 100_000


def feature_names(groups: int) -> tuple[str, ...]:
    """Return the names of the features for a number of groups.

    Examples
    --------
    >>> feature_names(2)
    ('SD', 'Um', 'PRCWQ1', 'PRCWQ2')
    """
    return ("SD", "Um", *(f"PRCWQ{i + 1}" for i in range(groups)))


def feature_ranges(groups: int) -> Floats:
    """Return the smallest and the largest value of every feature in its own unit, (2, G + 2).

    Examples
    --------
    >>> feature_ranges(1).tolist()
    [[1.0, 0.0, 0.0], [100.0, 100.0, 100.0]]
    """
    low = np.zeros(groups + 2)
    low[0] = 1.0
    return np.stack([low, np.full(groups + 2, 100.0)])


def normalised(features: ArrayLike) -> Floats:
    """Return features, (..., G + 2) in their own units, scaled to [0, 1].

    Examples
    --------
    >>> normalised([100, 75, 0, 20]).tolist()
    [1.0, 0.75, 0.0, 0.2]
    """
    values = np.array(features, dtype=np.float64)
    values[..., 0] = (values[..., 0] - 1.0) / 99.0
    values[..., 1:] /= 100.0
    return values


def partitions(groups: int) -> tuple[tuple[float, ...], ...]:
    """Return the inner bounds of every feature (Table 2 of paper 001); groups after the third are as the third.

    Examples
    --------
    >>> partitions(3)
    ((2.0,), (75.0, 85.0), (20.0,), (20.0,), (25.0,))
    """
    return ((2.0,), (75.0, 85.0), *((20.0,) if i < 2 else (25.0,) for i in range(groups)))


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
        Iterative: (situations,) whole numbers 0..12, places in STRATEGIES. Situations are all combinations of
        intervals, those of the last feature varying fastest.
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
    >>> STRATEGIES[chosen_strategy(base, [1, 75, 100])], STRATEGIES[chosen_strategy(base, [1, 76, 100])]
    ('easy by wait', 'fcfs by estimate')
    """

    rule: ClassVar = "rules"
    asks: ClassVar = True

    kind: str
    groups: tuple[str, ...]
    priority: tuple[str, ...]
    greedy: Greedy
    bounds: tuple[tuple[float, ...], ...] = ()
    choice: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    means: Floats = field(default_factory=lambda: np.empty((0, 0)))
    widths: Floats = field(default_factory=lambda: np.empty((0, 0)))
    recommendations: NDArray[np.int8] = field(default_factory=lambda: np.empty((0, len(STRATEGIES)), dtype=np.int8))
    threshold: float = 0.0
    otherwise: int = 0
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

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
        self._check_groups()
        if not (0 <= self.threshold < math.inf and 0 <= self.otherwise < len(STRATEGIES)):
            raise InputError(
                f"a threshold must be at least 0, and the strategy below it in 0..{len(STRATEGIES) - 1}, "
                f"but they are {self.threshold:g} and {self.otherwise}"
            )
        if self.kind == "iterative":
            self._check_iterative()
        else:
            self._check_symbiotic()
        object.__setattr__(self, "name", self.name or f"{self.kind} rules")

    def simulated(self, workload: Workload) -> Outcome:
        """Return the outcome of a workload that has the policy's groups."""
        return Outcome(ruled_start_times(workload, self)[0])

    def refuses(self, learnt: bool) -> str:
        """Return why the policy cannot use other estimates than the requested ones; "" if it can.

        Parameters
        ----------
        learnt
            Whether the estimates are predictions, which may prove too short; else they are exact.
        """
        return 'cannot be used by rule bases; choose "requested" or "exact"' if learnt else ""

    def queue(self, workload: Workload) -> Queue:
        """Raise InputError: the order of the waiting jobs changes, and predictions cannot be used."""
        raise InputError(f"{workload.name}: predictions {self.refuses(True)}")

    def _check_groups(self) -> None:
        """Refuse groups, priorities or a Greedy policy that do not belong together."""
        if not self.groups or len(set(self.groups)) != len(self.groups):
            raise InputError(f"groups must be one or more different names, but are {list(self.groups)}")
        if sorted(self.priority) != sorted(self.groups):
            raise InputError(
                f"priority must name every group once ({', '.join(self.groups)}), but is {list(self.priority)}"
            )
        if not isinstance(self.greedy, Greedy) or self.greedy.backfill != "none":
            raise InputError("the greedy strategy must be a Greedy policy without backfilling, but is another one")
        if self.greedy.groups != self.groups:
            raise InputError(
                f"the greedy strategy must be for the groups {', '.join(self.groups)}, "
                f"but is for {', '.join(self.greedy.groups)}"
            )

    def _check_iterative(self) -> None:
        """Refuse arguments that make no iterative base."""
        if self.means.size or self.widths.size or self.recommendations.size or self.threshold:
            raise InputError(
                'an iterative rule base takes no means, widths, recommendations or threshold; only "symbiotic" does'
            )
        names = feature_names(len(self.groups))
        if len(self.bounds) != len(names):
            raise InputError(f"bounds must be a list for each of {', '.join(names)}, but there are {len(self.bounds)}")
        for name, inner, low, high in zip(names, self.bounds, *feature_ranges(len(self.groups)).tolist(), strict=True):
            if not all(low <= bound < high for bound in inner) or not all(
                bound < following for bound, following in pairwise(inner)
            ):
                raise InputError(
                    f"bounds of {name} must ascend within [{low:g}, {high:g}), but are "
                    f"{first_few((_number(bound) for bound in inner), len(inner), 9)}"
                )
        count = math.prod(len(inner) + 1 for inner in self.bounds)
        if count > MOST_SITUATIONS:
            raise InputError(f"there must be at most {MOST_SITUATIONS} situations, but these bounds make {count}")
        if self.choice.shape != (count,):
            raise InputError(
                f"choice must be a strategy for each of {count} situations, but has shape {self.choice.shape}"
            )
        broken = np.flatnonzero((self.choice < 0) | (self.choice >= len(STRATEGIES)))
        if broken.size:
            offenders = (f"{self.choice[i]} for situation {i}" for i in broken)
            raise InputError(f"choice must be in 0..{len(STRATEGIES) - 1}, but is {first_few(offenders, broken.size)}")

    def _check_symbiotic(self) -> None:
        """Refuse arguments that make no symbiotic base."""
        if self.bounds or self.choice.size:
            raise InputError('a symbiotic rule base takes no bounds and no choice; only "iterative" does')
        count = len(self.means)
        shape = (count, len(self.groups) + 2)
        if count == 0 or self.means.shape != shape or self.widths.shape != shape:
            raise InputError(
                f"means and widths must both have shape (rules, {shape[1]}) with at least one rule, "
                f"but have {self.means.shape} and {self.widths.shape}"
            )
        if self.recommendations.shape != (count, len(STRATEGIES)):
            raise InputError(
                f"recommendations must have shape ({count}, {len(STRATEGIES)}), but have {self.recommendations.shape}"
            )
        names = feature_names(len(self.groups))
        for name, table, low in (("means", self.means, -LARGEST), ("widths", self.widths, LEAST_WIDTH)):
            broken = np.argwhere(~((table >= low) & (table <= LARGEST)))
            if broken.size:
                offenders = (f"{table[r, f]:g} for {names[f]} in rule {r + 1}" for r, f in broken)
                raise InputError(f"{name} must be in [{low:g}, {LARGEST:g}], but {first_few(offenders, len(broken))}")
        broken = np.argwhere(~np.isin(self.recommendations, LEVELS))
        if broken.size:
            offenders = (f"{self.recommendations[r, s]} for {STRATEGIES[s]} in rule {r + 1}" for r, s in broken)
            raise InputError(
                f"recommendations must be one of {', '.join(map(str, LEVELS))}, but {first_few(offenders, len(broken))}"
            )


def situation_of(base: RuleBase, features: ArrayLike) -> int:
    """Return the number of the situation, 0 first, to which features, (G + 2,) in their own units, belong.

    Examples
    --------
    >>> from paretosched.policies.greedy_order import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> base = RuleBase("iterative", ("all",), ("all",), g, bounds=((2,), (75, 85), ()), choice=[0] * 6)
    >>> [situation_of(base, [sd, um, 100]) for sd, um in ((1, 75), (2, 75.1), (2.1, 75), (100, 100))]
    [0, 1, 3, 5]
    """
    number = 0
    for value, inner in zip(np.asarray(features, dtype=np.float64).tolist(), base.bounds, strict=True):
        number = number * (len(inner) + 1) + sum(value > bound for bound in inner)
    return number


def intervals(base: RuleBase) -> list[tuple[str, ...]]:
    """Return the intervals of the features in every situation of an iterative base, in the order of `choice`.

    Examples
    --------
    >>> from paretosched.policies.greedy_order import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> intervals(RuleBase("iterative", ("all",), ("all",), g, bounds=((2,), (), ()), choice=[0] * 2))
    [('1..2', '0..100', '0..100'), ('2..100', '0..100', '0..100')]
    """
    texts = [[f"{_number(a)}..{_number(b)}" for a, b in pairwise(row)] for row in interval_edges(base)]
    return list(product(*texts))


def interval_edges(base: RuleBase) -> list[list[float]]:
    """Return, for every feature of an iterative base, where its intervals begin, and where the last one ends."""
    ranges = feature_ranges(len(base.groups)).T.tolist()
    return [[low, *inner, high] for (low, high), inner in zip(ranges, base.bounds, strict=True)]


def log_memberships(base: RuleBase, features: ArrayLike) -> Floats:
    """Return the natural logarithm of the membership of every rule of a symbiotic base, (R,).

    Parameters
    ----------
    base
        The rule base.
    features
        (G + 2,) in their own units.

    Notes
    -----
    Equation 5 of paper 001, in logarithms because a product of seven narrow Gaussians may be 0 in float64.

    Examples
    --------
    Three standard normal distributions, two at their centres and one a standard deviation away.

    >>> from paretosched.policies.greedy_order import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> base = RuleBase("symbiotic", ("all",), ("all",), g,
    ...                 means=[[0, 0, 2]], widths=[[1, 1, 1]], recommendations=[[5] + [0] * 12])
    >>> bool(np.isclose(np.exp(log_memberships(base, [1, 0, 100]))[0], 0.39894228**3 * np.exp(-0.5)))
    True
    """
    sharpness, logs = gaussians(base)
    for value, mean, sharp in zip(normalised(features).tolist(), base.means.T, sharpness.T, strict=True):
        logs = logs - ((value - mean) * sharp) ** 2
    return logs


def gaussians(base: RuleBase) -> tuple[Floats, Floats]:
    """Return 1 / (sigma sqrt 2), (R, G + 2), and the logarithm of the product of the peaks, (R,), of all rules."""
    peaks = [0.0] * len(base.widths)
    for rule, row in enumerate(base.widths.tolist()):
        for sigma in row:
            peaks[rule] -= math.log(sigma * math.sqrt(2.0 * math.pi))
    return 1.0 / (base.widths * math.sqrt(2.0)), np.array(peaks)


def superposition(base: RuleBase, features: ArrayLike) -> Floats:
    """Return the sum of membership x recommendation over the rules of a symbiotic base for each strategy, (13,).

    Memberships are scaled so that the largest is 1, which changes no comparison. They are added up in the order of
    the rules.
    """
    logs = log_memberships(base, features)
    votes = np.zeros(len(STRATEGIES))
    for log, levels in zip((logs - logs.max()).tolist(), base.recommendations, strict=True):
        votes += math.exp(log) * levels
    return votes


def chosen_strategy(base: RuleBase, features: ArrayLike) -> int:
    """Return the strategy that a rule base chooses, as its place in STRATEGIES; of equal strategies the first.

    Parameters
    ----------
    base
        The rule base.
    features
        (G + 2,) in their own units: SD, and the others in percent.
    """
    if base.kind == "iterative":
        return int(base.choice[situation_of(base, features)])
    if base.threshold > 0 and log_total(base, features) < math.log(base.threshold):
        return base.otherwise
    return int(superposition(base, features).argmax())


def log_total(base: RuleBase, features: ArrayLike) -> float:
    """Return the natural logarithm of the sum of the memberships of all rules, added up in their order."""
    logs = log_memberships(base, features)
    largest = logs.max()
    return float(largest + math.log(sum(math.exp(log) for log in (logs - largest).tolist())))


def possible_strategies(base: RuleBase) -> NDArray[np.bool_]:
    """Return which strategies, (13,) bool, a rule base may choose; the others it chooses in no situation.

    A symbiotic base never chooses a strategy if there is an earlier one that every rule recommends at least as much,
    or any other one that every rule recommends more.
    """
    if base.kind == "iterative":
        return np.isin(np.arange(len(STRATEGIES)), base.choice)
    table = base.recommendations
    at_least = (table[:, :, None] >= table[:, None, :]).all(axis=0)
    more = (table[:, :, None] > table[:, None, :]).all(axis=0)
    strategies: NDArray[np.bool_] = np.logical_not(np.any(np.triu(at_least, 1) | more, axis=0))
    if base.threshold > 0:
        strategies[base.otherwise] = True
    return strategies


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
    w = workload
    start = np.empty(len(w), dtype=np.int64)
    decisions = np.zeros(base.choice.size if base.kind == "iterative" else len(STRATEGIES), dtype=np.int64)
    if order is None:
        order = sorted_for(w, base.priority, possible_strategies(base))
    ruled(jobs_of(w), w.capacity, w.calendar, weights(w, base.greedy), _rules(base), order, start, decisions)
    return start, decisions


def sorted_for(workload: Workload, priority: Sequence[str], strategies: NDArray[np.bool_]) -> Sorted:
    """Return the jobs of a workload in the order of each of SORTINGS that is needed.

    Parameters
    ----------
    workload
        The jobs.
    priority
        The workload's groups, the most important first.
    strategies
        (13,) bool, the strategies that may be chosen.
    """
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


def _rules(base: RuleBase) -> Rules:
    """Return a rule base as the kernel takes it."""
    counts = np.array([len(inner) + 1 for inner in base.bounds] or [1] * (len(base.groups) + 2), dtype=np.int64)
    bounds = np.full((counts.size, int(counts.max())), np.inf)
    for f, inner in enumerate(base.bounds):
        bounds[f, : len(inner)] = inner
    sharpness, peaks = gaussians(base) if base.kind == "symbiotic" else (np.empty((0, counts.size)), np.empty(0))
    means = base.means if base.kind == "symbiotic" else sharpness
    return Rules(
        base.kind == "iterative",
        bounds,
        counts,
        base.choice.astype(np.int64),
        np.array(means.T, order="C"),
        np.array(sharpness.T, order="C"),
        peaks,
        np.array(base.recommendations.T, dtype=np.float64, order="C"),
        possible_strategies(base),
        math.log(base.threshold) if base.threshold > 0 else -math.inf,
        base.otherwise,
    )


def _number(value: float) -> str:
    """Return a number as short text that is exact."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


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
        broken = numbers[~((numbers == np.floor(numbers)) & (abs(numbers) < 128))]
        if broken.size:
            raise InputError(f"{name} must be small whole numbers, but {first_few(broken.tolist(), broken.size)}")
    array: NDArray[Any] = np.array(numbers, dtype=kind, order="C")
    array.flags.writeable = False
    return array
