"""What the encodings share: decoders, how genomes are varied, and the check of bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError, first_few
from ..policies.outcome import Outcome


class Variation(NamedTuple):
    """How a run of exploration comes to its genomes, as far as that depends on the encoding.

    Attributes
    ----------
    enumerated
        Whether genomes are so few that all are simulated; else an algorithm searches them.
    strategy
        Names of the numbers, beside the words of the encoding, by which genomes are varied; they evolve, too.
    words
        Which words of the encoding only say how genomes are varied: without meaning for genomes that are given.
    """

    enumerated: bool = False
    strategy: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


Decoder = Callable[[Floats, Floats], Outcome]
"""Function of a genome, (d,), and of the genomes it may descend from, (k, d), sorted by number, to when the jobs start,
and to their lives if they make way for others. Several threads may call it."""

Changes = dict[int, bytes]
"""What genomes that descend from others change of these, packed, by the numbers of the genomes in their run."""


@runtime_checkable
class Heir(Protocol):
    """A decoder of genomes that descend from others: what it has worked out of them saves another one the work."""

    def __call__(self, genome: Floats, ancestors: Floats, /) -> Outcome:
        """Return when jobs start, as any `Decoder`."""

    def changes(self, genomes: Floats, /) -> Changes:
        """Return what it knows of some genomes, (k, d), and is worth to be sent."""

    def take_over(self, genomes: Floats, changes: Changes, /) -> None:
        """Keep what another one has returned of some of these genomes, (k, d)."""


def check_bounds(genomes: Floats, lower: Floats, upper: Floats) -> None:
    """Refuse genomes of which a gene is out of its bounds or not a number.

    Parameters
    ----------
    genomes
        (k, d) float64.
    lower, upper
        (d,) float64, the smallest and the largest value of every gene.

    Raises
    ------
    InputError
        A gene is out of its bounds; the message names the first rows.

    Examples
    --------
    >>> check_bounds(np.array([[0.5, 0.5], [0.5, 2.0]]), np.zeros(2), np.ones(2))
    Traceback (most recent call last):
    paretosched.core.errors.InputError: genes must be within their bounds, but are not in 1
    """
    faults = np.flatnonzero(~((genomes >= lower) & (genomes <= upper)).all(axis=1))
    if faults.size:
        raise InputError(f"genes must be within their bounds, but are not in {first_few(faults.tolist(), faults.size)}")
