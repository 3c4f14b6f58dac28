"""Keys of waiting jobs in the kinetic queue: the criteria of Greedy, or lines in the wait that come as tables.

What differs between them is chosen by the type of the weights when a kernel is compiled, so that neither costs the
other anything. numba replaces each function here that raises NotImplementedError by what is returned below.
"""

# ruff: noqa: ARG001, ARG005  # numba compares the names of all arguments

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int
from .compiling import overload
from .criteria import line_of_criterion, settle_criteria
from .events import after_copies
from .inputs import Jobs, Weights
from .lines import Lines, after_alike, line_of_job, settle_lines

# All rounding errors of a line and of a printed formula together are at most a few units in the last place of their
# largest term; this margin is generous.
MARGIN = 64 * 2.0**-53
TINY = 1e-290  # products below it lose digits


def settle(slots: NDArray[np.void], i: Int, j: Int, s: Int, t: Int, weights: Weights | Lines) -> tuple[bool, bool]:
    """Return which job of two slots comes first, and whether this is final.

    Parameters and returned values are as for `settle_criteria`: `slots`, (size * BENCH,) SLOT; two slots i and j with
    jobs; situation s, 0..2; second t; and `weights`. The stack of the program of `Lines` is modified in place.
    """
    raise NotImplementedError


def line_at(s: Int, job: np.void, weights: Weights | Lines) -> tuple[float, float]:
    """Return alpha and beta (per second) of the line of a job, a SLOT, in situation s; `weights` are only read."""
    raise NotImplementedError


def roundings(weights: Weights | Lines) -> tuple[float, float]:
    """Return the largest rounding error of a key, relative to its largest term, and what is added to it.

    `weights` are those of the order; they are only read.
    """
    raise NotImplementedError


def after_equals(jobs: Jobs, j: Int, weights: Weights | Lines) -> Int:
    """Return the first row of `jobs` after job j that may not share a slot with it, by the order of `weights`."""
    raise NotImplementedError


@overload(settle, strict=False)
def _settle(slots: Any, i: Any, j: Any, s: Any, t: Any, weights: Any) -> Callable[..., Any]:
    """Return how close games are settled, for a type of weights.

    slots, i, j, s, t and `weights` are numba's types of the arguments of `settle`.
    """
    if weights.instance_class is Weights:
        return lambda slots, i, j, s, t, weights: settle_criteria(slots, i, j, s, t, weights)
    return lambda slots, i, j, s, t, weights: settle_lines(slots, i, j, s, t, weights)


@overload(line_at, strict=False)
def _line_at(s: Any, job: Any, weights: Any) -> Callable[..., Any]:
    """Return where lines come from, for a type of weights.

    s, `job` and `weights` are numba's types of the arguments of `line_at`.
    """
    if weights.instance_class is Weights:
        return lambda s, job, weights: line_of_criterion(s, job, weights)
    return lambda s, job, weights: line_of_job(s, job, weights)


@overload(roundings, strict=False)
def _roundings(weights: Any) -> Callable[..., Any]:
    """Return how large rounding errors are, for a type of weights."""
    if weights.instance_class is Weights:
        return lambda weights: (MARGIN, TINY)
    return lambda weights: (weights.rounding, weights.floor)


@overload(after_equals, strict=False)
def _after_equals(jobs: Any, j: Any, weights: Any) -> Callable[..., Any]:
    """Return which jobs share a slot, for a type of weights.

    `jobs`, j and `weights` are numba's types of the arguments of `after_equals`.
    """
    if weights.instance_class is Weights:
        return lambda jobs, j, weights: after_copies(jobs, j)
    return lambda jobs, j, weights: after_alike(j, weights)
