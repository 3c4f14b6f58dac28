"""The genome of exploration by weighting: the genes of Greedy in three situations, and which criterion rules each.

Paper 002 (section 3.2, "Real-valued Coding") varies the 36 parameters of the job weighting and also modifies the
assignment of criteria to situations. Both are one real vector here. For G groups:

    weekend: w_1..w_G, K_1..K_G, a, b | day: the same | night: the same | criteria of weekend, day, night

that is 3 (2 G + 2) + 3 genes, 39 for five groups. A criterion gene lies in [0, 4]; its floor chooses f1..f4, and the
upper end itself, which the floor would miss, is f4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, first_few, one_of
from ..core.notebook import fields_html
from ..policies.policy import BACKFILLS, CRITERIA, Policy, gene_names, greedy, upper_bounds
from ..simulation.simulator import decoded_start_times, start_times
from ..workload.calendar import SITUATIONS
from ..workload.workload import Workload

DECODINGS = ("online", "earliest")


class Weighting(NamedTuple):
    """The encoding by weighting.

    Attributes
    ----------
    backfill
        Of Greedy: "none", "easy" or "conservative".
    decoding
        "online": the schedule of Greedy itself. "earliest": its start order, each job in turn put to the earliest
        time at which it fits, with true run times; no job starts later, but no online scheduler can do it.
    """

    backfill: str = "easy"
    decoding: str = "online"

    def _repr_html_(self) -> str:
        return fields_html(self)


def checked(encoding: Weighting) -> Weighting:
    """Return the encoding if its words are known; else raise InputError."""
    one_of("backfill", encoding.backfill, BACKFILLS)
    one_of("decoding of a weighting", encoding.decoding, DECODINGS)
    return encoding


def gene_labels(groups: int) -> list[str]:
    """Name every gene, in its order.

    Examples
    --------
    >>> gene_labels(1)[:5], gene_labels(1)[-1], len(gene_labels(5))
    (['weekend w1', 'weekend K1', 'weekend a', 'weekend b', 'day w1'], 'night criterion', 39)
    """
    weights = [f"{situation} {gene}" for situation in SITUATIONS for gene in gene_names(groups)]
    return weights + [f"{situation} criterion" for situation in SITUATIONS]


def lower_upper(groups: int) -> tuple[Floats, Floats]:
    """Give the smallest and the largest value of every gene, two (d,) float64.

    Examples
    --------
    >>> lower, upper = lower_upper(1)
    >>> lower.any(), upper.tolist()
    (np.False_, [1.0, 5.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 4.0, 4.0, 4.0])
    """
    upper = np.concatenate([np.tile(upper_bounds(groups), len(SITUATIONS)), np.full(len(SITUATIONS), len(CRITERIA))])
    return np.zeros(upper.size), upper


def decode(genome: ArrayLike, groups: Sequence[str], backfill: str) -> Policy:
    """Turn a genome into the policy it stands for.

    Parameters
    ----------
    genome
        (d,) within `lower_upper`.
    groups
        Names of the user groups.
    backfill
        "none", "easy" or "conservative".

    Raises
    ------
    InputError
        The length is wrong, or a gene is out of its bounds or not a number.

    Examples
    --------
    >>> p = decode([1, 5, 0.5, 0.5] * 3 + [0, 3.99, 4], ["all"], "easy")
    >>> p.criteria, p.genes.shape
    (('f1', 'f4', 'f4'), (3, 4))
    """
    genes = np.asarray(genome, dtype=np.float64)
    lower, upper = lower_upper(len(groups))
    if genes.shape != upper.shape:
        raise InputError(f"a genome for {len(groups)} groups must have shape {upper.shape}, but has {genes.shape}")
    broken = np.flatnonzero(~((genes >= lower) & (genes <= upper)))
    if broken.size:
        labels = gene_labels(len(groups))
        shown = first_few((f"{labels[i]} is {genes[i]:g}" for i in broken), broken.size)
        raise InputError(f"genes must be w, a, b in [0, 1], K in [0, 5] and criterion in [0, 4], but {shown}")
    last = len(CRITERIA) - 1
    criteria = [CRITERIA[min(int(gene), last)] for gene in genes[-len(SITUATIONS) :]]
    return greedy(criteria, genes[: -len(SITUATIONS)], groups=groups, backfill=backfill)


def encode(policy: Policy) -> Floats:
    """Turn a Greedy policy into a genome that decodes to the same criteria and genes, (d,) float64.

    Raises
    ------
    InputError
        The policy is not Greedy.

    Examples
    --------
    >>> encode(greedy(["f1", "f2", "f4"], [[1, 5, 0, 0]] * 3, groups=["all"]))[-3:].tolist()
    [0.5, 1.5, 3.5]
    """
    if policy.rule != "greedy":
        raise InputError(f'only a "greedy" policy has a genome, but {policy.name} is "{policy.rule}"')
    middles = [CRITERIA.index(criterion) + 0.5 for criterion in policy.criteria]
    return np.concatenate([policy.genes.ravel(), middles])


def starting(workload: Workload, encoding: Weighting) -> Callable[[Floats, Floats], NDArray[np.int64]]:
    """Make the function that turns genomes into start times, see `encodings.starting`."""
    workload.calendar  # noqa: B018  # tabulated once, before threads share it

    def start(genome: Floats, _ancestors: Floats) -> NDArray[np.int64]:
        found = start_times(workload, decode(genome, workload.groups, encoding.backfill))
        if encoding.decoding == "online":
            return found
        return decoded_start_times(workload, np.argsort(found, kind="stable").astype(np.int32), "earliest")

    return start
