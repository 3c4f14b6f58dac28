"""For how long of its wait a job would have fit on what was free by the record."""

from ..core.arrays import Ints
from .compiling import njit


@njit(cache=True, nogil=True, _nrt=False)
def find_fitting(
    second: Ints,
    free: Ints,
    free_gpus: Ints,
    came: Ints,
    began: Ints,
    width: Ints,
    gpus: Ints,
    first: Ints,
    last: Ints,
    before: Ints,
    fitting: Ints,
) -> None:
    """Fill for how many seconds of their waits jobs would have fit.

    Jobs of one shape walk over the record together, so that the seconds of every change are looked at once a shape.

    Parameters
    ----------
    second
        (k,) s, ascending, when something changes; what is free then is free until the next one, at last for ever.
    free, free_gpus
        (k,) processors and GPUs that are free from then on; negative where more was in use than there is.
    came, began
        (m,) s, from when until when each job waits. The jobs are in the order of width, GPUs and `came`.
    width, gpus
        (m,) what they ask for.
    first, last
        (m,) places in `second` of the last change until `came`, and of the last one until `began`.
    before
        (k,) work space.
    fitting
        (m,) s, filled.

    Examples
    --------
    A job of 2 processors waits from second 1 to 9; 2 are free from second 4 on.

    >>> import numpy as np
    >>> one, fitting = np.array([1]), np.array([0])
    >>> second, free = np.array([0, 4]), np.array([1, 2])
    >>> find_fitting(second, free, free, one, 9 * one, 2 * one, 0 * one, 0 * one, one, 0 * free, fitting)
    >>> fitting.tolist()
    [5]
    """
    reached = -1  # the last place of which `before` says how many seconds before it fit
    for j in range(came.size):
        is_new = j == 0 or width[j] != width[j - 1] or gpus[j] != gpus[j - 1]
        if is_new or first[j] > reached:
            reached = first[j]
            before[reached] = 0
        while reached < last[j]:
            fits = free[reached] >= width[j] and free_gpus[reached] >= gpus[j]
            before[reached + 1] = before[reached] + fits * (second[reached + 1] - second[reached])
            reached += 1
        total = before[last[j]] - before[first[j]]
        if free[last[j]] >= width[j] and free_gpus[last[j]] >= gpus[j]:
            total += began[j] - second[last[j]]
        if free[first[j]] >= width[j] and free_gpus[first[j]] >= gpus[j]:
            total -= came[j] - second[first[j]]
        fitting[j] = total
