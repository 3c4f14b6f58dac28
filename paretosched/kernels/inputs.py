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


class Rules(NamedTuple):
    """What chooses a strategy, see `paretosched.policies.rule_base`; of R rules or of C situations, for F features.

    Attributes
    ----------
    iterative
        Whether situations choose, or rules.
    bounds
        (F, B) float64, inner bounds of the intervals, ascending, filled up with infinity.
    counts
        (F,) int64, how many intervals a feature has.
    choice
        (C,) int64, strategies.
    means, sharpness
        (F, R) float64, centre mu and 1 / (sigma sqrt 2) of the Gaussians.
    peaks
        (R,) float64, the logarithm of the product of their peaks.
    recommendations
        (13, R) float64.
    possible
        (13,) bool, which strategies can be chosen.
    threshold, otherwise
        Where the logarithm of the sum of all memberships is below the threshold, this strategy is chosen; -inf without.
    """

    iterative: bool
    bounds: NDArray[np.float64]
    counts: NDArray[np.int64]
    choice: NDArray[np.int64]
    means: NDArray[np.float64]
    sharpness: NDArray[np.float64]
    peaks: NDArray[np.float64]
    recommendations: NDArray[np.float64]
    possible: NDArray[np.bool_]
    threshold: float
    otherwise: int


class Sorted(NamedTuple):
    """The jobs of a workload in the order of each sorting of a rule base; those that are not needed are empty.

    Attributes
    ----------
    row
        (4, n) int32, the row of the job at each place.
    place
        (4, n) int32, the place of each job.
    """

    row: NDArray[np.int32]
    place: NDArray[np.int32]
