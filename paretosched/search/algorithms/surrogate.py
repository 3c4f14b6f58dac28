"""A surrogate of the simulations in an archive search: it proposes the children of which it expects most.

A Gaussian process predicts where a child comes to be in the owner's box. It compares behaviour, such as the order that
policies give to a sample of jobs, because different genes may mean the same order, and a small step of a gene another
one. For a block of children there are some generations of candidates on the model, whose parents are in the archive or
in the candidates before. A candidate counts as the best that it may well be, the lower confidence bound: a plain filter
by the prediction would keep what resembles the known. Chosen is, one after the other, what enlarges the dominated part
of the box most, beside what is known and what is being simulated. If nothing enlarges it, nothing is proposed.

Candidates are only compared by what is computed here; no number of it becomes a part of a genome. No BLAS takes part,
whose rounding depends on its threads. What may differ between machines, the rounding of exp and log, decides only where
two candidates are as good as each other to the last digits. Those of the same behaviour would be, and of these only the
first takes part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Mask
from ...kernels.achievement import units_of
from ...kernels.linear_systems import factorise, solve_factor, solve_transposed, squared_distances
from .archive_members import Members

Behaviour = Callable[[Floats], Floats]
"""Function of genomes or points, (k, ...), to what they do, (k, m); Euclidean distances say how alike that is."""

Child = Callable[[Members], Floats]
"""Function that makes a point, (...), from members of an archive."""

RECENT = 500  # results that a model is made of: the last ones are near to what comes next
TRIED = 250  # of them to choose the length and the noise of the kernel by
LENGTHS = (0.5, 1.0, 2.0, 4.0)  # of the kernel, in root mean squares of the distances
NOISES = (1e-3, 1e-2, 1e-1)  # variances of results of the same behaviour, in those of the process
GENERATIONS, BROOD = 3, 200  # of candidates, and how many are in each
BOLDNESS = 0.25  # standard deviations between the prediction and the lower confidence bound
AT_ONCE = 4_000  # points whose volumes are held in memory together
RAYS = 400  # along which the dominated part of the box is measured
NO_SPREAD = 1e-12  # of outputs; equal ones say nothing, whatever the length
LEAST_RAY = 1e-6  # in any direction, so that nothing is divided by 0


class Process(NamedTuple):
    """A Gaussian process with a Matérn 3/2 kernel, the same for c outputs (Rasmussen and Williams 2006, section 2.2).

    Attributes
    ----------
    inputs
        (n, m) of which the outputs are known.
    length
        Of the kernel, in the unit of the inputs.
    factor
        (n, n) upper Cholesky factor, in the upper triangle, of the kernel of the inputs with the noise.
    mean, deviation
        (c,) each, prior.
    weights
        (n, c) of the inputs in a prediction.
    """

    inputs: Floats
    length: float
    factor: Floats
    mean: Floats
    deviation: Floats
    weights: Floats


def process_of(inputs: Floats, outputs: Floats) -> Process:
    """Return the process with the largest likelihood of outputs, (n, c), at inputs, (n, m), n at least 1.

    Length and noise are chosen by a part of them, evenly spread. Equal outputs are predicted as they are, without a
    deviation.

    Examples
    --------
    >>> process = process_of(np.array([[0.0], [1], [2], [3]]), np.array([[0.0, 7], [1, 7], [2, 7], [3, 7]]))
    >>> mean, deviation = prediction(process, np.array([[1.5]]))
    >>> mean.round(2).tolist(), deviation[0, 1].tolist()
    ([[1.5, 7.0]], 0.0)
    """
    squares = _squares(inputs, inputs)
    part = np.linspace(0, len(inputs) - 1, min(TRIED, len(inputs))).astype(int)
    squares_of_part = squares[np.ix_(part, part)]
    unit = math.sqrt(squares_of_part.mean()) or 1.0
    best = (-math.inf, 0.0, 0.0)
    for length in LENGTHS:
        kernel = _matern(squares_of_part, length * unit)
        for noise in NOISES:
            process = _process(inputs[part], outputs[part], kernel, length * unit, noise)
            best = max(best, (_likelihood(process), length * unit, noise))
    _, length, noise = best
    return _process(inputs, outputs, _matern(squares, length), length, noise)


def prediction(process: Process, inputs: Floats) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of the outputs without noise, (k, c) each, at inputs, (k, m)."""
    kernel = _matern(_squares(process.inputs, inputs), process.length)
    mean = process.mean + np.einsum("nk,nc->kc", kernel, process.weights)
    solve_transposed(process.factor, kernel)
    shares = np.sqrt(np.maximum(1.0 - (kernel * kernel).sum(axis=0), 0.0))
    return mean, shares[:, None] * process.deviation


def _process(inputs: Floats, outputs: Floats, kernel: Floats, length: float, noise: float) -> Process:
    """Return the process of a length and a noise, with the kernel of the inputs, (n, n)."""
    factor = kernel + noise * np.eye(len(kernel))
    factorise(factor)
    mean = outputs.mean(axis=0)
    weights = outputs - mean
    solve_transposed(factor, weights)
    deviation = np.sqrt((weights * weights).mean(axis=0))  # the most likely one of all multiples of a kernel
    solve_factor(factor, weights)
    return Process(inputs, length, factor, mean, deviation, weights)


def _likelihood(process: Process) -> float:
    """Return the logarithm of the likelihood of the outputs, but for a constant (section 5.4.1)."""
    spread = np.log(np.maximum(process.deviation, NO_SPREAD)).sum()
    return -float(len(process.inputs) * spread + process.mean.size * np.log(process.factor.diagonal()).sum())


def _squares(ones: Floats, others: Floats) -> Floats:
    """Return the squared distances of rows, (k, n)."""
    squares = np.empty((len(ones), len(others)))
    squared_distances(ones, np.ascontiguousarray(others.T), squares)
    return squares


def _matern(squares: Floats, length: float) -> Floats:
    """Return the kernel for squared distances."""
    away = np.sqrt(3.0 * squares) / length
    kernel: Floats = (1.0 + away) * np.exp(-away)
    return kernel


class Surrogate:
    """Proposes children; it remembers the front of what is known, so that it need not look at everything again.

    Parameters
    ----------
    behaviour
        Of points.
    edges
        (e, c) far corners of the boxes that are to be filled, the largest last.
    child
        Makes candidates.
    generator
        Of the rays.
    """

    def __init__(self, behaviour: Behaviour, edges: Floats, child: Child, generator: np.random.Generator) -> None:
        self._behaviour, self._edges, self._child, self._generator = behaviour, edges, child, generator
        self._front = np.empty((0, edges.shape[1]))
        self._seen = 0

    def proposals(self, members: Members, pending: Sequence[Floats], count: int) -> list[Floats]:
        """Return the points to simulate next, the most promising first, at most so many.

        Parameters
        ----------
        members
            What is known, at least one point; each time the same and more.
        pending
            Points that are being simulated.
        count
            How many points are wanted at most.
        """
        self._see(members.places)
        points, places = members.points[-RECENT:], members.places[-RECENT:]
        positive: Mask = np.all(places > 0, axis=0)
        process = process_of(self._behaviour(points), _outputs_of(places, positive))
        doing = self._behaviour(np.array(pending)) if pending else process.inputs[:0]
        expected = _places_of(prediction(process, doing)[0], positive)
        known = {row.tobytes() for row in (*process.inputs, *doing)}
        trial = members.copy()
        candidates: list[Floats] = []
        bounds: list[Floats] = []
        for _ in range(GENERATIONS):
            brood = np.array([self._child(trial) for _ in range(BROOD)])
            behaviour = self._behaviour(brood)
            mean, deviation = prediction(process, behaviour)
            for point, row, bound in zip(
                brood, behaviour, _places_of(mean - BOLDNESS * deviation, positive), strict=True
            ):
                if row.tobytes() not in known:
                    known.add(row.tobytes())
                    candidates.append(point)
                    bounds.append(bound)
                    trial.add(point, bound)
        best = trial.places.min(axis=0)
        before = np.concatenate([self._front, expected])
        return [candidates[k] for k in self._best_of(np.array(bounds).reshape(-1, best.size), before, best, count)]

    def _see(self, places: Floats) -> None:
        """Take what is new among the coordinates of all that is known, (n, c), into the front."""
        import moocore  # here, because it takes long to import

        new, self._seen = places[self._seen :], len(places)
        front = np.concatenate([self._front, new[(new < self._edges[-1]).all(axis=1)]])
        self._front = front[np.asarray(moocore.is_nondominated(front), dtype=np.bool_)] if len(front) else front

    def _best_of(self, bounds: Floats, before: Floats, best: Floats, count: int) -> list[int]:
        """Return the rows of bounds, (k, c), each of which enlarges what those before it dominate most.

        How much is measured along rays: exact volumes of so many points in five dimensions or more take minutes.
        `before` are the (p, c) coordinates without them, and `best`, (c,), is the near corner of the boxes.
        """
        if not len(bounds):
            return []
        reached, could_be = [], []
        for edge in self._edges:
            rays = self._generator.dirichlet(np.ones(edge.size), RAYS // len(self._edges))
            parts = [before[k : k + AT_ONCE] for k in range(0, len(before), AT_ONCE)]
            most = [volumes(part, edge, best, rays).max(axis=0) for part in parts]
            reached.append(np.max(most, axis=0) if most else np.zeros(len(rays)))
            could_be.append(volumes(bounds, edge, best, rays))
        return most_gaining(np.concatenate(reached), np.concatenate(could_be, axis=1), count)


def most_gaining(reached: Floats, could_be: Floats, count: int) -> list[int]:
    """Return the rows that, one after the other, add most to what is reached, at most so many; the first of equals.

    Parameters
    ----------
    reached
        (r,) along each ray.
    could_be
        (k, r) along each ray by each row.
    count
        How many rows at most; rows that add nothing are left out.

    Examples
    --------
    >>> most_gaining(np.array([1.0, 0]), np.array([[2.0, 0], [0, 3], [0, 2.5], [1, 0]]), 3)
    [1, 0]
    """
    rows: list[int] = []
    gains = np.maximum(could_be - reached, 0.0).sum(axis=1)
    are_old = np.zeros(len(gains), dtype=np.bool_)  # they can only be less by now
    while len(rows) < count:
        row = int(gains.argmax())
        if not gains[row] > 0:
            break
        if are_old[row]:
            gains[row] = np.maximum(could_be[row] - reached, 0.0).sum()
            are_old[row] = False
            continue
        rows.append(row)
        reached = np.maximum(reached, could_be[row])
        are_old[:] = True
    return rows


def volumes(places: Floats, edge: Floats, best: Floats, rays: Floats) -> Floats:
    """Return how much of a box points dominate along rays from its far corner to its near one, (k, r).

    The mean over rays that are uniform on the simplex, and over the larger one of several points, is proportional to
    the dominated volume.

    Parameters
    ----------
    places
        (k, c) coordinates.
    edge, best
        (c,) the far and the near corner.
    rays
        (r, c) at least 0, with the sum 1.

    Examples
    --------
    >>> volumes(np.array([[1.0, 1], [0, 3]]), np.array([2.0, 2]), np.zeros(2), np.array([[0.5, 0.5]])).tolist()
    [[1.0], [0.0]]
    """
    away = (edge - places) * units_of(edge, best)
    lengths = np.full((len(places), len(rays)), np.inf)
    for column, ray in zip(away.T, np.maximum(rays, LEAST_RAY).T, strict=True):
        np.minimum(lengths, column[:, None] / ray, out=lengths)
    dominated: Floats = np.maximum(lengths, 0.0) ** edge.size
    return dominated


def _outputs_of(places: Floats, positive: Mask) -> Floats:
    """Return what is predicted of coordinates, (k, c): logarithms where all are positive, as response times are."""
    return np.where(positive, np.log(np.where(positive, places, 1.0)), places)


def _places_of(outputs: Floats, positive: Mask) -> Floats:
    """Return the coordinates that predictions, (k, c), stand for."""
    return np.where(positive, np.exp(np.where(positive, outputs, 0.0)), outputs)
