"""How near schedules come to a wish, of one front or of any objective values."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import numbers
from ..core.arrays import Floats
from ..fronts.front import Front
from ..fronts.front_files import FrontLike, as_front
from .wish import goal, penalised, violation
from .wish_files import WishLike, as_wish


def fitness(wish: WishLike, values: ArrayLike | FrontLike) -> Floats:
    """Return how near schedules come to a wish, (k,): smaller is better; see the module `wish`.

    Parameters
    ----------
    wish
        A wish, one in words, or the path of a wish file.
    values
        (k, m) objective values in natural units, as of `objectives`; or a front, or the path of a run directory or a
        front file.

    Raises
    ------
    InputError
        As for `goal`, `as_wish` and `as_front`.

    Examples
    --------
    The second is faster for group 1 and exceeds the limit of group 2.

    >>> [f"{x:g}" for x in fitness("AWRT1, AWRT2 <= 10s", [[60, 8, 7, 9], [60, 8, 4, 15]])]
    ['7', '1.5e+30']
    """
    matrix = as_front(values).values if isinstance(values, str | os.PathLike | Front) else numbers("values", values)
    groups = matrix.shape[-1] - 2 if matrix.ndim == 2 else 1
    wish = as_wish(wish, tuple(str(number + 1) for number in range(max(groups, 1))))
    return penalised(goal(wish, matrix), violation(wish, matrix))


def nearest(wish: WishLike, front: FrontLike) -> NDArray[np.int64]:
    """Return the row numbers of a front, (p,), the nearest to a wish first; equal rows in their order.

    Parameters
    ----------
    wish
        A wish, one in words, or the path of a wish file.
    front
        A front, or the path of a run directory or a front file.

    Raises
    ------
    InputError
        As for `as_wish`, `load_front` and `goal`.
    """
    front = as_front(front)
    return np.argsort(fitness(as_wish(wish, front), front), kind="stable")
