"""Trained orders, varied by moves that know what their genes mean; see `paretosched.encodings.trained_order`.

A point is the genome itself. Moves are made in all situations alike unless they are chosen for one or two; then the
gene that says so is set. A term of a formula can be left out, and come again. The first generation has the order of
submission, each term of the formula alone, weak orders of the groups, and random formulas of few terms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats
from ...encodings.trained_order import (
    BLOCKS,
    BY_SITUATION,
    ENTITLED,
    HEAD,
    LONGEST,
    OF_WAIT,
    OWN_BACKFILLING,
    RESERVATIONS,
    STATIC,
    genes_of,
)
from .weighting_points import ALONE, EVERYWHERE, FAR, FARTHER, MORE, bounce

ORDERS, DRAWN = 10, 49  # weak orders, and random formulas at least, to begin with
MORE_RESERVATIONS = 0.6  # eight of them
NUMBERS = (RESERVATIONS, ENTITLED, LONGEST)
OF_NUMBERS, OF_BACKFILLING, OF_TERMS = 0.15, 0.03, 0.15  # probabilities of moves of other kinds than a step
STEP, NUMBER_STEP = 0.12, 0.2  # of a range
ONE = 0.8  # the gene of a wait that counts 1 a second
TERMS = 0.3  # probability of each term in a random formula, and of its constant of a group


class FormulaMoves(NamedTuple):
    """How an archive search varies trained orders for `groups` groups; its methods are those of `Moves`."""

    groups: int

    @property
    def off(self) -> Floats:
        """Return the gene with which each term of a formula is left out, (2 G + 9,); NaN for weights, which stay."""
        return np.array([np.nan] * self.groups + [0.0] * (self.groups + len(OF_WAIT)) + [0.5] * len(STATIC))

    def first(self, least: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
        """Return the points to begin with, at least so many, and their genomes, (k, d) each."""
        waits = self._order((ONE, 0.0, 0.0, 0.0), 0.0)
        rows = [self._genome(waits)]
        for term in range(len(OF_WAIT) + len(STATIC)):
            alone = self.off.copy()
            alone[: self.groups] = 1.0
            alone[2 * self.groups + term] = ONE if term < len(OF_WAIT) else 0.1
            rows += [self._genome(alone, number) for number in (0.0, MORE_RESERVATIONS)]
        for _ in range(ORDERS):
            ranks = generator.integers(generator.integers(1, self.groups + 1), size=self.groups)
            order = self._order((ONE, 0.0, 0.0, 0.0), np.where(ranks > 0, 1.0 - 0.1 * (ranks.max() - ranks), 0.0))
            rows.append(self._genome(order, generator.choice([0.0, MORE_RESERVATIONS])))
        points = np.concatenate([rows, self.random(max(DRAWN, least - len(rows)), generator)])
        return points, points.copy()

    def _order(self, of_wait: tuple[float, ...], constants: Floats | float) -> Floats:
        """Return the genes of a formula without static terms, (2 G + 9,)."""
        ones = np.ones(self.groups)
        return genes_of(self.groups, weights=ones.tolist(), constants=(ones * constants).tolist(), of_wait=of_wait)

    def _genome(self, order: Floats, reservations: float = 0.0) -> Floats:
        """Return the genome of one formula for all situations, (d,)."""
        head = np.zeros(len(HEAD))
        head[RESERVATIONS], head[ENTITLED], head[LONGEST] = reservations, 1.0, 1.0
        return np.concatenate([head, *[order] * len(BLOCKS)])

    def random(self, count: int, generator: np.random.Generator) -> Floats:
        """Return random formulas, the same in all situations, (count, d)."""
        rows = []
        for _ in range(count):
            terms = self.off.copy()
            terms[: self.groups] = generator.uniform(0.5, 1.0, self.groups)
            on = generator.random(terms.size) < TERMS
            on[: self.groups] = False
            terms[on] = generator.uniform(0.4, 1.0, on.sum())
            static = on & (self.off == 0.5)
            terms[static] = generator.uniform(0.0, 1.0, static.sum())
            if generator.random() < 1.0 - TERMS:
                terms[2 * self.groups] = ONE
            row = self._genome(terms, generator.choice([0.0, generator.random()]))
            for number in (ENTITLED, LONGEST):
                row[number] = generator.choice([1.0, 1.0, generator.random()])
            rows.append(row)
        return np.array(rows)

    def genomes(self, points: Floats) -> Floats:
        """Return the genomes of points: they are the same."""
        return points

    def points(self, genomes: Floats) -> Floats:
        """Return the points of genomes: they are the same."""
        return genomes

    def vary(self, child: Floats, mate: Floats | None, generator: np.random.Generator) -> None:
        """Make a copy of a parent a child, perhaps with something of a mate; in place."""
        if mate is not None:
            self._cross(child, mate, generator)
        self._mutate(child, generator)

    def _cross(self, child: Floats, mate: Floats, generator: np.random.Generator) -> None:
        """Give a child a situation of its mate, a group, the backfilling, or about half of all terms; in place."""
        ours, theirs = self._blocks(child), self._blocks(mate)
        kind = generator.integers(4)
        if kind == 0:
            place = generator.integers(len(BLOCKS))
            ours[place] = theirs[place]
        elif kind == 1:
            group = generator.integers(self.groups)
            ours[:, [group, self.groups + group]] = theirs[:, [group, self.groups + group]]
        elif kind == 2:
            child[[*NUMBERS, OWN_BACKFILLING]] = mate[[*NUMBERS, OWN_BACKFILLING]]
            ours[-1] = theirs[-1]
        else:
            genes = np.flatnonzero(generator.random(ours.shape[1]) < 0.5)
            ours[:, genes] = theirs[:, genes]
        self._settle(child)

    def _mutate(self, child: Floats, generator: np.random.Generator) -> None:
        """Move genes of a child; in place."""
        for _ in range(1 + generator.poisson(MORE)):
            kind = generator.random()
            far = FARTHER if generator.random() < FAR else 1.0
            if kind < OF_NUMBERS:
                place = NUMBERS[generator.integers(len(NUMBERS))]
                child[place] = bounce(child[place] + NUMBER_STEP * far * generator.standard_normal(), 0.0, 1.0)
            elif kind < OF_NUMBERS + OF_BACKFILLING:
                child[OWN_BACKFILLING] = 1.0 - child[OWN_BACKFILLING]
            else:
                self._move_term(child, far, kind < OF_NUMBERS + OF_BACKFILLING + OF_TERMS, generator)
        self._settle(child)

    def _move_term(self, child: Floats, far: float, switch: bool, generator: np.random.Generator) -> None:
        """Move a gene of a formula, or leave out its term or take it in, in some or all situations; in place."""
        blocks = self._blocks(child)
        gene = generator.integers(blocks.shape[1])
        off = self.off[gene]
        where = generator.random()
        spare = 0 if where < EVERYWHERE else 2 if where < EVERYWHERE + ALONE else 1
        chosen = np.concatenate([generator.permutation(3)[spare:], [3]])  # backfilling always moves with them
        is_off = blocks[chosen, gene] == off
        beyond = blocks[chosen, gene] + STEP * far * generator.standard_normal()
        moved = np.array([bounce(value, 0.0, 1.0) for value in beyond.tolist()])
        if is_off.all() or (switch and not np.isnan(off)):
            moved[:] = off if not is_off.all() else generator.uniform(0.4 if off == 0.0 else 0.0, 1.0)
        blocks[chosen, gene] = moved

    def _blocks(self, child: Floats) -> Floats:
        """Return a view of the formulas of a child, (4, 2 G + 9)."""
        return child[len(HEAD) :].reshape(len(BLOCKS), -1)

    def _settle(self, child: Floats) -> None:
        """Set whether the situations differ; backfilling has the order of the first, or one of its own; in place."""
        blocks = self._blocks(child)
        child[BY_SITUATION] = float((blocks[1:3] != blocks[0]).any())
        if child[OWN_BACKFILLING] < 0.5:
            blocks[-1] = blocks[0]
