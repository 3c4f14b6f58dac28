"""How a rule base chooses a strategy by the features of the moment: by intervals, or by Gaussians (paper 001).

Each of the two ways is a value: `IterativeRules` (section 4.1) and `SymbioticRules` (section 4.2). Both have

============================  ======================================================================================
check(groups)                 raises InputError unless its tables fit G groups and are within their bounds
strategy(features)            the chosen strategy, as its place in STRATEGIES; of equal ones the first
possible()                    which strategies it may choose at all
for_kernel()                  its tables, as the kernel takes them
counters                      how many counts of decisions the kernel fills in
counts_json(counts)           these counts as they stand in the provenance of a policy
counts_of(value)              the counts that `counts_json` wrote; None for anything else
by_strategy(counts)           how often each strategy was chosen, from these counts
============================  ======================================================================================

See `paretosched.policies.rule_base` for the strategies, the features and the two kinds of bases.
"""

from __future__ import annotations

import math
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, first_few
from ..kernels.inputs import Rules

Bounds = tuple[tuple[float, ...], ...]  # of the intervals of every feature: the inner ones, ascending

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


def normalise(features: ArrayLike) -> Floats:
    """Return features, (..., G + 2) in their own units, scaled to [0, 1].

    Examples
    --------
    >>> normalise([100, 75, 0, 20]).tolist()
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


class IterativeRules(NamedTuple):
    """Situations, all combinations of intervals of the features, each with its strategy; see the module.

    Attributes
    ----------
    bounds
        For every feature the inner bounds of its intervals, ascending, in the feature's unit. A bound belongs to the
        interval below it.
    choice
        (situations,) int8, places in STRATEGIES. The intervals of the last feature vary fastest.
    """

    bounds: Bounds
    choice: NDArray[np.int8]

    def check(self, groups: int) -> None:
        """Refuse tables that do not fit a number of groups, or are out of bounds."""
        names = feature_names(groups)
        if len(self.bounds) != len(names):
            raise InputError(f"bounds must be a list for each of {', '.join(names)}, but there are {len(self.bounds)}")
        for name, inner, low, high in zip(names, self.bounds, *feature_ranges(groups).tolist(), strict=True):
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
        faults = np.flatnonzero((self.choice < 0) | (self.choice >= len(STRATEGIES)))
        if faults.size:
            offenders = (f"{self.choice[i]} for situation {i}" for i in faults)
            raise InputError(f"choice must be in 0..{len(STRATEGIES) - 1}, but is {first_few(offenders, faults.size)}")

    def strategy(self, features: ArrayLike) -> int:
        """Return the strategy of the situation to which features, (G + 2,) in their own units, belong."""
        return int(self.choice[situation_of(self.bounds, features)])

    def possible(self) -> Mask:
        """Return which strategies, (13,) bool, some situation has."""
        return np.isin(np.arange(len(STRATEGIES)), self.choice)

    def for_kernel(self) -> Rules:
        """Return the situations as the kernel takes them, without rules."""
        features = len(self.bounds)
        counts = np.array([len(inner) + 1 for inner in self.bounds], dtype=np.int64)
        bounds = np.full((features, int(counts.max())), np.inf)
        for f, inner in enumerate(self.bounds):
            bounds[f, : len(inner)] = inner
        none = np.empty((features, 0))
        return Rules(
            True,
            bounds,
            counts,
            self.choice.astype(np.int64),
            none,
            none,
            np.empty(0),
            np.empty((len(STRATEGIES), 0)),
            self.possible(),
            -math.inf,
            0,
        )

    @property
    def counters(self) -> int:
        """The number of situations: how often each of them came up is counted."""
        return self.choice.size

    def counts_json(self, counts: Ints) -> list[int]:
        """Return how often each situation came up as plain values."""
        numbers: list[int] = counts.tolist()
        return numbers

    def counts_of(self, value: Any) -> Ints | None:
        """Return the counts that `counts_json` wrote, (situations,); None for anything else."""
        return _counts(value, self.counters)

    def by_strategy(self, counts: Ints) -> Ints:
        """Return how often each strategy was chosen, (13,), from how often each situation came up."""
        return np.bincount(self.choice, counts, len(STRATEGIES)).astype(np.int64)


class SymbioticRules(NamedTuple):
    """Rules with a Gaussian for each feature, which vote for and against strategies; see the module.

    Attributes
    ----------
    means, widths
        (R, G + 2) float64, centre and standard deviation of every Gaussian, for features scaled to [0, 1].
    recommendations
        (R, 13) int8, one of LEVELS for every strategy.
    threshold, otherwise
        Where the memberships of all rules add up to less than the threshold, the strategy `otherwise`, a place in
        STRATEGIES, is chosen (section 4.2.2.2); 0 for no threshold.
    """

    means: Floats
    widths: Floats
    recommendations: NDArray[np.int8]
    threshold: float
    otherwise: int

    def check(self, groups: int) -> None:
        """Refuse tables that do not fit a number of groups, or are out of bounds."""
        count = len(self.means)
        shape = (count, groups + 2)
        if count == 0 or self.means.shape != shape or self.widths.shape != shape:
            raise InputError(
                f"means and widths must both have shape (rules, {shape[1]}) with at least one rule, "
                f"but have {self.means.shape} and {self.widths.shape}"
            )
        if self.recommendations.shape != (count, len(STRATEGIES)):
            raise InputError(
                f"recommendations must have shape ({count}, {len(STRATEGIES)}), but have {self.recommendations.shape}"
            )
        names = feature_names(groups)
        for name, table, low in (("means", self.means, -LARGEST), ("widths", self.widths, LEAST_WIDTH)):
            faults = np.argwhere(~((table >= low) & (table <= LARGEST)))
            if faults.size:
                offenders = (f"{table[r, f]:g} for {names[f]} in rule {r + 1}" for r, f in faults)
                raise InputError(f"{name} must be in [{low:g}, {LARGEST:g}], but {first_few(offenders, len(faults))}")
        faults = np.argwhere(~np.isin(self.recommendations, LEVELS))
        if faults.size:
            offenders = (f"{self.recommendations[r, s]} for {STRATEGIES[s]} in rule {r + 1}" for r, s in faults)
            raise InputError(
                f"recommendations must be one of {', '.join(map(str, LEVELS))}, but {first_few(offenders, len(faults))}"
            )

    def strategy(self, features: ArrayLike) -> int:
        """Return the strategy with the largest superposition for features, (G + 2,) in their own units."""
        if self.threshold > 0 and self.log_total(features) < math.log(self.threshold):
            return self.otherwise
        return int(self.superposition(features).argmax())

    def possible(self) -> Mask:
        """Return which strategies, (13,) bool, may be chosen.

        A strategy never is if there is an earlier one that every rule recommends at least as much, or any other one
        that every rule recommends more.
        """
        table = self.recommendations
        at_least = (table[:, :, None] >= table[:, None, :]).all(axis=0)
        more = (table[:, :, None] > table[:, None, :]).all(axis=0)
        strategies: NDArray[np.bool_] = np.logical_not(np.any(np.triu(at_least, 1) | more, axis=0))
        if self.threshold > 0:
            strategies[self.otherwise] = True
        return strategies

    def for_kernel(self) -> Rules:
        """Return the rules as the kernel takes them, without intervals."""
        features = self.means.shape[1]
        sharpness, peaks = self.gaussians()
        return Rules(
            False,
            np.full((features, 1), np.inf),
            np.ones(features, dtype=np.int64),
            np.empty(0, dtype=np.int64),
            np.array(self.means.T, order="C"),
            np.array(sharpness.T, order="C"),
            peaks,
            np.array(self.recommendations.T, dtype=np.float64, order="C"),
            self.possible(),
            math.log(self.threshold) if self.threshold > 0 else -math.inf,
            self.otherwise,
        )

    @property
    def counters(self) -> int:
        """The number of strategies: how often each of them was chosen is counted."""
        return len(STRATEGIES)

    def counts_json(self, counts: Ints) -> dict[str, int]:
        """Return how often each strategy was chosen as plain values, without those that never were."""
        return {strategy: count for strategy, count in zip(STRATEGIES, counts.tolist(), strict=True) if count}

    def counts_of(self, value: Any) -> Ints | None:
        """Return the counts that `counts_json` wrote, (13,); None for anything else."""
        if not isinstance(value, dict) or not set(value) <= set(STRATEGIES):
            return None
        return _counts([value.get(strategy, 0) for strategy in STRATEGIES], self.counters)

    def by_strategy(self, counts: Ints) -> Ints:
        """Return how often each strategy was chosen, (13,): these counts."""
        return counts

    def log_memberships(self, features: ArrayLike) -> Floats:
        """Return the natural logarithm of the membership of every rule, (R,), for features, (G + 2,) in their units.

        Notes
        -----
        Equation 5 of paper 001, in logarithms because a product of seven narrow Gaussians may be 0 in float64.

        Examples
        --------
        Three standard normal distributions, two at their centres and one a standard deviation away.

        >>> votes = np.array([[5] + [0] * 12], dtype=np.int8)
        >>> rules = SymbioticRules(np.array([[0.0, 0.0, 2.0]]), np.ones((1, 3)), votes, threshold=0, otherwise=0)
        >>> bool(np.isclose(np.exp(rules.log_memberships([1, 0, 100]))[0], 0.39894228**3 * np.exp(-0.5)))
        True
        """
        sharpness, logs = self.gaussians()
        for value, mean, sharp in zip(normalise(features).tolist(), self.means.T, sharpness.T, strict=True):
            logs = logs - ((value - mean) * sharp) ** 2
        return logs

    def gaussians(self) -> tuple[Floats, Floats]:
        """Return 1 / (sigma sqrt 2), (R, G + 2), and the logarithm of the product of the peaks, (R,), of all rules."""
        peaks = [0.0] * len(self.widths)
        for rule, row in enumerate(self.widths.tolist()):
            for sigma in row:
                peaks[rule] -= math.log(sigma * math.sqrt(2.0 * math.pi))
        return 1.0 / (self.widths * math.sqrt(2.0)), np.array(peaks)

    def superposition(self, features: ArrayLike) -> Floats:
        """Return the sum of membership x recommendation over the rules for each strategy, (13,).

        Memberships are scaled so that the largest is 1, which changes no comparison. They are added up in the order of
        the rules.
        """
        logs = self.log_memberships(features)
        votes = np.zeros(len(STRATEGIES))
        for log, levels in zip((logs - logs.max()).tolist(), self.recommendations, strict=True):
            votes += math.exp(log) * levels
        return votes

    def log_total(self, features: ArrayLike) -> float:
        """Return the natural logarithm of the sum of the memberships of all rules, added up in their order."""
        logs = self.log_memberships(features)
        largest = logs.max()
        return float(largest + math.log(sum(math.exp(log) for log in (logs - largest).tolist())))


Chooser = IterativeRules | SymbioticRules


def situation_of(bounds: Bounds, features: ArrayLike) -> int:
    """Return the number of the situation, 0 first, to which features, (G + 2,) in their own units, belong.

    Examples
    --------
    >>> bounds = ((2.0,), (75.0, 85.0), ())
    >>> [situation_of(bounds, [sd, um, 100]) for sd, um in ((1, 75), (2, 75.1), (2.1, 75), (100, 100))]
    [0, 1, 3, 5]
    """
    number = 0
    for value, inner in zip(np.asarray(features, dtype=np.float64).tolist(), bounds, strict=True):
        number = number * (len(inner) + 1) + sum(value > bound for bound in inner)
    return number


def intervals(bounds: Bounds) -> list[tuple[str, ...]]:
    """Return the intervals of the features in every situation, in the order of `IterativeRules.choice`.

    Examples
    --------
    >>> intervals(((2.0,), (), ()))
    [('1..2', '0..100', '0..100'), ('2..100', '0..100', '0..100')]
    """
    texts = [[f"{_number(a)}..{_number(b)}" for a, b in pairwise(row)] for row in interval_edges(bounds)]
    return list(product(*texts))


def interval_edges(bounds: Bounds) -> list[list[float]]:
    """Return, for every feature, where its intervals begin, and where the last one ends."""
    ranges = feature_ranges(len(bounds) - 2).T.tolist()
    return [[low, *inner, high] for (low, high), inner in zip(ranges, bounds, strict=True)]


def _counts(value: Any, size: int) -> Ints | None:
    """Return counts, (size,), of which some are not 0; None if a value of JSON is anything else."""
    whole = isinstance(value, list) and all(type(count) is int and 0 <= count < 2**50 for count in value)
    if not whole or len(value) != size or not any(value):
        return None
    return np.array(value, dtype=np.int64)


def _number(value: float) -> str:
    """Return a number as short text that is exact."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
