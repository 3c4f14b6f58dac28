"""What the encodings share: decoders, how genomes are varied, and the check of bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.errors import InputError, first_few


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


Decoder = Callable[[Floats, Floats], Ints]
"""Function of a genome, (d,), and of the genomes it may descend from, (k, d), sorted by number, to the start times
of all jobs, (n,) int64 seconds. Several threads may call it."""


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
