"""The start solutions of paper 002: which user groups come before which others.

Paper 002 (section 2.1, end) ranks the user groups; groups of one rank keep the order of arrival among their jobs.
For three groups these are the 13 orders 1,2,3 · (1,2),3 · ... · 3,2,1 and (1,2,3), the weak orders or ordered set
partitions; for five groups 541. The paper's 540 leave out the fully merged one, which is the original order. Each is
applied to the whole workload before the simulation (static: a sequence of all jobs) or to the waiting queue during
it (dynamic: a Greedy policy without time dependence).

The genome for G groups is (G + 1,) float64: the rank of each group, 0 first, then 0 for the whole workload or 1 for
the waiting queue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import checked_when_made, whole_number
from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html
from ..core.situations import SITUATIONS
from ..policies.decoded_orders import outcome_of_order
from ..policies.greedy_order import BACKFILLS, HIGHEST, WITH_BACKFILL, Greedy, greedy
from ..policies.outcome import Outcome
from ..workload.workload import Workload
from .genomes import Decoder, Variation

MOST_GROUPS = 6  # 4,683 orders; K in [0, 5] has room for six ranks


@checked_when_made
class Orders(NamedTuple):
    """The encoding by weak orders; its methods are those of `Explored`.

    Attributes
    ----------
    backfill
        Of the waiting queue: "none", "easy" or "conservative". Orders of the whole workload are followed strictly.
    """

    backfill: str = "easy"

    def __post_init__(self) -> None:
        self.check_words()

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def name(self) -> str:
        """Return the name of the encoding in options and files."""
        return "orders"

    @property
    def variation(self) -> Variation:
        """Return how a run comes to its genomes: all are simulated."""
        return Variation(enumerated=True)

    def check_words(self) -> None:
        """Refuse words that are not known; raises InputError."""
        one_of("backfill", self.backfill, BACKFILLS)

    def gene_labels(self, groups: int) -> list[str]:
        """Return the names of all genes, in their order.

        Examples
        --------
        >>> Orders().gene_labels(2)
        ['rank of group 1', 'rank of group 2', 'waiting queue']
        """
        return [f"rank of group {i + 1}" for i in range(groups)] + ["waiting queue"]

    def lower_upper(self, groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (G + 1,) float64.

        Examples
        --------
        >>> Orders().lower_upper(3)[1].tolist()
        [2.0, 2.0, 2.0, 1.0]
        """
        return np.zeros(groups + 1), np.array([groups - 1.0] * groups + [1.0])

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into outcomes; raises InputError if there are too many groups."""
        _check_count(len(workload.groups))
        workload.calendar  # noqa: B018  # tabulated once, before threads share it

        def outcome(genome: Floats, _ancestors: Floats) -> Outcome:
            ranks, dynamic = decode(genome, workload.groups)
            if dynamic:
                return queue_policy(ranks, workload.groups, self.backfill).outcome(workload)
            return outcome_of_order(workload, static_order(workload, ranks), "strict")

        return outcome

    def examples(self, groups: Sequence[str]) -> tuple[Orders, Floats]:
        """Return the encoding itself, and an order of the whole workload and one of the waiting queue, (2, d)."""
        return self, np.array([[0.0] * len(groups) + [where] for where in (0.0, 1.0)])

    def ancestry(self, _archive: Floats, genomes: Floats) -> Floats:
        """Return no row, (0, d): a genome stands for itself."""
        return genomes[:0]

    def policy_of(self, genome: Floats, groups: Sequence[str]) -> Greedy | None:
        """Return the policy of an order of the waiting queue; None for an order of the whole workload."""
        ranks, dynamic = decode(genome, groups)
        return queue_policy(ranks, groups, self.backfill) if dynamic else None

    def order_policy_of(self, genome: Floats, groups: Sequence[str]) -> Greedy | None:
        """Return the policy of an order of the waiting queue; None for an order of the whole workload."""
        return self.policy_of(genome, groups)

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, d), are orders of the waiting queue, (k,) bool."""
        queue: Mask = genomes[:, -1] == 1.0
        return queue


def weak_orders(groups: int) -> Ints:
    """Return all weak orders of the groups.

    Parameters
    ----------
    groups
        How many groups, 1 to 6.

    Returns
    -------
    (k, groups) int64
        The rank of each group, 0 first, no rank without a group; rows in lexicographic order. Row 0, all zero, is the
        fully merged one, which leaves jobs in the order of their arrival. k is 1, 3, 13, 75, 541, 4683.

    Raises
    ------
    InputError
        There are fewer than one or more than six groups.

    Examples
    --------
    >>> weak_orders(2).tolist()
    [[0, 0], [0, 1], [1, 0]]
    >>> len(weak_orders(5))
    541
    """
    _check_count(groups)
    ranks = np.indices((groups,) * groups).reshape(groups, -1).T
    ascending = np.sort(ranks, axis=1)
    gapless = (ascending[:, 0] == 0) & (np.diff(ascending, axis=1) <= 1).all(axis=1)
    return np.ascontiguousarray(ranks[gapless], dtype=np.int64)


def permutations_and_original(groups: int) -> Ints:
    """Return the orders in which no two groups are merged, and the fully merged one: (121, 5) for five groups.

    Paper 002 (section 4.3) starts NSGA-II from these. Rows as in `weak_orders`; row 0 is the fully merged one, the
    original order.

    Examples
    --------
    >>> permutations_and_original(2).tolist(), len(permutations_and_original(5))
    ([[0, 0], [0, 1], [1, 0]], 121)
    """
    ranks = weak_orders(groups)
    highest = ranks.max(axis=1)
    rows: Ints = ranks[(highest == 0) | (highest == groups - 1)]
    return rows


def written_as(ranks: ArrayLike, groups: Sequence[str]) -> str:
    """Return an order as people write it: the names of the groups, those of one rank in brackets.

    Examples
    --------
    >>> written_as([0, 1, 1, 2, 3], "12345"), written_as([1, 0], ["staff", "guests"])
    ('1, (2,3), 4, 5', 'guests, staff')
    """
    group_ranks = _as_ranks(ranks, groups).tolist()
    names_by_rank = [
        [groups[g] for g, r in enumerate(group_ranks) if r == rank] for rank in range(max(group_ranks) + 1)
    ]
    return ", ".join(names[0] if len(names) == 1 else f"({','.join(names)})" for names in names_by_rank)


def static_order(workload: Workload, ranks: ArrayLike) -> NDArray[np.int32]:
    """Return the whole workload sorted by the rank of the jobs' groups, ties in the order of arrival.

    Parameters
    ----------
    workload
        The jobs.
    ranks
        (G,) rank of each group of the workload, 0 first.

    Returns
    -------
    (n,) int32
        Rows of the workload, in the order in which they are to start.

    Raises
    ------
    InputError
        The ranks are no weak order of the workload's groups.

    Examples
    --------
    >>> w = Workload([0, 1, 2], [1, 1, 1], [1, 1, 1], [1, 1, 1], 1, group=[1, 0, 1], groups=("staff", "guests"))
    >>> static_order(w, [1, 0]).tolist()
    [0, 2, 1]
    """
    jobs, rows = workload.in_arrival_order
    order = np.argsort(_as_ranks(ranks, jobs.groups)[jobs.group], kind="stable")
    return (order if rows is None else rows[order]).astype(np.int32)


def queue_policy(ranks: ArrayLike, groups: Sequence[str], backfill: str) -> Greedy:
    """Return the policy that sorts the waiting queue by the rank of the jobs' groups, ties in the order of arrival.

    It is Greedy with f1 in all situations, w = 1, K = 5 - rank and a = b = 0, so that keys are small whole numbers
    and never change. Fully merged it is FCFS, or EASY with `backfill` "easy".

    Parameters
    ----------
    ranks
        (G,) rank of each group, 0 first.
    groups
        Names of the groups.
    backfill
        "none", "easy" or "conservative".

    Raises
    ------
    InputError
        The ranks are no weak order of these groups, or the backfilling is unknown.

    Examples
    --------
    >>> p = queue_policy([1, 0, 0], ["1", "2", "3"], "easy")
    >>> p.name, p.criteria[0], p.genes[0].tolist()
    ('(2,3), 1 with EASY', 'f1', [1.0, 1.0, 1.0, 4.0, 5.0, 5.0, 0.0, 0.0])
    """
    group_ranks = _as_ranks(ranks, groups)
    row = np.concatenate([np.ones(group_ranks.size), HIGHEST["K"] - group_ranks, [0.0, 0.0]])
    name = written_as(group_ranks, groups) + WITH_BACKFILL.get(backfill, "")
    return greedy(
        ["f1"] * len(SITUATIONS), np.tile(row, (len(SITUATIONS), 1)), groups=groups, backfill=backfill, name=name
    )


def encode(ranks: ArrayLike, dynamic: bool) -> Floats:
    """Return the genomes of weak orders.

    Parameters
    ----------
    ranks
        (..., G), rows of `weak_orders`.
    dynamic
        True for the waiting queue, False for the whole workload.

    Returns
    -------
    (..., G + 1) float64

    Examples
    --------
    >>> encode([[0, 1], [1, 0]], dynamic=True).tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]]
    """
    table = np.asarray(ranks, dtype=np.float64)
    return np.concatenate([table, np.full((*table.shape[:-1], 1), float(dynamic))], axis=-1)


def decode(genome: ArrayLike, groups: Sequence[str]) -> tuple[Ints, bool]:
    """Return the ranks of a genome, and whether they are for `queue_policy` or for `static_order`.

    Returns
    -------
    ranks : (G,) int64
        Rank of each group, 0 first.
    dynamic : bool
        True for the waiting queue, False for the whole workload.

    Raises
    ------
    InputError
        The length is wrong, the ranks are no weak order, or the last gene is neither 0 nor 1.

    Examples
    --------
    >>> ranks, dynamic = decode([1, 0, 0, 1], ["1", "2", "3"])
    >>> ranks.tolist(), dynamic
    ([1, 0, 0], True)
    """
    genes = np.asarray(genome, dtype=np.float64)
    if genes.shape != (len(groups) + 1,):
        raise InputError(
            f"a genome for {len(groups)} groups must have shape ({len(groups) + 1},), but has {genes.shape}"
        )
    if genes[-1] not in (0.0, 1.0):
        raise InputError(f"the last gene must be 0 (whole workload) or 1 (waiting queue), but is {genes[-1]:g}")
    return _as_ranks(genes[:-1], groups), bool(genes[-1])


def _as_ranks(ranks: ArrayLike, groups: Sequence[str]) -> Ints:
    """Return `ranks` as (G,) int64 if they are a weak order of the groups."""
    _check_count(len(groups))
    try:
        numbers = np.asarray(ranks, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("ranks must be one number a group, but are not") from None
    if numbers.shape != (len(groups),):
        raise InputError(f"ranks must be one a group, shape ({len(groups)},), but have shape {numbers.shape}")
    values = np.unique(numbers)
    if values.tolist() != list(range(values.size)):
        raise InputError(
            f"ranks must be 0, 1, ... without a gap, but are {', '.join(f'{rank:g}' for rank in numbers.tolist())}"
        )
    return numbers.astype(np.int64)


def _check_count(groups: int) -> None:
    """Refuse too few or too many groups; raises InputError."""
    if not 1 <= whole_number("groups", groups) <= MOST_GROUPS:
        raise InputError(f"orders are for 1 to {MOST_GROUPS} groups, but there are {groups}")
