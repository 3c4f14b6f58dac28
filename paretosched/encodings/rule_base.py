"""The genomes of rule bases (paper 001): the strategies of fixed situations, or the Gaussians of rules.

What a training does not vary stands in the encoding: the groups, their priority, and the trained Greedy that is the
thirteenth strategy. See `paretosched.policies.rule_base` for what a rule base is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, first_few
from ..policies import greedy_order as policies
from ..policies.greedy_order import Greedy
from ..policies.rule_base import (
    LARGEST,
    LEAST_WIDTH,
    LEVELS,
    STRATEGIES,
    RuleBase,
    feature_names,
    ruled_start_times,
    sorted_for,
)
from ..workload.workload import Workload

RULES = 50  # in a base; paper 001, section 4.3.1


class Situations(NamedTuple):
    """Iterative rule bases: a genome is the strategy of every situation, (situations,) whole numbers 0..12.

    Attributes
    ----------
    groups, priority, greedy, bounds
        As of `RuleBase`.
    """

    groups: tuple[str, ...]
    priority: tuple[str, ...]
    greedy: Greedy
    bounds: tuple[tuple[float, ...], ...]


class Symbiotic(NamedTuple):
    """Symbiotic rule bases: a genome is the rules, (rules x (2 (G + 2) + 13),), one after the other.

    A rule is the means of its Gaussians, their widths, and its recommendations as real numbers. Decoded, a width is
    taken without its sign and at least 0.001, and a recommendation is the nearest of the five levels, the lower
    one of two.

    Attributes
    ----------
    groups, priority, greedy
        As of `RuleBase`.
    rules
        How many there are.
    defaults
        Whether two genes more are the decimal logarithm of a threshold, and what is chosen below it: the floor of a
        number in [0, 13].
    """

    groups: tuple[str, ...]
    priority: tuple[str, ...]
    greedy: Greedy
    rules: int = RULES
    defaults: bool = False


def gene_labels(encoding: Situations | Symbiotic) -> list[str]:
    """Name every gene, in its order.

    Examples
    --------
    >>> g = policies.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> gene_labels(Situations(("all",), ("all",), g, ((2,), (), ())))
    ['situation 1', 'situation 2']
    >>> labels = gene_labels(Symbiotic(("all",), ("all",), g, rules=2))
    >>> labels[:4], labels[-1], len(labels)
    (['rule 1 SD mean', 'rule 1 Um mean', 'rule 1 PRCWQ1 mean', 'rule 1 SD width'], 'rule 2 greedy', 38)
    """
    if isinstance(encoding, Situations):
        return [f"situation {i + 1}" for i in range(math.prod(len(inner) + 1 for inner in encoding.bounds))]
    names = feature_names(len(encoding.groups))
    of_rule = [*(f"{name} mean" for name in names), *(f"{name} width" for name in names), *STRATEGIES]
    default = ["threshold", "strategy below it"] if encoding.defaults else []
    return [*(f"rule {i + 1} {gene}" for i in range(encoding.rules) for gene in of_rule), *default]


def lower_upper(encoding: Situations | Symbiotic) -> tuple[Floats, Floats]:
    """Give the smallest and the largest value of every gene, two (d,) float64."""
    genes = len(gene_labels(encoding))
    if isinstance(encoding, Situations):
        return np.zeros(genes), np.full(genes, len(STRATEGIES) - 1.0)
    lower, upper = np.full(genes, -LARGEST), np.full(genes, LARGEST)
    if encoding.defaults:
        lower[-2:], upper[-2:] = (-300.0, 0.0), (300.0, len(STRATEGIES))
    return lower, upper


def decode(encoding: Situations | Symbiotic, genome: ArrayLike) -> RuleBase:
    """Turn a genome into the rule base it stands for.

    Parameters
    ----------
    encoding
        What the genome means.
    genome
        (d,) within `lower_upper`.

    Raises
    ------
    InputError
        The length is wrong, or a gene is out of its bounds or not a number.

    Examples
    --------
    >>> g = policies.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> encoding = Symbiotic(("all",), ("all",), g, rules=1)
    >>> base = decode(encoding, [0.5, 0.5, 0.5, 0.2, -0.2, 0] + [4, 0.4, -2.9] + [0] * 10)
    >>> base.widths.tolist(), base.recommendations[0, :3].tolist()
    ([[0.2, 0.2, 0.001]], [5, 0, -1])
    """
    genes = np.asarray(genome, dtype=np.float64)
    lower, upper = lower_upper(encoding)
    if genes.shape != lower.shape:
        raise InputError(f"a genome of this encoding must have shape {lower.shape}, but has {genes.shape}")
    whole = (genes == np.floor(genes)) | isinstance(encoding, Symbiotic)
    broken = np.flatnonzero(~((genes >= lower) & (genes <= upper) & whole))
    if broken.size:
        labels = gene_labels(encoding)
        offenders = (f"{labels[i]} is {genes[i]:g}" for i in broken)
        kind = "whole numbers" if isinstance(encoding, Situations) else "numbers"
        raise InputError(
            f"genes must be {kind} in [{lower[0]:g}, {upper[0]:g}], but {first_few(offenders, broken.size)}"
        )
    if isinstance(encoding, Situations):
        groups, priority, greedy, bounds = encoding
        return RuleBase("iterative", groups, priority, greedy, bounds=bounds, choice=genes.astype(np.int8))
    features = len(encoding.groups) + 2
    threshold, otherwise = 0.0, 0
    if encoding.defaults:
        threshold, otherwise = 10.0 ** float(genes[-2]), min(int(genes[-1]), len(STRATEGIES) - 1)
        genes = genes[:-2]
    table = genes.reshape(encoding.rules, -1)
    return RuleBase(
        "symbiotic",
        encoding.groups,
        encoding.priority,
        encoding.greedy,
        means=table[:, :features],
        widths=np.maximum(abs(table[:, features : 2 * features]), LEAST_WIDTH),
        recommendations=nearest_levels(table[:, 2 * features :]),
        threshold=threshold,
        otherwise=otherwise,
    )


def nearest_levels(values: ArrayLike) -> NDArray[np.int8]:
    """Give the nearest of the levels of recommendation, the lower one of two.

    Examples
    --------
    >>> nearest_levels([-7, -3, -2.9, 0.4, 0.5, 0.6, 3.1]).tolist()
    [-5, -5, -1, 0, 0, 1, 5]
    """
    levels = np.array(LEVELS, dtype=np.int8)
    away = abs(np.asarray(values, dtype=np.float64)[..., None] - levels)
    found: NDArray[np.int8] = levels[away.argmin(axis=-1)]
    return found


def encode(base: RuleBase) -> Floats:
    """Turn a rule base into a genome that decodes to the same, (d,) float64.

    Examples
    --------
    >>> g = policies.greedy(["f2"] * 3, [[1, 0, 1, 0]] * 3, groups=("all",))
    >>> encode(RuleBase("iterative", ("all",), ("all",), g, bounds=((2,), (), ()), choice=[7, 12])).tolist()
    [7.0, 12.0]
    """
    if base.kind == "iterative":
        return base.choice.astype(np.float64)
    rules = np.concatenate([base.means, base.widths, base.recommendations], axis=1).ravel()
    return np.append(rules, [math.log10(base.threshold), base.otherwise + 0.5]) if base.threshold > 0 else rules


def policy_of(encoding: Situations | Symbiotic, genome: ArrayLike) -> RuleBase:
    """Return the policy that a genome stands for."""
    return decode(encoding, genome)


def examples(encoding: Situations | Symbiotic, groups: tuple[str, ...]) -> tuple[Situations | Symbiotic, Floats]:
    """Give a small encoding of the same kind for any workload with `groups`, and genomes that need its kernel."""
    plain = policies.greedy(["f2"] * 3, [[1.0] * len(groups) + [0.0] * len(groups) + [1.0, 0.0]] * 3, groups=groups)
    if isinstance(encoding, Situations):
        small = Situations(groups, groups, plain, ((),) * (len(groups) + 2))
        return small, np.array([[12.0]])
    one = Symbiotic(groups, groups, plain, rules=1)
    return one, np.ones((1, len(gene_labels(one))))


def starting(workload: Workload, encoding: Situations | Symbiotic) -> Callable[[Floats, Floats], NDArray[np.int64]]:
    """Make the function that turns genomes into start times, see `encodings.starting`."""
    if encoding.groups != workload.groups:
        raise InputError(
            f"rules are for the groups {', '.join(encoding.groups)}, "
            f"but {workload.name} has the groups {', '.join(workload.groups)}"
        )
    # made anew, because arrays that have travelled between processes have lost that they are read-only
    mine = encoding._replace(greedy=replace(encoding.greedy))
    order = sorted_for(workload, mine.priority, np.ones(len(STRATEGIES), dtype=np.bool_))  # once for all genomes
    workload.calendar  # noqa: B018  # tabulated once, before threads share it

    def start(genome: Floats, _ancestors: Floats) -> NDArray[np.int64]:
        return ruled_start_times(workload, decode(mine, genome), order)[0]

    return start
