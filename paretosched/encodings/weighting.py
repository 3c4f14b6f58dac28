"""The genome of exploration by weighting: the genes of Greedy in three situations, and the criterion of each.

Paper 002 (section 3.2, "Real-valued Coding") varies the 36 parameters of the job weighting and also modifies the
assignment of criteria to situations. Both are one real vector here. For G groups:

    weekend: w_1..w_G, K_1..K_G, a, b | day: the same | night: the same | criteria of weekend, day, night

that is 3 (2 G + 2) + 3 genes, 39 for five groups. A criterion gene lies in [0, 4]; its floor chooses f1..f4, and the
upper end 4 also means f4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import checked_when_made
from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, first_few, one_of
from ..core.notebook import fields_html
from ..core.situations import SITUATIONS
from ..policies.decoded_orders import outcome_of_order
from ..policies.greedy_order import BACKFILLS, CRITERIA, HIGHEST, Greedy, gene_names, greedy, upper_bounds
from ..policies.outcome import Outcome
from ..policies.plain import Plain
from ..policies.policy import Policy
from ..policies.priority import ALL, Backfill, Priority
from ..policies.published_orders import PRIORITY
from ..workload.workload import Workload
from .genomes import Decoder, Variation

DECODINGS = ("online", "earliest")
_BACKFILL_OF = {"fcfs": "none", "easy": "easy", "conservative-replan": "conservative"}  # plain rules in arrival order


@checked_when_made
class Weighting(NamedTuple):
    """The encoding by weighting; its methods are those of `Explored`.

    Attributes
    ----------
    backfill
        Of Greedy: "none", "easy" or "conservative".
    decoding
        "online": the schedule of Greedy itself. "earliest": its start order, each job in turn put to the earliest
        time at which it fits, with true run times; no job starts later, but no online scheduler can do this.
    """

    backfill: str = "easy"
    decoding: str = "online"

    def __post_init__(self) -> None:
        self.check_words()

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def name(self) -> str:
        """Return the name of the encoding in options and files."""
        return "weighting"

    @property
    def variation(self) -> Variation:
        """Return how a run comes to its genomes: an algorithm searches them."""
        return Variation()

    def check_words(self) -> None:
        """Refuse words that are not known; raises InputError."""
        one_of("backfill", self.backfill, BACKFILLS)
        one_of("decoding of a weighting", self.decoding, DECODINGS)

    def gene_labels(self, groups: int) -> list[str]:
        """Return the names of all genes, in their order.

        Examples
        --------
        >>> labels = Weighting().gene_labels(1)
        >>> labels[:5], labels[-1], len(Weighting().gene_labels(5))
        (['weekend w1', 'weekend K1', 'weekend a', 'weekend b', 'day w1'], 'night criterion', 39)
        """
        weights = [f"{situation} {gene}" for situation in SITUATIONS for gene in gene_names(groups)]
        return weights + [f"{situation} criterion" for situation in SITUATIONS]

    def lower_upper(self, groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64.

        Examples
        --------
        >>> lower, upper = Weighting().lower_upper(1)
        >>> lower.any(), upper.tolist()
        (np.False_, [1.0, 5.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0, 5.0, 1.0, 1.0, 4.0, 4.0, 4.0])
        """
        upper = np.concatenate(
            [np.tile(upper_bounds(groups), len(SITUATIONS)), np.full(len(SITUATIONS), len(CRITERIA))]
        )
        return np.zeros(upper.size), upper

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into outcomes."""
        workload.calendar  # noqa: B018  # tabulated once, before threads share it

        def outcome(genome: Floats, _ancestors: Floats) -> Outcome:
            online = decode(genome, workload.groups, self.backfill).outcome(workload)
            if self.decoding == "online":
                return online
            return outcome_of_order(workload, np.argsort(online.start, kind="stable").astype(np.int32), "earliest")

        return outcome

    def examples(self, groups: Sequence[str]) -> tuple[Weighting, Floats]:
        """Return the encoding itself, and one genome for each criterion, (4, d)."""
        genomes = np.tile(self.lower_upper(len(groups))[1], (len(CRITERIA), 1))
        genomes[:, -len(SITUATIONS) :] = np.arange(len(CRITERIA))[:, None]
        return self, genomes

    def ancestry(self, _archive: Floats, genomes: Floats) -> Floats:
        """Return no row, (0, d): a genome stands for itself."""
        return genomes[:0]

    def policy_of(self, genome: Floats, groups: Sequence[str]) -> Policy | None:
        """Return the Greedy policy that a genome, (d,), stands for; None if it is decoded to the earliest times."""
        return self.order_policy_of(genome, groups) if self.decoding == "online" else None

    def order_policy_of(self, genome: Floats, groups: Sequence[str]) -> Policy:
        """Return the Greedy policy by which the jobs of a genome's schedule are ordered, with either decoding."""
        return decode(genome, groups, self.backfill)

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, d), stand for an online policy, (k,) bool: all or none."""
        return np.full(len(genomes), self.decoding == "online")


def decode(genome: ArrayLike, groups: Sequence[str], backfill: str) -> Greedy:
    """Return the Greedy policy that a genome stands for.

    Parameters
    ----------
    genome
        (d,) numbers within `Weighting.lower_upper`.
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
    lower, upper = Weighting().lower_upper(len(groups))
    if genes.shape != upper.shape:
        raise InputError(f"a genome for {len(groups)} groups must have shape {upper.shape}, but has {genes.shape}")
    faults = np.flatnonzero(~((genes >= lower) & (genes <= upper)))
    if faults.size:
        labels = Weighting().gene_labels(len(groups))
        offenders = first_few((f"{labels[i]} is {genes[i]:g}" for i in faults), faults.size)
        raise InputError(f"genes must be w, a, b in [0, 1], K in [0, 5] and criterion in [0, 4], but {offenders}")
    of_situations, places = genes_and_criteria(genes[None])
    return greedy([CRITERIA[place] for place in places[0]], of_situations[0], groups=groups, backfill=backfill)


def genes_and_criteria(genomes: Floats) -> tuple[Floats, Ints]:
    """Return the genes of Greedy in each situation, (k, 3, 2 G + 2), and the places of the criteria, (k, 3) int64.

    Examples
    --------
    >>> genes, criteria = genes_and_criteria(np.array([[1, 5, 0.5, 0.5] * 3 + [0, 3.99, 4]]))
    >>> genes.shape, criteria.tolist()
    ((1, 3, 4), [[0, 3, 3]])
    """
    count = len(SITUATIONS)
    criteria = np.minimum(genomes[:, -count:].astype(np.int64), len(CRITERIA) - 1)
    return genomes[:, :-count].reshape(len(genomes), count, -1), criteria


def encode(policy: Policy) -> Floats:
    """Return a genome that decodes to the criteria and genes of a Greedy policy, (d,) float64.

    Raises
    ------
    InputError
        The policy is not Greedy.

    Examples
    --------
    >>> encode(greedy(["f1", "f2", "f4"], [[1, 5, 0, 0]] * 3, groups=["all"]))[-3:].tolist()
    [0.5, 1.5, 3.5]
    """
    if not isinstance(policy, Greedy):
        raise InputError(f'only a "greedy" policy has a genome, but {policy.name} is "{policy.rule}"')
    middles = [CRITERIA.index(criterion) + 0.5 for criterion in policy.criteria]
    return np.concatenate([policy.genes.ravel(), middles])


def genome_of(policy: Policy, groups: Sequence[str], backfill: str) -> Floats:
    """Return a genome that orders the jobs of a workload as a policy does, (d,) float64.

    A weighting can be a Greedy policy; first come, first served; LXF, whose (t + p) / p is the t / p of f1 and 1; and
    groups in their order. Other published orders and formulas have no place among its criteria.

    Parameters
    ----------
    policy
        A policy with this backfilling.
    groups
        Names of the user groups of the workload.
    backfill
        "none", "easy" or "conservative", which is planned again at every event.

    Raises
    ------
    InputError
        The policy is none of these, or has another backfilling.

    Examples
    --------
    >>> from ..policies.policy import as_policy
    >>> decode(genome_of(as_policy("easy"), ["1"], "easy"), ["1"], "easy").genes[0].tolist()
    [1.0, 0.0, 1.0, 0.0]
    >>> decode(genome_of(as_policy("priority: 2"), ["1", "2"], "easy"), ["1", "2"], "easy").genes[0].tolist()
    [1.0, 1.0, 0.0, 5.0, 0.0, 0.0]
    """
    own, rows = _simple_orders(policy, groups)
    if isinstance(policy, Greedy):
        own, genome = policy.backfill, encode(policy)
    elif rows:
        criteria = [criterion for criterion, _ in rows]
        genome = encode(greedy(criteria, [row for _, row in rows], groups=groups, backfill=backfill))
    else:
        raise InputError(
            f"{policy.name} is no weighting; Greedy policies are, fcfs, easy, conservative-replan, lxf and priority"
        )
    if own != backfill:
        raise InputError(
            f"{policy.name} must have the backfilling of the weighting, {backfill}, but has {own}; give both the "
            f'same, as in "lxf; backfill: {backfill}" or by --backfill'
        )
    return genome


def _simple_orders(policy: Policy, groups: Sequence[str]) -> tuple[str, list[tuple[str, list[float]]]]:
    """Return the backfilling of a policy, and the criterion and genes of each situation; none if it has no such."""
    submission = ("f2", [1.0] * len(groups) + [0.0] * len(groups) + [1.0, 0.0])
    if isinstance(policy, Plain) and policy.rule in _BACKFILL_OF:
        return _BACKFILL_OF[policy.rule], [submission] * len(SITUATIONS)
    if not isinstance(policy, Priority) or policy.nodes is not None:
        return "", []
    rows = []
    for order in policy.orders:
        if order.name == "fcfs":
            rows.append(submission)
        elif order.name == "lxf":
            rows.append(("f1", submission[1]))
        elif order.name.startswith(PRIORITY):
            named = order.formula.term.labels or tuple(groups)
            places = [named.index(name) if name in named else len(named) for name in groups]
            head_starts = [HIGHEST["K"] * (1 - place / max(1, *places)) for place in places]
            rows.append(("f2", [1.0] * len(groups) + head_starts + [0.0, 0.0]))
        else:
            return "", []
    words = {0: "none", 1: "easy", ALL: "conservative"}
    simple = policy.backfill == Backfill(policy.reservations)
    return words.get(policy.reservations, policy.backfill.name) if simple else policy.backfill.name, rows
