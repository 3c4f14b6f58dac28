"""How one order of jobs differs from another one: most jobs follow the job that they followed before."""

from ..core.arrays import Int, Order
from .compiling import njit


@njit(cache=True, nogil=True, _nrt=False)
def find_change(parent: Order, order: Order, place: Order, gaps: Order, leaps: Order) -> Int:
    """Find where jobs of `order` do not come right behind the job before them in `parent`, and return how often.

    Parameters
    ----------
    parent, order
        (n,) int32, permutations of the same jobs.
    place
        (n,) int32, work space.
    gaps, leaps
        (n,) int32; the first of them are filled, of each place in `order` whose job stood elsewhere in `parent`: how
        far behind the one before (the first: behind the first job), and by how many places the job came later there
        than right behind the job before.

    Examples
    --------
    >>> import numpy as np
    >>> parent, order, place, gaps, leaps = np.array([[2, 0, 3, 1], [2, 3, 1, 0], *[[0] * 4] * 3], dtype=np.int32)
    >>> count = find_change(parent, order, place, gaps, leaps)
    >>> gaps[:count].tolist(), leaps[:count].tolist()
    ([1, 2], [1, -3])
    """
    for i in range(parent.size):
        place[parent[i]] = i
    expected = last = count = 0
    for i in range(order.size):
        at = place[order[i]]
        if at != expected:
            gaps[count] = i - last
            leaps[count] = at - expected
            last = i
            count += 1
        expected = at + 1
    return count


@njit(cache=True, nogil=True, _nrt=False)
def apply_change(parent: Order, gaps: Order, leaps: Order, order: Order) -> bool:
    """Fill `order` with what `find_change` found the gaps and leaps of, and return whether they fit `parent`.

    Parameters
    ----------
    parent
        (n,) int32.
    gaps, leaps
        (k,) int32.
    order
        (n,) int32; if they do not fit, it is of no use.
    """
    n = parent.size
    i = at = 0
    for k in range(gaps.size + 1):
        until = i + gaps[k] if k < gaps.size else n
        if not (i <= until <= n and 0 <= at <= n - (until - i)):
            return False
        while i < until:
            order[i] = parent[at]
            i += 1
            at += 1
        if k < leaps.size:
            at += leaps[k]
    return True
