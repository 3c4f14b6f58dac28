"""What kernels are given, bundled, so that a call names values and not a dozen arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Jobs(NamedTuple):
    """The jobs of a workload, sorted by submission, (n,) int64 each.

    Attributes
    ----------
    submit, run, estimate
        Seconds.
    width
        Processors.
    group
        Index of the user group, 0..G-1.
    """

    submit: NDArray[np.int64]
    run: NDArray[np.int64]
    estimate: NDArray[np.int64]
    width: NDArray[np.int64]
    group: NDArray[np.int64]


class Weights(NamedTuple):
    """What orders the queue of Greedy.

    Attributes
    ----------
    criteria
        (3,) int64, 1..4 for f1..f4, by situation.
    genes
        (3, 2 G + 2) float64; the row of a situation is w_1..w_G, K_1..K_G, a, b.
    horizon
        Twice the latest possible time, s; bounds every time that enters a key.
    """

    criteria: NDArray[np.int64]
    genes: NDArray[np.float64]
    horizon: float
