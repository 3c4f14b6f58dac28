"""The genome of trained orders: a formula for the waiting jobs, one for backfilling, and who gets reservations.

The key of a job of group g that has waited t seconds, requests p seconds and m processors, is

    w_g * (c_g + t * (b_1 + b_2 / p + b_3 / m + b_4 / (p m)) + b_5 p + b_6 m + b_7 p m + b_8 log p + b_9 log m)

in one situation, or the same key in all of them. All coefficients are on a logarithmic scale; w, c and those of the
wait are positive, the others have either sign. A genome stands for a `Priority` policy whose order is this formula in
words, so that a person can read it, and whoever runs another scheduler can write it there. All numbers have four
digits. The first gene may choose a policy that is known already instead, so that a search begins with those.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..policies.formula import Term, written_term
from ..policies.plain import Plain
from ..policies.policy import Policy, as_policy
from ..policies.priority import Backfill, Longest, Priority
from ..workload.workload import Workload
from .genomes import Decoder, check_bounds

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
NONE = 0.05  # a coefficient with less than this share of its range is 0
SHORTEST, LONGEST_DECADES = 300.0, 2.8  # s, and from there on a logarithmic scale to two days
UNLIMITED = 0.97  # from this gene on requests of any length are backfilled


class TrainedOrders(NamedTuple):
    """The encoding of trained orders; its methods are those of `Encoding`.

    Attributes
    ----------
    favoured
        All groups, those first that get reservations first.
    policies
        Policies in words that the first gene can choose.
    """

    favoured: tuple[str, ...]
    policies: tuple[str, ...]

    def gene_labels(self, groups: int) -> list[str]:
        """Return the names of all genes, in their order."""
        terms = [f"{letter}{g + 1}" for letter in "wc" for g in range(groups)]
        terms += [f"t {name}" for name in OF_WAIT] + list(STATIC)
        return [*HEAD, *(f"{block} {term}" for block in BLOCKS for term in terms)]

    def lower_upper(self, groups: int) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every gene, two (d,) float64."""
        upper = np.ones(len(self.gene_labels(groups)))
        upper[WINDOW], upper[POLICY] = WINDOWS, len(self.policies)
        return np.zeros(upper.size), upper

    def decoder(self, workload: Workload) -> Decoder:
        """Return the function that turns genomes into start times.

        A genome for a window has the start times of EASY, and within the window those of its policy there: EASY's
        there are only replaced, so that objectives of windows can be compared with each other.
        """
        workload.calendar  # noqa: B018  # tabulated once, before threads share it
        windows = _Windows(workload)

        def start_times(genome: Floats, _ancestors: Floats) -> Ints:
            policy = self.policy_of(genome, workload.groups)
            window = int(genome[WINDOW])
            return policy.simulated(workload).start if window == 0 else windows.start_times(window - 1, policy)

        return start_times

    def examples(self, groups: Sequence[str]) -> tuple[TrainedOrders, Floats]:
        """Return an encoding for these groups, and two genomes, (2, d): without and with an order of backfilling."""
        encoding = TrainedOrders(tuple(groups), ())
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
        entitled = self.favoured[: 1 + int(genome[ENTITLED] * (len(groups) - 0.5))]
        others = tuple(name for name in groups if name not in entitled)
        longest: tuple[Longest, ...] = ()
        if others and genome[LONGEST] < UNLIMITED:
            longest = (Longest(int(SHORTEST * 10.0 ** (LONGEST_DECADES * genome[LONGEST])), others),)
        backfill = Backfill(
            round(2.0 ** (MOST_RESERVATIONS * genome[RESERVATIONS])),
            entitled if others else (),
            tried,
            longest,
            entitled if longest else (),
        )
        ending = replace(backfill, order=()).name + (" and an order of its own" if tried else "")
        return Priority([formula(block, groups) for block in orders], backfill, name=f"trained order with {ending}")

    def online(self, genomes: Floats) -> Mask:
        """Return which genomes, (k, d), stand for an online policy, (k,) bool: all that are not for a window."""
        whole: Mask = genomes[:, WINDOW] == 0
        return whole

    def check_genomes(self, genomes: Floats, groups: int) -> None:
        """Refuse genomes, (k, d), out of their bounds; raises InputError."""
        check_bounds(genomes, *self.lower_upper(groups))


class _Windows:
    """EASY's start times, and those of policies within a part of the jobs; several threads may ask."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.bounds = np.linspace(0, len(workload), WINDOWS + 1).astype(np.int64)
        self.lock = threading.Lock()
        self.parts: dict[int, tuple[Workload, Ints]] = {}  # a window alone, and EASY's start times there
        self.easy: Ints | None = None

    def start_times(self, window: int, policy: Policy) -> Ints:
        """Return EASY's start times, in the window moved by what the policy changes there."""
        first, last = self.bounds[window], self.bounds[window + 1]
        if first == last:
            return self._easy()
        with self.lock:
            if window not in self.parts:
                part = self.workload.take(np.arange(first, last), name=f"window {window}")
                part.calendar  # noqa: B018  # tabulated once, before threads share it
                self.parts[window] = part, Plain("easy").simulated(part).start
        part, easy = self.parts[window]
        start = self._easy().copy()
        start[first:last] += policy.simulated(part).start - easy
        return np.maximum(start, self.workload.submit)

    def _easy(self) -> Ints:
        """Return EASY's start times of all jobs."""
        with self.lock:
            if self.easy is None:
                self.easy = Plain("easy").simulated(self.workload).start
            return self.easy


def formula(block: Floats, groups: Sequence[str]) -> str:
    """Return the order that genes stand for, in words; `block` is (2 G + 9,), of numbers in [0, 1]."""
    weights, constants, of_wait, static = np.split(block, np.cumsum([len(groups), len(groups), len(OF_WAIT)]))
    labels = [Term("group", labels=(name,)) for name in groups]
    wait = [
        _rounded(LARGEST * scale * 10.0 ** (DECADES * (gene - 1)))
        for scale, gene in zip(OF_WAIT_SCALE, of_wait, strict=False)
    ]
    wait = [0.0 if gene < NONE else value for value, gene in zip(wait, of_wait, strict=False)]
    bonus = [_rounded(1e6 * 10.0 ** (DECADES * (gene - 1))) if gene >= NONE else 0.0 for gene in constants]
    shares = [_rounded(10.0 ** (2 * (gene - 1))) for gene in weights]
    sides = 2 * static - 1
    sizes = [
        0.0 if abs(side) < NONE else _rounded(LARGEST * scale * 10.0 ** (DECADES * (abs(side) - 1)))
        for scale, side in zip(STATIC_SCALE, sides, strict=False)
    ]
    below = (None, Term("estimate"), Term("width"), Term("area"))
    slopes = [
        _number(value) if part is None else _of("/", _number(value), part)
        for value, part in zip(wait, below, strict=False)
        if value
    ]
    terms = [(_of("*", _number(value), label), True) for value, label in zip(bonus, labels, strict=False) if value]
    if slopes:
        terms.append((_of("*", Term("wait"), _sum(slopes)), True))
    measures = (Term("estimate"), Term("width"), Term("area"), _of("log", Term("estimate")), _of("log", Term("width")))
    terms += [
        (_of("*", _number(size), part), side > 0)
        for size, part, side in zip(sizes, measures, sides, strict=False)
        if size
    ]
    total = terms[0][0] if terms and terms[0][1] else _number(0.0)
    for term, positive in terms[1:] if terms and terms[0][1] else terms:
        total = _of("+" if positive else "-", total, term)
    if len(set(shares)) == 1:
        return written_term(total)
    weight = _sum([_of("*", _number(value), label) for value, label in zip(shares, labels, strict=False)])
    return written_term(_of("*", weight, total))


def genes_of(
    groups: int,
    *,
    weights: Sequence[float],
    constants: Sequence[float],
    of_wait: Sequence[float],
    static: Sequence[float] = (0.5,) * len(STATIC),
) -> Floats:
    """Return the genes of an order, (2 G + 9,), in [0, 1]; numbers for G groups, and for the terms."""
    return np.concatenate([weights, constants, of_wait, static]).reshape(2 * groups + len(OF_WAIT) + len(STATIC))


def _rounded(value: float) -> float:
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
