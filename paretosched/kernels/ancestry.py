"""The ancestors of an evaluation of a run."""

from ..core.arrays import Ints, Mask
from .compiling import njit


@njit(cache=True, nogil=True, _nrt=False)
def mark_ancestors(parent: Ints, mate: Ints, needed: Mask) -> None:
    """Mark the ancestors of all marked evaluations.

    Parameters
    ----------
    parent, mate
        (n,) int64, the numbers of the parents of each evaluation, smaller than its own number; -1 for none.
    needed
        (n,) bool, the marks, modified in place.
    """
    for i in range(needed.size - 1, -1, -1):  # one pass is enough, because parents come before their children
        if needed[i]:
            if parent[i] >= 0:
                needed[parent[i]] = True
            if mate[i] >= 0:
                needed[mate[i]] = True
