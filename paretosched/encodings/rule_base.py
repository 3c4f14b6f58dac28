"""The genomes of rule bases (paper 001): the strategies of fixed situations, or the Gaussians of rules.

What a training does not vary stands in the encoding: the groups, their priority, and the trained Greedy that is the
thirteenth strategy. See `paretosched.policies.rule_base` for what a rule base is.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats, Mask
from ..core.errors import InputError, first_few
from ..policies import greedy_order
from ..policies.greedy_order import Greedy
from ..policies.outcome import Outcome
from ..policies.rule_base import RuleBase, ruled_start_times, sorted_for
from ..policies.strategy_choice import LARGEST, LEAST_WIDTH, LEVELS, STRATEGIES, feature_names
from ..workload.workload import Workload
from .genomes import Decoder

RULES = 50  # in a base; paper 001, section 4.3.1


@dataclass(frozen=True)
class RuleBases(ABC):
    """What both encodings of rule bases have in common; a genome is an online policy for the groups of the encoding.

    Attributes
    ----------
    groups, priority, greedy
        As of `RuleBase`.
    """

    groups: tuple[str, ...]
    priority: tuple[str, ...]
    greedy: Greedy

    @abstractmethod
    def gene_labels(self, _groups: int) -> list[str]:
        """Return the names of all genes, in their order."""

    @abstractmethod
    def lower_upper(self, _groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64."""

    @abstractmethod
    def rule_base(self, genome: ArrayLike) -> RuleBase:
        """Return the rule base that a genome, (d,), stands for; raises InputError."""

    @abstractmethod
    def genome_of(self, base: RuleBase) -> Floats:
        """Return a genome that decodes to the same rule base, (d,) float64."""

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into outcomes; raises InputError if the groups are others."""
        if self.groups != workload.groups:
            raise InputError(
                f"rules are for the groups {', '.join(self.groups)}, "
                f"but {workload.name} has the groups {', '.join(workload.groups)}"
            )
        # a copy, because arrays lose their read-only flag on the way between processes
        encoding = replace(self, greedy=replace(self.greedy))
        every = np.ones(len(STRATEGIES), dtype=np.bool_)
        order = sorted_for(workload, encoding.priority, every)  # once for all genomes
        workload.calendar  # noqa: B018  # tabulated once, before threads share it

        def outcome(genome: Floats, _ancestors: Floats) -> Outcome:
            return Outcome(ruled_start_times(workload, encoding.rule_base(genome), order)[0])

        return outcome

    def ancestry(self, _archive: Floats, genomes: Floats) -> Floats:
        """Return no row, (0, d): a genome stands for itself."""
        return genomes[:0]

    def policy_of(self, genome: ArrayLike, _groups: Sequence[str]) -> RuleBase:
        """Return the policy that a genome, (d,), stands for."""
        return self.rule_base(genome)

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, d), stand for an online policy, (k,) bool: all."""
        return np.ones(len(genomes), dtype=np.bool_)


@dataclass(frozen=True)
class Situations(RuleBases):
    """Iterative rule bases: a genome is the strategy of every situation, (situations,) whole numbers 0..12.

    Its methods are those of `Encoding`.

    Attributes
    ----------
    groups, priority, greedy, bounds
        As of `RuleBase`.
    """

    bounds: tuple[tuple[float, ...], ...]

    def gene_labels(self, _groups: int) -> list[str]:
        """Return the names of all genes, in their order.

        Examples
        --------
        >>> g = greedy_order.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
        >>> Situations(("all",), ("all",), g, ((2,), (), ())).gene_labels(1)
        ['situation 1', 'situation 2']
        """
        return [f"situation {i + 1}" for i in range(math.prod(len(inner) + 1 for inner in self.bounds))]

    def lower_upper(self, _groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64."""
        genes = len(self.gene_labels(len(self.groups)))
        return np.zeros(genes), np.full(genes, len(STRATEGIES) - 1.0)

    def rule_base(self, genome: ArrayLike) -> RuleBase:
        """Return the rule base that a genome stands for.

        Parameters
        ----------
        genome
            (d,) whole numbers within `lower_upper`.

        Raises
        ------
        InputError
            The length is wrong, or a gene is out of its bounds or not a whole number.
        """
        genes = np.asarray(genome, dtype=np.float64)
        _check_genes(self, genes, whole=True)
        choice = genes.astype(np.int8)
        return RuleBase("iterative", self.groups, self.priority, self.greedy, bounds=self.bounds, choice=choice)

    def genome_of(self, base: RuleBase) -> Floats:
        """Return a genome that decodes to the same iterative base, (situations,) float64.

        Examples
        --------
        >>> g = greedy_order.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
        >>> encoding = Situations(("all",), ("all",), g, ((2,), (), ()))
        >>> encoding.genome_of(encoding.rule_base([7, 12])).tolist()
        [7.0, 12.0]
        """
        return base.choice.astype(np.float64)

    def examples(self, groups: Sequence[str]) -> tuple[Situations, Floats]:
        """Return the encoding of a single situation for these groups, and a genome, (1, 1), that needs its kernel."""
        names = tuple(groups)
        return Situations(names, names, _plain_greedy(names), ((),) * (len(names) + 2)), np.array([[12.0]])


@dataclass(frozen=True)
class Symbiotic(RuleBases):
    """Symbiotic rule bases: a genome is the rules, (rules x (2 (G + 2) + 13),), one after the other.

    A rule is the means of its Gaussians, their widths, and its recommendations as real numbers. Decoded, a width has no
    sign and is at least 0.001, and a recommendation is the nearest of the five levels, the lower level of two. The
    methods are those of `Encoding`.

    Attributes
    ----------
    groups, priority, greedy
        As of `RuleBase`.
    rules
        The number of rules.
    defaults
        Whether there are two more genes: the decimal logarithm of a threshold, and the strategy below it, the floor of
        a number in [0, 13].
    """

    rules: int = RULES
    defaults: bool = False

    def gene_labels(self, _groups: int) -> list[str]:
        """Return the names of all genes, in their order.

        Examples
        --------
        >>> g = greedy_order.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
        >>> labels = Symbiotic(("all",), ("all",), g, rules=2).gene_labels(1)
        >>> labels[:4], labels[-1], len(labels)
        (['rule 1 SD mean', 'rule 1 Um mean', 'rule 1 PRCWQ1 mean', 'rule 1 SD width'], 'rule 2 greedy', 38)
        """
        names = feature_names(len(self.groups))
        of_rule = [*(f"{name} mean" for name in names), *(f"{name} width" for name in names), *STRATEGIES]
        default = ["threshold", "strategy below it"] if self.defaults else []
        return [*(f"rule {i + 1} {gene}" for i in range(self.rules) for gene in of_rule), *default]

    def lower_upper(self, _groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64."""
        genes = len(self.gene_labels(len(self.groups)))
        lower, upper = np.full(genes, -LARGEST), np.full(genes, LARGEST)
        if self.defaults:
            lower[-2:], upper[-2:] = (-300.0, 0.0), (300.0, len(STRATEGIES))
        return lower, upper

    def rule_base(self, genome: ArrayLike) -> RuleBase:
        """Return the rule base that a genome stands for.

        Parameters
        ----------
        genome
            (d,) numbers within `lower_upper`.

        Raises
        ------
        InputError
            The length is wrong, or a gene is out of its bounds or not a number.

        Examples
        --------
        >>> g = greedy_order.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
        >>> encoding = Symbiotic(("all",), ("all",), g, rules=1)
        >>> base = encoding.rule_base([0.5, 0.5, 0.5, 0.2, -0.2, 0] + [4, 0.4, -2.9] + [0] * 10)
        >>> base.widths.tolist(), base.recommendations[0, :3].tolist()
        ([[0.2, 0.2, 0.001]], [5, 0, -1])
        """
        genes = np.asarray(genome, dtype=np.float64)
        _check_genes(self, genes, whole=False)
        features = len(self.groups) + 2
        threshold, otherwise = 0.0, 0
        if self.defaults:
            threshold, otherwise = 10.0 ** float(genes[-2]), min(int(genes[-1]), len(STRATEGIES) - 1)
            genes = genes[:-2]
        table = genes.reshape(self.rules, -1)
        return RuleBase(
            "symbiotic",
            self.groups,
            self.priority,
            self.greedy,
            means=table[:, :features],
            widths=np.maximum(abs(table[:, features : 2 * features]), LEAST_WIDTH),
            recommendations=nearest_levels(table[:, 2 * features :]),
            threshold=threshold,
            otherwise=otherwise,
        )

    def genome_of(self, base: RuleBase) -> Floats:
        """Return a genome that decodes to the same symbiotic base, (d,) float64."""
        rules = np.concatenate([base.means, base.widths, base.recommendations], axis=1).ravel()
        return np.append(rules, [math.log10(base.threshold), base.otherwise + 0.5]) if self.defaults else rules

    def examples(self, groups: Sequence[str]) -> tuple[Symbiotic, Floats]:
        """Return the encoding of a single rule for these groups, and a genome, (1, d), that needs its kernel."""
        names = tuple(groups)
        encoding = Symbiotic(names, names, _plain_greedy(names), rules=1)
        return encoding, np.ones((1, len(encoding.gene_labels(len(names)))))


def nearest_levels(values: ArrayLike) -> NDArray[np.int8]:
    """Return the nearest levels of recommendation, the lower level of two, as many as values.

    Examples
    --------
    >>> nearest_levels([-7, -3, -2.9, 0.4, 0.5, 0.6, 3.1]).tolist()
    [-5, -5, -1, 0, 0, 1, 5]
    """
    levels = np.array(LEVELS, dtype=np.int8)
    distance = abs(np.asarray(values, dtype=np.float64)[..., None] - levels)
    nearest: NDArray[np.int8] = levels[distance.argmin(axis=-1)]
    return nearest


def _check_genes(encoding: RuleBases, genes: Floats, *, whole: bool) -> None:
    """Refuse a genome, (d,), of the wrong length, or with genes out of their bounds or not whole, by their names."""
    lower, upper = encoding.lower_upper(len(encoding.groups))
    if genes.shape != lower.shape:
        raise InputError(f"a genome of this encoding must have shape {lower.shape}, but has {genes.shape}")
    good = (genes >= lower) & (genes <= upper)
    faults = np.flatnonzero(~(good & (genes == np.floor(genes))) if whole else ~good)
    if faults.size:
        labels = encoding.gene_labels(len(encoding.groups))
        offenders = (f"{labels[i]} is {genes[i]:g}" for i in faults)
        kind = "whole numbers" if whole else "numbers"
        raise InputError(
            f"genes must be {kind} in [{lower[0]:g}, {upper[0]:g}], but {first_few(offenders, faults.size)}"
        )


def _plain_greedy(groups: tuple[str, ...]) -> Greedy:
    """Return a Greedy that treats all groups alike."""
    return greedy_order.greedy(["f2"] * 3, [[1.0] * len(groups) + [0.0] * len(groups) + [1.0, 0.0]] * 3, groups=groups)
