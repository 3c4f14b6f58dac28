"""Recipes of sequences for tests."""

import numpy as np
from numpy.typing import NDArray


def family(seed: int, count: int, starts: int = 3, mates: float = 0.3, youth: int = 10**9) -> NDArray[np.float64]:
    """Return random recipes 0..count-1, (count, 6) float64; a parent is at most `youth` rows before its child."""
    rng = np.random.default_rng(seed)
    rows = np.empty((count, 6))
    for i in range(count):
        if i < starts:
            rows[i] = i, -1, -1, i, 1, 1
        else:
            parent, mate = rng.integers(max(0, i - youth), i, 2)
            mate = mate if rng.random() < mates else -1
            rows[i] = i, parent, mate, rng.integers(2**53), 1 + 5 * rng.random(), 1 + 5 * rng.random()
    return rows
