"""The types of arrays, under one name in all modules."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Order = NDArray[np.int32]  # rows of a workload, or places in an order of them
Int = int | np.int64  # a whole number in compiled code, where both are the same
