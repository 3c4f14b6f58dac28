"""Rule bases (paper 001): which of thirteen strategies orders the queue and starts jobs, chosen anew at every pass.

A strategy is a sorting of the waiting queue (fewest processors, shortest estimate, longest wait, or priority of the
user group; ties by the longest wait, then by place in the trace) with FCFS, EASY or conservative backfilling, or a
trained Greedy without backfilling, which sorts for itself (paper 001, section 4). What is chosen depends on
G + 2 features of the moment, for G groups (section 3.2):

=======  =======================================================================================  ==========
SD       sum of p m (C - r) over the sum of p^2 m, of all jobs that have ended: how many times      1 to 100
         longer than its run a job took from submission r to end C, weighted by p^2 m
Um       processors in use, of all                                                                  0 to 100 %
PRCWQi   estimate x processors of the waiting jobs of group i, of all waiting jobs                  0 to 100 %
=======  =======================================================================================  ==========

Features are those after the completions and arrivals of a second and before its scheduling pass. While nothing has
ended SD is 1, as if nobody had waited, and it is never above 100 (section 3.2 limits it to [1, 100]). The printed
formula of SD is used, not the weights p m that the text speaks of. Nobody asks for features of an empty queue.

In an "iterative" base (section 4.1) the range of every feature is cut into intervals, and each combination of
intervals is a situation with its strategy. In a "symbiotic" base (section 4.2) every rule has a normalised Gaussian for
each feature, and recommends or discourages strategies. The degree of membership of a rule is the product of its
Gaussians (equation 5); the strategy with the largest sum of membership x recommendation over all rules (equations 8
and 9) is chosen, the first of equal ones. For that all features are scaled to [0, 1]: one step of mutation for all of
them is then meaningful, which the paper leaves open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, first_few, one_of
from ..core.files import nothing_else, part, shown
from ..core.notebook import fields_html, fields_repr

if TYPE_CHECKING:
    from .policy import Policy


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
LEAST_WIDTH, LARGEST = 1e-3, 1e6  # of a Gaussian; beyond them products of seven would leave the range of float64
MOST_SITUATIONS = 100_000


def feature_names(groups: int) -> tuple[str, ...]:
    """Name the features for a number of groups.

    Examples
    --------
    >>> feature_names(2)
    ('SD', 'Um', 'PRCWQ1', 'PRCWQ2')
    """
    return ("SD", "Um", *(f"PRCWQ{i + 1}" for i in range(groups)))


def feature_ranges(groups: int) -> Floats:
    """Give the smallest and the largest value of every feature in its own unit, (2, G + 2).

    Examples
    --------
    >>> feature_ranges(1).tolist()
    [[1.0, 0.0, 0.0], [100.0, 100.0, 100.0]]
    """
    low = np.zeros(groups + 2)
    low[0] = 1.0
    return np.stack([low, np.full(groups + 2, 100.0)])


def normalised(features: ArrayLike) -> Floats:
    """Scale features, (..., G + 2) in their own units, to [0, 1].

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
    """Give the inner bounds of the intervals of every feature, Table 2 of paper 001; further groups as the third.

    Examples
    --------
    >>> partitions(3)
    ((2.0,), (75.0, 85.0), (20.0,), (20.0,), (25.0,))
    """
    return ((2.0,), (75.0, 85.0), *((20.0,) if i < 2 else (25.0,) for i in range(groups)))


@dataclass(frozen=True, eq=False)
class RuleBase:
    """A rule base.

    Parameters
    ----------
    kind
        "iterative" or "symbiotic".
    groups
        Names of the G user groups the features are of.
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
        Symbiotic: where the memberships of all rules add up to less than the threshold, the strategy `otherwise`, its
        place in STRATEGIES, is chosen (section 4.2.2.2). By default there is no such threshold.

    Raises
    ------
    InputError
        Something is out of shape or bounds, or does not belong to the kind.

    Examples
    --------
    EASY in the order of arrival while at most three quarters of the machine are busy, then shortest estimate first.

    >>> from paretosched.policies.policy import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> base = RuleBase("iterative", ("all",), ("all",), g, bounds=((), (75,), ()), choice=[7, 3])
    >>> STRATEGIES[chosen(base, [1, 75, 100])], STRATEGIES[chosen(base, [1, 76, 100])]
    ('easy by wait', 'fcfs by estimate')
    """

    kind: str
    groups: tuple[str, ...]
    priority: tuple[str, ...]
    greedy: Policy
    bounds: tuple[tuple[float, ...], ...] = ()
    choice: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, dtype=np.int8))
    means: Floats = field(default_factory=lambda: np.empty((0, 0)))
    widths: Floats = field(default_factory=lambda: np.empty((0, 0)))
    recommendations: NDArray[np.int8] = field(default_factory=lambda: np.empty((0, len(STRATEGIES)), dtype=np.int8))
    threshold: float = 0.0
    otherwise: int = 0

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("kind of rule base", self.kind, KINDS)
        for name in ("groups", "priority"):
            object.__setattr__(self, name, tuple(str(g) for g in getattr(self, name)))
        for name in ("means", "widths"):
            object.__setattr__(self, name, _frozen(name, getattr(self, name), np.float64))
        for name in ("choice", "recommendations"):
            object.__setattr__(self, name, _frozen(name, getattr(self, name), np.int8))
        object.__setattr__(self, "bounds", tuple(_ascending(row) for row in self.bounds))
        self._check_groups()
        if not (0 <= self.threshold < math.inf and 0 <= self.otherwise < len(STRATEGIES)):
            raise InputError(
                f"a threshold must be at least 0 and below it a strategy in 0..{len(STRATEGIES) - 1} be chosen, "
                f"but they are {self.threshold:g} and {self.otherwise}"
            )
        if self.kind == "iterative":
            self._check_iterative()
        else:
            self._check_symbiotic()

    def _check_groups(self) -> None:
        if not self.groups or len(set(self.groups)) != len(self.groups):
            raise InputError(f"groups must be one or more different names, but are {list(self.groups)}")
        if sorted(self.priority) != sorted(self.groups):
            raise InputError(
                f"priority must name every group once ({', '.join(self.groups)}), but is {list(self.priority)}"
            )
        if getattr(self.greedy, "rule", None) != "greedy" or self.greedy.backfill != "none":
            raise InputError("the greedy strategy must be a Greedy policy without backfilling, but is another one")
        if self.greedy.groups != self.groups:
            raise InputError(
                f"the greedy strategy must be for the groups {', '.join(self.groups)}, "
                f"but is for {', '.join(self.greedy.groups)}"
            )

    def _check_iterative(self) -> None:
        if self.means.size or self.widths.size or self.recommendations.size or self.threshold:
            raise InputError(
                'an iterative rule base takes no means, widths, recommendations or threshold; only "symbiotic" does'
            )
        names = feature_names(len(self.groups))
        if len(self.bounds) != len(names):
            raise InputError(f"bounds must be a list for each of {', '.join(names)}, but there are {len(self.bounds)}")
        for name, inner, low, high in zip(names, self.bounds, *feature_ranges(len(self.groups)).tolist(), strict=True):
            if not all(low <= bound < high for bound in inner) or not all(
                one < other for one, other in pairwise(inner)
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
        for what, table, low in (("means", self.means, -LARGEST), ("widths", self.widths, LEAST_WIDTH)):
            broken = np.argwhere(~((table >= low) & (table <= LARGEST)))
            if broken.size:
                offenders = (f"{table[r, f]:g} for {names[f]} in rule {r + 1}" for r, f in broken)
                raise InputError(f"{what} must be in [{low:g}, {LARGEST:g}], but {first_few(offenders, len(broken))}")
        broken = np.argwhere(~np.isin(self.recommendations, LEVELS))
        if broken.size:
            offenders = (f"{self.recommendations[r, s]} for {STRATEGIES[s]} in rule {r + 1}" for r, s in broken)
            raise InputError(
                f"recommendations must be one of {', '.join(map(str, LEVELS))}, but {first_few(offenders, len(broken))}"
            )


def situation_of(base: RuleBase, features: ArrayLike) -> int:
    """Give the number of the situation, 0 first, that features, (G + 2,) in their own units, belong to.

    Examples
    --------
    >>> from paretosched.policies.policy import greedy
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
    """Name the intervals of the features in every situation of an iterative base, in the order of `choice`.

    Examples
    --------
    >>> from paretosched.policies.policy import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> intervals(RuleBase("iterative", ("all",), ("all",), g, bounds=((2,), (), ()), choice=[0] * 2))
    [('1..2', '0..100', '0..100'), ('2..100', '0..100', '0..100')]
    """
    ranges = feature_ranges(len(base.groups)).T.tolist()
    edges = [[low, *inner, high] for (low, high), inner in zip(ranges, base.bounds, strict=True)]
    named = [[f"{_number(a)}..{_number(b)}" for a, b in pairwise(row)] for row in edges]
    return list(product(*named))


def log_memberships(base: RuleBase, features: ArrayLike) -> Floats:
    """Give the natural logarithm of the membership of every rule of a symbiotic base, (R,).

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

    >>> from paretosched.policies.policy import greedy
    >>> g = greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> base = RuleBase("symbiotic", ("all",), ("all",), g,
    ...                 means=[[0, 0, 2]], widths=[[1, 1, 1]], recommendations=[[5] + [0] * 12])
    >>> bool(np.isclose(np.exp(log_memberships(base, [1, 0, 100]))[0], 0.39894228**3 * np.exp(-0.5)))
    True
    """
    sharpness, found = gaussians(base)
    for value, mean, sharp in zip(normalised(features).tolist(), base.means.T, sharpness.T, strict=True):
        found = found - ((value - mean) * sharp) ** 2
    return found


def gaussians(base: RuleBase) -> tuple[Floats, Floats]:
    """Give 1 / (sigma sqrt 2), (R, G + 2), and the logarithm of the product of the peaks, (R,), of all rules."""
    peaks = [0.0] * len(base.widths)
    for rule, row in enumerate(base.widths.tolist()):
        for sigma in row:
            peaks[rule] -= math.log(sigma * math.sqrt(2.0 * math.pi))
    return 1.0 / (base.widths * math.sqrt(2.0)), np.array(peaks)


def superposition(base: RuleBase, features: ArrayLike) -> Floats:
    """Give the sum of membership x recommendation over the rules of a symbiotic base for each strategy, (13,).

    Scaled so that the largest membership is 1, which changes no comparison. Added up rule after rule, in their order.
    """
    logs = log_memberships(base, features)
    found = np.zeros(len(STRATEGIES))
    for log, levels in zip((logs - logs.max()).tolist(), base.recommendations, strict=True):
        found += math.exp(log) * levels
    return found


def chosen(base: RuleBase, features: ArrayLike) -> int:
    """Give the number in STRATEGIES of what a rule base chooses; of equal ones the first.

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
    """Give the natural logarithm of the sum of the memberships of all rules, added up in their order."""
    logs = log_memberships(base, features)
    largest = logs.max()
    return float(largest + math.log(sum(math.exp(log) for log in (logs - largest).tolist())))


def possible(base: RuleBase) -> NDArray[np.bool_]:
    """Tell which strategies, (13,) bool, a rule base can choose in any situation.

    In a symbiotic base a strategy is never chosen if every rule recommends an earlier one at least as much, or any
    other one more.
    """
    if base.kind == "iterative":
        return np.isin(np.arange(len(STRATEGIES)), base.choice)
    table = base.recommendations
    at_least = (table[:, :, None] >= table[:, None, :]).all(axis=0)
    more = (table[:, :, None] > table[:, None, :]).all(axis=0)
    found: NDArray[np.bool_] = np.logical_not(np.any(np.triu(at_least, 1) | more, axis=0))
    if base.threshold > 0:
        found[base.otherwise] = True
    return found


def to_json(base: RuleBase) -> dict[str, Any]:
    """Turn a rule base, but for its Greedy policy, into plain values that a person can read."""
    value: dict[str, Any] = {"kind": base.kind, "groups": list(base.groups), "priority": list(base.priority)}
    names = feature_names(len(base.groups))
    if base.kind == "iterative":
        value["bounds"] = {name: list(inner) for name, inner in zip(names, base.bounds, strict=True)}
        value["situations"] = [
            {**dict(zip(names, where, strict=True)), "strategy": STRATEGIES[s]}
            for where, s in zip(intervals(base), base.choice.tolist(), strict=True)
        ]
        return value
    rows = zip(base.means.tolist(), base.widths.tolist(), base.recommendations.tolist(), strict=True)
    value["rules"] = [
        {
            "where": {
                name: {"mean": mean, "width": width} for name, mean, width in zip(names, centre, spread, strict=True)
            },
            "recommends": {STRATEGIES[s]: level for s, level in enumerate(levels) if level},
        }
        for centre, spread, levels in rows
    ]
    if base.threshold > 0:
        value["otherwise"] = {"below": base.threshold, "strategy": STRATEGIES[base.otherwise]}
    return value


def from_json(value: Mapping[str, Any], greedy: Policy) -> RuleBase:
    """Turn what `to_json` gave, and its Greedy policy, into a rule base again.

    Raises
    ------
    InputError
        A key is missing, unknown or of the wrong type, or a value breaks a rule.
    """
    given = dict(value)
    kind = part(given, "kind", str)
    one_of("kind of rule base", kind, KINDS)
    groups, priority = (_names(given, key) for key in ("groups", "priority"))
    features = feature_names(len(groups))
    if kind == "iterative":
        nothing_else(given, ("kind", "groups", "priority", "bounds", "situations"))
        cuts = part(given, "bounds", dict)
        nothing_else(cuts, features)
        bounds = tuple(tuple(_bound(name, bound) for bound in part(cuts, name, list)) for name in features)
        rows = part(given, "situations", list)
        base = RuleBase(kind, groups, priority, greedy, bounds=bounds, choice=np.array([_strategy(r) for r in rows]))
        for number, (row, where) in enumerate(zip(rows, intervals(base), strict=True)):
            nothing_else(row, (*features, "strategy"))
            for name, interval in zip(features, where, strict=True):
                if part(row, name, str) != interval:
                    raise InputError(
                        f'situations must be in the order of the intervals, so that {name} is "{interval}" in '
                        f"situation {number + 1}, but it is {shown(row[name])}"
                    )
        return base
    nothing_else(given, ("kind", "groups", "priority", "rules", "otherwise"))
    threshold, otherwise = 0.0, 0
    if "otherwise" in given:
        default = part(given, "otherwise", dict)
        nothing_else(default, ("below", "strategy"))
        threshold, otherwise = part(default, "below", float), _strategy(default)
    means, widths, recommendations = [], [], []
    for number, row in enumerate(part(given, "rules", list)):
        try:
            centre, spread, levels = _rule(row, features)
        except InputError as error:
            raise InputError(f"rule {number + 1}: {error}") from None
        means.append(centre)
        widths.append(spread)
        recommendations.append(levels)
    return RuleBase(
        kind, groups, priority, greedy,
        means=np.array(means), widths=np.array(widths), recommendations=np.array(recommendations),
        threshold=threshold, otherwise=otherwise,
    )  # fmt: skip


def _rule(row: Any, features: Sequence[str]) -> tuple[list[float], list[float], list[int]]:
    if not isinstance(row, dict):
        raise InputError(f"must be an object, but is {shown(row)}")
    nothing_else(row, ("where", "recommends"))
    where, levels = part(row, "where", dict), part(row, "recommends", dict)
    nothing_else(where, features)
    nothing_else(levels, STRATEGIES)
    gaussian = {name: part(where, name, dict) for name in features}
    for found in gaussian.values():
        nothing_else(found, ("mean", "width"))
    for strategy, level in levels.items():
        if isinstance(level, bool) or level not in LEVELS:
            raise InputError(
                f"recommendations must be one of {', '.join(map(str, LEVELS))}, "
                f"but that of {strategy} is {shown(level)}"
            )
    return (
        [part(found, "mean", float) for found in gaussian.values()],
        [part(found, "width", float) for found in gaussian.values()],
        [int(levels.get(strategy, 0)) for strategy in STRATEGIES],
    )


def _names(value: dict[str, Any], key: str) -> tuple[str, ...]:
    names = part(value, key, list)
    if not all(isinstance(name, str) for name in names):
        raise InputError(f'"{key}" must be names in quotes, but are {", ".join(map(shown, names))}')
    return tuple(names)


def _bound(name: str, bound: Any) -> float:
    if isinstance(bound, bool) or not isinstance(bound, int | float):
        raise InputError(f"bounds of {name} must be numbers, but there is {shown(bound)}")
    return float(min(max(bound, -LARGEST), LARGEST))


def _strategy(row: Any) -> int:
    if not isinstance(row, dict):
        raise InputError(f"a situation must be an object, but is {shown(row)}")
    name = part(row, "strategy", str)
    one_of("strategy", name, STRATEGIES)
    return STRATEGIES.index(name)


def _number(value: float) -> str:
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _ascending(row: Sequence[float]) -> tuple[float, ...]:
    try:
        return tuple(float(bound) for bound in row)
    except (TypeError, ValueError):
        raise InputError("bounds must be lists of numbers, but are not") from None


def _frozen(name: str, value: ArrayLike, kind: type) -> NDArray[Any]:
    try:
        given = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a table of numbers, but are not") from None
    if kind is np.int8:
        broken = given[~((given == np.floor(given)) & (abs(given) < 128))]
        if broken.size:
            raise InputError(f"{name} must be small whole numbers, but {first_few(broken.tolist(), broken.size)}")
    array: NDArray[Any] = np.array(given, dtype=kind, order="C")
    array.flags.writeable = False
    return array
