"""The genome of trained orders: a formula for the waiting jobs, one for backfilling, and who gets reservations.

The key of a job of group g that has waited t seconds, requests p seconds and m processors, is

    w_g * (c_g + t * (b_1 + b_2 / p + b_3 / m + b_4 / (p m)) + b_5 p + b_6 m + b_7 p m + b_8 log p + b_9 log m)

in one situation, or the same key in all of them. All coefficients are on a logarithmic scale; w, c and those of the
wait are positive, the others have either sign. A genome stands for a `Priority` policy whose order is this formula in
words, so that a person can read it, and whoever runs another scheduler can write it there. All numbers have four
digits. The second gene may choose a policy that is known already instead, so that a search begins with those.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import checked_when_made
from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError
from ..core.notebook import fields_html
from ..policies.formula import Term, written_term
from ..policies.outcome import Outcome
from ..policies.plain import Plain
from ..policies.policy import Policy, as_policy
from ..policies.priority import Backfill, Longest, Priority
from ..workload.workload import Workload
from .genomes import Decoder, Variation

WINDOWS = 8  # parts of the jobs, on which candidates race
HEAD = ("window", "policy", "reservations", "entitled", "longest", "by situation", "own backfilling")
WINDOW, POLICY, RESERVATIONS, ENTITLED, LONGEST, BY_SITUATION, OWN_BACKFILLING = range(len(HEAD))
BLOCKS = ("weekend", "day", "night", "backfilling")
OF_WAIT = ("1", "1/p", "1/m", "1/(p m)")
STATIC = ("p", "m", "p m", "log p", "log m")
# What coefficients are multiplied with, so that each term of a usual job counts as much as a wait of some hours.
OF_WAIT_SCALE = (1.0, 1e4, 10.0, 1e5)
STATIC_SCALE = (1.0, 1e3, 0.1, 1e3, 3e3)
MOST_RESERVATIONS = 5.0  # 2 to this power
DECADES = 5.0  # of coefficients
LARGEST = 10.0  # coefficient, times its scale
MOST_SECONDS = 1e6  # of a wait that the constant of a group is worth
NONE = 0.05  # a coefficient with less than this share of its range is 0
SHORTEST, LONGEST_DECADES = 300.0, 2.8  # s, and from there on a logarithmic scale to two days
UNLIMITED = 0.97  # from this gene on requests of any length are backfilled


@checked_when_made
class TrainedOrders(NamedTuple):
    """The encoding of trained orders; its methods are those of `Explored`.

    Attributes
    ----------
    favoured
        All groups, those first that get reservations first; none for the order of the workload.
    policies
        Policies in words that the second gene can choose.
    """

    favoured: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.check_words()

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def name(self) -> str:
        """Return the name of the encoding in options and files."""
        return "priority"

    @property
    def variation(self) -> Variation:
        """Return how a run comes to its genomes: an algorithm searches them."""
        return Variation()

    def check_words(self) -> None:
        """Refuse groups that come twice, and policies that are none; raises InputError."""
        if len(set(self.favoured)) != len(self.favoured):
            raise InputError(f"favoured groups must have different names, but are {', '.join(self.favoured)}")
        for words in self.policies:
            as_policy(words)

    def gene_labels(self, groups: int) -> list[str]:
        """Return the names of all genes, in their order."""
        terms = [f"{letter}{g + 1}" for letter in "wc" for g in range(groups)]
        terms += [f"t {name}" for name in OF_WAIT] + list(STATIC)
        return [*HEAD, *(f"{block} order {term}" for block in BLOCKS for term in terms)]

    def lower_upper(self, groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64."""
        upper = np.ones(len(self.gene_labels(groups)))
        upper[WINDOW], upper[POLICY] = WINDOWS, len(self.policies)
        return np.zeros(upper.size), upper

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into outcomes.

        A genome for a window has the start times of EASY, and within the window those of its policy there: EASY's
        there are only replaced, so that objectives of windows can be compared with each other.
        """
        workload.calendar  # noqa: B018  # tabulated once, before threads share it
        windows = _Windows(workload)

        def outcome(genome: Floats, _ancestors: Floats) -> Outcome:
            policy = self.policy_of(genome, workload.groups)
            window = int(genome[WINDOW])
            return policy.outcome(workload) if window == 0 else windows.outcome(window - 1, policy)

        return outcome

    def examples(self, groups: Sequence[str]) -> tuple[TrainedOrders, Floats]:
        """Return an encoding for these groups, and two genomes, (2, d): without and with an order of backfilling."""
        encoding = TrainedOrders(tuple(groups))
        genomes = np.full((2, len(self.gene_labels(len(groups)))), 0.6)
        genomes[:, WINDOW], genomes[:, POLICY] = 0.0, 0.0
        genomes[0, OWN_BACKFILLING] = 0.0
        return encoding, genomes

    def ancestry(self, _archive: Floats, genomes: Floats) -> Floats:
        """Return no row, (0, d): a genome stands for itself."""
        return genomes[:0]

    def policy_of(self, genome: Floats, groups: Sequence[str]) -> Policy:
        """Return the policy that a genome, (d,), stands for."""
        if genome[POLICY] > 0:
            return as_policy(self.policies[int(genome[POLICY]) - 1])
        blocks = np.split(genome[len(HEAD) :], len(BLOCKS))
        orders = blocks[:3] if genome[BY_SITUATION] >= 0.5 else blocks[:1]
        tried = f"largest {formula(blocks[3], groups)}" if genome[OWN_BACKFILLING] >= 0.5 else ()
        favoured = self.favoured or tuple(groups)
        entitled = favoured[: 1 + int(genome[ENTITLED] * (len(groups) - 0.5))]
        others = tuple(name for name in groups if name not in entitled)
        longest: tuple[Longest, ...] = ()
        if others and genome[LONGEST] < UNLIMITED:
            minutes = round(SHORTEST / 60.0 * 10.0 ** (LONGEST_DECADES * genome[LONGEST]))
            longest = (Longest(60 * minutes, others),)
        backfill = Backfill(
            round(2.0 ** (MOST_RESERVATIONS * genome[RESERVATIONS])),
            entitled if others else (),
            tried,
            longest,
            entitled if longest else (),
        )
        ending = replace(backfill, order=()).name + (" and an order of its own" if tried else "")
        return Priority([formula(block, groups) for block in orders], backfill, name=f"trained order with {ending}")

    def order_policy_of(self, genome: Floats, groups: Sequence[str]) -> Policy:
        """Return the policy that a genome, (d,), stands for."""
        return self.policy_of(genome, groups)

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, d), stand for an online policy, (k,) bool: all that are not for a window."""
        whole: Mask = genomes[:, WINDOW] == 0
        return whole


class _Windows:
    """EASY's start times, and those of policies within a part of the jobs; several threads may ask."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.bounds = np.linspace(0, len(workload), WINDOWS + 1).astype(np.int64)
        self.lock = threading.Lock()
        self.parts: dict[int, tuple[Workload, Ints]] = {}  # a window alone, and EASY's start times there
        self.easy: Ints | None = None

    def outcome(self, window: int, policy: Policy) -> Outcome:
        """Return EASY's starts, moved in the window by what the policy changes there, and who is cancelled there."""
        first, last = self.bounds[window], self.bounds[window + 1]
        if first == last:
            return Outcome(self._easy())
        with self.lock:
            if window not in self.parts:
                part = self.workload.take(np.arange(first, last), name=f"window {window}")
                part.calendar  # noqa: B018  # tabulated once, before threads share it
                self.parts[window] = part, Plain("easy").outcome(part).start
        part, easy = self.parts[window]
        there = policy.outcome(part)
        start = self._easy().copy()
        start[first:last] += there.start - easy
        start = np.maximum(start, self.workload.eligible)
        moved = start[first:last] - there.start
        cut: dict[str, Any] = {"lives": there.lives, "pauses": there.pauses}
        for key, rows in cut.items():
            if rows is not None:
                by = moved[rows.job]
                cut[key] = rows._replace(job=rows.job + first, begin=rows.begin + by, end=rows.end + by)
        return Outcome(start, **cut)

    def _easy(self) -> Ints:
        """Return EASY's start times of all jobs."""
        with self.lock:
            if self.easy is None:
                self.easy = Plain("easy").outcome(self.workload).start
            return self.easy


def block_size(groups: int) -> int:
    """Return how many genes an order has: 2 G + 9."""
    return 2 * groups + len(OF_WAIT) + len(STATIC)


def formula(block: Floats, groups: Sequence[str]) -> str:
    """Return the order that genes stand for, in words; `block` is (2 G + 9,), of numbers in [0, 1].

    Examples
    --------
    >>> formula(np.array([1, 1, 0.9, 0, 0.8, 0, 0, 0, 0.1, 0.5, 0.5, 0.5, 0.5]), ("vip", "guest"))
    '316200 * group(vip) + wait - estimate'
    """
    count = len(groups)
    weights, constants, of_wait, static = np.split(block, np.cumsum([count, count, len(OF_WAIT)]))
    labels = [Term("group", labels=(name,)) for name in groups]
    below = (None, Term("estimate"), Term("width"), Term("area"))
    slopes = [
        _number(_size(gene, LARGEST * scale)) if part is None else _of("/", _number(_size(gene, LARGEST * scale)), part)
        for gene, scale, part in zip(of_wait, OF_WAIT_SCALE, below, strict=True)
        if gene >= NONE
    ]
    plus = [
        _times(_size(gene, MOST_SECONDS), label) for gene, label in zip(constants, labels, strict=True) if gene >= NONE
    ]
    plus += [_product(Term("wait"), _sum(slopes))] if slopes else []
    minus: list[Term] = []
    measures = (Term("estimate"), Term("width"), Term("area"), _of("log", Term("estimate")), _of("log", Term("width")))
    for gene, scale, measure in zip(2 * static - 1, STATIC_SCALE, measures, strict=True):
        if abs(gene) >= NONE:
            (plus if gene > 0 else minus).append(_times(_size(abs(gene), LARGEST * scale), measure))
    total = _sum(plus) if plus else _number(0.0)
    for term in minus:
        total = _of("-", total, term)
    shares = [_four_digits(10.0 ** (2 * (gene - 1))) for gene in weights]
    if len(set(shares)) == 1:
        return written_term(total)
    weight = _sum([_times(share, label) for share, label in zip(shares, labels, strict=True)])
    return written_term(_of("*", weight, total))


def keys_of(blocks: Floats, group: Ints, wait: Floats, estimate: Floats, width: Floats) -> Floats:
    """Return the keys that orders give to waiting jobs, (k, n), whose numbers are not cut to four digits.

    Parameters
    ----------
    blocks
        (k, 2 G + 9) genes of orders, see `formula`.
    group, wait, estimate, width
        (n,) each: the groups of the jobs, from 0 on, seconds so far, requested seconds, processors.

    Examples
    --------
    >>> genes = np.array([[1, 1, 0.9, 0, 0.8, 0, 0, 0, 0.1, 0.5, 0.5, 0.5, 0.5]])
    >>> wait, estimate, width = np.array([60.0, 90]), np.array([20.0, 30]), np.array([1.0, 8])
    >>> keys_of(genes, np.array([0, 1]), wait, estimate, width).round().tolist()
    [[316268.0, 60.0]]
    """
    count = (blocks.shape[1] - len(OF_WAIT) - len(STATIC)) // 2
    weights, constants, of_wait, static = np.split(blocks, np.cumsum([count, count, len(OF_WAIT)]), axis=1)
    signed = 2 * static - 1
    area = estimate * width
    sums = (
        (
            _sizes(of_wait, LARGEST * np.array(OF_WAIT_SCALE)),
            wait * np.array([np.ones(wait.size), 1 / estimate, 1 / width, 1 / area]),
        ),
        (
            np.sign(signed) * _sizes(np.abs(signed), LARGEST * np.array(STATIC_SCALE)),
            np.array([estimate, width, area, np.log(estimate), np.log(width)]),
        ),
    )
    keys: Floats = _sizes(constants, MOST_SECONDS)[:, group]
    for coefficients, measures in sums:
        keys += np.einsum("kc,cn->kn", coefficients, measures)  # no BLAS, whose rounding depends on its threads
    return 10.0 ** (2 * (weights[:, group] - 1)) * keys


def _sizes(genes: Floats, largest: Floats | float) -> Floats:
    """Return the numbers that genes in [0, 1] stand for; 0 for small ones."""
    sizes: Floats = np.where(genes >= NONE, largest * 10.0 ** (DECADES * (genes - 1)), 0.0)
    return sizes


def _size(gene: float, largest: float) -> float:
    """Return the number that a gene in [0, 1] stands for, on a logarithmic scale."""
    return _four_digits(largest * 10.0 ** (DECADES * (gene - 1)))


def _times(value: float, term: Term) -> Term:
    """Return a term times a number."""
    return term if value == 1.0 else _of("*", _number(value), term)


def _product(first: Term, second: Term) -> Term:
    """Return a product of terms, of which the second one may be the number 1."""
    return first if second == _number(1.0) else _of("*", first, second)


def genes_of(
    groups: int,
    *,
    weights: Sequence[float],
    constants: Sequence[float],
    of_wait: Sequence[float],
    static: Sequence[float] = (0.5,) * len(STATIC),
) -> Floats:
    """Return the genes of an order, (2 G + 9,), in [0, 1]; numbers for G groups, and for the terms."""
    return np.concatenate([weights, constants, of_wait, static]).reshape(block_size(groups))


def _four_digits(value: float) -> float:
    """Return a number with four digits."""
    return float(f"{value:.4g}")


def _number(value: float) -> Term:
    return Term("number", value=value)


def _of(word: str, *parts: Term) -> Term:
    return Term(word, parts)


def _sum(terms: Sequence[Term]) -> Term:
    total = terms[0]
    for term in terms[1:]:
        total = _of("+", total, term)
    return total
