"""Limits, varied by moves that know what their genes mean; see `paretosched.encodings.site_limits`.

A point is the genome itself. The first one sets no limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...encodings.site_limits import SET

STEP = 0.08  # of a gene, about a sixth of its grid
OFF, ON = 0.15, 0.5  # probabilities that a limit that is moved is dropped, or set if it is not
MOST_SET = 0.5  # probability of each limit in a random genome


class LimitMoves(NamedTuple):
    """How searches draw and vary genomes of d limits; its methods are those of `Moves`."""

    limits: int

    def random(self, count: int, generator: np.random.Generator) -> Floats:
        """Return random genomes, (count, d): of which each limit is set or not."""
        genes = SET * generator.random((count, self.limits))
        return np.where(generator.random(genes.shape) < MOST_SET, genes, 1.0)

    def first(self, least: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the points to begin with, at least so many, and their genomes, (k, d) each."""
        rows = np.concatenate([np.ones((1, self.limits)), self.random(max(1, least - 1), generator)])
        return rows, rows.copy()

    def genomes(self, points: Floats) -> Floats:
        """Return the genomes of points: they are the same."""
        return points

    def points(self, genomes: Floats) -> Floats:
        """Return the points of genomes: they are the same."""
        return genomes

    def vary(self, child: Floats, mate: Floats | None, generator: np.random.Generator) -> None:
        """Make a copy of a parent, (d,), its child: half of the limits of a mate, and one or more moved; in place."""
        if mate is not None:
            taken = generator.random(self.limits) < 0.5
            child[taken] = mate[taken]
        moved = generator.random(self.limits) < 1.0 / self.limits
        moved[generator.integers(self.limits)] = True
        for i in np.flatnonzero(moved):
            chance = generator.random()
            if child[i] >= SET:
                child[i] = SET * generator.random() if chance < ON else 1.0
            elif chance < OFF:
                child[i] = 1.0
            else:
                child[i] = np.clip(child[i] + generator.normal(0.0, STEP), 0.0, np.nextafter(SET, 0.0))
