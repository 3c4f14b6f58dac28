"""Recipes of orders: the genome of exploration by job sequence.

Paper 002 (section 3.2, "Coding as Permutation") varies the order in which jobs are put into the schedule. An order
of 136,000 jobs takes half a megabyte, but it is determined by six numbers and by the recipes of its ancestors:

=========  ==========================================================================================
number     which evaluation of the run this is, 0, 1, 2, ...
parent     number of the evaluation it is made from; -1: it is a start order
mate       number of the second parent; -1: no recombination
key        seed of all random numbers, below 2^53; for a start order, its index
frequency  mean number of elementary moves from its parent to it
jump       mean length of a move, in places
=========  ==========================================================================================

So a run stores recipes, and recipes are sent to workers, with what others have found that their ancestors change.
With a cache of recent orders, nearly every derivation is one variation. Both strategy parameters are those that the
variation uses, already adapted for this child.
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Int
from ..core.errors import InputError
from ..kernels.ancestry import FAULT, FULL, find_ancestors

GENES = ("number", "parent", "mate", "key", "frequency", "jump")
KEYS = 2**53  # whole numbers that a float64 can tell apart
ROOM = 1024  # for ancestors, to begin with


def ancestry(archive: Floats, rows: Floats) -> Floats:
    """Return all recipes that some recipes descend from, (k, 6), sorted by number.

    `rows` themselves are not among them, unless another recipe descends from them. The time is that of the ancestors,
    however long the archive is.

    Parameters
    ----------
    archive
        (n, 6) recipes sorted by number, with all ancestors.
    rows
        (r, 6) recipes, of the archive or not yet in it.

    Raises
    ------
    InputError
        A recipe has a parent that does not precede it, an ancestor is missing, or the numbers of ancestors and those
        beside them do not ascend. Other recipes are not looked at.

    Examples
    --------
    >>> archive = np.array([[0, -1, -1, 0, 1, 1], [1, -1, -1, 1, 1, 1], [2, 1, -1, 77, 1, 1.0]])
    >>> ancestry(archive, np.array([[3, 2, -1, 88, 1, 1.0]]))[:, 0].tolist()
    [1.0, 2.0]
    """
    recipes, children = _for_kernel(archive), _for_kernel(rows)
    room = ROOM
    count: Int = FULL
    while count == FULL:
        ahead, places = np.empty((2, room), dtype=np.int64)
        count = find_ancestors(recipes, children, ahead, places)
        room *= 8
    if count < 0:
        raise _fault(archive, np.concatenate([archive, rows])[FAULT - count])
    return archive[places[:count][::-1]]


def chance(key: int) -> np.random.Generator:
    """Return the source of randomness that a key stands for."""
    return np.random.Generator(np.random.PCG64(key))


def _for_kernel(recipes: Floats) -> Floats:
    """Return recipes with the same layout and flags whatever they have, so that one compiled kernel takes all."""
    view = np.ascontiguousarray(recipes).view()
    view.flags.writeable = False
    return view


def _fault(archive: Floats, recipe: Floats) -> InputError:
    """Return what is wrong with the parents of a recipe."""
    number, *parents = recipe[:3].tolist()
    words = f"recipe {number:g} has the parents {parents[0]:g} and {parents[1]:g}"
    if max(parents) >= number:
        return InputError(f"a parent must be an earlier evaluation, but {words}")
    if (np.diff(archive[:, 0]) <= 0).any():
        return InputError("recipes must be sorted by number, but are not")
    return InputError(f"a recipe must have its ancestors here, but {words}")
