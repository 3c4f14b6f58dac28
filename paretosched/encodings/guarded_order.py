"""Guarded orders as genomes: what their owner leaves open, on logarithmic scales; see `paretosched.policies.guarded`.

A genome is a policy for a wish: which groups come first, and how many times EASY's the AWRT may be, stand in the
encoding. What the policy steers by lies about these limits: a guard that looks back every few hours may have to be
stricter than its owner. The loosest factors, less the guard's margins, are the limits themselves, but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import starmap

import numpy as np

from ..core.arrays import Floats, Mask
from ..policies.guarded import FACTORS, MARGINS, Guarded
from ..policies.outcome import Outcome
from ..policies.policy import Policy, as_policy
from ..workload.workload import Workload
from .genomes import Decoder

GENES = ("policy", "overall", "each", "ageing", "step")
POLICY = 0
# Of the wish's limits, overall and of each group; hours; doublings of the area.
RANGES = ((0.95, 1 / (1 - MARGINS[0])), (0.85, 1 / (1 - MARGINS[1])), (3.0, 96.0), (1.0, 8.0))
DIGITS = 3


@dataclass(frozen=True)
class GuardedOrders:
    """Genomes for guarded orders, or for policies in words; its methods are those of `Encoding`.

    The first gene chooses: 0 a guarded order by the others, which are in [0, 1]; k the policy number k, from 1.

    Parameters
    ----------
    first
        The groups that come first.
    overall, each
        The limits of the wish: how many times EASY's the AWRT may be, and that of each group.
    policies
        Policies in words.
    """

    first: tuple[str, ...]
    overall: float
    each: float
    policies: tuple[str, ...] = ()

    def gene_labels(self, _groups: int) -> list[str]:
        """Return the names of all genes, in their order."""
        return list(GENES)

    def lower_upper(self, _groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (5,) float64."""
        upper = np.ones(len(GENES))
        upper[POLICY] = len(self.policies)
        return np.zeros(len(GENES)), upper

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into outcomes."""

        def outcome(genome: Floats, _ancestors: Floats) -> Outcome:
            return self.policy_of(genome, workload.groups).outcome(workload)

        return outcome

    def examples(self, groups: Sequence[str]) -> tuple[GuardedOrders, Floats]:
        """Return an encoding for a workload with these groups, and two genomes, (2, 5).

        They are a guarded order, of which the first of the groups comes first, because the workload need not have those
        of the wish; and the first policy in words if there is one.
        """
        genomes = np.full((2, len(GENES)), 0.5)
        genomes[:, POLICY] = 0, min(1, len(self.policies))
        return replace(self, first=tuple(groups[:1])), genomes

    def ancestry(self, _archive: Floats, genomes: Floats) -> Floats:
        """Return no row, (0, 5): a genome stands for itself."""
        return genomes[:0]

    def policy_of(self, genome: Floats, _groups: Sequence[str]) -> Policy:
        """Return the policy that a genome, (5,), stands for.

        Examples
        --------
        >>> policy = GuardedOrders(("1",), 1, 1.25).policy_of(np.array([0, 0.5, 0, 0.4, 1]), ("1", "2"))
        >>> policy.overall, policy.each, policy.ageing, policy.step
        (0.985, 1.06, 43200, 8.0)
        """
        if genome[POLICY] > 0:
            return as_policy(self.policies[int(genome[POLICY]) - 1])
        overall, each, ageing, step = starmap(_between, zip(RANGES, genome[POLICY + 1 :], strict=True))
        return Guarded(
            self.first,
            _factor(self.overall * overall),
            _factor(self.each * each),
            ageing=3600 * round(ageing),
            step=_few_digits(step),
            name="trained guarded order",
        )

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, 5), stand for an online policy, (k,) bool: all."""
        return np.ones(len(genomes), dtype=np.bool_)


def _between(ends: tuple[float, float], gene: float) -> float:
    """Return the number for which a gene in [0, 1] stands, on a logarithmic scale."""
    low, high = ends
    return float(low * (high / low) ** gene)


def _factor(value: float) -> float:
    """Return a number as a factor that a guarded order can have."""
    low, high = FACTORS
    return min(max(_few_digits(value), low), high)


def _few_digits(value: float) -> float:
    """Return a number with few digits, as its words have them."""
    return float(f"{value:.{DIGITS}g}")
