"""How near schedules come to a wish, of one front or of any objective values."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import numbers
from ..core.arrays import Floats, Ints
from ..fronts.front import Front
from ..fronts.front_files import FrontLike, as_front
from .wish import Wish, goal, penalise, violation
from .wish_files import WishLike, as_wish


def fitness(wish: WishLike, values: ArrayLike | FrontLike) -> Floats:
    """Return how near schedules come to a wish, (k,): smaller is better; see the module `wish`.

    Outside the limits only their violation counts; `nearest` looks at the goal of those that exceed them equally, too.

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
    measures = wish.measures if isinstance(wish, Wish) else ()
    groups = matrix.shape[-1] - 2 - len(measures) if matrix.ndim == 2 else 1
    wish = as_wish(wish, tuple(str(number + 1) for number in range(max(groups, 1))))
    return penalise(goal(wish, matrix), violation(wish, matrix))


def nearest(wish: WishLike, front: FrontLike) -> Ints:
    """Return the row numbers of a front, (p,), the nearest to a wish first; equal rows in their order.

    Of rows that exceed the limits equally, the one with the better goal is nearer.

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
    return nearest_rows(as_wish(wish, front), front.values)


def nearest_rows(wish: Wish, values: Floats) -> Ints:
    """Return the rows of values, (k, m) natural units, as `nearest` returns those of a front; the wish has numbers.

    Examples
    --------
    No row keeps the limit, and three exceed it equally: the second is the fastest of them.

    >>> wish = as_wish("AWRT1, UTIL >= 70", ("1",))
    >>> nearest_rows(wish, np.array([[60.0, 9, 9], [60, 4, 4], [60, 7, 7], [50, 3, 3]])).tolist()
    [1, 2, 0, 3]
    """
    return np.lexsort((goal(wish, values), violation(wish, values)))
