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

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..kernels.ancestry import mark_ancestors

GENES = ("number", "parent", "mate", "key", "frequency", "jump")
MISSING = -2
KEYS = 2**53  # whole numbers that a float64 can tell apart


def ancestry(archive: Floats, rows: Floats) -> Floats:
    """Return all recipes that some recipes descend from, (k, 6), sorted by number.

    `rows` themselves are not among them, unless another recipe descends from them.

    Parameters
    ----------
    archive
        (n, 6) recipes sorted by number, with all ancestors.
    rows
        (r, 6) recipes, of the archive or not yet in it.

    Raises
    ------
    InputError
        Numbers do not ascend, a recipe has a parent that does not precede it, or an ancestor is missing.

    Examples
    --------
    >>> archive = np.array([[0, -1, -1, 0, 1, 1], [1, -1, -1, 1, 1, 1], [2, 1, -1, 77, 1, 1.0]])
    >>> ancestry(archive, np.array([[3, 2, -1, 88, 1, 1.0]]))[:, 0].tolist()
    [1.0, 2.0]
    """
    numbers = archive[:, 0].astype(np.int64)
    if (np.diff(numbers) <= 0).any():
        raise InputError("recipes must be sorted by number, but are not")
    of_archive = _places(archive, numbers)
    of_rows = _places(rows, numbers)
    missing = np.flatnonzero((of_rows == MISSING).any(axis=1))
    if missing.size:
        raise InputError(f"a recipe must have its ancestors here, but {_parents_of(rows[missing[0]])}")
    is_ancestor = np.zeros(len(archive), dtype=np.bool_)
    is_ancestor[of_rows[of_rows >= 0]] = True
    mark_ancestors(of_archive[:, 0], of_archive[:, 1], is_ancestor)
    missing = np.flatnonzero(is_ancestor & (of_archive == MISSING).any(axis=1))
    if missing.size:
        raise InputError(f"a recipe must have its ancestors here, but {_parents_of(archive[missing[0]])}")
    return archive[is_ancestor]


def chance(key: int) -> np.random.Generator:
    """Return the source of randomness that a key stands for."""
    return np.random.Generator(np.random.PCG64(key))


def _places(recipes: Floats, numbers: Ints) -> Ints:
    """Return the places of both parents of recipes among ascending numbers, (k, 2); -1 for none, or MISSING."""
    parents = recipes[:, 1:3].astype(np.int64)
    faults = np.flatnonzero((parents >= recipes[:, :1]).any(axis=1))
    if faults.size:
        raise InputError(f"a parent must be an earlier evaluation, but {_parents_of(recipes[faults[0]])}")
    places = np.searchsorted(numbers, parents)
    present = np.append(numbers, -1)[places] == parents
    return np.where(parents < 0, -1, np.where(present, places, MISSING))


def _parents_of(recipe: Floats) -> str:
    """Return the parents of a recipe in words, for a message."""
    return f"recipe {recipe[0]:g} has the parents {recipe[1]:g} and {recipe[2]:g}"
