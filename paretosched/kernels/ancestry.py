"""The ancestors of an evaluation of a run."""

from numba import njit

from ..core.arrays import Ints, Mask


@njit(cache=True, nogil=True, _nrt=False)
def mark_ancestors(parent: Ints, mate: Ints, needed: Mask) -> None:
    """Mark the ancestors of all that are marked.

    Parameters
    ----------
    parent, mate
        (n,) int64, the numbers of the parents of each evaluation, smaller than its own, or -1.
    needed
        (n,) bool, modified in place.
    """
    for i in range(needed.size - 1, -1, -1):  # parents come before their children: one pass is enough
        if needed[i]:
            if parent[i] >= 0:
                needed[parent[i]] = True
            if mate[i] >= 0:
                needed[mate[i]] = True
